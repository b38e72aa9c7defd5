"""External indices that match each cluster with the one of the other partition that covers most of it."""

from __future__ import annotations

import math

import numpy as np

from adjudge.indices.label_record import external
from adjudge.indices.record import Noted, inf
from adjudge.statistics.joint import JointCounts


def _largest_in_columns(table: JointCounts) -> int:
    _, cols, counts = table.cells()
    largest = np.zeros(table.shape[1], counts.dtype)
    np.maximum.at(largest, cols, counts)
    return sum(largest.tolist())


def _largest_in_rows(table: JointCounts) -> int:
    rows, _, counts = table.cells()
    largest = np.zeros(table.shape[0], counts.dtype)
    np.maximum.at(largest, rows, counts)
    return sum(largest.tolist())


@external(
    title="Purity",
    better="higher",
    range=(0, 1),
    reference="manning2008",
    formula=r"\frac1n \sum_j \max_i n_{ij}",
    aliases=("meila_heckerman",),
    peers={"permetrics": "purity_score", "mclustcomp": "mhm", "clue": "purity"},
    note="Singletons reach 1. The measure that mclustcomp and others credit to Meilă & Heckerman; mclustcomp and clue "
    "judge the partition given first. clusim's purity_index is the smaller of purity and inverse purity.",
)
def purity(table: JointCounts) -> float | Noted:
    """Share of the instances that belong to the majority class of their cluster.

    >>> purity([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    return _largest_in_columns(table) / table.n


@external(
    title="Inverse purity",
    better="higher",
    range=(0, 1),
    reference="amigo2009",
    formula=r"\frac1n \sum_i \max_j n_{ij}",
    note="One big cluster reaches 1.",
)
def inverse_purity(table: JointCounts) -> float | Noted:
    """Share of the instances that lie in the main cluster of their class.

    >>> inverse_purity([0, 0, 1, 1], [0, 0, 1, 2])
    0.75
    """
    return _largest_in_rows(table) / table.n


@external(
    title="van Dongen metric",
    better="lower",
    range=(0, inf),
    reference="vandongen2000",
    formula=r"2n - \sum_i \max_j n_{ij} - \sum_j \max_i n_{ij}",
    symmetric=True,
    aliases=("vdm",),
    peers={"mclustcomp": "vdm", "partitionComparison": "dongensMetric"},
    note="With `normalized` it is divided by 2n.",
)
def van_dongen(table: JointCounts, *, normalized: bool = False) -> float | Noted:
    """Smallest number of instances to move to turn the partitions into their intersection.

    >>> van_dongen([0, 0, 1, 1], [0, 0, 1, 2])
    1.0
    >>> van_dongen([0, 0, 1, 1], [0, 0, 1, 2], normalized=True)
    0.125
    """
    moves = 2 * table.n - _largest_in_rows(table) - _largest_in_columns(table)
    return moves / (2 * table.n) if normalized else moves


split_join = van_dongen.variant(
    "split_join",
    title="Split-join distance",
    fixed={"normalized": False},
    peers={"igraph": "split.join"},
    note="The van Dongen metric. igraph also gives its two parts, n (1 - purity) and n (1 - inverse purity).",
)


@external(
    title="Larsen-Aone",
    better="higher",
    range=(0, 1),
    reference="larsen1999",
    formula=r"\frac{1}{K} \sum_i \max_j \frac{2 n_{ij}}{a_i + b_j}",
    peers={"partitionComparison": "larsenAone"},
    note="Each true cluster has the same weight. mclustcomp's 'f' is another measure.",
    symbols={"K": "number of true clusters"},
)
def larsen_aone(table: JointCounts) -> float | Noted:
    """Mean over the true clusters of the best F-measure of any predicted cluster.

    >>> round(larsen_aone([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.833333
    """
    rows, cols, counts = table.cells()
    best = np.zeros(table.shape[0])
    np.maximum.at(best, rows, 2 * counts / (table.row_sums[rows] + table.col_sums[cols]))
    return math.fsum(best.tolist()) / table.shape[0]
