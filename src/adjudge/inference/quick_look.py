"""A quick look: indices of distances estimated from small samples of the points, with intervals.

Several samples are drawn, each with its share of every cluster. An estimate is the mean of the samples' values, its
interval that of the mean. Extremes (closest and farthest points) are missed by samples: such indices are taken from
samples of two sizes and followed on to the number of all points, as a power of it; the interval reaches from what was
seen to what that foretells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.threads import coded_points, reduce_coded_points
from adjudge.errors import InputError
from adjudge.indices.record import InternalIndex
from adjudge.inputs.options import check_confidence, random_generator
from adjudge.statistics.moments import POINT_STATISTICS
from adjudge.statistics.pair_distances import (
    EXTREME_STATISTICS,
)
from adjudge.statistics.reduced import ReducedPoints

__all__ = ["Estimate", "quick_look"]

Ints = NDArray[np.int64]

_SAMPLES = 10
# Of a cluster, as far as it has them: fewer have no distance within.
_LEAST = 2


@dataclass(frozen=True)
class Estimate:
    """A value that was not computed from all points.

    Attributes
    ----------
    value, low, high : float
    reason : str
        Says that it is an estimate, and from what; or why there is none.
    """

    value: float
    low: float
    high: float
    reason: str


def quick_look(
    X: Any,
    labels: Any,
    records: Sequence[InternalIndex],
    sample: int,
    *,
    confidence: float = 0.95,
    random_state: Any = None,
    metric: Any = "euclidean",
    memory_limit: int = 1 << 30,
    missing: str = "raise",
    noise: str = "cluster",
    noise_label: Any = -1,
    n_threads: int | None = None,
    progress: Any = None,
) -> tuple[ReducedPoints, dict[str, Estimate]]:
    """Estimate indices of distances, and reduce all points to what the other indices need.

    Parameters
    ----------
    X, labels, metric, memory_limit, missing, noise, noise_label, n_threads
        As for :func:`adjudge.engines.threads.reduce_points`.
    records : sequence of Index
    sample : int
        Points of a sample; ten are drawn. Where there are no more points than that nothing is estimated.
    confidence : float, default 0.95
    random_state : int, Generator, SeedSequence or None
    progress : callable, optional
        Called with the number of samples done, and of all.

    Returns
    -------
    ReducedPoints
        Of all points, for the indices that are not estimated.
    dict of str to Estimate
    """
    check_confidence(confidence)
    if isinstance(sample, bool) or not isinstance(sample, (int, np.integer)) or sample < 10:
        raise InputError(f"sample={sample!r}: a number of points, at least 10, is needed")
    precomputed = isinstance(metric, str) and metric == "precomputed"
    points, codes, clusters, kept = coded_points(
        X,
        labels,
        precomputed=precomputed,
        memory_limit=memory_limit,
        missing=missing,
        noise=noise,
        noise_label=noise_label,
    )
    n, sizes = codes.size, np.bincount(codes)
    if sample < 2 * _LEAST * sizes.size and sample < n:
        raise InputError(
            f"sample={sample} is too small for {sizes.size} clusters: give at least {2 * _LEAST * sizes.size}"
        )
    fixed: dict[str, Any] = {"metric": metric, "memory_limit": memory_limit, "n_threads": n_threads}
    sampled = [r for r in records if n > sample and not POINT_STATISTICS.issuperset(r.requires)]
    exact = {t for r in records if r not in sampled for t in r.requires}
    reduced = ReducedPoints(reduce_coded_points(points, codes, exact, **fixed), clusters, sizes, kept)
    wanted = {t for r in sampled for t in r.requires}
    if not sampled:
        return reduced, {}
    generator = random_generator(random_state)
    values: dict[int, dict[str, list[float]]] = {
        size: {r.name: [] for r in sampled} for size in (sample // 2, sample)
    }
    for done in range(_SAMPLES):
        for size, into in values.items():
            rows = _stratified(codes, sizes, size, generator)
            some = points[np.ix_(rows, rows)] if precomputed else points[rows]
            found = reduce_coded_points(some, codes[rows], wanted, **fixed)
            for record in sampled:
                into[record.name].append(record.assess(*(found[t] for t in record.requires))[0])
        if progress is not None:
            progress(done + 1, _SAMPLES)
    half, whole = values.values()
    return reduced, {
        r.name: _estimate(r, half[r.name], whole[r.name], sample, n, confidence) for r in sampled
    }


def _stratified(codes: Ints, sizes: Ints, size: int, generator: np.random.Generator) -> Ints:
    """Positions of about `size` points, of each cluster its share."""
    shares = np.minimum(sizes, np.maximum(_LEAST, np.round(sizes * (size / codes.size)).astype(np.int64)))
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    drawn = [
        order[start + generator.choice(own, share, replace=False, shuffle=False)]
        for start, own, share in zip(starts, sizes, shares, strict=True)
    ]
    return np.sort(np.concatenate(drawn))


def _estimate(
    record: InternalIndex, half: list[float], whole: list[float], sample: int, n: int, confidence: float
) -> Estimate:
    from scipy.stats import t

    defined = np.array([value for value in whole if math.isfinite(value)])
    if defined.size < 3:
        return Estimate(math.nan, math.nan, math.nan, "undefined in samples of the points")
    mean = float(defined.mean())
    step = float(
        t.ppf((1 + confidence) / 2, defined.size - 1) * defined.std(ddof=1) / math.sqrt(defined.size)
    )
    low, high = mean - step, mean + step
    reason = f"an estimate from {defined.size} samples of {sample:,} of {n:,} points"
    if EXTREME_STATISTICS.intersection(record.requires):
        smaller = np.array([value for value in half if math.isfinite(value)])
        if smaller.size >= 3 and (smaller > 0).all() and (defined > 0).all():
            slope = math.log(mean / float(smaller.mean()), 2)
            foretold = mean * (n / sample) ** slope
            low, high = min(low, foretold), max(high, foretold)
            mean = foretold
        reason += "; samples miss closest and farthest points, so it is extrapolated and coarse"
    bound_low, bound_high = record.range
    return Estimate(min(max(mean, bound_low), bound_high), max(low, bound_low), min(high, bound_high), reason)
