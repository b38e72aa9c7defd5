"""Sums of the smallest and of the largest distances, if these are too many to hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.buckets import expect
from adjudge.engines.pairs.counted_ranges import Counted, Range, first_keys
from adjudge.engines.pairs.distances import Distances, operands_of
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Task
from adjudge.engines.pairs.order_statistics import Budget, after, filled, split, value_of
from adjudge.engines.pairs.tasks import fold_tasks
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.executor import Crew
from adjudge.kernels.pair_tiles import pick_tails
from adjudge.statistics.pair_distances import TailSums

__all__ = ["tail_sums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_EMPTY = np.empty(0)


# An object of this module, as in `picking`, is sent to other processes by name.
@dataclass(frozen=True, eq=False)
class _PickTails:
    """Picks the distances of a task in two ranges, and sums those below the first and those above the second."""

    edges: Floats
    most_low: int
    most_high: int

    def __call__(self, distances: Any, task: Task) -> tuple[Floats, Floats, Floats]:
        low, high = (np.empty(min(task.pairs, most)) for most in (self.most_low, self.most_high))
        sums = np.zeros(2)
        n, m = pick_tails(*operands_of(distances, task), self.edges, low, high, sums)
        return filled(low, n).copy(), filled(high, m).copy(), sums


class _Tails:
    """Collects the values at the two boundaries, and the sums beyond them."""

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
    """Sum the N_W smallest and the N_W largest distances, in one pass that collects the bins at the two boundaries."""
    n_within, n_between = distances.layout.n_within, distances.layout.n_between
    if n_within == 0 or n_between == 0:
        return TailSums(n_within, within_sum, within_sum, within_sum)
    known: dict[Range, Counted] = {}
    low, n_low = _boundary(distances, histogram, n_within, False, crew, budget, known)
    high, n_high = _boundary(distances, histogram, n_within, True, crew, budget, known)
    # Values above the upper range begin after its last key, even if nothing is collected.
    edges = np.array([value_of(low.first), _end(low), value_of(high.first), _end(high), after(high.last)])
    work = _PickTails(edges, low.size, high.size)
    tails = _Tails()
    fold_tasks(distances, crew, work, tails, budget.per_task)
    smallest = float(tails.total[0]) + _part(tails.lows, low, n_low, False)
    largest = float(tails.total[1]) + _part(tails.highs, high, n_high, True)
    return TailSums(n_within, within_sum, smallest, largest)


def _end(bin_: Range) -> float:
    """Return where collecting ends: a range of one value need not be collected."""
    return value_of(bin_.first) if bin_.first == bin_.last else after(bin_.last)


def _part(collected: list[Floats], bin_: Range, count: int, from_top: bool) -> float:
    """Sum the `count` smallest (or largest) values in a range."""
    if bin_.first == bin_.last:
        return count * value_of(bin_.first)
    values = np.sort(np.concatenate(collected))
    expect(values.size == bin_.size)
    return float(values[values.size - count :].sum() if from_top else values[:count].sum())


def _boundary(
    distances: Distances,
    histogram: Histogram,
    rank: int,
    from_top: bool,
    crew: Crew,
    budget: Budget,
    known: dict[Range, Counted],
) -> tuple[Range, int]:
    """Find the range that holds the distance of a given rank, narrow enough to be collected, and the rank in it.

    `known` keeps ranges that were split: both boundaries may lie in one.
    """
    i, rank = _find(histogram.within + histogram.between, rank, from_top)
    first, behind = map(int, first_keys(histogram, np.array([i, i + 1])))
    found = Range(first, behind - 1, int(histogram.within[i]), int(histogram.between[i]))
    while found.first < found.last and found.size > budget.sorted // 4:
        if found not in known:
            crew.expect(distances.layout.n_pairs)
            known[found] = split(distances, found, crew)
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
