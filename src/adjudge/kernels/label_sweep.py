"""All distances once, for several partitions of the same points.

Points are sorted by atom, a set of points that no partition parts, and stored dimension by dimension, with dimensions
of zeros to make them a multiple of four. A segment is a run of points of one atom: columns
``starts[s]:starts[s + 1]``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine

__all__ = ["compare_in_order", "count_distances", "list_distances"]

Array = np.ndarray[Any, Any]


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


@kernel()
def list_distances(
    points: Array,
    first: int,
    last: int,
    starts: Array,
    atoms: Array,
    atom_of: Array,
    masks: Array,
    distances: Array,
    found: Array,
) -> None:
    """Distances of the points first..last to all before them, and the masks of their atoms.

    They begin at position first (first - 1) / 2.
    """
    at = first * (first - 1) // 2
    buffer = np.empty(512)
    for i in range(first, last):
        s = 0
        while s < atoms.shape[0] and starts[s] < i:
            start = starts[s]
            stop = min(starts[s + 1], i)
            mask = masks[atom_of[i], atoms[s]]
            _fill(points, i, start, stop, buffer)
            for j in range(stop - start):
                distances[at] = math.sqrt(buffer[j])
                found[at] = mask
                at += 1
            s += 1


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
    atoms: Array,
    atom_of: Array,
    masks: Array,
    scale: float,
    n_partitions: int,
    counts: Array,
    sums: Array,
) -> None:
    """Count the distances of the points first..last to all before them in bins.

    ``counts[0]`` is of all distances, ``counts[1 + b]`` of those within the clusters of partition b; `sums` are of all.
    """
    buffer = np.empty(512)
    bins = np.empty(512, np.uint32)
    for s in range(atoms.shape[0]):
        start = starts[s]
        for i in range(max(first, start + 1), last):
            width = min(starts[s + 1], i) - start
            _fill(points, i, start, start + width, buffer)
            _find_bins(buffer, width, scale, bins)
            _add_counts(bins, width, counts[0])
            _add_sums(bins, buffer, width, sums)
            mask = masks[atom_of[i], atoms[s]]
            for b in range(n_partitions):
                if (mask >> b) & 1:
                    _add_counts(bins, width, counts[1 + b])
