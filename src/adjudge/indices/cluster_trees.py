"""Indices of trees of clusters: from the truth, from the points, or against another tree."""

from __future__ import annotations

import math

from adjudge.indices.record import Noted
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.statistics.cluster_joins import ClassJoins
from adjudge.statistics.join_heights import CopheneticMoments, JoinedTwice, JointMoments
from adjudge.statistics.joined_edges import JoinedEdges

__all__ = [
    "TreeIndex",
    "bakers_gamma",
    "cophenetic_agreement",
    "cophenetic_correlation",
    "dasgupta_cost",
    "dendrogram_purity",
    "hierarchical_f",
]


class TreeIndex(StructureIndex):
    """An index of a tree of clusters."""

    kind = "hierarchy"


tree = maker_of_structure(TreeIndex)

_COR = r"\operatorname{{cor}}_{{i<j}}({}, {})"
_ONE_TREE = "the instances of one tree are no independent sample: another sample has another tree"


def _correlation(moments: JointMoments, first: str, second: str) -> float | Noted:
    """Divide, and keep rounding within -1 and 1."""
    for squares, what in ((moments.first, first), (moments.second, second)):
        if squares == 0:
            return Noted(math.nan, f"0/0: {what}")
    value = moments.product / math.sqrt(moments.first) / math.sqrt(moments.second)
    return min(1.0, max(-1.0, value))


@tree(
    title="Cophenetic correlation",
    better="higher",
    range=(-1, 1),
    reference="sokal1962",
    formula=_COR.format("d_{ij}", "h_{ij}"),
    symbols={
        "d_{ij}": "Euclidean distance between points i and j",
        "h_{ij}": "height at which the tree joins i and j",
    },
    undefined="if all distances, or all heights, are equal.",
    note="Distances are Euclidean, whatever the tree was made from.",
    influence=_ONE_TREE,
    chance="it reads one tree and its points",
    peers={"SciPy": "cophenet"},
    default="The usual measure of how well the heights of a tree stand for the distances.",
)
def cophenetic_correlation(joined: CopheneticMoments) -> float | Noted:
    """Correlation, over all pairs, of the distance with the height at which the tree joins the pair.

    >>> round(cophenetic_correlation(linkage=[[0, 1, 1.0, 2], [2, 3, 2.5, 3]], X=[[0.0], [1.0], [3.0]]), 6)
    0.866025
    """
    return _correlation(joined.moments, "all distances are equal", "all heights are equal")


@tree(
    title="Dendrogram purity",
    better="higher",
    range=(0, 1),
    reference="heller2005",
    formula=r"\frac1P \sum_c \sum_{i<j \in c} \frac{n_{c,v(i,j)}}{n_{v(i,j)}}",
    symbols={
        "P": "pairs of instances of one class",
        "c": "a class",
        "v(i,j)": "smallest cluster with both i and j",
        "n_{v(i,j)}": "number of instances of this cluster",
        "n_{c,v(i,j)}": "number of those of class c",
    },
    undefined="if no two instances have the same class.",
    note="Among equal heights the order of the merges counts; by_height=True takes them as one merge of many clusters.",
    influence=_ONE_TREE,
    default="The usual measure of how well a tree keeps classes apart, at all heights at once.",
)
def dendrogram_purity(joins: ClassJoins, *, by_height: bool = False) -> float | Noted:
    """Mean share of a class in the smallest cluster with two of its instances, over all pairs of one class.

    >>> round(dendrogram_purity(["a", "b", "a"], linkage=[[0, 1, 1.0, 2], [2, 3, 2.5, 3]]), 6)
    0.666667
    """
    if not joins.n_pairs:
        return Noted(math.nan, "0/0: no two instances have the same class")
    return min(1.0, (joins.shares_by_height if by_height else joins.shares) / joins.n_pairs)


@tree(
    title="Hierarchical F",
    better="higher",
    range=(0, 1),
    reference="larsen1999",
    formula=r"\sum_c \frac{n_c}{n} \max_v \frac{2 n_{cv}}{n_c + n_v}",
    symbols={
        "n_c": "number of instances of class c",
        "n_v": "number of instances of cluster v",
        "n_{cv}": "number of instances of class c in cluster v",
        "c": "a class",
        "v": "a cluster of the tree",
    },
    note="Single instances count as clusters; inner=True leaves them out, as in trees whose leaves are no clusters.",
    influence=_ONE_TREE,
    default="How well the tree has a cluster for each class, at whatever height.",
)
def hierarchical_f(joins: ClassJoins, *, inner: bool = False) -> float | Noted:
    """Mean over the classes, by size, of the F of the cluster that fits the class best.

    >>> round(hierarchical_f(["a", "b", "a"], linkage=[[0, 1, 1.0, 2], [2, 3, 2.5, 3]]), 6)
    0.866667
    """
    best = joins.best_inner_f if inner else joins.best_f
    return min(1.0, math.fsum((best * joins.class_sizes).tolist()) / int(joins.class_sizes.sum()))


