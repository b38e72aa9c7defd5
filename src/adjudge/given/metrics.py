"""Distances by name: the names that people use, and the one used here for each distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adjudge.errors import Argument, InputTypeError, Option, Shown
from adjudge.given.points import DataMatrix


@dataclass(frozen=True)
class BlockMetric:
    """A distance that is computed block by block.

    Attributes
    ----------
    between : callable
        Returns the matrix of distances between two sets of rows of X.
    name : str
        What messages call it.
    """

    between: Callable[[Any, Any], Any]
    name: str


Metric = str | Callable[[Any, Any], float] | BlockMetric

# Points have no NaN, and Minkowski's exponent is 2 if none is given.
_EUCLIDEAN = ("l2", "nan_euclidean", "euclid", "eu", "e", "minkowski", "pnorm", "mi", "m")
_CITYBLOCK = ("l1", "manhattan", "cblock", "cb", "c")
_ALSO_CALLED = dict.fromkeys(_EUCLIDEAN, "euclidean") | dict.fromkeys(_CITYBLOCK, "cityblock")


def as_metric(metric: Any) -> Metric:
    """Return the one name used here for a distance; a function stays a function, unless it is SciPy's own."""
    if isinstance(metric, str):
        name = metric.strip().lower()
        return _ALSO_CALLED.get(name, name)
    if isinstance(metric, BlockMetric):
        return metric
    if callable(metric):
        if getattr(metric, "__module__", None) == "scipy.spatial.distance":
            return as_metric(metric.__name__)
        known: Metric = metric
        return known
    raise InputTypeError(Option("metric", metric), ": a name or a function of two points is needed")


def metric_option(metric: Metric) -> Option:
    """Name a distance in a message; the address of a function says nothing."""
    if isinstance(metric, str):
        return Option("metric", metric)
    if isinstance(metric, BlockMetric):
        return Option("metric", metric.name)
    named: Any = metric
    while hasattr(named, "func"):  # functools.partial
        named = named.func
    return Option("metric", Shown(getattr(named, "__name__", type(named).__name__)))


def distances_from(metric: Metric) -> Option | Argument:
    """Return what a message about a wrong distance names: the matrix of distances, or the metric that computed them."""
    return Argument("X") if isinstance(metric, str) and metric == "precomputed" else metric_option(metric)


def why_no_centroids(metric: Metric) -> tuple[Any, ...]:
    """Say, in pieces of a message, why points with this metric have no centroids."""
    needed = "centroids of dense points in Euclidean space are needed, and "
    if metric == "euclidean":
        return needed, Argument("X"), " is sparse: pass X.toarray()"
    return needed, metric_option(metric), " gives only distances"


def is_sparse(X: Any) -> bool:
    """Whether points, checked or not, are a sparse matrix."""
    return hasattr(X.values if isinstance(X, DataMatrix) else X, "tocsr")


def are_sparse_cosines(X: Any, metric: Metric) -> bool:
    """Whether distances are cosine or correlation distances between sparse rows."""
    return is_sparse(X) and (metric == "cosine" or metric == "correlation")


def keeps_centroids(X: Any, metric: Metric) -> bool:
    """Whether points have centroids: they are dense, and in Euclidean space."""
    return metric == "euclidean" and not is_sparse(X)
