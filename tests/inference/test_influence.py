"""Influence values beside leaving instances out, rows drawn in units beside sums by hand, intervals beside formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import beta, norm, t

import adjudge
from adjudge.inference.common.samples import Sample
from adjudge.inference.influence import Influence
from adjudge.inference.interval import interval_of, interval_of_difference, p_value_at, p_value_of
from adjudge.inference.partitions.entropy_estimate import EntropyEstimate
from adjudge.inference.partitions.intervals import TableIntervals, external_intervals
from adjudge.inference.partitions.overlap_influence import excess_of_larger
from adjudge.inference.refusals import REFUSALS
from adjudge.inference.sampling_design import Drawn, error_of
from adjudge.statistics.contingency import Contingency

TABLE = np.array([[600, 50, 20], [40, 810, 30], [20, 60, 400]])
INDICES = [record.name for record in adjudge.list_indices("external")]
OF_WHOLE_CLUSTERS = {
    "merge_distance",
    *(f"{index}_{part}" for index in ("muc", "exact_cluster") for part in ("f", "precision", "recall")),
}
NO_INTERVAL = {"pair_sets_index", "simplified_pair_sets_index", "phi_crit", "rmi", "smi", *OF_WHOLE_CLUSTERS}


def psi_of(name: str, table: np.ndarray) -> Influence:
    given = Contingency.from_matrix(table)
    made = TableIntervals(given, Sample.of_table(given), {}, "score", 0.95, None)
    from adjudge.inference.chance.targets import Target

    found = made.influence(Target.of(name, given, {}))
    assert found is not None
    return found


def left_out(name: str, table: np.ndarray) -> np.ndarray:
    """Influence values by leaving out an instance of each cell, one table at a time."""
    record, n = adjudge.find_index(name), table.sum()
    values = []
    for cell in np.argwhere(table > 0):
        fewer = table.copy()
        fewer[tuple(cell)] -= 1
        values.append(record(Contingency.from_matrix(fewer)))
    psi = -(n - 1) * np.array(values)
    return psi - np.average(psi, weights=table[table > 0])


@pytest.mark.parametrize("name", INDICES)
def test_influence_values_are_those_of_leaving_out(name: str) -> None:
    if name in NO_INTERVAL:
        pytest.skip("no interval")
    record = adjudge.find_index(name)
    if not math.isfinite(record.range[1]) and name in ("pair_mcnemar", "mirkin", "van_dongen"):
        pytest.skip("it grows with the number of instances")
    found = psi_of(name, TABLE)
    deviation = math.sqrt(found.moment(2) / found.n)
    # Terms of the order 1 / n are what linear influence leaves out.
    assert found.psi == pytest.approx(left_out(name, TABLE), abs=0.03 * deviation)


def chao_wang_jost(counts: list[int]) -> float:
    """Estimate as Chao, Wang & Jost (2013) print it, with the whole series."""
    n = sum(counts)
    once, twice = counts.count(1), counts.count(2)
    seen = sum(x / n * float(digamma(n) - digamma(x)) for x in counts if x > 0)
    if once == 0:
        return seen
    rate = 2 * twice / ((n - 1) * once + 2 * twice) if twice else 2 / ((n - 1) * (once - 1) + 2)
    if rate >= 1:
        return seen
    series = -math.log(rate) - sum((1 - rate) ** r / r for r in range(1, n))
    return seen + once / n * (1 - rate) ** (1 - n) * series


@pytest.mark.parametrize("counts", [[9, 5, 3, 3, 2, 2, 2, 1, 1, 1, 1], [6, 4, 2], [5, 3, 1, 1], [20]])
def test_entropies_are_estimated_with_what_was_not_drawn(counts: list[int]) -> None:
    found = EntropyEstimate.of(np.array(counts))
    assert found.value == pytest.approx(chao_wang_jost(counts), abs=1e-8)
    fewer = [chao_wang_jost([x - (j == i) for j, x in enumerate(counts)]) for i in range(len(counts))]
    assert found.psi == pytest.approx(-(sum(counts) - 1) * np.array(fewer), abs=1e-6)
    assert (found.once, found.twice) == (counts.count(1), counts.count(2))


def test_an_instance_anywhere_lies_where_labels_are_drawn_apart() -> None:
    table = np.array([[6, 0], [1, 3]])
    filled = Sample.of_table(Contingency.from_matrix(table)).filled
    assert filled is not None
    full, spread = filled
    product = np.outer([6, 4], [7, 3]) / 100
    assert spread == pytest.approx(product.ravel())
    assert full.counts == pytest.approx((table + product).ravel() * 10 / 11)


UNITS = np.array([0, 0, 1, 2, 2, 2])
VALUES = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])


def test_units_vary_by_their_sums() -> None:
    own = Influence.centred(float(VALUES.mean()), VALUES)
    drawn = Drawn(UNITS, 3)
    sums = [1 - 2 * 2 / 3, 1 - 2 / 3, 2 - 3 * 2 / 3]
    error = error_of(own, drawn)
    assert error.variance == pytest.approx(3 / 2 * sum(x**2 for x in sums) / 36)
    assert error.worth == pytest.approx(36 / (4 + 1 + 9))
    assert error.freedom == pytest.approx(36 / 14 - 1)
    # The same by cell: values 0 and 1.
    by_cell = Influence.centred(2 / 3, np.array([0.0, 1.0]), np.array([2, 4]))
    cells = Drawn(UNITS, 3, VALUES.astype(np.int64))
    assert error_of(by_cell, cells) == pytest.approx(error)
    # And with several rows to a line.
    lines = Drawn(np.array([0, 0, 1, 2, 2]), 3, np.array([1, 0, 1, 1, 0]), np.array([1, 1, 1, 2, 1]))
    assert error_of(by_cell, lines) == pytest.approx(error)


def test_a_weight_is_the_size_of_a_unit() -> None:
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.5])
    mean = float(np.average(VALUES, weights=weights))
    weighted = Influence(mean, VALUES - mean)
    error = error_of(weighted, Drawn(np.arange(6), 6, None, weights))
    linearised = 6 / 5 * float((weights**2 * (VALUES - mean) ** 2).sum()) / weights.sum() ** 2
    assert error.variance == pytest.approx(linearised)
    assert error.worth == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_intervals_by_their_formulas() -> None:
    counts = np.array([90.0, 10.0])
    share = Influence.centred(0.9, np.array([1.0, 0.0]), counts)
    rest, z = 0.9 * 0.1, float(norm.ppf(0.975))
    n = rest / (rest / 99)
    half = z * math.sqrt(rest / n + z * z / (4 * n * n)) / (1 + z * z / n)
    middle = (0.9 + z * z / (2 * n)) / (1 + z * z / n)
    assert tuple(interval_of(share, (0, 1), 0.95)) == pytest.approx((middle - half, middle + half))
    low, high = interval_of(share, (0, math.inf), 0.95)
    quantile, of_one = float(t.ppf(0.975, 99)), rest / 99 / 0.9
    assert (0.9 - low) ** 2 == pytest.approx(quantile**2 * of_one * low)
    assert (high - 0.9) ** 2 == pytest.approx(quantile**2 * of_one * high)
    assert tuple(interval_of(share, (-math.inf, math.inf), 0.95)) == pytest.approx(
        (0.9 - quantile * math.sqrt(rest / 99), 0.9 + quantile * math.sqrt(rest / 99))
    )


def test_units_have_korn_and_graubards_ends() -> None:
    rng = np.random.default_rng(0)
    units = np.repeat(np.arange(40), 5)
    values = (rng.random(200) < np.repeat(rng.beta(4, 1, 40), 5)).astype(np.float64)
    own, drawn = Influence.centred(float(values.mean()), values), Drawn(units, 40)
    found = interval_of(own, (0, 1), 0.95, drawn)
    p, error = own.value, error_of(own, drawn)
    n = p * (1 - p) / error.variance * (norm.ppf(0.975) / t.ppf(0.975, 39)) ** 2
    ends = beta.ppf(0.025, p * n, n - p * n + 1), beta.ppf(0.975, p * n + 1, n - p * n)
    assert tuple(found) == pytest.approx(ends)
    assert found.method == "korn-graubard"


def test_a_difference_has_students_t_and_its_p_value_ends_the_interval() -> None:
    counts = np.array([500.0, 30.0, 12.0, 60.0])
    first = Influence.centred(530 / 602, np.array([1.0, 1, 0, 0]), counts)
    second = Influence.centred(512 / 602, np.array([1.0, 0, 1, 0]), counts)
    own = first - second
    assert own.events == pytest.approx(42, rel=0.05)
    p_value = p_value_of(own)
    low, high = interval_of_difference(own, (0, 1), 1 - p_value)
    assert low == pytest.approx(0, abs=1e-12)
    assert high == pytest.approx(2 * own.value)
    wilson = interval_of(first, (0, 1), 0.95)
    for end in wilson:
        assert p_value_at(first, (0, 1), end) == pytest.approx(0.05, rel=1e-6)


def test_few_units_and_few_events_have_reasons() -> None:
    own = Influence.centred(float(VALUES.mean()), VALUES)
    found = interval_of(own, (0, 1), 0.95, Drawn(UNITS, 3))
    assert math.isnan(found.low)
    assert "6 rows of 3 units vary as 2.6 units" in str(found.reason)
    rare = Influence.centred(0.997, np.array([1.0, 0.0]), np.array([997, 3]))
    assert "fewer than 4 instances decide the value" in str(interval_of(rare, (0, 1), 0.95).reason)
    assert math.isnan(p_value_of(own, Drawn(UNITS, 3)))


@pytest.mark.full(keep=19)
@pytest.mark.parametrize("seed", range(30))
def test_names_of_clusters_and_the_order_of_rows_change_no_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 6, 2))
    table = rng.integers(0, rng.choice([4, 12, 60]), shape)
    table[np.arange(min(shape)), np.arange(min(shape))] += rng.integers(1, 40)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    rows, cols = (rng.permutation(size) for size in table.shape)
    other = table[rows][:, cols]
    one, again = (external_intervals(INDICES, given.tolist()) for given in (table, other))
    for name, own in one.items():
        assert math.isnan(own.low) == math.isnan(again[name].low), name
        if not math.isnan(own.low):
            slack = 1e-6 * (own.high - own.low) + 1e-12
            assert tuple(own) == pytest.approx(tuple(again[name]), abs=slack), name


def test_the_larger_of_two_is_too_large_by_clarks_formula() -> None:
    rng = np.random.default_rng(1)
    drawn = np.maximum(rng.normal(0.7, 1.0, 400_000), rng.normal(0.0, 2.0, 400_000)).mean()
    assert excess_of_larger(np.array([0.7]), np.array([5.0]))[0] == pytest.approx(drawn - 0.7, abs=0.01)


REFUSED: list[tuple[str, str, Any]] = [
    ("nmi", "independent", np.outer([40, 20], [30, 15, 15]) // 6),
    ("entropy_true", "even clusters", np.diag([25, 25, 25, 25])),
    ("entropy_true", "clusters not drawn", np.diag([9, 8, 3])),
    ("nmi", "cells not drawn", np.eye(12, dtype=int) + np.eye(12, dtype=int)[::-1]),
    ("jaccard", "too few pairs", np.array([[3, 1, 0], [0, 3, 1], [1, 0, 1]])),
    ("purity", "match not clear", np.array([[10, 9, 3], [9, 10, 2], [3, 2, 12]])),
    ("adjusted_asymmetric_accuracy", "not as many clusters", np.array([[40, 2, 3], [1, 30, 22]])),
    ("larsen_aone", "small cluster", np.array([[90, 2], [0, 5]])),
    ("element_centric", "sizes tie", np.array([[30, 5], [4, 31]])),
    (
        "bcubed_f",
        "alone",
        np.diag([10] + [1] * 12) + np.eye(13, k=1, dtype=int) * (np.arange(13) == 0)[:, None],
    ),
    ("pair_sets_index", "bend", np.array([[30, 5], [4, 61]])),
    ("adjusted_rand", "one cluster", np.array([[10, 20]])),
    ("rand", "few instances", np.array([[1, 1]])),
    ("rand", "one instance", np.array([[1]])),
]


@pytest.mark.parametrize(("name", "rule", "table"), REFUSED)
def test_each_rule_refuses_with_its_reason(name: str, rule: str, table: np.ndarray) -> None:
    found = external_intervals([name], table.tolist())[name]
    start = REFUSALS[rule].reason.split("{")[0]
    assert start in str(found.reason) or "every value is possible" in str(found.reason)
    assert math.isnan(found.low) or rule == "one instance"
