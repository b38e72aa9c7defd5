"""Files that DuckDB streams with bounded memory: Parquet files, also in folders or by pattern, and plain CSV.

Streaming returns distinct labels, which are typed by the same rules as those of a file that is read whole.
"""

from __future__ import annotations

import codecs
import mmap
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary, finalize

import numpy as np

from adjudge.errors import InputError, MissingExtraError, Option, TooManyCombinationsError
from adjudge.files.compressed import is_compressed
from adjudge.files.reading import reading
from adjudge.files.text import declared_separator, number_text
from adjudge.parallel import interruptible, n_cores

#: Memory limit of DuckDB; larger tables of groups spill to a temporary folder.
MEMORY_LIMIT = "1GB"
# Each DuckDB thread has its own buffers, which must fit within the limit.
_MOST_THREADS = 8
_CHUNK = 1 << 24
# Up to this many texts arrive as Python objects; more arrive through Arrow, which takes longer to import.
_MOST_OBJECTS = 100_000
# If more than this share of the first rows are distinct combinations, millions of rows have too many.
_FIRST_ROWS = 200_000
_MUCH_VARIETY = 0.4
_INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")} | {
    "INTEGER",
    "UINTEGER",
}
_KNOWN_TO_NUMPY = _INTEGERS | {"BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR"}
#: Summaries of the weights of the rows that share a combination, and how they are computed.
OF_WEIGHTS = {
    "weight": "fsum(w)",
    "squares": "fsum(w * w)",
    "least": "min(w)",
    "most": "max(w)",
    "fraction": "max(CASE WHEN w <> floor(w) THEN w END)",
    "absent": "count(*) - count(w)",
    "zeros": "count(*) FILTER (w = 0)",
}
_LINE = rb"\n%s(\r?\n|\r?\Z)"
_LONE_RETURN = re.compile(rb"\r[^\n]")


def sql_name(name: str) -> str:
    """Quote a name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def quoted(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


class Database:
    """An empty DuckDB database with bounded memory, which spills to a folder that is deleted with it.

    Opening one takes longer than reading a small file.
    """

    def __init__(self) -> None:
        if find_spec("duckdb") is None:
            raise MissingExtraError("duckdb", "duckdb", "streaming a file")
        import duckdb

        folder = tempfile.mkdtemp(prefix="adjudge-")
        finalize(self, shutil.rmtree, folder, ignore_errors=True)
        settings: dict[str, Any] = {
            "memory_limit": MEMORY_LIMIT,
            "threads": min(n_cores(), _MOST_THREADS),
            "temp_directory": folder,
        }
        self._connection = duckdb.connect(":memory:", config=settings)
        # Otherwise DuckDB draws on standard output, which may be a file.
        self._connection.execute("SET enable_progress_bar = false")

    def connection(self) -> Any:
        """Return a connection, whose temporary tables are its own; it works as long as the database is kept."""
        return self._connection.cursor()


# The database that is open, by process: threads of a parent are not those of its children.
_OPEN: WeakValueDictionary[int, Database] = WeakValueDictionary()


def opened_database() -> Database:
    """Return the database that some file is read with, or open one; it closes when nothing keeps it."""
    process = os.getpid()
    found = _OPEN.get(process)
    if found is None:
        _OPEN[process] = found = Database()
    return found


@contextmanager
def guarded(path: Path) -> Iterator[None]:
    """Report in one line what is wrong with the file that DuckDB reads."""
    import duckdb

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise InputError(
            f"{str(path)!r} has too many combinations of labels for {MEMORY_LIMIT} of memory: "
            "name fewer columns at a time, or use ",
            Option("engine", "memory"),
        ) from error
    except duckdb.Error as error:
        raise InputError(f"cannot read {str(path)!r}: {what_went_wrong(error)}") from error


def what_went_wrong(error: Exception) -> str:
    """Extract from DuckDB's message what helps a reader who did not write the query."""
    first, *others = str(error).strip().splitlines() or [repr(error)]
    return "; ".join([first, *(line for line in others if line.startswith("Expected "))])


