"""How long a simulation takes decides whether there is one, and an interruption never waits long."""

from __future__ import annotations

import numpy as np
import pytest

from adjudge.inference import null_distribution
from adjudge.inference.chance import null_tables
from adjudge.inference.chance.null_tables import RandomTables
from adjudge.statistics import Contingency

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
