"""Points in a file: what another machine needs to know to read them itself, instead of being sent them."""

from __future__ import annotations

import mmap
import os
import socket
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Floats, Ints
from adjudge.errors import Argument, InputError, MissingExtraError, Option
from adjudge.given.arrays import room_for
from adjudge.given.data_frames import numeric_matrix

#: Endings of files of points.
OF_POINTS = (".npy", ".parquet", ".pq")
# What is read of a file to tell it from another of the same name: how many pieces, and how long they are.
_PIECES, _PIECE = 16, 512


class Rows(Protocol):
    """Points of an open file."""

    def __getitem__(self, rows: Any, /) -> NDArray[Any]:
        """Return the points at some positions."""
        ...


class Stored(Protocol):
    """Where points are stored: a short description that is sent in their place."""

    @property
    def is_mapped(self) -> bool:
        """Whether processes of one machine share what they read."""
        ...

    def open(self, memory_limit: int) -> Rows:
        """Open the file; raise if it is missing, or a different one."""
        ...


@dataclass(frozen=True)
class _Seen:
    """A file, with what tells it from another of the same name."""

    path: str
    size: int
    digest: str

    @classmethod
    def of(cls, path: str | Path) -> _Seen:
        """Take the size and a digest of a file."""
        found = Path(path).absolute()
        size = found.stat().st_size
        digest = blake2b(digest_size=16)
        with found.open("rb") as stream:
            for start in np.linspace(0, max(0, size - _PIECE), _PIECES).astype(np.int64):
                stream.seek(int(start))
                digest.update(stream.read(_PIECE))
        return cls(str(found), size, digest.hexdigest())

    def check(self) -> None:
        """Raise if this machine does not see the same file."""
        try:
            here = _Seen.of(self.path)
        except OSError as error:
            raise self._unseen(f"cannot read the points in {self.path!r} ({error.strerror})") from None
        if here != self:
            raise self._unseen(f"has another file {self.path!r} than the machine that sent the work")

    @staticmethod
    def _unseen(what: str) -> InputError:
        return InputError(
            f"the worker on {socket.gethostname()!r} {what}: let ",
            Argument("X"),
            " be in a folder that all workers share, or pass numpy.asarray(...) of the points to have them sent",
        )


@dataclass(frozen=True)
class StoredArray:
    """A memory-mapped array.

    Attributes
    ----------
    file : _Seen
    offset : int
        Position of its first number in the file.
    dtype : str
    shape, strides : tuple of int
    """

    file: _Seen
    offset: int
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    is_mapped = True

    @classmethod
    def of(cls, X: np.memmap[Any, Any]) -> StoredArray | None:
        """Describe a memory map or a part of one; return None if it has no named file, or may differ from the file."""
        whole = getattr(X, "_mmap", None)
        path = None if X.filename is None else Path(X.filename)
        if path is None or not path.is_file() or whole is None or X.mode == "c" or min(X.strides) < 0:
            return None
        if X.mode != "r":
            X.flush()
        mapped_from = X.offset - X.offset % mmap.ALLOCATIONGRANULARITY
        into = X.ctypes.data - np.frombuffer(whole, np.uint8).ctypes.data
        if not 0 <= into < len(whole):
            return None
        return cls(_Seen.of(path), mapped_from + into, X.dtype.str, X.shape, X.strides)

    def open(self, memory_limit: int) -> NDArray[Any]:
        """See `Stored`."""
        self.file.check()
        raw = np.memmap(self.file.path, np.uint8, "r")
        return np.ndarray(self.shape, self.dtype, raw.data, self.offset, self.strides)


@dataclass(frozen=True)
class StoredChunks:
    """The columns of a Parquet file, which must be numeric, or a Zarr array in a folder.

    Attributes
    ----------
    file : _Seen
        The Parquet file, or the file that describes the array.
    folder : str or None
        Folder of the array's store.
    path : str
        Path of the array in it.
    """

    file: _Seen
    folder: str | None = None
    path: str = ""
    is_mapped = False

    def open(self, memory_limit: int) -> Rows:
        """See `Stored`."""
        self.file.check()
        if self.folder is None:
            return _ByChunk(ParquetChunks(self.file.path), memory_limit)
        import zarr

        return _ByChunk(zarr.open_array(self.folder, mode="r", path=self.path), memory_limit)


