"""Points near centroids and near the midpoints of two, if they are few: found by a tree, counted by cluster pair."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import spans

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

__all__ = ["FewNear", "few_near"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# With fewer clusters, comparing all pairs takes no longer.
_MANY_CLUSTERS = 1024
# Measured: a centroid that is found takes as long as comparing with this many centroids.
_LOOKS = 500
# Most centroids found for a point, on average: they are held until the end.
_HELD = 4
_SAMPLE = 512
_ROWS = 4096
# Most centroids found for these rows.
_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class FewNear:
    """How many points of a cluster are near the centroid of another, and near the midpoint between the two.

    Attributes
    ----------
    k : int
        Clusters.
    there, there_counts : ndarray of int64
        The numbers ``a * k + b``, ascending, of the pairs of clusters (a, b) for which points of a are near the
        centroid of b, and how many points those are.
    middle, middle_counts : ndarray of int64
        Likewise for the midpoints between clusters a < b, where points of both count.
    """

    k: int
    there: Ints
    there_counts: Ints
    middle: Ints
    middle_counts: Ints

    def _at(self, a: Ints, b: Ints) -> Ints:
        """Return how many points of clusters a are near the centroids of clusters b."""
        if self.there.size == 0:
            return np.zeros(a.size, np.int64)
        pairs = a * self.k + b
        places = np.minimum(np.searchsorted(self.there, pairs), self.there.size - 1)
        return np.where(self.there[places] == pairs, self.there_counts[places], 0)

    def ratio_sum(self, block: int) -> float:
        """Sum the densities at midpoints over the larger one at a centroid, block by block of clusters."""
        a, b = np.divmod(self.middle, self.k)
        order = np.lexsort((b, a, b // block, a // block))
        a, b, counts = a[order], b[order], self.middle_counts[order]
        densest = np.maximum(self._at(a, a) + self._at(b, a), self._at(b, b) + self._at(a, b))
        with np.errstate(divide="ignore"):
            ratios = counts / densest
        blocks = (a // block) * self.k + b // block
        ends = np.append(np.flatnonzero(np.diff(blocks)) + 1, blocks.size)
        total, first = 0.0, 0
        for last in ends.tolist():
            total += float(ratios[first:last].sum())
            first = last
        return total

    def empty(self) -> int:
        """Count the pairs of clusters that have no point near either centroid or the midpoint."""
        everyone = np.arange(self.k)
        nothing = self._at(everyone, everyone) == 0
        a, b = np.divmod(np.concatenate([self.middle, self.there]), self.k)
        a, b = np.minimum(a, b), np.maximum(a, b)
        n_filled = np.unique((a * self.k + b)[(a < b) & nothing[a] & nothing[b]]).size
        n_nothing = int(nothing.sum())
        return n_nothing * (n_nothing - 1) // 2 - n_filled


def few_near(
    points_of: Callable[[slice | Ints], Floats], codes: Ints, centroids: Floats, radius: float, crew: Crew
) -> FewNear | None:
    """Find the points near centroids and midpoints; None if they are not few.

    Parameters
    ----------
    points_of : callable
        From rows to points, of shape (rows, p).
    codes : ndarray of int64 of shape (n,)
    centroids : ndarray of shape (K, p)
    radius : float
        Points closer than this are near.
    crew : Crew
        Advanced, if they are few, by two places for each point and cluster.
    """
    n, k = codes.size, centroids.shape[0]
    if k < _MANY_CLUSTERS:
        return None
    near = _Near.of(points_of, codes, centroids, radius)
    most = min(_HELD, k // _LOOKS)
    sample = np.arange(0, n, max(1, n // _SAMPLE))
    if near.count(sample) > most * sample.size:
        return None

    def search(rows: slice) -> tuple[Ints, Ints] | None:
        some = np.arange(rows.start, rows.stop)
        # A few points may be near very many centroids.
        return near.pairs(some) if near.count(some) <= _AT_ONCE else None

    found: list[tuple[Ints, Ints]] = []
    held = 0
    for _, pairs in crew.map(search, spans(n, _ROWS)):
        if pairs is None or held > 2 * most * n:
            return None
        found.append(pairs)
        held += sum(p.size for p in pairs)
    crew.advance(2 * n * k)
    there = np.unique(np.concatenate([f[0] for f in found]), return_counts=True)
    middle = np.unique(np.concatenate([f[1] for f in found]), return_counts=True)
    return FewNear(k, *there, *middle)


@dataclass(frozen=True, eq=False)
class _Near:
    """Queries a tree of centroids, and checks what it finds."""

    points_of: Callable[[slice | Ints], Floats]
    codes: Ints
    centroids: Floats
    radius: float
    tree: cKDTree
    reach: float

    @classmethod
    def of(
        cls, points_of: Callable[[slice | Ints], Floats], codes: Ints, centroids: Floats, radius: float
    ) -> _Near:
        from scipy.spatial import cKDTree

        tree = cKDTree(centroids, balanced_tree=False)
        # The tree's distances and those of the check may differ by rounding.
        largest = float(np.abs([tree.maxes, tree.mins]).max())
        reach = radius * (1 + 1e-9) + 64 * np.finfo(np.float64).eps * largest
        return cls(points_of, codes, centroids, radius, tree, reach)

    def _questions(self, rows: Ints) -> tuple[tuple[Floats, float], tuple[Floats, float]]:
        """Return where to look for centroids, and how far from there.

        A midpoint is near if the other centroid is within twice the radius of the point's mirror image.
        """
        points = self.points_of(rows)
        images = 2 * points - self.centroids[self.codes[rows]]
        return (points, self.reach), (images, 2 * self.reach)

    def count(self, rows: Ints) -> int:
        """Count the centroids and midpoints that may be near some points."""
        return sum(
            int(self.tree.query_ball_point(places, reach, return_length=True, workers=1).sum())
            for places, reach in self._questions(rows)
        )

    def pairs(self, rows: Ints) -> tuple[Ints, Ints]:
        """Return pairs of clusters, numbered as in `FewNear`: one for each near centroid, and each near midpoint."""
        points, own, k = self.points_of(rows), self.codes[rows], self.centroids.shape[0]
        found = []
        for is_middle, (places, reach) in enumerate(self._questions(rows)):
            lists = self.tree.query_ball_point(places, reach, workers=1)
            sizes = np.fromiter(map(len, lists), np.int64, rows.size)
            other = np.fromiter((j for some in lists for j in some), np.int64, int(sizes.sum()))
            line = np.repeat(np.arange(rows.size), sizes)
            mine = own[line]
            squares = np.zeros(other.size)
            for x, centroid in zip(points.T, self.centroids.T, strict=True):
                place = 0.5 * (centroid[mine] + centroid[other]) if is_middle else centroid[other]
                squares += (x[line] - place) ** 2
            near = squares < self.radius * self.radius
            a, b = mine[near], other[near]
            if is_middle:
                a, b = np.minimum(a, b)[a != b], np.maximum(a, b)[a != b]
            found.append(a * k + b)
        return found[0], found[1]
