"""Loops over all distances for several partitions of the same points, beside their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from adjudge.kernels.label_sweep import compare_in_order, count_distances, list_distances


def labelled(n: int) -> tuple[Any, Any, Any]:
    """Points on a grid, dimension by dimension and sorted by atom; where atoms start; the codes of two partitions."""
    rng = np.random.default_rng(n)
    atom = np.sort(rng.integers(0, 7, n))
    points = np.vstack([rng.integers(0, 5, (2, n)).astype(float), np.zeros((2, n))])
    starts = np.append(np.unique(atom, return_index=True)[1], n)
    return points, starts, np.array([atom % 3, atom % 2], np.int32)


def pairs(points: Any, codes: Any, first: int, last: int) -> tuple[Any, Any]:
    """Distances of some points to all before them, and whether each partition joins them."""
    left, right = np.array([(i, j) for i in range(first, last) for j in range(i)]).T
    return np.sqrt(((points[:, left] - points[:, right]) ** 2).sum(axis=0)), codes[:, left] == codes[:, right]


@pytest.mark.parametrize(("n", "first"), [(40, 0), (1100, 1090)])
def test_distances_are_listed_with_the_partitions_that_join_them(n: int, first: int) -> None:
    points, starts, codes = labelled(n)
    begin = first * (first - 1) // 2
    found, masks = np.zeros(n * (n - 1) // 2), np.zeros(n * (n - 1) // 2, np.int64)
    list_distances(points, first, n, starts, codes, found, masks)
    distances, joined = pairs(points, codes, first, n)
    np.testing.assert_array_equal(found[begin:], distances)
    np.testing.assert_array_equal(masks[begin:], joined[0] + 2 * joined[1])


def test_comparisons_are_of_all_pairs_of_distances() -> None:
    points, _, codes = labelled(30)
    distances, joined = pairs(points, codes, 0, 30)
    order = np.argsort(distances)
    larger, ties = np.zeros((2, 2), np.int64)
    tied = compare_in_order(distances[order], (joined[0] + 2 * joined[1])[order], larger, ties)
    for of_all, of_ties, within in zip(larger, ties, joined, strict=True):
        inside, outside = distances[within][:, None], distances[~within]
        assert (of_all, of_ties) == ((inside > outside).sum(), (inside == outside).sum())
    assert tied == sum(count * (count - 1) // 2 for count in np.unique(distances, return_counts=True)[1])


@pytest.mark.parametrize(("n", "first"), [(40, 0), (1100, 1000)])
def test_bins_count_the_distances_of_each_partition(n: int, first: int) -> None:
    points, starts, codes = labelled(n)
    counts, sums = np.zeros((3, 9), np.uint32), np.zeros(9)
    count_distances(points, first, n, starts, codes, 2.0, counts, sums)
    distances, joined = pairs(points, codes, first, n)
    bins = np.minimum(8, (2.0 * distances).astype(int))
    for line, which in zip(counts, [np.ones_like(joined[0]), *joined], strict=True):
        np.testing.assert_array_equal(line, np.bincount(bins[which], minlength=9))
    np.testing.assert_allclose(sums, np.bincount(bins, distances, 9), rtol=1e-12)
