"""Differences of two classifiers' scores over the same instances: an interval of each, and a test if there is one.

Both models are judged on the same instances, so that what makes an instance hard for both cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import Labels
from adjudge.indices.class_measures import named_classes
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.inference.classes.class_intervals import (
    MOST_CELLS,
    MOST_SMOOTHED,
    SHARES_OF_RIGHT,
    TOO_MANY_CELLS,
    assessed_labels,
    smoothed_error,
    wider,
)
from adjudge.inference.classes.recall_means import why_unknown
from adjudge.inference.classes.right_or_wrong import mcnemar_test
from adjudge.inference.classes.scored_labels import ScoredLabels, ScoredModels
from adjudge.inference.common.few_disagreements import ENOUGH_DISAGREEMENTS
from adjudge.inference.common.interval_methods import Estimate, Interval, intervals_of
from adjudge.inference.common.mover import limits_of_difference
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.common.refusals import WEIGHTED
from adjudge.inference.common.samples import Sample, joined
from adjudge.inference.common.test_results import Difference, agreeing, interval_test, note_of_few
from adjudge.inference.differences.exchanged_labels import LabelsOfTwo
from adjudge.inference.differences.influence_differences import interval_of_difference
from adjudge.inference.differences.limits_of_both import differences_from_both
from adjudge.inference.differences.loss_differences import difference_of_losses
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.inference.forecasts.forecast_intervals import (
    has_influence,
    percentiles,
    why_not_resampled,
    why_too_many,
)
from adjudge.inference.forecasts.mean_losses import MEAN_LOSSES
from adjudge.inference.forecasts.scored_forecasts import ScoredForecasts
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.classes import class_positions
from adjudge.statistics.contingency import count_labels
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts

__all__ = [
    "PairedLabels",
    "differences_of_forecasts",
    "differences_of_labels",
    "newcombe_paired",
]

Records = Sequence[ForecastIndex]

#: Indices that are an area under one ROC curve, and what one unit of area is worth on their scale.
_AREAS = {"roc_auc": 1.0, "gini": 2.0}


def newcombe_paired(agreement: Agreement, confidence: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two paired proportions, from Wilson's intervals of both and their correlation.

    Parameters
    ----------
    agreement : Agreement
        Counts of instances.
    confidence : float

    References
    ----------
    Newcombe (1998), Improved confidence intervals for the difference between binomial proportions based on paired
    data, method 10.

    Examples
    --------
    >>> from adjudge import Agreement
    >>> from adjudge.inference.differences.paired_differences import newcombe_paired
    >>> low, high = newcombe_paired(Agreement(36, 12, 2, 0))
    >>> round(low, 4), round(high, 4)
    (0.0569, 0.3404)
    """
    a, b, c, d = agreement.both_right, agreement.right_wrong, agreement.wrong_right, agreement.both_wrong
    n, z = agreement.total, normal_quantile(confidence)
    first, second = (a + b) / n, (a + c) / n
    limits = wilson(first, n, z), wilson(second, n, z)
    low, high = limits_of_difference(first, limits[0], second, limits[1], _phi(a, b, c, d))
    return max(-1.0, low), min(1.0, high)


def _phi(a: int, b: int, c: int, d: int) -> float:
    """Correlation of two outcomes, a positive one corrected for continuity."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    cross = float(a * d - b * c)
    if cross > 0:
        cross = max(cross - (a + b + c + d) / 2, 0.0)
    return cross / math.sqrt(margins)


@dataclass(frozen=True, eq=False)
class PairedLabels:
    """The truth and the labels by two models, over the same classes.

    Attributes
    ----------
    truth, first, second : Labels
    counts : ndarray of int64 or None
        How many instances each entry stands for.
    classes : sequence
    positive : object
        The positive class, if one was named.
    """

    truth: Labels
    first: Labels
    second: Labels
    counts: NDArray[np.int64] | None
    classes: Sequence[Any]
    positive: Any = None

    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Count the combinations of labels: the places among the classes of all three, and the counts."""
        table = count_labels(joined(self.truth, self.first), self.second, weights=self.counts)
        rows, cols, counts = table.cells()
        pairs = np.asarray(table.row_labels, np.int64)[rows]
        truth, first = np.divmod(pairs, self.first.n_codes)
        second = class_positions(table.col_labels, self.classes, table.col_sums, "labels_pred")[cols]
        return (
            self._placed(self.truth, truth, counts, "labels_true"),
            self._placed(self.first, first, counts, "labels_pred"),
            second,
            counts.astype(np.int64),
        )

    def _placed(
        self, labels: Labels, codes: NDArray[np.int64], counts: NDArray[Any], name: str
    ) -> NDArray[np.int64]:
        """Return the places among the classes of the codes of cells, counted from the lowest."""
        occurring, inverse = np.unique(codes, return_inverse=True)
        own = [labels.categories[code] for code in occurring.tolist()]
        return class_positions(own, self.classes, np.bincount(inverse, counts).astype(np.int64), name)[
            inverse
        ]


