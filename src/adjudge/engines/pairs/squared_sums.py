"""Sums of squared Euclidean distances from centroids, without a pass over pairs.

With n points around a centroid m, the squared distances from x to them add up to n |x - m|^2 + S, where S is the sum of
their own squared distances to m (Huygens). Both terms are positive, so nothing cancels. Squared distances to centroids
come from matrix products or, where these lose digits, from differences to a point of the cluster. Weights take the
place of counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.euclidean_embeddings import Image
from adjudge.engines.pairs.mean_distances import MeanDistances
from adjudge.engines.passes import Job, Pass, pass_for_moments
from adjudge.engines.protocols import Work
from adjudge.engines.running.executor import Crew
from adjudge.given.metrics import are_sparse_cosines
from adjudge.kernels.products import squares_to_centroids
from adjudge.kernels.rows import squares_from_bases, sums_from_bases
from adjudge.statistics.pair_distances import PairSums, Silhouettes

__all__ = ["MADE", "declare_squared_sums", "is_cheaper", "make_squared_sums", "squared_means"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Statistics that centroids give.
MADE = frozenset({PairSums, Silhouettes})

# Coordinates read at a time: fixed, so that sums have the same digits for any number of threads.
_READ = 1 << 16
# Maximum bytes of images of the points kept for the next pass.
_KEPT = 1 << 26
# Centroids in a block of products.
_CENTROIDS = 1024
# Squared distances that are a smaller fraction than this of the squared lengths are computed by explicit differences.
_CLOSE = 1e-4
# With fewer points per cluster, centroids are nearly as many as points.
_POINTS_A_CLUSTER = 8


def is_cheaper(job: Job) -> bool:
    """Return whether centroids give sums sooner than pairs do."""
    return job.squared and job.n >= _POINTS_A_CLUSTER * job.k


def declare_squared_sums(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make some of `MADE`."""
    if job.nnz is None:
        yield pass_for_moments(job)
    else:
        # Sorted copies, and centroids, which have at most as many entries.
        yield Pass(("means of sparse rows",), "points", job.nnz, memory=3 * job.n * job.row_bytes)
    if Silhouettes in types:
        yield Pass(("centroids",), "points", job.n * job.k)


def make_squared_sums(types: set[type], work: Work) -> dict[type, Any]:
    """Make some of `MADE`."""
    means = _means_of(work)
    made: dict[type, Any] = {}
    if PairSums in types:
        made[PairSums] = means.of_pairs()
    if Silhouettes in types:
        made[Silhouettes] = means.silhouettes()
    return made


def _means_of(work: Work) -> MeanDistances:
    metric = work.options.metric
    if are_sparse_cosines(work.X, metric):
        from adjudge.engines.pairs.sparse_sums import SparseMeans

        assert isinstance(metric, str)
        return SparseMeans(work.X, work.codes, work.sizes, metric, work.crew)
    return squared_means(work)


def squared_means(work: Work, weights: Floats | None = None) -> SquaredMeans:
    """Return the maker of mean squared distances of dense points; see `Job.squared`."""
    assert work.image is not None
    return SquaredMeans(work.X, work.codes, work.image, work.crew, work.options.memory_limit, weights)


class SquaredMeans(MeanDistances):
    """Mean squared distances between images of the points; see `MeanDistances`."""

    def __init__(
        self,
        X: NDArray[Any],
        codes: Ints,
        image: Image,
        crew: Crew,
        memory_limit: int,
        weights: Floats | None,
    ) -> None:
        sizes = np.bincount(codes, weights)
        super().__init__(codes, sizes, crew, max(1, _READ // X.shape[1]))
        self._X, self._image, self._weights = X, image, weights
        fits = 8 * X.size <= min(_KEPT, memory_limit)
        # Filled by the first pass; a row has the same digits among any other rows.
        self._kept: dict[int, Floats] | None = {} if fits else None
        members = np.zeros(sizes.size, np.int64)
        members[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
        # Points that are far from zero, or nearly equal, keep their digits in differences to a point of the cluster.
        self._bases = image.prepare(X[members])
        self._steps = self._means_from_bases()
        self.spreads = self._squares_within() / sizes

    def _rows(self, span: slice) -> Floats:
        if self._kept is None:
            return self._image.prepare(self._X[span])
        if span.start not in self._kept:
            self._kept[span.start] = self._image.prepare(self._X[span])
        return self._kept[span.start]

    def _means_from_bases(self) -> Floats:
        total = np.zeros_like(self._bases)

        def add(span: slice) -> tuple[Ints, Floats]:
            codes = self.codes[span]
            order = np.argsort(codes, kind="stable")
            present, starts = np.unique(codes[order], return_index=True)
            bounds = np.append(starts, codes.size)
            return present, self._sums(span, order, bounds, present)

        for present, sums in self.over_points(add):
            total[present] += sums
        return np.asarray(total / self.sizes[:, None])

    def _sums(self, span: slice, order: Ints, bounds: Ints, present: Ints) -> Floats:
        """Sum the differences between rows and the base points of their clusters."""
        rows, bases = self._rows(span), self._bases
        if self._weights is None:
            return np.asarray(sums_from_bases(rows, order, bounds, bases[present]))
        ways = (rows - bases[self.codes[span]]) * self._weights[span, None]
        return np.asarray(sums_from_bases(ways, order, bounds, np.zeros((present.size, rows.shape[1]))))

    def _squares_within(self) -> Floats:
        total = np.zeros(self.sizes.size)

        def add(span: slice) -> Floats:
            codes = self.codes[span]
            squares = squares_from_bases(self._rows(span), codes, self._bases, self._steps)
            if self._weights is not None:
                squares = squares * self._weights[span]
            return np.asarray(np.bincount(codes, squares, total.size), np.float64)

        for squares in self.over_points(add):
            total += squares
        return total

    @cached_property
    def _centre(self) -> Floats:
        shares = (self.sizes / self.sizes.sum())[:, None]
        ways = self._bases - self._bases[0] + self._steps
        return np.asarray(self._bases[0] + (ways * shares).sum(axis=0))

    @cached_property
    def _centroids(self) -> Floats:
        """Centroids relative to the mean of all points."""
        return np.asarray((self._bases - self._centre) + self._steps)

    @cached_property
    def _lengths(self) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self._centroids, self._centroids))

    def from_the_middle(self) -> Floats:
        """See `MeanDistances`."""
        return self._lengths

    def from_points(self, span: slice) -> Floats:
        """See `MeanDistances`."""
        return self._means_to(self._rows(span))

    def between_clusters(self, some: slice) -> Floats:
        """See `MeanDistances`."""
        return np.asarray(self._means_to(self._bases[some] + self._steps[some]) + self.spreads[some, None])

    def _means_to(self, rows: Floats) -> Floats:
        """Return the mean squared distances from rows to all points of each cluster, (n_rows, K)."""
        centred = rows - self._centre
        lengths = np.einsum("ij,ij->i", centred, centred)
        means = np.empty((rows.shape[0], self.sizes.size))
        for first in range(0, self.sizes.size, _CENTROIDS):
            some = slice(first, first + _CENTROIDS)
            products = centred @ self._centroids[some].T
            squares_to_centroids(
                products, rows, self._bases[some], self._steps[some], lengths, self._lengths[some], _CLOSE
            )
            means[:, some] = products
        means += self.spreads
        return means