class ParquetChunks:
    """A Parquet file as an array whose chunks are the row groups of the file."""

    def __init__(self, path: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            self._file = pq.ParquetFile(path)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path!r} is not a readable Parquet file: {error}") from None
        known = self._file.metadata
        rows = [known.row_group(i).num_rows for i in range(known.num_row_groups)]
        self.path = path
        self._edges = [0, *accumulate(rows)]
        self.columns = list(self._file.schema_arrow.names)
        self.flags = [own.name for own in self._file.schema_arrow if pa.types.is_boolean(own.type)]
        self.shape = known.num_rows, len(self.columns)
        self.dtype = np.dtype(np.float64)
        self.chunks = (tuple(rows) or (1,), (len(self.columns),))

    def __getitem__(self, rows: slice) -> Floats:
        """Return some rows."""
        stop = min(rows.stop, self.shape[0])
        groups = range(bisect_right(self._edges, rows.start) - 1, bisect_left(self._edges, stop))
        before = self._edges[groups.start]
        values, _ = numeric_matrix(self._file.read_row_groups([*groups]), "X")
        return values[rows.start - before : stop - before]


class _ByChunk:
    """Rows of a file that is read chunk by chunk, each chunk once, when one of its rows is first requested."""

    def __init__(self, chunked: Any, memory_limit: int) -> None:
        n, step = chunked.shape[0], chunked.chunks[0]
        sizes: Sequence[int] = step if isinstance(step, tuple) else [step] * -(-n // step)
        self._edges = np.minimum(np.concatenate([[0], np.cumsum(sizes)]), n)
        shape = tuple(chunked.shape) if len(chunked.shape) == 2 else (n, 1)
        dtype = np.dtype(chunked.dtype)
        self._values = room_for(
            shape, dtype if dtype in (np.float32, np.float64) else np.float64, memory_limit
        )
        self._is_here = np.zeros(len(sizes), bool)
        self._chunked, self._lock = chunked, Lock()

    def __getitem__(self, rows: Ints) -> NDArray[Any]:
        """Return the points at some positions."""
        chunks = np.unique(np.searchsorted(self._edges, rows, "right") - 1)
        with self._lock:
            for chunk in chunks[~self._is_here[chunks]]:
                start, stop = int(self._edges[chunk]), int(self._edges[chunk + 1])
                self._values[start:stop] = np.reshape(self._chunked[start:stop], (stop - start, -1))
                self._is_here[chunk] = True
        return self._values[rows]


def open_points(path: str | os.PathLike[str], name: str) -> Any:
    """Open a file of points as an array that is read block by block: a memory map, or `ParquetChunks`."""
    found = _opened(path, name)
    if isinstance(found, ParquetChunks) and found.flags:
        raise InputError(
            f"{found.path!r} holds no points alone: column {found.flags[0]!r} is True or False; pass the file as a ",
            "table, and name its coordinates with ",
            Option("features"),
        )
    return found


def _opened(path: str | os.PathLike[str], name: str) -> Any:
    found = Path(path)
    kind = found.suffix.lower()
    if kind not in OF_POINTS:
        raise InputError(
            Argument(name),
            f" names the file {str(found)!r}: points are read from .npy and .parquet files, so pass a data frame",
        )
    if not found.is_file():
        raise InputError(Argument(name), f" names {str(found)!r}, which is not a file")
    if kind != ".npy":
        if find_spec("pyarrow") is None:
            raise MissingExtraError("pyarrow", "files", f"reading the Parquet file {str(found)!r}")
        return ParquetChunks(str(found))
    try:
        return np.load(found, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError):
        raise InputError(f"{str(found)!r} is not a readable .npy file of numbers") from None


def read_whole(path: str | os.PathLike[str], name: str) -> Any:
    """Read a file of points whose columns may be of any kind: a memory map, or a table of Arrow."""
    found = _opened(path, name)
    if not isinstance(found, ParquetChunks):
        return found
    import pyarrow.parquet as pq

    return pq.read_table(found.path)


def stored_of(X: Any) -> Stored | None:
    """Return where the points of an array are stored; None if that is memory or anything else."""
    if isinstance(X, np.memmap):
        return StoredArray.of(X)
    if isinstance(X, ParquetChunks):
        return StoredChunks(_Seen.of(X.path))
    folder = getattr(getattr(X, "store", None), "root", None)
    if type(X).__module__.partition(".")[0] == "zarr" and isinstance(folder, Path):
        described = [p for p in (folder / X.path / "zarr.json", folder / X.path / ".zarray") if p.is_file()]
        return StoredChunks(_Seen.of(described[0]), str(folder.absolute()), X.path) if described else None
    return None
