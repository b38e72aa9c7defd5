"""The engine of the internal criteria: threads, memory, metrics, ranks in every way, interruption, errors."""

from __future__ import annotations

import sys
import threading
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.engines import centroid_pass
from adjudge.engines.centroid_pass import CentroidPass
from adjudge.engines.pairs import meetings as pair_meetings
from adjudge.engines.pairs import nearest, strips
from adjudge.engines.points import reduce_coded_points, reduce_points
from adjudge.engines.running.executor import Crew
from adjudge.errors import InputError
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index, list_indices
from adjudge.kernels import centroids
from adjudge.progress import progress_bar
from adjudge.statistics.moments import Moments, need_coordinates
from adjudge.statistics.pair_distances import (
    CompleteLinkage,
    Diameters,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
    TailSums,
)
from naive_distances import cloud
from pair_statistics import RANKED

INTERNAL = [
    r
    for r in list_indices("internal")
    if all(t.__module__.startswith("adjudge.statistics") for t in r.requires)
]
DISTANCE_ONLY = [r for r in INTERNAL if not need_coordinates(r.requires)]


def values(found: dict[type, Any], records: Any) -> dict[str, float]:
    return {r.name: r.of(*(found[t] for t in r.requires)) for r in records if set(r.requires) <= set(found)}


@pytest.mark.full
def test_digits_do_not_depend_on_the_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 60)
    monkeypatch.setattr(pair_meetings, "_WORTH_THREADS", 0)
    monkeypatch.setattr(centroid_pass, "CHUNK", 100)
    X, codes = cloud(2500, 3, 4, 0)
    wanted = {t for r in INTERNAL for t in r.requires if t.made_by in ("centroids", "distances")}
    for limit in (1 << 30, 1 << 20):
        runs = [
            values(
                reduce_coded_points(X, codes, wanted, PointOptions(n_jobs=t, memory_limit=limit)), INTERNAL
            )
            for t in (1, 2, 5)
        ]
        assert len(runs[0]) >= 45
        assert runs[0] == runs[1] == runs[2]


@pytest.mark.parametrize("seed", range(4))
def test_bounds_of_the_histogram_hold(seed: int) -> None:
    X, codes = cloud(400, 2, 4, seed, spread=1.0)
    if seed == 3:
        X = np.round(X)
    wanted = (*RANKED, PairSums)
    exact = reduce_points(X, codes, wanted)
    rough = reduce_points(X, codes, wanted, memory_limit=1 << 13)
    assert rough[PairRanks].unknown > 0
    ranked = [find_index(name) for name in ("gamma", "g_plus", "tau", "tau_b")]
    assert exact.error_bounds(ranked) == {}
    bounds = rough.error_bounds(ranked)
    assert sorted(bounds) == ["g_plus", "gamma", "tau", "tau_b"]
    for record in ranked:
        error = abs(
            record.of(*(rough[t] for t in record.requires)) - record.of(*(exact[t] for t in record.requires))
        )
        assert error <= bounds[record.name]
        if seed < 3:
            assert bounds[record.name] < 1e-3
    c_index = find_index("c_index")
    assert c_index.of(rough[TailSums]) == pytest.approx(c_index.of(exact[TailSums]), rel=1e-12)
    assert rough.error_bounds([c_index]) == {}


@pytest.mark.full
def test_memory_limit_bounds_the_memory() -> None:
    X, codes = cloud(3000, 2, 3, 1)
    reduce_coded_points(X[:50], np.arange(50) % 3, {*RANKED}, PointOptions(memory_limit=1 << 12))
    peaks = {}
    for limit in (1 << 23, 1 << 30):
        tracemalloc.start()
        reduce_coded_points(X, codes, {*RANKED}, PointOptions(memory_limit=limit, n_jobs=1))
        peaks[limit] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    # The histogram and the copy of the points come on top of the limit.
    assert peaks[1 << 23] < (1 << 23) + (1 << 22)
    assert peaks[1 << 30] > 3000 * 2999 / 2 * 8


