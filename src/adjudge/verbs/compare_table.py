"""The verb `compare_table` compares models whose labels are columns of any data frame."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from adjudge.engines.frames.counting import FrameTable
from adjudge.engines.frames.failures import engine_failures
from adjudge.errors import InputError
from adjudge.given.label_options import MISSING
from adjudge.given.options import check_choice, given_names
from adjudge.results import Comparison
from adjudge.results.notice import Notice
from adjudge.unknown_names import checked_call
from adjudge.verbs.compare import compare
from adjudge.verbs.compare_lazily import LazyModels
from adjudge.verbs.table_classifiers import columns_of_groups
from adjudge.verbs.table_columns import (
    backend_of_table,
    called_columns,
    column,
    needs_instances,
    rows_that_belong_together,
    weight_of_rows,
)
from adjudge.verbs.table_models import ModelForecasts

__all__ = ["compare_table"]

# Kinds of labels that an engine can count.
_COUNTED = ("clustering", "classification")


@checked_call
@engine_failures()
def compare_table(
    table: Any,
    truth: str,
    models: Sequence[str] | None = None,
    *,
    kind: Literal["clustering", "classification", "multilabel"] | None = None,
    sample_weight: str | None = None,
    units: str | None = None,
    probabilities: Mapping[str, Any] | None = None,
    scores: Mapping[str, Any] | None = None,
    classes: Sequence[Any] | None = None,
    positive: Any = None,
    groups: str | Sequence[str] | None = None,
    missing: str = "raise",
    **options: Any,
) -> Comparison:
    """Compare models whose labels are columns of a table.

    The table's engine counts the combinations of labels in one GROUP BY; no labels are collected from a
    lazy frame.

    Parameters
    ----------
    table : data frame of any library that narwhals supports, eager or lazy
        pandas, Polars, PyArrow, DuckDB, PySpark, Dask, Ibis ...
    truth : str
        Column with the true labels.
    models : sequence of str, optional
        Columns with the models' labels; default: all others.
    kind, **options
        As for :func:`compare`.
    sample_weight : str, optional
        Column with the weight of each row; `weights` says what they mean.
    units : str, optional
        Column with the unit that each row belongs to: a patient of visits, a document of sentences. Intervals then take
        the units as the sample. A lazy table is counted by unit as well, in the same GROUP BY.
    probabilities : mapping of str to (str, mapping of classes to str, or sequence of str), optional
        For classifiers: the columns with each model's probabilities, as for :func:`evaluate_table`. Without `models`,
        the likeliest classes are the labels. From a lazy table, differences have values with bounds, and no tests.
    scores : the same, optional
        Instead of probabilities, columns with decision values; they need `models`.
    classes : sequence, optional
        All classes; a sequence of columns is in their order.
    positive : object, optional
        The positive class; default: 1 of 0 and 1, True of False and True, or else the second of two, with a notice.
    groups : str or sequence of str, optional
        Columns that make groups: classifiers are compared within each as well, from the same GROUP BY.
    missing : {"raise", "drop"}, default "raise"

    Returns
    -------
    Comparison
        ``comparison["p", "q"].instances(cell)`` are positions or pair counts for an eager table, as from
        :func:`compare`. For a lazy one it is a lazy frame of the same engine: the rows of the cell
        (classification), or all rows that were compared, with a column ``pairs`` (clustering).

    Raises
    ------
    InputError
        If a column does not exist, or labels are missing or cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge import compare_table
    >>> frame = pd.DataFrame({"label": [0, 0, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> compare_table(frame, truth="label", kind="classification")["a", "b"].right_wrong
    1
    """
    check_choice("missing", missing, MISSING)
    opened = FrameTable.of(table)
    grouping = columns_of_groups(groups)
    opened.own([truth, *grouping])
    if units is not None:
        opened.own([units])
    named = None if models is None else given_names("models", models)
    forecasts = ModelForecasts.of(probabilities, scores, classes, named, kind)
    for name in forecasts.named:
        opened.own([name])
    chosen = named
    if chosen is None and not forecasts.columns:
        chosen = [name for name in opened.names if name not in (truth, sample_weight, units, *grouping)]
    if chosen is not None and not chosen:
        raise InputError("models is empty: at least one column with a model's labels is needed")
    opened.own([truth, *(chosen or ())])
    options |= {
        name: value for name, value in (("classes", classes), ("positive", positive)) if value is not None
    }
    if kind is None and opened.holds_lists(truth):
        kind = "multilabel"
    if kind is None and (forecasts.columns or grouping or options.keys() & {"classes", "positive"}):
        kind = "classification"
    naming = called_columns({"labels_true": truth, "units": units} | {name: name for name in chosen or ()})
    used = [truth, *(chosen or ()), sample_weight, *grouping, *forecasts.named]
    said = rows_that_belong_together(opened, units, options.get("confidence"), used)
    if not opened.is_lazy:
        columns = {name: column(opened, name) for name in [truth, *(chosen or ())]}
        with naming:
            comparison = compare(
                columns[truth],
                None if chosen is None else {m: columns[m] for m in chosen},
                kind=kind,
                sample_weight=weight_of_rows(opened, sample_weight),
                units=None if units is None else column(opened, units),
                groups={name: column(opened, name) for name in grouping} or None,
                missing=missing,
                **forecasts.options(opened, columns[truth]),
                **options,
            )
        return _of_table(comparison, table, said)
    if kind == "multilabel" or (kind is not None and kind not in _COUNTED):
        raise needs_instances(kind)
    lazy = LazyModels(opened, truth, kind, missing, sample_weight, grouping, units)
    with naming:
        compared = lazy.compare(chosen, forecasts, options)
    return _of_table(compared, table, said)


def _of_table(comparison: Comparison, table: Any, said: tuple[Notice, ...]) -> Comparison:
    return dataclasses.replace(
        comparison, backend=backend_of_table(table), warnings=comparison.warnings + said
    )
