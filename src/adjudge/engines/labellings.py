"""Reduction of several partitions of the same points, of which neighbours and ranks of distances are found once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.neighbours import distances_from, nearest_neighbours
from adjudge.engines.pairs.ranks import MOST_PARTITIONS
from adjudge.engines.pairs.reduction import rank_several
from adjudge.engines.points import CompiledEngine, reduce_coded_points
from adjudge.engines.protocols import Work
from adjudge.engines.running.executor import Crew
from adjudge.errors import Argument, InputError
from adjudge.given.metrics import keeps_centroids
from adjudge.given.partitioned import check_numbers_of_clusters, coded_partitions
from adjudge.given.point_options import PointOptions
from adjudge.given.points import as_points
from adjudge.progress import part
from adjudge.statistics.moments import Moments
from adjudge.statistics.neighbours import NeighbourLabels, Neighbours
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, PairSums, TailSums, gathered
from adjudge.statistics.sweep import Sweep, splits_of

__all__ = ["ONCE", "Keep", "not_kept", "reduce_labellings", "sweep_of_labels"]

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Reduced = dict[Any, dict[type, Any]]
#: Takes partitions by any keys, statistics, and a function that computes them; returns its result, perhaps from a
#: store. The key None stands for what belongs to no partition.
Keep = Callable[[Mapping[Any, Codes], set[type], Callable[[], Reduced]], Reduced]

#: Statistics that are read off neighbours, which are found once for all partitions.
ONCE: frozenset[type] = frozenset({NeighbourLabels})
# Up to this many distances are brought into order; more are counted in bins for each partition.
_MOST_IN_ORDER = 5_000_000
# Of a distance that is ranked for several partitions.
_BYTES = 16


def not_kept(labellings: Mapping[Any, Codes], types: set[type], compute: Callable[[], Reduced]) -> Reduced:
    """Compute; see `Keep`."""
    return compute()


def reduce_labellings(
    X: Any,
    labellings: Mapping[int, Codes],
    wanted: Iterable[type],
    *,
    options: PointOptions | None = None,
    keep: Keep = not_kept,
) -> dict[int, dict[type, Any]]:
    """Reduce each partition of the points to the requested statistics.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    labellings : mapping of int to ndarray of int64
        Clusters coded 0..K-1 without gaps, by any key.
    wanted : iterable of type
        As for :func:`adjudge.engines.points.reduce_coded_points`. Ranks of several partitions are exact up to five
        million distances; beyond that they come from a histogram, in whose bins comparisons are unknown.
    options : PointOptions, optional
        Their `progress` covers all partitions together.
    keep : callable, optional
        See `Keep`.

    Returns
    -------
    dict
        By the same keys, a dict from each type to its statistic.
    """
    types = set(wanted)
    options = PointOptions() if options is None else options
    rest = types - ONCE
    found = _each(X, labellings, rest, options, keep) if rest else {}
    if not types & ONCE:
        return found

    def nearest() -> Reduced:
        crew = Crew.of(options.n_jobs, None)
        found = nearest_neighbours(X, options.metric, options.neighbours_to_find, crew, ties=True)
        return {None: {Neighbours: found}}

    # Neighbours do not depend on the partition: they are found once.
    neighbours = keep({}, {Neighbours}, nearest)[None][Neighbours]
    measure = partial(distances_from, X, options.metric)
    return {
        k: {**found.get(k, {}), NeighbourLabels: NeighbourLabels.of(neighbours, c, measure)}
        for k, c in labellings.items()
    }


def _each(
    X: Any, labellings: Mapping[int, Codes], types: set[type], options: PointOptions, keep: Keep
) -> dict[int, dict[type, Any]]:
    """Reduce the partitions one by one, each of which is one part of the work; distances are ranked for all at once."""
    ranked = {t for t in types if gathered([t]) & {"ranks", "ties", "tails"}}
    rest, parts = types, len(labellings)
    most = min(_MOST_IN_ORDER, options.memory_limit * 3 // 4 // _BYTES)
    together = len(labellings) > 1 and bool(ranked) and X.shape[0] * (X.shape[0] - 1) // 2 <= most
    if together:
        rest, parts = types - ranked | ({PairSums} if TailSums in types else set()), parts + 1
    elif len(labellings) > 1 and ranked and keeps_centroids(X, options.metric):
        options = replace(options, memory_limit=min(options.memory_limit, _MOST_IN_ORDER * 8 * 4 // 3))
    found: dict[int, dict[type, Any]] = {}
    for i, (k, codes) in enumerate(labellings.items()):
        own = replace(options, progress=part(options.progress, i, parts))
        found |= keep({k: codes}, rest, partial(_reduced_one, X, k, codes, rest, own)) if rest else {k: {}}
    if not together:
        return found
    own = replace(options, progress=part(options.progress, parts - 1, parts))
    for first in range(0, len(labellings), MOST_PARTITIONS):
        some = dict(list(labellings.items())[first : first + MOST_PARTITIONS])
        sums = [float(found[k][PairSums].within.sum()) if TailSums in types else 0.0 for k in some]
        ranks = keep(some, {PairRanks, DistanceTies, TailSums}, partial(_ranked, X, some, sums, own))
        for k, more in ranks.items():
            found[k] = {t: s for t, s in (found[k] | more).items() if t in types}
    return found


def _ranked(X: Any, labellings: Mapping[int, Codes], sums: list[float], options: PointOptions) -> Reduced:
    """Rank the distances for several partitions at once; for this, all points are one cluster."""
    crew, n = Crew.of(options.n_jobs, options.progress), X.shape[0]
    work = Work(X, np.zeros(n, np.int64), np.array([n]), options, crew, CompiledEngine())
    crew.expect(2 * work.job.n_pairs)
    return dict(
        zip(labellings, rank_several(np.array([*labellings.values()], np.int64), sums, work), strict=True)
    )


def _reduced_one(X: Any, k: int, codes: Codes, types: set[type], options: PointOptions) -> Reduced:
    return {k: reduce_coded_points(X, codes, types, options)}


def sweep_of_labels(
    X: Any, labels: Any, reads: tuple[type, ...], neighbours: tuple[int, ...], n_neighbors: int | None = None
) -> Sweep:
    """Sweep over given partitions, which serve as each other's neighbours; `n_neighbors` per point are read."""
    ks = check_numbers_of_clusters(labels)
    points = as_points(X).values
    if hasattr(points, "indptr"):
        raise InputError(Argument("X"), " is sparse: criteria for K need dense points, pass X.toarray()")
    codes = coded_partitions(labels, ks, points.shape[0])
    partitions = reduce_labellings(
        points,
        codes,
        {*reads, Moments} if neighbours else reads,
        options=PointOptions(n_neighbors=n_neighbors),
    )
    moments = {k: partitions[k][Moments] for k in codes} if neighbours else {}
    return Sweep(tuple(ks), partitions, splits_of(codes, moments))