class Stream:
    """A file as a DuckDB relation, whose columns are found by position.

    DuckDB does not distinguish the names ``a`` and ``A``, and a CSV file may have two columns with the same name.
    """

    def __init__(
        self, path: Path, columns: Sequence[str], source: str, connection: Any, decimal: str = "."
    ) -> None:
        self.path = path
        self.decimal = decimal
        self.columns = list(columns)
        self.connection = connection
        self.source = source
        with guarded(path):
            self._relation = connection.sql(f"SELECT * FROM {source}")
        if len(self._relation.columns) != len(self.columns):
            raise InputError(
                f"cannot read {str(path)!r}: DuckDB finds other columns: use ", Option("engine", "memory")
            )

    def select(self, names: Sequence[str], called: Sequence[str]) -> Any:
        """Return a relation of some columns, under other names."""
        return self._relation.project(
            ", ".join(
                f"{sql_name(self.own_name(name))} AS {sql_name(new)}"
                for name, new in zip(names, called, strict=True)
            )
        )

    @property
    def own_names(self) -> list[str]:
        """DuckDB's names of the columns."""
        return list(self._relation.columns)

    @property
    def types(self) -> list[str]:
        """DuckDB's types of the columns, without their parameters."""
        return [dtype.id for dtype in self._relation.types]

    def count(self, columns: Sequence[str], most: int, weight: str | None = None) -> list[Any]:
        """Count the combinations of values of some columns, nulls among them, in one GROUP BY.

        Parameters
        ----------
        columns : sequence of str
        most : int
            Most combinations that are brought into memory.
        weight : str, optional
            Column with the weight of each row.

        Returns
        -------
        list
            The columns, those of `OF_WEIGHTS` if there are weights, and finally the counts: NumPy arrays, masked if
            there are nulls, or chunked Arrow arrays if there are many texts or types that NumPy lacks.
        """
        keys = ", ".join(f"k{i}" for i in range(len(columns)))
        selected, sums = self._selected(columns), ""
        if weight is not None:
            selected = self._selected(columns, f"{self.number(weight)} AS w")
            sums = "".join(f"{how} AS {name}, " for name, how in OF_WEIGHTS.items())
        self.execute(
            f"CREATE OR REPLACE TEMP TABLE cells AS SELECT {keys}, {sums}count(*) AS n FROM ({selected}) "
            f"GROUP BY ALL LIMIT {most + 1}"
        )
        cells = self.connection.table("cells")
        n = len(cells)
        if n > most:
            raise _too_many(columns, most)
        types = {str(dtype) for dtype in cells.types}
        if types <= _KNOWN_TO_NUMPY and (n <= _MOST_OBJECTS or "VARCHAR" not in types):
            return list(cells.fetchnumpy().values())
        *values, counts = cells.to_arrow_table().itercolumns()
        # PyArrow's own to_numpy() imports pandas, which takes longer than reading a small file.
        return [*values, np.concatenate([np.from_dlpack(part) for part in counts.chunks])]

    def check_variety(self, columns: Sequence[str], most: int) -> None:
        """Raise if the first rows suggest more combinations than fit into memory."""
        first = f"{self._selected(columns)} LIMIT {_FIRST_ROWS}"
        counted = self.execute(f"SELECT count(*) FROM (SELECT DISTINCT * FROM ({first}))")
        (found,) = counted.fetchone()
        if found > _MUCH_VARIETY * _FIRST_ROWS:
            raise _too_many(columns, most)

    def execute(self, query: str) -> Any:
        """Run a query, which Ctrl-C stops."""
        return interruptible(lambda: self.connection.execute(query), self.connection.interrupt)

    def number(self, column: str) -> str:
        """Return the SQL for a column of numbers; text that is not a number becomes null."""
        own = sql_name(self.own_name(column))
        is_text = self.types[self.columns.index(column)] == "varchar"
        # DuckDB would make its CSV reader cast a bare column, and fail at the first text.
        return (
            f"TRY_CAST({number_text(own, self.decimal)} AS DOUBLE)" if is_text else f"CAST({own} AS DOUBLE)"
        )

    def _selected(self, columns: Sequence[str], *more: str) -> str:
        shown = [f"{sql_name(self.own_name(name))} AS k{i}" for i, name in enumerate(columns)]
        return f"SELECT {', '.join([*shown, *more])} FROM {self.source}"

    def own_name(self, name: str) -> str:
        """Return DuckDB's name of a column."""
        return self.own_names[self.columns.index(name)]


