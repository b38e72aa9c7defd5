"""What `compare` says of models of any kind: their scores, each pair head to head, and the same within each group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

from adjudge.indices.catalog import list_indices
from adjudge.indices.record import Index
from adjudge.kinds.case import Case, Pair, Pairs
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.runs import about_difference_in_runs
from adjudge.kinds.scores import check_design, with_intervals
from adjudge.results import Comparison, Evaluations, HeadToHead
from adjudge.results.class_notices import about_groups
from adjudge.results.class_scores import MANY_INSTANCES
from adjudge.results.differences import GroupDifference, by_index, corrected
from adjudge.results.score import Score
from adjudge.verbs.judged import evaluation_of
from adjudge.verbs.model_differences import with_differences

__all__ = ["compared", "head_to_heads"]


def compared(cases: Mapping[str, Case], records: Sequence[Index], request: EvaluationRequest) -> Comparison:
    """Compare models on all rows, and within each group of them.

    Parameters
    ----------
    cases : mapping of str to Case
        Of one kind and one sample.
    records : sequence of Index
        The scores to compare.
    request : EvaluationRequest
    """
    first = next(iter(cases.values()))
    if first.sample.is_weighted:
        check_design(request, is_known=first.sample.is_known)
    whole = _on_all_rows(cases, records, request)
    said = first.about(cases, whole.judged, request) + first.sample_shown.notices(request.confidence)
    said += () if request.confidence is None else about_difference_in_runs(cases, records)
    whole = replace(whole, warnings=said)
    if first.sample.groups is None:
        return whole
    fixed = {name: case.fixed() for name, case in cases.items()}
    by_group = {}
    for label, positions in first.sample.by_group.items():
        sample = first.sample.take(positions)
        if sample.total:
            part = {name: case.take(positions, sample) for name, case in fixed.items()}
            by_group[label] = _on_all_rows(part, records, request)
    return _with_groups(whole, by_group, request.groups_correction)


def _on_all_rows(
    cases: Mapping[str, Case], records: Sequence[Index], request: EvaluationRequest
) -> Comparison:
    first, confidence = next(iter(cases.values())), request.confidence
    pairs = first.pairs(cases)
    scores = {name: case.scores_beside(records, request) for name, case in cases.items()}
    found = Comparison(
        kind=first.kind,
        models=tuple(cases),
        n=first.n,
        judged=scores,
        pairs=head_to_heads(first.kind, pairs, confidence),
        settings={
            "of": first.kind,
            "scores": [record.name for record in records],
            **request.settings_of_tests(records),
            **first.settings(request),
        },
        units=first.sample_shown.drawn_units,
        effective=first.sample_shown.effective,
        _patterns=pairs.patterns,
        _instances=pairs.rows,
        _forecasts=dict(pairs.forecasts),
        _evaluations=partial(_evaluations, cases, scores, request),
    )
    between = {} if confidence is None else pairs.differences(records, confidence)
    recalls = None if pairs.recalls is None else partial(pairs.recalls, confidence)
    found = with_differences(found, between, recalls)
    if confidence is not None and found.n >= MANY_INSTANCES:
        for pair in found.pairs.values():
            pair.recalls  # noqa: B018 - a cached property, for which no reader should wait
    return found


def _evaluations(
    cases: Mapping[str, Case], scores: Mapping[str, Mapping[str, Score]], request: EvaluationRequest
) -> Evaluations:
    """Return what `evaluate` says of each model, with the scores that are known."""
    return Evaluations({name: evaluation_of([case], scores[name], request) for name, case in cases.items()})


def head_to_heads(kind: str, pairs: Pairs, confidence: float | None) -> dict[Pair, HeadToHead]:
    """Compare all ordered pairs of models."""
    inference = {} if confidence is None else pairs.inference(confidence)
    records = [r for r in list_indices("comparative") if pairs.measures is None or r.name in pairs.measures]
    find = None if pairs.rows is None else pairs.rows.of_cell
    found = {}
    for (p, q), agreement in pairs.agreements.items():
        measured = {record.name: Score.of(record, agreement) for record in records}
        test: dict[str, Any] = {}
        if (inferred := inference.get((p, q))) is not None:
            measured = with_intervals(measured, {name: inferred.intervals[name] for name in measured})
            test = inferred.tested
        same = pairs.wrong_alike(p, q)
        found[p, q] = HeadToHead(p, q, kind, agreement, measured, test, find, both_wrong_same=same)
    return found


def _with_groups(whole: Comparison, by_group: Mapping[Any, Comparison], correction: str) -> Comparison:
    """Relate the differences within each group to those over all rows.

    Parameters
    ----------
    whole : Comparison
    by_group : mapping of object to Comparison
    correction : {"holm", "fdr"}
        That of the tests of each index, for all groups and pairs of models.
    """
    rows = [
        GroupDifference(p, q, label, own.n, score, whole[p, q].differences[name].gain)
        for p, q in combinations(whole.models, 2)
        for label, own in by_group.items()
        for name, score in own[p, q].differences.items()
    ]
    scores = corrected([row.score for row in rows], by_index, correction)
    rows = [replace(row, score=score) for row, score in zip(rows, scores, strict=True)]
    warnings = whole.warnings + about_groups(by_group)
    return replace(whole, by_group=dict(by_group), group_differences=tuple(rows), warnings=warnings)
