"""Counts of instances by the clusters that they lie in: from coded labels to cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.given.labels import Labels
from adjudge.kernels.counting import (
    add_carries,
    count_dense,
    count_narrow,
    count_sparse,
    count_weighted,
    fold,
    gather_dense,
    gather_sparse,
    weigh_dense,
    weigh_sparse,
)
from adjudge.parallel import in_threads, spans

Codes = NDArray[Any]

# Tables of up to this many cells are always dense; larger ones only if there are enough instances to fill them.
_SMALL_TABLE = 1 << 14
_LARGEST_DENSE = 1 << 24
# Up to this many cells, four interleaved tables stay in the first-level cache.
_LANES_PAY = 4096
# Codes that are widened at a time: as many as stay in the second-level cache.
_BLOCK = 1 << 15


def for_loops(codes: Codes) -> Codes:
    """Return codes in a wide type: compiled loops over two vectors support few pairs of types."""
    return codes if codes.dtype.itemsize >= 4 else codes.astype(np.int32)


def loop_blocks(span: slice, *vectors: Codes) -> Iterator[tuple[Codes, ...]]:
    """Yield parts of code vectors in types that compiled loops take; no copy is larger than the cache.

    Vectors of int8 are read as they are; narrow ones of other types become int32.
    """
    narrow = np.dtype(np.int8 if all(codes.dtype == np.int8 for codes in vectors) else np.int32)
    kinds = [codes.dtype if codes.dtype.itemsize >= 4 else narrow for codes in vectors]
    as_given = all(codes.dtype == kind for codes, kind in zip(vectors, kinds, strict=True))
    step = span.stop - span.start if as_given else _BLOCK
    for start in range(span.start, span.stop, max(1, step)):
        part = slice(start, min(start + step, span.stop))
        yield tuple(codes[part].astype(kind, copy=False) for codes, kind in zip(vectors, kinds, strict=True))


def fits_dense(rows: Labels, cols: Labels) -> bool:
    """Tell whether the table of two label vectors may be dense."""
    return rows.n_codes * cols.n_codes <= min(max(_SMALL_TABLE, len(rows)), _LARGEST_DENSE)


def dense_table(rows: Labels, cols: Labels, weights: Ints | None) -> tuple[Ints, Ints, Ints]:
    """Count the table by codes, including empty rows and columns, and its margins."""
    size = rows.n_codes * cols.n_codes
    if weights is not None:
        weighted = count_weighted(*_where(rows, cols), rows.n_codes, cols.n_codes, weights)
        return _int64s(fold(weighted, rows.n_codes, cols.n_codes))
    lanes = _in_lanes(rows, cols, size) if size <= _LANES_PAY else _in_narrow_lanes(rows, cols, size)
    return _int64s(fold(lanes, rows.n_codes, cols.n_codes))


def _int64s(arrays: tuple[Ints, Ints, Ints]) -> tuple[Ints, Ints, Ints]:
    """View the arrays as NumPy's own int64: C has two integer types of eight bytes."""
    table, row_sums, col_sums = (array.view(np.int64) for array in arrays)
    return table, row_sums, col_sums


def _in_lanes(rows: Labels, cols: Labels, size: int) -> NDArray[np.uint32]:
    """Count a small table, with four lanes per thread."""
    parts = spans(len(rows))
    lanes = np.zeros((4 * len(parts), size), np.uint32)

    def count(part: int) -> None:
        own = lanes[4 * part : 4 * (part + 1)]
        for some_rows, some_cols in loop_blocks(parts[part], rows.codes, cols.codes):
            count_dense(some_rows, some_cols, rows.low, cols.low, cols.n_codes, own)

    in_threads(count, range(len(parts)))
    return lanes


def _in_narrow_lanes(rows: Labels, cols: Labels, size: int) -> NDArray[np.uint32]:
    """Count a table that barely fits in the cache, with one narrow lane per thread."""
    parts = spans(len(rows))
    lanes = np.zeros((len(parts), size), np.uint16)
    # Memory that is never written to costs nothing.
    carries = np.zeros((len(parts), size), np.uint32)

    def count(part: int) -> None:
        for some_rows, some_cols in loop_blocks(parts[part], rows.codes, cols.codes):
            count_narrow(some_rows, some_cols, rows.low, cols.low, cols.n_codes, lanes[part], carries[part])

    in_threads(count, range(len(parts)))
    sums = np.zeros((1, size), np.uint32)
    add_carries(lanes, carries, sums)
    return sums


def _cell_numbers(rows: Labels, cols: Labels) -> Ints:
    """Return the cell of each instance, numbered row by row."""
    of_row = np.subtract(rows.codes, rows.low, dtype=np.int64) if rows.low else rows.codes
    cells: Ints = np.multiply(of_row, cols.n_codes, dtype=np.int64)
    cells += cols.codes
    if cols.low:
        cells -= cols.low
    return cells


