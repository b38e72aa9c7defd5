"""What clusterCrit computes otherwise: external indices by its formulas, and conventions of its criteria."""

from __future__ import annotations

import math
import sys
from functools import cache
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import find_index, list_indices
from adjudge.engines.points import reduce_coded_points
from adjudge.indices.compat import as_clustercrit
from adjudge.indices.record import Index
from adjudge.statistics import Contingency
from conftest import as_number, case_name, read_reference, reference_cases

CASES = {case_name(path): path for path in reference_cases("clustercrit_external")}


@cache
def loaded(case: str) -> tuple[dict[str, Any], Contingency]:
    data = read_reference(CASES[case])
    return data, Contingency.from_labels(data["part1"], data["part2"])


def our_name(name: str) -> str:
    """clusterCrit's names find our records, but for its phi, which is no correlation."""
    return "phi_crit" if name == "phi" else name


@pytest.mark.parametrize("case", CASES)
def test_concordance_is_exact(case: str) -> None:
    data, table = loaded(case)
    assert adjudge.indices.concordance(table) == data["concordance_exact"]
    assert adjudge.indices.concordance(data["part1"], data["part2"]) == data["concordance_exact"]
    assert all(type(count) is int for row in adjudge.indices.concordance(table) for count in row)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("block", ["vignette", "values_fixed"])
def test_values(block: str, case: str) -> None:
    data, table = loaded(case)
    assert len(data["vignette"]) == 14
    for name, value in data[block].items():
        record = find_index(our_name(name), "external")
        ours, reason = record.assess(*record.read(table))
        expected = as_number(value)
        if math.isnan(expected):
            assert math.isnan(ours), name
            assert reason is not None
            assert reason.startswith("0/0: ")
        else:
            assert math.isclose(ours, expected, rel_tol=1e-12), f"{name}: {ours!r}, expected {expected!r}"


def test_precision_and_recall_take_the_first_partition_as_the_reference() -> None:
    data, _ = loaded("hand_n4")
    # The truth joins 3 pairs, the prediction 1, and both join that one.
    assert adjudge.pair_precision(data["part1"], data["part2"]) == 1
    assert adjudge.pair_recall(data["part1"], data["part2"]) == pytest.approx(1 / 3, rel=1e-15)


def test_phi_is_the_correlation_not_clustercrits() -> None:
    data, table = loaded("identical_iris")
    assert find_index("Phi") is find_index("pair_phi")
    assert adjudge.pair_phi(table) == 1
    assert adjudge.phi_crit(table) == pytest.approx(1 / (table.pairs.yy * table.pairs.nn), rel=1e-15)
    assert adjudge.phi_crit(table) == pytest.approx(data["vignette"]["phi"], rel=1e-12)


X = np.array([[0.0, 0.0], [3.0, 1.0], [1.0, 4.0], [9.0, 2.0], [8.0, 7.0], [7.0, 5.0]])
CODES = np.array([0, 0, 0, 1, 1, 1])


def assess(index: Index, X: Any, codes: Any) -> tuple[float, str | None]:
    statistics = reduce_coded_points(np.asarray(X, float), np.asarray(codes), set(index.requires))
    return index.assess(*(statistics[t] for t in index.requires))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("davies_bouldin", 0.0),
        ("pbm", math.inf),
        ("ray_turi", 0.0),
        ("sd_dis", -math.inf),
        ("wemmert_gancarski", 1.0),
        ("xie_beni", 0.0),
        ("silhouette", 1.0),
    ],
)
def test_values_of_one_cluster(name: str, value: float) -> None:
    index = as_clustercrit(find_index(name, "internal"))
    assert assess(index, X, np.zeros(6, int))[0] == value
    # With two clusters it is the published one (of silhouettes that of the clusters' means).
    published = find_index("silhouette_macro" if name == "silhouette" else name, "internal")
    assert assess(index, X, CODES) == assess(published, X, CODES)


@pytest.mark.parametrize("u", [1, 2, 3, 4, 5])
def test_the_smallest_distance_of_no_two_clusters_is_the_largest_double(u: int) -> None:
    gdi = as_clustercrit(find_index(f"gdi{u}1", "internal"))
    value, reason = assess(gdi, X, np.zeros(6, int))
    assert value == sys.float_info.max / math.dist(X[0], X[4])
    assert reason is None


