"""The influence of each instance on a value, from which all intervals and tests are made.

A value varies with the sample like the mean of its influence values, psi: leaving out an instance takes away psi / n.
Some statistics have a closed form of psi (pairs that an instance is in, placements, losses, silhouette widths); for
the rest, one instance of each cell is left out in turn. Values of two models, or in two groups, are compared by the
difference of their influence values.

References
----------
Hampel (1974), The influence curve and its role in robust estimation, JASA 69, 383-393.
Miller (1974), The jackknife - a review, Biometrika 61, 1-15.
Efron & Stein (1981), The jackknife estimate of variance, Annals of Statistics 9, 586-596.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints, Limits, Numbers

#: Deviations this small relative to the value are rounding errors.
ROUNDING = 1e-11
# Rounding error of a score relative to its scale: a sum of a thousand terms, in any order.
_OF_SCORE = 1e-13


def rounding_of(*sizes: float) -> float:
    """Return how far rounding may move a score of these sizes: its value, and the ends of the range that it fills."""
    largest = 0.0
    for size in sizes:
        if largest < abs(size) < math.inf:
            largest = abs(size)
    return _OF_SCORE * largest


def within(value: float, limits: Limits) -> float:
    """Return a value within its limits, or a limit itself if only rounding keeps the value off it."""
    rounding = rounding_of(value, *limits)
    for end in limits:
        if abs(value - end) <= rounding:
            return end
    return min(max(value, limits[0]), limits[1])


@dataclass(frozen=True, eq=False)
class Influence:
    """A value, and the influence of instances on it.

    Attributes
    ----------
    value : float
        The estimate at the centre of an interval.
    psi : ndarray of shape (m,)
        Influence of each entry, an instance or a cell of equal instances; 0 on average over the instances.
    counts : ndarray of shape (m,) or None
        Number of instances of each entry; None for one each.
    rise, fall : float
        By how much one more instance, of a kind that was not seen, may raise and lower the value; nan if not known.
    rounding : float or ndarray of shape (m,)
        How far rounding of the score may move each influence value. If none is farther from 0, all are 0: else a value
        that no instance changes would have a variance of 0 or of 1e-25, by processor.
    classes : ndarray of int64 of shape (m,) or None
        The true class of each entry, of which rows weigh alike rather than all do; None if that is not known.
    rests_on_classes : bool
        Whether rows of a class move the value by their share of it, so that it may rest on a class that few units have.
    sums : ndarray of shape (3, C) or None
        Number of rows of each class, sum of their influence, and of its squares; None for those of the entries.
    parts : tuple of Influence
        Of a difference: those on the two values, which tell how much either rests on each class.
    """

    value: float
    psi: Floats
    counts: Floats | None = None
    rise: float = math.nan
    fall: float = math.nan
    rounding: float | Floats = 0.0
    classes: Ints | None = None
    rests_on_classes: bool = False
    sums: Floats | None = None
    parts: tuple[Influence, ...] = ()

    @classmethod
    def centred(
        cls,
        value: float,
        psi: Numbers,
        counts: Numbers | None = None,
        size: float = 0.0,
        **more: Any,
    ) -> Influence:
        """Centre the influence values at 0; make them all 0 if they are rounding errors, also relative to a `size`."""
        weights = None if counts is None else np.asarray(counts, np.float64)
        total = psi.size if weights is None else float(weights.sum())
        moment = psi.sum() if weights is None else weights @ psi
        off = psi - (float(moment) / total if total else math.nan)
        size = max(size, float(np.abs(psi).max(initial=0.0)), abs(value))
        return cls(value, off, weights, **more)._beyond(ROUNDING * size)

    @classmethod
    def of_left_out(cls, value: float, without: Numbers, counts: Numbers, **more: Any) -> Influence:
        """Derive influence values from the values without one instance of each entry (delete-one jackknife)."""
        n = float(counts.sum())
        return cls.centred(value, -(n - 1) * np.asarray(without, np.float64), counts, **more)

    def at(self, entries: Ints, counts: Numbers | None = None) -> Influence:
        """Return the influence of these entries, each with its number of instances."""
        noise = self.rounding[entries] if isinstance(self.rounding, np.ndarray) else self.rounding
        weights = None if counts is None else np.asarray(counts, np.float64)
        classes = None if self.classes is None else self.classes[entries]
        return replace(self, psi=self.psi[entries], counts=weights, rounding=noise, classes=classes)

    def _beyond(self, least: float) -> Influence:
        """Make all influence values 0 if each is within its rounding error, or the `least` one."""
        weights = np.ones(self.psi.size) if self.counts is None else self.counts
        noise = self.rounding
        # The mean that was subtracted is rounded as well.
        mean = float(weights @ noise) / float(weights.sum()) if isinstance(noise, np.ndarray) else noise
        small = np.abs(self.psi) <= np.maximum(noise + mean, least)
        return replace(self, psi=np.zeros(self.psi.size)) if (small | (weights <= 0)).all() else self

    @cached_property
    def n(self) -> float:
        """Number of instances."""
        return float(self.psi.size if self.counts is None else self.counts.sum())

    @cached_property
    def known(self) -> bool:
        """Whether the value is defined, and remains so without any one instance."""
        return math.isfinite(self.value) and bool(np.isfinite(self.psi).all())

    @cached_property
    def within_classes(self) -> Floats:
        """Root of the mean square of the influence about its mean in each class.

        One row tells nothing of how others would differ from it: then it is what one that was not seen would do.
        """
        sums, counts_rows = self.sums, True
        if sums is None:
            assert self.classes is not None
            weights = np.ones(self.psi.size) if self.counts is None else self.counts
            counts_rows = self.counts is None or bool((weights == np.rint(weights)).all())
            powers = (weights, weights * self.psi, weights * self.psi**2)
            sums = np.stack([np.bincount(self.classes, own) for own in powers])
        sizes = np.where(sums[0] > 0, sums[0], 1.0)
        spread = np.sqrt(np.maximum(sums[2] / sizes - (sums[1] / sizes) ** 2, 0.0))
        unseen = self.n * max(0.0 if math.isnan(end) else end for end in (self.rise, self.fall))
        alone = (sums[0] == 1) & counts_rows
        return np.asarray(np.where(alone, np.maximum(spread, unseen), spread))

    def moment(self, power: int) -> float:
        """Sum a power of the influence values over the instances."""
        powers = self.psi**power
        return float(powers.sum() if self.counts is None else self.counts @ powers)

    @property
    def events(self) -> float:
        """Number of instances that decide the value: (sum psi^2)^2 / sum psi^4; for a share, the rarer outcomes."""
        weights = np.ones(self.psi.size) if self.counts is None else self.counts
        psi = np.where(weights > 0, self.psi, 0.0)
        # The fourth power of large values would overflow.
        scale = float(np.abs(psi).max(initial=0.0))
        if scale == 0:
            return 0.0
        squares = (psi / scale) ** 2
        return float(weights @ squares) ** 2 / float(weights @ squares**2)

    def __sub__(self, other: Influence) -> Influence:
        """Return the difference of two values over the same entries."""
        size = max(float(np.abs(own.psi).max(initial=0.0)) for own in (self, other))
        noise = self.rounding + other.rounding
        off = Influence(
            self.value - other.value,
            self.psi - other.psi,
            self.counts,
            self.rise + other.fall,
            self.fall + other.rise,
            rounding=noise,
            classes=self.classes,
            rests_on_classes=self.rests_on_classes,
            parts=(self, other) if self.rests_on_classes else (),
        )
        return off._beyond(ROUNDING * size)
