"""CVNN: near neighbours in other clusters and compactness, relative to the largest values of all partitions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from adjudge.indices.neighbours import FIRST_OF_TIES
from adjudge.indices.record import Noted, quotient
from adjudge.indices.selection_record import Value, selection
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.pair_distances import PairSums
from adjudge.statistics.sweep import Sweep


def cvnn_parts(
    n: NeighbourLabels, s: PairSums, *, n_neighbors: int, compactness: str, limit_to_size: bool = True
) -> tuple[float, float | Noted]:
    """Return the separation and compactness of one partition, as :func:`cvnn` compares them.

    The separation is the largest share, over the clusters, of neighbours in other clusters; the compactness is the mean
    distance of all pairs within clusters ("pooled"), or the sum of the clusters' mean distances ("sum").
    """
    looked_at = np.full(n.sizes.size, n_neighbors)
    if limit_to_size:
        # A single point still has one neighbour, in another cluster.
        looked_at = np.clip(n.sizes - 1, 1, n_neighbors)
    of_point = looked_at[n.codes]
    foreign = ~n.same(int(looked_at.max())) & (np.arange(looked_at.max()) < of_point[:, None])
    separation = float((np.bincount(n.codes, foreign.sum(axis=1) / of_point) / n.sizes).max())
    if compactness == "sum":
        return separation, float(np.nansum(s.mean_within))
    return separation, quotient(float(s.within.sum()), s.n_within, "no cluster has two points")


def cvnn_of(parts: Mapping[Any, tuple[float, float | Noted]]) -> dict[Any, float | Noted]:
    """Return the values of the index from the parts of the partitions compared."""
    separations = {name: part[0] for name, part in parts.items()}
    compact = {
        name: part[1] for name, part in parts.items() if not isinstance(part[1], Noted) and part[0] == part[0]
    }
    if not compact or max(compact.values()) == 0 or max(separations[name] for name in compact) == 0:
        reason = "0/0: no near neighbour of any of the partitions lies in another cluster"
        return {name: Noted(math.nan, reason) for name in parts}
    widest = max(separations[name] for name in compact)
    largest = max(compact.values())
    return {
        name: separations[name] / widest + compact[name] / largest
        if name in compact
        else Noted(math.nan, "no cluster has two points")
        for name in parts
    }


@selection(
    title="CVNN",
    better="lower",
    range=(0, 2),
    rule="min",
    reference="liu2013",
    formula=r"\frac{s_K}{\max_K s_K} + \frac{c_K}{\max_K c_K}",
    undefined="if no neighbour of any of the partitions lies in another cluster.",
    reads=(NeighbourLabels, PairSums),
    symbols={
        "s_K": "largest share, over the K clusters, of the `n_neighbors` nearest points that lie in other clusters",
        "c_K": "mean distance within the K clusters",
    },
    note="The index exists only for several partitions. Of a point in a cluster of n points, at most n - 1 neighbours "
    "are looked at (1 if it is alone): more would be foreign however far the cluster is from all others. "
    "limit_to_size=False looks at `n_neighbors` of every point, as published and as fpc does. The compactness pools "
    f"all pairs, as fpc does; compactness='sum' adds the clusters' means up, as published. {FIRST_OF_TIES}",
    peers={"fpc": "cvnn"},
    default_k="Of the verdict; the best for heavy tails, many columns and background noise.",
)
def cvnn(
    s: Sweep, *, n_neighbors: int = 10, compactness: str = "pooled", limit_to_size: bool = True
) -> Mapping[int, Value]:
    """Near neighbours in other clusters and mean distance within, each relative to the largest of the sweep."""
    neighbours, sums = s.all(NeighbourLabels), s.all(PairSums)
    parts = {}
    for k in s.ks:
        if k in neighbours and k in sums:
            if n_neighbors >= neighbours[k].n and not limit_to_size:
                return {j: Noted(math.nan, f"a point has only {neighbours[k].n - 1} others") for j in s.ks}
            parts[k] = cvnn_parts(
                neighbours[k],
                sums[k],
                n_neighbors=n_neighbors,
                compactness=compactness,
                limit_to_size=limit_to_size,
            )
    return cvnn_of(parts)
