"""Sources of distances, and the reduction of one task's distances to tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Layout, Strip, Task
from adjudge.engines.pairs.tiles import TilesOfStrips, aligned_zeros
from adjudge.kernels.metric_tiles import EUCLIDEAN
from adjudge.kernels.pair_tiles import ALIGNMENT, ROWS, sweep
from adjudge.statistics.pair_distances import gathered

__all__ = [
    "Distances",
    "Operands",
    "Portioned",
    "Sweepable",
    "Swept",
    "Tables",
    "TiledPoints",
    "Wanted",
    "clusters_of_rows",
    "given_operands",
    "operands_of",
    "table_rows",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NO_DISTANCES = np.empty((0, 0))
_NO_BINS = np.empty(0, np.uint32)
_GIVEN_TILE = 1024
_NO_TILES = np.empty((0, 2, _GIVEN_TILE))


class Sweepable(Protocol):
    """Distances that a pass sweeps over."""

    @property
    def layout(self) -> Layout:
        """The order of the points."""
        ...

    @property
    def squared(self) -> bool:
        """Whether the kernels have to take square roots."""
        ...

    @property
    def in_threads(self) -> bool:
        """Whether several tasks may be swept at the same time."""
        ...

    @property
    def skips(self) -> bool:
        """Whether distances that no statistic needs may be skipped."""
        ...

    def sweep(self, task: Task, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """Reduce the distances of a task to tables, and count them in its histogram."""
        ...


@runtime_checkable
class Portioned(Protocol):
    """Distances, or their tiles, that another machine can compute from the points of the strips that it needs."""

    def of_strip(self, strip: Strip) -> Any:
        """Return the points of a strip in the form in which they are sent, or where to read them."""
        ...

    def emptied(self) -> Any:
        """Return a copy without points."""
        ...

    def joining(self, strips: Sequence[tuple[Strip, Any]]) -> Any:
        """Return a copy with the points of some strips."""
        ...


class Distances(Sweepable, Protocol):
    """Distances for the compiled loops: computed in the kernel from tiles, or given block by block."""

    @property
    def kind(self) -> tuple[int, int]:
        """Which distance the tiles are for, and the number of variables, as the kernels take them."""
        ...

    def operands(self, task: Task) -> tuple[Floats, Floats, Ints, Floats]:
        """Return rows, tiles and widths of the columns, and given distances, as the kernels take them."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What to gather from all distances: for each pair of clusters, or only the extremes over all pairs."""

    sums: bool
    pair_sums: bool
    silhouettes: bool
    extremes: bool
    minima: bool
    by_pair: bool = True

    @classmethod
    def of(cls, types: set[type], *, by_pair: bool = True) -> Wanted:
        """Find what the statistics need, for each pair of clusters or over all."""
        wants = gathered(types)
        return cls(
            sums="sums" in wants,
            pair_sums="sums of pairs" in wants,
            silhouettes="sums of points" in wants,
            extremes="extremes" in wants,
            minima="minima of points" in wants,
            by_pair=by_pair,
        )

    def of_task(self, task: Task) -> Wanted:
        """Find what a task has to gather: a distance to a single point is sum, mean and extremes in one."""
        if not task.columns.is_single:
            return self
        if not task.rows.is_single:
            # The nearest single point is the nearest of these clusters.
            return replace(self, minima=self.silhouettes or self.minima)
        needed = self.pair_sums or self.extremes
        return replace(self, sums=self.sums and needed, silhouettes=False, extremes=needed)

    @property
    def anything(self) -> bool:
        """Whether a task has anything to gather."""
        return self.sums or self.extremes or self.minima


@dataclass
class Tables:
    """Tables of one task's reduced distances: rows against clusters of columns, and the reverse.

    Attributes
    ----------
    row_sums, row_minima : ndarray of shape (rows, clusters of the columns)
    column_sums, column_minima, column_maxima : ndarray of shape (clusters of the rows, columns)

    Single points count as one cluster (see `Group.table_bounds`).
    """

    row_sums: Floats
    column_sums: Floats
    row_minima: Floats
    column_minima: Floats
    column_maxima: Floats

    @classmethod
    def of(cls, task: Task, wanted: Wanted) -> Tables:
        """Make the wanted tables, before any distance is seen; columns are padded to whole cache lines."""
        n, g, h = task.last - task.first, task.rows, task.columns
        k, nothing = g.table_k, np.empty((0, 0))
        return cls(
            row_sums=np.zeros((n, h.table_k)) if wanted.sums else nothing,
            column_sums=_columns(k, h.size, 0.0) if wanted.sums else nothing,
            row_minima=np.full((n, h.table_k), np.inf) if wanted.minima else nothing,
            column_minima=_columns(k, h.size, np.inf) if wanted.extremes else nothing,
            column_maxima=_columns(k, h.size, 0.0) if wanted.extremes else nothing,
        )

    @property
    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """The arrays as kernels take them."""
        return self.row_sums, self.row_minima, self.column_sums, self.column_minima, self.column_maxima


