"""The cubic clustering criterion, Hubert's statistic and the D index on boxes of every shape."""

from __future__ import annotations

import math

import numpy as np
import pytest

import naive_choose_k as naive
from adjudge import find_index
from adjudge.engines.points import reduce_coded_points
from adjudge.statistics.moments import Moments, Scatter
from adjudge.statistics.pair_distances import PairSums

SIDES = [[1.0], [1, 1], [30, 1], [9, 1, 0.1], [5, 5, 1, 0.01], [8, 4, 2, 1, 0.5], [40, 30, 20, 1, 1, 1]]


def ccc(X: np.ndarray, codes: np.ndarray) -> tuple[float, str | None]:
    return find_index("ccc").assess(reduce_coded_points(X, codes, {Scatter})[Scatter])


@pytest.mark.parametrize("sides", SIDES, ids=str)
@pytest.mark.parametrize("k", [2, 3, 4, 7])
def test_cubic_clustering_criterion(sides: list[float], k: int) -> None:
    X = np.random.default_rng(len(sides)).normal(size=(80, len(sides))) * sides
    codes = np.arange(80) % k
    X += 0.7 * codes[:, None] * sides
    value, reason = ccc(X, codes)
    assert value == pytest.approx(naive.ccc(X, {k: codes}, k), rel=1e-9)
    assert reason is None
    # A unit changes nothing, nor does a column that says what another one says.
    assert ccc(X * 1e-3, codes)[0] == pytest.approx(value, rel=1e-9)
    doubled = np.column_stack([X / math.sqrt(2), X / math.sqrt(2)])
    assert ccc(doubled, codes)[0] == pytest.approx(value, rel=1e-6)


def test_reasons_of_the_cubic_clustering_criterion() -> None:
    X = np.random.default_rng(0).normal(size=(6, 2))
    assert ccc(X, np.zeros(6, int))[1] == "there is only one cluster"
    assert ccc(X, np.arange(6))[1] == "every point is its own cluster"
    assert ccc(np.ones((6, 2)), np.arange(6) % 2)[1] == "0/0: all points are equal"
    assert ccc(np.arange(6)[:, None] % 2.0, np.arange(6) % 2)[1] == "no cluster has any dispersion"


def test_a_uniform_box_leaves_some_dispersion_unexplained_for_few_points_too() -> None:
    for n, p in ((3, 1), (3, 4), (4, 2), (6, 9)):
        value, reason = ccc(np.random.default_rng(n).normal(size=(n, p)), np.arange(n) % (n - 1))
        assert math.isfinite(value)
        assert reason is None


def test_distances_of_centroids_weigh_distances_of_points() -> None:
    """A statistic whose sums for pairs of clusters are not kept has no value."""
    X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [6.0, 0.0]])
    codes = np.array([0, 0, 1, 1])
    found = reduce_coded_points(X, codes, {Moments, PairSums})
    gap = math.dist((1.5, 2.0), (6.0, 4.0))
    between = sum(math.dist(X[i], X[j]) for i in (0, 1) for j in (2, 3))
    value = find_index("hubert_statistic").of(found[Moments], found[PairSums])
    assert value == pytest.approx(2 * gap * between / (4 * 3), rel=1e-14)


def test_hubert_without_the_sums_of_each_pair_of_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.engines.pairs.reducers.MATRIX_CLUSTERS", 2)
    X = np.random.default_rng(0).normal(size=(12, 2))
    found = reduce_coded_points(X, np.arange(12) % 4, {Moments, PairSums})
    value, reason = find_index("hubert_statistic").assess(found[Moments], found[PairSums])
    assert math.isnan(value)
    assert reason == "there are too many clusters to keep sums of distances for each pair"
