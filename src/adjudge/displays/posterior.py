"""Posterior probabilities of two models: better, equivalent, worse."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from adjudge.displays._colors import faint, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import cell_size, fit_names, put_text, title_pair
from adjudge.displays._given import as_array, check_made
from adjudge.errors import InputError
from adjudge.inference.data_sets.posterior import Posterior
from adjudge.presentation.palette import NEUTRAL, OUTCOME_COLORS, QUANTITY
from adjudge.results.bayesian import Posteriors

_HEIGHT = math.sqrt(3) / 2
# More dots than this add nothing.
_MOST_DOTS = 4000


class PosteriorDisplay(Display):
    """Draws from a posterior as dots in a triangle, whose corners are "first better", "equivalent", "second better".

    A dot is a draw; the closer it lies to a corner, the more probable is that region. Lines split the triangle into
    the parts where each of the three is most probable, and each corner has the share of the dots in its part. Without a
    region of practical equivalence, a histogram shows the draws of the probability that the first is better.

    Parameters
    ----------
    draws : array-like of shape (n, 3)
        Probability of each region, one draw per row: first better, equivalent, second better.
    first, second : str
        Names of the models.
    shares : tuple of float, optional
        Default: the share of draws in which each region is most probable.
    """

    def __init__(
        self, draws: Any, first: str, second: str, *, shares: tuple[float, float, float] | None = None
    ) -> None:
        self.draws = as_array("draws", draws)
        if self.draws.ndim != 2 or self.draws.shape[1] != 3 or not len(self.draws):
            raise InputError(f"draws has shape {self.draws.shape}: three probabilities per draw are needed")
        self.first, self.second = str(first), str(second)
        self.has_rope = bool(self.draws[:, 1].any())
        if shares is None:
            counted = Posterior.from_draws(self.draws, "", 0.0, regions=3 if self.has_rope else 2)
            shares = counted.first, counted.rope, counted.second
        self.shares = shares

    @classmethod
    def from_result(cls, result: Posteriors, first: str, second: str) -> Self:
        """Read one pair of models from what ``Benchmark.bayesian()`` returns.

        Parameters
        ----------
        result : Posteriors
        first, second : str
            Names of the models.
        """
        check_made("result", result, Posteriors, "Benchmark.bayesian()")
        try:
            found = result[first, second]
        except KeyError:
            raise InputError(f"{first!r} and {second!r} are not a pair of the result") from None
        if found.draws is None:
            raise InputError(f"the {found.test} test has no draws: its probabilities are exact")
        return cls(found.draws, first, second, shares=(found.first, found.rope, found.second))

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the triangle."""
        if self.has_rope:
            self._draw_triangle(ax, size)
        else:
            self._draw_histogram(ax, size)
        title_pair(ax, "Posterior of", (self.first, self.second), "against", size)

    def _draw_triangle(self, ax: Any, size: float) -> None:
        shown = self.draws[:: max(1, len(self.draws) // _MOST_DOTS)]
        x, y = shown[:, 2] + shown[:, 1] / 2, shown[:, 1] * _HEIGHT
        ax.fill([0, 1, 0.5], [0, 0, _HEIGHT], facecolor=NEUTRAL, edgecolor=muted(), linewidth=0.8)
        ax.plot(
            x,
            y,
            ".",
            color=on_page(QUANTITY),
            markersize=0.35 * size,
            alpha=0.25,
            markeredgewidth=0,
            rasterized=True,
        )
        for end in ((0.5, 0.0), (0.25, _HEIGHT / 2), (0.75, _HEIGHT / 2)):
            ax.plot([0.5, end[0]], [_HEIGHT / 3, end[1]], color=muted(), linewidth=0.7, linestyle="--")
        ax.set_xlim(-0.12, 1.12)
        ax.set_ylim(-0.2, _HEIGHT + 0.16)
        ax.set_aspect("equal")
        ax.set_axis_off()
        # Each may reach the middle of the axes.
        names = fit_names(
            [f"{name} better" for name in (self.first, self.second)], 0.58 * cell_size(ax)[0], size
        )
        corners = (
            (0.0, -0.05, names[0], 0),
            (1.0, -0.05, names[1], 2),
            (0.5, _HEIGHT + 0.05, "equivalent", 1),
        )
        for cx, cy, name, region in corners:
            above = region == 1
            text = f"{name}\n{self.shares[region]:.3f}"
            side = {0: "left", 1: "center", 2: "right"}[region]
            at = cx - 0.1 if region == 0 else cx + 0.1 if region == 2 else cx
            put_text(
                ax,
                at,
                cy,
                text,
                ha=side,
                va="bottom" if above else "top",
                fontsize=size,
                color=ink(),
                linespacing=1.2,
            )

    def _draw_histogram(self, ax: Any, size: float) -> None:
        edges = np.linspace(0, 1, 51)
        heights, _ = np.histogram(self.draws[:, 0], edges)
        colors = [OUTCOME_COLORS["wrong_right" if e < 0.5 - 1e-9 else "right_wrong"] for e in edges[:-1]]
        ax.bar(edges[:-1], heights, width=0.02, align="edge", color=colors, linewidth=0)
        ax.axvline(0.5, color=muted(), linewidth=0.7, linestyle="--")
        ax.set_xlim(0, 1)
        ax.set_yticks([])
        for side in ("left", "right", "top"):
            ax.spines[side].set_visible(False)
        ax.spines["bottom"].set_color(faint())
        ax.tick_params(labelsize=size, color=muted(), labelcolor=ink())
        ax.set_xlabel(
            f"probability that {self.first} is better", fontsize=size, color=ink(), parse_math=False
        )
        ends = ((0.0, "left", self.second, 2), (1.0, "right", self.first, 0))
        for x, side, name, region in ends:
            text = f"{name} better: {self.shares[region]:.3f}"
            put_text(
                ax, x, 1.02, text, ha=side, va="bottom", fontsize=size, color=ink(), transform=ax.transAxes
            )
