"""The nearest points of each point, by explicit differences, and the extremes of distances by cluster."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine
from adjudge.kernels.pair_tiles import ROWS, squared_distances

__all__ = ["insert_block", "keep_nearest", "order_by_distance", "outside_extremes"]

Array = np.ndarray[Any, Any]


@subroutine()
def insert(distance: float, position: int, distances: Array, positions: Array) -> None:
    """Put a point in its place among the nearest so far; of equally near ones the lower position comes first."""
    j = distances.shape[0] - 1
    if distance > distances[j] or (distance == distances[j] and position > positions[j]):
        return
    while j > 0 and (
        distances[j - 1] > distance or (distances[j - 1] == distance and positions[j - 1] > position)
    ):
        distances[j] = distances[j - 1]
        positions[j] = positions[j - 1]
        j -= 1
    distances[j] = distance
    positions[j] = position


@kernel()
def keep_nearest(
    rows: Array, own: Array, n: int, tiles: Array, buffer: Array, squares: Array, positions: Array
) -> None:
    """Find the nearest of `n` points in tiles for each row, and their squared distances.

    `own` holds the position of each row among the points; a point is no neighbour of itself. `squares` holds inf, and
    `positions` n, before.
    """
    tile = tiles.shape[2]
    for t in range(tiles.shape[0]):
        offset = t * tile
        width = min(tile, n - offset)
        for i in range(0, own.shape[0], ROWS):
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(min(ROWS, own.shape[0] - i)):
                line = buffer[r]
                found, places = squares[i + r], positions[i + r]
                me = own[i + r] - offset
                # Columns come in order: one that is as near as the last kept does not displace it.
                for j in range(width):
                    if line[j] < found[-1] and j != me:
                        insert(line[j], offset + j, found, places)
    for i in range(own.shape[0]):
        for j in range(squares.shape[1]):
            squares[i, j] = math.sqrt(squares[i, j])


@kernel()
def insert_block(block: Array, own: Array, offset: int, distances: Array, positions: Array) -> None:
    """Take in a block of given distances from the rows to the points from `offset` on; blocks come in order."""
    for i in range(block.shape[0]):
        found, places = distances[i], positions[i]
        for j in range(block.shape[1]):
            if block[i, j] <= found[-1] and offset + j != own[i]:
                insert(block[i, j], offset + j, found, places)


@kernel()
def order_by_distance(
    X: Array, first: int, last: int, candidates: Array, distances: Array, positions: Array, settled: Array
) -> None:
    """Bring the candidates of a tree into order by their distances, as explicit differences give them.

    `settled` says for each row whether no point that the tree left out can be as near as the last one kept.
    """
    n, p = X.shape
    kept = distances.shape[1]
    for i in range(first, last):
        beyond = -1.0
        found, places = distances[i - first], positions[i - first]
        for c in range(candidates.shape[1]):
            j = candidates[i - first, c]
            if j == i or j >= n:
                continue
            square = 0.0
            for d in range(p):
                e = X[i, d] - X[j, d]
                square += e * e
            distance = math.sqrt(square)
            beyond = max(beyond, distance)
            insert(distance, j, found, places)
        settled[i - first] = beyond > found[kept - 1] * (1.0 + 1e-12)


@inlined(fastmath={"reassoc", "nsz", "nnan"})
def extremes(line: Array) -> tuple[float, float]:
    low, high = np.inf, 0.0
    for j in range(line.shape[0]):
        v = line[j]
        low = v if v < low else low
        high = v if v > high else high
    return low, high


@kernel()
def outside_extremes(
    rows: Array,
    of_row: Array,
    n: int,
    tiles: Array,
    bounds: Array,
    buffer: Array,
    nearest: Array,
    farthest: Array,
) -> None:
    """Squared distance of each row to the nearest point of another cluster, and by cluster the least of the largest.

    The points of the tiles are sorted by cluster: `bounds` says where each begins. `farthest` holds for each cluster
    the smallest, over the rows outside of it, of the largest squared distance to its points; inf before.
    """
    tile = tiles.shape[2]
    reach = np.zeros(of_row.shape[0])
    first = 0
    for t in range(tiles.shape[0]):
        offset = t * tile
        width = min(tile, n - offset)
        while bounds[first + 1] <= offset:
            first += 1
        for i in range(0, of_row.shape[0], ROWS):
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(i, min(i + ROWS, of_row.shape[0])):
                line = buffer[r - i]
                cluster, start = first, 0
                while start < width:
                    stop = min(width, bounds[cluster + 1] - offset)
                    if of_row[r] != cluster:
                        low, high = extremes(line[start:stop])
                        nearest[r] = min(nearest[r], low)
                        reach[r] = max(reach[r], high)
                        if offset + stop == bounds[cluster + 1]:
                            farthest[cluster] = min(farthest[cluster], reach[r])
                            reach[r] = 0.0
                    start = stop
                    cluster += 1
