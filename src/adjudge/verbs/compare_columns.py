"""How `compare` compares models in columns of a table: of rows in memory, or by what an engine returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, Option, TooManyCombinationsError
from adjudge.given.forecast_columns import ForecastColumns, with_patterns
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.labels import Column
from adjudge.given.options import check_choice
from adjudge.given.weights import Weighting
from adjudge.results import Comparison
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import OF_NUMBERS, WITHOUT_TRUTH
from adjudge.tables.columns import (
    amounts_of,
    backend_of_table,
    called_columns,
    check_columns,
    column_beside,
    counts_of_rows,
    needs_instances,
    number_columns,
    numbers_of,
    rows_that_belong_together,
)
from adjudge.tables.counted import COUNTED, what_models_need, what_scores_need
from adjudge.tables.files import FileTable
from adjudge.tables.forecasts import ClassifierColumns, ModelForecasts, columns_of_groups, of_models
from adjudge.tables.frames import Engine, Frame, engine_of_file
from adjudge.tables.joined import Joined
from adjudge.tables.names import column_name, column_names, named_column, the_one
from adjudge.tables.sets import (
    OF_SETS,
    check_delimiter,
    each_column,
    holds_several,
    matching_sets,
    models_of_sets,
    read_sets,
)
from adjudge.tables.source import open_given
from adjudge.tables.treatment import treatment_of_models
from adjudge.verbs.columns_alike import ALL_READ, meant, with_words
from adjudge.verbs.compare_counts import CountedModels

__all__ = ["compare_columns"]


@engine_failures()
def compare_columns(
    verb: Callable[..., Comparison],
    labels_true: Any,
    models: Sequence[str] | Mapping[str, str] | None = None,
    *,
    truth: str | None = None,
    kind: str | None = None,
    sample_weight: str | None = None,
    counts: str | None = None,
    units: str | None = None,
    runs: str | None = None,
    judge: str | None = None,
    costs: str | None = None,
    probabilities: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: str | Sequence[str] | None = None,
    missing: str | Mapping[str, str] = "raise",
    noise: str | Mapping[str, str] | None = None,
    noise_label: Any = -1,
    engine: str | None = None,
    delimiter: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare models in columns of a table.

    Parameters
    ----------
    verb : callable
        :func:`adjudge.compare`, for columns in memory.
    labels_true : data frame, lazy frame, path, or a table that is open
        The table.
    models : sequence of str, or mapping of str to str, optional
        Columns with the models' labels, patterns of these, or the column of each model by the model's name. Default:
        all columns without another role.
    truth, kind, sample_weight, counts, units, runs, judge, costs, probabilities, scores, classes, positive, groups, \
    missing, noise, noise_label, engine, delimiter, **options
        As for :func:`adjudge.compare`.
    """
    table = labels_true if isinstance(labels_true, Joined) else open_given(labels_true, engine)
    of_sets = kind in OF_SETS
    if kind not in WITHOUT_TRUTH:
        truth = table.own_list if truth is None else truth
        if truth is None:
            raise InputError("the truth is missing: name its column with ", Option("truth"))
        column_name("truth", truth)
        if kind is None and holds_several(table, truth):
            kind, of_sets = "multilabel", True
        truth = the_one(truth, matching_sets(table, [truth]) if of_sets else table.matching([truth]))
    check_delimiter(delimiter, of_sets)
    true = [] if truth is None else [truth]
    named = {"sample_weight": sample_weight, "counts": counts, "units": units, "runs": runs, "judge": judge}
    named["costs"] = costs
    columns = {
        option: None if column_name(option, name) is None else table.own(name)
        for option, name in named.items()
    }
    sample_weight, units = columns["sample_weight"], columns["units"]
    grouping = tuple(map(table.own, columns_of_groups(groups)))
    beside = [name for name in columns.values() if name is not None]
    called = _columns_of_models(table, models, [*true, *beside, *grouping], of_sets=of_sets)
    taken = [*true, *beside, *grouping, *(called or {}).values()]
    found = [
        with_patterns(of_models(called, own), option, table.names, taken)
        for option, own in (("probabilities", probabilities), ("scores", scores))
    ]
    forecasts = ModelForecasts.of(found[0], found[1], classes, None if called is None else list(called), kind)
    if called is None and not forecasts.columns:
        called = {name: name for name in table.names if name not in (truth, *beside, *grouping)}
    if called is not None and not called:
        raise InputError("models is empty: at least one column with a model's labels is needed")
    chosen = [] if called is None else list(called.values())
    used = [*true, *chosen, *beside, *grouping, *forecasts.named]
    check_columns(table, [*true, *chosen], forecasts.named)
    if kind is None and (forecasts.columns or grouping or classes is not None or positive is not None):
        kind = "classification"
    treatment = LabelOptions(missing, noise, noise_label)
    if isinstance(table, Engine):
        check_choice("missing", missing, MISSING)
    treatment = treatment_of_models(treatment, truth, called or dict.fromkeys(forecasts.columns))
    given = {**options, **_given(classes=classes, positive=positive)}
    counted = CountedModels(verb, table, truth, kind, treatment, sample_weight, grouping, units)  # type: ignore[arg-type]

    if isinstance(table, FileTable) and not of_sets:
        table.want([*true, *chosen, columns["judge"], units, runs, *grouping])

    def in_memory() -> Comparison:
        assert not isinstance(table, Engine)
        own = ClassifierColumns(None, grouping, classes, positive)
        return _in_memory(
            verb, table, truth, called, kind, forecasts, own, treatment, columns, options, delimiter
        )

    def scored(table: FileTable) -> Any:
        if not forecasts.columns:
            return None
        indices = options.get("indices", "default")
        return what_scores_need(table, forecasts.option, indices, sample_weight)

    said: tuple[Notice, ...] = ()
    with called_columns({"labels_true": truth, **columns} | (called or {})):
        if isinstance(table, Engine):
            if counts is not None:
                raise counts_of_rows()
            for option in ("runs", "judge", "costs"):
                if columns[option] is not None:
                    raise InputError(Option(option), " needs the instances: collect the table first")
            if kind == "multilabel" or (kind is not None and kind not in COUNTED):
                raise needs_instances(kind)
            result = counted.compare(called, forecasts, given)
        elif isinstance(table, FileTable) and table.is_streamed(
            [*true, *chosen], what_models_need(kind, treatment, scored(table), columns, options)
        ):
            try:
                if forecasts.columns:
                    labels = [own for own in used if own not in forecasts.named]
                    rows = engine_of_file(table, labels, forecasts.named)
                    true_labels = rows.codes(truth)
                    typed = ClassifierColumns(None, (), classes, positive).meant(true_labels)
                    given |= _given(classes=typed.classes, positive=typed.positive)
                    counted, forecasts = replace(counted, table=rows), forecasts.meant(true_labels)
                result = counted.compare(called, forecasts, given)
            except TooManyCombinationsError as error:
                table.refused_to_count(error)
                result, said = in_memory(), (ALL_READ,)
        else:
            result = in_memory()
    said = rows_that_belong_together(table, units, options.get("confidence"), each_column(table, used)) + said
    return replace(result, backend=backend_of_table(labels_true), warnings=result.warnings + said)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _in_memory(
    verb: Callable[..., Comparison],
    table: FileTable | Frame | Joined,
    truth: Any,
    called: Mapping[str, Any] | None,
    kind: str | None,
    forecasts: ModelForecasts,
    classifier: ClassifierColumns,
    treatment: LabelOptions,
    beside: Mapping[str, Any],
    options: Mapping[str, Any],
    delimiter: str | None,
) -> Comparison:
    """Read the columns, and compare their rows."""
    chosen = [] if called is None else list(called.values())
    said: tuple[Notice, ...] = ()
    are_text, of_labels = None, [name for name in (truth, *chosen, beside["judge"]) if name is not None]
    read: Mapping[Any, Any]
    if kind in OF_NUMBERS:
        read = number_columns(table, of_labels)
    elif kind in OF_SETS:
        read, said = read_sets(table, of_labels, delimiter)
    else:
        # A file names a cell.
        if not isinstance(table, FileTable) and table.holds_lists(truth):
            raise InputError(f"column {truth!r} holds lists of labels: pass ", Option("kind", "multilabel"))
        read, are_text = table.labels(of_labels)
    columns = {
        name: own if isinstance(own, Column) else named_column(name, own) for name, own in read.items()
    }
    if are_text is not None:
        columns, typed, said = meant(columns, {truth: treatment})
        true = columns[truth].values
        treatment, classifier, forecasts = typed[truth], classifier.meant(true), forecasts.meant(true)
    elif kind not in OF_NUMBERS and kind not in OF_SETS:
        columns, said = with_words(columns)
    weighs = beside["sample_weight"] is not None or beside["counts"] is not None
    # Rows of weight 0 may have gaps, too; others are found when they are judged.
    gaps = treatment.drops_missing or weighs
    groups = {name: column_beside(table, name) for name in classifier.grouping}
    weight, counts = (numbers_of(table, beside[name]) for name in ("sample_weight", "counts"))

    def scores(forecasts: ForecastColumns) -> Any:
        if kind in OF_SETS:
            return forecasts.read_labels(table.matrix, Weighting(counts, weight).absent)
        return forecasts.read(table.numbers, columns[truth], gaps=gaps)

    of_models = None if called is None else {name: columns[own] for name, own in called.items()}
    alone = {"values": of_models} if kind in WITHOUT_TRUTH else {}
    found = verb(
        *(() if alone else (columns[truth], of_models)),
        **alone,
        kind=kind,
        sample_weight=weight,
        counts=counts,
        **{
            name: None if beside[name] is None else column_beside(table, beside[name])
            for name in ("units", "runs")
        },
        **_given(
            judge=None if beside["judge"] is None else columns[beside["judge"]],
            costs=amounts_of(table, beside["costs"]),
        ),
        missing=treatment.missing,
        **_given(noise=treatment.noise),
        noise_label=treatment.noise_label,
        **{"groups": None, **classifier.options(groups)},
        **forecasts.options(scores),
        **options,
    )
    return replace(found, warnings=found.warnings + said) if said else found


def _columns_of_models(
    table: Engine | FileTable | Frame | Joined, models: Any, leave_out: Sequence[Any], *, of_sets: bool
) -> dict[Any, Any] | None:
    """Return the column of each model by the model's name; None if no labels are named."""
    if models is None:
        return None
    find: Callable[..., list[Any]] = matching_sets if of_sets else _matching
    if isinstance(models, Mapping) and all(isinstance(column, (str, int)) for column in models.values()):
        named = column_names("models", list(models.values()))
        return {
            str(model): the_one(own, find(table, [own])) for model, own in zip(models, named, strict=True)
        }
    columns = find(table, column_names("models", models), leave_out)
    return models_of_sets(table, columns) if of_sets else {name: name for name in columns}


def _matching(
    table: Engine | FileTable | Frame | Joined, names: Sequence[Any], leave_out: Sequence[Any] = ()
) -> list[Any]:
    return table.matching(names, leave_out)
