"""Expectations over the cells of a contingency table whose two margins are fixed.

Under the null model of fixed margins a cell is hypergeometric: `n` instances, `row` of them in the one
cluster and `col` in the other. Cells with equal margins have equal expectations and are computed once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from adjudge.kernels.deviance import deviance

__all__ = ["expected_mutual_information", "expected_mutual_information_of_sizes"]

# Terms below this share of the sum cannot change its last bit.
_NEGLIGIBLE = 1e-18
# From this mean on a cell's distribution is so wide that walking it takes long, and an expansion is as exact.
_LARGE_MEAN = 1e8


@njit(nogil=True, cache=True)
def _deviance_of_large_mean(mean: float, row: float, col: float, n: float) -> float:
    """Return E[k log(k/mu)] from the second to fourth moments: further terms are below mu^-2 of the first."""
    variance = mean * ((n - row) / n) * ((n - col) / (n - 1.0))
    skewed = ((n - 2.0 * row) / n) * ((n - 2.0 * col) / (n - 2.0))
    return variance / mean * (0.5 - skewed / (6.0 * mean) + variance / mean / (4.0 * mean))


@njit(nogil=True, cache=True)
def _expected_deviance(row: float, col: float, n: float) -> float:
    """Return E[k log(k/mu)] of one cell.

    As E[k] = mu, this is the expectation of the non-negative :func:`deviance`. The weights are walked
    outwards from the mode by the ratio of neighbours and normalised by their own sum: no log-gamma.
    """
    mean = row * (col / n)
    if mean >= _LARGE_MEAN:
        return _deviance_of_large_mean(mean, row, col, n)
    others = n - row - col
    low = max(0.0, -others)
    high = min(row, col)
    mode = min(max(math.floor((row + 1.0) * ((col + 1.0) / (n + 2.0))), low), high)
    weights = 1.0
    values = deviance(mode, mean, mode - mean)

    weight = 1.0
    k = mode
    while k < high:
        weight *= ((row - k) * (col - k)) / ((k + 1.0) * (others + k + 1.0))
        k += 1.0
        term = weight * deviance(k, mean, k - mean)
        weights += weight
        values += term
        if weight < _NEGLIGIBLE * weights and term < _NEGLIGIBLE * values:
            break

    weight = 1.0
    k = mode
    while k > low:
        weight *= (k * (others + k)) / ((row - k + 1.0) * (col - k + 1.0))
        k -= 1.0
        term = weight * deviance(k, mean, k - mean)
        weights += weight
        values += term
        if weight < _NEGLIGIBLE * weights and term < _NEGLIGIBLE * values:
            break
    return values / weights


@njit(nogil=True, cache=True)
def _sum_over_cells(
    rows: NDArray[np.float64],
    row_counts: NDArray[np.float64],
    cols: NDArray[np.float64],
    col_counts: NDArray[np.float64],
    n: float,
) -> float:
    total = 0.0
    lost = 0.0  # Kahan's compensation: thousands of positive terms of any size
    for i in range(rows.size):
        for j in range(cols.size):
            term = row_counts[i] * col_counts[j] * _expected_deviance(rows[i], cols[j], n) - lost
            updated = total + term
            lost = (updated - total) - term
            total = updated
    return total


def _distinct(sums: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values, counts = np.unique(np.asarray(sums), return_counts=True)
    return values.astype(np.float64), counts.astype(np.float64)


def expected_mutual_information(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64], n: int) -> float:
    """Mutual information (in nats) that two independent partitions with these cluster sizes have on average.

    Parameters
    ----------
    row_sums, col_sums : ndarray of int64
        Cluster sizes of the two partitions, all positive; each sums to `n`.
    n : int
        Number of instances.

    Returns
    -------
    float
        Exact expectation under fixed margins, relative error about 1e-15.
    """
    if n < 2:
        return 0.0
    return expected_mutual_information_of_sizes(*_distinct(row_sums), *_distinct(col_sums), n)


def expected_mutual_information_of_sizes(
    row_sizes: NDArray[np.float64],
    row_counts: NDArray[np.float64],
    col_sizes: NDArray[np.float64],
    col_counts: NDArray[np.float64],
    n: int,
) -> float:
    """Do the same for random cluster sizes: how many clusters of each size either partition has on average.

    Parameters
    ----------
    row_sizes, row_counts : ndarray of float64
        Sizes that occur in the first partition, and the expected number of clusters of each.
    col_sizes, col_counts : ndarray of float64
        The same of the second partition, which is independent of the first.
    n : int

    Returns
    -------
    float
    """
    return float(_sum_over_cells(row_sizes, row_counts, col_sizes, col_counts, float(n)) / n)
