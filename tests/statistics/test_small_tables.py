"""What NumPy and Python do with few labels is what compiled loops do; first calls import nothing slow."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import adjudge
from adjudge import kernels, startup
from adjudge.given.alignment import align_labels
from adjudge.statistics import assignment
from adjudge.statistics.agreement import pairs_per_instance
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.counting import cell_sizes
from adjudge.statistics.pair_counts import pairs_at_once


def without_and_with_kernels(compute: Callable[[], Any]) -> tuple[Any, Any]:
    found = []
    for most in (math.inf, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(startup, "FEW_TO_COUNT", most)
            patch.setattr(startup, "FEW_TO_LOOK_UP", most)
            found.append(compute())
    return found[0], found[1]


def assert_same_tables(one: adjudge.Contingency, other: adjudge.Contingency) -> None:
    for mine, its in zip(one.cells(), other.cells(), strict=True):
        np.testing.assert_array_equal(mine, its)
        assert mine.dtype == its.dtype == np.int64
    np.testing.assert_array_equal(one.row_sums, other.row_sums)
    np.testing.assert_array_equal(one.col_sums, other.col_sums)
    assert list(one.row_labels) == list(other.row_labels)
    assert list(one.col_labels) == list(other.col_labels)
    assert one.pairs == other.pairs


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("weighted", [False, True])
def test_few_instances_are_counted_as_by_the_kernels(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 200))
    dtype = rng.choice(["int8", "int32", "int64", "uint16", "uint64"])
    low = int(rng.integers(0, 50)) - (25 if dtype.startswith("i") else 0)
    truth, pred = (np.array(low + rng.integers(0, 9, n), dtype) for _ in range(2))
    counts = rng.integers(0, 3, n) + (np.arange(n) == 0) if weighted else None
    assert_same_tables(
        *without_and_with_kernels(lambda: adjudge.Contingency.from_labels(truth, pred, counts=counts))
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_tables_are_counted_as_by_the_kernels(weighted: bool) -> None:
    rng = np.random.default_rng(7)
    truth, pred = rng.integers(0, 400, 1000), rng.integers(-300, 300, 1000)
    counts = rng.integers(0, 3, 1000) if weighted else None
    assert_same_tables(
        *without_and_with_kernels(lambda: adjudge.Contingency.from_labels(truth, pred, counts=counts))
    )


@pytest.mark.parametrize(
    "labels",
    [
        np.array([2**62, -5, 2**62, 7, -5]),
        np.array([2**64 - 1, 3, 2**64 - 1], np.uint64),
        np.array(["b", "äö", "", "b", "c"]),
        np.array([b"b", b"a", b"b"]),
        np.array([1.0, np.nan, 3.0, 1.0]),
        np.array([4.0, 2.0, 4.0]),
    ],
    ids=["wide", "unsigned", "text", "bytes", "gaps", "whole"],
)
def test_labels_are_coded_as_by_the_kernels(labels: Any) -> None:
    def tables() -> adjudge.Contingency:
        return adjudge.Contingency.from_labels(labels, labels[::-1], missing="drop")

    assert_same_tables(*without_and_with_kernels(tables))


@pytest.mark.parametrize("bad", [0.5, np.inf, 1e19])
def test_floats_that_are_no_labels_are_found_as_by_the_kernels(bad: float) -> None:
    def message() -> str:
        with pytest.raises(adjudge.InputError) as caught:
            adjudge.Contingency.from_labels([0.0, np.nan, bad, 7.5], [1, 1, 1, 1])
        return str(caught.value)

    without, with_kernels = without_and_with_kernels(message)
    assert without == with_kernels


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [4, 300])
def test_pairs_of_instances_are_counted_as_by_the_kernels(k: int, weighted: bool) -> None:
    rng = np.random.default_rng(k)
    vectors = align_labels({c: rng.integers(0, k, 500) for c in "gpq"}).labels
    weights = rng.integers(0, 4, 500) if weighted else None
    without, with_kernels = without_and_with_kernels(lambda: pairs_per_instance(*vectors, weights=weights))
    for cell, counts in with_kernels.items():
        np.testing.assert_array_equal(without[cell], counts)


@pytest.mark.parametrize("seed", range(300))
def test_clusters_are_matched_as_by_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 14, 2))
    weights = rng.integers(0, rng.choice([2, 4, 50, 10**6]), shape).astype(float)
    if seed % 3 == 0:
        weights /= rng.integers(1, 9, (shape[0], 1))
    rows, cols = np.nonzero(weights)
    found = optimal_assignment(rows, cols, weights[rows, cols], shape)
    wanted = np.full(shape[0], -1)
    matched = linear_sum_assignment(weights, maximize=True)
    wanted[matched[0]] = matched[1]
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", ["counts", "shares", "ties", "copies"])
@pytest.mark.parametrize("seed", range(8))
def test_the_matching_of_a_sparse_table_weighs_what_scipys_does(
    monkeypatch: pytest.MonkeyPatch, kind: str, seed: int
) -> None:
    monkeypatch.setattr(assignment, "_LARGEST_DENSE", 0)
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(100, 300, 2))
    table = rng.poisson(rng.choice([0.005, 0.02, 0.3]), shape).astype(float)
    if kind == "copies":
        np.fill_diagonal(table, rng.integers(0, 9, min(shape)))
    elif kind == "ties":
        table = np.minimum(table, 1)
    elif kind == "shares":
        table /= np.maximum(table.sum(axis=0), np.maximum(table.sum(axis=1, keepdims=True), 1))
    rows, cols = np.nonzero(table)
    found = optimal_assignment(rows, cols, table[rows, cols], shape)
    matched = np.flatnonzero(found >= 0)
    assert np.unique(found[matched]).size == matched.size
    # Nobody is matched who gains nothing by it.
    assert (table[matched, found[matched]] > 0).all()
    best = table[linear_sum_assignment(table, maximize=True)].sum()
    assert table[matched, found[matched]].sum() == pytest.approx(best, rel=1e-13)


def test_a_hundred_thousand_clusters_are_matched_soon() -> None:
    rng = np.random.default_rng(0)
    k = 100_000
    rows, cols = np.divmod(np.unique(rng.integers(0, k * k, 3 * k)), k)
    # The kernel is compiled, or loaded.
    optimal_assignment(np.arange(2), np.arange(2), np.ones(2), (10**4, 10**4))
    begun = time.process_time()
    found = optimal_assignment(rows, cols, rng.integers(1, 4, rows.size), (k, k))
    # It took minutes.
    assert time.process_time() - begun < 30
    graph = csr_array((np.ones(rows.size), (rows, cols)), shape=(k, k))
    # Every row with a column that no other row has is matched.
    lonely = (np.bincount(cols, minlength=k)[cols] == 1).nonzero()[0]
    assert (found[rows[lonely]] >= 0).all()
    assert (found >= 0).sum() <= (maximum_bipartite_matching(graph) >= 0).sum()


@pytest.fixture(params=["started", "counted much", "NumPy"])
def _loops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Count pairs at once by compiled loops that are at hand or worth their start, or without them."""
    monkeypatch.setattr(startup, "LABELS_OF_A_START", 0 if request.param == "counted much" else 10**18)
    monkeypatch.setattr(kernels, "started", request.param == "started")
    assert startup.worth_a_start(100) == (request.param != "NumPy")


