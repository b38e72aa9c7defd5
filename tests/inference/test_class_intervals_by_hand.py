"""Pieces of intervals of classifiers' scores beside plain versions of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from adjudge.inference.forecasts.area_influence import RANK_MEANS
from scipy.integrate import quad
from scipy.special import expit, logit, softmax
from scipy.stats import gamma, t

from adjudge import find_index
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.data_sets import hierarchical
from adjudge.inference.data_sets.hierarchical import _prior_of_nu, hierarchical_posterior, split_r_hat
from adjudge.inference.forecasts import forecast_intervals
from adjudge.inference.forecasts.auc import auc_interval, placements
from adjudge.inference.forecasts.forecast_intervals import (
    TOO_MANY_ROWS,
    assessed,
    intervals_of_forecasts,
    on_log_odds,
    percentiles,
    resampled_positions,
    why_no_overlap,
)
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import read_forecasts


def test_percentiles_leave_out_resamples_without_a_value() -> None:
    known = np.arange(101.0)
    found = percentiles(known, 0.9)
    assert (found.low, found.high, found.reason) == (pytest.approx(5), pytest.approx(95), None)
    half = percentiles(np.r_[known, np.full(101, math.nan)], 0.9)
    assert [*half] == [*found]
    assert half.reason == "resamples for which it is undefined are left out"
    most = percentiles(np.r_[known, np.full(102, math.nan)], 0.9)
    assert math.isnan(most.low)
    assert most.reason == "undefined for most resamples"


@pytest.mark.parametrize(("n_tied", "enough"), [(4, False), (5, True)])
def test_overlapping_instances_score_no_higher_than_another(n_tied: int, enough: bool) -> None:
    truth = [1] * 9 + [0] * 9
    scores = [0.5] * n_tied + [0.9] * (9 - n_tied) + [0.5, *[0.1] * 8]
    found = why_no_overlap(find_index("partial_auc"), read_forecasts(truth, scores=scores))  # type: ignore[arg-type]
    assert (found is None) == enough
    assert why_no_overlap(find_index("log_loss"), read_forecasts(truth, scores)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(("n_low", "enough"), [(4, False), (5, True)])
def test_pairs_of_classes_that_hardly_overlap_are_not_resampled(n_low: int, enough: bool) -> None:
    """Of five classes that are nearly always found, intervals of the mean over pairs held in 0.52 of the samples."""
    truth = np.repeat([0, 1, 2], 10)
    scores = np.eye(3)[truth]
    scores[:n_low, 0] = -1.0
    found = why_no_overlap(find_index("roc_auc_ovo"), read_forecasts(truth, scores=scores))  # type: ignore[arg-type]
    assert (found is None) == enough


def test_too_many_rows_are_not_resampled(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    truth = [0, 1] * 30
    read = read_forecasts(truth, rng.random(60))
    records: Any = [find_index(name) for name in ("partial_auc", "log_loss", "top_k_accuracy")]
    for options, most, needing in (
        ({"resample": False}, forecast_intervals.MOST_ENTRIES, ("partial_auc", "top_k_accuracy")),
        # The influence of each instance says as much of a partial area.
        ({}, 60 * 2 * 300 - 1, ("top_k_accuracy",)),
    ):
        monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", most)
        found = intervals_of_forecasts(records, read, 0.9, **options)
        assert [name for name, own in found.items() if own.reason == TOO_MANY_ROWS] == list(needing)
        assert all(math.isnan(found[name].high) == (name in needing) for name in found)
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 60 * 2 * 300)
    one, other = (intervals_of_forecasts(records, read, 0.9)["partial_auc"] for _ in range(2))
    assert one == other
    assert one.low < one.high


# --- the hierarchical comparison ---------------------------------------------------------------------------------


def test_the_prior_of_nu_mixes_gamma_laws() -> None:
    grid, logs = _prior_of_nu()
    for i in (600, 1100, 1400):
        nu = math.exp(grid[i])

        def of_shape(shape: float, nu: float = nu) -> float:
            return float(quad(lambda rate: gamma.pdf(nu, shape, scale=1 / rate), 0.01, 0.1)[0] / 0.09)

        assert math.exp(logs[i]) == pytest.approx(nu * quad(of_shape, 1, 2)[0], rel=1e-5)
    assert np.trapezoid(np.exp(logs), grid) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 11])
def test_split_r_hat_by_definition(n: int) -> None:
    chains = np.random.default_rng(n).normal(size=(3, n)) + np.arange(3)[:, None]
    half = n // 2
    if half < 2:
        assert math.isnan(split_r_hat(chains))
        return
    parts = [part for chain in chains for part in (chain[:half], chain[n - half :])]
    within = np.mean([part.var(ddof=1) for part in parts])
    between = np.var([part.mean() for part in parts], ddof=1)
    assert split_r_hat(chains) == pytest.approx(math.sqrt((half - 1) / half + between / within))
    assert split_r_hat(np.ones((3, n))) == 1.0


def test_chains_that_have_not_met_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    folds = [[0.1, 0.2, 0.15], [0.05, 0.1, 0.2]]
    for r_hat, warning in (
        (1.02, None),
        (1.0203, "the chains have not met (R-hat 1.020): take more draws"),
    ):
        monkeypatch.setattr(hierarchical, "split_r_hat", lambda chains, r_hat=r_hat: r_hat)
        found = hierarchical_posterior(folds, rope=0.01, n_draws=8, random_state=0)
        assert found.warning == warning


def test_differences_without_any_spread_in_a_data_set() -> None:
    """The unit is the region's width, or the largest difference; another unit changes nothing."""
    constant = [[0.0] * 4, [0.1] * 4, [0.2] * 4]
    for rope in (0.0, 0.05):
        found = hierarchical_posterior(constant, rope=rope, n_draws=400, random_state=0)
        assert found.first > found.second
        thousand = [[1000 * v for v in own] for own in constant]
        again = hierarchical_posterior(thousand, rope=1000 * rope, n_draws=400, random_state=0)
        assert again.first == pytest.approx(found.first, rel=1e-6)
        other = hierarchical_posterior(constant, rope=rope, n_draws=400, random_state=1)
        assert other.first != found.first


