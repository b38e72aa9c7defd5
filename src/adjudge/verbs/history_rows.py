"""The rows of a look at a gate: which of them earlier looks had, in whatever order they come.

A row is known by its key. Without one, by what it holds: the truth, both models' labels, numbers and probabilities, and
the unit. That will do only where hardly two rows hold the same; otherwise new rows cannot be told from old ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option, in_words
from adjudge.given.label_vectors import Labels
from adjudge.given.row_fingerprints import combined_prints, n_shared, prints_of
from adjudge.presentation.numbers import count
from adjudge.results.comparison import Comparison
from adjudge.results.gate_history import GateHistory, Look
from adjudge.results.instances import Instances

__all__ = ["LookRows", "rows_needed"]

Prints = NDArray[np.uint64]

# Without a key, at least this share of the rows must differ from all others.
_DISTINCT = 0.99
# Without a key, up to this share of a look's rows may hold the same as others by chance.
_BY_CHANCE = 0.1
# Rows of another model, rather than rows that hold the same by chance.
_OF_ANOTHER = 0.5


@dataclass(frozen=True)
class LookRows:
    """The rows of one look, by fingerprints.

    Attributes
    ----------
    ids : ndarray of uint64 of shape (n,)
    contents : ndarray of uint64 of shape (n, columns)
        With a key, what a row holds; else the truth with the old model, and with the new one.
    units : ndarray of uint64
        Of each unit.
    has_key : bool
    """

    ids: Prints
    contents: Prints
    units: Prints
    has_key: bool

    @classmethod
    def of(cls, comparison: Comparison, key: Labels | None, units: Labels | None) -> LookRows:
        """Read the rows that were judged.

        Parameters
        ----------
        comparison : Comparison
        key, units : Labels or None
            Of all rows that were given.

        Raises
        ------
        InputError
            If only counts are known, or if nothing tells the rows apart.
        """
        if comparison._instances is None:
            raise rows_needed()
        rows = comparison.known_instances()
        prints = {name: prints_of(own) for name, own in rows.labels.items()}
        prints |= {
            name: combined_prints([prints[name], prints_of(own.values)])
            for name, own in rows.forecasts.items()
        }
        shared = [] if rows.truth is None else [prints_of(rows.truth)]
        of_units = None if units is None else _judged(units, rows, "units")
        shared += [] if of_units is None else [of_units]
        old, new = (combined_prints([*shared, prints[name]]) for name in comparison.models)
        content = combined_prints([old, new])
        known_units = np.empty(0, np.uint64) if of_units is None else np.unique(of_units)
        if key is None:
            _check_distinct(content, rows)
            return cls(content, np.column_stack([old, new]), known_units, False)
        ids = _judged(key, rows, "key")
        _check_unique(ids, key, rows)
        return cls(ids, content[:, None], known_units, True)

    def among(self, history: GateHistory) -> tuple[str | None, tuple[int, ...]]:
        """Say which rows earlier looks had.

        Returns
        -------
        str or None
            "new" if they had none, "more" if all rows of some of them are among these, None if they had all.
        tuple of int
            The places of the looks whose rows are all among these.

        Raises
        ------
        InputError
            If rows that are known are now of other models, if a part of a look's rows is among these, or units are.
        """
        looks = history.counted
        self._check_models(looks)
        every = np.concatenate([own.ids for own in looks.values()]) if looks else self.ids[:0]
        known = n_shared(every, self.ids)
        if known == self.ids.size:
            return None, ()
        inside = [i for i, own in looks.items() if n_shared(own.ids, self.ids) == own.ids.size]
        rest = {i: own for i, own in looks.items() if i not in inside}
        for i, own in rest.items():
            common = n_shared(own.ids, self.ids)
            by_chance = 0.0 if self.has_key else _BY_CHANCE * min(own.ids.size, self.ids.size)
            if common > by_chance:
                raise InputError(
                    f"{common:,} of these {self.ids.size:,} rows, and not all of that look, were judged in look "
                    f"{i + 1}: pass new rows alone, or all rows so far"
                )
            if again := np.intersect1d(own.units, self.units).size:
                have = "has" if again == 1 else "have"
                raise InputError(
                    f"{count(again, 'unit')} of these rows {have} other rows in look {i + 1}, so that the looks depend "
                    "on each other: pass rows of new units, or all rows so far"
                )
        return ("more", tuple(inside)) if inside else ("new", ())

    def _check_models(self, looks: Mapping[int, Look]) -> None:
        """Raise if rows that are known held something else at an earlier look."""
        for i, own in looks.items():
            if self.has_key:
                _, mine, theirs = np.intersect1d(self.ids, own.ids, return_indices=True)
                n_common = mine.size
                others = int(np.count_nonzero(self.contents[mine, 0] != own.contents[theirs, 0]))
            else:
                n_common = min(self.ids.size, own.ids.size)
                others = max(_n_of_another(self, own, side) for side in (0, 1))
                others = others if others >= _OF_ANOTHER * n_common else 0
            if others:
                what = ", in which a key is of one row" if self.has_key else ""
                raise InputError(
                    f"the truth, or what a model says, is not that of look {i + 1} in {count(others, 'row')}: "
                    f"a history is of one pair of models{what}; for others, name another file in ",
                    Option("history"),
                )


def rows_needed() -> InputError:
    """Return the error that only counts are known."""
    return InputError(
        Option("history"),
        " needs the rows, to know which were judged before: pass a table in memory, not one that is counted",
    )


def _n_of_another(rows: LookRows, look: Look, side: int) -> int:
    """Count rows of which one model says the same as at a look, and the other something else."""
    mine, theirs = rows.contents[:, side], look.contents[:, side]
    if np.unique(mine).size < _DISTINCT * mine.size:  # which many rows have in common
        return 0
    return n_shared(mine, theirs) - n_shared(rows.ids, look.ids)


def _judged(column: Labels, rows: Instances, option: str) -> Prints:
    """Return the fingerprints of a column in the rows that were judged."""
    if len(column) != rows.n_given:
        raise InputError(
            Option(option), f" has {len(column):,} entries, and {count(rows.n_given, 'row')} were given"
        )
    column = column.take(rows.positions)
    if column.missing is not None:
        raise InputError(Option(option), " has no entry in some rows: give every row one")
    return prints_of(column)


def _check_unique(ids: Prints, key: Labels, rows: Instances) -> None:
    """Raise if a key names several rows."""
    order = np.argsort(ids, kind="stable")
    again = np.flatnonzero(ids[order][1:] == ids[order][:-1])
    if again.size:
        name = key.take(rows.positions[order[again[:1]]]).given()[0]
        raise InputError(
            Option("key"), f" has {in_words(name)} in several rows: each row needs a name of its own"
        )


def _check_distinct(content: Prints, rows: Instances) -> None:
    """Raise if rows cannot be told apart by what they hold."""
    counts = rows.weights if rows.weights is not None and rows.weights.dtype.kind != "f" else None
    n = content.size if counts is None else int(counts.sum())
    distinct = np.unique(content).size
    if distinct < _DISTINCT * n:
        raise InputError(
            Option("history"),
            f" cannot tell new rows from those judged before: {n:,} rows hold {distinct:,} different things. Name what "
            "tells them apart, such as a number of each row, in ",
            Option("key"),
        )
