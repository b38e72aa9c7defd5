"""Heat maps: a matrix as squares that stay readable, with names beside rows and columns and a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats
from adjudge.displays._colors import faint, ground, ink, muted, text_on
from adjudge.displays._drawing import (
    axes_size,
    cell_size,
    fit_name,
    name_ticks,
    put_text,
    ramp,
    text_width,
    title_axes,
)
from adjudge.errors import InputError, Option
from adjudge.presentation.numbers import count_text, value_text
from adjudge.presentation.palette import QUANTITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

Writer = Callable[[int, int], str | None]

_SMALLEST = 4.8
# Most rows or columns with white lines between them.
_MOST_PARTED = 20


@dataclass(frozen=True, eq=False)
class HeatMap:
    """The contents of a heat map.

    Attributes
    ----------
    values : ndarray of float64 of shape (R, C)
        nan is hatched.
    rows, columns : sequence
        Names beside rows, and below or above columns.
    title : str
    cmap : Colormap
    limits : (float, float)
        The values at the ends of the colours.
    writers : sequence of callable
        Texts of a cell, from the most to the least detailed.
    labels : (str, str)
        What rows and columns are; empty if that is said elsewhere.
    scale : str
        What the colours are; empty for no scale.
    shown : callable, optional
        Writes the numbers of the scale.
    n_shown : int, optional
        About how many numbers the scale has.
    room : float, optional
        Points that the name of a column may take before the names are turned; names are then above the columns.
        Default: three quarters of a column, and names below.
    bold : callable, optional
        Whether a cell is emphasised.
    """

    values: Floats
    rows: Sequence[Any]
    columns: Sequence[Any]
    title: str
    cmap: Colormap
    limits: tuple[float, float]
    writers: Sequence[Writer]
    labels: tuple[str, str] = ("", "")
    scale: str = ""
    shown: Callable[[float, Any], str] | None = None
    n_shown: int | None = None
    room: float | None = None
    bold: Callable[[int, int], bool] = lambda i, j: False

    @classmethod
    def of_shares(cls, shares: Floats, cmap: Any = None, **contents: Any) -> Self:
        """Show shares from 0 to the largest, in our colours or in those of a name or map of matplotlib's."""
        top = float(np.nanmax(shares, initial=0.0)) or 1.0
        colors = ramp(QUANTITY) if cmap is None else _colors_called(cmap)
        return cls(shares, cmap=colors, limits=(0.0, top), shown=lambda share, _: f"{share:.0%}", **contents)

    def draw(self, ax: Any, size: float) -> int | None:
        """Draw the cells, the names and the scale; return which of the writers has written, None if none could."""
        mesh, colors = squares(ax, self.values, self.cmap, *self.limits)
        if self.room is not None:
            ax.xaxis.tick_top()
        room = 0.75 * axes_size(ax)[0] / len(self.columns) if self.room is None else self.room
        for axis, names, label in (("y", self.rows, self.labels[0]), ("x", self.columns, self.labels[1])):
            name_ticks(ax, axis, [i + 0.5 for i in range(len(names))], names, size, room)
            if label:
                shown = fit_name(label, axes_size(ax)[0], size)
                getattr(ax, f"set_{axis}label")(shown, fontsize=size, color=ink(), parse_math=False)
        title_axes(ax, self.title, size)
        ax.tick_params(length=0, **({"pad": 2, "labelcolor": ink()} if self.room is None else {}))
        for spine in ax.spines.values():
            spine.set_visible(False)
        if self.scale:
            self._draw_scale(ax, mesh, size)
        _fit_ticks(ax, size)
        return _write_cells(ax, self.writers, colors, size, self.bold)

    def _draw_scale(self, ax: Any, mesh: Any, size: float) -> None:
        bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.9, pad=0.02, aspect=24)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=0.9 * size, length=2, width=0.6, color=muted(), pad=1.5)
        if self.shown is not None:
            bar.ax.yaxis.set_major_formatter(self.shown)
        if self.n_shown is not None:
            bar.ax.locator_params(nbins=self.n_shown)
        # A formula stands between dollars.
        bar.set_label(self.scale, fontsize=size, color=ink(), parse_math=self.n_shown is not None)


