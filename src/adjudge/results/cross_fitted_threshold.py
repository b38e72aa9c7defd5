"""A threshold of a classifier's scores that other instances have judged than those that chose it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_confidence, check_count, random_generator
from adjudge.indices.class_measures import MEASURES
from adjudge.inference.classes.class_intervals import intervals_of_measures
from adjudge.inference.common.proportions import normal_quantile, wilson
from adjudge.inference.influence import Influence
from adjudge.inference.interval import Interval, interval_of
from adjudge.presentation.equal_by_content import ByValue
from adjudge.presentation.numbers import value_text
from adjudge.presentation.plain import plain_json
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.curves import ThresholdCurve
from adjudge.results.thresholds import best_threshold
from adjudge.saved.omitted import OfRows, fields_of
from adjudge.statistics.classes import LabelCounts, OneVersusRest
from adjudge.statistics.curve_steps import MOST_STEPS, CurveSteps
from adjudge.statistics.ranked_scores import ranked

# Measures that are shown beside the one that chooses.
_SHOWN = ("precision", "recall", "specificity", "f1")
# Step of a derivative, in instances.
_STEP = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class CrossFittedThreshold(Result, ByValue):
    """A threshold, how certain it is, and how good decisions are on instances that had no part in the choice.

    Attributes
    ----------
    by : str
        What chose it: a measure, "cost", or the rate that is held.
    threshold : float
        The best threshold of all instances.
    low, high : float
        Ends of the thresholds that the instances do not tell from the best, or at which the rate that is held may be
        just that.
    value : float
        The measure, or mean cost, of `labels`.
    interval : Interval
    value_of_choice : float
        The same at `threshold`, on the instances that chose it: mostly better than it will be.
    scores : dict of str to (float, Interval)
        Precision, recall, specificity and F1 of `labels`.
    labels : ndarray of bool of shape (n,)
        Whether the score of each instance reaches the threshold that the other folds chose.
    label : object
        The class.
    n_folds : int
    """

    by: str
    threshold: float
    low: float
    high: float
    value: float
    interval: Interval
    value_of_choice: float
    scores: dict[str, tuple[float, Interval]]
    labels: Any
    label: Any
    n_folds: int

    def _saved_fields(self) -> dict[str, Any]:
        return fields_of(self) | {"labels": OfRows(self.labels)}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON; the decisions are left out."""
        names = ("by", "threshold", "low", "high", "value", "value_of_choice", "label", "n_folds")
        scores = {
            name: {"value": plain_json(value), "low": plain_json(own.low), "high": plain_json(own.high)}
            for name, (value, own) in self.scores.items()
        }
        return {**{name: plain_json(getattr(self, name)) for name in names}, "scores": scores}

    def said(self) -> list[str]:
        """Say which threshold, how certain it is, and what it is worth."""
        low, high = (value_text(end, 3) for end in (self.low, self.high))
        value, own = value_text(self.value, 3), value_text(self.value_of_choice, 3)
        ends = f"[{value_text(self.interval.low, 3)}, {value_text(self.interval.high, 3)}]"
        return [
            f"threshold {value_text(self.threshold, 3)}, by {self.by}: "
            f"these instances do not tell it from {low} to {high}\n"
            f"{self.by} {value} {ends} on instances that other folds chose for; {own} on those that chose"
        ]

    def table(self) -> Table:
        """One row per measure of decisions on instances without part in the choice."""
        rows = [(name, value, own.low, own.high) for name, (value, own) in self.scores.items()]
        return Table(("measure", "value", "low", "high"), tuple(rows))


