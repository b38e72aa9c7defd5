"""Differences of mean losses of probabilities, by the definition and by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge.inference.common.mover import limits_of_difference
from adjudge.inference.differences.loss_differences import difference_of_losses
from adjudge.inference.forecasts.mean_losses import MeanLoss
from adjudge.inference.forecasts.paired_losses import compare_losses
from adjudge.statistics.forecasts import ProbabilityForecasts

Floats = np.ndarray[Any, Any]


def forecasts(codes: Floats, shares: Floats) -> ProbabilityForecasts:
    return ProbabilityForecasts([0, 1], codes, shares, None, 1)


def expected_events(p: Floats) -> float:
    """How many events a Poisson variable as skewed as the mean Brier score would count."""
    law, values = np.stack([1 - p, p]), np.stack([p, 1 - p]) ** 2
    mean = float((law * values).sum(axis=0).mean())
    second, third = (float((law * (values - mean) ** k).sum(axis=0).mean()) for k in (2, 3))
    return p.size * second**3 / third**2


def test_between_the_paired_t_and_the_limits_of_both() -> None:
    rng = np.random.default_rng(1)
    both = rng.beta(0.3, 2, 80), rng.beta(0.4, 2, 80)
    codes = (rng.random(80) < both[0]).astype(np.int64)
    models = [forecasts(codes, p) for p in both]
    losses = [MeanLoss("brier_score", model).values for model in models]
    limits = [MeanLoss("brier_score", model).interval(0.9) for model in models]
    far = limits_of_difference(
        losses[0].mean(),
        (max(0.0, limits[0].low), limits[0].high),
        losses[1].mean(),
        (max(0.0, limits[1].low), limits[1].high),
        np.corrcoef(losses[0], losses[1])[0, 1],
    )
    near = compare_losses(*losses, confidence=0.9)
    part = max(5 / (5 + expected_events(p)) for p in both)
    found = difference_of_losses("brier_score", models[0], models[1], 0.9)
    wanted = [(1 - part) * a + part * b for a, b in zip(near.interval, far, strict=True)]
    assert list(found.interval) == pytest.approx(wanted)
    assert found.test == near.test


@pytest.mark.parametrize("name", ["log_loss", "d2_log_loss", "brier_skill_score"])
@pytest.mark.parametrize("turned", [False, True])
def test_of_other_losses_too(name: str, turned: bool) -> None:
    rng = np.random.default_rng(6)
    both = rng.beta(0.5, 2, 60), rng.beta(0.6, 2, 60)
    codes = (rng.random(60) < both[0]).astype(np.int64)
    models = [MeanLoss(name, forecasts(codes, p)) for p in (both[::-1] if turned else both)]
    one, other = models[0].values, models[1].values
    limits = [tuple(model.interval(0.8)) for model in models]
    far = limits_of_difference(one.mean(), limits[0], other.mean(), limits[1], np.corrcoef(one, other)[0, 1])
    near = compare_losses(one, other, confidence=0.8)
    part = max(model.part_unseen for model in models)
    assert 0.02 < part < 0.98
    found = difference_of_losses(name, models[0].forecasts, models[1].forecasts, 0.8)
    assert list(found.interval) == pytest.approx(
        [(1 - part) * a + part * b for a, b in zip(near.interval, far, strict=True)]
    )
    assert (found.interval.confidence, found.interval.method, found.test) == (0.8, "t", near.test)


def test_without_a_spread_of_one_model_both_distances_add_up_in_squares() -> None:
    """Equal losses differed by rounding, and that seemed to vary with the other model's losses."""
    codes = np.arange(40) % 2
    other = forecasts(codes, np.where(np.arange(40) % 8 == 0, 1 - codes, codes) * 0.8 + 0.1)
    plain = forecasts(codes, 0.2 + 0.6 * codes)  # each loss is 0.04, and one may be 0.64
    values, own = MeanLoss("brier_score", other).values, MeanLoss("brier_score", other).interval(0.9)
    same = MeanLoss("brier_score", plain).interval(0.9)
    assert same.high > 0.05
    part = max(MeanLoss("brier_score", model).part_unseen for model in (other, plain))
    near = compare_losses(values, np.full(40, 0.04), confidence=0.9)
    far = limits_of_difference(values.mean(), tuple(own), 0.04, tuple(same), 0.0)
    for pair, sign in (((other, plain), 1), ((plain, other), -1)):
        found = difference_of_losses("brier_score", *pair, 0.9).interval
        wanted = [sign * ((1 - part) * a + part * b) for a, b in zip(near.interval, far, strict=True)]
        assert list(found) == pytest.approx(wanted[::sign])


def test_differences_end_where_those_of_values_do() -> None:
    """Two Brier scores from 0 to 1 differ by 1 at most."""
    codes = np.array([1, 0, 1])
    good, bad = forecasts(codes, np.array([0.95, 0.01, 0.9])), forecasts(codes, np.array([0.05, 0.99, 0.2]))
    assert difference_of_losses("brier_score", bad, good, 0.95).interval.high == 1.0
    assert difference_of_losses("brier_score", good, bad, 0.95).interval.low == -1.0
    assert difference_of_losses("log_loss", bad, good, 0.95).interval.high > 1.0


def test_losses_without_a_difference_keep_the_reason_and_the_test() -> None:
    codes = np.array([0, 1, 1, 0])
    never, other = forecasts(codes, np.array([0.1, 0.0, 0.8, 0.3])), forecasts(codes, np.full(4, 0.4))
    found = difference_of_losses("log_loss", never, other, 0.7)
    assert math.isnan(found.interval.low)
    assert (found.interval.confidence, found.interval.reason) == (0.7, "the loss of an instance is infinite")
    assert found.test is not None
    assert found.test.reason == found.interval.reason


def test_a_constant_forecast_has_no_spread() -> None:
    """What rounding leaves of the variance of equal losses made limits of 10^15."""
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, 40)
    for constant in (0.5, 1 / 3):
        own = MeanLoss("log_loss", forecasts(codes, np.full(40, constant))).interval(0.95)
        assert 0 < own.low <= own.high < 3
        other = forecasts(codes, np.where(rng.random(40) < 0.2, 1 - codes, codes) * 0.6 + 0.2)
        found = difference_of_losses("log_loss", other, forecasts(codes, np.full(40, constant)), 0.95)
        assert -1 < found.interval.low < found.interval.high < 1


#: Share of the positives, how far the scores of both models lie apart, and instances.
LAWS = {"two of fifty": (0.03, 2.0, 1.0, 50), "nearly perfect": (0.5, 4.0, 3.5, 30)}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["log_loss", "brier_score"])
def test_intervals_hold(law: str, name: str) -> None:
    """By the paired t 0.77 to 0.91 do."""
    share, one, other, n = LAWS[law]
    rng = np.random.default_rng(5)

    def drawn(size: int) -> list[ProbabilityForecasts]:
        codes = (rng.random(size) < share).astype(np.int64)
        codes[:2] = 0, 1
        shared = 0.6 * rng.normal(size=size)
        made = []
        for far in (one, other):
            scores = shared + 0.8 * rng.normal(size=size) + far * (codes - 0.5)
            made.append(forecasts(codes, 1 / (1 + np.exp(-far * scores - math.log(share / (1 - share))))))
        return made

    truth = float(np.subtract(*(MeanLoss(name, own).values.mean() for own in drawn(1_000_000))))
    held = []
    for _ in range(200):
        found = difference_of_losses(name, *drawn(n), 0.95).interval
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.92
