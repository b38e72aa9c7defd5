"""Points with columns of any kind as numbers, and Gower's distance between them.

A column of numbers lies between 0 and 1, its range; so do the places of ordered categories. Other categories are
numbers from 2 on, no two of which are closer than 1. A missing value is -1. Two rows differ in a column by what it says
of both, at most by 1, and their distance is the mean over the columns that both have.

References
----------
Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27, 857-871.
Kaufman & Rousseeuw (1990), Finding groups in data, section 2.6 (ordered categories by rank, as in daisy of R).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import Argument, InputError, Option, Row
from adjudge.given.arrays import numbers_of_objects, to_numpy
from adjudge.given.coordinates import copied, values_of
from adjudge.given.data_frames import numbers_in, read_data_frame
from adjudge.given.identifiers import no_coordinates
from adjudge.given.labels import code_labels
from adjudge.given.points import ColumnsLeftOut, Points, is_data_frame

#: The name of the distance.
GOWER = "gower"
_MISSING, _FIRST_CATEGORY = -1.0, 2.0
# Rows whose columns in common are looked at together.
_BLOCK = 1 << 10
# Fewest rows in which a column of text without a repetition counts as an identifier.
_MANY = 20
_TIMES = (date, timedelta, np.datetime64, np.timedelta64)


def gower_points(X: Any, labels: Mapping[str, Any] | None = None) -> Points:
    """Code points of mixed columns.

    Parameters
    ----------
    X : data frame, mapping of str to columns, array-like of shape (n, p), or Points that are coded
        Numbers, booleans, text, and categories, ordered or not; empty cells are missing.
    labels : mapping of str to array-like of shape (n,), optional
        The labels to judge and the truth, by their names: named columns that repeat them, or look like identifiers, are
        left out. Default: all columns are meant.

    Returns
    -------
    Points

    Raises
    ------
    InputError
        If a column is of no such kind, as dates are, or if two rows have no column in common.

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge.given.gower import gower_between, gower_points
    >>> frame = pd.DataFrame({"age": [20, 30, 60], "plan": ["a", "b", None]})
    >>> coded = gower_points(frame).values
    >>> gower_between(coded, coded).round(3).tolist()
    [[0.0, 0.625, 1.0], [0.625, 0.0, 0.75], [1.0, 0.75, 0.0]]
    """
    if isinstance(X, Points):
        return X
    if hasattr(X, "tocsr"):
        raise InputError(Argument("X"), " is sparse, and Gower's distance reads columns: pass X.toarray()")
    columns, left_out = _columns_of(X), list[ColumnsLeftOut]()
    has_names = isinstance(X, Mapping) or is_data_frame(X)
    if labels is not None and has_names:
        left_out = _no_coordinates(columns, labels)
    names = {name for own in left_out for name in own.names}
    names = names if len(names) < len(columns) else set()
    coded = {name: _coded(own, name) for name, own in columns.items() if name not in names}
    if not coded or len(next(iter(coded.values()))) == 0:
        raise InputError(
            Argument("X"), " has no columns, or no rows: at least one point and one column are needed"
        )
    values = np.column_stack(list(coded.values()))
    _check_common(values)
    return Points(values, list(coded) if has_names else None, left_out=tuple(left_out) if names else ())


def _no_coordinates(columns: Mapping[str, Any], labels: Mapping[str, Any]) -> list[ColumnsLeftOut]:
    """Find the columns that repeat labels, and those with a value of its own for each row, as identifiers have."""
    known = {name: values_of(own, name) for name, own in labels.items()}
    numbers = {name: own[~np.isnan(own)] for name, own in columns.items() if _are_numbers(own)}
    found = [ColumnsLeftOut((name,), "copy", label) for name, own in columns.items()
             if (label := copied(own if _are_numbers(own) else values_of(own, name), known)) is not None]  # fmt: skip
    copies = {name for own in found for name in own.names}
    looks = [*no_coordinates(numbers.items())["identifiers"]]
    looks += [
        name for name, own in columns.items() if not _are_numbers(own) and _are_all_different(own, name)
    ]
    looks = [name for name in looks if name not in copies]
    return found + ([ColumnsLeftOut(tuple(looks), "identifiers")] if looks else [])


def _are_all_different(column: Any, name: str) -> bool:
    """Whether each of many rows has a category of its own."""
    values = code_labels(column, name)
    return len(values) >= _MANY and values.missing is None and len(values.present) == len(values)


def gower_between(one: Floats, other: Floats) -> Floats:
    """Return the distance of each of some coded rows to each of others; nan if they have no column in common."""
    total, common = np.zeros((len(one), len(other))), np.zeros((len(one), len(other)))
    for x, y in zip(one.T, other.T, strict=True):
        both = (x >= 0)[:, None] & (y >= 0)
        total += both * np.minimum(np.abs(x[:, None] - y), 1.0)
        common += both
    with np.errstate(invalid="ignore"):
        return np.asarray(total / common)


def _columns_of(X: Any) -> dict[str, Any]:
    """Return the columns by name: arrays of numbers, or series of anything else."""
    if isinstance(X, Mapping):
        return {str(name): _numbers_or_given(own) for name, own in X.items()}
    if is_data_frame(X):
        frame = read_data_frame(X, "X")
        columns = {str(own.name): own for own in frame.iter_columns()}
        read = {name: numbers_in(own) for name, own in columns.items()}
        return {name: columns[name].to_native() if own is None else own for name, own in read.items()}
    given = to_numpy(X, "X")
    given = given[:, None] if given.ndim == 1 else given
    if given.ndim != 2:
        raise InputError(
            Argument("X"), f" has shape {given.shape}: points are a matrix with one row per point"
        )
    return {str(i): _numbers_or_given(own) for i, own in enumerate(given.T)}


def _numbers_or_given(column: Any) -> Any:
    if isinstance(column, (np.ndarray, list)):
        # A masked array lists None for what is missing.
        cells = np.array(column.tolist(), object) if np.ma.isMaskedArray(column) else np.asarray(column)
        own = numbers_of_objects(cells)
        return own.astype(np.float64) if own.dtype.kind in "iubf" else column
    return column


def _are_numbers(column: Any) -> bool:
    return isinstance(column, np.ndarray) and column.dtype == np.float64


def _coded(column: Any, name: str) -> Floats:
    """Return a column as numbers between 0 and 1, or from 2 on, and -1 where it is missing."""
    if _are_numbers(column):
        return _by_range(column, name)
    labels = code_labels(column, f"column {name!r}")
    codes, known = labels.dense()
    if known and isinstance(known[0], _TIMES):
        raise InputError(
            Argument("X"),
            f" has the dates {name!r}: give their distance in days as a number, or name the other columns with ",
            Option("features"),
        )
    places = codes.astype(np.float64)
    if labels.order is not None:
        rank = {label: i for i, label in enumerate(labels.order)}
        places = np.array([rank[label] for label in known], np.float64)[codes]
    if labels.missing is not None:
        places = np.where(labels.missing, np.nan, places)
    if labels.order is not None:
        return _by_range(places, name)
    return np.where(np.isnan(places), _MISSING, places + _FIRST_CATEGORY)


def _by_range(numbers: Floats, name: str) -> Floats:
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise InputError(
            Argument("X"), " has an infinite value ", Row(row, name), ": fill in or leave out such points"
        )
    missing = np.isnan(numbers)
    if missing.all():
        return np.full(numbers.size, _MISSING)
    low, high = float(numbers[~missing].min()), float(numbers[~missing].max())
    # Halves, since the range of very large numbers would overflow.
    return np.where(missing, _MISSING, (numbers / 2 - low / 2) / ((high / 2 - low / 2) or 1.0))


def _check_common(values: Floats) -> None:
    """Raise if two rows have no column in common."""
    patterns, first = np.unique(values >= 0, axis=0, return_index=True)
    if patterns.all():
        return
    there = patterns.astype(np.float64)
    for start in range(0, len(there), _BLOCK):
        apart = there[start : start + _BLOCK] @ there.T == 0
        if apart.any():
            i, j = (int(own) for own in np.argwhere(apart)[0])
            rows = sorted((int(first[start + i]), int(first[j])))
            which = (
                f"row {rows[0]} is empty"
                if rows[0] == rows[1]
                else f"rows {rows[0]} and {rows[1]} have no column"
            )
            end = "" if rows[0] == rows[1] else " in common"
            raise InputError(
                Argument("X"), f": {which}{end}, so that their distance is not known: leave out such rows"
            )
