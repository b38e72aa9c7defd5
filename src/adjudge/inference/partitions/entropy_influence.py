"""Intervals of entropies and of what is made of them, from the influence of each instance.

Entropies are estimated for the population (:mod:`adjudge.inference.partitions.entropy_estimate`). The estimate assumes
that what was not drawn is as even as what was drawn once. If that, and not chance, decides the result, there is no
interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.score_intervals import ScoreBasis, Unseen
from adjudge.inference.common.turns import Turn
from adjudge.inference.common.two_by_two import Reading, TablesOfFour, TestOfFour
from adjudge.inference.partitions.entropy_estimate import EntropyEstimate
from adjudge.inference.partitions.entropy_turns import (
    ENOUGH_A_CELL,
    ROUNDING,
    OneClusterError,
    even_cells,
    information_at,
    slopes_and_turns,
    turn_at_independence,
    value_and_slope,
)
from adjudge.inference.refusals import RefusedError, round_up
from adjudge.statistics.contingency import Contingency

__all__ = ["Entropies"]

Float64s = NDArray[np.float64]
Int64s = NDArray[np.int64]

# Standard deviations by which the estimate may change if the cells that were not drawn lie evenly among all that are
# empty. A smaller limit refuses samples whose estimate is far off by chance alone, and the intervals of the others hold
# too often (0.98 to 1.00 with 0.8); with 1.4 and more they hold in less than 0.90 under some laws with long tails.
_MOST_ASSUMED = 1.2
# The variance is not taken to be less than such a part of the jackknife's.
_LEAST = 0.5
# Least probability of the cells that were drawn, by Good & Turing.
_LEAST_COVERED = 0.7
# How often each cell that was not drawn should be, on average, so that both hold.
_ENOUGH = 0.05
# Standard deviations of the entropies of the partitions within which they bound the joint entropy and the information.
_BOUNDED_BY = 3.0
# Instances a cluster from which on the entropy of one partition does not hang on clusters that were not drawn.
_ENOUGH_A_CLUSTER = 10

#: Largest values of indices without a finite range, for R and C clusters.
_LARGEST: dict[str, Callable[[float, float], float]] = {
    "entropy_true": lambda r, c: math.log(r),
    "entropy_pred": lambda r, c: math.log(c),
    "joint_entropy": lambda r, c: math.log(r) + math.log(c),
    "mutual_information": lambda r, c: math.log(min(r, c)),
    "variation_of_information": lambda r, c: math.log(r) + math.log(c),
}
_OF_ONE: dict[str, Callable[[Contingency], Int64s]] = {
    "entropy_true": lambda table: table.row_sums,
    "entropy_pred": lambda table: table.col_sums,
}
# Wilson's interval never reaches its limit, and even or independent partitions lie on it: it is moved out by a part of
# the range.
_ROOM = 0.25
# Misplaced instances up to which the variance that they show is not used alone.
_FEWEST_EVENTS = 3.0
# A cluster with this expected number of instances is missing from one of 200 samples.
_OVERLOOKED = 5.3
# Fewer instances hardly tell the variance of the joint entropy: an instance in a cell that was not drawn counts, too.
_FEW_INSTANCES = 25
# Indices that are the entropy of identical partitions, and whether a misplaced instance makes them larger or smaller.
_ONE_IF_IDENTICAL = {"joint_entropy": 1, "mutual_information": -1}


def _entropy_of_two(share: float) -> float:
    found = -sum(part * math.log(part) for part in (share, 1 - share) if part > 0)
    return found + ROUNDING if share == 0.5 else float(found)


def _all_but_largest(groups: Int64s, counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the cells of each group but one with the most instances."""
    order = np.lexsort((counts, groups))
    last = np.r_[groups[order][1:] != groups[order][:-1], True]
    found = np.ones(counts.size, bool)
    found[order[last]] = False
    return found


class _Linear(NamedTuple):
    """An index taken as linear in the entropies, and what each cell's instances do to it.

    `variance` is the jackknife's less what this has too much.
    """

    value: float
    slope: Float64s
    influence: Float64s
    jackknife: float
    variance: float


