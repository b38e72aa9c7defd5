"""Neighbours, trees of mutual reachability and prototypes: every way to them against the definitions."""

from __future__ import annotations

import math
import time
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from scipy.spatial.distance import cdist

import adjudge
from adjudge.engines import (
    labellings,
    min_max_distances,
    other_cluster_distances,
    reachability,
    sorted_points,
)
from adjudge.engines import neighbours as engine
from adjudge.engines.neighbours import nearest_neighbours
from adjudge.engines.points import reduce_coded_points
from adjudge.engines.reachability import density_trees
from adjudge.engines.running.executor import Crew
from adjudge.given.point_options import PointOptions
from adjudge.kernels.reachability import tree_in_order
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.prototypes import OutsideExtremes
from adjudge.statistics.reachability import DensityTrees, LinkageGaps
from naive_density import OF_DISTANCES, TWINS, Given, dbcv, densest_first, ordered
from naive_distances import cloud, outside_extremes

ALL = {t for name in TWINS for t in getattr(adjudge, name).requires}


DATA: dict[str, tuple[np.ndarray, np.ndarray]] = {
    "plane": cloud(41, 2, 4, 0),
    "line": cloud(33, 1, 3, 1),
    "five_dimensions": cloud(40, 5, 4, 3),
    "overlap": cloud(50, 2, 3, 4, spread=0.0),
    "singletons": (cloud(12, 2, 3, 5)[0], np.array([0, 0, 1, 1, 1, 2, 3, 0, 1, 4, 0, 1])),
    "grid": (np.array([(i, j) for i in range(6) for j in range(6)], float), np.arange(36) // 12),
    "one_cluster": (cloud(9, 2, 1, 7)[0], np.zeros(9, int)),
    "every_point": (cloud(7, 2, 1, 8)[0], np.arange(7)),
}


def assert_as_defined(found: dict[type, Any], given: Given, names: Any) -> None:
    for name in names:
        record = getattr(adjudge, name)
        options = {"n_neighbors": given.m} if "n_neighbors" in record.parameters else {}
        value, _ = record.assess(*(found[t] for t in record.requires), **options)
        assert value == pytest.approx(TWINS[name](given), rel=1e-9, abs=1e-12, nan_ok=True), name


@pytest.mark.full
@pytest.mark.parametrize("data", DATA)
def test_definitions(data: str) -> None:
    X, codes = DATA[data]
    found = reduce_coded_points(X, codes, ALL)
    given = Given(X, codes, min(5, len(X) - 1))
    assert_as_defined(found, given, TWINS)
    assert adjudge.dbcv(X, codes, tree="ordered") == pytest.approx(
        dbcv(given, ordered), rel=1e-9, nan_ok=True
    )


@pytest.mark.full
@pytest.mark.parametrize(
    ("metric", "data"),
    [
        *product(("precomputed", "sparse", "cityblock"), ("plane", "five_dimensions", "singletons", "grid")),
        # On a grid rounding decides which of many trees is found.
        *product(
            ("cosine", "correlation", "sqeuclidean", "seuclidean", "mahalanobis"),
            ("plane", "five_dimensions", "singletons"),
        ),
    ],
)
def test_definitions_for_other_distances(data: str, metric: str) -> None:
    X, codes = DATA[data]
    # No point at the origin, which has no direction, and variables enough for correlations.
    X = X + 0.5 if metric != "correlation" else np.column_stack([X + 0.5, X**2, np.sin(X)])
    # SciPy takes variances of the points twice over.
    own = {"seuclidean": {"V": X.var(axis=0, ddof=1)}, "mahalanobis": {"VI": np.linalg.inv(np.cov(X.T))}}
    D = cdist(X, X, "euclidean" if metric in ("precomputed", "sparse") else metric, **own.get(metric, {}))
    given: Any = {"precomputed": D, "sparse": scipy.sparse.csr_matrix(X)}.get(metric, X)
    wanted = {t for name in OF_DISTANCES for t in getattr(adjudge, name).requires}
    named = metric if metric != "sparse" else "euclidean"
    found = reduce_coded_points(given, codes, wanted, PointOptions(metric=named))
    assert_as_defined(found, Given(X, codes, 5, D), OF_DISTANCES)
    twins = {"densest_first": partial(densest_first, by_rows=metric == "precomputed"), "ordered": ordered}
    for tree, twin in twins.items():
        options = PointOptions(metric=named, dimension=float(X.shape[1]), tree=tree)
        trees = reduce_coded_points(given, codes, {DensityTrees}, options)[DensityTrees]
        assert adjudge.dbcv.of(trees) == pytest.approx(dbcv(Given(X, codes, 5, D), twin), rel=1e-9), tree


@pytest.mark.parametrize("dimension", [2.0, 2.5])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_core_distances_have_the_exponent_that_is_given(metric: str, dimension: float) -> None:
    """It was ignored for Euclidean distances."""
    X, codes = DATA["five_dimensions"]
    D = cdist(X, X, metric)
    by_distances = adjudge.dbcv(D, codes, metric="precomputed", dimension=dimension)
    assert adjudge.dbcv(X, codes, metric=metric, dimension=dimension) == pytest.approx(by_distances, rel=1e-9)


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("seed", range(12))
def test_neighbours_in_compact_blocks_are_those_of_all_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p, m = int(rng.integers(300, 1500)), int(rng.integers(1, 12)), int(rng.integers(1, 100))
    X = rng.normal(size=(n, p)) + 8 * rng.integers(0, 3, size=(n, 1))
    # On a grid, and of identical points, many are equally near.
    X = [X, np.round(X), X[rng.integers(0, 7, n)], np.zeros((n, p))][seed % 4]
    found = nearest_neighbours(X, "euclidean", m, Crew.of(2, None))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    order = np.lexsort((np.broadcast_to(np.arange(n), D.shape), D + np.diag([np.inf] * n)))
    np.testing.assert_array_equal(found.positions, order[:, :m])
    np.testing.assert_allclose(found.distances, np.take_along_axis(D, order[:, :m], axis=1), rtol=1e-14)
    given = nearest_neighbours(D, "precomputed", m, Crew.of(2, None))
    np.testing.assert_array_equal(given.positions, order[:, :m])


def test_digits_of_neighbours_do_not_depend_on_where_points_lie_in_the_input(
    rng: np.random.Generator,
) -> None:
    X = rng.normal(size=(900, 10))
    crew = Crew.of(1, None)
    order = rng.permutation(900)
    found, moved = (nearest_neighbours(points, "euclidean", 30, crew) for points in (X, X[order]))
    np.testing.assert_array_equal(moved.distances, found.distances[order])
    np.testing.assert_array_equal(order[moved.positions], found.positions[order])


def test_few_blocks_are_looked_at_where_points_are_apart(rng: np.random.Generator) -> None:
    X = rng.normal(size=(20_000, 10))
    apart = X + 50 * (np.arange(20_000) % 20)[:, None]
    seconds = []
    for points in (X, apart):
        begun = time.process_time()
        nearest_neighbours(points, "euclidean", 10, Crew.of(1, None))
        seconds.append(time.process_time() - begun)
    assert seconds[1] < seconds[0] / 3


def test_digits_do_not_depend_on_the_threads() -> None:
    X, codes = cloud(1500, 3, 5, 3)
    runs = [reduce_coded_points(X, codes, ALL, PointOptions(n_jobs=n)) for n in (1, 3)]
    for name in TWINS:
        record = getattr(adjudge, name)
        options = {"n_neighbors": 9} if "n_neighbors" in record.parameters else {}
        one, other = (record.assess(*(run[t] for t in record.requires), **options)[0] for run in runs)
        assert one == other or math.isnan(one), name
    np.testing.assert_array_equal(runs[0][DensityTrees].core, runs[1][DensityTrees].core)


def test_many_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorted_points, "_TILE", 16)
    X, codes = cloud(100, 3, 6, 4, spread=1.0)
    found = reduce_coded_points(X, codes, ALL)
    assert_as_defined(found, Given(X, codes, 5), set(TWINS) - {"lisi", "aucc"})


