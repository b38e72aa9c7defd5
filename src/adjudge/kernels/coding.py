"""Kernels that code labels: find their range, and number distinct values in order of first occurrence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

# Knuth's multiplicative constant: spreads consecutive integers over the table.
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


@njit(nogil=True, cache=True)
def value_range(values: NDArray[Any], start: int, stop: int) -> tuple[int, int]:
    """Smallest and largest of ``values[start:stop]`` in one trip to memory."""
    low = values[start]
    high = values[start]
    for i in range(start, stop):
        value = values[i]
        low = min(low, value)
        high = max(high, value)
    return low, high


@njit(nogil=True, cache=True)
def first_not_whole(values: NDArray[np.float64]) -> int:
    """Position of the first value that is NaN, infinite, or not a whole int64; -1 if there is none."""
    for i in range(values.size):
        value = values[i]
        if not (np.floor(value) == value and abs(value) < 9.2e18):
            return i
    return -1


@njit(nogil=True, cache=True)
def number_integers(values: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Code distinct integers by open addressing, which grows with the number of distinct values.

    Returns
    -------
    codes : ndarray of int32
    firsts : ndarray of int64
        Position at which each code first occurs.
    """
    bits = np.uint64(10)
    slots = np.full(1 << 10, -1, np.int32)
    firsts = np.empty(512, np.int64)
    codes = np.empty(values.size, np.int32)
    n_distinct = 0
    for i in range(values.size):
        value = values[i]
        mask = slots.size - 1
        slot = np.int64((np.uint64(value) * _MULTIPLIER) >> (np.uint64(64) - bits))
        code = slots[slot]
        while code >= 0 and values[firsts[code]] != value:
            slot = (slot + 1) & mask
            code = slots[slot]
        if code < 0:
            code = np.int32(n_distinct)
            slots[slot] = code
            firsts[n_distinct] = i
            n_distinct += 1
            if 2 * n_distinct >= slots.size:
                bits += np.uint64(1)
                slots = np.full(2 * slots.size, -1, np.int32)
                mask = slots.size - 1
                grown = np.empty(slots.size // 2, np.int64)
                grown[:n_distinct] = firsts[:n_distinct]
                firsts = grown
                for known in range(n_distinct):
                    key = np.uint64(values[firsts[known]])
                    slot = np.int64((key * _MULTIPLIER) >> (np.uint64(64) - bits))
                    while slots[slot] >= 0:
                        slot = (slot + 1) & mask
                    slots[slot] = known
        codes[i] = code
    return codes, firsts[:n_distinct].copy()


@njit(nogil=True, cache=True)
def number_rows(words: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Code distinct rows, as :func:`number_integers` does for integers (fixed-width text is rows of words)."""
    n_rows, width = words.shape
    bits = np.uint64(10)
    slots = np.full(1 << 10, -1, np.int32)
    firsts = np.empty(512, np.int64)
    hashes = np.empty(512, np.uint64)
    codes = np.empty(n_rows, np.int32)
    n_distinct = 0
    for i in range(n_rows):
        key = np.uint64(0)
        for j in range(width):
            key = (key ^ np.uint64(words[i, j])) * _MULTIPLIER
            key ^= key >> np.uint64(29)
        mask = slots.size - 1
        slot = np.int64((key * _MULTIPLIER) >> (np.uint64(64) - bits))
        code = slots[slot]
        while code >= 0:
            if hashes[code] == key:
                same = True
                first = firsts[code]
                for j in range(width):
                    if words[first, j] != words[i, j]:
                        same = False
                        break
                if same:
                    break
            slot = (slot + 1) & mask
            code = slots[slot]
        if code < 0:
            code = np.int32(n_distinct)
            slots[slot] = code
            firsts[n_distinct] = i
            hashes[n_distinct] = key
            n_distinct += 1
            if 2 * n_distinct >= slots.size:
                bits += np.uint64(1)
                slots = np.full(2 * slots.size, -1, np.int32)
                mask = slots.size - 1
                more_firsts = np.empty(slots.size // 2, np.int64)
                more_firsts[:n_distinct] = firsts[:n_distinct]
                firsts = more_firsts
                more_hashes = np.empty(slots.size // 2, np.uint64)
                more_hashes[:n_distinct] = hashes[:n_distinct]
                hashes = more_hashes
                for known in range(n_distinct):
                    slot = np.int64((hashes[known] * _MULTIPLIER) >> (np.uint64(64) - bits))
                    while slots[slot] >= 0:
                        slot = (slot + 1) & mask
                    slots[slot] = known
        codes[i] = code
    return codes, firsts[:n_distinct].copy()
