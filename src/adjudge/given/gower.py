"""Points with columns of any kind as numbers, and Gower's distance between them.

A column of numbers lies between 0 and 1, its range among the rows that are judged; so do the places of ordered
categories. Other categories are numbers from 2 on, no two of which are closer than 1. A missing value is -1. Two rows
differ in a column by what it says of both, at most by 1; their distance is the mean over the columns that both have.

As long as rows may be left out, numbers are only divided by a power of 2, which loses no digit: they lie between -1/2
and 1/2, and NaN is missing.

References
----------
Gower (1971), A general coefficient of similarity and some of its properties, Biometrics 27, 857-871.
Kaufman & Rousseeuw (1990), Finding groups in data, section 2.6 (ordered categories by rank, as in daisy of R).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from os import PathLike
from typing import Any

import numpy as np

from adjudge.array_types import Bools, Floats, Ints
from adjudge.errors import Argument, GapError, InputError, Option, Row
from adjudge.given.arrays import numbers_of_objects, to_numpy
from adjudge.given.coordinates import copied, left_out_among, values_of
from adjudge.given.data_frames import are_flags, numbers_in, read_data_frame
from adjudge.given.labels import code_labels
from adjudge.given.points import ColumnsLeftOut, DataMatrix, is_data_frame
from adjudge.given.points_file import read_whole
from adjudge.given.written import dates_of, is_number

#: The name of the distance.
GOWER = "gower"
_MISSING, _FIRST_CATEGORY = -1.0, 2.0
# Rows whose columns in common are looked at together.
_BLOCK = 1 << 10
# Fewest rows in which a column of text without a repetition counts as an identifier.
_MANY = 20
_TIMES = (date, timedelta, np.datetime64, np.timedelta64)


def gower_points(X: Any, labels: Mapping[str, Any] | None = None, *, gaps: bool = False) -> DataMatrix:
    """Code points of mixed columns, so that `over_ranges` can bring them to one scale.

    Parameters
    ----------
    X : data frame, mapping of str to columns, array-like of shape (n, p), path, or DataMatrix that is coded
        Numbers, booleans, text, and categories, ordered or not; empty cells are missing.
    labels : mapping of str to array-like of shape (n,), optional
        The labels to judge and the truth, by their names: named columns that repeat them, and those that
        `coordinates_among` leaves out of numbers, are left out. Default: all columns are meant.
    gaps : bool, default False
        Allow empty rows; `DataMatrix.gaps` marks them.

    Raises
    ------
    InputError
        If a column is of no such kind, as dates are, or holds numbers as text, or if a row is empty.

    Examples
    --------
    >>> import pandas as pd
    >>> from adjudge.given.gower import gower_between, gower_points, over_ranges
    >>> frame = pd.DataFrame({"age": [20, 30, 60], "plan": ["a", "b", None]})
    >>> coded = over_ranges(gower_points(frame).values)
    >>> gower_between(coded, coded).round(3).tolist()
    [[0.0, 0.625, 1.0], [0.625, 0.0, 0.75], [1.0, 0.75, 0.0]]
    """
    if isinstance(X, DataMatrix):
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
    is_empty: Bools = np.all(np.isnan(values), axis=1)
    if is_empty.any() and not gaps:
        raise GapError(
            Argument("X"),
            " has nothing ",
            Row(int(np.argmax(is_empty))),
            ": fill in or leave out such points",
        )
    return DataMatrix(
        values,
        list(coded) if has_names else None,
        gaps=is_empty if is_empty.any() else None,
        left_out=tuple(left_out) if names else (),
    )


def over_ranges(values: Floats, rows: Ints | None = None, among: Floats | None = None) -> Floats:
    """Divide columns of numbers by their ranges among the rows that are judged.

    Parameters
    ----------
    values : ndarray of float64 of shape (n, p)
        Rows of coded points.
    rows : ndarray of int of shape (n,), optional
        Their positions, for messages. Default: these are all rows.
    among : ndarray of float64 of shape (m, p), optional
        All rows that are judged, of which `values` are a sample. Default: these are all.

    Raises
    ------
    InputError
        If two rows have no column in common.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.given.gower import gower_points, over_ranges
    >>> coded = gower_points(np.array([20, 30, 60, 900])).values
    >>> over_ranges(coded[:3]).ravel().tolist()
    [0.0, 0.25, 1.0]
    """
    _check_common(values, rows)
    found = np.full(values.shape, _MISSING)
    for own, column, judged in zip(found.T, values.T, (values if among is None else among).T, strict=True):
        is_there = ~np.isnan(column)
        there = column[is_there]
        if there.size and there[0] < _FIRST_CATEGORY:
            least, most = float(np.nanmin(judged)), float(np.nanmax(judged))
            there = (there - least) / (most - least or 1.0)
        own[is_there] = there
    return found


def _no_coordinates(columns: Mapping[str, Any], labels: Mapping[str, Any]) -> list[ColumnsLeftOut]:
    """Find the columns that repeat labels, those of numbers that measure nothing, and identifiers as text."""
    known = {name: values_of(own, name) for name, own in labels.items()}
    found = [ColumnsLeftOut((name,), "copy", label) for name, own in columns.items()
             if (label := copied(own if _are_numbers(own) else values_of(own, name), known)) is not None]  # fmt: skip
    copies = {name for own in found for name in own.names}
    numbers = [name for name, own in columns.items() if name not in copies and _are_numbers(own)]
    if numbers:
        found += left_out_among(numbers, np.column_stack([columns[name] for name in numbers]), known)
    texts = [name for name, own in columns.items() if name not in copies and not _are_numbers(own)]
    looks = tuple(name for name in texts if _are_all_different(columns[name], name))
    return [*found, ColumnsLeftOut(looks, "identifiers")] if looks else found


def _are_all_different(column: Any, name: str) -> bool:
    """Whether each of many rows has a category of its own, and these are no fractions as text."""
    values = code_labels(column, name)
    if len(values) < _MANY or values.missing is not None or len(values.present) < len(values):
        return False
    known = values.dense()[1]
    return not _are_numerals(known) or all(own.strip().isdigit() for own in known)


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
    if isinstance(X, (str, PathLike)):
        return _columns_of(read_whole(X, "X"))
    if isinstance(X, Mapping):
        return {str(name): _numbers_or_given(own) for name, own in X.items()}
    if is_data_frame(X):
        frame = read_data_frame(X, "X")
        columns = {str(own.name): own for own in frame.iter_columns()}
        read = {name: None if are_flags(own) else numbers_in(own) for name, own in columns.items()}
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


def _are_numerals(known: Sequence[Any]) -> bool:
    """Whether there are more than two categories, all numbers as text; two are as far apart as numbers."""
    return len(known) > 2 and all(
        isinstance(own, str) and is_number(own.strip().replace(",", ".")) for own in known
    )


def _are_categories(column: Any) -> bool:
    """Whether the type of a column says that it holds categories."""
    import narwhals as nw

    series = nw.from_native(column, series_only=True, pass_through=True)
    return isinstance(series, nw.Series) and series.dtype in (nw.Categorical, nw.Enum)


def _coded(column: Any, name: str) -> Floats:
    """Return a column as numbers between -1/2 and 1/2, or from 2 on, and NaN where it is missing."""
    if _are_numbers(column):
        return _small(column, name)
    labels = code_labels(column, f"column {name!r}")
    codes, known = labels.dense()
    if known and (isinstance(known[0], _TIMES) or dates_of(known) is not None):
        raise InputError(
            Argument("X"),
            f" has the dates {name!r}: give their distance in days as a number, or name the other columns with ",
            Option("features"),
        )
    if labels.order is None and _are_numerals(known) and not _are_categories(column):
        raise InputError(
            Argument("X"),
            f" has numbers as text, such as {known[0]!r}, in column {name!r}: convert them to numbers, or put a letter "
            "before each if they are codes",
        )
    places = codes.astype(np.float64)
    if labels.order is not None:
        rank = {label: i for i, label in enumerate(labels.order)}
        places = np.array([rank[label] for label in known], np.float64)[codes]
    if labels.missing is not None:
        places = np.where(labels.missing, np.nan, places)
    return places + _FIRST_CATEGORY if labels.order is None else _small(places, name)


def _small(numbers: Floats, name: str) -> Floats:
    if np.isinf(numbers).any():
        row = int(np.argmax(np.isinf(numbers)))
        raise InputError(
            Argument("X"), " has an infinite value ", Row(row, name), ": fill in or leave out such points"
        )
    _, exponent = np.frexp(np.abs(numbers[~np.isnan(numbers)]).max(initial=0.0))
    return np.asarray(np.ldexp(numbers, -exponent - 1))


def _check_common(values: Floats, rows: Ints | None) -> None:
    """Raise if two rows have no column in common."""
    patterns, first = np.unique(~np.isnan(values), axis=0, return_index=True)
    if patterns.all():
        return
    there = patterns.astype(np.float64)
    for start in range(0, len(there), _BLOCK):
        apart = there[start : start + _BLOCK] @ there.T == 0
        if apart.any():
            i, j = np.argwhere(apart)[0]
            pair = np.sort(first[[start + i, j]])
            one, other = (pair if rows is None else rows[pair]).tolist()
            raise InputError(
                Argument("X"),
                " has no column that is filled both ",
                Row(one),
                " and ",
                Row(other),
                ", so that their distance is not known: leave out one of these rows",
            )
