"""Bounds of statistics of closest and farthest points, from the distances of all points to a few landmarks.

By the triangle inequality, a point within r of its landmark s has a distance of at least d(x, s) - r and at most
d(x, s) + r from any x: the distances of N points to m landmarks bound those of all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.block_distances import block_function
from adjudge.engines.running.executor import Crew
from adjudge.given.metrics import Metric
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    SingleLinkage,
)

__all__ = ["Bounds", "bounds_from_landmarks"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Distances of a chunk of points to all landmarks: few enough for a cache.
_CHUNK = 1 << 17
# Rounding error of a sum of two distances, as a fraction of the largest one.
_ROUNDING = 1e-12

#: The smallest and the largest possible value of a statistic.
Bounds = tuple[Any, Any]


@dataclass(frozen=True, eq=False)
class _Landmarks:
    """Some points of every cluster, sorted by cluster.

    Attributes
    ----------
    positions : ndarray of shape (m,)
    starts : ndarray of shape (K,)
        Where the landmarks of each cluster begin.
    radii, counts, sums : ndarray of shape (m,)
        Over the points of its cluster that are nearest to a landmark: largest distance, number, sum of distances.
    """

    positions: Ints
    starts: Ints
    radii: Floats
    counts: Ints
    sums: Floats


@dataclass(frozen=True, eq=False)
class _ToLandmarks:
    """Distances of each cluster's points to landmarks.

    Attributes
    ----------
    nearest, farthest, sums : ndarray of shape (K, m)
        Over the points of the cluster.
    reach_low, reach_high : ndarray of shape (K, K)
        Bounds of the largest distance from a point of the first cluster to the nearest of the second.
    """

    nearest: Floats
    farthest: Floats
    sums: Floats
    reach_low: Floats
    reach_high: Floats


class _Distances:
    """Visits the points of each cluster in chunks, which do not depend on the crew."""

    def __init__(self, X: Any, codes: Ints, sizes: Ints, metric: Metric, crew: Crew) -> None:
        self._block = block_function(X, metric)
        self._order = np.argsort(codes, kind="stable")
        self._stops = np.cumsum(sizes)
        self._starts = self._stops - sizes
        self._crew = crew

    def to_one(self, row: int, columns: Ints) -> Floats:
        """Return the distances from one point to some others."""
        one: Floats = self._block(np.array([row]), columns)[0]
        return one

    def chunks(
        self, columns: Callable[[int], Ints], reduce: Callable[[Floats], tuple[Any, ...]]
    ) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Yield each cluster with the reduced distances from some of its points to some others."""

        def spans() -> Iterator[tuple[int, int, int]]:
            for k, (start, stop) in enumerate(zip(self._starts, self._stops, strict=True)):
                step = max(1, _CHUNK // columns(k).size)
                for first in range(start, stop, step):
                    yield k, first, min(first + step, stop)

        def work(span: tuple[int, int, int]) -> tuple[Any, ...]:
            k, first, last = span
            return reduce(self._block(self._order[first:last], columns(k)))

        for (k, _, _), found in self._crew.map(work, spans()):
            yield k, found


def bounds_from_landmarks(
    X: Any,
    codes: Ints,
    sizes: Ints,
    pool: Ints,
    most: int,
    wanted: set[type],
    metric: Metric,
    crew: Crew,
) -> dict[type, Bounds]:
    """Bound closest and farthest points, and sums, of all pairs.

    Each landmark is the point of its cluster's pool that is farthest from the landmarks before it.

    Parameters
    ----------
    X, codes, sizes
        Checked points, the codes of their clusters, and the clusters' sizes.
    pool : ndarray of int64
        Distinct positions that landmarks are chosen from, some in every cluster.
    most : int
        The approximate number of landmarks; each cluster gets its share, and at least one.
    wanted : set of type
        What to bound, among SingleLinkage, CompleteLinkage, Hausdorff, Diameters and PairSums.
    metric : str
        A distance that obeys the triangle inequality.
    crew : Crew

    Returns
    -------
    dict
        From a type to the statistic with the smallest and with the largest possible values.
    """
    distances = _Distances(X, codes, sizes, metric, crew)
    shares = np.maximum(1, np.round(sizes * (most / codes.size)).astype(np.int64))
    rows = [_spread(distances, pool[codes[pool] == k], int(share)) for k, share in enumerate(shares)]
    landmarks = _cells(distances, sizes, rows)
    found = _bounds(sizes, landmarks, _to_landmarks(distances, sizes, landmarks, wanted))
    return {t: bounds for t, bounds in found.items() if t in wanted}


def _spread(distances: _Distances, pool: Ints, most: int) -> Ints:
    """Choose points that are far from each other."""
    chosen = [0]
    nearest = distances.to_one(int(pool[0]), pool)
    while len(chosen) < most and nearest.any():
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, distances.to_one(int(pool[chosen[-1]]), pool))
    return pool[chosen]


