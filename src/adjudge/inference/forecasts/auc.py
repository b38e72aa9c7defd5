"""Intervals and tests of the area under the ROC curve, from the placement of each instance (DeLong)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from adjudge.array_types import Floats, Limits
from adjudge.errors import InputError, Option
from adjudge.given.options import check_confidence
from adjudge.inference.common.proportions import limits_of_difference, normal_quantile
from adjudge.inference.common.significance import TestResult, interval_test
from adjudge.inference.forecasts.rank_influence import OrderedScores
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, interval_of
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.forecasts import Forecasts

# Least number of instances of each class, and of those that decide the difference, for DeLong's z to be close enough to
# normal: with five of 205 it rejects 10 % at 5 %.
_ENOUGH = 10
# An area that is inside of 0 and 1, but nearer to them than any end of an interval.
_INSIDE = 1e-12
_ONE = "with one instance of a class the area has no standard error: take a sample with more of them"
_NOTHING = "the truth has no instance of the class, or no other"


@dataclass(frozen=True, eq=False)
class Placements:
    """The placement of each instance among those of the other side: DeLong's structural components.

    Attributes
    ----------
    of_positives : ndarray of float64 of shape (m,)
        For each instance of the class, the share of the others that score lower, with ties counting half.
    of_negatives : ndarray of float64 of shape (n,)
        For each of the others, the share of the instances of the class that score higher.
    counts : (ndarray of float64 of shape (m,), ndarray of float64 of shape (n,)), optional
        How many instances have each of these; default: one each.
    """

    of_positives: Floats
    of_negatives: Floats
    counts: tuple[Floats, Floats] | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """Number of instances of the class, and of the others."""
        if self.counts is not None:
            return round(self.counts[0].sum()), round(self.counts[1].sum())
        return self.of_positives.size, self.of_negatives.size

    @property
    def area(self) -> float:
        """Area under the ROC curve."""
        if not all(self.sizes):
            return math.nan
        return float(np.average(self.of_positives, weights=None if self.counts is None else self.counts[0]))

    @property
    def variance(self) -> float:
        """Variance of the area; nan with fewer than two instances on a side."""
        return variance_of(self.influence) if min(self.sizes) > 1 else math.nan

    @property
    def influence(self) -> Influence:
        """The influence of each instance on the area, those of the class first; its variance is that of the area."""
        n = sum(self.sizes)
        psi = [
            (side - self.area) * math.sqrt(n * (n - 1) / (size * (size - 1)))
            for side, size in zip((self.of_positives, self.of_negatives), self.sizes, strict=True)
        ]
        counts = None if self.counts is None else np.concatenate(self.counts)
        return Influence.centred(self.area, np.concatenate(psi), counts, size=1.0)


def placements(forecasts: Forecasts, code: int | None = None) -> Placements:
    """Compute the placements of one class against all others, in O(n log n).

    Parameters
    ----------
    forecasts : Forecasts
    code : int, optional
        Column of the class; default: the positive one.
    """
    code = forecasts.positive if code is None else code
    if code is None:
        raise InputError("no class is the positive one: name it with ", Option("positive"))
    if forecasts.weights is not None:
        raise InputError("DeLong's variance needs the number of instances, which weights do not say")
    inside = forecasts.codes == code
    column, n, m = OrderedScores.of(forecasts.column(code)), inside.size, int(inside.sum())
    over_others, under_class = column.beaten(~inside)[inside], column.beaten(inside)[~inside]
    # Without the other side, placements are undefined.
    return Placements(
        over_others / (n - m) if m < n else np.full(m, math.nan),
        1 - under_class / m if m else np.full(n, math.nan),
    )


def auc_interval(placed: Placements, *, confidence: float = 0.95) -> Interval:
    """Return the confidence interval of an area under the ROC curve.

    Each end is the farther one of two intervals: that of DeLong's placements by the rule of all intervals, which knows
    how these scores vary but not what was not seen, and Newcombe's fifth, which supposes exponential scores.

    Parameters
    ----------
    placed : Placements
    confidence : float

    Returns
    -------
    Interval
        Newcombe's alone for an area that no instance changes, such as 0 or 1.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Hanley & McNeil (1982), The meaning and use of the area under a receiver
    operating characteristic curve; Newcombe (2006), Statistics in Medicine 25, 559-573.
    """
    check_confidence(confidence)
    area, variance = placed.area, placed.variance
    if math.isnan(area):
        return Interval.undefined(confidence, METHOD, _NOTHING)
    if math.isnan(variance):
        return Interval.undefined(confidence, METHOD, _ONE)
    return interval_of_area(placed.influence, placed.sizes, confidence)


def interval_of_area(
    influence: Influence, sizes: tuple[float, float], confidence: float, drawn: Drawn | None = None
) -> Interval:
    """Return the interval of an area under the ROC curve, as :func:`auc_interval` does.

    Parameters
    ----------
    influence : Influence
    sizes : (float, float)
        Number of instances of the class, and of others; with sampling weights, their effective number.
    confidence : float
    drawn : Drawn, optional
        How the instances were sampled; default: independently.
    """
    own = interval_of(influence, (0.0, 1.0), confidence, drawn)
    if math.isnan(own.low):
        return own
    low, high = _newcombe(influence.value, *sizes, confidence)
    if not influence.psi.any():
        reason = "no instance changes the area: the interval supposes exponential scores"
        return Interval(low, high, confidence, "newcombe", reason, one_sided=influence.value in (0, 1))
    return replace(own, low=min(low, own.low), high=max(high, own.high))


def _newcombe(area: float, m: float, n: float, confidence: float) -> Limits:
    """Return the areas from which the observed one is as far as the confidence allows, if scores are exponential."""
    from scipy.optimize import brentq

    quantile, pairs = normal_quantile(confidence), max((m + n) / 2 - 1, 0.0)

    def too_far(other: float) -> float:
        spread = 1 + pairs * ((1 - other) / (2 - other) + other / (1 + other))
        return (other - area) ** 2 - quantile**2 * other * (1 - other) * spread / (m * n)

    # An area of 0 or 1 is itself a root.
    inner = min(max(area, _INSIDE), 1 - _INSIDE)
    low = 0.0 if area <= 0 else float(brentq(too_far, 0.0, inner, xtol=1e-15))
    high = 1.0 if area >= 1 else float(brentq(too_far, inner, 1.0, xtol=1e-15))
    return low, high


@dataclass(frozen=True)
class AreaDifference:
    """The difference of two areas under the ROC curve over the same instances.

    Attributes
    ----------
    first, second : float
        The areas.
    interval : Interval
        Interval of first minus second.
    test : TestResult
        DeLong's z and its two-sided p-value; nan if the difference has no variance. If few instances decide the
        difference, both are derived from the interval.
    """

    first: float
    second: float
    interval: Interval
    test: TestResult

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second


def compare_areas(
    first: Placements, second: Placements, *, confidence: float = 0.95, apart: Influence | None = None
) -> AreaDifference:
    """Compare two areas over the same instances (DeLong's paired test).

    The interval is that of DeLong's z, so that both agree. If fewer than ten instances are of a class, or decide the
    difference, z is not normal: for areas .98 and .86 its interval covers in .63 of the samples with two positives. The
    interval then combines the limits of both areas (:func:`auc_interval`) with their correlation, and the p-value is
    derived from it; they have less power.

    Parameters
    ----------
    first, second : Placements
        Placements by two models, with instances in the same order.
    confidence : float
    apart : Influence, optional
        The influence of instances on the difference, if the placements are not in the same order.

    Returns
    -------
    AreaDifference
        Without an interval and a p-value if the difference has no variance, for instance if both models are perfect or
        give the same order.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves. Zou & Donner (2008), Statistics in Medicine 27, 1693-1702 (MOVER).
    """
    from scipy.special import ndtr

    check_confidence(confidence)
    sizes = first.sizes
    if sizes != second.sizes:
        raise InputError(
            "the two areas come from different instances: a paired test needs the same instances"
        )
    difference = first.area - second.area
    variance = math.nan
    if min(sizes) > 1:
        apart = first.influence - second.influence if apart is None else apart
        variance = variance_of(apart)
    hypothesis = "the areas under both ROC curves are the same"
    # The variance for equal placements is 0 up to rounding.
    least = 1e-15 * (first.variance + second.variance)
    if not variance > least:
        reason = _ONE if math.isnan(variance) else "the difference of the areas has no variance"
        reason = _NOTHING if math.isnan(difference) else reason
        none = Interval.undefined(confidence, "delong", reason)
        return AreaDifference(
            first.area, second.area, none, TestResult(math.nan, math.nan, "delong", hypothesis, reason)
        )
    assert apart is not None
    if min(*sizes, apart.events) < _ENOUGH:
        interval = _put_together(first, second, variance, confidence)
        test = interval_test(difference, interval, hypothesis)
    else:
        statistic = difference / math.sqrt(variance)
        reach = normal_quantile(confidence) * math.sqrt(variance)
        ends = max(difference - reach, -1.0), min(difference + reach, 1.0)
        interval = Interval(*ends, confidence, "delong")
        test = TestResult(statistic, 2 * float(ndtr(-abs(statistic))), "delong", hypothesis)
    return AreaDifference(first.area, second.area, interval, test)


def _put_together(first: Placements, second: Placements, variance: float, confidence: float) -> Interval:
    """Return the interval of a difference, which has this variance, from those of both areas."""
    limits = [_limits(placed, confidence) for placed in (first, second)]
    product = math.sqrt(first.variance * second.variance)
    # With two instances, areas seem perfectly correlated, in one direction or the other.
    covariance = (first.variance + second.variance - variance) / 2
    correlation = (1 - 1 / min(first.sizes)) * covariance / product if product > 0 else 0.0
    ends = limits_of_difference(first.area, limits[0], second.area, limits[1], correlation)
    return Interval(*ends, confidence, "mover")


def _limits(placed: Placements, confidence: float) -> Limits:
    """Return the limits of one of two compared areas."""
    if placed.variance == 0 and 0 < placed.area < 1:
        # The model gives all instances the same score, so it would do so for any others.
        return placed.area, placed.area
    low, high = auc_interval(placed, confidence=confidence)
    return low, high
