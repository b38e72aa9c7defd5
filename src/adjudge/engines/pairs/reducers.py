"""Reducers of tables of points against clusters, or of clusters against others, to statistics.

Each strip of points is taken with all clusters, in their order. Of the first and last cluster of a strip, more points
may be in the strip before and in the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.engines.running.checkpoint import Arrays
from adjudge.given.arrays import MEMORY_LIMIT, room_for
from adjudge.statistics.pair_distances import (
    MATRIX_CLUSTERS,
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
    silhouette_widths,
)

__all__ = ["Closest", "Farthest", "OverallExtremes", "Reach", "Reducer", "SumsOfPairs", "Widths"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Lines of a table that stay in the cache while they are reduced.
_LINES = 64


class Reducer(Protocol):
    """Takes the tables of strips, and makes statistics of them.

    Attributes
    ----------
    arrays : dict of str to ndarray
        Everything that it has found so far.
    """

    arrays: Arrays

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        """Take what the points of a strip, sorted, found with all points of some clusters, which have a line each."""
        ...

    def made(self) -> Mapping[type, Any]:
        """Make the statistics, with points in input order."""
        ...


class Widths:
    """Silhouette widths.

    Parameters
    ----------
    strips : Strips
    codes : ndarray of shape (n,)
    masses : ndarray of shape (K,)
        Sizes of the clusters, or their weights.
    others : ndarray of shape (n,)
        Number of the other points of each point's cluster, or their weight.
    single : int or None
        The cluster that stands for all points that are alone: the mean distance to the nearest is the distance to it.
    """

    def __init__(
        self, strips: Strips, codes: Ints, masses: Any, others: NDArray[Any], single: int | None = None
    ) -> None:
        self.strips, self._codes, self._masses, self._others, self._single = (
            strips,
            codes,
            masses,
            others,
            single,
        )
        # Of the sorted points.
        self.arrays = {"own": np.zeros(codes.size), "nearest": np.full(codes.size, np.inf)}

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        """See `Reducer`."""
        sums, masses, single = tables["sums"], self._masses[clusters], self._single
        if single is not None and clusters.start <= single < clusters.stop:
            sums = sums.copy()
            line = single - clusters.start
            sums[line] = tables["near"][line] * masses[line]
        mine = _of_own(strip, clusters)
        if mine is not None:
            self.arrays["own"][strip.start + mine[1]] = sums[mine]
            sums = sums.copy()
            sums[mine] = np.inf
        nearest = self.arrays["nearest"][strip.points]
        for first in range(0, masses.size, _LINES):
            some = slice(first, first + _LINES)
            np.minimum(nearest, (sums[some] / masses[some, None]).min(axis=0), out=nearest)

    @property
    def own_sums(self) -> Floats:
        """The sum of the distances of each point to those of its cluster."""
        return self.strips.in_order_given(self.arrays["own"])

    @property
    def values(self) -> Floats:
        """The width of each point."""
        if self._masses.size == 1:
            return np.full(self._codes.size, np.nan)
        nearest = self.strips.in_order_given(self.arrays["nearest"])
        return silhouette_widths(self.own_sums, self._others, nearest)

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        return {Silhouettes: Silhouettes(self._masses, self._codes, self.values)}


def _of_own(strip: Strip, clusters: slice) -> tuple[Ints, Ints] | None:
    """Return the lines of the points' own clusters, and the points, if any are among some clusters."""
    if clusters.stop <= strip.clusters.start or strip.clusters.stop <= clusters.start:
        return None
    own = strip.own
    points = np.flatnonzero((own >= clusters.start) & (own < clusters.stop))
    return own[points] - clusters.start, points


