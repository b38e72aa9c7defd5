"""Rows of a large file, written in one pass by the labels that they have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.atomic import write_atomically
from adjudge.errors import InputError
from adjudge.files.table_file import TableFile
from adjudge.parallel import interruptible
from adjudge.presentation.tables import FORMULA_STARTS, defused
from adjudge.tables.streaming import CountedColumns, opened_stream

if TYPE_CHECKING:
    from adjudge.files.streamed import Stream
    from adjudge.results import HeadToHead

__all__ = ["WRITERS", "CellRows", "RowsOfModels", "not_twice", "write_cell"]

# DuckDB types whose values are text in a CSV file.
_TEXTUAL = {"varchar", "enum", "blob"}
#: How DuckDB writes rows, by the ending of the file.
WRITERS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".pq": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\\t'",
}


@dataclass(frozen=True)
class CellRows:
    """The rows of counted combinations, which DuckDB finds in the file.

    Attributes
    ----------
    table : TableFile
    counted : CountedColumns
    kept : ndarray of int64
        Positions of the combinations that were compared.
    """

    table: TableFile
    counted: CountedColumns
    kept: NDArray[np.int64]

    def frame(self, positions: NDArray[np.int64], extra: tuple[str, NDArray[np.int64]] | None = None) -> Any:
        """Return the rows of some of the compared combinations as a PyArrow table.

        Parameters
        ----------
        positions : ndarray of int64
        extra : tuple of str and ndarray, optional
            A column to add to the rows: its name, and its value for each combination.
        """
        with self._joined(positions, extra, defuse=False) as (stream, rows):
            own = stream.connection
            return interruptible(lambda: own.sql(rows).to_arrow_table(), own.interrupt)

    def write(
        self,
        positions: NDArray[np.int64],
        output: Path,
        extra: tuple[str, NDArray[np.int64]] | None = None,
    ) -> int:
        """Write the rows of some of the compared combinations in one pass, and return how many there are.

        Parameters
        ----------
        positions : ndarray of int64
        output : Path
            Parquet, CSV or TSV, by its ending; written completely or not at all. In CSV and TSV, text that a
            spreadsheet would run as a formula gets a leading apostrophe.
        extra : tuple of str and ndarray, optional
            As for `frame`.
        """
        import duckdb

        from adjudge.files.streamed import quoted, what_went_wrong

        how = WRITERS[output.suffix.lower()]
        with self._joined(positions, extra, defuse="FORMAT csv" in how) as (stream, rows):

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

    @contextmanager
    def _joined(
        self, positions: NDArray[np.int64], extra: tuple[str, NDArray[np.int64]] | None, *, defuse: bool
    ) -> Iterator[tuple[Stream, str]]:
        """Open the file, and yield the query for the rows."""
        import pyarrow as pa

        from adjudge.files.streamed import sql_name

        combinations = self.counted.given(self.kept[positions])
        if extra is not None:
            not_twice(extra[0], self.table)
            combinations = combinations.append_column("value", pa.array(extra[1]))
        with opened_stream(self.table) as stream:
            stream.connection.register("combinations", combinations)
            shown = _shown_columns(stream, defuse=defuse)
            shown += [f"c.value AS {sql_name(extra[0])}"] if extra is not None else []
            same = " AND ".join(
                f"f.{sql_name(stream.own_name(n))} = c.k{i}" for i, n in enumerate(self.counted.names)
            )
            rows = stream.source
            if (weight := self.counted.weight) is not None:  # rows of weight 0 are as if they were not there
                rows = f"(SELECT * FROM {rows} WHERE {stream.number(weight)} <> 0)"
            yield stream, f"SELECT {', '.join(shown)} FROM {rows} f JOIN combinations c ON {same}"


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


@dataclass(frozen=True)
class RowsOfModels:
    """The rows of a cell of two models, which were compared by counted combinations.

    Attributes
    ----------
    rows : CellRows
    find : callable
        Finds the combinations of a cell; of clusterings, how many pairs of each row of a combination are in it.
    of_pairs : bool
        Whether pairs of rows are right or wrong, and not rows.
    """

    rows: CellRows
    find: Callable[[str, str, str], NDArray[np.int64]]
    of_pairs: bool

    def __call__(self, primary: str, alternative: str, cell: str) -> Any:
        """Return the rows as a PyArrow table; of clusterings all rows, with a column ``pairs``."""
        return self.rows.frame(*self._found(primary, alternative, cell, "pairs"))

    def write(self, primary: str, alternative: str, cell: str, output: Path) -> int:
        """Write the rows to a file, and return how many there are."""
        positions, extra = self._found(primary, alternative, cell, f"{cell}_pairs")
        return self.rows.write(positions, output, extra)

    def _found(
        self, primary: str, alternative: str, cell: str, called: str
    ) -> tuple[NDArray[np.int64], tuple[str, NDArray[np.int64]] | None]:
        found = self.find(primary, alternative, cell)
        return (np.arange(found.size), (called, found)) if self.of_pairs else (found, None)


def not_twice(name: str, table: TableFile) -> None:
    """Raise if a file has a column of the name of one that is added to its rows."""
    if name.casefold() in {own.casefold() for own in table.columns}:
        raise InputError(f"{str(table.path)!r} has a column {name!r}: rename it")


def write_cell(pair: HeadToHead, cell: str, output: Path) -> int:
    """Write the rows of a cell of two models that were counted in a file, and return how many there are."""
    rows = pair._instances
    assert isinstance(rows, RowsOfModels)
    return rows.write(pair.primary, pair.alternative, cell, output)
