"""The work on points with their clusters, and the protocols of engines and makers."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.euclidean_embeddings import has_image, image_of, is_squared, multiply
from adjudge.engines.passes import Job, Pass
from adjudge.engines.running.executor import Crew
from adjudge.given.metrics import are_sparse_cosines, keeps_centroids
from adjudge.given.point_options import PointOptions

if TYPE_CHECKING:
    from adjudge.engines.centroid_pass import CentroidPass
    from adjudge.engines.pairs.distances import DistanceSource, Sweepable
    from adjudge.engines.pairs.euclidean_embeddings import Image
    from adjudge.engines.pairs.products import ProductPoints
    from adjudge.engines.pairs.stored_strips import Reader
    from adjudge.engines.pairs.strips import Strips
    from adjudge.given.weights import PointWeights

__all__ = ["Maker", "PointEngine", "Work"]

Ints = NDArray[np.int64]


class PointEngine(Protocol):
    """What computes: threads, the workers of joblib or Dask, or PyTorch."""

    @property
    def counts_apart(self) -> bool:
        """Whether its distances may differ in the last digit from those that compiled loops collect."""
        ...

    @property
    def multiplies(self) -> bool:
        """Whether products of matrices may give sums of distances."""
        ...

    @property
    def prunes(self) -> bool:
        """Whether trees may take the place of a pass over all pairs."""
        ...

    @property
    def most_points(self) -> int | None:
        """Points of a strip that suit it; None for the usual number."""
        ...

    def central(self, work: Work) -> CentroidPass:
        """Return the maker of centroid statistics."""
        ...

    def sweeping(self, work: Work) -> DistanceSource:
        """Return the distances in the form that this engine sweeps over."""
        ...

    def multiplying(self, work: Work) -> Sweepable:
        """Return the distances as this engine gets them from products; see `Job.multiplies`."""
        ...

    def at_work(self) -> AbstractContextManager[None]:
        """Return the context to enter for passes over all distances."""
        ...


@dataclass
class Work:
    """The input of makers, each part of which is made once.

    Attributes
    ----------
    X : ndarray of shape (n, p), sparse matrix, or distances of shape (n, n)
        Checked.
    codes : ndarray of int64 of shape (n,)
        Clusters, coded 0..K-1 without gaps.
    sizes : ndarray of int64 of shape (K,)
    options : PointOptions
    crew : Crew
    engine : PointEngine
    left_out : int
        Noise points that are not in X.
    noise : int or None
        Code of the cluster that is noise for statistics that read noise.
    weights : PointWeights or None
    reader : Reader or None
        Lets workers read the points themselves.
    own_sums, closest : ndarray of shape (n,) or None
        Sum of the distances from each point to those of its cluster, and the distance to the nearest point of another
        cluster, once a pass of the compiled loops has computed them.
    """

    X: Any
    codes: Ints
    sizes: Ints
    options: PointOptions
    crew: Crew
    engine: PointEngine
    left_out: int = 0
    weights: PointWeights | None = None
    reader: Reader | None = None
    own_sums: NDArray[np.float64] | None = None
    closest: NDArray[np.float64] | None = None
    noise: int | None = None

    @property
    def has_centroids(self) -> bool:
        """Whether the points are dense and the metric is Euclidean."""
        return keeps_centroids(self.X, self.options.metric)

    @cached_property
    def masses(self) -> NDArray[Any]:
        """Sizes of the clusters, or their weights."""
        return self.sizes if self.weights is None else self.weights.of_clusters(self.codes)

    @cached_property
    def job(self) -> Job:
        """The properties that declarations of passes read."""
        engine = self.engine
        return Job(
            self.codes.size,
            self.X.shape[1],
            self.sizes.size,
            self.options,
            self.has_centroids,
            has_image(self.X, self.options.metric),
            engine.counts_apart,
            engine.multiplies and multiply(self.X, self.options),
            is_squared(self.X, self.options.metric) or are_sparse_cosines(self.X, self.options.metric),
            # Trees hold all points in memory.
            engine.prunes and self.has_centroids and self.X.nbytes <= self.options.memory_limit,
            getattr(self.X, "nnz", None),
        )

    @cached_property
    def central(self) -> CentroidPass:
        """The maker of centroid statistics."""
        return self.engine.central(self)

    @cached_property
    def strips(self) -> Strips:
        """The order in which pairs of points are visited."""
        from adjudge.engines.pairs.strips import Strips, points_of_block

        n, metric = self.codes.size, self.options.metric
        most = self.engine.most_points if self.job.has_image else points_of_block(n, callable(metric))
        return Strips.of(self.codes, self.sizes, most)

    @cached_property
    def image(self) -> Image | None:
        """The space in which the distance is Euclidean; None if there is none."""
        return image_of(self.X, self.options.metric) if has_image(self.X, self.options.metric) else None

    @cached_property
    def distances(self) -> DistanceSource:
        """All distances, as the compiled loops take them; equal distances have equal digits."""
        from adjudge.engines.pairs.sources import distances_of, tiles_of

        if self.image is not None and self.image.keeps_ties:
            return tiles_of(self.X, self.strips, self.options, self.image, self.reader)
        return distances_of(self.X, self.strips, self.options, self.reader)

    @cached_property
    def products(self) -> ProductPoints:
        """The points in the form that products need."""
        from adjudge.engines.pairs.products import ProductPoints

        assert self.image is not None
        return ProductPoints.of(self.X, self.strips, self.image, self.options, self.reader)

    @cached_property
    def unranked(self) -> DistanceSource:
        """The same distances, for passes that do not depend on ties."""
        from adjudge.engines.pairs.sources import tiles_of

        if self.image is None or self.image.keeps_ties:
            return self.sweeping
        return tiles_of(self.X, self.strips, self.options, self.image, self.reader)

    @cached_property
    def sweeping(self) -> DistanceSource:
        """The same distances, in the form that the engine sweeps over."""
        return self.engine.sweeping(self)


class Maker(Protocol):
    """A module that makes the statistics of one kind."""

    def declare(self, types: set[type], job: Job) -> Iterable[Pass]:
        """Return the passes that make the statistics."""
        ...

    def make(self, types: set[type], work: Work) -> dict[type, Any]:
        """Make the statistics; `work.crew.advance` is called for everything that the declared passes read."""
        ...
