"""The fused pass over all distances: sums, extremes, nearest points and a histogram, whatever is wanted."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.blocks import Block, Found, Reduce
from adjudge.engines.pairs.distances import Sweepable, Wanted
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.kept import KeptDistances
from adjudge.engines.pairs.layout import Group, Layout, Task
from adjudge.engines.pairs.tasks import fold_tasks
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.crew import Crew
from adjudge.statistics.pair_distances import (
    MATRIX_CLUSTERS,
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
    silhouette_widths,
)

__all__ = ["PairPass", "run_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = tuple(f.name for f in fields(Block))
_ACCUMULATED = (
    "own",
    "nearest",
    "within",
    "diameters",
    "between",
    "most",
    "column_sums",
    "column_minima",
)


class PairPass:
    """Accumulates the blocks of all pairs of groups, in order, and makes the statistics of them."""

    def __init__(
        self, layout: Layout, types: set[type], roots: bool, histogram: Histogram | None = None
    ) -> None:
        self.layout = layout
        self.types = types
        self.histogram = histogram
        self.wanted = Wanted.of(types)
        self._roots = roots
        n, k = layout.order.size, layout.sizes.size
        self._own = np.zeros(n) if self.wanted.silhouettes else np.empty(0)
        self._nearest = np.full(n, np.inf) if self.wanted.silhouettes else np.empty(0)
        self._within = np.zeros(k)
        self._diameters = np.zeros(k)
        self._between = 0.0
        self._least = {PairSums: np.inf, SingleLinkage: np.inf, CompleteLinkage: np.inf, Hausdorff: np.inf}
        keep = k <= MATRIX_CLUSTERS
        self._matrices = {t: np.zeros((k, k)) for t in self._least if t in types and keep}
        self._most = 0.0
        self._block = Block()
        self._column_sums: Floats | None = None
        self._column_minima: Floats | None = None

    def add(self, task: Task, found: Found) -> None:
        """Take in the result of the next task."""
        if found.counts is not None and self.histogram is not None:
            self.histogram.within += found.counts[0]
            self.histogram.between += found.counts[1]
        self._block.merge(found.block)
        if self.wanted.silhouettes:
            self._add_sums(task, found)
        if found.column_minima is not None:
            # Several tasks only if the rows are one cluster.
            mine = self._column_minima
            self._column_minima = (
                found.column_minima if mine is None else np.minimum(mine, found.column_minima)
            )
        if task.is_final:
            self._finish_block(task)

    def export(self) -> Arrays:
        """See `Resumable`; no task may be at work."""
        arrays: dict[str, Any] = {name: getattr(self, f"_{name}") for name in _ACCUMULATED}
        arrays |= {f"block {name}": getattr(self._block, name) for name in _BLOCK}
        arrays |= {f"least {t.__name__}": np.array(v) for t, v in self._least.items()}
        arrays |= {f"matrix {t.__name__}": m for t, m in self._matrices.items()}
        if self.histogram is not None:
            self.histogram.finish()
            arrays |= {"within bins": self.histogram.within, "between bins": self.histogram.between}
        return {name: np.asarray(array) for name, array in arrays.items() if array is not None}

    def restore(self, saved: Arrays) -> None:
        """See `Resumable`."""
        for name in _ACCUMULATED:
            setattr(self, f"_{name}", saved.get(name))
        self._between, self._most = float(saved["between"]), float(saved["most"])
        self._block = Block(**{name: saved.get(f"block {name}") for name in _BLOCK})
        self._least = {t: float(saved[f"least {t.__name__}"]) for t in self._least}
        self._matrices = {t: saved[f"matrix {t.__name__}"] for t in self._matrices}
        if self.histogram is not None:
            self.histogram.within, self.histogram.between = saved["within bins"], saved["between bins"]

    def _add_sums(self, task: Task, found: Found) -> None:
        rows, columns = task.rows, task.columns
        row_sums, column_sums = found.row_sums, found.column_sums
        assert row_sums is not None
        assert column_sums is not None
        points = slice(rows.start + task.first, rows.start + task.last)
        if task.diagonal and rows.k == 1:
            self._own[points] += row_sums[:, 0]
            self._own[rows.points] += column_sums[0]
        elif task.diagonal:
            sums = row_sums + column_sums.T
            own = np.repeat(np.arange(rows.k), np.diff(rows.bounds))
            everyone = np.arange(rows.size)
            self._own[rows.points] = sums[everyone, own]
            means = sums / self.layout.sizes[rows.clusters]
            means[everyone, own] = np.inf
            self._near(rows.points, means.min(axis=1))
        else:
            self._near(points, (row_sums / self.layout.sizes[columns.clusters]).min(axis=1))
            self._column_sums = column_sums if self._column_sums is None else self._column_sums + column_sums
            if task.is_final:
                means = self._column_sums / self.layout.sizes[rows.clusters][:, None]
                self._near(columns.points, means.min(axis=0))
                self._column_sums = None

    def _near(self, points: slice, means: Floats) -> None:
        self._nearest[points] = np.minimum(self._nearest[points], means)

    def _finish_block(self, task: Task) -> None:
        block, self._block = self._block, Block()
        g, h = task.rows, task.columns
        root = np.sqrt if self._roots else np.asarray
        if self._column_minima is not None:
            reach = np.maximum.reduceat(self._column_minima, h.bounds[:-1], axis=1)
            block.columns_reach = reach
            self._column_minima = None
        off: NDArray[np.bool_] | slice = slice(None)
        if task.diagonal:
            # Rows meet only the columns before them: the block is lower triangular.
            off = np.tri(g.k, k=-1, dtype=bool)
            if block.sums is not None:
                self._within[g.clusters] = np.diag(block.sums)
            if block.largest is not None:
                self._diameters[g.clusters] = root(np.diag(block.largest))
        if block.sums is not None:
            self._between += float(block.sums[off].sum())
            counts = np.multiply.outer(self.layout.sizes[g.clusters], self.layout.sizes[h.clusters])
            self._keep(PairSums, g, h, off, block.sums, block.sums / counts)
        if block.smallest is not None and block.largest is not None:
            smallest, largest = root(block.smallest), root(block.largest)
            self._most = max(self._most, float(largest.max()))
            self._keep(SingleLinkage, g, h, off, smallest, smallest)
            self._keep(CompleteLinkage, g, h, off, largest, largest)
        if block.rows_reach is not None:
            back = block.rows_reach.T if task.diagonal else block.columns_reach
            assert back is not None
            reach = root(np.maximum(block.rows_reach, back))
            self._keep(Hausdorff, g, h, off, reach, reach)

    def _keep(
        self, type_: type, g: Group, h: Group, off: NDArray[np.bool_] | slice, values: Floats, ranked: Floats
    ) -> None:
        if ranked[off].size:
            self._least[type_] = min(self._least[type_], float(ranked[off].min()))
        matrix = self._matrices.get(type_)
        if matrix is None:
            return
        if isinstance(off, slice):
            matrix[g.clusters, h.clusters] = values
            matrix[h.clusters, g.clusters] = values.T
        else:
            lower = np.where(off, values, 0.0)
            matrix[g.clusters, g.clusters] = lower + lower.T

    def statistics(self, codes: Ints) -> dict[type, Any]:
        """Make the wanted statistics, with clusters by their codes and points in the order of the input."""
        layout = self.layout
        sizes = layout.by_code(layout.sizes)
        k = sizes.size
        made: dict[type, Any] = {}
        matrices = {t: layout.by_code(m) for t, m in self._matrices.items()}
        least = {t: float(v) if k > 1 else np.nan for t, v in self._least.items()}
        if PairSums in self.types:
            within = layout.by_code(self._within)
            matrix = matrices.get(PairSums)
            if matrix is not None:
                np.fill_diagonal(matrix, within)
            made[PairSums] = PairSums(sizes, within, self._between, least[PairSums], matrix)
        if Silhouettes in self.types:
            made[Silhouettes] = self._silhouettes(codes, sizes)
        if Diameters in self.types:
            made[Diameters] = Diameters(sizes, layout.by_code(self._diameters))
        for linkage in (SingleLinkage, CompleteLinkage, Hausdorff):
            if linkage in self.types:
                made[linkage] = linkage(k, least[linkage], matrices.get(linkage))
        return made

    def total_within(self) -> float:
        """S_W; known if sums are wanted."""
        return float(self.layout.by_code(self._within).sum())

    def farthest(self) -> float:
        """Largest of all distances; known if extremes are wanted."""
        return max(float(self._diameters.max()), self._most)

    def _silhouettes(self, codes: Ints, sizes: Ints) -> Silhouettes:
        values = np.empty(codes.size)
        others = np.repeat(self.layout.sizes, self.layout.sizes) - 1
        if sizes.size == 1:
            values[:] = np.nan
        else:
            values[self.layout.order] = silhouette_widths(self._own, others, self._nearest)
        return Silhouettes(sizes, codes, values)


def run_pairs(
    distances: Sweepable, types: set[type], crew: Crew, histogram: Histogram | None = None, sums: bool = False
) -> PairPass:
    """Reduce all distances to what the types need, and count them in the histogram."""
    layout = distances.layout
    if sums:
        types = types | {PairSums}
    # Roots of extremes alone are taken of the few that are left.
    kept = isinstance(distances, KeptDistances)
    roots = distances.squared and histogram is None and not kept and not types & {PairSums, Silhouettes}
    state = PairPass(layout, types, roots, histogram)
    work = Reduce(distances, state.wanted, histogram, crew.workers is not None)
    fold_tasks(distances, crew, work, state, threads=distances.in_threads)
    if histogram is not None:
        histogram.finish()
    return state
