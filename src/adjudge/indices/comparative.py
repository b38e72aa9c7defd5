"""The five measures of the Prayatul matrix, for a primary model P against an alternative Q."""

from __future__ import annotations

from adjudge.indices.comparative_record import comparative
from adjudge.indices.record import Noted, quotient
from adjudge.statistics.agreement import Agreement

_NEVER_RIGHT = "neither model is right anywhere"
_NOTHING = "there is no instance or pair"


@comparative(
    title="Comparative deviation",
    range=(-1, 1),
    reference="biswas",
    formula=r"\sigma_c = \frac{RW - WR}{RW + WR}",
    undefined="if the models are right on the same instances or pairs (RW + WR = 0).",
    aliases=("sigma_c", "sigma"),
    note="The papers' program adds 0.0001 to the denominator and prints 0 if this is undefined.",
    elementwise=True,
)
def comparative_deviation(agreement: Agreement) -> float | Noted:
    """Among the disagreements, the excess of those in which the primary model is right.

    >>> comparative_deviation([0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 1], kind="classification")
    0.3333333333333333
    """
    return quotient(
        agreement.right_wrong - agreement.wrong_right,
        agreement.disagreements,
        "the models are right on the same instances or pairs (RW + WR = 0)",
    )


@comparative(
    title="Polarization",
    range=(-1, 1),
    reference="biswas",
    formula=r"\alpha = \frac{BR + RW - BW}{BR + RW + WR + BW}",
    undefined="if there is no instance or pair.",
    aliases=("alpha",),
    note="Rises with the primary model's rightness and falls with shared errors: alpha(P, Q) grows when only Q "
    "improves on what both had wrong.",
    elementwise=True,
)
def polarization(agreement: Agreement) -> float | Noted:
    """Share on which the primary model is right, minus the share on which both are wrong.

    >>> polarization([0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 1], kind="classification")
    0.75
    """
    return quotient(
        agreement.both_right + agreement.right_wrong - agreement.both_wrong, agreement.total, _NOTHING
    )


@comparative(
    title="Comparative rightness",
    range=(0, 1),
    reference="biswas",
    formula=r"\xi_c = \frac{BR + RW}{BR + RW + WR}",
    undefined="if neither model is right anywhere.",
    aliases=("xi_c",),
    elementwise=True,
)
def comparative_rightness(agreement: Agreement) -> float | Noted:
    """Among what at least one model gets right, the share that the primary model gets right.

    >>> comparative_rightness([0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 1], kind="classification")
    0.75
    """
    return quotient(
        agreement.both_right + agreement.right_wrong,
        agreement.both_right + agreement.disagreements,
        _NEVER_RIGHT,
    )


@comparative(
    title="Effective rightness",
    range=(-1, 1),
    reference="biswas",
    formula=r"\xi_e = \frac{BR + RW - WR}{BR + RW + WR}",
    undefined="if neither model is right anywhere.",
    aliases=("xi_e",),
    note="Always 2 xi_c - 1.",
    elementwise=True,
)
def effective_rightness(agreement: Agreement) -> float | Noted:
    """Among what at least one model gets right, the share that the primary model gets right, minus what only it misses.

    >>> effective_rightness([0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 1], kind="classification")
    0.5
    """
    return quotient(
        agreement.both_right + agreement.right_wrong - agreement.wrong_right,
        agreement.both_right + agreement.disagreements,
        _NEVER_RIGHT,
    )


@comparative(
    title="Effective superiority",
    range=(-1, 1),
    reference="biswas",
    formula=r"\phi_e = \frac{BR + RW - WR}{BR + RW + WR + BW}",
    undefined="if there is no instance or pair.",
    aliases=("phi_e", "phi_c"),
    note="The papers' tables call it phi_c.",
    elementwise=True,
)
def effective_superiority(agreement: Agreement) -> float | Noted:
    """Share on which the primary model is right, minus the share on which only the alternative is.

    >>> effective_superiority([0, 0, 1, 1], [0, 0, 1, 0], [0, 1, 0, 1], kind="classification")
    0.5
    """
    return quotient(
        agreement.both_right + agreement.right_wrong - agreement.wrong_right, agreement.total, _NOTHING
    )
