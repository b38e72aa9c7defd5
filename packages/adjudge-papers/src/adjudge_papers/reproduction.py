"""The result of repeating a published experiment: cells beside the printed ones, findings, tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from adjudge.atomic import write_atomically
from adjudge.errors import InputError, Option
from adjudge.presentation.plain import plain_json
from adjudge.presentation.tables import Table
from adjudge_papers.verdicts import AGREE, Cell, Finding, tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Reproduction"]


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction:
    """Result of an experiment.

    Attributes
    ----------
    name, title, source : str
    cells : tuple of Cell
        Every printed cell beside ours.
    findings : tuple of Finding
        Checked statements of the paper.
    tables : dict of str to Table
        Results without a printed counterpart, by file name.
    figures : dict of str to callable
        Functions that draw a :class:`matplotlib.figure.Figure`, by file name.
    files : dict of str to callable
        Functions that write further results to a binary stream, by full file name.
    notes : tuple of str
        What readers should know: how the settings were found, what is reduced, what is missing.
    settings : dict
    """

    name: str
    title: str
    source: str
    cells: tuple[Cell, ...] = ()
    findings: tuple[Finding, ...] = ()
    tables: dict[str, Table] = field(default_factory=dict)
    figures: dict[str, Callable[[], Figure]] = field(default_factory=dict)
    files: dict[str, Callable[[IO[bytes]], object]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def table_of_cells(self, table: str | None = None) -> Table:
        """Return one row per cell of one printed table, or of all."""
        rows = tuple(
            (c.table, c.row, c.column, c.printed, c.ours, c.verdict, c.note)
            for c in self.cells
            if table is None or c.table == table
        )
        return Table(("table", "row", "column", "printed", "ours", "verdict", "note"), rows)

    def summary(self) -> Table:
        """Return one row per printed table: the numbers of cells, of agreeing cells, and of each verdict."""
        rows = []
        for table, counts in tally(self.cells).items():
            verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            rows.append((table, counts.total(), sum(counts[v] for v in AGREE), verdicts))
        return Table(("table", "cells", "agree", "verdicts"), tuple(rows), "Printed cells and ours")

    def findings_table(self) -> Table:
        """Return one row per statement."""
        rows = ((f.statement, "holds" if f.holds else "does not hold", f.evidence) for f in self.findings)
        return Table(("statement", "verdict", "evidence"), tuple(rows), "Statements checked")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain JSON."""
        return {
            "kind": "reproduction",
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "settings": plain_json(self.settings),
            "notes": list(self.notes),
            "summary": plain_json(self.summary().records()),
            "cells": plain_json(self.table_of_cells().records()),
            "findings": plain_json(self.findings_table().records()),
            "tables": {name: plain_json(table.records()) for name, table in self.tables.items()},
        }

    def text(self) -> str:
        """Return everything as text for a terminal: each cell beside the printed one, then the findings."""
        parts = [self.title, self.source]
        parts += [_without(self.table_of_cells(table), "table", table).text() for table in tally(self.cells)]
        parts += [table.text() for table in self.tables.values()]
        parts += [
            f"[{'holds' if f.holds else 'does not hold'}] {f.statement}\n    {f.evidence}"
            for f in self.findings
        ]
        if self.cells:
            parts.append(self.summary().text())
        parts += [f"Note: {note}" for note in self.notes]
        return "\n\n".join(parts)

    def __repr__(self) -> str:
        parts = [self.title, *([self.summary().text()] if self.cells else []), *self.notes]
        return "\n\n".join(parts)

    def write(self, output: str | Path) -> list[Path]:
        """Write the tables as CSV, the figures as SVG and a page with everything.

        Parameters
        ----------
        output : str or Path
            A folder; created if it does not exist.

        Returns
        -------
        list of Path
            The files written, the page first.
        """
        from adjudge_papers.page import as_svg, render

        folder = Path(output)
        if folder.exists() and not folder.is_dir():
            raise InputError(Option("output", str(output)), " is a file: name a folder")
        folder.mkdir(parents=True, exist_ok=True)
        drawings = {name: as_svg(draw()) for name, draw in self.figures.items()}
        written = [write_atomically(folder / f"{self.name}.html", render(self, self.cells, drawings))]
        if self.cells:
            written.append(write_atomically(folder / "cells.csv", self.table_of_cells().csv()))
        if self.findings:
            written.append(write_atomically(folder / "findings.csv", self.findings_table().csv()))
        for name, table in self.tables.items():
            written.append(write_atomically(folder / f"{name}.csv", table.csv()))
        for name, drawing in drawings.items():
            written.append(write_atomically(folder / f"{name}.svg", drawing))
        written += [write_atomically(folder / name, write) for name, write in self.files.items()]
        return written


def _without(table: Table, column: str, title: str) -> Table:
    at = table.columns.index(column)
    return Table(
        table.columns[:at] + table.columns[at + 1 :],
        tuple(row[:at] + row[at + 1 :] for row in table.rows),
        title,
    )
