"""Difference of two models' scores by the influence of each instance.

What an instance does to a difference is what it does to the first score less what it does to the second: what makes it
hard for both cancels out. Resamples are not needed, so that any number of instances has an interval.

Average precisions, and what the best threshold reaches, are too large in a sample, and not of both models by as much.
How much there is to take off is itself uncertain, so that the interval reaches over both differences, with and without
it.
"""

from __future__ import annotations

import numpy as np

from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts.area_influence import spread
from adjudge.inference.forecasts.scored_forecasts import MovedScore
from adjudge.inference.forecasts.threshold_influence import limits_of
from adjudge.inference.interval import Interval
from adjudge.statistics.forecasts import Forecasts

__all__ = ["interval_of_difference"]

_METHOD = "influence-t"
# A class of two instances decides what is found of few classes: intervals held in 0.82 to 0.95 of the samples.
_FEW_CLASSES = 5
_NO_VARIANCE = "the difference of the scores has no variance"
# Of the influence of the two models, below which theirs is the same but for rounding.
_ROUNDING = 1e-12


def interval_of_difference(
    record: ForecastIndex, first: MovedScore, second: MovedScore, forecasts: Forecasts, confidence: float
) -> Interval:
    """Make the interval of a difference by Student's t.

    Rare classes make its degrees of freedom few, and so do few instances in the wrong order.

    Parameters
    ----------
    record : ForecastIndex
    first, second : MovedScore
        Of both models.
    forecasts : Forecasts
        Of one of them, which has the classes.
    confidence : float
    """
    from scipy.stats import t

    fewest = 3 if forecasts.k < _FEW_CLASSES else 2
    if ((forecasts.sizes > 0) & (forecasts.sizes < fewest)).any():
        reason = f"a class has fewer than {fewest} instances: take a sample with more of it"
        return Interval.undefined(confidence, _METHOD, reason)
    influence = first.moved.influence - second.moved.influence
    largest = max(float(np.abs(own.moved.influence).max()) for own in (first, second))
    if not float(np.abs(influence).max()) > _ROUNDING * largest:
        return Interval.undefined(confidence, _METHOD, _NO_VARIANCE)
    error, freedom = spread(influence, forecasts.codes)
    freedom = max(1.0, min(freedom, _freedom_of_few(record, (first, second), forecasts)))
    half = float(t.ppf((1 + confidence) / 2, freedom)) * error
    difference, excess = first.value - second.value, first.moved.excess - second.moved.excess
    low, high = difference - max(0.0, excess) - half, difference - min(0.0, excess) + half
    least, most = limits_of(record)
    width = most - least
    return Interval(max(-width, low), min(width, high), confidence, _METHOD)


def _freedom_of_few(
    record: ForecastIndex, both: tuple[MovedScore, MovedScore], forecasts: Forecasts
) -> float:
    """Degrees of freedom if each score, next to its limit, hangs on few instances; Satterthwaite's, of both."""
    total = doubt = 0.0
    least, most = limits_of(record)
    for own in both:
        variance = spread(own.moved.influence, forecasts.codes).error ** 2
        if variance > 0:
            seen = min(own.value - least, most - own.value) ** 2 / variance
            total, doubt = total + variance, doubt + variance**2 / max(seen, 1.0)
    return total**2 / doubt
