"""Which columns of a file are coordinates if none are named."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from adjudge.cli.options import WhatScaling
from adjudge.cli.output import tell
from adjudge.errors import InputError
from adjudge.files.table_file import TableFile
from adjudge.given.identifiers import LOOKS_LIKE, no_coordinates
from adjudge.given.points import Points
from adjudge.given.scaling import scaled
from adjudge.presentation.numbers import listed, shortened

__all__ = ["columns_of_numbers", "find_coordinates", "other_decimals", "standardized", "tell_coordinates"]

# Files up to this size are searched for columns with a single value.
_QUICKLY_READ = 1 << 24


def find_coordinates(
    table: TableFile, labels: Container[str], *, needed: bool, option: str = "--columns"
) -> list[str]:
    """List the numeric columns that may be coordinates; say which are left out, and why, and what `option` names them.

    If coordinates are `needed` and there are none, the caller raises an error that says why.
    """
    numeric = table.numeric_columns()
    names = [name for name in numeric if name not in labels]
    if names or not needed:
        _tell_other_decimals(table, labels)
    values = _quickly_read(table, names)
    found = no_coordinates(_each_column(table, names, values), labels if isinstance(labels, Iterable) else ())
    kept = np.array([all(name not in others for others in found.values()) for name in names], bool)
    if needed or kept.any():
        for kind, (one, several) in LOOKS_LIKE.items():
            _tell_left_out(found[kind], option, f"looks like {one}", f"look like {several}")
    names = [*compress(names, kept)]
    values = None if values is None else values[:, kept]
    if values is None or not names:
        return names
    vary = _vary(values)
    _tell_left_out([*compress(names, ~vary)], option, "has one value only", "have one value only")
    names, values = [*compress(names, vary)], values[:, vary]
    copies = _copies(names, values, table, [name for name in numeric if name in labels])
    for name, label in copies.items():
        _tell_left_out([name], option, f"equals the labels {label!r}")
    return [name for name in names if name not in copies]


def columns_of_numbers(table: TableFile) -> Iterator[tuple[str, NDArray[np.float64] | None]]:
    """Yield the numeric columns of a file, None for one with gaps; a small file is read once for all of them."""
    names = table.numeric_columns()
    return _each_column(table, names, _quickly_read(table, names))


def tell_coordinates(
    names: list[str] | None,
    named: list[str] | None,
    what: str = "points from",
    option: str = "--columns",
) -> None:
    """Say which columns are coordinates, unless they were `named`."""
    if names and not named:
        tell(f"{what} {shortened(names, 12)} ({option} chooses others)")


def _tell_other_decimals(table: TableFile, labels: Container[str]) -> None:
    sign, found = other_decimals(table)
    names = [name for name in found if name not in labels]
    what = "decimal commas" if sign == "," else "decimal points"
    remedy = f"--decimal {sign} reads {'it' if len(names) == 1 else 'them'}"
    _tell_left_out(names, "", f"has {what}", f"have {what}", remedy)


def other_decimals(table: TableFile) -> tuple[str, list[str]]:
    """Return the decimal sign not in use, and the columns that are numeric only with that sign."""
    from adjudge.files.text import DelimitedTable

    return table.columns_of_other_decimals() if isinstance(table, DelimitedTable) else ("", [])


def _tell_left_out(names: Sequence[str], option: str, one: str, several: str = "", remedy: str = "") -> None:
    said = listed([repr(name) if name.strip() else "the column without a name" for name in names])
    if len(names) == 1:
        tell(f"{said} {one}, so it is not used as a coordinate ({remedy or f'{option} can include it'})")
    elif names:
        tell(
            f"{said} {several}, so they are not used as coordinates ({remedy or f'{option} can include them'})"
        )


def _quickly_read(table: TableFile, names: Sequence[str]) -> NDArray[np.float64] | None:
    """Read columns of a small file; return None for a large one, or if values are missing (reported later)."""
    path = table.path
    if not names or not path.is_file() or path.stat().st_size > _QUICKLY_READ:
        return None
    try:
        return table.points(names)
    except InputError:
        return None


def _each_column(
    table: TableFile, names: Sequence[str], values: NDArray[np.float64] | None
) -> Iterator[tuple[str, NDArray[np.float64] | None]]:
    """Yield columns; read each now if `values` is None (a large file, or missing values). None for one with gaps."""
    for place, name in enumerate(names):
        try:
            yield name, table.points([name])[:, 0] if values is None else values[:, place]
        except InputError:
            yield name, None


def _vary(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark the columns that vary; mark all if none does."""
    vary = np.asarray((values != values[:1]).any(axis=0))
    return vary if vary.any() else np.ones_like(vary)


def _copies(
    names: Sequence[str], values: NDArray[np.float64], table: TableFile, labels: Sequence[str]
) -> dict[str, str]:
    """Find columns that equal numeric labels; return none if all columns do."""
    of_labels = _quickly_read(table, labels)
    if of_labels is None:
        return {}
    copies: dict[str, str] = {}
    for label, codes in zip(labels, of_labels.T, strict=True):
        same = (values == codes[:, None]).all(axis=0).tolist()
        copies |= {name: label for name, equal in zip(names, same, strict=True) if equal}
    return copies if len(copies) < len(names) else {}


def standardized(points: Points, how: WhatScaling | None) -> Points:
    """Scale the columns, if requested."""
    return points if how is None else Points(scaled(points.values, how.value), points.columns)
