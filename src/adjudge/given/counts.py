"""Counts given by the user: contingency tables, and how many instances each row stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError, InputTypeError, Option
from adjudge.given.alignment import Rows
from adjudge.given.arrays import to_numpy

# Sums of counts stay within an int64, even if two tables are added.
MOST_INSTANCES = 2**62
_RAGGED = "the contingency table is ragged: give a matrix of counts"


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
