"""Intervals of internal criteria beside a plain jackknife of the public functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import adjudge
from adjudge.errors import InputError
from adjudge.inference.internal_intervals import _bias, _stretched, internal_intervals

RNG = np.random.default_rng(5)
LABELS = np.repeat([0, 1, 2], [25, 20, 15])
X = np.array([(0.0, 0.0), (5.0, 0.0), (0.0, 6.0)])[LABELS] + RNG.normal(size=(60, 2))


def without_each(name: str) -> np.ndarray:
    index = adjudge.find_index(name)
    return np.array([index(np.delete(X, i, axis=0), np.delete(LABELS, i)) for i in range(len(X))])


def student(values: np.ndarray, confidence: float) -> float:
    """Student's quantile, with as many degrees of freedom as a variance has that varies so much."""
    centred = values - values.mean()
    freedom = 2 * values.size / (np.mean(centred**4) / np.mean(centred**2) ** 2 - 1)
    return float(stats.t.ppf((1 + confidence) / 2, min(max(freedom, 4.0), values.size - 1)))


@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_positive_criteria_have_the_jackknifes_error_of_their_logarithm(confidence: float) -> None:
    name = "calinski_harabasz"
    found = internal_intervals(X, LABELS, [name], confidence=confidence)[name]
    values, value = without_each(name), adjudge.find_index(name)(X, LABELS)
    error = math.sqrt(59 / 60 * ((values - values.mean()) ** 2).sum())
    half = student(values, confidence) * error / value
    bias = 59 * (np.log(values).mean() - math.log(value))
    assert abs(bias) > 0.3  # growth with the number of points, which is no bias
    assert [found.low, found.high] == pytest.approx(
        [value * math.exp(-half), value * math.exp(half)], rel=1e-6
    )
    assert (found.confidence, found.method, found.reason) == (confidence, "jackknife", None)


def test_the_bias_that_matters_moves_one_end() -> None:
    without = np.array([1.2, 1.3, 1.1, 1.2])
    assert _bias(1.1, without, 10.0) == pytest.approx(3 * 0.1)
    assert _bias(1.1, without, 0.9) == 0.0
    assert _stretched((1.0, 2.0), 0.3, 0.25) == (0.7, 2.0)
    assert _stretched((1.0, 2.0), -0.3, 0.25) == (1.0, 2.3)
    assert _stretched((1.0, 2.0), 0.25, 0.25) == (1.0, 2.0)


def test_lengths_that_differ_are_named() -> None:
    with pytest.raises(
        InputError, match=r"^labels has 60 entries, X has 59 rows: they must have the same length$"
    ):
        internal_intervals(X[:-1], LABELS, ["silhouette"])


def test_criteria_that_leave_one_out_undefined_have_no_interval() -> None:
    points = np.r_[np.zeros((6, 1)), np.ones((6, 1))]
    found = internal_intervals(points, np.repeat([0, 1], 6), ["calinski_harabasz"], confidence=0.8)
    own = found["calinski_harabasz"]
    assert math.isnan(own.low)
    assert math.isnan(own.high)
    assert (own.confidence, own.method) == (0.8, "jackknife")
    assert own.reason is not None
