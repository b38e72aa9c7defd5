"""Common parts of displays of curves: how they are made from scores, drawn, named, and told apart."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from inspect import cleandoc, signature
from typing import Any, ClassVar, Generic, Self, TypeAlias, TypeVar

import numpy as np

from adjudge.array_types import Floats
from adjudge.displays._colors import hue, muted, n_hues
from adjudge.displays._display import Display
from adjudge.displays._drawing import (
    above,
    axes_size,
    fit_names,
    legend_above,
    quiet,
    text_width,
    title_axes,
)
from adjudge.displays._estimators import estimator_name, scores_by
from adjudge.displays._given import check_made, of_gate
from adjudge.errors import Argument, InputError, Option
from adjudge.given.positive import is_usual, one_positive
from adjudge.inference.sampling_design import Drawn
from adjudge.presentation.numbers import value_text
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.comparison import Comparison
from adjudge.results.evaluations import Evaluations
from adjudge.results.instances import drawn_in
from adjudge.results.reliability import ReliabilityCurve
from adjudge.results.score_curve import ScoreCurve
from adjudge.statistics.forecasts import Forecasts, read_forecasts
from adjudge.unknown_names import check_known

Curve = TypeVar("Curve", bound=ScoreCurve | ReliabilityCurve)
#: Options of lines: the same for all curves, or one mapping per curve.
CurveStyles: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None

# The parameters of all displays of curves.
_PARAMETERS = """\
Parameters
----------
curves : {0}, or mapping of names to {0}
name : str, optional
    Name of a single model."""
# Options of reliability alone.
_OF_BINS = ("n_bins", "bins")
# More curves than this are not told apart by a legend.
MOST_NAMED = 10
# Points closer than this share of the axes are drawn as one.
_GRAIN = 1 / 1500


class CurvesDisplay(Display, Generic[Curve]):
    """Common parts of displays of curves: how they are made and named."""

    kind: ClassVar[type[ScoreCurve] | type[ReliabilityCurve]]
    #: What one curve is called in a title.
    title_words: ClassVar[str]
    #: Whether a single model has a curve for each of several classes, none of them named as positive.
    by_class: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            said, attributes, rest = cleandoc(cls.__doc__ or "").partition("\n\nAttributes\n")
            cls.__doc__ = f"{said}\n\n{_PARAMETERS.format(cls.kind.__name__)}{attributes}{rest}"
        super().__init_subclass__()

    def __init__(self, curves: Curve | Mapping[str, Curve], *, name: str = "") -> None:
        self.name = str(name)
        self.curves: dict[str, Curve] = named_curves(curves, self.kind, self.name)

    @classmethod
    def from_predictions(
        cls,
        labels_true: Any,
        probabilities: Any = None,
        *,
        scores: Any = None,
        name: str = "",
        **options: Any,
    ) -> Self:
        """Sort the scores of one model or several.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), data frame, or mapping of model names to such
            A vector has the values of the positive class.
        scores : the same, optional
            Instead of probabilities, scores that rank the instances.
        name : str, optional
            Name of a single model.
        **options
            `positive` (or `pos_label`), `classes`, `sample_weight` and `missing`, as for
            :func:`adjudge.statistics.read_forecasts`; for reliability also `n_bins` and `bins`. For one model with
            several classes, none of them named as positive, there is one curve per class, against the rest; the
            reliability is then that of the likeliest class.
        """
        known = [name for name in signature(read_forecasts).parameters if name != "labels_true"]
        known += _OF_BINS if cls.kind is ReliabilityCurve else ()
        check_known(options, known, f"{cls.__name__}.from_predictions()")
        own = _of_bins(options)
        found = each_forecasts(labels_true, probabilities, scores, options, name)
        return cls(cls._curves_of(found, **own), name=name)

    @classmethod
    def from_result(cls, result: Any, *, positive: Any = None, pos_label: Any = None, **options: Any) -> Self:
        """Read the scores that :func:`~adjudge.evaluate` was given, or curves.

        Parameters
        ----------
        result : ClassifierEvaluation or curve, mapping of model names to such, Evaluations, Comparison or Gate
            Of a comparison or a gate, each model that gave probabilities or scores has a curve.
        positive, pos_label : optional
            The class; default: that of the evaluation, or one curve per class (reliability: the likeliest).
        **options
            For reliability, `n_bins` and `bins`.
        """
        results = result if isinstance(result, Mapping) and not _is_evaluation(result) else {"": result}
        if all(isinstance(own, cls.kind) for own in results.values()):
            return cls(result)
        found = forecasts_of(result)
        judged = _judged_in(result)
        options["in_units"] = any(own.units is not None and own.units.hold_several for own in judged.values())
        if cls.kind is ReliabilityCurve:
            # The models of a comparison are judged on the same rows.
            options["drawn"] = {name: drawn_in(judged.get(name, judged.get(""))) for name in found}
        return cls(cls._curves_of(found, one_positive(positive, pos_label), **options))

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, y: Any, **options: Any) -> Self:
        """Sort the scores that a fitted classifier, or several, gives to data.

        Parameters
        ----------
        estimator : fitted classifier, or mapping of names to such
            With `predict_proba`, or else, but for reliability, `decision_function`.
        X : array-like of shape (n, p)
        y : array-like of shape (n,)
        **options
            As for :meth:`from_predictions`.
        """
        estimators = estimator if isinstance(estimator, Mapping) else {estimator_name(estimator): estimator}
        found: dict[str, Forecasts] = {}
        own = _of_bins(options)
        for name, fitted in estimators.items():
            given, classes = scores_by(fitted, X)
            if cls.kind is ReliabilityCurve and "probabilities" not in given:
                raise InputError(
                    f"{estimator_name(fitted)} has no predict_proba(): reliability needs probabilities"
                )
            found[str(name)] = read_forecasts(y, **given, **{"classes": classes, **options})
        return cls(cls._curves_of(found, **own), name=next(iter(found)) if len(found) == 1 else "")

    @classmethod
    def _curves_of(
        cls,
        found: Mapping[str, Any],
        positive: Any = None,
        drawn: Mapping[str, Drawn | None] | None = None,
        **options: Any,
    ) -> dict[str, Any]:
        """Return one curve per model; for a single model without a named class, perhaps one per class."""
        if cls.by_class and len(found) == 1 and positive is None:
            (forecasts,) = found.values()
            if forecasts.positive is None:
                return {str(label): cls.kind.of(forecasts, label, **options) for label in forecasts.classes}
        of_model = {name: dict[str, Any]() if drawn is None else {"drawn": drawn[name]} for name in found}
        return {name: cls.kind.of(own, positive, **of_model[name], **options) for name, own in found.items()}

    def _legend(
        self, ax: Any, handles: Sequence[Any], notes: Sequence[str], size: float, what: str = ""
    ) -> None:
        """Name the curves above the axes, each with a number, and write the title."""
        width = 0.55 * axes_size(ax)[0]
        names = fit_names(list(self.curves), width, size)
        shown = [f"{name} ({note})" if name else note for name, note in zip(names, notes, strict=True)]
        shown = shown[:MOST_NAMED]
        widest = max(text_width(text, size) for text in shown) + 3 * size
        columns = 2 if len(shown) > 4 and 2 * widest < axes_size(ax)[0] else 1
        legend_above(ax, list(handles)[:MOST_NAMED], shown, size, lift=4, ncols=columns)
        if len(names) > MOST_NAMED:
            style = {"transform": ax.transAxes, "ha": "right", "va": "bottom", "fontsize": size}
            ax.text(1, above(ax, 4), f"and {len(names) - MOST_NAMED} more", color=muted(), **style)
        title_axes(ax, title_of(what or self.title_words, self.curves, self.name, ax, size), size)


class RankedCurvesDisplay(CurvesDisplay[Curve]):
    """Curves that are each summed up by one number, which is in the legend and says which curve is best.

    A display says what the number is, and draws the lines after the axes are set up and before their legend.
    """

    #: The attribute of a curve that is the number, and what it is called in a sentence, and in the legend.
    number: ClassVar[str]
    number_words: ClassVar[str]
    number_short: ClassVar[str]
    lowest_is_best: ClassVar[bool] = False

    def _draw(self, ax: Any, size: float, *, curve_kwargs: CurveStyles = None) -> None:
        """Draw the curves.

        Parameters
        ----------
        curve_kwargs : mapping, or sequence of one mapping per curve, optional
            Options of ``Axes.plot`` for the curves: `color`, `linestyle` ...
        """
        quiet(ax, size)
        handles = self._lines(ax, size, line_styles(curve_kwargs, len(self.curves)))
        notes = [f"{self.number_short} = {value_below_one(number)}" for number in self._numbers().values()]
        self._legend(ax, handles, notes, size)

    def describe(self) -> str:
        """Say in a sentence which curve has the best number."""
        what = self.number_words + of_class(self.curves)
        return best_of(self._numbers(), what, lowest=self.lowest_is_best)

    @abstractmethod
    def _lines(self, ax: Any, size: float, styles: Sequence[dict[str, Any]]) -> list[Any]:
        """Draw the lines and the axes, and return the handles for the legend."""

    def _numbers(self) -> dict[str, float]:
        """Return the number of each curve."""
        return {name: getattr(curve, self.number) for name, curve in self.curves.items()}


def _of_bins(options: dict[str, Any]) -> dict[str, Any]:
    """Take from options those that say how reliability is computed, and not how forecasts are read."""
    return {name: options.pop(name) for name in _OF_BINS if name in options}


def named_curves(curves: Any, kind: type, single: str = "") -> dict[str, Any]:
    """Return curves by name, all of the kind that a display draws; a single one may get a name."""
    found = {str(m): own for m, own in curves.items()} if isinstance(curves, Mapping) else {single: curves}
    for name, curve in found.items():
        check_made(
            f"curves[{name!r}]" if name else "curves", curve, kind, f"{kind.__name__}.from_predictions()"
        )
    if not found:
        raise InputError("curves is empty: at least one curve is needed")
    return found


def each_forecasts(
    labels_true: Any, probabilities: Any, scores: Any, options: Mapping[str, Any], single: str = ""
) -> dict[str, Forecasts]:
    """Read the forecasts of one model or several, by name; a single model has the name that it is given, if any."""
    given = probabilities if scores is None else scores
    if isinstance(given, Mapping):
        if single:
            raise InputError(Option("name", single), " is for a single model: the mapping names its models")
        option = "probabilities" if scores is None else "scores"
        return {str(m): read_forecasts(labels_true, **{option: own}, **options) for m, own in given.items()}
    return {str(single): read_forecasts(labels_true, probabilities, scores=scores, **options)}


def forecasts_of(result: Any) -> dict[str, Any]:
    """Return the forecasts of each model in a result: an evaluation, several by name, a comparison or a gate."""
    judged = _judged_in(result)
    if isinstance(comparison := judged.get(""), Comparison):
        return dict(comparison.known_forecasts())
    for own in judged.values():
        check_made("result", own, ClassifierEvaluation, "evaluate(kind='classification') or compare()")
    return {name: own.known_forecasts() for name, own in judged.items()}


def _judged_in(result: Any) -> dict[str, Any]:
    """Return the evaluations in a result by name, or a comparison, which has no name, as a whole."""
    result = of_gate(result)
    if isinstance(result, Evaluations):
        result = result.evaluations
    several = isinstance(result, Mapping) and not isinstance(result, (Comparison, ClassifierEvaluation))
    return dict(result) if several else {"": result}


def _is_evaluation(result: Any) -> bool:
    return isinstance(result, ClassifierEvaluation)


def _thin(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Leave out points that would overlap: millions of scores give a line of a few thousand points."""
    if x.size <= 2000:
        return x, y
    cells = np.stack([np.round(v / (np.ptp(v) * _GRAIN or 1)) for v in (x, y)])
    moved = (np.diff(cells) != 0).any(axis=0)
    kept = np.r_[True, moved] | np.r_[moved, True]
    return x[kept], y[kept]


