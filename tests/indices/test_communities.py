"""Indices of communities: reference values, the definitions by brute force, and what must not change them."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge import Graph, InputError, InputTypeError, evaluate
from adjudge.statistics.communities import Communities, CommunityEdges
from conftest import raises_line

FOLDER = Path(__file__).parents[1] / "reference" / "graph"
# The keys of the reference values of a whole graph, and of each community, of which an index is the mean.
KEYS = {
    "modularity": "modularity_1.0",
    "graph_coverage": "coverage",
    "performance": "performance_unweighted_loops_left_out",
    "conductance": "conductance_mean_of_defined",
    "normalized_cut": "normalized_cut_total",
    "surprise": "surprise_asymptotic",
    "significance": "significance",
}
NAMES = (*KEYS, "internal_density")


def test_inputs_of_an_index_are_taken_in_their_order() -> None:
    edges, labels = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]], [0, 0, 0, 1, 1, 1]
    wanted = adjudge.modularity(graph=edges, labels=labels, resolution=2)
    assert adjudge.modularity(edges, labels, resolution=2) == wanted
    assert adjudge.modularity(edges, labels=labels, resolution=2) == wanted
    tree = [[0, 1, 1.0], [3, 4, 1.0], [2, 6, 2.0], [5, 7, 2.0], [8, 9, 3.0]]
    assert adjudge.dasgupta_cost(tree, edges) == adjudge.dasgupta_cost(graph=edges, linkage=tree)
    assert adjudge.dendrogram_purity(labels, tree) == adjudge.dendrogram_purity(labels, linkage=tree)
    with raises_line(InputTypeError, "modularity() was given labels twice, without a name and by name"):
        adjudge.modularity(edges, labels, labels=labels)
    message = "modularity() takes graph and labels without names, and 3 values were given: name the others"
    with raises_line(InputTypeError, message):
        adjudge.modularity(edges, labels, 2.0)


def test_reference_values() -> None:
    files = sorted(FOLDER.glob("*.json"))
    assert len(files) == 13
    for path in files:
        case = json.loads(path.read_text("utf-8"))
        graph, wanted = Graph(case["edges"], case["n"], directed=case["directed"]), case["reference"]
        found = evaluate(graph=graph, labels=case["labels"], indices="all")
        assert tuple(sorted(found.scores)) == tuple(sorted((*NAMES, "graph_connectivity")))
        for name, key in KEYS.items():
            if key in wanted:
                known = pytest.approx(float(wanted[key]), rel=1e-9, abs=1e-14, nan_ok=True)
                assert found[name] == known, (path.name, name)
        if "surprise_exact_minus_log" in wanted:
            value = adjudge.surprise(graph=graph, labels=case["labels"], exact=True)
            known = pytest.approx(float(wanted["surprise_exact_minus_log"]), rel=1e-9, abs=1e-14)
            assert value == known, path.name
        for gamma in (0.5, 2.0):
            value = adjudge.modularity(graph=graph, labels=case["labels"], resolution=gamma)
            known = pytest.approx(float(wanted[f"modularity_{gamma}"]), rel=1e-9, nan_ok=True)
            assert value == known, path.name
        for name in {"cut", "volume", "conductance", "expansion", "internal_density"} & wanted.keys():
            own = np.array([float(value) for value in wanted[name]])
            assert found.details[name] == pytest.approx(own, rel=1e-9, nan_ok=True), (path.name, name)
        if "internal_density" in wanted:
            own = [float(value) for value in wanted["internal_density"] if value != "NaN"]
            mean = sum(own) / len(own) if own else math.nan
            assert found["internal_density"] == pytest.approx(mean, rel=1e-9, nan_ok=True), path.name


# --- the definitions, pair by pair ------------------------------------------------------------------------------


def naive(edges: list[tuple[int, int, Any]], n: int, labels: list[int], directed: bool) -> dict[str, float]:
    """Every index from the adjacency matrix, in exact fractions as far as there are no logarithms."""
    A = [[Fraction(0)] * n for _ in range(n)]
    joined: set[tuple[int, int]] = set()
    for u, v, w in edges:
        A[u][v] += Fraction(w)
        if not directed:
            A[v][u] += Fraction(w)  # a loop has both its ends here
        if u != v:
            joined |= {(u, v)} if directed else {(min(u, v), max(u, v))}
    out, into = [sum(row) for row in A], [sum(column) for column in zip(*A, strict=True)]
    ends, values = sum(out), dict.fromkeys((*NAMES, "exact"), math.nan)
    vertices = range(n)
    alike = [[labels[i] == labels[j] for j in vertices] for i in vertices]
    pairs = [(i, j) for i in vertices for j in vertices if (i != j if directed else i < j)]
    groups = [[i for i in vertices if labels[i] == k] for k in sorted(set(labels))]
    if ends:
        q = sum(
            A[i][j] - out[i] * into[j] / ends for i, j in itertools.product(vertices, repeat=2) if alike[i][j]
        )
        values["modularity"] = float(q / ends)
        values["graph_coverage"] = float(
            sum(A[i][j] for i, j in itertools.product(vertices, repeat=2) if alike[i][j]) / ends
        )
    right = sum((pair in joined) == alike[pair[0]][pair[1]] for pair in pairs)
    values["performance"] = right / len(pairs) if pairs else math.nan
    B = [[A[i][j] + (A[j][i] if directed else 0) for j in vertices] for i in vertices]
    cuts = [sum(B[i][j] for i in group for j in vertices if labels[j] != labels[i]) for group in groups]
    volumes = [sum(sum(B[i]) for i in group) for group in groups]
    smaller = [min(own, sum(volumes) - own) for own in volumes]
    shares = [cut / own for cut, own in zip(cuts, smaller, strict=True) if own]
    values["conductance"] = float(sum(shares) / len(shares)) if shares else math.nan
    if all(volumes):
        values["normalized_cut"] = float(sum(c / v for c, v in zip(cuts, volumes, strict=True)))
    inner = [[(i, j) for i, j in pairs if i in group and j in group] for group in groups]
    found = [sum(pair in joined for pair in own) for own in inner]
    dense = [one / len(own) for one, own in zip(found, inner, strict=True) if own]
    values["internal_density"] = sum(dense) / len(dense) if dense else math.nan
    if joined:
        e, M, inside, within = len(joined), len(pairs), sum(found), sum(map(len, inner))
        values["surprise"] = e * divergence(inside / e, within / M)
        tail = sum(math.comb(within, i) * math.comb(M - within, e - i) for i in range(inside, e + 1))
        values["exact"] = -math.log(Fraction(tail, math.comb(M, e)))
        values["significance"] = sum(
            len(own) * divergence(one / len(own), e / M) for one, own in zip(found, inner, strict=True) if own
        )
    return values


def divergence(q: float, t: float) -> float:
    """The divergence of two coins, whose 0 log 0 is 0."""
    parts = ((a, b) for a, b in ((q, t), (1 - q, 1 - t)) if a > 0)
    return sum(a * math.log(a / b) for a, b in parts)


def test_values_are_those_of_the_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    for case in range(120):
        # Up to nine pairs of communities, edges are summed by pair.
        monkeypatch.setattr("adjudge.statistics.communities._MOST_PAIRS", 9)
        n, k, directed = int(rng.integers(1, 10)), int(rng.integers(1, 5)), bool(case % 2)
        size = int(rng.integers(0, 25))
        weights = rng.integers(0, 9, size).tolist() if case % 3 else (rng.random(size) * 10).tolist()
        ends = rng.integers(0, n, (size, 2)).tolist()  # with loops and parallel edges
        labels = rng.integers(0, k, n).tolist()
        edges = [(u, v, w) for (u, v), w in zip(ends, weights, strict=True)]
        graph = Graph(ends, n, directed=directed, weights=weights)
        found = evaluate(graph=graph, labels=labels, indices="all").values
        found["exact"] = adjudge.surprise(graph=graph, labels=labels, exact=True)
        for name, value in naive(edges, n, labels, directed).items():
            assert found[name] == pytest.approx(value, rel=1e-10, abs=1e-10, nan_ok=True), (case, name)


def test_neither_order_nor_names_matter() -> None:
    rng = np.random.default_rng(3)
    for directed in (False, True):
        n, size = 40, 300
        ends, labels = rng.integers(0, n, (size, 2)), rng.integers(0, 6, n)
        weights = rng.random(size) * 10.0 ** rng.integers(-12, 12, size)
        graph = Graph(ends, n, directed=directed, weights=weights)
        wanted = evaluate(graph=graph, labels=labels, indices="all").values
        again = rng.permutation(size)
        sides = ends if directed else np.where(rng.random(size)[:, None] < 0.5, ends, ends[:, ::-1])
        shuffled = Graph(sides[again], n, directed=directed, weights=weights[again])
        assert evaluate(graph=shuffled, labels=labels, indices="all").values == wanted
        order = rng.permutation(n)
        names = np.array(list("fabdec"))[labels[order]]
        assert evaluate(graph=graph.take(order), labels=names, indices="all").values == wanted


def test_both_directions_are_no_direction() -> None:
    rng = np.random.default_rng(8)
    ends = np.array([pair for pair in itertools.combinations(range(20), 2) if rng.random() < 0.3])
    labels, weights = rng.integers(0, 3, 20), rng.integers(1, 9, len(ends))
    one = evaluate(graph=Graph(ends, 20, weights=weights), labels=labels, indices="all")
    twice = Graph(np.vstack([ends, ends[:, ::-1]]), 20, directed=True, weights=np.tile(weights, 2))
    both = evaluate(graph=twice, labels=labels, indices="all")
    for name in ("modularity", "graph_coverage", "performance", "conductance", "normalized_cut"):
        assert both[name] == pytest.approx(one[name], rel=1e-12), name
    assert both["surprise"] == pytest.approx(2 * one["surprise"], rel=1e-12)


def test_units_of_weights_do_not_matter() -> None:
    rng = np.random.default_rng(5)
    ends, labels, weights = rng.integers(0, 20, (60, 2)), rng.integers(0, 3, 20), rng.random(60)
    for directed in (False, True):
        wanted = evaluate(
            graph=Graph(ends, 20, directed=directed, weights=weights), labels=labels, indices="all"
        )
        for unit in (1e-300, 1e-170, 3.0, 1e200, 1e289):
            graph = Graph(ends, 20, directed=directed, weights=weights * unit)
            assert evaluate(graph=graph, labels=labels, indices="all").values == pytest.approx(
                wanted.values, rel=1e-12
            )


def test_whole_weights_stay_exact() -> None:
    huge = 2**61 + 2**45 + 2**25 + 1
    graph = Graph([[0, 1], [1, 2], [2, 2], [2, 3]], weights=[huge, 1, 3, huge])
    made = Communities.make(graph, adjudge.given.labels.code_labels([0, 0, 1, 1], "labels"))
    assert (made.inside, made.cut, made.total) == ((huge, huge + 3), (1, 1), 2 * huge + 4)
    assert made.volume == (2 * huge + 1, 2 * huge + 7)
    assert made.rest == made.volume[::-1]
    most = Graph([[0, 1]] * 3, weights=np.full(3, 2**64 - 1, np.uint64))
    assert evaluate(graph=most, labels=[0, 1]).details["cut"].tolist() == [3 * (2**64 - 1)] * 2
    small = evaluate(graph=Graph([[0, 1]] * 10, weights=[0.1] * 10), labels=[0, 1])
    assert small.details["cut"].tolist() == [1.0, 1.0]
    tiny = evaluate(graph=Graph([[0, 1]] * 513, weights=[1.0, *[2.0**-61] * 512]), labels=[0, 1])
    assert tiny.details["cut"].tolist() == [1 + 2.0**-52] * 2


def test_edges_start_in_one_community_and_end_in_another(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = adjudge.given.labels.code_labels([0, 0, 1, 1], "labels")
    for most in (0, 4):
        monkeypatch.setattr("adjudge.statistics.communities._MOST_PAIRS", most)
        made = Communities.make(Graph([[0, 2], [1, 3], [0, 1]], directed=True), labels)
        assert (made.out, made.into, made.inside) == ((3, 0), (1, 2), (1, 0)), most


def test_edges_are_read_in_chunks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    ends, labels = rng.integers(0, 30, (500, 2)), rng.integers(0, 4, 30)
    weights = rng.random(500)
    for directed in (False, True):
        wanted = evaluate(graph=Graph(ends, 30, directed=directed, weights=weights), labels=labels).values
        with monkeypatch.context() as patched:
            patched.setattr("adjudge.given.graph._ROWS", 7)
            patched.setattr("adjudge.given.graph._SORTED", 20)
            rows = np.memmap(tmp_path / "edges", np.float64, "w+", shape=(500, 3))
            rows[:] = np.column_stack([ends, weights])
            graph = Graph(rows, 30, directed=directed)
            assert evaluate(graph=graph, labels=labels).values == wanted
            first: set[tuple[int, ...]] = set()
            for i, pair in enumerate(ends.tolist()):
                key = tuple(pair if directed else sorted(pair))
                assert graph.repeated is not None
                assert graph.repeated[i] == (key in first and pair[0] != pair[1])
                first.add(key)


def test_surprise_is_exact_in_large_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tail against exact integers, beyond and before the mode, in one block of terms and in several."""
    for inside, terms_at_once in itertools.product((510, 180, 150), (2**16, 10)):
        monkeypatch.setattr("adjudge.indices.communities._TERMS", terms_at_once)
        edges = CommunityEdges((inside - 100, 100), (1_000_000, 1_000_000), 900, 10_000_000)
        terms = [math.comb(2_000_000, i) * math.comb(8_000_000, 900 - i) for i in range(inside, 901)]
        wanted = math.log(Fraction(math.comb(10_000_000, 900), sum(terms)))
        assert adjudge.surprise.of(edges, exact=True) == pytest.approx(wanted, rel=1e-10), (
            inside,
            terms_at_once,
        )


