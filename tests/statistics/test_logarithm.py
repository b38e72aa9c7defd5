"""The logarithm that has the same digits on every machine."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from adjudge.kernels.logarithm import logarithms


@pytest.mark.full
def test_logarithms_err_by_less_than_a_unit_in_the_last_place() -> None:
    rng = np.random.default_rng(0)
    values = np.concatenate(
        [
            np.exp(rng.uniform(-708, 709, 40_000)),
            rng.uniform(0.5, 2.0, 40_000),
            1 + 1e-3 * rng.normal(size=10_000),
            rng.integers(1, 10**9, 10_000).astype(float),
            np.nextafter(math.sqrt(0.5), [0.0, 1.0]),
            np.nextafter(math.sqrt(2.0), [0.0, 2.0]),
            np.exp(rng.uniform(-744, -708, 1000)),
            [1.0, np.nextafter(1.0, 0.0), np.nextafter(1.0, 2.0), 5e-324, np.finfo(float).max],
        ]
    )
    with mpmath.workprec(120):
        for value, found in zip(values.tolist(), logarithms(values).tolist(), strict=True):
            exact = mpmath.log(value)
            assert abs(found - exact) <= 0.9 * math.ulp(float(exact)), value


def test_logarithms_of_what_has_none() -> None:
    values = np.array([0.0, -0.0, -1.0, -np.inf, np.inf, np.nan])
    expected = [-np.inf, -np.inf, np.nan, np.nan, np.inf, np.nan]
    np.testing.assert_array_equal(logarithms(values), expected)
