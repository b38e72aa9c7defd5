"""Distances put into buckets of neighbouring bins, each sorted while it is in cache."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.kernels.pair_ranks import find_buckets, put_into_buckets, sort_keys, sum_in_order, tally_keys

__all__ = ["Buckets", "expect_as_counted"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Distances, as powers of two, that fill a bucket, and that one task sorts.
_BUCKET_LOG2 = 14
_CHUNK_LOG2 = 18


def expect_as_counted(are: bool) -> None:
    """Raise unless a pass found the numbers that an earlier pass counted."""
    if not are:
        raise InputError(
            "metric gives different distances for the same points than before: it must depend only on the points"
        )


@dataclass(frozen=True)
class _Chunk:
    """Neighbouring buckets: their bins, and where each begins among the keys (and the last one ends)."""

    bins: Ints
    edges: Ints


class Buckets:
    """The distances in some bins of a histogram.

    Attributes
    ----------
    keys : ndarray of uint64
        Sorted after `tally`.
    """

    def __init__(self, histogram: Histogram, wanted: NDArray[np.bool_]) -> None:
        self._histogram = histogram
        self._bins = np.flatnonzero(wanted)
        before = np.concatenate([[0], np.cumsum(histogram.sizes[self._bins])])
        number = before[:-1] >> _BUCKET_LOG2
        begins = np.flatnonzero(np.diff(number, prepend=-1))
        self._begins = np.append(begins, self._bins.size)
        self._edges: Ints = before[self._begins]
        # Distances in none of these bins go to a bucket after the last, which is not stored.
        self._of_bin = np.full(wanted.size, begins.size, np.int32)
        self._of_bin[self._bins] = np.repeat(np.arange(begins.size), np.diff(self._begins))
        self._places = np.append(self._edges[:-1], 0)
        self._lock = threading.Lock()
        self.keys = np.empty(int(before[-1]), np.uint64)

    @property
    def span(self) -> tuple[float, float]:
        """The ends of a range that holds all distances in these bins, with room for rounding."""
        scale, last = self._histogram.scale, int(self._bins[-1])
        above = (last + 1) / scale * (1 + 1e-14) if last + 1 < self._of_bin.size else np.inf
        return int(self._bins[0]) / scale * (1 - 1e-14), above

    def put(self, within: Floats, between: Floats) -> None:
        """Add distances; several threads may do so."""
        buckets = np.empty(within.size + between.size, np.int32)
        counts = np.zeros_like(self._places)
        parts = (1, within, buckets[: within.size]), (0, between, buckets[within.size :])
        for _, values, found in parts:
            find_buckets(values, self._histogram.scale, self._of_bin, found, counts)
        with self._lock:
            places = self._places.copy()
            self._places += counts
            expect_as_counted(bool((self._places[:-1] <= self._edges[1:]).all()))
        for kind, values, found in parts:
            put_into_buckets(values, kind, found, places, self.keys)

    def tally(self, crew: Crew) -> tuple[int, int, int]:
        """Sort all distances, and count the comparisons inside each bin; see `tally_keys`."""
        expect_as_counted(np.array_equal(self._places[:-1], self._edges[1:]))
        larger = ties = tied = 0
        for _, found in crew.map(self._tally, self._chunks()):
            larger, ties, tied = larger + found[0], ties + found[1], tied + found[2]
        return larger, ties, tied

    def _tally(self, chunk: _Chunk) -> tuple[int, int, int]:
        sort_keys(self.keys, chunk.edges)
        larger, ties, tied = tally_keys(self.keys[chunk.edges[0] : chunk.edges[-1]])
        return larger - self._histogram.crossings(chunk.bins), ties, tied

    def _chunks(self) -> list[_Chunk]:
        number = self._edges[:-1] >> _CHUNK_LOG2
        cuts = [*np.flatnonzero(np.diff(number, prepend=-1)), number.size]
        return [
            _Chunk(self._bins[self._begins[a] : self._begins[b]], self._edges[a : b + 1])
            for a, b in pairwise(cuts)
        ]

    def sum_of(self, count: int, from_top: bool) -> float:
        """Add up the `count` smallest (or largest) distances, in order."""
        n, step, total = self.keys.size, 1 << _CHUNK_LOG2, 0.0
        for first in range(0, count, step):  # Ctrl-C takes effect between these
            last = min(first + step, count)
            part = self.keys[n - last : n - first] if from_top else self.keys[first:last]
            total = float(sum_in_order(part, from_top, total))
        return total
