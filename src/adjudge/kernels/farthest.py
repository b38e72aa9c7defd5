"""The largest distance in a set of points: of all pairs if there are few, else without looking at most of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine
from adjudge.kernels.pair_tiles_numba import ROWS, squared_distances

__all__ = ["farthest", "farthest_of_few", "farthest_of_tree"]

Array = np.ndarray[Any, Any]


@kernel()
def farthest(
    rows: Array, first: int, n: int, radii: Array, tiles: Array, buffer: Array, best: float, most: int
) -> tuple[int, float]:
    """Go on to look for the largest squared distance of two of `n` points: at most about some tiles in one call.

    Points are sorted by falling distance `radii` from some common point; `rows` and `tiles` hold the same ones. A pair
    cannot be farther apart than the sum of its radii, so the search ends where that falls below the largest distance
    found, or known beforehand. Returns the point to go on with, `n` if none is left, and the largest found.
    """
    slack = 1.0 + 1e-12
    largest = math.sqrt(best)
    tile = tiles.shape[2]
    for i in range(first, n, ROWS):
        if (radii[i] + radii[0]) * slack < largest:
            return n, best
        if most <= 0:
            return i, best
        for t in range(tiles.shape[0]):
            offset = t * tile
            if offset > i + ROWS - 1 or (radii[i] + radii[offset]) * slack < largest:
                break
            most -= 1
            width = min(tile, n - offset)
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(min(ROWS, n - i)):
                for j in range(min(width, i + r + 1 - offset)):
                    best = max(best, buffer[r, j])
        largest = math.sqrt(best)
    return n, best


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


@subroutine()
def squared_span(lows: Array, highs: Array, a: int, b: int) -> float:
    """Squared length across two boxes: rounding does not bring it below the distance of any two of their points."""
    square = 0.0
    for c in range(lows.shape[1]):
        span = max(highs[a, c] - lows[b, c], highs[b, c] - lows[a, c])
        square += span * span
    return square


@kernel()
def farthest_of_tree(
    points: Array, bounds: Array, lows: Array, highs: Array, todo: Array, n_todo: int, best: float, most: int
) -> tuple[int, float]:
    """Go on to look for the largest squared distance of two points: at most some pairs of nodes in one call.

    The nodes of the tree are those of `closest_of_clusters`. The first `n_todo` rows of `todo` are the pairs of nodes
    that are left, the next one last; returns how many are left then, and the largest found. Each level leaves at most
    three pairs of nodes, and there are at most 64.
    """
    leaves = bounds.shape[0] - 1
    spans = np.empty(4)
    while n_todo > 0 and most > 0:
        most -= 1
        n_todo -= 1
        a, b = todo[n_todo, 0], todo[n_todo, 1]
        if squared_span(lows, highs, a, b) <= best:
            continue
        if a >= leaves:
            for i in range(bounds[a - leaves], bounds[a - leaves + 1]):
                for j in range(bounds[b - leaves], bounds[b - leaves + 1]):
                    square = 0.0
                    for c in range(points.shape[1]):
                        step = points[i, c] - points[j, c]
                        square += step * step
                    best = max(best, square)
            continue
        # The pair of children with the longest span is taken next.
        first = n_todo
        for i in range(2):
            for j in range(1 if a == b and i == 1 else 0, 2):
                spans[n_todo - first] = squared_span(lows, highs, 2 * a + i, 2 * b + j)
                todo[n_todo] = 2 * a + i, 2 * b + j
                n_todo += 1
        longest = first + np.argmax(spans[: n_todo - first])
        c, d = todo[longest, 0], todo[longest, 1]
        todo[longest] = todo[n_todo - 1]
        todo[n_todo - 1] = c, d
    return n_todo, best
