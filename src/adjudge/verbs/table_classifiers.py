"""Classifiers in a lazy table: judged by counts and sums from its engine, with error bounds where these are inexact."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.summed_scores import SummedTable, sum_forecasts
from adjudge.errors import InputError
from adjudge.given.class_order import stated_orders
from adjudge.indices.forecast_record import ForecastIndex
from adjudge.kinds.class_groups import with_groups
from adjudge.kinds.class_notices import DERIVED_LABELS, rescaled_rows
from adjudge.kinds.classes import Classifier
from adjudge.kinds.menu import selected
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sample import ALONE
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.class_notices import about_direction, about_order, about_positive
from adjudge.statistics.binned_scores import BinnedAreas
from adjudge.statistics.contingency import joint_table
from adjudge.statistics.making import lacking_of
from adjudge.tables.forecasts import ClassifierColumns, needs_all_scores
from adjudge.verbs.judged import judged

__all__ = ["evaluate_summed"]


def evaluate_summed(
    table: FrameTable,
    truth: Any,
    pred: Any,
    columns: ClassifierColumns,
    request: EvaluationRequest,
    weight: Any = None,
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
    weight : str, optional
        Column with the weights of the rows, which aggregated scores do not have.
    units : str, optional
        Column with the unit that each row belongs to; aggregated scores have no intervals.
    model : str
        Name of the classifier in notices, if there are several.
    """
    assert columns.forecasts is not None
    if weight is not None:
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
