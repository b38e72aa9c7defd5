"""Scores of a classifier by class: of the positive class, or averaged over the classes.

Each has an `average`: "binary" is the value for the positive class (the second of two classes, unless another is
named), "macro" the mean over the classes, "micro" the value from counts summed over them, "weighted" the mean in
which the weight of a class is its number of instances. The last three have separate records. The default is "binary"
if there is a positive class, and "macro" if there are more than two classes and none is named. An average is undefined
if the score is undefined for any class; ``undefined="skip"`` leaves out such classes, 0 and 1 replace their values.
"""

from __future__ import annotations

import math
from typing import Any

from adjudge.given.options import check_weight
from adjudge.indices.class_measures import RATIOS, Average, Undefined, average_of, f_measure_of_classes
from adjudge.indices.label_record import ClassificationIndex, classification
from adjudge.indices.record import Noted
from adjudge.statistics.classes import LabelCounts

_ONE_CLASS = "or if there is one class, and none is named as the positive one."
_NOTES = {
    "binary": "Of the positive class c, which is the second of two unless another is named; if there are more "
    "classes and none is named, the mean over them.",
    "macro": "Mean over the classes: those that occur in the truth, or those that are named.",
    "micro": "From counts summed over all classes.",
    "weighted": "Mean over the classes, weighted by their numbers of instances.",
}
_MEANINGS = {
    "macro": "Mean over the classes: ",
    "micro": "Of all classes together: ",
    "weighted": "Mean over the classes by their sizes: ",
}
_DEFAULTS = {
    "macro_f1": "The harmonic mean of precision and recall, as a mean over the classes: what people report "
    "if classes are unequal in size.",
}
_NOT_PREDICTED, _ALONE = "if a class is never predicted.", "if there is one class."


def _averages(
    base: ClassificationIndex,
    stem: str,
    *,
    macro: str = "",
    micro: str = "",
    weighted: str = "",
    program: str = "",
    symmetric: tuple[str, ...] = (),
    of_one_class: bool = False,
    shares_of_right: tuple[str, ...] = (),
    macro_is: str = "",
    micro_formula: str,
) -> tuple[ClassificationIndex, ClassificationIndex, ClassificationIndex]:
    """Make the records of the three averages of a score; `macro`, `micro`, `weighted` say when they are undefined.

    With `of_one_class`, they are defined even if there is only one class. `shares_of_right` are the share of right
    instances, whatever the classes; `macro_is` says what else the macro average is called.
    """
    facts: dict[str, tuple[str, str]] = {
        "macro": (macro, rf"\frac{{1}}{{|C|}} \sum_c \left({base.formula}\right)"),
        "micro": (micro, micro_formula),
        "weighted": (weighted, rf"\sum_c \frac{{n_{{c\cdot}}}}{{n}} \left({base.formula}\right)"),
    }
    # What is said of a parameter is not said of its default.
    own = base.summary.partition(";")[0].rstrip(".") + "."
    title = base.title if base.title[1:].isdigit() else base.title[0].lower() + base.title[1:]

    def variant(average: str) -> ClassificationIndex:
        undefined, formula = facts[average]
        peers: dict[str, Any] = {}
        if program:
            scorer = f"{stem}_{average}"
            named = f"{stem}_score(average={average!r})"
            peers = {program: (named, scorer) if program == "scikit-learn" else named}
        return base.variant(
            f"{average}_{stem}",
            title=f"{average.capitalize()} {title}",
            fixed={"average": average},
            formula=formula,
            symbols=base.symbols,
            undefined=undefined,
            identical_is_defined=of_one_class,
            symmetric=average == "micro" or average in symmetric,
            note=_NOTES[average] + (macro_is if average == "macro" else ""),
            meaning=_MEANINGS[average] + own[:1].lower() + own[1:],
            default=_DEFAULTS.get(f"{average}_{stem}", ""),
            peers=peers,
            mean_of="instances" if average in shares_of_right else "classes" if average == "macro" else "",
        )

    return variant("macro"), variant("micro"), variant("weighted")


