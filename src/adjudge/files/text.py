"""CSV, TSV and lists of labels.

The standard library's reader is strict and says which line of a file is wrong. Polars, if installed, reads the same
file many times faster. Its result is used only if every field is filled in, because it does not distinguish an empty
field from a missing one. In all other cases the strict reader decides.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import FractionError, GapError, InputError
from adjudge.files.compressed import bare_name, is_compressed, opened
from adjudge.files.reading import Encoding, reading
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.given.written import (
    MISSING_NUMBERS,
    NOT_AVAILABLE,
    Gaps,
    decimal_remedy,
    is_gap,
    is_number,
    parsed,
    with_point,
)
from adjudge.presentation.numbers import count

_HEAD = 1 << 16
# A smaller file is read in less time than it takes to import Polars.
_WORTH_POLARS = 1 << 19
_COMPRESSED_BY = 8
# Number of rows that decide whether a column holds numbers.
_SAMPLE = 200
_BYTE_ORDER_MARKS = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
# A first line that Excel reads but does not show: it declares the separator.
# A field in quotation marks.
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_DECLARATION = re.compile(r"""["']?sep=(\\t|[^\w\s"']|\t)\1*["']?\1*\s*""", re.IGNORECASE)
_LONGEST_DECLARATION = 32
_FLAGS = {"true": "1", "false": "0"}
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})")


def open_text(path: Path, decimal: str = ".") -> TableFile:
    """Open a delimited table or a list of labels whose numbers use the given decimal mark."""
    with opened(path, "rb") as stream:
        head = cast(bytes, stream.read(_HEAD))
    is_utf_8 = reading().encoding is None
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if head.startswith(mark) and is_utf_8:
            raise InputError(
                f"{str(path)!r} is {encoding} text: save it as UTF-8, or ",
                Encoding("encoding", encoding.lower()),
                " reads it",
            )
    if head[8:12] == b"DUCK" or head.startswith(b"SQLite format 3\0"):
        raise InputError(
            f"{str(path)!r} is a database, whose tables have no files: write one to a file first, in DuckDB with "
            "COPY (FROM name) TO 'name.parquet'"
        )
    if b"\0" in head and is_utf_8:
        raise InputError(
            f"{str(path)!r} is not a text file (it has NUL bytes): give CSV, TSV, Parquet, Arrow or one label per line"
        )
    if not head.strip():
        raise InputError(f"{str(path)!r} is empty: it has only blank lines")
    name = bare_name(path.name.lower())
    declared = declared_separator(path)
    separator = declared or _separator(path, name, decimal)
    header = _header(path, separator, skip=declared is not None)
    is_table = name.endswith((".csv", ".tsv", ".tab")) or declared is not None
    if len(header) == 1 and (not is_table or is_number(header[0].strip())):
        return _LabelList(path)
    worth_it = _WORTH_POLARS // (_COMPRESSED_BY if is_compressed(path) else 1)
    fast = (
        path.stat().st_size >= worth_it
        and _is_plain(head)
        and declared is None
        and decimal == "."
        and is_utf_8
    )
    return DelimitedTable(path, header, separator, fast, decimal, declared is not None)


def declared_separator(path: Path) -> str | None:
    """Return the separator that the first line declares for Excel, as in ``sep=;``; None if that line is the header."""
    with opened(path, "rt", newline="") as stream:
        line = stream.readline(_LONGEST_DECLARATION)
    found = _DECLARATION.fullmatch(line)
    return found[1].replace("\\t", "\t") if found else None


def _is_plain(head: bytes) -> bool:
    """Whether Polars sees the same lines and header as the strict reader."""
    return not head.startswith((b"\n", b"\r")) and b"\r" not in head.replace(b"\r\n", b"")


class _LabelList:
    """One label per line; the file's name serves as the heading."""

    is_list = True

    def __init__(self, path: Path) -> None:
        self.path = path
        stem = bare_name(path.name)
        self.columns = [stem.rpartition(".")[0] or stem]

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        interned: dict[str, str] = {}
        with opened(self.path, "rt") as stream:
            values = [interned.setdefault(t, t) for t in (line.rstrip("\r\n") for line in stream)]
        while values and not values[-1].strip():
            values.pop()
        return [TextColumn(self.columns[0], values, self.path) for _ in names]

    def is_nested(self, name: str) -> bool:
        """Whether cells hold lists: none does."""
        return False

    def numeric_columns(self) -> list[str]:
        with opened(self.path, "rt") as stream:
            return mostly_numbers(self.columns, ([line] for line in stream))

    def points(self, names: Sequence[str], *, gaps: Gaps = False) -> Floats:
        (column,) = self.label_columns(names)
        fields = cast(Any, column).values
        return matrix_of([column.name], lambda: ([text] for text in fields), self.path, gaps=gaps)


