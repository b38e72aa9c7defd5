"""Criteria of scatter matrices: by hand, and exact where columns depend on others, in other units, at an offset."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import find_index
from adjudge.engines.centroid_pass import CHUNK
from adjudge.engines.points import reduce_coded_points
from adjudge.statistics.moments import ClusterDeterminants, Scatter
from scatter_matrices import scatter_of

Rows = list[list[Fraction]]


def deviations(rows: Rows) -> Rows:
    means = [sum(column, Fraction(0)) / len(rows) for column in zip(*rows, strict=True)]
    return [[x - m for x, m in zip(row, means, strict=True)] for row in rows]


def determinant(rows: Rows) -> Fraction:
    """Of the matrix of products of the columns, by elimination."""
    columns = list(zip(*rows, strict=True))
    matrix = [
        [sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0)) for v in columns] for u in columns
    ]
    found = Fraction(1)
    for i in range(len(matrix)):
        found *= matrix[i][i]
        if not matrix[i][i]:
            return found
        for below in range(i + 1, len(matrix)):
            factor = matrix[below][i] / matrix[i][i]
            matrix[below] = [x - factor * y for x, y in zip(matrix[below], matrix[i], strict=True)]
    return found


def exactly(X: np.ndarray[Any, Any], codes: np.ndarray[Any, Any]) -> dict[str, float]:
    """The criteria of determinants in rational arithmetic on the stored doubles."""
    rows = [[Fraction(float(x)) for x in row] for row in X]
    clusters = [
        deviations([r for r, c in zip(rows, codes, strict=True) if c == k]) for k in range(codes.max() + 1)
    ]
    within = determinant([row for cluster in clusters for row in cluster])
    total = determinant(deviations(rows))
    p = X.shape[1]
    return {
        "det_ratio": float(total / within),
        "log_det_ratio": len(rows) * math.log(total / within),
        "ksq_detw": float(len(clusters) ** 2 * within),
        "scott_symons": sum(len(c) * math.log(determinant(c) / Fraction(len(c)) ** p) for c in clusters),
    }


def blobs(seed: int = 0) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    codes = np.arange(90) % 3
    return rng.normal(size=(90, 2)) + 3.0 * codes[:, None] * [1.0, -0.5], codes


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 1e-6, 1e-7, 1e-9])
def test_a_column_that_is_nearly_the_sum_of_others(noise: float) -> None:
    X, codes = blobs()
    nearly = X.sum(axis=1) + noise * np.random.default_rng(1).normal(size=90)
    points = np.column_stack([X, nearly])
    for name, value in exactly(points, codes).items():
        # The determinant depends on the last column by a relative 1e-16 / noise.
        assert getattr(adjudge, name)(points, codes) == pytest.approx(value, rel=2e-15 / noise + 1e-10), name


def test_a_copy_of_a_column_in_other_units_and_of_lower_precision() -> None:
    X, codes = blobs()
    celsius = 20 + 5 * X
    fahrenheit = np.float32(1.8 * celsius[:, :1] + 32)
    points = np.column_stack([celsius, fahrenheit])
    expected = exactly(points, codes)
    assert expected["det_ratio"] > 1
    for name, value in expected.items():
        assert getattr(adjudge, name)(points, codes) == pytest.approx(value, rel=1e-7), name


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_columns_that_depend_on_others_leave_the_ratio_of_determinants_as_it_is(offset: float) -> None:
    X, codes = blobs()
    X = np.round(X * 2**20) / 2**20 + offset  # so that the offset changes no digit
    whole = exactly(X, codes)
    dependent = {
        "constant": np.full((90, 1), offset + 0.1),
        "copy": X[:, :1],
        "other units": 1.8 * X[:, :1] + 32,
        "sum": X.sum(axis=1, keepdims=True),
        "adding to 0": np.column_stack([X[:, 0] - X[:, 1], X[:, 1] - X[:, 0]]),
    }
    for name, columns in dependent.items():
        points = np.column_stack([columns, X])
        found = adjudge.evaluate(
            X=points, labels=codes, indices=["det_ratio", "log_det_ratio", "ksq_detw", "scott_symons"]
        )
        # At an offset, a sum of columns is rounded to 1e-8.
        precision = 1e-10 if not offset else 1e-6
        assert found["det_ratio"] == pytest.approx(whole["det_ratio"], rel=precision), name
        assert found["log_det_ratio"] == pytest.approx(whole["log_det_ratio"], rel=precision), name
        assert found["ksq_detw"] == 0
        assert found["scott_symons"] == -math.inf
        (said,) = [str(own) for own in found.warnings if own.code == "lacking-axes"]
        assert "the determinants of det_ratio and log_det_ratio are those on these axes" in said
    assert not adjudge.evaluate(X=X, labels=codes, indices="det_ratio").warnings
    # A basis of what one-hot columns span, too, has the same ratio.
    kinds = np.eye(4)[np.random.default_rng(3).integers(0, 4, 90)]
    some = adjudge.log_det_ratio(np.column_stack([X, kinds[:, 1:]]), codes)
    assert adjudge.log_det_ratio(np.column_stack([X, kinds]), codes) == pytest.approx(some, rel=precision)


def test_a_ratio_of_determinants_is_undefined_only_for_equal_points() -> None:
    codes = np.arange(6) % 2
    for name in ("det_ratio", "log_det_ratio"):
        equal = adjudge.evaluate(X=np.ones((6, 2)), labels=codes, indices=name)
        assert equal.reasons == {name: "0/0: all points are equal"}
        # Six points differ along five of nine axes, and within two clusters along four.
        few = np.random.default_rng(0).normal(size=(6, 9))
        found = adjudge.evaluate(X=few, labels=codes, indices=name)
        assert (found[name], found.reasons[name]) == (
            math.inf,
            "division by zero: the within-cluster scatter matrix is singular",
        )


def test_an_offset_costs_no_digits_of_determinants() -> None:
    X, codes = blobs()
    X = np.round(X * 2**20) / 2**20  # so that the offset changes no digit
    for name, value in exactly(X, codes).items():
        assert getattr(adjudge, name)(X + 1e8, codes) == pytest.approx(value, rel=1e-12), name


@pytest.mark.parametrize("noise", [1e-4, 1e-7, 1e-11, 1e-13, 1e-15])
@pytest.mark.parametrize("seed", range(8))
def test_the_ratio_is_never_below_one(noise: float, seed: int) -> None:
    """Nor is WG regular where T is not."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 3)) * 10.0 ** rng.integers(-6, 7, 3) + rng.normal(size=3) * 100
    points = np.column_stack([X, X.sum(axis=1) * (1 + noise * rng.normal(size=60))])
    assert 1 <= adjudge.det_ratio(points, codes) < math.inf
    scatter = reduce_coded_points(points, codes, {Scatter})[Scatter]
    assert scatter.log_det_total > -math.inf or scatter.log_det_within == -math.inf