@tree(
    title="Cophenetic agreement",
    better="higher",
    range=(-1, 1),
    reference="sokal1962",
    formula=_COR.format("h_{ij}", "h'_{ij}"),
    symbols={
        "h_{ij}": "height at which the first tree joins i and j",
        "h'_{ij}": "height at which the second tree joins i and j",
    },
    symmetric=True,
    undefined="if all heights of a tree are equal.",
    influence=_ONE_TREE,
    peers={"dendextend": "cor_cophenetic"},
    default="How well two trees agree about the heights at which they join pairs.",
)
def cophenetic_agreement(joined: JoinedTwice) -> float | Noted:
    """Correlation, over all pairs, of the heights at which two trees join the pair.

    >>> from adjudge import Linkage, cophenetic_agreement
    >>> first = Linkage([[0, 1, 1.0, 2], [2, 3, 2.5, 3]])
    >>> round(cophenetic_agreement(first, linkage=[[1, 2, 1.0, 2], [0, 3, 2.5, 3]]), 6)
    -0.5
    """
    return _correlation(
        joined.heights, "all heights of the first tree are equal", "all heights of the second tree are equal"
    )


@tree(
    title="Baker's gamma",
    better="higher",
    range=(-1, 1),
    reference="baker1974",
    formula=_COR.format("r_{ij}", "r'_{ij}"),
    symbols={
        "r_{ij}": "rank, among all pairs, of the merge of the first tree that joins i and j; tied pairs share it",
        "r'_{ij}": "the same in the second tree",
    },
    symmetric=True,
    undefined="if there are two instances, which are one pair.",
    note="Spearman's correlation, as in dendextend; Baker's own was Goodman and Kruskal's gamma. Merges are ranked by "
    "their order. dendextend cuts trees by height, and differs where heights are equal or a later merge is lower.",
    influence=_ONE_TREE,
    peers={"dendextend": "cor_bakers_gamma"},
    default="How well two trees agree about the order in which they join pairs, whatever the heights.",
)
def bakers_gamma(joined: JoinedTwice) -> float | Noted:
    """Rank correlation, over all pairs, of the merges by which two trees join the pair.

    >>> from adjudge import Linkage, bakers_gamma
    >>> first = Linkage([[0, 1, 1.0, 2], [2, 3, 2.5, 3]])
    >>> round(bakers_gamma(first, linkage=[[1, 2, 1.0, 2], [0, 3, 9.5, 3]]), 6)
    -0.5
    """
    return _correlation(joined.ranks, "there is one pair of instances", "there is one pair of instances")


@tree(
    title="Dasgupta's cost",
    better="lower",
    range=(0, math.inf),
    reference="dasgupta2016",
    formula=r"\sum_{i<j} w_{ij} n_{v(i,j)}",
    symbols={
        "w_{ij}": "weight of the edges between instances i and j",
        "v(i,j)": "smallest cluster with both i and j",
        "n_{v(i,j)}": "number of instances of this cluster",
    },
    best=None,
    influence=_ONE_TREE,
    note="For trees of one graph: it grows with the number and the weight of edges, and no tree reaches 0. Weights are "
    "similarities. Directions are ignored, and loops left out. scikit-network divides by the weight of all edges.",
    peers={"scikit-network": "dasgupta_cost(normalized=False)"},
    default="How far down a tree keeps together what the edges of a graph join.",
)
def dasgupta_cost(edges: JoinedEdges) -> float | Noted:
    """Sum over the edges of their weight times the size of the smallest cluster with both ends.

    >>> from adjudge import Graph, dasgupta_cost
    >>> dasgupta_cost(linkage=[[0, 1, 1.0], [2, 3, 2.5]], graph=Graph([[0, 1], [1, 2]]))
    5.0
    """
    parts = [weight * size for weight, size in zip(edges.weights, edges.sizes, strict=True)]
    return math.fsum(parts) if isinstance(parts[0], float) else float(sum(parts))
