"""Figures in files: what `--plot` of several commands writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from adjudge.atomic import check_writable, write_atomically
from adjudge.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["check_plot", "write_figure"]

#: Formats of figures, by file ending.
PLOT_FORMATS = {".png": "png", ".svg": "svg", ".pdf": "pdf"}


def check_plot(path: Path | None) -> None:
    """Raise unless a figure can be written to this path."""
    if path is None:
        return
    if path.suffix.lower() not in PLOT_FORMATS:
        raise InputError(f"--plot {str(path)!r} must end in one of {', '.join(PLOT_FORMATS)}")
    check_writable(path)


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format given by the ending of its file."""
    write_atomically(path, lambda stream: figure.savefig(stream, format=PLOT_FORMATS[path.suffix.lower()]))
