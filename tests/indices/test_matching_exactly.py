"""Measures of matched clusters keep every digit of counts that no double holds, and share ties as they should."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge import InputError
from adjudge.statistics import Contingency
from conftest import raises_line

HUGE = 2**60


def test_counts_beyond_what_a_double_holds() -> None:
    table = [[HUGE + 1, 3], [0, HUGE + 7]]
    assert adjudge.van_dongen(table) == 6.0
    assert adjudge.van_dongen([[HUGE + 1, 0], [3, HUGE + 7]]) == 6.0


def test_errors_name_what_is_wrong() -> None:
    table = Contingency.from_labels([0, 1], [0, 1])
    words = (
        "criterion='best' is not known: choose one of 'pivoted_accuracy', 'adjusted_asymmetric_accuracy', "
        "'pair_sets_index'"
    )
    for function in (
        adjudge.indices.matched_clusters,
        adjudge.indices.normalizing_permutation,
        adjudge.indices.normalized_confusion_matrix,
    ):
        with raises_line(InputError, words):
            function(table, criterion="best")  # type: ignore[arg-type]


def test_options_reach_the_table() -> None:
    a, b, counts = [0, 0, 1, -1], [5, 6, 6, 6], [1, 4, 2, 9]
    assert adjudge.indices.concordance(a, b, counts=[2, 1, 1, 1]) == adjudge.indices.concordance(
        [0, 0, 0, 1, -1], [5, 5, 6, 6, 6]
    )
    assert adjudge.indices.concordance(a, b, noise="drop") == adjudge.indices.concordance(a[:3], b[:3])
    assert adjudge.indices.matched_clusters(a, b, counts=counts) == {-1: 6, 0: 5, 1: None}
    assert adjudge.indices.matched_clusters(a, b, counts=counts, noise="drop") == {0: 6, 1: 5}
    assert adjudge.indices.normalizing_permutation(a, b, counts=counts).tolist() == [1, 0, 2]
    assert adjudge.indices.normalized_confusion_matrix(a, b, counts=counts).tolist() == [
        [9, 0, 0],
        [4, 1, 0],
        [2, 0, 0],
    ]
    assert adjudge.indices.normalized_confusion_matrix(a, b, counts=counts).dtype == np.int64


def test_more_columns_than_rows_come_last() -> None:
    table = [[0, 3, 1, 2], [7, 1, 0, 0]]
    assert adjudge.indices.normalizing_permutation(table).tolist() == [1, 0, 2, 3]
    assert adjudge.indices.normalized_confusion_matrix(table).tolist() == [[3, 0, 1, 2], [1, 7, 0, 0]]
    assert adjudge.indices.normalizing_permutation(np.transpose(table)).tolist() == [1, 0, 2, 3]
    assert adjudge.indices.normalizing_permutation(table).dtype == np.int64


@pytest.mark.parametrize("criterion", ["adjusted_asymmetric_accuracy", "pair_sets_index"])
def test_the_criterion_decides(criterion: str) -> None:
    # By counts the second column belongs to the first row; by shares and by overlaps to the second.
    table = [[50, 60], [1, 9]]
    assert adjudge.indices.normalizing_permutation(table).tolist() == [1, 0]
    assert adjudge.indices.normalizing_permutation(table, criterion=criterion).tolist() == [0, 1]  # type: ignore[arg-type]
    columns = adjudge.indices.normalized_confusion_matrix(table, criterion=criterion)  # type: ignore[arg-type]
    assert columns.tolist() == table
    assert adjudge.indices.matched_clusters(table, criterion=criterion) == {0: 0, 1: 1}  # type: ignore[arg-type]


def test_shares_within_an_ulp_of_one() -> None:
    """A sum of rounded shares may pass 1; the value does not."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        labels = rng.integers(0, 9, 40)
        assert adjudge.bcubed_precision(labels, labels) == adjudge.bcubed_recall(labels, labels) == 1.0
        assert adjudge.element_centric(labels, labels) == 1.0
        assert adjudge.larsen_aone(labels, labels) == 1.0
