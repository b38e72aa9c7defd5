"""Points sorted by cluster and cut into strips, whose pairs are the tasks; nothing here depends on the threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels.pair_tiles import ROWS
from adjudge.statistics.pair_counts import sum_of_pairs
from adjudge.statistics.pair_distances import MATRIX_CLUSTERS

__all__ = ["Layout", "Strip", "Task", "points_of_block", "strip_points"]

# Strips to aim for, and their size: a pair is a few milliseconds' work, and threads get several. Of millions of points
# they are larger: other machines return a number for each point of a pair.
_STRIPS, _MANY_STRIPS = 24, 300
_LEAST_POINTS, _MOST_POINTS, _VERY_MANY_POINTS = 1 << 11, 1 << 13, 1 << 15
# Points of a strip whose distances to another are a block: 16 MiB of doubles. If each is a call of a function, which
# may take long, they are few: nothing is saved, and nothing stops, before the end of a task.
_BLOCK_POINTS = 1448
_LEAST_CALLS, _MOST_CALLS = 16, 32
# Clusters of a strip: tables are clusters x points.
_CLUSTERS = 256
# Single-point clusters get strips of their own if they are more than this fraction of the points, and no matrix over
# pairs of clusters is kept.
_MANY_SINGLE = 1 / 32
_SINGLE_POINTS = 1 << 11

Ints = NDArray[np.int64]


def strip_points(n: int) -> int:
    """Return how many of n points a strip may have."""
    share = min(max(-(-n // _STRIPS), _LEAST_POINTS), _MOST_POINTS)
    return max(share, min(n // _MANY_STRIPS, _VERY_MANY_POINTS))


def points_of_block(n: int, calls: bool) -> int:
    """Return how many of n points a strip may have if distances come block by block, or call by call."""
    points = min(max(-(-n // _STRIPS), _LEAST_CALLS), _MOST_CALLS) if calls else _BLOCK_POINTS
    return min(strip_points(n), points)


@dataclass(frozen=True)
class Strip:
    """Some whole clusters, or a part of a large one: a run of the sorted points.

    Attributes
    ----------
    number : int
    start, stop : int
        Sorted positions.
    first_cluster : int
        Rank of its first cluster.
    bounds : ndarray of shape (clusters + 1,)
        Where each cluster begins, from 0 to the number of points.
    part, parts : int
        Which part of a large cluster it is, and the number of parts.
    is_single : bool
        Whether its clusters have one point each and tables treat them as one.
    """

    number: int
    start: int
    stop: int
    first_cluster: int
    bounds: Ints
    part: int = 0
    parts: int = 1
    is_single: bool = False

    @property
    def size(self) -> int:
        """Points."""
        return self.stop - self.start

    @property
    def k(self) -> int:
        """Clusters."""
        return self.bounds.size - 1

    @property
    def table_bounds(self) -> Ints:
        """Where each cluster of the tables begins; single points together are one."""
        return np.array([0, self.size]) if self.is_single else self.bounds

    @property
    def table_k(self) -> int:
        """Number of clusters that tables distinguish."""
        return 1 if self.is_single else self.k

    @property
    def is_whole(self) -> bool:
        """Whether its clusters have no points elsewhere."""
        return self.parts == 1

    @property
    def is_last(self) -> bool:
        """Whether no further part of its cluster follows."""
        return self.part == self.parts - 1

    def as_one(self) -> Strip:
        """Return a strip with the same points as one cluster."""
        return replace(self, bounds=np.array([0, self.size]))

    @property
    def sizes(self) -> Ints:
        """Sizes of the clusters, or of the part."""
        return np.diff(self.bounds)

    @property
    def clusters(self) -> slice:
        """Ranks of its clusters."""
        return slice(self.first_cluster, self.first_cluster + self.k)

    @property
    def points(self) -> slice:
        """Sorted positions of its points."""
        return slice(self.start, self.stop)


@dataclass(frozen=True)
class Task:
    """All rows of one strip, or some, against the columns of another, or against the earlier ones of the same.

    Attributes
    ----------
    rows, columns : Strip
        The columns are not before the rows: if one of them is in parts, the rows are; single points are columns.
    first, last : int
        The range of rows.
    """

    rows: Strip
    columns: Strip
    first: int
    last: int

    @property
    def diagonal(self) -> bool:
        """Whether both strips are the same."""
        return self.rows.number == self.columns.number

    @property
    def strips(self) -> tuple[Strip, ...]:
        """Its strips, each once."""
        return (self.rows,) if self.diagonal else (self.rows, self.columns)

    def between_strips(self) -> Task:
        """Return a task in which each strip counts as a single cluster."""
        return replace(self, rows=self.rows.as_one(), columns=self.columns.as_one())

    @property
    def in_one_cluster(self) -> bool:
        """Whether all points are in one cluster."""
        return self.rows.k == self.columns.k == 1 and self.rows.first_cluster == self.columns.first_cluster

    @property
    def pairs(self) -> int:
        """Distances."""
        n = self.last - self.first
        if self.diagonal:
            return n * self.first + n * (n - 1) // 2
        return n * self.columns.size

    @property
    def pairs_within(self) -> int:
        """Distances within clusters."""
        if self.in_one_cluster:
            return self.pairs
        if not self.diagonal:
            return 0
        rows = np.arange(self.first, self.last)
        return int((rows - self.rows.bounds[np.searchsorted(self.rows.bounds, rows, "right") - 1]).sum())


@dataclass(frozen=True, eq=False)
class Layout:
    """The order in which points are visited.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Input position of each sorted point.
    clusters : ndarray of shape (K,)
        Code of each cluster by rank: those in parts first, single points last if they are many.
    sizes : ndarray of shape (K,)
        Sizes of the clusters by rank.
    strips : tuple of Strip
    """

    order: Ints
    clusters: Ints
    sizes: Ints
    strips: tuple[Strip, ...]

    @classmethod
    def of(cls, codes: Ints, sizes: Ints, most: int | None = None) -> Layout:
        """Lay out points whose clusters are coded 0..K-1, none of them empty, in strips of at most `most`."""
        most = strip_points(codes.size) if most is None else most
        large, single = np.flatnonzero(sizes > most), np.flatnonzero(sizes == 1)
        if sizes.size <= MATRIX_CLUSTERS or single.size <= _MANY_SINGLE * codes.size:
            single = single[:0]
        others = np.flatnonzero((sizes <= most) & (sizes > 1 if single.size else True))
        clusters = np.concatenate([large, others, single])
        rank = np.empty(sizes.size, np.int64)
        rank[clusters] = np.arange(sizes.size)
        # If clusters are few, their codes sort faster as short integers.
        ranked = rank[codes].astype(np.uint16) if sizes.size < 1 << 16 else rank[codes]
        by_rank = sizes[clusters]
        strips = tuple(_strips(np.concatenate([[0], np.cumsum(by_rank)]), large.size, single.size, most))
        return cls(np.argsort(ranked, kind="stable"), clusters, by_rank, strips)

    @property
    def n_pairs(self) -> int:
        """N_T."""
        return self.order.size * (self.order.size - 1) // 2

    @property
    def n_within(self) -> int:
        """N_W."""
        return sum_of_pairs(self.sizes, self.order.size)

    @property
    def n_between(self) -> int:
        """N_B."""
        return self.n_pairs - self.n_within

    def emptied(self) -> Layout:
        """Return a layout of no points."""
        nothing = np.empty(0, np.int64)
        return Layout(nothing, nothing, nothing, ())

    def by_code(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the clusters (by rank, along every axis) in the order of their codes."""
        ordered = np.empty_like(values)
        ordered[np.ix_(*[self.clusters] * values.ndim)] = values
        return ordered

    def tasks(self, most_pairs: int | None = None) -> Iterator[Task]:
        """Pair each strip with itself and with those after it; cut pairs into tasks of at most `most_pairs`."""
        for i, rows in enumerate(self.strips):
            for columns in self.strips[i:]:
                step = rows.size if most_pairs is None else most_pairs // columns.size // ROWS * ROWS
                for first in range(0, rows.size, max(ROWS, step)):
                    yield Task(rows, columns, first, min(first + max(ROWS, step), rows.size))


def _strips(starts: Ints, n_large: int, n_single: int, most: int) -> Iterator[Strip]:
    """Yield the strips of clusters that begin at some sorted positions: large ones first, single points last."""
    n = starts.size - 1 - n_single
    number = first = 0
    while first < n:
        if first < n_large:
            start, size = int(starts[first]), int(starts[first + 1] - starts[first])
            parts = -(-size // most)
            for part, (a, b) in enumerate(pairwise(start + size * i // parts for i in range(parts + 1))):
                yield Strip(number, a, b, first, np.array([0, b - a]), part, parts)
                number += 1
            first += 1
            continue
        last = int(np.searchsorted(starts, starts[first] + most, "right")) - 1
        last = min(max(last, first + 1), first + _CLUSTERS, n)
        bounds = starts[first : last + 1]
        yield Strip(number, int(bounds[0]), int(bounds[-1]), first, bounds - bounds[0])
        first, number = last, number + 1
    for first in range(n, starts.size - 1, _SINGLE_POINTS):
        size, start = min(_SINGLE_POINTS, starts.size - 1 - first), int(starts[first])
        yield Strip(number, start, start + size, first, np.arange(size + 1), is_single=True)
        number += 1