class DelimitedTable:
    """A table whose first line names the columns, or the second if the first declares the separator."""

    is_list = False

    def __init__(
        self,
        path: Path,
        header: list[str],
        separator: str,
        fast: bool,
        decimal: str = ".",
        declares: bool = False,
    ) -> None:
        self.path = path
        self.columns = header
        self._separator = separator
        self.decimal = decimal
        self._declares = declares
        self._fast = fast and find_spec("polars") is not None

    def label_columns(self, names: Sequence[str]) -> list[LabelColumn]:
        """Read columns of labels."""
        values: list[Any] | None = self._read_fast(names)
        if values is None:
            interned: dict[str, str] = {}
            values = [[] for _ in names]
            for fields in self._rows(names):
                for column, text in zip(values, fields, strict=True):
                    column.append(interned.setdefault(text, text))
            if not values[0]:
                raise InputError(f"{str(self.path)!r} has a header and no rows")
        return [TextColumn(name, v, self.path, self.decimal) for name, v in zip(names, values, strict=True)]

    @property
    def separator(self) -> str:
        """The character between two fields."""
        return self._separator

    def counted_column(self, name: str, values: Any) -> LabelColumn:
        """Turn a NumPy or Arrow array of fields, in which empty ones are null, into a column of this file."""
        if isinstance(values, np.ndarray):
            return TextColumn(name, [field or "" for field in values.tolist()], self.path, self.decimal)
        filled: Any = values.fill_null("")
        if find_spec("polars") is not None:
            import polars as pl

            return TextColumn(name, pl.from_arrow(filled), self.path, self.decimal)
        return TextColumn(name, filled.to_pylist(), self.path, self.decimal)

    def number_in_sql(self, field: str) -> str:
        """Return the SQL for the number in a field: NULL for a gap, while other words are an error of the query."""
        text = f"trim({field}, ' \t')"
        empty = ", ".join(f"'{own}'" for own in ("", *sorted(MISSING_NUMBERS)))
        number = number_text(field, self.decimal)
        return f"CASE WHEN lower({text}) IN ({empty}) THEN NULL ELSE CAST({number} AS DOUBLE) END"

    def is_nested(self, name: str) -> bool:
        """Whether cells hold lists: text is not read as such."""
        return False

    def numeric_columns(self) -> list[str]:
        """Return the names of the columns whose first filled cells are mostly numbers."""
        return self._columns_of_numbers(self.decimal)

    def columns_of_other_decimals(self) -> tuple[str, list[str]]:
        """Return the other decimal mark, and the columns whose first rows are numbers only with that mark."""
        other = "." if self.decimal == "," else ","
        own = self.numeric_columns()
        return other, [name for name in self._columns_of_numbers(other) if name not in own]

    def _columns_of_numbers(self, decimal: str) -> list[str]:
        unique = [c for c in self.columns if self.columns.count(c) == 1]
        return mostly_numbers(unique, self._rows(unique), decimal)

    def points(self, names: Sequence[str], *, gaps: Gaps = False) -> Floats:
        """Read columns of numbers as a matrix with one row per point; some cells may have `gaps`, which are NaN."""
        found = self._read_fast(names)
        if found is not None:
            import polars as pl

            numbers = [column.cast(pl.Float64, strict=False) for column in found]
            if not any(column.null_count() for column in numbers):
                matrix = np.column_stack([column.to_numpy() for column in numbers])
                if np.isfinite(matrix).all():
                    return matrix
        matrix = matrix_of(names, lambda: self._rows(names), self.path, self.decimal, gaps=gaps)
        if not matrix.size:
            raise InputError(f"{str(self.path)!r} has a header and no rows")
        return matrix

    def _read_fast(self, names: Sequence[str]) -> list[Any] | None:
        """Read Polars series of text; None if the strict reader is needed."""
        if not self._fast:
            return None
        import polars as pl

        try:
            # All columns: if asked for only some, Polars truncates lines with too many fields.
            frame = pl.read_csv(self.path, separator=self._separator, infer_schema_length=0)
        except (pl.exceptions.PolarsError, OSError):
            return None
        if frame.height == 0 or frame.width != len(self.columns):
            return None
        # By position, because Polars renames columns that share a name. A line that is too short lacks the last column.
        *found, last = (frame.to_series(i) for i in (*self._places(names), frame.width - 1))
        if any(column.null_count() for column in (*found, last)) or self._repeats_header(frame):
            return None
        return found

    def _repeats_header(self, frame: Any) -> bool:
        """Whether a row of the Polars frame repeats the header, which the strict reader rejects."""
        import polars as pl

        if len(self.columns) == 1:
            return False
        same = [frame.to_series(i) == name for i, name in enumerate(self.columns)]
        return bool(pl.DataFrame(same).select(pl.all_horizontal(pl.all()).any()).item())

    def _places(self, names: Sequence[str]) -> list[int]:
        """Find the columns; asking for a name a second time means its second column, if there is one."""
        found: dict[str, list[int]] = {}
        for i, name in enumerate(self.columns):
            found.setdefault(name, []).append(i)
        return [found[name][min(names[:i].count(name), len(found[name]) - 1)] for i, name in enumerate(names)]

    def _rows(self, names: Sequence[str]) -> Iterator[list[str]]:
        places = self._places(names)
        width = len(self.columns)
        with opened(self.path, "rt", newline="") as stream:
            before = _skip(stream, self._declares)
            reader = csv.reader(stream, delimiter=self._separator, strict=True)
            try:
                next(row for row in reader if row)
                for row in reader:
                    if row == self.columns and width > 1:
                        raise InputError(
                            f"{str(self.path)!r}, line {reader.line_num + before} repeats the header: leave such "
                            "lines out where files are put together"
                        )
                    if len(row) != width:
                        # A blank line is not a row, unless rows have a single field: then that field is empty.
                        if not row and width > 1:
                            continue
                        if row:
                            raise InputError(
                                f"{str(self.path)!r}, line {reader.line_num + before}: "
                                f"{count(len(row), 'field')} where the header has {width}"
                            )
                        row = [""]
                    yield [row[i] for i in places]
            except csv.Error as error:
                line = reader.line_num + before
                raise InputError(f"{str(self.path)!r}, line {line}: {_slip(error)}") from None


