"""Differences between classifiers in scores that are known by sums: the rows of all are read once more.

A score of a ranking is known up to a bound. A difference is tested as if it were smaller by the bounds of both models,
and its interval is wider by them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.common.significance import Difference, difference_up_to, interval_test
from adjudge.inference.forecasts.auc import compare_areas
from adjudge.inference.forecasts.forecast_influence import limits_of
from adjudge.inference.forecasts.rank_influence import OfOneArea
from adjudge.inference.forecasts.summed_forecasts import SummedForecasts, SummedModels, widened
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted
from adjudge.inference.sampling_design import either_way

_SAME = "the expected scores of both models are the same"


def differences_of_sums(
    records: Sequence[ForecastIndex], together: SummedModels, groups: Sequence[int], confidence: float
) -> dict[tuple[str, str], dict[str, Difference]]:
    """Return the intervals of the differences of each two models in some groups, and their tests.

    Parameters
    ----------
    records : sequence of ForecastIndex
    together : SummedModels
    groups : sequence of int
    confidence : float
    """
    together.read(records)
    between = {}
    for (i, p), (j, q) in combinations(enumerate(together.names), 2):
        models = together.model(p, groups), together.model(q, groups)
        between[p, q] = _differences(
            records, _Pair(*models, together, (*models[0].groups,), (i, j)), confidence
        )
    return between


class _Pair(NamedTuple):
    """Two models, and where what all rows add to their scores is among that of all models."""

    first: SummedForecasts
    second: SummedForecasts
    together: SummedModels
    groups: tuple[int, ...]
    place: tuple[int, int]

    def apart(self, name: str, value: float, rounding: float = 0.0) -> Influence:
        """Return the influence of rows on the difference of a score."""
        size = max(self.together.largest[self.groups, i, name] for i in self.place)
        entries = self.together.apart[self.groups, *self.place, name]
        found = Influence.centred(value, **entries, size=size, rounding=rounding)
        parts = tuple(own.known[name].known() for own in (self.first, self.second))
        rests = parts[0].rests_on_classes
        return replace(found, rests_on_classes=rests, sums=None, parts=parts if rests else ())


def _differences(records: Sequence[ForecastIndex], pair: _Pair, confidence: float) -> dict[str, Difference]:
    bounds = [own.bounds(records) for own in (pair.first, pair.second)]
    areas, found = dict[str, OfOneArea](), dict[str, Difference]()
    if pair.first.drawn is None and pair.first.is_known:
        areas = pair.first.slopes.one_areas(records)
    for record in records:
        name = record.name
        bound = sum(own.get(name, 0.0) for own in bounds)
        if name in areas:
            found[name] = _of_areas(areas[name], name, pair, bound, confidence)
        elif reason := pair.first.known[name].reason or pair.second.known[name].reason:
            found[name] = Difference(Interval.undefined(confidence, METHOD, reason))
        else:
            found[name] = _of_scores(record, pair, bound, confidence)
    return found


def _of_areas(area: OfOneArea, name: str, pair: _Pair, bound: float, confidence: float) -> Difference:
    placed = [own.of_class(area.code).placements() for own in (pair.first, pair.second)]
    apart = None
    if (pair.groups, *pair.place, name) in pair.together.apart:
        apart = pair.apart(name, placed[0].area - placed[1].area)
    both = compare_areas(*placed, confidence=confidence, apart=apart)
    width = abs(area.at_1 - area.at_0)
    interval = widened(area.rescaled(both.interval, difference=True), bound, (-width, width))
    if not bound > 0 or math.isnan(both.test.p_value):
        return Difference(interval, both.test)
    smaller = math.copysign(max(abs(both.difference) - bound / width, 0.0), both.difference)
    if smaller == 0:
        return Difference(interval, replace(both.test, statistic=0.0, p_value=1.0))
    shift = smaller - both.difference
    moved = replace(both.interval, low=both.interval.low + shift, high=both.interval.high + shift)
    test = interval_test(smaller, moved, both.test.hypothesis)
    return Difference(interval, replace(test, method=both.test.method))


def _of_scores(record: ForecastIndex, pair: _Pair, bound: float, confidence: float) -> Difference:
    value = pair.first.value(record) - pair.second.value(record)
    rounding = sum(float(own.known[record.name].known().rounding) for own in (pair.first, pair.second))
    drawn = pair.first.drawn
    influence = either_way(pair.apart(record.name, value, rounding), drawn)
    wanted = Wanted(influence, limits_of(record, pair.first.n_classes), drawn)
    return difference_up_to(wanted, bound, confidence, _SAME)
