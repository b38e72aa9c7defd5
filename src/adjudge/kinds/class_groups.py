"""How `evaluate` judges a classifier by group: each group alone, against all others, and in pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

from adjudge.indices.catalog import find_index
from adjudge.indices.internal_record import InternalIndex
from adjudge.indices.record import Index
from adjudge.kinds.classes import Classifier
from adjudge.kinds.drawn_groups import DrawnPart, difference_of_parts
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Ints
from adjudge.results.by_class import ClassifierEvaluation, GroupScores
from adjudge.results.class_notices import about_groups
from adjudge.results.differences import (
    GroupContrast,
    ScoreDifference,
    by_index,
    corrected,
    difference_of,
    words_of_group,
)
from adjudge.results.disparities import Disparity
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts

__all__ = ["Grouped", "GroupedClassifier", "with_groups"]

#: All pairs are compared up to this number of groups.
MOST_PAIRED = 20
_NO_RATIO = "no interval of a ratio of extremes: see that of the difference"
#: The rates that are compared between groups.
_DISPARITIES = {
    "demographic_parity": ("selection_rate",),
    "equalized_odds": ("recall", "false_positive_rate"),
}


@dataclass(frozen=True, eq=False)
class _Part:
    """A subset of the instances: their scores, and their counts by class if these are not weighted.

    `of_labels` is what scores of labels read, of a group that has any.
    `drawn` gives each instance's influence on the scores, if instances were not drawn independently.
    """

    n: Any
    of_labels: Classifier | None
    scores: dict[str, Score]
    counts: ClassCounts | None
    drawn: DrawnPart | None = None


class Grouped(Protocol):
    """Instances in groups."""

    @property
    def labels(self) -> Sequence[Any]:
        """The groups."""
        ...

    def part(self, label: Any, *, outside: bool) -> tuple[Any, Classifier] | None:
        """Return the number of the instances in a group, or outside it, and their case; None if there are none."""
        ...

    def drawn(self, label: Any, *, outside: bool) -> DrawnPart | None:
        """Return the influence of the instances in a group, or outside it; None if they were drawn independently."""
        ...


@dataclass(frozen=True, eq=False)
class GroupedInstances:
    """A classifier's predictions, whose sample has groups."""

    case: Classifier

    @property
    def labels(self) -> Sequence[Any]:
        """The groups."""
        return list(self.case.sample.by_group)

    def part(self, label: Any, *, outside: bool) -> tuple[Any, Classifier] | None:
        """Return the number of the instances in a group, or outside it, and their case; None if there are none."""
        rows = self._rows(label, outside)
        own = self._fixed.take(rows, self.case.sample.take(rows))
        return (own.n, own) if own.n else None

    def drawn(self, label: Any, *, outside: bool) -> DrawnPart | None:
        """Return the influence of the instances in a group, or outside it; None if they were drawn independently."""
        if self.case.sample.drawn is None:
            return None
        return DrawnPart.of(self._fixed, self._rows(label, outside))

    def _rows(self, label: Any, outside: bool) -> Ints:
        rows = self.case.sample.by_group[label]
        return self.case.sample.outside(rows) if outside else rows

    @cached_property
    def _fixed(self) -> Classifier:
        return self.case.fixed()


class GroupedClassifier(Classifier):
    """A classifier that `evaluate` judges within groups as well."""

    def with_groups(self, found: ClassifierEvaluation, request: EvaluationRequest) -> ClassifierEvaluation:
        """Add to an evaluation the scores of each group, and how they differ."""
        if self.sample.groups is None:
            return found
        return with_groups(found, GroupedInstances(self), request.confidence, request.groups_correction)


