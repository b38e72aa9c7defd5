"""Silhouettes from distances given row by row: these need not be symmetric, and may be sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.sorted_points import strips
from adjudge.statistics.pair_distances import Silhouettes, silhouette_widths

__all__ = ["silhouettes_of_rows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def silhouettes_of_rows(D: Any, codes: Ints) -> Silhouettes:
    """Reduce distances to silhouette widths.

    Parameters
    ----------
    D : ndarray or scipy sparse CSR matrix of shape (n, n)
        Row i holds the distances from point i. A distance that is not stored is 0.
    codes : ndarray of int64 of shape (n,)
        Clusters coded 0..K-1 without gaps, at least two.
    """
    sizes = np.bincount(codes)
    n = codes.size
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    own, nearest = np.empty(n), np.empty(n)
    # Columns in the order of the clusters: each cluster is one run.
    sparse = hasattr(D, "indptr")
    for rows in strips(n, n):
        sums = _sums_of_sparse(D[rows], codes, sizes.size) if sparse else _sums(D[rows], order, starts)
        at = np.arange(sums.shape[0]), codes[rows]
        own[rows] = sums[at]
        means = sums / sizes
        means[at] = np.inf
        nearest[rows] = means.min(axis=1)
    return Silhouettes(sizes, codes, silhouette_widths(own, sizes[codes] - 1, nearest))


def _sums(D: Any, order: Ints, starts: Ints) -> Floats:
    return np.add.reduceat(np.asarray(D, np.float64)[:, order], starts, axis=1)


def _sums_of_sparse(D: Any, codes: Ints, k: int) -> Floats:
    """Sum the stored entries of each row by the cluster of their column."""
    n = D.shape[0]
    cells = np.repeat(np.arange(n), np.diff(D.indptr)) * k + codes[D.indices]
    sums = np.bincount(cells, np.asarray(D.data, np.float64), minlength=n * k)
    return np.asarray(sums, np.float64).reshape(n, k)
