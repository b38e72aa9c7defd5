"""How many clusters: every criterion over K, its vote, and the tally."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from adjudge.displays._colors import faint, ground, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    axes_size,
    cell_size,
    fit_name,
    quiet,
    split_axes,
)
from adjudge.displays._given import as_curve, as_mapping
from adjudge.displays._makers import Maker, among_settings
from adjudge.errors import Call, InputError, InputTypeError, UnknownIndexError, a_type
from adjudge.given.options import given_names
from adjudge.indices.catalog import find_index
from adjudge.presentation.palette import EMPHASIS, QUANTITY

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class KChoiceDisplay(Display):
    """Small multiples of all criteria over K, each with its vote marked, and the tally of the votes.

    Each criterion has a panel with its own scale, without numbers: only its shape counts for the choice. The
    filled dot is its vote. The grey line in every panel is the recommended K. Undefined values are gaps; infinite
    ones are triangles at the edge. The last panel counts the votes, including abstentions ("none"); or it
    shows the tally if it is given. Its title states the recommended K.

    Parameters
    ----------
    values : mapping of str to (mapping of int to float)
        For each index, its value for each K.
    votes : mapping of str to (int or None)
        The K that each index chooses.
    k : int or None
        The recommended K.
    tally : mapping of int to float, optional
        Votes by K, if near-duplicates share one; default: one vote per criterion.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        A panel for each index, then the tally.
    """

    axes_: list[Axes]

    def __init__(
        self,
        values: Mapping[str, Mapping[int, float]],
        votes: Mapping[str, int | None],
        k: int | None,
        *,
        tally: Mapping[int, float] | None = None,
    ) -> None:
        self.values = {
            name: as_curve(f"values[{name!r}]", own) for name, own in as_mapping("values", values).items()
        }
        self.votes = as_mapping("votes", votes)
        self.k = k
        self.tally = None if tally is None else as_curve("tally", tally)
        if not self.values:
            raise InputError("values is empty: at least one index is needed")
        self.ks = sorted({k for own in self.values.values() for k in own})

    @classmethod
    def from_result(
        cls, result: Any, *, estimator: str | None = None, indices: Iterable[str] | None = None
    ) -> Self:
        """Read what :func:`~adjudge.choose_k` returned.

        Parameters
        ----------
        result : object with `values`, `votes` and `k`
        estimator : str, optional
            With several estimators, the one to draw; default: the recommended one.
        indices : iterable of str, optional
            Draw only these; the tally still counts all votes.
        """
        for name in ("values", "votes", "k"):
            if not hasattr(result, name):
                raise InputTypeError(f"result is {a_type(result)}: give what ", Call("choose_k"), " returns")
        if estimator is not None:
            result = result[estimator]
        values = result.values
        if indices is not None:
            wanted = [_find(name) for name in given_names("indices", indices)]
            for name in wanted:
                if name not in values:
                    raise UnknownIndexError(f"{name!r} was not computed")
            values = {name: values[name] for name in wanted}
        tally = getattr(result, "tally", None)
        return cls(values, result.votes, result.k, tally=tally)

    from_estimator = Maker("choose_k", "Choose the number of clusters, and draw the choice.", among_settings)

    def _draw(self, ax: Any, size: float, *, columns: int | None = None) -> None:
        """Draw the panels.

        Parameters
        ----------
        columns : int, optional
            Panels side by side; default: as many as make panels wider than they are high.
        """
        width, height = axes_size(ax)
        n_panels = len(self.values)
        columns = columns or max(
            1, min(n_panels + 1, round(math.sqrt((n_panels + 2) * width / height / 1.5)))
        )
        # The tally takes the rest of the last row, or a separate row if that is less than two panels.
        left = -n_panels % columns
        tally_width = left if left >= min(2, columns) else columns
        rows = -(-(n_panels + tally_width) // columns)
        grid = split_axes(ax, rows, columns)
        for (name, own), panel in zip(self.values.items(), grid, strict=False):
            self._draw_panel(panel, name, own, size, 0.85 * width / columns)
        for spare in grid[n_panels:-tally_width]:
            spare.remove()
        tally, *covered = grid[-tally_width:]
        for panel in covered:
            panel.remove()
        spec: Any = tally.get_subplotspec()
        tally.set_subplotspec(spec.get_gridspec()[rows - 1, columns - tally_width :])
        self._draw_tally(tally, size)
        self.axes_ = [*grid[:n_panels], tally]

    def _draw_panel(self, ax: Axes, name: str, own: Mapping[int, float], size: float, room: float) -> None:
        quiet(ax, 0.85 * size)
        ax.set_title(
            fit_name(_title(name), room, 0.92 * size),
            fontsize=0.92 * size,
            color=ink(),
            pad=2,
            parse_math=False,
        )
        ks = sorted(own)
        values = np.array([own[k] for k in ks])
        finite = np.isfinite(values)
        ax.set_yticks([])
        ax.spines["left"].set_visible(False)
        ax.set_xlim(self.ks[0] - 0.6, self.ks[-1] + 0.6)
        ax.set_xticks(_round_ks(self.ks, 4))
        if self.k is not None:
            ax.axvline(self.k, color=faint(), linewidth=0.35 * size, zorder=0)
        if not finite.any():
            ax.set_ylim(0, 1)
        else:
            low, high = float(values[finite].min()), float(values[finite].max())
            pad = 0.14 * (high - low) or 1.0
            ax.set_ylim(low - pad, high + pad)
            ax.plot(
                ks,
                np.where(finite, values, np.nan),
                color=on_page(QUANTITY),
                linewidth=0.13 * size,
                marker="o",
                markersize=0.22 * size,
            )
        for k, value in zip(ks, values.tolist(), strict=True):
            if math.isinf(value):
                ax.plot(
                    k,
                    0.96 if value > 0 else 0.04,
                    marker="^" if value > 0 else "v",
                    color=on_page(QUANTITY),
                    markersize=0.4 * size,
                    transform=ax.get_xaxis_transform(),
                )
        vote = self.votes.get(name)
        if vote is None:
            ax.text(
                0.97,
                0.95,
                "no vote",
                transform=ax.transAxes,
                ha="right",
                va="top",
                fontsize=0.8 * size,
                color=muted(),
                bbox={"facecolor": ground(), "edgecolor": "none", "pad": 0.6, "alpha": 0.85},
            )
            return
        height = own.get(vote, math.nan)
        if math.isfinite(height):
            ax.plot(
                vote,
                height,
                marker="o",
                color=on_page(EMPHASIS),
                markersize=0.55 * size,
                zorder=4,
                gid="vote",
            )
        else:
            ax.axvline(vote, color=on_page(EMPHASIS), linewidth=0.9, gid="vote")

    def _draw_tally(self, ax: Axes, size: float) -> None:
        quiet(ax, 0.85 * size, keep=("bottom",))
        counts: dict[int, float] = dict.fromkeys(self.ks, 0)
        cast = [vote for vote in self.votes.values() if vote is not None]
        none = 0
        if self.tally is None:
            none = len(self.votes) - len(cast)
            for vote in cast:
                counts[vote] = counts.get(vote, 0) + 1
        else:
            counts.update(self.tally)
        ks = sorted(counts)
        at = [float(i) for i in range(len(ks))]
        heights = [counts[k] for k in ks]
        colors = [on_page(EMPHASIS) if k == self.k else on_page(QUANTITY) for k in ks]
        shown = set(_round_ks(ks, 12))
        names = [str(k) if k in shown else "" for k in ks]
        if none:
            at.append(len(ks) + 0.8)
            heights.append(none)
            colors.append(faint())
            names.append("none")
        ax.bar(at, heights, color=colors, width=0.8)
        for x, height in zip(at, heights, strict=True):
            if height:
                style: dict[str, Any] = {
                    "ha": "center",
                    "va": "bottom",
                    "fontsize": 0.85 * size,
                    "color": ink(),
                    "clip_on": False,
                }
                ax.text(x, height, f"{round(height, 1):g}", **style)
        ax.set_xticks(at, names)
        ax.set_yticks([])
        ax.set_xlabel("number of clusters K", fontsize=0.85 * size, color=ink())
        shared = sum(counts.values()) < len(cast) - 0.01
        title = "votes by family" if shared else "votes"
        if self.k is not None:
            title += f"; K = {self.k}"
        ax.set_title(title, fontsize=0.92 * size, color=ink(), pad=2, fontweight="bold")
        # Room for the number on the tallest bar, below the title.
        top = max(*heights, 1)
        ax.set_ylim(0, top)
        room = cell_size(ax)[1] * top
        ax.set_ylim(0, top / max(1 - 1.25 * size / room, 0.3))


def _find(name: str) -> str:
    """Return the canonical name of a criterion: an internal index, or one that reads the whole sweep."""
    try:
        return find_index(name, "internal").name
    except UnknownIndexError:
        return find_index(name).name


def _title(name: str) -> str:
    try:
        return find_index(name).title
    except UnknownIndexError:
        return name


def _round_ks(ks: list[int], most: int) -> list[int]:
    """Return at most this many of the Ks, evenly spaced."""
    step = -(-len(ks) // most)
    return ks[::step]
