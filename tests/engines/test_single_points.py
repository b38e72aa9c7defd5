"""Many clusters of one point: for silhouettes they are met as one, and every statistic is what it is otherwise."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from scipy.spatial.distance import cdist

import adjudge
from adjudge.engines.pairs import euclidean_embeddings, meetings, pair_pass, reducers, reduction
from adjudge.engines.pairs import strips as laying
from adjudge.engines.points import reduce_coded_points
from adjudge.given.point_options import PointOptions
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    Hausdorff,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from digits import check_alike
from naive_distances import silhouette_widths
from pair_statistics import RANKED, SWEPT

EXTREMES = SWEPT[2:]
LABELLINGS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "half of them": lambda rng, n: np.where(np.arange(n) % 2, np.arange(n) + 3, np.arange(n) % 6),
    "all of them": lambda rng, n: np.arange(n),
    "all but one pair": lambda rng, n: np.maximum(np.arange(n), 1),
    "beside small clusters": lambda rng, n: np.where(np.arange(n) < n // 3, np.arange(n) // 3, np.arange(n)),
    "beside one cluster": lambda rng, n: np.maximum(np.arange(n) - n // 2, 0),
}


def data(name: str, n: int, p: int = 2, *, rounded: bool = False) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    codes = rng.permutation(np.unique(LABELLINGS[name](rng, n), return_inverse=True)[1])
    X = rng.normal(size=(n, p))
    return (np.round(X, 1) if rounded else X), codes.astype(np.int64)


@pytest.fixture
def together(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Say whether single points are met as one cluster, also if they are few, and keep no matrix of clusters."""

    def choose(chosen: bool) -> None:
        for module in (pair_pass, reducers, reduction):
            monkeypatch.setattr(module, "MATRIX_CLUSTERS", 0)
        monkeypatch.setattr(reduction, "_MANY_SINGLE", 0 if chosen else 1)

    return choose


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("labels", LABELLINGS)
@pytest.mark.parametrize(
    ("types", "options"),
    [
        (SWEPT, {}),
        ((*SWEPT, *RANKED), {}),
        ((*SWEPT, *RANKED), {"memory_limit": 1 << 26, "exact": True}),
        ((*SWEPT, *RANKED), {"memory_limit": 1 << 18}),
        ((Silhouettes,), {}),
        ((Silhouettes, *RANKED), {}),
        ((PairSums,), {}),
        ((Silhouettes, SingleLinkage), {"metric": "cityblock"}),
        ((CompleteLinkage, Hausdorff), {}),
        ((*SWEPT, *RANKED), {"metric": "canberra"}),
        ((Silhouettes,), {"metric": "braycurtis"}),
        ((Silhouettes, SingleLinkage, PairSums), {"metric": "sqeuclidean"}),
    ],
)
def test_statistics_are_those_of_single_points_told_apart(
    together: Callable[[bool], None], labels: str, types: tuple[type, ...], options: dict[str, Any]
) -> None:
    X, codes = data(labels, 1100, rounded=True)
    found = []
    for chosen in (True, False):
        together(chosen)
        found.append(reduce_coded_points(np.abs(X), codes, set(types), PointOptions(**options)))
    check_alike(found[0], found[1], 1e-13, 1e-14, EXTREMES)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("labels", LABELLINGS)
def test_products_find_what_differences_find(
    together: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch, labels: str, precision: str
) -> None:
    monkeypatch.setattr(euclidean_embeddings, "many_dimensions", lambda precision: 2)
    X, codes = data(labels, 700, 40)
    found = []
    for chosen in (True, False):
        together(chosen)
        options = PointOptions(metric="cosine", precision=precision)
        found.append(reduce_coded_points(X, codes, {PairSums, Silhouettes}, options))
    check_alike(found[0], found[1], 1e-12 if precision == "float64" else 1e-6, 1e-14)


