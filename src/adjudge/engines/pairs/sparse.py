"""Cosine distances between sparse rows, block by block, without a dense copy of any row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Swept, given_operands
from adjudge.engines.pairs.layout import Layout, Span, Task
from adjudge.errors import Argument, InputError, Row
from adjudge.kernels.sparse_rows import cosine_distances, scale_to_length_one

__all__ = ["SparseCosines", "SparseRows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Entries of a block: 16 MiB of doubles.
_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of length one.

    Attributes
    ----------
    indptr, indices, data : ndarray
        As in a CSR matrix, with sorted indices.
    n_features : int
        Columns that have an entry.
    """

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: Floats
    n_features: int

    @classmethod
    def of(cls, X: Any, order: Ints | None = None) -> SparseRows:
        """Copy a sparse matrix, in an order, and scale its rows; raise if one has no direction."""
        matrix = X.copy() if order is None else X[order]
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        bad = scale_to_length_one(matrix.indptr, matrix.data)
        if bad >= 0:
            row = bad if order is None else int(order[np.diff(matrix.indptr) == 0].min())
            raise InputError(
                Argument("X"), " has only zeros ", Row(row), ": its cosine distances are undefined"
            )
        used, indices = np.unique(matrix.indices, return_inverse=True)
        return cls(matrix.indptr, indices.astype(matrix.indices.dtype), matrix.data, used.size)

    @property
    def arrays(self) -> tuple[NDArray[Any], NDArray[Any], Floats]:
        """As kernels take them."""
        return self.indptr, self.indices, self.data

    def between(self, rows: Ints, columns: Ints) -> Floats:
        """Cosine distances of some rows to others."""
        return np.asarray(cosine_distances(self.arrays, rows, self.arrays, columns, self.n_features))

    def part(self, points: slice) -> SparseRows:
        """Return some rows, without what belongs to others."""
        first, last = self.indptr[points.start], self.indptr[points.stop]
        indptr = self.indptr[points.start : points.stop + 1] - first
        return SparseRows(indptr, self.indices[first:last], self.data[first:last], self.n_features)


@dataclass(frozen=True, eq=False)
class SparseCosines(Swept):
    """Cosine distances between sparse rows.

    Attributes
    ----------
    layout : Layout
    runs : tuple of (int, SparseRows)
        Sorted rows, all of them or those of some spans, each with the sorted position of its first.
    """

    layout: Layout
    runs: tuple[tuple[int, SparseRows], ...]
    squared: bool = False

    @classmethod
    def of(cls, X: Any, layout: Layout) -> SparseCosines:
        """Sort the rows of a matrix."""
        return cls(layout, ((0, SparseRows.of(X, layout.order)),))

    def operands(self, task: Task) -> tuple[Floats, Floats, Ints, Floats]:
        """See `Distances`."""
        first = task.rows.start
        rows, at_rows = self._at(first + task.first, first + task.last)
        # Rows meet only the columns before them in their own group.
        width = task.last - 1 if task.diagonal else task.columns.size
        columns, at_columns = self._at(task.columns.start, task.columns.start + width)
        block = cosine_distances(rows.arrays, at_rows, columns.arrays, at_columns, rows.n_features)
        return given_operands(block)

    def _at(self, first: int, last: int) -> tuple[SparseRows, Ints]:
        """Rows at some sorted positions, and where these are among them."""
        start, rows = max((run for run in self.runs if run[0] <= first), key=lambda run: run[0])
        return rows, np.arange(first - start, last - start)

    def most_pairs(self, wanted: int) -> int:
        """See `Distances`."""
        return min(wanted, _BLOCK)

    def of_span(self, span: Span) -> SparseRows:
        """See `Portioned`."""
        ((_, rows),) = self.runs
        return rows.part(span.points)

    def emptied(self) -> SparseCosines:
        """See `Portioned`."""
        return replace(self, layout=self.layout.emptied(), runs=())

    def joining(self, spans: Sequence[tuple[Span, Any]]) -> SparseCosines:
        """See `Portioned`."""
        return replace(self, runs=tuple((span.start, rows) for span, rows in spans))
