"""Limits of a difference from those of both values: method of variance estimates recovery (MOVER).

References
----------
Zou & Donner (2008), Construction of confidence limits about effect measures: a general approach, Statistics in
Medicine 27.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["correlations", "limits_of_difference"]

Floats = NDArray[np.float64]
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


def correlations(without_one: Floats, counts: NDArray[np.int64]) -> Floats:
    """Correlations of some values, from what they are without an instance of each cell; 0 of one that stays the same.

    Parameters
    ----------
    without_one : ndarray of shape (k, cells)
    counts : ndarray of int64 of shape (cells,)

    Returns
    -------
    ndarray of shape (k, k)
    """
    off = without_one - (without_one @ counts)[:, None] / counts.sum()
    products = (off * counts) @ off.T
    scale = np.sqrt(np.diag(products))
    scale[scale == 0] = math.inf
    found = products / np.outer(scale, scale)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)
