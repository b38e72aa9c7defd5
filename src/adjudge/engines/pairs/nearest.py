"""Closest points of different clusters by k-d trees, and diameters by pruning: both without a pass over all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.crew import Crew
from adjudge.statistics.pair_distances import Diameters, SingleLinkage

__all__ = ["is_faster", "nearest_and_farthest"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Measured: below this many points the pass over all pairs takes no longer, and in more dimensions trees stop pruning.
_MANY_POINTS = 20_000
_FEW_DIMENSIONS = 4
_FEW_CLUSTERS = 1000
_TILE = 256


def is_faster(types: set[type], n: int, p: int, k: int) -> bool:
    """Whether trees make the statistics sooner than the pass does."""
    return (
        types <= {SingleLinkage, Diameters}
        and n >= _MANY_POINTS
        and p <= _FEW_DIMENSIONS
        and k <= _FEW_CLUSTERS
    )


def nearest_and_farthest(
    X: NDArray[Any], codes: Ints, sizes: Ints, types: set[type], crew: Crew
) -> dict[type, Any]:
    """Compute the smallest distance between clusters, and their diameters."""
    order = np.argsort(codes.astype(np.uint16), kind="stable")
    ends = np.cumsum(sizes)
    clusters = [
        np.asarray(X[order[end - size : end]], dtype=np.float64)
        for size, end in zip(sizes, ends, strict=True)
    ]
    found: dict[type, Any] = {}
    if Diameters in types:
        diameters = [diameter for _, diameter in crew.map(_diameter, clusters)]
        found[Diameters] = Diameters(sizes, np.array(diameters))
    if SingleLinkage in types:
        found[SingleLinkage] = SingleLinkage(sizes.size, _separation(clusters, crew), None)
    return found


def _diameter(points: Floats) -> float:
    from adjudge.engines.pairs.tiles import aligned_zeros
    from adjudge.kernels.farthest import farthest
    from adjudge.kernels.pair_tiles import ROWS

    n, p = points.shape
    radii = np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1))
    known = _sweep_back_and_forth(points, int(np.argmax(radii)))
    # Others are too close to the middle to be farther from any point.
    far = np.flatnonzero((radii + radii.max()) * (1 + 1e-12) >= known)
    far = far[np.argsort(-radii[far], kind="stable")]
    points, radii, n = points[far], radii[far], far.size
    rows = np.zeros((-(-n // ROWS) * ROWS, p + p % 2))
    rows[:n, :p] = points
    tiles = aligned_zeros((-(-n // _TILE), p + p % 2, _TILE))
    for t in range(tiles.shape[0]):
        part = points[t * _TILE : (t + 1) * _TILE]
        tiles[t, :p, : part.shape[0]] = part.T
    return float(farthest(rows, n, np.append(radii, 0.0), tiles, aligned_zeros((ROWS, _TILE)), known))


def _sweep_back_and_forth(points: Floats, start: int) -> float:
    """Go from a point to its farthest, and on from there, while that is farther: a lower bound of the diameter."""
    known = 0.0
    for _ in range(8):
        # Summed over the columns in order, as everywhere.
        squares = np.zeros(points.shape[0])
        for column in points.T:
            squares += (column - column[start]) ** 2
        start = int(np.argmax(squares))
        if squares[start] <= known * known:
            break
        known = float(np.sqrt(squares[start]))
    return known


def _separation(clusters: list[Floats], crew: Crew) -> float:
    """Smallest distance between points of two clusters, visiting the most promising pairs of clusters first."""
    from scipy.spatial import cKDTree

    k = len(clusters)
    if k == 1:
        return float("nan")
    trees = [
        tree for _, tree in crew.map(lambda c: cKDTree(c, balanced_tree=False, compact_nodes=True), clusters)
    ]
    low = np.array([c.min(axis=0) for c in clusters])
    high = np.array([c.max(axis=0) for c in clusters])
    first, second = np.triu_indices(k, 1)
    gaps = np.maximum(0.0, np.maximum(low[first] - high[second], low[second] - high[first]))
    apart = np.sqrt((gaps**2).sum(axis=1))
    best = np.inf
    for i in np.argsort(apart, kind="stable"):
        if apart[i] > best:
            break
        a, b = int(first[i]), int(second[i])
        if clusters[a].shape[0] > clusters[b].shape[0]:
            a, b = b, a
        # Only points this close to the other cluster's box can improve.
        gap = np.maximum(0.0, np.maximum(low[b] - clusters[a], clusters[a] - high[b]))
        near = clusters[a][(gap**2).sum(axis=1) <= best * best]
        if near.shape[0] == 0:
            continue
        bound = np.nextafter(best, np.inf) if np.isfinite(best) else np.inf
        distance, _ = trees[b].query(near, k=1, distance_upper_bound=bound, workers=crew.n_threads)
        best = min(best, float(np.min(distance)))
        if best == 0.0:
            break
    return best