def cross_fitted_threshold(
    self: Any,
    by: str = "f1",
    *,
    costs: tuple[float, float] | None = None,
    recall: float | None = None,
    specificity: float | None = None,
    positive: Any = None,
    n_folds: int = 10,
    confidence: float = 0.95,
    random_state: Any = 0,
) -> CrossFittedThreshold:
    """Choose a threshold, and judge it on instances that had no part in the choice.

    The instances are split into folds. For each fold, the others choose a threshold, and the decisions of all folds
    are judged together.

    Parameters
    ----------
    by : str, default "f1"
        A measure by class; "youden" is recall plus specificity minus 1.
    costs : (float, float), optional
        Costs of a false positive and of a false negative, in place of a measure.
    recall, specificity : float, optional
        In place of a measure, a rate that must be reached: by the highest threshold for recall, by the lowest for
        specificity.
    positive : optional
        The class; default: the positive one.
    n_folds : int, default 10
        At most as many as the class, or the rest, has instances.
    confidence : float, default 0.95
    random_state : int, numpy Generator or RandomState, or None, default 0

    Returns
    -------
    CrossFittedThreshold
        The threshold of all instances, with the range that they do not tell from it; and scores with intervals, and
        the `labels`, of decisions by thresholds that other folds chose.

    Raises
    ------
    InputError
        If rows are weighted or vary together in units, or if a class has fewer than two instances.

    References
    ----------
    Hsu (1981), Simultaneous confidence intervals for all distances from the "best", Annals of Statistics 9, 1026-1034.
    Chernozhukov et al. (2018), Double/debiased machine learning, Econometrics Journal 21, C1-C68 (cross-fitting).

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge import evaluate
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> judged = evaluate(rng.random(500) < p, probabilities=p, kind="classification")
    >>> chosen = judged.cross_fitted_threshold(costs=(1, 4))
    >>> chosen.low < 0.2 < chosen.high, round(chosen.value_of_choice, 2), round(chosen.value, 2)
    (True, 0.38, 0.41)
    """
    check_confidence(confidence)
    check_count("n_folds", n_folds, 2)
    forecasts = self.known_forecasts()
    if isinstance(forecasts, CurveSteps):
        raise InputError("a threshold is judged by instances, which were not saved with this result")
    if self.units is not None:
        raise InputError(
            "rows of one unit vary together: a threshold needs instances that were each drawn alone"
        )
    if forecasts.weights is not None:
        raise InputError("weights do not say how many instances there are: a threshold needs the instances")
    asked = {"costs": costs, "recall": recall, "specificity": specificity}
    given = [name for name, own in asked.items() if own is not None]
    if len(given) > 1:
        raise InputError(
            Option(given[0]), " and ", Option(given[1]), " both choose a threshold: give one of them"
        )
    for name in ("recall", "specificity"):
        if name in given and not 0 < float(asked[name]) < 1:  # type: ignore[arg-type]
            raise InputError(Option(name, asked[name]), ": a rate between 0 and 1 is needed")
    curve = ThresholdCurve.of(forecasts, positive)
    code = list(forecasts.classes).index(curve.label)
    scores, inside = forecasts.column(code).astype(np.float64), forecasts.codes == code
    fewest = min(int(inside.sum()), int((~inside).sum()))
    if fewest < 2:
        raise InputError("a threshold needs two instances of the class, and two others")

    def choose(part: ThresholdCurve) -> float:
        if given and given[0] != "costs":
            return _at_rate(part, given[0], float(asked[given[0]]))  # type: ignore[arg-type]
        return best_threshold(part, by, costs=costs).threshold

    threshold, n_folds = choose(curve), min(n_folds, fewest)
    folds = _folds(inside, n_folds, random_state)
    labels = np.zeros(inside.size, np.bool_)
    for fold in range(n_folds):
        own = folds == fold
        others = ranked(scores[~own], inside[~own].astype(np.int64), 1)
        labels[own] = scores[own] >= choose(ThresholdCurve(others, curve.label))
    name = given[0] if given else best_threshold(curve, by).by
    value = _cost_of(costs) if costs is not None else MEASURES[name].values
    alike = _Alike(curve, value, -1 if costs is not None else 1)
    if name in ("recall", "specificity") and given:
        low, high = _ends_of_rate(curve, name, float(asked[name]), confidence)  # type: ignore[arg-type]
    else:
        low, high = alike.ends(threshold, confidence)
    counts = _counted(inside, labels)
    measured = intervals_of_measures(
        counts, list(dict.fromkeys([*_SHOWN, *([] if costs else [name])])), confidence
    )
    found = {
        own: (float(MEASURES[own].values(counts.one_versus_rest)[1]), both[1])
        for own, both in measured.items()
    }
    if costs is not None:
        found["cost"] = _mean_cost(counts, costs, confidence)
        name = "cost"
    return CrossFittedThreshold(
        by=name,
        threshold=threshold,
        low=low,
        high=high,
        value=found[name][0],
        interval=found[name][1],
        value_of_choice=float(alike.value_at(threshold)),
        scores={own: found[own] for own in (*_SHOWN, *(() if name in _SHOWN else (name,)))},
        labels=labels,
        label=curve.label,
        n_folds=n_folds,
    )


def _folds(inside: Bools, n_folds: int, random_state: Any) -> NDArray[np.int64]:
    """Return the fold of each instance; each class is spread over all of them."""
    generator, folds = random_generator(random_state), np.empty(inside.size, np.int64)
    for side in (inside, ~inside):
        folds[generator.permutation(np.flatnonzero(side))] = np.arange(int(side.sum())) % n_folds
    return folds


def _at_rate(curve: ThresholdCurve, name: str, rate: float) -> float:
    """Return the highest threshold with enough recall, or the lowest with enough specificity."""
    reached = np.flatnonzero(curve.measure(name) >= rate - 1e-12)
    return float(curve.thresholds[reached[0] if name == "recall" else reached[-1]])


