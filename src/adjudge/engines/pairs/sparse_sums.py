"""Sums of cosine and correlation distances between sparse rows from centroids, which are sparse rows too.

The mean distance of a row of length one from others is one minus its product with their mean, and that between two
clusters is one minus the product of their means.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.mean_distances import MeanDistances
from adjudge.engines.pairs.sparse import SparseRows
from adjudge.engines.running.executor import Crew
from adjudge.kernels.sparse_rows import add_half_squares, products_with_themselves
from adjudge.statistics.pair_distances import Silhouettes

__all__ = ["SparseMeans"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Entries of a block of mean distances.
_BLOCK = 1 << 20
# If a mean has a length near one, one minus that has few digits, and is summed from differences instead.
_CLOSE = 1e-3
# Rows that are summed in one go.
_ROWS = 4096


class SparseMeans(MeanDistances):
    """See `MeanDistances`.

    Parameters
    ----------
    X : sparse CSR matrix of shape (n, p)
    codes : ndarray of int64 of shape (n,)
    sizes : ndarray of int64 of shape (K,)
    metric : {"cosine", "correlation"}
    crew : Crew
    """

    def __init__(self, X: Any, codes: Ints, sizes: Ints, metric: str, crew: Crew) -> None:
        order = np.argsort(codes, kind="stable")
        super().__init__(codes[order], sizes, crew, max(1, _BLOCK // sizes.size))
        self._order, self._given = order, codes
        self._rows = SparseRows.of(X, metric, order)
        self._bounds = np.concatenate([[0], np.cumsum(sizes)])
        self._centroids = self._rows.means(self._bounds)
        self._centroids.spreads[:] = self._spreads_around(self._centroids, self._bounds)
        self.spreads = self._centroids.spreads
        crew.advance(X.nnz)

    def _spreads_around(self, centroids: SparseRows, bounds: Ints) -> Floats:
        lengths = products_with_themselves(
            centroids.indptr, centroids.data, centroids.levels, centroids.n_columns
        )
        spreads = np.asarray((1.0 - lengths) / 2)
        for k in np.flatnonzero(1.0 - lengths < _CLOSE):
            total = self._half_squares(int(bounds[k]), int(bounds[k + 1]), centroids, int(k))
            spreads[k] = total / (bounds[k + 1] - bounds[k])
        return spreads

    def _half_squares(self, first: int, last: int, centroids: SparseRows, k: int) -> float:
        """Sum half the squared distances of a run of rows from a centroid."""

        def add(a: int) -> float:
            return float(
                add_half_squares(
                    self._rows.arrays, a, min(a + _ROWS, last), centroids.arrays, k, centroids.n_columns
                )
            )

        starts = range(first, last, _ROWS)
        return sum(found for _, found in self._crew.map(add, starts))

    @cached_property
    def _clusters(self) -> Ints:
        return np.arange(self.sizes.size)

    def from_points(self, span: slice) -> Floats:
        """See `MeanDistances`."""
        return self._rows.between(np.arange(span.start, span.stop), self._clusters, self._centroids)

    def between_clusters(self, some: slice) -> Floats:
        """See `MeanDistances`."""
        return self._centroids.between(self._clusters[some], self._clusters)

    def from_the_middle(self) -> Floats:
        """See `MeanDistances`."""
        middle = self._rows.means(np.array([0, self.codes.size]))
        arrays = self._centroids.arrays, middle.arrays
        return np.array(
            [add_half_squares(arrays[0], k, k + 1, arrays[1], 0, middle.n_columns) for k in self._clusters]
        )

    def silhouettes(self) -> Silhouettes:
        """See `MeanDistances`; in the given order of the points."""
        found = super().silhouettes()
        values = np.empty_like(found.values)
        values[self._order] = found.values
        return Silhouettes(self.sizes, self._given, values)
