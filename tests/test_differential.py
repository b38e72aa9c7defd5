"""Thousands of random cases against independent implementations: scikit-learn, SciPy and genieclust."""

from __future__ import annotations

import importlib
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import contingency, pearsonr
from sklearn import metrics

import adjudge
from adjudge.kernels.hypergeometric import _deviance_of_large_mean, _expected_deviance

CLOSE = {"rel": 1e-9, "abs": 1e-11}

LABELS: dict[str, Callable[..., float]] = {
    "adjusted_rand": metrics.adjusted_rand_score,
    "rand": metrics.rand_score,
    "ami": metrics.adjusted_mutual_info_score,
    "nmi": metrics.normalized_mutual_info_score,
    "mutual_information": metrics.mutual_info_score,
    "homogeneity": metrics.homogeneity_score,
    "completeness": metrics.completeness_score,
    "v_measure": metrics.v_measure_score,
    "fowlkes_mallows": metrics.fowlkes_mallows_score,
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "cohen_kappa": metrics.cohen_kappa_score,
    "matthews_correlation": metrics.matthews_corrcoef,
}


def random_labels(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.integers(0, rng.integers(2, 7), n)
    pred = np.where(rng.random(n) < rng.random(), rng.integers(0, rng.integers(2, 7), n), truth)
    return truth, pred


@pytest.mark.parametrize("name", LABELS)
def test_labels_against_scikit_learn(name: str) -> None:
    rng = np.random.default_rng(11)
    index = getattr(adjudge, name)
    compared = 0
    for _ in range(150):
        truth, pred = random_labels(rng, int(rng.integers(2, 40)))
        value = index(truth, pred)
        if math.isnan(
            value
        ):  # scikit-learn has a number for everything; where we have none, a reason says why
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = LABELS[name](truth, pred)
        assert value == pytest.approx(theirs, **CLOSE), (truth.tolist(), pred.tolist())
        compared += 1
    assert compared > 100


def test_contingency_against_scipy() -> None:
    rng = np.random.default_rng(12)
    for _ in range(300):
        truth, pred = random_labels(rng, int(rng.integers(1, 50)))
        table = contingency.crosstab(truth, pred).count
        assert adjudge.Contingency.from_labels(truth, pred).to_array().tolist() == table.tolist()


def joined(labels: np.ndarray) -> np.ndarray:
    return (labels[:, None] == labels)[np.triu_indices(labels.size, 1)]


def test_hubert_is_the_correlation_of_pairs() -> None:
    rng = np.random.default_rng(13)
    for _ in range(200):
        truth, pred = random_labels(rng, int(rng.integers(5, 30)))
        a, b = joined(truth), joined(pred)
        if a.all() or b.all() or not a.any() or not b.any():
            continue
        assert adjudge.hubert(truth, pred) == pytest.approx(pearsonr(a, b).statistic, **CLOSE)


POINTS: dict[str, Callable[..., float]] = {
    "silhouette": metrics.silhouette_score,
    "calinski_harabasz": metrics.calinski_harabasz_score,
    "davies_bouldin": metrics.davies_bouldin_score,
}


def random_points(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n, p, k = int(rng.integers(8, 40)), int(rng.integers(1, 5)), int(rng.integers(2, 6))
    codes = rng.permutation(np.arange(n) % k)
    scale = 10.0 ** rng.integers(-3, 4)
    return (rng.normal(size=(k, p))[codes] * rng.random() * 5 + rng.normal(size=(n, p))) * scale, codes


@pytest.mark.parametrize("name", POINTS)
def test_points_against_scikit_learn(name: str) -> None:
    rng = np.random.default_rng(14)
    for _ in range(200):
        X, codes = random_points(rng)
        assert getattr(adjudge, name)(X, codes) == pytest.approx(POINTS[name](X, codes), rel=1e-8, abs=1e-10)


GENIECLUST = {
    "adjusted_rand": "adjusted_rand_score",
    "rand": "rand_score",
    "fowlkes_mallows": "fm_score",
    "adjusted_fowlkes_mallows": "adjusted_fm_score",
    "nmi": "normalized_mi_score",
    "ami": "adjusted_mi_score",
}


def test_genieclust() -> None:
    pytest.importorskip("genieclust")
    compare: Any = importlib.import_module("genieclust.compare_partitions")
    rng = np.random.default_rng(15)
    checked = set()
    for ours, name in GENIECLUST.items():
        theirs = getattr(compare, name, None)
        if theirs is None:
            continue
        checked.add(ours)
        for _ in range(100):
            truth, pred = random_labels(rng, int(rng.integers(6, 40)))
            value = getattr(adjudge, ours)(truth, pred)
            if not math.isnan(value) and np.unique(truth).size > 1 and np.unique(pred).size > 1:
                assert value == pytest.approx(theirs(truth, pred), **CLOSE), ours
    assert len(checked) >= 4


@pytest.mark.parametrize(
    ("row", "col", "n"), [(0.99e8, 2.97e8, 3e8), (4e8, 2e8, 8.1e8), (1.9e8, 1.9e8, 3.7e8), (3e9, 1e8, 3.1e9)]
)
def test_expectation_of_a_large_cell(row: float, col: float, n: float) -> None:
    """The expansion for large cells against the sum over all counts, on both sides of where one takes over."""
    assert _deviance_of_large_mean(row * col / n, row, col, n) == pytest.approx(
        _expected_deviance(row, col, n), rel=1e-12
    )
