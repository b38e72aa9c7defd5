"""What each instance does to a value: all that is said about certainty is made of it.

A value varies with the sample by the mean of its influence values, psi: one that is left out takes psi / n away.
A statistic has a closed form of psi (pairs that an instance is in, placements, losses, widths of silhouettes); for
everything else an instance of each cell is left out in turn. Values by two models, or in two groups, are compared by
the difference of their influence values.

References
----------
Hampel (1974), The influence curve and its role in robust estimation, JASA 69, 383-393.
Miller (1974), The jackknife - a review, Biometrika 61, 1-15.
Efron & Stein (1981), The jackknife estimate of variance, Annals of Statistics 9, 586-596.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.inference.arrays import Floats, Numbers

__all__ = ["Influence", "slope_in"]


# Relative step of a derivative that is extrapolated: its square is what is lost.
_STEP = 1e-5
# What is that small beside the value is rounding.
_ROUNDING = 1e-11


@dataclass(frozen=True, eq=False)
class Influence:
    """A value, and what instances do to it.

    Attributes
    ----------
    value : float
        The estimate that an interval lies around.
    psi : ndarray of shape (m,)
        Of each entry: an instance, or a cell of instances that are alike; 0 on average over the instances.
    counts : ndarray of shape (m,) or None
        Instances of each entry; None for one each.
    least : float
        Variance that there is at least: that at a table in which no cell is empty.
    event : float
        By how much one more instance may change the value, if those that there are do not change it; nan if that is
        not known.
    """

    value: float
    psi: Floats
    counts: Floats | None = None
    least: float = 0.0
    event: float = math.nan

    @classmethod
    def centred(
        cls,
        value: float,
        psi: Numbers,
        counts: Numbers | None = None,
        size: float = 0.0,
        **more: Any,
    ) -> Influence:
        """Take off the mean of the influence values, and what is rounding beside them, or beside a `size`."""
        weights = None if counts is None else np.asarray(counts, np.float64)
        off = psi - (psi.mean() if weights is None else float(weights @ psi) / float(weights.sum()))
        size = max(size, float(np.abs(psi).max(initial=0.0)), abs(value))
        if float(np.abs(off).max(initial=0.0)) <= _ROUNDING * size:
            off = np.zeros(off.size)
        return cls(value, off, weights, **more)

    @classmethod
    def of_left_out(cls, value: float, without: Numbers, counts: Numbers, **more: Any) -> Influence:
        """Read it off the values without one instance of each entry (the delete-one jackknife)."""
        n = float(counts.sum())
        return cls.centred(value, -(n - 1) * np.asarray(without, np.float64), counts, **more)

    @property
    def n(self) -> float:
        """Number of instances."""
        return float(self.psi.size if self.counts is None else self.counts.sum())

    @property
    def known(self) -> bool:
        """Whether the value is defined, also without any of the instances."""
        return math.isfinite(self.value) and bool(np.isfinite(self.psi).all())

    def moment(self, power: int) -> float:
        """Sum a power of the influence values over the instances."""
        powers = self.psi**power
        return float(powers.sum() if self.counts is None else self.counts @ powers)

    @property
    def events(self) -> float:
        """How many instances decide the value: (sum psi^2)^2 / sum psi^4, of a share those that are rarer."""
        weights = np.ones(self.psi.size) if self.counts is None else self.counts
        psi = np.where(weights > 0, self.psi, 0.0)
        # Large values would have a fourth power that is no float.
        scale = float(np.abs(psi).max(initial=0.0))
        if scale == 0:
            return 0.0
        squares = (psi / scale) ** 2
        return float(weights @ squares) ** 2 / float(weights @ squares**2)

    def __sub__(self, other: Influence) -> Influence:
        """Return the difference of two values over the same entries."""
        off = self.psi - other.psi
        size = max(float(np.abs(own.psi).max(initial=0.0)) for own in (self, other))
        if float(np.abs(off).max(initial=0.0)) <= _ROUNDING * size:
            off = np.zeros(off.size)
        return Influence(self.value - other.value, off, self.counts)


def slope_in(numbers: Floats, value: Callable[[Floats], float]) -> Floats:
    """Return the derivative of a value in each of some numbers, from the side on which none is negative.

    Parameters
    ----------
    numbers : ndarray of shape (k,)
    value : callable
    """
    step = _STEP * float(numbers.sum())
    start = value(numbers)
    slope = np.empty(numbers.size)
    for i in range(numbers.size):
        moved = numbers.copy()
        moved[i] += step
        once = value(moved)
        moved[i] += step
        slope[i] = (4 * once - 3 * start - value(moved)) / (2 * step)
    return slope
