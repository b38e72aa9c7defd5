"""The test of a difference of two clusters: laws in closed form, its level after clustering, points not Gaussian."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi, chi2, kstest, norm
from scipy.stats import f as fisher
from sklearn.cluster import AgglomerativeClustering

import adjudge
from adjudge import InputError
from adjudge.inference import cluster_difference_test
from adjudge.inference.clusters.cluster_differences import _gaussian_p_value, _hotelling
from splitters import halves, two_means


@pytest.mark.full
def test_p_values_after_clustering_are_uniform() -> None:
    rng = np.random.default_rng(5)
    p_values, naive = [], []
    for _ in range(60):
        X = rng.normal(size=(24, 2))
        found = cluster_difference_test(X, halves, (0, 1), sigma=1.0, n_samples=150, random_state=rng)
        if found.kept:
            p_values.append(found.p_value)
            naive.append(found.naive_p_value)
    assert len(p_values) > 50
    assert kstest(p_values, "uniform").pvalue > 1e-3
    assert np.mean(np.array(naive) < 0.05) > 0.9


@pytest.mark.full
def test_means_that_differ_are_told_apart() -> None:
    rng = np.random.default_rng(6)
    X = np.concatenate([rng.normal(m, 1.0, size=(20, 2)) for m in (0, 8)])
    found = cluster_difference_test(X, AgglomerativeClustering(2), (0, 1), sigma=1.0, random_state=0)
    assert found.p_value < 0.001
    assert found.distance == pytest.approx(8 * math.sqrt(2), rel=0.15)
    careful = cluster_difference_test(X, AgglomerativeClustering(2), (0, 1), random_state=0)
    assert careful.p_value > found.p_value


@pytest.mark.full
def test_correlated_points_keep_the_level() -> None:
    """With one standard deviation for all directions, one in five was rejected."""
    rng = np.random.default_rng(7)
    root = np.linalg.cholesky([[1, 0.9], [0.9, 1]])
    found = [
        cluster_difference_test(
            rng.normal(size=(60, 2)) @ root.T, two_means, (0, 1), n_samples=100, random_state=rng
        )
        for _ in range(60)
    ]
    p_values = np.array([test.p_value for test in found])
    # Of 60, 3 are expected: 10 come less than once in a thousand times.
    assert np.sum(p_values <= 0.05) < 10
    assert np.isnan(p_values).mean() < 0.3


def test_the_covariance_is_that_of_the_test() -> None:
    """Points and covariance in other units: the same test."""
    rng = np.random.default_rng(8)
    X = rng.normal(size=(50, 2))
    root = np.array([[2.0, 0.0], [1.0, 0.5]])
    turned = cluster_difference_test(
        X @ root.T, lambda Y: (np.linalg.solve(root, Y.T)[0] > 0).astype(int), (0, 1), covariance=root @ root.T,
        check=False, random_state=0,
    )  # fmt: skip
    plain = cluster_difference_test(
        X, lambda Y: (Y[:, 0] > 0).astype(int), (0, 1), sigma=1.0, check=False, random_state=0
    )
    assert turned.p_value == pytest.approx(plain.p_value, rel=1e-9)
    assert turned.naive_p_value == pytest.approx(plain.naive_p_value, rel=1e-9)


def test_two_gaussian_clusters_pass_the_check() -> None:
    rng = np.random.default_rng(10)
    X = np.concatenate([rng.normal(m, 1.0, size=(60, 2)) for m in (0, 8)])
    found = cluster_difference_test(X, two_means, (0, 1), n_samples=50, random_state=0)
    assert found.reason == ""


def test_thinning_keeps_the_level_and_finds_clusters() -> None:
    rng = np.random.default_rng(11)
    null = [
        cluster_difference_test(
            rng.normal(size=(60, 2)) * [3, 1],
            two_means,
            (0, 1),
            method="thinning",
            check=False,
            random_state=rng,
        ).p_value
        for _ in range(150)
    ]
    # Clusters that the half of the information does not tell apart have p = 1.
    told_apart = [p for p in null if p < 1]
    assert len(told_apart) > 75
    assert kstest(told_apart, "uniform").pvalue > 1e-3
    X = np.concatenate([rng.normal(m, 1.0, size=(40, 2)) for m in (0, 6)])
    found = cluster_difference_test(X, two_means, (0, 1), method="thinning", sigma=1.0, random_state=0)
    assert found.p_value < 1e-6
    assert found.kept == 80


def test_the_check_has_its_level() -> None:
    rng = np.random.default_rng(13)
    p_values = [_gaussian_p_value(rng.normal(size=(150, 3)) @ np.diag([5, 1, 0.1])) for _ in range(200)]
    assert 0.01 < np.mean(np.array(p_values) <= 0.1) < 0.15


def test_a_singular_covariance_is_refused() -> None:
    X = np.random.default_rng(7).normal(size=(20, 2))
    with pytest.raises(adjudge.InputError, match="the covariance is singular"):
        cluster_difference_test(X, halves, (0, 1), covariance=np.zeros((2, 2)))


SIGMA = 2.0
CODES = np.repeat([0, 1, 2], [10, 25, 8])
FIRST, SECOND = CODES == 0, CODES == 1
SCALE = SIGMA * math.sqrt(1 / 10 + 1 / 25)


def points(apart: float = 0.0) -> np.ndarray:
    X = np.random.default_rng(1).normal(100.0, SIGMA, size=(CODES.size, 3))
    X[FIRST, 0] += apart
    return X


def distance_of(X: np.ndarray) -> float:
    return float(np.linalg.norm(X[FIRST].mean(axis=0) - X[SECOND].mean(axis=0)))


def parts(changed: np.ndarray, found: Callable[[float], bool]) -> Callable[[np.ndarray], np.ndarray]:
    """A clusterer that finds the same clusters at some distances only, and at others one that lacks a point."""

    def fit(X: np.ndarray) -> np.ndarray:
        return np.where(changed & (not found(distance_of(X))), 3, CODES)

    return fit


@pytest.mark.parametrize("apart", [0.0, 1.0])
def test_the_naive_p_value_is_the_tail_of_chi_square(apart: float) -> None:
    X = points(apart)
    found = cluster_difference_test(X, lambda X: CODES, (0, 1), sigma=SIGMA, check=False, n_samples=1)
    assert found.distance == pytest.approx(distance_of(X))
    assert found.naive_p_value == pytest.approx(chi2.sf((distance_of(X) / SCALE) ** 2, 3), rel=1e-9)


@pytest.mark.full(keep=1)
@pytest.mark.parametrize(("low", "high"), [(0.0, math.inf), (0.6, 1.4), (0.0, 1.2), (0.8, math.inf)])
@pytest.mark.parametrize("changed", [0, 10])
def test_the_p_value_is_that_of_the_truncated_law(low: float, high: float, changed: int) -> None:
    """Clusters that are found within known distances, in units of the observed one."""
    X = points()
    distance = distance_of(X)
    fit = parts(np.arange(CODES.size) == changed, lambda now: low * distance <= now <= high * distance)
    found = cluster_difference_test(X, fit, (0, 1), sigma=SIGMA, check=False, n_samples=4000, random_state=0)
    law = chi(3, scale=SCALE)
    ends = law.cdf(low * distance), law.cdf(high * distance)
    assert found.p_value == pytest.approx((ends[1] - law.cdf(distance)) / (ends[1] - ends[0]), abs=0.03)
    drawn = norm(distance, SCALE)
    assert found.kept == pytest.approx(
        4000 * (drawn.cdf(high * distance) - drawn.cdf(low * distance)), abs=150
    )


def test_clusters_that_no_larger_distance_would_give() -> None:
    X = points()
    distance = distance_of(X)
    nearer = parts(np.arange(CODES.size) == 0, lambda now: now <= distance * (1 + 1e-12))
    found = cluster_difference_test(X, nearer, (0, 1), sigma=SIGMA, check=False, n_samples=50, random_state=0)
    assert found.p_value == 0.0
    assert found.kept > 0
    same = parts(np.arange(CODES.size) == 0, lambda now: abs(now - distance) < 1e-9)
    found = cluster_difference_test(X, same, (0, 1), sigma=SIGMA, check=False, n_samples=50, random_state=0)
    assert (found.p_value, found.kept) == (1.0, 0)


def test_equal_means_do_not_differ() -> None:
    X = np.array([[0.0, 0.0], [2.0, 2.0], [0.0, 2.0], [2.0, 0.0]])
    found = cluster_difference_test(X, lambda X: np.array([0, 0, 1, 1]), (0, 1), sigma=1.0)
    assert (found.distance, found.p_value, found.naive_p_value, found.kept) == (0.0, 1.0, 1.0, 0)


def test_thinning_parts_the_points_into_halves_of_their_information() -> None:
    X = points(8.0)
    given: list[np.ndarray] = []

    def fit(X: np.ndarray) -> np.ndarray:
        given.append(X)
        return CODES

    found = cluster_difference_test(
        X, fit, (0, 1), method="thinning", sigma=SIGMA, check=False, random_state=0
    )
    noise = 2 * given[1] - X
    assert noise.mean() == pytest.approx(0, abs=0.6)
    assert noise.std() == pytest.approx(SIGMA, rel=0.2)
    rest = 0.5 * (X - noise)
    assert found.p_value == pytest.approx(_hotelling(rest[FIRST], rest[SECOND]), rel=1e-9)
    assert found.kept == 35


@pytest.mark.parametrize(("n", "p"), [((20, 30), 3), ((2, 3), 3), ((2, 4), 3), ((9, 4), 1)])
def test_hotelling_is_the_regression_of_the_group_on_the_variables(n: tuple[int, int], p: int) -> None:
    rng = np.random.default_rng(12)
    centre = np.arange(p) * 3.0
    first, second = rng.normal(centre, size=(n[0], p)), rng.normal(centre + 0.4, size=(n[1], p))
    X = np.c_[np.ones(sum(n)), np.r_[first, second]]
    group = np.repeat([0.0, 1.0], n)
    rest = group - X @ np.linalg.lstsq(X, group, rcond=None)[0]
    explained = 1 - (rest @ rest) / ((group - group.mean()) @ (group - group.mean()))
    freedom = sum(n) - p - 1
    ratio = explained / p / ((1 - explained) / freedom)
    assert _hotelling(first, second) == pytest.approx(fisher.sf(ratio, p, freedom), rel=1e-6)


def test_too_few_points_for_hotelling() -> None:
    rng = np.random.default_rng(0)
    assert _hotelling(rng.normal(size=(2, 3)), rng.normal(size=(2, 3))) == 1.0


def mardia(X: np.ndarray) -> tuple[float, float]:
    n, p = X.shape
    centred = X - X.mean(axis=0)
    products = centred @ np.linalg.inv(centred.T @ centred / n) @ centred.T
    skewed = chi2.sf((products**3).sum() / n / 6, p * (p + 1) * (p + 2) / 6)
    kurtosis = (np.diag(products) ** 2).mean()
    expected = p * (p + 2) * (n - 1) / (n + 1)
    return float(skewed), float(2 * norm.sf(abs(kurtosis - expected) / math.sqrt(8 * p * (p + 2) / n)))


@pytest.mark.parametrize("kind", ["light", "heavy", "skewed", "gaussian"])
def test_the_check_is_mardias(kind: str) -> None:
    rng = np.random.default_rng(14)
    draw: dict[str, Any] = {
        "light": rng.uniform(size=(60, 3)),
        "heavy": np.r_[half := rng.standard_t(6, size=(30, 3)), -half],
        "skewed": rng.exponential(size=(60, 3)),
        "gaussian": norm.ppf((rng.permuted(np.tile(np.arange(60), (3, 1)), axis=1).T + 0.5) / 60),
    }
    X = 1e6 + 1e3 * draw[kind]
    skewed, heavy = mardia(X)
    assert _gaussian_p_value(X) == pytest.approx(min(1, 2 * min(skewed, heavy)), rel=1e-6)
    assert (skewed < heavy) == (kind == "skewed")
    for unit in (1e-9, 1e9):
        doubled = np.c_[X, X[:, :1] - X[:, 1:2]] * unit
        assert _gaussian_p_value(doubled) == pytest.approx(_gaussian_p_value(X), rel=1e-6)


def test_one_cluster_that_is_not_gaussian_is_enough() -> None:
    rng = np.random.default_rng(3)
    X = np.r_[rng.normal(size=(60, 2)), 20 + rng.exponential(size=(60, 2)) ** 2]
    codes = np.repeat([0, 1], 60)
    for order in (codes, 1 - codes):
        found = cluster_difference_test(X, lambda X, order=order: order, (0, 1), sigma=1.0, n_samples=2)
        assert found.reason.startswith("the test needs Gaussian points")
        assert math.isnan(found.p_value)


# --- what comes with a p-value, or instead of it -----------------------------------------------------------------


def test_clusters_that_are_not_gaussian_have_a_distance_and_no_p_value() -> None:
    rng = np.random.default_rng(5)
    codes = np.repeat([0, 1], 40)
    X = rng.exponential(size=(80, 2)) ** 3 + 9 * codes[:, None]
    options: dict[str, Any] = {"sigma": 2.0, "n_samples": 20, "random_state": 0}
    found = cluster_difference_test(X, lambda X: codes, (0, 1), **options)
    distance = float(np.linalg.norm(X[:40].mean(axis=0) - X[40:].mean(axis=0)))
    assert math.isnan(found.p_value)
    assert found.distance == pytest.approx(distance)
    assert found.naive_p_value == pytest.approx(chi2.sf((distance / 2 / math.sqrt(1 / 20)) ** 2, 2), rel=1e-9)
    assert found.kept == 0
    assert found.reason.startswith("the test needs Gaussian points")
    unchecked = cluster_difference_test(X, lambda X: codes, (0, 1), check=False, **options)
    assert (unchecked.distance, unchecked.naive_p_value) == (found.distance, found.naive_p_value)
    thinned = cluster_difference_test(X, lambda X: codes, (0, 1), check=False, method="thinning", **options)
    assert (thinned.distance, thinned.naive_p_value) == (found.distance, found.naive_p_value)
    assert thinned.kept == 80
    again = cluster_difference_test(X, lambda X: codes, (0, 1), check=False, method="thinning", **options)
    assert thinned == again


def test_clusters_that_one_half_of_the_information_joins() -> None:
    X = points()
    given: list[np.ndarray] = []

    def fit(X: np.ndarray) -> np.ndarray:
        given.append(X)
        return CODES if len(given) == 1 else np.zeros(CODES.size, int)

    found = cluster_difference_test(
        X, fit, (0, 1), method="thinning", sigma=SIGMA, check=False, random_state=0
    )
    assert (found.p_value, found.kept) == (1.0, 0)


def test_the_covariance_is_estimated_from_five_points_a_variable_and_two_more() -> None:
    rng = np.random.default_rng(6)
    for n, enough in ((11, False), (12, True)):
        X = rng.normal(size=(n, 2))
        codes = np.arange(n) % 2
        if enough:
            found = cluster_difference_test(X, lambda X, c=codes: c, (0, 1), check=False, n_samples=3)
            assert found.distance > 0
        else:
            with pytest.raises(InputError, match=r"^X has 11 points of 2 variables: too few"):
                cluster_difference_test(X, lambda X, c=codes: c, (0, 1), check=False)
    with pytest.raises(InputError, match=r"^sigma=-1"):
        cluster_difference_test(rng.normal(size=(9, 2)), lambda X: np.arange(9) % 2, (0, 1), sigma=-1)


@pytest.mark.parametrize("n", [9, 10, 11])
def test_the_check_needs_five_points_a_variable(n: int) -> None:
    X = np.random.default_rng(7).exponential(size=(n, 2)) ** 4
    assert (_gaussian_p_value(X) == 1.0) is (n < 10)


def test_a_variable_of_tiny_extent_counts_in_the_check() -> None:
    X = np.random.default_rng(8).normal(size=(40, 2))
    assert _gaussian_p_value(X * [1, 1e-6]) == pytest.approx(_gaussian_p_value(X), rel=1e-6)


def test_one_point_may_be_a_cluster() -> None:
    X = points()
    alone = np.where(np.arange(CODES.size) == 0, 7, CODES)
    found = cluster_difference_test(
        X, lambda X: alone, (7, 1), sigma=SIGMA, check=False, n_samples=50, random_state=0
    )
    assert found.kept > 0


def test_a_start_that_is_changed_is_seen() -> None:
    """The clusterer is compared by the first point of a cluster, whichever label it has now."""
    X = points()
    calls: list[int] = []

    def fit(X: np.ndarray) -> np.ndarray:
        calls.append(1)
        return CODES if len(calls) == 1 else np.where(CODES == 0, 5, CODES)

    found = cluster_difference_test(X, fit, (0, 1), sigma=SIGMA, check=False, n_samples=30, random_state=0)
    assert found.kept > 0
