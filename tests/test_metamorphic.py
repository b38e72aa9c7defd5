"""How each index must answer to a change of its input whose effect is known without computing it."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import adjudge
from adjudge.indices.record import Index, InternalIndex

EXTERNAL = adjudge.list_indices("external")
CLASSIFICATION = adjudge.list_indices("classification")
INTERNAL = [record for record in adjudge.list_indices("internal") if isinstance(record, InternalIndex)]
COMPARATIVE = adjudge.list_indices("comparative")
EXACT = {"rel": 1e-12, "abs": 1e-13}
CLOSE = {"rel": 1e-9, "abs": 1e-11}


def labels(seed: int, n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    return truth, np.where(rng.random(n) < 0.3, rng.integers(0, 5, n), truth)


def cloud(seed: int, n: int = 40, p: int = 3, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n) % k)
    return rng.normal(size=(k, p))[codes] * 3 + rng.normal(size=(n, p)), codes


def ids(record: Index) -> str:
    return record.name


# Labels: names and order of instances mean nothing.

NAMES = np.array(["z", "b", "a", "y", "q"])


@pytest.mark.parametrize("record", EXTERNAL, ids=ids)
def test_external_indices_ignore_names_and_order(record: Index) -> None:
    for seed in range(3):
        truth, pred = labels(seed)
        value = record(truth, pred)
        order = np.random.default_rng(seed).permutation(truth.size)
        assert record(truth[order], pred[order]) == pytest.approx(value, **EXACT)
        assert record(NAMES[truth], 7 - 2 * pred) == pytest.approx(value, **EXACT)


# What happens when every instance is there m times: shares stay, counts of pairs do not.
UNCHANGED_BY_COPIES = {
    "purity", "inverse_purity", "classification_error", "larsen_aone", "bcubed_precision", "bcubed_recall",
    "bcubed_f", "element_centric", "pivoted_accuracy", "normalized_accuracy", "adjusted_asymmetric_accuracy",
    "pair_sets_index", "simplified_pair_sets_index", "entropy_true", "entropy_pred", "joint_entropy",
    "mutual_information", "nmi", "nmi_geometric", "nmi_min", "nmi_max", "nmi_joint", "homogeneity", "completeness",
    "v_measure", "variation_of_information", "normalized_variation_of_information",
    "normalized_information_distance",
}  # fmt: skip


def over_copies(record: Index, truth: np.ndarray, pred: np.ndarray, m: int) -> float:
    return record(np.tile(truth, m), np.tile(pred, m))


@pytest.mark.parametrize("record", EXTERNAL, ids=ids)
def test_external_indices_of_copies(record: Index) -> None:
    truth, pred = labels(1)
    value = record(truth, pred)
    counted = record(truth, pred, counts=np.full(truth.size, 3))
    assert counted == pytest.approx(over_copies(record, truth, pred, 3), **EXACT)
    if record.name in UNCHANGED_BY_COPIES:
        assert counted == pytest.approx(value, **EXACT)
    elif record.name == "van_dongen":
        assert counted == pytest.approx(3 * value, **EXACT)
    elif record.name == "mirkin":  # pairs of different originals only, m^2 of each
        assert counted == pytest.approx(9 * value, **EXACT)
    else:  # pairs of an instance with its own copy are joined by both
        assert record.requires[0].__name__ == "PairCounts" or record.name.startswith("ami")
        assert counted != pytest.approx(value, **EXACT)
        limit = over_copies(record, truth, pred, 400), over_copies(record, truth, pred, 800)
        if record.name != "mcnemar":  # grows like the root of the number of pairs
            assert limit[0] == pytest.approx(limit[1], rel=2e-3)


@pytest.mark.parametrize("record", CLASSIFICATION, ids=ids)
def test_scores_of_classifiers(record: Index) -> None:
    truth, pred = labels(2)
    value = record(truth, pred)
    order = np.random.default_rng(0).permutation(truth.size)
    assert record(truth[order], pred[order]) == pytest.approx(value, **EXACT)
    assert record(NAMES[truth], NAMES[pred]) == pytest.approx(value, **EXACT)
    assert record(np.tile(truth, 3), np.tile(pred, 3)) == pytest.approx(value, **EXACT)
    assert record((truth + 1) % 5, (pred + 1) % 5) == pytest.approx(value, **EXACT)


@pytest.mark.parametrize("record", COMPARATIVE, ids=ids)
@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_comparative_measures(record: Index, kind: str) -> None:
    truth, p = labels(3)
    q = labels(4)[1]
    value = record(truth, p, q, kind=kind)
    order = np.random.default_rng(0).permutation(truth.size)
    assert record(truth[order], p[order], q[order], kind=kind) == pytest.approx(value, **EXACT)
    named = record(NAMES[truth], NAMES[p], NAMES[q], kind=kind)
    assert named == pytest.approx(value, **EXACT)
    if kind == "clustering":
        assert record(truth, 9 - p, NAMES[q], kind=kind) == pytest.approx(value, **EXACT)
    swapped = record(truth, q, p, kind=kind)
    if record.name == "comparative_deviation":
        assert swapped == pytest.approx(-value, **EXACT)
    if record.name == "polarization":
        assert math.isfinite(swapped)


# Points.

# The response to multiplying all coordinates by s, for N points, p variables and K clusters.
SCALED: dict[str, Callable[[float, float, int, int, int], float]] = {
    **dict.fromkeys(("ball_hall", "trace_w"), lambda v, s, n, p, k: v * s**2),
    "d_index": lambda v, s, n, p, k: v * s,
    "pbm": lambda v, s, n, p, k: v * s**2,
    "point_biserial": lambda v, s, n, p, k: v * s,
    "hubert_statistic": lambda v, s, n, p, k: v * s**2,
    "sd_dis": lambda v, s, n, p, k: v / s,
    "ksq_detw": lambda v, s, n, p, k: v * s ** (2 * p),
    "banfield_raftery": lambda v, s, n, p, k: v + 2 * n * math.log(s),
    "scott_symons": lambda v, s, n, p, k: v + 2 * n * p * math.log(s),
}
# sd adds two parts, of which only one is free of the unit.
MIXED = {"sd"}
# Not free of the axes: these look at each column's variance.
TURNED = {"ratkowsky_lance", "sd_scat", "sd", "s_dbw"}
# Free of any invertible linear map.
AFFINE = {"det_ratio", "log_det_ratio", "trace_wib"}
# Free of what becomes of distances as long as their order stays.
RANKS = {"gamma", "g_plus", "tau", "tau_c"}
# Single, complete and Hausdorff distances, and means of them, do not see that a point is there twice.
SAME_FOR_COPIES = {
    "ball_hall", "davies_bouldin", "det_ratio", "gdi13", "gdi23", "gdi33", "gdi43", "gdi53", "gdi63", "dunn", "gdi21",
    "gdi31", "gdi41", "gdi51", "gdi61", "wemmert_gancarski", "log_ss_ratio", "pbm", "ratkowsky_lance", "ray_turi",
    "sd", "sd_dis", "sd_scat", "xie_beni", "trace_wib", "d_index", "s_dbw",
}  # fmt: skip
DOUBLED_FOR_COPIES = {"trace_w", "banfield_raftery", "scott_symons", "log_det_ratio"}


def value_of(record: InternalIndex, X: np.ndarray, codes: np.ndarray) -> float:
    return record(X, codes)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_order_names_and_places_do_not_matter(record: InternalIndex) -> None:
    for seed in range(2):
        X, codes = cloud(seed)
        value = value_of(record, X, codes)
        assert math.isfinite(value)
        order = np.random.default_rng(seed).permutation(len(X))
        assert value_of(record, X[order], codes[order]) == pytest.approx(value, **CLOSE)
        assert value_of(record, X, NAMES[codes]) == pytest.approx(value, **CLOSE)
        assert value_of(record, X[:, ::-1], codes) == pytest.approx(value, **CLOSE)
        assert value_of(record, -X, codes) == pytest.approx(value, **CLOSE)
        assert value_of(record, X + np.array([1e3, -50.0, 7.0]), codes) == pytest.approx(value, **CLOSE)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
@pytest.mark.parametrize("s", [2.0, 1e-6, 1e6])
def test_scaling(record: InternalIndex, s: float) -> None:
    X, codes = cloud(5)
    value, scaled = value_of(record, X, codes), value_of(record, X * s, codes)
    if record.name in MIXED:
        assert scaled != pytest.approx(value, rel=1e-3)
        return
    respond = SCALED.get(record.name, lambda v, *_: v)
    expected = respond(value, s, *X.shape, 3)
    assert scaled == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_rotation(record: InternalIndex) -> None:
    X, codes = cloud(6)
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    value, turned = value_of(record, X, codes), value_of(record, X @ turn, codes)
    if record.name in TURNED:
        assert turned != pytest.approx(value, rel=1e-6)
    else:
        assert turned == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_linear_maps(record: InternalIndex) -> None:
    X, codes = cloud(7)
    bent = X @ np.array([[2.0, 0.3, 0.0], [0.0, 0.5, 1.0], [0.7, 0.0, 3.0]])
    value, mapped = value_of(record, X, codes), value_of(record, bent, codes)
    assert (mapped == pytest.approx(value, rel=1e-9)) == (record.name in AFFINE)


@pytest.mark.parametrize("name", sorted(RANKS))
def test_ranks(name: str) -> None:
    X, codes = cloud(8)
    distances = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    record = adjudge.find_index(name, "internal")
    value = value_of(record, X, codes)
    for monotone in (np.sqrt, np.square, np.log1p):
        assert record(monotone(distances), codes, metric="precomputed") == pytest.approx(value, **EXACT)


@pytest.mark.parametrize("record", INTERNAL, ids=ids)
def test_copies_of_all_points(record: InternalIndex) -> None:
    X, codes = cloud(9)
    value, copied = value_of(record, X, codes), value_of(record, np.tile(X, (2, 1)), np.tile(codes, 2))
    if record.name in SAME_FOR_COPIES:
        assert copied == pytest.approx(value, rel=1e-9)
    elif record.name in DOUBLED_FOR_COPIES:
        assert copied == pytest.approx(2 * value, rel=1e-9)
    elif record.name == "calinski_harabasz":
        assert copied == pytest.approx(value * (80 - 3) / (40 - 3), rel=1e-9)
    elif record.name == "ksq_detw":
        assert copied == pytest.approx(value * 2**3, rel=1e-9)
    else:  # pairs of a point with its copy, at distance 0, are new
        assert copied != pytest.approx(value, rel=1e-9)


def test_a_farther_cluster_is_better() -> None:
    """Clusters that do not touch, moved further apart: an improvement to every index with a direction."""
    X, codes = cloud(10)
    X = X + np.array([[0.0, 0, 0], [40, 0, 0], [0, 40, 0]])[codes]
    farther = X + np.array([[0.0, 0, 0], [40, 0, 0], [0, 40, 0]])[codes]
    for record in INTERNAL:
        if record.better is None:
            continue
        before, after = value_of(record, X, codes), value_of(record, farther, codes)
        change = after - before if record.better == "higher" else before - after
        assert change >= -1e-9 * abs(before), record.name
