"""Tables in files: CSV, TSV, Parquet, Arrow, or one label per line; every error about a file is raised here.

Only the requested columns are read. The labels of a text file get the type that fits all of them: ``7`` and ``07``
remain two labels in a column of codes, but ``1`` and ``1.0`` are one label in a column of numbers.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.files.compressed import bare_name
from adjudge.files.named_columnar import HEAD, columnar_kind
from adjudge.files.reading import reading
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.given.data_frames import is_pattern
from adjudge.unknown_names import close_names

_ZIP, _HDF5 = b"PK\x03\x04", b"\x89HDF"


def open_table(path: str | Path, decimal: str | None = None) -> TableFile:
    """Determine the format of a file and its columns.

    Parameters
    ----------
    path : str or Path
        CSV, TSV or JSON lines (also ``.gz``, ``.bz2`` and ``.zst``; the header names the columns), Parquet, Arrow or
        Feather, recognised by their first bytes; or one label per line. A text file is a list of labels if it has
        one column and no header: any file except ``.csv`` and ``.tsv`` whose first line has no separator, and a
        ``.csv`` whose only heading is a number.
        An Excel workbook (``.xlsx``) has one sheet. A folder, or a pattern such as ``day-*.parquet``, stands for its
        Parquet files.
    decimal : str, optional
        The decimal sign in text; default: that of :func:`~adjudge.files.reading.reading_as`.

    Returns
    -------
    TableFile

    Raises
    ------
    InputError
        For a file that is missing, empty, damaged, or of another kind.
    MissingExtraError
        For Parquet and Arrow, if neither Polars nor PyArrow is installed.
    """
    path = Path(path)
    try:
        if path.is_dir() or not path.exists():
            from adjudge.files.parquet_parts import open_parts

            parts = open_parts(path)
            if parts is not None:
                return parts
        if path.exists() and not path.is_file():
            raise InputError(
                f"{str(path)!r} is a pipe or a device, which can be read only once: save it to a file"
            )
        with path.open("rb") as stream:
            magic = stream.read(HEAD)
    except FileNotFoundError:
        raise InputError(f"there is no file {str(path)!r}{_similar_file(path)}") from None
    except OSError as error:
        raise InputError(f"cannot read {str(path)!r}: {error.strerror or error}") from error
    if not magic:
        raise InputError(f"{str(path)!r} is empty")
    if magic[:4] == _ZIP:
        from adjudge.files.excel import Workbook, is_workbook

        if is_workbook(path):
            return Workbook(path)
        raise InputError(f"{str(path)!r} is a spreadsheet or another zip archive: save the table as CSV")
    if magic[:4] == _HDF5:
        remedy = "save the table as Parquet or CSV"
        if path.suffix.lower() == ".h5ad":
            remedy = f"pass anndata.read_h5ad({str(path)!r}) in Python, or save its obs as Parquet or CSV"
        raise InputError(f"{str(path)!r} is an HDF5 file: {remedy}")
    kind = columnar_kind(path, magic)
    if kind is not None:
        from adjudge.files.columnar import open_columnar

        return open_columnar(path, kind)
    from adjudge.files.json_lines import JsonLines, is_json_lines
    from adjudge.files.text import open_text

    decimal = decimal or reading().decimal
    return JsonLines(path) if is_json_lines(path, bare_name(path.name.lower())) else open_text(path, decimal)


def find_column(table: TableFile, name: str) -> str:
    """Return the column of that name, or the only one that differs just by surrounding blanks.

    Raises
    ------
    InputError
        If there is none, or more than one; the message lists the columns, similar ones first.
    """
    exact = table.columns.count(name)
    if exact > 1:
        raise InputError(f"{str(table.path)!r} has {exact} columns named {name!r}: rename all but one")
    if exact:
        return name
    stripped = [c for c in table.columns if c.strip() == name.strip()]
    if len(stripped) == 1:
        return stripped[0]
    if hasattr(table, "check_types"):
        table.check_types([name])  # says which part lacks it, if others have it
    close = close_names(name, table.columns, 3)
    hint = f"did you mean {' or '.join(map(repr, close))}? " if close else ""
    if table.is_list:
        hint = "each line is a label, because the first has no comma, semicolon or tab. "
    elif len(table.columns) == 1 and ("|" in table.columns[0] or name in table.columns[0].split()):
        mark = "'|'" if "|" in table.columns[0] else "blanks"
        hint = f"separate columns by a comma, a semicolon or a tab, not by {mark}. "
    raise InputError(
        f"{str(table.path)!r} has no column {name!r}: {hint}{'It' if hint else 'it'} {_columns_there(table)}"
    )


def find_columns(table: TableFile, pattern: str, leave_out: Container[str] = ()) -> list[str]:
    """Return the columns that match a pattern such as ``'res_*'``, except those to leave out.

    Raises
    ------
    InputError
        If there is none.
    """
    matching = [name for name in table.columns if fnmatchcase(name, pattern)]
    found = [name for name in matching if name not in leave_out]
    if not found:
        but = " but those of labels or weights" if matching else ""
        raise InputError(
            f"{pattern!r} matches no column of {str(table.path)!r}{but}: it {_columns_there(table)}"
        )
    return found


def matching_columns(table: TableFile, names: Iterable[str], leave_out: Container[str] = ()) -> list[str]:
    """Return columns by name or pattern, each once; patterns do not match columns to leave out."""
    found: list[str] = []
    for name in map(str, names):
        several = is_pattern(name, table.columns)
        found += find_columns(table, name, leave_out) if several else [find_column(table, name)]
    return list(dict.fromkeys(found))


def _columns_there(table: TableFile) -> str:
    shown = ", ".join(map(repr, table.columns[:12]))
    more = f" and {len(table.columns) - 12} more" if len(table.columns) > 12 else ""
    return f"has {shown or 'no columns'}{more}"


def common_labels(columns: Iterable[LabelColumn]) -> tuple[dict[str, Any], bool]:
    """Convert label columns to one type, so that they can be compared.

    Numbers stay numbers if all columns are numeric; otherwise all become text, so that the class ``1`` of one column
    is the same as the class ``"1"`` of another.

    Parameters
    ----------
    columns : iterable of LabelColumn

    Returns
    -------
    labels : dict of str to array-like
        By column name.
    are_text : bool
    """
    columns = list(columns)
    are_text = any(column.is_text for column in columns)
    return {c.name: c.as_text() if are_text else c.labels() for c in columns}, are_text


def _similar_file(path: Path) -> str:
    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return f" (nor a folder {str(path.parent)!r})"
    close = close_names(path.name, names, 1, cutoff=0.75)
    return f": did you mean {str(path.with_name(close[0]))!r}?" if close else ""
