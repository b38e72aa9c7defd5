"""Pieces of intervals of classifiers' scores beside plain versions of them."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma

from adjudge import find_index
from adjudge.inference.classes import class_intervals
from adjudge.inference.classes.class_intervals import (
    _largest_step,
    _one_step,
    error_by_class,
    intervals_by_class,
    intervals_of_labels,
    wider,
)
from adjudge.inference.classes.shares import interval_of_share
from adjudge.inference.common.interval_methods import Estimate, score_interval
from adjudge.inference.data_sets import hierarchical
from adjudge.inference.data_sets.hierarchical import _prior_of_nu, hierarchical_posterior, split_r_hat
from adjudge.inference.differences.groups import compare_independent
from adjudge.inference.forecasts.auc import auc_interval, placements
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.inference.interval import Interval
from adjudge.inference.refusals import WEIGHTED
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import read_forecasts

CELLS = {"tp": [5, 3, 0, 2], "fp": [2, 0, 0, 1], "fn": [0, 2, 0, 4], "tn": [3, 5, 10, 0]}


def f1(tp: float, fp: float, fn: float) -> float:
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else math.nan


def test_one_step_is_the_largest_change_by_one_answer() -> None:
    cells = [np.array(CELLS[name], float) for name in ("tp", "fp", "fn", "tn")]
    values = np.array([f1(*own[:3]) for own in zip(*cells, strict=True)])
    found = _one_step(cells, "f1", values)
    for i, (tp, fp, fn, tn) in enumerate(zip(*cells, strict=True)):
        changed = [
            *([f1(tp - 1, fp, fn + 1)] if tp else []),
            *([f1(tp + 1, fp, fn - 1)] if fn else []),
            *([f1(tp, fp + 1, fn)] if tn else []),
        ]
        steps = [abs(value - values[i]) for value in changed if not math.isnan(value - values[i])]
        assert found[i] == pytest.approx(max(steps, default=math.nan), nan_ok=True), i


def test_the_largest_step_is_found_among_the_moves() -> None:
    cells = np.array([4, 3, 2, 1])

    def value(counts: Any) -> float:
        return math.nan if counts[3] > 1 else float(counts[0] ** 2 + 3 * counts[1])

    moves = [(0, 1), (1, 0), (2, 1), (0, 3)]
    # 4^2 + 3 * 3 = 25; 3^2 + 3 * 4 = 21; 5^2 + 3 * 2 = 31; 4^2 + 3 * 4 = 28; undefined.
    assert [_largest_step(value, cells, [move]) for move in moves] == [4, 6, 3, 0]
    assert _largest_step(value, cells, moves) == 6
    assert cells.tolist() == [4, 3, 2, 1]


def test_intervals_are_of_the_positive_class_that_is_named() -> None:
    matrix = np.array([[8, 3], [1, 20]])
    records = [find_index(name, "classification") for name in ("f1", "class_jaccard", "informedness")]
    first = Confusion([0, 1], matrix)
    turned = Confusion([0, 1], matrix[::-1, ::-1].copy())
    one = intervals_of_labels(records, first, first.by_class(positive=0), 0.9)
    other = intervals_of_labels(records, turned, turned.by_class(positive=1), 0.9)
    for name, own in one.items():
        assert [*own] == pytest.approx([*other[name]]), name
    default = intervals_of_labels(records, first, first.by_class(positive=1), 0.9)
    assert [*default["f1"]] != pytest.approx([*one["f1"]])


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


def test_top_k_accuracy_is_a_share() -> None:
    truth = np.repeat([0, 1, 2], 20)
    p = np.random.default_rng(4).dirichlet(np.ones(3), 60)
    record = find_index("top_k_accuracy")
    right = round(60 * record(truth, p))
    found = intervals_of_forecasts([record], read_forecasts(truth, p), 0.9)["top_k_accuracy"]
    assert found == interval_of_share(right, 60, 0.9)


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


@pytest.mark.parametrize("name", ONE_CLASS)
def test_limits_of_measures_of_a_class(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The jackknife's error, or that of the slopes at a table in which no cell is empty if it is larger."""
    monkeypatch.setattr(class_intervals, "MOST_CLASSES", 3)
    counts = counted(MATRIX)
    matrix, measure = np.array(MATRIX), ONE_CLASS[name]
    n, limits = matrix.sum(), (0.0 if name == "f1" else -1.0, 1.0)
    found = intervals_by_class(counts, name, 0.9)
    for code, own in enumerate(found):
        tp = matrix[code, code]
        fp, fn = matrix[:, code].sum() - tp, matrix[code].sum() - tp
        cells = np.array([tp, fp, fn, n - tp - fp - fn], float)
        value = measure(*cells)
        if code == 3:  # never wrong
            event = max(abs(measure(*(cells + change)) - value) for change in ([-1, 0, 1, 0], [0, 1, 0, -1]))
            expected = score_interval(value, limits, 0.0, n, 0.9, event)
        else:
            without = np.array([measure(*(cells - one)) for one in np.eye(4)])
            mean = cells @ without / n
            full = cells + 0.25
            steps = [1e-6 * (one - full / (n + 1)) for one in np.eye(4)]
            slopes = np.array([(measure(*(full + s)) - measure(*(full - s))) / 2e-6 for s in steps]) * (n + 1)
            smoothed = math.sqrt(full @ slopes**2 / (n + 1) ** 2)
            jackknife = math.sqrt((n - 1) / n * (cells @ (without - mean) ** 2))
            expected = score_interval(value, limits, max(jackknife, smoothed), n, 0.9)
        assert (own.low, own.high) == pytest.approx((expected.low, expected.high), abs=2e-4), code
        assert (own.method, own.one_sided, own.confidence) == ("score", code == 3, 0.9)
    for one, f1_ in zip(
        intervals_by_class(counts, "jaccard", 0.9), intervals_by_class(counts, "f1", 0.9), strict=True
    ):
        assert (one.low, one.high) == pytest.approx((f1_.low / (2 - f1_.low), f1_.high / (2 - f1_.high)))


