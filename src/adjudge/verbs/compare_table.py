"""How `compare` compares models whose labels are columns of a table: lazy frames by counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError, Option
from adjudge.given.label_options import MISSING, LabelOptions
from adjudge.given.options import check_choice
from adjudge.results import Comparison
from adjudge.tables.columns import (
    backend_of_table,
    called_columns,
    check_columns,
    column_beside,
    counts_of_rows,
    needs_instances,
    numbers_of,
    rows_that_belong_together,
)
from adjudge.tables.forecasts import columns_of_groups
from adjudge.tables.frames import Engine
from adjudge.tables.names import column_name, column_names, named_column, names_in_file
from adjudge.tables.source import open_given
from adjudge.verbs.compare_lazily import LazyModels
from adjudge.verbs.table_models import ModelForecasts

__all__ = ["compare_table"]

# Kinds of labels that an engine can count.
_COUNTED = ("clustering", "classification")


@engine_failures()
def compare_table(
    judge: Callable[..., Comparison],
    labels_true: Any,
    models: Sequence[str] | Mapping[str, str] | None = None,
    *,
    truth: str | None = None,
    kind: str | None = None,
    sample_weight: str | None = None,
    counts: str | None = None,
    units: str | None = None,
    probabilities: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: str | Sequence[str] | None = None,
    missing: str | Mapping[str, str] = "raise",
    **options: Any,
) -> Comparison:
    """Compare models in columns of a table.

    Parameters
    ----------
    judge : callable
        :func:`adjudge.compare`, for columns in memory.
    labels_true : data frame, lazy frame or path
        The table.
    models : sequence of str, or mapping of str to str, optional
        Columns with the models' labels, or the column of each model by the model's name. Default: all columns without
        another role.
    truth, kind, sample_weight, counts, units, probabilities, scores, classes, positive, groups, missing, **options
        As for :func:`adjudge.compare`.
    """
    if truth is None:
        raise InputError("the truth is missing: name its column with ", Option("truth"))
    for option, name in (
        ("truth", truth),
        ("sample_weight", sample_weight),
        ("counts", counts),
        ("units", units),
    ):
        column_name(option, name)
    own = partial(names_in_file, labels_true)
    truth, sample_weight, counts, units = map(own, (truth, sample_weight, counts, units))
    table = open_given(labels_true)
    grouping = columns_of_groups(groups)
    called = _columns_of_models(own, models)
    named = None if called is None else list(called)
    forecasts = ModelForecasts.of(probabilities, scores, classes, named, kind)
    beside = [name for name in (sample_weight, counts, units) if name is not None]
    if called is None and not forecasts.columns:
        called = {name: name for name in table.names if name not in (truth, *beside, *grouping)}
    if called is not None and not called:
        raise InputError("models is empty: at least one column with a model's labels is needed")
    chosen = [] if called is None else list(called.values())
    used = [truth, *chosen, *beside, *grouping, *forecasts.named]
    check_columns(table, [truth, *chosen], used)
    options |= {
        name: value for name, value in (("classes", classes), ("positive", positive)) if value is not None
    }
    if kind is None and table.holds_lists(truth):
        kind = "multilabel"
    if kind is None and (forecasts.columns or grouping or options.keys() & {"classes", "positive"}):
        kind = "classification"
    said = rows_that_belong_together(table, units, options.get("confidence"), used)
    with called_columns({"labels_true": truth, "units": units} | (called or {})):
        if isinstance(table, Engine):
            check_choice("missing", missing, MISSING)
            if counts is not None:
                raise counts_of_rows()
            if kind == "multilabel" or (kind is not None and kind not in _COUNTED):
                raise needs_instances(kind)
            lazy = LazyModels(judge, table.frame, truth, kind, missing, sample_weight, grouping, units)
            found = lazy.compare(called, forecasts, options)
        else:
            read, _ = table.labels([truth, *chosen], nested=kind == "multilabel")
            columns = {name: named_column(name, values) for name, values in read.items()}
            # Rows of weight 0 may have gaps, too; others are found when they are judged.
            weighs = sample_weight is not None or counts is not None
            gaps = LabelOptions(missing).drops_missing or weighs
            found = judge(
                columns[truth],
                None if called is None else {name: columns[own] for name, own in called.items()},
                kind=kind,
                sample_weight=numbers_of(table, sample_weight),
                counts=numbers_of(table, counts),
                units=None if units is None else column_beside(table, units),
                groups={name: column_beside(table, name) for name in grouping} or None,
                missing=missing,
                **forecasts.options(table.numbers, columns[truth], gaps=gaps),
                **options,
            )
    return replace(found, backend=backend_of_table(labels_true), warnings=found.warnings + said)


def _columns_of_models(own: Callable[[Any], Any], models: Any) -> dict[Any, Any] | None:
    """Return the column of each model by the model's name; None if no labels are named."""
    if models is None:
        return None
    if isinstance(models, Mapping) and all(isinstance(column, (str, int)) for column in models.values()):
        return dict(zip(map(str, models), own(column_names("models", list(models.values()))), strict=True))
    return {name: name for name in own(column_names("models", models))}
