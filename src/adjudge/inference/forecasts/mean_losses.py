"""Intervals of mean losses of probabilities, which know from the probabilities what may not have been drawn.

Nearly all losses of a good model are small, and a sample may have none of the few large ones: it then knows neither how
the mean varies nor how skewed it is, and Student's interval of 30 instances holds in 10 to 70 % of the samples. The
probabilities say how often each loss occurs. The fewer large ones they expect, the more of the variance and of the
third cumulant comes from them, if that is more than the sample has.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.common.proportions import normal_quantile
from adjudge.inference.forecasts.paired_losses import why_no_mean
from adjudge.inference.forecasts.skill_scores import SKILLS, Skill, why_no_baseline
from adjudge.inference.interval import Interval
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import brier_of_each, log_loss_of_each

__all__ = ["MEAN_LOSSES", "MeanLoss"]

Floats = NDArray[np.float64]

# Large losses to be expected from which on the sample knows as much as the probabilities.
_FEW = 5.0
# Part of the size of values that may be rounding.
_ROUNDING = 1e-12
# Probabilities that are read at a time.
_BLOCK = 1 << 18


def _log_losses(shares: Floats) -> Floats:
    """Loss of each class if it were true; one that cannot be is given the largest loss of a float."""
    return np.asarray(-np.log(np.maximum(shares, np.finfo(np.float64).tiny)))


def _brier_losses(shares: Floats) -> Floats:
    if shares.shape[1] == 2:
        return np.asarray((1 - shares) ** 2)
    return np.asarray((shares**2).sum(axis=1, keepdims=True) - 2 * shares + 1)


_LOSSES: dict[str, tuple[Callable[[ProbabilityForecasts], Floats], Callable[[Floats], Floats]]] = {
    "log_loss": (log_loss_of_each, _log_losses),
    "brier_score": (brier_of_each, _brier_losses),
    "d2_log_loss": (log_loss_of_each, _log_losses),
    "brier_skill_score": (brier_of_each, _brier_losses),
}


#: Scores that are mean losses, or skill scores made of them.
MEAN_LOSSES = tuple(_LOSSES)


class _Cumulants(NamedTuple):
    """Variance and third cumulant of what an instance adds."""

    variance: float
    third: float

    @classmethod
    def of_sample(cls, values: Floats) -> _Cumulants:
        n = values.size
        off = values - values.mean()
        if np.ptp(values) <= _ROUNDING * float(np.abs(values).max()):
            return cls(0.0, 0.0)
        third = n / ((n - 1) * (n - 2)) * float((off**3).sum()) if n > 2 else 0.0
        return cls(float(off @ off) / (n - 1), third)

    @classmethod
    def of_probabilities(cls, blocks: Iterator[tuple[Floats, Floats]], n: int) -> _Cumulants:
        """Take values of each class with the probabilities that they have."""
        first, second, third = (
            sum(parts) / n
            for parts in zip(
                *([float((shares * values**k).sum()) for k in (1, 2, 3)] for shares, values in blocks),
                strict=True,
            )
        )
        variance = second - first**2
        # What is left of equal values is rounding.
        if not variance > _ROUNDING * second:
            return cls(0.0, 0.0)
        return cls(variance, third - 3 * first * second + 2 * first**3)

    def expected(self, n: int) -> float:
        """How many events a Poisson variable as skewed as the mean of n instances would count."""
        return n * self.variance**3 / self.third**2 if self.third else math.inf

    def part_unseen(self, n: int) -> float:
        """How much to believe these cumulants of probabilities, from 0 to 1, and not those of the sample."""
        return _FEW / (_FEW + self.expected(n))

    def with_unseen(self, told: _Cumulants, n: int) -> _Cumulants:
        """Take more from what probabilities tell, the fewer events they expect."""
        part = told.part_unseen(n)
        sign = math.copysign(1.0, told.third)
        return _Cumulants(
            (1 - part) * self.variance + part * max(self.variance, told.variance),
            (1 - part) * self.third + part * sign * max(sign * self.third, sign * told.third),
        )


@dataclass(frozen=True, eq=False)
class MeanLoss:
    """A mean loss, or a skill score, of some probabilities; each part of it is computed once.

    Attributes
    ----------
    name : {"log_loss", "brier_score", "d2_log_loss", "brier_skill_score"}
    forecasts : ProbabilityForecasts
        Without weights.
    """

    name: str
    forecasts: ProbabilityForecasts

    @cached_property
    def _skill(self) -> Skill | None:
        return Skill.of(self.name, self.forecasts) if self.name in SKILLS else None

    @cached_property
    def values(self) -> Floats:
        """What each instance adds."""
        return (
            _LOSSES[self.name][0](self.forecasts)
            if self._skill is None
            else self._skill.of_each(self.forecasts)
        )

    @cached_property
    def _seen(self) -> _Cumulants:
        return _Cumulants.of_sample(self.values)

    @property
    def varies(self) -> bool:
        """Whether instances add different amounts, by more than rounding."""
        return self._seen.variance > 0

    @cached_property
    def _told(self) -> _Cumulants:
        """Cumulants of what an instance adds, if classes occur as the probabilities say."""
        return _Cumulants.of_probabilities(self._of_any_class(), self.forecasts.n)

    def _of_any_class(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield probabilities, and what instances would add if they were of each class, a block at a time."""
        forecasts, skill = self.forecasts, self._skill
        step = max(1, _BLOCK // forecasts.k)
        for first in range(0, forecasts.n, step):
            shares = forecasts.shares_of(slice(first, first + step))
            losses = _LOSSES[self.name][1](shares)
            yield shares, losses if skill is None else skill.of_losses(losses)

    def _whatever_the_class(self, value: float) -> bool:
        """Whether instances add the same whatever class they are of, as with a probability of 0.5 for each of two."""
        # Equal losses have a mean that differs by rounding.
        return all(np.allclose(added, value, rtol=1e-12, atol=0.0) for _, added in self._of_any_class())

    @property
    def limits(self) -> tuple[float, float]:
        """Smallest and largest value that there is: of two classes the Brier score is that of one of them."""
        if self.name == "brier_score":
            return 0.0, 1.0 if self.forecasts.k == 2 else 2.0
        return (-math.inf, 1.0) if self.name in SKILLS else (0.0, math.inf)

    @property
    def part_unseen(self) -> float:
        """How much of the interval comes from the probabilities: near 1 if they expect few large losses."""
        return self._told.part_unseen(self.forecasts.n)

    def interval(self, confidence: float) -> Interval:
        """Make the interval from the variance and skewness that the losses may have.

        The variance of a skewed mean changes with it: values are kept that lie less than Student's t deviations from
        the mean, by the variance that they would have. What is left of the skewness is Cornish and Fisher's second
        term.
        """
        from scipy.stats import t as student

        if self.name in SKILLS and (reason := why_no_baseline(self.forecasts)) is not None:
            return Interval.undefined(confidence, "skewed-t", reason)
        values = self.values
        if (reason := why_no_mean(values)) is not None:
            return Interval.undefined(confidence, "skewed-t", reason)
        n, mean = values.size, float(values.mean())
        variance, third = self._seen.with_unseen(self._told, n)
        if variance == 0:
            if self._whatever_the_class(mean):
                return Interval(mean, mean, confidence, "skewed-t", "the value is the same for all instances")
            reason = "no interval: every instance has the same loss, which does not tell how losses vary"
            return Interval.undefined(confidence, "skewed-t", reason)
        slope = third / variance
        quantile, z = float(student.ppf((1 + confidence) / 2, n - 1)), normal_quantile(confidence)
        middle = mean + (quantile**2 / 2 - (z**2 - 1) / 6) * slope / n
        half = math.sqrt((quantile**2 * slope / (2 * n)) ** 2 + quantile**2 * variance / n)
        least, most = self.limits
        low, high = max(least, min(middle - half, mean)), min(most, max(middle + half, mean))
        return Interval(low, high, confidence, "skewed-t")
