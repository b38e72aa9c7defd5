"""The confusion matrix of a classifier: true against predicted labels, over the union of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import check_classes
from adjudge.statistics.joint import JointCounts

__all__ = ["Confusion"]


@dataclass(frozen=True, eq=False)
class Confusion:
    """Counts of true (rows) against predicted (columns) labels.

    Unlike a :class:`Contingency`, rows and columns carry the same labels, so its diagonal means "right".

    Attributes
    ----------
    labels : sequence
        All labels that occur, true or predicted.
    matrix : ndarray of int64 of shape (L, L)
    """

    made_from: ClassVar[tuple[type, ...]] = (JointCounts,)

    labels: Sequence[Any]
    matrix: NDArray[np.int64]

    @classmethod
    def make(cls, table: JointCounts) -> Confusion:
        """Bring both margins to the union of their labels, of which some have to be common."""
        check_classes(table.row_labels, table.col_labels)
        labels = list(dict.fromkeys([*table.row_labels, *table.col_labels]))
        try:
            labels.sort()
        except TypeError:
            labels.sort(key=lambda label: (type(label).__name__, str(label)))
        place = {label: i for i, label in enumerate(labels)}
        rows, cols, counts = table.cells()
        to_row = np.array([place[label] for label in table.row_labels], np.int64)
        to_col = np.array([place[label] for label in table.col_labels], np.int64)
        matrix = np.zeros((len(labels), len(labels)), np.int64)
        matrix[to_row[rows], to_col[cols]] = counts
        return cls(labels, matrix)

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.matrix.sum())

    @property
    def right(self) -> NDArray[np.int64]:
        """Instances of each label that are predicted right."""
        return np.diagonal(self.matrix)

    @property
    def true_counts(self) -> NDArray[np.int64]:
        """Instances of each label in the truth."""
        return np.asarray(self.matrix.sum(axis=1))

    @property
    def predicted_counts(self) -> NDArray[np.int64]:
        """Instances of each label in the prediction."""
        return np.asarray(self.matrix.sum(axis=0))
