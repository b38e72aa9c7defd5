"""Counts of all distances by their size, within and between clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.point_options import BINS

__all__ = ["Histogram", "dot"]

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of distances within and between clusters in bins of equal width.

    Attributes
    ----------
    scale : float
        Bins per unit of distance: distance d is in bin floor(d * scale), which rounding keeps monotone.
    within, between : ndarray of int64, or of uint32 for one meeting
    """

    scale: float
    within: NDArray[Any]
    between: NDArray[Any]

    @classmethod
    def up_to(cls, largest: float, bins: int = BINS) -> Histogram:
        """Make an empty histogram for distances up to `largest`."""
        scale = (bins - 1) / largest if largest > 0 else 1.0
        scale = scale if np.isfinite(scale) else 1.0
        return cls(scale, np.zeros(bins, np.int64), np.zeros(bins, np.int64))

    @classmethod
    def of_one_bin(cls, n_within: int, n_between: int) -> Histogram:
        """Return all distances as one bin."""
        return cls(1.0, np.array([n_within]), np.array([n_between]))

    def of_meeting(self) -> Histogram:
        """Make an empty histogram of the same bins for the distances of one meeting, fewer than 2^32."""
        n = self.within.size
        return Histogram(self.scale, np.zeros(n, np.uint32), np.zeros(n, np.uint32))

    def add(self, within: NDArray[Any], between: NDArray[Any]) -> None:
        """Add the counts of other distances."""
        np.add(self.within, within, out=self.within)
        np.add(self.between, between, out=self.between)

    @property
    def sizes(self) -> Ints:
        """Distances in each bin."""
        return np.asarray(self.within + self.between)

    def crossings(self, bins: slice | Ints = slice(None)) -> int:
        """Comparisons between two of the bins in which the within-cluster distance is the larger."""
        between = self.between[bins]
        return dot(self.within[bins], np.cumsum(between) - between)


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
