"""Confidence intervals of scores of predicted classes, by class and as averages.

Where the share of a class is known, predictive values rise or fall with a likelihood ratio alone, and so do the ends of
their intervals.

References
----------
Mercaldo, Lau & Zhou (2007), Confidence intervals for predictive values with an emphasis to case-control studies,
Statistics in Medicine 26, 2170-2183.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from adjudge.array_types import Floats, Ints, Limits
from adjudge.indices.class_measures import MEASURES, RATIOS, ClassMeasure, named_classes
from adjudge.indices.record import Index
from adjudge.inference.classes.label_sums import IS_REST, OutcomeSums, ScoredLabels, ScoredModels
from adjudge.inference.common.proportions import limits_of_ratio, normal_quantile, wilson
from adjudge.inference.influence import Influence
from adjudge.inference.interval import (
    METHOD,
    Interval,
    Wanted,
    interval_of_share,
    intervals_by_name,
    intervals_of,
)
from adjudge.inference.refusals import (
    MOST_CLASSES_OF_UNITS,
    NO_ESTIMATE,
    TOO_MANY_CLASSES,
    WEIGHTED,
    reason_of,
)
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.classes import ClassCounts, LabelCounts, OneVersusRest
from adjudge.statistics.confusion import Confusion

#: How the instances were sampled, given the position of a class: entries are its true positives, false positives,
#: false negatives and true negatives.
Outcomes = Callable[[int], Drawn]

# The outcome of an instance that is neither of the class nor predicted to be; those below it are about the class.
_NEITHER = 3
# Most classes that may be the most frequent one.
_MOST_LIKELY = 50


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
    tables = _tables(rest)
    drawn = [None if outcomes is None else outcomes(code) for code in range(counts.k)]
    # Of very many classes, most share their four counts with others.
    distinct, place = np.arange(counts.k), np.arange(counts.k)
    if outcomes is None:
        _, distinct, place = np.unique(tables, axis=0, return_index=True, return_inverse=True)
    drawn, sums = [drawn[code] for code in distinct.tolist()], OutcomeSums(tables[distinct])
    amounts = np.array([_of_one(own) for own in drawn])
    wanted = [
        Wanted(influence, MEASURES[name].limits, own)
        for name in names
        for influence, own in zip(sums.influences(*_of_tables(MEASURES[name]), amounts), drawn, strict=True)
    ]
    found = np.empty(len(wanted), object)
    found[:] = intervals_of(wanted, confidence)
    for j, own in enumerate(drawn):
        one = rest.take(slice(int(distinct[j]), int(distinct[j]) + 1))
        if own is None or (rows := _rows_of(one, own)) is None:
            continue
        for i, name in enumerate(names):
            if (known := _of_posterior(MEASURES[name], one, rows, confidence)) is not None:
                found[i * distinct.size + j] = known
    by_measure = found.reshape(len(names), distinct.size)[:, place.ravel()]
    return dict(zip(names, by_measure.tolist(), strict=True))


def _of_tables(measure: ClassMeasure) -> tuple[Callable[[Floats], Floats], Limits]:
    return lambda outcomes: measure.values(OneVersusRest(*outcomes)), measure.limits


def _tables(rest: OneVersusRest) -> Floats:
    return np.stack([rest.tp, rest.fp, rest.fn, rest.tn], axis=1).astype(np.float64)


def _of_one(drawn: Drawn | None) -> list[float]:
    """Return how much an event adds to each of the four outcomes of a class.

    A unit adds as much to the outcomes of a class as it has of them, not of the instances that have nothing to do with
    it; a row with a weight adds what those of its class usually weigh. If the share of the class is known, an instance
    of it weighs what the others of its class weigh.
    """
    if drawn is None:
        return [1.0] * 4
    if drawn.weighs_rows:
        usual: list[float] = drawn.usual_weight(IS_REST).tolist()
        return usual
    if drawn.strata is None or drawn.entry is None or drawn.counts is None:
        return [*[drawn.share_below(_NEITHER)] * 3, drawn.share_of_one]
    is_rest = drawn.entry % 2
    weights, rows = np.bincount(is_rest, drawn.counts, 2), np.bincount(is_rest, minlength=2)
    of_class, of_rest = (weights / np.maximum(rows, 1)).tolist()
    return [of_class, of_rest, of_class, of_rest]


def _of_classes(confusion: Confusion, drawn: Drawn | None) -> Floats | None:
    """Return what an instance of each class weighs, if rows have weights or the shares of the classes are known."""
    if drawn is not None and drawn.weighs_rows:
        return drawn.usual_of_classes(confusion.cells()[0], len(confusion.classes))
    if drawn is None or drawn.strata is None or drawn.entry is None or drawn.counts is None:
        return None
    truth = confusion.cells()[0][drawn.entry]
    weights, rows = (np.bincount(truth, own, len(confusion.classes)) for own in (drawn.counts, None))
    return np.asarray(weights / np.maximum(rows, 1))


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
    of_classes = None if confusion is None else _of_classes(confusion, drawn)
    of_positive: OneVersusRest | None = None
    rows: OneVersusRest | None = None
    by_outcome: Drawn | None = None
    if counts.positive is not None:
        rows = of_positive = counts.one_versus_rest.take(slice(counts.positive, counts.positive + 1))
        if drawn is not None:
            rows = None
            # Without known shares, units do not tell how rates within classes vary.
            if confusion is not None:
                by_outcome = outcomes_of(drawn, *confusion.cells()[:2])(counts.positive)
                rows = _rows_of(of_positive, by_outcome)
    for record in records:
        if drawn is None and counts.is_weighted:
            found[record.name] = Interval.undefined(confidence, METHOD, WEIGHTED)
        elif drawn is None and record.mean_of == "instances" and int(counts.true.sum()) == counts.n:
            found[record.name] = interval_of_share(int(counts.right.sum()), int(counts.n), confidence)
        elif rows is not None and record.ratio_of:
            found[record.name] = _of_ratio(record.ratio_of, rows, confidence, of_odds=record.of_odds)
        elif (
            rows is not None
            and of_positive is not None
            and drawn is not None
            and (measure := MEASURES.get(record.name)) is not None
            and (known := _of_posterior(measure, of_positive, rows, confidence)) is not None
        ):
            found[record.name] = known
        elif model is None:
            found[record.name] = Interval.undefined(confidence, METHOD, reason_of("many classes"))
        elif (reason := model.why_not(record)) is not None:
            found[record.name] = Interval.undefined(confidence, METHOD, reason)
        elif (
            by_outcome is not None
            and of_positive is not None
            and record.requires == (LabelCounts,)
            and (measure := MEASURES.get(record.name)) is not None
            and not record.ratio_of
        ):
            sums, amounts = OutcomeSums(_tables(of_positive)), np.array([_of_one(by_outcome)])
            (influence,) = sums.influences(*_of_tables(measure), amounts)
            found[record.name] = Wanted(influence, measure.limits, by_outcome)
        elif record.is_over_constants:
            found[record.name] = _over_constants(record, model, counts, confidence, drawn, of_classes)
        else:
            low, high = map(float, record.range)
            influence = model.influence(model.of(record), of_classes)
            found[record.name] = Wanted(influence, (low, high), drawn, is_ratio=bool(record.ratio_of))
    return intervals_by_name(found, confidence)


def _over_constants(
    record: Index,
    model: ScoredLabels,
    counts: ClassCounts,
    confidence: float,
    drawn: Drawn | None,
    of_classes: Floats | None,
) -> Interval:
    """Return the interval of the largest or smallest value over the classes that may be the constant answer.

    The population's most extreme value is no less extreme than any of them, and it is one of them: the end on the
    extreme side is the farthest of all ends; the other one is the farthest in of ends that all hold together
    (Bonferroni). Only classes that may be the most frequent one count, those within :func:`_reach` of it.
    """
    places = np.argsort(-counts.true, kind="stable").tolist()

    def influence_of(place: int) -> Influence:
        return model.influence(model.at_constant(record, place), of_classes)

    first = influence_of(places[0])
    likely = [first]
    for place in places[1:]:
        other = influence_of(place)
        if abs(other.value - first.value) > _reach(other - first, drawn):
            break
        if len(likely) == _MOST_LIKELY:
            reason = f"more than {_MOST_LIKELY} classes may be the most frequent one"
            return Interval.undefined(confidence, METHOD, reason)
        likely.append(other)
    low, high = map(float, record.range)
    wanted = [Wanted(own, (low, high), drawn) for own in likely]
    each = intervals_of(wanted, confidence)
    if len(each) == 1 or math.isnan(each[0].low):
        return each[0]
    together = intervals_of(wanted, 1 - (1 - confidence) / len(wanted))
    if record.over_constants == "largest":
        ends = max(own.low for own in together), max(own.high for own in each)
    else:
        ends = min(own.low for own in each), min(own.high for own in together)
    reason = f"wide, as {len(each)} classes may be the most frequent one"
    return replace(each[0], low=ends[0], high=ends[1], reason=reason)


def _reach(difference: Influence, drawn: Drawn | None) -> float:
    """Return how far apart shares of two classes may be if either may be the larger one in the population.

    That is their standard error times the root of the logarithm of the number of instances or units (Andrews & Soares
    2010, Econometrica 78, 119-157).
    """
    n = difference.n if drawn is None else drawn.n_drawn
    return math.sqrt(max(math.log(n), 1.0) * variance_of(difference, drawn))


def _rows_of(weighed: OneVersusRest, drawn: Drawn) -> OneVersusRest | None:
    """Return the rows behind the outcomes of one class; None if they do not tell how rates within classes vary.

    They do if rows are independent, and those of the class weigh alike, as do all others: with known shares of two
    classes.
    """
    if drawn.strata is None or drawn.entry is None or drawn.counts is None or drawn.run is not None:
        return None
    is_rest = drawn.entry % 2
    weights, rows = np.bincount(is_rest, drawn.counts, 2), np.bincount(is_rest, minlength=2)
    of_each = weights / np.maximum(rows, 1)
    if drawn.n_drawn != is_rest.size or not rows.all() or not np.allclose(drawn.counts, of_each[is_rest]):
        return None
    of_class, of_rest = of_each.tolist()
    outcomes = weighed.tp / of_class, weighed.fp / of_rest, weighed.fn / of_class, weighed.tn / of_rest
    return OneVersusRest(*map(np.rint, outcomes))


def _of_posterior(
    measure: ClassMeasure, weighed: OneVersusRest, rows: OneVersusRest, confidence: float
) -> Interval | None:
    """Return the interval that follows from that of a likelihood ratio of the rows; None of other measures."""
    if not measure.posterior_of:
        return None
    value = float(measure.values(weighed)[0])
    if math.isnan(value):
        return None
    odds = float(((weighed.tp + weighed.fn) / (weighed.fp + weighed.tn))[0])
    ratio = _of_ratio(RATIOS[measure.posterior_of], rows, confidence)
    ends = [1 - 1 / (1 + odds * end) for end in ratio]
    low, high = [1 - end for end in reversed(ends)] if measure.is_of_others else ends
    low, high = min(low, value), max(high, value)
    return Interval(low, high, confidence, ratio.method, one_sided=value in measure.limits)


def _of_ratio(
    rates: Sequence[str], own: OneVersusRest, confidence: float, *, of_odds: bool = False
) -> Interval:
    """Return the interval of a ratio of two rates of a class, among its instances and among all others."""
    z = normal_quantile(confidence)
    ends: list[tuple[float, tuple[float, float]]] = []
    for name in rates:
        hits, size = (float(part[0]) for part in MEASURES[name].parts(own))
        if size == 0:
            return Interval.undefined(confidence, METHOD, NO_ESTIMATE)
        share, limits = hits / size, wilson(hits / size, size, z)
        ends.append((_odds(share), (_odds(limits[0]), _odds(limits[1]))) if of_odds else (share, limits))
    if any(math.isinf(own) for own, _ in ends):
        # The same ratio of the reciprocals, of which none is infinite, unless both rates are at an end.
        ends = [(_inverse(own), (_inverse(high), _inverse(low))) for own, (low, high) in reversed(ends)]
    (one, of_one), (other, of_other) = ends
    if math.isinf(one) or math.isinf(other):
        return Interval(of_one[0] / of_other[1], of_one[1] * _inverse(of_other[0]), confidence, "mover")
    return Interval(*limits_of_ratio(one, of_one, other, of_other), confidence, "mover")


def _odds(share: float) -> float:
    return share / (1 - share) if share < 1 else math.inf


def _inverse(value: float) -> float:
    return 1 / value if value else math.inf


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
