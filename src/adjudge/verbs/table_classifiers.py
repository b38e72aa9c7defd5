"""Classifiers in a lazy table: judged by counts and sums from its engine, with error bounds where these are inexact."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.engines.frames.counting import FrameTable, count_cells
from adjudge.engines.frames.summed_scores import SummedTable, sum_forecasts
from adjudge.errors import InputError, Option
from adjudge.given.class_order import stated_orders
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.weights import Weighting
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.kinds.class_groups import with_groups
from adjudge.kinds.class_notices import DERIVED_LABELS, rescaled_rows
from adjudge.kinds.classes import Classifier
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.menu import selected
from adjudge.kinds.registry import check_roles
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import about_direction, about_order, about_positive
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.making import lacking_of
from adjudge.tables.names import column_names
from adjudge.verbs.evaluated import evaluated
from adjudge.verbs.judged import judged

__all__ = ["ClassifierColumns", "columns_of_groups", "evaluate_summed", "needs_all_scores"]


@dataclass(frozen=True)
class ClassifierColumns:
    """The options of classifiers as columns of a table.

    Attributes
    ----------
    forecasts : ForecastColumns or None
    grouping : tuple of str
    classes : sequence or None
    positive : object
    """

    forecasts: ForecastColumns | None = None
    grouping: tuple[Any, ...] = ()
    classes: Sequence[Any] | None = None
    positive: Any = None

    @classmethod
    def of(
        cls,
        probabilities: Any,
        scores: Any,
        classes: Sequence[Any] | None,
        positive: Any,
        groups: Any,
        kind: str | None,
    ) -> ClassifierColumns:
        """Check the options and read the names of their columns."""
        options = ClassifierOptions(probabilities, scores, classes, positive, groups)
        check_roles(kind, options.named())
        forecasts = None
        if options.has_forecasts:
            option = "scores" if probabilities is None else "probabilities"
            forecasts = ForecastColumns.of(getattr(options, option), option, classes)
        return cls(forecasts, columns_of_groups(groups), classes, positive)

    @property
    def named(self) -> list[Any]:
        """All columns that the options name."""
        return [*self.grouping, *(() if self.forecasts is None else self.forecasts.columns)]

    @property
    def are_given(self) -> bool:
        """Whether any of the options was given."""
        return self != ClassifierColumns()

    def options(
        self,
        numbers: Callable[..., Any] | None,
        groups: Mapping[Any, Any],
        truth: Any = None,
        *,
        gaps: bool = False,
    ) -> dict[str, Any]:
        """Return the options of `evaluate` for a table in memory with the given true labels.

        Parameters
        ----------
        numbers : callable, optional
            Returns a column of numbers as a narwhals series.
        groups : mapping of str to array-like
            The columns that define groups.
        truth : array-like, optional
        gaps : bool
            Whether instances may lack probabilities.
        """
        found: dict[str, Any] = {
            "classes": self.classes,
            "positive": self.positive,
            "groups": {name: groups[name] for name in self.grouping} or None,
        }
        if self.forecasts is not None and numbers is not None:
            found[self.forecasts.option] = self.forecasts.read(numbers, truth, gaps=gaps)
        return {name: value for name, value in found.items() if value is not None}


def columns_of_groups(groups: Any) -> tuple[Any, ...]:
    """Return the names of the columns that define groups."""
    if groups is None:
        return ()
    return tuple(column_names("groups", groups))


def needs_all_scores(option: str, forecasts: str) -> InputError:
    """Return the error that an option needs the scores of all instances."""
    return InputError(
        Option(option),
        " with ",
        Option(forecasts),
        " needs the scores of all instances: collect the table first",
    )


def evaluate_summed(
    table: FrameTable,
    truth: Any,
    pred: Any,
    columns: ClassifierColumns,
    request: EvaluationRequest,
    weighed: tuple[str, str | None] | None = None,
    units: Any = None,
    model: str = "",
) -> ClassifierEvaluation:
    """Judge a classifier in a lazy table.

    Parameters
    ----------
    table : FrameTable
    truth : str
    pred : str or None
        Column with the labels; default: the likeliest classes.
    columns : ClassifierColumns
    request : EvaluationRequest
    weighed : (str, str or None), optional
        Column with the weights of the rows, and what they mean.
    units : str, optional
        Column with the unit that each row belongs to; only for labels, because aggregated scores have no intervals.
    model : str
        Name of the classifier in notices, if there are several.
    """
    if columns.forecasts is None:
        return _of_labels(table, truth, pred, columns, request, weighed, units)
    if weighed is not None:
        raise needs_all_scores("sample_weight", columns.forecasts.option)
    if units is not None and request.confidence is not None:
        raise needs_all_scores("units", columns.forecasts.option)
    found = sum_forecasts(
        table,
        truth,
        columns.forecasts,
        pred=pred,
        grouping=columns.grouping,
        positive=columns.positive,
        missing=request.labels.missing_of("labels_true"),
    )
    parts = SummedParts(found, columns.positive, columns.classes)
    case = parts.whole
    _check_named(request, case.inputs)
    own: ClassifierEvaluation = judged([case], request)
    classes, scored = found.sums.classes, found.scored
    areas, place = case[BinnedAreas].areas, found.sums.positive
    area = math.nan if place is None else float(areas[place])
    scores = own.scores.values()
    warnings = about_direction(classes, scored, area, found.contradicted, model) + about_order(scores)
    warnings += about_positive(classes, columns.positive, scored, scores)
    warnings = rescaled_rows(found.rounded, model) + warnings
    if found.are_likeliest:
        warnings = (DERIVED_LABELS, *warnings)
    own = replace(own, n=int(found.counts.sum()), warnings=warnings)
    if found.groups is None:
        return own
    return with_groups(own, parts, request.confidence, request.groups_correction)


def _of_labels(
    table: FrameTable,
    truth: Any,
    pred: Any,
    columns: ClassifierColumns,
    request: EvaluationRequest,
    weighed: tuple[str, str | None] | None,
    units: Any,
) -> ClassifierEvaluation:
    weight, meaning = weighed or (None, None)
    missing = request.labels.missing_of("labels_true")
    of_units = () if units is None else (units,)
    cells = count_cells(table, [truth, pred, *columns.grouping, *of_units], missing=missing, weight=weight)
    weighting = Weighting(**cells.weighing, weights=meaning, units=cells.column(units))
    options = ClassifierOptions(**columns.options(None, cells.labels))
    asked = EvaluationRequest(
        indices=request.indices,
        kind="classification",
        confidence=request.confidence,
        groups_correction=request.groups_correction,
    )
    given = Given(cells.labels[truth], {MODEL: cells.labels[pred]}, options, weighting)
    found = evaluated(asked, given, None)
    assert isinstance(found, ClassifierEvaluation)
    return found


def _check_named(request: EvaluationRequest, at_hand: Sequence[type]) -> None:
    """Raise if a named index cannot be computed from sums."""
    _, by_name = selected(request.indices, Classifier.indices, at_hand)
    for record in by_name:
        if isinstance(record, ForecastIndex) and lacking_of(record.requires, at_hand):
            raise InputError(
                f"{record.name} needs the scores of all instances, but the engine returns only sums: collect the "
                "table first"
            )


@dataclass(frozen=True, eq=False)
class SummedParts:
    """Sums from an engine, overall and by group.

    Attributes
    ----------
    summed : SummedTable
    positive : object
    """

    summed: SummedTable
    positive: Any
    classes: Sequence[Any] | None = None

    @property
    def labels(self) -> Sequence[Any]:
        """The groups."""
        assert self.summed.groups is not None
        return self.summed.groups.dense()[1]

    @cached_property
    def whole(self) -> Classifier:
        """All instances."""
        return self._case(self.summed.sums, np.full(self.summed.counts.size, True))

    def part(self, label: Any, *, outside: bool) -> tuple[Any, Classifier] | None:
        """Return the number of the instances in a group, or outside it, and their case; None if there are none."""
        code = self.labels.index(label)
        mask = (self.summed.label_groups == code) != outside
        n = int(self.summed.counts[mask].sum())
        return (n, self._case(self.summed.sums.where(code, outside=outside), mask)) if n else None

    def drawn(self, label: Any, *, outside: bool) -> None:
        """Return nothing: the sums are not kept by unit."""

    def _case(self, sums: Any, mask: Any) -> Classifier:
        found, labels = dict(sums.statistics()), self.summed.labels
        if "pred" not in labels:
            return Classifier(ALONE, found)
        pair = labels["truth"].take(mask), labels["pred"].take(mask)
        table = joint_table(pair, self.summed.counts[mask])
        orders = stated_orders([("classes", self.classes)]) or table.orders
        return Classifier.of_table(table, sums.classes, self.positive, orders=orders, sums=found)
