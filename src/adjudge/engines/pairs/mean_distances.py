"""Sums of distances from mean distances between points and clusters, without a pass over pairs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.statistics.pair_distances import MATRIX_CLUSTERS, PairSums, Silhouettes, silhouette_widths

__all__ = ["MeanDistances"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Entries of a block of mean distances between clusters.
_BLOCK = 1 << 16


class MeanDistances(ABC):
    """Mean distances from points, and between clusters, to all points of each cluster.

    Parameters
    ----------
    codes : ndarray of int64 of shape (n,)
        Cluster of each point.
    sizes : ndarray of shape (K,)
        Sizes of the clusters, or their total weights; means are then weighted.
    crew : Crew
    step : int
        Points of a task: fixed, so that sums have the same digits for any number of threads.

    Attributes
    ----------
    spreads : ndarray of shape (K,)
        Mean distance of each cluster's points from its centroid.
    """

    spreads: Floats

    def __init__(self, codes: Ints, sizes: NDArray[Any], crew: Crew, step: int) -> None:
        self.codes, self.sizes = codes, sizes
        self._crew, self._step = crew, step

    @abstractmethod
    def from_points(self, span: slice) -> Floats:
        """Return mean distances from some points to all points of each cluster, (n_points, K), themselves included."""

    @abstractmethod
    def between_clusters(self, some: slice) -> Floats:
        """Return mean distances from all points of some clusters to all points of each, (n_clusters, K)."""

    @abstractmethod
    def from_the_middle(self) -> Floats:
        """Return the distance of each centroid from that of all points, (K,)."""

    def over_points(self, work: Callable[[slice], Any], reads: int = 1) -> Iterator[Any]:
        """Yield the results of a pass in the order of the points, each of which counts as `reads` units of progress."""
        n = self.codes.size
        spans = [slice(a, min(a + self._step, n)) for a in range(0, n, self._step)]
        for span, found in self._crew.map(work, spans):
            yield found
            self._crew.advance((span.stop - span.start) * reads)

    def silhouettes(self) -> Silhouettes:
        """Return the silhouette width of each point."""
        return Silhouettes(self.sizes, self.codes, self.widths(self.sizes[self.codes] - 1))

    def widths(self, others: NDArray[Any]) -> Floats:
        """Return the silhouette width of each point; `others` are the other points of its cluster, or their weight."""
        k = self.sizes.size
        own, nearest = np.empty(self.codes.size), np.full(self.codes.size, np.nan)

        def reduce(span: slice) -> tuple[Floats, Floats]:
            means, codes = self.from_points(span), self.codes[span]
            everyone = np.arange(codes.size)
            own = means[everyone, codes]
            means[everyone, codes] = np.inf
            return own, means.min(axis=1)

        first = 0
        for some, near in self.over_points(reduce, k):
            run = slice(first, first + some.size)
            own[run] = some * self.sizes[self.codes[run]]
            nearest[run] = near
            first = run.stop
        return silhouette_widths(own, others, nearest) if k > 1 else np.full(self.codes.size, np.nan)

    def of_pairs(self) -> PairSums:
        """Return the sums within and between clusters."""
        sizes, k = self.sizes, self.sizes.size
        within = self.spreads * sizes * sizes
        matrix = np.empty((k, k)) if k <= MATRIX_CLUSTERS else None
        smallest = np.inf
        step = max(1, _BLOCK // k)
        for first in range(0, k, step):
            some = slice(first, min(first + step, k))
            means = self.between_clusters(some)
            if matrix is not None:
                matrix[some] = means * np.multiply.outer(sizes[some], sizes)
            means[np.arange(means.shape[0]), np.arange(first, some.stop)] = np.inf
            smallest = min(smallest, float(means.min()))
        if matrix is not None:
            # Make it exactly symmetric.
            matrix = np.tril(matrix) + np.tril(matrix, -1).T
            np.fill_diagonal(matrix, within)
        n = sizes.sum()
        spread = self.spreads * sizes
        between = float((spread * (n - sizes)).sum() + n * (sizes * self.from_the_middle()).sum())
        if k == 1:
            between, smallest = 0.0, float("nan")
        return PairSums(sizes, within, between, smallest, matrix)
