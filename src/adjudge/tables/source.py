"""What a caller names as a table, opened: a file, an eager frame, or a lazy one."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.engines.frames.counting import FrameTable
from adjudge.given.data_frames import from_dask
from adjudge.given.points import Points
from adjudge.tables.dask_columns import DaskColumns
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame

__all__ = ["ReadableTable", "is_a_file", "is_a_table", "open_given", "opened_table"]

Ints = NDArray[np.int64]


class ReadableTable(Protocol):
    """A table whose columns can be read."""

    called: str

    @property
    def own_list(self) -> str | None:
        """The name of its labels, if it is a list of labels in a file."""
        ...

    @property
    def names(self) -> list[Any]:
        """Its columns."""
        ...

    def own(self, name: Any) -> Any:
        """Find a column."""
        ...

    def matching(self, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]:
        """Find columns of labels by name or pattern; patterns do not match columns in `leave_out`."""
        ...

    def coordinates(self, names: Iterable[Any], leave_out: Container[Any] = ()) -> list[Any]:
        """Find columns of numbers by name or pattern."""
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

    def some(self, name: Any, n: int) -> Any:
        """Return a column, or its first rows if the table is large."""
        ...


def is_a_table(given: Any) -> bool:
    """Whether the argument is a data frame, or the path of a file."""
    if isinstance(given, (str, PathLike, FileTable)):
        return True
    # Polars warns if the columns of a lazy frame are accessed, so only the type is checked.
    return any(hasattr(type(given), name) for name in ("columns", "column_names", "collect_schema"))


def is_a_file(given: Any, columns: Any) -> bool:
    """Whether the first argument is the path of a file, and the second may name its columns."""
    if not isinstance(given, (str, PathLike, FileTable)):
        return False
    named = [columns] if columns is None or isinstance(columns, str) else columns
    return isinstance(named, (list, tuple)) and all(own is None or isinstance(own, str) for own in named)


def opened_table(given: Any, called: str, wanted: Iterable[Any] = ()) -> ReadableTable:
    """Open a file by its path, or a data frame, whose rows are read into memory.

    Parameters
    ----------
    given : str, path, FileTable, or data frame of any library
    called : str
        What errors call it.
    wanted : iterable of str
        Columns that a data frame of Dask is read for, in one pass.
    """
    if isinstance(given, FileTable):
        return given
    if isinstance(given, (str, PathLike)):
        return FileTable(given)
    if from_dask(given) is not None:
        return DaskColumns(given, called, wanted)
    return Frame.read(given, called)


def open_given(given: Any, engine: str | None = None) -> Engine | FileTable | Frame:
    """Open a file by its path, or a data frame; the rows of a lazy frame stay in its engine.

    Parameters
    ----------
    given : str, path, FileTable, or data frame of any library
    engine : {"auto", "memory", "duckdb"} or None
        What reads a file; None for "auto".
    """
    if isinstance(given, FileTable):
        return given
    if isinstance(given, (str, PathLike)):
        return FileTable(given, engine=engine or "auto")
    frame = FrameTable.of(given)
    return Engine(frame) if frame.is_lazy else Frame(frame, "the table")