def with_groups(
    evaluation: ClassifierEvaluation, grouped: Grouped, confidence: float | None, correction: str = "holm"
) -> ClassifierEvaluation:
    """Add the scores of each group, and their differences from all other instances and between pairs of groups.

    Without `confidence`, only accuracies are compared, at the 95 % level.

    Parameters
    ----------
    evaluation : ClassifierEvaluation
        Evaluation of all instances.
    grouped : Grouped
    confidence : float or None
    correction : {"holm", "fdr"}
        That of the tests of each index.
    """
    records = [s.index for s in evaluation.scores.values() if not isinstance(s.index, InternalIndex)]
    labels = grouped.labels

    def part(label: Any, wanted: list[Index], *, outside: bool = False) -> _Part | None:
        own = grouped.part(label, outside=outside)
        if own is None:
            return None
        n, case = own
        scores, counts = case.scored(wanted, confidence), case.counts
        drawn = grouped.drawn(label, outside=outside)
        kept = None if outside or counts is None else case.of_labels()
        return _Part(n, kept, scores, None if counts is None or counts.is_weighted else counts, drawn)

    of_group = {label: part(label, records) for label in labels}
    parts = {label: own for label, own in of_group.items() if own is not None}
    compared = records if confidence is not None else []
    rests = {label: part(label, compared, outside=True) for label in parts}
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
        warnings=evaluation.warnings + about_groups(labels),
        by_group={label: GroupScores(label, own.n, own.scores) for label, own in parts.items()},
        differences=_corrected(to_rest, correction),
        pair_differences=_corrected(between, correction),
        disparities=tuple(_disparities(parts, confidence)),
    )


def _disparities(parts: Mapping[Any, _Part], confidence: float | None) -> Iterator[Disparity]:
    """Compare the rates at which groups are predicted as the positive class; nothing if there is none."""
    labels = {label: own.of_labels for label, own in parts.items() if own.of_labels is not None}
    if len(labels) < max(2, len(parts)) or any(own[ClassCounts].positive is None for own in labels.values()):
        return
    for name, rates in _DISPARITIES.items():
        records = [find_index(rate, "classification") for rate in rates]
        pairs = list(combinations(parts, 2)) if len(parts) <= MOST_PAIRED else []
        level = None if confidence is None else 1 - (1 - confidence) / (len(records) * max(len(pairs), 1))
        scored = {
            label: replace(own, counts=None, scores=labels[label].scored(records, level))
            for label, own in parts.items()
        }
        found = _extremes(name, rates, {label: own.scores for label, own in scored.items()})
        if level is None or math.isnan(found[0].value):
            yield from found
            continue
        few = (
            f"{words_of_group(label)}: {reason}"
            for label, own in scored.items()
            for record in records
            if own.drawn and (reason := own.drawn.why_few_units(record))
        )
        if (said := next(few, None)) is not None:
            yield replace(found[0], interval_reason=said)
            yield replace(found[1], interval_reason=_NO_RATIO)
            continue
        contrasts = [
            row
            for one, other in pairs
            for row in _contrasts(one, other, scored[one], scored[other], records, level)
            if row.score.index in records
        ]
        yield _with_limits(found[0], contrasts)
        yield replace(found[1], interval_reason=_NO_RATIO)


def _extremes(
    name: str, rates: Sequence[str], scores: Mapping[Any, Mapping[str, Score]]
) -> tuple[Disparity, Disparity]:
    """Return the largest difference of several rates between groups, and the smallest ratio.

    A rate that is 0 in all groups differs in none of them.
    """
    of_class = next(iter(scores.values()))[rates[0]].of_class

    def of(form: str, rate: str, value: float, reason: str | None = None) -> Disparity:
        values = {label: own[rate].value for label, own in scores.items()}
        differ = len(set(values.values())) > 1 and not math.isnan(value)
        high, low = (end(values, key=values.__getitem__) if differ else None for end in (max, min))
        return Disparity(f"{name}_{form}", rate, high, low, value, reason, of_class=of_class)

    for label, own in scores.items():
        for score in own.values():
            if math.isnan(score.value):
                reason = f"{words_of_group(label)}: {score.reason}"
                return of("difference", score.name, math.nan, reason), of(
                    "ratio", score.name, math.nan, reason
                )
    ends = {
        rate: (
            min(own[rate].value for own in scores.values()),
            max(own[rate].value for own in scores.values()),
        )
        for rate in rates
    }
    gaps = {rate: most - least for rate, (least, most) in ends.items()}
    widest = max(gaps, key=gaps.__getitem__)
    ratios = {rate: least / most for rate, (least, most) in ends.items() if most > 0}
    if not ratios:
        none = of("ratio", widest, math.nan, "0/0: no instance is predicted as the class")
        return of("difference", widest, gaps[widest]), none
    lowest = min(ratios, key=ratios.__getitem__)
    return of("difference", widest, gaps[widest]), of("ratio", lowest, ratios[lowest])


