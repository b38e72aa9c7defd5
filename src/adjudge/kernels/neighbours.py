"""The nearest points of each point, by explicit differences, and the extremes of distances by cluster."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine
from adjudge.kernels.pair_tiles_numba import ROWS, squared_distances

__all__ = [
    "BLOCK",
    "insert_block",
    "least_reach_of_blocks",
    "nearest_of_blocks",
    "neighbours_in_blocks",
    "outside_extremes",
]

Array = np.ndarray[Any, Any]


# Points of a compact block.
BLOCK = 64
# Blocks that are looked at first: after these few others are near enough.
_FIRST_BLOCKS = 16
# How much rounding may bring a distance beyond the bounds of its block.
_ROUNDING = 1e-12


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
def insert_block(block: Array, own: Array, offset: int, distances: Array, positions: Array) -> None:
    """Take in a block of given distances from the rows to the points from `offset` on; blocks come in order."""
    for i in range(block.shape[0]):
        found, places = distances[i], positions[i]
        for j in range(block.shape[1]):
            if block[i, j] <= found[-1] and offset + j != own[i]:
                insert(block[i, j], offset + j, found, places)


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
    single: int,
    buffer: Array,
    nearest: Array,
    farthest: Array,
) -> None:
    """Squared distance of each row to the nearest point of another cluster, and by cluster the least of the largest.

    The points of the tiles are sorted by cluster: `bounds` says where each begins. From position `single` on clusters
    are of one point. `farthest` holds for each of the others the smallest, over the rows outside of it, of the largest
    squared distance to its points; inf before.
    """
    tile = tiles.shape[2]
    reach = np.zeros(of_row.shape[0])
    first = 0
    for t in range(tiles.shape[0]):
        offset = t * tile
        width = min(tile, n - offset)
        among = min(max(single - offset, 0), width)
        while among > 0 and bounds[first + 1] <= offset:
            first += 1
        for i in range(0, of_row.shape[0], ROWS):
            squared_distances(rows, i, tiles[t], width, buffer)
            for r in range(i, min(i + ROWS, of_row.shape[0])):
                line = buffer[r - i]
                own = bounds[of_row[r]] - offset
                if among < width:
                    # All single points but the row itself.
                    own = own if among <= own < width else width
                    low = min(extremes(line[among:own])[0], extremes(line[min(own + 1, width) : width])[0])
                    nearest[r] = min(nearest[r], low)
                cluster, start = first, 0
                while start < among:
                    stop = min(among, bounds[cluster + 1] - offset)
                    if of_row[r] != cluster:
                        low, high = extremes(line[start:stop])
                        nearest[r] = min(nearest[r], low)
                        reach[r] = max(reach[r], high)
                        if offset + stop == bounds[cluster + 1]:
                            farthest[cluster] = min(farthest[cluster], reach[r])
                            reach[r] = 0.0
                    start = stop
                    cluster += 1


@subroutine()
def gap_of_boxes(low: Array, high: Array, other_low: Array, other_high: Array) -> float:
    """Return no more than any squared distance between points of two boxes."""
    total = 0.0
    for d in range(low.shape[0]):
        gap = max(other_low[d] - high[d], low[d] - other_high[d], 0.0)
        total += gap * gap
    return total * (1.0 - _ROUNDING)


@subroutine()
def span_of_boxes(low: Array, high: Array, other_low: Array, other_high: Array) -> float:
    """Return no less than any squared distance between points of two boxes."""
    total = 0.0
    for d in range(low.shape[0]):
        span = max(other_high[d] - low[d], high[d] - other_low[d])
        total += span * span
    return total * (1.0 + _ROUNDING)


@subroutine()
def look_at_block(
    rows: Array, i: int, n_rows: int, tile: Array, width: int, buffer: Array, nearest: Array, reach: Array
) -> tuple[float, float]:
    """Take in the distances of a block of rows to another block: the largest of the nearest, and the least reach."""
    worst, least = 0.0, np.inf
    for first in range(0, n_rows, ROWS):
        squared_distances(rows, i + first, tile, width, buffer)
        for r in range(first, min(first + ROWS, n_rows)):
            low, high = extremes(buffer[r - first, :width])
            nearest[r], reach[r] = min(nearest[r], low), max(reach[r], high)
            worst, least = max(worst, nearest[r]), min(least, reach[r])
    return worst, least


@kernel()
def nearest_of_blocks(
    rows: Array,
    tiles: Array,
    widths: Array,
    of_block: Array,
    boxes: Array,
    first: int,
    last: int,
    buffer: Array,
    nearest: Array,
) -> None:
    """Squared distance of the points of some blocks to the nearest point of another cluster; inf before.

    Each block holds points of one cluster, `of_block`, in a box from `boxes[0]` to `boxes[1]`: what is too far off is
    not looked at.
    """
    n_blocks = widths.shape[0]
    gaps, unused = np.empty(n_blocks), np.zeros(BLOCK)
    for b in range(first, last):
        closest = -1
        for c in range(n_blocks):
            gaps[c] = np.inf
            if of_block[c] != of_block[b]:
                gaps[c] = gap_of_boxes(boxes[0, b], boxes[1, b], boxes[0, c], boxes[1, c])
                if closest < 0 or gaps[c] < gaps[closest]:
                    closest = c
        own = nearest[b * BLOCK : (b + 1) * BLOCK]
        worst = np.inf
        for step in range(-1, n_blocks):
            c = closest if step < 0 else step
            if gaps[c] < worst:
                worst, _ = look_at_block(rows, b * BLOCK, widths[b], tiles[c], widths[c], buffer, own, unused)
                gaps[c] = np.inf


@kernel()
def least_reach_of_blocks(
    rows: Array, tiles: Array, widths: Array, of_block: Array, boxes: Array, cluster: int, buffer: Array
) -> float:
    """Find the smallest, over the points outside of a cluster, of the largest squared distance to its points.

    Blocks are those of `nearest_of_blocks`.
    """
    n_blocks = widths.shape[0]
    least = np.inf
    gaps, unused = np.full(n_blocks, np.inf), np.full(BLOCK, np.inf)
    spans = np.empty(n_blocks)
    closest = -1
    for b in range(n_blocks):
        if of_block[b] != cluster:
            gaps[b] = 0.0
            for c in range(n_blocks):
                if of_block[c] == cluster:
                    gaps[b] = max(gaps[b], gap_of_boxes(boxes[0, b], boxes[1, b], boxes[0, c], boxes[1, c]))
            if closest < 0 or gaps[b] < gaps[closest]:
                closest = b
    for step in range(-1, n_blocks):
        b = closest if step < 0 else step
        if b < 0 or gaps[b] >= least:
            continue
        gaps[b] = np.inf
        reach = np.zeros(BLOCK)
        farthest = -1
        for c in range(n_blocks):
            spans[c] = -1.0
            if of_block[c] == cluster:
                spans[c] = span_of_boxes(boxes[0, b], boxes[1, b], boxes[0, c], boxes[1, c])
                if farthest < 0 or spans[c] > spans[farthest]:
                    farthest = c
        shortest = -1.0
        for inner in range(-1, n_blocks):
            c = farthest if inner < 0 else inner
            # Once the least of them reaches too far, none of these rows matters.
            if spans[c] > shortest and shortest < least:
                _, shortest = look_at_block(
                    rows, b * BLOCK, widths[b], tiles[c], widths[c], buffer, unused, reach
                )
                spans[c] = -1.0
        least = min(least, shortest)
    return least


@subroutine()
def are_near(
    rows: Array, first: int, stop: int, low: Array, high: Array, lowest: int, squares: Array, positions: Array
) -> bool:
    """Whether some rows may have to keep a point of a box, of which `lowest` is the first in the input."""
    last = squares.shape[1] - 1
    for r in range(first, stop):
        most = squares[r, last]
        total = 0.0
        for d in range(low.shape[0]):
            gap = max(low[d] - rows[r, d], rows[r, d] - high[d], 0.0)
            total += gap * gap * (1.0 - _ROUNDING)
            if total > most:
                break
        if total < most or (total == most and lowest < positions[r, last]):
            return True
    return False


@subroutine()
def keep_near_points(
    rows: Array,
    own: Array,
    tile: Array,
    theirs: Array,
    low: Array,
    high: Array,
    buffer: Array,
    squares: Array,
    positions: Array,
) -> float:
    """Take in the points of a block; the largest of the squared distances that are kept for the rows."""
    n_rows, width, last = own.shape[0], theirs.shape[0], squares.shape[1] - 1
    for first in range(0, n_rows, ROWS):
        stop = min(first + ROWS, n_rows)
        if not are_near(rows, first, stop, low, high, theirs[0], squares, positions):
            continue
        squared_distances(rows, first, tile, width, buffer)
        # Without views: to make one takes as long as a hundred distances.
        for r in range(first, stop):
            most, farthest = squares[r, last], positions[r, last]
            near = 0
            for j in range(width):
                near += buffer[r - first, j] <= most
            if near == 0:
                continue
            for j in range(width):
                square = buffer[r - first, j]
                if square > most or (square == most and theirs[j] > farthest) or theirs[j] == own[r]:
                    continue
                insert(square, theirs[j], squares[r], positions[r])
                most, farthest = squares[r, last], positions[r, last]
    worst = 0.0
    for r in range(n_rows):
        worst = max(worst, squares[r, last])
    return worst


@kernel()
def neighbours_in_blocks(
    rows: Array,
    tiles: Array,
    starts: Array,
    members: Array,
    boxes: Array,
    first: int,
    last: int,
    buffer: Array,
    squares: Array,
    positions: Array,
) -> None:
    """Find the nearest points of the points of some blocks, and their squared distances.

    The block b has the points `members[starts[b]:starts[b + 1]]`, in the order of the input, in a box from
    `boxes[0, b]` to `boxes[1, b]`; no point is a neighbour of itself. `squares`, a row for each of these points, holds
    inf, and `positions` the number of points, before.
    """
    n_blocks, size = starts.shape[0] - 1, tiles.shape[2]
    gaps = np.empty(n_blocks)
    near_gaps, near = np.empty(_FIRST_BLOCKS), np.empty(_FIRST_BLOCKS, np.int64)
    offset = 0
    for b in range(first, last):
        near_gaps[:] = np.inf
        near[:] = n_blocks
        for c in range(n_blocks):
            # The block itself comes first.
            gaps[c] = gap_of_boxes(boxes[0, b], boxes[1, b], boxes[0, c], boxes[1, c]) if c != b else -1.0
            insert(gaps[c], c, near_gaps, near)
        own = members[starts[b] : starts[b + 1]]
        mine = rows[b * size : (b + 1) * size]
        found, places = squares[offset : offset + own.shape[0]], positions[offset : offset + own.shape[0]]
        worst = np.inf
        for step in range(_FIRST_BLOCKS + n_blocks):
            c = near[step] if step < _FIRST_BLOCKS else step - _FIRST_BLOCKS
            if c < n_blocks and gaps[c] <= worst:
                theirs = members[starts[c] : starts[c + 1]]
                worst = keep_near_points(
                    mine, own, tiles[c], theirs, boxes[0, c], boxes[1, c], buffer, found, places
                )
                gaps[c] = np.nan
        offset += own.shape[0]
    for i in range(squares.shape[0]):
        for j in range(squares.shape[1]):
            squares[i, j] = math.sqrt(squares[i, j])
