"""Large files on the command line: DuckDB streams them, and returns only distinct labels and their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.atomic import write_atomically
from adjudge.cli.options import Engine
from adjudge.errors import InputError, UnusableColumnError
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.given.weights import WeightSums
from adjudge.presentation.tables import FORMULA_STARTS, defused

if TYPE_CHECKING:
    from adjudge.files.streamed import Stream

__all__ = [
    "CountedColumns",
    "check_rows_output",
    "count_columns",
    "is_streamed",
    "opened_frame",
    "write_rows",
]

#: More combinations of labels would take more than a GB in Python.
MOST_COMBINATIONS = 4_000_000
# Delimited files up to this size go to the strict reader, which names the line of an error.
_SMALL_TEXT = 64 << 20
# DuckDB types whose values are text in a CSV file.
_TEXTUAL = {"varchar", "enum", "blob"}
_WRITERS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".pq": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\\t'",
}

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class CountedColumns:
    """Distinct combinations of labels.

    Attributes
    ----------
    columns : list of LabelColumn
        One label per combination.
    counts : ndarray of int64
        How many rows have each combination.
    names : list of str
        The columns of the file that were counted.
    values : list of array
        The combinations as they are in these columns.
    weights : WeightSums or None
        The weight of the rows of each combination, if there is a column of weights.
    """

    columns: list[LabelColumn]
    counts: Counts
    names: list[str]
    values: list[Any]
    weights: WeightSums | None = None

    def given(self, positions: Counts) -> Any:
        """Return some of the combinations as a PyArrow table."""
        import pyarrow as pa

        columns = [pa.array(v.tolist()) if isinstance(v, np.ndarray) else v for v in self.values]
        return pa.table({f"k{i}": column for i, column in enumerate(columns)}).take(positions)


def is_streamed(table: TableFile, engine: Engine, *, hindrance: str | None = None, remedy: str) -> bool:
    """Whether DuckDB reads this file: on request, or if that is possible and worthwhile.

    Parameters
    ----------
    table : TableFile
    engine : Engine
    hindrance : str, optional
        Why the request needs all rows in memory.
    remedy : str
        The remedy that an error suggests.

    Raises
    ------
    InputError
        If DuckDB was requested and cannot read the file.
    """
    from adjudge.files.columnar import is_countable

    if engine is Engine.memory:
        return False
    if engine is Engine.auto:
        if not is_countable():
            return False
        if not _is_parquet(table) and (table.is_list or table.path.stat().st_size <= _SMALL_TEXT):
            return False
    hindrance = hindrance or _hindrance_in_file(table)
    if hindrance and engine is Engine.duckdb:
        raise InputError(f"{hindrance}: {remedy}")
    return hindrance is None


@contextmanager
def opened_stream(table: TableFile) -> Iterator[Any]:
    """Open a table's file in a separate DuckDB connection."""
    from adjudge.files.streamed import Stream, connect, csv_source, parquet_source
    from adjudge.files.text import DelimitedTable

    if isinstance(table, DelimitedTable):
        source = csv_source(table.path, len(table.columns), table.separator)
    else:
        source = parquet_source(_files(table))
    with connect() as connection:
        yield Stream(table.path, getattr(table, "united", table.columns), source, connection)


@contextmanager
def opened_frame(table: TableFile, names: Sequence[str]) -> Iterator[Any]:
    """Open some columns of a table's file as a relation, for engines that take any frame."""
    from adjudge.files.streamed import guarded

    _check_parts(table, names)
    with opened_stream(table) as stream, guarded(table.path):
        try:
            yield stream.select(names, names)
        except UnusableColumnError as error:
            where = _where_unusable(table, stream, error.column)
            raise (InputError(*error.parts) if where is None else where) from error


