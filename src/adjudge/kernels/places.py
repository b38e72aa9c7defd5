"""The nearest of many places to each point but its own, four points against a tile of places at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine
from adjudge.kernels.pair_tiles_numba import ROWS, squared_distances

__all__ = ["least_to_places"]

Array = np.ndarray[Any, Any]

# Rows that stay in the cache while all places pass by.
_RUN = 256


@inlined(fastmath={"reassoc", "nsz", "nnan"})
def least_raised(line: Array, rise: Array) -> float:
    low = np.inf
    for j in range(rise.shape[0]):
        v = line[j] + rise[j]
        low = v if v < low else low
    return low


@subroutine()
def square_in_order(rows: Array, r: int, tile: Array, j: int) -> float:
    """Squared distance of a row to a place, summed over the variables in order."""
    square = 0.0
    for d in range(rows.shape[1]):
        step = rows[r, d] - tile[d, j]
        square += step * step
    return square


@kernel()
def least_to_places(
    rows: Array, mine: Array, n: int, tiles: Array, rises: Array, rounding: float, buffer: Array, found: Array
) -> None:
    """Find the smallest squared distance of each row to another place, plus the rise of that, for each line of rises.

    rows : (points padded to a multiple of ROWS, p) coordinates, p even
    mine : (points,) the own place of each
    n, tiles : how many places there are, tile by tile
    rises : (R, places), not negative
    rounding : by which share a distance of the tiles may be off from one that is summed in order
    buffer : (ROWS, places of a tile)
    found : (R, points), inf before; summed in order
    """
    tile = tiles.shape[2]
    for first in range(0, mine.shape[0], _RUN):
        last = min(first + _RUN, mine.shape[0])
        for t in range(tiles.shape[0]):
            offset = t * tile
            width = min(tile, n - offset)
            for i in range(first, last, ROWS):
                squared_distances(rows, i, tiles[t], width, buffer)
                for r in range(i, min(i + ROWS, last)):
                    line = buffer[r - i]
                    own = mine[r] - offset
                    if 0 <= own < width:
                        line[own] = np.inf
                    for q in range(rises.shape[0]):
                        rise = rises[q, offset : offset + width]
                        if least_raised(line, rise) * (1.0 - rounding) >= found[q, r]:
                            continue
                        for j in range(width):
                            if (line[j] + rise[j]) * (1.0 - rounding) < found[q, r]:
                                exact = square_in_order(rows, r, tiles[t], j) + rise[j]
                                found[q, r] = min(found[q, r], exact)
