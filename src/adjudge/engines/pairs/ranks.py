"""Ranks of the distances: by sorting while they fit the memory limit, else by a histogram and slices of the range.

A slice is a range of distances, given by its first and last bit pattern: the bit patterns of non-negative doubles order
like the doubles, so a range can be halved until it holds a single value, however unevenly the distances are spread.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Distances, operands_of
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.kept import KeptDistances
from adjudge.engines.pairs.layout import Task
from adjudge.engines.pairs.tasks import fold_tasks, over_tasks
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.crew import Crew
from adjudge.errors import InputError
from adjudge.kernels.pair_ranks import compare_sorted, sum_tails
from adjudge.kernels.pair_tiles import BY_KIND, KEYS, TAILS, collect
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

__all__ = ["Budget", "RankCounts", "ranks_by_slices", "ranks_by_sorting", "ranks_from_histogram", "tail_sums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LAST_KEY = int(np.array(np.inf).view(np.int64))
_SUB_BINS_LOG2 = 14  # bins of a range that has to be split


@dataclass(frozen=True)
class Budget:
    """How many distances may be held at a time."""

    memory_limit: int

    @property
    def sorted(self) -> int:
        """Distances that may be collected and sorted."""
        return max(self.memory_limit * 3 // 4 // 8, 1 << 10)

    @property
    def per_task(self) -> int:
        """Distances of one task, each in its own buffer if needed."""
        return max(min(self.memory_limit // 4 // 8 // 16, 1 << 22), 1 << 10)


@dataclass(frozen=True)
class RankCounts:
    """What the ranks are reduced to: comparisons, and pairs of equal distances."""

    ranks: PairRanks
    ties: DistanceTies


def _value(key: int) -> float:
    return float(np.array(key, np.int64).view(np.float64))


def _after(key: int) -> float:
    """Return the smallest value beyond a key; inf takes in everything."""
    return _value(min(key + 1, _LAST_KEY))


_EMPTY = np.empty(0)
_NO_KEYS = np.zeros(3, np.int64)
_NO_COUNTS = np.zeros((4, 1), np.int64)


def _expect(as_counted: bool) -> None:
    """Raise unless a pass found what the passes before it have counted."""
    if not as_counted:
        raise InputError(
            "metric gives different distances for the same points than before: it must depend only on the points"
        )


def _filled(room: Floats, n: int) -> Floats:
    """Return the n distances that were collected; the room was made for as many as were counted."""
    _expect(n <= room.size)
    return room[:n]


# What is done with a task is an object of this module, not a function within another: such a function is sent to other
# processes by its value, with the kernels that it calls, which are then compiled in each run.
@dataclass(frozen=True, eq=False)
class _PickByKind:
    """Picks the distances of a task in a range, within and between clusters."""

    edges: Floats

    def __call__(self, distances: Any, task: Task) -> tuple[Floats, Floats]:
        n_within = task.pairs_within
        within, between = np.empty(n_within), np.empty(task.pairs - n_within)
        operands = operands_of(distances, task)
        n, m = collect(*operands, BY_KIND, self.edges, within, between, np.zeros(2), _NO_KEYS, _NO_COUNTS)
        return _filled(within, n), _filled(between, m)


@dataclass(frozen=True, eq=False)
class _CountKeys:
    """Counts the keys of a task in a range, by bins of 2^shift keys."""

    first: int
    last: int
    shift: int

    @property
    def bins(self) -> int:
        return ((self.last - self.first) >> self.shift) + 1

    def __call__(self, distances: Any, task: Task) -> Ints:
        counts = _no_keys(self.bins)
        keys = np.array([self.first, self.last, self.shift])
        operands = operands_of(distances, task)
        collect(*operands, KEYS, np.zeros(4), _EMPTY, _EMPTY, np.zeros(2), keys, counts)
        return counts


@dataclass(frozen=True, eq=False)
class _PickTails:
    """Picks the distances of a task in two ranges, and adds up those below the first and those beyond the second."""

    edges: Floats
    most_low: int
    most_high: int

    def __call__(self, distances: Any, task: Task) -> tuple[Floats, Floats, Floats]:
        low, high = (np.empty(min(task.pairs, most)) for most in (self.most_low, self.most_high))
        sums = np.zeros(2)
        operands = operands_of(distances, task)
        n, m = collect(*operands, TAILS, self.edges, low, high, sums, _NO_KEYS, _NO_COUNTS)
        return _filled(low, n).copy(), _filled(high, m).copy(), sums


def _pick(
    distances: Distances, first: int, last: int, crew: Crew, budget: Budget
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the distances with keys from first to last, within and between clusters, task by task."""
    work = _PickByKind(np.array([_value(first), _after(last), 0.0, 0.0]))
    for _, found in over_tasks(distances, crew, work, budget.per_task):
        yield found


