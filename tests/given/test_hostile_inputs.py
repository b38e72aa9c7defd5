"""Points and tables in every container that is read: the values of the plain array, or an error of ours."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

import adjudge
from adjudge.errors import AdjudgeError
from adjudge.inference.points.internal_intervals import internal_intervals
from hostile import check_values, outcome
from profiles import examples

few = examples(25)
SPARSE = [
    *(sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.lil_matrix, sparse.dok_matrix),
    *(sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.bsr_array, sparse.dia_array),
]
small = st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.0, 3.5, 1e-3])
wild = st.sampled_from([0.0, 1.0, math.nan, math.inf, 1e71, -1e300, 5e-324, 1e-75])


@st.composite
def points(draw: st.DrawFn, elements: st.SearchStrategy[float] = small) -> tuple[np.ndarray, list[int]]:
    n, p = draw(st.integers(1, 8)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, p), elements=elements, fill=st.nothing()))
    return X, draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))


def same(found: Any, wanted: Any) -> None:
    """Check that both have the same values, up to rounding, or are refused alike."""
    assert isinstance(found, AdjudgeError) == isinstance(wanted, AdjudgeError), (found, wanted)
    if isinstance(found, AdjudgeError):
        return
    for name, value in wanted.values.items():
        assert found.values[name] == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), name
        assert (name in found.reasons) == (name in wanted.reasons), name


# What no order of adding up, nor the way that a distance is computed, can move far.
OF_DISTANCES = ["silhouette", "dunn", "mcclain_rao"]
STEADY = ["trace_w", "calinski_harabasz", "davies_bouldin", *OF_DISTANCES]


@pytest.mark.full
@few
@given(
    data=points(),
    make=st.sampled_from(SPARSE),
    dtype=st.sampled_from([float, np.float32, int, np.int8, bool]),
)
def test_sparse_points(data: tuple[np.ndarray, list[int]], make: Any, dtype: Any) -> None:
    X, labels = data[0].astype(dtype), data[1]
    found = outcome(adjudge.evaluate, X=make(X), labels=labels)
    check_values(found)
    given_ = outcome(adjudge.evaluate, X=make(X), labels=labels, indices=OF_DISTANCES)
    same(given_, outcome(adjudge.evaluate, X=X.astype(np.float64), labels=labels, indices=OF_DISTANCES))
    for options in (
        {"confidence": 0.9, "random_state": 0},
        {"sample_size": 10},
        {"compat": "clusterCrit"},
        {"metric": "cityblock"},
        {"metric": "cosine"},
        {"metric": "precomputed"},
        {"missing": "drop", "noise": "drop", "noise_label": 0},
    ):
        outcome(adjudge.evaluate, X=make(X), labels=labels, **options)
    outcome(adjudge.choose_k, make(X), k=[2])
    outcome(adjudge.hartigan, make(X), {2: labels})
    outcome(internal_intervals, make(X), labels, ["silhouette", "trace_w"], n_resamples=5, random_state=0)


@few
@given(
    values=st.lists(wild, min_size=1, max_size=6),
    rows=st.lists(st.integers(0, 3), min_size=6, max_size=6),
    columns=st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_sparse_points_that_are_odd_inside(values: list[float], rows: list[int], columns: list[int]) -> None:
    """Entries that are there twice, explicit zeros, NaN, and magnitudes that overflow."""
    n = len(values)
    X = sparse.coo_matrix((values, (rows[:n], columns[:n])), shape=(4, 3))
    check_values(outcome(adjudge.evaluate, X=X, labels=[0, 0, 1, 1]))
    broken = X.tocsr()
    broken.indices = broken.indices[::-1].copy()
    broken.has_sorted_indices = False
    check_values(outcome(adjudge.evaluate, X=broken, labels=[0, 0, 1, 1]))
    outcome(adjudge.evaluate, X=X.astype(complex), labels=[0, 0, 1, 1])
    outcome(adjudge.evaluate, X=X.tocsr()[:0], labels=[])


def zarr_of(X: np.ndarray, folder: Path) -> Any:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.open_array(folder / "X.zarr", mode="w", shape=X.shape, chunks=(2, X.shape[1]), dtype=X.dtype)
    array[:] = X
    return array


def dask_of(X: np.ndarray, folder: Path) -> Any:
    dask_array = pytest.importorskip("dask.array", reason="the extra 'dask' is not installed")
    return dask_array.from_array(X, chunks=(3, 1))


def memory_map_of(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


@examples(10)
@given(
    data=points(small) | points(wild),
    make=st.sampled_from([zarr_of, dask_of, memory_map_of]),
    dtype=st.sampled_from(["f8", "f4", "f2", "i2", "u8", "?", ">f8", "c16", "O", "U2"]),
    dims=st.integers(0, 3),
)
@pytest.mark.filterwarnings("ignore:The data type")  # zarr's own, of types that other programs cannot read
def test_points_that_are_not_in_memory(
    tmp_path_factory: pytest.TempPathFactory,
    data: tuple[np.ndarray, list[int]],
    make: Any,
    dtype: str,
    dims: int,
) -> None:
    X, labels = data
    with np.errstate(all="ignore"):
        X = np.nan_to_num(X, posinf=1.0, neginf=1.0).astype(dtype) if dtype in "i2 u8 ?" else X.astype(dtype)
    X = {0: X[0, 0], 1: X[:, 0], 2: X, 3: X[:, :, None]}[dims]
    try:
        away = make(np.asarray(X), tmp_path_factory.mktemp("away"))
    except Exception:  # the container cannot hold it
        return
    same(
        outcome(adjudge.evaluate, X=away, labels=labels, indices=STEADY),
        outcome(adjudge.evaluate, X=X, labels=labels, indices=STEADY),
    )
    outcome(adjudge.choose_k, away, k=[2], n_init=1, random_state=0, indices=["ch"])


columns_of_frames = st.lists(
    st.sampled_from(
        [
            [1.0, 2.0, 5.0, 6.0],
            [1, 2, 5, 6],
            [True, False, True, False],
            [1.0, None, 5.0, 6.0],
            [1.0, math.nan, 5.0, 6.0],
            ["a", "b", "c", "d"],
            [None] * 4,
            [pd.Timestamp(0)] * 4,
            [[1], [2], [3], [4]],
            [1e300, 0.0, 1.0, -1e300],
        ]
    ),
    min_size=1,
    max_size=3,
)


@few
@given(
    columns=columns_of_frames,
    make=st.sampled_from(
        ["pandas", "polars", "lazy", "arrow", "dask", "masked", "matrix", "records", "duckdb"]
    ),
    names=st.sampled_from([["x", "y", "z"], ["x", "x", "x"], ["", " ", "=1"], [0, 1, 2]]),
)
def test_frames_of_points(columns: list[Any], make: str, names: list[Any]) -> None:
    names = names[: len(columns)]
    try:
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.columns = names
        if make == "pandas":
            X: Any = frame
        elif make == "masked":
            X = np.ma.masked_equal(frame.to_numpy(float), 2.0)
        elif make == "matrix":
            X = np.matrix(frame.to_numpy(float))
        elif make == "records":
            X = frame.to_records()
        elif make == "dask":
            X = pytest.importorskip("dask.dataframe").from_pandas(frame, npartitions=2)
        else:
            table = pl.DataFrame(dict(zip(map(str, names), columns, strict=True)))
            X = {"polars": table, "lazy": table.lazy(), "arrow": table.to_arrow()}.get(make)
            if make == "duckdb":
                X = pytest.importorskip("duckdb").from_arrow(table.to_arrow())
    except Exception:  # no such frame
        return
    check_values(outcome(adjudge.evaluate, X=X, labels=[0, 0, 1, 1]))
    outcome(adjudge.choose_k, X, k=[2], n_init=1, random_state=0, indices=["ch"])


@pytest.mark.full
@few
@given(
    columns=st.lists(
        st.sampled_from(
            [
                [0, 0, 1, 1, 2],
                [0, 1, 1, 1, None],
                ["a", "a", "b", "b", "c"],
                ["a", "b", None, "", "\0"],
                [0.0, 1.0, math.nan, 1.0, 2.0],
                [0.5, 1.0, 1.5, 1.0, 2.0],
                [True, False, True, True, False],
                [2**62, -(2**63), 0, 0, 0],
            ]
        ),
        min_size=2,
        max_size=3,
    ),
    engine=st.sampled_from(["lazy", "duckdb", "arrow", "ibis", "dask"]),
    kind=st.sampled_from(["clustering", "classification"]),
    missing=st.sampled_from(["raise", "drop"]),
)
def test_lazy_tables(columns: list[Any], engine: str, kind: Any, missing: str) -> None:
    """Engines give what the columns in memory give."""
    names = ["truth", "p", "q"][: len(columns)]
    frame = pl.DataFrame(dict(zip(names, columns, strict=True)))
    if engine == "lazy":
        table: Any = frame.lazy()
    elif engine == "duckdb":
        table = pytest.importorskip("duckdb").from_arrow(frame.to_arrow())
    elif engine == "ibis":
        table = pytest.importorskip("ibis").memtable(frame.to_arrow())
    elif engine == "dask":
        table = pytest.importorskip("dask.dataframe").from_pandas(frame.to_pandas(), npartitions=2)
    else:
        table = frame.to_arrow()
    found = outcome(adjudge.compare, table, truth="truth", kind=kind, missing=missing)
    wanted = outcome(adjudge.compare, frame, truth="truth", kind=kind, missing=missing)
    if not isinstance(found, AdjudgeError) and not isinstance(wanted, AdjudgeError):
        assert found.n == wanted.n
        for pair in wanted:
            assert found[pair.primary, pair.alternative].agreement == pair.agreement
    else:
        assert isinstance(found, AdjudgeError) == isinstance(wanted, AdjudgeError), (found, wanted)
    judged = outcome(
        adjudge.evaluate, table, truth="truth", pred="p", missing=missing, indices=["rand", "purity"]
    )
    there = outcome(
        adjudge.evaluate, frame, truth="truth", pred="p", missing=missing, indices=["rand", "purity"]
    )
    same(judged, there)
    outcome(adjudge.evaluate, table, labels="p", features=["truth"], missing=missing)
