"""What scores of numbers are computed from: their mean and scatter, their order, and the errors of predictions.

Sums are rounded once, so that they do not depend on the order of the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.given.input_kinds import Predictions, Targets, Values
from adjudge.given.number_vectors import NumberVector

# Weights of a side that differ by less than this share of their sum are equal but for rounding.
_ALIKE = 1e-12


@dataclass(frozen=True)
class Moments:
    """The mean of numbers, and their squared deviations from it. Those of disjoint rows add up with ``+``.

    Attributes
    ----------
    n : int or float
        Number of instances, or their weight.
    mean : float
    squares : float
        Sum of the squared deviations from the mean.

    References
    ----------
    Chan, Golub & LeVeque (1983), The American Statistician 37, 242-247, for the sum of two parts.
    """

    made_from: ClassVar[tuple[type, ...]] = (Values,)

    n: float
    mean: float
    squares: float

    @classmethod
    def make(cls, numbers: NumberVector) -> Moments:
        """Sum numbers, with their weights."""
        return cls.of(numbers.values, numbers.weights)

    @classmethod
    def of(cls, values: Floats, weights: NDArray[Any] | None = None) -> Moments:
        """Sum the entries of an array."""
        n = values.size if weights is None else weights.sum().item()
        mean = _total(values, weights) / n
        return cls(n, mean, _total((values - mean) ** 2, weights))

    def __add__(self, other: Moments) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        n, apart = self.n + other.n, other.mean - self.mean
        return Moments(
            n, self.mean + apart * other.n / n, self.squares + other.squares + apart**2 * self.n * other.n / n
        )


@dataclass(frozen=True, eq=False)
class SortedNumbers:
    """Distinct numbers in ascending order, and how often each occurs. Those of disjoint rows add up with ``+``.

    Attributes
    ----------
    values : ndarray of float64 of shape (m,)
    counts : ndarray of shape (m,)
        Number of instances, or their weight; above 0.
    """

    made_from: ClassVar[tuple[type, ...]] = (Values,)

    values: Floats
    counts: NDArray[Any]

    @classmethod
    def make(cls, numbers: NumberVector) -> SortedNumbers:
        """Sort numbers, in O(n log n)."""
        return cls.of(numbers.values, numbers.weights)

    @classmethod
    def of(cls, values: Floats, weights: NDArray[Any] | None = None) -> SortedNumbers:
        """Sort the entries of an array."""
        if weights is None:
            return cls(*np.unique(values, return_counts=True))
        order = np.argsort(values, kind="stable")
        distinct, first = np.unique(values[order], return_index=True)
        counts = np.add.reduceat(weights[order], first)
        there = counts > 0
        return cls(distinct[there], counts[there])

    def __add__(self, other: SortedNumbers) -> SortedNumbers:
        if not isinstance(other, SortedNumbers):
            return NotImplemented
        return self.of(np.r_[self.values, other.values], np.r_[self.counts, other.counts])

    def quantile(self, level: float) -> float:
        """Return the number below which a share of the instances lies; the middle of two, if both sides are even.

        Of 0 it is the smallest number, of 1 the largest.
        """
        total = self.counts.sum().item()
        upto = np.cumsum(self.counts)
        place = int(np.searchsorted(upto, level * total * (1 - _ALIKE)))
        place = min(place, self.values.size - 1)
        above = min(place + 1, self.values.size - 1)
        even = 0 < level < 1 and abs(upto[place].item() - level * total) <= _ALIKE * total
        return float((self.values[place] + self.values[above]) / 2 if even else self.values[place])


@dataclass(frozen=True)
class ErrorSums:
    """The errors of predicted numbers. Those of disjoint rows add up with ``+``.

    Attributes
    ----------
    truth : Moments
        Of the true numbers.
    below, above : float
        By how much predictions are too low, and too high, in all.
    squares : float
        Sum of the squared errors.
    """

    made_from: ClassVar[tuple[type, ...]] = (Targets, Predictions)

    truth: Moments
    below: float
    above: float
    squares: float

    @classmethod
    def make(cls, truth: NumberVector, predicted: NumberVector) -> ErrorSums:
        """Sum errors, with the weights of the true numbers."""
        errors, weights = truth.values - predicted.values, truth.weights
        parts = np.maximum(errors, 0.0), np.maximum(-errors, 0.0), errors**2
        return cls(Moments.make(truth), *(_total(part, weights) for part in parts))

    def __add__(self, other: ErrorSums) -> ErrorSums:
        if not isinstance(other, ErrorSums):
            return NotImplemented
        sums = (getattr(self, name) + getattr(other, name) for name in ("below", "above", "squares"))
        return ErrorSums(self.truth + other.truth, *sums)

    @property
    def n(self) -> float:
        """Number of instances, or their weight."""
        return self.truth.n


@dataclass(frozen=True, eq=False)
class AbsoluteErrors:
    """How far predicted numbers are off, in ascending order. Those of disjoint rows add up with ``+``.

    Attributes
    ----------
    ordered : SortedNumbers
    """

    made_from: ClassVar[tuple[type, ...]] = (Targets, Predictions)

    ordered: SortedNumbers

    @classmethod
    def make(cls, truth: NumberVector, predicted: NumberVector) -> AbsoluteErrors:
        """Sort the sizes of errors, in O(n log n)."""
        return cls(SortedNumbers.of(np.abs(truth.values - predicted.values), truth.weights))

    def __add__(self, other: AbsoluteErrors) -> AbsoluteErrors:
        if not isinstance(other, AbsoluteErrors):
            return NotImplemented
        return AbsoluteErrors(self.ordered + other.ordered)


def _total(values: Floats, weights: NDArray[Any] | None) -> float:
    return math.fsum((values if weights is None else values * weights).tolist())