def value_below_one(value: float) -> str:
    """Write a share to three decimals; only 1 is shown as 1."""
    return ">0.999" if 0.9995 <= value < 1 else value_text(value, 3)


def unit_square(ax: Any) -> None:
    """Let both axes go from 0 to 1."""
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])


def line_styles(given: CurveStyles, count: int) -> list[dict[str, Any]]:
    """Return the user's options for each curve."""
    if given is None or isinstance(given, Mapping):
        return [dict(given or {})] * count
    found = [dict(own) for own in given]
    if len(found) != count:
        raise InputError(Argument("curve_kwargs"), f" has {len(found)} entries: there are {count} curves")
    return found


def draw_line(
    ax: Any,
    x: Floats,
    y: Floats,
    number: int,
    size: float,
    own: Mapping[str, Any] | None = None,
    **style: Any,
) -> Any:
    """Draw a curve in the colour of its number, thinned to what can be seen; the user's `own` options come first."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    dashes = "-" if number < n_hues() else (0, (3, 1))  # colours repeat
    style |= {"color": hue(number), "linestyle": dashes, "linewidth": 0.17 * size}
    (handle,) = ax.plot(*_thin(x, y), **{**style, **normalize_kwargs(dict(own or {}), Line2D)})
    return handle


def title_of(what: str, curves: Mapping[str, Any], name: str, ax: Any, size: float) -> str:
    """Return a title with the class and the models, or with their number if their names do not fit."""
    several = len(curves) > 1
    what += "s" if several else ""
    labels = {curve.label for curve in curves.values()}
    if len(labels) > 1:
        return f"{what}{of_name(name)} by class"
    (label,) = labels
    of = "" if label is None else f", class {label}"
    models = [str(model) for model in curves]
    full = f"{what}{of_name(', '.join(models))}{of}"
    fits = text_width(full, 1.1 * size) <= 1.1 * axes_size(ax)[0]
    return full if fits or not several else f"{what} of {len(models)} models{of}"


def draw_reference(ax: Any, x: Sequence[float], y: Sequence[float]) -> None:
    """Draw the curve of chance, or the best possible one."""
    ax.plot(x, y, color=muted(), linewidth=0.8, linestyle=(0, (4, 2)), zorder=0.9)


def shares_of_class(curves: Mapping[str, ScoreCurve]) -> set[float]:
    """Return the share of the class among the instances: several if the curves have different truths."""
    return {curve.ranked.n_positive / curve.ranked.n for curve in curves.values() if curve.ranked.n}


def say_what_is_missing(ax: Any, what: str, reasons: Sequence[str | None]) -> None:
    """Say below the axes why curves lack something that others have; nothing if none lacks it."""
    if told := list(dict.fromkeys(reason for reason in reasons if reason)):
        ax.set_xlabel(f"{ax.get_xlabel()}\nno {what}: {'; '.join(told)}")


def of_class(curves: Mapping[str, Any]) -> str:
    """Write " of churn" if all curves are for one class and a reader needs to be told."""
    labels = {curve.label for curve in curves.values()}
    (label,) = labels if len(labels) == 1 else (None,)
    return "" if label is None or is_usual(label) else f" of {label}"


def of_name(name: str) -> str:
    """Write " of name"; nothing without a name."""
    return f" of {name}" if name else ""


def best_of(values: Mapping[str, float], what: str, *, lowest: bool = False) -> str:
    """Say which of the curves has the best value."""
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if not known:
        return f"the {what} is undefined"
    pick = min if lowest else max
    best = pick(known, key=known.__getitem__)
    value = value_below_one(known[best])
    if len(values) == 1:
        return f"the {what}{of_name(best)} is {value}"
    return f"{best} has the {'lowest' if lowest else 'highest'} {what}, {value}"
