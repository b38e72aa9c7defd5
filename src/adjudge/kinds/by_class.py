"""Scores of each class from counts by class, and of each cluster after the best matching."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adjudge.indices.class_measures import MEASURES, value_by_class
from adjudge.indices.matching import best_matching
from adjudge.inference.interval import Interval
from adjudge.inference.sampling_design import Drawn
from adjudge.presentation.numbers import error_at_most
from adjudge.results.class_scores import ByClass, ClassScores, OneClass
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.classes import ClassCounts, LabelCounts
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.ranked_scores import ClassAreas, RankAreas

__all__ = [
    "SUMMED",
    "intervals_by_class",
    "measured_by_class",
    "ranked_by_class",
    "scores_by_class",
    "scores_by_cluster",
]

#: Why scores of forecasts have no intervals if only their sums were given.
SUMMED = "intervals need the scores of all instances in memory"
#: Measures shown in a table by class.
BY_CLASS = tuple(name for name in MEASURES if "ratio" not in name)


def scores_by_class(
    counts: ClassCounts | None,
    forecasts: Forecasts | None,
    confidence: float | None,
    outcomes: Callable[[int], Drawn] | None,
    drawn: Drawn | None,
    areas: RankAreas | None = None,
    of_areas: Sequence[Interval | None] | None = None,
) -> list[ClassScores]:
    """Score each class of a classifier, from its labels and its forecasts.

    Parameters
    ----------
    counts : ClassCounts or None
    forecasts : Forecasts or None
    confidence : float or None
    outcomes : callable or None
        See :func:`measured_by_class`.
    drawn : Drawn or None
        How the instances were drawn, if not independently.
    areas : RankAreas, optional
        Areas of the classes, if the forecasts are known only as sums.
    of_areas : sequence of Interval, optional
        Their intervals, if these were asked for.
    """
    measured: dict[str, list[OneClass]] = {}
    classes: Sequence[Any] = ()
    support, predicted = np.empty(0), []
    if forecasts is not None:
        areas = ClassAreas.make(forecasts)
    if areas is not None:
        classes, support, predicted = areas.classes, areas.sizes, [None] * len(areas.classes)
    if counts is not None:
        classes, support, predicted = counts.classes, counts.true, counts.predicted.tolist()
        measured |= measured_by_class(counts, confidence, outcomes)
    if areas is not None:
        if forecasts is not None and confidence is not None:
            of_areas = intervals_by_class(
                ((forecasts, code) for code in range(forecasts.k)), confidence, drawn
            )
        measured |= ranked_by_class(areas, of_areas)
    return [
        ClassScores(label, size, said, {name: column[i] for name, column in measured.items()})
        for i, (label, size, said) in enumerate(zip(classes, support.tolist(), predicted, strict=True))
    ]


def scores_by_cluster(
    table: JointCounts, confidence: float | None, cells: Drawn | None, criterion: str
) -> ByClass:
    """Score each true cluster, taking its partner in the best matching as the prediction.

    Parameters
    ----------
    table : JointCounts
    confidence : float or None
    cells : Drawn or None
        How the cells of the table were drawn; None if rows were drawn independently.
    criterion : str
        What the matching makes as large as possible.
    """
    matching = best_matching(table, criterion)
    counts = matching.by_cluster
    outcomes = None
    if cells is not None and confidence is not None:
        from adjudge.inference.classes.class_intervals import outcomes_of

        of_row, of_col, _ = table.cells()
        partner_of = np.full(table.shape[1], -1)
        matched = matching.columns >= 0
        partner_of[matching.columns[matched]] = np.flatnonzero(matched)
        outcomes = outcomes_of(cells, of_row, partner_of[of_col])
    measured = measured_by_class(counts, confidence, outcomes)
    partners = [table.col_labels[j] if j >= 0 else None for j in matching.columns.tolist()]
    rows = [
        ClassScores(label, size, said, {name: column[i] for name, column in measured.items()}, partners[i])
        for i, (label, size, said) in enumerate(
            zip(counts.classes, counts.true.tolist(), counts.predicted.tolist(), strict=True)
        )
    ]
    taken = set(matching.columns.tolist())
    return ByClass(rows, [label for j, label in enumerate(table.col_labels) if j not in taken])


def measured_by_class(
    counts: LabelCounts, confidence: float | None, outcomes: Callable[[int], Drawn] | None = None
) -> dict[str, list[OneClass]]:
    """Compute every measure of each class, with intervals on request.

    Parameters
    ----------
    counts : LabelCounts
    confidence : float or None
    outcomes : callable, optional
        Maps the position of a class to how its instances were drawn; see
        :func:`adjudge.inference.classes.class_intervals.outcomes_of`.
    """
    if confidence is None:
        return {name: _measured(name, counts, [None] * counts.k) for name in BY_CLASS}
    from adjudge.inference.classes.class_intervals import intervals_of_measures

    intervals = intervals_of_measures(counts, BY_CLASS, confidence, outcomes)
    return {name: _measured(name, counts, intervals[name]) for name in BY_CLASS}


def _measured(name: str, counts: LabelCounts, intervals: Sequence[Interval | None]) -> list[OneClass]:
    values = value_by_class(name, counts).tolist()
    unless = MEASURES[name].unless
    return [
        _one_class(value, label, unless, interval)
        for value, label, interval in zip(values, counts.classes, intervals, strict=True)
    ]


def intervals_by_class(
    of_each: Iterable[tuple[Forecasts, int]], confidence: float, drawn: Drawn | None = None
) -> list[Interval | None]:
    """Return the interval of the ROC area of each class or label.

    Parameters
    ----------
    of_each : iterable of (Forecasts, int)
        For each class in turn, the forecasts that score it and its column.
    confidence : float
    drawn : Drawn, optional
        How the instances were drawn, if not independently.
    """
    from adjudge.inference.forecasts.forecast_intervals import area_interval

    return [
        None if own.weights is not None and drawn is None else area_interval(own, code, confidence, drawn)
        for own, code in of_each
    ]


def ranked_by_class(
    areas: RankAreas, intervals: Sequence[Interval | None] | None
) -> dict[str, list[OneClass]]:
    """Return the ROC area and average precision of each class or label, given the intervals of the areas."""
    intervals = [None] * len(areas.classes) if intervals is None else intervals
    both = {"roc_auc": areas.areas.tolist(), "average_precision": areas.average_precisions.tolist()}
    reasons = {
        "roc_auc": "occurs never or always in the truth",
        "average_precision": "does not occur in the truth",
    }
    found = {
        name: [
            _one_class(value, label, reasons[name], interval if name == "roc_auc" else None)
            for value, label, interval in zip(values, areas.classes, intervals, strict=True)
        ]
        for name, values in both.items()
    }
    return _with_bounds(found, areas) if isinstance(areas, BinnedAreas) else found


def _with_bounds(found: dict[str, list[OneClass]], areas: BinnedAreas) -> dict[str, list[OneClass]]:
    """Say how far off areas may be that were made of scores in bins."""
    ends = {
        "roc_auc": [own.areas for own in areas.extremes()],
        "average_precision": [own.average_precisions for own in areas.extremes()],
    }

    def bounded(of_class: OneClass, bound: float) -> OneClass:
        return replace(of_class, reason=error_at_most(bound)) if bound > 0 else of_class

    return {
        name: [
            bounded(own, max(abs(own.value - end[i]) for end in ends[name])) for i, own in enumerate(column)
        ]
        for name, column in found.items()
    }


def _one_class(value: float, label: Any, unless: str, interval: Interval | None) -> OneClass:
    """Combine a value with its interval, or with the reason why it is undefined."""
    reason = f"0/0: class {label!r} {unless}" if math.isnan(value) else None
    if interval is None or reason is not None or math.isnan(interval.low):
        return OneClass(value, reason, interval_reason=None if interval is None else interval.reason)
    return OneClass(value, None, interval.low, interval.high, interval.reason)
