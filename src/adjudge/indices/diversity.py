"""How similar the errors of two classifiers are: further indices of the Prayatul matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from adjudge.indices.comparative_record import ComparativeIndex
from adjudge.indices.record import Better, Noted, maker_of, quotient
from adjudge.statistics.agreement import Agreement

_NOTHING = "there is no instance or pair"


class DiversityIndex(ComparativeIndex):
    """An index of how similar the errors of two models are."""

    kind = "diversity"


def _diversity(
    *, title: str, better: Better | None, range: tuple[float, float], reference: str, **facts: Any
) -> Callable[[Callable[[Agreement], float | Noted]], DiversityIndex]:
    return maker_of(
        DiversityIndex,
        title=title,
        better=better,
        range=range,
        reference=reference,
        identical_is_best=False,
        **facts,
    )


def _cross(m: Agreement) -> int:
    return m.both_right * m.both_wrong - m.right_wrong * m.wrong_right


@_diversity(
    title="Q statistic",
    better=None,
    range=(-1, 1),
    reference="kuncheva2003",
    formula=r"\frac{BR \cdot BW - RW \cdot WR}{BR \cdot BW + RW \cdot WR}",
    undefined="if BR BW + RW WR = 0.",
    symmetric=True,
    aliases=("yule_q",),
    peers={"deslib": "Q_statistic"},
    elementwise=True,
)
def q_statistic(agreement: Agreement) -> float | Noted:
    """Yule's association of correctness: 1 if the models err together, 0 if independently.

    >>> from adjudge.statistics import Agreement
    >>> round(q_statistic.of(Agreement(38, 9, 5, 8)), 4)
    0.7421
    """
    same = agreement.both_right * agreement.both_wrong
    return quotient(
        _cross(agreement), same + agreement.right_wrong * agreement.wrong_right, "BR BW + RW WR = 0"
    )


@_diversity(
    title="Correlation of correctness",
    better=None,
    range=(-1, 1),
    reference="kuncheva2003",
    formula=r"\frac{BR \cdot BW - RW \cdot WR}{\sqrt{(BR + RW)(WR + BW)(BR + WR)(RW + BW)}}",
    undefined="if a model is right everywhere or nowhere.",
    symmetric=True,
    peers={"deslib": "correlation_coefficient"},
)
def correctness_correlation(agreement: Agreement) -> float | Noted:
    """Correlation of the correctness of the two models.

    >>> from adjudge.statistics import Agreement
    >>> round(correctness_correlation.of(Agreement(38, 9, 5, 8)), 4)
    0.3875
    """
    m = agreement
    primary, alternative = m.both_right + m.right_wrong, m.both_right + m.wrong_right
    margins = primary * (m.total - primary), alternative * (m.total - alternative)
    root = math.sqrt(margins[0]) * math.sqrt(margins[1])
    value = quotient(_cross(m), root, "a model is right everywhere or nowhere")
    return value if isinstance(value, Noted) else max(-1.0, min(1.0, value))


@_diversity(
    title="Kappa of correctness",
    better=None,
    range=(-1, 1),
    reference="kuncheva2003",
    formula=r"\frac{2 (BR \cdot BW - RW \cdot WR)}{(BR + RW)(RW + BW) + (BR + WR)(WR + BW)}",
    undefined="if both models are right everywhere, or both nowhere.",
    symmetric=True,
    elementwise=True,
)
def correctness_kappa(agreement: Agreement) -> float | Noted:
    """Agreement of the correctness of the two models, corrected for chance.

    >>> from adjudge.statistics import Agreement
    >>> round(correctness_kappa.of(Agreement(38, 9, 5, 8)), 4)
    0.3814
    """
    m = agreement
    expected = (m.both_right + m.right_wrong) * (m.right_wrong + m.both_wrong) + (
        m.both_right + m.wrong_right
    ) * (m.wrong_right + m.both_wrong)
    return quotient(2 * _cross(m), expected, "both models are right everywhere, or both nowhere")


@_diversity(
    title="Disagreement",
    better=None,
    range=(0, 1),
    reference="kuncheva2003",
    formula=r"\frac{RW + WR}{BR + RW + WR + BW}",
    undefined="if there is no instance or pair.",
    symmetric=True,
    peers={"deslib": "disagreement_measure"},
    elementwise=True,
)
def disagreement(agreement: Agreement) -> float | Noted:
    """Share on which exactly one of the models is right.

    >>> from adjudge.statistics import Agreement
    >>> round(disagreement.of(Agreement(38, 9, 5, 8)), 4)
    0.2333
    """
    return quotient(agreement.disagreements, agreement.total, _NOTHING)


@_diversity(
    title="Double fault",
    better="lower",
    range=(0, 1),
    reference="kuncheva2003",
    best=0,
    formula=r"\frac{BW}{BR + RW + WR + BW}",
    undefined="if there is no instance or pair.",
    symmetric=True,
    peers={"deslib": "double_fault"},
    elementwise=True,
)
def double_fault(agreement: Agreement) -> float | Noted:
    """Share on which both models are wrong, so that choosing between them does not help.

    >>> from adjudge.statistics import Agreement
    >>> round(double_fault.of(Agreement(38, 9, 5, 8)), 4)
    0.1333
    """
    return quotient(agreement.both_wrong, agreement.total, _NOTHING)


@_diversity(
    title="Complementarity",
    better=None,
    range=(0, 1),
    reference="brill1998",
    formula=r"\frac{WR}{WR + BW}",
    undefined="if the primary model is never wrong.",
    elementwise=True,
)
def complementarity(agreement: Agreement) -> float | Noted:
    """Share of the primary model's errors that the alternative gets right.

    >>> from adjudge.statistics import Agreement
    >>> round(complementarity.of(Agreement(38, 9, 5, 8)), 4)
    0.3846
    """
    wrong = agreement.wrong_right + agreement.both_wrong
    return quotient(agreement.wrong_right, wrong, "the primary model is never wrong")


@_diversity(
    title="Negative flip rate",
    better="lower",
    range=(0, 1),
    reference="yan2021",
    best=0,
    formula=r"\frac{RW}{BR + RW + WR + BW}",
    undefined="if there is no instance or pair.",
    aliases=("regression_rate",),
    elementwise=True,
)
def negative_flip_rate(agreement: Agreement) -> float | Noted:
    """Share that becomes wrong when the alternative replaces the primary model.

    >>> from adjudge.statistics import Agreement
    >>> negative_flip_rate.of(Agreement(38, 9, 5, 8))
    0.15
    """
    return quotient(agreement.right_wrong, agreement.total, _NOTHING)


@_diversity(
    title="Positive flip rate",
    better="higher",
    range=(0, 1),
    reference="yan2021",
    best=1,
    formula=r"\frac{WR}{BR + RW + WR + BW}",
    undefined="if there is no instance or pair.",
    elementwise=True,
)
def positive_flip_rate(agreement: Agreement) -> float | Noted:
    """Share that becomes right when the alternative replaces the primary model.

    >>> from adjudge.statistics import Agreement
    >>> round(positive_flip_rate.of(Agreement(38, 9, 5, 8)), 4)
    0.0833
    """
    return quotient(agreement.wrong_right, agreement.total, _NOTHING)


@_diversity(
    title="Share of new errors",
    better="lower",
    range=(0, 1),
    reference="yan2021",
    best=0,
    formula=r"\frac{RW}{RW + BW}",
    undefined="if the alternative is never wrong.",
    aliases=("relative_negative_flip_rate",),
    elementwise=True,
)
def new_error_share(agreement: Agreement) -> float | Noted:
    """Share of the alternative's errors that the primary model did not make.

    >>> from adjudge.statistics import Agreement
    >>> round(new_error_share.of(Agreement(38, 9, 5, 8)), 4)
    0.5294
    """
    wrong = agreement.right_wrong + agreement.both_wrong
    return quotient(agreement.right_wrong, wrong, "the alternative is never wrong")
