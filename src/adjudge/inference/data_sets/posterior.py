"""Bayesian comparison of two models, with a region in which they are practically equivalent.

Over data sets: the signed-rank and the sign test. On one data set: the correlated t of its folds. Over folds and data
sets at once: :mod:`adjudge.inference.data_sets.hierarchical`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from adjudge.array_types import Floats, parts
from adjudge.errors import InputError, Option
from adjudge.given.options import check_count, random_generator
from adjudge.given.score_table import settled
from adjudge.usual_seed import USUAL_SEED

# How much the folds have in common, as a multiple of what the correction allows for, if both learners find nothing, or
# learn unstable rules: 1.2 to 3 in simulations. Without training it would be below 1.
_IN_COMMON = 2.5
_HOW_IN_COMMON = f"with {_IN_COMMON:g} times the correction and the degrees of freedom of one run"
_WHY_IN_COMMON = "folds have more in common if a learner finds next to nothing"
# For folds with at least this share of the instances, the correction suffices.
_LARGE_FOLD = 0.3
# Probability at which a region is commonly accepted.
_SETTLED = 0.95


@dataclass(frozen=True, eq=False)
class Posterior:
    """Probabilities that the first model is better, that both are equivalent, and that the second is better.

    Attributes
    ----------
    first, rope, second : float
        For tests over data sets, the share of draws in which each region is the most probable one. For the correlated
        t, the probability of each region.
    mean : tuple of float
        Mean probability of each region over the draws: that for a random data set.
    test : str
    width : float
        Half the width of the region of practical equivalence.
    draws : ndarray of shape (n_draws, 3), or None
        Probability of each region, one row per draw.
    warning : str or None
        What is wrong with the draws, if anything.
    """

    first: float
    rope: float
    second: float
    mean: tuple[float, float, float]
    test: str
    width: float
    draws: Floats | None = None
    warning: str | None = None

    @classmethod
    def from_draws(
        cls, draws: Floats, test: str, width: float, *, regions: int = 3, warning: str | None = None
    ) -> Posterior:
        """Count the draws in which each region is the most probable one; ties share a draw."""
        compared = draws if regions == 3 else draws[:, [0, 2]]
        best = compared >= compared.max(axis=1, keepdims=True) - 1e-12
        shares = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
        first, rope, second = shares if regions == 3 else (shares[0], 0.0, shares[1])
        means = draws.mean(axis=0)
        mean = float(means[0]), float(means[1]), float(means[2])
        return cls(float(first), float(rope), float(second), mean, test, width, draws, warning)

    def swap(self) -> Posterior:
        """Return the posterior with the two models swapped."""
        draws = None if self.draws is None else self.draws[:, ::-1]
        first, rope, second = self.mean
        mean = second, rope, first
        return Posterior(self.second, self.rope, self.first, mean, self.test, self.width, draws, self.warning)


def check_rope(rope: Any) -> float:
    """Return half the width of the region of practical equivalence."""
    if isinstance(rope, bool) or not isinstance(rope, (int, float, np.floating, np.integer)):
        raise InputError(
            Option("rope", rope), ": a number is needed, the largest difference that does not matter"
        )
    if not 0 <= rope < math.inf:
        raise InputError(Option("rope", rope), ": a finite number of at least 0 is needed")
    return float(rope)


def _checked(differences: Any, n_draws: int) -> Floats:
    check_count("n_draws", n_draws)
    values = settled(np.asarray(differences, np.float64))
    if values.ndim != 1 or not values.size:
        raise InputError("there is no data set with a score of both models")
    return values


def signed_rank_posterior(
    differences: Any,
    *,
    rope: float = 0.0,
    prior: float = 0.5,
    n_draws: int = 50_000,
    random_state: Any = USUAL_SEED,
) -> Posterior:
    """Apply the Bayesian signed-rank test to the differences over data sets.

    The prior of the differences is a Dirichlet process, which amounts to a pseudo-observation at 0. A draw gives
    weights to the differences, and the probability of a region is the weight of the pairs whose average lies in it.

    Parameters
    ----------
    differences : array-like of shape (n,)
        First model minus second.
    rope : float, default 0
        Differences up to this size are practically zero.
    prior : float, default 0.5
        Weight of the pseudo-observation.
    n_draws : int
    random_state : int, Generator or None, default 0

    References
    ----------
    Benavoli, Corani, Mangili, Zaffalon & Ruggeri (2014); Benavoli, Corani, Demšar & Zaffalon (2017).

    Examples
    --------
    >>> from adjudge.inference.data_sets.posterior import signed_rank_posterior
    >>> found = signed_rank_posterior([0.03, 0.02, 0.04, 0.05, 0.001, 0.03], rope=0.01, random_state=0)
    >>> found.first > 0.95
    True
    """
    values = np.sort(np.append(_checked(differences, n_draws), 0.0))
    limit = 2 * check_rope(rope)
    at_zero = int(np.searchsorted(values, 0.0))
    alphas = np.ones(values.size)
    alphas[at_zero] = prior
    # For each difference, the positions after which its sums with others are above the region, and before which below.
    above = np.searchsorted(settled(values), settled(limit - values), side="right")
    below = np.searchsorted(settled(values), settled(-limit - values), side="left")
    generator = random_generator(random_state)
    draws = np.empty((n_draws, 3))
    for part in parts(n_draws, values.size):
        weights = generator.dirichlet(alphas, part.stop - part.start)
        summed = np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)], axis=1)
        block = draws[part]
        block[:, 0] = (weights * (1 - summed[:, above])).sum(axis=1)
        block[:, 2] = (weights * summed[:, below]).sum(axis=1)
    draws[:, 1] = np.maximum(0.0, 1 - draws[:, 0] - draws[:, 2])
    if not limit:  # without a region, zeros count half for each model
        draws = np.column_stack(
            [draws[:, 0] + draws[:, 1] / 2, np.zeros(n_draws), draws[:, 2] + draws[:, 1] / 2]
        )
    return Posterior.from_draws(np.clip(draws, 0.0, 1.0), "signed-rank", limit / 2, regions=3 if limit else 2)


def sign_posterior(
    differences: Any,
    *,
    rope: float = 0.0,
    prior: float = 1.0,
    n_draws: int = 50_000,
    random_state: Any = USUAL_SEED,
) -> Posterior:
    """Apply the Bayesian sign test: counts of data sets in each region, with a Dirichlet prior.

    Parameters
    ----------
    differences : array-like of shape (n,)
    rope : float, default 0
    prior : float, default 1
        Number of pseudo-observations, which lie in the region of practical equivalence.
    n_draws : int
    random_state : int, Generator or None, default 0

    Examples
    --------
    >>> from adjudge.inference.data_sets.posterior import sign_posterior
    >>> found = sign_posterior([0.03, 0.02, 0.04, 0.05, 0.001, 0.03], rope=0.01, random_state=0)
    >>> round(found.mean[0], 1)
    0.7
    """
    values, width = _checked(differences, n_draws), check_rope(rope)
    first, second = int((values > width).sum()), int((values < -width).sum())
    counts = np.array([first, values.size - first - second + prior, second], np.float64)
    if not width:  # without a region, zeros count half for each model
        counts = np.array([first + counts[1] / 2, 0.0, second + counts[1] / 2])
    shares = np.zeros((n_draws, 3))
    held = counts > 0  # an empty region has no probability
    shares[:, held] = random_generator(random_state).dirichlet(counts[held], n_draws)
    return Posterior.from_draws(shares, "sign", width, regions=3 if width else 2)


def _settled_folds(differences: Any, test_share: Any) -> Floats:
    values = settled(np.asarray(differences, np.float64).ravel())
    if values.size < 2 or np.isnan(values).any():
        raise InputError(
            "differences has fewer than two folds, or undefined ones: give two or more defined values"
        )
    if not isinstance(test_share, (int, float)) or not 0 < test_share < 1:
        raise InputError(
            Option("test_share", test_share),
            ": give the share of the instances in a fold, such as 0.1 for ten folds",
        )
    return values


def _resampled(values: Floats, test_share: float, in_common: float = 1.0) -> tuple[float, float]:
    """Return the mean of the folds' differences, and its corrected variance."""
    correction = 1 / values.size + in_common * test_share / (1 - test_share)
    if (values == values[0]).all():  # their mean would differ from them by rounding
        return float(values[0]), 0.0
    return float(values.mean()), float(values.var(ddof=1)) * correction


