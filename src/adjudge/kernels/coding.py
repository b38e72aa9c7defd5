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
def _number_until_full(
    words: NDArray[Any],
    start: int,
    codes: NDArray[np.int32],
    slots: NDArray[np.int32],
    hashes: NDArray[np.uint64],
    firsts: NDArray[np.int64],
    n_distinct: int,
) -> tuple[int, int]:
    """Code rows from `start` on, until all are coded or the hash table is half full."""
    mask = slots.size - 1
    for i in range(start, words.shape[0]):
        key = np.uint64(0)
        for j in range(words.shape[1]):
            key = (key ^ np.uint64(words[i, j])) * _MULTIPLIER
            key ^= key >> np.uint64(32)
        # Words that differ only in their last bytes differ only in high bits of the product: once more.
        key *= _MULTIPLIER
        key ^= key >> np.uint64(32)
        slot = np.int64(key) & mask
        while True:
            code = slots[slot]
            if code < 0:
                if n_distinct == firsts.size:
                    return i, n_distinct
                code = np.int32(n_distinct)
                slots[slot] = code
                hashes[n_distinct] = key
                firsts[n_distinct] = i
                n_distinct += 1
                break
            if hashes[code] == key:
                first = firsts[code]
                same = True
                for j in range(words.shape[1]):
                    same &= words[first, j] == words[i, j]
                if same:
                    break
            slot = (slot + 1) & mask
        codes[i] = code
    return words.shape[0], n_distinct


@kernel()
def number_rows(words: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Code distinct rows in order of first occurrence, by open addressing.

    Memory grows with the number of distinct rows. Integers are rows of one word, fixed-width text rows of several.

    Returns
    -------
    codes : ndarray of int32
    firsts : ndarray of int64
        Position at which each code first occurs.
    """
    codes = np.empty(words.shape[0], np.int32)
    hashes = np.empty(512, np.uint64)
    firsts = np.empty(512, np.int64)
    n_distinct = 0
    done = 0
    while True:
        slots = np.full(2 * firsts.size, -1, np.int32)
        for code in range(n_distinct):
            slot = np.int64(hashes[code]) & (slots.size - 1)
            while slots[slot] >= 0:
                slot = (slot + 1) & (slots.size - 1)
            slots[slot] = code
        done, n_distinct = _number_until_full(words, done, codes, slots, hashes, firsts, n_distinct)
        if done == words.shape[0]:
            return codes, firsts[:n_distinct].copy()
        more_hashes = np.empty(4 * hashes.size, np.uint64)
        more_hashes[:n_distinct] = hashes
        hashes = more_hashes
        more_firsts = np.empty(4 * firsts.size, np.int64)
        more_firsts[:n_distinct] = firsts
        firsts = more_firsts
