"""Which of several classifiers are right together: an UpSet plot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from adjudge.displays._colors import faint, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    cell_size,
    fit_names,
    put_text,
    quiet,
    separate_thousands,
    split_axes,
    text_width,
    title_axes,
)
from adjudge.displays._given import check_made, of_gate
from adjudge.displays._makers import Maker, estimators_and_truth
from adjudge.given.options import check_count
from adjudge.presentation.numbers import count_text, share_text
from adjudge.presentation.palette import OUTCOME_COLORS, QUANTITY
from adjudge.results.comparison import Comparison
from adjudge.results.gate import Gate
from adjudge.results.patterns import Patterns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# In smaller text than this, in points, counts side by side cannot be read.
_SMALLEST_TEXT = 4.8
# Share of the distance between two bars for their numbers; the rest keeps these apart.
_SHARE_OF_NUMBER = 0.84


class PatternsDisplay(Display):
    """How often each set of classifiers is right while all others are wrong (an UpSet plot).

    Columns are patterns, the most frequent first: a bar counts the instances, dots below it are the models that are
    right. Green means all models, grey none. The share next to the name of a model is its accuracy.

    Parameters
    ----------
    patterns : Patterns

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panel of the bars, and that of the dots.

    References
    ----------
    Lex et al. (2014), UpSet: visualization of intersecting sets.
    """

    axes_: list[Axes]

    def __init__(self, patterns: Patterns) -> None:
        check_made("patterns", patterns, Patterns, "compare(kind='classification').patterns")
        self.patterns = patterns

    @classmethod
    def from_result(cls, result: Comparison | Gate) -> Self:
        """Read the patterns of a comparison.

        Parameters
        ----------
        result : Comparison or Gate
        """
        compared: Comparison = of_gate(result)
        check_made("result", compared, Comparison, "compare(kind='classification')")
        return cls(compared.patterns)

    from_predictions = Maker("compare", "Count the patterns of the models' labels.", kind="classification")
    from_estimator = Maker(
        "compare", "Count the patterns of fitted classifiers.", estimators_and_truth, kind="classification"
    )

    def _draw(self, ax: Any, size: float, *, most: int = 16, everybody: bool = True) -> None:
        """Draw the patterns.

        Parameters
        ----------
        most : int, default 16
            Maximum number of patterns; the others are summed up in a note.
        everybody : bool, default True
            Show the instances that all models get right; without them the bars of the mistakes are higher.
        """
        check_count("most", most)
        known = [right for right in self.patterns if everybody or len(right) < len(self.patterns.models)]
        shown = known[:most]
        bars, dots = split_axes(ax, 2, 1, heights=(2.2, 0.35 + 0.28 * len(self.patterns.models)))
        self.axes_ = [bars, dots]
        self._draw_bars(bars, shown, size)
        self._draw_dots(dots, shown, size)
        title_axes(bars, f"Which of {len(self.patterns.models)} models are right together", size)
        left_out = sum(self.patterns[right] for right in known[most:])
        if left_out:
            note = f"{len(known) - most} more patterns with {left_out:,} instances"
            put_text(
                bars, 1, 1, note, transform=bars.transAxes, ha="right", va="top", fontsize=size, color=muted()
            )

    def _color(self, right: frozenset[str]) -> str:
        if not right:
            return OUTCOME_COLORS["both_wrong"]
        return OUTCOME_COLORS["both_right"] if len(right) == len(self.patterns.models) else on_page(QUANTITY)

    def _draw_bars(self, ax: Any, shown: list[frozenset[str]], size: float) -> None:
        quiet(ax, size, keep=("left",))
        counts = [self.patterns[right] for right in shown]
        ax.bar(range(len(shown)), counts, 0.62, color=[self._color(right) for right in shown])
        ax.set_xlim(-0.6, max(len(shown), 1) - 0.4)
        ax.set_ylim(0, 1.12 * max(counts, default=1))
        ax.set_xticks([])
        ax.locator_params(axis="y", nbins=4)
        ax.set_ylabel("instances", fontsize=size, color=ink())
        separate_thousands(ax.yaxis)
        texts = [count_text(count, 6) for count in counts]
        room = _SHARE_OF_NUMBER * cell_size(ax)[0]
        widest = max((text_width(text, size) for text in texts), default=1.0)
        fitting = min(size, size * room / widest)
        turned: dict[str, Any] = {}
        if fitting < _SMALLEST_TEXT:
            fitting, turned = min(size, room), {"rotation": 90}
            ax.set_ylim(0, 1.25 * max(counts, default=1))
        for i, (count, text) in enumerate(zip(counts, texts, strict=True)):
            put_text(
                ax,
                i,
                count,
                f" {text}" if turned else text,
                ha="center",
                va="bottom",
                fontsize=fitting,
                color=ink(),
                **turned,
            )

    def _draw_dots(self, ax: Any, shown: list[frozenset[str]], size: float) -> None:
        models = self.patterns.models
        quiet(ax, size, keep=())
        ax.set_xlim(-0.6, max(len(shown), 1) - 0.4)
        ax.set_ylim(len(models) - 0.4, -0.6)
        ax.set_xticks([])
        names = fit_names(models, 0.3 * cell_size(ax)[0] * max(len(shown), 4), size)
        accuracies = [share_text(self._right(model), self.patterns.n) for model in models]
        texts = [f"{name}  {share}" for name, share in zip(names, accuracies, strict=True)]
        ax.set_yticks(range(len(models)), texts, parse_math=False)
        ax.tick_params(axis="y", length=0)
        for row in range(0, len(models), 2):
            ax.axhspan(row - 0.5, row + 0.5, color=faint(), alpha=0.35, linewidth=0, zorder=0)
        dot = min(0.8 * size, 0.6 * abs(cell_size(ax)[0]), 0.6 * abs(cell_size(ax)[1]))
        for i, right in enumerate(shown):
            rows = [j for j, model in enumerate(models) if model in right]
            wrong = [j for j in range(len(models)) if j not in rows]
            style: dict[str, Any] = {
                "linestyle": "none",
                "marker": "o",
                "markersize": dot,
                "markeredgewidth": 0,
            }
            ax.plot([i] * len(wrong), wrong, color=faint(), **style)
            if rows:
                ax.plot([i, i], [rows[0], rows[-1]], color=self._color(right), linewidth=0.25 * dot)
                ax.plot([i] * len(rows), rows, color=self._color(right), **style)

    def _right(self, model: str) -> int:
        column = self.patterns.models.index(model)
        return int(self.patterns.found.counts[self.patterns.found.right[:, column]].sum())

    def describe(self) -> str:
        """Say in a sentence how many instances no model, one model alone, and every model gets right."""
        by_number = self.patterns.by_number_right
        n, m = self.patterns.n, len(self.patterns.models)
        parts = [
            f"everybody is right about {int(by_number[m]):,} of {n:,} instances",
            f"nobody about {int(by_number[0]):,}",
        ]
        if m > 2:
            alone = {model: self.patterns[(model,)] for model in self.patterns.models}
            best = max(alone, key=alone.__getitem__)
            parts.append(f"one alone about {int(by_number[1]):,} ({best} about {alone[best]:,})")
        return ", ".join(parts)
