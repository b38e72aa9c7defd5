"""From inputs to scores: which indices can be computed, their statistics, and what to report about each value."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from adjudge.engines.sources import MemoryPoints, PointSource
from adjudge.errors import Call, InputError, Option
from adjudge.given.input_kinds import Distances, Partition, Weights, needs
from adjudge.given.labels import Labels
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.points import Points
from adjudge.indices.catalog import select_indices, split_keywords
from adjudge.indices.internal_record import InternalIndex, neighbours_read
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import NO_ESTIMATE, reason_of
from adjudge.kinds.sample import DrawnLabels
from adjudge.progress import busy, reporting
from adjudge.results.score import Score
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.making import Made, lacking_of, weighted_form
from adjudge.statistics.reduced import ReducedPoints, error_bounds
from adjudge.statistics.weighted import WeightedContingency
from adjudge.verbs.request import EvaluationRequest

if TYPE_CHECKING:
    from adjudge.inference.chance.null_distribution import NullDistribution

__all__ = [
    "check_all_there",
    "check_design",
    "check_weighted_points",
    "chosen_indices",
    "judged_table",
    "scores_of",
    "scores_of_points",
    "selected",
    "with_bounds",
    "with_intervals",
    "with_nulls",
]

#: Kinds of indices that judge one partition, by the kind of its labels.
KINDS_OF: Mapping[str, tuple[Kind, ...]] = {
    "clustering": ("external", "internal"),
    "classification": ("classification", "internal"),
    "multilabel": ("multilabel", "classification"),
}
_SAID_OF_KINDS: Mapping[str, tuple[Any, ...]] = {
    "comparative": ("compares two models: use ", Call("compare")),
    "diversity": ("compares two models: use ", Call("compare")),
    "multilabel": ("scores several labels per instance: pass ", Option("kind", "multilabel")),
    "raters": ("is about several raters: pass ", Option("kind", "raters")),
    "selection": ("reads partitions into several numbers of clusters: use ", Call("choose_k")),
    "classification": ("scores classifiers: pass ", Option("kind", "classification")),
    "external": ("compares partitions: pass ", Option("kind", "clustering")),
}


def chosen_indices(
    request: EvaluationRequest, of_labels: Collection[type], points: PointSource | None
) -> list[Index]:
    """Return the requested indices, all of which can be computed from the inputs.

    Parameters
    ----------
    request : EvaluationRequest
    of_labels : collection of type
        Kinds of input given with the truth, and statistics that exist already.
    points : PointSource or None
    """
    at_hand = [*of_labels, *(() if points is None else points.at_hand)]
    situation = points is None, bool(of_labels), *at_hand
    if situation in request.chosen:
        return list(request.chosen[situation])
    kinds = KINDS_OF[request.kind or "clustering"]
    # Names are looked up first among the indices that can be computed.
    possible = tuple(k for k in kinds if (points is not None if k == "internal" else of_labels))
    by_keyword, by_name = selected(request.indices, possible, at_hand)
    for record in by_name:
        if record.kind in kinds:
            continue
        if record.kind in _SAID_OF_KINDS:
            raise InputError(f"{record.name} ", *_SAID_OF_KINDS[record.kind])
        raise InputError(f"{record.name} needs ", *needs(lacking_of(record.requires, at_hand)))
    check_all_there(by_name, at_hand, points)
    request.chosen[situation] = list(dict.fromkeys([*by_keyword, *by_name]))
    return list(request.chosen[situation])


def selected(
    indices: Any, kinds: tuple[Kind, ...], at_hand: Sequence[type]
) -> tuple[list[Index], list[Index]]:
    """Return the computable indices that "default" or "all" stand for, and the named indices."""
    keywords, named = split_keywords(indices)
    meant = select_indices(keywords, kinds) if keywords else []
    by_keyword = [record for record in meant if not lacking_of(record.requires, at_hand)]
    return by_keyword, select_indices(named, kinds) if named or not keywords else []


def check_all_there(records: Iterable[Index], at_hand: Collection[type], points: PointSource | None) -> None:
    """Raise if an index needs an input that was not given."""
    # Labels judged against the truth can also be judged from points.
    labels = [Partition] if points is None and at_hand else []
    missing = {record.name: lacking_of(record.requires, [*at_hand, *labels]) for record in records}
    of_points = (Distances, Partition)
    for name, things in missing.items():
        if things and (points is None or not all(issubclass(thing, of_points) for thing in things)):
            raise InputError(f"{name} needs ", *needs(things))
    if points is not None and (refused := [name for name, things in missing.items() if things]):
        raise points.refusal(refused)


def scores_of(records: Iterable[Index], made: Made) -> dict[str, Score]:
    """Compute indices from their statistics."""
    records = list(records)
    made.prepare(kind for record in records for kind in record.requires)
    return {record.name: Score.of(record, *(made[kind] for kind in record.requires)) for record in records}


def judged_table(
    records: Sequence[Index],
    table: JointCounts,
    request: EvaluationRequest,
    drawn: DrawnLabels,
) -> dict[str, Score]:
    """Judge a partition or a classifier from its contingency table, with requested intervals and adjustment."""
    if isinstance(table, WeightedContingency):
        check_design(request, is_known=drawn.sample.is_known)
    scores = scores_of(records, Made({type(table): table}))
    if request.confidence is not None:
        scores = with_intervals(scores, _intervals_of_table(records, table, request.confidence, drawn))
    return with_chance(scores, table, request) if request.adjust else scores


def _intervals_of_table(
    records: Sequence[Index], table: JointCounts, confidence: float, drawn: DrawnLabels
) -> dict[str, Interval]:
    if isinstance(table, WeightedContingency):
        from adjudge.inference.partitions.intervals import weighted_intervals

        assert drawn.cells is not None
        return weighted_intervals(records, table, confidence, drawn.cells)
    from adjudge.inference.partitions.intervals import external_intervals

    return external_intervals(records, table, confidence=confidence, drawn=drawn.cells)


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


def with_intervals(scores: dict[str, Score], intervals: Mapping[str, Interval]) -> dict[str, Score]:
    """Add confidence intervals to the scores that have one, and reasons to those that do not."""
    found = dict(scores)
    for name, own in intervals.items():
        found[name] = replace(scores[name], interval_reason=own.reason, estimate=own.estimate)
        if not math.isnan(own.low):
            found[name] = replace(found[name], low=own.low, high=own.high, interval_method=own.method)
    for name, score in found.items():
        if math.isnan(score.value) and score.low is None and score.interval_reason is None:
            found[name] = replace(score, interval_reason=NO_ESTIMATE)
    return found


def with_chance(scores: dict[str, Score], table: JointCounts, request: EvaluationRequest) -> dict[str, Score]:
    """Correct the scores of labels for chance, if there is a best value to adjust towards."""
    from adjudge.inference.chance.correction import null_distributions

    nulls = null_distributions(
        [score.index for score in scores.values() if score.index.has_perfect_value],
        table,
        n_tables=request.n_tables,
        random_state=request.random_state,
        progress=request.progress,
    )
    return with_nulls(scores, nulls)


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


def scores_of_points(
    source: PointSource, records: Sequence[InternalIndex], request: EvaluationRequest
) -> tuple[dict[str, Score], ReducedPoints]:
    """Judge a partition from its points."""
    if request.sample_size is not None and isinstance(source, MemoryPoints):
        return _estimated(source.partitioned, records, request)
    if request.compat is not None:
        from adjudge.indices.compat import as_clustercrit

        records = [one for r in records if isinstance(one := as_clustercrit(r), InternalIndex)]
    unweighed = _without_weights(records) if Weights in source.at_hand else {}
    asked, records = records, [record for record in records if record.name not in unweighed]
    wanted = dict.fromkeys(kind for record in records for kind in record.requires)
    with reporting(request.progress, "distances") as told:
        reduced = source.reduce(wanted, told, neighbours_read(records))
    scores = with_bounds(scores_of(records, Made(reduced)), reduced) | unweighed
    scores = {record.name: scores[record.name] for record in asked}
    if request.confidence is not None and isinstance(source, MemoryPoints):
        with busy(request.progress, "intervals"):
            scores = _with_point_intervals(scores, source.partitioned, reduced, request)
    return scores, reduced


def _without_weights(records: Iterable[InternalIndex]) -> dict[str, Score]:
    """Return undefined scores for the indices whose statistics take no weights."""
    found = {}
    for record in records:
        kind = next((kind for kind in record.requires if weighted_form(kind) is None), None)
        if kind is not None:
            words = getattr(kind, "unweighed", kind.__name__)
            reason = f"{words} take no weights: repeat the points, if weights count them"
            found[record.name] = Score(record, math.nan, reason=reason)
    return found


def check_weighted_points(request: EvaluationRequest) -> None:
    """Raise for options that do not work with weighted points."""
    options = request.points
    given = {
        "confidence": request.confidence is not None,
        "sample_size": request.sample_size is not None,
        "compat": request.compat is not None,
        "checkpoint": options.checkpoint is not None,
        "engine": options.engine != "memory",
    }
    option = next((name for name, is_given in given.items() if is_given), None)
    if option is not None:
        raise InputError(Option(option), " takes no weights of points: leave it out, or repeat the points")


def with_bounds(scores: dict[str, Score], statistics: Mapping[type, Any]) -> dict[str, Score]:
    """Add error bounds to the scores whose statistics are not exact."""
    defined = [score.index for score in scores.values() if not math.isnan(score.value)]
    bounds = error_bounds(defined, statistics)
    return scores | {name: replace(scores[name], error_bound=bound) for name, bound in bounds.items()}


def _with_point_intervals(
    scores: dict[str, Score], points: PartitionedPoints, reduced: ReducedPoints, request: EvaluationRequest
) -> dict[str, Score]:
    from adjudge.inference.points.internal_intervals import internal_intervals
    from adjudge.statistics.pair_distances import Silhouettes

    assert request.confidence is not None
    if points.units is not None and points.units.n_units < points.codes.size:
        none = Interval.undefined(request.confidence, "jackknife", reason_of("points of units"))
        return with_intervals(scores, dict.fromkeys(scores, none))
    intervals = internal_intervals(
        Points(points.points, None),
        Labels(points.codes, 0, len(points.clusters), points.clusters),
        [score.index for score in scores.values() if isinstance(score.index, InternalIndex)],
        confidence=request.confidence,
        random_state=request.random_state,
        metric=points.options.metric,
        widths=reduced.statistics.get(Silhouettes),
        n_jobs=points.options.n_jobs,
    )
    return with_intervals(scores, intervals)


def _estimated(
    points: PartitionedPoints, records: Sequence[InternalIndex], request: EvaluationRequest
) -> tuple[dict[str, Score], ReducedPoints]:
    """Estimate distance-based indices from samples; compute all others from all points."""
    from adjudge.inference.points.sampled_estimates import quick_look

    assert request.sample_size is not None
    with reporting(request.progress, "samples") as told:
        reduced, estimates = quick_look(
            points,
            records,
            request.sample_size,
            confidence=0.95 if request.confidence is None else request.confidence,
            random_state=request.random_state,
            progress=told,
        )
    exact = [record for record in records if record.name not in estimates]
    scores = with_bounds(scores_of(exact, Made(reduced)), reduced)
    for record in records:
        if (estimate := estimates.get(record.name)) is None:
            continue
        undefined = math.isnan(estimate.value)
        low, high = (None, None) if math.isnan(estimate.low) else (estimate.low, estimate.high)
        scores[record.name] = Score(
            record,
            estimate.value,
            reason=estimate.reason if undefined else None,
            low=low,
            high=high,
            interval_reason=None if undefined else estimate.reason,
        )
    return {record.name: scores[record.name] for record in records}, reduced
