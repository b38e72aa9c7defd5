"""The sums of the distances from each point to the points of each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.distances import Wanted
from adjudge.engines.pairs.meetings import fold_meetings
from adjudge.engines.pairs.open_tables import Meet, OpenTables
from adjudge.engines.pairs.strips import Strip, Strips
from adjudge.engines.points import CompiledEngine
from adjudge.engines.protocols import Work
from adjudge.engines.running.checkpoint import Arrays
from adjudge.engines.running.executor import Crew
from adjudge.given.point_options import PointOptions

__all__ = ["sums_to_clusters"]


def sums_to_clusters(
    X: Any, codes: NDArray[np.int64], metric: Any, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Sum the distances from each point to each cluster, computing each distance once.

    Parameters
    ----------
    X : ndarray of shape (n, p), sparse matrix, or distances of shape (n, n)
        Checked.
    codes : ndarray of int64 of shape (n,)
        Clusters, coded 0..K-1 without gaps, each with at least two points.
    metric : str or callable
    n_jobs : int, optional
        Threads; -1 and the default mean one per core.

    Returns
    -------
    ndarray of shape (n, K)
    """
    sizes = np.bincount(codes)
    crew = Crew.of(n_jobs, None)
    # Workers would have to send back sums for all points, so everything stays in this process.
    crew.workers = None
    work = Work(X, codes, sizes, PointOptions(metric=metric), crew, CompiledEngine())
    distances = work.products if work.job.multiplies else work.unranked
    reducer = _Sums(distances.strips)
    fold = OpenTables(distances.strips, [reducer], by_point=True)
    with one_blas_thread():
        fold_meetings(distances, crew, Meet(Wanted(sums=True), None), fold)
    return reducer.arrays["sums"]


class _Sums:
    """The tables themselves, point by point; see `Reducer`."""

    def __init__(self, strips: Strips) -> None:
        self._order = strips.order
        self.arrays = {"sums": np.empty((strips.order.size, strips.sizes.size))}

    def take(self, strip: Strip, clusters: slice, tables: Arrays) -> None:
        self.arrays["sums"][self._order[strip.points], clusters] = tables["sums"].T

    def made(self) -> dict[type, Any]:
        return {}
