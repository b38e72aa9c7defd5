"""Cosine and correlation distances between sparse rows, block by block, without a dense copy of any row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Swept, given_operands
from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.errors import Argument, InputError, Row
from adjudge.kernels.sparse_rows import (
    centre_and_scale,
    cosine_distances,
    fill_means,
    n_features_of_means,
    scale_to_length_one,
)

__all__ = ["SparseCosines", "SparseRows"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of length one, or means of such rows; centring, which would fill in the zeros, is one number per row.

    Attributes
    ----------
    indptr, indices, data : ndarray
        As in a CSR matrix, with sorted indices.
    levels : ndarray of float64 of shape (n,)
        Added to all values of each row, including those that are not stored: 0, or what centres it.
    spreads : ndarray of float64 of shape (n,)
        Mean of half the squared distances from the rows that it is the mean of: 0 for a row of length one.
    n_features, n_columns : int
        Columns that have an entry, and all columns.
    """

    indptr: Ints
    indices: NDArray[Any]
    data: Floats
    levels: Floats
    spreads: Floats
    n_features: int
    n_columns: int

    @classmethod
    def of(cls, X: Any, metric: str, order: Ints | None = None) -> SparseRows:
        """Copy a sparse matrix in a given order, and scale its rows for a metric; raise if one has no direction."""
        matrix = X.copy() if order is None else X[order]
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        indptr, levels = matrix.indptr.astype(np.int64), np.zeros(matrix.shape[0])
        if metric == "correlation":
            bad = centre_and_scale(indptr, matrix.data, matrix.shape[1], levels)
        else:
            bad = scale_to_length_one(indptr, matrix.data)
        if bad >= 0:
            row = bad if order is None else int(order[bad])
            what = "equal values" if metric == "correlation" else "zeros"
            raise InputError(
                Argument("X"), f" has only {what} ", Row(row), f": its {metric} distances are undefined"
            )
        used, indices = np.unique(matrix.indices, return_inverse=True)
        indices = indices.astype(np.int32 if used.size <= np.iinfo(np.int32).max else np.int64)
        spreads = np.zeros_like(levels)
        return cls(indptr, indices, matrix.data, levels, spreads, used.size, matrix.shape[1])

    @property
    def arrays(self) -> tuple[Ints, NDArray[Any], Floats, Floats, Floats]:
        """The arrays as kernels take them."""
        return self.indptr, self.indices, self.data, self.levels, self.spreads

    def means(self, bounds: Ints) -> SparseRows:
        """Return the mean of each run of rows between two bounds; their spreads are still unknown."""
        firsts, sizes = bounds[:-1], np.diff(bounds)
        counts = n_features_of_means(self.indptr, self.indices, bounds, self.n_features)
        indptr = np.concatenate([[0], np.cumsum(counts)])
        indices, data = np.empty(indptr[-1], self.indices.dtype), np.empty(indptr[-1])
        fill_means(*self.arrays[:3], bounds, self.n_features, indptr, indices, data)
        bases = self.levels[firsts]
        steps = np.add.reduceat(self.levels - np.repeat(bases, sizes), firsts) / sizes
        return replace(
            self,
            indptr=indptr,
            indices=indices,
            data=data,
            levels=bases + steps,
            spreads=np.full(sizes.size, np.nan),
        )

    def between(self, rows: Ints, columns: Ints, others: SparseRows | None = None) -> Floats:
        """Return distances from some rows to rows of this matrix or of `others`; for means, mean distances."""
        there = self if others is None else others
        sizes = self.n_features, self.n_columns
        return np.asarray(cosine_distances(self.arrays, rows, there.arrays, columns, *sizes))

    def part(self, points: slice) -> SparseRows:
        """Return some rows, without the data of the others."""
        first, last = self.indptr[points.start], self.indptr[points.stop]
        indptr = self.indptr[points.start : points.stop + 1] - first
        return replace(
            self,
            indptr=indptr,
            indices=self.indices[first:last],
            data=self.data[first:last],
            levels=self.levels[points],
            spreads=self.spreads[points],
        )


@dataclass(frozen=True, eq=False)
class SparseCosines(Swept):
    """Cosine or correlation distances between sparse rows.

    Attributes
    ----------
    strips : Strips
    runs : tuple of (int, SparseRows)
        Sorted rows, all of them or those of some strips, each with the sorted position of its first.
    """

    strips: Strips
    runs: tuple[tuple[int, SparseRows], ...]
    squared: bool = False

    @classmethod
    def of(cls, X: Any, strips: Strips, metric: str) -> SparseCosines:
        """Sort the rows of a matrix."""
        return cls(strips, ((0, SparseRows.of(X, metric, strips.order)),))

    def operands(self, meeting: Meeting) -> tuple[Floats, Floats, Ints, Floats]:
        """See `DistanceSource`."""
        first = meeting.rows.start
        rows, at_rows = self._at(first + meeting.first, first + meeting.last)
        # Within their own strip, rows are compared only with earlier columns.
        width = meeting.last - 1 if meeting.diagonal else meeting.columns.size
        columns, at_columns = self._at(meeting.columns.start, meeting.columns.start + width)
        return given_operands(rows.between(at_rows, at_columns, columns))

    def _at(self, first: int, last: int) -> tuple[SparseRows, Ints]:
        """Return the rows that hold some sorted positions, and where these are among them."""
        start, rows = max((run for run in self.runs if run[0] <= first), key=lambda run: run[0])
        return rows, np.arange(first - start, last - start)

    def of_strip(self, strip: Strip) -> SparseRows:
        """See `Portioned`."""
        ((_, rows),) = self.runs
        return rows.part(strip.points)

    def emptied(self) -> SparseCosines:
        """See `Portioned`."""
        return replace(self, strips=self.strips.emptied(), runs=())

    def joining(self, strips: Sequence[tuple[Strip, Any]]) -> SparseCosines:
        """See `Portioned`."""
        return replace(self, runs=tuple((strip.start, rows) for strip, rows in strips))
