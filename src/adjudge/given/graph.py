"""Graphs: edges between instances, perhaps with weights and directions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, Option, Row
from adjudge.given.edge_lists import EdgeList
from adjudge.given.structures import Structure

__all__ = ["EdgeChunk", "Graph", "edge_chunks"]

IntArray = NDArray[np.int64]

# Edges that are read at once, those that are sorted at once to find repeated ones, and remainders that tell them apart.
_ROWS = 2**17
_SORTED = 2**23
_MARKS = 2**22
# Bits of each part that weights are split into, and the number of parts unless they are integers.
_BITS = 30
_PARTS = 4


@dataclass(frozen=True, eq=False)
class EdgeChunk:
    """Some edges of a graph.

    Attributes
    ----------
    start : int
        Position of the first.
    ends : ndarray of shape (k, 2)
        Their vertices.
    weights : list of tuple of int and ndarray of shape (k,)
        Whole numbers below 2**30 by exponent: the weight of an edge is the sum of the numbers times 2**exponent. Sums
        of so few of them are exact in double precision.
    """

    start: int
    ends: IntArray
    weights: list[tuple[int, NDArray[Any] | None]]


@dataclass(frozen=True, eq=False)
class Graph(Structure):
    """A graph whose vertices are the instances.

    Parameters
    ----------
    edges : array-like of shape (E, 2) or (E, 3), data frame, sparse matrix, or graph of networkx or igraph
        The two vertices of each edge, numbered from 0 in the order of the labels, and perhaps its weight. An undirected
        edge is listed once. Of a data frame, the columns in this order. A SciPy sparse matrix holds the weight from row
        to column; it must be symmetric unless `directed` is true, and then each edge counts once. Vertices of a
        networkx graph have the order in which it lists its nodes; weights are the edge attribute "weight".
    n : int, optional
        Number of vertices; those without edges count, too. Default: the largest number that occurs, plus 1.
    directed : bool, optional
        Whether edges have a direction. Default: as a networkx or igraph graph says, else False.
    weights : array-like of shape (E,), optional
        Weights of the edges, at least 0. Sums of integers are exact. Default: 1 for each edge.
    vertices : array-like of shape (n,), optional
        Names of the vertices in the order of the labels, if `edges` has names and not numbers.

    Raises
    ------
    InputError
        If a vertex is out of range, a weight is negative or nan, or the shape is wrong.

    Notes
    -----
    Weights of parallel edges add up; counts of edges count them as one, and leave loops out. An array on disk
    (``numpy.memmap``) is read in chunks and never loaded.

    Examples
    --------
    >>> from adjudge import Graph, evaluate
    >>> graph = Graph([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]])
    >>> round(evaluate(graph=graph, labels=[0, 0, 0, 1, 1, 1])["modularity"], 4)
    0.3571
    """

    option, words = "graph", "a graph"

    edges: Any
    n: Any = None
    directed: bool | None = field(default=None, kw_only=True)
    weights: Any = field(default=None, kw_only=True)
    vertices: Any = field(default=None, kw_only=True, repr=False)

    def __post_init__(self) -> None:
        read = EdgeList.of(self.edges, directed=self.directed, vertices=self.vertices)
        own = {
            "edges": read.ends,
            "weights": self._weights(read),
            "directed": self._directed(read),
            "n": self._count(read.n),
            "vertices": None,
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)
        highest = self._check()
        if self.n is None:
            if highest < 0:
                raise InputError("edges are empty: give the number of vertices as ", Option("n"))
            object.__setattr__(self, "n", highest + 1)

    @classmethod
    def read(cls, given: Any) -> Self:
        """Read a graph, or whatever a graph can be made from."""
        return given if isinstance(given, cls) else cls(given)

    @property
    def n_edges(self) -> int:
        """Number of edges as they were given, parallel ones and loops included."""
        return int(self.edges.shape[0])

    @property
    def has_whole_weights(self) -> bool:
        """Whether weights are integers, or there are none."""
        return self.weights is None or self.weights.dtype.kind in "biu"

    def take(self, order: IntArray) -> Self:
        """Return the same graph with its vertices in another order."""
        places = np.empty(self.n, np.int64)
        places[order] = np.arange(self.n)
        edges = places[np.asarray(self.edges, np.int64)]
        return type(self)(edges, self.n, directed=self.directed, weights=self.weights)

    @cached_property
    def repeated(self) -> NDArray[np.bool_] | None:
        """Which edges join the same vertices as an earlier one; None if none does. Loops are not looked at.

        Vertices are taken in ranges, and the edges of a range sorted, so that memory stays bounded.
        """
        counts = np.zeros(self.n, np.int64)
        for chunk in edge_chunks(self):
            counts += np.bincount(self._ordered(chunk)[0], minlength=self.n)
        ranges = (np.cumsum(counts) - 1) // _SORTED
        bounds = [0, *(np.flatnonzero(np.diff(ranges)) + 1).tolist(), self.n]
        found: NDArray[np.bool_] | None = None
        for low, high in pairwise(bounds):
            again = self._repeated_between(low, high)
            if again.size:
                found = np.zeros(self.n_edges, bool) if found is None else found
                found[again] = True
        return found

    def _repeated_between(self, low: int, high: int) -> IntArray:
        """Return the positions of repeated edges whose first vertex is in a range."""
        keys, positions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for chunk in edge_chunks(self):
            first, second = self._ordered(chunk)
            inside = np.flatnonzero((first >= low) & (first < high) & (first != second))
            keys.append((first[inside] - low) * self.n + second[inside])
            positions.append(inside + chunk.start)
        key = np.concatenate(keys)
        in_order = np.sort(key)
        several = np.unique(in_order[1:][np.diff(in_order) == 0])
        if not several.size:
            return several
        # Few edges share their last bits with a repeated one; only these are put in order.
        marked = np.zeros(_MARKS, bool)
        marked[several % _MARKS] = True
        among = np.flatnonzero(marked[key % _MARKS])
        order = among[np.argsort(key[among], kind="stable")]
        again = order[1:][np.diff(key[order]) == 0]
        return np.concatenate(positions)[again]

    def _ordered(self, chunk: EdgeChunk) -> tuple[IntArray, IntArray]:
        """Return the first and the second vertex of each edge, by number unless edges have directions."""
        one, other = chunk.ends.T
        return (one, other) if self.directed else (np.minimum(one, other), np.maximum(one, other))

    @cached_property
    def exponent(self) -> int:
        """The power of 2 above the largest weight."""
        largest = (float(self.weights[i : i + _ROWS].max()) for i in range(0, self.n_edges, _ROWS))
        return math.frexp(max(largest, default=0.0))[1]

    def _weights(self, read: EdgeList) -> Any:
        given = read.weights
        if self.weights is not None:
            if given is not None:
                raise InputError(
                    Option("weights"), " were given twice: the edges have their own; leave one out"
                )
            given = np.asarray(self.weights)
        if given is None:
            return None
        if given.shape != read.ends.shape[:1]:
            raise InputError(
                Option("weights"),
                f" has shape {given.shape}: give one weight for each of {len(read.ends)} edges",
            )
        if given.dtype.kind not in "biuf":
            try:
                return given.astype(np.float64)
            except (TypeError, ValueError):
                raise InputTypeError(
                    "weights of edges are no numbers: give numbers that are at least 0"
                ) from None
        return given

    def _directed(self, read: EdgeList) -> bool:
        said = read.directed if self.directed is None else bool(self.directed)
        if read.directed is not None and said != read.directed:
            what = "directed" if read.directed else "undirected"
            raise InputError(
                Option("directed", self.directed), f", but the graph that was given is {what}: leave it out"
            )
        return bool(said)

    def _count(self, own: int | None) -> int | None:
        """Check the number of vertices."""
        if self.n is None:
            return own
        if isinstance(self.n, bool) or not isinstance(self.n, (int, np.integer)) or self.n < 0:
            raise InputTypeError(Option("n"), f" is {self.n!r}: give the number of vertices")
        if own is not None and own != self.n:
            raise InputError(Option("n", int(self.n)), f", but the graph has {own} vertices: leave it out")
        return int(self.n)

    def _check(self) -> int:
        """Check vertices and weights; return the largest number of a vertex, -1 without edges."""
        highest = -1
        for start in range(0, self.n_edges, _ROWS):
            ends = self.edges[start : start + _ROWS]
            if ends.dtype.kind == "f" and not (good := ends == np.floor(ends)).all():
                i, side = (int(where[0]) for where in np.nonzero(~good))
                raise InputError(
                    f"edges have the vertex {ends[i, side]} ", Row(start + i), ": number vertices from 0"
                )
            limit = self.n if self.n is not None else np.iinfo(np.int64).max
            out = (ends < 0) | (ends >= limit)
            if out.any():
                i, side = (int(where[0]) for where in np.nonzero(out))
                words = (
                    "they are numbered from 0" if self.n is None else f"there are {self.n}, numbered from 0"
                )
                raise InputError(f"edges have the vertex {ends[i, side]:.15g} ", Row(start + i), f": {words}")
            highest = max(highest, int(ends.max()))
            if self.weights is not None:
                own = self.weights[start : start + _ROWS]
                wrong = ~((own >= 0) & (own < math.inf))
                if wrong.any():
                    i = int(np.argmax(wrong))
                    raise InputError(
                        f"an edge has the weight {own[i]} ",
                        Row(start + i),
                        ": give finite weights that are at least 0",
                    )
        return highest


def edge_chunks(graph: Graph) -> Iterator[EdgeChunk]:
    """Read the edges of a graph a few at a time."""
    for start in range(0, graph.n_edges, _ROWS):
        rows = slice(start, start + _ROWS)
        ends = graph.edges[rows].astype(np.int64, copy=False)
        weights = [(0, None)] if graph.weights is None else [*_parts(graph, graph.weights[rows])]
        yield EdgeChunk(start, ends, weights)


def _parts(graph: Graph, weights: NDArray[Any]) -> Iterator[tuple[int, NDArray[Any]]]:
    """Split weights into whole numbers below 2**30, each sort times a power of 2.

    What is smaller than the largest weight by 2**120 is left out.
    """
    if graph.has_whole_weights:
        rest = weights.astype(np.int64)
        for i in range(3):
            yield i * _BITS, rest & (2**_BITS - 1)
            rest = rest >> _BITS
            if not rest.any():
                return
        return
    small = np.ldexp(weights.astype(np.float64), -graph.exponent)
    for i in range(1, _PARTS + 1):
        small = small * 2.0**_BITS
        part = np.floor(small)
        yield graph.exponent - i * _BITS, part
        small -= part
        if not small.any():
            return
