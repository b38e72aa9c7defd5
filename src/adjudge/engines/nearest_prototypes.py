"""The nearest place to each point other than its own; places are centroids or medoids."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans

__all__ = ["ToPlaces", "nearest_places"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Squared distances that stay in cache.
_IN_CACHE = 1 << 18


@dataclass(frozen=True, eq=False)
class ToPlaces:
    """Squared distances from points to places.

    Attributes
    ----------
    own : ndarray of shape (n,)
        To the point's own place.
    others : list of ndarray of shape (n,)
        For each rise, the smallest squared distance to another place plus the rise of that place; inf if none.
    """

    own: Floats
    others: list[Floats]


def nearest_places(
    points_of: Callable[[slice | Ints], Floats],
    codes: Ints,
    places: Floats,
    rises: Sequence[Floats],
    crew: Crew,
) -> ToPlaces:
    """Find the nearest place to each point other than its own.

    Parameters
    ----------
    points_of : callable
        From rows to points, of shape (rows, p).
    codes : ndarray of int64 of shape (n,)
        The own place of each point.
    places : ndarray of shape (K, p)
    rises : sequence of ndarray of shape (K,)
        Non-negative amounts added to the squared distance to each place; zeros for none.
    crew : Crew
        Advanced by K places for each point.
    """
    from scipy.spatial.distance import cdist

    n, k = codes.size, places.shape[0]
    found = ToPlaces(np.empty(n), [np.empty(n) for _ in rises])

    def work(rows: slice) -> None:
        # Summed over the variables in order, as everywhere else.
        squares = np.asarray(cdist(points_of(rows), places, "sqeuclidean"))
        mine = np.arange(squares.shape[0]), codes[rows]
        found.own[rows] = squares[mine]
        squares[mine] = np.inf
        for others, rise in zip(found.others, rises, strict=True):
            others[rows] = (squares + rise if rise.any() else squares).min(axis=1)

    for run, _ in crew.map(work, spans(n, max(1, _IN_CACHE // k))):
        crew.advance((run.stop - run.start) * k)
    return found
