"""Scores of numbers beside their definitions, row by row, and beside scikit-learn's."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

import adjudge
from adjudge import AdjudgeError, InputError
from adjudge.given.number_vectors import NumberVector
from adjudge.statistics.number_sums import AbsoluteErrors, ErrorSums, Moments, SortedNumbers
from adjudge.statistics.right_counts import RightCounts
from conftest import raises_line

RNG = np.random.default_rng(5)
Y = RNG.normal(size=61).round(1)
P = (Y + RNG.normal(size=61)).round(1)
W = RNG.integers(1, 5, 61)


def quantile(values: list[float], times: list[int], level: Fraction) -> float:
    """The number in the middle of those that have at most this share below and at most the rest above."""
    every = sorted(x for x, t in zip(values, times, strict=True) for _ in range(t))
    fitting = [
        x
        for x in sorted(set(every))
        if sum(other < x for other in every) <= level * len(every)
        and sum(other > x for other in every) <= (1 - level) * len(every)
    ]
    return (fitting[0] + fitting[-1]) / 2


@pytest.mark.parametrize("times", [np.ones(61, int), W])
def test_definitions(times: NDArray[Any]) -> None:
    options: dict[str, Any] = {} if times.max() == 1 else {"sample_weight": times}
    n = int(times.sum())
    errors = [(y - p, t) for y, p, t in zip(Y.tolist(), P.tolist(), times.tolist(), strict=True)]
    centre = sum(y * t for y, t in zip(Y.tolist(), times.tolist(), strict=True)) / n
    squares = sum(e * e * t for e, t in errors)
    around = sum((y - centre) ** 2 * t for y, t in zip(Y.tolist(), times.tolist(), strict=True))
    assert adjudge.mean(Y, **options) == pytest.approx(centre)
    assert adjudge.mean_absolute_error(Y, P, **options) == pytest.approx(
        sum(abs(e) * t for e, t in errors) / n
    )
    assert adjudge.root_mean_squared_error(Y, P, **options) == pytest.approx(math.sqrt(squares / n))
    assert adjudge.r2(Y, P, **options) == pytest.approx(1 - squares / around)
    loss = sum(max(0.8 * e, -0.2 * e) * t for e, t in errors) / n
    assert adjudge.quantile_loss(Y, P, at=0.8, **options) == pytest.approx(loss)
    for level in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(20, 61)):
        expected = quantile(Y.tolist(), times.tolist(), level)
        assert adjudge.quantile(Y, at=float(level), **options) == pytest.approx(expected)
    assert adjudge.median(Y, **options) == quantile(Y.tolist(), times.tolist(), Fraction(1, 2))
    sizes = [abs(e) for e, _ in errors]
    median = quantile(sizes, times.tolist(), Fraction(1, 2))
    assert adjudge.median_absolute_error(Y, P, **options) == median


def test_scikit_learn() -> None:
    weights = RNG.random(61)
    for name in (
        "mean_absolute_error",
        "root_mean_squared_error",
        "r2",
        "median_absolute_error",
        "quantile_loss",
    ):
        peer = {"r2": "r2_score", "quantile_loss": "mean_pinball_loss"}.get(name, name)
        ours, theirs = getattr(adjudge, name), getattr(metrics, peer)
        assert ours(Y, P) == pytest.approx(theirs(Y, P), rel=1e-14)
        assert ours(Y, P, sample_weight=weights) == pytest.approx(
            theirs(Y, P, sample_weight=weights), rel=1e-12
        )


def test_disjoint_rows_add_up() -> None:
    for weights in (None, W):
        y, p = NumberVector(Y, weights), NumberVector(P, weights)
        parts = [[own.take(rows) for own in (y, p)] for rows in (np.arange(20), np.arange(20, 61))]
        for kind in (Moments, SortedNumbers):
            added = kind.make(parts[0][0]) + kind.make(parts[1][0])
            whole = kind.make(y)
            for one, other in zip(vars(added).values(), vars(whole).values(), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-13)
        errors = ErrorSums.make(*parts[0]) + ErrorSums.make(*parts[1])
        assert adjudge.r2.of(errors) == pytest.approx(adjudge.r2(Y, P, sample_weight=weights))
        sizes = AbsoluteErrors.make(*parts[0]) + AbsoluteErrors.make(*parts[1])
        found = adjudge.median_absolute_error.of(sizes)
        assert found == adjudge.median_absolute_error(Y, P, sample_weight=weights)


def test_order_and_origin_change_nothing() -> None:
    rows = RNG.permutation(61)
    for record in adjudge.list_indices("regression"):
        assert record(Y[rows], P[rows]) == record(Y, P)
    for record in adjudge.list_indices("values"):
        if record.requires == (RightCounts,):  # of several runs of each unit
            right, units = (Y > 0) * 1, RNG.integers(0, 9, 61)
            assert record(right[rows], units[rows], k=1) == pytest.approx(right.mean(), abs=0.2)
            assert record(right[rows], units[rows], k=2) == record(right, units, k=2)
            continue
        assert record(Y[rows]) == record(Y)
        assert record(Y + 2**30) == record(Y + 2**30 - 0.0)
    assert adjudge.r2(Y + 1e9, P + 1e9) == pytest.approx(adjudge.r2(Y, P), rel=1e-5)


def test_undefined_and_refused() -> None:
    found = adjudge.evaluate([2, 2, 2], [1, 2, 3], kind="regression")
    assert math.isnan(found["r2"])
    assert found.reasons["r2"] == "0/0: all true numbers are equal"
    for bad, message in (
        (
            [1, None, 3],
            "values has no number at position 1 (1 in all): fill it in, or pass missing='drop' to leave",
        ),
        ([1, "x"], "values has 'x' at position 1, which is not a number"),
        ([1, math.inf], "values has inf at position 1: give a finite number"),
        ([[1, 2], [3, 4]], "values has shape (2, 2): give one number for each row"),
        ([], "values is empty: at least one number is needed"),
        ("12", "values is a str: give one number for each row"),
        ([1 + 2j], "values has dtype complex128: give one number for each row"),
    ):
        with pytest.raises(AdjudgeError) as caught:
            adjudge.mean(bad)
        assert str(caught.value).startswith(message), str(caught.value)
    assert adjudge.mean([1, None, 3], missing="drop") == 2
    for at in (0, 1, "a", True):
        with raises_line(InputError, f"at={at!r} is not between 0 and 1: 0.95 is the value that 5 % exceed"):
            adjudge.quantile(Y, at=at)
