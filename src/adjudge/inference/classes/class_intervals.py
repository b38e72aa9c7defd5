"""Confidence intervals of scores of predicted classes, by class and as averages."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from adjudge.indices.class_measures import MEASURES, named_classes
from adjudge.indices.record import Index
from adjudge.inference.arrays import Ints
from adjudge.inference.classes.label_sums import OutcomeSums, ScoredModels
from adjudge.inference.interval import (
    METHOD,
    Interval,
    Wanted,
    interval_of_share,
    intervals_by_name,
    intervals_of,
)
from adjudge.inference.refusals import MOST_CLASSES_OF_UNITS, TOO_MANY_CLASSES, WEIGHTED, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.classes import ClassCounts, LabelCounts
from adjudge.statistics.confusion import Confusion

__all__ = [
    "intervals_by_class",
    "intervals_of_labels",
    "intervals_of_measures",
    "outcomes_of",
    "why_not_compared",
]

#: How the instances were sampled, given the position of a class: entries are its true positives, false positives,
#: false negatives and true negatives.
Outcomes = Callable[[int], Drawn]


def intervals_by_class(
    counts: LabelCounts, measure: str, confidence: float, outcomes: Outcomes | None = None
) -> list[Interval]:
    """Return the interval of one measure for each class; see :func:`intervals_of_measures`."""
    return intervals_of_measures(counts, [measure], confidence, outcomes)[measure]


def intervals_of_measures(
    counts: LabelCounts, measures: Iterable[str], confidence: float, outcomes: Outcomes | None = None
) -> dict[str, list[Interval]]:
    """Return the intervals of several measures for each class.

    Parameters
    ----------
    counts : LabelCounts
    measures : iterable of str
        Keys of :data:`adjudge.indices.class_measures.MEASURES`, except likelihood and odds ratios.
    confidence : float
    outcomes : callable, optional
        Returns how instances were sampled, given the position of a class; see :func:`outcomes_of`.
    """
    names = list(measures)
    if outcomes is None and counts.is_weighted:
        return {name: [Interval.undefined(confidence, METHOD, WEIGHTED)] * counts.k for name in names}
    if outcomes is not None and counts.k > MOST_CLASSES_OF_UNITS:
        return {name: [Interval.undefined(confidence, METHOD, TOO_MANY_CLASSES)] * counts.k for name in names}
    rest = counts.one_versus_rest
    tables = np.stack([rest.tp, rest.fp, rest.fn, rest.tn], axis=1).astype(np.float64)
    drawn = [None if outcomes is None else outcomes(code) for code in range(counts.k)]
    # Of very many classes, most share their four counts with others.
    distinct, place = np.arange(counts.k), np.arange(counts.k)
    if outcomes is None:
        _, distinct, place = np.unique(tables, axis=0, return_index=True, return_inverse=True)
    drawn, sums = [drawn[code] for code in distinct.tolist()], OutcomeSums(tables[distinct])
    amounts = np.array([1.0 if own is None else own.share_of_one for own in drawn])
    wanted = [
        Wanted(influence, MEASURES[name].limits, own)
        for name in names
        for influence, own in zip(sums.influences(MEASURES[name], amounts), drawn, strict=True)
    ]
    found = np.empty(len(wanted), object)
    found[:] = intervals_of(wanted, confidence)
    by_measure = found.reshape(len(names), distinct.size)[:, place.ravel()]
    return dict(zip(names, by_measure.tolist(), strict=True))


def outcomes_of(drawn: Drawn, truth: Ints, said: Ints) -> Outcomes:
    """Return a function that says, for each class, how its outcomes were sampled.

    Parameters
    ----------
    drawn : Drawn
    truth, said : ndarray of int64
        Positions of the true and the predicted class of each of its entries.
    """
    entry = np.arange(truth.size) if drawn.entry is None else drawn.entry
    return lambda code: drawn.with_entries((2 * (said != code) + (truth != code))[entry])


def intervals_of_labels(
    records: Iterable[Index],
    confusion: Confusion | None,
    counts: ClassCounts,
    confidence: float,
    drawn: Drawn | None = None,
    scored: ScoredModels | None = None,
) -> dict[str, Interval]:
    """Return the intervals of scores of labels.

    Parameters
    ----------
    records : iterable of Index
    confusion : Confusion or None
        None if there are too many classes: shares of instances have intervals nevertheless.
    counts : ClassCounts
        Counts of the same instances.
    confidence : float
    drawn : Drawn, optional
        Its entries are positions in `confusion.cells()`.
    scored : ScoredModels, optional
        Models scored already, so that their differences need not score them again.
    """
    found: dict[str, Wanted | Interval] = {}
    positive = None if counts.positive is None else counts.classes[counts.positive]
    one = 1.0 if drawn is None else drawn.share_of_one
    scored = scored or ScoredModels()
    model = None if confusion is None else scored.of(confusion, positive, one)
    for record in records:
        if drawn is None and counts.is_weighted:
            found[record.name] = Interval.undefined(confidence, METHOD, WEIGHTED)
        elif drawn is None and record.mean_of == "instances" and int(counts.true.sum()) == counts.n:
            found[record.name] = interval_of_share(int(counts.right.sum()), int(counts.n), confidence)
        elif model is None:
            found[record.name] = Interval.undefined(confidence, METHOD, reason_of("many classes"))
        elif (reason := model.why_not(record)) is not None:
            found[record.name] = Interval.undefined(confidence, METHOD, reason)
        else:
            low, high = map(float, record.range)
            influence = model.of(record).influence(model.cells, model.counts)
            found[record.name] = Wanted(influence, (low, high), drawn, is_ratio=record.is_ratio)
    return intervals_by_name(found, confidence)


def why_not_compared(record: Index, one: ClassCounts, other: ClassCounts) -> str | None:
    """Say that means over the classes that occur cover different classes in two groups; None if they do not.

    Parameters
    ----------
    record : Index
    one, other : ClassCounts
        Counts of the same classes, in the same order.
    """
    alone = (one.true > 0) != (other.true > 0)
    if record.mean_of != "classes that occur" or not alone.any():
        return None
    names = named_classes(one.classes, alone)
    return f"{names} does not occur in both groups: the scores are means over different classes"
