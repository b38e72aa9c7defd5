"""The test that exchanges labels of two models, by its definition: every way to exchange, one by one."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from adjudge.inference.differences.exchanged_labels import LabelsOfTwo
from scipy.stats import binom

from adjudge.statistics.confusion import Confusion


def balanced(confusion: Confusion) -> float:
    """Mean recall."""
    table = confusion.matrix.astype(float)
    return float(np.mean(np.diagonal(table) / table.sum(axis=1)))


def counted(truth: np.ndarray, first: np.ndarray, second: np.ndarray, k: int) -> LabelsOfTwo:
    cells, counts = np.unique(np.stack([truth, first, second]), axis=1, return_counts=True)
    return LabelsOfTwo(list(range(k)), *cells.astype(np.int64), counts.astype(np.int64))


def one_by_one(truth: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """Share of all exchanges of the labels of instances on which the models differ."""

    def difference(one: np.ndarray, other: np.ndarray) -> float:
        recalls = [
            [np.mean(said[truth == code] == code) for code in np.unique(truth)] for said in (one, other)
        ]
        return float(np.mean(recalls[0]) - np.mean(recalls[1]))

    differ = np.flatnonzero(first != second)
    observed = abs(difference(first, second))
    found = []
    for chosen in itertools.product((False, True), repeat=differ.size):
        one, other = first.copy(), second.copy()
        at = differ[list(chosen)]
        one[at], other[at] = second[at], first[at]
        found.append(abs(difference(one, other)) >= observed - 1e-12)
    return float(np.mean(found))


@pytest.mark.parametrize("k", [2, 3])
def test_p_values_are_shares_of_all_exchanges(k: int) -> None:
    rng = np.random.default_rng(k)
    truth = np.arange(40) % k
    first = truth.copy()
    second = np.where(rng.random(40) < 0.2, rng.integers(0, k, 40), truth)
    differ = int((first != second).sum())
    assert 4 <= differ <= 12
    labels = counted(truth, first, second, k)
    assert labels.n_different == differ
    assert labels.p_value(balanced) == pytest.approx(one_by_one(truth, first, second), rel=1e-9)


def test_of_many_pairs_of_labels_exchanges_are_drawn_and_the_draws_are_the_same() -> None:
    rng = np.random.default_rng(3)
    truth = np.arange(60) % 6
    first, second = (np.where(rng.random(60) < 0.2, rng.integers(0, 6, 60), truth) for _ in range(2))
    labels = counted(truth, first, second, 6)
    found = labels.p_value(balanced)
    assert found == labels.p_value(balanced)
    assert found == pytest.approx(one_by_one(truth, first, second), abs=0.07)


def test_of_one_cell_a_score_is_the_sign_test() -> None:
    """Instances of one class, on which one model is right: their labels move between two cells."""
    truth = np.repeat([0, 1], [30, 30])
    first, second = truth.copy(), truth.copy()
    second[:9] = 1
    first[9:11] = 1
    found = counted(truth, first, second, 2).p_value(balanced)
    assert found == pytest.approx(2 * binom.cdf(2, 11, 0.5), rel=1e-9)
