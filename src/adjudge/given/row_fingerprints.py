"""Fingerprints of rows: numbers by which rows are found again later, in any order, in which nothing can be read."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.given.label_sets import LabelSets
from adjudge.given.label_vectors import Labels
from adjudge.given.number_vectors import NumberVector

Prints = NDArray[np.uint64]

_BOOLEAN = {"true": "1", "false": "0"}
# The odd constants of SplitMix64.
_STEP, _FIRST, _SECOND = (
    np.uint64(own) for own in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def prints_of(column: Labels | LabelSets | NumberVector | NDArray[Any]) -> Prints:
    """Return a fingerprint of each row's entry; equal entries have equal ones, however their column is coded.

    Parameters
    ----------
    column : Labels, LabelSets, NumberVector, or ndarray of numbers of shape (n,) or (n, C)

    Examples
    --------
    >>> from adjudge.given.labels import code_labels
    >>> one, other = prints_of(code_labels(["b", "a"], "x")), prints_of(code_labels(["a", "b", "c"], "x"))
    >>> bool(one[0] == other[1]), bool(one[1] == other[0]), bool(other[2] in one)
    (True, True, False)
    """
    if isinstance(column, Labels):
        return _of_names(column.categories)[column.codes.astype(np.int64) - column.low]
    if isinstance(column, LabelSets):
        # The labels of a row come in no order.
        found = np.zeros(column.n, np.uint64)
        np.add.at(found, column.rows, _of_names(column.labels)[column.columns])
        return _mixed(found)
    values = np.asarray(column.values if isinstance(column, NumberVector) else column, np.float64)
    columns = [values] if values.ndim == 1 else list(values.T)
    return combined_prints(
        [_mixed((own + 0.0).view(np.uint64)) for own in map(np.ascontiguousarray, columns)]
    )


def combined_prints(columns: Sequence[Prints]) -> Prints:
    """Return one fingerprint of each row for several columns, whose order counts."""
    found = np.zeros_like(columns[0])
    for column in columns:
        found = _mixed(found * _SECOND + column)
    return found


def n_shared(some: Prints, others: Prints) -> int:
    """Return how many entries two collections have in common; one that occurs several times counts as often.

    Examples
    --------
    >>> import numpy as np
    >>> n_shared(np.array([1, 1, 2, 3], np.uint64), np.array([3, 1, 1, 1], np.uint64))
    3
    """
    one, n_one = np.unique(some, return_counts=True)
    other, n_other = np.unique(others, return_counts=True)
    _, places, other_places = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    return int(np.minimum(n_one[places], n_other[other_places]).sum())


def _of_names(names: Sequence[Any]) -> Prints:
    digests = (hashlib.blake2b(_text(name).encode(), digest_size=8).digest() for name in names)
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _text(name: Any) -> str:
    """Write a name as text, alike for True, "true" and 1, and for 2 and 2.0."""
    if isinstance(name, (bool, np.bool_, float, np.floating)) and float(name).is_integer():
        return str(int(name))
    return _BOOLEAN.get(text.casefold(), text) if len(text := str(name)) <= len("false") else text


def _mixed(values: Prints) -> Prints:
    """Mix all bits of each number, so that similar ones have nothing in common."""
    found = values + _STEP
    found = (found ^ (found >> np.uint64(30))) * _FIRST
    found = (found ^ (found >> np.uint64(27))) * _SECOND
    return found ^ (found >> np.uint64(31))
