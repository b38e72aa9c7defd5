"""A truth beside scores or probabilities, in which none of scikit-learn's checks can find a fault."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.errors import InputError, InputTypeError
from adjudge.metrics.checks import UnusualInputError, are_plain_scores, coded_quickly
from adjudge.metrics.quick_labels import FEW
from adjudge.metrics.targets import plain_weight
from adjudge.statistics.ranked_scores import PositiveScores, ranked

# Of such labels, 1 is the positive one.
_CONVENTIONAL = ({0, 1}, {-1, 1})


def coded_truth(y_true: Any, n: int, labels: Any = None) -> tuple[Ints, list[Any]]:
    """Return the codes of n labels, and the classes: those given in their order, or else those that occur."""
    true = coded_quickly(y_true)
    if true is None or not 0 < len(true) == n:
        raise UnusualInputError
    codes, classes = true.dense()
    if n > FEW and 2 * len(classes) > n:
        raise UnusualInputError
    if labels is None:
        return codes, classes
    known = np.asarray(labels).tolist()
    if known != sorted({*known}) or not {*classes} <= {*known}:
        raise UnusualInputError
    return np.array([known.index(own) for own in classes])[codes], known


def outcomes_of(y_true: Any, n: int, pos_label: Any, *, of_two: bool = True) -> Bools:
    """Return which of n labels are the positive class, of two or more."""
    codes, classes = coded_truth(y_true, n)
    if pos_label is None:
        if not any(conventional.issuperset(classes) for conventional in _CONVENTIONAL):
            raise UnusualInputError
        pos_label = 1
    if pos_label not in classes or len(classes) < 2 or (of_two and len(classes) > 2):
        raise UnusualInputError
    return np.asarray(codes == classes.index(pos_label))


def ranked_scores(
    y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, *, of_two: bool = False
) -> tuple[PositiveScores, Any]:
    """Return the scores in order, and the type that they were given in; `of_two` classes and no more, if asked."""
    if sample_weight is None and are_plain_scores(y_true, y_score, pos_label):
        found = ranked_by_outcome(y_true == 1, y_score, None)
    else:
        if not _are_plain(y_score):
            if pos_label is not None or len(y_score):
                _refuse_text(y_score)
            raise UnusualInputError
        positive = outcomes_of(y_true, y_score.size, pos_label, of_two=of_two)
        found = ranked_by_outcome(positive, y_score, plain_weight(sample_weight, y_score.size))
    if not (found.n_positive > 0 and found.n_negative > 0):
        raise UnusualInputError
    return found, y_score.dtype


def ranked_by_outcome(positive: NDArray[Any], y_score: NDArray[Any], weight: Any) -> PositiveScores:
    """Sort scores, and add up the weights of positive and of negative instances at each, but for those of weight 0."""
    if weight is not None:
        weight = np.ascontiguousarray(weight, np.float64)
        counts = weight != 0
        positive, y_score, weight = positive[counts], y_score[counts], weight[counts]
    scores = np.ascontiguousarray(y_score, np.float64)
    found = ranked(scores, positive.astype(np.int64), 1, weight)
    return PositiveScores(found.scores, found.positives, found.negatives)


def _are_plain(y_score: Any) -> bool:
    """Whether they are a vector of finite numbers."""
    if type(y_score) is not np.ndarray or y_score.ndim != 1 or y_score.dtype.kind not in "iuf":
        return False
    return y_score.size > 0 and bool(np.isfinite(y_score).all())


def _refuse_text(y_score: Any) -> None:
    """Refuse empty scores, and text, which NumPy would read as numbers where it can."""
    scores = np.asarray(y_score)
    if not scores.size:
        raise InputError("y_true and y_score are empty: at least one instance is needed")
    text = next((score for score in scores.ravel().tolist() if isinstance(score, str)), None)
    if text is not None:
        raise InputTypeError(
            f"y_score has text, such as {text!r}: give numbers that are higher for positives"
        )