@pytest.mark.full
def test_clusters_larger_than_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    from adjudge.engines import distance_squares, medoids

    X, codes = cloud(60, 3, 3, 5, spread=1.0)
    D = cdist(X, X)
    monkeypatch.setattr(sorted_points, "HELD", 200)
    for module in (distance_squares, medoids):
        monkeypatch.setattr(module, "_COLUMNS", 13)
    wanted = {t for name in OF_DISTANCES for t in getattr(adjudge, name).requires}
    found = reduce_coded_points(
        D, codes, {*wanted, DensityTrees}, PointOptions(metric="precomputed", dimension=3)
    )
    assert_as_defined(found, Given(X, codes, 5, D), [*OF_DISTANCES, "dbcv"])


def lattices() -> tuple[np.ndarray, np.ndarray]:
    """Points whose core distances tie, and whose DBCV depends on which comes first."""
    cells = np.array([(i, j) for i in range(4) for j in range(4)], float)
    rng = np.random.default_rng(3)
    parts = [cells[rng.choice(16, 12, replace=False)] + [5 * c, 0] for c in range(2)]
    return np.vstack(parts), np.repeat([0, 1], 12)


@pytest.mark.parametrize("ties", ["none", "twice", "one place", "lattice"])
@pytest.mark.parametrize(
    "given", ["points", "sparse", "cityblock", "euclidean distances", "cityblock distances"]
)
def test_the_order_of_the_points_does_not_matter_to_dbcv(given: str, ties: str) -> None:
    X, codes = cloud(200, 4, 3, 6)
    if ties == "twice":
        X, codes = np.vstack([X, X]), np.r_[codes, codes]
    elif ties == "one place":
        X[codes == 0] = X[0]
    elif ties == "lattice":
        X, codes = lattices()
    rng = np.random.default_rng(0)
    values = set()
    for order in (np.arange(codes.size), *(rng.permutation(codes.size) for _ in range(5))):
        points, labels = X[order], codes[order]
        if given.endswith("distances"):
            D = cdist(points, points, given.split()[0])
            values.add(adjudge.dbcv(D, labels, metric="precomputed", dimension=2))
        elif given == "sparse":
            values.add(adjudge.dbcv(scipy.sparse.csr_matrix(points - 1), labels))
        else:
            values.add(
                adjudge.dbcv(points, labels, metric="cityblock" if given == "cityblock" else "euclidean")
            )
    assert len(values) == 1


