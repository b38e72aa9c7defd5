"""What differences of two models say where there is no interval, and whose labels and classes they are of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge.indices.catalog import find_index
from adjudge.inference.common.test_results import interval_test
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts import forecast_intervals
from adjudge.inference.forecasts.auc import compare_areas, placements
from adjudge.inference.forecasts.forecast_intervals import TOO_MANY_ROWS
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.forecasts import read_forecasts

Codes = np.ndarray[Any, Any]


def record(name: str) -> Any:
    return find_index(name, "classification")


def test_weights_leave_differences_without_intervals() -> None:
    truth = np.arange(40) % 2
    p = np.random.default_rng(2).random((2, 40))
    weighted = [read_forecasts(truth, own, sample_weight=np.full(40, 0.5)) for own in p]
    names = ("log_loss", "roc_auc", "ks_statistic")
    found = differences_of_forecasts([record(name) for name in names], *weighted, 0.8)
    assert found.keys() == set(names)
    for own in found.values():
        assert math.isnan(own.interval.low)
        assert (own.interval.confidence, own.interval.method, own.interval.reason) == (0.8, "none", WEIGHTED)
        assert own.test is None


def test_reasons_against_resamples_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = np.arange(60) % 3
    three = [read_forecasts(truth, np.random.default_rng(i).dirichlet(np.ones(3), 60)) for i in (1, 2)]
    asked = [record("top_label_calibration_error"), record("top_k_accuracy")]
    found = differences_of_forecasts(asked, *three, 0.8)
    assert math.isfinite(found["top_k_accuracy"].interval.low)
    assert found["top_k_accuracy"].interval.method == "percentile"
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    without = differences_of_forecasts(asked, *three, 0.8)
    calibration = "resamples are worse calibrated than the instances: no interval would keep its level"
    for own, reason in (
        (found["top_label_calibration_error"], calibration),
        (without["top_label_calibration_error"], calibration),
        (without["top_k_accuracy"], TOO_MANY_ROWS),
    ):
        assert math.isnan(own.interval.low)
        assert (own.interval.confidence, own.interval.method, own.interval.reason) == (
            0.8,
            "percentile",
            reason,
        )
        assert own.test is None


def test_the_gini_coefficient_differs_by_twice_the_area() -> None:
    truth = np.arange(60) % 2
    rng = np.random.default_rng(3)
    models = [read_forecasts(truth, scores=rng.normal(size=60) + above * truth) for above in (0.5, 1.5)]
    perfect = read_forecasts(truth, scores=truth * 1.0)
    for pair in (models, [perfect, perfect]):
        compared = compare_areas(*(placements(own) for own in pair), confidence=0.8)
        area, gini = differences_of_forecasts([record("roc_auc"), record("gini")], *pair, 0.8).values()
        own = compared.interval
        assert area.test == gini.test == compared.test or (area.test is not None and math.isnan(own.low))
        assert list(area.interval) == pytest.approx(list(own), nan_ok=True)
        assert list(gini.interval) == pytest.approx([2 * end for end in own], nan_ok=True)
        for found in (area, gini):
            assert (found.interval.confidence, found.interval.method, found.interval.reason) == (
                0.8,
                own.method,
                own.reason,
            )


@pytest.mark.parametrize(
    ("name", "method"), [("ks_statistic", "percentile"), ("average_precision", "influence-t")]
)
def test_nearly_perfect_rankings_have_no_difference(name: str, method: str) -> None:
    truth = np.arange(40) % 2
    some = read_forecasts(truth, scores=np.random.default_rng(1).normal(size=40) + truth)
    perfect = read_forecasts(truth, scores=truth * 1.0)
    for pair in ((some, perfect), (perfect, some)):
        found = differences_of_forecasts([record(name)], *pair, 0.8)[name]
        assert math.isnan(found.interval.low)
        assert (found.interval.confidence, found.interval.method, found.test) == (0.8, method, None)
        assert str(found.interval.reason).startswith("fewer than 5 instances of the class")
    both = [some, read_forecasts(truth, scores=np.random.default_rng(2).normal(size=40) + truth)]
    found = differences_of_forecasts([record(name)], *both, 0.8)[name]
    observed = record(name).judge(both[0])[0] - record(name).judge(both[1])[0]
    wanted = interval_test(observed, found.interval, "the expected scores of both models are the same")
    assert found.test == wanted
