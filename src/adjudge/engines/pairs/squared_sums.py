"""Sums of squared Euclidean distances from centroids, without a pass over pairs.

With n points around a centroid m the squared distances of x to them add up to n |x - m|^2 + S, where S is the sum of
their own squared distances to m (Huygens). Both terms are positive, so nothing cancels. Squared distances to centroids
come from matrix products; where these lose digits, from differences to a point of the cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.images import Image
from adjudge.engines.passes import Job, Pass, pass_for_moments
from adjudge.engines.running.crew import Crew
from adjudge.engines.work import Work
from adjudge.kernels.products import squares_to_centroids
from adjudge.kernels.rows import squares_from_bases, sums_from_bases
from adjudge.statistics.pair_distances import MATRIX_CLUSTERS, PairSums, Silhouettes, silhouette_widths

__all__ = ["MADE", "declare_squared_sums", "is_cheaper", "make_squared_sums"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: What centroids give.
MADE = frozenset({PairSums, Silhouettes})

# Entries of the points that are read at a time: fixed, so that sums have the same digits for any number of threads.
_READ = 1 << 16
# Bytes up to which images of the points are kept for the next pass.
_KEPT = 1 << 26
# Centroids of a block of products.
_CENTROIDS = 1024
# A squared distance that is a smaller share of the squared lengths is computed again, by explicit differences.
_CLOSE = 1e-4
# With fewer points a cluster there are nearly as many centroids as points.
_POINTS_A_CLUSTER = 8


def is_cheaper(job: Job) -> bool:
    """Whether sums come sooner from centroids than from pairs."""
    return job.squared and job.n >= _POINTS_A_CLUSTER * job.k


def declare_squared_sums(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make some of `MADE`."""
    yield pass_for_moments(job)
    if Silhouettes in types:
        yield Pass(("centroids",), "points", job.n * job.k)


def make_squared_sums(types: set[type], work: Work) -> dict[type, Any]:
    """Make some of `MADE`."""
    assert work.image is not None
    sums = _SquaredSums(work.X, work.codes, work.sizes, work.image, work.crew, work.options.memory_limit)
    made: dict[type, Any] = {}
    if PairSums in types:
        made[PairSums] = sums.of_pairs()
    if Silhouettes in types:
        made[Silhouettes] = sums.silhouettes()
    return made