def test_bootstrapped_limits_by_definition() -> None:
    """Student's t on log odds, from instances drawn again within each class, the same ones each time.

    The middle is less by what an instance adds to the precision at its own score, and the number of instances of the
    class varies, too.
    """
    rng = np.random.default_rng(3)
    truth = np.repeat([0, 1], [25, 15])
    scores = truth + rng.normal(size=40) * 1.5
    read = read_forecasts(truth, scores=scores)
    positions = list(resampled_positions(read))
    assert len(positions) == 300
    again = np.random.default_rng(0)
    for drawn in positions:
        parts = [again.choice(np.flatnonzero(truth == code), n) for code, n in ((0, 25), (1, 15))]
        assert (drawn == np.concatenate(parts)).all()
    record = find_index("average_precision")
    values = [record(truth[drawn], scores=scores[drawn]) for drawn in positions]
    found = intervals_of_forecasts([record], read, 0.8)["average_precision"]
    value = record(truth, scores=scores)
    moved = RANK_MEANS["average_precision"].moved(read)
    of_classes = [moved.influence[truth == code].sum() ** 2 / m for code, m in ((0, 25), (1, 15))]
    share, error = value - moved.excess, math.sqrt(15 / 14 * np.var(values, ddof=1) + sum(of_classes) / 40**2)
    half = t.ppf(0.9, 14) * error / (share * (1 - share))
    assert (found.low, found.high) == pytest.approx(tuple(expit(logit(share) + np.array([-half, half]))))
    assert (found.confidence, found.method, found.reason) == (0.8, "logit-bootstrap", None)
    weighted = read_forecasts(truth, scores=scores, sample_weight=np.full(40, 0.5))
    for own, reason in (
        (intervals_of_forecasts([record], weighted, 0.8)["average_precision"], WEIGHTED),
        (intervals_of_forecasts([record], read, 0.8, resample=False)["average_precision"], TOO_MANY_ROWS),
    ):
        assert math.isnan(own.low)
        assert math.isnan(own.high)
        assert (own.confidence, own.method, own.reason) == (0.8, "percentile", reason)


@pytest.mark.parametrize(("name", "least"), [("roc_auc_ovo", 0.0), ("gini", -1.0)])
def test_scores_of_several_classes_on_log_odds(name: str, least: float) -> None:
    """Degrees of freedom and what resamples lack are those of a mean over classes of 20, 30 and 10."""
    rng = np.random.default_rng(4)
    sizes = np.array([20, 30, 10])
    truth = np.repeat([0, 1, 2], sizes)
    p = rng.dirichlet(np.ones(3), 60)
    p[np.arange(60), truth] += 0.2
    read = read_forecasts(truth, p / p.sum(axis=1, keepdims=True))
    record = find_index(name, "classification")
    width = 1 - least

    def share(positions: Any) -> float:
        return (assessed([record], read.take(positions))[0] - least) / width

    own, drawn = share(np.arange(60)), [share(positions) for positions in resampled_positions(read)]
    freedom = (1 / sizes).sum() ** 2 / (1 / sizes**2 / (sizes - 1)).sum()
    lacking = (1 / sizes).sum() / ((sizes - 1) / sizes**2).sum()
    half = t.ppf(0.9, freedom) * math.sqrt(lacking) * np.std(drawn, ddof=1) / (own * (1 - own))
    found = intervals_of_forecasts([record], read, 0.8)[name]
    ends = expit(logit(own) + np.array([-half, half]))
    assert (found.low, found.high) == pytest.approx(tuple(least + width * ends))
    assert found.method == "logit-bootstrap"


