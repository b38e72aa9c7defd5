"""Do two clusters differ? Tests of their means that account for the clusterer having chosen them.

An ordinary test between clusters nearly always says yes. The test here conditions on the clusterer's choice (selective
inference), or clusters one part of the information in the points and tests the other (data thinning). Both assume
Gaussian clusters, and say so if the points contradict that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats, Numbers
from adjudge.blas import factorizing
from adjudge.errors import Argument, InputError
from adjudge.given.options import check_choice, check_count, check_weight, random_generator
from adjudge.inference.clusters.clusterers import Fit, dense_points, fit_of
from adjudge.presentation.numbers import p_text
from adjudge.saved.savable import Savable
from adjudge.usual_seed import USUAL_SEED

Mask = NDArray[np.bool_]
Method = Literal["selective", "thinning"]

# Level of the check: at 0.1, two of three noisy half circles would pass, and the test would reject 16 % of all.
_CHECKED_AT = 0.3
# Least ratio of points to variables for estimating a covariance.
_POINTS_PER_VARIABLE = 5


@dataclass(frozen=True)
class DifferenceTest(Savable):
    """Whether the means of two clusters differ, given that the clusterer found them.

    Attributes
    ----------
    distance : float
        Distance of the two means.
    p_value : float
        nan if it would not be reliable; `reason` says why.
    naive_p_value : float
        P-value of an ordinary test, which ignores how the clusters were chosen: far too small.
    kept : int
        Number of samples in which the clusterer found the same two clusters; with few, the p-value is rough. For data
        thinning, the number of points compared.
    reason : str
        Why there is no p-value; empty if there is one.
    """

    distance: float
    p_value: float
    naive_p_value: float
    kept: int
    reason: str = ""


def cluster_difference_test(
    X: Any,
    clusterer: Any,
    clusters: tuple[Any, Any],
    *,
    method: Method = "selective",
    sigma: float | None = None,
    covariance: Any = None,
    check: bool = True,
    n_samples: int = 500,
    random_state: Any = USUAL_SEED,
) -> DifferenceTest:
    """Test whether the means of two clusters differ, given that the clusterer found them.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Points that vary around their cluster means with the same Gaussian distribution.
    clusterer : callable or clusterer
        ``X -> labels`` or with `fit_predict`; without randomness, or with a fixed random_state.
    clusters : tuple
        Labels of the two clusters.
    method : {"selective", "thinning"}, default "selective"
        "selective": move the two clusters apart or together, and ask how often the clusterer still finds them.
        "thinning": add noise to split the data into two independent sets of points; cluster one, test the other.
    sigma : float, optional
        Standard deviation of each coordinate within clusters, if coordinates are independent with equal variances.
    covariance : array-like of shape (p, p), optional
        Covariance within clusters. Default: that of all points around their common mean, which is too large if there
        are clusters, so the test errs on the safe side.
    check : bool, default True
        Whether to give no p-value if the points are not Gaussian: neither both clusters together, as with a single
        true cluster, nor each by itself, as with two.
    n_samples : int, default 500
        Number of data sets in which the two clusters are moved apart or together, and that are clustered again.
    random_state : int, Generator, SeedSequence or None, default 0
        The same call gives the same answer; with None it varies.

    Returns
    -------
    DifferenceTest

    Raises
    ------
    InputError
        If an input cannot be used, or there are too few points to estimate their covariance.

    Notes
    -----
    "selective": the distance of the means, in units of the covariance, follows a chi distribution, truncated to where
    the clusterer finds these two clusters (L. L. Gao, J. Bien, D. Witten 2022, Selective inference for hierarchical
    clustering, Journal of the American Statistical Association; Y. T. Chen, D. Witten 2023 for k-means). The truncation
    is determined by importance sampling, for any clusterer. "thinning": A. Neufeld, A. Dharamshi, L. L. Gao, D. Witten
    (2024), Data thinning for convolution-closed distributions, Journal of Machine Learning Research; halves, compared
    by Hotelling's test. The check: K. V. Mardia's (1970) skewness and kurtosis at the level
    0.3, which also rejects one in seven Gaussian clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from adjudge.inference import cluster_difference_test
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> found = cluster_difference_test(X, AgglomerativeClustering(2), (0, 1), sigma=1.0, random_state=0)
    >>> found.naive_p_value < 1e-8, round(found.p_value, 2)
    (True, 0.72)
    """
    check_choice("method", method, ("selective", "thinning"))
    check_count("n_samples", n_samples)
    points = dense_points(X)
    fit = fit_of(clusterer, "clusterer")
    root = _root(points, sigma, covariance)
    first, second = _members(np.asarray(fit(points)), clusters)
    apart = points[first].mean(axis=0) - points[second].mean(axis=0)
    with factorizing(apart.size):
        difference = np.linalg.solve(root, apart)
    scale = math.sqrt(1 / first.sum() + 1 / second.sum())
    distance = float(np.linalg.norm(apart))
    if distance == 0:
        return DifferenceTest(0.0, 1.0, 1.0, 0)
    naive = _chi_tail(float(np.linalg.norm(difference)) / scale, points.shape[1])
    reason = _not_gaussian(points, first, second) if check else ""
    if reason:
        return DifferenceTest(distance, math.nan, naive, 0, reason)
    generator = random_generator(random_state)
    if method == "thinning":
        p_value, kept = _thinned(points, root, fit, (first, second), generator)
        return DifferenceTest(distance, p_value, naive, kept)

    def moved(add: float) -> Floats:
        """Return points with the two means farther apart by `add`, in units of the covariance."""
        shift = first / first.sum() - second / second.sum()
        step = add / scale**2 * (root @ (difference / np.linalg.norm(difference)))
        return np.asarray(points + np.outer(shift, step))

    def found_again(X: Floats) -> bool:
        labels = np.asarray(fit(X))
        return _is_cluster(labels, first) and _is_cluster(labels, second)

    p_value, kept = _truncated(
        float(np.linalg.norm(difference)),
        scale,
        points.shape[1],
        lambda add: found_again(moved(add)),
        n_samples,
        generator,
    )
    return DifferenceTest(distance, p_value, naive, kept)


def _root(X: Floats, sigma: float | None, covariance: Any) -> Floats:
    """Return the lower triangular root of the covariance within clusters."""
    n, p = X.shape
    if sigma is not None:
        if covariance is not None:
            raise InputError("give either sigma or covariance")
        check_weight("sigma", sigma)
        return sigma * np.eye(p)
    if covariance is None:
        if n < _POINTS_PER_VARIABLE * p + 2:
            raise InputError(
                Argument("X"),
                f" has {n:,} points of {p:,} variables: too few to estimate their covariance, give sigma or covariance",
            )
        matrix = np.atleast_2d(np.cov(X.T))
    else:
        matrix = np.asarray(covariance, np.float64)
        if matrix.shape != (p, p):
            raise InputError(Argument("covariance"), f" has shape {matrix.shape}: ({p}, {p}) is needed")
    try:
        with factorizing(p):
            return np.asarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        raise InputError(
            "the covariance is singular: leave out variables that others determine, or give sigma"
        ) from None


def _members(labels: Numbers, clusters: tuple[Any, Any]) -> tuple[Mask, Mask]:
    first, second = (labels == label for label in clusters)
    for label, members in zip(clusters, (first, second), strict=True):
        if not members.any():
            raise InputError(f"clusters has {label!r}, which the clusterer did not find")
    return first, second


def _truncated(
    distance: float,
    scale: float,
    p: int,
    found_again: Callable[[float], bool],
    n_samples: int,
    rng: np.random.Generator,
) -> tuple[float, int]:
    """Return the p-value of the truncated chi distribution by importance sampling, and the number of samples in it."""
    from scipy.special import logsumexp

    kept, weights = [], []
    for then in distance + scale * rng.standard_normal(n_samples):
        if then >= 0 and found_again(then - distance):
            kept.append(float(then))
            weights.append(_log_chi(then / scale, p) + 0.5 * ((then - distance) / scale) ** 2)
    if not kept:
        return 1.0, 0
    far = np.array(kept) >= distance
    total = float(logsumexp(weights))
    above = float(logsumexp(np.array(weights)[far])) if far.any() else -math.inf
    return math.exp(above - total), len(kept)


def _thinned(
    X: Floats, root: Floats, fit: Fit, members: tuple[Mask, Mask], rng: np.random.Generator
) -> tuple[float, int]:
    """Cluster one half of the information, and compare the clusters that match the given ones in the other half."""
    noise = rng.standard_normal(X.shape) @ root.T
    labels = np.asarray(fit(0.5 * (X + noise)))
    others = 0.5 * (X - noise)
    names = [_most_frequent(labels[own]) for own in members]
    if names[0] == names[1]:
        return 1.0, 0
    first, second = (others[labels == name] for name in names)
    return _hotelling(first, second), first.shape[0] + second.shape[0]


def _most_frequent(labels: Numbers) -> Any:
    names, counts = np.unique(labels, return_counts=True)
    return names[counts.argmax()]


def _hotelling(first: Floats, second: Floats) -> float:
    """Return the p-value of Hotelling's test of two means."""
    from scipy.special import fdtrc

    p, n = first.shape[1], first.shape[0] + second.shape[0]
    if n - p - 1 < 1:
        return 1.0
    within = sum((own - own.mean(axis=0)).T @ (own - own.mean(axis=0)) for own in (first, second)) / (n - 2)
    difference = first.mean(axis=0) - second.mean(axis=0)
    with factorizing(p):
        squared = float(difference @ np.linalg.solve(within, difference))
    squared *= first.shape[0] * second.shape[0] / n
    return float(fdtrc(p, n - p - 1, squared * (n - p - 1) / (p * (n - 2))))


