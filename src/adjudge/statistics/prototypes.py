"""Distances of each point to the centroids or medoids of the clusters, and to the points of other clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.input_kinds import Coordinates, Distances, Partition


def widths(own: Floats, other: Floats) -> Floats:
    """Return the silhouette widths (b - a) / max(a, b); 0 if both are 0."""
    larger = np.maximum(own, other)
    out = np.zeros(own.size)
    return np.asarray(np.divide(other - own, larger, out=out, where=larger > 0))


@dataclass(frozen=True, eq=False, slots=True)
class CentroidProfile:
    """Distances of each point to its own and to the nearest other centroid.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    codes : ndarray of int64 of shape (n,)
    own, other : ndarray of shape (n,)
        Distance to the own centroid, and to the nearest other one; the latter is inf for one cluster.
    own_square, other_square : ndarray of shape (n,)
        Mean squared distance to the other points of the own cluster, and the smallest mean to another cluster's points.
    """

    unweighed: ClassVar[str] = "distances to the nearest centroid"

    sizes: Ints
    codes: Ints
    own: Floats
    other: Floats
    own_square: Floats
    other_square: Floats

    made_from: ClassVar[tuple[type, ...]] = (Coordinates, Partition)
    made_by: ClassVar[str] = "centroids"


@dataclass(frozen=True, eq=False, slots=True)
class MedoidProfile:
    """Distances of each point to its own and to the nearest other medoid.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    codes : ndarray of int64 of shape (n,)
    medoids : ndarray of int64 of shape (K,)
        The point of each cluster with the smallest sum of distances to the others; the first among ties.
    own, other : ndarray of shape (n,)
    """

    unweighed: ClassVar[str] = "medoids"

    sizes: Ints
    codes: Ints
    medoids: Ints
    own: Floats
    other: Floats

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"


@dataclass(frozen=True, eq=False, slots=True)
class OutsideExtremes:
    """Distances between points and clusters that they do not belong to.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    nearest : ndarray of shape (n,)
        Distance of each point to the nearest point of another cluster; inf for one cluster.
    least_reach : ndarray of shape (K,)
        For each cluster, the minimum over all points outside it of the largest distance to its points; inf for one
        cluster.
    """

    unweighed: ClassVar[str] = "shares of the closest points"

    sizes: Ints
    nearest: Floats
    least_reach: Floats

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"


@dataclass(frozen=True, eq=False, slots=True)
class DistanceSquares:
    """Sum of the squares of all distances between points.

    Attributes
    ----------
    total : float
    """

    unweighed: ClassVar[str] = "sums of squared distances"

    total: float

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"
