"""Points of every kind become a float matrix, and every error names the row and the column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from adjudge import InputError, InputTypeError
from adjudge.given import points as points_module
from adjudge.given.points import DataMatrix, as_points
from conftest import raises_line

ROWS = [[1.0, 2.0], [3.0, -4.0], [0.0, 0.5]]
WHOLE = [[1.0, 2.0], [3.0, -4.0], [0.0, 5.0]]
NAN, INF = float("nan"), float("inf")

FRAMES: dict[str, Any] = {
    "pandas": pd.DataFrame(ROWS, columns=["a", "b"]),
    "pandas nullable": pd.DataFrame(ROWS, columns=["a", "b"]).convert_dtypes(),
    "polars": pl.DataFrame({"a": [1, 3, 0], "b": [2.0, -4.0, 0.5]}),
    "polars lazy": pl.LazyFrame({"a": [1, 3, 0], "b": [2.0, -4.0, 0.5]}),
    "arrow": pa.table({"a": [1, 3, 0], "b": [2.0, -4.0, 0.5]}),
    "narwhals": nw.from_native(pl.DataFrame({"a": [1, 3, 0], "b": [2.0, -4.0, 0.5]})),
}

ARRAYS: dict[str, tuple[Any, list[list[float]]]] = {
    "lists": (ROWS, ROWS),
    "tuples": (tuple(map(tuple, ROWS)), ROWS),
    "float64": (np.array(ROWS), ROWS),
    "float16": (np.array(ROWS, "float16"), ROWS),
    "big-endian": (np.array(ROWS, ">f8"), ROWS),
    "Fortran order": (np.asfortranarray(ROWS), ROWS),
    "every second row": (np.repeat(np.array(ROWS), 2, axis=0)[::2], ROWS),
    **{t: (np.array(WHOLE, t), WHOLE) for t in ("int8", "int32", "int64", "float32")},
    "unsigned": (np.abs(np.array(WHOLE)).astype("uint16"), np.abs(WHOLE).tolist()),
    "bool": (np.array([[True, False]]), [[1.0, 0.0]]),
    "one variable": (np.array([1.0, 2.0]), [[1.0], [2.0]]),
    "one point": ([[1.0, 2.0]], [[1.0, 2.0]]),
    "masked, none": (np.ma.array([[1.0, 2.0]], mask=False), [[1.0, 2.0]]),
    "series": (pd.Series([1.0, 2.0], name="a"), [[1.0], [2.0]]),
    "large": ([[1e70, -1e70]], [[1e70, -1e70]]),
    "small": ([[1e-69, 0.0]], [[1e-69, 0.0]]),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays(kind: str) -> None:
    X, expected = ARRAYS[kind]
    points = as_points(X)
    assert points.values.tolist() == expected
    assert points.shape == np.shape(expected)
    assert points.values.flags.c_contiguous
    assert points.values.dtype == (np.float32 if kind == "float32" else np.float64)
    assert as_points(points) is points


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind: str) -> None:
    points = as_points(FRAMES[kind])
    assert points.values.tolist() == ROWS
    assert points.columns == ["a", "b"]


def test_float_arrays_are_not_copied() -> None:
    X = np.array(ROWS)
    assert as_points(X).values is X


def test_memory_map_stays_one(tmp_path: Path) -> None:
    np.array(ROWS).tofile(tmp_path / "X")
    mapped = np.memmap(tmp_path / "X", np.float64, "r", shape=(3, 2))
    points = as_points(mapped)
    assert isinstance(points.values, np.memmap)
    assert points.values.tolist() == ROWS


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_matrix, scipy.sparse.csc_array])
def test_sparse(make: Any) -> None:
    points = as_points(make(np.array(ROWS)))
    assert scipy.sparse.issparse(points.values)
    assert points.values.format == "csr"
    assert points.values.toarray().tolist() == ROWS
    assert points.shape == (3, 2)


def with_entry(value: float, row: int = 1, column: int = 1) -> np.ndarray:
    X = np.array(ROWS)
    X[row, column] = value
    return X


FILL = "fill in or leave out such points"
BAD: dict[str, tuple[Any, type[Exception], str]] = {
    "NaN": (with_entry(NAN), InputError, f"X has a NaN in row 1, column 1: {FILL}"),
    "infinity": (with_entry(INF), InputError, f"X has an infinite value in row 1, column 1: {FILL}"),
    "infinities that cancel": (
        np.array([[INF, -INF]]),
        InputError,
        f"X has an infinite value in row 0, column 0: {FILL}",
    ),
    "float32 NaN": (
        with_entry(NAN, 2, 0).astype("float32"),
        InputError,
        f"X has a NaN in row 2, column 0: {FILL}",
    ),
    "pandas NaN": (
        pd.DataFrame(with_entry(NAN), columns=["length", "petal_width"]),
        InputError,
        f"X has a NaN in row 1, column 'petal_width': {FILL}",
    ),
    "pandas NA": (
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64")}),
        InputError,
        f"X has a NaN in row 1, column 'a': {FILL}",
    ),
    "polars null": (
        pl.DataFrame({"a": [1, None]}),
        InputError,
        f"X has a NaN in row 1, column 'a': {FILL}",
    ),
    "polars infinity": (
        pl.DataFrame({"a": [1.0, 2.0], "b": [3.0, -INF]}),
        InputError,
        f"X has an infinite value in row 1, column 'b': {FILL}",
    ),
    "arrow null": (pa.table({"a": [None, 2]}), InputError, f"X has a NaN in row 0, column 'a': {FILL}"),
    "masked": (
        np.ma.array([[1, 2], [3, 4]], mask=[[0, 0], [1, 0]]),
        InputError,
        f"X has a NaN in row 1, column 0: {FILL}",
    ),
    "sparse NaN": (
        scipy.sparse.csr_array(with_entry(NAN, 1, 0)),
        InputError,
        f"X has a NaN in row 1, column 0: {FILL}",
    ),
    "text": (np.array([["a"]]), InputTypeError, "X has dtype <U1: points must be numbers"),
    "objects": (np.array([["1"]], object), InputTypeError, "X has dtype object: points must be numbers"),
    "complex": (np.array([[1j]]), InputTypeError, "X has dtype complex128: points must be numbers"),
    "sparse complex": (
        scipy.sparse.csr_array(np.array([[1j]])),
        InputTypeError,
        "X has dtype complex128: points must be numbers",
    ),
    "text column": (
        pd.DataFrame({"a": [1], "name": ["x"]}),
        InputError,
        "X has the non-numeric column 'name' (String): drop or encode it",
    ),
    "no points": (
        np.empty((0, 3)),
        InputError,
        "X has shape (0, 3): at least one point and one variable are needed",
    ),
    "no variables": (
        np.empty((3, 0)),
        InputError,
        "X has shape (3, 0): at least one point and one variable are needed",
    ),
    "no columns": (
        pd.DataFrame(index=[0, 1]),
        InputError,
        "X has shape (2, 0): at least one point and one variable are needed",
    ),
    "empty list": ([], InputError, "X has shape (0, 1): at least one point and one variable are needed"),
    "sparse empty": (
        scipy.sparse.csr_array((0, 3)),
        InputError,
        "X has shape (0, 3): at least one point and one variable are needed",
    ),
    "3-d": (
        np.zeros((2, 2, 2)),
        InputError,
        "X has shape (2, 2, 2): points are a matrix with one row per point",
    ),
    "0-d": (3.0, InputTypeError, "X is a float: points are a matrix with one row per point"),
    "ragged": ([[1.0], [1.0, 2.0]], InputError, "X is ragged: points are a matrix with one row per point"),
}


@pytest.mark.parametrize("kind", BAD)
def test_errors(kind: str) -> None:
    X, error, message = BAD[kind]
    with raises_line(error, message):
        as_points(X)


def test_errors_use_the_given_name() -> None:
    with raises_line(InputError, f"distances has a NaN in row 1, column 1: {FILL}"):
        as_points(with_entry(NAN), "distances")


def test_a_bad_entry_is_found_in_any_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points_module, "_BLOCK", 4)
    for row in (0, 3, 4, 9):
        X = np.zeros((10, 2))
        X[row, 1] = NAN
        with raises_line(InputError, f"X has a NaN in row {row}, column 1: {FILL}"):
            as_points(X)


def test_result_is_frozen() -> None:
    points = as_points(ROWS)
    assert isinstance(points, DataMatrix)
    with pytest.raises(AttributeError):
        points.columns = ["a", "b"]  # type: ignore[misc]


@pytest.mark.parametrize("value", [1.1e70, -1.7e308, 1e-71, 5e-324])
def test_magnitudes_beyond_floating_point(value: float) -> None:
    with raises_line(
        InputError,
        f"X has {abs(value)!r} as its largest magnitude, whose powers exceed floating point: "
        "choose another unit",
    ):
        as_points([[0.0, value], [0.0, 0.0]])
