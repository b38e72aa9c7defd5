"""The passes over the points alone: moments, scatter, distances to centroids and densities between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import factorizing
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans
from adjudge.given.weights import PointWeights
from adjudge.kernels import centroids as kernels
from adjudge.kernels.elementary import logarithm
from adjudge.statistics.moments import (
    FEW_CLUSTERS,
    CentroidDistances,
    CentroidOverlaps,
    CentroidRatios,
    CentroidSums,
    ClusterDeterminants,
    EliminationSigns,
    MidpointDensities,
    Moments,
    Scatter,
)
from adjudge.statistics.prototypes import CentroidProfile
from adjudge.statistics.roots import (
    is_ill_conditioned,
    is_singular,
    log_determinant,
    root_of,
    triangular_root,
)
from adjudge.statistics.weighted_points import WeightedMoments

__all__ = ["CHUNK", "MADE", "CentroidPass", "pairs_of_centroids"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
S = TypeVar("S")

# Rows of a task: fixed, so that sums are the same for any number of threads.
CHUNK = 1 << 15
# The distances between fewer centroids are held together.
_MANY_CENTROIDS = 1024
# All points count the same.
_EQUAL = np.empty(0)
# Pairs of centroids that a task compares.
_COMPARED = 1 << 18
# Clusters whose counts of near points are held at a time, each against as many others.
_COUNTED = 1024


#: Maps a statistic to the property that makes it and the kind of its additional pass ("" for none).
MADE: dict[type, tuple[str, str]] = {}


def _makes(statistic: type[S], does: str = "") -> Callable[[Callable[[Any], S]], cached_property[S]]:
    """Register a method as the maker of a statistic; `does` is the kind of pass it needs beyond the moments."""

    def decorate(method: Callable[[Any], S]) -> cached_property[S]:
        MADE[statistic] = method.__name__, does
        return cached_property(method)

    return decorate


@dataclass
class CentroidPass:
    """Computes the requested statistics, each shared part once.

    `sizes` are the weights of the clusters, if points have any.
    """

    X: NDArray[Any]
    codes: Ints
    sizes: NDArray[Any]
    crew: Crew
    weights: PointWeights | None = None

    def statistics(self, wanted: Iterable[type]) -> tuple[Any, ...]:
        """Make some statistics."""
        with factorizing(self.X.shape[1]):
            return tuple(getattr(self, MADE[type_][0]) for type_ in wanted)

    def _total(self, work: Callable[[int, int], Floats]) -> Floats:
        """Sum the chunk results of a pass."""
        parts = self._chunks(work)
        total: Floats = next(parts)
        for part in parts:
            total += part
        return total

    def _chunks(self, work: Callable[[int, int], Any], reads: int = 1) -> Iterator[Any]:
        """Yield the chunk results of a pass in order; each point counts as `reads` units of progress."""
        n, step = self.X.shape[0], self._step
        if n <= step:
            yield work(0, n)
            self.crew.advance(n * reads)
            return
        spans = [(a, min(a + step, n)) for a in range(0, n, step)]
        for (first, last), result in self.crew.map(lambda span: work(*span), spans):
            yield result
            self.crew.advance((last - first) * reads)

    def _weights_of(self, rows: slice | Ints) -> Floats:
        """Return the weights of some points; none if all count the same."""
        return _EQUAL if self.weights is None else self.weights.values[rows]

    def _in_rows(self, first: int, last: int) -> tuple[NDArray[Any], Ints, Floats, int, int]:
        """Return contiguous points, codes, weights and the range of rows to read; other layouts are copied."""
        if self.X.flags.c_contiguous:
            return self.X, self.codes, self._weights_of(slice(None)), first, last
        rows = slice(first, last)
        return np.ascontiguousarray(self.X[rows]), self.codes[rows], self._weights_of(rows), 0, last - first

    @property
    def _step(self) -> int:
        """Rows of a task; with many clusters it has more, at least four for each row of the tables it fills."""
        return max(CHUNK, 4 * self.sizes.size)

    @cached_property
    def origin(self) -> Floats:
        """A middle value of each column; subtracting it makes constant columns exactly 0."""
        n, p = self.X.shape
        middles = np.empty(p)
        # If rows are not contiguous, only the sampled ones are copied.
        every = 1 if self.X.flags.c_contiguous else max(1, n // kernels.SAMPLE)
        kernels.middles(np.ascontiguousarray(self.X[::every]), middles)
        return middles

    @property
    def _bases(self) -> Floats:
        """The first point of each cluster."""
        members = np.zeros(self.sizes.size, np.int64)
        kernels.first_members(self.codes, members)
        return np.asarray(self.X[members], dtype=np.float64)

    @cached_property
    def means(self) -> Floats:
        """Means of the clusters, relative to the origin: one pass.

        A point of the cluster is subtracted before summing, so an offset costs no digits and equal values have exactly
        that value as their mean.
        """
        k, p = self.sizes.size, self.X.shape[1]
        bases = self._bases

        def steps(first: int, last: int) -> Floats:
            sums = np.zeros((k, p))
            kernels.add_steps(*self._in_rows(first, last), bases, sums)
            return sums

        total = np.zeros((k, p))
        for sums in self._chunks(steps):
            total += sums
        kernels.steps_to_means(bases, self.origin, self.sizes, total)
        return total

    @_makes(Moments)
    def moments(self) -> Moments:
        """Two passes: centroids, then deviations from them."""
        means = self.means

        def squared(first: int, last: int) -> Floats:
            squares = np.zeros(means.shape)
            kernels.add_squares(*self._in_rows(first, last), self.origin, means, squares)
            return squares

        made = self.sizes, self.origin, means, self._total(squared)
        return (
            Moments(*made)
            if self.weights is None
            else WeightedMoments(*made, *self.weights.degrees(self.codes))
        )

    @cached_property
    def _to_own(self) -> Floats:
        """Sums of the distances of each cluster's points to its centroid: one pass."""
        means = self.means

        def measured(first: int, last: int) -> Floats:
            distances = np.zeros(means.shape[0])
            kernels.add_distances(*self._in_rows(first, last), self.origin, means, distances)
            return distances

        return self._total(measured)

    @cached_property
    def _to_centre(self) -> tuple[float, float]:
        """Sum and maximum of the distances of all points from their centre: one pass, not counted as progress."""
        centre = self.moments.centre

        def measured(first: int, last: int) -> tuple[float, float]:
            X, _, weights, start, stop = self._in_rows(first, last)
            return kernels.distances_from_one(X, weights, start, stop, self.origin, centre)

        found = list(self._chunks(measured, 0))
        return sum(total for total, _ in found), max(largest for _, largest in found)

    @_makes(Scatter, "scatter")
    def scatter(self) -> Scatter:
        """One pass around the centroids, and a second one if the determinant has lost digits."""
        m = self.moments
        within = self._within
        root = self._root if is_ill_conditioned(within) else root_of(within)
        steps = (m.centroids - m.centre) * np.sqrt(self.sizes)[:, None]
        between = np.einsum("ki,kj->ij", steps, steps)
        return Scatter(m.n, m.k, within, between, root, steps, self._rounding(m.n))

    @cached_property
    def _within(self) -> Floats:
        """WG."""
        m = self.moments

        def products(first: int, last: int) -> Floats:
            return self._products(*self._in_rows(first, last), m.centroids)

        lower = np.zeros((m.p, m.p))
        for part in self._chunks(products):
            lower += part
        return np.asarray(lower + np.tril(lower, -1).T)

    @cached_property
    def _root(self) -> Floats:
        """R with R'R = WG, from the deviations."""
        centroids = self.moments.centroids

        def triangular(first: int, last: int) -> Floats:
            return triangular_root(self._around(slice(first, last), centroids[self.codes[first:last]]))

        root = None
        self.crew.expect(self.codes.size)
        for part in self._chunks(triangular):
            root = triangular_root(part, root)
        assert root is not None
        return root

    def _around(self, rows: slice | Ints, centroids: Floats) -> Floats:
        """Return the deviations of some points from centroids, each times the root of its weight."""
        found = np.asarray((np.asarray(self.X[rows], np.float64) - self.origin) - centroids)
        return found if self.weights is None else found * np.sqrt(self._weights_of(rows))[:, None]

    def _rounding(self, n: int) -> Floats:
        """Return the length that rounding of the data alone may give a column of n deviations."""
        return np.asarray(np.sqrt(n) * np.finfo(np.float64).eps * np.abs(self.origin))

    def _products(
        self, X: NDArray[Any], codes: Ints, weights: Floats, first: int, last: int, centroids: Floats
    ) -> Floats:
        """Return the lower triangle of the scatter of some rows around their centroids."""
        p = X.shape[1]
        scatter = np.zeros((p, p))
        kernels.add_scatter(X, codes, weights, first, last, self.origin, centroids, scatter)
        return scatter

    @_makes(ClusterDeterminants, "scatter")
    def determinants(self) -> ClusterDeterminants:
        """One scatter matrix at a time."""
        logarithms = np.full(self.sizes.size, -np.inf)
        for k, scatter in self._cluster_scatters():
            n = int(self.counts[k])
            root = self._root_of_cluster(k) if is_ill_conditioned(scatter) else root_of(scatter)
            if not is_singular(root, n - 1, self._rounding(n)):
                logarithms[k] = log_determinant(root) - scatter.shape[0] * logarithm(float(self.sizes[k]))
        return ClusterDeterminants(self.sizes, logarithms)

    def _root_of_cluster(self, k: int) -> Floats:
        root = None
        for rows in self._members(k):
            root = triangular_root(self._around(rows, self.moments.centroids[k]), root)
        assert root is not None
        return root

    @_makes(EliminationSigns, "scatter")
    def elimination_signs(self) -> EliminationSigns:
        """One scatter matrix at a time."""
        from scipy.linalg import lu_factor

        signs = np.ones(self.sizes.size, np.int64)
        for k, scatter in self._cluster_scatters():
            if np.isfinite(self.determinants.logarithms[k]):
                _, pivots = lu_factor(scatter)
                exchanges = np.count_nonzero(pivots != np.arange(pivots.size))
                signs[k] = -1 if exchanges % 2 else 1
        return EliminationSigns(self.determinants, signs)

    def _cluster_scatters(self) -> Iterator[tuple[int, Floats]]:
        """Yield the scatter matrices that may have full rank."""
        m = self.moments
        for k in map(int, np.flatnonzero(self.counts > m.p)):
            lower = np.zeros((m.p, m.p))
            for rows in self._members(k):
                own = np.zeros(rows.size, np.int64)
                X, weights = np.ascontiguousarray(self.X[rows]), self._weights_of(rows)
                lower += self._products(X, own, weights, 0, rows.size, m.centroids[k : k + 1])
            yield k, lower + np.tril(lower, -1).T
            self.crew.advance(int(self.counts[k]))
        self.crew.advance(int(self.counts[self.counts <= m.p].sum()))

    def _members(self, k: int) -> Iterator[Ints]:
        """Yield the points of a cluster in chunks: it may be larger than memory."""
        start = int(self._starts[k])
        stop = start + int(self.counts[k])
        for first in range(start, stop, CHUNK):
            yield self._order[first : min(first + CHUNK, stop)]

    @cached_property
    def _order(self) -> Ints:
        return np.asarray(np.argsort(self.codes, kind="stable"))

    @cached_property
    def _starts(self) -> Ints:
        return np.asarray(np.cumsum(self.counts) - self.counts)

    @cached_property
    def counts(self) -> Ints:
        """Points of each cluster."""
        return self.sizes if self.weights is None else np.bincount(self.codes)

    @property
    def reach(self) -> float:
        """No two points are farther apart than this."""
        return 2.0 * self._to_centre[1] * (1.0 + 1e-9)

    @_makes(CentroidDistances, "distances")
    def centroid_distances(self) -> CentroidDistances:
        """Distances from points to centroids, and extreme distances between centroids."""
        smallest, largest = self._between[0] if self.sizes.size > 1 else (math.nan, math.nan)
        pooled = _smallest_pooled(self._to_own, np.asarray(self.sizes, np.float64))
        return CentroidDistances(self.sizes, self._to_own, self._to_centre[0], smallest, largest, pooled)

    @_makes(CentroidSums)
    def centroid_sums(self) -> CentroidSums:
        """All pairs of centroids."""
        return CentroidSums(self._between[1])

    @cached_property
    def _between(self) -> tuple[tuple[float, float], Floats]:
        """Smallest and largest distance between two centroids, and the sum of the distances of each."""
        from scipy.spatial.distance import cdist

        centroids, k = self.moments.centroids, self.sizes.size
        if k < _MANY_CENTROIDS:
            distances = np.empty((k, k))
            extremes = kernels.centroid_distances(centroids, distances)
            return extremes, distances.sum(axis=1)

        def measured(rows: slice) -> tuple[float, float, Floats]:
            found = np.asarray(cdist(centroids[rows], centroids))
            largest, sums = float(found.max()), found.sum(axis=1)
            found[np.arange(rows.stop - rows.start), np.arange(rows.start, rows.stop)] = np.inf
            return float(found.min()), largest, sums

        parts = []
        for rows, part in self.crew.map(measured, spans(k, max(1, _COMPARED // k))):
            parts.append(part)
            self.crew.advance((rows.stop - rows.start) * k)
        smallest, largest, sums = zip(*parts, strict=True)
        return (min(smallest), max(largest)), np.concatenate(sums)

    @_makes(CentroidOverlaps, "distances")
    def overlaps(self) -> CentroidOverlaps:
        """Return sums of the radii of two clusters over the distance between their centroids."""
        centroids, to_own = self.means, self._to_own
        radii = to_own / self.sizes
        # Usually no radius is 0.
        coinciding = np.count_nonzero(radii) < radii.size and _any_coincide(centroids[radii == 0.0])
        return CentroidOverlaps(
            self.sizes, to_own, _largest_overlaps(centroids, radii, self.crew), coinciding
        )

    @_makes(CentroidRatios, "ratios")
    def centroid_ratios(self) -> CentroidRatios:
        """Every point against every centroid."""
        m = self.moments

        def ratios(first: int, last: int) -> Floats:
            sums = np.zeros(m.k)
            kernels.add_ratios(*self._in_rows(first, last), m.origin, m.centroids, sums)
            return sums

        total = np.zeros(m.k)
        for sums in self._chunks(ratios, m.k):
            total += sums
        return CentroidRatios(self.sizes, total if m.k > 1 else np.full(1, np.nan))

    @_makes(CentroidProfile, "ratios")
    def profile(self) -> CentroidProfile:
        """Distances from each point to its own and to the nearest other centroid."""
        from adjudge.engines.prototypes import centroid_profile

        return centroid_profile(self.X, self.codes, self.moments, self.crew)

    @_makes(MidpointDensities, "densities")
    def midpoint_densities(self) -> MidpointDensities:
        """Every point against the midpoints between its own and every other centroid."""
        m = self.moments
        norms = np.sqrt((m.cluster_variances**2).sum(axis=1))
        radius = float(np.sqrt(norms.sum()) / m.k)
        starts = range(0, m.k, _COUNTED)
        own = {a: self._near(m, radius, a, a) for a in starts}
        ratio_sum, empty = 0.0, 0
        for a in starts:
            for b in range(a, m.k, _COUNTED):
                there, middle = own[a] if a == b else self._near(m, radius, a, b)
                back, middle_back = own[a] if a == b else self._near(m, radius, b, a)
                # Rows are clusters k, columns clusters l: points of both near their midpoint, near G_k, and near G_l.
                at_middle = middle + middle_back.T
                if a == b:
                    at_middle[np.tril_indices_from(at_middle)] = 0
                at_k, at_l = np.diag(own[a][0]), np.diag(own[b][0])
                # Of very many pairs, few have points near their midpoint.
                ks, ls = np.nonzero(at_middle)
                densest = np.maximum(at_k[ks] + back[ls, ks], at_l[ls] + there[ks, ls])
                with np.errstate(divide="ignore"):
                    ratio_sum += float((at_middle[ks, ls] / densest).sum())
                ks, ls = np.flatnonzero(at_k == 0), np.flatnonzero(at_l == 0)
                cells = np.ix_(ks, ls)
                nothing = at_middle[cells] + there[cells] + back.T[cells] == 0
                if a == b:
                    nothing &= ks[:, None] < ls
                empty += int(nothing.sum())
            self.crew.advance(2 * m.n * min(_COUNTED, m.k - a))
        return MidpointDensities(m.k, radius, ratio_sum, empty)

    def _near(self, m: Moments, radius: float, own: int, other: int) -> tuple[Ints, Ints]:
        shape = min(_COUNTED, m.k - own), min(_COUNTED, m.k - other)
        others = m.centroids[other : other + _COUNTED]

        def near(first: int, last: int) -> tuple[Ints, Ints]:
            at_centroid, at_middle = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
            X, codes, _, start, stop = self._in_rows(first, last)
            kernels.count_near(
                X,
                codes,
                start,
                stop,
                m.origin,
                m.centroids,
                others,
                own,
                radius,
                at_centroid,
                at_middle,
            )
            return at_centroid, at_middle

        totals = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for counts in self._chunks(near, 0):
            for total, some in zip(totals, counts, strict=True):
                total += some
        return totals


def pairs_of_centroids(types: set[type], k: int) -> int:
    """Return how many distances between centroids count as progress; a few are not worth reporting."""
    return k * k if types & {CentroidSums, CentroidDistances} and k >= _MANY_CENTROIDS else 0


def _largest_overlaps(centroids: Floats, radii: Floats, crew: Crew) -> Floats:
    """Find for each cluster the largest (r_k + r_l) / d(k, l) over the others; single points do not overlap.

    Returns inf if the centroids of two clusters coincide, unless neither has a radius; 0 for one cluster.
    """
    from scipy.spatial.distance import cdist

    if radii.size <= FEW_CLUSTERS:
        return np.asarray(kernels.largest_overlaps(centroids, radii))
    wide, best = np.flatnonzero(radii), np.zeros(radii.size)

    def compare(some: slice) -> Floats:
        rows = wide[some]
        with np.errstate(divide="ignore"):
            found = (radii[rows, None] + radii) / np.asarray(cdist(centroids[rows], centroids))
        found[np.arange(rows.size), rows] = 0.0
        best[rows] = found.max(axis=1)
        return np.asarray(found.max(axis=0))

    lines = [found for _, found in crew.map(compare, spans(wide.size, max(1, _COMPARED // radii.size)))]
    return np.asarray(np.maximum.reduce([best, *lines]))


def _any_coincide(points: Floats) -> bool:
    """Tell whether any two points are equal."""
    if points.shape[0] < 2:
        return False
    ordered = points[np.lexsort(points.T)]
    return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())


def _smallest_pooled(to_own: Floats, sizes: Floats) -> float:
    """Return the smallest (a_k + a_l) / (n_k + n_l) over pairs of clusters; nan for a single cluster.

    Given a value v, the pair with the smallest (a_k - v n_k) + (a_l - v n_l) has a quotient below v, unless v is
    already the smallest (Dinkelbach).
    """
    if sizes.size == 1:
        return float("nan")
    pair = np.arange(2)
    while True:
        value = (to_own[pair[0]] + to_own[pair[1]]) / (sizes[pair[0]] + sizes[pair[1]])
        pair = np.argpartition(to_own - value * sizes, 1)[:2]
        if not (to_own[pair[0]] + to_own[pair[1]]) / (sizes[pair[0]] + sizes[pair[1]]) < value:
            return float(value)