def _with_limits(found: Disparity, contrasts: Sequence[GroupContrast]) -> Disparity:
    """Add the interval that follows from those of all pairs of groups, which hold together."""
    from adjudge.inference.differences.groups import limits_of_largest

    if not contrasts:
        return replace(found, interval_reason=f"no interval: there are more than {MOST_PAIRED} groups")
    refused = next((row for row in contrasts if row.score.interval is None), None)
    if refused is not None:
        pair = f"{words_of_group(refused.group)} and {words_of_group(refused.against)}"
        return replace(found, interval_reason=f"{pair}: {refused.score.reason}")
    low, high = limits_of_largest(row.score.interval for row in contrasts if row.score.interval)
    return replace(found, low=low, high=min(1.0, high))


def _contrasts(
    group: Any, against: Any, own: _Part, other: _Part, records: list[Index], confidence: float
) -> Iterator[GroupContrast]:
    """Compare the scores of two subsets: accuracy by its counts, other scores by their intervals.

    If rows were drawn in units, which may have rows in both subsets, all comparisons use the influence of the units.
    """
    from adjudge.inference.classes.class_intervals import why_not_compared
    from adjudge.inference.differences.groups import compare_independent, compare_shares

    counts = None if own.counts is None or other.counts is None else (own.counts, other.counts)
    drawn = None if own.drawn is None or other.drawn is None else (own.drawn, other.drawn)
    accuracy = find_index("accuracy", "classification")
    if drawn is not None and all(part.case.counts is not None for part in drawn):
        found = difference_of_parts(*drawn, accuracy, confidence)
        first, second = (part.influence(accuracy).value for part in drawn)
        yield GroupContrast(group, own.n, against, difference_of(accuracy, first, second, found))
    elif counts is not None:
        here, there = ((int(part.right.sum()), int(part.n)) for part in counts)
        found = compare_shares(here, there, confidence)
        yield GroupContrast(
            group, own.n, against, difference_of(accuracy, here[0] / here[1], there[0] / there[1], found)
        )
    for record in records:
        if record.name == "accuracy":
            continue
        one, rest = own.scores[record.name], other.scores[record.name]
        refusal = None if counts is None else why_not_compared(record, *counts)
        reason = refusal or one.note or rest.note or None
        plain = ScoreDifference(record, one.value, rest.value, reason=reason, of_class=one.of_class)
        if refusal is not None or math.isnan(plain.value):
            yield GroupContrast(group, own.n, against, plain)
            continue
        if drawn is not None:
            found = difference_of_parts(*drawn, record, confidence)
        elif one.interval is None or rest.interval is None:
            yield GroupContrast(group, own.n, against, plain)
            continue
        else:
            found = compare_independent(one.value, one.interval, rest.value, rest.interval, confidence)
        score = replace(difference_of(record, one.value, rest.value, found), of_class=one.of_class)
        yield GroupContrast(group, own.n, against, score)


def _corrected(rows: list[GroupContrast], correction: str) -> tuple[GroupContrast, ...]:
    """Correct the tests of each index for the number of groups, or of pairs of groups."""
    scores = corrected([row.score for row in rows], by_index, correction)
    return tuple(replace(row, score=score) for row, score in zip(rows, scores, strict=True))
