"""The table of outcomes by module. What is in the page of other runs stays until a run has tried as much anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["HEAD", "Row", "markdown", "read", "renewed", "total"]


class Row(NamedTuple):
    """What came of the mutants of a module.

    Attributes
    ----------
    module : str
    mutants : int
        All that there are.
    wording, types, guards, equivalent : int
        Those that are not tried, by the reason.
    tried, killed, survived : int
    on : str
        The day of the last trial; empty if there was none.
    """

    module: str
    mutants: int
    wording: int
    types: int
    guards: int
    equivalent: int
    tried: int
    killed: int
    survived: int
    on: str

    @property
    def wanted(self) -> int:
        """How many are to be tried."""
        return self.mutants - self.wording - self.types - self.guards - self.equivalent

    def cells(self) -> list[str]:
        """Return the row as it is printed."""
        *counts, on = map(str, self)
        return [*counts, f"{100 * self.killed / self.tried:.1f} %" if self.tried else "", on]


HEAD = [*Row._fields[:-1], "share", "on"]


def read(page: str) -> dict[str, Row]:
    """Rows of a page by module, but for the total."""
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if "|" in line]
    rows = [
        Row(cells[0], *map(int, cells[1:-2]), cells[-1])
        for cells in table
        if len(cells) == len(HEAD) and cells[1].isdecimal()
    ]
    return {row.module: row for row in rows if row.module != "all"}


def renewed(before: dict[str, Row], now: Iterable[Row]) -> dict[str, Row]:
    """Rows of this run that take the place of others: of all that is wanted, or of no less than has been tried."""
    return {
        row.module: row
        for row in now
        if row.module not in before or row.tried >= min(row.wanted, before[row.module].tried)
    }


def total(rows: Iterable[Row]) -> Row:
    """Add rows up."""
    return Row("all", *(sum(column) for column in zip(*(row[1:-1] for row in rows), strict=True)), "")


def markdown(rows: Iterable[Row]) -> str:
    """The table with the total."""
    rows = list(rows)
    lines = [HEAD, ["---", *["---:"] * (len(HEAD) - 1)], *(row.cells() for row in [*rows, total(rows)])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
