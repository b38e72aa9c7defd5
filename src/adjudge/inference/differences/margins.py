"""Whether a change is within a margin, how certain that is, and how many units would decide it.

A change is within a margin at a confidence of 1 - alpha if the limit of an interval of confidence 1 - 2 alpha is.
P-values are derived from the side of the interval that faces the margin, so they and the interval cannot contradict
each other.

References
----------
Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680 (two one-sided tests).
Altman & Bland (2011), How to obtain the P value from a confidence interval, BMJ 343, d2304.
Julious (2004), Sample sizes for clinical trials with normal data, Statistics in Medicine 23, 1921-1986.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from adjudge.inference.common.proportions import normal_quantile

# Largest multiple of the rows of now that is named as enough.
_MOST_TIMES = 1e6


def two_sided(confidence: float) -> float:
    """Return the confidence of a two-sided interval, each limit of which holds with a given confidence."""
    return 2 * confidence - 1


@dataclass(frozen=True)
class Change:
    """How much better a new model is than the old one, and how certain that is.

    Attributes
    ----------
    value : float
        Above 0 if the new model is better.
    low, high : float
        Limits of the two-sided interval; either alone holds with the greater `confidence`.
    confidence : float
        Confidence of one limit.
    freedom : float or None
        Degrees of freedom of Student's t; None for the normal distribution.
    """

    value: float
    low: float
    high: float
    confidence: float
    freedom: float | None = None

    @property
    def quantile(self) -> float:
        """Number of standard errors from the middle of the interval to its limits."""
        return _quantile(self.confidence, self.freedom)

    @property
    def error(self) -> float:
        """Standard error: half the width of the interval, divided by the quantile."""
        return (self.high - self.low) / (2 * self.quantile)

    def p_above(self, bound: float) -> float:
        """Return the p-value of the claim that the change is above a bound; nan if the interval has no width.

        Examples
        --------
        >>> from adjudge.inference.differences.margins import Change
        >>> round(Change(0.0, -0.01, 0.01, 0.95).p_above(-0.01), 4)
        0.05
        """
        middle = self._middle
        side = middle - self.low if bound < middle else self.high - middle
        if not side > 0:
            return math.nan
        return _tail((middle - bound) / side * self.quantile, self.freedom)

    def p_below(self, bound: float) -> float:
        """Return the p-value of the claim that the change is below a bound; nan if the interval has no width."""
        return Change(-self.value, -self.high, -self.low, self.confidence, self.freedom).p_above(-bound)

    @property
    def _middle(self) -> float:
        return min(max(self.value, self.low), self.high)


def _quantile(confidence: float, freedom: float | None) -> float:
    from scipy.special import stdtrit

    if freedom is None:
        return normal_quantile(two_sided(confidence))
    return float(stdtrit(freedom, confidence))


def _tail(t: float, freedom: float | None) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(-t) if freedom is None else stdtr(freedom, -t))


def power_of_margin(
    error: float, freedom: float | None, away: float, confidence: float = 0.95, *, both: bool = False
) -> float:
    """Return the probability that a change is shown to be within a margin.

    Parameters
    ----------
    error : float
        Standard error of the change.
    freedom : float or None
        Degrees of freedom of that error; None for a normal distribution.
    away : float
        Distance of the true change from the margin; with two margins, from each of them.
    confidence : float
        One-sided confidence.
    both : bool
        Whether the change must be within margins on both sides.

    Examples
    --------
    >>> from adjudge.inference.differences.margins import power_of_margin
    >>> round(power_of_margin(0.01, None, 0.0249), 2)
    0.8
    """
    from scipy.special import nctdtr

    if not error > 0:
        return 1.0 if away > 0 else 0.0
    quantile = _quantile(confidence, freedom)
    beyond = _tail(quantile - away / error, None)
    if freedom is not None:
        beyond = 1 - float(nctdtr(freedom, away / error, quantile))
    return max(0.0, 2 * beyond - 1) if both else beyond


def units_for_margin(
    error: float,
    units: float,
    away: float,
    confidence: float = 0.95,
    power: float = 0.8,
    *,
    both: bool = False,
) -> int | None:
    """Return how many units would show a change to be within a margin; None if no number would.

    Parameters
    ----------
    error : float
        Standard error of the change with `units` units.
    units : float
    away : float
        Assumed distance of the true change from the margin.
    confidence : float
        One-sided confidence.
    power : float
        Probability of showing that it is.
    both : bool
        Whether the change must be within margins on both sides.

    Examples
    --------
    >>> from adjudge.inference.differences.margins import units_for_margin
    >>> units_for_margin(0.05, 40, 0.01)
    6185
    """
    if not away > 0 or not math.isfinite(error):
        return None
    reached = (1 + power) / 2 if both else power
    found = 2.0
    # Student's quantiles depend on the number sought: a few iterations settle it.
    for _ in range(20):
        freedom = max(found - 1, 1.0)
        needed = units * (error * (_quantile(confidence, freedom) + _quantile(reached, freedom)) / away) ** 2
        if abs(needed - found) < 0.5:
            break
        found = max(needed, 2.0)
    return math.ceil(found)


def rows_that_show(shows: Callable[[float], bool], n: float) -> int | None:
    """Return how many rows would show a claim; None if even very many times as many as now would not.

    Parameters
    ----------
    shows : callable
        Whether a multiple of the rows of now would show it.
    n : float
        Number of rows so far.
    """
    times = 1.0
    while not shows(times):
        times *= 1.05
        if times > _MOST_TIMES:
            return None
    return math.ceil(n * times)