def _not_gaussian(X: Floats, first: Mask, second: Mask) -> str:
    """Say why the points are not Gaussian, neither as one cluster nor as two; empty if they may be."""
    together = _gaussian_p_value(X[first | second])
    each = min(1.0, 2 * min(_gaussian_p_value(X[first]), _gaussian_p_value(X[second])))
    if max(together, each) > _CHECKED_AT:
        return ""
    return (
        "the test needs Gaussian points, but skewness and kurtosis speak against it, for both clusters together "
        f"({p_text(together)}) and for each by itself ({p_text(each)}): use clusters_test or clusters_dip_test, or "
        "transform the variables"
    )


def _gaussian_p_value(X: Floats) -> float:
    """Return the p-value of Mardia's skewness and kurtosis (Bonferroni); 1 if there are too few points to tell."""
    from scipy.special import chdtrc, ndtr

    n, p = X.shape
    if n < _POINTS_PER_VARIABLE * p:
        return 1.0
    centred = X - X.mean(axis=0)
    with factorizing(p):
        left, values, _ = np.linalg.svd(centred, full_matrices=False)
    white = math.sqrt(n) * left[:, values > 1e-10 * values[0]]
    p = white.shape[1]
    # The sum of cubed products over all pairs, from third moments: no n x n matrix is needed.
    cubes = np.einsum("ia,ib,ic->abc", white, white, white, optimize=True) / n
    skewness = n * float((cubes**2).sum()) / 6
    fourth = float(((white**2).sum(axis=1) ** 2).mean())
    expected = p * (p + 2) * (n - 1) / (n + 1)
    deviation = (fourth - expected) / math.sqrt(8 * p * (p + 2) / n)
    skewed = float(chdtrc(p * (p + 1) * (p + 2) / 6, skewness))
    return min(1.0, 2 * min(skewed, 2 * float(ndtr(-abs(deviation)))))


def _chi_tail(value: float, p: int) -> float:
    from scipy.special import gammaincc

    return float(gammaincc(p / 2, 0.5 * value**2))


def _log_chi(value: float, p: int) -> float:
    """Return the log density of the chi distribution, up to a constant."""
    return (p - 1) * math.log(value) - 0.5 * value * value if value > 0 else -math.inf


def _is_cluster(labels: Numbers, members: Bools) -> bool:
    """Whether exactly these points form one cluster."""
    own = labels[members]
    return bool((own == own[0]).all() and np.count_nonzero(labels == own[0]) == own.size)
