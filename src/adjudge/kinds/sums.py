"""Classifiers known by sums: a confusion matrix, sums of losses, or what the engine of a lazy table added up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.engines.frames.summed_scores import SummedTable, read_again
from adjudge.engines.sources import PointSource
from adjudge.errors import Argument, InputError, Option
from adjudge.given.alignment import Rows
from adjudge.given.class_order import stated_orders
from adjudge.given.labels import Labels, orders_of
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.kinds.answers import Answers
from adjudge.kinds.case import Pair
from adjudge.kinds.class_notices import rescaled_rows
from adjudge.kinds.class_pairs import ClassPairs
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE, Sample, whole
from adjudge.results.class_notices import about_answers, about_direction, about_labels, about_positive
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.making import lacking_of
from adjudge.statistics.ranked_scores import RankAreas
from adjudge.statistics.score_sums import scored_columns

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.forecasts.summed_forecasts import SummedForecasts, SummedModels
    from adjudge.inference.influence import Influence
    from adjudge.inference.interval import Interval

__all__ = ["ConfusionCase", "LossesCase", "SummedClassifier"]


class _SummedCase(ClassifierCase):
    """A classifier that is known by statistics of all instances together."""

    reads: ClassVar[frozenset[str]] = ClassifierCase.reads - {
        *("X", MODEL, "labels", "counts", "sample_weight", "weights", "units"),
        *("probabilities", "scores", "groups"),
    }
    may_have_points: ClassVar[bool] = False

    @classmethod
    def refusal(cls, role: str) -> InputError:
        """Return the error for an option that is not read."""
        if role in ClassifierCase.reads:
            named = Argument(role) if role in (MODEL, "X", "labels") else Option(role)
            return InputError(f"a classifier is judged from {cls.words[0]} alone: leave out ", named)
        return super().refusal(role)

    @classmethod
    def read_one(cls, request: EvaluationRequest, given: Given) -> Self:
        """Take the statistics."""
        if request.kind not in (None, cls.kind):
            raise InputError(
                f"a classifier is judged from {cls.words[0]}: leave out ", Option("kind", request.kind)
            )
        positive = given.options.positive
        return cls(ALONE, cls._statistics(given.truth, given.options.classes, positive), positive=positive)

    @classmethod
    def _statistics(cls, given: Any, classes: Sequence[Any] | None, positive: Any) -> dict[type, Any]:
        raise NotImplementedError

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, all of which can be computed from the sums."""
        _, by_name = selected(request.indices, self.indices, self.inputs)
        for record in by_name:
            if lacking_of(record.requires, self.inputs):
                raise InputError(
                    f"{record.name} cannot be computed from {self.words[0]}: give the truth and what was predicted of "
                    "each instance"
                )
        return super().menu(request, points)

    def described(self, request: EvaluationRequest, scores: Mapping[str, Score]) -> dict[str, Any]:
        """Return the settings of an evaluation."""
        return super().described(replace(request, kind=self.kind), scores)


class ConfusionCase(_SummedCase):
    """A confusion matrix."""

    places: ClassVar[tuple[type, ...]] = (Confusion,)
    words: ClassVar[tuple[Any, ...]] = ("a confusion matrix",)

    @classmethod
    def _statistics(cls, given: Confusion, classes: Sequence[Any] | None, positive: Any) -> dict[type, Any]:
        matrix = given if classes is None else given.in_order(classes)
        counts = matrix.by_class(positive=positive)
        return {type(counts): counts, Confusion: matrix}

    @property
    def n_shown(self) -> int | float:
        """The number of instances, or their weight."""
        return whole(self[Confusion].n)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of classes of each vector."""
        assert self.counts is not None
        sides = {"labels_true": self.counts.true, MODEL: self.counts.predicted}
        return {name: int(np.count_nonzero(side)) for name, side in sides.items()}


class LossesCase(_SummedCase):
    """Sums of the losses of probabilities."""

    places: ClassVar[tuple[type, ...]] = (ProbabilityLosses,)
    words: ClassVar[tuple[Any, ...]] = ("sums of losses",)

    @classmethod
    def _statistics(
        cls, given: ProbabilityLosses, classes: Sequence[Any] | None, positive: Any
    ) -> dict[type, Any]:
        if classes is not None:
            raise InputError(f"the classes are those of {cls.words[0]}: leave out ", Option("classes"))
        return {ProbabilityLosses: given}

    @property
    def n_shown(self) -> int | float:
        """The number of instances, or their weight."""
        return whole(self[ProbabilityLosses].total)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of classes of the truth."""
        return {"labels_true": int(np.count_nonzero(self[ProbabilityLosses].sizes))}


