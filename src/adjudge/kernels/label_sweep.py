"""All distances once, for several partitions of the same points.

Points are sorted by atom, a set of points that no partition parts, and stored dimension by dimension, with dimensions
of zeros to make them a multiple of four.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine

__all__ = ["compare_in_order", "count_distances", "list_distances"]

Array = np.ndarray[Any, Any]

# Columns at a time.
_WIDTH = 512


@subroutine()
def _fill(points: Array, i: int, start: int, stop: int, buffer: Array) -> None:
    """Squared distances of point i to a run of points; no fused multiply-add, so that equal distances stay equal."""
    width = stop - start
    for h in range(0, points.shape[0], 4):
        u, v, w, z = points[h, i], points[h + 1, i], points[h + 2, i], points[h + 3, i]
        a, b = points[h, start:stop], points[h + 1, start:stop]
        c, d = points[h + 2, start:stop], points[h + 3, start:stop]
        if h == 0:
            for j in range(width):
                buffer[j] = (
                    (u - a[j]) * (u - a[j])
                    + (v - b[j]) * (v - b[j])
                    + (w - c[j]) * (w - c[j])
                    + (z - d[j]) * (z - d[j])
                )
        else:
            for j in range(width):
                buffer[j] = (
                    buffer[j]
                    + (u - a[j]) * (u - a[j])
                    + (v - b[j]) * (v - b[j])
                    + (w - c[j]) * (w - c[j])
                    + (z - d[j]) * (z - d[j])
                )


@subroutine()
def _joined(codes: Array, i: int, j: int) -> Any:
    """Return a mask in which bit b is set if partition b joins the points i and j."""
    mask = np.int64(0)
    for b in range(codes.shape[0]):
        mask |= np.int64(codes[b, i] == codes[b, j]) << b
    return mask


@kernel()
def list_distances(
    points: Array, first: int, last: int, starts: Array, codes: Array, distances: Array, found: Array
) -> None:
    """Distances of the points first..last to all before them, and masks of the partitions that join the pairs.

    They begin at position first (first - 1) / 2. ``codes[b, i]`` is the cluster of point i in partition b; atom a
    holds the points ``starts[a]:starts[a + 1]``.
    """
    at = first * (first - 1) // 2
    buffer = np.empty(_WIDTH)
    for i in range(first, last):
        a = 0
        for offset in range(0, i, _WIDTH):
            stop = min(offset + _WIDTH, i)
            _fill(points, i, offset, stop, buffer)
            j = offset
            while j < stop:
                while starts[a + 1] <= j:
                    a += 1
                mask = _joined(codes, i, j)
                for c in range(j, min(starts[a + 1], stop)):
                    distances[at] = math.sqrt(buffer[c - offset])
                    found[at] = mask
                    at += 1
                j = min(starts[a + 1], stop)


@kernel()
def compare_in_order(distances: Array, masks: Array, larger: Array, ties: Array) -> int:
    """Walk over sorted distances; bit b of a mask is set where partition b joins the pair.

    Adds to `larger` and `ties`, for each partition, the comparisons in which the within-cluster distance is larger than
    the between-cluster distance, and in which both are equal. Returns the pairs of equal distances.
    """
    n = distances.shape[0]
    n_partitions = larger.shape[0]
    below = np.zeros(n_partitions, np.int64)
    within = np.zeros(n_partitions, np.int64)
    tied = 0
    t = 0
    while t < n:
        if t + 1 == n or distances[t + 1] != distances[t]:
            mask = masks[t]
            for b in range(n_partitions):
                joined = (mask >> b) & 1
                larger[b] += joined * below[b]
                below[b] += 1 - joined
            t += 1
            continue
        first = t
        within[:] = 0
        while t < n and distances[t] == distances[first]:
            mask = masks[t]
            for b in range(n_partitions):
                within[b] += (mask >> b) & 1
            t += 1
        count = t - first
        tied += count * (count - 1) // 2
        for b in range(n_partitions):
            between = count - within[b]
            larger[b] += within[b] * below[b]
            ties[b] += within[b] * between
            below[b] += between
    return tied


@subroutine()
def _find_bins(buffer: Array, width: int, scale: float, bins: Array) -> None:
    """Take roots, and find the bin of each distance; unsigned, so that no index is taken to count from the end."""
    for j in range(width):
        d = math.sqrt(buffer[j])
        buffer[j] = d
        bins[j] = np.uint32(np.int32(d * scale))


@subroutine()
def _add_counts(bins: Array, width: int, counts: Array) -> None:
    for j in range(width):
        counts[bins[j]] += np.uint32(1)


@subroutine()
def _add_sums(bins: Array, buffer: Array, width: int, sums: Array) -> None:
    for j in range(width):
        sums[bins[j]] += buffer[j]


@kernel()
def count_distances(
    points: Array,
    first: int,
    last: int,
    starts: Array,
    codes: Array,
    scale: float,
    counts: Array,
    sums: Array,
) -> None:
    """Count the distances of the points first..last to all before them in bins; see `list_distances`.

    ``counts[0]`` is of all distances, ``counts[1 + b]`` of those within the clusters of partition b; `sums` are of all.
    """
    buffer = np.empty(_WIDTH)
    bins = np.empty(_WIDTH, np.uint32)
    begun = 0
    for offset in range(0, last - 1, _WIDTH):
        while starts[begun + 1] <= offset:
            begun += 1
        for i in range(max(first, offset + 1), last):
            stop = min(offset + _WIDTH, i)
            _fill(points, i, offset, stop, buffer)
            _find_bins(buffer, stop - offset, scale, bins)
            _add_counts(bins, stop - offset, counts[0])
            _add_sums(bins, buffer, stop - offset, sums)
            a, j = begun, offset
            while j < stop:
                end = min(starts[a + 1], stop)
                for b in range(codes.shape[0]):
                    if codes[b, i] == codes[b, j]:
                        for c in range(j - offset, end - offset):
                            counts[1 + b, bins[c]] += np.uint32(1)
                a, j = a + 1, end
