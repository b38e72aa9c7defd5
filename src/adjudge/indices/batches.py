"""Whether batches mix within each label, as experiments do within each type of cell, by their silhouettes."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from adjudge.given.options import check_choice
from adjudge.indices.record import Noted
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.statistics.batches import BatchedPoints

__all__ = ["BatchIndex", "batch_asw", "bras", "bras_furthest"]


class BatchIndex(StructureIndex):
    """An index of points with labels and batches."""

    kind = "batches"
    first: ClassVar[tuple[str, ...]] = ("X", "labels")


batches = maker_of_structure(BatchIndex)


_COUNTED = (
    "Labels whose points are all of one batch, or each of a batch of its own, do not count. 0/0 and the only point "
    "of a batch count as 1."
)


@batches(
    title="BRAS",
    better="higher",
    range=(0, 1),
    reference="rautenstrauch2025",
    formula=r"\frac1K \sum_k \frac{1}{n_k} \sum_{i \in k} \Bigl( 1 - \frac{|b_i - a_i|}{\max(a_i, b_i)} \Bigr)",
    symbols={"b_i": "mean distance from point i to all points of its label in other batches"},
    undefined="if no label has two batches of which one has two points.",
    note=_COUNTED + " Distances are of cosines by default, and `metric='euclidean'` is the other choice; "
    "`between` is 'mean_other', or 'furthest' or 'nearest' for the mean distance to one batch.",
    chance="the batches are judged, and not the labels",
    influence="each point changes the silhouettes of all others of its label",
    aliases=("batch_removal_adapted_silhouette",),
    peers={"scib-metrics": "bras"},
    asks="mixing of batches",
    default="How well batches mix within labels, also where some batches are nearer to each other than others.",
)
def bras(b: BatchedPoints, *, metric: str = "cosine", between: str = "mean_other") -> float | Noted:
    """Silhouettes of the batches in each label: 1 if points are as near to other batches as to their own.

    >>> X = [[1.0, 0.0], [0.9, 0.1], [0.8, 0.3], [0.0, 1.0], [0.1, 0.9], [0.2, 0.9]]
    >>> round(bras(X, ["a", "a", "a", "b", "b", "b"], batch=[0, 1, 0, 0, 1, 1]), 6)
    0.62909
    """
    check_choice("metric", metric, ("cosine", "euclidean"))
    check_choice("between", between, ("mean_other", "furthest", "nearest"))
    means = [float(np.abs(own).mean()) for own in b.widths(metric, between)]
    if not means:
        return Noted(math.nan, "no label has two batches of which one has two points")
    return 1 - math.fsum(means) / len(means)


bras_furthest = bras.variant(
    "bras_furthest",
    title="BRAS with the furthest batch",
    fixed={"between": "furthest"},
    symbols={"b_i": "largest mean distance from point i to the points of its label in another batch"},
    note=_COUNTED + " Distances are of cosines.",
    peers={"scib-metrics": "bras(between_cluster_distances='furthest')"},
)
batch_asw = bras.variant(
    "batch_asw",
    title="Batch ASW",
    reference="luecken2022",
    fixed={"between": "nearest", "metric": "euclidean"},
    symbols={"b_i": "smallest mean distance from point i to the points of its label in another batch"},
    note=_COUNTED
    + " It looks at the nearest other batch alone: two batches that mix hide others that do not.",
    peers={"scib-metrics": "silhouette_batch"},
)
