"""Confidence intervals of multilabel scores: the instances are the sample, not their labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.input_kinds import PredictedSets, TrueSets
from adjudge.indices.label_rankings import OF_INSTANCES, values_of_instances
from adjudge.indices.label_sets import PARTS, parts_of_instances
from adjudge.indices.record import Index
from adjudge.inference.classes.shares import influence_of_quotient, interval_of_share
from adjudge.inference.common.significance import Difference, difference_of_influences
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import FEWEST_EVENTS, WEIGHTED, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.label_rankings import LabelRankings, PooledAreas
from adjudge.statistics.label_sets import SetSizes
from adjudge.statistics.ranked_scores import RankAreas

__all__ = ["label_set_differences", "label_set_intervals"]

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
    """Return the interval of each score: Wilson's for a share of instances, otherwise from influence values.

    Parameters
    ----------
    records : iterable of Index
    made : mapping of type to statistic
        Includes the labels of each instance, if these were not sampled independently.
    confidence : float
    drawn : Drawn, optional
        Its lines are the instances.
    """
    return {record.name: _interval(record, made, confidence, drawn) for record in records}


def _interval(record: Index, made: Mapping[type, Any], confidence: float, drawn: Drawn | None) -> Interval:
    limits, fewest = (0.0, 1.0), float(FEWEST_EVENTS)
    if record.name in OF_INSTANCES:
        rankings: LabelRankings = made[LabelRankings]
        values, weights = values_of_instances(record.name, rankings), rankings.known_weights
        top, bottom = np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
        if record.name == "coverage_error":
            limits = (0.0, float(rankings.n_labels))
    elif PooledAreas in record.requires or RankAreas in record.requires:
        return Interval.undefined(confidence, "score", reason_of("average over labels"))
    else:
        sizes = (
            made[SetSizes] if drawn is None else SetSizes.of_instances(made[TrueSets], made[PredictedSets])
        )
        parts = _parts(record.name, sizes)
        if parts is None:
            return Interval.undefined(confidence, "score", reason_of("average over labels"))
        (top, bottom), weights = parts, sizes.counts
        if record.name == "subset_accuracy":
            fewest = 0.0
            if drawn is None and weights.dtype.kind != "f":
                return interval_of_share(int(top @ weights), int(sizes.n), confidence)
    if drawn is None and weights.dtype.kind == "f":
        return Interval.undefined(confidence, "score", WEIGHTED)
    influence = influence_of_quotient(top, bottom, weights)
    return interval_of(influence, limits, confidence, drawn, fewest_events=fewest)


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
    found = {}
    for record in records:
        one, other = (_influence(record, made) for made in (first, second))
        if one is None or other is None:
            reason = reason_of("average over labels")
        elif (
            drawn is None
            and first[TrueSets].weights is not None
            and first[TrueSets].weights.dtype.kind == "f"
        ):
            reason = WEIGHTED
        else:
            limits = float(record.range[0]), float(record.range[1])
            found[record.name] = difference_of_influences(one - other, limits, confidence, _SAME, drawn)
            continue
        found[record.name] = Difference(Interval.undefined(confidence, "t", reason))
    return found


def _influence(record: Index, made: Mapping[type, Any]) -> Influence | None:
    """Return the influence of each instance on a score; None if the score is neither a mean nor a quotient of sums."""
    if record.name in OF_INSTANCES:
        rankings: LabelRankings = made[LabelRankings]
        values = values_of_instances(record.name, rankings)
        return influence_of_quotient(
            np.nan_to_num(values), (~np.isnan(values)).astype(float), rankings.known_weights
        )
    if PooledAreas in record.requires or RankAreas in record.requires:
        return None
    sizes = SetSizes.of_instances(made[TrueSets], made[PredictedSets])
    parts = _parts(record.name, sizes)
    return None if parts is None else influence_of_quotient(*parts, sizes.counts)


def _parts(name: str, sizes: SetSizes) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return the numerator and denominator of each combination; None if the score is not a quotient of their sums."""
    if name == "subset_accuracy":
        return (sizes.wrong == 0).astype(np.float64), np.ones(sizes.wrong.size)
    if name in PARTS:
        values = parts_of_instances(name, sizes)
        return np.nan_to_num(values), (~np.isnan(values)).astype(np.float64)
    return _QUOTIENTS[name](sizes) if name in _QUOTIENTS else None
