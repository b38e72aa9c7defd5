"""Influence of each instance on partial areas under ROC curves, and on the best that any threshold reaches.

Where a score is largest its slope is zero, so that an instance moves the best value as it moves the value at that
threshold. Yet data are kind to the threshold that they choose: the best value is too large, on average by a maximum of
a random walk that drifts down. A threshold of one half of the instances that is judged on the other half is worse than
the best by what halves err, about 0.53 of that excess; both together are 1.53 of it, and tell how large it is. That is
so where the curve is smooth. Where a density leaps, the curve has a bend. A walk with the same drift on all of one side
takes a time to its largest value that costs a half, on average, twice the excess: both together are three times as
much. Nothing tells which it is, and the upper end of an interval takes the smaller excess.

References
----------
Kim & Pollard (1990), Cube root asymptotics; Dodd & Pepe (2003), Partial AUC estimation and regression.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.given.options import random_generator
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts.area_influence import Moved
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import PositiveScores, RankedScores

__all__ = [
    "THRESHOLD_SCORES",
    "BestThreshold",
    "PartialArea",
    "PositiveClass",
    "limits_of",
    "why_no_threshold",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# What the best value is too large by, as a share of its distance from that of a threshold that other data choose: where
# the curve is smooth, and where it has a bend.
_OF_HALVES = 1 / 1.53
_OF_HALVES_AT_A_BEND = 1 / 3
# How often instances are cut in two, at most, and how many are cut in all.
_MOST_CUTS = 4
_CUT_IN_ALL = 200_000
# Times the Kolmogorov-Smirnov statistic's scale, below which no threshold is clearly the best: scores that tell nothing
# of the class exceed it once in 1,500 samples.
_TELLS = 2.0
_HARDLY_TELLS = (
    "the scores hardly tell the positive class from the others, so that any threshold may be the best"
)


class PositiveClass:
    """The scores of the positive class, brought into order once for all that is asked of them.

    Parameters
    ----------
    forecasts : Forecasts
        Without weights, and with a positive class; not looked at before something is asked.
    """

    def __init__(self, forecasts: Forecasts) -> None:
        self._forecasts = forecasts

    @cached_property
    def inside(self) -> Bools:
        """Which instances are of the class."""
        return np.asarray(self._forecasts.codes == self._forecasts.positive)

    @cached_property
    def values(self) -> Floats:
        """The score of each instance."""
        assert self._forecasts.positive is not None
        return self._forecasts.column(self._forecasts.positive).astype(np.float64)

    @cached_property
    def ordered(self) -> PositiveScores:
        """The scores in order."""
        return PositiveScores.make(self._forecasts)

    @cached_property
    def halves(self) -> list[tuple[PositiveScores, Bools]]:
        """The scores of each half in order, and which instances are in the other: both sides are cut in two.

        Fewer instances are cut several times, since one cut tells little of a rare class.
        """
        generator, found = random_generator(0), []
        for _ in range(max(1, min(_MOST_CUTS, _CUT_IN_ALL // self.inside.size))):
            first = np.zeros(self.inside.size, bool)
            for side in (self.inside, ~self.inside):
                of_side = generator.permutation(np.flatnonzero(side))
                first[of_side[: of_side.size // 2]] = True
            found += [
                (PositiveScores.make(self._forecasts.take(np.flatnonzero(half))), ~half)
                for half in (first, ~first)
            ]
        return found


@dataclass(frozen=True)
class PartialArea:
    """The area under the ROC curve up to a false positive rate, or McClish's of it.

    Attributes
    ----------
    rescaled : bool
        Whether chance is 0.5 and the best 1.
    """

    rescaled: bool = False

    def moved(self, record: ForecastIndex, positive: PositiveClass) -> Moved:
        """Tell what instances do to the area, in O(n log n).

        Parameters
        ----------
        record : ForecastIndex
            With the largest false positive rate.
        positive : PositiveClass
        """
        most = self._most(record)
        at = positive.ordered
        _, true, false = at.falling
        rates, found = false / at.n_negative, true / at.n_positive
        before, found_before = np.r_[0.0, rates[:-1]], np.r_[0.0, found[:-1]]
        # How much of the step at each score lies below the rate.
        step = rates - before
        part = np.clip(np.divide(most - before, step, out=np.zeros(step.size), where=step > 0), 0.0, 1.0)
        of_positive = part**2 * step / 2 + np.clip(most - rates, 0.0, None)
        reached = float(np.interp(most, np.r_[0.0, rates], np.r_[0.0, found]))
        of_negative = np.where(
            part < 1, -(found - found_before) * part**2 / 2, (found + found_before) / 2 - reached
        )
        area = float(of_positive @ np.diff(true, prepend=0.0)) / at.n_positive
        places = at.scores.size - 1 - np.searchsorted(at.scores, positive.values)
        n = positive.inside.size
        influence = np.where(
            positive.inside,
            (of_positive[places] - area) * (n / at.n_positive),
            (of_negative[places] - area + most * reached) * (n / at.n_negative),
        )
        unit = 1 / (2 * (most - most**2 / 2)) if self.rescaled else 1.0
        return Moved(unit * influence)

    def limits(self, record: ForecastIndex) -> tuple[float, float]:
        """Smallest and largest area that there is: up to the largest rate, or McClish's of none and of all of that."""
        most = self._most(record)
        return ((1 - most) / (2 - most), 1.0) if self.rescaled else (0.0, most)

    @staticmethod
    def _most(record: ForecastIndex) -> float:
        return float({**record.parameters, **record.fixed}["max_fpr"])


