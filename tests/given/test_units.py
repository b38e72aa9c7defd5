"""Units of rows: how they are read, which rows they lose, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from adjudge import InputError
from adjudge.given.alignment import align_labels
from adjudge.given.identifiers import repeats
from adjudge.given.label_options import LabelOptions
from adjudge.given.labels import Column, code_labels
from adjudge.given.units import Units, labels_beside
from adjudge.given.weights import Weighting
from conftest import raises_line

NAMES = ["b", "a", "b", "c", "a"]
CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "array": np.array,
    "objects": lambda values: np.array(values, object),
    "pandas": pd.Series,
    "categories": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "arrow": pa.array,
}


def units_of(given: Any, **options: Any) -> Units:
    vectors = {"labels_true": list("xxyyz"), "labels_pred": [0, 0, 1, 1, 1]}
    found = Units.beside(align_labels(vectors, LabelOptions(**options), Weighting(units=given).beside))[0]
    assert found is not None
    return found


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("names", [NAMES, [7, -1, 7, 900, -1]], ids=["text", "integers"])
def test_units_are_numbered_whatever_holds_them(container: str, names: list[Any]) -> None:
    found = units_of(CONTAINERS[container](names))
    assert found.n_units == 3
    # Rows of one unit have one number, rows of others have others.
    same = found.codes[:, None] == found.codes
    assert np.array_equal(same, [[one == other for other in names] for one in names])


def test_rows_that_are_left_out_take_their_units_with_them() -> None:
    found = units_of(["u", "u", None, "v", "w"], missing="drop")
    assert found.codes.tolist() == [0, 0, 1, 2]
    assert units_of([1, 1, 2, 3, 3]).take(np.array([3, 4])).n_units == 1


def test_a_unit_is_never_noise() -> None:
    vectors = {"labels_true": [0, 0, 1, -1], "labels_pred": [0, 1, 1, 1]}
    aligned = align_labels(vectors, LabelOptions(noise="drop"), {"units": [-1, -1, 5, 5]})
    assert aligned.kept is not None
    assert aligned.kept.tolist() == [0, 1, 2]
    found = Units.beside(aligned)[0]
    assert found is not None
    assert found.codes.tolist() == [0, 0, 1]


def test_unusable_units_are_named_in_one_line() -> None:
    with raises_line(
        InputError,
        "units has a missing value at position 2 (1 in all): fill it in, or pass missing='drop' to leave such "
        "instances out",
    ):
        units_of(["u", "u", None, "v", "w"])
    with raises_line(InputError, "units has 3 entries, labels_true has 5: they must have the same length"):
        units_of([1, 2, 3])
    with raises_line(InputError, "units has 2 entries, labels_true has 3: they must have the same length"):
        labels_beside([1, 2], "units", 3, "labels_true")
    with raises_line(
        InputError, "column 'id' has a missing value at position 1 (1 in all): give every row a unit"
    ):
        labels_beside(Column("column 'id'", ["a", None], "id"), "units", 2, "labels_true")


def test_series_in_another_order_are_refused() -> None:
    truth = pd.Series([0, 0, 1], index=[1, 2, 3])
    units = pd.Series([5, 5, 6], index=[3, 2, 1])
    with pytest.raises(InputError, match="same index in different orders"):
        align_labels({"labels_true": truth, "labels_pred": truth}, beside={"units": units})


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ([1, 2], "units"),
        (pd.Series([1, 2], name="patient"), "patient"),
        (pl.Series("patient", [1, 2]), "patient"),
        (Column("column 'patient'", code_labels([1, 2], "x"), "patient"), "patient"),
    ],
    ids=["list", "pandas", "polars", "column"],
)
def test_settings_name_the_units(given: Any, name: str) -> None:
    assert Weighting(units=given).settings() == {"units": name}
    assert Weighting().settings() == {}


def test_identifiers_repeat_if_half_of_them_occur_twice() -> None:
    once, twice = list(range(10)), [*range(10), *range(5)]
    assert repeats(twice)
    assert not repeats([*once, 3])
    assert not repeats(twice[:14])
    # Fewer than ten units have no intervals, and fractions identify nothing.
    assert not repeats([*range(9)] * 2)
    assert not repeats([0.5 * value for value in range(20)] * 2)
    assert repeats([None, *(f"c{value}" for value in range(12)), *(f"c{value}" for value in range(12))])
