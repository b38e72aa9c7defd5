"""From counts by class to the scores of each class, and of each cluster after the best matching."""

from __future__ import annotations

from adjudge.indices.class_measures import MEASURES, value_by_class
from adjudge.indices.matching import best_matching
from adjudge.results.class_scores import ByClass, MeasuredClasses
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.joint import JointCounts

__all__ = ["measured_by_class", "scores_by_cluster"]

#: Measures of a table by class.
BY_CLASS = tuple(name for name in MEASURES if "ratio" not in name)


def scores_by_cluster(table: JointCounts, confidence: float | None, criterion: str) -> ByClass:
    """Score each true cluster, its partner in the best matching being its prediction."""
    matching = best_matching(table, criterion)
    counts, columns = matching.by_cluster, matching.columns.tolist()
    taken = set(columns)
    return ByClass(
        counts.classes,
        counts.true.tolist(),
        counts.predicted.tolist(),
        measured_by_class(counts, confidence),
        partners=[table.col_labels[j] if j >= 0 else None for j in columns],
        left_over=[label for j, label in enumerate(table.col_labels) if j not in taken],
    )


def measured_by_class(counts: ClassCounts, confidence: float | None) -> dict[str, MeasuredClasses]:
    """Every measure of each class, with intervals where they are asked for."""
    return {name: _measured(name, counts, confidence) for name in BY_CLASS}


def _measured(name: str, counts: ClassCounts, confidence: float | None) -> MeasuredClasses:
    intervals = None
    if confidence is not None:
        from adjudge.inference.class_intervals import intervals_by_class

        intervals = intervals_by_class(counts, name, confidence)
    return MeasuredClasses(value_by_class(name, counts), counts.classes, MEASURES[name].unless, intervals)
