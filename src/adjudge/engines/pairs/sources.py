"""Where the distances of given points come from."""

from __future__ import annotations

from typing import Any

from adjudge.engines.pairs.assembly import Assembly
from adjudge.engines.pairs.block_distances import BlockDistances, block_function, check_precomputed
from adjudge.engines.pairs.distances import Distances, TiledPoints
from adjudge.engines.pairs.layout import Layout, Tiles
from adjudge.engines.pairs.products import ProductPoints
from adjudge.engines.pairs.unit_rows import as_given, check_lengths, prepare_for
from adjudge.engines.running.crew import Crew
from adjudge.given.metrics import distances_from, keeps_centroids
from adjudge.given.point_options import PointOptions

__all__ = ["distances_of", "products_of"]


def distances_of(X: Any, layout: Layout, options: PointOptions, crew: Crew) -> Distances:
    """Return all distances as the compiled loops take them: computed from tiles, or block by block."""
    metric = options.metric
    if keeps_centroids(X, metric):
        return TiledPoints(layout, Tiles.of(X, layout, options.memory_limit))
    prepare = prepare_for(X, metric)
    if prepare is not None:
        check_lengths(X, metric)
        return TiledPoints(layout, Tiles.of(X, layout, options.memory_limit, prepare), squared=False)
    if metric == "precomputed":
        check_precomputed(X)
    name = distances_from(metric)
    blocks = BlockDistances(block_function(X, metric), layout, name)
    crew.assembly = Assembly.if_slow(blocks, metric)
    return blocks


def products_of(X: Any, layout: Layout, options: PointOptions) -> ProductPoints:
    """Return the distances of points in many dimensions, for sums alone."""
    prepare = prepare_for(X, options.metric)
    if prepare is None:
        return ProductPoints.of(X, layout, as_given, True, options)
    check_lengths(X, options.metric)
    return ProductPoints.of(X, layout, prepare, False, options)
