"""Small tables, and their clusters matched; first calls import nothing slow."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

import adjudge
from adjudge.given.alignment import align_labels
from adjudge.statistics import assignment, counting
from adjudge.statistics.assignment import optimal_assignment
from adjudge.statistics.counting import cell_sizes
from adjudge.statistics.pair_counts import pairs_at_once
from cases import each


@pytest.fixture(params=["dense", "sparse"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Tables of either kind, whatever their size."""
    if request.param == "sparse":
        monkeypatch.setattr(counting, "_SMALL_TABLE", 0)
        monkeypatch.setattr(counting, "_LARGEST_DENSE", 0)
    return str(request.param)


def assert_counts(found: adjudge.statistics.Contingency, truth: Any, pred: Any, counts: Any = None) -> None:
    wanted: Counter[tuple[Any, Any]] = Counter()
    for g, p, count in zip(
        truth.tolist(), pred.tolist(), [1] * len(truth) if counts is None else counts, strict=True
    ):
        wanted[g, p] += int(count)
    rows, cols, cells = found.cells()
    assert cells.dtype == np.int64
    named = {
        (found.row_labels[r], found.col_labels[c]): n
        for r, c, n in zip(rows.tolist(), cols.tolist(), cells.tolist(), strict=True)
    }
    assert named == {cell: n for cell, n in wanted.items() if n}
    for own, sums, labels in ((0, found.row_sums, found.row_labels), (1, found.col_sums, found.col_labels)):
        by_label: Counter[Any] = Counter()
        for cell, n in wanted.items():
            by_label[cell[own]] += n
        assert list(labels) == sorted(labels)
        assert dict(zip(labels, sums.tolist(), strict=True)) == {
            label: n for label, n in by_label.items() if n
        }


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("weighted", [False, True])
def test_few_instances_are_counted(weighted: bool) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 200))
        one, other = rng.choice(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"], 2)
        low = int(rng.integers(0, 50)) - (25 if one[0] == other[0] == "i" else 0)
        truth = np.array(low + rng.integers(0, 9, n), one)
        pred = np.array(low + rng.integers(0, 9, n), other)
        counts = rng.integers(0, 3, n) + (np.arange(n) == 0) if weighted else None
        assert_counts(
            adjudge.statistics.Contingency.from_labels(truth, pred, counts=counts), truth, pred, counts
        )


@pytest.mark.parametrize("weighted", [False, True])
def test_tables_of_many_clusters_are_counted(weighted: bool) -> None:
    rng = np.random.default_rng(7)
    truth, pred = rng.integers(0, 400, 1000), rng.integers(-300, 300, 1000)
    counts = rng.integers(0, 3, 1000) if weighted else None
    assert_counts(adjudge.statistics.Contingency.from_labels(truth, pred, counts=counts), truth, pred, counts)


@pytest.mark.usefixtures("kind")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [4, 300])
def test_sizes_of_cells_are_those_of_their_instances(k: int, weighted: bool) -> None:
    rng = np.random.default_rng(k)
    one, other = align_labels({c: rng.integers(0, k, 500) for c in "gp"}).labels
    weights = rng.integers(0, 4, 500) if weighted else np.ones(500, np.int64)
    same = (one.codes[:, None] == one.codes) & (other.codes[:, None] == other.codes)
    np.testing.assert_array_equal(
        cell_sizes(one, other, weights=weights if weighted else None), same @ weights
    )


@each("seed", range(300))
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


@pytest.mark.parametrize("seed", range(60))
def test_pairs_counted_at_once_are_those_of_the_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 300)), rng.integers(1, 70, 2)
    low = rng.choice([0, 0, 0, -5, 2**63 - 80, -(2**63)], 2)
    one, other = (start + rng.integers(0, some, n) for start, some in zip(low, k, strict=True))
    pairs = adjudge.statistics.Contingency.from_labels(one, other).pairs
    assert pairs_at_once(one, other) == pairs
    assert pairs_at_once(one, np.stack([other, one], axis=1)[:, 0]) == pairs


@pytest.mark.parametrize(
    "labels",
    [
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
def test_other_labels_are_not_counted_at_once(labels: Any) -> None:
    plain = np.array([0, 1, 1])
    assert pairs_at_once(plain, labels) is None
    assert pairs_at_once(labels, plain) is None
    assert pairs_at_once(plain[:0], plain[:0]) is None


def imported_by(code: str) -> list[str]:
    code += "; import json, sys; print(json.dumps([m for m in ('scipy', 'sklearn', 'narwhals') if m in sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.full
@pytest.mark.parametrize(
    "call",
    [
        "adjudge.adjusted_rand([0, 0, 1], [1, 2, 2])",
        "adjudge.adjusted_rand(np.arange(900_000) % 7, np.arange(900_000) // 9_000)",
        "adjudge.evaluate(list('aabbc'), np.arange(5) // 2, indices=['ari', 'purity', 'bcubed_f'])",
        "adjudge.evaluate(np.array(['a', 'b', 'c'])[np.arange(5_000) % 3], np.arange(5_000) // 70, indices='ari')",
        "adjudge.compare(np.arange(9) % 3, {'p': np.arange(9) % 2, 'q': np.arange(9) // 3}, kind='classification')",
    ],
)
def test_a_first_call_does_not_wait_for_imports(call: str) -> None:
    assert imported_by(f"import numpy as np, adjudge; {call}") == []


def test_cells_of_weightless_instances_are_empty() -> None:
    codes = align_labels({"a": np.arange(300), "b": np.arange(300)[::-1]}).labels
    weights = (np.arange(300) % 2).astype(np.int64)
    np.testing.assert_array_equal(cell_sizes(*codes, weights=weights), weights)
