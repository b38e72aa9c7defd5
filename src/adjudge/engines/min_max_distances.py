"""The least reach of each cluster, the smallest distance from a point outside to its farthest member."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels.extremes import squares_of_pairs

__all__ = ["MANY_POINTS_A_CLUSTER", "least_reaches"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: With fewer points per cluster, a pass over all pairs takes no longer.
MANY_POINTS_A_CLUSTER = 1024
# Points that are measured at a time.
_BATCH = 8
# Measuring one point takes as long as this many points in a pass over all pairs.
_AS_LONG = 32
# Relative error that bounds and distances may have.
_ROUNDING = 1e-11


def least_reaches(points: Floats, bounds: Ints) -> Floats | None:
    """Find, for each cluster, the minimum over the points outside it of the largest squared distance to its points.

    The points with the smallest lower bounds are measured; the members farthest from them then bound the reach from
    all other points, until none of these can be smaller.

    Parameters
    ----------
    points : ndarray of shape (n, p)
        Sorted by cluster.
    bounds : ndarray of int64 of shape (K + 1,)
        Where each cluster begins, and n.

    Returns
    -------
    ndarray of shape (K,) or None
        The same digits that passes over all pairs give; None if too many points would have to be measured.
    """
    found = np.empty(bounds.size - 1)
    # A budget for all clusters together: a pass over all pairs would serve all of them.
    left = points.shape[0] // _AS_LONG
    for cluster in range(found.size):
        least, measured = _least_reach(points, bounds, cluster, left)
        if least is None:
            return None
        found[cluster] = least
        left -= measured
    return found


def _least_reach(points: Floats, bounds: Ints, cluster: int, most: int) -> tuple[float | None, int]:
    """Find the least reach of one cluster, None beyond about `most` measured points, and count those measured."""
    from scipy.spatial.distance import cdist

    first, last = int(bounds[cluster]), int(bounds[cluster + 1])
    members = points[first:last]
    outside = np.concatenate([np.arange(first), np.arange(last, points.shape[0])])
    # A cluster reaches at least as far as its centroid.
    bound = np.asarray(cdist(points[outside], members.mean(axis=0)[None], "sqeuclidean"))[:, 0]
    least, measured = np.inf, 0
    kept: list[tuple[float, int]] = []
    while outside.size:
        if measured > most:
            return None, measured
        n_some = min(_BATCH, outside.size)
        chosen = np.argpartition(bound, n_some - 1)[:n_some]
        some = outside[chosen]
        squares = np.asarray(cdist(points[some], members, "sqeuclidean"))
        kept += zip(squares.max(axis=1).tolist(), some.tolist(), strict=True)
        least = min(least, kept[-n_some:][int(np.argmin(squares.max(axis=1)))][0])
        measured += n_some
        bound[chosen] = np.inf
        farthest = members[np.unique(squares.argmax(axis=1))]
        left = bound * (1 - _ROUNDING) <= least
        outside, bound = outside[left], bound[left]
        if outside.size:
            bound = np.maximum(bound, np.asarray(cdist(points[outside], farthest, "sqeuclidean")).max(axis=1))
            left = bound * (1 - _ROUNDING) <= least
            outside, bound = outside[left], bound[left]
    near = (i for reach, i in kept if reach <= least * (1 + 2 * _ROUNDING))
    return min(_explicit(points[i], members) for i in near), measured


def _explicit(point: Floats, members: Floats) -> float:
    """Return the largest squared distance, as tiles compute it."""
    from scipy.spatial.distance import cdist

    squares = np.asarray(cdist(point[None], members, "sqeuclidean"))[0]
    far = members[squares >= squares.max() * (1 - _ROUNDING)]
    even = np.zeros((2, far.shape[0], point.size + point.size % 2))
    even[0, :, : point.size], even[1, :, : point.size] = point, far
    return float(squares_of_pairs(even[0], even[1]).max())
