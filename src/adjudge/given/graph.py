"""Graphs: edges between instances, perhaps with weights and directions.

Graphs of networkx and igraph are recognised by their methods, and neither is imported.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.errors import Argument, InputError, InputTypeError, Option, Row, in_words
from adjudge.given.arrays import to_numpy
from adjudge.given.data_frames import columns_by_name
from adjudge.given.label_values import is_missing
from adjudge.given.structures import Structure

# Edges that are read at once, those that are sorted at once to find repeated ones, and remainders that tell them apart.
_ROWS, _SORTED, _MARKS = 2**17, 2**23, 2**22
_BITS = 30  # of each part that weights are split into


@dataclass(frozen=True, eq=False)
class Graph(Structure):
    """A graph whose vertices are the instances.

    Parameters
    ----------
    edges : array-like of shape (E, 2) or (E, 3), data frame, sparse matrix, or graph of networkx or igraph
        The two vertices of each edge, numbered from 0 in the order of the labels, and perhaps its weight. An undirected
        edge is listed once. An array on disk (``numpy.memmap``) is not loaded. A sparse matrix has a weight in the row
        and the column of each edge, and an undirected one in both triangles. Vertices of a networkx graph have the
        order of its nodes; weights are the edge attribute "weight".
    n : int, optional
        Number of vertices; those without edges count, too. Default: the largest number that occurs, plus 1.
    directed : bool, optional
        Whether edges have a direction. Default: as a networkx or igraph graph says, else False.
    weights : array-like of shape (E,), optional
        Weights of the edges, at least 0; those of parallel edges add up. Default: 1 for each edge.
    vertices : array-like of shape (n,), optional
        Names of the vertices in the order of the labels, if `edges` has names and not numbers.

    Raises
    ------
    InputError
        If a vertex is out of range, a weight is negative or nan, or the shape is wrong.

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
        if self.n is not None and (not isinstance(self.n, (int, np.integer)) or self.n < 0):
            raise InputTypeError(Option("n"), f" is {self.n!r}: give the number of vertices")
        read = _EdgeList.of(self.edges, bool(self.directed), self.vertices)
        own = {"edges": read.ends, "vertices": read.names, "weights": self._read_weights(read)}
        for option, said in (("n", read.n), ("directed", read.directed)):
            asked = getattr(self, option)
            if None not in (asked, said) and asked != said:
                raise InputError(
                    Option(option, asked), f" contradicts the graph, whose {option} is {said}: leave it out"
                )
            own[option] = said if asked is None else asked
        own["directed"] = bool(own["directed"])
        for name, value in own.items():
            object.__setattr__(self, name, value)
        if self.n is None:
            if not len(self.edges):
                raise InputError("edges are empty: give the number of vertices as ", Option("n"))
            object.__setattr__(self, "n", int(min(np.fmax.reduce(self.edges, axis=None), 2.0**62)) + 1)
        self._check()

    @property
    def has_whole_weights(self) -> bool:
        """Whether weights are integers, or there are none."""
        return self.weights is None or self.weights.dtype.kind in "biu"

    def check_order(self, name: str, labels: Any) -> None:
        """Raise if labels have the names of the vertices as their index, in another order."""
        index = getattr(labels, "index", ())
        if self.vertices is None or not hasattr(index, "equals") or type(index).__name__ == "RangeIndex":
            return
        own = list(index)
        if own != self.vertices and set(own) == set(self.vertices):
            raise InputError(
                Argument(name),
                " are not in the order of the vertices: sort them, for instance with "
                f"{name}.loc[list(vertices)], or pass .to_numpy() to pair them by position",
            )

    def take(self, order: Ints) -> Self:
        """Return the same graph with its vertices in another order."""
        edges = np.argsort(order)[np.asarray(self.edges, np.int64)]
        return type(self)(edges, self.n, directed=self.directed, weights=self.weights)

    def left(self, kept: Ints) -> Self:
        """Return the graph of some vertices, with the edges between them."""
        number = np.full(self.n, -1)
        number[kept] = np.arange(kept.size)
        ends = number[np.asarray(self.edges, np.int64)]
        inside = (ends >= 0).all(axis=1)
        weights = None if self.weights is None else self.weights[inside]
        return type(self)(ends[inside], kept.size, directed=self.directed, weights=weights)

    @cached_property
    def exponents(self) -> tuple[int, ...]:
        """Powers of 2 of the parts of weights: of all bits of integers, and else of the first 120 of the largest."""
        starts = () if self.weights is None else range(0, len(self.edges), _ROWS)
        largest = max((self.weights[i : i + _ROWS].max() for i in starts), default=0)
        if self.has_whole_weights:
            return tuple(range(0, max(1, int(largest).bit_length()), _BITS))
        above = math.frexp(float(largest))[1]
        return tuple(above - i * _BITS for i in range(1, 5))

    @cached_property
    def repeated(self) -> Bools | None:
        """Which edges but loops repeat an earlier one, or None. Ranges of vertices take turns, to bound memory."""
        counts = np.zeros(self.n, np.int64)
        for _, ends, _ in edge_chunks(self):
            counts += np.bincount(self._ordered(ends)[0], minlength=self.n)
        ranges = (np.cumsum(counts) - 1) // _SORTED
        found: Bools | None = None
        for low, high in pairwise([0, *(np.flatnonzero(np.diff(ranges)) + 1).tolist(), self.n]):
            again = self._repeated_between(low, high)
            if again.size:
                found = np.zeros(len(self.edges), bool) if found is None else found
                found[again] = True
        return found

    def _repeated_between(self, low: int, high: int) -> Ints:
        """Return the positions of repeated edges whose first vertex is in a range."""
        keys, positions = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
        for start, ends, _ in edge_chunks(self):
            first, second = self._ordered(ends)
            inside = np.flatnonzero((first >= low) & (first < high) & (first != second))
            keys.append((first[inside] - low) * self.n + second[inside])
            positions.append(inside + start)
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
        return np.asarray(np.concatenate(positions)[order[1:][np.diff(key[order]) == 0]], np.int64)

    def _ordered(self, ends: Ints) -> tuple[Ints, Ints]:
        """Return the first and the second vertex of each edge, by number unless edges have directions."""
        one, other = ends.T
        return (one, other) if self.directed else (np.minimum(one, other), np.maximum(one, other))

    def _read_weights(self, read: _EdgeList) -> Any:
        if self.weights is not None and read.weights is not None:
            raise InputError(Option("weights"), " were given twice: the edges have their own; leave one out")
        found = read.weights if self.weights is None else np.asarray(self.weights)
        if found is None:
            return None
        if found.shape != read.ends.shape[:1] or found.dtype.kind not in "biuf":
            raise InputError(
                Option("weights"), f" are no {len(read.ends)} numbers: give one for each edge, at least 0"
            )
        return found

    def _check(self) -> None:
        """Raise for vertices that are out of range, and for weights below 0."""
        for start in range(0, len(self.edges), _ROWS):
            rows = slice(start, start + _ROWS)
            ends = self.edges[rows]
            with np.errstate(invalid="ignore"):
                whole = ends.astype(np.int64, copy=False)
            wrong = ((whole != ends) | (whole < 0) | (whole >= self.n)).ravel()
            if wrong.any():
                i, side = divmod(int(np.argmax(wrong)), 2)
                words = f": vertices are numbers from 0 to {self.n - 1}"
                raise InputError(f"edges have the vertex {ends[i, side]:.15g} ", Row(start + i), words)
            weights = np.zeros(1) if self.weights is None else self.weights[rows].astype(np.float64)
            wrong = ~((weights >= 0) & (weights < 1e290))
            if wrong.any():
                i = int(np.argmax(wrong))
                raise InputError(
                    f"an edge has the weight {weights[i]} ", Row(start + i), ": give ones from 0 to 1e290"
                )


