"""What each instance does to an index that counts pairs of instances: external indices and Prayatul measures.

An instance changes the counts by the pairs that it is in. With the slope of the index in the four counts that gives
its influence function, in one look at the cells. Counts of pairs are U-statistics: their jackknife variance
counts the part that two instances have in common twice (Efron & Stein 1981, Annals of Statistics 9, 586-596), which
is taken out again.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.samples import Sample
from adjudge.inference.common.score_intervals import FEW_EVENTS, UNSEEN_EVENTS, ScoreBasis, Unseen, slopes_of
from adjudge.inference.common.turns import turns_of
from adjudge.inference.common.two_by_two import MOST_INSTANCES, Reading, TablesOfFour, TestOfFour
from adjudge.inference.refusals import RefusedError
from adjudge.statistics.agreement import CELLS, Agreement
from adjudge.statistics.pair_counts import PairCounts

__all__ = [
    "FEWEST_A_CLUSTER",
    "OfPairs",
    "of_agreement",
    "of_pair_counts",
    "of_two_instances_in_a_difference",
]

# Instances a cluster, on average, from which on ratios of numbers of pairs hold their level.
FEWEST_A_CLUSTER = 4

Float64s = NDArray[np.float64]
Int64s = NDArray[np.int64]

# Rows: the four counts; columns: pairs joined in each grouping, and all pairs.
_TWO_WAY = np.array([[0, 0, 1, 0], [1, 0, -1, 0], [0, 1, -1, 0], [-1, -1, 1, 1]], float)
_TWO_WAY_NAMES = ("yy", "yn", "ny", "nn")
_THREE_WAY = np.array(
    [
        [-1, -1, -1, 1, 1, 1, 1],
        [0, 0, 1, 1, -1, -1, 0],
        [0, 1, 0, -1, 1, -1, 0],
        [1, 0, 0, -1, -1, 1, 0],
    ],
    float,
)
# Relative step of the derivatives; they are extrapolated, so that its square is what is lost.
_STEP = 1e-5
# Part of the jackknife variance from which on the index is so flat that it may turn back.
_NEARLY_FLAT = 0.05
# What is that small beside the terms of an index is rounding.
_ROUNDING = 1e-11
# Events up to which those that were seen may not be all kinds that there are.
_FEW = 30.0
# Placements of one more instance that are looked at if all would be more.
_PLACEMENTS = 1 << 16


def _made(kind: type, names: tuple[str, ...], counts: Float64s) -> Any:
    """Make a statistic of counts that are not whole numbers, as a derivative needs them."""
    made: Any = object.__new__(kind)
    for name, value in zip(names, counts.tolist(), strict=True):
        object.__setattr__(made, name, value)
    return made


def _pairs_of_four(counts: Float64s, itself: float) -> Float64s:
    """Count the pairs of each of the four kinds in tables of two by two cells."""
    a, b, c, d = counts.T
    same = (a * (a - itself) + b * (b - itself) + c * (c - itself) + d * (d - itself)) / 2
    return np.array([same, a * b + c * d, a * c + b * d, a * d + b * c]).T


def slope_in(counts: Float64s, value: Callable[[Float64s], float]) -> Float64s:
    """Return the derivative of an index in each count, from the side on which counts cannot be negative."""
    step = _STEP * float(counts.sum())
    start = value(counts)
    slope = np.empty(counts.size)
    for i in range(counts.size):
        moved = counts.copy()
        moved[i] += step
        once = value(moved)
        moved[i] += step
        slope[i] = (4 * once - 3 * start - value(moved)) / (2 * step)
    return slope


def of_two_instances_in_a_difference(sample: Sample, formula: Callable[[PairCounts], float]) -> float:
    """Variance of an index of one model less that of another if all pairs of instances were independent of each other.

    Parameters
    ----------
    sample : Sample
        Of the truth and the two models.
    formula : callable
        The index, of pairs counted by the truth and one model.
    """
    # Joined in the truth, in the first model, in the second: 0 for yes, 1 for no.
    pairs = np.empty((2, 2, 2))
    g, p, q, gp, gq, pq = map(float, sample.pair_sums)
    counts = sample.counts.astype(np.float64)
    gpq = float(counts @ (counts - 1)) / 2
    pairs[0] = [[gpq, gp - gpq], [gq - gpq, g - gp - gq + gpq]]
    pairs[1] = [[pq - gpq, p - gp - pq + gpq], [q - gq - pq + gpq, 0.0]]
    pairs[1, 1, 1] = sample.n * (sample.n - 1) / 2 - float(pairs.sum())

    def slope(of_model: Float64s) -> Float64s:
        found = slope_in(of_model.ravel(), lambda moved: formula(_made(PairCounts, _TWO_WAY_NAMES, moved)))
        return found.reshape(2, 2)

    first, second = slope(pairs.sum(axis=2)), slope(pairs.sum(axis=1))
    kernel = first[:, :, None] - second[:, None, :]
    total = float(pairs.sum())
    mean = float((pairs * kernel).sum()) / total
    return max(0.0, float((pairs * kernel**2).sum()) - total * mean**2)


@dataclass(frozen=True, eq=False)
class OfPairs:
    """Counts of pairs by cell of the partitions, and what the instances of each cell do to them.

    Attributes
    ----------
    sample : Sample
    counts_of : ndarray of shape (4, n_groupings + 1)
        The four counts from the pairs joined in each grouping, and all pairs.
    kind : type
        The statistic that holds the four counts.
    names : tuple of str
        Its fields.
    """

    sample: Sample
    counts_of: Float64s
    kind: type
    names: tuple[str, ...]

    def changes(self, weights: Float64s, itself: float = 1.0) -> Float64s:
        """Pairs of each of the four kinds that an instance is in, by cell; cells of some weight.

        `itself` is 0 in a population, if two instances drawn may be alike in all and are still two.
        """
        partners = [self.sample.group_sums(weights, i)[codes] - itself for i, (codes, _) in self._groupings]
        everyone = np.full(weights.size, float(weights.sum()) - itself)
        return np.asarray(self.counts_of @ np.stack([*partners, everyone]))

    @cached_property
    def observed(self) -> tuple[Float64s, Float64s]:
        """Changes, and the four counts."""
        weights = self.sample.counts.astype(np.float64)
        changes = self.changes(weights)
        return changes, changes @ weights / 2

    @cached_property
    def _groupings(self) -> list[tuple[int, tuple[Int64s, int]]]:
        return list(enumerate(self.sample.groupings))

    def score(
        self, value: float, formula: Callable[[Any], float], limits: tuple[float, float]
    ) -> ScoreBasis | None:
        """Return what an interval of an index is made of; None if the index has no slope.

        Parameters
        ----------
        value : float
            The index, computed from exact counts.
        formula : callable
            The index, of the statistic.
        limits : tuple of float
        """
        weights = self.sample.counts.astype(np.float64)
        changes, counts = self.observed
        slope = self.slope(formula, counts)
        if not np.isfinite(slope).all():
            return None
        influence, jackknife = self.influence(slope, changes, weights)
        of_two = self.of_two_instances(slope, counts)
        # The part that two instances have in common is there at any law.
        variance = max(jackknife - of_two, of_two)
        # A remainder of rounding is not a variance.
        nothing_misplaced = self.kind is PairCounts and not (counts[1] or counts[2])
        if jackknife <= (_ROUNDING * float(np.abs(slope) @ counts)) ** 2 or (
            nothing_misplaced and value in limits
        ):
            variance = 0.0
        if (counts[1] or counts[2]) and (tables := self._of_four) is not None:
            return ScoreBasis(value, limits, variance, inverted=TestOfFour(tables, self._reading(formula)))

        laws = _Tilted(self, formula, influence / math.sqrt(jackknife) if jackknife > 0 else influence)
        start = self.value(formula, counts)
        slopes = slopes_of(start, variance, lambda z: laws.in_samples(z, jackknife - variance))
        found = ScoreBasis(value, limits, variance, slopes=slopes)
        if found.at_a_limit:
            return self._at_a_limit(found, slope)
        if self._nested(counts):
            found = self._of_nested(found, slope, counts)
            if found.unseen is None:
                return found
        if self._few(value, limits, variance):
            return replace(found, event=self._event(slope, value, limits))
        if of_two > _NEARLY_FLAT * jackknife:
            return replace(found, turns=turns_of(start, variance, laws.in_populations))
        return found

    def _at_a_limit(self, found: ScoreBasis, slope: Float64s) -> ScoreBasis:
        """Take in what one more event would do; raise RefusedError if nobody can tell."""
        if self._one_against_more:
            raise RefusedError(
                "no interval: a partition has one cluster, and what the index would be with another one is not known"
            )
        return ScoreBasis(
            found.estimate, found.limits, found.variance, self._event(slope, found.estimate, found.limits)
        )

    def _of_nested(self, found: ScoreBasis, slope: Float64s, counts: Float64s) -> ScoreBasis:
        """Take in that an instance may be misplaced, though only what the clusters are like varies in the sample."""
        unseen = None if counts[1] or counts[2] else self._unseen(slope, found.limits)
        if unseen is not None:
            return replace(found, unseen=unseen)
        event = self._event(slope, found.estimate, found.limits)
        if self._near(found.estimate, found.limits) <= FEW_EVENTS * event:
            # Strays of small clusters bring the index as near to its end as none would.
            return replace(found, event=event)
        return replace(found, variance=found.variance + UNSEEN_EVENTS * event**2)

    @cached_property
    def _of_four(self) -> TablesOfFour | None:
        """Counts of instances by two signs, whose products say for each pair which of the four kinds it is of.

        None if there are other numbers of clusters than two, or if labels match, or both models are right, far beyond
        chance.
        """
        n_labels = 2 if self.kind is PairCounts else 3
        labels = self.sample.groupings[:n_labels]
        if self.sample.n > MOST_INSTANCES or any(size != 2 for _, size in labels):
            return None
        first, second = (codes for codes, _ in labels[-2:])
        if n_labels == 3:
            # A model is right about a pair if it is right, or wrong, about both instances.
            first, second = (codes != labels[0][0] for codes in (first, second))
        tables = TablesOfFour(np.bincount(2 * first + second, self.sample.counts, 4).astype(np.float64))
        far = tables.beyond_chance if n_labels == 2 else min(tables.excesses[:2])
        return tables if tables.near_chance(far) else None

    def _reading(self, formula: Callable[[Any], float]) -> Reading:
        """Read an index from tables of four cells."""
        n_pairs = self.sample.n * (self.sample.n - 1) / 2

        def of_tables(tables: Float64s) -> Float64s:
            kinds = _pairs_of_four(tables, 1.0)
            distinct, which = np.unique(kinds, axis=0, return_inverse=True)
            values = [self.value(formula, counts) for counts in distinct]
            return np.array(values)[which.ravel()]

        def of_laws(laws: Float64s) -> Float64s:
            kinds = 2 * n_pairs * _pairs_of_four(laws, 0.0)
            return np.array([self.value(formula, counts) for counts in kinds])

        return Reading(of_tables, of_laws)

    @property
    def _one_against_more(self) -> bool:
        """Whether one of two partitions has one cluster, and the other one more."""
        sizes = [size for _, size in self.sample.groupings[:2]]
        return self.kind is PairCounts and min(sizes) == 1 < max(sizes)

    def _unseen(self, slope: Float64s, limits: tuple[float, float]) -> Unseen | None:
        """Tell what an instance of identical partitions does that leaves its predicted cluster for another one.

        None if that makes the index larger here and smaller there.
        """
        sizes = self.sample.group_sums(self.sample.counts.astype(np.float64), 0)
        shares = sizes / self.sample.n
        left, joined = (slope[1] - slope[0]) * (sizes - 1), (slope[2] - slope[3]) * sizes
        least, most = (float(end(left) + end(joined)) for end in (np.min, np.max))
        if least * most < 0 or least == most == 0:
            return None
        of_left, of_joined = float(shares @ left), float(shares @ joined)
        squares = float(shares @ (left**2 + joined**2)) + 2 * of_left * of_joined
        return Unseen(squares / (of_left + of_joined), limits[most > 0])

    def _nested(self, counts: Float64s) -> bool:
        """Whether each cluster of one of two partitions lies within one of the other's."""
        return self.kind is PairCounts and not (counts[1] and counts[2])

    @staticmethod
    def _near(value: float, limits: tuple[float, float]) -> float:
        """Return the distance from the nearer end."""
        return min(value - limits[0], limits[1] - value)

    def _few(self, value: float, limits: tuple[float, float], variance: float) -> bool:
        """Whether the variance is that of few events, which may happen to be small ones."""
        near = self._near(value, limits)
        return math.isfinite(near) and near * near < _FEW * variance

    def value(self, formula: Callable[[Any], float], counts: Float64s) -> float:
        """Value of an index at four counts."""
        return formula(_made(self.kind, self.names, counts))

    def slope(self, formula: Callable[[Any], float], counts: Float64s) -> Float64s:
        """Return the derivative of an index in each of four counts."""
        return slope_in(counts, lambda moved: self.value(formula, moved))

    def influence(self, slope: Float64s, changes: Float64s, weights: Float64s) -> tuple[Float64s, float]:
        """Influence of an instance of each cell, and the jackknife variance."""
        n = self.sample.n
        influence = slope @ changes
        influence -= float(weights @ influence) / n
        squares = float(weights @ influence**2)
        return influence, (n - 1) * n / (n - 2.0) ** 2 * squares

    def of_two_instances(self, slope: Float64s, counts: Float64s) -> float:
        """Variance of the index if all pairs were independent of each other, twice over the number of pairs."""
        n, pairs = self.sample.n, float(counts.sum())
        shares, kernel = counts / pairs, slope * pairs
        return 2 * max(0.0, float(shares @ kernel**2) - float(shares @ kernel) ** 2) / (n * (n - 1.0))

    def _event(self, slope: Float64s, value: float, limits: tuple[float, float]) -> float:
        """Change of the index by one more instance that lies anywhere, of those which change it at all."""
        shares, partners = self.sample.placements(_PLACEMENTS)
        changes = slope @ self.counts_of @ partners
        away = changes < 0 if value - limits[0] > limits[1] - value else changes > 0
        size = float(shares[away] @ np.abs(changes[away]))
        return float(shares[away] @ changes[away] ** 2) / size if size > 0 else math.nan


