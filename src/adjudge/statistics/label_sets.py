"""Several labels per instance: counts by label, and numbers of true, predicted and shared labels by instance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError, Option
from adjudge.given.input_kinds import PredictedSets, TrueSets
from adjudge.given.label_sets import LabelSets
from adjudge.statistics.classes import LabelCounts


def shared_keys(one: Ints, other: Ints) -> Ints:
    """Return the keys that occur in both of two ascending vectors."""
    return np.intersect1d(one, other, assume_unique=True)


class SetCounts(LabelCounts):
    """Counts by label for instances that may have several labels or none."""

    __slots__ = ()

    made_from: ClassVar[tuple[type, ...]] = (TrueSets, PredictedSets)

    @classmethod
    def make(cls, true: LabelSets, predicted: LabelSets) -> SetCounts:
        """Count how often each label is true, predicted, and both."""
        width = len(true.labels)
        both = shared_keys(true.keys, predicted.keys)

        def counted(keys: Ints) -> NDArray[Any]:
            if true.weights is None:
                return np.bincount(keys % width, minlength=width)
            sums = np.bincount(keys % width, true.weights[keys // width], width)
            return sums.astype(true.weights.dtype)

        counts = [counted(keys) for keys in (true.keys, predicted.keys, both)]
        return cls(list(true.labels), counts[0], counts[1], counts[2], true.total)


@dataclass(frozen=True, eq=False)
class SetSizes:
    """Numbers of true, predicted and shared labels per instance. Counts of disjoint instances add up with ``+``.

    Attributes
    ----------
    labels : sequence of length L
    both, true, predicted : ndarray of int64 of shape (m,)
        Distinct combinations of the three numbers.
    counts : ndarray of int64 (of float64, if instances are weighted) of shape (m,)
        Instances with each combination.
    """

    made_from: ClassVar[tuple[type, ...]] = (TrueSets, PredictedSets)

    labels: Sequence[Any]
    both: Ints
    true: Ints
    predicted: Ints
    counts: NDArray[Any]

    @classmethod
    def make(cls, true: LabelSets, predicted: LabelSets) -> SetSizes:
        """Count the labels of each instance."""
        own = cls.of_instances(true, predicted)
        return cls._of(own.labels, np.stack([own.both, own.true, own.predicted]), own.counts)

    @classmethod
    def of_instances(cls, true: LabelSets, predicted: LabelSets) -> SetSizes:
        """Count the labels of each instance, without merging instances with equal numbers."""
        width, n = len(true.labels), true.n
        both = shared_keys(true.keys, predicted.keys)
        sizes = [np.bincount(keys // width, minlength=n) for keys in (both, true.keys, predicted.keys)]
        weights = np.ones(n, np.int64) if true.weights is None else true.weights
        return cls(list(true.labels), sizes[0], sizes[1], sizes[2], weights)

    @classmethod
    def _of(cls, labels: Sequence[Any], sizes: Ints, counts: NDArray[Any]) -> SetSizes:
        distinct, places = np.unique(sizes, axis=1, return_inverse=True)
        summed = np.zeros(distinct.shape[1], counts.dtype)
        np.add.at(summed, places.ravel(), counts)
        return cls(labels, distinct[0], distinct[1], distinct[2], summed)

    def __add__(self, other: SetSizes) -> SetSizes:
        if not isinstance(other, SetSizes):
            return NotImplemented
        if list(self.labels) != list(other.labels):
            raise InputError(
                "sets of different labels cannot be added: make both with the same ", Option("classes")
            )
        sizes = [np.stack([own.both, own.true, own.predicted]) for own in (self, other)]
        return self._of(self.labels, np.hstack(sizes), np.concatenate([self.counts, other.counts]))

    @property
    def n(self) -> int | float:
        """Number of instances, or their weight."""
        total: int | float = self.counts.sum().item()
        return total

    @property
    def wrong(self) -> Ints:
        """Labels of an instance that are predicted but not true, or true but not predicted."""
        return np.asarray(self.true + self.predicted - 2 * self.both)
