"""From counts by class to the scores of each class, and of each cluster after the best matching."""

from __future__ import annotations

import math

from adjudge.indices.class_measures import MEASURES, value_by_class
from adjudge.indices.matching import best_matching
from adjudge.inference.interval_methods import Interval
from adjudge.results.class_scores import ByClass, ClassScores, OneClass
from adjudge.statistics.classes import LabelCounts
from adjudge.statistics.joint import JointCounts

__all__ = ["measured_by_class", "one_class", "scores_by_cluster"]

#: Measures of a table by class.
BY_CLASS = tuple(name for name in MEASURES if "ratio" not in name)


def scores_by_cluster(table: JointCounts, confidence: float | None, criterion: str) -> ByClass:
    """Score each true cluster; its partner in the best matching is the prediction."""
    matching = best_matching(table, criterion)
    counts = matching.by_cluster
    measured = measured_by_class(counts, confidence)
    partners = [table.col_labels[j] if j >= 0 else None for j in matching.columns.tolist()]
    rows = [
        ClassScores(label, size, said, {name: column[i] for name, column in measured.items()}, partners[i])
        for i, (label, size, said) in enumerate(
            zip(counts.classes, counts.true.tolist(), counts.predicted.tolist(), strict=True)
        )
    ]
    taken = set(matching.columns.tolist())
    return ByClass(rows, [label for j, label in enumerate(table.col_labels) if j not in taken])


def measured_by_class(counts: LabelCounts, confidence: float | None) -> dict[str, list[OneClass]]:
    """Every measure of each class, with intervals if they are wanted."""
    return {name: _measured(name, counts, confidence) for name in BY_CLASS}


def _measured(name: str, counts: LabelCounts, confidence: float | None) -> list[OneClass]:
    values = value_by_class(name, counts).tolist()
    intervals: list[Interval | None] = [None] * counts.k
    if confidence is not None:
        from adjudge.inference.class_intervals import intervals_by_class

        intervals = list(intervals_by_class(counts, name, confidence))
    unless = MEASURES[name].unless
    return [
        one_class(value, f"0/0: class {label!r} {unless}", interval)
        for value, label, interval in zip(values, counts.classes, intervals, strict=True)
    ]


def one_class(value: float, reason: str, interval: Interval | None) -> OneClass:
    """Put a value together with its interval, or with the reason why it is undefined."""
    missing = math.isnan(value)
    if interval is None or missing or math.isnan(interval.low):
        return OneClass(
            value, reason if missing else None, interval_reason=None if interval is None else interval.reason
        )
    return OneClass(value, None, interval.low, interval.high, interval.reason)
