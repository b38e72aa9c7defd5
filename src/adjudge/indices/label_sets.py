"""Scores of multilabel classifiers from how many labels of each instance are right.

Scores by label and their averages over the labels (`micro_f1`, `macro_recall` ...) are those of
:mod:`adjudge.indices.classes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from adjudge.array_types import Floats, Ints
from adjudge.given.label_sets import read_label_sets, weighed_sets
from adjudge.given.weights import Weighting
from adjudge.indices.class_measures import Undefined, check_undefined
from adjudge.indices.record import Better, Index, Noted, best_value, maker_of
from adjudge.statistics.label_sets import SetSizes

__all__ = [
    "LabelSetIndex",
    "hamming_loss",
    "parts_of_instances",
    "samples_f1",
    "samples_jaccard",
    "samples_precision",
    "samples_recall",
    "subset_accuracy",
]

_SKIPPED = (
    'An instance for which the score is 0/0 is left out; ``undefined=0``, 1 or "nan" puts that in its place.'
)


class LabelSetIndex(Index):
    """A score of a multilabel classifier, which gives an instance any number of labels."""

    kind = "multilabel"

    def __call__(
        self,
        labels_true: Any,
        labels_pred: Any,
        *,
        classes: Sequence[Any] | None = None,
        sample_weight: Any = None,
        **parameters: Any,
    ) -> float:
        """Compute the score from two indicator matrices, or the labels of each instance."""
        vectors = {"labels_true": labels_true, "labels_pred": labels_pred}
        sets = weighed_sets(read_label_sets(vectors, classes), Weighting(sample_weight=sample_weight))
        return self.assess(SetSizes.make(*sets.values()), **parameters)[0]

    def _input_lines(self) -> list[str]:
        return [
            "labels_true : indicator matrix of shape (n, L), or sequence with the labels of each instance",
            "    Matrices may be dense, sparse, or data frames with a column for each label.",
            "labels_pred : the same",
            "classes : sequence, optional",
            "    All labels, in the order of the columns of matrices.",
            "sample_weight : array-like of shape (n,), optional",
        ]


def _of_sets(
    *, title: str, better: Better = "higher", **facts: Any
) -> Callable[[Callable[..., float | Noted]], LabelSetIndex]:
    best = best_value(better, (0.0, 1.0))
    return maker_of(LabelSetIndex, title=title, better=better, range=(0, 1), best=best, **facts)


@_of_sets(
    title="Hamming loss",
    better="lower",
    reference="tsoumakas2010",
    formula=r"\frac{1}{n L} \sum_i |T_i \triangle P_i|",
    symmetric=True,
    peers={"scikit-learn": "hamming_loss"},
    default="The share of single decisions about a label that are wrong.",
)
def hamming_loss(sizes: SetSizes) -> float | Noted:
    """Share of the pairs of an instance and a label for which the prediction is wrong.

    >>> hamming_loss([{"a", "b"}, {"c"}], [{"a"}, {"c"}], classes=["a", "b", "c", "d"])
    0.125
    """
    return float(sizes.wrong @ sizes.counts) / (sizes.n * len(sizes.labels))


@_of_sets(
    title="Subset accuracy",
    reference="tsoumakas2010",
    formula=r"\frac1n |\{i : T_i = P_i\}|",
    symmetric=True,
    aliases=("exact_match_ratio",),
    default="The strictest score: an instance counts only if all of its labels are right.",
    peers={"torchmetrics": "multilabel_exact_match"},
)
def subset_accuracy(sizes: SetSizes) -> float | Noted:
    """Share of the instances whose labels are all right.

    >>> subset_accuracy([{"a", "b"}, {"c"}], [{"a"}, {"c"}])
    0.5
    """
    return float(sizes.counts[sizes.wrong == 0].sum()) / sizes.n


#: Numerator and denominator of a score of one instance.
PARTS: dict[str, Callable[[SetSizes], tuple[Ints, Ints]]] = {
    "samples_precision": lambda s: (s.both, s.predicted),
    "samples_recall": lambda s: (s.both, s.true),
    "samples_f1": lambda s: (2 * s.both, s.true + s.predicted),
    "samples_jaccard": lambda s: (s.both, s.true + s.predicted - s.both),
}


def parts_of_instances(name: str, sizes: SetSizes, undefined: Undefined = "skip") -> Floats:
    """Return the value of a score for each combination of sizes; nan if it is 0/0 and has no replacement."""
    top, bottom = PARTS[name](sizes)
    found = np.full(top.size, math.nan)
    np.divide(top, bottom, out=found, where=bottom > 0)
    if not isinstance(undefined, str):
        found[bottom == 0] = float(undefined)
    return found


def _mean(name: str, sizes: SetSizes, undefined: Undefined) -> float | Noted:
    check_undefined(undefined)
    values = parts_of_instances(name, sizes, undefined)
    missing = np.isnan(values)
    if undefined == "nan" and missing.any():
        return Noted(math.nan, f"0/0: {sizes.counts[missing].sum()} instances have no such label")
    if missing.all():
        return Noted(math.nan, "0/0: no instance has such a label")
    counts = sizes.counts[~missing]
    return math.fsum((values[~missing] * counts).tolist()) / float(counts.sum())


_SAMPLES: dict[str, Any] = {
    "identical_is_defined": False,
    "undefined": "if it is 0/0 for every instance.",
    "note": _SKIPPED,
    "reference": "tsoumakas2010",
}


@_of_sets(
    title="Precision by instance",
    formula=r"\frac1n \sum_i \frac{|T_i \cap P_i|}{|P_i|}",
    peers={"scikit-learn": ("precision_score(average='samples')", "precision_samples")},
    **_SAMPLES,
)
def samples_precision(sizes: SetSizes, *, undefined: Undefined = "skip") -> float | Noted:
    """Mean share of the predicted labels of an instance that are right.

    >>> samples_precision([{"a", "b"}, {"c"}], [{"a"}, {"b", "c"}])
    0.75
    """
    return _mean("samples_precision", sizes, undefined)


@_of_sets(
    title="Recall by instance",
    formula=r"\frac1n \sum_i \frac{|T_i \cap P_i|}{|T_i|}",
    peers={"scikit-learn": ("recall_score(average='samples')", "recall_samples")},
    **_SAMPLES,
)
def samples_recall(sizes: SetSizes, *, undefined: Undefined = "skip") -> float | Noted:
    """Mean share of the true labels of an instance that are predicted.

    >>> samples_recall([{"a", "b"}, {"c"}], [{"a"}, {"b", "c"}])
    0.75
    """
    return _mean("samples_recall", sizes, undefined)


@_of_sets(
    title="F1 by instance",
    formula=r"\frac1n \sum_i \frac{2 |T_i \cap P_i|}{|T_i| + |P_i|}",
    symmetric=True,
    peers={"scikit-learn": ("f1_score(average='samples')", "f1_samples")},
    default="How well the labels of a typical instance are found.",
    **_SAMPLES,
)
def samples_f1(sizes: SetSizes, *, undefined: Undefined = "skip") -> float | Noted:
    """Mean over the instances of the harmonic mean of precision and recall.

    >>> round(samples_f1([{"a", "b"}, {"c"}], [{"a"}, {"b", "c"}]), 4)
    0.6667
    """
    return _mean("samples_f1", sizes, undefined)


@_of_sets(
    title="Jaccard index by instance",
    formula=r"\frac1n \sum_i \frac{|T_i \cap P_i|}{|T_i \cup P_i|}",
    symmetric=True,
    peers={"scikit-learn": ("jaccard_score(average='samples')", "jaccard_samples")},
    **_SAMPLES,
)
def samples_jaccard(sizes: SetSizes, *, undefined: Undefined = "skip") -> float | Noted:
    """Mean share, among the true or predicted labels of an instance, of those that are both.

    >>> samples_jaccard([{"a", "b"}, {"c"}], [{"a"}, {"b", "c"}])
    0.5
    """
    return _mean("samples_jaccard", sizes, undefined)
