"""Scores in bins, as the engine of a table counts them: their order where it is certain, and bounds where it is not.

For each bin, the smallest and the largest score of each side are known. Two sides that do not overlap are in a known
order, and equal scores are tied. Elsewhere, the positives of a bin may be above its negatives, below them, or between;
the two extremes bound anything monotone in the order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Bools, Floats, Ints, Numbers
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.ranked_scores import (
    CalibratedScores,
    ClassAreas,
    PositiveScores,
    RankAreas,
    RankedScores,
    TopLabels,
    weighted_areas,
)

Counts = Numbers
Order = Literal["tied", "best", "worst"]

#: Bins of scores: 2, 3, ... 10, 12, 15, 20, 25, 50 and 100 bins of equal width are unions of these.
BINS = 50_400


@dataclass(frozen=True, eq=False)
class ScoreBins:
    """The scores for one class in ascending bins.

    Attributes
    ----------
    positives, negatives : ndarray of shape (m,)
        Instances of the class, and of all others.
    least, greatest : ndarray of float64 of shape (2, m)
        Smallest and largest score of negatives (first) and positives; infinite on a side without instances.
    bins : ndarray of shape (m,)
        The bin of each, as they were given.
    squares : ndarray of float64 of shape (2, m) or None
        Sums of squared weights of negatives (first) and positives, if instances are weighted.
    """

    positives: Counts
    negatives: Counts
    least: Floats
    greatest: Floats
    bins: Floats
    squares: Floats | None = None

    @classmethod
    def of(
        cls,
        bins: Floats,
        inside: Bools,
        counts: Counts,
        least: Floats,
        greatest: Floats,
        squares: Floats | None = None,
    ) -> ScoreBins:
        """Sum cells, each of one bin and one side.

        Parameters
        ----------
        bins : ndarray of shape (c,)
            Bin of each cell, rising with the scores.
        inside : ndarray of bool of shape (c,)
            Whether the cell's instances are of the class.
        counts, least, greatest : ndarray of shape (c,)
        squares : ndarray of shape (c,), optional
            Sums of squared weights, of which counts are the sums.
        """
        distinct, places = np.unique(bins, return_inverse=True)
        totals = np.zeros((2, distinct.size), counts.dtype)
        low, high = np.full((2, distinct.size), math.inf), np.full((2, distinct.size), -math.inf)
        sides = inside.astype(np.int64)
        np.add.at(totals, (sides, places), counts)
        np.minimum.at(low, (sides, places), least)
        np.maximum.at(high, (sides, places), greatest)
        of_squares = None
        if squares is not None:
            of_squares = np.zeros((2, distinct.size))
            np.add.at(of_squares, (sides, places), squares)
        return cls(totals[1], totals[0], low, high, distinct, of_squares)

    def turned(self) -> ScoreBins:
        """Return the bins for the complement of the class, by the negated scores."""
        return ScoreBins(
            self.negatives[::-1],
            self.positives[::-1],
            -self.greatest[::-1, ::-1],
            -self.least[::-1, ::-1],
            self.bins[::-1],
            None if self.squares is None else self.squares[::-1, ::-1],
        )

    def ranked(self, order: Order) -> RankedScores:
        """Return the scores as if, in bins of unknown order, all were equal, or the class ranked first or last."""
        found, _ = self.blocks(order)
        return found

    def blocks(self, order: Order) -> tuple[RankedScores, Ints]:
        """Split each bin whose order is known, or set by `order`, into two; also return the place of each one's bin."""
        both = (self.positives > 0) & (self.negatives > 0)
        (low_out, low_in), (high_out, high_in) = self.least, self.greatest
        above, below = both & (low_in > high_out), both & (high_in < low_out)
        loose = both & ~above & ~below & (self.least.min(axis=0) < self.greatest.max(axis=0))
        above |= loose & (order == "best")
        below |= loose & (order == "worst")
        low, high = self.least.min(axis=0), self.greatest.max(axis=0)
        scores = np.stack(
            [
                np.where(above & ~loose, low_out, np.where(below & ~loose, low_in, low)),
                np.where(above & ~loose, low_in, np.where(below & ~loose, low_out, high)),
            ],
            axis=1,
        )
        positives = np.stack(
            [np.where(above, 0, self.positives), np.where(above, self.positives, 0)], axis=1
        ).ravel()
        negatives = np.stack(
            [np.where(below, 0, self.negatives), np.where(below, self.negatives, 0)], axis=1
        ).ravel()
        kept = (positives > 0) | (negatives > 0)
        bins = np.repeat(np.arange(both.size), 2)
        return RankedScores(scores.ravel()[kept], positives[kept], negatives[kept]), bins[kept]

    @cached_property
    def areas(self) -> tuple[float, float, float]:
        """Smallest and largest possible area under the ROC curve, and the one in between that splits bins evenly."""
        lowest, highest, even = (weighted_areas(self.ranked(way))[0] for way in ("worst", "best", "tied"))
        return lowest, highest, even

    @cached_property
    def average_precisions(self) -> tuple[float, float]:
        """Smallest and largest possible average precision.

        It is largest if a bin's positives are tied above its negatives, and smallest if they are distinct and below.
        """
        if not self.positives.sum() > 0:
            return math.nan, math.nan
        highest = weighted_areas(self.ranked("best"))[1]
        found, bins = self.blocks("worst")
        _, true, false = found.falling
        own, bins = found.positives[::-1].astype(np.float64), bins[::-1]
        tied = (self.least[1] == self.greatest[1])[bins] | (found.negatives[::-1] > 0) | (own == 0)
        alike = own * true / (true + false)
        lost = np.zeros(own.size)
        some = false > 0
        ends = (true - own + false)[some], (true + false)[some]
        lost[some] = false[some] * harmonic_between(*ends, is_weighted=self.squares is not None)
        lowest = float(np.where(tied, alike, own - lost).sum() / true[-1])
        # Sums in a different order are rounded differently.
        return min(lowest, highest), highest


