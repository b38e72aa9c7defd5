"""What the verbs on tables share: columns that stand beside labels, and what counting engines refuse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import AdjudgeError, Argument, InputError, Option, Position, in_words
from adjudge.given.data_frames import are_flags, numbers_in
from adjudge.given.labels import Column
from adjudge.given.written import decimal_remedy, is_number
from adjudge.presentation.tables import backend_of
from adjudge.results.drawn_units import repeating_identifier
from adjudge.results.notice import Notice
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.names import called, named_column
from adjudge.tables.source import ReadableTable

__all__ = [
    "amounts_of",
    "backend_of_table",
    "called_columns",
    "check_columns",
    "check_weights_suffice",
    "column_beside",
    "counts_of_rows",
    "needs_instances",
    "number_columns",
    "numbers_of",
    "numbers_or_texts",
    "rows_that_belong_together",
]

# Number of rows of a lazy table that are checked for repeating identifiers.
_LOOKED_AT = 100_000
# Data-frame library in which a lazy table's rows come back, by the package of the table.
_COLLECTED = {
    "dask": "pandas",
    "dask_expr": "pandas",
    "pyspark": "pandas",
    "sqlframe": "pandas",
    "duckdb": "pyarrow",
    "_duckdb": "pyarrow",
    "ibis": "pyarrow",
    "ray": "pyarrow",
}


def check_weights_suffice(meaning: Any, confidence: float | None, units: Any) -> None:
    """Raise if intervals need the weight of each row, of which an engine returns sums; those of units suffice."""
    of_rows = isinstance(meaning, str) and meaning == "importance"
    if of_rows and confidence is not None and units is None:
        raise InputError(
            Option("confidence"),
            " with ",
            Option("weights", meaning),
            " needs the weight of each row, but the engine returns only sums: collect the table first",
        )


def needs_instances(kind: str) -> InputError:
    """Return the error that an engine that only counts cannot judge labels of this kind."""
    return InputError(Option("kind", kind), " needs the instances: collect the table first")


def check_columns(table: Engine | ReadableTable, apart: Sequence[Any], used: Iterable[Any]) -> None:
    """Raise if a column does not exist, or if one that must be distinct is named twice."""
    twice = next((name for i, name in enumerate(apart) if name in apart[:i]), None)
    if twice is not None:
        raise InputError(f"column {twice!r} is named twice")
    for name in used:
        table.own(name)


def numbers_of(table: ReadableTable, name: str | None) -> Any:
    """Read a column of weights or counts."""
    return None if name is None else table.numbers(name).to_numpy()


def amounts_of(table: ReadableTable, name: str | None) -> Column | None:
    """Read a column of amounts, some of which may be missing."""
    return None if name is None else number_columns(table, [name])[name]


def number_columns(table: ReadableTable, names: Iterable[Any]) -> dict[Any, Column]:
    """Read columns of numbers, some of which may be missing."""
    found = {}
    for name in names:
        values = table.numbers(name, gaps="words").to_numpy()
        if isinstance(table, FileTable):
            _check_words(table, name, values)
        found[name] = Column(f"column {name!r}", values, str(name))
    return found


def numbers_or_texts(table: FileTable | Frame, names: Sequence[Any]) -> dict[Any, Any]:
    """Read columns as numbers, nan if missing, or as lists of texts, empty if missing."""
    if isinstance(table, FileTable):
        return table.shown(names)
    found: dict[Any, Any] = {}
    for name in names:
        series = table.series(name)
        found[name] = None if are_flags(series) else numbers_in(series)
        if found[name] is None:
            cells = zip(series.to_list(), series.is_null().to_list(), strict=True)
            found[name] = ["" if is_null else str(own) for own, is_null in cells]
    return found


def _check_words(table: FileTable, name: str, values: NDArray[np.float64]) -> None:
    """Raise if a cell of a file that gives no number is not empty."""
    gaps = np.flatnonzero(np.isnan(values))
    if not gaps.size:
        return
    cells = table.shown([name])[name]
    texts = ((i, cells[i]) for i in gaps.tolist() if isinstance(cells[i], str) and cells[i].strip())
    for i, text in texts:
        if not is_number(text):
            remedy: tuple[Any, ...] = decimal_remedy(text)
            if not remedy and gaps.size == values.size:
                remedy = ("no cell has one: write words as numbers, such as 1 and 0",)
            remedy = remedy or ("empty the cell and pass ", Option("missing", "drop"))
            where = Position(i), ", which is not a number: "
            raise InputError(f"column {name!r} has {in_words(text)} ", *where, *remedy)


def column_beside(table: ReadableTable, name: Any) -> Column:
    """Read a column of groups or units."""
    return named_column(name, next(iter(table.labels([table.own(name)])[0].values())))


def counts_of_rows() -> InputError:
    """Return the error that lazy tables take counts as weights."""
    return InputError(
        Option("counts"), " are not read from a lazy table: name the column as ", Option("sample_weight")
    )


def rows_that_belong_together(
    table: Engine | ReadableTable, units: Any, confidence: float | None, used: Iterable[Any]
) -> tuple[Notice, ...]:
    """Warn that a column looks like units, if intervals are requested without units.

    For a lazy table or a large file, only the first rows are checked.

    Parameters
    ----------
    table : Engine or ReadableTable
    units : str or None
    confidence : float or None
    used : iterable of str
        Columns with another role.
    """
    if units is not None or confidence is None or table.own_list is not None:
        return ()
    twice = {name for name in table.names if table.names.count(name) > 1}
    return repeating_identifier(table.names, {*used, *twice}, lambda name: table.some(name, _LOOKED_AT))


@contextmanager
def called_columns(columns: Mapping[str, Any]) -> Iterator[None]:
    """Replace argument names in errors by what the columns are called: ``{"labels_pred": "cluster"}``."""
    try:
        yield
    except AdjudgeError as error:
        names = {name: called(own) for name, own in columns.items() if own is not None}
        error.worded(
            *(names.get(part.name, part) if isinstance(part, Argument) else part for part in error.parts)
        )
        raise


def backend_of_table(table: Any) -> str | None:
    """Return the data-frame library to use for results about a table."""
    return backend_of(table) or _COLLECTED.get(type(table).__module__.partition(".")[0])
