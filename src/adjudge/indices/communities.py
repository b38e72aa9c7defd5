"""Indices of the communities of a graph: how many edges lie inside, and how few between."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from adjudge.given.options import check_choice
from adjudge.indices.record import Noted, quotient
from adjudge.indices.structure_record import StructureIndex, maker_of_structure
from adjudge.statistics.communities import Communities, CommunityEdges
from adjudge.statistics.exact_sums import exact_total

__all__ = [
    "GraphIndex",
    "conductance",
    "cut_ratio",
    "expansion",
    "graph_coverage",
    "internal_density",
    "modularity",
    "normalized_cut",
    "performance",
    "ratio_cut",
    "significance",
    "surprise",
    "surprise_exact",
]

NO_EDGES = "the graph has no edges"
# Terms of a tail that are added at once, and how far below the sum, in nats, they no longer matter.
_TERMS = 2**16
_VANISHED = 50
_NO_SAMPLE = "vertices and edges of one graph are no sample of independent instances"
_EITHER_WAY = "Directions of edges are ignored."
_COUNTS = "Counts edges: weights are ignored, parallel edges count as one, and loops are left out."


class GraphIndex(StructureIndex):
    """An index of the communities of a graph."""

    kind = "graph"


graph = maker_of_structure(GraphIndex)


def _divided(numerator: Any, denominator: Any) -> float:
    return float(numerator / denominator) if denominator else math.nan


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
    note="In a directed graph, the product of the weights that leave and that enter a community, over m, takes the "
    "place of the squared volume over 4m (Leicht and Newman 2008). Random graphs that keep the degrees are part of the "
    "definition; `adjust=True` compares with random communities of the same sizes instead. With a resolution other "
    "than 1, values can leave the range.",
    default="The usual measure of communities in a graph.",
)
def modularity(sums: Communities, *, resolution: float = 1.0) -> float | Noted:
    """Share of the edges inside communities, less the share expected if edges joined vertices by degree alone.

    Examples
    --------
    >>> from adjudge import Graph, modularity
    >>> two_triangles = Graph([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]])
    >>> round(modularity(graph=two_triangles, labels=[0, 0, 0, 1, 1, 1]), 6)
    0.357143
    """
    if not sums.total:
        return quotient(0, 0, NO_EDGES)
    expected = exact_total([one * other for one, other in zip(sums.out, sums.into, strict=True)])
    inside = exact_total(sums.inside)
    return float(inside / sums.total - resolution * (expected / (sums.ends * sums.ends)))


@graph(
    title="Coverage",
    better="higher",
    range=(0, 1),
    reference="fortunato2010",
    formula=r"\frac{1}{m} \sum_k m_k",
    undefined="without edges.",
    influence=_NO_SAMPLE,
    note="It is 1 for a single community. networkx counts edges and ignores their weights.",
    default="The share of the edges that the communities explain.",
)
def graph_coverage(sums: Communities) -> float | Noted:
    """Share of the weight of all edges that lies inside communities.

    Examples
    --------
    >>> from adjudge import Graph, graph_coverage
    >>> graph_coverage(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    0.5
    """
    return quotient(exact_total(sums.inside), sums.total, NO_EDGES)


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
)
def performance(edges: CommunityEdges) -> float | Noted:
    """Share of the pairs of vertices that have an edge inside a community, or none between communities.

    Examples
    --------
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
    undefined="if no community has edges both inside its volume and outside of it, as with a single community.",
    influence=_NO_SAMPLE,
    note=f'The mean over the communities where it is defined; `over="worst"` takes the largest. {_EITHER_WAY} '
    "networkx's `conductance` is that of one community; in a directed graph it takes the cut of both directions over "
    "the volume of one. cdlib leaves out the minimum: c_k / v_k.",
    default="How easily a random walk leaves a community.",
)
def conductance(sums: Communities, *, over: Literal["mean", "worst"] = "mean") -> float | Noted:
    """Weight of the edges that leave a community over the volume of its smaller side, as a mean over communities.

    Examples
    --------
    >>> from adjudge import Graph, conductance
    >>> conductance(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    0.5
    """
    check_choice("over", over, ("mean", "worst"))
    reason = "no community has edges both in it and outside of it"
    defined = [value for value in sums.conductances if not math.isnan(value)]
    return max(defined) if defined and over == "worst" else _mean_of_defined(defined, reason)


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
)
def normalized_cut(sums: Communities) -> float | Noted:
    """Weight of the edges that leave a community over its volume, added up over communities.

    Examples
    --------
    >>> from adjudge import Graph, normalized_cut
    >>> normalized_cut(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    1.0
    """
    if not all(sums.volume):
        return quotient(0, 0, "a community has no edges")
    return math.fsum(cut / own for cut, own in zip(sums.cut, sums.volume, strict=True))


