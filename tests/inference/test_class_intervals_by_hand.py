"""Pieces of intervals of classifiers' scores beside plain versions of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import gamma

import adjudge
from adjudge import find_index
from adjudge.inference.classes.class_intervals import intervals_of_labels
from adjudge.inference.data_sets import hierarchical
from adjudge.inference.data_sets.hierarchical import _prior_of_nu, hierarchical_posterior, split_r_hat
from adjudge.inference.forecasts.auc import auc_interval, placements
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.inference.interval import interval_of_share
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion
from adjudge.statistics.forecasts import read_forecasts


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


@pytest.mark.full
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
    assert tuple(found) == pytest.approx(tuple(interval_of_share(right, 60, 0.9)))
    assert found.method == "wilson"


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


@pytest.mark.parametrize(
    "name", ["accuracy", "micro_precision", "micro_recall", "micro_f1", "weighted_recall"]
)
def test_shares_of_right_instances_have_the_interval_of_a_share(name: str) -> None:
    counts = counted(MATRIX)
    [own] = intervals_of_labels([find_index(name)], None, counts, 0.9).values()
    assert own == interval_of_share(int(np.trace(MATRIX)), int(np.sum(MATRIX)), 0.9)


def test_scores_of_a_positive_class_among_several_are_of_that_class() -> None:
    table = Confusion([0, 1, 2], np.array([[90, 5, 5], [10, 50, 30], [10, 40, 20]]))
    record = find_index("f1", "classification")
    for positive in range(3):
        counts = table.by_class(positive=positive)
        [own] = intervals_of_labels([record], table, counts, 0.9).values()
        assert sum(own) / 2 == pytest.approx(record.of(counts), abs=0.02)
        assert own.high - own.low < 0.25


def test_answers_outside_of_the_classes_are_in_the_interval() -> None:
    """The width follows from what one instance of each cell adds, with the answers as a column of their own."""
    table = np.array([[116.0, 24, 44], [56, 264, 96], [0, 0, 0]])
    names = np.array(["churn", "stay", "unsure"])
    true, said = (
        np.repeat(names[place], table[np.nonzero(table)].astype(int)) for place in np.nonzero(table)
    )

    def correlation(cells: np.ndarray) -> float:
        n, rows, cols = cells.sum(), cells.sum(axis=1), cells.sum(axis=0)
        spreads = (n * n - (rows**2).sum()) * (n * n - (cols**2).sum())
        return float((n * np.trace(cells) - rows @ cols) / np.sqrt(spreads))

    value, n = correlation(table), table.sum()
    slopes = np.zeros_like(table)
    for i, j in zip(*np.nonzero(table), strict=True):
        more = table.copy()
        more[i, j] += 1e-4
        slopes[i, j] = (correlation(more) - value) / 1e-4 * n
    half = 1.96 * np.sqrt((table * slopes**2).sum()) / n
    found = adjudge.evaluate(true, said, kind="classification", indices="mcc", confidence=0.95)
    low, high = found.intervals["matthews_correlation"]
    assert found["matthews_correlation"] == pytest.approx(value)
    assert (low, high) == pytest.approx((value - half, value + half), abs=0.05 * half)
