"""Shares of all cells of a grid, estimated from a stratified sample of its laws, and how sure they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture(scope="module")
def estimate() -> Iterator[ModuleType]:
    there = set(sys.modules)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCHMARKS)
        import coverage_estimate

        yield coverage_estimate
    for name in {"coverage_estimate", "coverage_rows"} - there:
        sys.modules.pop(name, None)


def grid_of(rng: np.random.Generator, laws: dict[tuple[str, int], int], share: float) -> list[dict[str, Any]]:
    """Rows of a whole grid: cells of a law mostly agree, and some are not judged."""
    rows = []
    for (part, n), size in laws.items():
        for law in range(size):
            own = rng.beta(2 * share, 2 * (1 - share))
            for name in range(12):
                held = rng.random() < own
                coverage = None if rng.random() < 0.3 else 0.95 if held else 0.85
                rows.append({"part": part, "n": n, "law": f"law {law}", "name": name, "coverage": coverage})
    return rows


def judged(row: dict[str, Any]) -> bool:
    return row["coverage"] is not None


def inside(row: dict[str, Any]) -> bool:
    return bool(row["coverage"] > 0.9)


def some(rng: np.random.Generator, rows: list[dict[str, Any]], laws: int) -> list[dict[str, Any]]:
    keys = sorted({(row["part"], row["n"], row["law"]) for row in rows})
    chosen = set()
    for stratum in sorted({key[:2] for key in keys}):
        own = [key for key in keys if key[:2] == stratum]
        chosen |= {own[i] for i in rng.permutation(len(own))[:laws]}
    return [row for row in rows if (row["part"], row["n"], row["law"]) in chosen]


LAWS = {("one", 30): 50, ("one", 100): 50, ("other", 30): 20}


def test_the_whole_grid_has_no_error(estimate: ModuleType) -> None:
    rows = grid_of(np.random.default_rng(0), LAWS, 0.8)
    found = estimate.share_of_grid(rows, LAWS, judged, inside)
    own = [row for row in rows if judged(row)]
    assert found.value == pytest.approx(np.mean([inside(row) for row in own]))
    assert found.low == found.value == found.high
    assert (found.laws, found.cells) == (120, len(own))


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_intervals_hold_the_share_of_the_grid(estimate: ModuleType, share: float) -> None:
    rng = np.random.default_rng(1)
    rows = grid_of(rng, LAWS, share)
    truth = estimate.share_of_grid(rows, LAWS, judged, inside).value
    found = [estimate.share_of_grid(some(rng, rows, 10), LAWS, judged, inside) for _ in range(300)]
    assert 0.9 < np.mean([each.low <= truth <= each.high for each in found]) <= 0.99
    # Strata have different sizes, and weigh as much as they have laws.
    assert np.mean([each.value for each in found]) == pytest.approx(truth, abs=0.02)


def test_a_stratum_of_which_less_was_drawn_weighs_more(estimate: ModuleType) -> None:
    rows = [
        {"part": "one", "n": 30, "law": "a", "coverage": 0.95},
        {"part": "one", "n": 100, "law": "a", "coverage": 0.85},
        {"part": "one", "n": 100, "law": "b", "coverage": 0.85},
    ]
    strata = {("one", 30): 6, ("one", 100): 2}
    found = estimate.share_of_grid(rows, strata, judged, inside)
    assert found.value == pytest.approx(6 / 8)
    assert found.low < 0.75 < found.high


def test_where_no_cell_fails_the_bound_is_that_of_as_many_laws(estimate: ModuleType) -> None:
    """36 cells of 3 laws that stand and fall together tell no more than 3."""
    rows = [
        {"part": "one", "n": 30, "law": law, "name": name, "coverage": 0.95}
        for law in "abc"
        for name in range(12)
    ]
    found = estimate.share_of_grid(rows, {("one", 30): 40}, judged, inside)
    assert found.value == 1.0
    assert found.high == 1.0
    assert found.low < 0.5


def test_nothing_judged_has_no_share(estimate: ModuleType) -> None:
    rows = [{"part": "one", "n": 30, "law": "a", "coverage": None}]
    assert np.isnan(estimate.share_of_grid(rows, {("one", 30): 40}, judged, inside).value)
