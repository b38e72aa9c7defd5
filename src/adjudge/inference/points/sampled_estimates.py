"""A quick look: indices of distances estimated from small samples of the points, with intervals.

Several samples are drawn, each with its share of every cluster, and each is split into halves. Their statistics are
scaled to all points. A bias inversely proportional to the size of a sample is twice as large in its halves, so it is
removed by taking twice the value of the sample minus the mean of its halves. The estimate is the mean of this over the
samples, with the interval of a mean. Rows against all columns would have no such bias. But for as many distances their
errors were 1.4 to 4.2 times as large (silhouette and McClain-Rao, 20,000 points, four laws in 2 and 10 variables):
fewer points are looked at.

Samples miss extremes (closest and farthest points): such indices are extrapolated from samples and halves to the number
of all points, as a power of it. This gives no interval, but some of them have a bound on one side: no gap between all
points is wider than in a sample, and no cluster narrower.

The cost, and the expected width of the intervals, are available before anything runs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.engines.cost import Rates, cost_of
from adjudge.engines.passes import Job
from adjudge.engines.points import reduce_coded_points, reduce_partitioned
from adjudge.errors import InputError, Option
from adjudge.given.options import check_confidence, random_generator
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.point_options import PointOptions
from adjudge.indices.internal_record import InternalIndex, neighbours_read
from adjudge.indices.record import Index
from adjudge.inference.points.scaled_statistics import scaled_up
from adjudge.inference.refusals import reason_of
from adjudge.statistics.moments import made_by_centroids
from adjudge.statistics.pair_distances import (
    ClusterSizes,
    CompleteLinkage,
    Diameters,
    SingleLinkage,
    gathered,
)
from adjudge.statistics.reachability import NOT_SAMPLED
from adjudge.statistics.reduced import ReducedPoints
from adjudge.usual_seed import USUAL_SEED

SAMPLES = 10
# Least number of points of a cluster in half a sample, if it has that many: a single point has no distance within.
LEAST_IN_SAMPLE = 2
# Least number of samples in which an index must be defined.
_DEFINED = 3


#: The smallest and the largest possible value of a statistic.
Bounds = tuple[Any, Any]


@dataclass(frozen=True)
class SampledValue:
    """A value that was not computed from all points.

    Attributes
    ----------
    value : float
    low, high : float
        Limits of its interval; nan if there is none.
    reason : str
        Says that the value is an estimate, and from what; or why there is none.
    """

    value: float
    low: float
    high: float
    reason: str


def _none(rule: str) -> SampledValue:
    """Return an undefined value with the reason of a rule."""
    return SampledValue(math.nan, math.nan, math.nan, reason_of(rule))


def quick_look(
    partitioned: PartitionedPoints,
    records: Sequence[InternalIndex],
    sample: int,
    *,
    confidence: float = 0.95,
    random_state: Any = USUAL_SEED,
    progress: Any = None,
) -> tuple[ReducedPoints, dict[str, SampledValue]]:
    """Estimate indices of distances from samples, and reduce all points to what the other indices need.

    Parameters
    ----------
    partitioned : PartitionedPoints
    records : sequence of Index
    sample : int
        Size of a sample, of which ten are drawn. If these would have as many pairs as all points, nothing is estimated.
    confidence : float, default 0.95
    random_state : int, Generator, SeedSequence or None, default 0
    progress : callable, optional
        Called with the numbers of finished and of all samples.

    Returns
    -------
    ReducedPoints
        Statistics of all points, for the indices that are not estimated.
    dict of str to SampledValue
    """
    check_confidence(confidence)
    codes, options = partitioned.codes, partitioned.options
    n, sizes = codes.size, np.bincount(codes)
    _check_sample(sample, n, sizes.size)
    fixed = PointOptions(
        metric=options.metric,
        memory_limit=options.memory_limit,
        n_jobs=options.n_jobs,
        n_neighbors=options.n_neighbors,
    ).for_neighbours(neighbours_read(records))
    estimated = [] if costs_as_much(sample, n) else records
    local = [r for r in estimated if not NOT_SAMPLED.isdisjoint(r.requires)]
    sampled = [r for r in estimated if r not in local and cost_little(r.requires) != {*r.requires}]
    exact = {t for r in records if r not in sampled and r not in local for t in r.requires}
    exact |= cost_little(t for r in sampled for t in r.requires)
    reduced = reduce_partitioned(replace(partitioned, options=fixed), exact)
    estimates = {r.name: _none("not in samples") for r in local}
    if sampled:
        samples = _Samples(partitioned, sampled, reduced, sample, fixed)
        seen = samples.draw(random_generator(random_state), progress)
        bounds = samples.extremes.bounds()
        drawn = f"an estimate from {SAMPLES} samples of {sample:,} of {n:,} points"
        for record in sampled:
            own = seen[record.name]
            if "extremes" not in gathered(record.requires):
                estimates[record.name] = _mean(record, own, drawn, confidence)
            else:
                within = _possible(record, bounds, reduced)
                estimates[record.name] = _extrapolated(record, own, n / sample, within, drawn)
    return reduced, estimates


def costs_as_much(sample: int, n: int) -> bool:
    """Return whether samples of this size and their halves have as many pairs as all n points."""
    return SAMPLES * (sample**2 + 2 * (sample // 2) ** 2) >= n**2


def _check_sample(sample: Any, n: int, n_clusters: int) -> None:
    if isinstance(sample, bool) or not isinstance(sample, (int, np.integer)) or sample < 10:
        raise InputError(Option("sample_size", sample), ": a number of points, at least 10, is needed")
    if sample < 2 * LEAST_IN_SAMPLE * n_clusters and sample < n:
        raise InputError(
            Option("sample_size", sample),
            f" is too small for {n_clusters} clusters: give at least {2 * LEAST_IN_SAMPLE * n_clusters}",
        )


class _Samples:
    """Samples of the points with each cluster's share, and the values of indices in them.

    Parameters
    ----------
    partitioned : PartitionedPoints
    records : sequence of Index
    reduced : ReducedPoints
        Statistics of all points, which replace those of a sample if they cost little.
    size : int
    options : PointOptions
        For the reduction of a sample.
    """

    def __init__(
        self,
        partitioned: PartitionedPoints,
        records: Sequence[InternalIndex],
        reduced: ReducedPoints,
        size: int,
        options: PointOptions,
    ) -> None:
        self._points, self._codes = partitioned.points, partitioned.codes
        self._sizes = np.bincount(self._codes)
        self._records, self._size, self._options = records, size, options
        required = {t for r in records for t in r.requires}
        self._central = {t: reduced[t] for t in cost_little(required)}
        self._wanted = required - self._central.keys()
        self.extremes = _SampledExtremes(self._sizes)

    def draw(self, generator: np.random.Generator, progress: Any) -> dict[str, _Seen]:
        """Draw samples; return the values of each index, by name, in all samples and their halves."""
        seen = {r.name: _Seen([], []) for r in self._records}
        for done in range(SAMPLES):
            whole, halves = _stratified(self._codes, self._sizes, self._size, generator)
            of_whole, of_halves = self._values(whole), [self._values(half) for half in halves]
            for name, own in seen.items():
                own.whole.append(of_whole[name])
                own.halves.append([of_half[name] for of_half in of_halves])
            if progress is not None:
                progress(done + 1, SAMPLES)
        return seen

    def _values(self, rows: Ints) -> dict[str, float]:
        precomputed = self._options.metric == "precomputed"
        some = self._points[np.ix_(rows, rows)] if precomputed else self._points[rows]
        codes = self._codes[rows]
        found = reduce_coded_points(some, codes, self._wanted, self._options)
        self.extremes.add(found)
        found = scaled_up(found, np.bincount(codes, minlength=self._sizes.size), self._sizes) | self._central
        return {r.name: r.assess(*(found[t] for t in r.requires))[0] for r in self._records}


def cost_little(types: Iterable[type]) -> frozenset[type]:
    """Return the statistics that need no pass over all pairs."""
    return made_by_centroids(types) | {t for t in types if t is ClusterSizes}


class _SampledExtremes:
    """Bounds on the extremes of all points from those of samples: no gap is wider, and no cluster narrower."""

    def __init__(self, sizes: Ints) -> None:
        self._sizes = sizes
        self._closest, self._farthest = np.inf, 0.0
        self._diameters = np.zeros(sizes.size)

    def add(self, found: dict[type, Any]) -> None:
        """Add a sample."""
        if SingleLinkage in found:
            self._closest = np.fmin(self._closest, found[SingleLinkage].smallest)
        if CompleteLinkage in found:
            self._farthest = np.fmax(self._farthest, found[CompleteLinkage].smallest)
        if Diameters in found:
            self._diameters = np.maximum(self._diameters, found[Diameters].values)

    def bounds(self) -> dict[type, Bounds]:
        """Return each statistic at its smallest and largest."""
        k, sizes = self._sizes.size, self._sizes
        return {
            SingleLinkage: (SingleLinkage(k, 0.0, None), SingleLinkage(k, self._closest, None)),
            CompleteLinkage: (CompleteLinkage(k, self._farthest, None), CompleteLinkage(k, np.inf, None)),
            Diameters: (Diameters(sizes, self._diameters), Diameters(sizes, np.full(k, np.inf))),
        }


def _possible(
    record: InternalIndex, bounds: dict[type, Bounds], reduced: ReducedPoints
) -> tuple[float, float] | None:
    """Return the bounds of an index; None if they are uninformative.

    The formulas are monotone in each statistic, so the bounds are reached at the corners.
    """
    known = [bounds.get(t) or ((reduced[t],) if t in reduced else ()) for t in record.requires]
    corners = [record.assess(*some)[0] for some in itertools.product(*known)]
    if not corners or any(map(math.isnan, corners)):
        return None
    low, high = max(min(corners), record.range[0]), min(max(corners), record.range[1])
    return None if (low, high) == record.range else (low, high)


def _stratified(
    codes: Ints, sizes: Ints, size: int, generator: np.random.Generator
) -> tuple[Ints, tuple[Ints, Ints]]:
    """Draw about `size` points, with each cluster's share, and two halves of them; return their positions.

    Clusters that are too small to split are in both halves.
    """
    least = 2 * LEAST_IN_SAMPLE
    # Round at random, in proportion to the remainder: with the same rounding in all samples, shares would be biased.
    shares = np.floor(sizes * (size / codes.size) + generator.random(sizes.size)).astype(np.int64)
    shares = np.minimum(sizes, np.maximum(least, shares))
    order = np.argsort(codes, kind="stable")
    starts = np.cumsum(sizes) - sizes
    drawn = [
        order[start + generator.choice(own, share, replace=False)]
        for start, own, share in zip(starts, sizes, shares, strict=True)
    ]
    halves = (
        [rows if rows.size < least else rows[: rows.size // 2] for rows in drawn],
        [rows if rows.size < least else rows[rows.size // 2 :] for rows in drawn],
    )
    first, second = (np.sort(np.concatenate(half)) for half in halves)
    return np.sort(np.concatenate(drawn)), (first, second)


@dataclass(frozen=True)
class _Seen:
    """Values of one index in the samples, and in the two halves of each."""

    whole: list[float]
    halves: list[list[float]]

    @property
    def corrected(self) -> Floats:
        """Values without the bias inversely proportional to the size of a sample."""
        found = 2 * np.array(self.whole) - np.mean(self.halves, axis=1)
        return np.asarray(found[np.isfinite(found)])


def _mean(record: InternalIndex, seen: _Seen, drawn: str, confidence: float) -> SampledValue:
    """Estimate by the mean of the samples' values, with the interval of a mean."""
    from scipy.stats import t

    values = seen.corrected
    if values.size < _DEFINED:
        return _none("undefined in samples")
    mean = float(values.mean())
    step = float(t.ppf((1 + confidence) / 2, values.size - 1) * values.std(ddof=1) / math.sqrt(values.size))
    low, high = record.range
    return SampledValue(min(max(mean, low), high), max(mean - step, low), min(mean + step, high), drawn)


