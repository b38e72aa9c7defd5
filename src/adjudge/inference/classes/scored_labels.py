"""One model's labels, scored: as they are, without an instance of each cell, and if a cell grows.

With K classes two models and the truth have up to K^3 combinations of labels. What their scores differ by, if an
instance is left out, follows from the K^2 cells of each model, which serve for every other model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.record import Index
from adjudge.inference.classes.class_intervals import assessed_labels, intervals_of_labels, slopes
from adjudge.inference.common.remembered import Remembered
from adjudge.inference.common.samples import without_one
from adjudge.inference.interval import Interval
from adjudge.statistics.confusion import Confusion

__all__ = ["ScoredLabels", "ScoredModels"]

Floats = NDArray[np.float64]
Int64s = NDArray[np.int64]


class ScoredLabels:
    """Scores of one model, each computed once.

    Parameters
    ----------
    confusion : Confusion
    positive : object
        The positive class; None if there is none.
    """

    def __init__(self, confusion: Confusion, positive: Any) -> None:
        self.confusion = confusion
        self._positive = positive
        self._rows, self._cols, self._counts = confusion.cells()
        self._known = Remembered()

    @property
    def n_cells(self) -> int:
        """Cells of the confusion matrix that are not empty."""
        return self._counts.size

    def value(self, record: Index) -> float:
        """Compute a score."""
        return float(self._known.once(("value", record.name), lambda: self._score(record, self.confusion)))

    def without_one(self, record: Index, truth: Int64s, said: Int64s) -> Floats:
        """Compute a score without an instance of each of some cells, none of which is empty.

        Parameters
        ----------
        record : Index
        truth, said : ndarray of int64 of shape (n_cells,)
            Places of the true and of the predicted label among the classes.
        """

        def of_each() -> Floats:
            left = without_one(self._counts)
            scores = (self._score(record, self._with(c)) if c.any() else np.nan for c in left)
            return np.array(list(scores))  # of a single instance nothing is left

        known: Floats = self._known.once(("without one", record.name), of_each)
        k = len(self.confusion.labels)
        places = np.searchsorted(self._rows * k + self._cols, truth * k + said)
        return np.asarray(known[places])

    def slopes(self, record: Index, extra: float, truth: Int64s, said: Int64s) -> Floats:
        """Say how fast a score changes with the share of some cells, if `extra` instances are added to every cell."""

        def of_each() -> Floats:
            matrix = self.confusion.matrix + extra
            return slopes(
                lambda cells: self._score(
                    record, Confusion(self.confusion.labels, cells.reshape(matrix.shape))
                ),
                matrix.ravel(),
            )

        known: Floats = self._known.once(("slopes", record.name, extra), of_each)
        return np.asarray(known[truth * len(self.confusion.labels) + said])

    def intervals(self, records: Sequence[Index], confidence: float) -> dict[str, Interval]:
        """Make the intervals of some scores."""
        names = tuple(record.name for record in records)
        counts = self.confusion.by_class(positive=self._positive)
        made: dict[str, Interval] = self._known.once(
            ("intervals", names, confidence),
            lambda: intervals_of_labels(records, self.confusion, counts, confidence),
        )
        return made

    def _score(self, record: Index, confusion: Confusion) -> float:
        return assessed_labels(record, confusion, self._positive)

    def _with(self, counts: Int64s) -> Confusion:
        return Confusion.of_cells(self.confusion.labels, self._rows, self._cols, counts)


class ScoredModels:
    """The models that have been scored: one that is compared with many is scored once."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], ScoredLabels] = {}

    def of(self, confusion: Confusion, positive: Any) -> ScoredLabels:
        """Return the model with this confusion matrix."""
        key = (tuple(confusion.labels), positive, *(part.tobytes() for part in confusion.cells()))
        return self._known.setdefault(key, ScoredLabels(confusion, positive))
