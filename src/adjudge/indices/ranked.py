"""Internal criteria from the order of the distances, comparing those within clusters with those between."""

from __future__ import annotations

import math

from adjudge.indices.internal_record import internal
from adjudge.indices.record import Noted, quotient
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, TailSums

NOTHING_TO_COMPARE = "there is no pair of distances to compare: one cluster, or none with two points"
ALL_TIED = "every distance within clusters equals every distance between clusters"

_BOUNDED = "Exact if the distances fit the memory limit; else from a histogram, with a bound on the error."


@internal(
    title="C-index",
    better="lower",
    range=(0, 1),
    best_k="min",
    reference="hubert1976",
    formula=r"\frac{S_W - S_{min}}{S_{max} - S_{min}}",
    undefined="for one cluster, if no cluster has two points and if all distances are equal.",
    note="Exact at any size.",
    peers={"clusterCrit": "C_index", "NbClust": "Cindex"},
    symbols={
        "S_{min}": "sum of the N_W smallest distances",
        "S_{max}": "sum of the N_W largest distances",
    },
)
def c_index(t: TailSums) -> float | Noted:
    """Where the sum of the distances within clusters lies between the smallest and the largest possible sum.

    >>> c_index([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    0.0
    """
    if t.n_within == 0:
        return Noted(math.nan, "0/0: no cluster has two points")
    reason = "all distances are equal, or there is only one cluster"
    return quotient(t.within - t.smallest, t.largest - t.smallest, reason)


@internal(
    title="Baker-Hubert Gamma",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="baker1975",
    formula=r"\frac{s^+ - s^-}{s^+ + s^-}",
    undefined="if no distances differ or can be compared.",
    family="rank correlation",
    note=_BOUNDED,
    aliases=("baker_hubert_gamma", "g2"),
    peers={"clusterCrit": "Gamma", "NbClust": "Gamma"},
)
def gamma(r: PairRanks) -> float | Noted:
    """Goodman and Kruskal's gamma between the distances and whether they lie within or between clusters.

    >>> gamma([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    1.0
    """
    if not r.unknown:  # integers, rounded once
        reason = ALL_TIED if r.ties else NOTHING_TO_COMPARE
        return quotient(r.s_plus - r.s_minus, r.s_plus + r.s_minus, reason)
    plus, minus = r.estimate
    return (plus - minus) / (plus + minus)


@internal(
    title="G+",
    better="lower",
    range=(0, 2 / 3),
    best_k="min",
    reference="rohlf1974",
    formula=r"\frac{2 s^-}{N_T (N_T - 1)}",
    undefined="if there are fewer than two distances.",
    family="rank correlation",
    note=_BOUNDED,
    aliases=("g+",),
    peers={"clusterCrit": "G_plus", "NbClust": "Gplus"},
)
def g_plus(r: PairRanks) -> float | Noted:
    """Share of the pairs of distances that are discordant.

    >>> g_plus([[0.0], [1.0], [4.0], [6.0]], [0, 1, 0, 1])
    0.4
    """
    total = r.n_within + r.n_between
    return quotient(2 * r.s_minus + r.unknown, total * (total - 1), "there are fewer than two distances")


@internal(
    title="Tau",
    better="higher",
    range=(-2 / math.sqrt(6), 2 / math.sqrt(6)),
    best_k="max",
    reference="rohlf1974",
    formula=r"\frac{s^+ - s^-}{\sqrt{N_B N_W N_T (N_T - 1) / 2}}",
    undefined="for one cluster and if no cluster has two points.",
    family="rank correlation",
    note=_BOUNDED,
    peers={"clusterCrit": "Tau", "NbClust": "Tau"},
)
def tau(r: PairRanks) -> float | Noted:
    """Kendall's tau between the distances and whether they lie between clusters, as if no distances were equal.

    >>> round(tau([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.730297
    """
    return _kendall(r, 0)


@internal(
    title="Tau (corrected for ties)",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="desgraupes2017",
    formula=r"\frac{s^+ - s^-}{\sqrt{N_B N_W (N_T (N_T - 1) / 2 - \nu_1)}}",
    undefined="for one cluster, if no cluster has two points and if all distances are equal.",
    family="rank correlation",
    note=_BOUNDED,
    symbols={r"\nu_1": "number of pairs of equal distances"},
)
def tau_b(r: PairRanks, t: DistanceTies) -> float | Noted:
    """Kendall's tau between the distances and whether they lie between clusters, corrected for equal distances.

    >>> round(tau_b([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.730297
    """
    return _kendall(r, t.tied)


def _kendall(r: PairRanks, tied: int) -> float | Noted:
    total = r.n_within + r.n_between
    pairs = total * (total - 1) // 2 - tied
    product = r.n_within * r.n_between * pairs
    if product == 0:
        return Noted(
            math.nan,
            f"0/0: {'all distances are equal' if r.n_within and r.n_between else NOTHING_TO_COMPARE}",
        )
    plus, minus = r.estimate
    difference = plus - minus if r.unknown else r.s_plus - r.s_minus
    return difference / math.sqrt(product)
