"""The fused pass over all distances: sums, extremes, nearest points and a histogram, whatever is wanted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.checkpoint import Arrays, Resumable
from adjudge.engines.crew import Crew
from adjudge.engines.layout import Group, Layout, Task, Tiles, aligned_zeros
from adjudge.kernels.pair_tiles import ALIGNMENT, ROWS, sweep
from adjudge.statistics.pair_distances import (
    MATRIX_CLUSTERS,
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
)

__all__ = [
    "BINS",
    "Distances",
    "Fold",
    "Histogram",
    "PairPass",
    "Tables",
    "TiledPoints",
    "Wanted",
    "fold_tasks",
    "given_operands",
    "operands_of",
    "over_tasks",
    "run_pairs",
]

BINS = 1 << 16

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A pass below this many pairs is over before a second thread has started.
_WORTH_THREADS = 100_000
# Pairs that are worth a message to another process.
_WORTH_SENDING = 1 << 27
_NO_DISTANCES = np.empty((0, 0))
_GIVEN_TILE = 1024
_NO_TILES = np.empty((0, 2, _GIVEN_TILE))


class Distances(Protocol):
    """Where the distances come from: computed in the kernel from tiles, or given block by block."""

    @property
    def layout(self) -> Layout:
        """How the points are ordered."""
        ...

    @property
    def squared(self) -> bool:
        """Whether the kernels have to take roots."""
        ...

    def operands(self, task: Task) -> tuple[Floats, Floats, Ints, Floats]:
        """Rows, tiles and widths of the columns, and given distances, as the kernels take them."""
        ...

    def most_pairs(self, wanted: int) -> int:
        """Return how many pairs a task may have, where `wanted` would suit the kernel."""
        ...

    @property
    def in_threads(self) -> bool:
        """Whether several tasks may be swept at a time."""
        ...

    def sweep(self, task: Task, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """Reduce the distances of a task to tables, and count them in the histogram."""
        ...


@dataclass(frozen=True)
class Wanted:
    """What is to be gathered of all distances."""

    sums: bool
    silhouettes: bool
    extremes: bool
    minima: bool

    @classmethod
    def of(cls, types: set[type]) -> Wanted:
        """Find what the statistics need."""
        silhouettes = Silhouettes in types
        return cls(
            sums=PairSums in types or silhouettes,
            silhouettes=silhouettes,
            extremes=bool(types & {Diameters, SingleLinkage, CompleteLinkage, Hausdorff}),
            minima=Hausdorff in types,
        )


@dataclass
class Tables:
    """What the distances of one task are reduced to: rows against clusters of columns, and the reverse.

    Attributes
    ----------
    row_sums, row_minima : ndarray of shape (rows, clusters of the columns)
    column_sums, column_minima, column_maxima : ndarray of shape (clusters of the rows, columns)
    """

    row_sums: Floats
    column_sums: Floats
    row_minima: Floats
    column_minima: Floats
    column_maxima: Floats

    @classmethod
    def of(cls, task: Task, wanted: Wanted) -> Tables:
        """Make what is wanted, before any distance was seen; columns are padded to whole cache lines."""
        n, g, h = task.last - task.first, task.rows, task.columns
        nothing = np.empty((0, 0))
        return cls(
            row_sums=np.zeros((n, h.k)) if wanted.sums else nothing,
            column_sums=_columns(g.k, h.size, 0.0) if wanted.sums else nothing,
            row_minima=np.full((n, h.k), np.inf) if wanted.minima else nothing,
            column_minima=_columns(g.k, h.size, np.inf) if wanted.extremes else nothing,
            column_maxima=_columns(g.k, h.size, 0.0) if wanted.extremes else nothing,
        )


class Swept:
    """Distances that the compiled kernel reduces."""

    in_threads: bool = True

    def sweep(self: Distances, task: Task, wanted: Wanted, histogram: Histogram | None) -> Tables:
        """See `Distances`."""
        tables = Tables.of(task, wanted)
        counts = histogram.borrow(task.pairs) if histogram is not None else None
        unused = np.empty(0, np.uint32)
        sweep(
            *operands_of(self, task),
            wanted.sums,
            wanted.extremes,
            wanted.minima,
            histogram.scale if histogram is not None else 0.0,
            tables.row_sums,
            tables.column_sums,
            tables.row_minima,
            tables.column_minima,
            tables.column_maxima,
            counts.within if counts is not None else unused,
            counts.between if counts is not None else unused,
        )
        if histogram is not None and counts is not None:
            histogram.give_back(counts)
        return tables


@dataclass(frozen=True, eq=False)
class TiledPoints(Swept):
    """Euclidean distances, by explicit differences."""

    layout: Layout
    tiles: Tiles
    squared: bool = True

    @classmethod
    def of(cls, X: NDArray[Any], layout: Layout, memory_limit: int) -> TiledPoints:
        """Tile the points."""
        return cls(layout, Tiles.of(X, layout, memory_limit))

    def operands(self, task: Task) -> tuple[Floats, Floats, Ints, Floats]:
        """See `Distances`."""
        rows = self.tiles.rows(task.rows, task.first, task.last)
        tiles, widths = self.tiles.of_group(task.columns)
        return rows, tiles, widths, _NO_DISTANCES

    def most_pairs(self, wanted: int) -> int:
        """See `Distances`."""
        return wanted


def given_operands(block: Floats) -> tuple[Floats, Floats, Ints, Floats]:
    """Operands for the kernels where the distances are given."""
    n, m = block.shape
    widths = np.full(-(-m // _GIVEN_TILE), _GIVEN_TILE)
    widths[-1] = m - _GIVEN_TILE * (widths.size - 1)
    return np.empty((-(-n // ROWS) * ROWS, 2)), _NO_TILES, widths, block


@dataclass
class Histogram:
    """Counts of distances within and between clusters in bins of equal width.

    Attributes
    ----------
    scale : float
        Bins per unit of distance: distance d is in bin floor(d * scale), which rounding keeps monotone.
    within, between : ndarray of int64
    """

    scale: float
    within: Ints = field(default_factory=lambda: np.zeros(BINS, np.int64))
    between: Ints = field(default_factory=lambda: np.zeros(BINS, np.int64))

    def __post_init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Counts] = []
        self._all: list[_Counts] = []

    def __getstate__(self) -> dict[str, Any]:
        return {"scale": self.scale, "within": self.within, "between": self.between}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._clear()

    @classmethod
    def up_to(cls, largest: float) -> Histogram:
        """Make an empty histogram for distances up to `largest`."""
        return cls((BINS - 1) / largest if largest > 0 and np.isfinite((BINS - 1) / largest) else 1.0)

    def borrow(self, pairs: int) -> _Counts:
        """Take short counters that have room for so many pairs; integers add up to the same in any order."""
        with self._lock:
            counts = self._idle.pop() if self._idle else None
            if counts is None:
                counts = _Counts()
                self._all.append(counts)
        if counts.pairs + pairs >= 1 << 32:
            self._add(counts)
        counts.pairs += pairs
        return counts

    def give_back(self, counts: _Counts) -> None:
        """Return counters for the next task."""
        with self._lock:
            self._idle.append(counts)

    def finish(self) -> None:
        """Add all counters up."""
        for counts in self._all:
            self._add(counts)

    def _add(self, counts: _Counts) -> None:
        with self._lock:
            self.within += counts.within
            self.between += counts.between
        counts.within[:] = 0
        counts.between[:] = 0
        counts.pairs = 0


class _Counts:
    def __init__(self) -> None:
        self.within = np.zeros(BINS, np.uint32)
        self.between = np.zeros(BINS, np.uint32)
        self.pairs = 0


@dataclass
class _Block:
    """What one task, or all tasks of two groups, found for their pairs of clusters."""

    sums: Floats | None = None
    smallest: Floats | None = None
    largest: Floats | None = None
    rows_reach: Floats | None = None
    columns_reach: Floats | None = None


@dataclass
class _Found:
    """What one task found."""

    block: _Block
    row_sums: Floats | None = None
    column_sums: Floats | None = None
    column_minima: Floats | None = None
    counts: tuple[Ints, Ints] | None = None


Operands = tuple[Floats, int, Ints, Floats, Ints, Floats, Ints, int, Floats]


def operands_of(distances: Distances, task: Task) -> Operands:
    """Return what the kernels take first: rows and columns of a task."""
    rows, tiles, widths, given = distances.operands(task)
    n = task.last - task.first
    row_cluster = _clusters_of_rows(task)
    if task.diagonal:
        # Columns from the last row on are never met.
        used = int(np.searchsorted(np.cumsum(widths), task.last - 1, "left")) + 1
        tiles, widths = tiles[:used], widths[:used]
    return (
        rows,
        n,
        row_cluster,
        tiles,
        widths,
        given,
        task.columns.bounds,
        task.first if task.diagonal else -1,
        aligned_zeros((ROWS, tiles.shape[2])),
    )


def _clusters_of_rows(task: Task) -> Ints:
    return np.searchsorted(task.rows.bounds, np.arange(task.first, task.last), "right") - 1


@dataclass(frozen=True, eq=False)
class _Reduce:
    """Sweeps over one task and reduces to clusters what can be reduced; in a thread, or in another process."""

    distances: Distances
    wanted: Wanted
    histogram: Histogram | None
    # Counters that are not shared travel with the result.
    returns_counts: bool

    def __call__(self, task: Task) -> _Found:
        if not self.returns_counts or self.histogram is None:
            return _found(task, self.wanted, self.distances.sweep(task, self.wanted, self.histogram))
        own = Histogram(self.histogram.scale)
        found = _found(task, self.wanted, self.distances.sweep(task, self.wanted, own))
        own.finish()
        found.counts = own.within.astype(np.uint32), own.between.astype(np.uint32)
        return found


def _found(task: Task, wanted: Wanted, tables: Tables) -> _Found:
    g, h = task.rows, task.columns
    row_sums, row_minima = tables.row_sums, tables.row_minima
    # Without the padding of the rows.
    column_sums, column_minima, column_maxima = (
        table[:, : h.size] for table in (tables.column_sums, tables.column_minima, tables.column_maxima)
    )
    found = _Found(_Block())
    present, row_starts = np.unique(_clusters_of_rows(task), return_index=True)
    column_starts = h.bounds[:-1]
    if wanted.sums:
        found.row_sums, found.column_sums = row_sums, column_sums
        found.block.sums = _spread(np.add.reduceat(row_sums, row_starts, axis=0), present, g.k, 0.0)
    if wanted.extremes:
        found.block.smallest = np.minimum.reduceat(column_minima, column_starts, axis=1)
        found.block.largest = np.maximum.reduceat(column_maxima, column_starts, axis=1)
    if wanted.minima:
        if task.diagonal:
            # A point's nearest in another cluster lies before it or after it.
            if g.k > 1:
                row_minima = np.minimum(row_minima, column_minima.T)
        else:
            found.column_minima = column_minima
        found.block.rows_reach = _spread(
            np.maximum.reduceat(row_minima, row_starts, axis=0), present, g.k, 0.0
        )
    return found


def _columns(k: int, n: int, fill: float) -> Floats:
    # Rows of whole cache lines.
    table = aligned_zeros((k, n + -n % ALIGNMENT))
    if fill:
        table[:] = fill
    return table


def _spread(values: Floats, present: Ints, k: int, fill: float) -> Floats:
    if present.size == k:
        return values
    spread = np.full((k, values.shape[1]), fill)
    spread[present] = values
    return spread


def _merge(into: _Block, other: _Block) -> None:
    for name, merge in (
        ("sums", np.add),
        ("smallest", np.minimum),
        ("largest", np.maximum),
        ("rows_reach", np.maximum),
    ):
        mine, theirs = getattr(into, name), getattr(other, name)
        if theirs is not None:
            setattr(into, name, theirs if mine is None else merge(mine, theirs))


_BLOCK = tuple(f.name for f in fields(_Block))
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
        self._block = _Block()
        self._column_sums: Floats | None = None
        self._column_minima: Floats | None = None

    def add(self, task: Task, found: _Found) -> None:
        """Take in the result of the next task."""
        if found.counts is not None and self.histogram is not None:
            self.histogram.within += found.counts[0]
            self.histogram.between += found.counts[1]
        _merge(self._block, found.block)
        if self.wanted.silhouettes:
            self._add_sums(task, found)
        if found.column_minima is not None:
            # Several tasks only where the rows are one cluster.
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
        self._block = _Block(**{name: saved.get(f"block {name}") for name in _BLOCK})
        self._least = {t: float(saved[f"least {t.__name__}"]) for t in self._least}
        self._matrices = {t: saved[f"matrix {t.__name__}"] for t in self._matrices}
        if self.histogram is not None:
            self.histogram.within, self.histogram.between = saved["within bins"], saved["between bins"]

    def _add_sums(self, task: Task, found: _Found) -> None:
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
        block, self._block = self._block, _Block()
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
        """S_W; known where sums are wanted."""
        return float(self.layout.by_code(self._within).sum())

    def farthest(self) -> float:
        """Largest of all distances; known where extremes are wanted."""
        return max(float(self._diameters.max()), self._most)

    def _silhouettes(self, codes: Ints, sizes: Ints) -> Silhouettes:
        values = np.empty(codes.size)
        others = np.repeat(self.layout.sizes, self.layout.sizes) - 1
        if sizes.size == 1:
            values[:] = np.nan
        else:
            with np.errstate(invalid="ignore", divide="ignore"):
                own = self._own / others
                widths = (self._nearest - own) / np.maximum(own, self._nearest)
            widths[others == 0] = 0.0
            values[self.layout.order] = widths
        return Silhouettes(sizes, codes, values)


def task_size(n_pairs: int) -> int:
    """How many pairs a task should have: some milliseconds' worth, and not too many tasks."""
    return int(min(max(n_pairs // 2000, 1 << 22), 1 << 26))


def run_pairs(
    distances: Distances, types: set[type], crew: Crew, histogram: Histogram | None = None, sums: bool = False
) -> PairPass:
    """Reduce all distances to what the types need, and count them in the histogram."""
    layout = distances.layout
    if sums:
        types = types | {PairSums}
    roots = distances.squared and histogram is None and not types & {PairSums, Silhouettes}
    state = PairPass(layout, types, roots, histogram)
    work = _Reduce(distances, state.wanted, histogram, crew.workers is not None)
    fold_tasks(distances, crew, work, state, threads=distances.in_threads)
    if histogram is not None:
        histogram.finish()
    return state


class Fold(Resumable, Protocol):
    """What takes in the results of the tasks, in their order."""

    def add(self, task: Task, found: Any, /) -> None:
        """Take in the result of the next task."""
        ...


def fold_tasks(
    distances: Distances,
    crew: Crew,
    work: Callable[[Task], Any],
    fold: Fold,
    most_pairs: int | None = None,
    threads: bool = True,
) -> None:
    """Do the work for all tasks and take in the results; from time to time save them, where there is a checkpoint."""
    saver = crew.checkpoint
    if saver is None:
        for task, found in over_tasks(distances, crew, work, most_pairs, threads):
            fold.add(task, found)
        return
    tasks = _tasks(distances, most_pairs)
    done = saver.begin(fold)
    if done is None:
        crew.advance(distances.layout.n_pairs)
        return
    crew.advance(sum(task.pairs for task in islice(tasks, done)))
    while True:
        before = done
        # All tasks that were begun are done when it is time to save: the result is that of the first `done` tasks.
        for task, found in _results(distances, crew, work, saver.until_due(tasks), most_pairs, threads):
            fold.add(task, found)
            done += 1
        if done == before:
            break
        saver.save_if_due(done, fold)
    saver.end(fold)


def over_tasks(
    distances: Distances,
    crew: Crew,
    work: Callable[[Task], Any],
    most_pairs: int | None = None,
    threads: bool = True,
) -> Iterator[tuple[Task, Any]]:
    """Do the work for all tasks, of at most so many pairs where that is given, and yield the results in order."""
    return _results(distances, crew, work, _tasks(distances, most_pairs), most_pairs, threads)


def _limit(distances: Distances, most_pairs: int | None) -> int:
    return distances.most_pairs(most_pairs or task_size(distances.layout.n_pairs))


def _tasks(distances: Distances, most_pairs: int | None) -> Iterator[Task]:
    return distances.layout.tasks(_limit(distances, most_pairs), whole_packs=most_pairs is None)


def _results(
    distances: Distances,
    crew: Crew,
    work: Callable[[Task], Any],
    tasks: Iterator[Task],
    most_pairs: int | None,
    threads: bool,
) -> Iterator[tuple[Task, Any]]:
    threads = threads and distances.layout.n_pairs > _WORTH_THREADS
    batch = max(1, _WORTH_SENDING // _limit(distances, most_pairs))
    for task, result in crew.map(work, tasks, threads=threads, batch=batch):
        yield task, result
        crew.advance(task.pairs)
