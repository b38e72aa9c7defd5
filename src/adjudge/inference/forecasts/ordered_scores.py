"""Scores in order, once for all that is asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["OrderedScores"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OrderedScores:
    """The scores for a class in order, and sums over those that score less.

    Attributes
    ----------
    order : ndarray of int64 of shape (n,)
        Instances, from the lowest score on.
    starts, ends : ndarray of int64 of shape (n,)
        Where the scores that tie with each begin, and where they have ended.
    """

    order: Ints
    starts: Ints
    ends: Ints

    @classmethod
    def of(cls, values: NDArray[Any]) -> OrderedScores:
        """Sort the scores, in O(n log n)."""
        order = np.argsort(values)
        ordered = values[order]
        firsts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        tied = np.diff(firsts, append=values.size)
        starts = np.repeat(firsts, tied)
        return cls(order, starts, starts + np.repeat(tied, tied))

    def up_to(self, amounts: NDArray[Any]) -> tuple[Floats, Floats]:
        """Sum the amounts of the instances that score less, and of those that score no more, than each."""
        sums = np.concatenate([[0.0], np.cumsum(amounts[self.order])])
        below, no_higher = np.empty(amounts.size), np.empty(amounts.size)
        below[self.order], no_higher[self.order] = sums[self.starts], sums[self.ends]
        return below, no_higher

    def beaten(self, amounts: NDArray[Any]) -> Floats:
        """Sum the amounts of the instances that score less than each, ties counting half."""
        below, no_higher = self.up_to(amounts)
        return (below + no_higher) / 2
