"""Counts stay exact, and indices right, where 32 and 64 bits overflow."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import adjudge
import naive
from adjudge.statistics import Contingency, PairCounts
from adjudge.verbs.compare_counts import two_at_a_time

TEN_BILLION = [[3_000_000_000, 17, 5], [1_000_003, 4_000_000_000, 0], [0, 999_999, 10**10 - 7_002_000_024]]


def exact_pairs(matrix: list[list[int]]) -> PairCounts:
    """Pair counts in Python integers."""

    def pairs(counts: list[int]) -> int:
        return sum(c * (c - 1) // 2 for c in counts)

    n = sum(map(sum, matrix))
    yy = pairs([c for row in matrix for c in row])
    in_true, in_pred = pairs([sum(row) for row in matrix]), pairs([sum(c) for c in zip(*matrix, strict=True)])
    return PairCounts(yy, in_true - yy, in_pred - yy, pairs([n]) - in_true - in_pred + yy)


@pytest.fixture(scope="module")
def table() -> Contingency:
    return Contingency.from_matrix(TEN_BILLION)


def test_pairs_at_ten_billion_instances(table: Contingency) -> None:
    assert table.n == 10**10
    assert table.pairs == exact_pairs(TEN_BILLION)
    assert table.pairs.total == 10**10 * (10**10 - 1) // 2
    assert (table + table).pairs == exact_pairs([[2 * c for c in row] for row in TEN_BILLION])


def test_pair_indices_at_ten_billion_instances(table: Contingency) -> None:
    pairs = table.pairs
    for name, formula in naive.PAIR_INDICES.items():
        expected = formula(pairs.yy, pairs.yn, pairs.ny, pairs.nn)
        assert math.isfinite(expected)
        assert adjudge.find_index(name)(table) == pytest.approx(expected, rel=1e-14), name


def test_adjusted_rand_and_hubert_at_ten_billion_instances(table: Contingency) -> None:
    pairs = exact_pairs(TEN_BILLION)
    chance = Fraction((pairs.yy + pairs.yn) * (pairs.yy + pairs.ny), pairs.total)
    exact = (pairs.yy - chance) / (Fraction(2 * pairs.yy + pairs.yn + pairs.ny, 2) - chance)
    assert adjudge.adjusted_rand(table) == float(exact)
    assert 0.99 < adjudge.pair_phi(table) < 1
    assert adjudge.pair_phi(table) == pytest.approx(
        naive.PAIR_INDICES["pair_phi"](pairs.yy, pairs.yn, pairs.ny, pairs.nn), rel=1e-15
    )


def test_every_external_index_stays_in_its_range_at_ten_billion_instances(table: Contingency) -> None:
    for record in adjudge.list_indices("external"):
        if record.name == "smi":  # its exact variance would take hours, and the reason says so
            assert "would take too long" in adjudge.evaluate(table, indices="smi").reasons["smi"]
            continue
        value = record(table)
        assert record.range[0] <= value <= record.range[1], record.name


def test_information_at_ten_billion_instances(table: Contingency) -> None:
    n = 10**10
    columns = [sum(c) for c in zip(*TEN_BILLION, strict=True)]
    with mpmath.workdps(50):
        mutual = mpmath.fsum(
            mpmath.mpf(c) / n * mpmath.log(mpmath.mpf(c) * n / (sum(row) * column))
            for row in TEN_BILLION
            for c, column in zip(row, columns, strict=True)
            if c
        )
    assert table.information.mutual == pytest.approx(float(mutual), rel=1e-14)
    # Independence costs (R - 1)(C - 1) / (2 n) nats, to first order.
    assert table.information.expected_mutual == pytest.approx(4 / (2 * n), rel=1e-3)


def test_identical_partitions_at_ten_billion_instances() -> None:
    table = Contingency.from_matrix(np.diag([3_333_333_333, 6_666_666_666, 1]))
    for record in adjudge.list_indices("external"):
        if record.best is not None and record.name not in ("russell_rao", "pair_mcnemar"):
            assert record(table) == record.best, record.name


@pytest.mark.parametrize(
    "n", [2_999_999_999, 3_000_000_000, 3_000_000_001, 2**32, 2**32 + 1, 2**53 + 1, 2**62]
)
def test_one_huge_cell(n: int) -> None:
    table = Contingency.from_matrix([[n]])
    assert table.pairs == PairCounts(n * (n - 1) // 2, 0, 0, 0)
    halves = Contingency.from_matrix([[n // 2, n - n // 2]])
    assert halves.pairs == exact_pairs([[n // 2, n - n // 2]])


@pytest.mark.parametrize("n", [46_341, 65_536, 65_537, 92_682, 100_000])
def test_labels_whose_pairs_overflow_32_bits(n: int, rng: np.random.Generator) -> None:
    truth = rng.integers(0, 2, n)
    prediction = np.where(rng.random(n) < 0.9, truth, 1 - truth)
    matrix = [[int(((truth == i) & (prediction == j)).sum()) for j in (0, 1)] for i in (0, 1)]
    assert adjudge.indices.concordance(truth, prediction) == [
        [exact_pairs(matrix).yy, exact_pairs(matrix).yn],
        [exact_pairs(matrix).ny, exact_pairs(matrix).nn],
    ]
    pairs = exact_pairs(matrix)
    for name, formula in naive.PAIR_INDICES.items():
        expected = formula(pairs.yy, pairs.yn, pairs.ny, pairs.nn)
        assert adjudge.find_index(name)(truth, prediction) == pytest.approx(expected, rel=1e-13), name


def test_prayatul_matrix_at_a_large_n() -> None:
    n = 400_000
    truth = np.arange(n) % 2
    p, q = truth.copy(), np.zeros(n, int)
    matrix = adjudge.compare(truth, {"p": p, "q": q}, kind="clustering")["p", "q"]
    half = n // 2
    joined = half * (half - 1)
    assert (matrix.both_right, matrix.right_wrong) == (joined, n * (n - 1) // 2 - joined)
    assert (matrix.wrong_right, matrix.both_wrong) == (0, 0)
    assert int(matrix.instances("right_wrong").sum()) == 2 * matrix.right_wrong


@pytest.mark.parametrize("top", [2**31 + 7, 2**33, 2**53 + 1, 2**57])
def test_comparisons_of_huge_counts(top: int, rng: np.random.Generator) -> None:
    truth, p, q = (rng.integers(0, 3, 12).tolist() for _ in range(3))
    counts = [top - 17 * i for i in range(12)]

    def joined(*vectors: list[int]) -> int:
        sizes: dict[tuple[int, ...], int] = {}
        for *labels, n in zip(*vectors, counts, strict=True):
            sizes[tuple(labels)] = sizes.get(tuple(labels), 0) + n
        return sum(n * (n - 1) // 2 for n in sizes.values())

    total = math.comb(sum(counts), 2)
    right = [total - joined(truth) - joined(m) + 2 * joined(truth, m) for m in (p, q)]
    alike = total - joined(p) - joined(q) + 2 * joined(p, q)
    both = (sum(right) + alike - total) // 2
    wanted = (both, right[0] - both, right[1] - both, total - sum(right) + both)
    weights = np.array(counts)
    for comparison in (
        adjudge.compare(truth, {"p": p, "q": q}, kind="clustering", counts=counts),
        two_at_a_time(
            adjudge.compare,
            {"p": (truth, p, weights), "q": (truth, q, weights)},
            {("p", "q"): (p, q, weights)},
        ),
    ):
        pair = comparison["p", "q"]
        assert (pair.both_right, pair.right_wrong, pair.wrong_right, pair.both_wrong) == wanted