@dataclass(frozen=True, eq=False)
class _Tilted:
    """Laws of the cells in which an index is larger or smaller: tilted by `unit`, the influence in deviations."""

    pairs: OfPairs
    formula: Callable[[Any], float]
    unit: Float64s

    def _law(self, z: float) -> Float64s:
        weights = self.pairs.sample.counts.astype(np.float64)
        found = weights * np.maximum(0.0, 1 + np.clip(z * self.unit, -3.0, 3.0))
        return np.asarray(found * (self.pairs.sample.n / found.sum()))

    def _look(self, z: float, itself: float) -> tuple[Float64s, Float64s, float]:
        """Count pairs, and return the slope there and the jackknife variance, too."""
        law = self._law(z)
        moved = self.pairs.changes(law, itself)
        there = np.maximum(moved @ law / 2, 0.0)
        slope = self.pairs.slope(self.formula, there)
        return there, slope, self.pairs.influence(slope, moved, law)[1]

    def in_samples(self, z: float, too_much: float) -> tuple[float, float]:
        """Value and variance, of which `too_much` is taken off, as a sample like this law has them."""
        there, _, jackknife = self._look(z, itself=1.0)
        return self.pairs.value(self.formula, there), jackknife - too_much

    def in_populations(self, z: float) -> tuple[float, float, float]:
        """Value, variance and the part of it that is linear in the instances."""
        there, slope, linear = self._look(z, itself=0.0)
        of_all = linear + self.pairs.of_two_instances(slope, there)
        return self.pairs.value(self.formula, there), of_all, linear


def of_pair_counts(sample: Sample) -> OfPairs:
    """Pairs of a sample grouped by truth, prediction and both."""
    return OfPairs(sample, _TWO_WAY, PairCounts, _TWO_WAY_NAMES)


def of_agreement(sample: Sample) -> OfPairs:
    """Pairs of a sample grouped by truth, two models, and each two of them."""
    return OfPairs(sample, _THREE_WAY, Agreement, CELLS)
