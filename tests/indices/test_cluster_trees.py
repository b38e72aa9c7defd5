"""Trees of clusters: reference values, the definitions pair by pair, and what does not change a value."""

from __future__ import annotations

import math
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix
from scipy.spatial.distance import euclidean
from scipy.stats import pearsonr, rankdata
from sklearn.cluster import AgglomerativeClustering

import adjudge
from adjudge import Graph, InputError, Linkage, evaluate
from adjudge.inference import bk_curve
from cases import each
from conftest import REFERENCE, raises_line, read_reference

FOLDER = REFERENCE / "hierarchy"
TREE = [[0, 1, 1.0, 2], [2, 3, 2.5, 3]]


def drawn(
    seed: int, n: int, n_classes: int = 3, heights: int = 0
) -> tuple[np.ndarray, list[int], np.ndarray]:
    """Draw a tree with merges in any order (heights from so few values that they tie), classes, and points."""
    rng = np.random.default_rng(seed)
    ids, rows, sizes = list(range(n)), [], [1] * n
    levels = np.sort(rng.integers(1, heights + 1, n - 1) if heights else rng.random(n - 1) + 0.5)
    for i in range(n - 1):
        a, b = (ids.pop(int(rng.integers(len(ids)))) for _ in range(2))
        sizes.append(sizes[a] + sizes[b])
        rows.append([a, b, float(levels[i]), sizes[-1]])
        ids.append(n + i)
    if not heights:
        rng.shuffle(levels)  # later merges may be lower
        for row, level in zip(rows, levels, strict=True):
            row[2] = float(level)
    return np.array(rows), rng.integers(0, n_classes, n).tolist(), rng.normal(size=(n, 2))


class Naive:
    """A tree as the set of instances of each merge."""

    def __init__(self, rows: Any) -> None:
        rows = np.asarray(rows)
        self.n = len(rows) + 1
        self.heights = rows[:, 2].tolist()
        self.sets = [frozenset([i]) for i in range(self.n)]
        for a, b in rows[:, :2].astype(int):
            self.sets.append(self.sets[a] | self.sets[b])
        self.inner = self.sets[self.n :]

    def row(self, i: int, j: int) -> int:
        return next(k for k, own in enumerate(self.inner) if i in own and j in own)

    def top(self, row: int) -> int:
        """The last merge that is reached upwards through merges at the same height."""
        for above in range(row + 1, self.n - 1):
            if self.inner[row] <= self.inner[above]:
                return self.top(above) if self.heights[above] == self.heights[row] else row
        return row

    def pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(self.n), 2))

    def purity(self, classes: list[int], *, by_height: bool = False) -> float:
        shares = []
        for i, j in self.pairs():
            if classes[i] == classes[j]:
                row = self.row(i, j)
                own = self.inner[self.top(row) if by_height else row]
                shares.append(sum(classes[k] == classes[i] for k in own) / len(own))
        return float(np.mean(shares)) if shares else math.nan

    def f(self, classes: list[int], *, inner: bool = False) -> float:
        total = 0.0
        for c in set(classes):
            own = {i for i, label in enumerate(classes) if label == c}
            clusters = self.inner if inner else self.sets
            total += len(own) * max(2 * len(own & v) / (len(own) + len(v)) for v in clusters)
        return total / self.n


def same(found: float, expected: Any, rel: float = 1e-9) -> None:
    if isinstance(expected, str) or math.isnan(expected):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(expected, rel=rel, abs=1e-12)


