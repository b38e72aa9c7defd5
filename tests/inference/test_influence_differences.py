"""Differences of two models' means over classes of how well scores rank, and models that are scored once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import t

from adjudge.indices.catalog import find_index
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.differences.influence_differences import interval_of_difference
from adjudge.inference.forecasts import forecast_intervals, scored_forecasts
from adjudge.inference.forecasts.area_influence import RANK_MEANS, Moved, spread
from adjudge.inference.forecasts.forecast_intervals import assessed
from adjudge.inference.forecasts.scored_forecasts import MovedScore, ScoredForecasts
from adjudge.inference.interval import Interval
from adjudge.statistics.forecasts import Forecasts, read_forecasts

MEANS = ["roc_auc_ovr", "roc_auc_ovo_weighted", "macro_average_precision", "weighted_average_precision"]


def models(n: int, k: int, m: int = 2, *, seed: int = 1) -> list[Forecasts]:
    """Models of the same instances that share a part of their noise, the later ones being better."""
    rng = np.random.default_rng(seed)
    truth = np.r_[np.arange(k), np.arange(k), rng.integers(0, k, n - 2 * k)]
    common = rng.normal(size=(n, k))
    scores = [common + rng.normal(size=(n, k)) + (1 + i) * np.eye(k)[truth] for i in range(m)]
    return [read_forecasts(truth, scores=own if k > 2 else own[:, 1]) for own in scores]


def records(*names: str) -> list[Any]:
    return [find_index(name, "classification") for name in names]


@pytest.mark.parametrize("name", MEANS)
def test_the_interval_is_students_of_what_instances_do_to_the_difference(name: str) -> None:
    first, second = models(150, 3)
    moved = [RANK_MEANS[name].moved(own) for own in (first, second)]
    values = [assessed(records(name), own)[0] for own in (first, second)]
    error, freedom = spread(moved[0].influence - moved[1].influence, first.codes)
    half = t.ppf(0.9, freedom) * error
    plain = values[0] - values[1]
    other = plain - (moved[0].excess - moved[1].excess)
    found = differences_of_forecasts(records(name), first, second, 0.8)[name]
    assert found.interval.low == pytest.approx(min(plain, other) - half)
    assert found.interval.high == pytest.approx(max(plain, other) + half)
    assert (found.interval.method, found.interval.confidence) == ("influence-t", 0.8)
    assert found.test is not None
    assert (found.test.p_value < 0.2) == (not found.interval.low <= 0 <= found.interval.high)


def test_scores_next_to_1_have_few_degrees_of_freedom() -> None:
    """Few instances are in the wrong order, and these alone tell the error."""
    rng = np.random.default_rng(8)
    truth = np.r_[np.zeros(60, int), np.ones(60, int), np.full(60, 2)]
    above = (3.2, 2.6)
    first, second = (
        read_forecasts(truth, scores=rng.normal(size=(180, 3)) + own * np.eye(3)[truth]) for own in above
    )
    moved = [RANK_MEANS["roc_auc_ovr"].moved(own).influence for own in (first, second)]
    missing = [1 - assessed(records("roc_auc_ovr"), own)[0] for own in (first, second)]
    variances = [spread(own, truth).error ** 2 for own in moved]
    # A sum of r rare events is 1 / r of its square in variance, and the variance is as uncertain as r events.
    rare = [own**2 / variance for own, variance in zip(missing, variances, strict=True)]
    freedom = sum(variances) ** 2 / sum(v**2 / r for v, r in zip(variances, rare, strict=True))
    error, plenty = spread(moved[0] - moved[1], truth)
    assert freedom < plenty / 2
    found = differences_of_forecasts(records("roc_auc_ovr"), first, second, 0.9)["roc_auc_ovr"].interval
    assert (found.high - found.low) / 2 == pytest.approx(t.ppf(0.95, freedom) * error)


@pytest.mark.parametrize("name", MEANS)
def test_the_error_of_a_difference_is_that_of_leaving_out_each_instance(name: str) -> None:
    first, second = models(400, 3, seed=4)

    def difference(kept: Any) -> float:
        one, other = (assessed(records(name), own.take(kept))[0] for own in (first, second))
        return one - other

    left = np.array([difference(np.delete(np.arange(400), i)) for i in range(400)])
    jackknife = math.sqrt(399 / 400 * np.sum((left - left.mean()) ** 2))
    found = differences_of_forecasts(records(name), first, second, 0.95)[name].interval
    excess = np.subtract(*(RANK_MEANS[name].moved(own).excess for own in (first, second)))
    half = (found.high - found.low - abs(excess)) / 2
    # Of 400 instances Student's t is nearly normal, and the influence nearly what leaving out brings.
    assert half / 1.965 == pytest.approx(jackknife, rel=0.06)


def test_models_change_places() -> None:
    first, second = models(120, 4)
    found, turned = (
        differences_of_forecasts(records(*MEANS), *pair, 0.9) for pair in ((first, second), (second, first))
    )
    for name in MEANS:
        assert found[name].interval.low == pytest.approx(-turned[name].interval.high)
        assert found[name].interval.high == pytest.approx(-turned[name].interval.low)


def test_what_says_nothing_of_a_difference_is_refused() -> None:
    first = models(90, 3)[0]
    for other, reason in (
        (first, "the difference of the scores has no variance"),
        (first.take(np.r_[:90]), "the difference of the scores has no variance"),
    ):
        found = differences_of_forecasts(records("roc_auc_ovr"), first, other, 0.95)["roc_auc_ovr"]
        assert math.isnan(found.interval.low)
        assert found.interval.reason == reason


@pytest.mark.parametrize(("k", "fewest"), [(3, 3), (4, 3), (5, 2)])
def test_a_class_of_few_instances_has_no_interval(k: int, fewest: int) -> None:
    both = models(200, k, seed=3)
    of_class = np.flatnonzero(both[0].codes == 0)
    for kept in range(1, 4):
        own = np.r_[of_class[:kept], np.flatnonzero(both[0].codes != 0)]
        found = differences_of_forecasts(records("roc_auc_ovr"), *(one.take(own) for one in both), 0.95)
        given = found["roc_auc_ovr"].interval
        assert math.isfinite(given.low) == (kept >= fewest)
        assert given.reason == (
            f"a class has fewer than {fewest} instances: take a sample with more of it"
            if kept < fewest
            else None
        )


def test_many_instances_have_intervals_of_differences_without_resamples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    found = differences_of_forecasts(records(*MEANS), *models(200, 3), 0.95)
    assert all(math.isfinite(found[name].interval.low) for name in MEANS)


def test_models_of_many_pairs_are_scored_and_resampled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = records("average_precision", "ks_statistic")
    many = models(80, 2, 4)
    alone = {
        (i, j): differences_of_forecasts(asked, many[i], many[j], 0.9) for i in range(4) for j in range(i)
    }
    times: list[int] = []

    def counted(own: Any, forecasts: Forecasts) -> list[float]:
        times.append(len(own))
        return assessed(own, forecasts)

    monkeypatch.setattr(scored_forecasts, "assessed", counted)
    known = ScoredForecasts()
    together = {
        pair: differences_of_forecasts(asked, many[pair[0]], many[pair[1]], 0.9, known) for pair in alone
    }
    assert together == alone
    # Once as they are for each kind of interval, and once a resample.
    assert len(times) == 4 * (1 + 1 + forecast_intervals.N_RESAMPLES)


def moved(value: float, influence: Any, excess: float = 0.0) -> MovedScore:
    return MovedScore(value, Moved(np.asarray(influence, np.float64), excess))


def test_what_moves_neither_score_has_no_interval() -> None:
    """Both rankings are perfect."""
    given = models(30, 2)[0]
    found = interval_of_difference(
        *records("roc_auc_ovr"), moved(1.0, np.zeros(30)), moved(1.0, np.zeros(30)), given, 0.8
    )
    assert math.isnan(found.low)
    assert (found.confidence, found.method) == (0.8, "influence-t")
    assert found.reason == "the difference of the scores has no variance"


def test_a_score_that_does_not_vary_leaves_the_freedom_to_the_other() -> None:
    """It lies 0.3 from its limit with an error of 0.1, which is as uncertain as nine events."""
    codes = np.repeat([0, 1], 30)
    given = read_forecasts(codes, scores=np.arange(60.0))
    influence = np.tile([1.0, -1.0], 30)
    influence *= 0.1 / spread(influence, codes).error
    for turned in (False, True):
        both = [moved(0.7, influence), moved(1.0, np.zeros(60))]
        found = interval_of_difference(*records("roc_auc_ovr"), *(both[::-1] if turned else both), given, 0.9)
        assert (found.high - found.low) / 2 == pytest.approx(0.1 * t.ppf(0.95, 9))


def test_next_to_a_limit_there_is_one_degree_of_freedom() -> None:
    codes = np.repeat([0, 1], 30)
    given = read_forecasts(codes, scores=np.arange(60.0))
    influence = np.tile([1.0, -1.0], 30)
    influence *= 0.1 / spread(influence, codes).error
    own = (moved(0.95, influence), moved(1.0, np.zeros(60)))
    found = interval_of_difference(*records("roc_auc_ovr"), *own, given, 0.5)
    assert (found.high - found.low) / 2 == pytest.approx(0.1 * t.ppf(0.75, 1))


def test_the_range_of_a_score_limits_its_difference() -> None:
    """Gini coefficients reach from -1 to 1: they may differ by 2, and the distance from -1 counts as that from 1."""
    codes = np.repeat([0, 1], 30)
    given = read_forecasts(codes, scores=np.arange(60.0))
    influence = np.tile([1.0, -1.0], 30)
    influence *= 0.5 / spread(influence, codes).error
    [gini], [area] = records("gini"), records("roc_auc")
    none = moved(0.0, np.zeros(60))
    for value in (0.9, -0.9):
        found = interval_of_difference(gini, moved(value, influence), none, given, 0.99)
        assert (found.low, found.high) == (-2.0, 2.0)
    assert interval_of_difference(area, moved(0.9, influence), none, given, 0.99) == Interval(
        -1.0, 1.0, 0.99, "influence-t"
    )
    small = moved(-0.8, influence / 5)  # an error of 0.1, 0.2 from the limit
    found = interval_of_difference(gini, small, none, given, 0.9)
    assert (found.high - found.low) / 2 == pytest.approx(0.1 * t.ppf(0.95, 4))


def test_a_class_that_does_not_occur_is_not_too_small() -> None:
    codes = np.repeat([0, 2], 30)
    given = read_forecasts(codes, scores=np.random.default_rng(0).normal(size=(60, 3)), classes=range(3))
    influence = np.tile([1.0, -1.0], 30)
    found = interval_of_difference(
        *records("roc_auc_ovr_weighted"), moved(0.7, influence), moved(0.6, 0 * influence), given, 0.8
    )
    assert math.isfinite(found.low)


def test_resamples_are_those_of_the_seed() -> None:
    first, second = models(60, 2)
    for seed in (None, 3, 4):
        positions = list(forecast_intervals.resampled_positions(first, seed))
        differences = [
            assessed(records("ks_statistic"), first.take(own))[0]
            - assessed(records("ks_statistic"), second.take(own))[0]
            for own in positions
        ]
        scored = ScoredForecasts(seed)
        found = differences_of_forecasts(records("ks_statistic"), first, second, 0.8, scored)["ks_statistic"]
        assert list(found.interval) == pytest.approx(list(np.quantile(differences, [0.1, 0.9])))
    again = (next(forecast_intervals.resampled_positions(first, seed)) for seed in (None, 0, 3))
    default, zero, three = again
    assert (default == zero).all()
    assert not (default == three).all()
