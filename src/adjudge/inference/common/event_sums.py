"""Limits of sums of counts of events: each event moves a value by its size, and how many there are is random.

An event is an instance, or a unit with all of its rows. Their counts vary like Poisson counts, so their sum has the
limits of a gamma distribution: of the events that were seen, and of another one of the largest size, each with half the
weight (mid-p). Without any event, the upper limit is the rule of three.

References
----------
Fay & Feuer (1997), Confidence intervals for directly standardized rates, Statistics in Medicine 16, 791-801.
Fay & Kim (2017), Confidence intervals for directly standardized rates using mid-p gamma intervals, Biometrical Journal
59, 377-387.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from adjudge.array_types import Bools, Floats, Numbers
from adjudge.kernels.event_sums import reach_of_sums

# Steps of a search, and the relative distance of two steps that ends it; most take four.
_MOST_STEPS, _TOLERANCE = 100, 1e-12


class EventSums(NamedTuple):
    """Sums of counts of events, one per entry.

    Attributes
    ----------
    total : ndarray of shape (m,)
        Sum of the sizes of the events.
    squares : ndarray of shape (m,)
        Sum of their squares, the variance of the total.
    largest : ndarray of shape (m,)
        Size of the largest event, seen or not; 0 if there can be none.
    """

    total: Floats
    squares: Floats
    largest: Floats


def reach_of(sums: EventSums, tails: Numbers, upper: Bools) -> Floats:
    """Return how far the limit of each sum is from it: at least 0.

    Parameters
    ----------
    sums : EventSums
    tails : ndarray of shape (m,), or float
        Probability of a sum beyond the limit.
    upper : ndarray of bool of shape (m,)
        Whether the limit is above the sum, or below it.

    Examples
    --------
    The limits of a count of ten events:

    >>> import numpy as np
    >>> from adjudge.inference.common.event_sums import EventSums, reach_of
    >>> reach = reach_of(EventSums(*np.full((3, 2), [[10], [10], [1]])), 0.025, np.array([False, True]))
    >>> (10 + reach * [-1, 1]).round(2).tolist()
    [5.08, 17.82]
    """
    m = sums.total.size
    total, squares, largest = map(partial(np.ascontiguousarray, dtype=np.float64), sums)
    wanted, above = np.full(m, tails, np.float64), np.full(m, upper, np.bool_)
    return reach_of_sums(total, squares, largest, wanted, above, incomplete_gamma())


@cache
def incomplete_gamma() -> dict[str, Any]:
    """Return SciPy's incomplete gamma functions, which C++ can call."""
    from scipy.special import cython_special

    offered: Any = cython_special.__pyx_capi__
    return {
        name: offered[name] for name in ("gammainc", "gammaincc", "gammaincinv", "gammainccinv", "gammaln")
    }


def roots(
    off: Callable[[Floats], Floats],
    one: Floats,
    other: Floats,
    tolerance: float = _TOLERANCE,
    at_ends: tuple[Floats, Floats] | None = None,
) -> Floats:
    """Find where each of several monotone functions is 0 between two ends, by false position (Illinois).

    `at_ends` are their values there, if these are known.
    """
    f_one, f_other = (off(one), off(other)) if at_ends is None else at_ends
    for _ in range(_MOST_STEPS):
        apart = np.abs(other - one) > tolerance * np.abs(other)
        going = apart & (f_other != 0)
        if not going.any():
            break
        gap = np.where(f_other == f_one, 1.0, f_other - f_one)
        new = np.where(going, other - f_other * (other - one) / gap, other)
        f_new = np.where(going, off(new), f_other)
        crossed = f_new * f_other < 0
        # The end that stays twice loses half of its weight, so that it moves, too.
        one, f_one = np.where(crossed, other, one), np.where(crossed, f_other, f_one / 2)
        other, f_other = new, f_new
    return other
