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

from adjudge.engines.pairs.distances import Tables, Wanted
from adjudge.engines.pairs.euclidean_embeddings import Image
from adjudge.engines.pairs.extremes import CompiledFilter, Extremes, error_bound
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.stored_strips import Reader, ReadRows, rows_by_strip
from adjudge.engines.pairs.strips import Meeting, Strip, Strips
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
    strips : Strips
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

    strips: Strips
    points: NDArray[Any]
    prepare: Callable[[NDArray[Any]], NDArray[np.float64]]
    centre: NDArray[np.float64]
    kept: Floats | SomeRows | ReadRows | None
    squares: Floats | SomeRows
    squared: bool
    precision: str
    given: SomeRows | ReadRows | None = None
    in_threads: bool = True

    @classmethod
    def of(
        cls,
        X: NDArray[Any],
        strips: Strips,
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
        made = cls(strips, X, prepare, centre, None, squares, squared, options.precision)
        for some in _runs(n, p):
            rows = made.rows(some)
            squares[some] = np.einsum("ij,ij->i", rows, rows)
            if kept is not None:
                kept[some] = rows
        if reader is not None:
            return made._read_by(reader)
        return replace(made, kept=kept)

    def _read_by(self, reader: Reader) -> ProductPoints:
        places = rows_by_strip(reader, self.strips)
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
        rows = self.points[self.strips.order[positions]]
        return _centred(self.prepare, self.centre, self.precision, rows)

    def of_strip(self, strip: Strip) -> tuple[NDArray[Any], Floats]:
        """See `Portioned`."""
        if isinstance(self.given, ReadRows):
            return self.given.places[strip.points], self.squares[strip.points]
        return self.points[self.strips.order[strip.points]], self.squares[strip.points]

    def emptied(self) -> ProductPoints:
        """See `Portioned`."""
        kept, given = (
            rows.emptied() if isinstance(rows, ReadRows) else None for rows in (self.kept, self.given)
        )
        return replace(
            self,
            strips=self.strips.emptied(),
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
            found = self.points[self.strips.order[positions]]
        else:
            first = int(positions.min())
            found = self.given[first : int(positions.max()) + 1][positions - first]
        rows[:, :p] = self.prepare(found)
        return rows

    def meet(self, meeting: Meeting, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Sweepable`."""
        tables = Tables.of(meeting, wanted)
        clusters = meeting.row_clusters
        extremes = None
        if wanted.extremes:
            bound = error_bound(self.points.shape[1], self.squares.dtype)
            rooted = self.squared and wanted.sums
            extremes = Extremes(meeting, bound, rooted, self.exact_rows, CompiledFilter())
        for first, last in _steps(meeting.first, meeting.last):
            rows = slice(meeting.rows.start + first, meeting.rows.start + last)
            left = self.rows(rows)
            own = slice(first - meeting.first, last - meeting.first)
            end = last - 1 if meeting.diagonal else meeting.columns.size
            for start in range(0, end, _COLUMNS):
                stop = min(start + _COLUMNS, end)
                columns = slice(meeting.columns.start + start, meeting.columns.start + stop)
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
                        meeting.columns.bounds,
                        start,
                        first - start if meeting.diagonal else -1,
                        tables.row_sums[:, own],
                        tables.column_sums[:, start:stop],
                    )
                else:
                    complete(distances, *squares)
                if extremes is not None:
                    extremes.add(distances, *squares, clusters[own], first, start, tables)
        return tables


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
