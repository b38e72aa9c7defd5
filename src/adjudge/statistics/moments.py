"""Statistics of points that need no pairs: sizes, centroids, scatter, distances to centroids.

Coordinates are kept relative to `origin`, a value of the data in each column: at an offset of 1e8, sums of raw
coordinates would lose half of their digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints, Matrix, Vector
from adjudge.blas import factorizing
from adjudge.given.input_kinds import Coordinates, Partition
from adjudge.kernels import few_points
from adjudge.kernels.centroids import spread
from adjudge.statistics.roots import is_singular, log_determinant, spanned_axes

#: Up to this many clusters, all pairs of centroids are compared for the largest overlaps.
FEW_CLUSTERS = 128


def need_coordinates(types: Iterable[type]) -> set[type]:
    """Return the statistics that need coordinates; the others need only distances, of any metric."""
    return {t for t in types if Coordinates in getattr(t, "made_from", ())}


def made_by_centroids(types: Iterable[type]) -> frozenset[type]:
    """Return the statistics made by passes over the points, which cost little compared with a pass over all pairs."""
    return frozenset(t for t in types if getattr(t, "made_by", "") == _OfCentroids.made_by)


class _OfCentroids:
    """A statistic made by passes over the points, without pairs."""

    made_from: ClassVar[tuple[type, ...]] = (Coordinates, Partition)
    made_by: ClassVar[str] = "centroids"


@dataclass(frozen=True, eq=False)
class Moments(_OfCentroids):
    """Sizes, centroids and sums of squares in each column; moments of parts of the data can be added.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    origin : ndarray of shape (p,)
        Point that the centroids are relative to.
    centroids : ndarray of shape (K, p)
        Relative to `origin`; zero for a cluster without points.
    squares : ndarray of shape (K, p)
        Sums of squared deviations from the cluster's centroid.
    """

    sizes: Ints
    origin: Vector
    centroids: Matrix
    squares: Matrix

    @classmethod
    def of_few(cls, X: NDArray[Any], labels: NDArray[Any]) -> Self | None:
        """Compute in one call what otherwise takes passes, for points so few that several calls would take longer."""
        sizes, table = few_points.moments(X, labels)
        if not sizes.size:
            return None
        k = sizes.size
        moments = cls(sizes.view(np.int64), table[0], table[3 : 3 + k], table[3 + k :])
        moments.__dict__["_spread"] = labels.size, table[1], table[2]
        return moments

    @property
    def n(self) -> int:
        """Points."""
        return self._spread[0]

    @property
    def k(self) -> int:
        """Clusters."""
        return int(self.sizes.size)

    @property
    def p(self) -> int:
        """Variables."""
        return int(self.origin.size)

    @property
    def degrees_within(self) -> float:
        """Degrees of freedom within clusters, N - K."""
        return self.n - self.k

    @property
    def degrees_between(self) -> float:
        """Degrees of freedom between clusters, K - 1."""
        return self.k - 1

    @property
    def centre(self) -> Vector:
        """Mean of all points, relative to `origin`."""
        return self._spread[1]

    @property
    def between_columns(self) -> Vector:
        """BGSS of each column."""
        return self._spread[2]

    @cached_property
    def _spread(self) -> tuple[int, Vector, Vector]:
        """Points, their centre, and BGSS of each column, together: for few clusters, NumPy calls would take longer."""
        centre, columns = np.empty((2, self.p))
        n = spread(self.sizes, np.ascontiguousarray(self.centroids), centre, columns)
        return int(n), centre, columns

    @property
    def total_columns(self) -> Vector:
        """TSS of each column, the sums of squared deviations from the centre."""
        return np.asarray(self.squares.sum(axis=0) + self.between_columns)

    @cached_property
    def within(self) -> float:
        """WGSS, the sum of squared distances of points to their own centroid."""
        return float(np.add.reduce(self.squares, None))

    @property
    def between(self) -> float:
        """BGSS, the weighted sum of squared distances of the centroids from the centre."""
        return float(np.add.reduce(self.between_columns))

    @property
    def dispersions(self) -> Vector:
        """WGSS of each cluster."""
        return np.asarray(self.squares.sum(axis=1))

    @property
    def cluster_variances(self) -> Matrix:
        """Variance of each column in each cluster."""
        return np.asarray(self.squares / self.sizes[:, None])

    @property
    def variances(self) -> Vector:
        """Variance of each column in the whole data."""
        return np.asarray(self.total_columns / self.n)

    def __add__(self, other: Self) -> Self:
        """Return the moments of the union of two sets of points with the same clusters (Chan's update)."""
        # The origins are values of the data: their difference is as exact as the data.
        shift = other.origin - self.origin
        sizes = self.sizes + other.sizes
        n, own, new = sizes[:, None], self.sizes[:, None], other.sizes[:, None]
        step = np.where(new > 0, other.centroids + shift, 0.0) - np.where(own > 0, self.centroids, 0.0)
        share = np.divide(new, n, out=np.zeros(n.shape), where=n > 0)
        return type(self)(
            sizes,
            self.origin,
            self.centroids + step * share,
            self.squares + other.squares + step**2 * (own * share),
        )


@dataclass(frozen=True, eq=False)
class Scatter(_OfCentroids):
    """The pooled within-cluster scatter matrix WG and the between-cluster scatter matrix BG, with their roots.

    Attributes
    ----------
    n, k : int
    within, between : ndarray of shape (p, p)
    root : ndarray of shape (p, p)
        R with R'R = WG; computed from the deviations themselves if WG is ill-conditioned.
    steps : ndarray of shape (m, p)
        S with S'S = BG: steps from the centre to each centroid, times the square root of the cluster's size.
    rounding : ndarray of shape (p,)
        What rounding of the data alone may add to the length of a column of deviations.
    """

    n: int
    k: int
    within: Matrix
    between: Matrix
    root: Matrix
    steps: Matrix
    rounding: Vector

    @property
    def total(self) -> Matrix:
        """The total scatter matrix T."""
        return np.asarray(self.within + self.between)

    @cached_property
    def log_det_within(self) -> float:
        """Logarithm of det WG; -inf if singular."""
        if is_singular(self.root, self.n - self.k, self.rounding):
            return -math.inf
        return log_determinant(self.root)

    @cached_property
    def log_det_total(self) -> float:
        """Logarithm of det T; -inf if singular, which requires that WG is singular."""
        root = np.vstack([self.root, self.steps])
        if self.log_det_within == -math.inf and is_singular(root, self.n - 1, self.rounding):
            return -math.inf
        return log_determinant(root)

    @cached_property
    def spanned(self) -> Self:
        """The same on the axes along which the points differ: the statistic itself, unless T is singular."""
        if self.log_det_total > -math.inf:
            return self
        axes = spanned_axes(np.vstack([self.root, self.steps]), self.n - 1, self.rounding)
        return replace(
            self,
            within=axes.T @ self.within @ axes,
            between=axes.T @ self.between @ axes,
            root=self.root @ axes,
            steps=self.steps @ axes,
            rounding=self.rounding @ np.abs(axes),
        )

    @property
    def discriminants(self) -> Vector:
        """Square roots of the eigenvalues of WG^-1 BG, if WG is not singular."""
        scale = np.sqrt(np.diag(self.within))
        with factorizing(self.root.shape[1]):
            steps = np.linalg.solve((self.root / scale).T, (self.steps / scale).T)
            return np.asarray(np.linalg.svd(steps, compute_uv=False))


@dataclass(frozen=True, eq=False)
class ClusterDeterminants(_OfCentroids):
    """Logarithms of det(WG_k / n_k); -inf if the cluster's scatter matrix is singular."""

    sizes: Ints
    logarithms: Vector


@dataclass(frozen=True, eq=False)
class EliminationSigns(_OfCentroids):
    """Signs that the determinants of the clusters' scatter matrices get if row exchanges are ignored.

    They are 1 for singular matrices. clusterCrit uses the product of the pivots as the determinant.
    """

    unweighed: ClassVar[str] = "signs of determinants"

    determinants: ClusterDeterminants
    signs: Ints


@dataclass(frozen=True, eq=False)
class _ToOwn(_OfCentroids):
    """Sizes, and for each cluster the sum of the distances of its points to its centroid."""

    sizes: Ints
    to_own: Vector

    @property
    def n(self) -> int:
        """Points."""
        return int(self.sizes.sum())

    @property
    def k(self) -> int:
        """Clusters."""
        return int(self.sizes.size)

    @property
    def mean_to_own(self) -> Vector:
        """Mean distance of each cluster's points to its centroid."""
        return np.asarray(self.to_own / self.sizes)


@dataclass(frozen=True, eq=False)
class CentroidDistances(_ToOwn):
    """Distances of points to their own centroid and to the centre, and the extreme distances between centroids.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    to_own : ndarray of shape (K,)
        Sum over the cluster's points of the distance to its centroid.
    to_centre : float
        Sum over all points of the distance to the centre of the data.
    smallest, largest : float
        Extreme distances between two centroids; nan for one cluster.
    smallest_pooled : float
        Smallest mean distance to the own centroid over the points of any two clusters; nan for one cluster.
    """

    to_centre: float
    smallest: float
    largest: float
    smallest_pooled: float


@dataclass(frozen=True, eq=False)
class CentroidSums(_OfCentroids):
    """Sum of the distances of each centroid to the others, over all pairs of centroids.

    Attributes
    ----------
    sums : ndarray of shape (K,)
    """

    sums: Vector


@dataclass(frozen=True, eq=False)
class CentroidOverlaps(_ToOwn):
    """The overlap of each cluster with another, measured from their centroids.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    to_own : ndarray of shape (K,)
        Sum over the cluster's points of the distance to its centroid.
    overlaps : ndarray of shape (K,)
        For each cluster the largest (r_k + r_l) / d(k, l) over the others l, where r is the mean distance to the own
        centroid; inf for coinciding centroids; 0 for one cluster. Quotients 0/0 are left out.
    coinciding : bool
        Whether a quotient was 0/0: two clusters, each of equal points, coincide.
    """

    overlaps: Vector
    coinciding: bool

    @classmethod
    def of_few(cls, X: NDArray[Any], labels: NDArray[Any]) -> Self | None:
        """Compute in one call what otherwise takes passes, for points so few that several calls would take longer."""
        sizes, (to_own, overlaps), coinciding = few_points.overlaps(X, labels, FEW_CLUSTERS)
        return cls(sizes.view(np.int64), to_own, overlaps, coinciding) if sizes.size else None


@dataclass(frozen=True, eq=False)
class CentroidRatios(_OfCentroids):
    """Sums over each cluster of d(point, own centroid) / d(point, nearest other centroid).

    A sum is nan if a point coincides with its own and with another centroid (0/0), and for one cluster.
    """

    sizes: Ints
    sums: Vector


@dataclass(frozen=True, eq=False)
class MidpointDensities(_OfCentroids):
    """Points near the middle between two centroids, compared with points near the centroids.

    Attributes
    ----------
    k : int
    radius : float
        Points closer than this count.
    ratio_sum : float
        Sum over pairs of clusters of density(midpoint) / max(density(centroid), density(centroid)); 0 if the
        midpoint's density is 0, inf if only the centroids' are.
    empty_pairs : int
        Pairs of clusters whose three densities are all 0.
    """

    unweighed: ClassVar[str] = "densities between centroids"

    k: int
    radius: float
    ratio_sum: float
    empty_pairs: int
