"""Scores of a classifier's probabilities, and of scores that rank the instances."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice, check_count
from adjudge.indices.class_measures import Undefined, averaged
from adjudge.indices.forecast_record import forecast_index
from adjudge.indices.record import Noted
from adjudge.statistics.forecasts import ProbabilityForecasts
from adjudge.statistics.losses import ProbabilityLosses
from adjudge.statistics.ranked_scores import (
    CalibratedScores,
    PairAreas,
    PositiveProbabilities,
    PositiveScores,
    RankAreas,
    RankedScores,
    ScoredOutcomes,
    TopLabels,
    TruthRanks,
)
from adjudge.statistics.reliability import Bins, brier_parts, reliability_bins

_inf = math.inf

AverageOfRanks = Literal["binary", "macro", "weighted"]
_ONE_CLASS = "if the truth has one class."
_NO_POSITIVE = "if the truth has one class, or if there are more than two and none is named as positive."
_OF_POSITIVE = "Of the positive class, which is the second of two unless another is named."
_NO_CLASS = "no class is the positive one: name one as positive"
_ONE_SIDED = "0/0: the truth has no instance of the positive class, or no other"


# --- losses -----------------------------------------------------------------------------------------------------


@forecast_index(
    title="Log loss",
    better="lower",
    range=(0, _inf),
    reference="good1952",
    formula=r"-\frac1n \sum_i \log p_{iy_i}",
    symbols={"p_{iy_i}": "probability forecast for the class that instance i has"},
    undefined="infinite if the true class had the probability 0.",
    aliases=("cross_entropy", "logarithmic_score"),
    peers={"scikit-learn": ("log_loss", "neg_log_loss")},
    note="The natural logarithm, without clipping: scikit-learn replaces a probability of 0 with 2.2e-16, in single "
    "precision with 1.2e-7.",
    default="Proper: the true probabilities have the lowest mean. It punishes certainty that is wrong "
    "without limit.",
)
def log_loss(losses: ProbabilityLosses) -> float | Noted:
    """Mean of -log of the probability of the true class.

    Examples
    --------
    >>> from adjudge import log_loss
    >>> round(log_loss([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.34055
    """
    value = float(losses.log_loss / losses.total)
    if losses.impossible:
        return Noted(value, _impossible(losses))
    return value


def _impossible(losses: ProbabilityLosses) -> str:
    more = f", and of {losses.impossible - 1} others" if losses.impossible > 1 else ""
    return f"the true class of row {losses.first_impossible} had the probability 0{more}"


@forecast_index(
    title="Brier score",
    better="lower",
    range=(0, 2),
    reference="brier1950",
    formula=r"\frac1n \sum_i \sum_c (p_{ic} - y_{ic})^2",
    symbols={
        "p_{ic}": "probability forecast for class c of instance i",
        "y_{ic}": "1 if instance i is of class c, else 0",
    },
    peers={"scikit-learn": ("brier_score_loss", "neg_brier_score")},
    note="With two classes only the second is summed, and the score is at most 1.",
    default="Proper, too, and bounded: the squared error of the probabilities.",
)
def brier_score(losses: ProbabilityLosses) -> float | Noted:
    """Mean squared distance of forecast and outcome.

    Examples
    --------
    >>> from adjudge import brier_score
    >>> round(brier_score([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.1
    """
    return float(losses.brier / losses.total)


def _shares(losses: ProbabilityLosses) -> NDArray[np.float64]:
    return np.asarray(losses.sizes / losses.total, np.float64)


@forecast_index(
    title="D2 of log loss",
    better="higher",
    range=(-_inf, 1),
    reference="good1952",
    formula=r"1 - \frac{L}{H}",
    symbols={"L": "log loss", "H": "entropy of the classes' shares: the log loss of forecasting them"},
    undefined=_ONE_CLASS,
    peers={"scikit-learn": "d2_log_loss_score"},
)
def d2_log_loss(losses: ProbabilityLosses) -> float | Noted:
    """Share by which the log loss is lower than that of forecasting the classes' frequencies.

    Examples
    --------
    >>> from adjudge import d2_log_loss
    >>> round(d2_log_loss([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.464976
    """
    shares = _shares(losses)
    shares = shares[shares > 0]
    if shares.size == 1:
        return Noted(math.nan, "0/0: the truth has one class")
    if losses.impossible:
        return Noted(-_inf, _impossible(losses))
    return 1 - float(losses.log_loss / losses.total) / -math.fsum((shares * np.log(shares)).tolist())


@forecast_index(
    title="Brier skill score",
    better="higher",
    range=(-_inf, 1),
    reference="murphy1973",
    formula=r"1 - \frac{B}{U}",
    symbols={"B": "Brier score", "U": "Brier score of forecasting the classes' shares"},
    undefined=_ONE_CLASS,
    aliases=("d2_brier",),
    peers={"scikit-learn": "d2_brier_score"},
)
def brier_skill_score(losses: ProbabilityLosses) -> float | Noted:
    """Share by which the Brier score is lower than that of forecasting the classes' frequencies.

    Examples
    --------
    >>> from adjudge import brier_skill_score
    >>> round(brier_skill_score([0, 1, 1], [0.1, 0.8, 0.5]), 6)
    0.55
    """
    shares = _shares(losses)
    if np.count_nonzero(shares) < 2:
        return Noted(math.nan, "0/0: the truth has one class")
    spread = float((shares * (1 - shares)).sum())
    return 1 - float(losses.brier / losses.total) / (spread / 2 if shares.size == 2 else spread)


# --- ranking ----------------------------------------------------------------------------------------------------


def _average_of_areas(
    values: NDArray[np.float64],
    areas: RankAreas,
    average: AverageOfRanks | None,
    undefined: Undefined,
    unless: str,
) -> float | Noted:
    if average is None:
        average = "binary" if areas.positive is not None or len(areas.classes) < 2 else "macro"
    check_choice("average", average, ("binary", "macro", "weighted"))
    if average == "binary":
        if areas.positive is None:
            return Noted(math.nan, _NO_CLASS)
        label = areas.classes[areas.positive]
        return averaged(values[[areas.positive]], [label], unless, undefined)
    weights = np.asarray(areas.sizes, np.float64) if average == "weighted" else None
    return averaged(values, areas.classes, unless, undefined, weights)


_ALL_OR_NONE = "occurs never or always in the truth"
_IN_MEAN = "With more than two classes and none named: the mean over the classes, each against the rest."


@forecast_index(
    title="ROC AUC",
    better="higher",
    range=(0, 1),
    reference="hanley1982",
    formula=r"P(s^+ > s^-) + \frac12 P(s^+ = s^-)",
    symbols={
        "s^+": "score of an instance of the class",
        "s^-": "score of another",
        "P": "share of the pairs of such instances",
    },
    undefined="if a class occurs never or always in the truth.",
    aliases=("auc", "auroc"),
    peers={"scikit-learn": ("roc_auc_score", "roc_auc"), "pROC": "auc"},
    note=f"{_OF_POSITIVE} {_IN_MEAN} The direction is never guessed: a value below 0.5 is worse than chance.",
    default="How well the scores rank, whatever the threshold.",
)
def roc_auc(
    areas: RankAreas, *, average: AverageOfRanks | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """How often an instance of the class scores higher than one that is not: the area under the ROC curve.

    Examples
    --------
    >>> from adjudge import roc_auc
    >>> roc_auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.875
    >>> roc_auc(["no", "yes", "yes"], scores=[-2.5, 0.3, 7.0])
    1.0
    """
    return _average_of_areas(areas.areas, areas, average, undefined, _ALL_OR_NONE)


roc_auc_ovr = roc_auc.variant(
    "roc_auc_ovr",
    title="ROC AUC, one against the rest",
    fixed={"average": "macro"},
    formula=r"\frac{1}{|C|} \sum_c A_c",
    symbols={"A_c": "area under the ROC curve of class c against the rest", "C": "the classes"},
    peers={"scikit-learn": "roc_auc_ovr"},
    note="",
)
roc_auc_ovr_weighted = roc_auc.variant(
    "roc_auc_ovr_weighted",
    title="ROC AUC, one against the rest, weighted",
    fixed={"average": "weighted"},
    formula=r"\sum_c \frac{n_{c\cdot}}{n} A_c",
    symbols={"A_c": "area under the ROC curve of class c against the rest"},
    undefined=_ONE_CLASS,
    peers={"scikit-learn": "roc_auc_ovr_weighted"},
    note="",
)


@forecast_index(
    title="ROC AUC, one against one (Hand & Till's M)",
    better="higher",
    range=(0, 1),
    reference="hand2001",
    formula=r"\frac{2}{|C| (|C| - 1)} \sum_{c < c'} \frac{A(c \mid c') + A(c' \mid c)}{2}",
    symbols={
        r"A(c \mid c')": "how often, by the score for c, an instance of c ranks above one of c'",
        r"A(c' \mid c)": "the same by the score for c', of an instance of c' above one of c",
        "C": "the classes",
    },
    undefined="if a class does not occur in the truth, or there is one class.",
    aliases=("hand_till",),
    peers={"scikit-learn": "roc_auc_ovo", "pROC": "multiclass.roc"},
)
def roc_auc_ovo(
    pairs: PairAreas, *, average: Literal["macro", "weighted"] = "macro", undefined: Undefined = "nan"
) -> float | Noted:
    """Mean over the pairs of classes of how often an instance ranks higher by the score for its class.

    Examples
    --------
    >>> from adjudge import roc_auc_ovo
    >>> P = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> roc_auc_ovo([0, 1, 2, 2], P)
    1.0
    """
    check_choice("average", average, ("macro", "weighted"))
    k = len(pairs.classes)
    if k < 2:
        return Noted(math.nan, "0/0: there is one class")
    rows, cols = np.triu_indices(k, 1)
    values = (pairs.areas[rows, cols] + pairs.areas[cols, rows]) / 2
    named = [(pairs.classes[i], pairs.classes[j]) for i, j in zip(rows.tolist(), cols.tolist(), strict=True)]
    sizes = np.asarray(pairs.sizes, np.float64)
    weights = sizes[rows] + sizes[cols] if average == "weighted" else None
    return averaged(values, named, "has a class that does not occur in the truth", undefined, weights)


roc_auc_ovo_weighted = roc_auc_ovo.variant(
    "roc_auc_ovo_weighted",
    title="ROC AUC, one against one, weighted",
    fixed={"average": "weighted"},
    formula=r"\frac{1}{(|C| - 1)\, n} \sum_{c < c'} (n_{c\cdot} + n_{c'\cdot}) \frac{A(c \mid c') + A(c' \mid c)}{2}",
    symbols={
        r"A(c \mid c')": "how often, by the score for c, an instance of c ranks above one of c'",
        r"A(c' \mid c)": "the same by the score for c', of an instance of c' above one of c",
        r"n_{c'\cdot}": "instances of class c'",
        "C": "the classes",
    },
    peers={"scikit-learn": "roc_auc_ovo_weighted"},
)


@forecast_index(
    title="Gini coefficient",
    better="higher",
    range=(-1, 1),
    reference="hanley1982",
    formula=r"2 A - 1",
    symbols={"A": "area under the ROC curve"},
    undefined="if a class occurs never or always in the truth.",
    aliases=("somers_d_of_scores",),
    note=_OF_POSITIVE,
)
def gini(
    areas: RankAreas, *, average: AverageOfRanks | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """ROC AUC, rescaled so that chance gives 0.

    Examples
    --------
    >>> from adjudge import gini
    >>> gini([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.75
    """
    area = _average_of_areas(areas.areas, areas, average, undefined, _ALL_OR_NONE)
    return area if isinstance(area, Noted) else 2 * area - 1


@forecast_index(
    title="Average precision",
    better="higher",
    range=(0, 1),
    reference="buckland1994",
    formula=r"\frac{1}{n_{c\cdot}} \sum_{i \in c} P_i",
    symbols={"P_i": "precision where all scores of at least that of instance i are predicted"},
    undefined="if a class does not occur in the truth.",
    aliases=("auprc", "pr_auc"),
    peers={"scikit-learn": ("average_precision_score", "average_precision")},
    note=f"{_OF_POSITIVE} {_IN_MEAN} Without interpolation, which would be optimistic.",
    default="How well they rank if the class is rare, which the ROC curve hides (Saito and Rehmsmeier 2015).",
)
def average_precision(
    areas: RankAreas, *, average: AverageOfRanks | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Mean over the instances of the class of the precision at their score.

    Examples
    --------
    >>> from adjudge import average_precision
    >>> round(average_precision([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8]), 6)
    0.833333
    """
    return _average_of_areas(
        areas.average_precisions, areas, average, undefined, "does not occur in the truth"
    )


macro_average_precision = average_precision.variant(
    "macro_average_precision",
    title="Macro average precision",
    fixed={"average": "macro"},
    note="Mean over the classes, each against the rest.",
)
weighted_average_precision = average_precision.variant(
    "weighted_average_precision",
    title="Weighted average precision",
    fixed={"average": "weighted"},
    undefined="",
    note="Mean over the classes, weighted by their numbers of instances.",
)


@forecast_index(
    title="Top-k accuracy",
    better="higher",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac1n \sum_i \min\left(1, \max\left(0, \frac{k - h_i}{t_i}\right)\right)",
    symbols={
        "h_i": "classes that score higher than the true one of instance i",
        "t_i": "classes that score as high, itself included",
        "k": "number of the likeliest classes considered",
    },
    peers={"scikit-learn": "top_k_accuracy_score"},
    note="Equal scores count as they would on average in random order; scikit-learn orders "
    "them by their columns.",
)
def top_k_accuracy(
    ranks: TruthRanks, *, k: int = 2, ties: Literal["expected", "for", "against"] = "expected"
) -> float | Noted:
    """Share of the instances whose true class is among the k likeliest.

    Examples
    --------
    >>> from adjudge import top_k_accuracy
    >>> top_k_accuracy([0, 1, 2], [[0.8, 0.1, 0.1], [0.5, 0.2, 0.3], [0.3, 0.2, 0.5]])
    0.6666666666666666
    """
    check_count("k", k)
    check_choice("ties", ties, ("expected", "for", "against"))
    if ties == "for":
        found = (ranks.higher < k).astype(np.float64)
    elif ties == "against":
        found = (ranks.higher + ranks.tied <= k).astype(np.float64)
    else:
        found = np.clip((k - ranks.higher) / ranks.tied, 0.0, 1.0)
    return float(ranks.counts @ found / ranks.counts.sum())


def _sides(scores: RankedScores) -> str | None:
    """Why scores have no ROC curve; None if they have one."""
    if not scores.scores.size:
        return _NO_CLASS
    return None if scores.n_positive > 0 and scores.n_negative > 0 else _ONE_SIDED


@forecast_index(
    title="Partial ROC AUC",
    better="higher",
    range=(0, 1),
    reference="mcclish1989",
    formula=r"\sum_t (F_t - F_{t^-}) \frac{R_t + R_{t^-}}{2}",
    symbols={
        "R_t": "recall where scores of at least t are predicted",
        "F_t": "false positive rate there; the sum ends where it is max_fpr, with interpolation",
        "R_{t^-}": "recall at the next higher score",
        "F_{t^-}": "false positive rate at the next higher score",
        "t": "each score that occurs",
    },
    undefined=_NO_POSITIVE,
    aliases=("pauc",),
    peers={"pROC": "auc(partial.auc)"},
    note=f"{_OF_POSITIVE} This is the area itself; scikit-learn's `max_fpr` gives McClish's.",
)
def partial_auc(scores: PositiveScores, *, max_fpr: float = 0.1) -> float | Noted:
    """Area under the ROC curve up to a false positive rate.

    Examples
    --------
    >>> from adjudge import partial_auc
    >>> partial_auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8], max_fpr=0.5)
    0.375
    """
    if not 0 < max_fpr <= 1:
        raise InputError(Option("max_fpr", max_fpr), ": a number above 0 and up to 1 is needed")
    if (reason := _sides(scores)) is not None:
        return Noted(math.nan, reason)
    _, true, false = scores.falling
    tpr, fpr = np.r_[0.0, true / true[-1]], np.r_[0.0, false / false[-1]]
    inside = fpr <= max_fpr
    xs, ys = fpr[inside], tpr[inside]
    if xs[-1] < max_fpr:
        after = int(np.argmin(inside))
        part = (max_fpr - fpr[after - 1]) / (fpr[after] - fpr[after - 1])
        xs, ys = np.r_[xs, max_fpr], np.r_[ys, ys[-1] + part * (tpr[after] - tpr[after - 1])]
    return float(np.diff(xs) @ (ys[1:] + ys[:-1])) / 2


@forecast_index(
    title="Partial ROC AUC, standardised (McClish)",
    better="higher",
    range=(0, 1),
    reference="mcclish1989",
    formula=r"\frac12 \left(1 + \frac{A_f - f^2 / 2}{f - f^2 / 2}\right)",
    symbols={"A_f": "partial ROC AUC up to f", "f": "largest false positive rate considered"},
    undefined=_NO_POSITIVE,
    peers={"pROC": "auc(partial.auc.correct)"},
    note=_OF_POSITIVE,
)
def mcclish_auc(scores: PositiveScores, *, max_fpr: float = 0.1) -> float | Noted:
    """Partial ROC AUC, rescaled so that chance gives 0.5 and the best 1.

    Examples
    --------
    >>> from adjudge import mcclish_auc
    >>> round(mcclish_auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8], max_fpr=0.5), 6)
    0.833333
    """
    area = partial_auc.function(scores, max_fpr=max_fpr)
    if isinstance(area, Noted):
        return area
    if max_fpr == 1:
        return area
    least = max_fpr * max_fpr / 2
    return (1 + (area - least) / (max_fpr - least)) / 2


@forecast_index(
    title="Kolmogorov-Smirnov statistic",
    better="higher",
    range=(0, 1),
    reference="fawcett2006",
    formula=r"\max_t |R_t - F_t|",
    symbols={
        "R_t": "recall where scores of at least t are predicted",
        "F_t": "false positive rate there",
        "t": "each score that occurs",
    },
    undefined=_NO_POSITIVE,
    aliases=("ks",),
    note=_OF_POSITIVE,
)
def ks_statistic(scores: PositiveScores) -> float | Noted:
    """Largest distance between recall and false positive rate at any threshold.

    Examples
    --------
    >>> from adjudge import ks_statistic
    >>> ks_statistic([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.5
    """
    if (reason := _sides(scores)) is not None:
        return Noted(math.nan, reason)
    _, true, false = scores.falling
    return float(np.abs(true / true[-1] - false / false[-1]).max())


@forecast_index(
    title="Youden's index",
    better="higher",
    range=(0, 1),
    reference="youden1950",
    formula=r"\max_t (R_t - F_t)",
    symbols={
        "R_t": "recall where scores of at least t are predicted",
        "F_t": "false positive rate there",
        "t": "each score that occurs, and infinity",
    },
    undefined=_NO_POSITIVE,
    aliases=("youden", "maximum_informedness"),
    note=f'{_OF_POSITIVE} `evaluate(...).best_threshold("youden")` has the thresholds that reach it. The data that '
    "choose a threshold are kinder to it than others.",
)
def youden_index(scores: PositiveScores) -> float | Noted:
    """Largest recall plus specificity less 1 at any threshold.

    Examples
    --------
    >>> from adjudge import youden_index
    >>> youden_index([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.5
    """
    if (reason := _sides(scores)) is not None:
        return Noted(math.nan, reason)
    _, true, false = scores.falling
    return max(0.0, float((true / true[-1] - false / false[-1]).max()))


@forecast_index(
    title="Maximum F1",
    better="higher",
    range=(0, 1),
    reference="lipton2014",
    formula=r"\max_t \frac{2 TP_t}{2 TP_t + FP_t + FN_t}",
    symbols={
        "TP_t": "instances of the class with a score of at least t",
        "FP_t": "other instances with a score of at least t",
        "FN_t": "instances of the class with a lower score",
        "t": "each score that occurs",
    },
    undefined="if the truth has no instance of the positive class, or if there are more than two classes and none is "
    "named as positive.",
    aliases=("best_f1",),
    note=f'{_OF_POSITIVE} `evaluate(...).best_threshold("f1")` has the thresholds that reach it. The data that choose '
    "a threshold are kinder to it than others.",
)
def maximum_f1(scores: PositiveScores) -> float | Noted:
    """Largest F1 at any threshold.

    Examples
    --------
    >>> from adjudge import maximum_f1
    >>> round(maximum_f1([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 3)
    0.8
    """
    if not scores.n_positive:
        return Noted(
            math.nan, _NO_CLASS if not scores.n else "0/0: the truth has no instance of the positive class"
        )
    _, true, false = scores.falling
    return float((2 * true / (true + false + true[-1])).max())


# --- calibration ------------------------------------------------------------------------------------------------

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
    """Mean distance between forecast and observed frequency, in bins of forecasts.

    Examples
    --------
    >>> from adjudge import expected_calibration_error
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
    """Mean distance between the probability of the likeliest class and how often it is the true one.

    Examples
    --------
    >>> from adjudge import top_label_calibration_error
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

    Examples
    --------
    >>> from adjudge import class_wise_calibration_error
    >>> P = [[0.8, 0.1, 0.1], [0.3, 0.6, 0.1], [0.2, 0.5, 0.3], [0.2, 0.2, 0.6]]
    >>> round(class_wise_calibration_error([0, 1, 2, 2], P), 6)
    0.283333
    """
    errors = [
        _calibration_error(ScoredOutcomes.of_class(forecasts, code), n_bins, bins, norm)
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
    """Squared calibration error, minus what perfect forecasts would have with this number of instances.

    Examples
    --------
    >>> from adjudge import debiased_calibration_error
    >>> round(debiased_calibration_error([0, 1, 1, 0], [0.15, 0.75, 0.75, 0.15]), 6)
    0.0425
    """
    if scores.weights is not None:
        return Noted(math.nan, "weights do not say how many instances a bin has")
    found = reliability_bins(scores, n_bins, bins)
    several = found.counts > 1
    if not several.any():
        return Noted(math.nan, "no bin has two instances")
    counts, observed, gaps = found.counts[several], found.observed[several], found.gaps[several]
    total: Any = found.counts.sum()
    return float(counts @ (gaps**2 - observed * (1 - observed) / (counts - 1)) / total)


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
    note=f"{_OF_POSITIVE} The Brier score is reliability minus resolution, plus p (1 - p) for the "
    "share p of the class.",
)
def brier_reliability(scores: PositiveProbabilities) -> float | Noted:
    """Mean squared distance of each forecast and its observed frequency.

    Examples
    --------
    >>> from adjudge import brier_reliability
    >>> round(brier_reliability([0, 1, 1, 0], [0.1, 0.7, 0.7, 0.7]), 6)
    0.003333
    """
    return brier_parts(scores).reliability if scores.scores.size else Noted(math.nan, _NO_CLASS)


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
    note=_OF_POSITIVE,
)
def brier_resolution(scores: PositiveProbabilities) -> float | Noted:
    """How much the observed frequencies of different forecasts differ.

    Examples
    --------
    >>> from adjudge import brier_resolution
    >>> round(brier_resolution([0, 1, 1, 0], [0.1, 0.7, 0.7, 0.7]), 6)
    0.083333
    """
    return brier_parts(scores).resolution if scores.scores.size else Noted(math.nan, _NO_CLASS)
