"""Clouds of points, their distances by definition, and what follows from a matrix of all distances."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["cloud", "distances", "outside_extremes", "silhouette_widths", "sums_to_clusters"]


def cloud(n: int, p: int, k: int, seed: int, spread: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    """Return points around k places, and codes of the clusters, all of which occur."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    return rng.normal(size=(k, p))[codes] * spread + rng.normal(size=(n, p)), codes


def distances(X: Any, metric: str) -> Any:
    """Return Euclidean, cosine or correlation distances in extended precision."""
    rows = np.asarray(X, np.longdouble)
    if metric == "correlation":
        rows = rows - rows.mean(axis=1, keepdims=True)
    if metric != "euclidean":
        rows = rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))
    squares = np.array([((rows - row) ** 2).sum(axis=1) for row in rows])
    return np.sqrt(squares) if metric == "euclidean" else squares / 2


def sums_to_clusters(D: Any, codes: Any) -> Any:
    """Return the sum of the distances of each point to those of each cluster."""
    return np.stack([D[:, codes == cluster].sum(axis=1) for cluster in range(codes.max() + 1)], axis=1)


def silhouette_widths(D: Any, codes: Any) -> Any:
    """Return the silhouette width of each point; of a single point it is 0."""
    sizes, everyone = np.bincount(codes), np.arange(codes.size)
    sums = sums_to_clusters(D, codes)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = sums[everyone, codes] / (sizes[codes] - 1)
        means = sums / sizes
        means[everyone, codes] = np.inf
        near = means.min(axis=1)
        return np.where(sizes[codes] == 1, 0, (near - own) / np.maximum(own, near)).astype(float)


def outside_extremes(D: Any, codes: Any) -> tuple[Any, list[Any]]:
    """Return how near another cluster is to each point, and from where a whole cluster is nearest to reach."""
    nearest = np.where(codes[:, None] != codes, D, np.inf).min(axis=1)
    return nearest, [D[codes != c][:, codes == c].max(axis=1).min() for c in range(codes.max() + 1)]