def _too_many(columns: Sequence[str], most: int) -> TooManyCombinationsError:
    return TooManyCombinationsError(
        f"the columns {', '.join(map(repr, columns))} have more than {most:,} combinations of labels: "
        "compare fewer models at a time"
    )


def _file_name(path: Path) -> str:
    """Quote the name of one file: DuckDB would read stars or brackets as a pattern."""
    return quoted(escape(str(path)))


def parquet_columns(path: Path, database: Database) -> tuple[list[str], set[str]] | None:
    """Return the column names of a Parquet file, and those whose cells are nested; None if DuckDB cannot read them."""
    import duckdb

    names: list[str] = []
    nested: set[str] = set()
    below = 0  # schema entries still to come that are parts of the last column
    try:
        with database.connection() as connection:
            schema = connection.execute(f"SELECT name, num_children FROM parquet_schema({_file_name(path)})")
            for name, children in schema.fetchall()[1:]:  # the first stands for the whole row
                if not below:
                    names.append(name)
                    nested |= {name} if children else set()
                below += (children or 0) - bool(below)
    except duckdb.Error:
        return None
    return names, nested


def parquet_values(path: Path, names: Sequence[str], database: Database) -> list[Any] | None:
    """Read columns of a Parquet file into NumPy arrays, masked where there are nulls; None if they need other readers.

    Those take longer to import. They read types that NumPy lacks, and long columns of text.
    """
    import duckdb

    shown = ", ".join(map(sql_name, names))
    try:
        with database.connection() as connection:
            rows = connection.sql(f"SELECT {shown} FROM {parquet_source([path])}")
            types = {str(dtype) for dtype in rows.types}
            if not types <= _KNOWN_TO_NUMPY or ("VARCHAR" in types and len(rows) > _MOST_OBJECTS):
                return None
            return list(rows.fetchnumpy().values())
    except duckdb.Error:
        return None  # the other readers say what is wrong


def parquet_source(paths: Sequence[Path]) -> str:
    """Return the SQL for one or several Parquet files."""
    files = ", ".join(map(_file_name, paths))
    options = ", union_by_name=true" if len(paths) > 1 else ""
    return f"read_parquet([{files}], hive_partitioning=false{options})"


def csv_source(path: Path, n_columns: int, separator: str) -> str:
    """Return the SQL for a CSV without quotes, read as text; a row with too few or too many fields is an error."""
    columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(n_columns))
    return (
        f"read_csv({_file_name(path)}, auto_detect=false, header=true, delim={quoted(separator)}, quote='', "
        f"escape='', strict_mode=true, null_padding=false, columns={{{columns}}})"
    )


def what_hinders_streaming(path: Path) -> str | None:
    """Say why DuckDB might read a CSV differently from the strict reader; None if both see the same fields."""
    if is_compressed(path):
        return "it is compressed"
    if reading().encoding is not None:
        return "it is not in UTF-8"
    if declared_separator(path) is not None:
        return "its first line declares the separator"
    with path.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(b'"') >= 0:
            return "it has quoted fields (without quotes, or as Parquet, it could)"
        if content[:1] in (b"\n", b"\r"):
            return "it begins with a blank line"
        if content.find(b"\r") >= 0 and _LONE_RETURN.search(content):
            return "its lines end in a carriage return"
        header = content[: content.find(b"\n") + 1].removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n")
        if header and re.search(_LINE % re.escape(header), content):
            return "a line repeats the header"
    return None


def check_widths(path: Path, separator: str, n_columns: int, n_rows: int) -> None:
    """Raise if lines of a CSV without quotes have an extra empty field, which DuckDB accepts."""
    wanted = (n_columns - 1) * (n_rows + 1)
    found = 0
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found += int(np.count_nonzero(np.frombuffer(chunk, np.uint8) == ord(separator)))
    if found != wanted:
        raise InputError(f"{str(path)!r} has lines with more fields than the header has: {n_columns}")
