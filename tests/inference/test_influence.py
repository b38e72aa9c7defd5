"""Influence values beside leaving instances out, rows drawn in units beside sums by hand, intervals beside formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import digamma
from scipy.stats import gamma, norm, poisson, t

import adjudge
import interval_twin as twin
from adjudge.inference.common.event_sums import EventSums, reach_of
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.influence import Influence
from adjudge.inference.interval import METHOD, Wanted, interval_of, intervals_of, p_value_of, p_values_of
from adjudge.inference.partitions.entropy_estimate import EntropyEstimate
from adjudge.inference.partitions.intervals import TableIntervals, external_intervals
from adjudge.inference.partitions.overlap_influence import excess_of_larger
from adjudge.inference.refusals import REFUSALS
from adjudge.inference.sampling_design import Drawn, variance_of
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
    made = TableIntervals(given, CrossTabulation.of_table(given), {}, "score", 0.95, None)
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


UNITS = np.array([0, 0, 1, 2, 2, 2])
VALUES = np.array([1.0, 0.0, 1.0, 1.0, 1.0, 0.0])


def test_units_vary_by_their_sums() -> None:
    own = Influence.centred(float(VALUES.mean()), VALUES)
    drawn = Drawn(UNITS, 3)
    sums = [1 - 2 * 2 / 3, 1 - 2 / 3, 2 - 3 * 2 / 3]
    variance = variance_of(own, drawn)
    assert variance == pytest.approx(3 / 2 * sum(x**2 for x in sums) / 36)
    assert drawn.effective == pytest.approx(36 / (4 + 1 + 9))
    # The same by cell: values 0 and 1.
    by_cell = Influence.centred(2 / 3, np.array([0.0, 1.0]), np.array([2, 4]))
    cells = Drawn(UNITS, 3, VALUES.astype(np.int64))
    assert variance_of(by_cell, cells) == pytest.approx(variance)
    # And with several rows to a line.
    lines = Drawn(np.array([0, 0, 1, 2, 2]), 3, np.array([1, 0, 1, 1, 0]), np.array([1, 1, 1, 2, 1]))
    assert variance_of(by_cell, lines) == pytest.approx(variance)


def test_a_weight_is_the_size_of_a_unit() -> None:
    weights = np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.5])
    mean = float(np.average(VALUES, weights=weights))
    weighted = Influence(mean, VALUES - mean)
    drawn = Drawn(np.arange(6), 6, None, weights)
    linearised = 6 / 5 * float((weights**2 * (VALUES - mean) ** 2).sum()) / weights.sum() ** 2
    assert variance_of(weighted, drawn) == pytest.approx(linearised)
    assert drawn.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


def test_a_count_has_the_mid_p_limits_of_poissons_law() -> None:
    """Events of one size: half of the probability of what was seen lies beyond each limit."""
    for seen in (0, 1, 3, 10, 40):
        sums = EventSums(*(np.array([float(own)]) for own in (seen, seen, 1)))
        for tail in (0.005, 0.025, 0.2):
            high = seen + reach_of(sums, tail, np.array([True]))[0]
            assert poisson.cdf(seen, high) - poisson.pmf(seen, high) / 2 == pytest.approx(tail)
            low = seen - reach_of(sums, tail, np.array([False]))[0]
            if seen:
                assert poisson.sf(seen, low) + poisson.pmf(seen, low) / 2 == pytest.approx(tail)
            else:
                assert low == 0


@pytest.mark.parametrize("seed", range(6))
def test_intervals_are_those_of_rises_and_falls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 30, 8).astype(float)
    own = Influence.centred(0.4, rng.normal(size=8) ** 3, counts, rise=0.01 * seed, fall=0.02)
    low, high = twin.ends(0.4, own.psi, counts, own.rise, own.fall, 0.9)
    assert tuple(interval_of(own, (-math.inf, math.inf), 0.9)) == pytest.approx((low, high))
    assert tuple(interval_of(own, (0.39, 0.41), 0.9)) == pytest.approx((max(low, 0.39), min(high, 0.41)))
    # The same instances, each as an entry of its own, and in units.
    rows = Influence(0.4, np.repeat(own.psi, counts.astype(int)), None, own.rise, own.fall)
    assert tuple(interval_of(rows, (-math.inf, math.inf), 0.9)) == pytest.approx((low, high))
    units = rng.integers(0, 25, rows.psi.size)
    found = interval_of(rows, (-math.inf, math.inf), 0.9, Drawn(units, 25))
    assert tuple(found) == pytest.approx(twin.ends_of_units(0.4, rows.psi, units, own.rise, own.fall, 0.9))
    assert found.method == METHOD


def test_several_intervals_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    wanted = [Wanted(Influence.centred(0.3, rng.normal(size=50), rise=0.01 * i), (-1, 1)) for i in range(5)]
    wanted.insert(2, Wanted(Influence.centred(0.9, np.array([1.0, 0.0]), np.array([90, 10])), (0, 1)))
    wanted.insert(3, Wanted(Influence(math.nan, np.zeros(3)), (0, 1)))
    together = intervals_of(wanted, 0.95)
    for own, found in zip(wanted, together, strict=True):
        alone = interval_of(*own[:2], 0.95)
        assert tuple(found) == pytest.approx(tuple(alone), nan_ok=True)
    assert [math.isnan(found.low) for found in together] == [False] * 3 + [True] + [False] * 3
    p_values = p_values_of(wanted, 0.1)
    for own, found in zip(wanted, p_values.tolist(), strict=True):
        assert found == pytest.approx(p_value_of(own, 0.1), nan_ok=True)


@pytest.mark.parametrize("seed", range(5))
def test_the_p_value_ends_the_interval(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own = Influence.centred(rng.normal(0, 0.2), rng.normal(size=60) ** 3, rise=0.03, fall=0.05)
    units = rng.integers(0, 20, 60)
    for drawn in (None, Drawn(units, 20)):
        for null in (0.0, -0.7, 0.9):
            p = p_value_of(Wanted(own, (-math.inf, math.inf), drawn), null)
            if p == 1:
                low, high = interval_of(own, (-math.inf, math.inf), 1e-6, drawn)
                assert low < null < high
                continue
            low, high = interval_of(own, (-math.inf, math.inf), 1 - p, drawn)
            assert (low if null < own.value else high) == pytest.approx(null, abs=1e-7)
    share = Influence.centred(0.9, np.array([1.0, 0.0]), np.array([90, 10]))
    for end in interval_of(share, (0, 1), 0.95):
        assert p_value_of(Wanted(share, (0, 1)), end) == pytest.approx(0.05, rel=1e-6)


def test_what_no_instance_changes_allows_for_the_next_one() -> None:
    psi = np.zeros(40)
    best = interval_of(Influence(1.0, psi, rise=0.0, fall=0.02), (0, 1), 0.95)
    assert tuple(best) == pytest.approx((49 / (49 + norm.ppf(0.975) ** 2), 1.0))
    assert (best.one_sided, best.method) == (True, "wilson")
    within = interval_of(Influence(0.5, psi, rise=0.01, fall=0.02), (0, 1), 0.95)
    three = math.log(20) * t.ppf(0.975, 39) / norm.ppf(0.975)
    assert tuple(within) == pytest.approx((0.5 - 0.02 * three, 0.5 + 0.01 * three))
    unknown = interval_of(Influence(0.5, psi), (0, 1), 0.95)
    assert tuple(unknown) == pytest.approx((0.5 - three / 41, 0.5 + three / 41))
    assert "the next one would" in str(unknown.reason)
    assert math.isnan(interval_of(Influence(0.5, psi), (0, math.inf), 0.95).low)


def test_few_units_have_a_reason_and_students_t() -> None:
    own = Influence.centred(float(VALUES.mean()), VALUES)
    found = interval_of(own, (0, 1), 0.95, Drawn(UNITS, 3))
    assert math.isnan(found.low)
    assert "6 rows of 3 units vary as 2.6 units" in str(found.reason)
    sizes, sums = np.array([2, 1, 3]), np.array([1 - 4 / 3, 1 - 2 / 3, 0])
    error = math.sqrt(2 / 3 * float((sums**2 / (6 - sizes) ** 2).sum()))
    expected = 2 * t.sf(2 / 3 / error, 36 / 14 - 1)
    assert p_value_of(Wanted(own, (0, 1), Drawn(UNITS, 3))) == pytest.approx(expected)
    assert math.isnan(p_value_of(Wanted(own, (0, 1), Drawn(np.zeros(6, int), 1))))


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
    ("entropy_true", "cells not drawn", np.diag([9, 8, 3, *[1] * 20])),
    ("nmi", "cells not drawn", np.eye(12, dtype=int) + np.eye(12, dtype=int)[::-1]),
    ("jaccard", "too few pairs", np.array([[3, 1, 0], [0, 3, 1], [1, 0, 1]])),
    ("purity", "match not clear", np.array([[10, 9, 3], [9, 10, 2], [3, 2, 12]])),
    ("adjusted_asymmetric_accuracy", "match not clear", np.array([[40, 2, 12], [1, 30, 29]])),
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


def test_reach_by_the_definition_of_mid_p_gamma_limits(rng: np.random.Generator) -> None:
    """Beyond the limit, half the tail of the events seen and half that of one more make up the probability."""
    n = 300
    total = np.where(rng.random(n) < 0.1, 0.0, rng.exponential(size=n) * 10 ** rng.uniform(-3, 3, n))
    largest = np.maximum(total, 1e-3) * rng.random(n)
    squares = total * largest * rng.uniform(0.1, 1, n)
    tails, upper = 10 ** rng.uniform(-10, -0.4, n), rng.random(n) < 0.5
    found = reach_of(EventSums(total, squares, largest), tails, upper)
    for i, reach in enumerate(found):
        if not (upper[i] or total[i]):
            assert reach == 0
            continue
        parts = [(total[i], squares[i]), (total[i] + largest[i], squares[i] + largest[i] ** 2)]
        laws = [gamma(mean**2 / variance, scale=variance / mean) for mean, variance in parts if mean]
        limit = total[i] + reach if upper[i] else total[i] - reach
        if limit < 1e-6 * total[i]:  # whose digits the difference has lost
            continue
        beyond = sum(law.sf(limit) if upper[i] else law.cdf(limit) for law in laws) / 2
        assert beyond == pytest.approx(tails[i], rel=1e-6) or reach == 0
