"""Metrics that are Euclidean distances, or their squares, between images of the points.

A cosine or correlation distance is half the squared distance between rows of length one. A Mahalanobis distance is the
Euclidean distance between points transformed to have the identity as their covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import factorizing
from adjudge.errors import Argument, InputError, Option, Row
from adjudge.given.metrics import Metric, is_sparse, keeps_centroids
from adjudge.given.point_options import PointOptions
from adjudge.given.scaling import column_moments
from adjudge.given.weights import PointWeights
from adjudge.kernels.rows import multiplied, of_length

__all__ = [
    "Image",
    "euclidean_points",
    "has_image",
    "image_of",
    "inverse_covariance",
    "is_squared",
    "many_dimensions",
    "multiply",
    "standard_variances",
]

Floats = NDArray[np.float64]

_ROOT_OF_HALF = float(np.sqrt(0.5))
_BLOCK = 1 << 22
_SQUARED = frozenset({"sqeuclidean", "cosine", "correlation"})
_ROOTED = frozenset({"euclidean", "seuclidean", "mahalanobis"})
# Measured: in fewer dimensions, explicit differences take no longer.
_MANY_DIMENSIONS = {"float64": 96, "float32": 24}
# PyTorch visits the dimensions one by one.
_MANY_FOR_TORCH = 16


@dataclass(frozen=True)
class Image:
    """A space in which distances are Euclidean, or their squares.

    Attributes
    ----------
    prepare : callable
        Maps rows to it, in double precision; a row gets the same digits alone or among any other rows.
    rooted : bool
        Whether the distance is the Euclidean one; otherwise it is its square.
    keeps_ties : bool
        Whether distances that had equal digits before still have equal digits.
    """

    prepare: Callable[[NDArray[Any]], Floats]
    rooted: bool
    keeps_ties: bool = True


def has_image(X: Any, metric: Metric) -> bool:
    """Return whether `image_of` supports the distance between these points."""
    return not is_sparse(X) and isinstance(metric, str) and metric in _SQUARED | _ROOTED


def is_squared(X: Any, metric: Metric) -> bool:
    """Return whether the distance is a squared Euclidean one, whose sums follow from centroids."""
    return has_image(X, metric) and metric in _SQUARED


def euclidean_points(X: Any, metric: Metric) -> tuple[NDArray[Any], bool] | None:
    """Return points, and True if the distances of `X` are their Euclidean distances, False if their squares.

    None if there are no such points.
    """
    if keeps_centroids(X, metric):
        return X, True
    if not has_image(X, metric):
        return None
    image = image_of(X, metric)
    return image.prepare(X), image.rooted


def multiply(X: Any, options: PointOptions) -> bool:
    """Return whether matrix products give the distances faster than explicit differences."""
    least = _MANY_FOR_TORCH if options.engine == "torch" else many_dimensions(options.precision)
    return has_image(X, options.metric) and X.shape[1] >= least


def many_dimensions(precision: str) -> int:
    """Return the number of dimensions from which products are faster than the compiled loops on this machine."""
    return _MANY_DIMENSIONS[precision]


def image_of(X: NDArray[Any], metric: Metric) -> Image:
    """Return the image in which a distance is Euclidean; raise if a point has no image."""
    if metric == "seuclidean":
        return Image(partial(_scaled, np.sqrt(standard_variances(X))), True, keeps_ties=False)
    if metric == "mahalanobis":
        return _whitened(X)
    if metric not in ("cosine", "correlation"):
        return Image(_as_given, metric == "euclidean")
    _check_lengths(X, metric)
    return Image(_for_cosine if metric == "cosine" else _for_correlation, False)


def _as_given(rows: NDArray[Any]) -> Floats:
    # Another memory order would give sums with other digits.
    return np.ascontiguousarray(rows, dtype=np.float64)


def _for_cosine(rows: NDArray[Any]) -> Floats:
    """Scale rows so that the squared distance between two of them is one minus their cosine."""
    return np.asarray(of_length(np.ascontiguousarray(rows), _ROOT_OF_HALF))


def _for_correlation(rows: NDArray[Any]) -> Floats:
    rows = _as_given(rows)
    return _for_cosine(rows - rows.mean(axis=1, keepdims=True))


def _check_lengths(X: NDArray[Any], metric: Metric) -> None:
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
                f" has only {what} ",
                Row(first + int(np.argmax(bad))),
                f": its {metric} distances are undefined",
            )


def standard_variances(X: NDArray[Any], weights: PointWeights | None = None) -> Floats:
    """Return the columns' variances, with the degrees of freedom of any weights; raise if one is 0."""
    variances: Floats
    if weights is None:
        variances = np.var(X, axis=0, ddof=min(1, X.shape[0] - 1), dtype=np.float64)
    else:
        _, freedom = weights.degrees(np.zeros(X.shape[0], np.int64))
        mass = weights.values.sum()
        variances = np.square(column_moments(X, weights.values)[1]) * mass / (freedom or mass)
    if not variances.all():
        raise InputError(
            Option("metric", "seuclidean"), " divides by the columns' variances, and one of them is 0"
        )
    return variances


def inverse_covariance(X: NDArray[Any], weights: PointWeights | None = None) -> Floats:
    """Return the inverse of the columns' covariance, with the degrees of freedom of any weights, or raise."""
    if X.shape[0] <= X.shape[1]:
        raise _singular()
    with factorizing(X.shape[1]):
        counted: dict[str, Any] = {}
        if weights is not None:
            # Frequencies and sampling weights, in NumPy's words.
            repeats, values = weights.repeats, weights.values
            counted = {"fweights": values.astype(np.int64)} if repeats else {"aweights": values}
        covariance = np.atleast_2d(np.cov(np.asarray(X, np.float64), rowvar=False, **counted))
        if not np.isfinite(covariance).all() or _is_singular(covariance):
            raise _singular()
        inverse: Floats = np.asarray(np.linalg.inv(covariance).T, np.float64)
    if not np.isfinite(inverse).all():
        raise _singular()
    return inverse


def _is_singular(covariance: Floats) -> bool:
    """Return whether correlations are singular up to rounding: their inverse would consist of rounding errors."""
    deviations = np.sqrt(np.diag(covariance))
    if not deviations.all():
        return True
    found = np.linalg.eigvalsh(covariance / deviations / deviations[:, None])
    return bool(found[0] <= 10 * found.size * np.finfo(np.float64).eps * found[-1])


def _scaled(scales: Floats, rows: NDArray[Any]) -> Floats:
    return np.asarray(_as_given(rows) / scales)


def _whitened(X: NDArray[Any]) -> Image:
    """Return the image in which the points have unit variances and no covariance."""
    try:
        with factorizing(X.shape[1]):
            root: Floats = np.asarray(np.linalg.cholesky(inverse_covariance(X)), np.float64)
    except np.linalg.LinAlgError:
        raise _singular() from None
    return Image(partial(_turned, np.mean(X, axis=0, dtype=np.float64), root), True, keeps_ties=False)


def _turned(centre: Floats, root: Floats, rows: NDArray[Any]) -> Floats:
    return np.asarray(multiplied(_as_given(rows) - centre, root))


def _singular() -> InputError:
    return InputError(
        Option("metric", "mahalanobis"), " divides by the covariance of the columns, which is singular"
    )
