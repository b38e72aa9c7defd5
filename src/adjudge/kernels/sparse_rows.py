"""Distances between sparse rows, and means of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine
from adjudge.kernels.rows import largest_entry, sum_of_squares

__all__ = [
    "add_half_squares",
    "centre_and_scale",
    "cosine_distances",
    "fill_means",
    "n_features_of_means",
    "products_with_themselves",
    "scale_to_length_one",
    "sparse_distances",
]

Array = np.ndarray[Any, Any]

# Cosine distances below it are computed again, by differences: one less a product near one has few digits.
_CLOSE = 1e-3


@subroutine()
def squared_distance(
    indices: Array,
    data: Array,
    i: int,
    end: int,
    other_indices: Array,
    other_data: Array,
    j: int,
    other_end: int,
    shift: float,
    n_columns: int,
) -> float:
    """Sum of squared differences of two rows with sorted indices, after `shift` is added to all of the first."""
    total = 0.0
    n_stored = 0
    while i < end or j < other_end:
        if j == other_end or (i < end and indices[i] < other_indices[j]):
            difference = data[i]
            i += 1
        elif i == end or other_indices[j] < indices[i]:
            difference = -other_data[j]
            j += 1
        else:
            difference = data[i] - other_data[j]
            i += 1
            j += 1
        difference += shift
        total += difference * difference
        n_stored += 1
    return total + (n_columns - n_stored) * (shift * shift)


@kernel()
def sparse_distances(indptr: Array, indices: Array, data: Array, rows: Array, columns: Array) -> Array:
    """Euclidean distances by explicit differences."""
    out = np.empty((rows.shape[0], columns.shape[0]))
    for r in range(rows.shape[0]):
        i, i_end = indptr[rows[r]], indptr[rows[r] + 1]
        for c in range(columns.shape[0]):
            j, j_end = indptr[columns[c]], indptr[columns[c] + 1]
            squares = squared_distance(indices, data, i, i_end, indices, data, j, j_end, 0.0, 0)
            out[r, c] = math.sqrt(squares)
    return out


@kernel()
def scale_to_length_one(indptr: Array, data: Array) -> int:
    """Scale rows in place; the position of the first without any entry but 0, or -1.

    Each is divided by its largest entry first, as `of_length` does.
    """
    for i in range(indptr.shape[0] - 1):
        line = data[indptr[i] : indptr[i + 1]]
        largest = largest_entry(line)
        if largest == 0.0:
            return i
        for e in range(line.shape[0]):
            line[e] /= largest
        length = math.sqrt(sum_of_squares(line))
        for e in range(line.shape[0]):
            line[e] /= length
    return -1


@kernel()
def centre_and_scale(indptr: Array, data: Array, n_columns: int, levels: Array) -> int:
    """Scale rows in place, and fill in the level of each: added to all values, it makes a centred row of length one.

    A row without any zero is first measured from one of its values. Returns the position of the first row whose values
    are all equal, or -1.
    """
    for i in range(indptr.shape[0] - 1):
        line = data[indptr[i] : indptr[i + 1]]
        if line.shape[0] == n_columns:
            base = line[0]
            for e in range(line.shape[0]):
                line[e] -= base
        largest = largest_entry(line)
        if largest == 0.0:
            return i
        total = 0.0
        for e in range(line.shape[0]):
            line[e] /= largest
            total += line[e]
        mean = total / n_columns
        squares = (n_columns - line.shape[0]) * (mean * mean)
        for e in range(line.shape[0]):
            deviation = line[e] - mean
            squares += deviation * deviation
        length = math.sqrt(squares)
        for e in range(line.shape[0]):
            line[e] /= length
        levels[i] = -mean / length
    return -1


@subroutine()
def by_feature(indptr: Array, indices: Array, data: Array, points: Array, n_features: int) -> Any:
    """Transpose some rows: where the entries of each feature begin, of which point they are, and the entries."""
    ends = np.zeros(n_features + 1, np.int64)
    for point in points:
        for e in range(indptr[point], indptr[point + 1]):
            ends[indices[e] + 1] += 1
    for f in range(n_features):
        ends[f + 1] += ends[f]
    owners = np.empty(ends[n_features], np.int32)
    entries = np.empty(ends[n_features])
    starts = ends.copy()
    for c in range(points.shape[0]):
        for e in range(indptr[points[c]], indptr[points[c] + 1]):
            place = starts[indices[e]]
            owners[place], entries[place] = c, data[e]
            starts[indices[e]] += 1
    return ends, owners, entries


@subroutine()
def add_products_of_row(
    indices: Array, data: Array, i: int, end: int, ends: Array, owners: Array, entries: Array, line: Array
) -> None:
    """Add the products of a row with all points, feature by feature: in the same order for each pair."""
    for e in range(i, end):
        x = data[e]
        for place in range(ends[indices[e]], ends[indices[e] + 1]):
            line[owners[place]] += x * entries[place]


@kernel()
def cosine_distances(
    row_rows: tuple[Array, Array, Array, Array, Array],
    rows: Array,
    column_rows: tuple[Array, Array, Array, Array, Array],
    columns: Array,
    n_features: int,
    n_columns: int,
) -> Array:
    """One less the products of rows of length one, or of means of such rows: the mean distance of what they stand for.

    Of rows that nearly agree it is half the squared differences, and the spreads.

    row_rows, column_rows : indptr, indices (sorted in each row) and data of sparse rows, the level that is added to all
        values of each (0, or what centres it), and the mean half squared distance from it of those whose mean it is
    rows, columns : positions in these
    n_features, n_columns : columns that have an entry, and all
    """
    indptr, indices, data, levels, spreads = row_rows
    other_indptr, other_indices, other_data, other_levels, other_spreads = column_rows
    ends, owners, entries = by_feature(other_indptr, other_indices, other_data, columns, n_features)
    # The values of a centred row add up to 0, so those that are stored to -n_columns * level.
    root = math.sqrt(n_columns)
    heights = np.empty(columns.shape[0])
    for c in range(columns.shape[0]):
        heights[c] = root * other_levels[columns[c]]
    out = np.zeros((rows.shape[0], columns.shape[0]))
    for r in range(rows.shape[0]):
        line = out[r]
        level = levels[rows[r]]
        height = root * level
        i, i_end = indptr[rows[r]], indptr[rows[r] + 1]
        add_products_of_row(indices, data, i, i_end, ends, owners, entries, line)
        for c in range(line.shape[0]):
            line[c] = 1.0 - (line[c] - height * heights[c])
        for c in range(line.shape[0]):
            if line[c] < _CLOSE:
                j, j_end = other_indptr[columns[c]], other_indptr[columns[c] + 1]
                shift = level - other_levels[columns[c]]
                squares = squared_distance(
                    indices, data, i, i_end, other_indices, other_data, j, j_end, shift, n_columns
                )
                line[c] = squares / 2.0 + (spreads[rows[r]] + other_spreads[columns[c]])
    return out


@kernel()
def n_features_of_means(indptr: Array, indices: Array, bounds: Array, n_features: int) -> Array:
    """How many features have an entry in each run of rows, between two `bounds`."""
    last_seen = np.full(n_features, -1, np.int64)
    counts = np.zeros(bounds.shape[0] - 1, np.int64)
    for k in range(counts.shape[0]):
        for e in range(indptr[bounds[k]], indptr[bounds[k + 1]]):
            if last_seen[indices[e]] != k:
                last_seen[indices[e]] = k
                counts[k] += 1
    return counts


@kernel()
def fill_means(
    indptr: Array,
    indices: Array,
    data: Array,
    bounds: Array,
    n_features: int,
    mean_indptr: Array,
    mean_indices: Array,
    mean_data: Array,
) -> None:
    """Fill in the mean of each run of rows, by differences from the first of the run: equal rows are their own mean."""
    base, steps = np.zeros(n_features), np.zeros(n_features)
    counts = np.zeros(n_features, np.int64)
    for k in range(bounds.shape[0] - 1):
        first, n = bounds[k], bounds[k + 1] - bounds[k]
        for e in range(indptr[first], indptr[first + 1]):
            base[indices[e]] = data[e]
        found = mean_indices[mean_indptr[k] : mean_indptr[k + 1]]
        n_found = 0
        for e in range(indptr[first], indptr[bounds[k + 1]]):
            f = indices[e]
            if counts[f] == 0:
                found[n_found] = f
                n_found += 1
            counts[f] += 1
            steps[f] += data[e] - base[f]
        found.sort()
        for place in range(n_found):
            f = found[place]
            # Rows without this feature have a zero.
            steps[f] -= (n - counts[f]) * base[f]
            mean_data[mean_indptr[k] + place] = base[f] + steps[f] / n
            base[f], steps[f], counts[f] = 0.0, 0.0, 0


@kernel()
def products_with_themselves(indptr: Array, data: Array, levels: Array, n_columns: int) -> Array:
    """Squared lengths of rows."""
    out = np.empty(indptr.shape[0] - 1)
    for i in range(out.shape[0]):
        out[i] = sum_of_squares(data[indptr[i] : indptr[i + 1]]) - n_columns * levels[i] * levels[i]
    return out


@kernel()
def add_half_squares(
    row_rows: tuple[Array, Array, Array, Array, Array],
    first: int,
    last: int,
    column_rows: tuple[Array, Array, Array, Array, Array],
    column: int,
    n_columns: int,
) -> float:
    """Sum of half the squared distances of a run of rows from one of `column_rows`, by explicit differences."""
    indptr, indices, data, levels, _ = row_rows
    other_indptr, other_indices, other_data, other_levels, _ = column_rows
    j, j_end = other_indptr[column], other_indptr[column + 1]
    total = 0.0
    for r in range(first, last):
        total += squared_distance(
            indices,
            data,
            indptr[r],
            indptr[r + 1],
            other_indices,
            other_data,
            j,
            j_end,
            levels[r] - other_levels[column],
            n_columns,
        )
    return total / 2.0
