"""Statistics of weighted points: those of plain points, with weights in place of sizes.

A cluster of weight W has ``W - 1`` degrees of freedom if weights count instances, and ``W - sum(w**2) / W`` if they are
sampling weights: twice the weight of its pairs, over W. All ones give N - K within clusters in both cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge.array_types import Vector
from adjudge.given.input_kinds import Coordinates, Distances, Partition, Weights
from adjudge.statistics.moments import (
    CentroidDistances,
    CentroidOverlaps,
    CentroidRatios,
    CentroidSums,
    ClusterDeterminants,
    Moments,
    Scatter,
)
from adjudge.statistics.pair_distances import ClusterSizes, PairSums, Silhouettes


class _OfWeightedCentroids:
    """A statistic made by passes over weighted points."""

    made_from: ClassVar[tuple[type, ...]] = (Coordinates, Partition, Weights)
    made_by: ClassVar[str] = "centroids"


class _Weighed(_OfWeightedCentroids):
    """Clusters whose sizes are weights."""

    sizes: Any

    @property
    def n(self) -> float:
        """W, which takes the place of the number of points."""
        return float(self.sizes.sum())


@dataclass(frozen=True, eq=False)
class WeightedMoments(_Weighed, Moments):  # type: ignore[misc]
    """Weights, centroids and sums of squares in each column.

    Attributes
    ----------
    degrees : ndarray of shape (K,)
        Degrees of freedom of each cluster.
    degrees_in_all : float
        Degrees of freedom of all points together.
    """

    degrees: Vector
    degrees_in_all: float

    @property
    def degrees_within(self) -> float:
        """Takes the place of N - K."""
        return float(self.degrees.sum())

    @property
    def degrees_between(self) -> float:
        """Takes the place of K - 1."""
        return self.degrees_in_all - self.degrees_within


class WeightedScatter(_OfWeightedCentroids, Scatter):
    """Scatter matrices of weighted points; `n` is their total weight."""


class WeightedDeterminants(_OfWeightedCentroids, ClusterDeterminants):
    """Determinants of weighted points; `sizes` are weights."""


class WeightedCentroidDistances(_Weighed, CentroidDistances):  # type: ignore[misc]
    """Distances of weighted points to centroids: sums and means are weighted."""


class WeightedCentroidSums(_OfWeightedCentroids, CentroidSums):
    """Sums of distances between centroids that are weighted means."""


class WeightedCentroidOverlaps(_Weighed, CentroidOverlaps):  # type: ignore[misc]
    """Overlaps of clusters whose radii are weighted means."""


class WeightedCentroidRatios(_OfWeightedCentroids, CentroidRatios):
    """Weighted sums of the ratios of distances to centroids."""


class _OfWeightedPairs:
    """A statistic of all distances between weighted points, of any metric."""

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition, Weights)
    made_by: ClassVar[str] = "weights"


@dataclass(frozen=True, eq=False)
class WeightedClusterSizes(ClusterSizes):
    """Weights of the clusters."""

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition, Weights)

    sizes: Vector  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class WeightedPairSums(_OfWeightedPairs, PairSums):
    """Sums of distances, each multiplied by the weights of its points.

    Attributes
    ----------
    pairs : ndarray of shape (K,)
        Weight of the pairs in each cluster.
    """

    sizes: Vector  # type: ignore[assignment]
    pairs: Vector

    @property
    def n_within(self) -> float:  # type: ignore[override]
        """Weight of the pairs within clusters."""
        return float(self.pairs.sum())

    @property
    def n_between(self) -> float:  # type: ignore[override]
        """Weight of the pairs between clusters."""
        before = np.cumsum(self.sizes) - self.sizes
        return float(self.sizes @ before)

    @property
    def pairs_of_cluster(self) -> Vector:
        """Weight of the pairs in each cluster."""
        return self.pairs


@dataclass(frozen=True, eq=False)
class WeightedSilhouettes(_OfWeightedPairs, Silhouettes):
    """Silhouette widths from weighted mean distances.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Weights of the points.
    """

    sizes: Vector  # type: ignore[assignment]
    weights: Vector

    @property
    def mean(self) -> float:
        """Weighted mean width of all points."""
        return float(np.average(self.values, weights=self.weights))

    @property
    def of_clusters(self) -> Vector:
        """Weighted mean width of each cluster."""
        sums = np.bincount(self.codes, self.weights * self.values, minlength=self.sizes.size)
        return np.asarray(sums / self.sizes)
