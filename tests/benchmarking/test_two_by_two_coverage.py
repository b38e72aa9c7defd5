"""The coverage that is summed over all tables of four counts is that of the samples themselves."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import adjudge
from adjudge.indices.catalog import find_index
from adjudge.statistics.contingency import Contingency

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
NAMES = ("rand", "pair_precision", "nmi")
N = 8


@pytest.fixture(scope="module")
def study() -> Iterator[ModuleType]:
    sys.path.insert(0, str(BENCHMARKS))
    try:
        import two_by_two_coverage

        yield two_by_two_coverage
    finally:
        sys.path.remove(str(BENCHMARKS))
        for name in ("two_by_two_coverage", "coverage_indices"):
            sys.modules.pop(name, None)


def test_all_tables_are_there_once(study: ModuleType) -> None:
    tables = study.tables_of(N)
    assert len({*map(tuple, tables.reshape(-1, 4).tolist())}) == len(tables) == 165
    assert set(tables.sum(axis=(1, 2))) == {N}


def test_laws_are_distributions_with_the_clusters_they_name(study: ModuleType) -> None:
    laws = dict(study.laws())
    assert len(laws) == 45
    for name, shares in laws.items():
        clusters, part = name.split(", ")
        first, second = map(float, clusters.split(" and "))
        assert shares.min() > 0
        assert shares.sum(axis=1) == pytest.approx([first, 1 - first])
        assert shares.sum(axis=0) == pytest.approx([second, 1 - second])
        covariance = shares[0, 0] - first * second
        most = min(first * (1 - second), second * (1 - first)) if covariance > 0 else first * second
        assert covariance == pytest.approx(float(part) * most)


@pytest.mark.parametrize("law", ["0.5 and 0.3, 0.3", "0.3 and 0.1, -0.4"])
def test_coverage_is_that_of_every_sample(study: ModuleType, law: str) -> None:
    shares = dict(study.laws())[law]
    cells = list(itertools.product(range(2), repeat=2))
    population = Contingency.from_matrix(np.round(shares * 10**9).astype(np.int64))
    truth = {name: float(find_index(name, "external")(population)) for name in NAMES}
    held, given = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0.0)
    for drawn in itertools.product(range(4), repeat=N):
        probability = math.prod(float(shares[cells[i]]) for i in drawn)
        counts = tuple(drawn.count(i) for i in range(4))
        found = _intervals(counts)
        for name in NAMES:
            low, high = found[name]
            if not np.isnan(low):
                given[name] += probability
                held[name] += probability * (low - 1e-9 <= truth[name] <= high + 1e-9)
    rows = {row["name"]: row for row in study.rows_of(N, NAMES) if row["law"] == law}
    for name in NAMES:
        assert 1 - rows[name]["refused"] == pytest.approx(given[name])
        if rows[name]["coverage"] is not None:
            assert rows[name]["coverage"] == pytest.approx(held[name] / given[name])
    assert rows["rand"]["coverage"] is not None


_FOUND: dict[tuple[int, ...], dict[str, tuple[float, float]]] = {}


def _intervals(counts: tuple[int, ...]) -> dict[str, tuple[float, float]]:
    if counts not in _FOUND:
        own = adjudge.confidence_intervals(list(NAMES), [list(counts[:2]), list(counts[2:])])
        _FOUND[counts] = {name: (own[name].low, own[name].high) for name in NAMES}
    return _FOUND[counts]
