"""What the coverage study measured of a cell in several runs counts as if it had been one run."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def rows() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("coverage_rows", BENCHMARKS / "coverage_rows.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["coverage_rows"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["coverage_rows"]


REFUSED, BOUND = "refused", "bound"


def row_of(outcomes: list[Any], seed: int, name: str = "rand") -> dict[str, Any]:
    """Row that the study writes of a cell: of each sample True, False, REFUSED, or (BOUND, whether it held)."""
    drawn = len(outcomes)
    bounds = [o[1] for o in outcomes if isinstance(o, tuple)]
    held = [o for o in outcomes if isinstance(o, bool)]
    told = held + bounds
    judged = len(held) >= drawn / 2
    return {
        "seed": seed,
        "part": "external",
        "law": "a law",
        "n": 30,
        "name": name,
        "replicates": len(held),
        "refused": outcomes.count(REFUSED) / drawn,
        "one_sided": len(bounds) / drawn,
        "together": float(np.mean(told)) if told else None,
        "missed": (len(told) - sum(told)) / drawn,
        "coverage": float(np.mean(held)) if judged else None,
        "width": 1.0 + seed if judged else None,
    }


FIRST = [True] * 45 + [False] * 5 + [REFUSED] * 30 + [(BOUND, True)] * 15 + [(BOUND, False)] * 5
SECOND = [True] * 290 + [False] * 10


def test_two_runs_count_as_one(rows: ModuleType) -> None:
    """Shares of samples are weighted by all samples that were drawn, coverages by the intervals that were given."""
    (found,) = rows.pooled([row_of(FIRST, 1), row_of(SECOND, 2)])
    assert found["replicates"] == 370
    assert found["together"] == pytest.approx((45 + 15 + 290) / 370)
    assert found["coverage"] == pytest.approx((45 + 15 + 290) / 370)
    assert found["refused"] == pytest.approx(30 / 400)
    assert found["one_sided"] == pytest.approx(20 / 400)
    assert found["missed"] == pytest.approx((5 + 5 + 10) / 400)
    # Of the runs that have a width, by their two-sided intervals.
    assert found["width"] == pytest.approx((2.0 * 50 + 3.0 * 300) / 350)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_a_run_in_two_parts_is_the_run(rows: ModuleType, share: float) -> None:
    generator = np.random.default_rng(0)
    kinds: list[Any] = [True, False, REFUSED, (BOUND, True), (BOUND, False)]
    outcomes = [kinds[i] for i in generator.choice(5, 300, p=[0.6, 0.1, 0.1, 0.15, 0.05])]
    cut = round(300 * share)
    (whole,) = rows.pooled([row_of(outcomes, 1)])
    (parts,) = rows.pooled([row_of(outcomes[:cut], 1), row_of(outcomes[cut:], 2)])
    for key in ("replicates", "refused", "one_sided", "missed", "together", "coverage"):
        assert parts[key] == pytest.approx(whole[key]), key


def test_a_cell_is_judged_if_half_of_all_samples_have_two_ends(rows: ModuleType) -> None:
    refused = [REFUSED] * 60 + [True] * 40
    (alone,) = rows.pooled([row_of(refused, 1)])
    assert alone["coverage"] is None
    assert alone["together"] == 1.0
    (both,) = rows.pooled([row_of(refused, 1), row_of(SECOND, 2)])
    assert both["coverage"] == pytest.approx((40 + 290) / 340)


def test_a_cell_in_which_no_interval_can_be_right_is_not_judged(rows: ModuleType) -> None:
    """One of the runs is enough: which cells these are depends on the law, and older rows do not say it."""
    (found,) = rows.pooled([row_of(SECOND, 1), row_of(SECOND, 2) | {"gap": [0.9198, 0.9811]}])
    assert found["coverage"] is None
    assert found["together"] == pytest.approx(290 / 300)
    assert found["gap"] == [0.9198, 0.9811]
    (refused,) = rows.pooled([row_of([REFUSED] * 60 + [True] * 40, 1) | {"gap": [0.9198, 0.9811]}])
    assert refused["gap"] is None
    (found,) = rows.pooled([row_of(SECOND, 1)])
    assert found["gap"] is None
    assert found["coverage"] == pytest.approx(290 / 300)


def test_samples_are_told_by_an_index_that_was_not_refused(rows: ModuleType) -> None:
    """An index that is refused throughout says nothing of how many samples there were; its neighbour does."""
    mostly = [REFUSED] * 90 + [True] * 10
    pairs = [
        row_of(mostly, 1),
        row_of([REFUSED] * 300, 2),
        row_of([True] * 100, 1, "jaccard"),
        row_of([True] * 300, 2, "jaccard"),
    ]
    found = {row["name"]: row for row in rows.pooled(pairs)}
    assert found["rand"]["refused"] == pytest.approx(390 / 400)
    assert found["rand"]["coverage"] is None
    assert found["rand"]["replicates"] == 10


def test_cells_are_kept_apart(rows: ModuleType) -> None:
    other = row_of(SECOND, 1) | {"n": 100}
    assert [row["n"] for row in rows.pooled([row_of(SECOND, 1), other])] == [30, 100]


def test_sizes_of_tests_are_weighted_by_their_samples(rows: ModuleType) -> None:
    test = {"seed": 1, "part": "size", "law": "a law", "n": 30, "name": "score", "disagreements": 3.0}
    runs = [test | {"replicates": 100, "rejected": 0.1}, test | {"replicates": 300, "rejected": 0.02}]
    (found,) = rows.pooled(runs)
    assert found["replicates"] == 400
    assert found["rejected"] == pytest.approx(0.04)
