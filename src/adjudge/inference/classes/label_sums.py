"""The counts of a classifier's labels, and what one more instance adds to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints, Limits
from adjudge.indices.class_measures import named_classes
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence, rounding_of
from adjudge.inference.linear import ERROR, PART, CellSums, Scored, Steps, all_cells, derivative, scored
from adjudge.inference.refusals import MOST_COUNTS, reason_of
from adjudge.statistics.classes import ClassCounts, rounded_once
from adjudge.statistics.confusion import Confusion

# Most cells of a confusion matrix whose empty ones are looked at one by one.
_MOST_CELLS = 400
#: Whether each of four outcomes is of an instance of another class.
IS_REST = np.array([0, 1, 0, 1])
# With no more classes, it takes no longer to differentiate in each than to find those that are alike.
_FEW = 4


@dataclass(frozen=True, eq=False)
class LabelSums:
    """How often each class is true, predicted, and rightly predicted: 2 k numbers, and one for each predicted label.

    Attributes
    ----------
    confusion : Confusion
    positive : object
        The positive class; None if there is none.
    constant : int or None
        Position of a class that a score reads in another way than the others.
    """

    confusion: Confusion
    positive: Any = None
    constant: int | None = None

    @cached_property
    def counts(self) -> ClassCounts:
        """The same numbers by class."""
        return self.confusion.by_class(positive=self.positive)

    @cached_property
    def _k(self) -> int:
        return self.counts.k

    def numbers(self) -> Floats:
        """Return how often each label is true, predicted and right."""
        predicted = np.asarray(self.confusion.predicted_counts, np.float64)
        return np.concatenate([self.counts.true, predicted, self.counts.right]).astype(np.float64)

    def alike(self) -> Ints:
        """Return, for each number, the first one with the same slope: classes with the same counts are exchangeable."""
        return self._alike

    @cached_property
    def _alike(self) -> Ints:
        k, n_said = self._k, len(self.confusion.labels)
        if k <= _FEW:
            return np.arange(2 * k + n_said)
        _, first = np.unique(self._ranks, return_index=True)
        same = first[self._ranks]
        return np.concatenate([same[:k], k + same, k + n_said + same[:k]])

    @cached_property
    def _ranks(self) -> Ints:
        """The place of each label by its counts, whatever its name: equal counts share a place."""
        counts, k = self.counts, self._k
        known = np.zeros((len(self.confusion.labels), 5))
        known[:, 1] = self.confusion.predicted_counts
        known[:k, 0], known[:k, 2], known[k:, 3] = counts.true, counts.right, -1
        if counts.positive is not None:
            known[counts.positive, 3] = 1
        if self.constant is not None:
            known[self.constant, 4] = 1
        return np.unique(known, axis=0, return_inverse=True)[1].ravel()

    def steps(self) -> Floats:
        """Return 1 for each number."""
        return np.ones(2 * self._k + len(self.confusion.labels))

    def at(self, numbers: Floats) -> Mapping[type, Any]:
        """Return counts by class with these numbers."""
        k = self._k
        true, predicted, right = numbers[:k], numbers[k:-k], numbers[-k:]
        outside = dict(zip(self.counts.outside, predicted[k:], strict=True))
        classes, positive = self.counts.classes, self.counts.positive
        n = rounded_once(true)
        return _ByAnyName(ClassCounts(classes, true, predicted[:k], right, n, positive, outside))

    def per_cell(self, slope: Floats, cells: Ints) -> Floats:
        """Return what one more instance of each true and predicted label adds."""
        (true, said), k = cells, self._k
        of_right = np.where(true == said, slope[-k:][true], 0.0)
        return np.asarray(slope[:k][true] + slope[k:-k][said] + of_right)

    def moved(self, cell: Ints, amount: float) -> Floats:
        """Return the numbers with some more instances of a true and a predicted label."""
        (true, said), k = cell.tolist(), self._k
        numbers = self.numbers()
        numbers[[true, k + said]] += amount
        if true == said:
            numbers[true - k] += amount
        return numbers

    @cached_property
    def _all_cells(self) -> Ints:
        return all_cells((self._k, len(self.confusion.labels)))

    def extremes(self, slope: Floats) -> Ints:
        """Return for each class its right answer, and wrong ones that add most and least."""
        k = self._k
        if k * len(self.confusion.labels) <= _MOST_CELLS:
            return self._all_cells
        # Two each, as one of them may be right. Slopes that differ by rounding alone are equal: names do not decide.
        order = np.lexsort((self._ranks, slope[k:-k].astype(np.float32)))
        ends = np.unique(np.concatenate([order[:2], order[-2:]]))
        true = np.repeat(np.arange(k), ends.size + 1)
        return np.stack([true, np.column_stack([np.tile(ends, (k, 1)), np.arange(k)]).ravel()])


class _ByAnyName(dict[type, Any]):
    """The same counts under the name of any class of them that a record reads."""

    def __init__(self, counts: ClassCounts) -> None:
        super().__init__({ClassCounts: counts})

    def __missing__(self, kind: type) -> Any:
        return self[ClassCounts]


def cells_of_matrix(confusion: Confusion, positive: Any = None) -> CellSums:
    """Return the cells of a confusion matrix, for scores that read more than counts by class.

    They are all cells of a small matrix, and the filled ones of a large one.
    """
    labels, shape = confusion.labels, (len(confusion.classes), len(confusion.labels))
    if math.prod(shape) <= _MOST_CELLS:
        cells = all_cells(shape)
        counts = confusion.dense()[: shape[0]].ravel()
    else:
        truth, said, counts = confusion.cells()
        cells = np.stack([truth, said])

    def made(numbers: Floats) -> Mapping[type, Any]:
        rows, cols = cells
        moved = Confusion.of_cells(
            labels, rows, cols, numbers, confusion.orders, n_outside=confusion.n_outside
        )
        found = _ByAnyName(moved.by_class(positive=positive))
        found[Confusion] = moved
        return found

    return CellSums(cells, np.asarray(counts, np.float64), made)


class OutcomeSums:
    """Counts of four outcomes in each of several tables: those of each class, or of each pair of models.

    Parameters
    ----------
    tables : ndarray of float64 of shape (K, 4)
    """

    def __init__(self, tables: Floats) -> None:
        self._tables = tables

    def influences(
        self, measure: Callable[[Floats], Floats], limits: Limits, amounts: Floats
    ) -> list[Influence]:
        """Return the influence of the instances of each cell on a measure of each table.

        Parameters
        ----------
        measure : callable
            Returns the values, given tables of any shape that has the four outcomes first.
        limits : (float, float)
            Smallest and largest possible value.
        amounts : ndarray of shape (K, 4)
            How many instances an event adds to each cell, if it is empty.
        """
        tables, steps = self._tables, PART * amounts
        # Here, one and two steps away, and with an event more in each cell.
        more = np.array([0.0, PART, 2 * PART, 1.0])[:, None, None] * amounts
        with np.errstate(invalid="ignore"):
            moved = tables[:, None] + np.eye(4) * more[..., None]
            values, once, twice, with_one = measure(np.moveaxis(moved, -1, 0))
            slopes = derivative(values, once, twice, steps)
            values, gains = values[:, 0], with_one - values
        gains = np.where((tables == 0) & np.isfinite(gains), gains, 0.0)
        n, unseen = tables.sum(axis=1, keepdims=True), (tables == 0).any(axis=1)
        noise = n[:, 0] * (rounding_of(*limits) / steps.min(axis=1) + ERROR * np.abs(slopes).max(axis=1))
        rises, falls = (np.where(unseen, np.max(sign * gains, axis=1), math.nan) for sign in (1, -1))
        return [
            Influence.centred(
                value,
                psi,
                counts,
                rise=rise,
                fall=fall,
                rounding=rounding,
                classes=IS_REST,
                rests_on_classes=True,
            )
            for value, psi, counts, rise, fall, rounding in zip(
                values.tolist(),
                n * slopes,
                tables,
                rises.tolist(),
                falls.tolist(),
                noise.tolist(),
                strict=True,
            )
        ]


class ScoredLabels:
    """The scores of one model's labels, each with its slope, computed once.

    Parameters
    ----------
    confusion : Confusion
    positive : object
        The positive class; None if there is none.
    one : float
        How many instances an event adds to an empty cell; see :attr:`Drawn.share_of_one`.
    """

    def __init__(self, confusion: Confusion, positive: Any, one: float = 1.0) -> None:
        self.confusion = confusion
        truth, said, counts = confusion.cells()
        self.cells, self.counts = np.stack([truth, said]), np.asarray(counts, np.float64)
        self._read, self._positive, self._one = LabelSums(confusion, positive), positive, one
        self._known: dict[str, Scored] = {}

    @cached_property
    def _sums(self) -> Steps:
        return Steps(self._read, self._one)

    @cached_property
    def _cell_sums(self) -> Steps:
        return Steps(cells_of_matrix(self.confusion, self._positive), self._one)

    def why_not(self, record: Index) -> str | None:
        """Say why the influence on a score is not known, or would take minutes; None if it is."""
        counts = self._read.counts
        absent = counts.true == 0
        if self._steps(record).distinct.size > MOST_COUNTS:
            return reason_of("many classes")
        if record.mean_of.startswith("classes") and absent.any():
            return reason_of("class unknown", classes=named_classes(counts.classes, absent))
        return None

    def of(self, record: Index) -> Scored:
        """Return a score with its slope; of the most extreme value over all constant answers, at this answer."""
        if record.name not in self._known:
            commonest = int(np.argmax(self._read.counts.true))
            self._known[record.name] = (
                self.at_constant(record, commonest)
                if record.is_over_constants
                else scored(record, self._steps(record))
            )
        return self._known[record.name]

    def influence(self, own: Scored, of_classes: Floats | None = None) -> Influence:
        """Return the influence of the instances of each cell on one of these scores; see :meth:`Scored.influence`."""
        return replace(
            own.influence(self.cells, self.counts, of_classes), classes=self.cells[0], rests_on_classes=True
        )

    def at_constant(self, record: Index, place: int) -> Scored:
        """Return a score, and its slope, with the class in a place as the constant answer."""
        read = replace(self._read, constant=place)
        return scored(record, Steps(read, self._one), constant=self._read.counts.classes[place])

    def _steps(self, record: Index) -> Steps:
        return self._cell_sums if Confusion in record.requires else self._sums


class ScoredModels:
    """The models scored so far: one that is compared with many is scored only once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], ScoredLabels] = {}

    def of(self, confusion: Confusion, positive: Any, one: float = 1.0) -> ScoredLabels:
        """Return the model with this confusion matrix."""
        cells = (part.tobytes() for part in confusion.cells())
        key = (tuple(confusion.labels), confusion.n_outside, confusion.orders, positive, one, *cells)
        if key not in self._known:
            self._known[key] = ScoredLabels(confusion, positive, one)
        return self._known[key]
