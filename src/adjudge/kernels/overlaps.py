"""The largest overlap of each cluster with another: the sum of their radii over the distance of their centroids."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine

__all__ = ["overlaps_of_blocks", "overlaps_of_few"]

Array = np.ndarray[Any, Any]

# How much rounding may bring a ratio beyond its bound.
ROUNDING = 1e-9


@inlined(error_model="numpy")
def overlap(rows: Array, k: int, j: int, together: float) -> Any:
    """Sum of two radii over the distance of two rows; 0 for 0/0. Summed over the variables in order."""
    square = 0.0
    for d in range(rows.shape[1]):
        square += (rows[k, d] - rows[j, d]) * (rows[k, d] - rows[j, d])
    return 0.0 if (square == 0.0) & (together == 0.0) else together / math.sqrt(square)


@kernel(error_model="numpy")
def overlaps_of_few(rows: Array, radii: Array) -> Array:
    """Return for each of some clusters, (K, p) centroids, the largest (r_k + r_l) / d(k, l); 0/0 is left out."""
    best = np.zeros(rows.shape[0])
    for k in range(rows.shape[0]):
        for j in range(k):
            ratio = overlap(rows, k, j, radii[k] + radii[j])
            best[k] = max(best[k], ratio)
            best[j] = max(best[j], ratio)
    return best


@subroutine()
def gaps_of_row(row: Array, low: Array, high: Array, gaps: Array) -> None:
    """Fill in the squared distances of a row from boxes, whose corners are (p, boxes)."""
    gaps[:] = 0.0
    for d in range(low.shape[0]):
        x, lows, highs = row[d], low[d], high[d]
        for b in range(gaps.shape[0]):
            below, above = lows[b] - x, x - highs[b]
            outside = below if below > above else above
            outside = outside if outside > 0.0 else 0.0
            gaps[b] += outside * outside


@subroutine(fastmath={"contract"})
def squares_of_row(row: Array, tile: Array, width: int, line: Array) -> None:
    """Fill in the squared distances of a row to the columns of a tile; the dimension is even."""
    x, y, a, b = tile[0], tile[1], row[0], row[1]
    for j in range(width):
        line[j] = (x[j] - a) * (x[j] - a) + (y[j] - b) * (y[j] - b)
    for d in range(2, row.shape[0] - 2, 4):
        x, y, z, w = tile[d], tile[d + 1], tile[d + 2], tile[d + 3]
        a, b, c, e = row[d], row[d + 1], row[d + 2], row[d + 3]
        for j in range(width):
            u, v, s, t = x[j] - a, y[j] - b, z[j] - c, w[j] - e
            line[j] += u * u + v * v + s * s + t * t
    if row.shape[0] % 4 == 0:
        d = row.shape[0] - 2
        x, y, a, b = tile[d], tile[d + 1], row[d], row[d + 1]
        for j in range(width):
            line[j] += (x[j] - a) * (x[j] - a) + (y[j] - b) * (y[j] - b)


@subroutine(error_model="numpy")
def take_larger(
    rows: Array, k: int, offset: int, line: Array, radius: float, others: Array, best: Array
) -> None:
    """Raise the largest overlap of a row by those with a block, whose rows begin at `offset`; not with itself."""
    squared = best[k] * best[k] * (1.0 - ROUNDING)
    found = 0
    for j in range(others.shape[0]):
        together = radius + others[j]
        found += together * together > squared * line[j]
    if found == 0:
        return
    for j in range(others.shape[0]):
        together = radius + others[j]
        if together * together > best[k] * best[k] * (1.0 - ROUNDING) * line[j] and offset + j != k:
            best[k] = max(best[k], overlap(rows, k, offset + j, together))


@kernel(error_model="numpy")
def overlaps_of_blocks(
    rows: Array,
    tiles: Array,
    widths: Array,
    low: Array,
    high: Array,
    radii: Array,
    widest: Array,
    first: int,
    last: int,
    line: Array,
    gaps: Array,
    best: Array,
) -> None:
    """Find the largest overlap of each cluster of some blocks of centroids.

    rows, tiles, widths : see `CompactBlocks`
    low, high : (p, blocks), corners of the boxes
    radii : (rows,), mean distance to the centroid
    widest : (blocks,), largest radius in each
    first, last : which blocks
    line : room for the distances to a block
    gaps : (blocks,), room
    best : (rows,), raised to the largest (r_k + r_l) / d(k, l); 0/0 is left out
    """
    size = tiles.shape[2]
    for own in range(first, last):
        for k in range(own * size, own * size + widths[own]):
            row = rows[k]
            gaps_of_row(row, low, high, gaps)
            for step in range(-1, widths.shape[0]):
                b = own if step < 0 else step
                reach = (radii[k] + widest[b]) * (1.0 + ROUNDING)
                if (step == own) | (reach * reach <= best[k] * best[k] * gaps[b]):
                    continue
                squares_of_row(row, tiles[b], widths[b], line)
                take_larger(rows, k, b * size, line, radii[k], radii[b * size : b * size + widths[b]], best)
