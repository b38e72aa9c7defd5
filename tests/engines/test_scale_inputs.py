"""Points that are not in memory: read once, by blocks, and the same digits as those of the array."""

from __future__ import annotations

import errno
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.engines.pairs import tiles as tiling
from adjudge.engines.pairs.strips import Strips
from adjudge.engines.pairs.tiles import Tiles
from adjudge.engines.points import reduce_points
from adjudge.errors import InputError
from adjudge.given import arrays
from adjudge.given import points as inputs
from adjudge.given.points import as_points
from adjudge.statistics.moments import ClusterDeterminants, Moments
from adjudge.statistics.pair_distances import Diameters, PairSums, Silhouettes, SingleLinkage, TailSums
from digits import digits

WANTED = (Moments, ClusterDeterminants, PairSums, Silhouettes, Diameters, SingleLinkage, TailSums)


def cloud(n: int = 2500, p: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, n)
    labels[: n // 10] = rng.integers(2, 30, n // 10)
    return rng.normal(size=(30, p))[labels] * 2 + rng.normal(size=(n, p)), labels


def memmap_of(X: np.ndarray, folder: Path) -> Any:
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def zarr_of(X: np.ndarray, folder: Path) -> Any:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed")
    array = zarr.open_array(
        folder / "X.zarr", mode="w", shape=X.shape, chunks=(300, X.shape[1]), dtype=X.dtype
    )
    array[:] = X
    return array


def dask_of(X: np.ndarray, folder: Path) -> Any:
    dask_array = pytest.importorskip("dask.array", reason="the extra 'dask' is not installed")
    return dask_array.from_array(X, chunks=(700, 2))


@pytest.mark.full(keep=1)
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("make", [memmap_of, zarr_of, dask_of])
@pytest.mark.parametrize("limit", [1 << 30, 1 << 15])
def test_the_digits_of_the_array(
    tmp_path: Path, make: Any, dtype: Any, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiling, "_READ", 1000)
    monkeypatch.setattr(inputs, "_READ", 1 << 14)
    X, labels = cloud()
    X = (X * 10).astype(dtype)
    alone = digits(reduce_points(X, labels, WANTED, memory_limit=limit))
    assert digits(reduce_points(make(X, tmp_path), labels, WANTED, memory_limit=limit)) == alone


@pytest.mark.full
@pytest.mark.parametrize("make", [memmap_of, zarr_of, dask_of])
def test_points_without_a_label_are_left_out(tmp_path: Path, make: Any) -> None:
    X, labels = cloud()
    some: list[Any] = labels.tolist()
    some[5] = some[900] = None
    alone = reduce_points(X, some, WANTED, missing="drop", memory_limit=1 << 12)
    assert alone.n == 2498
    found = reduce_points(make(X, tmp_path), some, WANTED, missing="drop", memory_limit=1 << 12)
    assert digits(found) == digits(alone)


@pytest.mark.parametrize("make", [memmap_of, zarr_of, dask_of])
def test_other_metrics_and_given_distances(tmp_path: Path, make: Any) -> None:
    X, labels = cloud(400)
    wanted = (PairSums, Silhouettes)
    assert digits(reduce_points(make(X, tmp_path), labels, wanted, metric="cityblock")) == digits(
        reduce_points(X, labels, wanted, metric="cityblock")
    )
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert digits(reduce_points(make(D, tmp_path), labels, wanted, metric="precomputed")) == digits(
        reduce_points(D, labels, wanted, metric="precomputed")
    )


@pytest.mark.parametrize("make", [memmap_of, zarr_of, dask_of])
def test_errors_name_the_row(tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_READ", 1 << 14)
    X, _ = cloud()
    X[2222, 1] = np.nan
    with pytest.raises(InputError, match="X has a NaN in row 2222, column 1"):
        as_points(make(X, tmp_path))


@pytest.mark.parametrize("make", [memmap_of, zarr_of, dask_of])
def test_gaps_are_of_the_same_rows(tmp_path: Path, make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_READ", 1 << 14)
    X, _ = cloud()
    X[[3, 2222], 1] = np.nan
    found = as_points(make(X, tmp_path), gaps=True).gaps
    assert found is not None
    assert np.flatnonzero(found).tolist() == [3, 2222]


def test_tiny_values_beside_others_are_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_READ", 300 * 3 * 8)
    X, _ = cloud()
    X[:300] = 1e-80
    assert as_points(Recorded(X)).shape == X.shape
    with pytest.raises(InputError, match="1e-80 as its largest magnitude"):
        as_points(Recorded(X[:300]))


def test_one_variable_and_unknown_rows(tmp_path: Path) -> None:
    dask_array = pytest.importorskip("dask.array", reason="the extra 'dask' is not installed")
    assert as_points(dask_array.arange(10, chunks=3)).values.tolist() == [[float(i)] for i in range(10)]
    x = dask_array.arange(10, chunks=3)
    with pytest.raises(InputError, match="unknown number of rows"):
        as_points(x[x > 3])
    with pytest.raises(InputError, match=r"shape \(2, 2, 2\)"):
        as_points(dask_array.zeros((2, 2, 2)))


class Recorded:
    """An array on a disk, that notes what was read."""

    def __init__(self, X: np.ndarray) -> None:
        self._X, self.shape, self.dtype, self.chunks = X, X.shape, X.dtype, (100, X.shape[1])
        self.read: list[slice] = []

    def __getitem__(self, rows: slice) -> np.ndarray:
        self.read.append(rows)
        return self._X[rows]


def test_reads_each_row_once_and_never_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_READ", 300 * 3 * 8)
    X, labels = cloud()
    recorded = Recorded(X)
    reduce_points(recorded, labels, WANTED)
    assert [(r.start, r.stop) for r in recorded.read] == [(i, i + 300) for i in range(0, 2500, 300)]


def test_tiles_of_a_map_are_those_of_the_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiling, "_READ", 777)
    rng = np.random.default_rng(1)
    for sizes in ([5000, 1], [1025, 3000, 2, 2, 40], [1] * 30, [2049]):
        codes = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        X = rng.normal(size=(codes.size, 3))
        strips = Strips.of(codes, np.array(sizes))
        plain = Tiles.of(X, strips)
        mapped = Tiles.of(memmap_of(X, tmp_path), strips, 1000)
        assert isinstance(mapped.values.base, np.memmap)
        assert np.array_equal(plain.values, mapped.values)
        assert np.array_equal(plain.widths, mapped.widths)
        for strip in strips.each:
            rows = plain.rows(strip, strip.size // 3, strip.size)
            expected = X[strips.order[strip.start + strip.size // 3 : strip.stop]]
            assert np.array_equal(rows[: expected.shape[0], :3], expected)
            assert not rows[expected.shape[0] :].any()


def test_a_full_disk_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(arrays.os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"no room for 0\.0 GB of points in .*No space left.*TMPDIR"):
        arrays.room_for((100, 100), np.float64, 1000)


@pytest.mark.full
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts maps of memory only on Linux"
)
def test_memory_is_bounded(tmp_path: Path) -> None:
    """200 MB of points under a limit of 100 MB of memory beyond what the program itself takes."""
    script = """
        import resource, sys
        import numpy as np
        from adjudge.engines.points import reduce_points
        from adjudge.statistics.moments import Moments
        from adjudge.engines.pairs.strips import Strips
        from adjudge.engines.pairs.tiles import Tiles
        from adjudge.given.points import as_points
        X = np.load(sys.argv[1], mmap_mode="r")
        class Chunked:
            shape, dtype, chunks = X.shape, X.dtype, (10_000, X.shape[1])
            def __getitem__(self, rows):
                return X[rows]
        codes = np.arange(X.shape[0]) % 5
        reduce_points(X[:1000], codes[:1000], [Moments])
        used = int(open("/proc/self/statm").read().split()[5]) * resource.getpagesize()
        limit = used + 100_000_000
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        points = as_points(Chunked(), memory_limit=1 << 20).values
        reduce_points(points, codes, [Moments], memory_limit=1 << 20)
        Tiles.of(points, Strips.of(codes, np.bincount(codes)), 1 << 20)
        try:
            np.zeros(X.shape) + 1
        except MemoryError:
            print("bounded")
    """
    path = tmp_path / "X.npy"
    np.save(path, np.random.default_rng(0).normal(size=(100_000, 250)))
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), str(path)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.stdout == "bounded\n", ended.stderr
