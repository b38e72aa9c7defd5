"""Further internal criteria: silhouettes of prototypes, and the characteristics of clusters that fpc reports."""

from __future__ import annotations

import math

import numpy as np

from adjudge.indices.internal_record import internal
from adjudge.indices.record import Noted, inf, quotient
from adjudge.indices.separation import ON_TWO_CLUSTERS, ONE_CLUSTER, SINGLETONS_ONLY
from adjudge.kernels.elementary import logarithms
from adjudge.statistics.moments import Moments
from adjudge.statistics.pair_distances import ClusterSizes, PairRanks, PairSums
from adjudge.statistics.prototypes import (
    CentroidProfile,
    DistanceSquares,
    MedoidProfile,
    OutsideExtremes,
    widths,
)

# Share of the points, those nearest to other clusters, that the separation index averages over.
_BORDER = 0.1


@internal(
    title="Simplified silhouette",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="hruschka2004",
    formula=r"\frac{1}{N} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}",
    symbols={
        "a_i": "distance of point i to its own centroid",
        "b_i": "distance of point i to the nearest other centroid",
    },
    undefined="for one cluster.",
    family="silhouette",
    note="O(N K). A cluster of one point has width 1, because it is its own centroid; with singletons=0 it has width "
    "0, as in the silhouette. 0/0 counts as 0.",
    with_n="settles",
)
def simplified_silhouette(c: CentroidProfile, *, singletons: float = 1.0) -> float | Noted:
    """Mean over the points of how much nearer their centroid is than the next one.

    >>> round(simplified_silhouette([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.826867
    """
    if c.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    found = widths(c.own, c.other)
    alone = (c.sizes[c.codes] == 1) & (found > 0)
    return float(np.where(alone, singletons, found).mean())


@internal(
    title="Medoid silhouette",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="vanderlaan2003",
    formula=r"\frac{1}{N} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}",
    symbols={
        "a_i": "distance of point i to the medoid of its own cluster",
        "b_i": "distance of point i to the nearest other medoid",
    },
    undefined="for one cluster.",
    family="silhouette",
    note="For any distances. kmedoids uses the two nearest medoids whatever the labels, so it is never negative. "
    "0/0 counts as 0.",
)
def medoid_silhouette(m: MedoidProfile) -> float | Noted:
    """Mean over the points of how much nearer their medoid is than the next one.

    >>> round(medoid_silhouette([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.833333
    """
    if m.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    return float(widths(m.own, m.other).mean())


@internal(
    title="Root-mean-square silhouette",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="rousseeuw1987",
    formula=r"\frac{1}{N} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}",
    symbols={
        "a_i": "root of the mean squared distance of point i to the other points of its cluster",
        "b_i": "the smallest root of the mean squared distance of point i to the points of another cluster",
    },
    undefined="for one cluster and if a point has distance 0 to its own and to another whole cluster.",
    family="silhouette",
    note="The silhouette with root-mean-square instead of mean distances: O(N K) from centroids and dispersions. "
    "The only point of a cluster has width 0; 0/0 is undefined, as in the silhouette.",
    aliases=("root_mean_square_silhouette",),
    with_n="settles",
)
def rms_silhouette(c: CentroidProfile) -> float | Noted:
    """Mean over the points of how much nearer their cluster is than the next one, in root-mean-square distance.

    >>> round(rms_silhouette([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.65838
    """
    if c.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    alone = c.sizes[c.codes] == 1
    if (~alone & (np.maximum(c.own_square, c.other_square) == 0)).any():
        return Noted(math.nan, ON_TWO_CLUSTERS)
    found = widths(np.sqrt(c.own_square), np.sqrt(c.other_square))
    return float(np.where(alone, 0.0, found).mean())


