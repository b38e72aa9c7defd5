"""Scores of one classifier against the truth as a whole, all classes together; and how often it predicts a class."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, Option
from adjudge.indices.class_measures import Average, Undefined, average_of, check_undefined, named_classes
from adjudge.indices.label_record import ORDERED, classification
from adjudge.indices.record import Noted, quotient
from adjudge.kernels.elementary import exponential, logarithms
from adjudge.statistics.classes import ClassCounts, LabelCounts, rounded_once
from adjudge.statistics.confusion import Confusion

_ONE_LABEL = "there is only one label"


@classification(
    title="Accuracy",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac1n \sum_c n_{cc}",
    symmetric=True,
    peers={"scikit-learn": "accuracy_score"},
    note="In remote sensing, it is the overall accuracy (OA).",
    mean_of="instances",
    elementwise=True,
    default="The share of right labels: what everybody reports, and blind to classes that are rare.",
)
def accuracy(classes: ClassCounts) -> float | Noted:
    """Share of the instances with the right label.

    >>> accuracy([0, 0, 1, 1], [0, 1, 1, 1])
    0.75
    """
    found: float = _total(classes.right) / classes.n
    return found


@classification(
    title="Balanced accuracy",
    range=(0, 1),
    reference="brodersen2010",
    formula=r"\frac{1}{|C|} \sum_{c \in C} \frac{n_{cc}}{n_{c\cdot}}",
    note="Over the classes that occur in the truth; the macro recall is over all.",
    peers={
        "scikit-learn": ("balanced_accuracy_score", "recall_score(labels=unique(y_true), average='macro')")
    },
    default="The mean recall of the classes: rare classes count as much as common ones.",
    mean_of="classes that occur",
    elementwise=True,
)
def balanced_accuracy(classes: ClassCounts) -> float | Noted:
    """Mean over the true classes of the share with the right label.

    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    present = classes.true > 0
    recalls = np.divide(classes.right, classes.true, out=np.zeros(present.shape), where=present)
    found: float = rounded_once(recalls) / present.sum(axis=0)
    return found


def _total(counts: NDArray[Any]) -> Any:
    """Return the sum of counts, an exact integer, or of weights, rounded once."""
    return int(counts.sum()) if counts.dtype.kind == "i" else rounded_once(counts)


def _agreement_parts(classes: ClassCounts) -> tuple[Any, Any, Any]:
    """Return n, the number right, and the sum of the products of the margins: exact integers."""
    true, predicted = classes.true, classes.predicted
    return _total(true), _total(classes.right), _sum_of_products(true, predicted)


def _sum_of_products(a: NDArray[Any], b: NDArray[Any]) -> Any:
    """Return the sum of products of counts, an exact integer, or of weights, rounded once."""
    if a.dtype.kind == b.dtype.kind == "i":
        # No partial sum exceeds the product of the sums.
        fits = int(a.sum()) * int(b.sum()) < 2**63
        return int(a @ b) if fits else sum(i * j for i, j in zip(a.tolist(), b.tolist(), strict=True))
    return rounded_once(a * b)


