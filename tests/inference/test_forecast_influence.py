"""What instances do to scores of probabilities and of numbers: slopes, units, weights, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom

import adjudge
import interval_twin as twin
from adjudge import compare, evaluate, find_index
from adjudge.given.number_vectors import NumberVector
from adjudge.indices import Index
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts.forecast_influence import ScoredForecasts, assessed
from adjudge.inference.forecasts.forecast_intervals import area_interval, intervals_of_forecasts
from adjudge.inference.numbers.number_influence import (
    ScoredNumbers,
    differences_of_numbers,
    intervals_of_numbers,
)
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
