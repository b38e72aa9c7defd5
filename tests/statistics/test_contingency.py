"""Contingency tables: from labels and matrices, dense and sparse, weighted, added up."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import adjudge
import naive
from adjudge import InputError, InputTypeError, parallel
from adjudge.given.weights import as_weights
from adjudge.statistics import Contingency, PairCounts, counting
from adjudge.statistics import counting as module
from adjudge.statistics.contingency import reduce_labels
from adjudge.statistics.weighted import WeightedContingency
from conftest import case_name, raises_line, read_reference, reference_cases

LABELS = st.lists(st.tuples(st.integers(-2, 3), st.sampled_from("abcd")), min_size=1, max_size=30)


@contextmanager
def always_sparse() -> Iterator[None]:
    """Take the path of large tables for small ones too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LARGEST_DENSE", 0)
        yield


def as_counter(table: Contingency) -> dict[tuple[Any, Any], int]:
    rows, cols, counts = table.cells()
    cells = zip(rows.tolist(), cols.tolist(), counts.tolist(), strict=True)
    return {(table.row_labels[i], table.col_labels[j]): count for i, j, count in cells}


def check_consistent(table: Contingency) -> None:
    """What must hold of every table, however it was made."""
    rows, cols, counts = table.cells()
    assert counts.dtype == table.row_sums.dtype == table.col_sums.dtype == np.int64
    assert (counts > 0).all()
    assert table.n_cells == counts.size
    assert np.array_equal(np.lexsort((cols, rows)), np.arange(counts.size))
    dense = table.to_array()
    assert dense.shape == table.shape == (len(table.row_labels), len(table.col_labels))
    assert np.array_equal(dense.sum(axis=1), table.row_sums)
    assert np.array_equal(dense.sum(axis=0), table.col_sums)
    assert (table.row_sums > 0).all()
    assert (table.col_sums > 0).all()
    assert type(table.n) is int
    assert table.n == counts.sum()
    assert np.array_equal(table.to_sparse().toarray(), dense)
    assert repr(table) == f"Contingency({table.shape[0]} x {table.shape[1]} clusters, n={table.n})"


@given(LABELS)
def test_from_labels(pairs: list[tuple[int, str]]) -> None:
    a, b = map(list, zip(*pairs, strict=True))
    expected = Counter(pairs)
    table = Contingency.from_labels(a, b)
    check_consistent(table)
    assert as_counter(table) == expected
    assert list(table.row_labels) == sorted(set(a))
    assert list(table.col_labels) == sorted(set(b))
    assert table.identical == (naive.pair_counts(a, b)[1:3] == (0, 0))
    with always_sparse():
        sparse = Contingency.from_labels(a, b)
    assert sparse._dense is None
    check_consistent(sparse)
    assert as_counter(sparse) == expected
    assert sparse.pairs == table.pairs
    for ours, theirs in ((sparse.transpose(), table.transpose()), (table.transpose(), sparse.transpose())):
        check_consistent(ours)
        assert as_counter(ours) == as_counter(theirs) == {(y, x): c for (x, y), c in expected.items()}


@given(LABELS, st.data())
def test_counts_are_repetition(pairs: list[tuple[int, str]], data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(pairs), max_size=len(pairs)))
    a, b = map(list, zip(*pairs, strict=True))
    repeated = [pair for pair, times in zip(pairs, weights, strict=True) for _ in range(times)]
    if not repeated:
        with raises_line(InputError, "counts are all 0: at least one instance is needed"):
            Contingency.from_labels(a, b, counts=weights)
        return
    expected = Counter(repeated)
    for dtype in ("int64", "uint8", "float64"):
        table = Contingency.from_labels(a, b, counts=np.array(weights, dtype))
        check_consistent(table)
        assert as_counter(table) == expected
    with always_sparse():
        sparse = Contingency.from_labels(a, b, counts=weights)
    check_consistent(sparse)
    assert as_counter(sparse) == expected
    assert adjudge.jaccard(a, b, counts=weights) == pytest.approx(
        naive.external_indices(*zip(*repeated, strict=True))["jaccard"], rel=1e-14, nan_ok=True
    )


