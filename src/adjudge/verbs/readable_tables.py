"""Tables whose columns the verbs read into memory: files, read as by the command line, and data frames."""

from __future__ import annotations

from collections.abc import Container, Sequence
from os import PathLike, fspath
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable
from adjudge.errors import InputTypeError, Option, a_type
from adjudge.files.kinds import common_labels, find_column, find_columns, open_table
from adjudge.files.nested import NestedColumn
from adjudge.files.table_file import TableFile
from adjudge.given.data_frames import from_dask, read_data_frame
from adjudge.given.points import Points, as_points
from adjudge.given.score_frame import has_no_name
from adjudge.presentation.tables import installed_backend
from adjudge.results.notice import Notice

__all__ = [
    "FileTable",
    "Frame",
    "ReadableTable",
    "as_sets",
    "holds_sets",
    "is_a_file",
    "is_a_table",
    "open_given",
    "opened_table",
    "picked",
    "shown_columns",
]

Ints = NDArray[np.int64]


def is_a_table(given: Any) -> bool:
    """Whether the argument is a data frame, or the path of a file."""
    if isinstance(given, (str, PathLike, FileTable)):
        return True
    # Polars warns if the columns of a lazy frame are accessed, so only the type is checked.
    return any(hasattr(type(given), name) for name in ("columns", "column_names", "collect_schema"))


def is_a_file(given: Any, columns: Any) -> bool:
    """Whether the first argument is the path of a file, and the second may name its columns."""
    if not isinstance(given, (str, PathLike)):
        return False
    named = [columns] if columns is None or isinstance(columns, str) else columns
    return isinstance(named, (list, tuple)) and all(own is None or isinstance(own, str) for own in named)


class ReadableTable(Protocol):
    """A table whose columns can be read."""

    called: str

    @property
    def names(self) -> list[str]:
        """Its columns."""
        ...

    def own(self, name: str) -> str:
        """Find a column."""
        ...

    def labels(self, names: Sequence[str], *, nested: bool = True) -> tuple[dict[str, Any], bool | None]:
        """Read label columns, all of one type; also return whether they are text, or None if that is open.

        With `nested`, cells that hold lists become sets of labels.
        """
        ...

    def numbers(self, name: str, *, gaps: bool = False) -> Any:
        """Read a column of numbers, as a narwhals series; with `gaps`, some may be missing."""
        ...

    def points(self, names: Sequence[str], *, gaps: bool = False) -> Points:
        """Read columns of coordinates as points for a verb; with `gaps`, rows may have some."""
        ...

    def holds_lists(self, name: str) -> bool:
        """Whether the cells of a column are lists of labels."""
        ...

    def rows(self, positions: Ints) -> dict[str, Any]:
        """Return some rows with all columns."""
        ...


class FileTable:
    """A file, read as the command line reads it."""

    def __init__(self, path: str | PathLike[str], decimal: str = ".") -> None:
        self.called = repr(fspath(path))
        self.table: TableFile = open_table(fspath(path), decimal)

    @property
    def names(self) -> list[str]:
        """Its columns."""
        return self.table.columns

    def own(self, name: str) -> str:
        """Find a column."""
        return find_column(self.table, str(name))

    def matching(self, names: Sequence[str], leave_out: Container[str] = ()) -> list[str]:
        """Find columns by name or pattern, such as ``res_*``; patterns do not match columns in `leave_out`."""
        found: list[str] = []
        for name in map(str, names):
            is_pattern = name not in self.names and any(sign in name for sign in "*?[")
            found += find_columns(self.table, name, leave_out) if is_pattern else [self.own(name)]
        return list(dict.fromkeys(found))

    def named(self, option: Option) -> tuple[list[str], tuple[Notice, ...]]:
        """Return all columns that have a name, and say if others are left out; `option` can name these."""
        names = [name for name in self.names if not has_no_name(name)]
        n_others = len(self.names) - len(names)
        what = "a column without a name is" if n_others == 1 else "columns without a name are"
        said = Notice("nameless-columns", f"{what} left out", (option, " can name what is meant"), "info")
        return [*map(self.own, names)], (said,) if n_others else ()

    def labels(self, names: Sequence[str], *, nested: bool = True) -> tuple[dict[str, Any], bool | None]:
        """Read label columns; cells that hold lists become sets of labels."""
        columns = self.table.label_columns(names) if names else []
        sets = {c.name: as_sets(c.label_lists()) for c in columns if nested and isinstance(c, NestedColumn)}
        single = [c for c in columns if c.name not in sets]
        found, are_text = common_labels(single) if single else ({}, None)
        return {**found, **sets}, are_text

    def numbers(self, name: str, *, gaps: bool = False) -> Any:
        """Read a column of numbers; with `gaps`, some may be missing."""
        import narwhals as nw

        return nw.new_series(name, self.table.points([name], gaps=gaps)[:, 0], backend=installed_backend())

    def points(self, names: Sequence[str], *, gaps: bool = False) -> Points:
        """Read columns of coordinates; with `gaps`, rows may have some."""
        return Points.checked(self.table.points(names, gaps=gaps), list(names), gaps=gaps)

    def shown(self, names: Sequence[str]) -> dict[str, Any]:
        """Read columns to show beside labels, as numbers (NaN if missing) or text."""
        return shown_columns(self.table, names)

    def holds_lists(self, name: str) -> bool:
        """Whether the cells of a column are lists of labels."""
        return isinstance(self.table.label_columns([name])[0], NestedColumn)

    def rows(self, positions: Ints) -> dict[str, Any]:
        """Return some rows with all columns."""
        columns = self.table.label_columns(self.names)
        return {c.name: picked(_entries(c), positions).tolist() for c in columns}


