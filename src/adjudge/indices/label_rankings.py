"""How well a classifier's scores rank the labels of an instance that may have several.

Areas and average precisions by label, and their averages over the labels (`roc_auc_ovr`, `macro_average_precision` ...)
are those of :mod:`adjudge.indices.score_ranking`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Floats
from adjudge.errors import Argument, InputError, Option
from adjudge.given.input_kinds import LabelForecasts, TrueSets
from adjudge.given.label_scores import read_label_scores
from adjudge.given.label_sets import read_label_sets, weighed_sets
from adjudge.given.options import check_choice
from adjudge.given.weights import Weighting
from adjudge.indices.class_measures import Undefined, check_undefined
from adjudge.indices.record import Better, Index, Noted, maker_of
from adjudge.statistics.label_rankings import LabelRankings, PooledAreas
from adjudge.statistics.making import Made

__all__ = [
    "LabelRankingIndex",
    "coverage_error",
    "label_ranking_average_precision",
    "label_ranking_loss",
    "micro_average_precision",
    "micro_roc_auc",
    "one_error",
    "values_of_instances",
]

_NO_LABEL = "no true label"
_NO_PAIR = "every label or none"


class LabelRankingIndex(Index):
    """A measure of how a multilabel classifier ranks the labels of an instance."""

    kind = "multilabel"

    def _asked(self) -> str:
        return "ranking"

    def __call__(
        self,
        labels_true: Any,
        probabilities: Any = None,
        *,
        scores: Any = None,
        classes: Sequence[Any] | None = None,
        sample_weight: Any = None,
        **parameters: Any,
    ) -> float:
        """Compute the measure from the true labels and a probability, or score, for each label."""
        if (probabilities is None) == (scores is None):
            raise InputError("give either ", Argument("probabilities"), " or ", Option("scores"))
        given = read_label_scores(
            scores if probabilities is None else probabilities,
            probabilities=probabilities is not None,
            labels=classes,
        )
        sets = read_label_sets({"labels_true": labels_true}, given.labels)
        found = given.of(sets["labels_true"])
        (true,) = weighed_sets(sets, Weighting(sample_weight=sample_weight)).values()
        made = Made({TrueSets: true, LabelForecasts: found.kept_in(true)})
        return self.assess(*(made[kind] for kind in self.requires), **parameters)[0]

    def _input_lines(self) -> list[str]:
        return [
            "labels_true : indicator matrix of shape (n, L), or sequence with the labels of each instance",
            "probabilities : array-like of shape (n, L), or data frame with a column for each label",
            "    Predicted probabilities of the labels, which need not add up to 1.",
            "scores : the same, instead of probabilities",
            "    Scores that only rank the labels.",
            "classes : sequence, optional",
            "    All labels, in the order of the columns.",
            "sample_weight : array-like of shape (n,), optional",
        ]


def _of_rankings(
    *, title: str, better: Better = "higher", range: tuple[float, float] = (0, 1), **facts: Any
) -> Callable[[Callable[..., float | Noted]], LabelRankingIndex]:
    return maker_of(
        LabelRankingIndex, title=title, better=better, range=range, identical_is_best=False, **facts
    )


#: Values for single instances, as arrays with nan for instances without a value.
OF_INSTANCES: dict[str, Callable[[LabelRankings], Floats]] = {
    "label_ranking_average_precision": lambda r: r.precisions,
    "coverage_error": lambda r: r.coverages,
    "label_ranking_loss": lambda r: r.lost + r.tied / 2,
    "one_error": lambda r: r.top_errors,
}
#: Default stand-ins for instances without a value.
_STAND_INS: dict[str, Undefined] = {"label_ranking_average_precision": 1}


def values_of_instances(name: str, rankings: LabelRankings) -> Floats:
    """Return the value of a measure for each instance, with its usual stand-in; nan for instances left out."""
    return _filled(OF_INSTANCES[name](rankings), _STAND_INS.get(name, "skip"))


def _filled(values: Floats, undefined: Undefined) -> Floats:
    if not isinstance(undefined, str):
        return np.where(np.isnan(values), float(undefined), values)
    return values


def _mean(values: Floats, rankings: LabelRankings, undefined: Undefined, lack: str) -> float | Noted:
    check_undefined(undefined)
    filled = _filled(values, undefined)
    missing = np.isnan(filled)
    weights = rankings.known_weights
    if missing.all() or (undefined == "nan" and missing.any()):
        n = weights[missing].sum()
        return Noted(math.nan, f"0/0: {n} {'instance has' if n == 1 else 'instances have'} {lack}")
    known = weights[~missing]
    return math.fsum((filled[~missing] * known).tolist()) / float(known.sum())


_RANKED = {
    "s_{iy}": "score of label y of instance i",
    "y": "each true label of the instance",
    "c": "each label",
}


@_of_rankings(
    title="Label ranking average precision",
    reference="tsoumakas2010",
    formula=r"\frac1n \sum_i \frac{1}{|T_i|} \sum_{y \in T_i} "
    r"\frac{|\{c \in T_i : s_{ic} \ge s_{iy}\}|}{|\{c : s_{ic} \ge s_{iy}\}|}",
    symbols={**_RANKED, "s_{ic}": "score of label c of instance i"},
    best=1.0,
    aliases=("lrap",),
    peers={"scikit-learn": "label_ranking_average_precision_score"},
    note='An instance without a true label counts 1, because nothing ranks before a true one; ``undefined="skip"`` '
    "leaves it out.",
    default="How far up the true labels of an instance stand.",
)
def label_ranking_average_precision(rankings: LabelRankings, *, undefined: Undefined = 1) -> float | Noted:
    """Mean over the true labels of the share of true ones among the labels that score at least as high.

    >>> import numpy as np
    >>> from adjudge import label_ranking_average_precision
    >>> label_ranking_average_precision(np.array([[1, 0, 0], [0, 0, 1]]), [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    0.41666666666666663
    """
    return _mean(rankings.precisions, rankings, undefined, _NO_LABEL)


@_of_rankings(
    title="Coverage error",
    better="lower",
    range=(0, math.inf),
    reference="tsoumakas2010",
    formula=r"\frac1n \sum_i \max_{y \in T_i} |\{c : s_{ic} \ge s_{iy}\}|",
    symbols={**_RANKED, "s_{ic}": "score of label c of instance i"},
    peers={"scikit-learn": "coverage_error"},
    note="Ties count against the label. An instance without a true label needs 0. The best value is the mean number of "
    "true labels.",
)
def coverage_error(rankings: LabelRankings) -> float | Noted:
    """Mean number of labels, from the highest score down, that must be taken to include all true ones.

    >>> import numpy as np
    >>> from adjudge import coverage_error
    >>> coverage_error(np.array([[1, 0, 0], [0, 0, 1]]), [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    2.5
    """
    return _mean(rankings.coverages, rankings, "skip", "no value")


@_of_rankings(
    title="Label ranking loss",
    better="lower",
    reference="tsoumakas2010",
    formula=r"\frac1n \sum_i \frac{|\{(y, c) : s_{ic} > s_{iy}\}| + \frac12 |\{(y, c) : s_{ic} = s_{iy}\}|}"
    r"{|T_i| (L - |T_i|)}",
    symbols={
        "s_{iy}": "score of label y of instance i",
        "s_{ic}": "score of label c of instance i",
        "y": "each true label of the instance",
        "c": "each other label",
    },
    undefined="if every instance has all labels or none.",
    best=0.0,
    aliases=("ranking_loss",),
    peers={"scikit-learn": "label_ranking_loss"},
    note="A tie counts half, so that 1 less the loss is the mean over the instances of the area under their ROC curve; "
    'scikit-learn counts it as lost (``ties="against"``) and takes 0 for instances with all labels or none '
    "(``undefined=0``), which are left out here.",
)
def label_ranking_loss(
    rankings: LabelRankings,
    *,
    ties: Literal["half", "against", "for"] = "half",
    undefined: Undefined = "skip",
) -> float | Noted:
    """Mean, over instances, of the share of pairs of a true and another label that are in the wrong order.

    >>> import numpy as np
    >>> from adjudge import label_ranking_loss
    >>> label_ranking_loss(np.array([[1, 0, 0], [0, 0, 1]]), [[0.75, 0.5, 1.0], [1.0, 0.2, 0.1]])
    0.75
    """
    check_choice("ties", ties, ("half", "against", "for"))
    share = {"half": 0.5, "against": 1.0, "for": 0.0}[ties]
    return _mean(rankings.lost + share * rankings.tied, rankings, undefined, _NO_PAIR)


@_of_rankings(
    title="One-error",
    better="lower",
    reference="tsoumakas2010",
    formula=r"\frac1n \sum_i \frac{|B_i \setminus T_i|}{|B_i|}",
    symbols={"B_i": "labels of instance i with the highest score"},
    best=0.0,
    note="Equal scores count as they would on average in random order. An instance without a true label is an error.",
)
def one_error(rankings: LabelRankings) -> float | Noted:
    """Share of the instances whose label with the highest score is not true.

    >>> import numpy as np
    >>> from adjudge import one_error
    >>> one_error(np.array([[1, 0, 0], [0, 0, 1]]), [[0.75, 0.5, 1.0], [0.3, 0.2, 0.3]])
    0.75
    """
    return _mean(rankings.top_errors, rankings, "skip", "no value")


_POOLED: dict[str, Any] = {
    "symbols": {
        "s^+": "score of a true label of an instance",
        "s^-": "score of another",
        "P": "share of the pairs",
    },
    "best": 1.0,
}


@_of_rankings(
    title="Micro ROC AUC",
    reference="hanley1982",
    formula=r"P(s^+ > s^-) + \frac12 P(s^+ = s^-)",
    undefined="if no label of any instance is true, or every one is.",
    note="Scores of different labels are compared, which is fair only if they are on one scale. In scikit-learn: "
    "``roc_auc_score(labels_true, scores, average='micro')``.",
    **_POOLED,
)
def micro_roc_auc(pooled: PooledAreas) -> float | Noted:
    """Area under the ROC curve of all pairs of an instance and a label.

    >>> import numpy as np
    >>> from adjudge import micro_roc_auc
    >>> micro_roc_auc(np.array([[1, 0], [0, 1], [1, 1]]), [[0.9, 0.2], [0.6, 0.4], [0.7, 0.8]])
    0.875
    """
    if math.isnan(pooled.area):
        return Noted(math.nan, "0/0: every label of every instance is true, or none")
    return pooled.area


@_of_rankings(
    title="Micro average precision",
    reference="buckland1994",
    formula=r"\frac{1}{\sum_i |T_i|} \sum_i \sum_{y \in T_i} P_{iy}",
    undefined="if no label of any instance is true.",
    note="In scikit-learn: ``average_precision_score(labels_true, scores, average='micro')``.",
    symbols={
        "y": "each true label of the instance",
        "P_{iy}": "precision where all scores of at least that of label y of instance i are predicted",
    },
    best=1.0,
)
def micro_average_precision(pooled: PooledAreas) -> float | Noted:
    """Average precision of all pairs of an instance and a label.

    >>> import numpy as np
    >>> from adjudge import micro_average_precision
    >>> micro_average_precision(np.array([[1, 0], [0, 1], [1, 1]]), [[0.9, 0.2], [0.6, 0.4], [0.7, 0.8]])
    0.95
    """
    if math.isnan(pooled.average_precision):
        return Noted(math.nan, "0/0: no label of any instance is true")
    return pooled.average_precision