def _where_unusable(table: TableFile, stream: Stream, name: str) -> InputError | None:
    """Make the error that names the file and row of the first missing or infinite coordinate."""
    from adjudge.files.columnar import not_finite
    from adjudge.files.streamed import parquet_source, sql_name

    own = sql_name(stream.own_name(name))
    for path in _files(table):
        values = (
            f"SELECT CAST({own} AS DOUBLE) AS x, row_number() OVER () AS row FROM {parquet_source([path])}"
        )
        found = stream.execute(
            f"SELECT x, row FROM ({values}) WHERE x IS NULL OR NOT isfinite(x) ORDER BY row LIMIT 1"
        ).fetchone()
        if found is not None:
            return not_finite(path, name, *found)
    return None


def count_columns(
    table: TableFile, groups: Sequence[Sequence[str]], *, look_ahead: bool = False, weight: str | None = None
) -> list[CountedColumns]:
    """Count the combinations of labels in each group of columns, in one pass per group.

    Parameters
    ----------
    table : TableFile
    groups : sequence of sequences of str
    look_ahead : bool
        Give up at once if the first rows have too many combinations for counting to help.
    weight : str, optional
        Column with the weight of each row.
    """
    from adjudge.files.streamed import check_widths, guarded
    from adjudge.files.text import DelimitedTable

    of_weights = [] if weight is None else [weight]
    _check_parts(table, list(dict.fromkeys([*(name for group in groups for name in group), *of_weights])))
    with opened_stream(table) as stream, guarded(table.path):
        if look_ahead:
            for group in groups:
                stream.check_variety(group, MOST_COMBINATIONS)
        counted = [stream.count(group, MOST_COMBINATIONS, weight) for group in groups]
    n = int(counted[0][-1].sum())
    if n == 0:
        raise InputError(f"{str(table.path)!r} has no rows")
    make: Callable[[str, Any], LabelColumn]
    if not isinstance(table, DelimitedTable):
        make = partial(_of_parquet, table)
    else:
        make = table.counted_column
        check_widths(table.path, table.separator, len(table.columns), n)
    found = []
    for group, (*columns, counts) in zip(groups, counted, strict=True):
        weights = None
        if weight is not None:
            columns, summed = columns[: len(group)], columns[len(group) :]
            weights = _summed(summed, table.path, weight)
        labels = [make(name, column) for name, column in zip(group, columns, strict=True)]
        for column in labels:
            column.check_whole()
        found.append(CountedColumns(labels, counts, list(group), columns, weights))
    return found


def _of_parquet(table: TableFile, name: str, values: Any) -> LabelColumn:
    """Return counted labels of a Parquet file, which may state their order."""
    from adjudge.files.columnar import stated_order, typed_column

    return typed_column(name, values, stated_order(table, name) if _are_text(values) else None)


def _are_text(values: Any) -> bool:
    """Whether counted labels are text, whose type may state an order: finding that out takes reading the schema."""
    return values.dtype.kind == "O" if isinstance(values, np.ndarray) else "string" in str(values.type)


def _summed(found: Sequence[Any], path: Path, weight: str) -> WeightSums:
    """Check the sums of weights that DuckDB returned."""
    name = f"{str(path)!r}, column {weight!r}"
    sums, squares, least, most, fraction, absent = map(_numbers, found)
    if absent.any() or not np.isfinite(sums).all():
        raise InputError(
            f"{name} has weights that are missing or not finite: fill them in, or leave out such rows"
        )
    fractions = fraction[np.isfinite(fraction)]
    return WeightSums.checked(
        sums,
        squares,
        extremes=(float(least.min()), float(most.max())),
        fraction=float(fractions[0]) if fractions.size else None,
        name=name,
    )


def _numbers(column: Any) -> NDArray[np.float64]:
    """Convert a DuckDB column to NumPy; nulls become NaN."""
    if hasattr(column, "chunks"):
        return np.concatenate([np.array(part.to_pylist(), np.float64) for part in column.chunks])
    return np.ma.filled(np.ma.asarray(column).astype(np.float64), np.nan)


def check_rows_output(output: Path | None) -> Path:
    """Raise unless rows can be written to this path."""
    endings = ", ".join(_WRITERS)
    if output is None:
        raise InputError(f"--rows needs a file to write to: name it with --output ({endings})")
    if output.suffix.lower() not in _WRITERS:
        raise InputError(f"--output {str(output)!r} must end in one of {endings}, in which rows are written")
    return output