@each("file", sorted(FOLDER.iterdir()))
def test_reference_values(file: Any) -> None:
    case = read_reference(file)
    reference, X, classes = case["reference"], np.array(case["X"]), case["classes"]
    for i, rows in enumerate((case["Z1"], case["Z2"])):
        found = evaluate(classes, linkage=rows, X=X, indices="all")
        for name in ("cophenetic_correlation", "dendrogram_purity", "hierarchical_f"):
            same(found[name], reference[name][i])
        by_height = adjudge.dendrogram_purity(classes, linkage=rows, by_height=True)
        same(by_height, reference["dendrogram_purity_equal_heights_merged"][i])
        inner = adjudge.hierarchical_f(classes, linkage=rows, inner=True)
        same(inner, reference["hierarchical_f_inner_nodes_only"][i])
    pairs = np.array(list(combinations(range(len(X)), 2)))
    alike = 1 / (1 + np.array([euclidean(X[i], X[j]) for i, j in pairs]))
    for i, rows in enumerate((case["Z1"], case["Z2"])):
        cost = adjudge.dasgupta_cost(linkage=rows, graph=Graph(pairs, weights=alike))
        same(cost, reference["dasgupta_cost_similarity_1_over_1_plus_d"][i])
        # scikit-network divides by the weight of all edges, in single precision.
        same(cost / alike.sum(), case["programs"]["scikit-network 0.33.5 dasgupta_cost"][i], rel=1e-6)
    found = evaluate(Linkage(case["Z1"]), linkage=case["Z2"])
    same(found["cophenetic_agreement"], reference["cophenetic_between_trees"])
    same(found["bakers_gamma"], reference["baker_spearman_of_join_levels"])
    curve = bk_curve(case["Z1"], case["Z2"])
    assert [str(row[0]) for row in curve.rows] == list(reference["bk"])
    for row, expected in zip(curve.rows, reference["bk"].values(), strict=True):
        for value, name in zip(row[1:4], ("bk", "expected", "variance"), strict=True):
            same(value, expected[name])


@each("seed", range(40), keep=15)
def test_the_cost_of_a_tree_edge_by_edge(seed: int) -> None:
    rng, n = np.random.default_rng(seed), 2 + seed % 15
    rows, *_ = drawn(seed, n, heights=(0, 3)[seed % 2])
    edges = rng.integers(0, n, (int(rng.integers(1, 40)), 2))  # loops and parallel edges too
    weights = rng.random(len(edges)) if seed % 3 else rng.integers(0, 9, len(edges))
    tree = Naive(rows)
    expected = sum(
        w * len(tree.inner[tree.row(i, j)]) for (i, j), w in zip(edges, weights, strict=True) if i != j
    )
    for graph in (Graph(edges, n, weights=weights), Graph(edges[:, ::-1], n, weights=weights, directed=True)):
        same(adjudge.dasgupta_cost(linkage=rows, graph=graph), expected)
    turned = rows.copy()
    turned[:, :2] = rows[:, 1::-1]
    order = rng.permutation(len(edges))
    again = Graph(edges[order], n, weights=weights[order])
    assert adjudge.dasgupta_cost(linkage=turned, graph=again) == adjudge.dasgupta_cost(
        linkage=rows, graph=Graph(edges, n, weights=weights)
    )
    assert evaluate(linkage=rows, graph=again).values.keys() == {"dasgupta_cost"}


@each("seed", range(60), keep=20)
def test_definitions_pair_by_pair(seed: int) -> None:
    n = 2 + seed % 13
    rows, classes, X = drawn(seed, n, 1 + seed % 5, heights=(0, 2, 4)[seed % 3])
    other, *_ = drawn(1000 + seed, n, heights=(0, 3)[seed % 2])
    tree, beside = Naive(rows), Naive(other)
    same(adjudge.dendrogram_purity(classes, linkage=rows), tree.purity(classes))
    same(
        adjudge.dendrogram_purity(classes, linkage=rows, by_height=True), tree.purity(classes, by_height=True)
    )
    same(adjudge.hierarchical_f(classes, linkage=rows), tree.f(classes))
    same(adjudge.hierarchical_f(classes, linkage=rows, inner=True), tree.f(classes, inner=True))
    joins = [[own.row(i, j) for i, j in tree.pairs()] for own in (tree, beside)]
    heights = [[own.heights[k] for k in js] for own, js in zip((tree, beside), joins, strict=True)]
    distances = [euclidean(X[i], X[j]) for i, j in tree.pairs()]

    def correlation(one: Any, two: Any) -> float:
        constant = len(set(one)) < 2 or len(set(two)) < 2
        return math.nan if constant else float(pearsonr(one, two).statistic)

    same(adjudge.cophenetic_correlation(linkage=rows, X=X), correlation(distances, heights[0]))
    same(adjudge.cophenetic_agreement(Linkage(other), linkage=rows), correlation(*heights))
    same(adjudge.bakers_gamma(Linkage(other), linkage=rows), correlation(*map(rankdata, joins)))


