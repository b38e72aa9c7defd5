"""The nearest point of another cluster to each point, and the least reach of each cluster from outside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.min_max_distances import MANY_POINTS_A_CLUSTER, least_reaches
from adjudge.engines.pairs.block_distances import Block, checked_blocks
from adjudge.engines.pairs.euclidean_embeddings import euclidean_points
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import SortedPoints, by_cluster, spans, strips
from adjudge.given.metrics import Metric
from adjudge.kernels.neighbours import BLOCK, least_reach_of_blocks, nearest_of_blocks
from adjudge.kernels.neighbours import outside_extremes as measure
from adjudge.statistics.prototypes import OutsideExtremes

__all__ = ["extremes_looked_at", "outside_extremes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# For each sorted point the nearest one of another cluster, and for each cluster the least reach.
_Extremes = tuple[Floats, Floats]

# Measured: if the least reach needs all pairs, each takes as long as this many other pairs.
_WITH_REACH = 3
# With more variables, or fewer points per cluster, the bounds of compact blocks let little be skipped.
_FEW_DIMENSIONS = 3
_POINTS_A_CLUSTER = 128
_BLOCKS_A_TASK = 16


@dataclass(frozen=True, eq=False)
class _SortedClusters:
    """Points sorted by cluster, with single-point clusters last.

    Attributes
    ----------
    X : ndarray of shape (n, p), distances of shape (n, n), or sparse matrix
        As given.
    clusters : ndarray of int64 of shape (K,)
        The given code of each cluster.
    order : ndarray of int64 of shape (n,)
        The given position of each point.
    bounds : ndarray of int64 of shape (K + 1,)
        Where each cluster begins, and n.
    own : ndarray of int64 of shape (n,)
        The cluster of each point.
    """

    X: Any
    clusters: Ints
    order: Ints
    bounds: Ints
    own: Ints

    @classmethod
    def of(cls, X: Any, codes: Ints, sizes: Ints) -> _SortedClusters:
        """Sort the points by cluster."""
        clusters = np.argsort(sizes == 1, kind="stable")
        rank = np.empty(sizes.size, np.int64)
        rank[clusters] = np.arange(sizes.size)
        order, bounds = by_cluster(rank[codes])
        return cls(X, clusters, order, bounds, np.repeat(np.arange(sizes.size), np.diff(bounds)))

    @property
    def n(self) -> int:
        """Points."""
        return self.order.size

    @property
    def k(self) -> int:
        """Clusters."""
        return self.clusters.size

    @property
    def first_single(self) -> int:
        """Position from which all clusters have a single point."""
        return int(self.bounds[np.count_nonzero(np.diff(self.bounds) > 1)])

    @property
    def are_compact(self) -> bool:
        """Whether compact blocks let most pairs of points be skipped, if distances are Euclidean."""
        return _are_compact(self.n, self.X.shape[1], self.k)

    @property
    def are_large(self) -> bool:
        """Whether the least reach may be found from few points."""
        return _are_large(self.n, self.k)

    def as_given(self, extremes: _Extremes) -> _Extremes:
        """Put values of points and of clusters in the given order."""
        nearest, least = np.empty(self.n), np.empty(self.k)
        nearest[self.order], least[self.clusters] = extremes
        return nearest, least


def _are_compact(n: int, p: int, k: int) -> bool:
    return p <= _FEW_DIMENSIONS and n >= _POINTS_A_CLUSTER * k


def _are_large(n: int, k: int) -> bool:
    return n >= MANY_POINTS_A_CLUSTER * k


def extremes_looked_at(n: int, p: int, k: int) -> int:
    """Estimate how many pairs of points are visited, if distances are Euclidean."""
    n_pairs = n * (n - 1) // 2
    if _are_compact(n, p, k):
        # Measured: those in blocks at the edges of clusters.
        return min(n_pairs, 2 * n * math.isqrt(n * k) * p * p)
    return n_pairs if _are_large(n, k) else _WITH_REACH * n_pairs


def outside_extremes(
    X: Any, codes: Ints, metric: Metric, crew: Crew, closest: Floats | None = None
) -> OutsideExtremes:
    """Find the extreme distances between clusters.

    `closest` holds the distance of each point to the nearest one of another cluster, if known.
    """
    sizes = np.bincount(codes)
    n, k = codes.size, sizes.size
    if k == 1:
        return OutsideExtremes(sizes, np.full(n, np.inf), np.full(k, np.inf))
    crew.expect(n * n)
    placed = euclidean_points(X, metric)
    if placed is None:
        clusters = _SortedClusters.of(X, codes, sizes)
        found = _from_blocks(clusters, checked_blocks(X, metric), crew)
        return OutsideExtremes(sizes, *clusters.as_given(found))
    points, rooted = placed
    clusters = _SortedClusters.of(points, codes, sizes)
    if closest is not None:
        closest = closest[clusters.order] if rooted else np.sqrt(closest[clusters.order])
    nearest, least = clusters.as_given(_from_points(clusters, closest, crew))
    return OutsideExtremes(sizes, nearest, least) if rooted else OutsideExtremes(sizes, nearest**2, least**2)


def _from_points(clusters: _SortedClusters, closest: Floats | None, crew: Crew) -> _Extremes:
    """Find Euclidean extremes; `closest` holds the sorted points' distances to the nearest ones, if known."""
    if clusters.are_large and not (clusters.are_compact and closest is None):
        least = _least_reaches(clusters)
        if least is not None:
            return _nearest_points(clusters, crew) if closest is None else closest, least
    if clusters.are_compact:
        return _from_compact_blocks(clusters, crew)
    return _from_all_pairs(clusters, crew)


