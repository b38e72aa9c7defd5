"""Confidence intervals of scores over instances with several labels: the instances are the sample, not their labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.label_rankings import OF_INSTANCES, values_of_instances
from adjudge.indices.label_sets import PARTS, parts_of_instances
from adjudge.indices.record import Index
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.common.interval_methods import score_interval
from adjudge.inference.drawn import Drawn
from adjudge.inference.interval import Interval
from adjudge.statistics.label_rankings import LabelRankings, PooledAreas
from adjudge.statistics.label_sets import SetSizes
from adjudge.statistics.ranked_scores import RankAreas

__all__ = ["label_set_intervals"]

_AVERAGE = "an average over labels: those of one instance depend on each other"
_UNDEFINED = "the score is undefined"
#: Scores that divide sums over all instances, by numerator and denominator of one.
_QUOTIENTS: dict[str, Callable[[SetSizes], tuple[NDArray[np.int64], NDArray[np.int64]]]] = {
    "micro_precision": PARTS["samples_precision"],
    "micro_recall": PARTS["samples_recall"],
    "micro_f1": PARTS["samples_f1"],
    "micro_jaccard": PARTS["samples_jaccard"],
    "hamming_loss": lambda s: (s.wrong, np.full(s.wrong.size, len(s.labels))),
}


def label_set_intervals(
    records: Iterable[Index], made: Mapping[type, Any], confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Interval]:
    """Interval of each score: Wilson's of a share of instances, else score-type with the error of a mean or a quotient.

    Parameters
    ----------
    records : iterable of Index
    made : mapping of type to statistic
    confidence : float
    """
    return {record.name: _interval(record, made, confidence) for record in records}


def _interval(record: Index, made: Mapping[type, Any], confidence: float) -> Interval:
    if record.name in OF_INSTANCES:
        return _of_rankings(record.name, made[LabelRankings], confidence)
    if PooledAreas in record.requires or RankAreas in record.requires:
        return Interval.undefined(confidence, "score", _AVERAGE)
    return _of_sizes(record.name, made[SetSizes], confidence)


def _of_rankings(name: str, rankings: LabelRankings, confidence: float) -> Interval:
    values = values_of_instances(name, rankings)
    known = ~np.isnan(values)
    limits = (0.0, float(rankings.n_labels) if name == "coverage_error" else 1.0)
    ones = np.ones(int(known.sum()))
    return _of_quotient(values[known], ones, rankings.known_weights[known], confidence, limits)


def _of_sizes(name: str, sizes: SetSizes, confidence: float) -> Interval:
    if name == "subset_accuracy":
        right = int(sizes.counts[sizes.wrong == 0].sum())
        return interval_of_share(right, int(sizes.n), confidence)
    if name in PARTS:
        values = parts_of_instances(name, sizes)
        known = ~np.isnan(values)
        return _of_quotient(values[known], np.ones(int(known.sum())), sizes.counts[known], confidence)
    if name in _QUOTIENTS:
        top, bottom = _QUOTIENTS[name](sizes)
        return _of_quotient(top, bottom, sizes.counts, confidence)
    return Interval.undefined(confidence, "score", _AVERAGE)


def _of_quotient(
    top: NDArray[np.float64] | NDArray[np.int64],
    bottom: NDArray[np.float64] | NDArray[np.int64],
    counts: NDArray[np.int64],
    confidence: float,
    limits: tuple[float, float] = (0.0, 1.0),
) -> Interval:
    """Interval of a quotient of two sums over instances, linearised."""
    n, total = int(counts.sum()), float(bottom @ counts)
    if n < 2 or total == 0:
        return Interval.undefined(confidence, "score", _UNDEFINED)
    value = float(top @ counts) / total
    rest = top - value * bottom
    error = math.sqrt(n / (n - 1) * float(rest**2 @ counts)) / total
    return score_interval(value, limits, error, n, confidence)
