"""Number of pairs joined in both of two independent partitions with fixed cluster sizes.

An index that counts pairs depends on the table only through this number, so its distribution follows from that of the
number.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from adjudge.array_types import Floats
from adjudge.inference.chance.null_moments import PairSumMoments, pair_sum_distribution
from adjudge.inference.chance.null_tables import RandomTables
from adjudge.inference.chance.targets import Target
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.pair_counts import PairCounts


def _support(joined_true: int, joined_pred: int, total: int) -> tuple[int, int]:
    return max(0, joined_true + joined_pred - total), min(joined_true, joined_pred)


@dataclass(frozen=True)
class PairCurve:
    """An index as a function of the number a of pairs joined in both partitions, with fixed margins."""

    target: Target
    joined_true: int
    joined_pred: int
    total: int

    @property
    def support(self) -> tuple[int, int]:
        """Smallest and largest possible a."""
        return _support(self.joined_true, self.joined_pred, self.total)

    def __call__(self, a: int) -> float:
        """Return the value of the index for one number of pairs."""
        return self.target(
            PairCounts.from_joined(
                both=a, in_true=self.joined_true, in_pred=self.joined_pred, total=self.total
            )
        )

    @cached_property
    def polynomial(self) -> tuple[int, float, float, float] | None:
        """The centre m and coefficients of c0 + c1 (a - m) + c2 (a - m)^2, if the index is such a polynomial.

        It counts as one if it agrees, at seventeen points, with the polynomial through three others.
        """
        low, high = self.support
        if high - low < 2:
            return None
        middle = (low + high) // 2
        at_low, at_middle, at_high = self(low), self(middle), self(high)
        left, right = (at_middle - at_low) / (middle - low), (at_high - at_middle) / (high - middle)
        curvature = (right - left) / (high - low)
        scale = max(abs(at_low), abs(at_middle), abs(at_high))
        if not math.isfinite(scale):
            return None
        if abs(curvature) * (high - low) ** 2 <= 1e-12 * scale:
            curvature = 0.0
            slope = (at_high - at_low) / (high - low)
        else:
            slope = left + curvature * (middle - low)
        for step in range(1, 18):
            a = low + (high - low) * step // 18
            by_polynomial = at_middle + (a - middle) * (slope + curvature * (a - middle))
            if not abs(self(a) - by_polynomial) <= 1e-12 * scale:
                return None
        return middle, at_middle, slope, curvature

    def mean(self, moments: PairSumMoments) -> float | None:
        """Return the exact mean if the index is linear or quadratic."""
        if self.polynomial is None:
            return None
        middle, _, slope, curvature = self.polynomial
        # Evaluating at the rounded mean of a keeps the precision of the index.
        near = min(max(round(moments.mean), self.support[0]), self.support[1])
        offset = float(moments.mean - near)
        slope += 2 * curvature * (near - middle)
        return self(near) + slope * offset + curvature * (float(moments.variance) + offset**2)

    def std(self, moments: PairSumMoments) -> float | None:
        """Return the exact standard deviation if the index is linear."""
        if self.polynomial is None or self.polynomial[3] != 0:
            return None
        return abs(self.polynomial[2]) * math.sqrt(moments.variance)


# Up to this many cells, all swaps of two instances are examined.
_MOST_SWAPPED = 400


class PairSumLaws:
    """Distributions of the number of pairs joined in both partitions, by method, each computed once."""

    def __init__(
        self, table: Contingency, moments: PairSumMoments, tables: RandomTables, n_tables: int
    ) -> None:
        self._table = table
        self._moments = moments
        self._tables = tables
        self._n_tables = n_tables

    def __getitem__(self, method: str) -> tuple[list[int], Floats]:
        if method == "exact":
            return self._exact
        return self._simulated if method == "simulate" else self._pearson3

    @cached_property
    def _exact(self) -> tuple[list[int], Floats]:
        if self._moments.variance == 0:
            return [round(self._moments.mean)], np.ones(1)
        values, probabilities = pair_sum_distribution(self._table.row_sums, self._table.col_sums)
        return values.tolist(), probabilities

    @cached_property
    def _simulated(self) -> tuple[list[int], Floats]:
        base, offsets = self._tables.pair_sums(self._n_tables)
        values, counts = np.unique(offsets, return_counts=True)
        return [base + offset for offset in values.tolist()], counts / self._n_tables

    @cached_property
    def _pearson3(self) -> tuple[list[int], Floats]:
        """Integers and their probabilities: a fine grid if the range is wide, with a cell around the observed one."""
        from scipy.stats import pearson3

        moments, pairs = self._moments, self._table.pairs
        base = round(moments.mean)
        law = pearson3(moments.skewness, loc=float(moments.mean - base), scale=math.sqrt(moments.variance))
        low, high = _support(pairs.joined_true, pairs.joined_pred, pairs.total)
        reach = law.ppf(1e-15), law.isf(1e-15)
        observed = pairs.yy - base
        below, above = pair_sum_gaps(self._table)
        # Halfway to the numbers of the neighbouring tables: with few clusters there are gaps between them.
        first, last = observed - (below - 1) // 2, observed + (above - 1) // 2 + 1
        edges = {*np.linspace(*reach, 4001).round().astype(np.int64).tolist()}
        edges = {e for e in edges if not first < e < last}
        edges |= {low - base, high - base + 1, first, last}
        # An edge e stands for e - 1/2: a cell holds the integers from one edge to one below the next.
        steps = np.array(sorted(e for e in edges if low - base <= e <= high - base + 1), dtype=object)
        ends = steps.astype(np.float64) - 0.5
        chances = np.where(ends[1:] < 0, np.diff(law.cdf(ends)), -np.diff(law.sf(ends)))
        chances = np.nan_to_num(np.maximum(chances, 0.0))
        numbers = [
            pairs.yy if a <= observed < b else base + (int(a) + int(b) - 1) // 2 for a, b in pairwise(steps)
        ]
        return numbers, chances / chances.sum()


def pair_sum_gaps(table: Contingency) -> tuple[int, int]:
    """Return the distances of the number of pairs joined in both partitions to the next lower and next higher number.

    These are sought among the tables in which two instances have swapped clusters; 1 if there are many cells, because
    then there are no gaps.
    """
    r, c = table.shape
    if r * c > _MOST_SWAPPED:
        return 1, 1
    counts = table.to_array()
    rows = counts[:, None, :] - counts[None, :, :]
    # Instances of the cells (i, j) and (k, l) move to (i, l) and (k, j).
    changes = 2 - (rows[:, :, :, None] - rows[:, :, None, :])
    possible = (counts > 0)[:, None, :, None] & (counts > 0)[None, :, None, :]
    possible &= ~np.eye(r, dtype=bool)[:, :, None, None] & ~np.eye(c, dtype=bool)
    steps = changes[possible]
    lower, higher = -steps[steps < 0], steps[steps > 0]
    return int(lower.min(initial=1 << 62 if lower.size else 1)), int(
        higher.min(initial=1 << 62 if higher.size else 1)
    )
