"""Maker of sums of the distances between weighted points: from centroids, or from a pass over all pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.blas import one_blas_thread
from adjudge.engines.pairs.pair_pass import run_pairs
from adjudge.engines.pairs.squared_sums import declare_squared_sums, is_cheaper, squared_means
from adjudge.engines.passes import Job, Pass
from adjudge.engines.protocols import Work
from adjudge.given.weights import PointWeights
from adjudge.statistics.pair_distances import PairSums, Silhouettes
from adjudge.statistics.weighted_points import WeightedPairSums, WeightedSilhouettes

__all__ = ["declare", "make"]

Floats = NDArray[np.float64]

_PLAIN = {WeightedPairSums: PairSums, WeightedSilhouettes: Silhouettes}


def declare(types: set[type], job: Job) -> Iterator[Pass]:
    """Return the passes that make the statistics; see `Maker`."""
    if _from_centroids(job):
        yield from declare_squared_sums({_PLAIN[t] for t in types}, job)
    else:
        yield Pass(("sums",), "pairs", job.n_pairs, memory=job.n * (24 + job.row_bytes))


def make(types: set[type], work: Work) -> dict[type, Any]:
    """Make the statistics; see `Maker`."""
    assert work.weights is not None
    if not _from_centroids(work.job):
        return _from_pairs(types, work, work.weights)
    weights, codes = work.weights, work.codes
    made: dict[type, Any] = {}
    with one_blas_thread():
        means = squared_means(work, weights.values)
        if WeightedPairSums in types:
            made[WeightedPairSums] = _weighted(means.of_pairs(), weights.pairs_within(codes))
        if WeightedSilhouettes in types:
            widths = means.widths(weights.others(codes))
            made[WeightedSilhouettes] = WeightedSilhouettes(means.sizes, codes, widths, weights.values)
    return made


def _from_centroids(job: Job) -> bool:
    """Return whether sums come from centroids; for sparse rows, these would ignore the weights."""
    return job.nnz is None and is_cheaper(job)


def _from_pairs(types: set[type], work: Work, weights: PointWeights) -> dict[type, Any]:
    """Make both statistics in one pass over all pairs."""
    plain = {_PLAIN[t] for t in types}
    found = run_pairs(work.distances, plain, work.codes, work.crew, weights=weights).statistics()
    made: dict[type, Any] = {}
    if PairSums in found:
        made[WeightedPairSums] = _weighted(found[PairSums], weights.pairs_within(work.codes))
    if Silhouettes in found:
        widths = found[Silhouettes]
        made[WeightedSilhouettes] = WeightedSilhouettes(
            widths.sizes, work.codes, widths.values, weights.values
        )
    return made


def _weighted(sums: PairSums, pairs: Floats) -> WeightedPairSums:
    return WeightedPairSums(**{field.name: getattr(sums, field.name) for field in fields(sums)}, pairs=pairs)
