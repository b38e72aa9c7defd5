"""Points without clusters that resemble given ones, for tests of clusterings.

What is estimated of the points, their mean and covariance for instance, the drawn points have exactly, not on average:
else clusterings of the drawn points would vary with it, and tests would seldom reject. For Gaussian points, mean and
covariance are sufficient, and the test is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.blas import factorizing
from adjudge.errors import InputError
from adjudge.given.options import check_choice, given_names
from adjudge.inference.arrays import Floats
from adjudge.kernels.dip import unimodal_corners

__all__ = ["DRAWS", "NULLS", "USUAL_NULLS", "Draw", "chosen_nulls"]

Draw = Callable[[np.random.Generator], Floats]

# Directions whose extent is a smaller share of the largest one have none.
_FLAT = 1e-10
# After these, distances differ by less than a thousandth.
_TURNS = 10


def _gaussian_like(X: Floats) -> Draw:
    """Gaussian points of the same mean and covariance."""
    mean, scales, axes = _principal(X)
    shape = X.shape[0], scales.size

    def draw(rng: np.random.Generator) -> Floats:
        return np.asarray(mean + (_standardized(rng.standard_normal(shape)) * scales) @ axes)

    return draw


def _principal(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Mean, singular values and principal directions of points, those without extent left out."""
    mean = X.mean(axis=0)
    with factorizing(X.shape[1]):
        _, values, axes = np.linalg.svd(X - mean, full_matrices=False)
    extended = values > _FLAT * values[0]
    return mean, values[extended], axes[extended]


def _standardized(Z: Floats) -> Floats:
    """Bring points to mean 0, and to orthogonal columns of length 1."""
    with factorizing(Z.shape[1]):
        left, _, right = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
        return np.asarray(left @ right)


def _copula_like(X: Floats) -> Draw:
    """Points of a Gaussian copula: their normal scores have the correlation of X, their margins one mode each.

    Margins with the modes of X would have its clusters, if these are apart along a variable.
    """
    from scipy.special import ndtri
    from scipy.stats import rankdata

    n = X.shape[0]
    scores = _gaussian_like(ndtri(rankdata(X, axis=0) / (n + 1)))
    margins = np.stack([_with_one_mode(column) for column in np.sort(X, axis=0).T], axis=1)

    def draw(rng: np.random.Generator) -> Floats:
        ranks = np.argsort(np.argsort(scores(rng), axis=0), axis=0)
        return np.take_along_axis(margins, ranks, axis=0)

    return draw


def _with_one_mode(ordered: Floats) -> Floats:
    """Ascending values of a law with one mode that is close to that of given ascending values."""
    corners = unimodal_corners(np.ascontiguousarray(ordered))
    return np.asarray(np.interp(np.arange(ordered.size), corners, ordered[corners]))


def _uniform_like(X: Floats) -> Draw:
    """Uniform points in the box along the principal directions."""
    mean, _, axes = _principal(X)
    along = (X - mean) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    shape = along.shape
    return lambda rng: np.asarray(mean + rng.uniform(low, high, shape) @ axes)


def _elliptical_like(X: Floats) -> Draw:
    """Points at the same Mahalanobis distances from the mean, in random directions: balls, shells, heavy tails."""
    mean, scales, axes = _principal(X)
    distances = np.linalg.norm((X - mean) @ axes.T / scales, axis=1, keepdims=True)
    shape = X.shape[0], scales.size

    def draw(rng: np.random.Generator) -> Floats:
        points = rng.standard_normal(shape)
        # Points of the right covariance and points at the right distances, by turns: soon they are both.
        for _ in range(_TURNS):
            points *= distances / np.linalg.norm(points, axis=1, keepdims=True)
            points = _standardized(points)
        return np.asarray(mean + (points * scales) @ axes)

    return draw


DRAWS: dict[str, Callable[[Floats], Draw]] = {
    "gaussian": _gaussian_like,
    "copula": _copula_like,
    "uniform": _uniform_like,
    "elliptical": _elliptical_like,
}
#: Names of the kinds of points without clusters.
NULLS = tuple(DRAWS)
#: Those that a test uses if it is not told. Uniform data, which split better than most, would hide clusters;
#: boxes and balls are among the others.
USUAL_NULLS = ("gaussian", "copula", "elliptical")


def chosen_nulls(nulls: Any) -> list[str]:
    """Check names of kinds of points without clusters: a test needs at least one to compare with."""
    chosen = given_names("nulls", nulls)
    if not chosen:
        raise InputError("nulls is empty: at least one kind of data without clusters is needed")
    for null in chosen:
        check_choice("nulls", null, NULLS)
    return [str(null) for null in chosen]
