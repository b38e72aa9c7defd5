"""Classifiers whose scores are known as sums, which the engine of a lazy table added up."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from adjudge.array_types import Ints
from adjudge.engines.frames.summed_scores import SummedTable, read_again
from adjudge.engines.sources import PointSource
from adjudge.errors import InputError
from adjudge.given.alignment import Rows
from adjudge.given.class_order import stated_orders
from adjudge.given.labels import Labels, orders_of
from adjudge.given.weights import Weighting
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.indices.record import Index
from adjudge.kinds.answers import Answers
from adjudge.kinds.case import Pair
from adjudge.kinds.class_groups import GroupedClassifier
from adjudge.kinds.class_notices import rescaled_rows
from adjudge.kinds.class_pairs import ClassPairs
from adjudge.kinds.classes import ClassifierCase
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import Sample
from adjudge.results.class_notices import about_answers, about_direction, about_labels, about_positive
from adjudge.results.notice import Notice
from adjudge.results.score import Score
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.making import lacking_of
from adjudge.statistics.ranked_scores import RankAreas
from adjudge.statistics.score_sums import scored_columns

if TYPE_CHECKING:
    from adjudge.inference.common.significance import Difference
    from adjudge.inference.forecasts.summed_forecasts import SummedForecasts, SummedModels
    from adjudge.inference.influence import Influence
    from adjudge.inference.interval import Interval

__all__ = ["GivenClassifier", "SummedClassifier"]


class GivenClassifier(GroupedClassifier):
    """A classifier as it is given: row by row, or, of a lazy table, with sums of its scores."""

    @classmethod
    def read(cls, given: Given) -> dict[str, Any]:
        """Check and encode what several models said; sums of scores take the place of probabilities."""
        options = given.options
        by_model = options.probabilities if options.scores is None else options.scores
        summed = {name: own for name, own in dict(by_model or {}).items() if isinstance(own, SummedTable)}
        if not summed:
            return super().read(given)
        cases = super().read(replace(given, options=replace(options, probabilities=None, scores=None)))
        models = _models_of(summed)
        return {
            name: SummedClassifier.with_sums(case, summed[name], models, name) if name in summed else case
            for name, case in cases.items()
        }

    @classmethod
    def pairs(cls, cases: Mapping[str, ClassifierCase]) -> ClassPairs:
        """Compare models instance by instance, and their scores by the sums of these."""
        first = next((case for case in cases.values() if isinstance(case, SummedClassifier)), None)
        if first is None:
            return super().pairs(cases)
        answers = {name: case.answers for name, case in cases.items() if case.answers is not None}
        return _PairsOfSums(answers, next(iter(cases.values())).sample, first.models, first.groups)


class SummedClassifier(GivenClassifier):
    """A classifier whose scores are known as sums: its rows are the combinations of labels that occur.

    Attributes
    ----------
    table : SummedTable
    models : SummedModels
        All models of these rows, with what reads them again.
    name : str
        The name of this one.
    groups : tuple of int
        Those that it is of: all of them, or some.
    """

    table: SummedTable
    models: SummedModels
    name: str
    groups: tuple[int, ...]

    @classmethod
    def of_summed(
        cls,
        summed: SummedTable,
        classes: Sequence[Any] | None,
        positive: Any,
        units: Any = None,
        meaning: str | None = None,
    ) -> Self:
        """Take one classifier; `classes`, `positive`, `units` and the `meaning` of weights are what options name."""
        truth, said = summed.labels["truth"], summed.labels.get("pred")
        orders = stated_orders([("classes", classes)]) or orders_of(truth, said)
        known = summed.sums.classes
        answers = Answers(truth, said, None, known, positive, summed.are_likeliest, summed.rounded, orders)
        groups = None
        if summed.groups is not None:
            names = summed.groups.dense()[1]
            groups = Labels(summed.label_groups, 0, len(names), names)
        sample = replace(_sample_of(summed, meaning), groups=groups)
        if units is not None:
            sample = replace(sample, settings={**sample.settings, "units": str(units)})
        models = _models_of({MODEL: summed}, against_rest=True)
        return cls.with_sums(GroupedClassifier.of(answers, sample), summed, models, MODEL)

    @classmethod
    def with_sums(
        cls,
        case: ClassifierCase,
        table: SummedTable,
        models: SummedModels,
        name: str,
        groups: tuple[int, ...] | None = None,
    ) -> Self:
        """Add to a classifier the sums of the scores of its rows, of all groups or some."""
        assert case.answers is not None
        answers = case.answers
        if answers.classes is None:
            answers = replace(answers, classes=table.sums.classes)
        found = cls.of(answers, case.sample, together=case.together)
        found.table, found.models, found.name = table, models, name
        found.groups = table.every_group if groups is None else groups
        return found

    @property
    def summed(self) -> SummedForecasts:
        """What intervals read of the sums."""
        return self.models.model(self.name, self.groups)

    def influence_of_forecast(self, record: ForecastIndex) -> Influence:
        """Return the influence of each row on a score of forecasts."""
        return self.summed.scored([record])[record.name].known()

    @property
    def inputs(self) -> list[type]:
        """Types of what was given, from which the possible indices follow."""
        return [*super().inputs, *self._added]

    @cached_property
    def _added(self) -> Mapping[type, Any]:
        """The statistics of the scores, for which the sums suffice."""
        return self.table.statistics(self.groups)

    def _counted(self, answers: Answers) -> dict[type, Any]:
        """Count what the scores read of the rows."""
        return {**super()._counted(answers), **self._added}

    def take(self, positions: Ints, sample: Sample) -> Self:
        """Return the case of some of the groups, by their rows, which are the rows of a sample."""
        assert self.sample.groups is not None
        assert self.table.groups is not None
        codes, labels = self.sample.groups.dense()
        places = {label: i for i, label in enumerate(self.table.groups.dense()[1])}
        kept = sorted(places[labels[code]] for code in np.unique(codes[positions]).tolist())
        found = super().take(positions, sample)
        return self.with_sums(found, self.table, self.models, self.name, tuple(kept))

    def fixed(self) -> Self:
        """Fix the classes to those of all rows."""
        return self.with_sums(super().fixed(), self.table, self.models, self.name, self.groups)

    def _intervals_of_forecasts(
        self, records: Sequence[ForecastIndex], confidence: float
    ) -> dict[str, Interval]:
        return self.summed.intervals(records, confidence)

    def _areas(self, confidence: float | None) -> tuple[RankAreas | None, Sequence[Interval | None] | None]:
        areas: RankAreas = self[BinnedAreas]
        return areas, None if confidence is None else self.summed.intervals_of_areas(confidence)

    def menu(
        self, request: EvaluationRequest, points: PointSource | None = None, *, together: bool = False
    ) -> list[Index]:
        """Return the indices that are meant, all of which can be computed."""
        for record in selected(request.indices, self.indices, self.inputs)[1]:
            if isinstance(record, ForecastIndex) and lacking_of(record.requires, self.inputs):
                raise InputError(
                    f"{record.name} needs the scores of all instances, but the engine returns only sums: "
                    "collect the table first"
                )
        return super().menu(request, points, together=together)

    def scores_beside(self, records: Sequence[Index], request: EvaluationRequest) -> dict[str, Score]:
        """Compute the scores that other models have, too."""
        return self.scores(records, request)

    def notices(self, scores: Mapping[str, Score], model: str = "") -> tuple[Notice, ...]:
        """Report the positive class, answers that name no class ...; `model` names one of several."""
        summed, counts = self.table, self.counts
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
        self, answers: Mapping[str, Answers], sample: Sample, models: SummedModels, groups: Sequence[int]
    ) -> None:
        super().__init__(answers, sample)
        self._summed, self._groups = models, groups

    def _of_forecasts(
        self, records: Sequence[ForecastIndex], confidence: float
    ) -> Mapping[Pair, dict[str, Difference]]:
        from adjudge.inference.differences.summed_differences import differences_of_sums

        return differences_of_sums(records, self._summed, self._groups, confidence)


def _sample_of(summed: SummedTable, meaning: str | None = None) -> Sample:
    """Return the combinations of labels as rows of a sample, given the `meaning` of their weights."""
    rows = Rows(summed.counts.size)
    if summed.weights is None:
        settings = {} if meaning is None else {"weights": meaning}
        return Sample(rows, summed.counts, units=summed.units, settings=settings)
    given = Weighting(sample_weight=summed.weights, weights=meaning)
    weights, squares = given.of(rows, "classification"), given.squares_of(rows)
    return Sample(rows, weights, squares, summed.units, settings=given.settings())


def _models_of(summed: Mapping[str, SummedTable], *, against_rest: bool = False) -> SummedModels:
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
        sample = _sample_of(first).take(kept)
        if sample.drawn is not None:
            assert sample.weights is not None
            lines = Lines(first.counts.size, kept, sample.weights.astype(float), sample.drawn)
    known, sums = own.statistics(groups), own.sums
    codes = scored_columns(len(sums.classes), sums.positive)
    columns = [code if code in codes else codes[0] for code in range(len(sums.classes))]
    one = 1.0
    if first.weights is not None:
        some = np.isin(first.label_groups, groups)
        one = float(first.weights.sums[some].sum() / first.counts[some].sum())
    return SummedForecasts(known, columns, own.reading.bins(), groups, read, lines, one)
