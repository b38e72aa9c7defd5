"""Excel workbooks (.xlsx): the only visible sheet that is not empty, whose first row names the columns."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, datetime, time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, MissingExtraError
from adjudge.files.json_lines import RowsTable
from adjudge.files.reading import Sheet, reading
from adjudge.unknown_names import close_names

_PART = "xl/workbook.xml"
# Cell values of formulas without a result.
_NO_RESULT = ("#N/A", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")


def is_workbook(path: Path) -> bool:
    """Whether a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _PART in archive.namelist()
    except (zipfile.BadZipFile, OSError):
        return False


class Workbook(RowsTable):
    """The table in a workbook; empty cells and formula errors are missing values."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (_, header), *self._numbered = self._read()
        self.columns = ["" if cell is None else str(cell) for cell in header]
        if not self._numbered:
            raise InputError(f"{str(path)!r} has a header and no rows")

    def _read(self) -> list[tuple[int, list[Any]]]:
        """Return the rows of the sheet that are not empty, with their numbers."""
        if find_spec("openpyxl") is None:
            raise MissingExtraError("openpyxl", "excel", f"reading the workbook {str(self.path)!r}")
        import openpyxl

        try:
            with self.path.open("rb") as stream:  # given a path, openpyxl requires certain extensions
                book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
                wanted = self._wanted(book.worksheets)
                filled = {sheet.title: _filled(sheet.iter_rows(values_only=True)) for sheet in wanted}
        except InputError:
            raise
        except (zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
            raise InputError(f"{str(self.path)!r} is not a readable workbook: {error}") from error
        sheets = {title: rows for title, rows in filled.items() if rows}
        if not sheets:
            raise InputError(f"{str(self.path)!r} is empty")
        if len(sheets) > 1:
            raise InputError(
                f"{str(self.path)!r} has {len(sheets)} sheets, {', '.join(map(repr, sheets))}: ",
                Sheet("sheet", next(iter(sheets))),
                " reads the first",
            )
        return next(iter(sheets.values()))

    def _wanted(self, sheets: list[Any]) -> list[Any]:
        """Return the sheet that was named; otherwise those that are shown, or all if none is."""
        name = reading().sheet
        if name is None:
            return [sheet for sheet in sheets if sheet.sheet_state == "visible"] or sheets
        found = [sheet for sheet in sheets if sheet.title == name]
        if not found:
            known = [sheet.title for sheet in sheets]
            close = close_names(name, known, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(map(repr, known))}"
            raise InputError(f"{str(self.path)!r} has no sheet {name!r}: {hint}")
        return found

    def _rows(self) -> Iterator[dict[str, Any]]:
        for number, row in self._numbered:
            if row == self.columns and len(row) > 1:
                raise InputError(
                    f"{str(self.path)!r}, row {number} repeats the header: leave such rows out where tables are put "
                    "together"
                )
            if len(row) > len(self.columns):
                raise InputError(
                    f"{str(self.path)!r}, row {number}: {len(row)} cells where the header has {len(self.columns)}"
                )
            yield dict(zip(self.columns, row, strict=False))


def _filled(rows: Iterator[tuple[Any, ...]]) -> list[tuple[int, list[Any]]]:
    """Drop empty rows, and empty cells at the end of a row."""
    found = []
    for number, cells in enumerate(rows, 1):
        row = [_value(cell) for cell in cells]
        while row and row[-1] is None:
            row.pop()
        if row:
            found.append((number, row))
    return found


def _value(cell: Any) -> Any:
    if isinstance(cell, str):
        return None if not cell.strip() or cell in _NO_RESULT else cell
    if isinstance(cell, datetime) and cell.time() == time():
        cell = cell.date()
    return cell.isoformat() if isinstance(cell, (date, time)) else cell
