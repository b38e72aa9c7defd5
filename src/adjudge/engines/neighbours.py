"""The nearest neighbours of each point: from compact blocks of points, or from all distances if they are not Euclidean.

Both ways give the same result: distances come from explicit differences, and among equally near points the one that
comes first in the input counts as nearer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.compact_blocks import CompactBlocks
from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.engines.pairs.euclidean_embeddings import euclidean_points
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans, strips
from adjudge.given.metrics import Metric
from adjudge.kernels.neighbours import insert_block, neighbours_in_blocks
from adjudge.statistics.neighbours import Neighbours

__all__ = ["distances_from", "nearest_neighbours", "points_looked_at"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Points of a block: small blocks let more points be skipped, large ones take less time for each point visited.
_IN_SMALL_BLOCKS, _IN_LARGE_BLOCKS = 128, 256
_FEW_DIMENSIONS = 4
# Points whose neighbours are found in one task.
_POINTS_A_TASK = 512


def block_size(p: int) -> int:
    """Return the number of points of a compact block in `p` dimensions."""
    return _IN_SMALL_BLOCKS if p <= _FEW_DIMENSIONS else _IN_LARGE_BLOCKS


def points_looked_at(n: int, p: int, n_neighbors: int) -> int:
    """Estimate how many points are visited for the neighbours of one, if points are spread evenly; at most all.

    These are the points of the blocks that intersect the ball of its neighbours; the unit of length is the spacing of
    the points.
    """
    log_ball = math.log(math.pi) * p / 2 - math.lgamma(p / 2 + 1)
    radius = math.exp((math.log(max(n_neighbors, 1)) - log_ball) / p)
    side = block_size(p) ** (1 / p)
    log_looked = p * math.log(2 * radius + side)
    return n if log_looked >= math.log(n) else int(math.exp(log_looked))


def nearest_neighbours(
    X: Any, metric: Metric, n_neighbors: int, crew: Crew, *, ties: bool = False
) -> Neighbours:
    """Find the nearest neighbours of each point.

    Parameters
    ----------
    X : ndarray of shape (n, p), or of distances (n, n), or scipy sparse CSR matrix
    metric : str or callable
    n_neighbors : int
        At most n - 1 are found.
    crew : Crew
    ties : bool
        Whether to find one more, which shows whether the last one is as near as others.
    """
    n = X.shape[0]
    m = min(n_neighbors + ties, n - 1)
    positions, distances = np.full((n, m), n, np.int64), np.full((n, m), np.inf)
    if m > 0:
        crew.expect(n)
        placed = euclidean_points(X, metric)
        if placed is None:
            _by_all_distances(metric, X, crew, positions, distances)
        else:
            points, rooted = placed
            _by_compact_blocks(points, crew, positions, distances)
            if not rooted:
                distances *= distances
    return Neighbours(positions, distances, n_neighbors)


def distances_from(X: Any, metric: Metric, rows: Ints) -> Floats:
    """Return the distances from some points to all points, of shape (rows, n); that to the point itself is infinite."""
    placed = euclidean_points(X, metric)
    if placed is None:
        found = checked_blocks(X, metric)(rows, np.arange(X.shape[0]))
    else:
        points, rooted = placed
        # Summed over the columns in order, as everywhere else.
        found = np.zeros((rows.size, points.shape[0]))
        for column in points.T:
            column = np.asarray(column, np.float64)
            found += (column[rows][:, None] - column) ** 2
        if rooted:
            found = np.sqrt(found)
    found[np.arange(rows.size), rows] = np.inf
    return found


def _by_compact_blocks(X: NDArray[Any], crew: Crew, positions: Ints, distances: Floats) -> None:
    n, m = distances.shape
    size = block_size(X.shape[1])
    blocks = CompactBlocks.of(X, np.arange(n), np.array([0, n]), size)
    starts = np.concatenate([[0], np.cumsum(blocks.widths)])
    operands = blocks.rows, blocks.tiles, starts, blocks.positions, blocks.boxes

    def work(run: slice) -> int:
        own = blocks.positions[starts[run.start] : starts[run.stop]]
        squares, places = np.full((own.size, m), np.inf), np.full((own.size, m), n)
        neighbours_in_blocks(*operands, run.start, run.stop, squares, places)
        distances[own], positions[own] = squares, places
        return own.size

    for _, found in crew.map(work, spans(blocks.n, _POINTS_A_TASK // size)):
        crew.advance(found)


def _by_all_distances(metric: Metric, X: Any, crew: Crew, positions: Ints, distances: Floats) -> None:
    block = checked_blocks(X, metric)
    n = X.shape[0]
    everyone = np.arange(n)

    def work(rows: slice) -> None:
        own = everyone[rows]
        for columns in spans(n, 8192):
            found = block(own, everyone[columns])
            insert_block(found, own, columns.start, distances[rows], positions[rows])

    for rows, _ in crew.map(work, strips(n, min(max(n, 2048), 8192))):
        crew.advance(rows.stop - rows.start)
