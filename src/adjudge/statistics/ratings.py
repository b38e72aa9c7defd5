"""How several raters agree on units: what Fleiss' kappa, Krippendorff's alpha and Gwet's AC1 are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import InputError, Option, UndefinedStatisticError
from adjudge.given.class_names import alike
from adjudge.given.class_order import StatedOrder, joined_orders, places_in_order
from adjudge.given.input_kinds import Ratings
from adjudge.given.options import check_choice
from adjudge.given.ratings import RatedUnits

Level = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


@dataclass(frozen=True, eq=False)
class RatingCounts:
    """Ratings of each unit by category. Ratings of disjoint units, by any raters, add up with ``+``.

    Which rater gave which rating does not matter. Only non-zero entries are kept.

    Attributes
    ----------
    categories : sequence of length K
    n : int
        Number of units with a rating.
    unit, category, count : ndarray of int64 of shape (m,)
        Unit (from 0 to n - 1) and category of each entry, and how many raters gave it.
    orders : tuple of StatedOrder
        Orders of the categories that an option or the types of columns state.
    """

    made_from: ClassVar[tuple[type, ...]] = (Ratings,)

    categories: Sequence[Any]
    n: int
    unit: Ints
    category: Ints
    count: Ints
    orders: tuple[StatedOrder, ...] = ()

    @classmethod
    def make(cls, rated: RatedUnits) -> RatingCounts:
        """Count the ratings of each unit; units that nobody rated are left out."""
        k = len(rated.categories)
        codes = rated.codes[(rated.codes >= 0).any(axis=1)]
        keys = np.arange(len(codes))[:, None] * k + codes
        distinct, count = np.unique(keys[codes >= 0], return_counts=True)
        counts = count.astype(np.int64)
        return cls(rated.categories, len(codes), distinct // k, distinct % k, counts, rated.orders)

    def __add__(self, other: RatingCounts) -> RatingCounts:
        if not isinstance(other, RatingCounts):
            return NotImplemented
        if list(self.categories) != list(other.categories):
            raise InputError(
                "ratings by different categories do not add up: make both with the same ",
                Option("categories"),
            )
        return RatingCounts(
            self.categories,
            self.n + other.n,
            np.concatenate([self.unit, other.unit + self.n]),
            np.concatenate([self.category, other.category]),
            np.concatenate([self.count, other.count]),
            joined_orders(self.orders, other.orders),
        )

    @property
    def k(self) -> int:
        """Number of categories."""
        return len(self.categories)

    @cached_property
    def ratings(self) -> Floats:
        """Ratings of each unit, shape (n,)."""
        return self.by_unit(self.count)

    @cached_property
    def several(self) -> Bools:
        """Units with at least two ratings, the only ones that can agree or disagree."""
        return np.asarray(self.ratings > 1)

    @cached_property
    def agreements(self) -> Floats:
        """Share of the pairs of ratings of each unit that agree, shape (n,); nan with fewer than two ratings."""
        alike = self.by_unit(self.count * (self.count - 1))
        pairs = self.ratings * (self.ratings - 1)
        return np.asarray(np.divide(alike, pairs, out=np.full(self.n, np.nan), where=pairs > 0))

    @cached_property
    def agreement(self) -> float:
        """Mean share of the pairs of ratings of a unit that agree."""
        if not self.several.any():
            raise UndefinedStatisticError("0/0: no unit has two ratings")
        return float(self.agreements[self.several].mean())

    @cached_property
    def shares(self) -> Floats:
        """Mean share of a unit's ratings in each category, shape (K,)."""
        return self.by_category(self.count / self.ratings[self.unit]) / self.n

    def by_unit(self, values: NDArray[Any]) -> Floats:
        """Sum over the entries of each unit, shape (n,)."""
        return np.asarray(np.bincount(self.unit, values, self.n), np.float64)

    def by_category(self, values: NDArray[Any]) -> Floats:
        """Sum over the entries of each category, shape (K,)."""
        return np.asarray(np.bincount(self.category, values, self.k), np.float64)

    @cached_property
    def paired(self) -> RatingCounts:
        """The units with at least two ratings."""
        return self if self.several.all() else self.take(self.several)

    def in_order(self) -> RatingCounts:
        """Return the same counts with the categories in their order; of two that occur, any order will do.

        Raises
        ------
        InputError
            If stated orders contradict each other.
        UndefinedStatisticError
            If the order is not known.
        """
        try:
            places = places_in_order(self.categories, self.orders, "categories")
        except UndefinedStatisticError:
            if np.unique(self.category).size > 2:
                raise
            return self
        order = np.argsort(places)
        rank = np.argsort(order)
        return replace(
            self, categories=[self.categories[i] for i in order.tolist()], category=rank[self.category]
        )

    def take(self, kept: Bools) -> RatingCounts:
        """Return the units under a mask."""
        inside, numbers = kept[self.unit], np.cumsum(kept) - 1
        return replace(
            self,
            n=int(np.count_nonzero(kept)),
            unit=numbers[self.unit[inside]],
            category=self.category[inside],
            count=self.count[inside],
        )


