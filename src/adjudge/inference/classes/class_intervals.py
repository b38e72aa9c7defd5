"""Confidence intervals of scores of predicted classes: by class, and as averages."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.class_measures import MEASURES, value_by_class
from adjudge.indices.record import Index
from adjudge.inference.classes.macro_scores import measure_of_mean, reaching
from adjudge.inference.classes.recall_means import MEANS_OF_RECALLS, interval_of_mean, interval_of_recalls
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.classes.two_classes import SCORES, interval_of_tables, tables_of_few
from adjudge.inference.common.interval_methods import Estimate, intervals_of, score_interval
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.two_by_two import TablesOfFour
from adjudge.inference.drawn import Drawn
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.classes import ClassCounts, LabelCounts, OneVersusRest
from adjudge.statistics.confusion import Confusion

__all__ = [
    "MOST_CELLS",
    "MOST_SMOOTHED",
    "SHARES_OF_RIGHT",
    "TOO_MANY_CELLS",
    "assessed_labels",
    "intervals_by_class",
    "intervals_of_labels",
    "intervals_of_measures",
    "outcomes_of",
    "slopes",
    "smoothed_error",
    "wider",
]

Floats = NDArray[np.float64]

#: Classes up to which each of their scores is looked up in tables: it takes milliseconds.
MOST_CLASSES = 100
#: Filled cells of a confusion matrix up to which every score is computed without an instance of each.
MOST_CELLS = 1_000
#: Why there is no interval, if there are more.
TOO_MANY_CELLS = f"the confusion matrix has more than {MOST_CELLS:,} filled cells"
#: Up to this many cells slopes are taken at a table in which none is empty.
MOST_SMOOTHED = 400

#: Proportions by class, with what they are proportions of.
_PROPORTIONS = {
    "precision": ("tp", "fp"),
    "recall": ("tp", "fn"),
    "specificity": ("tn", "fp"),
    "negative_predictive_value": ("tn", "fn"),
    "false_positive_rate": ("fp", "tn"),
    "false_negative_rate": ("fn", "tp"),
    "false_discovery_rate": ("fp", "tp"),
    "false_omission_rate": ("fn", "tn"),
}
#: Sums of two such proportions less 1, of which each has instances of its own.
_SUMS = {
    "informedness": ("recall", "specificity"),
    "markedness": ("precision", "negative_predictive_value"),
}
#: Indices that are the share of the instances that are right, whatever their classes are.
SHARES_OF_RIGHT = ("accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall")
#: Indices that are such a proportion of the positive class.
_OF_POSITIVE = {
    "precision": "precision",
    "recall": "recall",
    **{name: name for name in list(_PROPORTIONS)[2:]},
}
#: Of the other measures of a class that have an interval.
_RANGES = {"f1": (0.0, 1.0), "matthews_correlation": (-1.0, 1.0)}


def _two_shares(counted: Sequence[int], confidence: float) -> Interval:
    """Interval of the sum of two shares less 1: of the first count and the second, and of the third and the fourth."""
    inside, all_of = np.array(counted[::2], np.float64), np.add(counted[::2], counted[1::2])
    if not all_of.all():
        return Interval.undefined(confidence, "wilson", "the score is undefined")
    mean = interval_of_mean(all_of.astype(np.float64), inside, confidence)
    return replace(mean, low=2 * mean.low - 1, high=2 * mean.high - 1)


#: How the instances of a class, and of all others, were drawn, by place of the class: entries are true positives,
#: false positives, false negatives and true negatives.
DrawnOfClass = Callable[[int], Drawn]


def outcomes_of(drawn: Drawn, truth: NDArray[np.int64], said: NDArray[np.int64]) -> DrawnOfClass:
    """Say how the instances of each class were drawn.

    Parameters
    ----------
    drawn : Drawn
    truth, said : ndarray of int64
        Places of the true and of the predicted class of each of its entries.
    """
    entry = np.arange(truth.size) if drawn.entry is None else drawn.entry
    return lambda code: replace(drawn, entry=(2 * (said != code) + (truth != code))[entry])


def intervals_of_measures(
    counts: LabelCounts, measures: Iterable[str], confidence: float
) -> dict[str, list[Interval]]:
    """Intervals of several measures for each class, as :func:`intervals_by_class` makes them; F1's only once."""
    found: dict[str, list[Interval]] = {}
    for measure in measures:
        if measure == "jaccard" and "f1" in found:
            found[measure] = [_as_jaccard(own) for own in found["f1"]]
        else:
            found[measure] = intervals_by_class(counts, measure, confidence)
    return found


