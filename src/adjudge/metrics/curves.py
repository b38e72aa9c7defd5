"""scikit-learn's functions for scores that rank instances, on the statistics of adjudge."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.score_ranking import mcclish_auc
from adjudge.metrics.checks import are_plain_scores, coded, drop_in
from adjudge.metrics.classes import warn_undefined
from adjudge.metrics.targets import checked_weight
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import PairAreas, PositiveScores, ranked, weighted_areas

__all__ = [
    "auc",
    "average_precision_score",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "precision_recall_curve",
    "roc_auc_score",
    "roc_curve",
    "top_k_accuracy_score",
]

_HOME = "sklearn.metrics._ranking"
_AVERAGES = (None, "micro", "macro", "weighted", "samples")

Floats = NDArray[np.float64]
Triple = tuple[Floats, Floats, NDArray[Any]]


@drop_in(_HOME)
def auc(x: Any, y: Any) -> float:
    """Area under a curve, by the trapezoidal rule.

    Parameters
    ----------
    x : array-like of shape (n,)
        Rising or falling.
    y : array-like of shape (n,)

    Returns
    -------
    float

    Examples
    --------
    >>> from adjudge.metrics import auc
    >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    0.75
    """
    from sklearn.utils import check_consistent_length, column_or_1d

    check_consistent_length(x, y)
    xs, ys = column_or_1d(x), column_or_1d(y)
    if xs.shape[0] < 2:
        raise ValueError(
            f"At least 2 points are needed to compute area under curve, but x.shape = {xs.shape[0]}"
        )
    steps = np.diff(xs)
    falls = bool((steps < 0).any())
    if falls and (steps > 0).any():
        raise ValueError(f"x is neither increasing nor decreasing : {xs}.")
    area = float((steps * (ys[1:] + ys[:-1]) / 2.0).sum())
    return -area if falls else area


def _ranked(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> tuple[PositiveScores, Any]:
    """Scores in order, and the type that they were given in."""
    if not are_plain_scores(y_true, y_score, pos_label) or sample_weight is not None:
        y_true, y_score, pos_label, sample_weight = _checked(y_true, y_score, pos_label, sample_weight)
    elif pos_label is None:
        pos_label = 1
    return _ranked_by_outcome(y_true == pos_label, y_score, sample_weight), y_score.dtype


def _ranked_by_outcome(positive: NDArray[Any], y_score: NDArray[Any], weight: Any) -> PositiveScores:
    scores = np.ascontiguousarray(y_score, np.float64)
    found = ranked(scores, positive.astype(np.int64), 1, weight)
    return PositiveScores(found.scores, found.positives, found.negatives)


def _checked(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[NDArray[Any], NDArray[Any], Any, Any]:
    """Check a binary truth and its scores; instances that weigh nothing are left out."""
    from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import _check_pos_label_consistency

    kind = type_of_target(y_true, input_name="y_true")
    if not (kind == "binary" or (kind == "multiclass" and pos_label is not None)):
        raise ValueError(f"{kind} format is not supported")
    pos_label = _check_pos_label_consistency(pos_label, y_true)
    check_consistent_length(y_true, y_score, sample_weight)
    y_true, y_score = column_or_1d(y_true), column_or_1d(y_score)
    assert_all_finite(y_true)
    assert_all_finite(y_score)
    return _without_weightless(y_true, y_score, pos_label, sample_weight)


def _without_weightless(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[NDArray[Any], NDArray[Any], Any, Any]:
    if sample_weight is None:
        return y_true, y_score, pos_label, None
    from sklearn.utils import column_or_1d

    checked = checked_weight(column_or_1d(sample_weight), y_true)
    weight = np.ascontiguousarray(checked, np.float64)
    counts = weight != 0
    return y_true[counts], y_score[counts], pos_label, weight[counts]


@drop_in(_HOME, positional="1.11")
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats, Floats, Floats, NDArray[Any]]:
    """Count right and wrong answers at each threshold.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes, or more with `pos_label`.
    y_score : array-like of shape (n,)
    pos_label : optional
        The positive class; default: 1 of {0, 1} or {-1, 1}.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    tns, fps, fns, tps : ndarray of shape (m,)
    thresholds : ndarray of shape (m,)
        Distinct scores, falling: an instance is positive if its score is at least that.

    Examples
    --------
    >>> from adjudge.metrics import confusion_matrix_at_thresholds
    >>> *_, tps, thresholds = confusion_matrix_at_thresholds([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tps, thresholds
    (array([1., 2., 2., 2.]), array([0.8 , 0.4 , 0.35, 0.1 ]))
    """
    tps, fps, thresholds = _falling(y_true, y_score, pos_label, sample_weight)
    return fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds


def _falling(y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any) -> Triple:
    scores, dtype = _ranked(y_true, y_score, pos_label, sample_weight)
    thresholds, tps, fps = scores.falling
    return tps, fps, thresholds.astype(dtype)


def _thinned(differing: NDArray[Any], *curves: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Leave out points in the middle of a straight piece."""
    kept = np.flatnonzero(np.r_[True, differing, True])
    return tuple(curve[kept] for curve in curves)


def _corners(tps: Floats, fps: Floats, thresholds: NDArray[Any], drop_intermediate: bool) -> Triple:
    """Leave out points between which true positives do not change, except the first and last of each run."""
    if drop_intermediate and fps.size > 2:
        steps = np.diff(tps) != 0
        tps, fps, thresholds = _thinned(steps[:-1] | steps[1:], tps, fps, thresholds)
    return tps, fps, thresholds


@drop_in(_HOME)
def roc_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> Triple:
    """Rates of false and of true positives at each threshold.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        See :func:`confusion_matrix_at_thresholds`.
    drop_intermediate : bool, default True
        Leave out points on straight pieces.

    Returns
    -------
    fpr, tpr, thresholds : ndarray of shape (m,)
        The first threshold is infinite.

    Examples
    --------
    >>> from adjudge.metrics import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, tpr
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    """
    tps, fps, thresholds = _falling(y_true, y_score, pos_label, sample_weight)
    if drop_intermediate and fps.size > 2:
        bends = (np.diff(fps, 2) != 0) | (np.diff(tps, 2) != 0)
        tps, fps, thresholds = _thinned(bends, tps, fps, thresholds)
    tps, fps = np.r_[0.0, tps], np.r_[0.0, fps]
    thresholds = np.r_[np.inf, thresholds.astype(np.float64)]
    return _rate(fps, "negative", "false"), _rate(tps, "positive", "true"), thresholds


def _rate(counts: Floats, sample: str, kind: str) -> Floats:
    if counts[-1] > 0:
        return np.asarray(counts / counts[-1])
    warn_undefined(f"No {sample} samples in y_true, {kind} positive value should be meaningless", 4)
    return np.full(counts.shape, np.nan)


@drop_in(_HOME)
def precision_recall_curve(
    y_true: Any,
    y_score: Any,
    *,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Triple:
    """Precision and recall at each threshold.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        See :func:`confusion_matrix_at_thresholds`.
    drop_intermediate : bool, default False
        Leave out thresholds between which recall does not change.

    Returns
    -------
    precision, recall : ndarray of shape (m + 1,)
        The last are 1 and 0, without a threshold.
    thresholds : ndarray of shape (m,)
        Rising.

    Examples
    --------
    >>> from adjudge.metrics import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    """
    tps, fps, thresholds = _corners(
        *_falling(y_true, y_score, pos_label, sample_weight), drop_intermediate=drop_intermediate
    )
    total = tps + fps
    precision = np.divide(tps, total, out=np.zeros_like(tps), where=total != 0)
    if tps[-1] == 0:
        _warn_of_no_positive(3)
        recall = np.ones_like(tps)
    else:
        recall = tps / tps[-1]
    return np.r_[precision[::-1], 1.0], np.r_[recall[::-1], 0.0], thresholds[::-1]


def _warn_of_no_positive(stacklevel: int) -> None:
    warnings.warn(
        "No positive class found in y_true, recall is set to one for all thresholds.",
        stacklevel=stacklevel + 1,
    )


@drop_in(_HOME)
def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Triple:
    """Rates of false positives and of false negatives at each threshold.

    Parameters
    ----------
    y_true, y_score, pos_label, sample_weight
        See :func:`confusion_matrix_at_thresholds`.
    drop_intermediate : bool, default False
        Leave out thresholds between which the rate of false negatives does not change.

    Returns
    -------
    fpr, fnr, thresholds : ndarray of shape (m,)
        Thresholds rise.

    Examples
    --------
    >>> from adjudge.metrics import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """
    tps, fps, thresholds = _falling(y_true, y_score, pos_label, sample_weight)
    tps, fps = np.r_[0.0, tps], np.r_[0.0, fps]
    tps, fps, thresholds = _corners(tps, fps, np.r_[np.inf, thresholds.astype(np.float64)], drop_intermediate)
    if np.unique(np.asarray(y_true)).shape[0] != 2:
        raise ValueError(
            "Only one class is present in y_true. Detection error tradeoff curve is not defined in that case."
        )
    # From the last threshold without a false positive to the first with every true one.
    first = max(int(np.searchsorted(fps, fps[0], side="right")) - 1, 0)
    inside = slice(first, int(np.searchsorted(tps, tps[-1])) + 1)
    fns = tps[-1] - tps
    return (
        fps[inside][::-1] / fps[-1],
        fns[inside][::-1] / tps[-1],
        thresholds[inside][::-1],
    )


def _area(positive: NDArray[Any], y_score: NDArray[Any], weight: Any, max_fpr: float | None = None) -> float:
    """Area under the ROC curve; nan, with a warning, for one class."""
    if positive.all() or not positive.any():
        warn_undefined("Only one class is present in y_true. ROC AUC score is not defined in that case.", 6)
        return math.nan
    outcome, y_score, _, weight = _without_weightless(positive, y_score, None, weight)
    scores = _ranked_by_outcome(outcome, y_score, weight)
    for sample, count, kind in (
        ("negative", scores.n_negative, "false"),
        ("positive", scores.n_positive, "true"),
    ):
        if count <= 0:
            warn_undefined(f"No {sample} samples in y_true, {kind} positive value should be meaningless", 6)
    if max_fpr is None or max_fpr == 1:
        return weighted_areas(scores)[0]
    return mcclish_auc.of(scores, max_fpr=max_fpr)


def _precision(positive: NDArray[Any], y_score: NDArray[Any], weight: Any) -> float:
    """Average precision; 0, with a warning, without a positive."""
    outcome, y_score, _, weight = _without_weightless(positive, y_score, None, weight)
    value = weighted_areas(_ranked_by_outcome(outcome, y_score, weight))[1]
    if math.isnan(value):
        _warn_of_no_positive(6)
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
        raise ValueError(f"{kind} format is not supported")
    check_consistent_length(y_true, y_score, sample_weight)
    outcomes, scores = check_array(y_true) == 1, check_array(y_score)
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

    Parameters
    ----------
    y_true : array-like of shape (n,), or indicator matrix of shape (n, L)
    y_score : array-like of shape (n,) or (n, L)
    average : {"macro", "micro", "samples", "weighted"}, optional
        Of several classes or labels; None: one value for each.
    pos_label : default 1
        The positive class of a binary truth.
    sample_weight : array-like of shape (n,), optional

    Returns
    -------
    float or ndarray of shape (L,)
        From 0 to 1.

    Examples
    --------
    >>> from adjudge.metrics import average_precision_score
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
    kind = type_of_target(y_true, input_name="y_true")
    present = np.unique(y_true)
    if kind == "binary":
        if present.shape[0] == 2 and pos_label not in present.tolist():
            raise ValueError(f"pos_label={pos_label} is not a valid label. It should be one of {present}")
        true, score, pos_label, weight = _checked(y_true, y_score, pos_label, sample_weight)
        return _precision(true == pos_label, score, weight)
    if kind in ("multilabel-indicator", "multiclass") and pos_label != 1:
        raise ValueError(
            f"Parameter pos_label is fixed to 1 for {kind} y_true. Do not set pos_label or set pos_label to 1."
        )
    if kind == "multiclass":
        y_true = label_binarize(y_true, classes=present)
        if np.shape(y_score) != y_true.shape:
            raise ValueError(_needs_columns(np.shape(y_score)))
    return _averaged(_precision, y_true, y_score, average, sample_weight)


def _needs_columns(shape: tuple[int, ...]) -> str:
    return (
        "`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains multiple classes. "
        f"Got `y_score.shape={shape}`."
    )


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

    Parameters
    ----------
    y_true : array-like of shape (n,), or indicator matrix of shape (n, L)
    y_score : array-like of shape (n,) or (n, L)
    average : {"macro", "micro", "samples", "weighted"}, optional
        Of several classes or labels; None: one value for each.
    sample_weight : array-like of shape (n,), optional
    max_fpr : float, optional
        Judge the part of the curve up to this rate of false positives, on a scale on which chance is 0.5.
    multi_class : {"raise", "ovr", "ovo"}
        Of more than two classes: each against the rest, or against each other.
    labels : array-like of shape (C,), optional
        Classes of the columns, sorted.

    Returns
    -------
    float or ndarray of shape (L,)
        From 0 to 1.

    Examples
    --------
    >>> from adjudge.metrics import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    if sample_weight is None and are_plain_scores(y_true, y_score, None):
        return _area(y_true == 1, y_score, None, max_fpr)
    from sklearn.utils import check_array, column_or_1d
    from sklearn.utils.multiclass import type_of_target

    kind = type_of_target(y_true, input_name="y_true")
    true = check_array(y_true, ensure_2d=False, dtype=None)
    score = check_array(y_score, ensure_2d=False)
    if sample_weight is not None:
        sample_weight = column_or_1d(sample_weight)
    if kind == "multiclass" or (kind == "binary" and score.ndim == 2 and score.shape[1] > 2):
        if max_fpr is not None and max_fpr != 1.0:
            raise ValueError(
                "Partial AUC computation not available in multiclass setting, 'max_fpr' must be set to `None`, "
                f"received `max_fpr={max_fpr}` instead"
            )
        if multi_class == "raise":
            raise ValueError("multi_class must be in ('ovo', 'ovr')")
        return _area_of_classes(true, score, labels, multi_class, average, sample_weight)

    def area(outcome: NDArray[Any], scores: NDArray[Any], weight: Any) -> float:
        return _area(outcome, scores, weight, max_fpr)

    if kind != "binary":
        return _averaged(area, true, score, average, sample_weight)
    from sklearn.utils import check_consistent_length

    true, score = column_or_1d(true), column_or_1d(score)
    check_consistent_length(true, score, sample_weight)
    classes = np.unique(true)
    return area(true == classes[-1] if classes.size > 1 else np.zeros(true.size, bool), score, sample_weight)


def _area_of_classes(
    true: NDArray[Any], score: NDArray[Any], labels: Any, multi_class: str, average: Any, sample_weight: Any
) -> Any:
    if score.ndim != 2:
        raise ValueError(_needs_columns(score.shape))
    if not np.allclose(1, score.sum(axis=1)):
        raise ValueError(
            "Target scores need to be probabilities for multiclass roc_auc, i.e. they should sum up to 1.0 over "
            "classes"
        )
    averages = (*(("micro",) if multi_class == "ovr" else ()), "macro", "weighted", None)
    if average not in averages:
        raise ValueError(f"average must be one of {averages} for multiclass problems")
    if average is None and multi_class == "ovo":
        raise NotImplementedError("average=None is not implemented for multi_class='ovo'.")
    classes = _columns(true, score, labels)
    if multi_class == "ovr":
        outcomes = (true[:, None] == classes).astype(np.int64)
        return _averaged(_area, outcomes, score, average, sample_weight)
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is not supported for multiclass one-vs-one ROC AUC, 'sample_weight' must be None in this "
            "case."
        )
    return _one_against_one(np.searchsorted(classes, true), score, weighted=average == "weighted")


def _columns(true: NDArray[Any], score: NDArray[Any], labels: Any) -> NDArray[Any]:
    """Classes of the columns."""
    if labels is None:
        classes = np.unique(true)
        if len(classes) != score.shape[1]:
            raise ValueError("Number of classes in y_true not equal to the number of columns in 'y_score'")
        return classes
    classes = _sorted_labels(labels, "")
    if len(classes) != score.shape[1]:
        raise ValueError(
            f"Number of given labels, {len(classes)}, not equal to the number of columns in 'y_score', "
            f"{score.shape[1]}"
        )
    if len(np.setdiff1d(true, classes)):
        raise ValueError("'y_true' contains labels not in parameter 'labels'")
    return classes


def _sorted_labels(labels: Any, stop: str) -> NDArray[Any]:
    from sklearn.utils import column_or_1d

    given = column_or_1d(labels)
    classes: NDArray[Any] = np.unique(given)
    if len(classes) != len(given):
        raise ValueError(f"Parameter 'labels' must be unique{stop}")
    if not np.array_equal(classes, given):
        raise ValueError(f"Parameter 'labels' must be ordered{stop}")
    return classes


def _one_against_one(codes: NDArray[Any], score: NDArray[Any], weighted: bool) -> float:
    """Mean over the pairs of classes that occur; Hand & Till's M."""
    pairs = PairAreas.make(Forecasts(range(score.shape[1]), codes.astype(np.int64), score))
    present = np.flatnonzero(pairs.sizes)
    first, second = np.triu_indices(present.size, 1)
    first, second = present[first], present[second]
    areas = (pairs.areas[first, second] + pairs.areas[second, first]) / 2
    shares = (pairs.sizes[first] + pairs.sizes[second]) / codes.size
    return float(np.average(areas, weights=shares if weighted else None))


@drop_in(_HOME)
def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """Share, or number, of the instances whose true class has one of the k highest scores.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_score : array-like of shape (n,) or (n, C)
        Of equal scores that of the last class counts as the highest.
    k : int, default 2
    normalize : bool, default True
        Return the share.
    sample_weight : array-like of shape (n,), optional
    labels : array-like of shape (C,), optional
        Classes of the columns, sorted.

    Returns
    -------
    float
        From 0 to 1, or to the number of instances.

    Examples
    --------
    >>> from adjudge.metrics import top_k_accuracy_score
    >>> scores = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.2, 0.4, 0.4], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], scores, k=2)
    0.75
    """
    codes, scores, n_classes = _truth_and_columns(y_true, y_score, sample_weight, labels)
    if k >= n_classes:
        warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({n_classes}) will result in a perfect score and is "
            "therefore meaningless.",
            3,
        )
    if scores.ndim == 1:
        threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        hits = (scores > threshold) == codes if k == 1 else np.ones(codes.size, bool)
    else:
        hits = _hits(scores, codes, k)
    if normalize:
        return float(np.average(hits, weights=sample_weight))
    return float(hits.sum() if sample_weight is None else np.dot(hits, sample_weight))


def _hits(scores: NDArray[Any], codes: NDArray[np.int64], k: int) -> NDArray[np.bool_]:
    from adjudge.kernels.scores import rank_of_truth

    higher, tied = rank_of_truth(np.ascontiguousarray(scores, np.float64), codes)
    rows = np.flatnonzero((tied > 1) & (higher < k))
    # Of equal scores the last classes come first.
    later = np.arange(scores.shape[1]) > codes[rows, None]
    own = scores[rows, codes[rows]]
    higher[rows] += ((scores[rows] == own[:, None]) & later).sum(axis=1, dtype=np.int32)
    return higher < k


def _truth_and_columns(
    y_true: Any, y_score: Any, sample_weight: Any, labels: Any
) -> tuple[NDArray[np.int64], NDArray[Any], int]:
    """Codes of the truth, the scores, and the number of classes."""
    from sklearn.utils import check_array, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import type_of_target

    true = column_or_1d(check_array(y_true, ensure_2d=False, dtype=None))
    kind = type_of_target(true, input_name="y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y type must be 'binary' or 'multiclass', got '{kind}' instead.")
    score = check_array(y_score, ensure_2d=False)
    if kind == "binary":
        if score.ndim == 2 and score.shape[1] != 1:
            raise ValueError(
                f"`y_true` is binary while y_score is 2d with {score.shape[1]} classes. If `y_true` does not contain "
                "all the labels, `labels` must be provided."
            )
        score = column_or_1d(score)
    elif score.ndim != 2:
        raise ValueError(_needs_columns(score.shape))
    check_consistent_length(true, score, sample_weight)
    n_columns = score.shape[1] if score.ndim == 2 else 2
    if labels is None:
        codes, classes = coded(true).dense()
        if len(classes) != n_columns:
            raise ValueError(
                f"Number of classes in 'y_true' ({len(classes)}) not equal to the number of classes in 'y_score' "
                f"({n_columns}).You can provide a list of all known classes by assigning it to the `labels` parameter."
            )
        return codes, score, n_columns
    known = _sorted_labels(labels, ".")
    if len(known) != n_columns:
        raise ValueError(
            f"Number of given labels ({len(known)}) not equal to the number of classes in 'y_score' ({n_columns})."
        )
    if len(np.setdiff1d(true, known)):
        raise ValueError("'y_true' contains labels not in parameter 'labels'.")
    return np.searchsorted(known, true).astype(np.int64), score, n_columns
