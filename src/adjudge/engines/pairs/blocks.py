"""What one task found, for the points and for the pairs of clusters of its two strips."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Sweepable, Tables, Wanted, clusters_of_rows
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Strip, Task

__all__ = ["Block", "Found", "OfPoints", "Reduce"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MERGED = {
    "sums": np.add,
    "smallest": np.minimum,
    "largest": np.maximum,
    "rows_reach": np.maximum,
    "columns_reach": np.maximum,
}


@dataclass
class Block:
    """Results for pairs of clusters, (clusters of the rows, clusters of the columns), as far as they are wanted."""

    sums: Floats | None = None
    smallest: Floats | None = None
    largest: Floats | None = None
    rows_reach: Floats | None = None
    columns_reach: Floats | None = None

    def merge(self, other: Block) -> None:
        """Merge what was found for other parts of the same clusters."""
        for name, merge in _MERGED.items():
            mine, theirs = getattr(self, name), getattr(other, name)
            if theirs is not None:
                setattr(self, name, theirs if mine is None else merge(mine, theirs))

    def arrays(self) -> dict[str, Floats]:
        """Return what there is, by name."""
        return {f.name: found for f in fields(self) if (found := getattr(self, f.name)) is not None}


@dataclass
class OfPoints:
    """Results for the points of a strip, each of shape (points,), as far as they are wanted.

    Attributes
    ----------
    own : ndarray
        Sum of the distances to the own cluster.
    nearest : ndarray
        Least mean distance to another cluster that is whole.
    closest : ndarray
        Least distance to another cluster.
    sums, minima : ndarray
        Sum of the distances, and the least, to the cluster of which the other strip is a part.
    """

    own: Floats | None = None
    nearest: Floats | None = None
    closest: Floats | None = None
    sums: Floats | None = None
    minima: Floats | None = None


@dataclass
class Found:
    """What one task found."""

    block: Block = field(default_factory=Block)
    rows: OfPoints = field(default_factory=OfPoints)
    columns: OfPoints = field(default_factory=OfPoints)
    counts: tuple[NDArray[np.uint32], NDArray[np.uint32]] | None = None


@dataclass(frozen=True, eq=False)
class Reduce:
    """Sweeps over one task and reduces what it finds; in a thread, or in another process."""

    wanted: Wanted
    histogram: Histogram | None

    def __call__(self, distances: Sweepable, task: Task) -> Found:
        """Do the task."""
        wanted = self.wanted.of_task(task)
        if not self.wanted.by_pair and not task.diagonal:
            task = task.between_strips()
        if distances.skips and not wanted.anything and self.histogram is None:
            return Found()
        own = None if self.histogram is None else self.histogram.of_task()
        found = _found(task, wanted, distances.sweep(task, wanted, own))
        if own is not None:
            found.counts = own.within, own.between
        return found


def _found(task: Task, wanted: Wanted, tables: Tables) -> Found:
    g, h = task.rows, task.columns
    row_sums, row_minima = tables.row_sums, tables.row_minima
    # Without the padding of the rows.
    column_sums, column_minima, column_maxima = (
        table[:, : h.size] for table in (tables.column_sums, tables.column_minima, tables.column_maxima)
    )
    if h.is_single:
        return _found_of_single(task, wanted, row_minima, column_sums, column_minima, column_maxima)
    found = Found()
    block, rows, columns = found.block, found.rows, found.columns
    if wanted.silhouettes and task.diagonal:
        _add_sums(rows, row_sums.T + column_sums, g, clusters_of_rows(task))
    elif wanted.silhouettes:
        for points, sums, to in ((rows, row_sums.T, h), (columns, column_sums, g)):
            _add_sums(points, sums, to, np.zeros(sums.shape[1], int) if task.in_one_cluster else None)
    if wanted.pair_sums:
        block.sums = _by_cluster(np.add, row_sums, g, 0)
    if wanted.extremes:
        block.smallest = _by_cluster(np.minimum, column_minima, h, 1)
        block.largest = _by_cluster(np.maximum, column_maxima, h, 1)
    if not wanted.minima or task.in_one_cluster:
        return found
    if task.diagonal:
        # A point's nearest in another cluster lies before it or after it.
        row_minima = np.minimum(row_minima, column_minima.T)
        foreign = clusters_of_rows(task)[:, None] != np.arange(g.k)
        rows.closest = row_minima.min(axis=1, where=foreign, initial=np.inf)
    else:
        rows.closest, columns.closest = row_minima.min(axis=1), column_minima.min(axis=0)
        if g.is_whole:
            block.columns_reach = _by_cluster(np.maximum, column_minima, h, 1)
        else:
            # Other parts of the cluster may have a nearer point.
            columns.minima = column_minima[0]
    if h.is_whole:
        block.rows_reach = _by_cluster(np.maximum, row_minima, g, 0)
    else:
        rows.minima = row_minima[:, 0]
    return found


def _add_sums(points: OfPoints, sums: Floats, to: Strip, own: Ints | None) -> None:
    """Reduce sums of distances, (clusters of a strip, points); `own` are the clusters of the points, if among these."""
    if own is None and to.is_whole:
        points.nearest = (sums / to.sizes[:, None]).min(axis=0)
    elif own is None:
        points.sums = sums[0]
    else:
        mine = own, np.arange(own.size)
        points.own = sums[mine]
        if to.k > 1:
            means = sums / to.sizes[:, None]
            means[mine] = np.inf
            points.nearest = means.min(axis=0)


def _found_of_single(
    task: Task,
    wanted: Wanted,
    row_minima: Floats,
    column_sums: Floats,
    column_minima: Floats,
    column_maxima: Floats,
) -> Found:
    """Collect the results for single points; between these, only one sum and two extremes are kept."""
    found, all_single = Found(), task.rows.is_single
    block = found.block
    if wanted.pair_sums:
        block.sums = column_sums.sum(axis=1, keepdims=True) if all_single else column_sums
    if wanted.extremes and all_single:
        block.smallest = column_minima.min(axis=1, keepdims=True)
        block.largest = column_maxima.max(axis=1, keepdims=True)
    elif wanted.extremes:
        block.smallest, block.largest = column_minima, column_maxima
        # The farthest point of the cluster determines the Hausdorff distance to a single point.
        block.rows_reach = block.columns_reach = column_maxima
    if wanted.minima:
        least = row_minima[:, 0]
        # Silhouettes of single points are 0: their nearest clusters are not needed.
        found.rows.nearest = None if all_single else least
        if wanted.extremes:
            found.rows.closest, found.columns.closest = least, column_minima.min(axis=0)
    return found


def _by_cluster(reduce: np.ufunc, values: Floats, of: Strip, axis: int) -> Floats:
    """Reduce over the points of each cluster; single points are returned unchanged."""
    if of.k == values.shape[axis]:
        return values
    return np.asarray(reduce.reduceat(values, of.bounds[:-1], axis=axis))
