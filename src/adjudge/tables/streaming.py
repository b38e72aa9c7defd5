"""Large files: DuckDB streams them, and returns only distinct labels and their counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option, UnusableColumnError
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.given.weights import WeightSums

if TYPE_CHECKING:
    from adjudge.files.streamed import Database, Stream
    from adjudge.files.text import DelimitedTable

__all__ = [
    "CountedColumns",
    "count_columns",
    "has_few_scores",
    "is_streamed",
    "listed",
    "of_parquet",
    "opened_frame",
    "opened_relations",
    "opened_stream",
    "opened_text",
]

#: More combinations of labels would take more than a GB in Python.
MOST_COMBINATIONS = 4_000_000
#: Up to this size a file is read into memory, where each row keeps its place, and errors name the line. Parquet takes
#: about an eighth of the bytes of text.
SMALL_TEXT, SMALL_PARQUET = 64 << 20, 8 << 20
#: Up to this many rows, the scores of all are read, which ranks them exactly; those of more would take about a GB.
MOST_SCORES = 5_000_000

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class CountedColumns:
    """Distinct combinations of labels.

    Attributes
    ----------
    columns : list of LabelColumn
        One label per combination.
    counts : ndarray of int64
        How many rows have each combination, without those of weight 0.
    names : list of str
        The columns of the file that were counted.
    values : list of array
        The combinations as they are in these columns.
    weights : WeightSums or None
        The weight of the rows of each combination, if there is a column of weights.
    weight : str or None
        This column.
    """

    columns: list[LabelColumn]
    counts: Counts
    names: list[str]
    values: list[Any]
    weights: WeightSums | None = None
    weight: str | None = None

    def given(self, positions: Counts) -> Any:
        """Return some of the combinations as a PyArrow table."""
        import pyarrow as pa

        columns = [pa.array(v.tolist()) if isinstance(v, np.ndarray) else v for v in self.values]
        return pa.table({f"k{i}": column for i, column in enumerate(columns)}).take(positions)


def listed(values: Any) -> list[Any]:
    """Return the entries of a column, with None for what is missing: a masked array gives it only so."""
    way = next((way for way in ("to_pylist", "tolist") if hasattr(values, way)), None)
    return list(values) if way is None else getattr(values, way)()


def is_streamed(
    table: TableFile,
    engine: str,
    *,
    hindrance: Sequence[Any] | None = None,
    even_small: bool = False,
) -> bool:
    """Whether DuckDB reads this file: on request, or if it is large and nothing needs its rows.

    Parameters
    ----------
    table : TableFile
    engine : {"auto", "memory", "duckdb"}
    hindrance : sequence, optional
        Why the request needs all rows in memory, in pieces.
    even_small : bool
        Whether small files are streamed, too, unless memory is asked for.

    Raises
    ------
    InputError
        If DuckDB was requested and cannot read the file.
    """
    from adjudge.files.columnar import is_countable

    if engine == "memory":
        return False
    if engine == "auto" and (not is_countable() or (_is_small(table) and not even_small)):
        return False
    hindrance = hindrance or _hindrance_in_file(table)
    if hindrance and engine == "duckdb":
        raise InputError(*hindrance, ": leave out ", Option("engine", "duckdb"))
    return hindrance is None


def _is_small(table: TableFile) -> bool:
    largest = SMALL_PARQUET if _is_parquet(table) else SMALL_TEXT
    return table.is_list or sum(path.stat().st_size for path in _files(table)) <= largest


def has_few_scores(table: TableFile) -> bool:
    """Whether the scores of all rows of a file are read into memory."""
    if _is_small(table) or _hindrance_in_file(table):
        return True
    with opened_stream(table) as stream:
        return int(stream.execute(f"SELECT count(*) FROM {stream.source}").fetchone()[0]) <= MOST_SCORES


@contextmanager
def opened_stream(table: TableFile) -> Iterator[Any]:
    """Open a table's file in a DuckDB connection of its own."""
    from adjudge.files.streamed import opened_database

    database = opened_database()
    with database.connection() as connection:
        yield _stream(table, connection)


