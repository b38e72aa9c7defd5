"""Tests of two models by five repetitions of two-fold cross-validation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.inference.significance import TestResult

__all__ = ["five_by_two_f_test", "five_by_two_t_test"]

_SAME = "the expected scores of both models are the same"


def _differences(first: Any, second: Any) -> tuple[NDArray[np.float64], float]:
    """Differences of shape (5, 2), and the sum over the repetitions of their variances."""
    one, other = (np.asarray(scores, np.float64) for scores in (first, second))
    if one.shape != (5, 2) or other.shape != (5, 2):
        raise InputError(
            f"the scores have shapes {one.shape} and {other.shape}: five repetitions of two folds are needed, (5, 2)"
        )
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise InputError("a score is undefined or infinite: a number for each fold is needed")
    found = one - other
    # Differences that are equal up to rounding have no variance.
    found = np.round(found, 14) if np.abs(found).max() < 1e3 else found
    return found, float(((found - found.mean(axis=1, keepdims=True)) ** 2).sum())


def five_by_two_t_test(first: Any, second: Any) -> TestResult:
    """Dietterich's 5x2cv t: the difference in the first fold only, over the mean variance.

    Parameters
    ----------
    first, second : array-like of shape (5, 2)
        Scores of two models, a row each repetition, a column each fold.

    References
    ----------
    Dietterich (1998), Approximate statistical tests for comparing supervised classification learning algorithms.

    Examples
    --------
    >>> from adjudge.inference.cross_validation import five_by_two_t_test
    >>> a = [[0.78, 0.77], [0.80, 0.81], [0.82, 0.80], [0.79, 0.78], [0.82, 0.83]]
    >>> b = [[0.76, 0.72], [0.75, 0.81], [0.80, 0.74], [0.76, 0.73], [0.77, 0.79]]
    >>> result = five_by_two_t_test(a, b)
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (0.8528, 0.4327)
    """
    from scipy.stats import t

    found, total = _differences(first, second)
    if total == 0:
        return _without_variance(float(found[0, 0]), "5x2cv-t")
    statistic = float(found[0, 0]) / math.sqrt(total / 5)
    return TestResult(statistic, 2 * float(t.sf(abs(statistic), 5)), "5x2cv-t", _SAME)


def five_by_two_f_test(first: Any, second: Any) -> TestResult:
    """Alpaydin's 5x2cv F, which does not depend on the order of the folds: preferable to the t.

    Parameters
    ----------
    first, second : array-like of shape (5, 2)

    References
    ----------
    Alpaydin (1999), Combined 5x2 cv F test for comparing supervised classification learning algorithms.

    Examples
    --------
    >>> from adjudge.inference.cross_validation import five_by_two_f_test
    >>> a = [[0.78, 0.77], [0.80, 0.81], [0.82, 0.80], [0.79, 0.78], [0.82, 0.83]]
    >>> b = [[0.76, 0.72], [0.75, 0.81], [0.80, 0.74], [0.76, 0.73], [0.77, 0.79]]
    >>> result = five_by_two_f_test(a, b)
    >>> round(result.statistic, 4), round(result.p_value, 4)
    (3.0727, 0.1136)
    """
    from scipy.stats import f

    found, total = _differences(first, second)
    if total == 0:
        return _without_variance(float(np.abs(found).max()), "5x2cv-F")
    statistic = float((found**2).sum()) / (2 * total)
    return TestResult(statistic, float(f.sf(statistic, 10, 5)), "5x2cv-F", _SAME)


def _without_variance(difference: float, method: str) -> TestResult:
    reason = "the differences do not vary within any repetition"
    if difference == 0:
        return TestResult(math.nan, math.nan, method, _SAME, reason)
    return TestResult(math.copysign(math.inf, difference), 0.0, method, _SAME, reason)
