"""The medoid of each cluster: the point with the smallest sum of distances to the others."""

from __future__ import annotations

from itertools import pairwise
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.compact_blocks import halves
from adjudge.engines.pairs.block_distances import Block
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans, strips
from adjudge.kernels.reachability import add_within

__all__ = [
    "are_bounded",
    "medoids_from_blocks",
    "medoids_from_points",
    "medoids_from_squares",
    "medoids_from_sums",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Distances of a row that are held at a time.
_COLUMNS = 8192
# Measured: with fewer points, or fewer per variable, bounds take as long as the sums.
_MANY_POINTS, _MANY_FOR_A_VARIABLE = 2000, 16
# Points of a block, at least.
_IN_A_BLOCK = 64
# Points whose sums are computed before any is left out.
_PROMISING = 8
# Rounding raises a bound above the sum by a smaller relative amount than this, if the means of blocks are exact.
_ROUNDING = 1e-9
# Sums that differ only by rounding differ by less than this, relatively.
_EQUAL = 1e-12


def are_bounded(size: int, p: int) -> bool:
    """Return whether bounds on the sums rule out most points of a cluster of this size."""
    return size >= max(_MANY_POINTS, _MANY_FOR_A_VARIABLE * p)


def medoids_from_sums(sums: Floats, order: Ints, bounds: Ints) -> Ints:
    """Return the point with the smallest sum in each cluster; the first among ties.

    Parameters
    ----------
    sums : ndarray of shape (n,)
        Sums of the distances from each sorted point to those of its cluster.
    order : ndarray of int64 of shape (n,)
        Positions of the sorted points.
    bounds : ndarray of int64 of shape (K + 1,)
        Where each cluster begins, and n.
    """
    least = np.minimum.reduceat(sums, bounds[:-1]) * (1 + _EQUAL)
    places = np.flatnonzero(sums <= np.repeat(least, np.diff(bounds)))
    return np.asarray(order[places[np.searchsorted(places, bounds[:-1])]])


def medoids_from_points(X: NDArray[Any], order: Ints, bounds: Ints, crew: Crew) -> Ints:
    """Find the medoids of dense points with Euclidean distances, without most of the sums."""
    points = np.asarray(X[order], np.float64)
    hopeless = _hopeless(points, bounds, crew)
    columns = np.ascontiguousarray(points.T)
    sizes = np.diff(bounds)
    starts, ends = np.repeat(bounds[:-1], sizes), np.repeat(bounds[1:], sizes)
    reads = np.concatenate([[0], np.cumsum(ends - starts)])
    ends[hopeless] = starts[hopeless]
    sums = np.where(hopeless, np.inf, 0.0)

    def work(rows: slice) -> None:
        add_within(columns, rows.start, rows.stop, starts, ends, sums)

    for rows, _ in crew.map(work, spans(order.size)):
        crew.advance(int(reads[rows.stop] - reads[rows.start]))
    return medoids_from_sums(sums, order, bounds)


def _hopeless(points: Floats, bounds: Ints, crew: Crew) -> NDArray[np.bool_]:
    """Tell which sorted points cannot be medoids: in large clusters, all but a few."""
    found = np.zeros(points.shape[0], np.bool_)
    large = [slice(a, b) for a, b in pairwise(bounds.tolist()) if are_bounded(b - a, points.shape[1])]

    def look(cluster: slice) -> None:
        found[cluster] = _above_the_least(points[cluster])

    if large:
        with one_blas_thread():
            for _ in crew.map(look, large):
                pass
    return found


def _above_the_least(points: Floats) -> NDArray[np.bool_]:
    """Tell which points of a cluster must have a larger sum of distances than another point."""
    from scipy.spatial.distance import cdist

    bound = _bounds_of_sums(points)
    promising = np.argpartition(bound, _PROMISING)[:_PROMISING]
    least = float(cdist(points[promising], points).sum(axis=1).min())
    return np.asarray(bound > least)


def _bounds_of_sums(points: Floats) -> Floats:
    """Return a lower bound on the sum of the distances from each point to all points.

    Points are put into blocks. The distance from x to c + r, with u the direction of x - c, is the length of
    (|x - c| - u'r, |r - (u'r) u|); the mean over a block is at least the length of the means. The first is |x - c| if c
    is the mean of the block. The second is at least the mean of |r| - (u'r)^2 / |r|, which is at least the mean of |r|
    less the largest eigenvalue of the mean of r r' / |r|.
    """
    from scipy.spatial.distance import cdist

    n, p = points.shape
    runs = halves(points, np.arange(n), max(_IN_A_BLOCK, isqrt(n)))
    places = np.empty((len(runs), p + 1))
    for place, run in zip(places, runs, strict=True):
        place[:p], place[p] = _middle_and_width(points[run])
    sizes = np.array([run.size for run in runs], np.float64)
    # The rounding error of a mean is no larger.
    off = sizes.max() * np.sqrt(p) * np.finfo(np.float64).eps * np.abs(points).max()
    bounds = np.empty(n)
    for rows in strips(n, len(runs)):
        raised = np.column_stack([points[rows], np.zeros(rows.stop - rows.start)])
        bounds[rows] = np.asarray(cdist(raised, places)) @ sizes * (1 - _ROUNDING) - n * off
    return bounds


def _middle_and_width(points: Floats) -> tuple[Floats, float]:
    """Return the mean of points, and a lower bound on their mean distance from any line through it."""
    middle = points.mean(axis=0)
    steps = points - middle
    lengths = np.sqrt((steps**2).sum(axis=1))
    directions = np.divide(steps, lengths[:, None], out=np.zeros_like(steps), where=lengths[:, None] > 0)
    along = float(np.linalg.eigvalsh(directions.T @ steps)[-1])
    return middle, max(0.0, (float(lengths.sum()) - along) / lengths.size)


def medoids_from_squares(X: NDArray[Any], order: Ints, bounds: Ints, crew: Crew) -> Ints:
    """Find the medoids of dense points with squared Euclidean distances, whose sums follow from centroids."""
    steps = np.asarray(X[order], np.float64)
    sizes = np.diff(bounds)
    for _ in range(2):  # the second time removes what rounding left of the centroids
        centroids = np.add.reduceat(steps, bounds[:-1], axis=0) / sizes[:, None]
        steps -= np.repeat(centroids, sizes, axis=0)
    squares = np.einsum("ij,ij->i", steps, steps)
    sums = squares * np.repeat(sizes, sizes) + np.repeat(np.add.reduceat(squares, bounds[:-1]), sizes)
    crew.advance(int((sizes**2).sum()))
    return medoids_from_sums(sums, order, bounds)


def medoids_from_blocks(block: Block, order: Ints, bounds: Ints, crew: Crew) -> Ints:
    """Find the medoids from distances that a function of positions gives."""
    sums = np.zeros(order.size)

    def work(rows: slice) -> int:
        cluster = int(np.searchsorted(bounds, rows.start, "right")) - 1
        first, last = int(bounds[cluster]), int(bounds[cluster + 1])
        sums[rows] = sum(
            block(order[rows], order[first + part.start : first + part.stop]).sum(axis=1)
            for part in spans(last - first, _COLUMNS)
        )
        return int(rows.stop - rows.start) * (last - first)

    # The medoid of one point, or of two (the first), is known.
    runs = (
        slice(int(a) + part.start, int(a) + part.stop)
        for a, b in pairwise(bounds)
        if b - a > 2
        for part in strips(int(b - a), min(int(b - a), _COLUMNS))
    )
    for _, reads in crew.map(work, runs):
        crew.advance(reads)
    crew.advance(int((np.diff(bounds)[np.diff(bounds) <= 2] ** 2).sum()))
    return medoids_from_sums(sums, order, bounds)
