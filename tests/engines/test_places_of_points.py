"""Medoids, nearest prototypes, sums to clusters, overlaps, and a point and itself, beside all distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial import distance
from scipy.spatial.distance import cdist, squareform

import adjudge
from adjudge import InputError, evaluate
from adjudge.engines import centroid_pass, cluster_sums, medoids, nearest_prototypes
from adjudge.engines.centroid_pass import _any_coincide, _largest_overlaps
from adjudge.engines.cluster_sums import sums_to_clusters
from adjudge.engines.nearest_prototypes import nearest_places
from adjudge.engines.pairs import strips
from adjudge.engines.pairs.block_distances import block_function
from adjudge.engines.running.executor import Crew
from adjudge.engines.sorted_points import by_cluster
from adjudge.metrics import davies_bouldin_score
from conftest import raises_line
from naive_distances import sums_to_clusters as sums_in_matrix


def some_points(kind: str, p: int) -> np.ndarray:
    rng = np.random.default_rng(p)
    X = rng.normal(size=(1800, p))
    if kind == "heavy tails":
        X = rng.standard_t(1.5, size=X.shape)
    elif kind == "ring":
        X /= np.linalg.norm(X, axis=1)[:, None]
    elif kind == "lattice":
        X = np.round(X)
    elif kind == "one place":
        X[:] = 0.1
    elif kind == "far off":
        X += 1e7
    elif kind == "two places":
        X[:900], X[900:] = 0.1, 0.3
    elif kind == "flat":
        X[:, 1:] *= 1e-9
    return X


KINDS = ["normal", "heavy tails", "ring", "lattice", "one place", "far off", "two places", "flat"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [1, 2, 10])
def test_sums_that_are_left_out_are_not_least(kind: str, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X = some_points(kind, p)
    codes = np.random.default_rng(0).choice(3, 1800, p=[0.5, 0.4, 0.1])
    order, bounds = by_cluster(codes)
    monkeypatch.setattr(medoids, "_MANY_POINTS", 512)
    found = medoids.medoids_from_points(X, order, bounds, Crew(2))
    monkeypatch.setattr(medoids, "_MANY_POINTS", 10**9)
    assert found.tolist() == medoids.medoids_from_points(X, order, bounds, Crew(1)).tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("p", [1, 2, 10])
def test_no_bound_is_above_a_sum(kind: str, p: int) -> None:
    X = some_points(kind, p)
    bounds, sums = medoids._bounds_of_sums(X), cdist(X, X).sum(axis=1)
    assert (bounds <= sums).all()


@pytest.mark.parametrize("p", [2, 10, 40])
def test_few_sums_are_computed(p: int) -> None:
    X = np.random.default_rng(p).normal(size=(4000, p))
    hopeless = medoids._hopeless(X, np.array([0, 2000, 4000]), Crew(1))
    assert hopeless.mean() > 0.9


@pytest.mark.parametrize("p", [1, 2, 7, 64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_of_euclidean_distances(p: int, dtype: type, rng: np.random.Generator) -> None:
    X = rng.normal(size=(1300, p)).astype(dtype)
    block = block_function(X, "euclidean")
    everyone = rng.permutation(1300)
    for rows, columns in ((3, 1300), (4, 512), (1, 1), (129, 513), (0, 5)):
        for _ in range(2):
            found = block(everyone[:rows], everyone[-columns:])
            np.testing.assert_allclose(
                found, cdist(X[everyone[:rows]], X[everyone[-columns:]]), rtol=1e-13, atol=1e-15
            )
    all_pairs = block(everyone, everyone)
    np.testing.assert_array_equal(all_pairs, all_pairs.T)
    assert not np.diagonal(all_pairs).any()


def points_of(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    X = rng.normal(size=(n, p))
    return {"normal": X, "lattice": np.round(X), "far off": X + 1e7, "in one place": np.ones((n, p))}[kind]


@pytest.mark.full(keep=22)
@pytest.mark.parametrize("kind", ["normal", "lattice", "far off", "in one place"])
@pytest.mark.parametrize(("k", "p"), [(1, 2), (2, 1), (7, 3), (600, 5), (1100, 24)])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_nearest_of_all_places_has_the_digits_of_explicit_differences(
    kind: str, k: int, p: int, n_jobs: int, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    monkeypatch.setattr(nearest_prototypes, "_IN_CACHE", 300 * k)
    n = 1203
    X, places = points_of(kind, n, p, rng), points_of(kind, k, p, rng)
    codes = rng.integers(0, k, n)
    rises = [np.zeros(k), rng.random(k), np.round(3 * rng.random(k))]
    found = nearest_places(lambda rows: X[rows], codes, places, rises, Crew.of(n_jobs, None))
    squares = cdist(X, places, "sqeuclidean")
    everyone = np.arange(n)
    np.testing.assert_array_equal(found.own, squares[everyone, codes])
    squares[everyone, codes] = np.inf
    for others, rise in zip(found.others, rises, strict=True):
        np.testing.assert_array_equal(others, (squares + rise).min(axis=1))


CODES = np.arange(30) % 3


def rows_with_one_of_zeros(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (30, 6))
    rows[:, 0] |= ~rows.any(axis=1)
    rows[3] = 0
    return rows


def distances(rows: np.ndarray, metric: str) -> np.ndarray:
    from scipy.spatial.distance import pdist

    return squareform(pdist(rows, metric))


@pytest.mark.parametrize("metric", ["dice", "sokalsneath", "braycurtis", "jaccard", "canberra"])
@pytest.mark.parametrize("index", ["silhouette", "dunn", "c_index", "gamma", "mcclain_rao"])
def test_a_row_of_zeros_has_distances_to_the_others(metric: str, index: str) -> None:
    rows = rows_with_one_of_zeros()
    points = rows.astype(bool if metric in ("dice", "sokalsneath", "jaccard") else float)
    function = getattr(adjudge, index)
    expected = function(distances(points, metric), CODES, metric="precomputed")
    assert function(points, CODES, metric=metric) == pytest.approx(expected, rel=1e-12)


def test_two_rows_of_zeros_have_no_distance() -> None:
    rows = rows_with_one_of_zeros()
    rows[17] = 0
    with raises_line(
        InputError,
        "metric='dice' gives nan for the points 3 and 17: distances are finite and not negative",
    ):
        adjudge.silhouette(rows.astype(bool), CODES, metric="dice")


def test_rounding_on_the_diagonal_is_forgiven() -> None:
    X = np.random.default_rng(0).normal(size=(30, 50))
    D = 1 - np.corrcoef(X)
    assert np.diag(D).any()
    clean = D.copy()
    np.fill_diagonal(clean, 0.0)
    for index in (adjudge.silhouette, adjudge.dunn, adjudge.point_biserial, adjudge.gdi62):
        assert index(D, CODES, metric="precomputed") == pytest.approx(
            index(clean, CODES, metric="precomputed"), rel=1e-12
        )
    single = D.astype(np.float32)
    single[5, 5] = 1e-6
    assert adjudge.silhouette((single + single.T) / 2, CODES, metric="precomputed") == pytest.approx(
        adjudge.silhouette(clean, CODES, metric="precomputed"), abs=1e-5
    )


@pytest.mark.parametrize("value", [1e-10, -1e-10, 0.5])
def test_more_than_rounding_is_not(value: float) -> None:
    D = distances(np.random.default_rng(0).normal(size=(30, 2)), "euclidean")
    D[4, 4] = value
    with raises_line(
        InputError, f"X has {value!r} on its diagonal at 4: the distance of a point to itself must be 0"
    ):
        adjudge.silhouette(D, CODES, metric="precomputed")


SIZES = {
    "few large clusters": [300, 200, 100],
    "many small ones": [2] * 150,
    "large and small": [250, 5, 2, 2, 40, 3, 8],
    "one": [50],
}


def drawn(sizes: list[int], p: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(len(sizes))
    codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return rng.normal(size=(codes.size, p)) + rng.normal(size=(len(sizes), p))[codes], codes


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize(("metric", "p"), [("euclidean", 3), ("euclidean", 200), ("cosine", 4), ("cosine", 300),
                                           ("cityblock", 3), ("canberra", 2)])  # fmt: skip
def test_sums_to_clusters(sizes: list[int], metric: str, p: int) -> None:
    X, codes = drawn(sizes, p)
    expected = sums_in_matrix(cdist(X, X, metric), codes)
    assert sums_to_clusters(X, codes, metric) == pytest.approx(expected, rel=1e-11, abs=1e-10)


def test_clusters_in_parts() -> None:
    whole = strips.Strips.of(np.zeros(40_000, np.int64), np.array([40_000]))
    assert len(whole.each) > 1
    X, codes = drawn([20_000, 300, 17_000], 2)
    found = sums_to_clusters(X, codes, "euclidean")
    some = np.random.default_rng(0).choice(codes.size, 50, replace=False)
    distances = cdist(X[some], X)
    expected = sums_in_matrix(distances, codes)
    assert found[some] == pytest.approx(expected, rel=1e-11)


def test_digits_do_not_depend_on_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = drawn([400, 300], 3)
    asked = []
    real = cluster_sums.Crew.of
    monkeypatch.setattr(
        cluster_sums.Crew, "of", lambda n_jobs, told: asked.append(n_jobs) or real(n_jobs, told)
    )
    alone, together = (sums_to_clusters(X, codes, "euclidean", n_jobs) for n_jobs in (1, 2))
    assert (alone == together).all()
    assert asked == [1, 2]
    asked.clear()
    evaluate(X=X, labels=codes, indices="silhouette", confidence=0.95, n_jobs=1)
    assert set(asked) == {1}


@pytest.mark.full
def test_other_distances() -> None:
    X, codes = drawn(SIZES["large and small"], 4)

    def own(a: Any, b: Any) -> float:
        return float(np.abs(a - b).max())

    distances = cdist(X, X, own)
    expected = sums_in_matrix(distances, codes)
    assert sums_to_clusters(X, codes, own) == pytest.approx(expected, rel=1e-12)
    assert sums_to_clusters(distances, codes, "precomputed") == pytest.approx(expected, rel=1e-12)
    filled = np.where(X > 0.5, X, 0.0) + np.array([0.1, 0, 0, 0])
    expected = sums_in_matrix(cdist(filled, filled, "cosine"), codes)
    assert sums_to_clusters(csr_matrix(filled), codes, "cosine") == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )


def largest_overlaps(centroids: np.ndarray, radii: np.ndarray) -> np.ndarray:
    worst = np.zeros(radii.size)
    for k in range(radii.size):
        squares = np.zeros(radii.size)
        for column in centroids.T:
            squares += (column[k] - column) ** 2
        distances, together = np.sqrt(squares), radii[k] + radii
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where((distances == 0) & (together == 0), 0.0, together / distances)
        worst[k] = np.delete(ratios, k).max(initial=0.0)
    return worst


def radii_of(kind: str, rng: np.random.Generator, k: int) -> np.ndarray:
    return {
        "alike": rng.uniform(0.1, 0.2, k),
        "of all magnitudes": np.exp(rng.normal(0, 6, k)),
        "few": np.where(np.arange(k) % 50 == 0, rng.uniform(0, 1, k), 0.0),
        "none": np.zeros(k),
    }[kind]


@pytest.mark.full(keep=12)
@pytest.mark.parametrize("p", [1, 2, 4, 7, 10])
@pytest.mark.parametrize("k", [1, 2, 127, 1500])
@pytest.mark.parametrize("radii", ["alike", "of all magnitudes", "few", "none"])
def test_the_largest_overlaps_have_the_digits_of_a_comparison_of_all(radii: str, k: int, p: int) -> None:
    rng = np.random.default_rng(k + p)
    centroids, r = rng.normal(size=(k, p)) * [1.0, 5.0, *[0.1] * 8][:p], radii_of(radii, rng, k)
    found = _largest_overlaps(centroids, r, Crew.of(2, None))
    np.testing.assert_array_equal(found, largest_overlaps(centroids, r))
    np.testing.assert_array_equal(found, _largest_overlaps(centroids, r, Crew.of(1, None)))


def test_coinciding_centroids_overlap_without_bound() -> None:
    rng = np.random.default_rng(0)
    centroids = rng.integers(0, 12, (600, 2)).astype(float)
    r = np.where(np.arange(600) % 3 == 0, 0.0, 1.0)
    np.testing.assert_array_equal(
        _largest_overlaps(centroids, r, Crew.of(2, None)), largest_overlaps(centroids, r)
    )


def test_points_that_are_equal() -> None:
    assert _any_coincide(np.array([[1.0, 2.0], [3.0, 2.0], [1.0, 2.0]]))
    assert _any_coincide(np.array([[0.0, -0.0], [-0.0, 0.0]]))
    assert not _any_coincide(np.array([[1.0, 2.0], [2.0, 1.0]]))
    assert not _any_coincide(np.empty((0, 2)))


@pytest.mark.parametrize("twins", [False, True])
def test_clusters_of_equal_points_in_one_place(twins: bool) -> None:
    X = np.array([[0.0, 0.0], [0.0, 1.0], [5.0, 5.0], [5.0, 5.0], [5.0, 5.0 if twins else 6.0]])
    labels = [0, 0, 1, 1, 2]
    assert np.isnan(adjudge.davies_bouldin(X, labels)) == twins
    expected = largest_overlaps(np.array([[0.0, 0.5], [5.0, 5.0], X[4]]), np.array([0.5, 0.0, 0.0])).mean()
    assert davies_bouldin_score(X, labels) == pytest.approx(expected)


def test_single_points_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 2))
    labels = np.where(np.arange(4000) < 400, np.arange(4000) % 4, np.arange(4000))
    compared: list[int] = []
    kernel = distance.cdist
    monkeypatch.setattr(distance, "cdist", lambda a, b: compared.append(len(a)) or kernel(a, b))
    value = adjudge.davies_bouldin(X, labels)
    assert sum(compared) == 4
    clusters = np.unique(labels, return_inverse=True)[1]
    sizes = np.bincount(clusters)
    centroids = np.column_stack([np.bincount(clusters, x) / sizes for x in X.T])
    r = np.bincount(clusters, np.sqrt(((X - centroids[clusters]) ** 2).sum(axis=1))) / sizes
    assert value == pytest.approx(largest_overlaps(centroids, r).mean(), rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 40])
def test_the_smallest_pooled_mean_is_that_of_one_of_all_pairs(k: int) -> None:
    rng = np.random.default_rng(k)
    for _ in range(50):
        sizes = rng.integers(1, 30, k).astype(float)
        sums = np.where(sizes == 1, 0.0, sizes * rng.exponential(size=k))
        first, second = np.triu_indices(k, 1)
        pooled = (sums[first] + sums[second]) / (sizes[first] + sizes[second])
        assert centroid_pass._smallest_pooled(sums, sizes) == pytest.approx(pooled.min(), rel=1e-14)
