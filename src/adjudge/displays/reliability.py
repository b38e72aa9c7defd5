"""Forecast probabilities against what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adjudge.displays._colors import ink, muted
from adjudge.displays._curves import (
    CurvesDisplay,
    CurveStyles,
    draw_line,
    line_styles,
    of_class,
    of_name,
    say_what_is_missing,
    title_of,
)
from adjudge.displays._drawing import (
    axes_size,
    fit_names,
    legend_above,
    quiet,
    separate_thousands,
    split_axes,
    title_axes,
)
from adjudge.given.options import check_confidence
from adjudge.presentation.numbers import value_text
from adjudge.results.reliability import ReliabilityCurve

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ReliabilityDisplay(CurvesDisplay[ReliabilityCurve]):
    """How often forecasts came true, bin by bin, above a histogram of the forecasts.

    On the dashed diagonal, a forecast of 70 % comes true in 70 % of the cases. Points below it are overconfident. Bars
    are intervals of the observed share: Wilson's, or those of units or of instances with weights, which need the rows.

    Attributes
    ----------
    axes_ : list of matplotlib Axes
        The panel of the bins, and that of the histogram.
    """

    axes_: list[Axes]

    kind, title_words, by_class = ReliabilityCurve, "Reliability diagram", False

    def _draw(
        self, ax: Any, size: float, *, confidence: float = 0.95, curve_kwargs: CurveStyles = None
    ) -> None:
        """Draw the bins and the histogram.

        Parameters
        ----------
        confidence : float, default 0.95
            Level of the intervals.
        curve_kwargs : mapping, or sequence of one mapping per curve, optional
            Options of ``Axes.plot`` for the curves: `color`, `linestyle` ...
        """
        check_confidence(confidence)
        upper, lower = split_axes(ax, 2, 1, heights=(3, 1))
        self.axes_ = [upper, lower]
        handles, notes = [], []
        styles = line_styles(curve_kwargs, len(self.curves))
        for i, curve in enumerate(self.curves.values()):
            handles.append(self._draw_bins(upper, curve, i, size, confidence, styles[i]))
            notes.append(f"ECE = {value_text(curve.calibration_error, 3)}")
            counts, edges = curve.histogram()
            alone = len(self.curves) == 1
            lower.stairs(counts, edges, fill=alone, color=handles[-1].get_color(), linewidth=0.13 * size)
        upper.plot([0, 1], [0, 1], color=muted(), linewidth=0.7, linestyle=(0, (4, 2)), zorder=0.9)
        for panel in self.axes_:
            quiet(panel, size)
            panel.set_xlim(-0.01, 1.01)
            panel.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
        upper.set_ylim(-0.01, 1.01)
        upper.tick_params(labelbottom=False)
        lower.set_ylim(0, None)
        lower.locator_params(axis="y", nbins=3)
        one = next(iter(self.curves.values()))
        what = f"forecast probability{of_class(self.curves)}"
        what = "forecast of the likeliest class" if one.label is None else what
        lower.set_xlabel(what, fontsize=size, color=ink())
        say_what_is_missing(lower, "bars", [curve.without_intervals for curve in self.curves.values()])
        upper.set_ylabel("observed share", fontsize=size, color=ink())
        separate_thousands(lower.yaxis)
        lower.set_ylabel("weight" if one.ranked.is_weighted else "instances", fontsize=size, color=ink())
        names = fit_names(list(self.curves), 0.55 * axes_size(ax)[0], size)
        texts = [f"{name} ({note})" if name else note for name, note in zip(names, notes, strict=True)]
        legend_above(upper, handles, texts, size, lift=4)
        title_axes(upper, title_of(self.title_words, self.curves, self.name, upper, size), size)

    def _draw_bins(
        self,
        ax: Any,
        curve: ReliabilityCurve,
        number: int,
        size: float,
        confidence: float,
        own: dict[str, Any],
    ) -> Any:
        found, marks = curve.binned, {"marker": "o", "markersize": 0.45 * size}
        handle = draw_line(ax, found.forecast, found.observed, number, size, own, **marks)
        if curve.without_intervals is None:
            ends = curve.intervals(confidence)
            ax.vlines(
                found.forecast,
                ends[:, 0],
                ends[:, 1],
                color=handle.get_color(),
                linewidth=0.1 * size,
                alpha=0.7,
            )
        return handle

    def describe(self) -> str:
        """Say in a sentence how far forecasts are from what happened."""
        parts = []
        for name, curve in self.curves.items():
            excess = float(curve.binned.shares @ (curve.binned.forecast - curve.binned.observed))
            way = "above" if excess > 0 else "below"
            mean = f"on average {value_text(abs(excess), 3)} {way} what happened"
            error = value_text(curve.calibration_error, 3)
            own_class = of_class({name: curve})
            of_model = f"{own_class} by {name}" if own_class and name else own_class or of_name(name)
            parts.append(f"forecasts{of_model} are {mean} (ECE {error})")
        return "; ".join(parts)
