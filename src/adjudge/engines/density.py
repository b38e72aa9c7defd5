"""Statistics of points that need neighbours, trees or prototypes: which pass makes each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.running.crew import Crew
from adjudge.given.point_options import PointOptions
from adjudge.statistics.moments import Moments
from adjudge.statistics.neighbours import NeighbourLabels, Neighbours
from adjudge.statistics.prototypes import CentroidProfile, DistanceSquares, MedoidProfile, OutsideExtremes
from adjudge.statistics.reachability import NOT_SAMPLED, DensityTrees, LinkageGaps

__all__ = ["DENSITY_STATISTICS", "READ_MOMENTS", "DensityPass"]

#: What this module makes.
DENSITY_STATISTICS: frozenset[type] = NOT_SAMPLED | {CentroidProfile, DistanceSquares}
#: Those of them that read the moments of the points, where there are any.
READ_MOMENTS: frozenset[type] = frozenset({CentroidProfile, DistanceSquares})


@dataclass
class DensityPass:
    """Makes what is asked for of one partition, and what does not depend on the partition once for several."""

    X: Any
    options: PointOptions
    crew: Crew
    left_out: int = 0

    @cached_property
    def neighbours(self) -> Neighbours:
        """The nearest neighbours of all points."""
        from adjudge.engines.neighbours import nearest_neighbours

        return nearest_neighbours(self.X, self.options.metric, self.options.n_neighbors, self.crew)

    def make(self, types: set[type], codes: NDArray[np.int64], moments: Moments | None) -> dict[type, Any]:
        """Make statistics of a partition; `moments` are there where points have centroids."""
        from adjudge.engines import prototypes, reachability

        X, crew, options = self.X, self.crew, self.options
        metric = options.metric
        makers: dict[type, Callable[[], Any]] = {
            NeighbourLabels: lambda: NeighbourLabels.of(self.neighbours, codes),
            DensityTrees: lambda: reachability.density_trees(
                X,
                codes,
                metric,
                crew,
                left_out=self.left_out,
                dimension=options.dimension,
                tree=options.tree,
            ),
            LinkageGaps: lambda: reachability.linkage_gaps(X, codes, metric, crew),
            MedoidProfile: lambda: prototypes.medoid_profile(X, codes, metric, crew),
            OutsideExtremes: lambda: prototypes.outside_extremes(X, codes, metric, crew),
            DistanceSquares: lambda: prototypes.distance_squares(X, codes.size, metric, moments, crew),
            CentroidProfile: lambda: prototypes.centroid_profile(X, codes, moments, crew),
        }
        return {type_: make() for type_, make in makers.items() if type_ in types}