def correlated_t_posterior(differences: Any, *, rope: float = 0.0, test_share: float = 0.1) -> Posterior:
    """Apply the Bayesian correlated t test to the folds of one data set.

    Parameters
    ----------
    differences : array-like
        First model minus second, one per fold, from one or more runs of cross-validation.
    rope : float, default 0
    test_share : float, default 0.1
        Share of the instances in a fold, which is the correlation of the folds' scores: 1 / k for k folds.

    Returns
    -------
    Posterior
        Exact, without draws. If all differences are equal, all probability lies there. It is overconfident if learners
        find next to nothing: if a fold holds less than 0.3 of the instances, `warning` gives the probability of a
        region with two and a half times the correction, wherever that brings it below 0.95.

    References
    ----------
    Corani & Benavoli (2015); Nadeau & Bengio (2003).

    Examples
    --------
    >>> from adjudge.inference.data_sets.posterior import correlated_t_posterior
    >>> found = correlated_t_posterior([0.02, 0.03, 0.01, 0.04, 0.02], rope=0.01, test_share=0.2)
    >>> round(found.first, 4), round(found.rope, 4)
    (0.9294, 0.0649)
    """
    width = check_rope(rope)
    values = _settled_folds(differences, test_share)
    (mean, variance), df = _resampled(values, test_share), values.size - 1
    if variance > 0:
        found = _regions(mean, variance, df, width)
        note = None if test_share >= _LARGE_FOLD else _if_folds_agree_more(found, values, test_share, width)
        return Posterior(*found, found, "correlated-t", width, warning=note)
    first, second = float(mean > width), float(mean < -width)
    if not width and not mean:
        first = second = 0.5
    found = first, 1 - first - second, second
    return Posterior(*found, found, "correlated-t", width)


def _regions(mean: float, variance: float, df: int, width: float) -> tuple[float, float, float]:
    """Return the probability of each region if the difference has Student's t distribution."""
    from scipy.stats import t

    error = math.sqrt(variance)
    first, second = float(t.sf((width - mean) / error, df)), float(t.cdf((-width - mean) / error, df))
    return first, max(0.0, 1 - first - second) if width else 0.0, second


def _if_folds_agree_more(
    found: tuple[float, float, float], values: Floats, test_share: float, width: float
) -> str | None:
    """Give the probability of the most probable region if folds have as much in common as with some learners."""
    likely = max(found)
    if likely < _SETTLED:
        return None
    mean, variance = _resampled(values, test_share, _IN_COMMON)
    df_of_a_run = min(values.size, round(1 / test_share)) - 1
    cautious = _regions(mean, variance, df_of_a_run, width)[found.index(likely)]
    if cautious >= _SETTLED:
        return None
    return f"{_WHY_IN_COMMON}: {likely:.3f} is {cautious:.3f} {_HOW_IN_COMMON}"