@pytest.mark.parametrize("kind", [Silhouettes, PairSums, CompleteLinkage])
def test_nothing_is_kept_of_all_points_and_all_clusters(kind: type) -> None:
    X, codes = cloud(16_000, 2, 4000, 2)
    reduce_coded_points(X[:600], np.arange(600) % 500, {kind})
    tracemalloc.start()
    reduce_coded_points(X, codes, {kind}, PointOptions(n_jobs=1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000 * 8 / 3


def test_given_distances_are_the_same_as_computed() -> None:
    from scipy.spatial.distance import cdist

    X, codes = cloud(150, 3, 4, 3)
    D = cdist(X, X)
    found = reduce_coded_points(X, codes, {t for r in DISTANCE_ONLY for t in r.requires})
    for memory_limit in (1 << 30, 1 << 17):
        given = reduce_points(
            D,
            codes,
            {t for r in DISTANCE_ONLY for t in r.requires},
            metric="precomputed",
            memory_limit=memory_limit,
            exact=True,
            dimension=3,
        )
        for record in DISTANCE_ONLY:
            assert record.of(*(given[t] for t in record.requires)) == pytest.approx(
                record.of(*(found[t] for t in record.requires)), rel=1e-12
            ), record.name


def test_given_distances_from_a_memory_map(tmp_path: Path) -> None:
    from scipy.spatial.distance import cdist

    X, codes = cloud(80, 3, 4, 3)
    mapped = np.memmap(tmp_path / "distances", dtype=float, mode="w+", shape=(80, 80))
    mapped[:] = cdist(X, X)
    points = np.memmap(tmp_path / "points", dtype=float, mode="w+", shape=X.shape)
    points[:] = X
    expected = adjudge.silhouette(X, codes)
    assert adjudge.silhouette(mapped, codes, metric="precomputed") == pytest.approx(expected, rel=1e-12)
    assert adjudge.silhouette(points, codes) == expected


@pytest.mark.parametrize(
    "metric", ["cityblock", "manhattan", "cosine", "correlation", "seuclidean", "mahalanobis"]
)
def test_metrics_by_name(metric: str) -> None:
    from sklearn.metrics import pairwise_distances

    X, codes = cloud(120, 3, 4, 5)
    D = pairwise_distances(X, metric=metric)
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0.0)
    for name in ("silhouette", "dunn", "mcclain_rao", "gdi61", "c_index", "tau"):
        index = find_index(name)
        assert index(X, codes, metric=metric) == pytest.approx(
            index(D, codes, metric="precomputed"), rel=1e-9
        ), name


def test_trees_and_pruning_give_what_the_pass_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "_MANY_POINTS", 0)
    rng = np.random.default_rng(1)
    angle = rng.uniform(0, 2 * np.pi, 900)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])  # no point is closer to the middle than another
    for X, codes in (
        cloud(900, 2, 7, 1),
        cloud(700, 3, 3, 2, spread=9.0),
        cloud(500, 1, 4, 3),
        (ring, np.arange(900) % 2),
        (np.full((30, 2), 0.1), np.arange(30) % 3),
        (np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])),
        (np.arange(4.0)[:, None], np.zeros(4, int)),
    ):
        both = {SingleLinkage, Diameters}
        assert nearest.is_faster(both, *X.shape)
        fast, slow = (reduce_coded_points(X, codes, types) for types in (both, both | {PairSums}))
        np.testing.assert_allclose(fast[Diameters].values, slow[Diameters].values, rtol=1e-15)
        np.testing.assert_allclose(fast[SingleLinkage].smallest, slow[SingleLinkage].smallest, rtol=1e-15)


@pytest.mark.parametrize("seed", range(40))
def test_closest_and_farthest_points_of_clusters_are_those_of_all_pairs(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "_MANY_POINTS", 0)
    monkeypatch.setattr(nearest, "_LEAF", 2)  # few closest points share a leaf
    monkeypatch.setattr(nearest, "_FEW_POINTS", 2)
    if seed % 2:
        monkeypatch.setattr(nearest, "_FEW_FAR", 0)
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(100, 400)), int(rng.integers(1, 5))
    k = (2, 20, n // 2, n)[seed % 4]
    codes = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)]))
    centres = rng.normal(size=(k, p)) * (0.0, 3.0, 50.0)[seed % 3]
    X = centres[codes] + rng.normal(size=(n, p))
    if seed % 5 == 0:
        X = np.round(X) * 0.1  # ties, and equal points
    elif seed % 7 == 1 and p > 1:
        X /= np.linalg.norm(X, axis=1)[:, None]  # no point is closer to the middle than another
    found = reduce_coded_points(X, codes, {SingleLinkage, Diameters})
    differ = codes[:, None] != codes
    squares = sum(np.subtract.outer(x, x) ** 2 for x in X.T)
    assert found[SingleLinkage].smallest == np.sqrt(squares[differ].min())
    largest = np.zeros(k)
    np.maximum.at(largest, codes, np.where(differ, 0.0, squares).max(axis=1))
    assert (found[Diameters].values == np.sqrt(largest)).all()


def test_noise_is_treated_as_asked() -> None:
    X, codes = cloud(60, 2, 3, 5)
    codes = codes - 1  # -1 is noise
    kept = codes >= 0
    assert adjudge.silhouette(X, codes, noise="drop") == adjudge.silhouette(X[kept], codes[kept])
    alone = codes.copy()
    alone[~kept] = np.arange(100, 100 + int((~kept).sum()))
    assert adjudge.silhouette(X, codes, noise="singletons") == pytest.approx(
        adjudge.silhouette(X, alone), rel=1e-13
    )
    assert adjudge.silhouette(X, codes) == adjudge.silhouette(X, codes + 1)
    D = np.abs(X[:, :1] - X[:, 0])
    assert adjudge.silhouette(D, codes, metric="precomputed", noise="drop") == pytest.approx(
        adjudge.silhouette(X[kept, :1], codes[kept]), rel=1e-12
    )


