"""How often raters agree on a unit, and which categories they confuse: all that their agreement is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.given.ratings import RatedUnits
from adjudge.given.things import Ratings

__all__ = ["RatingCounts"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RatingCounts:
    """Ratings counted by unit and category. Those of disjoint units by any raters add up with ``+``.

    Every unit counts its raters as one: which of them said what does not matter.

    Attributes
    ----------
    categories : sequence of length K
    units : ndarray of int64 of shape (m,)
        Number of units (by row of the next three) that were rated alike.
    unit, category, count : ndarray of int64 of shape (c,)
        Entries of the table of units by categories that are not 0: row, column, number of raters.
    """

    made_from: ClassVar[tuple[type, ...]] = (Ratings,)

    categories: Sequence[Any]
    n: int
    unit: NDArray[np.int64]
    category: NDArray[np.int64]
    count: NDArray[np.int64]

    @classmethod
    def make(cls, rated: RatedUnits) -> RatingCounts:
        """Count the ratings of each unit; units that nobody rated are left out."""
        k = len(rated.categories)
        kept = np.flatnonzero((rated.codes >= 0).any(axis=1))
        codes = rated.codes[kept]
        rows = np.broadcast_to(np.arange(kept.size)[:, None], codes.shape)
        keys, count = np.unique((rows * k + codes)[codes >= 0], return_counts=True)
        return cls(rated.categories, int(kept.size), keys // k, keys % k, count.astype(np.int64))

    def __add__(self, other: RatingCounts) -> RatingCounts:
        if not isinstance(other, RatingCounts):
            return NotImplemented
        if list(self.categories) != list(other.categories):
            raise InputError(
                "ratings with different categories do not add up: make both with the same categories="
            )
        return RatingCounts(
            self.categories,
            self.n + other.n,
            np.concatenate([self.unit, other.unit + self.n]),
            np.concatenate([self.category, other.category]),
            np.concatenate([self.count, other.count]),
        )

    @property
    def k(self) -> int:
        """Number of categories."""
        return len(self.categories)

    @cached_property
    def ratings(self) -> NDArray[np.int64]:
        """Ratings of each unit, shape (n,)."""
        return np.bincount(self.unit, self.count, self.n).astype(np.int64)

    @cached_property
    def several(self) -> NDArray[np.bool_]:
        """Units with at least two ratings, the only ones that can agree or disagree."""
        return np.asarray(self.ratings > 1)

    @cached_property
    def shares(self) -> Floats:
        """Mean share of the ratings of a unit that fall into each category, shape (K,)."""
        of_unit = self.count / self.ratings[self.unit]
        return np.asarray(np.bincount(self.category, of_unit, self.k) / self.n)

    def agreement(self, weights: Floats | None = None) -> Floats:
        """Share of the pairs of ratings of each unit that agree, shape (n,); nan with fewer than two ratings.

        Parameters
        ----------
        weights : ndarray of float64 of shape (K, K), optional
            How much two categories agree, 1 for the same; default: 0 for two different ones.
        """
        found = self.unit_sums(self.count * (self.weighted(weights) - 1))
        pairs = (self.ratings * (self.ratings - 1)).astype(np.float64)
        return np.divide(found, pairs, out=np.full(self.n, np.nan), where=pairs > 0)

    def weighted(self, weights: Floats | None) -> Floats:
        """Ratings of the unit of each entry that agree with its category, each as much as the weights say."""
        if weights is None:
            return self.count.astype(np.float64)
        found = np.empty(self.count.size)
        for category in range(self.k):
            # What the ratings of each unit weigh towards one category: K passes in place of a table of n K entries.
            towards = self.unit_sums(self.count * weights[category][self.category])
            own = self.category == category
            found[own] = towards[self.unit[own]]
        return found

    def unit_sums(self, values: NDArray[Any]) -> Floats:
        """Sum over the entries of each unit, shape (n,)."""
        return np.asarray(np.bincount(self.unit, values, self.n), np.float64)

    @cached_property
    def pairable(self) -> NDArray[np.float64]:
        """Ratings of each category within units that have several, shape (K,)."""
        inside = self.several[self.unit]
        return np.asarray(np.bincount(self.category[inside], self.count[inside], self.k), np.float64)
