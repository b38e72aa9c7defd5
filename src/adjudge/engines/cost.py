"""What passes over points cost on this machine: a few measured rates, applied to the passes that are declared."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from adjudge.atomic import write_atomically
from adjudge.engines.passes import Job
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
        What is measured by itself, and subtracted.
    """

    wanted: set[type]
    reads: int = _PAIRS
    n: int = _PAIR_POINTS
    k: int = 2
    few: int = _FEW
    many: int = _MANY
    memory_limit: int = 1 << 30
    beside: frozenset[type] = frozenset()


# By what passes do (see `Pass`).
_SAMPLES = {
    "extremes": _Sample({Diameters, CompleteLinkage}),
    "sums": _Sample({PairSums}),
    "sums and extremes": _Sample({PairSums, Diameters}),
    "hausdorff": _Sample({Hausdorff, PairSums}),
    "sorted": _Sample({PairRanks}),
    "binned": _Sample({PairRanks}, memory_limit=1 << 20),
    "tails": _Sample({TailSums}, memory_limit=1 << 20, beside=frozenset({PairRanks})),
    "products": _Sample({PairSums}, few=128, many=256),
    "trees": _Sample({SingleLinkage, Diameters}, _POINTS, _POINTS, many=4),
    "neighbours": _Sample({NeighbourLabels}),
    "reachability": _Sample({DensityTrees}),
    "gaps": _Sample({LinkageGaps}, _PAIRS // 2),
    "medoids": _Sample({MedoidProfile}, _PAIRS // 2),
    "outside": _Sample({OutsideExtremes}),
    "moments": _Sample({Moments}, 2 * _POINTS, _POINTS, 1),
    "scatter": _Sample({Scatter}, _POINTS, _POINTS, 1, beside=frozenset({Moments})),
    "centroids": _Sample({CentroidRatios}, 8 * _POINTS, _POINTS, 8, beside=frozenset({Moments})),
}


@dataclass(frozen=True)
class Rates:
    """Seconds of one core.

    Attributes
    ----------
    seconds : dict of str to tuple
        From what a pass does to seconds for each thing that it reads, for few and for many variables.
    """

    seconds: dict[str, tuple[float, float]]

    def of(self, does: str, p: int) -> float:
        """Seconds for each thing that is read, of `p` variables."""
        low, high = self.seconds[does]
        sample = _SAMPLES[does]
        slope = max(0.0, (high - low) / (sample.many - sample.few))
        return max(low + slope * (p - sample.few), low / 2)


def measured_rates() -> Rates:
    """Measure the rates, about a second's work, or read what was measured before."""
    path = _cache_path()
    try:
        stored = json.loads(path.read_text())
        return Rates({name: (low, high) for name, (low, high) in stored["seconds"].items()})
    except (OSError, ValueError, KeyError, TypeError):
        pass
    rates = _measure()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, json.dumps(asdict(rates)))
    except (OSError, InputError):
        pass  # measured again the next time
    return rates


def _cache_path() -> Path:
    from adjudge import __version__

    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "adjudge" / f"rates-{__version__}-{platform.node()}.json"


def _measure() -> Rates:
    return Rates({does: (_rate(s, s.few), _rate(s, s.many)) for does, s in _SAMPLES.items()})


def _rate(sample: _Sample, p: int) -> float:
    seconds = _seconds(sample.wanted, sample, p)
    if sample.beside:
        seconds = max(seconds - _seconds(sample.beside, sample, p), seconds / 10)
    return seconds / sample.reads


def _seconds(types: Iterable[type], sample: _Sample, p: int) -> float:
    X = np.random.default_rng(0).normal(size=(sample.n, p))
    codes = np.arange(sample.n) % sample.k
    options = PointOptions(n_jobs=1, memory_limit=sample.memory_limit)
    times = [time.perf_counter()]
    # The first run loads or compiles the kernels.
    for _ in range(4):
        reduce_coded_points(X, codes, types, options)
        times.append(time.perf_counter())
    return min(b - a for a, b in list(pairwise(times))[1:])


@dataclass(frozen=True)
class Cost:
    """What one group of statistics costs.

    Attributes
    ----------
    passes : int
        Over all pairs of points; over the points, if there is none over pairs.
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
    counts = {over: sum(p.times for p in passes if p.over == over) for over in ("points", "pairs")}
    seconds = sum(p.reads * p.times * sum(rates.of(does, job.p) for does in p.does) for p in passes)
    return Cost(counts["pairs"] or counts["points"], seconds, sum(p.memory for p in passes))
