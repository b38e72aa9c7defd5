"""Davies-Bouldin: the largest overlaps have the digits of a comparison of all pairs of clusters."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import distance

import adjudge
from adjudge.engines import centroid_pass
from adjudge.engines.centroid_pass import _any_coincide, _largest_overlaps
from adjudge.engines.running.executor import Crew
from adjudge.metrics import davies_bouldin_score


def by_definition(centroids: np.ndarray, radii: np.ndarray) -> np.ndarray:
    worst = np.zeros(radii.size)
    for k in range(radii.size):
        squares = np.zeros(radii.size)
        for column in centroids.T:
            squares += (column[k] - column) ** 2
        distances, together = np.sqrt(squares), radii[k] + radii
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where((distances == 0) & (together == 0), 0.0, together / distances)
        worst[k] = np.delete(ratios, k).max(initial=0.0)
    return worst


def radii_of(kind: str, rng: np.random.Generator, k: int) -> np.ndarray:
    return {
        "alike": rng.uniform(0.1, 0.2, k),
        "of all magnitudes": np.exp(rng.normal(0, 6, k)),
        "few": np.where(np.arange(k) % 50 == 0, rng.uniform(0, 1, k), 0.0),
        "none": np.zeros(k),
    }[kind]


@pytest.mark.full(keep=12)
@pytest.mark.parametrize("p", [1, 2, 4, 7, 10])
@pytest.mark.parametrize("k", [1, 2, 127, 1500])
@pytest.mark.parametrize("radii", ["alike", "of all magnitudes", "few", "none"])
def test_the_largest_overlaps_have_the_digits_of_a_comparison_of_all(radii: str, k: int, p: int) -> None:
    rng = np.random.default_rng(k + p)
    centroids, r = rng.normal(size=(k, p)) * [1.0, 5.0, *[0.1] * 8][:p], radii_of(radii, rng, k)
    found = _largest_overlaps(centroids, r, Crew.of(2, None))
    np.testing.assert_array_equal(found, by_definition(centroids, r))
    np.testing.assert_array_equal(found, _largest_overlaps(centroids, r, Crew.of(1, None)))


def test_coinciding_centroids_overlap_without_bound() -> None:
    rng = np.random.default_rng(0)
    centroids = rng.integers(0, 12, (600, 2)).astype(float)
    r = np.where(np.arange(600) % 3 == 0, 0.0, 1.0)
    np.testing.assert_array_equal(
        _largest_overlaps(centroids, r, Crew.of(2, None)), by_definition(centroids, r)
    )


def test_points_that_are_equal() -> None:
    assert _any_coincide(np.array([[1.0, 2.0], [3.0, 2.0], [1.0, 2.0]]))
    assert _any_coincide(np.array([[0.0, -0.0], [-0.0, 0.0]]))
    assert not _any_coincide(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not _any_coincide(np.empty((0, 2)))


@pytest.mark.parametrize("twins", [False, True])
def test_clusters_of_equal_points_in_one_place(twins: bool) -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 5.0], [5.0, 5.0 if twins else 6.0]])
    labels = [0, 0, 1, 1, 2]
    assert np.isnan(adjudge.davies_bouldin(X, labels)) == twins
    expected = by_definition(np.array([[0.0, 0.5], [5.0, 5.0], X[4]]), np.array([0.5, 0.0, 0.0])).mean()
    assert davies_bouldin_score(X, labels) == pytest.approx(expected)


def test_single_points_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 2))
    labels = np.where(np.arange(4000) < 400, np.arange(4000) % 4, np.arange(4000))
    compared: list[int] = []
    kernel = distance.cdist
    monkeypatch.setattr(distance, "cdist", lambda a, b: compared.append(len(a)) or kernel(a, b))
    value = adjudge.davies_bouldin(X, labels)
    assert sum(compared) == 4
    clusters = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(clusters)
    centroids = np.column_stack([np.bincount(clusters, x) / sizes for x in X.T])
    r = np.bincount(clusters, np.sqrt(((X - centroids[clusters]) ** 2).sum(axis=1))) / sizes
    assert value == pytest.approx(by_definition(centroids, r).mean(), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 40])
def test_the_smallest_pooled_mean_is_that_of_one_of_all_pairs(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(50):
        sizes = rng.integers(1, 30, k).astype(float)
        sums = np.where(sizes == 1, 0.0, sizes * rng.exponential(size=k))
        first, second = np.triu_indices(k, 1)
        pooled = (sums[first] + sums[second]) / (sizes[first] + sizes[second])
        assert centroid_pass._smallest_pooled(sums, sizes) == pytest.approx(pooled.min(), rel=1e-14)
