"""Random contingency tables with both margins fixed: what two independent partitions would give.

A table is drawn cell by cell from the conditional hypergeometric distributions (Patefield's way)
or, where it would have more cells than instances, by shuffling the labels of one partition. It is reduced at
once to the sums that the indices need, or handed out.

Tables come in blocks, and every block has its own stream of random numbers, so that results do not depend on
the number of threads. The tables of a block are drawn in step, one lane each: the same cell of all at a time.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["draw_sums", "draw_tables", "lanes_for", "log_factorials", "shuffle_cells", "shuffle_sums"]

Int64s = NDArray[np.int64]
Float64s = NDArray[np.float64]
Stream = NDArray[np.uint64]

# Tables that are drawn in step: enough for long inner loops, few enough to stay in the cache.
_MOST_LANES = 256
_CELLS_PER_BLOCK = 1 << 20

# Log-factorials of smaller numbers are looked up (8 MiB); differences of larger ones are Stirling's series.
_LARGEST_TABLE = 1 << 20

# From this standard deviation on (a variance of 10) rejection beats inversion, and its constants hold.
_WIDE = 3.1622776601683795

# Hörmann's constants: what he calls a and b in the transformation of a uniform number, the largest height v_r up to
# which a central point is accepted at once, and the scale alpha of the hat.
_B0, _B1 = 1.15, 2.53
_A0, _A1 = -0.0873, 0.0248
_SQUEEZE0, _SQUEEZE1, _CENTRAL = 0.92, 4.2, 0.07
_HAT0, _HAT1 = 2.83, 5.1


def lanes_for(n_rows: int, n_cols: int) -> int:
    """Tables per block: it depends on the shape alone, so that results do not depend on anything else."""
    return max(1, min(_MOST_LANES, _CELLS_PER_BLOCK // (n_rows * n_cols)))


@lru_cache(maxsize=4)
def _log_factorial_table(size: int) -> Float64s:
    table = np.zeros(size)
    np.cumsum(np.log(np.arange(1.0, size)), out=table[1:])
    return table


def log_factorials(n: int) -> Float64s:
    """Return the table of ``log(k!)`` for the kernels to look up with `n` instances."""
    return _log_factorial_table(min(_LARGEST_TABLE, 1 << max(6, (n + 2).bit_length())))


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _next_bits(stream: Stream) -> np.uint64:
    """Xoshiro256++ of Blackman and Vigna."""
    s0, s1, s2, s3 = stream[0], stream[1], stream[2], stream[3]
    total = s0 + s3
    result = ((total << np.uint64(23)) | (total >> np.uint64(41))) + s0
    shifted = s1 << np.uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
    stream[0], stream[1], stream[2], stream[3] = s0, s1, s2, s3
    return np.uint64(result)


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _uniform(stream: Stream) -> float:
    """Uniform number in [0, 1)."""
    bits = np.int64(_next_bits(stream) >> np.uint64(11))
    return float(bits) / 9007199254740992.0


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _log_factorial_change(start: float, end: float, table: Float64s) -> float:
    """Return ``log(end!) - log(start!)`` with an error that does not grow with `start`."""
    if start < table.size and end < table.size:
        return float(table[int(end)] - table[int(start)])
    x = start + 1.0
    y = end + 1.0
    step = y - x
    return (y - 0.5) * math.log1p(step / x) + step * (math.log(x) - 1.0) + (1.0 / y - 1.0 / x) / 12.0


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _relative_total(good: int, sample: int, slack: int, mode: int, low: int, high: int) -> float:
    """Sum of the probabilities, in units of the mode's."""
    total = 1.0
    weight = 1.0
    k = mode
    while k < high and weight > 1e-20:
        weight *= (float(good - k) * (sample - k)) / ((k + 1.0) * (slack + k + 1.0))
        k += 1
        total += weight
    weight = 1.0
    k = mode
    while k > low and weight > 1e-20:
        weight *= (float(k) * (slack + k)) / ((good - k + 1.0) * (sample - k + 1.0))
        k -= 1
        total += weight
    return total


