"""Rows times a matrix, a row at a time: its digits do not depend on the rows beside it, as those of BLAS do."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel

__all__ = ["multiplied"]

Array = np.ndarray[Any, Any]


@kernel()
def multiplied(rows: Array, matrix: Array) -> Array:
    """Product of rows, (n, p), and a matrix, (p, q)."""
    n, p = rows.shape
    q = matrix.shape[1]
    out = np.zeros((n, q))
    for i in range(n):
        line = out[i]
        for d in range(p):
            x = rows[i, d]
            row = matrix[d]
            for j in range(q):
                line[j] += x * row[j]
    return out
