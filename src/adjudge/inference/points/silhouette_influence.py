"""The influence of each point on the silhouette: through its own width, and through the means in those of others.

The widths are not independent: each is computed from distances to all points. Intervals from their spread alone, over
root n, cover the value far less often than they should, at any n. Leaving out each point shows its whole influence.
Without a point, the sums of distances of every other point to the clusters change by one distance, so the jackknife is
a second pass over the distances, with no more memory than the sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints, parts
from adjudge.engines.cluster_sums import sums_to_clusters
from adjudge.engines.pairs.block_distances import block_function
from adjudge.kernels.silhouette_jackknife import nearest_two, widths_without

# Most points that are left out in turn, and the least number of each cluster among them.
_LEFT_OUT = 2000
_OF_EACH = 25
# Most bytes for the sums of distances.
_MOST_BYTES = 1 << 30


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Silhouettes without single points.

    Attributes
    ----------
    points : ndarray of int64 of shape (m,)
        The points left out in turn.
    weights : ndarray of shape (m,)
        Number of points that each of them represents.
    sums : ndarray of shape (m, K)
        Sum of the widths of each cluster.
    """

    points: Ints
    weights: Floats
    sums: Floats


def without_points(
    X: Any, codes: Ints, sizes: Ints, metric: Any, generator: np.random.Generator, n_jobs: int | None = None
) -> LeftOut | None:
    """Leave out each point in turn; with very many points, only some of each cluster.

    Returns
    -------
    LeftOut or None
        None if the sums of distances would take more than a gigabyte.
    """
    n, k = codes.size, sizes.size
    if 8 * n * k > _MOST_BYTES:
        return None
    block = block_function(X, metric)
    sums = sums_to_clusters(X, codes, metric, n_jobs)
    best, which, next_best = nearest_two(sums, codes, sizes)
    points, weights = _some(codes, sizes, generator)
    found = np.zeros((points.size, k))
    everyone = np.arange(n)
    for part in parts(points.size, n):
        distances = np.ascontiguousarray(block(points[part], everyone), np.float64)
        widths_without(distances, points[part], codes, sizes, sums, best, which, next_best, found[part])
    return LeftOut(points, weights, found)


def _some(codes: Ints, sizes: Ints, generator: np.random.Generator) -> tuple[Ints, Floats]:
    n = codes.size
    if n <= _LEFT_OUT:
        return np.arange(n), np.ones(n)
    chosen, weights = [], []
    for cluster, size in enumerate(sizes.tolist()):
        some = min(size, max(_OF_EACH, round(_LEFT_OUT * size / n)))
        chosen.append(np.sort(generator.choice(np.flatnonzero(codes == cluster), some, replace=False)))
        weights.append(np.full(some, size / some))
    return np.concatenate(chosen), np.concatenate(weights)
