"""Simulated contingency tables with fixed margins, for null distributions without a formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.kernels.elementary import logarithm, logarithms
from adjudge.kernels.random_tables import draw_sums, draw_tables, lanes_for, shuffle_cells, shuffle_sums
from adjudge.progress import Progress
from adjudge.statistics.contingency import Contingency
from adjudge.usual_seed import USUAL_SEED

#: Default number of tables (Amorim & Cardoso).
N_TABLES = 17_000
#: Most seconds of one core for an index by default.
MOST_SECONDS = 8.0
# Least default number of tables, however long one takes: a p-value can still be 0.005.
_FEWEST = 200

# For fewer instances, C(n, 2) fits into 63 bits.
_PAIRS_FIT = 1 << 32
# Cost of shuffling an instance, relative to drawing a cell from its conditional distribution.
_SHUFFLED_INSTANCE = 0.5
# Number of cells for which another thread pays off.
_CELLS_PER_THREAD = 100_000
# Seconds between two reports of progress, at which interrupts take effect.
_ROUND = 0.5
# Seconds that one core takes to draw a cell, measured once: choices based on it must not depend on the machine. Beyond
# some number of cells, a table no longer fits into the cache.
_SECONDS_PER_CELL = 2.5e-8
_CACHED_CELLS = 2e4
_CACHE_POWER = 0.6
# Seconds to read a table and its cells for an index; if most cells are empty, only the others.
_SECONDS_TO_READ = 1e-4
_SECONDS_TO_READ_CELL = 4e-8
_SECONDS_TO_READ_FILLED = 1.2e-7


def seconds_to_read(n_cells: int, n: int) -> float:
    """Return the seconds that one core of an ordinary machine takes to compute an index of a table of n instances."""
    return _SECONDS_TO_READ + min(n_cells * _SECONDS_TO_READ_CELL, n * _SECONDS_TO_READ_FILLED)


def seconds_to_shuffle(n: int) -> float:
    """Return the seconds that one core of an ordinary machine takes to shuffle the labels of n instances."""
    return n * _SHUFFLED_INSTANCE * _SECONDS_PER_CELL


def tables_within(seconds: float) -> int:
    """Return the default number of tables if one takes this long: 17,000, or as many as 8 seconds allow."""
    return max(_FEWEST, min(N_TABLES, int(MOST_SECONDS / seconds)))


class RandomTables:
    """Random contingency tables with the margins of a given one.

    Parameters
    ----------
    table : Contingency
        Only its margins are used.
    random_state : int, Generator, SeedSequence or None, default 0
    n_threads : int, optional
        Default: all cores, or the workers of a backend set with :func:`joblib.parallel_config`. Results do not depend
        on it.
    progress : callable, optional
        Called with the numbers of finished and requested tables.
    """

    def __init__(
        self,
        table: Contingency,
        random_state: Any = USUAL_SEED,
        *,
        n_threads: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        # The largest cluster goes last on each side, where cells follow from the others for free.
        self._row_order = np.argsort(table.row_sums, kind="stable")
        self._col_order = np.argsort(table.col_sums, kind="stable")
        self._rows = np.ascontiguousarray(table.row_sums[self._row_order])
        self._cols = np.ascontiguousarray(table.col_sums[self._col_order])
        self._template = table
        self._generator = np.random.default_rng(random_state)
        self._crew = Crew.of(n_threads, None)
        self._progress = progress

    @property
    def cells_to_draw(self) -> float:
        """Cost of one table, as a number of cells drawn."""
        return min(self._free_cells, self._template.n * _SHUFFLED_INSTANCE)

    @property
    def _free_cells(self) -> int:
        """Number of cells that do not follow from the others and the margins."""
        r, c = self._template.shape
        return (r - 1) * (c - 1)

    def seconds(self, n_tables: int) -> float:
        """Return the seconds that one core of an ordinary machine takes for `n_tables` tables."""
        r, c = self._template.shape
        crowding = 1.0 if self._shuffles else max(1.0, (r * c / _CACHED_CELLS) ** _CACHE_POWER)
        return n_tables * self.cells_to_draw * _SECONDS_PER_CELL * crowding

    def pair_sums(self, n_tables: int) -> tuple[int, NDArray[np.int64]]:
        """Return the pairs joined in each random table, sum of C(k, 2), as an exact base and offsets to add."""
        sums = np.zeros(n_tables, np.int64)
        self._fill(sums, np.empty(0))
        n = self._template.n
        if n < _PAIRS_FIT:
            return 0, sums
        # The kernel counts modulo 2**64; all sums are close to their mean, so the difference is exact.
        from adjudge.inference.chance.null_moments import pair_sum_moments

        base = int(pair_sum_moments(self._rows, self._cols, n).mean)
        wrapped = np.array(base % (1 << 64), np.uint64).astype(np.int64)
        return base, sums - wrapped

    def mutual_information(self, n_tables: int) -> NDArray[np.float64]:
        """Return the mutual information of each random table, in nats."""
        sums = np.zeros(n_tables)
        self._fill(np.empty(0, np.int64), sums)
        n = float(self._template.n)
        inside = sum(float(np.sum(s * logarithms(s.astype(np.float64)))) for s in (self._rows, self._cols))
        return np.asarray(np.maximum(0.0, (sums - inside) / n + logarithm(n)))

    def __call__(self, n_tables: int) -> Iterator[Contingency]:
        """Yield random tables."""
        return self._shuffled(n_tables) if self._shuffles else self._drawn(n_tables)

    @property
    def _shuffles(self) -> bool:
        return self.cells_to_draw < self._free_cells

    def _streams(self, n_blocks: int) -> NDArray[np.uint64]:
        return self._generator.integers(0, 1 << 64, size=(n_blocks, 4), dtype=np.uint64)

    def _col_labels(self) -> NDArray[np.int32]:
        return np.repeat(np.arange(self._cols.size, dtype=np.int32), self._cols)

    def _fill(self, pairs: NDArray[np.int64], entropies: NDArray[np.float64]) -> None:
        """Fill whichever array of sums is not empty."""
        n_tables = max(pairs.size, entropies.size)
        lanes = lanes_for(*self._template.shape)
        streams = self._streams(-(-n_tables // lanes))

        labels = self._col_labels() if self._shuffles else np.empty(0, np.int32)
        work = _Sums(self._rows, self._cols, labels, lanes, self._shuffles, pairs.size > 0)
        filled = pairs if pairs.size else entropies
        cost = lanes * self.cells_to_draw
        n_workers = self._crew.workers.n if self._crew.workers is not None else self._crew.n_threads
        # A round in threads cannot be interrupted.
        per_round = n_workers * max(1, int(_ROUND / max(self.seconds(lanes), 1e-9)))
        for start in range(0, len(streams), per_round):
            stop = min(start + per_round, len(streams))
            worth = int((stop - start) * cost / _CELLS_PER_THREAD)
            n_parts = max(1, min(n_workers, stop - start, worth))
            edges = [start + (stop - start) * i // n_parts for i in range(n_parts + 1)]
            parts = [(streams[a:b], min(b * lanes, n_tables) - a * lanes) for a, b in pairwise(edges)]
            first = start * lanes
            for (_, size), sums in self._crew.map(work, parts, threads=n_parts > 1, batch=1):
                filled[first : first + size] = sums
                first += size
            self._report(min(stop * lanes, n_tables), n_tables)

    def _report(self, done: int, wanted: int) -> None:
        if self._progress is not None:
            self._progress(done, wanted)

    def _drawn(self, n_tables: int) -> Iterator[Contingency]:
        lanes = lanes_for(*self._template.shape)
        for start in range(0, n_tables, lanes):
            drawn = np.empty((min(lanes, n_tables - start), *self._template.shape), np.int64)
            draw_tables(self._rows, self._cols, self._streams(1), lanes, drawn)
            tables = np.empty_like(drawn)
            tables[:, self._row_order[:, None], self._col_order[None, :]] = drawn
            for dense in tables:
                yield self._like(dense, None)
            self._report(min(start + lanes, n_tables), n_tables)

    def _shuffled(self, n_tables: int) -> Iterator[Contingency]:
        rows, cols = self._template.row_sums, self._template.col_sums
        labels = np.repeat(np.arange(cols.size, dtype=np.int32), cols)
        stream = self._streams(1)[0]
        for done in range(n_tables):
            yield self._like(None, shuffle_cells(rows, labels, cols.size, stream))
            self._report(done + 1, n_tables)

    def _like(self, dense: Any, cells: Any) -> Contingency:
        like = self._template
        return Contingency(
            like.row_sums, like.col_sums, like.row_labels, like.col_labels, like.n, dense, cells
        )


@dataclass(frozen=True, eq=False)
class _Sums:
    """A task that draws tables from random streams and returns a sum for each: of pairs, or of entropies."""

    rows: NDArray[np.int64]
    cols: NDArray[np.int64]
    labels: NDArray[np.int32]
    lanes: int
    shuffles: bool
    of_pairs: bool

    def __call__(self, part: tuple[NDArray[np.uint64], int]) -> NDArray[Any]:
        streams, n_tables = part
        pairs = np.zeros(n_tables if self.of_pairs else 0, np.int64)
        entropies = np.zeros(0 if self.of_pairs else n_tables)
        if self.shuffles:
            shuffle_sums(self.rows, self.labels, self.cols.size, streams, self.lanes, pairs, entropies)
        else:
            draw_sums(self.rows, self.cols, streams, self.lanes, pairs, entropies)
        return pairs if self.of_pairs else entropies
