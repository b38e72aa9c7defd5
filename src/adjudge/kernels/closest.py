"""The smallest distance between points of different clusters, without looking at most pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine

__all__ = ["closest_of_clusters"]

Array = np.ndarray[Any, Any]


@subroutine()
def squared_gap(lows: Array, highs: Array, a: int, b: int) -> float:
    """Squared distance between two boxes: rounding does not bring it above that of any two of their points."""
    square = 0.0
    for c in range(lows.shape[1]):
        gap = max(lows[a, c] - highs[b, c], lows[b, c] - highs[a, c], 0.0)
        square += gap * gap
    return square


@subroutine()
def closest_in_leaves(
    points: Array, codes: Array, bounds: Array, first: int, second: int, best: float
) -> float:
    """Return the smaller of `best` and the smallest squared distance between clusters of two leaves."""
    for i in range(bounds[first], bounds[first + 1]):
        for j in range(max(bounds[second], i + 1 if first == second else 0), bounds[second + 1]):
            if codes[i] != codes[j]:
                square = 0.0
                for c in range(points.shape[1]):
                    step = points[i, c] - points[j, c]
                    square += step * step
                best = min(best, square)
    return best


@kernel()
def closest_of_clusters(
    points: Array, codes: Array, bounds: Array, lows: Array, highs: Array, clusters: Array
) -> float:
    """Return the smallest squared distance between points of different clusters; inf for one cluster.

    The nodes of a complete binary tree are numbered from 1, the children of t are 2 t and 2 t + 1, and leaf l of L is
    node L + l. It holds the points from `bounds[l]` to `bounds[l + 1]`. `lows` and `highs` are the box of each node,
    and `clusters` that of all of its points, or -1.
    """
    leaves = bounds.shape[0] - 1
    best = np.inf
    # Each level leaves at most three pairs of nodes, and there are at most 64.
    todo = np.empty((256, 2), np.int64)
    todo[0] = 1
    n_todo = 1
    while n_todo > 0:
        n_todo -= 1
        a, b = todo[n_todo, 0], todo[n_todo, 1]
        if clusters[a] >= 0 and clusters[a] == clusters[b]:
            continue
        if squared_gap(lows, highs, a, b) >= best:
            continue
        if a >= leaves:
            best = closest_in_leaves(points, codes, bounds, a - leaves, b - leaves, best)
            continue
        # The nearest pair is taken next: those within a node, else that with the smaller gap.
        if a == b:
            todo[n_todo] = 2 * a, 2 * a + 1
            todo[n_todo + 1] = 2 * a
            todo[n_todo + 2] = 2 * a + 1
            n_todo += 3
            continue
        nearest = n_todo
        least = np.inf
        for i in range(2):
            for j in range(2):
                gap = squared_gap(lows, highs, 2 * a + i, 2 * b + j)
                todo[n_todo] = 2 * a + i, 2 * b + j
                if gap < least:
                    least, nearest = gap, n_todo
                n_todo += 1
        c, d = todo[nearest, 0], todo[nearest, 1]
        todo[nearest] = todo[n_todo - 1]
        todo[n_todo - 1] = c, d
    return best
