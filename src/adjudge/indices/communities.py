"""Indices of the communities of a graph: how many edges lie inside, and how few between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from adjudge.given.options import check_choice, check_weight
from adjudge.indices.record import Noted, quotient
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.kernels.elementary import exponential, exponentials, logarithm, logarithm_of_one_plus, logarithms
from adjudge.statistics.communities import Communities, CommunityEdges, ConnectedParts

__all__ = [
    "GraphIndex",
    "conductance",
    "graph_connectivity",
    "graph_coverage",
    "internal_density",
    "modularity",
    "normalized_cut",
    "performance",
    "significance",
    "surprise",
]

NO_EDGES = "the graph has no edges"
# Terms of a tail that are added at once.
_TERMS = 2**16
_NO_SAMPLE = "vertices and edges of one graph are no sample of independent instances"
_EITHER_WAY = "Directions of edges are ignored."
_COUNTS = "Counts edges: weights are ignored, parallel edges count as one, and loops are left out."


class GraphIndex(StructureIndex):
    """An index of the communities of a graph."""

    kind = "graph"


graph = maker_of_structure(GraphIndex)


def _total(values: Sequence[Any]) -> Any:
    """Add integers exactly, and floats with one rounding."""
    return math.fsum(values) if isinstance(values[0], float) else sum(values)


def _mean_of_defined(values: Sequence[float], reason: str) -> float | Noted:
    """Mean over the communities whose value is defined."""
    defined = [value for value in values if not math.isnan(value)]
    return quotient(math.fsum(defined), len(defined), reason)


@graph(
    title="Modularity",
    better="higher",
    range=(-0.5, 1),
    reference="newman2004",
    formula=r"\frac{1}{m} \sum_k \left( m_k - \gamma \frac{v_k^2}{4m} \right)",
    symbols={r"\gamma": "the parameter `resolution`"},
    undefined="without edges.",
    influence=_NO_SAMPLE,
    aliases=("newman_girvan", "newman_girvan_modularity"),
    peers={"igraph": "modularity", "networkx": "modularity", "cdlib": "newman_girvan_modularity"},
    note="In a directed graph, v_k^2 / 4m is the weight that leaves a community times that which enters it, over m. A "
    "random graph with the same degrees is part of the definition; `adjust=True` compares with random communities of "
    "the same sizes instead. With a resolution other than 1, values can leave the range.",
    default="The usual measure of communities in a graph.",
    votes="compares with edges that join vertices by their degrees alone; it may join communities that have fewer than "
    "sqrt(2m) edges inside, and Leiden and Louvain maximise it at their resolution 1",
)
def modularity(sums: Communities, *, resolution: float = 1.0) -> float | Noted:
    """Share of the edges inside communities, less the share expected if edges joined vertices by degree alone.

    >>> from adjudge import Graph, modularity
    >>> two_triangles = Graph([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]])
    >>> round(modularity(graph=two_triangles, labels=[0, 0, 0, 1, 1, 1]), 6)
    0.357143
    """
    check_weight("resolution", resolution, may_be_zero=True)
    if not sums.total:
        return quotient(0, 0, NO_EDGES)
    ends = sums.total if sums.directed else 2 * sums.total
    expected = math.fsum(
        (one / ends) * (other / ends) for one, other in zip(sums.out, sums.into, strict=True)
    )
    return float(_total(sums.inside) / sums.total - resolution * expected)


@graph(
    title="Coverage",
    better="higher",
    range=(0, 1),
    reference="fortunato2010",
    formula=r"\frac{1}{m} \sum_k m_k",
    undefined="without edges.",
    influence=_NO_SAMPLE,
    note="It is 1 for a single community. networkx counts edges and ignores their weights.",
    default="The share of the edges that communities explain.",
    drift="it is best for a single community",
)
def graph_coverage(sums: Communities) -> float | Noted:
    """Share of the weight of all edges that lies inside communities.

    >>> from adjudge import Graph, graph_coverage
    >>> graph_coverage(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    0.5
    """
    return quotient(_total(sums.inside), sums.total, NO_EDGES)


@graph(
    title="Performance",
    better="higher",
    range=(0, 1),
    reference="fortunato2010",
    formula=r"\frac{1}{M} \left( \sum_k e_k + M - \sum_k M_k - \left( e - \sum_k e_k \right) \right)",
    undefined="with a single vertex.",
    influence=_NO_SAMPLE,
    note=f"{_COUNTS} networkx has another value for graphs with loops.",
    default="The share of pairs of vertices that the communities explain: joined inside, apart outside.",
    drift="it is near 1 for many small communities in a sparse graph",
)
def performance(edges: CommunityEdges) -> float | Noted:
    """Share of the pairs of vertices that have an edge inside a community, or none between communities.

    >>> from adjudge import Graph, performance
    >>> round(performance(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1]), 4)
    0.6667
    """
    inside = sum(edges.inside)
    apart = edges.n_pairs - sum(edges.pairs) - (edges.n_edges - inside)
    return quotient(inside + apart, edges.n_pairs, "there is one vertex")


@graph(
    title="Conductance",
    better="lower",
    range=(0, 1),
    reference="kannan2004",
    formula=r"\frac1K \sum_k \frac{c_k}{\min(v_k, 2m - v_k)}",
    undefined="for a single community, and if no community has edges in it and outside of it.",
    influence=_NO_SAMPLE,
    note=f"Communities where it is undefined are left out. {_EITHER_WAY} networkx has that of one community; in a "
    "directed graph it divides by the volume of one direction. cdlib leaves out the minimum: c_k / v_k.",
    default="How easily a random walk leaves a community.",
    drift="it prefers few, large communities",
)
def conductance(sums: Communities, *, over: Literal["mean", "worst"] = "mean") -> float | Noted:
    """Weight of the edges that leave a community over the volume of its smaller side, as a mean over communities.

    >>> from adjudge import Graph, conductance
    >>> conductance(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    0.5
    """
    check_choice("over", over, ("mean", "worst"))
    found = _mean_of_defined(sums.conductances, "no community has edges both in it and outside of it")
    return float(np.nanmax(sums.conductances)) if over == "worst" and isinstance(found, float) else found


@graph(
    title="Normalized cut",
    better="lower",
    range=(0, math.inf),
    reference="shi2000",
    formula=r"\sum_k \frac{c_k}{v_k}",
    undefined="if a community has no edges.",
    influence=_NO_SAMPLE,
    aliases=("ncut",),
    note=f"{_EITHER_WAY} networkx's `normalized_cut_size` and cdlib's `normalized_cut` are of one community against "
    "the others; cdlib counts the cut twice in the volume of the others.",
    drift="it grows with the number of communities",
)
def normalized_cut(sums: Communities) -> float | Noted:
    """Weight of the edges that leave a community over its volume, added up over communities.

    >>> from adjudge import Graph, normalized_cut
    >>> normalized_cut(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    1.0
    """
    if not all(sums.volume):
        return quotient(0, 0, "a community has no edges")
    return math.fsum(cut / own for cut, own in zip(sums.cut, sums.volume, strict=True))


@graph(
    title="Internal density",
    better="higher",
    range=(0, 1),
    reference="yang2015",
    formula=r"\frac1K \sum_k \frac{e_k}{M_k}",
    undefined="if every community is a single vertex.",
    influence=_NO_SAMPLE,
    peers={"cdlib": "internal_edge_density"},
    note=f"The mean over communities of at least two vertices. {_COUNTS} cdlib counts a single vertex as 0.",
    drift="it prefers small communities",
)
def internal_density(edges: CommunityEdges) -> float | Noted:
    """Share of the pairs of a community that an edge joins, as a mean over communities.

    >>> from adjudge import Graph, internal_density
    >>> internal_density(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    1.0
    """
    return _mean_of_defined(edges.densities, "every community is a single vertex")


@graph(
    title="Graph connectivity",
    better="higher",
    range=(0, 1),
    reference="luecken2022",
    formula=r"\frac1K \sum_k \frac{c_k}{n_k}",
    symbols={
        "c_k": "vertices of the largest part of community k that edges inside it connect",
        "n_k": "number of vertices of community k",
    },
    influence=_NO_SAMPLE,
    peers={"scib": "graph_connectivity"},
    note=f"For cell types in the graph of nearest neighbours after integration. {_EITHER_WAY} scib-metrics asks for "
    "paths in both directions.",
    drift="it is best for any connected communities, such as single vertices",
)
def graph_connectivity(parts: ConnectedParts) -> float | Noted:
    """Share of the vertices of a community that are in its largest connected part, as a mean over communities.

    >>> from adjudge import Graph, graph_connectivity
    >>> graph_connectivity(graph=Graph([[0, 1], [2, 3], [3, 4]]), labels=[0, 0, 0, 1, 1])
    0.8333333333333333
    """
    return math.fsum((parts.largest / parts.sizes).tolist()) / parts.sizes.size


def _divergence(observed: float, expected: float) -> float:
    """Kullback-Leibler divergence of two coins, in nats."""
    sides = ((observed, expected), (1 - observed, 1 - expected))
    return math.fsum(own * logarithm(own / other) for own, other in sides if own)


@graph(
    title="Surprise",
    better="higher",
    range=(0, math.inf),
    reference="traag2015",
    formula=r"e \left( q \log\frac{q}{t} + (1 - q) \log\frac{1 - q}{1 - t} \right)",
    symbols={"q": "share of the edges that are inside communities", "t": "share of the pairs that are"},
    undefined="without edges.",
    influence=_NO_SAMPLE,
    peers={"cdlib": "surprise"},
    note="Natural logarithms. It is also large if few edges are inside. `exact=True` takes minus the logarithm of the "
    f"hypergeometric probability of at least as many edges inside. {_COUNTS}",
    votes="compares with random pairs of vertices; it prefers small communities where vertices have few edges, and is "
    "also large if fewer edges than by chance are inside",
)
def surprise(edges: CommunityEdges, *, exact: bool = False) -> float | Noted:
    """How unlikely the number of edges inside communities is if edges join pairs at random, for large graphs.

    >>> from adjudge import Graph, surprise
    >>> round(surprise(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1]), 6)
    0.235566
    """
    if not edges.n_edges:
        return quotient(0, 0, NO_EDGES)
    inside, within = sum(edges.inside), sum(edges.pairs)
    if exact:
        return max(0.0, -_log_tail(inside, within, edges.n_edges, edges.n_pairs))
    return edges.n_edges * _divergence(inside / edges.n_edges, within / edges.n_pairs)


def _log_choose(n: int, k: int) -> float:
    """Logarithm of a binomial coefficient, by Stirling's series: logarithms of factorials would cancel."""
    if min(k, n - k) < 30:
        return math.log(math.comb(n, k))  # an integer of any size
    rest = [1 / (12 * x) - 1 / (360 * x**3) + 1 / (1260 * x**5) for x in (n, k, n - k)]
    within = -k * logarithm(k / n) - (n - k + 0.5) * logarithm_of_one_plus(-k / n)
    return within - logarithm(2 * math.pi * k) / 2 + rest[0] - rest[1] - rest[2]


def _log_tail(inside: int, within: int, drawn: int, pairs: int) -> float:
    """Logarithm of the hypergeometric probability of at least as many edges inside, up to terms that vanish."""
    outside, last, total = pairs - within, 0.0, 0.0
    first = _log_choose(within, inside) + _log_choose(outside, drawn - inside) - _log_choose(pairs, drawn)
    for start in range(inside, min(within, drawn), _TERMS):
        i = np.arange(start, min(start + _TERMS, within, drawn), dtype=np.float64)
        steps = logarithms((within - i) / (i + 1)) + logarithms((drawn - i) / (outside - drawn + i + 1))
        logs = last + np.cumsum(steps)
        top, last = float(logs.max()), float(logs[-1])
        added = top + logarithm(float(exponentials(logs - top).sum()))
        total = max(total, added) + logarithm(1.0 + exponential(-abs(total - added)))
        if steps[-1] < 0 and last < total - 50:
            break
    return first + total


@graph(
    title="Significance",
    better="higher",
    range=(0, math.inf),
    reference="traag2013",
    formula=r"\sum_k M_k \left( p_k \log\frac{p_k}{p} + (1 - p_k) \log\frac{1 - p_k}{1 - p} \right)",
    symbols={
        "p_k": "share of the pairs in community k that edges join",
        "p": "share of all pairs that they join",
    },
    undefined="without edges.",
    influence=_NO_SAMPLE,
    note=f"Natural logarithms. It is also large for sparse communities. {_COUNTS} cdlib takes pairs of edges instead.",
    votes="compares with the density of a random graph; it prefers small communities where vertices have few edges",
)
def significance(edges: CommunityEdges) -> float | Noted:
    """How unlikely communities so dense are in a random graph, for large graphs.

    >>> from adjudge import Graph, significance
    >>> round(significance(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1]), 6)
    0.81093
    """
    if not edges.n_edges:
        return quotient(0, 0, NO_EDGES)
    overall = edges.n_edges / edges.n_pairs
    both = zip(edges.densities, edges.pairs, strict=True)
    return math.fsum(pairs * _divergence(own, overall) for own, pairs in both if pairs)
