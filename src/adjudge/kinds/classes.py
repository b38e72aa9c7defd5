"""Classes: a label is right or wrong by its name, and probabilities or decision values may come with it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.errors import Option
from adjudge.given.class_order import StatedOrder
from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Labels
from adjudge.given.row_sums import Rounded
from adjudge.given.weights import Weighting
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import MOST_CLASSES
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.answers import Answers, read_answers
from adjudge.kinds.by_class import measured_by_class, ranked_by_class
from adjudge.kinds.case import Case, alone
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, Ints, Sample
from adjudge.kinds.scores import scores_of, with_bounds, with_inferred
from adjudge.presentation.numbers import count
from adjudge.results.class_notices import (
    about_answers,
    about_direction,
    about_labels,
    about_order,
    about_order_of_columns,
    about_positive,
    about_those_with_labels_alone,
)
from adjudge.results.class_scores import ClassScores, OneClass
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts, answer_positions
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.ranked_scores import ClassAreas

if TYPE_CHECKING:
    from adjudge.kinds.class_pairs import ClassPairs

__all__ = ["DERIVED_LABELS", "Classifier", "rescaled_rows"]

#: Notice for labels that are derived from probabilities.
DERIVED_LABELS = Notice(
    "labels-from-probabilities",
    "the label of each instance is its likeliest class, the first of equal ones",
    ("pass other labels as ", Option("labels_pred")),
    "info",
)
# This many instances are enough to tell in which direction the scores rank.
_ENOUGH = 100_000
# Why scores of aggregated forecasts have no interval.
_SUMMED = "intervals need the scores of all instances in memory"


class Classifier(Case):
    """One classifier: what it said row by row, or only statistics of it.

    Parameters
    ----------
    sample : Sample
    at_hand : mapping of type to object
    labels : tuple of Labels
        The true labels and those of the model; empty if these are not known row by row.
    answers : Answers or None
        What is known row by row.
    positive : object
        The positive class that was named, if there are no answers.
    together : bool
        Whether it is compared with others: then no confusion matrix of very many classes is made for intervals alone.
    """

    kind: ClassVar[str] = "classification"
    indices: ClassVar[tuple[Kind, ...]] = ("classification",)

    def __init__(
        self,
        sample: Sample,
        at_hand: Mapping[type, Any],
        labels: tuple[Labels, ...] = (),
        answers: Answers | None = None,
        *,
        positive: Any = None,
        together: bool = False,
    ) -> None:
        super().__init__(sample, at_hand)
        self.labels, self.answers, self._together, self._positive = labels, answers, together, positive

    @classmethod
    def read(
        cls,
        labels_true: Any,
        named: Mapping[str, Any],
        options: ClassifierOptions,
        weighting: Weighting,
        treatment: LabelOptions,
    ) -> dict[str, Self]:
        """Check and encode what several models said of the same rows; see :func:`read_answers`."""
        answers, sample = read_answers(labels_true, named, options, weighting, treatment)
        return {name: cls.of(own, sample, together=len(answers) > 1) for name, own in answers.items()}

    @classmethod
    def of(cls, answers: Answers, sample: Sample, *, together: bool = False) -> Self:
        """Take what a classifier said of the rows of a sample."""
        both = () if answers.prediction is None else (answers.truth, answers.prediction)
        return cls(sample, {}, both, answers, together=together)

    @classmethod
    def of_table(
        cls,
        table: JointCounts,
        classes: Sequence[Any] | None,
        positive: Any,
        sample: Sample = ALONE,
        labels: tuple[Labels, ...] = (),
        *,
        orders: tuple[StatedOrder, ...] | None = None,
        sums: Mapping[type, Any] | None = None,
    ) -> Self:
        """Take the table of the truth and the prediction.

        Parameters
        ----------
        table : JointCounts
        classes : sequence, optional
            All classes, in the requested order.
        positive : object, optional
        sample : Sample
        labels : tuple of Labels
            The label vectors of the sample that were counted.
        orders : tuple of StatedOrder, optional
            Default: that of the classes, or else those that the table states.
        sums : mapping of type to object, optional
            Statistics of the forecasts.
        """
        if orders is None and classes is None:
            orders = table.orders
        counts = ClassCounts.make(table, classes=classes, positive=positive)
        confusion = Confusion.make(table, classes=counts.classes, orders=orders)
        known = {type(table): table, ClassCounts: counts, Confusion: confusion}
        return cls(sample, {**(sums or {}), **known}, labels, positive=positive)

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        own = self.answers
        if own is None:
            return list(self._found)
        labels = [Prediction] if own.prediction is not None else []
        forecasts = [] if own.forecasts is None else [type(own.forecasts)]
        return [Truth, *labels, *forecasts]

    def __getitem__(self, kind: type) -> Any:
        if not self._found and self.answers is not None:
            self._found = self._counted(self.answers)
        return super().__getitem__(kind)

    def _counted(self, own: Answers) -> dict[type, Any]:
        """Count what the scores read of the rows."""
        found: dict[type, Any] = {Truth: own.truth}
        if self.labels:
            table = self.sample.table((own.truth, self.labels[1]))
            found[type(table)] = table
            found[ClassCounts] = ClassCounts.make(table, classes=own.classes, positive=own.positive)
        if own.forecasts is not None:
            weighed = own.forecasts.weighing()
            found[type(weighed)] = weighed
        return found

    def _make(self, kind: type) -> Any:
        if kind is not Confusion or self.answers is None:
            return super()._make(kind)
        return Confusion.make(
            self[JointCounts], classes=self[ClassCounts].classes, orders=self.answers.orders
        )

    @property
    def counts(self) -> ClassCounts | None:
        """The counts by class; None if no labels are known."""
        return self[ClassCounts] if self.labels or ClassCounts in self._found else None

    @property
    def confusion(self) -> Confusion | None:
        """The confusion matrix; None if no labels are known."""
        return None if self.counts is None else self[Confusion]

    @property
    def forecasts(self) -> Forecasts | None:
        """The forecasts of the instances that count; None if none are known."""
        given = None if self.answers is None else self.answers.forecasts
        return None if given is None else self[type(given)]

    @cached_property
    def cells(self) -> Drawn | None:
        """The cells of the confusion matrix as inference reads them; None if rows were drawn independently."""
        counts = self.counts
        if counts is None or not self.labels:
            return None
        return self.sample.cells(self.labels, counts.classes, tuple(counts.outside))

    def take(self, positions: Ints) -> Self:
        """Return the case of some of the rows."""
        assert self.answers is not None
        return self.of(self.answers.take(positions), self.sample.take(positions), together=self._together)

    def fixed(self) -> Self:
        """Fix the classes to those of all rows."""
        assert self.answers is not None
        return self.of(self.answers.with_classes(), self.sample, together=self._together)

    def of_labels(self) -> Self:
        """Return what scores of labels read, without the rows."""
        assert self.counts is not None
        kept = [type(self[JointCounts]), ClassCounts, Confusion]
        return type(self)(self.sample, {kind: self[kind] for kind in kept}, self.labels)

    def instances(self) -> Instances:
        """Return what a result keeps of each row."""
        assert self.answers is not None
        name, own = "labels_pred", self.answers
        said = {} if own.prediction is None else {name: own.prediction}
        forecasts = {} if own.forecasts is None else {name: own.forecasts}
        return self.sample.instances(self.kind, own.truth, said, forecasts)

    def scores(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute indices, with intervals on request."""
        return self.scored(records, request.confidence)

    def scored(self, records: Sequence[Index], confidence: float | None) -> dict[str, Score]:
        """Compute indices, with intervals of a confidence."""
        scores = with_bounds(scores_of(records, self), self)
        if confidence is None:
            return scores
        return with_inferred(scores, self._intervals(records, confidence), confidence)

    def scores_beside(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute the scores that other models have, too; without forecasts, those of forecasts are undefined."""
        if self.forecasts is not None:
            return self.scores(records, request)
        of_labels = [record for record in records if not isinstance(record, ForecastIndex)]
        return alone(records, self.scores(of_labels, request))

    def _intervals(self, records: Sequence[Index], confidence: float) -> dict[str, Interval]:
        from adjudge.inference.classes.class_intervals import intervals_of_labels
        from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts

        found: dict[str, Interval] = {}
        of_labels = [r for r in records if not isinstance(r, ForecastIndex)]
        if of_labels:
            counts = self[ClassCounts]
            many = self._together and counts.k > MOST_CLASSES
            is_read = not many or any(Confusion in record.requires for record in records)
            matrix = self[Confusion] if is_read else None
            found |= intervals_of_labels(of_labels, matrix, counts, confidence, drawn=self.cells)
        ranked = [r for r in records if isinstance(r, ForecastIndex)]
        forecasts = self.forecasts
        if ranked and forecasts is None:
            found |= {r.name: Interval.undefined(confidence, "none", _SUMMED) for r in ranked}
        elif forecasts is not None:
            found |= intervals_of_forecasts(ranked, forecasts, confidence, self.sample.drawn)
        return found

    def by_class(self, confidence: float | None) -> list[ClassScores]:
        """Score each class."""
        counts, forecasts = self.counts, self.forecasts
        measured: dict[str, list[OneClass]] = {}
        if counts is not None:
            outcomes = None
            if confidence is not None and self.cells is not None:
                from adjudge.inference.classes.class_intervals import outcomes_of

                outcomes = outcomes_of(self.cells, *self[Confusion].cells()[:2])
            measured |= measured_by_class(counts, confidence, outcomes)
        if forecasts is not None:
            of_each = ((forecasts, code) for code in range(forecasts.k))
            areas = ClassAreas.make(forecasts)
            measured |= ranked_by_class(areas, of_each, confidence, self.sample.drawn)
        classes: Sequence[Any] = ()
        support, predicted = np.empty(0), []
        if counts is not None:
            classes, support, predicted = counts.classes, counts.true, counts.predicted.tolist()
        elif forecasts is not None:
            classes, support, predicted = forecasts.classes, forecasts.sizes, [None] * forecasts.k
        return [
            ClassScores(label, size, said, {name: column[i] for name, column in measured.items()})
            for i, (label, size, said) in enumerate(zip(classes, support.tolist(), predicted, strict=True))
        ]

    def notices(self, scores: Mapping[str, Score], model: str = "") -> tuple[Notice, ...]:
        """Report the positive class, scores that seem to be of another class, and rescaled rows.

        `model` names one of several.
        """
        own = self.answers
        if own is None:
            return self._notices_of_counts(scores)
        known, classes = own.forecasts, own.with_classes().classes or ()
        answers = self._outside(own, classes)
        outside = about_answers(answers, model) + about_labels(classes, answers, len(own.truth))
        if known is None:
            return outside + about_positive(classes, own.positive, None, scores.values())
        found = outside + about_positive(known.classes, own.positive, known.scored, scores.values())
        found += about_order_of_columns(own.orders, scores.values())
        area, contradicted = _area_of(scores, known), _contradicted(own, known)
        found = about_direction(known.classes, known.scored, area, contradicted, model) + found
        return rescaled_rows(own.rounded, model) + found

    def _notices_of_counts(self, scores: Mapping[str, Score]) -> tuple[Notice, ...]:
        counts = self.counts
        if counts is None:
            return ()
        found = about_answers(counts.outside) + about_labels(counts.classes, counts.outside, counts.n)
        return found + about_positive(counts.classes, self._positive, None, scores.values())

    def _outside(self, own: Answers, classes: Sequence[Any]) -> dict[Any, int]:
        """Count the rows whose given label is not among the classes."""
        said = own.prediction
        if said is None or own.derived:
            return {}
        outside = set(answer_positions(said.present, classes)[1])
        if not outside:
            return {}
        (codes, labels), weights = said.dense(), self.sample.weights
        of_rows = None if self.sample.is_weighted else weights
        if weights is not None and of_rows is None:
            codes = codes[weights > 0]
        sizes = np.bincount(codes, of_rows, len(labels)).tolist()
        return {label: int(n) for label, n in zip(labels, sizes, strict=True) if label in outside}

    @classmethod
    def about(
        cls,
        cases: Mapping[str, Classifier],
        judged: Mapping[str, Mapping[str, Score]],
        request: EvaluationRequest,
    ) -> tuple[Notice, ...]:
        """Say what a reader should know of models that are compared."""
        called = {name: name if len(cases) > 1 else "" for name in cases}
        notices = (case.notices(judged[name], called[name]) for name, case in cases.items())
        orders = (about_order(own.values()) for own in judged.values())
        return tuple(dict.fromkeys(chain(about_those_with_labels_alone(judged), *orders, *notices)))

    @classmethod
    def pairs(cls, cases: Mapping[str, Classifier]) -> ClassPairs:
        """Compare models instance by instance."""
        from adjudge.kinds.class_pairs import ClassPairs

        return ClassPairs(cases)


def _area_of(scores: Mapping[str, Score], known: Forecasts) -> float:
    """Return the ROC area; for two classes even if not requested, then from a subset if there are many instances."""
    if "roc_auc" in scores or known.k != 2:
        return scores["roc_auc"].value if "roc_auc" in scores else math.nan
    some = known.take(np.arange(0, known.n, -(-known.n // _ENOUGH))) if known.n > _ENOUGH else known
    return float(ClassAreas.make(some).areas[1])


def _contradicted(own: Answers, known: Forecasts) -> float:
    """Return the share of instances whose given label is not the likeliest class; nan if unknown."""
    if own.derived or own.prediction is None or not isinstance(known, ProbabilityForecasts):
        return math.nan
    codes, labels = own.prediction.dense()
    return known.contradicted(answer_positions(labels, known.classes)[0][codes])


def rescaled_rows(rounded: Rounded | None, model: str = "") -> tuple[Notice, ...]:
    """Report that rows of probabilities were divided by their sums; `model` names one of several."""
    if rounded is None:
        return ()
    many = "rows" if rounded.n is None else count(rounded.n, "row")
    of = f" of {model!r}" if model else ""
    return (
        Notice(
            "rows-divided-by-their-sums",
            f"{many} of the probabilities{of} did not add up to 1, but did within {rounded.decimals} decimals, and "
            "were divided by their sums",
            "keep more decimals",
            "info",
        ),
    )
