"""Edges as users have them: arrays, tables, sparse matrices, and graphs of networkx and igraph.

Graphs of other libraries are recognised by their methods; none of these libraries is imported.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, Option, Row, a_type
from adjudge.given.arrays import to_numpy
from adjudge.given.data_frames import columns_by_name

__all__ = ["EdgeList"]


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Edges, not checked yet.

    Attributes
    ----------
    ends : ndarray of shape (E, 2)
        The two vertices of each edge: numbers, or names.
    weights : ndarray of shape (E,) or None
    n : int or None
        Number of vertices, if what was given says it.
    directed : bool or None
        Whether edges have a direction, if what was given says it.
    """

    ends: NDArray[Any]
    weights: NDArray[Any] | None = None
    n: int | None = None
    directed: bool | None = None

    @classmethod
    def of(cls, given: Any, *, directed: bool | None, vertices: Any) -> Self:
        """Read edges.

        Parameters
        ----------
        given : array-like, data frame, sparse matrix, or graph of networkx or igraph
        directed : bool or None
        vertices : array-like of shape (n,) or None
            The names of the vertices.
        """
        if hasattr(given, "get_edgelist") and hasattr(given, "vcount"):
            return cls._of_igraph(given)
        if hasattr(given, "adjacency") and hasattr(given, "is_directed"):
            return cls._of_networkx(given, vertices)
        if hasattr(given, "tocoo"):
            return cls._of_matrix(given, bool(directed))
        if not isinstance(given, (np.ndarray, list, tuple)):
            columns = columns_by_name(given, "edges")
            if columns is not None:
                return cls._of_columns([np.asarray(column) for column in columns.values()], vertices)
        try:
            rows = np.asarray(to_numpy(given, "edges"))
        except ValueError:
            raise InputError(
                "edges have rows of different lengths: give two vertices in each, and perhaps a weight"
            ) from None
        if not rows.size:
            rows = rows.reshape(0, rows.shape[1] if rows.ndim == 2 and rows.shape[1] in (2, 3) else 2)
        if rows.ndim != 2 or rows.shape[1] not in (2, 3):
            raise InputError(
                f"edges have shape {rows.shape}: give an array of shape (E, 2), (E, 3) with weights, or an adjacency "
                "matrix as a scipy sparse matrix"
            )
        weights = rows[:, 2] if rows.shape[1] == 3 else None
        return cls(rows[:, :2], weights)._numbered(vertices)

    @classmethod
    def _of_columns(cls, columns: list[NDArray[Any]], vertices: Any) -> Self:
        if len(columns) not in (2, 3):
            raise InputError(
                f"edges have {len(columns)} columns: give two columns of vertices, and perhaps one of weights"
            )
        ends = np.column_stack(columns[:2]) if vertices is None else np.empty((columns[0].size, 2), object)
        if vertices is not None:
            ends[:, 0], ends[:, 1] = columns[:2]
        return cls(ends, columns[2] if len(columns) == 3 else None)._numbered(vertices)

    @classmethod
    def _of_matrix(cls, given: Any, directed: bool) -> Self:
        """Read an adjacency matrix: an entry 0 is no edge, and one on the diagonal is the weight of a loop."""
        matrix = given.tocsr()
        if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InputError(
                f"the adjacency matrix has shape {matrix.shape}: give a row and a column for each vertex"
            )
        if not directed and (matrix != matrix.T).nnz:
            raise InputError(
                "the adjacency matrix is not symmetric: pass ",
                Option("directed", True),
                ", or add its transpose for edges in both triangles",
            )
        entries = matrix.tocoo()
        present = (entries.data != 0) & (directed | (entries.row <= entries.col))
        ends = np.column_stack([entries.row[present], entries.col[present]])
        weights = None if entries.data.dtype == bool else entries.data[present]
        return cls(ends, weights, int(matrix.shape[0]), directed)

    @classmethod
    def _of_networkx(cls, given: Any, vertices: Any) -> Self:
        names = list(given) if vertices is None else list(vertices)
        rows = list(given.edges(data="weight"))
        ends = np.empty((len(rows), 2), object)
        for i, (one, other, _) in enumerate(rows):
            ends[i, 0], ends[i, 1] = one, other
        found = [weight for *_, weight in rows]
        unweighted = all(weight is None for weight in found)
        weights = None if unweighted else np.asarray([1 if own is None else own for own in found])
        return replace(cls(ends, weights)._numbered(names), directed=bool(given.is_directed()))

    @classmethod
    def _of_igraph(cls, given: Any) -> Self:
        ends = np.asarray(given.get_edgelist(), np.int64).reshape(-1, 2)
        weights = np.asarray(given.es["weight"]) if "weight" in given.es.attributes() else None
        return cls(ends, weights, int(given.vcount()), bool(given.is_directed()))

    def _numbered(self, vertices: Iterable[Any] | None) -> Self:
        """Replace the names of vertices by their positions among all names."""
        if vertices is None:
            if self.ends.dtype.kind not in "biuf" and self.ends.size:
                raise InputTypeError(
                    f"edges name vertices, such as {self.ends[0, :1].tolist()[0]!r}: number them from 0 in the order "
                    "of the labels, or pass their names in that order as ",
                    Option("vertices"),
                )
            return self
        if isinstance(vertices, (str, bytes)) or not isinstance(vertices, Iterable):
            raise InputTypeError(
                Option("vertices"), f" is {a_type(vertices)}: give the names of all vertices"
            )
        names = np.asarray(vertices).tolist() if hasattr(vertices, "__array__") else list(vertices)
        numbers = {name: i for i, name in enumerate(names)}
        if len(numbers) < len(names):
            twice = next(name for i, name in enumerate(names) if numbers[name] != i)
            raise InputError(Option("vertices"), f" names {twice!r} twice: give each vertex once")
        found = [numbers.get(name, -1) for name in self.ends.ravel().tolist()]
        ends = np.asarray(found, np.int64).reshape(-1, 2)
        if (ends < 0).any():
            i, side = (int(where[0]) for where in np.nonzero(ends < 0))
            raise InputError(
                f"edges name the vertex {self.ends[i : i + 1, side].tolist()[0]!r} ",
                Row(i),
                ", but ",
                Option("vertices"),
                " has no such name",
            )
        return replace(self, ends=ends, n=len(names))
