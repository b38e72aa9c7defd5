"""The confusion matrix of a classifier: true against predicted labels, over the same classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError, UndefinedStatisticError
from adjudge.given.class_names import check_classes
from adjudge.given.class_order import StatedOrder, joined_orders, places_in_order, stated_orders
from adjudge.given.positive import positive_position
from adjudge.presentation.tables import Table
from adjudge.statistics.classes import (
    ClassCounts,
    answer_positions,
    class_positions,
    classes_of_truth,
    united_classes,
)
from adjudge.statistics.joint import JointCounts

Positions = Ints
#: Positions of true and of predicted labels, and counts.
Cells = tuple[Positions, Positions, NDArray[Any]]

# Up to 4,096 classes, a dense matrix is stored; up to 16,384, it is made on request, and takes 2 GB.
_MOST_HELD = 4096
_MOST_SHOWN = 16_384
# More labels than these are counted, not printed.
_MOST_PRINTED = 20


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of true (rows) against predicted (columns) labels.

    Unlike a :class:`~adjudge.statistics.Contingency`, rows and columns carry the same labels, so its diagonal means
    "right". Make one with :meth:`from_labels`. Matrices of disjoint instances add up with ``+``: sorted labels stay
    sorted, else those that only the second has come last.

    Attributes
    ----------
    labels : sequence
        The classes in the given order, by default all true labels, sorted; then answers that name none of them.
    matrix : ndarray of int64 (of float64, if instances are weighted) of shape (K, K)
        With more than 4,096 classes, only non-empty cells are stored, see :meth:`cells`. The matrix is then made when
        it is read; with more than 16,384 classes, reading it is an error.
    orders : tuple of StatedOrder
        Orders of the classes that an option or the types of columns state.
    n_outside : int
        How many of the labels, the last ones, are answers that name no class.

    Examples
    --------
    >>> from adjudge import evaluate
    >>> from adjudge.statistics import Confusion
    >>> first = Confusion.from_labels(["a", "a", "b"], ["a", "b", "b"])
    >>> second = Confusion.from_labels(["c"], ["c"])
    >>> (first + second).matrix
    array([[1, 1, 0],
           [0, 1, 0],
           [0, 0, 1]])
    >>> evaluate(first + second)["accuracy"]
    0.75
    """

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    labels: Sequence[Any]
    _matrix: NDArray[Any] | None
    _cells: Cells | None = None
    orders: tuple[StatedOrder, ...] = ()
    n_outside: int = 0

    @property
    def classes(self) -> Sequence[Any]:
        """The labels without answers that name no class."""
        return self.labels[: len(self.labels) - self.n_outside]

    @classmethod
    def from_labels(
        cls,
        labels_true: Any,
        labels_pred: Any,
        *,
        classes: Sequence[Any] | None = None,
        missing: str = "raise",
    ) -> Confusion:
        """Count a matrix from two label vectors, in O(n).

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n,)
        classes : sequence, optional
            The classes in the desired order, among them all true labels; default: the true labels, sorted.
        missing : {"raise", "drop"}
            What to do with instances that have no label.
        """
        from adjudge.statistics.contingency import Contingency

        return cls.make(Contingency.from_labels(labels_true, labels_pred, missing=missing), classes=classes)

    @classmethod
    def make(
        cls,
        table: JointCounts,
        *,
        classes: Sequence[Any] | None = None,
        orders: tuple[StatedOrder, ...] | None = None,
    ) -> Confusion:
        """Map both margins to the same classes: the given ones, or else those of the truth.

        Parameters
        ----------
        table : JointCounts
        classes : sequence, optional
        orders : tuple of StatedOrder, optional
            Default: that of the given classes, or else those that the table states.
        """
        if orders is None:
            orders = table.orders if classes is None else stated_orders([("classes", classes)])
        if classes is None:
            check_classes(table.row_labels, table.col_labels)
            classes = classes_of_truth(table.row_labels, table.col_labels)
        classes = list(classes)
        to_row = class_positions(table.row_labels, classes, table.row_sums, "labels_true")
        to_col, answers = answer_positions(table.col_labels, classes)
        labels, as_given = [*classes, *answers], len(set(to_row.tolist())) + len(set(to_col.tolist()))
        # Several columns of one class, as "true" and "TRUE" have, are summed.
        if len(labels) <= _MOST_HELD and as_given == to_row.size + to_col.size:
            placed = table.placed(to_row, to_col, len(labels))
            return cls(labels, placed, orders=orders, n_outside=len(answers))
        rows, cols, counts = table.cells()
        return cls.of_cells(labels, to_row[rows], to_col[cols], counts, orders, n_outside=len(answers))

    @classmethod
    def of_cells(
        cls,
        labels: Sequence[Any],
        rows: Positions,
        cols: Positions,
        counts: NDArray[Any],
        orders: tuple[StatedOrder, ...] = (),
        *,
        n_outside: int = 0,
    ) -> Self:
        """Sum counts by true and predicted label, both given by their positions in `labels`."""
        k = len(labels)
        keys = rows * k + cols
        if k <= _MOST_HELD:
            matrix = np.zeros(k * k, counts.dtype)
            np.add.at(matrix, keys, counts)
            return cls(labels, matrix.reshape(k, k), orders=orders, n_outside=n_outside)
        places, inverse = np.unique(keys, return_inverse=True)
        sums = np.zeros(places.size, counts.dtype)
        np.add.at(sums, inverse, counts)
        filled = sums > 0
        cells = places[filled] // k, places[filled] % k, sums[filled]
        return cls(labels, None, cells, orders, n_outside)

    @property
    def matrix(self) -> NDArray[Any]:
        """The counts as a dense matrix."""
        k = len(self.labels)
        if self._matrix is None and k > _MOST_SHOWN:
            raise InputError(
                f"the confusion matrix of {k} classes has {k * k:.2g} cells: read those that are not empty "
                "with cells(), or take() some of the classes"
            )
        return self.dense()

    def dense(self) -> NDArray[Any]:
        """Return the counts as a dense matrix, however much memory it takes."""
        if self._matrix is not None:
            return self._matrix
        rows, cols, counts = self.cells()
        matrix = np.zeros((len(self.labels), len(self.labels)), counts.dtype)
        matrix[rows, cols] = counts
        return matrix

    def __repr__(self) -> str:
        if len(self.labels) > _MOST_PRINTED:
            return f"Confusion({len(self.labels)} labels, n={self.cells()[2].sum():g})"
        # Answers that name no class have columns alone.
        names = list(map(str, self.labels))
        rows = zip(names[: len(self.classes)], self.dense().tolist(), strict=False)
        return Table(("true / predicted", *names), tuple((name, *row) for name, row in rows)).text()

    def __add__(self, other: Confusion) -> Self:
        if not isinstance(other, Confusion):
            return NotImplemented
        labels = united_classes(self.classes, other.classes)
        if not all(list(own.classes) == united_classes(own.classes, ()) for own in (self, other)):
            labels = list(dict.fromkeys([*self.classes, *other.classes]))
        outside = [
            label for label in dict.fromkeys([*self.labels, *other.labels]) if label not in set(labels)
        ]
        labels += outside
        places = {label: i for i, label in enumerate(labels)}
        parts = []
        for own in (self, other):
            rows, cols, counts = own.cells()
            to = np.array([places[label] for label in own.labels], np.int64)
            parts.append((to[rows], to[cols], counts))
        rows, cols, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        orders = joined_orders(self.orders, other.orders)
        return self.of_cells(labels, rows, cols, counts, orders, n_outside=len(outside))

    def cells(self) -> Cells:
        """Return the positions of the true and the predicted label, and the count, of every non-empty cell."""
        if self._cells is not None:
            return self._cells
        assert self._matrix is not None
        rows, cols = np.nonzero(self._matrix)
        return rows, cols, self._matrix[rows, cols]

    def listed(self) -> dict[str, Any]:
        """Return the matrix as lists; with more than 4,096 classes, the non-empty cells."""
        if self._matrix is not None:
            return {"matrix": self._matrix.tolist()}
        names = ("true", "predicted", "counts")
        return {"cells": {name: held.tolist() for name, held in zip(names, self.cells(), strict=True)}}

    @property
    def n(self) -> int | float:
        """Number of instances, or their weight."""
        held = self._matrix if self._cells is None else self._cells[2]
        assert held is not None
        total: int | float = held.sum().item()
        return total

    @property
    def right(self) -> NDArray[Any]:
        """Correctly predicted instances of each label."""
        if self._matrix is not None:
            return np.diagonal(self._matrix)
        rows, cols, counts = self.cells()
        return self._by_label(rows, np.where(rows == cols, counts, 0))

    @property
    def true_counts(self) -> NDArray[Any]:
        """Instances of each label in the truth."""
        if self._matrix is not None:
            return np.asarray(self._matrix.sum(axis=1))
        rows, _, counts = self.cells()
        return self._by_label(rows, counts)

    @property
    def predicted_counts(self) -> NDArray[Any]:
        """Instances of each label in the prediction."""
        if self._matrix is not None:
            return np.asarray(self._matrix.sum(axis=0))
        _, cols, counts = self.cells()
        return self._by_label(cols, counts)

    @property
    def places(self) -> Positions:
        """The place of each label in the order of the classes; of two labels that occur, any order will do.

        Raises
        ------
        InputError
            If stated orders contradict each other.
        UndefinedStatisticError
            If the order is not known.
        """
        try:
            return places_in_order(self.labels, self.orders)
        except UndefinedStatisticError:
            if np.count_nonzero(self.true_counts + self.predicted_counts) > 2:
                raise
            return np.arange(len(self.labels))

    def in_order(self, classes: Sequence[Any]) -> Confusion:
        """Return the same counts with the classes in this order, which names all true labels, and any others."""
        classes, sizes = list(classes), self.true_counts
        true = np.flatnonzero(sizes)
        class_positions([self.labels[i] for i in true.tolist()], classes, sizes[true], "labels_true")
        to, outside = answer_positions(self.labels, classes)
        rows, cols, counts = self.cells()
        orders = stated_orders([("classes", classes)])
        labels = [*classes, *outside]
        return Confusion.of_cells(labels, to[rows], to[cols], counts, orders, n_outside=len(outside))

    def _by_label(self, positions: Positions, counts: NDArray[Any]) -> NDArray[Any]:
        sums = np.zeros(len(self.labels), counts.dtype)
        np.add.at(sums, positions, counts)
        return sums

    def by_class(self, *, positive: Any = None) -> ClassCounts:
        """Return the counts by class."""
        k, predicted = len(self.classes), self.predicted_counts
        return ClassCounts(
            self.classes,
            self.true_counts[:k],
            predicted[:k],
            self.right[:k],
            self.n,
            positive_position(self.classes, positive),
            dict(zip(self.labels[k:], predicted[k:].tolist(), strict=True)),
        )

    def take(self, classes: Sequence[Any]) -> Confusion:
        """Return the matrix of some of the classes, in the given order; other instances are left out."""
        place = {label: i for i, label in enumerate(self.labels)}
        at = np.array([place[label] for label in classes], np.int64)
        orders = stated_orders([("classes", classes)])
        if self._matrix is not None:
            return Confusion(list(classes), self._matrix[np.ix_(at, at)], orders=orders)
        new = np.full(len(self.labels), -1, np.int64)
        new[at] = np.arange(at.size)
        rows, cols, counts = self.cells()
        kept = (new[rows] >= 0) & (new[cols] >= 0)
        return Confusion.of_cells(list(classes), new[rows[kept]], new[cols[kept]], counts[kept], orders)

    def where_answered(self) -> Confusion:
        """Return the matrix of the instances for which a class is predicted."""
        rows, cols, counts = self.cells()
        kept, classes = cols < len(self.classes), list(self.classes)
        return Confusion.of_cells(classes, rows[kept], cols[kept], counts[kept], self.orders)

    def most_confused(self, most: int = 10) -> list[tuple[Any, Any, int | float]]:
        """List the most common mistakes: true class, predicted class, and count."""
        rows, cols, counts = (of_cells.tolist() for of_cells in self.cells())
        wrong = [cell for cell in range(len(rows)) if rows[cell] != cols[cell]]
        commonest = nsmallest(most, wrong, key=lambda cell: -counts[cell])
        return [(self.labels[rows[i]], self.labels[cols[i]], counts[i]) for i in commonest]
