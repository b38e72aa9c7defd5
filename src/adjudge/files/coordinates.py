"""Points in a table: the columns that are named, or those of numbers, but for those that measure nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from itertools import compress
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, Option
from adjudge.files.kinds import matching_columns, open_table
from adjudge.files.reading import Decimal
from adjudge.files.table_file import TableFile
from adjudge.given.annotated import is_annotated, points_named
from adjudge.given.coordinates import as_coordinates, coordinates_among, values_of
from adjudge.given.data_frames import columns_named, read_data_frame
from adjudge.given.gower import gower_points
from adjudge.given.points import (
    ColumnsLeftOut,
    DataMatrix,
    as_points,
    is_data_frame,
    naming_what_drops_gaps,
)
from adjudge.given.written import Gaps, is_grouped
from adjudge.presentation.numbers import listed


def coordinates_of(
    X: Any,
    labels: Mapping[str, Any],
    *,
    features: Sequence[str] | None = None,
    beside: Collection[str] = (),
    gaps: bool | None = False,
    are_mixed: bool = False,
) -> DataMatrix:
    """Check points as `as_coordinates` does; a path may name any table, whose columns of numbers are read.

    Of an annotated matrix, they are the entry of `obsm` that `features` names.

    Parameters
    ----------
    X : as for `as_coordinates`, or path of a table, or AnnData
    labels : mapping of str to array-like of shape (n,)
        As for `as_coordinates`.
    features : sequence of str, optional
        The columns, or patterns such as ``x_*``.
    beside : collection of str
        Columns of the table with another role.
    gaps : bool or None
        Allow rows with gaps; `DataMatrix.gaps` marks them. None if the caller has no option for them.
    are_mixed : bool
        Whether columns are of any kind, for Gower's distance.
    """
    if is_annotated(X):
        X, features = X.obsm[points_named(X, features)], None
    names = [features] if isinstance(features, str) else features
    if isinstance(X, (str, PathLike)) and Path(X).suffix.lower() != ".npy":
        table = open_table(fspath(X))
        left_out: list[ColumnsLeftOut] = []
        if are_mixed:
            others = [name for name in table.columns if name not in beside]
            chosen = others if names is None else matching_columns(table, names, beside)
            with nullcontext() if gaps is None else naming_what_drops_gaps():
                return mixed_points(table, chosen, labels if names is None else None, gaps=bool(gaps))
        if names is not None:
            chosen = matching_columns(table, names, beside)
        else:
            chosen, left_out = coordinates_among_columns(table, labels, beside)
        with nullcontext() if gaps is None else naming_what_drops_gaps(table.numeric_columns):
            return DataMatrix.checked(
                table.points(chosen, gaps=bool(gaps)), chosen, left_out, gaps=bool(gaps)
            )
    if names is not None and not is_data_frame(X):
        raise InputError(Option("features"), " names columns, and X is no table: leave it out")
    with nullcontext() if gaps is None else naming_what_drops_gaps():
        if are_mixed:
            chosen, known = (X, labels) if names is None else (_selected(X, names), None)
            return gower_points(chosen, known, gaps=bool(gaps))
        if names is None:
            return as_coordinates(X, labels, gaps=bool(gaps))
        return as_points(_selected(X, names), gaps=bool(gaps))


def mixed_points(
    table: TableFile, names: Sequence[str], labels: Mapping[str, Any] | None = None, *, gaps: bool = False
) -> DataMatrix:
    """Read columns of any kind, for Gower's distance; with `gaps`, rows may be empty."""
    _check_decimals(table, {*table.columns}.difference(names))
    numeric = [name for name in table.numeric_columns() if name in names]
    # Among all columns, some are not for the distance.
    read_as: Gaps = True if labels is None else "words"
    numbers = dict(zip(numeric, table.points(numeric, gaps=read_as).T, strict=True)) if numeric else {}
    others = [name for name in names if name not in numbers]
    read = {own.name: own.labels() for own in table.label_columns(others)} if others else {}
    return gower_points({name: (numbers | read)[name] for name in names}, labels, gaps=gaps)


def _selected(X: Any, names: Sequence[str]) -> Any:
    frame = read_data_frame(X, "X")
    columns = {str(name): series for name, series in zip(frame.columns, frame.iter_columns(), strict=True)}
    chosen = columns_named(columns, Option("features"), names)
    return frame.select(*[columns[name] for name in chosen]).to_native()


def coordinates_among_columns(
    table: TableFile, labels: Mapping[str, Any], beside: Collection[str], *, or_all: bool = True
) -> tuple[list[str], list[ColumnsLeftOut]]:
    """Find the columns of numbers that are coordinates, and say why others are not."""
    numeric = table.numeric_columns()
    names = [name for name in numeric if name not in beside]
    _check_decimals(table, beside)
    if not names:
        raise _without_points(table, beside)
    known = {name: values_of(own, name) for name, own in labels.items()}
    is_kept, left_out = coordinates_among(names, table.points(names, gaps="words"), known, or_all=or_all)
    names = [*compress(names, is_kept)]
    text = tuple(name for name in table.columns if name not in numeric and name not in beside)
    return names, [*left_out, *([ColumnsLeftOut(text, "text")] if text else [])]


def _check_decimals(table: TableFile, beside: Collection[str]) -> None:
    """Raise for columns that are numbers only with the other decimal sign."""
    if not hasattr(table, "columns_of_other_decimals"):
        return
    sign, found = table.columns_of_other_decimals()
    names = [name for name in found if name not in beside]
    if not names:
        return
    has, them = ("has", "it") if len(names) == 1 else ("have", "them")
    if sign == "," == getattr(table, "separator", None):
        raise InputError(
            f"{listed([*map(repr, names)])} {has} numbers with commas, which also separate the columns: write decimal "
            "points, and nothing between thousands, or name the coordinates with ",
            Option("features"),
        )
    texts = (text for column in table.label_columns(names) for text in column.labels() if sign in str(text))
    if all(is_grouped(str(text).strip()) for text in texts):
        raise InputError(
            f"{listed([*map(repr, names)])} {has} thousands signs, or decimal {'commas' if sign == ',' else 'points'}: "
            "take thousands signs out of the file; ",
            Decimal("decimal", sign),
            " reads decimals; or name the coordinates with ",
            Option("features"),
        )
    raise InputError(
        f"{listed([*map(repr, names)])} {has} decimal {'commas' if sign == ',' else 'points'}: ",
        Decimal("decimal", sign),
        f" reads {them}, or name the coordinates with ",
        Option("features"),
    )


def _without_points(table: TableFile, beside: Collection[str]) -> InputError:
    """Make the error that says why the first other column is no coordinate."""
    known = table.columns
    others = [name for name in known if name not in beside and known.count(name) == 1]
    try:
        table.points(others[:1] or known[:1])
    except InputError as error:
        return InputError("there are no points: ", *error.parts)
    return InputError(f"{str(table.path)!r} has no numeric columns except labels: there are no points")
