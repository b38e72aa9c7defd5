"""The HTML page of a reproduction, with its figures."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from adjudge._report.render import environment_of
from adjudge.presentation.numbers import show_number
from adjudge_papers.verdicts import Cell, tally

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_svg", "render"]


def render(result: object, cells: Sequence[Cell], drawings: Mapping[str, str]) -> str:
    """Fill in the page of a reproduction."""
    environment = environment_of("adjudge_papers")
    from markupsafe import Markup

    environment.filters["shown"] = show_number
    style = files("adjudge._report").joinpath("static", "report.css").read_text(encoding="utf-8")
    printed = {table: [cell for cell in cells if cell.table == table] for table in tally(cells)}
    return environment.get_template("reproduction.html.j2").render(
        result=result,
        printed_tables=printed,
        drawings={name: Markup(drawing[drawing.index("<svg") :]) for name, drawing in drawings.items()},
        style=Markup(style),
    )


def as_svg(figure: Figure) -> str:
    """Draw a figure as SVG."""
    import matplotlib

    out = io.StringIO()
    # Fixed identifiers and no date: the same figure gives the same file.
    with matplotlib.rc_context({"svg.hashsalt": "adjudge", "svg.fonttype": "path"}):
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()
