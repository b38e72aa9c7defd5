"""Ranks of the distances: of all in order, or approximate, from a histogram."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.buckets import Buckets
from adjudge.engines.pairs.distances import DistanceSource, Portioned, operands_of
from adjudge.engines.pairs.histogram import Histogram, dot
from adjudge.engines.pairs.meetings import over_meetings
from adjudge.engines.pairs.strips import Meeting
from adjudge.engines.running.executor import Crew
from adjudge.kernels.pair_tiles import collect_by_kind
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

__all__ = ["RankCounts", "ranks_from_histogram", "ranks_in_order"]

Floats = NDArray[np.float64]

# Distances that are collected at a time: those of a meeting stay in cache, those of a message are worth sending.
_IN_CACHE, _IN_MESSAGE = 1 << 19, 1 << 22
_NOTHING = np.empty(0)


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
    distances: DistanceSource, histogram: Histogram, crew: Crew, *, want_ties: bool, within_sum: float | None
) -> tuple[RankCounts, TailSums | None]:
    """Bring distances into order, and count the comparisons; those that the histogram settles are left out.

    With `within_sum` (S_W), the sums of the smallest and of the largest distances, added up in order, come with it.
    """
    n_within, n_between = distances.strips.n_within, distances.strips.n_between
    if within_sum is not None and n_between:
        wanted = histogram.sizes > 0
    elif want_ties:
        wanted = histogram.sizes > 1
    else:
        wanted = (histogram.within > 0) & (histogram.between > 0)
    buckets = Buckets(histogram, wanted)
    _fill(buckets, distances, crew)
    larger, ties, tied = buckets.tally(crew)
    larger += histogram.crossings()
    ranks = PairRanks(n_within, n_between, n_within * n_between - larger - ties, larger, ties)
    counts = RankCounts(ranks, DistanceTies(tied))
    if within_sum is None:
        return counts, None
    smallest, largest = (
        buckets.sum_of(n_within, from_top) if n_between else within_sum for from_top in (False, True)
    )
    return counts, TailSums(n_within, within_sum, smallest, largest)


def _fill(buckets: Buckets, distances: DistanceSource, crew: Crew) -> None:
    """Put the distances into buckets, by one pass."""
    if not buckets.keys.size:
        crew.advance(distances.strips.n_pairs)
        return
    collect = _Collect(*buckets.span)
    if crew.workers is not None:
        for _, found in over_meetings(distances, crew, collect, distances.strips.meetings(_IN_MESSAGE)):
            buckets.put(*found)
        return
    rooms = threading.local()

    def work(own: Any, meeting: Meeting) -> None:
        if getattr(rooms, "room", _NOTHING).size < meeting.pairs:
            rooms.room = np.empty(meeting.pairs)
        buckets.put(*collect.into(rooms.room, own, meeting))

    # Distances that others compute come in small blocks, and may be remembered as such.
    most = _IN_CACHE if isinstance(distances, Portioned) else None
    for _ in over_meetings(distances, crew, work, distances.strips.meetings(most)):
        pass


# An object of this module is sent to other processes by name.
@dataclass(frozen=True)
class _Collect:
    """Collects the distances of a meeting in a range, within and between clusters."""

    low: float
    high: float

    def __call__(self, distances: Any, meeting: Meeting) -> tuple[Floats, Floats]:
        return self.into(np.empty(meeting.pairs), distances, meeting)

    def into(self, room: Floats, distances: Any, meeting: Meeting) -> tuple[Floats, Floats]:
        """Collect distances in a buffer that has room for all of the meeting."""
        within, between = room[: meeting.pairs_within], room[meeting.pairs_within : meeting.pairs]
        n, m = collect_by_kind(*operands_of(distances, meeting), self.low, self.high, within, between)
        return within[:n], between[:m]
