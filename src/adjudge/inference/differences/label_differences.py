"""Differences between two classifiers in scores of their labels, over the same instances: intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.class_order import StatedOrder
from adjudge.given.labels import Labels
from adjudge.given.positive import positive_position
from adjudge.indices.record import Index
from adjudge.inference.classes.accuracy_tests import mcnemar_test
from adjudge.inference.classes.label_sums import ScoredModels
from adjudge.inference.common.proportions import limits_of_difference, normal_quantile, wilson
from adjudge.inference.common.samples import joined
from adjudge.inference.common.significance import (
    Difference,
    agreeing,
    difference_of_influences,
    differences_by_name,
)
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Interval, Wanted
from adjudge.inference.refusals import MOST_CLASSES, WEIGHTED, reason_of
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.agreement import CELLS, Agreement, WeightedAgreement
from adjudge.statistics.classes import answer_positions, class_positions
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.contingency import joint_table

# Whether an entry is of another instance than those whose answers are compared.
_OTHERS = np.array([0] * len(CELLS) + [1])
_SAME = "the expected scores of both models are the same"


def newcombe_paired(agreement: Agreement, confidence: float = 0.95) -> tuple[float, float]:
    """Return the interval of the difference of two paired proportions, from Wilson's intervals and the correlation.

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
    >>> from adjudge.statistics import Agreement
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
    """Return the correlation of two outcomes, corrected for continuity if positive."""
    margins = (a + b) * (c + d) * (a + c) * (b + d)
    if margins == 0:
        return 0.0
    cross = float(a * d - b * c)
    if cross > 0:
        cross = max(cross - (a + b + c + d) / 2, 0.0)
    return cross / math.sqrt(margins)


def compare_accuracies(agreement: Agreement, confidence: float, drawn: Drawn | None = None) -> Difference:
    """Compare the accuracies of two models: Newcombe's paired interval, and McNemar's test (mid-p).

    For rows sampled in units or with weights, both follow from influence values of the difference, and allow for an
    instance that only the first model has right, or only the second, if none was seen.

    Parameters
    ----------
    agreement : Agreement
        Of all instances, or of some, such as those of a class.
    confidence : float
    drawn : Drawn, optional
        Its entries are positions in: both right, right and wrong, wrong and right, both wrong. It may have units
        without any of these instances.
    """
    n, b, c = agreement.total, agreement.right_wrong, agreement.wrong_right
    value = (b - c) / n
    if drawn is not None:
        # Of what a unit has of a cell, if it has any.
        one = drawn.share_below(len(CELLS))
        if drawn.weighs_rows:
            one = float(drawn.usual_weight(_OTHERS)[0])
        rise, fall = (
            0.0 if seen else one * (1 - sign * value) / (n + one) for seen, sign in ((b, 1), (c, -1))
        )
        psi = (np.array([0.0, 1.0, -1.0, 0.0]) - value) * (drawn.total / n)
        counts = [*(getattr(agreement, cell) for cell in CELLS), max(drawn.total - n, 0.0)]
        ends: dict[str, Any] = {"rise": rise, "fall": fall, "classes": _OTHERS}
        influence = Influence.centred(value, np.append(psi, 0.0), np.array(counts), **ends)
        return difference_of_influences(Wanted(influence, (0.0, 1.0), drawn), confidence, _SAME)
    if isinstance(agreement.total, float):
        return Difference(Interval.undefined(confidence, "newcombe", WEIGHTED))
    interval = Interval(*newcombe_paired(agreement, confidence), confidence, "newcombe")
    return agreeing(value, interval, mcnemar_test(agreement))


