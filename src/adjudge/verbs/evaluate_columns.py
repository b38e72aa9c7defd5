"""How `evaluate` judges columns of a table: of rows in memory, or of the counts and sums that an engine returns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import Argument, InputError, TooManyCombinationsError
from adjudge.given.annotated import is_annotated
from adjudge.given.data_frames import is_pattern
from adjudge.given.forecast_columns import ForecastColumns
from adjudge.given.label_sets import LabelSets
from adjudge.given.labels import Column
from adjudge.given.points import DataMatrix, naming_what_drops_gaps
from adjudge.given.scaling import scaled
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
    amounts_of,
    backend_of_table,
    called_columns,
    column_beside,
    number_columns,
    numbers_of,
    rows_that_belong_together,
)
from adjudge.tables.counted import check_engine, what_needs_rows
from adjudge.tables.edges import edges_given
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame, engine_of_file
from adjudge.tables.judged_columns import JudgedColumns
from adjudge.tables.judged_together import check_together
from adjudge.tables.labels import Treatments, meant, with_words
from adjudge.tables.names import named_column
from adjudge.tables.sets import each_column, read_sets
from adjudge.tables.source import is_a_file, is_a_table, open_given
from adjudge.tables.treatment import treatment_of
from adjudge.tables.trees import TreeColumns
from adjudge.verbs.columns_alike import ALL_READ, judged_alike, with_those_left_out
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
    check_together(named, request.kind)
    columns = named.found_in(table, request.kind)
    if columns.of_sets and request.kind is None:
        request = replace(request, kind="multilabel")
    own = columns.labels if columns.labels not in columns.pred else None
    treatments = treatment_of(request.labels, columns.truth, columns.judged or {None: None}, own)
    said = rows_that_belong_together(
        table, columns.units, request.confidence, each_column(table, columns.used)
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
    if isinstance(table, FileTable) and table.is_streamed(
        columns.of_labels, what_needs_rows(table, columns, request)
    ):
        if columns.scored is not None:
            numbers = columns.of_numbers
            table = engine_of_file(table, [own for own in columns.used if own not in numbers], numbers)
            return _in_engine(table, columns.meant_in(table), request, treatments), ()
        try:
            return _in_engine(table, columns, request, treatments), ()
        except TooManyCombinationsError as error:
            table.refused_to_count(error)
            return _in_memory(table, columns, request, treatments), (ALL_READ,)
    return _in_memory(table, columns, request, treatments), ()


def _in_engine(
    table: Engine | FileTable, columns: JudgedColumns, request: EvaluationRequest, treatments: Treatments
) -> dict[Any, Evaluation]:
    """Judge what the engine returns; models that are called otherwise than their columns by their names."""
    if columns.models is None or columns.forecasts is not None:
        return evaluated_counts(table, columns, request, treatments)
    by_column = {own: treatments[name] for name, own in columns.models.items()}
    found = evaluated_counts(table, columns, request, by_column)
    return {name: found[str(own)] for name, own in columns.models.items()}


def _in_memory(
    table: FileTable | Frame, columns: JudgedColumns, request: EvaluationRequest, treatments: Treatments
) -> dict[Any, Evaluation]:
    """Read the columns, and judge their rows."""
    of_sets, said = columns.of_sets, columns.said
    classifier, forecasts = columns.classifier, columns.forecasts
    read, about = _labels(table, columns, request)
    labels = {name: own if isinstance(own, Column) else named_column(name, own) for name, own in read.items()}
    said += about
    structures = {**columns.structures}
    if columns.tree is not None:
        structures["taxonomy"] = _taxonomy(columns.tree, labels)
    if edges_given(structures.get("graph")):
        structures["graph"] = columns.links.read_graph(table)
    if isinstance(table, FileTable) and not of_sets and request.kind not in OF_NUMBERS:
        labels, treatments, about = meant(labels, treatments)
        said += about
        if columns.truth is not None:
            classifier = classifier.meant(labels[columns.truth].values)
            forecasts = forecasts and forecasts.meant(labels[columns.truth].values)
    elif not of_sets and request.kind not in OF_NUMBERS:
        labels, about = with_words(labels)
        said += about
    beside = (columns.units, columns.runs)
    weighting = Weighting(
        numbers_of(table, columns.counts),
        numbers_of(table, columns.sample_weight),
        columns.weights,
        *(None if name is None else column_beside(table, name) for name in beside),
    )
    # Rows of weight 0 may have gaps, too; others are found when they are judged.
    gaps = request.labels.drops_missing or weighting.is_given
    true = None if columns.truth is None else labels[columns.truth]
    groups = {name: column_beside(table, name) for name in classifier.grouping}

    def scores(own: ForecastColumns) -> Any:
        return (
            own.read_labels(table.matrix, weighting.absent)
            if of_sets
            else own.read(table.numbers, true, gaps=gaps)
        )

    given = Given(
        true,
        {},
        ClassifierOptions(
            **classifier.options(groups, scores),
            prevalence=columns.prevalence,
            costs=amounts_of(table, columns.costs),
        ),
        weighting,
        X=None if columns.features is None else _points(table, columns, weighting, gaps=gaps),
        labels=None
        if columns.features is None or columns.labels in columns.pred
        else labels.get(columns.labels),
        structures=structures
        | {name: column_beside(table, own) for name, own in columns.of_structures.items()},
        sampled=columns.sampled,
        sampling_weights=columns.sampling_weights,
        better=request.better,
        judge=None if columns.judge is None else labels[columns.judge],
    )
    if columns.several and columns.judge is not None:
        # What a judge corrects is of one model.
        apart = {name: replace(columns, pred=(own,), several=False) for name, own in columns.judged.items()}
        return {
            name: next(iter(_in_memory(table, one, request, {name: treatments[name]}).values()))
            for name, one in apart.items()
        }
    if columns.several and columns.structure in (None, "graph", "batch") and columns.sampled is None:
        judged_labels = {name: None if own is None else labels[own] for name, own in columns.judged.items()}
        if request.kind in OF_NUMBERS:
            return _numbers_alike(judged_labels, given, request, said)
        of_models = {} if forecasts is None else forecasts.options(scores)
        return judged_alike(judged_labels, given, request, treatments, said, forecasts=of_models)
    pred: Any = {str(name): labels[own] for name, own in columns.judged.items()}
    if columns.links.pairs is not None:
        clusters = columns.links.read_clusters(table)
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


def _labels(
    table: FileTable | Frame, columns: JudgedColumns, request: EvaluationRequest
) -> tuple[dict[Any, Any], tuple[Notice, ...]]:
    """Read the labels of each row, one or several."""
    if columns.of_sets:
        return read_sets(table, columns.of_labels, columns.delimiter)
    if request.kind in OF_NUMBERS:
        return number_columns(table, columns.of_labels), ()
    if columns.tree is not None:
        check_levels = request.labels.missing == "raise"
        return columns.tree.read(table, columns.of_labels, check_levels=check_levels), ()
    return table.labels(columns.of_labels)[0], ()


def _numbers_alike(
    models: Mapping[Any, Any], given: Given, request: EvaluationRequest, said: tuple[Notice, ...]
) -> dict[Any, Evaluation]:
    """Judge each of several columns of numbers, on the rows that have it."""
    kind = KINDS[str(request.kind)]
    kind.check([*given.roles, *request.roles])
    found = {}
    for name, own in models.items():
        each = replace(given, models={name: own}, treatment=request.labels)
        (case,) = kind.read(each).values()
        found[name] = with_those_left_out(judged([case], request), each, request.labels, said)
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
    """Read the coordinates, and scale them; rows of weight 0 may have gaps."""
    drops = gaps and not weighting.is_given
    read = table.mixed_points if columns.are_mixed else table.points
    with naming_what_drops_gaps(table.table.numeric_columns if isinstance(table, FileTable) else None):
        found = read(columns.features, gaps=gaps)
        if not drops:
            found.check_gaps(weighting.absent)
    return found if columns.scaling is None else replace(found, values=scaled(found.values, columns.scaling))
