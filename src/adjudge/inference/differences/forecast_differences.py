"""Differences of two classifiers' scores of probabilities, or of scores that rank, over the same instances."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.common.test_results import Difference, interval_test
from adjudge.inference.differences.influence_differences import interval_of_difference
from adjudge.inference.differences.loss_differences import difference_of_losses
from adjudge.inference.drawn import Drawn
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.inference.forecasts.forecast_intervals import (
    has_influence,
    percentiles,
    why_not_resampled,
    why_too_many,
)
from adjudge.inference.forecasts.mean_losses import MEAN_LOSSES
from adjudge.inference.forecasts.scored_forecasts import ScoredForecasts
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts

__all__ = ["differences_of_forecasts"]

Records = Sequence[ForecastIndex]

#: Indices that are an area under one ROC curve, and what one unit of area is worth on their scale.
_AREAS = {"roc_auc": 1.0, "gini": 2.0}


def differences_of_forecasts(
    records: Sequence[ForecastIndex],
    first: Forecasts,
    second: Forecasts,
    confidence: float,
    scored: ScoredForecasts | None = None,
    drawn: Drawn | None = None,
) -> dict[str, Difference]:
    """Differences of scores of probabilities, or of scores that rank.

    DeLong's paired test of areas under the ROC curve, and an interval from the limits of both; the paired t of mean
    losses, its interval longer if few large losses are expected; of means over classes of areas and of average
    precisions, and of very many instances what thresholds make, Student's t by the influence of each instance; of
    others percentiles of the difference over instances drawn again, the same ones for both models. Of the last two, the
    test that follows from the interval.

    Parameters
    ----------
    records : sequence of ForecastIndex
    first, second : Forecasts
        Of the same instances, in the same order.
    confidence : float
    scored : ScoredForecasts, optional
        The models of other pairs, which need not be scored again.
    """
    if first.weights is not None:
        none = Difference(Interval.undefined(confidence, "none", WEIGHTED))
        return {record.name: none for record in records}
    found: dict[str, Difference] = {}
    moved, others = [], []
    for record in records:
        if record.name in MEAN_LOSSES:
            assert isinstance(first, ProbabilityForecasts)
            assert isinstance(second, ProbabilityForecasts)
            found[record.name] = difference_of_losses(record.name, first, second, confidence)
        elif record.name in _AREAS and first.positive is not None and second.positive is not None:
            areas = compare_areas(placements(first), placements(second), confidence=confidence)
            found[record.name] = Difference(_scaled(areas.interval, _AREAS[record.name]), areas.test)
        elif has_influence(record, first) and has_influence(record, second):
            moved.append(record)
        elif (reason := why_not_resampled(record) or why_too_many(first)) is not None:
            found[record.name] = Difference(Interval.undefined(confidence, "percentile", reason))
        else:
            others.append(record)
    models = _TwoForecasts(first, second, scored or ScoredForecasts(), confidence)
    return found | models.by_influence(moved) | models.by_resamples(others)


def _scaled(interval: Interval, times: float) -> Interval:
    return Interval(
        times * interval.low, times * interval.high, interval.confidence, interval.method, interval.reason
    )


@dataclass(frozen=True, eq=False)
class _TwoForecasts:
    """Forecasts by two models, and what is known of both."""

    first: Forecasts
    second: Forecasts
    scored: ScoredForecasts
    confidence: float

    def by_influence(self, records: Records) -> dict[str, Difference]:
        """Differences of scores of which it is known what instances do to them."""
        return self._each(records, "influence-t", self._moved)

    def by_resamples(self, records: Records) -> dict[str, Difference]:
        """Differences of other scores."""
        return self._each(records, "percentile", self._drawn)

    def _each(
        self, records: Records, method: str, made: Callable[[ForecastIndex, Records], tuple[float, Interval]]
    ) -> dict[str, Difference]:
        found = {}
        for record in records:
            reasons = (self.scored.why_not(record, own) for own in (self.first, self.second))
            reason = next(filter(None, reasons), None)
            if reason is None:
                found[record.name] = _with_test(*made(record, records))
            else:
                found[record.name] = Difference(Interval.undefined(self.confidence, method, reason))
        return found

    def _moved(self, record: ForecastIndex, records: Records) -> tuple[float, Interval]:
        one, other = (self.scored.moved(records, own)[record.name] for own in (self.first, self.second))
        interval = interval_of_difference(record, one, other, self.first, self.confidence)
        return one.value - other.value, interval

    def _drawn(self, record: ForecastIndex, records: Records) -> tuple[float, Interval]:
        one, other = (self.scored.drawn(records, own)[record.name] for own in (self.first, self.second))
        with np.errstate(invalid="ignore"):
            differences = one - other
        return float(differences[0]), percentiles(differences[1:], self.confidence)


def _with_test(observed: float, interval: Interval) -> Difference:
    if math.isnan(observed) or math.isnan(interval.low):
        return Difference(interval)
    return Difference(
        interval, interval_test(observed, interval, "the expected scores of both models are the same")
    )