class Frame:
    """A data frame; the rows of a lazy one are loaded into memory."""

    def __init__(self, frame: FrameTable, called: str) -> None:
        self.frame, self.called = frame, called

    @classmethod
    def read(cls, native: Any, called: str) -> Frame:
        """Load the rows of a data frame into memory."""
        if from_dask(native) is None and not is_a_table(native):
            raise InputTypeError(f"{called} is {a_type(native)}, where a data frame or a path is needed")
        return cls(FrameTable.of(read_data_frame(native, called)), called)

    @property
    def names(self) -> list[str]:
        """Its columns."""
        return self.frame.names

    def own(self, name: str) -> str:
        """Find a column."""
        self.frame.own([name])
        return name

    def labels(self, names: Sequence[str], *, nested: bool = True) -> tuple[dict[str, Any], bool | None]:
        """Read label columns; cells that hold lists become sets of labels."""
        found = {name: self.frame.series(name) for name in names}
        lists = {name for name in names if nested and self.frame.holds_lists(name)}
        return {
            n: as_sets(own.to_list()) if n in lists else own.to_native() for n, own in found.items()
        }, None

    def numbers(self, name: str, *, gaps: bool = False) -> Any:
        """Read a column of numbers; with `gaps`, some may be missing."""
        return self.frame.series(name)

    def points(self, names: Sequence[str], *, gaps: bool = False) -> Points:
        """Read columns of coordinates; with `gaps`, rows may have some."""
        return as_points(self.shown(names), gaps=gaps)

    def shown(self, names: Sequence[str]) -> Any:
        """Return a data frame with columns to show beside labels."""
        return self.frame.given_back(self.frame.frame.select(*self.frame.own(names)))

    def holds_lists(self, name: str) -> bool:
        """Whether the cells of a column are lists of labels."""
        return self.frame.holds_lists(name)

    def rows(self, positions: Ints) -> dict[str, Any]:
        """Return some rows with all columns."""
        return {name: self.frame.series(name)[positions.tolist()].to_list() for name in self.names}


def opened_table(given: Any, called: str) -> ReadableTable:
    """Open a file by its path, or a data frame, which errors refer to as `called`."""
    if isinstance(given, FileTable):
        return given
    return FileTable(given) if isinstance(given, (str, PathLike)) else Frame.read(given, called)


def open_given(given: Any) -> FrameTable | FileTable | Frame:
    """Open a file by its path, or a data frame; the rows of a lazy frame stay in its engine."""
    if isinstance(given, (str, PathLike)):
        return FileTable(given)
    frame = FrameTable.of(given)
    return frame if frame.is_lazy else Frame(frame, "the table")


def shown_columns(table: TableFile, names: Sequence[str]) -> dict[str, Any]:
    """Read columns of a file as numbers (NaN if missing) or text."""
    found: dict[str, Any] = {}
    for column in table.label_columns(names) if names else ():
        labels = column.labels()
        values = labels.to_pylist() if hasattr(labels, "to_pylist") else list(labels)
        if column.is_text:
            found[column.name] = ["" if value is None else str(value) for value in values]
        else:
            numbers = [np.nan if value is None else float(value) for value in values]
            found[column.name] = np.array(numbers, np.float64)
    return found


def as_sets(cells: Sequence[Any]) -> NDArray[Any]:
    """Convert cells that hold lists to sets of labels; other cells stay and are rejected later."""
    found = np.empty(len(cells), object)
    for i, cell in enumerate(cells):
        found[i] = cell if cell is None or isinstance(cell, str) else frozenset(cell)
    return found


def holds_sets(values: Any) -> bool:
    """Whether the labels are sets made by `as_sets`."""
    is_made = isinstance(values, np.ndarray) and values.dtype == object
    return is_made and any(isinstance(own, frozenset) for own in values[:1000])


def _entries(column: Any) -> Any:
    """Return the contents of a file column's cells."""
    if isinstance(column, NestedColumn):
        cells = np.empty(len(column.cells), object)
        cells[:] = column.cells
        return cells
    return column.as_text() if column.is_text else column.labels()


def picked(values: Any, positions: Ints) -> Any:
    """Pick entries of a column."""
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    return np.asarray(values)[positions]
