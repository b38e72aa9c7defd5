"""scikit-learn's areas under the curves of scores that rank instances, on the statistics of adjudge."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.score_ranking import mcclish_auc
from adjudge.metrics.checks import UnusualInputError, are_plain_scores, drop_in, installed_before
from adjudge.metrics.classes import warn_undefined
from adjudge.metrics.quick_labels import in_plain_text
from adjudge.metrics.scores import (
    checked_scores,
    ranked_by_outcome,
    warn_of_no_positive,
    without_weightless,
)
from adjudge.metrics.targets import checked_weight
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import PairAreas, weighted_areas

__all__ = ["average_precision_score", "roc_auc_score"]

_HOME = "sklearn.metrics._ranking"


def _area(positive: NDArray[Any], y_score: NDArray[Any], weight: Any, max_fpr: float | None = None) -> float:
    """Return the area under the ROC curve; nan, with a warning, for one class."""
    if positive.all() or not positive.any():
        if installed_before("1.6"):
            raise UnusualInputError
        warn_undefined("Only one class is present in y_true. ROC AUC score is not defined in that case.")
        return math.nan
    outcome, y_score, _, weight = without_weightless(positive, y_score, None, weight)
    scores = ranked_by_outcome(outcome, y_score, weight)
    for sample, count, kind in (
        ("negative", scores.n_negative, "false"),
        ("positive", scores.n_positive, "true"),
    ):
        if count <= 0:
            warn_undefined(f"No {sample} samples in y_true, {kind} positive value should be meaningless")
    if max_fpr is None or max_fpr == 1:
        return weighted_areas(scores)[0]
    return mcclish_auc.of(scores, max_fpr=max_fpr)


def _precision(positive: NDArray[Any], y_score: NDArray[Any], weight: Any) -> float:
    """Return the average precision; 0, with a warning, without a positive."""
    outcome, y_score, _, weight = without_weightless(positive, y_score, None, weight)
    value = weighted_areas(ranked_by_outcome(outcome, y_score, weight))[1]
    if math.isnan(value):
        warn_of_no_positive()
        return 0.0
    return max(0.0, value)


def _averaged(
    measure: Callable[[NDArray[Any], NDArray[Any], Any], float],
    y_true: Any,
    y_score: Any,
    average: Any,
    sample_weight: Any,
) -> Any:
    """Measure each column of indicators, or each row, or all entries together."""
    from sklearn.utils import check_array, check_consistent_length
    from sklearn.utils.multiclass import type_of_target

    kind = type_of_target(y_true)
    if kind not in ("binary", "multilabel-indicator"):
        raise UnusualInputError
    check_consistent_length(y_true, y_score, sample_weight)
    outcomes, scores = check_array(y_true) == 1, check_array(y_score)
    if outcomes.shape != scores.shape:
        raise ValueError(
            f"y_true is of shape {outcomes.shape} and y_score of shape {scores.shape}: give one score for each label"
        )
    weight = None if sample_weight is None else checked_weight(sample_weight, outcomes)
    if average == "micro":
        weight = None if weight is None else np.repeat(weight, outcomes.shape[1])
        return measure(outcomes.ravel(), scores.ravel(), weight)
    of_average = None
    if average == "weighted":
        of_average = outcomes.sum(axis=0) if weight is None else weight @ outcomes
        if np.isclose(of_average.sum(), 0):
            return 0
    elif average == "samples":
        of_average, weight, outcomes, scores = weight, None, outcomes.T, scores.T
    pairs = zip(outcomes.T, scores.T, strict=True)
    found = np.array([measure(outcome, score, weight) for outcome, score in pairs])
    if average is None:
        return found
    if of_average is not None:
        found[of_average == 0] = 0
    return float(np.average(found, weights=of_average))


@drop_in(_HOME)
def average_precision_score(
    y_true: Any, y_score: Any, *, average: Any = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Mean of the precisions at the thresholds, each weighted by the recall that it adds.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.833333
    """
    if sample_weight is None and are_plain_scores(y_true, y_score, pos_label):
        return _precision(y_true == 1, y_score, None)
    from sklearn.preprocessing import label_binarize
    from sklearn.utils import column_or_1d
    from sklearn.utils.multiclass import type_of_target

    if sample_weight is not None:
        sample_weight = column_or_1d(sample_weight)
    y_true = in_plain_text(y_true)
    kind = type_of_target(y_true, input_name="y_true")
    present = np.unique(y_true)
    if kind == "binary":
        if present.shape[0] == 2 and pos_label not in present.tolist():
            raise UnusualInputError
        true, score, pos_label, weight = checked_scores(y_true, y_score, pos_label, sample_weight)
        return _precision(true == pos_label, score, weight)
    if kind in ("multilabel-indicator", "multiclass") and pos_label != 1:
        raise UnusualInputError
    if kind == "multiclass":
        y_true = label_binarize(y_true, classes=present)
        if np.shape(y_score) != y_true.shape:
            raise UnusualInputError
    return _averaged(_precision, y_true, y_score, average, sample_weight)


