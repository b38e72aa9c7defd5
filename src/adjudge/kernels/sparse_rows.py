"""Euclidean distances between sparse rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel

__all__ = ["sparse_distances"]

Array = np.ndarray[Any, Any]


@kernel()
def sparse_distances(indptr: Array, indices: Array, data: Array, rows: Array, columns: Array) -> Array:
    """Distances by explicit differences over the entries of two rows with sorted indices."""
    out = np.empty((rows.shape[0], columns.shape[0]))
    for r in range(rows.shape[0]):
        row_end = indptr[rows[r] + 1]
        for c in range(columns.shape[0]):
            i = indptr[rows[r]]
            j = indptr[columns[c]]
            column_end = indptr[columns[c] + 1]
            total = 0.0
            while i < row_end or j < column_end:
                if j == column_end or (i < row_end and indices[i] < indices[j]):
                    difference = data[i]
                    i += 1
                elif i == row_end or indices[j] < indices[i]:
                    difference = data[j]
                    j += 1
                else:
                    difference = data[i] - data[j]
                    i += 1
                    j += 1
                total += difference * difference
            out[r, c] = math.sqrt(total)
    return out