@graph(
    title="Ratio cut",
    better="lower",
    range=(0, math.inf),
    reference="hagen1992",
    formula=r"\sum_k \frac{c_k}{n_k}",
    influence=_NO_SAMPLE,
    note=f"{_EITHER_WAY} Some authors halve it.",
)
def ratio_cut(sums: Communities) -> float | Noted:
    """Weight of the edges that leave a community over its size, added up over communities.

    Examples
    --------
    >>> from adjudge import Graph, ratio_cut
    >>> ratio_cut(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    2.0
    """
    return math.fsum(cut / size for cut, size in zip(sums.cut, sums.sizes, strict=True))


@graph(
    title="Expansion",
    better="lower",
    range=(0, math.inf),
    reference="yang2015",
    formula=r"\frac1K \sum_k \frac{c_k}{n_k}",
    influence=_NO_SAMPLE,
    peers={"cdlib": "expansion"},
    note=_EITHER_WAY,
)
def expansion(sums: Communities) -> float | Noted:
    """Weight of the edges that leave a community per vertex, as a mean over communities.

    Examples
    --------
    >>> from adjudge import Graph, expansion
    >>> expansion(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    1.0
    """
    return math.fsum(cut / size for cut, size in zip(sums.cut, sums.sizes, strict=True)) / len(sums.sizes)


@graph(
    title="Cut ratio",
    better="lower",
    range=(0, math.inf),
    reference="yang2015",
    formula=r"\frac1K \sum_k \frac{c_k}{n_k (n - n_k)}",
    undefined="with a single community.",
    influence=_NO_SAMPLE,
    peers={"cdlib": "cut_ratio"},
    note="At most 1 if edges have no weights. In a directed graph each pair of vertices counts twice, once for each "
    "direction.",
)
def cut_ratio(sums: Communities) -> float | Noted:
    """Weight of the edges that leave a community over the number of those that could, as a mean over communities.

    Examples
    --------
    >>> from adjudge import Graph, cut_ratio
    >>> cut_ratio(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    0.5
    """
    ways = 2 if sums.directed else 1
    sides = zip(sums.cut, sums.sizes, strict=True)
    shares = [_divided(cut, ways * size * (sums.n - size)) for cut, size in sides]
    return _mean_of_defined(shares, "there is one community")


@graph(
    title="Internal density",
    better="higher",
    range=(0, 1),
    reference="yang2015",
    formula=r"\frac1K \sum_k \frac{e_k}{M_k}",
    undefined="if every community is a single vertex.",
    influence=_NO_SAMPLE,
    aliases=("internal_edge_density",),
    peers={"cdlib": "internal_edge_density"},
    note=f"The mean over communities of at least two vertices. {_COUNTS} cdlib counts a single vertex as 0.",
)
def internal_density(edges: CommunityEdges) -> float | Noted:
    """Share of the pairs of a community that an edge joins, as a mean over communities.

    Examples
    --------
    >>> from adjudge import Graph, internal_density
    >>> internal_density(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1])
    1.0
    """
    return _mean_of_defined(edges.densities, "every community is a single vertex")


def _divergence(observed: float, expected: float) -> float:
    """Kullback-Leibler divergence of two coins, in nats."""
    pairs = ((observed, expected), (1 - observed, 1 - expected))
    return math.fsum(own * math.log(own / other) for own, other in pairs if own)


@graph(
    title="Surprise (asymptotic)",
    better="higher",
    range=(0, math.inf),
    reference="traag2015",
    formula=r"e \left( q \log\frac{q}{t} + (1 - q) \log\frac{1 - q}{1 - t} \right)",
    symbols={"q": "share of the edges that are inside communities", "t": "share of the pairs that are"},
    undefined="without edges.",
    influence=_NO_SAMPLE,
    aliases=("asymptotic_surprise",),
    peers={"cdlib": "surprise"},
    note=f"Natural logarithms. It is also large if fewer edges than expected are inside. {_COUNTS} cdlib has nan if "
    "all edges are inside.",
)
def surprise(edges: CommunityEdges) -> float | Noted:
    """How unlikely the number of edges inside communities is if edges join pairs at random, for large graphs.

    Examples
    --------
    >>> from adjudge import Graph, surprise
    >>> round(surprise(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1]), 6)
    0.235566
    """
    if not edges.n_edges:
        return quotient(0, 0, NO_EDGES)
    inside = sum(edges.inside) / edges.n_edges
    return edges.n_edges * _divergence(inside, sum(edges.pairs) / edges.n_pairs)


