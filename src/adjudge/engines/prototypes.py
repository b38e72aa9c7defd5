"""Distances from points to cluster prototypes, centroids or medoids: to their own, and to the nearest other one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.medoids import (
    medoids_from_blocks,
    medoids_from_points,
    medoids_from_squares,
    medoids_from_sums,
)
from adjudge.engines.nearest_prototypes import nearest_places
from adjudge.engines.pairs.block_distances import Block, checked_blocks
from adjudge.engines.pairs.euclidean_embeddings import euclidean_points
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import by_cluster, strips
from adjudge.given.metrics import Metric
from adjudge.statistics.moments import Moments
from adjudge.statistics.prototypes import CentroidProfile, MedoidProfile

__all__ = ["centroid_profile", "medoid_profile"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def centroid_profile(X: NDArray[Any], codes: Ints, moments: Moments, crew: Crew) -> CentroidProfile:
    """Measure each point against all centroids, which `moments` holds relative to its origin."""
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

    `own_sums` are the sums of the distances from each point to those of its cluster, if known.
    """
    order, bounds = by_cluster(codes)
    sizes = np.diff(bounds)
    crew.expect((int((sizes**2).sum()) if own_sums is None else 0) + codes.size * sizes.size)
    placed = euclidean_points(X, metric)
    medoids = None if own_sums is None else medoids_from_sums(own_sums[order], order, bounds)
    if placed is None:
        block = checked_blocks(X, metric)
        medoids = medoids_from_blocks(block, order, bounds, crew) if medoids is None else medoids
        return MedoidProfile(sizes, codes, medoids, *_from_blocks(block, codes, medoids, crew))
    points, rooted = placed
    if medoids is None:
        medoids = (medoids_from_points if rooted else medoids_from_squares)(points, order, bounds, crew)
    squares = _squares_from_points(points, codes, medoids, crew)
    own, other = map(np.sqrt, squares) if rooted else squares
    return MedoidProfile(sizes, codes, medoids, own, other)


def _squares_from_points(X: NDArray[Any], codes: Ints, medoids: Ints, crew: Crew) -> tuple[Floats, Floats]:
    """Return the squared distance of each point to its own medoid, and to the nearest other one."""
    places = np.asarray(X[medoids], np.float64)
    found = nearest_places(
        lambda rows: np.asarray(X[rows], np.float64), codes, places, [np.zeros(medoids.size)], crew
    )
    return found.own, found.others[0]


def _from_blocks(block: Block, codes: Ints, medoids: Ints, crew: Crew) -> tuple[Floats, Floats]:
    """Return the distances to each point's own medoid and to the nearest other one, from a function of positions."""
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

    for rows, _ in crew.map(measure, strips(n, k)):
        crew.advance((rows.stop - rows.start) * k)
    return own, other
