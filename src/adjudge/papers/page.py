"""A reproduction as files: CSV tables, SVG figures and one page that holds all of it."""

from __future__ import annotations

import io
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from adjudge._report.render import environment_of
from adjudge.atomic import write_atomically
from adjudge.papers.verdicts import tally
from adjudge.presentation.tables import show_number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from adjudge.papers.reproduction import Reproduction

__all__ = ["write_pages"]


def write_pages(result: Reproduction, folder: Path) -> list[Path]:
    """Write the page and, beside it, the tables and figures on it."""
    drawings = {name: _svg(draw()) for name, draw in result.figures.items()}
    page = write_atomically(folder / f"{result.name}.html", _render(result, drawings))
    written = [page]
    if result.cells:
        written.append(write_atomically(folder / "cells.csv", result.table_of_cells().csv()))
    if result.findings:
        written.append(write_atomically(folder / "findings.csv", result.findings_table().csv()))
    for name, table in result.tables.items():
        written.append(write_atomically(folder / f"{name}.csv", table.csv()))
    for name, drawing in drawings.items():
        written.append(write_atomically(folder / f"{name}.svg", drawing))
    written += [write_atomically(folder / name, write) for name, write in result.files.items()]
    return written


def _render(result: Reproduction, drawings: dict[str, str]) -> str:
    environment = environment_of("adjudge.papers", "the page")
    from markupsafe import Markup

    environment.filters["shown"] = show_number
    style = files("adjudge._report").joinpath("static", "report.css").read_text(encoding="utf-8")
    return environment.get_template("reproduction.html.j2").render(
        result=result,
        printed_tables={
            table: [cell for cell in result.cells if cell.table == table] for table in tally(result.cells)
        },
        drawings={name: Markup(drawing[drawing.index("<svg") :]) for name, drawing in drawings.items()},
        style=Markup(style),
    )


def _svg(figure: Figure) -> str:
    import matplotlib

    out = io.StringIO()
    # Fixed identifiers and no date: the same figure gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "adjudge", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
