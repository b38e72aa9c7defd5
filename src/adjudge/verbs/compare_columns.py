"""How `compare` compares models in columns of a table: of rows in memory, or by what an engine returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, Option, TooManyCombinationsError
from adjudge.results import Comparison
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.columns import (
    backend_of_table,
    called_columns,
    counts_of_rows,
    needs_instances,
    rows_that_belong_together,
)
from adjudge.tables.compared_columns import ComparedColumns
from adjudge.tables.counted import COUNTED, what_models_need, what_scores_need
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame, engine_of_file
from adjudge.tables.joined import Joined
from adjudge.tables.sets import each_column
from adjudge.tables.source import open_given
from adjudge.verbs.columns_alike import ALL_READ
from adjudge.verbs.compare_counts import CountedModels

__all__ = ["compare_columns"]


@engine_failures()
def compare_columns(
    verb: Callable[..., Comparison],
    labels_true: Any,
    models: Sequence[str] | Mapping[str, str] | None = None,
    *,
    engine: str | None = None,
    **asked: Any,
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
    engine, **asked
        As for :func:`adjudge.compare`.
    """
    table = labels_true if isinstance(labels_true, Joined) else open_given(labels_true, engine)
    columns = ComparedColumns.of(table, models, **asked)
    with called_columns(columns.naming):
        found, said = _compared(verb, table, columns)
    units, confidence = columns.beside["units"], columns.options.get("confidence")
    said = rows_that_belong_together(table, units, confidence, each_column(table, columns.used)) + said
    return replace(found, backend=backend_of_table(labels_true), warnings=found.warnings + said)


def _compared(
    verb: Callable[..., Comparison], table: Engine | FileTable | Frame | Joined, columns: ComparedColumns
) -> tuple[Comparison, tuple[Notice, ...]]:
    """Compare the models; also return what is said about how the table was read."""
    if isinstance(table, Engine):
        _check_engine(columns)
        return _counted(verb, table, columns), ()
    if isinstance(table, FileTable) and table.is_streamed(
        columns.of_labels, _what_needs_rows(table, columns)
    ):
        try:
            if columns.forecasts.columns:
                numbers = columns.of_numbers
                rows = engine_of_file(table, [own for own in columns.used if own not in numbers], numbers)
                return _counted(verb, rows, columns.meant(rows.codes(columns.truth))), ()
            return _counted(verb, table, columns), ()
        except TooManyCombinationsError as error:
            table.refused_to_count(error)
            return _in_memory(verb, table, columns), (ALL_READ,)
    return _in_memory(verb, table, columns), ()


def _check_engine(columns: ComparedColumns) -> None:
    """Raise if a lazy frame would have to give its rows."""
    if columns.beside["counts"] is not None:
        raise counts_of_rows()
    for option in ("runs", "judge", "costs"):
        if columns.beside[option] is not None:
            raise InputError(Option(option), " needs the instances: collect the table first")
    if columns.kind is not None and columns.kind not in COUNTED:
        raise needs_instances(columns.kind)


def _what_needs_rows(table: FileTable, columns: ComparedColumns) -> Any:
    """Say, in pieces, what needs the rows of a file in memory; None if counts, or sums of scores, are enough."""
    scored, options = None, columns.options
    if columns.forecasts.columns:
        indices = options.get("indices", "default")
        scored = what_scores_need(table, columns.forecasts.option, indices)
    return what_models_need(columns.kind, columns.treatment, scored, columns.beside, options)


def _counted(
    verb: Callable[..., Comparison], table: Engine | FileTable, columns: ComparedColumns
) -> Comparison:
    """Compare the models by what an engine returns."""
    weight, units = columns.beside["sample_weight"], columns.beside["units"]
    classifier, treatment = columns.classifier, columns.treatment
    models = CountedModels(
        verb, table, columns.truth, columns.kind, treatment, weight, classifier.grouping, units
    )
    options = columns.options | replace(classifier, grouping=()).options({})
    return models.compare(columns.models, columns.forecasts, options)


def _in_memory(
    verb: Callable[..., Comparison], table: FileTable | Frame | Joined, columns: ComparedColumns
) -> Comparison:
    """Read the columns, and compare their rows."""
    read = columns.read(table)
    if columns.kind in WITHOUT_TRUTH:
        found = verb(values=read.models, **read.options)
    else:
        found = verb(read.truth, read.models, **read.options)
    return replace(found, warnings=found.warnings + read.said) if read.said else found
