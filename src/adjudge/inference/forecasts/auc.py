"""Intervals and tests of the area under the ROC curve, from the placement of each instance (DeLong)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.errors import InputError, Option
from adjudge.given.options import check_confidence
from adjudge.inference.arrays import Floats
from adjudge.inference.common.proportions import limits_of_difference, normal_quantile, wilson
from adjudge.inference.common.significance import TestResult, agreeing, interval_test, note_of_few
from adjudge.inference.forecasts.rank_influence import OrderedScores
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import FEWEST_OF_CLASS
from adjudge.statistics.forecasts import Forecasts

__all__ = ["AreaDifference", "Placements", "auc_interval", "compare_areas", "placements"]


# Weight, in instances, of the error of exponential scores beside DeLong's. The best of 1, 2, 4 and 8 on seven kinds of
# scores; on seven others its intervals hold their level, too.
_WORTH = 2.0
# With these, DeLong's z is close enough to normal; with two to four instances of a class it rejects 9 to 23 % at 5 %.
_FEW = f"DeLong's test needs {FEWEST_OF_CLASS} instances of each class"
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
    """

    of_positives: Floats
    of_negatives: Floats

    @property
    def area(self) -> float:
        """Area under the ROC curve."""
        return (
            float(self.of_positives.mean()) if self.of_positives.size and self.of_negatives.size else math.nan
        )

    def covariance(self, other: Placements) -> float:
        """Return the covariance of two areas over the same instances; nan with fewer than two on a side."""
        found = 0.0
        for one, another in (
            (self.of_positives, other.of_positives),
            (self.of_negatives, other.of_negatives),
        ):
            if one.size < 2:
                return math.nan
            found += float((one - one.mean()) @ (another - another.mean())) / (one.size - 1) / one.size
        return found

    @property
    def variance(self) -> float:
        """Variance of the area."""
        return self.covariance(self)

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom of the variance, which is a sum of two (Satterthwaite)."""
        return _degrees_of_freedom((self.of_positives, self.of_negatives))


def _degrees_of_freedom(parts: Sequence[Floats]) -> float:
    """Return the degrees of freedom of a sum of variances of means (Satterthwaite)."""
    sides = [float(part.var(ddof=1)) / part.size for part in parts]
    return sum(sides) ** 2 / sum(side**2 / (part.size - 1) for side, part in zip(sides, parts, strict=True))


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

    It holds the areas that are not too far from the observed one, if their variance is that of exponential scores
    (Hanley and McNeil) times a factor: the observed ratio, shrunk towards 1 if few instances make the error.

    Parameters
    ----------
    placed : Placements
    confidence : float

    Returns
    -------
    Interval
        For an area of 0 or 1, whose standard error is 0: Wilson's interval of a proportion of as many instances as the
        smaller side has.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988); Hanley & McNeil (1982), The meaning and use of the area under a receiver
    operating characteristic curve; Newcombe (2006), Statistics in Medicine 25, 559-573, whose fifth method has their
    variance at each area. Qin & Hotilovac (2008) compare intervals on several scales.
    """
    check_confidence(confidence)
    area, variance = placed.area, placed.variance
    if math.isnan(area):
        return Interval.undefined(confidence, "score", _NOTHING)
    if math.isnan(variance):
        return Interval.undefined(confidence, "score", _ONE)
    if variance == 0 or not 0 < area < 1:
        n = min(placed.of_positives.size, placed.of_negatives.size)
        reason = (
            f"no instance changes the area: the interval is that of a proportion among {n:,} instances, "
            "the size of the smaller class"
        )
        return Interval(*wilson(area, n, normal_quantile(confidence)), confidence, "score", reason)
    return Interval(*_score_ends(placed, confidence), confidence, "score")


def _score_ends(placed: Placements, confidence: float) -> tuple[float, float]:
    """Solve for the areas that are as far from the observed one as the confidence allows."""
    from scipy.optimize import brentq
    from scipy.stats import t

    area, variance = placed.area, placed.variance
    expected = _variance_of_exponential(area, placed)
    # The error of an area close to 1 comes from the few instances in the wrong order, however many there are in all.
    freedom = placed.degrees_of_freedom
    known = min(freedom, min(area, 1 - area) ** 2 / variance)
    factor = (known * variance / expected + _WORTH) / (known + _WORTH)
    quantile = float(t.ppf((1 + confidence) / 2, freedom + _WORTH))

    def too_far(other: float) -> float:
        return (other - area) ** 2 - quantile**2 * factor * _variance_of_exponential(other, placed)

    ends = ((0.0, area), (area, 1.0))
    low, high = (float(brentq(too_far, *between, xtol=1e-15)) for between in ends)
    return low, high


