"""Information of tables with few cells, in plain Python and NumPy: a first call on small data does not wait for numba.

Operations and their order are those of the kernels, so that both give the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

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

Floats = NDArray[np.float64]

_SECONDS_A_CELL = 1e-6
_SECONDS_A_WALK = 1e-4
_SECONDS_A_STEP = 4e-8
# Up to here, and up to this mean of a cell, the kernels compute in the same way.
_LARGEST_N = 3_000_000_000
_LARGEST_MEAN = 1e8
# A walk ends about so many standard deviations from the mode, and steps, where weights are negligible.
_REACH = 9.2
_SPARE = 40
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
    steps = np.minimum(2 * (_REACH * np.sqrt(means) + _SPARE), np.minimum.outer(rows, cols))
    return not KERNELS.pays(_SECONDS_A_WALK * steps.size + _SECONDS_A_STEP * float(steps.sum()))


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
    of_row, of_col = row_sums[rows], col_sums[cols]
    means = of_row.astype(float) * of_col.astype(float) / n
    mutual = _deviances(counts.astype(float), means, (counts * n - of_row * of_col) / n).tolist()
    mutual += (row_sums * (beside / n)).tolist()
    cells = list(zip(counts.tolist(), of_row.tolist(), of_col.tolist(), strict=True))
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


def _expected_deviance(row: float, col: float, n: float) -> float:
    """E[k log(k/mu)] of one cell, walked outwards from the mode."""
    mean = row * (col / n)
    others = n - row - col
    low, high = max(0.0, -others), min(row, col)
    mode = min(max(float(math.floor((row + 1.0) * ((col + 1.0) / (n + 2.0)))), low), high)
    reach = int(_REACH * math.sqrt(mean)) + _SPARE

    def up(length: int) -> tuple[Floats, Floats]:
        k = mode + np.arange(length, dtype=np.float64)
        return ((row - k) * (col - k)) / ((k + 1.0) * (others + k + 1.0)), k + 1.0

    def down(length: int) -> tuple[Floats, Floats]:
        k = mode - np.arange(length, dtype=np.float64)
        return (k * (others + k)) / ((row - k + 1.0) * (col - k + 1.0)), k - 1.0

    first = np.array([mode])
    sums = (1.0, float(_deviances(first, np.array([mean]), first - mean)[0]))
    sums = _walk(sums, up, int(high - mode), reach, mean)
    weights, values = _walk(sums, down, int(mode - low), reach, mean)
    return values / weights


def _walk(
    sums: tuple[float, float],
    steps: Callable[[int], tuple[Floats, Floats]],
    most: int,
    length: int,
    mean: float,
) -> tuple[float, float]:
    """Add weights and weighted deviances one by one, until they are negligible."""
    if most == 0:
        return sums
    length = min(most, length)
    ratios, counts = steps(length)
    weights = np.multiply.accumulate(ratios)
    terms = weights * _deviances(counts, np.full(length, mean), counts - mean)
    all_weights = np.add.accumulate(np.concatenate([[sums[0]], weights]))[1:]
    all_terms = np.add.accumulate(np.concatenate([[sums[1]], terms]))[1:]
    ends = (weights < _NEGLIGIBLE * all_weights) & (terms < _NEGLIGIBLE * all_terms)
    last = int(np.argmax(ends)) if ends.any() else length - 1
    if length < most and not ends[last]:
        return _walk(sums, steps, most, 4 * length, mean)
    return float(all_weights[last]), float(all_terms[last])


def _deviances(counts: Floats, means: Floats, differences: Floats) -> Floats:
    """``count log(count/mean) - difference``, the difference being that of the count and the mean."""
    total = counts + means
    near = np.abs(differences) < 0.1 * total
    found = np.empty(counts.size)
    ratio = differences[near] / total[near]
    square = ratio * ratio
    value = differences[near] * ratio
    term = 2.0 * counts[near] * ratio
    odd = 3.0
    while True:
        term = term * square
        updated = value + term / odd
        if (updated == value).all():
            break
        value = updated
        odd += 2.0
    found[near] = value
    empty = ~near & (differences <= -means)
    found[empty] = means[empty]
    far = ~near & ~empty
    excess = differences[far] / means[far]
    quotient = 1.0 + excess
    # The logarithm of NumPy may differ from that of the kernels by its last bit.
    logarithms = np.array([*map(math.log, quotient.tolist())])
    found[far] = counts[far] * (logarithms + (excess - (quotient - 1.0)) / quotient) - differences[far]
    return found