def _least_reaches(clusters: _SortedClusters) -> Floats | None:
    """Find the least reach of each cluster by measuring few points; None if few are not enough."""
    points = np.asarray(clusters.X[clusters.order], np.float64)
    # In this thread, where it can be interrupted: few points are measured.
    found = least_reaches(points, clusters.bounds)
    return None if found is None else np.sqrt(found)


def _nearest_points(clusters: _SortedClusters, crew: Crew) -> Floats:
    """Find the nearest points of other clusters, measuring each pair once."""
    from adjudge.engines.reachability import nearest_outside

    nearest = np.sqrt(nearest_outside(clusters.X, clusters.order, clusters.own, crew))
    crew.advance(clusters.n**2 // 2)
    return nearest


def _from_all_pairs(clusters: _SortedClusters, crew: Crew) -> _Extremes:
    points = SortedPoints.of(clusters.X, clusters.order)
    nearest, least = np.full(clusters.n, np.inf), np.full(clusters.k, np.inf)
    single = clusters.first_single

    def work(rows: slice) -> Floats:
        reach = np.full(clusters.k, np.inf)
        tiles = points.n, points.tiles, clusters.bounds, single
        measure(points.run(rows), clusters.own[rows], *tiles, nearest[rows], reach)
        return reach

    for rows, reach in crew.map(work, spans(clusters.n)):
        np.minimum(least, reach, out=least)
        crew.advance((rows.stop - rows.start) * clusters.n)
    # For a single-point cluster, the least reach is the distance to the nearest point outside.
    least[clusters.own[single:]] = nearest[single:]
    return np.sqrt(nearest), np.sqrt(least)


def _from_compact_blocks(clusters: _SortedClusters, crew: Crew) -> _Extremes:
    """Find the extremes without pairs of blocks that are too far apart, or too near, to matter."""
    from adjudge.engines.compact_blocks import CompactBlocks

    blocks = CompactBlocks.of(clusters.X, clusters.order, clusters.bounds)
    n, k = clusters.n, clusters.k
    found = np.full((blocks.n, BLOCK), np.inf)
    nearest, least = np.empty(n), np.empty(k)

    def near(run: slice) -> None:
        nearest_of_blocks(*blocks.operands, run.start, run.stop, found.reshape(-1))

    def reach(cluster: int) -> None:
        least[cluster] = least_reach_of_blocks(*blocks.operands, cluster)

    for run, _ in crew.map(near, spans(blocks.n, _BLOCKS_A_TASK)):
        crew.advance(n * n * (run.stop - run.start) // (2 * blocks.n))
    for _ in crew.map(reach, range(k)):
        crew.advance(n * n // (2 * k))
    nearest[blocks.positions] = found[blocks.is_point]
    return np.sqrt(nearest), np.sqrt(least)


def _from_blocks(clusters: _SortedClusters, block: Block, crew: Crew) -> _Extremes:
    """Find the extremes from distances that a function of positions gives."""
    n, order, starts = clusters.n, clusters.order, clusters.bounds[:-1]
    nearest, least = np.empty(n), np.full(clusters.k, np.inf)

    def work(rows: slice) -> _Extremes:
        found = np.array(block(order[rows], order))
        line, mine = np.arange(found.shape[0]), clusters.own[rows]
        farthest = np.maximum.reduceat(found, starts, axis=1)
        closest = np.minimum.reduceat(found, starts, axis=1)
        farthest[line, mine] = closest[line, mine] = np.inf
        return closest.min(axis=1), farthest.min(axis=0)

    for rows, (closest, reach) in crew.map(work, strips(n, n)):
        nearest[rows] = closest
        np.minimum(least, reach, out=least)
        crew.advance((rows.stop - rows.start) * n)
    return nearest, least