def _cells(distances: _Distances, sizes: Ints, rows: list[Ints]) -> _Landmarks:
    positions = np.concatenate(rows)
    stops = np.cumsum([own.size for own in rows])
    starts = stops - [own.size for own in rows]
    radii, sums = np.zeros(positions.size), np.zeros(positions.size)
    counts = np.zeros(positions.size, np.int64)

    def nearest(block: Floats) -> tuple[NDArray[Any], ...]:
        own = block.argmin(axis=1)
        least = block[np.arange(own.size), own]
        radii = np.zeros(block.shape[1])
        np.maximum.at(radii, own, least)
        return (
            np.bincount(own, minlength=radii.size),
            radii,
            np.bincount(own, weights=least, minlength=radii.size),
        )

    for k, (met, farthest, total) in distances.chunks(lambda k: rows[k], nearest):
        own = slice(int(starts[k]), int(stops[k]))
        counts[own] += met
        radii[own] = np.maximum(radii[own], farthest)
        sums[own] += total
    return _Landmarks(positions, starts, radii, counts, sums)


def _to_landmarks(
    distances: _Distances, sizes: Ints, landmarks: _Landmarks, wanted: set[type]
) -> _ToLandmarks:
    k, m = sizes.size, landmarks.positions.size
    found = _ToLandmarks(
        np.full((k, m), np.inf), np.zeros((k, m)), np.zeros((k, m)), np.zeros((k, k)), np.zeros((k, k))
    )

    def reduced(block: Floats) -> tuple[Floats | float, ...]:
        nearest, farthest = block.min(axis=0), block.max(axis=0)
        sums: Floats | float = block.sum(axis=0) if PairSums in wanted else 0.0
        if Hausdorff not in wanted:
            return nearest, farthest, sums, 0.0, 0.0
        high = np.minimum.reduceat(block, landmarks.starts, axis=1).max(axis=0)
        low = np.minimum.reduceat(block - landmarks.radii, landmarks.starts, axis=1).max(axis=0)
        return nearest, farthest, sums, low, high

    for i, (nearest, farthest, sums, low, high) in distances.chunks(lambda _: landmarks.positions, reduced):
        found.nearest[i] = np.minimum(found.nearest[i], nearest)
        found.farthest[i] = np.maximum(found.farthest[i], farthest)
        found.sums[i] += sums
        found.reach_low[i] = np.maximum(found.reach_low[i], low)
        found.reach_high[i] = np.maximum(found.reach_high[i], high)
    return found


def _bounds(sizes: Ints, landmarks: _Landmarks, to: _ToLandmarks) -> dict[type, Bounds]:
    k, radii, starts = sizes.size, landmarks.radii, landmarks.starts
    slack = _ROUNDING * float(to.farthest.max())

    def over(reduce: np.ufunc, values: Floats) -> Floats:
        """Reduce over the landmarks of each cluster."""
        return np.asarray(reduce.reduceat(values, starts, axis=1))

    def linkage(type_: Any, low: Floats, high: Floats) -> Bounds:
        off = ~np.eye(k, dtype=bool)
        ends = (max(0.0, float(low[off].min()) - slack), float(high[off].min()) + slack) if k > 1 else ()
        least, most = ends or (np.nan, np.nan)
        return type_(k, least, None), type_(k, most, None)

    # Distances are symmetric: a bound found from either cluster holds.
    largest, smallest = np.maximum, np.minimum
    closest_low = over(np.minimum, to.nearest - radii)
    closest_high = over(np.minimum, to.nearest)
    farthest_low = over(np.maximum, to.farthest)
    farthest_high = over(np.maximum, to.farthest + radii)
    found: dict[type, Bounds] = {
        SingleLinkage: linkage(
            SingleLinkage, largest(closest_low, closest_low.T), smallest(closest_high, closest_high.T)
        ),
        CompleteLinkage: linkage(
            CompleteLinkage, largest(farthest_low, farthest_low.T), smallest(farthest_high, farthest_high.T)
        ),
        Hausdorff: linkage(
            Hausdorff, largest(to.reach_low, to.reach_low.T), largest(to.reach_high, to.reach_high.T)
        ),
    }
    # All points lie in a ball around each landmark.
    across = np.minimum(np.diag(farthest_high), 2 * np.diag(over(np.minimum, to.farthest)))
    found[Diameters] = (
        Diameters(sizes, np.maximum(np.diag(farthest_low) - slack, 0.0)),
        Diameters(sizes, across + slack * (across > 0)),
    )
    return found | {PairSums: _sums(sizes, landmarks, to)}


def _sums(sizes: Ints, landmarks: _Landmarks, to: _ToLandmarks) -> Bounds:
    """Bound sums of distances: every point is moved to its landmark, which changes them by at most its distance."""
    k = sizes.size
    middle = np.add.reduceat(to.sums * landmarks.counts, landmarks.starts, axis=1)
    moved = np.multiply.outer(sizes, np.add.reduceat(landmarks.sums, landmarks.starts)) + _ROUNDING * middle
    low = np.maximum(np.maximum(middle - moved, (middle - moved).T), 0.0)
    high = np.minimum(middle + moved, (middle + moved).T)
    pairs = np.multiply.outer(sizes, sizes)
    off = ~np.eye(k, dtype=bool)

    def made(sums: Floats) -> PairSums:
        smallest = float((sums / pairs)[off].min()) if k > 1 else np.nan
        within = np.where(sizes > 1, np.diag(sums) / 2, 0.0)
        return PairSums(sizes, within, float(np.tril(sums, -1).sum()), smallest, None)

    return made(low), made(high)
