"""Differences of two clusters: the level holds after clustering, and points that are not Gaussian get no p-value."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kstest
from sklearn.cluster import AgglomerativeClustering

import adjudge
from adjudge.inference import cluster_difference_test
from adjudge.inference.clusters.cluster_differences import _gaussian_p_value
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
