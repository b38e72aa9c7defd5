"""Points without clusters that resemble given ones, for tests of clusterings.

The drawn points have the estimated properties, such as mean and covariance, exactly and not just on average: otherwise,
clusterings of the drawn points would vary with them, and tests would seldom reject. For Gaussian points, mean and
covariance are sufficient statistics, and the test is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.blas import factorizing
from adjudge.errors import InputError
from adjudge.given.options import check_choice, given_names
from adjudge.kernels.dip import unimodal_corners
from adjudge.progress import Progress

Draw = Callable[[np.random.Generator], Floats]

# Directions with a smaller share of the largest extent count as flat.
_FLAT = 1e-10
# After this many turns, distances differ by less than a thousandth.
_TURNS = 10


def _gaussian_like(X: Floats) -> Draw:
    """Return a function that draws Gaussian points with the same mean and covariance."""
    mean, scales, axes = _principal(X)
    shape = X.shape[0], scales.size

    def draw(rng: np.random.Generator) -> Floats:
        return np.asarray(mean + (_standardized(rng.standard_normal(shape)) * scales) @ axes)

    return draw


def _principal(X: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the mean, singular values and principal directions of points, without flat directions."""
    mean = X.mean(axis=0)
    with factorizing(X.shape[1]):
        _, values, axes = np.linalg.svd(X - mean, full_matrices=False)
    extended = values > _FLAT * values[0]
    return mean, values[extended], axes[extended]


def _standardized(Z: Floats) -> Floats:
    """Transform points to mean 0 and orthogonal columns of length 1."""
    with factorizing(Z.shape[1]):
        left, _, right = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
        return np.asarray(left @ right)


def _copula_like(X: Floats) -> Draw:
    """Draw from a Gaussian copula: normal scores have the correlation of X, and margins have one mode each.

    With the modes of X, margins would reproduce clusters that are separated along a variable.
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
    """Return ascending values of a unimodal distribution close to that of given ascending values."""
    corners = unimodal_corners(np.ascontiguousarray(ordered))
    return np.asarray(np.interp(np.arange(ordered.size), corners, ordered[corners]))


def _uniform_like(X: Floats) -> Draw:
    """Return a function that draws uniform points in the box along the principal directions."""
    mean, _, axes = _principal(X)
    along = (X - mean) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    shape = along.shape
    return lambda rng: np.asarray(mean + rng.uniform(low, high, shape) @ axes)


def _elliptical_like(X: Floats) -> Draw:
    """Draw points at the same Mahalanobis distances from the mean, in random directions: balls, shells, heavy tails."""
    mean, scales, axes = _principal(X)
    distances = np.linalg.norm((X - mean) @ axes.T / scales, axis=1, keepdims=True)
    shape = X.shape[0], scales.size

    def draw(rng: np.random.Generator) -> Floats:
        points = rng.standard_normal(shape)
        # Alternate between the right distances and the right covariance: soon both hold.
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
#: Kinds that a test uses by default. Uniform data, which split better than most, would hide clusters; the other kinds
#: already include boxes and balls.
USUAL_NULLS = ("gaussian", "copula", "elliptical")


def chosen_nulls(nulls: Any) -> list[str]:
    """Check names of kinds of points without clusters, of which a test needs at least one."""
    chosen = given_names("nulls", nulls)
    if not chosen:
        raise InputError("nulls is empty: at least one kind of data without clusters is needed")
    for null in chosen:
        check_choice("nulls", null, NULLS)
    return list(dict.fromkeys(map(str, chosen)))


def without_reflections(nulls: Sequence[str], X: Floats) -> list[str]:
    """Leave elliptical data out of the usual kinds for points along a line, where they are the points reflected."""
    if "elliptical" not in nulls or _principal(X)[1].size != 1:
        return list(nulls)
    if tuple(nulls) != USUAL_NULLS:
        raise InputError(
            "elliptical data keep the clusters of points along a line: leave 'elliptical' out of nulls"
        )
    return [null for null in nulls if null != "elliptical"]


def data_without_clusters(
    X: Floats, nulls: Sequence[str], n_samples: int, rng: np.random.Generator, report: Progress | None = None
) -> Iterator[tuple[str, Floats]]:
    """Yield the kind and the points of each data set: `n_samples` of one kind, then of the next."""
    for k, null in enumerate(nulls):
        draw = DRAWS[null](X)
        for i in range(n_samples):
            yield null, draw(rng)
            if report is not None:
                report(k * n_samples + i + 1, len(nulls) * n_samples)
