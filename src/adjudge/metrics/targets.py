"""Targets of classifiers, checked as scikit-learn checks them, and counted once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.given.labels import Labels
from adjudge.metrics.checks import coded, installed_before
from adjudge.metrics.quick_labels import FEW, coded_text, is_discrete
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import Contingency, count_labels
from adjudge.statistics.counting import dense_table, fits_dense, sparse_cells, weighed_cells
from adjudge.statistics.weighted import WeightedContingency

__all__ = ["Targets", "checked_targets", "checked_weight"]


@dataclass(frozen=True, eq=False)
class Targets:
    """True and predicted targets, of the types that scikit-learn distinguishes.

    Attributes
    ----------
    kind : {"binary", "multiclass", "multilabel-indicator"}
    true, pred : ndarray of shape (n,), or scipy sparse CSR matrix of shape (n, L)
    weight : ndarray of shape (n,) or None
    present : ndarray
        All labels that occur, sorted.
    table : Contingency, WeightedContingency or None
        Table of the two label vectors, including classes whose instances have weight 0. None for multilabel targets.
    """

    kind: str
    true: Any
    pred: Any
    weight: NDArray[Any] | None
    present: NDArray[Any]
    table: Contingency | WeightedContingency | None

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.true.shape[0])

    @property
    def total(self) -> Any:
        """Sum of the weights, or the number of instances."""
        return self.n if self.weight is None else self.weight.sum()

    def counts(self, labels: Any = None) -> ClassCounts:
        """Count by class, for those given in their order, or all that occur."""
        if self.table is None:
            chosen = slice(None) if labels is None else _checked_positions(labels, self.present)
            matrices = (matrix[:, chosen] for matrix in (self.true, self.pred, self._both))
            true, predicted, right = (_of_columns(matrix, self.weight) for matrix in matrices)
            return ClassCounts(range(true.size), true, predicted, right, self.total)
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

    def counts_of_instances(self, labels: Any = None) -> ClassCounts:
        """Count by instance of multilabel targets: instances take the place of classes, labels that of instances."""
        if self.table is not None:
            raise ValueError("Samplewise metrics are not available outside of multilabel classification.")
        chosen = slice(None) if labels is None else _checked_positions(labels, self.present)
        matrices = [matrix[:, chosen].tocsr() for matrix in (self.true, self.pred, self._both)]
        true, predicted, right = (np.diff(matrix.indptr).astype(np.int64) for matrix in matrices)
        return ClassCounts(range(self.n), true, predicted, right, matrices[0].shape[1])

    @property
    def _both(self) -> Any:
        """Labels that are true and predicted."""
        return self.true.multiply(self.pred).tocsr()

    def confusion(self, labels: Any = None) -> Confusion:
        """Count true against predicted, for the labels given in their order, or all that occur."""
        assert self.table is not None
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


def checked_targets(y_true: Any, y_pred: Any, sample_weight: Any = None) -> Targets:
    """Check the targets of a classifier, and count what is true against what is predicted."""
    found = _quickly(y_true, y_pred, sample_weight)
    return _slowly(y_true, y_pred, sample_weight) if found is None else found


def _quickly(y_true: Any, y_pred: Any, weight: Any) -> Targets | None:
    """Count without scikit-learn's checks; None if one might find something."""
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
    kind = "binary" if present.size <= 2 else "multiclass"
    return Targets(kind, true.codes, pred.codes, weight, present, table)


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


def checked_weight(sample_weight: Any, values: Any) -> NDArray[Any] | None:
    """Check weights; whole ones stay integers."""
    if sample_weight is None:
        return None
    from sklearn.utils.validation import _check_sample_weight

    floats: NDArray[Any] = _check_sample_weight(sample_weight, values)
    if (floats < 0).any():
        where = int(np.argmax(floats < 0))
        raise InputError(
            f"sample_weight has {float(floats[where])!r} at position {where}: a weight is at least 0"
        )
    given = np.asarray(sample_weight)
    return given if given.ndim == 1 and given.dtype.kind in "iub" else floats


def _slowly(y_true: Any, y_pred: Any, sample_weight: Any) -> Targets:
    from scipy.sparse import csr_array
    from sklearn.utils import check_consistent_length
    from sklearn.utils.multiclass import type_of_target, unique_labels
    from sklearn.utils.validation import _num_samples

    check_consistent_length(y_true, y_pred, sample_weight)
    kinds = {
        type_of_target(y_true, input_name="y_true"): "true",
        type_of_target(y_pred, input_name="y_pred"): "pred",
    }
    if min(_num_samples(y_true), _num_samples(y_pred)) < 1:
        raise ValueError(
            "Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required."
        )
    weight = checked_weight(sample_weight, y_true)
    kind = _common_kind(*kinds) if len(kinds) == 2 else next(iter(kinds))
    if kind not in ("binary", "multiclass", "multilabel-indicator"):
        raise ValueError(f"{kind} is not supported")
    if kind == "multilabel-indicator":
        present = unique_labels(y_true, y_pred)
        true, pred = (_indicators(csr_array(y)) for y in (y_true, y_pred))
        return Targets(kind, true, pred, weight, present, None)
    true, pred = _vector(y_true, "y_true"), _vector(y_pred, "y_pred")
    try:
        present = unique_labels(true, pred)
    except ValueError as error:
        if installed_before("1.9"):
            raise TypeError(f"Labels in y_true and y_pred should be of the same type. {error}") from error
        raise
    if present.shape[0] > 2:
        kind = "multiclass"
    return Targets(kind, true, pred, weight, present, _table(coded(true), coded(pred), weight))


def _common_kind(of_true: str, of_pred: str) -> str:
    if {of_true, of_pred} == {"binary", "multiclass"}:
        return "multiclass"
    raise ValueError(f"Classification metrics can't handle a mix of {of_true} and {of_pred} targets")


def _vector(values: Any, name: str) -> NDArray[Any]:
    from sklearn.utils import column_or_1d

    # Newer versions take the name of what is checked.
    named = {"input_name": name} if "input_name" in signature(column_or_1d).parameters else {}
    try:
        vector: NDArray[Any] = column_or_1d(values, **named)
    except TypeError as error:
        if "Sparse data was passed" in str(error):
            raise TypeError("Sparse input is only supported when targets are of multilabel type") from error
        raise
    return vector


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


def _indicators(matrix: Any) -> Any:
    # A copy, because the user's matrix would be changed, too.
    own = matrix.copy()
    own.sum_duplicates()
    own.eliminate_zeros()
    return own.astype(bool)


def _of_columns(matrix: Any, weight: NDArray[Any] | None) -> NDArray[Any]:
    """Count the entries that are set in each column, or add up the weights of their rows."""
    matrix = matrix.tocsr()
    if weight is None:
        return np.bincount(matrix.indices, minlength=matrix.shape[1])
    of_entries = np.repeat(weight, np.diff(matrix.indptr))
    return np.bincount(matrix.indices, of_entries, minlength=matrix.shape[1])


def _checked_positions(labels: Any, present: NDArray[Any]) -> NDArray[Any]:
    given = np.asarray(labels)
    if given.dtype.kind in "US":
        raise ValueError(f"labels={given.tolist()!r} of indicators are numbers of columns, from 0")
    positions = given.astype(np.int64)
    if positions.size == 0:
        return positions
    if positions.max() > present.max():
        raise ValueError(
            "All labels must be in [0, n labels) for multilabel targets. "
            f"Got {positions.max()} > {present.max()}"
        )
    if positions.min() < 0:
        raise ValueError(
            f"All labels must be in [0, n labels) for multilabel targets. Got {positions.min()} < 0"
        )
    return positions
