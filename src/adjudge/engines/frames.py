"""The engine for tables: a data frame's own GROUP BY reduces labels to cells; only the counts come back.

Works on whatever narwhals knows, eager or lazy: pandas, Polars, PyArrow, DuckDB, PySpark, Dask, Ibis ...
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, TooManyCombinationsError

__all__ = [
    "LabelCells",
    "check_columns",
    "count_cells",
    "count_combinations",
    "joined_pairs",
    "kept_rows",
    "open_frame",
    "rows_where_right",
]

# More distinct combinations of labels than this are not brought to memory.
LARGEST_RESULT = 20_000_000

_COUNT = "__adjudge_count__"


@dataclass(frozen=True)
class LabelCells:
    """Distinct combinations of labels, and how many rows have each.

    Attributes
    ----------
    labels : dict of str to series
        One label a combination, by column.
    counts : ndarray of int64
    """

    labels: dict[str, Any]
    counts: NDArray[np.int64]


def open_frame(table: Any) -> Any:
    """Wrap a data frame; lazy frames stay lazy."""
    import narwhals as nw

    try:
        return nw.from_native(table)
    except TypeError:
        raise InputTypeError(f"table is a {type(table).__name__}: a data frame is needed") from None


def check_columns(frame: Any, columns: Sequence[str]) -> list[str]:
    """Raise for a column that is not there, or asked for twice; return all names."""
    names: list[str] = list(frame.collect_schema().names())
    for i, name in enumerate(columns):
        if not isinstance(name, (str, int)):
            raise InputTypeError(f"columns are asked for by their names: {name!r} is a {type(name).__name__}")
        if name not in names:
            close = get_close_matches(str(name), list(map(str, names)), n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise InputError(f"the table has no column {name!r}: {hint}it has {', '.join(map(repr, names))}")
        if name in columns[:i]:
            raise InputError(f"column {name!r} is asked for twice")
    return names


def count_combinations(
    frame: Any, columns: Sequence[str], *, names: Sequence[str] | None = None, most: int | None = None
) -> Any:
    """Count the rows of each combination of values, nulls among them, in one GROUP BY.

    Parameters
    ----------
    frame : narwhals DataFrame or LazyFrame
    columns : sequence of str
    names : sequence of str, optional
        What a message calls the columns.
    most : int, optional
        Number of combinations that are brought to memory; default `LARGEST_RESULT`.

    Returns
    -------
    narwhals DataFrame
        The columns, and their counts as the last one.
    """
    import narwhals as nw

    columns = list(dict.fromkeys(columns))
    most = LARGEST_RESULT if most is None else most
    selected = frame.lazy().select(*columns)
    grouped = selected.group_by(columns).agg(nw.len().alias(_COUNT)).head(most + 1).collect()
    if len(grouped) > most:
        raise TooManyCombinationsError(
            f"the columns {', '.join(map(repr, names or columns))} have more than {most:,} combinations of "
            "labels: compare fewer models at a time"
        )
    return grouped.select(*columns, _COUNT)


def count_cells(frame: Any, columns: Sequence[str], *, missing: str = "raise") -> LabelCells:
    """Count the rows of each combination of labels, in one GROUP BY.

    Parameters
    ----------
    frame : narwhals DataFrame or LazyFrame
    columns : sequence of str
    missing : {"raise", "drop"}
        Rows with a null (or NaN) in one of the columns are an error, or left out.
    """
    grouped = count_combinations(frame, columns)
    counts = grouped[_COUNT].to_numpy().astype(np.int64)
    kept = np.ones(counts.size, dtype=bool)
    for name in columns:
        absent = grouped[name].is_null().to_numpy()
        if grouped[name].dtype.is_float():
            absent = absent | grouped[name].is_nan().fill_null(True).to_numpy()
        if absent.any() and missing == "raise":
            raise InputError(
                f"{name} has {int(counts[absent].sum())} missing labels: "
                "fill them in, or pass missing='drop' to leave such rows out"
            )
        kept &= ~absent
    if not kept.all():
        grouped = grouped.filter(kept.tolist())
        counts = counts[kept]
    if not counts.size:
        raise InputError("the table has no row with all its labels: at least one is needed")
    return LabelCells({name: grouped[name].to_native() for name in columns}, counts)


def kept_rows(frame: Any, columns: Sequence[str], *, noise: str, noise_label: Any) -> Any:
    """Rows that have all their labels and, with ``noise="drop"``, none that means noise."""
    import narwhals as nw

    conditions = [~nw.col(name).is_null() for name in columns]
    schema = frame.collect_schema()
    conditions += [~nw.col(name).is_nan() for name in columns if schema[name].is_float()]
    if noise == "drop":
        for name, dtype in schema.items():
            # Engines differ in how they compare text with numbers: only like is compared with like.
            alike = dtype.is_numeric() if isinstance(noise_label, (int, float)) else not dtype.is_numeric()
            if name in columns and alike:
                conditions.append(nw.col(name) != noise_label)
    return frame.filter(*conditions)


def rows_where_right(frame: Any, truth: str, primary: str, alternative: str, cell: str) -> Any:
    """Rows of one cell of the classification matrix, as a frame of the same engine."""
    import narwhals as nw

    p, q = nw.col(primary) == nw.col(truth), nw.col(alternative) == nw.col(truth)
    wanted = {
        "both_right": p & q,
        "right_wrong": p & ~q,
        "wrong_right": ~p & q,
        "both_wrong": ~p & ~q,
    }[cell]
    return frame.filter(wanted).to_native()


def joined_pairs(frame: Any, truth: str, primary: str, alternative: str, cell: str) -> Any:
    """All rows with a column ``pairs``: how many of a row's pairs fall in one cell of the clustering matrix.

    The engine counts its own windows, so no labels are collected.
    """
    import narwhals as nw

    def shared(*columns: str) -> Any:
        return nw.len().over(*columns).cast(nw.Int64)

    whole = "__adjudge_whole__"
    others = shared(whole) - 1
    p = others - shared(truth) - shared(primary) + 2 * shared(truth, primary)
    q = others - shared(truth) - shared(alternative) + 2 * shared(truth, alternative)
    models = others - shared(primary) - shared(alternative) + 2 * shared(primary, alternative)
    both = (p + q + models - others) // 2
    wanted = {
        "both_right": both,
        "right_wrong": p - both,
        "wrong_right": q - both,
        "both_wrong": others - p - q + both,
    }
    return frame.with_columns(nw.lit(1).alias(whole)).with_columns(pairs=wanted[cell]).drop(whole).to_native()
