"""Intervals of scores of numbers beside leaving out rows, and beside order statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom

import interval_twin as twin
from adjudge import compare, evaluate, find_index
from adjudge.given.number_vectors import NumberVector
from adjudge.indices import Index
from adjudge.inference.numbers.number_influence import (
    ScoredNumbers,
    differences_of_numbers,
    intervals_of_numbers,
)

RNG = np.random.default_rng(8)
Y = RNG.normal(size=50)
P = Y + RNG.gamma(1.5, size=50) - 1
Q = Y + RNG.normal(size=50)
SUMS = ["mean_absolute_error", "root_mean_squared_error", "r2", "quantile_loss"]


def value(record: Index, truth: Any, predicted: Any) -> float:
    return record(predicted) if truth is None else record(truth, predicted)


def slopes(record: Index, truth: Any, *models: Any) -> np.ndarray:
    """What one more row adds to a score, or to a difference, by copies of all rows and one more."""

    def at(times: int, i: int | None) -> float:
        rows = np.r_[np.tile(np.arange(50), times), [] if i is None else [i]].astype(int)
        each = [value(record, None if truth is None else truth[rows], own[rows]) for own in models]
        return each[0] - (each[1] if len(each) > 1 else 0.0)

    start, found = at(1, None), []
    for i in range(50):
        few = [(at(times, i) - start) * (times * 50 + 1) for times in (40, 80)]
        found.append(2 * few[1] - few[0])
    return np.array(found)


@pytest.mark.parametrize("name", ["mean", *SUMS])
def test_sums(name: str) -> None:
    record = find_index(name)
    truth = None if name == "mean" else Y
    wrapped = None if truth is None else NumberVector(Y)
    first, second = (ScoredNumbers(wrapped, NumberVector(own), None) for own in (P, Q))
    found = intervals_of_numbers([record], first, 0.9)[name]
    low, high = twin.ends(value(record, truth, P), slopes(record, truth, P), confidence=0.9)
    assert tuple(found) == pytest.approx((max(low, record.range[0]), min(high, record.range[1])), abs=1e-4)
    difference = differences_of_numbers([record], first, second, 0.9)[name]
    apart = value(record, truth, P) - value(record, truth, Q)
    psi = slopes(record, truth, P, Q)
    # A row that was not seen moves it as far as any that was.
    far = float(np.abs(psi).max()) / 50
    expected = twin.ends(apart, psi, rise=far, fall=far, confidence=0.9)
    assert tuple(difference.interval) == pytest.approx(expected, abs=2e-4)


@pytest.mark.parametrize("level", [0.5, 0.8])
def test_quantiles_lie_between_order_statistics(level: float) -> None:
    record = find_index("quantile").variant("own", title="own", fixed={"at": level})
    found = intervals_of_numbers([record], ScoredNumbers(None, NumberVector(P), None), 0.95)["own"]
    ordered, n = np.sort(P), P.size
    places = [ordered.tolist().index(end) for end in found]
    # So many numbers are below the quantile with a probability of at least 95 %.
    assert binom.cdf(places[1], n, level) - binom.cdf(places[0], n, level) >= 0.95 - 0.02
    ends = beta.ppf([0.025, 0.975], [level * n, level * n + 1], [(1 - level) * n + 1, (1 - level) * n])
    assert found.low == ordered[math.ceil(ends[0] * n) - 1]
    assert found.high == ordered[math.ceil(ends[1] * n) - 1]


def test_repeated_rows_are_counts() -> None:
    times = RNG.integers(1, 4, 50)
    rows = np.repeat(np.arange(50), times)
    for options in ({"counts": times}, {"sample_weight": times, "weights": "frequency"}):
        asked: dict[str, Any] = {"kind": "regression", "confidence": 0.95}
        counted = evaluate(Y, P, **options, **asked)
        repeated = evaluate(Y[rows], P[rows], **asked)
        for name, score in repeated.scores.items():
            assert counted.scores[name].interval == pytest.approx(score.interval, rel=1e-6), name


def test_units_and_weights_reach_the_interval() -> None:
    """Two copies of each row in one unit say as much as the rows alone, and less than as many rows."""
    twice = np.repeat(np.arange(50), 2)
    alone = evaluate(values=P, confidence=0.95)
    doubled = evaluate(values=P[twice], units=twice, confidence=0.95)
    naive = evaluate(values=P[twice], confidence=0.95)
    for name in ("mean", "median"):
        width = [high - low for low, high in (own.scores[name].interval for own in (alone, doubled, naive))]
        assert width[1] == pytest.approx(width[0], rel=0.12)
        assert width[2] < 0.85 * width[1]
    same = evaluate(values=P, sample_weight=np.full(50, 3.0), weights="importance", confidence=0.95)
    assert same.scores["mean"].interval == pytest.approx(alone.scores["mean"].interval, rel=0.02)


def test_what_has_no_interval() -> None:
    few = evaluate(values=P[:20], indices="quantile", confidence=0.95)
    assert str(few.interval_reasons["quantile"]).startswith(
        "no interval: 20 rows may well have no number beyond"
    )
    equal = compare(
        values={"a": np.repeat([0, 5], 30), "b": np.r_[np.zeros(40), np.ones(20)]},
        better="lower",
        indices="median",
        confidence=0.95,
    )["a", "b"]
    assert equal.differences["median"].low is None
    assert "equal around the quantile" in str(equal.differences["median"].reason)


def test_signs_are_tested() -> None:
    both = compare(Y, {"p": P, "q": Q}, kind="regression", confidence=0.95)["p", "q"]
    wins = int((np.abs(P - Y) < np.abs(Q - Y)).sum())
    fewer = min(wins, 50 - wins)
    at_most, just = 2 * binom.cdf(fewer, 50, 0.5), binom.pmf(fewer, 50, 0.5)
    assert (both.right_wrong, both.wrong_right) == (wins, 50 - wins)
    assert both.test["p_value"] == pytest.approx(at_most - just if fewer != 25 else 1 - just / 2)