@njit(nogil=True, cache=True, inline="always", error_model="numpy")
def _by_inversion(good: int, bad: int, sample: int, stream: Stream, table: Float64s) -> int:
    """Draw a hypergeometric number by walking outwards from the mode: for small variances."""
    n = good + bad
    low = max(0, sample - bad)
    high = min(good, sample)
    mode = int((sample + 1.0) * (good + 1.0) / (n + 2.0))
    mode = min(max(mode, low), high)
    slack = bad - sample
    if n < table.size:
        weight = math.exp(
            (table[good] - table[mode] - table[good - mode])
            + (table[bad] - table[sample - mode] - table[slack + mode])
            - (table[n] - table[sample] - table[n - sample])
        )
    else:
        weight = 1.0 / _relative_total(good, sample, slack, mode, low, high)
    while True:
        rest = _uniform(stream) - weight
        if rest < 0.0:
            return mode
        above = below = weight
        up = down = mode
        while up < high or down > low:
            if up < high:
                above *= (float(good - up) * (sample - up)) / ((up + 1.0) * (slack + up + 1.0))
                up += 1
                rest -= above
                if rest < 0.0:
                    return up
            if down > low:
                below *= (float(down) * (slack + down)) / ((good - down + 1.0) * (sample - down + 1.0))
                down -= 1
                rest -= below
                if rest < 0.0:
                    return down
        # The probabilities summed to less than the uniform number by rounding alone: draw another.


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_wide(
    lanes: Int64s,
    filled: int,
    good: Float64s,
    work: Float64s,
    stream: Stream,
    table: Float64s,
    counts: Float64s,
) -> None:
    """Draw the hypergeometric numbers of variance >= 10 in the lanes named by ``lanes[:filled]``.

    Hörmann's transformed rejection with a squeeze (1993), whose constants for the binomial distribution hold
    for the hypergeometric one, a sum of independent Bernoulli variables too: tests check hat and squeeze.
    Each round draws for all pending lanes at once and packs those that were not accepted, which leaves the
    processor no branch to mispredict.
    """
    others, sample, mean, deviation, margin, height = work
    while filled > 0:
        doubtful = 0
        for p in range(filled):
            lane = lanes[p]
            b = _B0 + _B1 * deviation[lane]
            a = _A0 + _A1 * b
            u = _uniform(stream) - 0.5
            v = _uniform(stream)
            inside = 0.5 - abs(u)
            counts[lane] = math.floor(2.0 * a * (u / inside) + b * u + (mean[lane] + 0.5))
            margin[lane] = inside
            height[lane] = 1.0 - v
            lanes[doubtful] = lane
            doubtful += 1 - int((inside >= _CENTRAL) & (1.0 - v <= _SQUEEZE0 - _SQUEEZE1 / b))
        filled = 0
        for p in range(doubtful):
            lane = lanes[p]
            wanted = sample[lane]
            n = good[lane] + others[lane]
            slack = others[lane] - wanted
            low = max(0.0, -slack)
            high = min(good[lane], wanted)
            k = min(max(counts[lane], low), high)
            mode = math.floor((wanted + 1.0) * (good[lane] + 1.0) / (n + 2.0))
            log_probability = -(
                _log_factorial_change(mode, k, table)
                + _log_factorial_change(good[lane] - mode, good[lane] - k, table)
                + _log_factorial_change(wanted - mode, wanted - k, table)
                + _log_factorial_change(slack + mode, slack + k, table)
            )
            b = _B0 + _B1 * deviation[lane]
            a = _A0 + _A1 * b
            scale = (_HAT0 + _HAT1 / b) * deviation[lane] / (a / (margin[lane] * margin[lane]) + b)
            lanes[filled] = lane
            filled += 1 - int((math.log(height[lane] * scale) <= log_probability) & (k == counts[lane]))