def _stream(table: TableFile, connection: Any) -> Stream:
    from adjudge.files.streamed import Stream, csv_source, parquet_source
    from adjudge.files.text import DelimitedTable

    if isinstance(table, DelimitedTable):
        source = csv_source(table.path, len(table.columns), table.separator)
        return Stream(table.path, table.columns, source, connection, table.decimal)
    source = parquet_source(_files(table))
    return Stream(table.path, getattr(table, "united", table.columns), source, connection)


def opened_relations(tables: Sequence[TableFile], names: Sequence[str]) -> tuple[list[Any], Database]:
    """Return files as relations of one connection, and its database, which has to be kept as long as they are.

    In all parts of a folder, the columns that are read, `names`, have the same types.
    """
    from adjudge.files.streamed import opened_database

    database = opened_database()
    connection = database.connection()
    for table in tables:
        _check_parts(table, names)
    return [_stream(own, connection).select(own.columns, own.columns) for own in tables], database


def opened_text(table: DelimitedTable, labels: Sequence[str], numbers: Sequence[str]) -> tuple[Any, Database]:
    """Return a file of text as a relation, and its database, which has to be kept as long as rows are read.

    Its columns are c0, c1 ...: labels, as the distinct ones mean them, numbers, and text.
    """
    import pyarrow as pa

    from adjudge.files.streamed import opened_database, sql_name

    database = opened_database()
    connection = database.connection()
    stream, joined, shown = _stream(table, connection), "", list[str]()
    meant = {}
    for i, counted in enumerate(count_columns(table, [[name] for name in labels])):
        (column,), (fields,) = counted.columns, counted.values
        meant[column.name] = f"m{i}"
        known = pa.table(
            {"field": pa.array(listed(fields), pa.string()), "label": pa.array(listed(column.labels()))}
        )
        connection.register(f"meanings{i}", known)
        own = sql_name(stream.own_name(column.name))
        joined += f" LEFT JOIN meanings{i} AS m{i} ON t.{own} IS NOT DISTINCT FROM m{i}.field"
    for i, name in enumerate(table.columns):
        own = f"t.{sql_name(stream.own_names[i])}"
        if name in meant:
            own = f"{meant[name]}.label"
        elif name in numbers:
            own = table.number_in_sql(own)
        shown.append(f"{own} AS c{i}")
    return connection.sql(f"SELECT {', '.join(shown)} FROM {stream.source} AS t{joined}"), database


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
        make = partial(of_parquet, table)
    else:
        make = table.counted_column
        check_widths(table.path, table.separator, len(table.columns), n)
    found = []
    for group, (*columns, counts) in zip(groups, counted, strict=True):
        weights = None
        if weight is not None:
            columns, summed = columns[: len(group)], columns[len(group) :]
            *summed, zeros = summed
            weights, counts = _summed(summed, table.path, weight), counts - _numbers(zeros).astype(np.int64)
        labels = [make(name, column) for name, column in zip(group, columns, strict=True)]
        for column in labels:
            column.check_whole()
        found.append(CountedColumns(labels, counts, list(group), columns, weights, weight))
    return found


def of_parquet(table: TableFile, name: str, values: Any, called: str | None = None) -> LabelColumn:
    """Return counted labels of a column of a Parquet file, which may state their order."""
    from adjudge.files.columnar import stated_order, typed_column

    order = stated_order(table, name) if _are_text(values) else None
    return typed_column(called or name, values, order)


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


def _hindrance_in_file(table: TableFile) -> tuple[str] | None:
    from adjudge.files.streamed import what_hinders_streaming
    from adjudge.files.text import DelimitedTable

    if _is_parquet(table):
        return None
    if not isinstance(table, DelimitedTable) or len(table.columns) < 2:
        return (f"{str(table.path)!r} is neither Parquet nor a table of text, which DuckDB could stream",)
    reason = what_hinders_streaming(table.path)
    return None if reason is None else (f"{str(table.path)!r} cannot be streamed, because {reason}",)
