"""Tests that are as published though they reject too often: what the note beside the p-value says, and its level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student

from adjudge.given.score_table import ScoreTable
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.significance import TestResult
from adjudge.inference.data_sets.cross_validation import five_by_two_f_test, five_by_two_t_test
from adjudge.inference.data_sets.rank_comparison import pairwise_tests
from adjudge.inference.partitions.equal_goodness import equal_goodness_test
from adjudge.presentation.numbers import p_text

OTHER_FOLDS = np.array([[0.70, 0.72], [0.71, 0.70], [0.69, 0.70], [0.70, 0.72], [0.71, 0.69]])


def corrected(differences: np.ndarray) -> float:
    """P-value of the corrected t (Nadeau & Bengio 2003) of folds of one half."""
    statistic = differences.mean() / math.sqrt((1 / differences.size + 1) * differences.var(ddof=1))
    return float(2 * student.sf(abs(statistic), differences.size - 1))


@pytest.mark.parametrize("test", [five_by_two_t_test, five_by_two_f_test])
def test_tests_of_five_times_two_folds_have_a_note_by_the_corrected_t(test) -> None:
    differences = np.array([[0.04, 0.03], [0.02, 0.01], [0.11, 0.12], [0.02, 0.03], [0.07, 0.05]])
    found = test(OTHER_FOLDS + differences, OTHER_FOLDS)
    expected = corrected(differences.ravel())
    assert found.p_value < 0.8 * expected
    assert found.reason == f"all folds share one data set: {p_text(expected)} by the corrected t"


def test_a_large_p_value_of_folds_has_no_note() -> None:
    differences = np.array([[0.06, -0.05], [0.04, -0.09], [0.05, 0.08], [-0.02, 0.06], [0.07, -0.03]])
    assert five_by_two_f_test(OTHER_FOLDS + differences, OTHER_FOLDS).reason is None


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
