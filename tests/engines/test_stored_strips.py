"""Workers that read points themselves are told where these lie, and compute the digits of points that are sent."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.engines.pairs import strips as laying
from adjudge.engines.pairs.euclidean_embeddings import image_of
from adjudge.engines.pairs.meetings import OverMeetings
from adjudge.engines.pairs.open_tables import Meet
from adjudge.engines.pairs.pair_pass import PairPass
from adjudge.engines.pairs.products import ProductPoints
from adjudge.engines.pairs.sources import distances_of, tiles_of
from adjudge.engines.pairs.stored_strips import Reader
from adjudge.engines.pairs.strips import Strips
from adjudge.errors import InputError
from adjudge.given.label_options import LabelOptions
from adjudge.given.partitioned import PartitionedPoints
from adjudge.given.point_options import PointOptions
from adjudge.given.points import as_points
from adjudge.given.points_file import StoredArray, stored_of
from adjudge.statistics.pair_distances import Diameters, PairSums, Silhouettes


def in_npy(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "X.npy", X)
    return folder / "X.npy"


def in_a_part_of_a_map(X: np.ndarray, folder: Path) -> Any:
    n, p = X.shape
    wide = np.lib.format.open_memmap(folder / "wide.npy", "w+", X.dtype, (n + 9, p + 3))
    wide[7:-2, 2:-1] = X
    return wide[7:-2, 2:-1]


def in_fortran_order(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "F.npy", np.asfortranarray(X))
    return str(folder / "F.npy")


def in_parquet(X: np.ndarray, folder: Path) -> Any:
    pq = pytest.importorskip("pyarrow.parquet", reason="the extra 'files' is not installed")
    import pyarrow as pa

    columns = {f"x{i}": values for i, values in enumerate(X.T)}
    pq.write_table(pa.table(columns), folder / "X.parquet", row_group_size=333)
    return folder / "X.parquet"


def in_zarr(X: np.ndarray, folder: Path) -> Any:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.open_array(folder / "X.zarr", mode="w", shape=X.shape, chunks=(300, 2), dtype=X.dtype)
    array[:] = X
    return array


WAYS = [in_npy, in_a_part_of_a_map, in_fortran_order, in_parquet, in_zarr]


def data(p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    return rng.normal(size=(1500, p)), np.minimum(rng.integers(0, 9, 1500), rng.integers(0, 60, 1500))


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("kind", ["differences", "products", "cityblock", "a function's blocks"])
@pytest.mark.parametrize("way", WAYS)
def test_a_worker_is_told_where_its_points_lie(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, way: Any, kind: str
) -> None:
    monkeypatch.setattr(laying, "strip_points", lambda n: 400)
    X, labels = data(40)
    given = PartitionedPoints.of(way(X, tmp_path), labels)
    assert given.stored is not None
    laid = Strips.of(given.codes, given.sizes)
    state = PairPass(laid, {PairSums, Silhouettes, Diameters}, given.codes)
    of_metric = PointOptions(metric="braycurtis" if "block" in kind else "cityblock", n_jobs=1)
    options, image = PointOptions(), image_of(X, "euclidean")

    def over(points: Any, reader: Reader | None) -> OverMeetings:
        if kind == "products":
            distances: Any = ProductPoints.of(points, laid, image, options, reader)
        elif kind == "differences":
            distances = tiles_of(points, laid, options, image, reader)
        else:
            distances = distances_of(points, laid, of_metric, reader)
        return OverMeetings(distances, Meet(state.wanted, None))

    alone, there = over(X, None), over(given.points, Reader(given.stored, given.kept, 1 << 20))
    emptied = there.emptied()
    if emptied is None:
        cloudpickle = pytest.importorskip("cloudpickle", reason="the extra 'dask' is not installed")
        sent = cloudpickle.dumps(there)
        assert len(sent) < 40_000
        there = pickle.loads(sent)
    for meeting in laid.meetings():
        if emptied is not None:
            portions = [(strip, there.portion(strip)) for strip in there.needs((meeting,)).values()]
            # A row's number, and for products its length.
            assert len(pickle.dumps(portions)) < 16 * sum(strip.size for strip, _ in portions) + 10_000
            function: Any = pickle.loads(pickle.dumps(emptied)).with_portions(portions)
        else:
            function = there
        [found], [expected] = function((meeting,)), alone((meeting,))
        assert pickle.dumps(found) == pickle.dumps(expected)


def test_rows_that_are_left_out_are_not_read(tmp_path: Path) -> None:
    X, labels = data()
    marked: list[Any] = labels.tolist()
    marked[3] = marked[700] = None
    given = PartitionedPoints.of(in_npy(X, tmp_path), marked, LabelOptions("drop"))
    assert given.stored is not None
    reader = pickle.loads(pickle.dumps(Reader(given.stored, given.kept, 1 << 20)))
    some = np.array([0, 3, 699, 1200])
    assert np.array_equal(reader[some], given.points[some])


def test_what_was_made_is_kept_up_to_the_limit(tmp_path: Path) -> None:
    X, _ = data()
    stored = as_points(in_npy(X, tmp_path)).stored
    assert stored is not None
    reader, made = Reader(stored, None, 4 * 100 * 3 * 8), []

    def make(rows: np.ndarray) -> np.ndarray:
        made.append(rows[0, 0])
        return rows

    for i in [0, 1, 2, 3, 0, 4, 0, 1, 1]:
        rows = np.arange(100 * i, 100 * i + 100)
        assert np.array_equal(reader.made_of(("rows", i), rows, make), X[rows])
    assert made == [X[100 * i, 0] for i in [0, 1, 2, 3, 4, 1]]


def test_points_in_memory_are_sent(tmp_path: Path) -> None:
    X, _ = data()
    path = in_npy(X, tmp_path)
    assert as_points(X).stored is None
    assert as_points(np.asarray(np.load(path, mmap_mode="r"))).stored is None
    # What was changed in memory alone, and what has no name.
    assert stored_of(np.load(path, mmap_mode="c")) is None
    assert stored_of(np.load(path, mmap_mode="r")[::-1]) is None
    np.save(path, X.astype(np.int32))
    assert as_points(path).stored is None


def test_a_worker_that_does_not_see_the_file_says_so(tmp_path: Path) -> None:
    X, _ = data()
    path = in_npy(X, tmp_path)
    stored = as_points(path).stored
    assert isinstance(stored, StoredArray)
    stored.open(1 << 20)
    np.save(path, X + 1)
    with pytest.raises(
        InputError, match=r"the worker on .* has another file .*X\.npy.* that all workers share"
    ):
        stored.open(1 << 20)
    path.unlink()
    with pytest.raises(
        InputError, match=r"cannot read the points in .*X.npy.* \(No such file or directory\)"
    ):
        stored.open(1 << 20)


def test_files_that_are_no_points(tmp_path: Path) -> None:
    for name, message in {
        "X.csv": "names the file .*X.csv.*: points are read from .npy and .parquet files",
        "no.npy": "no.npy', which is not a file",
        "bad.npy": "bad.npy' is not a readable .npy file of numbers",
        "bad.parquet": "bad.parquet' is not a readable Parquet file",
    }.items():
        if name.startswith("bad"):
            (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(InputError, match=message):
            as_points(tmp_path / name)
    X, _ = data()
    X[1234, 1] = np.nan
    with pytest.raises(InputError, match="X has a NaN in row 1234, column 'x1'"):
        as_points(in_parquet(X, tmp_path))
