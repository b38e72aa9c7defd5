"""How well the clusters of one partition recur in another of the same points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["jaccard_of_clusters", "least_joined", "table_of"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


def table_of(a: Codes, b: Codes, shape: tuple[int, int] | None = None) -> Codes:
    """Return the contingency table of two partitions."""
    rows, columns = shape or (int(a.max()) + 1, int(b.max()) + 1)
    return np.bincount(a * columns + b, minlength=rows * columns).reshape(rows, columns)


def jaccard_of_clusters(codes: Codes, others: Codes, k: int) -> Floats:
    """Return each of k clusters' largest Jaccard similarity with a cluster of `others`; nan for one without points.

    Negative codes are noise: a point of the one partition that is noise in the other one is in the union.
    """
    columns = int(others.max(initial=-1)) + 1
    table = table_of(
        np.where(codes < 0, k, codes), np.where(others < 0, columns, others), (k + 1, columns + 1)
    )
    rows, sizes = table.sum(axis=1)[:k], table.sum(axis=0)[:columns]
    inside = table[:k, :columns]
    unions = rows[:, None] + sizes[None, :] - inside
    best = (inside / np.maximum(unions, 1)).max(axis=1, initial=0.0)
    return np.where(rows > 0, best, np.nan)


def least_joined(codes: Codes, predicted: Codes) -> float:
    """Return the smallest share, over the clusters, of pairs that the prediction joins; negative codes are noise."""
    inside = codes >= 0
    table = table_of(codes[inside], predicted[inside]).astype(np.float64)
    sizes = table.sum(axis=1)
    pairs = sizes * (sizes - 1)
    joined = (table * (table - 1)).sum(axis=1)
    return float(np.divide(joined, pairs, out=np.ones_like(pairs), where=pairs > 0).min())
