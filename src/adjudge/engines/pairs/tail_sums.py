"""Sums of the smallest and of the largest distances, if these are too many to hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.buckets import expect_as_counted
from adjudge.engines.pairs.distances import DistanceSource, operands_of
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.meetings import fold_meetings
from adjudge.engines.pairs.strips import Meeting
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.executor import Crew
from adjudge.kernels.pair_tiles import sum_tails
from adjudge.statistics.pair_distances import TailSums

__all__ = ["tail_sums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Bins that a window of values is cut into, of which one becomes the next window.
_BINS = 1 << 14
# An error of a tail, as a fraction of its sum, that rounding may have as well.
_ROUNDING = 1e-13
# By how much, as a fraction, a window is wider than the bin that it is for, so that rounding puts nothing beside it.
_WIDER = 1e-14


# An object of this module is sent to other processes by name.
@dataclass(frozen=True, eq=False)
class _SumTails:
    """Counts and adds up the distances of a meeting in two windows, and beyond them; see `sum_tails`."""

    windows: Floats

    def __call__(self, distances: Any, meeting: Meeting) -> tuple[Ints, Floats]:
        counts, sums = np.zeros((2, _BINS + 1), np.int64), np.zeros((2, _BINS + 1))
        sum_tails(*operands_of(distances, meeting), self.windows, counts, sums)
        return counts, sums


class _Total:
    """Adds up what the meetings found."""

    def __init__(self) -> None:
        self.counts, self.sums = np.zeros((2, _BINS + 1), np.int64), np.zeros((2, _BINS + 1))

    def add(self, _: Meeting, found: tuple[Ints, Floats]) -> None:
        self.counts += found[0]
        self.sums += found[1]

    def export(self) -> Arrays:
        return {"counts": self.counts.copy(), "sums": self.sums.copy()}

    def restore(self, saved: Arrays) -> None:
        self.counts, self.sums = saved["counts"], saved["sums"]


@dataclass(frozen=True)
class _Tail:
    """The sum of one tail, with its largest error, and where the window around its last distance begins and ends."""

    total: float
    error: float
    start: float
    end: float


def tail_sums(distances: DistanceSource, histogram: Histogram, within_sum: float, crew: Crew) -> TailSums:
    """Sum the N_W smallest and the N_W largest distances, by a pass that looks into the bins where these tails end.

    Of the last bin, distances count with their mean. Further passes look into it as long as this may be seen.
    """
    n_within, n_between = distances.strips.n_within, distances.strips.n_between
    if n_within == 0 or n_between == 0:
        return TailSums(n_within, within_sum, within_sum, within_sum)
    last = np.searchsorted(np.cumsum(histogram.sizes), [n_within, n_between + 1])
    starts, ends = last / histogram.scale * (1 - _WIDER), (last + 1) / histogram.scale * (1 + _WIDER)
    while True:
        total = _Total()
        fold_meetings(distances, crew, _SumTails(np.column_stack([starts, _BINS / (ends - starts)])), total)
        smallest, largest = (
            _tail(
                total.counts[side],
                total.sums[side],
                n_within,
                float(starts[side]),
                float(ends[side]),
                bool(side),
            )
            for side in (0, 1)
        )
        if all(tail.error <= _ROUNDING * tail.total for tail in (smallest, largest)):
            return TailSums(n_within, within_sum, smallest.total, largest.total)
        crew.expect(distances.strips.n_pairs)
        starts, ends = np.array([smallest.start, largest.start]), np.array([smallest.end, largest.end])


def _tail(counts: Ints, sums: Floats, n: int, start: float, end: float, from_top: bool) -> _Tail:
    """Sum the n smallest (or largest) distances, of which the last one lies in a window."""
    own, excess = (values[:-1][::-1] if from_top else values[:-1] for values in (counts, sums))
    left, reached = n - int(counts[-1]), np.cumsum(own)
    expect_as_counted(0 < left <= int(reached[-1]))
    i = int(np.searchsorted(reached, left))
    before, in_bin = int(reached[i] - own[i]), int(own[i])
    last = left - before
    total = float(sums[-1]) + left * start + float(excess[:i].sum()) + last * (float(excess[i]) / in_bin)
    width = (end - start) / _BINS
    place = start + (_BINS - 1 - i if from_top else i) * width
    are_equal = excess[i] == 0.0 or width <= 2 * np.spacing(place)
    error = 0.0 if are_equal else width * last * (in_bin - last) / in_bin
    return _Tail(total, error, max(place - width, 0.0), place + 2 * width)