class _OfPairs:
    """Values of all pairs of clusters: the least of them, and a matrix if clusters are few."""

    def __init__(self, strips: Strips, join: np.ufunc, empty: float) -> None:
        self.k, self._join = strips.sizes.size, join
        going_on = [strip.number for strip in strips.each if strip.goes_on]
        self._place = {number: i for i, number in enumerate(going_on)}
        # What was found for the points of a cluster of which the next strip has more.
        waiting = np.full((len(going_on), self.k), empty)
        self.arrays = {"least": np.array(np.inf), "waiting": waiting}
        if self.k <= MATRIX_CLUSTERS:
            self.arrays["matrix"] = np.zeros((self.k, self.k))

    def _whole(self, strip: Strip, clusters: slice, values: Floats) -> tuple[slice, Floats, Any]:
        """Return whole clusters of a strip, the values of pairs, and which of these are between two, each once."""
        waiting, before = self.arrays["waiting"], self._place.get(strip.number - 1)
        if before is not None:
            values = values.copy()
            values[:, 0] = self._join(values[:, 0], waiting[before, clusters])
        if strip.goes_on:
            waiting[self._place[strip.number], clusters] = values[:, -1]
        own = slice(strip.clusters.start, strip.clusters.stop - strip.goes_on)
        values = values[:, : own.stop - own.start]
        if "matrix" in self.arrays:
            self.arrays["matrix"][clusters, own] = values
        if clusters.stop <= own.start:
            return own, values, ...
        return own, values, np.arange(clusters.start, clusters.stop)[:, None] < np.arange(own.start, own.stop)

    @staticmethod
    def _diagonal(own: slice, clusters: slice, values: Floats) -> tuple[Ints, Floats]:
        """Return the clusters that are among both, and their values with themselves."""
        both = np.arange(max(own.start, clusters.start), min(own.stop, clusters.stop))
        return both, values[both - clusters.start, both - own.start]

    def _add_least(self, values: Floats) -> None:
        self.arrays["least"][...] = min(self.arrays["least"], values.min(initial=np.inf))

    @property
    def smallest(self) -> float:
        """The least of all pairs; nan for one cluster."""
        return float(self.arrays["least"]) if self.k > 1 else np.nan

    def matrix(self, diagonal: Floats | float = 0.0) -> Floats | None:
        """Return the values of all pairs, with some on the diagonal; None if clusters are many."""
        found = self.arrays.get("matrix")
        if found is None:
            return None
        found = np.triu(found, 1)
        found += found.T
        np.fill_diagonal(found, diagonal)
        return found


class SumsOfPairs(_OfPairs):
    """Sums of distances within and between clusters; with weights, of distances times those of both points."""

    def __init__(self, strips: Strips, masses: NDArray[Any], weights: Floats | None = None) -> None:
        super().__init__(strips, np.add, 0.0)
        self._masses, self._weights = masses, weights
        self.arrays |= {"within": np.zeros(masses.size), "between": np.zeros(())}

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        """See `Reducer`."""
        values = tables.get("pair sums")
        if clusters.start >= strip.clusters.stop:
            return
        if values is None:
            sums = tables["sums"] if self._weights is None else tables["sums"] * self._weights[strip.points]
            values = np.add.reduceat(sums, strip.bounds[:-1], axis=1)
        own, values, between = self._whole(strip, clusters, values)
        both, sums = self._diagonal(own, clusters, values)
        self.arrays["within"][both] = sums / 2
        self.arrays["between"] += values[between].sum()
        self._add_least((values / np.multiply.outer(self._masses[clusters], self._masses[own]))[between])

    @property
    def within(self) -> Floats:
        """Sum of the distances in each cluster."""
        return self.arrays["within"]

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        between, matrix = float(self.arrays["between"]), self.matrix(self.within)
        return {PairSums: PairSums(self._masses, self.within, between, self.smallest, matrix)}


class Closest(_OfPairs):
    """The least distance between clusters; `rooted` says whether roots are still to be taken."""

    def __init__(self, strips: Strips, rooted: bool) -> None:
        super().__init__(strips, np.minimum, np.inf)
        self._root: Any = np.sqrt if rooted else np.asarray

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        """See `Reducer`."""
        if "least" in tables:
            _, values, between = self._whole(strip, clusters, self._root(tables["least"]))
            self._add_least(values[between])

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        return {SingleLinkage: SingleLinkage(self.k, self.smallest, self.matrix())}