@pytest.mark.parametrize("block", [8, 1 << 21])
def test_points_that_are_as_dense_are_ordered_by_their_sorted_distances(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of distances that are longer than a block are compared in pieces; equal ones are not compared at all."""
    monkeypatch.setattr(sorted_points, "HELD", block)
    X, codes = lattices()
    X, codes = np.vstack([X, [[20, 0], [20, 0], [20, 1]]]), np.r_[codes, [2, 2, 2]]
    D = cdist(X, X, "cityblock")
    found = adjudge.dbcv(D, codes, metric="precomputed", dimension=2)
    wanted = dbcv(Given(X, codes, 5, D), partial(densest_first, by_rows=True))
    assert found == pytest.approx(wanted, rel=1e-9)
    assert abs(wanted - dbcv(Given(X, codes, 5, D))) > 1e-3


@pytest.mark.parametrize("given", ["points", "cityblock", "precomputed"])
def test_the_order_of_the_points_does_not_matter_to_the_digits_of_core_distances(
    given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even before the last ones are rounded away, so that none is rounded to another digit."""
    monkeypatch.setattr(reachability, "_settled", lambda values: values)
    X, codes = cloud(300, 3, 2, 6)
    found = []
    for order in (np.arange(300), np.random.default_rng(0).permutation(300)):
        points = cdist(X[order], X[order]) if given == "precomputed" else X[order]
        metric = "euclidean" if given == "points" else given
        trees = density_trees(points, codes[order], metric, Crew.of(1, None), dimension=3.0)
        found.append(trees.core[np.argsort(order)])
    np.testing.assert_array_equal(*found)


def test_the_order_of_the_points_matters_to_the_tree_of_the_authors() -> None:
    X, codes = cloud(200, 4, 3, 6)
    value = adjudge.dbcv(X, codes, tree="ordered")
    order = np.random.default_rng(0).permutation(200)
    assert adjudge.dbcv(X[order], codes[order], tree="ordered") == pytest.approx(value, rel=1e-12)
    prim = {adjudge.dbcv(X[o], codes[o], tree="prim") for o in (order, np.arange(200), order[::-1])}
    assert max(prim) - min(prim) > 1e-6


def test_large_exponents_do_not_overflow() -> None:
    X, codes = cloud(60, 300, 3, 7, spread=5.0)
    trees = density_trees(X, codes, "euclidean", Crew.of(1, None))
    D = cdist(X, X)
    for i in range(0, 60, 7):
        own = np.sort(D[i, codes == codes[i]])[1:]
        # The 300-power mean is nearly the nearest distance.
        assert own[0] <= trees.core[i] <= own[0] * own.size ** (1 / 300) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("n", "p", "offset"), [(700, 2, 0.0), (700, 3, 1e9), (300, 40, 0.0), (40, 1, 5.0)], ids=str
)
def test_outside_extremes_are_those_of_all_pairs(n: int, p: int, offset: float) -> None:
    rng = np.random.default_rng(n + p)
    codes = np.concatenate([np.arange(9), np.minimum(rng.geometric(0.4, n - 9) - 1, 7)])
    X = np.round(rng.normal(size=(n, p)) + rng.normal(size=(9, p))[codes] * 2, 3) + offset
    found = reduce_coded_points(X, codes, {OutsideExtremes})[OutsideExtremes]
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    nearest, least = outside_extremes(D, codes)
    np.testing.assert_allclose(found.nearest, nearest, rtol=1e-12)
    np.testing.assert_allclose(found.least_reach, least, rtol=1e-12)