def test_a_class_of_one_instance_has_no_resamples() -> None:
    truth = np.repeat([0, 1, 2], [20, 20, 1])
    read = read_forecasts(truth, np.random.default_rng(4).dirichlet(np.ones(3), 41))
    found = intervals_of_forecasts([find_index("roc_auc_ovr")], read, 0.8)["roc_auc_ovr"]
    assert math.isnan(found.low)
    assert found.reason == (
        "every resample has the one instance of a class that there is: take a sample with more of them"
    )


def test_top_k_accuracy_is_a_share() -> None:
    truth = np.repeat([0, 1, 2], 20)
    p = np.random.default_rng(4).dirichlet(np.ones(3), 60)
    record = find_index("top_k_accuracy")
    right = round(60 * record(truth, p))
    found = intervals_of_forecasts([record], read_forecasts(truth, p), 0.9)["top_k_accuracy"]
    assert found == interval_of_share(right, 60, 0.9)


def test_areas_of_a_rare_class_of_three_hold() -> None:
    """Percentiles of the mean of three areas do in 0.82 of the samples."""
    shares, rng = np.array([0.1, 0.3, 0.6]), np.random.default_rng(5)
    record = find_index("roc_auc_ovr")

    def drawn(n: int) -> tuple[Any, Any]:
        truth = rng.choice(3, n, p=shares)
        truth[:6] = [0, 0, 1, 1, 2, 2]
        scores = 1.5 * (rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[truth]) + np.log(shares)
        return truth, softmax(scores, axis=1)

    area, held = record(*drawn(200_000)), []
    for _ in range(60):
        found = intervals_of_forecasts([record], read_forecasts(*drawn(60)), 0.95)["roc_auc_ovr"]
        held.append(found.low <= area <= found.high)
    assert np.mean(held) >= 0.9


def test_resamples_that_tell_no_deviation_have_no_limits_on_log_odds() -> None:
    values, sizes, limits = np.array([0.4, 0.5, 0.6, np.nan]), np.array([9, 20]), (0.0, 1.0)
    found = on_log_odds(0.5, values, sizes, 0.9, limits)
    assert found is not None
    assert found.reason == "resamples for which it is undefined are left out"
    half = t.ppf(0.95, 8) * math.sqrt(9 / 8) * 0.1 / 0.25
    assert (found.low, found.high) == pytest.approx((expit(-half), expit(half)))
    assert on_log_odds(1.0, values, sizes, 0.9, limits) is None
    assert on_log_odds(0.5, np.array([0.4, 0.4]), sizes, 0.9, limits) is None
    assert on_log_odds(0.5, np.array([0.4, np.nan, np.nan, np.nan]), sizes, 0.9, limits) is None


def test_the_gini_coefficient_has_the_limits_of_the_area() -> None:
    truth = np.repeat([0, 1], [25, 15])
    read = read_forecasts(truth, scores=truth + np.random.default_rng(4).normal(size=40))
    records = [find_index(name) for name in ("roc_auc", "gini")]
    area, gini = intervals_of_forecasts(records, read, 0.7).values()
    own = auc_interval(placements(read), confidence=0.7)
    assert (area.low, area.high, area.method, area.reason) == (own.low, own.high, own.method, own.reason)
    assert (gini.low, gini.high) == pytest.approx((2 * own.low - 1, 2 * own.high - 1))
    perfect = read_forecasts(truth, scores=truth.astype(float))
    reasons = [found.reason for found in intervals_of_forecasts(records, perfect, 0.7).values()]
    assert reasons == [auc_interval(placements(perfect), confidence=0.7).reason] * 2
    assert reasons[0] is not None


def counted(matrix: list[list[int]]) -> ClassCounts:
    rows, cols = (found.ravel() for found in np.indices(np.shape(matrix)))
    return Confusion.of_cells(range(len(matrix)), rows, cols, np.ravel(matrix)).by_class()


MATRIX = [[20, 3, 1, 0], [2, 30, 0, 0], [4, 1, 9, 0], [0, 0, 0, 5]]
ONE_CLASS = {
    "f1": lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn),
    "matthews_correlation": lambda tp, fp, fn, tn: (
        (tp * tn - fp * fn) / math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    ),
}


def macro_f1_of(cells: np.ndarray) -> float:
    table = cells.reshape(3, 3)
    return float((2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1))).mean())


def mcc(tp: float, fp: float, fn: float, tn: float) -> float:
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(margins) if margins else math.nan
