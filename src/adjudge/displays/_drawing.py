"""Common parts of the displays: text that fits, axes without clutter, heat maps whose cells stay readable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from adjudge.displays._colors import ink, muted
from adjudge.displays._text import shorten_all
from adjudge.presentation.numbers import with_minus
from adjudge.presentation.palette import NEUTRAL, OUTCOME_COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Colormap


def axes_size(ax: Axes) -> tuple[float, float]:
    """Return the width and height of the axes in points, before the layout makes room for text."""
    figure: Any = ax.figure
    inches = figure.figure.get_size_inches()
    box = ax.get_position()
    return 72 * box.width * float(inches[0]), 72 * box.height * float(inches[1])


def text_size(ax: Axes) -> float:
    """Return the size of text in points that suits the width of the axes: matplotlib's, or less in a small panel."""
    from matplotlib import rcParams

    width = axes_size(ax)[0] / 72
    return float(rcParams["font.size"] * np.clip(0.7 + 0.14 * (width - 2.6), 0.6, 1.0))


def above(ax: Axes, points: float) -> float:
    """Return the coordinate, in units of the axes, this many points above them."""
    return 1 + points / axes_size(ax)[1]


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """Return the width of a text in points."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    properties = FontProperties(size=size, weight=weight)
    return float(text_to_path.get_text_width_height_descent(text, properties, False)[0])


def fit_name(name: object, width: float, size: float) -> str:
    """Shorten a name until it is at most `width` points wide."""
    return fit_names([name], width, size)[0]


def fit_names(names: Sequence[object], width: float, size: float) -> list[str]:
    """Shorten names until each is at most `width` points wide; different names stay different."""
    # No letter of a name is narrower than a fifth of the font size.
    chars = min(max(len(str(name)) for name in names), int(width / (0.2 * size)) + 1)
    texts = shorten_all(names, max(chars, 3))
    while chars > 3 and (widest := max(text_width(text, size) for text in texts)) > width:
        # Wide letters are never all that is left, so the last letters go one by one.
        chars = max(3, min(chars - 1, int(1.15 * chars * width / widest)))
        texts = shorten_all(names, chars)
    return texts


def put_text(ax: Axes, x: float, y: float, text: str, **style: Any) -> Any:
    """Write literal text: a dollar sign in a name is not mathematics."""
    return ax.text(x, y, text, parse_math=False, **style)


def quiet(ax: Axes, size: float, *, keep: Sequence[str] = ("left", "bottom")) -> None:
    """Leave thin lines on the named sides only, and set the size of the tick labels."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)
        spine.set_color(muted())
        spine.set_linewidth(0.6)
    ax.tick_params(labelsize=size, color=muted(), labelcolor=ink(), width=0.6, length=2.5, pad=2)


def name_ticks(
    ax: Axes, axis: str, positions: Sequence[float], names: Sequence[object], size: float, room: float
) -> None:
    """Label ticks with names of up to two fifths of the axes; along x they are turned if `room` points are too few."""
    width, height = axes_size(ax)
    turned = axis == "x" and any(text_width(str(name), size) > 0.95 * room for name in names)
    texts = fit_names(names, 0.4 * (height if turned else width), size) if names else []
    getattr(ax, f"set_{axis}ticks")(positions)
    style: dict[str, Any] = {"rotation": 45, "rotation_mode": "anchor"} if turned else {}
    if turned:
        style["ha"] = "left" if ax.xaxis.get_ticks_position() == "top" else "right"
    getattr(ax, f"set_{axis}ticklabels")(texts, fontsize=size, parse_math=False, **style)


def title_pair(ax: Axes, before: str, names: Sequence[object], between: str, size: float) -> None:
    """Write a title that names two models, each shortened by itself if both do not fit."""
    room = 1.1 * axes_size(ax)[0] - text_width(f"{before}  {between}  ", 1.1 * size)
    both_fit = sum(text_width(str(name), 1.1 * size) for name in names) <= room
    first, second = fit_names(names, room if both_fit else room / 2, 1.1 * size)
    title_axes(ax, f"{before} {first} {between} {second}", size)


