"""The verbs on tables: `compare_table` and `evaluate_table`, on any data frame, lazily."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal

from adjudge._compare import compare
from adjudge._evaluate import evaluate
from adjudge.engines.frames import (
    check_columns,
    count_cells,
    joined_pairs,
    kept_rows,
    open_frame,
    rows_where_right,
)
from adjudge.errors import InputError
from adjudge.inputs.labels import MISSING, check_choice
from adjudge.results import Comparison, Evaluation
from adjudge.tables import backend_of

__all__ = ["compare_table", "evaluate_table"]


def compare_table(
    table: Any,
    truth: str,
    models: Sequence[str] | None = None,
    *,
    kind: Literal["clustering", "classification"],
    missing: str = "raise",
    **options: Any,
) -> Comparison:
    """Compare models whose labels are columns of a table.

    The table's own engine counts the combinations of labels in one GROUP BY; no labels are collected from a lazy
    frame.

    Parameters
    ----------
    table : data frame of any library that narwhals knows, eager or lazy
        pandas, Polars, PyArrow, DuckDB, PySpark, Dask, Ibis ...
    truth : str
        Column with the true labels.
    models : sequence of str, optional
        Columns with the models' labels; default all others.
    kind, **options
        As for :func:`compare`.
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
        For columns that are not there, missing labels, and labels that cannot be used.

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge import compare_table
    >>> frame = pd.DataFrame({"label": [0, 0, 1], "a": [0, 0, 1], "b": [0, 1, 1]})
    >>> compare_table(frame, truth="label", kind="classification")["a", "b"].right_wrong
    1
    """
    check_choice("missing", missing, MISSING)
    frame = open_frame(table)
    names = check_columns(frame, [truth])
    chosen = [name for name in names if name != truth] if models is None else list(models)
    if not chosen:
        raise InputError("models is empty: at least one column with a model's labels is needed")
    check_columns(frame, [truth, *chosen])
    if not _is_lazy(frame):
        columns = {name: frame[name].to_native() for name in [truth, *chosen]}
        comparison = compare(
            columns[truth], {m: columns[m] for m in chosen}, kind=kind, missing=missing, **options
        )
        return dataclasses.replace(comparison, backend=backend_of(table))
    if options.get("noise", "cluster") == "singletons":
        raise InputError(
            "noise='singletons' needs the instances: the engine returns counts; collect the table first"
        )
    cells = count_cells(frame, [truth, *chosen], missing=missing)
    comparison = compare(
        cells.labels[truth], {m: cells.labels[m] for m in chosen}, kind=kind, counts=cells.counts, **options
    )
    rows_of = rows_where_right if kind == "classification" else joined_pairs
    kept = kept_rows(
        frame,
        [truth, *chosen],
        noise=options.get("noise", "cluster"),
        noise_label=options.get("noise_label", -1),
    )

    def rows(primary: str, alternative: str, cell: str) -> Any:
        return rows_of(kept, truth, primary, alternative, cell)

    pairs = {names: dataclasses.replace(pair, _instances=rows) for names, pair in comparison.pairs.items()}
    settings = {**comparison.settings, "missing": missing, "n_given": int(cells.counts.sum())}
    return dataclasses.replace(comparison, pairs=pairs, settings=settings, backend=backend_of(table))


def evaluate_table(
    table: Any,
    truth: str,
    pred: str,
    *,
    missing: str = "raise",
    **options: Any,
) -> Evaluation:
    """Judge the labels in one column of a table against those in another.

    Parameters
    ----------
    table : data frame of any library that narwhals knows, eager or lazy
    truth, pred : str
        Columns with the true and the predicted labels.
    missing : {"raise", "drop"}, default "raise"
    **options
        As for :func:`evaluate`.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge import evaluate_table
    >>> frame = pd.DataFrame({"label": [0, 0, 1, 1], "cluster": [5, 5, 7, 9]})
    >>> evaluate_table(frame, truth="label", pred="cluster", indices="rand")["rand"]
    0.8333333333333334
    """
    check_choice("missing", missing, MISSING)
    frame = open_frame(table)
    check_columns(frame, [truth, pred])
    if _is_lazy(frame):
        if options.get("noise", "cluster") == "singletons":
            raise InputError(
                "noise='singletons' needs the instances: the engine returns counts; collect the table first"
            )
        cells = count_cells(frame, [truth, pred], missing=missing)
        evaluation = evaluate(cells.labels[truth], cells.labels[pred], counts=cells.counts, **options)
    else:
        evaluation = evaluate(frame[truth].to_native(), frame[pred].to_native(), missing=missing, **options)
    return dataclasses.replace(evaluation, backend=backend_of(table))


def _is_lazy(frame: Any) -> bool:
    import narwhals as nw

    return isinstance(frame, nw.LazyFrame)
