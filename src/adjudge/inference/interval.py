"""From a value and its variance to an interval and a p-value: one rule for each kind of range.

A value with a finite range has Wilson's interval, for the number of instances at which a share would vary as much. If
rows were sampled in units or with weights, it has Clopper and Pearson's limits for that number, reduced for the degrees
of freedom (Korn & Graubard). A value bounded only by 0 varies like a count, in proportion to itself. An unbounded
value, and a difference of two values, has Student's t.

References
----------
Korn & Graubard (1998), Survey Methodology 24, 193-201.
Dean & Pagano (2015), Journal of Survey Statistics and Methodology 3, 484-503.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from adjudge.inference.arrays import Limits
from adjudge.inference.common.proportions import clopper_pearson_of, normal_quantile, wilson
from adjudge.inference.influence import Influence, within
from adjudge.inference.refusals import (
    FEWEST_EVENTS,
    FEWEST_UNITS,
    NO_ESTIMATE,
    NO_VARIANCE,
    WITHOUT_ONE,
    reason_of,
    round_up,
)
from adjudge.inference.sampling_design import Drawn, Error, decided_by_few, error_of
from adjudge.presentation.numbers import count
from adjudge.saved.savable import Savable

__all__ = [
    "Asked",
    "Interval",
    "error_of_difference",
    "interval_of",
    "interval_of_difference",
    "p_value_at",
    "p_value_of",
    "why_few_units",
]


# An interval names its estimate if that is more than this many standard errors away from the index.
_TO_NAME = 0.25


@dataclass(frozen=True)
class Interval(Savable):
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Limits of the interval; nan if there is none.
    confidence : float
    method : str
    reason : str or None
        Why the interval is one-sided, undefined, or from another method.
    estimate : float or None
        Estimate for the population at the centre of the interval, if it differs from the index itself: in small
        samples, some indices are too large on average.
    one_sided : bool
        Whether the estimate is the best or worst possible value, so that one end is just that value; the other end is
        then a bound that holds with a confidence of (1 + confidence) / 2.
    """

    low: float
    high: float
    confidence: float
    method: str
    reason: str | None = None
    estimate: float | None = None
    one_sided: bool = False

    @classmethod
    def undefined(cls, confidence: float, method: str, reason: str | None) -> Interval:
        """Create an interval without limits that says why there are none."""
        return cls(math.nan, math.nan, confidence, method, reason)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def student_quantile(confidence: float, freedom: float) -> float:
    """Return the number of standard errors on each side of an estimate, by Student's t."""
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, (1 - confidence) / 2))


def why_few_units(drawn: Drawn | None) -> str | None:
    """Say that units are too few to estimate their variance; None if there are enough, or no units."""
    if drawn is None or drawn.effective >= FEWEST_UNITS:
        return None
    return reason_of(
        "few units", rows=count(drawn.n, "row"), units=count(drawn.n_units, "unit"), effective=drawn.effective
    )


def _why_not(influence: Influence, error: Error, drawn: Drawn | None, fewest: float) -> str | None:
    if not math.isfinite(influence.value):
        return NO_ESTIMATE
    if not influence.known:
        return WITHOUT_ONE
    if (reason := why_few_units(drawn)) is not None:
        return reason
    if math.isnan(error.variance):
        return reason_of("one instance")
    # Sampling weights do not add up to a number of instances.
    events = influence.events
    if drawn is not None and influence.counts is not None:
        events /= drawn.of_one
    if error.variance > 0 and 0 < events < fewest:
        enough = round_up((influence.n if drawn is None else drawn.n) * fewest / events)
        return reason_of("few events", fewest=FEWEST_EVENTS, enough=enough)
    return None


