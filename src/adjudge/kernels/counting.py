"""Kernels that count: contingency tables, dense or sparse, and the cell that each instance lies in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel
from adjudge.kernels.coding import value_range


@kernel()
def count_dense(
    rows: NDArray[Any], cols: NDArray[Any], low_row: int, low_col: int, n_cols: int, lanes: NDArray[np.uint32]
) -> None:
    """Count the joint occurrences of two codes into `lanes`, of shape (1 or 4, n_rows * n_cols).

    Four lanes take turns, so that a run of equal labels does not wait for its own last store.
    """
    base = low_row * n_cols + low_col
    first = 0
    # Unsigned positions: a signed one is checked for being negative at every store.
    if lanes.shape[0] == 4:
        lane0, lane1, lane2, lane3 = lanes[0], lanes[1], lanes[2], lanes[3]
        for i in range(0, rows.size - 3, 4):
            lane0[np.uint64(rows[i] * n_cols + cols[i] - base)] += np.uint32(1)
            lane1[np.uint64(rows[i + 1] * n_cols + cols[i + 1] - base)] += np.uint32(1)
            lane2[np.uint64(rows[i + 2] * n_cols + cols[i + 2] - base)] += np.uint32(1)
            lane3[np.uint64(rows[i + 3] * n_cols + cols[i + 3] - base)] += np.uint32(1)
        first = rows.size // 4 * 4
    lane = lanes[0]
    for i in range(first, rows.size):
        lane[np.uint64(rows[i] * n_cols + cols[i] - base)] += np.uint32(1)


@kernel()
def count_codes(codes: NDArray[np.int64], lanes: NDArray[np.int64]) -> None:
    """Count the occurrences of codes 0..K-1 into the first of `lanes`, of shape (1 or 4, K), which hold zeros before.

    Four lanes take turns, so that a run of equal codes does not wait for its own last store.
    """
    first = 0
    total = lanes[0]
    if lanes.shape[0] == 4:
        lane1, lane2, lane3 = lanes[1], lanes[2], lanes[3]
        for i in range(0, codes.size - 3, 4):
            total[np.uint64(codes[i])] += 1
            lane1[np.uint64(codes[i + 1])] += 1
            lane2[np.uint64(codes[i + 2])] += 1
            lane3[np.uint64(codes[i + 3])] += 1
        for c in range(total.size):
            total[c] += lane1[c] + lane2[c] + lane3[c]
        first = codes.size // 4 * 4
    for i in range(first, codes.size):
        total[np.uint64(codes[i])] += 1


@kernel()
def code_and_count(
    labels: NDArray[Any], low: int, codes: NDArray[np.int64], lanes: NDArray[np.int64]
) -> bool:
    """Fill in how far each label is above the lowest, and count these codes; see :func:`count_codes`.

    Returns
    -------
    Whether each code occurs.
    """
    for i in range(labels.size):
        codes[i] = labels[i] - low
    count_codes(codes, lanes)
    empty = 0
    for c in range(lanes.shape[1]):
        empty += lanes[0, c] == 0
    return empty == 0


@kernel()
def count_narrow(
    rows: NDArray[Any],
    cols: NDArray[Any],
    low_row: int,
    low_col: int,
    n_cols: int,
    lane: NDArray[np.uint16],
    carries: NDArray[np.uint32],
) -> None:
    """Count into 16 bits a cell, so that a large table takes half the cache; `carries` counts the full ones."""
    base = low_row * n_cols + low_col
    for i in range(rows.size):
        cell = np.uint64(rows[i] * n_cols + cols[i] - base)
        count = np.uint16(lane[cell] + np.uint16(1))
        lane[cell] = count
        if count == 0:
            carries[cell] += np.uint32(1)


@kernel()
def add_carries(lanes: NDArray[np.uint16], carries: NDArray[np.uint32], sums: NDArray[np.uint32]) -> None:
    """Add up lanes of 16 bits, and what they carried, into `sums`, of shape (1, cells)."""
    for part in range(lanes.shape[0]):
        for cell in range(lanes.shape[1]):
            sums[0, cell] += np.uint32(lanes[part, cell]) + (carries[part, cell] << np.uint32(16))


@kernel()
def fold(
    lanes: NDArray[Any], n_rows: int, n_cols: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Add up the lanes into one table, with its row and column sums."""
    table = np.empty((n_rows, n_cols), np.int64)
    row_sums = np.empty(n_rows, np.int64)
    col_sums = np.zeros(n_cols, np.int64)
    for r in range(n_rows):
        row = table[r]
        # Element by element: numba takes seconds to compile an assignment of one array to another.
        for c in range(n_cols):
            row[c] = lanes[0, r * n_cols + c]
        for lane in range(1, lanes.shape[0]):
            part = lanes[lane, r * n_cols : (r + 1) * n_cols]
            for c in range(n_cols):
                row[c] += np.int64(part[c])
        total = np.int64(0)
        for c in range(n_cols):
            total += row[c]
            col_sums[c] += row[c]
        row_sums[r] = total
    return table, row_sums, col_sums


