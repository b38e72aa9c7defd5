"""Values and votes of the criteria for candidates, with noise treated as requested."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Codes
from adjudge.choosing.candidates import Candidate
from adjudge.choosing.kept_statistics import KeptStatistics
from adjudge.choosing.sampling import codes_at
from adjudge.choosing.work_folder import WorkFolder
from adjudge.engines.labellings import reduce_labellings
from adjudge.engines.points import reduce_coded_points
from adjudge.errors import InputError
from adjudge.given.gower import GOWER, over_ranges
from adjudge.given.metrics import keeps_centroids
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import is_all, is_default, select_indices
from adjudge.indices.cvnn_index import cvnn, cvnn_of, cvnn_parts
from adjudge.indices.internal_record import neighbours_read
from adjudge.indices.record import Index, Noted
from adjudge.progress import part
from adjudge.statistics.moments import need_coordinates
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import PairSums
from adjudge.statistics.reachability import DensityTrees

__all__ = ["Assessment", "assess", "criteria_for"]


ALL_NOISE = "all points are noise"
ONE_CLUSTER = "there is only one cluster"


@dataclass(frozen=True)
class Assessment:
    """Values by criterion and candidate, why some are undefined or infinite, and the statistics behind them.

    If only some points were read, `places` are their positions.
    """

    values: dict[str, dict[str, float]]
    reasons: dict[str, dict[str, str]]
    statistics: Mapping[str, Mapping[type, Any] | None]
    places: Codes | None = None


def criteria_for(asked: Any, X: Any, metric: Any) -> list[Index]:
    """Return the requested records; "all" and "default" mean those that rank any partitions of such points.

    Criteria that look for an elbow, or read neighbouring numbers of clusters, cannot rank arbitrary candidates.
    """
    if is_all(asked) or is_default(asked):
        chosen = [r for r in select_indices(asked, ("internal",)) if _ranks(r)]
        if not keeps_centroids(X, metric):
            chosen = [r for r in chosen if not need_coordinates(r.requires)]
        return [*chosen, cvnn]
    chosen = select_indices(asked, ("internal", "selection"))
    for record in chosen:
        if not _is_cvnn(record) and not _ranks(record):
            raise InputError(
                f"{record.name} does not rank candidates: it is of kind {record.kind}"
                + (", for sweeps over K: use choose_k()" if record.kind == "selection" else "")
            )
    return chosen


def _is_cvnn(record: Index) -> bool:
    return cvnn.name in (record.name, record.variant_of)


def _ranks(record: Index) -> bool:
    return record.kind == "internal" and record.better is not None and record.best_k in ("max", "min")


def assess(
    X: Any,
    candidates: Sequence[Candidate],
    records: Iterable[Index],
    options: PointOptions,
    noise: str,
    folder: WorkFolder,
    places: Codes | None = None,
) -> Assessment:
    """Compute the criteria of all candidates; identical partitions are reduced once.

    Parameters
    ----------
    X : ndarray of shape (n, p), or of distances (n, n), or scipy sparse CSR matrix
    candidates : sequence of Candidate
    records : iterable of Index
    options : PointOptions
    noise : {"drop", "singletons", "cluster"}
    folder : WorkFolder
        Folder that keeps statistics computed before.
    places : ndarray of int64, optional
        Positions of the points to read; default: all.
    """
    records = list(records)
    options = options.for_neighbours(neighbours_read(records))
    keep = KeptStatistics.of(folder, options)
    # Gower's distance divides by ranges among all rows that are judged, not among those that are drawn.
    ranges = (
        _RangesAmong(X, {c.name: c.codes for c in candidates}, noise) if options.metric == GOWER else None
    )
    if places is not None:
        keep = keep.of_some(places)
        X = X[np.ix_(places, places)] if options.metric == "precomputed" else X[places]
        candidates = [replace(c, codes=codes_at(c.codes, places)) for c in candidates]
    types = {t for r in records for t in r.reads_of_partition}
    statistics = _reduced(X, candidates, types, options, noise, keep, ranges)
    values: dict[str, dict[str, float]] = {}
    reasons: dict[str, dict[str, str]] = {}
    for record in records:
        found = (
            _compared(record, candidates, statistics)
            if _is_cvnn(record)
            else {c.name: _value(record, c, statistics[c.name]) for c in candidates}
        )
        values[record.name] = {
            name: float(v.value if isinstance(v, Noted) else v) for name, v in found.items()
        }
        said = {name: v.reason for name, v in found.items() if isinstance(v, Noted)}
        if said:
            reasons[record.name] = said
    return Assessment(values, reasons, statistics, places)


def _value(record: Index, candidate: Candidate, found: Mapping[type, Any] | None) -> float | Noted:
    if candidate.n_clusters == 0:
        return Noted(math.nan, ALL_NOISE)
    if candidate.n_clusters == 1 or found is None:
        # Many criteria have a value for one cluster, but none that is comparable with values for several.
        return Noted(math.nan, ONE_CLUSTER)
    value, reason = record.assess(*(found[t] for t in record.requires))
    return value if reason is None else Noted(value, reason)


def _compared(
    record: Index, candidates: Sequence[Candidate], statistics: Mapping[str, Mapping[type, Any] | None]
) -> dict[str, float | Noted]:
    parts: dict[str, tuple[float, float | Noted]] = {}
    for candidate in candidates:
        found = statistics[candidate.name]
        if candidate.n_clusters > 1 and found is not None:
            parts[candidate.name] = cvnn_parts(found[NeighbourLabels], found[PairSums], **record.parameters)
    values: dict[str, float | Noted] = dict(cvnn_of(parts))
    return {c.name: values.get(c.name, Noted(math.nan, ONE_CLUSTER)) for c in candidates}


@dataclass(frozen=True)
class _RangesAmong:
    """All points of mixed columns, with the partitions that say which are noise."""

    X: Any
    codes: Mapping[str, Codes]
    noise: str

    def judged(self, name: str) -> Bools:
        """Mask the points that a partition has judged."""
        return _treated(self.codes[name], self.noise)[0]


def _reduced(
    X: Any,
    candidates: Sequence[Candidate],
    types: set[type],
    options: PointOptions,
    noise: str,
    keep: KeptStatistics,
    ranges: _RangesAmong | None,
) -> dict[str, Mapping[type, Any] | None]:
    """Reduce each distinct partition; those that leave out the same points share what depends only on the points."""
    # Left out for all other criteria, noise is judged by those that read it.
    judged = {t for t in types if noise == "drop" and getattr(t, "reads_noise", False)}
    by_mask: dict[bytes, dict[str, Codes]] = {}
    masks: dict[bytes, Bools] = {}
    stands_for: dict[str, str] = {}
    first: dict[bytes, str] = {}
    found: dict[str, Mapping[type, Any] | None] = {}
    for candidate in candidates:
        kept, codes = _treated(candidate.codes, noise)
        if candidate.n_clusters < 2:
            found[candidate.name] = None
            continue
        mask = np.packbits(kept).tobytes()
        if ranges is not None:
            mask += np.packbits(ranges.judged(candidate.name)).tobytes()
        key = mask + _renumbered(codes).tobytes()
        stands_for[candidate.name] = first.setdefault(key, candidate.name)
        if first[key] == candidate.name:
            masks[mask] = kept
            by_mask.setdefault(mask, {})[candidate.name] = codes
    for i, (mask, labellings) in enumerate(by_mask.items()):
        kept = masks[mask]
        points, keep_these, rest = X, keep, types
        if not kept.all():
            keep_these, rest = keep.of_some(kept), types - judged
            places = np.flatnonzero(kept)
            points = X[np.ix_(places, places)] if options.metric == "precomputed" else X[places]
        if ranges is not None:
            of_all = ranges.X[ranges.judged(next(iter(labellings)))]
            points = over_ranges(points, np.flatnonzero(kept), of_all)
        told = replace(options, progress=part(options.progress, i, len(by_mask)))
        reduced = reduce_labellings(points, labellings, rest, options=told, keep=keep_these)  # type: ignore[arg-type]
        left_out = int(kept.size - kept.sum())
        for name, codes in labellings.items():
            with_noise: Mapping[type, Any] = {}
            if types - rest:
                whole = np.full(kept.size, codes.max() + 1)
                whole[kept] = codes
                whole_points = X if ranges is None else over_ranges(X, among=ranges.X)
                compute = partial(_judged, whole_points, name, whole, types - rest, options)
                with_noise = keep_these({name: whole}, types - rest, compute)[name]
            found[name] = {**_counting(reduced.get(name, {}), left_out), **with_noise}  # type: ignore[call-overload]
    return {c.name: found[stands_for.get(c.name, c.name)] for c in candidates}


def _judged(
    X: Any, name: str, codes: Codes, types: set[type], options: PointOptions
) -> dict[str, dict[type, Any]]:
    """Reduce all points to statistics that read noise, whose code is the last one."""
    noise = int(codes.max())
    return {name: reduce_coded_points(X, codes, types, replace(options, progress=None), noise=noise)}


def _counting(statistics: dict[type, Any], left_out: int) -> dict[type, Any]:
    """Record in the density trees how many points were left out as noise."""
    if DensityTrees in statistics and left_out:
        return {**statistics, DensityTrees: replace(statistics[DensityTrees], left_out=left_out)}
    return statistics


def _treated(codes: Codes, noise: str) -> tuple[Bools, Codes]:
    """Return which points are judged, and the codes of their clusters."""
    outside = codes < 0
    if noise == "drop" or not outside.any():
        return ~outside, codes[~outside]
    k = int(codes.max()) + 1
    own = np.arange(k, k + int(outside.sum())) if noise == "singletons" else k
    treated = codes.copy()
    treated[outside] = own
    return np.ones(codes.size, np.bool_), treated


def _renumbered(codes: Codes) -> Codes:
    """Enumerate the clusters in order of appearance."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    rank = np.empty(first.size, np.int64)
    rank[np.argsort(first)] = np.arange(first.size)
    return np.asarray(rank[inverse])
