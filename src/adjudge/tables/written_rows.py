"""Rows of a large file, written in one pass by the labels that they have."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from adjudge.atomic import write_atomically
from adjudge.errors import InputError
from adjudge.files.table_file import TableFile
from adjudge.presentation.tables import FORMULA_STARTS, defused
from adjudge.tables.streaming import opened_stream

if TYPE_CHECKING:
    from adjudge.files.streamed import Stream

__all__ = ["WRITERS", "write_rows"]

# DuckDB types whose values are text in a CSV file.
_TEXTUAL = {"varchar", "enum", "blob"}
#: How DuckDB writes rows, by the ending of the file.
WRITERS = {
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
    ".pq": "FORMAT parquet, COMPRESSION zstd",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\\t'",
}


def write_rows(
    table: TableFile,
    names: Sequence[str],
    combinations: Any,
    output: Path,
    extra: tuple[str, NDArray[np.int64]] | None = None,
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
        how = WRITERS[output.suffix.lower()]
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
