"""Slices of rows by one or two columns of a table, and those in which a loss is highest.

Columns of few values give a condition for each value, others for ranges between quintiles. All slices are counted at
once: the pairs of conditions are the product of a matrix with itself.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.choosing.slice_columns import Columns
from adjudge.given.labels import Labels

__all__ = ["Condition", "Slice", "conditions_of", "worst_slices"]

# Numbers of at most this many distinct values are taken value by value.
_FEW_VALUES = 12
_SHARES = (0.2, 0.4, 0.6, 0.8)
# Most conditions whose pairs are counted, and rows at a time.
_MOST_CONDITIONS, _BLOCK = 400, 1 << 16
# Most slices that are looked at again without the rows of those chosen before.
_MOST_LOOKED_AT = 500
# Of adding a second condition to one that tells all.
_CHANCE = 0.05


@dataclass(frozen=True)
class Condition:
    """Rows with a value of a column, or with one in a range.

    Attributes
    ----------
    column : object
    value : object
        None for a range.
    above, upto : float, datetime64 or None
        Ends of a range; None if it has none.
    missing : bool
        Whether the rows without a value are meant.
    """

    column: Any
    value: Any = None
    above: Any = None
    upto: Any = None
    missing: bool = False

    @property
    def words(self) -> str:
        """The condition in words: "age > 60", "region = north", "30 < age <= 45"."""
        if self.missing:
            return f"{self.column} is missing"
        if self.value is not None:
            return f"{self.column} = {_written(self.value)}"
        if self.above is None:
            return f"{self.column} <= {_end(self.upto)}"
        if self.upto is None:
            return f"{self.column} > {_end(self.above)}"
        return f"{_end(self.above)} < {self.column} <= {_end(self.upto)}"

    def holds(self, columns: Columns) -> Bools:
        """Return the rows of a table that it holds for."""
        own = columns[self.column]
        if isinstance(own, Labels):
            found = own.where("" if self.missing else self.value)
            return np.zeros(len(own), np.bool_) if found is None else found
        if self.missing:
            return np.asarray(np.isnan(own))
        if self.value is not None:
            return np.asarray(own == self.value)
        within = ~np.isnan(own) if self.above is None else own > self.above
        return np.asarray(within if self.upto is None else within & (own <= self.upto))


def _written(value: Any) -> str:
    if isinstance(value, np.datetime64):
        return str(value.item()).removesuffix(" 00:00:00")
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value)


def _end(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) and value != int(value) else _written(value)


@dataclass(frozen=True)
class Slice:
    """Rows for which one or two conditions hold.

    Attributes
    ----------
    conditions : tuple of Condition
    """

    conditions: tuple[Condition, ...]

    @property
    def words(self) -> str:
        """The conditions in words."""
        return " and ".join(condition.words for condition in self.conditions)

    def holds(self, columns: Columns) -> Bools:
        """Return the rows of a table that belong to it."""
        found: Bools = np.logical_and.reduce([condition.holds(columns) for condition in self.conditions])
        return found


def conditions_of(columns: Columns, fewest: int) -> list[Condition]:
    """Return the conditions that hold for enough rows, but not for nearly all.

    Parameters
    ----------
    columns : mapping of object to ndarray of float64 or datetime64, or Labels
    fewest : int
        Rows that each condition, and its contrary, must have.
    """
    return [
        own
        for name, values in columns.items()
        for own in (_of_texts(name, values) if isinstance(values, Labels) else _of_numbers(name, values))
        if fewest <= int(own.holds(columns).sum()) <= len(values) - fewest
    ]


def _of_numbers(name: Any, values: NDArray[Any]) -> Iterator[Condition]:
    if np.isnan(values).any():
        yield Condition(name, missing=True)
    known = np.sort(values[~np.isnan(values)])
    distinct = np.unique(known)
    if distinct.size <= _FEW_VALUES:
        for own in _single(distinct):
            yield Condition(name, own)
        return
    # Dates have no quantiles, but places have.
    places = np.quantile(np.arange(known.size), _SHARES, method="inverted_cdf")
    ends = _single(np.unique(known[places]))
    for own in ends:
        yield Condition(name, upto=own)
        yield Condition(name, above=own)
    for low, high in pairwise(ends):
        yield Condition(name, above=low, upto=high)


def _single(values: NDArray[Any]) -> list[Any]:
    """Return numbers of Python, or dates."""
    return list(values) if values.dtype.kind == "M" else values.tolist()


def _of_texts(name: Any, values: Labels) -> Iterator[Condition]:
    for own in values.present:
        yield Condition(name, own) if own else Condition(name, missing=True)


def worst_slices(
    columns: Columns, losses: Floats, fewest: int, most: int
) -> tuple[list[Slice], int, list[Any]]:
    """Return the slices with the highest losses, how many were looked at, and the columns that give none.

    Parameters
    ----------
    columns : mapping of object to ndarray of float64 or datetime64, or Labels
    losses : ndarray of float64 of shape (n,)
    fewest : int
        Rows of a slice.
    most : int
        How many slices are returned: the worst, then the worst of what it leaves, and so on. Instead of a pair of
        conditions of which one alone tells as much, that one is returned.
    """
    from scipy.stats import norm

    conditions = conditions_of(columns, fewest)
    holds = [condition.holds(columns) for condition in conditions]
    giving = {condition.column for condition in conditions}
    silent = [name for name in columns if name not in giving]
    n, total = losses.size, float(losses.sum())
    spread = float(losses.std())
    if not conditions or not spread > 0:
        return [], len(conditions), silent

    sizes = np.array([own.sum() for own in holds], np.float64)
    alone = _excess(np.array([losses[own].sum() for own in holds]), sizes, total, n, spread, fewest)
    kept = np.argsort(-np.abs(alone), kind="stable")[:_MOST_CONDITIONS]
    found: list[tuple[float, tuple[int, ...]]] = [(float(alone[i]), (i,)) for i in range(len(conditions))]
    both, sums = _pairs([holds[i] for i in kept], losses)
    together = _excess(sums, both, total, n, spread, fewest)
    n_looked_at = len(conditions)
    for a, b in zip(*np.triu_indices(kept.size, 1), strict=True):
        i, j = int(kept[a]), int(kept[b])
        if conditions[i].column == conditions[j].column or both[a, b] < fewest:
            continue
        n_looked_at += 1
        if together[a, b] > max(alone[i], alone[j], 0.0):
            found.append((float(together[a, b]), (i, j)))
    found.sort(key=lambda own: -own[0])
    places = [own for value, own in found[:_MOST_LOOKED_AT] if value > 0]
    # A second condition was chosen among those of its column.
    of_column = Counter(condition.column for condition in conditions)
    limits = [float(norm.isf(_CHANCE / of_column[condition.column])) for condition in conditions]
    chosen: list[tuple[int, ...]] = []
    left = np.ones(n, np.bool_)
    while len(chosen) < most:
        # What the slices chosen before explain tells nothing more.
        rest = int(left.sum())
        rows = [np.logical_and.reduce([left, *(holds[i] for i in own)]) for own in places]
        sizes = np.array([row.sum() for row in rows], np.float64)
        sums = np.array([losses[row].sum() for row in rows])
        values = _excess(sums, sizes, float(losses[left].sum()), rest, spread, fewest)
        if not values.size or not values.max() > 0:
            break
        best = int(values.argmax())
        named = _simplest(places[best], holds, left, losses, spread, fewest, limits)
        chosen.append(named)
        left &= ~np.logical_and.reduce([holds[i] for i in named])
    return [Slice(tuple(conditions[i] for i in sorted(own))) for own in chosen], n_looked_at, silent


def _simplest(
    pair: tuple[int, ...],
    holds: Sequence[Bools],
    left: Bools,
    losses: Floats,
    spread: float,
    fewest: int,
    limits: Sequence[float],
) -> tuple[int, ...]:
    """Return one condition of two, if the rows of both are not clearly worse than the others for which it holds.

    Parameters
    ----------
    pair : tuple of int
        One condition, which is returned, or two.
    holds : sequence of ndarray of bool
        The rows of each condition.
    left : ndarray of bool
        The rows that are looked at.
    losses : ndarray of float64
    spread : float
    fewest : int
    limits : sequence of float
        By condition, the number of standard errors beyond which rows for which it holds as well are clearly worse.
    """
    if len(pair) < 2:
        return pair
    inside = np.logical_and.reduce([left, *(holds[i] for i in pair)])
    n, total = int(left.sum()), float(losses[left].sum())
    enough: list[tuple[float, int]] = []
    for i, second in (pair, pair[::-1]):
        whole = left & holds[i]
        others = whole & ~inside
        if others.any():
            error = spread * math.sqrt(1 / inside.sum() + 1 / others.sum())
            if losses[inside].mean() - losses[others].mean() > limits[second] * error:
                continue
        sums, sizes = np.array([losses[whole].sum()]), np.array([whole.sum()], np.float64)
        value = float(_excess(sums, sizes, total, n, spread, fewest)[0])
        if value > 0:
            enough.append((value, i))
    return (max(enough)[1],) if enough else pair


def _excess(sums: Floats, sizes: Floats, total: float, n: int, spread: float, fewest: int) -> Floats:
    """Return by how many standard errors slices have higher losses than the rest; -inf for those of few rows."""
    rest = n - sizes
    usable = (sizes >= fewest) & (rest >= fewest)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = sums / sizes - (total - sums) / rest
        found = apart / (spread * np.sqrt(1 / sizes + 1 / rest))
    return np.where(usable, found, -np.inf)


def _pairs(holds: Sequence[Bools], losses: Floats) -> tuple[Floats, Floats]:
    """Return the number of rows for which both of each pair of conditions hold, and the sum of their losses."""
    m, n = len(holds), losses.size
    sizes, sums = np.zeros((m, m)), np.zeros((m, m))
    # Whole numbers of a block add up exactly in half the bits, whatever the order.
    are_small = bool(np.isin(losses, (-1.0, 0.0, 1.0)).all())
    bits: Any = np.float32 if are_small else np.float64
    losses = losses.astype(bits, copy=False)
    for first in range(0, n, _BLOCK):
        rows = slice(first, first + _BLOCK)
        part = np.array([own[rows] for own in holds], bits)
        sizes += part @ part.T
        sums += (part * losses[rows]) @ part.T
    return sizes, sums
