"""Sums of weights by group that are exact, whatever the order of the weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroupedSums", "exact_total"]


class GroupedSums:
    """Sums of weights that were split into whole numbers by their exponents.

    Parameters
    ----------
    n_groups : int
    """

    def __init__(self, n_groups: int) -> None:
        self.n_groups = n_groups
        self._parts: dict[int, NDArray[np.int64]] = {}

    def add(self, groups: NDArray[np.int64], weights: Iterable[tuple[int, NDArray[Any] | None]]) -> None:
        """Add some weights, each to its group.

        Parameters
        ----------
        groups : ndarray of shape (k,)
        weights : iterable of tuple of int and ndarray of shape (k,)
            Whole numbers by exponent, so few that double precision holds their sum; None for ones.
        """
        for exponent, part in weights:
            own = np.bincount(groups, part, self.n_groups).astype(np.int64, copy=False)
            self._parts[exponent] = own + self._parts.get(exponent, 0)

    def __add__(self, other: Self) -> Self:
        """Add sums group by group; a single sum is added to those of all groups."""
        found = type(self)(max(self.n_groups, other.n_groups))
        for sums in (self, other):
            for exponent, part in sums._parts.items():
                found._parts[exponent] = part + found._parts.get(exponent, 0)
        return found

    def times(self, factor: int) -> Self:
        """Return multiples of the sums."""
        found = type(self)(self.n_groups)
        found._parts = {exponent: factor * part for exponent, part in self._parts.items()}
        return found

    def merged(self) -> Self:
        """Return the sum over all groups."""
        found = type(self)(1)
        found._parts = {exponent: part.sum(keepdims=True) for exponent, part in self._parts.items()}
        return found

    def totals(self, *, whole: bool) -> tuple[Any, ...]:
        """Return the sum of each group: integers if weights are, else the nearest floats."""
        if not self._parts:
            return (0 if whole else 0.0,) * self.n_groups
        lowest = min(self._parts)
        sums = [0] * self.n_groups
        for exponent, part in self._parts.items():
            shift = exponent - lowest
            own = np.broadcast_to(part, self.n_groups).tolist()
            sums = [one + (more << shift) for one, more in zip(sums, own, strict=True)]
        return tuple(one << lowest for one in sums) if whole else tuple(_scaled(one, lowest) for one in sums)


def _scaled(number: int, exponent: int) -> float:
    """Round a whole number once, and multiply it with a power of 2."""
    return math.ldexp(float(number), exponent)


def exact_total(values: Sequence[Any]) -> Any:
    """Add integers exactly, and floats with one rounding."""
    return math.fsum(values) if any(isinstance(one, float) for one in values) else sum(values)
