"""The largest distance in a set of points: of all pairs if there are few, else without looking at most of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel
from adjudge.kernels.pair_tiles import ROWS, squared_distances

__all__ = ["farthest", "farthest_of_few"]

Array = np.ndarray[Any, Any]


@kernel()
def farthest(rows: Array, n: int, radii: Array, tiles: Array, buffer: Array, known: float) -> float:
    """Return the largest distance of two of `n` points, sorted by falling distance `radii` from some common point.

    `rows` and `tiles` hold the same points. A pair cannot be farther apart than the sum of its radii, so the search
    ends where that falls below the largest distance found, or known beforehand.
    """
    slack = 1.0 + 1e-12
    best = known * known
    largest = known
    tile = tiles.shape[2]
    for i in range(0, n, ROWS):
        if (radii[i] + radii[0]) * slack < largest:
            break
        for t in range(tiles.shape[0]):
            offset = t * tile
            if offset > i + ROWS - 1 or (radii[i] + radii[offset]) * slack < largest:
                break
            width = min(tile, n - offset)
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(min(ROWS, n - i)):
                for j in range(min(width, i + r + 1 - offset)):
                    best = max(best, buffer[r, j])
        largest = math.sqrt(best)
    return largest


@kernel()
def farthest_of_few(points: Array, first: int, last: int) -> float:
    """Return the largest distance of two points from `first` to `last`, by all pairs."""
    best = 0.0
    for i in range(first + 1, last):
        for j in range(first, i):
            square = 0.0
            for c in range(points.shape[1]):
                step = points[i, c] - points[j, c]
                square += step * step
            best = max(best, square)
    return math.sqrt(best)
