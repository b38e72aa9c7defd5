"""Differences of two clusterings' scores: beside instances left out one by one, sums of units, and formulas."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
import interval_twin as twin
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.common.significance import Difference
from adjudge.inference.differences.clustering_differences import differences_of_clusterings
from adjudge.inference.sampling_design import Drawn

# The truth and both clusterings of each cell, and how many instances it has.
CELLS = np.array([[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 1, 1], [1, 1, 0], [1, 0, 1], [2, 2, 2], [2, 2, 1]])
COUNTS = np.array([41, 9, 4, 52, 12, 3, 33, 8])
PAIRS = ["rand", "adjusted_rand", "jaccard", "fowlkes_mallows"]
ENTROPIES = ["ami", "nmi", "v_measure", "homogeneity"]


def sample(counts: Any = COUNTS, cells: Any = CELLS) -> CrossTabulation:
    return CrossTabulation(
        np.asarray(counts), [np.ascontiguousarray(column) for column in np.asarray(cells).T]
    )


def differences(
    names: list[str], own: CrossTabulation | None = None, confidence: float = 0.95, drawn: Drawn | None = None
) -> dict[str, Difference]:
    records = [adjudge.find_index(name, "external") for name in names]
    return differences_of_clusterings(records, own or sample(), confidence, drawn)


def rows(counts: Any = COUNTS, cells: Any = CELLS) -> np.ndarray:
    return np.repeat(np.asarray(cells), counts, axis=0)


def score(name: str, labels: np.ndarray, model: int) -> float:
    return float(adjudge.find_index(name, "external")(labels[:, 0], labels[:, model]))


def difference(name: str, labels: np.ndarray) -> float:
    return score(name, labels, 1) - score(name, labels, 2)


def left_out(name: str) -> np.ndarray:
    """Influence of each row by taking it out of the data."""
    labels = rows()
    _, first, inverse = np.unique(labels, axis=0, return_index=True, return_inverse=True)
    of_cells = np.array([difference(name, np.delete(labels, i, axis=0)) for i in first])
    psi = -(len(labels) - 1) * of_cells[inverse.ravel()]
    return psi - psi.mean()


@pytest.mark.parametrize("name", PAIRS)
def test_the_interval_of_pairs_is_that_of_leaving_instances_out(name: str) -> None:
    found = differences([name])[name]
    psi, n = left_out(name), COUNTS.sum()
    value = difference(name, rows())
    low, high = found.interval
    assert (low, high) == pytest.approx(twin.ends(value, psi), abs=0.03 * (high - low))
    assert found.test is not None
    if name != "rand":  # whose test is another one
        assert found.test.statistic == pytest.approx(value / math.sqrt((psi @ psi) / (n * (n - 1))), rel=0.03)
        assert (found.test.p_value < 0.05) == (not low <= 0 <= high)


def test_the_p_value_is_that_with_which_an_interval_ends_at_0() -> None:
    for name in ("adjusted_rand", "jaccard", "ami"):
        found = differences([name])[name]
        assert found.test is not None
        low, high = differences([name], confidence=1 - found.test.p_value)[name].interval
        assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", [*PAIRS, *ENTROPIES, "purity", "bcubed_f"])
def test_swapped_models_have_negated_ends(name: str) -> None:
    one = differences([name])[name]
    other = differences([name], sample(cells=CELLS[:, [0, 2, 1]]))[name]
    assert math.isnan(one.interval.low) == math.isnan(other.interval.low)
    if math.isnan(one.interval.low):
        assert one.interval.reason == other.interval.reason
        return
    assert tuple(other.interval) == pytest.approx((-one.interval.high, -one.interval.low))
    assert one.freedom is other.freedom is None
    assert one.test is not None
    assert other.test is not None
    assert one.test.p_value == pytest.approx(other.test.p_value)


@pytest.mark.parametrize("name", ["adjusted_rand", "nmi"])
def test_names_and_the_order_of_cells_change_nothing(name: str) -> None:
    rng = np.random.default_rng(3)
    order = rng.permutation(len(COUNTS))
    renamed = np.column_stack([rng.permutation(3)[CELLS[:, i]] for i in range(3)])
    one = differences([name])[name].interval
    other = differences([name], sample(COUNTS[order], renamed[order]))[name].interval
    assert tuple(one) == pytest.approx(tuple(other))


def drawn_of(units: np.ndarray) -> tuple[CrossTabulation, Drawn]:
    own = sample()
    entry = np.repeat(np.arange(len(COUNTS)), COUNTS)
    return own, Drawn(units, int(units.max()) + 1, entry)


@pytest.mark.parametrize("name", ["adjusted_rand", "jaccard"])
def test_units_vary_by_the_sums_of_their_rows(name: str) -> None:
    units = np.random.default_rng(0).integers(0, 30, COUNTS.sum())
    own, drawn = drawn_of(units)
    found = differences([name], own, drawn=drawn)[name]
    low, high = found.interval
    psi = left_out(name)
    unseen = float(np.abs(np.bincount(units, psi)).max()) / psi.size
    expected = twin.ends_of_units(difference(name, rows()), psi, units, unseen, unseen)
    assert (low, high) == pytest.approx(expected, abs=0.04 * (high - low))


@pytest.mark.parametrize("name", [*PAIRS, "nmi"])
def test_a_unit_a_row_is_no_unit(name: str) -> None:
    own, drawn = drawn_of(np.random.default_rng(1).permutation(COUNTS.sum()))
    one, other = differences([name])[name], differences([name], own, drawn=drawn)[name]
    assert tuple(one.interval) == pytest.approx(tuple(other.interval))


@pytest.mark.parametrize("name", ["adjusted_rand", "jaccard", "ami", "v_measure"])
def test_two_rows_that_only_one_clustering_has_right_are_no_evidence(name: str) -> None:
    """Of 1,500 rows, two tell the clusterings apart, both in favour of the first: that happens by chance."""
    rng = np.random.default_rng(0)
    truth = rng.choice(4, 1500, p=[0.4, 0.3, 0.2, 0.1])
    first = np.where(rng.random(1500) < 0.06, rng.integers(0, 4, 1500), truth)
    second = first.copy()
    second[np.flatnonzero(first == truth)[:2]] += 1
    cells, counts = np.unique([truth, first, second], axis=1, return_counts=True)
    found = differences([name], sample(counts, cells.T))[name]
    assert found.test is not None
    assert found.test.p_value > 0.1
    assert found.interval.low < 0 < found.interval.high


def test_rows_that_always_come_in_pairs_say_as_much_as_half_of_them() -> None:
    twice = sample(2 * COUNTS)
    units = np.repeat(np.arange(COUNTS.sum()), 2)
    drawn = Drawn(units, COUNTS.sum(), np.repeat(np.arange(len(COUNTS)), 2 * COUNTS))
    one = differences(["adjusted_rand"])["adjusted_rand"].interval
    other = differences(["adjusted_rand"], twice, drawn=drawn)["adjusted_rand"].interval
    apart = differences(["adjusted_rand"], twice)["adjusted_rand"].interval
    assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.02)
    assert apart.high - apart.low < 0.75 * (one.high - one.low)


@pytest.mark.parametrize("name", ENTROPIES)
def test_entropies_lie_around_an_estimate_near_the_difference_of_the_sample(name: str) -> None:
    found = differences([name])[name].interval
    value = difference(name, rows())
    assert found.low < value < found.high
    assert (found.low + found.high) / 2 == pytest.approx(value, abs=0.1 * (found.high - found.low))
    # What was not drawn is missing from both scores: the estimate is not that of the sample.
    if name in ("nmi", "v_measure"):
        few = sample(np.maximum(COUNTS // 8, 1))
        own = differences([name], few)[name].interval
        of_sample = difference(name, rows(np.maximum(COUNTS // 8, 1)))
        if not math.isnan(own.low):
            assert (own.low + own.high) / 2 != pytest.approx(of_sample, abs=1e-9)


def test_the_end_is_no_farther_than_scores_can_differ() -> None:
    few = sample([6, 1, 2, 7, 1, 2, 5, 1])
    for name in ("rand", "jaccard"):
        low, high = differences([name], few, 0.999999)[name].interval
        assert -1 <= low < high <= 1


def test_the_test_of_equal_rand_indices_and_its_interval_agree() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        own = sample(rng.integers(3, 40, len(COUNTS)))
        for confidence in (0.9, 0.95):
            found = differences(["rand"], own, confidence)["rand"]
            assert found.test is not None
            says_so = found.interval.low > 0 or found.interval.high < 0
            assert says_so == (found.test.p_value < 1 - confidence)


def test_what_has_no_interval_says_why() -> None:
    same = sample([30, 20, 25], [[0, 0, 0], [1, 1, 1], [0, 1, 1]])
    assert "no instance changes it" in str(
        differences(["adjusted_rand"], same)["adjusted_rand"].interval.reason
    )
    two = sample([1, 1], [[0, 0, 1], [1, 1, 0]])
    assert str(differences(["rand"], two)["rand"].interval.reason)
    own, drawn = drawn_of(np.arange(COUNTS.sum()) % 6)
    reason = str(differences(["rand"], own, drawn=drawn)["rand"].interval.reason)
    assert "fewer than 10" in reason
    assert "one cluster" in str(
        differences(["adjusted_rand"], sample([20, 25], [[0, 0, 0], [1, 0, 1]]))[
            "adjusted_rand"
        ].interval.reason
    )


def test_comparisons_of_clusterings_have_these_differences() -> None:
    truth, one, two = rows().T
    both = adjudge.compare(
        truth, {"p": one, "q": two}, kind="clustering", indices=["adjusted_rand", "nmi"], confidence=0.9
    )
    for name, own in both["p", "q"].differences.items():
        found = differences([name], confidence=0.9)[name]
        assert own.value == pytest.approx(difference(name, rows()))
        assert own.interval == pytest.approx(tuple(found.interval))
        assert own.freedom == pytest.approx(found.freedom)
        back = both["q", "p"].differences[name]
        assert back.interval == pytest.approx(tuple(-end for end in reversed(tuple(found.interval))))
