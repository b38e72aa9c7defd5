"""Confidence intervals of multilabel scores: the instances are the sample, not their labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Limits, Numbers
from adjudge.given.input_kinds import PredictedSets, TrueSets
from adjudge.indices.label_rankings import OF_INSTANCES, values_of_instances
from adjudge.indices.label_sets import PARTS, parts_of_instances
from adjudge.indices.record import Index
from adjudge.inference.common.significance import Difference, differences_by_name
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted, intervals_by_name
from adjudge.inference.refusals import WEIGHTED, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.label_rankings import LabelRankings, PooledAreas
from adjudge.statistics.label_sets import SetSizes
from adjudge.statistics.ranked_scores import RankAreas

_SAME = "the expected scores of both models are the same"

#: Scores that are quotients of sums over instances: the numerator and denominator of each instance.
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
    """Return the interval of each score from influence values.

    Parameters
    ----------
    records : iterable of Index
    made : mapping of type to statistic
        Includes the labels of each instance, if these were not sampled independently.
    confidence : float
    drawn : Drawn, optional
        Its lines are the instances.
    """
    found = {record.name: _wanted(record, made, confidence, drawn) for record in records}
    return intervals_by_name(found, confidence)


def _wanted(
    record: Index, made: Mapping[type, Any], confidence: float, drawn: Drawn | None
) -> Wanted | Interval:
    found = _influence(record, made, by_instance=drawn is not None)
    if isinstance(found, str):
        return Interval.undefined(confidence, METHOD, found)
    influence, weighted = found
    if drawn is None and weighted:
        return Interval.undefined(confidence, METHOD, WEIGHTED)
    return Wanted(influence, _limits(record, made), drawn)


def label_set_differences(
    records: Iterable[Index],
    first: Mapping[type, Any],
    second: Mapping[type, Any],
    confidence: float,
    drawn: Drawn | None = None,
) -> dict[str, Difference]:
    """Return the interval and test of the difference in each score of two models over the same instances.

    Parameters
    ----------
    records : iterable of Index
    first, second : mapping of type to statistic
        Statistics of each model, including the labels of each instance.
    confidence : float
    drawn : Drawn, optional
        Its lines are the instances.
    """
    found: dict[str, Wanted | Difference] = {}
    for record in records:
        one, other = (_influence(record, made, by_instance=True) for made in (first, second))
        if isinstance(one, str) or isinstance(other, str):
            reason = reason_of("average over labels")
        elif drawn is None and one[1]:
            reason = WEIGHTED
        else:
            found[record.name] = Wanted(one[0] - other[0], _limits(record, first), drawn)
            continue
        found[record.name] = Difference(Interval.undefined(confidence, METHOD, reason))
    return differences_by_name(found, confidence, _SAME)


def _influence(record: Index, made: Mapping[type, Any], *, by_instance: bool) -> tuple[Influence, bool] | str:
    """Return the influence of instances on a score, and whether they have weights; or why it is not known."""
    if PooledAreas in record.requires or RankAreas in record.requires:
        return reason_of("average over labels")
    if record.name in OF_INSTANCES:
        rankings: LabelRankings = made[LabelRankings]
        values, weights = values_of_instances(record.name, rankings), rankings.known_weights
        parts: tuple[NDArray[Any], NDArray[Any]] | None = _of_mean(values)
    else:
        sizes = SetSizes.of_instances(made[TrueSets], made[PredictedSets]) if by_instance else made[SetSizes]
        parts, weights = _parts(record.name, sizes), sizes.counts
    if parts is None:
        return reason_of("average over labels")
    return _of_quotient(*parts, weights, _limits(record, made)), weights.dtype.kind == "f"


def _limits(record: Index, made: Mapping[type, Any]) -> tuple[float, float]:
    if math.isfinite(record.range[1]):
        return float(record.range[0]), float(record.range[1])
    # The rank of a label is at most their number.
    return float(record.range[0]), float(made[LabelRankings].n_labels)


def _of_quotient(top: Numbers, bottom: Numbers, counts: Numbers, limits: Limits) -> Influence:
    """Return the influence of instances on a quotient of two sums over them; nan if it is 0/0.

    Parameters
    ----------
    top, bottom : ndarray of shape (m,)
        Numerator and denominator of one instance of each entry.
    counts : ndarray of shape (m,)
        Number of instances of each entry.
    limits : (float, float)
        Smallest and largest quotient of an instance.
    """
    n, total = float(counts.sum()), float(bottom @ counts)
    if total == 0:
        return Influence(math.nan, np.full(top.size, math.nan), counts.astype(np.float64))
    value, most = float(top @ counts) / total, float(bottom.max())
    fall, rise = (most * abs(end - value) / (total + most) for end in limits)
    return Influence.centred(value, (top - value * bottom) * n / total, counts, rise=rise, fall=fall)


def _of_mean(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    return np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)


def _parts(name: str, sizes: SetSizes) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the numerator and denominator of each combination; None if the score is not a quotient of their sums."""
    if name == "subset_accuracy":
        return (sizes.wrong == 0).astype(np.float64), np.ones(sizes.wrong.size)
    if name in PARTS:
        return _of_mean(parts_of_instances(name, sizes))
    return _QUOTIENTS[name](sizes) if name in _QUOTIENTS else None
