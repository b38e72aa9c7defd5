"""Internal criteria against their definitions, and against scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adjudge
import naive_internal
from adjudge.engines.pairs import strips
from adjudge.engines.pairs import tiles as tiling
from adjudge.engines.points import reduce_coded_points
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index, list_indices
from adjudge.statistics.moments import CentroidDistances, Moments, need_coordinates
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from naive_distances import cloud
from naive_internal import TWINS, Partition

INTERNAL = [record for record in list_indices("internal") if record.name in naive_internal.TWINS]
EVERYTHING = {t for record in INTERNAL for t in record.requires}


DATA: dict[str, Callable[[], tuple[np.ndarray, np.ndarray]]] = {
    "plane": lambda: cloud(41, 2, 4, 0),
    "line": lambda: cloud(23, 1, 3, 1),
    "space": lambda: cloud(35, 3, 3, 2),
    "five_dimensions": lambda: cloud(40, 5, 4, 3),
    "overlap": lambda: cloud(30, 2, 3, 4, spread=0.0),
    "singletons": lambda: (cloud(12, 2, 3, 5)[0], np.array([0, 0, 1, 1, 1, 2, 3, 0, 1, 4, 0, 1])),
    "grid": lambda: (np.array([(i, j) for i in range(5) for j in range(5)], float), np.arange(25) % 3),
    "duplicates": lambda: (np.repeat(cloud(9, 2, 2, 6)[0], 3, axis=0), np.repeat(np.arange(9) % 3, 3)),
    "one_cluster": lambda: (cloud(9, 2, 1, 7)[0], np.zeros(9, int)),
    "every_point": lambda: (cloud(7, 2, 1, 8)[0], np.arange(7)),
    "two_points": lambda: (np.array([[0.0, 1.0], [3.0, 5.0]]), np.array([0, 1])),
    "one_point": lambda: (np.array([[0.0, 1.0]]), np.array([0])),
    "constant_column": lambda: (
        np.column_stack([cloud(20, 2, 3, 9)[0], np.full(20, 0.1)]),
        np.arange(20) % 3,
    ),
    "equal_points": lambda: (np.full((6, 2), 0.1), np.arange(6) % 2),
}


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("data", DATA)
def test_definitions(data: str) -> None:
    X, codes = DATA[data]()
    twin = Partition(X.tolist(), codes.tolist())
    statistics = reduce_coded_points(X, codes, EVERYTHING)
    assert sorted(TWINS) == sorted(record.name for record in INTERNAL)
    for record in INTERNAL:
        value, reason = record.assess(*(statistics[t] for t in record.requires))
        expected = TWINS[record.name](twin)
        assert value == pytest.approx(expected, rel=1e-10, abs=1e-12, nan_ok=True), record.name
        low, high = record.range
        assert math.isnan(value) or low <= value <= high, record.name
        assert (reason is None) == math.isfinite(value), record.name
    ranks = statistics[PairRanks]
    assert (ranks.s_plus, ranks.s_minus, ranks.ties) == naive_internal.rank_counts(twin)
    assert statistics[DistanceTies].tied == naive_internal.tied_pairs(twin)


@pytest.mark.full
def test_strips_of_every_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large clusters in several strips and tiles, and small ones that share a strip."""
    monkeypatch.setattr(strips, "strip_points", lambda n: 50)
    monkeypatch.setattr(strips, "_CLUSTERS", 4)
    monkeypatch.setattr(tiling, "_WIDE", 24)
    monkeypatch.setattr(tiling, "_NARROW", 16)
    monkeypatch.setattr(tiling, "_IN_CACHE", 0)
    rng = np.random.default_rng(3)
    sizes = [90, 3, 41, 17, 1, 60, 9, 2, 5, 30]
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(codes.size, 3)) + codes[:, None] * 0.3
    twin = Partition(X.tolist(), codes.tolist())
    found = reduce_coded_points(X, codes, EVERYTHING)
    for record in INTERNAL:
        if record.family != "rank correlation" and record.name != "c_index":
            expected = TWINS[record.name](twin)
            assert record.of(*(found[t] for t in record.requires)) == pytest.approx(
                expected, rel=1e-10, nan_ok=True
            ), record.name
    _assert_matrices(found, twin)
    within, between = np.sort(twin.within()), np.sort(twin.between())
    below = np.searchsorted(between, within, "left")
    assert found[PairRanks].s_minus == int(below.sum())
    # The same with the distances given.
    D = np.array([[naive_internal.euclidean(x, y) for y in X.tolist()] for x in X.tolist()])
    given = reduce_coded_points(
        D, codes, EVERYTHING - need_coordinates(EVERYTHING), PointOptions(metric="precomputed")
    )
    _assert_matrices(given, twin)
    assert given[PairRanks] == found[PairRanks] or given[PairRanks].s_minus == found[PairRanks].s_minus


