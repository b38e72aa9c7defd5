"""The history of a gate: what it saw at each look, so that its verdict holds however often one looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.inference.differences.repeated_looks import Estimate
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable

Prints = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Look(Savable):
    """One run of a gate on rows of which some had not been judged before.

    Attributes
    ----------
    when : str
        Time in UTC, as in ISO 8601.
    n : float
        Number of rows, or their weight.
    rows : str
        "new" if none of them was judged before, "more" if those of earlier looks are among them.
    verdict, alone : str
        The verdict that holds at all looks together, and that of this look by itself.
    changes : dict of str to Estimate
        By check.
    extends : tuple of int
        The places of the looks whose rows are among these, which it stands for.
    ids : ndarray of uint64
        A fingerprint of each row, by which it is found again; none if a later look stands for this one.
    contents : ndarray of uint64 of shape (n, columns)
        Fingerprints of what the truth and the models said about them.
    units : ndarray of uint64
        Fingerprints of the units.
    margins : dict of str to float
        By check, of those that have one.
    """

    when: str
    n: float
    rows: str
    verdict: str
    alone: str
    changes: Mapping[str, Estimate] = field(default_factory=dict)
    extends: tuple[int, ...] = ()
    ids: Prints = field(default_factory=lambda: np.empty(0, np.uint64))
    contents: Prints = field(default_factory=lambda: np.empty((0, 1), np.uint64))
    units: Prints = field(default_factory=lambda: np.empty(0, np.uint64))
    margins: Mapping[str, float] = field(default_factory=dict)

    @property
    def margin(self) -> float | str | None:
        """The margin, if it is the same for all checks; else each with its check."""
        if len({*self.margins.values()}) < 2:
            return next(iter(self.margins.values()), None)
        return ", ".join(f"{check} {margin:g}" for check, margin in self.margins.items())


@dataclass(frozen=True, eq=False, repr=False)
class GateHistory(Result, ByValue):
    """All looks of a gate, the first one first.

    Attributes
    ----------
    looks : tuple of Look
    of : dict of str to object
        The columns, models and options that it is of, by option.
    """

    looks: tuple[Look, ...] = ()
    of: Mapping[str, Any] = field(default_factory=dict)

    @property
    def counted(self) -> dict[int, Look]:
        """The looks that no later one stands for, by their places: each row is in one of them."""
        extended = {place for own in self.looks for place in own.extends}
        return {i: own for i, own in enumerate(self.looks) if i not in extended}

    def n_last_beyond(self, check: str, bound: float) -> int:
        """Return how many of the last looks, in succession, had a change below a bound."""
        changes = [own.changes.get(check) for own in self.looks]
        found = 0
        while found < len(changes) and (own := changes[-1 - found]) is not None and own.value < bound:
            found += 1
        return found

    def said(self) -> list[str]:
        """Say how often the gate was run."""
        return (
            [f"{len(self.looks)} looks, the last with the verdict {self.looks[-1].verdict}"]
            if self.looks
            else []
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: what it is of, and the table."""
        table = self.table()
        return {
            "of": {name: own for name, own in self.of.items() if own is not None},
            "looks": [dict(zip(table.columns, row, strict=True)) for row in table.rows],
        }

    def table(self) -> Table:
        """One row per look."""
        rows = tuple(
            (i + 1, own.when, own.n, own.rows, own.margin, own.alone, own.verdict)
            for i, own in enumerate(self.looks)
        )
        heads = ("look", "when", "rows", "which rows", "margin", "by itself", "all together")
        return Table(heads, rows)