def differences_of_labels(
    records: Sequence[Index],
    labels: PairedLabels,
    agreement: Agreement,
    confidence: float,
    scored: ScoredModels | None = None,
) -> dict[str, Difference]:
    """Differences of scores of labels.

    Newcombe's paired interval of shares of the instances that are right, and McNemar's test (mid-p). Of other scores of
    two classes intervals from those of both models, of more classes score-type ones with the standard error of a
    delete-one jackknife over the combinations of labels, and the test that follows from the interval. If the models
    give different labels to fewer than 20 instances, a reason has the p-value by exchanging these labels where it makes
    a difference.

    Parameters
    ----------
    records : sequence of Index
    labels : PairedLabels
    agreement : Agreement
        Of the same labels.
    confidence : float
    scored : ScoredModels, optional
        The models of other pairs, which need not be scored again.
    """
    found: dict[str, Difference] = {}
    others = []
    for record in records:
        if record.name in SHARES_OF_RIGHT:
            ends = newcombe_paired(agreement, confidence)
            value = (agreement.right_wrong - agreement.wrong_right) / agreement.total
            found[record.name] = agreeing(
                value, Interval(*ends, confidence, "newcombe"), mcnemar_test(agreement)
            )
        else:
            others.append(record)
    return found | (_by_cells(others, labels, confidence, scored or ScoredModels()) if others else {})


def _by_cells(
    records: list[Index], labels: PairedLabels, confidence: float, scored: ScoredModels
) -> dict[str, Difference]:
    # Each class occurs in the truth or is said by a model, so that very many need not be counted.
    too_many = len(labels.classes) > 3 * MOST_CELLS
    if not too_many:
        seen = LabelsOfTwo(labels.classes, *labels.cells())
        one, other = (scored.of(confusion, labels.positive) for confusion in seen.confusions(seen.counts))
        too_many = max(one.n_cells, other.n_cells) > MOST_CELLS
    if too_many:
        none = Interval.undefined(confidence, "jackknife", TOO_MANY_CELLS)
        return {record.name: Difference(none) for record in records}
    differences = differences_from_both if len(labels.classes) == 2 else _by_jackknife
    made = differences(records, seen, (one, other), confidence)
    return {
        record.name: _noted(_with_test(value, interval), record, seen, labels.positive)
        for record, (value, interval) in zip(records, made, strict=True)
    }


def _why_not(record: Index, models: tuple[ScoredLabels, ScoredLabels]) -> str | None:
    """Say why the difference of two scores cannot vary in a way that is known; None if it can."""
    one, other = (model.confusion.by_class() for model in models)
    if (reason := why_unknown(record, one)) is not None:
        return reason
    if not any(math.isnan(model.value(record)) for model in models):
        return None
    # Of both models, classes are those of the truth and of either model.
    alone = (one.true == 0) & ((one.predicted > 0) != (other.predicted > 0))
    if not alone.any():
        return "the score is undefined"
    names = named_classes(one.classes, alone)
    return f"no interval: {names} is predicted by one model alone, so the scores are means over different classes"


def _by_jackknife(
    records: Sequence[Index], seen: LabelsOfTwo, models: tuple[ScoredLabels, ScoredLabels], confidence: float
) -> list[tuple[float, Interval]]:
    """Make differences and score-type intervals, by leaving out instances or, if that tells more, by a full table."""
    sample = Sample(seen.counts, [])
    made = []
    for record in records:
        value = models[0].value(record) - models[1].value(record)
        if (reason := _why_not(record, models)) is not None:
            made.append((value, Interval.undefined(confidence, "score", reason)))
            continue
        left = np.subtract(*seen.of_each(*(partial(model.without_one, record) for model in models)))
        width = record.range[1] - record.range[0]
        estimate = Estimate(value, (-width, width), of_sums=None, of_counts=None, left_out=left)
        (own,) = intervals_of([estimate], sample, confidence, "score", 1, None)
        if len(seen.classes) ** 3 <= MOST_SMOOTHED:
            own = wider(own, estimate, sample.n, confidence, partial(_smoothed, record, seen, models))
        made.append((value, own))
    return made


def _smoothed(record: Index, seen: LabelsOfTwo, models: tuple[ScoredLabels, ScoredLabels]) -> float:
    """Estimate the standard error of a difference with half an instance a class spread over all combinations."""
    every = seen.filled()
    k = len(seen.classes)
    extra = 0.5 / math.sqrt(every.counts.size)
    # A cell of a model's confusion matrix holds as many combinations as there are classes.
    slopes = np.subtract(*every.of_each(*(partial(model.slopes, record, k * extra) for model in models)))
    return smoothed_error(slopes, every.counts + extra)


