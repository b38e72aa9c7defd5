"""Maker of the statistics of weighted points: sums of squared distances from centroids, others in blocks of rows."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines import centroids
from adjudge.engines.centroid_pass import MADE, CentroidPass
from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.engines.pairs.mean_distances import MeanDistances
from adjudge.engines.pairs.squared_sums import declare_squared_sums, is_cheaper, squared_means
from adjudge.engines.passes import Job, Pass
from adjudge.engines.protocols import Work
from adjudge.given.weights import PointWeights
from adjudge.kernels.elementary import logarithm
from adjudge.statistics.moments import CentroidRatios, ClusterDeterminants, Moments
from adjudge.statistics.pair_distances import MATRIX_CLUSTERS, PairSums, Silhouettes, silhouette_widths
from adjudge.statistics.roots import is_ill_conditioned, is_singular, log_determinant, root_of
from adjudge.statistics.weighted_points import (
    WeightedMoments,
    WeightedPairSums,
    WeightedSilhouettes,
)

__all__ = ["declare", "make"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PLAIN_SUMS = {WeightedPairSums: PairSums, WeightedSilhouettes: Silhouettes}
_OF_PAIRS = _PLAIN_SUMS.keys()
# Distances in a block: 16 MiB of doubles.
_BLOCK = 1 << 21


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics; see `Maker`."""
    central = types - _OF_PAIRS
    if central:
        yield from centroids.declare({_plain(t) for t in central}, job)
    if types & _OF_PAIRS and _from_centroids(job):
        yield from declare_squared_sums({_PLAIN_SUMS[t] for t in types & _OF_PAIRS}, job)
    elif types & _OF_PAIRS:
        # Each distance is visited from both of its points.
        yield Pass(
            ("sums",), "pairs", 2 * job.n_pairs, memory=3 * 8 * _BLOCK + job.n * (32 + 2 * job.row_bytes)
        )


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    assert work.weights is not None
    found: dict[type, Any] = {}
    central = types - _OF_PAIRS
    if central:
        passes = _WeightedPass(
            work.X, work.codes, work.weights.of_clusters(work.codes), work.crew, work.weights
        )
        with one_blas_thread():
            for type_ in sorted(central, key=lambda t: t.__name__):
                plain = _plain(type_)
                found[type_] = _weighed(type_, getattr(passes, MADE[plain][0]))
    if types & _OF_PAIRS and _from_centroids(work.job):
        with one_blas_thread():
            found |= _sums_from_centroids(types & _OF_PAIRS, squared_means(work, work.weights.values), work)
    elif types & _OF_PAIRS:
        pairs = _Pairs(work, work.weights)
        found |= {t: made for t, made in pairs.statistics().items() if t in types}
    return found


def _from_centroids(job: Job) -> bool:
    """Return whether sums come from centroids; for sparse rows, these would ignore the weights."""
    return job.nnz is None and is_cheaper(job)


def _sums_from_centroids(types: Set[type], means: MeanDistances, work: Work) -> dict[type, Any]:
    weights, codes = work.weights, work.codes
    assert weights is not None
    made: dict[type, Any] = {}
    if WeightedPairSums in types:
        pairs = weights.pairs_within(codes)
        made[WeightedPairSums] = _weighed(WeightedPairSums, means.of_pairs(), pairs=pairs)
    if WeightedSilhouettes in types:
        widths = means.widths(weights.others(codes))
        made[WeightedSilhouettes] = WeightedSilhouettes(means.sizes, codes, widths, weights.values)
    return made


def _plain(type_: type) -> type:
    """Return the plain statistic that a weighted one derives from."""
    return next(base for base in type_.__mro__ if base in MADE)


def _weighed(type_: type, made: Any, **more: Any) -> Any:
    """Convert the result of a pass to the weighted statistic, with the additional fields that this has."""
    if isinstance(made, type_):
        return made
    return type_(**{field.name: getattr(made, field.name) for field in fields(made)}, **more)


def _by_cluster(codes: Ints, rows: Floats, k: int) -> Floats:
    """Sum the rows of each code."""
    return np.stack([np.bincount(codes, column, minlength=k) for column in rows.T], axis=1)