@dataclass(frozen=True, eq=False)
class PairedLabels:
    """The truth and the labels of two models, over the same classes.

    Attributes
    ----------
    truth, first, second : Labels
    counts : ndarray of int64 or float64, or None
        How many instances each entry stands for, or its weight.
    classes : sequence
    positive : object
        The positive class, if one was named.
    orders : (tuple of StatedOrder, tuple of StatedOrder)
        Stated orders of the classes, of the truth with each of the two models.
    """

    truth: Labels
    first: Labels
    second: Labels
    counts: NDArray[Any] | None
    classes: Sequence[Any]
    positive: Any = None
    orders: tuple[tuple[StatedOrder, ...], tuple[StatedOrder, ...]] = ((), ())

    @cached_property
    def outside(self) -> list[Any]:
        """The answers of both models that name no class."""
        found: list[Any] = []
        for model in (self.first, self.second):
            found = answer_positions(model.dense()[1], self.classes, found)[1]
        return found

    def confusion(
        self,
        truth: NDArray[np.int64],
        said: NDArray[np.int64],
        counts: NDArray[Any],
        orders: tuple[StatedOrder, ...] = (),
    ) -> Confusion:
        """Return the confusion matrix of a model, given as positions of its cells."""
        labels = [*self.classes, *self.outside]
        return Confusion.of_cells(labels, truth, said, counts, orders, n_outside=len(self.outside))

    @cached_property
    def cells(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
        """The combinations of labels: the positions of all three among the answers, and how often each occurs."""
        table = joint_table((joined(self.truth, self.first), self.second), self.counts)
        rows, cols, counts = table.cells()
        pairs = np.asarray(table.row_labels, np.int64)[rows]
        truth, first = np.divmod(pairs, self.first.n_codes)
        second = answer_positions(table.col_labels, self.classes, self.outside)[0][cols]
        codes, inverse = np.unique(truth, return_inverse=True)
        true = [self.truth.categories[code] for code in codes.tolist()]
        sizes = np.bincount(inverse, counts).astype(np.int64)
        codes, of_first = np.unique(first, return_inverse=True)
        said = [self.first.categories[code] for code in codes.tolist()]
        return (
            class_positions(true, self.classes, sizes, "labels_true")[inverse],
            answer_positions(said, self.classes, self.outside)[0][of_first],
            second,
            counts,
        )

    @property
    def too_many(self) -> bool:
        """Whether classes are too many: each is true or predicted, and their combinations are counted by number."""
        return len(self.classes) + len(self.outside) > 3 * MOST_CLASSES

    @cached_property
    def own_class(self) -> int | None:
        """Position of the positive class; None if there is none."""
        known = self.positive is not None or len(self.classes) == 2
        return positive_position(self.classes, self.positive) if known else None

    def outcomes(self, record: Index, drawn: Drawn | None) -> tuple[Agreement, Drawn | None] | None:
        """Count which models are right where a score is a share of right answers, and say in which units.

        None if the score is no such share, or if classes are too many. One that is better if lower is a share of wrong
        answers.

        Parameters
        ----------
        record : Index
        drawn : Drawn or None
            Its entries are positions in `cells`.
        """
        of_shares = "instances", "one class", "all but one class"
        if record.mean_of not in of_shares or self.too_many:
            return None
        truth, first, second, counts = self.cells
        own = self.own_class
        if record.mean_of == "instances":
            there, wrong = np.ones(truth.size, np.bool_), (first != truth, second != truth)
        elif own is None:
            return None
        elif record.mean_of == "one class":
            there, wrong = truth == own, (first != own, second != own)
        else:
            there, wrong = truth != own, (first == own, second == own)
        cells = 2 * wrong[0] + wrong[1]
        if record.better == "lower":
            cells = len(CELLS) - 1 - cells
        found = np.bincount(cells[there], counts[there], len(CELLS)).tolist()
        if not any(found):
            return None
        weighted = counts.dtype.kind == "f"
        agreement = WeightedAgreement(*found) if weighted else Agreement(*map(round, found))
        if drawn is None:
            return agreement, None
        entry = np.arange(cells.size) if drawn.entry is None else drawn.entry
        lines = np.flatnonzero(there[entry])
        return agreement, drawn.with_entries(cells[entry[lines]], lines)


def differences_of_labels(
    records: Sequence[Index],
    labels: PairedLabels,
    agreement: Agreement,
    confidence: float,
    scored: ScoredModels | None = None,
    drawn: Drawn | None = None,
) -> dict[str, Difference]:
    """Return the differences of scores of labels.

    Shares of right answers, of all instances or some, are compared by :func:`compare_accuracies`; other scores have the
    intervals and tests of the difference of influence values.

    Parameters
    ----------
    records : sequence of Index
    labels : PairedLabels
    agreement : Agreement
        Where both models are right.
    confidence : float
    scored : ScoredModels, optional
        Models scored for other pairs, so that they are not scored again.
    drawn : Drawn, optional
        Its entries are positions in `labels.cells`.
    """
    if drawn is None and isinstance(agreement.total, float):
        return {r.name: Difference(Interval.undefined(confidence, METHOD, WEIGHTED)) for r in records}
    found = dict[str, Difference]()
    for record in records:
        if record.mean_of == "instances" and drawn is None:
            found[record.name] = compare_accuracies(agreement, confidence)
        elif own := labels.outcomes(record, drawn):
            found[record.name] = compare_accuracies(own[0], confidence, own[1])
    others = [record for record in records if record.name not in found]
    made = found | (_by_cells(others, labels, confidence, scored or ScoredModels(), drawn) if others else {})
    return {record.name: made[record.name] for record in records}


def _by_cells(
    records: list[Index],
    labels: PairedLabels,
    confidence: float,
    scored: ScoredModels,
    drawn: Drawn | None,
) -> dict[str, Difference]:
    if labels.too_many:
        none = Difference(Interval.undefined(confidence, METHOD, reason_of("many classes")))
        return {record.name: none for record in records}
    truth, *both, counts = labels.cells
    cells, of_one = np.stack([truth, *both]), 1.0 if drawn is None else drawn.share_of_one
    one, other = (
        scored.of(labels.confusion(truth, said, counts, orders), labels.positive, of_one)
        for said, orders in zip(both, labels.orders, strict=True)
    )
    of_classes = None
    if drawn is not None and drawn.weighs_rows:
        of_classes = drawn.usual_of_classes(truth, len(labels.classes))
    found: dict[str, Wanted | Difference] = {}
    for record in records:
        reason = one.why_not(record) or other.why_not(record)
        if reason is not None:
            found[record.name] = Difference(Interval.undefined(confidence, METHOD, reason))
            continue
        low, high = map(float, record.range)
        influence = one.of(record).less(other.of(record), cells, np.asarray(counts, np.float64), of_classes)
        if drawn is not None:
            parts = tuple(
                Influence.centred(
                    own.value, float(counts.sum()) * own.added(cells[of]), counts, classes=truth
                )
                for own, of in ((one.of(record), [0, 1]), (other.of(record), [0, 2]))
            )
            influence = replace(influence, classes=truth, rests_on_classes=True, parts=parts)
        found[record.name] = Wanted(influence, (low, high), drawn, is_ratio=bool(record.ratio_of))
    return differences_by_name(found, confidence, _SAME)