def test_counts_follow_instances_that_are_dropped() -> None:
    table = Contingency.from_labels(
        ["a", None, "b", "b"], [0, 1, -1, 0], counts=[2, 10, 20, 3], missing="drop", noise="drop"
    )
    assert as_counter(table) == {("a", 0): 2, ("b", 0): 3}


@given(LABELS, LABELS)
def test_tables_add_up(first: list[tuple[int, str]], second: list[tuple[int, str]]) -> None:
    tables = [Contingency.from_labels(*map(list, zip(*pairs, strict=True))) for pairs in (first, second)]
    total = tables[0] + tables[1]
    check_consistent(total)
    assert as_counter(total) == Counter(first + second)
    whole = Contingency.from_labels(*map(list, zip(*first, *second, strict=True)))
    assert total.pairs == whole.pairs
    with always_sparse():
        sparse = Contingency.from_labels(*map(list, zip(*second, strict=True)))
    assert as_counter(tables[0] + sparse) == as_counter(total)


def test_only_tables_add_up() -> None:
    table = Contingency.from_labels([0, 1], [0, 1])
    with pytest.raises(TypeError):
        table + 1  # type: ignore[operator]


MATRIX = [[2, 0, 1], [0, 0, 0], [3, 0, 4]]
FULL = {(0, 0): 2, (0, 2): 1, (2, 0): 3, (2, 2): 4}


@pytest.mark.parametrize(
    "matrix",
    [
        MATRIX,
        np.array(MATRIX, "uint8"),
        np.array(MATRIX, "float64"),
        pd.DataFrame(MATRIX),
        pl.DataFrame(np.array(MATRIX)),
        scipy.sparse.csr_array(np.array(MATRIX)),
        scipy.sparse.coo_matrix(np.array(MATRIX, "float64")),
        # A cell given in two parts, and one that is given as 0.
        scipy.sparse.coo_array(([2, 1, 1, 2, 4, 0], ([0, 0, 2, 2, 2, 1], [0, 2, 0, 0, 2, 1])), shape=(3, 3)),
    ],
    ids=lambda matrix: type(matrix).__name__,
)
def test_from_matrix_leaves_out_what_is_empty(matrix: Any) -> None:
    table = Contingency.from_matrix(matrix)
    check_consistent(table)
    assert as_counter(table) == FULL
    assert table.to_array().tolist() == [[2, 1], [3, 4]]
    assert adjudge.adjusted_rand(matrix) == adjudge.adjusted_rand(table)
    named = Contingency.from_matrix(matrix, row_labels="xyz", col_labels=["p", "q", "r"])
    assert as_counter(named) == {("xyz"[i], "pqr"[j]): c for (i, j), c in FULL.items()}


def test_to_array_is_a_copy() -> None:
    for table in (Contingency.from_matrix(MATRIX), Contingency.from_matrix(scipy.sparse.csr_array(MATRIX))):
        table.to_array()[0, 0] = 99
        assert table.to_array()[0, 0] == 2


def test_a_table_stands_in_for_labels() -> None:
    table = Contingency.from_labels(["a", "b", "b", "c"], [1, 1, 2, 2])
    assert reduce_labels(table) is table
    assert adjudge.rand(table) == adjudge.rand(["a", "b", "b", "c"], [1, 1, 2, 2])


def test_statistics_of_a_table() -> None:
    table = Contingency.from_matrix(MATRIX)
    assert table.statistic(PairCounts) is table.pairs
    assert table.statistic(Contingency) is table
    with raises_line(InputTypeError, "a contingency table holds no Agreement"):
        table.statistic(adjudge.statistics.Agreement)


