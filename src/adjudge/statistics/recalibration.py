"""Outcomes regressed on the logits of their probabilities, which says how to recalibrate these."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from adjudge.array_types import Bools, Floats
from adjudge.errors import UndefinedStatisticError
from adjudge.kernels.elementary import exponentials, logarithm, logarithms, logarithms_of_one_plus
from adjudge.statistics.forecasts import ProbabilityForecasts

# Most steps of Newton's method, and of halvings of one. Both suffice for any outcomes that have a fit.
_STEPS, _HALVINGS = 200, 60
# Part of the information that a step may still gain when the next one leaves an error of rounding alone.
_NEAR = 1e-16


class Fit(NamedTuple):
    """A logistic regression of the outcomes.

    Attributes
    ----------
    coefficient : float
    residuals : ndarray of shape (n,)
        Outcome less fitted probability.
    information : ndarray of shape (n,)
        Fitted probability p times 1 - p.
    """

    coefficient: float
    residuals: Floats
    information: Floats


@dataclass(frozen=True, eq=False)
class Recalibration:
    """The probabilities of the positive class and its outcomes, and logistic regressions of these on the logits.

    Attributes
    ----------
    probabilities, others : ndarray of float64 of shape (n,)
        Of the positive class, and of the other ones together; both are empty if no class is positive.
    outcomes : ndarray of bool of shape (n,)
        Whether an instance is of the positive class: the events.
    weights : ndarray of float64 of shape (n,)
    """

    made_from: ClassVar[tuple[type, ...]] = (ProbabilityForecasts,)

    probabilities: Floats
    others: Floats
    outcomes: Bools
    weights: Floats

    @classmethod
    def make(cls, forecasts: ProbabilityForecasts) -> Recalibration:
        """Take the probabilities of the positive class."""
        code = forecasts.positive
        if code is None:
            return cls(np.empty(0), np.empty(0), np.empty(0, np.bool_), np.empty(0))
        own = forecasts.column(code).astype(np.float64, copy=False)
        # Where both classes have a column, 1 - p would round a small probability away.
        others = forecasts.column(1 - code).astype(np.float64, copy=False) if forecasts.k == 2 else 1 - own
        weights = np.ones(forecasts.n) if forecasts.weights is None else forecasts.weights
        return cls(own, others, forecasts.codes == code, weights)

    @property
    def observed(self) -> float:
        """Number of events, or their weight."""
        return float(self.weights[self.outcomes].sum())

    @property
    def expected(self) -> float:
        """Number of events that the probabilities expect, or their weight."""
        return float((self.weights * self.probabilities).sum())

    @cached_property
    def logits(self) -> Floats:
        """Logarithms of the odds.

        Raises
        ------
        UndefinedStatisticError
            If a probability is 0 or 1, or if the truth has one class.
        """
        if not 0 < np.count_nonzero(self.outcomes) < self.outcomes.size:
            raise UndefinedStatisticError("the truth has no instance of the positive class, or no other")
        n = int(np.count_nonzero((self.probabilities <= 0) | (self.others <= 0)))
        if n:
            raise UndefinedStatisticError(
                f"{n:,} {'probability is' if n == 1 else 'probabilities are'} exactly 0 or 1, which "
                f"{'has' if n == 1 else 'have'} no logit"
            )
        return logarithms(self.probabilities) - logarithms(self.others)

    @cached_property
    def in_the_large(self) -> Fit:
        """The regression whose slope is held at 1; its coefficient is the intercept.

        Raises
        ------
        UndefinedStatisticError
            As :attr:`logits`.
        """
        at = self.intercept_for(self.observed)
        return Fit(at, *self._at(at + self.logits))

    def intercept_for(self, events: float) -> float:
        """Return the intercept for which as many events would be expected, or as much weight of them.

        Raises
        ------
        UndefinedStatisticError
            As :attr:`logits`.
        """
        logits, more = self.logits, events - self.observed
        if events <= 0 or more >= self._unobserved:
            return math.copysign(math.inf, more)
        level = _logit(events, self._unobserved - more)
        # At these ends all fitted probabilities are below the share of events, or above.
        low, high = level - float(logits.max()), level - float(logits.min())
        at = min(max(level - float(np.average(logits, weights=self.weights)), low), high)
        for _ in range(_STEPS):
            residuals, information = self._at(at + logits)
            score, total = more + self._sum(residuals), self._sum(information)
            low, high = (at, high) if score > 0 else (low, at)
            step = score / total if total > 0 else math.nan
            following, near = at + step, step * score <= _NEAR * total
            if not low <= following <= high:
                following, near = (low + high) / 2, False
            if following == at:
                break
            at = following
            if near:
                break
        return at

    @cached_property
    def in_slope(self) -> Fit:
        """The regression with a free intercept; its coefficient is the slope.

        Raises
        ------
        UndefinedStatisticError
            As :attr:`logits`, and if all probabilities are alike, or separate the outcomes.
        """
        logits = self.logits
        if logits.min() == logits.max():
            raise UndefinedStatisticError("all probabilities are alike")
        inside, outside = logits[self.outcomes], logits[~self.outcomes]
        if outside.max() <= inside.min() or inside.max() <= outside.min():
            raise UndefinedStatisticError(
                "the probabilities separate the outcomes, so that the slope is infinite"
            )
        # Where the slope is 0, events are as probable as they are frequent.
        slope, fitted = 0.0, np.full(logits.size, _logit(self.observed, self._unobserved))
        likelihood = self._likelihood(fitted)
        for _ in range(_STEPS):
            residuals, information = self._at(fitted)
            off, total, squares = self.spread(information)
            if not squares > 0:
                break
            up, turn = self._sum(residuals) / total, self._sum(residuals * off) / squares
            near = up**2 * total + turn**2 * squares <= _NEAR * total
            direction, part = up + turn * off, 1.0
            for _ in range(_HALVINGS):
                following = fitted + part * direction
                if near or (more := self._likelihood(following)) > likelihood:
                    break
                part /= 2
            else:
                break
            slope, fitted = slope + part * turn, following
            if near:
                break
            likelihood = more
        return Fit(slope, *self._at(fitted))

    def spread(self, information: Floats) -> tuple[Floats, float, float]:
        """Return the logits less their mean, weighted by information, its sum, and that of their squares."""
        total = self._sum(information)
        off = self._centred - self._sum(information * self._centred) / total
        return off, total, self._sum(information * off**2)

    @cached_property
    def _centred(self) -> Floats:
        return self.logits - float(np.average(self.logits, weights=self.weights))

    @property
    def _unobserved(self) -> float:
        return float(self.weights[~self.outcomes].sum())

    def _sum(self, values: Floats) -> float:
        return float((self.weights * values).sum())

    def _at(self, fitted: Floats) -> tuple[Floats, Floats]:
        """Return outcomes less probabilities, and the information of each, at some fitted logits."""
        odds = exponentials(-np.abs(fitted))
        rarer = odds / (1 + odds)
        # The probability of what did not happen: it is small where the fit is right, and keeps its digits.
        missed = np.where(self.outcomes == (fitted >= 0), rarer, 1 / (1 + odds))
        return np.where(self.outcomes, missed, -missed), rarer / (1 + odds)

    def _likelihood(self, fitted: Floats) -> float:
        """Return the logarithm of the likelihood of some fitted logits."""
        against = np.where(self.outcomes == (fitted >= 0), 0.0, np.abs(fitted))
        return -self._sum(against + logarithms_of_one_plus(exponentials(-np.abs(fitted))))


def _logit(events: float, others: float) -> float:
    return logarithm(events) - logarithm(others)
