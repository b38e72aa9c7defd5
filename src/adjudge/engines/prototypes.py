"""Passes of points against prototypes, O(n K p), and against the points of other clusters, O(n^2 p)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.least_reach import MANY_POINTS_A_CLUSTER, least_reach
from adjudge.engines.nearest_places import nearest_places
from adjudge.engines.pairs.block_distances import Block, block_function, check_precomputed, checked_block
from adjudge.engines.running.crew import Crew
from adjudge.engines.sorted_points import SortedPoints, by_cluster, spans
from adjudge.given.metrics import Metric, distances_from, keeps_centroids
from adjudge.statistics.moments import Moments
from adjudge.statistics.prototypes import CentroidProfile, DistanceSquares, MedoidProfile, OutsideExtremes

__all__ = ["centroid_profile", "distance_squares", "medoid_profile", "outside_extremes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_BLOCK = 1 << 21
# With more variables, or fewer points a cluster, bounds of compact blocks leave out little.
_FEW_DIMENSIONS = 3
_POINTS_A_CLUSTER = 128
_BLOCKS_A_TASK = 16
# Rows of a block for which distances to all other points are held.
_COLUMNS = 8192


def _block_of(X: Any, metric: Metric) -> Block:
    """Distances by row and column positions, checked."""
    if keeps_centroids(X, metric):
        from scipy.spatial.distance import cdist

        return lambda rows, columns: np.asarray(cdist(X[rows], X[columns]))
    if metric == "precomputed":
        check_precomputed(X)
    name = distances_from(metric)
    function = block_function(X, metric)
    return lambda rows, columns: checked_block(function, rows, columns, name)


def centroid_profile(X: NDArray[Any], codes: Ints, moments: Moments, crew: Crew) -> CentroidProfile:
    """Measure each point against all centroids, which `moments` has relative to its origin."""
    n, k = codes.size, moments.k
    sizes = moments.sizes
    spread = moments.dispersions / sizes
    found = nearest_places(
        lambda rows: np.asarray(X[rows], np.float64) - moments.origin,
        codes,
        moments.centroids,
        [np.zeros(k), spread],
        crew,
    )
    others = sizes[codes] - 1
    a = (found.own + spread[codes]) * sizes[codes]
    own_square = np.divide(a, others, out=np.zeros(n), where=others > 0)
    return CentroidProfile(
        sizes, codes, np.sqrt(found.own), np.sqrt(found.others[0]), own_square, found.others[1]
    )


def medoid_profile(
    X: Any, codes: Ints, metric: Metric, crew: Crew, own_sums: Floats | None = None
) -> MedoidProfile:
    """Find the medoid of each cluster, and measure each point against all of them.

    `own_sums` are the sums of the distances of each point to those of its cluster, if they are known.
    """
    block = _block_of(X, metric)
    order, bounds = by_cluster(codes)
    n, k = codes.size, bounds.size - 1
    crew.expect((int((np.diff(bounds) ** 2).sum()) if own_sums is None else 0) + n * k)
    if own_sums is None:
        add_up = _sums_of_points if keeps_centroids(X, metric) else _sums_of_blocks
        sums = add_up(X, block, order, bounds, crew)
    else:
        sums = own_sums[order]
    medoids = order[_least_of_clusters(sums, bounds)]
    measure = _to_medoids_of_points if keeps_centroids(X, metric) else _to_medoids_of_blocks
    own, other = measure(X, block, codes, medoids, crew)
    return MedoidProfile(np.diff(bounds), codes, medoids, own, other)


def _to_medoids_of_points(
    X: NDArray[Any], _: Block, codes: Ints, medoids: Ints, crew: Crew
) -> tuple[Floats, Floats]:
    """Distance of each point to its own medoid, and to the nearest other one."""
    places = np.asarray(X[medoids], np.float64)
    found = nearest_places(
        lambda rows: np.asarray(X[rows], np.float64), codes, places, [np.zeros(medoids.size)], crew
    )
    return np.sqrt(found.own), np.sqrt(found.others[0])


def _to_medoids_of_blocks(
    X: Any, block: Block, codes: Ints, medoids: Ints, crew: Crew
) -> tuple[Floats, Floats]:
    n, k = codes.size, medoids.size
    own, other = np.empty(n), np.full(n, np.inf)
    everyone = np.arange(n)

    def measure(rows: slice) -> None:
        found = np.array(block(everyone[rows], medoids))
        line, mine = np.arange(found.shape[0]), codes[rows]
        own[rows] = found[line, mine]
        if k > 1:
            found[line, mine] = np.inf
            other[rows] = found.min(axis=1)

    for rows, _ in crew.map(measure, spans(n, max(1, _BLOCK // k))):
        crew.advance((rows.stop - rows.start) * k)
    return own, other


def _least_of_clusters(sums: Floats, bounds: Ints) -> Ints:
    """Position of the least value of each cluster; of values that differ by rounding alone the first."""
    least = np.minimum.reduceat(sums, bounds[:-1]) * (1 + 1e-12)
    places = np.flatnonzero(sums <= np.repeat(least, np.diff(bounds)))
    return np.asarray(places[np.searchsorted(places, bounds[:-1])])


def _sums_of_points(X: Any, _: Block, order: Ints, bounds: Ints, crew: Crew) -> Floats:
    """Sum of the distances from each sorted point to those of its cluster."""
    from adjudge.kernels.reachability import add_within

    points = np.ascontiguousarray(X[order].T, np.float64)
    sums = np.zeros(order.size)
    ends = np.repeat(bounds[1:], np.diff(bounds))
    starts = np.repeat(bounds[:-1], np.diff(bounds))
    reads = np.concatenate([[0], np.cumsum(ends - starts)])

    def work(rows: slice) -> None:
        add_within(points, rows.start, rows.stop, starts, ends, sums)

    for rows, _none in crew.map(work, spans(order.size)):
        crew.advance(int(reads[rows.stop] - reads[rows.start]))
    return sums


def _sums_of_blocks(X: Any, block: Block, order: Ints, bounds: Ints, crew: Crew) -> Floats:
    """Sum of the distances from each sorted point to those of its cluster, as a function gives them by the block."""
    sums = np.zeros(order.size)

    def work(rows: slice) -> int:
        cluster = int(np.searchsorted(bounds, rows.start, "right")) - 1
        first, last = int(bounds[cluster]), int(bounds[cluster + 1])
        sums[rows] = sum(
            block(order[rows], order[first + part.start : first + part.stop]).sum(axis=1)
            for part in spans(last - first, _COLUMNS)
        )
        return int(rows.stop - rows.start) * (last - first)

    # A point alone, and the first of two, are known.
    runs = (
        slice(int(a) + part.start, int(a) + part.stop)
        for a, b in pairwise(bounds)
        if b - a > 2
        for part in spans(int(b - a), max(1, _BLOCK // min(int(b - a), _COLUMNS)))
    )
    for _, reads in crew.map(work, runs):
        crew.advance(reads)
    crew.advance(int((np.diff(bounds)[np.diff(bounds) <= 2] ** 2).sum()))
    return sums


def outside_extremes(
    X: Any, codes: Ints, metric: Metric, crew: Crew, closest: Floats | None = None
) -> OutsideExtremes:
    """Look at all distances between clusters.

    `closest` are those of each point to the nearest one of another cluster, if they are known.
    """
    sizes = np.bincount(codes)
    n, k = codes.size, sizes.size
    # Clusters of one point come last.
    clusters = np.argsort(sizes == 1, kind="stable")
    rank = np.empty(k, np.int64)
    rank[clusters] = np.arange(k)
    codes = rank[codes]
    order, bounds = by_cluster(codes)
    nearest, least = np.full(n, np.inf), np.full(k, np.inf)
    if k > 1:
        crew.expect(n * n)
        measure = _extremes_of_blocks
        if keeps_centroids(X, metric):
            are_compact = X.shape[1] <= _FEW_DIMENSIONS and n >= _POINTS_A_CLUSTER * k
            are_large = n >= MANY_POINTS_A_CLUSTER * k and closest is None
            measure = _extremes_of_large_clusters if are_large else _extremes_of_points
            measure = _extremes_of_compact_blocks if are_compact else measure
        if closest is None or not _reach_few(X, metric, order, bounds, least):
            measure(X, metric, order, bounds, codes[order], crew, nearest, least)
        else:
            nearest[:] = closest[order]
    found, least_reach = np.empty(n), np.empty(k)
    found[order] = nearest
    least_reach[clusters] = least
    return OutsideExtremes(sizes, found, least_reach)


def _extremes_of_large_clusters(
    X: Any, metric: Metric, order: Ints, bounds: Ints, own: Ints, crew: Crew, nearest: Floats, least: Floats
) -> None:
    """Measure pairs of clusters once for the nearest points, and only a few points for the least reach."""
    from adjudge.engines.reachability import nearest_outside

    if not _reach_few(X, metric, order, bounds, least):
        _extremes_of_points(X, metric, order, bounds, own, crew, nearest, least)
        return
    nearest[:] = np.sqrt(nearest_outside(X, order, own, crew))
    crew.advance(own.size**2 // 2)


def _reach_few(X: Any, metric: Metric, order: Ints, bounds: Ints, least: Floats) -> bool:
    """Fill in the least reach of each cluster if few points have to be measured for it; whether they were few."""
    if not keeps_centroids(X, metric) or order.size < MANY_POINTS_A_CLUSTER * least.size:
        return False
    points = np.asarray(X[order], np.float64)
    # In this thread, where it can be interrupted: few points are measured.
    found = [least_reach(points, bounds, k) for k in range(least.size)]
    if None in found:
        return False
    least[:] = np.sqrt(np.array(found, np.float64))
    return True


def _extremes_of_points(
    X: Any, metric: Metric, order: Ints, bounds: Ints, own: Ints, crew: Crew, nearest: Floats, least: Floats
) -> None:
    from adjudge.kernels.neighbours import outside_extremes as measure

    points = SortedPoints.of(X, order)
    n_large = int((np.diff(bounds) > 1).sum())
    single = int(bounds[n_large])

    def work(rows: slice) -> Floats:
        reach = np.full(least.size, np.inf)
        tiles = points.n, points.tiles, bounds, single, points.buffer()
        measure(points.run(rows), own[rows], *tiles, nearest[rows], reach)
        return reach

    for rows, reach in crew.map(work, spans(own.size)):
        np.minimum(least, reach, out=least)
        crew.advance((rows.stop - rows.start) * own.size)
    # The nearest point to one that is alone is the nearest of those outside of its cluster.
    least[n_large:] = nearest[single:]
    np.sqrt(nearest, out=nearest)
    np.sqrt(least, out=least)


def _extremes_of_compact_blocks(
    X: Any, metric: Metric, order: Ints, bounds: Ints, own: Ints, crew: Crew, nearest: Floats, least: Floats
) -> None:
    """Leave out pairs of blocks that are too far from each other, or too near, to matter."""
    from adjudge.engines.compact_blocks import CompactBlocks
    from adjudge.kernels.neighbours import BLOCK, least_reach_of_blocks, nearest_of_blocks

    blocks = CompactBlocks.of(X, order, bounds)
    n, k = own.size, least.size
    found = np.full((blocks.n, BLOCK), np.inf)

    def near(run: slice) -> None:
        nearest_of_blocks(*blocks.operands, run.start, run.stop, blocks.buffer(), found.reshape(-1))

    def reach(cluster: int) -> None:
        least[cluster] = least_reach_of_blocks(*blocks.operands, cluster, blocks.buffer())

    for run, _ in crew.map(near, spans(blocks.n, _BLOCKS_A_TASK)):
        crew.advance(n * n * (run.stop - run.start) // (2 * blocks.n))
    for _ in crew.map(reach, range(k)):
        crew.advance(n * n // (2 * k))
    nearest[blocks.positions] = found[blocks.is_point]
    np.sqrt(nearest, out=nearest)
    np.sqrt(least, out=least)


def _extremes_of_blocks(
    X: Any, metric: Metric, order: Ints, bounds: Ints, own: Ints, crew: Crew, nearest: Floats, least: Floats
) -> None:
    block = _block_of(X, metric)

    def work(rows: slice) -> tuple[Floats, Floats]:
        found = np.array(block(order[rows], order))
        line, mine = np.arange(found.shape[0]), own[rows]
        farthest = np.maximum.reduceat(found, bounds[:-1], axis=1)
        closest = np.minimum.reduceat(found, bounds[:-1], axis=1)
        farthest[line, mine] = closest[line, mine] = np.inf
        return closest.min(axis=1), farthest.min(axis=0)

    for rows, (closest, reach) in crew.map(work, spans(own.size, max(1, _BLOCK // own.size))):
        nearest[rows] = closest
        np.minimum(least, reach, out=least)
        crew.advance((rows.stop - rows.start) * own.size)


def distance_squares(X: Any, n: int, metric: Metric, moments: Moments | None, crew: Crew) -> DistanceSquares:
    """Add up the squares of all distances: in Euclidean space they are N times the total dispersion."""
    if moments is not None:
        return DistanceSquares(n * float(moments.total_columns.sum()))
    block = _block_of(X, metric)
    everyone = np.arange(n)
    crew.expect(n * n)

    def work(rows: slice) -> float:
        return sum(
            float((block(everyone[rows], everyone[columns]) ** 2).sum()) for columns in spans(n, _COLUMNS)
        )

    total = 0.0
    for rows, part in crew.map(work, spans(n, max(1, _BLOCK // min(n, _COLUMNS)))):
        total += part
        crew.advance((rows.stop - rows.start) * n)
    return DistanceSquares(total / 2)