@pytest.mark.full(keep=7)
@pytest.mark.parametrize(
    "shape", ["apart", "mixed", "lattice", "single points", "all equal", "far from zero"]
)
@pytest.mark.parametrize("p", [1, 2, 3])
def test_blocks_that_are_left_out_hold_no_extremes(
    shape: str, p: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, codes = cloud(900, p, 5, p, spread=8.0 if shape == "apart" else 0.0)
    if shape == "lattice":
        X = np.round(X)
    elif shape == "all equal":
        X[:] = X[0]
    elif shape == "far from zero":
        X += 1e6
    elif shape == "single points":
        codes[::2] = np.arange(5, 455)
    found = {}
    for enough in (1, 1 << 20):
        monkeypatch.setattr(other_cluster_distances, "_POINTS_A_CLUSTER", enough)
        for threads in (1, 3):
            options = PointOptions(n_jobs=threads)
            found[enough, threads] = reduce_coded_points(X, codes, {OutsideExtremes}, options)[
                OutsideExtremes
            ]
    nearest, reach = outside_extremes(cdist(X, X), codes)
    for extremes in found.values():
        # To the last digit, whichever way is taken; a sum of squares in another order may differ from SciPy's.
        np.testing.assert_array_equal(extremes.nearest, found[1, 1].nearest)
        np.testing.assert_array_equal(extremes.least_reach, found[1, 1].least_reach)
        np.testing.assert_allclose(extremes.nearest, nearest, rtol=1e-13)
        np.testing.assert_allclose(extremes.least_reach, reach, rtol=1e-13)


def test_outside_extremes_of_points_on_other_clusters() -> None:
    X = np.array([[0.0], [1.0], [0.0], [5.0]])
    found = reduce_coded_points(X, np.array([0, 0, 1, 1]), {OutsideExtremes, LinkageGaps})
    assert found[OutsideExtremes].nearest.tolist() == [0.0, 1.0, 0.0, 4.0]
    assert found[OutsideExtremes].least_reach.tolist() == [1.0, 4.0]
    assert found[LinkageGaps].values.tolist() == [1.0, 5.0]


def test_more_neighbours_than_were_looked_for() -> None:
    X, codes = cloud(60, 2, 3, 8)
    found = reduce_coded_points(X, codes, {NeighbourLabels}, PointOptions(n_neighbors=5))[NeighbourLabels]
    with pytest.raises(
        adjudge.InputError, match=r"10 neighbours are needed, but only 5 were computed: pass n_neighbors=10"
    ):
        adjudge.connectivity.of(found)
    assert adjudge.connectivity(X, codes, n_neighbors=40) > adjudge.connectivity(X, codes)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0: a whole number of at least 1 is needed"),
        ({"tree": "kruskal"}, "tree='kruskal' is not known"),
        ({"dimension": -1}, "dimension=-1: a finite number above 0 is needed"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], words: str) -> None:
    with pytest.raises(adjudge.InputError, match=words):
        PointOptions(**options)


