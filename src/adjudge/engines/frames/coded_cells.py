"""The combinations of labels that occur in a table, coded: chunks of its rows find theirs again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.chunks import Chunk
from adjudge.engines.frames.counting import LabelCells, numbers_of
from adjudge.errors import InputError
from adjudge.given.alignment import align_labels
from adjudge.given.labels import Labels
from adjudge.given.units import Units, crossed_groups
from adjudge.given.weights import WeightSums

__all__ = ["CHANGED", "CodedCells"]

Ints = NDArray[np.int64]
# Up to this many numbers for one that is known, their positions are looked up rather than searched for.
_SPREAD = 8

#: Said if rows are not those that were counted.
CHANGED = "the table's rows changed between two readings: write them to a file first"


@dataclass(frozen=True, eq=False)
class CodedCells:
    """Combinations of labels, of groups and of units.

    Attributes
    ----------
    keys : sequence of str
        The columns.
    columns : sequence of Labels
        The labels of each combination in each of them.
    truth : Labels
    prediction, groups : Labels or None
    units : Units or None
    counts : ndarray of int64
        Rows of each combination.
    weights : WeightSums or None
        Their weights, if they have any.
    """

    keys: Sequence[Any]
    columns: Sequence[Labels]
    truth: Labels
    prediction: Labels | None
    groups: Labels | None
    units: Units | None
    counts: Ints
    weights: WeightSums | None = None

    @classmethod
    def of(
        cls, cells: LabelCells, truth: Any, pred: Any, grouping: Sequence[Any], units: Any = None
    ) -> CodedCells:
        """Code counted combinations."""
        vectors = {"labels_true": cells.labels[truth]}
        if pred is not None:
            vectors["labels_pred"] = cells.labels[pred]
        beside = [*grouping, *([] if units is None else [units])]
        columns = {f"\0{i}": cells.labels[name] for i, name in enumerate(beside)}
        labels = align_labels({**vectors, **columns}).labels
        return cls(
            [truth, *([] if pred is None else [pred]), *beside],
            labels,
            labels[0],
            None if pred is None else labels[1],
            crossed_groups(labels[len(vectors) :][: len(grouping)]),
            None if units is None else Units.of(labels[-1]),
            cells.counts,
            cells.weights,
        )

    @cached_property
    def group_codes(self) -> Ints:
        """The group of each combination."""
        return np.zeros(self.counts.size, np.int64) if self.groups is None else self.groups.dense()[0]

    @cached_property
    def _dense(self) -> list[tuple[Ints, Sequence[Any]]]:
        return [own.dense() for own in self.columns]

    @cached_property
    def _known(self) -> list[_Known]:
        return [_Known(names) for _, names in self._dense]

    @cached_property
    def _steps(self) -> tuple[list[_Places | None], Ints]:
        """The combinations of the first columns that occur, unless all do; the place of each of all columns."""
        found, steps = np.zeros(self.counts.size, np.int64), list[_Places | None]()
        for codes, names in self._dense:
            distinct, found = np.unique(found * len(names) + codes, return_inverse=True)
            steps.append(_Places(distinct) if distinct[-1] >= distinct.size else None)
        of_code = np.empty(found.size, np.int64)
        of_code[found] = np.arange(found.size)
        return steps, of_code

    def combinations(self, chunk: Chunk) -> Ints:
        """Return the combination of each row of a chunk."""
        steps, of_code = self._steps
        found: Any = 0
        for step, known, name in zip(steps, self._known, self.keys, strict=True):
            keys = found * known.size + known.codes_of(chunk[name])
            found = keys if step is None else step.of(keys)
        return np.asarray(of_code[found])


class _Known:
    """The distinct labels of a column, whose positions are their codes."""

    def __init__(self, names: Sequence[Any]) -> None:
        self.size, self._names = len(names), names
        numbers = np.array(names) if all(type(own) is int for own in names) else None
        # Whole numbers, of which units may have many, are found without a dictionary.
        self._order, self._numbers = np.zeros(0, np.int64), None
        if numbers is not None and numbers.dtype == np.int64:
            self._order = np.argsort(numbers, kind="stable")
            self._numbers = _Places(numbers[self._order])

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {name: i for i, name in enumerate(self._names)}

    def codes_of(self, column: Any) -> Ints:
        """Return the code of each label."""
        if self._numbers is not None and (numbers := numbers_of(column)).dtype.kind == "i":
            return np.asarray(self._order[self._numbers.of(np.asarray(numbers, np.int64))])
        own, names = align_labels({"labels_true": column.to_native()}).labels[0].dense()
        if not all(name in self._codes for name in names):
            raise InputError(CHANGED)
        return np.array([self._codes[name] for name in names], np.int64)[own]


class _Places:
    """The positions of whole numbers, which ascend."""

    def __init__(self, known: Ints) -> None:
        self._known, self._low = known, int(known[0])
        self._table: NDArray[np.int32] | None = None
        if int(known[-1]) - self._low < _SPREAD * known.size:
            self._table = np.full(int(known[-1]) - self._low + 1, -1, np.int32)
            self._table[known - self._low] = np.arange(known.size)

    def of(self, values: Ints) -> Ints:
        """Return the position of each of these."""
        if not values.size or (self._low <= values.min() and values.max() <= self._known[-1]):
            if self._table is not None:
                found = self._table[values - self._low].astype(np.int64)
                if found.min(initial=0) >= 0:
                    return found
            else:
                found = np.searchsorted(self._known, values)
                if np.array_equal(self._known[found], values):
                    return found
        raise InputError(CHANGED)
