"""The cost of passes over points on this machine: a few measured rates, applied to the declared passes."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.atomic import write_atomically
from adjudge.engines.passes import Job, Pass
from adjudge.engines.points import declared_passes, reduce_coded_points
from adjudge.errors import InputError
from adjudge.given.point_options import PointOptions
from adjudge.statistics.moments import CentroidRatios, Moments, Scatter
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairRanks,
    PairSums,
    SingleLinkage,
    TailSums,
)
from adjudge.statistics.prototypes import MedoidProfile, OutsideExtremes
from adjudge.statistics.reachability import DensityTrees, LinkageGaps

__all__ = ["Cost", "Rates", "cost_of", "measured_rates"]

_FEW, _MANY = 2, 16
_PAIR_POINTS = 3000
_PAIRS = _PAIR_POINTS * (_PAIR_POINTS - 1) // 2
_POINTS = 20_000


# Points for rates that take longer to measure, and for those that take longest.
_HALF_POINTS, _FEW_POINTS = 1500, 400
# Points whose distances are sorted without counting them first.
_SORTED_POINTS = 1400
_SORTED_PAIRS = _SORTED_POINTS * (_SORTED_POINTS - 1) // 2
_HALF_PAIRS, _FEW_PAIRS = _HALF_POINTS * (_HALF_POINTS - 1) // 2, _FEW_POINTS * (_FEW_POINTS - 1) // 2
_FEW_NEIGHBOURS, _MANY_NEIGHBOURS = 10, 90
# The shortest of several runs counts: few if they take long, but never just one, which may load or compile a kernel.
_LEAST_RUNS, _RUNS, _LONG_ENOUGH = 2, 3, 0.05
# The first run, which does not count, takes every eighth point.
_SOME = 8
# Entries of a sparse row.
_ENTRIES = 40


def _dense(n: int, p: int) -> Any:
    return np.random.default_rng(0).normal(size=(n, p))


def _sparse(n: int, entries: int, columns: int) -> Any:
    from scipy.sparse import csr_matrix

    rng = np.random.default_rng(0)
    # One entry in each of `entries` equal parts of the columns.
    starts = np.arange(entries) * columns // entries
    places = starts + rng.integers(0, columns // entries, (n, entries))
    return csr_matrix((rng.random(n * entries), places.ravel(), np.arange(n + 1) * entries), (n, columns))


def _rows_in_common(n: int, common: int) -> Any:
    """Return sparse rows, any two of which have this many entries in common on average."""
    return _sparse(n, _ENTRIES, _ENTRIES**2 // common)


def _rows_of_entries(n: int, entries: int) -> Any:
    return _sparse(n, entries, 8 * entries)


@dataclass(frozen=True)
class _Sample:
    """How a rate is measured.

    Attributes
    ----------
    wanted : set of type
    reads : int
    n, k : int
        Points and clusters.
    few, many : int
        Numbers of variables.
    memory_limit : int
    beside : set of type
        Statistics that are measured separately and subtracted.
    n_neighbors, fewer_neighbors : int
        Neighbours found, and the smaller number whose separately measured time is subtracted; 0 for none.
    metric : str
    points : callable
        Makes the points, from their number and the number of variables.
    """

    wanted: set[type]
    reads: int = _PAIRS
    n: int = _PAIR_POINTS
    k: int = 2
    few: int = _FEW
    many: int = _MANY
    memory_limit: int = 1 << 30
    beside: frozenset[type] = frozenset()
    n_neighbors: int = _FEW_NEIGHBOURS
    fewer_neighbors: int = 0
    metric: str = "euclidean"
    points: Callable[[int, int], Any] = _dense


# Distances between sparse rows, by the entries that two have in common and by the entries of a row.
_SPARSE_COSINES, _SPARSE_DIFFERENCES = "cosines of sparse rows", "differences of sparse rows"

# By the kind of work (see `Pass.does`).
_SAMPLES = {
    "extremes": _Sample({Diameters, CompleteLinkage}),
    "sums": _Sample({PairSums}),
    "sums and extremes": _Sample({PairSums, Diameters}),
    "hausdorff": _Sample({Hausdorff, PairSums}),
    "sorted": _Sample({PairRanks}, _SORTED_PAIRS, _SORTED_POINTS),
    # Beyond the distances, which a sweep computes.
    "binned": _Sample({PairRanks}, memory_limit=1 << 20, beside=frozenset({PairSums})),
    "tails": _Sample({TailSums}, beside=frozenset({PairSums})),
    "products": _Sample({PairSums}, _HALF_PAIRS, _HALF_POINTS, few=128, many=256),
    "trees": _Sample({SingleLinkage, Diameters}, _POINTS, _POINTS, many=4),
    "neighbours": _Sample({NeighbourLabels}, few=8, many=32, n_neighbors=1),
    "neighbours kept": _Sample(
        {NeighbourLabels},
        _HALF_POINTS * (_MANY_NEIGHBOURS - _FEW_NEIGHBOURS),
        _HALF_POINTS,
        few=8,
        many=32,
        n_neighbors=_MANY_NEIGHBOURS,
        fewer_neighbors=_FEW_NEIGHBOURS,
    ),
    "means of sparse rows": _Sample(
        {PairSums}, _PAIR_POINTS * _ENTRIES, metric="cosine", points=_rows_in_common
    ),
    _SPARSE_COSINES: _Sample({Diameters}, _HALF_PAIRS, _HALF_POINTS, metric="cosine", points=_rows_in_common),
    _SPARSE_DIFFERENCES: _Sample(
        {Diameters}, _FEW_PAIRS, _FEW_POINTS, few=8, many=64, points=_rows_of_entries
    ),
    "reachability": _Sample({DensityTrees}, _PAIRS // 2 + _PAIRS // 8),
    "gaps": _Sample({LinkageGaps}, _PAIRS // 2),
    "medoids": _Sample({MedoidProfile}, 2 * _POINTS * isqrt(_POINTS), _POINTS, 1),
    "outside": _Sample({OutsideExtremes}, few=8, many=32),
    "moments": _Sample({Moments}, 2 * _POINTS, _POINTS, 1),
    "scatter": _Sample({Scatter}, _POINTS, _POINTS, 1, beside=frozenset({Moments})),
    "centroids": _Sample({CentroidRatios}, 8 * _POINTS, _POINTS, 8, beside=frozenset({Moments})),
}


@dataclass(frozen=True)
class Rates:
    """Measured rates, in seconds of one core.

    Attributes
    ----------
    seconds : dict of str to tuple
        From the kind of work to seconds for each item read, with few and with many variables.
    """

    seconds: dict[str, tuple[float, float]]

    def of(self, does: str, p: int) -> float:
        """Return the seconds for each item read, with `p` variables."""
        low, high = self.seconds[does]
        sample = _SAMPLES[does]
        slope = max(0.0, (high - low) / (sample.many - sample.few))
        return max(low + slope * (p - sample.few), low / 2)


def measured_rates() -> Rates:
    """Measure the rates, which takes about two seconds, or read earlier measurements of the same loops."""
    path, build = _cache_path(), _build()
    try:
        stored = json.loads(path.read_text())
        # A clock that stood still has measured nothing.
        if stored["build"] == build and all(min(own) > 0 for own in stored["seconds"].values()):
            return Rates({name: (low, high) for name, (low, high) in stored["seconds"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    rates = _measure()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps({"build": build, **asdict(rates)}))
    except (OSError, InputError):
        pass  # measured again the next time
    return rates


def _cache_path() -> Path:
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "adjudge" / f"rates-{platform.node()}.json"


def _build() -> str:
    """Return a hash of the compiled loops and of the code that measures them."""
    from adjudge import kernels

    assert kernels.__file__ is not None
    files = [Path(__file__), *sorted(Path(kernels.__file__).parent.glob("_*.*"))]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _measure() -> Rates:
    return Rates({does: (_rate(s, s.few), _rate(s, s.many)) for does, s in _SAMPLES.items()})


def _rate(sample: _Sample, p: int) -> float:
    seconds = _seconds(sample.wanted, sample, p)
    if sample.beside:
        seconds = max(seconds - _seconds(sample.beside, sample, p), seconds / 10)
    if sample.fewer_neighbors:
        fewer = replace(sample, n_neighbors=sample.fewer_neighbors)
        seconds = max(seconds - _seconds(sample.wanted, fewer, p), seconds / 10)
    return seconds / sample.reads


def _seconds(types: Iterable[type], sample: _Sample, p: int) -> float:
    X = sample.points(sample.n, p)
    codes = np.arange(sample.n) % sample.k
    options = PointOptions(
        metric=sample.metric, n_jobs=1, memory_limit=sample.memory_limit, n_neighbors=sample.n_neighbors
    )
    # The first run loads or compiles the kernels; a few points suffice for that.
    few = slice(None, None, _SOME)
    reduce_coded_points(X[few], np.unique(codes[few], return_inverse=True)[1], types, options)
    times: list[float] = []
    while len(times) < _LEAST_RUNS or (len(times) < _RUNS and sum(times) < _LONG_ENOUGH):
        # Processor time, since other processes may be running.
        begun = time.process_time()
        reduce_coded_points(X, codes, types, options)
        times.append(time.process_time() - begun)
    return min(times) or sum(times) / len(times)


@dataclass(frozen=True)
class Cost:
    """The cost of one group of statistics.

    Attributes
    ----------
    passes : int
        Number over all pairs of points or, if there are none, over the points.
    core_seconds : float
        One core's time.
    memory : int
        Bytes beyond the points themselves.
    """

    passes: int
    core_seconds: float
    memory: int


def cost_of(types: Iterable[type], job: Job, rates: Rates) -> Cost:
    """Predict the cost of reducing points to some statistics."""
    passes = declared_passes(types, job)
    # A sweep that finds the nearest points of other clusters leaves next to nothing for the outside pass.
    if any("hausdorff" in p.does for p in passes):
        passes = [p for p in passes if p.does != ("outside",)]
    counts = {over: sum(p.times for p in passes if p.over == over) for over in ("points", "pairs")}
    seconds = sum(p.reads * p.times * _seconds_each(p, job, rates) for p in passes)
    return Cost(counts["pairs"] or counts["points"], seconds, sum(p.memory for p in passes))


def _seconds_each(own: Pass, job: Job, rates: Rates) -> float:
    """Return the seconds for each item that a pass reads."""
    if job.nnz is None or own.over == "points":
        return sum(rates.of(does, job.entries) for does in own.does)
    # Distances of sparse rows are computed first; further work on them does not depend on the variables.
    seconds = sum(rates.of(does, _SAMPLES[does].few) for does in own.does)
    if job.squared:
        return seconds + rates.of(_SPARSE_COSINES, job.entries**2 // job.p)
    return seconds + rates.of(_SPARSE_DIFFERENCES, job.entries)