class Farthest(_OfPairs):
    """The largest distance within and between clusters."""

    def __init__(self, strips: Strips, rooted: bool) -> None:
        super().__init__(strips, np.maximum, 0.0)
        self._sizes, self._root = strips.sizes, np.sqrt if rooted else np.asarray
        self.arrays |= {"diameters": np.zeros(self.k), "most": np.zeros(())}

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        """See `Reducer`."""
        if "most" not in tables:
            return
        own, values, between = self._whole(strip, clusters, self._root(tables["most"]))
        both, most = self._diagonal(own, clusters, values)
        self.arrays["diameters"][both] = most
        self.arrays["most"][...] = max(self.arrays["most"], values.max(initial=0.0))
        self._add_least(values[between])

    @property
    def farthest(self) -> float:
        """The largest of all distances."""
        return float(self.arrays["most"])

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        return {
            Diameters: Diameters(self._sizes, self.arrays["diameters"]),
            CompleteLinkage: CompleteLinkage(self.k, self.smallest, self.matrix()),
        }


class Reach(_OfPairs):
    """How far clusters reach from others: Hausdorff distances; and how near the next other cluster is to each point."""

    def __init__(self, strips: Strips, rooted: bool) -> None:
        super().__init__(strips, np.maximum, 0.0)
        self._strips, self._root = strips, np.sqrt if rooted else np.asarray
        # Of the sorted points.
        self.arrays["closest"] = np.full(strips.order.size, np.inf)
        # Above the diagonal. Of each pair, one number is found with one cluster, and one with the other.
        self.arrays["reach"] = room_for((self.k, self.k), np.float64, MEMORY_LIMIT)
        self._is_kept = self.arrays.pop("matrix", None) is not None

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        """See `Reducer`; the least distances to the own cluster are lost."""
        near, mine = tables["near"], _of_own(strip, clusters)
        if mine is not None:
            near = near.copy()
            near[mine] = np.inf
        closest = self.arrays["closest"][strip.points]
        np.minimum(closest, self._root(near.min(axis=0)), out=closest)
        if mine is not None:
            near[mine] = 0.0
        values = self._root(np.maximum.reduceat(near, strip.bounds[:-1], axis=1))
        own, values, _ = self._whole(strip, clusters, values)
        for a, b, some in ((clusters, own, values), (own, clusters, values.T)):
            if a.start < b.stop:
                far = self.arrays["reach"][a, b]
                np.maximum(far, some, out=far)

    @property
    def closest(self) -> Floats:
        """The distance of each point to the nearest one of another cluster."""
        return self._strips.in_order_given(self.arrays["closest"])

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        for c in range(self.k - 1):
            self._add_least(self.arrays["reach"][c, c + 1 :])
        if self._is_kept:
            self.arrays["matrix"] = self.arrays["reach"]
        return {Hausdorff: Hausdorff(self.k, self.smallest, self.matrix())}


class OverallExtremes:
    """The least distance of all between clusters, and the diameters, where clusters are many; see `Wanted.overall`."""

    def __init__(self, strips: Strips, rooted: bool) -> None:
        self._sizes, self._root = strips.sizes, np.sqrt if rooted else np.asarray
        self.arrays = {"least": np.array(np.inf), "diameters": np.zeros(strips.sizes.size)}

    def add(self, meeting: Meeting, found: Any) -> None:
        """See `Fold`."""
        tables, _ = found
        least, same = self.arrays["least"], np.zeros(tables.least.shape, bool)
        if not meeting.is_between:
            rows, columns = (
                np.arange(s.clusters.start, s.clusters.stop) for s in (meeting.rows, meeting.columns)
            )
            same = rows[:, None] == columns
            i, j = np.nonzero(same)
            own = self.arrays["diameters"]
            own[rows[i]] = np.maximum(own[rows[i]], tables.most[i, j])
        least[...] = min(least, tables.least[~same].min(initial=np.inf))

    def export(self) -> Arrays:
        """See `Resumable`."""
        return {name: values.copy() for name, values in self.arrays.items()}

    def restore(self, saved: Arrays) -> None:
        """See `Resumable`."""
        self.arrays = saved

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        k, diameters = self._sizes.size, self._root(self.arrays["diameters"])
        smallest = float(self._root(self.arrays["least"])) if k > 1 else np.nan
        return {Diameters: Diameters(self._sizes, diameters), SingleLinkage: SingleLinkage(k, smallest, None)}
