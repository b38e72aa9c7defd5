"""From a value and its variance to an interval and a p-value: one rule for each kind of range.

A value with two finite ends has Wilson's interval, of as many instances as a share would need to vary as much; of rows
that were drawn in units, or with weights, Clopper and Pearson's ends of that number, cut for the degrees of freedom
(Korn & Graubard). A value that is only bounded by 0 varies like a count, in proportion to itself. A value without
bounds, and a difference of two values, has Student's t.

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
from adjudge.inference.drawn import Drawn, Error, decided_by_few, error_of
from adjudge.inference.influence import Influence
from adjudge.inference.refusals import (
    FEWEST_EVENTS,
    FEWEST_UNITS,
    NO_ESTIMATE,
    NO_VARIANCE,
    WITHOUT_ONE,
    reason_of,
    round_up,
)
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


# Standard errors from which on an interval is said to lie around another value than the index.
_TO_NAME = 0.25


@dataclass(frozen=True)
class Interval(Savable):
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        Its ends; nan if none can be given.
    confidence : float
    method : str
    reason : str or None
        Why it is one-sided, replaced by another method's, or undefined.
    estimate : float or None
        Estimate for the population that the interval lies around, if that is another than the index itself: in
        small samples some indices are too large on average.
    one_sided : bool
        Whether the estimate is the best or worst value there is, so that one end is no more than that: the other end
        is then a bound, which holds with a confidence of (1 + confidence) / 2.
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
        """Make an interval without ends, which says why there are none."""
        return cls(math.nan, math.nan, confidence, method, reason)

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high


def student_quantile(confidence: float, freedom: float) -> float:
    """Return how many standard errors lie on each side of an estimate."""
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, (1 - confidence) / 2))


def why_few_units(drawn: Drawn | None) -> str | None:
    """Say that there are too few units to tell how they vary; None if there are enough, or no units."""
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
    # Sampling weights add up to no number of instances.
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
    """Make the interval of a value from what instances do to it.

    Parameters
    ----------
    influence : Influence
    limits : (float, float)
        Smallest and largest value that there is.
    confidence : float
    drawn : Drawn, optional
        How rows were drawn; default: each for itself.
    observed : float, optional
        The value of the sample, if the influence is of an estimate for the population.
    fewest_events : float
        Instances that must decide the value (:attr:`Influence.events`).
    error : Error, optional
        How much the value varies, if more is known of it (:func:`adjudge.inference.drawn.error_by_class`).

    Examples
    --------
    Of a share, it is Wilson's:

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
    value = min(max(influence.value, limits[0]), limits[1])
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
        # Rounding must not leave out what the interval is about.
        low, high = min(low, observed), max(high, observed)
    return Interval(low, high, confidence, method, reason, estimate, one_sided)


def _ends(
    value: float, error: Error, limits: Limits, confidence: float, event: float, wilsons: float | None
) -> tuple[float, float]:
    """Return both ends.

    Parameters
    ----------
    event : float
        What an instance would change, if there is no variance.
    wilsons : float or None
        Standard errors of Wilson's interval on each side; None for Korn and Graubard's.
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
    """Make the interval of a difference, by Student's t.

    Parameters
    ----------
    influence : Influence
        Of the first value less the second.
    limits : (float, float)
        Of either value.
    confidence : float
    drawn : Drawn, optional
    error : Error, optional
        How much the difference varies, if more is known of it.
    """
    error = error_of_difference(influence, drawn, error)
    if (reason := _why_not(influence, error, drawn, 0.0)) is not None:
        return Interval.undefined(confidence, "t", reason)
    if not error.variance > 0:
        return Interval.undefined(confidence, "t", NO_VARIANCE)
    half = student_quantile(confidence, error.freedom) * math.sqrt(error.variance)
    width = limits[1] - limits[0]
    return Interval(max(-width, influence.value - half), min(width, influence.value + half), confidence, "t")


def error_of_difference(influence: Influence, drawn: Drawn | None, error: Error | None) -> Error:
    """Return the error of a difference: it hangs on the instances that it differs on."""
    return decided_by_few(error or error_of(influence, drawn), influence, drawn)


def p_value_of(influence: Influence, drawn: Drawn | None = None, error: Error | None = None) -> float:
    """Return the two-sided p-value of a difference of 0, from what its interval is made of; nan if it has none."""
    from scipy.special import stdtr

    error = error_of_difference(influence, drawn, error)
    if _why_not(influence, error, drawn, 0.0) is not None or not error.variance > 0:
        return math.nan
    return 2 * float(stdtr(error.freedom, -abs(influence.value) / math.sqrt(error.variance)))


def p_value_at(influence: Influence, limits: Limits, null: float, drawn: Drawn | None = None) -> float:
    """Return the two-sided p-value of a value: 1 less the largest confidence whose interval leaves it out."""
    error = error_of(influence, drawn)
    value = min(max(influence.value, limits[0]), limits[1])
    if value == null:
        return 1.0

    def leaves_out(alpha: float) -> bool:
        wilsons = normal_quantile(1 - alpha) if drawn is None else None
        low, high = _ends(value, error, limits, 1 - alpha, influence.event, wilsons)
        return not low <= null <= high

    smallest, largest = 1e-15, 1.0
    if leaves_out(smallest):
        return smallest
    # On a logarithmic scale: nine digits of any p-value.
    for _ in range(40):
        middle = math.sqrt(smallest * largest)
        smallest, largest = (smallest, middle) if leaves_out(middle) else (middle, largest)
    return largest


@dataclass(frozen=True, eq=False)
class Asked:
    """What an interval is made of.

    Attributes
    ----------
    influence : Influence
    limits : (float, float)
        Smallest and largest value.
    highest : float
        What the value cannot exceed in this population.
    back : callable or None
        If all of this is of a function of the index: the growing function from there to the index.
    fewest_events : float
        Instances that must decide the value.
    """

    influence: Influence
    limits: tuple[float, float]
    highest: float = math.inf
    back: Callable[[float], float] | None = None
    fewest_events: float = FEWEST_EVENTS

    def interval(self, observed: float, confidence: float, drawn: Drawn | None = None) -> Interval:
        """Make the interval of an index with this value in the sample."""
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
