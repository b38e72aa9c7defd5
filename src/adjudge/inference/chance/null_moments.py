"""The exact moments and distribution of the number of pairs joined in both partitions, under fixed margins.

With both margins fixed, every index that counts pairs is a function of this one number, a = sum C(n_ij, 2).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PairSumMoments:
    """The exact mean, variance and third central moment of a."""

    mean: Fraction
    variance: Fraction
    third: Fraction

    @property
    def skewness(self) -> float:
        """Third standardised moment; nan if a is constant."""
        if self.variance == 0:
            return math.nan
        return float(self.third) / math.sqrt(self.variance) ** 3


# Powers of a count sequences of distinct instances: two that share a cell; three; four; two and two others; ...
# As the partitions are independent, the probability of a pattern is the product of its probabilities in each.
_PATTERNS = ((2,), (3,), (4,), (2, 2), (3, 2), (2, 2, 2))


# Tables of more instances are never enumerated.
_LARGEST_ENUMERATED = 2000


def _falling(n: int, length: int) -> int:
    return math.prod(range(n - length + 1, n + 1))


def _sequences(sums: NDArray[Any]) -> dict[tuple[int, ...], int]:
    """Count sequences of distinct instances by pattern: each group lies in one cluster (maybe all in the same)."""
    sizes = Counter(sums.tolist())
    s2, s3, s4 = (
        sum(times * _falling(size, length) for size, times in sizes.items()) for length in (2, 3, 4)
    )
    # All pairs of groups, minus those that share one or more instances (in either order).
    s22 = s2 * s2 - 4 * s3 - 2 * s2
    s32 = s3 * s2 - 6 * s4 - 6 * s3
    s222 = s2 * s22 - 8 * s32 - 4 * s22 - 8 * s4
    return dict(zip(_PATTERNS, (s2, s3, s4, s22, s32, s222), strict=True))


def pair_sum_moments(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64], n: int) -> PairSumMoments:
    """Return the exact moments of a = sum C(n_ij, 2) over all tables with these margins."""
    rows, cols = _sequences(row_sums), _sequences(col_sums)
    phi = {
        key: Fraction(rows[key] * cols[key], _falling(n, sum(key))) if sum(key) <= n else Fraction(0)
        for key in _PATTERNS
    }
    first = phi[2,] / 2
    second = phi[2,] / 2 + phi[3,] + phi[2, 2] / 4
    third = (
        phi[2,] / 2
        + 4 * phi[3,]
        + Fraction(3, 4) * phi[2, 2]
        + 4 * phi[4,]
        + Fraction(3, 2) * phi[3, 2]
        + phi[2, 2, 2] / 8
    )
    return PairSumMoments(
        mean=first, variance=second - first**2, third=third - 3 * first * second + 2 * first**3
    )


def expected_squares(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64], n: int) -> NDArray[np.float64]:
    """Return E[n_ij^2] for every cell, of shape (R, C)."""
    a, b = row_sums[:, None].astype(np.float64), col_sums[None, :].astype(np.float64)
    mean = a * b / n
    return np.asarray(mean + mean * (a - 1) * (b - 1) / max(n - 1, 1))


def enumeration_cost(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64]) -> float:
    """Return an upper bound of the number of steps of :func:`pair_sum_distribution`."""
    rows, cols = _oriented(row_sums, col_sums)
    ways = _ways_to_take(rows)
    left = sum(rows)
    cost = 0.0
    for col in cols:
        cost += ways(left) * ways(col)
        left -= col
    return cost


def table_count_bound(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64]) -> float:
    """Return an upper bound of the number of tables with these margins."""
    rows, cols = _oriented(row_sums, col_sums)
    ways = _ways_to_take(rows)
    return math.prod(ways(col) for col in cols[:-1])


def _ways_to_take(rows: list[int]) -> Callable[[int], float]:
    """Return a function that counts the ways to compose a number of instances from counts of each row."""
    n = sum(rows)
    if n > _LARGEST_ENUMERATED:
        return lambda _: math.inf
    ways = np.ones(1)
    for size in rows:
        ways = np.convolve(ways, np.ones(size + 1))
    return lambda k: float(ways[k])


def pair_sum_distribution(
    row_sums: NDArray[np.int64], col_sums: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the exact distribution of a, by dynamic programming over the columns.

    The state is the remainder of each row, sorted because the order of rows does not matter.

    Returns
    -------
    values : ndarray of int64
        Values of a that occur, ascending.
    probabilities : ndarray of float64
    """
    rows, cols = _oriented(row_sums, col_sums)
    states: dict[tuple[int, ...], dict[int, int]] = {tuple(rows): {0: 1}}
    for col in cols:
        following: dict[tuple[int, ...], dict[int, int]] = {}
        for state, counts in states.items():
            for taken, ways, pairs in _choices(state, col):
                rest = tuple(sorted(size - k for size, k in zip(state, taken, strict=True)))
                target = following.setdefault(rest, {})
                for value, count in counts.items():
                    target[value + pairs] = target.get(value + pairs, 0) + count * ways
        states = following
    (counts,) = states.values()
    total = sum(counts.values())
    values = sorted(counts)
    return np.array(values, np.int64), np.array([counts[v] / total for v in values])


def enumerate_tables(
    row_sums: NDArray[np.int64], col_sums: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Yield every table with these margins, and the number of ways in which it arises."""
    table = np.zeros((len(row_sums), len(col_sums)), np.int64)

    def columns(j: int, left: tuple[int, ...], weight: int) -> Iterator[tuple[NDArray[np.int64], int]]:
        if j == len(col_sums):
            yield table.copy(), weight
            return
        for taken, ways, _ in _choices(left, int(col_sums[j])):
            table[:, j] = taken
            yield from columns(j + 1, tuple(a - k for a, k in zip(left, taken, strict=True)), weight * ways)

    yield from columns(0, tuple(row_sums.tolist()), 1)


def _oriented(row_sums: NDArray[np.int64], col_sums: NDArray[np.int64]) -> tuple[list[int], list[int]]:
    """Orient a table: few rows make few states, and the largest column, which follows from the rest, goes last."""
    rows, cols = sorted(row_sums.tolist()), sorted(col_sums.tolist())
    return (rows, cols) if len(rows) <= len(cols) else (cols, rows)


def _choices(sizes: tuple[int, ...], wanted: int) -> Iterator[tuple[tuple[int, ...], int, int]]:
    """Yield the ways to take `wanted` instances: how many of each row, in how many ways, and the pairs among them."""
    if len(sizes) == 1:
        if wanted <= sizes[0]:
            yield (wanted,), math.comb(sizes[0], wanted), wanted * (wanted - 1) // 2
        return
    rest = sum(sizes[1:])
    for k in range(max(0, wanted - rest), min(sizes[0], wanted) + 1):
        ways = math.comb(sizes[0], k)
        for taken, others, pairs in _choices(sizes[1:], wanted - k):
            yield (k, *taken), ways * others, pairs + k * (k - 1) // 2
