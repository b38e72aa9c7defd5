"""Bayesian hierarchical comparison of two models over folds and data sets at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_count, random_generator
from adjudge.inference.data_sets.posterior import Posterior, check_rope
from adjudge.kernels.elementary import exponentials, logarithms
from adjudge.kernels.hierarchical import draw_chain
from adjudge.usual_seed import USUAL_SEED

_CHAINS = 4
_WARM_UP = 1000
# Chains with a larger R-hat have not converged.
_LARGEST_R_HAT = 1.02
# A data set whose differences are all equal says nothing about their spread. They are assumed to be known to within the
# region of equivalence, as in the authors' program, or if that has no width, to this part of the average spread.
_LEAST_SPREAD = 1e-3
# Bounds of the hyperpriors (Corani et al. 2017): for sigma and s_0 in standard deviations; for nu's gamma distribution.
_WIDEST = 1000.0
_SHAPES, _RATES = (1.0, 2.0), (0.01, 0.1)


def hierarchical_posterior(
    differences: Sequence[Any],
    *,
    rope: float = 0.0,
    test_shares: float | Sequence[float] = 0.1,
    n_draws: int = 20_000,
    random_state: Any = USUAL_SEED,
) -> Posterior:
    """Compare two models by the scores of their folds on several data sets.

    The differences on a data set are normal around its own delta, with the correlation of folds; the deltas of the data
    sets have a Student distribution. Each draw of its parameters gives the probability of each region for a new data
    set.

    Parameters
    ----------
    differences : sequence of array-like
        First model minus second: for each data set, its folds over all runs.
    rope : float, default 0
        Differences up to this size are practically zero.
    test_shares : float or sequence of float, default 0.1
        Share of a data set's instances in a fold: 1 / k for k folds.
    n_draws : int
        Number of draws over four chains, each after 1,000 warm-up draws.
    random_state : int, Generator or None, default 0

    Returns
    -------
    Posterior
        ``warning`` says if the chains have not converged.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili & Zaffalon (2017), Statistical comparison of classifiers through Bayesian
    hierarchical modelling.

    Examples
    --------
    >>> from adjudge.inference.data_sets.hierarchical import hierarchical_posterior
    >>> folds = [[0.03, 0.02, 0.05, 0.04, 0.03], [0.01, 0.04, 0.03, 0.02, 0.03], [0.02, 0.03, 0.04, 0.05, 0.02]]
    >>> found = hierarchical_posterior(folds, rope=0.01, test_shares=0.2, n_draws=4000, random_state=0)
    >>> found.first > 0.9
    True
    """
    width = check_rope(rope)
    check_count("n_draws", n_draws, least=_CHAINS)
    folds = [np.asarray(values, np.float64).ravel() for values in differences]
    if len(folds) < 2 or min(values.size for values in folds) < 2 or any(np.isnan(v).any() for v in folds):
        raise InputError("the hierarchical test needs two data sets or more, with two folds or more on each")
    shares = np.broadcast_to(np.asarray(test_shares, np.float64), len(folds))
    if not ((shares > 0) & (shares < 1)).all():
        raise InputError(
            Option("test_shares", test_shares), ": give shares between 0 and 1, such as 0.1 for ten folds"
        )
    unit = float(np.mean([values.std() for values in folds]))
    if unit == 0:  # no data set says how much folds vary
        largest = max(float(np.abs(values).max()) for values in folds)
        if largest == 0:
            draws = np.array([[0.0, 1.0, 0.0] if width else [0.5, 0.0, 0.5]])
            return Posterior.from_draws(draws, "hierarchical", width, regions=3 if width else 2)
        unit = width or largest
    least = width / unit / math.sqrt(3) or _LEAST_SPREAD
    draws, r_hat = _sample([values / unit for values in folds], shares, least, n_draws, random_state)
    regions = _regions(draws, width / unit)
    warning = (
        f"the chains have not met (R-hat {r_hat:.3f}): take more draws" if r_hat > _LARGEST_R_HAT else None
    )
    return Posterior.from_draws(regions, "hierarchical", width, regions=3 if width else 2, warning=warning)


def _sample(
    folds: list[Floats], shares: Floats, least: float, n_draws: int, random_state: Any
) -> tuple[Floats, float]:
    """Draw delta_0, s_0 and nu in several chains; return the draws and the largest R-hat."""
    means = np.array([values.mean() for values in folds])
    sizes = np.array([float(values.size) for values in folds])
    squares = np.array([float(((v - v.mean()) ** 2).sum()) for v in folds])
    squares = np.where(squares > 1e-12, squares, sizes * least**2)
    spread = float(means.std(ddof=1)) or _LEAST_SPREAD
    furthest = float(max(np.abs(values).max() for values in folds))
    limits = np.array([furthest, _WIDEST * spread, _WIDEST])
    grid, prior = _prior_of_nu()
    each = -(-n_draws // _CHAINS)
    chains = [
        draw_chain(
            rng, means, squares, sizes, np.ascontiguousarray(shares), limits, grid, prior, _WARM_UP, each
        )
        for rng in random_generator(random_state).spawn(_CHAINS)
    ]
    watched = np.array([[chain[:, 0], logarithms(chain[:, 1]), logarithms(chain[:, 2])] for chain in chains])
    r_hat = max(split_r_hat(watched[:, parameter]) for parameter in range(3))
    return np.concatenate(chains), r_hat


def _regions(draws: Floats, width: float) -> Floats:
    """Return the probability of each region for a new data set, one row per draw."""
    from scipy.special import stdtr

    d0, s0, nu = draws.T
    first = stdtr(nu, (d0 - width) / s0)
    second = stdtr(nu, (-width - d0) / s0)
    return np.column_stack([first, np.maximum(0.0, 1 - first - second), second])


@lru_cache(maxsize=1)
def _prior_of_nu() -> tuple[Floats, Floats]:
    """Return the log density of ``log(nu - 1)`` on a grid; shape and rate of the gamma distribution are uniform."""
    from scipy.special import gammaln

    grid = np.linspace(math.log(1e-4), math.log(1e5), 2000)
    nodes, weights = np.polynomial.legendre.leggauss(60)
    shapes = (nodes + 1) / 2 * (_SHAPES[1] - _SHAPES[0]) + _SHAPES[0]
    rates = (nodes + 1) / 2 * (_RATES[1] - _RATES[0]) + _RATES[0]
    shape, rate = (m[:, :, None] for m in np.meshgrid(shapes, rates, indexing="ij"))
    g = exponentials(grid)
    density = exponentials(shape * logarithms(rate) - gammaln(shape) + shape * grid - rate * g)
    mixed = np.einsum("i,j,ijk->k", weights, weights, density) / 4
    return grid, logarithms(np.maximum(mixed, 1e-300))


def split_r_hat(chains: Floats) -> float:
    """Return how much wider all chains together are than half chains: 1 if they have converged."""
    half = chains.shape[1] // 2
    if half < 2:
        return math.nan
    parts = np.concatenate([chains[:, :half], chains[:, -half:]])
    within = float(parts.var(axis=1, ddof=1).mean())
    between = float(parts.mean(axis=1).var(ddof=1))
    return math.sqrt((half - 1) / half + between / within) if within else 1.0