def sparse_cells(rows: Labels, cols: Labels, weights: Ints | None) -> tuple[Ints, Ints, Ints]:
    """Return the row, column and count of every non-empty cell, in row order."""
    row_starts, cell_cols, counts = _sparse_table(rows, cols, weights)
    return np.repeat(np.arange(rows.n_codes), np.diff(row_starts)), cell_cols.astype(np.int64), counts


def _sparse_table(rows: Labels, cols: Labels, weights: Ints | None) -> tuple[Ints, NDArray[np.int32], Ints]:
    """Count the table as compressed rows."""
    given = np.empty(0, np.int64) if weights is None else weights
    starts, columns, counts = count_sparse(*_where(rows, cols), rows.n_codes, cols.n_codes, given)
    return starts.view(np.int64), columns, counts.view(np.int64)


def _where(rows: Labels, cols: Labels) -> tuple[NDArray[Any], NDArray[Any], int, int]:
    """Return the codes of both vectors, and their lowest values, as compiled loops take them."""
    return for_loops(rows.codes), for_loops(cols.codes), rows.low, cols.low


def summed_cells(rows: Ints, cols: Ints, counts: Ints, n_cols: int) -> tuple[Ints, Ints, Ints]:
    """Sum the counts of cells that occur several times; in row order, without empty ones."""
    keys, summed = summed_keys(rows * n_cols + cols, counts)
    return keys // n_cols, keys % n_cols, summed


def summed_keys(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return each key with a positive count, in order, and the sum of its counts."""
    distinct, inverse = np.unique(keys, return_inverse=True)
    summed = np.zeros(distinct.size, np.int64)
    np.add.at(summed, inverse, counts)
    filled = summed > 0
    return distinct[filled], summed[filled]


def cell_sizes(rows: Labels, cols: Labels, *, weights: Ints | None = None) -> Ints:
    """Return the size of each instance's cell (a cluster of each vector), in O(n)."""
    if fits_dense(rows, cols):
        table = dense_table(rows, cols, weights)[0]
        return gather_dense(*_where(rows, cols), table).view(np.int64)
    # If instances have weight 0, the kernel might look for a cell that is empty.
    some_weightless = weights is not None and not weights.all()
    if some_weightless:
        keys, inverse = np.unique(_cell_numbers(rows, cols), return_inverse=True)
        sizes = np.zeros(keys.size, np.int64)
        np.add.at(sizes, inverse, 1 if weights is None else weights)
        return sizes[inverse]
    return gather_sparse(*_where(rows, cols), *_sparse_table(rows, cols, weights)).view(np.int64)


def cell_weights(rows: Labels, cols: Labels, *, weights: Floats) -> Floats:
    """Return the weight of each instance's cell."""
    keys, inverse = np.unique(_cell_numbers(rows, cols), return_inverse=True)
    return added(inverse, weights, keys.size)[inverse]


def added(codes: NDArray[Any], weights: Floats, n_codes: int) -> Floats:
    """Sum the weights of each code."""
    return np.asarray(np.bincount(codes, weights, minlength=n_codes), np.float64)


def weighed_table(rows: Labels, cols: Labels, weights: Floats) -> tuple[Floats, Floats]:
    """Sum the weights, and their squares, by codes, including empty rows and columns."""
    shape = rows.n_codes, cols.n_codes
    sums, squares = np.zeros(shape), np.zeros(shape)
    weigh_dense(*_where(rows, cols), weights, sums, squares)
    return sums, squares


def weighed_cells(
    rows: Labels, cols: Labels, weights: Floats, squares_given: Floats | None = None
) -> tuple[Ints, Ints, Floats, Floats]:
    """Return row, column, sum of weights and sum of their squares for every cell with instances, in row order.

    `squares_given` are sums of squared weights, if an entry stands for several instances.
    """
    if squares_given is not None:
        return _summed_cells_of(rows, cols, weights, squares_given)
    if fits_dense(rows, cols):
        sums, squares = weighed_table(rows, cols, weights)
        of_row, of_col = np.nonzero(sums)
        return of_row, of_col, sums[of_row, of_col], squares[of_row, of_col]
    row_starts, cell_cols, counts = _sparse_table(rows, cols, None)
    sums, squares = np.zeros(counts.size), np.zeros(counts.size)
    weigh_sparse(*_where(rows, cols), weights, row_starts, cell_cols, sums, squares)
    of_row = np.repeat(np.arange(rows.n_codes), np.diff(row_starts))
    return of_row, cell_cols.astype(np.int64), sums, squares


def _summed_cells_of(
    rows: Labels, cols: Labels, weights: Floats, squares: Floats
) -> tuple[Ints, Ints, Floats, Floats]:
    keys, inverse = np.unique(_cell_numbers(rows, cols), return_inverse=True)
    sums, of_squares = (added(inverse, w, keys.size) for w in (weights, squares))
    return keys // cols.n_codes, keys % cols.n_codes, sums, of_squares
