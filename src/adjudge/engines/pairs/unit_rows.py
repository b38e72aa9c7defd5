"""Cosine and correlation distances as half the squared Euclidean distance of rows of length one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import Argument, InputError
from adjudge.given.metrics import Metric, is_sparse, keeps_centroids
from adjudge.given.point_options import PointOptions

__all__ = ["MANY_DIMENSIONS", "as_given", "check_lengths", "multiply", "prepare_for"]

Floats = NDArray[np.float64]
Prepare = Callable[[NDArray[Any]], Floats]

_ROOT_OF_HALF = float(np.sqrt(0.5))
_BLOCK = 1 << 22
# Measured: in fewer dimensions explicit differences take no longer.
MANY_DIMENSIONS = {"float64": 96, "float32": 24}


def as_given(rows: NDArray[Any]) -> Floats:
    """Return the points as they are, in double precision."""
    return np.asarray(rows, dtype=np.float64)


def _for_cosine(rows: NDArray[Any]) -> Floats:
    """Scale rows so that the squared distance between two of them is one less their cosine."""
    rows = np.array(rows, dtype=np.float64)
    # Against overflow and underflow of squares.
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows *= _ROOT_OF_HALF / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def _for_correlation(rows: NDArray[Any]) -> Floats:
    rows = np.array(rows, dtype=np.float64)
    return _for_cosine(rows - rows.mean(axis=1, keepdims=True))


def prepare_for(X: Any, metric: Metric) -> Prepare | None:
    """Return what brings rows to where the distance is a squared Euclidean one; None for other metrics."""
    if is_sparse(X):
        return None
    if metric == "cosine":
        return _for_cosine
    return _for_correlation if metric == "correlation" else None


def multiply(X: Any, options: PointOptions) -> bool:
    """Whether matrix products give the distances faster than explicit differences in this many dimensions."""
    fits = keeps_centroids(X, options.metric) or prepare_for(X, options.metric) is not None
    return fits and X.shape[1] >= MANY_DIMENSIONS[options.precision]


def check_lengths(X: NDArray[Any], metric: Metric) -> None:
    """Raise if a row has no direction."""
    step = max(1, _BLOCK // X.shape[1])
    for first in range(0, X.shape[0], step):
        rows = np.asarray(X[first : first + step])
        low, high = rows.min(axis=1), rows.max(axis=1)
        bad = (low == high) if metric == "correlation" else (low == 0) & (high == 0)
        if bad.any():
            what = "equal values" if metric == "correlation" else "zeros"
            raise InputError(
                Argument("X"),
                f" has only {what} in row {first + int(np.argmax(bad))}: its {metric} distances "
                "are undefined",
            )
