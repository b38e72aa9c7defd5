"""Are tails so heavy that sums of squares have no interval? Distances to centroids compared with Student's t.

The variance of a sum of squares is a fourth moment of the points. If that is infinite, as for Student's t with 4
degrees of freedom or fewer, no number of points can estimate it. A limit on the sample's kurtosis is no remedy: it
rejects the samples with a distant point, whose intervals are wide enough, and accepts the others, whose intervals are
too narrow. A quantile does not depend on how far out the last points lie. It is compared with that of points whose
coordinates come from Student's t with 3 degrees of freedom: only samples whose tails are lighter by more than chance
have intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from adjudge.inference.arrays import Floats, Ints, Numbers

__all__ = ["TailTest", "tail_test"]


# Degrees of freedom of the heaviest tails: their squares have a mean, but no variance.
_FREEDOM = 3.0
# Level of the test: the share of samples with tails as heavy as these that get an interval.
_LEVEL = 0.1
# Number of points beyond the quantile, and their largest share: with few points, the quantile is almost the maximum.
_BEYOND = 5
_LARGEST_SHARE = 0.05
# Smallest share at which the inversion is exact to three digits; below it, tails follow a power.
_EXACT = 0.002
# Number of points whose pairs show in how many directions they scatter, and the most directions that matter.
_OF_PAIRS = 500
_MOST_DIRECTIONS = 200.0
# Terms of the Gaver-Stehfest inversion: more would lose precision.
_TERMS = 12


@dataclass(frozen=True)
class TailTest:
    """How far out points lie, compared with points with heavy tails.

    Attributes
    ----------
    share : float
        Share of the points that lie beyond the quantile.
    ratio : float
        The quantile of the distance to the centroid, divided by the median distance; inf if the median is 0.
    heavy_ratio : float
        The same ratio for Student's t with 3 degrees of freedom.
    light : bool
        Whether the tails are lighter than those by more than chance.
    """

    share: float
    ratio: float
    heavy_ratio: float
    light: bool


def tail_test(points: Numbers, codes: Ints) -> TailTest:
    """Compare the tails of points within their clusters with those of Student's t with 3 degrees of freedom.

    Parameters
    ----------
    points : ndarray of shape (n, p)
    codes : ndarray of int64 of shape (n,)
        Clusters 0, ..., K - 1.

    Notes
    -----
    Each distance is divided by the mean distance of its cluster. The logarithm of the ratio of two quantiles is normal
    in large samples, with a variance that follows from their densities.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.points.heavy_tails import tail_test
    >>> points = np.random.default_rng(0).normal(size=(300, 2))
    >>> found = tail_test(points, np.repeat([0, 1], 150))
    >>> found.light, round(found.ratio, 1), round(found.heavy_ratio, 1)
    (True, 2.6, 4.5)
    """
    from scipy.special import ndtri

    distances, directions = _distances(points, codes)
    share = min(_LARGEST_SHARE, _BEYOND / codes.size)
    heavy, error = _of_heavy_tails(round(directions, 1), share)
    median, far = np.quantile(distances, [0.5, 1 - share], method="hazen").tolist()
    ratio = far / median if median > 0 else math.inf
    least = heavy + float(ndtri(_LEVEL)) * error / math.sqrt(codes.size)
    return TailTest(share, ratio, math.exp(heavy), bool(ratio < math.exp(least)))


def _distances(points: Numbers, codes: Ints) -> tuple[Floats, float]:
    """Return the distances to the centroids, in units of each cluster's mean, and the number of directions."""
    n = codes.size
    distances = np.empty(n)
    every = math.ceil(n / _OF_PAIRS)
    some = []
    for cluster in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == cluster)
        residuals = np.asarray(points[own], np.float64)
        residuals = residuals - residuals.mean(axis=0)
        lengths = np.sqrt(np.einsum("ij,ij->i", residuals, residuals))
        mean = float(lengths.mean())
        distances[own] = lengths / mean if mean > 0 else 0.0
        chosen = np.flatnonzero((own % every == 0) & (lengths > 0))
        some.append(residuals[chosen] / lengths[chosen, None])
    return distances, _directions(np.concatenate(some))


def _directions(units: Floats) -> float:
    """Return the effective number of directions: 1 over the mean squared cosine between points, p if isotropic."""
    m = len(units)
    if m < 2:
        return 1.0
    gram = units @ units.T
    mean = (float(np.einsum("ij,ij->", gram, gram)) - m) / (m * (m - 1))
    return min(max(1 / max(mean, 1 / _MOST_DIRECTIONS), 1.0), _MOST_DIRECTIONS)


@lru_cache(256)
def _of_heavy_tails(directions: float, share: float) -> tuple[float, float]:
    """Return the log ratio of a far quantile of the distance to the median, and its standard error times root n."""
    median, density = _quantile(directions, 0.5)
    far, far_density = _quantile(directions, max(share, _EXACT))
    if share < _EXACT:
        far += 2 / _FREEDOM * math.log(_EXACT / share)
        far_density = share * _FREEDOM / 2
    variance = share * (1 - share) / far_density**2 + 0.25 / density**2 - share / (far_density * density)
    # These are for squared distances; a distance has half the logarithm.
    return (far - median) / 2, math.sqrt(variance) / 2


def _quantile(directions: float, share: float) -> tuple[float, float]:
    """Return the logarithm that this share of the squared distances exceeds, and the density there."""
    from scipy.optimize import brentq

    def beyond(logarithm: float) -> float:
        return _beyond(math.exp(logarithm), directions)

    low, high = math.log(directions) - 5, math.log(directions) + 8
    found = float(brentq(lambda x: beyond(x) - share, low, high))
    step = 0.05
    return found, (beyond(found - step) - beyond(found + step)) / (2 * step)


def _beyond(x: float, directions: float) -> float:
    """Return the probability that a sum of squares of Student's t exceeds x, from its Laplace transform.

    Stehfest (1970), Communications of the ACM 13, 47-49. The transform of the square of Student's t is Kummer's U.
    """
    from scipy.special import gammaln, hyperu

    terms = np.arange(1, _TERMS + 1) * math.log(2) / x
    scale = math.exp(gammaln((1 + _FREEDOM) / 2) - gammaln(_FREEDOM / 2))
    of_one = scale * hyperu(0.5, 1 - _FREEDOM / 2, _FREEDOM * terms)
    return math.log(2) / x * float(_weights() @ ((1 - of_one**directions) / terms))


@lru_cache(1)
def _weights() -> Floats:
    half = _TERMS // 2
    return np.array(
        [
            (-1) ** (k + half)
            * sum(
                j ** (half + 1) * math.comb(half, j) * math.comb(2 * j, j) * math.comb(j, k - j)
                for j in range((k + 1) // 2, min(k, half) + 1)
            )
            / math.factorial(half)
            for k in range(1, _TERMS + 1)
        ]
    )