def test_chance_exchanges_vertices() -> None:
    rng = np.random.default_rng(2)
    blocks = np.repeat([0, 1, 2], 12)
    chance = np.where(blocks[:, None] == blocks, 0.7, 0.05)
    ends = np.argwhere(np.triu(rng.random((36, 36)) < chance, 1))
    found = evaluate(graph=Graph(ends, 36), labels=blocks, adjust=True, random_state=0, confidence=0.95)
    for name in ("modularity", "graph_coverage", "performance", "conductance"):
        score = found.score(name)
        assert score.adjusted is not None
        assert 0.3 < score.adjusted < 1
        assert score.p_value == pytest.approx(1 / 200)
        assert found.interval_reasons[name].startswith("vertices and edges of one graph are no sample")
    # Modularity subtracts what the degrees explain, so that its mean under chance is near 0 already.
    assert abs(found.expected["modularity"]) < 0.05
    apart = evaluate(graph=Graph(ends, 36), labels=rng.permutation(blocks), adjust=True, random_state=0)
    assert abs(apart.adjusted["conductance"]) < 0.15


def test_values_by_community_and_several_partitions() -> None:
    graph = Graph([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5], [3, 5]])
    found = evaluate(graph=graph, labels={"two": list("aaabbb"), "three": list("aaabbc")})
    assert found["two", "modularity"] > found["three", "modularity"]
    details = found["three"].details
    assert details["communities"] == ["a", "b", "c"]
    assert details["conductance"] == pytest.approx([1 / 7, 3 / 5, 1])
    assert details["edges_inside"].tolist() == [3, 1, 0]
    worst = adjudge.conductance(graph=graph, labels=list("aaabbc"), over="worst")
    assert worst == 1
    with raises_line(InputError, "over='best' is not known: choose one of 'mean', 'worst'"):
        adjudge.conductance(graph=graph, labels=list("aaabbc"), over="best")


def reached(edges: list[list[int]], inside: set[int], start: int) -> set[int]:
    """The vertices that edges inside a community lead to."""
    found, waiting = {start}, [start]
    while waiting:
        own = waiting.pop()
        near = {b for a, b in edges if a == own} | {a for a, b in edges if b == own}
        waiting += (near & inside) - found
        found |= near & inside
    return found


def test_connectivity_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(8)
    for rows in (2**17, 7):
        monkeypatch.setattr("adjudge.given.graph._ROWS", rows)
        for _ in range(15):
            n = int(rng.integers(4, 30))
            edges, labels = rng.integers(0, n, (n, 2)), rng.integers(0, 3, n)
            shares = []
            for label in np.unique(labels):
                own = set(np.flatnonzero(labels == label).tolist())
                shares.append(max(len(reached(edges.tolist(), own, v)) for v in own) / len(own))
            found = adjudge.graph_connectivity(graph=Graph(edges, n), labels=labels)
            assert found == pytest.approx(np.mean(shares))
