"""scikit-learn's functions that judge a clustering from its points, on the statistics of adjudge."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.blas import factorizing
from adjudge.callers import warn_caller
from adjudge.engines.centroid_fast_path import plain_centroids
from adjudge.engines.centroid_pass import CentroidPass
from adjudge.engines.points import reduce_coded_points
from adjudge.engines.precomputed_silhouettes import silhouettes_of_rows
from adjudge.engines.running.executor import Crew
from adjudge.given.metrics import BlockMetric, Metric
from adjudge.given.point_options import PointOptions
from adjudge.indices import scatter
from adjudge.metrics.checks import UnusualInputError, checked_points, coded, drop_in
from adjudge.parallel import n_cores
from adjudge.statistics.pair_distances import Silhouettes

__all__ = ["calinski_harabasz_score", "davies_bouldin_score", "silhouette_samples", "silhouette_score"]

_HOME = "sklearn.metrics.cluster._unsupervised"
# What pairwise_distances_chunked takes besides a metric's own parameters; the engine decides by itself.
_OF_CHUNKS = ("n_jobs", "working_memory")
# Distances up to here are 0 for scikit-learn's Davies-Bouldin index.
_NO_DISTANCE = 1e-8
# Tolerance for the diagonal of a precomputed matrix, in units in the last place of 1.
_DIAGONAL = 100
# Metrics whose distances between float32 points are float32 in scikit-learn; others give float64.
_SINGLE = frozenset(["euclidean", "l2", "cosine", "nan_euclidean", "precomputed"])
# Metrics that scikit-learn itself computes, or that need the points converted first.
_OF_TRUTH_VALUES = frozenset(
    ["dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "sokalmichener", "kulsinski"]
)


def _clusters(labels: NDArray[Any], n: int) -> tuple[Ints, Ints]:
    """Return codes without gaps and sizes of clusters; raise unless there are 2 or more, and fewer than points."""
    if labels.dtype == object:
        from sklearn.preprocessing import LabelEncoder

        # It treats None and nan among text as labels.
        labels = LabelEncoder().fit_transform(labels)
    codes, _, sizes = coded(labels).counted()
    _check_number(sizes.size, n)
    return codes, sizes


def _check_number(k: int, n: int) -> None:
    if not 1 < k < n:
        raise UnusualInputError


@drop_in(_HOME)
def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> float:
    """Mean of the silhouette widths.

    >>> round(silhouette_score([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.653734
    """
    if sample_size is not None:
        from sklearn.utils import check_random_state

        X, labels = checked_points(X, labels, accept_sparse=["csc", "csr"])
        drawn = check_random_state(random_state).permutation(X.shape[0])[:sample_size]
        precomputed = isinstance(metric, str) and metric == "precomputed"
        X, labels = X[drawn][:, drawn] if precomputed else X[drawn], labels[drawn]
    return float(np.mean(_silhouette_samples(X, labels, metric, kwds)))


@drop_in(_HOME)
def silhouette_samples(X: Any, labels: Any, *, metric: Any = "euclidean", **kwds: Any) -> NDArray[Any]:
    """Silhouette width of each point; 0 for the only point of a cluster, and for 0/0.

    >>> silhouette_samples([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]).round(6)
    array([0.8     , 0.75    , 0.428571, 0.636364])
    """
    return _silhouette_samples(X, labels, metric, kwds)


def _silhouette_samples(X: Any, labels: Any, metric: Any, kwds: dict[str, Any]) -> NDArray[Any]:
    X, labels = checked_points(X, labels, accept_sparse=["csr"])
    single = X.dtype == np.float32 and isinstance(metric, str) and metric in _SINGLE
    if isinstance(metric, str) and metric == "precomputed":
        _check_given(X)
        found = silhouettes_of_rows(X, _clusters(labels, X.shape[0])[0])
    else:
        own = {name: value for name, value in kwds.items() if name not in _OF_CHUNKS}
        codes, _ = _clusters(labels, X.shape[0])
        X, metric = _points_and_metric(X, metric, own)
        statistics = reduce_coded_points(X, codes, {Silhouettes}, PointOptions(metric=metric))
        found = statistics[Silhouettes]
    return np.nan_to_num(found.values).astype(np.float32 if single else np.float64, copy=False)


def _check_given(D: Any) -> None:
    diagonal = np.abs(D.diagonal())
    tolerance = _DIAGONAL * np.finfo(D.dtype).eps if D.dtype.kind == "f" else 0
    if D.shape[0] != D.shape[1] or (diagonal > tolerance).any():
        raise UnusualInputError


def _points_and_metric(X: Any, metric: Any, parameters: dict[str, Any]) -> tuple[Any, Metric]:
    """Return points and a metric for the engine: its own if it has that metric, else blocks from scikit-learn."""
    sparse = hasattr(X, "tocsr")
    if X.dtype not in (np.float32, np.float64) and metric not in _OF_TRUTH_VALUES:
        X = X.astype(np.float64)
    if callable(metric) and not sparse:
        return X, partial(metric, **parameters) if parameters else metric
    if metric in _OF_TRUTH_VALUES:
        X = _truth_values(X, metric)
    elif not parameters and not sparse and not (metric == "cosine" and _has_rows_of_zeros(X)):
        return X, metric
    elif not parameters and metric in ("euclidean", "l2"):
        return X.astype(np.float64, copy=False), "euclidean"
    from sklearn.metrics.pairwise import pairwise_distances

    fixed = {"metric": metric, **_of_all_points(X, metric, parameters), **parameters}
    return X, BlockMetric(partial(pairwise_distances, **fixed), str(metric))


def _has_rows_of_zeros(X: NDArray[Any]) -> bool:
    """Whether some points are all 0: the engine refuses them, scikit-learn gives them a cosine of 0 to others."""
    return not np.all(np.any(X, axis=1))


def _truth_values(X: Any, metric: str) -> Any:
    if X.dtype != bool:
        from sklearn.exceptions import DataConversionWarning

        warn_caller(f"Data was converted to boolean for metric {metric}", DataConversionWarning)
    return X.astype(bool)


def _of_all_points(X: Any, metric: Any, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters that a metric estimates, if they are not given: from all points, not from a block."""
    if metric == "seuclidean" and "V" not in parameters:
        return {"V": np.var(X, axis=0, ddof=1)}
    if metric == "mahalanobis" and "VI" not in parameters:
        with factorizing(X.shape[1]):
            return {"VI": np.linalg.inv(np.cov(X.T)).T}
    return {}


@drop_in(_HOME)
def calinski_harabasz_score(X: Any, labels: Any) -> float:
    """Dispersion between over dispersion within clusters, each per degree of freedom; 1 if the latter is 0.

    >>> round(calinski_harabasz_score([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    16.2
    """
    moments = _centroids(X, labels).moments
    return 1.0 if moments.within == 0 else scatter.calinski_harabasz.of(moments)


@drop_in(_HOME)
def davies_bouldin_score(X: Any, labels: Any) -> float:
    """Mean over clusters of the largest overlap with another; clusters in the same place do not count.

    >>> round(davies_bouldin_score([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.333333
    """
    made = _centroids(X, labels)
    overlaps, centroids = made.overlaps, made.means
    if overlaps.mean_to_own.max() <= _NO_DISTANCE:
        return 0.0
    first, second = centroids[:2].tolist()
    if math.dist(first, second) <= _NO_DISTANCE and made.centroid_distances.largest <= _NO_DISTANCE:
        return 0.0
    value = scatter.davies_bouldin.of(overlaps)
    return value if math.isfinite(value) else _apart_only(centroids, overlaps.mean_to_own)


def _apart_only(centroids: Floats, radii: Floats) -> float:
    """Return the Davies-Bouldin index without the pairs of clusters that coincide."""
    worst = np.zeros(radii.size)
    for k, centroid in enumerate(centroids):
        distances = np.sqrt(((centroids - centroid) ** 2).sum(axis=1))
        apart = distances > 0
        worst[k] = ((radii[k] + radii[apart]) / distances[apart]).max(initial=0.0)
    return float(worst.mean())


def _centroids(X: Any, labels: Any) -> CentroidPass:
    """Return the source of the statistics of centroids, each computed on request."""
    plain = plain_centroids(X, labels)
    if plain is not None:
        _check_number(plain.sizes.size, plain.codes.size)
        return plain
    points, labels = checked_points(X, labels)
    codes, sizes = _clusters(labels, points.shape[0])
    if points.dtype not in (np.float32, np.float64):
        points = points.astype(np.float64)
    return CentroidPass(np.ascontiguousarray(points), np.ascontiguousarray(codes), sizes, Crew(n_cores()))
