"""Distances brought into order bucket by bucket, and counting over what is in order.

A distance is kept as a key: its bit pattern, which orders like a distance that is not negative, and behind it one more
bit that is set within clusters. In order, distances within clusters then follow equal ones between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adjudge.kernels import kernel, subroutine
from adjudge.kernels.pair_tiles_numba import count_bins, count_keys

__all__ = ["count_patterns", "count_values", "find_buckets", "put_into_buckets", "sum_in_order", "tally_keys"]

Array = np.ndarray[Any, Any]

# Numba makes a float of a signed and an unsigned integer.
_ONE = np.uint64(1)


@kernel()
def count_values(values: Array, scale: float, counts: Array) -> None:
    """Count distances in bins of equal width."""
    count_bins(values, scale, counts)


@kernel()
def count_patterns(values: Array, keys: Array, counts: Array, lowest: Array, highest: Array) -> None:
    """Count the distances of which the bit patterns lie from keys[0] to keys[1], 2^keys[2] patterns a bin."""
    count_keys(values.view(np.int64), keys[0], keys[1], keys[2], counts, lowest, highest)


@kernel()
def find_buckets(
    values: Array, scale: float, keys: Array, bucket_of_bin: Array, buckets: Array, counts: Array
) -> None:
    """Find the bucket of each distance by its bin, and count how many each bucket gets.

    Bins are those of `count_values` if there is a scale, else those of `count_patterns`.
    """
    if scale > 0.0:
        last = np.uint32(bucket_of_bin.shape[0] - 1)
        for j in range(values.shape[0]):
            bin_ = np.uint32(values[j] * scale)
            bucket = bucket_of_bin[bin_ if bin_ < last else last]
            buckets[j] = bucket
            counts[bucket] += 1
        return
    bits = values.view(np.int64)
    nowhere = counts.shape[0] - 1
    for j in range(bits.shape[0]):
        bucket = nowhere
        if keys[0] <= bits[j] <= keys[1]:
            bucket = bucket_of_bin[(bits[j] - keys[0]) >> keys[2]]
        buckets[j] = bucket
        counts[bucket] += 1


@kernel()
def put_into_buckets(values: Array, kind: int, buckets: Array, places: Array, keys: Array) -> None:
    """Put the keys of distances of one kind (1 within clusters) where their buckets have room.

    Those of the bucket behind the last are left out.
    """
    bits = values.view(np.int64)
    nowhere = places.shape[0] - 1
    for j in range(bits.shape[0]):
        bucket = buckets[j]
        if bucket != nowhere:
            keys[places[bucket]] = np.uint64(bits[j]) << _ONE | np.uint64(kind)
            places[bucket] += 1


@subroutine()
def is_within(key: Any) -> Any:
    return np.int64(key & _ONE)


@kernel()
def tally_keys(keys: Array) -> tuple[int, int, int]:
    """Count, of keys in order, the pairs (within, between) with within > between, ties, and all pairs of equal values.

    There are at most as many as fit in memory, so that no count exceeds 63 bits.
    """
    n = keys.shape[0]
    between = 0
    larger = 0
    ties = 0
    tied = 0
    i = 0
    while i < n:
        value = keys[i] >> _ONE
        if i + 1 == n or keys[i + 1] >> _ONE != value:
            one = is_within(keys[i])
            larger += between * one
            between += 1 - one
            i += 1
            continue
        first = i
        own = 0
        while i < n and keys[i] >> _ONE == value:
            own += is_within(keys[i])
            i += 1
        equal = i - first - own
        larger += own * between
        ties += own * equal
        tied += (own + equal) * (own + equal - 1) >> 1
        between += equal
    return larger, ties, tied


@kernel()
def sum_in_order(keys: Array, times: int, from_top: bool, total: float) -> float:
    """Add the distances of keys in order to a total, one after the other, each as often as it occurs."""
    values = (keys >> _ONE).view(np.float64)
    n = values.shape[0]
    for i in range(n):
        value = values[n - 1 - i] if from_top else values[i]
        for _ in range(times):
            total += value
    return total
