"""Differences between scores of independent groups of instances: intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from adjudge.array_types import Bools, Ints, Limits
from adjudge.inference.common.proportions import limits_of_difference, normal_quantile, wilson
from adjudge.inference.common.significance import Difference, TestResult, agreeing, interval_test, note_of_few
from adjudge.inference.interval import Interval

_SAME = "the expected scores of both groups are the same"


def newcombe(x1: int, n1: int, x2: int, n2: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the difference of two independent proportions, from Wilson's interval of each.

    References
    ----------
    Newcombe (1998), Interval estimation for the difference between independent proportions, method 10.

    Examples
    --------
    >>> from adjudge.inference.differences.groups import newcombe
    >>> low, high = newcombe(56, 70, 48, 80)
    >>> round(low, 4), round(high, 4)
    (0.0524, 0.3339)
    """
    z = normal_quantile(confidence)
    p1, p2 = x1 / n1, x2 / n2
    low, high = limits_of_difference(p1, wilson(p1, n1, z), p2, wilson(p2, n2, z))
    return max(-1.0, low), min(1.0, high)


def pooled_z(x1: int, n1: int, x2: int, n2: int) -> tuple[float, float]:
    """Return z and the two-sided p-value of the test that two proportions are equal; nan if all or none succeed.

    The p-value assumes a normal z. It is too small if the smaller group expects few failures or few successes: with 5
    and 50 instances, of which 97 % succeed, it is below 0.05 in 8 % of the samples. :func:`summed_p_value` is not.
    """
    from scipy.special import ndtr

    pooled = (x1 + x2) / (n1 + n2)
    variance = pooled * (1 - pooled) * (1 / n1 + 1 / n2)
    if not variance > 0:
        return math.nan, math.nan
    z = (x1 / n1 - x2 / n2) / math.sqrt(variance)
    return z, 2 * float(ndtr(-abs(z)))


def summed_p_value(x1: int, n1: int, x2: int, n2: int) -> float:
    """Return the probability of a pooled z this large if both groups succeed at the pooled rate; nan if all or none do.

    References
    ----------
    Storer & Kim (1990), Exact properties of some exact test statistics for comparing two binomial proportions, JASA 85.

    Examples
    --------
    >>> from adjudge.inference.differences.groups import pooled_z, summed_p_value
    >>> round(pooled_z(3, 5, 47, 50)[1], 3), round(summed_p_value(3, 5, 47, 50), 3)
    (0.012, 0.029)
    """
    z, _ = pooled_z(x1, n1, x2, n2)
    if math.isnan(z):
        return z
    fewer, more = sorted((n1, n2))
    return _probability_of(abs(z), fewer, more, (x1 + x2) / (n1 + n2))


def _probability_of(z: float, n: int, m: int, share: float) -> float:
    """Return the probability of |z| or more if n and m instances succeed with the same probability."""
    from scipy.stats import binom

    first = np.arange(*_counts_of_note(n, share))
    # The farther the second count is from the first share, the larger z is.
    fewest = np.floor(first * (m / n)).astype(np.int64)
    below = _first_reached(lambda second: _as_large(first, second, n, m, z), fewest, -1)
    above = _first_reached(lambda second: _as_large(first, second, n, m, z), fewest + 1, m + 1)
    found = binom.cdf(below, m, share) + binom.sf(above - 1, m, share)
    return min(1.0, float(binom.pmf(first, n, share) @ found))


def _counts_of_note(n: int, share: float) -> tuple[int, int]:
    """Return a range that a count hardly ever leaves."""
    middle, reach = n * share, 10 * math.sqrt(n * share * (1 - share)) + 50
    return max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1


def _as_large(first: Ints, second: Ints, n: int, m: int, z: float) -> Bools:
    """Whether counts give a z as large as the observed one, up to rounding."""
    pooled = (first + second) / (n + m)
    variance = pooled * (1 - pooled) * (1 / n + 1 / m)
    return np.asarray((first / n - second / m) ** 2 >= (1 - 1e-9) * z * z * variance) & (variance > 0)


def _first_reached(reached: Callable[[Ints], Bools], near: Ints, end: int) -> Ints:
    """Return the first count from `near` towards `end` for which `reached` holds; `end` if there is none.

    If `reached` holds for a count, it holds for all beyond it.
    """
    sign = -1 if end < 0 else 1
    low, high = np.zeros_like(near), np.maximum(sign * (end - near), 0)
    while (low < high).any():
        middle = (low + high) // 2
        there = reached(near + sign * middle) & (low < high)
        high, low = np.where(there, middle, high), np.where(there | (low >= high), low, middle + 1)
    return np.asarray(near + sign * high)


def compare_shares(one: tuple[int, int], other: tuple[int, int], confidence: float) -> Difference:
    """Compare the shares of two groups: Newcombe's interval of the difference, and the pooled z test.

    If z is far from normal, a reason gives the p-value without that assumption.

    Parameters
    ----------
    one, other : (int, int)
        Number of successes, and size, of each group.
    confidence : float
    """
    _, p_value = pooled_z(*one, *other)
    if math.isnan(p_value):
        reason: str | None = "all are right, or none"
    else:
        reason = note_of_few(p_value, lambda: summed_p_value(*one, *other), "if all counts are summed")
    interval = Interval(*newcombe(*one, *other, confidence), confidence, "newcombe")
    test = TestResult(math.nan, p_value, "pooled z", _SAME, reason)
    return agreeing(one[0] / one[1] - other[0] / other[1], interval, test)


def compare_independent(
    one: float, of_one: tuple[float, float], other: float, of_other: tuple[float, float], confidence: float
) -> Difference:
    """Compare a score in two groups by its intervals in both (MOVER), and test by the interval of the difference.

    The test holds its level if both intervals do.

    Parameters
    ----------
    one, other : float
        The score in each group.
    of_one, of_other : (float, float)
        Its interval in each group.
    confidence : float

    Examples
    --------
    >>> from adjudge.inference.differences.groups import compare_independent
    >>> found = compare_independent(0.8, (0.6918, 0.8770), 0.6, (0.4905, 0.7004), 0.95)
    >>> round(found.interval.low, 3), round(found.interval.high, 3)
    (0.052, 0.334)
    """
    interval = Interval(*limits_of_difference(one, of_one, other, of_other), confidence, "mover")
    return Difference(interval, interval_test(one - other, interval, _SAME))


def limits_of_largest(limits: Iterable[Limits]) -> Limits:
    """Return limits of the largest absolute difference from simultaneous limits of all differences.

    If all differences are within theirs, so is the largest: at least as often as they are together.

    Parameters
    ----------
    limits : iterable of (float, float)
        Of each difference, at levels such that all hold together: with m differences, 1 - (1 - confidence) / m.

    Examples
    --------
    >>> from adjudge.inference.differences.groups import limits_of_largest
    >>> limits_of_largest([(0.1, 0.4), (-0.3, 0.2), (-0.6, -0.2)])
    (0.2, 0.6)
    """
    known = list(limits)
    return (
        max(0.0, *(max(low, -high) for low, high in known)),
        max(max(high, -low) for low, high in known),
    )
