"""How `evaluate` judges a classifier within groups: each by itself, against all others, and in pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index, InternalIndex
from adjudge.results.by_class import ClassifierEvaluation, GroupScores
from adjudge.results.differences import GroupContrast, ScoreDifference, difference_of, holm_corrected
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts
from adjudge.verbs.classifiers import CodedClassifier, scores_of_classifier

__all__ = ["with_groups"]

#: Up to this number of groups, all pairs are compared.
MOST_PAIRED = 20


@dataclass(frozen=True, eq=False)
class _Part:
    """Some of the instances: their scores, and how many of them are right."""

    n: Any
    scores: dict[str, Score]
    right: tuple[int, int] | None


def with_groups(
    evaluation: ClassifierEvaluation, coded: CodedClassifier, groups: Labels, confidence: float | None
) -> ClassifierEvaluation:
    """Add the scores of each group, and how they differ from those of all others and of each other.

    Without `confidence`, the shares of instances that are right are compared, at 95 %.

    Parameters
    ----------
    evaluation : ClassifierEvaluation
        Of all instances.
    coded : CodedClassifier
    groups : Labels
    confidence : float or None
    """
    records = [s.index for s in evaluation.scores.values() if not isinstance(s.index, InternalIndex)]
    codes, labels = groups.dense()
    fixed = coded.with_classes()
    resample = _can_resample(coded, 2 * len(labels))

    def part(mask: Any, wanted: list[Index]) -> _Part | None:
        own = fixed.take(np.flatnonzero(mask))
        if not own.n:
            return None
        statistics = own.statistics()
        scores = scores_of_classifier(wanted, statistics, confidence, resample=resample)
        counts = statistics.get(ClassCounts)
        if counts is None or counts.is_weighted:
            return _Part(own.n, scores, None)
        return _Part(own.n, scores, (int(counts.right.sum()), int(counts.n)))

    of_group = {label: part(codes == code, records) for code, label in enumerate(labels)}
    parts = {label: own for label, own in of_group.items() if own is not None}
    compared = records if confidence is not None else []
    rests = {label: part(codes != labels.index(label), compared) for label in parts}
    level = 0.95 if confidence is None else confidence
    to_rest = [
        row
        for label, own in parts.items()
        if (rest := rests[label]) is not None
        for row in _contrasts(label, None, own, rest, compared, level)
    ]
    between = [
        row
        for one, other in combinations(parts if len(parts) <= MOST_PAIRED else (), 2)
        for row in _contrasts(one, other, parts[one], parts[other], compared, level)
    ]
    return replace(
        evaluation,
        by_group={label: GroupScores(label, own.n, own.scores) for label, own in parts.items()},
        differences=_corrected(to_rest),
        pair_differences=_corrected(between),
    )


def _can_resample(coded: CodedClassifier, times: int) -> bool:
    if coded.forecasts is None:
        return True
    from adjudge.inference.class_intervals import can_resample

    return can_resample(coded.forecasts, times)


def _contrasts(
    group: Any, against: Any, own: _Part, other: _Part, records: list[Index], confidence: float
) -> Iterator[GroupContrast]:
    """Compare the scores of two parts: accuracy by its counts, others by their intervals."""
    from adjudge.inference.groups import compare_independent, compare_shares

    if own.right is not None and other.right is not None:
        accuracy = find_index("accuracy", "classification")
        found = compare_shares(own.right, other.right, confidence)
        one, rest = (right / n for right, n in (own.right, other.right))
        yield GroupContrast(group, own.n, against, difference_of(accuracy, one, rest, found))
    for record in records:
        if record.name == "accuracy":
            continue
        here, there = own.scores[record.name], other.scores[record.name]
        plain = ScoreDifference(record, here.value, there.value, reason=here.note or there.note or None)
        if here.interval is None or there.interval is None or math.isnan(plain.value):
            yield GroupContrast(group, own.n, against, plain)
            continue
        found = compare_independent(here.value, here.interval, there.value, there.interval, confidence)
        yield GroupContrast(group, own.n, against, difference_of(record, here.value, there.value, found))


def _corrected(rows: list[GroupContrast]) -> tuple[GroupContrast, ...]:
    """Apply Holm's correction to the tests of each index."""
    scores = holm_corrected([row.score for row in rows])
    return tuple(replace(row, score=score) for row, score in zip(rows, scores, strict=True))