def squares(ax: Axes, values: Floats, cmap: Colormap, low: float, high: float) -> tuple[Any, NDArray[Any]]:
    """Draw a matrix as crisp squares (not an image, so that it stays sharp when enlarged); nan is hatched.

    Returns
    -------
    mesh : QuadMesh
    colors : ndarray of shape (R, C, 4)
        The colour of each cell.
    """
    from matplotlib.patches import Rectangle

    masked = np.ma.masked_invalid(values)
    # White lines separate the cells; with many cells, lines at least a pixel wide would hide the colours.
    lines = 0.8 if max(values.shape) <= _MOST_PARTED else 0.0
    edges = ground() if lines else "none"
    mesh = ax.pcolormesh(masked, cmap=cmap, vmin=low, vmax=high, edgecolors=edges, linewidth=lines)
    colors = cmap(np.clip((np.nan_to_num(values) - low) / (high - low or 1.0), 0, 1))
    for i, j in np.argwhere(np.isnan(values)):
        colors[i, j] = (1, 1, 1, 1)
        ax.add_patch(Rectangle((j, i), 1, 1, facecolor="none", edgecolor=faint(), hatch="////", linewidth=0))
    ax.set_xlim(0, values.shape[1])
    ax.set_ylim(values.shape[0], 0)
    return mesh, colors


def _fit_ticks(ax: Axes, size: float) -> None:
    """Shrink the names of rows and columns until they fit, and leave out those that would still overlap."""
    width, height = cell_size(ax)
    for axis, room in ((ax.xaxis, width), (ax.yaxis, height)):
        labels = axis.get_ticklabels()
        # Labels turned by 45 degrees are closer to each other than their columns.
        spacing = room * (0.7 if labels and labels[0].get_rotation() == 45 else 1.0) / 1.1
        fitting = max(min(size, spacing), _SMALLEST)
        step = int(np.ceil(fitting / max(spacing, 1e-9) - 1e-6))
        for number, label in enumerate(labels):
            label.set_fontsize(fitting)
            label.set_visible(number % step == 0)


def _write_cells(
    ax: Axes,
    levels: Sequence[Writer],
    colors: NDArray[Any],
    size: float,
    bold: Callable[[int, int], bool],
) -> int | None:
    """Write the most detailed texts that fit into all cells of a heat map.

    Returns
    -------
    int or None
        The level that was written; None if even the shortest would be too small to read.
    """
    width, height = cell_size(ax)
    cells = [(i, j) for i in range(colors.shape[0]) for j in range(colors.shape[1])]
    if min(width, height) < _SMALLEST:
        return None
    for number, level in enumerate(levels):
        texts = {cell: text for cell in cells if (text := level(*cell))}
        if not texts:
            return number
        lines = [line for text in texts.values() for line in text.split("\n")]
        widest = max(text_width(line, 10.0, "bold") / 10 for line in set(lines))
        most = max(text.count("\n") + 1 for text in texts.values())
        fitting = min(size, 0.8 * width / widest, 0.86 * height / (1.15 * most))
        if fitting < _SMALLEST:
            continue
        for (i, j), text in texts.items():
            put_text(
                ax,
                j + 0.5,
                i + 0.5,
                text,
                ha="center",
                va="center",
                fontsize=fitting,
                color=text_on(colors[i, j]),
                fontweight="bold" if bold(i, j) else "normal",
                linespacing=1.15,
            )
        return number
    return None


def _colors_called(cmap: Any) -> Any:
    from matplotlib import colormaps

    try:
        return colormaps.get_cmap(cmap)
    except (TypeError, ValueError):
        raise InputError(Option("cmap", cmap), ": a colormap of matplotlib is needed") from None


def count_writers(counts: NDArray[Any]) -> list[Writer]:
    """Write counts, in full or shortened; empty cells stay empty."""

    def text(i: int, j: int, most: int) -> str | None:
        value = counts[i, j].item()
        if not value:
            return None
        return count_text(int(value), most) if float(value).is_integer() else value_text(value)

    return [lambda i, j: text(i, j, 11), lambda i, j: text(i, j, 5)]