def test_a_root_is_joined_from_chunks() -> None:
    """More rows than a task has, of which every chunk alone has the same correlation."""
    X, codes = blobs()
    noise = 1e-6 * np.random.default_rng(2).normal(size=90)
    few = np.column_stack([X, X.sum(axis=1) + noise])
    copies = 2 * CHUNK // 90 + 1
    many = np.tile(few, (copies, 1))
    found, whole = (
        reduce_coded_points(x, np.tile(codes, x.shape[0] // 90), {Scatter, ClusterDeterminants})
        for x in (few, many)
    )
    for of in ("log_det_within", "log_det_total"):
        once, often = (getattr(s[Scatter], of) for s in (found, whole))
        assert often == pytest.approx(once + 3 * math.log(copies), abs=1e-8)
    np.testing.assert_allclose(
        whole[ClusterDeterminants].logarithms, found[ClusterDeterminants].logarithms, atol=1e-8
    )


@pytest.mark.parametrize("name", ["trace_wib", "det_ratio"])
def test_units_do_not_matter_to_nearly_dependent_columns(name: str) -> None:
    X, codes = blobs()
    points = np.column_stack([X, X.sum(axis=1) + 1e-6 * np.random.default_rng(1).normal(size=90)])
    index = getattr(adjudge, name)
    assert index(points * [1e-9, 1.0, 1e12], codes) == pytest.approx(index(points, codes), rel=1e-8)


WITHIN = np.array([[4.0, 1.0], [1.0, 9.0]])  # determinant 35
BETWEEN = np.array([[2.0, -1.0], [-1.0, 6.0]])


def scatter(n: int, k: int) -> Scatter:
    return scatter_of(n=n, k=k, within=WITHIN, between=BETWEEN)


def test_values() -> None:
    # det T = det [[6, 0], [0, 15]] = 90.
    det_ratio, log_det_ratio, ksq_detw, trace_wib = map(
        find_index, ("det_ratio", "log_det_ratio", "ksq_detw", "trace_wib")
    )
    of = scatter(10, 3)
    assert det_ratio.of(of) == pytest.approx(90 / 35, rel=1e-14)
    assert log_det_ratio.of(of) == pytest.approx(10 * math.log(90 / 35), rel=1e-14)
    assert ksq_detw.of(of) == pytest.approx(9 * 35, rel=1e-14)
    assert trace_wib.of(of) == pytest.approx((9 * 2 + 1 + 1 + 4 * 6) / 35, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "k", "within"),
    [
        (5, 3, "full"),  # 2 degrees of freedom within
        (4, 3, "lacking"),
        (3, 2, "lacking"),
    ],
)
def test_as_many_degrees_of_freedom_as_variables_are_needed(n: int, k: int, within: str) -> None:
    of = scatter(n, k)
    expected = {"full": 90 / 35, "lacking": math.inf}[within]
    assert find_index("det_ratio").of(of) == pytest.approx(expected, rel=1e-13)
    assert find_index("log_det_ratio").of(of) == pytest.approx(n * math.log(expected), rel=1e-13)
    assert find_index("ksq_detw").of(of) == pytest.approx(k * k * 35 if within == "full" else 0.0, rel=1e-13)
    assert math.isfinite(find_index("trace_wib").of(of)) == (within == "full")


def test_the_largest_double_is_a_value() -> None:
    largest = scatter_of(n=5, k=1, within=np.array([[sys.float_info.max]]), between=np.array([[0.0]]))
    assert find_index("ksq_detw").of(largest) == pytest.approx(sys.float_info.max, rel=1e-12)


def test_one_singular_cluster_is_enough() -> None:
    scott_symons = find_index("scott_symons")
    sizes = np.array([3, 5])
    value, reason = scott_symons.assess(ClusterDeterminants(sizes, np.array([-math.inf, 2.0])))
    assert (value, reason) == (-math.inf, "log 0: the scatter matrix of a cluster is singular")
    assert scott_symons.assess(ClusterDeterminants(sizes, np.array([0.5, 2.0]))) == (11.5, None)


def test_units_of_variables_do_not_matter_to_the_trace() -> None:
    scale = np.diag([1e-120, 1e130])
    scaled = scatter_of(n=10, k=3, within=scale @ WITHIN @ scale, between=scale @ BETWEEN @ scale)
    trace_wib = find_index("trace_wib")
    assert trace_wib.of(scaled) == pytest.approx(trace_wib.of(scatter(10, 3)), rel=1e-13)
