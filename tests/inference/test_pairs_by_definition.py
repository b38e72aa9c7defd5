"""Tests and intervals of pairs of models beside plain versions of their definitions, and at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from adjudge.errors import InputError, InputTypeError
from adjudge.given.score_table import ScoreTable
from adjudge.indices.catalog import find_index
from adjudge.inference.common.significance import TestResult
from adjudge.inference.data_sets.rank_comparison import friedman_test, pairwise_tests
from adjudge.inference.data_sets.rank_power import pair_power, rank_test_power, smallest_p_value
from adjudge.inference.data_sets.ranks import aligned_ranks, iman_davenport, kendall_w, quade
from adjudge.inference.data_sets.two_models import _sums_outside, paired_effects, sign_test, signed_rank_test
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.statistics.forecasts import read_forecasts
from adjudge.statistics.rankings import Rankings

SIX = [0.3, 0.1, 0.2, -0.05, 0.4, 0.25]


# --- data sets: signed ranks and signs ---------------------------------------------------------------------------


def test_no_difference_has_no_statistic_and_a_zero_that_is_split_is_evidence() -> None:
    for zeros in ("pratt", "drop", "split"):
        half_of_the_zeros = 1.5 if zeros == "split" else 0.0
        assert signed_rank_test([0.0, 0.0], zeros=zeros).statistic == half_of_the_zeros
        assert signed_rank_test([], zeros=zeros).statistic == 0.0
        assert signed_rank_test([0.1, 0.2, -0.3, 0.0, 0.0], zeros=zeros).reason is None
    assert signed_rank_test([0.0, 0.0], zeros="split").reason is not None
    assert sign_test([0.0]).statistic == 0.0


def test_of_six_data_sets_the_interval_is_from_the_smallest_to_the_largest() -> None:
    """A sum of 0 comes with probability 1/64, one of at most 1 with 1/32: 0.025 lies between them."""
    found = paired_effects([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert (found.low, found.high) == (1.0, 6.0)
    alone = paired_effects([3.0])
    assert (alone.median, alone.low, alone.high) == (3.0, -math.inf, math.inf)


@pytest.mark.parametrize("n", [201, 500])
@pytest.mark.parametrize("tail", [0.025, 0.005])
def test_sums_of_many_ranks_are_normal_with_a_correction_for_continuity(n: int, tail: float) -> None:
    law = norm(n * (n + 1) / 4, math.sqrt(n * (n + 1) * (2 * n + 1) / 24))
    found = _sums_outside(n, tail)
    assert law.cdf(found + 0.5) <= tail < law.cdf(found + 1.5)


# --- classifiers -------------------------------------------------------------------------------------------------


def test_gini_is_twice_the_area_and_confidence_is_handed_on() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    one, other = (
        read_forecasts(truth, np.clip(truth * 0.2 + rng.random(60) * 0.7, 0.01, 0.99)) for _ in "ab"
    )
    records: Any = [find_index(name) for name in ("roc_auc", "gini", "log_loss", "brier_score")]
    found = differences_of_forecasts(records, one, other, 0.8)
    area, gini = found["roc_auc"], found["gini"]
    assert [2 * area.interval.low, 2 * area.interval.high] == pytest.approx(
        [gini.interval.low, gini.interval.high]
    )
    assert (gini.interval.method, gini.interval.reason) == (area.interval.method, area.interval.reason)
    assert gini.test == area.test
    wider = differences_of_forecasts(records, one, other, 0.95)
    for name, own in found.items():
        assert own.interval.confidence == 0.8
        assert wider[name].interval.low < own.interval.low < own.interval.high < wider[name].interval.high
        assert own.test is not None


# --- several models ----------------------------------------------------------------------------------------------

NO_COMMON = ScoreTable.of(["u", "v"], ["a", "b"], [[1.0, math.nan], [math.nan, 2.0]], "higher")


def test_ranks_without_a_data_set_that_all_have() -> None:
    rankings = Rankings.of(NO_COMMON)
    assert math.isnan(kendall_w(rankings))
    found = aligned_ranks(rankings)
    assert math.isnan(found.statistic)
    assert math.isnan(found.p_value)
    assert found.method == "aligned-ranks"
    assert found.hypothesis == "all models rank alike"
    assert found.reason
    pairs = pairwise_tests(NO_COMMON, correction="nemenyi")
    assert math.isnan(pairs["a", "b"])
    assert pairs.reasons == {("a", "b"): "no data set has a score of every model"}
    assert pairs.table().columns[-1] == "note"
    assert pairs.table().rows[0][-1] == "no data set has a score of every model"


def test_all_data_sets_agree() -> None:
    table = ScoreTable.of(range(3), ["a", "b", "c"], [[3, 2, 1], [6, 5, 4], [9, 8, 7]], "higher")
    found = iman_davenport(Rankings.of(table))
    assert found.reason == "every data set ranks the models in the same order, so the p-value is exact"


@pytest.mark.parametrize(
    ("rows", "orders"),
    [([[2, 1]] * 2, 2), ([[3, 2, 1]] * 5, 6), ([[3, 1, 1]] * 3, 3), ([[2, 2, 1, 1]] * 2, 6)],
)
@pytest.mark.parametrize("test", [iman_davenport, quade])
def test_complete_concordance_has_its_exact_p_value(
    test: Callable[[Rankings], TestResult], rows: list[list[int]], orders: int
) -> None:
    """The first data set sets the order, which each other one then has with a probability of one over all orders."""
    found = test(Rankings.of_goodness(rows))
    assert math.isinf(found.statistic)
    assert found.p_value == pytest.approx(orders ** (1 - len(rows)), rel=1e-12)


def some_gaps() -> ScoreTable:
    """Models a and c have no data set in common."""
    nan = math.nan
    rows = [
        [3, 2, nan],
        [4, 1, nan],
        [5, 2, nan],
        [nan, 3, 1],
        [nan, 4, 1],
        [nan, 6, 2],
        [6, 1, nan],
        [nan, 7, 1],
    ]
    return ScoreTable.of(range(8), ["a", "b", "c"], rows, "higher")


def test_pairs_are_told_by_their_p_values_and_what_is_undefined_comes_last() -> None:
    found = pairwise_tests(some_gaps(), test="sign", correction="none")
    unknown = replace(found, adjusted={("a", "b"): math.nan, ("a", "c"): 0.5, ("b", "c"): 0.1})
    assert [row[:2] for row in unknown.table().rows] == [("b", "c"), ("a", "c"), ("a", "b")]
    with pytest.raises(KeyError, match=r"\('a', 'd'\)"):
        found["a", "d"]
    smallest = min(found.adjusted.values())
    assert found.different(smallest)
    assert not found.different(smallest * 0.999)
    p_values = [row[5] for row in found.table().rows]
    assert p_values == sorted(p_values)
    assert found.table().title == "Pairs of models: sign, none"
    notes = {row[:2]: row[-1] for row in found.table().rows}
    assert notes["a", "b"] == ""
    assert notes["a", "c"]


def test_zeros_are_treated_as_asked() -> None:
    rows = [[1, 1], [1, 1], [2, 1], [3, 1], [4, 1.5], [2.5, 1], [1, 4], [5, 1]]
    table = ScoreTable.of(range(8), ["a", "b"], rows, "higher")
    differences = table.differences("a", "b")
    for zeros, rule in (("split", "split"), ("drop", "drop"), ("pratt", "drop")):
        sign, ranks = (pairwise_tests(table, test=t, zeros=zeros) for t in ("sign", "wilcoxon"))
        assert sign["a", "b"] == sign_test(differences, zeros=rule).p_value
        assert ranks["a", "b"] == signed_rank_test(differences, zeros=zeros).p_value
    assert (
        len({pairwise_tests(table, test="wilcoxon", zeros=z)["a", "b"] for z in ("split", "drop", "pratt")})
        == 3
    )
    assert sign_test(differences, zeros="split").p_value != sign_test(differences, zeros="drop").p_value


def test_friedmans_test_names_models_in_the_order_of_their_ranks_and_refuses_uneven_scores() -> None:
    scores = {"z": [3, 3, 3, 2.0], "a": [1, 1, 1, 1.0], "m": [2, 2, 2, 3.0]}
    found = friedman_test(scores)
    assert [row[0] for row in found.table().rows] == ["z", "m", "a"]
    corrected = pairwise_tests(
        ScoreTable.of(range(4), list(scores), np.array([*scores.values()]).T, "higher"), test="wilcoxon"
    )
    assert found.p_values == corrected.adjusted != corrected.raw
    refused = "Friedman's test needs 2 models or more"
    for wrong in (
        {"a": [1, 2, 3], "b": [1, 2]},
        {"a": [1.0], "b": [2.0]},
        {"a": [1, 2]},
        {"a": [1], "b": [1, 2]},
    ):
        with pytest.raises(InputError, match=refused):
            friedman_test(wrong)
    with pytest.raises(InputTypeError, match=r"^scores\['b'\] contains"):
        friedman_test({"a": [1, 2], "b": ["x", "y"]})


def test_power_at_its_ends() -> None:
    assert smallest_p_value(0) == 1.0
    assert pair_power(0, 0.9) == 0.0
    for wrong in (-1, 2.5):
        for call in (smallest_p_value, lambda n: pair_power(n, 0.9)):
            with pytest.raises(InputError, match=f"^n_datasets={wrong}: "):
                call(wrong)
    assert rank_test_power(10, 3, 0.0, alpha=0.03) == 0.03
    assert 0.99 < rank_test_power(20, 3, 1.0) <= 1.0
