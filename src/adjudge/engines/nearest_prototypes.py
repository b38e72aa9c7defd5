"""The nearest place to each point other than its own: the smallest of the explicit distances.

Places are centroids or medoids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import SortedPoints, padded_rows, strips
from adjudge.kernels.places import least_to_places

__all__ = ["ToPlaces", "nearest_places"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


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
    n, k = codes.size, places.shape[0]
    found = ToPlaces(np.empty(n), [np.full(n, np.inf) for _ in rises])
    look = _AllPlaces.of(places, rises)

    def work(rows: slice) -> None:
        points, mine = points_of(rows), codes[rows]
        found.own[rows] = _squares(points, places[mine])
        if k > 1:
            for others, some in zip(found.others, look(points, mine), strict=True):
                others[rows] = some

    for run, _ in crew.map(work, strips(n, k)):
        crew.advance((run.stop - run.start) * k)
    return found


def _rounding(p: int) -> float:
    """Return the relative error that a squared distance of p variables may have, in any order of summation."""
    return float(4 * (p + 24) * np.finfo(np.float64).eps)


def _squares(points: Floats, places: Floats) -> Floats:
    """Return each point's squared distance to its place, summed over the variables in order, as SciPy does."""
    squares = np.zeros(points.shape[0])
    for x, y in zip(points.T, places.T, strict=True):
        squares += (x - y) ** 2
    return squares


@dataclass(frozen=True, eq=False)
class _AllPlaces:
    """Compares points with all places.

    Attributes
    ----------
    places : SortedPoints
    rises : ndarray of shape (R, K)
    """

    places: SortedPoints
    rises: Floats

    @classmethod
    def of(cls, places: Floats, rises: Sequence[Floats]) -> _AllPlaces:
        """Put places in tiles."""
        return cls(SortedPoints.of(places, np.arange(places.shape[0])), np.array(rises))

    def __call__(self, points: Floats, mine: Ints) -> list[Floats]:
        places, rounding = self.places, _rounding(points.shape[1])
        rows = padded_rows(points, slice(None))
        found = np.full((self.rises.shape[0], mine.size), np.inf)
        least_to_places(rows, mine, places.n, places.tiles, self.rises, rounding, found)
        return list(found)
