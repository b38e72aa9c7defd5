"""Pair counts are exact, and each index of them is its printed formula, degenerate cases included."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
import naive
from adjudge import InputError, InputTypeError, find_index
from adjudge.indices.record import Noted, quotient
from adjudge.statistics import Contingency, PairCounts
from conftest import raises_line

COUNT = st.one_of(st.integers(0, 5), st.integers(0, 10**22))
LABELS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)


@given(LABELS)
def test_pairs_are_those_that_a_loop_counts(labels: list[tuple[int, int]]) -> None:
    a, b = zip(*labels, strict=True)
    pairs = Contingency.from_labels(a, b).pairs
    assert (pairs.yy, pairs.yn, pairs.ny, pairs.nn) == naive.pair_counts(a, b)


@given(COUNT, COUNT, COUNT, COUNT)
def test_indices_are_their_formulas(yy: int, yn: int, ny: int, nn: int) -> None:
    pairs = PairCounts(yy, yn, ny, nn)
    for name, formula in naive.PAIR_INDICES.items():
        record = find_index(name)
        assert record.requires == (PairCounts,)
        value, reason = record.assess(pairs)
        expected = formula(yy, yn, ny, nn)
        assert value == pytest.approx(expected, rel=1e-13, abs=1e-100, nan_ok=True), name
        if math.isfinite(expected):
            assert reason is None
        else:
            assert reason is not None
            assert reason.startswith("0/0: " if math.isnan(expected) else "division by zero: ")


def test_every_index_of_pairs_has_a_naive_twin() -> None:
    ours = {r.name for r in adjudge.list_indices("external") if r.requires == (PairCounts,)}
    assert ours == set(naive.PAIR_INDICES)


def test_derived_counts() -> None:
    pairs = PairCounts(yy=1, yn=2, ny=3, nn=4)
    assert (pairs.total, pairs.joined_true, pairs.joined_pred) == (10, 3, 4)
    assert (pairs.agreeing, pairs.disagreeing, pairs.identical) == (5, 5, False)
    assert PairCounts(3, 0, 0, 4).identical
    assert not PairCounts(3, 1, 0, 4).identical
    assert not PairCounts(3, 0, 1, 4).identical


def test_counts_are_python_integers() -> None:
    pairs = PairCounts(np.int64(1), np.int32(2), np.uint8(3), 4)  # type: ignore[arg-type]
    assert all(type(getattr(pairs, name)) is int for name in ("yy", "yn", "ny", "nn"))
    assert repr(pairs) == "PairCounts(yy=1, yn=2, ny=3, nn=4)"
    with pytest.raises(AttributeError):
        pairs.yy = 5  # type: ignore[misc]


@pytest.mark.parametrize("name", ["yy", "yn", "ny", "nn"])
@pytest.mark.parametrize("value", [-1, 1.0, "1", None])
def test_errors(name: str, value: Any) -> None:
    counts: dict[str, Any] = {"yy": 1, "yn": 1, "ny": 1, "nn": 1, name: value}
    with raises_line(InputError, f"PairCounts.{name} is {value!r}: it counts pairs, a whole number >= 0"):
        PairCounts(**counts)


@pytest.mark.parametrize(
    ("given_statistics", "message"),
    [
        ((), "rand.of takes PairCounts; it was given nothing"),
        (([0, 1],), "rand.of takes PairCounts; it was given list"),
        (([0, 1], [0, 1]), "rand.of takes PairCounts; it was given list, list"),
        ((Contingency.from_matrix([[1]]),), "rand.of takes PairCounts; it was given Contingency"),
    ],
)
def test_errors_of_the_statistic(given_statistics: tuple[Any, ...], message: str) -> None:
    with raises_line(InputTypeError, message):
        adjudge.rand.of(*given_statistics)


def test_division_by_zero() -> None:
    """0/0 is undefined, c/0 infinite, both with the reason; integers of any size are divided exactly."""
    assert quotient(1, 4, "why") == 0.25
    assert quotient(10**400 + 1, 10**400, "why") == 1
    assert quotient(3, 0, "why") == Noted(math.inf, "division by zero: why")
    assert quotient(-3, 0, "why") == Noted(-math.inf, "division by zero: why")
    for undefined in (quotient(0, 0, "why"), quotient(math.nan, 0, "why")):
        assert isinstance(undefined, Noted)
        assert math.isnan(undefined.value)
        assert undefined.reason == "0/0: why"


# --- parameters -------------------------------------------------------------------------------------------------

PAIRS = PairCounts(yy=6, yn=2, ny=3, nn=4)


def test_f_beta() -> None:
    p, r = 6 / 9, 6 / 8
    for beta in (0.5, 1, 2, 3.7):
        expected = (1 + beta**2) * p * r / (beta**2 * p + r)
        assert adjudge.pair_f.of(PAIRS, beta=beta) == pytest.approx(expected, rel=1e-14)
        assert adjudge.f_alpha.of(PAIRS, alpha=beta**2) == pytest.approx(expected, rel=1e-14)
    assert adjudge.pair_f.of(PAIRS, beta=1e6) == pytest.approx(r, rel=1e-9)
    assert adjudge.pair_f.of(PAIRS, beta=1e-6) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan")])
def test_errors_of_f(value: float) -> None:
    with raises_line(InputError, f"beta={value!r}: a finite number above 0 is needed"):
        adjudge.pair_f.of(PAIRS, beta=value)
    with raises_line(InputError, f"alpha={value!r}: a finite number above 0 is needed"):
        adjudge.f_alpha.of(PAIRS, alpha=value)
    with raises_line(InputError, f"beta={value!r}: a finite number above 0 is needed"):
        adjudge.bcubed_f([0, 1], [0, 0], beta=value)


def test_scales_of_mirkin() -> None:
    assert adjudge.mirkin.of(PAIRS) == 10
    assert adjudge.mirkin.of(PAIRS, scale="unordered") == 5
    assert adjudge.mirkin.of(PAIRS, scale="share") == pytest.approx(5 / 15)
    with raises_line(InputError, "scale='half' is not known: choose one of 'ordered', 'unordered', 'share'"):
        adjudge.mirkin.of(PAIRS, scale="half")
    none = PairCounts(0, 0, 0, 0)
    for scale in ("ordered", "unordered", "share"):
        assert adjudge.mirkin.assess(none, scale=scale)[1] == "0/0: there is no pair of instances"


def test_unknown_parameters_are_refused() -> None:
    with pytest.raises(TypeError, match="gamma"):
        adjudge.pair_f([0, 1], [0, 1], gamma=2)


# --- conventions for degenerate inputs --------------------------------------------------------------------------

ONE_CLUSTER, SINGLETONS = [0, 0, 0, 0], [0, 1, 2, 3]
PERFECT = {
    "adjusted_rand", "adjusted_fowlkes_mallows",
    "ami", "ami_geometric", "ami_min", "ami_max", "ami_joint",
    "nmi", "nmi_geometric", "nmi_min", "nmi_max", "nmi_joint",
    "v_measure", "homogeneity", "completeness",
    "pivoted_accuracy", "normalized_accuracy", "adjusted_asymmetric_accuracy",
    "pair_sets_index", "simplified_pair_sets_index",
}  # fmt: skip


@pytest.mark.parametrize("labels", [ONE_CLUSTER, SINGLETONS, [0], [0, 0, 1, 2]])
def test_identical_partitions_are_perfect(labels: list[int]) -> None:
    for name in PERFECT:
        assert find_index(name)(labels, labels) == 1, name


@pytest.mark.parametrize("labels", [[0], ["x"]])
def test_one_instance_has_no_pairs(labels: list[Any]) -> None:
    for name in naive.PAIR_INDICES.keys() - PERFECT:
        value, reason = find_index(name).assess(Contingency.from_labels(labels, labels).pairs)
        assert math.isnan(value), name
        assert reason is not None
        assert reason.startswith("0/0: ")


@pytest.mark.parametrize(
    ("name", "labels_true", "labels_pred", "reason"),
    [
        ("jaccard", SINGLETONS, SINGLETONS, "0/0: neither partition joins any pair"),
        ("fowlkes_mallows", SINGLETONS, ONE_CLUSTER, "0/0: a partition joins no pair"),
        ("pair_precision", ONE_CLUSTER, SINGLETONS, "0/0: the prediction joins no pair"),
        ("pair_recall", SINGLETONS, ONE_CLUSTER, "0/0: the truth joins no pair"),
        ("pair_phi", ONE_CLUSTER, [0, 0, 1, 1], "0/0: a partition joins no pair, or all of them"),
        ("phi_crit", ONE_CLUSTER, ONE_CLUSTER, "0/0: a partition joins no pair, or all of them"),
        ("peirce", ONE_CLUSTER, [0, 0, 1, 1], "0/0: the truth joins no pair, or all of them"),
        ("goodman_kruskal", SINGLETONS, SINGLETONS, "0/0: yy nn and yn ny are both 0"),
        ("sokal_sneath3", ONE_CLUSTER, [0, 0, 1, 1], "0/0: a partition joins no pair, or all of them"),
        ("pair_mcnemar", [0, 0, 1, 1], [1, 1, 0, 0], "0/0: the partitions agree on every pair"),
        ("adjusted_fowlkes_mallows", SINGLETONS, ONE_CLUSTER, "0/0: a partition joins no pair"),
        ("rand", [0], [0], "0/0: there is no pair of instances"),
        ("nmi_min", ONE_CLUSTER, [0, 0, 1, 1], "0/0: a partition is one cluster, so its entropy is 0"),
        ("ami_geometric", ONE_CLUSTER, [0, 0, 1, 1], "0/0: a partition is one cluster, so its entropy is 0"),
        (
            "ami_min",
            SINGLETONS,
            [0, 0, 1, 1],
            "0/0: with these cluster sizes every table has the same mutual information",
        ),
        ("homogeneity", ONE_CLUSTER, [0, 0, 1, 1], "0/0: the truth is one cluster"),
        ("completeness", [0, 0, 1, 1], ONE_CLUSTER, "0/0: the prediction is one cluster"),
    ],
)
def test_reasons_of_what_is_undefined(
    name: str, labels_true: list[int], labels_pred: list[int], reason: str
) -> None:
    result = adjudge.evaluate(labels_true, labels_pred, indices=name)
    assert math.isnan(result[name])
    assert result.reasons == {name: reason}
    assert math.isnan(find_index(name)(labels_true, labels_pred))


def test_one_cluster_against_another_partition_has_no_information() -> None:
    for name in (
        "nmi",
        "nmi_max",
        "nmi_joint",
        "ami",
        "ami_max",
        "ami_joint",
        "v_measure",
        "mutual_information",
    ):
        assert find_index(name)(ONE_CLUSTER, [0, 0, 1, 1]) == 0, name
    assert adjudge.adjusted_rand(ONE_CLUSTER, SINGLETONS) == 0
