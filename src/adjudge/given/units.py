"""Columns beside labels whose values say what rows belong to: sampling units, and groups of instances.

The rows of a unit are visits of a patient, sentences of a document, or orders of a customer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import Argument, InputError, Option, Position, in_words
from adjudge.given.alignment import AlignedLabels, of_other_length
from adjudge.given.labels import Column, Labels, code_labels

# What every row needs of a column beside labels, if not a group.
_ONE_OF = {"units": "a unit", "runs": "a run"}


@dataclass(frozen=True, eq=False)
class Units:
    """Which unit each row belongs to.

    Attributes
    ----------
    codes : ndarray of int64 of shape (n,)
        0, ..., n_units - 1; each occurs.
    n_units : int
    alike : ndarray of int64 of shape (n_units,) or None
        How many units have the same rows as each; None for one each.
    """

    codes: Ints
    n_units: int
    alike: Ints | None = None

    @classmethod
    def of(cls, labels: Labels) -> Units:
        """Enumerate the units that occur.

        Parameters
        ----------
        labels : Labels
            The names of the units, row by row; none is missing.
        """
        codes, names = labels.dense()
        return cls(codes, len(names))

    @classmethod
    def beside(cls, aligned: AlignedLabels, given: Any = None) -> tuple[Units | None, Units | None]:
        """Return the units that were aligned with labels, as `given`, and their runs; None for what was not given."""
        found, runs, *_ = (*map(cls.of, aligned.beside), None, None)
        if found is None or not isinstance(given, UnitsAlike):
            return found, runs
        kept, alike = aligned.rows.kept, np.empty(found.n_units, np.int64)
        alike[found.codes] = given.alike if kept is None else given.alike[kept]
        return cls(found.codes, found.n_units, alike), runs

    def take(self, positions: NDArray[Any]) -> Units:
        """Return the units of some rows (or of those under a mask)."""
        codes = self.codes[positions]
        occurring = np.bincount(codes, minlength=self.n_units) > 0
        if occurring.all():
            return Units(codes, self.n_units, self.alike)
        alike = None if self.alike is None else self.alike[occurring]
        return Units((np.cumsum(occurring) - 1)[codes], int(np.count_nonzero(occurring)), alike)

    def of_one(self, weights: Any) -> Any:
        """Return what one unit has of what all units that are alike have together in each row."""
        return weights if weights is None or self.alike is None else weights // self.alike[self.codes]


@dataclass(frozen=True, eq=False)
class UnitsAlike(Column):
    """A column of units of which one stands for all that have the same rows.

    Attributes
    ----------
    alike : ndarray of int64 of shape (n,)
        How many units the one of each row stands for.
    """

    alike: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def labels_beside(given: Any, called: str, n: int, beside: str) -> Labels:
    """Check units or groups of `n` rows that are not aligned with labels; `beside` names the input with these rows.

    Raises
    ------
    InputError
        If there is not one for each row.
    """
    labels = code_labels(given, called)
    name = given.name if isinstance(given, Column) else called
    if len(labels) != n:
        raise of_other_length(name, len(labels), beside, n)
    if labels.missing is not None:
        first, many = int(np.argmax(labels.missing)), int(labels.missing.sum())
        raise InputError(
            Argument(name),
            " has a missing value ",
            Position(first),
            f" ({many} in all): give every row {_ONE_OF.get(called, 'a group')}",
        )
    return labels


def group_columns(groups: Any) -> dict[str, Any]:
    """Return one or several columns of groups as label vectors by name."""
    if groups is None:
        return {}
    if isinstance(groups, Mapping):
        return {f"groups[{in_words(name)}]": values for name, values in groups.items()}
    if len(getattr(groups, "shape", ())) == 2 and hasattr(groups, "columns"):
        from adjudge.given.data_frames import read_data_frame

        frame = read_data_frame(groups, "groups")
        return {f"groups[{in_words(s.name)}]": s.to_native() for s in frame.iter_columns()}
    if isinstance(groups, (list, tuple)) and any(getattr(group, "ndim", 0) for group in groups):
        raise InputError(
            Option("groups"), " is a list of columns: pass a mapping of names to them, or a data frame"
        )
    return {"groups": groups}


def crossed_groups(columns: Sequence[Labels]) -> Labels | None:
    """Combine several label vectors into one, with tuples as labels."""
    if not columns:
        return None
    if len(columns) == 1:
        return columns[0]
    coded = [column.dense() for column in columns]
    stacked = np.stack([codes for codes, _ in coded], axis=1)
    distinct, codes = np.unique(stacked, axis=0, return_inverse=True)
    labels = [tuple(names[c] for c, (_, names) in zip(row, coded, strict=True)) for row in distinct.tolist()]
    return Labels(codes.ravel().astype(np.int64), 0, len(labels), labels)
