"""Edges as users have them. Graphs of networkx and igraph are recognised by their methods, and neither is imported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError, InputTypeError, Option, Row, in_words
from adjudge.given.arrays import to_numpy
from adjudge.given.data_frames import columns_by_name
from adjudge.given.label_values import is_missing


@dataclass(frozen=True, eq=False)
class EdgeList:
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