@dataclass
class TextColumn:
    """Labels as written in a text file: a list of str, or a Polars series.

    Blanks around a field are part of a label only if the file delimits its text otherwise (`keeps_blanks`); an empty
    text is a label there, too, and None is none.
    """

    name: str
    values: Any
    path: Path
    decimal: str = "."
    keeps_blanks: bool = False

    @cached_property
    def _meanings(self) -> tuple[bool, dict[str, Any]]:
        """Whether the column is text, and the meaning of each distinct field."""
        fields = set(self.values) if isinstance(self.values, list) else set(self.values.unique().to_list())
        for field in fields - {None}:
            if "\0" in field:
                raise InputError(f"{str(self.path)!r} has a NUL byte in column {self.name!r}: {field!r}")
        stripped = {field: "" if field is None else field.strip() for field in fields}
        numbers = {text for text in stripped.values() if text and text not in NOT_AVAILABLE}
        parse: type[int] | type[float]
        if numbers and all(map(_WHOLE.fullmatch, numbers)):
            parse = int
        elif numbers and all(is_number(with_point(text, self.decimal)) for text in numbers):
            parse = float
        else:
            return True, {
                field: field if self.keeps_blanks else text or None for field, text in stripped.items()
            }
        return False, {
            field: parse(with_point(text, self.decimal)) if text in numbers else None
            for field, text in stripped.items()
        }

    @property
    def is_text(self) -> bool:
        """Whether the labels are anything but numbers."""
        return self._meanings[0]

    def check_whole(self) -> None:
        """Raise if a number is not whole."""
        for value in self._meanings[1].values():
            plain_text(value, self.name)

    def labels(self) -> Any:
        """Return the labels with their type."""
        return self._translated(self._meanings[1])

    def as_text(self) -> Any:
        """Return the labels as text, with numbers in their shortest form."""
        return self._translated({field: plain_text(v, self.name) for field, v in self._meanings[1].items()})

    def label_lists(self) -> None:
        """Return None: fields are single values."""

    def _translated(self, meanings: Mapping[str, Any]) -> Any:
        if all(field == meaning for field, meaning in meanings.items()):
            return self.values
        if isinstance(self.values, list):
            if all(type(meaning) is int for meaning in meanings.values()):
                return np.fromiter(map(meanings.__getitem__, self.values), np.int64, len(self.values))
            return [meanings[field] for field in self.values]
        import polars as pl

        known = [meaning for meaning in meanings.values() if meaning is not None]
        dtype = {int: pl.Int64, float: pl.Float64}.get(type(known[0]), pl.String) if known else pl.String
        return self.values.replace_strict(list(meanings), list(meanings.values()), return_dtype=dtype)


def plain_text(value: Any, column: str) -> str | None:
    """Write a label as text: a number in its shortest form, so that 1.0 and 1 are one label."""
    if value is None or value != value:
        return None
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if not isinstance(value, float):
        return str(value)
    if not value.is_integer():
        raise FractionError(f"column {column!r} has {value!r}", value=value)
    return str(int(value))