# --- large tables, threads --------------------------------------------------------------------------------------


def test_twenty_thousand_by_twenty_thousand(rng: np.random.Generator) -> None:
    k, n = 20_000, 100_000
    a, b = rng.integers(0, k, (2, n))
    b[: n // 2] = a[: n // 2]
    table = Contingency.from_labels(a, b)
    assert table._dense is None, "400 million cells would be allocated"
    rows, cols, counts = table.cells()
    expected = Counter(zip(a.tolist(), b.tolist(), strict=True))
    assert as_counter(table) == expected
    assert np.array_equal(table.row_sums, np.bincount(a)[np.unique(a)])
    assert np.array_equal(table.col_sums, np.bincount(b)[np.unique(b)])
    joined = sum(c * (c - 1) // 2 for c in expected.values())
    assert table.pairs.yy == joined
    assert len(rows) == len(cols) == counts.size < n


def test_sparse_and_dense_agree_on_every_index(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = rng.integers(0, 300, (2, 100_000))
    b[:60_000] = a[:60_000]
    dense = Contingency.from_labels(a, b)
    assert dense._dense is not None
    monkeypatch.setattr(module, "_LARGEST_DENSE", 0)
    sparse = Contingency.from_labels(a, b)
    assert sparse._dense is None
    for record in adjudge.list_indices("external"):
        both = [record.of(*record.read(table)) for table in (sparse, dense)]
        assert both[0] == both[1] or np.isnan(both).all(), record.name
    weights = rng.integers(0, 5, a.size)
    by_weight = Contingency.from_labels(a, b, counts=weights)
    monkeypatch.undo()
    assert by_weight.pairs == Contingency.from_labels(a, b, counts=weights).pairs


@pytest.mark.parametrize("n_clusters", [1, 3, 64, 65, 150])
def test_threads_do_not_matter(
    n_clusters: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    n = 30_011
    a = rng.integers(0, n_clusters, n).astype("int32")
    b = rng.integers(-5, n_clusters - 5, n)
    expected = Counter(zip(a.tolist(), b.tolist(), strict=True))
    monkeypatch.setattr(parallel, "WORTH_A_THREAD", 1)
    for n_spans in (1, 2, 7):
        monkeypatch.setattr(parallel, "n_cores", lambda n_spans=n_spans: n_spans)
        table = Contingency.from_labels(a, b)
        assert table._dense is not None
        assert as_counter(table) == expected
        check_consistent(table)


# --- errors -----------------------------------------------------------------------------------------------------

WHOLE = "counts are whole numbers >= 0"
TABLE = "the contingency table"

BAD_MATRICES: dict[str, tuple[Any, type[Exception], str]] = {
    "vector": ([1, 2], InputError, f"{TABLE} has shape (2,): a matrix of counts is needed"),
    "cube": (np.ones((2, 2, 2)), InputError, f"{TABLE} has shape (2, 2, 2): a matrix of counts is needed"),
    "negative": ([[1, 2], [3, -4]], InputError, f"{TABLE} has -4 at (1, 1): {WHOLE}"),
    "fraction": ([[1, 2.5], [3, 4]], InputError, f"{TABLE} has 2.5 at (0, 1): {WHOLE}"),
    "memberships": (
        [[1e-43, 1.0], [0.3, 0.7], [1, 0]],
        InputError,
        f"{TABLE} has fractions, and its rows add up to 1: memberships in soft clusters are given as "
        "adjudge.Memberships(...)",
    ),
    "shares": ([[0.5, 0.2], [0.3, 0]], InputError, f"{TABLE} has 0.5 at (0, 0): {WHOLE}"),
    "NaN": (np.array([[1, 2], [np.nan, 4]]), InputError, f"{TABLE} has nan at (1, 0): {WHOLE}"),
    "infinite": (np.array([[np.inf]]), InputError, f"{TABLE} has inf at (0, 0): {WHOLE}"),
    "text": ([["a"]], InputTypeError, f"{TABLE} has dtype <U1: counts are whole numbers"),
    "sparse negative": (
        scipy.sparse.csr_array(np.array([[0, 1], [0, -2]])),
        InputError,
        f"{TABLE} has -2 at (1, 1): {WHOLE}",
    ),
    "all 0": ([[0, 0]], InputError, f"{TABLE} is empty: at least one instance is needed"),
    "no cells": (np.zeros((0, 0)), InputError, f"{TABLE} is empty: at least one instance is needed"),
    "sparse empty": (
        scipy.sparse.csr_array((3, 3), dtype=int),
        InputError,
        f"{TABLE} is empty: at least one instance is needed",
    ),
    "too many": ([[2**62, 1]], InputError, f"{TABLE} counts more than 2^62 instances"),
    "too many, unsigned": (
        np.array([[2**64 - 1]], "uint64"),
        InputError,
        f"{TABLE} counts more than 2^62 instances",
    ),
}


@pytest.mark.parametrize("kind", BAD_MATRICES)
def test_errors_of_matrices(kind: str) -> None:
    matrix, error, message = BAD_MATRICES[kind]
    with raises_line(error, message):
        Contingency.from_matrix(matrix)


def test_error_of_a_sum_that_is_too_large() -> None:
    table = Contingency.from_matrix([[2**62 - 1024]])
    with raises_line(InputError, "the contingency table counts more than 2^62 instances"):
        table + table


@pytest.mark.parametrize("matrix", [[[1, 2], [3, 4]], scipy.sparse.csr_array([[1, 2], [3, 4]])])
def test_errors_of_table_labels(matrix: Any) -> None:
    with raises_line(InputError, "row_labels has 3 entries, the table has 2 rows"):
        Contingency.from_matrix(matrix, row_labels="abc")
    with raises_line(InputError, "col_labels has 1 entries, the table has 2 cols"):
        Contingency.from_matrix(matrix, col_labels=["x"])


@pytest.mark.parametrize(
    ("counts", "error", "message"),
    [
        ([1], InputError, "counts has shape (1,), but there are 2 instances"),
        (3, InputError, "counts has shape (), but there are 2 instances"),
        ([[1, 2]], InputError, "counts has shape (1, 2), but there are 2 instances"),
        ([1, -1], InputError, f"counts has -1 at position 1: {WHOLE}"),
        ([0.5, 1], InputError, f"counts has 0.5 at position 0: {WHOLE}"),
        ([1, float("nan")], InputError, f"counts has nan at position 1: {WHOLE}"),
        (["1", "2"], InputTypeError, "counts has dtype <U1: counts are whole numbers"),
        ([0, 0], InputError, "counts are all 0: at least one instance is needed"),
        ([2**62, 2**62], InputError, "counts counts more than 2^62 instances"),
    ],
)
def test_errors_of_counts(counts: Any, error: type[Exception], message: str) -> None:
    with raises_line(error, message):
        adjudge.rand([0, 1], [0, 1], counts=counts)


TWO = "a contingency table was given together with labels_pred: give one or the other"
MISSING = "labels_pred is missing: give two label vectors, or one contingency table"


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((Contingency.from_matrix([[1]]), [0]), {}, InputError, TWO),
        (([0, 1],), {}, InputError, MISSING),
        ((np.array([0, 1]),), {}, InputError, MISSING),
        ((pd.Series([0, 1]),), {}, InputError, MISSING),
        (([[1], [2, 3]],), {}, InputError, "the contingency table is ragged: give a matrix of counts"),
        (
            (PairCounts(1, 2, 3, 4),),
            {},
            InputTypeError,
            "PairCounts were given instead of labels: use the index's .of(pairs)",
        ),
        (
            ([[1, 2], [3, 4]],),
            {"counts": [1, 1]},
            InputError,
            "counts= says how often each instance of label vectors occurs: a contingency table says that itself",
        ),
        (
            ([[1, 2], [3, 4]],),
            {"noise": "drop"},
            InputError,
            "noise= needs label vectors: a contingency table does not say which instances are noise",
        ),
    ],
)
def test_errors_of_what_stands_in_for_labels(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with raises_line(error, message):
        adjudge.rand(*arguments, **options)


@pytest.mark.parametrize("n_classes", [66, 300])
def test_cells_of_a_large_table_may_hold_more_than_16_bits(n_classes: int) -> None:
    """Tables of more than 4,096 cells are counted in 16 bits, which are carried: by several threads, too."""
    rng = np.random.default_rng(7)
    rows = np.where(rng.random(450_000) < 0.9, 3, rng.integers(0, n_classes, 450_000))
    cols = np.where(rng.random(450_000) < 0.9, 5, rng.integers(0, n_classes, 450_000))
    # One cell is filled to the brim, another just beyond it.
    rows = np.concatenate([rows, np.full(65_536, 1), np.full(131_071, 2)]) - 10
    cols = np.concatenate([cols, np.full(65_536, 1), np.full(131_071, 2)]) + 10
    wanted = np.zeros((n_classes, n_classes), np.int64)
    np.add.at(wanted, (rows + 10, cols - 10), 1)
    table = Contingency.from_labels(rows, cols)
    assert table.to_array().max() > 65_536
    assert np.array_equal(table.to_array(), wanted)
    assert np.array_equal(table.row_sums, wanted.sum(axis=1))


CASES = reference_cases("weighted")
INSTANCES = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.floats(0, 1e6)), min_size=1, max_size=60
)


@pytest.fixture(params=["dense", "sparse"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the ways in which cells are weighed, whatever the size."""
    if request.param.startswith("sparse"):
        monkeypatch.setattr(counting, "_SMALL_TABLE", 0)
        monkeypatch.setattr(counting, "_LARGEST_DENSE", 0)


def by_loop(a: Any, b: Any, w: Any) -> dict[tuple[Any, Any], tuple[float, float]]:
    cells: dict[tuple[Any, Any], tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for i, j, weight in zip(a, b, w, strict=True):
        total, square = cells[i, j]
        cells[i, j] = total + weight, square + weight * weight
    return {cell: sums for cell, sums in cells.items() if sums[0] > 0}


def as_cells(table: WeightedContingency) -> dict[tuple[Any, Any], tuple[float, float]]:
    return {
        (table.row_labels[i], table.col_labels[j]): (w, s)
        for i, j, w, s in zip(table.rows, table.cols, table.weights, table.squares, strict=True)
    }


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("n_clusters", [1, 3, 40])
def test_cells_are_those_that_a_loop_adds_up(rng: np.random.Generator, n_clusters: int) -> None:
    a, b = rng.integers(-2, n_clusters - 2, 300), rng.integers(0, n_clusters, 300) * 7
    w = rng.choice([0.0, 0.25, 1.5, 3.0], 300)
    table = WeightedContingency.from_labels(a, b, w)
    assert as_cells(table) == by_loop(a.tolist(), b.tolist(), w.tolist())
    assert (np.diff(table.rows * table.shape[1] + table.cols) > 0).all()
    assert table.row_sums.sum() == table.col_sums.sum() == table.total == w.sum()
    assert table.row_squares.sum() == table.col_squares.sum() == table.total_squares == (w * w).sum()
    assert (table.row_sums > 0).all()
    assert (table.col_sums > 0).all()


@pytest.mark.parametrize("case", CASES, ids=case_name)
def test_tables_are_those_of_the_reference(case: Any) -> None:
    given = read_reference(case)
    expected = np.array(given["reference"]["table"])
    table = WeightedContingency.from_labels(given["true"], given["pred"], given["weights"])
    expected = expected[expected.any(axis=1)][:, expected.any(axis=0)]
    np.testing.assert_allclose(table.to_array(), expected, rtol=1e-12)
    pairs = given["reference"]["items_as_units (W^2 - sum w^2)/2"]
    both = ((table.weights**2 - table.squares) / 2).sum()
    in_true = ((table.row_sums**2 - table.row_squares) / 2).sum()
    in_pred = ((table.col_sums**2 - table.col_squares) / 2).sum()
    total = (table.total**2 - table.total_squares) / 2
    found = both, in_true - both, in_pred - both, total
    names = "together_both", "together_true_only", "together_pred_only", "total"
    np.testing.assert_allclose(found, [pairs[name] for name in names], rtol=1e-9, atol=1e-9 * pairs["total"])


@given(INSTANCES)
def test_whole_weights_are_repetitions(instances: list[tuple[int, int, float]]) -> None:
    a, b, w = zip(*((i, j, int(w) % 7) for i, j, w in instances), strict=True)
    if not any(w):
        return
    table = WeightedContingency.from_labels(a, b, w)
    repeated = Contingency.from_labels(np.repeat(a, w), np.repeat(b, w))
    np.testing.assert_array_equal(table.to_array(), repeated.to_array())
    assert list(table.row_labels) == list(repeated.row_labels)
    assert list(table.col_labels) == list(repeated.col_labels)
    assert table.identical == repeated.identical


@given(INSTANCES, st.integers(0, 60))
def test_parts_add_up(instances: list[tuple[int, int, float]], cut: int) -> None:
    a, b, w = map(list, zip(*((i, j, int(w) % 5 + 1) for i, j, w in instances), strict=True))
    cut = min(cut, len(a) - 1)
    whole = WeightedContingency.from_labels(a, b, w)
    if cut == 0:
        return
    first = WeightedContingency.from_labels(a[:cut], b[:cut], w[:cut])
    assert as_cells(first + WeightedContingency.from_labels(a[cut:], b[cut:], w[cut:])) == as_cells(whole)


def test_a_table_turned_round_is_that_of_the_vectors_swapped(rng: np.random.Generator) -> None:
    a, b, w = rng.integers(0, 4, 50), rng.integers(0, 6, 50), rng.random(50)
    turned = WeightedContingency.from_labels(a, b, w).transpose()
    swapped = WeightedContingency.from_labels(b, a, w)
    np.testing.assert_array_equal(turned.to_array(), swapped.to_array())
    np.testing.assert_array_equal(turned.rows, swapped.rows)


def test_instances_that_are_left_out_take_their_weights_along() -> None:
    table = WeightedContingency.from_labels(
        [0, -1, 1, None], [0, 1, 1, 1], [1, 2, 4, 8], noise="drop", missing="drop"
    )
    assert as_cells(table) == {(0, 0): (1.0, 1.0), (1, 1): (4.0, 16.0)}
    assert repr(table) == "WeightedContingency(2 x 2 clusters, total=5)"


def test_weights_that_cannot_be_used() -> None:
    for bad, message in (
        ([1, -0.5], "sample_weight has -0.5 at position 1: a number of at least 0 is needed"),
        ([np.nan, 1], "sample_weight has nan at position 0: a number of at least 0 is needed"),
        (
            [1, np.inf],
            "sample_weight has inf at position 1: a finite number of at least 0 is needed",
        ),
        ([1, 1, 1], "sample_weight has shape (3,), but there are 2 instances"),
        ([[1], [1, 2]], "sample_weight is nested: one number for each instance is needed"),
        ([0, 0.0], "sample_weight is 0 everywhere: at least one weight must be positive"),
    ):
        with raises_line(InputError, message):
            as_weights(bad, 2)
    with raises_line(InputTypeError, "sample_weight has dtype <U1: weights are numbers"):
        as_weights(["a", "b"], 2)
    with pytest.raises(TypeError):
        WeightedContingency.from_labels([0], [0], [1]) + 1  # type: ignore[operator]
