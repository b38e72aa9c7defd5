"""Intervals of mean losses of probabilities: the formula as it is printed, and that they hold for good models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm, t

from adjudge import find_index
from adjudge.inference.mean_losses import MeanLoss
from adjudge.inference.paired_differences import differences_of_forecasts
from adjudge.statistics.forecasts import ProbabilityForecasts, read_forecasts

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
    found = MeanLoss(name, forecasts).interval(confidence)
    assert tuple(found) == pytest.approx(naive(loss, codes.tolist(), rows.tolist(), confidence), rel=1e-9)


def drawn(rng: np.random.Generator, n: int, separation: float) -> ProbabilityForecasts:
    """Two classes alike in size, and the probabilities that scores so far apart deserve."""
    codes = np.r_[0, 1, rng.integers(0, 2, n - 2)]
    logits = separation * (rng.normal(size=n) + separation * (codes - 0.5))
    found = read_forecasts(codes, 1 / (1 + np.exp(-logits)))
    assert isinstance(found, ProbabilityForecasts)
    return found


@pytest.mark.parametrize(("n", "separation"), [(30, 4.0), (100, 4.0), (200, 1.5)])
@pytest.mark.parametrize("name", NAMES)
def test_intervals_of_good_models_hold(name: str, n: int, separation: float) -> None:
    """Student's held in 0.62 to 0.84 of the samples of a nearly perfect model."""
    rng = np.random.default_rng(n)
    of_many = MeanLoss(name, drawn(rng, 400_000, separation)).interval(0.5)
    truth = sum(of_many) / 2
    found = [MeanLoss(name, drawn(rng, n, separation)).interval(0.95) for _ in range(150)]
    held = [own.low <= truth <= own.high for own in found]
    assert np.mean(held) > 0.91
    if separation == 1.5:
        # With many large losses the interval is hardly longer than Student's.
        assert np.mean(held) < 0.995


@pytest.mark.parametrize("name", NAMES)
def test_blocks_make_no_difference(
    name: str, monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator
) -> None:
    forecasts = drawn(rng, 50, 2.0)
    at_once = MeanLoss(name, forecasts).interval(0.9)
    monkeypatch.setattr("adjudge.inference.mean_losses._BLOCK", 8)
    assert tuple(MeanLoss(name, forecasts).interval(0.9)) == pytest.approx(tuple(at_once), rel=1e-12)


@pytest.mark.parametrize("name", NAMES[2:])
def test_skills_of_few_instances_outside_of_the_largest_class_are_refused(name: str) -> None:
    p = np.linspace(0.05, 0.6, 40)
    for others, refused in ((1, True), (4, True), (5, False)):
        forecasts = read_forecasts(np.arange(40) >= 40 - others, p)
        assert isinstance(forecasts, ProbabilityForecasts)
        found = MeanLoss(name, forecasts).interval(0.95)
        assert math.isnan(found.low) is refused
        assert ("not of the largest class" in str(found.reason)) is refused
        other = read_forecasts(np.arange(40) >= 40 - others, p[::-1])
        records: Any = [find_index(name, "classification")]
        difference = differences_of_forecasts(records, forecasts, other, 0.95)[name]
        assert math.isnan(difference.interval.low) is refused
        assert (difference.test is None) is refused


def test_forecasts_that_cannot_vary_have_an_interval_without_width() -> None:
    forecasts = read_forecasts([0, 1, 0, 1], np.full(4, 0.5))
    assert isinstance(forecasts, ProbabilityForecasts)
    found = MeanLoss("brier_score", forecasts).interval(0.95)
    assert tuple(found) == (0.25, 0.25)
    assert found.reason == "the value is the same for all instances"
