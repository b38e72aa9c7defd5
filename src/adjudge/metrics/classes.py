"""scikit-learn's functions for predicted classes, on the statistics of adjudge."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.class_order import stated_orders
from adjudge.indices import classification as by_classes
from adjudge.metrics.checks import UnusualInputError, drop_in
from adjudge.metrics.targets import CountedTargets, checked_targets

__all__ = [
    "accuracy_score",
    "balanced_accuracy_score",
    "class_likelihood_ratios",
    "cohen_kappa_score",
    "confusion_matrix",
    "hamming_loss",
    "matthews_corrcoef",
    "multilabel_confusion_matrix",
    "zero_one_loss",
]

_HOME = "sklearn.metrics._classification"


@drop_in(_HOME)
def accuracy_score(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Share, or number, of correctly labelled instances; for multilabel targets, all labels must be right.

    >>> accuracy_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.75
    """
    targets = checked_targets(y_true, y_pred, sample_weight)
    right = targets.counts().right.sum()
    return float(right / targets.total) if normalize else float(right)


@drop_in(_HOME)
def zero_one_loss(y_true: Any, y_pred: Any, *, normalize: bool = True, sample_weight: Any = None) -> float:
    """Share, or number, of wrongly labelled instances.

    >>> zero_one_loss([0, 0, 1, 1], [0, 1, 1, 1])
    0.25
    """
    targets = checked_targets(y_true, y_pred, sample_weight)
    right = targets.counts().right.sum()
    return float(1 - right / targets.total) if normalize else float(targets.total - right)


@drop_in(_HOME)
def hamming_loss(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Share of the labels that are wrong.

    >>> hamming_loss([[1, 0], [1, 1]], [[1, 0], [0, 1]])
    0.25
    """
    targets = checked_targets(y_true, y_pred, sample_weight)
    return float((targets.total - targets.counts().right.sum()) / targets.total)


@drop_in(_HOME)
def confusion_matrix(
    y_true: Any, y_pred: Any, *, labels: Any = None, sample_weight: Any = None, normalize: Any = None
) -> NDArray[Any]:
    """Count true against predicted classes.

    >>> confusion_matrix(["a", "a", "b"], ["a", "b", "b"])
    array([[1, 1],
           [0, 1]])
    """
    targets = checked_targets(y_true, y_pred, sample_weight)
    matrix: NDArray[Any] = targets.confusion(_checked_labels(labels, targets)).dense()
    if normalize is not None:
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        with np.errstate(all="ignore"):
            matrix = np.nan_to_num(matrix / matrix.sum(axis=axis, keepdims=True))
    _leave_one(matrix.shape[0])
    return matrix


def _leave_one(n_classes: int) -> None:
    """Leave a single class to scikit-learn, which warns of it."""
    if n_classes == 1:
        raise UnusualInputError


def _checked_labels(labels: Any, targets: CountedTargets) -> Any:
    if labels is None:
        return None
    chosen = np.asarray(labels)
    if set(chosen.tolist()).isdisjoint(targets.table.row_labels):
        raise UnusualInputError
    return chosen


@drop_in(_HOME)
def multilabel_confusion_matrix(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, labels: Any = None, samplewise: bool = False
) -> NDArray[Any]:
    """Count right and wrong answers for each class, or for each instance of multilabel targets.

    >>> multilabel_confusion_matrix(["a", "a", "b"], ["a", "b", "b"])[0]
    array([[1, 0],
           [1, 1]])
    """
    targets = checked_targets(y_true, y_pred, sample_weight, labels)
    if samplewise:
        raise UnusualInputError
    one = targets.counts(labels).one_versus_rest
    return np.stack([one.tn, one.fp, one.fn, one.tp], axis=-1).reshape(-1, 2, 2)


@drop_in(_HOME)
def cohen_kappa_score(
    y1: Any,
    y2: Any,
    *,
    labels: Any = None,
    weights: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: float = np.nan,
) -> float:
    """Agreement of two annotators, corrected for chance.

    >>> cohen_kappa_score([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    targets = checked_targets(y1, y2, sample_weight)
    confusion = targets.confusion(_checked_labels(labels, targets))
    _leave_one(len(confusion.labels))
    if confusion.n == 0:
        raise UnusualInputError
    if weights is None:
        value = by_classes.cohen_kappa.of(confusion.by_class())
    else:
        record = {
            "linear": by_classes.linear_weighted_kappa,
            "quadratic": by_classes.quadratic_weighted_kappa,
        }[weights]
        # As in scikit-learn, the order is that of the labels, whatever they are.
        value = record.of(replace(confusion, orders=stated_orders([("labels", confusion.labels)])))
    if math.isnan(value):
        raise UnusualInputError
    return value


@drop_in(_HOME)
def matthews_corrcoef(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """Correlation of true and predicted classes; 0 if one side has only one class.

    >>> round(matthews_corrcoef([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.57735
    """
    targets = checked_targets(y_true, y_pred, sample_weight)
    _leave_one(targets.present.shape[0])
    value = by_classes.matthews_correlation.of(targets.counts())
    return 0.0 if math.isnan(value) else value


@drop_in(_HOME)
def balanced_accuracy_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, adjusted: bool = False
) -> float:
    """Mean over the true classes of the share of instances with the right label.

    >>> balanced_accuracy_score([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    counts = checked_targets(y_true, y_pred, sample_weight).counts()
    _leave_one(counts.k)
    if not counts.true.all():
        raise UnusualInputError
    record = by_classes.adjusted_balanced_accuracy if adjusted else by_classes.balanced_accuracy
    return record.of(counts)


@drop_in(_HOME)
def class_likelihood_ratios(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    replace_undefined_by: Any = np.nan,
) -> tuple[float, float]:
    """Positive and negative likelihood ratios of a binary classifier.

    >>> class_likelihood_ratios([0, 1, 0, 1, 0], [1, 1, 0, 0, 0])
    (1.5, 0.75)
    """
    targets = checked_targets(y_true, y_pred, sample_weight)
    if not targets.are_binary:
        raise UnusualInputError
    tn, fp, fn, tp = targets.confusion(_checked_labels(labels, targets)).dense().ravel()
    if isinstance(replace_undefined_by, dict) or 0 in (tp + fn, fp, tn):
        raise UnusualInputError
    return float(tp * (tn + fp) / (fp * (tp + fn))), float(fn * (tn + fp) / (tn * (tp + fn)))