@dataclass(frozen=True, eq=False)
class Disagreement:
    """Squared differences of ratings, within units and among all: Krippendorff's alpha, and each unit's effect on it.

    Attributes
    ----------
    n : float
        Ratings in units with several of them.
    observed, expected : float
        Sum of differences within units, each unit weighted by its ratings; sum over all pairs of ratings.
    of_n, of_observed, of_expected : ndarray of float64 of shape (units,)
        Derivatives of these three by the weight of each unit.
    """

    n: float
    observed: float
    expected: float
    of_n: Floats
    of_observed: Floats
    of_expected: Floats

    @property
    def alpha(self) -> float:
        """Krippendorff's alpha."""
        return 1 - (self.n - 1) * self.observed / self.expected

    @property
    def slopes(self) -> Floats:
        """Derivative of alpha by the weight of each unit."""
        ratio = self.observed / self.expected
        change = self.of_observed - ratio * self.of_expected
        return np.asarray(-(self.of_n * ratio + (self.n - 1) * change / self.expected))


def disagreement(counts: RatingCounts, level: Level) -> Disagreement:
    """Sum the differences of ratings.

    Parameters
    ----------
    counts : RatingCounts
    level : {"nominal", "ordinal", "interval"}
        Different categories differ by 1, by the number of ratings between them in the order of the categories, or by
        their values.
    """
    check_choice("level", level, LEVELS)
    paired = counts.paired
    if paired.n == 0:
        raise UndefinedStatisticError("0/0: no unit has two ratings")
    if level == "nominal":
        found = _nominal(paired)
    else:
        found = _of_places(paired.in_order() if level == "ordinal" else paired, level)
    if not found.expected > 0:
        raise UndefinedStatisticError("0/0: all ratings are of one category")
    return found


def _nominal(paired: RatingCounts) -> Disagreement:
    r, sizes = paired.ratings, paired.by_category(paired.count)
    n = float(sizes.sum())
    inside = (r * r - paired.by_unit(paired.count**2)) / (r - 1)
    of_expected = 2 * (n * r - paired.by_unit(paired.count * sizes[paired.category]))
    return Disagreement(n, float(inside.sum()), float(n * n - sizes @ sizes), r, inside, of_expected)


def _of_places(paired: RatingCounts, level: Level) -> Disagreement:
    """Sum differences of numbers: the categories' values, or their mean ranks."""
    r, sizes = paired.ratings, paired.by_category(paired.count)
    n = float(sizes.sum())
    places = np.cumsum(sizes) - sizes / 2 if level == "ordinal" else _values(paired.categories)
    # Differences do not depend on the position of 0, but their digits do.
    places = places - float(places @ sizes) / n
    own = places[paired.category]
    total = paired.by_unit(paired.count * own)
    inside = 2 * (r * paired.by_unit(paired.count * own**2) - total**2) / (r - 1)
    inside = np.maximum(inside, 0.0)
    first, second = float(sizes @ places), float(sizes @ places**2)
    per_rating = 2 * (second + n * places**2 - 2 * first * places)
    of_observed = inside
    if level == "ordinal":
        # Ranks grow with the ratings below them, and with half of those in their own category.
        slope_observed = paired.by_category(
            4 * paired.count * (r[paired.unit] * own - total[paired.unit]) / (r[paired.unit] - 1)
        )
        of_observed = inside + paired.by_unit(paired.count * _through_ranks(slope_observed)[paired.category])
        per_rating = per_rating + _through_ranks(4 * sizes * (n * places - first))
    expected = 2 * (n * second - first**2)
    of_expected = paired.by_unit(paired.count * per_rating[paired.category])
    return Disagreement(n, float(inside.sum()), expected, r, of_observed, of_expected)


def _through_ranks(slopes: Floats) -> Floats:
    """Return derivatives by the ratings of each category, from derivatives by the ranks."""
    above = slopes[::-1].cumsum()[::-1] - slopes
    return np.asarray(above + slopes / 2)


def _values(categories: Sequence[Any]) -> Floats:
    (meant,) = alike(categories)  # True and False may be words
    try:
        return np.array([float(category) for category in meant])
    except (TypeError, ValueError):
        raise UndefinedStatisticError(
            "categories are not numbers: the interval between them is not known"
        ) from None
