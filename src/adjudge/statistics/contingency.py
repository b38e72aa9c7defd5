"""Contingency tables of two partitions, and what follows from them: pair counts and information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError
from adjudge.inputs.labels import AlignedLabels, Labels, align_labels
from adjudge.parallel import WORTH_A_KERNEL, in_threads, spans

__all__ = [
    "Contingency",
    "Information",
    "PairCounts",
    "cell_sizes",
    "checked_counts",
    "count_labels",
    "reduce_labels",
    "sum_of_pairs",
]

# Dense tables of up to this many cells are made whatever n is; larger ones only if instances could fill them.
_SMALL_TABLE = 1 << 14
_LARGEST_DENSE = 1 << 24
# Up to this many cells four interleaved tables stay in the first-level cache.
_LANES_PAY = 4096
# Below this n, n^2 fits an int64, so no sum of squared counts can overflow.
_SQUARE_FITS = 3_000_000_000
# Sums of counts stay within an int64, also where two tables are added up.
_MOST_INSTANCES = 2**62


def sum_of_pairs(counts: NDArray[np.int64], n: int) -> int:
    """Return the number of pairs of instances that share a cell, sum of C(n, 2) over the cells."""
    flat = counts.ravel()
    if n < _SQUARE_FITS:
        return (int(np.dot(flat, flat)) - n) // 2
    return sum(c * (c - 1) // 2 for c in flat.tolist())


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs of instances by whether each of two partitions joins them: exact integers of any size.

    Attributes
    ----------
    yy : int
        Pairs joined in both partitions.
    yn : int
        Pairs joined in the first (the truth) only.
    ny : int
        Pairs joined in the second only.
    nn : int
        Pairs joined in neither.

    Examples
    --------
    >>> from adjudge import Contingency
    >>> Contingency.from_labels([0, 0, 0, 1], [0, 0, 1, 2]).pairs
    PairCounts(yy=1, yn=2, ny=0, nn=3)
    """

    yy: int
    yn: int
    ny: int
    nn: int

    def __post_init__(self) -> None:
        for name in ("yy", "yn", "ny", "nn"):
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 0:
                raise InputError(f"PairCounts.{name} is {value!r}: it counts pairs, a whole number >= 0")
            object.__setattr__(self, name, int(value))

    @property
    def total(self) -> int:
        """Number of pairs, M = n (n - 1) / 2."""
        return self.yy + self.yn + self.ny + self.nn

    @property
    def joined_true(self) -> int:
        """Pairs joined in the first partition, yy + yn."""
        return self.yy + self.yn

    @property
    def joined_pred(self) -> int:
        """Pairs joined in the second partition, yy + ny."""
        return self.yy + self.ny

    @property
    def agreeing(self) -> int:
        """Pairs on which the partitions agree, yy + nn."""
        return self.yy + self.nn

    @property
    def disagreeing(self) -> int:
        """Pairs on which they differ, yn + ny."""
        return self.yn + self.ny

    @property
    def identical(self) -> bool:
        """Whether the partitions are the same."""
        return self.yn == 0 and self.ny == 0


@dataclass(frozen=True)
class Information:
    """Entropies of two partitions in nats, each summed without cancellation.

    Attributes
    ----------
    n : int
        Number of instances.
    mutual : float
        Mutual information.
    entropy_true, entropy_pred : float
        Entropies of the partitions.
    true_given_pred, pred_given_true : float
        Conditional entropies.
    identical : bool
        Whether the partitions are the same.
    row_sums, col_sums : ndarray of int64
        Cluster sizes, which the expectation under fixed margins depends on.
    """

    n: int
    mutual: float
    entropy_true: float
    entropy_pred: float
    true_given_pred: float
    pred_given_true: float
    identical: bool
    row_sums: NDArray[np.int64]
    col_sums: NDArray[np.int64]

    @property
    def joint(self) -> float:
        """Joint entropy."""
        return self.entropy_true + self.pred_given_true

    @property
    def variation(self) -> float:
        """Variation of information, the sum of the conditional entropies."""
        return self.true_given_pred + self.pred_given_true

    @cached_property
    def expected_mutual(self) -> float:
        """Exact mean of the mutual information over all tables with these margins."""
        from adjudge.kernels.hypergeometric import expected_mutual_information

        return expected_mutual_information(self.row_sums, self.col_sums, self.n)


