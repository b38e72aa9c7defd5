"""Room for large arrays: memory while it suffices, then a temporary file that vanishes with the process."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from adjudge.array_types import Ints
from adjudge.errors import InputError

MEMORY_LIMIT = 1 << 30

# Bytes that are copied at a time.
_BLOCK = 1 << 25


def room_for(shape: tuple[int, ...], dtype: DTypeLike, memory_limit: int) -> NDArray[Any]:
    """Return zeros in memory or, beyond `memory_limit` bytes, in an unnamed temporary file."""
    n_bytes = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
    if n_bytes <= memory_limit:
        return np.zeros(shape, dtype)
    with tempfile.TemporaryFile(prefix="adjudge-") as file:
        try:
            # Reserved at once, because a disk that fills up under a memory map kills the process.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
        except OSError as error:
            raise InputError(
                f"no room for {n_bytes / 1e9:.1f} GB of points in {tempfile.gettempdir()!r} ({error.strerror}): "
                "let the environment variable TMPDIR name a folder on a larger disk, or give a larger memory_limit"
            ) from error
        return np.memmap(file, dtype, "r+" if hasattr(os, "posix_fallocate") else "w+", shape=shape)


def take_rows(X: NDArray[Any], kept: Ints, memory_limit: int) -> NDArray[Any]:
    """Return some rows of a matrix, dense or sparse; block by block if it is a memory map."""
    if not isinstance(X, np.memmap):
        return X[kept]
    rows = room_for((kept.size, X.shape[1]), X.dtype, memory_limit)
    step = max(1, _BLOCK // (X.shape[1] * X.itemsize))
    for start in range(0, kept.size, step):
        rows[start : start + step] = X[kept[start : start + step]]
    return rows
