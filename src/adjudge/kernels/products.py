"""Distances from products of matrices, and their sums: for points of many dimensions, where a product is fastest.

A squared distance is |x|^2 + |y|^2 - 2 x.y; where little is left of the difference it is computed again explicitly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, subroutine

__all__ = ["add_products", "squares_to_centroids"]

Array = np.ndarray[Any, Any]


@subroutine()
def complete_squares(line: Array, square: float, squares: Array, close: float) -> int:
    """Make squared distances of the products of one row; how many lost too many digits."""
    lost = 0
    for j in range(line.shape[0]):
        together = square + squares[j]
        d = together - line[j] - line[j]
        lost += d < close * together
        line[j] = d
    return lost


@subroutine()
def compute_again(
    line: Array, row: Array, columns: Array, square: float, squares: Array, close: float
) -> None:
    """Replace the squared distances that lost digits by sums of squared differences."""
    for j in range(line.shape[0]):
        if line[j] < close * (square + squares[j]):
            total = 0.0
            column = columns[j]
            for d in range(row.shape[0]):
                difference = np.float64(row[d]) - np.float64(column[d])
                total += difference * difference
            line[j] = total


@inlined(fastmath={"reassoc", "nsz"})
def add_run(line: Array, rooted: bool, sums: Array) -> float:
    """Add the distances to one cluster to the sums of its points; their own sum."""
    total = 0.0
    if rooted:
        for j in range(line.shape[0]):
            v = math.sqrt(line[j])
            sums[j] += v
            total += v
    else:
        for j in range(line.shape[0]):
            sums[j] += line[j]
            total += line[j]
    return total


@kernel()
def add_products(
    products: Array,
    rows: Array,
    columns: Array,
    row_squares: Array,
    column_squares: Array,
    close: float,
    rooted: bool,
    row_cluster: Array,
    bounds: Array,
    offset: int,
    diagonal: int,
    row_sums: Array,
    column_sums: Array,
) -> None:
    """Add the distances of some rows to some columns to sums by cluster.

    products : (n_rows, n_columns), overwritten
    rows, columns : the points, (n_rows, p) and (n_columns, p)
    row_squares, column_squares : their squared lengths
    close : a squared distance below this share of the squared lengths is computed again
    rooted : whether distances are roots; otherwise they are the squares
    row_cluster : (n_rows,), counted within its group
    bounds : where the clusters of the column group begin
    offset : position of the first column in its group
    diagonal : -1; or, if both groups are one, how many of the columns come before the first row
    row_sums : (n_rows, clusters of the column group)
    column_sums : (clusters of the row group, n_columns)
    """
    n_columns = products.shape[1]
    first = 0
    while bounds[first + 1] <= offset:
        first += 1
    for i in range(products.shape[0]):
        stop = n_columns
        if diagonal >= 0:
            stop = min(n_columns, diagonal + i)
        line = products[i, :stop]
        if complete_squares(line, row_squares[i], column_squares, close) > 0:
            compute_again(line, rows[i], columns, row_squares[i], column_squares, close)
        sums = column_sums[row_cluster[i]]
        start = 0
        c = first
        while start < stop:
            end = min(bounds[c + 1] - offset, stop)
            row_sums[i, c] += add_run(line[start:end], rooted, sums[start:end])
            start = end
            c += 1


@subroutine()
def measure_from_bases(
    line: Array, row: Array, bases: Array, steps: Array, square: float, squares: Array, close: float
) -> None:
    """Replace the squared distances to centroids that lost digits by sums of squared differences."""
    for c in range(line.shape[0]):
        if line[c] < close * (square + squares[c]):
            total = 0.0
            base, step = bases[c], steps[c]
            for d in range(row.shape[0]):
                # A member of the cluster is near: what is left after it is subtracted is exact.
                difference = (row[d] - base[d]) - step[d]
                total += difference * difference
            line[c] = total


@kernel()
def squares_to_centroids(
    products: Array,
    rows: Array,
    bases: Array,
    steps: Array,
    row_squares: Array,
    centroid_squares: Array,
    close: float,
) -> None:
    """Turn products of centred rows and centroids into squared distances.

    products : (n_rows, K), overwritten
    rows : (n_rows, p), not centred
    bases, steps : (K, p), a point of each cluster, and the way from it to the centroid
    row_squares, centroid_squares : squared lengths of the centred rows and centroids
    close : a squared distance below this share of the squared lengths is computed again
    """
    for i in range(products.shape[0]):
        line = products[i]
        if complete_squares(line, row_squares[i], centroid_squares, close) > 0:
            measure_from_bases(line, rows[i], bases, steps, row_squares[i], centroid_squares, close)
