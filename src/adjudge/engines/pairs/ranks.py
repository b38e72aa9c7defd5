"""Ranks of the distances: of all in order, or approximate, from a histogram."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.buckets import Buckets
from adjudge.engines.pairs.distances import DistanceSource, Portioned, operands_of
from adjudge.engines.pairs.histogram import Histogram, dot
from adjudge.engines.pairs.meetings import over_meetings
from adjudge.engines.pairs.strips import Meeting
from adjudge.engines.running.executor import Crew
from adjudge.kernels.pair_tiles import collect_by_kind, collect_with_tags
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums, pairs_between, pairs_within

__all__ = ["MOST_PARTITIONS", "RankCounts", "ranks_from_histogram", "ranks_in_order", "ranks_of_several"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Distances that are collected at a time: those of a meeting stay in cache, those of a message are worth sending.
_IN_CACHE, _IN_MESSAGE = 1 << 19, 1 << 22
_NOTHING = np.empty(0)
#: Partitions that are ranked together: bits of a tag.
MOST_PARTITIONS = 64


@dataclass(frozen=True)
class RankCounts:
    """Statistics of the ranks: comparisons, and pairs of equal distances."""

    ranks: PairRanks
    ties: DistanceTies


def ranks_from_histogram(distances: DistanceSource, histogram: Histogram) -> RankCounts:
    """Count the comparisons between bins; those within a bin remain unknown."""
    n_within, n_between = distances.strips.n_within, distances.strips.n_between
    larger = histogram.crossings()
    unknown = dot(histogram.within, histogram.between)
    together = histogram.sizes
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - unknown, larger, 0, unknown)
    return RankCounts(ranks, DistanceTies(0, (dot(together, together) - int(together.sum())) // 2))


def ranks_in_order(
    distances: DistanceSource,
    histogram: Histogram,
    crew: Crew,
    *,
    want_ties: bool,
    within_sum: float | None,
    most: int,
) -> tuple[RankCounts, TailSums | None]:
    """Bring distances into order, and count the comparisons; those that the histogram settles are left out.

    At most about `most` distances are held at once, of a range of sizes: each range takes a pass, from the largest on.
    With `within_sum` (S_W), the sums of the smallest and of the largest distances, added up in order, come with it.
    """
    n_within, n_between = distances.strips.n_within, distances.strips.n_between
    want_tails = within_sum is not None and bool(n_between)
    if want_tails:
        wanted = histogram.sizes > 0
    elif want_ties:
        wanted = histogram.sizes > 1
    else:
        wanted = (histogram.within > 0) & (histogram.between > 0)
    ranges = _ranges(np.where(wanted, histogram.sizes, 0), most)
    crew.expect((len(ranges) - 1) * distances.strips.n_pairs)
    larger, ties, tied, largest, smallest = histogram.crossings(), 0, 0, _Tail(n_within), _Tail(n_within)
    buckets: Buckets | None
    for own in reversed(ranges):
        buckets = None  # Only one is held.
        buckets, found = _in_order(own, distances, histogram, crew)
        larger, ties, tied = larger + found[0], ties + found[1], tied + found[2]
        if want_tails:
            largest.add(buckets, from_top=True)
    for own in ranges if want_tails else ():
        if smallest.left == 0:
            break
        if own is not ranges[0]:
            crew.expect(distances.strips.n_pairs)
            buckets = None
            buckets, _ = _in_order(own, distances, histogram, crew)
        assert buckets is not None
        smallest.add(buckets, from_top=False)
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - ties, larger, ties)
    counts = RankCounts(ranks, DistanceTies(tied))
    if within_sum is None:
        return counts, None
    ends = (smallest.total, largest.total) if want_tails else (within_sum, within_sum)
    return counts, TailSums(n_within, within_sum, *ends)


@dataclass
class _Tail:
    """The sum of the smallest, or of the largest, distances so far, and how many are left."""

    left: int
    total: float = 0.0

    def add(self, buckets: Buckets, from_top: bool) -> None:
        """Add as many of the next distances as are left, in order."""
        count = min(self.left, buckets.keys.size)
        self.total = buckets.add_to(self.total, count, from_top)
        self.left -= count


def _ranges(sizes: Ints, most: int) -> list[NDArray[np.bool_]]:
    """Cut bins into ranges of about equally many distances, at most about `most`; return which bins each wants."""
    reached = np.cumsum(sizes)
    total = int(reached[-1])
    parts = max(1, -(-total // most))
    number = (reached - sizes) * parts // max(1, total)
    return [(sizes > 0) & (number == part) for part in range(parts)]


def _in_order(
    wanted: NDArray[np.bool_], distances: DistanceSource, histogram: Histogram, crew: Crew
) -> tuple[Buckets, tuple[int, int, int]]:
    """Collect the distances in some bins by one pass, and sort them; see `Buckets.tally`."""
    buckets = Buckets(histogram, wanted)
    if buckets.keys.size:
        _fill(buckets.put, _Collect(*buckets.span), distances, crew)
    else:
        crew.advance(distances.strips.n_pairs)
    return buckets, buckets.tally(crew)


def ranks_of_several(
    distances: DistanceSource, histogram: Histogram, crew: Crew, codes: Ints, within_sums: Sequence[float]
) -> list[tuple[RankCounts, TailSums]]:
    """Bring distances into order once, and count the comparisons of several partitions, at most `MOST_PARTITIONS`.

    Their `codes` are of the sorted points; of each partition, the sum of the distances within clusters is known.
    """
    buckets = Buckets(histogram, histogram.sizes > 0, with_tags=True)
    _fill(buckets.put_with_tags, _CollectWithTags(codes), distances, crew)
    larger, ties, tied = buckets.tally_tags(crew, len(codes))
    # A cumulative sum adds in order.
    ordered = np.concatenate([[0.0], buckets.keys[:, 0].view(np.float64)])
    up = np.cumsum(ordered)
    ordered[1:] = ordered[:0:-1].copy()
    down = np.cumsum(ordered)
    found = []
    for own, above, equal, total in zip(codes, larger.tolist(), ties.tolist(), within_sums, strict=True):
        sizes = np.bincount(own)
        n_within, n_between = pairs_within(sizes), pairs_between(sizes)
        ranks = PairRanks(n_within, n_between, n_within * n_between - above - equal, above, equal)
        ends = (float(up[n_within]), float(down[n_within])) if n_between else (total, total)
        found.append((RankCounts(ranks, DistanceTies(tied)), TailSums(n_within, total, *ends)))
    return found


def _fill(
    put: Callable[[Any, Any], None],
    collect: _Collecting,
    distances: DistanceSource,
    crew: Crew,
) -> None:
    """Put the distances into buckets, by one pass."""
    if crew.workers is not None:
        for _, found in over_meetings(distances, crew, collect, distances.strips.meetings(_IN_MESSAGE)):
            put(*found)
        return
    rooms = threading.local()

    def work(own: Any, meeting: Meeting) -> None:
        if getattr(rooms, "room", _NOTHING).size < collect.numbers * meeting.pairs:
            rooms.room = np.empty(collect.numbers * meeting.pairs)
        put(*collect.into(rooms.room, own, meeting))

    # Distances that others compute come in small blocks, and may be remembered as such.
    most = _IN_CACHE if isinstance(distances, Portioned) else None
    for _ in over_meetings(distances, crew, work, distances.strips.meetings(most)):
        pass


# Objects of this module are sent to other processes by name.
class _Collecting:
    """Collects distances of a meeting; `numbers` for each pair need room."""

    numbers: ClassVar[int] = 1

    def __call__(self, distances: Any, meeting: Meeting) -> tuple[Any, Any]:
        return self.into(np.empty(self.numbers * meeting.pairs), distances, meeting)

    def into(self, room: Floats, distances: Any, meeting: Meeting) -> tuple[Any, Any]:
        """Collect distances in a buffer that has room for all of the meeting."""
        raise NotImplementedError


@dataclass(frozen=True)
class _Collect(_Collecting):
    """Collects the distances in a range, within and between clusters."""

    low: float
    high: float

    def into(self, room: Floats, distances: Any, meeting: Meeting) -> tuple[Floats, Floats]:
        within, between = room[: meeting.pairs_within], room[meeting.pairs_within : meeting.pairs]
        n, m = collect_by_kind(*operands_of(distances, meeting), self.low, self.high, within, between)
        return within[:n], between[:m]


@dataclass(frozen=True, eq=False)
class _CollectWithTags(_Collecting):
    """Collects all distances, with a bit for each partition that joins the points, given the codes in each."""

    numbers: ClassVar[int] = 2

    codes: Ints

    def into(self, room: Floats, distances: Any, meeting: Meeting) -> tuple[Floats, NDArray[np.uint64]]:
        values, tags = room[: meeting.pairs], room[meeting.pairs : 2 * meeting.pairs].view(np.uint64)
        starts = meeting.rows.start + meeting.first, meeting.columns.start
        collect_with_tags(*operands_of(distances, meeting), self.codes, starts, values, tags)
        return values, tags
