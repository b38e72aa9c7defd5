"""Silhouette widths when points are left out, from the sums of distances to clusters that the pass has anyway."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["nearest_two", "widths_without"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@njit(nogil=True, cache=True)
def nearest_two(sums: Floats, codes: Ints, sizes: Ints) -> tuple[Floats, Ints, Floats]:
    """Smallest mean distance of each point to another cluster, that cluster, and the smallest to a third one."""
    n, k = sums.shape
    best, which, next_best = np.full(n, np.inf), np.full(n, -1), np.full(n, np.inf)
    for i in range(n):
        for c in range(k):
            if c == codes[i]:
                continue
            mean = sums[i, c] / sizes[c]
            if mean < best[i]:
                next_best[i], best[i], which[i] = best[i], mean, c
            elif mean < next_best[i]:
                next_best[i] = mean
    return best, which, next_best


@njit(nogil=True, cache=True)
def widths_without(
    block: Floats,
    left_out: Ints,
    codes: Ints,
    sizes: Ints,
    sums: Floats,
    best: Floats,
    which: Ints,
    next_best: Floats,
    found: Floats,
) -> None:
    """Sum the widths of each cluster without one point, for each point in `left_out`.

    Parameters
    ----------
    block : ndarray of shape (m, n)
        Distances of the points that are left out to all points.
    left_out : ndarray of shape (m,)
    codes, sizes, sums, best, which, next_best
        As in :func:`nearest_two`.
    found : ndarray of shape (m, K)
        Sums of the widths of the other points; nan where a width is undefined.
    """
    for row in range(block.shape[0]):
        gone = left_out[row]
        shrunk = codes[gone]
        rest = sizes[shrunk] - 1
        for i in range(block.shape[1]):
            if i == gone:
                continue
            own = codes[i]
            others = sizes[own] - 1
            within = sums[i, own]
            between = best[i]
            if own == shrunk:
                others -= 1
                within -= block[row, i]
            else:
                if which[i] == shrunk:
                    between = next_best[i]
                if rest > 0:
                    between = min(between, (sums[i, shrunk] - block[row, i]) / rest)
            if others == 0:
                continue
            mean = max(0.0, within / others)
            larger = max(mean, between)
            # 0/0 and infinite distances are undefined.
            found[row, own] += (between - mean) / larger if 0.0 < larger < np.inf else np.nan
