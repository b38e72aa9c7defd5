"""Distances picked by value, in passes over all: as they are computed, or from memory."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.buckets import Buckets, expect
from adjudge.engines.pairs.counted_ranges import (
    LAST_KEY,
    Bins,
    Counted,
    Range,
    no_patterns,
    of_patterns,
)
from adjudge.engines.pairs.distances import Distances, operands_of
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Task
from adjudge.engines.pairs.tasks import fold_tasks, over_tasks
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.executor import Crew
from adjudge.kernels.pair_ranks import count_patterns, count_values
from adjudge.kernels.pair_tiles import count_by_key, pick_by_kind

__all__ = ["Budget", "Computed", "Held", "Source", "after", "filled", "gather", "split", "value_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EMPTY = np.empty(0)
# Distances that stay in cache: of a task, or of a part of those held in memory.
_IN_CACHE = 1 << 19
# Distances that are counted in bins of their own.
_COUNTED = 1 << 22


@dataclass(frozen=True)
class Budget:
    """How many distances may be held at the same time."""

    memory_limit: int

    @property
    def sorted(self) -> int:
        """Distances that may be collected."""
        return max(self.memory_limit * 3 // 4 // 8, 1 << 10)

    @property
    def beside(self) -> int:
        """Distances that may be sorted in addition to those that are held."""
        return max(self.memory_limit // 4 // 8, 1 << 10)

    @property
    def per_task(self) -> int:
        """Distances of one task, each in its own buffer if needed."""
        return max(min(self.memory_limit // 4 // 8 // 16, 1 << 22), 1 << 10)


def value_of(key: int) -> float:
    """Return the distance of a key."""
    return float(np.array(key, np.int64).view(np.float64))


def after(key: int) -> float:
    """Return the smallest value beyond a key; inf includes everything."""
    return value_of(min(key + 1, LAST_KEY))


def filled(room: Floats, n: int) -> Floats:
    """Return the n collected distances; the buffer was allocated for as many as were counted."""
    expect(n <= room.size)
    return room[:n]


class Source(Protocol):
    """The source that distances are picked from."""

    def expect(self, passes: int) -> None:
        """Announce passes to come."""
        ...

    def skip(self) -> None:
        """Report that a pass is not needed."""
        ...

    def fill(self, buckets: Buckets, first: int, last: int) -> None:
        """Put the distances with keys from first to last into buckets."""
        ...

    def split(self, heavy: Range) -> Counted:
        """Count the distances of a range in finer ranges, by one more pass."""
        ...


@dataclass(frozen=True, eq=False)
class Computed:
    """Distances that every pass computes again."""

    distances: Distances
    crew: Crew
    budget: Budget

    def expect(self, passes: int) -> None:
        """See `Source`."""
        self.crew.expect(passes * self.distances.layout.n_pairs)

    def skip(self) -> None:
        """See `Source`."""
        self.crew.advance(self.distances.layout.n_pairs)

    def fill(self, buckets: Buckets, first: int, last: int) -> None:
        """See `Source`."""
        pick = _PickByKind.of(first, last)
        if self.crew.workers is not None:
            for _, found in over_tasks(self.distances, self.crew, pick, self.budget.per_task):
                buckets.put(*found)
            return
        rooms = _Rooms()

        def work(distances: Any, task: Task) -> None:
            room = rooms.borrow(task.pairs)
            buckets.put(*pick.into(room, distances, task))
            rooms.give_back(room)

        for _ in over_tasks(self.distances, self.crew, work, min(self.budget.per_task, _IN_CACHE)):
            pass

    def split(self, heavy: Range) -> Counted:
        """See `Source`."""
        self.expect(1)
        return split(self.distances, heavy, self.crew)


class _Rooms:
    """Buffers for the distances of a task, which are reused."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[Floats] = []

    def borrow(self, size: int) -> Floats:
        with self._lock:
            room = self._idle.pop() if self._idle else _EMPTY
        return room if room.size >= size else np.empty(size)

    def give_back(self, room: Floats) -> None:
        with self._lock:
            self._idle.append(room)


