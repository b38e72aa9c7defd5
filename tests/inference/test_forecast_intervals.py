"""Which way the interval of a score of forecasts is made, and what it says if there is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t

from adjudge.indices.catalog import find_index
from adjudge.inference.forecasts import forecast_intervals
from adjudge.inference.forecasts.area_influence import RANK_MEANS, between_classes, spread
from adjudge.inference.forecasts.forecast_intervals import (
    Aside,
    assessed,
    can_resample,
    has_influence,
    intervals_of_forecasts,
    on_log_odds,
    percentiles,
    why_no_overlap,
)
from adjudge.inference.forecasts.threshold_influence import THRESHOLD_SCORES, PositiveClass
from adjudge.statistics.forecasts import Forecasts, read_forecasts


def record(name: str) -> Any:
    return find_index(name, "classification")


def of_two(n: int = 60) -> Forecasts:
    rng = np.random.default_rng(7)
    truth = np.arange(n) % 2
    return read_forecasts(truth, scores=rng.normal(size=n) + truth)


def test_resamples_are_read_up_to_a_number_of_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    given = of_two(50)
    for most, times, can in ((30_000, 1, True), (29_999, 1, False), (60_000, 2, True), (59_999, 2, False)):
        monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", most)
        assert can_resample(given, times) == can
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 29_999)
    assert all(has_influence(record(name), given) for name in ("youden_index", "macro_average_precision"))
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 30_000)
    assert has_influence(record("macro_average_precision"), given)
    assert not has_influence(record("youden_index"), given)
    assert not has_influence(record("brier_score"), given)


@pytest.mark.parametrize(
    "name",
    ["expected_calibration_error", "debiased_calibration_error", "brier_reliability", "brier_resolution"],
)
def test_calibration_has_no_interval(name: str) -> None:
    truth = np.arange(60) % 2
    given = read_forecasts(truth, np.random.default_rng(1).random(60))
    found = intervals_of_forecasts([record(name)], given, 0.8)[name]
    assert math.isnan(found.low)
    assert (found.confidence, found.method) == (0.8, "percentile")
    assert found.reason == (
        "resamples are worse calibrated than the instances: no interval would keep its level"
    )


def test_a_score_that_no_instance_changes_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    """All scores tie."""
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    given = read_forecasts(np.repeat([0, 1, 2], 20), scores=np.ones((60, 3)))
    found = intervals_of_forecasts([record("roc_auc_ovr")], given, 0.8)["roc_auc_ovr"]
    assert math.isnan(found.low)
    assert (found.confidence, found.method) == (0.8, "logit-t")
    assert found.reason == "no instance changes the score"


def test_a_value_that_hangs_on_one_instance_has_one_degree_of_freedom(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of 25 positives one scores higher than most negatives: the value lies less than one error from 0."""
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    truth = np.repeat([0, 1], [200, 25])
    scores = np.r_[np.arange(200.0), np.full(24, -1.0), 189.5]
    given = read_forecasts(truth, scores=scores)
    own, name = record("partial_auc"), "partial_auc"
    moved = THRESHOLD_SCORES[name].moved(own, PositiveClass(given))
    value, (error, freedom) = assessed([own], given)[0], spread(moved.influence, truth)
    assert (value / error) ** 2 < 1 < 2 < freedom
    share = value / 0.1  # of what there may be up to a rate of 0.1
    half = t.ppf(0.9, 1) * error / 0.1 / (share * (1 - share))
    found = intervals_of_forecasts([own], given, 0.8)[name]
    assert list(found) == pytest.approx(list(0.1 * expit(logit(share) + np.array([-half, half]))))


def test_resamples_tell_an_error_if_half_of_them_have_a_value_and_these_vary() -> None:
    sizes, limits = np.array([9, 20]), (0.0, 1.0)
    of_half = on_log_odds(0.5, np.array([0.4, 0.6, np.nan, np.nan]), sizes, 0.9, limits)
    assert of_half is not None
    half = t.ppf(0.95, 8) * math.sqrt(9 / 8 * 0.02) / 0.25
    assert list(of_half) == pytest.approx([expit(-half), expit(half)])
    assert on_log_odds(0.5, np.array([0.4, 0.6]), sizes, 0.9, limits) is not None
    between = Aside(0.0, 0.01)
    assert on_log_odds(0.5, np.array([0.4, 0.4, 0.4]), sizes, 0.9, limits, between) is None
    assert on_log_odds(0.5, np.array([0.4, 0.5, np.nan, np.nan, np.nan]), sizes, 0.9, limits, between) is None


def test_ends_far_out_are_those_of_the_range() -> None:
    """However large the error: the exponential of their odds has no number."""
    values, sizes = np.linspace(0.0, 1.0, 40), np.array([2, 2])
    found = on_log_odds(1e-3, values, sizes, 0.999, (0.0, 1.0))
    assert found is not None
    assert 0 <= found.low < 1e-300
    assert found.high == 1.0


def test_percentiles_of_half_of_the_resamples() -> None:
    found = percentiles(np.array([0.0, 1.0, np.nan, np.inf]), 0.5)
    assert (found.low, found.high, found.confidence) == (0.25, 0.75, 0.5)
    assert found.reason == "resamples for which it is undefined are left out"
    assert math.isnan(percentiles(np.array([0.0, 1.0, np.nan, np.nan, np.inf]), 0.5).low)


