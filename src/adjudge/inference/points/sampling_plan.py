"""What an estimate from samples would cost, and how wide its intervals would be, before anything runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from adjudge.engines.cost import Rates, cost_of
from adjudge.engines.passes import Job
from adjudge.indices.record import Index
from adjudge.inference.points.quick_look import LEAST_IN_SAMPLE, SAMPLES, cost_little, costs_as_much
from adjudge.statistics.pair_distances import gathered
from adjudge.statistics.reachability import NOT_SAMPLED

__all__ = ["expected_width", "plan_sample"]

# Points of a sample, and for each cluster.
_SIZE, _EACH = 5000, 4 * LEAST_IN_SAMPLE
# Width of the 95 % interval times the root of the size of a sample: in the middle of the data of benchmarks/sampled.py.
_WIDTHS = {
    "silhouette": 0.25,
    "mcclain_rao": 0.18,
    "gamma": 0.24,
    "tau": 0.12,
    "c_index": 0.12,
    "point_biserial": 0.69,
}


def expected_width(name: str, size: int) -> float | None:
    """Width of the 95 % interval of an index from samples of this size; None if it was not measured."""
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
    if "extremes" in gathered(types):
        # The distances of all points to the landmarks.
        seconds += job.n * size * rates.of("extremes", job.p)
    return size, seconds, tuple(r.name for r in sampled)


def _is_central(record: Index) -> bool:
    return cost_little(record.requires) == {*record.requires}