def test_measures_of_a_class_that_tell_nothing() -> None:
    """A class that never occurs and is never predicted; weights."""
    counts = counted([[5, 1, 0], [2, 4, 0], [0, 0, 0]])
    undefined = intervals_by_class(counts, "f1", 0.9)[2]
    assert math.isnan(undefined.low)
    assert math.isnan(undefined.high)
    assert (undefined.confidence, undefined.method, undefined.reason) == (
        0.9,
        "score",
        "the score is undefined",
    )
    recall = intervals_by_class(counts, "recall", 0.9)[2]
    assert (recall.low, recall.high, recall.confidence, recall.method) == (0.0, 1.0, 0.9, "wilson")
    assert recall.reason == "no instance is informative: every value is possible"


def macro_f1_of(cells: np.ndarray) -> float:
    table = cells.reshape(3, 3)
    return float((2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1))).mean())


def test_the_error_of_a_score_if_each_class_borrows_an_instance() -> None:
    """Beside the derivatives of macro F1: class by class, and between the classes."""
    table = np.array([[40, 3, 1], [2, 7, 0], [1, 0, 0]])
    totals, right = table.sum(axis=1), 47 / 54
    full = (table + np.full((3, 3), (1 - right) / 2) + np.eye(3) * (right - (1 - right) / 2)) * (
        totals / (totals + 1)
    )[:, None]
    assert full.sum(axis=1) == pytest.approx(totals)
    both = full.sum(axis=0) + full.sum(axis=1)
    f1s = 2 * np.diag(full) / both
    slopes = (2 * np.eye(3) / both - (f1s / both)[:, None] - (f1s / both)[None, :]) / 3
    within, means = 0.0, []
    for own, slope, n in zip(full, slopes, totals, strict=True):
        mean = (own * slope).sum() / n
        within += (own * (slope - mean) ** 2).sum() / (1 - n / (n + 1) ** 2)
        means.append(mean)
    between = (totals * (np.array(means) - np.average(means, weights=totals)) ** 2).sum()
    assert error_by_class(macro_f1_of, table.ravel()) == pytest.approx(math.sqrt(within + between), rel=5e-3)


@pytest.mark.parametrize("k", [2, 5])
def test_the_error_of_the_accuracy_is_nearly_that_of_a_share(k: int) -> None:
    """It has no part that classes could add to."""
    cells = (np.full((k, k), 2) + 98 * np.eye(k, dtype=np.int64)).ravel()
    n, share = cells.sum(), 100 / (100 + 2 * (k - 1))
    found = error_by_class(lambda own: float(np.trace(own.reshape(k, k)) / own.sum()), cells)
    assert found == pytest.approx(math.sqrt(share * (1 - share) / n), rel=0.01)


