"""Information of tables with few cells, in plain Python: a first call on small data does not wait for numba.

Operations and their order are those of the kernels, so that both give the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from adjudge.startup import KERNELS

__all__ = [
    "entropy",
    "expected_mutual_information",
    "information_sums",
    "suffices",
    "suffices_for_expectation",
]

_SECONDS_A_CELL = 3e-6
_SECONDS_A_STEP = 5e-7
# Up to here, and up to this mean of a cell, the kernels compute in the same way.
_LARGEST_N = 3_000_000_000
_LARGEST_MEAN = 1e8
# A walk ends this many standard deviations from the mode, where weights are negligible.
_REACH = 9.2
_NEGLIGIBLE = 1e-18


def suffices(n_cells: int, n: int) -> bool:
    """Whether entropies had better be computed here."""
    return n < _LARGEST_N and not KERNELS.pays(_SECONDS_A_CELL * n_cells)


def suffices_for_expectation(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64], n: int) -> bool:
    """Whether the expectation had better be computed here."""
    if KERNELS.is_imported:
        return False
    rows, cols = np.unique(row_sums).astype(float), np.unique(col_sums).astype(float)
    means = np.multiply.outer(rows, cols / n)
    if means.max() >= _LARGEST_MEAN:
        return False
    steps = np.minimum(2 * _REACH * np.sqrt(means) + 40, np.minimum.outer(rows, cols))
    return not KERNELS.pays(_SECONDS_A_STEP * float(steps.sum()))


def _compensated(terms: Iterable[float]) -> float:
    """Add up by Neumaier's method."""
    total = lost = 0.0
    for term in terms:
        grown = total + term
        lost += (total - grown) + term if total >= term else (term - grown) + total
        total = grown
    return total + lost


def information_sums(
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    counts: NDArray[np.int64],
    row_sums: NDArray[np.int64],
    col_sums: NDArray[np.int64],
    n: int,
) -> tuple[float, float, float]:
    """Mutual information and the two conditional entropies."""
    beside = np.full(row_sums.size, n, np.int64)
    np.subtract.at(beside, rows, col_sums[cols])
    cells = list(zip(counts.tolist(), row_sums[rows].tolist(), col_sums[cols].tolist(), strict=True))
    mutual = [_deviance(float(k), float(a) * float(b) / n, float(k * n - a * b) / n) for k, a, b in cells]
    mutual += [a * (left / n) for a, left in zip(row_sums.tolist(), beside.tolist(), strict=True)]
    return (
        _compensated(mutual) / n,
        _compensated(k * math.log(b / k) for k, _, b in cells) / n,
        _compensated(k * math.log(a / k) for k, a, _ in cells) / n,
    )


def entropy(sizes: NDArray[np.int64], n: int) -> float:
    """Entropy of the shares sizes / n."""
    return _compensated(size * math.log(n / size) for size in sizes.tolist()) / n


def expected_mutual_information(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64], n: int) -> float:
    """Mutual information that two independent partitions with these cluster sizes have on average."""
    if n < 2:
        return 0.0
    sizes = [np.unique(sums, return_counts=True) for sums in (row_sums, col_sums)]
    rows, cols = (list(zip(*(part.astype(float).tolist() for part in pair), strict=True)) for pair in sizes)
    total = lost = 0.0
    for row, n_rows in rows:
        for col, n_cols in cols:
            term = n_rows * n_cols * _expected_deviance(row, col, float(n)) - lost
            updated = total + term
            lost = (updated - total) - term
            total = updated
    return total / n


def _deviance(count: float, mean: float, difference: float) -> float:
    """``count log(count/mean) - difference``, the difference being that of the count and the mean."""
    total = count + mean
    if abs(difference) >= 0.1 * total:
        excess = difference / mean
        if excess <= -1.0:
            return mean
        quotient = 1.0 + excess
        return count * (math.log(quotient) + (excess - (quotient - 1.0)) / quotient) - difference
    ratio = difference / total
    square = ratio * ratio
    value = difference * ratio
    term = 2.0 * count * ratio
    odd = 3.0
    while True:
        term *= square
        updated = value + term / odd
        if updated == value:
            return value
        value = updated
        odd += 2.0


def _expected_deviance(row: float, col: float, n: float) -> float:
    """E[k log(k/mu)] of one cell, walked outwards from the mode."""
    mean = row * (col / n)
    others = n - row - col
    low, high = max(0.0, -others), min(row, col)
    mode = min(max(float(math.floor((row + 1.0) * ((col + 1.0) / (n + 2.0)))), low), high)
    weights = 1.0
    values = _deviance(mode, mean, mode - mean)
    weight, k = 1.0, mode
    while k < high:
        weight *= ((row - k) * (col - k)) / ((k + 1.0) * (others + k + 1.0))
        k += 1.0
        term = weight * _deviance(k, mean, k - mean)
        weights += weight
        values += term
        if weight < _NEGLIGIBLE * weights and term < _NEGLIGIBLE * values:
            break
    weight, k = 1.0, mode
    while k > low:
        weight *= (k * (others + k)) / ((row - k + 1.0) * (col - k + 1.0))
        k -= 1.0
        term = weight * _deviance(k, mean, k - mean)
        weights += weight
        values += term
        if weight < _NEGLIGIBLE * weights and term < _NEGLIGIBLE * values:
            break
    return values / weights
