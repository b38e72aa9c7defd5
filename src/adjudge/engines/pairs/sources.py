"""Where the distances of given points come from."""

from __future__ import annotations

from typing import Any

from adjudge.engines.pairs.assembly import Assembly
from adjudge.engines.pairs.block_distances import BlockDistances, block_function, check_precomputed
from adjudge.engines.pairs.distances import Distances, TiledPoints
from adjudge.engines.pairs.layout import Layout
from adjudge.engines.running.crew import Crew
from adjudge.given.metrics import keeps_centroids, metric_words
from adjudge.given.point_options import PointOptions

__all__ = ["distances_of"]


def distances_of(X: Any, layout: Layout, options: PointOptions, crew: Crew) -> Distances:
    """Return all distances as the compiled loops take them: computed from tiles, or block by block."""
    metric = options.metric
    if keeps_centroids(X, metric):
        return TiledPoints.of(X, layout, options.memory_limit)
    if metric == "precomputed":
        check_precomputed(X)
    name = "X" if metric == "precomputed" else metric_words(metric)
    blocks = BlockDistances(block_function(X, metric), layout, name)
    crew.assembly = Assembly.if_slow(blocks, metric)
    return blocks
