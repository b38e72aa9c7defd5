"""scikit-learn's areas under the curves of scores that rank instances, on the statistics of adjudge."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.indices.score_ranking import mcclish_auc
from adjudge.metrics.checks import UnusualInputError, are_plain_scores, drop_in
from adjudge.metrics.scores import coded_truth, ranked_by_outcome, ranked_scores
from adjudge.metrics.targets import plain_weight
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import PairAreas, PositiveScores, weighted_areas

__all__ = ["average_precision_score", "roc_auc_score"]

_HOME = "sklearn.metrics._ranking"


def _area(scores: PositiveScores, max_fpr: float | None = None) -> float:
    """Return the area under the ROC curve."""
    if max_fpr is None or max_fpr == 1:
        return weighted_areas(scores)[0]
    return mcclish_auc.of(scores, max_fpr=max_fpr)


def _precision(scores: PositiveScores) -> float:
    """Return the average precision."""
    return max(0.0, weighted_areas(scores)[1])


def _averaged(
    measure: Callable[[PositiveScores], float],
    outcomes: Bools,
    scores: NDArray[Any],
    average: Any,
    sample_weight: Any,
) -> Any:
    """Measure each column of outcomes, or each row, or all entries together."""
    if outcomes.shape != scores.shape:
        raise ValueError(
            f"y_true is of shape {outcomes.shape} and y_score of shape {scores.shape}: give one score for each label"
        )
    weight = plain_weight(sample_weight, outcomes.shape[0])
    of_average = None
    if average == "micro":
        weight = None if weight is None else np.repeat(weight, outcomes.shape[1])
        outcomes, scores = outcomes.reshape(-1, 1), scores.reshape(-1, 1)
    elif average == "weighted":
        of_average = outcomes.sum(axis=0) if weight is None else weight @ outcomes
    elif average == "samples":
        of_average, weight, outcomes, scores = weight, None, outcomes.T, scores.T
    found = []
    for outcome, score in zip(outcomes.T, scores.T, strict=True):
        ranked = ranked_by_outcome(outcome, score, weight)
        if not (ranked.n_positive > 0 and ranked.n_negative > 0):
            raise UnusualInputError
        found.append(measure(ranked))
    if average == "micro":
        return found[0]
    if average is None:
        return np.array(found)
    if of_average is not None and not of_average.all():
        raise UnusualInputError
    return float(np.average(found, weights=of_average))


def _matrix(values: Any) -> NDArray[Any]:
    """Return numbers in several columns, all of them finite."""
    found: NDArray[Any] = np.asarray(values)
    plain = found.ndim == 2 and found.shape[0] > 0 and found.shape[1] > 1 and found.dtype.kind in "biuf"
    if not plain or not np.isfinite(found).all():
        raise UnusualInputError
    return found


def _indicators(y_true: Any) -> Bools:
    """Return which labels each row has, of a matrix of 0 and 1."""
    found = _matrix(y_true)
    if not ((found == 0) | (found == 1)).all():
        raise UnusualInputError
    return np.asarray(found == 1)


@drop_in(_HOME)
def average_precision_score(
    y_true: Any, y_score: Any, *, average: Any = "macro", pos_label: Any = 1, sample_weight: Any = None
) -> Any:
    """Mean of the precisions at the thresholds, each weighted by the recall that it adds.

    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 6)
    0.833333
    """
    if np.ndim(y_score) == 1:
        return _precision(ranked_scores(y_true, y_score, pos_label, sample_weight, of_two=True)[0])
    if pos_label != 1:
        raise UnusualInputError
    scores = _matrix(y_score)
    if np.ndim(y_true) == 2:
        outcomes = _indicators(y_true)
    else:
        codes, classes = coded_truth(y_true, scores.shape[0])
        if len(classes) < 3 or len(classes) != scores.shape[1]:
            raise UnusualInputError
        outcomes = codes[:, None] == np.arange(len(classes))
    return _averaged(_precision, outcomes, scores, average, sample_weight)


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
    if np.ndim(y_score) == 1:
        pos_label = None
        if sample_weight is not None or not are_plain_scores(y_true, y_score, None):
            pos_label = coded_truth(y_true, len(y_score))[1][-1]
        return _area(ranked_scores(y_true, y_score, pos_label, sample_weight, of_two=True)[0], max_fpr)
    scores = _matrix(y_score)
    if np.ndim(y_true) == 2:
        return _averaged(partial(_area, max_fpr=max_fpr), _indicators(y_true), scores, average, sample_weight)
    if max_fpr not in (None, 1.0):
        raise UnusualInputError
    return _area_of_classes(y_true, scores, labels, multi_class, average, sample_weight)


def _area_of_classes(
    y_true: Any, scores: NDArray[Any], labels: Any, multi_class: str, average: Any, sample_weight: Any
) -> Any:
    averages = {"ovr": ("micro", None, "macro", "weighted"), "ovo": ("macro", "weighted")}.get(
        multi_class, ()
    )
    codes, classes = coded_truth(y_true, scores.shape[0], labels)
    if (
        average not in averages
        or not len(classes) == scores.shape[1] > 2
        or not np.allclose(1, scores.sum(axis=1))
    ):
        raise UnusualInputError
    if multi_class == "ovr":
        return _averaged(_area, codes[:, None] == np.arange(len(classes)), scores, average, sample_weight)
    if sample_weight is not None:
        raise UnusualInputError
    return _one_against_one(codes, scores, weighted=average == "weighted")


def _one_against_one(codes: Ints, score: NDArray[Any], weighted: bool) -> float:
    """Return the mean over the pairs of classes that occur; Hand & Till's M."""
    pairs = PairAreas.make(Forecasts(range(score.shape[1]), codes.astype(np.int64), score))
    present = np.flatnonzero(pairs.sizes)
    first, second = np.triu_indices(present.size, 1)
    first, second = present[first], present[second]
    areas = (pairs.areas[first, second] + pairs.areas[second, first]) / 2
    shares = (pairs.sizes[first] + pairs.sizes[second]) / codes.size
    return float(np.average(areas, weights=shares if weighted else None))
