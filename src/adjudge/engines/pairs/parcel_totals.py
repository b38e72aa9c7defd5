"""Totals over the pairs of a parcel: the same sums in the same order on any machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.blocks import Block, Found
from adjudge.engines.pairs.distances import Wanted
from adjudge.engines.pairs.layout import Group, Parcel, Task
from adjudge.engines.running.checkpoint import Arrays
from adjudge.statistics.pair_distances import CompleteLinkage, Hausdorff, PairSums, SingleLinkage

__all__ = ["Gathered", "Settling"]

Floats = NDArray[np.float64]

_BLOCK = tuple(f.name for f in fields(Block))


@dataclass(frozen=True)
class Settling:
    """How to finish pairs of clusters once all their distances have been seen.

    Attributes
    ----------
    wanted : Wanted
    matrices : frozenset of type
        Statistics that keep a value for each pair of clusters.
    roots : bool
        Whether square roots of extremes have to be taken.
    """

    wanted: Wanted
    matrices: frozenset[type]
    roots: bool

    def settle(self, values: Arrays, block: Block, g: Group, h: Group, sizes: tuple[Any, Any]) -> None:
        """Add the results for the clusters of two groups, of these sizes, to values by name; see `Gathered`."""
        root = np.sqrt if self.roots else np.asarray
        if g.is_single and h.is_single:
            self._settle_single(values, block, root)
            return
        off: NDArray[np.bool_] | slice = slice(None)
        own = f"{g.clusters.start} {g.clusters.stop}"
        diagonal = g.first_cluster == h.first_cluster
        if diagonal:
            # Rows are compared only with earlier columns: the block is lower triangular.
            off = np.tri(g.k, k=-1, dtype=bool)
            if block.sums is not None:
                values[f"within {own}"] = np.diag(block.sums)
            if block.largest is not None:
                values[f"diameters {own}"] = np.asarray(root(np.diag(block.largest)))
        where = f"{own} {h.clusters.start} {h.clusters.stop}"
        if block.sums is not None:
            _merge(values, "between", np.add, block.sums[off].sum())
            self._keep(
                values, PairSums, where, off, block.sums, np.asarray(block.sums / np.multiply.outer(*sizes))
            )
        if block.smallest is not None and block.largest is not None:
            smallest, largest = root(block.smallest), root(block.largest)
            _merge(values, "most", np.maximum, largest.max())
            self._keep(values, SingleLinkage, where, off, smallest, smallest)
            self._keep(values, CompleteLinkage, where, off, largest, largest)
        if block.rows_reach is not None:
            back = block.rows_reach.T if diagonal else block.columns_reach
            assert back is not None
            reach = root(np.maximum(block.rows_reach, back))
            self._keep(values, Hausdorff, where, off, reach, reach)

    @staticmethod
    def _settle_single(values: Arrays, block: Block, root: Callable[..., Any]) -> None:
        """Add the results for pairs of single points: every distance is mean, linkage and extreme."""
        if block.sums is not None:
            _merge(values, "between", np.add, block.sums.sum())
        if block.smallest is not None and block.largest is not None:
            smallest = root(block.smallest).min()
            for type_ in (PairSums, SingleLinkage, CompleteLinkage, Hausdorff):
                _merge(values, f"least {type_.__name__}", np.minimum, smallest)
            _merge(values, "most", np.maximum, root(block.largest).max())

    def _keep(
        self,
        values: Arrays,
        type_: type,
        where: str,
        off: NDArray[np.bool_] | slice,
        found: Floats,
        ranked: Floats,
    ) -> None:
        if ranked[off].size:
            _merge(values, f"least {type_.__name__}", np.minimum, ranked[off].min())
        if type_ not in self.matrices:
            return
        if not isinstance(off, slice):
            lower = np.where(off, found, 0.0)
            found = lower + lower.T
        values[f"matrix {type_.__name__} {where}"] = found


def _merge(values: Arrays, name: str, merge: np.ufunc, value: Any) -> None:
    values[name] = np.asarray(merge(values[name], value) if name in values else value)


class Gathered:
    """Accumulates the results of the tasks of one parcel, in their order.

    Attributes
    ----------
    parcel : Parcel
    values : dict of str to ndarray
        For the points of each span ("rows", "columns"): "own", the sums of distances to their own clusters; "nearest",
        the least mean distance to a cluster that is whole; "closest", the least distance to another cluster; "sums"
        and "minima", those to the cluster of which the other span is a part. For clusters: "within", "diameters",
        "matrix", each with its clusters by rank; the "least" of a statistic, the "most" of all distances, and
        "between", the sum of those between clusters.
    open : dict
        Results for pairs of clusters of which one has points elsewhere, by the first clusters of the two groups.
    """

    def __init__(self, parcel: Parcel, settling: Settling) -> None:
        self.parcel = parcel
        self.values: Arrays = {}
        self.open: dict[tuple[int, int], Block] = {}
        self._settling = settling
        self._block = Block()
        self._column_sums: Floats | None = None
        self._column_minima: Floats | None = None

    def add(self, task: Task, found: Found) -> None:
        """Add the result of the next task."""
        if found.counts is not None:
            for name, counts in zip(("within bins", "between bins"), found.counts, strict=True):
                _merge(self.values, name, np.add, counts.astype(np.int64))
        self._block.merge(found.block)
        if found.nearest is not None and self._settling.wanted.silhouettes:
            self._reduce("nearest", np.minimum, task.rows, found.nearest, task.first, task.last)
        if found.closest is not None and self._settling.wanted.minima:
            rows, columns = found.closest
            self._reduce("closest", np.minimum, task.rows, rows, task.first, task.last)
            if columns is not None:
                self._reduce("closest", np.minimum, task.columns, columns)
        if self._settling.wanted.silhouettes and found.row_sums is not None:
            self._add_sums(task, found)
        if found.row_minima is not None:
            self._reduce("minima", np.minimum, task.rows, found.row_minima[:, 0], task.first, task.last)
        if found.column_minima is not None:
            mine = self._column_minima
            # There are several tasks only if the rows are one cluster.
            self._column_minima = (
                found.column_minima if mine is None else np.minimum(mine, found.column_minima)
            )
        if task.is_final:
            self._finish(task)

    def export(self) -> Arrays:
        """Return everything that is held, by name."""
        arrays = {f"values/{name}": array for name, array in self.values.items()}
        for (g, h), block in [*self.open.items(), ((-1, -1), self._block)]:
            for name in _BLOCK:
                if getattr(block, name) is not None:
                    arrays[f"open/{g} {h} {name}"] = getattr(block, name)
        for name in ("column_sums", "column_minima"):
            if getattr(self, f"_{name}") is not None:
                arrays[f"columns/{name}"] = getattr(self, f"_{name}")
        return arrays

    def restore(self, saved: Arrays) -> None:
        """Restore what was exported."""
        for name, array in saved.items():
            kind, _, rest = name.partition("/")
            if kind == "values":
                self.values[rest] = array
            elif kind == "columns":
                setattr(self, f"_{rest}", array)
            elif kind == "open":
                g, h, own = rest.split(" ")
                key = int(g), int(h)
                block = self._block if key == (-1, -1) else self.open.setdefault(key, Block())
                setattr(block, own, array)

    def _reduce(
        self,
        name: str,
        merge: np.ufunc,
        group: Group,
        values: Floats,
        first: int = 0,
        last: int | None = None,
    ) -> None:
        """Merge values of some points of a group into those of their span."""
        columns = self.parcel.spans[-1]
        side, span = ("rows", self.parcel.rows) if self.parcel.rows.holds(group) else ("columns", columns)
        key = f"{side} {name}"
        if key not in self.values:
            self.values[key] = np.full(span.size, 0.0 if merge is np.add else np.inf)
        offset = group.start - span.start
        own = self.values[key][offset + first : offset + (group.size if last is None else last)]
        merge(own, values, out=own)

    def _add_sums(self, task: Task, found: Found) -> None:
        rows, columns = task.rows, task.columns
        row_sums, column_sums = found.row_sums, found.column_sums
        assert row_sums is not None
        assert column_sums is not None
        if task.in_one_cluster:
            self._reduce("own", np.add, rows, row_sums[:, 0], task.first, task.last)
            self._reduce("own", np.add, columns, column_sums[0])
        elif task.diagonal:
            sums = row_sums + column_sums.T
            own = np.repeat(np.arange(rows.k), rows.sizes)
            everyone = np.arange(rows.size)
            self._reduce("own", np.add, rows, sums[everyone, own])
            means = sums / rows.sizes
            means[everyone, own] = np.inf
            self._reduce("nearest", np.minimum, rows, means.min(axis=1))
        else:
            if columns.is_whole:
                means = (row_sums / columns.sizes).min(axis=1)
                self._reduce("nearest", np.minimum, rows, means, task.first, task.last)
            else:
                self._reduce("sums", np.add, rows, row_sums[:, 0], task.first, task.last)
            self._column_sums = column_sums if self._column_sums is None else self._column_sums + column_sums
            if task.is_final:
                self._finish_columns(rows, columns, self._column_sums)
                self._column_sums = None

    def _finish_columns(self, rows: Group, columns: Group, sums: Floats) -> None:
        if rows.is_whole:
            self._reduce("nearest", np.minimum, columns, (sums / rows.sizes[:, None]).min(axis=0))
        else:
            self._reduce("sums", np.add, columns, sums[0])

    def _finish(self, task: Task) -> None:
        block, self._block = self._block, Block()
        g, h = task.rows, task.columns
        if self._column_minima is not None:
            if g.is_whole:
                block.columns_reach = np.maximum.reduceat(self._column_minima, h.bounds[:-1], axis=1)
            else:
                # Other parts of the rows' cluster may have a nearer point.
                self._reduce("minima", np.minimum, h, self._column_minima[0])
            self._column_minima = None
        if g.is_whole and h.is_whole:
            self._settling.settle(self.values, block, g, h, (g.sizes, h.sizes))
        else:
            self.open[g.first_cluster, h.first_cluster] = block
