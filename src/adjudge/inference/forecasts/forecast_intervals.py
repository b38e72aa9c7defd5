"""Confidence intervals of scores of probabilities and of decision values, from what each instance does to them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.drawn import Drawn
from adjudge.inference.forecasts.auc import auc_interval, placements
from adjudge.inference.forecasts.forecast_influence import (
    Scored,
    ScoredForecasts,
    error_of_forecasts,
    influence_on_area,
    limits_of,
)
from adjudge.inference.forecasts.loss_influence import LOSSES
from adjudge.inference.forecasts.mean_losses import interval_of_loss
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import RefusedError
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts

__all__ = ["area_interval", "intervals_of_forecasts"]


def intervals_of_forecasts(
    records: Iterable[ForecastIndex], forecasts: Forecasts, confidence: float, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Make the intervals of scores of probabilities, or of scores that rank.

    Parameters
    ----------
    records : iterable of ForecastIndex
    forecasts : Forecasts
    confidence : float
    drawn : Drawn, optional
        How the instances were drawn; default: each for itself. Weighted ones have intervals if it has their weights.
    """
    records = list(records)
    scored = ScoredForecasts(drawn).scored(records, forecasts)
    return {
        record.name: _interval(record, forecasts, scored[record.name], confidence, drawn)
        for record in records
    }


def _interval(
    record: ForecastIndex, forecasts: Forecasts, own: Scored, confidence: float, drawn: Drawn | None
) -> Interval:
    independent = forecasts.weights is None and drawn is None
    if independent and record.name in ("roc_auc", "gini") and forecasts.positive is not None:
        area = area_interval(forecasts, forecasts.positive, confidence)
        return (
            area if record.name == "roc_auc" else replace(area, low=2 * area.low - 1, high=2 * area.high - 1)
        )
    if own.influence is None:
        return Interval.undefined(confidence, "score", own.reason)
    limits = limits_of(record, forecasts)
    if independent and record.name in LOSSES:
        assert isinstance(forecasts, ProbabilityForecasts)
        return interval_of_loss(record.name, forecasts, limits, confidence)
    if independent and record.name == "top_k_accuracy":
        return interval_of_share(round(own.value * forecasts.n), forecasts.n, confidence)
    error = error_of_forecasts(own.influence, forecasts, drawn)
    # What there is to take off is uncertain itself: the interval is that of both values.
    both = [
        interval_of(influence, limits, confidence, drawn, error=error)
        for influence in (own.influence, replace(own.influence, value=own.value))
    ]
    return replace(both[1], low=min(one.low for one in both), high=max(one.high for one in both))


def area_interval(forecasts: Forecasts, code: int, confidence: float, drawn: Drawn | None = None) -> Interval:
    """Make the interval of the area under the ROC curve of one class against the rest.

    Parameters
    ----------
    forecasts : Forecasts
    code : int
        Column of the class.
    confidence : float
    drawn : Drawn, optional
        How the instances were drawn; default: each for itself.
    """
    if forecasts.weights is None and drawn is None:
        return auc_interval(placements(forecasts, code), confidence=confidence)
    try:
        influence = influence_on_area(forecasts, code, drawn)
    except RefusedError as refusal:
        return Interval.undefined(confidence, "score", str(refusal))
    return interval_of(influence, (0.0, 1.0), confidence, drawn)