@classification(
    title="Cohen's kappa",
    range=(-1, 1),
    reference="cohen1960",
    formula=r"\frac{p_o - p_e}{1 - p_e}",
    undefined="if truth and prediction are one and the same label throughout.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("kappa",),
    peers={"scikit-learn": "cohen_kappa_score"},
    symbols={
        "p_o": "share of the instances with the right label",
        "p_e": "the share expected from the frequencies of the labels",
    },
    elementwise=True,
    default="Agreement beyond that of the margins by chance.",
)
def cohen_kappa(classes: ClassCounts) -> float | Noted:
    """Accuracy, corrected for the agreement expected from the label frequencies.

    >>> cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    n, right, expected = _agreement_parts(classes)
    return quotient(n * right - expected, n * n - expected, _ONE_LABEL)


@classification(
    title="Matthews correlation",
    range=(-1, 1),
    reference="gorodkin2004",
    formula=r"\frac{n \sum_c n_{cc} - \sum_c n_{c\cdot} n_{\cdot c}}"
    r"{\sqrt{(n^2 - \sum_c n_{c\cdot}^2)(n^2 - \sum_c n_{\cdot c}^2)}}",
    undefined="if truth or prediction is one label throughout.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("mcc",),
    peers={"scikit-learn": "matthews_corrcoef"},
    elementwise=True,
    default="High only if all four cells of the confusion matrix are good, whatever the shares of the "
    "classes (Chicco and Jurman 2020).",
)
def matthews_correlation(classes: ClassCounts) -> float | Noted:
    """Correlation of true and predicted labels.

    >>> round(matthews_correlation([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.57735
    """
    n, right, expected = _agreement_parts(classes)
    outside = sum(b * b for b in classes.outside.values())
    spread_true = n * n - _sum_of_products(classes.true, classes.true)
    spread_pred = n * n - _sum_of_products(classes.predicted, classes.predicted) - outside
    return quotient(
        n * right - expected, _root(spread_true * spread_pred), "truth or prediction has only one label"
    )


def _root(product: Any) -> Any:
    """Return the root of an integer of any size, of a float, or of each of several."""
    return np.sqrt(product) if isinstance(product, np.ndarray) else math.sqrt(product)


@classification(
    title="Adjusted balanced accuracy",
    range=(-1, 1),
    reference="brodersen2010",
    formula=r"\frac{b - 1 / |C|}{1 - 1 / |C|}",
    undefined="if the truth has one class.",
    identical_is_defined=False,
    symbols={"b": "balanced accuracy", "C": "the classes that occur in the truth"},
    mean_of="classes that occur",
)
def adjusted_balanced_accuracy(classes: ClassCounts) -> float | Noted:
    """Balanced accuracy, rescaled so that always guessing one class gives 0.

    >>> adjusted_balanced_accuracy([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    k = int((classes.true > 0).sum())
    if k == 1:
        return Noted(math.nan, "the truth has one class")
    return (k * balanced_accuracy.of(classes) - 1) / (k - 1)


@classification(
    title="G-mean",
    range=(0, 1),
    reference="kubat1997",
    formula=r"\left(\prod_c \frac{n_{cc}}{n_{c\cdot}}\right)^{1 / |C|}",
    undefined="if one of the classes does not occur in the truth.",
    aliases=("geometric_mean",),
    peers={"imbalanced-learn": "geometric_mean_score"},
    mean_of="classes",
)
def g_mean(classes: ClassCounts, *, undefined: Undefined = "nan") -> float | Noted:
    """Geometric mean over the classes of the share with the right label: 0 if one class is never right.

    >>> round(g_mean([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.707107
    """
    check_undefined(undefined)
    absent = classes.true == 0
    recalls = classes.right / np.where(absent, 1, classes.true)
    if absent.any():
        if undefined == "nan" or absent.all():
            return Noted(
                math.nan, f"0/0: {named_classes(classes.classes, absent)} does not occur in the truth"
            )
        recalls = recalls[~absent] if undefined == "skip" else np.where(absent, float(undefined), recalls)
    if not recalls.all():
        return 0.0
    return min(1.0, exponential(math.fsum(logarithms(recalls).tolist()) / recalls.size))


def _weighted_kappa(confusion: Confusion, power: int) -> float | Noted:
    """Return 1 minus the mean cost of a mistake over the mean cost expected from the margins."""
    rows, cols, counts = confusion.cells()
    of_class = confusion.places
    costs = (np.abs(of_class[rows] - of_class[cols]) ** power).tolist()
    found = sum(cost * count for cost, count in zip(costs, counts.tolist(), strict=True))
    order = np.argsort(of_class)
    places = of_class[order].tolist()
    true, predicted = confusion.true_counts[order].tolist(), confusion.predicted_counts[order].tolist()
    n = sum(true)
    if power == 1:
        expected = _expected_distance(places, true, predicted)
    else:
        (t1, t2), (p1, p2) = (
            [sum(i**e * count for i, count in zip(places, margin, strict=True)) for e in (1, 2)]
            for margin in (true, predicted)
        )
        expected = n * t2 - 2 * t1 * p1 + n * p2
    return quotient(expected - n * found, expected, _ONE_LABEL)


def _expected_distance(places: list[int], true: list[Any], predicted: list[Any]) -> Any:
    """Return the sum over pairs of classes, in their order, of their distance times the product of their margins."""
    n = sum(true)
    below_true = below_predicted = total = 0
    gaps = [after - before for before, after in pairwise(places)]
    for gap, a, b in zip(gaps, true, predicted, strict=False):
        below_true, below_predicted = below_true + a, below_predicted + b
        total += gap * (below_true * (n - below_predicted) + below_predicted * (n - below_true))
    return total


_ONE_OR_UNKNOWN = (
    "if truth and prediction are one and the same label throughout, and if the order of three classes or more is not "
    "known."
)


@classification(
    title="Linearly weighted kappa",
    range=(-1, 1),
    reference="cohen1968",
    formula=r"1 - \frac{n \sum_{c, c'} |c - c'|\, n_{cc'}}{\sum_{c, c'} |c - c'|\, n_{c\cdot} n_{\cdot c'}}",
    symbols={
        "n_{cc'}": "instances of class c that are predicted as c'",
        r"n_{\cdot c'}": "instances predicted as c'",
        "c": "position of a class in the order of the classes",
        "c'": "position of another",
    },
    undefined=_ONE_OR_UNKNOWN,
    identical_is_defined=False,
    symmetric=True,
    reads_order=True,
    note=ORDERED,
)
def linear_weighted_kappa(confusion: Confusion) -> float | Noted:
    """Cohen's kappa for ordered classes: a mistake costs the distance between the classes.

    >>> linear_weighted_kappa([0, 1, 2, 2], [0, 1, 1, 2])
    0.7142857142857143
    """
    return _weighted_kappa(confusion, 1)


@classification(
    title="Quadratically weighted kappa",
    range=(-1, 1),
    reference="cohen1968",
    formula=r"1 - \frac{n \sum_{c, c'} (c - c')^2 n_{cc'}}{\sum_{c, c'} (c - c')^2 n_{c\cdot} n_{\cdot c'}}",
    symbols={
        "n_{cc'}": "instances of class c that are predicted as c'",
        r"n_{\cdot c'}": "instances predicted as c'",
        "c": "position of a class in the order of the classes",
        "c'": "position of another",
    },
    undefined=_ONE_OR_UNKNOWN,
    identical_is_defined=False,
    symmetric=True,
    reads_order=True,
    aliases=("qwk",),
    note=ORDERED,
)
def quadratic_weighted_kappa(confusion: Confusion) -> float | Noted:
    """Cohen's kappa for ordered classes: a mistake costs the squared distance between the classes.

    >>> quadratic_weighted_kappa([0, 1, 2, 2], [0, 1, 1, 2])
    0.8
    """
    return _weighted_kappa(confusion, 2)


def _both_margins(classes: ClassCounts) -> tuple[Any, Any, list[Any]]:
    """Return n, the number right, and how often each class is true or predicted."""
    n, right, _ = _agreement_parts(classes)
    return n, right, [a + b for a, b in zip(classes.true.tolist(), classes.predicted.tolist(), strict=True)]


@classification(
    title="Scott's pi",
    range=(-1, 1),
    reference="scott1955",
    formula=r"\frac{p_o - p_e}{1 - p_e}, \quad p_e = \sum_c \left(\frac{n_{c\cdot} + n_{\cdot c}}{2n}\right)^2",
    undefined="if truth and prediction are one and the same label throughout.",
    identical_is_defined=False,
    symmetric=True,
    peers={"pycm": "Scott PI"},
    symbols={
        "p_o": "share of the instances with the right label",
        "p_e": "the share expected if truth and prediction had the same frequencies of labels",
    },
)
def scott_pi(classes: ClassCounts) -> float | Noted:
    """Accuracy, corrected for chance with the pooled frequencies of truth and prediction.

    >>> round(scott_pi([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.466667
    """
    n, right, margins = _both_margins(classes)
    expected = sum(m * m for m in (*margins, *classes.outside.values()))
    return quotient(4 * n * right - expected, 4 * n * n - expected, _ONE_LABEL)


@classification(
    title="Gwet's AC1",
    range=(-1, 1),
    reference="gwet2008",
    formula=r"\frac{p_o - p_e}{1 - p_e}, \quad p_e = \frac{1}{|C| - 1} \sum_c q_c (1 - q_c)",
    undefined="if the truth has one class.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("ac1",),
    peers={"pycm": "Gwet AC1"},
    symbols={
        "p_o": "share of the instances with the right label",
        "p_e": "the share expected if hard instances are labelled at random",
        r"q_c": "mean of the shares of class c in truth and prediction",
    },
    note="Unlike kappa it stays high if one class is rare and nearly all labels are right.",
)
def gwet_ac1(classes: ClassCounts) -> float | Noted:
    """Accuracy, corrected for chance in a way that does not penalize rare classes.

    >>> round(gwet_ac1([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.529412
    """
    n, right, margins = _both_margins(classes)
    if classes.k < 2:
        return Noted(math.nan, "the truth has one class")
    expected = sum(m * (2 * n - m) for m in margins)
    scale = 4 * n * (classes.k - 1)
    return quotient(scale * right - expected, scale * n - expected, _ONE_LABEL)


@classification(
    title="Brennan-Prediger kappa",
    range=(-1, 1),
    reference="brennan1981",
    formula=r"\frac{p_o - 1 / |C|}{1 - 1 / |C|}",
    undefined="if the truth has one class.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("bennett_s",),
    peers={"pycm": "Bennett S"},
    symbols={"p_o": "share of the instances with the right label"},
    elementwise=True,
)
def brennan_prediger(classes: ClassCounts) -> float | Noted:
    """Accuracy, corrected for guessing among the classes.

    >>> brennan_prediger([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    n, right, _ = _agreement_parts(classes)
    if classes.k < 2:
        return Noted(math.nan, "the truth has one class")
    return quotient(classes.k * right - n, n * (classes.k - 1), "")


@classification(
    title="Selection rate",
    better=None,
    range=(0, 1),
    reference="dwork2012",
    formula=r"\frac{n_{\cdot c}}{n}",
    undefined="if there are not two classes, and none is named as the positive one.",
    identical_is_best=False,
    identical_is_defined=False,
    peers={"fairlearn": "selection_rate", "caret": "Detection Prevalence"},
    note="Of the positive class c, which is the second of two unless another is named. "
    "Neither high nor low is better: what counts is whether groups of instances differ.",
    asks="description",
    elementwise=True,
)
def selection_rate(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances that are predicted as a class, rightly or wrongly.

    >>> selection_rate([0, 0, 1, 1], [0, 1, 1, 1])
    0.75
    """
    return _share_of_one("selection_rate", classes, average, undefined)


def _share_of_one(
    measure: str, classes: LabelCounts, average: Average | None, undefined: Undefined
) -> float | Noted:
    """Return a share that adds up to 1 over the classes: its mean over them says nothing."""
    if isinstance(classes, ClassCounts) and classes.positive is None and average is None and classes.k > 1:
        return Noted(
            math.nan, "the mean over the classes is always 1 divided by their number: name the positive class"
        )
    return average_of(measure, classes, average, undefined)


@classification(
    title="Prevalence",
    better=None,
    range=(0, 1),
    reference="altman1994",
    formula=r"\frac{n_{c\cdot}}{n}",
    undefined="if there are not two classes, and none is named as the positive one.",
    identical_is_best=False,
    identical_is_defined=False,
    aliases=("base_rate",),
    peers={"caret": "Prevalence", "pycm": "PRE"},
    note="Of the positive class c, which is the second of two unless another is named. The truth alone decides it; by "
    "class, it is the share of each.",
    asks="description",
    elementwise=True,
)
def prevalence(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances that are of a class.

    >>> prevalence([0, 1, 1, 1], [0, 1, 1, 0])
    0.75
    """
    return _share_of_one("prevalence", classes, average, undefined)


@classification(
    title="Detection rate",
    range=(0, 1),
    best=None,
    reference="kuhn2008",
    formula=r"\frac{n_{cc}}{n}",
    undefined="if there is one class, and it is not named as the positive one.",
    identical_is_best=False,
    identical_is_defined=False,
    symmetric=True,
    peers={"caret": "Detection Rate"},
    note="Of the positive class c, which is the second of two unless another is named; if there are more classes and "
    "none is named, the mean over them. It is the recall times the prevalence, and cannot exceed the prevalence.",
    elementwise=True,
)
def detection_rate(
    classes: LabelCounts, *, average: Average | None = None, undefined: Undefined = "nan"
) -> float | Noted:
    """Share of the instances that are of a class and are predicted as it.

    >>> detection_rate([0, 1, 1, 1], [0, 1, 1, 0])
    0.5
    """
    return average_of("detection_rate", classes, average, undefined)


def _constantly_right(classes: ClassCounts, constant: Any) -> Any:
    """Return how often a model is right that always answers the same class, by default the most frequent one."""
    if constant is None:
        return classes.true.max(axis=0)
    if constant not in classes.classes:
        raise InputError(Option("constant", constant), f" is not a class: choose one of {_named(classes)}")
    return classes.true[list(classes.classes).index(constant)]


def _named(classes: ClassCounts) -> str:
    return ", ".join(map(repr, classes.classes[:5])) + (" ..." if classes.k > 5 else "")


_CONSTANT = (
    "A class that is named, such as the most frequent one of the training data, has a narrower interval: the sample "
    "does not choose it."
)


@classification(
    title="No-information rate",
    better=None,
    range=(0, 1),
    reference="bicego2023",
    formula=r"\max_c \frac{n_{c\cdot}}{n}",
    identical_is_best=False,
    aliases=("nir", "majority_share"),
    peers={"caret": "AccuracyNull", "pycm": "NIR"},
    note=f"The truth alone decides it. {_CONSTANT}",
    asks="description",
    elementwise=True,
    over_constants="largest",
)
def no_information_rate(classes: ClassCounts, *, constant: Any = None) -> float | Noted:
    """Share of the most frequent class: the accuracy of a model that always answers it.

    >>> no_information_rate([0, 1, 1, 1], [0, 1, 1, 0])
    0.75
    """
    found: float = _constantly_right(classes, constant) / classes.n
    return found


@classification(
    title="Accuracy over the no-information rate",
    range=(-1, 1),
    best=None,
    reference="bicego2023",
    formula=r"\frac1n \left(\sum_c n_{cc} - \max_c n_{c\cdot}\right)",
    identical_is_best=False,
    aliases=("accuracy_over_nir",),
    note=f"Above 0, the model is right more often than one that always answers the most frequent class. {_CONSTANT}",
    elementwise=True,
    over_constants="smallest",
)
def accuracy_over_no_information(classes: ClassCounts, *, constant: Any = None) -> float | Noted:
    """How much more often a model is right than one that always answers the most frequent class.

    >>> accuracy_over_no_information([0, 0, 1, 1, 1], [0, 0, 1, 1, 0])
    0.2
    """
    found: float = (_total(classes.right) - _constantly_right(classes, constant)) / classes.n
    return found
