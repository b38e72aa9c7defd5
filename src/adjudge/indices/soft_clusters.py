"""Indices of soft clusterings: how soft one is, and how well two agree."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from adjudge.indices.record import Noted
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.statistics.memberships import MembershipSums

__all__ = ["SoftIndex", "partition_coefficient", "partition_entropy"]


class SoftIndex(StructureIndex):
    """An index of one soft clustering, or of two."""

    kind = "soft"


soft = maker_of_structure(SoftIndex)


def _squares(sums: MembershipSums) -> NDArray[np.float64]:
    return sums.squares


def _entropies(sums: MembershipSums) -> NDArray[np.float64]:
    return sums.entropies


@soft(
    title="Partition coefficient",
    better="higher",
    range=(0, 1),
    reference="bezdek1981",
    formula=r"\frac1n \sum_i \sum_k u_{ik}^2",
    influence=_squares,
    chance="it reads one clustering",
    peers={"e1071": "partition.coefficient"},
    default="The usual measure of how crisp a soft clustering is: 1 if every instance is in one cluster.",
)
def partition_coefficient(sums: MembershipSums) -> float | Noted:
    """Mean over the instances of the sum of their squared memberships: 1/K if all are equal, 1 without softness.

    Examples
    --------
    >>> from adjudge import Memberships, partition_coefficient
    >>> partition_coefficient(Memberships([[1.0, 0.0], [0.5, 0.5]]))
    0.75
    """
    return math.fsum(sums.squares.tolist()) / sums.n


@soft(
    title="Partition entropy",
    better="lower",
    range=(0, math.inf),
    reference="bezdek1981",
    formula=r"-\frac1n \sum_i \sum_k u_{ik} \log u_{ik}",
    influence=_entropies,
    chance="it reads one clustering",
    peers={"e1071": "partition.entropy"},
    default="The entropy of the memberships: 0 if every instance is in one cluster.",
)
def partition_entropy(sums: MembershipSums) -> float | Noted:
    """Mean entropy of the memberships of an instance, in nats: 0 without softness, log K if all are equal.

    Examples
    --------
    >>> from adjudge import Memberships, partition_entropy
    >>> round(partition_entropy(Memberships([[1.0, 0.0], [0.5, 0.5]])), 6)
    0.346574
    """
    return math.fsum(sums.entropies.tolist()) / sums.n
