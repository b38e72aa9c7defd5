"""Points of any kind as a float matrix; every error about points is raised here."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adjudge.array_types import Bools, Ints
from adjudge.errors import Argument, GapError, InputError, InputTypeError, Option, Row, a_type
from adjudge.given.arrays import (
    MEMORY_LIMIT,
    extremes,
    magnitude_of_ordinary,
    number_array,
    room_for,
)
from adjudge.given.data_frames import FRAME_PACKAGES, numeric_matrix
from adjudge.given.points_file import Stored, open_points, stored_of

# Rows to check for NaN at a time, so that no mask of a memory map's size is needed.
_BLOCK = 1 << 16
# Rows of a square matrix to compare with its columns at a time.
_ROWS = 1 << 8
# Fourth powers of values up to here, and sums of very many of them, stay well within floating point.
_LARGEST = 1e70
#: What to say of points that look like distances.
LIKE_DISTANCES = (
    "X is square, symmetric and 0 on its diagonal, like a matrix of distances, but its rows count as points"
)
# Relative rounding errors of distances up to here.
_ROUNDING = 1e-9
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))
# Bytes to read at a time from an array that is not in memory.
_READ = 1 << 26


@dataclass(frozen=True)
class ColumnsLeftOut:
    """Columns that are no coordinates.

    Attributes
    ----------
    names : tuple of str
    why : str
        A key of `identifiers.LOOKS_LIKE`, "constant" for one value only, "copy" of labels, or "text" for no numbers.
    label : str or None
        The labels that the column repeats.
    """

    names: tuple[str, ...]
    why: str
    label: str | None = None


@dataclass(frozen=True)
class DataMatrix:
    """Checked points.

    Attributes
    ----------
    values : ndarray of float64 or float32 of shape (n, p), or scipy sparse CSR matrix
        C-contiguous unless it is a memory map, which is not copied.
    columns : list of str or None
        Column names if the input had any.
    stored : Stored or None
        Where they are stored, if another machine may read them there.
    gaps : ndarray of bool of shape (n,), or None
        The rows with a NaN, if these are allowed and there are any.
    left_out : tuple of ColumnsLeftOut
        Other columns of the data frame, which are no coordinates.
    """

    values: Any
    columns: list[str] | None
    stored: Stored | None = None
    gaps: Bools | None = None
    left_out: tuple[ColumnsLeftOut, ...] = ()

    @cached_property
    def look_like_distances(self) -> bool:
        """Whether they look like a matrix of distances between points."""
        return look_like_distances(self.values)

    @staticmethod
    def checked(
        values: NDArray[Any],
        columns: list[str] | None,
        left_out: Sequence[ColumnsLeftOut] = (),
        *,
        name: str = "X",
        stored: Stored | None = None,
        gaps: bool = False,
    ) -> DataMatrix:
        """Accept numbers if distances between them can be computed."""
        checks = _Checks(name, columns, values.shape[0], gaps)
        checks.add(values)
        return checks.points(values, stored, left_out)

    def take(self, rows: Ints) -> DataMatrix:
        """Return some points."""
        gaps = None if self.gaps is None else self.gaps[rows]
        return replace(self, values=self.values[rows], stored=None, gaps=gaps)

    def check_gaps(self, absent: Bools | None) -> None:
        """Raise for the first gap, except of points that are `absent`."""
        if self.gaps is None:
            return
        rows = np.flatnonzero(
            self.gaps if absent is None or absent.size != self.gaps.size else self.gaps & ~absent
        )
        if rows.size:
            row = int(rows[0])
            column = int(np.argmax(np.isnan(self.values[row])))
            raise _not_finite("X", math.nan, row, column, self.columns)

    def complete(self) -> DataMatrix:
        """Return the points without gaps."""
        if self.gaps is None:
            return self
        if self.gaps.all():
            raise InputError(
                Argument("X"), " has a gap in every row: leave out the columns that have most of them"
            )
        return replace(self.take(np.flatnonzero(~self.gaps)), gaps=None)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of points and of variables."""
        n, p = self.values.shape
        return int(n), int(p)


