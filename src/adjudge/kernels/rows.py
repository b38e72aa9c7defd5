"""Loops over rows, each of which gives the same digits whatever rows are beside it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel

__all__ = ["multiplied", "of_length", "squares_from_bases", "sums_from_bases"]

Array = np.ndarray[Any, Any]


@kernel()
def multiplied(rows: Array, matrix: Array) -> Array:
    """Product of rows, (n, p), and a matrix, (p, q); with BLAS a row's digits would depend on its place."""
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


@inlined(fastmath={"reassoc", "nnan", "nsz"})
def largest_entry(row: Array) -> Any:
    largest = 0.0
    for d in range(row.shape[0]):
        size = abs(np.float64(row[d]))
        largest = size if size > largest else largest
    return largest


@inlined(fastmath={"reassoc", "nsz"})
def sum_of_squares(row: Array) -> Any:
    total = 0.0
    for d in range(row.shape[0]):
        total += row[d] * row[d]
    return total


@kernel()
def of_length(rows: Array, length: float) -> Array:
    """Rows, (n, p), scaled to a length, in double precision; none is zero.

    Each is divided by its largest entry first, against overflow, and because whole multiples then often become equal.
    """
    n, p = rows.shape
    out = np.empty((n, p))
    for i in range(n):
        row, line = rows[i], out[i]
        largest = largest_entry(row)
        for d in range(p):
            line[d] = np.float64(row[d]) / largest
        scale = length / math.sqrt(sum_of_squares(line))
        for d in range(p):
            line[d] *= scale
    return out


@kernel()
def sums_from_bases(rows: Array, order: Array, starts: Array, bases: Array) -> Array:
    """Add up the differences between rows and a base, for each run of rows in an order.

    rows : (n, p)
    order : (n,) positions of rows
    starts : (runs + 1,) where in the order each run begins, and the end
    bases : (runs, p)
    """
    out = np.zeros(bases.shape)
    for r in range(bases.shape[0]):
        line, base = out[r], bases[r]
        for i in range(starts[r], starts[r + 1]):
            row = rows[order[i]]
            for d in range(row.shape[0]):
                line[d] += row[d] - base[d]
    return out


@kernel()
def squares_from_bases(rows: Array, codes: Array, bases: Array, steps: Array) -> Array:
    """Squared distances of rows, (n, p), to the centroids of their clusters, (K, p) bases and steps from there."""
    n, p = rows.shape
    out = np.empty(n)
    ways = np.empty(p)
    for i in range(n):
        row, base, step = rows[i], bases[codes[i]], steps[codes[i]]
        for d in range(p):
            # In this order: a member of the cluster is near, so that the first difference loses nothing.
            ways[d] = (row[d] - base[d]) - step[d]
        out[i] = sum_of_squares(ways)
    return out
