"""Valleys of density between clusters: by definition, none on even shapes, and what tests say of them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans

from adjudge import InputError
from adjudge.inference import clusters_test, tree_test
from adjudge.inference.clusters.cluster_tests import ClustersTest
from adjudge.inference.clusters.density_valley import (
    _MOST,
    ValleysOfNull,
    _at_hand,
    valley_p_value,
    valleys_between,
)
from adjudge.inference.clusters.dip import dip_test
from adjudge.inference.clusters.tree_splits import SplitTest
from splitters import halves, two_means


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


def joined_by(distances: np.ndarray) -> list[tuple[int, int]]:
    """Edges of the minimum spanning tree."""
    left, tree = {*range(1, len(distances))}, []
    while left:
        i, j = min(
            ((i, j) for i in {*range(len(distances))} - left for j in left), key=lambda e: distances[e]
        )
        left -= {j}
        tree.append((min(i, j), max(i, j)))
    return sorted(tree)


def ways(X: np.ndarray) -> np.ndarray:
    """Squared lengths of the shortest ways over near neighbours and the tree."""
    n = len(X)
    distances = cdist(X, X)
    edges = np.zeros((n, n))
    for i in range(n):
        for j in np.argsort(distances[i], kind="stable")[: max(7, math.isqrt(n)) + 1]:
            edges[i, j] = edges[j, i] = distances[i, j]
    for i, j in joined_by(distances):
        edges[i, j] = edges[j, i] = distances[i, j]
    return np.asarray(shortest_path(edges, directed=False)) ** 2


def valley_by_definition(clusters: list[np.ndarray], a: int, b: int) -> float:
    rest = [own for c, own in enumerate(clusters) if c not in (a, b)]
    groups = [clusters[a], clusters[b], np.concatenate([*rest, np.empty((0, 2))])]
    sides = np.repeat([0, 1, 2], [len(group) for group in groups])
    squares = ways(np.concatenate(groups))
    from_centre = []
    for side in (0, 1):
        members = np.flatnonzero(sides == side)
        if len(members) < 4:
            return 1.0
        some = members
        if len(members) > 30:
            some = members[[int(x) for x in np.linspace(0, len(members) - 1, 30)]]
        centre = min(some, key=lambda i, members=members: squares[i, members].sum())  # type: ignore[misc]
        around = sorted(members, key=lambda i, centre=centre: squares[centre, i])  # type: ignore[misc]
        from_centre.append(around[: min(2, len(members) // 3)])
    first, second = (squares[centre].mean(axis=0) for centre in from_centre)
    apart = first[from_centre[1]].mean()
    places = (first - second) / (2 * apart) + 0.5
    aside = first / apart - places**2
    on_way = (places >= 0) & (places <= 1)
    on_way &= aside <= aside[on_way & (sides < 2)].max()
    on_way |= (sides == 0) & (places < 0) & (places >= -0.5)
    on_way |= (sides == 1) & (places > 1) & (places <= 1.5)
    before, after = sorted(places[on_way & (places < 0.5)]), sorted(places[on_way & (places >= 0.5)])
    size = min(len(before), len(after))
    if size < 4:
        return 1.0
    border = before[-size:] + after[:size]
    return min(1.0, 10 * dip_test(border).p_value)


SIZES = [[30, 25], [45, 38], [60, 12, 20], [4, 30], [5, 4], [3, 20], [6, 5, 7], [40, 9, 33, 35]]


@pytest.mark.full(keep=5)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("apart", [1.5, 5.0])
def test_valleys_are_those_of_the_definition(sizes: list[int], apart: float) -> None:
    rng = np.random.default_rng(len(sizes) + sum(sizes))
    codes = rng.permutation(np.repeat(range(len(sizes)), sizes))
    X = rng.normal(size=(codes.size, 2)) + apart * np.array([[0, 0], [1, 0], [1, 1], [0, 1]])[codes]
    clusters = [X[codes == c] for c in range(len(sizes))]
    gaps = np.array([[cdist(one, other).min() for other in clusters] for one in clusters])
    found = valleys_between(X, codes)
    assert [(a, b) for a, b, _ in found] == joined_by(gaps)
    for a, b, p in found:
        assert p == pytest.approx(valley_by_definition(clusters, a, b), rel=1e-6), (a, b)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_neighbours_do_not_depend_on_the_unit_and_may_touch(unit: float) -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.5, size=(20, 1)) for m in (0, 4, 9)])
    codes = np.repeat([0, 1, 2], 20)
    found = valleys_between(X * unit, codes)
    assert [(a, b) for a, b, _ in found] == [(0, 1), (1, 2)]
    assert [p for *_, p in found] == pytest.approx([p for *_, p in valleys_between(X, codes)], rel=1e-6)
    X[20] = X[0]
    assert [(a, b) for a, b, _ in valleys_between(X * unit, codes)] == [(0, 1), (1, 2)]


def test_of_a_small_cluster_beside_a_large_one_eight_points_are_left() -> None:
    clusters = [np.full((4980, 1), 0.0), np.full((20, 1), 1.0)]
    _, sides = _at_hand(clusters, np.array([[0.0], [1.0]]), 0, 1)
    assert np.bincount(sides).tolist() == [996, 8]


# --- what the test of clusters says ------------------------------------------------------------------------------


def says(p_values: dict[str, float], valley: float | None = None, **options: Any) -> ClustersTest:
    null_values = {null: np.array([0.1, math.nan, 0.3]) for null in p_values}
    valleys = None if valley is None else [(0, 1, valley)]
    return ClustersTest(
        0.5, "half", p_values, null_values, valleys, valley, "silhouette", 60, 2, 19, **options
    )


NONE = "No evidence for clusters: "
STRUCTURE = (
    "There is structure, but perhaps no clusters: the points split better than data without clusters (p < 0.05), "
    "yet no valley of density is seen between them (p = 0.051). Curves, shells and clusters that touch look like this."
)
VERDICTS = [
    (
        says({"gaussian": 0.2, "uniform": 0.1, "copula": 0.01}),
        NONE + "{gaussian} and {uniform} split as well (p = 0.2).",
    ),
    (says({"gaussian": 0.05, "uniform": 0.06}), NONE + "{uniform} split as well (p = 0.06)."),
    (
        says({"gaussian": 0.2}, 0.05),
        NONE + "{gaussian} split as well (p = 0.2). "
        "Yet there is a valley of density between clusters (p = 0.05).",
    ),
    (says({"gaussian": 0.2}, 0.051), NONE + "{gaussian} split as well (p = 0.2)."),
    (says({"gaussian": 0.3, "uniform": 0.2}, level=0.25), NONE + "{gaussian} split as well (p = 0.3)."),
    (
        says({"gaussian": 0.05, "uniform": 0.05}, level=0.01),
        "Too few data sets to tell: none of 19 without clusters splits as well (p < 0.05); pass n_samples=99 or more.",
    ),
    (
        says({"gaussian": 0.05, "uniform": 0.1}, level=0.01),
        NONE + "{uniform} split as well (p = 0.1).",
    ),
    (
        says({"gaussian": 0.05, "uniform": 0.05}),
        "The points split better than data without clusters (p < 0.05); valleys were not tested.",
    ),
    (
        says({"gaussian": 0.05}, 0.05),
        "There are clusters: the points split better than data without clusters (p < 0.05), and there is a valley of "
        "density between clusters (p = 0.05).",
    ),
    (says({"gaussian": 0.05}, 0.051), STRUCTURE),
]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "verdict"), VERDICTS, ids=lambda own: "" if isinstance(own, str) else str(own.p_value)
)
def test_verdicts(found: ClustersTest, verdict: str) -> None:
    from adjudge.inference.clusters.cluster_tests import _CALLED

    assert found.verdict == verdict.format(**_CALLED)
    assert found.p_value == max([*found.p_values.values(), found.valley_p_value or 0.0])
    told = json.loads(json.dumps(found.to_dict()))
    assert told["verdict"] == found.verdict
    assert told["index"] == "silhouette"
    assert set(map(tuple, told["null_values"].values())) == {(0.1, None, 0.3)}
    assert [row[1:3] for row in found.table().rows if row[0] != "no valley"] == [
        (0.5, pytest.approx(0.2))
    ] * len(found.p_values)


def tenths(X: np.ndarray) -> np.ndarray:
    """A poor split: a tenth of the points."""
    return (np.argsort(np.argsort(X[:, 1])) < len(X) // 10).astype(int)


def test_a_test_that_compares_with_nothing_is_refused() -> None:
    """It said that the points split better than data without clusters, of which there were none."""
    X = np.random.default_rng(1).normal(size=(30, 2))
    for nothing in (lambda: clusters_test(X, halves, nulls=[]), lambda: tree_test(X, nulls=[])):
        with pytest.raises(InputError, match="nulls is empty: at least one kind of data without"):
            nothing()


@pytest.mark.parametrize("index", ["silhouette", "davies_bouldin"])
def test_p_values_count_as_good_data_sets_for_indices_of_either_direction(index: str) -> None:
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(60, 2)) * [2, 1]
    clusterers = {"tenth": tenths, "half": halves}
    alone = {
        name: clusters_test(X, {name: fit}, index=index, valley=False, n_samples=1, random_state=0).value
        for name, fit in clusterers.items()
    }
    found = clusters_test(
        X, clusterers, index=index, nulls=["gaussian", "uniform"], valley=False, n_samples=9, random_state=0
    )
    better = max if index == "silhouette" else min
    assert found.value == better(alone.values())
    assert found.best == better(alone, key=alone.__getitem__)
    assert found.n_clusters == 2
    for null, values in found.null_values.items():
        as_good = values >= found.value if index == "silhouette" else values <= found.value
        assert found.p_values[null] == pytest.approx((1 + as_good.sum()) / 10)
        assert 0 < as_good.sum() < 9


def test_valleys_are_compared_with_those_of_the_first_null() -> None:
    X = np.random.default_rng(10).normal(size=(200, 40))
    options: dict[str, Any] = {"n_samples": 5, "random_state": 0}
    one = clusters_test(X, two_means, nulls=["gaussian"], **options)
    assert one.valleys is not None
    assert one.valley_p_value != min(p for *_, p in one.valleys)
    assert (
        clusters_test(X, two_means, nulls=["gaussian", "uniform"], **options).valley_p_value
        == one.valley_p_value
    )


# --- the test of a tree ------------------------------------------------------------------------------------------


def test_a_tree_remembers_how_it_was_tested_and_does_not_see_the_place_of_the_points() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 1.0, size=(15, 2)) for m in (0, 9)])
    options: dict[str, Any] = {
        "alpha": 0.1, "linkage": "average", "nulls": ["gaussian"], "valley": False, "n_samples": 5, "random_state": 0,
    }  # fmt: skip
    found = tree_test(X, **options)
    assert (found.alpha, found.linkage, found.n_samples) == (0.1, "average", 5)
    moved = tree_test(X + np.array([3e7, 0.0]), **options)
    assert moved.labels.tolist() == found.labels.tolist()
    assert [split.left.tolist() for split in moved.splits] == [split.left.tolist() for split in found.splits]


def test_a_split_at_its_level_is_significant() -> None:
    none = np.empty(0, np.int64)
    assert SplitTest(none, none, 0.5, {"gaussian": 0.05, "uniform": 0.01}, 0.05, None).significant
    assert not SplitTest(none, none, 0.5, {"gaussian": 0.050001, "uniform": 0.01}, 0.05, None).significant