@dataclass(frozen=True, eq=False)
class Contingency:
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

    Examples
    --------
    >>> from adjudge import Contingency
    >>> table = Contingency.from_labels(["a", "a", "b", "b"], [0, 0, 0, 1])
    >>> table.to_array()
    array([[2, 0],
           [1, 1]])
    >>> (table + table).n
    8
    """

    row_sums: NDArray[np.int64]
    col_sums: NDArray[np.int64]
    row_labels: Sequence[Any]
    col_labels: Sequence[Any]
    n: int
    _dense: NDArray[np.int64] | None
    _cells: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]] | None

    @classmethod
    def from_labels(
        cls,
        labels_true: Any,
        labels_pred: Any,
        *,
        counts: Any = None,
        missing: str = "raise",
        noise: str = "cluster",
        noise_label: Any = -1,
    ) -> Contingency:
        """Count a table from two label vectors, in O(n).

        Parameters
        ----------
        labels_true, labels_pred : array-like of shape (n,)
        counts : array-like of int of shape (n,), optional
            How many instances each row stands for.
        missing : {"raise", "drop"}
        noise : {"cluster", "singletons", "drop"}
        noise_label : default -1
        """
        aligned = align_labels(
            {"labels_true": labels_true, "labels_pred": labels_pred},
            missing=missing,
            noise=noise,
            noise_label=noise_label,
        )
        return count_labels(*aligned.labels, weights=checked_counts(counts, aligned))

    @classmethod
    def from_matrix(
        cls, matrix: Any, row_labels: Sequence[Any] | None = None, col_labels: Sequence[Any] | None = None
    ) -> Contingency:
        """Take over a table of counts.

        Parameters
        ----------
        matrix : array-like or scipy.sparse matrix of shape (R, C)
            Counts: whole numbers >= 0, not all 0. Empty rows and columns are left out.
        row_labels, col_labels : sequence, optional
            Default: the positions.
        """
        if hasattr(matrix, "tocoo"):
            coo = matrix.tocoo()
            shape = (int(coo.shape[0]), int(coo.shape[1]))
            rows, cols = np.asarray(coo.row, np.int64), np.asarray(coo.col, np.int64)
            values = _whole_counts(np.asarray(coo.data), lambda i: f"({rows[i]}, {cols[i]})")
            keys, inverse = np.unique(rows * shape[1] + cols, return_inverse=True)
            summed = np.zeros(keys.size, np.int64)
            np.add.at(summed, inverse, values)
            filled = summed > 0
            cells = (keys[filled] // shape[1], keys[filled] % shape[1], summed[filled])
            return _from_cells(
                *cells, _table_labels(row_labels, shape[0], "row"), _table_labels(col_labels, shape[1], "col")
            )
        try:
            values = np.asarray(matrix)
        except ValueError:
            raise InputError("the contingency table is ragged: a matrix of counts is needed") from None
        if values.ndim != 2:
            raise InputError(f"the contingency table has shape {values.shape}: a matrix of counts is needed")
        table = _whole_counts(values, lambda i: str(divmod(int(i), values.shape[1])))
        return _from_dense(
            table,
            table.sum(axis=1),
            table.sum(axis=0),
            _table_labels(row_labels, table.shape[0], "row"),
            _table_labels(col_labels, table.shape[1], "col"),
        )

    @property
    def shape(self) -> tuple[int, int]:
        """Number of clusters in the truth and in the prediction."""
        return len(self.row_sums), len(self.col_sums)

    @property
    def n_cells(self) -> int:
        """Number of cells that are not empty."""
        return int(self.cells()[2].size)

    @cached_property
    def identical(self) -> bool:
        """Whether the two partitions are the same up to the names of their clusters."""
        r, c = self.shape
        return r == c and self.n_cells == r

    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Row, column and count of every cell that is not empty, in row order."""
        if self._cells is not None:
            return self._cells
        return self._cells_of_dense

    @cached_property
    def _cells_of_dense(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        dense = self._dense
        assert dense is not None
        rows, cols = np.nonzero(dense)
        return rows, cols, dense[rows, cols]

    def to_array(self) -> NDArray[np.int64]:
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
        joined = sum_of_pairs(self._dense if self._dense is not None else self.cells()[2], self.n)
        in_true = sum_of_pairs(self.row_sums, self.n)
        in_pred = sum_of_pairs(self.col_sums, self.n)
        total = self.n * (self.n - 1) // 2
        return PairCounts(
            yy=joined, yn=in_true - joined, ny=in_pred - joined, nn=total - in_true - in_pred + joined
        )

    @cached_property
    def information(self) -> Information:
        """Entropies and mutual information."""
        from adjudge.kernels.information import entropy, information_sums

        mutual, true_given_pred, pred_given_true = information_sums(
            *self.cells(), self.row_sums, self.col_sums, self.n
        )
        return Information(
            n=self.n,
            mutual=mutual,
            entropy_true=entropy(self.row_sums, self.n),
            entropy_pred=entropy(self.col_sums, self.n),
            true_given_pred=true_given_pred,
            pred_given_true=pred_given_true,
            identical=self.identical,
            row_sums=self.row_sums,
            col_sums=self.col_sums,
        )

    def statistic(self, kind: type) -> Any:
        """Return this table, its `pairs` or its `information`, by type."""
        if kind is PairCounts:
            return self.pairs
        if kind is Information:
            return self.information
        if kind is Contingency:
            return self
        raise InputTypeError(f"a contingency table holds no {kind.__name__}")

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
        keys, inverse = np.unique(rows * len(col_labels) + cols, return_inverse=True)
        summed = np.zeros(keys.size, np.int64)
        np.add.at(summed, inverse, counts)
        return _from_cells(
            keys // len(col_labels), keys % len(col_labels), summed, list(row_labels), list(col_labels)
        )

    def __repr__(self) -> str:
        r, c = self.shape
        return f"Contingency({r} x {c} clusters, n={self.n})"


def count_labels(rows: Labels, cols: Labels, *, weights: NDArray[np.int64] | None = None) -> Contingency:
    """Count the table of two coded label vectors, dense or sparse as its size demands."""
    n = len(rows)
    size = rows.n_codes * cols.n_codes
    ranges = (rows.low, cols.low, rows.n_codes, cols.n_codes)
    if size <= min(max(_SMALL_TABLE, n), _LARGEST_DENSE):
        table, row_sums, col_sums = _dense_table(rows, cols, weights)
        return _from_dense(table, row_sums, col_sums, rows.categories, cols.categories)
    from adjudge.kernels.counting import count_sparse

    row_starts, cell_cols, counts = count_sparse(
        rows.codes, cols.codes, *ranges, np.empty(0, np.int64) if weights is None else weights
    )
    cell_rows = np.repeat(np.arange(rows.n_codes), np.diff(row_starts))
    return _from_cells(cell_rows, cell_cols.astype(np.int64), counts, rows.categories, cols.categories)


def _dense_table(
    rows: Labels, cols: Labels, weights: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count the table by codes, empty rows and columns included, and its margins."""
    size = rows.n_codes * cols.n_codes
    if weights is None and len(rows) <= WORTH_A_KERNEL:
        cells = (rows.codes - rows.low).astype(np.int64) * cols.n_codes + (cols.codes - cols.low)
        table = np.bincount(cells, minlength=size).reshape(rows.n_codes, cols.n_codes)
        return table, table.sum(axis=1), table.sum(axis=0)
    from adjudge.kernels.counting import count_dense, count_weighted, fold

    if weights is not None:
        weighted = count_weighted(
            rows.codes, cols.codes, rows.low, cols.low, rows.n_codes, cols.n_codes, weights
        )
        return fold(weighted, rows.n_codes, cols.n_codes)
    parts = spans(len(rows))
    n_lanes = 4 if size <= _LANES_PAY else 1
    lanes = np.zeros((n_lanes * len(parts), size), np.uint32)

    def count(part: int) -> None:
        span = parts[part]
        own = lanes[part * n_lanes : (part + 1) * n_lanes]
        count_dense(rows.codes[span], cols.codes[span], rows.low, cols.low, cols.n_codes, own)

    in_threads(count, range(len(parts)))
    return fold(lanes, rows.n_codes, cols.n_codes)


def cell_sizes(rows: Labels, cols: Labels, *, weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Size of the cell (a cluster of each vector) that each instance lies in, in O(n)."""
    from adjudge.kernels.counting import count_sparse, gather_dense, gather_sparse

    where = (rows.codes, cols.codes, rows.low, cols.low)
    if rows.n_codes * cols.n_codes <= min(max(_SMALL_TABLE, len(rows)), _LARGEST_DENSE):
        return gather_dense(*where, _dense_table(rows, cols, weights)[0])
    cells = count_sparse(
        *where, rows.n_codes, cols.n_codes, np.empty(0, np.int64) if weights is None else weights
    )
    return gather_sparse(*where, *cells)


def reduce_labels(
    labels_true: Any,
    labels_pred: Any = None,
    *,
    counts: Any = None,
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
) -> Contingency:
    """Return the contingency table of two label vectors, or of a table given in place of the first.

    Parameters
    ----------
    labels_true : array-like of shape (n,), Contingency, or matrix of counts of shape (R, C)
    labels_pred : array-like of shape (n,), optional
        Left out where `labels_true` is a table.
    counts, missing, noise, noise_label
        See :meth:`Contingency.from_labels`.
    """
    if labels_pred is not None:
        if isinstance(labels_true, Contingency):
            raise InputError("a contingency table was given together with labels_pred: give one or the other")
        return Contingency.from_labels(
            labels_true, labels_pred, counts=counts, missing=missing, noise=noise, noise_label=noise_label
        )
    if counts is not None:
        raise InputError("counts= weighs instances: it does not go with a contingency table")
    if noise != "cluster":
        raise InputError(f"noise={noise!r} goes with label vectors: a contingency table has lost the noise")
    if isinstance(labels_true, Contingency):
        return labels_true
    if isinstance(labels_true, PairCounts):
        raise InputTypeError("PairCounts were given in place of labels: use the index's .of(pairs)")
    if hasattr(labels_true, "tocoo") or _is_matrix(labels_true):
        return Contingency.from_matrix(labels_true)
    raise InputError("labels_pred is missing: give two label vectors, or one contingency table")


def checked_counts(counts: Any, aligned: AlignedLabels) -> NDArray[np.int64] | None:
    """Frequency weights of the instances that are left, or None where each counts once."""
    if counts is None:
        return None
    try:
        values = np.asarray(counts)
    except ValueError:
        raise InputError("counts is nested: one whole number for each instance is needed") from None
    if values.shape != (aligned.n_given,):
        raise InputError(f"counts has shape {values.shape}, there are {aligned.n_given} instances")
    whole = _whole_counts(values, lambda i: f"position {i}", what="counts")
    if aligned.kept is not None:
        whole = whole[aligned.kept]
    if not whole.any():
        raise InputError("counts are all 0: at least one instance is needed")
    return np.ascontiguousarray(whole)


def _is_matrix(values: Any) -> bool:
    try:
        return np.ndim(values) == 2
    except ValueError:
        raise InputError("the contingency table is ragged: a matrix of counts is needed") from None


def _whole_counts(values: NDArray[Any], place: Any, what: str = "the contingency table") -> NDArray[np.int64]:
    if values.dtype.kind not in "iubf":
        raise InputTypeError(f"{what} has dtype {values.dtype}: counts are whole numbers")
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
        bad = ~((values == np.floor(values)) & (np.abs(values) < 2.0**63))
    else:
        bad = np.zeros(values.shape, dtype=bool)
    bad |= values < 0
    if bad.any():
        first = int(np.argmax(bad.ravel()))
        raise InputError(
            f"{what} has {values.ravel()[first]} at {place(first)}: counts are whole numbers >= 0"
        )
    if values.sum(dtype=np.float64) > _MOST_INSTANCES:
        raise InputError(f"{what} counts more than 2^62 instances")
    return values.astype(np.int64)


def _table_labels(labels: Sequence[Any] | None, length: int, which: str) -> Sequence[Any]:
    if labels is None:
        return range(length)
    if len(labels) != length:
        raise InputError(f"{which}_labels has {len(labels)} entries, the table has {length} {which}s")
    return list(labels)


def _union(one: Sequence[Any], other: Sequence[Any]) -> dict[Any, int]:
    return {label: i for i, label in enumerate(dict.fromkeys([*one, *other]))}


def _present(labels: Sequence[Any], filled: NDArray[np.bool_]) -> Sequence[Any]:
    return [labels[i] for i in np.flatnonzero(filled).tolist()]


def _from_dense(
    table: NDArray[np.int64],
    row_sums: NDArray[np.int64],
    col_sums: NDArray[np.int64],
    row_labels: Sequence[Any],
    col_labels: Sequence[Any],
) -> Contingency:
    if not row_sums.all():
        filled = row_sums > 0
        table, row_sums, row_labels = table[filled], row_sums[filled], _present(row_labels, filled)
    if not col_sums.all():
        filled = col_sums > 0
        table, col_sums, col_labels = table[:, filled], col_sums[filled], _present(col_labels, filled)
    n = _total(row_sums)
    return Contingency(row_sums, col_sums, row_labels, col_labels, n, np.ascontiguousarray(table), None)


def _from_cells(
    rows: NDArray[np.int64],
    cols: NDArray[np.int64],
    counts: NDArray[np.int64],
    row_labels: Sequence[Any],
    col_labels: Sequence[Any],
) -> Contingency:
    row_sums = np.zeros(len(row_labels), np.int64)
    col_sums = np.zeros(len(col_labels), np.int64)
    np.add.at(row_sums, rows, counts)
    np.add.at(col_sums, cols, counts)
    n = _total(row_sums)
    if not row_sums.all():
        filled = row_sums > 0
        rows, row_sums, row_labels = (
            (np.cumsum(filled) - 1)[rows],
            row_sums[filled],
            _present(row_labels, filled),
        )
    if not col_sums.all():
        filled = col_sums > 0
        cols, col_sums, col_labels = (
            (np.cumsum(filled) - 1)[cols],
            col_sums[filled],
            _present(col_labels, filled),
        )
    return Contingency(row_sums, col_sums, row_labels, col_labels, n, None, (rows, cols, counts))


def _total(sums: NDArray[np.int64]) -> int:
    n: int = sum(sums.tolist())
    if n == 0:
        raise InputError("the contingency table is empty: at least one instance is needed")
    if not 0 < n <= _MOST_INSTANCES:
        raise InputError("the contingency table counts more than 2^62 instances")
    return n
