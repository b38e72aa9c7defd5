"""Several labels per instance: matrices of 0 and 1, and lists of labels, checked and coded once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, Position, a_type, in_words
from adjudge.given.alignment import Rows, of_other_length
from adjudge.given.arrays import in_numpy
from adjudge.given.data_frames import FRAME_PACKAGES, numbers_in, read_data_frame
from adjudge.given.label_values import is_missing
from adjudge.given.label_vectors import sorted_order
from adjudge.given.labels import Column
from adjudge.given.weights import Weighting


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Which labels each instance has.

    Attributes
    ----------
    keys : ndarray of int64
        ``instance * len(labels) + label`` for each label of each instance, ascending. Memory grows with their number,
        not with that of all pairs.
    n : int
        Number of instances.
    labels : sequence of length L
    weights : ndarray of shape (n,) or None
        How much each instance counts, above 0: int64 for repetition, float64 for sampling weights.
    kept : ndarray of int64 or None
        Input positions of the remaining instances; None if all remain.
    """

    keys: Ints
    n: int
    labels: Sequence[Any]
    weights: NDArray[Any] | None = None
    kept: Ints | None = None

    @property
    def rows(self) -> Ints:
        """Instance of each key."""
        return np.asarray(self.keys // len(self.labels))

    @property
    def columns(self) -> Ints:
        """Label of each key."""
        return np.asarray(self.keys % len(self.labels))

    @property
    def total(self) -> int | float:
        """Number of instances, or their total weight."""
        return self.n if self.weights is None else self.weights.sum().item()

    @property
    def starts(self) -> Ints:
        """Position of the first key of each instance, and at the end the number of keys."""
        return np.searchsorted(self.keys, np.arange(self.n + 1) * len(self.labels))

    def given_rows(self, rows: Ints) -> Ints:
        """Return the input positions of some instances."""
        return rows if self.kept is None else self.kept[rows]

    def by_label(self) -> list[Ints]:
        """Return the instances that have each label."""
        columns = self.columns
        ends = np.cumsum(np.bincount(columns, minlength=len(self.labels)))
        return np.split(self.rows[np.argsort(columns, kind="stable")], ends[:-1])

    def take(self, positions: Ints) -> LabelSets:
        """Return some of the instances, or all in another order: instance i becomes what ``positions[i]`` was."""
        places = np.full(self.n, -1, np.int64)
        places[positions] = np.arange(positions.size)
        rows = places[self.rows]
        keys = np.sort((rows * len(self.labels) + self.columns)[rows >= 0])
        weights = None if self.weights is None else self.weights[positions]
        kept = positions if self.kept is None else self.kept[positions]
        return LabelSets(keys, int(positions.size), self.labels, weights, kept)


def read_label_sets(vectors: Mapping[str, Any], labels: Sequence[Any] | None = None) -> dict[str, LabelSets]:
    """Check and code several label sets of the same instances.

    Parameters
    ----------
    vectors : mapping of str to label sets
        Each an indicator matrix of shape (n, L), dense, sparse or a data frame with a column for each label; or a
        sequence with the labels of each instance.
    labels : sequence, optional
        All labels, in the order of the columns of matrices; default: the column names of a data frame, the column
        positions of other matrices, or the labels that occur in lists, sorted.

    Returns
    -------
    dict of str to LabelSets
        All with the same labels.
    """
    if labels is not None:
        labels = list(labels)
        if twice := [label for i, label in enumerate(labels) if label in labels[:i]]:
            raise InputError(f"classes names {in_words(twice[0])} twice")
    found = {name: read_one(given, name, labels) for name, given in vectors.items()}
    first, *others = found
    for name in others:
        if found[name].n != found[first].n:
            raise of_other_length(name, found[name].n, first, found[first].n)
    known = labels if labels is not None else _united([own.labels for own in found.values()])
    return {name: _renamed(own, known, name) for name, own in found.items()}


def weighed_sets(sets: Mapping[str, LabelSets], weighting: Weighting) -> dict[str, LabelSets]:
    """Weight the instances, and leave out those with weight 0."""
    if not weighting.is_given:
        return dict(sets)
    n = next(iter(sets.values())).n
    weights = weighting.of(Rows(n), "classification")
    assert weights is not None
    kept = np.flatnonzero(weights)
    weighed = {name: replace(own, weights=weights) for name, own in sets.items()}
    return weighed if kept.size == n else {name: own.take(kept) for name, own in weighed.items()}


def read_one(given: Any, name: str, labels: Sequence[Any] | None = None) -> LabelSets:
    """Check and code the label sets of one vector; see :func:`read_label_sets`."""
    if isinstance(given, LabelSets):
        return given
    if isinstance(given, Column):
        return read_one(given.values, given.name, labels)
    given = in_numpy(given, name)
    if hasattr(given, "tocsr"):
        return _of_matrix(given, name, labels)
    if type(given).__module__.partition(".")[0] in FRAME_PACKAGES:
        return _of_columns(read_data_frame(given, name, allow_series=True, pass_through=True), name)
    if isinstance(given, np.ndarray) and given.ndim == 2:
        return _of_matrix(given, name, labels)
    if isinstance(given, (str, bytes, Mapping)) or not hasattr(given, "__iter__"):
        raise InputTypeError(
            Argument(name), f" is {a_type(given)}: give an indicator matrix, or lists of labels"
        )
    return _of_lists(list(given), name)


def _of_columns(given: Any, name: str) -> LabelSets:
    """Read a series of lists, or a data frame: one column of lists, or a column of 0 and 1 for each label."""
    import narwhals as nw

    if not isinstance(given, nw.DataFrame):
        rows = given.to_pylist() if hasattr(given, "to_pylist") else given.to_list()
        return _of_lists(list(rows), name)
    columns = []
    for series in given.iter_columns():
        numbers = numbers_in(series)
        if numbers is None and len(given.columns) == 1:
            return _of_lists(series.to_list(), name)
        if numbers is None:
            raise InputError(
                Argument(name),
                f" has a column {series.name!r} of {series.dtype}: give one column with lists of labels, or a column "
                "of 0 and 1 for each label",
            )
        columns.append(numbers)
    return _of_matrix(np.column_stack(columns), name, list(given.columns))


def _of_matrix(given: Any, name: str, labels: Sequence[Any] | None) -> LabelSets:
    n, width = given.shape
    if labels is not None and len(labels) != width:
        raise InputError(f"classes names {len(labels)} labels, {name} has {width} columns")
    if hasattr(given, "tocsr"):
        coo = given.tocsr().tocoo()
        values, keys = np.asarray(coo.data), coo.row.astype(np.int64) * width + coo.col
        keys, values = np.sort(keys[values != 0]), values[values != 0]
    else:
        if given.dtype.kind not in "biuf":
            raise InputTypeError(
                Argument(name), f" has dtype {given.dtype}: an indicator matrix holds 0 and 1"
            )
        flat = np.ascontiguousarray(given).ravel()
        keys = np.flatnonzero(flat)
        values = flat[keys]
    if values.size and not (values == 1).all():
        odd = values[values != 1][0].item()
        raise InputError(Argument(name), f" holds {in_words(odd)}: an indicator matrix holds 0 and 1")
    return LabelSets(keys, n, list(labels) if labels is not None else list(range(width)))


def _of_lists(rows: list[Any], name: str) -> LabelSets:
    for i, row in enumerate(rows):
        if is_missing(row):
            raise InputError(
                Argument(name),
                " has no list ",
                Position(i),
                ": give an empty list if the instance has none, or leave the instance out",
            )
        if isinstance(row, (str, bytes)) or not hasattr(row, "__iter__"):
            raise InputError(
                Argument(name),
                f" has {in_words(row)} ",
                Position(i),
                ": give a list or a set with the labels of each instance",
            )
    if may_be_a_matrix(rows):
        raise InputError(
            Argument(name),
            " may be an indicator matrix or lists of the labels 0 and 1: pass a NumPy array, or sets",
        )
    numbers: dict[Any, int] = {}
    sets = [{numbers.setdefault(label, len(numbers)) for label in row} for row in rows]
    if any(map(is_blank, numbers)):
        # As in a cell of text, a blank name is no label: Python splits an empty text to [""].
        return _of_lists([[label for label in row if not is_blank(label)] for row in rows], name)
    if any(map(is_missing, numbers)):
        i = next(i for i, row in enumerate(rows) if any(map(is_missing, row)))
        raise InputError(Argument(name), " has a missing label ", Position(i), ": leave it out of the set")
    width = max(len(numbers), 1)
    rows_of = np.repeat(np.arange(len(sets)), [len(own) for own in sets])
    columns = np.fromiter((code for own in sets for code in own), np.int64, rows_of.size)
    own = LabelSets(np.sort(rows_of * width + columns), len(sets), list(numbers))
    return own if numbers else replace(own, labels=[])


def is_blank(label: Any) -> bool:
    """Whether a label is text without a sign in it."""
    return isinstance(label, str) and not label.strip()


def may_be_a_matrix(rows: list[Any]) -> bool:
    """Whether lists look like a matrix of 0 and 1: all of one length, with no other entries."""
    if not rows or not all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        return False
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2:
        return False
    return all(entry in (0, 1) for row in rows for entry in row)


def _united(labels: Sequence[Sequence[Any]]) -> Sequence[Any]:
    """Return all labels, sorted."""
    every = list(dict.fromkeys(label for own in labels for label in own))
    if not every:
        raise InputError("no instance has a label: name the labels with ", Option("classes"))
    return [every[i] for i in sorted_order(every)]


def _renamed(sets: LabelSets, known: Sequence[Any], name: str) -> LabelSets:
    """Recode label sets to other labels, or to the same labels in another order."""
    if list(sets.labels) == list(known):
        return replace(sets, labels=known)
    place = {label: i for i, label in enumerate(known)}
    if unknown := [label for label in sets.labels if label not in place]:
        raise InputError(
            Argument(name),
            f" has {in_words(unknown[0])}, which is not among the classes: name all labels with ",
            Option("classes"),
        )
    if not sets.labels:
        return replace(sets, labels=known)
    to_known = np.array([place[label] for label in sets.labels], np.int64)
    return LabelSets(np.sort(sets.rows * len(known) + to_known[sets.columns]), sets.n, known)
