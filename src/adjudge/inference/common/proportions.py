"""Intervals of a proportion (score, exact, and mid-P), and limits of a difference.

References
----------
Wilson (1927), Journal of the American Statistical Association 22, 209-212.
Berry & Armitage (1995), The Statistician 44, 417-423 (mid-P).
Zou & Donner (2008), Statistics in Medicine 27 (method of variance estimates recovery, MOVER).
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.array_types import Floats, Limits
from adjudge.inference.common.event_sums import roots


def normal_quantile(confidence: float) -> float:
    """Return the number of standard errors on each side of a normal estimate."""
    from scipy.special import ndtri

    # The upper tail keeps its precision if the confidence is near 1.
    return float(-ndtri((1 - confidence) / 2))


def wilson(share: float, n: float, z: float) -> tuple[float, float]:
    """Return the score interval of a proportion."""
    shrink = 1 + z * z / n
    centre = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(max(0.0, share * (1 - share)) / n + z * z / (4 * n * n))
    # At 0 and 1, the limits are 0 and 1 except for rounding.
    return (0.0 if share <= 0 else centre - half), (1.0 if share >= 1 else centre + half)


def clopper_pearson(hits: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return exact intervals of proportions, whose coverage is at least the level for any proportion.

    References
    ----------
    Clopper & Pearson (1934), Biometrika 26, 404-413.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.common.proportions import clopper_pearson
    >>> low, high = clopper_pearson(np.array([0.0, 5.0]), np.array([10.0, 10.0]), 0.95)
    >>> low.round(4), high.round(4)
    (array([0.    , 0.1871]), array([0.3085, 0.8129]))
    """
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    none, all_ = hits <= 0, hits >= n
    low = np.where(none, 0.0, betaincinv(np.where(none, 1.0, hits), n - hits + 1, tail))
    high = np.where(all_, 1.0, betaincinv(hits + 1, np.where(all_, 1.0, n - hits), 1 - tail))
    return low, high


def clopper_pearson_of(share: float, n: float, confidence: float) -> tuple[float, float]:
    """Return the exact interval of one proportion; `n`, and the hits `share * n`, may be fractions."""
    low, high = clopper_pearson(np.array([share * n]), np.array([n]), confidence)
    return float(low[0]), float(high[0])


def limits_of_ratio(one: float, of_one: Limits, other: float, of_other: Limits) -> Limits:
    """Return the limits of the ratio of two independent estimates, none of them negative, from those of each (MOVER).

    A ratio whose denominator is estimated as 0 has a lower limit, and one whose numerator is 0 an upper limit.

    Parameters
    ----------
    one, other : float
    of_one, of_other : (float, float)
        The limits of each.

    References
    ----------
    Donner & Zou (2012), Statistical Methods in Medical Research 21, 347-359.
    Newcombe (2016), MOVER-R confidence intervals for ratios and products of two independently estimated quantities,
    Statistical Methods in Medical Research 25, 1774-1778.

    Examples
    --------
    >>> from adjudge.inference.common.proportions import limits_of_ratio
    >>> low, high = limits_of_ratio(0.8, (0.7, 0.9), 0.2, (0.1, 0.3))
    >>> round(low, 3), round(high, 3)
    (2.605, 8.062)
    """

    def end(of_one: float, of_other: float, sign: int) -> float:
        below = of_other * (2 * other - of_other)
        inside = (one * other) ** 2 - of_one * (2 * one - of_one) * below
        if below == 0:
            return math.inf
        return (one * other + sign * math.sqrt(max(inside, 0.0))) / below

    return max(end(of_one[0], of_other[1], -1), 0.0), end(of_one[1], of_other[0], 1)


def mid_p(shares: Floats, n: Floats, confidence: float) -> tuple[Floats, Floats]:
    """Return the mid-P intervals of proportions: exact, but with half the weight on the observed outcome.

    `n`, and the hits `shares * n`, may be fractions: binomial tails are then those of the beta distribution.
    """
    from scipy.special import betainc, betaincinv

    hits = np.minimum(np.maximum(shares * n, 0.0), n)
    none, all_ = hits <= 0, hits >= n
    # The numbers of hits and misses that a beta distribution needs are above 0.
    seen, missed = np.where(none, 1.0, hits), np.where(all_, 1.0, n - hits)

    tail = (1 - confidence) / 2
    tails = np.array([tail, 1 - tail]).reshape(2, *[1] * np.ndim(shares))

    def off(p: Floats) -> Floats:
        """Return how far P(X > hits) + P(X = hits) / 2, which grows with the proportion, is from the tails."""
        at_least = np.where(none, 1.0, betainc(seen, n - hits + 1, p))
        more = np.where(all_, 0.0, betainc(hits + 1, missed, p))
        return np.asarray((at_least + more) / 2 - tails)

    # One of the two probabilities is the tail at each end.
    below = np.where(none, 0.0, betaincinv(seen, n - hits + 1, tails))
    low, high = roots(off, below, np.where(all_, 1.0, betaincinv(hits + 1, missed, tails)))
    return np.where(none, 0.0, low), np.where(all_, 1.0, high)


def mid_p_of_signs(b: int, c: int) -> float:
    """Return the two-sided p-value of the sign test, with half the weight on the observed counts."""
    from scipy.special import betainc

    fewer, n = min(b, c), b + c
    below = float(betainc(n - fewer + 1, fewer, 0.5)) if fewer else 0.0
    # The exact p-value is P(X < fewer) + P(X = fewer) twice over; one P(X = fewer) is subtracted. If both counts are
    # equal, it is capped at 1, and half of P(X = fewer) is subtracted.
    return below + (0.5 if b == c else float(betainc(n - fewer, fewer + 1, 0.5)))


def limits_of_difference(
    one: float, of_one: Limits, other: float, of_other: Limits, correlation: float = 0.0
) -> Limits:
    """Combine the limits of two values (MOVER): distances add up in squares, minus what both have in common.

    Parameters
    ----------
    one, other : float
    of_one, of_other : (float, float)
        Limits of each.
    correlation : float
        Correlation of the two estimates, -1 to 1.

    Examples
    --------
    >>> from adjudge.inference.common.proportions import limits_of_difference
    >>> low, high = limits_of_difference(0.8, (0.6918, 0.8770), 0.6, (0.4905, 0.7004))
    >>> round(low, 3), round(high, 3)
    (0.052, 0.334)
    """

    def reach(first: float, second: float) -> float:
        return math.sqrt(max(0.0, first * first - 2 * correlation * first * second + second * second))

    difference = one - other
    return (
        difference - reach(one - of_one[0], of_other[1] - other),
        difference + reach(of_one[1] - one, other - of_other[0]),
    )
