"""Intervals of shares of instances (Wilson), and of means of shares from the limits of each (MOVER)."""

from __future__ import annotations

import numpy as np

from adjudge.inference.arrays import Floats, Numbers
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval
from adjudge.kernels.elementary import exponentials, logarithms

__all__ = ["influence_of_quotient", "interval_of_mean", "interval_of_product", "interval_of_share"]


def interval_of_share(hits: int, n: int, confidence: float) -> Interval:
    """Return the interval of a share.

    Parameters
    ----------
    hits, n : int
        Number of hits, and of instances.
    confidence : float

    Examples
    --------
    >>> from adjudge.inference.classes.shares import interval_of_share
    >>> low, high = interval_of_share(49, 50, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.895, 0.9965)
    """
    if n == 0:
        return Interval(0.0, 1.0, confidence, "wilson", "no instance is informative: every value is possible")
    return Interval(*wilson(hits / n, n, normal_quantile(confidence)), confidence, "wilson")


def interval_of_mean(n: Floats, right: Floats, confidence: float) -> Interval:
    """Return the interval of a mean of independent shares: the distances of their limits add up in squares.

    Parameters
    ----------
    n, right : ndarray of float64 of shape (k,)
        Size and number of hits of each share; no size is 0.
    confidence : float
    """
    shares = right / n
    below, above = np.linalg.norm(_limits(n, right, confidence) - shares, axis=1) / n.size
    mean = float(shares.mean())
    return Interval(mean - float(below), mean + float(above), confidence, "mover")


def interval_of_product(value: float, n: Floats, right: Floats, confidence: float) -> Interval:
    """Return the interval of a geometric mean of independent shares, on the logarithmic scale."""
    limits = _limits(n, right, confidence)
    if value == 0:
        reason = "one-sided: a class is never right, and the upper ends of all recalls are taken together"
        high = float(exponentials(logarithms(limits[1]).mean()))
        return Interval(0.0, high, confidence, "mover", reason, one_sided=True)
    below, above = np.linalg.norm(logarithms(limits) - logarithms(right / n), axis=1) / n.size
    return Interval(
        value * float(exponentials(-below)), value * float(exponentials(above)), confidence, "mover"
    )


def _limits(n: Floats, right: Floats, confidence: float) -> Floats:
    """Return Wilson's limits of each share, of shape (2, k)."""
    z = normal_quantile(confidence)
    return np.array([wilson(x / size, size, z) for x, size in zip(right.tolist(), n.tolist(), strict=True)]).T


def influence_of_quotient(top: Numbers, bottom: Numbers, counts: Numbers) -> Influence:
    """Return the influence of instances on a quotient of two sums over them; nan if it is 0/0.

    Parameters
    ----------
    top, bottom : ndarray of shape (m,)
        Numerator and denominator of one instance of each entry.
    counts : ndarray of shape (m,)
        Number of instances of each entry.
    """
    total = float(bottom @ counts)
    if total == 0:
        return Influence(np.nan, np.full(top.size, np.nan), counts.astype(np.float64))
    value = float(top @ counts) / total
    return Influence.centred(value, (top - value * bottom) * float(counts.sum()) / total, counts)
