"""A group of the instances of a classifier, and how its scores differ from those of another one, or of the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from adjudge.indices.catalog import find_index
from adjudge.indices.record import Index
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.drawn_groups import DrawnPart, difference_of_parts
from adjudge.results.differences import GroupContrast, ScoreDifference, difference_of
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts

__all__ = ["MOST_PAIRED", "Part", "contrasts_of"]

#: All pairs are compared up to this number of groups.
MOST_PAIRED = 20


@dataclass(frozen=True, eq=False)
class Part:
    """A subset of the instances: their scores, and their counts by class if these are not weighted.

    `of_labels` is what scores of labels read, of a group that has any.
    `drawn` gives each instance's influence on the scores, if instances were not drawn independently.
    """

    n: Any
    of_labels: ClassifierCase | None
    scores: dict[str, Score]
    counts: ClassCounts | None
    drawn: DrawnPart | None = None


def contrasts_of(
    group: Any, against: Any, own: Part, other: Part, records: list[Index], confidence: float
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
        score = difference_of(record, one.value, rest.value, found, one.of_class)
        yield GroupContrast(group, own.n, against, score)
