"""Density-based validity of clusters: minimum spanning trees under mutual reachability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.given.input_kinds import Distances, Partition
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.prototypes import MedoidProfile, OutsideExtremes


@dataclass(frozen=True, eq=False, slots=True)
class DensityTrees:
    """What the minimum spanning trees of the clusters say about their density.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    codes : ndarray of int64 of shape (n,)
        Cluster of each point.
    left_out : int
        Points in no cluster, which were left out: noise.
    core : ndarray of shape (n,)
        Core distance of each point within its cluster; 0 if another point of the cluster coincides with it.
    inner : ndarray of bool of shape (n,)
        Whether the point has more than one edge in its cluster's tree (every point, if no point of the cluster has).
    hangs_on : ndarray of int64 of shape (n,)
        For each point that is not inner, its only neighbour in the tree; for inner points, the point itself.
    sparseness : ndarray of shape (K,)
        Longest inner edge of each tree; nan for a cluster of one point.
    separation : ndarray of shape (n,)
        Smallest mutual reachability distance from each inner point to inner points of another cluster; nan for points
        that are not inner.
    dimension : float
        Number of variables; nan if unknown, in which case the trees are unknown, too.
    """

    unweighed: ClassVar[str] = "trees of densities"

    sizes: Ints
    codes: Ints
    left_out: int
    core: Floats
    inner: Bools
    hangs_on: Ints
    sparseness: Floats
    separation: Floats
    dimension: float

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"
    leaves_noise_out: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ("dimension", "tree")

    @property
    def separations(self) -> Floats:
        """Smallest separation of each cluster's inner points; nan for a cluster of one point."""
        found = np.full(self.sizes.size, np.inf)
        np.fmin.at(found, self.codes, self.separation)
        return np.where(self.sizes > 1, found, np.nan)

    @property
    def validity(self) -> Floats:
        """Validity of each cluster; 0 for a cluster of one point, as for noise."""
        return np.where(self.sizes > 1, contrast(self.separations, self.sparseness), 0.0)

    @property
    def of_points(self) -> Floats:
        """Validity at each point.

        For an inner point, it compares its own separation with its cluster's sparseness, so the validity of a cluster
        is the least over its inner points. A leaf of the tree has the value of the point that it hangs on; the only
        point of a cluster has 0.
        """
        values = contrast(self.separation, self.sparseness[self.codes])[self.hangs_on]
        return np.where(self.sizes[self.codes] > 1, values, 0.0)


def contrast(separation: Any, sparseness: Any) -> Floats:
    """Return the difference of two distances in units of the larger one; nan if both are 0."""
    larger = np.fmax(separation, sparseness)
    with np.errstate(invalid="ignore"):
        return np.asarray((separation - sparseness) / larger)


@dataclass(frozen=True, eq=False, slots=True)
class DensityConnections:
    """How well each point, noise included, is placed by density connectivity.

    Attributes
    ----------
    min_points : int
        Points within the core distance, including the point itself.
    of_points : ndarray of shape (n,)
        Score of each point, from -1 to 1; empty if there are fewer than `min_points`.
    """

    unweighed: ClassVar[str] = "connections by density"

    min_points: int
    of_points: Floats

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"
    reads_noise: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ("min_points",)

    @property
    def details(self) -> dict[str, Floats]:
        """The scores, if there are any."""
        return {"disco_scores": self.of_points} if self.of_points.size else {}


@dataclass(frozen=True, eq=False, slots=True)
class LinkageGaps:
    """The longest edge of the minimum spanning tree within each cluster: how close it is to splitting in two.

    Attributes
    ----------
    sizes : ndarray of int64 of shape (K,)
    values : ndarray of shape (K,)
        0 for a cluster of one point.
    """

    unweighed: ClassVar[str] = "gaps between points"

    sizes: Ints
    values: Floats

    made_from: ClassVar[tuple[type, ...]] = (Distances, Partition)
    made_by: ClassVar[str] = "density"


#: Statistics that a sample does not estimate, because its points lie farther apart than those of the whole data.
NOT_SAMPLED: frozenset[type] = frozenset(
    {DensityConnections, DensityTrees, LinkageGaps, MedoidProfile, NeighbourLabels, OutsideExtremes}
)
