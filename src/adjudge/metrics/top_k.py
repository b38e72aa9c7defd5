"""scikit-learn's top-k accuracy, on a kernel of adjudge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.kernels.scores import rank_of_truth
from adjudge.metrics.checks import UnusualInputError, drop_in
from adjudge.metrics.scores import coded_truth
from adjudge.metrics.targets import plain_weight

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
    scores = np.asarray(y_score)
    if scores.dtype.kind not in "iuf" or not np.isfinite(scores).all():
        raise UnusualInputError
    codes, classes = coded_truth(y_true, scores.shape[0] if scores.ndim else 0, labels)
    if (
        scores.shape[1:] != ((len(classes),) if len(classes) > 2 else ())
        or len(classes) < 2
        or k >= len(classes)
    ):
        raise UnusualInputError
    weight = plain_weight(sample_weight, codes.size)
    if scores.ndim == 1:  # and k is 1
        hits = (scores > (0.5 if scores.min() >= 0 and scores.max() <= 1 else 0)) == codes
    else:
        hits = _hits(scores, codes, k)
    if normalize:
        return float(np.average(hits, weights=weight))
    return float(hits.sum() if weight is None else hits @ weight)


def _hits(scores: NDArray[Any], codes: Ints, k: int) -> Bools:
    higher, tied = rank_of_truth(np.ascontiguousarray(scores, np.float64), codes)
    rows = np.flatnonzero((tied > 1) & (higher < k))
    # Of equal scores, the last classes come first.
    later = np.arange(scores.shape[1]) > codes[rows, None]
    own = scores[rows, codes[rows]]
    higher[rows] += ((scores[rows] == own[:, None]) & later).sum(axis=1, dtype=np.int32)
    return higher < k
