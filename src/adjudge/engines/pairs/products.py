"""Sums and extremes of distances between points in many dimensions, by matrix products.

Rows are centred, blocks of products stay in the cache while they are reduced, and pairs so close that the product
leaves few digits are computed again. With u = 2^-53, the relative error of a squared distance is at most about
(p + 4) u 10^4; rounding errors partly cancel, and the relative error of sums is less than 1e-11.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Tables, Wanted, table_rows
from adjudge.engines.pairs.euclidean_embeddings import Image
from adjudge.engines.pairs.extremes import CompiledFilter, Extremes, error_bound
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Layout, Strip, Task
from adjudge.engines.pairs.stored_strips import Reader, ReadRows, rows_by_strip
from adjudge.engines.pairs.tiles import SomeRows
from adjudge.given.point_options import PointOptions
from adjudge.kernels.extremes import complete
from adjudge.kernels.products import add_products

__all__ = ["CLOSE", "ProductPoints"]

Floats = NDArray[Any]
Ints = NDArray[np.int64]

# Squared distances that are a smaller fraction than this of the squared lengths are computed by explicit differences.
CLOSE = {"float64": 1e-4, "float32": 1e-2}
# Rows and columns of a block of products: 2 MB of doubles.
_ROWS, _COLUMNS = 256, 1024
# Coordinates read at a time for squared lengths.
_READ = 1 << 18


@dataclass(frozen=True, eq=False)
class ProductPoints:
    """Distances whose sums come from products, and whose extremes are found by them.

    Attributes
    ----------
    layout : Layout
    points : ndarray of shape (n, p)
        As given.
    prepare : callable
        Maps points to the image in which distances are taken.
    centre : ndarray of shape (p,)
        Mean of the prepared points.
    kept : ndarray of shape (n, p), SomeRows, ReadRows or None
        Prepared, centred and sorted points, if they fit into memory, or if workers read them.
    squares : ndarray of shape (n,)
        Squared lengths, sorted.
    squared : bool
        Whether the products give squared distances.
    precision : str
    given : SomeRows, ReadRows or None
        Used instead of `points`: some of the given points, by sorted position.
    """

    layout: Layout
    points: NDArray[Any]
    prepare: Callable[[NDArray[Any]], NDArray[np.float64]]
    centre: NDArray[np.float64]
    kept: Floats | SomeRows | ReadRows | None
    squares: Floats | SomeRows
    squared: bool
    precision: str
    given: SomeRows | ReadRows | None = None
    in_threads: bool = True
    skips: bool = True

    @classmethod
    def of(
        cls,
        X: NDArray[Any],
        layout: Layout,
        image: Image,
        options: PointOptions,
        reader: Reader | None = None,
    ) -> ProductPoints:
        """Centre and sort the points; beyond the memory limit, each block is read when it is needed.

        With a reader, they stay in their file.
        """
        n, p = X.shape
        prepare, squared = image.prepare, image.rooted
        dtype = np.dtype(options.precision)
        centre = np.zeros(p)
        for some in _runs(n, p):
            centre += prepare(X[some]).sum(axis=0)
        centre /= n
        is_kept = reader is None and n * p * dtype.itemsize <= options.memory_limit
        kept = np.empty((n, p), dtype) if is_kept else None
        squares = np.empty(n, dtype)
        made = cls(layout, X, prepare, centre, None, squares, squared, options.precision)
        for some in _runs(n, p):
            rows = made.rows(some)
            squares[some] = np.einsum("ij,ij->i", rows, rows)
            if kept is not None:
                kept[some] = rows
        if reader is not None:
            return made._read_by(reader)
        return replace(made, kept=kept)

    def _read_by(self, reader: Reader) -> ProductPoints:
        places = rows_by_strip(reader, self.layout)
        centred = partial(_centred, self.prepare, self.centre, self.precision)
        return replace(
            self,
            points=np.empty((0, self.points.shape[1])),
            kept=ReadRows(reader, places, "centred", centred),
            given=ReadRows(reader, places, "given", np.asarray),
        )

    def rows(self, positions: slice) -> Floats:
        """Return some of the sorted points."""
        if self.kept is not None:
            return self.kept[positions]
        rows = self.points[self.layout.order[positions]]
        return _centred(self.prepare, self.centre, self.precision, rows)

    def of_strip(self, strip: Strip) -> tuple[NDArray[Any], Floats]:
        """See `Portioned`."""
        if isinstance(self.given, ReadRows):
            return self.given.places[strip.points], self.squares[strip.points]
        return self.points[self.layout.order[strip.points]], self.squares[strip.points]

    def emptied(self) -> ProductPoints:
        """See `Portioned`."""
        kept, given = (
            rows.emptied() if isinstance(rows, ReadRows) else None for rows in (self.kept, self.given)
        )
        return replace(
            self,
            layout=self.layout.emptied(),
            points=np.empty((0, self.points.shape[1])),
            kept=kept,
            squares=np.empty(0),
            given=given,
        )

    def joining(self, strips: Sequence[tuple[Strip, Any]]) -> ProductPoints:
        """See `Portioned`."""
        starts = tuple(strip.start for strip, _ in strips)
        given, squares = (SomeRows(starts, tuple(found[i] for _, found in strips)) for i in (0, 1))
        if isinstance(self.kept, ReadRows) and isinstance(self.given, ReadRows):
            return replace(
                self,
                given=replace(self.given, places=given),
                kept=replace(self.kept, places=given),
                squares=squares,
            )
        centred = partial(_centred, self.prepare, self.centre, self.precision)
        kept = SomeRows(starts, tuple(map(centred, given.values)))
        return replace(self, given=given, kept=kept, squares=squares)

    def exact_rows(self, positions: Ints) -> Floats:
        """Return some of the sorted points as in tiles: not centred, in double precision and an even dimension."""
        p = self.points.shape[1]
        rows = np.zeros((positions.size, p + p % 2))
        if positions.size == 0:
            return rows
        if self.given is None:
            found = self.points[self.layout.order[positions]]
        else:
            first = int(positions.min())
            found = self.given[first : int(positions.max()) + 1][positions - first]
        rows[:, :p] = self.prepare(found)
        return rows

    def sweep(self, task: Task, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Distances`."""
        tables = Tables.of(task, wanted)
        clusters = table_rows(task)
        bound = error_bound(self.points.shape[1], self.squares.dtype)
        extremes = None
        if wanted.extremes and not task.columns.is_single:
            rooted = self.squared and wanted.sums
            extremes = Extremes(task, bound, rooted, self.exact_rows, CompiledFilter())
        for first, last in _steps(task.first, task.last):
            rows = slice(task.rows.start + first, task.rows.start + last)
            left = self.rows(rows)
            own = slice(first - task.first, last - task.first)
            end = last - 1 if task.diagonal else task.columns.size
            for start in range(0, end, _COLUMNS):
                stop = min(start + _COLUMNS, end)
                columns = slice(task.columns.start + start, task.columns.start + stop)
                right = self.rows(columns)
                distances = left @ right.T
                squares = self.squares[rows], self.squares[columns]
                if wanted.sums:
                    add_products(
                        distances,
                        left,
                        right,
                        *squares,
                        CLOSE[self.precision],
                        self.squared,
                        clusters[own],
                        task.columns.table_bounds,
                        start,
                        first - start if task.diagonal else -1,
                        tables.row_sums[own],
                        tables.column_sums[:, start:stop],
                    )
                elif wanted.extremes:
                    complete(distances, *squares)
                if task.columns.is_single:
                    met = None
                    if task.diagonal:
                        met = np.arange(start, stop) < np.arange(first, last)[:, None]
                    self._take_nearest(distances, met, tables, own, slice(start, stop))
                if extremes is not None:
                    extremes.add(distances, *squares, clusters[own], first, start, tables)
        return tables

    def _take_nearest(
        self, squares: Floats, met: NDArray[np.bool_] | None, tables: Tables, rows: slice, columns: slice
    ) -> None:
        """Update the least distances to single points from a block of squared ones."""
        root = np.sqrt if self.squared else np.asarray
        if tables.row_minima.size:
            known = tables.row_minima[rows, 0]
            np.minimum(known, root(squares.min(axis=1)), out=known)
        if tables.column_minima.size:
            known = tables.column_minima[0, columns]
            least = squares.min(axis=0) if met is None else squares.min(axis=0, where=met, initial=np.inf)
            np.minimum(known, root(least), out=known)


def _centred(
    prepare: Callable[[NDArray[Any]], NDArray[np.float64]],
    centre: NDArray[np.float64],
    precision: str,
    rows: NDArray[Any],
) -> Floats:
    return np.asarray(prepare(rows) - centre, dtype=precision)


def _runs(n: int, p: int) -> Iterator[slice]:
    step = max(1, _READ // p)
    for first in range(0, n, step):
        yield slice(first, min(first + step, n))


def _steps(first: int, last: int) -> Iterator[tuple[int, int]]:
    """Cut rows into runs within a block of columns each, so that no block begins to the right of its first row."""
    while first < last:
        stop = min(last, first + _ROWS, (first // _COLUMNS + 1) * _COLUMNS)
        yield first, stop
        first = stop
