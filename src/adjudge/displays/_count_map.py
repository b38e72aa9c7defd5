"""A table of counts as a heat map of shares, with names beside rows and columns and a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.displays._colors import ink, muted
from adjudge.displays._drawing import (
    axes_size,
    fit_name,
    fit_ticks,
    heat_map,
    name_ticks,
    ramp,
    text_size,
    title_axes,
    write_cells,
)
from adjudge.errors import InputError, Option
from adjudge.presentation.numbers import count_text, value_text
from adjudge.presentation.palette import QUANTITY

__all__ = ["CountMap", "Writer", "count_writers"]

Writer = Callable[[int, int], str | None]


@dataclass(frozen=True, eq=False)
class CountMap:
    """The contents of a heat map of counts.

    Attributes
    ----------
    shares : ndarray of float64 of shape (R, C)
        Colours; nan is hatched.
    rows, columns : sequence
        Names beside rows and below columns.
    titles : tuple of str
        The titles of rows, of columns, and of the whole.
    scale : str
        The total that the colours are shares of.
    writers : sequence of callable
        Texts of a cell, from the most to the least detailed.
    cmap : str or Colormap, optional
        Colours instead of ours.
    colorbar : bool
        Whether the scale is drawn.
    """

    shares: NDArray[np.float64]
    rows: Sequence[Any]
    columns: Sequence[Any]
    titles: tuple[str, str, str]
    scale: str
    writers: Sequence[Writer]
    cmap: Any = None
    colorbar: bool = True

    def draw(self, ax: Any) -> None:
        """Draw the cells, the names and the scale."""
        size = text_size(ax)
        top = float(np.nanmax(self.shares, initial=0.0)) or 1.0
        mesh, fills = heat_map(ax, self.shares, self._colors(), 0.0, top)
        room = 0.75 * axes_size(ax)[0] / len(self.columns)
        for axis, names, title in (("y", self.rows, self.titles[0]), ("x", self.columns, self.titles[1])):
            name_ticks(ax, axis, [i + 0.5 for i in range(len(names))], names, size, room)
            getattr(ax, f"set_{axis}label")(
                fit_name(title, axes_size(ax)[0], size), fontsize=size, color=ink(), parse_math=False
            )
        title_axes(ax, self.titles[2], size)
        ax.tick_params(length=0, pad=2, labelcolor=ink())
        fit_ticks(ax, size)
        for spine in ax.spines.values():
            spine.set_visible(False)
        if self.colorbar:
            self._draw_scale(ax, mesh, size)
        write_cells(ax, self.shares.shape, self.writers, fills, size)

    def _colors(self) -> Any:
        from matplotlib import colormaps

        if self.cmap is None:
            return ramp(QUANTITY)
        try:
            return colormaps.get_cmap(self.cmap)
        except (TypeError, ValueError):
            raise InputError(Option("cmap", self.cmap), ": a colormap of matplotlib is needed") from None

    def _draw_scale(self, ax: Any, mesh: Any, size: float) -> None:
        bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.9, pad=0.02, aspect=24)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=0.9 * size, length=2, width=0.6, color=muted(), pad=1.5)
        bar.ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
        bar.set_label(self.scale, fontsize=size, color=ink())


def count_writers(counts: NDArray[Any]) -> list[Writer]:
    """Write counts, in full or shortened; empty cells stay empty."""

    def text(i: int, j: int, most: int) -> str | None:
        value = counts[i, j].item()
        if not value:
            return None
        return count_text(int(value), most) if float(value).is_integer() else value_text(value)

    return [lambda i, j: text(i, j, 11), lambda i, j: text(i, j, 5)]
