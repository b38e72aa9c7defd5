"""Average ranks of many models, and which of them a test cannot tell apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from adjudge.displays._colors import ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    cell_size,
    fit_names,
    put_text,
    text_width,
    title_axes,
)
from adjudge.displays._given import as_mapping, as_number, check_made
from adjudge.displays._makers import Maker
from adjudge.errors import InputError, Option
from adjudge.inference.data_sets.rank_comparison import alike_groups
from adjudge.inference.data_sets.ranks import nemenyi_difference
from adjudge.presentation.palette import EMPHASIS, QUANTITY

if TYPE_CHECKING:
    from adjudge.inference.data_sets.rank_comparison import RankTest
    from adjudge.results.benchmark import Benchmark

# The scale has a line for every whole rank.
_LARGEST = 1000


class CriticalDifferenceDisplay(Display):
    """Critical-difference diagram: models at their average ranks, the best at the left.

    Bars join models whose ranks do not differ significantly; a thin bar joins only those that it has dots for. If
    one critical difference holds for all pairs (Nemenyi), its length is drawn above the axis.

    Parameters
    ----------
    average_ranks : mapping of str to float
        Rank 1 is best.
    critical_difference : float, optional
        Ranks that are at least this far apart differ significantly.
    groups : sequence of sequence of str, optional
        Models that a bar joins; default: the largest groups within the critical difference.
    """

    def __init__(
        self,
        average_ranks: Mapping[str, float],
        *,
        critical_difference: float | None = None,
        groups: Sequence[Sequence[str]] | None = None,
    ) -> None:
        given = as_mapping("average_ranks", average_ranks)
        if len(given) < 2:
            raise InputError(f"average_ranks has {len(given)} models: at least two are needed")
        for name, rank in given.items():
            if not 1 <= as_number(f"the average rank of {name!r}", rank) <= _LARGEST:
                raise InputError(
                    f"the average rank of {name!r} is {rank}: a number from 1 to {_LARGEST} is needed"
                )
        self.average_ranks = dict(sorted(given.items(), key=lambda item: item[1]))
        if critical_difference is not None:
            length = as_number("critical_difference", critical_difference)
            if not 0 < length < math.inf:
                raise InputError(Option("critical_difference", length), ": a finite number above 0 is needed")
        self.critical_difference = critical_difference
        if groups is None:
            groups = [] if critical_difference is None else _groups(self.average_ranks, critical_difference)
        self.groups = [list(group) for group in groups]
        for name in (name for group in self.groups for name in group):
            if name not in self.average_ranks:
                raise InputError(f"groups names {name!r}, which has no average rank")

    @classmethod
    def from_result(
        cls,
        result: RankTest | Benchmark,
        *,
        alpha: float = 0.05,
        test: str = "ranks",
        correction: str = "nemenyi",
    ) -> Self:
        """Read the average ranks and the pairs' p-values of a test over several data sets.

        Bars join all models of which no two differ at the level `alpha`. If Friedman's test finds no difference at
        this level, one bar joins all models, whatever the pairs' tests say.

        Parameters
        ----------
        result : Benchmark or RankTest
            What :func:`~adjudge.benchmark` or :func:`adjudge.inference.friedman_test` returns.
        alpha : float
        test, correction : str
            For a benchmark: how pairs are tested, as for ``Benchmark.pairwise``. With "nemenyi" one length fits all.
        """
        from adjudge.inference.data_sets.rank_comparison import RankTest
        from adjudge.results.benchmark import Benchmark

        check_made("result", result, (Benchmark, RankTest), "benchmark() or friedman_test()")
        if not 0 < as_number("alpha", alpha) < 1:
            raise InputError(Option("alpha", alpha), ": a level between 0 and 1 is needed")
        if isinstance(result, Benchmark):
            ranks, n, friedman = result.average_ranks, result.n_complete, result.friedman
            if not n:
                raise InputError("no data set has a score of every model: there are no ranks to draw")
        else:
            ranks = dict(zip(result.models, result.mean_ranks, strict=True))
            n, friedman, correction = result.n_datasets, result.friedman, result.posthoc
        if not friedman.p_value <= alpha:
            return cls(ranks, groups=[list(ranks)])
        if isinstance(result, Benchmark):
            p_values = dict(result.pairwise(test, correction=correction))
        else:
            p_values = result.p_values
        alike = {frozenset(pair) for pair, p in p_values.items() if not p <= alpha}
        return cls(
            ranks,
            critical_difference=nemenyi_difference(n, len(ranks), alpha) if correction == "nemenyi" else None,
            groups=alike_groups(sorted(ranks, key=ranks.__getitem__), alike),
        )

    from_scores = Maker("inference.friedman_test", "Test models by their scores on several data sets.")

    def _draw(self, ax: Any, size: float) -> None:
        """Draw the diagram."""
        m = len(self.average_ranks)
        levels = _stack(self.groups, self.average_ranks)
        n_levels = max(levels, default=-1) + 1
        lines = -(-m // 2)
        has_cd = self.critical_difference is not None
        ax.set_axis_off()
        low = 1
        high = max(math.ceil(max(self.average_ranks.values())), low + 1)
        span = high - low
        bottom = 1.2 + 0.62 * n_levels + lines
        ax.set_ylim(bottom, -2.5 if has_cd else -1.2)
        ax.set_xlim(0, 1)
        title_axes(ax, f"Average ranks of {m} models", size)
        # Names, with the ranks beside them, take the width that they need: up to 30 % on either side.
        width = cell_size(ax)[0]
        longest = max(text_width(f"{rank:.2f}", 0.8 * size) for rank in self.average_ranks.values())
        # From the end of a line to its name: the rank is between them.
        beside = max(2.5 * size, longest + 0.7 * size)
        fitted = fit_names(list(self.average_ranks), 0.3 * width - beside - 0.1 * size, size)
        names = dict(zip(self.average_ranks, fitted, strict=True))
        half = -(-m // 2)
        sides = list(names.values())[:half], list(names.values())[half:]
        widths = [max(text_width(name, size) for name in side) + beside + 1.7 * size for side in sides]
        unit = span / (width - sum(widths))
        ax.set_xlim(low - widths[0] * unit, high + widths[1] * unit)
        ax.plot([low, high], [0, 0], color=ink(), linewidth=0.8)
        wide = text_width(f" {high} ", 0.9 * size) * unit
        step = max(-(-span // 10), math.ceil(wide))
        for tick in range(low, high + 1, step):
            ax.plot([tick, tick], [0, -0.22], color=ink(), linewidth=0.8)
            ax.text(tick, -0.32, str(tick), ha="center", va="bottom", fontsize=0.9 * size, color=ink())
        if self.critical_difference is not None:
            self._draw_bar(ax, low, high, size)
        first = 1.0 + 0.62 * n_levels
        for position, (name, rank) in enumerate(self.average_ranks.items()):
            left = position < half
            # On either side the outermost name hangs highest, so that lines do not cross.
            row = position if left else m - 1 - position
            y = first + row + 0.3
            x = low - 0.4 * size * unit if left else high + 0.4 * size * unit
            ax.plot([rank, rank, x], [0, y, y], color=muted(), linewidth=0.6, solid_joinstyle="miter")
            ax.plot(rank, 0, "o", color=on_page(QUANTITY), markersize=0.4 * size, zorder=3, clip_on=False)
            side, sign = ("right", -1) if left else ("left", 1)
            # Ignored by the layout, which would otherwise make the axes narrower and the names wider than planned.
            style = {"ha": side, "va": "center", "in_layout": False}
            ax.text(
                x + sign * 0.3 * size * unit, y, f"{rank:.2f}", fontsize=0.8 * size, color=muted(), **style
            )
            put_text(ax, x + sign * beside * unit, y, names[name], fontsize=size, color=ink(), **style)
        for group, level in zip(self.groups, levels, strict=True):
            self._draw_group(ax, group, 0.55 + 0.62 * level, 0.012 * span, size)

    def _draw_group(self, ax: Any, group: Sequence[str], y: float, overhang: float, size: float) -> None:
        """Draw the bar that joins a group; one that passes over other models has a dot for each of its members."""
        ranks = sorted(self.average_ranks[name] for name in group)
        passed = [
            r for name, r in self.average_ranks.items() if name not in group and ranks[0] < r < ranks[-1]
        ]
        ends = [ranks[0] - overhang, ranks[-1] + overhang]
        style = {"color": on_page(EMPHASIS), "solid_capstyle": "butt", "gid": "group"}
        ax.plot(ends, [y, y], linewidth=(0.14 if passed else 0.35) * size, **style)
        if passed:
            ax.plot(ranks, [y] * len(ranks), "o", color=on_page(EMPHASIS), markersize=0.42 * size)

    def _draw_bar(self, ax: Any, low: int, high: int, size: float) -> None:
        """Draw the critical difference to the scale of the axis; one longer than the axis is only named."""
        length = float(self.critical_difference or 0.0)
        text = f"CD = {length:.2f}"
        if length <= high - low:
            ends = [low, low + length]
            ax.plot(
                ends, [-1.55, -1.55], color=ink(), linewidth=0.9, marker="|", markersize=0.5 * size, gid="cd"
            )
            ax.text(sum(ends) / 2, -1.75, text, ha="center", va="bottom", fontsize=0.9 * size, color=ink())
        else:
            ax.text(
                low, -1.75, f"{text} (longer than the axis)", va="bottom", fontsize=0.9 * size, color=ink()
            )


def _groups(ranks: Mapping[str, float], difference: float) -> list[list[str]]:
    """Return the largest groups of neighbours in rank whose ends are closer than the critical difference."""
    names = list(ranks)
    groups: list[list[str]] = []
    reached = 0
    for start, name in enumerate(names):
        end = start
        while end + 1 < len(names) and ranks[names[end + 1]] - ranks[name] < difference:
            end += 1
        if end > start and end > reached:
            groups.append(names[start : end + 1])
            reached = end
    return groups


def _stack(groups: Sequence[Sequence[str]], ranks: Mapping[str, float]) -> list[int]:
    """Return a level for each bar, so that bars on one level stay apart."""
    ends: list[float] = []
    levels = []
    for group in groups:
        low, high = min(ranks[name] for name in group), max(ranks[name] for name in group)
        free = next((i for i, end in enumerate(ends) if end < low), len(ends))
        if free == len(ends):
            ends.append(high)
        ends[free] = high
        levels.append(free)
    return levels
