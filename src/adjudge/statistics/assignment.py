"""Optimal one-to-one matching of true and predicted clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.statistics.joint import JointCounts

# A dense assignment is solved up to this many cells; beyond it the sparse solver needs far less memory.
_LARGEST_DENSE = 1 << 22

__all__ = ["matched_columns", "optimal_assignment"]


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
    if shape[0] > shape[1]:
        row_of = optimal_assignment(cols, rows, weights, (shape[1], shape[0]))
        matched = np.full(shape[0], -1, np.int64)
        some = row_of >= 0
        matched[row_of[some]] = np.flatnonzero(some)
        return matched
    if shape[0] * shape[1] > _LARGEST_DENSE:
        return _sparse_assignment(rows, cols, weights, shape)
    from adjudge.kernels.assignment import assign

    dense = np.zeros(shape)
    dense[rows, cols] = weights
    return assign(dense)


def matched_columns(table: JointCounts) -> NDArray[np.int64]:
    """Columns in the order of the rows that they are matched with; unmatched ones follow, the largest first."""
    matched = optimal_assignment(*table.cells(), table.shape)
    used = matched[matched >= 0]
    left = np.setdiff1d(np.arange(table.shape[1]), used)
    largest_first = left[np.argsort(-table.col_sums[left], kind="stable")]
    return np.asarray(np.concatenate([used, largest_first]))


def _sparse_assignment(
    rows: NDArray[np.int64], cols: NDArray[np.int64], weights: NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.int64]:
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
    matched = np.full(shape[0], -1, np.int64)
    sparse_rows, sparse_cols = min_weight_full_bipartite_matching(graph, maximize=True)
    real = sparse_cols < shape[1]
    matched[sparse_rows[real]] = sparse_cols[real]
    return matched