def _variance_of_exponential(area: float, placed: Placements) -> float:
    """Return the variance of an area of exponential scores, averaged over swapping the sides for symmetry."""
    m, n = placed.of_positives.size, placed.of_negatives.size
    pairs = (m + n) / 2 - 1
    return area * (1 - area) * (1 + pairs * ((1 - area) / (2 - area) + area / (1 + area))) / (m * n)


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
        DeLong's test: z and its two-sided p-value; nan if the difference has no variance. With fewer than about ten
        instances of a class it rejects too often, up to 10 % at 5 %: a reason then gives the p-value by Student's t.
        With fewer than five, the p-value is derived from the interval.
    """

    first: float
    second: float
    interval: Interval
    test: TestResult

    @property
    def difference(self) -> float:
        """First minus second."""
        return self.first - self.second


def compare_areas(first: Placements, second: Placements, *, confidence: float = 0.95) -> AreaDifference:
    """Compare two areas over the same instances (DeLong's paired test).

    The interval combines the limits of both areas (:func:`auc_interval`) with their correlation, which is reduced if a
    class has few instances. DeLong's normal interval is too short if one of the areas is near 1 or a class has few
    instances: for areas 0.98 and 0.86, it covers in 0.63 of the samples with two positives, in 0.80 with five, in 0.87
    with ten. A limit moves across 0 where the interval would disagree with DeLong's test, which has more power.

    Parameters
    ----------
    first, second : Placements
        Placements by two models, with instances in the same order.
    confidence : float

    Returns
    -------
    AreaDifference
        Without an interval and a p-value if the difference has no variance, for instance if both models are perfect or
        give the same order.

    References
    ----------
    DeLong, DeLong & Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver operating
    characteristic curves. Newcombe's interval of paired shares is of the same kind.
    """
    from scipy.special import ndtr

    check_confidence(confidence)
    sizes = first.of_positives.size, first.of_negatives.size
    if sizes != (second.of_positives.size, second.of_negatives.size):
        raise InputError(
            "the two areas come from different instances: a paired test needs the same instances"
        )
    difference = first.area - second.area
    variance = first.variance + second.variance - 2 * first.covariance(second)
    hypothesis = "the areas under both ROC curves are the same"
    # The variance for equal placements is 0 up to rounding.
    least = 1e-15 * (first.variance + second.variance)
    if not variance > least:
        reason = _ONE if math.isnan(variance) else "the difference of the areas has no variance"
        reason = _NOTHING if math.isnan(difference) else reason
        none = Interval.undefined(confidence, "mover", reason)
        return AreaDifference(
            first.area, second.area, none, TestResult(math.nan, math.nan, "delong", hypothesis, reason)
        )
    interval = _put_together(first, second, confidence)
    if min(sizes) < FEWEST_OF_CLASS:
        test = replace(interval_test(difference, interval, hypothesis), reason=_FEW)
        return AreaDifference(first.area, second.area, interval, test)
    statistic = difference / math.sqrt(variance)
    p_value = 2 * float(ndtr(-abs(statistic)))
    note = note_of_few(p_value, lambda: _by_student(statistic, first, second), "by Student's t")
    test = TestResult(statistic, p_value, "delong", hypothesis, note)
    return AreaDifference(first.area, second.area, agreeing(difference, interval, test).interval, test)


def _put_together(first: Placements, second: Placements, confidence: float) -> Interval:
    """Return the interval of a difference from those of both areas."""
    limits = [_limits(placed, confidence) for placed in (first, second)]
    fewest = min(first.of_positives.size, first.of_negatives.size)
    product = math.sqrt(first.variance * second.variance)
    # With two instances, areas seem perfectly correlated, in one direction or the other.
    correlation = (1 - 1 / fewest) * first.covariance(second) / product if product > 0 else 0.0
    ends = limits_of_difference(first.area, limits[0], second.area, limits[1], correlation)
    return Interval(*ends, confidence, "mover")


def _limits(placed: Placements, confidence: float) -> tuple[float, float]:
    """Return the limits of one of two compared areas."""
    if placed.variance == 0 and 0 < placed.area < 1:
        # The model gives all instances the same score, so it would do so for any others.
        return placed.area, placed.area
    own = auc_interval(placed, confidence=confidence)
    return own.low, own.high


def _by_student(statistic: float, first: Placements, second: Placements) -> float:
    """Return the p-value of DeLong's z by Student's t, with few degrees of freedom for a rare class."""
    from scipy.stats import t

    pairs = (first.of_positives, second.of_positives), (first.of_negatives, second.of_negatives)
    return 2 * float(t.sf(abs(statistic), _degrees_of_freedom([one - other for one, other in pairs])))
