"""How often each unit, such as a question, was answered rightly in several runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.input_kinds import Runs, Values
from adjudge.given.number_vectors import NumberVector
from adjudge.given.units import Units


@dataclass(frozen=True, eq=False)
class RightCounts:
    """Right answers of each unit. Those of other units add up with ``+``.

    Attributes
    ----------
    right, runs : ndarray of int64 of shape (n_units,)
        Number of right answers, and of all.
    unusable : str
        Why they are not known, if they are not.
    """

    made_from: ClassVar[tuple[type, ...]] = (Values, Runs)
    #: Each unit counts once, however many rows it has.
    counts_units: ClassVar[bool] = True

    right: Ints
    runs: Ints
    unusable: str = ""

    @classmethod
    def make(cls, numbers: NumberVector, units: Units) -> RightCounts:
        """Count the numbers of each unit that are 1."""
        unusable = ""
        if not numbers.are_answers:
            unusable = "numbers other than 0 (wrong) and 1 (right)"
        elif numbers.weights is not None:
            unusable = "weights, which runs of a unit do not have"
        right = np.bincount(units.codes, numbers.values == 1, units.n_units)
        return cls(right.astype(np.int64), np.bincount(units.codes, minlength=units.n_units), unusable)

    def __add__(self, other: RightCounts) -> RightCounts:
        if not isinstance(other, RightCounts):
            return NotImplemented
        both = np.r_[self.right, other.right], np.r_[self.runs, other.runs]
        return RightCounts(*both, self.unusable or other.unusable)

    def all_right(self, k: int) -> Floats:
        """Return, for each unit, the share of the choices of k of its runs that are all right."""
        return _chosen(self.right, self.runs, k)

    def any_right(self, k: int) -> Floats:
        """Return, for each unit, the share of the choices of k of its runs of which any is right."""
        return 1 - _chosen(self.runs - self.right, self.runs, k)


def _chosen(some: Ints, of: Ints, k: int) -> Floats:
    """Return the share of the choices of k of several that are all among some of these."""
    share = np.ones(some.size)
    for i in range(k):
        share *= np.maximum(some - i, 0) / (of - i)
    return share
