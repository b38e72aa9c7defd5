"""One sweep over the distances between two groups of points, four rows against a tile of columns at a time.

A group is one large cluster, or several small ones side by side; its points are sorted by cluster and stored in
tiles, dimension by dimension (``tiles[t, d, j]``), so that every inner loop runs down contiguous columns and
vectorises. Distances are explicit differences, summed over the dimensions in order without fused multiply-add:
equal distances stay equal on every machine.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import inlined, kernel, merged, subroutine
from adjudge.kernels.metric_tiles_numba import EUCLIDEAN, metric_distances

__all__ = [
    "ALIGNMENT",
    "BY_KIND",
    "KEYS",
    "ROWS",
    "TAILS",
    "collect",
    "squared_distances",
    "sweep",
]

ROWS = 4
# A literal 0 has a type of its own, for which subroutines would be compiled once more.
ZERO: Any = np.int64(0)
ALIGNMENT = 8  # doubles in a cache line: loads and stores that straddle two cost twice

Array = np.ndarray[Any, Any]


@subroutine(fastmath={"contract"})
def add_squares(rows: Array, first: int, tile: Array, start: int, width: int, out: Array) -> None:
    """Add the squared differences in the dimensions from `start` on, four at a time."""
    o0, o1, o2, o3 = out[0], out[1], out[2], out[3]
    r0, r1, r2, r3 = rows[first], rows[first + 1], rows[first + 2], rows[first + 3]
    for d in range(start, rows.shape[1], 4):
        x0, x1, x2, x3 = tile[d], tile[d + 1], tile[d + 2], tile[d + 3]
        a0, a1, a2, a3 = r0[d], r0[d + 1], r0[d + 2], r0[d + 3]
        b0, b1, b2, b3 = r1[d], r1[d + 1], r1[d + 2], r1[d + 3]
        c0, c1, c2, c3 = r2[d], r2[d + 1], r2[d + 2], r2[d + 3]
        d0, d1, d2, d3 = r3[d], r3[d + 1], r3[d + 2], r3[d + 3]
        for j in range(width):
            u, v, w, z = x0[j], x1[j], x2[j], x3[j]
            o0[j] = (
                o0[j] + (u - a0) * (u - a0) + (v - a1) * (v - a1) + (w - a2) * (w - a2) + (z - a3) * (z - a3)
            )
            o1[j] = (
                o1[j] + (u - b0) * (u - b0) + (v - b1) * (v - b1) + (w - b2) * (w - b2) + (z - b3) * (z - b3)
            )
            o2[j] = (
                o2[j] + (u - c0) * (u - c0) + (v - c1) * (v - c1) + (w - c2) * (w - c2) + (z - c3) * (z - c3)
            )
            o3[j] = (
                o3[j] + (u - d0) * (u - d0) + (v - d1) * (v - d1) + (w - d2) * (w - d2) + (z - d3) * (z - d3)
            )


@subroutine()
def begin_squares(rows: Array, first: int, tile: Array, width: int, out: Array) -> int:
    """Squared differences in the first dimensions, two or four; how many they are."""
    o0, o1, o2, o3 = out[0], out[1], out[2], out[3]
    r0, r1, r2, r3 = rows[first], rows[first + 1], rows[first + 2], rows[first + 3]
    p = rows.shape[1]
    x0, x1 = tile[0], tile[1]
    a0, a1, b0, b1 = r0[0], r0[1], r1[0], r1[1]
    c0, c1, d0, d1 = r2[0], r2[1], r3[0], r3[1]
    if p % 4 == 2:
        for j in range(width):
            u, v = x0[j], x1[j]
            o0[j] = (u - a0) * (u - a0) + (v - a1) * (v - a1)
            o1[j] = (u - b0) * (u - b0) + (v - b1) * (v - b1)
            o2[j] = (u - c0) * (u - c0) + (v - c1) * (v - c1)
            o3[j] = (u - d0) * (u - d0) + (v - d1) * (v - d1)
        return 2

    x2, x3 = tile[2], tile[3]
    a2, a3, b2, b3 = r0[2], r0[3], r1[2], r1[3]
    c2, c3, d2, d3 = r2[2], r2[3], r3[2], r3[3]
    for j in range(width):
        u, v, w, z = x0[j], x1[j], x2[j], x3[j]
        o0[j] = (u - a0) * (u - a0) + (v - a1) * (v - a1) + (w - a2) * (w - a2) + (z - a3) * (z - a3)
        o1[j] = (u - b0) * (u - b0) + (v - b1) * (v - b1) + (w - b2) * (w - b2) + (z - b3) * (z - b3)
        o2[j] = (u - c0) * (u - c0) + (v - c1) * (v - c1) + (w - c2) * (w - c2) + (z - c3) * (z - c3)
        o3[j] = (u - d0) * (u - d0) + (v - d1) * (v - d1) + (w - d2) * (w - d2) + (z - d3) * (z - d3)
    return 4


@merged
def squared_distances(rows: Array, first: int, tile: Array, width: int, out: Array) -> None:
    """Squared Euclidean distances of `ROWS` rows to the columns of a tile; the dimension is even."""
    start = begin_squares(rows, first, tile, width, out)
    add_squares(rows, first, tile, start, width, out)


@subroutine()
def take_roots(line: Array) -> None:
    for j in range(line.shape[0]):
        line[j] = math.sqrt(line[j])


@inlined(fastmath={"reassoc", "nsz"})
def gather(
    line: Array,
    rooted: bool,
    want_sums: bool,
    want_extremes: bool,
    sums: Array,
    smallest: Array,
    largest: Array,
) -> float:
    """Take roots where that is left to do, and add a row to the sums and extremes of the columns; its own sum.

    Each combination that is asked for often is one loop: everything together costs little more than the roots alone.
    """
    total = 0.0
    if rooted and want_sums and want_extremes:
        for j in range(line.shape[0]):
            v = math.sqrt(line[j])
            line[j] = v
            sums[j] += v
            total += v
            smallest[j] = v if v < smallest[j] else smallest[j]
            largest[j] = v if v > largest[j] else largest[j]
        return total
    if rooted and want_sums:
        for j in range(line.shape[0]):
            v = math.sqrt(line[j])
            line[j] = v
            sums[j] += v
            total += v
        return total
    if rooted:
        take_roots(line)
    if want_sums:
        for j in range(line.shape[0]):
            sums[j] += line[j]
            total += line[j]
    if want_extremes:
        # Vertical: a minimum along the row would not vectorise.
        for j in range(line.shape[0]):
            v = line[j]
            smallest[j] = v if v < smallest[j] else smallest[j]
            largest[j] = v if v > largest[j] else largest[j]
    return total


@inlined(fastmath={"reassoc", "nsz"})
def row_sum(line: Array) -> float:
    total = 0.0
    for j in range(line.shape[0]):
        total += line[j]
    return total


@subroutine()
def row_minimum(bits: Array) -> Any:
    # Distances are not negative, so their bits order like integers, whose minimum vectorises.
    smallest = np.int64(0x7FF0000000000000)
    for j in range(bits.shape[0]):
        smallest = min(smallest, bits[j])
    return smallest


@subroutine()
def count_bins(line: Array, scale: float, counts: Array) -> None:
    # A given distance may be larger than any before it, if the function that gives it is no function of the points.
    last = np.uint32(counts.shape[0] - 1)
    for j in range(line.shape[0]):
        bin_ = np.uint32(line[j] * scale)
        counts[bin_ if bin_ < last else last] += np.uint32(1)


@subroutine()
def copy_block(given: Array, first: int, offset: int, width: int, out: Array) -> None:
    # A loop: assigning slices costs a second of compilation.
    for r in range(min(ROWS, given.shape[0] - first)):
        for j in range(width):
            out[r, j] = given[first + r, offset + j]


@merged
def load_block(
    kind: Any,
    rows: Array,
    tiles: Array,
    t: int,
    given: Array,
    first: int,
    offset: int,
    width: int,
    out: Array,
) -> None:
    """Fill `out` with distances of four rows to a tile, squared if they are Euclidean, or with the given distances."""
    if given.shape[0] > 0:
        copy_block(given, first, offset, width, out)
    elif kind[0] == EUCLIDEAN:
        squared_distances(rows, first, tiles[t], width, out)
    else:
        metric_distances(kind[0], kind[1], rows, first, tiles[t], width, out)


@subroutine()
def keep(line: Array, kept: Array, used: int) -> Any:
    """Copy a line to the end of what is kept; how much that then is."""
    for j in range(line.shape[0]):
        kept[used + j] = line[j]
    return used + line.shape[0]


@kernel()
def sweep(
    kind: Any,
    rows: Array,
    n_rows: int,
    row_cluster: Array,
    tiles: Array,
    widths: Array,
    given: Array,
    bounds: Array,
    diagonal: int,
    buffer: Array,
    squared: bool,
    want_sums: bool,
    want_extremes: bool,
    want_row_minima: bool,
    scale: float,
    row_sums: Array,
    column_sums: Array,
    row_minima: Array,
    column_minima: Array,
    column_maxima: Array,
    within: Array,
    between: Array,
    kept_within: Array,
    kept_between: Array,
) -> None:
    """Reduce the distances of some rows of one group to all columns of another (or the same) group.

    Parameters
    ----------
    kind : which distance it is (see `metric_tiles`), and of how many variables
    rows : (n_rows padded to a multiple of ROWS, p) coordinates, p even
    row_cluster : (n_rows,) position of each row's cluster in its group
    tiles, widths : columns of the other group; ignored where distances are given
    given : (n_rows, n_columns) distances, or (0, 0) to compute them
    bounds : (clusters of the column group + 1,) where each cluster's columns begin
    diagonal : -1; or, where both groups are one, the position of the first row: row i meets columns before it. Of two
        parts of one cluster, the number of columns
    buffer : (ROWS, columns of a tile), room for distances
    squared : whether distances are roots of what the tiles, or `given`, hold
    scale : bins of the histogram per unit of distance; 0 for none
    row_sums, row_minima : (n_rows, clusters of the column group), over the cluster's columns
    column_sums, column_minima, column_maxima : (clusters of the row group, n_columns), over the cluster's rows
    within, between : counts of a histogram
    kept_within, kept_between : room for all distances, or none

    Minima and maxima are of squared distances when nothing else is wanted and no distances are given.
    """
    kept = kept_within.shape[0] + kept_between.shape[0] > 0
    rooted = squared and (want_sums or scale > 0.0 or kept)
    bits = buffer.view(np.int64)
    minima_bits = row_minima.view(np.int64)
    n_within = ZERO
    n_between = ZERO
    offset = ZERO
    first_cluster = 0
    for t in range(widths.shape[0]):
        width = widths[t]
        while bounds[first_cluster + 1] <= offset:
            first_cluster += 1
        # Counting references costs as much as a hundred distances: views are made where the cluster changes.
        own = row_cluster[0]
        sums, minima, maxima = (
            column_sums[own, offset:],
            column_minima[own, offset:],
            column_maxima[own, offset:],
        )
        for i in range(0, n_rows, ROWS):
            if diagonal >= 0 and diagonal + i + ROWS - 1 <= offset:
                continue
            load_block(kind, rows, tiles, t, given, i, offset, width, buffer)
            for r in range(min(ROWS, n_rows - i)):
                row = i + r
                stop = width
                if diagonal >= 0:
                    stop = min(width, diagonal + row - offset)
                    if stop <= 0:
                        continue
                if row_cluster[row] != own:
                    own = row_cluster[row]
                    sums = column_sums[own, offset:]
                    minima, maxima = column_minima[own, offset:], column_maxima[own, offset:]
                total = gather(buffer[r, :stop], rooted, want_sums, want_extremes, sums, minima, maxima)
                start = 0
                c = first_cluster
                while start < stop and (want_sums or want_row_minima):
                    end = min(bounds[c + 1] - offset, stop)
                    if want_sums:
                        row_sums[row, c] += total if end - start == stop else row_sum(buffer[r, start:end])
                    if want_row_minima:
                        minima_bits[row, c] = min(minima_bits[row, c], row_minimum(bits[r, start:end]))
                    start = end
                    c += 1
                if scale > 0.0 or kept:
                    # Pairs within a cluster lie in one run of columns.
                    low = high = stop
                    if diagonal >= 0:
                        low = min(max(bounds[own] - offset, 0), stop)
                        high = min(max(bounds[own + 1] - offset, 0), stop)
                    before, own_run, after = buffer[r, :low], buffer[r, low:high], buffer[r, high:stop]
                    if scale > 0.0:
                        count_bins(before, scale, between)
                        count_bins(own_run, scale, within)
                        count_bins(after, scale, between)
                    if kept:
                        n_between = keep(before, kept_between, n_between)
                        n_within = keep(own_run, kept_within, n_within)
                        n_between = keep(after, kept_between, n_between)
        offset += width


@subroutine()
def append(line: Array, low: float, high: float, target: Array, used: int) -> int:
    """Copy the values in [low, high) to the end of `target`; how many it then would hold, had it room for them."""
    found = 0
    for j in range(line.shape[0]):
        found += (line[j] >= low) & (line[j] < high)
    if used + found > target.shape[0]:
        return used + found
    if found == line.shape[0]:
        for j in range(line.shape[0]):
            target[used + j] = line[j]
    elif found > 0:
        position = used
        for j in range(line.shape[0]):
            if position == used + found:
                break
            # Without a branch: a value outside the range is overwritten by the next.
            target[position] = line[j]
            position += (line[j] >= low) & (line[j] < high)
    return used + found


@inlined(fastmath={"reassoc", "nsz"})
def sum_outside(line: Array, edges: Array, sums: Array) -> bool:
    """Add the values below and beyond two ranges to the sums; whether any value lies in a range."""
    first, first_end, second, second_end, beyond = edges[0], edges[1], edges[2], edges[3], edges[4]
    below = 0.0
    above = 0.0
    inside = 0
    for j in range(line.shape[0]):
        v = line[j]
        below += v if v < first else 0.0
        above += v if v >= beyond else 0.0
        inside += ((v >= first) & (v < first_end)) | ((v >= second) & (v < second_end))
    sums[0] += below
    sums[1] += above
    return inside > 0


@subroutine()
def count_keys(
    bits: Array, first: int, last: int, shift: int, counts: Array, lowest: Array, highest: Array
) -> None:
    """Count the values whose bit patterns lie in [first, last], 2^shift patterns a bin, and find the ends of each."""
    for j in range(bits.shape[0]):
        key = bits[j]
        if first <= key <= last:
            bin_ = (key - first) >> shift
            counts[bin_] += 1
            # Branches that are rarely taken: stores to one bin, one after the other, would wait for each other.
            if key < lowest[bin_]:
                lowest[bin_] = key
            if key > highest[bin_]:
                highest[bin_] = key


BY_KIND, TAILS, KEYS = 0, 1, 2


@kernel()
def collect(
    kind: Any,
    rows: Array,
    n_rows: int,
    row_cluster: Array,
    tiles: Array,
    widths: Array,
    given: Array,
    bounds: Array,
    diagonal: int,
    buffer: Array,
    squared: bool,
    mode: int,
    edges: Array,
    first: Array,
    second: Array,
    sums: Array,
    keys: Array,
    counts: Array,
) -> tuple[int, int]:
    """Pick distances by their value; the first eleven arguments are those of `sweep`.

    By mode: BY_KIND puts the values in [edges[0], edges[1]) into `first` (within clusters) and `second` (between);
    TAILS puts those in [edges[0], edges[1]) into `first`, in [edges[2], edges[3]) into `second` and adds up in `sums`
    the values below edges[0] and those from edges[4] on; KEYS counts bit patterns from keys[0] to keys[1] in bins of
    2^keys[2] patterns, counts[0] within and counts[1] between clusters, and leaves the lowest and highest pattern of
    each bin in counts[2] and counts[3]. Returns how many values each buffer holds.
    """
    bits = buffer.view(np.int64)
    offset = ZERO
    n_first = ZERO
    n_second = ZERO
    for t in range(widths.shape[0]):
        width = widths[t]
        for i in range(0, n_rows, ROWS):
            if diagonal >= 0 and diagonal + i + ROWS - 1 <= offset:
                continue
            load_block(kind, rows, tiles, t, given, i, offset, width, buffer)
            for r in range(min(ROWS, n_rows - i)):
                stop = width
                low = high = width
                if diagonal >= 0:
                    own = row_cluster[i + r]
                    stop = min(width, diagonal + i + r - offset)
                    if stop <= 0:
                        continue
                    low = min(max(bounds[own] - offset, 0), stop)
                    high = min(max(bounds[own + 1] - offset, 0), stop)
                line = buffer[r, :stop]
                if squared:
                    take_roots(line)
                if mode == BY_KIND:
                    n_second = append(line[:low], edges[0], edges[1], second, n_second)
                    n_first = append(line[low:high], edges[0], edges[1], first, n_first)
                    n_second = append(line[high:], edges[0], edges[1], second, n_second)
                elif mode == TAILS:
                    if sum_outside(line, edges, sums):
                        n_first = append(line, edges[0], edges[1], first, n_first)
                        n_second = append(line, edges[2], edges[3], second, n_second)
                else:
                    count_keys(bits[r, :low], keys[0], keys[1], keys[2], counts[1], counts[2], counts[3])
                    count_keys(bits[r, low:high], keys[0], keys[1], keys[2], counts[0], counts[2], counts[3])
                    count_keys(bits[r, high:stop], keys[0], keys[1], keys[2], counts[1], counts[2], counts[3])
        offset += width
    return n_first, n_second
