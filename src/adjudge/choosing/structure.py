"""Tests of whether there are clusters at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from adjudge.array_types import Floats
from adjudge.blas import factorizing
from adjudge.choosing.estimators import KMeans
from adjudge.choosing.gap import box, reference_points, within_dispersion
from adjudge.choosing.resampling import Repeats
from adjudge.kernels.elementary import logarithms

__all__ = ["MOST_POINTS", "NullComparison", "hopkins", "null_comparison"]


#: More points than this are sampled.
MOST_POINTS = 1000
_REFERENCES = 20


def hopkins(X: Floats, seed: np.random.SeedSequence) -> tuple[float, float]:
    """Return the Hopkins statistic and its p-value.

    A tenth of the points are sampled, 10 to 200, and as many random locations in the box of the data.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    seed : SeedSequence

    Returns
    -------
    statistic : float
        Sum of the distances (to the power p) from random locations to the nearest point, divided by that sum plus the
        same sum from points to the nearest other point. About 1/2 for evenly spread points, near 1 for clusters.
    p_value : float
        P-value for uniformly spread points, by Beta(m, m).
    """
    from scipy.spatial import KDTree
    from scipy.special import betainc

    rng = np.random.default_rng(seed)
    n, p = X.shape
    m = min(max(n // 10, 10), 200, n)
    tree = KDTree(X)
    places = rng.uniform(X.min(axis=0), X.max(axis=0), size=(m, p))
    chosen = rng.choice(n, size=m, replace=False)
    from_places = np.asarray(tree.query(places)[0])
    from_points = np.asarray(tree.query(X[chosen], k=2)[0])[:, 1]
    scale = max(from_places.max(), from_points.max())
    if scale == 0:
        return math.nan, math.nan
    u, w = float(((from_places / scale) ** p).sum()), float(((from_points / scale) ** p).sum())
    statistic = u / (u + w)
    return statistic, float(betainc(m, m, 1 - statistic))


@dataclass(frozen=True)
class NullComparison:
    """How much better the data fall into K clusters of k-means than reference data without clusters.

    Attributes
    ----------
    k : int
    gaussian, uniform : float
        Mean log W_K of reference data minus log W_K of the data, in standard deviations of the reference: a Gaussian
        with the covariance of the data, or a uniform distribution in a box along the coordinates or the principal
        components, whichever box is smaller.
    """

    k: int
    gaussian: float
    uniform: float

    @property
    def score(self) -> float:
        """The smaller of the two: how far the data are from the more similar reference."""
        return min(self.gaussian, self.uniform)


def _smaller_box(X: Floats) -> Literal["uniform", "pca"]:
    def log_volume(reference: Literal["uniform", "pca"]) -> float:
        _, low, high = box(X, reference)
        return float(logarithms(np.maximum(high - low, np.finfo(float).tiny)).sum())

    return "uniform" if log_volume("uniform") <= log_volume("pca") else "pca"


def null_comparison(
    X: Floats, k: int, seed: np.random.SeedSequence, repeats: Repeats
) -> NullComparison | None:
    """Compare log W_K with its distribution under a Gaussian and a uniform distribution; None if W_K is 0."""
    rng = np.random.default_rng(seed)
    if X.shape[0] > MOST_POINTS:
        X = X[np.sort(rng.choice(X.shape[0], MOST_POINTS, replace=False))]
    centred = np.ascontiguousarray(X - X.mean(axis=0))
    if k >= centred.shape[0]:
        return None
    n = centred.shape[0]
    evenly = reference_points(centred, _smaller_box(centred))
    with factorizing(centred.shape[1]):
        variances, axes = np.linalg.eigh(centred.T @ centred / n)
    spread = axes.T * np.sqrt(np.maximum(variances, 0.0))[:, None]
    clusterer = KMeans(n_init=2, n_threads=1)

    def log_within(points: Floats, seed: np.random.SeedSequence) -> float:
        within = within_dispersion(points, clusterer.fit(points, [k], seed)[k].codes)
        return math.log(within) if within > 0 else -math.inf

    def one(seed: np.random.SeedSequence) -> tuple[float, float]:
        draw = np.random.default_rng(seed)
        gaussian = draw.standard_normal(centred.shape) @ spread
        return log_within(gaussian, seed), log_within(evenly(draw), seed)

    if np.unique(centred, axis=0).shape[0] <= k:
        return None
    found = log_within(centred, seed)
    references = np.array(repeats.run(one, seed.spawn(_REFERENCES), "references"))
    if not math.isfinite(found) or not np.isfinite(references).all():
        return None
    scores = (references.mean(axis=0) - found) / references.std(axis=0, ddof=1)
    return NullComparison(k, float(scores[0]), float(scores[1]))