def test_a_score_next_to_its_least_value_hangs_on_few_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gini coefficients reach down to -1."""
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    truth = np.repeat([0, 1, 2], 25)
    scores = np.random.default_rng(5).normal(size=(75, 3)) - 2.2 * np.eye(3)[truth]
    given, gini = read_forecasts(truth, scores=scores), record("gini")
    value = assessed([gini], given)[0]
    error, plenty = spread(RANK_MEANS["gini"].moved(given).influence, truth)
    freedom = ((value + 1) / error) ** 2
    assert value < -0.8
    assert freedom < 0.7 * plenty
    share = (value + 1) / 2
    half = t.ppf(0.9, freedom) * error / 2 / (share * (1 - share))
    found = intervals_of_forecasts([gini], given, 0.8)["gini"]
    assert list(found) == pytest.approx(list(2 * expit(logit(share) + np.array([-half, half])) - 1))


def test_a_class_that_does_not_occur_has_no_part_in_the_freedom() -> None:
    """Two classes are left, and the smaller one decides."""
    truth = np.repeat([0, 2], [30, 12])
    rng = np.random.default_rng(6)
    given = read_forecasts(truth, scores=rng.normal(size=(42, 3)) + np.eye(3)[truth], classes=range(3))
    own = record("weighted_average_precision")
    found = intervals_of_forecasts([own], given, 0.8)[own.name]
    values = np.array(
        [assessed([own], given.take(drawn))[0] for drawn in forecast_intervals.resampled_positions(given)]
    )
    moved = RANK_MEANS[own.name].moved(given)
    aside = Aside(moved.excess, between_classes(moved.influence, truth))
    value = assessed([own], given)[0]
    assert found == on_log_odds(value, values, np.array([30, 12]), 0.8, (0.0, 1.0), aside)
    share, error = value - aside.excess, math.sqrt(12 / 11 * values.var(ddof=1) + aside.between)
    half = t.ppf(0.9, 11) * error / (share * (1 - share))
    assert found.low == pytest.approx(expit(logit(share) - half))


def test_resamples_are_those_of_the_seed() -> None:
    given, own = of_two(40), record("ks_statistic")
    for seed in (None, 3):
        values = [
            assessed([own], given.take(drawn))[0]
            for drawn in forecast_intervals.resampled_positions(given, seed)
        ]
        wanted = on_log_odds(assessed([own], given)[0], np.array(values), given.sizes, 0.8, (0.0, 1.0))
        found = intervals_of_forecasts([own], given, 0.8, random_state=seed)["ks_statistic"]
        assert list(found) == pytest.approx(list(wanted or []))


def test_classes_that_do_not_occur_hide_no_overlap_of_others() -> None:
    rng = np.random.default_rng(1)
    own = record("roc_auc_ovr")
    truth = np.repeat([1, 2], 20)
    given = read_forecasts(truth, scores=rng.normal(size=(40, 3)), classes=range(3))
    assert why_no_overlap(own, given) is None
    alone = read_forecasts(np.ones(40, int), scores=rng.normal(size=(40, 3)), classes=range(3))
    assert str(why_no_overlap(own, alone)).startswith("fewer than 5 instances")
    assert why_no_overlap(record("top_k_accuracy"), alone) is None
    # Two of one class and three of another score no higher than an instance of the others.
    scores = 9.0 * np.eye(3)[np.repeat([0, 1, 2], 10)]
    scores[:2, 0] = scores[10:13, 1] = -1.0
    few = np.repeat([0, 1, 2], 10)
    assert why_no_overlap(own, read_forecasts(few, scores=scores)) is None
    scores[12, 1] = 9.0
    assert why_no_overlap(own, read_forecasts(few, scores=scores)) is not None


def test_many_instances_have_intervals_of_all_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    truth = np.repeat([0, 1, 2], 30)
    rng = np.random.default_rng(8)
    p = rng.dirichlet(np.ones(3), 90) + 0.3 * np.eye(3)[truth]
    given = read_forecasts(truth, p / p.sum(axis=1, keepdims=True))
    names = ["log_loss", "roc_auc_ovo", "top_k_accuracy", "top_label_calibration_error"]
    found = intervals_of_forecasts([record(name) for name in names], given, 0.8)
    methods = {name: own.method for name, own in found.items()}
    assert methods == dict(zip(names, ["skewed-t", "logit-t", "wilson", "percentile"], strict=True))
    assert all(math.isfinite(found[name].low) for name in names[:3])


@pytest.mark.parametrize(("rare", "refused"), [(0, False), (1, True), (19, True), (20, False)])
def test_of_many_instances_a_class_needs_twenty_if_it_occurs(
    rare: int, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    truth = np.repeat([0, 1, 2], [40, rare, 40])
    scores = np.random.default_rng(2).normal(size=(truth.size, 3)) + np.eye(3)[truth]
    given, own = read_forecasts(truth, scores=scores, classes=range(3)), record("roc_auc_ovr_weighted")
    found = intervals_of_forecasts([own], given, 0.8)[own.name]
    assert math.isnan(found.low) == refused
    assert ("fewer than 20 instances" in str(found.reason)) == refused


def test_the_excess_is_on_the_scale_of_the_score() -> None:
    values, sizes = np.linspace(0.1, 0.3, 40), np.array([30, 50])
    found = on_log_odds(0.2, values, sizes, 0.9, (-1.0, 1.0), Aside(0.1, 0.0))
    assert found is not None
    share = (0.2 - 0.1 + 1) / 2
    half = t.ppf(0.95, 29) * math.sqrt(30 / 29 * values.var(ddof=1)) / 2 / (share * (1 - share))
    assert list(found) == pytest.approx([2 * expit(logit(share) + end) - 1 for end in (-half, half)])


def test_a_score_at_a_limit_has_no_log_odds() -> None:
    values, sizes = np.linspace(0.0, 1.0, 40), np.array([30, 50])
    for end in (0.0, 1.0):
        assert on_log_odds(end, values, sizes, 0.9, (0.0, 1.0)) is None
    assert on_log_odds(-1.0, values, sizes, 0.9, (-1.0, 1.0)) is None
