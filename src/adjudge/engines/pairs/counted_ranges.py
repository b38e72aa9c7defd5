"""Ranges of distances and how many distances lie in each, from a histogram or from bit patterns."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.histogram import Histogram

__all__ = [
    "LAST_KEY",
    "Bins",
    "Counted",
    "Range",
    "dot",
    "everything",
    "first_keys",
    "no_patterns",
    "of_histogram",
]

Ints = NDArray[np.int64]

LAST_KEY = int(np.array(np.inf).view(np.int64))
_SUB_BINS_LOG2 = 14  # bins of a range to be split
# Bit patterns between the edge of a bin and where a division puts it.
_NEAR = 64


def dot(a: Ints, b: Ints) -> int:
    """Return the exact scalar product: it may exceed 64 bits, so it is summed over halves of 32 bits."""
    low = (1 << 32) - 1
    used = np.flatnonzero((a != 0) & (b != 0))
    a, b = a[used], b[used]
    if a.size == 0:
        return 0
    total = 0
    for a_part, a_shift in ((a & low, 0), (a >> 32, 32)):
        for b_part, b_shift in ((b & low, 0), (b >> 32, 32)):
            product = a_part.astype(np.uint64) * b_part.astype(np.uint64)
            parts = int((product & np.uint64(low)).sum()) + (int((product >> np.uint64(32)).sum()) << 32)
            total += parts << (a_shift + b_shift)
    return total


@dataclass(frozen=True)
class Range:
    """A range of keys, ends included, and how many distances of each kind lie in it."""

    first: int
    last: int
    within: int
    between: int

    @property
    def size(self) -> int:
        """Distances."""
        return self.within + self.between

    @property
    def is_one_value(self) -> bool:
        """Whether all its distances are equal."""
        return self.first == self.last


@dataclass(frozen=True)
class Bins:
    """Bins for distances: of equal width, or with equally many bit patterns each.

    Attributes
    ----------
    n : int
    scale : float
        Bins per unit of distance; 0 for bins of bit patterns.
    first, last, shift : int
        The first and last pattern, and the binary logarithm of the number of patterns in a bin.
    """

    n: int
    scale: float = 0.0
    first: int = 0
    last: int = 0
    shift: int = 0

    @classmethod
    def within(cls, heavy: Range) -> Bins:
        """Cut a range into finer bins."""
        span = heavy.last - heavy.first
        shift = max(span.bit_length() - _SUB_BINS_LOG2, 0)
        return cls((span >> shift) + 1, 0.0, heavy.first, heavy.last, shift)

    @property
    def keys(self) -> Ints:
        """The patterns as kernels take them."""
        return np.array([self.first, self.last, self.shift])


@dataclass(frozen=True, eq=False)
class Counted:
    """Neighbouring ranges, as arrays.

    Attributes
    ----------
    bins : Bins
    numbers : ndarray of int32
        Numbers of the bins that the ranges are in.
    firsts, lasts : ndarray
        Ends of the ranges, as keys.
    within, between : ndarray
    """

    bins: Bins
    numbers: NDArray[np.int32]
    firsts: Ints
    lasts: Ints
    within: Ints
    between: Ints

    def __getitem__(self, i: int) -> Range:
        return Range(int(self.firsts[i]), int(self.lasts[i]), int(self.within[i]), int(self.between[i]))

    @property
    def sizes(self) -> Ints:
        """Distances in each range."""
        return self.within + self.between

    @property
    def n(self) -> int:
        """Ranges."""
        return self.numbers.size

    @property
    def total(self) -> int:
        """Distances."""
        return int(self.sizes.sum())

    def crossings(self) -> int:
        """Comparisons between two ranges in which the within-cluster distance is the larger."""
        return dot(self.within, np.cumsum(self.between) - self.between)

    def where(self, which: NDArray[np.bool_] | slice) -> Counted:
        """Return some of the ranges."""
        return Counted(
            self.bins,
            self.numbers[which],
            self.firsts[which],
            self.lasts[which],
            self.within[which],
            self.between[which],
        )

    def batches(self, most: int) -> list[Counted]:
        """Join ranges into batches of up to this number of distances; a larger range forms a batch by itself."""
        cuts, held = [0], 0
        for i, size in enumerate(self.sizes.tolist()):
            if i > cuts[-1] and held + size > most:
                cuts.append(i)
                held = 0
            held += size
        cuts.append(self.n)
        return [self.where(slice(a, b)) for a, b in pairwise(cuts) if a < b]


def everything(n_within: int, n_between: int) -> Counted:
    """Return one range of all distances."""
    bins = Bins(1, 0.0, 0, LAST_KEY, 63)
    ends = np.zeros(1, np.int64), np.full(1, LAST_KEY)
    return Counted(bins, np.zeros(1, np.int32), *ends, np.array([n_within]), np.array([n_between]))


def of_histogram(histogram: Histogram) -> Counted:
    """Return the non-empty bins, by their keys."""
    used = np.flatnonzero(histogram.within + histogram.between)
    edges = first_keys(histogram, np.concatenate([used, used + 1]))
    return Counted(
        Bins(histogram.within.size, histogram.scale),
        used.astype(np.int32),
        edges[: used.size],
        edges[used.size :] - 1,
        histogram.within[used],
        histogram.between[used],
    )


def of_patterns(bins: Bins, counts: Ints) -> Counted:
    """Return the non-empty bins of patterns, each narrowed to the values in it, possibly a single one."""
    within, between, lowest, highest = counts
    used = np.flatnonzero(within + between)
    return Counted(bins, used.astype(np.int32), lowest[used], highest[used], within[used], between[used])


def no_patterns(bins: int) -> Ints:
    """Return the counts within and between clusters, and the lowest and highest keys, of empty bins."""
    empty = np.zeros((4, bins), np.int64)
    empty[2] = LAST_KEY
    return empty


def first_keys(histogram: Histogram, bins: Ints) -> Ints:
    """Return the key of the smallest distance in each bin, by bisection with the same rounding as the kernel."""

    def reached(keys: Ints) -> NDArray[np.bool_]:
        with np.errstate(over="ignore"):
            return np.asarray(np.floor(keys.view(np.float64) * histogram.scale) >= bins)

    # A division gives a close guess; where it does not, the search covers all keys.
    with np.errstate(over="ignore"):
        guess = np.minimum((bins / histogram.scale).view(np.int64), LAST_KEY)
    low, high = np.maximum(guess - _NEAR, 0), np.minimum(guess + _NEAR, LAST_KEY)
    low = np.where((low > 0) & reached(low), 0, low)
    high = np.where(reached(high), high, LAST_KEY)
    while (low < high).any():
        middle = low + (high - low) // 2
        found = reached(middle)
        high = np.where(found, middle, high)
        low = np.where(found, low, middle + 1)
    return low
