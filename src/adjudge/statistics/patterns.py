"""Which of several models are right, instance by instance, and how often each of the 2^m patterns occurs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.errors import InputError

#: Patterns of more models do not fit in the bits of an integer.
MOST_MODELS = 62


@dataclass(frozen=True, eq=False)
class OutcomePatterns:
    """The patterns that occur. Patterns of the same models on disjoint instances add up with ``+``.

    Attributes
    ----------
    codes : ndarray of int64 of shape (p,)
        Ascending; bit j says whether model j is right.
    counts : ndarray of int64 of shape (p,)
        Instances of each pattern; floats are their weights.
    m : int
        Number of models.
    """

    codes: Ints
    counts: NDArray[Any]
    m: int

    @classmethod
    def of(cls, codes: Ints, m: int, weights: NDArray[Any] | None = None) -> OutcomePatterns:
        """Count the codes of instances, or of rows that stand for several of them."""
        dtype = np.int64 if weights is None else weights.dtype
        # Up to here, an entry for every pattern is cheaper than sorting.
        if m <= 16:
            counts = np.zeros(1 << m, dtype)
            if weights is None:
                counts += np.bincount(codes, minlength=1 << m)
            else:
                np.add.at(counts, codes, weights)
            occurring = np.flatnonzero(counts)
            return cls(occurring, counts[occurring], m)
        distinct, places = np.unique(codes, return_inverse=True)
        counts = np.zeros(distinct.size, dtype)
        np.add.at(counts, places, 1 if weights is None else weights)
        return cls(distinct, counts, m)

    @property
    def n(self) -> float:
        """Number of instances, or their weight."""
        found: float = self.counts.sum().item()
        return found

    @property
    def right(self) -> Bools:
        """Which models are right in each pattern, shape (p, m)."""
        return np.asarray(self.codes[:, None] >> np.arange(self.m) & 1, np.bool_)

    def __add__(self, other: OutcomePatterns) -> OutcomePatterns:
        if not isinstance(other, OutcomePatterns) or self.m != other.m:
            return NotImplemented
        codes = np.concatenate([self.codes, other.codes])
        return self.of(codes, self.m, np.concatenate([self.counts, other.counts]))


def pattern_codes(right: Sequence[Bools]) -> Ints:
    """Return the code of each instance's pattern, from where each model is right."""
    if len(right) > MOST_MODELS:
        raise InputError(
            f"patterns are of up to {MOST_MODELS} models, but there are {len(right)}: compare fewer"
        )
    codes = np.zeros(right[0].size, np.int64)
    for j, own in enumerate(right):
        codes |= own.astype(np.int64) << j
    return codes
