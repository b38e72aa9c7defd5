"""The influence of each instance on how probabilities must be recalibrated.

A coefficient of a regression moves by the inverse of the information times the score of an instance, whatever law the
outcomes follow: the sandwich.

References
----------
Huber (1967), The behavior of maximum likelihood estimates under nonstandard conditions, Fifth Berkeley Symposium 1,
221-233.
White (1982), Maximum likelihood estimation of misspecified models, Econometrica 50, 1-25.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from adjudge.inference.forecasts.rank_influence import Moved
from adjudge.inference.refusals import refuse_few_of_class
from adjudge.statistics.recalibration import Recalibration


def _intercept(scores: Recalibration) -> Moved:
    fit = scores.in_the_large
    return Moved(fit.coefficient, fit.residuals / np.average(fit.information, weights=scores.weights))


def _slope(scores: Recalibration) -> Moved:
    events = int(np.count_nonzero(scores.outcomes))
    refuse_few_of_class((events, scores.outcomes.size - events), scores.outcomes.size)
    fit = scores.in_slope
    off, _, squares = scores.spread(fit.information)
    return Moved(fit.coefficient, fit.residuals * off * (float(scores.weights.sum()) / squares))


def _ratio(scores: Recalibration) -> Moved:
    value = scores.observed / scores.expected
    mean, one = scores.expected / float(scores.weights.sum()), float(scores.weights.mean())
    # One more event, which is all that is known if none occurred.
    rise = (scores.observed + one) / (scores.expected + one * mean) - value
    return Moved(value, (scores.outcomes - value * scores.probabilities) / mean, rise=rise)


#: By name of the index.
OF_RECALIBRATION: Mapping[str, Callable[[Recalibration], Moved]] = {
    "calibration_intercept": _intercept,
    "calibration_slope": _slope,
    "observed_expected_ratio": _ratio,
}
