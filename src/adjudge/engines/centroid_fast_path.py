"""Statistics of centroids of arrays that need no treatment, without the steps that other input needs.

For a thousand points these steps take longer than the passes over the points. The digits are the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.centroid_pass import CHUNK, CentroidPass
from adjudge.engines.running.executor import Crew
from adjudge.given.points import are_plain
from adjudge.kernels.counting import code_and_count
from adjudge.parallel import n_cores
from adjudge.statistics.moments import CentroidOverlaps, Moments, made_by_centroids

__all__ = ["plain_centroids", "plain_codes", "reduce_plain_points"]

# Statistics that a single call makes from few points.
_OF_FEW = {(type_,): type_.of_few for type_ in (Moments, CentroidOverlaps)}
_LABELS = (np.dtype(np.int64), np.dtype(np.int32))


def reduce_plain_points(X: Any, labels: Any, wanted: tuple[type, ...]) -> tuple[Any, ...] | None:
    """Reduce arrays that need no treatment to statistics of centroids, in order; None if any needs more."""
    if not _are_of_centroids(wanted) or not are_plain(X):
        return None
    if wanted in _OF_FEW and X.shape[0] <= CHUNK and _are_plain_labels(labels, X.shape[0]):
        statistic = _OF_FEW[wanted](X, np.ascontiguousarray(labels))
        if statistic is not None:
            return (statistic,)
    made = _of_plain_labels(X, labels)
    return None if made is None else made.statistics(wanted)


@lru_cache
def _are_of_centroids(types: tuple[type, ...]) -> bool:
    return made_by_centroids(types) == frozenset(types)


def plain_centroids(X: Any, labels: Any) -> CentroidPass | None:
    """Return the centroid pass over arrays that need no treatment; None for other arrays."""
    return _of_plain_labels(X, labels) if are_plain(X) else None


def _of_plain_labels(X: NDArray[Any], labels: Any) -> CentroidPass | None:
    coded = plain_codes(labels, X.shape[0])
    return None if coded is None else CentroidPass(X, *coded, Crew(n_cores()))


def plain_codes(labels: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return codes 0..K-1 and their counts if the n labels are consecutive integers that all occur; else None."""
    if not _are_plain_labels(labels, n):
        return None
    codes, counts = np.empty(n, np.int64), np.empty(n, np.int64)
    k = code_and_count(np.ascontiguousarray(labels), codes, counts)
    return (codes, counts[:k].copy()) if k else None


def _are_plain_labels(labels: Any, n: int) -> bool:
    return type(labels) is np.ndarray and labels.dtype in _LABELS and labels.shape == (n,) and n > 0
