"""The history of a gate: what it saw at each look, so that its verdict holds however often one looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudge.inference.differences.repeated_looks import Estimate
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.saved.savable import Savable


@dataclass(frozen=True)
class Look(Savable):
    """One run of a gate.

    Attributes
    ----------
    when : str
        Time in UTC, as in ISO 8601.
    n : float
        Number of rows, or their weight.
    rows : str
        "new" if none of them was judged before, "more" if those judged before are among them, "same" if they are the
        same rows with another new model.
    truth, model : str
        Digests of the truth and the old model, and of the new model; no row can be read from them.
    verdict, alone : str
        The verdict that holds at all looks together, and that of this look by itself.
    changes : dict of str to Estimate
        By check.
    extends : int or None
        The place of the look whose rows are the first of these.
    """

    when: str
    n: float
    rows: str
    truth: str
    model: str
    verdict: str
    alone: str
    changes: Mapping[str, Estimate] = field(default_factory=dict)
    extends: int | None = None


@dataclass(frozen=True, repr=False)
class GateHistory(Result, Savable):
    """All looks of a gate, the first one first.

    Attributes
    ----------
    looks : tuple of Look
    """

    looks: tuple[Look, ...] = ()

    def said(self) -> list[str]:
        """Say how often the gate was run."""
        return (
            [f"{len(self.looks)} looks, the last with the verdict {self.looks[-1].verdict}"]
            if self.looks
            else []
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON: the table."""
        table = self.table()
        return {"looks": [dict(zip(table.columns, row, strict=True)) for row in table.rows]}

    def table(self) -> Table:
        """One row per look."""
        rows = tuple(
            (i + 1, own.when, own.n, own.rows, own.alone, own.verdict) for i, own in enumerate(self.looks)
        )
        return Table(("look", "when", "rows", "which rows", "by itself", "all together"), rows)
