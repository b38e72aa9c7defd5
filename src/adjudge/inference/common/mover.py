"""Limits of a difference from those of both values: method of variance estimates recovery (MOVER).

References
----------
Zou & Donner (2008), Construction of confidence limits about effect measures: a general approach, Statistics in
Medicine 27.
"""

from __future__ import annotations

import math

__all__ = ["limits_of_difference"]

Limits = tuple[float, float]


def limits_of_difference(
    one: float, of_one: Limits, other: float, of_other: Limits, correlation: float = 0.0
) -> Limits:
    """Put the limits of two values together: distances add up in squares, less what both have in common.

    Parameters
    ----------
    one, other : float
    of_one, of_other : (float, float)
        Their limits.
    correlation : float
        Of both estimates, -1 to 1.

    Examples
    --------
    >>> from adjudge.inference.common.mover import limits_of_difference
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
