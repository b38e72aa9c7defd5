"""Mutual reachability: core distances, minimum spanning trees and separations, without storing distances.

Everything is squared: the root comes at the end. Points are sorted by cluster and stored in tiles, as in
:mod:`adjudge.kernels.pair_tiles`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine
from adjudge.kernels.pair_tiles_numba import ROWS, squared_distances

__all__ = [
    "add_within",
    "core_squares",
    "join_row",
    "reach_row",
    "separate",
    "tree_as_listed",
    "tree_in_order",
]

Array = np.ndarray[Any, Any]


# A loop that looks for divisors of zero, as Python's own division does, would not vectorise.
@inlined(error_model="numpy", fastmath={"reassoc", "nsz"})
def sum_of_powers(line: Array, nearest: float, half: int, odd: bool, base: Array, power: Array) -> float:
    """Sum of (nearest / d²)^(p / 2) over a line of squared distances; p = 2 half, or one more where `odd`."""
    for j in range(line.shape[0]):
        base[j] = nearest / line[j]
        power[j] = math.sqrt(base[j]) if odd else 1.0
    rest = half
    while rest > 0:
        if rest & 1:
            for j in range(line.shape[0]):
                power[j] *= base[j]
        for j in range(line.shape[0]):
            base[j] *= base[j]
        rest >>= 1
    total = 0.0
    for j in range(line.shape[0]):
        total += power[j]
    return total


@inlined(fastmath={"reassoc", "nsz", "nnan"})
def least(line: Array) -> float:
    low = np.inf
    for j in range(line.shape[0]):
        low = line[j] if line[j] < low else low
    return low


@kernel()
def core_squares(
    rows: Array, n_rows: int, first: int, n: int, p: int, tiles: Array, buffer: Array, found: Array
) -> None:
    """Squared core distances of some of `n` points: a^-p is the mean of d^-p over the other ones.

    Row r is the point ``first + r``. Distances count in units of the nearest one, so that no power overflows.
    """
    tile = tiles.shape[2]
    base, power = np.empty(tile), np.empty(tile)
    nearest, totals = np.full(n_rows, np.inf), np.zeros(n_rows)
    half, odd = p // 2, p % 2 == 1
    for t in range(tiles.shape[0]):
        offset = t * tile
        width = min(tile, n - offset)
        for i in range(0, n_rows, ROWS):
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(i, min(i + ROWS, n_rows)):
                line = buffer[r - i, :width]
                me = first + r - offset
                if 0 <= me < width:
                    line[me] = np.inf
                low = least(line)
                if low == 0.0 or nearest[r] == 0.0:
                    nearest[r] = 0.0
                    continue
                if low < nearest[r]:
                    totals[r] *= (low / nearest[r]) ** (0.5 * p)
                    nearest[r] = low
                if nearest[r] < np.inf:
                    totals[r] += sum_of_powers(line, nearest[r], half, odd, base, power)
    for r in range(n_rows):
        found[r] = nearest[r] * (totals[r] / (n - 1)) ** (-2.0 / p) if nearest[r] > 0.0 else 0.0


@subroutine()
def squares_to(points: Array, start: int, stop: int, place: Array, out: Array) -> None:
    """Squared distances of one place to the points `start` to `stop`, summed over the dimensions in order."""
    width = stop - start
    line = points[0, start:stop]
    a = place[0]
    for j in range(width):
        out[j] = (line[j] - a) * (line[j] - a)
    d = 1
    while d + 2 < points.shape[0]:
        x, y, z = points[d, start:stop], points[d + 1, start:stop], points[d + 2, start:stop]
        a, b, c = place[d], place[d + 1], place[d + 2]
        for j in range(width):
            u, v, w = x[j] - a, y[j] - b, z[j] - c
            out[j] = out[j] + u * u + v * v + w * w
        d += 3
    while d < points.shape[0]:
        line = points[d, start:stop]
        a = place[d]
        for j in range(width):
            out[j] += (line[j] - a) * (line[j] - a)
        d += 1


# Squared distances that are held at a time.
WIDTH = 512


@inlined(fastmath={"reassoc", "nsz"})
def sum_of_roots(squares: Array) -> float:
    total = 0.0
    for j in range(squares.shape[0]):
        total += math.sqrt(squares[j])
    return total


@kernel()
def add_within(points: Array, first: int, last: int, starts: Array, ends: Array, sums: Array) -> None:
    """Sum the distances of some points to those from `starts` to `ends`, their clusters; `points` has shape (p, n)."""
    place, buffer = np.empty(points.shape[0]), np.empty(WIDTH)
    for i in range(first, last):
        for d in range(points.shape[0]):
            place[d] = points[d, i]
        for start in range(starts[i], ends[i], WIDTH):
            stop = min(start + WIDTH, ends[i])
            squares_to(points, start, stop, place, buffer)
            sums[i] += sum_of_roots(buffer[: stop - start])


@kernel()
def tree_in_order(points: Array, core: Array, parents: Array, lengths: Array, squares: Array) -> None:
    """Minimum spanning tree of points under max(core, core, d), edges compared by (that, d, lower end, higher end).

    No two edges are equal in that order, so that there is one tree, wherever it begins. `points`, of shape (p, n),
    and `core` are moved about. For each point but 0 there is an edge: to `parents`, of squared mutual reachability
    `lengths` and squared distance `squares`.
    """
    p, n = points.shape
    position = np.arange(n)
    best, apart = np.full(n, np.inf), np.full(n, np.inf)
    source = np.zeros(n, np.int64)
    place, buffer = np.empty(p), np.empty(WIDTH)
    reach, closer = np.empty(_RUN), np.empty(_RUN)
    # The smallest of each run of `best`.
    lows = np.full(n // _RUN + 1, np.inf)
    current, own = 0, core[0]
    parents[0], lengths[0], squares[0] = -1, 0.0, 0.0
    for d in range(p):
        place[d] = points[d, 0]
    left = n - 1
    take(points, core, position, best, apart, source, 0, left)
    while left > 0:
        for start in range(0, left, WIDTH):
            stop = min(start + WIDTH, left)
            squares_to(points, start, stop, place, buffer)
            for first in range(start, stop, _RUN):
                last = min(first + _RUN, stop)
                new = buffer[first - start : last - start]
                count = compare_reach(
                    new, own, core[first:last], best[first:last], apart[first:last], reach, closer
                )
                if count >= 1.0:
                    replace(closer, reach, best[first:last])
                    replace(closer, new, apart[first:last])
                    for k in range(first, last):
                        old = source[k]
                        source[k] = current if closer[k - first] == 1.0 else old
                    lows[first // _RUN] = least(best[first:last])
                if count > math.floor(count):
                    for k in range(first, last):
                        if closer[k - first] == _TIED and comes_first(
                            apart[k], current, position[k], apart[k], source[k], position[k]
                        ):
                            source[k] = current
        winner = 0
        for run in range(-(-left // _RUN)):
            if lows[run] > best[winner]:
                continue
            for k in range(run * _RUN, min((run + 1) * _RUN, left)):
                if best[k] < best[winner] or (
                    best[k] == best[winner]
                    and comes_first(
                        apart[k], source[k], position[k], apart[winner], source[winner], position[winner]
                    )
                ):
                    winner = k
        current, own = position[winner], core[winner]
        parents[current], lengths[current], squares[current] = source[winner], best[winner], apart[winner]
        for d in range(p):
            place[d] = points[d, winner]
        left -= 1
        take(points, core, position, best, apart, source, winner, left)
        for k in (winner, left):
            run = k // _RUN
            lows[run] = least(best[run * _RUN : min((run + 1) * _RUN, left)])


# Waiting points that are compared together.
_RUN = 256
# How a tie counts: so little that a whole run of ties is less than 1.
_TIED = 2.0**-20


@inlined(fastmath={"reassoc", "nsz", "nnan"})
def compare_reach(
    squares: Array, own: float, core: Array, best: Array, apart: Array, reach: Array, closer: Array
) -> float:
    """Mutual reachability of a point to waiting ones, and whether it is closer to each than what it hangs on.

    `closer` is 1 for those to which it is, and `_TIED` for those to which it is as close. Returns their sum. All that
    a loop needs is read before it is compared: that vectorises.
    """
    for j in range(squares.shape[0]):
        a, b = core[j], squares[j]
        m = a if a > b else b
        reach[j] = m if m > own else own
    total = 0.0
    for j in range(squares.shape[0]):
        r, b, d, a = reach[j], best[j], squares[j], apart[j]
        tied = _TIED if d == a else 0.0
        tied = 1.0 if d < a else tied
        c = 1.0 if r < b else 0.0
        c = tied if r == b else c
        closer[j] = c
        total += c
    return total


@subroutine()
def replace(closer: Array, values: Array, kept: Array) -> None:
    for j in range(kept.shape[0]):
        value, old = values[j], kept[j]
        kept[j] = value if closer[j] == 1.0 else old


@subroutine()
def comes_first(d: float, i: int, j: int, other_d: float, other_i: int, other_j: int) -> bool:
    """Whether of two edges of equal reachability the one of length d between i and j comes first."""
    if d != other_d:
        return d < other_d
    low, other_low = min(i, j), min(other_i, other_j)
    return low < other_low or (low == other_low and max(i, j) < max(other_i, other_j))


@subroutine()
def take(
    points: Array, core: Array, position: Array, best: Array, apart: Array, source: Array, k: int, last: int
) -> None:
    """Put the last waiting point in the place of one that has joined the tree."""
    for d in range(points.shape[0]):
        points[d, k] = points[d, last]
    core[k], position[k] = core[last], position[last]
    best[k], apart[k], source[k] = best[last], apart[last], source[last]


@kernel()
def tree_as_listed(points: Array, core: Array, parents: Array, lengths: Array, squares: Array) -> None:
    """Minimum spanning tree as the authors of DBCV build it: from point 0, by list search.

    An edge is replaced only by a strictly smaller one, and of equal ones the first point listed joins.
    """
    p, n = points.shape
    joined = np.zeros(n, np.bool_)
    lengths[:] = np.inf
    squares[:] = 0.0
    parents[:] = -1
    place, buffer = np.empty(p), np.empty(WIDTH)
    current = 0
    for _ in range(n - 1):
        joined[current] = True
        for d in range(p):
            place[d] = points[d, current]
        winner = -1
        for start in range(0, n, WIDTH):
            stop = min(start + WIDTH, n)
            squares_to(points, start, stop, place, buffer)
            for k in range(start, stop):
                if joined[k]:
                    continue
                m = max(core[k], buffer[k - start])
                m = max(m, core[current])
                if m < lengths[k]:
                    lengths[k], squares[k], parents[k] = m, buffer[k - start], current
                if winner < 0 or lengths[k] < lengths[winner]:
                    winner = k
        current = winner
    lengths[0] = 0.0


@kernel()
def join_row(
    line: Array,
    core: Array,
    current: int,
    joined: Array,
    in_order: bool,
    parents: Array,
    lengths: Array,
    distances: Array,
) -> int:
    """One step of Prim's algorithm with given distances of the newest point: the point that joins next, or -1."""
    joined[current] = True
    winner = -1
    for k in range(line.shape[0]):
        if joined[k]:
            continue
        m = max(max(core[k], core[current]), line[k])
        if m < lengths[k] or (
            in_order and m == lengths[k] and comes_first(line[k], current, k, distances[k], parents[k], k)
        ):
            lengths[k], distances[k], parents[k] = m, line[k], current
        if (
            winner < 0
            or lengths[k] < lengths[winner]
            or (
                in_order
                and lengths[k] == lengths[winner]
                and comes_first(distances[k], parents[k], k, distances[winner], parents[winner], winner)
            )
        ):
            winner = k
    return winner


