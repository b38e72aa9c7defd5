"""The confusion matrix of a classifier: true against predicted labels, over the same classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import check_classes
from adjudge.statistics.classes import ClassCounts, class_positions, positive_position, united_classes
from adjudge.statistics.joint import JointCounts

__all__ = ["Confusion"]


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of true (rows) against predicted (columns) labels.

    Unlike a :class:`Contingency`, rows and columns carry the same labels, so its diagonal means "right".

    Attributes
    ----------
    labels : sequence
        The classes in the given order; else all labels that occur, true or predicted, sorted.
    matrix : ndarray of int64 (of float64, if instances are weighted) of shape (K, K)

    Examples
    --------
    >>> from adjudge import Contingency
    >>> from adjudge.statistics.confusion import Confusion
    >>> table = Contingency.from_labels(["a", "a", "b"], ["a", "b", "b"])
    >>> Confusion.make(table, classes=["b", "a"]).matrix
    array([[1, 0],
           [1, 1]])
    """

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    labels: Sequence[Any]
    matrix: NDArray[Any]

    @classmethod
    def make(cls, table: JointCounts, *, classes: Sequence[Any] | None = None) -> Confusion:
        """Bring both margins to the same classes: those given, else the union of their labels."""
        check_classes(table.row_labels, table.col_labels)
        labels = united_classes(table.row_labels, table.col_labels) if classes is None else list(classes)
        to_row = class_positions(table.row_labels, labels, table.row_sums, "labels_true")
        to_col = class_positions(table.col_labels, labels, table.col_sums, "labels_pred")
        return cls(labels, table.placed(to_row, to_col, len(labels)))

    @property
    def n(self) -> int | float:
        """Number of instances, or their weight."""
        total: int | float = self.matrix.sum().item()
        return total

    @property
    def right(self) -> NDArray[Any]:
        """Instances of each label that are predicted right."""
        return np.diagonal(self.matrix)

    @property
    def true_counts(self) -> NDArray[Any]:
        """Instances of each label in the truth."""
        return np.asarray(self.matrix.sum(axis=1))

    @property
    def predicted_counts(self) -> NDArray[Any]:
        """Instances of each label in the prediction."""
        return np.asarray(self.matrix.sum(axis=0))

    def by_class(self, *, positive: Any = None) -> ClassCounts:
        """Return the counts by class."""
        return ClassCounts(
            self.labels,
            self.true_counts,
            self.predicted_counts,
            self.right,
            self.n,
            positive_position(self.labels, positive),
        )

    def take(self, classes: Sequence[Any]) -> Confusion:
        """Return the matrix of some of the classes, in the order given; other instances are left out."""
        place = {label: i for i, label in enumerate(self.labels)}
        at = np.array([place[label] for label in classes], np.int64)
        return Confusion(list(classes), self.matrix[np.ix_(at, at)])

    def most_confused(self, most: int = 10) -> list[tuple[Any, Any, int | float]]:
        """List the commonest mistakes: true class, predicted class, and how often."""
        off = self.matrix.copy()
        np.fill_diagonal(off, 0)
        order = np.argsort(-off, axis=None, kind="stable")[:most]
        found = []
        for place in order.tolist():
            i, j = divmod(place, len(self.labels))
            if off[i, j] > 0:
                found.append((self.labels[i], self.labels[j], off[i, j].item()))
        return found