@internal(
    title="Within over between",
    better="lower",
    range=(0, inf),
    best_k="min",
    reference="hennig2019",
    formula=r"\frac{\sum_k n_k \bar d_k / \sum_k n_k}{S_B / N_B}",
    symbols={r"\bar d_k": "mean distance in cluster k; clusters of one point are left out"},
    undefined="for one cluster and if no cluster has two points; inf if all distances between clusters are 0.",
    note="`mcclain_rao` weighs clusters by their pairs, this by their points.",
    aliases=("wb.ratio",),
    peers={"fpc": "wb.ratio"},
)
def wb_ratio(s: PairSums) -> float | Noted:
    """Mean over the points of the mean distance in their cluster, over the mean distance between clusters.

    >>> round(wb_ratio([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.333333
    """
    if s.n_within == 0 or s.n_between == 0:
        return Noted(math.nan, f"0/0: {ONE_CLUSTER if s.n_between == 0 else SINGLETONS_ONLY}")
    means = s.mean_within
    several = ~np.isnan(means)
    within = float(np.average(means[several], weights=s.sizes[several]))
    return quotient(within, s.between / s.n_between, "all distances between clusters are 0")


@internal(
    title="Pearson gamma",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="halkidi2001techniques",
    formula=r"\operatorname{cor}(d_{ij}, [c(i) \neq c(j)])",
    symbols={r"\operatorname{cor}": "Pearson's correlation over all pairs", "c": "cluster of a point"},
    undefined="for one cluster, if no cluster has two points, and if all distances are equal.",
    note="`point_biserial` is the same up to sign, times the standard deviation of the distances.",
    aliases=("pearsongamma",),
    peers={"fpc": "pearsongamma"},
)
def pearson_gamma(s: PairSums, squares: DistanceSquares) -> float | Noted:
    """Correlation of the distances with being in different clusters.

    >>> round(pearson_gamma([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.828079
    """
    if s.n_within == 0 or s.n_between == 0:
        return Noted(math.nan, f"0/0: {ONE_CLUSTER if s.n_between == 0 else SINGLETONS_ONLY}")
    pairs = s.n_within + s.n_between
    within = float(s.within.sum())
    mean = (within + s.between) / pairs
    variance = squares.total / pairs - mean * mean
    # Distances that are all equal leave only rounding errors.
    if variance <= 1e-13 * mean * mean:
        return Noted(math.nan, "0/0: all distances are equal")
    share = s.n_between / pairs
    difference = s.between / s.n_between - within / s.n_within
    return max(-1.0, min(1.0, difference * math.sqrt(share * (1 - share) / variance)))


@internal(
    title="AUCC",
    better="higher",
    range=(0, 1),
    best_k="max",
    reference="jaskowiak2022",
    formula=r"\frac{s^+ + t / 2}{N_W N_B}",
    symbols={
        "t": "comparisons of a distance within clusters with an equal one between clusters",
    },
    undefined="for one cluster and if no cluster has two points.",
    family="Gamma",
    note="The area under the ROC curve for detecting pairs in different clusters by their distance; (1 + Gamma) / 2 "
    "if no distances are equal.",
)
def aucc(r: PairRanks) -> float | Noted:
    """Probability that a distance within a cluster is smaller than one between clusters.

    >>> aucc([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    1.0
    """
    plus, _ = r.estimate
    return quotient(
        plus + r.ties / 2,
        r.n_within * r.n_between,
        ONE_CLUSTER if r.n_between == 0 else SINGLETONS_ONLY,
    )


@internal(
    title="WB",
    better="lower",
    range=(0, inf),
    best_k="min",
    reference="zhao2014",
    formula=r"K \frac{WGSS}{BGSS}",
    undefined="if all points are equal; inf for one cluster and if all centroids coincide.",
    aliases=("wb",),
    with_n="settles",
)
def wb_index(m: Moments) -> float | Noted:
    """Dispersion within clusters over dispersion between them, times the number of clusters.

    >>> round(wb_index([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.246914
    """
    return quotient(m.k * m.within, m.between, ONE_CLUSTER if m.k == 1 else "all centroids coincide")


@internal(
    title="COP",
    better="lower",
    range=(0, 1),
    best_k="min",
    reference="gurrutxaga2010",
    formula=r"\frac{1}{N} \sum_k \frac{\sum_{i \in I_k} \|x_i - G_k\|}{\min_{j \notin I_k} \max_{i \in I_k} d_{ij}}",
    undefined="for one cluster and if a cluster's points all coincide with a point of another.",
    note="At most 1: the farthest point of a cluster is at least as far from any location as its points are from their "
    "centroid on average.",
)
def cop(c: CentroidProfile, e: OutsideExtremes) -> float | Noted:
    """Distance to the own centroid over the least distance from an outside point to the cluster's farthest point.

    >>> round(cop([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.1625
    """
    if e.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    own = np.bincount(c.codes, c.own, minlength=c.sizes.size)
    if (e.least_reach == 0).any():
        # All points of the cluster coincide, so the distances within it are 0, too.
        return Noted(math.nan, "0/0: a cluster's points all coincide with a point of another cluster")
    return float((own / e.least_reach).sum()) / int(c.sizes.sum())


