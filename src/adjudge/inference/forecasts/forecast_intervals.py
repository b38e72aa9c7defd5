"""Confidence intervals of scores of probabilities and decision values, from influence values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from adjudge.array_types import Limits
from adjudge.indices.forecast_record import ForecastIndex, statistic_of
from adjudge.inference.forecasts.auc import auc_interval, interval_of_area, placements
from adjudge.inference.forecasts.calibration_interval import interval_of_smooth_error
from adjudge.inference.forecasts.forecast_influence import (
    ScoredForecast,
    ScoredForecasts,
    assessed,
    check_value,
    check_weights,
    influence_of,
    influence_on_area,
    limits_of,
)
from adjudge.inference.forecasts.rank_influence import Moved, weights_of
from adjudge.inference.interval import METHOD, Interval, Wanted, interval_of, intervals_by_name
from adjudge.inference.refusals import RefusedError
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import CalibratedScores
from adjudge.statistics.recalibration import Recalibration


def intervals_of_forecasts(
    records: Iterable[ForecastIndex], forecasts: Forecasts, confidence: float, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Return the intervals of scores of probabilities, or of rankings.

    Parameters
    ----------
    records : iterable of ForecastIndex
    forecasts : Forecasts
    confidence : float
    drawn : Drawn, optional
        How the instances were sampled; default: independently. Weighted instances need their weights here.
    """
    records, found = list(records), dict[str, Interval]()
    known = ScoredForecasts(drawn)
    for name, area in known.ranks(forecasts).slopes.one_areas(records).items():
        found[name] = area.rescaled(area_interval(forecasts, area.code, confidence, drawn))
    for record in records:
        if record.name in _OF_THEIR_OWN:
            found[record.name] = _OF_THEIR_OWN[record.name](record, forecasts, confidence, drawn)
    others = [record for record in records if record.name not in found]
    scored = known.scored(others, forecasts)
    return found | intervals_of_scored(others, scored, forecasts.k, confidence, drawn)


def intervals_of_scored(
    records: Iterable[ForecastIndex],
    scored: Mapping[str, ScoredForecast],
    n_classes: int,
    confidence: float,
    drawn: Drawn | None = None,
) -> dict[str, Interval]:
    """Return the intervals of scores whose influence is known, or why they have none."""
    around = {
        own.name: _wanted(limits_of(own, n_classes), scored[own.name], confidence, drawn) for own in records
    }
    corrected = intervals_by_name(around, confidence)
    # A bias correction is itself uncertain: the interval covers those of both values.
    plain = {
        name: own._replace(influence=replace(own.influence, value=scored[name].value))
        for name, own in around.items()
        if isinstance(own, Wanted) and own.influence.value != scored[name].value
    }
    for name, own in intervals_by_name(plain, confidence).items():
        low, high = min(own.low, corrected[name].low), max(own.high, corrected[name].high)
        corrected[name] = replace(own, low=low, high=high)
    return corrected


def _of_smooth_error(
    record: ForecastIndex, forecasts: Forecasts, confidence: float, drawn: Drawn | None
) -> Interval:
    (value,) = assessed([record], forecasts)
    try:
        check_value(value)
        check_weights(forecasts, drawn)
    except RefusedError as refusal:
        return Interval.undefined(confidence, "consistency", str(refusal))
    scores = statistic_of(CalibratedScores, forecasts, record.name)
    return interval_of_smooth_error(scores, value, confidence, drawn)


def _of_intercept(
    record: ForecastIndex, forecasts: Forecasts, confidence: float, drawn: Drawn | None
) -> Interval:
    """Return the intercepts for the limits of the share of events: of few, both ends then hold alike."""
    made: dict[type, Any] = {}
    try:
        check_value(assessed([record], forecasts, made)[0])
        check_weights(forecasts, drawn)
    except RefusedError as refusal:
        return Interval.undefined(confidence, METHOD, str(refusal))
    scores: Recalibration = made[Recalibration]
    total = float(scores.weights.sum())
    moved = Moved(scores.observed / total, scores.in_the_large.residuals)
    found = interval_of(influence_of(moved, forecasts), (0.0, 1.0), confidence, drawn)
    if math.isnan(found.low):
        return found
    low, high = (scores.intercept_for(share * total) for share in found)
    return replace(found, low=low, high=high)


_OF_THEIR_OWN = {
    "smooth_calibration_error": _of_smooth_error,
    "calibration_intercept": _of_intercept,
}


def _wanted(limits: Limits, own: ScoredForecast, confidence: float, drawn: Drawn | None) -> Wanted | Interval:
    if own.influence is None:
        return Interval.undefined(confidence, METHOD, own.reason)
    return Wanted(own.influence, limits, drawn)


def area_interval(forecasts: Forecasts, code: int, confidence: float, drawn: Drawn | None = None) -> Interval:
    """Return the interval of the area under the ROC curve of one class against the rest.

    Parameters
    ----------
    forecasts : Forecasts
    code : int
        Column of the class.
    confidence : float
    drawn : Drawn, optional
        How the instances were sampled; default: independently.
    """
    if forecasts.weights is None and drawn is None:
        return auc_interval(placements(forecasts, code), confidence=confidence)
    try:
        influence = influence_on_area(forecasts, code, drawn)
    except RefusedError as refusal:
        return Interval.undefined(confidence, METHOD, str(refusal))
    # Weighted instances count as many as would vary as much (Kish).
    weights = weights_of(forecasts)
    sides = weights[forecasts.codes == code], weights[forecasts.codes != code]
    size, rest = (float(side.sum() ** 2 / (side @ side)) for side in sides)
    return interval_of_area(influence, (size, rest), confidence, drawn)