def edge_chunks(graph: Graph) -> Iterator[tuple[int, Ints, list[NDArray[Any] | None]]]:
    """Read edges a few at a time: the position of the first, their vertices, and their weights in parts.

    A part has a whole number below 2**30 for each edge, so that sums are exact; None stands for ones. A weight is the
    sum of its parts, each times 2**exponent; parts that are 0 for all of the edges may lack.
    """
    for start in range(0, len(graph.edges), _ROWS):
        rows = slice(start, start + _ROWS)
        ends = graph.edges[rows].astype(np.int64, copy=False)
        parts: list[NDArray[Any] | None] = [None]
        if graph.weights is not None and graph.has_whole_weights:
            parts = [(graph.weights[rows].astype(np.uint64) >> e) % 2**_BITS for e in graph.exponents]
        elif graph.weights is not None:
            rest, parts = np.ldexp(graph.weights[rows].astype(np.float64), -graph.exponents[0]), []
            while len(parts) < len(graph.exponents) and rest.any():
                parts.append(np.floor(rest))
                rest = (rest - parts[-1]) * 2.0**_BITS
        yield start, ends, parts


@dataclass(frozen=True, eq=False)
class _EdgeList:
    """The vertices and weights of edges, not checked yet, and whatever else was given says of the graph."""

    ends: NDArray[Any]
    weights: NDArray[Any] | None = None
    n: int | None = None
    directed: bool | None = None
    names: list[Any] | None = None

    @classmethod
    def of(cls, given: Any, directed: bool, vertices: Iterable[Any] | None) -> Self:
        """Read edges; `vertices` are the names of the vertices, if edges have names."""
        names = None if vertices is None else list(vertices)
        if hasattr(given, "get_edgelist"):
            weights = np.asarray(given.es["weight"]) if "weight" in given.es.attributes() else None
            ends = np.asarray(given.get_edgelist(), np.int64).reshape(-1, 2)
            return cls(ends, weights, given.vcount(), given.is_directed())
        if hasattr(given, "adjacency"):
            rows, names = list(given.edges(data="weight")), list(given) if names is None else names
            ends = _numbered([vertex for *ends, _ in rows for vertex in ends], names)
            weights = np.array([1 if weight is None else weight for *_, weight in rows])
            return cls(ends, weights, len(names), given.is_directed(), names)
        if hasattr(given, "tocoo"):
            return cls._of_matrix(given, directed)
        if not isinstance(given, (np.ndarray, list, tuple)):
            columns = columns_by_name(given, "edges")
            if columns is not None:
                arrays = [np.asarray(column) for column in columns.values()]
                given = np.column_stack(
                    arrays if names is None else [array.astype(object) for array in arrays]
                )
        return cls._of_rows(given, names)

    @classmethod
    def _of_rows(cls, given: Any, names: list[Any] | None) -> Self:
        """Read rows of two vertices, and perhaps a weight."""
        try:
            rows = np.asarray(to_numpy(given, "edges") if names is None else np.array(given, object))
        except ValueError:
            rows = np.empty(0)
        if not rows.size and not len(given):
            rows = rows.reshape(0, 2)
        if rows.ndim != 2 or rows.shape[1] not in (2, 3) or _is_adjacency(rows):
            raise InputError(
                "edges are no array of shape (E, 2), or (E, 3) with weights: give one, or an adjacency matrix as a "
                "sparse matrix"
            )
        ends, weights = rows[:, :2], rows[:, 2] if rows.shape[1] == 3 else None
        if names is not None:
            weights = None if weights is None else np.array(weights.tolist())
            return cls(_numbered(ends.ravel().tolist(), names), weights, len(names), names=names)
        if rows.dtype.kind not in "biuf":
            raise InputTypeError(
                f"edges name vertices, such as {rows[0].tolist()[0]!r}: number them from 0 in the order of the labels, "
                "or pass their names in that order as ",
                Option("vertices"),
            )
        return cls(ends, weights)

    @classmethod
    def _of_matrix(cls, given: Any, directed: bool) -> Self:
        """Read an adjacency matrix: an entry 0 is no edge, and one on the diagonal is the weight of a loop."""
        matrix = given.tocsr()
        if matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"the adjacency matrix has shape {matrix.shape}: give a row and a column for each vertex"
            )
        if not directed and (matrix != matrix.T).nnz:
            raise InputError(
                "the adjacency matrix is not symmetric: pass ",
                Option("directed", True),
                ", or add its transpose",
            )
        entries = matrix.tocoo()
        present = (entries.data != 0) & (directed | (entries.row <= entries.col))
        ends = np.column_stack([entries.row[present], entries.col[present]])
        weights = None if entries.data.dtype == bool else entries.data[present]
        return cls(ends, weights, matrix.shape[0], directed)


def _is_adjacency(rows: NDArray[Any]) -> bool:
    """Whether three rows of three are the matrix of a graph of three vertices, and no edges with weights."""
    return rows.shape == (3, 3) and not rows.diagonal().any() and np.array_equal(rows, rows.T)


def _numbered(ends: list[Any], names: list[Any]) -> Ints:
    """Replace the names of vertices by their positions among all names."""
    numbers = {name: i for i, name in enumerate(names)}
    if len(numbers) < len(names):
        twice = next(name for i, name in enumerate(names) if numbers[name] != i)
        raise InputError(Option("vertices"), f" names {in_words(twice)} twice: give each vertex once")
    if any(map(is_missing, names)):
        raise InputError(Option("vertices"), " has a missing name: give each vertex one")
    found = [numbers.get(name, -1) for name in ends]
    if -1 in found:
        at = found.index(-1)
        raise InputError(
            f"the vertex {in_words(ends[at])} ", Row(at // 2), " of edges is not among ", Option("vertices")
        )
    return np.asarray(found, np.int64).reshape(-1, 2)
