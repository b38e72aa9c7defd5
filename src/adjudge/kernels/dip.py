"""Hartigan's dip: how far a distribution function is from the nearest one with a single mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine

__all__ = ["dip_of_sorted", "dips_of_uniform", "unimodal_corners"]

Array = np.ndarray[Any, Any]


@subroutine()
def hull(x: Array, low: int, high: int, upper: bool, corners: Array) -> int:
    """Corners of the convex minorant (or concave majorant) of the points (x[i], i), low to high; how many there are."""
    sign = -1.0 if upper else 1.0
    n = 0
    for i in range(low, high + 1):
        while n > 1:
            a, b = corners[n - 2], corners[n - 1]
            # b is not below the line from a to i, or not above it.
            if sign * ((b - a) * (x[i] - x[b]) - (i - b) * (x[b] - x[a])) < 0.0:
                break
            n -= 1
        corners[n] = i
        n += 1
    return n


@subroutine()
def excess(x: Array, corners: Array, first: int, last: int, upper: bool) -> float:
    """Greatest height of the steps at the points above a minorant's segments, or of a majorant above the points."""
    found = 1.0
    for c in range(first, last):
        a, b = corners[c], corners[c + 1]
        if b - a < 2 or x[b] == x[a]:
            continue
        slope = (b - a) / (x[b] - x[a])
        for i in range(a, b + 1):
            over = (i - a) - slope * (x[i] - x[a])
            found = max(found, 1.0 + (-over if upper else over))
    return found


@subroutine()
def widest_gap(x: Array, minorant: Array, n_low: int, majorant: Array, n_high: int, ends: Array) -> float:
    """Greatest distance of majorant and minorant, at a corner of either.

    `ends` gets the positions of the corners between which it is: the minorant's at the left, the majorant's at the
    right. Both begin and end at the same points.
    """
    widest = 0.0
    # Corners of the minorant under segments of the majorant.
    segment = 0
    for c in range(n_low):
        i = minorant[c]
        while segment < n_high - 2 and majorant[segment + 1] < i:
            segment += 1
        a, b = majorant[segment], majorant[segment + 1]
        if a < i < b and x[b] > x[a]:
            gap = a + (b - a) * (x[i] - x[a]) / (x[b] - x[a]) - i + 1.0
            if gap >= widest:
                widest, ends[0], ends[1] = gap, c, segment + 1
    segment = 0
    for c in range(n_high):
        i = majorant[c]
        while segment < n_low - 2 and minorant[segment + 1] < i:
            segment += 1
        a, b = minorant[segment], minorant[segment + 1]
        if a < i < b and x[b] > x[a]:
            gap = i + 1.0 - a - (b - a) * (x[i] - x[a]) / (x[b] - x[a])
            if gap >= widest:
                widest, ends[0], ends[1] = gap, segment, c
    return widest


@subroutine()
def modal_interval(x: Array, minorant: Array, majorant: Array) -> tuple[float, int, int]:
    """Dip of ascending values, in steps of the distribution function, and both ends of the interval of the mode.

    The interval shrinks: outside it the unimodal law follows the convex minorant at the left and the concave majorant
    at the right, half the dip away from them (Hartigan & Hartigan 1985).
    """
    ends = np.zeros(2, np.int64)
    low, high, dip = 0, len(x) - 1, 1.0
    while x[low] < x[high]:
        n_low = hull(x, low, high, False, minorant)
        n_high = hull(x, low, high, True, majorant)
        if n_low == 2 and n_high == 2:
            break
        gap = widest_gap(x, minorant, n_low, majorant, n_high, ends)
        if gap <= dip:
            break
        dip = max(dip, excess(x, minorant, 0, ends[0], False))
        dip = max(dip, excess(x, majorant, ends[1], n_high - 1, True))
        left, right = minorant[ends[0]], majorant[ends[1]]
        if (left == low and right == high) or left >= right:
            break
        low, high = left, right
    return dip, low, high


@kernel()
def dip_of_sorted(x: Array) -> float:
    """Dip of ascending values: the largest difference from the distribution function of the nearest unimodal law."""
    n = len(x)
    dip, _, _ = modal_interval(x, np.empty(n, np.int64), np.empty(n, np.int64))
    return 0.5 * dip / n


@kernel()
def unimodal_corners(x: Array, corners: Array) -> int:
    """Positions of ascending values between which a law with one mode, close to theirs, is uniform; their number."""
    n = len(x)
    minorant, majorant = np.empty(n, np.int64), np.empty(n, np.int64)
    _, low, high = modal_interval(x, minorant, majorant)
    n_low = hull(x, 0, low, False, minorant)
    n_high = hull(x, high, n - 1, True, majorant)
    corners[:n_low] = minorant[:n_low]
    first = 1 if high == low else 0
    corners[n_low : n_low + n_high - first] = majorant[first:n_high]
    return n_low + n_high - first


@kernel()
def dips_of_uniform(draws: Array, found: Array) -> None:
    """Dips of rows of uniform values, which are sorted in place."""
    for i in range(draws.shape[0]):
        draws[i].sort()
        found[i] = dip_of_sorted(draws[i])
