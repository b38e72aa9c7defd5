"""Curves over the thresholds of a classifier's scores: ROC, precision-recall, DET, gains, and measures by threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from adjudge.displays._drawing import (
    COLUMN,
    Display,
    above,
    add_legend,
    axes_size,
    fit_names,
    quiet,
    text_size,
    text_width,
)
from adjudge.displays._estimators import estimator_name, scores_by
from adjudge.displays._given import check_made
from adjudge.displays._text import value_text
from adjudge.errors import InputError
from adjudge.given.options import check_choice, given_names
from adjudge.indices.class_measures import MEASURES
from adjudge.presentation.palette import CLUSTER_COLORS, INK, MUTED, RULE, cluster_color
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.curves import (
    DetCurve,
    GainsCurve,
    PrecisionRecallCurve,
    RocCurve,
    ScoreCurve,
    ThresholdCurve,
)
from adjudge.statistics.forecasts import Forecasts, read_forecasts

__all__ = [
    "DetCurveDisplay",
    "GainsDisplay",
    "PrecisionRecallDisplay",
    "RocCurveDisplay",
    "ThresholdDisplay",
    "each_forecasts",
    "named_curves",
    "value_below_one",
]

Floats = NDArray[np.float64]
Curve = TypeVar("Curve", bound=ScoreCurve)

# More curves than this are not told apart by a legend.
_MOST_NAMED = 10
# Points closer than this share of the axes are drawn as one.
_GRAIN = 1 / 1500


class _CurvesDisplay(Display, Generic[Curve]):
    """Common parts of displays of curves: how they are made and named."""

    kind: ClassVar[type[ScoreCurve]]

    def __init__(self, curves: Curve | Mapping[str, Curve]) -> None:
        self.curves: dict[str, Curve] = named_curves(curves, self.kind)

    @classmethod
    def from_predictions(
        cls, labels_true: Any, probabilities: Any = None, *, scores: Any = None, **options: Any
    ) -> Self:
        """Sort the scores of one model or several.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), data frame, or mapping of names of models to such
            A vector has the values of the second of two classes.
        scores : the same, optional
            Instead of probabilities, scores that rank the instances.
        **options
            `positive`, `classes`, `sample_weight` and `missing`, as for :func:`adjudge.read_forecasts`. For one model
            with several classes, none of them named as positive, there is one curve per class, against the rest.
        """
        found = each_forecasts(labels_true, probabilities, scores, options)
        return cls(_curves_of(cls.kind, found))

    @classmethod
    def from_result(cls, result: Any, *, positive: Any = None) -> Self:
        """Read the scores that :func:`adjudge.evaluate` was given, or curves.

        Parameters
        ----------
        result : ClassifierEvaluation or curve, or mapping of names of models to such
        positive : optional
            The class; default: that of the evaluation, or one curve per class.
        """
        results = result if isinstance(result, Mapping) and not _is_evaluation(result) else {"": result}
        if all(isinstance(own, cls.kind) for own in results.values()):
            return cls(result)
        found = {}
        for name, own in results.items():
            check_made("result", own, ClassifierEvaluation, "evaluate(kind='classification')")
            found[name] = own.known_forecasts()
        return cls(_curves_of(cls.kind, found, positive))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Sort the scores that a fitted classifier, or several, gives to data.

        Parameters
        ----------
        estimator : fitted classifier, or mapping of names to such
            With `predict_proba`, or else `decision_function`.
        X : array-like of shape (n, p)
        y : array-like of shape (n,)
        **options
            As for :meth:`from_predictions`.
        """
        estimators = estimator if isinstance(estimator, Mapping) else {estimator_name(estimator): estimator}
        found: dict[str, Forecasts] = {}
        for name, own in estimators.items():
            given, classes = scores_by(own, X)
            found[str(name)] = read_forecasts(y, **given, **{"classes": classes, **options})
        return cls(_curves_of(cls.kind, found))

    def _begin(self, ax: Any, figsize: tuple[float, float] | None) -> tuple[Any, float]:
        ax = self._start(ax, figsize or (COLUMN, 0.95 * COLUMN))
        size = text_size(ax)
        quiet(ax, size)
        return ax, size

    def _legend(self, ax: Any, handles: Sequence[Any], notes: Sequence[str], size: float) -> None:
        """Name the curves above the axes, each with a number."""
        width = 0.55 * axes_size(ax)[0]
        names = fit_names([name or str(curve.label) for name, curve in self.curves.items()], width, size)
        shown = [f"{name}  {note}".strip() for name, note in zip(names, notes, strict=True)][:_MOST_NAMED]
        widest = max(text_width(text, size) for text in shown) + 3 * size
        columns = 2 if len(shown) > 4 and 2 * widest < axes_size(ax)[0] else 1
        place = {"loc": "lower left", "bbox_to_anchor": (0, above(ax, 4)), "ncols": columns}
        add_legend(ax, list(handles)[:_MOST_NAMED], shown, size, **place)
        if len(names) > _MOST_NAMED:
            more = f"and {len(names) - _MOST_NAMED} more"
            ax.text(
                1,
                above(ax, 4),
                more,
                transform=ax.transAxes,
                fontsize=size,
                color=MUTED,
                ha="right",
                va="bottom",
            )