def _ends_of_rate(curve: ThresholdCurve, name: str, rate: float, confidence: float) -> tuple[float, float]:
    """Return the lowest and the highest threshold at which the rate may be the one that is held."""
    n = curve.ranked.n_positive if name == "recall" else curve.ranked.n_negative
    z = normal_quantile(confidence)
    ends = np.array([wilson(float(own), float(n), z) for own in curve.measure(name)])
    may = np.flatnonzero((ends[:, 0] <= rate) & (rate <= ends[:, 1]))
    within = may if may.size else np.array([int(np.argmin(np.abs(curve.measure(name) - rate)))])
    return float(curve.thresholds[within[-1]]), float(curve.thresholds[within[0]])


def _cost_of(costs: tuple[float, float]) -> Callable[[OneVersusRest], Floats]:
    def cost(counts: OneVersusRest) -> Floats:
        n = counts.tp + counts.fp + counts.fn + counts.tn
        return np.asarray((costs[0] * counts.fp + costs[1] * counts.fn) / n)

    return cost


def _counted(inside: Bools, labels: Bools) -> LabelCounts:
    """Count the decisions: the class comes second."""
    true, said, right = (
        np.array([int((~own).sum()), int(own.sum())]) for own in (inside, labels, inside & labels)
    )
    right[0] = int((~inside & ~labels).sum())
    return LabelCounts([False, True], true, said, right, inside.size, 1)


def _mean_cost(counts: LabelCounts, costs: tuple[float, float], confidence: float) -> tuple[float, Interval]:
    """Return the mean cost of the decisions, with its interval."""
    of_class = counts.one_versus_rest.take(slice(1, 2))
    cells = np.array([of_class.fp[0], of_class.fn[0], of_class.tp[0] + of_class.tn[0]], np.float64)
    each = np.array([*costs, 0.0])
    value = float(cells @ each) / float(cells.sum())
    return value, interval_of(Influence.centred(value, each, cells), (0.0, max(costs)), confidence)


@dataclass(frozen=True, eq=False)
class _Alike:
    """The thresholds of a curve, and how far their values are from that of the best.

    Attributes
    ----------
    curve : ThresholdCurve
    value : callable
        Returns a value for each threshold, given the counts.
    sign : {1, -1}
        -1 if the lowest value is the best.
    """

    curve: ThresholdCurve
    value: Callable[[OneVersusRest], Floats]
    sign: int

    def _place(self, threshold: float) -> int:
        return int(np.argmin(np.abs(self.curve.thresholds - threshold))) if math.isfinite(threshold) else 0

    def value_at(self, threshold: float) -> float:
        """Return the value at one of the thresholds."""
        place = self._place(threshold)
        return float(self.value(self.curve.counts.take(slice(place, place + 1)))[0])

    def ends(self, threshold: float, confidence: float) -> tuple[float, float]:
        """Return the lowest and the highest threshold whose value is not significantly worse than the best."""
        place = self._place(threshold)
        some = np.unique(
            np.r_[place, np.linspace(0, self.curve.thresholds.size - 1, MOST_STEPS).astype(np.int64)]
        )
        thresholds, counts = self.curve.thresholds[some], self.curve.counts.take(some)
        best = int(np.flatnonzero(some == place)[0])
        values, psi = self.value(counts), self._psi(counts)
        changed = np.zeros(some.size)
        later = np.arange(some.size) > best
        for row, (yes, no) in enumerate(((counts.tp, counts.fn), (counts.fp, counts.tn))):
            # Instances that reach both thresholds, only the lower one, or none.
            both, none = np.minimum(yes, yes[best]), np.minimum(no, no[best])
            one = yes + no - both - none
            by_both, by_none = (psi[row, said] - psi[row, said, best] for said in (1, 0))
            lower = np.where(later, psi[row, 1] - psi[row, 0, best], psi[row, 0] - psi[row, 1, best])
            # One more may lie between the thresholds, even if none was seen there.
            changed += both * by_both**2 + (one + 1) * lower**2 + none * by_none**2
        n = float(counts.tp[0] + counts.fp[0] + counts.fn[0] + counts.tn[0])
        worse = self.sign * (values[best] - values)
        alike = np.flatnonzero(worse <= normal_quantile(confidence) * np.sqrt(changed) / n + 1e-12)
        return float(thresholds[alike[-1]]), float(thresholds[alike[0]])

    def _psi(self, counts: OneVersusRest) -> Floats:
        """Return the influence of an instance in the class, or not, that is predicted, or not, at each threshold."""
        cells = [np.asarray(own, np.float64) for own in (counts.fn, counts.tp, counts.tn, counts.fp)]
        n = sum(cells)

        def at(moved: int) -> Floats:
            fn, tp, tn, fp = (cell + _STEP * (i == moved) for i, cell in enumerate(cells))
            return self.value(OneVersusRest(tp, fp, fn, tn))

        start = at(-1)
        with np.errstate(invalid="ignore"):
            found = np.stack([(at(i) - start) / _STEP * n for i in range(4)])
        return np.nan_to_num(found).reshape(2, 2, -1)
