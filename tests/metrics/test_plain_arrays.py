"""Plain arrays take a short way through adjudge.metrics: same values, same errors, same lines in warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from adjudge import metrics
from adjudge.engines.points import reduce_coded_points
from adjudge.indices import scatter
from adjudge.statistics.moments import CentroidOverlaps, Moments

Y = np.array([0, 1, 1, 0])
ZEROS = np.zeros(4, np.int64)
SCORES = np.array([0.1, 0.4, 0.35, 0.8])


@pytest.mark.parametrize("n", [7, 1000, 40_000])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_values_have_the_digits_of_the_indices(dtype: type, n: int) -> None:
    rng = np.random.default_rng(n)
    for k in (2, 5, 6):
        X = (rng.normal(size=(n, 3)) * 10 + 1000).astype(dtype)
        labels = np.append(np.arange(k), rng.integers(0, k, n - k))[::-1]
        made = reduce_coded_points(X.astype(float), labels, {Moments, CentroidOverlaps})
        assert metrics.calinski_harabasz_score(X, labels) == scatter.calinski_harabasz.of(made[Moments])
        assert metrics.davies_bouldin_score(X, labels) == scatter.davies_bouldin.of(made[CentroidOverlaps])


@pytest.mark.parametrize("n", [50, 40_000])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("function", [metrics.calinski_harabasz_score, metrics.davies_bouldin_score])
def test_points_that_are_not_finite_are_refused(function: Callable[..., float], bad: float, n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    X[n // 2, 1] = bad
    with pytest.raises(ValueError, match="Input X contains"):
        function(X, np.arange(n) % 3)


@pytest.mark.parametrize("labels", [ZEROS, np.arange(4)])
def test_one_cluster_and_single_points_are_refused(labels: np.ndarray) -> None:
    with pytest.raises(ValueError, match="Valid values are 2 to n_samples - 1"):
        metrics.calinski_harabasz_score(np.eye(4), labels)


@pytest.mark.parametrize("given", [np.asarray, list])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("precision_score", (Y, ZEROS)),
        ("balanced_accuracy_score", (ZEROS, Y)),
        ("classification_report", (Y, ZEROS)),
        ("roc_auc_score", (ZEROS, SCORES)),
        ("roc_curve", (ZEROS, SCORES)),
        ("average_precision_score", (ZEROS, SCORES)),
        ("precision_recall_curve", (ZEROS, SCORES)),
        ("adjusted_rand_score", (SCORES, Y)),
        ("top_k_accuracy_score", (Y, SCORES)),
    ],
)
def test_warnings_name_the_line_that_called(name: str, arguments: Any, given: Any) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(metrics, name)(*map(given, arguments))
    assert caught
    assert {warning.filename for warning in caught} == {__file__}


class _WithoutLength:
    """An array of a library that has no length, as the array API asks for none."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)

    def __array_namespace__(self) -> Any:
        return np

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self._values, dtype)


@pytest.mark.parametrize("name", ["roc_curve", "det_curve", "precision_recall_curve"])
def test_arrays_without_a_length_are_read_as_numpys(name: str) -> None:
    truth, scores = np.array([0, 1, 1, 0, 1]), np.array([0.1, 0.4, 0.35, 0.8, 0.9])
    function = getattr(metrics, name)
    wanted = function(truth, scores)
    given = _WithoutLength(truth), _WithoutLength(scores)
    for found in (function(*given), function(truth, y_score=given[1])):
        for own, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(own, other)
