"""The M nearest neighbours of each point, and which clusters they belong to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.input_kinds import Distances, Partition

__all__ = ["NeighbourLabels", "Neighbours"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Neighbours:
    """The exact nearest neighbours of each point.

    Attributes
    ----------
    positions : ndarray of int64 of shape (n, M)
        Nearest first; among equally near points, the one that comes first in the input. M is at most n - 1.
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
    """

    unweighed: ClassVar[str] = "nearest neighbours"

    neighbours: Neighbours
    codes: Ints
    sizes: Ints

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"

    @classmethod
    def of(cls, neighbours: Neighbours, codes: Ints) -> NeighbourLabels:
        """Look up the clusters of the neighbours."""
        return cls(neighbours, codes, np.bincount(codes))

    @property
    def n(self) -> int:
        """Points."""
        return int(self.codes.size)

    def same(self, n_neighbors: int) -> NDArray[np.bool_]:
        """Return whether each nearest neighbour lies in the point's own cluster, of shape (n, n_neighbors)."""
        return np.asarray(self.labels(n_neighbors) == self.codes[:, None])

    def labels(self, n_neighbors: int) -> Ints:
        """Return the clusters of the nearest neighbours, of shape (n, n_neighbors)."""
        return np.asarray(self.codes[self.neighbours.positions[:, : self._checked(n_neighbors)]])

    def distances(self, n_neighbors: int) -> Floats:
        """Return the distances of the nearest neighbours, of shape (n, n_neighbors)."""
        return self.neighbours.distances[:, : self._checked(n_neighbors)]

    def _checked(self, n_neighbors: int) -> int:
        if n_neighbors > self.neighbours.asked:
            raise InputError(
                f"{n_neighbors} neighbours are needed, but only {self.neighbours.asked} were computed: pass ",
                Option("n_neighbors", n_neighbors),
            )
        return n_neighbors