def test_the_second_diameter_is_half_the_mean_and_passes_over_single_points() -> None:
    codes = np.array([0, 0, 0, 1, 1, 2])
    mean = np.mean([math.dist(X[i], X[j]) for i, j in ((0, 1), (0, 2), (1, 2))])
    assert mean > math.dist(X[3], X[4]) / 2
    widest = max(mean, math.dist(X[3], X[4]))
    closest = min(math.dist(X[i], X[j]) for i in range(6) for j in range(6) if codes[i] != codes[j])
    gdi12 = as_clustercrit(find_index("gdi12"))
    assert assess(gdi12, X, codes)[0] == pytest.approx(closest / (widest / 2), rel=1e-14)
    assert assess(gdi12, X, np.arange(6)) == (
        pytest.approx(math.nan, nan_ok=True),
        "0/0: no cluster has two points",
    )
    assert (
        assess(gdi12, [[0.0], [0.0], [2.0]], [0, 0, 1])[1] == "division by zero: every cluster has diameter 0"
    )


@pytest.mark.parametrize(
    ("name", "X", "codes", "reason"),
    [
        ("ratkowsky_lance", [[0, 1], [3, 1], [5, 1]], [0, 0, 1], "0/0: a column is constant"),
        ("silhouette", X, [0, 0, 0, 1, 1, 2], "0/0: a cluster has one point"),
        ("silhouette_macro", X, [0, 0, 0, 1, 1, 2], "0/0: a cluster has one point"),
        (
            "s_dbw",
            [[-8], [-10], [8], [10]],
            [0, 0, 1, 1],
            "0/0: there is no point near two centroids and their midpoint",
        ),
        ("s_dbw", np.ones((6, 1)), CODES, "0/0: all points are equal"),
        (
            "det_ratio",
            [[0, 0], [1, 1], [5, 5]],
            [0, 0, 1],
            "0/0: the total and the within-cluster scatter matrices are singular",
        ),
    ],
)  # fmt: skip
def test_reasons(name: str, X: Any, codes: Any, reason: str) -> None:
    value, found = assess(as_clustercrit(find_index(name, "internal")), X, codes)
    assert math.isnan(value)
    assert found == reason


def test_an_inverse_of_a_singular_matrix_counts_nothing() -> None:
    trace_wib = as_clustercrit(find_index("trace_wib"))
    assert assess(trace_wib, [[0, 0], [1, 1], [5, 5]], [0, 0, 1]) == (0.0, None)
    assert assess(trace_wib, X, CODES) == assess(find_index("trace_wib"), X, CODES)


def test_signs_of_determinants_are_lost() -> None:
    """Where rows are exchanged once, the product of the pivots has the wrong sign."""
    turned = np.array([[1, 9], [-1, -9], [2, 9], [-2, -9], [1, -9], [-1, 9], [0, 0.5], [0.5, 0]])
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    seen = set()
    for seed in range(40):
        points = turned + np.random.default_rng(seed).normal(size=turned.shape) * [4, 9]
        ours, _ = assess(find_index("det_ratio"), points, codes)
        theirs, _ = assess(as_clustercrit(find_index("det_ratio")), points, codes)
        assert abs(theirs) == ours
        sign = math.copysign(1, theirs)
        seen.add(sign)
        logarithm, reason = assess(as_clustercrit(find_index("log_det_ratio")), points, codes)
        if sign < 0:
            assert math.isnan(logarithm)
            assert reason == "the logarithm of a negative ratio: clusterCrit loses the sign of determinants"
        else:
            assert logarithm == assess(find_index("log_det_ratio"), points, codes)[0]
        ksq, _ = assess(as_clustercrit(find_index("ksq_detw")), points, codes)
        assert abs(ksq) == assess(find_index("ksq_detw"), points, codes)[0]
        scott, reason = assess(as_clustercrit(find_index("scott_symons")), points, codes)
        if math.isnan(scott):
            assert reason == "the logarithm of a negative value: clusterCrit loses the sign of determinants"
        else:
            assert scott == assess(find_index("scott_symons"), points, codes)[0]
    assert seen == {-1.0, 1.0}


def test_what_agrees_is_the_same_record() -> None:
    departing = {r.name for r in list_indices("internal") if as_clustercrit(r) is not r}
    assert departing == {
        "det_ratio", "log_det_ratio", "ksq_detw", "scott_symons", "trace_wib", "davies_bouldin", "pbm",
        "ratkowsky_lance", "ray_turi", "sd_dis", "s_dbw", "wemmert_gancarski", "xie_beni", "silhouette",
        "silhouette_macro", "gamma", "tau", "dunn",
        *(f"gdi{u}{v}" for u in range(1, 6) for v in range(1, 4) if u + v > 2),
    }  # fmt: skip
    for record in list_indices("internal"):
        theirs = as_clustercrit(record)
        assert (theirs.name, theirs.title, theirs.best_k) == (record.name, record.title, record.best_k)
    assert as_clustercrit(find_index("rand")) is find_index("rand")
