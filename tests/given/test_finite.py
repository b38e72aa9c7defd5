"""Whether floats are finite, by one number or by both extremes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from adjudge.given.arrays import extremes, have_finite_squares, magnitude_of_ordinary
from adjudge.kernels.magnitude import sum_of_squares

SIZES = pytest.mark.parametrize("n", [50, 10_000, 10_001, 40_000])


@SIZES
@pytest.mark.parametrize("type_", [np.float64, np.float32])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_one_value_that_is_not_finite_is_never_hidden(n: int, type_: type, bad: float) -> None:
    values = np.random.default_rng(n).normal(size=n).astype(type_)
    assert have_finite_squares(values)
    assert magnitude_of_ordinary(values) is not None
    for place in (0, n // 2, n - 1):
        spoilt = values.copy()
        spoilt[place] = bad
        assert not have_finite_squares(spoilt)
        assert magnitude_of_ordinary(spoilt) is None


@SIZES
@pytest.mark.parametrize("scale", [0.0, 1e-30, 1e30])
def test_values_of_no_ordinary_size_are_told(n: int, scale: float) -> None:
    values = scale * np.random.default_rng(n).uniform(-1, 1, size=(n, 1))
    assert magnitude_of_ordinary(values) is None
    assert have_finite_squares(values)


@SIZES
def test_squares_that_overflow_are_told(n: int) -> None:
    for type_, large in ((np.float64, 1e160), (np.float32, 1e30)):
        values = np.zeros(n, type_)
        values[n // 2] = -large
        assert not have_finite_squares(values)


@SIZES
def test_the_magnitude_lies_between_the_mean_square_and_the_largest(n: int) -> None:
    values = np.random.default_rng(n).normal(size=(n, 1))
    found = magnitude_of_ordinary(values)
    assert found is not None
    assert math.sqrt(np.mean(values**2)) * (1 - 1e-9) <= found <= np.abs(values).max()
    assert extremes(values) == (values.min(), values.max())


def test_no_values_have_no_ordinary_size() -> None:
    assert magnitude_of_ordinary(np.empty((0, 3))) is None
    assert have_finite_squares(np.empty(0))


@pytest.mark.parametrize("type_", [np.float64, np.float32])
@pytest.mark.parametrize("n", [0, 1, 7, 10_001])
def test_loops_add_up_squares_as_exact_arithmetic_does(n: int, type_: type) -> None:
    values = np.random.default_rng(n).normal(size=n).astype(type_)
    assert sum_of_squares(values) == pytest.approx(math.fsum(float(v) ** 2 for v in values), rel=1e-13)
