"""How `compare` compares models in columns of a table: of rows in memory, or by what an engine returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from adjudge.engines.frames.failures import engine_failures
from adjudge.results import Comparison
from adjudge.results.notice import Notice
from adjudge.statistics.agreement import WITHOUT_TRUTH
from adjudge.tables.columns import (
    backend_of_table,
    called_columns,
    rows_that_belong_together,
)
from adjudge.tables.compared_columns import ComparedColumns
from adjudge.tables.counted import check_can_be_counted, what_models_need, what_scores_need
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.joined import Joined
from adjudge.tables.sets import each_column
from adjudge.tables.source import open_given
from adjudge.verbs.columns_alike import counted_or_read
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
        check_can_be_counted(columns)
        return _counted(verb, table, columns), ()
    of_rows = partial(_counted, verb), partial(_in_memory, verb)
    return counted_or_read(table, columns, _what_needs_rows, *of_rows)


def _what_needs_rows(table: FileTable, columns: ComparedColumns) -> Any:
    """Say, in pieces, what needs the rows of a file in memory; None if counts, or sums of scores, are enough."""
    scored, options = None, columns.options
    if columns.scored is not None:
        scored = what_scores_need(table, columns.scored, options.get("indices", "default"))
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
    read = columns.arguments(table)
    if columns.kind in WITHOUT_TRUTH:
        found = verb(values=read.models, **read.options)
    else:
        found = verb(read.truth, read.models, **read.options)
    return replace(found, warnings=found.warnings + read.said) if read.said else found
