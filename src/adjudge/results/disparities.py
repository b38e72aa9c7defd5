"""How far the predictions for groups of instances lie apart: demographic parity and equalized odds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from adjudge.errors import joined
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge.results.differences import words_of_group


@dataclass(frozen=True, slots=True)
class Disparity:
    """The largest difference of a rate between groups, or the smallest ratio.

    Attributes
    ----------
    name : str
        "demographic_parity_difference", "demographic_parity_ratio", "equalized_odds_difference" or
        "equalized_odds_ratio".
    rate : str
        The rate that differs most: "selection_rate"; for equalized odds "recall" or "false_positive_rate".
    highest, lowest : object
        The groups between which it does; None if no group differs, or the value is undefined.
    value : float
        nan if it is undefined.
    reason : str or None
        Why it is undefined.
    low, high : float or None
        Confidence interval, if requested and possible.
    interval_reason : str or None
        Why it is missing.
    of_class : object
        The class whose predictions are compared, if a reader needs to be told.
    """

    name: str
    rate: str
    highest: Any
    lowest: Any
    value: float
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval_reason: str | None = None
    of_class: Any = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The confidence interval (low, high), None if there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        names = (
            "name",
            "rate",
            "highest",
            "lowest",
            "value",
            "reason",
            "interval",
            "interval_reason",
            "of_class",
        )
        return {name: plain_json(getattr(self, name)) for name in names}


def disparities_table(rows: Iterable[Disparity]) -> Table:
    """One row per disparity, with the groups that are farthest apart."""
    rows = list(rows)
    columns: dict[str, Callable[[Disparity], Any]] = {
        "disparity": lambda own: own.name,
        "value": lambda own: own.value,
        "low": lambda own: own.low,
        "high": lambda own: own.high,
        "rate": lambda own: own.rate,
        "highest": lambda own: "" if own.highest is None else words_of_group(own.highest),
        "lowest": lambda own: "" if own.lowest is None else words_of_group(own.lowest),
        "note": lambda own: joined(part for part in (own.reason, own.interval_reason) if part),
    }
    of = "" if not rows or rows[0].of_class is None else f", predicted as {rows[0].of_class}"
    foot = ""
    if any(row.interval for row in rows):
        foot = "The intervals hold at least at their level: those of all pairs of groups hold together."
    return Table.of(rows, columns, f"Between groups{of}", foot=foot, optional=[("low", "high")])
