"""Maker of sums of the distances between weighted points: from centroids, or from blocks of rows against all points."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.block_distances import checked_blocks
from adjudge.engines.pairs.squared_sums import declare_squared_sums, is_cheaper, squared_means
from adjudge.engines.passes import Job, Pass
from adjudge.engines.protocols import Work
from adjudge.engines.sorted_points import HELD, strips
from adjudge.given.weights import PointWeights
from adjudge.statistics.pair_distances import MATRIX_CLUSTERS, PairSums, Silhouettes, silhouette_widths
from adjudge.statistics.weighted_points import WeightedPairSums, WeightedSilhouettes

__all__ = ["declare", "make"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_PLAIN = {WeightedPairSums: PairSums, WeightedSilhouettes: Silhouettes}


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics; see `Maker`."""
    if _from_centroids(job):
        yield from declare_squared_sums({_PLAIN[t] for t in types}, job)
    else:
        # Each distance is visited from both of its points.
        yield Pass(
            ("sums",), "pairs", 2 * job.n_pairs, memory=3 * 8 * HELD + job.n * (32 + 2 * job.row_bytes)
        )


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    assert work.weights is not None
    if not _from_centroids(work.job):
        return {t: made for t, made in _from_pairs(work, work.weights).items() if t in types}
    weights, codes = work.weights, work.codes
    made: dict[type, Any] = {}
    with one_blas_thread():
        means = squared_means(work, weights.values)
        if WeightedPairSums in types:
            sums = means.of_pairs()
            own = {field.name: getattr(sums, field.name) for field in fields(sums)}
            made[WeightedPairSums] = WeightedPairSums(**own, pairs=weights.pairs_within(codes))
        if WeightedSilhouettes in types:
            widths = means.widths(weights.others(codes))
            made[WeightedSilhouettes] = WeightedSilhouettes(means.sizes, codes, widths, weights.values)
    return made


def _from_centroids(job: Job) -> bool:
    """Return whether sums come from centroids; for sparse rows, these would ignore the weights."""
    return job.nnz is None and is_cheaper(job)


def _from_pairs(work: Work, weights: PointWeights) -> dict[type, Any]:
    """Make both statistics in one pass over the points sorted by cluster."""
    order = np.argsort(work.codes, kind="stable")
    codes, w, masses = work.codes[order], weights.values[order], weights.of_clusters(work.codes)
    n, k, starts = codes.size, masses.size, np.flatnonzero(np.diff(codes, prepend=-1))
    block = checked_blocks(work.X, work.options.metric)
    own, nearest = np.empty(n), np.empty(n)

    def reduced(rows: slice) -> tuple[Ints, Floats]:
        """Return the clusters of some rows, and the weighted sums of their distances to each cluster."""
        places = np.arange(rows.start, rows.stop)
        distances = block(order[rows], order)
        distances[places - rows.start, places] = 0.0
        distances *= w
        sums = np.add.reduceat(distances, starts, axis=1)
        mine = np.arange(places.size), codes[rows]
        own[rows] = sums[mine]
        means = sums / masses
        means[mine] = np.inf
        nearest[rows] = means.min(axis=1)
        begin = np.flatnonzero(np.diff(codes[rows], prepend=-1))
        return codes[rows][begin], np.add.reduceat(w[rows, None] * sums, begin, axis=0)

    def parts() -> Iterator[tuple[Ints, Floats]]:
        for rows, found in work.crew.map(reduced, strips(n, n)):
            yield found
            work.crew.advance((rows.stop - rows.start) * (n - 1))

    within, total, least = np.zeros(k), 0.0, np.inf
    matrix = np.zeros((k, k)) if k <= MATRIX_CLUSTERS else None
    for code, row in _whole(parts()):
        within[code] = row[code] / 2
        total += float(row[:code].sum())
        least = min(least, float((row[:code] / (masses[code] * masses[:code])).min(initial=np.inf)))
        if matrix is not None:
            matrix[code] = matrix[:, code] = row
            matrix[code, code] = within[code]
    values = np.full(n, np.nan)
    if k > 1:
        values[order] = silhouette_widths(own, weights.others(work.codes)[order], nearest)
    pairs = weights.pairs_within(work.codes)
    sums_of_pairs = WeightedPairSums(masses, within, total, least if k > 1 else np.nan, matrix, pairs)
    widths = WeightedSilhouettes(masses, work.codes, values, weights.values)
    return {WeightedPairSums: sums_of_pairs, WeightedSilhouettes: widths}


def _whole(parts: Iterable[tuple[Ints, Floats]]) -> Iterator[tuple[int, Floats]]:
    """Yield each cluster and the sums of its points: their runs may be cut."""
    last, total = 0, np.zeros(1)
    for clusters, sums in parts:
        for code, row in zip(clusters.tolist(), sums, strict=True):
            if code != last:
                yield last, total
                total = np.zeros(1)
            last, total = code, total + row
    yield last, total
