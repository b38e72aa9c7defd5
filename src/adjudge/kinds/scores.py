"""Scores from the statistics of a case: values, bounds of their errors, intervals, and what chance gives."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adjudge.errors import InputError, Option
from adjudge.indices.record import Index
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import NO_ESTIMATE
from adjudge.kinds.request import EvaluationRequest
from adjudge.results.score import Score
from adjudge.statistics.making import Made
from adjudge.statistics.reduced import error_bounds

if TYPE_CHECKING:
    from adjudge.inference.chance.null_distribution import NullDistribution

__all__ = ["check_design", "scores_of", "with_bounds", "with_inferred", "with_intervals", "with_nulls"]


def scores_of(records: Iterable[Index], made: Made) -> dict[str, Score]:
    """Compute indices from their statistics."""
    records = list(records)
    made.prepare(kind for record in records for kind in record.requires)
    return {record.name: Score.of(record, *(made[kind] for kind in record.requires)) for record in records}


def with_bounds(scores: dict[str, Score], statistics: Mapping[type, Any]) -> dict[str, Score]:
    """Add error bounds to the scores whose statistics are not exact."""
    defined = [score.index for score in scores.values() if not math.isnan(score.value)]
    bounds = error_bounds(defined, statistics)
    return scores | {name: replace(scores[name], error_bound=bound) for name, bound in bounds.items()}


def with_intervals(scores: dict[str, Score], intervals: Mapping[str, Interval]) -> dict[str, Score]:
    """Add confidence intervals to the scores that have one, and reasons to those that do not."""
    found = dict(scores)
    for name, interval in intervals.items():
        said: dict[str, Any] = {"interval_reason": interval.reason, "estimate": interval.estimate}
        if not math.isnan(interval.low):
            said |= {"low": interval.low, "high": interval.high, "interval_method": interval.method}
        found[name] = replace(scores[name], **said)
    for name, score in found.items():
        if math.isnan(score.value) and score.low is None and score.interval_reason is None:
            found[name] = replace(score, interval_reason=NO_ESTIMATE)
    return found


def with_inferred(
    scores: dict[str, Score], intervals: Mapping[str, Interval], confidence: float
) -> dict[str, Score]:
    """Add confidence intervals; an undefined score has none, whatever its statistics say."""
    undefined = {
        name: Interval.undefined(confidence, interval.method, NO_ESTIMATE)
        for name, interval in intervals.items()
        if math.isnan(scores[name].value)
    }
    return with_intervals(scores, {**intervals, **undefined})


def with_nulls(scores: Mapping[str, Score], nulls: Mapping[str, NullDistribution]) -> dict[str, Score]:
    """Add what chance gives to the scores that have a null distribution."""
    return dict(scores) | {
        name: replace(
            scores[name],
            expected=null.mean,
            adjusted=null.adjusted,
            p_value=null.p_value(),
            p_floor=null.p_floor,
            chance_method=null.method,
        )
        for name, null in nulls.items()
    }


def check_design(request: EvaluationRequest, *, is_known: bool) -> None:
    """Raise for results of rows with sampling weights that would be wrong.

    Parameters
    ----------
    request : EvaluationRequest
    is_known : bool
        Whether it is known how the rows were drawn.
    """
    if request.adjust:
        raise InputError(
            Option("adjust"),
            " would be wrong for sampling weights, which no random table has: leave it out, or pass ",
            Option("weights", "frequency"),
        )
    if request.confidence is not None and not is_known:
        raise InputError(
            Option("confidence"),
            " needs to know how rows were drawn: pass ",
            Option("weights", "importance"),
            " with the weight of each row, ",
            Option("weights", "frequency"),
            ", or ",
            Option("units"),
        )
