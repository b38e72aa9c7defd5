"""Scores of groups of instances, which are independent of each other: intervals and tests of their differences."""

from __future__ import annotations

import math

from adjudge.inference.interval_methods import Interval
from adjudge.inference.proportions import normal_quantile, wilson
from adjudge.inference.significance import Difference, TestResult, interval_test

__all__ = ["compare_independent", "compare_shares", "newcombe", "pooled_z"]

_SAME = "the expected scores of both groups are the same"


def newcombe(x1: int, n1: int, x2: int, n2: int, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two independent proportions, from Wilson's intervals of both.

    References
    ----------
    Newcombe (1998), Interval estimation for the difference between independent proportions, method 10.

    Examples
    --------
    >>> from adjudge.inference.groups import newcombe
    >>> low, high = newcombe(56, 70, 48, 80)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    z = normal_quantile(confidence)
    p1, p2 = x1 / n1, x2 / n2
    (low1, high1), (low2, high2) = wilson(p1, n1, z), wilson(p2, n2, z)
    difference = p1 - p2
    return (
        max(-1.0, difference - math.hypot(p1 - low1, high2 - p2)),
        min(1.0, difference + math.hypot(high1 - p1, p2 - low2)),
    )


def pooled_z(x1: int, n1: int, x2: int, n2: int) -> tuple[float, float]:
    """Z and two-sided p-value of the test that two proportions are the same; nan if all or none succeed."""
    from scipy.special import ndtr

    pooled = (x1 + x2) / (n1 + n2)
    variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    if not variance > 0:
        return math.nan, math.nan
    z = (x1 / n1 - x2 / n2) / math.sqrt(variance)
    return z, 2 * float(ndtr(-abs(z)))


def compare_shares(one: tuple[int, int], other: tuple[int, int], confidence: float) -> Difference:
    """Compare the shares of two groups: Newcombe's interval of the difference, and the pooled z test.

    Parameters
    ----------
    one, other : (int, int)
        Successes, and all, of either group.
    confidence : float
    """
    _, p_value = pooled_z(*one, *other)
    reason = "all are right, or none" if math.isnan(p_value) else None
    interval = Interval(*newcombe(*one, *other, confidence), confidence, "newcombe")
    return Difference(interval, TestResult(math.nan, p_value, "pooled z", _SAME, reason))


def compare_independent(
    one: float, of_one: tuple[float, float], other: float, of_other: tuple[float, float], confidence: float
) -> Difference:
    """Compare a score of two groups by its intervals in both, and test by the interval of the difference.

    Parameters
    ----------
    one, other : float
        The score in either group.
    of_one, of_other : (float, float)
        Its intervals.
    confidence : float

    References
    ----------
    Zou & Donner (2008), Construction of confidence limits about effect measures: a general approach ("MOVER"). Of
    Wilson's intervals it gives Newcombe's.

    Examples
    --------
    >>> from adjudge.inference.groups import compare_independent
    >>> found = compare_independent(0.8, (0.6918, 0.8770), 0.6, (0.4905, 0.7004), 0.95)
    >>> round(found.interval.low, 3), round(found.interval.high, 3)
    (0.052, 0.334)
    """
    difference = one - other
    low = difference - math.hypot(one - of_one[0], of_other[1] - other)
    high = difference + math.hypot(of_one[1] - one, other - of_other[0])
    interval = Interval(low, high, confidence, "mover")
    return Difference(interval, interval_test(difference, interval, _SAME))
