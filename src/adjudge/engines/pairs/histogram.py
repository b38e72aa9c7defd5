"""Counts of all distances by their size, within and between clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.point_options import BINS

__all__ = ["Histogram"]


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts of distances within and between clusters in bins of equal width.

    Attributes
    ----------
    scale : float
        Bins per unit of distance: distance d is in bin floor(d * scale), which rounding keeps monotone.
    within, between : ndarray of int64, or of uint32 for one task
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

    def of_task(self) -> Histogram:
        """Make an empty histogram of the same bins for the distances of one task, fewer than 2^32."""
        n = self.within.size
        return Histogram(self.scale, np.zeros(n, np.uint32), np.zeros(n, np.uint32))

    def add(self, within: NDArray[Any], between: NDArray[Any]) -> None:
        """Add the counts of other distances."""
        np.add(self.within, within, out=self.within)
        np.add(self.between, between, out=self.between)
