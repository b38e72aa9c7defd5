"""JSON lines: one object per line, whose keys name the columns."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError
from adjudge.files.compressed import opened
from adjudge.files.table_file import LabelColumn
from adjudge.files.text import TextColumn, coordinate

__all__ = ["JsonLines", "is_json_lines"]

# Rows that tell whether a column holds numbers.
_SAMPLE = 200


def is_json_lines(path: Path, name: str) -> bool:
    """Whether a file holds one object per line; raise for any other JSON."""
    if name.endswith((".jsonl", ".ndjson")):
        return True
    if not name.endswith(".json"):
        return False
    with opened(path, "rb") as stream:
        first = next(filter(None, map(bytes.strip, stream)), b"")
    if first.startswith(b"{") and first.endswith(b"}"):
        return True
    if first[:1] not in (b"{", b"["):
        raise InputError(
            f"{str(path)!r} is not JSON: let its name end in .csv, or in .txt for one label per line"
        )
    raise InputError(
        f"{str(path)!r} is one JSON document: give JSON lines (one object per line), CSV, TSV, Parquet or Arrow"
    )


class JsonLines:
    """A table with an object per line; a key that is left out, and null, is a missing value."""

    is_list = False

    def __init__(self, path: Path) -> None:
        self.path = path
        names: dict[str, None] = {}
        for row in self._rows():
            names.update(dict.fromkeys(row))
        if not names:
            raise InputError(f"{str(path)!r} has no rows")
        self.columns = list(names)

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        """Read columns of labels."""
        values: list[list[str]] = [[] for _ in names]
        for row in self._rows():
            for column, name in zip(values, names, strict=True):
                column.append(_as_field(row.get(name)))
        return [TextColumn(name, own, self.path) for name, own in zip(names, values, strict=True)]

    def numeric_columns(self) -> list[str]:
        """Names of the columns that hold numbers in the first rows."""
        sample = list(islice(self._rows(), _SAMPLE))
        return [
            name
            for name in self.columns
            if all(isinstance(row.get(name), (int, float)) and row[name] is not True for row in sample)
        ]

    def points(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Read numeric columns as a matrix with one row per point."""
        return np.array(
            [
                [coordinate(_as_field(row.get(name)), i, name, self.path) for name in names]
                for i, row in enumerate(self._rows())
            ]
        )

    def _rows(self) -> Iterator[dict[str, Any]]:
        with opened(self.path, "rt") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    row = json.loads(line)
                except ValueError as error:
                    detail = getattr(error, "msg", error)  # without the place, which counts lines anew
                    raise InputError(f"{str(self.path)!r}, line {number}: not JSON: {detail}") from None
                if not isinstance(row, dict):
                    raise InputError(f"{str(self.path)!r}, line {number}: an object with names is needed")
                yield row


def _as_field(value: Any) -> str:
    """Write a value as a field of a text file has it."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return value if isinstance(value, str) else json.dumps(value) if isinstance(value, bool) else str(value)
