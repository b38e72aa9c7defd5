"""Statistics of the N(N-1)/2 distances, one frozen type for each quantity that a criterion may need.

An index names the types it needs, and only these are computed. Matrices over pairs of clusters are kept for up to
`MATRIX_CLUSTERS` clusters; above that they are None, and only their reductions are available.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints, Matrix, Vector
from adjudge.given.input_kinds import Distances, Partition

MATRIX_CLUSTERS = 2048

Sizes = Ints


def pairs_within(sizes: Sizes) -> int:
    """Return N_W, the exact number of pairs of points within clusters."""
    return sum(s * (s - 1) // 2 for s in map(int, sizes))


def pairs_between(sizes: Sizes) -> int:
    """Return N_B, the exact number of pairs of points in different clusters."""
    n = int(sizes.sum())
    return n * (n - 1) // 2 - pairs_within(sizes)


def gathered(types: Iterable[type]) -> frozenset[str]:
    """Return what passes over all distances must gather for some statistics."""
    return frozenset[str]().union(*(getattr(t, "gathers", ()) for t in types))


class _OfDistances:
    """A statistic made by passes over all distances, of any metric.

    Attributes
    ----------
    gathers : frozenset of str
        What a pass gathers for it: "sums", for "sums of pairs" of clusters and "sums of points"; "extremes", and
        "minima of points"; or, from the ranks of the distances, "ranks", "ties" and "tails".
    """

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "distances"
    gathers: ClassVar[frozenset[str]]


@dataclass(frozen=True, eq=False)
class ClusterSizes:
    """Sizes of the clusters of any points.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    """

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "sizes"

    sizes: Sizes


@dataclass(frozen=True, eq=False)
class PairSums(_OfDistances):
    """Sums of distances within and between clusters.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    within : ndarray of shape (K,)
        Sum of the distances in each cluster.
    between : float
        S_B, the sum of all distances between clusters.
    smallest_mean : float
        Smallest mean distance between the points of two clusters (average linkage); nan for one cluster.
    matrix : ndarray of shape (K, K) or None
        Sums of distances for each pair of clusters, with `within` on the diagonal.
    """

    gathers: ClassVar[frozenset[str]] = frozenset({"sums", "sums of pairs"})

    sizes: Sizes
    within: Vector
    between: float
    smallest_mean: float
    matrix: Matrix | None

    @property
    def n_within(self) -> int:
        """N_W."""
        return pairs_within(self.sizes)

    @property
    def n_between(self) -> int:
        """N_B."""
        return pairs_between(self.sizes)

    @property
    def mean_within(self) -> Vector:
        """Mean distance in each cluster; nan for a single point."""
        pairs = self.pairs_of_cluster
        means = np.full(pairs.size, np.nan)
        return np.asarray(np.divide(self.within, pairs, out=means, where=pairs > 0))

    @property
    def pairs_of_cluster(self) -> Vector:
        """Pairs in each cluster."""
        return np.asarray(self.sizes * (self.sizes - 1) / 2)

    @property
    def means(self) -> Matrix | None:
        """Mean distances within and between clusters, nan for a single point; None if sums by pair are not kept."""
        if self.matrix is None:
            return None
        pairs = np.multiply.outer(self.sizes, self.sizes).astype(np.float64)
        np.fill_diagonal(pairs, self.pairs_of_cluster)
        return np.asarray(np.divide(self.matrix, pairs, out=np.full(pairs.shape, np.nan), where=pairs > 0))


@dataclass(frozen=True, eq=False)
class Silhouettes(_OfDistances):
    """Silhouette widths.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    codes : ndarray of int64 of shape (n,)
        Cluster of each point.
    values : ndarray of shape (n,)
        Width of each point, in input order; 0 for the only point of a cluster; nan if a point has distance 0 to
        all of its own and all of another cluster, and for one cluster.
    """

    gathers: ClassVar[frozenset[str]] = frozenset({"sums", "sums of points"})

    sizes: Sizes
    codes: Ints
    values: Vector

    @property
    def mean(self) -> float:
        """Mean width of all points."""
        return float(self.values.mean())

    @property
    def of_clusters(self) -> Vector:
        """Mean width of each cluster."""
        return np.asarray(np.bincount(self.codes, self.values, minlength=self.sizes.size) / self.sizes)


def silhouette_widths(own_sums: Vector, others: NDArray[Any], nearest: Vector) -> Vector:
    """Return the silhouette widths of points.

    Parameters
    ----------
    own_sums : ndarray of shape (n,)
        Sum of each point's distances to the others of its cluster.
    others : ndarray of shape (n,)
        Number of these others, or their weight.
    nearest : ndarray of shape (n,)
        Smallest mean distance to another cluster.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        own = own_sums / others
        widths = (nearest - own) / np.maximum(own, nearest)
    widths[others == 0] = 0.0
    return np.asarray(widths)