@pytest.mark.usefixtures("_loops")
@pytest.mark.parametrize("seed", range(60))
def test_pairs_counted_at_once_are_those_of_the_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 300)), rng.integers(1, 70, 2)
    one, other = (rng.integers(0, some, n) for some in k)
    assert pairs_at_once(one, other) == adjudge.Contingency.from_labels(one, other).pairs


@pytest.mark.parametrize(
    "labels",
    [
        np.array([-1, 0, 1]),
        np.array([0, 1, 2**62]),
        np.array([0, 2**63 - 1, 1]),
        np.array([0, -(2**63), 1]),
        np.array([0, 1, 20_000]),
        np.array([0, 1, 2], np.int32),
        np.array([0, 1, 2], np.uint64),
        np.array([0.0, 1.0, 2.0]),
        np.array([[0, 1, 2]]),
        np.array([0, 1]),
        np.ma.masked_array([0, 1, 2], [False, True, False]),
        [0, 1, 2],
        None,
    ],
    ids=str,
)
@pytest.mark.usefixtures("_loops")
def test_other_labels_are_not_counted_at_once(labels: Any) -> None:
    plain = np.array([0, 1, 1])
    assert pairs_at_once(plain, labels) is None
    assert pairs_at_once(labels, plain) is None
    assert pairs_at_once(plain[:0], plain[:0]) is None


def test_indices_of_pairs_do_not_depend_on_how_they_were_counted(rng: np.random.Generator) -> None:
    one, other = rng.integers(0, 7, 500), rng.integers(0, 9, 500)
    for record in adjudge.list_indices("external"):
        assert_same_values(*without_and_with_kernels(lambda record=record: record(one, other)))


def test_compiled_loops_count_pairs_once_another_call_has_started_them() -> None:
    code = (
        "import numpy as np, adjudge.metrics\n"
        "from adjudge import startup\n"
        "few, many = np.arange(50) % 7, np.arange(200_000) % 7\n"
        "adjudge.metrics.rand_score(few, few)\n"
        "assert not startup.worth_a_start(1)\n"
        "adjudge.metrics.rand_score(many, many)\n"
        "assert startup.worth_a_start(1)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def assert_same_values(one: float, other: float) -> None:
    assert one == other or (math.isnan(one) and math.isnan(other))


SLOW = ("numba", "scipy", "sklearn", "narwhals")


def imported_by(code: str) -> list[str]:
    code += f"; import json, sys; print(json.dumps([m for m in {SLOW} if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    "call",
    [
        "adjudge.adjusted_rand([0, 0, 1], [1, 2, 2])",
        "adjudge.adjusted_rand(np.arange(90_000) % 7, np.arange(90_000) // 9_000)",
        "adjudge.evaluate(list('aabbc'), np.arange(5) // 2, indices=['ari', 'purity', 'bcubed_f'])",
        "adjudge.evaluate(np.array(['a', 'b', 'c'])[np.arange(5_000) % 3], np.arange(5_000) // 70, indices='ari')",
        "adjudge.compare(np.arange(9) % 3, {'p': np.arange(9) % 2, 'q': np.arange(9) // 3}, kind='classification')",
    ],
)
def test_a_first_call_does_not_wait_for_imports(call: str) -> None:
    assert imported_by(f"import numpy as np, adjudge; {call}") == []


def test_the_size_alone_decides_what_is_imported() -> None:
    few = "a = np.arange(99_999) % 7; [adjudge.rand(a, a) for _ in range(60)]"
    many = "a = np.arange(100_000) % 7; adjudge.rand(a, a)"
    assert imported_by(f"import numpy as np, adjudge; {few}") == []
    assert "numba" in imported_by(f"import numpy as np, adjudge; {many}")


def test_cells_of_weightless_instances_are_empty() -> None:
    codes = align_labels({"a": np.arange(300), "b": np.arange(300)[::-1]}).labels
    weights = (np.arange(300) % 2).astype(np.int64)
    for sizes in without_and_with_kernels(lambda: cell_sizes(*codes, weights=weights)):
        np.testing.assert_array_equal(sizes, weights)