def title_axes(ax: Axes, text: str, size: float) -> None:
    """Write a title above the axes, and above the legend and the notes that are there already."""
    figure: Any = ax.figure
    renderer, top = figure.figure._get_renderer(), ax.get_window_extent().y1
    beside = [part for part in (ax.get_legend(), *ax.texts) if part is not None]
    ends = [part.get_window_extent(renderer).y1 for part in beside]
    above_axes = max([end - top for end in ends if end > top], default=0.0) * 72 / figure.figure.dpi
    shown = fit_name(text, 1.1 * axes_size(ax)[0], 1.1 * size)
    ax.set_title(shown, fontsize=1.1 * size, pad=above_axes + 0.6 * size, parse_math=False)


def separate_thousands(axis: Axis) -> None:
    """Write the numbers on an axis of counts as they are written beside the bars."""
    axis.set_major_formatter(lambda value, _: with_minus(f"{value:,.10g}"))


def add_legend(ax: Axes, handles: Sequence[Any], labels: Sequence[str], size: float, **where: Any) -> Any:
    """Add a legend with literal texts."""
    legend = ax.legend(
        handles,
        # Labels that begin with an underscore would be left out, and dollars would be mathematics.
        [f"entry {i}" for i in range(len(labels))],
        fontsize=size,
        frameon=False,
        borderaxespad=0,
        handlelength=1.2,
        handletextpad=0.4,
        columnspacing=1.2,
        labelspacing=0.25,
        **where,
    )
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
        text.set_color(ink())
    return legend


def legend_above(
    ax: Axes, handles: Sequence[Any], labels: Sequence[str], size: float, *, lift: float = 3, ncols: int = 1
) -> Any:
    """Add a legend above the axes, `lift` points away from them."""
    place = (0, above(ax, lift))
    return add_legend(ax, handles, labels, size, loc="lower left", bbox_to_anchor=place, ncols=ncols)


def name_axes(ax: Axes, x: str, y: str, size: float) -> None:
    """Write what the axes show."""
    ax.set_xlabel(x, fontsize=size, color=ink())
    ax.set_ylabel(y, fontsize=size, color=ink())


def ramp(color: str, start: str = NEUTRAL) -> Colormap:
    """Return a scale from the background to a colour."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("adjudge_ramp", [start, color])


def balance_map() -> Colormap:
    """Return a scale from the colour of "only the alternative right" to that of "only the primary right"."""
    from matplotlib.colors import LinearSegmentedColormap

    ends = OUTCOME_COLORS["wrong_right"], OUTCOME_COLORS["right_wrong"]
    return LinearSegmentedColormap.from_list("adjudge_balance", [ends[0], NEUTRAL, ends[1]])


def cell_size(ax: Axes) -> tuple[float, float]:
    """Return the width and height of a unit square in points, once the layout is settled."""
    figure: Any = ax.figure
    figure.figure.draw_without_rendering()
    box = ax.get_window_extent()
    scale = 72 / figure.figure.dpi
    x, y = ax.get_xlim(), ax.get_ylim()
    return box.width * scale / abs(x[1] - x[0]), box.height * scale / abs(y[1] - y[0])


def split_axes(ax: Axes, rows: int, columns: int, heights: Sequence[float] | None = None) -> list[Axes]:
    """Replace the axes by a grid of axes; the old ones stay as an empty frame around them."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure: Any = ax.figure
    spec = ax.get_subplotspec()
    ax.set_axis_off()
    # A constrained layout finds the room that titles need; without one they need a fixed share.
    constrained = isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
    spacing: dict[str, Any] = (
        {} if constrained else {"wspace": 0.25, "hspace": 0.9 if heights is None else 0.1}
    )
    spacing["height_ratios"] = heights
    if spec is not None:
        grid = spec.subgridspec(rows, columns, **spacing)
    else:
        box = ax.get_position()
        grid = figure.add_gridspec(
            rows, columns, left=box.x0, right=box.x1, bottom=box.y0, top=box.y1, **spacing
        )
    return [figure.add_subplot(grid[i, j]) for i in range(rows) for j in range(columns)]
