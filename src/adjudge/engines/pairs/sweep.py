"""The fused pass over all distances: sums, extremes, nearest points and a histogram, as requested."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.blocks import Block, Found, Reduce
from adjudge.engines.pairs.distances import Sweepable, Wanted
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.kept_distances import KeptDistances
from adjudge.engines.pairs.layout import Layout, Parcel, Span, Task
from adjudge.engines.pairs.parcel_totals import Gathered, Settling
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

_LEAST = (PairSums, SingleLinkage, CompleteLinkage, Hausdorff)


def are_by_pair(types: set[type], k: int) -> bool:
    """Return whether statistics of k clusters need values for each pair of clusters, not only the least of all."""
    return k <= MATRIX_CLUSTERS or not types <= {Diameters, SingleLinkage}


class PairPass:
    """Accumulates the results of the parcels, in their order, and makes the statistics from them."""

    def __init__(
        self, layout: Layout, types: set[type], roots: bool, histogram: Histogram | None = None
    ) -> None:
        self.layout = layout
        self.types = types
        self.histogram = histogram
        n, k = layout.order.size, layout.sizes.size
        keep = k <= MATRIX_CLUSTERS
        self.wanted = Wanted.of(types, by_pair=are_by_pair(types, k))
        self._matrices = {t: np.zeros((k, k)) for t in _LEAST if t in types and keep}
        self.settling = Settling(self.wanted, frozenset(self._matrices), roots)
        self._own = np.zeros(n) if self.wanted.silhouettes else np.empty(0)
        self._nearest = np.full(n, np.inf) if self.wanted.silhouettes else np.empty(0)
        self._closest = np.full(n, np.inf) if self.wanted.minima else np.empty(0)
        self._within = np.zeros(k)
        self._diameters = np.zeros(k)
        self._between: Any = 0.0
        self._most: Any = 0.0
        self._least = dict.fromkeys((t.__name__ for t in _LEAST), np.inf)
        # From points to a cluster in parts: sums and minima over the parts so far.
        self._towards: dict[str, Floats] = {}
        self._open: dict[tuple[int, int], Block] = {}
        self._gathered: Gathered | None = None

    def add(self, task: Task, found: Found) -> None:
        """Add the result of the next task."""
        if self._gathered is None:
            self._gathered = self.gather(task.parcel)
        self._gathered.add(task, found)
        if task.ends_parcel:
            gathered, self._gathered = self._gathered, None
            self.take(gathered)

    def gather(self, parcel: Parcel) -> Gathered:
        """Return an accumulator for the tasks of a parcel, here or elsewhere."""
        return Gathered(parcel, self.settling)

    def take(self, gathered: Gathered) -> None:
        """Add the results of a whole parcel."""
        parcel = gathered.parcel
        self._merge(gathered.values)
        for side, span, other in (
            ("rows", parcel.rows, parcel.columns),
            ("columns", parcel.columns, parcel.rows),
        ):
            own = {
                name: gathered.values[f"{side} {name}"]
                for name in ("own", "nearest", "closest", "sums", "minima")
                if f"{side} {name}" in gathered.values
            }
            if "own" in own:
                self._own[span.points] += own["own"]
            if "nearest" in own:
                self._near(span.points, own["nearest"])
            if "closest" in own:
                self._closest[span.points] = np.minimum(self._closest[span.points], own["closest"])
            self._add_towards(side, span, other, own)
        for key, block in gathered.open.items():
            self._open.setdefault(key, Block()).merge(block)
        if parcel.is_last:
            self._close(parcel)

    def _merge(self, values: Arrays) -> None:
        """Add results for clusters, and counts."""
        for key, value in values.items():
            name, *rest = key.split(" ")
            if name == "between" and not rest:
                self._between += float(value)
            elif name == "most":
                self._most = max(self._most, float(value))
            elif name == "least":
                self._least[rest[0]] = min(self._least[rest[0]], float(value))
            elif name == "diameters" or (name == "within" and len(rest) == 2):
                getattr(self, f"_{name}")[int(rest[0]) : int(rest[1])] = value
            elif name == "matrix":
                a, b, c, d = map(int, rest[1:])
                matrix = next(m for t, m in self._matrices.items() if t.__name__ == rest[0])
                matrix[a:b, c:d] = value
                matrix[c:d, a:b] = value.T
            elif rest == ["bins"] and self.histogram is not None:
                counts = getattr(self.histogram, name)
                counts += value

    def _near(self, points: slice, means: Floats) -> None:
        self._nearest[points] = np.minimum(self._nearest[points], means)

    def _add_towards(self, side: str, span: Span, other: Span, own: Arrays) -> None:
        """Add distances from a span's points to a cluster in parts; settle them after the last part."""
        for name, merge, empty in (("sums", np.add, 0.0), ("minima", np.minimum, np.inf)):
            if name not in own:
                continue
            n = self.layout.order.size
            whole = self._towards.setdefault(f"{side} {name}", np.full(n, empty))
            some = whole[span.points]
            merge(some, own[name], out=some)
            if other.is_last:
                if name == "sums":
                    self._near(span.points, some / self.layout.sizes[other.part_of])
                else:
                    self._reach(side, span, other, some)
                some[:] = empty

    def _reach(self, side: str, span: Span, other: Span, minima: Floats) -> None:
        """Find how far each cluster of a span extends from a cluster in parts."""
        cluster = other.part_of
        assert cluster is not None
        for group in span.groups:
            own = minima[group.start - span.start : group.stop - span.start]
            farthest = np.maximum.reduceat(own, group.bounds[:-1])
            if not group.is_whole and side == "rows":
                found = (group.first_cluster, cluster), Block(rows_reach=farthest[:, None])
            else:
                found = (cluster, group.first_cluster), Block(columns_reach=farthest[None, :])
            self._open.setdefault(found[0], Block()).merge(found[1])

    def _close(self, parcel: Parcel) -> None:
        """Settle pairs of clusters in parts, all of which have been compared."""
        values: Arrays = {}
        sizes = self.layout.sizes
        for g in parcel.rows.groups:
            for h in parcel.columns.groups:
                for rows, columns in ((g, h), (h, g)):
                    block = self._open.pop((rows.first_cluster, columns.first_cluster), None)
                    if block is not None:
                        shape = sizes[rows.clusters], sizes[columns.clusters]
                        self.settling.settle(values, block, rows, columns, shape)
        self._merge(values)

    def export(self) -> Arrays:
        """See `Resumable`; no task may be running."""
        arrays: Arrays = {
            name: np.asarray(getattr(self, f"_{name}"))
            for name in ("own", "nearest", "closest", "within", "diameters", "between", "most")
        }
        arrays |= {f"least {name}": np.array(value) for name, value in self._least.items()}
        arrays |= {f"matrix {t.__name__}": matrix for t, matrix in self._matrices.items()}
        arrays |= {f"towards {name}": values for name, values in self._towards.items()}
        for (g, h), block in self._open.items():
            found = {f.name: getattr(block, f.name) for f in fields(Block)}
            arrays |= {f"open {g} {h} {name}": v for name, v in found.items() if v is not None}
        if self._gathered is not None:
            parcel = self._gathered.parcel
            arrays["at work"] = np.array([parcel.rows.number, parcel.columns.number])
            arrays |= {f"at work {name}": array for name, array in self._gathered.export().items()}
        if self.histogram is not None:
            self.histogram.finish()
            arrays |= {"within bins": self.histogram.within, "between bins": self.histogram.between}
        return arrays

    def restore(self, saved: Arrays) -> None:
        """See `Resumable`."""
        for name in ("own", "nearest", "closest", "within", "diameters"):
            setattr(self, f"_{name}", saved[name])
        self._between, self._most = float(saved["between"]), float(saved["most"])
        self._least = {name: float(saved[f"least {name}"]) for name in self._least}
        self._matrices = {t: saved[f"matrix {t.__name__}"] for t in self._matrices}
        for key, array in saved.items():
            if key.startswith("towards "):
                self._towards[key.removeprefix("towards ")] = array
            elif key.startswith("open "):
                _, g, h, name = key.split(" ")
                setattr(self._open.setdefault((int(g), int(h)), Block()), name, array)
        if "at work" in saved:
            rows, columns = map(int, saved["at work"])
            spans = self.layout.spans
            self._gathered = self.gather(Parcel(spans[rows], spans[columns]))
            begun = {k: v for k, v in saved.items() if k.startswith("at work ")}
            self._gathered.restore({k.removeprefix("at work "): v for k, v in begun.items()})
        if self.histogram is not None:
            self.histogram.within, self.histogram.between = saved["within bins"], saved["between bins"]

    def statistics(self, codes: Ints) -> dict[type, Any]:
        """Make the requested statistics, with clusters by code and points in input order."""
        layout = self.layout
        sizes = layout.by_code(layout.sizes)
        k = sizes.size
        made: dict[type, Any] = {}
        matrices = {t: layout.by_code(m) for t, m in self._matrices.items()}
        least = {t: self._least[t.__name__] if k > 1 else np.nan for t in _LEAST}
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

    def own_sums(self) -> Floats | None:
        """Return each point's sum of distances to those of its cluster, in input order; None if not requested."""
        return self._unsorted(self._own) if self.wanted.silhouettes else None

    def closest(self) -> Floats | None:
        """Return each point's distance to the nearest one of another cluster; None if minima were not requested."""
        if not self.wanted.minima:
            return None
        return self._unsorted(np.sqrt(self._closest) if self.settling.roots else self._closest)

    def _unsorted(self, values: Floats) -> Floats:
        found = np.empty_like(values)
        found[self.layout.order] = values
        return found

    def total_within(self) -> float:
        """Return S_W, which is known if sums are requested."""
        return float(self.layout.by_code(self._within).sum())

    def farthest(self) -> float:
        """Return the largest of all distances, which is known if extremes are requested."""
        return max(float(self._diameters.max()), float(self._most))

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
    # If only extremes are needed, roots are taken of the few that remain.
    kept = isinstance(distances, KeptDistances)
    roots = distances.squared and histogram is None and not kept and not types & {PairSums, Silhouettes}
    state = PairPass(layout, types, roots, histogram)
    work = Reduce(state.wanted, histogram, crew.workers is not None)
    fold_tasks(distances, crew, work, state, threads=distances.in_threads, settling=state.settling)
    if histogram is not None:
        histogram.finish()
    return state
