"""The engine for points in memory: reduces them, once, to all the statistics that are wanted."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Layout
from adjudge.engines.running import checkpoint as checkpoints
from adjudge.engines.running.checkpoint import Checkpoint, fingerprint_of_metric, fingerprint_of_points
from adjudge.engines.running.crew import Crew
from adjudge.errors import InputError, InputTypeError, NoCentroidsError
from adjudge.given.label_options import LabelOptions
from adjudge.given.metrics import keeps_centroids, metric_words
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.point_options import PointOptions
from adjudge.progress import Progress
from adjudge.statistics.moments import (
    POINT_STATISTICS,
    CentroidDistances,
    CentroidRatios,
    ClusterDeterminants,
    EliminationSigns,
    MidpointDensities,
    Moments,
    Scatter,
)
from adjudge.statistics.pair_distances import (
    EXTREME_STATISTICS,
    RANK_STATISTICS,
    SUM_STATISTICS,
    CompleteLinkage,
    Diameters,
    DistanceTies,
    PairRanks,
    TailSums,
)
from adjudge.statistics.reduced import ReducedPoints

__all__ = ["POINT_STATISTICS", "reduce_coded_points", "reduce_partitioned", "reduce_points"]

Ints = NDArray[np.int64]

_DEFAULT = PointOptions()

_SWEPT = SUM_STATISTICS | EXTREME_STATISTICS
_KNOWN = POINT_STATISTICS | _SWEPT | RANK_STATISTICS


def reduce_points(
    X: Any,
    labels: Any,
    wanted: Iterable[type],
    *,
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
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
        Statistics of :mod:`adjudge.statistics.moments` and :mod:`adjudge.statistics.pair_distances`. Nothing else is
        computed.
    missing, noise, noise_label
        As for :func:`adjudge.evaluate`.
    **options
        Those of :class:`adjudge.given.point_options.PointOptions`.

    Returns
    -------
    ReducedPoints
        A mapping from each type to the statistic.
    """
    treatment = LabelOptions(missing, noise, noise_label)
    return reduce_partitioned(PartitionedPoints.of(X, labels, treatment, PointOptions(**options)), wanted)


def reduce_partitioned(
    partitioned: PartitionedPoints, wanted: Iterable[type], progress: Progress | None = None
) -> ReducedPoints:
    """Reduce points that were checked, with their clusters; see `reduce_points`."""
    options = partitioned.options if progress is None else replace(partitioned.options, progress=progress)
    statistics = reduce_coded_points(partitioned.points, partitioned.codes, wanted, options)
    return ReducedPoints(statistics, partitioned.clusters, partitioned.sizes, partitioned.kept)


def reduce_coded_points(
    X: Any, codes: Ints, wanted: Iterable[type], options: PointOptions = _DEFAULT
) -> dict[type, Any]:
    """Reduce checked points, whose clusters are coded 0..K-1 without gaps; see `reduce_points`."""
    metric, engine, device = options.metric, options.engine, options.device
    types = set(wanted)
    unknown = types - _KNOWN
    if unknown:
        raise InputTypeError(f"{sorted(t.__name__ for t in unknown)} are no statistics of points")
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    sizes = np.bincount(codes)
    crew = Crew.of(options.n_threads, options.progress)
    plain = keeps_centroids(X, metric)
    torch_device = None
    if engine == "torch":
        from adjudge.engines.torch_points import usable_device

        if not plain:
            raise InputError(
                "engine='torch' computes Euclidean distances of dense points: use engine='numba'"
            )
        torch_device = usable_device(device)
        # The device is here.
        crew.workers = None
    if options.checkpoint is not None:
        crew.checkpoint = _checkpoint(X, codes, types, options)
    if types & POINT_STATISTICS and not plain:
        why = f"{metric_words(metric)} gives only distances"
        if metric == "euclidean":
            why = "X is sparse: pass X.toarray()"
        raise NoCentroidsError(f"centroids of dense points in Euclidean space are needed, and {why}")
    found: dict[type, Any] = {}
    central = None
    if plain:
        from adjudge.engines.centroid_pass import CentroidPass

        central = CentroidPass(X, codes, sizes, crew)
        if torch_device is not None:
            from adjudge.engines.torch_points import TorchCentroidPass

            central = TorchCentroidPass(X, codes, sizes, crew, device=torch_device)
        for type_, name in (
            (Moments, "moments"),
            (Scatter, "scatter"),
            (ClusterDeterminants, "determinants"),
            (EliminationSigns, "elimination_signs"),
            (CentroidDistances, "centroid_distances"),
            (CentroidRatios, "centroid_ratios"),
            (MidpointDensities, "midpoint_densities"),
        ):
            if type_ in types:
                found[type_] = getattr(central, name)
    pairwise = types - POINT_STATISTICS
    if plain and pairwise:
        from adjudge.engines.pairs.nearest import is_faster, nearest_and_farthest

        # Trees hold all points in memory.
        if torch_device is None and X.nbytes <= options.memory_limit and is_faster(pairwise, X, sizes):
            found |= nearest_and_farthest(X, codes, sizes, pairwise, crew)
            pairwise = set()
    if pairwise:
        undivided: AbstractContextManager[None] = nullcontext()
        if torch_device is not None:
            from adjudge.engines.torch_points import one_thread_each

            undivided = one_thread_each()
        with undivided:
            found |= _pairs(X, codes, sizes, pairwise, options, central, crew, torch_device)
    if crew.checkpoint is not None:
        crew.checkpoint.remove()
    return found


