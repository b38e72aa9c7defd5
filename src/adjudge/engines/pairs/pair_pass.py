"""One pass over all distances: the reducers that it needs, and the statistics that they make."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.distances import Sweepable, Wanted
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.meetings import Fold, fold_meetings
from adjudge.engines.pairs.open_tables import Meet, OpenTables
from adjudge.engines.pairs.reducers import (
    Closest,
    Farthest,
    OverallExtremes,
    Reach,
    Reducer,
    SumsOfPairs,
    Widths,
)
from adjudge.engines.pairs.strips import Strips
from adjudge.engines.running.executor import Crew
from adjudge.given.weights import PointWeights
from adjudge.statistics.pair_distances import (
    MATRIX_CLUSTERS,
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
)

__all__ = ["PairPass", "run_pairs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class PairPass:
    """The statistics that one pass over all distances makes.

    Parameters
    ----------
    strips : Strips
    types : set of type
    codes : ndarray of shape (n,)
    roots : bool
        Whether square roots of extremes have to be taken.
    histogram : Histogram or None
    weights : PointWeights or None
    single : int or None
        See `Widths`.
    """

    def __init__(
        self,
        strips: Strips,
        types: set[type],
        codes: Ints,
        roots: bool = False,
        histogram: Histogram | None = None,
        weights: PointWeights | None = None,
        single: int | None = None,
    ) -> None:
        self.types, self.strips, sizes = types, strips, strips.sizes
        masses: NDArray[Any] = sizes
        others: NDArray[Any] = sizes[codes] - 1
        of_points = None
        if weights is not None:
            masses, others = weights.of_clusters(codes), weights.others(codes)
            of_points = weights.values[strips.order]
        if single is not None:
            masses, others = np.where(np.arange(sizes.size) == single, 1, sizes), others * (codes != single)
        overall = sizes.size > MATRIX_CLUSTERS and types <= {Diameters, SingleLinkage}
        self.sums = SumsOfPairs(strips, masses, of_points) if PairSums in types else None
        self.closest = Closest(strips, roots) if SingleLinkage in types and not overall else None
        is_far = bool(types & {Diameters, CompleteLinkage}) and not overall
        self.farthest = Farthest(strips, roots) if is_far else None
        self.reach = Reach(strips, roots) if Hausdorff in types else None
        # The last, since it overwrites the sums.
        self.widths = Widths(strips, codes, masses, others, single) if Silhouettes in types else None
        self.overall = OverallExtremes(strips, roots) if overall else None
        self.wanted = Wanted(
            sums=self.sums is not None or self.widths is not None,
            extremes=self.closest is not None or self.farthest is not None or overall,
            minima=self.reach is not None or single is not None,
            overall=overall,
            weights=of_points,
        )
        self.histogram = histogram
        every: tuple[Reducer | None, ...] = (self.sums, self.closest, self.farthest, self.reach, self.widths)
        self.reducers = [reducer for reducer in every if reducer is not None]

    @property
    def fold(self) -> Fold:
        """What accumulates the results of the meetings."""
        if self.overall is not None:
            return self.overall
        by_point = self.widths is not None
        return OpenTables(self.strips, self.reducers, by_point, self.histogram, self.wanted.weights)

    def statistics(self) -> dict[type, Any]:
        """Make the requested statistics, with clusters by code and points in input order."""
        found: dict[type, Any] = {}
        for reducer in self.reducers:
            found |= reducer.made()
        if self.overall is not None:
            found |= self.overall.made()
        return {type_: found[type_] for type_ in self.types if type_ in found}


def run_pairs(
    distances: Sweepable,
    types: set[type],
    codes: Ints,
    crew: Crew,
    histogram: Histogram | None = None,
    weights: PointWeights | None = None,
    single: int | None = None,
) -> PairPass:
    """Reduce all distances to what the types need, and count them in the histogram."""
    # If only extremes are needed, roots are taken of the few that remain.
    roots = distances.squared and histogram is None and not types & {PairSums, Silhouettes}
    state = PairPass(distances.strips, types, codes, roots, histogram, weights, single)
    fold_meetings(distances, crew, Meet(state.wanted, histogram), state.fold, threads=distances.in_threads)
    return state
