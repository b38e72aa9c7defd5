"""Rank tests of models over data sets: Friedman, Iman-Davenport, Quade, aligned ranks; pairs; Nemenyi, Conover.

The data sets are the blocks. All tests read :class:`~adjudge.statistics.rankings.Rankings`, in which every model has a
score on every data set, and are valid for two models as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.score_table import settled
from adjudge.inference.common.significance import TestResult
from adjudge.kernels.elementary import exponentials, exponentials_less_one, logarithms_of_one_plus
from adjudge.statistics.rankings import Rankings

_HYPOTHESIS = "all models rank alike"
_ALL_TIED = "all models tie on every data set"
_FEW = "fewer than two data sets have a score of every model"


def friedman(rankings: Rankings) -> TestResult:
    """Test whether all models rank alike over the data sets.

    Returns
    -------
    TestResult
        The chi-square statistic with k - 1 degrees of freedom, and its p-value; corrected for ties, which Demšar's is
        not, so that his is smaller.

    References
    ----------
    Friedman (1937); Demšar (2006), Statistical comparisons of classifiers over multiple data sets.

    Examples
    --------
    >>> from adjudge.inference.data_sets.ranks import friedman
    >>> from adjudge.statistics.rankings import Rankings
    >>> result = friedman(Rankings.of_goodness([[0.9, 0.8, 0.7], [0.8, 0.8, 0.6], [0.7, 0.6, 0.5]]))
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (5.6364, 0.0597)
    """
    from scipy.stats import chi2

    reason = _why_not(rankings, ties=True)
    if reason:
        return TestResult(math.nan, math.nan, "friedman", _HYPOTHESIS, reason)
    n, k = rankings.ranks.shape
    statistic = 12 * n / (k * (k + 1)) * float(((rankings.average - (k + 1) / 2) ** 2).sum())
    statistic /= rankings.untied
    return TestResult(statistic, float(chi2.sf(statistic, k - 1)), "friedman", _HYPOTHESIS)


def iman_davenport(rankings: Rankings) -> TestResult:
    """Test like :func:`friedman`, by an F statistic whose level is more accurate for few data sets.

    Returns
    -------
    TestResult
        The F statistic with k - 1 and (k - 1)(N - 1) degrees of freedom. If all data sets rank the models alike, it is
        infinite, and the p-value is exact: (1 / k!)^(N - 1) without ties.

    References
    ----------
    Iman & Davenport (1980).
    """
    from scipy.stats import f

    chi2 = friedman(rankings)
    if chi2.reason:
        return TestResult(math.nan, math.nan, "iman-davenport", _HYPOTHESIS, chi2.reason)
    n, k = rankings.ranks.shape
    rest = n * (k - 1) - chi2.statistic
    if rest <= 1e-9 * n * (k - 1):
        return complete_concordance(rankings, "iman-davenport")
    statistic = (n - 1) * chi2.statistic / rest
    p_value = float(f.sf(statistic, k - 1, (k - 1) * (n - 1)))
    return TestResult(statistic, p_value, "iman-davenport", _HYPOTHESIS)


def kendall_w(rankings: Rankings) -> float:
    """Return the concordance of the data sets: 0 if they rank the models as if by chance, 1 if all rank them alike."""
    chi2 = friedman(rankings).statistic
    return chi2 / (rankings.n_datasets * (rankings.n_models - 1)) if rankings.n_datasets else math.nan


def quade(rankings: Rankings) -> TestResult:
    """Test like :func:`friedman`, with more weight on data sets on which the models' scores differ more.

    References
    ----------
    Quade (1979), Using weighted rankings in the analysis of complete blocks with additive block effects; Conover
    (1999), Practical nonparametric statistics, for the exact p-value if all data sets rank the models alike.
    """
    from scipy.stats import f

    reason = _why_not(rankings, ties=True)
    if reason:
        return TestResult(math.nan, math.nan, "quade", _HYPOTHESIS, reason)
    n, k = rankings.ranks.shape
    scores = _weights(rankings)[:, None] * (rankings.ranks - (k + 1) / 2)
    within = float((scores**2).sum())
    between = float((scores.sum(axis=0) ** 2).sum()) / n
    if within > 0 and within - between <= 1e-12 * within:
        return complete_concordance(rankings, "quade")
    statistic = (n - 1) * between / (within - between)
    return TestResult(statistic, float(f.sf(statistic, k - 1, (k - 1) * (n - 1))), "quade", _HYPOTHESIS)


def aligned_ranks(rankings: Rankings) -> TestResult:
    """Test like :func:`friedman`, by the joint ranks of all scores after subtracting the data sets' means.

    Returns
    -------
    TestResult
        The statistic T, as chi-square with k - 1 degrees of freedom.

    References
    ----------
    Hodges & Lehmann (1962); García, Fernández, Luengo & Herrera (2010).
    """
    from scipy.stats import chi2

    reason = _why_not(rankings, ties=False)
    if reason:
        return TestResult(math.nan, math.nan, "aligned-ranks", _HYPOTHESIS, reason)
    n, k = rankings.ranks.shape
    ranks = _aligned(rankings)
    centre = k * n * n * (k * n + 1) ** 2 / 4
    between = float((ranks.sum(axis=0) ** 2).sum()) - centre
    rest = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - float((ranks.sum(axis=1) ** 2).sum()) / k
    statistic = (k - 1) * between / rest
    return TestResult(statistic, float(chi2.sf(statistic, k - 1)), "aligned-ranks", _HYPOTHESIS)


def _why_not(rankings: Rankings, ties: bool) -> str | None:
    """Say why a rank test is uninformative, if so; correcting for ties divides by 0 if all scores tie."""
    if rankings.n_datasets < 2:
        return _FEW
    return _ALL_TIED if ties and rankings.untied == 0 else None


def complete_concordance(rankings: Rankings, test: str) -> TestResult:
    """Return the exact result for the largest possible statistic, when all data sets order the models alike.

    Each data set may have any of k! orders (fewer with ties), all equally likely. The first one sets the order, which
    the others then share by chance (Conover 1999, p. 374).
    """
    orders = math.factorial(rankings.n_models)
    for times in np.unique(rankings.ranks[0], return_counts=True)[1].tolist():
        orders //= math.factorial(times)
    p_value = math.exp((1 - rankings.n_datasets) * math.log(orders))
    reason = "every data set ranks the models in the same order, so the p-value is exact"
    return TestResult(math.inf, p_value, test, _HYPOTHESIS, reason)


def _weights(rankings: Rankings) -> Floats:
    """Rank the data sets by how much their scores differ."""
    from scipy.stats import rankdata

    return np.asarray(rankdata(rankings.ranges), np.float64)


def _aligned(rankings: Rankings) -> Floats:
    from scipy.stats import rankdata

    aligned = settled(rankings.goodness - rankings.goodness.mean(axis=1, keepdims=True))
    return np.asarray(rankdata(-aligned), np.float64).reshape(aligned.shape)


#: Tests of the hypothesis that all models are alike.
OVERALL: dict[str, Callable[[Rankings], TestResult]] = {
    "friedman": friedman,
    "iman-davenport": iman_davenport,
    "quade": quade,
    "aligned-ranks": aligned_ranks,
}


def _mean_ranks(rankings: Rankings) -> tuple[Floats, float]:
    n, k = rankings.ranks.shape
    return rankings.average, math.sqrt(k * (k + 1) / (6 * n))


def _mean_aligned(rankings: Rankings) -> tuple[Floats, float]:
    aligned = _aligned(rankings)
    return aligned.mean(axis=0), _error_of_sums(aligned) / rankings.n_datasets


def _mean_weighted(rankings: Rankings) -> tuple[Floats, float]:
    weights = _weights(rankings)
    total = float(weights.sum())
    return weights @ rankings.ranks / total, _error_of_sums(weights[:, None] * rankings.ranks) / total


def _mean_conover(rankings: Rankings) -> tuple[Floats, float]:
    """Return the mean ranks, and the error that Conover and Iman estimate from the ranks' residuals."""
    n, k = rankings.ranks.shape
    left = rankings.ranks - (k + 1) / 2
    total = float((left**2).sum())
    rest = total - n * float((left.mean(axis=0) ** 2).sum())
    if n < 2 or rest <= 1e-9 * total:
        return rankings.average, 0.0
    return rankings.average, math.sqrt(2 * rest / (n * (n - 1) * (k - 1)))


