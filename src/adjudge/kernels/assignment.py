"""The assignment problem: shortest augmenting paths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel, subroutine

__all__ = ["assign", "assign_sparse"]


@kernel()
def assign(weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Match each row with a column of its own so that the weights of the matched cells sum to the most.

    Parameters
    ----------
    weights : ndarray of float64 of shape (R, C), R <= C

    Returns
    -------
    ndarray of int64 of shape (R,)

    References
    ----------
    Crouse (2016), On implementing 2D rectangular assignment algorithms.
    """
    n_rows, n_cols = weights.shape
    u, v = np.zeros(n_rows), np.zeros(n_cols)
    col_of, row_of = np.full(n_rows, -1), np.full(n_cols, -1)
    shortest, came_from = np.empty(n_cols), np.empty(n_cols, np.int64)
    remaining, done = np.empty(n_cols, np.int64), np.empty(n_cols, np.int64)
    for start in range(n_rows):
        for col in range(n_cols):
            shortest[col] = math.inf
            remaining[col] = n_cols - 1 - col
        n_done = 0
        reached, row, sink = 0.0, start, -1
        while sink < 0:
            lowest, nearest = math.inf, -1
            for place in range(n_cols - n_done):
                col = remaining[place]
                length = reached - weights[row, col] - u[row] - v[col]
                if length < shortest[col]:
                    came_from[col] = row
                    shortest[col] = length
                # Among equals a column that is free ends the search.
                if shortest[col] < lowest or (shortest[col] == lowest and row_of[col] < 0):
                    lowest = shortest[col]
                    nearest = place
            reached = lowest
            col = remaining[nearest]
            done[n_done] = col
            n_done += 1
            remaining[nearest] = remaining[n_cols - n_done]
            if row_of[col] < 0:
                sink = col
            else:
                row = row_of[col]
        u[start] += reached
        for place in range(n_done):
            col = done[place]
            if row_of[col] >= 0:
                u[row_of[col]] += reached - shortest[col]
            v[col] -= reached - shortest[col]
        row = -1
        while row != start:
            row = came_from[sink]
            row_of[sink] = row
            col_of[row], sink = sink, col_of[row]
    return col_of


@subroutine()
def push(keys: Any, nodes: Any, size: int, key: float, node: int) -> None:
    """Add a node to a heap of `size` nodes."""
    place = size
    while place > 0:
        parent = (place - 1) >> 1
        if keys[parent] <= key:
            break
        keys[place], nodes[place] = keys[parent], nodes[parent]
        place = parent
    keys[place], nodes[place] = key, node


@subroutine()
def pop(keys: Any, nodes: Any, size: int) -> None:
    """Take the first of `size` nodes off a heap."""
    last = size - 1
    key, node = keys[last], nodes[last]
    place = 0
    while True:
        child = 2 * place + 1
        if child >= last:
            break
        if child + 1 < last and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[place], nodes[place] = keys[child], nodes[child]
        place = child
    keys[place], nodes[place] = key, node


@kernel()
def assign_sparse(starts: Any, columns: Any, weights: Any, n_columns: int, turns: Any) -> Any:
    """Match rows with columns so that the weights of the matched cells sum to the most; cells not given weigh 0.

    Rows that gain nothing stay alone. Rows are taken one after the other; a search from each ends at a free column, or
    at a row that gives its column up, whichever costs least. It visits only cells that are closer than that.

    Parameters
    ----------
    starts : ndarray of int64 of shape (R + 1,)
        Where the cells of each row begin.
    columns : ndarray of int64 of shape (cells,)
    weights : ndarray of float64 of shape (cells,)
        Positive.
    n_columns : int
    turns : ndarray of int64 of shape (R,)
        In which order rows are taken.

    Returns
    -------
    ndarray of int64 of shape (R,)
        Column of each row, or -1.
    """
    n_rows = starts.size - 1
    u, v = np.zeros(n_rows), np.zeros(n_columns)
    col_of, row_of = np.full(n_rows, -1), np.full(n_columns, -1)
    # Whichever column gives a row the most is its own, if no row before took it.
    for row in turns:
        for cell in range(starts[row], starts[row + 1]):
            u[row] = max(u[row], weights[cell])
        for cell in range(starts[row], starts[row + 1]):
            if u[row] > 0.0 and weights[cell] == u[row] and row_of[columns[cell]] < 0 and col_of[row] < 0:
                col_of[row], row_of[columns[cell]] = columns[cell], row
    reached, came_from = np.full(n_columns, np.inf), np.empty(n_columns, np.int64)
    settled = np.zeros(n_columns, np.bool_)
    keys, nodes = np.empty(columns.size + 1), np.empty(columns.size + 1, np.int64)
    touched = np.empty(n_columns, np.int64)
    for start in turns:
        if col_of[start] >= 0 or u[start] == 0.0:
            continue
        size = 0
        n_touched = 0
        row, distance = start, 0.0
        # Where the search ends: a row that stays alone, or a free column, and at what cost.
        alone, free, least = start, -1, u[start]
        while True:
            for cell in range(starts[row], starts[row + 1]):
                col = columns[cell]
                length = distance + max(0.0, u[row] + v[col] - weights[cell])
                # Among equals a column that is free ends the search.
                if length > least or (length == least and (free >= 0 or row_of[col] >= 0)):
                    continue
                if length < reached[col]:
                    if reached[col] == np.inf:
                        touched[n_touched] = col
                        n_touched += 1
                    reached[col], came_from[col] = length, row
                    if row_of[col] < 0:
                        free, alone, least = col, -1, length
                    else:
                        push(keys, nodes, size, length, col)
                        size += 1
            while size > 0 and settled[nodes[0]]:
                pop(keys, nodes, size)
                size -= 1
            if size == 0 or keys[0] >= least:
                break
            distance, col = keys[0], nodes[0]
            pop(keys, nodes, size)
            size -= 1
            settled[col] = True
            row = row_of[col]
            if distance + u[row] < least:
                free, alone, least = -1, row, distance + u[row]
        u[start] = max(0.0, u[start] - least)
        for i in range(n_touched):
            col = touched[i]
            if settled[col] and reached[col] < least:
                u[row_of[col]] = max(0.0, u[row_of[col]] - (least - reached[col]))
                v[col] += least - reached[col]
        # The columns on the way go to the rows from which they were reached.
        if free >= 0:
            col = free
        elif alone == start:
            col = -1
        else:
            col = col_of[alone]
            col_of[alone] = -1
            u[alone] = 0.0
        while col >= 0:
            row = came_from[col]
            row_of[col] = row
            before = col_of[row]
            col_of[row] = col
            col = before if row != start else -1
        for i in range(n_touched):
            reached[touched[i]] = np.inf
            settled[touched[i]] = False
    return col_of