@dataclass(frozen=True)
class BestThreshold:
    """The largest value that a score has at any threshold.

    Attributes
    ----------
    of : {"informedness", "f1"}
    either_side : bool
        Whether the score is turned over if that makes it larger.
    """

    of: Literal["informedness", "f1"]
    either_side: bool = False

    def moved(self, record: ForecastIndex, positive: PositiveClass) -> Moved:
        """Tell what instances do to the best value, and by how much it is too large.

        Parameters
        ----------
        record : ForecastIndex
        positive : PositiveClass
        """
        inside = positive.inside
        threshold, sign = self._best(positive.ordered)
        said = positive.values >= threshold
        elsewhere = [self._elsewhere(positive, scores, other) for scores, other in positive.halves]
        apart = max(0.0, sign * self._value(inside, said) - sum(elsewhere) / len(elsewhere))
        excess, least = _OF_HALVES * apart, _OF_HALVES_AT_A_BEND * apart
        return Moved(sign * self._influence(inside, said), excess, excess - least)

    def _best(self, scores: RankedScores) -> tuple[float, float]:
        """Return the best threshold, and -1 if the score is turned over there."""
        at, true, false = scores.falling
        if self.of == "f1":
            return float(at[np.argmax(true / (true + false + true[-1]))]), 1.0
        gained = true / true[-1] - false / false[-1]
        best = int(np.argmax(np.abs(gained) if self.either_side else gained))
        return float(at[best]), -1.0 if gained[best] < 0 else 1.0

    def _elsewhere(self, positive: PositiveClass, scores: RankedScores, other: Bools) -> float:
        """Value on other instances of the threshold that is the best of some scores."""
        threshold, sign = self._best(scores)
        return sign * self._value(positive.inside[other], positive.values[other] >= threshold)

    def _value(self, inside: Bools, said: Bools) -> float:
        if self.of == "f1":
            return float(2 * (inside & said).sum() / (inside.sum() + said.sum()))
        return float(said[inside].mean() - said[~inside].mean())

    def _influence(self, inside: Bools, said: Bools) -> Floats:
        n, positives = inside.size, int(inside.sum())
        if self.of == "f1":
            value = self._value(inside, said)
            of_each = 2.0 * (inside & said) - value * (inside.astype(np.float64) + said)
            return np.asarray(of_each * (n / (positives + said.sum())))
        recall, wrongly = said[inside].mean(), said[~inside].mean()
        found = np.where(inside, (said - recall) * (n / positives), (wrongly - said) * (n / (n - positives)))
        return np.asarray(found)


#: Scores of the positive class that thresholds make, by the names of the indices.
THRESHOLD_SCORES: dict[str, PartialArea | BestThreshold] = {
    "partial_auc": PartialArea(),
    "mcclish_auc": PartialArea(rescaled=True),
    "ks_statistic": BestThreshold("informedness", either_side=True),
    "youden_index": BestThreshold("informedness"),
    "maximum_f1": BestThreshold("f1"),
}


def limits_of(record: ForecastIndex) -> tuple[float, float]:
    """Return the smallest and the largest value of a score: a partial area has less than the range of an area."""
    of_thresholds = THRESHOLD_SCORES.get(record.name)
    if isinstance(of_thresholds, PartialArea):
        return of_thresholds.limits(record)
    least, most = record.range
    return float(least), float(most)


def why_no_threshold(record: ForecastIndex, positive: PositiveClass) -> str | None:
    """Say that any threshold may be the best, because the scores hardly tell the positive class; None if they do.

    Parameters
    ----------
    record : ForecastIndex
    positive : PositiveClass
    """
    if not isinstance(THRESHOLD_SCORES.get(record.name), BestThreshold):
        return None
    at = positive.ordered
    _, true, false = at.falling
    largest = float(np.abs(true / at.n_positive - false / at.n_negative).max())
    return _HARDLY_TELLS if largest < _TELLS * math.sqrt(1 / at.n_positive + 1 / at.n_negative) else None