def test_macro_f1_of_rare_classes_holds_its_level() -> None:
    """With half an instance spread over all cells it covered 0.86, and 8 % of equally good groups differed."""
    shares = np.array([0.85, 0.1, 0.05])
    said = np.array([[0.95, 0.03, 0.02], [0.2, 0.7, 0.1], [0.3, 0.2, 0.5]])
    law, rng, record = (
        shares[:, None] * said,
        np.random.default_rng(3),
        find_index("macro_f1", "classification"),
    )
    truth, held, rejected = macro_f1_of(law.ravel()), [], []
    for _ in range(400):
        tables = [rng.multinomial(n, law.ravel()).reshape(3, 3) for n in (50, 200)]
        if not all(table.sum(axis=1).all() for table in tables):
            continue
        found = []
        for table in tables:
            confusion = Confusion([0, 1, 2], table)
            own = intervals_of_labels([record], confusion, confusion.by_class(), 0.95)["macro_f1"]
            found.append((record.of(confusion.by_class()), tuple(own)))
        if any(math.isnan(ends[0]) for _, ends in found):
            # A class is neither there nor predicted without one of the instances.
            continue
        held.append(found[0][1][0] <= truth <= found[0][1][1])
        test = compare_independent(*found[0], *found[1], 0.95).test
        assert test is not None
        rejected.append(test.p_value < 0.05)
    assert len(held) > 300
    assert 0.9 < np.mean(held) < 0.98
    assert 0.02 < np.mean(rejected) < 0.09


def test_weights_leave_measures_and_scores_without_intervals() -> None:
    weighted = Confusion([0, 1, 2], np.array([[5.5, 1, 0], [2, 4, 0], [0, 1, 3]])).by_class()
    for own in intervals_by_class(weighted, "f1", 0.8):
        assert math.isnan(own.low)
        assert (own.confidence, own.method, own.reason) == (0.8, "wilson", WEIGHTED)
    assert len(intervals_by_class(weighted, "recall", 0.8)) == 3
    [score] = intervals_of_labels([find_index("macro_f1")], None, weighted, 0.8).values()
    assert math.isnan(score.low)
    assert (score.confidence, score.method, score.reason) == (0.8, "score", WEIGHTED)


def mcc(tp: float, fp: float, fn: float, tn: float) -> float:
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(margins) if margins else math.nan


@pytest.mark.parametrize("name", ["f1", "matthews_correlation"])
def test_one_step_of_every_small_table(name: str) -> None:
    measure = mcc if name == "matthews_correlation" else lambda tp, fp, fn, tn: f1(tp, fp, fn)
    tables = np.array(list(itertools.product(range(3), repeat=4)), float)
    values = np.array([measure(*own) for own in tables])
    found = _one_step(list(tables.T), name, values)
    for own, value, step in zip(tables, values, found, strict=True):
        changes = [(0, (-1, 0, 1, 0)), (2, (1, 0, -1, 0)), (3, (0, 1, 0, -1))]
        steps = [abs(measure(*(own + change)) - value) for source, change in changes if own[source]]
        largest = max((one for one in steps if not math.isnan(one)), default=0.0)
        if math.isnan(value) or largest == 0:
            assert math.isnan(step), own
        else:
            assert step == pytest.approx(largest), own


def test_a_change_without_a_value_is_no_step() -> None:
    def of_counts(cells: np.ndarray) -> float:
        return math.nan if cells[0] == 0 else float(cells[1] ** 2)

    cells = np.array([1, 2, 3])
    assert _largest_step(of_counts, cells, [(0, 1), (1, 2), (2, 1)]) == 5  # not (0, 1)
    assert _largest_step(of_counts, cells, [(0, 1)]) == 0