class TestNumberOfNeighbours:
    """Each index says how many neighbours it reads; no more are found than the requested indices read."""

    @pytest.fixture
    def found(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        numbers: list[int] = []
        finds = engine.nearest_neighbours

        def counting(X: Any, metric: Any, n_neighbors: int, crew: Crew, **options: Any) -> Any:
            numbers.append(n_neighbors)
            return finds(X, metric, n_neighbors, crew, **options)

        for module in (engine, labellings):
            monkeypatch.setattr(module, "nearest_neighbours", counting)
        return numbers

    @pytest.mark.parametrize(
        ("indices", "wanted"),
        [("connectivity", 10), (["connectivity", "wcnn"], 25), ("all", 90), (["silhouette", "lisi"], 90)],
    )
    def test_evaluate(self, found: list[int], indices: Any, wanted: int) -> None:
        X, codes = cloud(150, 2, 3, 8)
        adjudge.evaluate(X=X, labels=codes, indices=indices)
        adjudge.evaluate(X=X, labels=codes, indices=indices, sample_size=60, random_state=0)
        assert set(found) == {wanted}

    def test_one_asked_for(self, found: list[int]) -> None:
        X, codes = cloud(150, 2, 3, 8)
        evaluation = adjudge.evaluate(X=X, labels=codes, indices="connectivity", n_neighbors=12)
        assert found == [12]
        assert evaluation.settings["n_neighbors"] == 12
        assert "n_neighbors" not in adjudge.evaluate(X=X, labels=codes, indices="connectivity").settings
        assert evaluation["connectivity"] == adjudge.connectivity(X, codes, n_neighbors=12)
        named = adjudge.evaluate(X=X, labels=codes, indices=["lisi", "wcnn(n_neighbors=5)"], n_neighbors=12)
        assert list(named.scores) == ["lisi(n_neighbors=12)", "wcnn(n_neighbors=5)"]

    def test_a_choice_with_another_number(self) -> None:
        X, codes = cloud(150, 2, 4, 8)
        candidates = {"two": codes // 2, "four": codes}
        names = ["cvnn", "wcnn"]
        all_of_them = adjudge.choose(X, candidates, indices=names, n_neighbors=5, stability=None)
        named = [f"{name}(n_neighbors=5)" for name in names]
        each = adjudge.choose(X, candidates, indices=named, stability=None)
        assert all_of_them.values == each.values
        assert each.values[named[1]]["two"] == adjudge.wcnn(X, codes // 2, n_neighbors=5)

    @pytest.mark.parametrize(("indices", "wanted"), [("default", 10), ("all", 90), (["cvnn", "wcnn"], 25)])
    def test_choices(self, found: list[int], indices: Any, wanted: int) -> None:
        X, _ = cloud(150, 2, 3, 8)
        adjudge.choose_k(X, "ward", range(2, 5), indices=indices, random_state=0)
        assert set(found) == {wanted}
        found.clear()
        adjudge.choose(
            X, {"two": X[:, 0] > 0, "others": X[:, 1] > 0, "third": X[:, 0] > 1}, indices="cvnn", by="cvnn"
        )
        assert set(found) == {10}

    def test_cvnn_of_more(self, found: list[int]) -> None:
        X, codes = cloud(150, 2, 4, 8)
        adjudge.cvnn(X, {2: codes // 2, 4: codes}, n_neighbors=100)
        assert found == [100]

    def test_an_index_of_ones_own_that_does_not_say(self, found: list[int]) -> None:
        @adjudge.indices.internal(
            title="Nearest of all", better="higher", range=(0, 1), reference="", formula="s", best_k="max"
        )
        def own_nearest(n: NeighbourLabels) -> float:
            """Share of the sixty nearest neighbours in the same cluster."""
            return float(n.same(60).mean())

        X, codes = cloud(150, 2, 3, 8)
        value = adjudge.evaluate(X=X, labels=codes, indices=[own_nearest, "connectivity"])["own_nearest"]
        assert value == own_nearest(X, codes)
        assert set(found) == {90}

    def test_none_reads_more_than_are_found_if_nobody_says(self) -> None:
        read = [r for r in adjudge.list_indices() if NeighbourLabels in r.reads_of_partition]
        assert max(r.parameters["n_neighbors"] for r in read) == PointOptions().neighbours_to_find


@pytest.mark.parametrize("tied", [True, False])
def test_tree_of_many_points_is_the_one_that_the_order_of_edges_gives(tied: bool) -> None:
    rng = np.random.default_rng(4)
    n = 700
    X = rng.integers(0, 12, (n, 2)).astype(float) if tied else rng.normal(size=(n, 2))
    core = rng.integers(0, 4, n).astype(float) if tied else rng.uniform(0, 0.01, n)
    squares = np.zeros((n, n))
    for column in X.T:
        squares += (column[:, None] - column) ** 2
    low, high = np.triu_indices(n, 1)
    apart = squares[low, high]
    reach = np.maximum(np.maximum(core[low], core[high]), apart)
    # Kruskal's algorithm: no two edges are equal in this order.
    tree, root = set(), np.arange(n)
    for edge in np.lexsort((high, low, apart, reach)):
        a, b = root[low[edge]], root[high[edge]]
        if a != b:
            tree.add((int(low[edge]), int(high[edge])))
            root[root == b] = a
    parents, lengths, found = np.empty(n, np.int64), np.empty(n), np.empty(n)
    tree_in_order(np.ascontiguousarray(X.T), core.copy(), parents, lengths, found)
    ends = np.sort(np.column_stack([np.arange(1, n), parents[1:]]), axis=1)
    assert set(map(tuple, ends.tolist())) == tree
    assert (found[1:] == squares[ends[:, 0], ends[:, 1]]).all()
    assert (lengths[1:] == np.maximum(core[ends].max(axis=1), found[1:])).all()


@pytest.mark.parametrize("kind", ["apart", "mixed", "grid", "one place", "far off", "small beside large"])
def test_reach_of_large_clusters_has_the_digits_of_a_pass_over_all_pairs(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    X, codes = rng.normal(size=(600, 5)), np.arange(600) % 4
    if kind == "apart":
        X += 20 * rng.normal(size=(4, 5))[codes]
    elif kind == "grid":
        X = rng.integers(0, 4, (600, 5)).astype(float)
    elif kind == "one place":
        X[:] = 1
    elif kind == "far off":
        X += 1e6
    elif kind == "small beside large":
        codes = np.array([0, 1, 2] + [3] * 597)
    monkeypatch.setattr(other_cluster_distances, "MANY_POINTS_A_CLUSTER", 10**9)
    expected = reduce_coded_points(X, codes, {OutsideExtremes})[OutsideExtremes]
    monkeypatch.setattr(other_cluster_distances, "MANY_POINTS_A_CLUSTER", 1)
    monkeypatch.setattr(min_max_distances, "_AS_LONG", 8)
    reached: list[np.ndarray | None] = []
    least = other_cluster_distances.least_reaches
    monkeypatch.setattr(
        other_cluster_distances,
        "least_reaches",
        lambda *given: (reached.append(least(*given)), reached[-1])[1],
    )
    found = reduce_coded_points(X, codes, {OutsideExtremes})[OutsideExtremes]
    assert (found.nearest == expected.nearest).all()
    assert (found.least_reach == expected.least_reach).all()
    # Points that all reach equally far would each be measured.
    assert [r is None for r in reached] == [kind == "one place"]


@pytest.mark.parametrize("seed", range(60))
def test_longest_edge_is_that_of_the_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.choice([2, 3, 20, 600, 1300])), int(rng.choice([1, 2, 3, 5, 9]))
    X = rng.integers(0, 4, size=(n, p)).astype(float) if seed % 3 == 0 else rng.normal(size=(n, p))
    if seed % 3 == 1:
        X[: n // 2] = X[0] + 20.0 * (seed % 2)
    source, whole = reachability._Points(X, np.arange(n), X.shape[1]), slice(0, n)
    assert source.longest_edge(whole) == source.tree(whole, np.zeros(n), "ordered").lengths[1:].max()
