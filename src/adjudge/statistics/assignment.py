"""Optimal one-to-one matching of true and predicted clusters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.startup import OPTIMIZE

# A dense assignment is solved up to this many cells; beyond it the sparse solver needs far less memory.
_LARGEST_DENSE = 1 << 22
# What plain Python takes to look at one cell once.
_SECONDS_A_CELL = 5e-8

__all__ = ["optimal_assignment"]


def optimal_assignment(
    rows: NDArray[np.int64], cols: NDArray[np.int64], weights: NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.int64]:
    """Match rows with columns so that the weights of the matched cells sum to the most.

    Parameters
    ----------
    rows, cols, weights : ndarray of shape (n_cells,)
        The cells with positive weight; all others weigh 0.
    shape : tuple of int

    Returns
    -------
    ndarray of int64 of shape (shape[0],)
        Column matched with each row; -1 for rows that are left over.
    """
    matched = np.full(shape[0], -1, np.int64)
    if shape[0] * shape[1] <= _LARGEST_DENSE:
        dense = np.zeros(shape)
        dense[rows, cols] = weights
        if not OPTIMIZE.pays(_SECONDS_A_CELL * dense.size * min(shape)):
            matched[:] = _assign_few(dense)
            return matched
        from scipy.optimize import linear_sum_assignment

        matched_rows, matched_cols = linear_sum_assignment(dense, maximize=True)
        matched[matched_rows] = matched_cols
        return matched
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # A private spare column for each row makes a full matching exist; 1 is added to every weight (so to every
    # full matching alike), because the solver takes 0 for "no edge". SciPy before 1.15 knows int32 positions only.
    spare = np.arange(shape[0], dtype=np.int32)
    graph = csr_array(
        (
            np.concatenate([weights + 1.0, np.ones(shape[0])]),
            (
                np.concatenate([rows.astype(np.int32), spare]),
                np.concatenate([cols.astype(np.int32), np.int32(shape[1]) + spare]),
            ),
        ),
        shape=(shape[0], shape[1] + shape[0]),
    )
    sparse_rows, sparse_cols = min_weight_full_bipartite_matching(graph, maximize=True)
    real = sparse_cols < shape[1]
    matched[sparse_rows[real]] = sparse_cols[real]
    return matched


def _assign_few(weights: NDArray[Any]) -> list[int]:
    """Do what SciPy's ``linear_sum_assignment(weights, maximize=True)`` does, and choose among equals as it does.

    Shortest augmenting paths, one for each row, in plain Python: SciPy takes long to be imported.

    References
    ----------
    Crouse (2016), On implementing 2D rectangular assignment algorithms.
    """
    if weights.shape[0] > weights.shape[1]:
        row_of_col = _assign_few(weights.T)
        matched = [-1] * weights.shape[0]
        for col, row in enumerate(row_of_col):
            matched[row] = col
        return matched
    costs = (-weights).tolist()
    n_rows, n_cols = weights.shape
    u, v = [0.0] * n_rows, [0.0] * n_cols
    col_of, row_of = [-1] * n_rows, [-1] * n_cols
    for start in range(n_rows):
        shortest, came_from = [math.inf] * n_cols, [-1] * n_cols
        visited_rows: list[int] = []
        remaining = list(range(n_cols - 1, -1, -1))
        done: list[int] = []
        reached, row, sink = 0.0, start, -1
        while sink < 0:
            visited_rows.append(row)
            lowest, nearest = math.inf, -1
            cost_of, base = costs[row], u[row]
            for place, col in enumerate(remaining):
                length = reached + cost_of[col] - base - v[col]
                if length < shortest[col]:
                    came_from[col], shortest[col] = row, length
                # Among equals a column that is free ends the search.
                if shortest[col] < lowest or (shortest[col] == lowest and row_of[col] < 0):
                    lowest, nearest = shortest[col], place
            reached = lowest
            col = remaining[nearest]
            if row_of[col] < 0:
                sink = col
            else:
                row = row_of[col]
            done.append(col)
            remaining[nearest] = remaining[-1]
            remaining.pop()
        u[start] += reached
        for visited in visited_rows[1:]:
            u[visited] += reached - shortest[col_of[visited]]
        for col in done:
            v[col] -= reached - shortest[col]
        while True:
            row = came_from[sink]
            row_of[sink] = row
            col_of[row], sink = sink, col_of[row]
            if row == start:
                break
    return col_of
