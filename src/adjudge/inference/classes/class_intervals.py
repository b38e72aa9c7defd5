"""Confidence intervals of scores of predicted classes, by class and as averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from adjudge.indices.class_measures import MEASURES, named_classes
from adjudge.indices.record import Index
from adjudge.inference.arrays import Floats, Ints, Numbers
from adjudge.inference.classes.label_influence import (
    MOST_CELLS,
    TOO_MANY_CELLS,
    LabelInfluences,
    influence_of_table,
    spread_tables,
    weight_of_one,
)
from adjudge.inference.classes.recall_means import MEANS_OF_RECALLS, interval_of_recalls, why_unknown
from adjudge.inference.classes.shares import influence_of_quotient, interval_of_mean, interval_of_share
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.inference.refusals import (
    FEWEST_EVENTS,
    FEWEST_OF_CLASS,
    MOST_CLASSES_OF_UNITS,
    NO_ESTIMATE,
    TOO_MANY_CLASSES,
    WEIGHTED,
    reason_of,
)
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.classes import ClassCounts, LabelCounts, OneVersusRest
from adjudge.statistics.confusion import Confusion

__all__ = [
    "SHARES_OF_RIGHT",
    "intervals_by_class",
    "intervals_of_labels",
    "intervals_of_measures",
    "outcomes_of",
    "why_few_of_a_class",
]

#: How the instances were sampled, given the position of a class: entries are its true positives, false positives,
#: false negatives and true negatives.
Outcomes = Callable[[int], Drawn]

#: Indices that equal the share of right instances, whatever the classes.
SHARES_OF_RIGHT = ("accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall")
#: Proportions by class: which of TP, FP, FN and TN (in this order) are in the numerator and in the denominator.
_PROPORTIONS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "precision": ((0,), (0, 1)),
    "recall": ((0,), (0, 2)),
    "specificity": ((3,), (1, 3)),
    "negative_predictive_value": ((3,), (2, 3)),
    "false_positive_rate": ((1,), (1, 3)),
    "false_negative_rate": ((2,), (0, 2)),
    "false_discovery_rate": ((1,), (0, 1)),
    "false_omission_rate": ((2,), (2, 3)),
    "selection_rate": ((0, 1), (0, 1, 2, 3)),
}
#: Sums of two such proportions minus 1, with separate instances in each.
_SUMS = {"informedness": ("recall", "specificity"), "markedness": ("precision", "negative_predictive_value")}
#: Measures of a class whose range extends below 0.
_SIGNED = ("informedness", "markedness", "matthews_correlation")
#: Agreement corrected for chance: with two classes, it depends on the smaller one.
_BEYOND_CHANCE = ("cohen_kappa", "linear_weighted_kappa", "quadratic_weighted_kappa", "scott_pi")
#: Measures of the positive class against the rest, by record name. The correlation of the labels is none: it tells the
#: answers apart that name no class.
_OF_POSITIVE = {name: name for name in MEASURES if "ratio" not in name} | {"class_jaccard": "jaccard"}
del _OF_POSITIVE["matthews_correlation"]


def intervals_by_class(
    counts: LabelCounts, measure: str, confidence: float, outcomes: Outcomes | None = None
) -> list[Interval]:
    """Return the interval of one measure for each class; see :func:`intervals_of_measures`."""
    return intervals_of_measures(counts, [measure], confidence, outcomes)[measure]


def intervals_of_measures(
    counts: LabelCounts, measures: Iterable[str], confidence: float, outcomes: Outcomes | None = None
) -> dict[str, list[Interval]]:
    """Return the intervals of several measures for each class.

    Proportions have Wilson's interval; sums of two proportions have one from the limits of both (MOVER). Other
    measures, and rows sampled in units or with weights, have intervals from influence values.

    Parameters
    ----------
    counts : LabelCounts
    measures : iterable of str
        Keys of :data:`adjudge.indices.class_measures.MEASURES`, except likelihood and odds ratios.
    confidence : float
    outcomes : callable, optional
        Returns how instances were sampled, given the position of a class; see :func:`outcomes_of`.
    """
    found: dict[str, list[Interval]] = {name: [] for name in measures}
    if outcomes is None and counts.is_weighted:
        return {name: [Interval.undefined(confidence, "score", WEIGHTED)] * counts.k for name in found}
    if outcomes is not None and counts.k > MOST_CLASSES_OF_UNITS:
        return {
            name: [Interval.undefined(confidence, "score", TOO_MANY_CLASSES)] * counts.k for name in found
        }
    rest = counts.one_versus_rest
    tables = np.stack([rest.tp, rest.fp, rest.fn, rest.tn], axis=1)
    # Of very many classes, most share their four counts with others.
    known: dict[bytes, list[Interval]] = {}
    for code, cells in enumerate(tables):
        drawn = None if outcomes is None else outcomes(code)
        own = known.get(cells.tobytes()) if drawn is None else None
        if own is None:
            own = [_of_class(cells, name, confidence, drawn) for name in found]
            known |= {cells.tobytes(): own} if drawn is None else {}
        for intervals, interval in zip(found.values(), own, strict=True):
            intervals.append(interval)
    return found


def _of_class(cells: Numbers, measure: str, confidence: float, drawn: Drawn | None) -> Interval:
    if drawn is None:
        if measure in _PROPORTIONS:
            return interval_of_share(*_counted(cells, measure), confidence)
        if measure in _SUMS:
            return _of_sum(cells, measure, confidence)
    influence = _influence_of_class(cells, measure, weight_of_one(drawn))
    fewest = 0.0 if measure in _PROPORTIONS else FEWEST_EVENTS
    return interval_of(influence, _limits(measure), confidence, drawn, fewest_events=fewest)


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


def _counted(cells: Numbers, measure: str) -> tuple[int, int]:
    inside, among = _PROPORTIONS[measure]
    return sum(int(cells[i]) for i in inside), sum(int(cells[i]) for i in among)


def _of_sum(cells: Numbers, measure: str, confidence: float) -> Interval:
    hits, sizes = np.array([_counted(cells, share) for share in _SUMS[measure]], np.float64).T
    if not sizes.all():
        return Interval.undefined(confidence, "mover", NO_ESTIMATE)
    mean = interval_of_mean(sizes, hits, confidence)
    return replace(mean, low=2 * mean.low - 1, high=2 * mean.high - 1)


def _influence_of_class(cells: Numbers, measure: str, one: float) -> Influence:
    """Return the influence of the four cells of a class against the rest on a measure."""
    known = cells.astype(np.float64)
    if measure in _PROPORTIONS:
        top, bottom = (np.isin(range(4), places).astype(np.float64) for places in _PROPORTIONS[measure])
        return influence_of_quotient(top, bottom, known)
    table = known.reshape(2, 2)

    def values(tables: Floats) -> Floats:
        return MEASURES[measure].values(OneVersusRest(*tables.reshape(-1, 4).T))

    value = float(values(table)[0])
    if not math.isfinite(value):
        return Influence(value, np.full(4, math.nan), known)
    return influence_of_table(value, values(spread_tables(table, one)), table, _limits(measure), one)


def _limits(measure: str) -> tuple[float, float]:
    return (-1.0 if measure in _SIGNED else 0.0), 1.0


def intervals_of_labels(
    records: Iterable[Index],
    confusion: Confusion | None,
    counts: ClassCounts,
    confidence: float,
    drawn: Drawn | None = None,
) -> dict[str, Interval]:
    """Return the intervals of scores of labels.

    Proportions with a fixed denominator have Wilson's interval, means of recalls MOVER's. Other scores, and rows
    sampled in units or with weights, have intervals from influence values.

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
    """
    made = _Made(confusion, counts, confidence, drawn)
    return {record.name: made.interval(record) for record in records}


@dataclass(frozen=True, eq=False)
class _Made:
    """The counts behind intervals, and how the instances were sampled."""

    confusion: Confusion | None
    counts: ClassCounts
    confidence: float
    drawn: Drawn | None

    def interval(self, record: Index) -> Interval:
        counts, name = self.counts, record.name
        if self.drawn is None and counts.is_weighted:
            return self._none(WEIGHTED)
        if self.drawn is None and name in SHARES_OF_RIGHT and int(counts.true.sum()) == counts.n:
            return interval_of_share(int(counts.right.sum()), int(counts.n), self.confidence)
        if counts.positive is not None and name in _OF_POSITIVE:
            return self._of_positive(_OF_POSITIVE[name], counts.positive)
        of_recalls = self.drawn is None and name in MEANS_OF_RECALLS
        if not of_recalls and self._influences is None:
            return self._none(TOO_MANY_CELLS)
        reason = why_unknown(record, counts) or why_few_of_a_class(record, counts, self._rows)
        if reason is not None:
            return self._none(reason)
        if of_recalls:
            undefined = math.isnan(record.of(counts))
            return (
                self._none(NO_ESTIMATE) if undefined else interval_of_recalls(record, counts, self.confidence)
            )
        assert self._influences is not None
        low, high = map(float, record.range)
        fewest = 0.0 if name in SHARES_OF_RIGHT else FEWEST_EVENTS
        influence = self._influences.of(record)
        return interval_of(influence, (low, high), self.confidence, self.drawn, fewest_events=fewest)

    def _none(self, reason: str) -> Interval:
        return Interval.undefined(self.confidence, "score", reason)

    def _of_positive(self, measure: str, positive: int) -> Interval:
        of_classes = None
        if self.drawn is not None:
            if self.confusion is None:
                return self._none(TOO_MANY_CELLS)
            of_classes = outcomes_of(self.drawn, *self.confusion.cells()[:2])
        own = self.counts.take([self.counts.classes[positive]])
        of_one = None if of_classes is None else (lambda _: of_classes(positive))
        return intervals_by_class(own, measure, self.confidence, of_one)[0]

    @cached_property
    def _rows(self) -> Floats | None:
        if self.drawn is None or self.confusion is None:
            return None
        return self.drawn.rows_of(self.confusion.cells()[0], len(self.confusion.classes))

    @cached_property
    def _influences(self) -> LabelInfluences | None:
        if self.confusion is None or self.confusion.cells()[2].size > MOST_CELLS:
            return None
        positive = None if self.counts.positive is None else self.counts.classes[self.counts.positive]
        return LabelInfluences(self.confusion, positive, weight_of_one(self.drawn))


def why_few_of_a_class(record: Index, counts: LabelCounts, rows: Floats | None = None) -> str | None:
    """Say that a score depends on a class with few instances; None if it does not.

    Parameters
    ----------
    record : Index
    counts : LabelCounts
    rows : ndarray of shape (K,), optional
        Effective number of rows of each class, if they have sampling weights: see :meth:`Drawn.rows_of`.
    """
    of_classes = record.fixed.get("average") == "macro" or record.name in (*MEANS_OF_RECALLS, *_OF_POSITIVE)
    of_classes |= counts.k == 2 and record.name in _BEYOND_CHANCE
    # Five equal weights may add up to slightly less than five rows.
    few = (counts.true if rows is None else rows) < FEWEST_OF_CLASS - 1e-9
    if not of_classes or not few.any():
        return None
    what = "instances" if rows is None else "effective instances"
    return reason_of("few for a mean", classes=named_classes(counts.classes, few), what=what)
