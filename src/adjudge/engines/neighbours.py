"""The nearest neighbours of each point: by a k-d tree if that is faster, else by blocks of all distances.

Who computes them makes no difference: distances are explicit differences, and of equally near points the one that
comes first in the input is the nearer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.block_distances import block_function, check_precomputed, checked_block
from adjudge.engines.running.crew import Crew
from adjudge.engines.sorted_points import SortedPoints, spans
from adjudge.given.metrics import Metric, distances_from, keeps_centroids
from adjudge.statistics.neighbours import Neighbours

__all__ = ["is_tree_faster", "nearest_neighbours"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Measured: with fewer points, or in more dimensions, a look at all distances takes no longer.
_MANY_POINTS = 4000
_FEW_DIMENSIONS = 8
# Rows in one query of a tree.
_TREE_ROWS = 4096
# Distances of a block that are held at a time.
_BLOCK = 1 << 21


def is_tree_faster(n: int, p: int) -> bool:
    """Whether a tree finds the neighbours of points in Euclidean space sooner than a look at all distances."""
    return n >= _MANY_POINTS and p <= _FEW_DIMENSIONS


def nearest_neighbours(X: Any, metric: Metric, n_neighbors: int, crew: Crew) -> Neighbours:
    """Find the nearest other points of each point.

    Parameters
    ----------
    X : ndarray of shape (n, p), or of distances (n, n), or scipy sparse CSR matrix
    metric : str or callable
    n_neighbors : int
        At most n - 1 are found.
    crew : Crew
    """
    n = X.shape[0]
    m = min(n_neighbors, n - 1)
    positions, distances = np.full((n, m), n, np.int64), np.full((n, m), np.inf)
    if m > 0:
        crew.expect(n)
        if not keeps_centroids(X, metric):
            _by_blocks(X, metric, crew, positions, distances)
        elif is_tree_faster(n, X.shape[1]):
            _by_tree(np.ascontiguousarray(X, np.float64), crew, positions, distances)
        else:
            _by_tiles(X, np.arange(n), crew, positions, distances)
    return Neighbours(positions, distances, n_neighbors)


def _run(crew: Crew, work: Callable[[slice], None], n: int, step: int) -> None:
    for rows, _ in crew.map(work, spans(n, step)):
        crew.advance(rows.stop - rows.start)


def _by_tiles(X: NDArray[Any], wanted: Ints, crew: Crew, positions: Ints, distances: Floats) -> None:
    """Fill in the neighbours of the points at the positions `wanted`."""
    from adjudge.kernels.neighbours import keep_nearest

    n = X.shape[0]
    points = SortedPoints.of(X, np.arange(n))
    asking = points if wanted.size == n else SortedPoints.of(X, wanted)

    def work(rows: slice) -> None:
        own = wanted[rows]
        squares, places = np.full((own.size, distances.shape[1]), np.inf), np.full_like(positions[:1], n)
        places = np.repeat(places, own.size, axis=0)
        keep_nearest(asking.run(rows), own, n, points.tiles, points.buffer(), squares, places)
        distances[own], positions[own] = squares, places

    step = 256
    if wanted.size == n:
        _run(crew, work, n, step)
        return
    for _ in crew.map(work, spans(wanted.size, step)):
        pass


def _by_tree(X: Floats, crew: Crew, positions: Ints, distances: Floats) -> None:
    from scipy.spatial import cKDTree

    from adjudge.kernels.neighbours import order_by_distance

    n, m = distances.shape
    tree = cKDTree(X, balanced_tree=False)
    # The point itself, and one more that says whether others are as near as the last.
    ask = min(m + 2, n)
    unsettled: list[Ints] = []

    def work(rows: slice) -> Ints:
        candidates = np.asarray(tree.query(X[rows], k=ask, workers=1)[1], np.int64).reshape(-1, ask)
        settled = np.zeros(candidates.shape[0], np.bool_)
        order_by_distance(X, rows.start, rows.stop, candidates, distances[rows], positions[rows], settled)
        return np.asarray(np.flatnonzero(~settled | (candidates.shape[1] < m + 2)) + rows.start)

    for rows, left in crew.map(work, spans(n, _TREE_ROWS)):
        crew.advance(rows.stop - rows.start)
        unsettled.append(left)
    left = np.concatenate(unsettled)
    if left.size:
        positions[left], distances[left] = n, np.inf
        _by_tiles(X, left, crew, positions, distances)


def _by_blocks(X: Any, metric: Metric, crew: Crew, positions: Ints, distances: Floats) -> None:
    from adjudge.kernels.neighbours import insert_block

    if metric == "precomputed":
        check_precomputed(X)
    name = distances_from(metric)
    block = block_function(X, metric)
    n = X.shape[0]
    everyone = np.arange(n)
    step = int(max(1, min(1024, _BLOCK // min(n, 8192))))

    def work(rows: slice) -> None:
        own = everyone[rows]
        for columns in spans(n, 8192):
            found = checked_block(block, own, everyone[columns], name)
            insert_block(found, own, columns.start, distances[rows], positions[rows])

    _run(crew, work, n, step)
