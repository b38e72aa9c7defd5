"""Criteria for K from resampled points: whether different samples lead to the same clusters."""

from __future__ import annotations

from collections.abc import Mapping

from adjudge.indices.selection_record import Compared, Value, selection
from adjudge.statistics.sweep import Stability


@selection(
    title="Prediction strength",
    better="higher",
    range=(0, 1),
    rule="last_at_least",
    reference="tibshirani2005",
    requires=Stability,
    formula=r"\min_k \frac{1}{n_k (n_k - 1)} \sum_{i \neq j \in I_k} "
    r"[i \text{ and } j \text{ joined by the other half's centroids}]",
    family="stability",
    note="The mean over splits in halves, both halves being predicted; a cluster of one point counts as predicted.",
    default_k="If the points are resampled: right on 95 % of the fair held-out pairs, the most of all.",
)
def prediction_strength(s: Stability, *, critical: float = 0.8) -> Mapping[int, Value]:
    """Share of the pairs in the worst cluster of one half of the points that the other half's clusters also join."""
    return {k: Compared(v, critical) for k, v in s.strength.items()}


@selection(
    title="Instability",
    better="lower",
    range=(0, 1),
    rule="min",
    reference="fang2012",
    requires=Stability,
    formula=r"E \left| [p_i = p_j] - [q_i = q_j] \right|",
    family="stability",
    note="1 - Rand of two partitions of all points, each by the clusters of a separate bootstrap sample.",
    symbols={
        "E": "mean over pairs of points and of bootstrap samples",
        "p_i": "cluster of point i by the first sample's clusters",
        "q_i": "cluster of point i by the second sample's clusters",
    },
)
def instability(s: Stability) -> Mapping[int, Value]:
    """Share of the pairs of points on which two bootstrapped partitions disagree."""
    return dict(s.instability)


@selection(
    title="Proportion of ambiguous clustering",
    better="lower",
    range=(0, 1),
    rule="min",
    reference="senbabaoglu2014",
    aliases=("pac",),
    requires=Stability,
    formula=r"P(0.1 < M_{ij} < 0.9)",
    family="stability",
    symbols={
        "P": "share of the pairs of points",
        "M_{ij}": "share of the subsamples with points i and j in which they are joined",
    },
)
def ambiguous_clustering(s: Stability) -> Mapping[int, Value]:
    """Share of the pairs of points that subsamples neither consistently join nor consistently separate."""
    return dict(s.ambiguity)
