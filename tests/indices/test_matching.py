"""Matched clusters: the optimal assignment, each instance's own score, and counts that no double holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
import naive
from adjudge import InputError
from adjudge.statistics import Contingency, assignment
from conftest import raises_line

CRITERIA = ("pivoted_accuracy", "adjusted_asymmetric_accuracy", "pair_sets_index")

TABLES = st.tuples(st.integers(1, 5), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(0, 6), min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0]
    )
).filter(lambda table: all(map(any, table)) and all(map(any, zip(*table, strict=True))))  # fmt: skip


def weights(table: list[list[int]], criterion: str) -> list[list[Fraction]]:
    rows, cols = [sum(row) for row in table], [sum(col) for col in zip(*table, strict=True)]
    scale: Any = {
        "pivoted_accuracy": lambda i, j: 1,
        "adjusted_asymmetric_accuracy": lambda i, j: rows[i],
        "pair_sets_index": lambda i, j: max(rows[i], cols[j]),
    }[criterion]
    return [[Fraction(x, scale(i, j)) for j, x in enumerate(row)] for i, row in enumerate(table)]


@pytest.mark.full
@pytest.mark.parametrize("largest_dense", [assignment._LARGEST_DENSE, 0], ids=["dense", "sparse"])
@pytest.mark.parametrize("criterion", CRITERIA)
@given(table=TABLES)
def test_the_matching_is_the_best_of_all(criterion: Any, largest_dense: int, table: list[list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_LARGEST_DENSE", largest_dense)
        order = adjudge.indices.normalizing_permutation(table, criterion=criterion)
        partners = adjudge.indices.matched_clusters(table, criterion=criterion)
    rows, cols = len(table), len(table[0])
    k = max(rows, cols)
    assert sorted(order.tolist()) == list(range(k))
    by_weight = weights(table, criterion)
    best = naive.best_matching(by_weight)
    attained = sum(by_weight[i][j] for i, j in enumerate(order.tolist()[:rows]) if j < cols)
    assert float(attained) == pytest.approx(float(best), rel=1e-12)
    assert list(partners) == list(range(rows))
    taken = [j for j in partners.values() if j is not None]
    assert len(taken) == len(set(taken))
    assert float(sum(by_weight[i][j] for i, j in partners.items() if j is not None)) == pytest.approx(
        float(best)
    )


def test_large_tables_are_matched_sparsely(rng: np.random.Generator) -> None:
    k = 3000
    truth = np.repeat(np.arange(k), 3)
    names = rng.permutation(k)
    prediction = names[truth]
    prediction[::3] = names[rng.integers(0, k, k)]
    table = Contingency.from_labels(truth, prediction)
    assert table.shape[0] * table.shape[1] > assignment._LARGEST_DENSE
    accuracy = adjudge.pivoted_accuracy(table)
    assert accuracy == pytest.approx((prediction == names[truth]).mean())
    partners = adjudge.indices.matched_clusters(table)
    assert sum(partners[t] == names[t] for t in range(k)) > 0.99 * k


def test_normalized_confusion_matrix() -> None:
    wide = [[1, 5, 0], [4, 0, 2]]
    assert adjudge.indices.normalizing_permutation(wide).tolist() == [1, 0, 2]
    assert adjudge.indices.normalized_confusion_matrix(wide).tolist() == [[5, 1, 0], [0, 4, 2]]
    tall = [[1, 4], [5, 0], [0, 2]]
    assert adjudge.indices.normalizing_permutation(tall).tolist() == [1, 0, 2]
    assert adjudge.indices.normalized_confusion_matrix(tall).tolist() == [[4, 1, 0], [0, 5, 0], [2, 0, 0]]
    labels = (["x", "x", "y"], ["b", "b", "a"])
    assert adjudge.indices.normalized_confusion_matrix(*labels).tolist() == [[2, 0], [0, 1]]
    assert adjudge.indices.normalizing_permutation(*labels).dtype == np.int64


def test_matched_clusters_by_name() -> None:
    matched = adjudge.indices.matched_clusters(["a", "a", "b", "b", "c"], [7, 7, 3, 3, 3])
    assert matched == {"a": 7, "b": 3, "c": None}
    weighted = adjudge.indices.matched_clusters(["a", "a", "b"], [0, 1, 0], counts=[1, 5, 4])
    assert weighted == {"a": 1, "b": 0}


def test_criteria_differ() -> None:
    """A large cluster decides the accuracy, and each cluster alike the asymmetric accuracy."""
    table = [[100, 60], [9, 0]]
    assert adjudge.indices.matched_clusters(table) == {0: 0, 1: 1}
    assert adjudge.indices.matched_clusters(table, criterion="adjusted_asymmetric_accuracy") == {0: 1, 1: 0}


def test_values_by_hand() -> None:
    table = [[12, 37, 1], [40, 0, 0], [0, 0, 30]]
    accuracy = (37 + 40 + 30) / 120
    assert adjudge.pivoted_accuracy(table) == pytest.approx(accuracy)
    assert adjudge.normalized_accuracy(table) == pytest.approx((accuracy - 1 / 3) / (1 - 1 / 3))
    assert adjudge.adjusted_asymmetric_accuracy(table) == pytest.approx((37 / 50 + 1 + 1 - 1) / 2)
    overlap, expected = 37 / 50 + 40 / 52 + 30 / 31, (50 + 37 + 30) / 120
    expected = (min(50, 52) + min(40, 37) + min(30, 31)) / 120
    assert adjudge.pair_sets_index(table) == pytest.approx((overlap - expected) / (3 - expected))
    assert adjudge.simplified_pair_sets_index(table) == pytest.approx((overlap - 1) / 2)
    assert adjudge.classification_error(table) == pytest.approx(1 - accuracy)


def test_asymmetric_accuracy_puts_the_truth_first() -> None:
    table = np.array([[12, 37, 1], [40, 0, 0], [0, 0, 30]])
    swapped = adjudge.adjusted_asymmetric_accuracy(table.T)
    assert swapped == pytest.approx((40 / 52 + 1 + 30 / 31 - 1) / 2)
    assert swapped != pytest.approx(adjudge.adjusted_asymmetric_accuracy(table))


def test_pair_sets_index_may_be_negative_unless_it_is_clipped() -> None:
    table = [[6, 2], [2, 0]]  # S = 6/8, E = (8 + 2)/10, k = 2
    assert adjudge.pair_sets_index(table, clipped=False) == -0.25
    assert adjudge.pair_sets_index(table) == 0
    assert adjudge.simplified_pair_sets_index(table, clipped=False) == -0.25
    assert adjudge.simplified_pair_sets_index(table) == 0


def test_van_dongen_normalised() -> None:
    table = [[3, 1], [0, 4]]
    assert adjudge.van_dongen(table) == 16 - 7 - 7
    assert adjudge.van_dongen(table, normalized=True) == 2 / 16


def test_bcubed_beta() -> None:
    table = [[3, 1], [2, 4]]
    p, r = adjudge.bcubed_precision(table), adjudge.bcubed_recall(table)
    for beta in (0.5, 1, 2):
        expected = (1 + beta**2) * p * r / (beta**2 * p + r)
        assert adjudge.bcubed_f(table, beta=beta) == pytest.approx(expected, rel=1e-14)


def test_element_centric_scores_treat_noise() -> None:
    truth, prediction = [0, 0, 0, 1], [0, 0, -1, -1]
    assert adjudge.indices.element_centric_scores(truth, prediction) == pytest.approx(
        [2 / 3, 2 / 3, 1 / 3, 1 / 2]
    )
    alone = adjudge.indices.element_centric_scores(truth, prediction, noise="singletons")
    assert alone == pytest.approx([2 / 3, 2 / 3, 1 / 3, 1])
    with raises_line(
        InputError, "noise='drop' would leave instances without a score: use 'cluster' or 'singletons'"
    ):
        adjudge.indices.element_centric_scores(truth, prediction, noise="drop")


def test_error_of_the_criterion() -> None:
    for function in (
        adjudge.indices.matched_clusters,
        adjudge.indices.normalizing_permutation,
        adjudge.indices.normalized_confusion_matrix,
    ):
        with raises_line(
            InputError,
            "criterion='accuracy' is not known: choose one of 'pivoted_accuracy', "
            "'adjusted_asymmetric_accuracy', 'pair_sets_index'",
        ):
            function([0, 1], [0, 1], criterion="accuracy")


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