@pytest.mark.full(keep=10)
@pytest.mark.parametrize(
    "options", [{}, {"metric": "cityblock"}, {"metric": "braycurtis"}, {"engine": "torch"}, {"n_jobs": 3}]
)
@pytest.mark.parametrize("labels", [*LABELLINGS, "pairs", "large and small"])
def test_the_least_of_all_pairs_of_clusters_is_that_of_a_matrix(
    together: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch, labels: str, options: dict[str, Any]
) -> None:
    if "engine" in options:
        pytest.importorskip("torch")
    n = 1200
    if labels in LABELLINGS:
        X, codes = data(labels, n, 5)
    else:
        X, codes = data("all of them", n, 5)
        codes = (
            codes % (n // 2) if labels == "pairs" else np.where(codes < n // 2, 0, codes // 4 - n // 8 + 1)
        )
    X = np.abs(X)
    types = {SingleLinkage, Diameters}
    told = reduce_coded_points(X, codes, types, PointOptions(**options))
    assert told[SingleLinkage].matrix is not None
    # Strips of few points cut the large cluster into parts.
    for chosen, points in ((False, n), (True, n), (True, 150)):
        together(chosen)
        monkeypatch.setattr(laying, "strip_points", lambda n, points=points: points)
        found = reduce_coded_points(X, codes, types, PointOptions(**options))
        assert found[SingleLinkage].matrix is None
        assert found[SingleLinkage].smallest == told[SingleLinkage].smallest
        np.testing.assert_array_equal(found[Diameters].values, told[Diameters].values)


@pytest.mark.full
@pytest.mark.parametrize("labels", ["beside small clusters", "beside one cluster"])
def test_the_extremes_against_their_definitions(together: Callable[[bool], None], labels: str) -> None:
    together(True)
    X, codes = data(labels, 300)
    # Single points are farther from each other than some are from a cluster.
    single = np.bincount(codes)[codes] == 1
    X[single] = np.random.default_rng(8).permutation(np.arange(single.sum()))[:, None] * [30.0, 20.0]
    found = reduce_coded_points(X, codes, set(SWEPT), PointOptions())
    D, k = cdist(X, X), codes.max() + 1
    members = [np.flatnonzero(codes == c) for c in range(k)]
    blocks_of = {(a, b): D[np.ix_(members[a], members[b])] for a in range(k) for b in range(k) if a != b}
    assert found[PairSums].smallest_mean == pytest.approx(min(b.mean() for b in blocks_of.values()))
    assert found[PairSums].between == pytest.approx(sum(b.sum() for b in blocks_of.values()) / 2)
    assert found[SingleLinkage].smallest == pytest.approx(min(b.min() for b in blocks_of.values()))
    assert found[CompleteLinkage].smallest == pytest.approx(min(b.max() for b in blocks_of.values()))
    assert found[Hausdorff].smallest == pytest.approx(
        min(max(b.min(axis=0).max(), b.min(axis=1).max()) for b in blocks_of.values())
    )
    widths = silhouette_widths(D, codes)
    np.testing.assert_allclose(found[Silhouettes].values, widths, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("types", [SWEPT, (Silhouettes,)])
def test_neither_threads_nor_workers_nor_strips_change_a_digit(
    together: Callable[[bool], None], monkeypatch: pytest.MonkeyPatch, types: tuple[type, ...]
) -> None:
    together(True)
    monkeypatch.setattr(meetings, "_WORTH_THREADS", 0)
    X, codes = data("half of them", 1500)
    once = reduce_coded_points(X, codes, set(types), PointOptions(n_jobs=1))
    for other in (
        lambda: reduce_coded_points(X, codes, set(types), PointOptions(n_jobs=3)),
        lambda: by_workers(X, codes, set(types)),
    ):
        found = other()
        check_alike(found, once, 0)
    # Strips of fewer points cut the clusters into other parts.
    monkeypatch.setattr(laying, "strip_points", lambda n: 150)
    check_alike(reduce_coded_points(X, codes, set(types), PointOptions()), once, 1e-13, 1e-14, EXTREMES)


def by_workers(X: np.ndarray, codes: np.ndarray, types: set[type]) -> dict[type, Any]:
    with parallel_config("threading", n_jobs=2):
        return reduce_coded_points(X, codes, types, PointOptions())


def test_single_points_cost_no_more_than_a_few_clusters() -> None:
    X, codes = data("half of them", 12_000)
    seconds = {}
    for name, labels in (("five clusters", np.arange(12_000) % 5), ("half single", codes)):
        runs = []
        for _ in range(3):
            begun = time.process_time()
            adjudge.silhouette(X, labels)
            runs.append(time.process_time() - begun)
        seconds[name] = min(runs)
    # It was nine times as long.
    assert seconds["half single"] < 4 * seconds["five clusters"] + 0.05
