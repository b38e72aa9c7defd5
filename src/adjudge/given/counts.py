"""Counts given by the user: contingency tables, and how many instances each row stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError, InputTypeError, Option, in_words
from adjudge.given.alignment import Rows
from adjudge.given.arrays import to_numpy
from adjudge.given.data_frames import n_columns, read_data_frame
from adjudge.given.written import is_number

# Sums of counts stay within an int64, even if two tables are added.
MOST_INSTANCES = 2**62
_RAGGED = "the contingency table is ragged: give a matrix of counts"

#: Names of the rows and of the columns of a table; None if it has none.
Sides = tuple[list[Any] | None, list[Any] | None]

# What a row or a column with the sums of all others is called, if it stands alone.
_TOTALS = ("all", "sum", "total", "totals")


def checked_counts(counts: Any, rows: Rows) -> Ints | None:
    """Return the frequency weights of the remaining instances, or None if each counts once."""
    if counts is None:
        return None
    try:
        values = to_numpy(counts, "counts")
    except ValueError:
        raise InputError("counts is nested: one whole number for each instance is needed") from None
    if values.shape != (rows.n_given,):
        raise InputError(f"counts has shape {values.shape}, but there are {rows.n_given} instances")
    whole = whole_counts(values, lambda i: f"position {i}", what="counts")
    if rows.kept is not None:
        whole = whole[rows.kept]
    if not whole.any():
        raise InputError("counts are all 0: at least one instance is needed")
    return np.ascontiguousarray(whole)


def is_matrix(values: Any) -> bool:
    """Tell a table from a vector."""
    try:
        return getattr(values, "ndim", None) == 2 or np.ndim(values) == 2
    except ValueError:
        raise InputError(_RAGGED) from None


def as_count_matrix(matrix: Any) -> Ints:
    """Convert a dense contingency table to whole numbers."""
    try:
        values = to_numpy(matrix, "matrix")
    except ValueError:
        raise InputError(_RAGGED) from None
    if values.ndim != 2:
        raise InputError(f"the contingency table has shape {values.shape}: a matrix of counts is needed")
    are_shares = values.dtype.kind == "f" and bool(((values >= 0) & (values <= 1)).all())
    if are_shares and (values % 1).any() and np.allclose(values.sum(axis=1), 1):
        raise InputError(
            "the contingency table has fractions, and its rows add up to 1: memberships in soft clusters are given as "
            "adjudge.Memberships(...)"
        )
    return whole_counts(values, lambda i: str(divmod(i, values.shape[1])))


def read_frame(table: Any) -> tuple[Any, Sides]:
    """Return the counts in a data frame, and the names that it has for rows and columns; anything else as it is.

    Rows are named by the index, or by the only column of text, or of numbers if only the other columns have numbers as
    names. Numbers that are text on one side only are those of the other.
    """
    if not n_columns(table):
        return table, (None, None)
    import narwhals as nw

    frame = read_data_frame(table, "labels_true")
    index, cols = nw.maybe_get_index(frame), list(frame.columns)
    rows: list[Any] | None = None if index is None or _are_positions(index) else index.tolist()
    if rows is None and len(cols) > 1 and (naming := _naming_rows(frame)) is not None:
        rows, frame = frame[naming].to_list(), frame.drop(naming)
        cols.remove(naming)
    counts = frame.to_numpy()
    if cols in (list(range(len(cols))), [f"column_{i}" for i in range(len(cols))]):
        return counts, (rows, None)
    if rows is not None and not set(rows) & set(cols):
        written = {str(name): name for name in rows}
        cols = [written.get(str(name), name) for name in cols]
    return counts, (rows, cols)


def _are_positions(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and index.name is None and (index.start, index.step) == (0, 1)


def _naming_rows(frame: Any) -> str | None:
    """Return the column of a data frame that names its rows, if there is one."""
    of_text = [name for name, kind in frame.schema.items() if not kind.is_numeric()]
    words = [name for name in frame.columns if not is_number(str(name))]
    found = of_text or words
    return found[0] if len(found) == 1 else None


def names_of_sides(counts: Ints, named: Sides) -> tuple[Sequence[Any], Sequence[Any]]:
    """Return the names of rows and columns: of a square table with names on one side, they name both."""
    rows, cols = named
    for names, which in ((rows or [], "rows"), (cols or [], "columns")):
        if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
            raise InputError(f"the contingency table has two {which} called {in_words(twice)}: add them up")
    if total := _total(counts, rows, cols):
        raise InputError(
            f"the contingency table has the sums of all others in its {total}: leave such totals out"
        )
    n_rows, n_cols = counts.shape
    if cols is None:
        return rows or range(n_rows), rows if rows and n_rows == n_cols else range(n_cols)
    are_positions = n_rows != n_cols or set(cols) <= set(range(n_rows))
    return rows or (range(n_rows) if are_positions else cols), cols


def _total(counts: Ints, rows: list[Any] | None, cols: list[Any] | None) -> str:
    """Say which row and column hold the sums of all others: the last ones, if both have one name, or are so called."""
    if min(counts.shape) < 2:
        return ""
    sides = (("row", rows, counts), ("column", cols, counts.T))
    found = {
        which: names[-1]
        for which, names, own in sides
        if names and len(names) > 2 and (own[:-1].sum(axis=0) == own[-1]).all()
    }
    of_both = len(found) == 2 and len(set(found.values())) == 1
    named = [which for which, name in found.items() if of_both or str(name).casefold() in _TOTALS]
    return " and ".join(f"{which} {in_words(found[which])}" for which in named)


def whole_counts(
    values: NDArray[Any], place: Callable[[int], str], what: str = "the contingency table"
) -> Ints:
    """Return counts as integers; `place` names the position of an entry that is not a count."""
    if values.dtype.kind not in "iubf":
        raise InputTypeError(f"{what} has dtype {values.dtype}: counts are whole numbers")
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)
        bad = ~((values == np.floor(values)) & (np.abs(values) < 2.0**63))
    else:
        bad = np.zeros(values.shape, dtype=bool)
    bad |= values < 0
    if bad.any():
        first = int(np.argmax(bad.ravel()))
        raise InputError(
            f"{what} has {values.ravel()[first]} at {place(first)}: counts are whole numbers >= 0"
        )
    if values.sum(dtype=np.float64) > MOST_INSTANCES:
        raise InputError(f"{what} counts more than 2^62 instances")
    return values.astype(np.int64)


def names_of_clusters(labels: Sequence[Any] | None, length: int, which: str) -> Sequence[Any]:
    """Return the labels of a table's rows or columns, or their positions if none are given."""
    if labels is None:
        return range(length)
    try:
        names = list(labels)
    except TypeError:
        raise InputTypeError(Option(f"{which}_labels", labels), ": a sequence of labels is needed") from None
    if len(names) != length:
        raise InputError(f"{which}_labels has {len(names)} entries, the table has {length} {which}s")
    return names
