"""JSON lines: one object per line, whose keys name the columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from adjudge.array_types import Floats
from adjudge.errors import InputError
from adjudge.files.compressed import opened
from adjudge.files.nested import NestedColumn
from adjudge.files.table_file import LabelColumn
from adjudge.files.text import TextColumn, matrix_of, mostly_numbers
from adjudge.given.written import Gaps

_ONE_DOCUMENT = (
    "is one JSON document: give JSON lines (one object per line, as pandas writes with orient='records', lines=True), "
    "CSV, TSV, Parquet or Arrow"
)


def is_json_lines(path: Path, name: str) -> bool:
    """Whether a file holds one object per line; raise for any other JSON."""
    if not name.endswith((".jsonl", ".ndjson", ".json")):
        return False
    with opened(path, "rb") as stream:
        first, second = islice((*islice(filter(None, map(bytes.strip, stream)), 2), b"", b""), 2)
    if name.endswith(".json"):
        if first[:1] not in (b"{", b"["):
            raise InputError(
                f"{str(path)!r} is not JSON: let its name end in .csv, or in .txt for one label per line"
            )
        if not (first.startswith(b"{") and first.endswith(b"}")):
            raise InputError(f"{str(path)!r} {_ONE_DOCUMENT}")
    if not second and _is_document(first):
        raise InputError(f"{str(path)!r} {_ONE_DOCUMENT}")
    return True


def _is_document(line: bytes) -> bool:
    """Whether a file's only line holds a whole table: an array, or an object of arrays and objects alone."""
    try:
        found = json.loads(line)
    except ValueError:  # which the reader reports
        return False
    if isinstance(found, dict) and found:
        return all(isinstance(value, (list, dict)) for value in found.values())
    return isinstance(found, list)


class RowsTable:
    """A table whose rows are mappings of names to values; absent names and None are missing values."""

    is_list = False
    path: Path
    columns: list[str]

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        """Read columns of labels."""
        values: list[list[Any]] = [[] for _ in names]
        for row in self._rows():
            for column, name in zip(values, names, strict=True):
                column.append(row.get(name))
        return [self._label_column(name, own) for name, own in zip(names, values, strict=True)]

    def _label_column(self, name: str, values: list[Any]) -> LabelColumn:
        if any(isinstance(value, (list, dict)) for value in values):
            return NestedColumn(name, values)
        return TextColumn(name, [*map(self._field, values)], self.path, keeps_blanks=True)

    def _field(self, value: Any) -> str | None:
        """Write a cell as a field; None if it has no label."""
        return _as_field(value) or None

    def is_nested(self, name: str) -> bool:
        """Whether the cells of a column hold lists or records."""
        return any(isinstance(row.get(name), (list, dict)) for row in self._rows())

    def numeric_columns(self) -> list[str]:
        """Return the names of the columns whose first filled cells are mostly numbers."""
        rows = ([_number_or_text(row.get(name)) for name in self.columns] for row in self._rows())
        return mostly_numbers(self.columns, rows)

    def points(self, names: Sequence[str], *, gaps: Gaps = False) -> Floats:
        """Read columns of numbers as a matrix with one row per point; some cells may have `gaps`, which are NaN."""
        return matrix_of(
            names,
            lambda: ([_as_field(row.get(name)) for name in names] for row in self._rows()),
            self.path,
            gaps=gaps,
        )

    def _rows(self) -> Iterator[dict[str, Any]]:
        raise NotImplementedError


class JsonLines(RowsTable):
    """A table with one object per line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        names: dict[str, None] = {}
        for row in self._rows():
            names.update(dict.fromkeys(row))
        if not names:
            raise InputError(f"{str(path)!r} has no rows")
        self.columns = list(names)

    def _field(self, value: Any) -> str | None:
        """Write a cell as a field: an empty text is a label, as in other files that have nulls."""
        return value if value == "" else super()._field(value)

    def _rows(self) -> Iterator[dict[str, Any]]:
        with opened(self.path, "rt") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line, object_pairs_hook=_named_once)
                except InputError as error:
                    raise error.worded(f"{str(self.path)!r}, line {number}: ", *error.parts) from None
                except ValueError as error:
                    # Without its position, which restarts at each line.
                    detail = str(getattr(error, "msg", error)).removesuffix(" at")
                    raise InputError(f"{str(self.path)!r}, line {number}: not JSON: {detail}") from None
                if not isinstance(row, dict):
                    raise InputError(f"{str(self.path)!r}, line {number}: an object with names is needed")
                yield row


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{names.count(twice)} values are named {twice!r}: rename all but one")
    return found


def _number_or_text(value: Any) -> str:
    """Write a value as a field, where a number in quotation marks is text."""
    is_text = isinstance(value, (bool, list, dict)) or (isinstance(value, str) and value.strip())
    return "text" if is_text else _as_field(value)


def _as_field(value: Any) -> str:
    """Write a value as it would stand in a field of a text file."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, bool) else str(value)