def as_points(X: Any, name: str = "X", memory_limit: int = MEMORY_LIMIT, *, gaps: bool = False) -> DataMatrix:
    """Check points and convert them to floating point.

    Parameters
    ----------
    X : array-like of shape (n, p), data frame, memory map, Zarr, HDF5 or Dask array, scipy sparse matrix, or path
        A one-dimensional array is one variable. Arrays that are not in memory are read once, by blocks. A path names
        a .npy file, which is mapped, or a Parquet file, all of whose columns are variables.
    name : str
        Name for errors.
    memory_limit : int
        Above this number of bytes, data go to a temporary file.
    gaps : bool, default False
        Allow rows with NaN; `DataMatrix.gaps` marks them.

    Raises
    ------
    InputError
        If there are NaN or infinite entries (row and column are named), non-numeric columns, magnitudes beyond 1e70
        or below 1e-70, or empty input.
    """
    if isinstance(X, DataMatrix):
        return X
    columns: list[str] | None = None
    if type(X) is not np.ndarray:
        if isinstance(X, (str, os.PathLike)):
            X = open_points(X, name)
        if hasattr(X, "tocsr"):
            return _as_sparse_points(X, name)
        if hasattr(X, "chunks") and hasattr(X, "dtype"):
            return _read_chunks(X, name, memory_limit, gaps)
        if is_data_frame(X):
            X, columns = numeric_matrix(X, name, gaps=gaps)
    values = number_array(X, name, " is ragged: points are a matrix with one row per point")
    if values.ndim == 0:
        raise InputTypeError(Argument(name), f" is {a_type(X)}: points are a matrix with one row per point")
    if values.ndim == 1:
        values = values[:, None]
    _check_matrix(values.shape, values.dtype, name)
    stored = stored_of(values) if values.dtype in (np.float32, np.float64) else None
    if isinstance(values, np.ma.MaskedArray):
        values = np.ma.filled(values.astype(np.float64), np.nan)
    if values.dtype not in (np.float32, np.float64):
        values = values.astype(np.float64)
    if not isinstance(values, np.memmap):
        values = np.ascontiguousarray(values)
    return DataMatrix.checked(values, columns, name=name, stored=stored, gaps=gaps)


def is_data_frame(X: Any) -> bool:
    """Whether X is a data frame, or has columns as one has."""
    if (
        isinstance(X, (DataMatrix, str, os.PathLike, np.ndarray))
        or hasattr(X, "tocsr")
        or hasattr(X, "chunks")
    ):
        return False
    # The package is tested first: asking a lazy frame for its columns is costly.
    return type(X).__module__.partition(".")[0] in FRAME_PACKAGES or hasattr(X, "columns")


class _Checks:
    """Points that are checked part by part: the rows with NaN, which are allowed or not, and the largest magnitude."""

    def __init__(self, name: str, columns: list[str] | None, n: int, allowed: bool) -> None:
        self._name, self._columns, self._n, self._allowed = name, columns, n, allowed
        self._gaps: Bools | None = None
        self._largest = 0.0

    def add(self, values: NDArray[Any], before: int = 0) -> None:
        """Raise if a value is not finite; mark the rows with NaN, and see how large the others are."""
        for start in range(0, values.shape[0], _BLOCK):
            block = np.asarray(values[start : start + _BLOCK])
            ordinary = magnitude_of_ordinary(block)
            if ordinary is not None:
                self._largest = max(self._largest, ordinary)
                continue
            low, high = extremes(block)
            if not (math.isfinite(low) and math.isfinite(high)):
                rows, cols = np.nonzero(np.isinf(block) if self._allowed else ~np.isfinite(block))
                if rows.size:
                    row, col = int(rows[0]), int(cols[0])
                    raise _not_finite(self._name, block[row, col], before + start + row, col, self._columns)
                is_gap = np.isnan(block)
                if self._gaps is None:
                    self._gaps = np.zeros(self._n, bool)
                self._gaps[before + start + np.flatnonzero(is_gap.any(axis=1))] = True
                low, high = extremes(np.where(is_gap, block.dtype.type(0), block))
            self._largest = max(self._largest, -low, high)

    def points(
        self, values: Any, stored: Stored | None, left_out: Sequence[ColumnsLeftOut] = ()
    ) -> DataMatrix:
        """Return all parts as points, if powers of them can be computed."""
        check_magnitude(self._largest, self._name)
        return DataMatrix(values, self._columns, stored, self._gaps, tuple(left_out))


def are_plain(X: Any) -> bool:
    """Whether X passes every check and is taken as it is: a matrix of floats in memory, of ordinary size."""
    return (
        type(X) is np.ndarray
        and X.ndim == 2
        and X.dtype in _FLOATS
        and X.flags.c_contiguous
        and magnitude_of_ordinary(X) is not None
    )


