"""Tests of clusterings hold their size on data without clusters, and find clusters that are there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kstest, spearmanr
from sklearn.cluster import DBSCAN, AgglomerativeClustering

import adjudge
from adjudge import cluster_difference_test, clusters_test
from adjudge.choosing.estimators import KMeans
from adjudge.inference.null_points import DRAWS, USUAL_NULLS, _with_one_mode


def two_means(X: np.ndarray) -> np.ndarray:
    fit = KMeans(n_init=1, n_threads=1).fit(np.ascontiguousarray(X), [2], np.random.SeedSequence(0))
    return fit[2].codes


def halves(X: np.ndarray) -> np.ndarray:
    """Without a fit: the halves of the first principal component."""
    centred = X - X.mean(axis=0)
    axis = np.linalg.eigh(centred.T @ centred)[1][:, -1]
    return (centred @ axis > 0).astype(int)


def test_the_size_is_held_by_a_matched_null() -> None:
    rng = np.random.default_rng(0)
    p_values = [
        clusters_test(
            rng.normal(size=(40, 2)) @ [[2.0, 0.3], [0.0, 1.0]],
            halves, index="calinski_harabasz", nulls=["gaussian"], n_samples=19, random_state=rng,
        ).p_value
        for _ in range(120)
    ]  # fmt: skip
    rejected = sum(p <= 0.05 for p in p_values)
    # Of 120, 6 are expected: more than 13 come once in a thousand times.
    assert rejected <= 13


def test_clusters_are_found_whatever_the_null() -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(m, 0.3, size=(30, 2)) for m in (0, 4)])
    found = clusters_test(X, {"two": two_means, "half": halves}, n_samples=19, random_state=0)
    assert found.p_values == dict.fromkeys(USUAL_NULLS, 0.05)
    assert found.best in ("two", "half")
    assert found.value == pytest.approx(adjudge.silhouette(X, two_means(X)))
    assert all(values.shape == (19,) for values in found.null_values.values())


def test_choosing_is_part_of_the_null() -> None:
    X = np.random.default_rng(2).normal(size=(50, 2))
    several = {f"{k}": AgglomerativeClustering(k) for k in (2, 3, 4)}
    both = clusters_test(X, several, nulls=["gaussian"], n_samples=19, random_state=0)
    one = clusters_test(X, {both.best: several[both.best]}, nulls=["gaussian"], n_samples=19, random_state=0)
    assert both.value == one.value
    assert (both.null_values["gaussian"] >= one.null_values["gaussian"] - 1e-12).all()


def test_noise_costs_coverage() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(m, 0.2, size=(30, 2)) for m in (0, 4)] + [rng.uniform(-1, 5, (20, 2))])
    labels = DBSCAN(eps=0.4).fit_predict(X)
    kept = labels >= 0
    found = clusters_test(X, DBSCAN(eps=0.4), nulls=["uniform"], n_samples=9, random_state=0)
    assert found.value == pytest.approx(adjudge.silhouette(X[kept], labels[kept]) * kept.mean())


def test_nulls_resemble_the_points() -> None:
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.exponential(size=4000), rng.normal(size=4000)])
    X[:, 1] += X[:, 0]
    gaussian, copula, uniform = (DRAWS[null](X)(rng) for null in ("gaussian", "copula", "uniform"))
    np.testing.assert_allclose(np.cov(gaussian.T), np.cov(X.T), rtol=1e-9)
    np.testing.assert_allclose(gaussian.mean(axis=0), X.mean(axis=0), atol=1e-9)
    assert kstest((gaussian[:, 0] - 1) / X[:, 0].std(), "norm").pvalue > 1e-3
    # The margins of the copula have one mode, as those of the points, and their values up to a few steps.
    assert np.abs(np.sort(copula, axis=0) - np.sort(X, axis=0)).mean() < 0.02
    ranks = [spearmanr(Y[:, 0], Y[:, 1])[0] for Y in (copula, X)]
    assert ranks[0] == pytest.approx(ranks[1], abs=0.03)
    axes = np.linalg.eigh(np.cov(X.T))[1]
    inside = (uniform - X.mean(axis=0)) @ axes
    limits = (X - X.mean(axis=0)) @ axes
    assert (inside >= limits.min(axis=0)).all()
    assert (inside <= limits.max(axis=0)).all()


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


def test_means_that_differ_are_told_apart() -> None:
    rng = np.random.default_rng(6)
    X = np.concatenate([rng.normal(m, 1.0, size=(20, 2)) for m in (0, 8)])
    found = cluster_difference_test(X, AgglomerativeClustering(2), (0, 1), sigma=1.0, random_state=0)
    assert found.p_value < 0.001
    assert found.distance == pytest.approx(8 * math.sqrt(2), rel=0.15)
    careful = cluster_difference_test(X, AgglomerativeClustering(2), (0, 1), random_state=0)
    assert careful.p_value > found.p_value


def test_bad_inputs() -> None:
    X = np.random.default_rng(7).normal(size=(20, 2))
    with pytest.raises(adjudge.InputError, match="clusters has 7, which the clusterer did not find"):
        cluster_difference_test(X, halves, (0, 7))
    with pytest.raises(adjudge.InputError, match="nulls='poisson' is not known"):
        clusters_test(X, halves, nulls=["poisson"])
    with pytest.raises(adjudge.InputError, match="clusterers is empty"):
        clusters_test(X, {})
    with pytest.raises(adjudge.InputError, match="silhouette is undefined for these clusters"):
        clusters_test(X, lambda X: np.zeros(len(X)))
    with pytest.raises(adjudge.InputError, match="clusterer is a int: give a clusterer"):
        clusters_test(X, 3)


def test_the_elliptical_null_keeps_distances_and_covariance() -> None:
    rng = np.random.default_rng(8)
    shell = rng.normal(size=(3000, 3))
    shell /= np.linalg.norm(shell, axis=1, keepdims=True)
    X = 2 + shell @ [[3.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.5, 0.2]]
    drawn = DRAWS["elliptical"](X)(rng)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=1e-9)
    root = np.linalg.inv(np.linalg.cholesky(np.cov(X.T)))
    distances = np.linalg.norm((drawn - X.mean(axis=0)) @ root.T, axis=1)
    assert np.ptp(distances) < 0.5
    flat = np.column_stack([X[:, 0], np.full(3000, 7.0)])
    np.testing.assert_allclose(DRAWS["elliptical"](flat)(rng)[:, 1], 7.0)


def test_a_shell_seldom_has_clusters() -> None:
    """The Gaussian and the copula null alone take the two halves of most shells for clusters."""
    rng = np.random.default_rng(9)
    found = []
    for _ in range(40):
        X = rng.normal(size=(60, 3))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        found.append(clusters_test(X, two_means, n_samples=19, random_state=rng))
    rejected = np.mean([test.p_value <= 0.05 for test in found])
    without = np.mean([max(test.p_values["gaussian"], test.p_values["copula"]) <= 0.05 for test in found])
    assert without >= 0.4
    assert rejected <= 0.75 * without


@pytest.mark.parametrize("moved", [[6.0, 0.0], [4.0, 4.0]], ids=["along a variable", "across"])
def test_clusters_along_a_variable_are_found(moved: list[float]) -> None:
    """Margins with two modes had the clusters, so that the copula null hid them."""
    rng = np.random.default_rng(10)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + moved])
    assert clusters_test(X, two_means, n_samples=19, random_state=0).p_value == 0.05


def test_distances_of_the_elliptical_null_are_those_of_the_points() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3))
    drawn = DRAWS["elliptical"](X)(rng)
    root = np.linalg.inv(np.linalg.cholesky(np.cov(X.T)))
    ours, theirs = (np.linalg.norm((Y - X.mean(axis=0)) @ root.T, axis=1) for Y in (drawn, X))
    np.testing.assert_allclose(ours, theirs, rtol=1e-2)
    assert abs(np.corrcoef(drawn[:, 0], X[:, 0])[0, 1]) < 0.5


def test_margins_with_one_mode() -> None:
    rng = np.random.default_rng(12)
    two = np.sort(np.concatenate([rng.normal(size=40), rng.normal(6, 1, 40)]))
    smooth = _with_one_mode(two)
    steps = np.diff(smooth)
    at = np.flatnonzero(np.abs(np.diff(steps)) > 1e-12)
    # Densities rise to the mode and fall after it: steps shrink, then grow.
    signs = np.sign(np.diff(steps))[at]
    assert (np.diff(signs) >= 0).all()
    assert (smooth[0], smooth[-1]) == (two[0], two[-1])
    assert adjudge.dip_test(smooth).p_value > 0.9
    assert adjudge.dip_test(two).p_value < 0.01
