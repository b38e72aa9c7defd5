"""Scores of a binary classifier and the classes of columns of scores, checked as scikit-learn checks them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.callers import warn_caller
from adjudge.errors import InputError, InputTypeError
from adjudge.metrics.checks import are_plain_scores
from adjudge.metrics.quick_labels import in_plain_text
from adjudge.metrics.targets import checked_weight
from adjudge.statistics.ranked_scores import PositiveScores, ranked

__all__ = [
    "checked_scores",
    "ranked_by_outcome",
    "ranked_scores",
    "warn_of_no_positive",
    "without_weightless",
]


def ranked_scores(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[PositiveScores, Any]:
    """Return the scores in order, and the type that they were given in."""
    if not are_plain_scores(y_true, y_score, pos_label) or sample_weight is not None:
        y_true, y_score, pos_label, sample_weight = checked_scores(y_true, y_score, pos_label, sample_weight)
    elif pos_label is None:
        pos_label = 1
    return ranked_by_outcome(y_true == pos_label, y_score, sample_weight), y_score.dtype


def ranked_by_outcome(positive: NDArray[Any], y_score: NDArray[Any], weight: Any) -> PositiveScores:
    """Sort scores, and add up the weights of positive and of negative instances at each."""
    scores = np.ascontiguousarray(y_score, np.float64)
    found = ranked(scores, positive.astype(np.int64), 1, weight)
    return PositiveScores(found.scores, found.positives, found.negatives)


def checked_scores(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[NDArray[Any], NDArray[Any], Any, Any]:
    """Check a binary truth and its scores; instances with weight 0 are left out."""
    from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import type_of_target
    from sklearn.utils.validation import _check_pos_label_consistency

    y_true = in_plain_text(y_true)
    kind = type_of_target(y_true, input_name="y_true")
    if not (kind == "binary" or (kind == "multiclass" and pos_label is not None)):
        raise ValueError(f"{kind} format is not supported")
    pos_label = _check_pos_label_consistency(pos_label, y_true)
    check_consistent_length(y_true, y_score, sample_weight)
    y_true, y_score = column_or_1d(y_true), column_or_1d(y_score)
    assert_all_finite(y_true)
    assert_all_finite(y_score)
    _check_numbers(y_score)
    return without_weightless(y_true, y_score, pos_label, sample_weight)


def _check_numbers(y_score: NDArray[Any]) -> None:
    """Refuse empty scores, and text, which NumPy would read as numbers where it can."""
    if not y_score.size:
        raise InputError("y_true and y_score are empty: at least one instance is needed")
    if y_score.dtype.kind not in "OU":
        return
    text = next((score for score in y_score.tolist() if isinstance(score, str)), None)
    if text is not None:
        raise InputTypeError(
            f"y_score has text, such as {text!r}: give numbers that are higher for positives"
        )


def without_weightless(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any
) -> tuple[NDArray[Any], NDArray[Any], Any, Any]:
    """Leave out instances with weight 0."""
    if sample_weight is None:
        return y_true, y_score, pos_label, None
    from sklearn.utils import column_or_1d

    checked = checked_weight(column_or_1d(sample_weight), y_true)
    weight = np.ascontiguousarray(checked, np.float64)
    counts = weight != 0
    return y_true[counts], y_score[counts], pos_label, weight[counts]


def warn_of_no_positive() -> None:
    """Warn that recall is undefined."""
    warn_caller("No positive class found in y_true, recall is set to one for all thresholds.")
