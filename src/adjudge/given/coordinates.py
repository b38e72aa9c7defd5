"""Which columns of a table are coordinates if nobody says which: numbers that measure something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import InputError, Option
from adjudge.given.arrays import MEMORY_LIMIT
from adjudge.given.data_frames import measured_numbers, numeric_matrix, read_data_frame
from adjudge.given.identifiers import LOOKS_LIKE, no_coordinates, numbers_clusters
from adjudge.given.labels import code_labels
from adjudge.given.points import ColumnsLeftOut, DataMatrix, as_points, is_data_frame


def coordinates_among(
    names: Sequence[str], values: Floats, labels: Mapping[str, NDArray[Any] | None], *, or_all: bool = True
) -> tuple[Bools, list[ColumnsLeftOut]]:
    """Mark the columns that are coordinates, and say why the others are not.

    Left out are columns that look like identifiers, labels or the output of models, those that number clusters and
    hardly differ from such labels, columns with one value, unless all have one, and columns that equal labels, unless
    all do.

    Parameters
    ----------
    names : sequence of str
    values : ndarray of float64 of shape (n, p)
        NaN where a cell is empty or holds no number.
    labels : mapping of str to ndarray of shape (n,)
        The labels to judge and the truth, by their names; None if only the name is known.
    or_all : bool, default True
        If no column would be left, all are coordinates: they are what there is.

    Raises
    ------
    InputError
        If no column would be left, without `or_all`.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.given.coordinates import coordinates_among
    >>> values = np.array([[7001, 0.5, 1], [7005, np.nan, 1], [7002, 0.25, 2]])
    >>> labels = {"km": np.array([1, 1, 2])}
    >>> is_kept, left_out = coordinates_among(["customer_id", "x", "y"], values, labels)
    >>> is_kept.tolist(), [(own.names, own.why) for own in left_out]
    ([False, True, False], [(('customer_id',), 'identifiers'), (('y',), 'copy')])
    """
    found = left_out_among(names, values, labels)
    left = {name for own in found for name in own.names}
    if len(left) == len(names):
        if or_all:
            return np.ones(len(names), bool), []
        raise InputError("no column looks like coordinates: name them with ", Option("features"))
    return np.array([name not in left for name in names], bool), found


def left_out_among(
    names: Sequence[str], values: Floats, labels: Mapping[str, NDArray[Any] | None]
) -> list[ColumnsLeftOut]:
    """Say which columns are no coordinates, and why, as `coordinates_among` does; it may be all of them."""
    columns = dict(zip(names, values.T, strict=True))
    filled = {name: column[~np.isnan(column)] for name, column in columns.items()}
    looks = no_coordinates(filled.items(), labels)
    known = [own for own in labels.values() if own is not None]
    known += [columns[name] for kind in ("labels", "output") for name in looks[kind]]
    looks["labels"] += [
        name
        for name in names
        if all(name not in own for own in looks.values())
        and copied(columns[name], labels) is None
        and numbers_clusters(filled[name])
        and any(_hardly_differ(columns[name], own) for own in known)
    ]
    found = [ColumnsLeftOut(tuple(looks[kind]), kind) for kind in LOOKS_LIKE if looks[kind]]
    rest = [name for name in names if all(name not in own.names for own in found)]
    varies = [name for name in rest if (filled[name] != filled[name][:1]).any()]
    if 0 < len(varies) < len(rest):
        found.append(ColumnsLeftOut(tuple(name for name in rest if name not in varies), "constant"))
        rest = varies
    copies = {name: label for name in rest if (label := copied(columns[name], labels)) is not None}
    if len(copies) < len(rest):
        found += [ColumnsLeftOut((name,), "copy", label) for name, label in copies.items()]
    return found


def _hardly_differ(column: Floats, labels: NDArray[Any]) -> bool:
    """Whether two groupings of the same rows agree by an adjusted Rand index of at least a half, gaps aside."""
    if labels.shape != column.shape:
        return False
    first, second = (code_labels(own, "labels") for own in (column, labels))
    is_filled = np.ones(column.size, bool)
    for own in (first, second):
        if own.missing is not None:
            is_filled &= ~own.missing
    rows, columns = (own.dense()[0][is_filled] for own in (first, second))
    if rows.size < 2:
        return False
    joint = np.bincount(rows * (columns.max() + 1) + columns)
    pairs = rows.size * (rows.size - 1.0)
    both, of_rows, of_columns = (
        float(counts @ (counts - 1)) / pairs for counts in (joint, np.bincount(rows), np.bincount(columns))
    )
    chance = of_rows * of_columns
    return 2 * (both - chance) >= (of_rows + of_columns) / 2 - chance > 0


def copied(column: NDArray[Any], labels: Mapping[str, NDArray[Any] | None]) -> str | None:
    """Return the name of the labels that a column repeats wherever it is filled."""
    is_filled = column == column
    for name, own in labels.items():
        if own is not None and own.shape == column.shape and np.equal(own, column)[is_filled].all():
            return name
    return None


def as_coordinates(
    X: Any,
    labels: Mapping[str, Any],
    *,
    memory_limit: int = MEMORY_LIMIT,
    gaps: bool = False,
    or_all: bool = True,
) -> DataMatrix:
    """Check points as `as_points` does; columns of a data frame that are no coordinates, or text, are left out.

    Parameters
    ----------
    X : as for `as_points`
    labels : mapping of str to array-like of shape (n,)
        The labels to judge and the truth, by their names.
    memory_limit : int
    gaps : bool, default False
        Allow rows with gaps; `DataMatrix.gaps` marks them.
    or_all : bool, default True
        As for `coordinates_among`.

    Returns
    -------
    DataMatrix
        `DataMatrix.left_out` says which columns are left out, and why.
    """
    if not is_data_frame(X):
        return as_points(X, memory_limit=memory_limit, gaps=gaps)
    frame = read_data_frame(X, "X", allow_series=True, pass_through=True)
    if not hasattr(frame, "iter_columns"):
        return as_points(X, memory_limit=memory_limit, gaps=gaps)
    known = {name: values_of(own, name) for name, own in labels.items()}
    columns = dict(zip(frame.columns, frame.iter_columns(), strict=True))
    copies = _repeated_text(columns, known)
    rest = [name for name in columns if name not in copies] or [*columns]
    numbers = {name: own for name in rest if (own := measured_numbers(columns[name])) is not None}
    text = [str(name) for name in rest if name not in numbers] if numbers else []
    if numbers:
        rest, values = [*numbers], np.column_stack([*numbers.values()])
    else:  # True and False are what there is, or text, which is refused
        values, _ = numeric_matrix(frame.select(*map(columns.__getitem__, rest)), "X", gaps=True)
    is_kept, left_out = coordinates_among([*map(str, rest)], values, known, or_all=or_all)
    rest = [*compress(rest, is_kept)]
    left_out += [
        ColumnsLeftOut((str(name),), "copy", label) for name, label in copies.items() if name not in rest
    ]
    left_out += [ColumnsLeftOut(tuple(text), "text")] if text else []
    points = as_points(frame.select(*map(columns.__getitem__, rest)), memory_limit=memory_limit, gaps=gaps)
    return replace(points, left_out=tuple(left_out))


def values_of(given: Any, name: str) -> NDArray[Any]:
    """Return labels as numbers, or else as text; nan or None if they are missing."""
    coded = code_labels(given, name)
    codes, known = coded.dense()
    is_numeric = all(isinstance(own, (int, float, np.number, np.bool_)) for own in known)
    values = np.array(list(known), np.float64) if is_numeric else np.array([*map(str, known)], object)
    found = values[codes] if len(known) else np.full(codes.size, np.nan)
    if coded.missing is not None:
        found[coded.missing] = np.nan if is_numeric else None
    return found


def _repeated_text(columns: Mapping[Any, Any], labels: Mapping[str, NDArray[Any]]) -> dict[Any, str]:
    """Find the columns of text that repeat labels."""
    text = {name: own for name, own in labels.items() if own.dtype == object}
    found = {}
    for name, series in columns.items() if text else ():
        if not series.dtype.is_numeric():
            cells = np.array([own if own is None else str(own) for own in series.to_list()], object)
            if (label := copied(cells, text)) is not None:
                found[name] = label
    return found