def named_curves(curves: Any, kind: type) -> dict[str, Any]:
    """Return curves by name, all of the kind that a display draws."""
    found = {str(name): own for name, own in curves.items()} if isinstance(curves, Mapping) else {"": curves}
    for name, curve in found.items():
        check_made(
            f"curves[{name!r}]" if name else "curves", curve, kind, f"{kind.__name__}.from_predictions()"
        )
    if not found:
        raise InputError("curves is empty: at least one curve is needed")
    return found


def each_forecasts(
    labels_true: Any, probabilities: Any, scores: Any, options: Mapping[str, Any]
) -> dict[str, Forecasts]:
    """Read the forecasts of one model or several, by name; a single model has no name."""
    given = probabilities if scores is None else scores
    if isinstance(given, Mapping):
        option = "probabilities" if scores is None else "scores"
        return {str(m): read_forecasts(labels_true, **{option: own}, **options) for m, own in given.items()}
    return {"": read_forecasts(labels_true, probabilities, scores=scores, **options)}


def _is_evaluation(result: Any) -> bool:
    return isinstance(result, ClassifierEvaluation)


def _curves_of(
    kind: type[ScoreCurve], found: Mapping[str, Forecasts], positive: Any = None
) -> dict[str, Any]:
    """One curve per model; for a single model without a named class, one per class."""
    if len(found) == 1:
        ((name, forecasts),) = found.items()
        if positive is None and forecasts.positive is None:
            return {str(label): kind.of(forecasts, label) for label in forecasts.classes}
        return {name: kind.of(forecasts, positive)}
    return {name: kind.of(forecasts, positive) for name, forecasts in found.items()}


