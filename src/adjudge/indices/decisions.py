"""What decisions are worth: costs of mistakes, net benefit, and rates where another rate is held."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, InputTypeError, Option, a_type, in_words
from adjudge.given.label_options import LabelOptions
from adjudge.given.number_vectors import gaps_of, read_amounts
from adjudge.given.options import is_between
from adjudge.given.weights import Weighting
from adjudge.indices.forecast_record import (
    NO_CLASS,
    NO_POSITIVE,
    OF_POSITIVE,
    forecast_index,
    why_no_curve,
    why_no_positive,
)
from adjudge.indices.label_record import ClassificationIndex
from adjudge.indices.record import Noted, maker_of
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import weighed_labels
from adjudge.statistics.ranked_scores import PositiveProbabilities, PositiveScores, RankedScores


class CostIndex(ClassificationIndex):
    """A measure of mistakes that costs are given for, by their kind or by the instance."""

    def __call__(
        self,
        labels_true: Any,
        labels_pred: Any = None,
        *,
        counts: Any = None,
        sample_weight: Any = None,
        weights: str | None = None,
        missing: str = "raise",
        noise: str = "cluster",
        noise_label: Any = -1,
        classes: Sequence[Any] | None = None,
        **parameters: Any,
    ) -> float:
        """Compute the cost from two label vectors, or from a contingency table instead of the first."""
        costs = parameters.get("costs")
        if costs is None or np.ndim(costs) != 1:
            return super().__call__(
                labels_true,
                labels_pred,
                counts=counts,
                sample_weight=sample_weight,
                weights=weights,
                missing=missing,
                noise=noise,
                noise_label=noise_label,
                classes=classes,
                **parameters,
            )
        amounts = read_amounts(costs, "costs")
        if labels_pred is None or counts is not None:
            raise InputError(Option("costs"), " by instance need both label vectors, without counts")
        treatment = LabelOptions(missing, noise, noise_label)
        treatment.check_kind(self.kind)

        def total(of_rows: Any, *, wrong: bool) -> float:
            weighting = Weighting(None, of_rows, None)
            table = weighed_labels(labels_true, labels_pred, weighting, "classification", treatment)
            rows, cols, found = Confusion.make(table).cells()
            return math.fsum(found[rows != cols].tolist() if wrong else found.tolist())

        n = np.shape(labels_true)[0] if np.shape(labels_true) else amounts.size
        if n != amounts.size:
            raise InputError(
                Option("costs"),
                f" has {amounts.size} entries, but there are {n} instances: give one for each",
            )
        own = np.ones(amounts.size) if sample_weight is None else np.asarray(sample_weight, np.float64)
        if own.shape != amounts.shape:
            raise InputError(
                Option("costs"), f" has {amounts.size} entries, ", Option("sample_weight"), f" {own.size}"
            )
        lacking = gaps_of(amounts, "costs", own == 0, drops=treatment.drops_missing)
        amounts, own = np.where(np.isnan(amounts), 0.0, amounts), np.where(lacking, 0.0, own)
        return total(amounts * own, wrong=True) / total(own, wrong=False) if amounts.any() else 0.0


@maker_of(
    CostIndex,
    title="Expected cost",
    better="lower",
    range=(-math.inf, math.inf),
    best=None,
    identical_is_best=False,
    symmetric=True,
    reference="elkan2001",
    formula=r"\frac1n \sum_{c, c'} \gamma_{cc'}\, n_{cc'}",
    symbols={
        "n_{cc'}": "instances of class c that are predicted as c'",
        r"\gamma_{cc'}": "cost of each: `costs`; 1 for a mistake by default",
    },
    note="`costs` is a matrix with a row for each true class and a column for each predicted one, in the order of the "
    "classes (negative costs are gains), or what a mistake on each instance costs.",
)
def expected_cost(confusion: Confusion, *, costs: Any = None) -> float | Noted:
    """Mean cost of the predictions, given what each mistake costs.

    >>> expected_cost(["ill", "ill", "well", "well"], ["ill", "well", "well", "ill"], costs=[[0, 10], [1, 0]])
    2.75
    >>> expected_cost(["ill", "ill", "well", "well"], ["ill", "well", "well", "ill"], costs=[80, 20, 5, 4])
    6.0
    """
    rows, cols, counts = confusion.cells()
    of_each = (rows != cols) * 1.0 if costs is None else _checked_costs(costs, confusion)[rows, cols]
    return math.fsum((of_each * counts).tolist()) / math.fsum(counts.tolist())


def _checked_costs(costs: Any, confusion: Confusion) -> Floats:
    try:
        found = np.asarray(costs, np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(Option("costs"), f" is {a_type(costs)}: give a matrix of numbers") from None
    k = len(confusion.labels)
    if found.shape != (k, k):
        shown = ", ".join(in_words(label) for label in list(confusion.labels)[:6]) + (
            ", ..." if k > 6 else ""
        )
        raise InputError(
            Option("costs"), f" has the shape {found.shape}: give {k} rows and columns, for {shown}"
        )
    if not np.isfinite(found).all():
        raise InputError(Option("costs"), " has entries that are no finite numbers")
    return found


@forecast_index(
    title="Net benefit",
    asks="probabilities",
    better="higher",
    range=(-math.inf, 1),
    reference="vickers2006",
    formula=r"\frac{TP_t}{n} - \frac{FP_t}{n} \frac{t}{1 - t}",
    symbols={
        "t": "probability from which one would act: `at`",
        "TP_t": "instances of the class with a probability of at least t",
        "FP_t": "other instances with a probability of at least t",
    },
    undefined="if there are more than two classes and none is named as positive.",
    peers={"dcurves": "net_benefit"},
    note=f"{OF_POSITIVE} Acting on nobody gives 0; compare with acting on everybody, too. At all probabilities it is a "
    "decision curve.",
)
def net_benefit(probabilities: PositiveProbabilities, *, at: float = 0.5) -> float | Noted:
    """True positives less false ones, which count the odds of the probability from which one would act.

    >>> net_benefit([0, 1, 0, 1, 0], [0.1, 0.4, 0.3, 0.8, 0.1], at=0.2)
    0.35
    """
    if not is_between(at, 0, 1) or at == 1:
        raise InputError(Option("at", at), ": a probability from 0 to below 1 is needed")
    if not probabilities.scores.size:
        return Noted(math.nan, NO_CLASS)
    acted = probabilities.scores >= at
    true, false = (own[acted].sum().item() for own in (probabilities.positives, probabilities.negatives))
    return float((true - false * (at / (1 - at))) / probabilities.n)


def _rates(scores: RankedScores) -> tuple[Floats, Floats]:
    """Return recall and false positive rate at each threshold, from none predicted to all."""
    _, true, false = scores.falling
    return np.r_[0.0, true / true[-1]], np.r_[0.0, false / false[-1]]


def _check_rate(at: float) -> None:
    if not is_between(at, 0, 1):
        raise InputError(Option("at", at), ": a number from 0 to 1 is needed")


# Rates are quotients: one that is equal to `at` but for rounding is as large.
_ROUNDING = 1e-12
_OF_RATES = {
    "R_t": "recall (sensitivity) where scores of at least t are predicted",
    "F_t": "false positive rate there; 1 - F_t is the specificity",
    "t": "each score that occurs, and infinity",
    "a": "the rate that is held: `at`",
}
_OF_PRECISION = {
    "R_t": _OF_RATES["R_t"],
    "P_t": "precision there",
    "t": _OF_RATES["t"],
    "a": _OF_RATES["a"],
}
_CHOSEN = f"{OF_POSITIVE} The data that choose a threshold are kinder to it than others."


@forecast_index(
    title="Sensitivity at a specificity",
    better="higher",
    range=(0, 1),
    reference="fawcett2006",
    formula=r"\max_{t: 1 - F_t \ge a} R_t",
    symbols=_OF_RATES,
    undefined=NO_POSITIVE,
    aliases=("recall_at_specificity",),
    peers={"pROC": "coords(input='specificity', ret='sensitivity')"},
    note=_CHOSEN,
)
def sensitivity_at_specificity(scores: PositiveScores, *, at: float = 0.9) -> float | Noted:
    """Largest sensitivity of the thresholds whose specificity is high enough.

    >>> sensitivity_at_specificity([0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8], at=0.9)
    0.5
    """
    _check_rate(at)
    if (reason := why_no_curve(scores)) is not None:
        return Noted(math.nan, reason)
    recalls, false = _rates(scores)
    return float(recalls[1 - false >= at - _ROUNDING].max())


@forecast_index(
    title="Specificity at a sensitivity",
    better="higher",
    range=(0, 1),
    reference="fawcett2006",
    formula=r"\max_{t: R_t \ge a} (1 - F_t)",
    symbols=_OF_RATES,
    undefined=NO_POSITIVE,
    aliases=("specificity_at_recall",),
    peers={"pROC": "coords(input='sensitivity', ret='specificity')"},
    note=_CHOSEN,
)
def specificity_at_sensitivity(scores: PositiveScores, *, at: float = 0.9) -> float | Noted:
    """Largest specificity of the thresholds whose sensitivity is high enough.

    >>> specificity_at_sensitivity([0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8], at=0.9)
    0.5
    """
    _check_rate(at)
    if (reason := why_no_curve(scores)) is not None:
        return Noted(math.nan, reason)
    recalls, false = _rates(scores)
    return float(1 - false[recalls >= at - _ROUNDING].min())


@forecast_index(
    title="Recall at a precision",
    better="higher",
    range=(0, 1),
    reference="fawcett2006",
    formula=r"\max_{t: P_t \ge a} R_t",
    symbols=_OF_PRECISION,
    undefined="if the truth has no instance of the positive class, or if there are more than two classes and none is "
    "named as positive.",
    peers={"torchmetrics": "recall_at_fixed_precision"},
    no_interval="flattering threshold",
    note=f"{_CHOSEN} 0 if no threshold is precise enough: then nothing may be predicted.",
)
def recall_at_precision(scores: PositiveScores, *, at: float = 0.9) -> float | Noted:
    """Largest recall of the thresholds whose precision is high enough.

    >>> recall_at_precision([0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8], at=0.9)
    0.5
    """
    _check_rate(at)
    if (reason := why_no_positive(scores)) is not None:
        return Noted(math.nan, reason)
    _, true, false = scores.falling
    enough = true / (true + false) >= at - _ROUNDING
    return float((true[enough] / true[-1]).max(initial=0.0))


@forecast_index(
    title="Precision at a recall",
    better="higher",
    range=(0, 1),
    reference="fawcett2006",
    formula=r"\max_{t: R_t \ge a} P_t",
    symbols=_OF_PRECISION,
    undefined="if the truth has no instance of the positive class, or if there are more than two classes and none is "
    "named as positive.",
    peers={"torchmetrics": "precision_at_fixed_recall"},
    note=_CHOSEN,
)
def precision_at_recall(scores: PositiveScores, *, at: float = 0.9) -> float | Noted:
    """Largest precision of the thresholds whose recall is high enough.

    >>> round(precision_at_recall([0, 0, 1, 1], scores=[0.1, 0.4, 0.35, 0.8], at=0.9), 6)
    0.666667
    """
    _check_rate(at)
    if (reason := why_no_positive(scores)) is not None:
        return Noted(math.nan, reason)
    _, true, false = scores.falling
    enough = true / true[-1] >= at - _ROUNDING
    return float((true / (true + false))[enough].max())
