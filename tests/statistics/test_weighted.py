"""Weighted tables: what a loop adds up, other programs' values, exactness for whole weights, and sums of parts."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge import InputError, InputTypeError
from adjudge.given.weights import as_weights
from adjudge.statistics import Contingency, counting
from adjudge.statistics.weighted import WeightedContingency
from conftest import case_name, raises_line, read_reference, reference_cases

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