def _thin(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Leave out points that would overlap: millions of scores give a line of some thousand points."""
    if x.size <= 2000:
        return x, y
    cells = np.stack([np.round(v / (np.ptp(v) * _GRAIN or 1)) for v in (x, y)])
    moved = (np.diff(cells) != 0).any(axis=0)
    kept = np.r_[True, moved] | np.r_[moved, True]
    return x[kept], y[kept]


def value_below_one(value: float) -> str:
    """Write a share to three places; only 1 is 1."""
    return ">0.999" if 0.9995 <= value < 1 else value_text(value, 3)


def _unit_square(ax: Any) -> None:
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])


def _name_axes(ax: Any, x: str, y: str, size: float) -> None:
    ax.set_xlabel(x, fontsize=size, color=INK)
    ax.set_ylabel(y, fontsize=size, color=INK)


def _line(ax: Any, x: Floats, y: Floats, number: int, size: float, **style: Any) -> Any:
    thin = _thin(x, y)
    dashes = "-" if number < len(CLUSTER_COLORS) else (0, (3, 1))  # colours repeat
    (handle,) = ax.plot(*thin, color=cluster_color(number), linestyle=dashes, linewidth=0.19 * size, **style)
    return handle


def _reference(ax: Any, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw the curve of chance, or the best possible one."""
    ax.plot(x, y, color=MUTED, linewidth=0.7, linestyle=(0, (4, 2)), zorder=0.9)


class RocCurveDisplay(_CurvesDisplay[RocCurve]):
    """Rates of true and false positives at every threshold, with the area under each curve.

    The broken diagonal is an uninformative score.

    Parameters
    ----------
    curves : RocCurve, or mapping of names to RocCurve

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    kind = RocCurve

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        ax, size = self._begin(ax, figsize)
        _reference(ax, [0, 1], [0, 1])
        handles = [
            _line(ax, curve.false_positive_rate, curve.true_positive_rate, i, size)
            for i, curve in enumerate(self.curves.values())
        ]
        _unit_square(ax)
        _name_axes(ax, "false positive rate", "true positive rate", size)
        notes = [f"AUC {value_below_one(curve.area)}" for curve in self.curves.values()]
        self._legend(ax, handles, notes, size)
        return self

    def describe(self) -> str:
        """Say in a sentence which curve has the largest area."""
        return _best(
            self.curves, {name: own.area for name, own in self.curves.items()}, "area under the curve"
        )


class PrecisionRecallDisplay(_CurvesDisplay[PrecisionRecallCurve]):
    """Precision and recall at every threshold, with the average precision of each curve.

    Precision is drawn as steps, as average precision adds it up. The broken line is the share of the class: the
    precision of an uninformative score.

    Parameters
    ----------
    curves : PrecisionRecallCurve, or mapping of names to PrecisionRecallCurve

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    kind = PrecisionRecallCurve

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        ax, size = self._begin(ax, figsize)
        handles = []
        for i, curve in enumerate(self.curves.values()):
            # The first threshold is above all scores: no precision.
            recall, precision = curve.recall[1:], curve.precision[1:]
            start = np.r_[0.0, recall], np.r_[precision[:1], precision]
            handles.append(_line(ax, *start, i, size, drawstyle="steps-pre"))
        shares = {
            curve.ranked.n_positive / curve.ranked.n for curve in self.curves.values() if curve.ranked.n
        }
        for share in shares if len(shares) == 1 else ():
            _reference(ax, [0, 1], [share, share])
        _unit_square(ax)
        _name_axes(ax, "recall", "precision", size)
        notes = [f"AP {value_below_one(curve.average_precision)}" for curve in self.curves.values()]
        self._legend(ax, handles, notes, size)
        return self

    def describe(self) -> str:
        """Say in a sentence which curve has the highest average precision."""
        found = {name: own.average_precision for name, own in self.curves.items()}
        return _best(self.curves, found, "average precision")


_DEVIATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


class DetCurveDisplay(_CurvesDisplay[DetCurve]):
    """Rates of both errors at every threshold on scales of normal deviates, with the equal error rate of each curve.

    Normal scores give straight lines. Thresholds without one of the errors lie outside these scales.

    Parameters
    ----------
    curves : DetCurve, or mapping of names to DetCurve

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    kind = DetCurve

    def plot(self, ax: Any = None, *, figsize: tuple[float, float] | None = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        from scipy.special import ndtri

        ax, size = self._begin(ax, figsize)
        handles, low = [], 0.05
        for i, curve in enumerate(self.curves.values()):
            fpr, fnr = curve.false_positive_rate, curve.false_negative_rate
            inside = (fpr > 0) & (fpr < 1) & (fnr > 0) & (fnr < 1)
            low = min([low, *(float(rate[inside].min()) for rate in (fpr, fnr) if inside.any())])
            handles.append(_line(ax, ndtri(fpr[inside]), ndtri(fnr[inside]), i, size))
        ends = float(ndtri(0.8 * low)), float(ndtri(0.95))
        _reference(ax, ends, ends)
        for axis in ("x", "y"):
            getattr(ax, f"set_{axis}lim")(*ends)
            shown = [rate for rate in _DEVIATES if ends[0] <= ndtri(rate) <= ends[1]]
            places, texts = [float(ndtri(rate)) for rate in shown], [f"{100 * rate:g} %" for rate in shown]
            getattr(ax, f"set_{axis}ticks")(places, texts)
        ax.grid(color=RULE, linewidth=0.5)
        _name_axes(ax, "false positive rate", "false negative rate", size)
        notes = [f"EER {value_text(curve.equal_error_rate, 3)}" for curve in self.curves.values()]
        self._legend(ax, handles, notes, size)
        return self

    def describe(self) -> str:
        """Say in a sentence which curve has the lowest equal error rate."""
        found = {name: own.equal_error_rate for name, own in self.curves.items()}
        return _best(self.curves, found, "equal error rate", lowest=True)


class GainsDisplay(_CurvesDisplay[GainsCurve]):
    """How much of the class is found among the highest scores, as cumulative gains or as lift.

    The broken line is a random order; the grey one of cumulative gains, if there is one, the best possible order.

    Parameters
    ----------
    curves : GainsCurve, or mapping of names to GainsCurve

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    kind = GainsCurve

    def plot(
        self,
        ax: Any = None,
        *,
        style: Literal["gains", "lift"] = "gains",
        figsize: tuple[float, float] | None = None,
    ) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        style : {"gains", "lift"}
            Share of the class that is found, or how many times as frequent it is as among all instances.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        check_choice("style", style, ("gains", "lift"))
        ax, size = self._begin(ax, figsize)
        handles = []
        for i, curve in enumerate(self.curves.values()):
            first = int(style == "lift")  # of no instance there is no lift
            handles.append(_line(ax, curve.share[first:], getattr(curve, style.rstrip("s"))[first:], i, size))
        if style == "gains":
            self._draw_best(ax)
            _unit_square(ax)
        else:
            ax.set_xlim(-0.01, 1.01)
            ax.set_ylim(0, None)
        _reference(ax, [0, 1], [0, 1] if style == "gains" else [1, 1])
        what = "share of the class found" if style == "gains" else "lift"
        _name_axes(ax, "share of the instances, highest scores first", what, size)
        notes = [
            f"{value_text(100 * curve.gain_at(0.1), 0)} % in first 10 %" for curve in self.curves.values()
        ]
        self._legend(ax, handles, notes, size)
        return self

    def _draw_best(self, ax: Any) -> None:
        shares = {
            curve.ranked.n_positive / curve.ranked.n for curve in self.curves.values() if curve.ranked.n
        }
        if len(shares) == 1:
            ax.plot([0, *shares, 1], [0, 1, 1], color=RULE, linewidth=1.2, zorder=0.8)

    def describe(self) -> str:
        """Say in a sentence which curve finds most of the class in the first tenth."""
        found = {name: own.gain_at(0.1) for name, own in self.curves.items()}
        return _best(self.curves, found, "share of the class in the first tenth")


class ThresholdDisplay(_CurvesDisplay[ThresholdCurve]):
    """Measures of one model over the threshold, or one measure of several models.

    Parameters
    ----------
    curves : ThresholdCurve, or mapping of names to ThresholdCurve

    Attributes
    ----------
    figure_ : matplotlib Figure
    ax_ : matplotlib Axes
    """

    kind = ThresholdCurve

    def plot(
        self,
        ax: Any = None,
        *,
        measures: str | Sequence[str] | None = None,
        figsize: tuple[float, float] | None = None,
    ) -> Self:
        """Draw the measures.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Default: those of a new figure.
        measures : str or sequence of str, optional
            Columns of the table by class; of several models one. Default: precision, recall and F1 of one model, F1 of
            several.
        figsize : tuple of float, optional
            Width and height of the new figure, in inches.
        """
        wanted = self._measures(measures)
        ax, size = self._begin(ax, figsize or (COLUMN, 0.75 * COLUMN))
        handles: list[Any] = []
        names = []
        for name, curve in self.curves.items():
            for measure in wanted:
                # An answer changes just above a score, so a value holds down to the next lower one.
                rising = curve.thresholds[:0:-1], curve.measure(measure)[:0:-1]
                finite = np.isfinite(rising[1])
                x, y = (part[finite] for part in rising)
                handles.append(_line(ax, x, y, len(handles), size, drawstyle="steps-pre"))
                names.append(measure.replace("_", " ") if len(wanted) > 1 or not name else name)
        ax.set_ylim(*_value_range(wanted))
        ax.locator_params(nbins=6)
        of = wanted[0].replace("_", " ") if len(wanted) == 1 else "value"
        _name_axes(ax, "threshold", of, size)
        ax.margins(x=0.02)
        place = {"loc": "lower left", "bbox_to_anchor": (0, above(ax, 4)), "ncols": 3}
        shown = fit_names(names, 0.3 * axes_size(ax)[0], size)
        add_legend(ax, handles[:_MOST_NAMED], shown[:_MOST_NAMED], size, **place)
        return self

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
        """Say in a sentence at which threshold F1 is highest; on the data that it was chosen on it looks too good."""
        parts = []
        for name, curve in self.curves.items():
            f1 = curve.f1
            if np.isnan(f1[1:]).all():
                parts.append(f"F1{_of(name)} is undefined")
                continue
            best = int(np.nanargmax(f1))
            at = value_text(float(curve.thresholds[best]), 3)
            parts.append(f"F1{_of(name)} is highest, {value_text(float(f1[best]), 3)}, at {at}")
        return "; ".join(parts)


def _value_range(measures: Sequence[str]) -> tuple[float | None, float | None]:
    signed = {"matthews_correlation", "informedness", "markedness"}
    if any("ratio" in measure for measure in measures):
        return 0, None
    return (-1.02 if signed & set(measures) else -0.02), 1.02


def _of(name: str) -> str:
    return f" of {name}" if name else ""


def _best(curves: Mapping[str, Any], values: Mapping[str, float], what: str, *, lowest: bool = False) -> str:
    """Say which of the curves has the best value."""
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        return f"the {what} is undefined"
    pick = min if lowest else max
    best = pick(known, key=known.__getitem__)
    value = value_below_one(known[best])
    if len(curves) == 1:
        return f"the {what}{_of(best)} is {value}"
    return f"{best} has the {'lowest' if lowest else 'highest'} {what}, {value}"
