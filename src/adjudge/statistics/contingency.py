"""The contingency table of two partitions, from which all external indices are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Unpack

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option
from adjudge.given.alignment import align_labels
from adjudge.given.class_order import StatedOrder, joined_orders
from adjudge.given.counts import (
    MOST_INSTANCES,
    as_count_matrix,
    checked_counts,
    is_matrix,
    names_of_clusters,
    names_of_sides,
    read_frame,
    whole_counts,
)
from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.label_options import LabelKeywords, LabelOptions
from adjudge.given.labels import Labels, orders_of
from adjudge.given.weights import Weighting
from adjudge.kernels.information import information_sums
from adjudge.statistics.counting import dense_table, fits_dense, sparse_cells, summed_cells
from adjudge.statistics.entropies import PartitionEntropies, entropy_of_sizes
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.pair_counts import PairCounts, sum_of_pairs
from adjudge.statistics.weighted import weigh_labels


@dataclass(frozen=True, eq=False)
class Contingency(JointCounts):
    """Contingency table of two partitions, without empty rows or columns.

    Make one with :meth:`from_labels` or :meth:`from_matrix`. Rows are the clusters of the truth, columns those of
    the prediction. Tables of the same two labellings on different instances add up with ``+``.

    Attributes
    ----------
    row_sums, col_sums : ndarray of int64
        Cluster sizes a_i and b_j.
    row_labels, col_labels : tuple
        The clusters' labels.
    n : int
        Number of instances.
    orders : tuple of StatedOrder
        Orders of the labels that the types of their columns state.

    Examples
    --------
    >>> from adjudge.statistics import Contingency
    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> table.to_array()
    array([[2, 0],
           [1, 1]])
    >>> (table + table).n
    8
    """

    made_from: ClassVar[tuple[type, ...]] = (Truth, Prediction)

    row_sums: Ints
    col_sums: Ints
    row_labels: Sequence[Any]
    col_labels: Sequence[Any]
    n: int
    _dense: Ints | None
    _cells: tuple[Ints, Ints, Ints] | None
    orders: tuple[StatedOrder, ...] = ()

    @classmethod
    def from_labels(
        cls,
        labels_true: Any,
        labels_pred: Any,
        *,
        counts: Any = None,
        **options: Unpack[LabelKeywords],
    ) -> Contingency:
        """Count a table from two label vectors, in O(n).

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n,)
        counts : array-like of int of shape (n,), optional
            How many instances each row stands for.
        **options
            `missing`, `noise` and `noise_label`, as for :func:`~adjudge.evaluate`.
        """
        vectors = {"labels_true": labels_true, "labels_pred": labels_pred}
        aligned = align_labels(vectors, LabelOptions(**options))
        return count_labels(*aligned.labels, weights=checked_counts(counts, aligned.rows))

    @classmethod
    def from_matrix(
        cls, matrix: Any, row_labels: Sequence[Any] | None = None, col_labels: Sequence[Any] | None = None
    ) -> Contingency:
        """Make a table from a matrix of counts.

        Parameters
        ----------
        matrix : array-like, data frame or scipy.sparse matrix of shape (R, C)
            Counts: whole numbers >= 0, not all 0. Empty rows and columns are left out.
        row_labels, col_labels : sequence, optional
            Default: the names in a data frame, of which the index or a column of text names the rows (those of a square
            one without have the names of its columns); else the positions.
        """
        if hasattr(matrix, "tocoo"):
            coo = matrix.tocoo()
            shape = (int(coo.shape[0]), int(coo.shape[1]))
            rows, cols = np.asarray(coo.row, np.int64), np.asarray(coo.col, np.int64)
            values = whole_counts(np.asarray(coo.data), lambda i: f"({rows[i]}, {cols[i]})")
            row_names = names_of_clusters(row_labels, shape[0], "row")
            col_names = names_of_clusters(col_labels, shape[1], "col")
            return _from_cells(*summed_cells(rows, cols, values, shape[1]), row_names, col_names)
        matrix, named = read_frame(matrix)
        table = as_count_matrix(matrix)
        if any(named) and row_labels is None and col_labels is None:
            row_labels, col_labels = names_of_sides(table, named)
        row_names = names_of_clusters(row_labels, table.shape[0], "row")
        col_names = names_of_clusters(col_labels, table.shape[1], "col")
        return _from_dense(table, table.sum(axis=1), table.sum(axis=0), row_names, col_names)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of clusters in the truth and in the prediction."""
        return len(self.row_sums), len(self.col_sums)

    @property
    def n_cells(self) -> int:
        """Number of non-empty cells."""
        return int(self.cells()[2].size)

    @cached_property
    def identical(self) -> bool:
        """Whether the two partitions are the same up to the names of their clusters."""
        r, c = self.shape
        return r == c and self.n_cells == r

    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Return the row, column and count of every non-empty cell, in row order."""
        if self._cells is not None:
            return self._cells
        return self._cells_of_dense

    @cached_property
    def _cells_of_dense(self) -> tuple[Ints, Ints, Ints]:
        dense = self._dense
        assert dense is not None
        rows, cols = np.nonzero(dense)
        return rows, cols, dense[rows, cols]

    def at(self, rows: Ints, cols: Ints) -> Ints:
        """Return the counts of some cells, by row and column."""
        return super().at(rows, cols) if self._dense is None else self._dense[rows, cols]

    def placed(self, to_row: Ints, to_col: Ints, size: int) -> Ints:
        """Return a square matrix of the counts, with each row and column at its given position."""
        if self._dense is None:
            return super().placed(to_row, to_col, size)
        if self.shape == (size, size) and _in_order(to_row) and _in_order(to_col):
            return self._dense.copy()
        matrix = np.zeros((size, size), np.int64)
        matrix[np.ix_(to_row, to_col)] = self._dense
        return matrix

    def to_array(self) -> Ints:
        """Return the table as a dense matrix (a copy)."""
        if self._dense is not None:
            return self._dense.copy()
        rows, cols, counts = self.cells()
        dense = np.zeros(self.shape, np.int64)
        dense[rows, cols] = counts
        return dense

    def to_sparse(self) -> Any:
        """Return the table as a ``scipy.sparse.csr_array``."""
        from scipy.sparse import csr_array

        rows, cols, counts = self.cells()
        return csr_array((counts, (rows, cols)), shape=self.shape)

    @cached_property
    def pairs(self) -> PairCounts:
        """Pairs of instances by whether the truth and the prediction join them."""
        return PairCounts.from_joined(
            both=sum_of_pairs(self._dense if self._dense is not None else self.cells()[2], self.n),
            in_true=sum_of_pairs(self.row_sums, self.n),
            in_pred=sum_of_pairs(self.col_sums, self.n),
            total=self.n * (self.n - 1) // 2,
        )

    @cached_property
    def information(self) -> PartitionEntropies:
        """Entropies and mutual information."""
        cells = self.cells()
        mutual, *conditional = information_sums(*cells, self.row_sums, self.col_sums, self.n)
        return PartitionEntropies.of_sums(
            self.n,
            mutual,
            (entropy_of_sizes(self.row_sums, self.n), entropy_of_sizes(self.col_sums, self.n)),
            (conditional[0], conditional[1]),
            cells[2].size,
            self.row_sums,
            self.col_sums,
        )

    @classmethod
    def make(cls, truth: Labels, prediction: Labels) -> Contingency:
        """Count two label vectors that are already coded."""
        return count_labels(truth, prediction)

    def transpose(self) -> Contingency:
        """Swap truth and prediction."""
        cells = None
        if self._cells is not None:
            rows, cols, counts = self._cells
            order = np.lexsort((rows, cols))
            cells = (cols[order], rows[order], counts[order])
        return Contingency(
            self.col_sums,
            self.row_sums,
            self.col_labels,
            self.row_labels,
            self.n,
            None if self._dense is None else np.ascontiguousarray(self._dense.T),
            cells,
            self.orders,
        )

    def __add__(self, other: Contingency) -> Contingency:
        if not isinstance(other, Contingency):
            return NotImplemented
        row_labels = _union(self.row_labels, other.row_labels)
        col_labels = _union(self.col_labels, other.col_labels)
        parts = []
        for table in (self, other):
            rows, cols, counts = table.cells()
            to_row = np.array([row_labels[label] for label in table.row_labels], np.int64)
            to_col = np.array([col_labels[label] for label in table.col_labels], np.int64)
            parts.append((to_row[rows], to_col[cols], counts))
        rows, cols, counts = (np.concatenate(x) for x in zip(*parts, strict=True))
        cells = summed_cells(rows, cols, counts, len(col_labels))
        found = _from_cells(*cells, list(row_labels), list(col_labels))
        return replace(found, orders=joined_orders(self.orders, other.orders))

    def __repr__(self) -> str:
        r, c = self.shape
        return f"Contingency({r} x {c} clusters, n={self.n})"


def count_labels(rows: Labels, cols: Labels, *, weights: Ints | None = None) -> Contingency:
    """Count the table of two coded label vectors, dense or sparse as its size demands."""
    if fits_dense(rows, cols):
        found = _from_dense(*dense_table(rows, cols, weights), rows.categories, cols.categories)
    else:
        found = _from_cells(*sparse_cells(rows, cols, weights), rows.categories, cols.categories)
    orders = orders_of(rows, cols)
    return replace(found, orders=orders) if orders else found


def joint_table(
    labels: Sequence[Labels],
    weights: Ints | Floats | None = None,
    squares: Floats | None = None,
) -> JointCounts:
    """Count the table of two coded label vectors; sum weights that are floats (`squares`: see `weigh_labels`)."""
    truth, prediction = labels
    if weights is not None and weights.dtype.kind == "f":
        return weigh_labels(truth, prediction, np.asarray(weights, np.float64), squares)
    return count_labels(truth, prediction, weights=None if weights is None else np.asarray(weights, np.int64))


def weighed_labels(
    labels_true: Any, labels_pred: Any, weighting: Weighting, kind: str, options: LabelOptions
) -> JointCounts:
    """Count or weight two label vectors, depending on the meaning of the weights."""
    vectors = {"labels_true": labels_true, "labels_pred": labels_pred}
    aligned = align_labels(vectors, options, absent=weighting.absent)
    return joint_table(aligned.labels, weighting.of(aligned.rows, kind), weighting.squares_of(aligned.rows))


def reduce_labels(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    counts: Any = None,
    **options: Unpack[LabelKeywords],
) -> Contingency:
    """Return the contingency table of two label vectors, or of a table given instead of the first.

    Parameters
    ----------
    labels_true : array-like of shape (n,), Contingency, or matrix of counts of shape (R, C)
    labels_pred : array-like of shape (n,), optional
        Left out if `labels_true` is a table.
    counts, **options
        See :meth:`~adjudge.statistics.Contingency.from_labels`.
    """
    treatment = LabelOptions(**options)
    if labels_pred is not None:
        if isinstance(labels_true, Contingency):
            raise InputError(
                "a contingency table was given together with ",
                Argument("labels_pred"),
                ": give one or the other",
            )
        aligned = align_labels({"labels_true": labels_true, "labels_pred": labels_pred}, treatment)
        return count_labels(*aligned.labels, weights=checked_counts(counts, aligned.rows))
    if counts is not None:
        raise InputError(
            Option("counts"),
            " says how often each instance of label vectors occurs: a contingency table says that itself",
        )
    if treatment.treats_noise:
        raise InputError(
            Option("noise"),
            " needs label vectors: a contingency table does not say which instances are noise",
        )
    if isinstance(labels_true, Contingency):
        return labels_true
    if isinstance(labels_true, PairCounts):
        raise InputTypeError("PairCounts were given instead of labels: use the index's .of(pairs)")
    if hasattr(labels_true, "tocoo") or is_matrix(labels_true):
        return Contingency.from_matrix(labels_true)
    raise InputError(Argument("labels_pred"), " is missing: give two label vectors, or one contingency table")


def _in_order(places: Ints) -> bool:
    return bool((places == np.arange(places.size)).all())


def _union(one: Sequence[Any], other: Sequence[Any]) -> dict[Any, int]:
    return {label: i for i, label in enumerate(dict.fromkeys([*one, *other]))}


def _present(labels: Sequence[Any], filled: Bools) -> Sequence[Any]:
    return [labels[i] for i in np.flatnonzero(filled).tolist()]


def _from_dense(
    table: Ints,
    row_sums: Ints,
    col_sums: Ints,
    row_labels: Sequence[Any],
    col_labels: Sequence[Any],
) -> Contingency:
    sizes = row_sums.tolist()
    n = _total(sizes)
    if 0 in sizes:
        filled = row_sums > 0
        table, row_sums, row_labels = table[filled], row_sums[filled], _present(row_labels, filled)
    if 0 in col_sums.tolist():
        filled = col_sums > 0
        table, col_sums, col_labels = table[:, filled], col_sums[filled], _present(col_labels, filled)
    return Contingency(row_sums, col_sums, row_labels, col_labels, n, np.ascontiguousarray(table), None)


def _from_cells(
    rows: Ints,
    cols: Ints,
    counts: Ints,
    row_labels: Sequence[Any],
    col_labels: Sequence[Any],
) -> Contingency:
    row_sums, col_sums = np.zeros(len(row_labels), np.int64), np.zeros(len(col_labels), np.int64)
    np.add.at(row_sums, rows, counts)
    np.add.at(col_sums, cols, counts)
    n = _total(row_sums.tolist())
    rows, row_sums, row_labels = _without_empty(rows, row_sums, row_labels)
    cols, col_sums, col_labels = _without_empty(cols, col_sums, col_labels)
    return Contingency(row_sums, col_sums, row_labels, col_labels, n, None, (rows, cols, counts))


def _without_empty(codes: Ints, sums: Ints, labels: Sequence[Any]) -> tuple[Ints, Ints, Sequence[Any]]:
    """Drop empty clusters, and number the rest without gaps."""
    if sums.all():
        return codes, sums, labels
    filled = sums > 0
    return (np.cumsum(filled) - 1)[codes], sums[filled], _present(labels, filled)


def _total(sizes: list[int]) -> int:
    n = sum(sizes)
    if n == 0:
        raise InputError("the contingency table is empty: at least one instance is needed")
    if not 0 < n <= MOST_INSTANCES:
        raise InputError("the contingency table counts more than 2^62 instances")
    return n