@classification(
    title="Precision",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac{n_{cc}}{n_{\cdot c}}",
    undefined=f"if the class is never predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("class_precision", "positive_predictive_value", "ppv"),
    peers={"scikit-learn": "precision_score(average='binary')", "pycm": "PPV", "caret": "Pos Pred Value"},
    note=_NOTES["binary"]
    + " In remote sensing, it is the user's accuracy (UA), and 1 less it the commission error.",
    elementwise=True,
)
def precision(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the predictions of a class that are right.

    >>> precision([0, 0, 1, 1], [0, 1, 1, 1], average="macro")
    0.8333333333333333
    """
    return average_of("precision", classes, average, undefined)


macro_precision, micro_precision, weighted_precision = _averages(
    precision,
    "precision",
    macro=_NOT_PREDICTED,
    weighted="if a class that has instances is never predicted.",
    program="scikit-learn",
    of_one_class=True,
    shares_of_right=("micro",),
    micro_formula=r"\frac{\sum_c n_{cc}}{\sum_c n_{\cdot c}}",
)


@classification(
    title="Recall",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac{n_{cc}}{n_{c\cdot}}",
    undefined=f"if the class does not occur in the truth, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("class_recall", "sensitivity", "true_positive_rate", "tpr", "hit_rate"),
    peers={"scikit-learn": "recall_score(average='binary')", "pycm": "TPR"},
    note=_NOTES["binary"]
    + " In remote sensing, it is the producer's accuracy (PA), and 1 less it the omission error.",
    mean_of="one class",
    elementwise=True,
)
def recall(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances of a class that are predicted correctly.

    >>> recall([0, 0, 1, 1], [0, 1, 1, 1], average="macro")
    0.75
    """
    return average_of("recall", classes, average, undefined)


macro_recall, micro_recall, weighted_recall = _averages(
    recall,
    "recall",
    macro="if one of the classes does not occur in the truth.",
    program="scikit-learn",
    symmetric=("weighted",),
    of_one_class=True,
    shares_of_right=("micro", "weighted"),
    micro_formula=r"\frac{\sum_c n_{cc}}{\sum_c n_{c\cdot}}",
)


@classification(
    title="F1",
    range=(0, 1),
    reference="rijsbergen1979",
    formula=r"\frac{(1 + \beta^2)\,n_{cc}}{\beta^2\,n_{c\cdot} + n_{\cdot c}}",
    undefined=f"if the class neither occurs nor is predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    symmetric=True,
    aliases=("f_beta",),
    peers={"scikit-learn": "f1_score(average='binary')", "pycm": "F1"},
    symbols={r"\beta": "weight of recall over precision: 1"},
    note=_NOTES["binary"],
    elementwise=True,
)
def f1(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan", beta: float = 1.0
) -> float | Noted:
    """Harmonic mean of precision and recall of a class; recall has `beta` times the weight.

    >>> f1([0, 0, 1, 1], [0, 1, 1, 1])
    0.8
    """
    check_weight("beta", beta)
    return average_of(f_measure_of_classes(beta), classes, average, undefined)


macro_f1, micro_f1, weighted_f1 = _averages(
    f1,
    "f1",
    program="scikit-learn",
    symmetric=("macro",),
    of_one_class=True,
    shares_of_right=("micro",),
    micro_formula=r"\frac{(1 + \beta^2) \sum_c n_{cc}}{\beta^2 \sum_c n_{c\cdot} + \sum_c n_{\cdot c}}",
)


@classification(
    title="Specificity",
    range=(0, 1),
    reference="yerushalmy1947",
    formula=r"\frac{n - n_{c\cdot} - n_{\cdot c} + n_{cc}}{n - n_{c\cdot}}",
    undefined=f"if the class is the only one in the truth, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("true_negative_rate", "tnr", "selectivity"),
    peers={"imbalanced-learn": "specificity_score(average='binary')", "pycm": "TNR"},
    note=_NOTES["binary"],
    mean_of="all but one class",
    elementwise=True,
)
def specificity(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances of other classes that are not predicted as this one.

    >>> specificity([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    return average_of("specificity", classes, average, undefined)


_ONE_IN_TRUTH = "if the truth has one class."

macro_specificity, micro_specificity, weighted_specificity = _averages(
    specificity,
    "specificity",
    macro=_ONE_IN_TRUTH,
    micro=_ALONE,
    weighted=_ONE_IN_TRUTH,
    program="imbalanced-learn",
    micro_formula=r"\frac{\sum_c (n - n_{c\cdot} - n_{\cdot c} + n_{cc})}{\sum_c (n - n_{c\cdot})}",
)


@classification(
    title="Negative predictive value",
    range=(0, 1),
    reference="altman1994",
    formula=r"\frac{n - n_{c\cdot} - n_{\cdot c} + n_{cc}}{n - n_{\cdot c}}",
    undefined=f"if the class is always predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("npv",),
    peers={"pycm": "NPV", "caret": "Neg Pred Value"},
    note=_NOTES["binary"],
    elementwise=True,
)
def negative_predictive_value(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the predictions of other classes that are not of this class.

    >>> negative_predictive_value([0, 0, 1, 1], [0, 0, 0, 1])
    0.6666666666666666
    """
    return average_of("negative_predictive_value", classes, average, undefined)


_ONE_PREDICTED = "if one class is predicted throughout."

macro_negative_predictive_value, micro_negative_predictive_value, weighted_negative_predictive_value = (
    _averages(
        negative_predictive_value,
        "negative_predictive_value",
        macro=_ONE_PREDICTED,
        micro=_ALONE,
        weighted="if one class that has instances is predicted throughout.",
        micro_formula=r"\frac{\sum_c (n - n_{c\cdot} - n_{\cdot c} + n_{cc})}{\sum_c (n - n_{\cdot c})}",
    )
)


@classification(
    title="Jaccard by class",
    range=(0, 1),
    reference="jaccard1908",
    formula=r"\frac{n_{cc}}{n_{c\cdot} + n_{\cdot c} - n_{cc}}",
    undefined=f"if the class neither occurs nor is predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    symmetric=True,
    aliases=("jaccard", "intersection_over_union", "iou", "threat_score"),
    peers={"scikit-learn": "jaccard_score(average='binary')", "pycm": "J"},
    note=_NOTES["binary"],
    elementwise=True,
)
def class_jaccard(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Correctly predicted instances of a class, among those that belong to it or are predicted as it.

    >>> class_jaccard([0, 0, 1, 1], [0, 1, 1, 1])
    0.6666666666666666
    """
    return average_of("jaccard", classes, average, undefined)


macro_jaccard, micro_jaccard, weighted_jaccard = _averages(
    class_jaccard,
    "jaccard",
    macro_is=" It is the mean IoU (mIoU) of segmentations.",
    program="scikit-learn",
    symmetric=("macro",),
    of_one_class=True,
    micro_formula=r"\frac{\sum_c n_{cc}}{\sum_c (n_{c\cdot} + n_{\cdot c} - n_{cc})}",
)


@classification(
    title="Informedness",
    range=(-1, 1),
    reference="powers2011",
    formula=r"\frac{n_{cc}}{n_{c\cdot}} - \frac{n_{\cdot c} - n_{cc}}{n - n_{c\cdot}}",
    undefined=f"if the class occurs never or always in the truth, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("youden_j", "bookmaker_informedness"),
    peers={"pycm": "BM"},
    note=_NOTES["binary"],
    elementwise=True,
)
def informedness(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Recall plus specificity of a class, minus 1: how much better than guessing.

    >>> informedness([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    return average_of("informedness", classes, average, undefined)


_MICRO_DIFFERENCE = (
    r"\frac{\sum_c n_{cc}}{\sum_c n_{c\cdot}} - \frac{\sum_c (n_{c\cdot} - n_{cc})}{\sum_c (n - n_{c\cdot})}"
)

macro_informedness, micro_informedness, weighted_informedness = _averages(
    informedness,
    "informedness",
    macro="if a class occurs never or always in the truth.",
    micro=_ALONE,
    weighted=_ONE_IN_TRUTH,
    micro_formula=_MICRO_DIFFERENCE,
)


@classification(
    title="Markedness",
    range=(-1, 1),
    reference="powers2011",
    formula=r"\frac{n_{cc}}{n_{\cdot c}} - \frac{n_{c\cdot} - n_{cc}}{n - n_{\cdot c}}",
    undefined=f"if the class is predicted never or always, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("delta_p",),
    peers={"pycm": "MK"},
    note=_NOTES["binary"],
    elementwise=True,
)
def markedness(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Precision plus negative predictive value of a class, minus 1: how informative the predictions are.

    >>> round(markedness([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.666667
    """
    return average_of("markedness", classes, average, undefined)


macro_markedness, micro_markedness, weighted_markedness = _averages(
    markedness,
    "markedness",
    macro="if a class is predicted never or always.",
    micro=_ALONE,
    weighted="if a class that has instances is predicted never or always.",
    micro_formula=_MICRO_DIFFERENCE,
)


@classification(
    title="False positive rate",
    better="lower",
    range=(0, 1),
    reference="yerushalmy1947",
    formula=r"\frac{n_{\cdot c} - n_{cc}}{n - n_{c\cdot}}",
    undefined=f"if the class is the only one in the truth, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("fpr", "fall_out"),
    peers={"pycm": "FPR"},
    note=_NOTES["binary"],
    mean_of="all but one class",
    elementwise=True,
)
def false_positive_rate(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances of other classes that are predicted as this one.

    >>> false_positive_rate([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    return average_of("false_positive_rate", classes, average, undefined)


@classification(
    title="False negative rate",
    better="lower",
    range=(0, 1),
    reference="yerushalmy1947",
    formula=r"\frac{n_{c\cdot} - n_{cc}}{n_{c\cdot}}",
    undefined=f"if the class does not occur in the truth, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("fnr", "miss_rate"),
    peers={"pycm": "FNR"},
    note=_NOTES["binary"],
    mean_of="one class",
    elementwise=True,
)
def false_negative_rate(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances of a class that are predicted as another.

    >>> false_negative_rate([0, 0, 1, 1], [0, 1, 1, 0])
    0.5
    """
    return average_of("false_negative_rate", classes, average, undefined)


@classification(
    title="False discovery rate",
    better="lower",
    range=(0, 1),
    reference="altman1994",
    formula=r"\frac{n_{\cdot c} - n_{cc}}{n_{\cdot c}}",
    undefined=f"if the class is never predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("fdr",),
    peers={"pycm": "FDR"},
    note=_NOTES["binary"],
    elementwise=True,
)
def false_discovery_rate(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the predictions of a class that are wrong.

    >>> round(false_discovery_rate([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.333333
    """
    return average_of("false_discovery_rate", classes, average, undefined)


@classification(
    title="False omission rate",
    better="lower",
    range=(0, 1),
    reference="altman1994",
    formula=r"\frac{n_{c\cdot} - n_{cc}}{n - n_{\cdot c}}",
    undefined=f"if the class is always predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("false_reassurance_rate",),
    peers={"pycm": "FOR"},
    note=_NOTES["binary"],
    elementwise=True,
)
def false_omission_rate(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the predictions of other classes that are of this class.

    >>> round(false_omission_rate([0, 0, 1, 1], [0, 0, 0, 1]), 6)
    0.333333
    """
    return average_of("false_omission_rate", classes, average, undefined)


@classification(
    title="Positive likelihood ratio",
    range=(0, math.inf),
    best=math.inf,
    reference="deeks2004",
    formula=r"\frac{n_{cc}}{n_{c\cdot}} \cdot \frac{n - n_{c\cdot}}{n_{\cdot c} - n_{cc}}",
    undefined=f"if the class occurs never or always in the truth, or is never predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("lr_plus", "plr"),
    ratio_of=RATIOS["positive_likelihood_ratio"],
    peers={"pycm": "PLR"},
    note=f"{_NOTES['binary']} Infinite if the class is never predicted wrongly. The first of scikit-learn's "
    "class_likelihood_ratios.",
    elementwise=True,
)
def positive_likelihood_ratio(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """How many times the odds of a class grow if it is predicted: recall over false positive rate.

    >>> positive_likelihood_ratio([0, 0, 1, 1], [0, 1, 1, 1])
    2.0
    """
    return average_of("positive_likelihood_ratio", classes, average, undefined)


@classification(
    title="Negative likelihood ratio",
    better="lower",
    range=(0, math.inf),
    reference="deeks2004",
    formula=r"\frac{n_{c\cdot} - n_{cc}}{n_{c\cdot}} \cdot "
    r"\frac{n - n_{c\cdot}}{n - n_{c\cdot} - n_{\cdot c} + n_{cc}}",
    undefined=f"if the class occurs never or always in the truth, or is always predicted, {_ONE_CLASS}",
    identical_is_defined=False,
    aliases=("lr_minus", "nlr"),
    ratio_of=RATIOS["negative_likelihood_ratio"],
    peers={"pycm": "NLR"},
    note=f"{_NOTES['binary']} Infinite if no other instance is told from the class. The second of scikit-learn's "
    "class_likelihood_ratios.",
    elementwise=True,
)
def negative_likelihood_ratio(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """How many times the odds of a class remain if it is not predicted: false negative rate over specificity.

    >>> negative_likelihood_ratio([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return average_of("negative_likelihood_ratio", classes, average, undefined)


@classification(
    title="Diagnostic odds ratio",
    range=(0, math.inf),
    best=math.inf,
    reference="glas2003",
    formula=r"\frac{n_{cc} (n - n_{c\cdot} - n_{\cdot c} + n_{cc})}{(n_{\cdot c} - n_{cc}) (n_{c\cdot} - n_{cc})}",
    undefined=f"if a mistake and a right answer do not occur, {_ONE_CLASS}",
    identical_is_defined=False,
    symmetric=True,
    aliases=("dor",),
    ratio_of=RATIOS["positive_likelihood_ratio"],
    of_odds=True,
    peers={"pycm": "DOR"},
    note=f"{_NOTES['binary']} Infinite without false positives, or without false negatives.",
    elementwise=True,
)
def diagnostic_odds_ratio(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Odds of predicting a class where it is true, over those where it is not.

    >>> diagnostic_odds_ratio([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 0])
    4.0
    """
    return average_of("diagnostic_odds_ratio", classes, average, undefined)
