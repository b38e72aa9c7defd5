"""Influence of instances on means of areas and average precisions, by their definition as derivatives."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import t

from adjudge.indices.catalog import find_index
from adjudge.inference.forecasts import forecast_intervals
from adjudge.inference.forecasts.area_influence import (
    RANK_MEANS,
    RankMean,
    between_classes,
    moved_means,
    spread,
)
from adjudge.inference.forecasts.forecast_intervals import (
    Aside,
    assessed,
    intervals_of_forecasts,
    on_log_odds,
)
from adjudge.statistics.forecasts import Forecasts, read_forecasts


def drawn(n: int, k: int, *, seed: int = 1, decimals: int | None = None) -> Forecasts:
    rng = np.random.default_rng(seed)
    truth = np.r_[
        np.arange(k), np.arange(k), rng.choice(k, n - 2 * k, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    ]
    scores = rng.normal(size=(n, k)) + np.eye(k)[truth]
    scores = scores if decimals is None else np.round(scores, decimals)
    return read_forecasts(truth, scores=scores if k > 2 else scores[:, 1])


@pytest.mark.parametrize("name", list(RANK_MEANS))
@pytest.mark.parametrize(("k", "decimals"), [(2, None), (4, None), (4, 0)])
def test_influence_is_the_derivative_by_the_weight_of_an_instance(
    name: str, k: int, decimals: int | None
) -> None:
    given = drawn(50, k, decimals=decimals)
    record: Any = find_index(name, "classification")

    def at(place: int, step: float) -> float:
        weights = np.ones(given.n)
        weights[place] += step
        return assessed([record], replace(given, weights=weights))[0]

    slopes = [given.n * (at(i, 1e-4) - at(i, -1e-4)) / 2e-4 for i in range(given.n)]
    found = RANK_MEANS[name].moved(given).influence
    assert found == pytest.approx(np.array(slopes), abs=1e-5)
    assert found.mean() == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("decimals", [None, 0])
def test_excess_is_what_instances_add_to_the_precision_at_their_own_score(decimals: int | None) -> None:
    given = drawn(60, 3, decimals=decimals)
    values, excess = [], []
    for code in range(3):
        column, inside = given.column(code), given.codes == code
        precisions, lacking = [], []
        for i in np.flatnonzero(inside):
            others = np.delete(np.arange(60), i)
            higher = others[column[others] >= column[i]]
            precisions.append((1 + inside[higher].sum()) / (1 + higher.size))
            lacking.append(precisions[-1] - inside[higher].mean() if higher.size else math.nan)
        values.append(np.mean(precisions))
        # Nothing is known of the precision of others where there are none: that of the class stands for it.
        excess.append(np.mean([1 - values[-1] if math.isnan(one) else one for one in lacking]))
    macro, weighted = (RANK_MEANS[f"{kind}_average_precision"].moved(given) for kind in ("macro", "weighted"))
    assert macro.excess == pytest.approx(np.mean(excess))
    assert weighted.excess == pytest.approx(np.average(excess, weights=given.sizes))
    assert RANK_MEANS["roc_auc_ovr"].moved(given).excess == 0


def test_average_precision_is_less_the_excess_among_all_instances() -> None:
    """Of scores that say nothing it is the share of the class; of 10 in 100 instances half as much again."""
    rng, values, less = np.random.default_rng(0), [], []
    record: Any = find_index("average_precision")
    for _ in range(300):
        given = read_forecasts(np.repeat([0, 1], [90, 10]), scores=rng.random(100))
        values.append(assessed([record], given)[0])
        less.append(values[-1] - RANK_MEANS["average_precision"].moved(given).excess)
    assert np.mean(values) > 0.13
    assert np.mean(less) == pytest.approx(0.1, abs=0.015)


def test_the_positive_class_alone_counts_in_binary_means() -> None:
    given = drawn(40, 2)
    one, both = (RANK_MEANS[name].moved(given) for name in ("average_precision", "macro_average_precision"))
    assert given.positive == 1
    assert one.influence != pytest.approx(both.influence)
    area, gini = (RANK_MEANS[name].moved(given).influence for name in ("roc_auc", "gini"))
    assert gini == pytest.approx(2 * area)


@pytest.mark.parametrize("few", [2, 4])
def test_spread_by_definition(few: int) -> None:
    n = few + 9
    codes = np.repeat([0, 2], [few, 9])
    influence = np.random.default_rng(0).normal(size=n)
    influence -= influence.mean()
    groups = [influence[:few], influence[few:]]
    between = sum(g.size * g.mean() ** 2 for g in groups) / n**2
    within = [g.size * g.var(ddof=1) / n**2 for g in groups]
    assert between_classes(influence, codes) == pytest.approx(between)
    found = spread(influence, codes)
    total = sum(within) + between
    assert found.error == pytest.approx(math.sqrt(total))
    doubt = within[0] ** 2 / (few - 1) + within[1] ** 2 / 8 + between**2 / (n - 1)
    assert found.freedom == pytest.approx(total**2 / doubt)


@pytest.mark.parametrize("name", ["roc_auc_ovo", "gini", "weighted_average_precision"])
def test_many_instances_have_intervals_without_resamples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = drawn(300, 3, seed=3)
    record: Any = find_index(name, "classification")
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 300 * 300 * 3 - 1)
    found = intervals_of_forecasts([record], given, 0.8)[name]
    moved = RANK_MEANS[name].moved(given)
    least = record.range[0]
    value, (error, freedom) = assessed([record], given)[0], spread(moved.influence, given.codes)
    share, width = (value - moved.excess - least) / (1 - least), 1 - least
    freedom = min(freedom, (min(value - least, 1 - value) / error) ** 2)
    half = t.ppf(0.9, freedom) * error / width / (share * (1 - share))
    ends = least + width * expit(logit(share) + np.array([-half, half]))
    assert (found.low, found.high) == pytest.approx(tuple(ends))
    assert (found.confidence, found.method, found.reason) == (0.8, "logit-t", None)


def test_a_class_of_few_among_many_has_no_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    record: Any = find_index("roc_auc_ovr")
    for few in (19, 20):
        rng = np.random.default_rng(few)
        truth = np.repeat([0, 1, 2], [few, 40, 50])
        given = read_forecasts(truth, scores=rng.normal(size=(truth.size, 3)) + np.eye(3)[truth])
        found = intervals_of_forecasts([record], given, 0.9)["roc_auc_ovr"]
        assert math.isnan(found.low) == (few == 19)
        assert found.reason == (
            "a class has fewer than 20 instances, and there are too many in all for resampling: take a sample with "
            "more of that class"
            if few == 19
            else None
        )


def test_the_interval_holds_the_value_however_large_the_excess() -> None:
    values, sizes = np.linspace(0.19, 0.21, 50), np.array([20, 30])
    plain = on_log_odds(0.2, values, sizes, 0.9, (0.0, 1.0))
    moved = on_log_odds(0.2, values, sizes, 0.9, (0.0, 1.0), Aside(0.1, 0.0))
    every = on_log_odds(0.2, values, sizes, 0.9, (0.0, 1.0), Aside(0.3, 0.0))
    assert plain is not None
    assert moved is not None
    assert every is not None
    assert plain.low > 0.185
    assert moved.low < 0.1 < moved.high == 0.2
    assert 0 < every.low < 0.02 < every.high == 0.2


def test_an_estimate_that_nothing_moves_has_no_error() -> None:
    assert spread(np.zeros(9), np.repeat([0, 1], [4, 5])) == (0.0, 8.0)


@pytest.mark.parametrize("k", [2, 3])
def test_means_that_are_the_same_are_made_once(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for their unit; and without a positive class those of one class are those of all."""
    given, made = drawn(40, k), []
    moved = RankMean.moved
    monkeypatch.setattr(RankMean, "moved", lambda mean, own: made.append(mean) or moved(mean, own))
    found = moved_means(RANK_MEANS, given)
    assert len(made) == (7 if k == 2 else 6)
    for name, mean in RANK_MEANS.items():
        own = moved(mean, given)
        assert found[name].influence == pytest.approx(own.influence)
        assert found[name].excess == pytest.approx(own.excess)


@pytest.mark.parametrize("name", ["roc_auc_ovo", "roc_auc_ovo_weighted"])
def test_areas_against_a_class_of_one_instance(name: str) -> None:
    rng, record = np.random.default_rng(3), find_index(name, "classification")
    truth = np.repeat([0, 1, 2], [20, 10, 1])
    given = read_forecasts(truth, scores=rng.normal(size=(31, 3)) + np.eye(3)[truth])
    slopes = []
    for place in range(31):
        moved = [replace(given, weights=1 + step * (np.arange(31) == place)) for step in (1e-4, -1e-4)]
        slopes.append(31 * np.subtract(*(assessed([record], own)[0] for own in moved)) / 2e-4)
    assert RANK_MEANS[name].moved(given).influence == pytest.approx(np.array(slopes), abs=1e-5)
