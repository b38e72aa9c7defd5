"""The interval of the smooth calibration error, beside slow definitions of its parts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.inference.forecasts import calibration_interval
from adjudge.inference.forecasts.calibration_interval import interval_of_smooth_error
from adjudge.inference.sampling_design import Drawn
from adjudge.statistics.ranked_scores import ScoredOutcomes
from adjudge.statistics.reliability import heights_of, size_of, smooth_calibration

STEPS = calibration_interval._STEPS
NODES = np.arange(STEPS + 1) / STEPS


def kernel(width: float) -> Any:
    """Densities at the nodes of what lies at each node, with the images of the node beyond 0 and 1."""
    images = [sign * NODES[:, None] + 2 * j for sign in (1, -1) for j in range(-2, 3)]
    density = sum(np.exp(-(((NODES - image) / width) ** 2) / 2) for image in images)
    return density / width / math.sqrt(2 * math.pi)


def sample(seed: int, n: int, wrong: float = 0.0) -> ScoredOutcomes:
    rng = np.random.default_rng(seed)
    forecasts = rng.uniform(0.05, 0.95 - wrong, n)
    return ScoredOutcomes(forecasts, rng.random(n) < forecasts + wrong)


def interval(scores: ScoredOutcomes, drawn: Drawn | None = None, confidence: float = 0.95) -> Any:
    return interval_of_smooth_error(scores, smooth_calibration(scores.ranked), confidence, drawn)


def test_heights_are_those_of_a_gaussian_kernel_with_reflection() -> None:
    nodes = np.random.default_rng(0).normal(size=(3, STEPS + 1))
    for width in (0.03, 0.2):
        found = heights_of(nodes)(width)
        # The walk between nodes is as wide as the kernel, but a little less smooth.
        np.testing.assert_allclose(found, nodes @ kernel(width), atol=0.01 * np.abs(found).max())
        np.testing.assert_allclose(size_of(found), np.trapezoid(np.abs(found), dx=1 / STEPS, axis=-1))


def test_noise_has_the_variance_of_its_two_models() -> None:
    scores = sample(1, 400, 0.1)
    weights, off = 1 / 400, scores.values - scores.hits
    units = np.arange(400) // 8
    places = np.rint(scores.values * STEPS).astype(int)
    tested = kernel(0.1)[places]
    of_forecasts = weights**2 * (scores.values * (1 - scores.values)) @ tested**2
    of_rows = weights**2 * off**2 @ tested**2
    of_units = weights**2 * sum((off[units == u] @ tested[units == u]) ** 2 for u in range(50))
    for drawn, other in ((None, of_rows), (Drawn(units, 50), of_units)):
        own = calibration_interval._Noisy(scores, 0.999, drawn).drawn
        found = ((own @ kernel(0.1)) ** 2).mean(axis=1)
        assert own.shape[1] == 4000
        np.testing.assert_allclose(found[0], of_forecasts, rtol=0.12)
        np.testing.assert_allclose(found[1], other, rtol=0.12)


@pytest.mark.parametrize(("n", "wrong"), [(60, 0.0), (400, 0.15), (3000, 0.25)])
def test_ends_are_where_the_deviation_meets_its_noise(n: int, wrong: float) -> None:
    scores = sample(2, n, wrong)
    value, found = smooth_calibration(scores.ranked), interval(scores)
    noisy = calibration_interval._Noisy(scores, 0.95, None)
    places = np.rint(scores.values * STEPS).astype(int)
    deviations = np.bincount(places, scores.values - scores.hits, STEPS + 1) / n

    def size(width: float) -> float:
        return float(np.trapezoid(np.abs(deviations @ kernel(width)), dx=1 / STEPS))

    def noise(width: float) -> float:
        sizes = np.trapezoid(np.abs(noisy.drawn @ kernel(width)), dx=1 / STEPS, axis=-1)
        return float(np.sort(sizes, axis=1)[:, 194].max())

    assert found.low <= value <= found.high
    if wrong == 0:
        assert found.low == 0
    else:
        assert size(found.low) - noise(found.low) == pytest.approx(found.low, abs=2e-3)
    signs = np.sign(deviations @ kernel(value)) @ kernel(value) / STEPS
    one_sided = 1.96 * max(np.sqrt(((own @ signs) ** 2).mean()) for own in noisy.drawn)
    assert size(found.high) + one_sided == pytest.approx(found.high, abs=3e-3)


def test_an_error_below_the_bandwidth_of_noise_is_what_noise_leaves() -> None:
    """Where the error is less than what chance alone would give, the low end is the excess at that bandwidth."""
    lows = [interval(sample(seed, 2000, 0.045)).low for seed in range(30)]
    assert any(0 < low < 0.02 for low in lows)
    assert max(lows) < 0.06


def test_calibrated_forecasts_may_have_no_error() -> None:
    held = [interval(sample(seed, 80 + seed)).low == 0 for seed in range(40)]
    assert sum(held) >= 37


def test_rows_of_units_count_as_their_units() -> None:
    scores = sample(3, 60, 0.2)
    several = ScoredOutcomes(np.repeat(scores.values, 6), np.repeat(scores.hits, 6))
    rows, units = interval(several), interval(several, Drawn(np.repeat(np.arange(60), 6), 60))
    alone = interval(scores)
    assert units.high - units.low == pytest.approx(alone.high - alone.low, rel=0.15)
    assert rows.high - rows.low < 0.7 * (units.high - units.low)
    few = interval(several, Drawn(np.arange(360) % 6, 6))
    assert math.isnan(few.low)
    assert "6 units" in few.reason


@pytest.mark.parametrize("with_units", [False, True])
def test_the_order_of_rows_and_units_does_not_matter(with_units: bool) -> None:
    scores = sample(4, 300, 0.1)
    order, renamed = np.random.default_rng(0).permutation(300), np.random.default_rng(1).permutation(75)
    units = np.arange(300) // 4
    drawn = [None, None] if not with_units else [Drawn(units, 75), Drawn(renamed[units][order], 75)]
    moved = ScoredOutcomes(scores.values[order], scores.hits[order])
    assert list(interval(moved, drawn[1])) == pytest.approx(list(interval(scores, drawn[0])), abs=1e-7)


def test_what_does_not_tell_an_error_has_none() -> None:
    exact = ScoredOutcomes(np.array([0.0, 1.0, 1.0]), np.array([False, True, True]))
    assert math.isnan(interval(exact).low)
    assert "same loss" in interval(exact).reason
    wide = interval(sample(5, 50, 0.1), confidence=0.99), interval(sample(5, 50, 0.1), confidence=0.8)
    assert wide[0].low <= wide[1].low <= wide[1].high < wide[0].high


def test_an_evaluation_has_the_interval() -> None:
    scores = sample(6, 200)
    given = {
        "probabilities": scores.values,
        "confidence": 0.9,
        "indices": ["smooth_calibration_error", "ece"],
    }
    found = adjudge.evaluate(scores.hits.astype(int), kind="classification", **given).scores
    own = interval(scores, confidence=0.9)
    assert found["smooth_calibration_error"].interval == (own.low, own.high)
    assert found["expected_calibration_error"].interval is None
    weighed = adjudge.evaluate(
        scores.hits.astype(int),
        kind="classification",
        sample_weight=np.linspace(0.5, 2, 200),
        weights="importance",
        **given,
    ).scores["smooth_calibration_error"]
    assert weighed.interval is not None
    assert weighed.interval != (own.low, own.high)
    again = {"a": scores.values, "b": scores.values**2}
    compared = adjudge.compare(
        scores.hits.astype(int), probabilities=again, kind="classification", confidence=0.9, indices=["smece"]
    )
    difference = compared.pairs["a", "b"].differences["smooth_calibration_error"]
    assert difference.interval is None
    assert "calibration" in difference.reason
