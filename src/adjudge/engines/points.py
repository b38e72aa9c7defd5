"""The engine for points in memory: reduces them, once, to all requested statistics.

The `made_by` of a statistic names the kind of passes that make it. The module for a kind declares the passes before
they run, and makes the statistics from a `Work`; `register_maker` adds one. A `PointEngine` does the computing.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.block_distances import weighted_metric
from adjudge.engines.pairs.euclidean_embeddings import is_squared
from adjudge.engines.passes import Job, Pass, reads_of
from adjudge.engines.protocols import Maker, PointEngine, Work
from adjudge.engines.running import checkpoint as checkpoints
from adjudge.engines.running.checkpoint import Checkpoint, fingerprint_of_metric, fingerprint_of_points
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError, InputTypeError, NoCentroidsError, Option
from adjudge.given.label_options import LabelOptions
from adjudge.given.metrics import keeps_centroids, why_no_centroids
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.point_options import PointOptions
from adjudge.given.points_file import Stored
from adjudge.given.weights import PointWeights, Weighting
from adjudge.progress import Progress
from adjudge.statistics.making import weighted_form, why_unweighted
from adjudge.statistics.moments import need_coordinates
from adjudge.statistics.reduced import ReducedPoints
from adjudge.version import __version__

if TYPE_CHECKING:
    from adjudge.engines.centroid_pass import CentroidPass
    from adjudge.engines.pairs.distances import DistanceSource, Sweepable
    from adjudge.engines.pairs.stored_strips import Reader

__all__ = [
    "declared_passes",
    "reduce_coded_points",
    "reduce_partitioned",
    "reduce_points",
    "register_maker",
]

Ints = NDArray[np.int64]

_DEFAULT = PointOptions()
_EQUAL = Weighting()


@dataclass(frozen=True)
class CompiledEngine:
    """Compiled loops, in threads or on workers."""

    counts_apart: bool = False
    multiplies: bool = True
    prunes: bool = True
    most_points: int | None = None

    def central(self, work: Work) -> CentroidPass:
        """See `PointEngine`."""
        from adjudge.engines.centroid_pass import CentroidPass

        return CentroidPass(work.X, work.codes, work.masses, work.crew, work.weights)

    def sweeping(self, work: Work) -> DistanceSource:
        """See `PointEngine`."""
        return work.distances

    def multiplying(self, work: Work) -> Sweepable:
        """See `PointEngine`."""
        return work.products

    def at_work(self) -> AbstractContextManager[None]:
        """See `PointEngine`."""
        return nullcontext()


_MAKERS: dict[str, str] = {}


def register_maker(kind: str, module: str) -> None:
    """Let a module make the statistics whose `made_by` is `kind`.

    Parameters
    ----------
    kind : str
    module : str
        Its dotted name. The module is a `Maker`, and is imported when its statistics are requested.
    """
    _MAKERS[kind] = module


register_maker("sizes", "adjudge.engines.cluster_sizes")
register_maker("centroids", "adjudge.engines.centroids")
register_maker("distances", "adjudge.engines.pairs.reduction")
register_maker("density", "adjudge.engines.density")
register_maker("weights", "adjudge.engines.pairs.weighted_sums")


def _by_maker(wanted: Iterable[type]) -> list[tuple[Maker, set[type]]]:
    """Group statistics by their maker, in the order in which makers were registered."""
    by_kind: dict[str, set[type]] = {}
    for type_ in wanted:
        by_kind.setdefault(getattr(type_, "made_by", ""), set()).add(type_)
    unknown = [t.__name__ for kind in by_kind.keys() - _MAKERS.keys() for t in by_kind[kind]]
    if unknown:
        raise InputTypeError(f"{sorted(unknown)} are not statistics of points")
    return [(_maker(module), by_kind[kind]) for kind, module in _MAKERS.items() if kind in by_kind]


def _maker(module: str) -> Maker:
    # Runs in every call, even for a few points.
    found: Any = sys.modules.get(module) or import_module(module)
    return cast("Maker", found)


def declared_passes(wanted: Iterable[type], job: Job) -> list[Pass]:
    """Return the passes that make some statistics; passes that several of them need occur once."""
    return [*dict.fromkeys(p for maker, types in _by_maker(wanted) for p in maker.declare(types, job))]


def reduce_points(
    X: Any,
    labels: Any,
    wanted: Iterable[type],
    *,
    missing: str = "raise",
    noise: str | None = None,
    noise_label: Any = -1,
    weighting: Weighting = _EQUAL,
    **options: Any,
) -> ReducedPoints:
    """Reduce points and labels to statistics.

    Parameters
    ----------
    X : array-like of shape (n, p), data frame, memory map, Zarr, HDF5 or Dask array, or scipy sparse matrix
        Points; with ``metric="precomputed"`` their distances, of shape (n, n).
    labels : array-like of shape (n,)
        Cluster of each point.
    wanted : iterable of type
        Statistics whose `made_by` has a registered maker. Nothing else is computed.
    missing, noise, noise_label
        As for :func:`adjudge.evaluate`.
    weighting : Weighting
        How much each point counts.
    **options
        The options of :class:`adjudge.given.point_options.PointOptions`.

    Returns
    -------
    ReducedPoints
        A mapping from each type to the statistic.
    """
    treatment = LabelOptions(missing, noise, noise_label)
    points = PartitionedPoints.of(X, labels, treatment, PointOptions.of(**options), weighting)
    return reduce_partitioned(points, wanted)


def reduce_partitioned(
    partitioned: PartitionedPoints, wanted: Iterable[type], progress: Progress | None = None
) -> ReducedPoints:
    """Reduce checked points and their clusters; see `reduce_points`."""
    options = partitioned.options if progress is None else replace(partitioned.options, progress=progress)
    wanted, weights = dict.fromkeys(wanted), partitioned.weights
    # Statistics of weighted points are returned under the types that they stand in for.
    forms = {type_: type_ if weights is None else weighted_form(type_) for type_ in wanted}
    for type_ in wanted if weights is not None else ():
        if (reason := why_unweighted(type_)) is not None:
            raise InputError(reason)
    made: dict[type, Any] = {}
    for points, own in _by_noise(partitioned, {form for form in forms.values() if form is not None}):
        made |= reduce_coded_points(
            points.points,
            points.codes,
            own,
            options,
            left_out=points.left_out,
            weights=weights,
            counts=points.counts,
            stored=points.stored,
            kept=points.kept,
            noise=points.noise,
        )
    statistics = {type_: made[form] for type_, form in forms.items() if form is not None}
    return ReducedPoints(
        statistics, partitioned.clusters, partitioned.sizes, partitioned.kept, partitioned.n_noise
    )


def _by_noise(
    partitioned: PartitionedPoints, wanted: set[type]
) -> Iterator[tuple[PartitionedPoints, set[type]]]:
    """Pair statistics with the points that they are made from: those that leave noise out get points without it."""
    with_noise = {type_ for type_ in wanted if getattr(type_, "leaves_noise_out", False)}
    if partitioned.noise is None or not with_noise:
        yield partitioned, wanted
        return
    if wanted - with_noise:
        yield partitioned, wanted - with_noise
    yield partitioned.without_noise(), with_noise


def reduce_coded_points(
    X: Any,
    codes: Ints,
    wanted: Iterable[type],
    options: PointOptions = _DEFAULT,
    *,
    left_out: int = 0,
    weights: PointWeights | None = None,
    counts: Ints | None = None,
    stored: Stored | None = None,
    kept: Ints | None = None,
    noise: int | None = None,
) -> dict[type, Any]:
    """Reduce checked points, whose clusters are coded 0..K-1 without gaps; see `reduce_points`.

    `left_out` noise points are not among them; only statistics of weighted points read `weights`; `counts` are the
    counts of the codes, if already known. Workers may read the `kept` rows of the points from where they are `stored`.
    `noise` is the code of points that are noise to statistics that read it.
    """
    types = set(wanted)
    makers = _by_maker(types)
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    if weights is not None:
        options = replace(options, metric=weighted_metric(X, options.metric, weights))
    crew = Crew.of(options.n_jobs, options.progress)
    counts = np.bincount(codes) if counts is None else counts
    engine = _engine_of(options, crew, X)
    reader = _reader_of(stored, kept, options, crew)
    work = Work(X, codes, counts, options, crew, engine, left_out, weights, reader, noise=noise)
    if need_coordinates(types) and not work.has_centroids:
        raise NoCentroidsError(*why_no_centroids(options.metric))
    if options.checkpoint is not None:
        crew.checkpoint = _checkpoint(X, codes, types, options)
    if options.progress is not None:
        crew.expect(reads_of(declared_passes(types, work.job)))
    found: dict[type, Any] = {}
    for maker, own in makers:
        found |= maker.make(own, work)
    if crew.checkpoint is not None:
        crew.checkpoint.remove()
    return found


def _engine_of(options: PointOptions, crew: Crew, X: Any) -> PointEngine:
    if options.engine == "torch":
        from adjudge.engines.torch_engine import TorchEngine, usable_device

        if not (keeps_centroids(X, options.metric) or is_squared(X, options.metric)):
            raise InputError(
                Option("engine", "torch"),
                " computes only Euclidean, cosine and correlation distances of dense points: leave it out",
            )
        # The device belongs to this process.
        crew.workers = None
        return TorchEngine(usable_device(options.device))
    return CompiledEngine()


def _reader_of(stored: Stored | None, kept: Ints | None, options: PointOptions, crew: Crew) -> Reader | None:
    """Return a reader of points for workers; None if points are sent: processes share one memory map."""
    if stored is None or crew.workers is None or not (stored.is_mapped or crew.workers.client is not None):
        return None
    # Dropping rows and columns of a distance matrix takes a copy.
    if kept is not None and options.metric == "precomputed":
        return None
    from adjudge.engines.pairs.stored_strips import Reader

    return Reader(stored, kept, options.memory_limit)


def _checkpoint(X: Any, codes: Ints, types: set[type], options: PointOptions) -> Checkpoint:
    assert options.checkpoint is not None
    fingerprint = {
        "version of adjudge": __version__,
        "statistics": " ".join(sorted(t.__name__ for t in types)),
        "metric": fingerprint_of_metric(options.metric, X),
        **{key: str(value) for key, value in options.facts().items()},
    }
    return Checkpoint(options.checkpoint, fingerprint_of_points(X, codes) | fingerprint, checkpoints.INTERVAL)
