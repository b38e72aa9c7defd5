"""Tables of edges or linked pairs: two columns of what another file names, and perhaps one of numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.cli.columns import Source
    from adjudge.files.table_file import TableFile

__all__ = ["named_ends", "numbers_beside", "open_edges"]


def open_edges(path: Path, ends: str, numbers: str) -> TableFile:
    """Open a table of two or three columns; errors name what the first two and the third hold."""
    from adjudge.files.kinds import open_table

    table = open_table(path)
    if len(table.columns) not in (2, 3):
        raise InputError(
            f"{str(path)!r} has {len(table.columns)} columns: give two of {ends}, and perhaps one of {numbers}"
        )
    return table


def numbers_beside(table: TableFile) -> Any:
    """Return the third column; None if there is none."""
    third = table.columns[2:]
    return table.points(third)[:, 0] if third else None


def named_ends(source: Source, column: str, table: TableFile) -> tuple[Any, Any, Any]:
    """Return a column of names, and the two ends that are among them, all of one type."""
    from adjudge.files.kinds import common_labels, find_column

    columns = [
        *source.table.label_columns([find_column(source.table, column)]),
        *table.label_columns(table.columns[:2]),
    ]
    for i, own in enumerate(columns):
        own.name = str(i)
    names, one, other = common_labels(columns)[0].values()
    return names, one, other