@dataclass(frozen=True)
class Entropies:
    """Entropies of the truth, of the prediction and of both, for the population that a table is a sample of."""

    table: Contingency
    true: EntropyEstimate
    pred: EntropyEstimate
    joint: EntropyEstimate

    @classmethod
    def of(cls, table: Contingency) -> Entropies:
        """Estimate from a table."""
        parts = (table.row_sums, table.col_sums, table.cells()[2])
        return cls(table, *(EntropyEstimate.of(np.asarray(counts)) for counts in parts))

    def score(
        self,
        name: str,
        formula: Callable[[Any], float],
        limits: tuple[float, float],
        observed: float,
        best: float | None,
    ) -> ScoreBasis:
        """Return what the interval of an index is made of; `best` is its value for identical partitions.

        Raises
        ------
        RefusedError
        """
        identical = self.table.identical
        if min(self.table.shape) == 1 and name == "mutual_information":
            # It is no more than the entropy of the partition of which one cluster was drawn.
            return self._as_entropy_of(
                "entropy_true" if self.table.shape[0] == 1 else "entropy_pred", limits, observed
            )
        if min(self.table.shape) == 1 and not identical and name not in _LARGEST:
            raise RefusedError(
                "no interval: a partition has one cluster, and how its entropy of 0 would vary is not known"
            )
        ends = self._ends(name, limits)
        linear = self._linear(formula)
        fixed = identical and name not in _LARGEST
        value = observed if fixed else min(max(linear.value, ends[0]), ends[1])
        found = ScoreBasis(value, self._limits(name, ends, best), linear.variance, ends=ends)
        if name in _OF_ONE:
            return self._of_one(name, found)
        if (tables := TablesOfFour.of_table(self.table)) is not None:
            value = formula(information_at(self.table, self._possible_in_four))
            return replace(found, estimate=value, inverted=self._test_of_four(tables, formula))
        event = self._event(linear)
        if name in _ONE_IF_IDENTICAL and self._one_partition:
            sign = _ONE_IF_IDENTICAL[name]
            of_one = self._as_entropy_of("entropy_true", limits, observed)
            return replace(of_one, unseen=Unseen(sign * event, ends[sign > 0]))
        found = replace(found, variance=self._variance(name, value, linear, event))
        few = self._few(name, found, best)
        if few or identical:
            return replace(found, event=event if event > 0 and few else math.nan)
        strays = self._of_few_strays(linear.influence, event) if self._absent > 0 else 0.0
        return self._bent(name, formula, replace(found, variance=found.variance + strays), strays)

    def _as_entropy_of(self, name: str, limits: tuple[float, float], observed: float) -> ScoreBasis:
        return self.score(name, lambda at: getattr(at, name), limits, observed, None)

    @property
    def _absent(self) -> int:
        """Combinations of clusters that were not drawn."""
        r, c = self.table.shape
        return r * c - self.joint.without_one.size

    @property
    def _one_partition(self) -> bool:
        """Whether both partitions are one, of enough instances that its entropy has an interval."""
        r, _ = self.table.shape
        return self.table.identical and self.table.n >= _ENOUGH_A_CLUSTER * r > _ENOUGH_A_CLUSTER

    def _limits(self, name: str, ends: tuple[float, float], best: float | None) -> tuple[float, float]:
        """Values at which the variance vanishes: at the end where identical partitions lie nothing is left to vary."""
        room = _ROOM * (ends[1] - ends[0])
        limits = (ends[0] - room * (best != ends[0]), ends[1] + room * (best != ends[1]))
        return limits if self.table.identical else self._narrowed(name, limits)

    def _linear(self, formula: Callable[[Any], float]) -> _Linear:
        """Take the index as linear in the three entropies; raise RefusedError if it has no slope."""
        rows, cols, counts = self.table.cells()
        n = self.table.n
        parts = (self.true, self.pred, self.joint)
        value, slope = value_and_slope(self.table, formula, np.array([part.value for part in parts]))
        if not (math.isfinite(value) and np.isfinite(slope).all()):
            raise RefusedError("the index has no slope at these clusters: no interval is given")
        influence = (
            slope[0] * self.true.without_one[rows]
            + slope[1] * self.pred.without_one[cols]
            + slope[2] * self.joint.without_one
        )
        influence -= float(counts @ influence) / n
        jackknife = (n - 1) / n * float(counts @ influence**2)
        excess = sum(float(s) ** 2 * part.excess for s, part in zip(slope, parts, strict=True))
        return _Linear(value, slope, influence, jackknife, max(jackknife - excess, _LEAST * jackknife))

    def _event(self, linear: _Linear) -> float:
        """By how much an instance in a combination that was not drawn would change the index."""
        n = self.table.n
        return abs(float(linear.slope[2])) * (math.log(n) + math.log(max(self._absent, 1)) + 1) / n

    def _variance(self, name: str, value: float, linear: _Linear, event: float) -> float:
        """Variance of an index of both partitions, with what a flat slope hides.

        Raises
        ------
        RefusedError
            If the estimate hangs on what was not drawn.
        """
        n = self.table.n
        r, c = self.table.shape
        identical = self.table.identical
        variance = linear.variance
        if name == "mutual_information":
            # Entropies of even clusters are largest: their slope is 0, what varies is of the second order.
            variance = max(variance, (r + c - 2) / n**2)
        # A remainder of rounding is not a variance.
        if variance < 1e-22 * max(1.0, value * value):
            variance = 0.0
        elif not identical:
            # Of independent partitions, too, the slope is 0.
            free = max(0, self.joint.without_one.size - r - c + 1)
            variance = max(variance, float(linear.slope[2]) ** 2 * free / (2.0 * n * n))
        self._check(linear.slope, max(variance, linear.jackknife))
        if identical and name not in _LARGEST:
            variance = 0.0
        if name in _ONE_IF_IDENTICAL and self._absent > 0 and (identical or n < _FEW_INSTANCES):
            # With no instance misplaced the index is at no limit that would tell; one more is always possible.
            variance = max(variance, event**2)
        return variance

    def _few(self, name: str, found: ScoreBasis, best: float | None) -> bool:
        """Whether so few instances are misplaced that they hardly tell the variance."""
        if min(abs(found.estimate - limit) for limit in found.limits) <= ROUNDING:
            return True
        near = self._near_best(name, found.estimate, found.limits, best)
        return near**2 < _FEWEST_EVENTS * found.variance

    @property
    def _possible_in_four(self) -> Float64s:
        """Estimated entropies of two clusters by two, brought into the range that these can have."""
        true, pred = (min(part.value, math.log(2)) for part in (self.true, self.pred))
        return np.array([true, pred, min(max(self.joint.value, true, pred), true + pred)])

    def _test_of_four(self, tables: TablesOfFour, formula: Callable[[Any], float]) -> TestOfFour:
        """Return the test of an index from all tables of two clusters by two."""
        from scipy.special import xlogy

        def of_tables(counts: Float64s) -> Float64s:
            a, b, c, d = shares = counts.T / counts.sum(axis=1)
            parts = np.array([[a + b, c + d], [a + c, b + d]])
            at = np.array([*(-xlogy(parts, parts).sum(axis=1)), -xlogy(shares, shares).sum(axis=0)])
            return np.array([formula(information_at(self.table, own)) for own in at.T])

        return TestOfFour(tables, Reading.of_shares(of_tables))

    def _of_few_strays(self, influence: Float64s, event: float) -> float:
        """Variance of one stray, if none or one was seen beside clusters that lie within those of the other partition.

        How often instances stray is then hardly known, and the clusters that are merged hide it: the index is far from
        its limits.
        """
        rows, cols, counts = self.table.cells()
        within = (_all_but_largest(codes, counts) for codes in (rows, cols))
        strays = min(within, key=lambda cells: int(counts[cells].sum()))
        n_strays = int(counts[strays].sum())
        if n_strays == 0:
            return event**2
        return float(influence[strays][0]) ** 2 if n_strays == 1 else 0.0

    @staticmethod
    def _near_best(name: str, value: float, limits: tuple[float, float], best: float | None) -> float:
        """Distance from the end where identical partitions lie; infinite if there is none."""
        if name == "joint_entropy":
            return value - limits[0]
        if name == "mutual_information":
            return limits[1] - value
        return math.inf if best is None else abs(best - value)

    def _bent(
        self, name: str, formula: Callable[[Any], float], found: ScoreBasis, strays: float
    ) -> ScoreBasis:
        """Take in that the index may turn back: at independence, or if all cells are even.

        The variance of strays that have not been seen is there at a turn, too, which then is no quadratic form alone.
        """
        n = self.table.n
        r, c = self.table.shape
        turn = turn_at_independence(self.table, formula)
        if name == "joint_entropy" and n >= ENOUGH_A_CELL * r * c:
            turn = even_cells(r * c, n, found.estimate)
        if turn is not None and turn.quadratic(found.estimate):
            within = max if turn.scale > 0 else min
            return replace(
                found,
                estimate=within(found.estimate, turn.value),
                turns=(turn, None) if turn.scale > 0 else (None, turn),
            )
        try:
            slopes, (low, high) = slopes_and_turns(self.table, formula)
        except OneClusterError:
            return found
        if strays > 0:
            low, high = (
                None if turn is None else Turn(turn.value, turn.variance + strays) for turn in (low, high)
            )
        return replace(found, slopes=slopes, turns=(low, high))

    def _narrowed(self, name: str, limits: tuple[float, float]) -> tuple[float, float]:
        """Take in that neither partition has more entropy than both together, nor less than they have in common."""
        rows, cols, counts = self.table.cells()
        of_both = []
        for part, codes in ((self.true, rows), (self.pred, cols)):
            of_both.append((part.value, part.deviation(np.bincount(codes, counts))))
        if name == "joint_entropy":
            return max(limits[0], *(value - _BOUNDED_BY * sd for value, sd in of_both)), limits[1]
        if name == "mutual_information":
            return limits[0], min(limits[1], *(value + _BOUNDED_BY * sd for value, sd in of_both))
        return limits

    def _of_one(self, name: str, score: ScoreBasis) -> ScoreBasis:
        """Do it for the entropy of one partition, which even clusters bring to its largest value.

        The law tilted to p^(1 + t) tells how the variance changes with the value: with Var and k3 the variance and the
        third cumulant of log p, by -(2 + k3 / Var) / n. Of K even clusters the entropy varies as chi-square over 2n.
        Two clusters have but one share to vary.
        """
        sizes = np.asarray(_OF_ONE[name](self.table), np.float64)
        n = float(sizes.sum())
        if n < _ENOUGH_A_CLUSTER * sizes.size and sizes.size > 1:
            raise RefusedError(
                f"no interval: there are too few instances for {sizes.size} clusters, so that others were likely not "
                f"drawn; about {round_up(_ENOUGH_A_CLUSTER * sizes.size)} instances would be enough"
            )
        if sizes.size <= 2:
            # Of one cluster, the share of another that was not drawn.
            return self._of_two(float(sizes.min()) / n if sizes.size == 2 else 0.0, n)
        of_even = (sizes.size - 1) / (2 * n * n)
        variance = max(score.variance - of_even, of_even)
        logs = np.log(sizes / n)
        second, third = (float(sizes @ (logs - float(sizes @ logs) / n) ** k) / n for k in (2, 3))
        slope = -(2 + (third / second if second > 1e-6 else 0.0)) / n
        turn = even_cells(sizes.size, n, score.estimate)
        return replace(
            score,
            estimate=min(score.estimate, turn.value) if turn.quadratic(score.estimate) else score.estimate,
            variance=variance,
            slopes=(slope / math.sqrt(variance), math.nan),
            turns=(None, turn),
        )

    @staticmethod
    def _of_two(share: float, n: float) -> ScoreBasis:
        """Take the entropy of two clusters for what it is: a growing function of the share of the smaller one.

        The share is binomial, and its score interval holds with few instances, where a normal entropy does not.
        """
        event = math.nan if share > 0 else 1 / n
        variance = share * (1 - share) / n
        return ScoreBasis(share, (0.0, 1.0), variance, event, ends=(0.0, 0.5), back=_entropy_of_two)

    def _ends(self, name: str, limits: tuple[float, float]) -> tuple[float, float]:
        """Smallest and largest value for this many clusters, those that were likely not drawn, and one more."""
        if name in _LARGEST:
            r, c = (len(part.without_one) + part.missing + part.once for part in (self.true, self.pred))
            n = self.table.n
            largest = max(r, c)
            share = min(_OVERLOOKED / n, 1 / (largest + 1))
            overlooked = -share * math.log(share * largest) - (1 - share) * math.log1p(-share)
            return 0.0, _LARGEST[name](r, c) + overlooked
        # Adjusted for chance: in the population nothing is left to adjust for.
        return (limits[0] if math.isfinite(limits[0]) else 0.0), limits[1]

    def _check(self, slope: Float64s, variance: float) -> None:
        """Raise if the estimate hangs on what was not drawn."""
        n = self.table.n
        r, c = self.table.shape
        unseen = float(r * c - self.joint.without_one.size)
        assumed = abs(float(slope[2])) * self.joint.assumed(n, unseen)
        once = self.joint.once
        if 1 - once / n >= _LEAST_COVERED and assumed <= _MOST_ASSUMED * math.sqrt(variance):
            return
        enough = max(2 * n, n * _ENOUGH * unseen / max(once, 1))
        raise RefusedError(
            f"no interval: there are too few instances for {r} x {c} clusters, so most combinations "
            "occur at most once; "
            f"about {round_up(enough)} instances would be enough"
        )
