"""The sum of the distances from each point to all others, with each distance computed once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.euclidean_embeddings import image_of
from adjudge.engines.pairs.layout import Layout
from adjudge.engines.pairs.sources import tiles_of
from adjudge.engines.pairs.sweep import run_pairs
from adjudge.engines.running.executor import Crew
from adjudge.given.point_options import PointOptions
from adjudge.statistics.pair_distances import Silhouettes

__all__ = ["sums_of_distances"]

Floats = NDArray[np.float64]


def sums_of_distances(points: Floats, crew: Crew) -> Floats:
    """Sum the Euclidean distances from each point to the others, as silhouettes do for a single cluster.

    Parameters
    ----------
    points : ndarray of shape (n, p)
    crew : Crew
        Advanced by n distances for each point. Everything stays in this process.
    """
    n, told = points.shape[0], 0

    def tell(done: int, _total: int) -> None:
        nonlocal told
        crew.advance(2 * (done - told))
        told = done

    layout = Layout.of(np.zeros(n, np.int64), np.array([n]))
    tiles = tiles_of(points, layout, PointOptions(), image_of(points, "euclidean"))
    sums = run_pairs(tiles, {Silhouettes}, Crew(crew.n_threads, tell)).own_sums()
    assert sums is not None
    crew.advance(n * n - 2 * told)
    return sums
