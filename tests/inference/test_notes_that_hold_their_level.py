"""Tests and corrections that are as published though they reject too often: what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.given.score_table import ScoreTable
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.significance import TestResult
from adjudge.inference.data_sets.rank_comparison import pairwise_tests
from adjudge.inference.differences.clustering_differences import equal_goodness_test


def of_counts(counts: tuple[int, int, int, int]) -> TestResult:
    """Two clusterings into two clusters: both right, the first alone, the second alone, neither."""
    truth = np.arange(sum(counts)) % 2
    right = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], counts, axis=0)
    return equal_goodness_test(truth, *(np.where(own, truth, 1 - truth) for own in right.T))


def test_more_than_fifty_instances_have_no_note_by_sign_tests() -> None:
    assert of_counts((8, 34, 14, 1)).reason is None


@pytest.mark.parametrize(("correction", "warned"), [("finner", True), ("li", True), ("holm", False)])
def test_tables_say_which_corrections_do_not_limit_false_claims(correction: str, warned: bool) -> None:
    rows = np.random.default_rng(0).random((6, 3)).tolist()
    table = ScoreTable.of(list(range(6)), ["a", "b", "c"], rows, "higher")
    text = repr(pairwise_tests(table, correction=correction))
    assert ("does not limit the probability of any false claim" in text) is warned


@pytest.mark.parametrize(("m", "false", "told"), [(20, 2, 0.13), (60, 30, 0.55)])
def test_how_often_finners_correction_makes_a_false_claim(m: int, false: int, told: float) -> None:
    """The docstring's figures: a true hypothesis is rejected below the limit of the first step after the false ones."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        adjusted = adjust_p_values([0.0] * false + [middle] + [1.0] * (m - false - 1), "finner")
        low, high = (middle, high) if adjusted[false] <= 0.05 else (low, middle)
    assert 1 - (1 - low) ** (m - false) == pytest.approx(told, abs=0.005)