def look_like_distances(X: Any) -> bool:
    """Whether X is a dense square symmetric matrix of at least 3 rows, with a zero diagonal and nothing negative.

    Examples
    --------
    >>> import numpy as np
    >>> from adjudge.given.points import look_like_distances
    >>> x = np.array([0.0, 1.0, 5.0])
    >>> look_like_distances(abs(x[:, None] - x)), look_like_distances(x[:, None] - x)
    (True, False)
    """
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 3 or hasattr(X, "tocsr"):
        return False
    values = np.asarray(X)
    if values.dtype.kind not in "iuf":
        return False
    rounding = _ROUNDING * float(values.max())
    if not (rounding > 0 and (np.abs(np.diagonal(values)) <= rounding).all()):
        return False
    for start in range(0, shape[0], _ROWS):
        rows, columns = values[start : start + _ROWS], values[:, start : start + _ROWS].T
        if rows.min() < -rounding or not (np.abs(rows - columns) <= rounding).all():
            return False
    return True


def _check_matrix(shape: tuple[int, ...], dtype: Any, name: str, what: str = "points") -> None:
    if len(shape) != 2:
        raise InputError(Argument(name), f" has shape {shape}: {what} are a matrix with one row per point")
    if 0 in shape:
        raise InputError(
            Argument(name), f" has shape {shape}: at least one point and one variable are needed"
        )
    if dtype.kind not in "iubf":
        raise InputTypeError(Argument(name), f" has dtype {dtype}: points must be numbers")


def _read_chunks(X: Any, name: str, memory_limit: int, gaps: bool) -> DataMatrix:
    """Read a chunked array once, in order, by whole chunks of rows."""
    if any(n != n for n in X.shape):
        raise InputError(
            Argument(name), " has an unknown number of rows: call its compute_chunk_sizes() first"
        )
    shape, dtype = tuple(map(int, X.shape)), np.dtype(X.dtype)
    one_variable = len(shape) == 1
    if one_variable:
        shape = (*shape, 1)
    _check_matrix(shape, dtype, name)
    kept_type = dtype if dtype in (np.float32, np.float64) else np.dtype(np.float64)
    values = room_for(shape, kept_type, memory_limit)
    chunk = X.chunks[0] if X.chunks else 1
    # Zarr's chunks all have one length; Dask lists the lengths.
    length = int(max(chunk) if isinstance(chunk, tuple) else chunk)
    step = max(1, _READ // (shape[1] * dtype.itemsize) // length) * length
    checks = _Checks(name, getattr(X, "columns", None), shape[0], gaps)
    for start in range(0, shape[0], step):
        block = np.asarray(X[start : start + step])
        values[start : start + step] = block[:, None] if one_variable else block
        checks.add(values[start : start + step], start)
    return checks.points(values, stored_of(X))


def _as_sparse_points(X: Any, name: str) -> DataMatrix:
    matrix = X.tocsr()
    _check_matrix(matrix.shape, matrix.dtype, name, "sparse points")
    matrix = matrix.astype(np.float64, copy=False)
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if bad.size:
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right")) - 1
        raise _not_finite(name, matrix.data[bad[0]], row, int(matrix.indices[bad[0]]), None)
    check_magnitude(float(np.abs(matrix.data).max(initial=0.0)), name)
    return DataMatrix(matrix, None)


@contextmanager
def naming_what_drops_gaps(numeric: Callable[[], Container[str]] | None = None) -> Iterator[None]:
    """Say in errors about gaps among numbers which option leaves such points out.

    Parameters
    ----------
    numeric : callable, optional
        Returns the columns of numbers of a table; a cell of another one is no gap.
    """
    try:
        yield
    except GapError as error:
        if numeric is None or error.column is None or error.column in numeric():
            error.worded(*error.parts, ", or pass ", Option("missing", "drop"))
        raise


def check_magnitude(largest: float, name: str) -> None:
    """Raise if powers of the values would overflow, or all vanish."""
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        raise InputError(
            Argument(name),
            f" has {largest!r} as its largest magnitude, whose powers exceed floating "
            "point: choose another unit",
        )


def _not_finite(name: str, value: float, row: int, column: int, columns: list[str] | None) -> InputError:
    what = "a NaN" if np.isnan(value) else "an infinite value"
    where = Row(row, columns[column] if columns else column)
    made = GapError if np.isnan(value) else InputError
    return made(Argument(name), f" has {what} ", where, ": fill in or leave out such points")
