"""How well a classifier's probabilities agree with the outcomes."""

from __future__ import annotations

import math
from typing import Any, Literal

from adjudge.given.options import check_choice
from adjudge.indices.forecast_record import NO_CLASS, NO_POSITIVE, OF_POSITIVE, forecast_index
from adjudge.indices.record import Noted, quotient
from adjudge.statistics.binned_scores import BINS, MergedInBins
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.ranked_scores import (
    CalibratedScores,
    PositiveProbabilities,
    ScoredOutcomes,
    TopLabels,
)
from adjudge.statistics.recalibration import Recalibration
from adjudge.statistics.reliability import Bins, brier_parts, reliability_bins, smooth_calibration

Norm = Literal["l1", "l2", "max"]


def _calibration_error(scores: ScoredOutcomes, n_bins: int, bins: Bins, norm: Norm) -> float:
    check_choice("norm", norm, ("l1", "l2", "max"))
    found = reliability_bins(scores, n_bins, bins)
    if norm == "max":
        return float(found.gaps.max())
    shares = found.shares
    return float(shares @ found.gaps) if norm == "l1" else math.sqrt(float(shares @ found.gaps**2))


_EDGES = 'Bins of equal width include their right end; "mass" makes bins with equally many instances.'


@forecast_index(
    title="Expected calibration error (ECE)",
    better="lower",
    range=(0, 1),
    reference="naeini2015",
    formula=r"\sum_b \frac{n_b}{n} |f_b - o_b|",
    symbols={
        "b": "each bin",
        "n_b": "instances in bin b",
        "f_b": "mean forecast in bin b",
        "o_b": "share of its instances with that outcome",
    },
    aliases=("ece",),
    peers={"netcal": "ECE", "torchmetrics": "calibration_error"},
    note="Of the probability of the positive class, if there is one; else of the likeliest class, as "
    f"top_label_calibration_error always is. {_EDGES}",
)
def expected_calibration_error(
    scores: CalibratedScores,
    *,
    n_bins: int = 10,
    bins: Bins = "width",
    norm: Norm = "l1",
) -> float | Noted:
    """Mean difference between forecast and observed frequency, over bins of forecasts.

    >>> round(expected_calibration_error([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.7]), 6)
    0.175
    """
    return _calibration_error(scores, n_bins, bins, norm)


maximum_calibration_error = expected_calibration_error.variant(
    "maximum_calibration_error",
    title="Maximum calibration error (MCE)",
    fixed={"norm": "max"},
    formula=r"\max_b |f_b - o_b|",
    symbols={
        "b": "each bin",
        "f_b": "mean forecast in bin b",
        "o_b": "share of its instances with that outcome",
    },
    reference="naeini2015",
    meaning="Largest difference between forecast and observed frequency, over bins of forecasts.",
    aliases=("mce",),
    peers={"netcal": "MCE"},
)


@forecast_index(
    title="Calibration error of the top label",
    better="lower",
    range=(0, 1),
    reference="guo2017",
    formula=r"\sum_b \frac{n_b}{n} |f_b - o_b|",
    symbols={
        "b": "each bin",
        "n_b": "instances in bin b",
        "f_b": "mean probability of the likeliest class in bin b",
        "o_b": "share of its instances for which that class is the true one",
    },
    aliases=("confidence_calibration_error",),
    note=_EDGES,
    default="Whether a stated probability of 0.8 is right in 80 % of the cases (Guo et al. 2017).",
)
def top_label_calibration_error(
    top: TopLabels, *, n_bins: int = 10, bins: Bins = "width", norm: Norm = "l1"
) -> float | Noted:
    """Mean difference between the probability of the likeliest class and how often it is the true one.

    >>> round(top_label_calibration_error([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.7]), 6)
    0.175
    """
    return _calibration_error(top, n_bins, bins, norm)


@forecast_index(
    title="Class-wise calibration error",
    better="lower",
    range=(0, 1),
    reference="kull2019",
    formula=r"\frac{1}{|C|} \sum_c \sum_b \frac{n_b}{n} |f_b - o_b|",
    symbols={
        "b": "each bin",
        "n_b": "instances in bin b of the probabilities of class c",
        "f_b": "mean probability of class c in bin b",
        "o_b": "share of its instances that are of class c",
        "C": "the classes",
    },
    note=_EDGES,
)
def class_wise_calibration_error(
    forecasts: ProbabilityForecasts, *, n_bins: int = 10, bins: Bins = "width", norm: Norm = "l1"
) -> float | Noted:
    """Mean over the classes of the calibration error of their probabilities.

    >>> P = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> round(class_wise_calibration_error([0, 1, 2, 2], P), 6)
    0.283333
    """
    errors = [
        _calibration_error(ScoredOutcomes.of_one(forecasts, code), n_bins, bins, norm)
        for code in range(forecasts.k)
    ]
    return math.fsum(errors) / forecasts.k


