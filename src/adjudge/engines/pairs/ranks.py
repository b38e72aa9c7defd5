"""Ranks of the distances: exact, in batches of neighbouring ranges, or approximate, from a histogram.

A range of distances is given by its first and last bit pattern: the bit patterns of non-negative doubles sort like the
doubles, so a range can be halved until it holds a single value, however uneven the distribution of the distances.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.buckets import Buckets
from adjudge.engines.pairs.counted_ranges import Counted, dot, everything, of_histogram
from adjudge.engines.pairs.distances import Distances
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.order_statistics import Held, Source
from adjudge.engines.running.executor import Crew
from adjudge.given.point_options import BINS
from adjudge.kernels.pair_ranks import sum_in_order
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

__all__ = ["RankCounts", "counted", "ranks_from_histogram", "resolve"]

Ints = NDArray[np.int64]

# Distances that are sorted together: with fewer, counting them first takes longer than it saves.
_FEW = 1 << 20
# Distances per bin, unless the number of bins is given.
_IN_BIN_LOG2 = 10


@dataclass(frozen=True)
class RankCounts:
    """Statistics of the ranks: comparisons, and pairs of equal distances."""

    ranks: PairRanks
    ties: DistanceTies


def ranks_from_histogram(distances: Distances, histogram: Histogram) -> RankCounts:
    """Count the comparisons between bins; those within a bin remain unknown."""
    n_within, n_between = distances.layout.n_within, distances.layout.n_between
    within, between = histogram.within, histogram.between
    larger = dot(within, np.cumsum(between) - between)
    unknown = dot(within, between)
    together = within + between
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - unknown, larger, 0, unknown)
    return RankCounts(ranks, DistanceTies(0, (dot(together, together) - int(together.sum())) // 2))


def counted(held: Held) -> Counted:
    """Count distances held in memory: in bins, if they are many."""
    total = held.within.size + held.between.size
    if total <= _FEW:
        return everything(held.within.size, held.between.size)
    return of_histogram(held.histogram(min(BINS, total >> _IN_BIN_LOG2)))


@dataclass(frozen=True)
class _Known:
    """The comparisons counted, and the sums of the tails, so far."""

    larger: int = 0
    ties: int = 0
    tied: int = 0
    smallest: float = 0.0
    largest: float = 0.0

    @classmethod
    def read(cls, words: NDArray[np.str_]) -> _Known:
        """Read what `written` wrote."""
        return cls(*map(int, words[:3]), *map(float.fromhex, words[3:]))

    def written(self) -> NDArray[np.str_]:
        """Return the counts and sums as text: counts of comparisons may exceed 64 bits."""
        counts = (self.larger, self.ties, self.tied)
        return np.array([*map(str, counts), self.smallest.hex(), self.largest.hex()])


@dataclass(frozen=True)
class _Visit:
    """A visit to one batch: to count comparisons, if it is the first, and to sum the smallest or largest distances."""

    number: int
    is_first: bool
    smallest: int = 0
    largest: int = 0


def resolve(
    source: Source,
    ranges: Counted,
    n: tuple[int, int],
    crew: Crew,
    most: int,
    *,
    want_ties: bool,
    within_sum: float | None = None,
) -> tuple[RankCounts, TailSums | None]:
    """Resolve every range by further passes, each over ranges that together hold at most `most` distances.

    `n` gives the numbers of distances within and between clusters. With `within_sum` (S_W), the sums of the tails,
    added up in order, are returned, too.
    """
    return _Resolution(source, crew, most, n, want_ties, within_sum).run(ranges)


class _Resolution:
    """Visits the batches one by one."""

    def __init__(
        self,
        source: Source,
        crew: Crew,
        most: int,
        n: tuple[int, int],
        want_ties: bool,
        within_sum: float | None,
    ) -> None:
        self._source, self._crew, self._most = source, crew, most
        self._n_within, self._n_between = n
        self._want_ties = want_ties
        self._within_sum = within_sum
        self._tail = 0 if within_sum is None or not self._n_between else self._n_within
        self._at_hand: tuple[int, Buckets] | None = None

    def run(self, ranges: Counted) -> tuple[RankCounts, TailSums | None]:
        crossings = ranges.crossings()
        batches = []
        for batch, more in self._batches(ranges):
            crossings += more
            if batch is not None:
                batches.append(batch)
        known = _Known()
        visits = self._visits([batch.total for batch in batches])
        self._source.expect(sum(visit.is_first for visit in visits))
        for visit in visits:
            known = self._visit_or_recall(batches[visit.number], visit, known)
        larger, ties = known.larger + crossings, known.ties
        n_within, n_between = self._n_within, self._n_between
        ranks = PairRanks(n_within, n_between, n_within * n_between - larger - ties, larger, ties)
        return RankCounts(ranks, DistanceTies(known.tied)), self._tails(known)

    def _tails(self, known: _Known) -> TailSums | None:
        if self._within_sum is None:
            return None
        if not self._n_between:
            return TailSums(self._n_within, self._within_sum, self._within_sum, self._within_sum)
        return TailSums(self._n_within, self._within_sum, known.smallest, known.largest)

    def _batches(self, ranges: Counted) -> Iterator[tuple[Counted | None, int]]:
        """Yield batches in order; replace one that is too large by its parts and the comparisons between these."""
        for batch in self._unresolved(ranges).batches(self._most):
            if batch.n == 1 and batch.total > self._most and not batch[0].is_one_value:
                finer = self._source.split(batch[0])
                yield None, finer.crossings()
                yield from self._batches(finer)
            else:
                yield batch, 0

    def _unresolved(self, ranges: Counted) -> Counted:
        """Return the ranges with comparisons, possible ties, or distances to be summed."""
        if self._tail:
            return ranges
        if self._want_ties:
            return ranges.where(ranges.sizes > 1)
        return ranges.where((ranges.within > 0) & (ranges.between > 0))

    def _visits(self, sizes: list[int]) -> list[_Visit]:
        """Return the order in which to visit batches, and how many of their distances are summed.

        The smallest distances are summed from below, the largest from above. Batches that hold some of both, except the
        first, are visited twice.
        """
        numbers = range(len(sizes))
        if not self._tail:
            return [_Visit(i, True) for i in numbers]
        below = np.concatenate([[0], np.cumsum(sizes)])[:-1].tolist()
        total = sum(sizes)
        low = [min(max(self._tail - below[i], 0), sizes[i]) for i in numbers]
        high = [min(max(self._tail - (total - below[i] - sizes[i]), 0), sizes[i]) for i in numbers]
        upwards = [_Visit(i, True, smallest=low[i]) for i in numbers if not high[i]]
        downwards = [_Visit(i, True, largest=high[i]) for i in reversed(numbers) if high[i]]
        return upwards + downwards + [_Visit(i, False, low[i]) for i in numbers if high[i] and low[i]]

    def _visit_or_recall(self, batch: Counted, visit: _Visit, known: _Known) -> _Known:
        """Visit a batch, or look up what an interrupted run found."""
        saver = self._crew.checkpoint
        if saver is None:
            return self._visit(batch, visit, known)
        done_before = self._crew.done
        found = _Known.read(saver.recall(lambda: self._visit(batch, visit, known).written()))
        if visit.is_first and self._crew.done == done_before:
            self._source.skip()
        return found

    def _visit(self, batch: Counted, visit: _Visit, known: _Known) -> _Known:
        if batch.n == 1 and batch.total > self._most:
            if visit.is_first:
                self._source.skip()
            return self._visit_one_value(batch, visit, known)
        if self._at_hand is None or self._at_hand[0] != visit.number:
            if not visit.is_first:
                self._source.expect(1)
            self._at_hand = None  # free its memory first
            buckets = Buckets(batch)
            self._source.fill(buckets, int(batch.firsts[0]), int(batch.lasts[-1]))
            larger, ties, tied = buckets.tally(self._crew)
            self._at_hand = visit.number, buckets
            if visit.is_first:
                counts = known.larger + larger, known.ties + ties, known.tied + tied
                known = _Known(*counts, known.smallest, known.largest)
        buckets = self._at_hand[1]
        return replace(
            known,
            smallest=buckets.sum_of(visit.smallest, False, known.smallest),
            largest=buckets.sum_of(visit.largest, True, known.largest),
        )

    def _visit_one_value(self, batch: Counted, visit: _Visit, known: _Known) -> _Known:
        """Visit a batch of one value, however often it occurs."""
        only = batch[0]
        key = np.array([only.first << 1], np.uint64)
        if visit.is_first:
            known = replace(
                known,
                ties=known.ties + only.within * only.between,
                tied=known.tied + only.size * (only.size - 1) // 2,
            )
        return replace(
            known,
            smallest=float(sum_in_order(key, visit.smallest, False, known.smallest)),
            largest=float(sum_in_order(key, visit.largest, True, known.largest)),
        )
