"""Smallest and largest distances by matrix products: which pairs may be the extremes, and their exact distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel
from adjudge.kernels.pair_tiles_numba import ROWS, squared_distances

__all__ = ["complete", "find_candidates", "squares_of_pairs"]

Array = np.ndarray[Any, Any]


@kernel()
def complete(products: Array, row_squares: Array, column_squares: Array) -> None:
    """Turn products into squared distances, as exact as they happen to be."""
    for i in range(products.shape[0]):
        line, square = products[i], row_squares[i]
        for j in range(line.shape[0]):
            line[j] = (square + column_squares[j]) - line[j] - line[j]


@inlined(fastmath={"reassoc", "nnan", "nsz"})
def least_possible(line: Array, errors: Array) -> Any:
    low = line[0] - errors[0]
    for j in range(line.shape[0]):
        value = line[j] - errors[j]
        low = value if value < low else low
    return low


@inlined(fastmath={"reassoc", "nnan", "nsz"})
def greatest_possible(line: Array, errors: Array) -> Any:
    high = line[0] + errors[0]
    for j in range(line.shape[0]):
        value = line[j] + errors[j]
        high = value if value > high else high
    return high


@kernel()
def find_candidates(
    distances: Array,
    row_errors: Array,
    column_errors: Array,
    row_cluster: Array,
    bounds: Array,
    offset: int,
    diagonal: int,
    least: Array,
    most: Array,
    lows: Array,
    low_pairs: Array,
    highs: Array,
    high_pairs: Array,
) -> tuple[int, int]:
    """Find the pairs that may be the closest, or the farthest, of two clusters.

    distances : (n_rows, n_columns) squared distances
    row_errors, column_errors : a squared distance is off by less than both together
    row_cluster, bounds, offset, diagonal : as for `add_products`
    least, most : (clusters of the rows, clusters of the columns), bounds of the extremes, which are tightened
    lows, highs : (n_rows * n_columns,), filled with what the distance of each candidate is at least, or at most
    low_pairs, high_pairs : alike, filled with its place in `distances`

    Pairs within a cluster are no candidates for the closest. Returns how many candidates there are of both kinds.
    """
    n_columns = distances.shape[1]
    n_low = 0
    n_high = 0
    first = 0
    while bounds[first + 1] <= offset:
        first += 1
    for i in range(distances.shape[0]):
        stop = n_columns
        if diagonal >= 0:
            stop = min(n_columns, diagonal + i)
        own = row_cluster[i]
        error = row_errors[i]
        start = 0
        c = first
        while start < stop:
            end = min(bounds[c + 1] - offset, stop)
            line, errors = distances[i, start:end], column_errors[start:end]
            known = least[own, c]
            apart = diagonal < 0 or c != own
            if apart and known > 0.0 and least_possible(line, errors) - error < known:
                for j in range(line.shape[0]):
                    low = line[j] - errors[j] - error
                    if low < least[own, c]:
                        lows[n_low] = low
                        low_pairs[n_low] = i * n_columns + start + j
                        n_low += 1
                        least[own, c] = min(least[own, c], line[j] + errors[j] + error)
            if greatest_possible(line, errors) + error > most[own, c]:
                for j in range(line.shape[0]):
                    high = line[j] + errors[j] + error
                    if high > most[own, c]:
                        highs[n_high] = high
                        high_pairs[n_high] = i * n_columns + start + j
                        n_high += 1
                        most[own, c] = max(most[own, c], line[j] - errors[j] - error)
            start = end
            c += 1
    return n_low, n_high


@kernel()
def squares_of_pairs(left: Array, right: Array) -> Array:
    """Squared distances of pairs of points, (m, p) with p even, with the digits that tiles give them."""
    m, p = left.shape
    found = np.empty(m)
    rows = np.zeros((ROWS, p))
    tile = np.empty((p, 1))
    out = np.empty((ROWS, 1))
    for i in range(m):
        for d in range(p):
            rows[0, d] = left[i, d]
            tile[d, 0] = right[i, d]
        squared_distances(rows, 0, tile, 1, out)
        found[i] = out[0, 0]
    return found
