"""Models that may leave an instance to somebody else: how much is answered, and how well.

A model can abstain in two ways: it gives an answer that names no class, or whoever uses it trusts only the answers
whose probability is high. Of the second, the probability of the likeliest class orders the instances.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import is_between
from adjudge.indices.forecast_record import forecast_index
from adjudge.indices.label_record import classification
from adjudge.indices.record import Noted, quotient
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.ranked_scores import TopLabels

_OUTSIDE = (
    "A model abstains by an answer that names none of the classes, such as 'unsure'. The classes are those of the "
    "truth, or `classes`."
)


def _answered(classes: ClassCounts) -> float:
    return math.fsum(classes.predicted.tolist())


@classification(
    title="Share answered",
    range=(0, 1),
    reference="elyaniv2010",
    formula=r"\frac1n \sum_{c \in C} n_{\cdot c}",
    identical_is_best=True,
    aliases=("answered", "answer_rate"),
    note=_OUTSIDE,
    reads_outside=True,
)
def answered_share(classes: ClassCounts) -> float | Noted:
    """Share of the instances for which a class is predicted at all.

    >>> answered_share(["a", "a", "b", "b"], ["a", "unsure", "b", "a"])
    0.75
    """
    return _answered(classes) / classes.n


@classification(
    title="Accuracy where answered",
    range=(0, 1),
    reference="elyaniv2010",
    formula=r"\frac{\sum_c n_{cc}}{\sum_{c \in C} n_{\cdot c}}",
    undefined="if no class is predicted.",
    aliases=("selective_accuracy", "accuracy_when_answered"),
    note=_OUTSIDE,
    reads_outside=True,
)
def accuracy_where_answered(classes: ClassCounts) -> float | Noted:
    """Share of right answers among those that name a class.

    >>> round(accuracy_where_answered(["a", "a", "b", "b"], ["a", "unsure", "b", "a"]), 6)
    0.666667
    """
    return quotient(math.fsum(classes.right.tolist()), _answered(classes), "no class is predicted")


_SYMBOLS = {
    "t": "each probability that occurs as that of the likeliest class",
    "A_t": "share of the instances that are answered where that is at least t",
    "E_t": "share of the instances that are answered there, and wrong",
}
_HIGHER = "the same at the next higher probability; 0 at the highest"
_BY_PROBABILITY = (
    "The likeliest class is the answer, and its probability says how sure it is: the model abstains where it is not "
    "sure enough."
)


def _answers(top: TopLabels) -> tuple[Floats, Floats]:
    """Return the share answered, and the share answered wrongly, at each threshold, from the highest down."""
    _, right, wrong = top.ranked.falling
    n = right[-1] + wrong[-1]
    return (right + wrong) / n, wrong / n


def _check_share(at: float) -> None:
    if not is_between(at, 0, 1) or at == 0:
        raise InputError(Option("at", at), ": a share above 0, and at most 1, is needed")


@forecast_index(
    title="Risk at a coverage",
    asks="ranking",
    better="lower",
    range=(0, 1),
    reference="elyaniv2010",
    formula=r"\frac{E_t}{A_t} \text{ where } A_t = a",
    symbols={**_SYMBOLS, "a": "the share that is answered: `at`"},
    aliases=("selective_risk",),
    note=f"{_BY_PROBABILITY} Among equal probabilities, as many are answered as make up the share, on average.",
)
def risk_at_coverage(top: TopLabels, *, at: float = 0.8) -> float | Noted:
    """Share of wrong answers, if only that share of the instances is answered of which the model is surest.

    >>> risk_at_coverage([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3], at=0.5)
    0.0
    """
    _check_share(at)
    answered, wrong = _answers(top)
    return float(np.interp(at, np.r_[0.0, answered], np.r_[0.0, wrong])) / at


@forecast_index(
    title="Coverage at a risk",
    asks="ranking",
    better="higher",
    range=(0, 1),
    reference="elyaniv2010",
    formula=r"\max_{t: r A_t \ge E_t} A_t",
    symbols={**_SYMBOLS, "r": "the share of wrong answers that is allowed: `at`"},
    no_interval="flattering coverage",
    note=f"{_BY_PROBABILITY} 0 if no threshold is good enough. The data that choose a threshold are kinder to it than "
    "others: adjudge.inference.coverage_with_risk guarantees the risk.",
)
def coverage_at_risk(top: TopLabels, *, at: float = 0.05) -> float | Noted:
    """Largest share of the instances that can be answered with few wrong answers among them.

    >>> coverage_at_risk([0, 1, 1, 0], [0.1, 0.9, 0.4, 0.3], at=0.05)
    0.75
    """
    if not is_between(at, 0, 1):
        raise InputError(Option("at", at), ": a share from 0 to 1 is needed")
    answered, wrong = _answers(top)
    # Shares are quotients: one that equals the limit but for rounding is within it.
    return float(answered[wrong <= at * answered + 1e-12].max(initial=0.0))


@forecast_index(
    title="Area under the risk-coverage curve (AURC)",
    asks="ranking",
    better="lower",
    range=(0, 1),
    reference="geifman2019",
    formula=r"\sum_t (A_t - A_{t^+}) \frac{E_t}{A_t}",
    symbols={**_SYMBOLS, "A_{t^+}": _HIGHER},
    aliases=("aurc",),
    note=_BY_PROBABILITY,
)
def risk_coverage_area(top: TopLabels) -> float | Noted:
    """Mean share of wrong answers, over all shares of the instances that may be answered, the surest first.

    >>> round(risk_coverage_area([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.4]), 6)
    0.145833
    """
    answered, wrong = _answers(top)
    return float(np.diff(answered, prepend=0.0) @ (wrong / answered))


@forecast_index(
    title="Area under the generalised risk-coverage curve (AUGRC)",
    asks="ranking",
    better="lower",
    range=(0, 0.5),
    reference="traub2024",
    formula=r"\sum_t (A_t - A_{t^+}) \frac{E_t + E_{t^+}}{2}",
    symbols={**_SYMBOLS, "A_{t^+}": _HIGHER, "E_{t^+}": _HIGHER},
    aliases=("augrc",),
    note=f"{_BY_PROBABILITY} It is the chance that of two random instances the first is wrong, and the surer one; ties "
    "count half.",
)
def generalized_risk_coverage_area(top: TopLabels) -> float | Noted:
    """Mean share of all instances that are answered, and wrong, over all shares that may be answered.

    >>> generalized_risk_coverage_area([0, 1, 1, 0], [0.1, 0.8, 0.3, 0.4])
    0.09375
    """
    answered, wrong = _answers(top)
    return float(np.diff(answered, prepend=0.0) @ (wrong + np.r_[0.0, wrong[:-1]])) / 2
