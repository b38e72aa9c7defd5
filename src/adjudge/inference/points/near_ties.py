"""Is it clear what an index selects, such as the two clusters farthest apart? Near a tie, it jumps or bends."""

from __future__ import annotations

import math

import numpy as np

from adjudge.blas import factorizing
from adjudge.inference.arrays import Floats, Ints, Numbers
from adjudge.kernels.elementary import logarithms

__all__ = ["box_is_clear", "farthest_is_clear", "nearest_apart"]


# Least number of standard errors between a clear choice and a tie.
_CLEARLY = 2.0


def _clusters(points: Numbers, codes: Ints) -> tuple[list[Floats], Floats]:
    """Return the points by cluster, and the centroids."""
    clusters = [np.asarray(points[codes == cluster], np.float64) for cluster in range(int(codes.max()) + 1)]
    return clusters, np.array([own.mean(axis=0) for own in clusters])


def farthest_is_clear(points: Numbers, codes: Ints) -> bool:
    """Return whether two clusters are farther apart than any other two, by more than chance.

    Parameters
    ----------
    points : ndarray of shape (n, p)
    codes : ndarray of int64 of shape (n,)
        Clusters 0, ..., K - 1.
    """
    k = int(codes.max()) + 1
    if k < 3:
        return True
    clusters, centroids = _clusters(points, codes)
    distances, variances = np.zeros((k, k)), np.zeros((k, k))
    for i, own in enumerate(clusters):
        away = centroids - centroids[i]
        distances[i] = np.sqrt(np.einsum("ij,ij->i", away, away))
        along = (own - centroids[i]) @ away.T
        spread = np.einsum("ij,ij->j", along, along) / len(own) ** 2
        squares = distances[i] ** 2
        variances[i] = np.divide(spread, squares, out=np.zeros(k), where=squares > 0)
    pairs = np.triu_indices(k, 1)
    of_pairs, errors = distances[pairs], (variances + variances.T)[pairs]
    order = np.argsort(of_pairs)
    apart = of_pairs[order[-1]] - of_pairs[order[:-1]]
    return bool((apart > _CLEARLY * np.sqrt(errors[order[-1]] + errors[order[:-1]])).all())


def nearest_apart(points: Numbers, codes: Ints) -> float:
    """Return the smallest distance of near centroids, relative to the distance by chance if they were the same.

    For each cluster, the distances considered are to the nearest other centroid, and to that of the cluster with the
    largest overlap, relative to its distance.

    Parameters
    ----------
    points : ndarray of shape (n, p)
    codes : ndarray of int64 of shape (n,)
        Clusters 0, ..., K - 1, each of two points or more.
    """
    sizes = np.bincount(codes)
    clusters, centroids = _clusters(points, codes)
    spreads = np.array(
        [np.square(own - centre).sum() for own, centre in zip(clusters, centroids, strict=True)]
    )
    errors = spreads / (sizes * (sizes - 1.0))
    radii = np.sqrt(spreads / sizes)
    least = math.inf
    for i in range(sizes.size):
        away = np.sqrt(np.square(centroids - centroids[i]).sum(axis=1))
        away[i] = math.inf
        with np.errstate(divide="ignore"):
            overlaps = (radii + radii[i]) / away
        for j in (int(away.argmin()), int(overlaps.argmax())):
            error = math.sqrt(errors[i] + errors[j])
            least = min(least, away[j] / error if error > 0 else math.inf)
    return least


def box_is_clear(points: Numbers, k: int) -> bool:
    """Return whether it is clear along how many sides of its box the cubic clustering criterion cuts cubes.

    It cuts those sides that are longer than a cube, and jumps if their number changes. The error of the logarithm of a
    side is that of a variance along a principal axis.

    Parameters
    ----------
    points : ndarray of shape (n, p)
    k : int
        Number of clusters.
    """
    centred = np.asarray(points, np.float64)
    centred = centred - centred.mean(axis=0)
    n = len(centred)
    with factorizing(centred.shape[1]):
        squares, axes = np.linalg.eigh(centred.T @ centred)
    squares, axes = squares[::-1], axes[:, ::-1]
    most = min(k - 1, int((squares > squares[0] * 1e-24).sum()))
    if most < 2:
        return True
    dims, logs = np.arange(1, most + 1), logarithms(squares[:most]) / 2
    beyond = logs - (np.cumsum(logs) - math.log(k)) / dims
    influence = (centred @ axes[:, :most]) ** 2 * (n / squares[:most]) / 2
    influence -= np.cumsum(influence, axis=1) / dims
    # The first side always counts. Comparisons before the last side that counts do not matter.
    chosen = max(int(np.flatnonzero(beyond >= 0)[-1]), 1)
    return bool((np.abs(beyond) > _CLEARLY * influence.std(axis=0) / math.sqrt(n))[chosen:].all())
