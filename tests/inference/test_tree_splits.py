"""Splits of a tree: which of them are real."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.cluster import AgglomerativeClustering

import adjudge
from adjudge import adjusted_rand
from adjudge.inference import tree_test
from adjudge.inference.clusters.density_valley import valley_p_value
from adjudge.inference.clusters.null_points import DRAWS
from adjudge.inference.clusters.tree_splits import LINKAGES, _cluster_index, _first_split, _p_value, _valleys


def indices_of_gaussian(X: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Cluster indices of the first splits of Gaussian data."""
    draw = DRAWS["gaussian"](X)
    drawn = [draw(rng) for _ in range(n)]
    return np.array([_cluster_index(own, _first_split(own, "ward")) for own in drawn])


@pytest.mark.full
@pytest.mark.parametrize("linkage", LINKAGES)
def test_clusters_are_found(linkage: str) -> None:
    rng = np.random.default_rng(10)
    truth = np.repeat([0, 1, 2], 25)
    X = np.array([(0, 0), (8, 0), (0, 8)])[truth] + rng.normal(size=(75, 2))
    found = tree_test(X, linkage=linkage, random_state=0)
    assert (found.alpha, found.linkage, found.n_samples) == (0.05, linkage, 100)
    assert adjusted_rand(truth, found.labels) == 1.0
    assert found.n_clusters == 3
    assert sum(split.significant for split in found.splits) == 2


@pytest.mark.full
@pytest.mark.parametrize("linkage", LINKAGES)
def test_the_level_is_held_for_gaussian_data(linkage: str) -> None:
    rng = np.random.default_rng(1)
    skewed = np.diag([3.0, 1.0, 0.3])
    found = [
        tree_test(
            rng.normal(size=(40, 3)) @ skewed,
            linkage=linkage,
            nulls=["gaussian"],
            valley=False,
            n_samples=20,
            random_state=rng,
        ).n_clusters
        for _ in range(100)
    ]
    # Of 100, 5 are expected: more than 13 come less than once in a thousand times.
    assert sum(k > 1 for k in found) <= 13


def test_the_whole_tree_has_the_level() -> None:
    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(m, 1.0, (40, 2)) for m in (0, 12)])
    found = tree_test(X, alpha=0.1, n_samples=30, random_state=0)
    first, *others = found.splits
    assert first.level == pytest.approx(0.1)
    assert first.parent is None
    for split in others:
        above = found.splits[split.parent]
        assert above.significant
        own = set(split.left.tolist()) | set(split.right.tolist())
        assert own in (set(above.left.tolist()), set(above.right.tolist()))
        assert split.level == pytest.approx(0.1 * (len(own) - 1) / 79)


def test_the_first_split_is_the_trees() -> None:
    X = np.random.default_rng(3).normal(size=(50, 2)) * [5, 1]
    first = tree_test(X, linkage="average", n_samples=5, random_state=0).splits[0]
    labels = AgglomerativeClustering(2, linkage="average").fit_predict(X)
    sides = np.isin(np.arange(50), first.left).astype(int)
    assert adjusted_rand(labels, sides) == 1.0
    within = sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in (0, 1))
    assert first.cluster_index == pytest.approx(within / ((X - X.mean(axis=0)) ** 2).sum())


def test_p_values_are_those_of_a_normal_law() -> None:
    X = np.random.default_rng(4).normal(size=(60, 2))
    found = tree_test(X, nulls=["gaussian"], valley=False, n_samples=40, random_state=5)
    first = found.splits[0]
    own = X[np.concatenate([first.left, first.right])]
    null = indices_of_gaussian(own, 40, np.random.default_rng(5))
    assert first.p_values == {"gaussian": first.p_value}
    assert first.p_value == pytest.approx(norm.cdf(first.cluster_index, null.mean(), null.std(ddof=1)))


def test_the_null_has_the_extent_of_the_points() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(200, 2)) * [10, 1]
    long = indices_of_gaussian(X, 20, rng).mean()
    round_ = indices_of_gaussian(X / [10, 1], 20, rng).mean()
    assert long < 0.45 < 0.6 < round_
    assert _cluster_index(X, X[:, 0] > 0) == pytest.approx(0.36, abs=0.06)


def test_small_clusters_and_copies_are_not_split() -> None:
    rng = np.random.default_rng(7)
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(50, 1, (6, 2))])
    found = tree_test(X, n_samples=20, random_state=0)
    assert all(split.left.size + split.right.size >= 10 for split in found.splits)
    copies = np.repeat([[0.0, 0.0], [1.0, 0.0]], 20, axis=0)
    both = tree_test(copies, n_samples=20, random_state=0)
    assert both.n_clusters == 2
    assert len(both.splits) == 1


def test_more_variables_than_points() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(20, 100))
    assert tree_test(X, n_samples=20, random_state=0).n_clusters == 1
    X[:10] += 2
    assert tree_test(X, n_samples=20, random_state=0).labels.tolist() in (
        [0] * 10 + [1] * 10,
        [1] * 10 + [0] * 10,
    )


