"""The engine for points in memory: reduces them, once, to all the statistics that are wanted."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines import checkpoint as checkpoints
from adjudge.engines.checkpoint import Checkpoint, fingerprint_of_points
from adjudge.engines.crew import Crew, Progress
from adjudge.engines.layout import Layout
from adjudge.errors import InputError, InputTypeError
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
    CompleteLinkage,
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
    TailSums,
)
from adjudge.statistics.reduced import ReducedPoints

__all__ = ["POINT_STATISTICS", "reduce_coded_points", "reduce_points"]

Ints = NDArray[np.int64]

_SWEPT: frozenset[type] = frozenset(
    {PairSums, Silhouettes, Diameters, SingleLinkage, CompleteLinkage, Hausdorff}
)
_RANKED: frozenset[type] = frozenset({PairRanks, DistanceTies, TailSums})
_KNOWN = POINT_STATISTICS | _SWEPT | _RANKED


def reduce_points(
    X: Any,
    labels: Any,
    wanted: Iterable[type],
    *,
    metric: Any = "euclidean",
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
    memory_limit: int = 1 << 30,
    exact: bool = False,
    n_threads: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | Path | None = None,
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
    metric : str or callable, default "euclidean"
        A name that SciPy or scikit-learn know, "precomputed", or a function of two points.
    missing, noise, noise_label
        As for :func:`adjudge.evaluate`.
    memory_limit : int, default 2**30
        Bytes that ranks of distances may take, above what the points take. Points that do not come in memory go to a
        temporary file if they are larger than that.
    exact : bool, default False
        Count ranks exactly also where the distances exceed the memory limit, by further passes.
    n_threads : int, optional
        Default: one a core. The digits do not depend on it.
    progress : callable, optional
        Called as ``progress(done, total)``.
    checkpoint : str or Path, optional
        A file for the partial result of the passes over all distances, saved every minute. After an interruption, of
        whatever kind, the same call goes on from there and gives the same digits. It is deleted at the end.

    Returns
    -------
    ReducedPoints
        A mapping from each type to the statistic.
    """
    from adjudge.inputs import align_labels, as_points
    from adjudge.inputs.room import take_rows

    points = as_points(X, memory_limit=memory_limit).values
    aligned = align_labels({"labels": labels}, missing=missing, noise=noise, noise_label=noise_label)
    n = points.shape[0]
    if aligned.n_given != n:
        raise InputError(f"labels has {aligned.n_given} entries, X has {n} rows: they must be of one length")
    codes, clusters = aligned.labels[0].dense()
    if aligned.kept is not None:
        points = (
            points[np.ix_(aligned.kept, aligned.kept)]
            if metric == "precomputed"
            else take_rows(points, aligned.kept, memory_limit)
        )
    statistics = reduce_coded_points(
        points,
        codes,
        wanted,
        metric=metric,
        memory_limit=memory_limit,
        exact=exact,
        n_threads=n_threads,
        progress=progress,
        checkpoint=checkpoint,
    )
    return ReducedPoints(statistics, clusters, np.bincount(codes), aligned.kept)


def reduce_coded_points(
    X: Any,
    codes: Ints,
    wanted: Iterable[type],
    *,
    metric: Any = "euclidean",
    memory_limit: int = 1 << 30,
    exact: bool = False,
    n_threads: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | Path | None = None,
) -> dict[type, Any]:
    """Reduce checked points, whose clusters are coded 0..K-1 without gaps; see `reduce_points`."""
    types = set(wanted)
    unknown = types - _KNOWN
    if unknown:
        raise InputTypeError(f"{sorted(t.__name__ for t in unknown)} are no statistics of points")
    codes = np.ascontiguousarray(codes, dtype=np.int64)
    sizes = np.bincount(codes)
    crew = Crew.of(n_threads, progress)
    if checkpoint is not None:
        crew.checkpoint = _checkpoint(checkpoint, X, codes, types, metric, memory_limit, exact)
    sparse = hasattr(X, "indptr")
    plain = metric == "euclidean" and not sparse
    needing = types & POINT_STATISTICS
    if needing and not plain:
        names = ", ".join(sorted(t.__name__ for t in needing))
        reason = (
            "X is sparse: pass X.toarray()"
            if metric == "euclidean"
            else f"metric={metric!r} gives only distances"
        )
        raise InputError(f"{names}: centroids of dense points in Euclidean space are needed, and {reason}")
    found: dict[type, Any] = {}
    central = None
    if plain:
        from adjudge.engines.centroid_pass import CentroidPass

        central = CentroidPass(X, codes, sizes, crew)
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
        from adjudge.engines.nearest import is_faster, nearest_and_farthest

        # Trees hold all points in memory.
        if X.nbytes <= memory_limit and is_faster(pairwise, X, sizes):
            found |= nearest_and_farthest(X, codes, sizes, pairwise, crew)
            pairwise = set()
    if pairwise:
        found |= _pairs(X, codes, sizes, pairwise, metric, central, crew, memory_limit, exact)
    if crew.checkpoint is not None:
        crew.checkpoint.remove()
    return found


def _checkpoint(
    path: str | Path, X: Any, codes: Ints, types: set[type], metric: Any, memory_limit: int, exact: bool
) -> Checkpoint:
    from adjudge import __version__

    name = metric if isinstance(metric, str) else f"{metric.__module__}.{metric.__qualname__}"
    settings = {
        "version of adjudge": __version__,
        "statistics": " ".join(sorted(t.__name__ for t in types)),
        "metric": name,
        "memory_limit": str(memory_limit),
        "exact": str(exact),
    }
    return Checkpoint(path, fingerprint_of_points(X, codes) | settings, checkpoints.INTERVAL)


def _pairs(
    X: Any,
    codes: Ints,
    sizes: Ints,
    types: set[type],
    metric: Any,
    central: Any,
    crew: Crew,
    memory_limit: int,
    exact: bool,
) -> dict[type, Any]:
    from adjudge.engines.pair_pass import Distances, Histogram, TiledPoints, run_pairs

    layout = Layout.of(codes, sizes)
    distances: Distances
    if central is not None:
        distances = TiledPoints.of(X, layout, memory_limit)
    else:
        from adjudge.engines.distances import BlockDistances, block_function, check_precomputed

        if isinstance(metric, str) and metric == "precomputed":
            check_precomputed(X)
        name = "X" if isinstance(metric, str) and metric == "precomputed" else f"metric={metric!r}"
        distances = BlockDistances(block_function(X, metric), layout, name)
    swept, ranked = types & _SWEPT, types & _RANKED
    if not ranked:
        crew.expect(layout.n_pairs)
        return run_pairs(distances, swept, crew).statistics(codes)
    from adjudge.engines import pair_ranks

    budget = pair_ranks.Budget(memory_limit)
    tails = TailSums in ranked
    counts, tail = None, None
    if layout.n_pairs <= budget.sorted and ranked != {TailSums}:
        crew.expect(2 * layout.n_pairs)
        state = run_pairs(distances, swept, crew, sums=tails)
        counts, tail = pair_ranks.ranks_by_sorting(
            distances, crew, budget, state.total_within() if tails else None
        )
    else:
        crew.expect(layout.n_pairs)
        if central is not None:
            histogram = Histogram.up_to(central.reach)
            state = run_pairs(distances, swept, crew, histogram, sums=tails)
        else:
            # How far the distances reach is known only after a pass.
            crew.expect(layout.n_pairs)
            state = run_pairs(distances, swept | {Diameters, CompleteLinkage}, crew, sums=tails)
            histogram = Histogram.up_to(state.farthest())
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
