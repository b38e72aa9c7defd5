"""P-values of two models that differ on few instances.

The jackknife compares a difference with Student's t, the bootstrap with its own draws: both need many instances that
count. Those on which the models agree do not. With k on which they differ, a difference has about as few values as the
sum of k signs, and its p-value is raised to that of the exact sign test.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.inference.common.samples import Sample
from adjudge.statistics.assignment import optimal_assignment

__all__ = ["ENOUGH_DISAGREEMENTS", "mid_p_of_signs", "n_disagreements", "raised_to_signs"]

# Disagreements from which on the p-values of large samples hold their level: chosen on 32 laws as the first of 10, 12,
# 15, 20 and 25 with which no test at 5 % rejects in more than 6 %.
ENOUGH_DISAGREEMENTS = 20


def n_disagreements(sample: Sample) -> int:
    """Count the instances on which two predictions differ, once their clusters are matched.

    A bound from below if that is enough already.

    Parameters
    ----------
    sample : Sample
        Of the truth and two predictions.
    """
    (p, n_p), (q, n_q) = sample.groupings[1:3]
    cells, which = np.unique(p.astype(np.int64) * n_q + q, return_inverse=True)
    rows, cols = np.divmod(cells, n_q)
    counts = np.bincount(which, sample.counts)
    most = np.zeros(n_p), np.zeros(n_q)
    for largest, codes in zip(most, (rows, cols), strict=True):
        np.maximum.at(largest, codes, counts)
    at_least = sample.n - int(min(largest.sum() for largest in most))
    if at_least >= ENOUGH_DISAGREEMENTS:
        return at_least
    matched = optimal_assignment(rows, cols, counts, (n_p, n_q))
    return sample.n - int(counts[matched[rows] == cols].sum())


def raised_to_signs(p_value: float, n_signs: int) -> float:
    """Return the two-sided p-value of the exact sign test for as large a difference, in standard errors.

    Between whole numbers of signs, tails of the binomial distribution are those of the beta distribution.

    Parameters
    ----------
    p_value : float
        Of a normal difference.
    n_signs : int

    Examples
    --------
    Of six signs that agree, two in 2^6 samples have as many; the normal distribution says 0.014:

    >>> from adjudge.inference.common.few_disagreements import raised_to_signs
    >>> round(raised_to_signs(0.0143, 6), 3)
    0.031
    """
    from scipy.special import betainc, ndtri

    if n_signs == 0:
        return p_value
    z = -float(ndtri(max(p_value, 1e-300) / 2))
    more = min((n_signs + z * math.sqrt(n_signs)) / 2, float(n_signs))
    return min(1.0, max(p_value, 2 * float(betainc(more, n_signs - more + 1, 0.5))))


def mid_p_of_signs(b: int, c: int) -> float:
    """Return the two-sided p-value of the sign test, with half the weight on the observed counts."""
    from scipy.stats import binom

    fewer = min(b, c)
    # If both counts are the same, the exact p-value is cut at 1, and half of their probability is taken off that.
    seen = float(binom.pmf(fewer, b + c, 0.5)) * (0.5 if b == c else 1.0)
    return min(1.0, 2 * float(binom.cdf(fewer, b + c, 0.5))) - seen
