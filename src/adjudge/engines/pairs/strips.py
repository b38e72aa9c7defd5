"""Points sorted by cluster and cut into strips, and the meetings of two strips; nothing here depends on the threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from adjudge.kernels.pair_tiles import ROWS
from adjudge.statistics.pair_counts import sum_of_pairs

__all__ = ["Meeting", "Strip", "Strips", "points_of_block", "strip_points"]

# Strips to aim for, and their size: a meeting is a few milliseconds' work, and threads get several. Of millions of
# points they are larger: other machines return a number for each point that meets a cluster.
_STRIPS, _MANY_STRIPS = 24, 300
_LEAST_POINTS, _MOST_POINTS, _VERY_MANY_POINTS = 1 << 11, 1 << 13, 1 << 15
# Points of a strip whose distances to another are a block: 8 MiB of doubles. If each is a call of a function, which may
# take long, they are few: nothing is saved, and nothing stops, before the end of a meeting.
_BLOCK_POINTS = 1024
_LEAST_CALLS, _MOST_CALLS = 16, 32
# Clusters of a strip: what a meeting finds has a line for each.
_CLUSTERS = 256

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
    """A run of the points sorted by cluster.

    Attributes
    ----------
    number : int
    start, stop : int
        Sorted positions.
    first_cluster : int
    bounds : ndarray of shape (clusters + 1,)
        Where each cluster begins, from 0 to the number of points.
    goes_on : bool
        Whether the next strip has more points of the last cluster.
    """

    number: int
    start: int
    stop: int
    first_cluster: int
    bounds: Ints
    goes_on: bool

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
        """Its clusters."""
        return slice(self.first_cluster, self.first_cluster + self.k)

    @property
    def points(self) -> slice:
        """Sorted positions of its points."""
        return slice(self.start, self.stop)

    @property
    def own(self) -> Ints:
        """The cluster of each point."""
        return np.repeat(np.arange(self.first_cluster, self.first_cluster + self.k), np.diff(self.bounds))

    def as_one(self) -> Strip:
        """Return a strip with the same points as one cluster."""
        return replace(self, bounds=np.array([0, self.size]))


@dataclass(frozen=True)
class Meeting:
    """All rows of one strip, or some, against the columns of another, or against the earlier ones of the same.

    Attributes
    ----------
    rows, columns : Strip
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

    @property
    def shift(self) -> int:
        """What to add to the position of a row's cluster for that of the same cluster among the columns'."""
        return self.rows.first_cluster - self.columns.first_cluster

    @property
    def row_clusters(self) -> Ints:
        """The cluster of each row, numbered within its strip."""
        return np.searchsorted(self.rows.bounds, np.arange(self.first, self.last), "right") - 1

    @property
    def is_between(self) -> bool:
        """Whether no cluster has points in both strips."""
        a, b = self.rows.clusters, self.columns.clusters
        return bool(a.stop <= b.start or b.stop <= a.start)

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
        own = self.row_clusters
        if self.diagonal:
            return int((np.arange(self.first, self.last) - self.rows.bounds[own]).sum())
        sizes, there = np.diff(self.columns.bounds), own + self.shift
        return int(sizes[there[(there >= 0) & (there < sizes.size)]].sum())


@dataclass(frozen=True, eq=False)
class Strips:
    """The order in which points are visited.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Input position of each sorted point.
    sizes : ndarray of shape (K,)
        Sizes of the clusters.
    each : tuple of Strip
    """

    order: Ints
    sizes: Ints
    each: tuple[Strip, ...]

    @classmethod
    def of(cls, codes: Ints, sizes: Ints, most: int | None = None) -> Strips:
        """Sort points whose clusters are coded 0..K-1, none of them empty; cut them into strips of at most `most`."""
        most = strip_points(codes.size) if most is None else most
        # If clusters are few, their codes sort faster as short integers.
        short = codes.astype(np.uint16) if sizes.size < 1 << 16 else codes
        starts = np.concatenate([[0], np.cumsum(sizes)])
        return cls(np.argsort(short, kind="stable"), sizes, tuple(_cut(starts, most)))

    @property
    def n_pairs(self) -> int:
        """N_T."""
        return self.order.size * (self.order.size - 1) // 2

    @cached_property
    def n_within(self) -> int:
        """N_W."""
        return sum_of_pairs(self.sizes, self.order.size)

    @property
    def n_between(self) -> int:
        """N_B."""
        return self.n_pairs - self.n_within

    def in_order_given(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the sorted points in input order."""
        found = np.empty_like(values)
        found[self.order] = values
        return found

    def emptied(self) -> Strips:
        """Return strips of no points."""
        nothing = np.empty(0, np.int64)
        return Strips(nothing, nothing, ())

    def meetings(self, most_pairs: int | None = None) -> Iterator[Meeting]:
        """Let each strip meet itself and those after it; cut meetings into some of at most `most_pairs`."""
        for i, rows in enumerate(self.each):
            for columns in self.each[i:]:
                step = rows.size if most_pairs is None else most_pairs // columns.size // ROWS * ROWS
                for first in range(0, rows.size, max(ROWS, step)):
                    yield Meeting(rows, columns, first, min(first + max(ROWS, step), rows.size))


def _cut(starts: Ints, most: int) -> Iterator[Strip]:
    """Yield the strips of sorted points, given where clusters begin."""
    n = int(starts[-1])
    # Of about the same size: a last strip of few points costs as much as a full one.
    step = -(-n // -(-n // most)) if n else 0
    number = start = 0
    while start < n:
        first = int(np.searchsorted(starts, start, "right")) - 1
        stop = min(start + step, n, int(starts[min(first + _CLUSTERS, starts.size - 1)]))
        last = int(np.searchsorted(starts, stop, "left"))
        bounds = np.clip(starts[first : last + 1], start, stop) - start
        yield Strip(number, start, stop, first, bounds, bool(starts[last] > stop))
        start, number = stop, number + 1