@njit(nogil=True, cache=True, error_model="numpy")
def _draw_row(
    size: int,
    remaining: int,
    left: Float64s,
    work: Float64s,
    lanes: Int64s,
    stream: Stream,
    table: Float64s,
    row: Float64s,
) -> None:
    """Draw the next row of every lane."""
    n_cols, n_lanes = left.shape
    others, sample, mean, deviation = work[0], work[1], work[2], work[3]
    for lane in range(n_lanes):
        sample[lane] = size
        others[lane] = remaining
    for j in range(n_cols - 1):
        good = left[j]
        counts = row[j]
        for lane in range(n_lanes):
            others[lane] -= good[lane]
            inverse = 1.0 / (good[lane] + others[lane])
            expected = sample[lane] * good[lane] * inverse
            mean[lane] = expected
            deviation[lane] = math.sqrt(
                expected * (others[lane] * inverse) * (1.0 - sample[lane] * inverse) * (1.0 + inverse)
            )
        wide = int(np.int64(0))  # a literal 0 would compile the next call twice
        for lane in range(n_lanes):
            lanes[wide] = lane
            wide += int(deviation[lane] >= _WIDE)
        _draw_wide(lanes, wide, good, work, stream, table, counts)
        if wide < n_lanes:
            for lane in range(n_lanes):
                if deviation[lane] >= _WIDE:
                    continue
                if others[lane] == 0.0:
                    counts[lane] = sample[lane]
                elif mean[lane] > 0.0:
                    counts[lane] = _by_inversion(
                        int(good[lane]), int(others[lane]), int(sample[lane]), stream, table
                    )
                else:
                    counts[lane] = 0.0
        for lane in range(n_lanes):
            good[lane] -= counts[lane]
            sample[lane] -= counts[lane]
    for lane in range(n_lanes):
        row[n_cols - 1, lane] = sample[lane]
        left[n_cols - 1, lane] -= sample[lane]


@njit(nogil=True, cache=True, error_model="numpy")
def _pairs(k: int) -> int:
    """C(k, 2) modulo 2**64."""
    return (k >> 1) * (k - 1) if k & 1 == 0 else k * ((k - 1) >> 1)


@njit(nogil=True, cache=True, error_model="numpy")
def _add(counts: Float64s, pairs: Int64s, entropies: Float64s) -> None:
    """Add C(k, 2) and k log k of some cells to each lane's sums; an empty array of sums is not wanted."""
    for j in range(counts.shape[0]):
        for lane in range(pairs.size):
            pairs[lane] += _pairs(int(counts[j, lane]))
        for lane in range(entropies.size):
            k = counts[j, lane]
            if k > 1.0:
                entropies[lane] += k * math.log(k)


@njit(nogil=True, cache=True, error_model="numpy")
def draw_sums(
    rows: Int64s,
    cols: Int64s,
    streams: Stream,
    lanes: int,
    table: Float64s,
    pairs: Int64s,
    entropies: Float64s,
) -> None:
    """Draw ``lanes`` tables from each stream and sum C(k, 2), modulo 2**64, and k log k over their cells.

    Parameters
    ----------
    rows, cols : ndarray of int64
        The margins.
    streams : ndarray of uint64 of shape (n_blocks, 4)
        Random states.
    lanes : int
    table : ndarray of float64
        See :func:`log_factorials`.
    pairs, entropies : ndarray
        Filled in order; they may be shorter than ``n_blocks * lanes``. An empty array is not wanted.
    """
    left = np.empty((cols.size, lanes))
    row = np.empty((cols.size, lanes))
    work = np.empty((6, lanes))
    names = np.empty(lanes, np.int64)
    some_pairs = np.zeros(lanes if pairs.size else 0, np.int64)
    some_entropies = np.zeros(lanes if entropies.size else 0)
    for block in range(streams.shape[0]):
        some_pairs[:] = 0
        some_entropies[:] = 0.0
        for j in range(cols.size):
            left[j] = cols[j]
        remaining = rows.sum()
        for i in range(rows.size - 1):
            _draw_row(rows[i], remaining, left, work, names, streams[block], table, row)
            remaining -= rows[i]
            _add(row, some_pairs, some_entropies)
        _add(left, some_pairs, some_entropies)
        start = block * lanes
        # Element by element: assigning an array takes two seconds more to compile, for its error message.
        for t in range(start, min(start + lanes, pairs.size)):
            pairs[t] = some_pairs[t - start]
        for t in range(start, min(start + lanes, entropies.size)):
            entropies[t] = some_entropies[t - start]


