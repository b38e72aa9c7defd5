"""What a caller names as a table, opened: a file, an eager frame, or a lazy one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Protocol

from adjudge.engines.frames.counting import FrameTable
from adjudge.given.annotated import is_annotated
from adjudge.given.data_frames import from_dask
from adjudge.given.written import Gaps
from adjudge.tables.annotated import AnnotatedRows
from adjudge.tables.dask_columns import DaskColumns
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame

__all__ = ["ReadableTable", "is_a_file", "is_a_table", "open_given", "rows_of"]


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

    def labels(self, names: Sequence[str]) -> tuple[dict[str, Any], bool | None]:
        """Read label columns, all of one type; also return whether they are text, or None if that is open."""
        ...

    def numbers(self, name: str, *, gaps: Gaps = False) -> Any:
        """Read a column of numbers, as a narwhals series; with `gaps`, some may be missing."""
        ...

    def some(self, name: Any, n: int) -> Any:
        """Return a column, or its first rows if the table is large."""
        ...


def is_a_table(given: Any) -> bool:
    """Whether the argument is a data frame, an annotated matrix, or the path of a file."""
    if isinstance(given, (str, PathLike, FileTable)) or is_annotated(given):
        return True
    # Polars warns if the columns of a lazy frame are accessed, so only the type is checked.
    return any(hasattr(type(given), name) for name in ("columns", "column_names", "collect_schema"))


def is_a_file(given: Any, columns: Any) -> bool:
    """Whether the first argument is the path of a file, and the second may name its columns."""
    if not isinstance(given, (str, PathLike, FileTable)):
        return False
    named = [columns] if columns is None or isinstance(columns, str) else columns
    return isinstance(named, (list, tuple)) and all(own is None or isinstance(own, str) for own in named)


def open_given(given: Any, engine: str | None = None) -> Engine | FileTable | Frame:
    """Open a file by its path, or a data frame; the rows of a lazy frame stay in its engine.

    Parameters
    ----------
    given : str, path, data frame of any library, AnnData, or a table that is open
    engine : {"auto", "memory", "duckdb"} or None
        What reads a file; None for "auto".
    """
    if isinstance(given, (Engine, FileTable, Frame)):
        return given
    if isinstance(given, (str, PathLike)):
        return FileTable(given, engine=engine or "auto")
    if is_annotated(given):
        return AnnotatedRows(given)
    frame = FrameTable.of(given)
    return Engine(frame) if frame.is_lazy else Frame(frame, "the table")


def rows_of(table: Engine | FileTable | Frame, wanted: Iterable[Any] = ()) -> FileTable | Frame:
    """Load the rows of a lazy frame into memory; of Dask, the columns that are wanted, and others when named."""
    if not isinstance(table, Engine):
        return table
    native = table.frame.given_back(table.frame.frame)
    if from_dask(native) is not None:
        return DaskColumns(native, table.called, wanted)
    return Frame.read(native, table.called)