def interval_of(
    influence: Influence,
    limits: Limits,
    confidence: float,
    drawn: Drawn | None = None,
    *,
    observed: float | None = None,
    fewest_events: float = FEWEST_EVENTS,
    error: Error | None = None,
) -> Interval:
    """Return the interval of a value, given its influence values.

    Parameters
    ----------
    influence : Influence
    limits : (float, float)
        Smallest and largest possible value.
    confidence : float
    drawn : Drawn, optional
        How rows were sampled; default: independently.
    observed : float, optional
        The value in the sample, if `influence` is that of an estimate for the population.
    fewest_events : float
        Least number of instances that must decide the value (:attr:`Influence.events`).
    error : Error, optional
        Sampling error of the value, if known better (:func:`adjudge.inference.sampling_design.error_by_class`).

    Examples
    --------
    For a share, it is Wilson's interval:

    >>> import numpy as np
    >>> from adjudge.inference.influence import Influence
    >>> from adjudge.inference.interval import interval_of
    >>> found = interval_of(Influence.centred(0.9, np.array([1, 0]), np.array([90, 10])), (0, 1), 0.95)
    >>> round(found.low, 3), round(found.high, 3)
    (0.825, 0.945)
    """
    quantile = student_quantile(confidence, error.freedom) if error else normal_quantile(confidence)
    error = error or error_of(influence, drawn)
    bounded = math.isfinite(limits[0]) and math.isfinite(limits[1])
    method = (
        ("score" if drawn is None else "korn-graubard") if bounded else "score" if limits[0] == 0 else "t"
    )
    if (reason := _why_not(influence, error, drawn, fewest_events)) is not None:
        return Interval.undefined(confidence, method, reason)
    value = within(influence.value, limits)
    reason, one_sided = None, bounded and value in limits
    if one_sided or not error.variance > 0:
        if not bounded and not influence.event > 0:
            return Interval.undefined(confidence, method, reason_of("nothing changes"))
        ends = "one-sided, and the other end supposes" if one_sided else "the ends suppose"
        reason = f"no instance changes the estimate: {ends} that the next one would"
    low, high = _ends(value, error, limits, confidence, influence.event, quantile if drawn is None else None)
    observed = influence.value if observed is None else observed
    estimate = None
    if error.variance > 0 and abs(value - observed) > _TO_NAME * math.sqrt(error.variance):
        estimate, size = value, "small" if value > observed else "large"
        reason = f"around the estimate for the population: with so few instances the value is too {size} on average"
    else:
        # Rounding must not exclude the observed value from its own interval.
        low, high = min(low, observed), max(high, observed)
    return Interval(low, high, confidence, method, reason, estimate, one_sided)


def _ends(
    value: float, error: Error, limits: Limits, confidence: float, event: float, wilsons: float | None
) -> tuple[float, float]:
    """Return both limits.

    Parameters
    ----------
    event : float
        Change by one more instance, for use if there is no variance.
    wilsons : float or None
        Number of standard errors on each side of Wilson's interval; None for Korn and Graubard's.
    """
    low, high = limits
    variance, freedom, worth = error
    if not (math.isfinite(low) and math.isfinite(high)):
        quantile = student_quantile(confidence, freedom)
        if low != 0:
            half = quantile * math.sqrt(variance)
            return max(low, value - half), min(high, value + half)
        # The score interval of a count: (end - value)^2 = quantile^2 of_one end.
        of_one = variance / value if variance > 0 and value > 0 else event
        middle = value + quantile**2 * of_one / 2
        half = math.sqrt(max(0.0, middle**2 - value**2))
        return max(0.0, middle - half), middle + half
    width = high - low
    if width == 0:
        return low, high
    share = (value - low) / width
    rest = share * (1 - share)
    if rest > 0 and variance > 0:
        worth = rest * width**2 / variance
    elif event > 0:
        worth = min(worth, width / event)
    worth = max(worth, 1.0)
    if wilsons is not None:
        ends = wilson(share, worth, wilsons)
    else:
        cut = (normal_quantile(confidence) / student_quantile(confidence, freedom)) ** 2
        ends = clopper_pearson_of(share, max(worth * cut, 1.0), confidence)
    return low + width * ends[0], low + width * ends[1]


