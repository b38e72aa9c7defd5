"""The assignment problem: shortest augmenting paths."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel

__all__ = ["assign"]


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
