"""The influence of each instance on scores of a model that answers only where it is sure.

Where a share of the instances is answered, an instance that is answered adds its mistake, and moves the threshold:
the share of mistakes among the instances near the threshold says what that changes. An area is a mean over all shares,
so an instance adds its mistake to all shares at which it is answered, and moves every threshold below its own.

References
----------
Zhou, Landesman, Rosset & Yu (2025), A novel characterization of the population area under the risk coverage curve
(AURC) and rates of finite sample estimators, ICML (the weight of an instance at a share u is -log u).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adjudge.array_types import Bools, Floats
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.inference.forecasts.rank_influence import Moved, OrderedScores, weights_of
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.ranked_scores import TopLabels


@dataclass(frozen=True, eq=False)
class _Answers:
    """How sure each answer is, and whether it is wrong.

    Attributes
    ----------
    column : OrderedScores
        Of the probabilities of the likeliest classes.
    wrong : ndarray of bool of shape (n,)
    weights : ndarray of float64 of shape (n,)
        They sum to 1.
    """

    column: OrderedScores
    wrong: Bools
    weights: Floats

    @classmethod
    def of(cls, forecasts: ProbabilityForecasts) -> _Answers:
        top = TopLabels.make(forecasts)
        weights = weights_of(forecasts)
        return cls(OrderedScores.of(top.values), ~top.hits, weights / weights.sum())

    def surer(self, amounts: Floats) -> tuple[Floats, Floats]:
        """Sum, for each instance, the amounts of the instances that are surer, and of those that are as sure."""
        below, no_higher = self.column.up_to(amounts)
        return amounts.sum() - no_higher, no_higher - below

    def less_sure(self, amounts: Floats) -> Floats:
        """Sum, for each instance, the amounts of the instances that are less sure, or as sure."""
        return self.column.up_to(amounts)[1]


def _risk(forecasts: ProbabilityForecasts, record: ForecastIndex) -> Moved:
    answers = _Answers.of(forecasts)
    at = float({**record.parameters, **record.fixed}["at"])
    wrong, weights = answers.wrong, answers.weights
    above, tied = answers.surer(weights)
    # The part of an instance that is answered: among equal probabilities, a share of each.
    part = np.clip((at - above) / tied, 0.0, 1.0)
    value = float(weights @ (part * wrong)) / at
    error = math.sqrt(at * (1 - at) * float(weights @ weights))
    near = (above + tied > at - error) & (above < at + error)
    local = float(weights[near] @ wrong[near] / weights[near].sum()) if near.any() else value
    return Moved(value, ((wrong - local) * part + local * at) / at - value)


def _area(forecasts: ProbabilityForecasts, _record: ForecastIndex) -> Moved:
    answers = _Answers.of(forecasts)
    wrong, weights = answers.wrong, answers.weights
    above, tied = answers.surer(weights)
    answered = above + tied
    mistakes = weights * wrong
    wrong_above, wrong_tied = answers.surer(mistakes)
    risk = (wrong_above + wrong_tied) / answered
    value = float(weights @ risk)
    # An instance has its own risk, and changes that of all instances that are less sure, or as sure.
    changed = answers.less_sure(weights / answered)
    changed_of_all = answers.less_sure(weights * risk / answered)
    return Moved(value, risk + wrong * changed - changed_of_all - value)


def _generalized(forecasts: ProbabilityForecasts, _record: ForecastIndex) -> Moved:
    answers = _Answers.of(forecasts)
    wrong, weights = answers.wrong, answers.weights
    mistakes = weights * wrong
    wrong_above, wrong_tied = answers.surer(mistakes)
    own = wrong_above + wrong_tied / 2
    _, tied = answers.surer(weights)
    later = answers.less_sure(weights) - tied / 2
    value = float(weights @ own)
    return Moved(value, own + wrong * later - 2 * value)


#: The influence on each such score, by name of the index.
OF_ABSTENTION: dict[str, Callable[[ProbabilityForecasts, ForecastIndex], Moved]] = {
    "risk_at_coverage": _risk,
    "risk_coverage_area": _area,
    "generalized_risk_coverage_area": _generalized,
}
