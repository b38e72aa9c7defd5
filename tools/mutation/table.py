"""The table of outcomes by module, in results.csv; a row stays until a later run has tried at least as many mutants."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["HEAD", "Row", "read", "renewed", "total", "written"]


class Row(NamedTuple):
    """The outcomes of the mutants of a module.

    Attributes
    ----------
    module : str
    mutants : int
        The number of all mutants.
    wording, types, guards, equivalent : int
        The numbers of mutants that are not tried, by reason.
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
        """How many mutants should be tried."""
        return self.mutants - self.wording - self.types - self.guards - self.equivalent

    def cells(self) -> list[str]:
        """Return the row as text, for printing."""
        *counts, on = map(str, self)
        return [*counts, f"{100 * self.killed / self.tried:.1f} %" if self.tried else "", on]


HEAD = [*Row._fields[:-1], "share", "on"]


def read(text: str) -> dict[str, Row]:
    """Read the rows of a CSV file, without the total, by module."""
    rows = [Row(own[0], *map(int, own[1:-2]), own[-1]) for own in list(csv.reader(text.splitlines()))[1:]]
    return {row.module: row for row in rows if row.module != "all"}


def renewed(before: dict[str, Row], now: Iterable[Row]) -> dict[str, Row]:
    """Return the new rows that replace old ones: those with all mutants tried, or at least as many as before."""
    return {
        row.module: row
        for row in now
        if row.module not in before or row.tried >= min(row.wanted, before[row.module].tried)
    }


def total(rows: Iterable[Row]) -> Row:
    """Add up rows."""
    return Row("all", *(sum(column) for column in zip(*(row[1:-1] for row in rows), strict=True)), "")


def written(rows: Iterable[Row]) -> str:
    """Return the table, including the total, as CSV."""
    rows = list(rows)
    lines = [HEAD, *(row.cells() for row in [*rows, total(rows)])]
    return "".join(f"{','.join(cells)}\n" for cells in lines)
