"""The interval of a score that is a share of instances.

Wilson's holds on average over the shares, but 0.84 of its intervals hold if 0.18 instances are expected to be wrong:
that of one mistake just leaves such shares out. Up to three mistakes (of 50 instances, two), or as few right ones, the
limit next to them is that of a Poisson variable with all errors on its side, if that is farther out.

References
----------
Brown, Cai & DasGupta (2001), Interval estimation for a binomial proportion, Statistical Science 16, 101-133.
Wilson (1927), Journal of the American Statistical Association 22, 209-212.
"""

from __future__ import annotations

from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.interval import Interval

__all__ = ["interval_of_share"]

# Instances of one kind up to which their limit is that of a count, in few instances and in many.
_FEW, _FEW_OF_MANY = 2, 3
_MANY = 51


def interval_of_share(hits: int, n: int, confidence: float) -> Interval:
    """Make the interval of a share.

    Parameters
    ----------
    hits, n : int
        How many, of how many.
    confidence : float

    Examples
    --------
    >>> from adjudge.inference.classes.shares import interval_of_share
    >>> low, high = interval_of_share(49, 50, 0.95)
    >>> round(low, 4), round(high, 4)
    (0.895, 0.999)
    """
    if n == 0:
        return Interval(0.0, 1.0, confidence, "wilson", "no instance is informative: every value is possible")
    low, high = wilson(hits / n, n, normal_quantile(confidence))
    return Interval(
        min(low, _of_count(hits, n, confidence)),
        max(high, 1.0 - _of_count(n - hits, n, confidence)),
        confidence,
        "wilson",
    )


def _of_count(hits: int, n: int, confidence: float) -> float:
    """Lower limit of a share with few hits; 1 if there are none, or more."""
    from scipy.special import gammaincinv

    few = _FEW if n < _MANY else _FEW_OF_MANY
    return float(gammaincinv(hits, 1 - confidence)) / n if 1 <= hits <= few else 1.0
