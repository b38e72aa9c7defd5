"""What instances do to scores of probabilities: slopes, units, weights, the order of rows, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
import interval_twin as twin
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts.forecast_influence import ScoredForecasts, assessed
from adjudge.inference.forecasts.forecast_intervals import area_interval, intervals_of_forecasts
from adjudge.inference.refusals import WEIGHTED
from adjudge.inference.sampling_design import Drawn, variance_of
from adjudge.statistics.forecasts import ProbabilityForecasts

RANKS = ("roc_auc", "average_precision")
LOSSES = ("log_loss", "brier_score", "d2_log_loss", "brier_skill_score")
RECALIBRATION = ("calibration_intercept", "calibration_slope", "observed_expected_ratio")
OF_TWO = (*RANKS, *LOSSES, "gini", "partial_auc", "mcclish_auc", "ks_statistic", "youden_index", "maximum_f1")
OF_TWO += RECALIBRATION
OF_MORE = (*RANKS, *LOSSES, "top_k_accuracy", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted")
OF_MORE += ("macro_average_precision", "weighted_average_precision")
N = 80


def records(names: tuple[str, ...]) -> list[Any]:
    return [adjudge.find_index(name, "classification") for name in names]


def forecasts(k: int, seed: int = 1, above: float = 1.2) -> ProbabilityForecasts:
    """Draw probabilities, some of which tie."""
    rng = np.random.default_rng(seed)
    codes = np.random.default_rng(9).choice(k, N)
    odds = np.exp((rng.normal(size=(N, k)) + above * np.eye(k)[codes]).round(1))
    p = odds / odds.sum(axis=1, keepdims=True)
    return ProbabilityForecasts(list(range(k)), codes, p if k > 2 else p[:, 1], None, 1 if k == 2 else None)


def weights() -> np.ndarray:
    return np.random.default_rng(4).integers(1, 4, N).astype(np.float64)


@pytest.mark.full(keep=1)
@pytest.mark.parametrize(("k", "names"), [(2, OF_TWO), (3, OF_MORE)])
@pytest.mark.parametrize("weighted", [False, True])
def test_closed_forms_are_slopes(k: int, names: tuple[str, ...], weighted: bool) -> None:
    given = replace(forecasts(k), weights=weights() if weighted else None)
    drawn = Drawn(np.arange(N), N, None, given.weights) if weighted else None
    own = np.ones(N) if given.weights is None else given.weights
    scored = ScoredForecasts(drawn).scored(records(names), given)

    def values(i: int, step: float) -> np.ndarray:
        moved = own.copy()
        moved[i] += step
        return np.array(assessed(records(names), replace(given, weights=moved)))

    step = 1e-5
    slopes = np.array([(values(i, step) - values(i, -step)) / (2 * step) * own.sum() for i in range(N)])
    for name, slope in zip(names, slopes.T, strict=True):
        influence = scored[name].influence
        assert influence is not None
        assert influence.psi == pytest.approx(slope, abs=1e-5 * float(np.abs(slope).max())), name


@pytest.mark.parametrize(("k", "names"), [(2, OF_TWO), (3, OF_MORE)])
def test_the_order_of_rows_changes_nothing(k: int, names: tuple[str, ...]) -> None:
    given, order = forecasts(k), np.random.default_rng(3).permutation(N)
    plain = intervals_of_forecasts(records(names), given, 0.9)
    turned = intervals_of_forecasts(records(names), given.take(order), 0.9)
    for name, interval in plain.items():
        width = interval.high - interval.low
        assert tuple(turned[name]) == pytest.approx(tuple(interval), abs=1e-9 * width, nan_ok=True), name


@pytest.mark.parametrize("names", [OF_TWO])
def test_units_by_hand(names: tuple[str, ...]) -> None:
    given, other, unit = forecasts(2), forecasts(2, 2, 0.9), np.arange(N) // 4
    scored = ScoredForecasts(Drawn(unit, 20))
    one, two = (scored.scored(records(names), own) for own in (given, other))
    found = differences_of_forecasts(records(names), given, other, 0.95, Drawn(unit, 20))
    for name in names:
        change = one[name].less(two[name])
        assert change.value == one[name].value - two[name].value
        # A unit that was not seen may move it as far as any did.
        far = np.abs(np.bincount(unit, change.psi)).max() / N
        rise, fall = (max(far, np.nan_to_num(end)) for end in (change.rise, change.fall))
        expected = twin.ends_of_units(change.value, change.psi, unit, rise, fall)
        low, high = found[name].interval
        assert (low, high) == pytest.approx(expected, rel=1e-6), name
        test = found[name].test
        assert test is not None
        assert (test.p_value < 0.05) == (not low <= 0 <= high)


def test_twice_the_rows_of_a_unit_tell_no_more() -> None:
    given = forecasts(2)
    twice = given.take(np.repeat(np.arange(N), 2))
    drawn = Drawn(np.repeat(np.arange(N), 2), N)
    names = ("log_loss", "partial_auc", "brier_skill_score")
    for name, own in intervals_of_forecasts(records(names), twice, 0.9, drawn).items():
        single = ScoredForecasts().scored(records(names), given)[name].influence
        double = ScoredForecasts(drawn).scored(records(names), twice)[name].influence
        assert single is not None
        assert double is not None
        assert variance_of(double, drawn) == pytest.approx(variance_of(single))
        assert own.low < own.high
    alone = area_interval(given, 0, 0.9)
    low, high = area_interval(twice, 0, 0.9, drawn)
    assert high - low == pytest.approx(alone.high - alone.low, rel=0.1)


def test_weights_need_to_say_how_rows_were_drawn() -> None:
    given = replace(forecasts(2), weights=weights())
    drawn = Drawn(np.arange(N), N, None, weights())
    assert {own.reason for own in intervals_of_forecasts(records(OF_TWO), given, 0.9).values()} == {WEIGHTED}
    assert area_interval(given, 1, 0.9).reason == WEIGHTED
    found = intervals_of_forecasts(records(OF_TWO), given, 0.9, drawn)
    assert all(found[name].low < found[name].high for name in (*RANKS, *LOSSES, "maximum_f1"))
    for scale in (1e-3, 1e3):  # however large the weights are
        scaled = intervals_of_forecasts(
            records(OF_TWO),
            replace(given, weights=scale * weights()),
            0.9,
            Drawn(np.arange(N), N, None, scale * weights()),
        )
        for name in {*RANKS, *LOSSES}:
            assert tuple(scaled[name]) == pytest.approx(tuple(found[name])), name
    assert area_interval(given, 1, 0.9, drawn).low == pytest.approx(found["roc_auc"].low)


def test_average_precision_is_too_large_by_what_its_own_instances_add() -> None:
    codes, p = np.r_[np.ones(7, np.int64), np.zeros(13, np.int64)], np.linspace(0.9, 0.1, 20)
    p[1:7] = p[[7, 8, 10, 11, 12, 14]] + 0.001
    given = ProbabilityForecasts([0, 1], codes, p, None, 1)
    (own,) = ScoredForecasts().scored(records(("average_precision",)), given).values()
    order = np.argsort(-p)
    right = np.cumsum(codes[order])
    excess = []
    for place, member in enumerate(codes[order], start=1):
        if member:
            others = (right[place - 1] - 1) / (place - 1) if place > 1 else own.value
            excess.append((1 - others) / place)
    assert own.influence is not None
    assert own.value - own.influence.value == pytest.approx(np.mean(excess))


def test_the_best_threshold_is_too_large_by_what_halves_add() -> None:
    given = forecasts(2)
    (own,) = ScoredForecasts().scored(records(("ks_statistic",)), given).values()
    assert own.influence is not None
    assert 0 < own.value - own.influence.value < 0.2


@pytest.mark.parametrize(
    ("change", "name", "reason"),
    [
        ({}, "expected_calibration_error", "too large in a sample"),
        ({"values": np.random.default_rng(5).random(N)}, "ks_statistic", "any threshold may be the best"),
        (
            {"codes": np.r_[np.ones(4, np.int64), np.zeros(N - 4, np.int64)]},
            "partial_auc",
            "a class has 4 of 80",
        ),
        (
            {"values": np.r_[0.0, np.full(N - 1, 0.5)], "codes": np.ones(N, np.int64)},
            "log_loss",
            "is infinite",
        ),
        ({"codes": np.ones(N, np.int64)}, "roc_auc", "is undefined"),
    ],
)
def test_refusals(change: dict[str, Any], name: str, reason: str) -> None:
    given = replace(forecasts(2), **change)
    interval = intervals_of_forecasts(records((name,)), given, 0.9)[name]
    assert math.isnan(interval.low)
    assert reason in str(interval.reason)
    difference = differences_of_forecasts(records((name,)), given, given, 0.9)[name]
    assert difference.test is None or math.isnan(difference.test.p_value)
    assert math.isnan(difference.interval.low)


def test_nearly_perfect_rankings_are_refused() -> None:
    given = forecasts(2)
    order = np.where(given.codes == 1, 0.9, 0.1)
    order[np.flatnonzero(given.codes)[:4]] = 0.05
    for n_low, refused in ((4, True), (5, False)):
        order[np.flatnonzero(given.codes)[:n_low]] = 0.05
        found = intervals_of_forecasts(records(("partial_auc",)), replace(given, values=order), 0.9)[
            "partial_auc"
        ]
        assert ("fewer than 5" in str(found.reason)) == refused


def test_the_same_model_twice_has_no_variance() -> None:
    given = forecasts(2)
    again = replace(given, values=given.values.copy())
    for name, own in differences_of_forecasts(records(OF_TWO), given, again, 0.9).items():
        assert "no variance" in str(own.interval.reason), name
        assert own.test is None or math.isnan(own.test.p_value)


def test_models_are_scored_once(monkeypatch: pytest.MonkeyPatch) -> None:
    scored, models = ScoredForecasts(), [forecasts(2, seed) for seed in (1, 2, 3)]
    seen = []
    made = ScoredForecasts._score
    monkeypatch.setattr(
        ScoredForecasts, "_score", lambda self, names, own: seen.append(own) or made(self, names, own)
    )
    for one, other in ((0, 1), (0, 2), (1, 2)):
        differences_of_forecasts(records(RANKS), models[one], models[other], 0.9, scored=scored)
    assert seen == models
