"""Statistics of samples scaled to all points: nothing changes if all were drawn, and shares that differ are weighed."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge.engines.points import reduce_coded_points
from adjudge.inference.points.scaled_statistics import scaled_up
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, PairSums, Silhouettes
from adjudge.statistics.prototypes import DistanceSquares

TYPES = {PairRanks, DistanceTies, PairSums, Silhouettes, DistanceSquares}


def near(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    codes = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 2 * codes[:, None], codes


def test_all_points_are_scaled_to_themselves() -> None:
    X, codes = near(60, 3)
    found = reduce_coded_points(np.round(X), codes, TYPES)
    sizes = np.bincount(codes)
    scaled = scaled_up(found, sizes, sizes)
    assert vars_of(scaled[PairRanks]) == vars_of(found[PairRanks])
    assert scaled[DistanceTies].tied == found[DistanceTies].tied
    assert scaled[DistanceSquares].total == found[DistanceSquares].total
    np.testing.assert_allclose(scaled[PairSums].matrix, found[PairSums].matrix, rtol=1e-13)
    assert scaled[PairSums].between == pytest.approx(found[PairSums].between, rel=1e-13)
    assert scaled[Silhouettes].mean == pytest.approx(found[Silhouettes].mean, rel=1e-13)


def vars_of(ranks: PairRanks) -> tuple[int, ...]:
    return ranks.n_within, ranks.n_between, ranks.s_plus, ranks.s_minus, ranks.ties


def test_pairs_of_clusters_count_as_often_as_among_all_points() -> None:
    X, codes = near(30, 3)
    often = np.array([1, 4, 7])[codes]
    drawn, sizes = np.bincount(codes), np.bincount(codes, often)
    scaled = scaled_up(reduce_coded_points(X, codes, {PairSums, Silhouettes}), drawn, sizes.astype(np.int64))
    # Points that stand for several have the sums between clusters of as many equal ones.
    repeated = reduce_coded_points(np.repeat(X, often, axis=0), np.repeat(codes, often), {PairSums})[PairSums]
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(scaled[PairSums].matrix[off], repeated.matrix[off], rtol=1e-12)
    assert scaled[PairSums].between == pytest.approx(repeated.between, rel=1e-12)
    assert scaled[PairSums].n_within == repeated.n_within
    widths = reduce_coded_points(X, codes, {Silhouettes})[Silhouettes]
    assert scaled[Silhouettes].mean == pytest.approx(np.average(widths.of_clusters, weights=sizes), rel=1e-12)


@pytest.mark.parametrize("index", ["tau", "point_biserial"])
def test_intervals_of_many_clusters_hold_the_value_of_all_points(index: str) -> None:
    """In a sample, a smaller share of the pairs is within clusters, and halves take only a part of that away."""
    held = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 50, 3000)
        X = rng.normal(size=(50, 10))[codes] * 1.5 + rng.normal(size=(3000, 10))
        options = {"X": X, "labels": codes, "indices": [index], "progress": False}
        score = adjudge.evaluate(**options, sample_size=250, random_state=seed).score(index)
        held += score.low <= adjudge.evaluate(**options)[index] <= score.high
    assert held >= 7
