"""Are there two modes? Hartigan's dip test, and the dip of points along the direction in which clusters differ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from adjudge.array_types import Floats, parts
from adjudge.blas import factorizing
from adjudge.errors import Argument, InputError
from adjudge.given.options import check_count, random_generator
from adjudge.inference.clusters.clusterers import coded_without_noise, dense_points, fit_of
from adjudge.kernels.dip import dip_of_sorted, dips_of_sorted
from adjudge.saved.savable import Savable
from adjudge.usual_seed import USUAL_SEED

# Number of uniform samples behind a p-value, and of the largest dips among them, which show how fast dips become rare.
_SAMPLES, _LARGEST = 10_000, 500
# Number of points beyond which the root of n times the dip no longer depends on n, and beyond which a change of n by a
# tenth changes it less than chance does.
_MANY, _SOME = 1000, 60
# Smallest p-value; smaller ones have not been validated by samples.
_LEAST = 1e-6
# Least number of gaps that show how values were rounded; two or three different values are modes, not rounding.
_FEWEST_GAPS = 3
# Values that differ by less than this part of the range differ only by rounding errors.
_SAME = 1e-9


@dataclass(frozen=True)
class DipTest(Savable):
    """Whether values have more than one mode.

    Attributes
    ----------
    dip : float
        From 1 / (2 n), for one mode, to 1 / 4.
    p_value : float
        Share of uniform samples of about this size with a dip at least as large, or an estimate if there are none.
        Uniform data have the largest dips of all unimodal distributions.
    n : int
    """

    dip: float
    p_value: float
    n: int


@dataclass(frozen=True, eq=False)
class ClustersDipTest(Savable):
    """Whether points have two modes along the direction in which clusters differ most.

    Attributes
    ----------
    p_value : float
        Twice the median p-value of the splits, at most 1; with a single split, its p-value.
    p_values : ndarray of shape (n_splits,)
    dips : ndarray of shape (n_splits,)
    """

    p_value: float
    p_values: Floats
    dips: Floats


def dip_test(values: Any) -> DipTest:
    """Test whether values come from a unimodal distribution.

    Parameters
    ----------
    values : array-like of shape (n,)
        At least four values.

    Returns
    -------
    DipTest

    Raises
    ------
    InputError
        If there are fewer than four values, or they are not finite.

    Notes
    -----
    J. A. Hartigan, P. M. Hartigan (1985), The dip test of unimodality, Annals of Statistics 13. The p-value is a share
    of 10,000 uniform samples with a fixed seed. If none of them has as large a dip, it is estimated from the 500
    largest dips, up to twice too high, and never below 1e-6. From 60 values on, the samples may be up to a tenth
    smaller; from 1,000 on, they have 1,000 values, because the root of n times the dip has a limit. The test is
    conservative for peaked distributions. The p-value assumes a continuous distribution: if there are four or more
    different values, equal ones, such as rounded values, are first spread over the smallest gap between different
    ones. `dip` is that of the original values.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference import dip_test
    >>> rng = np.random.default_rng(0)
    >>> dip_test(rng.normal(size=100)).p_value > 0.5
    True
    >>> dip_test(np.concatenate([rng.normal(size=50), rng.normal(5, size=50)])).p_value < 0.01
    True
    """
    try:
        given = np.array(values, np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument("values"), " contains something other than numbers") from None
    if given.ndim != 1 or given.size < 4:
        raise InputError(Argument("values"), f" has shape {given.shape}: at least four numbers are needed")
    if not np.isfinite(given).all():
        raise InputError(Argument("values"), " has values that are missing or infinite")
    given.sort()
    dip = float(dip_of_sorted(given))
    untied = _untied(given)
    of_untied = dip if untied is None else float(dip_of_sorted(untied))
    return DipTest(dip, _p_value(of_untied, given.size), given.size)


def _untied(ordered: Floats) -> Floats | None:
    """Spread equal values evenly over the smallest gap between different ones; None if there are no ties, or few gaps.

    Rounded values are spread over the range that was rounded to them.
    """
    values, counts = np.unique(ordered, return_counts=True)
    gaps = np.diff(values)
    gaps = gaps[gaps > _SAME * (values[-1] - values[0])]
    if values.size == ordered.size or gaps.size < _FEWEST_GAPS:
        return None
    among_equal = np.arange(ordered.size) - np.repeat(np.cumsum(counts) - counts, counts)
    parts = (among_equal + 0.5) / np.repeat(counts, counts) - 0.5
    return np.sort(np.repeat(values, counts) + float(gaps.min()) * parts)


def _p_value(dip: float, n: int) -> float:
    like = _sample_size(n)
    null = _uniform_dips(like)
    # Equal dips of two samples may differ by rounding.
    scaled = dip * math.sqrt(n / like) * (1 - 1e-12)
    above = null.size - np.searchsorted(null, scaled)
    p = (1 + above) / (1 + null.size)
    if above:
        return float(p)
    # The squares of the largest dips are about exponential. Compared with a million samples, this gives one to two
    # times the p-value.
    least, *largest = null[-_LARGEST - 1 :] ** 2
    rare = math.exp((least - scaled**2) / (np.mean(largest) - least)) * _LARGEST / (1 + null.size)
    return float(max(min(p, rare), _LEAST))


def _sample_size(n: int) -> int:
    """Return the sample size that n values are compared with: up to a tenth smaller, so that a few sizes suffice."""
    if n <= _SOME:
        return n
    tenths = math.floor(math.log(n / _SOME, 1.1) + 1e-9)
    return min(math.floor(_SOME * 1.1**tenths), _MANY)


@lru_cache(maxsize=512)
def _uniform_dips(n: int) -> Floats:
    """Return the sorted dips of uniform samples of n values, always the same samples."""
    rng = np.random.default_rng(n)
    found = np.empty(_SAMPLES)
    for part in parts(_SAMPLES, n):
        draws = rng.random((found[part].size, n))
        draws.sort(axis=1)
        found[part] = dips_of_sorted(draws)
    return np.sort(found)


def clusters_dip_test(
    X: Any, clusterer: Any, *, n_splits: int = 5, random_state: Any = USUAL_SEED
) -> ClustersDipTest:
    """Test whether points have two modes along the direction in which a clusterer's clusters differ most.

    The clusterer is fitted to one half of the points, which gives the direction: Fisher's first discriminant. The dip
    test uses the other half, which did not influence it, so the level holds for every distribution that is unimodal in
    every direction: balls, shells in three or more dimensions, correlated, skewed and heavy-tailed data.

    Parameters
    ----------
    X : array-like of shape (n, p)
        At least eight points.
    clusterer : callable or clusterer
        ``X -> labels`` or with `fit_predict`. Points labelled -1 are left out.
    n_splits : int, default 5
        Number of splits into halves.
    random_state : int, Generator, SeedSequence or None, default 0
        The same call gives the same answer; with None it varies.

    Returns
    -------
    ClustersDipTest

    Raises
    ------
    InputError
        If an input cannot be used.

    Notes
    -----
    The dip test is conservative for laws with a peak, and twice the median of p-values (van de Wiel, Berkhof & van
    Wieringen 2009; Meinshausen, Meier & Bühlmann 2009) is, too: a large p-value says little. Points on a curve that
    bends often have two modes in a direction without having clusters: :func:`~adjudge.inference.clusters_test` holds
    its level there.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.cluster import KMeans
    >>> from adjudge.inference import clusters_dip_test
    >>> rng = np.random.default_rng(0)
    >>> ball, pair = rng.normal(size=(100, 2)), np.concatenate([rng.normal(m, 0.5, (50, 2)) for m in (0, 3)])
    >>> model = KMeans(2, n_init=2, random_state=0)
    >>> [clusters_dip_test(X, model, random_state=0).p_value < 0.05 for X in (ball, pair)]
    [False, True]
    """
    check_count("n_splits", n_splits)
    points = dense_points(X)
    if points.shape[0] < 8:
        raise InputError(Argument("X"), f" has {points.shape[0]} points: at least eight are needed")
    fit = fit_of(clusterer, "clusterer")
    generator = random_generator(random_state)
    found = []
    for _ in range(n_splits):
        order = generator.permutation(points.shape[0])
        first, second = points[order[::2]], points[order[1::2]]
        direction = _discriminant(first, fit(first))
        # Without two clusters there is no direction, and no evidence.
        found.append(
            DipTest(0.5 / second.shape[0], 1.0, 0) if direction is None else dip_test(second @ direction)
        )
    p_values = np.array([test.p_value for test in found])
    p_value = min(1.0, 2 * float(np.median(p_values))) if n_splits > 1 else float(p_values[0])
    return ClustersDipTest(p_value, p_values, np.array([test.dip for test in found]))


def _discriminant(X: Floats, labels: Any) -> Floats | None:
    """Return the direction with the largest ratio of variance between to within clusters; None without two clusters."""
    kept, codes = coded_without_noise(labels)
    if codes.size == 0 or codes.max() == 0:
        return None
    inside = X[kept]
    sizes = np.bincount(codes)
    sums = np.stack([np.bincount(codes, column, minlength=sizes.size) for column in inside.T], axis=1)
    means = sums / sizes[:, None]
    residuals = inside - means[codes]
    with factorizing(X.shape[1]):
        values, vectors = np.linalg.eigh(residuals.T @ residuals / codes.size)
        # Otherwise, directions in which clusters have no extent would get all the weight.
        least = 1e-10 * max(float(values[-1]), np.finfo(float).tiny)
        whitening = vectors / np.sqrt(np.maximum(values, least))
        between = ((means - inside.mean(axis=0)) * np.sqrt(sizes)[:, None]) @ whitening
        return np.asarray(whitening @ np.linalg.svd(between, full_matrices=False)[2][0])
