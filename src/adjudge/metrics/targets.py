"""Targets of classifiers, checked as scikit-learn checks them, and counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.given.labels import Labels
from adjudge.metrics.checks import UnusualInputError, coded
from adjudge.metrics.quick_labels import FEW, coded_text, is_discrete
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import Contingency, count_labels
from adjudge.statistics.counting import dense_table, fits_dense, sparse_cells, weighed_cells
from adjudge.statistics.weighted import WeightedContingency


@dataclass(frozen=True, eq=False)
class CountedTargets:
    """True and predicted classes, one of each for an instance.

    Attributes
    ----------
    n : int
        Number of instances.
    weight : ndarray of shape (n,) or None
    present : ndarray
        All labels that occur, sorted.
    table : Contingency or WeightedContingency
        Table of the two label vectors, including classes whose instances have weight 0.
    """

    n: int
    weight: NDArray[Any] | None
    present: NDArray[Any]
    table: Contingency | WeightedContingency

    @property
    def are_binary(self) -> bool:
        """Whether there are two classes, or one."""
        return self.present.size <= 2

    @property
    def total(self) -> Any:
        """Sum of the weights, or the number of instances."""
        return self.n if self.weight is None else self.weight.sum()

    def counts(self, labels: Any = None) -> ClassCounts:
        """Count by class, for those given in their order, or all that occur."""
        chosen = self.present if labels is None else np.asarray(labels)
        # If classes are text, numbers name those that read like them.
        wanted = (chosen.astype(str) if self.present.dtype.kind == "U" else chosen).tolist()
        known = list(dict.fromkeys([*wanted, *self.table.row_labels, *self.table.col_labels]))
        counts = ClassCounts.make(self.table, classes=known)
        if self.weight is not None or not counts.right.any():
            # In scikit-learn, sums of weights are floats, and so are counts if nothing is right.
            true, predicted, right = (
                np.asarray(c, np.float64) for c in (counts.true, counts.predicted, counts.right)
            )
            counts = replace(counts, true=true, predicted=predicted, right=right)
        return counts.take(wanted)

    def confusion(self, labels: Any = None) -> Confusion:
        """Count true against predicted, for the labels given in their order, or all that occur."""
        wanted = (self.present if labels is None else np.asarray(labels)).tolist()
        place = {label: i for i, label in enumerate(wanted)}
        to_row, to_col = (
            np.array([place.get(label, -1) for label in names], np.int64)
            for names in (self.table.row_labels, self.table.col_labels)
        )
        rows, cols, counts = self.table.cells()
        rows, cols = to_row[rows], to_col[cols]
        kept = (rows >= 0) & (cols >= 0)
        return Confusion.of_cells(wanted, rows[kept], cols[kept], counts[kept])


def checked_targets(y_true: Any, y_pred: Any, weight: Any = None, labels: Any = None) -> CountedTargets:
    """Count true against predicted classes, in which none of scikit-learn's checks can find a fault.

    Raises
    ------
    UnusualInputError
        If one might; for several labels per instance; and for other unusual labels.
    """
    found = _quickly(y_true, y_pred, weight)
    if found is not None:
        return found
    _refuse_negative(weight)
    for labels_of_one in (y_true, y_pred):
        if getattr(getattr(labels_of_one, "dtype", None), "kind", "") in ("m", "M"):
            coded(np.asarray(labels_of_one))  # refuses missing times
    are_indicators = np.ndim(y_true) == 2 and np.shape(y_true)[1] > 1
    if labels is not None and are_indicators and np.asarray(labels).dtype.kind in "US":
        raise ValueError(
            f"labels={np.asarray(labels).tolist()!r} of indicators are numbers of columns, from 0"
        )
    raise UnusualInputError


def _quickly(y_true: Any, y_pred: Any, weight: Any) -> CountedTargets | None:
    true: Labels | None
    pred: Labels | None
    if is_discrete(y_true) and is_discrete(y_pred):
        true, pred, dtype = coded(y_true), coded(y_pred), np.result_type(y_true, y_pred)
    else:
        true, pred, dtype = coded_text(y_true), coded_text(y_pred), np.dtype(str)
    if true is None or pred is None or len(true) != len(pred) or not len(true):
        return None
    if weight is not None and not _is_plain_weight(weight, len(true)):
        return None
    table = _table(true, pred, weight)
    present = _present(table, y_true, y_pred, dtype)
    if (len(true) > FEW and 2 * present.size > len(true)) or _has_negative_zero(y_true, y_pred, dtype):
        return None
    return CountedTargets(len(true), weight, present, table)


def _present(
    table: Contingency | WeightedContingency, y_true: Any, y_pred: Any, dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Return all classes that occur, in the type that they have in scikit-learn."""
    if dtype.kind == "U" or (dtype.kind != "f" and y_true.dtype == y_pred.dtype):
        return np.array(sorted({*table.row_labels, *table.col_labels}), dtype)
    # Of equal labels of two types, that of the truth stays.
    labels = {*map(y_true.dtype.type, table.row_labels), *map(y_pred.dtype.type, table.col_labels)}
    return np.array(sorted(labels))


def _has_negative_zero(y_true: Any, y_pred: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a class is -0.0, which reports show as it is."""
    return dtype.kind == "f" and any(bool((np.signbit(y) & (y == 0)).any()) for y in (y_true, y_pred))


def _is_plain_weight(weight: Any, n: int) -> bool:
    if type(weight) is not np.ndarray or weight.shape != (n,):
        return False
    if weight.dtype not in (np.float64, np.float32, np.int64, np.int32):
        return False
    return bool(np.isfinite(weight.sum()) and weight.any() and weight.min() >= 0)


def plain_weight(weight: Any, n: int) -> NDArray[Any] | None:
    """Return the weights of n instances, in which none of scikit-learn's checks can find a fault."""
    if weight is None or _is_plain_weight(weight, n):
        found: NDArray[Any] | None = weight
        return found
    _refuse_negative(weight)
    raise UnusualInputError


def _refuse_negative(weight: Any) -> None:
    try:
        floats = np.asarray(weight, np.float64)
    except (TypeError, ValueError):  # scikit-learn says what they are
        return
    if floats.ndim == 1 and (floats < 0).any():
        where = int(np.argmax(floats < 0))
        raise InputError(
            f"sample_weight has {float(floats[where])!r} at position {where}: a weight is at least 0"
        )


def _table(true: Labels, pred: Labels, weight: Any) -> Contingency | WeightedContingency:
    if weight is None:
        return count_labels(true, pred)
    # Unlike in other tables, labels with weight 0 stay: they are classes.
    rows, cols = _without_gaps(true), _without_gaps(pred)
    names = rows.categories, cols.categories
    if weight.dtype.kind not in "iub":
        return WeightedContingency(
            *weighed_cells(rows, cols, np.ascontiguousarray(weight, np.float64)), *names
        )
    whole = weight.astype(np.int64)
    if fits_dense(rows, cols):
        table, row_sums, col_sums = dense_table(rows, cols, whole)
        return Contingency(row_sums, col_sums, *names, int(whole.sum()), table, None)
    of_row, of_col, counts = cells = sparse_cells(rows, cols, whole)
    row_sums, col_sums = np.zeros(rows.n_codes, np.int64), np.zeros(cols.n_codes, np.int64)
    np.add.at(row_sums, of_row, counts)
    np.add.at(col_sums, of_col, counts)
    return Contingency(row_sums, col_sums, *names, int(whole.sum()), None, cells)


def _without_gaps(labels: Labels) -> Labels:
    codes, names = labels.dense()
    return Labels(codes, 0, len(names), names)
