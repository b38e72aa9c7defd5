"""Metrics that the compiled loops compute themselves, and what tiles hold for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError, Option
from adjudge.given.metrics import Metric, is_sparse
from adjudge.kernels import metric_tiles as kinds
from adjudge.kernels.metric_tiles import haversine_distances

__all__ = ["OwnMetric", "haversine_blocks", "own_metric"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Coordinates of points that are read at a time.
_READ = 1 << 20
_BY_DIFFERENCES = ("cityblock", "chebyshev", "canberra", "hamming")
_OF_BITS = ("hamming", "jaccard")
# Positions may be rounded up, even to single precision.
_FULL_CIRCLE = 2 * np.pi + 1e-5


@dataclass(frozen=True)
class OwnMetric:
    """A distance with a compiled loop of its own.

    Attributes
    ----------
    kind : tuple of int
        Which distance it is, and the number of variables, as the kernels take them.
    prepare : callable
        From points to what tiles hold for them.
    """

    kind: tuple[int, int]
    prepare: Callable[[NDArray[Any]], Floats]


def own_metric(X: Any, metric: Metric) -> OwnMetric | None:
    """Return how the compiled loops compute a distance between points; None if they do not."""
    if is_sparse(X) or not isinstance(metric, str):
        return None
    p = X.shape[1]
    if metric == "haversine":
        _check_positions(X)
        return OwnMetric((kinds.HAVERSINE, p), _on_sphere)
    if metric in _OF_BITS and _is_binary(X):
        kind = kinds.HAMMING_OF_BITS if metric == "hamming" else kinds.JACCARD_OF_BITS
        return OwnMetric((kind, p), _packed)
    if metric in _BY_DIFFERENCES:
        return OwnMetric((getattr(kinds, metric.upper()), p), np.asarray)
    return None


def haversine_blocks(X: NDArray[Any]) -> Callable[[Ints, Ints], Floats]:
    """Return the function that computes a block of haversine distances between points at some positions."""
    _check_positions(X)
    return lambda rows, columns: haversine_distances(_on_sphere(X[rows]), _on_sphere(X[columns]))


def _is_binary(X: NDArray[Any]) -> bool:
    step = max(1, _READ // X.shape[1])
    runs = (X[first : first + step] for first in range(0, X.shape[0], step))
    return all(bool(((rows == 0) | (rows == 1)).all()) for rows in runs)


def _packed(rows: NDArray[Any]) -> Floats:
    """Pack binary variables into words, followed by the number of set bits."""
    is_set = np.asarray(rows) != 0
    n, p = is_set.shape
    words = -(-p // 64)
    padded = np.zeros((n, 64 * words), bool)
    padded[:, :p] = is_set
    packed = np.empty((n, words + 1))
    packed[:, :words] = np.packbits(padded, axis=1).view(np.float64)
    packed[:, words] = is_set.sum(axis=1)
    return packed


def _check_positions(X: NDArray[Any]) -> None:
    """Raise if points cannot be latitudes and longitudes in radians."""
    metric = Option("metric", "haversine")
    if X.shape[1] != 2:
        raise InputError(
            metric,
            " needs two columns, latitude and longitude in radians: ",
            Argument("X"),
            f" has {X.shape[1]}",
        )
    low, high = float(X.min()), float(X.max())
    if max(-low, high) > _FULL_CIRCLE:
        value = low if -low > high else high
        raise InputError(
            metric,
            " needs latitudes and longitudes in radians, and ",
            Argument("X"),
            f" has {value:.6g}, more than a full circle: pass np.radians(X)",
        )


def _on_sphere(rows: NDArray[Any]) -> Floats:
    """Return latitude and longitude, the sines and cosines of their halves, and the cosine of the latitude."""
    angles = np.asarray(rows, np.float64)
    halves = angles / 2
    sines, cosines = np.sin(halves), np.cos(halves)
    columns = (angles, sines[:, :1], cosines[:, :1], sines[:, 1:], cosines[:, 1:], np.cos(angles[:, :1]))
    return np.concatenate(columns, axis=1)
