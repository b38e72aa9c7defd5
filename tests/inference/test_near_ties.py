"""Whether it is clear what an index picks, beside the definitions, one pair and one side at a time."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from adjudge.inference.points.near_ties import box_is_clear, farthest_is_clear, nearest_apart

Points = np.ndarray


def farthest_by_definition(points: Points, codes: Points) -> bool:
    """Two errors of both distances lie between the largest distance of centroids and each other one."""
    found = []
    for i, j in itertools.combinations(range(codes.max() + 1), 2):
        away = points[codes == j].mean(axis=0) - points[codes == i].mean(axis=0)
        distance = math.sqrt(away @ away)
        variance = 0.0
        for own in (points[codes == i], points[codes == j]):
            along = (own - own.mean(axis=0)) @ away / distance
            variance += sum(along**2) / len(own) ** 2
        found.append((distance, variance))
    largest, *others = sorted(found, reverse=True)
    return all(largest[0] - far > 2 * math.sqrt(largest[1] + variance) for far, variance in others)


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_farthest_clusters_by_definition(k: int) -> None:
    rng, answers = np.random.default_rng(k), []
    for _ in range(60):
        codes = np.r_[np.repeat(np.arange(k), 2), rng.integers(0, k, 10)]
        points = rng.normal(size=(codes.size, 2)) * (1, 3) + rng.normal(size=(k, 2))[codes] * 8
        answers.append(farthest_by_definition(points, codes))
        assert farthest_is_clear(points, codes) == answers[-1]
        assert farthest_is_clear(points / 100, codes) == answers[-1]
    assert all(answers) if k == 2 else 10 < sum(answers) < 50


def test_clusters_at_one_place_are_no_farther_apart() -> None:
    at = np.array([[0.0, 0.0], [0.0, 0.0], [9.0, 0.0], [0.0, 0.0]])
    around = np.array([[0.0, 0.1], [0.0, -0.1]])
    points = (at[:, None] + around).reshape(-1, 2)
    assert not farthest_is_clear(points, np.repeat([0, 1, 2, 3], 2))
    assert farthest_is_clear(points[:6], np.repeat([0, 0, 1], 2))


def box_by_definition(points: Points, k: int) -> bool:
    """Two errors lie between a side and a cube, of the last side that counts and of those that do not."""
    n, p = points.shape
    centred = points - points.mean(axis=0)
    values, axes = np.linalg.eigh(centred.T @ centred / n)
    lengths = [(math.sqrt(values[p - 1 - j]), centred @ axes[:, p - 1 - j]) for j in range(min(p, k - 1))]
    longer, errors = [], []
    for d in range(1, len(lengths) + 1):
        sides = [side for side, _ in lengths[:d]]
        cube = (math.prod(sides) / k) ** (1 / d)
        longer.append(math.log(sides[-1] / cube))
        moved = [(along / side) ** 2 / 2 for side, along in lengths[:d]]
        errors.append(np.std(moved[-1] - np.mean(moved, axis=0)) / math.sqrt(n))
    last = max(d for d in range(len(lengths)) if longer[d] >= 0)
    return all(abs(longer[d]) > 2 * errors[d] for d in range(max(last, 1), len(lengths)))


@pytest.mark.parametrize(("p", "k"), [(1, 5), (4, 2), (2, 5), (3, 5), (5, 4), (6, 12)])
def test_the_box_by_definition(p: int, k: int) -> None:
    rng, answers = np.random.default_rng(p), []
    for _ in range(60):
        points = rng.normal(size=(40, p)) * np.exp(-rng.uniform(0, 2) * np.arange(p)) + 5
        answers.append(box_by_definition(points, k))
        assert box_is_clear(points, k) == answers[-1]
    assert all(answers) if min(p, k - 1) == 1 else 5 < sum(answers) < 57


def test_directions_without_any_extent_are_no_sides() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        points = rng.normal(size=(40, 2)) * (1, rng.uniform(0.1, 0.6))
        flat = np.column_stack([points, np.ones((40, 2))]) @ np.linalg.qr(rng.normal(size=(4, 4)))[0]
        assert box_is_clear(flat, 6) == box_is_clear(points, 6)


def nearest_by_definition(points: Points, codes: Points) -> float:
    """The distance in errors of a difference of means, of the pairs that Davies-Bouldin and Ray-Turi may read."""
    clusters = [points[codes == cluster] for cluster in range(codes.max() + 1)]
    found = []
    for i, own in enumerate(clusters):
        pairs = []
        for j, other in enumerate(clusters):
            if i == j:
                continue
            distance = math.dist(own.mean(axis=0), other.mean(axis=0))
            radii = [math.sqrt(part.var(axis=0).sum()) for part in (own, other)]
            error = math.sqrt(sum(part.var(axis=0, ddof=1).sum() / len(part) for part in (own, other)))
            pairs.append((distance, sum(radii) / distance, distance / error))
        found += [min(pairs)[2], max(pairs, key=lambda pair: pair[1])[2]]
    return min(found)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_near_centroids_by_definition(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(20):
        codes = np.r_[np.repeat(np.arange(k), 2), rng.integers(0, k, 20)]
        points = rng.normal(size=(codes.size, 3)) * (1, 2, 3) + rng.normal(size=(k, 3))[codes] * 4
        assert nearest_apart(points, codes) == pytest.approx(nearest_by_definition(points, codes))


def test_centroids_of_points_that_coincide_are_apart_or_are_not() -> None:
    points = np.array([[0.0, 0.0], [0.0, 0.0], [3.0, 4.0], [3.0, 4.0]])
    assert nearest_apart(points, np.array([0, 0, 1, 1])) == math.inf
    assert nearest_apart(np.array([[-1.0], [1.0], [-2.0], [2.0]]), np.array([0, 0, 1, 1])) == 0.0
