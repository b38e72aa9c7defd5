"""Figures shared by several papers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from adjudge.errors import MissingExtraError
from adjudge.presentation.numbers import share_text
from adjudge.presentation.palette import CLUSTER_COLORS, OUTCOME_COLORS
from adjudge.results import HeadToHead

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["grid", "matrices_figure", "scatter"]

_LAYOUT = {"both_right": (0, 0), "right_wrong": (0, 1), "wrong_right": (1, 0), "both_wrong": (1, 1)}


def grid(rows: int, columns: int, width: float = 2.6, height: float = 2.4) -> tuple[Figure, Any]:
    """Return a figure with rows x columns axes, outside pyplot's global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "a figure") from None
    figure = Figure(figsize=(width * columns, height * rows), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def matrices_figure(pairs: Mapping[str, Sequence[HeadToHead]]) -> Callable[[], Figure]:
    """Return a function that draws Prayatul matrices, one row per data set."""

    def draw() -> Figure:
        figure, axes = grid(len(pairs), max(map(len, pairs.values())), 3.0, 2.4)
        for row, (data, found) in zip(axes, pairs.items(), strict=True):
            for ax, pair in zip(row, found, strict=True):
                _draw_matrix(ax, pair)
                ax.set_title(f"{data}: {pair.primary} vs {pair.alternative}", fontsize=8)
        return figure

    return draw


def scatter(ax: Axes, points: Any, codes: Any) -> None:
    """Draw points in the plane, coloured by cluster."""
    colors = [CLUSTER_COLORS[int(code) % len(CLUSTER_COLORS)] for code in codes]
    ax.scatter(points[:, 0], points[:, 1], s=2, c=colors, linewidths=0, rasterized=True)
    ax.set_xticks([])
    ax.set_yticks([])


def _draw_matrix(ax: Axes, pair: HeadToHead) -> None:
    total = max(1, pair.agreement.total)
    for cell, (row, column) in _LAYOUT.items():
        count = getattr(pair, cell)
        ax.fill_between(
            [column, column + 1],
            1 - row,
            2 - row,
            color=OUTCOME_COLORS[cell],
            alpha=0.15 + 0.6 * count / total,
            lw=0,
        )
        text = f"{count:,}\n{share_text(count, total)}"
        ax.text(column + 0.5, 1.5 - row, text, ha="center", va="center", fontsize=8)
    ax.set(xlim=(0, 2), ylim=(0, 2))
    ax.set_xticks([0.5, 1.5], ["right", "wrong"], fontsize=7)
    ax.set_yticks([1.5, 0.5], ["right", "wrong"], fontsize=7)
    ax.set_xlabel(pair.alternative, fontsize=7)
    ax.set_ylabel(pair.primary, fontsize=7)
    ax.tick_params(length=0)
