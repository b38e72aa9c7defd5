"""Rows under named columns, and how they are arranged for people."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

from adjudge.presentation.numbers import with_interval


@dataclass(frozen=True, repr=False)
class TableRows:
    """Named columns of equal length, row by row: what a table is without its texts."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    title: str = ""
    groups: tuple[str, ...] = ()
    foot: str = ""

    def arranged(self) -> tuple[Self, dict[int, str]]:
        """Return the table with each group's rows together, and the headings by the row that they stand above."""
        if len(set(self.groups)) < 2:
            return self, {}
        rows: list[tuple[Any, ...]] = []
        headings: dict[int, str] = {}
        for group in dict.fromkeys(self.groups):
            headings[len(rows)] = group[:1].upper() + group[1:]
            rows += [row for row, own in zip(self.rows, self.groups, strict=True) if own == group]
        return replace(self, rows=tuple(rows), groups=()), headings

    def without_empty_columns(self) -> Self:
        """Leave out empty columns, such as notes if there are none; the first column stays."""
        kept = [
            i
            for i in range(len(self.columns))
            if i == 0 or not self.rows or any(r[i] != "" for r in self.rows)
        ]
        return replace(
            self,
            columns=tuple(self.columns[i] for i in kept),
            rows=tuple(tuple(row[i] for i in kept) for row in self.rows),
        )

    def with_joined_ends(self) -> Self:
        """Put the ends of an interval, from the columns ``X_low`` and ``X_high``, beside the value in ``X``."""
        place = {name: i for i, name in enumerate(self.columns)}
        ends = {
            name: (place[f"{name}_low"], place[f"{name}_high"])
            for name in self.columns
            if f"{name}_low" in place and f"{name}_high" in place
        }
        joined = {i for both in ends.values() for i in both}
        kept = [name for i, name in enumerate(self.columns) if i not in joined]

        def cell(row: tuple[Any, ...], name: str) -> Any:
            value = row[place[name]]
            if name not in ends or row[ends[name][0]] is None:
                return value
            low, high = (float(row[i]) for i in ends[name])
            return value if math.isnan(low) else with_interval(value, (low, high))

        return replace(
            self, columns=tuple(kept), rows=tuple(tuple(cell(r, name) for name in kept) for r in self.rows)
        )