def _error_of_sums(scores: Floats) -> float:
    """Return the standard error of the difference of two sums if every order of the models is equally likely.

    The formulas of García et al. (2010) differ: they ignore the dependence of scores within a data set (aligned ranks),
    or take (k - 1) / 2 times the variance (Quade).
    """
    centred = scores - scores.mean(axis=1, keepdims=True)
    return math.sqrt(2 * float((centred**2).sum()) / (scores.shape[1] - 1))


#: For each rank test of pairs: each model's mean rank, and the standard error of the difference of two.
RANK_SCORES: dict[str, Callable[[Rankings], tuple[Floats, float]]] = {
    "ranks": _mean_ranks,
    "aligned-ranks": _mean_aligned,
    "quade": _mean_weighted,
    "conover": _mean_conover,
}
#: Those whose error is estimated, with (k - 1)(N - 1) degrees of freedom.
ESTIMATED_ERRORS = frozenset({"conover"})


@cache
def _quadrature() -> tuple[Floats, Floats]:
    """Return Gauss-Legendre nodes and weights, which take longer to compute than everything else."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    return nodes, weights


def studentized_range(q: Floats | float, k: int) -> Floats:
    """Return the probability that the range of k standard normal numbers exceeds q.

    This is the integral over the largest of them, in a form that stays accurate if the probability is tiny.

    Examples
    --------
    >>> from adjudge.inference.data_sets.ranks import studentized_range
    >>> [round(float(p), 4) for p in studentized_range([2.0, 3.633], 4)]
    [0.4904, 0.05]
    """
    from scipy.special import ndtr

    wanted = np.atleast_1d(np.asarray(q, np.float64))
    nodes, weights = _quadrature()
    top = np.maximum(wanted, 0.0)[:, None] + 9.0
    # For all practical purposes, the largest number lies between -9 and q + 9.
    z = (nodes + 1) / 2 * (top + 9.0) - 9.0
    density = exponentials(-z * z / 2) / math.sqrt(2 * math.pi)
    below = ndtr(z)
    share = np.minimum(ndtr(z - wanted[:, None]) / below, 1.0)
    outside = -exponentials_less_one((k - 1) * logarithms_of_one_plus(-share))
    found = k * (density * below ** (k - 1) * outside) @ weights * (top[:, 0] + 9.0) / 2
    return np.asarray(np.clip(found, 0.0, 1.0))


def studentized_range_quantile(alpha: float, k: int) -> float:
    """Return the range that k standard normal numbers exceed with probability alpha."""
    from scipy.optimize import brentq

    check_level(alpha)
    found = brentq(lambda q: float(studentized_range(q, k)[0]) - alpha, 0.0, 60.0, xtol=1e-13, rtol=1e-13)
    return float(found)


def nemenyi_difference(n_datasets: int, n_models: int, alpha: float = 0.05) -> float:
    """Return the critical difference: the least difference of average ranks that is significant in Nemenyi's test.

    Examples
    --------
    Demšar's four classifiers on 14 data sets:

    >>> from adjudge.inference.data_sets.ranks import nemenyi_difference
    >>> round(nemenyi_difference(14, 4), 3)
    1.254
    """
    k = n_models
    return studentized_range_quantile(alpha, k) / math.sqrt(2) * math.sqrt(k * (k + 1) / (6 * n_datasets))


def nemenyi_p_values(z: Floats, n_models: int) -> Floats:
    """Return Nemenyi's p-values, adjusted for all pairs, for differences of average ranks in standard errors."""
    return studentized_range(np.abs(z) * math.sqrt(2), n_models)


def check_level(alpha: float) -> None:
    """Raise unless `alpha` is a significance level."""
    if not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise InputError(Option("alpha", alpha), ": a level between 0 and 1 is needed, such as 0.05")
