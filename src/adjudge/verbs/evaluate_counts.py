"""How `evaluate` judges columns of a table by what an engine returns: counts of labels, moments, sums of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from adjudge.engines.frames.counting import LabelCells, number_of_rows
from adjudge.engines.frames.moments import points_with_gaps
from adjudge.engines.frames.summed_scores import sum_forecasts
from adjudge.engines.sources import FramePoints
from adjudge.errors import Argument, InputError, Option
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column
from adjudge.given.weights import Weighting
from adjudge.kinds.case import Case
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.points import PointCase
from adjudge.kinds.registry import KINDS, check_roles, read_cases
from adjudge.kinds.request import EvaluationRequest
from adjudge.kinds.sums import SummedClassifier
from adjudge.kinds.which_kind import with_kind
from adjudge.results import Evaluation
from adjudge.results.label_notices import rows_left_out
from adjudge.results.notice import Notice
from adjudge.results.point_notices import points_without
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ModelForecasts
from adjudge.tables.frames import Engine
from adjudge.tables.judged_columns import JudgedColumns
from adjudge.tables.labels import Treatments, meant
from adjudge.tables.names import named_column
from adjudge.verbs.columns_alike import with_those_left_out
from adjudge.verbs.evaluated import evaluated_alike, of_the_same
from adjudge.verbs.judged import judged

__all__ = ["evaluated_counts"]


@dataclass(frozen=True)
class _Cells:
    """Counted combinations of the truth and of columns that are judged; n_given is the number of rows, if known."""

    treatments: Treatments
    given: Given
    labels: dict[Any, Column]
    said: tuple[Notice, ...]
    n_given: int | None


def evaluated_counts(
    table: Engine | FileTable, columns: JudgedColumns, request: EvaluationRequest, treatments: Treatments
) -> dict[Any, Evaluation]:
    """Judge counts of the labels, moments of the points, or sums of scores."""
    if columns.forecasts.columns:
        return _of_forecasts(table, columns, request)
    if columns.features is not None or columns.classifier.forecasts is not None:
        return _summed(table, columns, request, treatments)
    parts = _cells(table, columns, [(name,) for name in columns.pred], request, treatments)
    of_each = {str(name): part for part in parts for name in part.labels}
    each = {
        str(name): replace(part.given, models={MODEL: own}, treatment=part.treatments[name])
        for part in parts
        for name, own in part.labels.items()
    }
    said = tuple(dict.fromkeys(notice for part in parts for notice in part.said))
    found = {
        name: with_those_left_out(one, each[name], each[name].treatment, said, of_each[name].n_given)
        for name, one in evaluated_alike(request, each).items()
    }
    found = of_the_same(found)
    return {name: replace(one, _instances=None) for name, one in found.items()}


def _cells(
    table: Engine | FileTable,
    columns: JudgedColumns,
    together: Sequence[Sequence[Any]],
    request: EvaluationRequest,
    treatments: Treatments,
) -> list[_Cells]:
    """Count the combinations of the truth and some columns, as a call of arrays with counts has them."""
    missing: Any = request.labels.missing
    if not isinstance(missing, str):
        missing = {name: treatments[name].missing_of(MODEL) for own in together for name in own}
        missing[columns.truth] = next(iter(treatments.values())).missing_of("labels_true")
    named = [[columns.truth, *own] for own in together]
    grouping, weight = columns.classifier.grouping, columns.beside["sample_weight"]
    treated = LabelOptions(missing)
    parts = table.count(named, grouping, treatment=treated, weight=weight, units=columns.beside["units"])
    coded = [
        {name: Column.of(named_column(name, cells.labels[name]), str(name)) for name in own}
        for own, cells in zip(named, parts, strict=True)
    ]
    every = [one for own in coded for one in own.values()]
    return [
        _made(table, columns, cells, labels, {name: treatments[name] for name in own}, every)
        for own, cells, labels in zip(together, parts, coded, strict=True)
    ]


def _made(
    table: Engine | FileTable,
    columns: JudgedColumns,
    cells: LabelCells,
    labels: dict[Any, Column],
    own: Treatments,
    every: Sequence[Column],
) -> _Cells:
    """Return counted combinations as arguments; `every` column of labels was counted, perhaps apart."""
    weighting = Weighting(
        **cells.weighing, weights=columns.weights, units=cells.column(columns.beside["units"])
    )
    groups = {name: named_column(name, cells.labels[name]) for name in columns.classifier.grouping}
    classifier, said = columns.classifier, columns.said
    if isinstance(table, FileTable):
        labels, own, about = meant(labels, own, cells.counts, every)
        said += about
        classifier = classifier.meant(labels[columns.truth].values)
    given = Given(labels[columns.truth], {}, ClassifierOptions(**classifier.options(groups)), weighting)
    n_given = None if columns.beside["sample_weight"] is not None else cells.n_given
    return _Cells(own, given, {name: labels[name] for name in own}, said, n_given)


def _summed(
    table: Engine | FileTable, columns: JudgedColumns, request: EvaluationRequest, treatments: Treatments
) -> dict[Any, Evaluation]:
    """Judge points by their moments, or a classifier by sums of its scores."""
    if columns.classifier.are_given:
        assert isinstance(table, Engine)
        request, _ = with_kind(request, (), of_classifiers=True)
        check_roles(request.kind, request.roles)
        if columns.features is not None:
            raise InputError(
                Argument("features"),
                " of a lazy table are judged in a call of their own, without options of classifiers",
            )
        pred = columns.pred[0] if columns.pred else None
        assert columns.classifier.forecasts is not None
        return _of_sums(table, columns, pred, {None: columns.classifier.forecasts}, request)
    if columns.truth is None and request.adjust:
        raise InputError(Option("adjust"), " corrects indices that compare with the truth: truth is missing")
    judged_names = columns.pred or (columns.labels,)
    counted: dict[Any, _Cells | None] = dict.fromkeys(judged_names)
    if columns.truth is not None:
        parts = _cells(table, columns, [(name,) for name in judged_names], request, treatments)
        counted = dict(zip(judged_names, parts, strict=True))
    names = []
    for name, own in counted.items():
        if own is not None:
            names.append((own.given.truth.values.occurring(), [own.labels[name].values.occurring()]))
    request, said = with_kind(request, names)
    return {
        name: _of_moments(
            table, columns, name, request, treatments[name if columns.pred else None], own, said
        )
        for name, own in counted.items()
    }


def _of_forecasts(
    table: Engine | FileTable, columns: JudgedColumns, request: EvaluationRequest
) -> dict[Any, Evaluation]:
    """Judge several classifiers by sums of their scores, each on its own rows."""
    assert isinstance(table, Engine)
    assert columns.models is not None
    request, _ = with_kind(request, (), of_classifiers=True)
    check_roles(request.kind, request.roles)
    if lacking := next((name for name in columns.models if name not in columns.forecasts.columns), None):
        raise InputError(f"{lacking} has labels alone, which a lazy table has in a call of their own")
    found: dict[Any, Evaluation] = {}
    for pred in dict.fromkeys(columns.models.values()):
        some = {m: columns.forecasts.columns[m] for m, own in columns.models.items() if own == pred}
        # Each model leaves out its own gaps; without any, all are summed together.
        for part in [{m: own} for m, own in some.items()] if request.labels.drops_missing else [some]:
            found |= _of_sums(table, columns, pred, part, request)
    return of_the_same({name: found[name] for name in columns.models})


def _of_sums(
    table: Engine,
    columns: JudgedColumns,
    pred: Any,
    forecasts: Mapping[Any, ForecastColumns],
    request: EvaluationRequest,
) -> dict[Any, Evaluation]:
    """Judge classifiers in a table: their labels, by default the likeliest classes, and their scores."""
    option, own, weight = (
        next(iter(forecasts.values())).option,
        columns.classifier,
        columns.beside["sample_weight"],
    )
    summed = sum_forecasts(
        table.frame,
        columns.truth,
        forecasts,
        pred=pred,
        grouping=own.grouping,
        positive=own.positive,
        missing=request.labels.missing_of("labels_true"),
        units=columns.beside["units"],
        weight=weight,
        repeats=columns.weights == "frequency",
    )
    found: dict[Any, Evaluation] = {}
    for name in forecasts:
        case = SummedClassifier.of_summed(
            summed.pop(name), own.classes, own.positive, columns.beside["units"], columns.weights
        )
        one: Evaluation = judged([case], request)
        left: tuple[Notice, ...] = ()
        if request.labels.drops_missing and weight is None:
            what = ModelForecasts(option, {MODEL: forecasts[name]}).what
            n_given = number_of_rows(table.frame.some_columns([columns.truth]))
            beside = {"units": columns.beside["units"] is not None, "groups": bool(own.grouping)}
            left = rows_left_out(one.n, n_given, request.labels, what, **beside)
        found[name] = replace(one, warnings=one.warnings + left, _instances=None)
    return found


def _of_moments(
    table: Engine | FileTable,
    columns: JudgedColumns,
    name: Any,
    request: EvaluationRequest,
    treatment: LabelOptions,
    counted: _Cells | None,
    said: tuple[Notice, ...],
) -> Evaluation:
    """Judge one column from the points, and by the truth if there is one."""
    check_roles(request.kind, request.roles)
    vector, column = (MODEL, name) if columns.labels is None else ("labels", columns.labels)
    if counted is not None:
        treatment, said = counted.treatments[name], said + counted.said
    request = replace(request, labels=treatment)
    cases: list[Case] = []
    if counted is not None:
        given = replace(counted.given, models={MODEL: counted.labels[name]}, treatment=treatment)
        cases = read_cases(KINDS[str(request.kind)], request, given)
    of_points, features = treatment.of_one(vector), list(columns.features)
    wanted = [own for own in (columns.truth, name, column, *features) if own is not None]
    with table.frame_of(wanted) as frame:
        cases.append(PointCase(FramePoints(frame, column, features, of_points)))
        n_gaps, n = (
            points_with_gaps(frame, column, features, of_points) if of_points.drops_missing else (0, 0)
        )
        said += (points_without(n_gaps, n),) if n_gaps else ()
        n_given = None if counted is None else counted.n_given
        if counted is None and of_points.drops:
            n_given = number_of_rows(frame) - n_gaps
        called = {"labels_true": columns.truth, MODEL: name, "labels": column}
        shown = {own: f"column {called_by!r}" for own, called_by in called.items()}
        found: Evaluation = judged(cases, request, called=shown)
    beside = {"units": columns.beside["units"] is not None, "groups": bool(columns.classifier.grouping)}
    left = () if n_given is None else rows_left_out(found.n, n_given, treatment, None, **beside)
    return replace(found, warnings=said + found.warnings + left, _instances=None)