def intervals_by_class(
    counts: LabelCounts, measure: str, confidence: float, drawn: DrawnOfClass | None = None
) -> list[Interval]:
    """Interval of a measure for each class.

    Wilson's of proportions, and of sums of two of them. Of other measures from the tables near that of the
    class against the rest, if some of its counts are small and there are no more than :data:`MOST_CLASSES`; else
    score-type, with the jackknife's error.

    Parameters
    ----------
    counts : ClassCounts
    measure : str
        A key of :data:`adjudge.indices.class_measures.MEASURES`, but no ratio of likelihoods or odds.
    confidence : float
    """
    if counts.is_weighted:
        return [Interval.undefined(confidence, "wilson", WEIGHTED)] * counts.k
    rest = counts.one_versus_rest
    if measure in _PROPORTIONS:
        inside, outside = (getattr(rest, part) for part in _PROPORTIONS[measure])
        return [
            interval_of_share(int(a), int(a + b), confidence)
            for a, b in zip(inside.tolist(), outside.tolist(), strict=True)
        ]
    if measure in _SUMS:
        parts = [part for share in _SUMS[measure] for part in _PROPORTIONS[share]]
        cells = np.stack([getattr(rest, part) for part in parts], axis=1).tolist()
        return [_two_shares(known, confidence) for known in cells]
    if measure == "jaccard":
        # F1 in another guise: so is its interval.
        return [_as_jaccard(own) for own in intervals_by_class(counts, "f1", confidence)]
    return _of_few(counts, rest, measure, _jackknifed(counts, rest, measure, confidence))


def _of_few(
    counts: LabelCounts, rest: OneVersusRest, measure: str, by_jackknife: list[Interval]
) -> list[Interval]:
    """Replace the intervals of classes some of whose counts are small."""
    if counts.k > MOST_CLASSES:
        return by_jackknife
    cells = np.stack([rest.tp, rest.fp, rest.fn, rest.tn], axis=1).tolist()
    found = []
    for own, known in zip(by_jackknife, cells, strict=True):
        tables = None if math.isnan(own.low) else tables_of_few(known)
        found.append(
            own
            if tables is None
            else interval_of_tables(tables, MEASURES[measure].values, _RANGES[measure], own.confidence)
        )
    return found


def _as_jaccard(own: Interval) -> Interval:
    return replace(own, low=own.low / (2 - own.low), high=own.high / (2 - own.high))


def _jackknifed(counts: LabelCounts, rest: OneVersusRest, measure: str, confidence: float) -> list[Interval]:
    values = value_by_class(measure, counts)
    cells = [part.astype(np.float64) for part in (rest.tp, rest.fp, rest.fn, rest.tn)]
    n = float(counts.n)
    without = []
    for place in range(4):
        less = [np.maximum(cell - (i == place), 0.0) for i, cell in enumerate(cells)]
        without.append(MEASURES[measure].values(OneVersusRest(*less)))
    known = np.array(without)
    weights = np.array(cells)
    # A cell that is empty loses no instance.
    known[weights == 0] = 0.0
    mean = (weights * known).sum(axis=0) / n
    errors = np.sqrt((n - 1) / n * (weights * (known - mean) ** 2).sum(axis=0))
    limits = _RANGES[measure]
    # As in :func:`smoothed_error`, for all classes at once.
    full = [cell + 0.25 for cell in cells]
    total, step = n + 1, 1e-4 * (n + 1)
    base = MEASURES[measure].values(OneVersusRest(*full))
    slopes = np.array(
        [
            MEASURES[measure].values(OneVersusRest(*(c + step * (i == place) for i, c in enumerate(full))))
            - base
            for place in range(4)
        ]
    )
    slopes *= total / step
    shares = np.array(full) / total
    spread = (shares * (slopes - (shares * slopes).sum(axis=0)) ** 2).sum(axis=0)
    errors = np.where(errors > 0, np.maximum(errors, np.sqrt(spread / total)), errors)
    events = _one_step(cells, measure, values)
    found = []
    for value, error, event in zip(values.tolist(), errors.tolist(), events.tolist(), strict=True):
        if math.isnan(value) or counts.n < 2:
            found.append(Interval.undefined(confidence, "score", "the score is undefined"))
        else:
            found.append(score_interval(value, limits, error, int(n), confidence, event))
    return found


