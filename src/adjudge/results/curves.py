"""Curves of a classifier's scores as data: the results at every threshold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import as_numbers, check_confidence
from adjudge.inference.forecasts.net_benefit_band import net_benefit_band
from adjudge.inference.forecasts.roc_band import roc_band
from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table
from adjudge.results.score_curve import AtThresholds, ScoreCurve
from adjudge.saved.savable import Savable
from adjudge.statistics.curve_steps import CurveSteps
from adjudge.statistics.forecasts import Forecasts
from adjudge.statistics.ranked_scores import weighted_areas


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(Result, Savable):
    """A band that contains the whole ROC curve of the population.

    Attributes
    ----------
    false_positive_rate : ndarray of float64 of shape (m,)
    low, high : ndarray of float64 of shape (m,)
        Limits of the true positive rate there.
    confidence : float
        Lower bound of the probability that the band contains the whole curve.
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

    def __repr__(self) -> str:
        width = float((self.high - self.low).mean())
        return f"<ROC band of {100 * self.confidence:g} %, {width:.3g} wide on average>"


@dataclass(frozen=True, eq=False, repr=False)
class NetBenefitBand(Result, Savable):
    """A band that contains the net benefit of the population at all of some probabilities.

    Attributes
    ----------
    at : ndarray of float64 of shape (m,)
        Probabilities from which one would act.
    low, high : ndarray of float64 of shape (m,)
        Limits of the net benefit there.
    confidence : float
    """

    at: Floats
    low: Floats
    high: Floats
    confidence: float

    def table(self) -> Table:
        """One row per probability."""
        rows = zip(self.at.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return Table(("at", "low", "high"), tuple(rows), f"Net benefit, band of {100 * self.confidence:g} %")

    def __repr__(self) -> str:
        width = float((self.high - self.low).mean())
        return f"<band of {100 * self.confidence:g} % around net benefit, {width:.3g} wide on average>"


class RocCurve(ScoreCurve):
    """Rates of true and false positives at each threshold.

    Equal scores make one sloping segment. Rates are nan if the truth has no instance of the class, or no other.

    Examples
    --------
    >>> from adjudge.results import RocCurve
    >>> curve = RocCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.false_positive_rate, curve.true_positive_rate
    (array([0. , 0. , 0.5, 0.5, 1. ]), array([0. , 0.5, 0.5, 1. , 1. ]))
    >>> curve.area
    0.75
    """

    columns = ("false_positive_rate", "true_positive_rate")
    title = "ROC curve"

    false_positive_rate = AtThresholds(
        "false_positive_rate", "Share of the other instances that reach the threshold."
    )
    true_positive_rate = AtThresholds("recall", "Share of the class's instances that reach the threshold.")

    @property
    def area(self) -> float:
        """Area under the curve."""
        return weighted_areas(self.ranked)[0]

    def band(self, confidence: float = 0.95, *, at: Any = None) -> RocBand:
        """Return a band that contains the whole curve of the population.

        The level is a lower bound: the band assumes nothing about the scores, and often covers the curve almost surely.

        Parameters
        ----------
        confidence : float
        at : array-like, optional
            False positive rates, between 0 and 1, at which the band is computed; default: 201 evenly spaced ones.

        References
        ----------
        Campbell (1994), Statistics in Medicine 13, 499-508: Kolmogorov's distances of both samples.

        Examples
        --------
        >>> from adjudge.results import RocCurve
        >>> scores = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] * 25
        >>> curve = RocCurve.from_predictions([0, 0, 0, 1, 0, 1, 1, 1] * 25, scores)
        >>> band = curve.band(at=[0.1, 0.5])
        >>> band.low.round(2), band.high.round(2)
        (array([0.  , 0.85]), array([0.9, 1. ]))
        """
        check_confidence(confidence)
        _check_instances(self)
        if not self.is_defined:
            raise InputError(f"there is no curve: the truth has no instance of {self.label!r}, or no other")
        x = np.linspace(0, 1, 201) if at is None else as_numbers("at", at)
        if not ((x >= 0) & (x <= 1)).all():
            raise InputError(Option("at"), ": rates lie between 0 and 1")
        sizes = self.ranked.n_positive, self.ranked.n_negative
        return RocBand(
            x, *roc_band(self.false_positive_rate, self.true_positive_rate, sizes, x, confidence), confidence
        )


def _check_instances(curve: ScoreCurve) -> None:
    """Raise unless the scores are those of instances that were each drawn alone."""
    if (reason := curve.without_band) is not None:
        raise InputError(f"{reason}: a band needs instances that were each drawn alone")


class PrecisionRecallCurve(ScoreCurve):
    """Precision and recall at each threshold; precision is nan if no instance reaches the threshold.

    Examples
    --------
    >>> from adjudge.results import PrecisionRecallCurve
    >>> curve = PrecisionRecallCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall
    array([0. , 0.5, 0.5, 1. , 1. ])
    >>> round(curve.average_precision, 4)
    0.8333
    """

    columns = ("precision", "recall")
    title = "Precision-recall curve"

    precision = AtThresholds("precision", "Share of the class among the instances that reach the threshold.")
    recall = AtThresholds("recall", "Share of the class's instances that reach the threshold.")

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
    >>> from adjudge.results import DetCurve
    >>> curve = DetCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.false_negative_rate
    array([1. , 0.5, 0.5, 0. , 0. ])
    >>> curve.equal_error_rate
    0.5
    """

    columns = ("false_positive_rate", "false_negative_rate")
    title = "DET curve"

    false_positive_rate = AtThresholds(
        "false_positive_rate", "Share of the other instances that reach the threshold."
    )
    false_negative_rate = AtThresholds(
        "false_negative_rate", "Share of the class's instances that do not reach the threshold."
    )

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
    >>> from adjudge.results import GainsCurve
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

    gain = AtThresholds("recall", "Share of the class's instances that reach the threshold.")

    @property
    def lift(self) -> Floats:
        """How many times as frequent the class is among these as among all instances; nan if there are none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.gain / self.share)

    def gain_at(self, share: float) -> float:
        """Return the share of the class found in the highest-scoring share of all instances (on average over ties)."""
        if not 0 <= share <= 1:
            raise InputError(Option("share", share), ": a share of the instances lies between 0 and 1")
        return float(np.interp(share, self.share, self.gain))

    def lift_at(self, share: float) -> float:
        """Return how many times as frequent the class is among the highest-scoring share of all instances."""
        return self.gain_at(share) / share if share > 0 else math.nan


