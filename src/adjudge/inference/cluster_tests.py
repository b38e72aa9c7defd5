"""Is a clustering real? Tests that fit the clusterer to data without clusters, or condition on its choice.

`clusters_test` compares an index with its distribution over data without clusters, to which the same clusterer is
fitted, and among the same candidates: choosing is part of the null hypothesis. `cluster_difference_test` asks of two
clusters of a clustering whether their means differ, given that this clustering found them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.given.options import check_choice, check_count, check_weight, given_names, random_generator
from adjudge.indices.catalog import find_index
from adjudge.indices.record import InternalIndex
from adjudge.inference.clusterers import Fit, coded_without_noise, dense_points, fit_of, fits_of
from adjudge.inference.null_points import DRAWS, NULLS, USUAL_NULLS

__all__ = ["ClustersTest", "DifferenceTest", "cluster_difference_test", "clusters_test"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClustersTest:
    """Whether a clustering is better than those of data without clusters.

    Attributes
    ----------
    value : float
        Index of the best candidate.
    best : str
        Its name.
    p_values : dict of str to float
        By null distribution, the share of data sets at least as good, the data themselves counted.
    null_values : dict of str to ndarray
        Index of the best candidate in each data set without clusters.
    index : str
    """

    value: float
    best: str
    p_values: dict[str, float]
    null_values: dict[str, Floats]
    index: str

    @property
    def p_value(self) -> float:
        """The largest: for the null distribution that is most similar to the data."""
        return max(self.p_values.values())


@dataclass(frozen=True)
class DifferenceTest:
    """Whether the means of two clusters differ, given that the clusterer found them.

    Attributes
    ----------
    distance : float
        Of the two means.
    p_value : float
    naive_p_value : float
        P-value of an ordinary test, which ignores that the clusters were chosen: far too small.
    kept : int
        Samples in which the clusterer found the same two clusters; with few of them the p-value is rough.
    """

    distance: float
    p_value: float
    naive_p_value: float
    kept: int


def clusters_test(
    X: Any,
    clusterers: Any,
    *,
    index: str = "silhouette",
    nulls: Sequence[str] = USUAL_NULLS,
    n_samples: int = 99,
    random_state: Any = None,
) -> ClustersTest:
    """Test whether points form clusters at all, with the user's clusterer and choice of candidates.

    Parameters
    ----------
    X : array-like of shape (n, p)
    clusterers : callable, clusterer, or mapping of these by name
        ``X -> labels`` or with `fit_predict`. Of several the best by the index counts, in the data and in each data set
        without clusters.
    index : str, default "silhouette"
        Internal criterion; points labelled -1 are left out, and a positive value is multiplied by the coverage.
    nulls : sequence of {"gaussian", "copula", "elliptical", "uniform"}, default all but the last
        Gaussian of the data's mean and covariance, which makes the test exact for Gaussian data; a Gaussian copula with
        margins close to the data's, but with one mode each; an elliptical law with the data's covariance and
        Mahalanobis distances from the mean, such as a ball, a shell or heavy tails; uniform in the box along the data's
        principal components.
    n_samples : int, default 99
        Data sets from each.
    random_state : int, Generator, SeedSequence or None

    Returns
    -------
    ClustersTest

    Raises
    ------
    InputError
        If an input cannot be used.

    Notes
    -----
    Points on a curve or on a shell split into clusters better than any of these data: a small p-value says that the
    points have structure, but not that it consists of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from adjudge import clusters_test
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(m, 0.3, size=(20, 2)) for m in (0, 3)])
    >>> clusters_test(X, KMeans(2, n_init=2, random_state=0), n_samples=19, random_state=0).p_value
    0.05
    """
    record = find_index(index, "internal")
    check_count("n_samples", n_samples)
    chosen = given_names("nulls", nulls)
    for null in chosen:
        check_choice("nulls", null, NULLS)
    points = dense_points(X)
    fits = fits_of(clusterers)
    value, best = _best_of(points, fits, record)
    if math.isnan(value):
        raise InputError(f"{record.name} is undefined for these clusters: another index may have a value")
    sign = 1.0 if record.better == "higher" else -1.0
    generator = random_generator(random_state)
    p_values, found = {}, {}
    for null in chosen:
        draw = DRAWS[null](points)
        values = np.array([_best_of(draw(generator), fits, record)[0] for _ in range(n_samples)])
        # If only one cluster or noise is found, there are no clusters.
        as_good = np.count_nonzero(sign * values >= sign * value)
        p_values[str(null)] = float((1 + as_good) / (n_samples + 1))
        found[str(null)] = values
    return ClustersTest(value, best, p_values, found, record.name)


def _best_of(X: Floats, fits: Mapping[str, Fit], record: Any) -> tuple[float, str]:
    """Value of the best candidate, nan if none has one."""
    sign = 1.0 if record.better == "higher" else -1.0
    best, name = math.nan, next(iter(fits))
    for own, fit in fits.items():
        value = _value(X, fit(X), record)
        if not math.isnan(value) and (math.isnan(best) or sign * value > sign * best):
            best, name = value, own
    return best, name


def _value(X: Floats, labels: Any, record: InternalIndex) -> float:
    kept, codes = coded_without_noise(labels)
    if codes.size == 0 or codes.max() == 0:
        return math.nan
    value = record(X[kept], codes)
    return value * float(kept.mean()) if record.better == "higher" and value > 0 else value


def cluster_difference_test(
    X: Any,
    clusterer: Any,
    clusters: tuple[Any, Any],
    *,
    sigma: float | None = None,
    n_samples: int = 500,
    random_state: Any = None,
) -> DifferenceTest:
    """Test whether the means of two clusters differ, given that the clusterer found them.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Points whose coordinates vary independently around their means with one standard deviation.
    clusterer : callable or clusterer
        ``X -> labels`` or with `fit_predict`; without randomness, or with a fixed random_state.
    clusters : tuple
        Labels of the two clusters.
    sigma : float, optional
        That standard deviation; default: that of the points around their common mean, which is too large if there
        are clusters, so that the test errs on the safe side.
    n_samples : int, default 500
        Data sets in which the two clusters are moved apart or together, and which are clustered again.
    random_state : int, Generator, SeedSequence or None

    Returns
    -------
    DifferenceTest

    Raises
    ------
    InputError
        If an input cannot be used.

    Notes
    -----
    The distance of the means follows a chi distribution, truncated to where the clusterer finds the same two clusters
    (L. L. Gao, J. Bien, D. Witten 2022, Selective inference for hierarchical clustering, Journal of the American
    Statistical Association; Y. T. Chen, D. Witten 2023 for k-means). The truncation is found by importance sampling,
    for any clusterer.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from adjudge import cluster_difference_test
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> found = cluster_difference_test(X, AgglomerativeClustering(2), (0, 1), sigma=1.0, random_state=0)
    >>> found.naive_p_value < 1e-8, round(found.p_value, 2)
    (True, 0.72)
    """
    from scipy.special import gammaincc, logsumexp

    points = dense_points(X)
    fit = fit_of(clusterer, "clusterer")
    check_count("n_samples", n_samples)
    n, p = points.shape
    labels = np.asarray(fit(points))
    first, second = (labels == label for label in clusters)
    for label, members in zip(clusters, (first, second), strict=True):
        if not members.any():
            raise InputError(f"clusters has {label!r}, which the clusterer did not find")
    if sigma is None:
        sigma = math.sqrt(float(((points - points.mean(axis=0)) ** 2).sum()) / ((n - 1) * p))
    check_weight("sigma", sigma)
    difference = points[first].mean(axis=0) - points[second].mean(axis=0)
    distance = float(np.linalg.norm(difference))
    if distance == 0:
        return DifferenceTest(0.0, 1.0, 1.0, 0)
    inverse = 1 / first.sum() + 1 / second.sum()
    scale = sigma * math.sqrt(inverse)
    direction = difference / distance
    shift = first / first.sum() - second / second.sum()
    generator = random_generator(random_state)
    kept, weights = [], []
    for distance_then in distance + scale * generator.standard_normal(n_samples):
        if distance_then < 0:
            continue
        moved = points + np.outer(shift / inverse, (distance_then - distance) * direction)
        again = np.asarray(fit(moved))
        if _is_cluster(again, first) and _is_cluster(again, second):
            kept.append(float(distance_then))
            weights.append(
                _log_chi(distance_then / scale, p) + 0.5 * ((distance_then - distance) / scale) ** 2
            )
    naive = float(gammaincc(p / 2, 0.5 * (distance / scale) ** 2))
    if not kept:
        return DifferenceTest(distance, 1.0, naive, 0)
    far = np.array(kept) >= distance
    total = float(logsumexp(weights))
    above = float(logsumexp(np.array(weights)[far])) if far.any() else -math.inf
    return DifferenceTest(distance, math.exp(above - total), naive, len(kept))


def _log_chi(value: float, p: int) -> float:
    """Logarithm of the density of the chi distribution, up to a constant."""
    return (p - 1) * math.log(value) - 0.5 * value * value if value > 0 else -math.inf


def _is_cluster(labels: NDArray[Any], members: NDArray[np.bool_]) -> bool:
    """Whether these points, and no others, are one cluster."""
    own = labels[members]
    return bool((own == own[0]).all() and np.count_nonzero(labels == own[0]) == own.size)
