"""Logarithms, exponentials and powers that have the same digits on every machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import mpmath
import numpy as np
import pytest

from adjudge.kernels import elementary
from adjudge.kernels.elementary import exponentials, exponentials_less_one, logarithms, logarithms_of_one_plus


def largest_error(found: Iterable[float], exact: Callable[[Any], Any], of: Iterable[float]) -> float:
    """In units of the last place."""
    worst = 0.0
    with mpmath.workprec(160):
        for value, result in zip(of, found, strict=True):
            expected = exact(mpmath.mpf(value))
            worst = max(worst, float(abs(result - expected) / math.ulp(float(expected))))
    return worst


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
    assert largest_error(logarithms(values).tolist(), mpmath.log, values.tolist()) <= 0.9


@pytest.mark.full
def test_exponentials_err_by_less_than_a_unit_in_the_last_place() -> None:
    rng = np.random.default_rng(0)
    halfway = (rng.integers(-1000, 1000, 2000) + 0.5) * math.log(2)
    values = np.concatenate(
        [
            rng.uniform(-708, 709.7, 30_000),
            rng.normal(size=30_000),
            1e-3 * rng.normal(size=5000),
            np.nextafter(halfway, 0.0),
            np.nextafter(halfway, np.inf),
            rng.uniform(-745, -708, 2000),
            [0.0, 1.0, -1.0, 5e-324, 709.782712893384, -745.13],
        ]
    )
    assert largest_error(exponentials(values).tolist(), mpmath.exp, values.tolist()) <= 0.9
    assert largest_error(exponentials_less_one(values).tolist(), mpmath.expm1, values.tolist()) <= 4


@pytest.mark.full
def test_powers_err_by_less_than_a_unit_in_the_last_place() -> None:
    rng = np.random.default_rng(0)
    for low, high, exponent in (-3, 3, 5.0), (-700, 700, 0.99), (-744, -700, 0.9), (-0.35, 0.35, 100.0):
        bases = np.exp(rng.uniform(low, high, 10_000)).tolist()
        y = exponent * rng.random()
        for own in (y, -y) if low > -709 else (y,):
            found = elementary.powers(np.array(bases), own).tolist()
            assert found == [elementary.power(base, own) for base in bases]
            assert largest_error(found, lambda x, own=own: x ** mpmath.mpf(own), bases) <= 0.95
    bases = rng.uniform(0.5, 2.0, 10_000).tolist()
    found = elementary.powers(np.array(bases), 987.6).tolist()
    assert largest_error(found, lambda x: x ** mpmath.mpf(987.6), bases) <= 20


def test_one_number_has_the_digits_of_many() -> None:
    values = np.array([1e-300, 0.1, 0.5, 1.0, 1.5, 2.0, 700.0])
    for one, many in (
        ("logarithm", "logarithms"),
        ("logarithm_of_one_plus", "logarithms_of_one_plus"),
        ("exponential", "exponentials"),
    ):
        of_one, of_many = getattr(elementary, one), getattr(elementary, many)
        assert [of_one(value) for value in values.tolist()] == of_many(values).tolist()


def test_shapes_views_and_integers_are_taken() -> None:
    square = np.arange(1.0, 17.0).reshape(4, 4)
    np.testing.assert_allclose(logarithms(square[::2, 1:]), np.log(square[::2, 1:]), rtol=1e-15)
    np.testing.assert_allclose(exponentials(np.arange(3)), np.exp(np.arange(3)), rtol=1e-15)
    assert exponentials(np.array(0.0)).shape == ()
    assert logarithms(np.empty((0, 3))).shape == (0, 3)


def test_logarithms_of_what_has_none() -> None:
    values = np.array([0.0, -0.0, -1.0, -np.inf, np.inf, np.nan])
    expected = [-np.inf, -np.inf, np.nan, np.nan, np.inf, np.nan]
    np.testing.assert_array_equal(logarithms(values), expected)
    np.testing.assert_array_equal(
        logarithms_of_one_plus(np.array([-1.0, -2.0, np.inf])), [-np.inf, np.nan, np.inf]
    )


def test_logarithms_of_one_plus_a_little_keep_its_digits() -> None:
    for x in (1e-300, 1e-20, -1e-17, 1e-9, -1e-5):
        assert logarithms_of_one_plus(np.array([x]))[0] == pytest.approx(math.log1p(x), rel=4e-16)


def test_exponentials_at_their_ends() -> None:
    values = np.array([np.nan, np.inf, -np.inf, 710.0, -746.0, 0.0])
    np.testing.assert_array_equal(exponentials(values), [np.nan, np.inf, 0.0, np.inf, 0.0, 1.0])
    np.testing.assert_array_equal(exponentials_less_one(values), [np.nan, np.inf, -1.0, np.inf, -1.0, 0.0])


def test_powers_at_their_ends() -> None:
    inf, nan = math.inf, math.nan
    for x, y, expected in (
        (0.0, 2.5, 0.0),
        (0.0, -1.5, inf),
        (inf, 0.3, inf),
        (inf, -0.3, 0.0),
        (2.0, inf, inf),
        (0.5, inf, 0.0),
        (2.0, -inf, 0.0),
        (5.0, 0.0, 1.0),
        (1.0, nan, 1.0),
        (-3.0, 2.0, 9.0),
        (-3.0, 1.0, -3.0),
        (-3.0, -1.0, -1 / 3),
        (-1.0, 0.3, nan),
        (nan, 0.3, nan),
        (2.0, nan, nan),
        (10.0, 400.5, inf),
        (10.0, -400.5, 0.0),
    ):
        np.testing.assert_array_equal(elementary.power(x, y), expected, err_msg=f"{x} to the power of {y}")
    assert elementary.power(0.3, 0.5) == math.sqrt(0.3)
