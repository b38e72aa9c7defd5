"""Chance where numbers run out, or time: vanishing p-values, gaps, means that do not exist, how long tables take."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.inference import null_distribution
from adjudge.inference.chance import null_tables
from adjudge.inference.chance.null_tables import RandomTables
from adjudge.presentation.numbers import show_number
from adjudge.statistics import Contingency


def test_a_p_value_below_floating_point_is_shown() -> None:
    pairs = np.repeat(np.arange(500_000), 2)
    found = adjudge.evaluate(pairs, pairs, indices=["rand"], adjust=True)
    assert "< 2.3e-308" in str(found)


def test_the_bound_of_a_vanishing_p_value() -> None:
    from adjudge.presentation.numbers import UpperBound, bounded

    assert isinstance(bounded(0.0, 0.0), UpperBound)
    assert show_number(bounded(0.0, 0.0)) == "< 2.3e-308"
    assert bounded(0.2, 0.0) == 0.2


@pytest.mark.full
@pytest.mark.parametrize(("n", "within"), [(50, 0.06), (100, 0.04), (400, 0.02)])
def test_the_tail_of_few_clusters_has_gaps(n: int, within: float) -> None:
    """Of two halves against two halves the number of joined pairs skips more numbers than it takes."""
    half = n // 2
    for more in range(2, half // 2):
        table = [[half // 2 + more, half - half // 2 - more], [half - half // 2 - more, half // 2 + more]]
        exact, law = (
            adjudge.inference.null_distribution("rand", table, method=method).p_value()
            for method in ("exact", "pearson3")
        )
        if 1e-3 < exact < 0.2:
            assert law == pytest.approx(exact, rel=within), table


@pytest.mark.full
def test_the_tail_of_few_clusters_is_no_smaller_than_it_is() -> None:
    rng = np.random.default_rng(0)
    for _ in range(40):
        r, c = rng.integers(2, 4, 2)
        truth = rng.integers(0, r, 100)
        labels = np.where(rng.random(100) < 0.25, truth % c, rng.integers(0, c, 100))
        exact, law = (
            adjudge.inference.null_distribution("rand", truth, labels, method=method).p_value()
            for method in ("exact", "pearson3")
        )
        if 1e-3 < exact < 0.2:
            assert 0.9 * exact < law < 2.5 * exact


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("null", ["all", "all1"])
def test_a_mean_that_does_not_exist_is_never_given(seed: int, null: str) -> None:
    labels: list[Any] = [[0, 1, 2, 3, 4, 5], [0, 1, 1, 2, 2, 3]]
    found = adjudge.inference.null_distribution("jaccard", *labels, null=null, random_state=seed, n_tables=50)
    assert math.isnan(found.mean)
    assert math.isnan(found.p_value())
    assert found.reason is not None
    assert "jaccard is undefined for" in found.reason
    assert math.isnan(
        adjudge.inference.expected_by_chance("jaccard", *labels, null=null, random_state=seed, n_tables=50)
    )


def test_the_reason_names_partitions_without_a_value() -> None:
    labels = np.arange(200) // 5, np.arange(200) % 7
    found = adjudge.inference.null_distribution("jaccard", *labels, null="all", random_state=0, n_tables=50)
    assert (
        found.reason
        == "jaccard is undefined for some partitions, such as single instances and single instances"
    )


def test_a_mean_that_exists_is_given() -> None:
    labels = np.arange(40) // 5, np.arange(40) % 7
    for index, null in (("rand", "all"), ("purity", "all"), ("jaccard", "num"), ("jaccard", "all1")):
        found = adjudge.inference.null_distribution(index, *labels, null=null, random_state=0, n_tables=50)
        assert math.isfinite(found.mean), (index, null)
        assert found.reason is None


@pytest.mark.full
def test_what_chance_cannot_change_is_chance_whatever_the_rounding() -> None:
    """If every table has the same value, no agreement is beyond chance, although values differ by rounding."""
    truth, prediction = np.arange(50), np.arange(50) % 49
    found = adjudge.evaluate(
        truth,
        prediction,
        indices=["ami", "nmi", "homogeneity", "adjusted_asymmetric_accuracy"],
        adjust=True,
        random_state=0,
    )
    for name, score in found.scores.items():
        assert score.p_value == 1.0, name
        if name != "ami":
            assert score.adjusted == 0.0, name


rng = np.random.default_rng(0)


def table(k: int, n: int = 1_000_000) -> Contingency:
    counts = rng.multinomial(n, np.full(k * k, 1 / k**2)).reshape(k, k)
    return Contingency.from_matrix(counts)


def test_the_law_is_chosen_by_seconds() -> None:
    for k, method in ((10, "simulate"), (300, "pearson3"), (700, "pearson3")):
        counted = table(k)
        # 10 cells each time as long would be a minute, or several.
        assert (
            null_distribution("adjusted_rand", counted, n_tables=17_000 if k > 10 else 500).method == method
        )
    seconds = [RandomTables(table(k)).seconds(17_000) for k in (10, 100, 300)]
    assert seconds[0] < 0.1 < seconds[1] < 8 < 60 < seconds[2]


def test_rounds_are_short_without_anybody_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = table(60)
    whole = RandomTables(counted, 0, n_threads=2).pair_sums(600)[1]
    monkeypatch.setattr(null_tables, "_ROUND", 1e-3)
    tables = RandomTables(counted, 0, n_threads=2)
    rounds: list[int] = []
    monkeypatch.setattr(tables, "_report", lambda done, wanted: rounds.append(done))
    assert (tables.pair_sums(600)[1] == whole).all()
    assert len(rounds) > 1
    assert rounds[-1] == 600


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(null_tables, "MOST_SECONDS", 0.5)
    monkeypatch.setattr(null_tables, "_FEWEST", 20)


@pytest.mark.full
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("name", ["nmi", "pivoted_accuracy"])
def test_as_many_tables_as_time_allows(name: str) -> None:
    few = null_distribution(name, table(150), random_state=0)
    assert few.n_tables is not None
    assert few.p_floor == 1 / (few.n_tables + 1)
    assert 50 < few.n_tables < 1000
    # A number that is asked for is kept.
    assert null_distribution(name, table(150), n_tables=30).n_tables == 30
    assert null_distribution(name, table(700, 3_000_000), random_state=0).n_tables == 20


@pytest.mark.full
def test_ordinary_tables_are_drawn_in_full() -> None:
    assert null_distribution("pivoted_accuracy", table(5)).n_tables == null_tables.N_TABLES == 17_000


@pytest.mark.full
@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize(("null", "n"), [("num", 2_000), ("num1", 2_000), ("all", 20_000), ("all1", 20_000)])
def test_random_partitions_take_no_longer(null: str, n: int) -> None:
    found = null_distribution("pivoted_accuracy", table(20, n), null=null, random_state=0)
    assert found.n_tables is not None
    assert 20 < found.n_tables < 17_000
    # Only partitions of any size have as many cells as instances.
    assert (found.n_tables < 500) == null.startswith("all")
