"""Valleys of density: none on even shapes, however bent; one between clusters."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import KMeans

from adjudge.inference import clusters_test, tree_test
from adjudge.inference.clusters.density_valley import (
    _MOST,
    ValleysOfNull,
    _at_hand,
    valley_p_value,
    valleys_between,
)


def arc(angle: np.ndarray) -> np.ndarray:
    return np.column_stack([np.cos(angle), np.sin(angle)])


@pytest.mark.full
def test_clusters_that_meet_at_a_corner_have_no_valley() -> None:
    """Two hexagons share an edge half as long as they are wide; what fills the corners belongs to others."""
    rng = np.random.default_rng(7)
    X = rng.uniform([-1, -2], [3, 2], (900, 2))
    centres = np.array([[0, 0], [np.sqrt(3), 0], [np.sqrt(3) / 2, 1.5], [np.sqrt(3) / 2, -1.5]])
    codes = ((X[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    found = {(a, b): p for a, b, p in valleys_between(X, codes)}
    assert min(found.values()) > 0.1
    both = codes < 2
    assert valleys_between(X[both], codes[both])[0][2] < 0.05


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("shape", ["arc", "three quarters", "sphere", "box"])
def test_even_shapes_have_no_valley(shape: str) -> None:
    rng = np.random.default_rng(1)
    found = []
    for _ in range(40):
        if shape == "sphere":
            X = rng.normal(size=(100, 3))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
            codes = (X[:, 0] > 0).astype(np.int64)
        elif shape == "box":
            X = rng.uniform(size=(100, 2)) * [3, 1]
            codes = (X[:, 0] > 1.5).astype(np.int64)
        else:
            most = np.pi if shape == "arc" else 1.5 * np.pi
            angle = rng.uniform(0, most, 100)
            X, codes = arc(angle) + rng.normal(0, 0.05, (100, 2)), (angle > most / 2).astype(np.int64)
        found.append(valley_p_value(valleys_between(X, codes)))
    # At the level, 6 of 40 come less than once in fifty times.
    assert np.sum(np.array(found) <= 0.05) < 6


def test_clusters_on_a_curve_have_a_valley() -> None:
    rng = np.random.default_rng(2)
    angle = np.concatenate([rng.uniform(0, 1.2, 60), rng.uniform(1.9, 3.1, 60)])
    X = arc(angle) + rng.normal(0, 0.05, (120, 2))
    assert valley_p_value(valleys_between(X, np.repeat([0, 1], 60))) < 0.01


def test_a_small_cluster_counts() -> None:
    """In the dip of all points it would hardly be seen."""
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(0, 1, (270, 2)), rng.normal([7, 0], 1, (30, 2))])
    assert valley_p_value(valleys_between(X, np.repeat([0, 1], [270, 30]))) < 0.05


def test_each_neighbour_has_a_valley_of_its_own() -> None:
    rng = np.random.default_rng(4)
    even = rng.uniform(size=(120, 2)) * [2, 1]
    X = np.concatenate([even, rng.uniform([4, 0], [5, 1], (60, 2))])
    codes = np.concatenate([(even[:, 0] > 1).astype(np.int64), np.full(60, 2)])
    found = valleys_between(X, codes)
    assert [(a, b) for a, b, _ in found] == [(0, 1), (1, 2)]
    assert found[0][2] > 0.1
    assert found[1][2] < 0.01
    assert valley_p_value(found) == pytest.approx(2 * found[1][2])


def test_p_values_of_valleys_are_combined_by_simes() -> None:
    assert valley_p_value([]) == 1.0
    assert valley_p_value([(0, 1, 0.02), (1, 2, 1.0), (2, 3, 0.03)]) == pytest.approx(0.045)
    assert valley_p_value([(0, 1, 0.01), (1, 2, 1.0)]) == pytest.approx(0.02)


def test_valleys_are_compared_with_those_of_data_without_clusters() -> None:
    shallow, deep, none = [(0, 1, 0.03)], [(0, 1, 0.01)], [(0, 1, 0.5)]
    found = ValleysOfNull(shallow)
    for _ in range(10):
        found.add(none)
    assert found.p_value == 0.03
    found.add(shallow)
    assert found.p_value == 2 / 12
    for _ in range(9):
        assert found.open
        found.add(deep)
    assert not found.open
    assert found.p_value == 10 / 20
    assert not ValleysOfNull(none).open


def test_of_many_other_clusters_the_near_ones_are_at_hand() -> None:
    clusters = [np.full((400, 2), [float(c), 0.0]) for c in range(8)]
    centroids = np.array([own.mean(axis=0) for own in clusters])
    points, sides = _at_hand(clusters, centroids, 5, 6)
    assert np.bincount(sides).tolist() == [400, 400, 1000]
    where, count = np.unique(points[sides == 2, 0], return_counts=True)
    assert (where.tolist(), count.tolist()) == ([3.0, 4.0, 7.0], [200, 400, 400])
    large = [np.repeat(own, 10, axis=0) for own in clusters]
    points, sides = _at_hand(large, centroids, 0, 1)
    # Thinned alike: an eighth of each.
    assert np.bincount(sides).tolist() == [500, 500, 1000]


def test_small_clusters_beside_a_large_one_take_no_memory_for_it() -> None:
    rng = np.random.default_rng(13)
    X = np.concatenate([rng.normal([c, 0], 0.3, (30, 2)) for c in (0, 4)] + [rng.normal(8, 1, (200_000, 2))])
    found = valleys_between(X, np.repeat([0, 1, 2], [30, 30, 200_000]))
    assert {(a, b) for a, b, _ in found} == {(0, 1), (1, 2)}
    assert max(p for *_, p in found) < 0.05


@pytest.mark.full
def test_small_nodes_of_a_tree_can_be_split() -> None:
    """Their level is below what a hundred draws can show."""
    rng = np.random.default_rng(11)
    centres = np.array([(0, 0), (9, 0), (100, 0), (200, 0)])
    X = centres[np.repeat([0, 1, 2, 3], [20, 20, 120, 120])] + rng.normal(size=(280, 2))
    found = tree_test(X, n_samples=20, random_state=0, progress=False)
    assert found.n_clusters == 4
    assert min(split.level for split in found.splits if split.significant) < 1 / 21


@pytest.mark.full
def test_a_direction_found_in_many_variables_is_no_valley() -> None:
    X = np.random.default_rng(10).normal(size=(200, 40))
    found = clusters_test(
        X,
        KMeans(2, n_init=2, random_state=0),
        nulls=["gaussian"],
        n_samples=19,
        random_state=0,
        progress=False,
    )
    assert found.valleys is not None
    assert valley_p_value(found.valleys) < 0.01
    assert found.valley_p_value is not None
    assert found.valley_p_value > 0.2


@pytest.mark.full
def test_sixty_clusters_can_be_found() -> None:
    rng = np.random.default_rng(9)
    X = np.repeat(10.0 * np.arange(60), 40)[:, None] + rng.normal(size=(2400, 2))
    assert valley_p_value(valleys_between(X, np.repeat(np.arange(60), 40))) < 0.01


def test_many_points_are_thinned_and_few_say_nothing() -> None:
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(0, 1, (9 * _MOST, 2)), rng.normal([8, 0], 1, (_MOST, 2))])
    assert valley_p_value(valleys_between(X, np.repeat([0, 1], [9 * _MOST, _MOST]))) < 0.01
    assert valley_p_value(valleys_between(X[-40:], np.repeat([0, 1], [37, 3]))) == 1.0
    assert valley_p_value(valleys_between(X[:9], np.zeros(9, np.int64))) == 1.0
    copies = np.repeat([[0.0, 0.0], [5.0, 0.0]], 30, axis=0)
    assert valley_p_value(valleys_between(copies, np.repeat([0, 1], 30))) < 0.05
