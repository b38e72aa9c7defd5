"""The influence of each instance on partial areas, on rates where another is held, and on the best of all thresholds.

Where one rate is held and another is read, an instance changes the second at that threshold, and it moves the
threshold: by its influence on the first, times the slope of the curve there. The slope is that over one standard error
of the rate that is held, to either side, which is how far sampling moves it.

Where a score is largest, its slope is zero, so an instance changes the best value just as it changes the value at that
threshold. Yet data favour the threshold that they choose: the best value is too large by an excess proportional to
n^(-2/3) (Kim & Pollard). The excess is 2^(2/3) times as large in half of the instances, so the mean best value of both
halves minus the best of all shows its size (a generalised jackknife).

References
----------
Kim & Pollard (1990), Cube root asymptotics, Annals of Statistics 18, 191-219.
Schucany, Gray & Owen (1971), On bias reduction in estimation, JASA 66, 524-533.
Hsieh & Turnbull (1996), Nonparametric and semiparametric estimation of the ROC curve, Annals of Statistics 24, 25-40.
Dodd & Pepe (2003), Partial AUC estimation and regression, Biometrics 59, 614-623.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.given.options import random_generator
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts.rank_influence import Moved, weights_of
from adjudge.inference.refusals import FEWEST_UNITS, refuse, round_up
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import PositiveScores

# Relative increase of the excess in half of the instances (Kim & Pollard).
_MORE_IN_HALVES = 2 ** (2 / 3) - 1
# Number of times that instances are cut into halves: more make the excess more certain, but take longer.
_CUTS = 4
# Multiple of the scale of the Kolmogorov-Smirnov statistic below which no threshold is clearly the best: uninformative
# scores exceed it once in 1,500 samples (rule "any threshold").
_TELLS = 2.0
# Rates closer than this are the same but for rounding.
_ALIKE = 1e-9


@dataclass(frozen=True, eq=False)
class _Falling:
    """Instances by descending score.

    Attributes
    ----------
    order : ndarray of int64 of shape (n,)
    ends : ndarray of int64 of shape (m,)
        Last position of each distinct score.
    inside : ndarray of bool of shape (n,)
        Whether each is of the positive class, in this order.
    weights : ndarray of shape (n,)
    """

    order: Ints
    ends: Ints
    inside: Bools
    weights: Floats

    @classmethod
    def of(cls, forecasts: Forecasts) -> _Falling:
        assert forecasts.positive is not None
        values, weights = forecasts.column(forecasts.positive), weights_of(forecasts)
        inside = forecasts.codes == forecasts.positive
        # The order must not depend on that of the rows.
        order = np.lexsort((weights, inside, values))[::-1]
        falling = values[order]
        ends = np.flatnonzero(np.r_[falling[1:] != falling[:-1], True])
        return cls(order, ends, inside[order], weights[order])

    def reached(self, some: Bools | None = None) -> tuple[Floats, Floats]:
        """Count the positives and negatives, of all or some instances, that reach each score."""
        weights = self.weights if some is None else self.weights * some
        return np.cumsum(weights * self.inside)[self.ends], np.cumsum(weights * ~self.inside)[self.ends]

    def by_row(self, values: Floats) -> Floats:
        """Reorder values of instances from descending scores to the order of the rows."""
        found = np.empty(values.size)
        found[self.order] = values
        return found


#: Partial areas under the ROC curve, by name of the index, and whether they are rescaled (McClish).
PARTIAL_AREAS = {"partial_auc": False, "mcclish_auc": True}


def largest_rate(record: ForecastIndex) -> float:
    """Return the largest false positive rate of a partial area."""
    return float({**record.parameters, **record.fixed}["max_fpr"])


def moved_partial_area(record: ForecastIndex, forecasts: Forecasts) -> Moved:
    """Return the influence of instances on the area up to a false positive rate, in O(n log n)."""
    most, at = largest_rate(record), _Falling.of(forecasts)
    true, false = at.reached()
    positives, negatives = true[-1], false[-1]
    rates, found = false / negatives, true / positives
    before, found_before = np.r_[0.0, rates[:-1]], np.r_[0.0, found[:-1]]
    # The part of the step at each score that lies below the rate.
    step = rates - before
    part = np.clip(np.divide(most - before, step, out=np.zeros(step.size), where=step > 0), 0.0, 1.0)
    of_positive = part**2 * step / 2 + np.clip(most - rates, 0.0, None)
    reached = float(np.interp(most, np.r_[0.0, rates], np.r_[0.0, found]))
    of_negative = np.where(
        part < 1, -(found - found_before) * part**2 / 2, (found + found_before) / 2 - reached
    )
    area = float(of_positive @ np.diff(found, prepend=0.0))
    places = np.searchsorted(at.ends, np.arange(at.order.size))
    total = positives + negatives
    psi = np.where(
        at.inside,
        (of_positive[places] - area) * (total / positives),
        (of_negative[places] - area + most * reached) * (total / negatives),
    )
    if not PARTIAL_AREAS[record.variant_of or record.name]:
        return Moved(area, at.by_row(psi))
    least = most**2 / 2
    unit = 1 / (2 * (most - least))
    return Moved(0.5 + unit * (area - least), unit * at.by_row(psi))


class _Rate(NamedTuple):
    """A share of some instances: those that are right among those that count."""

    value: float
    psi: Floats

    @classmethod
    def of(cls, right: Bools, among: Bools, weights: Floats) -> _Rate:
        size, total = float(weights @ among), float(weights.sum())
        if size == 0:
            return cls(0.0, np.zeros(right.size))
        value = float(weights @ (right & among)) / size
        return cls(value, among * (right - value) * (total / size))


#: The rate that is read and the one that is held, by name of the index.
HELD_RATES = {
    "sensitivity_at_specificity": ("recall", "specificity"),
    "specificity_at_sensitivity": ("specificity", "recall"),
    "recall_at_precision": ("recall", "precision"),
    "precision_at_recall": ("precision", "recall"),
}


def moved_rate(record: ForecastIndex, forecasts: Forecasts, read: str, held: str) -> Moved:
    """Return the influence of instances on a rate where another rate is held, in O(n log n)."""
    scores, at = PositiveScores.make(forecasts), _Falling.of(forecasts)
    wanted = float({**record.parameters, **record.fixed}["at"])

    def value_at(rate: float) -> float:
        return record.assess(scores, at=min(max(rate, 0.0), 1.0))[0]

    def rate(name: str, said: Bools) -> _Rate:
        if name == "specificity":
            return _Rate.of(~said, ~at.inside, at.weights)
        return (
            _Rate.of(said, at.inside, at.weights)
            if name == "recall"
            else _Rate.of(at.inside, said, at.weights)
        )

    value = value_at(wanted)
    true, false = at.reached()
    curve = {
        "recall": true / true[-1],
        "specificity": 1 - false / max(false[-1], 1),
        "precision": true / (true + false),
    }
    # The threshold: of those that give this value, the one at which the rate that is held is nearest.
    fits = np.flatnonzero((np.abs(curve[read] - value) < _ALIKE) & (curve[held] >= wanted - _ALIKE))
    if not fits.size:
        refuse("any threshold")
    place = int(fits[np.argmin(curve[held][fits])])
    said = np.arange(at.order.size) <= at.ends[place]
    own, other = rate(read, said), rate(held, said)
    of_class = at.inside if held == "recall" else ~at.inside
    few = float(np.count_nonzero(of_class)) * min(wanted, 1 - wanted)
    if few < FEWEST_UNITS:
        enough = round_up(forecasts.n * FEWEST_UNITS / few) if few else "more"
        refuse("few held", enough=enough)
    error = math.sqrt(float(at.weights @ other.psi**2)) / float(at.weights.sum())
    low, high = max(wanted - error, 0.0), min(wanted + error, 1.0)
    near = np.r_[1.0 - (held == "recall"), curve[held]]
    steps = np.abs(np.diff(near))[
        (near[1:] >= low) & (near[:-1] <= high) | (near[1:] <= high) & (near[:-1] >= low)
    ]
    if float(steps.max(initial=0.0)) > error / 2:
        refuse("tied threshold")
    slope = (value_at(high) - value_at(low)) / (high - low) if high > low else 0.0
    return Moved(value, at.by_row(own.psi - slope * other.psi))


def moved_benefit(record: ForecastIndex, forecasts: Forecasts) -> Moved:
    """Return what acting on each instance gains, if its probability is reached, and what one more would add."""
    assert forecasts.positive is not None
    at = float({**record.parameters, **record.fixed}["at"])
    acted = forecasts.column(forecasts.positive) >= at
    inside, weights = forecasts.codes == forecasts.positive, weights_of(forecasts)
    gains: Floats = np.asarray(acted * np.where(inside, 1.0, -at / (1 - at)))
    steps = [0.0]
    for side, gain in ((inside, 1.0), (~inside, -at / (1 - at))):
        if side.any():
            # One more instance of the class, acted on or not, beside those that there are.
            own = float(weights[side] @ gains[side] / weights[side].sum())
            one = float(weights[side].mean()) / float(weights.sum())
            steps += [one * (end - own) for end in (0.0, gain)]
    return Moved(0.0, gains, rise=max(steps), fall=-min(steps))


@dataclass(frozen=True)
class BestThreshold:
    """The largest value of a score over all thresholds.

    Attributes
    ----------
    of : {"informedness", "f1"}
    either_side : bool
        Whether the sign of the score is reversed if that makes it larger.
    """

    of: Literal["informedness", "f1"]
    either_side: bool = False

    def moved(self, forecasts: Forecasts, drawn: Drawn | None = None) -> Moved:
        """Return the influence of instances on the best value, and its bias.

        Raises
        ------
        RefusedError
            If the scores barely separate the positive class, so that any threshold may be the best.
        """
        at = _Falling.of(forecasts)
        true, false = at.reached()
        positives, negatives = true[-1], false[-1]
        informedness = true / positives - false / negatives
        if float(np.abs(informedness).max()) < _TELLS * math.sqrt(1 / positives + 1 / negatives):
            refuse("any threshold")
        curve = self._curve(true, false)
        best = int(np.argmax(curve))
        value, said = float(curve[best]), np.arange(at.order.size) <= at.ends[best]
        if self.of == "f1":
            psi = (2.0 * (at.inside & said) - value * (at.inside + 1.0 * said)) / (
                positives + true[best] + false[best]
            )
        else:
            sign = math.copysign(1.0, informedness[best])
            rates = true[best] / positives, false[best] / negatives
            psi = sign * np.where(at.inside, (said - rates[0]) / positives, (rates[1] - said) / negatives)
        halves = [self._curve(*at.reached(half)).max() for half in _halves(at, drawn)]
        excess = max(0.0, float(np.mean(halves)) - value) / _MORE_IN_HALVES
        return Moved(value, (positives + negatives) * at.by_row(psi), excess)

    def _curve(self, true: Floats, false: Floats) -> Floats:
        """Return the values at each threshold."""
        if self.of == "f1":
            return np.asarray(2 * true / (true + false + true[-1]))
        gained = true / true[-1] - false / false[-1]
        return np.asarray(np.abs(gained) if self.either_side else gained)


def _halves(at: _Falling, drawn: Drawn | None) -> list[Bools]:
    """Split each class, or the units, into halves that do not depend on the order of the rows."""
    generator, found = random_generator(0), []
    for _ in range(_CUTS):
        first = np.zeros(at.order.size, bool)
        for side in (at.inside, ~at.inside):
            of_side = generator.permutation(np.flatnonzero(side))
            first[of_side[: of_side.size // 2]] = True
        if drawn is not None:
            first = (generator.permutation(drawn.n_units) % 2 == 0)[drawn.unit[at.order]]
        found += [first, ~first]
    return found


#: Scores that are the best over all thresholds, by name of the index.
BEST_THRESHOLDS = {
    "ks_statistic": BestThreshold("informedness", either_side=True),
    "youden_index": BestThreshold("informedness"),
    "maximum_f1": BestThreshold("f1"),
}
