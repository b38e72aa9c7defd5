"""What indices of communities read: weights and numbers of edges inside and between communities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.given.graph import Graph, edge_chunks
from adjudge.given.input_kinds import Partition
from adjudge.given.label_vectors import Labels

# Most pairs of communities for which edges are summed by pair.
_MOST_PAIRS = 2**15


@dataclass(frozen=True, eq=False, slots=True)
class Communities:
    """Weights of the edges inside and between the communities of a graph.

    Weights are integers if those of the graph are, else floats that are rounded once, whatever the order of the edges.

    Attributes
    ----------
    labels, sizes : tuple
        The label of each community, and the number of its vertices.
    inside : tuple
        Weight of the edges with both ends in the community.
    volume, rest : tuple
        Weight of the ends of edges in the community, and in all others. A loop has two ends.
    cut : tuple
        Weight of the edges with one end in the community.
    out, into : tuple
        Weight of the edges that start, and that end, in the community; the volume, if edges have no directions.
    total, directed : int or float, and bool
    """

    made_from: ClassVar[tuple[type, ...]] = (Graph, Partition)

    labels: tuple[Any, ...]
    sizes: tuple[int, ...]
    inside: tuple[Any, ...]
    volume: tuple[Any, ...]
    rest: tuple[Any, ...]
    cut: tuple[Any, ...]
    out: tuple[Any, ...]
    into: tuple[Any, ...]
    total: Any
    directed: bool

    @classmethod
    def make(cls, graph: Graph, partition: Labels) -> Self:
        """Sum the weights in one pass over the edges."""
        codes, labels, sizes = partition.counted()
        k, found = len(labels), np.zeros((3, len(graph.exponents), len(labels)), np.int64)
        for _, ends, parts in edge_chunks(graph):
            one, other = np.ascontiguousarray(codes.take(ends).T, np.int64)
            add = _by_pairs if k * k <= _MOST_PAIRS else _by_ends
            for i, sums in enumerate(add(one, other, parts, k)):
                found[:, i] += sums
        inside, out, into = found
        volume, total = out + into, out.sum(axis=1, keepdims=True)
        sums = {"inside": inside, "volume": volume, "rest": 2 * total - volume, "cut": volume - 2 * inside}
        sums |= {"out": out, "into": into} if graph.directed else {}
        named: dict[str, Any] = {name: exact_numbers(own, graph) for name, own in sums.items()}
        named = {"out": named["volume"], "into": named["volume"], **named}
        (whole,) = exact_numbers(total, graph)
        return cls(tuple(labels), tuple(sizes.tolist()), total=whole, directed=bool(graph.directed), **named)

    @property
    def conductances(self) -> tuple[float, ...]:
        """The cut over the smaller volume, of the community or of all others; nan if that is 0."""
        sides = zip(self.cut, map(min, self.volume, self.rest), strict=True)
        return tuple(cut / least if least else math.nan for cut, least in sides)

    @property
    def details(self) -> Mapping[str, Any]:
        """The values of each community, in the order of `communities`."""
        sizes, cut = np.array(self.sizes), np.array(self.cut)
        inside, volume, shares = map(np.array, (self.inside, self.volume, self.conductances))
        sums = {"sizes": sizes, "inside": inside, "volume": volume, "cut": cut, "expansion": cut / sizes}
        return {"communities": list(self.labels), **sums, "conductance": shares}


def _by_pairs(one: Ints, other: Ints, parts: Sequence[NDArray[Any] | None], k: int) -> Iterator[Any]:
    """Sum parts of weights within communities, and over those where edges start and end, by way of all pairs."""
    pairs = one * k + other
    for part in parts:
        table = _sums(pairs, part, k * k).reshape(k, k)
        yield table.diagonal(), table.sum(axis=1), table.sum(axis=0)


def _by_ends(one: Ints, other: Ints, parts: Sequence[NDArray[Any] | None], k: int) -> Iterator[Any]:
    """Sum the same for many communities."""
    within = one == other
    for part in parts:
        inside = _sums(one[within], part if part is None else part[within], k)
        yield inside, _sums(one, part, k), _sums(other, part, k)


def _sums(groups: Ints, part: NDArray[Any] | None, k: int) -> Ints:
    return np.bincount(groups, part, k).astype(np.int64, copy=False)


def exact_numbers(sums: Ints, graph: Graph) -> tuple[Any, ...]:
    """Put the parts of sums together: integers if weights are, else the nearest floats."""
    if len(sums) == 1:
        return tuple(sums[0].tolist())
    lowest = min(graph.exponents)
    shifts = [exponent - lowest for exponent in graph.exponents]
    columns = (zip(column, shifts, strict=True) for column in sums.T.tolist())
    exact = (sum(own << shift for own, shift in column) for column in columns)
    return tuple(exact) if graph.has_whole_weights else tuple(math.ldexp(float(one), lowest) for one in exact)


@dataclass(frozen=True, eq=False, slots=True)
class CommunityEdges:
    """Numbers of edges inside communities, without loops; parallel edges count as one, and weights do not matter.

    Attributes
    ----------
    inside, pairs : tuple of int
        Edges inside each community, and pairs of its vertices; ordered pairs in a directed graph.
    n_edges, n_pairs : int
        All edges, and all pairs of vertices.
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
        inside, n_edges, repeated = np.zeros(len(labels), np.int64), 0, graph.repeated
        for start, ends, _ in edge_chunks(graph):
            counted = ends[:, 0] != ends[:, 1]
            if repeated is not None:
                counted &= ~repeated[start : start + counted.size]
            one, other = codes.take(ends[counted]).T
            inside += np.bincount(one[one == other], minlength=inside.size)
            n_edges += one.size
        ways = 2 if graph.directed else 1
        pairs = tuple(size * (size - 1) // 2 * ways for size in sizes.tolist())
        return cls(tuple(inside.tolist()), pairs, n_edges, graph.n * (graph.n - 1) // 2 * ways)

    @property
    def densities(self) -> tuple[float, ...]:
        """Edges among the pairs of each community; nan without pairs."""
        return tuple(e / all_ if all_ else math.nan for e, all_ in zip(self.inside, self.pairs, strict=True))

    @property
    def details(self) -> Mapping[str, Any]:
        """The counts of each community, as arrays."""
        return {"edges_inside": np.array(self.inside), "internal_density": np.array(self.densities)}


@dataclass(frozen=True, eq=False, slots=True)
class ConnectedParts:
    """The largest part of each community that edges inside it connect; directions of edges are ignored.

    Attributes
    ----------
    sizes, largest : ndarray of int64 of shape (K,)
        Vertices of each community, and of its largest part.
    """

    made_from: ClassVar[tuple[type, ...]] = (Graph, Partition)

    sizes: Ints
    largest: Ints

    @classmethod
    def make(cls, graph: Graph, partition: Labels) -> Self:
        """Join the parts by the edges, some at a time."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        codes, _, sizes = partition.counted()
        part, n_parts = np.arange(graph.n), graph.n
        for _, ends, _ in edge_chunks(graph):
            one, other = codes.take(ends).T
            joined = part.take(ends[one == other])
            ones = np.ones(len(joined), np.int8)
            between = coo_array((ones, (joined[:, 0], joined[:, 1])), shape=(n_parts, n_parts))
            n_parts, found = connected_components(between, directed=False)
            part = found[part]
        largest = np.zeros(sizes.size, np.int64)
        np.maximum.at(largest, codes, np.bincount(part, minlength=n_parts)[part])
        return cls(sizes, largest)
