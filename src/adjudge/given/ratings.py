"""Labels that several raters give to the same units: coded once; every error about them is raised here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, a_type, in_words
from adjudge.given.alignment import check_same_order
from adjudge.given.arrays import in_numpy, numbers_of_objects
from adjudge.given.class_names import alike
from adjudge.given.class_order import StatedOrder, stated_orders
from adjudge.given.data_frames import FRAME_PACKAGES, columns_by_name, numbers_in
from adjudge.given.label_values import whole_as_text
from adjudge.given.label_vectors import sorted_order
from adjudge.given.labels import Labels, code_labels
from adjudge.given.options import given_names
from adjudge.presentation.numbers import count

# Least number of rows that say that they all have the same sum.
_ENOUGH = 5
_LAZY_PACKAGES = ("duckdb", "_duckdb", "ibis", "pyspark")


@dataclass(frozen=True, eq=False)
class RatedUnits:
    """The rating of each unit by each rater.

    Attributes
    ----------
    codes : ndarray of int64 of shape (n, R)
        Position of the category; -1 if a rater did not rate.
    categories : sequence of length K
        In the given order, or sorted.
    orders : tuple of StatedOrder
        Orders of the categories that an option or the types of columns state.
    raters : tuple of object
        Their names, or positions.
    """

    codes: Ints
    categories: Sequence[Any]
    orders: tuple[StatedOrder, ...] = ()
    raters: tuple[Any, ...] = ()

    def strangers(self) -> list[Any]:
        """Name the raters whose categories are text that no other rater uses."""
        if not any(isinstance(label, str) for label in self.categories):
            return []
        used = [np.unique(own[own >= 0]) for own in self.codes.T]
        n_raters = np.bincount(np.concatenate(used), minlength=len(self.categories))
        return [
            name
            for name, own in zip(self.raters, used, strict=True)
            if own.size
            and (n_raters[own] == 1).all()
            and all(isinstance(self.categories[i], str) for i in own)
        ]

    @property
    def sum_if_counts(self) -> int | None:
        """The sum of each row, if all have the same one, as numbers of raters in each category do; else None.

        Rows differ, one holds 0, and there are enough rows that ratings would hardly do the same.
        """
        are_counts = all(type(own) is int and own >= 0 for own in self.categories)
        if not are_counts or len(self.codes) < _ENOUGH or (self.codes < 0).any():
            return None
        counts = np.array(self.categories)[self.codes]
        total = int(counts[0].sum())
        alike = total > 1 and (counts.sum(axis=1) == total).all() and counts.min() == 0
        return total if alike and (counts != counts[0]).any() else None


#: What to do about rows of the same sum.
IF_COUNTS = (
    "if each column is a category, repeat its name as often: [np.repeat(names, row) for row in counts]"
)


def read_ratings(
    ratings: Any, categories: Sequence[Any] | None = None, option: str = "categories"
) -> RatedUnits:
    """Check and code the labels of several raters.

    Parameters
    ----------
    ratings : array-like of shape (n, R), data frame with a column for each rater, or mapping of names to labels
        Rows are units. None and nan stand for missing ratings.
    categories : sequence, optional
        All categories, in their order for ordinal scores; default: those that occur, sorted.

    Raises
    ------
    InputError
        If there are fewer than two raters, or a rating is not among the categories.

    Examples
    --------
    >>> from adjudge.given.ratings import read_ratings
    >>> read_ratings([["no", "no"], ["yes", None]]).codes
    array([[ 0,  0],
           [ 1, -1]])
    """
    if isinstance(ratings, RatedUnits):
        return ratings
    if isinstance(categories, str):  # whose letters would be the categories
        given_names(option, categories)
    columns = _columns(ratings)
    if len(columns) < 2:
        raise InputError(
            Argument("ratings"), f" has {count(len(columns), 'column')}: at least two raters are needed"
        )
    check_same_order({"ratings": columns})
    coded = [code_ratings(values, f"ratings[{in_words(name)}]") for name, values in columns.items()]
    sizes = {str(name): len(labels) for name, labels in zip(columns, coded, strict=True)}
    if len(set(sizes.values())) > 1:
        named = ", ".join(f"{name} {size}" for name, size in list(sizes.items())[:4])
        raise InputError(
            f"ratings has columns of different lengths ({named}): each has an entry for each unit"
        )
    n = len(coded[0])
    if n == 0:
        raise InputError("ratings is empty: at least one unit is needed")
    parts = []
    for labels in coded:
        rated = np.ones(n, np.bool_) if labels.missing is None else ~labels.missing
        parts.append((rated, *(labels.take(rated).dense() if rated.any() else (np.empty(0, np.int64), []))))
    labels_of = _with_one_name([own for _, _, own in parts], categories)
    parts = [(rated, codes, own) for (rated, codes, _), own in zip(parts, labels_of, strict=True)]
    _check_one_name_for_a_number(labels_of, list(columns))
    known = _categories([label for own in labels_of for label in own], categories, option)
    place = {label: i for i, label in enumerate(known)}
    found = np.full((n, len(parts)), -1, np.int64)
    for j, (rated, codes, own) in enumerate(parts):
        found[rated, j] = np.array([place[label] for label in own], np.int64)[codes]
    orders = stated_orders([(option, categories)])
    if categories is None:
        names = (f"ratings[{in_words(name)}]" for name in columns)
        orders = stated_orders(zip(names, (labels.order for labels in coded), strict=True))
    return RatedUnits(found, known, orders, tuple(columns))


def code_ratings(values: Any, name: str) -> Labels:
    """Code what one rater gave: labels, or numbers that need not be whole, such as 3.5 points.

    Parameters
    ----------
    values : array-like of shape (n,), or Labels
    name : str
        The vector's name in errors.
    """
    numbers = _numbers(values)
    if numbers is None or bool((np.isnan(numbers) | (numbers == np.floor(numbers))).all()):
        return code_labels(values, name)
    missing = np.isnan(numbers)
    infinite = np.flatnonzero(np.isinf(numbers))
    if infinite.size:
        raise InputError(
            Argument(name),
            f" has {float(numbers[infinite[0]])!r} ",
            Position(infinite[0]),
            ", which is infinite",
        )
    categories, codes = np.unique(numbers[~missing], return_inverse=True)
    found = np.zeros(numbers.size, np.int64)
    found[~missing] = codes
    return Labels(found, 0, categories.size, categories.tolist(), missing if missing.any() else None)


def _numbers(values: Any) -> Floats | None:
    """Return a vector of numbers, missing ones as NaN; None if it holds anything else."""
    import narwhals as nw

    if isinstance(values, (list, tuple, np.ndarray)):
        if isinstance(values, np.ma.MaskedArray) and values.dtype.kind == "f":
            values = np.ma.filled(values, np.nan)
        array = values if isinstance(values, np.ndarray) else np.fromiter(values, object, len(values))
        found = numbers_of_objects(array)
        return found.astype(np.float64) if found.ndim == 1 and found.dtype.kind == "f" else None
    try:
        series = nw.from_native(values, series_only=True)
    except TypeError:
        return None
    return numbers_in(series)


def _with_one_name(raters: Sequence[Sequence[Any]], categories: Sequence[Any] | None) -> list[list[Any]]:
    """Give True and False one name for all raters: that of the categories, or of the first who writes it."""
    sides = [list(own) for own in ([] if categories is None else [categories])] + [
        list(rater) for rater in raters
    ]
    names: dict[Any, Any] = {}
    meant = alike(*sides)
    for side, own in zip(sides, meant, strict=True):
        for label, meaning in zip(side, own, strict=True):
            names.setdefault(meaning, label)
    return [[names[meaning] for meaning in own] for own in meant[len(sides) - len(raters) :]]


def _check_one_name_for_a_number(raters: Sequence[Sequence[Any]], names: Sequence[Any]) -> None:
    """Refuse a number of one rater next to the same number as text of another."""
    who = {
        label: name
        for own, name in zip(raters, names, strict=True)
        for label in own
        if isinstance(label, str)
    }
    for own, name in zip(raters, names, strict=True) if who else ():
        for label in own:
            if not isinstance(label, str) and (text := whole_as_text(label)) in who:
                raise InputError(
                    Argument("ratings"),
                    f" has the number {text} in {in_words(name)}, and the text {text!r} in {in_words(who[text])}: make "
                    "all labels numbers, or all text",
                )


def _columns(ratings: Any) -> dict[Any, Any]:
    """Return the labels by each rater."""
    ratings = in_numpy(ratings, "ratings")
    if isinstance(ratings, Mapping):
        return dict(ratings)
    if type(ratings).__module__.partition(".")[0] in (*FRAME_PACKAGES, *_LAZY_PACKAGES):
        columns = columns_by_name(ratings, "ratings")
        if columns is not None:
            return dict(columns)
    if isinstance(ratings, np.ndarray):
        if ratings.ndim != 2:
            raise InputError(f"ratings has shape {ratings.shape}: a row for each unit, (n, R), is needed")
        return {j: ratings[:, j] for j in range(ratings.shape[1])}
    rows = [] if isinstance(ratings, (str, bytes)) or not isinstance(ratings, Iterable) else list(ratings)
    if not rows or any(isinstance(row, (str, bytes)) or not isinstance(row, Iterable) for row in rows):
        what = "are labels of one rater" if rows else f"are {a_type(ratings)}"
        raise InputTypeError(
            f"ratings {what}: give a row for each unit, with an entry for each rater, or the labels of each rater by "
            "name, as in {'ann': [1, 0], 'bob': [1, 1]}"
        )
    rows = [list(row) for row in rows]
    widths = {len(row) for row in rows}
    if len(widths) != 1:
        raise InputError("ratings is empty or ragged: each row has an entry for each rater")
    return {j: [row[j] for row in rows] for j in range(widths.pop())}


def _categories(occurring: Sequence[Any], categories: Sequence[Any] | None, option: str) -> list[Any]:
    distinct = list(dict.fromkeys(occurring))
    if not distinct:
        raise InputError(Argument("ratings"), " holds no rating: every entry is missing")
    if categories is None:
        return [distinct[i] for i in sorted_order(distinct)]
    known = list(categories)
    if twice := [label for i, label in enumerate(known) if label in known[:i]]:
        raise InputError(Argument(option), f" names {in_words(twice[0])} twice")
    if unknown := [label for label in distinct if label not in known]:
        raise InputError(
            Argument("ratings"),
            f" has {in_words(unknown[0])}, which is not among the categories: ",
            Option(option),
            " names all of them",
        )
    return known