@drop_in(_HOME)
def roc_auc_score(
    y_true: Any,
    y_score: Any,
    *,
    average: Any = "macro",
    sample_weight: Any = None,
    max_fpr: float | None = None,
    multi_class: str = "raise",
    labels: Any = None,
) -> Any:
    """Area under the ROC curve: how often a positive instance scores higher than a negative one.

    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if sample_weight is None and are_plain_scores(y_true, y_score, None):
        return _area(y_true == 1, y_score, None, max_fpr)
    from sklearn.utils import check_array, column_or_1d
    from sklearn.utils.multiclass import type_of_target

    y_true = in_plain_text(y_true)
    kind = type_of_target(y_true, input_name="y_true")
    true = check_array(y_true, ensure_2d=False, dtype=None)
    score = check_array(y_score, ensure_2d=False)
    if sample_weight is not None:
        sample_weight = column_or_1d(sample_weight)
    if kind == "multiclass" or (kind == "binary" and score.ndim == 2 and score.shape[1] > 2):
        if (max_fpr is not None and max_fpr != 1.0) or multi_class == "raise":
            raise UnusualInputError
        return _area_of_classes(true, score, labels, multi_class, average, sample_weight)

    def area(outcome: NDArray[Any], scores: NDArray[Any], weight: Any) -> float:
        return _area(outcome, scores, weight, max_fpr)

    if kind != "binary":
        return _averaged(area, true, score, average, sample_weight)
    from sklearn.utils import check_consistent_length

    true = column_or_1d(true)
    classes = np.unique(true)
    if classes.size > 1:
        score = column_or_1d(score)
    check_consistent_length(true, score, sample_weight)
    return area(true == classes[-1] if classes.size > 1 else np.zeros(true.size, bool), score, sample_weight)


def _area_of_classes(
    true: NDArray[Any], score: NDArray[Any], labels: Any, multi_class: str, average: Any, sample_weight: Any
) -> Any:
    averages = (*(("micro", None) if multi_class == "ovr" else ()), "macro", "weighted")
    if score.ndim != 2 or not np.allclose(1, score.sum(axis=1)) or average not in averages:
        raise UnusualInputError
    classes = _columns(true, score, labels)
    if multi_class == "ovr":
        outcomes = (true[:, None] == classes).astype(np.int64)
        return _averaged(_area, outcomes, score, average, sample_weight)
    if sample_weight is not None:
        raise UnusualInputError
    return _one_against_one(np.searchsorted(classes, true), score, weighted=average == "weighted")


def _columns(true: NDArray[Any], score: NDArray[Any], labels: Any) -> NDArray[Any]:
    """Return the classes of the columns."""
    classes: NDArray[Any] = np.unique(true) if labels is None else np.asarray(labels)
    if classes.shape != (score.shape[1],) or not np.array_equal(classes, np.unique(classes)):
        raise UnusualInputError
    if len(np.setdiff1d(true, classes)):
        raise UnusualInputError
    return classes


def _one_against_one(codes: NDArray[Any], score: NDArray[Any], weighted: bool) -> float:
    """Return the mean over the pairs of classes that occur; Hand & Till's M."""
    pairs = PairAreas.make(Forecasts(range(score.shape[1]), codes.astype(np.int64), score))
    present = np.flatnonzero(pairs.sizes)
    first, second = np.triu_indices(present.size, 1)
    first, second = present[first], present[second]
    areas = (pairs.areas[first, second] + pairs.areas[second, first]) / 2
    shares = (pairs.sizes[first] + pairs.sizes[second]) / codes.size
    return float(np.average(areas, weights=shares if weighted else None))
