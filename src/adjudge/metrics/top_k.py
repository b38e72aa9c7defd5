"""scikit-learn's top-k accuracy, on a kernel of adjudge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.kernels.scores import rank_of_truth
from adjudge.metrics.checks import UnusualInputError, coded, drop_in
from adjudge.metrics.classes import warn_undefined
from adjudge.metrics.quick_labels import in_plain_text

__all__ = ["top_k_accuracy_score"]


@drop_in("sklearn.metrics._ranking")
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

    >>> scores = [[0.5, 0.2, 0.3], [0.3, 0.4, 0.3], [0.2, 0.4, 0.4], [0.7, 0.2, 0.1]]
    >>> top_k_accuracy_score([0, 1, 2, 2], scores, k=2)
    0.75
    """
    codes, scores, n_classes = _truth_and_columns(y_true, y_score, sample_weight, labels)
    if k >= n_classes:
        warn_undefined(
            f"'k' ({k}) greater than or equal to 'n_classes' ({n_classes}) will result in a perfect score and is "
            "therefore meaningless.",
        )
    if scores.ndim == 1:
        threshold = 0.5 if scores.min() >= 0 and scores.max() <= 1 else 0
        hits = (scores > threshold) == codes if k == 1 else np.ones(codes.size, bool)
    else:
        hits = _hits(scores, codes, k)
    if normalize:
        return float(np.average(hits, weights=sample_weight))
    return float(hits.sum() if sample_weight is None else np.dot(hits, sample_weight))


def _hits(scores: NDArray[Any], codes: Ints, k: int) -> Bools:
    higher, tied = rank_of_truth(np.ascontiguousarray(scores, np.float64), codes)
    rows = np.flatnonzero((tied > 1) & (higher < k))
    # Of equal scores, the last classes come first.
    later = np.arange(scores.shape[1]) > codes[rows, None]
    own = scores[rows, codes[rows]]
    higher[rows] += ((scores[rows] == own[:, None]) & later).sum(axis=1, dtype=np.int32)
    return higher < k


def _truth_and_columns(
    y_true: Any, y_score: Any, sample_weight: Any, labels: Any
) -> tuple[Ints, NDArray[Any], int]:
    """Return the codes of the truth, the scores, and the number of classes."""
    from sklearn.utils import check_array, check_consistent_length, column_or_1d
    from sklearn.utils.multiclass import type_of_target

    true = column_or_1d(check_array(in_plain_text(y_true), ensure_2d=False, dtype=None))
    kind = type_of_target(true, input_name="y_true")
    if kind == "binary" and labels is not None and len(labels) > 2:
        kind = "multiclass"
    score = check_array(y_score, ensure_2d=False)
    if kind == "binary":
        if score.ndim == 2 and score.shape[1] != 1:
            raise UnusualInputError
        score = column_or_1d(score)
    elif kind != "multiclass" or score.ndim != 2:
        raise UnusualInputError
    check_consistent_length(true, score, sample_weight)
    n_columns = score.shape[1] if score.ndim == 2 else 2
    if labels is None:
        codes, classes = coded(true).dense()
        if len(classes) != n_columns:
            raise UnusualInputError
        return codes, score, n_columns
    known = np.asarray(labels)
    if known.shape != (n_columns,) or not np.array_equal(known, np.unique(known)):
        raise UnusualInputError
    if len(np.setdiff1d(true, known)):
        raise UnusualInputError
    return np.searchsorted(known, true).astype(np.int64), score, n_columns
