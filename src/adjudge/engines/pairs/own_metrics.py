"""Metrics that the compiled loops compute themselves: what tiles hold for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.metrics import Metric, is_sparse

__all__ = ["OwnMetric", "own_metric"]

Floats = NDArray[np.float64]

# Entries of the points that are looked at at a time.
_READ = 1 << 20
_BY_DIFFERENCES = ("cityblock", "chebyshev", "canberra", "hamming")
_OF_BITS = ("hamming", "jaccard")


@dataclass(frozen=True)
class OwnMetric:
    """A distance by its compiled loop.

    Attributes
    ----------
    kind : tuple of int
        As the kernels take it: which distance it is, and of how many variables.
    prepare : callable
        From some points to what tiles hold of them.
    """

    kind: tuple[int, int]
    prepare: Callable[[NDArray[Any]], Floats]


def own_metric(X: Any, metric: Metric) -> OwnMetric | None:
    """Return how the compiled loops compute a distance between points; None if they do not."""
    if is_sparse(X) or not isinstance(metric, str):
        return None
    from adjudge.kernels import metric_tiles as kinds

    p = X.shape[1]
    if metric in _OF_BITS and _is_binary(X):
        kind = kinds.HAMMING_OF_BITS if metric == "hamming" else kinds.JACCARD_OF_BITS
        return OwnMetric((kind, p), _packed)
    if metric in _BY_DIFFERENCES:
        return OwnMetric((getattr(kinds, metric.upper()), p), np.asarray)
    return None


def _is_binary(X: NDArray[Any]) -> bool:
    step = max(1, _READ // X.shape[1])
    runs = (X[first : first + step] for first in range(0, X.shape[0], step))
    return all(bool(((rows == 0) | (rows == 1)).all()) for rows in runs)


def _packed(rows: NDArray[Any]) -> Floats:
    """Pack binary variables into words, followed by how many of them are set."""
    is_set = np.asarray(rows) != 0
    n, p = is_set.shape
    words = -(-p // 64)
    padded = np.zeros((n, 64 * words), bool)
    padded[:, :p] = is_set
    packed = np.empty((n, words + 1))
    packed[:, :words] = np.packbits(padded, axis=1).view(np.float64)
    packed[:, words] = is_set.sum(axis=1)
    return packed
