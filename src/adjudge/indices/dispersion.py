"""Criteria for choosing K from single partitions: the cubic clustering criterion, Hubert's statistic, the D index.

NbClust has them, too. Its values differ from the publications for all three; each record says how.
"""

from __future__ import annotations

import math

import numpy as np

from adjudge.blas import factorizing
from adjudge.indices.internal_record import internal
from adjudge.indices.record import Noted, inf
from adjudge.kernels.elementary import exponential, logarithm, logarithms, power
from adjudge.statistics.moments import CentroidDistances, Moments, Scatter
from adjudge.statistics.pair_distances import PairSums

ONE_CLUSTER = "there is only one cluster"


@internal(
    title="Cubic clustering criterion",
    better="higher",
    range=(-inf, inf),
    best_k="max",
    reference="sarle1983",
    formula=r"\log \frac{1 - E(R^2)}{1 - R^2} \cdot \frac{\sqrt{N p^* / 2}}{(0.001 + E(R^2))^{1.2}}",
    undefined="for one cluster, if all points are equal and if clusters have no dispersion.",
    note="NbClust uses axes through the origin, not through the mean.",
    peers={"NbClust": "CCC"},
    symbols={
        "R^2": "share of the dispersion that lies between clusters",
        "E(R^2)": "the share of clusters of a uniform distribution in a box with the data's principal axes",
        "p^*": "number of the sides of that box that are cut: those longer than a cube as large as a cluster",
    },
    default_k="Of the old criteria the best for Gaussian clusters and for unequal sizes.",
    with_n="grows",
)
def ccc(s: Scatter) -> float | Noted:
    """Share of the dispersion that lies between clusters, compared with that of a uniform distribution.

    >>> round(ccc([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    -0.433706
    """
    n, k = s.n, s.k
    if k == 1 or k == n:
        return Noted(math.nan, ONE_CLUSTER if k == 1 else "every point is its own cluster")
    total = float(np.trace(s.total))
    within = float(np.trace(s.within))
    if total <= 0 or within <= 0:
        return Noted(math.nan, "0/0: all points are equal" if total <= 0 else "no cluster has any dispersion")
    with factorizing(s.total.shape[0]):
        sides = np.sqrt(np.maximum(np.linalg.eigvalsh(s.total)[::-1], 0.0) / (n - 1))
    sides = sides[sides > sides[0] * 1e-12]
    # The box is cut into cubes along its p* longest sides, those longer than a cube; the first always is.
    for dims in range(min(k - 1, sides.size), 0, -1):
        cube = exponential((logarithms(sides[:dims]).sum() - logarithm(k)) / dims)
        lengths = sides / cube
        if lengths[dims - 1] >= 1:
            break
    unexplained = (1 / (n + lengths[:dims])).sum() + (lengths[dims:] ** 2 / (n + lengths[dims:])).sum()
    # At least (12 n - 16) / n^3, so above 0.
    expected = 1 - unexplained / (lengths**2).sum() * ((n - k) ** 2 / n) * (1 + 4 / n)
    shape = math.sqrt(n * dims / 2) / power(0.001 + expected, 1.2)
    return float(logarithm((1 - expected) / (within / total)) * shape)


@internal(
    title="Hubert's statistic",
    better="higher",
    range=(0, inf),
    best_k="min_diff",
    reference="hubert1976",
    formula=r"\frac{2}{N (N - 1)} \sum_{i < j} d_{ij} \, \|G_{c(i)} - G_{c(j)}\|",
    undefined="for one point.",
    family="graphical knee",
    note="The modified statistic. It grows with K and bends where the clusters are right: the vote is the sharpest "
    "bend, which NbClust leaves to the eye. NbClust's values are on another scale.",
    aliases=("modified_hubert",),
    peers={"NbClust": "Hubert"},
    symbols={"c": "c(i) is the cluster of point i"},
)
def hubert_statistic(m: Moments, s: PairSums) -> float | Noted:
    """Mean over pairs of points of their distance times the distance of their clusters' centroids.

    >>> round(hubert_statistic([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1]), 6)
    13.5
    """
    pairs = s.n_within + s.n_between
    if pairs == 0:
        return Noted(math.nan, "there is only one point")
    if s.matrix is None:
        return Noted(math.nan, "there are too many clusters to keep sums of distances for each pair")
    apart = np.sqrt(((m.centroids[:, None, :] - m.centroids[None, :, :]) ** 2).sum(axis=2))
    return float((s.matrix * apart).sum() / (2 * pairs))


@internal(
    title="D index",
    better="lower",
    range=(0, inf),
    best_k="max_diff",
    reference="lebart2000",
    formula=r"\frac{1}{K} \sum_k \frac{1}{n_k} \sum_{i \in I_k} \|x_i - G_k\|",
    family="graphical knee",
    note="It falls with K and bends where the clusters are right: the vote is the sharpest bend, which NbClust leaves "
    "to the eye. NbClust averages over points.",
    peers={"NbClust": "Dindex"},
    asks="compactness",
    with_n="settles",
)
def d_index(c: CentroidDistances) -> float | Noted:
    """Mean over the clusters of the mean distance to the centroid.

    >>> d_index([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    0.75
    """
    return float(c.mean_to_own.mean())