def _noted(found: Difference, record: Index, seen: LabelsOfTwo, positive: Any) -> Difference:
    """Say what is found by exchanging labels, if the models differ on few instances."""
    if found.test is None or seen.n_different >= ENOUGH_DISAGREEMENTS:
        return found
    note = note_of_few(
        found.test.p_value,
        lambda: seen.p_value(lambda confusion: assessed_labels(record, confusion, positive)),
        "by exchanging the models' labels",
        "the models differ on few instances",
    )
    return found if note is None else replace(found, test=replace(found.test, reason=note))


def _with_test(observed: float, interval: Interval) -> Difference:
    if math.isnan(observed) or math.isnan(interval.low):
        return Difference(interval)
    return Difference(
        interval, interval_test(observed, interval, "the expected scores of both models are the same")
    )


def differences_of_forecasts(
    records: Sequence[ForecastIndex],
    first: Forecasts,
    second: Forecasts,
    confidence: float,
    scored: ScoredForecasts | None = None,
) -> dict[str, Difference]:
    """Differences of scores of probabilities, or of scores that rank.

    DeLong's paired test of areas under the ROC curve, and an interval from the limits of both; the paired t of mean
    losses, its interval longer if few large losses are expected; of means over classes of areas and of average
    precisions, and of very many instances what thresholds make, Student's t by the influence of each instance; of
    others percentiles of the difference over instances drawn again, the same ones for both models. Of the last two, the
    test that follows from the interval.

    Parameters
    ----------
    records : sequence of ForecastIndex
    first, second : Forecasts
        Of the same instances, in the same order.
    confidence : float
    scored : ScoredForecasts, optional
        The models of other pairs, which need not be scored again.
    """
    if first.weights is not None:
        none = Difference(Interval.undefined(confidence, "none", WEIGHTED))
        return {record.name: none for record in records}
    found: dict[str, Difference] = {}
    moved, others = [], []
    for record in records:
        if record.name in MEAN_LOSSES:
            assert isinstance(first, ProbabilityForecasts)
            assert isinstance(second, ProbabilityForecasts)
            found[record.name] = difference_of_losses(record.name, first, second, confidence)
        elif record.name in _AREAS and first.positive is not None and second.positive is not None:
            areas = compare_areas(placements(first), placements(second), confidence=confidence)
            found[record.name] = Difference(_scaled(areas.interval, _AREAS[record.name]), areas.test)
        elif has_influence(record, first) and has_influence(record, second):
            moved.append(record)
        elif (reason := why_not_resampled(record) or why_too_many(first)) is not None:
            found[record.name] = Difference(Interval.undefined(confidence, "percentile", reason))
        else:
            others.append(record)
    models = _TwoForecasts(first, second, scored or ScoredForecasts(), confidence)
    return found | models.by_influence(moved) | models.by_resamples(others)


def _scaled(interval: Interval, times: float) -> Interval:
    return Interval(
        times * interval.low, times * interval.high, interval.confidence, interval.method, interval.reason
    )


@dataclass(frozen=True, eq=False)
class _TwoForecasts:
    """Forecasts by two models, and what is known of both."""

    first: Forecasts
    second: Forecasts
    scored: ScoredForecasts
    confidence: float

    def by_influence(self, records: Records) -> dict[str, Difference]:
        """Differences of scores of which it is known what instances do to them."""
        return self._each(records, "influence-t", self._moved)

    def by_resamples(self, records: Records) -> dict[str, Difference]:
        """Differences of other scores."""
        return self._each(records, "percentile", self._drawn)

    def _each(
        self, records: Records, method: str, made: Callable[[ForecastIndex, Records], tuple[float, Interval]]
    ) -> dict[str, Difference]:
        found = {}
        for record in records:
            reasons = (self.scored.why_not(record, own) for own in (self.first, self.second))
            reason = next(filter(None, reasons), None)
            if reason is None:
                found[record.name] = _with_test(*made(record, records))
            else:
                found[record.name] = Difference(Interval.undefined(self.confidence, method, reason))
        return found

    def _moved(self, record: ForecastIndex, records: Records) -> tuple[float, Interval]:
        one, other = (self.scored.moved(records, own)[record.name] for own in (self.first, self.second))
        interval = interval_of_difference(record, one, other, self.first, self.confidence)
        return one.value - other.value, interval

    def _drawn(self, record: ForecastIndex, records: Records) -> tuple[float, Interval]:
        one, other = (self.scored.drawn(records, own)[record.name] for own in (self.first, self.second))
        with np.errstate(invalid="ignore"):
            differences = one - other
        return float(differences[0]), percentiles(differences[1:], self.confidence)
