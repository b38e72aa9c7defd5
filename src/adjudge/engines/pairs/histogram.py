"""Counts of all distances by their size, within and between clusters."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.point_options import BINS

__all__ = ["Histogram"]

Ints = NDArray[np.int64]


@dataclass
class Histogram:
    """Counts of distances within and between clusters in bins of equal width.

    Attributes
    ----------
    scale : float
        Bins per unit of distance: distance d is in bin floor(d * scale), which rounding keeps monotone.
    within, between : ndarray of int64
    """

    scale: float
    within: Ints
    between: Ints

    def __post_init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self._lock = threading.Lock()
        self._idle: list[_Counts] = []
        self._all: list[_Counts] = []

    def __getstate__(self) -> dict[str, Any]:
        return {"scale": self.scale, "within": self.within, "between": self.between}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._clear()

    @classmethod
    def up_to(cls, largest: float, bins: int = BINS) -> Histogram:
        """Make an empty histogram for distances up to `largest`."""
        scale = (bins - 1) / largest if largest > 0 else 1.0
        return cls._empty(scale if np.isfinite(scale) else 1.0, bins)

    @classmethod
    def _empty(cls, scale: float, bins: int) -> Histogram:
        return cls(scale, np.zeros(bins, np.int64), np.zeros(bins, np.int64))

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return self.within.size

    def emptied(self) -> Histogram:
        """Make an empty histogram of the same bins."""
        return self._empty(self.scale, self.bins)

    def borrow(self, pairs: int) -> _Counts:
        """Lend 32-bit counters with room for this many pairs; the order of adding integers does not matter."""
        with self._lock:
            counts = self._idle.pop() if self._idle else None
            if counts is None:
                counts = _Counts(self.bins)
                self._all.append(counts)
        if counts.pairs + pairs >= 1 << 32:
            self._add(counts)
        counts.pairs += pairs
        return counts

    def give_back(self, counts: _Counts) -> None:
        """Return counters for the next task."""
        with self._lock:
            self._idle.append(counts)

    def finish(self) -> None:
        """Add up all counters."""
        for counts in self._all:
            self._add(counts)

    def _add(self, counts: _Counts) -> None:
        with self._lock:
            self.within += counts.within
            self.between += counts.between
        counts.within[:] = 0
        counts.between[:] = 0
        counts.pairs = 0


class _Counts:
    def __init__(self, bins: int) -> None:
        self.within = np.zeros(bins, np.uint32)
        self.between = np.zeros(bins, np.uint32)
        self.pairs = 0
