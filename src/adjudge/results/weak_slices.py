"""What `weak_slices` returns: slices of the rows in which a model is worse than elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, in_words
from adjudge.presentation.numbers import count, percent_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.notice import Notice
from adjudge.saved.omitted import OfRows, fields_of
from adjudge.saved.savable import Savable


@dataclass(frozen=True)
class WeakSlice(Savable):
    """One slice: found in one half of the rows, and tested on the other.

    Attributes
    ----------
    words : str
        The conditions: "age > 60 and region = north".
    n : int
        Rows of the slice, in both halves.
    n_tested : int
        Those in the half that it was tested on; all figures are of this half.
    inside, outside : float
        Mean loss in the slice, and in all other rows.
    low, high : float or None
        Confidence interval of their difference, if there is one.
    p_value, adjusted_p_value : float or None
        Of a test that they are equal; with Holm's correction for all slices that were tested.
    reason : str or None
        Why there is no interval.
    """

    words: str
    n: int
    n_tested: int
    inside: float
    outside: float
    low: float | None
    high: float | None
    p_value: float | None
    adjusted_p_value: float | None
    reason: str | None = None

    @property
    def difference(self) -> float:
        """How much higher the mean loss is in the slice."""
        return self.inside - self.outside


@dataclass(frozen=True, eq=False, repr=False)
class WeakSlices(Result, Savable):
    """The slices in which a model is worse than elsewhere.

    Attributes
    ----------
    tested : tuple of WeakSlice
        All slices that were tested, the most certain first.
    loss : str
        What is compared, in words: "share wrong", "more wrong than before".
    n, n_looked_at : int
        Number of rows, and of slices that were looked at in one half of them.
    confidence : float
    columns : tuple
        Those that define slices.
    warnings : tuple of Notice
    """

    tested: tuple[WeakSlice, ...]
    loss: str
    n: int
    n_looked_at: int
    confidence: float
    columns: tuple[Any, ...]
    warnings: tuple[Notice, ...] = ()
    _rows: tuple[NDArray[np.int64], ...] = ()

    @property
    def slices(self) -> tuple[WeakSlice, ...]:
        """The slices that the test finds worse than the rest; empty if there are none."""
        level = 1 - self.confidence
        return tuple(
            own
            for own in self.tested
            if own.adjusted_p_value is not None and own.adjusted_p_value <= level and own.difference > 0
        )

    def _saved_fields(self) -> dict[str, Any]:
        return fields_of(self) | {"_rows": OfRows(self._rows, ())}

    def rows(self, words: str) -> NDArray[np.int64]:
        """Return the positions of the rows of a tested slice, counted from 0.

        Parameters
        ----------
        words : str
            Of the slice, as in its table.
        """
        known = {own.words: rows for own, rows in zip(self.tested, self._rows, strict=False)}
        if words not in known:
            some = ", ".join(map(repr, list(known)[:3])) or "none, as they were not saved"
            raise InputError(f"no slice {in_words(words)} was tested: choose one of {some}")
        return known[words]

    def said(self) -> list[str]:
        """Say how many slices are worse, and how they were found."""
        found = self.slices
        worst = f": {found[0].words}" if len(found) == 1 else ""
        are = "is" if len(found) == 1 else "are"
        if not self.n_looked_at:
            return [f"No slice of the rows could be looked at\n({count(len(self.columns), 'column')})"]
        head = f"{count(len(found), 'slice')} of the rows {are} worse than the rest{worst}"
        # Some of those that were tested may look better in the other half.
        n = len(self.tested)
        tested = "the one that looks worst there was" if n == 1 else f"the {n} that look worst there were"
        how = (
            f"{count(self.n_looked_at, 'slice')} of {count(len(self.columns), 'column')} looked at in one half of "
            f"{self.n:,} rows; {tested} tested on the other half, at "
            f"{percent_text(1 - self.confidence)} for all together"
        )
        return [f"{head if found else 'No slice of the rows is seen to be worse than the rest'}\n({how})"]

    def notes(self) -> list[str]:
        """Return the warnings as one paragraph."""
        return ["\n".join(map(str, self.warnings))] if self.warnings else []

    def table(self) -> Table:
        """One row per tested slice."""
        columns: dict[str, Any] = {
            "slice": lambda own: own.words,
            "rows": lambda own: own.n,
            self.loss: lambda own: own.inside,
            "elsewhere": lambda own: own.outside,
            "difference": lambda own: own.difference,
            "low": lambda own: own.low,
            "high": lambda own: own.high,
            "p (Holm)": lambda own: own.adjusted_p_value,
            "note": lambda own: own.reason,
        }
        return Table.of(self.tested, columns, optional=[("note",)])

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        found = {own.words for own in self.slices}
        return {
            "kind": "weak_slices",
            "loss": self.loss,
            "n": self.n,
            "n_looked_at": self.n_looked_at,
            "confidence": self.confidence,
            "columns": plain_json(list(self.columns)),
            "tested": [
                {**plain_json(vars(own)), "difference": own.difference, "worse": own.words in found}
                for own in self.tested
            ],
            "warnings": [notice.to_dict() for notice in self.warnings],
        }
