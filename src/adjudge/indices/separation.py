"""Internal criteria from distances between points: sums and extremes, within and between clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from adjudge.indices.internal_record import InternalIndex, internal
from adjudge.indices.record import Noted, inf, quotient
from adjudge.statistics.moments import CentroidDistances, Moments
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
)

ONE_CLUSTER = "there is only one cluster"
ON_TWO_CLUSTERS = "0/0: a point has distance 0 to all points of its own and of another cluster"
SINGLETONS_ONLY = "no cluster has two points"
ZERO_DIAMETER = "every cluster has diameter 0"

# The six distances between clusters and three diameters of Bezdek & Pal: the statistic each comes from, how to read
# it, a few words, and LaTeX.
SEPARATIONS: tuple[tuple[type, Callable[[Any], float], str, str], ...] = (
    (
        SingleLinkage,
        lambda s: s.smallest,
        "between closest points",
        r"\min_{i \in I_k, j \in I_l} d_{ij}",
    ),
    (
        CompleteLinkage,
        lambda s: s.smallest,
        "between farthest points",
        r"\max_{i \in I_k, j \in I_l} d_{ij}",
    ),
    (
        PairSums,
        lambda s: s.smallest_mean,
        "mean over pairs of points",
        r"\frac{1}{n_k n_l} \sum_{i \in I_k, j \in I_l} d_{ij}",
    ),
    (CentroidDistances, lambda s: s.smallest, "between centroids", r"\|G_k - G_l\|"),
    (
        CentroidDistances,
        lambda s: s.smallest_pooled,
        "mean over points to the own centroid",
        r"\frac{n_k r_k + n_l r_l}{n_k + n_l}",
    ),
    (
        Hausdorff,
        lambda s: s.smallest,
        "Hausdorff",
        r"\max\Bigl(\max_{i \in I_k} \min_{j \in I_l} d_{ij}, \max_{j \in I_l} \min_{i \in I_k} d_{ij}\Bigr)",
    ),
)
DIAMETERS: tuple[tuple[type, Callable[[Any], float], str, str], ...] = (
    (
        Diameters,
        lambda s: float(s.values.max()),
        "between farthest points",
        r"\max_{i, j \in I_k} d_{ij}",
    ),
    (
        PairSums,
        lambda s: float(s.mean_within.max()),
        "mean over pairs of points",
        r"\frac{1}{n_k (n_k - 1)} \sum_{i \neq j \in I_k} d_{ij}",
    ),
    (
        CentroidDistances,
        lambda s: 2.0 * float(s.mean_to_own.max()),
        "twice the mean to the centroid",
        r"\frac{2}{n_k} \sum_{i \in I_k} \|x_i - G_k\|",
    ),
)
# Names elsewhere, unless there is only clusterCrit's for the family.
_PEERS: dict[str, dict[str, str]] = {
    "dunn": {"clusterCrit": "Dunn", "NbClust": "Dunn", "fpc": "dunn"},
    "gdi32": {"clusterCrit": "GDI32", "fpc": "dunn2"},
}
# Upper bounds for u = 5, whose numerator also measures the width of clusters.
_LARGEST_OF_WIDTHS = (math.sqrt(0.5), 1.0, 0.5)
# Values for [0, 1 | 4, 6], whose three diameters are all 2.
_EXAMPLES = (1.5, 3.0, 2.25, 2.25, 0.375, 2.5)


def _generalized_dunn(u: int, v: int) -> InternalIndex:
    """Return the smallest distance between clusters (u-th kind) over the largest diameter of a cluster (v-th kind)."""
    separated_by, separation, separation_words, separation_tex = SEPARATIONS[u - 1]
    measured_by, diameter, diameter_words, diameter_tex = DIAMETERS[v - 1]
    name = "dunn" if u == v == 1 else f"gdi{u}{v}"

    def formula(*statistics: Any) -> float | Noted:
        numerator, denominator = separation(statistics[0]), diameter(statistics[-1])
        if math.isnan(denominator):
            return Noted(math.nan, "0/0: a cluster of one point has no mean distance")
        if math.isnan(numerator):
            return Noted(math.nan, ONE_CLUSTER)
        return quotient(numerator, denominator, ZERO_DIAMETER)

    formula.__name__ = name
    words = f"({separation_words}) over the widest diameter ({diameter_words})"
    formula.__doc__ = f"""Distance of the closest two clusters {words}.

    Examples
    --------
    >>> from adjudge import {name}
    >>> {name}([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    {_EXAMPLES[u - 1]}
    """
    zero_over_zero = ", for 0/0 and if a cluster has one point" if v == 2 else " and for 0/0"
    undefined = f"for one cluster{zero_over_zero}" + ("." if u == 5 else "; inf if every diameter is 0.")
    return internal(
        title="Dunn" if name == "dunn" else f"Generalised Dunn {u}{v}",
        better="higher",
        range=(0, _LARGEST_OF_WIDTHS[v - 1] if u == 5 else inf),
        best_k="max",
        reference="dunn1974" if name == "dunn" else "bezdek1998",
        name=name,
        requires=tuple(dict.fromkeys((separated_by, measured_by))),
        formula=rf"\frac{{\min_{{k \neq l}} {separation_tex}}}{{\max_k {diameter_tex}}}",
        undefined=undefined,
        family="generalised Dunn",
        aliases=("gdi11", "dunn_index") if name == "dunn" else (),
        peers=_PEERS.get(name, {"clusterCrit": f"GDI{u}{v}"} if u < 6 else {}),
        note="Distances between points; torchmetrics and permetrics give the name Dunn to other ratios."
        if name == "dunn"
        else "",
        no_interval="change places" if v == 3 and u in (4, 5) else "",
        **_DEFAULTS.get(name, {}),
    )(formula)


_DEFAULTS = {
    "dunn": {
        "default": "The oldest, and still cited: the worst case, that of the closest two points of two clusters and of "
        "the widest cluster, so that a single point can ruin it."
    },
    "gdi23": {
        "default_k": "Of the verdict; the gap between the closest clusters, which outliers do not rule."
    },
}

generalized_dunn = tuple(_generalized_dunn(u, v) for u in range(1, 7) for v in range(1, 4))
dunn = generalized_dunn[0]


@internal(
    title="McClain-Rao",
    better="lower",
    range=(0, inf),
    best_k="min",
    reference="mcclain1975",
    formula=r"\frac{S_W / N_W}{S_B / N_B}",
    undefined="for one cluster and if no cluster has two points; inf or undefined if all distances between "
    "clusters are 0.",
    peers={"clusterCrit": "McClain_Rao", "NbClust": "McClain"},
)
def mcclain_rao(s: PairSums) -> float | Noted:
    """Mean distance within clusters over mean distance between clusters.

    >>> round(mcclain_rao([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.333333
    """
    if s.n_within == 0 or s.n_between == 0:
        return Noted(math.nan, f"0/0: {ONE_CLUSTER if s.n_between == 0 else SINGLETONS_ONLY}")
    return quotient(
        float(s.within.sum()) / s.n_within, s.between / s.n_between, "all distances between clusters are 0"
    )


@internal(
    title="Point-biserial",
    better="lower",
    range=(-inf, inf),
    best_k="min",
    reference="milligan1981",
    formula=r"\Bigl(\frac{S_W}{N_W} - \frac{S_B}{N_B}\Bigr) \frac{\sqrt{N_W N_B}}{N_T}",
    undefined="for one cluster and if no cluster has two points.",
    note="The correlation as printed, times the standard deviation of the distances: within minus between, so that "
    "good partitions are negative and the smallest value is best. clusterCrit states the rule max.",
    peers={"clusterCrit": "Point_Biserial", "NbClust": "PtBiserial"},
)
def point_biserial(s: PairSums) -> float | Noted:
    """Covariance-like difference of the mean distances within and between clusters.

    >>> round(point_biserial([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    -1.414214
    """
    if s.n_within == 0 or s.n_between == 0:
        return Noted(math.nan, f"0/0: {ONE_CLUSTER if s.n_between == 0 else SINGLETONS_ONLY}")
    total = s.n_within + s.n_between
    difference = float(s.within.sum()) / s.n_within - s.between / s.n_between
    return difference * math.sqrt(s.n_within / total) * math.sqrt(s.n_between / total)


def _silhouette_problem(s: Silhouettes) -> Noted | None:
    if s.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    if np.isnan(s.values).any():
        return Noted(math.nan, ON_TWO_CLUSTERS)
    return None


@internal(
    title="Silhouette",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="rousseeuw1987",
    formula=r"\frac{1}{N} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}",
    undefined="for one cluster and if a point has distance 0 to its own and to another whole cluster.",
    family="silhouette",
    note="The mean over points (micro). The only point of a cluster has width 0.",
    aliases=("silhouette_micro", "average_silhouette_width", "asw"),
    peers={"scikit-learn": "silhouette_score", "NbClust": "Silhouette", "fpc": "avg.silwidth"},
    default="The criterion that people cite most, and among the best of 30 in the comparison of Arbelaitz et "
    "al. (2013).",
    default_k="The criterion that people cite most; right on 84 % of the fair held-out pairs of our study.",
)
def silhouette(s: Silhouettes) -> float | Noted:
    """Mean over the points of how much nearer their own cluster is than the next one, on average.

    >>> round(silhouette([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.653734
    """
    return _silhouette_problem(s) or s.mean


@internal(
    title="Silhouette (macro)",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="rousseeuw1987",
    formula=r"\frac{1}{K} \sum_k \frac{1}{n_k} \sum_{i \in I_k} \frac{b_i - a_i}{\max(a_i, b_i)}",
    undefined="for one cluster and if a point has distance 0 to its own and to another whole cluster.",
    family="silhouette",
    note="The mean over clusters of their mean widths, which clusterCrit calls Silhouette. The only point of a cluster "
    "has width 0.",
    aliases=("silhouette_clusters",),
    peers={"clusterCrit": "Silhouette"},
)
def silhouette_macro(s: Silhouettes) -> float | Noted:
    """Mean over the clusters of their mean silhouette width.

    >>> round(silhouette_macro([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.653734
    """
    return _silhouette_problem(s) or float(s.of_clusters.mean())


@internal(
    title="Xie-Beni, closest points",
    better="lower",
    range=(0, inf),
    best_k="min",
    reference="desgraupes2017",
    formula=r"\frac{WGSS / N}{\min_{k \neq l} \min_{i \in I_k, j \in I_l} d_{ij}^2}",
    undefined="for one cluster and if all points are equal; inf if two clusters share a point.",
    aliases=("xie_beni_points",),
    note="clusterCrit's variant: the separation is that of the closest points. Xie & Beni (1991), and most programs, "
    "take the closest centroids: ray_turi.",
    peers={"clusterCrit": "Xie_Beni"},
)
def xie_beni(m: Moments, separation: SingleLinkage) -> float | Noted:
    """Mean squared distance to the own centroid over the smallest squared distance between points of two clusters.

    >>> round(xie_beni([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.069444
    """
    if m.k == 1:
        return Noted(math.nan, ONE_CLUSTER)
    return quotient(m.within / m.n, separation.smallest**2, "two clusters share a point")