def test_many_blocks_give_what_few_give(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, _, X = drawn(3, 40)
    other, *_ = drawn(4, 40)

    def values() -> list[Any]:
        curve = bk_curve(other, rows).rows
        return [
            *evaluate(linkage=rows, X=X).values.values(),
            *evaluate(Linkage(other), linkage=rows).values.values(),
            *curve,
        ]

    whole = values()
    monkeypatch.setattr("adjudge.statistics.join_heights._BLOCK", 100)
    assert values()[:3] == pytest.approx(whole[:3], rel=1e-12)
    assert values()[3:] == whole[3:]


@each("seed", range(6))
def test_bk_under_all_orders(seed: int) -> None:
    """Expectation and variance are those over all orders of the instances of one tree."""
    n = 3 + seed % 3
    one, two = drawn(seed, n)[0], Linkage(drawn(50 + seed, n)[0])
    curves = [bk_curve(one, two.take(np.array(order))).rows for order in permutations(range(n))]
    for by_k in zip(*curves, strict=True):
        values = [row[1] for row in by_k]
        assert by_k[0][2] == pytest.approx(np.mean(values), rel=1e-12)
        assert by_k[0][3] == pytest.approx(np.var(values), rel=1e-9, abs=1e-12)
        assert by_k[0][4] == pytest.approx(max(0, by_k[0][2] - 1.959963984540054 * by_k[0][3] ** 0.5))


@each("seed", range(6))
def test_names_and_orders_change_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, classes, X = drawn(seed, 30, heights=seed % 2 * 5)
    whole = evaluate(classes, linkage=rows, X=X).values
    order = rng.permutation(30)
    renamed = [f"class {9 - classes[i]}" for i in order]
    swapped = np.where(rng.random(29)[:, None] < 0.5, rows[:, [1, 0]], rows[:, :2])
    moved = Linkage(np.column_stack([swapped, rows[:, 2:]])).take(order)
    assert evaluate(renamed, linkage=moved, X=X[order]).values == pytest.approx(whole, rel=1e-12)
    scaled = rows * [1, 1, 1000, 1]
    assert evaluate(classes, linkage=scaled, X=X * 7 + 1e6).values == pytest.approx(whole, rel=1e-8)


def test_what_a_tree_may_be_given_as() -> None:
    X = np.random.default_rng(0).normal(size=(30, 3))
    rows = linkage(X, "average")
    fitted = AgglomerativeClustering(linkage="average", compute_distances=True).fit(X)
    whole = adjudge.cophenetic_correlation(linkage=rows, X=X)
    for given in (Linkage(rows), rows.tolist(), rows[:, :3], fitted):
        assert adjudge.cophenetic_correlation(linkage=given, X=X) == pytest.approx(whole, rel=1e-12)
    options = {"compute_full_tree": False, "compute_distances": True, "connectivity": np.ones((30, 30))}
    partly = AgglomerativeClustering(n_clusters=20, **options).fit(X)
    for wrong, message in [
        (
            AgglomerativeClustering().fit(X),
            "the fitted clusterer has no distances_: set its compute_distances before fitting",
        ),
        (
            partly,
            "the fitted clusterer stopped before all instances were merged: set its compute_full_tree before fitting",
        ),
    ]:
        with raises_line(InputError, message):
            evaluate(linkage=wrong, X=X)


def test_undefined_values_have_reasons() -> None:
    found = evaluate(["a", "b", "c"], linkage=TREE, X=[[1.0], [1.0], [1.0]])
    assert found.reasons == {
        "cophenetic_correlation": "0/0: all distances are equal",
        "dendrogram_purity": "0/0: no two instances have the same class",
    }
    flat = [[0, 1, 0.1, 2], [2, 3, 0.1, 3]]
    assert evaluate(linkage=flat, X=[[0.0], [1.0], [3.0]]).reasons["cophenetic_correlation"].endswith("equal")
    pair = evaluate(Linkage([[0, 1, 1.0, 2]]), linkage=[[0, 1, 2.0, 2]])
    assert pair.reasons["bakers_gamma"] == "0/0: there is one pair of instances"
    assert adjudge.dendrogram_purity([0, 0], linkage=[[0, 1, 1.0, 2]]) == 1.0
    # Three points of equal distance, apart from rounding.
    triangle = [[0.0, 0.0], [0.3, 0.0], [0.15, 0.15 * math.sqrt(3)]]
    assert math.isnan(adjudge.cophenetic_correlation(linkage=TREE, X=triangle))


def test_chance_and_intervals() -> None:
    rows, classes, X = drawn(1, 40, 2)
    found = evaluate(classes, linkage=rows, X=X, adjust=True, random_state=0, n_tables=400, confidence=0.9)
    # By chance, a class has its overall share in a cluster, and a little more because of the pair itself.
    purity = found.score("dendrogram_purity")
    draws = np.random.default_rng(1)
    shuffled = [Naive(rows).purity(draws.permutation(classes).tolist()) for _ in range(60)]
    assert purity.expected == pytest.approx(np.mean(shuffled), abs=0.01)
    assert found.score("cophenetic_correlation").expected is None
    assert found.interval_reasons["hierarchical_f"].startswith("the instances of one tree are no independent")
    trees = evaluate(Linkage(rows), linkage=drawn(2, 40)[0], adjust=True, random_state=0, n_tables=200)
    assert abs(trees.score("bakers_gamma").expected) < 0.05


def test_hostile_trees() -> None:
    shape = "give a linkage matrix of shape (n - 1, 4), as scipy.cluster.hierarchy.linkage returns it"
    for given, message in [
        ("text", f"linkage is no matrix of numbers: {shape}"),
        ([1.0, 2.0], f"linkage has shape (2,): {shape}"),
        (np.zeros((0, 4)), f"linkage has shape (0, 4): {shape}"),
        ([[0, 1, math.nan, 2]], "linkage has nan in row 0, column 2: give finite numbers"),
        ([[0, 2, 1.0, 2]], "linkage merges cluster 2 in row 0: there are clusters 0 to 1 by then"),
        ([[-1, -2, 1.0, 2]], "linkage merges cluster -1 in row 0: there are clusters 0 to 1 by then"),
        ([[0, 0.5, 1.0, 2]], "linkage merges cluster 0.5 in row 0: there are clusters 0 to 1 by then"),
        (
            [[0, 1, 1.0, 2], [0, 3, 2.5, 3]],
            "linkage merges cluster 0 a second time in row 1: merge each cluster once",
        ),
        (
            [[0, 1, 1.0, 2], [2, 3, 2.5, 4]],
            "linkage has 4 instances in row 1, which merges clusters of 1 and 2: make the last column their sum, or "
            "leave it out",
        ),
    ]:
        with raises_line(InputError, message):
            Linkage(given)
    for call, message in [
        (
            lambda: evaluate(linkage=TREE),
            "nothing to judge from a tree of clusters alone: give X= or labels_true= or graph= as well",
        ),
        (
            lambda: evaluate([0, 1], linkage=TREE),
            "labels_true has 2 instances, linkage= has 3: they must be the same instances",
        ),
        (
            lambda: evaluate(linkage=TREE, X=[[0.0], [1.0], [3.0]], metric="cosine"),
            "metric= does not work with a graph, a tree, batches, overlapping or soft clusters: leave it out",
        ),
        (
            lambda: evaluate(linkage=TREE, X=csr_matrix(np.eye(3))),
            "X is a sparse matrix: give a dense one, such as X.toarray()",
        ),
        (
            lambda: adjudge.dendrogram_purity(linkage=TREE),
            "dendrogram_purity needs true labels: give labels_true=",
        ),
        (
            lambda: bk_curve(TREE, TREE[:1]),
            "the trees have 3 and 2 instances: they must be the same instances",
        ),
        (lambda: bk_curve(TREE[:1], TREE[:1]), "the trees have two instances: B_k needs three or more"),
    ]:
        with raises_line(InputError, message):
            call()
