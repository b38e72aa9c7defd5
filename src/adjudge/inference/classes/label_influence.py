"""The influence of each cell of a confusion matrix on scores of its labels.

The derivative of a score in the share of each cell is taken at a table in which one instance is spread by the product
of the margins (Fienberg & Holland 1973), so that no mistake seems impossible just because it has not occurred. With
more than 20 classes, the score is recomputed without an instance of each cell instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.indices.record import Index
from adjudge.inference.arrays import Floats, Ints, Limits, Numbers
from adjudge.inference.influence import Influence, rounding_of, within
from adjudge.inference.refusals import reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.confusion import Confusion

__all__ = [
    "MOST_CELLS",
    "TOO_MANY_CELLS",
    "LabelInfluences",
    "ModelInfluences",
    "influence_of_left_out",
    "influence_of_table",
    "spread_tables",
    "weight_of_one",
]


#: Most filled cells of a confusion matrix for which every score is recomputed without an instance of each.
MOST_CELLS = 1_000
#: Why there is no interval if there are more.
TOO_MANY_CELLS = reason_of("many filled cells", most=f"{MOST_CELLS:,}")
# Most cells for which a score is differentiated in all of them, including the empty ones: it takes as long.
_MOST_SPREAD = 400
# Step of a numerical derivative, as a part of a count: the error is of this order.
_PART = 1e-5


def weight_of_one(drawn: Drawn | None) -> float:
    """Return the weight of an instance: 1, or see :attr:`Drawn.of_one`."""
    return 1.0 if drawn is None else drawn.of_one


def spread_tables(table: Numbers, one: float) -> Floats:
    """Return a table in which one instance is spread by the product of the margins, and it with each cell increased.

    Parameters
    ----------
    table : ndarray of shape (k, k)
    one : float
        Weight of an instance.

    Returns
    -------
    ndarray of shape (1 + k * k, k, k)
    """
    full = _full(table, one)
    found = np.repeat(full[None], 1 + table.size, axis=0)
    found.reshape(len(found), -1)[np.arange(1, len(found)), np.arange(table.size)] += _steps(full).ravel()
    return found


def _full(table: Numbers, one: float) -> Floats:
    rows, cols = (table.sum(axis=axis) / float(table.sum()) for axis in (1, 0))
    return np.asarray(table + one * np.outer(rows, cols))


def _steps(full: Floats) -> Floats:
    """Return the increase of each cell: a part of the smaller of its margins, on which scores depend."""
    total = float(full.sum())
    smaller = np.minimum.outer(full.sum(axis=1), full.sum(axis=0))
    return np.asarray(_PART * np.maximum(smaller, _PART * total))


def influence_of_table(
    value: float, spread: Floats, table: Numbers, limits: tuple[float, float], one: float
) -> Influence:
    """Return the influence of each cell on a score.

    Parameters
    ----------
    value : float
    spread : ndarray of shape (1 + k * k,)
        The score of each of the :func:`spread_tables`.
    table : ndarray of shape (k, k)
    limits : (float, float)
        Smallest and largest possible value.
    one : float
    """
    full = _full(table, one)
    total = float(full.sum())
    steps = _steps(full) / total
    # A class that never occurs has no influence.
    slopes = np.where(full > 0, (spread[1:] - spread[0]).reshape(table.shape) / steps, 0.0)
    noise = rounding_of(value, *limits) / steps.ravel()
    everywhere = Influence.centred(value, slopes.ravel(), full.ravel(), rounding=noise)
    slopes, least = everywhere.psi.reshape(table.shape), everywhere.moment(2) * one / total**2
    costs = np.where(full > 0, np.abs(np.diag(slopes)[:, None] - slopes), 0.0)
    event = float(costs.max()) * one / total
    if within(value, limits) in limits:
        # At the best or worst value, no existing instance changes it.
        slopes, least = np.zeros(table.shape), 0.0
    return Influence.centred(value, slopes.ravel(), table.ravel(), least=least, event=event, rounding=noise)


def influence_of_left_out(
    value: float, counts: Numbers, score: Callable[[Numbers], float], limits: Limits
) -> Influence:
    """Return the influence of each cell on a score, from its values without an instance, or a part of a weight.

    Parameters
    ----------
    value : float
    counts : ndarray of shape (m,)
    score : callable
        Returns the score of given counts.
    limits : (float, float)
        Smallest and largest possible value.
    """
    if counts.dtype.kind != "f" and counts.sum() < 2:
        return Influence(value, np.full(counts.size, math.nan), counts.astype(np.float64))
    parts = counts * _PART if counts.dtype.kind == "f" else np.minimum(counts, 1)
    left = np.full(counts.size, value)
    for i in np.flatnonzero(parts).tolist():
        fewer = counts.copy()
        fewer[i] -= parts[i]
        left[i] = score(fewer)
    known = np.where(parts > 0, parts, 1)
    others = (counts.sum() - known) / known
    noise = rounding_of(value, *limits) * others
    return Influence.centred(value, (value - left) * others, counts, rounding=noise)


class LabelInfluences:
    """Influence values of one model's scores, each computed once.

    Parameters
    ----------
    confusion : Confusion
    positive : object
        The positive class; None if there is none.
    one : float
        Weight of an instance, see :func:`weight_of_one`.
    """

    def __init__(self, confusion: Confusion, positive: Any, one: float = 1.0) -> None:
        self.confusion = confusion
        self.positive = positive
        self.truth, self.said, self.cells = confusion.cells()
        self.counts = confusion.by_class(positive=positive)
        self._one = one
        self._known: dict[str, Influence] = {}

    def of(self, record: Index) -> Influence:
        """Return the influence of each cell, in the order of `confusion.cells()`, on a score."""
        if record.name not in self._known:
            self._known[record.name] = self._made(record)
        return self._known[record.name]

    def at(self, record: Index, truth: Ints, said: Ints, counts: Numbers | None = None) -> Influence:
        """Return the influence of instances with these labels, given as positions among the classes."""
        k = len(self.confusion.labels)
        places = np.searchsorted(self.truth * k + self.said, truth * k + said)
        return self.of(record).at(places, counts)

    def _made(self, record: Index) -> Influence:
        value = _assessed(record, self._statistics(self.confusion))
        if not math.isfinite(value):
            return Influence(value, np.full(self.cells.size, math.nan), self.cells.astype(np.float64))
        low, high = map(float, record.range)
        if len(self.confusion.labels) ** 2 > _MOST_SPREAD:
            return influence_of_left_out(
                value, self.cells, lambda cells: _assessed(record, self._with(cells)), (low, high)
            )
        spread = np.array([_assessed(record, made) for made in self._spread])
        found = influence_of_table(value, spread, self.confusion.matrix, (low, high), self._one)
        filled = found.at(self.truth * len(self.confusion.labels) + self.said, self.cells)
        return replace(filled, least=found.least, event=found.event)

    @cached_property
    def _spread(self) -> list[dict[type, Any]]:
        tables = spread_tables(self.confusion.matrix, self._one)
        return [self._statistics(replace(self.confusion, _matrix=table, _cells=None)) for table in tables]

    def _with(self, cells: Numbers) -> dict[type, Any]:
        known = self.confusion
        made = Confusion.of_cells(
            known.labels, self.truth, self.said, cells, known.orders, n_outside=known.n_outside
        )
        return self._statistics(made)

    def _statistics(self, confusion: Confusion) -> dict[type, Any]:
        return {Confusion: confusion, object: confusion.by_class(positive=self.positive)}


def _assessed(record: Index, statistics: dict[type, Any]) -> float:
    return float(record.assess(*(statistics.get(kind, statistics[object]) for kind in record.requires))[0])


class ModelInfluences:
    """The models scored so far: one that is compared with many is scored only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], LabelInfluences] = {}

    def of(self, confusion: Confusion, positive: Any, one: float = 1.0) -> LabelInfluences:
        """Return the model with this confusion matrix."""
        cells = (part.tobytes() for part in confusion.cells())
        key = (tuple(confusion.labels), confusion.n_outside, confusion.orders, positive, one, *cells)
        return self._known.setdefault(key, LabelInfluences(confusion, positive, one))
