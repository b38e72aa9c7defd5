"""Metrics that are Euclidean in an image of the points: SciPy's values, in a pass over pairs or from centroids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjudge
from adjudge.engines import distance_squares
from adjudge.engines.pairs import squared_sums
from adjudge.engines.points import reduce_points
from adjudge.errors import InputError
from adjudge.statistics.pair_distances import (
    Diameters,
    DistanceTies,
    PairRanks,
    PairSums,
    Silhouettes,
    SingleLinkage,
)
from adjudge.statistics.prototypes import DistanceSquares, MedoidProfile
from digits import check_alike, digits_of_all, numbers_of
from pair_statistics import RANKED, SWEPT

SUMS = (PairSums, Silhouettes)
EXTREMES = SWEPT[2:]
SQUARED = ("sqeuclidean", "cosine", "correlation")
METRICS = (*SQUARED, "seuclidean", "mahalanobis")
rng = np.random.default_rng(0)


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
    mixing = np.eye(p) + rng.normal(size=(p, p)) / (3 * np.sqrt(p))
    return rng.normal(size=(n, p)) @ mixing + 5 * rng.normal(size=(k, p))[codes], codes


@pytest.mark.full(keep=15)
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("n", "p", "k"), [(400, 4, 5), (400, 30, 5), (300, 120, 2), (60, 5, 30), (40, 6, 1)])
@pytest.mark.parametrize("types", [SUMS, EXTREMES, SWEPT, (*SWEPT, *RANKED)])
def test_gives_scipys_values(metric: str, n: int, p: int, k: int, types: tuple[type, ...]) -> None:
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
    X[codes == 3] = X[3] + 1e-9 * rng.normal(size=(25, 7))  # nearly one point
    X[codes == 4] = X[4]
    X[codes == 5] = X[4]
    near = np.isin(codes, [6, 7])
    X[near] = X[8] + 1e-5 * rng.normal(size=(50, 7))  # two clusters, nearly in one place
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
def test_who_computes_changes_no_digit(metric: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(squared_sums, "_READ", 1 << 12)
    X, codes = cloud(1500, 110, 4)
    assert len(digits_of_all(X, codes, (*SUMS, Diameters), tmp_path, metric=metric)) == 1


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_equal_distances_stay_equal_where_they_are_ranked(metric: str) -> None:
    X = rng.integers(0, 4, (120, 2)).astype(float)
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