def test_details_of_points_clusters_and_pairs() -> None:
    X, codes = cloud(50, 2, 3, 6)
    labels = np.array(["b", "a", "c"])[codes]
    result = adjudge.evaluate(X=X, labels=labels, indices="all")
    details = result.details
    assert list(details["clusters"]) == ["a", "b", "c"]
    assert details["sizes"].tolist() == [int((labels == k).sum()) for k in "abc"]
    assert details["silhouette_widths"].shape == (50,)
    assert details["silhouette_of_clusters"].mean() == pytest.approx(result["silhouette_macro"])
    assert details["diameters"].shape == (3,)
    for name in ("separation", "complete_linkage", "hausdorff", "mean_distances"):
        assert details[name].shape == (3, 3)
        np.testing.assert_array_equal(details[name], details[name].T)
    np.testing.assert_allclose(details["centroids"][0], X[labels == "a"].mean(axis=0))
    assert result["gdi11"] == details["separation"][np.triu_indices(3, 1)].min() / details["diameters"].max()


@pytest.mark.full
def test_progress_is_told_and_ends_at_the_total() -> None:
    X, codes = cloud(700, 2, 3, 7)
    told: list[tuple[int, int]] = []
    reduce_coded_points(
        X,
        codes,
        {*RANKED, PairSums},
        PointOptions(memory_limit=1 << 16, progress=lambda a, b: told.append((a, b))),
    )
    assert all(done <= total for done, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1] > 700 * 699 / 2


def test_an_interruption_leaves_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 140)
    X, codes = cloud(3000, 2, 3, 7)
    before = threading.active_count()

    def interrupt(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reduce_coded_points(X, codes, {PairSums}, PointOptions(n_jobs=3, progress=interrupt))
    assert threading.active_count() == before


def test_progress_bar_only_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with progress_bar("Distances") as progress:
        assert progress is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("adjudge.progress._PATIENCE", 0.0)
    with progress_bar("Distances") as progress:
        assert progress is not None
        progress(1, 10)
        progress(10, 10)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, c: adjudge.silhouette(X, c[:-1]), "labels has 29 entries, X has 30 rows"),
        (lambda X, c: adjudge.silhouette(np.tri(30, k=-1), c, metric="precomputed"), "not symmetric"),
        (
            lambda X, c: adjudge.silhouette(np.eye(30) - 1, c, metric="precomputed"),
            "gives -1.0 for the points",
        ),
    ],
)
def test_errors_are_one_line_that_names_the_culprit(call: Any, message: str) -> None:
    X, codes = cloud(30, 2, 3, 1)
    with pytest.raises(InputError) as caught:
        call(X, codes)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_sparse_points_have_no_centroids() -> None:
    from scipy import sparse

    with pytest.raises(InputError, match=r"pass X\.toarray"):
        reduce_coded_points(sparse.eye(4, format="csr"), np.array([0, 0, 1, 1]), {Moments})


@pytest.mark.parametrize("type_", [np.float64, np.float32])
@pytest.mark.parametrize("n", [50, 40_000])
def test_points_in_any_order_of_memory_have_the_same_digits(n: int, type_: type) -> None:
    """As a file in Fortran's order that is mapped, which is never copied as a whole, or every other row of a matrix."""
    rng = np.random.default_rng(n)
    X, codes = rng.normal(size=(n, 3)).astype(type_), np.append(np.arange(4), rng.integers(0, 4, n - 4))

    def found(X: Any) -> list[Any]:
        made = CentroidPass(X, codes, np.bincount(codes), Crew(1))
        m = made.moments
        near = made._near(m, 0.5, 0, 0)
        sums = [m.centroids, m.squares, made._within, made._to_own, made._to_centre, *near]
        return [*sums, made.determinants.logarithms, made.centroid_ratios.sums]

    whole = found(X)
    for others in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        for one, other in zip(found(others), whole, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("n", [5, 700])
def test_few_points_have_the_digits_of_the_passes_one_by_one(n: int) -> None:
    rng = np.random.default_rng(n)
    X, codes = rng.normal(size=(n, 4)) + 1e6, np.append(np.arange(3), rng.integers(0, 3, n - 3))
    made = CentroidPass(X, codes, np.bincount(codes), Crew(1))
    bases, steps = made._bases, np.zeros((3, 4))
    centroids.add_steps(X, codes, np.empty(0), 0, n, bases, steps)
    means = (bases - made.origin) + steps / made.sizes[:, None]
    squares, distances = np.zeros((3, 4)), np.zeros(3)
    centroids.add_squares(X, codes, np.empty(0), 0, n, made.origin, means, squares)
    centroids.add_distances(X, codes, np.empty(0), 0, n, made.origin, means, distances)
    np.testing.assert_array_equal(made.means, means)
    np.testing.assert_array_equal(made.moments.squares, squares)
    np.testing.assert_array_equal(made._to_own, distances)
