"""Kernels that code labels: find their range, and number distinct values in order of first occurrence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels import kernel, subroutine

# 2^64 over the golden ratio: spreads consecutive integers over the table.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@kernel()
def value_range(values: NDArray[Any]) -> tuple[int, int]:
    """Smallest and largest value in one trip to memory."""
    low = values[0]
    high = values[0]
    for i in range(values.size):
        value = values[i]
        low = min(low, value)
        high = max(high, value)
    return low, high


@kernel()
def cut_whole(values: NDArray[Any], whole: NDArray[Any], limit: float) -> tuple[int, int, bool]:
    """Cut floats to integers; the smallest and the largest of these, and whether nothing was cut off."""
    first = values[0]
    low = whole.dtype.type(first if abs(first) < limit else 0.0)
    high = low
    lost = np.int32(0)
    for i in range(values.size):
        value = values[i]
        # Not true of NaN. Without a branch the loop takes several numbers at a time.
        number = whole.dtype.type(value if abs(value) < limit else 0.0)
        whole[i] = number
        lost |= np.int32(number != value)
        low = min(low, number)
        high = max(high, number)
    return low, high, lost == 0


@kernel()
def mark_places(codes: NDArray[Any], first: int, places: NDArray[np.int64]) -> None:
    """Write down a place of each code; the first one is at `first`."""
    for i in range(codes.size):
        places[np.uint64(codes[i])] = first + i


@kernel()
def look_up(codes: NDArray[Any], numbers: NDArray[Any], found: NDArray[Any]) -> None:
    """Fill in the number of each code; codes are not negative."""
    for i in range(codes.size):
        found[i] = numbers[np.uint64(codes[i])]


@subroutine()
def _slot_of(words: NDArray[Any], at: Any, width: int, factors: NDArray[np.uint64], mask: Any) -> Any:
    """First slot of the row of words that begins at `at`; the products of a row do not wait for each other."""
    key = np.uint64(0)
    for j in range(width):
        key += np.uint64(words[at + np.uint64(j)]) * factors[np.uint64(j)]
    # Words that differ only in their last bytes differ only in high bits of the product: once more.
    key ^= key >> np.uint64(32)
    return ((key * _MULTIPLIER) >> np.uint64(32)) & mask


@kernel()
def number_rows(
    words: NDArray[Any],
    width: int,
    codes: NDArray[Any],
    done: int,
    slots: NDArray[np.int32],
    firsts: NDArray[np.int64],
    n_distinct: int,
) -> tuple[int, int]:
    """Code distinct rows in order of first occurrence by open addressing, until all are coded or `firsts` is full.

    Integers are rows of one word, fixed-width text rows of several.

    Parameters
    ----------
    words : (n * width,) rows of words, one after the other
    codes : (n,) the code of each row, to be filled in from row `done` on
    slots : (power of two,) more than `firsts` has, each -1
    firsts : where each code first occurs; `n_distinct` are known

    Returns
    -------
    How many rows are coded, and how many distinct ones there are.
    """
    factors = np.empty(width, np.uint64)
    factor = _MULTIPLIER
    for j in range(width):
        factors[j] = factor
        factor *= _MULTIPLIER
    # Unsigned positions: a signed one is checked for being negative at every load.
    mask = np.uint64(slots.size - 1)
    for code in range(n_distinct):
        slot = _slot_of(words, np.uint64(firsts[code] * width), width, factors, mask)
        while slots[slot] >= 0:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = np.int32(code)
    at = np.uint64(done * width)
    for i in range(done, codes.size):
        slot = _slot_of(words, at, width, factors, mask)
        while True:
            found = slots[slot]
            if found < 0:
                if n_distinct == firsts.size:
                    return i, n_distinct
                found = np.int32(n_distinct)
                slots[slot] = found
                firsts[n_distinct] = i
                n_distinct += 1
                break
            first = np.uint64(firsts[np.uint64(found)] * width)
            unlike = np.uint64(0)
            for j in range(width):
                unlike |= np.uint64(words[first + np.uint64(j)] ^ words[at + np.uint64(j)])
            if unlike == 0:
                break
            slot = (slot + np.uint64(1)) & mask
        codes[np.uint64(i)] = found
        at += np.uint64(width)
    return codes.size, n_distinct
