"""Which columns of a file are coordinates if none are named."""

from __future__ import annotations

from collections.abc import Collection, Container
from dataclasses import replace
from itertools import compress
from typing import Any

from adjudge.cli.options import WhatScaling
from adjudge.cli.output import tell
from adjudge.errors import InputError
from adjudge.files.table_file import TableFile
from adjudge.given.coordinates import coordinates_among
from adjudge.given.points import Points
from adjudge.given.scaling import scaled
from adjudge.presentation.numbers import listed, shortened
from adjudge.results.point_notices import why_left_out

__all__ = ["find_coordinates", "other_decimals", "standardized", "tell_coordinates"]


def find_coordinates(
    table: TableFile, labels: Collection[str], *, needed: bool, option: str = "--columns"
) -> list[str]:
    """List the numeric columns that may be coordinates; say which are left out, and why, and what `option` names them.

    If coordinates are `needed`, columns with the other decimal sign are an error; if there are none, the caller raises
    an error that says why.
    """
    numeric = table.numeric_columns()
    names = [name for name in numeric if name not in labels]
    if names or not needed:
        _check_decimals(table, labels, needed, option)
    if not names:
        return []
    of_labels = [name for name in numeric if name in labels]
    values = table.points([*names, *of_labels], gaps=True)
    known: dict[str, Any] = dict.fromkeys(labels) | dict(zip(of_labels, values.T[len(names) :], strict=True))
    is_kept, left_out = coordinates_among(names, values[:, : len(names)], known)
    if needed or is_kept.any():
        for own in left_out:
            _tell_left_out(why_left_out(own), len(own.names), f"{option} can include")
    return [*compress(names, is_kept)]


def tell_coordinates(
    names: list[str] | None,
    named: list[str] | None,
    what: str = "points from",
    option: str = "--columns",
) -> None:
    """Say which columns are coordinates, unless they were `named`."""
    if names and not named:
        tell(f"{what} {shortened(names, 12)} ({option} chooses others)")


def _check_decimals(table: TableFile, labels: Container[str], needed: bool, option: str) -> None:
    sign, found = other_decimals(table)
    names = [name for name in found if name not in labels]
    if not names:
        return
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    why = f"{listed([*map(repr, names)])} {has} decimal {'commas' if sign == ',' else 'points'}"
    if needed and sign == "," == getattr(table, "separator", None):
        raise InputError(
            f"{listed([*map(repr, names)])} {has} numbers with commas, which also separate the columns: write decimal "
            f"points, and nothing between thousands, or name the coordinates with {option}"
        )
    if needed:
        raise InputError(f"{why}: --decimal {sign} reads {them}, or name the coordinates with {option}")
    _tell_left_out(why, len(names), f"--decimal {sign} reads")


def other_decimals(table: TableFile) -> tuple[str, list[str]]:
    """Return the decimal sign not in use, and the columns that are numeric only with that sign."""
    from adjudge.files.text import DelimitedTable

    return table.columns_of_other_decimals() if isinstance(table, DelimitedTable) else ("", [])


def _tell_left_out(why: str, n: int, remedy: str) -> None:
    one = "it is not used as a coordinate" if n == 1 else "they are not used as coordinates"
    tell(f"{why}, so {one} ({remedy} {'it' if n == 1 else 'them'})")


def standardized(points: Points, how: WhatScaling | None) -> Points:
    """Scale the columns, if requested."""
    return points if how is None else replace(points, values=scaled(points.values, how.value))
