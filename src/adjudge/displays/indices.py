"""Values of many indices, each on its own scale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from adjudge.displays._colors import faint, ground, hue, ink, muted, on_page
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    add_legend,
    axes_size,
    fit_names,
    put_text,
    quiet,
    text_width,
    title_axes,
)
from adjudge.displays._estimators import labels_by
from adjudge.displays._given import as_interval, as_mapping, as_number, check_made, of_gate
from adjudge.displays._makers import Call, Maker
from adjudge.errors import InputError, UnknownIndexError
from adjudge.given.options import given_names
from adjudge.indices.catalog import find_index
from adjudge.presentation.numbers import value_text, with_minus
from adjudge.presentation.palette import QUANTITY
from adjudge.results import Comparison, Evaluation, Evaluations
from adjudge.results.gate import Gate

_MARKERS = ("o", "s", "D", "^", "v", "P", "X", "h")


def _partition_of(estimator: Any, X: Any, y: Any = None) -> Call:
    """Take what a fitted estimator says of data, to be judged from the data, too."""
    return (y, labels_by(estimator, X)), {"X": X}


class IndicesDisplay(Display):
    """Indices of one partition, or of several models, each on its own scale from worst (left) to best (right).

    The ends of a scale are printed at its sides: the ends of the index's range if these are finite. With several
    models, an infinite end is replaced by the worst or the best value shown, and has an asterisk: such a scale
    shows an order, not a distance from perfection. Infinite values are shown as ∞ at the end. Values of an unbounded
    index of one partition are printed without a mark. Undefined values are labelled as such and have no mark.

    Do not compare positions on different scales: half-way on one index is not as good as half-way on another.

    Parameters
    ----------
    values : mapping of str to (mapping of str to float)
        For each partition or model, the value of each index by its name.
    intervals : mapping of str to (mapping of str to (float, float)), optional
        Confidence intervals of some of them, drawn as lines.
    """

    def __init__(
        self,
        values: Mapping[str, Mapping[str, float]],
        *,
        intervals: Mapping[str, Mapping[str, tuple[float, float]]] | None = None,
    ) -> None:
        self.values = {
            str(name): {
                index: as_number(f"values[{name!r}][{index!r}]", value) for index, value in named.items()
            }
            for name, own in as_mapping("values", values).items()
            for named in [as_mapping(f"values[{name!r}]", own)]
        }
        self.intervals = {
            str(name): {
                index: as_interval(f"intervals[{name!r}][{index!r}]", interval)
                for index, interval in as_mapping(f"intervals[{name!r}]", own).items()
            }
            for name, own in as_mapping("intervals", intervals or {}).items()
        }
        self.indices = list(dict.fromkeys(index for own in self.values.values() for index in own))
        if not self.indices:
            raise InputError("values is empty: at least one index of one partition is needed")

    @classmethod
    def from_result(
        cls,
        result: Evaluation | Evaluations | Comparison | Gate | Mapping[str, Evaluation],
        *,
        indices: Iterable[str] | None = None,
    ) -> Self:
        """Read the values of an evaluation, of several by name, or the models' scores of a comparison.

        Parameters
        ----------
        result : Evaluation, Evaluations, Comparison, Gate, or mapping of str to Evaluation
        indices : iterable of str, optional
            Those to draw, in this order.
        """
        intervals: dict[str, Any]
        if isinstance(result, Evaluation):
            named: dict[str, Any] = {"partition": result.values}
            intervals = {"partition": result.intervals}
        elif isinstance(result := of_gate(result), Comparison):
            named, intervals = dict(result.scores), dict(result.score_intervals)
        else:
            named = as_mapping("result", result.evaluations if isinstance(result, Evaluations) else result)
            for evaluation in named.values():
                check_made("result", evaluation, Evaluation, "evaluate()")
            intervals = {name: evaluation.intervals for name, evaluation in named.items()}
            named = {name: evaluation.values for name, evaluation in named.items()}
        if indices is not None:
            wanted = [find_index(name).name for name in given_names("indices", indices)]
            for name in wanted:
                if not any(name in own for own in named.values()):
                    raise UnknownIndexError(f"{name!r} was not computed")
            named = {m: {i: own[i] for i in wanted if i in own} for m, own in named.items()}
        return cls(named, intervals=intervals)

    from_predictions = Maker("evaluate", "Evaluate a partition.")
    from_estimator = Maker(
        "evaluate",
        "Evaluate a fitted estimator's partition of X: against y if it is given, and from X.",
        _partition_of,
    )

    def _draw(self, ax: Any, size: float) -> None:
        """Draw one row per index."""
        rows = len(self.indices)
        single = len(self.values) == 1
        # The scales' ends are written within the axes, beside the scales.
        ax.set_xlim(-0.19, 1.19)
        ax.set_ylim(rows - 0.4, -0.6)
        quiet(ax, size, keep=())
        ax.set_xticks([])
        titles = [find_index(name).title for name in self.indices]
        ax.set_yticks(range(rows))
        ax.set_yticklabels(
            fit_names(titles, 0.55 * axes_size(ax)[0], size),
            fontsize=size,
            parse_math=False,
        )
        ax.tick_params(length=0)
        shown_ends = False
        for row, name in enumerate(self.indices):
            record = find_index(name)
            known = [v for own in self.values.values() if not math.isnan(v := own.get(name, math.nan))]
            ends = _ends(record.range, record.better, known, single)
            if ends is not None:
                ax.plot(
                    [0, 1], [row, row], color=faint(), linewidth=0.32 * size, solid_capstyle="round", zorder=1
                )
                for x, end, side in ((-0.035, ends[0], "right"), (1.035, ends[1], "left")):
                    shown_ends |= end.of_shown
                    style = {"fontsize": 0.82 * size, "color": muted(), "gid": "end"}
                    put_text(ax, x, row, end.text, ha=side, va="center", **style)
            self._draw_row(ax, row, name, ends, size)
        notes = ["worst → best"]
        if any(line.get_gid() == "interval" for line in ax.lines):
            notes.insert(0, "lines: confidence intervals")
        if shown_ends:
            notes.append("* end of the values shown")
        ax.set_xlabel("; ".join(notes), fontsize=0.85 * size, color=muted(), loc="right")
        if not single:
            self._add_models(ax, size)
        of = next(iter(self.values)) if single else f"{len(self.values)} models"
        title_axes(ax, f"Indices of {of}", size)

    def _add_models(self, ax: Any, size: float) -> None:
        """Add a legend of the models' marks."""
        from matplotlib.lines import Line2D

        models = list(self.values)
        handles = [
            Line2D(
                [], [], linestyle="", marker=_MARKERS[i % 8], color=_color(i, False), markersize=0.6 * size
            )
            for i in range(len(models))
        ]
        width = axes_size(ax)[0]
        shown = fit_names(models, 0.38 * width, size)
        widest = max(text_width(name, size) for name in shown) + 2.8 * size
        columns = int(min(max(width // widest, 1), 3))
        where = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0)}
        add_legend(ax, handles, shown, size, ncols=columns, **where)

    def _draw_row(self, ax: Any, row: int, name: str, ends: tuple[_End, _End] | None, size: float) -> None:
        undefined: list[str] = []
        marks: list[float] = []
        single = len(self.values) == 1
        # Models side by side in the row, so that none hides another.
        dodge = 0.0 if single else 0.44 / (len(self.values) - 1)
        for i, (model, own) in enumerate(self.values.items()):
            value = own.get(name, math.nan)
            if math.isnan(value):
                undefined.append(model)
                continue
            if ends is None:
                text = value_text(value, 3)
                put_text(ax, 0.5, row, text, ha="center", va="center", fontsize=size, color=ink())
                continue
            worst, best = ends[0].value, ends[1].value
            x = 0.5 if best == worst else min(max((value - worst) / (best - worst), 0.0), 1.0)
            marks.append(x)
            y = row if single else row - 0.22 + i * dodge
            interval = self.intervals.get(model, {}).get(name)
            reached: list[float] = []
            if interval is not None and best != worst and not any(map(math.isnan, interval)):
                reached = [min(max((end - worst) / (best - worst), 0.0), 1.0) for end in interval]
                color = _color(i, single)
                ax.plot(reached, [y, y], color=color, linewidth=0.2 * size, zorder=2.5, gid="interval")
            _draw_mark(ax, x, y, _MARKERS[i % 8], _color(i, single), size, endless=math.isinf(value))
            if single:
                left, ends_at = x > 0.5, [x, *reached]
                beside = min(ends_at) - 0.04 if left else max(ends_at) + 0.04
                side = "right" if left else "left"
                style = {"ha": side, "fontsize": size, "color": ink()}
                put_text(ax, beside, row, value_text(value, 3), va="center", bbox=_plain(), zorder=2, **style)
        if undefined:
            self._say_undefined(ax, row, undefined, marks, size)

    def _say_undefined(
        self, ax: Any, row: int, undefined: list[str], marks: list[float], size: float
    ) -> None:
        """Name the models that have no value, over the half of the scale that has more room."""
        room = 0.13 * axes_size(ax)[0]
        who = "" if len(self.values) == 1 else " for " + ", ".join(fit_names(undefined[:2], room, size))
        more = f" and {len(undefined) - 2} more" if len(undefined) > 2 else ""
        x = 0.5 if not marks else 0.3 if sum(marks) > 0.5 * len(marks) else 0.7
        style = {"ha": "center", "va": "center", "fontsize": 0.85 * size, "color": muted(), "style": "italic"}
        put_text(ax, x, row, f"undefined{who}{more}", bbox=_plain(), zorder=2, **style)


def _draw_mark(ax: Any, x: float, y: float, marker: str, color: Any, size: float, *, endless: bool) -> None:
    ax.plot(
        x,
        y,
        marker=r"$\infty$" if endless else marker,
        color=color,
        markersize=(1.1 if endless else 0.62) * size,
        markeredgecolor=color if endless else ground(),
        markeredgewidth=0.3,
        linestyle="",
        zorder=3,
        clip_on=False,
    )


def _plain() -> dict[str, Any]:
    """Return the background of a word on a scale."""
    return {"facecolor": ground(), "edgecolor": "none", "pad": 0.4}


def _color(position: int, single: bool) -> Any:
    return on_page(QUANTITY) if single else hue(position)


@dataclass(frozen=True)
class _End:
    """One end of a scale: of the index's range, or of the values shown."""

    value: float
    of_shown: bool

    @property
    def text(self) -> str:
        if self.of_shown:
            return f"{value_text(self.value)}*"
        return with_minus(f"{self.value:g}")


def _ends(
    bounds: tuple[float, float], better: str | None, known: list[float], single: bool
) -> tuple[_End, _End] | None:
    """Return both ends of a scale, worst first; None if the range is unbounded and there is nothing to compare with."""
    finite = [v for v in known if math.isfinite(v)]
    ends = []
    for bound, extreme in zip(bounds, (min, max), strict=True):
        if not math.isfinite(bound) and (single or not finite):
            return None
        ends.append(_End(bound, False) if math.isfinite(bound) else _End(extreme(finite), True))
    low, high = ends
    return (high, low) if better == "lower" else (low, high)