class SummedClassifier(ClassifierCase):
    """A classifier whose scores may be known as sums: then its rows are the combinations of labels that occur."""

    _summed: SummedTable | None = None
    _together: SummedModels
    _name: str
    _groups: tuple[int, ...]

    @classmethod
    def read(cls, given: Given) -> dict[str, Self]:
        """Check and encode what several models said; sums of scores take the place of probabilities."""
        options = given.options
        by_model = options.probabilities if options.scores is None else options.scores
        summed = {name: own for name, own in dict(by_model or {}).items() if isinstance(own, SummedTable)}
        if not summed:
            return super().read(given)
        bare = replace(options, probabilities=None, scores=None)
        cases = super().read(replace(given, options=bare))
        together = _together(summed)
        return {
            name: case._with(summed[name], together, name) if name in summed else case
            for name, case in cases.items()
        }

    @classmethod
    def of_summed(
        cls, summed: SummedTable, classes: Sequence[Any] | None, positive: Any, units: Any = None
    ) -> Self:
        """Take one classifier; `classes`, `positive` and `units` are what the options name."""
        truth, said = summed.labels["truth"], summed.labels.get("pred")
        orders = stated_orders([("classes", classes)]) or orders_of(truth, said)
        known = summed.sums.classes
        answers = Answers(truth, said, None, known, positive, summed.are_likeliest, summed.rounded, orders)
        groups = None
        if summed.groups is not None:
            names = summed.groups.dense()[1]
            groups = Labels(summed.label_groups, 0, len(names), names)
        settings = {} if units is None else {"units": str(units)}
        sample = Sample(
            Rows(summed.counts.size), summed.counts, units=summed.units, groups=groups, settings=settings
        )
        return cls.of(answers, sample)._with(summed, _together({MODEL: summed}, against_rest=True), MODEL)

    def _with(
        self,
        summed: SummedTable,
        together: SummedModels,
        name: str,
        groups: tuple[int, ...] | None = None,
    ) -> Self:
        """Add the sums of the scores of these rows, of all groups or some, and what reads them again."""
        self._summed, self._together, self._name = summed, together, name
        self._groups = summed.every_group if groups is None else groups
        return self

    @property
    def summed(self) -> SummedForecasts:
        """What intervals read of the sums."""
        return self._together.model(self._name, self._groups)

    def influence_of_forecast(self, record: ForecastIndex) -> Influence:
        """Return the influence of each row on a score of forecasts."""
        if self._summed is None:
            return super().influence_of_forecast(record)
        return self.summed.scored([record])[record.name].known()

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return [*super().inputs, *self._added]

    @cached_property
    def _added(self) -> Mapping[type, Any]:
        """The statistics of the scores, for which the sums suffice."""
        return {} if self._summed is None else self._summed.statistics(self._groups)

    def _counted(self, answers: Answers) -> dict[type, Any]:
        """Count what the scores read of the rows."""
        return {**super()._counted(answers), **self._added}

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the groups, by their rows, which are the rows of a sample."""
        found = super().take(positions, sample)
        if self._summed is None:
            return found
        assert self.sample.groups is not None
        assert self._summed.groups is not None
        codes, labels = self.sample.groups.dense()
        places = {label: i for i, label in enumerate(self._summed.groups.dense()[1])}
        kept = sorted(places[labels[code]] for code in np.unique(codes[positions]).tolist())
        return found._with(self._summed, self._together, self._name, tuple(kept))

    def fixed(self) -> Self:
        """Fix the classes to those of all rows."""
        found = super().fixed()
        if self._summed is None:
            return found
        return found._with(self._summed, self._together, self._name, self._groups)

    def _intervals_of_forecasts(
        self, records: Sequence[ForecastIndex], confidence: float
    ) -> dict[str, Interval]:
        if self._summed is None:
            return super()._intervals_of_forecasts(records, confidence)
        return self.summed.intervals(records, confidence)

    def _areas(self, confidence: float | None) -> tuple[RankAreas | None, Sequence[Interval | None] | None]:
        if self._summed is None:
            return super()._areas(confidence)
        areas: RankAreas = self[BinnedAreas]
        return areas, None if confidence is None else self.summed.intervals_of_areas(confidence)

    @classmethod
    def pairs(cls, cases: Mapping[str, ClassifierCase]) -> ClassPairs:
        """Compare models instance by instance, and their scores by the sums of these."""
        summed = {
            name: case
            for name, case in cases.items()
            if isinstance(case, SummedClassifier) and case._summed is not None
        }
        if not summed:
            return super().pairs(cases)
        answers = {name: case.answers for name, case in cases.items() if case.answers is not None}
        first = next(iter(summed.values()))
        return _PairsOfSums(answers, next(iter(cases.values())).sample, first._together, first._groups)

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, all of which can be computed."""
        if self._summed is not None:
            for record in selected(request.indices, self.indices, self.inputs)[1]:
                if isinstance(record, ForecastIndex) and lacking_of(record.requires, self.inputs):
                    raise InputError(
                        f"{record.name} needs the scores of all instances, but the engine returns only sums: "
                        "collect the table first"
                    )
        return super().menu(request, points, together=together)

    def scores_beside(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute the scores that other models have, too."""
        return (
            super().scores_beside(records, request) if self._summed is None else self.scores(records, request)
        )

    def notices(self, scores: Mapping[str, Score], model: str = "") -> tuple[Notice, ...]:
        """Report the positive class, answers that name no class ...; `model` names one of several."""
        summed, counts = self._summed, self.counts
        if summed is None:
            return super().notices(scores, model)
        classes, place = summed.sums.classes, summed.sums.positive
        area = math.nan if place is None else float(self[BinnedAreas].areas[place])
        found = rescaled_rows(summed.rounded, model)
        found += about_direction(classes, summed.scored, area, summed.contradicted, model)
        if counts is not None:
            found += about_answers(counts.outside, model) + about_labels(classes, counts.outside, counts.n)
        assert self.answers is not None
        return found + about_positive(classes, self.answers.positive, summed.scored, scores.values())


class _PairsOfSums(ClassPairs):
    """Pairs of classifiers whose scores are known as sums."""

    def __init__(
        self,
        answers: Mapping[str, Answers],
        sample: Sample,
        together: SummedModels,
        groups: Sequence[int],
    ) -> None:
        super().__init__(answers, sample)
        self._together, self._groups = together, groups

    def _of_forecasts(
        self, records: Sequence[ForecastIndex], confidence: float
    ) -> Mapping[Pair, dict[str, Difference]]:
        from adjudge.inference.differences.summed_differences import differences_of_sums

        return differences_of_sums(records, self._together, self._groups, confidence)


def _together(summed: Mapping[str, SummedTable], *, against_rest: bool = False) -> SummedModels:
    """Return models of the same rows, whose parts are the groups, and perhaps all rows outside of each group."""
    from adjudge.inference.forecasts.summed_forecasts import SummedModels

    every = next(iter(summed.values())).every_group
    parts = [every, *((group,) for group in every)]
    if against_rest:
        parts += [tuple(other for other in every if other != group) for group in every]
    of_rows = list(dict.fromkeys(part for part in parts if part))
    read = partial(read_again, list(summed.values()))
    return SummedModels(list(summed), of_rows, partial(_forecasts_of, summed), read)


def _forecasts_of(
    summed: Mapping[str, SummedTable], name: str, groups: tuple[int, ...], read: Any
) -> SummedForecasts:
    """Return what intervals read of a model in some groups."""
    from adjudge.inference.forecasts.influence_sums import Lines
    from adjudge.inference.forecasts.summed_forecasts import SummedForecasts

    own, first, lines = summed[name], next(iter(summed.values())), None
    assert own.reading is not None
    if first.units is not None:
        # Rows are read with their lines among those of the first model.
        kept = np.flatnonzero(np.isin(first.label_groups, groups))
        drawn = Sample(Rows(first.counts.size), first.counts, units=first.units).take(kept).drawn
        if drawn is not None:
            lines = Lines(first.counts.size, kept, first.counts[kept].astype(float), drawn)
    known, sums = own.statistics(groups), own.sums
    codes = scored_columns(len(sums.classes), sums.positive)
    columns = [code if code in codes else codes[0] for code in range(len(sums.classes))]
    return SummedForecasts(known, columns, own.reading.bins(), groups, read, lines)