def _gather(
    distances: Distances, first: int, last: int, n_within: int, n_between: int, crew: Crew, budget: Budget
) -> tuple[Floats, Floats]:
    """Return the distances with keys from first to last, whose number is known."""
    within, between = np.empty(n_within), np.empty(n_between)
    n = m = 0
    for some_within, some_between in _pick(distances, first, last, crew, budget):
        within[n : n + some_within.size] = some_within
        between[m : m + some_between.size] = some_between
        n, m = n + some_within.size, m + some_between.size
    return within, between


def _sort(arrays: tuple[Floats, ...], crew: Crew) -> None:
    """Sort in place, large arrays in parts of which each holds smaller values than the next."""
    pieces: list[Floats] = []
    share = max(sum(a.size for a in arrays) // (2 * crew.n_threads), 1 << 15)
    for array in arrays:
        parts = max(1, array.size // share) if crew.n_threads > 1 else 1
        cuts = [array.size * i // parts for i in range(1, parts)]
        if cuts:
            array.partition(cuts)
        edges = [0, *cuts, array.size]
        pieces += [array[a:b] for a, b in pairwise(edges)]
    for _ in crew.map(np.ndarray.sort, pieces, threads=len(pieces) > len(arrays) or share > 1 << 15):
        pass


def ranks_by_sorting(
    distances: Distances, crew: Crew, budget: Budget, within_sum: float | None
) -> tuple[RankCounts, TailSums | None]:
    """Compare all distances at once; with `within_sum` (S_W) the sums of the tails come with it.

    Distances that were kept are sorted where they are.
    """
    n_within, n_between = distances.layout.n_within, distances.layout.n_between
    if isinstance(distances, KeptDistances):
        within, between = distances.within, distances.between
    else:
        within, between = _gather(distances, 0, _LAST_KEY, n_within, n_between, crew, budget)
    _sort((within, between), crew)
    larger, ties, tied = map(int, compare_sorted(within, between))
    tails = None
    if within_sum is not None:
        smallest, largest = sum_tails(within, between, n_within) if n_between else (within_sum, within_sum)
        tails = TailSums(n_within, within_sum, float(smallest), float(largest))
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - ties, larger, ties)
    return RankCounts(ranks, DistanceTies(tied)), tails


def ranks_from_histogram(distances: Distances, histogram: Histogram) -> RankCounts:
    """Count the comparisons between bins; those within a bin stay unknown."""
    n_within, n_between = distances.layout.n_within, distances.layout.n_between
    within, between = histogram.within, histogram.between
    larger = _dot(within, np.cumsum(between) - between)
    unknown = _dot(within, between)
    together = within + between
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - unknown, larger, 0, unknown)
    return RankCounts(ranks, DistanceTies(0, (_dot(together, together) - int(together.sum())) // 2))


def _dot(a: Ints, b: Ints) -> int:
    """Exact scalar product: the sum may exceed 64 bits, so it is taken over halves of 32 bits."""
    low = (1 << 32) - 1
    used = np.flatnonzero((a != 0) & (b != 0))
    a, b = a[used], b[used]
    if a.size == 0:
        return 0
    total = 0
    for a_part, a_shift in ((a & low, 0), (a >> 32, 32)):
        for b_part, b_shift in ((b & low, 0), (b >> 32, 32)):
            product = a_part.astype(np.uint64) * b_part.astype(np.uint64)
            parts = int((product & np.uint64(low)).sum()) + (int((product >> np.uint64(32)).sum()) << 32)
            total += parts << (a_shift + b_shift)
    return total


@dataclass(frozen=True)
class _Range:
    """A range of keys, ends included, and how many distances of each kind lie in it."""

    first: int
    last: int
    within: int
    between: int

    @property
    def size(self) -> int:
        return self.within + self.between


@dataclass(frozen=True, eq=False)
class _Counted:
    """Neighbouring ranges, as arrays."""

    firsts: Ints
    lasts: Ints
    within: Ints
    between: Ints

    def __getitem__(self, i: int) -> _Range:
        return _Range(int(self.firsts[i]), int(self.lasts[i]), int(self.within[i]), int(self.between[i]))

    def crossings(self) -> int:
        """Comparisons between two ranges in which the within-cluster distance is the larger."""
        return _dot(self.within, np.cumsum(self.between) - self.between)

    def unresolved(self, want_ties: bool) -> _Counted:
        """Ranges that hold comparisons (or possible ties)."""
        keep = self.within + self.between > 1 if want_ties else (self.within > 0) & (self.between > 0)
        return _Counted(self.firsts[keep], self.lasts[keep], self.within[keep], self.between[keep])

    def batches(self, most: int) -> list[_Counted]:
        """Join ranges up to this number of distances; a larger range stays alone."""
        sizes = (self.within + self.between).tolist()
        cuts, held = [0], 0
        for i, size in enumerate(sizes):
            if i > cuts[-1] and held + size > most:
                cuts.append(i)
                held = 0
            held += size
        cuts.append(len(sizes))
        parts = [slice(a, b) for a, b in pairwise(cuts) if a < b]
        return [_Counted(self.firsts[p], self.lasts[p], self.within[p], self.between[p]) for p in parts]


def _of_histogram(histogram: Histogram) -> _Counted:
    """Return the bins that hold anything, by their keys."""
    used = np.flatnonzero(histogram.within + histogram.between)
    edges = _first_keys(histogram, np.concatenate([used, used + 1]))
    return _Counted(
        edges[: used.size], edges[used.size :] - 1, histogram.within[used], histogram.between[used]
    )


def _first_keys(histogram: Histogram, bins: Ints) -> Ints:
    """Key of the smallest distance in each of some bins, by bisection with the very rounding of the kernel."""
    low = np.zeros(bins.size, np.int64)
    high = np.full(bins.size, _LAST_KEY)
    while (low < high).any():
        middle = low + (high - low) // 2
        with np.errstate(over="ignore"):
            reached = np.floor(middle.view(np.float64) * histogram.scale) >= bins
        high = np.where(reached, middle, high)
        low = np.where(reached, low, middle + 1)
    return low


def _no_keys(bins: int) -> Ints:
    """Return counts within and between clusters, and the lowest and highest key, of bins in which nothing is yet."""
    empty = np.zeros((4, bins), np.int64)
    empty[2] = _LAST_KEY
    return empty


@dataclass
class _Tally:
    """Adds up the counts of all tasks."""

    total: Ints

    def add(self, _: Task, counts: Ints) -> None:
        self.total[:2] += counts[:2]
        np.minimum(self.total[2], counts[2], out=self.total[2])
        np.maximum(self.total[3], counts[3], out=self.total[3])

    def export(self) -> Arrays:
        return {"total": self.total}

    def restore(self, saved: Arrays) -> None:
        self.total = saved["total"]


def _split(distances: Distances, heavy: _Range, crew: Crew) -> _Counted:
    """Count a range of keys in finer ranges, by one more pass; each ends with what lies in it, and may be one value."""
    span = heavy.last - heavy.first
    work = _CountKeys(heavy.first, heavy.last, max(span.bit_length() - _SUB_BINS_LOG2, 0))
    tally = _Tally(_no_keys(work.bins))
    fold_tasks(distances, crew, work, tally)
    within, between, lowest, highest = tally.total
    used = within + between > 0
    return _Counted(lowest[used], highest[used], within[used], between[used])


def ranks_by_slices(
    distances: Distances, histogram: Histogram, crew: Crew, budget: Budget, want_ties: bool
) -> RankCounts:
    """Resolve every bin of the histogram by further passes, each over bins whose distances fit the budget."""
    n_within, n_between = distances.layout.n_within, distances.layout.n_between
    bins = _of_histogram(histogram)
    larger, ties, tied = bins.crossings(), 0, 0
    todo = bins.unresolved(want_ties).batches(budget.sorted)
    crew.expect(len(todo) * distances.layout.n_pairs)
    while todo:
        batch = todo.pop()
        only = batch[0]
        if batch.firsts.size == 1 and only.first == only.last:  # one value, however often
            ties += only.within * only.between
            tied += only.size * (only.size - 1) // 2
            crew.advance(distances.layout.n_pairs)
        elif batch.firsts.size == 1 and only.size > budget.sorted:
            finer = _split(distances, only, crew)
            larger += finer.crossings()
            more = finer.unresolved(want_ties).batches(budget.sorted)
            crew.expect(len(more) * distances.layout.n_pairs)
            todo += more
        else:
            found = _resolve_once(distances, batch, crew, budget)
            larger, ties, tied = larger + found[0], ties + found[1], tied + found[2]
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - ties, larger, ties)
    return RankCounts(ranks, DistanceTies(tied))


def _resolve_once(distances: Distances, batch: _Counted, crew: Crew, budget: Budget) -> tuple[int, int, int]:
    """Resolve some bins, or look up what a run that was interrupted found."""
    if crew.checkpoint is None:
        return _resolve(distances, batch, crew, budget)
    done_before = crew.done
    # As text: counts of comparisons may exceed 64 bits.
    known = crew.checkpoint.recall(lambda: np.array([*map(str, _resolve(distances, batch, crew, budget))]))
    if crew.done == done_before:
        crew.advance(distances.layout.n_pairs)
    larger, ties, tied = map(int, known)
    return larger, ties, tied


def _resolve(distances: Distances, batch: _Counted, crew: Crew, budget: Budget) -> tuple[int, int, int]:
    """Sort the distances of some bins, and count the comparisons inside each bin."""
    within, between = np.empty(int(batch.within.sum())), np.empty(int(batch.between.sum()))
    n = m = 0
    # What lies between the bins needs no comparison; it is picked and then left out.
    for some in _pick(distances, int(batch.firsts[0]), int(batch.lasts[-1]), crew, budget):
        w, b = (values[_inside(values, batch)] for values in some)
        _expect(n + w.size <= within.size and m + b.size <= between.size)
        within[n : n + w.size] = w
        between[m : m + b.size] = b
        n, m = n + w.size, m + b.size
    _expect(n == within.size and m == between.size)
    _sort((within, between), crew)
    larger, ties, tied = map(int, compare_sorted(within, between))
    return larger - batch.crossings(), ties, tied


def _inside(values: Floats, batch: _Counted) -> NDArray[np.bool_]:
    keys = values.view(np.int64)
    return np.asarray(keys <= batch.lasts[np.searchsorted(batch.firsts, keys, "right") - 1])


class _Tails:
    """Gathers the values at the two boundaries, and the sums beyond them."""

    def __init__(self) -> None:
        self.lows: list[Floats] = []
        self.highs: list[Floats] = []
        self.total = np.zeros(2)

    def add(self, _: Task, found: tuple[Floats, Floats, Floats]) -> None:
        low, high, sums = found
        self.lows.append(low)
        self.highs.append(high)
        self.total += sums

    def export(self) -> Arrays:
        return {
            "lows": np.concatenate([_EMPTY, *self.lows]),
            "highs": np.concatenate([_EMPTY, *self.highs]),
            "total": self.total,
        }

    def restore(self, saved: Arrays) -> None:
        self.lows, self.highs, self.total = [saved["lows"]], [saved["highs"]], saved["total"]


def tail_sums(
    distances: Distances, histogram: Histogram, within_sum: float, crew: Crew, budget: Budget
) -> TailSums:
    """Sum the N_W smallest and the N_W largest distances: one pass, which collects the bins at the two boundaries."""
    n_within, n_between = distances.layout.n_within, distances.layout.n_between
    if n_within == 0 or n_between == 0:
        return TailSums(n_within, within_sum, within_sum, within_sum)
    known: dict[_Range, _Counted] = {}
    low, n_low = _boundary(distances, histogram, n_within, False, crew, budget, known)
    high, n_high = _boundary(distances, histogram, n_within, True, crew, budget, known)
    # What is beyond the upper range begins after its last key, even if nothing is collected.
    edges = np.array([_value(low.first), _end(low), _value(high.first), _end(high), _after(high.last)])
    work = _PickTails(edges, low.size, high.size)
    tails = _Tails()
    fold_tasks(distances, crew, work, tails, budget.per_task)
    smallest = float(tails.total[0]) + _part(tails.lows, low, n_low, False)
    largest = float(tails.total[1]) + _part(tails.highs, high, n_high, True)
    return TailSums(n_within, within_sum, smallest, largest)


def _end(bin_: _Range) -> float:
    """Where collecting ends: a range of one value need not be collected."""
    return _value(bin_.first) if bin_.first == bin_.last else _after(bin_.last)


def _part(collected: list[Floats], bin_: _Range, count: int, from_top: bool) -> float:
    """Sum of the `count` smallest (or largest) values in a range."""
    if bin_.first == bin_.last:
        return count * _value(bin_.first)
    values = np.sort(np.concatenate(collected))
    _expect(values.size == bin_.size)
    return float(values[values.size - count :].sum() if from_top else values[:count].sum())


def _boundary(
    distances: Distances,
    histogram: Histogram,
    rank: int,
    from_top: bool,
    crew: Crew,
    budget: Budget,
    known: dict[_Range, _Counted],
) -> tuple[_Range, int]:
    """Find the range that holds the distance of a rank, narrow enough to be collected, and the rank in it.

    `known` keeps ranges that were split: both boundaries may lie in one.
    """
    i, rank = _find(histogram.within + histogram.between, rank, from_top)
    first, after = map(int, _first_keys(histogram, np.array([i, i + 1])))
    found = _Range(first, after - 1, int(histogram.within[i]), int(histogram.between[i]))
    while found.first < found.last and found.size > budget.sorted // 4:
        if found not in known:
            crew.expect(distances.layout.n_pairs)
            known[found] = _split(distances, found, crew)
        finer = known[found]
        i, rank = _find(finer.within + finer.between, rank, from_top)
        found = finer[i]
    return found, rank


def _find(sizes: Ints, rank: int, from_top: bool) -> tuple[int, int]:
    """Return the bin that holds a rank, counted from below or from the top, and the rank in it."""
    reached = np.cumsum(sizes[::-1] if from_top else sizes)
    i = int(np.searchsorted(reached, rank))
    rank -= int(reached[i - 1]) if i else 0
    return sizes.size - 1 - i if from_top else i, rank