class _SquaredSums:
    """Centroids, and what they give."""

    def __init__(
        self, X: NDArray[Any], codes: Ints, sizes: Ints, image: Image, crew: Crew, memory_limit: int
    ) -> None:
        self._X, self._codes, self._sizes = X, codes, sizes
        self._image, self._crew = image, crew
        fits = 8 * X.size <= min(_KEPT, memory_limit)
        # The first pass fills it; rows have the same digits in any company.
        self._kept: dict[int, Floats] | None = {} if fits else None
        members = np.zeros(sizes.size, np.int64)
        members[codes[::-1]] = np.arange(codes.size - 1, -1, -1)
        # What is far from zero, or nearly equal, keeps its digits in the differences to a point of the cluster.
        self._bases = image.prepare(X[members])
        self._steps = self._means_from_bases()
        self._spreads = self._squares_within() / sizes

    def _over_points(self, work: Callable[[Floats, Ints], Any], reads: int = 1) -> Iterator[Any]:
        """Yield the results of a pass in the order of the points."""
        n, p = self._X.shape
        step = max(1, _READ // p)
        spans = [slice(a, min(a + step, n)) for a in range(0, n, step)]

        def some(span: slice) -> Any:
            return work(self._rows(span), self._codes[span])

        for span, found in self._crew.map(some, spans, threads=len(spans) > 1):
            yield found
            self._crew.advance((span.stop - span.start) * reads)

    def _rows(self, span: slice) -> Floats:
        if self._kept is None:
            return self._image.prepare(self._X[span])
        if span.start not in self._kept:
            self._kept[span.start] = self._image.prepare(self._X[span])
        return self._kept[span.start]

    def _means_from_bases(self) -> Floats:
        total = np.zeros_like(self._bases)

        def add(rows: Floats, codes: Ints) -> tuple[Ints, Floats]:
            order = np.argsort(codes, kind="stable")
            present, starts = np.unique(codes[order], return_index=True)
            bounds = np.append(starts, codes.size)
            return present, sums_from_bases(rows, order, bounds, self._bases[present])

        for present, sums in self._over_points(add):
            total[present] += sums
        return np.asarray(total / self._sizes[:, None])

    def _squares_within(self) -> Floats:
        total = np.zeros(self._sizes.size)

        def add(rows: Floats, codes: Ints) -> Floats:
            squares = squares_from_bases(rows, codes, self._bases, self._steps)
            return np.asarray(np.bincount(codes, squares, total.size), np.float64)

        for squares in self._over_points(add):
            total += squares
        return total

    @cached_property
    def _centre(self) -> Floats:
        shares = (self._sizes / self._codes.size)[:, None]
        ways = self._bases - self._bases[0] + self._steps
        return np.asarray(self._bases[0] + (ways * shares).sum(axis=0))

    @cached_property
    def _centroids(self) -> Floats:
        """Relative to the mean of all points."""
        return np.asarray((self._bases - self._centre) + self._steps)

    @cached_property
    def _lengths(self) -> Floats:
        return np.asarray(np.einsum("ij,ij->i", self._centroids, self._centroids))

    def _means_to(self, rows: Floats) -> Floats:
        """Mean squared distances of rows to all points of each cluster, (n_rows, K)."""
        centred = rows - self._centre
        lengths = np.einsum("ij,ij->i", centred, centred)
        means = np.empty((rows.shape[0], self._sizes.size))
        for first in range(0, self._sizes.size, _CENTROIDS):
            some = slice(first, first + _CENTROIDS)
            products = centred @ self._centroids[some].T
            squares_to_centroids(
                products, rows, self._bases[some], self._steps[some], lengths, self._lengths[some], _CLOSE
            )
            means[:, some] = products
        means += self._spreads
        return means

    def silhouettes(self) -> Silhouettes:
        k = self._sizes.size
        own, nearest = np.empty(self._codes.size), np.full(self._codes.size, np.nan)

        def reduce(rows: Floats, codes: Ints) -> tuple[Floats, Floats]:
            means = self._means_to(rows)
            everyone = np.arange(codes.size)
            own = means[everyone, codes]
            means[everyone, codes] = np.inf
            return own, means.min(axis=1)

        first = 0
        for some, near in self._over_points(reduce, k):
            run = slice(first, first + some.size)
            own[run] = some * self._sizes[self._codes[run]]
            nearest[run] = near
            first = run.stop
        values = np.full(self._codes.size, np.nan)
        if k > 1:
            values = silhouette_widths(own, self._sizes[self._codes] - 1, nearest)
        return Silhouettes(self._sizes, self._codes, values)

    def of_pairs(self) -> PairSums:
        sizes, k = self._sizes, self._sizes.size
        within = self._spreads * sizes * sizes
        matrix = np.empty((k, k)) if k <= MATRIX_CLUSTERS else None
        smallest = np.inf
        step = max(1, _READ // k)
        for first in range(0, k, step):
            some = slice(first, min(first + step, k))
            means = self._means_to(self._bases[some] + self._steps[some]) + self._spreads[some, None]
            if matrix is not None:
                matrix[some] = means * np.multiply.outer(sizes[some], sizes)
            means[np.arange(means.shape[0]), np.arange(first, some.stop)] = np.inf
            smallest = min(smallest, float(means.min()))
        if matrix is not None:
            # From both sides alike.
            matrix = np.tril(matrix) + np.tril(matrix, -1).T
            np.fill_diagonal(matrix, within)
        n = self._codes.size
        spread = self._spreads * sizes
        between = float((spread * (n - sizes)).sum() + n * (sizes * self._lengths).sum())
        if k == 1:
            between, smallest = 0.0, float("nan")
        return PairSums(sizes, within, between, smallest, matrix)
