"""Points sorted by cluster and cut into groups and tasks; nothing here depends on the number of threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels.pair_tiles import ROWS
from adjudge.statistics.pair_counts import sum_of_pairs
from adjudge.statistics.pair_distances import MATRIX_CLUSTERS

__all__ = [
    "Group",
    "Layout",
    "Parcel",
    "Span",
    "Task",
    "span_points",
]


# Clusters up to this size share a group, up to a number of points and of clusters: buffers are clusters x points.
_SMALL = 1024
_PACK_POINTS = 2048
_PACK_CLUSTERS = 256
# Single-point clusters get groups of their own if they are more than this fraction of the points, and no matrix over
# pairs of clusters is kept.
_MANY_SINGLE = 1 / 32
# Entries of a buffer of rows x clusters.
_BUFFER = 1 << 20

# Maximum size of a span, which another machine reads as a whole: large enough for two spans to take most of a second,
# and small enough for many machines to get some. Minimum size, and the number of spans to aim for with fewer points.
_MOST_IN_SPAN = 1 << 15
_LEAST_IN_SPAN = 1 << 13
_SPANS = 12

Ints = NDArray[np.int64]


def span_points(n: int) -> int:
    """Return how many of n points a span may have."""
    return min(max(-(-n // _SPANS), _LEAST_IN_SPAN), _MOST_IN_SPAN)


@dataclass(frozen=True)
class Group:
    """A large cluster, a part of a very large one, or several small ones: a run of the sorted points.

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
        Which part of a very large cluster it is, and the number of parts.
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

    def as_one(self) -> Group:
        """Return a group with the same points as one cluster."""
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
class Span:
    """Neighbouring groups with a limited number of points, or a part of a cluster by itself.

    Attributes
    ----------
    number : int
    groups : tuple of Group
    """

    number: int
    groups: tuple[Group, ...]

    @property
    def start(self) -> int:
        """Sorted position of its first point."""
        return self.groups[0].start

    @property
    def points(self) -> slice:
        """Sorted positions of its points."""
        return slice(self.start, self.groups[-1].stop)

    @property
    def size(self) -> int:
        """Points."""
        return self.groups[-1].stop - self.start

    @property
    def part_of(self) -> int | None:
        """Rank of the cluster that it is a part of; None if its clusters are whole."""
        return None if self.groups[0].is_whole else self.groups[0].first_cluster

    @property
    def is_last(self) -> bool:
        """Whether no further part of its cluster follows."""
        return self.groups[0].part == self.groups[0].parts - 1

    def holds(self, group: Group) -> bool:
        """Return whether a group is in the span."""
        return self.groups[0].number <= group.number <= self.groups[-1].number


