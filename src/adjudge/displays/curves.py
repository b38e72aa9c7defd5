"""Curves over the thresholds of a classifier's scores: ROC, precision-recall, DET, gains, measures, and net benefit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from adjudge.displays._colors import faint, hue, muted
from adjudge.displays._curves import (
    MOST_NAMED,
    CurvesDisplay,
    CurveStyles,
    RankedCurvesDisplay,
    best_of,
    draw_line,
    draw_reference,
    line_styles,
    of_class,
    of_name,
    say_what_is_missing,
    shares_of_class,
    title_of,
    unit_square,
)
from adjudge.displays._drawing import axes_size, fit_names, legend_above, name_axes, quiet, title_axes
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice, check_confidence, given_names
from adjudge.indices.class_measures import MEASURES
from adjudge.presentation.numbers import listed, value_text
from adjudge.results.curves import (
    DecisionCurve,
    DetCurve,
    GainsCurve,
    PrecisionRecallCurve,
    RocCurve,
    ThresholdCurve,
)

# How a band is drawn around a curve.
_BAND: dict[str, Any] = {"alpha": 0.15, "linewidth": 0, "zorder": 0.7}


class RocCurveDisplay(RankedCurvesDisplay[RocCurve]):
    """Rates of true and false positives at every threshold, with the area under each curve.

    The dashed diagonal is an uninformative score. With `confidence`, shaded bands contain the whole curve of the
    population.
    """

    kind, title_words = RocCurve, "ROC curve"
    number, number_words, number_short = "area", "area under the curve", "AUC"

    def _draw(
        self, ax: Any, size: float, *, confidence: float | None = None, curve_kwargs: CurveStyles = None
    ) -> None:
        """Draw the curves.

        Parameters
        ----------
        confidence : float, optional
            Also draw a band of this level around each curve that has one.
        curve_kwargs : mapping, or sequence of one mapping per curve, optional
            Options of ``Axes.plot`` for the curves: `color`, `linestyle` ...
        """
        if confidence is not None:
            check_confidence(confidence)
        super()._draw(ax, size, curve_kwargs=curve_kwargs)
        if confidence is None:
            return
        say_what_is_missing(ax, "band", [curve.without_band for curve in self.curves.values()])
        for i, curve in enumerate(self.curves.values()):
            if curve.without_band is None and curve.is_defined:
                band = curve.band(confidence, at=np.linspace(0, 1, 1001))
                ax.fill_between(band.false_positive_rate, band.low, band.high, color=hue(i), **_BAND)

    def _lines(self, ax: Any, size: float, styles: Sequence[dict[str, Any]]) -> list[Any]:
        draw_reference(ax, [0, 1], [0, 1])
        handles = [
            draw_line(ax, curve.false_positive_rate, curve.true_positive_rate, i, size, styles[i])
            for i, curve in enumerate(self.curves.values())
        ]
        unit_square(ax)
        name_axes(ax, "false positive rate", f"true positive rate{of_class(self.curves)}", size)
        return handles


class PrecisionRecallDisplay(RankedCurvesDisplay[PrecisionRecallCurve]):
    """Precision and recall at every threshold, with the average precision of each curve.

    Precision is drawn as steps, as average precision adds it up. The dashed line is the share of the class: the
    precision of an uninformative score.
    """

    kind, title_words = PrecisionRecallCurve, "Precision-recall curve"
    number, number_words, number_short = "average_precision", "average precision", "AP"

    def _lines(self, ax: Any, size: float, styles: Sequence[dict[str, Any]]) -> list[Any]:
        handles = []
        for i, curve in enumerate(self.curves.values()):
            # The first threshold is above all scores: no precision.
            recall, precision = curve.recall[1:], curve.precision[1:]
            start = np.r_[0.0, recall], np.r_[precision[:1], precision]
            handles.append(draw_line(ax, *start, i, size, styles[i], drawstyle="steps-pre"))
        shares = shares_of_class(self.curves)
        for share in shares if len(shares) == 1 else ():
            draw_reference(ax, [0, 1], [share, share])
        unit_square(ax)
        name_axes(ax, "recall", f"precision{of_class(self.curves)}", size)
        return handles


_DEVIATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


class DetCurveDisplay(RankedCurvesDisplay[DetCurve]):
    """Rates of both errors at every threshold on scales of normal deviates, with the equal error rate of each curve.

    Normal scores give straight lines. Thresholds at which one of the errors does not occur lie outside these scales.
    """

    kind, title_words = DetCurve, "DET curve"
    number, number_words, number_short = "equal_error_rate", "equal error rate", "EER"
    lowest_is_best = True

    def _lines(self, ax: Any, size: float, styles: Sequence[dict[str, Any]]) -> list[Any]:
        from scipy.special import ndtri

        handles, low = [], 0.05
        for i, curve in enumerate(self.curves.values()):
            fpr, fnr = curve.false_positive_rate, curve.false_negative_rate
            inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
            low = min([low, *(float(rate[inside].min()) for rate in (fpr, fnr) if inside.any())])
            handles.append(draw_line(ax, ndtri(fpr[inside]), ndtri(fnr[inside]), i, size, styles[i]))
        ends = float(ndtri(0.8 * low)), float(ndtri(0.95))
        draw_reference(ax, ends, ends)
        for axis in ("x", "y"):
            getattr(ax, f"set_{axis}lim")(*ends)
            shown = [rate for rate in _DEVIATES if ends[0] <= ndtri(rate) <= ends[1]]
            places, texts = [float(ndtri(rate)) for rate in shown], [f"{100 * rate:g} %" for rate in shown]
            getattr(ax, f"set_{axis}ticks")(places, texts)
        ax.grid(color=faint(), linewidth=0.5)
        name_axes(ax, "false positive rate", f"false negative rate{of_class(self.curves)}", size)
        return handles


class GainsDisplay(CurvesDisplay[GainsCurve]):
    """How much of the class is found among the highest scores, as cumulative gains or as lift.

    The dashed line is a random order; the grey line of cumulative gains, if there is one, the best possible order.
    """

    kind, title_words = GainsCurve, "Cumulative gains curve"

    def _draw(
        self,
        ax: Any,
        size: float,
        *,
        style: Literal["gains", "lift"] = "gains",
        curve_kwargs: CurveStyles = None,
    ) -> None:
        """Draw the curves.

        Parameters
        ----------
        style : {"gains", "lift"}
            Share of the class that is found, or how many times as frequent it is as among all instances.
        curve_kwargs : mapping, or sequence of one mapping per curve, optional
            Options of ``Axes.plot`` for the curves: `color`, `linestyle` ...
        """
        check_choice("style", style, ("gains", "lift"))
        quiet(ax, size)
        handles, styles = [], line_styles(curve_kwargs, len(self.curves))
        for i, curve in enumerate(self.curves.values()):
            first = int(style == "lift")  # without instances there is no lift
            handles.append(
                draw_line(
                    ax, curve.share[first:], getattr(curve, style.rstrip("s"))[first:], i, size, styles[i]
                )
            )
        if style == "gains":
            self._draw_best(ax)
            unit_square(ax)
        else:
            ax.set_xlim(-0.01, 1.01)
            ax.set_ylim(0, None)
        draw_reference(ax, [0, 1], [0, 1] if style == "gains" else [1, 1])
        own_class = of_class(self.curves)
        share = f"share{own_class} found" if own_class else "share of the class found"
        what = share if style == "gains" else f"lift{own_class}"
        name_axes(ax, "share of the instances, highest scores first", what, size)
        notes = [
            f"{value_text(100 * curve.gain_at(0.1), 0)} % in first 10 %" for curve in self.curves.values()
        ]
        self._legend(ax, handles, notes, size, "Lift curve" if style == "lift" else self.title_words)

    def _draw_best(self, ax: Any) -> None:
        shares = shares_of_class(self.curves)
        if len(shares) == 1:
            ax.plot([0, *shares, 1], [0, 1, 1], color=faint(), linewidth=1.2, zorder=0.8)

    def describe(self) -> str:
        """Say in a sentence which curve finds most of the class in the first tenth."""
        found = {name: curve.gain_at(0.1) for name, curve in self.curves.items()}
        return best_of(found, f"share{of_class(self.curves) or ' of the class'} in the first tenth")


class ThresholdDisplay(CurvesDisplay[ThresholdCurve]):
    """Measures of one model by threshold, or one measure of several models.

    A dotted line is at the threshold with the highest F1 of a single model: on the data that chose it, it looks too
    good.
    """

    kind, title_words = ThresholdCurve, "Threshold curve"

    def _draw(
        self,
        ax: Any,
        size: float,
        *,
        measures: str | Sequence[str] | None = None,
        curve_kwargs: CurveStyles = None,
    ) -> None:
        """Draw the measures.

        Parameters
        ----------
        measures : str or sequence of str, optional
            Columns of the table by class; only one for several models. Default: precision, recall and F1 for one model,
            F1 for several.
        curve_kwargs : mapping, or sequence of one mapping per line, optional
            Options of ``Axes.plot`` for the lines: `color`, `linestyle` ...
        """
        wanted = self._measures(measures)
        quiet(ax, size)
        styles = line_styles(curve_kwargs, len(self.curves) * len(wanted))
        handles: list[Any] = []
        names = []
        for name, curve in self.curves.items():
            for measure in wanted:
                # An answer changes just above a score, so a value holds down to the next lower one.
                rising = curve.thresholds[:0:-1], curve.measure(measure)[:0:-1]
                finite = np.isfinite(rising[1])
                x, y = (part[finite] for part in rising)
                handles.append(
                    draw_line(ax, x, y, len(handles), size, styles[len(handles)], drawstyle="steps-pre")
                )
                names.append(_measure_text(measure) if len(wanted) > 1 or not name else name)
        if len(self.curves) == 1 and "f1" in wanted and (best := _highest_f1(curve)):
            dotted = {"color": muted(), "linewidth": 0.1 * size, "linestyle": (0, (1, 1.5)), "gid": "best"}
            handles.append(ax.axvline(best[1], **dotted))
            names.append(f"highest F1, {value_text(best[0], 3)}, at {value_text(best[1], 3)}")
        ax.set_ylim(*_value_range(wanted))
        ax.locator_params(nbins=6)
        name_axes(ax, "threshold", _measure_text(wanted[0]) if len(wanted) == 1 else "value", size)
        ax.margins(x=0.02)
        shown = fit_names(names, 0.42 * axes_size(ax)[0], size)
        legend_above(ax, handles[:MOST_NAMED], shown[:MOST_NAMED], size, lift=4, ncols=2)
        title_axes(ax, title_of(self.title_words, self.curves, self.name, ax, size), size)

    def _measures(self, measures: str | Sequence[str] | None) -> tuple[str, ...]:
        if measures is None:
            return ("f1",) if len(self.curves) > 1 else ("precision", "recall", "f1")
        found = (measures,) if isinstance(measures, str) else tuple(given_names("measures", measures))
        for name in found:
            check_choice("measures", name, tuple(MEASURES))
        if len(self.curves) > 1 and len(found) != 1:
            raise InputError(f"{len(self.curves)} models were given: name one of the measures")
        return found

    def describe(self) -> str:
        """Say in a sentence at which threshold F1 is highest; on the data that chose it, it looks too good."""
        parts, what = [], f"F1{of_class(self.curves)}"
        for name, curve in self.curves.items():
            best = _highest_f1(curve)
            if best is None:
                parts.append(f"{what}{of_name(name)} is undefined")
                continue
            value, at = (value_text(part, 3) for part in best)
            parts.append(f"{what}{of_name(name)} is highest, {value}, at {at}")
        return "; ".join(parts)


class DecisionCurveDisplay(CurvesDisplay[DecisionCurve]):
    """Net benefit of acting on the instances from a probability on, by that probability.

    The dashed line acts on everybody, the line at 0 on nobody: a model is worth using where it is above both. With
    `confidence`, shaded bands contain the whole curve of the population.
    """

    kind, title_words = DecisionCurve, "Decision curve"

    def _draw(
        self,
        ax: Any,
        size: float,
        *,
        confidence: float | None = None,
        most: float | None = None,
        curve_kwargs: CurveStyles = None,
    ) -> None:
        """Draw the curves.

        Parameters
        ----------
        confidence : float, optional
            Also draw a band of this level around each curve that has one.
        most : float, optional
            Largest probability that is shown; default: where no model is worth using any more, at most 0.99.
        curve_kwargs : mapping, or sequence of one mapping per curve, optional
            Options of ``Axes.plot`` for the curves: `color`, `linestyle` ...
        """
        if most is not None and not 0 < most < 1:
            raise InputError(Option("most", most), ": a probability between 0 and 1 is needed")
        quiet(ax, size)
        shown = np.linspace(0, self._most() if most is None else most, 501)
        styles, top = line_styles(curve_kwargs, len(self.curves)), 0.0
        handles = []
        for i, curve in enumerate(self.curves.values()):
            values = curve.at(shown)
            top = max(top, float(values.max()))
            handles.append(draw_line(ax, shown, values, i, size, styles[i]))
            if confidence is not None and curve.without_band is None:
                band = curve.band(confidence, at=shown[::5])
                ax.fill_between(band.at, band.low, band.high, color=hue(i), **_BAND)
                top = max(top, min(1.5 * top, float(band.high.max())))
        for everybody in {tuple(curve.of_all_at(shown).tolist()) for curve in self.curves.values()}:
            draw_reference(ax, shown.tolist(), everybody)
        draw_reference(ax, [0, float(shown[-1])], [0, 0])
        ax.set_xlim(0, float(shown[-1]))
        ax.set_ylim(-0.25 * top or None, 1.05 * top or None)
        name_axes(ax, "probability from which one acts", f"net benefit{of_class(self.curves)}", size)
        if confidence is not None:
            say_what_is_missing(ax, "band", [curve.without_band for curve in self.curves.values()])
        self._legend(ax, handles, [self._worth_using(curve) for curve in self.curves.values()], size)

    def _most(self) -> float:
        """Return the probability above which all models are worth nothing."""
        grid = np.linspace(0, 0.99, 100)
        ends = [
            float(grid[curve.at(grid) > 0].max(initial=0.0))
            for curve in self.curves.values()
            if curve.ranked.n
        ]
        return min(0.99, 1.1 * max([0.1, *ends]))

    def _worth_using(self, curve: DecisionCurve) -> str:
        return f"better from {where}" if (where := _in_words(_ranges_of_use(curve))) else "never better"

    def describe(self) -> str:
        """Say in a sentence from which to which probabilities each model beats acting on everybody and on nobody."""
        parts = []
        for name, curve in self.curves.items():
            who, where = name or "the model", _in_words(_ranges_of_use(curve))
            better = f"better than acting on everybody or on nobody from {where}"
            never = "never better than acting on everybody or on nobody"
            parts.append(f"{who} is {better if where else never}")
        what = of_class(self.curves)
        return (f"by the net benefit{what}, " if what else "") + "; ".join(parts)


def _ranges_of_use(curve: DecisionCurve) -> list[tuple[float, float]]:
    """Return the ranges of probabilities at which a model beats acting on everybody and on nobody."""
    grid = np.arange(1, 100) / 100
    better = curve.at(grid) > np.maximum(curve.of_all_at(grid), 0.0) + 1e-12
    edges = np.flatnonzero(np.diff(np.r_[False, better, False].astype(np.int64)))
    return [(float(grid[first]), float(grid[last - 1])) for first, last in edges.reshape(-1, 2)]


def _in_words(ranges: Sequence[tuple[float, float]], most: int = 3) -> str:
    """Write ranges, and how many more there are."""
    said = [f"{value_text(low, 2)} to {value_text(high, 2)}" for low, high in ranges[:most]]
    if len(ranges) > most:
        said.append(f"in {len(ranges) - most} more places")
    return listed(said)


def _highest_f1(curve: ThresholdCurve) -> tuple[float, float] | None:
    """Return the highest F1 and its threshold; None if F1 is undefined at all of them."""
    if np.isnan(curve.f1[1:]).all():
        return None
    best = int(np.nanargmax(curve.f1))
    return float(curve.f1[best]), float(curve.thresholds[best])


def _measure_text(name: str) -> str:
    return {"f1": "F1"}.get(name, name.replace("_", " "))


def _value_range(measures: Sequence[str]) -> tuple[float | None, float | None]:
    signed = {"matthews_correlation", "informedness", "markedness"}
    if any("ratio" in measure for measure in measures):
        return 0, None
    return (-1.02 if signed & set(measures) else -0.02), 1.02