@forecast_index(
    title="Debiased squared calibration error",
    better="lower",
    range=(-1, 1),
    reference="kumar2019",
    best=None,
    formula=r"\sum_b \frac{n_b}{n} \left((f_b - o_b)^2 - \frac{o_b (1 - o_b)}{n_b - 1}\right)",
    symbols={
        "b": "each bin",
        "n_b": "instances in bin b, of those with several",
        "f_b": "mean forecast in bin b",
        "o_b": "share of its instances with that outcome",
    },
    undefined="if no bin has two instances, and of weighted instances.",
    note=f"Unlike the plain error it does not grow with the number of bins; a value below 0 means "
    f"that no error is visible. {_EDGES}",
)
def debiased_calibration_error(
    scores: CalibratedScores, *, n_bins: int = 10, bins: Bins = "width"
) -> float | Noted:
    """Squared calibration error, minus that expected of perfect forecasts with this number of instances.

    >>> round(debiased_calibration_error([0, 1, 1, 0], [0.15, 0.75, 0.75, 0.15]), 6)
    0.0425
    """
    if not scores.counts_instances:
        return Noted(math.nan, "weights do not say how many instances a bin has")
    found = reliability_bins(scores, n_bins, bins)
    several = found.counts > 1
    if not several.any():
        return Noted(math.nan, "no bin has two instances")
    counts, observed, gaps = found.counts[several], found.observed[several], found.gaps[several]
    total: Any = found.counts.sum()
    return float(counts @ (gaps**2 - observed * (1 - observed) / (counts - 1)) / total)


@forecast_index(
    title="Smooth calibration error (smECE)",
    better="lower",
    range=(0, 1),
    reference="blasiok2024",
    formula=r"\sigma = \sum_t \left| \frac{1}{n} \sum_i (f_i - y_i) K_\sigma(t, f_i) \right|",
    symbols={
        r"\sigma": "the error: the only bandwidth that equals the sum",
        "f_i": "forecast of instance i",
        "y_i": "1 if it has that outcome, else 0",
        r"K_\sigma": "share at t of a Gaussian around f_i with that standard deviation, reflected at 0 and 1",
        "t": "each node of a fine grid of probabilities",
        "n": "number of instances",
    },
    undefined="if a table's engine counted the scores in bins, and the error is below 0.0025.",
    aliases=("smece", "smooth_ece"),
    peers={"relplot": "smECE"},
    note="It has no bins to choose, and small changes of the forecasts change it little. Of the probability of the "
    "positive class, if there is one; else of the likeliest class. The grid has 128 steps or more to a bandwidth, and "
    "at most 2^20. relplot differs by up to 0.003, as it stops after ten bisections; by more if forecasts are exactly "
    "0 or 1, which it counts half, and if the error is above 0.2, as it cuts the kernel off at a distance of 0.5.",
)
def smooth_calibration_error(scores: CalibratedScores) -> float | Noted:
    """Mean difference between forecast and outcome, after smoothing by a kernel as wide as the error itself.

    >>> round(smooth_calibration_error([0, 1, 1, 0], [0.1, 0.8, 0.7, 0.7]), 6)
    0.095788
    """
    found = smooth_calibration(scores.ranked)
    if isinstance(scores, MergedInBins) and found * BINS < 128:
        return Noted(
            math.nan, f"the engine of the table counted scores in {BINS:,} bins: collect the table first"
        )
    return found


@forecast_index(
    title="Reliability of the Brier score",
    better="lower",
    range=(0, 1),
    reference="murphy1973",
    formula=r"\sum_g \frac{n_g}{n} (f_g - o_g)^2",
    symbols={
        "g": "each forecast that occurs",
        "f_g": "its value",
        "n_g": "instances with this forecast",
        "o_g": "share of them with that outcome",
    },
    undefined="if there are more than two classes and none is named as positive.",
    note=f"{OF_POSITIVE} The Brier score is reliability minus resolution, plus p (1 - p) for the "
    "share p of the class.",
)
def brier_reliability(scores: PositiveProbabilities) -> float | Noted:
    """Mean squared difference between each forecast and its observed frequency.

    >>> round(brier_reliability([0, 1, 1, 0], [0.1, 0.7, 0.7, 0.7]), 6)
    0.003333
    """
    return brier_parts(scores).reliability if scores.scores.size else Noted(math.nan, NO_CLASS)