def _checkpoint(X: Any, codes: Ints, types: set[type], options: PointOptions) -> Checkpoint:
    from adjudge import __version__

    assert options.checkpoint is not None
    fingerprint = {
        "version of adjudge": __version__,
        "statistics": " ".join(sorted(t.__name__ for t in types)),
        "metric": fingerprint_of_metric(options.metric, X),
        **{key: str(value) for key, value in options.facts().items()},
    }
    return Checkpoint(options.checkpoint, fingerprint_of_points(X, codes) | fingerprint, checkpoints.INTERVAL)


def _pairs(
    X: Any,
    codes: Ints,
    sizes: Ints,
    types: set[type],
    options: PointOptions,
    central: Any,
    crew: Crew,
    torch_device: Any,
) -> dict[type, Any]:
    from adjudge.engines.pairs.distances import Distances, TiledPoints
    from adjudge.engines.pairs.sweep import run_pairs

    metric, memory_limit, exact, bins = options.metric, options.memory_limit, options.exact, options.bins
    layout = Layout.of(codes, sizes)
    distances: Distances
    if central is not None:
        distances = tiled = TiledPoints.of(X, layout, memory_limit)
    else:
        from adjudge.engines.pairs.assembly import Assembly
        from adjudge.engines.pairs.block_distances import BlockDistances, block_function, check_precomputed

        if metric == "precomputed":
            check_precomputed(X)
        name = "X" if metric == "precomputed" else metric_words(metric)
        distances = blocks = BlockDistances(block_function(X, metric), layout, name)
        crew.assembly = Assembly.if_slow(blocks, metric)
    sweeping: Distances = distances
    if torch_device is not None:
        from adjudge.engines.torch_points import TorchPoints

        sweeping = TorchPoints.on(torch_device, tiled)
    swept, ranked = types & _SWEPT, types & RANK_STATISTICS
    if not ranked:
        crew.expect(layout.n_pairs)
        return run_pairs(sweeping, swept, crew).statistics(codes)
    from adjudge.engines.pairs import ranks as pair_ranks
    from adjudge.engines.pairs.kept import KeptDistances

    budget = pair_ranks.Budget(memory_limit)
    tails = TailSums in ranked
    counts, tail = None, None
    if layout.n_pairs <= budget.sorted and ranked != {TailSums}:
        crew.expect(layout.n_pairs)
        if sweeping is distances and crew.workers is None and crew.checkpoint is None:
            sweeping = distances = KeptDistances(distances)
        else:
            crew.expect(layout.n_pairs)
        state = run_pairs(sweeping, swept, crew, sums=tails)
        counts, tail = pair_ranks.ranks_by_sorting(
            distances, crew, budget, state.total_within() if tails else None
        )
    else:
        crew.expect(layout.n_pairs)
        if central is not None:
            histogram = Histogram.up_to(central.reach, bins)
            # Passes that collect distances have to find as many in a bin as were counted, to the last digit.
            counted_apart = torch_device is not None and (exact or tails)
            state = run_pairs(sweeping, swept, crew, None if counted_apart else histogram, sums=tails)
            if counted_apart:
                crew.expect(layout.n_pairs)
                run_pairs(distances, set(), crew, histogram)
        else:
            # How far the distances reach is known only after a pass.
            crew.expect(layout.n_pairs)
            state = run_pairs(sweeping, swept | {Diameters, CompleteLinkage}, crew, sums=tails)
            histogram = Histogram.up_to(state.farthest(), bins)
            run_pairs(distances, set(), crew, histogram)
        if ranked != {TailSums}:
            if exact:
                counts = pair_ranks.ranks_by_slices(
                    distances, histogram, crew, budget, DistanceTies in ranked
                )
            else:
                counts = pair_ranks.ranks_from_histogram(distances, histogram)
        if tails:
            tail = pair_ranks.tail_sums(distances, histogram, state.total_within(), crew, budget)
    found = {t: s for t, s in state.statistics(codes).items() if t in types}
    if counts is not None:
        found |= {t: s for t, s in ((PairRanks, counts.ranks), (DistanceTies, counts.ties)) if t in types}
    if tail is not None:
        found[TailSums] = tail
    return found
