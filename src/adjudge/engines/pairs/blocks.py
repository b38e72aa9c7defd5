"""Results for the clusters of two groups of points: from one task, or from all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Sweepable, Tables, Wanted, clusters_of_rows
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Task

__all__ = ["Block", "Found", "Reduce"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass
class Block:
    """What one task, or all tasks of two groups, found for the pairs of clusters."""

    sums: Floats | None = None
    smallest: Floats | None = None
    largest: Floats | None = None
    rows_reach: Floats | None = None
    columns_reach: Floats | None = None

    def merge(self, other: Block) -> None:
        """Merge what another task of the same two groups found."""
        for name, merge in (
            ("sums", np.add),
            ("smallest", np.minimum),
            ("largest", np.maximum),
            ("rows_reach", np.maximum),
            ("columns_reach", np.maximum),
        ):
            mine, theirs = getattr(self, name), getattr(other, name)
            if theirs is not None:
                setattr(self, name, theirs if mine is None else merge(mine, theirs))


@dataclass
class Found:
    """What one task found."""

    block: Block
    row_sums: Floats | None = None
    column_sums: Floats | None = None
    row_minima: Floats | None = None
    column_minima: Floats | None = None
    # For each row, the distance to the nearest of the single points.
    nearest: Floats | None = None
    # For each row, and for each column if there are two groups, the distance to the nearest point of another cluster.
    closest: tuple[Floats, Floats | None] | None = None
    counts: tuple[Ints, Ints] | None = None


@dataclass(frozen=True, eq=False)
class Reduce:
    """Sweeps over one task and reduces by cluster what can be reduced; in a thread, or in another process."""

    wanted: Wanted
    histogram: Histogram | None
    # Counters that are not shared are returned with the result.
    returns_counts: bool

    def __call__(self, distances: Sweepable, task: Task) -> Found:
        """Do the task."""
        wanted = self.wanted.of_task(task)
        if not self.wanted.by_pair and not task.diagonal:
            task = task.between_groups()
        if not self.returns_counts or self.histogram is None:
            if distances.skips and not wanted.anything and self.histogram is None:
                return Found(Block())
            return _found(task, wanted, distances.sweep(task, wanted, self.histogram))
        own = self.histogram.emptied()
        found = _found(task, wanted, distances.sweep(task, wanted, own))
        own.finish()
        found.counts = own.within.astype(np.uint32), own.between.astype(np.uint32)
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
    found = Found(Block())
    present, row_starts = np.unique(clusters_of_rows(task), return_index=True)
    column_starts = h.bounds[:-1]
    if wanted.sums:
        found.row_sums, found.column_sums = row_sums, column_sums
    if wanted.pair_sums:
        found.block.sums = _spread(_by_cluster(np.add, row_sums, row_starts, 0), present, g.k, 0.0)
    if wanted.extremes:
        found.block.smallest = _by_cluster(np.minimum, column_minima, column_starts, 1)
        found.block.largest = _by_cluster(np.maximum, column_maxima, column_starts, 1)
    if wanted.minima and not task.in_one_cluster:
        if task.diagonal:
            # A point's nearest in another cluster lies before it or after it.
            row_minima = np.minimum(row_minima, column_minima.T)
            foreign = np.repeat(np.arange(g.k), g.sizes)[:, None] != np.arange(g.k)
            found.closest = row_minima.min(axis=1, where=foreign, initial=np.inf), None
        else:
            found.column_minima = column_minima
            found.closest = row_minima.min(axis=1), column_minima.min(axis=0)
        if h.is_whole:
            found.block.rows_reach = _spread(
                _by_cluster(np.maximum, row_minima, row_starts, 0), present, g.k, 0.0
            )
        else:
            # Other parts of the cluster may have a nearer point.
            found.row_minima = row_minima
    return found


def _found_of_single(
    task: Task,
    wanted: Wanted,
    row_minima: Floats,
    column_sums: Floats,
    column_minima: Floats,
    column_maxima: Floats,
) -> Found:
    """Collect the results for single points; between these, only one sum and two extremes are kept."""
    block, all_single = Block(), task.rows.is_single
    if wanted.pair_sums:
        block.sums = column_sums.sum(axis=1, keepdims=True) if all_single else column_sums
    if wanted.extremes and all_single:
        block.smallest = column_minima.min(axis=1, keepdims=True)
        block.largest = column_maxima.max(axis=1, keepdims=True)
    elif wanted.extremes:
        block.smallest, block.largest = column_minima, column_maxima
        # The farthest point of the cluster determines the Hausdorff distance to a single point.
        block.rows_reach = block.columns_reach = column_maxima
    if not wanted.minima:
        return Found(block)
    rows = row_minima[:, 0]
    # Silhouettes of single points are 0: their nearest clusters are not needed.
    found = Found(block, nearest=None if all_single else rows)
    if wanted.extremes:
        found.closest = rows, column_minima.min(axis=0)
    return found


def _by_cluster(reduce: np.ufunc, values: Floats, starts: Ints, axis: int) -> Floats:
    """Reduce over the points of each cluster; single points are returned unchanged."""
    if starts.size == values.shape[axis]:
        return values
    return np.asarray(reduce.reduceat(values, starts, axis=axis))


def _spread(values: Floats, present: Ints, k: int, fill: float) -> Floats:
    if present.size == k:
        return values
    spread = np.full((k, values.shape[1]), fill)
    spread[present] = values
    return spread
