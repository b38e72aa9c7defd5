"""Counting over sorted distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel

__all__ = ["compare_sorted", "sum_tails"]

Array = np.ndarray[Any, Any]


@kernel()
def compare_sorted(within: Array, between: Array) -> tuple[int, int, int]:
    """Count the pairs (within, between) with within > between, those that are equal, and all pairs of equal values.

    Both arrays are sorted; their lengths are bounded by memory, so that no count exceeds 63 bits.
    """
    i = 0
    j = 0
    larger = 0
    ties = 0
    tied = 0
    n = within.shape[0]
    m = between.shape[0]
    while i < n:
        value = within[i]
        while j < m and between[j] < value:
            start = j
            v = between[j]
            j += 1
            while j < m and between[j] == v:
                j += 1
            tied += (j - start) * (j - start - 1) >> 1
        first = i
        while i < n and within[i] == value:
            i += 1
        below = j
        while j < m and between[j] == value:
            j += 1
        own = i - first
        equal = j - below
        larger += own * below
        ties += own * equal
        tied += (own + equal) * (own + equal - 1) >> 1
    while j < m:
        start = j
        v = between[j]
        while j < m and between[j] == v:
            j += 1
        tied += (j - start) * (j - start - 1) >> 1
    return larger, ties, tied


@kernel()
def sum_tails(a: Array, b: Array, count: int) -> tuple[float, float]:
    """Sum the `count` smallest and the `count` largest values of two sorted arrays together."""
    smallest = 0.0
    i = 0
    j = 0
    for _ in range(count):
        if j == b.shape[0] or (i < a.shape[0] and a[i] <= b[j]):
            smallest += a[i]
            i += 1
        else:
            smallest += b[j]
            j += 1
    largest = 0.0
    i = a.shape[0] - 1
    j = b.shape[0] - 1
    for _ in range(count):
        if j < 0 or (i >= 0 and a[i] >= b[j]):
            largest += a[i]
            i -= 1
        else:
            largest += b[j]
            j -= 1
    return smallest, largest
