"""Euclidean distances of some rows to all columns of some tiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel
from adjudge.kernels.pair_tiles import ROWS, squared_distances

__all__ = ["distances_to_tiles"]

Array = np.ndarray[Any, Any]


@kernel()
def distances_to_tiles(rows: Array, tiles: Array, buffer: Array, out: Array) -> None:
    """Fill in the distances of rows to the columns of tiles, of which the last may end early.

    rows : (n_rows padded to a multiple of ROWS, p), p even
    tiles : (tiles, p, columns)
    buffer : (ROWS, columns of a tile), room
    out : (n_rows, n_columns)
    """
    n, m = out.shape
    tile = tiles.shape[2]
    for t in range(tiles.shape[0]):
        offset = t * tile
        width = min(tile, m - offset)
        for first in range(0, n, ROWS):
            squared_distances(rows, first, tiles[t], width, buffer)
            for r in range(first, min(first + ROWS, n)):
                for j in range(width):
                    out[r, offset + j] = math.sqrt(buffer[r - first, j])