@inlined(fastmath={"reassoc", "nsz", "nnan"})
def least_reach(line: Array, own: float, core: Array, columns: Array) -> float:
    """Smallest squared mutual reachability along a line; that of each column is kept, too."""
    low = np.inf
    for j in range(line.shape[0]):
        m = line[j] if line[j] > core[j] else core[j]
        m = m if m > own else own
        low = m if m < low else low
        columns[j] = m if m < columns[j] else columns[j]
    return low


@kernel()
def separate(
    rows: Array,
    n_rows: int,
    own: Array,
    ends: Array,
    n: int,
    tiles: Array,
    core: Array,
    buffer: Array,
    nearest: Array,
    columns: Array,
) -> None:
    """Smallest squared mutual reachability of each row, and of each column, to points of clusters further on.

    Points are sorted by cluster: the columns of row r begin at ``ends[r]``, where its cluster ends.
    """
    tile = tiles.shape[2]
    for t in range(ends[0] // tile, tiles.shape[0]):
        offset = t * tile
        width = min(tile, n - offset)
        for i in range(0, n_rows, ROWS):
            if ends[i] >= offset + width:
                continue
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(min(ROWS, n_rows - i)):
                start = max(0, ends[i + r] - offset)
                if start >= width:
                    continue
                low = least_reach(
                    buffer[r, start:width],
                    own[i + r],
                    core[offset + start : offset + width],
                    columns[offset + start : offset + width],
                )
                nearest[i + r] = min(nearest[i + r], low)


@kernel()
def reach_row(line: Array, core: float, current: int, reached: Array, reachability: Array) -> int:
    """One step of OPTICS with given distances of the newest point: the point that is reached next, or -1."""
    reached[current] = True
    winner = -1
    for k in range(line.shape[0]):
        if reached[k]:
            continue
        reachability[k] = min(reachability[k], max(core, line[k]))
        if winner < 0 or reachability[k] < reachability[winner]:
            winner = k
    return winner
