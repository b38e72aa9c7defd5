"""Scores of one classifier against the truth, from its confusion matrix."""

from __future__ import annotations

import math

import numpy as np

from adjudge.indices.record import Noted, classification, quotient
from adjudge.statistics.confusion import Confusion


@classification(
    title="Accuracy",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac1n \sum_c n_{cc}",
    symmetric=True,
    peers={"scikit-learn": "accuracy_score"},
)
def accuracy(confusion: Confusion) -> float | Noted:
    """Share of the instances that are labelled right.

    Examples
    --------
    >>> from adjudge import accuracy
    >>> accuracy([0, 0, 1, 1], [0, 1, 1, 1])
    0.75
    """
    return int(confusion.right.sum()) / confusion.n


@classification(
    title="Balanced accuracy",
    range=(0, 1),
    reference="brodersen2010",
    formula=r"\frac{1}{|C|} \sum_{c \in C} \frac{n_{cc}}{n_{c\cdot}}",
    aliases=("macro_recall",),
    peers={
        "scikit-learn": ("balanced_accuracy_score", "recall_score(labels=unique(y_true), average='macro')")
    },
)
def balanced_accuracy(confusion: Confusion) -> float | Noted:
    """Mean over the true classes of the share labelled right.

    Examples
    --------
    >>> from adjudge import balanced_accuracy
    >>> balanced_accuracy([0, 0, 0, 1], [0, 0, 0, 0])
    0.5
    """
    present = confusion.true_counts > 0
    return math.fsum((confusion.right[present] / confusion.true_counts[present]).tolist()) / int(
        present.sum()
    )


@classification(
    title="Macro precision",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac{1}{|C|} \sum_c \frac{n_{cc}}{n_{\cdot c}}",
    note="Over all labels that occur; a label that is never predicted counts 0, as in scikit-learn.",
    peers={"scikit-learn": ("precision_score(average='macro', zero_division=0)", "precision_macro")},
)
def macro_precision(confusion: Confusion) -> float | Noted:
    """Mean over the labels of the share of their predictions that are right.

    Examples
    --------
    >>> from adjudge import macro_precision
    >>> round(macro_precision([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.833333
    """
    predicted = np.maximum(confusion.predicted_counts, 1)
    return math.fsum((confusion.right / predicted).tolist()) / len(confusion.labels)


@classification(
    title="Macro F1",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac{1}{|C|} \sum_c \frac{2 n_{cc}}{n_{c\cdot} + n_{\cdot c}}",
    symmetric=True,
    peers={"scikit-learn": ("f1_score(average='macro')", "f1_macro")},
)
def macro_f1(confusion: Confusion) -> float | Noted:
    """Mean over the labels of the harmonic mean of precision and recall.

    Examples
    --------
    >>> from adjudge import macro_f1
    >>> round(macro_f1([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.733333
    """
    scores = 2 * confusion.right / (confusion.true_counts + confusion.predicted_counts)
    return math.fsum(scores.tolist()) / len(confusion.labels)


def _agreement_parts(confusion: Confusion) -> tuple[int, int, int]:
    """Return n, the number right, and the sum of the products of the margins: exact integers."""
    margins = zip(confusion.true_counts.tolist(), confusion.predicted_counts.tolist(), strict=True)
    return confusion.n, int(confusion.right.sum()), sum(a * b for a, b in margins)


@classification(
    title="Cohen's kappa",
    range=(-1, 1),
    reference="cohen1960",
    formula=r"\frac{p_o - p_e}{1 - p_e}",
    undefined="where truth and prediction are one and the same label throughout.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("kappa",),
    peers={"scikit-learn": "cohen_kappa_score"},
    symbols={
        "p_o": "share of the instances that are labelled right",
        "p_e": "the share to be expected from the frequencies of the labels",
    },
)
def cohen_kappa(confusion: Confusion) -> float | Noted:
    """Accuracy, corrected for the agreement expected from the label frequencies.

    Examples
    --------
    >>> from adjudge import cohen_kappa
    >>> cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1])
    0.5
    """
    n, right, expected = _agreement_parts(confusion)
    return quotient(n * right - expected, n * n - expected, "there is only one label")


@classification(
    title="Matthews correlation",
    range=(-1, 1),
    reference="gorodkin2004",
    formula=r"\frac{n \sum_c n_{cc} - \sum_c n_{c\cdot} n_{\cdot c}}"
    r"{\sqrt{(n^2 - \sum_c n_{c\cdot}^2)(n^2 - \sum_c n_{\cdot c}^2)}}",
    undefined="where truth or prediction is one label throughout.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("mcc",),
    peers={"scikit-learn": "matthews_corrcoef"},
)
def matthews_correlation(confusion: Confusion) -> float | Noted:
    """Correlation of true and predicted labels.

    Examples
    --------
    >>> from adjudge import matthews_correlation
    >>> round(matthews_correlation([0, 0, 1, 1], [0, 1, 1, 1]), 6)
    0.57735
    """
    n, right, expected = _agreement_parts(confusion)
    spread_true = n * n - sum(a * a for a in confusion.true_counts.tolist())
    spread_pred = n * n - sum(b * b for b in confusion.predicted_counts.tolist())
    return quotient(
        n * right - expected, math.sqrt(spread_true * spread_pred), "truth or prediction has only one label"
    )