@dataclass
class _WeightedPass(CentroidPass):
    """Passes over weighted points; `sizes` are the weights of the clusters."""

    weights: PointWeights

    @cached_property
    def counts(self) -> Ints:
        """Points of each cluster."""
        return np.bincount(self.codes)

    def _weighed_rows(self, first: int, last: int) -> tuple[Ints, Floats, Floats]:
        """Return the codes, weights and origin-relative coordinates of some rows."""
        rows = slice(first, last)
        return (
            self.codes[rows],
            self.weights.values[rows],
            np.asarray(self.X[rows], np.float64) - self.origin,
        )

    @cached_property
    def means(self) -> Floats:
        """See `CentroidPass`."""
        k = self.sizes.size
        bases = self._bases

        def steps(first: int, last: int) -> Floats:
            codes, w, _ = self._weighed_rows(first, last)
            X = np.asarray(self.X[first:last], np.float64)
            return _by_cluster(codes, w[:, None] * (X - bases[codes]), k)

        total = sum(self._chunks(steps), np.zeros((k, self.X.shape[1])))
        return np.asarray((bases - self.origin) + total / self.sizes[:, None])

    @cached_property
    def moments(self) -> Moments:
        """Two passes, as without weights."""
        means, k = self.means, self.sizes.size

        def squared(first: int, last: int) -> Floats:
            codes, w, x = self._weighed_rows(first, last)
            return _by_cluster(codes, w[:, None] * (x - means[codes]) ** 2, k)

        squares = sum(self._chunks(squared), np.zeros(means.shape))
        return WeightedMoments(self.sizes, self.origin, means, squares, *self.weights.degrees(self.codes))

    @cached_property
    def _to_own(self) -> Floats:
        means, k = self.means, self.sizes.size

        def measured(first: int, last: int) -> Floats:
            codes, w, x = self._weighed_rows(first, last)
            far = np.linalg.norm(x - means[codes], axis=1)
            return np.asarray(np.bincount(codes, w * far, minlength=k), np.float64)

        return sum(self._chunks(measured), np.zeros(k))

    @cached_property
    def _to_centre(self) -> tuple[float, float]:
        centre = self.moments.centre

        def measured(first: int, last: int) -> tuple[float, float]:
            _, w, x = self._weighed_rows(first, last)
            far = np.linalg.norm(x - centre, axis=1)
            return float(w @ far), float(far.max())

        found = list(self._chunks(measured, 0))
        return sum(total for total, _ in found), max(largest for _, largest in found)

    def _around(self, rows: slice | Ints, centroids: Floats) -> Floats:
        """Return the deviations, each times the square root of its weight."""
        return np.asarray(super()._around(rows, centroids) * np.sqrt(self.weights.values[rows])[:, None])

    def _products(self, X: NDArray[Any], codes: Ints, first: int, last: int, centroids: Floats) -> Floats:
        deviations = self._around(slice(first, last), centroids[codes[first:last]])
        return np.tril(deviations.T @ deviations)

    @cached_property
    def determinants(self) -> ClusterDeterminants:
        """One scatter matrix at a time."""
        logarithms = np.full(self.sizes.size, -np.inf)
        for k, scatter in self._cluster_scatters():
            weight = float(self.sizes[k])
            root = self._root_of_cluster(k) if is_ill_conditioned(scatter) else root_of(scatter)
            if not is_singular(root, int(self.counts[k]) - 1, self._rounding(self.counts[k])):
                logarithms[k] = log_determinant(root) - scatter.shape[0] * logarithm(weight)
        return ClusterDeterminants(self.sizes, logarithms)

    def _cluster_scatters(self) -> Iterator[tuple[int, Floats]]:
        m = self.moments
        for k in map(int, np.flatnonzero(self.counts > m.p)):
            parts = (self._around(rows, m.centroids[k]) for rows in self._members(k))
            yield k, sum((part.T @ part for part in parts), np.zeros((m.p, m.p)))
            self.crew.advance(int(self.counts[k]))
        self.crew.advance(int(self.counts[self.counts <= m.p].sum()))

    @cached_property
    def centroid_ratios(self) -> CentroidRatios:
        """Every point against every centroid."""
        m = self.moments

        def ratios(first: int, last: int) -> Floats:
            codes, w, x = self._weighed_rows(first, last)
            squares = np.stack([((x - centroid) ** 2).sum(axis=1) for centroid in m.centroids], axis=1)
            everyone = np.arange(codes.size)
            own = np.sqrt(squares[everyone, codes])
            squares[everyone, codes] = np.inf
            with np.errstate(divide="ignore", invalid="ignore"):
                found = own / np.sqrt(squares.min(axis=1))
            return np.asarray(np.bincount(codes, w * found, minlength=m.k), np.float64)

        total: Any = sum(self._chunks(ratios, m.k))
        return CentroidRatios(self.sizes, total if m.k > 1 else np.full(1, np.nan))


