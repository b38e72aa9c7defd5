"""Curves of a classifier's scores as data: what every threshold would give.

Each curve is a view of the scores in order (:class:`adjudge.statistics.ranked_scores.RankedScores`): one sort, equal
scores are one point, and curves of disjoint instances add up with ``+``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.options import as_numbers, check_choice, check_confidence
from adjudge.indices.class_measures import MEASURES
from adjudge.inference.roc_band import roc_band
from adjudge.inference.score import clopper_pearson, normal_quantile, wilson
from adjudge.presentation.tables import Table
from adjudge.results.plain import plain_json
from adjudge.statistics.classes import OneVersusRest, positive_position
from adjudge.statistics.forecasts import Forecasts, ProbabilityForecasts, read_forecasts
from adjudge.statistics.ranked_scores import CalibratedScores, RankedScores, ranked, weighted_areas
from adjudge.statistics.reliability import Bins, ReliabilityBins, reliability_bins

__all__ = [
    "CURVES",
    "DetCurve",
    "GainsCurve",
    "PrecisionRecallCurve",
    "ReliabilityCurve",
    "RocBand",
    "RocCurve",
    "ScoreCurve",
    "ThresholdCurve",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurve:
    """What each threshold gives: an instance is said to be of the class if its score is at least that.

    Curves of the same class on disjoint instances add up with ``+``.

    Attributes
    ----------
    ranked : RankedScores
        The sorted scores, and how often each occurs inside and outside of the class.
    label : object
        The class.
    """

    ranked: RankedScores
    label: Any = None

    columns: ClassVar[tuple[str, ...]] = ()
    title: ClassVar[str] = ""

    @classmethod
    def from_predictions(
        cls, labels_true: Any, probabilities: Any = None, *, positive: Any = None, **options: Any
    ) -> Self:
        """Sort the scores of one class.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), or data frame, optional
            A vector has the values of the second of two classes.
        positive : optional
            The class; default: the second of two.
        **options
            `scores` instead of probabilities, `classes`, `sample_weight` and `missing`, as for
            :func:`adjudge.read_forecasts`.
        """
        return cls.of(read_forecasts(labels_true, probabilities, positive=positive, **options))

    @classmethod
    def of(cls, forecasts: Forecasts, positive: Any = None) -> Self:
        """Sort the scores of one class of forecasts that were read before."""
        code = forecasts.positive if positive is None else positive_position(forecasts.classes, positive)
        if code is None:
            raise InputError(
                f"a curve is for one class, but there are {forecasts.k}: name the class with ",
                Option("positive"),
            )
        known = forecasts.weighing()
        return cls(ranked(known.column(code), known.codes, code, known.weights), forecasts.classes[code])

    def __add__(self, other: ScoreCurve) -> Self:
        if type(other) is not type(self):
            return NotImplemented
        if other.label != self.label:
            raise InputError(f"curves of {self.label!r} and of {other.label!r} cannot be added")
        return type(self)(self.ranked + other.ranked, self.label)

    @cached_property
    def thresholds(self) -> Floats:
        """Thresholds from the highest on, shape (m + 1,): infinity, then each distinct score."""
        return np.concatenate([[math.inf], self.ranked.scores[::-1]])

    @cached_property
    def counts(self) -> OneVersusRest:
        """Right and wrong answers at each threshold."""
        tp, fp = (
            np.concatenate([np.zeros(1, part.dtype), np.cumsum(part[::-1])])
            for part in (self.ranked.positives, self.ranked.negatives)
        )
        return OneVersusRest(tp, fp, tp[-1] - tp, fp[-1] - fp)

    def measure(self, name: str) -> Floats:
        """Value of a measure by class at each threshold; nan if it is undefined.

        Parameters
        ----------
        name : str
            "precision", "recall", "f1", "specificity", "informedness" ...: a column of the table by class.
        """
        check_choice("name", name, tuple(MEASURES))
        return MEASURES[name].values(self.counts)

    @property
    def is_defined(self) -> bool:
        """Whether instances of the class, and others, were among those judged."""
        return bool(self.ranked.n_positive > 0 and self.ranked.n_negative > 0)

    def table(self) -> Table:
        """One row per threshold."""
        columns = {name: getattr(self, name) for name in ("thresholds", *self.columns)}
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        return Table(("threshold", *self.columns), tuple(rows), self.title)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame of a library, by default the first that is installed, one row per threshold."""
        return self.table().frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        return {
            "class": plain_json(self.label),
            **{name: plain_json(getattr(self, name).tolist()) for name in ("thresholds", *self.columns)},
        }

    def __repr__(self) -> str:
        p, n = self.ranked.n_positive, self.ranked.n
        return (
            f"<{self.title} of {self.label!r}: {self.thresholds.size:,} thresholds, {p:,} of {n:,} instances>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class RocBand:
    """A band that holds the whole ROC curve of the population.

    Attributes
    ----------
    false_positive_rate : ndarray of float64 of shape (m,)
    low, high : ndarray of float64 of shape (m,)
        Ends of the true positive rate there.
    confidence : float
        Probability, at least, that the band holds the curve everywhere.
    """

    false_positive_rate: Floats
    low: Floats
    high: Floats
    confidence: float

    def table(self) -> Table:
        """One row per false positive rate."""
        columns = {"false_positive_rate": self.false_positive_rate, "low": self.low, "high": self.high}
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        return Table(tuple(columns), tuple(rows), f"ROC band of {100 * self.confidence:g} %")

    def to_frame(self, backend: str | None = None) -> Any:
        """Return a data frame of a library, by default the first that is installed."""
        return self.table().frame(backend)

    def __repr__(self) -> str:
        width = float((self.high - self.low).mean())
        return f"<ROC band of {100 * self.confidence:g} %, {width:.3g} wide on average>"


class RocCurve(ScoreCurve):
    """Rates of true and false positives at each threshold.

    Equal scores make one oblique piece. Rates are nan if the truth has no instance of the class, or no other.

    Examples
    --------
    >>> from adjudge import RocCurve
    >>> curve = RocCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> curve.area
    0.75
    """

    columns = ("false_positive_rate", "true_positive_rate")
    title = "ROC curve"

    @property
    def false_positive_rate(self) -> Floats:
        """Share of the other instances that reach the threshold."""
        return self.measure("false_positive_rate")

    @property
    def true_positive_rate(self) -> Floats:
        """Share of the class's instances that reach the threshold."""
        return self.measure("recall")

    @property
    def area(self) -> float:
        """Area under the curve."""
        return weighted_areas(self.ranked)[0]

    def band(self, confidence: float = 0.95, *, at: Any = None) -> RocBand:
        """Return a band that holds the whole curve of the population.

        The level is a lower bound: the band assumes nothing about the scores, and often covers nearly always.

        Parameters
        ----------
        confidence : float
        at : array-like, optional
            False positive rates, between 0 and 1, at which the ends are wanted; default: 201 of even distance.

        References
        ----------
        Campbell (1994), Statistics in Medicine 13, 499-508: Kolmogorov's distances of both samples.

        Examples
        --------
        >>> from adjudge import RocCurve
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] * 25
        >>> curve = RocCurve.from_predictions([0, 0, 0, 1, 0, 1, 1, 1] * 25, scores)
        >>> band = curve.band(at=[0.1, 0.5])
        >>> band.low.round(2), band.high.round(2)
        (array([0.  , 0.85]), array([0.9, 1. ]))
        """
        check_confidence(confidence)
        if self.ranked.is_weighted:
            raise InputError("weights do not say how many instances there are: a band needs the instances")
        if not self.is_defined:
            raise InputError(f"there is no curve: the truth has no instance of {self.label!r}, or no other")
        x = np.linspace(0, 1, 201) if at is None else as_numbers("at", at)
        if not ((x >= 0) & (x <= 1)).all():
            raise InputError(Option("at"), ": rates lie between 0 and 1")
        sizes = self.ranked.n_positive, self.ranked.n_negative
        return RocBand(
            x, *roc_band(self.false_positive_rate, self.true_positive_rate, sizes, x, confidence), confidence
        )


class PrecisionRecallCurve(ScoreCurve):
    """Precision and recall at each threshold; precision is nan if no instance reaches the threshold.

    Examples
    --------
    >>> from adjudge import PrecisionRecallCurve
    >>> curve = PrecisionRecallCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> round(curve.average_precision, 4)
    0.8333
    """

    columns = ("precision", "recall")
    title = "Precision-recall curve"

    @property
    def precision(self) -> Floats:
        """Share of the class among the instances that reach the threshold."""
        return self.measure("precision")

    @property
    def recall(self) -> Floats:
        """Share of the class's instances that reach the threshold."""
        return self.measure("recall")

    @property
    def average_precision(self) -> float:
        """Sum of precisions weighted by the steps of recall, without interpolation."""
        return weighted_areas(self.ranked)[1]


class DetCurve(ScoreCurve):
    """Rates of both errors at each threshold (detection error trade-off).

    References
    ----------
    Martin et al. (1997), The DET curve in assessment of detection task performance.

    Examples
    --------
    >>> from adjudge import DetCurve
    >>> curve = DetCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.false_negative_rate
    array([1. , 0.5, 0.5, 0. , 0. ])
    >>> curve.equal_error_rate
    0.5
    """

    columns = ("false_positive_rate", "false_negative_rate")
    title = "DET curve"

    @property
    def false_positive_rate(self) -> Floats:
        """Share of the other instances that reach the threshold."""
        return self.measure("false_positive_rate")

    @property
    def false_negative_rate(self) -> Floats:
        """Share of the class's instances that do not reach the threshold."""
        return self.measure("false_negative_rate")

    @property
    def equal_error_rate(self) -> float:
        """Rate at which both errors are equally frequent, on a straight line between two thresholds."""
        fpr, fnr = self.false_positive_rate, self.false_negative_rate
        gap = fpr - fnr
        if not self.is_defined:
            return math.nan
        after = int(np.argmax(gap >= 0))  # it rises from -1 to 1
        share = -gap[after - 1] / (gap[after] - gap[after - 1])
        return float(fpr[after - 1] + share * (fpr[after] - fpr[after - 1]))


class GainsCurve(ScoreCurve):
    """How much of the class is found among the highest scores: cumulative gains, and lift.

    Examples
    --------
    >>> from adjudge import GainsCurve
    >>> curve = GainsCurve.from_predictions([0, 0, 0, 1, 1], [0.1, 0.4, 0.2, 0.35, 0.8])
    >>> curve.gain_at(0.2), curve.lift_at(0.2)
    (0.5, 2.5)
    """

    columns = ("share", "gain", "lift")
    title = "Gains curve"

    @property
    def share(self) -> Floats:
        """Share of all instances that reach the threshold."""
        counts = self.counts
        return np.asarray((counts.tp + counts.fp) / self.ranked.n)

    @property
    def gain(self) -> Floats:
        """Share of the class's instances that reach the threshold."""
        return self.measure("recall")

    @property
    def lift(self) -> Floats:
        """How many times as frequent the class is among these as among all; nan if there are none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.gain / self.share)

    def gain_at(self, share: float) -> float:
        """Share of the class among the highest-scoring share of all instances (of equal scores, on average)."""
        if not 0 <= share <= 1:
            raise InputError(Option("share", share), ": a share of the instances lies between 0 and 1")
        return float(np.interp(share, self.share, self.gain))

    def lift_at(self, share: float) -> float:
        """How many times as frequent the class is among the highest-scoring share of all instances."""
        return self.gain_at(share) / share if share > 0 else math.nan


class ThresholdCurve(ScoreCurve):
    """Measures at each threshold, and the counts that they are made from.

    Examples
    --------
    >>> from adjudge import ThresholdCurve
    >>> curve = ThresholdCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    >>> curve.measure("f1").round(4)
    array([0.    , 0.6667, 0.5   , 0.8   , 0.6667])
    """

    columns = ("precision", "recall", "specificity", "f1")
    title = "Thresholds"

    @property
    def precision(self) -> Floats:
        """Share of the class among the instances that reach the threshold."""
        return self.measure("precision")

    @property
    def recall(self) -> Floats:
        """Share of the class's instances that reach the threshold."""
        return self.measure("recall")

    @property
    def specificity(self) -> Floats:
        """Share of the other instances that do not reach the threshold."""
        return self.measure("specificity")

    @property
    def f1(self) -> Floats:
        """Harmonic mean of precision and recall."""
        return self.measure("f1")


#: By the name that `ClassifierEvaluation.curve` takes.
CURVES: Mapping[str, type[ScoreCurve]] = {
    "roc": RocCurve,
    "precision_recall": PrecisionRecallCurve,
    "det": DetCurve,
    "gains": GainsCurve,
    "thresholds": ThresholdCurve,
}


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityCurve:
    """Forecast probabilities in bins, and how often they came true. Those of disjoint instances add up with ``+``.

    Attributes
    ----------
    ranked : RankedScores
    label : object
        The class; None if the forecasts are of the likeliest class of each instance.
    n_bins : int
    bins : {"width", "mass"}

    Examples
    --------
    >>> from adjudge import ReliabilityCurve
    >>> curve = ReliabilityCurve.from_predictions([0, 0, 1, 1], [0.1, 0.1, 0.1, 0.9], n_bins=5)
    >>> curve.binned.forecast, curve.binned.observed.round(3)
    (array([0.1, 0.9]), array([0.333, 1.   ]))
    """

    ranked: RankedScores
    label: Any = None
    n_bins: int = 10
    bins: Bins = "width"

    columns: ClassVar[tuple[str, ...]] = ("low", "high", "counts", "forecast", "observed")

    @classmethod
    def from_predictions(
        cls,
        labels_true: Any,
        probabilities: Any,
        *,
        positive: Any = None,
        n_bins: int = 10,
        bins: Bins = "width",
        **options: Any,
    ) -> Self:
        """Sort the probabilities of one class, or of the likeliest class of each instance.

        Parameters
        ----------
        labels_true : array-like of shape (n,)
        probabilities : array-like of shape (n, C) or (n,), or data frame
            A vector has the values of the second of two classes.
        positive : optional
            The class; default: the second of two classes; with more, the likeliest of each instance.
        n_bins : int, default 10
        bins : {"width", "mass"}, default "width"
            Bins of equal width, or with equally many instances.
        **options
            `classes`, `sample_weight` and `missing`, as for :func:`adjudge.read_forecasts`.
        """
        read = read_forecasts(labels_true, probabilities, positive=positive, **options)
        return cls.of(read, n_bins=n_bins, bins=bins)

    @classmethod
    def of(
        cls, forecasts: Forecasts, positive: Any = None, *, n_bins: int = 10, bins: Bins = "width"
    ) -> Self:
        """Sort probabilities that were read before."""
        if not isinstance(forecasts, ProbabilityForecasts):
            raise InputError(
                "reliability needs probabilities: ", Option("scores"), " only rank the instances"
            )
        known = forecasts.weighing()
        if positive is not None or known.positive is not None:
            one = ScoreCurve.of(known, positive)
            return cls(one.ranked, one.label, n_bins, bins)
        return cls(CalibratedScores.make(known).ranked, None, n_bins, bins)

    def __add__(self, other: ReliabilityCurve) -> Self:
        if not isinstance(other, ReliabilityCurve):
            return NotImplemented
        if (self.label, self.n_bins, self.bins) != (other.label, other.n_bins, other.bins):
            raise InputError("curves of different classes or bins cannot be added")
        return type(self)(self.ranked + other.ranked, self.label, self.n_bins, self.bins)

    @cached_property
    def binned(self) -> ReliabilityBins:
        """The bins that hold a forecast."""
        return reliability_bins(self.ranked, self.n_bins, self.bins)

    @property
    def calibration_error(self) -> float:
        """Mean distance of forecast and observation, each bin with the weight of its instances (ECE)."""
        return float(self.binned.shares @ self.binned.gaps)

    def intervals(
        self, confidence: float = 0.95, *, method: Literal["wilson", "clopper_pearson"] = "wilson"
    ) -> Floats:
        """Interval of the observed share in each bin, for each bin by itself.

        Parameters
        ----------
        confidence : float
        method : {"wilson", "clopper_pearson"}
            Wilson's covers the level on average over the shares, Clopper and Pearson's at least the level for each.

        Returns
        -------
        ndarray of float64 of shape (b, 2)
        """
        check_confidence(confidence)
        check_choice("method", method, ("wilson", "clopper_pearson"))
        if self.ranked.is_weighted:
            raise InputError(
                "weights do not say how many instances a bin has: an interval needs the instances"
            )
        observed, counts = self.binned.observed, self.binned.counts
        if method == "clopper_pearson":
            return np.stack(clopper_pearson(observed * counts, counts, confidence), axis=1)
        z = normal_quantile(confidence)
        pairs = zip(observed.tolist(), counts.tolist(), strict=True)
        return np.array([wilson(share, n, z) for share, n in pairs]).reshape(-1, 2)

    def histogram(self, n_bins: int = 20) -> tuple[NDArray[Any], Floats]:
        """Count the forecasts in bins of equal width; return the counts and the edges, as NumPy does."""
        edges = np.arange(n_bins + 1) / n_bins
        found = reliability_bins(self.ranked, n_bins)
        counts = np.zeros(n_bins)
        counts[np.searchsorted(edges, found.low)] = found.counts
        return counts, edges

    def table(self, confidence: float | None = None) -> Table:
        """One row per bin; with a level, Wilson's interval of the observed share as well."""
        columns = {name: getattr(self.binned, name).tolist() for name in self.columns}
        if confidence is not None:
            low, high = self.intervals(confidence).T.tolist()
            columns |= {"observed_low": low, "observed_high": high}
        return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)), "Reliability")

    def to_frame(self, backend: str | None = None, *, confidence: float | None = None) -> Any:
        """Return a data frame of a library, by default the first that is installed, one row per bin."""
        return self.table(confidence).frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON."""
        columns = {name: plain_json(getattr(self.binned, name).tolist()) for name in self.columns}
        return {"class": plain_json(self.label), "bins": self.bins, **columns}

    def __repr__(self) -> str:
        of = "the likeliest class" if self.label is None else repr(self.label)
        return f"<Reliability of {of}: {self.binned.counts.size} bins, {self.ranked.n:,} instances>"