def _columns(k: int, n: int, fill: float) -> Floats:
    # Rows of whole cache lines.
    table = aligned_zeros((k, n + -n % ALIGNMENT))
    if fill:
        table[:] = fill
    return table


class Swept:
    """Distances that the compiled kernel reduces."""

    in_threads: bool = True
    skips: bool = False
    kind: tuple[int, int] = (EUCLIDEAN, 0)

    def sweep(self: Distances, task: Task, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Distances`."""
        tables = Tables.of(task, wanted)
        counts = (_NO_BINS, _NO_BINS) if histogram is None else (histogram.within, histogram.between)
        if task.diagonal and task.rows.is_single:
            # All pairs of single points are between clusters, but tables treat them as one cluster.
            counts = counts[1], counts[0]
        scale = 0.0 if histogram is None else histogram.scale
        sweep(*operands_of(self, task, by_table=True), tables.arrays, scale, counts)
        return tables


@dataclass(frozen=True, eq=False)
class TiledPoints(Swept):
    """Distances by explicit differences: Euclidean, their squares, or others that the kernels compute."""

    layout: Layout
    tiles: TilesOfStrips
    squared: bool = True
    skips: bool = True
    kind: tuple[int, int] = (EUCLIDEAN, 0)

    def of_strip(self, strip: Strip) -> Any:
        """See `Portioned`."""
        assert isinstance(self.tiles, Portioned)
        return self.tiles.of_strip(strip)

    def emptied(self) -> TiledPoints:
        """See `Portioned`."""
        assert isinstance(self.tiles, Portioned)
        return replace(self, layout=self.layout.emptied(), tiles=self.tiles.emptied())

    def joining(self, strips: Sequence[tuple[Strip, Any]]) -> TiledPoints:
        """See `Portioned`."""
        assert isinstance(self.tiles, Portioned)
        return replace(self, tiles=self.tiles.joining(strips))

    def operands(self, task: Task) -> tuple[Floats, Floats, Ints, Floats]:
        """See `Distances`."""
        rows = self.tiles.rows(task.rows, task.first, task.last)
        tiles, widths = self.tiles.tiles_of(task.columns)
        return rows, tiles, widths, _NO_DISTANCES


def given_operands(block: Floats) -> tuple[Floats, Floats, Ints, Floats]:
    """Return the operands of the kernels for given distances."""
    n, m = block.shape
    widths = np.full(-(-m // _GIVEN_TILE), _GIVEN_TILE)
    widths[-1] = m - _GIVEN_TILE * (widths.size - 1)
    return np.empty((-(-n // ROWS) * ROWS, 2)), _NO_TILES, widths, block


Operands = tuple[tuple[int, int], bool, int, tuple[Floats, Ints, Floats, Ints, Floats, Ints, Floats]]


def operands_of(distances: Distances, task: Task, *, by_table: bool = False) -> Operands:
    """Return the first arguments of the kernels: a task's rows and columns, and their clusters, or those of tables."""
    rows, tiles, widths, given = distances.operands(task)
    if task.diagonal:
        # Columns from the last row onwards are never visited.
        used = int(np.searchsorted(np.cumsum(widths), task.last - 1, "left")) + 1
        tiles, widths = tiles[:used], widths[:used]
    row_cluster = table_rows(task) if by_table else clusters_of_rows(task)
    bounds = task.columns.table_bounds if by_table else task.columns.bounds
    buffer = aligned_zeros((ROWS, tiles.shape[2]))
    groups = rows, row_cluster, tiles, widths, given, bounds, buffer
    return distances.kind, distances.squared, _diagonal(task), groups


def _diagonal(task: Task) -> int:
    """Encode for the kernels which columns each row visits, and whether some share the rows' clusters; see `sweep`."""
    if task.diagonal:
        return task.first
    # Two parts of a cluster: every row comes after all columns.
    return task.columns.size if task.in_one_cluster else -1


def clusters_of_rows(task: Task) -> Ints:
    """Return the cluster of each row of a task, numbered within its strip."""
    return np.searchsorted(task.rows.bounds, np.arange(task.first, task.last), "right") - 1


def table_rows(task: Task) -> Ints:
    """Return the row of the tables by row cluster to which each row of a task belongs."""
    return np.zeros(task.last - task.first, np.int64) if task.rows.is_single else clusters_of_rows(task)
