"""Closest points of different clusters by a tree, and diameters by pruning, both without a pass over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import by_cluster, spans
from adjudge.kernels.closest import closest_of_clusters
from adjudge.kernels.farthest import farthest, farthest_of_few, farthest_of_tree
from adjudge.kernels.pair_tiles import ROWS
from adjudge.statistics.pair_distances import Diameters, SingleLinkage

__all__ = ["diameter", "is_faster", "nearest_and_farthest"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Measured: below this many points the pass over all pairs takes no longer, and in more dimensions trees stop pruning.
_MANY_POINTS = 4000
_FEW_DIMENSIONS = 4
_TILE = 256
# Maximum number of points in a leaf.
_LEAF = 16
# Maximum size of a cluster whose pairs are all measured.
_FEW_POINTS = 64
_CLUSTERS_A_TASK = 256
# Pairs of nodes that one call visits.
_NODES_AT_ONCE = 1 << 17
# Squares summed in one call, for a tenth of a second: Ctrl-C takes effect between calls.
_PRODUCTS_AT_ONCE = 200_000_000
# Maximum number of points far from the middle to compare in pairs, farthest first; no limit in more dimensions.
_FEW_FAR = 8192


def is_faster(types: set[type], n: int, p: int) -> bool:
    """Return whether a tree makes the statistics sooner than the pass."""
    return types <= {SingleLinkage, Diameters} and n >= _MANY_POINTS and p <= _FEW_DIMENSIONS


def nearest_and_farthest(
    X: NDArray[Any], codes: Ints, sizes: Ints, types: set[type], crew: Crew
) -> dict[type, Any]:
    """Compute the smallest distance between clusters, and their diameters."""
    found: dict[type, Any] = {}
    if Diameters in types:
        found[Diameters] = Diameters(sizes, _diameters(X, codes, crew))
    if SingleLinkage in types:
        found[SingleLinkage] = SingleLinkage(sizes.size, _separation(X, codes, sizes.size), None)
    return found


def _diameters(X: NDArray[Any], codes: Ints, crew: Crew) -> Floats:
    order, bounds = by_cluster(codes)
    points = np.ascontiguousarray(X[order], np.float64)
    found = np.zeros(bounds.size - 1)

    def measure(clusters: slice) -> None:
        for k in range(clusters.start, clusters.stop):
            first, last = int(bounds[k]), int(bounds[k + 1])
            few = last - first <= _FEW_POINTS
            found[k] = farthest_of_few(points, first, last) if few else diameter(points[first:last])

    step = _CLUSTERS_A_TASK if found.size > _CLUSTERS_A_TASK else 1
    for _ in crew.map(measure, spans(found.size, step)):
        pass
    return found


def diameter(points: Floats) -> float:
    """Find the largest distance between two points, skipping most pairs."""
    from adjudge.engines.pairs.tiles import aligned_zeros

    n, p = points.shape
    radii = np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1))
    known = _sweep_back_and_forth(points, int(np.argmax(radii)))
    # All other points are too close to the middle to be farther apart.
    far = np.flatnonzero((radii + radii.max()) * (1 + 1e-12) >= known)
    if far.size > _FEW_FAR and p <= _FEW_DIMENSIONS:
        return _diameter_by_tree(points[far], known)
    far = far[np.argsort(-radii[far], kind="stable")]
    points, radii, n = points[far], radii[far], far.size
    rows = np.zeros((-(-n // ROWS) * ROWS, p + p % 2))
    rows[:n, :p] = points
    tiles = aligned_zeros((-(-n // _TILE), p + p % 2, _TILE))
    for t in range(tiles.shape[0]):
        part = points[t * _TILE : (t + 1) * _TILE]
        tiles[t, :p, : part.shape[0]] = part.T
    first, best, most = 0, known * known, max(1, _PRODUCTS_AT_ONCE // (ROWS * _TILE * p))
    while first < n:
        first, best = farthest(rows, first, n, radii, tiles, best, most)
    return float(np.sqrt(best))


def _diameter_by_tree(points: Floats, known: float) -> float:
    """Compare only opposite nodes of a tree, for points that are about equally far from the middle, as on a ring."""
    _, bounds, points = _leaves(points)
    boxes = _of_nodes(np.minimum, points, bounds), _of_nodes(np.maximum, points, bounds)
    todo, n_todo, best = np.empty((256, 2), np.int64), 1, known * known
    todo[0] = 1
    while n_todo:
        n_todo, best = farthest_of_tree(points, bounds, *boxes, todo, n_todo, best, _NODES_AT_ONCE)
    return float(np.sqrt(best))


def _leaves(points: Floats) -> tuple[Ints, Ints, Floats]:
    """Return an order that places nearby points next to each other, where each leaf begins, and the ordered points."""
    from scipy.spatial import cKDTree

    order = cKDTree(points, leafsize=_LEAF, compact_nodes=False).indices
    n_leaves = 1 << max(0, -(-order.size // _LEAF) - 1).bit_length()
    return order, np.arange(n_leaves + 1) * order.size // n_leaves, points[order]


def _sweep_back_and_forth(points: Floats, start: int) -> float:
    """Go from point to farthest point as long as the distance grows: it is a lower bound of the diameter."""
    known = 0.0
    for _ in range(8):
        # Summed over the columns in order, as everywhere else.
        squares = np.zeros(points.shape[0])
        for column in points.T:
            squares += (column - column[start]) ** 2
        start = int(np.argmax(squares))
        if squares[start] <= known * known:
            break
        known = float(np.sqrt(squares[start]))
    return known


def _separation(X: NDArray[Any], codes: Ints, k: int) -> float:
    """Return the smallest distance between points of two clusters; pairs of nodes within one cluster are skipped."""
    if k == 1:
        return float("nan")
    order, bounds, points = _leaves(np.asarray(X, np.float64))
    codes = codes[order]
    clusters, last = _of_nodes(np.minimum, codes, bounds), _of_nodes(np.maximum, codes, bounds)
    clusters[clusters != last] = -1
    boxes = _of_nodes(np.minimum, points, bounds), _of_nodes(np.maximum, points, bounds)
    return float(np.sqrt(closest_of_clusters(points, codes, bounds, *boxes, clusters)))


def _of_nodes(extreme: np.ufunc, values: NDArray[Any], bounds: Ints) -> NDArray[Any]:
    """Return the smallest or largest values of the nodes of a binary tree, numbered as in `closest_of_clusters`."""
    n_leaves = bounds.size - 1
    found = np.zeros((2 * n_leaves, *values.shape[1:]), values.dtype)
    found[n_leaves:] = extreme.reduceat(values, bounds[:-1], axis=0)
    while n_leaves > 1:
        found[n_leaves // 2 : n_leaves] = extreme(
            found[n_leaves : 2 * n_leaves : 2], found[n_leaves + 1 : 2 * n_leaves : 2]
        )
        n_leaves //= 2
    return found