def test_the_wider_of_two_intervals() -> None:
    own = score_interval(0.6, (0.0, 1.0), 0.05, 50, 0.9)
    estimate = Estimate(0.6, (0.0, 1.0), of_sums=None, of_counts=None)
    longer = score_interval(0.6, (0.0, 1.0), 0.08, 50, 0.9)
    assert wider(own, estimate, 50, 0.9, lambda: 0.08) == longer
    assert wider(own, estimate, 50, 0.9, lambda: 0.04) is own
    assert wider(own, estimate, 50, 0.9, lambda: 0.05) is own
    for none in (0.0, math.nan):
        assert wider(own, estimate, 50, 0.9, lambda none=none: none) is own
    refused = Interval.undefined(0.9, "score", "the score is undefined")
    assert wider(refused, estimate, 50, 0.9, lambda: 0.08) is refused


def test_at_a_limit_the_costliest_mistake_makes_an_interval_wider() -> None:
    own = score_interval(1.0, (0.0, 1.0), 0.0, 50, 0.9)
    assert own.one_sided
    estimate = Estimate(1.0, (0.0, 1.0), of_sums=None, of_counts=None)
    found = wider(own, estimate, 50, 0.9, lambda: 0.5, lambda: 0.1)
    assert found == score_interval(1.0, (0.0, 1.0), 0.0, 50, 0.9, 0.1)
    assert found.low < own.low
    for none in (0.0, math.nan):
        assert wider(own, estimate, 50, 0.9, lambda: 0.5, lambda none=none: none) is own


def test_as_many_cells_are_left_out_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Confusion([0, 1, 2], np.array([[20, 2, 1], [3, 30, 0], [1, 1, 25]]))
    record = find_index("macro_f1")
    for most, given in ((8, True), (7, False)):
        monkeypatch.setattr(class_intervals, "MOST_CELLS", most)
        [own] = intervals_of_labels([record], table, table.by_class(), 0.8).values()
        assert math.isfinite(own.low) == given
        assert (own.confidence, own.method) == (0.8, "score")
        assert own.reason == (None if given else "the confusion matrix has more than 1,000 filled cells")
    monkeypatch.setattr(class_intervals, "MOST_CELLS", 8)
    asked: list[Any] = []
    monkeypatch.setattr(class_intervals, "wider", lambda own, *rest: asked.append(rest) or own)
    for most, times in ((8, 0), (9, 1)):
        monkeypatch.setattr(class_intervals, "MOST_SMOOTHED", most)
        intervals_of_labels([record], table, table.by_class(), 0.8)
        assert len(asked) == times


def test_measures_of_two_instances_have_an_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_intervals, "MOST_CLASSES", 0)
    two = Confusion([0, 1], np.array([[0, 1], [0, 1]])).by_class()
    assert math.isfinite(intervals_by_class(two, "f1", 0.8)[1].low)
    one = Confusion([0, 1], np.array([[0, 0], [0, 1]])).by_class()
    assert intervals_by_class(one, "f1", 0.8)[1].reason == "the score is undefined"


@pytest.mark.parametrize(
    "name", ["accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall"]
)
def test_shares_of_right_instances_have_the_interval_of_a_share(name: str) -> None:
    counts = counted(MATRIX)
    [own] = intervals_of_labels([find_index(name)], None, counts, 0.9).values()
    assert own == interval_of_share(int(np.trace(MATRIX)), int(np.sum(MATRIX)), 0.9)


@pytest.mark.parametrize(
    "name",
    [
        *("precision", "recall", "specificity", "negative_predictive_value", "false_positive_rate"),
        *("false_negative_rate", "false_discovery_rate", "false_omission_rate", "informedness", "markedness"),
    ],
)
def test_shares_of_the_positive_class_have_its_interval(name: str) -> None:
    table = Confusion([0, 1], np.array([[30, 5], [7, 21]]))
    for positive in (0, 1):
        counts = table.by_class(positive=positive)
        [own] = intervals_of_labels([find_index(name, "classification")], None, counts, 0.9).values()
        assert own == intervals_by_class(counts, name, 0.9)[positive]
        assert find_index(name, "classification").of(counts) in own


def test_scores_of_a_positive_class_among_several_are_of_that_class() -> None:
    table = Confusion([0, 1, 2], np.array([[90, 5, 5], [10, 50, 30], [10, 40, 20]]))
    record = find_index("f1", "classification")
    for positive in range(3):
        counts = table.by_class(positive=positive)
        [own] = intervals_of_labels([record], table, counts, 0.9).values()
        assert sum(own) / 2 == pytest.approx(record.of(counts), abs=0.02)
        assert own.high - own.low < 0.25
