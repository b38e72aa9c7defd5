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
from typing import NamedTuple

import numpy as np

from adjudge.inference.arrays import Bools, Floats, Numbers
from adjudge.kernels.elementary import exponentials, logarithms

__all__ = ["EventSums", "reach_of", "roots"]

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
    some = np.where(upper, sums.largest, sums.total) > 0
    found = np.zeros(some.size)
    if some.any():
        own, above = EventSums(*(part[some] for part in sums)), upper[some]
        tails = np.broadcast_to(np.asarray(tails, np.float64), some.shape)[some]
        found[some] = np.maximum(np.where(above, 1, -1) * (_beyond(own, tails, above) - own.total), 0.0)
    return found


def _beyond(sums: EventSums, tails: Floats, upper: Bools) -> Floats:
    """Return the values beyond which a tail has a probability: half that of what was seen, half that of one more."""
    from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv, gammaln

    means = np.stack([sums.total, sums.total + sums.largest])
    variances = np.stack([sums.squares, sums.squares + sums.largest**2])
    # Without any event, what was seen is a mass at 0.
    seen = sums.total > 0
    wanted = np.where(seen, tails, np.minimum(2 * tails, 1.0))
    found = _by_side(upper, gammainccinv, gammaincinv, means[1] ** 2 / variances[1], wanted)
    found *= variances[1] / means[1]
    if not seen.any():
        return found
    means, variances, tails, upper = means[:, seen], variances[:, seen], tails[seen], upper[seen]
    shapes, scales = means**2 / variances, variances / means
    constants, sign = gammaln(shapes), np.where(upper, -1.0, 1.0)
    ends = np.stack([_by_side(upper, gammainccinv, gammaincinv, shapes[0], tails) * scales[0], found[seen]])
    least, most = ends.min(axis=0), ends.max(axis=0)
    at, tiny, done = (least + most) / 2, np.finfo(np.float64).tiny, np.zeros(tails.size, np.bool_)
    for _ in range(_MOST_STEPS):
        # Newton's step for the logarithm of the tail, which is nearly linear.
        ratios = at / scales
        reached = np.maximum(_by_side(upper, gammaincc, gammainc, shapes, ratios).mean(axis=0), tiny)
        densities = (
            exponentials((shapes - 1) * logarithms(np.maximum(ratios, tiny)) - ratios - constants) / scales
        )
        slopes = sign * np.maximum(densities.mean(axis=0), tiny) / reached
        off = logarithms(reached / tails)
        above = (off > 0) != upper
        least, most = np.where(above, least, at), np.where(above, at, most)
        # The lower tail is nearly a power.
        powers = at * exponentials(np.clip(-off / (slopes * at), -50.0, 50.0))
        moved = np.where(upper, at - off / slopes, powers)
        moved = np.where((moved >= least) & (moved <= most), moved, (least + most) / 2)
        # A limit that was found stays, so that it does not depend on what else is asked for.
        moved = np.where(done, at, moved)
        done |= np.abs(moved - at) <= _TOLERANCE * np.abs(at)
        at = moved
        if done.all():
            break
    found[seen] = at
    return found


def _by_side(
    upper: Bools, above: Callable[..., Floats], below: Callable[..., Floats], shapes: Floats, other: Floats
) -> Floats:
    """Call one function for limits above a sum, and another for those below."""
    if upper.all() or not upper.any():
        return np.asarray((above if upper.all() else below)(shapes, other))
    out = np.empty_like(shapes)
    for side, function in ((upper, above), (~upper, below)):
        out[..., side] = function(shapes[..., side], other[..., side])
    return out


def roots(
    off: Callable[[Floats], Floats], one: Floats, other: Floats, tolerance: float = _TOLERANCE
) -> Floats:
    """Find where each of several monotone functions is 0 between two ends, by false position (Illinois)."""
    f_one, f_other = off(one), off(other)
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
