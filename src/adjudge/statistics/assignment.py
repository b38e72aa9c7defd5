"""Optimal one-to-one matching of true and predicted clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.kernels.assignment import assign, assign_sparse
from adjudge.statistics.joint import JointCounts

# A dense assignment is solved up to this many cells; beyond it, only non-empty cells are visited.
_LARGEST_DENSE = 1 << 22


def optimal_assignment(rows: Ints, cols: Ints, weights: NDArray[Any], shape: tuple[int, int]) -> Ints:
    """Match rows with columns to maximize the sum of the weights of the matched cells.

    Parameters
    ----------
    rows, cols, weights : ndarray of shape (n_cells,)
        The cells with positive weight; all others have weight 0.
    shape : tuple of int

    Returns
    -------
    ndarray of int64 of shape (shape[0],)
        Column matched with each row; -1 for unmatched rows.
    """
    if shape[0] > shape[1]:
        row_of = optimal_assignment(cols, rows, weights, (shape[1], shape[0]))
        matched = np.full(shape[0], -1, np.int64)
        some = row_of >= 0
        matched[row_of[some]] = np.flatnonzero(some)
        return matched
    if shape[0] * shape[1] > _LARGEST_DENSE:
        return _sparse_assignment(rows, cols, weights, shape)
    dense = np.zeros(shape)
    dense[rows, cols] = weights
    return assign(dense)


def matched_columns(table: JointCounts) -> Ints:
    """Return the columns in the order of their matched rows; unmatched columns follow, the largest first."""
    matched = optimal_assignment(*table.cells(), table.shape)
    used = matched[matched >= 0]
    left = np.setdiff1d(np.arange(table.shape[1]), used)
    largest_first = left[np.argsort(-table.col_sums[left], kind="stable")]
    return np.asarray(np.concatenate([used, largest_first]))


def _sparse_assignment(rows: Ints, cols: Ints, weights: NDArray[Any], shape: tuple[int, int]) -> Ints:
    order = np.argsort(rows, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(rows, minlength=shape[0])))
    most = np.zeros(shape[0])
    np.maximum.at(most, rows, weights)
    # Rows with the most to gain come first: the others then find sooner that they gain nothing.
    turns = np.argsort(-most, kind="stable")
    own = np.ascontiguousarray(weights[order], np.float64)
    return np.asarray(
        assign_sparse(starts, np.ascontiguousarray(cols[order], np.int64), own, shape[1], turns)
    )
