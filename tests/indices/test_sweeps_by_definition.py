"""NCI and CVNN from plain sums over points, and weights of points and labels as copies of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import adjudge
from adjudge import find_index
from adjudge.engines.labellings import sweep_of_labels
from adjudge.indices.cvnn_index import cvnn_of
from adjudge.indices.record import Noted

Labels = dict[int, np.ndarray]


def grown(n: int, kinds: int, seed: int) -> tuple[np.ndarray, Labels]:
    """Points, and partitions by their order along the first axis, from one cluster on; each worse for odd seeds."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 2.0 * rng.integers(0, 3, n)[:, None]
    ranks = np.argsort(np.argsort(X[:, 0]))
    labels = {k: ranks * k // n for k in range(1, kinds + 1)}
    if seed % 2:
        for k, codes in labels.items():
            moved = rng.permutation(n)[: n * (k - 1) // kinds]
            codes[moved] = codes[rng.permutation(moved)]
    return X, labels


def correlation(X: np.ndarray, codes: np.ndarray) -> float:
    k = codes.max() + 1
    if k == 1:
        away = np.linalg.norm(X - X.mean(axis=0), axis=1)
        return float(away.std(ddof=1) / (away.max() - away.min()))
    centres = np.array([X[codes == c].mean(axis=0) for c in range(k)])[codes]
    return float(np.corrcoef(pdist(X), pdist(centres))[0, 1])


def nci_by_definition(X: np.ndarray, labels: Labels) -> dict[int, float]:
    value = {k: correlation(X, codes) for k, codes in labels.items()}
    gain = {k: (value[k + 1] - value[k]) / (1 - value[k]) for k in value if k + 1 in value}
    ks = [k for k in value if k - 1 in gain and k in gain]
    ratio = {k: gain[k - 1] / gain[k] if gain[k] > 0 else math.copysign(math.inf, gain[k - 1]) for k in ks}
    finite = [r for r in ratio.values() if math.isfinite(r)]
    if len(finite) == len(ks):
        return ratio
    if not finite:
        return dict.fromkeys(ks, math.nan)
    ends = {math.inf: max(finite), -math.inf: min(finite)}
    return {k: ends.get(r, r) + gain[k - 1] - gain[k] for k, r in ratio.items()}


@pytest.mark.parametrize("seed", range(6))
def test_nci(seed: int) -> None:
    X, labels = grown(40, 7, seed)
    expected = nci_by_definition(X, labels)
    found = adjudge.nci(X, labels)
    assert set(found) >= set(expected)
    for k, value in expected.items():
        assert found[k] == pytest.approx(value, rel=1e-9, nan_ok=True), k


def test_the_quotients_of_nci_are_infinite_in_both_directions() -> None:
    """Else the replacement of one of them is not seen."""
    kinds = set()
    for seed in range(6):
        X, labels = grown(40, 7, seed)
        value = {k: correlation(X, codes) for k, codes in labels.items()}
        rises = {k: value[k + 1] > value[k] for k in value if k + 1 in value}
        kinds |= {rises[k - 1] for k in rises if k - 1 in rises and not rises[k]}
    assert kinds == {True, False}


def test_an_undefined_correlation_leaves_the_other_quotients_of_nci_alone() -> None:
    """Clusters whose centroids coincide have no correlation; it counted as an infinite quotient."""
    half = np.random.default_rng(0).integers(-9, 10, size=(20, 2)) * [3.0, 1.0]
    X = np.r_[half, -half]
    ranks = np.argsort(np.argsort(X[:, 0]))
    labels = {k: ranks * k // 40 for k in (1, 2, 3, 4)}
    before = nci_by_definition(X, labels)
    assert all(map(math.isfinite, before.values()))
    found = adjudge.nci(X, {**labels, 5: np.arange(40) % 20 % 5})
    assert math.isnan(found[4])
    assert {k: found[k] for k in before} == pytest.approx(before)


def test_centroids_that_coincide_up_to_rounding_have_no_correlation() -> None:
    half = np.random.default_rng(0).normal(size=(20, 2))
    assert math.isnan(adjudge.centroid_correlation(np.r_[half, -half], np.arange(40) % 20 % 5))
    assert math.isnan(adjudge.centroid_correlation(1e-50 * np.r_[half, -half], np.arange(40) % 20 % 5))


def test_nci_without_a_finite_quotient_or_without_a_correlation() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    same = {k: np.arange(4) % k for k in (1, 2, 3)}
    record = find_index("nci")
    equal = sweep_of_labels(np.zeros((4, 1)), same, record.reads, record.neighbours)  # type: ignore[attr-defined]
    (none,) = {value.reason for value in record.over(equal).values() if isinstance(value, Noted)}  # type: ignore[attr-defined]
    assert none == "a correlation is undefined"
    worse = {1: np.zeros(4, int), 2: np.array([0, 0, 1, 1]), 3: np.array([0, 1, 2, 0])}
    assert correlation(X, worse[3]) < correlation(X, worse[2])
    found = record.over(sweep_of_labels(X, worse, record.reads, record.neighbours))[2]  # type: ignore[attr-defined]
    assert isinstance(found, Noted)
    assert found.reason == "no partition has a finite quotient"


def cvnn_by_definition(
    X: np.ndarray, labels: Labels, n_neighbors: int, compactness: str, limit_to_size: bool
) -> dict[int, float]:
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1, kind="stable")
    foreign, compact = {}, {}
    for k, codes in labels.items():
        shares = []
        for c in range(codes.max() + 1):
            others = max(1, (codes == c).sum() - 1)
            m = min(n_neighbors, others) if limit_to_size else n_neighbors
            shares.append((codes[near[codes == c, :m]] != c).mean())
        foreign[k] = max(shares)
        within = [pdist(X[codes == c]) for c in range(codes.max() + 1)]
        if compactness == "sum":
            compact[k] = sum(own.mean() for own in within if own.size)
        else:
            compact[k] = np.concatenate(within).mean()
    most, widest = max(foreign.values()), max(compact.values())
    return {k: foreign[k] / most + compact[k] / widest for k in labels}


@pytest.mark.parametrize("compactness", ["pooled", "sum"])
@pytest.mark.parametrize("n_neighbors", [3, 10])
@pytest.mark.parametrize("limit_to_size", [True, False])
def test_cvnn(n_neighbors: int, compactness: str, limit_to_size: bool) -> None:
    X, labels = grown(40, 6, 3)
    # A cluster of one point, and one of two.
    small = labels[4].copy()
    small[[0, 1, 2]] = 4, 5, 5
    chosen = {2: labels[2], 4: labels[4], 6: small}
    expected = cvnn_by_definition(X, chosen, n_neighbors, compactness, limit_to_size)
    options = {"n_neighbors": n_neighbors, "compactness": compactness, "limit_to_size": limit_to_size}
    assert adjudge.cvnn(X, chosen, **options) == pytest.approx(expected)


def test_small_clusters_that_are_far_from_others_do_not_count_against_a_partition() -> None:
    """Ten neighbours of five points that are far from all others lie mostly in other clusters."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, size=(n, 2)) for m, n in ((0, 40), (5, 40), (10, 5))])
    three = np.repeat([0, 1, 2], [40, 40, 5])
    partitions = {2: np.minimum(three, 1), 3: three, 4: np.where(np.arange(85) < 20, 3, three)}
    published = adjudge.cvnn(X, partitions, limit_to_size=False)
    found = adjudge.cvnn(X, partitions)
    assert min(published, key=published.__getitem__) == 2
    assert min(found, key=found.__getitem__) == 3


def test_reasons_of_cvnn() -> None:
    none = Noted(math.nan, "no cluster has two points")
    found: Any = cvnn_of({"a": (0.5, 2.0), "b": (0.25, none), "c": (0.25, 4.0), "d": (0.0, 0.0)})
    assert (found["a"], found["c"], found["d"]) == (1 + 0.5, 0.5 + 1, 0.0)
    assert (math.isnan(found["b"].value), found["b"].reason) == (True, "no cluster has two points")
    for parts in ({"a": (0.0, 2.0)}, {"a": (0.5, 0.0)}, {"a": (0.5, none)}):
        alone: Any = cvnn_of(parts)["a"]  # type: ignore[arg-type]
        assert alone.reason == "0/0: no near neighbour of any of the partitions lies in another cluster"
    X, labels = grown(8, 3, 0)
    record = find_index("cvnn")
    sweep = sweep_of_labels(X, {k: labels[k] for k in (2, 3)}, record.reads, (), 7)  # type: ignore[attr-defined]
    few = record.over(sweep, n_neighbors=8, limit_to_size=False)  # type: ignore[attr-defined]
    assert {(k, own.reason) for k, own in few.items() if isinstance(own, Noted)} == {
        (2, "a point has only 7 others"),
        (3, "a point has only 7 others"),
    }
    # By default no cluster is asked for more neighbours than it has points.
    assert record.over(sweep, n_neighbors=8) == cvnn_by_definition(  # type: ignore[attr-defined]
        X, {k: labels[k] for k in (2, 3)}, 8, "pooled", True
    )
