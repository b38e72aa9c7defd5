"""Statistics of centroids of arrays that need no treatment, without the steps for all else that input may be.

On a thousand points these steps take longer than the passes over the points. The digits are the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.centroid_pass import CentroidPass
from adjudge.engines.running.crew import Crew
from adjudge.given.codes import lanes_for
from adjudge.given.points import are_plain
from adjudge.kernels.coding import value_range
from adjudge.kernels.counting import code_and_count
from adjudge.parallel import n_cores
from adjudge.statistics.moments import made_by_centroids

__all__ = ["plain_centroids", "plain_codes", "reduce_plain_points"]

_LABELS = (np.dtype(np.int64), np.dtype(np.int32))


def reduce_plain_points(X: Any, labels: Any, wanted: tuple[type, ...]) -> tuple[Any, ...] | None:
    """Reduce arrays that need no treatment to statistics of centroids, in order; None if any of them is another."""
    made = plain_centroids(X, labels) if _are_of_centroids(wanted) else None
    return None if made is None else made.statistics(wanted)


@lru_cache
def _are_of_centroids(types: tuple[type, ...]) -> bool:
    return made_by_centroids(types) == frozenset(types)


def plain_centroids(X: Any, labels: Any) -> CentroidPass | None:
    """Return what makes the statistics of centroids of arrays that need no treatment; None if they are others."""
    coded = plain_codes(labels, X.shape[0]) if are_plain(X) else None
    return None if coded is None else CentroidPass(X, *coded, Crew(n_cores()))


def plain_codes(labels: Any, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Return codes 0..K-1 and their counts, if n labels are whole numbers in a row of which each occurs; else None."""
    if type(labels) is not np.ndarray or labels.dtype not in _LABELS or labels.shape != (n,) or n == 0:
        return None
    labels = np.ascontiguousarray(labels)
    low, high = value_range(labels)
    if high - low >= n:
        return None
    codes, lanes = np.empty(n, np.int64), lanes_for(high - low + 1)
    return (codes, lanes[0]) if code_and_count(labels, low, codes, lanes) else None
