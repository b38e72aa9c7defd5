"""The nearest place to each point other than its own: by a k-d tree if that is faster, else by comparing all places.

Places are centroids or medoids. Both ways give the same result, the smallest of the explicit distances.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import SortedPoints, padded_rows, spans
from adjudge.kernels.places import least_to_places

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

__all__ = ["MANY_PLACES", "ToPlaces", "nearest_places"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Distances that a thread measures before it reports progress.
_BLOCK = 1 << 21
#: With fewer places, comparing all of them takes no longer.
MANY_PLACES = 512
_TREE_ROWS = 4096
_LOOKS = 1 << 28
# Rows on which both ways are timed, at most.
_TIMED = 256
# Places that a tree is asked for: the point's own, the nearest other, and one more that shows whether the next ties.
_ASKED = 3


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


class _Way(Protocol):
    def __call__(self, points: Floats, mine: Ints) -> list[Floats]:
        """Return, for each rise, the smallest value among the other places."""
        ...


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
    all_places = _AllPlaces.of(places, rises)
    look: _Way = all_places
    step = max(1, _BLOCK // k)
    if k >= MANY_PLACES:
        tree = _Trees.of(places, rises, all_places)
        some = np.arange(0, n, max(1, n // max(8, min(_TIMED, step))))
        sample = points_of(some), codes[some]
        # The first call may load or compile the loop.
        look(sample[0][:1], sample[1][:1])
        if _seconds(tree, *sample) < _seconds(look, *sample):
            # Comparing these rows with all places takes no more than about a second.
            look, step = tree, max(1, min(_TREE_ROWS, _LOOKS // k))

    def work(rows: slice) -> None:
        points, mine = points_of(rows), codes[rows]
        found.own[rows] = _squares(points, places[mine])
        if k > 1:
            for others, some in zip(found.others, look(points, mine), strict=True):
                others[rows] = some

    for run, _ in crew.map(work, spans(n, step)):
        crew.advance((run.stop - run.start) * k)
    return found


def _seconds(look: _Way, points: Floats, mine: Ints) -> float:
    # Time of this thread alone, since others may be running.
    begun = time.thread_time()
    look(points, mine)
    return time.thread_time() - begun


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

    def raised_by(self, i: int) -> _AllPlaces:
        """Return the same for one of the rises."""
        return replace(self, rises=self.rises[i : i + 1])

    def __call__(self, points: Floats, mine: Ints) -> list[Floats]:
        places, rounding = self.places, _rounding(points.shape[1])
        rows = padded_rows(points, slice(None))
        found = np.full((self.rises.shape[0], mine.size), np.inf)
        least_to_places(rows, mine, places.n, places.tiles, self.rises, rounding, found)
        return list(found)


@dataclass(frozen=True, eq=False)
class _Trees:
    """Queries a tree for each rise, whose root is one more coordinate, and compares all places where there are ties."""

    places: Floats
    rises: Sequence[Floats]
    trees: Sequence[cKDTree]
    all_places: _AllPlaces

    @classmethod
    def of(cls, places: Floats, rises: Sequence[Floats], all_places: _AllPlaces) -> _Trees:
        """Build the trees."""
        from scipy.spatial import cKDTree

        lifted = [np.column_stack([places, np.sqrt(rise)]) if rise.any() else places for rise in rises]
        return cls(places, rises, [cKDTree(points, balanced_tree=False) for points in lifted], all_places)

    def __call__(self, points: Floats, mine: Ints) -> list[Floats]:
        return [self._least(points, mine, i) for i in range(len(self.rises))]

    def _least(self, points: Floats, mine: Ints, i: int) -> Floats:
        tree, rise = self.trees[i], self.rises[i]
        asking = points if tree.m == points.shape[1] else np.column_stack([points, np.zeros(mine.size)])
        candidates = np.asarray(tree.query(asking, k=_ASKED, workers=1)[1], np.int64)
        found, beyond = np.full(mine.size, np.inf), np.zeros(mine.size)
        for nth in candidates.T:
            squares = _squares(points, self.places[nth]) + rise[nth]
            np.maximum(beyond, squares, out=beyond)
            np.minimum(found, np.where(nth == mine, np.inf, squares), out=found)
        # Nothing is nearer than 0.
        rounding = _rounding(points.shape[1])
        unsettled = np.flatnonzero((found * (1 + rounding) >= beyond) & (found > 0))
        if unsettled.size:
            found[unsettled] = self.all_places.raised_by(i)(points[unsettled], mine[unsettled])[0]
        return found