def interval_of_difference(
    influence: Influence,
    limits: Limits,
    confidence: float,
    drawn: Drawn | None = None,
    error: Error | None = None,
) -> Interval:
    """Return the interval of a difference, by Student's t.

    Parameters
    ----------
    influence : Influence
        Influence on the first value minus the second.
    limits : (float, float)
        Smallest and largest possible value of each of the two.
    confidence : float
    drawn : Drawn, optional
    error : Error, optional
        Its :func:`error_of_difference`, if known.
    """
    error = error or error_of_difference(influence, drawn)
    if (reason := _why_not(influence, error, drawn, 0.0)) is not None:
        return Interval.undefined(confidence, "t", reason)
    if not error.variance > 0:
        return Interval.undefined(confidence, "t", NO_VARIANCE)
    half = student_quantile(confidence, error.freedom) * math.sqrt(error.variance)
    width = limits[1] - limits[0]
    return Interval(max(-width, influence.value - half), min(width, influence.value + half), confidence, "t")


def error_of_difference(
    influence: Influence, drawn: Drawn | None = None, error: Error | None = None
) -> Error:
    """Return the sampling error of a difference, which depends only on the instances that differ."""
    return decided_by_few(error or error_of(influence, drawn), influence, drawn)


def p_value_of(influence: Influence, drawn: Drawn | None = None, error: Error | None = None) -> float:
    """Return the two-sided p-value for a difference of 0, consistent with the interval; nan if there is none."""
    from scipy.special import stdtr

    error = error or error_of_difference(influence, drawn)
    if _why_not(influence, error, drawn, 0.0) is not None or not error.variance > 0:
        return math.nan
    return 2 * float(stdtr(error.freedom, -abs(influence.value) / math.sqrt(error.variance)))


def p_value_at(influence: Influence, limits: Limits, null: float, drawn: Drawn | None = None) -> float:
    """Return the two-sided p-value of a null value: 1 minus the largest confidence whose interval excludes it."""
    error = error_of(influence, drawn)
    value = within(influence.value, limits)
    if value == null:
        return 1.0

    def leaves_out(alpha: float) -> bool:
        wilsons = normal_quantile(1 - alpha) if drawn is None else None
        low, high = _ends(value, error, limits, 1 - alpha, influence.event, wilsons)
        return not low <= null <= high

    smallest, largest = 1e-15, 1.0
    if leaves_out(smallest):
        return smallest
    # Bisect on a logarithmic scale, to nine digits of any p-value.
    for _ in range(40):
        middle = math.sqrt(smallest * largest)
        smallest, largest = (smallest, middle) if leaves_out(middle) else (middle, largest)
    return largest


@dataclass(frozen=True, eq=False)
class Asked:
    """The ingredients of an interval.

    Attributes
    ----------
    influence : Influence
    limits : (float, float)
        Smallest and largest possible value.
    highest : float
        Upper bound of the value in this population.
    back : callable or None
        If the rest describes a function of the index: the increasing function that maps it back to the index.
    fewest_events : float
        Least number of instances that must decide the value.
    """

    influence: Influence
    limits: tuple[float, float]
    highest: float = math.inf
    back: Callable[[float], float] | None = None
    fewest_events: float = FEWEST_EVENTS

    def interval(self, observed: float, confidence: float, drawn: Drawn | None = None) -> Interval:
        """Return the interval of an index with this value in the sample."""
        found = interval_of(
            self.influence,
            self.limits,
            confidence,
            drawn,
            observed=observed if self.back is None else None,
            fewest_events=self.fewest_events,
        )
        if self.back is None:
            held = observed if found.estimate is None else found.estimate
            return replace(found, high=max(min(found.high, self.highest), held))
        low, high = (self.back(min(end, self.highest)) for end in found)
        return replace(found, low=min(low, observed), high=max(high, observed))
