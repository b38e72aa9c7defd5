"""Reducers of tables of points against all clusters, or of clusters against all others, to statistics.

A strip is taken once it has met all strips; strips come in their order. Of the last cluster of a strip, more points may
come with the next one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.strips import Meeting, Strip, Strips
from adjudge.engines.running.checkpoint import Arrays
from adjudge.given.large_arrays import MEMORY_LIMIT, room_for
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

    def take(self, strip: Strip, tables: Arrays) -> None:
        """Take a strip that has met all strips; the tables are not needed by anybody else afterwards."""
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
        n = codes.size
        self.arrays = {"own": np.zeros(n), "nearest": np.full(n, np.inf)}

    def take(self, strip: Strip, tables: Arrays) -> None:
        """See `Reducer`; sums to the own cluster are lost."""
        sums, masses = tables["sums"], self._masses
        points, mine = self.strips.order[strip.points], (strip.own, np.arange(strip.size))
        if self._single is not None:
            sums[self._single] = tables["near"][self._single] * masses[self._single]
        self.arrays["own"][points] = sums[mine]
        sums[mine] = np.inf
        nearest = np.full(strip.size, np.inf)
        for first in range(0, masses.size, _LINES):
            some = slice(first, first + _LINES)
            np.minimum(nearest, (sums[some] / masses[some, None]).min(axis=0), out=nearest)
        self.arrays["nearest"][points] = nearest

    @property
    def values(self) -> Floats:
        """The width of each point."""
        if self._masses.size == 1:
            return np.full(self._codes.size, np.nan)
        return silhouette_widths(self.arrays["own"], self._others, self.arrays["nearest"])

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        return {Silhouettes: Silhouettes(self._masses, self._codes, self.values)}


class _OfPairs:
    """Values of all pairs of clusters: the least of them, and a matrix if clusters are few."""

    def __init__(self, k: int, join: np.ufunc, empty: float) -> None:
        self.k, self._join, self._empty = k, join, empty
        # What was found for the points of a cluster of which more come with the next strip.
        self.arrays = {"least": np.array(np.inf), "waiting": np.full(k, empty)}
        if k <= MATRIX_CLUSTERS:
            self.arrays["matrix"] = np.zeros((k, k))

    def _whole(self, strip: Strip, values: Floats) -> tuple[slice, Floats, NDArray[np.bool_]]:
        """Return whole clusters, their values, (K, clusters), and which of these are between two, each once."""
        waiting = self.arrays["waiting"]
        values[:, 0] = self._join(values[:, 0], waiting)
        waiting[:] = values[:, -1] if strip.goes_on else self._empty
        own = slice(strip.clusters.start, strip.clusters.stop - strip.goes_on)
        values = values[:, : own.stop - own.start]
        if "matrix" in self.arrays:
            self.arrays["matrix"][:, own] = values
        return own, values, np.arange(self.k)[:, None] < np.arange(own.start, own.stop)

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
        super().__init__(masses.size, np.add, 0.0)
        self._masses, self._weights = masses, weights
        self.arrays |= {"within": np.zeros(masses.size), "between": np.zeros(())}

    def take(self, strip: Strip, tables: Arrays) -> None:
        """See `Reducer`."""
        values = tables.get("pair sums")
        if values is None:
            sums = tables["sums"] if self._weights is None else tables["sums"] * self._weights[strip.points]
            values = np.add.reduceat(sums, strip.bounds[:-1], axis=1)
        own, values, between = self._whole(strip, values)
        self.arrays["within"][own] = values[own].diagonal() / 2
        self.arrays["between"] += values[between].sum()
        self._add_least((values / np.multiply.outer(self._masses, self._masses[own]))[between])

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
        super().__init__(strips.sizes.size, np.minimum, np.inf)
        self._root: Any = np.sqrt if rooted else np.asarray

    def take(self, strip: Strip, tables: Arrays) -> None:
        """See `Reducer`."""
        _, values, between = self._whole(strip, self._root(tables["least"]))
        self._add_least(values[between])

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        return {SingleLinkage: SingleLinkage(self.k, self.smallest, self.matrix())}


class Farthest(_OfPairs):
    """The largest distance within and between clusters."""

    def __init__(self, strips: Strips, rooted: bool) -> None:
        super().__init__(strips.sizes.size, np.maximum, 0.0)
        self._sizes, self._root = strips.sizes, np.sqrt if rooted else np.asarray
        self.arrays |= {"diameters": np.zeros(self.k), "most": np.zeros(())}

    def take(self, strip: Strip, tables: Arrays) -> None:
        """See `Reducer`."""
        own, values, between = self._whole(strip, self._root(tables["most"]))
        self.arrays["diameters"][own] = values[own].diagonal()
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
        super().__init__(strips.sizes.size, np.maximum, 0.0)
        self._order, self._root = strips.order, np.sqrt if rooted else np.asarray
        self.arrays["closest"] = np.full(strips.order.size, np.inf)
        # Of each pair, one number is found with one cluster, and one with the other.
        if "matrix" not in self.arrays:
            self.arrays["reach"] = room_for((self.k, self.k), np.float64, MEMORY_LIMIT)
        self._far = self.arrays["matrix" if "matrix" in self.arrays else "reach"]

    def take(self, strip: Strip, tables: Arrays) -> None:
        """See `Reducer`; the least distances to the own cluster are lost."""
        near = tables["near"]
        near[strip.own, np.arange(strip.size)] = np.inf
        self.arrays["closest"][self._order[strip.points]] = self._root(near.min(axis=0))
        near[strip.own, np.arange(strip.size)] = 0.0
        values = self._root(np.maximum.reduceat(near, strip.bounds[:-1], axis=1))
        own, values, _ = self._whole(strip, values)
        self._far[:, own] = values

    @property
    def closest(self) -> Floats:
        """The distance of each point to the nearest one of another cluster."""
        return self.arrays["closest"]

    def made(self) -> Mapping[type, Any]:
        """See `Reducer`."""
        for c in range(self.k - 1):
            line = self._far[c, c + 1 :]
            np.maximum(line, self._far[c + 1 :, c], out=line)
            self._add_least(line)
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
