"""Distances put into buckets of neighbouring bins, each sorted while it is in cache."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.counted_ranges import Counted
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.kernels.pair_ranks import find_buckets, put_into_buckets, sum_in_order, tally_keys

__all__ = ["Buckets", "expect"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Distances, as powers of two, that fill a bucket, and that one task sorts.
_BUCKET_LOG2 = 14
_CHUNK_LOG2 = 18


def expect(as_counted: bool) -> None:
    """Raise unless a pass found the numbers that earlier passes counted."""
    if not as_counted:
        raise InputError(
            "metric gives different distances for the same points than before: it must depend only on the points"
        )


@dataclass(frozen=True)
class _Chunk:
    """Neighbouring buckets: their ranges, and where each begins among the keys (and the last one ends)."""

    ranges: slice
    edges: tuple[int, ...]


class Buckets:
    """The distances of some ranges, which have been counted.

    Attributes
    ----------
    keys : ndarray of uint64
        Sorted after `tally`.
    """

    def __init__(self, counted: Counted) -> None:
        self._counted = counted
        before = np.concatenate([[0], np.cumsum(counted.sizes)])
        number = before[:-1] >> _BUCKET_LOG2
        begins = np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]]))
        self._begins = np.append(begins, counted.n)
        self._edges: Ints = before[self._begins]
        # Distances in none of the ranges go to a bucket after the last, which is not stored.
        self._of_bin = np.full(counted.bins.n, begins.size, np.int32)
        self._of_bin[counted.numbers] = np.repeat(np.arange(begins.size), np.diff(self._begins))
        self._places = np.append(self._edges[:-1], 0)
        self._lock = threading.Lock()
        self._patterns = counted.bins.keys
        self.keys = np.empty(int(before[-1]), np.uint64)

    def put(self, within: Floats, between: Floats) -> None:
        """Add distances; several threads may do so."""
        buckets = np.empty(within.size + between.size, np.int32)
        counts = np.zeros_like(self._places)
        parts = (1, within, buckets[: within.size]), (0, between, buckets[within.size :])
        for _, values, found in parts:
            find_buckets(values, self._counted.bins.scale, self._patterns, self._of_bin, found, counts)
        with self._lock:
            places = self._places.copy()
            self._places += counts
            expect(bool((self._places[:-1] <= self._edges[1:]).all()))
        for kind, values, found in parts:
            put_into_buckets(values, kind, found, places, self.keys)

    def tally(self, crew: Crew) -> tuple[int, int, int]:
        """Sort all distances, and count the comparisons inside each range; see `tally_keys`."""
        expect(np.array_equal(self._places[:-1], self._edges[1:]))
        larger = ties = tied = 0
        chunks = self._chunks()
        for _, found in crew.map(self._tally, chunks):
            larger, ties, tied = larger + found[0], ties + found[1], tied + found[2]
        return larger, ties, tied

    def _tally(self, chunk: _Chunk) -> tuple[int, int, int]:
        for a, b in pairwise(chunk.edges):
            self.keys[a:b].sort()
        larger, ties, tied = map(int, tally_keys(self.keys[chunk.edges[0] : chunk.edges[-1]]))
        return larger - self._counted.where(chunk.ranges).crossings(), ties, tied

    def _chunks(self) -> list[_Chunk]:
        number = self._edges[:-1] >> _CHUNK_LOG2
        cuts = [*np.flatnonzero(np.concatenate([[True], number[1:] != number[:-1]])), number.size]
        return [
            _Chunk(slice(int(self._begins[a]), int(self._begins[b])), tuple(self._edges[a : b + 1].tolist()))
            for a, b in pairwise(cuts)
        ]

    def sum_of(self, count: int, from_top: bool, total: float) -> float:
        """Add the `count` smallest (or largest) distances to a total, in order."""
        step = 1 << _CHUNK_LOG2
        n = self.keys.size
        for first in range(0, count, step):
            last = min(first + step, count)
            part = self.keys[n - last : n - first] if from_top else self.keys[first:last]
            total = float(sum_in_order(part, 1, from_top, total))
        return total
