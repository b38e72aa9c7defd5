"""Forecast probabilities against what happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from adjudge.displays._colors import ink, muted
from adjudge.displays._curves import (
    CurveStyles,
    draw_line,
    each_forecasts,
    forecasts_of,
    line_styles,
    named_curves,
    of_class,
    of_name,
    title_of,
)
from adjudge.displays._drawing import (
    Display,
    above,
    add_legend,
    axes_size,
    fit_names,
    quiet,
    separate_thousands,
    split_axes,
    text_size,
    title_axes,
)
from adjudge.displays._estimators import estimator_name, scores_by
from adjudge.errors import InputError
from adjudge.given.options import check_confidence
from adjudge.given.positive import one_positive
from adjudge.presentation.numbers import value_text
from adjudge.results.reliability import ReliabilityCurve
from adjudge.statistics.reliability import Bins

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ReliabilityDisplay"]


class ReliabilityDisplay(Display):
    """How often forecasts came true, bin by bin, above a histogram of the forecasts.

    On the dashed diagonal, a forecast of 70 % comes true in 70 % of the cases. Points below it are overconfident. Bars
    are Wilson's intervals of the observed share; instances with weights have none.

    Parameters
    ----------
    curves : ReliabilityCurve, or mapping of names to ReliabilityCurve
    name : str, optional
        Name of a single model.

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
        The frame that holds both panels.
    axes_ : list of matplotlib Axes
        The panel of the bins, and that of the histogram.
    """

    axes_: list[Axes]

    def __init__(self, curves: ReliabilityCurve | Mapping[str, ReliabilityCurve], *, name: str = "") -> None:
        self.curves: dict[str, ReliabilityCurve] = named_curves(curves, ReliabilityCurve, str(name))

    @classmethod
    def from_predictions(
        cls,
        labels_true: Any,
        probabilities: Any,
        *,
        n_bins: int = 10,
        bins: Bins = "width",
        name: str = "",
        **options: Any,
    ) -> Self:
        """Sort the probabilities of one model or several into bins.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), data frame, or mapping of model names to such
        n_bins : int, default 10
        bins : {"width", "mass"}, default "width"
            Bins of equal width, or with equally many instances.
        name : str, optional
            Name of a single model.
        **options
            `positive` (or `pos_label`), `classes`, `sample_weight` and `missing`, as for
            :func:`adjudge.statistics.read_forecasts`. With more than two classes, none of which is named as positive,
            forecasts are those of the likeliest class.
        """
        found = each_forecasts(labels_true, probabilities, None, options, name)
        return cls({m: ReliabilityCurve.of(own, n_bins=n_bins, bins=bins) for m, own in found.items()})

    @classmethod
    def from_result(
        cls,
        result: Any,
        *,
        positive: Any = None,
        pos_label: Any = None,
        n_bins: int = 10,
        bins: Bins = "width",
    ) -> Self:
        """Read the probabilities that :func:`~adjudge.evaluate` was given.

        Parameters
        ----------
        result : ClassifierEvaluation, mapping of model names to such, Evaluations, Comparison or Gate
        positive, pos_label : optional
            The class; default: that of the evaluation, or else the likeliest.
        n_bins : int, default 10
        bins : {"width", "mass"}, default "width"
        """
        own_class = one_positive(positive, pos_label)
        return cls(
            {
                name: ReliabilityCurve.of(own, own_class, n_bins=n_bins, bins=bins)
                for name, own in forecasts_of(result).items()
            }
        )

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, n_bins: int = 10, bins: Bins = "width", **options: Any
    ) -> Self:
        """Sort the probabilities that a fitted classifier, or several, gives to data into bins.

        Parameters
        ----------
        estimator : fitted classifier with `predict_proba`, or mapping of names to such
        X : array-like of shape (n, p)
        y : array-like of shape (n,)
        n_bins : int, default 10
        bins : {"width", "mass"}, default "width"
        **options
            As for :meth:`from_predictions`.
        """
        estimators = estimator if isinstance(estimator, Mapping) else {estimator_name(estimator): estimator}
        found = {}
        for name, own in estimators.items():
            given, classes = scores_by(own, X)
            if "probabilities" not in given:
                raise InputError(
                    f"{estimator_name(own)} has no predict_proba(): reliability needs probabilities"
                )
            own_options = {"classes": classes, "n_bins": n_bins, "bins": bins, **options}
            found[str(name)] = ReliabilityCurve.from_predictions(y, given["probabilities"], **own_options)
        return cls(found)

    def plot(
        self,
        ax: Any = None,
        *,
        confidence: float = 0.95,
        curve_kwargs: CurveStyles = None,
        figsize: tuple[float, float] | None = None,
    ) -> Self:
        """Draw the bins and the histogram.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure. The panels are put in their place.
        confidence : float, default 0.95
            Level of the intervals.
        curve_kwargs : mapping, or sequence of one mapping per curve, optional
            Options of ``Axes.plot`` for the curves: `color`, `linestyle` ...
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        check_confidence(confidence)
        frame = self._start(ax, figsize)
        size = text_size(frame)
        upper, lower = split_axes(frame, 2, 1, heights=(3, 1))
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
        upper.set_ylabel("observed share", fontsize=size, color=ink())
        separate_thousands(lower.yaxis)
        lower.set_ylabel("weight" if one.ranked.is_weighted else "instances", fontsize=size, color=ink())
        names = fit_names(list(self.curves), 0.55 * axes_size(frame)[0], size)
        texts = [f"{name} ({note})" if name else note for name, note in zip(names, notes, strict=True)]
        add_legend(upper, handles, texts, size, loc="lower left", bbox_to_anchor=(0, above(upper, 4)))
        title_axes(upper, title_of("Reliability diagram", self.curves, "", upper, size), size)
        return self

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
        if not curve.ranked.is_weighted:
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
