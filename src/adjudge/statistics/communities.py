"""What indices of communities read: weights and numbers of edges inside and between communities."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from adjudge.given.graph import Graph, edge_chunks
from adjudge.given.input_kinds import Partition
from adjudge.given.label_vectors import Labels
from adjudge.statistics.exact_sums import GroupedSums

__all__ = ["Communities", "CommunityEdges"]


@dataclass(frozen=True, eq=False, slots=True)
class Communities:
    """Weights of the edges inside and between the communities of a graph.

    Weights are integers if those of the graph are, else floats. All are sums over edges that do not depend on the order
    of the edges. A loop counts once as an edge inside, and twice in the volume, as it has both ends there.

    Attributes
    ----------
    labels : tuple
        The label of each community.
    sizes : tuple of int
        Vertices of each community.
    inside : tuple of int or float
        Weight of the edges with both ends in the community.
    out, into : tuple of int or float
        Weight of the edges that start, and that end, in the community, of a directed graph; the volume twice otherwise.
    volume : tuple of int or float
        Weight of the ends of edges in the community, whatever their direction.
    rest : tuple of int or float
        Weight of all other ends of edges.
    cut : tuple of int or float
        Weight of the edges with one end in the community, whatever their direction.
    total : int or float
        Weight of all edges.
    n : int
        Number of vertices.
    directed : bool
    """

    made_from: ClassVar[tuple[type, ...]] = (Graph, Partition)

    labels: tuple[Any, ...]
    sizes: tuple[int, ...]
    inside: tuple[Any, ...]
    out: tuple[Any, ...]
    into: tuple[Any, ...]
    volume: tuple[Any, ...]
    rest: tuple[Any, ...]
    cut: tuple[Any, ...]
    total: Any
    n: int
    directed: bool

    @classmethod
    def make(cls, graph: Graph, partition: Labels) -> Self:
        """Sum the weights in one pass over the edges."""
        codes, labels, sizes = partition.counted()
        k, whole = len(labels), graph.has_whole_weights
        inside, out, into = GroupedSums(k), GroupedSums(k), GroupedSums(k)
        for chunk in edge_chunks(graph):
            one, other = codes.take(chunk.ends).T
            within = one == other
            out.add(one, chunk.weights)
            into.add(other, chunk.weights)
            inside.add(one[within], [(e, w if w is None else w[within]) for e, w in chunk.weights])
        ends, total = out + into, out.merged()
        volume = ends.totals(whole=whole)
        return cls(
            labels=tuple(labels),
            sizes=tuple(sizes.tolist()),
            inside=inside.totals(whole=whole),
            out=out.totals(whole=whole) if graph.directed else volume,
            into=into.totals(whole=whole) if graph.directed else volume,
            volume=volume,
            rest=(total.times(2) + ends.times(-1)).totals(whole=whole),
            cut=(ends + inside.times(-2)).totals(whole=whole),
            total=total.totals(whole=whole)[0],
            n=graph.n,
            directed=bool(graph.directed),
        )

    @property
    def ends(self) -> Any:
        """Weight of the ends of all edges: twice the total, or the total of each direction."""
        return self.total if self.directed else 2 * self.total

    @property
    def details(self) -> Mapping[str, Any]:
        """The sums of each community, as arrays in the order of `communities`."""
        sums = {"inside": self.inside, "volume": self.volume, "cut": self.cut}
        return {
            "communities": list(self.labels),
            "sizes": np.array(self.sizes),
            **{name: np.array(own) for name, own in sums.items()},
            "conductance": np.array(self.conductances),
        }

    @property
    def conductances(self) -> tuple[float, ...]:
        """The cut over the smaller volume, of the community or of all others; nan if that is 0."""
        smaller = map(min, self.volume, self.rest)
        sides = zip(self.cut, smaller, strict=True)
        return tuple(cut / least if least > 0 else math.nan for cut, least in sides)


@dataclass(frozen=True, eq=False, slots=True)
class CommunityEdges:
    """Numbers of edges inside communities, without loops; parallel edges count as one, and weights do not matter.

    Attributes
    ----------
    inside : tuple of int
        Edges inside each community.
    pairs : tuple of int
        Pairs of vertices of each community, of which one edge may join each; ordered pairs in a directed graph.
    n_edges : int
    n_pairs : int
        Pairs of all vertices.
    """

    made_from: ClassVar[tuple[type, ...]] = (Graph, Partition)

    inside: tuple[int, ...]
    pairs: tuple[int, ...]
    n_edges: int
    n_pairs: int

    @classmethod
    def make(cls, graph: Graph, partition: Labels) -> Self:
        """Count the edges in one pass, after repeated ones were found."""
        codes, labels, sizes = partition.counted()
        inside, n_edges = np.zeros(len(labels), np.int64), 0
        repeated = graph.repeated
        for chunk in edge_chunks(graph):
            counted = chunk.ends[:, 0] != chunk.ends[:, 1]
            if repeated is not None:
                counted &= ~repeated[chunk.start : chunk.start + counted.size]
            one, other = codes.take(chunk.ends[counted]).T
            inside += np.bincount(one[one == other], minlength=inside.size)
            n_edges += one.size
        ways = 2 if graph.directed else 1
        pairs = tuple(size * (size - 1) // 2 * ways for size in sizes.tolist())
        return cls(tuple(inside.tolist()), pairs, n_edges, graph.n * (graph.n - 1) // 2 * ways)

    @property
    def densities(self) -> tuple[float, ...]:
        """Edges among the pairs of each community; nan without pairs."""
        both = zip(self.inside, self.pairs, strict=True)
        return tuple(own / pairs if pairs else math.nan for own, pairs in both)

    @property
    def details(self) -> Mapping[str, Any]:
        """The counts of each community, as arrays."""
        return {"edges_inside": np.array(self.inside), "internal_density": np.array(self.densities)}