class ThresholdCurve(ScoreCurve):
    """Measures at each threshold, and the counts that they are computed from.

    Examples
    --------
    >>> from adjudge.results import ThresholdCurve
    >>> curve = ThresholdCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.thresholds
    array([ inf, 0.8 , 0.4 , 0.35, 0.1 ])
    >>> curve.measure("f1").round(4)
    array([0.    , 0.6667, 0.5   , 0.8   , 0.6667])
    """

    columns = ("precision", "recall", "specificity", "f1")
    title = "Thresholds"

    precision = AtThresholds("precision", "Share of the class among the instances that reach the threshold.")
    recall = AtThresholds("recall", "Share of the class's instances that reach the threshold.")
    specificity = AtThresholds("specificity", "Share of the other instances that do not reach the threshold.")
    f1 = AtThresholds("f1", "Harmonic mean of precision and recall.")


class DecisionCurve(ScoreCurve):
    """What one gains by acting on all instances whose probability reaches the threshold: net benefit.

    A false alarm counts the odds of the threshold, the probability from which one would act. It takes probabilities.

    References
    ----------
    Vickers & Elkin (2006), Decision curve analysis, Medical Decision Making 26, 565-574.

    Examples
    --------
    >>> from adjudge.results import DecisionCurve
    >>> curve = DecisionCurve.from_predictions([0, 1, 0, 1, 0], [0.1, 0.4, 0.3, 0.8, 0.1])
    >>> curve.at([0.2, 0.5]).round(3), curve.of_all_at([0.2, 0.5]).round(3)
    (array([0.35, 0.2 ]), array([ 0.25, -0.2 ]))
    """

    columns = ("net_benefit", "of_all")
    title = "Decision curve"

    @classmethod
    def of(cls, forecasts: Forecasts | CurveSteps, positive: Any = None, *, in_units: bool = False) -> Self:
        """Sort the probabilities of one class of forecasts that have been read already."""
        if not forecasts.are_probabilities:
            raise InputError(
                "decisions need probabilities: ",
                Option("scores"),
                " only rank, pass ",
                Option("probabilities"),
            )
        return super().of(forecasts, positive, in_units=in_units)

    @property
    def net_benefit(self) -> Floats:
        """Net benefit at each threshold; 0 where nobody is acted on."""
        return self.at(self.thresholds)

    @property
    def of_all(self) -> Floats:
        """Net benefit of acting on all instances, at each threshold."""
        return self.of_all_at(self.thresholds)

    def at(self, thresholds: Any) -> Floats:
        """Return the net benefit of acting from some probabilities on."""
        at = np.asarray(thresholds, np.float64)
        # The thresholds fall: as many scores are at least as large as the last of them that is.
        place = np.searchsorted(-self.thresholds, -at, side="right") - 1
        return self._worth(at, self.counts.tp[place], self.counts.fp[place])

    def of_all_at(self, thresholds: Any) -> Floats:
        """Return the net benefit of acting on all instances, if one would act from some probabilities on."""
        return self._worth(np.asarray(thresholds, np.float64), self.ranked.n_positive, self.ranked.n_negative)

    def band(self, confidence: float = 0.95, *, at: Any = None) -> NetBenefitBand:
        """Return a band that contains the net benefit of the population at all of some probabilities.

        Parameters
        ----------
        confidence : float
        at : array-like, optional
            Probabilities, from 0 to below 1; default: 0.01, 0.02, ... 0.99.

        Examples
        --------
        >>> from adjudge.results import DecisionCurve
        >>> probabilities = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8] * 25
        >>> curve = DecisionCurve.from_predictions([0, 0, 0, 1, 0, 1, 1, 1] * 25, probabilities)
        >>> band = curve.band(at=[0.1, 0.5])
        >>> band.low.round(2), band.high.round(2)
        (array([0.36, 0.14]), array([0.53, 0.35]))
        """
        check_confidence(confidence)
        _check_instances(self)
        where = np.arange(1, 100) / 100 if at is None else as_numbers("at", at)
        if not ((where >= 0) & (where < 1)).all():
            raise InputError(Option("at"), ": probabilities from 0 to below 1 are needed")
        of_class, others = self.ranked.positives.astype(np.float64), self.ranked.negatives.astype(np.float64)
        low, high = net_benefit_band(self.ranked.scores, of_class, others, where, confidence)
        return NetBenefitBand(where, low, high, confidence)

    def _worth(self, at: Floats, right: Any, wrong: Any) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            lost = np.where(at < 1, at / (1 - at), math.inf) * wrong
        return np.asarray((right - np.where(wrong == 0, 0.0, lost)) / self.ranked.n)


#: Curves by the names that `ClassifierEvaluation.curve` takes.
CURVES: Mapping[str, type[ScoreCurve]] = {
    "roc": RocCurve,
    "precision_recall": PrecisionRecallCurve,
    "det": DetCurve,
    "gains": GainsCurve,
    "thresholds": ThresholdCurve,
    "decision": DecisionCurve,
}