def _stirling_rest(n: int) -> float:
    """Return log n! less Stirling's approximation."""
    if n < 16:
        return math.lgamma(n + 1) - (n + 0.5) * math.log(n) + n - 0.5 * math.log(2 * math.pi) if n else 0.0
    return (1 - (1 - (2 / 7) / n**2) / (30 * n**2)) / (12 * n)


def _log_choose(n: int, k: int) -> float:
    """Logarithm of a binomial coefficient, to the precision of its own size."""
    if k in (0, n):
        return 0.0
    rest, root = n - k, math.log(2 * math.pi) + math.log(k) + math.log1p(-k / n)
    entropy = -k * math.log(k / n) - rest * math.log1p(-k / n)
    return entropy - root / 2 + _stirling_rest(n) - _stirling_rest(k) - _stirling_rest(rest)


@graph(
    title="Surprise (exact)",
    better="higher",
    range=(0, math.inf),
    reference="aldecoa2013",
    formula=r"-\log P(h \ge e_{in})",
    symbols={
        "e_{in}": "edges inside communities",
        "P": "probability",
        "h": "edges inside if e of all M pairs of vertices, drawn at random, have one (hypergeometric)",
    },
    undefined="without edges.",
    influence=_NO_SAMPLE,
    note=f"Natural logarithms; the authors take decimal ones. {_COUNTS}",
)
def surprise_exact(edges: CommunityEdges) -> float | Noted:
    """Minus the logarithm of the probability of no fewer edges inside communities if edges join pairs at random.

    Examples
    --------
    >>> from adjudge import Graph, surprise_exact
    >>> round(surprise_exact(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1]), 6)
    0.916291
    """
    if not edges.n_edges:
        return quotient(0, 0, NO_EDGES)
    inside, within, drawn = sum(edges.inside), sum(edges.pairs), edges.n_edges
    outside = edges.n_pairs - within
    first = (
        _log_choose(within, inside) + _log_choose(outside, drawn - inside) - _log_choose(edges.n_pairs, drawn)
    )
    return max(0.0, -(first + _log_tail(inside, min(within, drawn), within, drawn, outside)))


def _log_tail(inside: int, most: int, within: int, drawn: int, outside: int) -> float:
    """Logarithm of the probability of at least so many edges inside, over that of exactly so many.

    Each term follows from the one before. They rise to the mode and then fall, so the sum ends where they vanish.
    """
    total = last = 0.0
    for start in range(inside, most, _TERMS):
        i = np.arange(start, min(start + _TERMS, most), dtype=np.float64)
        steps = np.log((within - i) / (i + 1)) + np.log((drawn - i) / (outside - drawn + i + 1))
        logs = last + np.cumsum(steps)
        top, last = float(logs.max()), float(logs[-1])
        total = float(np.logaddexp(total, top + math.log(np.exp(logs - top).sum())))
        if steps[-1] < 0 and last < total - _VANISHED:
            break
    return total


@graph(
    title="Significance",
    better="higher",
    range=(0, math.inf),
    reference="traag2013",
    formula=r"\sum_k M_k \left( p_k \log\frac{p_k}{p} + (1 - p_k) \log\frac{1 - p_k}{1 - p} \right)",
    symbols={
        "p_k": "share of the pairs of community k that an edge joins",
        "p": "share of all pairs that an edge joins",
    },
    undefined="without edges.",
    influence=_NO_SAMPLE,
    note=f"Natural logarithms. It is also large for communities with fewer edges than expected. {_COUNTS} cdlib takes "
    "the pairs of edges for the pairs of vertices.",
)
def significance(edges: CommunityEdges) -> float | Noted:
    """How unlikely communities so dense are in a random graph, for large graphs.

    Examples
    --------
    >>> from adjudge import Graph, significance
    >>> round(significance(graph=Graph([[0, 1], [1, 2], [2, 3], [0, 3]]), labels=[0, 0, 1, 1]), 6)
    0.81093
    """
    if not edges.n_edges:
        return quotient(0, 0, NO_EDGES)
    overall = edges.n_edges / edges.n_pairs
    both = zip(edges.densities, edges.pairs, strict=True)
    return math.fsum(pairs * _divergence(own, overall) for own, pairs in both if pairs)
