"""Intervals of an index of two clusters by two, from the probabilities of tables of counts.

Agreement of two clusters by two is least where labels match by chance, and grows on either side; with clusters of one
size it is so in more than one direction. An estimate is then neither normal nor a chi-square variable. But a table of
four counts has few enough neighbours that the distribution of the index under a law can be summed over them. The
interval holds the values whose laws give an index so small, or so large, with the probability that is left to each
side, half the weight being on what was observed (mid-P).

Of all laws with one value of the index, that is taken which one reaches from the observed shares by going where the
index changes most, a step being measured in standard deviations. Near a turn of the index no estimate can be too near
to it; laws there may reject twice as many that are too far.

References
----------
Berry & Armitage (1995), The Statistician 44, 417-423 (mid-P).
Amari (1998), Neural Computation 10, 251-276 (steepest descent among laws).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.proportions import normal_quantile
from adjudge.statistics.contingency import Contingency

__all__ = ["MOST_INSTANCES", "Reading", "TablesOfFour", "TestOfFour"]

Float64s = NDArray[np.float64]

#: Instances up to which tables are summed.
MOST_INSTANCES = 3000
# Standard deviations from chance up to which tables are summed, and part of the way to identical partitions: few
# misplaced instances have limits of their own.
_NEAR_CHANCE = 5.0
_NEAR_BEST = 0.7
# Instances that each cell is given beside its own, so that no law lacks one.
_ADDED = 0.5
# Distance of neighbouring tables in standard deviations; of whole numbers at least.
_APART = 0.75
# Deviations by which tables go farther than the ends of the interval, and laws.
_BEYOND = 2.5
_FARTHER = 3.5
# Quantile for which tables are there at least: p-values down to 0.0001 need it.
_LEAST_Z = 2.5
# Deviations from one law to the next.
_STRIDE = 0.35
# Part of the variance of an index that is linear in the counts, below which it turns.
_TURNS = 0.1
# Level of the index at a turn below which no estimate counts as nearer.
_NEAREST = 0.17
# Part of the smaller factor of a product that is kept. Of its squares 0.3, 0.5 and 0.7, the largest with which no two
# equally good models of 20 or 30 instances are told apart in more than 6 %; of a normal product 0.7 would do.
_OF_LESS = math.sqrt(0.5)
# Part of its level below which the probability of what was observed says that no law of note lies farther away.
_FAR = 0.005
# Part of a standard deviation that is nothing.
_NOTHING = 1e-4
# Least share of a cell; derivatives need some.
_LEAST_SHARE = 1e-7
# Confidence of the interval that a p-value is read from: of no effect but how far it is looked.
_OF_P_VALUES = 0.9999
_CONTRASTS = np.array([[1, 1, -1, -1], [1, -1, 1, -1], [1, -1, -1, 1]], float)


@dataclass(frozen=True)
class Reading:
    """An index of four cells: its values for tables of counts, and for laws of four shares, both of shape (some, 4)."""

    of_tables: Callable[[Float64s], Float64s]
    of_laws: Callable[[Float64s], Float64s]

    @classmethod
    def of_shares(cls, values: Callable[[Float64s], Float64s]) -> Reading:
        """Read an index that is the same function of counts and of shares, for rows of four cells."""
        return cls(values, values)

    def of_law(self, law: Float64s) -> float:
        """Value for one law."""
        return float(self.of_laws(law[None])[0])

    def slope(self, law: Float64s) -> Float64s:
        """Return the influence of an instance of each cell."""
        # Along the contrasts only: shares always sum to 1.
        size = min(1e-5, float(law.min()) / 2)
        ahead, behind = self.of_laws(
            np.concatenate([law + size * _CONTRASTS, law - size * _CONTRASTS])
        ).reshape(2, 3)
        found = (ahead - behind) / (8 * size) @ _CONTRASTS
        return np.asarray(found - law @ found)


class TablesOfFour:
    """Tables of counts near the observed one.

    Parameters
    ----------
    counts : ndarray of shape (4,)
    """

    def __init__(self, counts: Float64s) -> None:
        self.counts = np.asarray(counts, np.float64)
        self.n = float(self.counts.sum())
        self.start = (self.counts + _ADDED) / (self.n + 4 * _ADDED)
        self._tables: dict[float, tuple[Float64s, Float64s]] = {}

    @classmethod
    def of_table(cls, table: Contingency) -> TablesOfFour | None:
        """Return those near a table; None if it is not one of two clusters by two, near chance."""
        if table.shape != (2, 2) or table.n > MOST_INSTANCES:
            return None
        rows, cols, counts = table.cells()
        found = cls(np.bincount(2 * rows + cols, counts, 4).astype(np.float64))
        return found if found.near_chance(found.beyond_chance) else None

    def near_chance(self, agreement: float) -> bool:
        """Whether agreement, 0 by chance and 1 at its best, is no more than tables are summed for."""
        return agreement < min(_NEAR_BEST, _NEAR_CHANCE / math.sqrt(self.n))

    @property
    def excesses(self) -> tuple[float, float, float]:
        """Return by how much one row, one column and one diagonal have more than the other, as shares."""
        first, second, both = (abs(float(contrast @ self.counts)) / self.n for contrast in _CONTRASTS)
        return first, second, both

    @property
    def beyond_chance(self) -> float:
        """Agreement of rows and columns: 0 by chance, 1 for identical partitions."""
        rows, cols, both = self.excesses
        return (both - rows * cols) / (1 - rows * cols)

    @property
    def with_less_of_a_product(self) -> Float64s:
        """Return a law to start from if the index is a product of the differences of the outer and the inner cells.

        A law without any difference keeps too little of the larger factor if it is reached from the observed shares,
        and is rejected too often.
        """
        found = self.start.copy()
        outer, inner = found[[0, 3]], found[[1, 2]]
        far_outer, far_inner = (float(np.ptp(cells) / np.sqrt(cells.sum())) for cells in (outer, inner))
        less = [0, 3] if far_outer < far_inner else [1, 2]
        found[less] = found[less].mean() + _OF_LESS * (found[less] - found[less].mean())
        return found

    def near(self, z: float) -> tuple[Float64s, Float64s]:
        """Return tables of as many instances, and the logarithms of their numbers of orders."""
        from scipy.special import gammaln

        if z not in self._tables:
            order = np.argsort(self.counts, kind="stable")
            reach = max(z, _LEAST_Z) + _BEYOND
            axes = []
            for count, share in zip(self.counts[order[:3]], self.start[order[:3]], strict=True):
                deviation = float(np.sqrt(self.n * share * (1 - share)))
                apart = max(1, int(_APART * deviation))
                fewer, more = min(count, reach * deviation + 2), reach * deviation + 3
                axes.append(count + apart * np.arange(-(fewer // apart), more // apart + 1))
            smaller = np.stack(np.meshgrid(*axes, indexing="ij"), -1).reshape(-1, 3)
            smaller = smaller[smaller.sum(axis=1) <= self.n]
            tables = np.empty((len(smaller), 4))
            tables[:, order[:3]] = smaller
            tables[:, order[3]] = self.n - smaller.sum(axis=1)
            self._tables[z] = tables, -gammaln(tables + 1).sum(axis=1)
        return self._tables[z]


@dataclass(frozen=True, eq=False)
class TestOfFour:
    """The test of each value of an index of four cells, which gives its interval.

    Attributes
    ----------
    tables : TablesOfFour
    index : Reading
    start : ndarray of shape (4,)
        Law from which others are reached, if not the observed shares.
    """

    # pytest would take the class for a test by its name.
    __test__ = False

    tables: TablesOfFour
    index: Reading
    start: Float64s | None = None

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return both ends of the interval."""
        inversion = _Inversion(self, confidence)
        return inversion.end(-1), inversion.end(1)

    def p_value(self, null: float) -> float:
        """Return 1 less the confidence at which an end of the interval is `null`; an upper bound below 0.0001."""
        return _Inversion(self, _OF_P_VALUES).p_value(null)