def write_rows(
    table: TableFile,
    names: Sequence[str],
    combinations: Any,
    output: Path,
    extra: tuple[str, Counts] | None = None,
) -> int:
    """Write the rows of a file whose labels are among the given combinations, in one pass.

    Parameters
    ----------
    table : TableFile
    names : sequence of str
        Columns that make up a combination.
    combinations : pyarrow.Table
        The combinations as they are in these columns.
    output : Path
        Parquet, CSV or TSV, by its ending; written completely or not at all. In CSV and TSV, text that a spreadsheet
        would run as a formula gets a leading apostrophe.
    extra : tuple of str and ndarray, optional
        A column to add to the rows: its name, and its value for each combination.

    Returns
    -------
    int
        How many rows were written.
    """
    import duckdb
    import pyarrow as pa

    from adjudge.files.streamed import quoted, sql_name, what_went_wrong

    if extra is not None:
        if extra[0].casefold() in {name.casefold() for name in table.columns}:
            raise InputError(f"{str(table.path)!r} has a column {extra[0]!r}: rename it")
        combinations = combinations.append_column("value", pa.array(extra[1]))
    with opened_stream(table) as stream:
        stream.connection.register("combinations", combinations)
        how = _WRITERS[output.suffix.lower()]
        shown = _shown_columns(stream, defuse="FORMAT csv" in how)
        shown += [f"c.value AS {sql_name(extra[0])}"] if extra is not None else []
        same = " AND ".join(f"f.{sql_name(stream.own_name(n))} = c.k{i}" for i, n in enumerate(names))
        rows = f"SELECT {', '.join(shown)} FROM {stream.source} f JOIN combinations c ON {same}"

        def copy(into: Any) -> int:
            name = quoted(str(into.name))
            counted = stream.execute(f"COPY ({rows}) TO {name} ({how}, USE_TMP_FILE false)")
            (written,) = counted.fetchone()
            return int(written)

        written: list[int] = []
        try:
            write_atomically(output, lambda into: written.append(copy(into)))
        except duckdb.Error as error:
            raise InputError(f"cannot write {str(output)!r}: {what_went_wrong(error)}") from error
    return written[0]


def _shown_columns(stream: Stream, *, defuse: bool) -> list[str]:
    """Return the SQL for all columns of a file by name; `defuse` marks text that looks like a formula."""
    from adjudge.files.streamed import quoted, sql_name

    starts = ", ".join(map(quoted, FORMULA_STARTS))
    shown = []
    for name, own, dtype in zip(stream.columns, stream.own_names, stream.types, strict=True):
        value = f"f.{sql_name(own)}"
        if defuse and dtype in _TEXTUAL:
            text = f"CAST({value} AS VARCHAR)"
            runs = f"{text}[1] IN ({starts}) AND TRY_CAST({text} AS DOUBLE) IS NULL"
            value = f"CASE WHEN {runs} THEN chr(39) || {text} ELSE {text} END"
        shown.append(f"{value} AS {sql_name(defused(name) if defuse else name)}")
    return shown


def _check_parts(table: TableFile, names: Sequence[str]) -> None:
    from adjudge.files.parquet_parts import ParquetParts

    if isinstance(table, ParquetParts):
        table.check_types(names)


def _files(table: TableFile) -> list[Path]:
    from adjudge.files.parquet_parts import ParquetParts

    return table.parts if isinstance(table, ParquetParts) else [table.path]


def _is_parquet(table: TableFile) -> bool:
    from adjudge.files.columnar import is_parquet

    return is_parquet(table)


def _hindrance_in_file(table: TableFile) -> str | None:
    from adjudge.files.streamed import what_hinders_streaming
    from adjudge.files.text import DelimitedTable

    if _is_parquet(table):
        return None
    if not isinstance(table, DelimitedTable) or len(table.columns) < 2:
        return f"{str(table.path)!r} is neither Parquet nor a table of text, which DuckDB could stream"
    reason = what_hinders_streaming(table.path)
    return None if reason is None else f"{str(table.path)!r} cannot be streamed, because {reason}"
