"""A difference of two values by what instances do to it: its interval, and the test of the same quantities."""

from __future__ import annotations

import math

from adjudge.inference.common.test_results import Difference, TestResult
from adjudge.inference.drawn import Drawn, Error, decided_by_few, error_of
from adjudge.inference.influence import Influence
from adjudge.inference.interval import interval_of_difference, p_value_of

__all__ = ["difference_of_influences"]


def difference_of_influences(
    influence: Influence,
    limits: tuple[float, float],
    confidence: float,
    hypothesis: str,
    drawn: Drawn | None = None,
    error: Error | None = None,
) -> Difference:
    """Make the interval of a difference, and test that there is none, by Student's t.

    Parameters
    ----------
    influence : Influence
        Of the first value less the second.
    limits : (float, float)
        Of either value.
    confidence : float
    hypothesis : str
        What is tested.
    drawn : Drawn, optional
    error : Error, optional
        How much the difference varies, if more is known of it.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.inference.differences.of_influences import difference_of_influences
    >>> from adjudge.inference.influence import Influence
    >>> moved = Influence.centred(0.1, np.array([1, -1, 0]), np.array([15, 5, 80]))
    >>> found = difference_of_influences(moved, (0, 1), 0.95, "both models are equally good")
    >>> round(found.interval.low, 3), round(found.interval.high, 3), round(found.test.p_value, 3)
    (0.012, 0.188, 0.026)
    """
    error = decided_by_few(error or error_of(influence, drawn), influence, drawn)
    interval = interval_of_difference(influence, limits, confidence, drawn, error)
    if math.isnan(interval.low):
        return Difference(interval)
    statistic = influence.value / math.sqrt(error.variance)
    test = TestResult(statistic, p_value_of(influence, drawn, error), "t", hypothesis)
    return Difference(interval, test, error.freedom)
