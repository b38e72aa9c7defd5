"""The power of tests over data sets, the number of data sets that they need, and the least that they can detect.

Power refers to one comparison of two models. With several, `alpha` is divided among them (Bonferroni); the stepwise
corrections improve on that.
"""

from __future__ import annotations

import math
from functools import lru_cache

from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice, check_count
from adjudge.inference.data_sets.ranks import check_level

POWER_TESTS = ("wilcoxon", "sign")

# Upper limit for the number of data sets.
_MOST_DATASETS = 100_000


def _check_probability(name: str, value: float) -> None:
    if not isinstance(value, (int, float)) or not 0 < value < 1:
        raise InputError(Option(name, value), ": a probability between 0 and 1 is needed")


def smallest_p_value(n_datasets: int, n_comparisons: int = 1) -> float:
    """Return the smallest p-value that either test can give, after correction for this many comparisons.

    Examples
    --------
    Five data sets can never show a difference at 5 %:

    >>> from adjudge.inference.data_sets.rank_power import smallest_p_value
    >>> smallest_p_value(5)
    0.0625
    """
    check_count("n_datasets", n_datasets, least=0)
    return min(1.0, n_comparisons * 2.0 ** (1 - n_datasets))


def pair_power(
    n_datasets: int,
    probability: float,
    *,
    test: str = "wilcoxon",
    alpha: float = 0.05,
    n_comparisons: int = 1,
) -> float:
    """Return the probability that a test over this many data sets finds a difference of this size.

    Parameters
    ----------
    n_datasets : int
    probability : float
        Probability that the better model wins: for the sign test, one data set; for the signed-rank test, two data sets
        together (by the sum of their differences). 0.5 means no difference.
    test : {"wilcoxon", "sign"}
        The power of the sign test is exact. That of the signed-rank test is Noether's approximation, and 0 if no
        outcome can be significant.
    alpha : float, default 0.05
    n_comparisons : int, default 1

    References
    ----------
    Noether (1987), Sample size determination for some common nonparametric tests.

    Examples
    --------
    >>> from adjudge.inference.data_sets.rank_power import pair_power
    >>> round(pair_power(20, 0.8, test="sign"), 3)
    0.804
    """
    from scipy.special import ndtr, ndtri

    check_choice("test", test, POWER_TESTS)
    check_count("n_datasets", n_datasets, least=0)
    check_count("n_comparisons", n_comparisons)
    check_level(alpha)
    _check_probability("probability", probability)
    level = alpha / n_comparisons
    if smallest_p_value(n_datasets) > level:
        return 0.0
    if test == "sign":
        return _sign_power(n_datasets, probability, level)
    shift = math.sqrt(3 * n_datasets) * abs(probability - 0.5)
    z = -float(ndtri(level / 2))
    return float(ndtr(shift - z) + ndtr(-shift - z))


def _sign_power(n: int, probability: float, level: float) -> float:
    from scipy.stats import binom

    few = int(binom.ppf(level / 2, n, 0.5))
    if float(binom.cdf(few, n, 0.5)) > level / 2:
        few -= 1
    return float(binom.cdf(few, n, probability) + binom.sf(n - few - 1, n, probability))


@lru_cache(maxsize=1024)
def datasets_needed(
    probability: float,
    *,
    power: float = 0.8,
    test: str = "wilcoxon",
    alpha: float = 0.05,
    n_comparisons: int = 1,
) -> int | None:
    """Return the smallest number of data sets with which a test finds a difference of this size with the given power.

    Returns
    -------
    int or None
        None if 100,000 data sets are too few.

    Examples
    --------
    >>> from adjudge.inference.data_sets.rank_power import datasets_needed
    >>> datasets_needed(0.8, test="sign"), datasets_needed(0.8, test="sign", n_comparisons=45)
    (23, 45)
    """
    _check_probability("power", power)

    def enough(n: int) -> bool:
        # The sign test's power drops at some steps: a number is enough only if the next ones are, too.
        return all(
            pair_power(m, probability, test=test, alpha=alpha, n_comparisons=n_comparisons) >= power
            for m in range(n, n + (8 if test == "sign" else 1))
        )

    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST_DATASETS:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def detectable(
    n_datasets: int,
    *,
    power: float = 0.8,
    test: str = "wilcoxon",
    alpha: float = 0.05,
    n_comparisons: int = 1,
) -> float:
    """Return the smallest probability of winning (see :func:`pair_power`) that is detected with the given power.

    Returns
    -------
    float
        nan if no difference is large enough.

    Examples
    --------
    >>> from adjudge.inference.data_sets.rank_power import detectable
    >>> round(detectable(20, test="sign"), 3)
    0.799
    """
    from scipy.optimize import brentq

    _check_probability("power", power)

    def missing(probability: float) -> float:
        found = pair_power(n_datasets, probability, test=test, alpha=alpha, n_comparisons=n_comparisons)
        return found - power

    surest = 1 - 1e-9
    return float(brentq(missing, 0.5, surest)) if missing(surest) >= 0 else math.nan


def rank_test_power(n_datasets: int, n_models: int, concordance: float, alpha: float = 0.05) -> float:
    """Return the power of Friedman's test, given the concordance of the data sets (Kendall's W).

    This is an approximation by the noncentral chi-square distribution.

    Examples
    --------
    >>> from adjudge.inference.data_sets.rank_power import rank_test_power
    >>> round(rank_test_power(15, 5, 0.2), 2)
    0.8
    """
    from scipy.stats import chi2, ncx2

    check_level(alpha)
    if not 0 <= concordance <= 1:
        raise InputError(Option("concordance", concordance), ": a number from 0 to 1 is needed")
    df = n_models - 1
    threshold = float(chi2.isf(alpha, df))
    shift = n_datasets * df * concordance
    return float(ncx2.sf(threshold, df, shift)) if shift else alpha
