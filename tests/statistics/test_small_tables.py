"""What NumPy and plain Python compute of little data is what the kernels and SciPy compute, to the last bit."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import adjudge
from adjudge.given.alignment import align_labels
from adjudge.kernels import hypergeometric, information
from adjudge.startup import KERNELS, OPTIMIZE, SlowStart
from adjudge.statistics import assignment, few_cells
from adjudge.statistics.agreement import pairs_per_instance
from adjudge.statistics.counting import cell_sizes


def without_and_with_kernels(compute: Callable[[], Any]) -> tuple[Any, Any]:
    found = []
    for least in (np.inf, -1.0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(KERNELS, "least", least)
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


def random_table(rng: np.random.Generator) -> Any:
    shape = rng.integers(1, 9, 2)
    n = int(10 ** rng.uniform(0.3, 4.5))
    shares = rng.dirichlet(np.full(shape.prod(), 10 ** rng.uniform(-1.5, 2)))
    table = rng.multinomial(n, shares).reshape(shape)
    return table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]


@pytest.mark.parametrize("seed", range(200))
def test_information_of_few_cells_is_that_of_the_kernels(seed: int) -> None:
    table = random_table(np.random.default_rng(seed))
    rows, cols = np.nonzero(table)
    given = (rows, cols, table[rows, cols], table.sum(axis=1), table.sum(axis=0), int(table.sum()))
    assert few_cells.information_sums(*given) == information.information_sums(*given)
    sizes = given[3:]
    assert few_cells.entropy(sizes[0], sizes[2]) == information.entropy(sizes[0], sizes[2])
    assert few_cells.expected_mutual_information(*sizes) == hypergeometric.expected_mutual_information(*sizes)


@pytest.mark.parametrize("k", [1, 3, 40])
def test_large_counts_are_left_to_the_kernels_unless_they_agree(k: int) -> None:
    table = np.random.default_rng(k).integers(1, 10**6, (k, k))
    rows, cols = np.nonzero(table)
    given = (rows, cols, table[rows, cols], table.sum(axis=1), table.sum(axis=0), int(table.sum()))
    assert few_cells.information_sums(*given) == information.information_sums(*given)
    assert not few_cells.suffices(k, 3_000_000_000)


def test_expectations_of_large_means_are_left_to_the_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(KERNELS, "module", "not imported")
    monkeypatch.setattr(KERNELS, "least", np.inf)
    of_many, of_few = np.array([2 * 10**9]), np.array([10**4])
    assert few_cells.suffices_for_expectation(of_few, of_few, 10**4)
    assert not few_cells.suffices_for_expectation(of_many, of_many, 2 * 10**9)


@pytest.mark.parametrize("seed", range(300))
def test_few_clusters_are_matched_as_by_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 14, 2))
    weights = rng.integers(0, rng.choice([2, 4, 50, 10**6]), shape).astype(float)
    if seed % 3 == 0:
        weights /= rng.integers(1, 9, (shape[0], 1))
    rows, cols = np.nonzero(weights)
    given = (rows, cols, weights[rows, cols], shape)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OPTIMIZE, "least", np.inf)
        found = assignment.optimal_assignment(*given)
    wanted = np.full(shape[0], -1)
    matched = linear_sum_assignment(weights, maximize=True)
    wanted[matched[0]] = matched[1]
    np.testing.assert_array_equal(found, wanted)


def test_a_slow_start_is_made_once_it_would_have_paid() -> None:
    start = SlowStart("no_module_of_this_name", 1.0, least=0.01)
    assert not start.pays(0.6)
    assert not start.pays(0.01)
    assert start.pays(0.6)
    assert not SlowStart("no_module_of_this_name", 1.0).pays(1.0)
    assert SlowStart("no_module_of_this_name", 1.0).pays(1.1)
    assert SlowStart("sys", 1.0).pays(0.1)


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
        "adjudge.evaluate(list('aabbc'), np.arange(5) // 2)",
        "adjudge.evaluate(np.arange(100_000) % 7, np.arange(100_000) // 9_000)",
        "adjudge.evaluate(np.array(['a', 'b', 'c'])[np.arange(5_000) % 3], np.arange(5_000) // 70)",
        "adjudge.compare(np.arange(9) % 3, {'p': np.arange(9) % 2, 'q': np.arange(9) // 3}, kind='clustering')",
        "adjudge.compare(np.arange(9) % 3, {'p': np.arange(9) % 2, 'q': np.arange(9) // 3}, kind='classification')",
    ],
)
def test_a_first_call_does_not_wait_for_imports(call: str) -> None:
    assert imported_by(f"import numpy as np, adjudge; {call}") == []


def test_many_calls_are_worth_the_kernels() -> None:
    code = (
        "import numpy as np, adjudge; a = np.arange(1_000_000) % 7; [adjudge.rand(a, a) for _ in range(80)]"
    )
    assert "numba" in imported_by(code)


def test_cells_of_weightless_instances_are_empty() -> None:
    codes = align_labels({"a": np.arange(300), "b": np.arange(300)[::-1]}).labels
    weights = (np.arange(300) % 2).astype(np.int64)
    for sizes in without_and_with_kernels(lambda: cell_sizes(*codes, weights=weights)):
        np.testing.assert_array_equal(sizes, weights)
