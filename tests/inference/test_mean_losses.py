"""Intervals of mean losses of probabilities: the formula as it is printed, and that they hold for good models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

from adjudge import find_index
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts


def interval(name: str, forecasts: ProbabilityForecasts, confidence: float) -> Any:
    return intervals_of_forecasts([find_index(name, "classification")], forecasts, confidence)[name]


NAMES = ["log_loss", "brier_score", "d2_log_loss", "brier_skill_score"]


def log_loss(shares: list[float], k: int) -> float:
    return -math.log(shares[k])


def brier(shares: list[float], k: int) -> float:
    if len(shares) == 2:
        return (shares[1] - (k == 1)) ** 2
    return sum((share - (i == k)) ** 2 for i, share in enumerate(shares))


def naive(loss: Any, codes: list[int], rows: list[list[float]], confidence: float) -> tuple[float, float]:
    """Work the definition out, one instance and one class at a time."""
    n = len(codes)
    values = [loss(row, k) for row, k in zip(rows, codes, strict=True)]
    mean = sum(values) / n
    variance = sum((v - mean) ** 2 for v in values) / (n - 1)
    third = n / ((n - 1) * (n - 2)) * sum((v - mean) ** 3 for v in values)
    first, second, cubes = (
        sum(share * loss(row, k) ** power for row in rows for k, share in enumerate(row) if share > 0) / n
        for power in (1, 2, 3)
    )
    told, told_third = second - first**2, cubes - 3 * first * second + 2 * first**3
    part = 5 / (5 + n * told**3 / told_third**2)
    variance = (1 - part) * variance + part * max(variance, told)
    sign = 1 if told_third > 0 else -1
    third = (1 - part) * third + part * sign * max(sign * third, sign * told_third)
    q, z, s = (
        float(t.ppf((1 + confidence) / 2, n - 1)),
        float(norm.ppf((1 + confidence) / 2)),
        third / variance,
    )
    middle = mean + s / n * (q * q / 2 - (z * z - 1) / 6)
    half = math.sqrt((s * q * q / (2 * n)) ** 2 + q * q * variance / n)
    return middle - half, middle + half


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize(("name", "loss"), [("log_loss", log_loss), ("brier_score", brier)])
@pytest.mark.parametrize("confidence", [0.8, 0.95])
def test_definition(name: str, loss: Any, k: int, confidence: float, rng: np.random.Generator) -> None:
    rows = rng.dirichlet(np.full(k, 0.4), 23)
    rows[0] = np.eye(k)[0]
    codes = np.array([0, *(int(rng.choice(k, p=row)) for row in rows[1:])])
    forecasts = read_forecasts(codes, rows, classes=range(k))
    assert isinstance(forecasts, ProbabilityForecasts)
    found = interval(name, forecasts, confidence)
    low, high = naive(loss, codes.tolist(), rows.tolist(), confidence)
    most = math.inf if name == "log_loss" else k - 1.0
    assert tuple(found) == pytest.approx((max(low, 0.0), min(high, most)), rel=1e-9)


def drawn(rng: np.random.Generator, n: int, separation: float) -> ProbabilityForecasts:
    """Two classes alike in size, and the probabilities that scores so far apart deserve."""
    codes = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    logits = separation * (rng.normal(size=n) + separation * (codes - 0.5))
    found = read_forecasts(codes, 1 / (1 + np.exp(-logits)))
    assert isinstance(found, ProbabilityForecasts)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_blocks_make_no_difference(
    name: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    forecasts = drawn(rng, 50, 2.0)
    at_once = interval(name, forecasts, 0.9)
    monkeypatch.setattr("adjudge.inference.forecasts.mean_losses._BLOCK", 8)
    assert tuple(interval(name, forecasts, 0.9)) == pytest.approx(tuple(at_once), rel=1e-12)


def test_forecasts_that_cannot_vary_have_an_interval_without_width() -> None:
    found = interval("brier_score", read([0, 1, 0, 1], np.full(4, 0.5)), 0.95)
    assert tuple(found) == (0.25, 0.25)
    assert found.reason == "the value is the same for all instances"


@pytest.mark.parametrize("name", ["brier_score", "log_loss"])
def test_certain_forecasts_that_are_right_have_no_interval(name: str) -> None:
    """They say little of how often the next one is wrong, and what that costs."""
    found = interval(name, read([0, 1, 0, 1], [0.0, 1.0, 0.0, 1.0]), 0.95)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert (
        found.reason == "no interval: every instance has the same loss, which does not tell how losses vary"
    )


def read(codes: Any, p: Any) -> ProbabilityForecasts:
    found = read_forecasts(codes, np.array(p))
    assert isinstance(found, ProbabilityForecasts)
    return found


@pytest.mark.parametrize(("name", "loss"), [("d2_log_loss", log_loss), ("brier_skill_score", brier)])
@pytest.mark.parametrize("k", [2, 3])
def test_definition_of_skills(name: str, loss: Any, k: int, rng: np.random.Generator) -> None:
    """What an instance adds is linear in its loss, and depends on its class."""
    rows = rng.dirichlet(np.full(k, 2.0), 60)
    codes = [int(rng.choice(k, p=row)) for row in rows]
    shares = [codes.count(c) / 60 for c in range(k)]
    mean = sum(loss(row, c) for row, c in zip(rows, codes, strict=True)) / 60
    if name == "d2_log_loss":
        baseline = -sum(s * math.log(s) for s in shares)
        growth = [-math.log(s) - baseline for s in shares]
    else:
        times = 0.5 if k == 2 else 1.0
        alike = sum(s * s for s in shares)
        baseline = times * (1 - alike)
        growth = [-2 * times * (s - alike) for s in shares]

    def added(row: Any, c: int) -> float:
        return 1 + mean / baseline * growth[c] / baseline - loss(row, c) / baseline

    forecasts = read_forecasts(codes, rows, classes=range(k))
    assert isinstance(forecasts, ProbabilityForecasts)
    found = interval(name, forecasts, 0.7)
    assert found.high < 1
    assert tuple(found) == pytest.approx(naive(added, codes, rows.tolist(), 0.7))
    assert sum(added(row, c) for row, c in zip(rows, codes, strict=True)) / 60 == pytest.approx(
        1 - mean / baseline
    )


def test_intervals_end_where_the_values_do() -> None:
    """The Brier score of two classes is at most 1, and intervals ended at 1.18 and 1.75."""
    two = read([1, 0, 1, 0, 1, 0], [0.02, 0.99, 0.1, 0.9, 0.5, 0.97])
    found = interval("brier_score", two, 0.95)
    assert 0.5 < found.low < found.high == 1.0
    wrong = np.array([[0.9, 0.1, 0.0], [0.0, 0.95, 0.05], [0.2, 0.0, 0.8], [0.97, 0.0, 0.03]])
    assert interval("brier_score", read([2, 0, 1, 1], wrong), 0.95).high == 2.0
    good = read([0, 1] * 8, [0.02, 0.9] * 8)
    for name, end in (("log_loss", 0), ("brier_score", 0), ("d2_log_loss", 1), ("brier_skill_score", 1)):
        assert end in tuple(interval(name, good, 0.9999))
