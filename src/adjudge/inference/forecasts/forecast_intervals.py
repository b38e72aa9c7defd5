"""Confidence intervals of scores of probabilities and decision values, from influence values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from adjudge.indices.forecast_record import ForecastIndex, statistic_of
from adjudge.inference.forecasts.auc import auc_interval, placements
from adjudge.inference.forecasts.calibration_interval import interval_of_smooth_error
from adjudge.inference.forecasts.forecast_influence import (
    AREAS,
    Scored,
    ScoredForecasts,
    assessed,
    check_value,
    check_weights,
    influence_on_area,
    limits_of,
)
from adjudge.inference.forecasts.loss_influence import LOSSES
from adjudge.inference.forecasts.mean_losses import interval_of_loss
from adjudge.inference.interval import Interval, interval_of, interval_of_share
from adjudge.inference.refusals import RefusedError
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.ranked_scores import CalibratedScores

__all__ = ["area_interval", "intervals_of_forecasts"]


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
    if forecasts.weights is None and drawn is None:
        ruled = [record for record in records if record.name in (*LOSSES, "top_k_accuracy")]
        for record, value in zip(ruled, assessed(ruled, forecasts), strict=True):
            found[record.name] = _by_a_rule_of_its_own(record, forecasts, value, confidence)
        if forecasts.positive is not None and (areas := [r.name for r in records if r.name in AREAS]):
            area = area_interval(forecasts, forecasts.positive, confidence)
            for name in areas:
                low, high = (AREAS[name] * end - (AREAS[name] - 1) for end in area)
                found[name] = replace(area, low=low, high=high)
    for record in records:
        if record.name == "smooth_calibration_error":
            found[record.name] = _of_smooth_error(record, forecasts, confidence, drawn)
    others = [record for record in records if record.name not in found]
    scored = ScoredForecasts(drawn).scored(others, forecasts)
    return found | {
        own.name: _interval(own, forecasts, scored[own.name], confidence, drawn) for own in others
    }


def _by_a_rule_of_its_own(
    record: ForecastIndex, forecasts: Forecasts, value: float, confidence: float
) -> Interval:
    """Return the interval of a mean loss, or of a share, for independent instances."""
    try:
        check_value(value)
        if record.name == "top_k_accuracy":
            return interval_of_share(round(value * forecasts.n), forecasts.n, confidence)
        assert isinstance(forecasts, ProbabilityForecasts)
        return interval_of_loss(record.name, forecasts, limits_of(record, forecasts), confidence)
    except RefusedError as refusal:
        return Interval.undefined(confidence, "score", str(refusal))


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


def _interval(
    record: ForecastIndex, forecasts: Forecasts, own: Scored, confidence: float, drawn: Drawn | None
) -> Interval:
    if own.influence is None:
        return Interval.undefined(confidence, "score", own.reason)
    limits = limits_of(record, forecasts)
    # The bias correction is itself uncertain: the interval covers those of both values.
    both = [
        interval_of(influence, limits, confidence, drawn)
        for influence in (own.influence, replace(own.influence, value=own.value))
    ]
    return replace(both[1], low=min(one.low for one in both), high=max(one.high for one in both))


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
        return Interval.undefined(confidence, "score", str(refusal))
    return interval_of(influence, (0.0, 1.0), confidence, drawn)
