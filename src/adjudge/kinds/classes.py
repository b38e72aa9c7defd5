"""Classes: a label is right or wrong by its name, and probabilities or decision values may come with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError
from adjudge.given.input_kinds import Prediction, Truth
from adjudge.given.labels import Labels
from adjudge.given.option_groups import OF_CLASSIFIERS
from adjudge.indices.decisions import expected_cost
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.kinds import Kind
from adjudge.indices.record import Index
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import MOST_CLASSES
from adjudge.inference.sampling_design import Drawn
from adjudge.kinds.answers import Answers, read_answers
from adjudge.kinds.by_class import SUMMED, scores_by_class
from adjudge.kinds.case import Case, Shown, alone
from adjudge.kinds.class_notices import DERIVED_LABELS, about_derived_labels, notices_of_answers
from adjudge.kinds.class_pairs import ClassPairs
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.prevalence import shares_said
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.row_costs import COST_BY_ROW, interval_of_costs
from adjudge.kinds.sample import ALONE, Sample, whole
from adjudge.kinds.scores import scores_of, with_bounds, with_inferred
from adjudge.results import Evaluation
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import (
    about_answers,
    about_labels,
    about_order,
    about_positive,
    about_those_with_labels_alone,
)
from adjudge.results.class_scores import ByClass, ClassScores
from adjudge.results.instances import Instances
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.ranked_scores import ClassAreas, RankAreas
from adjudge.statistics.row_costs import RowCosts

if TYPE_CHECKING:
    from adjudge.inference.forecasts.forecast_influence import ScoredForecasts

__all__ = ["ClassifierCase"]


class ClassifierCase(Case):
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
    reads: ClassVar[frozenset[str]] = Case.reads | {*OF_CLASSIFIERS, "groups", "prevalence", "runs", "costs"}
    gated: ClassVar[tuple[str, ...]] = ("accuracy", "balanced_accuracy")
    may_have_points: ClassVar[bool] = True
    result: ClassVar[type[Evaluation]] = ClassifierEvaluation

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
        self.labels, self.answers, self.together, self._positive = labels, answers, together, positive

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Check and encode what several models said of the same rows; see :func:`read_answers`."""
        answers, sample = read_answers(given)
        return {name: cls.of(answer, sample, together=len(answers) > 1) for name, answer in answers.items()}

    @classmethod
    def of_counts(cls, given: Given) -> Self:
        """Take a table of counts in the place of the truth, of which the rows are not known."""
        options = given.options
        if options.has_forecasts or any(model is not None for model in given.models.values()):
            raise InputError(
                "a contingency table was given together with ",
                Argument("labels_pred"),
                ": give one or the other",
            )
        table, sample = given.table()
        return cls.of_table(table, options.classes, options.positive, sample)

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
    ) -> Self:
        """Take the table of the truth and the prediction.

        Parameters
        ----------
        table : JointCounts
        classes : sequence, optional
            All classes, in the requested order; default: in that which the table states.
        positive : object, optional
        sample : Sample
        labels : tuple of Labels
            Both, row by row, if these were drawn in units.
        """
        counts = ClassCounts.make(table, classes=classes, positive=positive)
        confusion = Confusion.make(
            table, classes=counts.classes, orders=table.orders if classes is None else None
        )
        known = {type(table): table, ClassCounts: counts, Confusion: confusion}
        return cls(sample, known, labels, positive=positive)

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        own = self.answers
        if own is None:
            return list(self._found)
        labels = [Prediction] if own.prediction is not None else []
        forecasts = [] if own.forecasts is None else [type(own.forecasts)]
        return [Truth, *labels, *forecasts]

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant; if mistakes have costs, with the expected one."""
        found = super().menu(request, points, together=together)
        if self.answers is None or self.answers.costs is None or not self.labels:
            return found
        meant = [COST_BY_ROW if record is expected_cost else record for record in found]
        return list(dict.fromkeys([*meant, *([COST_BY_ROW] if request.indices == "default" else [])]))

    def __getitem__(self, kind: type) -> Any:
        if not self._found and self.answers is not None:
            self._found = self._counted(self.answers)
        return super().__getitem__(kind)

    def _counted(self, answers: Answers) -> dict[type, Any]:
        """Count what the scores read of the rows."""
        found: dict[type, Any] = {Truth: answers.truth}
        if self.labels:
            table = self.sample.table((answers.truth, self.labels[1]))
            found[type(table)] = table
            found[ClassCounts] = ClassCounts.make(table, classes=answers.classes, positive=answers.positive)
        if answers.costs is not None and self.labels:
            right = self._rows(answers).right[MODEL]
            found[RowCosts] = RowCosts.of(answers.costs, right, self.sample.weights)
        if answers.forecasts is not None:
            weighed = answers.forecasts.weighing()
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

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the rows, which are the rows of a sample."""
        assert self.answers is not None
        return self.of(self.answers.take(positions), sample, together=self.together)

    def fixed(self) -> Self:
        """Fix the classes to those of all rows."""
        assert self.answers is not None
        return self.of(self.answers.with_classes(), self.sample, together=self.together)

    def of_labels(self) -> Self:
        """Return what scores of labels read, without the rows."""
        assert self.counts is not None
        kept = [type(self[JointCounts]), ClassCounts, Confusion]
        return type(self)(self.sample, {kind: self[kind] for kind in kept}, self.labels)

    def _rows(self, answers: Answers) -> Instances:
        """Return what a result keeps of each row."""
        name = "labels_pred"
        said = {} if answers.prediction is None else {name: answers.prediction}
        forecasts = {} if answers.forecasts is None else {name: answers.forecasts}
        return self.sample.instances(self.kind, answers.truth, said, forecasts)

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

        found: dict[str, Interval] = {}
        if COST_BY_ROW in records:
            found[COST_BY_ROW.name] = interval_of_costs(self[RowCosts], self.sample, confidence)
        of_labels = [r for r in records if not isinstance(r, ForecastIndex) and r is not COST_BY_ROW]
        if of_labels:
            counts = self[ClassCounts]
            many = self.together and counts.k > MOST_CLASSES
            is_read = not many or any(Confusion in record.requires for record in records)
            matrix = self[Confusion] if is_read else None
            found |= intervals_of_labels(
                of_labels, matrix, counts, confidence, self.cells, self.sample.scored_models
            )
        ranked = [r for r in records if isinstance(r, ForecastIndex)]
        return found | self._intervals_of_forecasts(ranked, confidence) if ranked else found

    def _intervals_of_forecasts(
        self, records: Sequence[ForecastIndex], confidence: float
    ) -> dict[str, Interval]:
        from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts

        if self.forecasts is None:
            return {r.name: Interval.undefined(confidence, "none", SUMMED) for r in records}
        return intervals_of_forecasts(records, self.forecasts, confidence, self.sample.drawn)

    def influence_of_forecast(self, record: ForecastIndex) -> Influence:
        """Return the influence of each row on a score of forecasts.

        Raises
        ------
        RefusedError
            If it is not known.
        """
        assert self.forecasts is not None
        return self._scored.scored([record], self.forecasts)[record.name].known()

    @cached_property
    def _scored(self) -> ScoredForecasts:
        from adjudge.inference.forecasts.forecast_influence import ScoredForecasts

        return ScoredForecasts(self.sample.drawn)

    @property
    def n_shown(self) -> int | float:
        """The number of instances, or their weight, as `evaluate` shows it."""
        if self.answers is not None:
            return whole(self.sample.total)
        return 0 if self.counts is None else whole(self.counts.n)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of classes of each vector."""
        counts, names = self.counts, ("labels_true", "labels_pred")
        table = next((own for own in self.values() if isinstance(own, JointCounts)), None)
        if table is not None and not (counts is not None and counts.outside):
            return dict(zip(names, table.shape, strict=True))
        if counts is not None:
            sides = zip(names, (counts.true, counts.predicted), strict=True)
            return {name: int(np.count_nonzero(own)) for name, own in sides}
        if self.forecasts is not None:
            return {names[0]: len(np.unique(self.forecasts.codes))}
        areas = next((own for own in self.values() if isinstance(own, ClassAreas)), None)
        return {} if areas is None else {names[0]: int(np.count_nonzero(areas.sizes))}

    def said(self, shown: Shown) -> tuple[Notice, ...]:
        """Say what a reader of the scores should know."""
        derived = (DERIVED_LABELS,) if self.answers is not None and self.answers.derived else ()
        of_units = shares_said(self.sample) + super().said(shown)
        return derived + about_order(shown.scores.values()) + of_units + self.notices(shown.scores)

    def parts(self, request: EvaluationRequest) -> dict[str, Any]:
        """Return the confusion matrix, the scores by class, and the rows."""
        by_class = ByClass(partial(self.by_class, request.confidence))
        n = 0 if self.counts is None else int(self.counts.n)
        found: dict[str, Any] = {
            "confusion": self.confusion,
            "by_class": by_class if request.confidence is None else by_class.made(n),
        }
        if self.answers is None:
            return found
        units = self.sample.drawn_units
        return found | {
            "_forecasts": self.answers.forecasts,
            "_in_units": units is not None and units.hold_several,
            "_instances": self._rows(self.answers),
        }

    def by_class(self, confidence: float | None) -> list[ClassScores]:
        """Score each class."""
        outcomes = None
        if self.counts is not None and confidence is not None and self.cells is not None:
            from adjudge.inference.classes.class_intervals import outcomes_of

            outcomes = outcomes_of(self.cells, *self[Confusion].cells()[:2])
        return scores_by_class(
            self.counts, self.forecasts, confidence, outcomes, self.sample.drawn, *self._areas(confidence)
        )

    def _areas(self, confidence: float | None) -> tuple[RankAreas | None, Sequence[Interval | None] | None]:
        """Return the areas of classes and their intervals, if forecasts are known as sums."""
        return None, None

    def notices(self, scores: Mapping[str, Score], model: str = "") -> tuple[Notice, ...]:
        """Report the positive class, answers that name no class ...; `model` names one of several."""
        if self.answers is None:
            return self._notices_of_counts(scores)
        return notices_of_answers(self.answers, self.sample, scores, model)

    def _notices_of_counts(self, scores: Mapping[str, Score]) -> tuple[Notice, ...]:
        counts = self.counts
        if counts is None:
            return ()
        found = about_answers(counts.outside) + about_labels(counts.classes, counts.outside, counts.n)
        return found + about_positive(counts.classes, self._positive, None, scores.values())

    @classmethod
    def about(
        cls,
        cases: Mapping[str, ClassifierCase],
        judged: Mapping[str, Mapping[str, Score]],
        request: EvaluationRequest,
    ) -> tuple[Notice, ...]:
        """Say what a reader should know of models that are compared."""
        called = {name: name if len(cases) > 1 else "" for name in cases}
        notices = (case.notices(judged[name], called[name]) for name, case in cases.items())
        orders = (about_order(own.values()) for own in judged.values())
        derived = [name for name, case in cases.items() if case.answers is not None and case.answers.derived]
        said = about_derived_labels(cases, derived) + about_those_with_labels_alone(judged)
        return tuple(dict.fromkeys(chain(said, *orders, *notices)))

    @classmethod
    def pairs(cls, cases: Mapping[str, ClassifierCase]) -> ClassPairs:
        """Compare models instance by instance."""
        answers = {name: case.answers for name, case in cases.items() if case.answers is not None}
        return ClassPairs(answers, next(iter(cases.values())).sample)