@dataclass(frozen=True)
class _Found:
    """Results of a block of rows against all points."""

    own: Floats
    nearest: Floats
    clusters: Ints
    sums: Floats


class _Pairs:
    """All distances, a block of rows at a time against all points; the points are sorted by cluster."""

    def __init__(self, work: Work, weights: PointWeights) -> None:
        self._work = work
        self._weights = weights
        self._order = np.argsort(work.codes, kind="stable")
        self._codes = work.codes[self._order]
        self._w = weights.values[self._order]
        self._masses = weights.of_clusters(work.codes)
        self._starts = np.flatnonzero(np.diff(self._codes, prepend=-1))
        self._block = checked_blocks(work.X, work.options.metric)

    def _sums(self, rows: slice) -> _Found:
        """Return the weighted sums of the distances from some sorted points to each cluster."""
        positions = np.arange(rows.start, rows.stop)
        block = self._block(self._order[rows], self._order)
        block[positions - rows.start, positions] = 0.0
        block *= self._w
        sums = np.add.reduceat(block, self._starts, axis=1)
        codes, everyone = self._codes[rows], np.arange(positions.size)
        own = sums[everyone, codes]
        means = sums / self._masses
        means[everyone, codes] = np.inf
        begin = np.flatnonzero(np.diff(codes, prepend=-1))
        of_clusters = np.add.reduceat(self._w[rows, None] * sums, begin, axis=0)
        return _Found(own, means.min(axis=1), codes[begin], of_clusters)

    def statistics(self) -> dict[type, Any]:
        """Make both statistics in one pass."""
        n = self._codes.size
        own, nearest, between = np.empty(n), np.empty(n), _Between(self._masses)
        step = max(1, _BLOCK // n)
        spans = [slice(a, min(a + step, n)) for a in range(0, n, step)]
        for span, found in self._work.crew.map(self._sums, spans):
            own[span], nearest[span] = found.own, found.nearest
            for code, sums in zip(found.clusters.tolist(), found.sums, strict=True):
                between.add(code, sums)
            self._work.crew.advance((span.stop - span.start) * (n - 1))
        between.finish()
        pairs = self._weights.pairs_within(self._work.codes)
        least = between.least if self._masses.size > 1 else np.nan
        sums_of_pairs = WeightedPairSums(
            self._masses, between.within, between.total, least, between.matrix, pairs
        )
        return {WeightedPairSums: sums_of_pairs, WeightedSilhouettes: self._silhouettes(own, nearest)}

    def _silhouettes(self, own: Floats, nearest: Floats) -> WeightedSilhouettes:
        codes, weights = self._work.codes, self._weights
        values = np.full(codes.size, np.nan)
        if self._masses.size > 1:
            others = weights.others(codes)[self._order]
            values[self._order] = silhouette_widths(own, others, nearest)
        return WeightedSilhouettes(self._masses, codes, values, weights.values)


class _Between:
    """Sums of distances between clusters; rows come in the order of the clusters, possibly in parts."""

    def __init__(self, masses: Floats) -> None:
        k = masses.size
        self.within = np.zeros(k)
        self.total, self.least = 0.0, np.inf
        self.matrix = np.zeros((k, k)) if k <= MATRIX_CLUSTERS else None
        self._masses = masses
        self._code, self._row = 0, np.zeros(k)

    def add(self, code: int, sums: Floats) -> None:
        """Add the sums of some points of a cluster."""
        if code != self._code:
            self.finish()
            self._code, self._row = code, np.zeros(sums.size)
        self._row = self._row + sums

    def finish(self) -> None:
        """Add the sums of a complete cluster."""
        code, row = self._code, self._row
        self.within[code] = row[code] / 2
        self.total += float(row[:code].sum())
        means = row[:code] / (self._masses[code] * self._masses[:code])
        self.least = min(self.least, float(means.min(initial=np.inf)))
        if self.matrix is not None:
            self.matrix[code] = row
            self.matrix[:, code] = row
            self.matrix[code, code] = self.within[code]