@dataclass(frozen=True)
class Parcel:
    """All pairs of two spans, or of one: the unit of work that is sent to another machine."""

    rows: Span
    columns: Span

    @property
    def spans(self) -> tuple[Span, ...]:
        """Its spans, each once."""
        return (self.rows,) if self.rows.number == self.columns.number else (self.rows, self.columns)

    @property
    def is_last(self) -> bool:
        """Whether no further parts of the clusters are compared."""
        return self.rows.is_last and self.columns.is_last

    @property
    def pairs(self) -> int:
        """Distances."""
        n = self.rows.size
        return n * self.columns.size if len(self.spans) == 2 else n * (n - 1) // 2

    def tasks(self, most_pairs: int, *, whole_packs: bool) -> Iterator[Task]:
        """Cut the pairs into tasks; see `Layout.tasks`."""
        for g in self.rows.groups:
            for h in self.columns.groups:
                if h.number == g.number:
                    yield from self._cut(g, g, most_pairs, whole_packs)
                elif h.number > g.number:
                    # Rows are cut, so they come from the larger group; the smaller then fits a buffer. If a cluster
                    # is in parts, all parts are rows. Single points are columns: tables hold more of these.
                    swapped = h.size > g.size if g.is_whole and h.is_whole else g.is_whole
                    swapped = swapped and not (h.is_single and not g.is_single)
                    rows, columns = (h, g) if swapped else (g, h)
                    yield from self._cut(rows, columns, most_pairs, whole_packs)

    def _cut(self, rows: Group, columns: Group, most_pairs: int, whole_packs: bool) -> Iterator[Task]:
        step = rows.size
        if rows.table_k == 1 or not whole_packs:
            step = min(rows.size, most_pairs // columns.size, _BUFFER // columns.table_k)
            step = max(ROWS, step // ROWS * ROWS)
        ends = rows.number, columns.number
        last_of_all = {self.rows.groups[-1].number, self.columns.groups[-1].number} == {*ends}
        for first in range(0, rows.size, step):
            last = min(first + step, rows.size)
            is_final = last == rows.size
            yield Task(rows, columns, first, last, is_final, self, is_final and last_of_all)


@dataclass(frozen=True)
class Task:
    """Some rows of one group against the columns of another, or against the earlier columns of the same group.

    Attributes
    ----------
    rows, columns : Group
    first, last : int
        The range of rows.
    is_final : bool
        Whether these are the last rows for the two groups.
    parcel : Parcel
        The parcel that the task belongs to.
    ends_parcel : bool
        Whether it is the last task of its parcel.
    """

    rows: Group
    columns: Group
    first: int
    last: int
    is_final: bool
    parcel: Parcel
    ends_parcel: bool

    @property
    def diagonal(self) -> bool:
        """Whether both groups are the same."""
        return self.rows.number == self.columns.number

    def between_groups(self) -> Task:
        """Return a task in which each group counts as a single cluster."""
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
        starts = self.rows.bounds[
            np.searchsorted(self.rows.bounds, np.arange(self.first, self.last), "right") - 1
        ]
        return int((np.arange(self.first, self.last) - starts).sum())


@dataclass(frozen=True, eq=False)
class Layout:
    """The order in which points are visited.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Input position of each sorted point.
    clusters : ndarray of shape (K,)
        Code of each cluster by rank: large clusters first, single points last if they are many.
    sizes : ndarray of shape (K,)
        Sizes of the clusters by rank.
    groups : tuple of Group
    """

    order: Ints
    clusters: Ints
    sizes: Ints
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, codes: Ints, sizes: Ints) -> Layout:
        """Lay out points whose clusters are coded 0..K-1, none of them empty."""
        large, single = np.flatnonzero(sizes > _SMALL), np.flatnonzero(sizes == 1)
        if sizes.size <= MATRIX_CLUSTERS or single.size <= _MANY_SINGLE * codes.size:
            single = single[:0]
        small = np.flatnonzero((sizes <= _SMALL) & (sizes > 1 if single.size else True))
        clusters = np.concatenate([large, small, single])
        rank = np.empty(sizes.size, np.int64)
        rank[clusters] = np.arange(sizes.size)
        by_rank = sizes[clusters]
        starts = np.concatenate([[0], np.cumsum(by_rank)])
        groups: list[Group] = []
        first = 0
        while first < clusters.size - single.size:
            last = first + 1
            if first >= large.size:
                limit = np.searchsorted(starts, starts[first] + _PACK_POINTS, "right") - 1
                most = min(first + _PACK_CLUSTERS, clusters.size - single.size)
                last = int(min(max(limit, last), most))
            groups += _groups(first, starts[first : last + 1], len(groups), codes.size)
            first = last
        for first in range(clusters.size - single.size, clusters.size, _PACK_POINTS):
            n = min(_PACK_POINTS, clusters.size - first)
            start = int(starts[first])
            groups.append(Group(len(groups), start, start + n, first, np.arange(n + 1), is_single=True))
        # If clusters are few, their codes sort faster as short integers.
        ranked = rank[codes].astype(np.uint16) if sizes.size < 1 << 16 else rank[codes]
        return cls(np.argsort(ranked, kind="stable"), clusters, by_rank, tuple(groups))

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

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """Runs of groups that are sent together."""
        most = span_points(self.order.size)
        runs: list[list[Group]] = []
        held = 0
        for group in self.groups:
            if not runs or held + group.size > most or not (group.is_whole and runs[-1][-1].is_whole):
                runs.append([])
                held = 0
            runs[-1].append(group)
            held += group.size
        return tuple(Span(i, tuple(run)) for i, run in enumerate(runs))

    def parcels(self) -> Iterator[Parcel]:
        """Pair each span with itself and with those after it."""
        for i, span in enumerate(self.spans):
            for other in self.spans[i:]:
                yield Parcel(span, other)

    def tasks(self, most_pairs: int, *, whole_packs: bool) -> Iterator[Task]:
        """Cut the pairs of points, parcel by parcel, into tasks of at most this many, if rows are short enough.

        With `whole_packs`, small clusters that share a group stay in one task, whose sums are then final.
        """
        for parcel in self.parcels():
            yield from parcel.tasks(most_pairs, whole_packs=whole_packs)


def _groups(cluster: int, bounds: Ints, number: int, n: int) -> list[Group]:
    """Make one group of some clusters, or several of one cluster that is larger than a span."""
    start, size = int(bounds[0]), int(bounds[-1] - bounds[0])
    parts = -(-size // span_points(n)) if bounds.size == 2 else 1
    if parts == 1:
        return [Group(number, start, start + size, cluster, bounds - start)]
    edges = [start + size * i // parts for i in range(parts + 1)]
    return [
        Group(number + i, a, b, cluster, np.array([0, b - a]), i, parts)
        for i, (a, b) in enumerate(pairwise(edges))
    ]