def _one_step(cells: Sequence[Floats], measure: str, values: Floats) -> Floats:
    """How much a measure of each class changes at most if one answer changes; nan if it does not."""
    tp, fp, fn, tn = cells
    lost, gained = np.minimum(tp, 1.0), np.minimum(fn, 1.0)
    accused = np.minimum(tn, 1.0)
    changed = (
        OneVersusRest(tp - lost, fp, fn + lost, tn),
        OneVersusRest(tp + gained, fp, fn - gained, tn),
        OneVersusRest(tp, fp + accused, fn, tn - accused),
    )
    largest = np.fmax.reduce([np.abs(MEASURES[measure].values(rest) - values) for rest in changed])
    return np.where(largest > 0, largest, math.nan)


def intervals_of_labels(
    records: Iterable[Index],
    confusion: Confusion | None,
    counts: ClassCounts,
    confidence: float,
    drawn: Drawn | None = None,
) -> dict[str, Interval]:
    """Intervals of scores of labels.

    Wilson's if a score is a proportion of instances that are not random themselves. Of two classes, from the tables
    near the observed one, unless all of its counts are large. Else score-type, with the jackknife's standard error;
    classes stay the same if the last instance of one is left out. Means of the classes' scores reach as far as the
    intervals of the classes say.

    Parameters
    ----------
    records : iterable of Index
    confusion : Confusion or None
        None if there are too many classes for a jackknife: shares of instances have intervals even so.
    counts : ClassCounts
        Of the same instances.
    confidence : float
    """
    if counts.is_weighted:
        none = Interval.undefined(confidence, "score", WEIGHTED)
        return {record.name: none for record in records}
    found: dict[str, Interval] = {}
    others = []
    right = int(counts.right.sum())
    tables = _tables_of_two(counts)
    for record in records:
        if record.name in SHARES_OF_RIGHT and int(counts.true.sum()) == counts.n:
            found[record.name] = interval_of_share(right, int(counts.n), confidence)
        elif record.name in _SUMS and counts.positive is not None:
            found[record.name] = intervals_by_class(counts, record.name, confidence)[counts.positive]
        elif tables is not None and record.name in SCORES:
            limits = float(record.range[0]), float(record.range[1])
            found[record.name] = interval_of_tables(tables, SCORES[record.name], limits, confidence)
        elif record.name in MEANS_OF_RECALLS:
            found[record.name] = interval_of_recalls(record, counts, confidence)
        elif record.name in _OF_POSITIVE and counts.positive is not None:
            own = intervals_by_class(counts, _OF_POSITIVE[record.name], confidence)
            found[record.name] = own[counts.positive]
        else:
            others.append(record)
    made = _by_jackknife(others, confusion, counts, confidence)
    for name, alone in made.items():
        if confusion is not None and (measure := measure_of_mean(name, counts.true)) is not None:
            made[name] = reaching(alone, measure, confusion, intervals_by_class(counts, measure, confidence))
    return found | made


def assessed_labels(record: Index, confusion: Confusion, positive: Any) -> float:
    """Compute a score from a confusion matrix.

    Parameters
    ----------
    record : Index
    confusion : Confusion
    positive : object
        The positive class; None if there is none.
    """
    made = [
        confusion if kind is Confusion else confusion.by_class(positive=positive) for kind in record.requires
    ]
    return record.assess(*made)[0]


def _tables_of_two(counts: ClassCounts) -> TablesOfFour | None:
    """Return the tables near that of two classes; None if there are others, or many of each count."""
    if counts.k != 2 or int(counts.true.sum()) != counts.n:
        return None
    rest = counts.one_versus_rest.take(1 if counts.positive is None else counts.positive)
    return tables_of_few([int(part) for part in (rest.tp, rest.fp, rest.fn, rest.tn)])