@kernel()
def count_weighted(
    rows: NDArray[Any],
    cols: NDArray[Any],
    low_row: int,
    low_col: int,
    n_rows: int,
    n_cols: int,
    weights: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Like :func:`count_dense`, where instance i stands for ``weights[i]`` instances; one lane."""
    lanes = np.zeros((1, n_rows * n_cols), np.int64)
    for i in range(rows.size):
        lanes[0, (rows[i] - low_row) * n_cols + (cols[i] - low_col)] += weights[i]
    return lanes


@kernel()
def count_sparse(
    rows: NDArray[Any],
    cols: NDArray[Any],
    low_row: int,
    low_col: int,
    n_rows: int,
    n_cols: int,
    weights: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Count the cells that occur, in O(n + n_rows + n_cols): a counting sort by row, then row by row.

    `weights` may be empty: every instance counts once.

    Returns
    -------
    row_starts : ndarray of int64 of shape (n_rows + 1,)
        Cells of row r are ``row_starts[r]:row_starts[r + 1]``.
    cell_cols : ndarray of int32
        Column of each cell, ascending within a row.
    cell_counts : ndarray of int64
    """
    n = rows.size
    weighted = weights.size > 0
    offsets = np.zeros(n_rows + 1, np.int64)
    for i in range(n):
        offsets[rows[i] - low_row + 1] += 1
    for r in range(n_rows):
        offsets[r + 1] += offsets[r]
    place = offsets[:n_rows].copy()
    by_row = np.empty(n, np.int32)
    weight_by_row = np.empty(n if weighted else 0, np.int64)
    for i in range(n):
        r = rows[i] - low_row
        by_row[place[r]] = np.int32(cols[i] - low_col)
        if weighted:
            weight_by_row[place[r]] = weights[i]
        place[r] += 1
    in_row = np.zeros(n_cols, np.int64)
    row_starts = np.zeros(n_rows + 1, np.int64)
    # Cells are written over the part of by_row that has been read: there are never more of them.
    cell_counts = np.empty(n, np.int64)
    n_cells = 0
    for r in range(n_rows):
        first = n_cells
        for k in range(offsets[r], offsets[r + 1]):
            column = by_row[k]
            weight = weight_by_row[k] if weighted else np.int64(1)
            if weight != 0:
                if in_row[column] == 0:
                    by_row[n_cells] = column
                    n_cells += 1
                in_row[column] += weight
        by_row[first:n_cells].sort()
        for k in range(first, n_cells):
            cell_counts[k] = in_row[by_row[k]]
            in_row[by_row[k]] = 0
        row_starts[r + 1] = n_cells
    return row_starts, by_row[:n_cells].copy(), cell_counts[:n_cells].copy()


@kernel()
def gather_dense(
    rows: NDArray[Any], cols: NDArray[Any], low_row: int, low_col: int, table: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count of the cell of each instance."""
    found = np.empty(rows.size, np.int64)
    for i in range(rows.size):
        found[i] = table[rows[i] - low_row, cols[i] - low_col]
    return found


@kernel()
def gather_sparse(
    rows: NDArray[Any],
    cols: NDArray[Any],
    low_row: int,
    low_col: int,
    row_starts: NDArray[np.int64],
    cell_cols: NDArray[np.int32],
    cell_counts: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Count of the cell of each instance, by bisection within its row."""
    found = np.empty(rows.size, np.int64)
    for i in range(rows.size):
        r = rows[i] - low_row
        column = cols[i] - low_col
        left = row_starts[r]
        right = row_starts[r + 1] - 1
        while left < right:
            middle = (left + right) >> 1
            if cell_cols[middle] < column:
                left = middle + 1
            else:
                right = middle
        found[i] = cell_counts[left]
    return found


@kernel()
def weigh_dense(
    rows: NDArray[Any],
    cols: NDArray[Any],
    low_row: int,
    low_col: int,
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> None:
    """Add up the weights, and their squares, of the instances in each cell of a dense table."""
    for i in range(rows.size):
        weight = weights[i]
        sums[rows[i] - low_row, cols[i] - low_col] += weight
        squares[rows[i] - low_row, cols[i] - low_col] += weight * weight


@kernel()
def weigh_sparse(
    rows: NDArray[Any],
    cols: NDArray[Any],
    low_row: int,
    low_col: int,
    weights: NDArray[np.float64],
    row_starts: NDArray[np.int64],
    cell_cols: NDArray[np.int32],
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
) -> None:
    """Do the same for compressed rows: cells are found by bisection within their row."""
    for i in range(rows.size):
        r = rows[i] - low_row
        column = cols[i] - low_col
        left = row_starts[r]
        right = row_starts[r + 1] - 1
        while left < right:
            middle = (left + right) >> 1
            if cell_cols[middle] < column:
                left = middle + 1
            else:
                right = middle
        weight = weights[i]
        sums[left] += weight
        squares[left] += weight * weight


@kernel()
def joined_at_once(
    labels_true: NDArray[np.int64], labels_pred: NDArray[np.int64], most_cells: int
) -> tuple[int, int, int]:
    """Pairs of instances that share a label in both of two vectors, in the first, and in the second.

    The labels are 0, 1, ... of a table of at most `most_cells` cells; the first number is -1 if they are others.
    """
    low_row, high_row = value_range(labels_true)
    low_col, high_col = value_range(labels_pred)
    # Their product could overflow.
    if min(low_row, low_col) < 0 or max(high_row, high_col) >= most_cells:
        return -1, 0, 0
    n_rows, n_cols = high_row + 1, high_col + 1
    if n_rows * n_cols > most_cells:
        return -1, 0, 0
    table, col_sums = np.zeros((n_rows, n_cols), np.int64), np.zeros(n_cols, np.int64)
    for i in range(labels_true.size):
        table[np.uint64(labels_true[i]), np.uint64(labels_pred[i])] += 1
    both = in_true = in_pred = 0
    for r in range(n_rows):
        row_sum = 0
        for c in range(n_cols):
            count = table[r, c]
            both += count * (count - 1)
            row_sum += count
            col_sums[c] += count
        in_true += row_sum * (row_sum - 1)
    for c in range(n_cols):
        in_pred += col_sums[c] * (col_sums[c] - 1)
    return both // 2, in_true // 2, in_pred // 2