def _extrapolated(
    record: InternalIndex, seen: _Seen, times: float, within: tuple[float, float] | None, drawn: str
) -> SampledValue:
    """Extrapolate the values of half and whole samples to `times` as many points, within the known bound."""
    smaller, larger = (np.ravel(values) for values in (seen.halves, seen.whole))
    smaller, larger = smaller[np.isfinite(smaller)], larger[np.isfinite(larger)]
    if larger.size < _DEFINED:
        return _none("undefined in samples")
    value = float(larger.mean())
    if smaller.size >= _DEFINED and (smaller > 0).all() and (larger > 0).all():
        value *= times ** math.log(value / float(smaller.mean()), 2)
    coarse = f"{drawn}; samples miss closest and farthest points, so it is extrapolated and coarse"
    if within is None:
        return SampledValue(value, math.nan, math.nan, f"{coarse}; no bounds are known")
    low, high = within
    side = f"at most {high:.3g}" if low == record.range[0] else f"at least {low:.3g}"
    return SampledValue(
        min(max(value, low), high),
        low,
        high,
        f"{coarse}; the value of all points is {side} for certain",
    )


# Least number of points of a sample, in all and for each cluster.
_SIZE, _EACH = 5000, 4 * LEAST_IN_SAMPLE
# Width of the 95 % interval times the root of the sample size: the median over the data of benchmarks/sampled.py.
_WIDTHS = {
    "silhouette": 0.25,
    "mcclain_rao": 0.18,
    "gamma": 0.24,
    "tau": 0.12,
    "c_index": 0.12,
    "point_biserial": 0.69,
}


def expected_width(name: str, size: int) -> float | None:
    """Return the width of the 95 % interval of an index from samples of this size; None if it was not measured."""
    return _WIDTHS[name] / math.sqrt(size) if name in _WIDTHS else None


def plan_sample(records: Iterable[Index], job: Job, rates: Rates) -> tuple[int, float, tuple[str, ...]]:
    """Return the size of a sample, the seconds of one core, and the names of the indices that can be estimated."""
    size = max(_SIZE, _EACH * job.k)
    sampled = [r for r in records if NOT_SAMPLED.isdisjoint(r.requires) and not _is_central(r)]
    if costs_as_much(size, job.n) or not sampled:
        return size, 0.0, ()
    types = {t for r in sampled for t in r.requires}
    whole, half = (cost_of(types, replace(job, n=n), rates).core_seconds for n in (size, size // 2))
    seconds = SAMPLES * (whole + 2 * half)
    return size, seconds, tuple(r.name for r in sampled)


def _is_central(record: Index) -> bool:
    return cost_little(record.requires) == {*record.requires}
