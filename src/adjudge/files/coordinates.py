"""Points in a table that a path names: its columns of numbers, but for those that measure nothing."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import compress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from adjudge.errors import InputError
from adjudge.files.kinds import open_table
from adjudge.given.coordinates import as_coordinates, coordinates_among
from adjudge.given.points import LeftOut, Points
from adjudge.given.points_file import OF_POINTS
from adjudge.presentation.numbers import listed

__all__ = ["coordinates_of"]


def coordinates_of(X: Any, labels: Mapping[str, Any], *, gaps: bool = False) -> Points:
    """Check points as `as_coordinates` does; a path may name any table, whose columns of numbers are read.

    Parameters
    ----------
    X : as for `as_coordinates`, or path of a table
    labels : mapping of str to array-like of shape (n,)
        As for `as_coordinates`.
    gaps : bool, default False
        Allow rows with gaps; `Points.gaps` marks them.
    """
    if not isinstance(X, (str, PathLike)) or Path(X).suffix.lower() in OF_POINTS:
        return as_coordinates(X, labels, gaps=gaps)
    table = open_table(fspath(X))
    sign, others = (
        table.columns_of_other_decimals() if hasattr(table, "columns_of_other_decimals") else ("", [])
    )
    if others:
        has, them = ("has", "it") if len(others) == 1 else ("have", "them")
        raise InputError(
            f"{listed([*map(repr, others)])} of {fspath(X)!r} {has} decimal {'commas' if sign == ',' else 'points'}: "
            f"read {them} as such into a data frame, and pass that"
        )
    names = table.numeric_columns()
    if not names:
        raise InputError(f"{fspath(X)!r} has no column of numbers: there are no points")
    is_kept, left_out = coordinates_among(names, table.points(names, gaps=True), dict.fromkeys(labels))
    if is_kept.any():
        kept = [*compress(names, is_kept)]
    else:  # they are what there is
        kept, left_out = names, []
    text = tuple(name for name in table.columns if name not in names)
    left_out += [LeftOut(text, "text")] if text else []
    return Points.checked(table.points(kept, gaps=gaps), kept, left_out, gaps=gaps)
