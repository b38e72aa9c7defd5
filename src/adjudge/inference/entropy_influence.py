"""Intervals of entropies and of what is made of them, from the influence of each instance.

Entropies are estimated for the population (:mod:`adjudge.inference.entropy_estimate`). The estimate assumes that what
was not drawn is as even as what was drawn once. If that, and not chance, decides the result, there is no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.entropy_estimate import EntropyEstimate
from adjudge.inference.refusals import RefusedError, round_up
from adjudge.inference.score_intervals import ScoreBasis, Unseen, slopes_of
from adjudge.inference.turns import Turn, turns_of
from adjudge.inference.two_by_two import Reading, TablesOfFour, TestOfFour
from adjudge.statistics.contingency import Contingency
from adjudge.statistics.entropies import PartitionEntropies

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
_STEP = 1e-6
_TINY = 1e-300
# What sums of logarithms may differ by: an interval that ends at log K is to hold it.
_ROUNDING = 1e-12
# Part of the variance from which on what even cells have may decide.
_NEARLY_FLAT = 0.05
# Standard deviations of the entropies of the partitions within which they bound the joint entropy and the information.
_BOUNDED_BY = 3.0
# Instances a cell from which on chi-square describes the information of independent partitions.
_ENOUGH_A_CELL = 5
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


class _OneClusterError(Exception):
    """A law leaves a partition one cluster: it has no slope there."""


def _entropy_of_two(share: float) -> float:
    found = -sum(part * math.log(part) for part in (share, 1 - share) if part > 0)
    return found + _ROUNDING if share == 0.5 else float(found)


def _even(cells: int, n: float, estimate: float) -> Turn:
    """Return the turn at even cells: what the entropy of a sample lacks there is chi-square over 2 n."""
    largest, scale, freedom = math.log(cells) + _ROUNDING, -1 / (2 * n), cells - 1
    return Turn(largest, 2 * freedom * scale**2, scale, (estimate - largest) / scale + freedom)


def _all_but_largest(groups: Int64s, counts: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the cells of each group but one with the most instances."""
    order = np.lexsort((counts, groups))
    last = np.r_[groups[order][1:] != groups[order][:-1], True]
    found = np.ones(counts.size, bool)
    found[order[last]] = False
    return found


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
        rows, cols, counts = self.table.cells()
        n = self.table.n
        r, c = self.table.shape
        if min(r, c) == 1 and not self.table.identical and name not in _LARGEST:
            raise RefusedError(
                "no interval: a partition has one cluster, and how its entropy of 0 would vary is not known"
            )
        if name == "mutual_information" and min(r, c) == 1:
            # It is no more than the entropy of the partition of which one cluster was drawn.
            of_one = "entropy_true" if r == 1 else "entropy_pred"
            return self.score(of_one, lambda at: getattr(at, of_one), limits, observed, None)
        ends = self._ends(name, limits)
        room = _ROOM * (ends[1] - ends[0])
        # At the end where identical partitions lie nothing is left to vary.
        limits = (ends[0] - room * (best != ends[0]), ends[1] + room * (best != ends[1]))
        at = np.array([self.true.value, self.pred.value, self.joint.value])
        if not self.table.identical:
            limits = self._narrowed(name, limits)
        value, slope = self._value_and_slope(formula, at)
        if not (math.isfinite(value) and np.isfinite(slope).all()):
            raise RefusedError("the index has no slope at these clusters: no interval is given")
        fixed = self.table.identical and name not in _LARGEST
        value = observed if fixed else min(max(value, ends[0]), ends[1])
        influence = (
            slope[0] * self.true.without_one[rows]
            + slope[1] * self.pred.without_one[cols]
            + slope[2] * self.joint.without_one
        )
        influence -= float(counts @ influence) / n
        jackknife = (n - 1) / n * float(counts @ influence**2)
        parts = (self.true, self.pred, self.joint)
        excess = sum(float(s) ** 2 * part.excess for s, part in zip(slope, parts, strict=True))
        variance = max(jackknife - excess, _LEAST * jackknife)
        if name in _OF_ONE:
            return self._of_one(name, ScoreBasis(value, limits, variance, ends=ends))
        if (tables := TablesOfFour.of_table(self.table)) is not None:
            value = formula(self._information(self._possible_in_four))
            return ScoreBasis(
                value, limits, variance, ends=ends, inverted=self._test_of_four(tables, formula)
            )
        absent = r * c - counts.size
        event = abs(float(slope[2])) * (math.log(n) + math.log(max(absent, 1)) + 1) / n
        if (
            name in _ONE_IF_IDENTICAL
            and self.table.identical
            and n >= _ENOUGH_A_CLUSTER * r > _ENOUGH_A_CLUSTER
        ):
            sign = _ONE_IF_IDENTICAL[name]
            return replace(
                self.score("entropy_true", lambda at: at.entropy_true, limits, observed, None),
                unseen=Unseen(sign * event, ends[sign > 0]),
            )
        if name == "mutual_information":
            # Entropies of even clusters are largest: their slope is 0, what varies is of the second order.
            variance = max(variance, (r + c - 2) / n**2)
        # A remainder of rounding is not a variance.
        if variance < 1e-22 * max(1.0, value * value):
            variance = 0.0
        elif not self.table.identical:
            # Of independent partitions, too, the slope is 0.
            free = max(0, counts.size - r - c + 1)
            variance = max(variance, float(slope[2]) ** 2 * free / (2.0 * n * n))
        self._check(slope, max(variance, jackknife))
        if fixed:
            variance = 0.0
        if name in _ONE_IF_IDENTICAL and absent > 0 and (self.table.identical or n < _FEW_INSTANCES):
            # With no instance misplaced the index is at no limit that would tell; one more is always possible.
            variance = max(variance, event**2)
        # The variance of few events is hardly known.
        few = value in limits or self._near_best(name, value, limits, best) ** 2 < _FEWEST_EVENTS * variance
        if few or self.table.identical:
            return ScoreBasis(value, limits, variance, event if event > 0 and few else math.nan, ends=ends)
        strays = self._of_few_strays(influence, event) if absent > 0 else 0.0
        return self._bent(name, formula, ScoreBasis(value, limits, variance + strays, ends=ends), strays)

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
            return np.array([formula(self._information(own)) for own in at.T])

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
        turn = self._independence(formula)
        if name == "joint_entropy" and n >= _ENOUGH_A_CELL * r * c:
            turn = _even(r * c, n, found.estimate)
        if turn is not None and turn.quadratic(found.estimate):
            within = max if turn.scale > 0 else min
            return replace(
                found,
                estimate=within(found.estimate, turn.value),
                turns=(turn, None) if turn.scale > 0 else (None, turn),
            )
        try:
            slopes, (low, high) = self._curvature(formula)
        except _OneClusterError:
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

    def _independence(self, formula: Callable[[Any], float]) -> Turn | None:
        """Return the turn of an index that has one value for all independent partitions, as the information has.

        2 n times the mutual information varies as noncentral chi-square there.
        """
        n = self.table.n
        r, c = self.table.shape
        information = self.table.information
        true, pred = information.entropy_true, information.entropy_pred
        if n < _ENOUGH_A_CELL * r * c or min(r, c) < 2:
            return None

        def at(mutual: float, stretched: float = 1.0) -> float:
            return formula(
                self._information(np.array([stretched * true, pred, stretched * true + pred - mutual]))
            )

        value = at(0.0)
        if abs(at(0.0, 1.01) - value) > _STEP:
            return None
        scale = (at(_STEP) - value) / _STEP / (2 * n)
        freedom = (r - 1) * (c - 1)
        return Turn(value, 2 * freedom * scale**2, scale, 2 * n * information.mutual) if scale != 0 else None

    def _curvature(
        self, formula: Callable[[Any], float]
    ) -> tuple[tuple[float, float], tuple[Turn | None, Turn | None]]:
        """Slopes of the variance, and turns, of an index that is nearly flat, by tilting the law of the cells."""
        rows, cols, counts = self.table.cells()
        n = self.table.n
        shares = counts / n

        def look(law: Float64s) -> tuple[float, float, float, Float64s]:
            parts = [np.bincount(rows, law)[rows], np.bincount(cols, law)[cols], law]
            logs = [-np.log(np.maximum(part, _TINY)) for part in parts]
            at = np.array([float(law @ log) for log in logs])
            least = 2 * _STEP * max(1.0, float(at.max()))
            if any(k > 1 and not own > least for k, own in zip(self.table.shape, at[:2], strict=True)):
                raise _OneClusterError
            value, slope = self._value_and_slope(formula, at)
            if not np.isfinite(slope).all():
                return value, math.nan, math.nan, law
            influence = np.asarray(sum(s * (log - h) for s, log, h in zip(slope, logs, at, strict=True)))
            # The entropy of even cells varies as chi-square.
            of_even = float(slope[2]) ** 2 * (counts.size - 1) / (2.0 * n * n)
            return value, float(law @ influence**2) / n, of_even, influence

        value, variance, of_even, influence = look(shares)
        if not of_even > _NEARLY_FLAT * variance > 0:
            return (math.nan, math.nan), (None, None)
        unit = influence / (n * math.sqrt(variance))

        def tilted(z: float) -> tuple[float, float, float]:
            law = shares * np.maximum(0.0, 1 + np.clip(z * unit, -3.0, 3.0))
            if not law.any():
                raise _OneClusterError
            there, linear, even, _ = look(law / law.sum())
            return there, linear + even, linear

        whole = variance + of_even
        return slopes_of(value, whole, lambda z: tilted(z)[:2]), turns_of(value, whole, tilted)

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
        turn = _even(sizes.size, n, score.estimate)
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

    def _value_and_slope(self, formula: Callable[[Any], float], at: Float64s) -> tuple[float, Float64s]:
        start = formula(self._information(at))
        slope = np.empty(3)
        for i in range(3):
            step = np.zeros(3)
            step[i] = _STEP * max(1.0, float(at.max()))
            ahead, behind = (formula(self._information(at + sign * step)) for sign in (1, -1))
            slope[i] = (ahead - behind) / (2 * step[i])
        return start, slope

    def _information(self, at: Float64s) -> PartitionEntropies:
        true, pred, joint = at.tolist()
        made = PartitionEntropies(
            n=self.table.n,
            mutual=true + pred - joint,
            entropy_true=true,
            entropy_pred=pred,
            true_given_pred=joint - pred,
            pred_given_true=joint - true,
            identical=False,
            row_sums=self.table.row_sums,
            col_sums=self.table.col_sums,
        )
        # What chance gives vanishes as the number of instances grows.
        made.__dict__["expected_mutual"] = 0.0
        return made

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
