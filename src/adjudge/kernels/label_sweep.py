"""All distances once, for several partitions of the same points.

Points are sorted by atom, a set of points that no partition parts, and stored dimension by dimension. A segment is a
run of points of one atom: columns ``starts[s]:starts[s + 1]``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

__all__ = ["compare_in_order", "count_distances", "list_distances"]

Array = np.ndarray[Any, Any]


@njit(nogil=True, cache=True)
def _fill(points: Array, i: int, start: int, stop: int, buffer: Array) -> None:
    """Squared distances of point i to a run of points; no fused multiply-add, so that equal distances stay equal."""
    width = stop - start
    x = points[0, i]
    for j in range(width):
        d = x - points[0, start + j]
        buffer[j] = d * d
    for h in range(1, points.shape[0]):
        x = points[h, i]
        for j in range(width):
            d = x - points[h, start + j]
            buffer[j] += d * d


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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
    bins = np.empty(512, np.int64)
    for s in range(atoms.shape[0]):
        start = starts[s]
        for i in range(max(first, start + 1), last):
            width = min(starts[s + 1], i) - start
            _fill(points, i, start, start + width, buffer)
            for j in range(width):
                d = math.sqrt(buffer[j])
                buffer[j] = d
                bins[j] = int(d * scale)
            for j in range(width):
                counts[0, bins[j]] += 1
                sums[bins[j]] += buffer[j]
            mask = masks[atom_of[i], atoms[s]]
            for b in range(n_partitions):
                if (mask >> b) & 1:
                    for j in range(width):
                        counts[1 + b, bins[j]] += 1