@internal(
    title="Separation index",
    better="higher",
    range=(0, inf),
    best_k="max",
    reference="hennig2019",
    formula=r"\frac{1}{m} \sum_{i=1}^{m} s_{(i)}, \quad m = \max(1, \lfloor 0.1 N \rfloor)",
    symbols={
        "s_{(i)}": "i-th smallest distance of a point to the nearest point of another cluster",
        "m": "points at the borders",
    },
    undefined="for one cluster.",
    aliases=("sindex",),
    peers={"fpc": "sindex"},
    asks="separation",
    default="Separation alone: how far the points that are closest to another cluster are from it, without "
    "hanging on a single pair (Hennig 2019).",
)
def separation_index(e: OutsideExtremes, *, share: float = _BORDER) -> float | Noted:
    """Mean distance to the nearest point of another cluster, over the tenth of the points for which it is smallest.

    >>> separation_index([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    3.0
    """
    if e.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    count = max(1, math.floor(share * e.nearest.size))
    return float(np.sort(np.partition(e.nearest, count - 1)[:count]).mean())


@internal(
    title="Entropy of the sizes",
    better=None,
    range=(0, inf),
    best_k=None,
    reference="hennig2019",
    formula=r"-\sum_k \frac{n_k}{N} \ln \frac{n_k}{N}",
    note="It measures how even the sizes of the clusters are, which is neither good nor bad.",
    peers={"fpc": "entropy"},
    asks="description",
)
def size_entropy(c: ClusterSizes) -> float:
    """Entropy of the sizes of the clusters, in natural units.

    >>> round(size_entropy([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.693147
    """
    shares = c.sizes / c.sizes.sum()
    return abs(float((shares * logarithms(shares)).sum()))


@internal(
    title="Normalised correlation",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="wiroonsri2024",
    formula=r"\operatorname{cor}(d_{ij}, \|G_{c(i)} - G_{c(j)}\|)",
    symbols={r"\operatorname{cor}": "Pearson's correlation over all pairs", "c": "cluster of a point"},
    undefined="for one cluster, and if all distances or all those of centroids are equal.",
    note="It grows with K: `nci` reads by how much.",
    aliases=("nc_correlation",),
)
def centroid_correlation(s: PairSums, squares: DistanceSquares, m: Moments) -> float | Noted:
    """Correlation of the distances between points with those between their centroids.

    >>> round(centroid_correlation([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    0.828079
    """
    if m.k == 1:
        return Noted(math.nan, ONE_CLUSTER)
    if s.matrix is None:
        return Noted(math.nan, "there are too many clusters for a matrix of them")
    pairs = m.n * (m.n - 1) / 2
    apart = np.sqrt(((m.centroids[:, None, :] - m.centroids[None, :, :]) ** 2).sum(axis=2))
    counts = np.multiply.outer(m.sizes, m.sizes).astype(float)
    np.fill_diagonal(counts, 0.0)
    mean, mean_apart = (float(s.within.sum()) + s.between) / pairs, float((apart * counts).sum()) / 2 / pairs
    variance = squares.total / pairs - mean * mean
    of_apart = float((apart**2 * counts).sum()) / 2 / pairs - mean_apart**2
    # The distances between coinciding centroids are rounding errors.
    even = mean_apart <= 1e-13 * mean or of_apart <= 1e-13 * mean_apart**2
    if even or variance <= 1e-13 * mean * mean:
        return Noted(math.nan, "0/0: all distances of points, or of centroids, are equal")
    between = np.array(s.matrix)
    np.fill_diagonal(between, 0.0)
    together = float((apart * between).sum()) / 2 / pairs - mean * mean_apart
    return max(-1.0, min(1.0, together / math.sqrt(variance * of_apart)))