def harmonic_between(low: Floats, high: Floats, *, is_weighted: bool) -> Floats:
    """Sum 1 / i over the whole numbers above `low` up to `high`; of weights, whose steps are unknown, bound that sum.

    However the weight of some instances is shared out among them, it is the largest for very many of them.
    """
    from scipy.special import digamma

    return np.asarray(logarithms(high / low) if is_weighted else digamma(high + 1) - digamma(low + 1))


@dataclass(frozen=True, eq=False)
class BinnedAreas(ClassAreas):
    """Areas from scores in bins, with bounds.

    Attributes
    ----------
    lowest, highest : RankAreas
    bins : sequence of ScoreBins
        The scores of each class.
    """

    lowest: RankAreas
    highest: RankAreas
    bins: Sequence[ScoreBins]

    @classmethod
    def of(
        cls, classes: Sequence[Any], positive: int | None, sizes: Counts, bins: Sequence[ScoreBins]
    ) -> BinnedAreas:
        """Compute the areas of each class, from the bins of its scores."""
        ends = np.array([own.areas for own in bins])
        precisions = np.array([own.average_precisions for own in bins])

        def areas(end: int) -> RankAreas:
            return RankAreas(classes, positive, sizes, ends[:, end], precisions[:, end])

        return cls(classes, positive, sizes, ends[:, 2], precisions.mean(axis=1), areas(0), areas(1), bins)

    def extremes(self) -> Iterator[RankAreas]:
        """Yield the bounds."""
        yield self.lowest
        yield self.highest


@dataclass(frozen=True, eq=False)
class BinnedPositiveScores(PositiveScores):
    """Scores of the positive class; those of a bin count as equal if their order is unknown.

    Attributes
    ----------
    bins : ScoreBins
    """

    bins: ScoreBins

    @classmethod
    def of(cls, bins: ScoreBins, of_class: Any = None) -> BinnedPositiveScores:
        """Treat the scores of a bin as equal."""
        tied = bins.ranked("tied")
        return cls(tied.scores, tied.positives, tied.negatives, bins, of_class=of_class)

    def extremes(self) -> Iterator[RankedScores]:
        """Yield the scores as if the positives of each bin came first, and as if they came last."""
        yield self.bins.ranked("best")
        yield self.bins.ranked("worst")


class MergedInBins:
    """Outcomes whose entries are cells, weighted by their number of instances, with their mean score as the value.

    Sums over whole cells equal those over the instances.
    """

    @property
    def counts_instances(self) -> bool:
        """Whether the number of instances in a bin is known."""
        return True


class BinnedTopLabels(MergedInBins, TopLabels):
    """Probabilities of the likeliest classes, in narrow bins."""


class BinnedCalibratedScores(MergedInBins, CalibratedScores):
    """Probabilities of the positive class, or of the likeliest, in narrow bins."""
