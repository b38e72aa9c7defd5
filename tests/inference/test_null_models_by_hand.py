"""Null models beside plain enumeration of what they do in between."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.inference.chance import expected_by_chance, null_distribution
from adjudge.inference.null_models import _gaps
from adjudge.inference.random_partitions import AnyPartition, joined_share
from adjudge.statistics.contingency import Contingency

LABELS = [0, 0, 0, 0, 1, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 2, 2, 0]
TABLES = [
    [[1, 0], [0, 1]],
    [[1, 0], [1, 1]],
    [[2, 1], [1, 2]],
    [[3, 1], [0, 2]],
    [[2, 0, 2], [0, 1, 1], [1, 1, 0]],
    [[5, 0], [0, 4]],
    [[1, 3, 0], [2, 0, 1]],
]


def joined(table: np.ndarray) -> int:
    return int((table * (table - 1) // 2).sum())


@pytest.mark.parametrize("cells", TABLES)
def test_gaps_are_those_of_all_swaps(cells: list[list[int]]) -> None:
    table = np.array(cells)
    steps = set()
    r, c = table.shape
    for i, k, j, m in product(range(r), range(r), range(c), range(c)):
        if i != k and j != m and table[i, j] and table[k, m]:
            other = table.copy()
            for cell, change in (((i, j), -1), ((k, m), -1), ((i, m), 1), ((k, j), 1)):
                other[cell] += change
            steps.add(joined(other) - joined(table))
    lower, higher = [-s for s in steps if s < 0], [s for s in steps if s > 0]
    expected = (min(lower) if lower else 1), (min(higher) if higher else 1)
    assert _gaps(Contingency.from_matrix(table)) == expected


def test_gaps_of_many_cells_are_not_looked_for() -> None:
    assert _gaps(Contingency.from_matrix(np.eye(21, dtype=int) * 5)) == (1, 1)


def test_linear_functions_of_pairs_have_an_exact_mean() -> None:
    """Under all partitions, whatever is drawn."""
    n = 9
    total, share = n * (n - 1) // 2, joined_share(AnyPartition(n))
    expected = total * (share**2 + 2 * (1 - share) ** 2)

    def both_ways(pairs: Any) -> float:
        return float(pairs.yy + 2 * pairs.nn)

    for seed in (1, 2):
        found = expected_by_chance(both_ways, *LABELS, null="all", n_tables=3, random_state=seed)
        assert found == pytest.approx(expected, rel=1e-12)


def test_other_functions_of_pairs_have_not() -> None:
    """It is linear at the corners only."""

    def square(pairs: Any) -> float:
        return float((pairs.yy / pairs.total) ** 2)

    means = [expected_by_chance(square, *LABELS, null="all", n_tables=20, random_state=s) for s in (1, 2)]
    assert means[0] != means[1]
    found = null_distribution(square, *LABELS, null="all", n_tables=20, random_state=1)
    assert found.mean_method == "simulate"
    assert found.mean == means[0] == pytest.approx(float(found.probabilities @ found.values))


def test_what_is_simulated_has_the_spread_of_the_draws() -> None:
    found = null_distribution("jaccard", *LABELS, method="simulate", n_tables=30, random_state=0)
    mean = float(found.probabilities @ found.values)
    spread = float(found.probabilities @ (found.values - mean) ** 2)
    assert found.std == pytest.approx(math.sqrt(30 / 29 * spread))
    exact = null_distribution("jaccard", *LABELS, method="exact")
    assert exact.std == pytest.approx(
        math.sqrt(float(exact.probabilities @ (exact.values - exact.mean) ** 2)), rel=1e-9
    )
    assert found.std != pytest.approx(exact.std, rel=1e-6)


@pytest.mark.parametrize("index", ["nmi", "ami", "variation_of_information"])
def test_simulated_information_knows_identical_partitions(index: str) -> None:
    """A table that is drawn may join equal sizes to identical partitions, but never unequal ones."""
    record = adjudge.find_index(index)
    for first, second in (([2, 1], [1, 2]), ([2, 1], [2, 1]), ([2, 2], [3, 1])):
        labels = np.repeat([0, 1], first), np.repeat([0, 1], second)
        drawn = null_distribution(index, *labels, method="simulate", n_tables=400, random_state=0)
        exact = null_distribution(index, *labels, method="exact")
        assert np.unique(drawn.values.round(9)).tolist() == np.unique(exact.values.round(9)).tolist()
        if sorted(first) == sorted(second):
            assert record.best in exact.values.round(9)


def test_pearsons_law_reaches_from_the_least_to_the_greatest_number_of_pairs() -> None:
    table = Contingency.from_matrix(np.array([[30, 20], [20, 30]]))
    found = null_distribution("rand", table.to_array().tolist(), method="pearson3")
    pairs = table.pairs
    least = max(0, pairs.joined_true + pairs.joined_pred - pairs.total)
    greatest = min(pairs.joined_true, pairs.joined_pred)
    rand = [
        (pairs.total - pairs.joined_true - pairs.joined_pred + 2 * both) / pairs.total
        for both in (least, greatest)
    ]
    assert rand[0] <= found.values.min()
    assert found.values.max() <= rand[1]
    assert found.probabilities.sum() == pytest.approx(1)
