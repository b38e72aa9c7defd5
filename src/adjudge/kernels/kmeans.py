"""k-means: greedy k-means++ and Lloyd's iterations with Hamerly's bounds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

__all__ = ["kmeans", "nearest_centroids"]

Array = np.ndarray[Any, Any]

# Sums over columns may be reassociated, which lets them vectorise; the digits of a machine stay the same.
_FAST = {"reassoc", "contract"}


@njit(nogil=True, cache=True, fastmath=_FAST)
def _squared(a: Array, i: int, b: Array, c: int) -> float:
    """Squared distance of row i of one matrix to row c of another."""
    total = 0.0
    for j in range(a.shape[1]):
        d = a[i, j] - b[c, j]
        total += d * d
    return total


@njit(nogil=True, cache=True)
def _copy_row(a: Array, i: int, b: Array, c: int) -> None:
    # A loop: assigning slices takes long to compile.
    for j in range(a.shape[1]):
        b[c, j] = a[i, j]


@njit(nogil=True, cache=True)
def _seed(X: Array, draws: Array, centroids: Array) -> None:
    """Choose centroids among the points: each time the best of some candidates drawn by their squared distance."""
    n = X.shape[0]
    trials = draws.shape[1]
    nearest = np.empty(n)
    candidate = np.empty(n)
    best = np.empty(n)
    first = min(int(draws[0, 0] * n), n - 1)
    _copy_row(X, first, centroids, 0)
    total = 0.0
    for i in range(n):
        nearest[i] = _squared(X, i, centroids, 0)
        total += nearest[i]
    for c in range(1, centroids.shape[0]):
        best_total = np.inf
        best_point = 0
        for t in range(trials):
            target = draws[c, t] * total
            point = n - 1
            running = 0.0
            for i in range(n):
                running += nearest[i]
                if running > target:
                    point = i
                    break
            candidate_total = 0.0
            for i in range(n):
                d = min(nearest[i], _squared(X, i, X, point))
                candidate[i] = d
                candidate_total += d
            if candidate_total < best_total:
                best_total = candidate_total
                best_point = point
                best, candidate = candidate, best
        _copy_row(X, best_point, centroids, c)
        nearest, best = best, nearest
        total = best_total


@njit(nogil=True, cache=True)
def _two_nearest(X: Array, i: int, centroids: Array) -> tuple[int, float, float]:
    best = 0
    first = np.inf
    second = np.inf
    for c in range(centroids.shape[0]):
        d = _squared(X, i, centroids, c)
        if d < first:
            second = first
            first = d
            best = c
        elif d < second:
            second = d
    return best, math.sqrt(first), math.sqrt(second)


@njit(nogil=True, cache=True)
def nearest_centroids(X: Array, centroids: Array, codes: Array) -> float:
    """Code each point by its nearest centroid (the first on ties); sum of the squared distances."""
    total = 0.0
    for i in range(X.shape[0]):
        best, first, _ = _two_nearest(X, i, centroids)
        codes[i] = best
        total += first * first
    return total


@njit(nogil=True, cache=True)
def kmeans(
    X: Array, draws: Array, max_iter: int, tol: float, codes: Array, centroids: Array
) -> tuple[float, int]:
    """Cluster the points; fills `codes` and `centroids`, returns the inertia and the number of iterations.

    `draws` of shape (K, trials) are uniform random numbers. It stops where the squared steps of the centroids sum to
    `tol` or less. A cluster that gets empty takes the point farthest from its centroid.
    """
    n, p = X.shape
    k = centroids.shape[0]
    _seed(X, draws, centroids)
    upper = np.empty(n)
    lower = np.empty(n)
    sums = np.zeros((k, p))
    sizes = np.zeros(k, np.int64)
    for i in range(n):
        best, first, second = _two_nearest(X, i, centroids)
        codes[i] = best
        upper[i] = first
        lower[i] = second
        sizes[best] += 1
        for j in range(p):
            sums[best, j] += X[i, j]
    half = np.empty(k)
    steps = np.empty(k)
    fresh = np.empty((1, p))
    iterations = 0
    while iterations < max_iter:
        iterations += 1
        for c in range(k):
            if sizes[c] > 0:
                continue
            far = -1
            distance = -1.0
            for i in range(n):
                if sizes[codes[i]] > 1:
                    d = _squared(X, i, centroids, codes[i])
                    if d > distance:
                        distance = d
                        far = i
            old = codes[far]
            sizes[old] -= 1
            sizes[c] = 1
            codes[far] = c
            upper[far] = np.inf
            lower[far] = 0.0
            for j in range(p):
                sums[old, j] -= X[far, j]
                sums[c, j] = X[far, j]
        moved = 0.0
        longest = 0.0
        for c in range(k):
            for j in range(p):
                fresh[0, j] = sums[c, j] / sizes[c]
            step = _squared(fresh, 0, centroids, c)
            _copy_row(fresh, 0, centroids, c)
            moved += step
            steps[c] = math.sqrt(step)
            longest = max(longest, steps[c])
        for c in range(k):
            nearest = np.inf
            for d in range(k):
                if d != c:
                    nearest = min(nearest, _squared(centroids, c, centroids, d))
            half[c] = math.sqrt(nearest) / 2
        changed = 0
        for i in range(n):
            c = codes[i]
            upper[i] += steps[c]
            lower[i] -= longest
            bound = max(half[c], lower[i])
            if upper[i] < bound:
                continue
            upper[i] = math.sqrt(_squared(X, i, centroids, c))
            if upper[i] < bound:
                continue
            best, first, second = _two_nearest(X, i, centroids)
            upper[i] = first
            lower[i] = second
            if best != c:
                changed += 1
                codes[i] = best
                sizes[c] -= 1
                sizes[best] += 1
                for j in range(p):
                    sums[c, j] -= X[i, j]
                    sums[best, j] += X[i, j]
        if changed == 0 or moved <= tol:
            break
    inertia = 0.0
    for i in range(n):
        inertia += _squared(X, i, centroids, codes[i])
    return inertia, iterations
