"""The longest edge of a minimum spanning tree of points, without the tree: a set grows until it holds all of them.

While a point outside of the set is within a length that the longest edge is known to have, it may join at once. The
others wait until none is left: then the nearest of them says how long the longest edge is at least.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine
from adjudge.kernels.reachability_numba import WIDTH, least, squares_to

__all__ = ["isolation", "join_within"]

Array = np.ndarray[Any, Any]


@subroutine()
def _copy(points: Array, k: int, place: Array) -> None:
    for d in range(points.shape[0]):
        place[d] = points[d, k]


@kernel()
def isolation(points: Array, few: int) -> float:
    """Largest squared distance from one of the first few points to its nearest other one; `points`: (p, n)."""
    p, n = points.shape
    place, buffer = np.empty(p), np.empty(WIDTH)
    largest = 0.0
    for i in range(few):
        _copy(points, i, place)
        nearest = np.inf
        for start in range(0, n, WIDTH):
            stop = min(start + WIDTH, n)
            squares_to(points, start, stop, place, buffer)
            if start <= i < stop:
                buffer[i - start] = np.inf
            nearest = min(nearest, least(buffer[: stop - start]))
        largest = max(largest, nearest)
    return largest


@subroutine()
def _join(points: Array, best: Array, k: int, last: int) -> None:
    """Let a point change places with the last one outside of the set, which it joins."""
    for d in range(points.shape[0]):
        points[d, k], points[d, last] = points[d, last], points[d, k]
    best[k] = best[last]


@subroutine()
def _keep_smaller(best: Array, found: Array) -> None:
    for j in range(best.shape[0]):
        best[j] = found[j] if found[j] < best[j] else best[j]


@kernel()
def join_within(
    points: Array, best: Array, left: int, waiting: int, reach: float, most: int
) -> tuple[int, int, float]:
    """Let points join the set until all have, or about `most` distances were measured.

    points : (p, n), moved about: those outside of the set are the first `left` columns
    best : (n,), the squared distances of these to the points of the set that were looked at
    waiting : how many points of the set were not; they are the columns that follow
    reach : the squared longest edge, as far as it is known

    Returns `left`, `waiting` and `reach`. Once no point is left, `reach` is the squared longest edge.
    """
    place, buffer = np.empty(points.shape[0]), np.empty(WIDTH)
    while left > 0 and most > 0:
        outside = left
        is_looking = waiting > 0
        if not is_looking:
            reach = max(reach, least(best[:left]))
        else:
            # The last to join is the farthest from those that have been looked at.
            _copy(points, left, place)
            waiting -= 1
            for d in range(points.shape[0]):
                points[d, left] = points[d, left + waiting]
            most -= left
        # From the end: what takes the place of a point that joins has been looked at.
        for run in range((outside - 1) // WIDTH, -1, -1):
            start = run * WIDTH
            stop = min(start + WIDTH, outside)
            if is_looking:
                squares_to(points, start, stop, place, buffer)
                _keep_smaller(best[start:stop], buffer)
            if least(best[start:stop]) <= reach:
                for k in range(stop - 1, start - 1, -1):
                    if best[k] <= reach:
                        left -= 1
                        waiting += 1
                        _join(points, best, k, left)
    return left, waiting, reach
