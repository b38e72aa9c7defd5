"""Intervals of mean losses of probabilities, which infer from the probabilities what may not have been drawn.

Nearly all losses of a good model are small, and a sample may have none of the few large ones: it then shows neither the
variance nor the skewness of the mean, and Student's interval for 30 instances covers in 10 to 70 % of the samples. The
probabilities say how often each loss occurs. The fewer large losses they predict, the more of the variance and third
cumulant is taken from them, if that exceeds what the sample shows.

References
----------
Johnson (1978), Modified t tests and confidence intervals for asymmetrical populations, JASA 73, 536-544.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from adjudge.inference.arrays import Floats
from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.forecasts.loss_influence import Added
from adjudge.inference.interval import Interval, student_quantile
from adjudge.inference.refusals import reason_of
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.forecasts import ProbabilityForecasts

__all__ = ["interval_of_loss"]


# Number of expected large losses at which the sample counts as much as the probabilities: the number of events at which
# a share is normal enough for Wilson's interval.
_FEW = 5.0
# Rounding error, relative to the size of values.
_ROUNDING = 1e-12
# Number of probabilities that are read at a time.
_BLOCK = 1 << 18


def _log_losses(shares: Floats) -> Floats:
    """Return the loss of each class if it were true; infinite losses become the largest that a float can give."""
    return np.asarray(-logarithms(np.maximum(shares, np.finfo(np.float64).tiny)))


def _brier_losses(shares: Floats) -> Floats:
    if shares.shape[1] == 2:
        return np.asarray((1 - shares) ** 2)
    return np.asarray((shares**2).sum(axis=1, keepdims=True) - 2 * shares + 1)


_OF_ANY_CLASS: dict[str, Callable[[Floats], Floats]] = {
    "log_loss": _log_losses,
    "brier_score": _brier_losses,
    "d2_log_loss": _log_losses,
    "brier_skill_score": _brier_losses,
}


class _Cumulants(NamedTuple):
    """Variance and third cumulant of the contribution of an instance."""

    variance: float
    third: float

    def part_unseen(self, n: int) -> float:
        """Return the weight, from 0 to 1, of these cumulants from probabilities against those of the sample.

        A Poisson variable as skewed as the mean of n instances would count variance^3 / third^2 n events.
        """
        return _FEW / (_FEW + n * self.variance**3 / self.third**2) if self.third else 0.0


def _seen(values: Floats) -> _Cumulants:
    """Return the cumulants of the sample."""
    n, off = values.size, values - values.mean()
    if np.ptp(values) <= _ROUNDING * float(np.abs(values).max()):
        return _Cumulants(0.0, 0.0)
    third = n / ((n - 1) * (n - 2)) * float((off**3).sum()) if n > 2 else 0.0
    return _Cumulants(float(off @ off) / (n - 1), third)


def _of_any_class(
    name: str, forecasts: ProbabilityForecasts, added: Added
) -> Iterator[tuple[Floats, Floats]]:
    """Yield probabilities, and the contributions of instances if they were of each class, block by block."""
    step = max(1, _BLOCK // forecasts.k)
    for first in range(0, forecasts.n, step):
        shares = forecasts.shares_of(slice(first, first + step))
        yield shares, added.offsets + added.times * _OF_ANY_CLASS[name](shares)


def _told(blocks: Iterator[tuple[Floats, Floats]], n: int) -> _Cumulants:
    """Return the cumulants if classes occur with the forecast probabilities."""
    powers = np.zeros(3)
    for shares, values in blocks:
        powers += [float((shares * values**k).sum()) / n for k in (1, 2, 3)]
    first, second, third = powers.tolist()
    variance = second - first**2
    # The variance of equal values is only rounding error.
    if not variance > _ROUNDING * second:
        return _Cumulants(0.0, 0.0)
    return _Cumulants(variance, third - 3 * first * second + 2 * first**3)


def interval_of_loss(
    name: str, forecasts: ProbabilityForecasts, limits: tuple[float, float], confidence: float
) -> Interval:
    """Return the interval of a mean loss, or a skill score, from the variance and skewness that losses may have.

    The variance of a skewed mean changes with it: the interval keeps the values within Student's t deviations of the
    mean, by the variance that they would have. The remaining skewness is Cornish and Fisher's second term.

    Parameters
    ----------
    name : str
    forecasts : ProbabilityForecasts
        Unweighted, with finite losses.
    limits : (float, float)
    confidence : float
    """
    added = Added.of(name, forecasts)
    values, n = added.of_each, forecasts.n
    if n < 2:
        return Interval.undefined(confidence, "skewed-t", reason_of("one instance"))
    mean, seen, told = float(values.mean()), _seen(values), _told(_of_any_class(name, forecasts, added), n)
    part, sign = told.part_unseen(n), math.copysign(1.0, told.third)
    variance = (1 - part) * seen.variance + part * max(seen.variance, told.variance)
    third = (1 - part) * seen.third + part * sign * max(sign * seen.third, sign * told.third)
    if variance == 0:
        # The mean of equal losses may differ from them by rounding.
        if all(
            np.allclose(of_class, mean, rtol=_ROUNDING, atol=0.0)
            for _, of_class in _of_any_class(name, forecasts, added)
        ):
            return Interval(mean, mean, confidence, "skewed-t", "the value is the same for all instances")
        return Interval.undefined(confidence, "skewed-t", reason_of("same loss"))
    slope, quantile, z = third / variance, student_quantile(confidence, n - 1), normal_quantile(confidence)
    middle = mean + (quantile**2 / 2 - (z**2 - 1) / 6) * slope / n
    half = math.sqrt((quantile**2 * slope / (2 * n)) ** 2 + quantile**2 * variance / n)
    low, high = max(limits[0], min(middle - half, mean)), min(limits[1], max(middle + half, mean))
    return Interval(low, high, confidence, "skewed-t")
