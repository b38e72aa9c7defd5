"""A file as a table, or several: columns by name or pattern, lists of labels in other files, counts by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable, LabelCells
from adjudge.errors import InputError, Option, TooManyCombinationsError
from adjudge.files.coordinates import mixed_points
from adjudge.files.kinds import common_labels, find_column, matching_columns, open_table
from adjudge.files.nested import NestedColumn
from adjudge.files.table_file import LabelColumn, TableFile
from adjudge.files.text import DelimitedTable, TextColumn
from adjudge.given.label_options import LabelOptions, rows_without_label
from adjudge.given.labels import Labels
from adjudge.given.options import check_choice
from adjudge.given.points import DataMatrix, naming_what_drops_gaps
from adjudge.given.written import Gaps
from adjudge.presentation.tables import installed_backend
from adjudge.tables.labels import coded_alike
from adjudge.tables.streaming import CountedColumns, count_columns, is_streamed, listed, opened_frame
from adjudge.tables.written_rows import CellRows

__all__ = ["ENGINES", "FileCells", "FileTable", "picked", "shown_columns"]

Ints = NDArray[np.int64]

#: What may read a file: rows in memory, counts by DuckDB, or (auto) DuckDB if the file is large.
ENGINES = ("auto", "memory", "duckdb")


@dataclass(frozen=True)
class FileCells(LabelCells):
    """Distinct combinations of labels in a file, with what finds their rows."""

    rows: CellRows | None = None


class FileTable:
    """A file, a folder of Parquet files, or a pattern that stands for such files.

    Parameters
    ----------
    path : str or path
    decimal : {".", ","}, optional
        The decimal sign of text, as for :func:`~adjudge.files.kinds.open_table`.
    engine : {"auto", "memory", "duckdb"}
        See `ENGINES`.
    even_small : bool
        Whether DuckDB counts small files, too.
    """

    #: Options may name labels as text, whatever their type is.
    from_file = True

    def __init__(
        self,
        path: str | PathLike[str],
        decimal: str | None = None,
        engine: str = "auto",
        *,
        even_small: bool = False,
    ) -> None:
        check_choice("engine", engine, ENGINES)
        self.called = repr(fspath(path))
        self.engine, self._even_small = engine, even_small
        self.table: TableFile = open_table(fspath(path), decimal)
        # Lists of labels in other files, by the names that results have for them.
        self._lists: dict[str, tuple[str, TableFile]] = {}
        self._wanted: list[str] = []
        self._ahead: dict[str, LabelColumn] = {}

    def __contains__(self, name: object) -> bool:
        """Whether this is a whole name, although it may have commas in it: of a column, or of another file."""
        return name in self.table.columns or (isinstance(name, str) and "," in name and _is_there(name))

    @property
    def names(self) -> list[str]:
        """Its columns."""
        return self.table.columns

    @property
    def own_list(self) -> str | None:
        """The name of the file's labels, if it is a list of labels and not a table."""
        return self.table.columns[0] if self.table.is_list else None

    def own(self, name: Any) -> str:
        """Find a column."""
        return find_column(self.table, str(name))

    def of_labels(self, name: Any, *, by_path: bool = False) -> str:
        """Find a column of labels; a name may also be that of another file with one label per line.

        Such a list is called by its path on request, or if another one has its name.
        """
        if name in self._lists:
            return str(name)
        text = str(name)
        if text.strip() in {column.strip() for column in self.names} or not _is_there(text):
            return self.own(text)
        beside = open_table(text)
        if not beside.is_list:
            raise InputError(
                f"{text!r} is a separate table: name columns of {self.called}, or files with one label per line"
            )
        shown = beside.columns[0]
        if by_path or shown in self.names or shown in self._lists:
            shown = text
        self._lists[shown] = text, beside
        return shown

    def matching(self, names: Iterable[Any], leave_out: Container[str] = ()) -> list[str]:
        """Find columns of labels by name or pattern; patterns do not match columns in `leave_out`."""
        names, found = list(names), []
        beside = [
            name for name in names if name not in self.names and isinstance(name, str) and _is_there(name)
        ]
        shown = {name: open_table(name).columns[0] for name in beside}
        for name in names:
            if name in shown:
                twice = list(shown.values()).count(shown[name]) > 1
                found.append(self.of_labels(name, by_path=twice))
            elif name in self._lists:
                found.append(str(name))
            else:
                found += self.coordinates([name], leave_out)
        return list(dict.fromkeys(found))

    def coordinates(self, names: Iterable[Any], leave_out: Container[str] = ()) -> list[str]:
        """Find columns of the file by name or pattern; patterns do not match columns in `leave_out`."""
        return matching_columns(self.table, names, leave_out)

    def labels(self, names: Sequence[str]) -> tuple[dict[str, Any], bool | None]:
        """Read label columns, all of one type; also return whether they are text."""
        return common_labels(self._columns(names)) if names else ({}, None)

    def numeric(self) -> list[str]:
        """Return the columns of numbers."""
        return self.table.numeric_columns()

    def cells(self, name: str) -> list[Any]:
        """Return the cells of a column that may hold several labels each; an empty one has none."""
        (column,) = self._columns([name])
        lists = column.label_lists()
        return (
            ["" if own is None else str(own) for own in listed(column.as_text())] if lists is None else lists
        )

    def want(self, names: Iterable[Any]) -> None:
        """Read these columns of labels, if they are there, in one pass as soon as any is read; each is read once."""
        self._wanted += [name for name in names if name in self.names]

    def _columns(self, names: Sequence[str]) -> list[LabelColumn]:
        """Read columns of the file, and separate lists."""
        here = [name for name in dict.fromkeys(names) if name not in self._lists]
        if not self._ahead.keys() >= {*here}:
            new = [own for own in dict.fromkeys((*here, *self._wanted)) if own not in self._ahead]
            self._ahead |= dict(zip(new, self.table.label_columns(new), strict=True))
            self._wanted = []
        read = {name: self._ahead.pop(name) for name in here}
        for name in names:
            if name not in read:
                _, beside = self._lists[name]
                read[name] = beside.label_columns(beside.columns)[0]
                read[name].name = name
        return [read[name] for name in names]

    def numbers(self, name: str, *, gaps: Gaps = False) -> Any:
        """Read a column of numbers; with `gaps`, some may be missing."""
        import narwhals as nw

        return nw.new_series(name, self.table.points([name], gaps=gaps)[:, 0], backend=installed_backend())

    def points(self, names: Sequence[str], *, gaps: bool = False) -> DataMatrix:
        """Read columns of coordinates; with `gaps`, rows may have some."""
        return DataMatrix.checked(self.matrix(names, gaps=gaps), list(names), gaps=gaps)

    def mixed_points(
        self, names: Sequence[str], labels: Mapping[str, Any] | None = None, *, gaps: bool = False
    ) -> DataMatrix:
        """Read columns of any kind, for Gower's distance; with `gaps`, rows may be empty."""
        return mixed_points(self.table, names, labels, gaps=gaps)

    def matrix(self, names: Sequence[str], *, gaps: Gaps = False) -> NDArray[Any]:
        """Read columns of numbers, whatever they are; with `gaps`, some may be missing."""
        return self.table.points(names, gaps=gaps)

    def n_rows(self) -> int:
        """Return the number of rows."""
        return len(self.table.label_columns(self.names[:1])[0].labels())

    def shown(self, names: Sequence[str]) -> dict[str, Any]:
        """Read columns to show beside labels, as numbers (NaN if missing) or text."""
        return shown_columns(self.table, names)

    def holds_lists(self, name: str) -> bool:
        """Whether the cells of a column are lists of labels."""
        return name not in self._lists and self.table.is_nested(name)

    def rows(self, positions: Ints, *, as_written: bool = False) -> dict[str, Any]:
        """Return some rows with all columns; on request, the fields of text as they are written."""
        columns = self.table.label_columns(self.names)
        return {
            c.name: _picked_entries(
                c.values if as_written and isinstance(c, TextColumn) else _entries(c), positions
            )
            for c in columns
        }

    def typed(self, rows: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        """Return rows that DuckDB found with the types of their cells, all of which are text in a file of text."""
        if not isinstance(self.table, DelimitedTable):
            return rows
        texts = {name: [own if own is None else str(own) for own in cells] for name, cells in rows.items()}
        columns = [self.table.counted_column(name, np.array(own, object)) for name, own in texts.items()]
        return {c.name: picked(_entries(c), slice(None)).tolist() for c in columns}

    def some(self, name: str, n: int) -> Any:
        """Return a column; if the file is large, only its first rows."""
        if not is_streamed(self.table, "auto" if self.engine == "duckdb" else self.engine):
            return self.table.label_columns([name])[0].labels()
        with opened_frame(self.table, [name]) as relation:
            return relation.limit(n).arrow().read_all().column(0)

    def is_streamed(self, names: Iterable[str], hindrance: Sequence[Any] | None = None) -> bool:
        """Whether DuckDB counts these columns; `hindrance` says, in pieces, what needs the rows in memory."""
        if any(name in self._lists for name in names):
            hindrance = ("labels in several files are read into memory",)
        return is_streamed(self.table, self.engine, hindrance=hindrance, even_small=self._even_small)

    @contextmanager
    def frame_of(self, names: Iterable[Any]) -> Iterator[FrameTable]:
        """Open columns in DuckDB."""
        with (
            naming_what_drops_gaps(self.table.numeric_columns),
            opened_frame(self.table, list(dict.fromkeys(names))) as own,
        ):
            yield FrameTable.of(own)

    def count(
        self,
        labels: Sequence[Sequence[str]],
        beside: Sequence[str] = (),
        *,
        treatment: LabelOptions,
        weight: str | None = None,
        units: str | None = None,
        look_ahead: bool = False,
    ) -> list[LabelCells]:
        """Count the rows of each combination of some labels and of other columns, such as groups, in DuckDB.

        Labels all get one type; each column `beside` has its own. With `look_ahead`, raise early if the first rows have
        too many combinations for counting to help.
        """
        more = [] if units is None else [units]
        groups = [list(dict.fromkeys([*own, *beside, *more])) for own in labels]
        parts = count_columns(self.table, groups, weight=weight, look_ahead=look_ahead)
        named = {name for own in labels for name in own}
        coded = coded_alike([part.columns for part in parts], named)
        return [self._complete(own, part, treatment) for own, part in zip(coded, parts, strict=True)]

    def _complete(
        self, coded: Mapping[str, Labels], counted: CountedColumns, treatment: LabelOptions
    ) -> FileCells:
        """Leave out combinations with a missing label, or raise an error for them."""
        counts, weights = counted.counts, counted.weights
        kept = counts > 0
        for name, labels in coded.items():
            if labels.missing is None or not (n_missing := int(counts[labels.missing].sum())):
                continue
            if treatment.missing_of(name) == "raise":
                raise rows_without_label(name, n_missing)
            if labels.missing.all():
                raise InputError(f"column {name!r} has no label in any row: give its labels, or leave it out")
            kept &= ~labels.missing
        if not kept.any():
            raise InputError(f"{self.called} has no row with all its labels: at least one is needed")
        places = np.flatnonzero(kept)
        left, some = dict(coded), weights
        if not kept.all():
            left = {name: own.take(places) for name, own in coded.items()}
            some = None if weights is None else weights.take(places)
        return FileCells(
            left,
            counts[places],
            int(counts.sum()),
            some,
            None if weights is None else float(weights.sums.sum()),
            rows=CellRows(self.table, counted, places),
        )

    def refused_to_count(self, error: TooManyCombinationsError) -> None:
        """Raise the error that there are too many combinations to count, if rows may not be read instead."""
        if self.engine == "duckdb":
            raise InputError(*error.parts, ", or use ", Option("engine", "memory")) from error


def shown_columns(table: TableFile, names: Sequence[str]) -> dict[str, Any]:
    """Read columns of a file as numbers (NaN if missing) or text, such as True and False."""
    found: dict[str, Any] = {}
    for column in table.label_columns(names) if names else ():
        values = listed(column.labels())
        if column.is_text or bool in map(type, values):
            found[column.name] = ["" if value is None else str(value) for value in values]
        else:
            numbers = [np.nan if value is None else float(value) for value in values]
            found[column.name] = np.array(numbers, np.float64)
    return found


def _is_there(name: str) -> bool:
    """Whether a file has this name. `Path.is_file` would raise OSError for a list longer than a file name."""
    return os.path.isfile(name)


def _entries(column: Any) -> Any:
    """Return the contents of a file column's cells."""
    if isinstance(column, NestedColumn):
        cells = np.empty(len(column.cells), object)
        cells[:] = column.cells
        return cells
    return column.as_text() if column.is_text else column.labels()


def _picked_entries(entries: Any, positions: Ints) -> list[Any]:
    """Return some entries of a column: whole numbers stay whole, even if NumPy could not hold what is missing."""
    import narwhals as nw

    series = nw.from_native(entries, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return list(series[positions.tolist()].to_list())
    return listed(picked(entries, positions))


def picked(values: Any, positions: Ints | slice) -> Any:
    """Pick entries of a column."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    # A masked array stays one.
    return np.asanyarray(values)[positions]