@forecast_index(
    title="Resolution of the Brier score",
    better="higher",
    range=(0, 0.25),
    reference="murphy1973",
    best=None,
    formula=r"\sum_g \frac{n_g}{n} (o_g - o)^2",
    symbols={
        "g": "each forecast that occurs",
        "n_g": "instances with forecast g",
        "o_g": "share of them with that outcome",
        "o": "share of all instances",
    },
    undefined="if there are more than two classes and none is named as positive.",
    note=OF_POSITIVE,
)
def brier_resolution(scores: PositiveProbabilities) -> float | Noted:
    """How much the observed frequencies of different forecasts differ.

    >>> round(brier_resolution([0, 1, 1, 0], [0.1, 0.7, 0.7, 0.7]), 6)
    0.083333
    """
    return brier_parts(scores).resolution if scores.scores.size else Noted(math.nan, NO_CLASS)


_NO_LOGIT = f"{NO_POSITIVE.removesuffix('.')}, and if a probability is exactly 0 or 1"
_EVENTS = {"y_i": "1 if instance i is of the class, else 0", "p_i": "its probability of the class"}
_LOGITS = {"P": "probability by the fit", **_EVENTS}


@forecast_index(
    title="Calibration intercept",
    better=None,
    range=(-math.inf, math.inf),
    reference="vancalster2019",
    formula=r"\ln \frac{P(y_i = 1)}{P(y_i = 0)} = a + \ln \frac{p_i}{1 - p_i}",
    symbols={"a": "the intercept, by maximum likelihood", **_LOGITS},
    undefined=f"{_NO_LOGIT}.",
    aliases=("calibration_in_the_large", "citl"),
    peers={"CalibrationCurves": "Intercept", "predRupdate": "CalInt"},
    note=f"{OF_POSITIVE} 0 is best: below 0 probabilities are too high on average, above 0 too low. The slope is held "
    "at 1; the intercept that rms prints beside its slope is another one.",
)
def calibration_intercept(scores: Recalibration) -> float | Noted:
    """What must be added to the logits of all probabilities for as many events to be expected as occurred.

    >>> round(calibration_intercept([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 6)
    -1.098612
    """
    return scores.in_the_large.coefficient if scores.outcomes.size else Noted(math.nan, NO_CLASS)


@forecast_index(
    title="Calibration slope",
    better=None,
    range=(-math.inf, math.inf),
    reference="cox1958",
    formula=r"\ln \frac{P(y_i = 1)}{P(y_i = 0)} = a + b \ln \frac{p_i}{1 - p_i}",
    symbols={"a": "an intercept", "b": "the slope, both by maximum likelihood", **_LOGITS},
    undefined=f"{_NO_LOGIT}, if all probabilities are alike, or if they separate the outcomes.",
    peers={"rms": "Slope", "CalibrationCurves": "Slope", "predRupdate": "CalSlope"},
    note=f"{OF_POSITIVE} 1 is best: below 1 they are too extreme, as those of an overfitted model; above 1 not "
    "extreme enough; below 0 they rank the wrong way round.",
)
def calibration_slope(scores: Recalibration) -> float | Noted:
    """By what the logits of all probabilities must be multiplied to fit the outcomes best.

    >>> round(calibration_slope([0, 0, 1, 0, 1, 1], [0.2, 0.2, 0.2, 0.8, 0.8, 0.8]), 6)
    0.5
    """
    return scores.in_slope.coefficient if scores.outcomes.size else Noted(math.nan, NO_CLASS)


@forecast_index(
    title="Observed by expected events (O/E)",
    better=None,
    range=(0, math.inf),
    reference="miller1993",
    formula=r"\frac{\sum_i y_i}{\sum_i p_i}",
    symbols=_EVENTS,
    undefined="if there are more than two classes and none is named as positive, or if no event occurred and all "
    "probabilities are 0.",
    aliases=("oe_ratio",),
    peers={"predRupdate": "OE_ratio"},
    note=f"{OF_POSITIVE} 1 is best: below 1 probabilities are too high on average, above 1 too low.",
)
def observed_expected_ratio(scores: Recalibration) -> float | Noted:
    """Number of events that occurred, divided by the number that the probabilities expect.

    >>> round(observed_expected_ratio([0, 0, 0, 1], [0.5, 0.5, 0.5, 0.5]), 6)
    0.5
    """
    if not scores.outcomes.size:
        return Noted(math.nan, NO_CLASS)
    return quotient(scores.observed, scores.expected, "the probability of every instance is 0")
