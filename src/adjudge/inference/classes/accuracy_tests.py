"""Tests of classifiers by the instances that they get right: McNemar's for two, Cochran's Q for several."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.options import check_choice
from adjudge.inference.common.proportions import mid_p_of_signs
from adjudge.inference.common.significance import TestResult
from adjudge.statistics.agreement import Agreement

MCNEMAR_METHODS = ("exact", "mid-p", "asymptotic", "corrected")
# Beyond this, float64 cannot represent every integer, and SciPy's binomial distribution uses floats.
_LARGEST_COUNT = 1 << 53


def mcnemar_test(
    agreement: Agreement | ArrayLike, alternative_right: ArrayLike | None = None, *, method: str = "mid-p"
) -> TestResult:
    """Test whether two classifiers are right equally often, on the instances where exactly one of them is.

    Parameters
    ----------
    agreement : Agreement, or array-like of bool of shape (n,)
        Counts of instances, or where the primary classifier is right.
    alternative_right : array-like of bool of shape (n,), optional
        In the second case, where the alternative classifier is right.
    method : {"exact", "mid-p", "asymptotic", "corrected"}
        Binomial; binomial with half the weight on the observed count (Fagerland, Lydersen & Laake 2013), which is less
        conservative and still holds its level; chi-square; or chi-square with the continuity correction.

    Returns
    -------
    TestResult
        The statistic is the smaller count, or chi-square.

    Raises
    ------
    InputError
        For vectors of different lengths, or with other values than true and false.

    Examples
    --------
    >>> from adjudge.inference import mcnemar_test
    >>> from adjudge.statistics import Agreement
    >>> round(mcnemar_test(Agreement(50, 12, 3, 5), method="exact").p_value, 6)
    0.035156
    >>> first_right, second_right = [True] * 6 + [False], [False] * 6 + [True]
    >>> mcnemar_test(first_right, second_right, method="exact").p_value
    0.125
    """
    from scipy.stats import binom, chi2

    check_choice("method", method, MCNEMAR_METHODS)
    agreement = _agreement(agreement, alternative_right)
    b, c = agreement.right_wrong, agreement.wrong_right
    hypothesis = "RW and WR are equally likely: both classifiers have the same accuracy"
    if b + c == 0:
        reason = "the models never disagree (RW + WR = 0)"
        return TestResult(0.0, 1.0, method, hypothesis, reason)
    if method in ("asymptotic", "corrected"):
        distance = max(0, abs(b - c) - (1 if method == "corrected" else 0))
        statistic = distance**2 / (b + c)
        return TestResult(statistic, float(chi2.sf(statistic, 1)), method, hypothesis)
    if b + c > _LARGEST_COUNT:
        raise InputError(
            "the models disagree on more than 2^53 instances: use ",
            Option("method", "asymptotic"),
            f", not {method!r}",
        )
    fewer = min(b, c)
    p_value = mid_p_of_signs(b, c) if method == "mid-p" else min(1.0, 2 * float(binom.cdf(fewer, b + c, 0.5)))
    return TestResult(float(fewer), p_value, method, hypothesis)


def _agreement(given: Any, alternative_right: Any) -> Agreement:
    """Count the outcomes, unless they are already counted."""
    if not isinstance(given, Agreement):
        if alternative_right is None:
            raise InputTypeError(
                "alternative_right is missing: give an Agreement, or where each of the two models is right"
            )
        return Agreement.from_outcomes(given, alternative_right)
    if alternative_right is not None:
        raise InputTypeError("an Agreement has the counts of both models: leave alternative_right out")
    return given


def cochran_q_test(right: Any) -> TestResult:
    """Test whether several classifiers have the same accuracy on the same instances.

    Parameters
    ----------
    right : array-like of bool of shape (n_instances, n_models)
        Where each model is right.

    Returns
    -------
    TestResult
        Cochran's Q and its chi-square p-value.

    Examples
    --------
    >>> from adjudge.inference.classes.accuracy_tests import cochran_q_test
    >>> result = cochran_q_test([[1, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 0], [0, 1, 0], [1, 1, 0]])
    >>> round(result.statistic, 6), round(result.p_value, 6)
    (6.4, 0.040762)
    """
    from scipy.stats import chi2

    try:
        values = np.asarray(right)
    except ValueError:
        raise InputError("right is ragged: give a matrix of booleans with one column per model") from None
    if (
        values.ndim != 2
        or values.shape[1] < 2
        or values.dtype.kind not in "biuf"
        or not np.isin(values, (0, 1)).all()
    ):
        raise InputError(
            f"right has shape {values.shape}: give a matrix of booleans with one column per model, "
            "for two or more models"
        )
    hits = values.astype(np.int64)
    models = hits.shape[1]
    by_model, by_instance = hits.sum(axis=0), hits.sum(axis=1)
    total = int(hits.sum())
    numerator = (models - 1) * (models * int((by_model**2).sum()) - total**2)
    denominator = models * total - int((by_instance**2).sum())
    hypothesis = "all models have the same accuracy"
    if denominator == 0:
        return TestResult(0.0, 1.0, "cochran-q", hypothesis, "all models are right on the same instances")
    statistic = numerator / denominator
    return TestResult(statistic, float(chi2.sf(statistic, models - 1)), "cochran-q", hypothesis)
