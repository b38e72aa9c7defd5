"""Points sorted by cluster and cut into groups, tiles and tasks; nothing here depends on the number of threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.room import MEMORY_LIMIT, room_for
from adjudge.kernels.pair_tiles import ALIGNMENT, ROWS
from adjudge.statistics.pair_counts import sum_of_pairs

__all__ = ["Group", "Layout", "Task", "Tiles", "aligned_zeros"]

# Columns of a tile: a call for a tile has a fixed cost, but a tile of many dimensions must stay in cache.
_WIDE = 1024
_NARROW = 512
_FEW_DIMENSIONS = 16

# Clusters up to this size share a group, up to a number of points and of clusters: buffers are clusters x points.
_SMALL = 1024
_PACK_POINTS = 2048
_PACK_CLUSTERS = 256
# Entries of a buffer of rows x clusters.
_BUFFER = 1 << 20
# Coordinates read at a time from a memory map.
_READ = 1 << 21

Ints = NDArray[np.int64]


def aligned_zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return zeros that begin with a cache line."""
    n = int(np.prod(shape))
    room = np.zeros(n + ALIGNMENT)
    skip = -(room.ctypes.data // 8) % ALIGNMENT
    return room[skip : skip + n].reshape(shape)


@dataclass(frozen=True)
class Group:
    """A large cluster, or several small ones: a run of the sorted points.

    Attributes
    ----------
    number : int
    start, stop : int
        Sorted positions.
    first_cluster : int
        Rank of its first cluster.
    bounds : ndarray of shape (clusters + 1,)
        Where each cluster begins, from 0 to the number of points.
    """

    number: int
    start: int
    stop: int
    first_cluster: int
    bounds: Ints

    @property
    def size(self) -> int:
        """Points."""
        return self.stop - self.start

    @property
    def k(self) -> int:
        """Clusters."""
        return self.bounds.size - 1

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
    """Some rows of one group against the columns of another, or against the columns before them in the same group."""

    rows: Group
    columns: Group
    first: int
    last: int
    is_final: bool

    @property
    def diagonal(self) -> bool:
        """Whether both groups are one."""
        return self.rows.number == self.columns.number

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
        Code of each cluster by rank: large clusters first.
    sizes : ndarray of shape (K,)
        By rank.
    groups : tuple of Group
    """

    order: Ints
    clusters: Ints
    sizes: Ints
    groups: tuple[Group, ...]

    @classmethod
    def of(cls, codes: Ints, sizes: Ints) -> Layout:
        """Lay out points whose clusters are coded 0..K-1, none of them empty."""
        large = np.flatnonzero(sizes > _SMALL)
        clusters = np.concatenate([large, np.flatnonzero(sizes <= _SMALL)])
        rank = np.empty(sizes.size, np.int64)
        rank[clusters] = np.arange(sizes.size)
        by_rank = sizes[clusters]
        starts = np.concatenate([[0], np.cumsum(by_rank)])
        groups: list[Group] = []
        first = 0
        while first < clusters.size:
            last = first + 1
            if first >= large.size:
                limit = np.searchsorted(starts, starts[first] + _PACK_POINTS, "right") - 1
                last = int(min(max(limit, last), first + _PACK_CLUSTERS))
            bounds = starts[first : last + 1]
            groups.append(Group(len(groups), int(bounds[0]), int(bounds[-1]), first, bounds - bounds[0]))
            first = last
        # Codes of few clusters sort faster as short integers.
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

    def by_code(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return values of the clusters (by rank, along every axis) in the order of their codes."""
        ordered = np.empty_like(values)
        ordered[np.ix_(*[self.clusters] * values.ndim)] = values
        return ordered

    def tasks(self, most_pairs: int, *, whole_packs: bool) -> Iterator[Task]:
        """Cut the pairs of points into tasks of at most this many, as far as rows allow it.

        With `whole_packs` small clusters that share a group stay in one task, whose sums are then final.
        """
        for i, group in enumerate(self.groups):
            yield from _cut(group, group, most_pairs, whole_packs)
            for other in self.groups[i + 1 :]:
                # Rows are cut, so they come from the larger group; the smaller then fits a buffer.
                large, small = (group, other) if group.size >= other.size else (other, group)
                yield from _cut(large, small, most_pairs, whole_packs)


def _cut(rows: Group, columns: Group, most_pairs: int, whole_packs: bool) -> Iterator[Task]:
    step = rows.size
    if rows.k == 1 or not whole_packs:
        step = min(rows.size, most_pairs // columns.size, _BUFFER // columns.k)
        step = max(ROWS, step // ROWS * ROWS)
    for first in range(0, rows.size, step):
        last = min(first + step, rows.size)
        yield Task(rows, columns, first, last, last == rows.size)


@dataclass(frozen=True, eq=False)
class Tiles:
    """Coordinates of the sorted points, tile by tile, dimension by dimension; the dimension is made even.

    Attributes
    ----------
    values : ndarray of shape (tiles, p, columns)
    widths : ndarray of shape (tiles,)
        Points in each tile.
    first : ndarray of shape (groups + 1,)
        First tile of each group: a tile never straddles two groups.
    """

    values: NDArray[np.float64]
    widths: Ints
    first: Ints

    @classmethod
    def of(
        cls,
        X: NDArray[Any],
        layout: Layout,
        memory_limit: int = MEMORY_LIMIT,
        prepare: Callable[[NDArray[Any]], NDArray[Any]] = np.asarray,
    ) -> Tiles:
        """Copy the points, in double precision and prepared row by row; beyond the limit to a temporary file."""
        p = np.asarray(prepare(X[:1])).shape[1]
        tile = _WIDE if p <= _FEW_DIMENSIONS else _NARROW
        counts = np.array([-(-g.size // tile) for g in layout.groups])
        first = np.concatenate([[0], np.cumsum(counts)])
        shape = int(first[-1]), p + p % 2, tile
        mapped = isinstance(X, np.memmap)
        # In double precision points may outgrow what memory they came in.
        spills = mapped or (X.itemsize < 8 and 8 * int(np.prod(shape, dtype=object)) > memory_limit)
        values = np.asarray(room_for(shape, np.float64, memory_limit)) if spills else aligned_zeros(shape)
        starts: list[Ints] = []
        widths = np.empty(int(first[-1]), np.int64)
        for group, start, count in zip(layout.groups, first, counts, strict=False):
            # Tiles of equal width: a last tile of few points would cost as much as a full one.
            share = -(-group.size // count)
            share += -share % ALIGNMENT
            edges = group.start + np.minimum(np.arange(count + 1) * share, group.size)
            widths[start : start + count] = np.diff(edges)
            starts.append(edges[:-1])
        if mapped:
            _scatter(X, layout.order, np.concatenate(starts), values, prepare)
        else:
            for t, begin in enumerate(np.concatenate(starts)):
                positions = layout.order[begin : begin + widths[t]]
                values[t, :p, : positions.size] = prepare(X[positions]).T
        return cls(values, widths, first)

    def rows(self, group: Group, first: int, last: int) -> NDArray[np.float64]:
        """Return some points of a group, a row each; rows of zeros make their number a multiple of `ROWS`."""
        tiles, widths = self.of_group(group)
        n = last - first
        rows = np.zeros((-(-n // ROWS) * ROWS, tiles.shape[1]))
        # All tiles of a group but the last are of one width.
        width = int(widths[0])
        for t in range(first // width, (last - 1) // width + 1):
            start, stop = max(first, t * width), min(last, (t + 1) * width)
            rows[start - first : stop - first] = tiles[t, :, start - t * width : stop - t * width].T
        return rows

    def of_group(self, group: Group) -> tuple[NDArray[np.float64], Ints]:
        """Return tiles and widths of a group."""
        run = slice(self.first[group.number], self.first[group.number + 1])
        return self.values[run], self.widths[run]


def _scatter(
    X: NDArray[Any],
    order: Ints,
    starts: Ints,
    tiles: NDArray[np.float64],
    prepare: Callable[[NDArray[Any]], NDArray[Any]],
) -> None:
    """Fill tiles that begin at sorted positions, reading the points once in the order of the file."""
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    step = max(1, _READ // X.shape[1])
    for first in range(0, order.size, step):
        positions = place[first : first + step]
        # Of several tiles that begin at one position all but the last are empty.
        tile = np.searchsorted(starts, positions, "right") - 1
        prepared = prepare(X[first : first + step])
        tiles[tile, : prepared.shape[1], positions - starts[tile]] = prepared
