"""Distances by loops of our own, or in an image of the points: the values of SciPy and scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import haversine_distances

import adjudge
from adjudge.engines import distance_squares
from adjudge.engines.pairs import meetings, sources, squared_sums, strips
from adjudge.engines.pairs.kernel_metrics import haversine_blocks
from adjudge.engines.points import reduce_points
from adjudge.errors import InputError
from adjudge.statistics.pair_distances import (
    Diameters,
    DistanceTies,
    Hausdorff,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from adjudge.statistics.prototypes import DistanceSquares, MedoidProfile
from digits import check_alike, digits, digits_of_all, numbers_of
from pair_statistics import RANKED, SWEPT

rng = np.random.default_rng(0)


def points(what: str, n: int, p: int) -> Any:
    if what == "sphere":
        return positions(n)
    if what == "binary":
        X = (rng.random((n, p)) < 0.3).astype(float)
        X[:3] = 0.0  # nothing is set in either of two points
        return X
    X = rng.integers(-2, 3, (n, p)).astype(float) if what == "lattice" else rng.normal(size=(n, p))
    X[3:6] = X[6]
    X[:3] = 0.0
    return X


def positions(n: int) -> Any:
    """Latitudes and longitudes: among them equal and very near ones, a pole, and both sides of the date line."""
    rng = np.random.default_rng(5)
    X = np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])
    X[3:6] = X[6]
    X[7:10] = X[6] + [[1e-9, 0.0], [0.0, 1e-6], [3e-2, -6.4e-2]]
    X[10:12, 0] = np.pi / 2
    X[12:15] = [[0.3, np.pi], [0.3, -np.pi], [0.3, np.pi - 1e-4]]
    return X


CASES = [
    *((m, w) for m in ("cityblock", "chebyshev", "canberra", "hamming") for w in ("lattice", "real")),
    ("hamming", "binary"),
    ("jaccard", "binary"),
]


@pytest.mark.full(keep=13)
@pytest.mark.parametrize(("metric", "what"), CASES)
@pytest.mark.parametrize("p", [1, 2, 63, 64, 65, 130])
def test_gives_scipys_values(metric: str, what: str, p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 70)
    n = 300
    X, codes = points(what, n, p), np.minimum(np.arange(n) % 5, 2)
    D = cdist(X, X, metric)
    np.fill_diagonal(D, 0.0)
    seen: list[Any] = []
    find = sources.own_metric
    monkeypatch.setattr(sources, "own_metric", lambda *given: seen.append(find(*given)) or seen[-1])
    # Sums of the same terms in another order may tell equal distances apart.
    keeps_ties = what != "real" and metric != "canberra"
    for types in (SWEPT, (*SWEPT, *RANKED), (SingleLinkage, Diameters)):
        found = reduce_points(X, codes, types, metric=metric)
        expected = reduce_points(D, codes, types, metric="precomputed")
        judged = [t for t in types if keeps_ties or t not in (PairRanks, DistanceTies)]
        check_alike({t: found[t] for t in judged}, {t: expected[t] for t in judged}, 1e-12)
    assert [own is not None for own in seen] == [True, False] * 3


def test_haversine_distances_are_scikit_learns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 70)
    X, codes = positions(300), np.minimum(np.arange(300) % 5, 2)
    D = haversine_distances(X)
    np.fill_diagonal(D, 0.0)
    # Near a half circle the root of one less 1e-16 loses digits.
    assert D.max() < 3.14
    np.testing.assert_allclose(haversine_blocks(X)(np.arange(300), np.arange(300)), D, rtol=1e-12, atol=1e-15)
    for types in (SWEPT, (*SWEPT, *RANKED), (SingleLinkage, Diameters)):
        found = reduce_points(X, codes, types, metric="haversine")
        expected = reduce_points(D, codes, types, metric="precomputed")
        others = [t for t in types if t not in (PairRanks, DistanceTies)]
        check_alike({t: found[t] for t in others}, {t: expected[t] for t in others}, 1e-12)
        if PairRanks in types:
            assert found[PairRanks].s_plus == pytest.approx(expected[PairRanks].s_plus, rel=1e-5)


def test_haversine_distance_of_a_half_circle_and_of_whole_ones() -> None:
    X = np.array([[0.4, 1.0], [-0.4, 1.0 - np.pi], [0.4, 1.0 - 2 * np.pi]])
    D = haversine_blocks(X)(np.arange(3), np.arange(3))
    np.testing.assert_allclose(D, np.pi * np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]), atol=1e-7)
    assert np.array_equal(D, D.T)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((4, 3)), "needs two columns, latitude and longitude in radians: X has 3"),
        (
            np.array([[52.5, 13.4], [48.1, 11.6], [0.0, 0.0]]),
            r"X has 52.5, more than a full circle: pass np.radians",
        ),
        (
            np.array([[2.5, -13.4], [8.1, 11.6], [0.0, 0.0]]),
            r"X has -13.4, more than a full circle: pass np.radians",
        ),
    ],
)
@pytest.mark.parametrize("index", ["silhouette", "dbcv", "connectivity"])
def test_haversine_distances_need_radians(X: Any, message: str, index: str) -> None:
    with pytest.raises(adjudge.InputError, match=message):
        adjudge.evaluate(X=X, labels=np.arange(len(X)) % 2, indices=index, metric="haversine")


@pytest.mark.full
@pytest.mark.parametrize(
    ("metric", "what"), [("cityblock", "real"), ("jaccard", "binary"), ("haversine", "sphere")]
)
def test_who_computes_changes_no_digit(
    metric: str, what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: 220)
    monkeypatch.setattr(meetings, "_WORTH_THREADS", 1000)
    monkeypatch.setattr(meetings, "_WORTH_SENDING", 100_000)
    X, codes = points(what, 1500, 70), np.arange(1500) % 4
    types = (Silhouettes, Hausdorff, PairRanks)
    runs = digits_of_all(X, codes, types, tmp_path, metric=metric)
    runs.add(repr(digits(reduce_points(X, codes, types, metric=metric, memory_limit=1 << 24, exact=True))))
    if what == "binary":
        runs.add(repr(digits(reduce_points(X.astype(np.float32), codes, types, metric=metric))))
    assert len(runs) == 1


def test_other_points_are_left_to_scipy() -> None:
    X, codes = points("lattice", 100, 8), np.arange(100) % 3
    for other in ("jaccard", "braycurtis"):
        given = np.abs(X) + (other == "braycurtis")
        expected = adjudge.silhouette(cdist(given, given, other), codes, metric="precomputed")
        assert adjudge.silhouette(given, codes, metric=other) == pytest.approx(expected, rel=1e-12)


SUMS = (PairSums, Silhouettes)
EXTREMES = SWEPT[2:]
SQUARED = ("sqeuclidean", "cosine", "correlation")
METRICS = (*SQUARED, "seuclidean", "mahalanobis")
generator = np.random.default_rng(0)


def by_scipy(X: Any, metric: str) -> Any:
    more: dict[str, Any] = {}
    if metric == "mahalanobis":
        more["VI"] = np.linalg.inv(np.atleast_2d(np.cov(X, rowvar=False))).T
    if metric == "seuclidean":
        more["V"] = X.var(axis=0, ddof=1)
    D = cdist(X, X, metric, **more)
    np.fill_diagonal(D, 0.0)
    return np.maximum((D + D.T) / 2, 0.0)


def cloud(n: int, p: int, k: int) -> tuple[Any, Any]:
    codes = np.arange(n) % k
    mixing = np.eye(p) + generator.normal(size=(p, p)) / (3 * np.sqrt(p))
    return generator.normal(size=(n, p)) @ mixing + 5 * generator.normal(size=(k, p))[codes], codes


@pytest.mark.full(keep=15)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "p", "k"), [(400, 4, 5), (400, 30, 5), (300, 120, 2), (60, 5, 30), (40, 6, 1)])
@pytest.mark.parametrize("types", [SUMS, EXTREMES, SWEPT, (*SWEPT, *RANKED)])
def test_images_give_scipys_values(metric: str, n: int, p: int, k: int, types: tuple[type, ...]) -> None:
    X, codes = cloud(n, p, k)
    found = reduce_points(X, codes, types, metric=metric)
    expected = reduce_points(by_scipy(X, metric), codes, types, metric="precomputed")
    check_alike(found, expected, 1e-12 if metric != "mahalanobis" else 1e-11)


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "p"), [(300, 5), (40, 90)])
@pytest.mark.parametrize("away", [0.0, 1e5])
def test_sums_of_squares_and_medoids_come_from_points(
    metric: str, n: int, p: int, away: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    if metric == "mahalanobis" and n <= p:
        pytest.skip("the covariance is singular")
    monkeypatch.setattr(distance_squares, "_SIDE", 3)
    monkeypatch.setattr(distance_squares, "_LINES", 7)
    X, codes = cloud(n, p, 4)
    X += away * (metric not in ("cosine", "correlation"))
    D = by_scipy(X, metric)
    found = reduce_points(X, codes, (DistanceSquares, MedoidProfile), metric=metric)
    tolerance = 1e-9 if away else 1e-13
    assert found[DistanceSquares].total == pytest.approx((D**2).sum() / 2, rel=tolerance)
    medoids, expected = (
        made[MedoidProfile]
        for made in (found, reduce_points(D, codes, (MedoidProfile,), metric="precomputed"))
    )
    assert medoids.medoids.tolist() == expected.medoids.tolist()
    np.testing.assert_allclose(medoids.own, expected.own, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(medoids.other, expected.other, rtol=tolerance, atol=1e-15)


def test_of_equally_good_medoids_the_first_is_found_far_from_zero() -> None:
    X = 3 * 2.0**51 + np.array([[0.0], [1.0], [2.0], [3.0], [2.0], [2.0]])
    found = reduce_points(X, [0, 0, 0, 0, 1, 1], (MedoidProfile,), metric="sqeuclidean")
    assert found[MedoidProfile].medoids.tolist() == [1, 4]


@pytest.mark.parametrize("metric", SQUARED)
def test_sums_from_centroids_are_those_of_pairs(metric: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, codes = cloud(500, 7, 20)
    X[codes == 3] = X[3] + 1e-9 * generator.normal(size=(25, 7))  # nearly one point
    X[codes == 4] = X[4]
    X[codes == 5] = X[4]
    near = np.isin(codes, [6, 7])
    X[near] = X[8] + 1e-5 * generator.normal(size=(50, 7))  # two clusters, nearly in one place
    X += 30
    monkeypatch.setattr(squared_sums, "_READ", 7 * 60)
    monkeypatch.setattr(squared_sums, "_CENTROIDS", 6)
    done: list[int] = []
    found = reduce_points(
        X, codes, SUMS, metric=metric, progress=lambda some, total: done.append(total - some)
    )
    assert done[-1] == 0
    with monkeypatch.context() as patch:
        patch.setattr("adjudge.engines.pairs.reduction.is_cheaper", lambda job: False)
        pairs = reduce_points(X, codes, SUMS, metric=metric)
    assert found[PairSums].within.tobytes() != pairs[PairSums].within.tobytes()
    # Of unit rows this close together 1e-16 is a share of 1e-5 of their distances.
    close = np.isin(codes, [3, 4, 5])
    assert np.isnan(found[Silhouettes].values[np.isin(codes, [4, 5])]).all()
    np.testing.assert_allclose(
        found[Silhouettes].values[~close], pairs[Silhouettes].values[~close], rtol=1e-9, atol=1e-9
    )
    widths = pairs[Silhouettes].values[near]
    assert np.abs(widths).max() < 0.5
    np.testing.assert_allclose(found[Silhouettes].values[near], widths, atol=1e-7)
    np.testing.assert_allclose(
        found[PairSums].matrix,
        pairs[PairSums].matrix,
        rtol=1e-9 if metric == "sqeuclidean" else 1e-5,
        atol=1e-300,
    )


@pytest.mark.full
@pytest.mark.parametrize("metric", METRICS)
def test_who_computes_images_changes_no_digit(
    metric: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(squared_sums, "_READ", 1 << 12)
    X, codes = cloud(1500, 110, 4)
    assert len(digits_of_all(X, codes, (*SUMS, Diameters), tmp_path, metric=metric)) == 1


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_equal_distances_stay_equal_where_they_are_ranked(metric: str) -> None:
    X = generator.integers(0, 4, (120, 2)).astype(float)
    codes = np.arange(120) % 3
    D = by_scipy(X, metric)
    found = reduce_points(X, codes, (PairRanks, DistanceTies, SingleLinkage), metric=metric)
    expected = reduce_points(D, codes, (PairRanks, DistanceTies, SingleLinkage), metric="precomputed")
    assert found[DistanceTies].tied == expected[DistanceTies].tied > 1000
    assert numbers_of(found[PairRanks]) == numbers_of(expected[PairRanks])
    # Equal points are at a distance of exactly 0, in any company.
    assert reduce_points(X, codes, [SingleLinkage], metric=metric)[SingleLinkage].smallest == 0.0


@pytest.mark.parametrize("seed", range(40))
def test_a_copy_of_a_column_is_singular_whatever_rounding_makes_of_it(seed: int) -> None:
    X = np.random.default_rng(seed).normal(size=(30, 3)) * [1.0, 1.0, 1e-3]
    X[:, 1] = 3 * X[:, 0]
    with pytest.raises(InputError, match="covariance of the columns, which is singular"):
        adjudge.silhouette(X, np.arange(30) % 2, metric="mahalanobis")


def test_what_has_no_image_is_refused() -> None:
    X, codes = cloud(30, 3, 2)
    X[:, 1] = X[:, 0]
    with pytest.raises(InputError, match="covariance of the columns, which is singular"):
        adjudge.silhouette(X, codes, metric="mahalanobis")
    X[:, 1] = 1.0
    with pytest.raises(InputError, match="variances, and one of them is 0"):
        adjudge.silhouette(X, codes, metric="seuclidean")