@dataclass(frozen=True, eq=False)
class _Law:
    """A law on the way, what the index is there, and how the tables are weighed."""

    shares: Float64s
    value: float
    slope: Float64s
    weights: Float64s


class _Inversion:
    """The test of each value of one index, inverted."""

    def __init__(self, test: TestOfFour, confidence: float) -> None:
        tables, index = test.tables, test.index
        self._z = normal_quantile(confidence)
        self._tail = (1 - confidence) / 2
        self._index = index
        self._start = tables.start if test.start is None else test.start
        self._unit = 1 / np.sqrt(tables.n)
        near, orders = tables.near(self._z)
        values = index.of_tables(near)
        there = ~np.isnan(values)
        self._near, self._orders, self._values = near[there], orders[there], values[there]
        self._observed = float(index.of_tables(tables.counts[None])[0])
        self._rounding = 1e-9 * max(1.0, abs(self._observed))
        self._turned = {-1: False, 1: False}
        self._ways = {sign: self._way(sign) for sign in (-1, 1)}

    def end(self, sign: int) -> float:
        """Lower (-1) or upper (1) end."""
        before: _Law | None = None
        for law in chain(self._near_laws[sign], self._ways[sign]):
            if self._left(sign, law.weights) < 0:
                if before is None:
                    return law.value
                between = self._where(before, law, lambda s: self._left(sign, self._weights(s)))
                return self._index.of_law(between)
            before = law
        assert before is not None
        # At its turn an index has its least value, but for rounding and the last step.
        return before.value + sign * (_NOTHING * self._spread if self._turned[sign] else 0.0)

    def p_value(self, null: float) -> float:
        """Return the p-value of one value of the index."""
        sign = -1 if null < self._index.of_law(self._start) else 1
        before: _Law | None = None
        for law in chain(self._near_laws[sign], self._ways[sign]):
            if before is not None and sign * (law.value - null) > 0:
                between = self._where(before, law, lambda shares: self._index.of_law(shares) - null)
                return self._p_value(sign, self._weights(between))
            before = law
        assert before is not None
        return self._p_value(sign, before.weights)

    def _p_value(self, sign: int, weights: Float64s) -> float:
        farther, nearer = self._tails(sign, weights)
        return farther if farther < 2 * nearer else min(1.0, 2 * farther)

    def _tails(self, sign: int, weights: Float64s) -> tuple[float, float]:
        """Return probabilities under a law of what was observed or farther away, and of what counts as at its turn."""
        other, own = self._nearest[-sign], self._nearest[sign]
        seen = self._observed if other is None else max(sign * self._observed, sign * other) * sign
        return self._beyond(-sign, seen, weights), 0.0 if own is None else self._beyond(sign, own, weights)

    @staticmethod
    def _where(first: _Law, second: _Law, vanishes: Callable[[Float64s], float]) -> Float64s:
        """Return the law between two of them at which something vanishes."""
        from scipy.optimize import brentq

        def shares(part: float) -> Float64s:
            return first.shares * (1 - part) + second.shares * part

        return shares(brentq(lambda part: vanishes(shares(part)), 0.0, 1.0, xtol=1e-10))

    def _left(self, sign: int, weights: Float64s) -> float:
        """By how much the p-value of a law is above its level; negative if the law is rejected."""
        return self._p_value(sign, weights) - 2 * self._tail

    def _beyond(self, sign: int, value: float, weights: Float64s) -> float:
        """Return the probability of such a value or one farther that way."""
        away = sign * (self._values - value)
        return (
            float(weights @ (away > self._rounding)) + float(weights @ (np.abs(away) <= self._rounding)) / 2
        )

    def _weights(self, shares: Float64s) -> Float64s:
        logs = self._orders + self._near @ np.log(np.maximum(shares, 1e-300))
        weights = np.exp(logs - logs.max())
        return np.asarray(weights / weights.sum())

    def _law(self, shares: Float64s) -> _Law:
        index = self._index
        return _Law(shares, index.of_law(shares), index.slope(shares), self._weights(shares))

    def _moment(self, weights: Float64s, order: int) -> float:
        return float(weights @ (self._values - float(weights @ self._values)) ** order)

    def _turns_at(self, sign: int, law: _Law) -> bool:
        """Whether the index varies as a sum of squares under a law that has the smallest or the largest value."""
        linear = float(law.shares @ law.slope**2) * self._unit**2
        return linear < _TURNS * self._moment(law.weights, 2) and -sign * self._moment(law.weights, 3) > 0

    @cached_property
    def _spread(self) -> float:
        return float(np.sqrt(self._moment(self._weights(self._start), 2)))

    @cached_property
    def _nearest(self) -> dict[int, float | None]:
        """By side, the value that stands for all that lie nearer to a turn of the index there."""
        found: dict[int, float | None] = {}
        for sign, path in self._near_laws.items():
            found[sign] = None
            for law in path:
                if self._turns_at(sign, law):
                    order = np.argsort(-sign * self._values)
                    place = np.searchsorted(np.cumsum(law.weights[order]), _NEAREST)
                    found[sign] = float(self._values[order[place]])
                    break
        return found

    @cached_property
    def _near_laws(self) -> dict[int, list[_Law]]:
        """Laws on both sides, up to the first under which what was observed is too far away."""
        found: dict[int, list[_Law]] = {}
        for sign, way in self._ways.items():
            found[sign] = []
            for law in way:
                found[sign].append(law)
                if self._beyond(-sign, self._observed, law.weights) < _FAR * self._tail:
                    break
        return found

    def _way(self, sign: int) -> Iterator[_Law]:
        """Yield laws with smaller or larger values; up to a turn of the index, if there is one."""
        law, gone = self._law(self._start), 0.0
        yield law
        while gone < self._z + _FARTHER:
            deviation = float(np.sqrt(law.shares @ law.slope**2))
            if deviation * self._unit > _NOTHING * self._spread:
                step, following = self._step(sign, law, law.slope / deviation)
            else:
                step, following = self._off(sign, law)
            if not sign * (following.value - law.value) > _NOTHING**2 * self._spread:
                self._turned[sign] = True
                return
            law, gone = following, gone + step
            yield law

    def _step(self, sign: int, law: _Law, direction: Float64s) -> tuple[float, _Law]:
        """Go on, but not beyond a turn."""
        step = _STRIDE
        for _ in range(4):
            following = self._law(self._moved(law, sign * step * direction))
            ahead = float(law.shares @ (following.slope * direction))
            if ahead >= 0:
                break
            step *= 1 / (1 - ahead / float(law.shares @ (law.slope * direction)))
        return step, following

    def _off(self, sign: int, law: _Law) -> tuple[float, _Law]:
        """Leave a law at which the index turns."""
        step = 0.05
        around = [
            self._moved(
                law, way * step * contrast / np.sqrt(law.shares @ (contrast - law.shares @ contrast) ** 2)
            )
            for contrast in _CONTRASTS
            for way in (-1, 1)
        ]
        return step, self._law(max(around, key=lambda shares: sign * self._index.of_law(shares)))

    def _moved(self, law: _Law, by: Float64s) -> Float64s:
        shares = np.maximum(law.shares * np.exp(self._unit * by), _LEAST_SHARE)
        return np.asarray(shares / shares.sum())