@pytest.mark.full
@pytest.mark.parametrize("shape", ["shell", "curve", "skewed"])
def test_the_level_is_held_for_other_shapes(shape: str) -> None:
    """Compared with Gaussian data alone, most of these trees had several clusters."""
    rng = np.random.default_rng(11)
    found, gaussian = [], []
    for _ in range(25):
        if shape == "curve":
            angle = rng.uniform(0, np.pi, 80)
            X = np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.1, (80, 2))
        elif shape == "shell":
            X = rng.normal(size=(80, 3))
            X /= np.linalg.norm(X, axis=1, keepdims=True)
        else:
            X = np.exp(rng.normal(size=(80, 2)))
        split = tree_test(X, n_samples=15, least_size=80, random_state=rng).splits[0]
        found.append(split.p_value <= 0.05)
        gaussian.append(split.p_values["gaussian"] <= 0.05)
    # Of 25, 1.25 are expected: 6 come less than once in a thousand times.
    assert sum(found) < 6
    assert sum(gaussian) >= 6


def test_too_many_points_are_refused() -> None:
    with pytest.raises(
        adjudge.InputError, match="20,001 points: a tree of more than 20,000 needs too much memory"
    ):
        tree_test(np.random.default_rng(0).normal(size=(20_001, 1)))


def three() -> np.ndarray:
    """Two clusters near each other, and one far away."""
    rng = np.random.default_rng(12)
    return np.concatenate([rng.normal(m, 0.2, size=(12, 2)) for m in (0, 4, 40)])


def test_the_table_has_a_column_for_each_null_and_says_what_is_significant() -> None:
    found = tree_test(three(), nulls=["gaussian", "uniform"], n_samples=10, random_state=0)
    table = found.table()
    assert table.columns == (
        *("split", "below", "left", "right", "cluster_index"),
        *("valley", "gaussian", "uniform", "level", "significant"),
    )
    assert [row[1] for row in table.rows[:2]] == [None, 0]
    for row, split in zip(table.rows, found.splits, strict=True):
        assert row[2:5] == (split.left.size, split.right.size, split.cluster_index)
        assert row[5:8] == tuple(split.p_values.values())
        assert row[8:] == (split.level, split.significant)
    assert repr(found) == table.text()
    assert found.labels.dtype == np.int64
    assert np.unique(found.labels).size == found.n_clusters == 3


def test_both_sides_of_a_split_are_tested_and_copies_do_not_end_the_tree() -> None:
    """The copies are the left child of the root, the others the right one."""
    rng = np.random.default_rng(13)
    others = np.concatenate([rng.normal(m, 0.2, size=(15, 2)) for m in (0, 5)])
    copies = np.full((14, 2), 60.0)
    for X in (np.concatenate([copies, others]), np.concatenate([others, copies])):
        found = tree_test(X, nulls=["gaussian"], valley=False, n_samples=10, random_state=0)
        assert found.n_clusters >= 3
        tested = [{*split.left.tolist(), *split.right.tolist()} for split in found.splits]
        alike = {*np.flatnonzero((X == 60.0).all(axis=1)).tolist()}
        assert alike not in tested
        assert {*range(44)} - alike in tested


@pytest.mark.parametrize(("size", "tested"), [(9, False), (10, True), (11, True)])
def test_the_least_size_is_split_by_default(size: int, tested: bool) -> None:
    rng = np.random.default_rng(14)
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(60, 1, (size, 2))])
    found = tree_test(X, nulls=["gaussian"], valley=False, n_samples=10, random_state=0)
    small = {*range(30, 30 + size)}
    assert (small in [{*s.left.tolist(), *s.right.tolist()} for s in found.splits]) is tested


def test_three_points_are_enough() -> None:
    X = np.array([[0.0, 1.0], [0.2, 1.0], [5.0, 1.0]])
    found = tree_test(X, nulls=["gaussian"], valley=False, n_samples=3, least_size=1, random_state=0)
    assert found.splits[0].left.size + found.splits[0].right.size == 3
    for wrong in (X[:2], np.tile([[1.0, 2.0]], (5, 1))):
        with pytest.raises(adjudge.InputError, match="needs at least three points, not all equal"):
            tree_test(wrong)
    for alpha in (0, 1):
        with pytest.raises(adjudge.InputError, match=f"alpha={alpha}: a level between 0 and 1"):
            tree_test(X, alpha=alpha)


@pytest.mark.parametrize(("value", "p_value"), [(0.3, 1.0), (0.4, 1.0), (0.2, 0.0)])
def test_beside_data_that_are_always_the_same(value: float, p_value: float) -> None:
    assert _p_value(value, np.full(4, 0.3)) == p_value


def test_no_valley_in_a_tree_and_the_null_it_is_compared_with() -> None:
    """In many variables even the first split of Gaussian data seems to have a valley."""
    X = np.random.default_rng(0).normal(size=(100, 100))
    one, two = (
        tree_test(X, nulls=nulls, n_samples=6, random_state=0).splits[0].p_values["valley"]
        for nulls in (["gaussian"], ["gaussian", "uniform"])
    )
    first = tree_test(X, nulls=["gaussian"], n_samples=6, random_state=0).splits[0]
    sides = np.isin(np.arange(100), first.left)
    alone = valley_p_value(_valleys(X, sides))
    assert one == two > alone
