"""What indices of soft clusterings read."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal, Self

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.input_kinds import Coordinates
from adjudge.given.memberships import Memberships, PredictedMemberships, SoftClusters
from adjudge.kernels.elementary import logarithms

TNorm = Literal["min", "product"]

# Instances in a block of pairs, times all instances.
_BLOCK = 1 << 22
# Entries that stay in a processor's cache.
_IN_CACHE = 1 << 16


@dataclass(frozen=True, eq=False, slots=True)
class MembershipSums:
    """Sums over the clusters of each instance of one soft clustering.

    Attributes
    ----------
    squares : ndarray of shape (n,)
        Sum of the squared memberships of each instance.
    entropies : ndarray of shape (n,)
        Entropy of the memberships of each instance, in nats.
    n_clusters : int
    """

    made_from: ClassVar[tuple[type, ...]] = (SoftClusters,)

    squares: Floats
    entropies: Floats
    n_clusters: int

    @classmethod
    def make(cls, given: Memberships) -> Self:
        """Sum over the clusters."""
        u = given.values
        logs = np.where(u > 0, logarithms(u), 0.0)
        return cls((u * u).sum(axis=1), np.abs((u * logs).sum(axis=1)), given.n_clusters)

    @property
    def n(self) -> int:
        """Number of instances."""
        return self.squares.size


@dataclass(frozen=True, eq=False)
class SoftPairs:
    """Two soft clusterings of the same instances, summed over pairs of instances when an index asks.

    Attributes
    ----------
    first, second : ndarray of shape (n, K) and (n, L)
        Memberships.
    """

    made_from: ClassVar[tuple[type, ...]] = (SoftClusters, PredictedMemberships)

    first: Floats
    second: Floats
    _known: dict[TNorm, tuple[float, float, float, float]] = field(default_factory=dict, repr=False)

    @classmethod
    def make(cls, first: Memberships, second: Memberships) -> Self:
        """Keep the memberships."""
        return cls(first.values, second.values)

    @property
    def n(self) -> int:
        """Number of instances."""
        return int(self.first.shape[0])

    @cached_property
    def differences(self) -> Floats:
        """Sums, for each instance, of how much the clusterings differ on how alike it is to each other one.

        Two instances are as alike as 1 minus half the sum of the differences of their memberships.
        """
        from scipy.spatial.distance import cdist

        found = np.zeros(self.n)
        for block in self._blocks(_IN_CACHE):
            # Each block meets itself and the later instances, which get their share of the pairs at once.
            apart, other = (cdist(u[block], u[block.start :], "cityblock") for u in (self.first, self.second))
            apart -= other
            np.abs(apart, out=apart)
            found[block] += apart.sum(axis=1)
            found[block.stop :] += apart[:, block.stop - block.start :].sum(axis=0)
        return found / 2

    def joined(self, t_norm: TNorm) -> tuple[float, float, float, float]:
        """Return how far pairs are joined in both clusterings, in the first only, the second only, and in neither.

        Parameters
        ----------
        t_norm : {"min", "product"}
            How two memberships are combined.
        """
        if t_norm in self._known:
            return self._known[t_norm]
        sums: list[list[float]] = [[], [], [], []]
        later = np.arange(self.n)
        for block in self._blocks(_BLOCK):
            parts = [_same_and_different(u[block], u, t_norm) for u in (self.first, self.second)]
            once = later[None, :] > later[block, None]
            for where, (one, other) in enumerate(((0, 0), (0, 1), (1, 0), (1, 1))):
                both = _combined(parts[0][one], parts[1][other], t_norm)
                sums[where] += (both * once).sum(axis=1).tolist()
        a, b, c, d = (math.fsum(own) for own in sums)
        self._known[t_norm] = a, b, c, d
        return a, b, c, d

    def _blocks(self, entries: int) -> Iterator[slice]:
        height = max(1, entries // self.n)
        return (slice(start, min(start + height, self.n)) for start in range(0, self.n, height))


def _combined(one: Floats, other: Floats, t_norm: TNorm) -> Floats:
    return np.minimum(one, other) if t_norm == "min" else one * other


def _same_and_different(block: Floats, others: Floats, t_norm: TNorm) -> tuple[Floats, Floats]:
    """Return how far two instances are in one cluster, and in two clusters, at the best choice of these."""
    same = np.zeros((block.shape[0], others.shape[0]))
    for k in range(block.shape[1]):
        np.maximum(same, _combined(block[:, k, None], others[None, :, k], t_norm), out=same)
    if block.shape[1] == 1:
        return same, np.zeros_like(same)
    # Of different clusters, the two largest memberships of each instance are enough.
    (first, largest, second), (other_first, other_largest, other_second) = map(_two_largest, (block, others))
    apart = _combined(largest[:, None], other_largest[None, :], t_norm)
    crossed = np.maximum(
        _combined(largest[:, None], other_second[None, :], t_norm),
        _combined(second[:, None], other_largest[None, :], t_norm),
    )
    return same, np.where(first[:, None] != other_first[None, :], apart, crossed)


def _two_largest(u: Floats) -> tuple[Ints, Floats, Floats]:
    """Return the cluster of the largest membership, and the two largest memberships."""
    rows, first = np.arange(u.shape[0]), u.argmax(axis=1)
    rest = u.copy()
    rest[rows, first] = -1.0
    return first, u[rows, first], rest.max(axis=1)


@dataclass(frozen=True, eq=False, slots=True)
class PointMemberships:
    """Silhouette widths of the likeliest clusters, and the two largest memberships of each instance.

    Attributes
    ----------
    widths : ndarray of shape (n,)
        0 for an instance that is alone in its cluster.
    largest, second : ndarray of shape (n,)
    n_clusters : int
        Number of clusters that are the likeliest of some instance.
    """

    made_from: ClassVar[tuple[type, ...]] = (SoftClusters, Coordinates)

    widths: Floats
    largest: Floats
    second: Floats
    n_clusters: int

    @classmethod
    def make(cls, given: Memberships, points: Floats) -> Self:
        """Sum the distances of each point to those of each cluster, in blocks of points."""
        from scipy.spatial.distance import cdist

        u = given.values
        known, codes = np.unique(u.argmax(axis=1), return_inverse=True)
        _, largest, second = _two_largest(u if u.shape[1] > 1 else np.column_stack([u, np.zeros(u.shape[0])]))
        n, k = u.shape[0], known.size
        if k < 2:
            return cls(np.zeros(n), largest, second, k)
        one_hot = (codes[:, None] == np.arange(k)).astype(np.float64)
        sizes, rows = one_hot.sum(axis=0), np.arange(n)
        sums = np.empty((n, k))
        height = max(1, _BLOCK // n)
        for start in range(0, n, height):
            block = slice(start, start + height)
            sums[block] = cdist(points[block], points) @ one_hot
        own = sums[rows, codes] / np.maximum(sizes[codes] - 1, 1)
        means = sums / sizes
        means[rows, codes] = np.inf
        nearest = means.min(axis=1)
        larger = np.maximum(own, nearest)
        widths = np.divide(nearest - own, larger, where=larger > 0, out=np.zeros(n))
        return cls(np.where(sizes[codes] > 1, widths, 0.0), largest, second, k)
