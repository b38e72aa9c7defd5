"""How far a count deviates from its mean, in nats: what mutual information is a sum of."""

from __future__ import annotations

import math

from numba import njit

__all__ = ["deviance"]


@njit(nogil=True, cache=True)
def deviance(count: float, mean: float, difference: float) -> float:
    """Return ``count log(count/mean) - (count - mean)``, which is >= 0, to full precision also where it is nearly 0.

    Parameters
    ----------
    count, mean : float
    difference : float
        ``count - mean``; the caller may know it to more digits than `mean`.
    """
    total = count + mean
    if abs(difference) >= 0.1 * total:
        excess = difference / mean
        if excess <= -1.0:
            return mean
        quotient = 1.0 + excess
        # log1p(excess), faster: what rounding took from the quotient is given back to its logarithm.
        return count * (math.log(quotient) + (excess - (quotient - 1.0)) / quotient) - difference
    # log(count/mean) = 2 artanh(ratio); the two leading terms are combined by hand, the rest is a series.
    ratio = difference / total
    square = ratio * ratio
    value = difference * ratio
    term = 2.0 * count * ratio
    odd = 3.0
    while True:
        term *= square
        updated = value + term / odd
        if updated == value:
            return value
        value = updated
        odd += 2.0