def number_text(field: str, decimal: str) -> str:
    """Return the SQL for the text of a number with a decimal point; no number if it has another sign of decimals."""
    text = f"trim({field}, ' \t')"
    return text if decimal == "." else f"translate({text}, '{decimal}.', '.x')"


def mostly_numbers(names: Sequence[str], rows: Iterable[Sequence[str]], decimal: str = ".") -> list[str]:
    """Return the names of the columns in which at least half of the filled cells are numbers.

    The first rows decide; columns without a filled cell there are read until they have one.
    """
    filled, numbers = [0] * len(names), [0] * len(names)
    for number, row in enumerate(rows):
        if number >= _SAMPLE and all(filled):
            break
        for i, field in enumerate(row):
            text = field.strip()
            if text and text not in NOT_AVAILABLE:
                filled[i] += 1
                numbers[i] += is_number(with_point(text, decimal))
    return [name for name, n, some in zip(names, filled, numbers, strict=True) if n and 2 * some >= n]


def matrix_of(
    names: Sequence[str],
    rows: Callable[[], Iterable[Sequence[str]]],
    path: Path,
    decimal: str = ".",
    *,
    gaps: Gaps = False,
) -> Floats:
    """Read columns of numbers, or of True and False alone, which count as 1 and 0, by rows; see `coordinate`."""
    numbers = [_FLAGS if is_flag else {} for is_flag in _are_flags(len(names), rows())]
    return np.array(
        [
            [
                coordinate(known.get(text.strip().casefold(), text), i, name, path, decimal, gaps=gaps)
                for text, name, known in zip(fields, names, numbers, strict=True)
            ]
            for i, fields in enumerate(rows())
        ]
    )


def _are_flags(n_columns: int, rows: Iterable[Sequence[str]]) -> list[bool]:
    """Mark the columns of which each filled cell is True or False."""
    seen: list[bool | None] = [None] * n_columns
    for fields in rows:
        for i, text in enumerate(fields):
            if seen[i] is not False and text.strip():
                seen[i] = text.strip().casefold() in _FLAGS
        if not any(own is not False for own in seen):
            break
    return [own is True for own in seen]


def coordinate(
    text: str, row: int, column: str, path: Path, decimal: str = ".", *, gaps: Gaps = False
) -> float:
    """Read a coordinate, or raise an error that says where it is unusable; one that may be a gap is NaN."""
    text = text.strip()
    value = parsed(text, decimal)
    if value is not None and math.isfinite(value):
        return value
    missing = is_gap(text)
    if gaps == "words" or (gaps and (missing or value is not None)):
        return math.nan if value is None else value
    what = f"has {text!r}, which is not a finite number," if text else "is empty"
    remedy = decimal_remedy(text, decimal)
    where = f"{str(path)!r}, column {column!r} {what} in row {row + 1} after the header: "
    if remedy:
        raise InputError(where, *remedy)
    remedy = ("fill in or leave out such rows, or choose other columns",)
    raise GapError(where, *remedy, column=column) if missing else InputError(where, *remedy)


def _separator(path: Path, name: str, decimal: str) -> str:
    if name.endswith((".tsv", ".tab")):
        return "\t"
    with opened(path, "rt") as stream:
        first = next((line for line in stream if line.strip()), "")
    outside = _QUOTED.sub("", first)
    if '"' in first and outside.isspace() and outside.strip("\r\n"):
        raise InputError(f"{str(path)!r}: separate columns by a comma, a semicolon or a tab, not by blanks")
    marks = ",;\t".replace(decimal, "")
    return next((mark for mark in marks if mark in outside), marks[0])


def _slip(error: csv.Error) -> str:
    """Say what is wrong with a line, more clearly than the csv module where its message says little."""
    said = str(error)
    if said == "unexpected end of data":
        return "the file ends within quotation marks: close them where they were opened"
    return f"{said}: double quotation marks that are part of a field" if "expected after" in said else said


def _skip(stream: Any, declares: bool) -> int:
    """Skip the line that declares the separator; return the number of lines skipped."""
    if declares:
        stream.readline()
    return int(declares)


def _header(path: Path, separator: str, skip: bool = False) -> list[str]:
    with opened(path, "rt", newline="") as stream:
        before = _skip(stream, skip)
        reader = csv.reader(stream, delimiter=separator, strict=True)
        try:
            return next(row for row in reader if row)
        except StopIteration:
            raise InputError(f"{str(path)!r} has no header after its first line") from None
        except csv.Error as error:
            raise InputError(f"{str(path)!r}, line {reader.line_num + before}: {_slip(error)}") from None
