"""The M nearest neighbours of each point, and which clusters they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import InputError, Option, UndefinedStatisticError
from adjudge.given.input_kinds import Distances, Partition

# Distances that differ by no more than rounding are equal.
_SAME = 1e-12
# Distances that are held at a time, and those that are looked at for points that are equally near.
_BLOCK = 1 << 21
_MOST_LOOKED_AT = 1_000_000_000


@dataclass(frozen=True, eq=False, slots=True)
class Neighbours:
    """The exact nearest neighbours of each point.

    Attributes
    ----------
    positions : ndarray of int64 of shape (n, M)
        Nearest first; among equally near points, the one that comes first in the input. M is what was asked for, or one
        more for ties, and n - 1 at most.
    distances : ndarray of shape (n, M)
    asked : int
        How many neighbours were requested.
    sharpness : dict of int to ndarray of shape (n,)
        How fast the weights fall for each number of neighbours, once an index has fitted it, for any partition.
    """

    positions: Ints
    distances: Floats
    asked: int
    sharpness: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)

    made_from: ClassVar[tuple[type, ...]] = (Distances,)

    @property
    def n(self) -> int:
        """Points."""
        return int(self.positions.shape[0])


@dataclass(frozen=True, eq=False, slots=True)
class NeighbourLabels:
    """The clusters of each point's nearest neighbours.

    Attributes
    ----------
    neighbours : Neighbours
    codes : ndarray of int64 of shape (n,)
        Cluster of each point.
    sizes : ndarray of int64 of shape (K,)
    distances_from : callable
        Returns the distances from some points, by their positions, to all points, of shape (m, n).
    """

    unweighed: ClassVar[str] = "nearest neighbours"

    neighbours: Neighbours
    codes: Ints
    sizes: Ints
    distances_from: Callable[[Ints], Floats]

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"

    @classmethod
    def of(
        cls, neighbours: Neighbours, codes: Ints, distances_from: Callable[[Ints], Floats]
    ) -> NeighbourLabels:
        """Look up the clusters of the neighbours."""
        return cls(neighbours, codes, np.bincount(codes), distances_from)

    @property
    def n(self) -> int:
        """Points."""
        return int(self.codes.size)

    def same(self, n_neighbors: int) -> Bools:
        """Return whether each nearest neighbour lies in the point's own cluster, of shape (n, n_neighbors)."""
        return np.asarray(self.labels(n_neighbors) == self.codes[:, None])

    def labels(self, n_neighbors: int) -> Ints:
        """Return the clusters of the nearest neighbours, of shape (n, n_neighbors)."""
        return np.asarray(self.codes[self.neighbours.positions[:, : self._checked(n_neighbors)]])

    def distances(self, n_neighbors: int) -> Floats:
        """Return the distances of the nearest neighbours, of shape (n, n_neighbors)."""
        return self.neighbours.distances[:, : self._checked(n_neighbors)]

    def ties(self, n_neighbors: int) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Share the last places among the nearest neighbours between all points that are equally near.

        Yields
        ------
        rows : ndarray of int64 of shape (m,)
            Points whose last neighbour is as near as others that are left out.
        inside : ndarray of int64 of shape (m,)
            How many of the neighbours are nearer than it.
        shares : ndarray of float64 of shape (m, K)
            The share of each cluster in the other places, which add up to ``n_neighbors - inside``.

        Raises
        ------
        UndefinedStatisticError
            If there are too many such points to look at all that are equally near.
        """
        known = self.neighbours.distances
        if known.shape[1] <= n_neighbors:
            return
        last = known[:, n_neighbors - 1]
        tied = np.flatnonzero(known[:, n_neighbors] <= last * (1 + _SAME))
        if tied.size * self.n > _MOST_LOOKED_AT:
            raise UndefinedStatisticError(
                f"too many neighbours are equally near: the last of {n_neighbors} neighbours is as near as others for "
                f"{tied.size} points"
            )
        k = self.sizes.size
        step = max(1, _BLOCK // self.n)
        for first in range(0, tied.size, step):
            rows = tied[first : first + step]
            near = known[rows, :n_neighbors] < (last[rows] * (1 - _SAME))[:, None]
            inside = near.sum(axis=1)
            gaps = np.abs(self.distances_from(rows) - last[rows][:, None])
            row, place = np.nonzero(gaps <= (last[rows] * _SAME)[:, None])
            counts = np.bincount(row * k + self.codes[place], minlength=rows.size * k).reshape(-1, k)
            yield rows, inside, counts * ((n_neighbors - inside) / counts.sum(axis=1))[:, None]

    def _checked(self, n_neighbors: int) -> int:
        if n_neighbors > self.neighbours.asked:
            raise InputError(
                f"{n_neighbors} neighbours are needed, but only {self.neighbours.asked} were computed: pass ",
                Option("n_neighbors", n_neighbors),
            )
        return n_neighbors
