"""Graphs in the forms that users have, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from adjudge import AdjudgeError, Graph, InputError, evaluate
from conftest import raises_line

EDGES = [[0, 1], [1, 2], [0, 2], [2, 3]]
WEIGHTS = [1, 2, 3, 4]
ROWS = [[u, v, w] for (u, v), w in zip(EDGES, WEIGHTS, strict=True)]
LABELS = [0, 0, 1, 1, 1]


class NetworkX:
    """What is read of a graph of networkx."""

    def __init__(self, nodes: list[Any], rows: list[tuple[Any, Any, Any]], directed: bool) -> None:
        self.nodes, self.rows, self.directed = nodes, rows, directed

    def __iter__(self) -> Any:
        return iter(self.nodes)

    def adjacency(self) -> Any:
        raise AssertionError("is not needed")

    def is_directed(self) -> bool:
        return self.directed

    def edges(self, data: str) -> Any:
        assert data == "weight"
        return iter(self.rows)


class IGraph:
    """What is read of a graph of igraph."""

    class es(dict):  # noqa: N801
        def attributes(self) -> list[str]:
            return list(self)

    def __init__(self, n: int, weights: list[Any] | None, directed: bool) -> None:
        self.n, self.directed = n, directed
        self.es = IGraph.es({} if weights is None else {"weight": weights})

    def get_edgelist(self) -> list[tuple[int, int]]:
        return [(u, v) for u, v in EDGES]

    def vcount(self) -> int:
        return self.n

    def is_directed(self) -> bool:
        return self.directed


def values(graph: Any) -> dict[str, float]:
    return evaluate(graph=graph, labels=LABELS, indices="all").values


def test_all_forms_of_a_graph_are_one() -> None:
    names = list("edcba")
    named = [(names[u], names[v]) for u, v in EDGES]
    matrix = sparse.coo_array((WEIGHTS, np.transpose(EDGES)), shape=(5, 5))
    frame = pd.DataFrame(ROWS, columns=["from", "to", "w"])
    wanted = values(Graph(EDGES, 5, weights=WEIGHTS))
    weighted = [(u, v, w) for (u, v), w in zip(named, WEIGHTS, strict=True)]
    for given in (
        Graph(ROWS, 5),
        Graph(np.array(ROWS, np.float32), 5),
        Graph(np.array(EDGES, np.uint8), 5, weights=pd.Series(WEIGHTS)),
        Graph(frame, 5),
        Graph(pl.DataFrame(frame), 5),
        Graph(sparse.csr_matrix(matrix + matrix.T)),
        matrix + matrix.T,
        Graph(named, vertices=names, weights=WEIGHTS),
        Graph(pd.DataFrame(weighted), vertices=pd.Series(names)),
        NetworkX(names, weighted, directed=False),
        NetworkX(
            [(1, name) for name in names], [((1, u), (1, v), w) for u, v, w in weighted], directed=False
        ),
        Graph(NetworkX(names[::-1], weighted, directed=False), vertices=names),
        IGraph(5, WEIGHTS, directed=False),
    ):
        assert values(given) == wanted, given
    wanted = values(Graph(EDGES, 5, directed=True, weights=WEIGHTS))
    for given in (
        Graph(matrix, directed=True),
        NetworkX(names, weighted, directed=True),
        Graph(IGraph(5, WEIGHTS, directed=True), directed=True),
    ):
        assert values(given) == wanted
    wanted = values(Graph(EDGES, 5))
    for given in (
        NetworkX(names, [(u, v, None) for u, v in named], directed=False),
        IGraph(5, None, directed=False),
        (matrix + matrix.T) != 0,
    ):
        assert values(given) == wanted
    mixed = NetworkX(names, [(u, v, None if w == 1 else w) for u, v, w in weighted], directed=False)
    assert values(mixed) == values(Graph(EDGES, 5, weights=WEIGHTS))


def test_vertices_without_edges_and_the_number_of_vertices() -> None:
    assert Graph(EDGES).n == 4
    assert Graph([], 3).n == Graph(np.empty((0, 3)), 3).n == 3
    with raises_line(InputError, "labels has 5 instances, graph= has 4: they must be the same instances"):
        evaluate(graph=EDGES, labels=LABELS)
    found = Graph(ROWS, 5).take(np.array([4, 2, 0, 1, 3]))
    assert found.edges.tolist() == [[2, 3], [3, 1], [2, 1], [1, 4]]
    assert found.weights.tolist() == WEIGHTS


def test_labels_in_another_order_than_the_vertices() -> None:
    named = Graph([["b", "a"], ["a", "c"]], vertices=["b", "a", "c"])
    labels = pd.Series({"a": 1, "b": 1, "c": 2})
    with raises_line(
        InputError,
        "labels are not in the order of the vertices: sort them, for instance with labels.loc[list(vertices)], or pass "
        ".to_numpy() to pair them by position",
    ):
        evaluate(graph=named, labels=labels)
    sorted_ = evaluate(graph=named, labels=labels.loc[["b", "a", "c"]])
    assert sorted_["graph_coverage"] == evaluate(graph=named, labels=[1, 1, 2])["graph_coverage"] == 0.5
    assert evaluate(graph=named, labels=pd.Series([1, 1, 2]))["graph_coverage"] == 0.5


def test_what_is_no_edge() -> None:
    loops = sparse.csr_array(np.array([[2, 0], [0, 0]]))
    assert Graph(loops).edges.tolist() == [[0, 0]]
    assert evaluate(graph=loops, labels=[0, 1], indices="graph_coverage")["graph_coverage"] == 1
    stored = sparse.csr_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert len(Graph(stored).edges) == 0


def test_hostile_graphs() -> None:
    inf, nan = math.inf, math.nan
    shape = "edges are no array of shape (E, 2), or (E, 3) with weights: give one, or an adjacency matrix"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"edges": [1, 2, 3]}, shape),
        ({"edges": np.ones((4, 4))}, shape),
        ({"edges": [[0, 1], [1]]}, shape),
        ({"edges": [[0, 2, 1], [2, 0, 1], [1, 1, 0]]}, shape),
        ({"edges": pd.DataFrame({"a": [1]})}, shape),
        ({"edges": []}, "edges are empty: give the number of vertices as n="),
        ({"edges": [[0, 1], [-1, 2]]}, "edges have the vertex -1 in row 1: vertices are numbers from 0 to 2"),
        ({"edges": EDGES, "n": 3}, "edges have the vertex 3 in row 3: vertices are numbers from 0 to 2"),
        ({"edges": [[0, 1.5]]}, "edges have the vertex 1.5 in row 0: vertices are numbers from 0"),
        ({"edges": [[0, nan]]}, "edges have the vertex nan in row 0: vertices are numbers from 0"),
        ({"edges": [[0, inf]]}, "edges have the vertex inf in row 0: vertices are numbers from 0"),
        ({"edges": [[0, 1, -2.0]]}, "an edge has the weight -2.0 in row 0: give ones from 0 to 1e290"),
        ({"edges": [[0, 1, 1], [0, 1, nan]]}, "an edge has the weight nan in row 1: give ones from 0"),
        ({"edges": EDGES, "weights": [1, 2, 3, inf]}, "an edge has the weight inf in row 3: give ones"),
        ({"edges": EDGES, "weights": [1, 2]}, "weights= are no 4 numbers: give one for each edge, at least 0"),
        ({"edges": EDGES, "weights": list("abcd")}, "weights= are no 4 numbers: give one for each edge"),
        ({"edges": ROWS, "weights": WEIGHTS}, "weights= were given twice: the edges have their own; leave one"),
        ({"edges": EDGES, "n": 2.5}, "n= is 2.5: give the number of vertices"),
        ({"edges": [["a", "b"]]}, "edges name vertices, such as 'a': number them from 0 in the order of the"),
        ({"edges": [["a", "b"]], "vertices": ["a", "c"]}, "the vertex 'b' in row 0 of edges is not among vertices="),
        ({"edges": [["a", "b"]], "vertices": ["a", "b", "a"]}, "vertices= names 'a' twice: give each vertex once"),
        ({"edges": [["a", None]], "vertices": ["a", None]}, "vertices= has a missing name: give each vertex one"),
        ({"edges": sparse.eye(3, 4)}, "the adjacency matrix has shape (3, 4): give a row and a column for each"),
        (
            {"edges": sparse.csr_array(np.triu(np.ones((3, 3))))},
            "the adjacency matrix is not symmetric: pass directed=True, or add its transpose",
        ),
        ({"edges": sparse.eye(3), "n": 4}, "n=4 contradicts the graph, whose n is 3: leave it out"),
        (
            {"edges": IGraph(4, None, directed=True), "directed": False},
            "directed=False contradicts the graph, whose directed is True: leave it out",
        ),
        (
            {"edges": IGraph(4, None, directed=False), "directed": True},
            "directed=True contradicts the graph, whose directed is False: leave it out",
        ),
    ]  # fmt: skip
    for given, message in cases:
        with pytest.raises(AdjudgeError) as error:
            Graph(**given)
        assert str(error.value).startswith(message), str(error.value)
        assert "\n" not in str(error.value)
