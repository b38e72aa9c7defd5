"""How well a classifier's scores rank the instances of a class above the others."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import InputError, Option
from adjudge.given.options import check_choice, check_count
from adjudge.indices.class_measures import Undefined, averaged, named_classes
from adjudge.indices.forecast_record import (
    NO_CLASS,
    NO_POSITIVE,
    OF_POSITIVE,
    ONE_CLASS,
    forecast_index,
    why_no_curve,
    why_no_positive,
)
from adjudge.indices.record import Noted
from adjudge.statistics.ranked_scores import (
    PairAreas,
    PositiveScores,
    RankAreas,
    TruthRanks,
)

AverageOfRanks = Literal["binary", "macro", "weighted"]


def _average_of_areas(
    values: Floats,
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
            return Noted(math.nan, NO_CLASS)
        label = areas.classes[areas.positive]
        return averaged(values[[areas.positive]], [label], unless, undefined)
    weights = np.asarray(areas.sizes, np.float64) if average == "weighted" else None
    return averaged(values, areas.classes, unless, undefined, weights)


_ABSENT = "does not occur in the truth"
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
    note=f"{OF_POSITIVE} {_IN_MEAN} The direction is never guessed: a value below 0.5 is worse than chance.",
    default="How well the scores rank, whatever the threshold.",
)
def roc_auc(
    areas: RankAreas, *, average: AverageOfRanks | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """How often an instance of the class scores higher than one that is not: the area under the ROC curve.

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
    meaning="Mean over the classes: how often an instance of the class scores higher than one that is not.",
    peers={"scikit-learn": "roc_auc_ovr"},
    note="",
)
roc_auc_ovr_weighted = roc_auc.variant(
    "roc_auc_ovr_weighted",
    title="ROC AUC, one against the rest, weighted",
    fixed={"average": "weighted"},
    formula=r"\sum_c \frac{n_{c\cdot}}{n} A_c",
    symbols={"A_c": "area under the ROC curve of class c against the rest"},
    undefined=ONE_CLASS,
    meaning="Mean over the classes by their sizes: "
    "how often an instance of the class scores higher than one that is not.",
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
    sizes = np.asarray(pairs.sizes, np.float64)
    weights = sizes[rows] + sizes[cols] if average == "weighted" else None
    found = averaged(values, range(values.size), _ABSENT, undefined, weights)
    if isinstance(found, Noted):  # undefined for some pairs, all of which involve an absent class
        return Noted(math.nan, f"0/0: {named_classes(pairs.classes, sizes == 0)} {_ABSENT}")
    return found


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
    meaning="Mean over the pairs of classes by their sizes: "
    "how often an instance ranks higher by the score for its class.",
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
    note=OF_POSITIVE,
)
def gini(
    areas: RankAreas, *, average: AverageOfRanks | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """ROC AUC, rescaled so that chance gives 0.

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
    note=f"{OF_POSITIVE} {_IN_MEAN} Without interpolation, which would be optimistic.",
    default="How well they rank if the class is rare, which the ROC curve hides (Saito and Rehmsmeier 2015).",
)
def average_precision(
    areas: RankAreas, *, average: AverageOfRanks | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Mean over the instances of the class of the precision at their score.

    >>> round(average_precision([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8]), 6)
    0.833333
    """
    return _average_of_areas(areas.average_precisions, areas, average, undefined, _ABSENT)


macro_average_precision = average_precision.variant(
    "macro_average_precision",
    title="Macro average precision",
    fixed={"average": "macro"},
    meaning="Mean over the classes: mean over the instances of the class of the precision at their score.",
    note="Mean over the classes, each against the rest.",
)
weighted_average_precision = average_precision.variant(
    "weighted_average_precision",
    title="Weighted average precision",
    fixed={"average": "weighted"},
    undefined="",
    meaning="Mean over the classes by their sizes: "
    "mean over the instances of the class of the precision at their score.",
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
    undefined=NO_POSITIVE,
    aliases=("pauc",),
    peers={"pROC": "auc(partial.auc)"},
    note=f"{OF_POSITIVE} This is the area itself; scikit-learn's `max_fpr` gives McClish's.",
)
def partial_auc(scores: PositiveScores, *, max_fpr: float = 0.1) -> float | Noted:
    """Area under the ROC curve up to a given false positive rate.

    >>> partial_auc([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8], max_fpr=0.5)
    0.375
    """
    if not 0 < max_fpr <= 1:
        raise InputError(Option("max_fpr", max_fpr), ": a number above 0 and up to 1 is needed")
    if (reason := why_no_curve(scores)) is not None:
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
    undefined=NO_POSITIVE,
    peers={"pROC": "auc(partial.auc.correct)"},
    note=OF_POSITIVE,
)
def mcclish_auc(scores: PositiveScores, *, max_fpr: float = 0.1) -> float | Noted:
    """Partial ROC AUC, rescaled so that chance gives 0.5 and perfect scores give 1.

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
    undefined=NO_POSITIVE,
    aliases=("ks",),
    note=OF_POSITIVE,
)
def ks_statistic(scores: PositiveScores) -> float | Noted:
    """Largest difference between recall and false positive rate at any threshold.

    >>> ks_statistic([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.5
    """
    if (reason := why_no_curve(scores)) is not None:
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
    undefined=NO_POSITIVE,
    aliases=("youden", "maximum_informedness"),
    note=f'{OF_POSITIVE} `evaluate(...).best_threshold("youden")` has the thresholds that reach it. The data that '
    "choose a threshold are kinder to it than others.",
)
def youden_index(scores: PositiveScores) -> float | Noted:
    """Largest recall plus specificity minus 1 at any threshold.

    >>> youden_index([0, 1, 0, 1], [0.1, 0.4, 0.4, 0.8])
    0.5
    """
    if (reason := why_no_curve(scores)) is not None:
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
    note=f'{OF_POSITIVE} `evaluate(...).best_threshold("f1")` has the thresholds that reach it. The data that choose '
    "a threshold are kinder to it than others.",
)
def maximum_f1(scores: PositiveScores) -> float | Noted:
    """Largest F1 at any threshold.

    >>> round(maximum_f1([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 3)
    0.8
    """
    if (reason := why_no_positive(scores)) is not None:
        return Noted(math.nan, reason)
    _, true, false = scores.falling
    return float((2 * true / (true + false + true[-1])).max())
