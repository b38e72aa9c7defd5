"""scikit-learn's curves of scores that rank instances, on the statistics of adjudge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.metrics.checks import UnusualInputError, drop_in
from adjudge.metrics.scores import ranked_scores

__all__ = [
    "auc",
    "confusion_matrix_at_thresholds",
    "det_curve",
    "precision_recall_curve",
    "roc_curve",
]

_HOME = "sklearn.metrics._ranking"

Triple = tuple[Floats, Floats, NDArray[Any]]


@drop_in(_HOME)
def auc(x: Any, y: Any) -> float:
    """Area under a curve, by the trapezoidal rule.

    >>> auc([0.0, 0.5, 1.0], [0.0, 1.0, 1.0])
    0.75
    """
    xs, ys = np.asarray(x), np.asarray(y)
    if xs.ndim != 1 or xs.shape != ys.shape or xs.size < 2 or {xs.dtype.kind, ys.dtype.kind} - {*"if"}:
        raise UnusualInputError
    steps = np.diff(xs)
    falls = bool((steps < 0).any())
    if falls and (steps > 0).any():
        raise UnusualInputError
    area = float((steps * (ys[1:] + ys[:-1]) / 2.0).sum())
    return -area if falls else area


@drop_in(_HOME, positional="1.11")
def confusion_matrix_at_thresholds(
    y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None
) -> tuple[Floats, Floats, Floats, Floats, NDArray[Any]]:
    """Count right and wrong answers at each threshold.

    >>> *_, tps, thresholds = confusion_matrix_at_thresholds([0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8])
    >>> tps, thresholds
    (array([1., 2., 2., 2.]), array([0.8 , 0.4 , 0.35, 0.1 ]))
    """
    tps, fps, thresholds = _falling(y_true, y_score, pos_label, sample_weight)
    return fps[-1] - fps, fps, tps[-1] - tps, tps, thresholds


def _falling(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, *, of_two: bool = False
) -> Triple:
    scores, dtype = ranked_scores(y_true, y_score, pos_label, sample_weight, of_two=of_two)
    thresholds, tps, fps = scores.falling
    return tps, fps, thresholds.astype(dtype)


def _thinned(differing: NDArray[Any], *curves: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Leave out points in the middle of a straight segment."""
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
    return fps / fps[-1], tps / tps[-1], thresholds


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

    >>> precision, recall, thresholds = precision_recall_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> recall
    array([1. , 1. , 0.5, 0.5, 0. ])
    """
    tps, fps, thresholds = _corners(
        *_falling(y_true, y_score, pos_label, sample_weight), drop_intermediate=drop_intermediate
    )
    total = tps + fps
    precision = np.divide(tps, total, out=np.zeros_like(tps), where=total != 0)
    return np.r_[precision[::-1], 1.0], np.r_[(tps / tps[-1])[::-1], 0.0], thresholds[::-1]


@drop_in(_HOME)
def det_curve(
    y_true: Any,
    y_score: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> Triple:
    """Rates of false positives and of false negatives at each threshold.

    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """
    tps, fps, thresholds = _falling(y_true, y_score, pos_label, sample_weight, of_two=True)
    tps, fps = np.r_[0.0, tps], np.r_[0.0, fps]
    tps, fps, thresholds = _corners(tps, fps, np.r_[np.inf, thresholds.astype(np.float64)], drop_intermediate)
    # From the last threshold without a false positive to the first with every true one.
    first = max(int(np.searchsorted(fps, fps[0], side="right")) - 1, 0)
    inside = slice(first, int(np.searchsorted(tps, tps[-1])) + 1)
    fns = tps[-1] - tps
    return (
        fps[inside][::-1] / fps[-1],
        fns[inside][::-1] / tps[-1],
        thresholds[inside][::-1],
    )
