"""The largest overlap of each cluster with another (Davies-Bouldin), without a look at those that are too far away."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.crew import Crew
from adjudge.kernels.centroids import compare_blocks

__all__ = ["any_coincide", "largest_overlaps"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Centroids of a block.
_BLOCK = 128
# Threads do not pay for fewer centroids.
_MANY = 1024
# The only block, and what it is compared with.
_ITSELF = np.zeros(1, np.int64)
_NO_BOUND = np.full(1, np.inf)
# A bound may be too small by rounding.
_SLACK = 1 + 1e-9


def largest_overlaps(centroids: Floats, radii: Floats, crew: Crew) -> Floats:
    """Find for each cluster the largest (r_k + r_l) / d(k, l) over the others.

    Centroids are compared block by block. The boxes and the largest radii of two blocks bound what their clusters can
    reach; single points, which have no radius, are not compared with each other.

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
    if radii.size <= _BLOCK:
        return _overlaps_in_a_block(centroids, radii)
    runs = [*_blocks(centroids, radii)]
    order = np.concatenate(runs)
    ends = np.cumsum([run.size for run in runs])
    starts = np.append(0, ends)
    columns, sorted_radii = np.ascontiguousarray(centroids[order].T), radii[order]
    low = np.minimum.reduceat(columns, starts[:-1], axis=1).T.copy()
    high = np.maximum.reduceat(columns, starts[:-1], axis=1).T.copy()
    widest = np.maximum.reduceat(sorted_radii, starts[:-1])
    best = np.zeros(order.size)

    def compare(own: int) -> None:
        gaps = np.maximum(0.0, np.maximum(low - high[own], low[own] - high))
        reach = widest[own] + widest
        with np.errstate(divide="ignore", invalid="ignore"):
            bounds = np.where(reach > 0, _SLACK * reach / np.sqrt((gaps**2).sum(axis=1)), 0.0)
        promising = np.argsort(-bounds, kind="stable")
        compare_blocks(
            columns,
            sorted_radii,
            starts,
            low,
            high,
            widest,
            own,
            promising,
            bounds,
            _SLACK,
            np.empty(_BLOCK),
            best,
        )

    for _ in crew.map(compare, range(len(runs)), threads=order.size >= _MANY):
        pass
    overlaps = np.empty(order.size)
    overlaps[order] = best
    return overlaps


def _overlaps_in_a_block(centroids: Floats, radii: Floats) -> Floats:
    """Compare all with all: no bound says that some are too far away."""
    low, high = _everywhere(centroids.shape[1])
    best = np.zeros(radii.size)
    compare_blocks(
        np.ascontiguousarray(centroids.T),
        radii,
        np.array([0, radii.size]),
        low,
        high,
        _NO_BOUND,
        0,
        _ITSELF,
        _NO_BOUND,
        _SLACK,
        np.empty(_BLOCK),
        best,
    )
    return best


@lru_cache(maxsize=8)
def _everywhere(p: int) -> tuple[Floats, Floats]:
    """Corners of a box that holds all places of p dimensions."""
    return np.full((1, p), -np.inf), np.full((1, p), np.inf)


def _blocks(centroids: Floats, radii: Floats) -> Iterator[Ints]:
    """Put centroids that are close together, and have radii of one magnitude, into blocks."""
    everyone = np.arange(radii.size)
    magnitudes = np.where(radii > 0, np.frexp(radii)[1], np.iinfo(np.int32).min)
    for magnitude in np.unique(magnitudes):
        todo = [everyone[magnitudes == magnitude]]
        while todo:
            some = todo.pop()
            if some.size <= _BLOCK:
                yield some
                continue
            own = centroids[some]
            widest = int(np.argmax(own.max(axis=0) - own.min(axis=0)))
            halves = np.argpartition(own[:, widest], some.size // 2)
            todo += [some[halves[some.size // 2 :]], some[halves[: some.size // 2]]]


def any_coincide(points: Floats) -> bool:
    """Tell whether two points are equal."""
    if points.shape[0] < 2:
        return False
    ordered = points[np.lexsort(points.T)]
    return bool((ordered[1:] == ordered[:-1]).all(axis=1).any())