@dataclass(frozen=True, eq=False)
class Held:
    """Distances within and between clusters, held in memory in any order."""

    within: Floats
    between: Floats
    crew: Crew

    def histogram(self, bins: int) -> Histogram:
        """Count all distances."""
        found = Histogram.up_to(
            max(float(part.max(initial=0.0)) for part in (self.within, self.between)), bins
        )

        def work(part: tuple[Floats, Floats]) -> Histogram:
            own = found.of_task()
            for values, into in zip(part, (own.within, own.between), strict=True):
                count_values(values, found.scale, into)
            return own

        for _, own in self.crew.map(work, self._parts(_COUNTED)):
            found.add(own.within, own.between)
        return found

    def expect(self, passes: int) -> None:
        """See `Source`: reading distances in memory takes no time."""

    def skip(self) -> None:
        """See `Source`."""

    def fill(self, buckets: Buckets, first: int, last: int) -> None:
        """See `Source`; the buckets leave out distances in none of the ranges."""
        for _ in self.crew.map(lambda part: buckets.put(*part), self._parts()):
            pass

    def split(self, heavy: Range) -> Counted:
        """See `Source`."""
        bins = Bins.within(heavy)
        counts = no_patterns(bins.n)
        for part in self._parts():
            for kind, values in enumerate(part):
                count_patterns(values, bins.keys, counts[kind], counts[2], counts[3])
        return of_patterns(bins, counts)

    def _parts(self, most: int = _IN_CACHE) -> list[tuple[Floats, Floats]]:
        n = max(1, -(-(self.within.size + self.between.size) // most))
        edges = [(self.within.size * i // n, self.between.size * i // n) for i in range(n + 1)]
        return [(self.within[a:c], self.between[b:d]) for (a, b), (c, d) in pairwise(edges)]


def gather(distances: Distances, crew: Crew, budget: Budget) -> Held:
    """Collect all distances by a pass."""
    within, between = np.empty(distances.layout.n_within), np.empty(distances.layout.n_between)
    n = m = 0
    for _, (own, others) in over_tasks(distances, crew, _PickByKind.of(0, LAST_KEY), budget.per_task):
        within[n : n + own.size] = own
        between[m : m + others.size] = others
        n, m = n + own.size, m + others.size
    return Held(within, between, crew)


# The work on a task is an object of this module, not a nested function: a nested function is sent to other processes by
# value, together with the kernels that it calls, which are then compiled in each run.
@dataclass(frozen=True, eq=False)
class _PickByKind:
    """Picks the distances of a task that lie in a range, within and between clusters."""

    low: float
    high: float

    @classmethod
    def of(cls, first: int, last: int) -> _PickByKind:
        """Pick distances with keys from first to last."""
        return cls(value_of(first), after(last))

    def __call__(self, distances: Any, task: Task) -> tuple[Floats, Floats]:
        return self.into(np.empty(task.pairs), distances, task)

    def into(self, room: Floats, distances: Any, task: Task) -> tuple[Floats, Floats]:
        """Pick distances into a buffer with room for all of the task."""
        n_within = task.pairs_within
        within, between = room[:n_within], room[n_within : task.pairs]
        n, m = pick_by_kind(*operands_of(distances, task), self.low, self.high, within, between)
        return filled(within, n), filled(between, m)


@dataclass(frozen=True, eq=False)
class _CountKeys:
    """Counts the keys of a task in bins of bit patterns."""

    bins: Bins

    def __call__(self, distances: Any, task: Task) -> Ints:
        counts = no_patterns(self.bins.n)
        count_by_key(*operands_of(distances, task), self.bins.keys, counts)
        return counts


@dataclass
class _Tally:
    """Sums the counts of all tasks."""

    total: Ints

    def add(self, _: Task, counts: Ints) -> None:
        self.total[:2] += counts[:2]
        np.minimum(self.total[2], counts[2], out=self.total[2])
        np.maximum(self.total[3], counts[3], out=self.total[3])

    def export(self) -> Arrays:
        return {"total": self.total}

    def restore(self, saved: Arrays) -> None:
        self.total = saved["total"]


def split(distances: Distances, heavy: Range, crew: Crew) -> Counted:
    """Count the distances of a range of keys in finer ranges, by one more pass."""
    bins = Bins.within(heavy)
    tally = _Tally(no_patterns(bins.n))
    fold_tasks(distances, crew, _CountKeys(bins), tally)
    return of_patterns(bins, tally.total)