@dataclass(frozen=True, eq=False)
class Diameters(_OfDistances):
    """Largest distance in each cluster; 0 for a single point."""

    gathers: ClassVar[frozenset[str]] = frozenset({"extremes"})
    ignores_weights: ClassVar[bool] = True

    sizes: Sizes
    values: Vector


@dataclass(frozen=True, eq=False)
class _Linkage(_OfDistances):
    """A distance between clusters.

    Attributes
    ----------
    k : int
    smallest : float
        Smallest over all pairs of clusters; nan for one cluster.
    matrix : ndarray of shape (K, K) or None
        Distance for each pair; 0 on the diagonal.
    """

    ignores_weights: ClassVar[bool] = True

    k: int
    smallest: float
    matrix: Matrix | None


class SingleLinkage(_Linkage):
    """Distance between the closest points of two clusters (the separation matrix)."""

    gathers: ClassVar[frozenset[str]] = frozenset({"extremes"})


class CompleteLinkage(_Linkage):
    """Distance between the farthest points of two clusters."""

    gathers: ClassVar[frozenset[str]] = frozenset({"extremes"})


class Hausdorff(_Linkage):
    """Hausdorff distance between two clusters."""

    gathers: ClassVar[frozenset[str]] = frozenset({"extremes", "minima of points"})


@dataclass(frozen=True, eq=False)
class PairRanks(_OfDistances):
    """Comparisons of each within-cluster distance with each between-cluster distance, as exact integers.

    Attributes
    ----------
    n_within, n_between : int
    s_plus : int
        Comparisons in which the within-cluster distance is smaller.
    s_minus : int
        Comparisons in which it is larger.
    ties : int
        Comparisons of equal distances.
    unknown : int
        Comparisons within a bin of a histogram that were not resolved; 0 if the counts are exact.
    """

    unweighed: ClassVar[str] = "ranks of distances"

    gathers: ClassVar[frozenset[str]] = frozenset({"ranks"})

    n_within: int
    n_between: int
    s_plus: int
    s_minus: int
    ties: int
    unknown: int = 0

    @property
    def estimate(self) -> tuple[float, float]:
        """s+ and s-, if unresolved comparisons count half each."""
        return self.s_plus + self.unknown / 2, self.s_minus + self.unknown / 2

    def extremes(self) -> Iterator[PairRanks]:
        """Yield the counts as if all unresolved comparisons had the same result: +, - or tie."""
        if self.unknown:
            for name in ("s_plus", "s_minus", "ties"):
                yield replace(self, **{name: getattr(self, name) + self.unknown, "unknown": 0})


@dataclass(frozen=True, eq=False)
class DistanceTies(_OfDistances):
    """Pairs of equal distances among all (nu_1 of Kendall's tau): at least `tied`, at most `tied + unknown`."""

    unweighed: ClassVar[str] = "ties of distances"

    gathers: ClassVar[frozenset[str]] = frozenset({"ties"})

    tied: int
    unknown: int = 0

    def extremes(self) -> Iterator[DistanceTies]:
        """Yield the lowest and the highest possible counts."""
        if self.unknown:
            yield replace(self, unknown=0)
            yield DistanceTies(self.tied + self.unknown)


@dataclass(frozen=True, eq=False)
class TailSums(_OfDistances):
    """Sums of the N_W smallest and of the N_W largest of all distances.

    Attributes
    ----------
    n_within : int
    within : float
        S_W, the sum of the distances within clusters.
    smallest, largest : float
    """

    unweighed: ClassVar[str] = "sums of the smallest distances"

    gathers: ClassVar[frozenset[str]] = frozenset({"tails"})

    n_within: int
    within: float
    smallest: float
    largest: float

    def __post_init__(self) -> None:
        # Summed in a different order, they may pass S_W by a rounding error.
        object.__setattr__(self, "smallest", min(self.smallest, self.within))
        object.__setattr__(self, "largest", max(self.largest, self.within))
