"""Scores of points by density connectivity: O(n²) time for the tree, O(n) memory beyond it.

The density-connectivity distance of two points is the longest edge between them in the minimum spanning tree under
mutual reachability. The points are put in a line in which it is the greatest height between them. So a point is as far
as the last higher one from all points before that one, and its own height away from those between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.neighbours import nearest_neighbours
from adjudge.engines.reachability import reachability_tree
from adjudge.given.metrics import Metric
from adjudge.statistics.pair_distances import silhouette_widths
from adjudge.statistics.reachability import DensityConnections, contrast

__all__ = ["density_connections"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Points times clusters whose distances are held at a time.
_AT_ONCE = 1 << 21


def density_connections(
    X: Any, codes: Ints, metric: Metric, crew: Any, *, noise: int | None = None, min_points: int = 5
) -> DensityConnections:
    """Score points as DISCO does.

    Parameters
    ----------
    X : ndarray of shape (n, p), or of distances (n, n), or scipy sparse CSR matrix
    codes : ndarray of int64 of shape (n,)
        Clusters, coded 0..K-1.
    metric : str or callable
    crew : Crew
    noise : int, optional
        The code of noise.
    min_points : int, default 5
        Points within the core distance, including the point itself.
    """
    n = codes.size
    outside = codes == (-1 if noise is None else noise)
    own = np.where(outside, -1, codes if noise is None else codes - (codes > noise))
    sizes = np.bincount(own[~outside])
    if sizes.size + bool(outside.any()) == 1:
        return DensityConnections(min_points, np.where(outside, -1.0, 0.0))
    if n < min_points:
        return DensityConnections(min_points, np.empty(0))
    core = np.zeros(n)
    if min_points > 1:
        core = nearest_neighbours(X, metric, min_points - 1, crew).distances[:, -1].copy()
    crew.expect(n * n // 2)
    parents, lengths = reachability_tree(X, metric, core)
    crew.advance(n * n // 2)
    line, heights = _line(parents, lengths)
    found = np.empty(n)
    found[line] = _scores(heights, own[line], sizes, core[line])
    return DensityConnections(min_points, found)


def _line(parents: Ints, lengths: Floats) -> tuple[Ints, Floats]:
    """Join the ends of the lines that each edge connects, from the shortest edge to the longest.

    Returns the positions of the points, and the height between each point and the one before; infinite for the first.
    """
    n = parents.size
    # A line is named by its first point.
    first, last, after = list(range(n)), list(range(n)), [-1] * n
    above, heights = parents.tolist(), np.full(n, np.inf)

    def line_of(i: int) -> int:
        while first[i] != i:
            first[i] = first[first[i]]
            i = first[i]
        return i

    for child in (np.argsort(lengths[1:], kind="stable") + 1).tolist():
        one, other = line_of(above[child]), line_of(child)
        after[last[one]], heights[other] = other, lengths[child]
        last[one], first[other] = last[other], one
    order = [line_of(0)]
    while len(order) < n:
        order.append(after[order[-1]])
    line = np.array(order)
    return line, heights[line]


def _adder(heights: Floats) -> Callable[[Ints, int], Floats]:
    """Return a function of codes that sums the distances from each point in a line to earlier ones of each cluster."""
    steps = heights.tolist()
    # The last point before each one whose height is greater, and how many of these follow on one another.
    higher, depths, waiting = [0] * len(steps), [0] * len(steps), [0]
    for i in range(1, len(steps)):
        while steps[waiting[-1]] <= steps[i]:
            waiting.pop()
        higher[i], depths[i] = waiting[-1], depths[waiting[-1]] + 1
        waiting.append(i)
    levels = np.split(np.argsort(depths, kind="stable"), np.cumsum(np.bincount(depths))[:-1])[1:]
    last = np.array(higher)

    def sums(codes: Ints, k: int) -> Floats:
        found, before = np.zeros((codes.size, k)), np.zeros((codes.size + 1, k))
        members = np.flatnonzero(codes >= 0)
        before[members + 1, codes[members]] = 1
        np.cumsum(before, axis=0, out=before)
        for rows in levels:
            above = last[rows]
            found[rows] = found[above] + heights[rows, None] * (before[rows] - before[above])
        return found

    return sums


def _nearest(heights: Floats, wanted: NDArray[np.bool_]) -> Floats:
    """Return the smallest distance from each point in a line to a wanted one before it."""
    found, least = [], np.inf
    for height, follows in zip(heights.tolist(), [False, *wanted[:-1].tolist()], strict=True):
        least = height if follows else max(least, height)
        found.append(least)
    return np.array(found)


def _scores(heights: Floats, codes: Ints, sizes: Ints, core: Floats) -> Floats:
    """Return the scores of points in a line; noise has the code -1."""
    noise, clustered, back = codes < 0, np.flatnonzero(codes >= 0), np.r_[np.inf, heights[:0:-1]]
    ahead, behind = _adder(heights), _adder(back)
    own, nearest = np.zeros(codes.size), np.full(codes.size, np.inf)
    width = max(1, _AT_ONCE // codes.size)
    for first in range(0, sizes.size, width):
        some = sizes[first : first + width]
        rows = np.flatnonzero((codes >= first) & (codes < first + width))
        of_some = np.full(codes.size, -1)
        of_some[rows] = codes[rows] - first
        sums = ahead(of_some, some.size) + behind(of_some[::-1], some.size)[::-1]
        own[rows] = sums[rows, of_some[rows]]
        sums /= some
        sums[rows, of_some[rows]] = np.inf
        nearest = np.minimum(nearest, sums.min(axis=1))
    if sizes.size == 1:
        # Beside a single cluster, each noise point stands for another one.
        nearest = np.minimum(_nearest(heights, noise), _nearest(back, noise[::-1])[::-1])
    found = np.empty(codes.size)
    # No point is nearer than its core distance, so that how far noise is never lowers its score.
    found[noise] = contrast(core[noise], core[clustered].max())
    found[clustered] = silhouette_widths(own[clustered], sizes[codes[clustered]] - 1, nearest[clustered])
    return np.nan_to_num(found)
