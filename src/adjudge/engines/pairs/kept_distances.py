"""All distances, kept during the pass over them: for ranks, if they fit in memory."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Distances, Swept
from adjudge.engines.pairs.layout import Layout, Task

__all__ = ["KeptDistances"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class KeptDistances(Swept):
    """Distances that are kept as they are swept, within and between clusters, in any order.

    Attributes
    ----------
    within, between : ndarray of float64
        Complete once all tasks have been swept.
    """

    def __init__(self, source: Distances) -> None:
        self._source = source
        self.in_threads = source.in_threads
        self.squared = source.squared
        self.kind = source.kind
        self.within: Floats = np.empty(source.layout.n_within)
        self.between: Floats = np.empty(source.layout.n_between)
        self._lock = threading.Lock()
        self._n_within = self._n_between = 0

    @property
    def layout(self) -> Layout:
        """See `Distances`."""
        return self._source.layout

    def operands(self, task: Task) -> tuple[Floats, Floats, Ints, Floats]:
        """See `Distances`."""
        return self._source.operands(task)

    def room(self, task: Task) -> tuple[Floats, Floats]:
        """See `Swept`."""
        n_within = task.pairs_within
        n_between = task.pairs - n_within
        with self._lock:
            i, j = self._n_within, self._n_between
            self._n_within, self._n_between = i + n_within, j + n_between
        return self.within[i : i + n_within], self.between[j : j + n_between]
