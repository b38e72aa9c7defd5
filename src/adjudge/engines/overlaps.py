"""The largest overlap of each cluster with another (Davies-Bouldin), skipping those that are too far away."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.compact_blocks import CompactBlocks
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans
from adjudge.kernels.overlaps import overlaps_of_blocks, overlaps_of_few
from adjudge.statistics.moments import FEW_CLUSTERS

__all__ = ["any_coincide", "largest_overlaps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Centroids in a block.
_BLOCK = 128
_BLOCKS_A_TASK = 4
# Threads do not pay off with fewer centroids.
_MANY = 1024


def largest_overlaps(centroids: Floats, radii: Floats, crew: Crew) -> Floats:
    """Find for each cluster the largest (r_k + r_l) / d(k, l) over the others.

    Each centroid is compared with blocks of others, whose box and largest radius bound the overlap; single points,
    which have no radius, are not compared with each other.

    Parameters
    ----------
    centroids : ndarray of shape (K, p)
    radii : ndarray of shape (K,)
        Not negative.
    crew : Crew

    Returns
    -------
    ndarray of shape (K,)
        inf if the centroids of two clusters coincide, unless neither has a radius; 0 for one cluster.
    """
    if radii.size <= FEW_CLUSTERS:
        return np.asarray(overlaps_of_few(centroids, radii))
    order, bounds = _by_magnitude(radii)
    blocks = CompactBlocks.of(centroids, order, bounds, _BLOCK)
    places = order[blocks.positions]
    own_radii, best = np.zeros((2, blocks.n, _BLOCK))
    own_radii[blocks.is_point] = radii[places]
    low, high = np.ascontiguousarray(blocks.boxes.swapaxes(1, 2))
    widest = own_radii.max(axis=1)

    def compare(run: slice) -> None:
        overlaps_of_blocks(
            blocks.rows,
            blocks.tiles,
            blocks.widths,
            low,
            high,
            own_radii.ravel(),
            widest,
            run.start,
            run.stop,
            best.ravel(),
        )

    for _ in crew.map(compare, spans(blocks.n, _BLOCKS_A_TASK), threads=radii.size >= _MANY):
        pass
    overlaps = np.empty(radii.size)
    overlaps[places] = best[blocks.is_point]
    return overlaps


def _by_magnitude(radii: Floats) -> tuple[Ints, Ints]:
    """Sort clusters by the magnitude of their radii, the largest first: after them, little is left to find.

    Returns the order, and where each magnitude begins (and the last one ends).
    """
    magnitudes = np.where(radii > 0, np.frexp(radii)[1], np.iinfo(np.int32).min)
    order = np.argsort(-magnitudes.astype(np.int64), kind="stable")
    starts = np.flatnonzero(np.diff(magnitudes[order])) + 1
    return order, np.concatenate([[0], starts, [radii.size]])


def any_coincide(points: Floats) -> bool:
    """Tell whether any two points are equal."""
    if points.shape[0] < 2:
        return False
    ordered = points[np.lexsort(points.T)]
    return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())
