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
from adjudge.kernels.pair_ranks import (
    find_buckets,
    put_into_buckets,
    put_with_tags,
    sort_keys,
    sort_with_tags,
    sum_in_order,
    tally_keys,
    tally_tags,
)

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
        Sorted after `tally`. With tags, of shape (n, 2): distances, and a bit for each partition that joins the points.
    """

    def __init__(self, histogram: Histogram, wanted: NDArray[np.bool_], with_tags: bool = False) -> None:
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
        n = int(before[-1])
        self.keys = np.empty((n, 2) if with_tags else n, np.uint64)

    @property
    def span(self) -> tuple[float, float]:
        """The ends of a range that holds all distances in these bins, with room for rounding."""
        scale, last = self._histogram.scale, int(self._bins[-1])
        above = (last + 1) / scale * (1 + 1e-14) if last + 1 < self._of_bin.size else np.inf
        return int(self._bins[0]) / scale * (1 - 1e-14), above

    def put(self, within: Floats, between: Floats) -> None:
        """Add distances; several threads may do so."""
        buckets, places = self._places_of(within, between)
        for kind, values, found in zip((1, 0), (within, between), buckets, strict=True):
            put_into_buckets(values, kind, found, places, self.keys)

    def put_with_tags(self, values: Floats, tags: NDArray[np.uint64]) -> None:
        """Add distances with their tags; several threads may do so."""
        (found,), places = self._places_of(values)
        put_with_tags(values, tags, found, places, self.keys)

    def _places_of(self, *parts: Floats) -> tuple[list[NDArray[np.int32]], Ints]:
        """Find the bucket of each distance, and take as many places in it."""
        buckets = [np.empty(values.size, np.int32) for values in parts]
        counts = np.zeros_like(self._places)
        for values, found in zip(parts, buckets, strict=True):
            find_buckets(values, self._histogram.scale, self._of_bin, found, counts)
        with self._lock:
            places = self._places.copy()
            self._places += counts
            expect_as_counted(bool((self._places[:-1] <= self._edges[1:]).all()))
        return buckets, places

    def tally(self, crew: Crew) -> tuple[int, int, int]:
        """Sort all distances, and count the comparisons inside each bin; see `tally_keys`."""
        expect_as_counted(np.array_equal(self._places[:-1], self._edges[1:]))
        larger = ties = tied = 0
        for _, found in crew.map(self._tally, self._chunks()):
            larger, ties, tied = larger + found[0], ties + found[1], tied + found[2]
        return larger, ties, tied

    def tally_tags(self, crew: Crew, partitions: int) -> tuple[Ints, Ints, int]:
        """Sort all distances; return the comparisons of each partition with the larger within, ties, and all ties."""
        expect_as_counted(np.array_equal(self._places[:-1], self._edges[1:]))

        def tally(chunk: _Chunk) -> tuple[Ints, int]:
            sort_with_tags(self.keys, chunk.edges)
            counts = np.zeros((3, partitions), np.int64)
            return counts, tally_tags(self.keys[chunk.edges[0] : chunk.edges[-1]], *counts)

        # Counts of the chunks so far; of each, distances within clusters exceed all earlier ones between clusters.
        larger, ties, within = np.zeros((3, partitions), np.int64)
        tied = 0
        for chunk, (counts, own_tied) in crew.map(tally, self._chunks()):
            larger += counts[0] + counts[2] * (chunk.edges[0] - within)
            ties += counts[1]
            within += counts[2]
            tied += own_tied
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

    def add_to(self, total: float, count: int, from_top: bool) -> float:
        """Add the `count` smallest (or largest) distances to a total, in order."""
        n, step = self.keys.size, 1 << _CHUNK_LOG2
        for first in range(0, count, step):  # Ctrl-C takes effect between these
            last = min(first + step, count)
            part = self.keys[n - last : n - first] if from_top else self.keys[first:last]
            total = float(sum_in_order(part, from_top, total))
        return total
