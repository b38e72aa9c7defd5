"""Sources of the distances between given points."""

from __future__ import annotations

from typing import Any

from adjudge.engines.pairs.block_distances import BlockDistances, block_function, check_precomputed
from adjudge.engines.pairs.distances import DistanceSource, TiledPoints
from adjudge.engines.pairs.euclidean_embeddings import Image
from adjudge.engines.pairs.kernel_metrics import own_metric
from adjudge.engines.pairs.sparse import SparseCosines
from adjudge.engines.pairs.stored_strips import Prepare, Reader, ReadTiles
from adjudge.engines.pairs.strips import Strips
from adjudge.engines.pairs.tiles import Tiles, TilesOfStrips
from adjudge.given.metrics import are_sparse_cosines, distances_from
from adjudge.given.point_options import PointOptions

__all__ = ["distances_of", "tiles_of"]


def tiles_of(
    X: Any, strips: Strips, options: PointOptions, image: Image, reader: Reader | None = None
) -> TiledPoints:
    """Return all distances, by explicit differences of images of the points, which workers may read themselves."""
    return TiledPoints(strips, _tiled(X, strips, options, image.prepare, reader), squared=image.rooted)


def _tiled(
    X: Any, strips: Strips, options: PointOptions, prepare: Prepare, reader: Reader | None
) -> TilesOfStrips:
    if reader is not None:
        return ReadTiles.of(reader, strips, prepare)
    return Tiles.of(X, strips, options.memory_limit, prepare)


def distances_of(
    X: Any, strips: Strips, options: PointOptions, reader: Reader | None = None
) -> DistanceSource:
    """Return distances that are not Euclidean in any space: by our own loops, or block by block."""
    metric = options.metric
    if are_sparse_cosines(X, metric):
        assert isinstance(metric, str)
        return SparseCosines.of(X, strips, metric)
    own = own_metric(X, metric)
    if own is not None:
        tiles = _tiled(X, strips, options, own.prepare, reader)
        return TiledPoints(strips, tiles, squared=False, kind=own.kind)
    if metric == "precomputed":
        check_precomputed(X)
    return BlockDistances(block_function(X, metric, reader), strips, distances_from(metric))
