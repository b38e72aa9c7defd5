"""Precision, recall and related scores, averaged as by scikit-learn, on the statistics of adjudge."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from adjudge.array_types import Floats
from adjudge.callers import warn_caller
from adjudge.indices.class_measures import MEASURES, ClassMeasure, f_measure_of_classes
from adjudge.metrics.checks import UnusualInputError, drop_in, named
from adjudge.metrics.targets import CountedTargets, checked_targets
from adjudge.statistics.classes import OneVersusRest

__all__ = [
    "f1_score",
    "fbeta_score",
    "jaccard_score",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]

_HOME = "sklearn.metrics._classification"
_ALL = ("precision", "recall", "f-score")
# What is missing if a measure is 0/0; its denominator may count both sides.
_LACKING = {
    "precision": "predicted",
    "recall": "true",
    "f-score": "true nor predicted",
    "jaccard": "true or predicted",
}


def _warn_undefined(message: str) -> None:
    """Warn as scikit-learn does if a value is undefined."""
    from sklearn.exceptions import UndefinedMetricWarning

    warn_caller(message, UndefinedMetricWarning)


def _chosen_labels(targets: CountedTargets, average: Any, labels: Any, pos_label: Any) -> Any:
    """Return the classes that are averaged; for binary averages, the positive one."""
    if average == "binary":
        if not targets.are_binary or (
            targets.present.size == 2 and pos_label not in targets.present.tolist()
        ):
            raise UnusualInputError
        return [pos_label]
    if average not in (None, "micro", "macro", "weighted") or pos_label not in (None, 1):
        raise UnusualInputError
    return labels


def _answers(targets: CountedTargets, average: Any, labels: Any) -> OneVersusRest:
    """Count right and wrong answers for each class, or over all classes."""
    found = targets.counts(labels).one_versus_rest
    return found.summed() if average == "micro" else found


def _values(
    name: str,
    measure: ClassMeasure,
    answers: OneVersusRest,
    warn_for: Iterable[str],
    zero_division: Any,
) -> Floats:
    """Return the value for each class; 0/0 becomes 0, with a warning, unless `zero_division` says otherwise."""
    values = measure.values(answers)
    empty = np.isnan(values)
    if empty.any():
        values[empty] = 0.0 if isinstance(zero_division, str) else float(zero_division)
        if isinstance(zero_division, str) and name in warn_for:
            where = "due to" if values.size == 1 else "in labels with"
            _warn_undefined(
                f"{name.capitalize()} is ill-defined and being set to 0.0 {where} no {_LACKING[name]} samples. "
                "Use `zero_division` parameter to control this behavior.",
            )
    return values


def _mean(values: Floats, weights: Any) -> float:
    """Return the mean of the values that are not nan."""
    known = ~np.isnan(values)
    if not known.any():
        return math.nan
    if weights is None or not weights[known].sum():
        return float(np.mean(values[known]))
    return float(np.average(values[known], weights=weights[known]))


def scores_of(
    targets: CountedTargets,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = None,
    warn_for: Iterable[str] = _ALL,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F-measure and support; see :func:`precision_recall_fscore_support`."""
    labels = _chosen_labels(targets, average, labels, pos_label)
    answers = _answers(targets, average, labels)
    how = warn_for, zero_division
    precision = _values("precision", MEASURES["precision"], answers, *how)
    recall = _values("recall", MEASURES["recall"], answers, *how)
    if beta == 0 or math.isinf(beta):
        f_score = recall if beta else precision
    else:
        f_score = _values("f-score", f_measure_of_classes(beta), answers, *how)
    support = answers.tp + answers.fn
    if average is None:
        return precision, recall, f_score, support
    weights = support if average == "weighted" else None
    return _mean(precision, weights), _mean(recall, weights), _mean(f_score, weights), None


@drop_in(_HOME)
def precision_recall_fscore_support(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float = 1.0,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = None,
    warn_for: Any = _ALL,
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> tuple[Any, Any, Any, Any]:
    """Precision, recall and F-measure, and the number of true instances, by class.

    >>> precision_recall_fscore_support([0, 0, 1, 1], [0, 1, 1, 1], average="macro")
    (0.8333333333333333, 0.75, 0.7333333333333334, None)
    """
    return scores_of(
        checked_targets(y_true, y_pred, sample_weight, labels),
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=warn_for,
        zero_division=zero_division,
    )


class _Averaged(Protocol):
    def __call__(
        self,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = 1,
        average: Any = "binary",
        sample_weight: Any = None,
        zero_division: Any = "warn",
    ) -> Any: ...


def _score(name: str, measured: str, measure: ClassMeasure, documentation: str) -> _Averaged:
    """Return the function for one measure."""

    def score(
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        pos_label: Any = 1,
        average: Any = "binary",
        sample_weight: Any = None,
        zero_division: Any = "warn",
    ) -> Any:
        targets = checked_targets(y_true, y_pred, sample_weight, labels)
        answers = _answers(targets, average, _chosen_labels(targets, average, labels, pos_label))
        values = _values(measured, measure, answers, (measured,), zero_division)
        if average is None:
            return values
        return _mean(values, answers.tp + answers.fn if average == "weighted" else None)

    return drop_in(_HOME)(named(score, name, documentation))


precision_score = _score(
    "precision_score",
    "precision",
    MEASURES["precision"],
    """Share of the instances predicted as a class that belong to it.

    >>> round(precision_score([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.666667
    """,
)
recall_score = _score(
    "recall_score",
    "recall",
    MEASURES["recall"],
    """Share of the instances of a class that are predicted as it.

    >>> recall_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """,
)
f1_score = _score(
    "f1_score",
    "f-score",
    f_measure_of_classes(1.0),
    """Harmonic mean of precision and recall.

    >>> f1_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.8
    """,
)
jaccard_score = _score(
    "jaccard_score",
    "jaccard",
    MEASURES["jaccard"],
    """Instances of a class that are predicted as it, as a share of those that are of it or predicted as it.

    >>> round(jaccard_score([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.666667
    """,
)


@drop_in(_HOME)
def fbeta_score(
    y_true: Any,
    y_pred: Any,
    *,
    beta: float,
    labels: Any = None,
    pos_label: Any = 1,
    average: Any = "binary",
    sample_weight: Any = None,
    zero_division: Any = "warn",
) -> Any:
    """Weighted harmonic mean of precision and recall.

    >>> round(fbeta_score([0, 0, 1, 1], [0, 1, 1, 1], beta=2), 6)
    0.909091
    """
    return scores_of(
        checked_targets(y_true, y_pred, sample_weight, labels),
        beta=beta,
        labels=labels,
        pos_label=pos_label,
        average=average,
        warn_for=("f-score",),
        zero_division=zero_division,
    )[2]
