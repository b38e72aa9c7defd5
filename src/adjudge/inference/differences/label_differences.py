"""Differences of two classifiers' scores of labels over the same instances: an interval of each, and a test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.labels import Labels
from adjudge.indices.class_measures import named_classes
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
from adjudge.inference.common.interval_methods import Estimate, intervals_of
from adjudge.inference.common.mover import limits_of_difference
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.common.samples import Sample, joined
from adjudge.inference.common.test_results import Difference, agreeing, interval_test, note_of_few
from adjudge.inference.differences.exchanged_labels import LabelsOfTwo
from adjudge.inference.differences.limits_of_both import differences_from_both
from adjudge.inference.drawn import Drawn
from adjudge.inference.interval import Interval
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.classes import class_positions
from adjudge.statistics.contingency import count_labels

__all__ = ["PairedLabels", "differences_of_labels", "newcombe_paired"]


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
    >>> from adjudge.inference.differences.label_differences import newcombe_paired
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
    drawn: Drawn | None = None,
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
