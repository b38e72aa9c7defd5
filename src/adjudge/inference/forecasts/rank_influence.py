"""The areas under ROC curves and average precisions of all classes, and what one more instance adds to them.

An instance changes an area by its placement among the others (DeLong). Average precision is the mean of a ratio at the
scores of the class: an instance contributes the precision at its own score, and changes the precision at all scores up
to its own. The numbers of instances of each class are random as well: they change what a class is compared with, and
its weight in a mean over classes. An instance that was not seen is one that ranks first or last.

Average precision is too large in a sample: an instance of the class is itself among those that score at least as high,
so the precision at its score is (1 + right) / (1 + others), where right / others would be unbiased.

References
----------
DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44, 837-845.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from adjudge.array_types import Bools, Floats, Ints, Numbers
from adjudge.indices.forecast_record import ForecastIndex, statistic_of
from adjudge.inference.influence import ROUNDING
from adjudge.inference.interval import Interval
from adjudge.inference.linear import PART, derivative
from adjudge.inference.refusals import refuse
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import RankAreas

# Slopes so small relative to the largest one are rounding errors.
_ROUNDED = 1e-9
# Rows of the average precisions, and of the sizes of classes, among the numbers that scores read.
PRECISIONS, SIZES = 1, 2


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """The ordered scores for a class, for sums over the instances that score less.

    Attributes
    ----------
    order : ndarray of int64 of shape (n,)
        Instances by ascending score.
    starts, ends : ndarray of int64 of shape (n,)
        Start and end of the scores that tie with each.
    """

    order: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, values: Numbers) -> OrderedScores:
        """Sort the scores, in O(n log n)."""
        order = np.argsort(values)
        ordered = values[order]
        firsts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        tied = np.diff(firsts, append=values.size)
        starts = np.repeat(firsts, tied)
        return cls(order, starts, starts + np.repeat(tied, tied))

    def up_to(self, amounts: Numbers) -> tuple[Floats, Floats]:
        """Sum, for each instance, the amounts of those that score less, and of those that score no more."""
        sums = np.concatenate([[0.0], np.cumsum(amounts[self.order])])
        below, no_higher = np.empty(amounts.size), np.empty(amounts.size)
        below[self.order], no_higher[self.order] = sums[self.starts], sums[self.ends]
        return below, no_higher

    def beaten(self, amounts: Numbers) -> Floats:
        """Sum, for each instance, the amounts of those that score less, with ties counting half."""
        below, no_higher = self.up_to(amounts)
        return (below + no_higher) / 2


class Moved(NamedTuple):
    """A value, and the influence of instances on it.

    Attributes
    ----------
    value : float
    psi : ndarray of shape (n,)
        Change of the value by each instance, times the number of instances.
    excess : float
        Bias: how much larger the value is on average in a sample than in the population.
    rise, fall : float
        See :class:`~adjudge.inference.influence.Influence`.
    """

    value: float
    psi: Floats
    excess: float = 0.0
    rise: float = math.nan
    fall: float = math.nan


def weights_of(forecasts: Forecasts) -> Floats:
    """Return the weight of each instance; 1 if there are no weights."""
    return np.ones(forecasts.n) if forecasts.weights is None else forecasts.weights


class OfClass(NamedTuple):
    """What instances add to the area or the average precision of a class.

    Attributes
    ----------
    value : float
    psi : ndarray of shape (n,)
        Influence of each.
    with_one : (float, float)
        The value with one more instance of the smaller side, the class or the rest, that ranks first or last.
    excess : float
        See :class:`Moved`.
    """

    value: float
    psi: Floats
    with_one: tuple[float, float]
    excess: float = 0.0


def _of_area(
    column: OrderedScores, inside: Bools, weights: Floats, one: float, _each: Numbers | None = None
) -> OfClass:
    """Return the area of a class against the rest, which each instance changes by its placement among the others."""
    total, own = weights.sum(), weights[inside].sum()
    rest = total - own
    over_others = column.beaten(np.where(inside, 0.0, weights)) / rest
    under_class = 1 - column.beaten(np.where(inside, weights, 0.0)) / own
    area = float(weights[inside] @ over_others[inside] / own)
    psi = np.where(inside, (over_others - area) / own, (under_class - area) / rest)
    smaller = min(own, rest)
    return OfClass(
        area, total * psi, (smaller * area / (smaller + one), (smaller * area + one) / (smaller + one))
    )


def _of_precision(
    column: OrderedScores, inside: Bools, weights: Floats, one: float, each: Numbers | None = None
) -> OfClass:
    """Return the average precision of a class; `each` is the weight of one instance of several that are alike."""
    each = weights if each is None else each
    total, members = weights.sum(), np.where(inside, weights, 0.0)
    own = members.sum()
    # For each instance: how many score at least as high, and how many of these are of the class.
    reached, right = total - column.up_to(weights)[0], own - column.up_to(members)[0]
    precision = right / reached
    value = float(members @ precision / own)
    of_class = column.up_to(members / reached)[1]
    of_all = column.up_to(members * precision / reached)[1]
    psi = (inside * (precision - value + of_class) - of_all) * (total / own)
    # The precision among the others shows how much an instance adds to it; at the top there are no others.
    others = reached - each
    # Sums of weights are rounded.
    others = np.where(others > ROUNDING * total, others, 0.0)
    among_others = np.divide(right - inside * each, others, out=np.full(others.size, value), where=others > 0)
    excess = members @ ((1 - among_others) * each / reached) / own
    if own <= total - own:
        first = members @ ((right + one) / (reached + one)) + one
        last = own * value + one * (own + one) / (total + one)
        with_one = float(first / (own + one)), float(last / (own + one))
    else:
        with_one = float(members @ (right / (reached + one)) / own), value
    return OfClass(value, psi, with_one, float(excess))


def moved_area(forecasts: Forecasts, code: int) -> Moved:
    """Return the influence of instances on the area under the ROC curve of one class against the rest.

    Parameters
    ----------
    forecasts : Forecasts
    code : int
        Column of the class.
    """
    column = OrderedScores.of(forecasts.column(code))
    own = _of_area(column, forecasts.codes == code, weights_of(forecasts), 1.0)
    return Moved(own.value, own.psi)


#: What instances add to the area, and to the average precision, of a class.
OF_CLASS: tuple[Callable[..., OfClass], ...] = (_of_area, _of_precision)


class OfOneArea(NamedTuple):
    """A score that is linear in the area under the ROC curve of one class, and reads nothing else.

    Attributes
    ----------
    code : int
        Column of the class.
    at_0, at_1 : float
        The score if the area were 0, and 1.
    """

    code: int
    at_0: float
    at_1: float

    def rescaled(self, interval: Interval, *, difference: bool = False) -> Interval:
        """Return the interval of the score, or of a difference of two, from that of the area."""
        scale, start = self.at_1 - self.at_0, 0.0 if difference else self.at_0
        return replace(interval, low=start + scale * interval.low, high=start + scale * interval.high)


@dataclass(frozen=True, eq=False)
class RankSlopes:
    """The areas, average precisions and sizes of all classes, which scores of rankings read.

    Attributes
    ----------
    areas : RankAreas
    of_one : float
        Mean weight of an instance.
    """

    areas: RankAreas
    of_one: float = 1.0
    _known: dict[str, Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, forecasts: Forecasts) -> RankSlopes:
        """Rank all instances."""
        return cls(statistic_of(RankAreas, forecasts, ""), float(weights_of(forecasts).mean()))

    @cached_property
    def _numbers(self) -> Floats:
        own = self.areas
        return np.stack([own.areas, own.average_precisions, np.asarray(own.sizes, np.float64)])

    def _value(self, record: ForecastIndex, numbers: Floats) -> float:
        areas, precisions, sizes = numbers
        own = self.areas
        made = RankAreas(own.classes, own.positive, sizes, areas, precisions)
        return record.assess(made)[0]

    def slope(self, record: ForecastIndex) -> Floats:
        """Return the derivative of a score in the areas, average precisions and sizes, of shape (3, C)."""
        if record.name not in self._known:
            self._known[record.name] = self._slope(record)
        return self._known[record.name]

    def _slope(self, record: ForecastIndex) -> Floats:
        numbers, found = self._numbers, np.zeros(self._numbers.shape)
        start = self._value(record, numbers)
        for place in zip(*np.nonzero(np.isfinite(numbers)), strict=True):
            moved, step = numbers.copy(), PART * (self.of_one if place[0] == SIZES else 1.0)
            moved[place] += step
            once = self._value(record, moved)
            moved[place] += step
            found[place] = derivative(start, once, self._value(record, moved), step)
        return np.where(np.abs(found) > _ROUNDED * np.abs(found).max(), found, 0.0)

    def of_one_area(self, record: ForecastIndex) -> OfOneArea | None:
        """Return how a score reads the area of a single class; None if it reads anything else."""
        kinds, codes = np.nonzero(self.slope(record))
        if kinds.tolist() != [0]:
            return None
        ends = []
        for area in (0.0, 1.0):
            numbers = self._numbers.copy()
            numbers[0, codes[0]] = area
            ends.append(self._value(record, numbers))
        return OfOneArea(int(codes[0]), *ends)

    def one_areas(self, records: Sequence[ForecastIndex]) -> dict[str, OfOneArea]:
        """Return how scores read the area of a single class, by name, of those that read nothing else."""
        found = {r.name: self.of_one_area(r) for r in records if r.requires == (RankAreas,)}
        return {name: area for name, area in found.items() if area is not None}


@dataclass(frozen=True, eq=False)
class Ranks:
    """What instances add to the areas and average precisions of all classes.

    Attributes
    ----------
    forecasts : Forecasts
    """

    forecasts: Forecasts

    @cached_property
    def slopes(self) -> RankSlopes:
        """What scores read of them."""
        return RankSlopes.of(self.forecasts)

    def moved(
        self, record: ForecastIndex, value: float, one: float = 1.0, of_classes: Floats | None = None
    ) -> Moved:
        """Return the influence of instances on a score, in O(n log n) for each class.

        Parameters
        ----------
        record : ForecastIndex
        value : float
            The score.
        one : float
            How many instances an event adds; see :attr:`Drawn.share_of_one`.
        of_classes : ndarray of shape (C,), optional
            The same for an instance of each class.
        """
        forecasts, slope = self.forecasts, self.slopes.slope(record)
        weights = weights_of(forecasts)
        if of_classes is not None and slope[PRECISIONS].any():
            refuse("weighted top")
        psi, excess, gains = slope[SIZES][forecasts.codes] * weights.sum(), 0.0, [0.0]
        for code in np.flatnonzero(slope[:SIZES].any(axis=0)).tolist():
            inside, column = forecasts.codes == code, OrderedScores.of(forecasts.column(code))
            if of_classes is not None:
                # An event is of the smaller side.
                smaller = inside if 2 * float(weights[inside].sum()) <= float(weights.sum()) else ~inside
                one = float(weights[smaller].mean())
            for kind in np.flatnonzero(slope[:SIZES, code]).tolist():
                own, times = OF_CLASS[kind](column, inside, weights, one), float(slope[kind, code])
                psi = psi + times * own.psi
                excess += times * own.excess
                gains += [times * (end - own.value) for end in own.with_one]
        return Moved(value, psi, excess, max(gains), -min(gains))


def moved_pairs(record: ForecastIndex, forecasts: Forecasts, one: float = 1.0) -> Moved:
    """Return the influence of instances on a mean over pairs of classes of the areas between them.

    Parameters
    ----------
    record : ForecastIndex
    forecasts : Forecasts
    one : float
        How many instances an event adds; see :attr:`Drawn.share_of_one`.
    """
    weights, codes, k = weights_of(forecasts), forecasts.codes, forecasts.k
    weighted = record.parameters["average"] == "weighted"
    sizes = np.asarray(np.bincount(codes, weights, k), np.float64)
    shares = sizes / sizes.sum()
    value, psi, up, down = 0.0, np.zeros(forecasts.n), np.zeros(k), np.zeros(k)
    for code in range(k):
        inside = codes == code
        parts = (shares[code] + shares) / (2 * (k - 1)) if weighted else np.full(k, 1 / (k * (k - 1)))
        parts[code] = 0.0
        column = OrderedScores.of(forecasts.column(code))
        under_class = 1 - column.beaten(np.where(inside, weights / sizes[code], 0.0))
        areas = np.bincount(codes, weights * under_class, k) / sizes
        over_others = column.beaten((parts / sizes)[codes] * weights) - parts @ np.where(parts, areas, 0.0)
        psi += np.where(
            inside, over_others / shares[code], (under_class - areas[codes]) * (parts / shares)[codes]
        )
        areas[code] = 0.0
        value += float(parts @ areas)
        # One more instance of a class may rank first or last in all of its pairs.
        for ends, each in ((up, parts * (1 - areas)), (down, parts * areas)):
            ends += each
            ends[code] += each.sum()
        if weighted:  # a pair has the weight of its classes
            by_class = areas / (2 * (k - 1))
            by_class[code] = by_class.sum()
            psi += by_class[codes] - float(shares @ by_class)
    rise, fall = (float((one * ends / (sizes + one)).max()) for ends in (up, down))
    return Moved(value, psi, 0.0, rise, fall)
