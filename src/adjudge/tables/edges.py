"""Tables of edges, or of linked pairs, between the rows of another table: two columns, and perhaps one of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.errors import InputError, InputTypeError, Option, a_type
from adjudge.given.graph import Graph
from adjudge.given.pairs import labels_from_pairs
from adjudge.results.notice import Notice
from adjudge.tables.files import FileTable
from adjudge.tables.frames import Engine, Frame
from adjudge.tables.source import is_a_table, open_given
from adjudge.tables.streaming import listed

__all__ = ["Links", "edges_given"]


@dataclass(frozen=True)
class Links:
    """What says which rows of a table belong together.

    Attributes
    ----------
    graph : path, data frame or None
        A table of edges.
    directed : bool or None
        Whether edges lead from the first vertex to the second.
    pairs : path, data frame or None
        A table of linked pairs.
    threshold : float or None
        Pairs with at least this score are linked.
    key : str or None
        The column with the names of the rows; None if edges number them from 0.
    """

    graph: Any = None
    directed: bool | None = None
    pairs: Any = None
    threshold: float | None = None
    key: Any = None

    def __post_init__(self) -> None:
        if self.graph is None and self.directed:
            raise InputError(
                Option("directed"), " is an option for graphs: give their edges with ", Option("graph")
            )
        if self.graph is None and self.pairs is None and self.key is not None:
            graph, pairs = Option("graph"), Option("pairs")
            raise InputError(
                Option("key"),
                " names vertices or records: give edges with ",
                graph,
                ", or pairs with ",
                pairs,
            )
        if self.pairs is None and self.threshold is not None:
            raise InputError(
                Option("threshold"), " is an option for linked pairs: give them with ", Option("pairs")
            )
        if self.pairs is not None and self.key is None:
            raise InputError(Option("pairs"), " names records: name their column with ", Option("key"))

    def check_edges(self) -> None:
        """Raise for an option of a table of edges beside another graph."""
        if self.graph is None or edges_given(self.graph) or (self.directed is None and self.key is None):
            return
        option = "directed" if self.key is None else "key"
        raise InputError(
            Option(option), " is of a table of edges: leave it out, and give the Graph that is meant"
        )

    @property
    def called(self) -> str:
        """What the linked pairs are called."""
        return Path(fspath(self.pairs)).name if isinstance(self.pairs, (str, PathLike)) else "pairs"

    def read_graph(self, table: FileTable | Frame) -> Graph:
        """Read the edges, whose vertices are named by a column, or are numbers of rows."""
        edges, ends, weights = _opened("graph", self.graph, "vertices", "weights")
        if self.key is None:
            return self._numbered(table, edges, ends, weights)
        vertices, one, other = _names(table, table.own(self.key), edges, ends)
        return Graph(
            np.column_stack([one, other]), directed=self.directed, weights=weights, vertices=vertices
        )

    def _numbered(
        self, table: FileTable | Frame, edges: FileTable | Frame, ends: Sequence[Any], weights: Any
    ) -> Graph:
        try:
            vertices = edges.matrix(ends)
            graph = Graph(vertices, table.n_rows(), directed=self.directed, weights=weights)
        except InputError as error:
            said = "; if edges name vertices, name their column with ", Option("key")
            raise InputError(*error.parts, *said) from None
        _check_that_rows_are_meant(table, vertices)
        return graph

    def read_clusters(self, table: FileTable | Frame) -> tuple[list[int], tuple[Notice, ...]]:
        """Read the pairs, and return the cluster that each row is in, and whether no pair is linked."""
        pairs, ends, scores = _opened("pairs", self.pairs, "records", "scores")
        if (scores is None) != (self.threshold is None):
            said = "no scores: leave out " if scores is None else "scores: say which of them link, with "
            raise InputError(f"{pairs.called} has {said}", Option("threshold"))
        records, one, other = (own.tolist() for own in _names(table, table.own(self.key), pairs, ends))
        if len(set(records)) < len(records):
            twice = Counter(records).most_common(1)[0][0]
            raise InputError(Option("key", self.key), f" names {twice!r} twice: give each record once")
        found = labels_from_pairs(list(zip(one, other, strict=True)), records, scores, self.threshold)
        if self.threshold is None or not scores.size or scores.max() >= self.threshold:
            return list(found.values()), ()
        none = f"no pair is linked: the highest score is {scores.max():g}, below {self.threshold:g}"
        scale = Option("threshold"), " is on the scale of the scores"
        return list(found.values()), (Notice("no-pair-linked", none, scale),)


def edges_given(graph: Any) -> bool:
    """Whether a graph is given as the table of its edges."""
    return not isinstance(graph, Graph) and is_a_table(graph)


def _opened(option: str, given: Any, ends: str, numbers: str) -> tuple[FileTable | Frame, list[Any], Any]:
    """Open a table of two or three columns: the ends, and perhaps numbers; errors say what they hold."""
    if not is_a_table(given):
        raise InputTypeError(
            Option(option),
            f" is {a_type(given)}: give a data frame with two columns of {ends}, or the path of a file",
        )
    table = open_given(given, "memory")
    if isinstance(table, Engine):
        raise InputError(f"the table of {ends} is lazy: collect it first")
    if len(table.names) not in (2, 3):
        raise InputError(
            f"{table.called} has {len(table.names)} columns: give two of {ends}, and perhaps one of {numbers}"
        )
    third = table.names[2:]
    return table, table.names[:2], table.matrix(third)[:, 0] if third else None


def _names(
    table: FileTable | Frame, key: Any, edges: FileTable | Frame, ends: Sequence[Any]
) -> list[NDArray[Any]]:
    """Return a column of names, and the two ends that are among them, all of one type."""
    read = [table.labels([key])[0], edges.labels(ends)[0]]
    columns = [listed(own) for part in read for own in part.values()]
    has_text = [any(isinstance(name, str) for name in own) for own in columns]
    if any(has_text) and not all(has_text):
        columns = [[None if name is None else str(name) for name in own] for own in columns]
    found = []
    for own in columns:
        names = np.empty(len(own), object)
        names[:] = own
        found.append(names)
    return found


def _check_that_rows_are_meant(table: FileTable | Frame, ends: NDArray[Any]) -> None:
    """Raise if a column holds each vertex of the edges once, but not in the order of the rows."""
    vertices, named = np.unique(ends), table.numeric()
    columns = table.matrix(named, gaps=True).T if named else ()
    for name, numbers in zip(named, columns, strict=True):
        if np.isnan(numbers).any():
            continue
        names = np.unique(numbers)
        if names.size < numbers.size or (numbers == np.arange(numbers.size)).all():
            continue
        if np.isin(vertices, names, assume_unique=True).all():
            raise InputError(
                f"edges may number the rows from 0, or name vertices as {name!r} does, in another order: if they are "
                "names, give ",
                Option("key", name),
                "; if not, take this column out of the table",
            )
