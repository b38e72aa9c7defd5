"""The sums of the distances from each point to the points of each cluster."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.distances import Sweepable, Tables, Wanted
from adjudge.engines.pairs.layout import Task
from adjudge.engines.pairs.tasks import over_tasks
from adjudge.engines.points import CompiledEngine
from adjudge.engines.protocols import Work
from adjudge.engines.running.executor import Crew
from adjudge.given.point_options import PointOptions
from adjudge.statistics.pair_distances import Silhouettes

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
    layout, multiplied = work.layout, work.job.multiplies
    distances = work.products if multiplied else work.unranked
    sums = np.zeros((codes.size, sizes.size))
    with one_blas_thread():
        for task, found in over_tasks(distances, crew, _tables):
            g, h = task.rows, task.columns
            sums[g.points, h.clusters] += found.row_sums
            sums[h.points, g.clusters] += found.column_sums[:, : h.size].T
    placed = np.empty_like(sums)
    placed[np.ix_(layout.order, layout.clusters)] = sums
    return placed


def _tables(distances: Sweepable, task: Task) -> Tables:
    return distances.sweep(task, Wanted.of({Silhouettes}), None)