def _by_jackknife(
    records: list[Index], confusion: Confusion | None, counts: ClassCounts, confidence: float
) -> dict[str, Interval]:
    if confusion is None or (known := confusion.cells())[2].size > MOST_CELLS:
        none = Interval.undefined(confidence, "score", TOO_MANY_CELLS)
        return {record.name: none for record in records}
    rows, cols, cells = known
    positive = None if counts.positive is None else counts.classes[counts.positive]

    def value(record: Index) -> Any:
        def of_counts(cells: NDArray[np.int64]) -> float:
            return assessed_labels(record, Confusion.of_cells(confusion.labels, rows, cols, cells), positive)

        return of_counts

    estimates = [
        Estimate(observed=value(record)(cells), range=record.range, of_sums=None, of_counts=value(record))
        for record in records
    ]
    made = intervals_of(estimates, Sample(cells, []), confidence, "score", 1, None)
    k = len(confusion.labels)
    if k * k <= MOST_SMOOTHED:
        # Every cell, those that are empty among them.
        rows, cols = (found.ravel() for found in np.indices((k, k)))
        every = confusion.matrix[rows, cols]
        mistakes = [
            (int(i), int(i) // k * k + c) for i in np.flatnonzero(every) for c in range(k) if c != i % k
        ]
        made = [
            wider(
                own,
                estimate,
                int(every.sum()),
                confidence,
                partial(error_by_class, value(record), every),
                partial(_largest_step, value(record), every, mistakes),
            )
            for record, estimate, own in zip(records, estimates, made, strict=True)
        ]
    return {record.name: interval for record, interval in zip(records, made, strict=True)}


def smoothed_error(slopes: Floats, full: NDArray[Any]) -> float:
    """Estimate the standard error of a score from its slopes at a table in which no cell is empty.

    If few instances are wrong, no sample loses one of the mistakes that it does not hold, so that a jackknife
    underestimates the error.

    Parameters
    ----------
    slopes : ndarray of shape (n_cells,)
        How fast the score changes with the share of each cell.
    full : ndarray of shape (n_cells,)
        The counts, with half an instance a class spread over the cells.
    """
    n = float(full.sum())
    shares = full / n
    return math.sqrt(float(shares @ (slopes - shares @ slopes) ** 2) / n)


def error_by_class(of_counts: Callable[[NDArray[Any]], float], cells: NDArray[np.int64]) -> float:
    """Estimate the standard error of a score of labels from its slopes, each class with an instance of all classes.

    A class with a few instances, of which all are right or none, would seem not to vary. So it borrows one instance,
    which is right as often as all are, and keeps its share. Its variance is divided by what is left of that of a class
    that is like the others.

    Parameters
    ----------
    of_counts : callable
        From all cells of a confusion matrix, row by row, to the score.
    cells : ndarray of int64 of shape (k * k,)
    """
    k = math.isqrt(cells.size)
    table = cells.reshape(k, k)
    totals, n = table.sum(axis=1), int(cells.sum())
    right = float(np.trace(table)) / n
    borrowed = np.full((k, k), (1 - right) / max(1, k - 1))
    np.fill_diagonal(borrowed, right)
    inside = (table + borrowed) / (totals + 1)[:, None]
    steep = slopes(of_counts, (inside * totals[:, None]).ravel()).reshape(k, k)
    means = (inside * steep).sum(axis=1)
    within = (inside * (steep - means[:, None]) ** 2).sum(axis=1) / (1 - totals / (totals + 1) ** 2)
    shares = totals / n
    return math.sqrt(float(shares @ (within + (means - shares @ means) ** 2)) / n)


def slopes(of_counts: Callable[[NDArray[Any]], float], full: NDArray[Any]) -> Floats:
    """Say how fast a score changes with the share of each cell."""
    n = float(full.sum())
    step, base = 1e-4 * n, of_counts(full)
    moved = [of_counts(full + step * (np.arange(full.size) == i)) - base for i in range(full.size)]
    return np.array(moved) * n / step


def _largest_step(
    of_counts: Callable[[NDArray[Any]], float], cells: NDArray[np.int64], moves: Iterable[tuple[int, int]]
) -> float:
    """How much a score changes at most if one instance moves from a cell to another."""
    base, found = of_counts(cells), 0.0
    for source, target in moves:
        moved = cells.copy()
        moved[source] -= 1
        moved[target] += 1
        # A change that is not known is no larger than any other.
        found = max(found, abs(of_counts(moved) - base))
    return found


def wider(
    own: Interval,
    estimate: Estimate,
    n: int,
    confidence: float,
    error: Callable[[], float],
    event: Callable[[], float] = lambda: math.nan,
) -> Interval:
    """Take the interval from another estimate of the error if it is the wider one.

    If no instance is wrong, the interval reaches as far as the mistake that would cost most: in a small class it costs
    more than a share of the instances.

    Parameters
    ----------
    own : Interval
        By the jackknife.
    estimate : Estimate
    n : int
        Number of instances.
    confidence : float
    error : callable
        Makes the other standard error.
    event : callable
        Makes what the costliest mistake changes, if there is none.
    """
    if math.isnan(own.low):
        return own
    caused, other_error = (event(), 0.0) if own.one_sided else (math.nan, error())
    if not (caused > 0 or other_error > 0):
        return own
    low, high = map(float, estimate.range)
    other = score_interval(estimate.observed, (low, high), other_error, n, confidence, caused)
    return other if other.high - other.low > own.high - own.low else own
