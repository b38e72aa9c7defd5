"""Which columns of a table are coordinates if none are named: numbers that measure something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.files.coordinates import coordinates_among_columns
from adjudge.given.coordinates import as_coordinates
from adjudge.given.points import ColumnsLeftOut
from adjudge.results.notice import Notice
from adjudge.results.point_notices import notices_of_use
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame

__all__ = ["ALL_FEATURES", "coordinates_in"]

#: Stands for all columns that look like coordinates.
ALL_FEATURES = "all"


def coordinates_in(
    table: Engine | FileTable | Frame,
    labels: Sequence[Any],
    beside: Sequence[Any],
    *,
    are_mixed: bool = False,
    or_all: bool = True,
) -> tuple[list[Any], tuple[Notice, ...]]:
    """Return the columns that look like coordinates, and what is said of them and of the others.

    Parameters
    ----------
    table : Engine, FileTable or Frame
    labels : sequence of str
        Columns of labels, of which a copy is no coordinate.
    beside : sequence of str
        Other columns that have a role.
    are_mixed : bool
        Whether columns of any kind are coordinates, but for those that number rows.
    or_all : bool, default True
        If no column looks like coordinates, all numbers are: they are what there is.

    Raises
    ------
    InputError
        If there are none, or if the rows are not in memory.
    """
    if isinstance(table, Engine):
        # Gower's distance needs the rows even if the columns are named.
        remedy = () if are_mixed else (", or name them with ", Option("features"))
        raise InputError("only the rows tell which columns are coordinates: collect the table first", *remedy)
    known = table.labels(labels)[0]
    if are_mixed:
        others = [name for name in table.names if name not in (*labels, *beside)]
        found = table.mixed_points(others, known, gaps=True)
        return list(found.columns or ()), notices_of_use(found.columns, found.left_out, of_file=True)
    if isinstance(table, FileTable):
        names, left_out = coordinates_among_columns(table.table, known, {*labels, *beside}, or_all=or_all)
        return names, notices_of_use(names, left_out, of_file=True)
    others = [name for name in table.names if name not in (*labels, *beside)]
    numeric = [name for name in table.numeric() if name in others]
    if not numeric:
        raise InputError(f"{table.called} has no numeric columns except labels: there are no points")
    found = as_coordinates(table.shown(numeric), known, gaps=True, or_all=or_all)
    named = {str(name): name for name in numeric}
    names = [named[name] for name in found.columns or ()]
    return names, notices_of_use(found.columns, [*found.left_out, *_text(others, numeric)], of_file=True)


def _text(others: Sequence[Any], numeric: Sequence[Any]) -> list[ColumnsLeftOut]:
    text = tuple(str(name) for name in others if name not in numeric)
    return [ColumnsLeftOut(text, "text")] if text else []