def _assert_matrices(found: dict[type, Any], twin: Partition) -> None:
    for type_, u in ((SingleLinkage, 1), (CompleteLinkage, 2), (Hausdorff, 6)):
        expected = [
            [naive_internal.between_distance(twin, u, k, m) if k != m else 0.0 for m in twin.names]
            for k in twin.names
        ]
        np.testing.assert_allclose(found[type_].matrix, expected, rtol=1e-12)
    np.testing.assert_allclose(
        found[Diameters].values, [naive_internal.cluster_diameter(twin, 1, k) for k in twin.names], rtol=1e-12
    )
    np.testing.assert_allclose(found[Silhouettes].values, naive_internal.silhouette_widths(twin), rtol=1e-10)
    sums = found[PairSums]
    for a, k in enumerate(twin.names):
        for b, m in enumerate(twin.names):
            pairs = [twin.d(i, j) for i in twin.members[k] for j in twin.members[m] if k != m or i < j]
            assert sums.matrix[a, b] == pytest.approx(sum(pairs), rel=1e-11)
    assert sums.between == pytest.approx(sum(twin.between()), rel=1e-11)


def test_more_clusters_than_matrices_are_kept_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.engines import centroid_pass
    from adjudge.engines.pairs import pair_pass, reducers

    X, codes = cloud(60, 2, 12, 4)
    whole = reduce_coded_points(X, codes, EVERYTHING)
    for module in (pair_pass, reducers):
        monkeypatch.setattr(module, "MATRIX_CLUSTERS", 5)
    monkeypatch.setattr(centroid_pass, "_COUNTED", 5)
    parts = reduce_coded_points(X, codes, EVERYTHING)
    assert parts[SingleLinkage].matrix is None
    assert parts[PairSums].matrix is None
    for record in INTERNAL:
        value = record.of(*(whole[t] for t in record.requires))
        assert record.of(*(parts[t] for t in record.requires)) == pytest.approx(value, rel=1e-13), record.name


def test_silhouette_keeps_its_digits_at_an_offset() -> None:
    X, labels = cloud(120, 2, 3, 1)
    X = np.round(X * 2**20) / 2**20  # so that the offset changes no digit
    assert adjudge.silhouette(X + 2.0**27, labels) == adjudge.silhouette(X, labels)
    assert adjudge.trace_w(X + 2.0**27, labels) == pytest.approx(adjudge.trace_w(X, labels), rel=1e-12)


def test_single_precision_is_summed_up_in_double() -> None:
    X, labels = cloud(300, 3, 4, 1)
    single = X.astype(np.float32)
    for name in ("silhouette", "trace_w", "dunn", "gamma", "det_ratio"):
        index = find_index(name)
        assert index(single, labels) == index(single.astype(np.float64), labels)


def test_one_statistic_at_a_time_gives_the_same_digits() -> None:
    X, codes = cloud(200, 3, 5, 8)
    together = reduce_coded_points(X, codes, EVERYTHING)
    for record in INTERNAL:
        alone = reduce_coded_points(X, codes, record.requires)
        assert set(alone) == set(record.requires)
        assert record.of(*(alone[t] for t in record.requires)) == pytest.approx(
            record.of(*(together[t] for t in record.requires)), rel=1e-13
        ), record.name


def test_no_pass_over_pairs_for_what_centroids_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.engines.pairs import reduction

    monkeypatch.setattr(reduction, "make", None)
    X, codes = cloud(50, 2, 3, 1)
    assert set(reduce_coded_points(X, codes, {Moments, CentroidDistances})) == {Moments, CentroidDistances}


def test_moments_of_parts_add_up() -> None:
    X, codes = cloud(200, 3, 4, 2)
    X += 1e6
    codes[:100] %= 3  # one cluster is missing from the first part

    def moments(rows: slice) -> Moments:
        part, own = X[rows], codes[rows]
        found = reduce_coded_points(part, np.unique(own, return_inverse=True)[1], {Moments})[Moments]
        present = np.unique(own)
        sizes, centroids, squares = np.zeros(4, np.int64), np.zeros((4, 3)), np.zeros((4, 3))
        sizes[present], centroids[present], squares[present] = found.sizes, found.centroids, found.squares
        return Moments(sizes, found.origin, centroids, squares)

    whole, merged = moments(slice(None)), moments(slice(100)) + moments(slice(100, None))
    np.testing.assert_array_equal(merged.sizes, whole.sizes)
    np.testing.assert_allclose(merged.centroids + merged.origin, whole.centroids + whole.origin, rtol=1e-14)
    np.testing.assert_allclose(merged.squares, whole.squares, rtol=1e-8)
    np.testing.assert_allclose(merged.total_columns, whole.total_columns, rtol=1e-8)
    np.testing.assert_allclose(merged.between, whole.between, rtol=1e-8)