@njit(nogil=True, cache=True, error_model="numpy")
def draw_tables(
    rows: Int64s, cols: Int64s, streams: Stream, lanes: int, table: Float64s, out: Int64s
) -> None:
    """Draw the same tables as :func:`draw_sums` and hand them out: `out` has shape (n_tables, R, C)."""
    left = np.empty((cols.size, lanes))
    row = np.empty((cols.size, lanes))
    work = np.empty((6, lanes))
    names = np.empty(lanes, np.int64)
    for block in range(streams.shape[0]):
        part = out[block * lanes : (block + 1) * lanes]
        for j in range(cols.size):
            left[j] = cols[j]
        remaining = rows.sum()
        for i in range(rows.size - 1):
            _draw_row(rows[i], remaining, left, work, names, streams[block], table, row)
            remaining -= rows[i]
            for lane in range(part.shape[0]):
                for j in range(cols.size):
                    part[lane, i, j] = int(row[j, lane])
        for lane in range(part.shape[0]):
            for j in range(cols.size):
                part[lane, rows.size - 1, j] = int(left[j, lane])


@njit(nogil=True, cache=True, error_model="numpy")
def shuffle_cells(
    rows: Int64s, labels: NDArray[np.int32], stream: Stream, seen: Int64s, cells: Int64s
) -> int:
    """Shuffle the column `labels` in place and count their table with the rows.

    Parameters
    ----------
    rows : ndarray of int64
        Row sums; a row's instances follow one another.
    labels : ndarray of int32
        Column of each instance, in any order.
    stream : ndarray of uint64 of shape (4,)
    seen : ndarray of int64
        One zero for each column; left as it was.
    cells : ndarray of int64 of shape (3, n)
        Gets row, column and count of the cells that are not empty.

    Returns
    -------
    int
        Number of cells.
    """
    for i in range(labels.size - 1, 0, -1):
        j = int(_uniform(stream) * (i + 1))
        labels[i], labels[j] = labels[j], labels[i]
    filled = 0
    position = 0
    for i in range(rows.size):
        first = filled
        for _ in range(rows[i]):
            col = labels[position]
            position += 1
            if seen[col] == 0:
                cells[0, filled] = i
                cells[1, filled] = col
                filled += 1
            seen[col] += 1
        for cell in range(first, filled):
            cells[2, cell] = seen[cells[1, cell]]
            seen[cells[1, cell]] = 0
    return filled


@njit(nogil=True, cache=True, error_model="numpy")
def shuffle_sums(
    rows: Int64s,
    labels: NDArray[np.int32],
    n_cols: int,
    streams: Stream,
    lanes: int,
    pairs: Int64s,
    entropies: Float64s,
) -> None:
    """Do what :func:`draw_sums` does by shuffling: for tables with more cells than instances."""
    seen = np.zeros(n_cols, np.int64)
    cells = np.empty((3, labels.size), np.int64)
    mine = np.empty_like(labels)
    for block in range(streams.shape[0]):
        for i in range(labels.size):
            mine[i] = labels[i]
        for t in range(block * lanes, min((block + 1) * lanes, max(pairs.size, entropies.size))):
            filled = shuffle_cells(rows, mine, streams[block], seen, cells)
            if pairs.size:
                pairs[t] = 0
                for c in range(filled):
                    pairs[t] += _pairs(cells[2, c])
            if entropies.size:
                entropies[t] = 0.0
                for c in range(filled):
                    k = float(cells[2, c])
                    if k > 1.0:
                        entropies[t] += k * math.log(k)
