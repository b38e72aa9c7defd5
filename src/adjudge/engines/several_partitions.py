"""Reduction of several partitions of the same points; distances are sorted, or counted in bins, once for all of them.

The points fall into atoms, sets that no partition splits: which partitions join a point with an atom is looked up once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.neighbours import distances_from, nearest_neighbours
from adjudge.engines.pairs.histogram import Histogram
from adjudge.engines.pairs.layout import Layout
from adjudge.engines.pairs.ranks import ranks_from_histogram
from adjudge.engines.points import reduce_coded_points
from adjudge.engines.running.executor import Crew
from adjudge.errors import Argument, InputError
from adjudge.given.metrics import keeps_centroids
from adjudge.given.partitions import check_numbers_of_clusters, coded_partitions
from adjudge.given.point_options import BINS, PointOptions
from adjudge.given.points import as_points
from adjudge.kernels.label_sweep import compare_in_order, count_distances, list_distances
from adjudge.progress import part
from adjudge.statistics.moments import Moments
from adjudge.statistics.neighbours import NeighbourLabels, Neighbours
from adjudge.statistics.pair_distances import (
    DistanceTies,
    PairRanks,
    PairSums,
    TailSums,
    gathered,
    pairs_between,
    pairs_within,
)
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
# Partitions that share one pass: bits of a mask.
_MOST_PARTITIONS = 62
# Up to this many distances are sorted; above that they are counted in bins.
_MOST_SORTED = 5_000_000


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
        As for :func:`adjudge.engines.points.reduce_coded_points`. Ranks and sums of tails are exact up to five million
        distances; beyond that they come from 65,536 bins, in which comparisons are unknown and distances count as their
        mean.
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
    found = _one_by_one(X, labellings, rest, options, keep) if rest else {}
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


def _one_by_one(
    X: Any, labellings: Mapping[int, Codes], types: set[type], options: PointOptions, keep: Keep
) -> dict[int, dict[type, Any]]:
    ranked = {t for t in types if gathered([t]) & {"ranks", "ties", "tails"}}
    plain = keeps_centroids(X, options.metric)
    if len(labellings) < 2 or not ranked or not plain:
        return _each(X, labellings, types, options, len(labellings), keep)
    parts = len(labellings) + 1
    # Sums and extremes are cheaper one partition at a time: a partition into few clusters vectorises best.
    rest = types - ranked | ({PairSums} if TailSums in types else set())
    found = _each(X, labellings, rest, options, parts, keep)
    within = {k: float(found[k][PairSums].within.sum()) if TailSums in types else 0.0 for k in found}
    crew = Crew.of(options.n_jobs, part(options.progress, parts - 1, parts))
    keys = list(labellings)
    for first in range(0, len(keys), _MOST_PARTITIONS):
        some = {k: labellings[k] for k in keys[first : first + _MOST_PARTITIONS]}
        together = partial(_ranks, X, some, within, crew)
        for k, more in keep(some, {PairRanks, DistanceTies, TailSums}, together).items():
            found[k] = {t: s for t, s in {**found[k], **more}.items() if t in types}
    return found


def _each(
    X: Any,
    labellings: Mapping[int, Codes],
    types: set[type],
    options: PointOptions,
    parts: int,
    keep: Keep,
) -> dict[int, dict[type, Any]]:
    """Reduce the partitions one by one; each is one part of the work."""
    found: dict[int, dict[type, Any]] = {}
    for i, (k, codes) in enumerate(labellings.items()):
        own = replace(options, progress=part(options.progress, i, parts))
        found |= keep({k: codes}, types, partial(_reduced_one, X, k, codes, types, own))
    return found


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


@dataclass(frozen=True, eq=False)
class _Atoms:
    """Points sorted by atom.

    Attributes
    ----------
    order : ndarray of shape (n,)
        Input position of each sorted point.
    starts : ndarray of shape (atoms + 1,)
        Where each atom begins, and n.
    codes : ndarray of int32 of shape (partitions, n)
        Clusters of the sorted points.
    """

    order: Codes
    starts: Codes
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, labellings: Mapping[int, Codes]) -> _Atoms:
        """Find the atoms."""
        atom = np.zeros(next(iter(labellings.values())).size, np.int64)
        for codes in labellings.values():
            atom = np.unique(atom * (int(codes.max()) + 1) + codes, return_inverse=True)[1].astype(np.int64)
        order = np.argsort(atom, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(atom))])
        return cls(order, starts, np.array([codes[order] for codes in labellings.values()], np.int32))


@dataclass(frozen=True)
class _Laid:
    """The only part of distances that `ranks_from_histogram` reads: the layout of the clusters."""

    layout: Layout


def _ranks(
    X: Any, labellings: Mapping[int, Codes], within: Mapping[int, float], crew: Crew
) -> dict[int, dict[type, Any]]:
    atoms = _Atoms.of(labellings)
    n, p = X.shape
    points = np.zeros((-(-p // 4) * 4, n))
    points[:p] = X[atoms.order].T
    if n * (n - 1) // 2 <= _MOST_SORTED:
        return _ranks_by_sorting(points, atoms, labellings, within, crew)
    return _ranks_by_counting(points, atoms, labellings, within, crew)


def _spans(n: int, parts: int) -> list[slice]:
    """Cut the rows of a triangle into runs with about equally many pairs."""
    edges = np.unique((n * np.sqrt(np.linspace(0, 1, parts + 1))).round().astype(int))
    return [slice(int(a), int(b)) for a, b in pairwise(edges)]


def _ranks_by_sorting(
    points: Floats,
    atoms: _Atoms,
    labellings: Mapping[int, Codes],
    within: Mapping[int, float],
    crew: Crew,
) -> dict[int, dict[type, Any]]:
    n = points.shape[1]
    total = n * (n - 1) // 2
    distances, of_pair = np.empty(total), np.empty(total, np.int64)

    def fill(rows: slice) -> None:
        list_distances(points, rows.start, rows.stop, atoms.starts, atoms.codes, distances, of_pair)

    spans = _spans(n, 8)
    crew.expect(len(spans))
    for _ in crew.map(fill, spans):
        crew.advance(1)
    order = np.argsort(distances)
    ordered = distances[order]
    count = len(labellings)
    larger, ties = np.zeros(count, np.int64), np.zeros(count, np.int64)
    tied = int(compare_in_order(ordered, of_pair[order], larger, ties))
    up, down = np.cumsum(ordered), np.cumsum(ordered[::-1])
    found: dict[int, dict[type, Any]] = {}
    for bit, (key, codes) in enumerate(labellings.items()):
        sizes = np.bincount(codes)
        n_within, n_between = pairs_within(sizes), pairs_between(sizes)
        above, equal = int(larger[bit]), int(ties[bit])
        found[key] = {
            PairRanks: PairRanks(n_within, n_between, n_within * n_between - above - equal, above, equal),
            DistanceTies: DistanceTies(tied),
            TailSums: _tails(n_within, n_between, within[key], up, down),
        }
    return found


def _tails(n_within: int, n_between: int, within: float, up: Floats, down: Floats) -> TailSums:
    if n_within == 0 or n_between == 0:
        return TailSums(n_within, within, within, within)
    return TailSums(n_within, within, float(up[n_within - 1]), float(down[n_within - 1]))


def _ranks_by_counting(
    points: Floats,
    atoms: _Atoms,
    labellings: Mapping[int, Codes],
    within: Mapping[int, float],
    crew: Crew,
) -> dict[int, dict[type, Any]]:
    radii = np.sqrt(((points - points.mean(axis=1)[:, None]) ** 2).sum(axis=0))
    scale = Histogram.up_to(2 * float(radii.max()) * (1 + 1e-9)).scale
    spans = _spans(points.shape[1], 32)
    counts, sums = np.zeros((1 + len(labellings), BINS), np.int64), np.zeros(BINS)

    def count(rows: slice) -> tuple[NDArray[np.uint32], Floats]:
        own, own_sums = np.zeros(counts.shape, np.uint32), np.zeros(BINS)
        count_distances(points, rows.start, rows.stop, atoms.starts, atoms.codes, scale, own, own_sums)
        return own, own_sums

    crew.expect(len(spans))
    for _, (own, own_sums) in crew.map(count, spans):
        counts += own
        sums += own_sums
        crew.advance(1)
    found: dict[int, dict[type, Any]] = {}
    for bit, (key, codes) in enumerate(labellings.items()):
        sizes = np.bincount(codes)
        joined = counts[1 + bit]
        histogram = Histogram(scale, joined, counts[0] - joined)
        ranked = ranks_from_histogram(_Laid(Layout.of(codes, sizes)), histogram)  # type: ignore[arg-type]
        n_within = pairs_within(sizes)
        if pairs_between(sizes) == 0 or n_within == 0:
            tails = TailSums(n_within, within[key], within[key], within[key])
        else:
            smallest = _tail(counts[0], sums, n_within)
            largest = _tail(counts[0][::-1], sums[::-1], n_within)
            tails = TailSums(n_within, within[key], smallest, largest)
        found[key] = {PairRanks: ranked.ranks, DistanceTies: ranked.ties, TailSums: tails}
    return found


def _tail(counts: Codes, sums: Floats, wanted: int) -> float:
    """Sum the first `wanted` distances, treating those in one bin as equal."""
    filled = np.cumsum(counts)
    last = int(np.searchsorted(filled, wanted))
    missing = wanted - (int(filled[last - 1]) if last else 0)
    return float(sums[:last].sum() + missing * sums[last] / counts[last])
