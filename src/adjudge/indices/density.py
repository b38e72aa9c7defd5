"""Internal criteria from density: trees of mutual reachability, gaps within clusters."""

from __future__ import annotations

import math

import numpy as np

from adjudge.indices.internal_record import internal
from adjudge.indices.record import Noted, inf
from adjudge.indices.separation import ONE_CLUSTER
from adjudge.statistics.reachability import DensityConnections, DensityTrees, LinkageGaps

NO_DIMENSION = (
    "the exponent is the number of variables, which distances do not tell: give it as the option dimension"
)


@internal(
    title="DBCV",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="moulavi2014",
    formula=r"\sum_k \frac{n_k}{N} \frac{s_k - e_k}{\max(s_k, e_k)}",
    symbols={
        "s_k": "smallest mutual reachability distance of inner points of cluster k to inner points of another",
        "e_k": "longest inner edge of the minimum spanning tree of cluster k",
        "N": "number of points, including noise that is left out",
    },
    undefined="if fewer than two clusters have two points, if two clusters of equal points coincide, and for "
    "precomputed distances without the option `dimension`.",
    note="The minimum spanning tree of mutual reachability is not unique, and neither is the index as published: here "
    "it is built as the authors' program does, but with the densest points of each cluster first, so that the order of "
    "the points does not matter. 'prim' as `tree` gives that of the authors' program and of R's dbscan, 'index' that "
    "of hdbscan with its core distances, which leave coinciding points out (otherwise these are 0), and 'ordered' the "
    "one whose edges come first by distance and position; that has fewer leaves, so more sparse points count as "
    "inner, and its values are lower. A cluster of one point counts as noise.",
    aliases=("density_based_clustering_validation", "validity_index"),
    peers={"hdbscan": "validity_index", "dbscan": "dbcv"},
    asks="density",
    default="Density instead of distance to centres: the one here that does not punish clusters for not "
    "being convex (Moulavi et al. 2014).",
)
def dbcv(t: DensityTrees) -> float | Noted:
    """How much sparser the space between clusters is than the sparsest region within them, weighted by size.

    >>> round(dbcv([[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]], [0, 0, 0, 1, 1, 1]), 6)
    0.809524
    """
    if math.isnan(t.dimension):
        return Noted(math.nan, NO_DIMENSION)
    if t.sizes.size == 1:
        return Noted(math.nan, ONE_CLUSTER)
    several = t.sizes > 1
    if not several.any():
        return Noted(math.nan, "no cluster has two points")
    if several.sum() == 1 and not np.isfinite(t.separations[several]).all():
        return Noted(math.nan, "only one cluster has two points")
    validity = t.validity
    if np.isnan(validity).any():
        return Noted(math.nan, "0/0: two clusters of equal points coincide")
    # A sum that does not depend on the order of the clusters.
    return math.fsum((t.sizes * validity).tolist()) / (int(t.sizes.sum()) + t.left_out)


@internal(
    title="DISCO",
    better="higher",
    range=(-1, 1),
    best_k="max",
    reference="beer2025",
    formula=r"\frac1N \Bigl( \sum_{i \notin \mathcal{N}} \frac{b_i - a_i}{\max(a_i, b_i)} + "
    r"\sum_{i \in \mathcal{N}} \min_k \frac{\kappa_i - m_k}{\max(\kappa_i, m_k)} \Bigr)",
    symbols={
        r"\mathcal{N}": "the points that are noise",
        "a_i": "mean density-connectivity distance from point i to the others of its cluster",
        "b_i": "smallest mean density-connectivity distance from point i to the points of another cluster",
        r"\kappa_i": "core distance of point i: to the `min_points`-th nearest point, itself included",
        "m_k": "greatest core distance in cluster k",
    },
    undefined="if there are fewer points than `min_points`, and not all of one cluster.",
    note="The density-connectivity distance is the longest edge between two points in the minimum spanning tree of "
    "all points under mutual reachability. Points labelled as noise are judged as noise, unless `noise` says "
    "otherwise. As in the authors' program, the only point of a cluster, 0/0 and a single cluster without noise count "
    "as 0, and noise alone as -1; beside a single cluster, each noise point stands for another one. The program "
    "takes the smaller of two values for noise: p_sparse, in the formula, and p_far, with the density-connectivity "
    "distance to the cluster instead of the core distance. No such distance is below the core distance, so p_sparse "
    "is always the smaller one. The option `min_points` is 5 by default.",
    aliases=("disco_score",),
    peers={"clustpy": "disco_score"},
    asks="density",
)
def disco(c: DensityConnections) -> float | Noted:
    """Mean silhouette by density-connected distances; noise scores well if it is sparser than all clusters.

    >>> X = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0], [20.0]]
    >>> round(disco(X, [0, 0, 0, 1, 1, 1, -1], min_points=2), 6)
    0.815584
    """
    if not c.of_points.size:
        return Noted(math.nan, f"there are fewer points than min_points, {c.min_points}")
    return float(c.of_points.mean())


@internal(
    title="Widest gap",
    better="lower",
    range=(0, inf),
    best_k="min",
    reference="hennig2019",
    formula=r"\max_k g_k",
    symbols={"g_k": "longest edge of the minimum spanning tree of cluster k"},
    note="The gap is the distance of the two parts into which single linkage would split a cluster.",
    aliases=("widestgap",),
    peers={"fpc": "widestgap"},
    asks="compactness",
)
def widest_gap(g: LinkageGaps) -> float:
    """The widest gap within a cluster.

    >>> widest_gap([[0.0], [1.0], [4.0], [6.0]], [0, 0, 1, 1])
    2.0
    """
    return float(g.values.max())
