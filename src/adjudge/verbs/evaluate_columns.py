"""How `evaluate` judges columns of a table: of rows in memory, or of the counts and sums that an engine returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import Argument, InputError
from adjudge.given.annotated import is_annotated
from adjudge.given.data_frames import is_pattern
from adjudge.given.label_sets import LabelSets
from adjudge.given.labels import Column
from adjudge.given.points import DataMatrix, naming_what_drops_gaps
from adjudge.given.taxonomy import Taxonomy
from adjudge.given.weights import Weighting
from adjudge.kinds.classifier_options import ClassifierOptions
from adjudge.kinds.given import MODEL, Given
from adjudge.kinds.registry import KINDS
from adjudge.kinds.request import USUAL_POINTS, EvaluationRequest
from adjudge.kinds.which_kind import are_names
from adjudge.progress import busy
from adjudge.results import Evaluation
from adjudge.results.evaluations import Evaluations
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import OF_NUMBERS
from adjudge.tables.columns import (
    backend_of_table,
    called_columns,
    column_beside,
    rows_that_belong_together,
)
from adjudge.tables.counted import check_engine, what_needs_rows
from adjudge.tables.edges import edges_given
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ModelForecasts, shares_meant
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.joined import Joined
from adjudge.tables.judged_columns import JudgedColumns
from adjudge.tables.judged_together import check_together
from adjudge.tables.labels import Treatments
from adjudge.tables.sets import each_column
from adjudge.tables.source import is_a_file, is_a_table, open_given
from adjudge.tables.treatment import treatment_of
from adjudge.tables.trees import TreeColumns
from adjudge.verbs.columns_alike import counted_or_read, judged_alike, with_those_left_out
from adjudge.verbs.evaluate_counts import evaluated_counts
from adjudge.verbs.evaluated import evaluated_given, of_the_same
from adjudge.verbs.judged import judged

__all__ = ["evaluate_columns", "names_columns"]


def names_columns(labels_true: Any, labels_pred: Any, columns: Iterable[Any], labels: Any) -> bool:
    """Whether `labels_true` is a table: other arguments name its columns, or it is the path of a file."""
    if any(name is not None for name in columns) or isinstance(labels, str):
        return True
    if labels is not None and is_annotated(labels_true):
        return True
    if is_a_file(labels_true, labels_pred):
        return True
    if not isinstance(labels, (list, tuple)) or not are_names(labels) or not is_a_table(labels_true):
        return False
    # A list of text may also be the labels themselves, beside a truth that has one column.
    known = open_given(labels_true).names
    return any(name in known or is_pattern(name, known) for name in labels)


@engine_failures()
def evaluate_columns(
    given: Any, named: JudgedColumns, request: EvaluationRequest, engine: str | None = None
) -> Evaluation | Evaluations:
    """Judge columns of a table.

    Parameters
    ----------
    given : data frame, lazy frame, path or FileTable
    named : JudgedColumns
        What the call names.
    request : EvaluationRequest
    engine : {"auto", "memory", "duckdb"}, optional
        What reads a file.
    """
    if given is None:
        raise InputError(
            "other arguments name columns, but there is no table: pass it as ", Argument("labels_true")
        )
    table = open_given(given, engine)
    check_together(named)
    columns = named.found_in(table)
    if columns.kind != request.kind:
        request = replace(request, kind=columns.kind)
    own = columns.labels if columns.labels not in columns.pred else None
    treatments = treatment_of(request.labels, columns.truth, columns.judged or {None: None}, own)
    said = rows_that_belong_together(
        table, columns.beside["units"], request.confidence, each_column(table, columns.used)
    )
    with called_columns(columns.naming):
        found, of_rows = _evaluations(table, columns, request, treatments)
    backend = backend_of_table(given)
    known = {} if columns.features is None else {"features": [*map(str, columns.features)]}
    found = {
        name: replace(
            one,
            backend=backend,
            warnings=one.warnings + of_rows + said,
            settings={**one.settings, **known},
        )
        for name, one in found.items()
    }
    return Evaluations(found, backend) if columns.several else next(iter(found.values()))


def _evaluations(
    table: Engine | FileTable | Frame,
    columns: JudgedColumns,
    request: EvaluationRequest,
    treatments: Treatments,
) -> tuple[dict[Any, Evaluation], tuple[Notice, ...]]:
    """Judge each column; also return what is said about how the table was read."""
    if isinstance(table, Engine):
        check_engine(columns, request)
        request = replace(request, points=USUAL_POINTS)
        with busy(request.progress, "rows of the table"):
            return _in_engine(table, columns, request, treatments), ()
    return counted_or_read(
        table,
        columns,
        lambda file, own: what_needs_rows(file, own, request),
        lambda counted, own: _in_engine(counted, own, request, treatments),
        lambda read, own: _in_memory(read, own, request, treatments),
    )


def _in_engine(
    table: Engine | FileTable, columns: JudgedColumns, request: EvaluationRequest, treatments: Treatments
) -> dict[Any, Evaluation]:
    """Judge what the engine returns; models that are called otherwise than their columns by their names."""
    if columns.models is None or columns.forecasts.columns:
        return evaluated_counts(table, columns, request, treatments)
    by_column = {own: treatments[name] for name, own in columns.models.items()}
    found = evaluated_counts(table, columns, request, by_column)
    return {name: found[str(own)] for name, own in columns.models.items()}


def _in_memory(
    table: FileTable | Frame | Joined,
    columns: JudgedColumns,
    request: EvaluationRequest,
    treatments: Treatments,
) -> dict[Any, Evaluation]:
    """Read the columns, and judge their rows."""
    assert not isinstance(table, Joined)
    if columns.several and columns.beside["judge"] is not None:
        return _with_a_judge(table, columns, request, treatments)
    read = columns.read(table, treatments)
    labels, treatments, said = read.labels, read.treatments, columns.said + read.said
    structures = {**columns.structures}
    if columns.tree is not None:
        structures["taxonomy"] = _taxonomy(columns.tree, labels)
    if edges_given(structures.get("graph")):
        structures["graph"] = columns.links.read_graph(table)
    shares = columns.prevalence
    if shares is not None and isinstance(table, FileTable) and columns.truth is not None:
        shares = shares_meant(shares, labels[columns.truth].values)
    of_points = columns.features is not None
    beside = read.beside
    rows = beside["units"], beside["runs"]
    weighting = Weighting(beside["counts"], beside["sample_weight"], columns.weights, *rows)
    given = Given(
        labels.get(columns.truth),
        {},
        ClassifierOptions(**read.options, prevalence=shares, costs=beside["costs"]),
        weighting,
        X=_points(table, columns, weighting, gaps=read.gaps) if of_points else None,
        labels=labels.get(columns.labels) if of_points and columns.labels not in columns.pred else None,
        structures=structures
        | {name: column_beside(table, own) for name, own in columns.of_structures.items()},
        sampled=columns.sampled,
        sampling_weights=columns.sampling_weights,
        better=request.better,
        judge=labels.get(columns.beside["judge"]),
    )
    if columns.several and columns.structure in (None, "graph", "batch") and columns.sampled is None:
        judged_labels = {name: None if own is None else labels[own] for name, own in columns.judged.items()}
        if request.kind in OF_NUMBERS:
            return _numbers_alike(columns.judged, judged_labels, given, request, treatments, said)
        return judged_alike(judged_labels, given, request, treatments, said, forecasts=read.of_models)
    pred: Any = {str(name): labels[own] for name, own in columns.judged.items()}
    if columns.links.pairs is not None:
        clusters, about = columns.links.read_clusters(table)
        said += about
        pred = Column(f"the clusters of {columns.links.called}", clusters)
        request = replace(request, kind="clustering")
    elif not columns.several:
        pred = labels[columns.pred[0]] if columns.pred else None
    own = next(iter(treatments.values()))
    if columns.structure is not None and given.truth is None and given.labels is None:
        given = replace(given, labels=pred, treatment=own)  # a structure judges the labels
    else:
        given = replace(given, models={MODEL: pred}, treatment=own)
    found = evaluated_given(replace(request, labels=own), given, columns.of_points)
    if isinstance(found, Evaluations):
        return dict(found.evaluations)
    return {None: with_those_left_out(found, given, own, said)}


def _with_a_judge(
    table: FileTable | Frame, columns: JudgedColumns, request: EvaluationRequest, treatments: Treatments
) -> dict[Any, Evaluation]:
    """Judge each of several models by itself: what a judge corrects is of one."""
    found = {}
    for name, own in columns.judged.items():
        classifier = replace(columns.classifier, forecasts=columns.forecasts.columns.get(name))
        one = replace(
            columns,
            pred=() if own is None else (own,),
            models=None,
            several=False,
            classifier=classifier,
            forecasts=ModelForecasts(columns.forecasts.option, {}),
        )
        (found[name],) = _in_memory(table, one, request, {name: treatments[name]}).values()
    return found


def _numbers_alike(
    columns: Mapping[Any, Any],
    models: Mapping[Any, Any],
    given: Given,
    request: EvaluationRequest,
    treatments: Treatments,
    said: tuple[Notice, ...],
) -> dict[Any, Evaluation]:
    """Judge each of several columns of numbers, on the rows that have it."""
    kind = KINDS[str(request.kind)]
    kind.check([*given.roles, *request.roles])
    found = {}
    for name, own in models.items():
        each = replace(given, models={MODEL: own}, treatment=treatments[name])
        with called_columns({MODEL: columns[name]}):
            case = kind.read_one(request, each)
        found[name] = with_those_left_out(judged([case], request), each, each.treatment, said)
    return of_the_same(found)


def _taxonomy(tree: TreeColumns, labels: Mapping[Any, Column]) -> Taxonomy:
    """Return the tree of all classes that columns have."""
    values = [own.values for own in labels.values()]
    if all(isinstance(own, LabelSets) for own in values):
        return tree.taxonomy_of([path for own in values for path in own.labels])
    return tree.taxonomy([*labels.values()])


def _points(
    table: FileTable | Frame, columns: JudgedColumns, weighting: Weighting, *, gaps: bool
) -> DataMatrix:
    """Read the coordinates; rows of weight 0 may have gaps."""
    drops = gaps and not weighting.is_given
    read = table.mixed_points if columns.are_mixed else table.points
    with naming_what_drops_gaps(table.table.numeric_columns if isinstance(table, FileTable) else None):
        found = read(columns.features, gaps=gaps)
        if not drops:
            found.check_gaps(weighting.absent)
    return found
