"""The fused pass over all distances: sums, extremes, nearest points and a histogram, as requested."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.blocks import Block, Found, OfPoints, Reduce
from adjudge.engines.pairs.distances import Sweepable, Wanted
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Layout, Strip, Task
from adjudge.engines.pairs.tasks import fold_tasks
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.executor import Crew
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

__all__ = ["PairPass", "are_by_pair", "run_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LINKAGES = (SingleLinkage, CompleteLinkage, Hausdorff)
_LEAST = (PairSums, *_LINKAGES)


def are_by_pair(types: set[type], k: int) -> bool:
    """Return whether statistics of k clusters need values for each pair of clusters, not only the least of all."""
    return k <= MATRIX_CLUSTERS or not types <= {Diameters, SingleLinkage}


class PairPass:
    """Accumulates the results of the tasks, in their order, and makes the statistics from them.

    What is found towards a part of a cluster waits until the last part has been met: for the points in `_towards`, for
    pairs of clusters in `_open`.
    """

    def __init__(
        self, layout: Layout, types: set[type], roots: bool, histogram: Histogram | None = None
    ) -> None:
        self.layout, self.types, self.histogram = layout, types, histogram
        n, k = layout.order.size, layout.sizes.size
        self.wanted = Wanted.of(types, by_pair=are_by_pair(types, k))
        # Whether square roots of extremes have to be taken.
        self._roots = roots
        kept = [t for t in _LEAST if t in types and k <= MATRIX_CLUSTERS]
        self._totals: Arrays = {
            "own": np.zeros(n if self.wanted.silhouettes else 0),
            "nearest": np.full(n if self.wanted.silhouettes else 0, np.inf),
            "closest": np.full(n if self.wanted.minima else 0, np.inf),
            "within": np.zeros(k),
            "diameters": np.zeros(k),
            "between": np.zeros(()),
            "most": np.zeros(()),
            **{f"least {t.__name__}": np.array(np.inf) for t in _LEAST},
            **{f"matrix {t.__name__}": np.zeros((k, k)) for t in kept},
        }
        self._towards: dict[str, Floats] = {}
        self._open: dict[tuple[int, int], Block] = {}

    def add(self, task: Task, found: Found) -> None:
        """Add the result of the next task."""
        g, h = task.rows, task.columns
        key = g.first_cluster, h.first_cluster
        block = self._open.setdefault(key, Block())
        block.merge(found.block)
        for side, points, strip, other in (("rows", found.rows, g, h), ("columns", found.columns, h, g)):
            self._add_points(points, strip, other)
            sums = self._towards_part(f"{side} sums", np.add, points.sums, strip, other)
            if sums is not None:
                self._join("nearest", np.minimum, strip.points, sums / self.layout.sizes[other.first_cluster])
            minima = self._towards_part(f"{side} minima", np.minimum, points.minima, strip, other)
            if minima is not None:
                # How far each cluster extends from the one in parts.
                reach = np.maximum.reduceat(minima, strip.bounds[:-1])
                is_rows = side == "rows"
                block.merge(
                    Block(rows_reach=reach[:, None]) if is_rows else Block(columns_reach=reach[None, :])
                )
        if g.is_last and h.is_last:
            self._settle(self._open.pop(key), g, h)
        if found.counts is not None and self.histogram is not None:
            self.histogram.add(*found.counts)

    def _join(self, name: str, join: np.ufunc, at: Any, values: Any) -> None:
        """Merge values into those of some points, or a value into a total."""
        total = self._totals[name]
        total[at] = join(total[at], values)

    def _add_points(self, points: OfPoints, strip: Strip, other: Strip) -> None:
        if points.own is not None:
            self._join("own", np.add, strip.points, points.own)
        if points.nearest is not None and self.wanted.silhouettes:
            self._join("nearest", np.minimum, strip.points, points.nearest)
        if points.closest is not None and self.wanted.minima:
            self._join("closest", np.minimum, strip.points, points.closest)

    def _towards_part(
        self, name: str, join: np.ufunc, found: Floats | None, strip: Strip, other: Strip
    ) -> Floats | None:
        """Add what was found for the points of a strip towards a part; return the total at the last part."""
        if found is None:
            return None
        empty = 0.0 if join is np.add else np.inf
        whole = self._towards.setdefault(name, np.full(self.layout.order.size, empty))
        total = np.asarray(join(whole[strip.points], found))
        whole[strip.points] = empty if other.is_last else total
        return total if other.is_last else None

    def _settle(self, block: Block, g: Strip, h: Strip) -> None:
        """Take the results for the clusters of two strips, of which all points have been met."""
        root = np.sqrt if self._roots else np.asarray
        if g.is_single and h.is_single:
            self._settle_single(block, root)
            return
        sizes, totals = self.layout.sizes, self._totals
        off: Any = slice(None)
        diagonal = g.first_cluster == h.first_cluster
        if diagonal:
            # Rows are compared only with earlier columns: the block is lower triangular.
            off = np.tri(g.k, k=-1, dtype=bool)
            if block.sums is not None:
                totals["within"][g.clusters] = np.diag(block.sums)
            if block.largest is not None:
                totals["diameters"][g.clusters] = root(np.diag(block.largest))
        if block.sums is not None:
            self._join("between", np.add, (), block.sums[off].sum())
            pairs = np.multiply.outer(sizes[g.clusters], sizes[h.clusters])
            self._keep(PairSums, g, h, off, block.sums, block.sums / pairs)
        if block.smallest is not None and block.largest is not None:
            smallest, largest = root(block.smallest), root(block.largest)
            self._join("most", np.maximum, (), largest.max())
            self._keep(SingleLinkage, g, h, off, smallest, smallest)
            self._keep(CompleteLinkage, g, h, off, largest, largest)
        if block.rows_reach is not None:
            back = block.rows_reach.T if diagonal else block.columns_reach
            assert back is not None
            reach = root(np.maximum(block.rows_reach, back))
            self._keep(Hausdorff, g, h, off, reach, reach)

    def _settle_single(self, block: Block, root: Any) -> None:
        """Take the results for pairs of single points: every distance is mean, linkage and extreme."""
        if block.sums is not None:
            self._join("between", np.add, (), block.sums.sum())
        if block.smallest is not None and block.largest is not None:
            for type_ in _LEAST:
                self._join(f"least {type_.__name__}", np.minimum, (), root(block.smallest).min())
            self._join("most", np.maximum, (), root(block.largest).max())

    def _keep(self, type_: type, g: Strip, h: Strip, off: Any, found: Floats, ranked: Floats) -> None:
        """Take the least of values for pairs of clusters, and the values."""
        if ranked[off].size:
            self._join(f"least {type_.__name__}", np.minimum, (), ranked[off].min())
        matrix = self._totals.get(f"matrix {type_.__name__}")
        if matrix is None:
            return
        if not isinstance(off, slice):
            lower = np.where(off, found, 0.0)
            found = lower + lower.T
        matrix[g.clusters, h.clusters] = found
        matrix[h.clusters, g.clusters] = found.T

    def export(self) -> Arrays:
        """See `Resumable`."""
        arrays = {f"total {name}": np.asarray(values) for name, values in self._totals.items()}
        arrays |= {f"towards {name}": values for name, values in self._towards.items()}
        for (g, h), block in self._open.items():
            arrays |= {f"open {g} {h} {name}": values for name, values in block.arrays().items()}
        if self.histogram is not None:
            arrays |= {"within bins": self.histogram.within, "between bins": self.histogram.between}
        return {name: values.copy() for name, values in arrays.items()}

    def restore(self, saved: Arrays) -> None:
        """See `Resumable`."""
        for key, array in saved.items():
            kind, _, name = key.partition(" ")
            if kind == "total":
                self._totals[name] = array
            elif kind == "towards":
                self._towards[name] = array
            elif kind == "open":
                g, h, name = name.split(" ")
                setattr(self._open.setdefault((int(g), int(h)), Block()), name, array)
        if self.histogram is not None:
            self.histogram.add(saved["within bins"], saved["between bins"])

    def statistics(self, codes: Ints) -> dict[type, Any]:
        """Make the requested statistics, with clusters by code and points in input order."""
        totals, by_code = self._totals, self.layout.by_code
        sizes = by_code(self.layout.sizes)
        k = sizes.size
        made: dict[type, Any] = {}
        matrices = {t: by_code(totals[name]) for t in _LEAST if (name := f"matrix {t.__name__}") in totals}
        least = {t: float(totals[f"least {t.__name__}"]) if k > 1 else np.nan for t in _LEAST}
        if PairSums in self.types:
            within, matrix = by_code(totals["within"]), matrices.get(PairSums)
            if matrix is not None:
                np.fill_diagonal(matrix, within)
            made[PairSums] = PairSums(sizes, within, float(totals["between"]), least[PairSums], matrix)
        if Silhouettes in self.types:
            others = np.repeat(self.layout.sizes, self.layout.sizes) - 1
            widths = silhouette_widths(totals["own"], others, totals["nearest"])
            values = self._unsorted(widths) if k > 1 else np.full(codes.size, np.nan)
            made[Silhouettes] = Silhouettes(sizes, codes, values)
        if Diameters in self.types:
            made[Diameters] = Diameters(sizes, by_code(totals["diameters"]))
        for linkage in _LINKAGES:
            if linkage in self.types:
                made[linkage] = linkage(k, least[linkage], matrices.get(linkage))
        return made

    def own_sums(self) -> Floats | None:
        """Return each point's sum of distances to those of its cluster, in input order; None if not requested."""
        return self._unsorted(self._totals["own"]) if self.wanted.silhouettes else None

    def closest(self) -> Floats | None:
        """Return each point's distance to the nearest one of another cluster; None if minima were not requested."""
        if not self.wanted.minima:
            return None
        closest = self._totals["closest"]
        return self._unsorted(np.sqrt(closest) if self._roots else closest)

    def _unsorted(self, values: Floats) -> Floats:
        found = np.empty_like(values)
        found[self.layout.order] = values
        return found

    def total_within(self) -> float:
        """Return S_W, which is known if sums are requested."""
        return float(self.layout.by_code(self._totals["within"]).sum())

    def farthest(self) -> float:
        """Return the largest of all distances, which is known if extremes are requested."""
        return max(float(self._totals["diameters"].max()), float(self._totals["most"]))


def run_pairs(
    distances: Sweepable, types: set[type], crew: Crew, histogram: Histogram | None = None, sums: bool = False
) -> PairPass:
    """Reduce all distances to what the types need, and count them in the histogram."""
    if sums:
        types = types | {PairSums}
    # If only extremes are needed, roots are taken of the few that remain.
    roots = distances.squared and histogram is None and not types & {PairSums, Silhouettes}
    state = PairPass(distances.layout, types, roots, histogram)
    fold_tasks(distances, crew, Reduce(state.wanted, histogram), state, threads=distances.in_threads)
    return state
