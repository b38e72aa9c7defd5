"""Differences between classifiers in scores that are known by sums: the rows of all are read once more.

A score of a ranking is known up to a bound. A difference is tested as if it were smaller by the bounds of both models,
and its interval is wider by them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import NamedTuple

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.common.significance import Difference, difference_up_to, interval_test
from adjudge.inference.forecasts.auc import compare_areas
from adjudge.inference.forecasts.forecast_influence import limits_of
from adjudge.inference.forecasts.influence_sums import InfluenceCells, InfluenceOfLines, PairsOfModels
from adjudge.inference.forecasts.rank_influence import OfOneArea
from adjudge.inference.forecasts.summed_forecasts import Asked, Read, SummedForecasts, widened
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted
from adjudge.inference.linear import Scored
from adjudge.inference.sampling_design import either_way

_SAME = "the expected scores of both models are the same"


def differences_of_sums(
    records: Sequence[ForecastIndex],
    models: Mapping[str, SummedForecasts],
    read: Read,
    confidence: float,
) -> dict[tuple[str, str], dict[str, Difference]]:
    """Return the intervals of the differences of each two models, and their tests, from one reading of the rows.

    Parameters
    ----------
    records : sequence of ForecastIndex
    models : mapping of str to SummedForecasts
        Of the same rows.
    read : callable
        Reads the rows of all models.
    confidence : float
    """
    asked = {name: own.in_pairs(records) for name, own in models.items()}
    found = PairsOfModels()
    if len(models) > 1 and any(own.known for own in asked.values()):
        rows = [own.rows(asked[name].known) for name, own in models.items()]
        found = read(partial(PairsOfModels.of, models=rows))
    between = {}
    for (i, p), (j, q) in combinations(enumerate(models), 2):
        pair = _Pair(models[p], models[q], asked[p], asked[q], found, (i, j))
        between[p, q] = _differences(records, pair, confidence)
    return between


class _Pair(NamedTuple):
    """Two models, what rows add to their scores, or why they have no interval, and what all rows add."""

    first: SummedForecasts
    second: SummedForecasts
    one: Asked
    other: Asked
    found: PairsOfModels
    place: tuple[int, int]

    def apart(self, name: str, value: float, rounding: float = 0.0) -> Influence:
        """Return the influence of rows on the difference of a score."""
        size = max(self.found.largest[i, name] for i in self.place)
        cells: InfluenceCells | InfluenceOfLines = self.found.cells[*self.place, name]
        return cells.influence(value, size=size, rounding=rounding)


def _differences(records: Sequence[ForecastIndex], pair: _Pair, confidence: float) -> dict[str, Difference]:
    bounds = [own.bounds(records) for own in (pair.first, pair.second)]
    areas, found = dict[str, OfOneArea](), dict[str, Difference]()
    if pair.first.drawn is None:
        areas = pair.first.slopes.one_areas(records)
    for record in records:
        name = record.name
        bound = sum(own.get(name, 0.0) for own in bounds)
        if name in areas:
            found[name] = _of_areas(areas[name], name, pair, bound, confidence)
        elif reason := pair.one.refused.get(name) or pair.other.refused.get(name):
            found[name] = Difference(Interval.undefined(confidence, METHOD, reason))
        else:
            found[name] = _of_scores(record, pair, bound, confidence)
    return found


def _of_areas(area: OfOneArea, name: str, pair: _Pair, bound: float, confidence: float) -> Difference:
    placed = [own.of_class(area.code).placements() for own in (pair.first, pair.second)]
    apart = None
    if (*pair.place, name) in pair.found.cells:
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
    noises = [own.known[record.name] for own in (pair.one, pair.other)]
    rounding = pair.first.n * sum(own.noise for own in noises if isinstance(own, Scored))
    drawn = pair.first.drawn
    influence = either_way(pair.apart(record.name, value, rounding), drawn)
    wanted = Wanted(influence, limits_of(record, pair.first.n_classes), drawn)
    return difference_up_to(wanted, bound, confidence, _SAME)
