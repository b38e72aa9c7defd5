"""What instances do to partial areas, and to the best that a threshold reaches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge.indices.catalog import find_index
from adjudge.inference.differences.paired_differences import differences_of_forecasts
from adjudge.inference.forecasts import forecast_intervals
from adjudge.inference.forecasts.area_influence import spread
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.inference.forecasts.threshold_influence import THRESHOLD_SCORES, PositiveClass, why_no_threshold
from adjudge.statistics.forecasts import Forecasts, read_forecasts


def record(name: str) -> Any:
    return find_index(name, "classification")


def drawn(
    n: int, decimals: int | None, *, seed: int = 2, above: float = 1.3, share: float = 0.35
) -> Forecasts:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    values = rng.normal(size=n) + above * truth
    return read_forecasts(truth, scores=values if decimals is None else np.round(values, decimals))


@pytest.mark.parametrize("decimals", [None, 0, 1])
@pytest.mark.parametrize("name", sorted(THRESHOLD_SCORES))
@pytest.mark.parametrize("turned", [False, True])
def test_influence_is_the_slope_in_the_weight_of_an_instance(
    name: str, decimals: int | None, turned: bool
) -> None:
    own = drawn(200, decimals)
    truth = 1 - own.codes if turned and name != "youden_index" else own.codes
    values, small = own.column(1), 1e-6
    weights = np.ones(200)
    given = read_forecasts(truth, scores=values)

    def value(weight: Any) -> float:
        return record(name).judge(read_forecasts(truth, scores=values, sample_weight=weight))[0]

    slopes = []
    for i in range(200):
        change = small * (np.arange(200) == i)
        slopes.append(200 * (value(weights + change) - value(weights - change)) / (2 * small))
    found = THRESHOLD_SCORES[name].moved(record(name), PositiveClass(given))
    assert found.influence == pytest.approx(np.array(slopes), abs=1e-4)
    assert found.influence.mean() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", ["ks_statistic", "maximum_f1", "youden_index"])
def test_what_the_best_is_too_large_by_is_known_on_average(name: str) -> None:
    truth = record(name).judge(drawn(1_000_000, None, seed=9))[0]
    samples = [drawn(300, None, seed=100 + i) for i in range(300)]
    values = np.array([record(name).judge(own)[0] for own in samples])
    excess = np.mean(
        [THRESHOLD_SCORES[name].moved(record(name), PositiveClass(own)).excess for own in samples]
    )
    assert excess == pytest.approx(values.mean() - truth, rel=0.3)


@pytest.mark.parametrize("name", sorted(THRESHOLD_SCORES))
def test_very_many_instances_have_an_interval(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    own = drawn(1500, None)
    moved = THRESHOLD_SCORES[name].moved(record(name), PositiveClass(own))
    value, error = record(name).judge(own)[0], spread(moved.influence, own.codes).error
    found = intervals_of_forecasts([record(name)], own, 0.95)[name]
    assert (found.method, found.reason) == ("logit-t", None)
    # The curve may have a bend at the threshold: the upper end takes the smaller excess.
    assert moved.spare == pytest.approx(moved.excess * (1 - 1.53 / 3))
    for end, excess, z in ((found.low, moved.excess, -1.96), (found.high, moved.excess - moved.spare, 1.96)):
        middle = value - excess
        odds = math.log(middle / (1 - middle)) + z * error / (middle * (1 - middle))
        assert end == pytest.approx(1 / (1 + math.exp(-odds)), abs=0.05 * error)


def test_models_that_thresholds_cut_have_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    truth = drawn(1500, None).codes
    rng = np.random.default_rng(4)
    both = [read_forecasts(truth, scores=rng.normal(size=1500) + above * truth) for above in (2.0, 1.0)]
    found = differences_of_forecasts([record(name) for name in THRESHOLD_SCORES], *both, 0.95)
    for name, own in found.items():
        one, other = (THRESHOLD_SCORES[name].moved(record(name), PositiveClass(given)) for given in both)
        error = spread(one.influence - other.influence, truth).error
        width = 2 * 1.96 * error + abs(one.excess - other.excess)
        assert own.interval.method == "influence-t"
        assert own.interval.high - own.interval.low == pytest.approx(width, rel=0.01), name
        assert own.test is not None
        assert own.test.p_value < 0.05


def test_scores_that_tell_nothing_have_no_best_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    nothing, something = drawn(1000, None, above=0.0), drawn(1000, None, above=1.0)
    records = [record(name) for name in THRESHOLD_SCORES]
    found = intervals_of_forecasts(records, nothing, 0.95)
    reason = (
        "the scores hardly tell the positive class from the others, so that any threshold may be the best"
    )
    for name, own in found.items():
        expected = None if name in ("partial_auc", "mcclish_auc") else reason
        assert own.reason == expected
        assert why_no_threshold(record(name), PositiveClass(nothing)) == expected
        assert why_no_threshold(record(name), PositiveClass(something)) is None
    mixed = read_forecasts(nothing.codes, scores=nothing.column(1) + nothing.codes)
    for pair in ((nothing, mixed), (mixed, nothing)):
        differences = differences_of_forecasts(records, *pair, 0.95)
        assert differences["maximum_f1"].interval.reason == reason
        assert differences["partial_auc"].interval.reason is None
