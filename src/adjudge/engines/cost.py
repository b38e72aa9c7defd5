"""What passes over points cost on this machine: a few measured rates, and a model of what a reduction does."""

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
from adjudge.engines.pairs.ranks import Budget
from adjudge.engines.points import POINT_STATISTICS, reduce_coded_points
from adjudge.engines.running.crew import Crew
from adjudge.errors import InputError
from adjudge.given.point_options import PointOptions
from adjudge.statistics.moments import CentroidRatios, MidpointDensities, Moments, Scatter
from adjudge.statistics.pair_distances import (
    EXTREME_STATISTICS,
    RANK_STATISTICS,
    SUM_STATISTICS,
    CompleteLinkage,
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    TailSums,
)

__all__ = ["Cost", "Rates", "cost_of", "measured_rates"]

_FEW, _MANY = 2, 16
_PAIR_POINTS = 3000
_CENTRAL_POINTS = 20_000

# What is measured, in pairs of points.
_FLAVOURS: dict[str, tuple[set[type], int]] = {
    "extremes": ({Diameters, CompleteLinkage}, 1 << 30),
    "sums": ({PairSums}, 1 << 30),
    "sums and extremes": ({PairSums, Diameters}, 1 << 30),
    "hausdorff": ({Hausdorff, PairSums}, 1 << 30),
    "sorted": ({PairRanks}, 1 << 30),
    "binned": ({PairRanks}, 1 << 20),
    "tails": ({TailSums}, 1 << 20),
}


@dataclass(frozen=True)
class Rates:
    """Seconds of one core, for few and for many variables.

    Attributes
    ----------
    pairs : dict
        From what is done with each pair of points to seconds a pair.
    points : dict
        From "moments", "scatter" and "centroids" to seconds a point (and a centroid).
    """

    pairs: dict[str, tuple[float, float]]
    points: dict[str, tuple[float, float]]

    def pair(self, flavour: str, p: int) -> float:
        """Seconds a pair of points of `p` variables."""
        return _between(self.pairs[flavour], p)

    def point(self, flavour: str, p: int) -> float:
        """Seconds a point of `p` variables."""
        return _between(self.points[flavour], p)


def _between(measured: tuple[float, float], p: int) -> float:
    low, high = measured
    slope = max(0.0, (high - low) / (_MANY - _FEW))
    return max(low + slope * (p - _FEW), low / 2)


def measured_rates() -> Rates:
    """Measure the rates, about a second's work, or read what was measured before."""
    path = _cache_path()
    try:
        stored = json.loads(path.read_text())
        return Rates(
            {name: (a, b) for name, (a, b) in stored["pairs"].items()},
            {name: (a, b) for name, (a, b) in stored["points"].items()},
        )
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
    pairs = {name: _pair_rates(*flavour) for name, flavour in _FLAVOURS.items()}
    points = {
        "moments": _point_rates({Moments}, set(), 1),
        "scatter": _point_rates({Scatter}, {Moments}, 1),
        "centroids": _point_rates({CentroidRatios}, {Moments}, 8),
    }
    return Rates(pairs, points)


def _pair_rates(types: set[type], limit: int) -> tuple[float, float]:
    n_pairs = _PAIR_POINTS * (_PAIR_POINTS - 1) // 2
    few, many = (_seconds(types, _PAIR_POINTS, p, 2, limit) / n_pairs for p in (_FEW, _MANY))
    return few, many


def _point_rates(types: set[type], without: set[type], k: int) -> tuple[float, float]:
    rates = []
    for p in (_FEW, _MANY):
        seconds = _seconds(types, _CENTRAL_POINTS, p, k)
        if without:
            seconds = max(seconds - _seconds(without, _CENTRAL_POINTS, p, k), seconds / 10)
        rates.append(seconds / (_CENTRAL_POINTS * k))
    few, many = rates
    return few, many


def _seconds(types: set[type], n: int, p: int, k: int, limit: int = 1 << 30) -> float:
    X = np.random.default_rng(0).normal(size=(n, p))
    codes = np.arange(n) % k
    times = [time.perf_counter()]
    # The first run loads or compiles the kernels.
    for _ in range(4):
        reduce_coded_points(X, codes, types, PointOptions(n_threads=1, memory_limit=limit))
        times.append(time.perf_counter())
    return min(b - a for a, b in list(pairwise(times))[1:])


@dataclass(frozen=True)
class Cost:
    """What one group of statistics costs.

    Attributes
    ----------
    passes : int
        Over all points, or over all pairs of them.
    core_seconds : float
        One core's time.
    memory : int
        Bytes beyond the points themselves.
    """

    passes: int
    core_seconds: float
    memory: int


def cost_of(
    types: Iterable[type], n: int, p: int, k: int, rates: Rates, *, memory_limit: int, exact: bool
) -> Cost:
    """Foretell what reducing points to some statistics costs."""
    wanted = set(types)
    central, ranked = wanted & POINT_STATISTICS, wanted & RANK_STATISTICS
    passes, seconds, memory = 0, 0.0, 0
    if central:
        passes += 2 + len(central - {Moments})
        seconds += n * rates.point("moments", p)
        seconds += n * rates.point("scatter", p) * len(central - {Moments, CentroidRatios, MidpointDensities})
        seconds += n * k * rates.point("centroids", p) * (CentroidRatios in central)
        # Against the midpoints and the centroids.
        seconds += n * k * rates.point("centroids", p) * 2 * (MidpointDensities in central)
        memory += 16 * k * p + (8 * p * p)
    if wanted - POINT_STATISTICS:
        n_pairs = n * (n - 1) // 2
        # Tiles, order and what the tasks at work fill.
        memory += n * (8 * (p + p % 2) + 8) + Crew.of(None, None).n_threads * (1 << 24)
        memory += 16 * n if Silhouettes in wanted else 0
        flavour = _flavour(wanted)
        if flavour is not None and not ranked:
            passes += 1
            seconds += n_pairs * rates.pair(flavour, p)
        if ranked:
            extra = _ranks(wanted, n_pairs, p, rates, memory_limit, exact)
            base = n_pairs * rates.pair(flavour, p) if flavour is not None else 0.0
            passes, seconds, memory = (
                passes + extra.passes,
                seconds + base + extra.core_seconds,
                memory + extra.memory,
            )
    return Cost(passes, seconds, memory)


def _flavour(wanted: set[type]) -> str | None:
    if Hausdorff in wanted:
        return "hausdorff"
    if wanted & SUM_STATISTICS:
        return "sums and extremes" if wanted & EXTREME_STATISTICS else "sums"
    return "extremes" if wanted & EXTREME_STATISTICS else None


def _ranks(wanted: set[type], n_pairs: int, p: int, rates: Rates, memory_limit: int, exact: bool) -> Cost:
    budget = Budget(memory_limit)
    counted = wanted & {PairRanks, DistanceTies}
    if n_pairs <= budget.sorted and counted:
        return Cost(2, n_pairs * rates.pair("sorted", p), 8 * n_pairs)
    passes, seconds = 1, n_pairs * rates.pair("binned", p)
    if TailSums in wanted:
        passes += 1
        seconds += n_pairs * max(
            rates.pair("tails", p) - rates.pair("binned", p), rates.pair("binned", p) / 2
        )
    if exact and counted:
        slices = -(-n_pairs // budget.sorted)
        passes += slices
        # A slice is a pass that keeps little; what it keeps is sorted.
        seconds += slices * n_pairs * rates.pair("binned", p) + n_pairs * rates.pair("sorted", p)
    return Cost(passes, seconds, memory_limit)
