"""Which coverages an interval can have if a count decides what an index is."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from scipy.stats import binom

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
BAND = 0.92, 0.98


@pytest.fixture(scope="module")
def counts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_counts", BENCHMARKS / "coverage_counts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_event_of_a_thousand_leaves_a_gap(counts: ModuleType) -> None:
    found = counts.gap(1000, 0.001, *BAND)
    assert found == pytest.approx([binom.cdf(k, 1000, 0.001) for k in (2, 3)])
    assert found[0] < 0.92
    assert found[1] > 0.98


@pytest.mark.parametrize(
    ("n", "mean"), [(1000, 0.9), (1000, 1.1), (1000, 2), (3000, 3), (100, 1.0), (1000, 200)]
)
def test_other_means_do_not(counts: ModuleType, n: int, mean: float) -> None:
    assert counts.gap(n, mean / n, *BAND) is None


@pytest.mark.parametrize("mean", [0.5, 1.0, 1.01, 1.03, 2.5])
def test_a_gap_is_what_all_runs_leave(counts: ModuleType, mean: float) -> None:
    n, share = 400, mean / 400
    runs = [
        sum(binom.pmf(k, n, share) for k in range(first, last + 1))
        for first in range(12)
        for last in range(first, 12)
    ]
    inside = any(BAND[0] <= run <= BAND[1] for run in runs)
    assert (counts.gap(n, share, *BAND) is None) == inside


def test_only_an_index_that_the_count_decides_has_a_gap(counts: ModuleType) -> None:
    rng = np.random.default_rng(0)
    misplaced = rng.binomial(1000, 0.001, 400)
    other = rng.binomial(1000, 0.005, 400)
    events = {0.001: misplaced, 0.005: other}
    assert counts.gap_of(1 - misplaced / 1000, events, 1000, BAND) == counts.gap(1000, 0.001, *BAND)
    noise = rng.normal(size=400) * 1e-3
    assert counts.gap_of(1 - misplaced / 1000 + noise, events, 1000, BAND) is None
    assert counts.gap_of(1 - other / 1000, events, 1000, BAND) is None
    assert counts.gap_of(np.ones(400), events, 1000, BAND) is None
    assert counts.gap_of(np.ones(400), {}, 1000, BAND) is None


def test_values_that_are_not_known_do_not_count(counts: ModuleType) -> None:
    values = np.array([1.0, np.nan, 2.0, 1.0, 2.0])
    assert counts.explained(values, np.array([0, 1, 1, 0, 1])) == pytest.approx(1.0)
    assert counts.explained(values, np.array([0, 0, 0, 0, 0])) == pytest.approx(0.0)
