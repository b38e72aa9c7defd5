"""Saves of the partial results of long passes, which resume where they were killed and give the same digits."""

from __future__ import annotations

import json
import time
import zipfile
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from adjudge.atomic import check_writable, remove_leftovers, write_atomically
from adjudge.callers import warn_caller
from adjudge.errors import InputError, Option
from adjudge.given.metrics import Metric, metric_option

__all__ = [
    "INTERVAL",
    "Arrays",
    "Checkpoint",
    "Resumable",
    "fingerprint_of_array",
    "fingerprint_of_metric",
    "fingerprint_of_points",
]

Arrays = dict[str, NDArray[Any]]

# Seconds between two saves.
INTERVAL = 60.0

_FORMAT = "adjudge checkpoint 1"
_HEADER = "header"
_BLOCK_BYTES = 1 << 24
# Points whose distances distinguish functions.
_PROBED = 16


class Resumable(Protocol):
    """The result that a pass accumulates."""

    def export(self) -> Arrays:
        """Return everything accumulated so far."""
        ...

    def restore(self, saved: Arrays) -> None:
        """Restore what was exported."""
        ...


class Checkpoint:
    """A file with the results of the finished passes and the partial result of the current one.

    Passes are identified by their order, which depends only on data and settings: these have to be the same.

    Parameters
    ----------
    path : str or Path
    fingerprint : dict of str to str
        Data and settings, by names that a person would use.
    interval : float
        Seconds between two saves.
    """

    def __init__(self, path: str | Path, fingerprint: dict[str, str], interval: float = INTERVAL) -> None:
        self._shown = str(path)
        self._path = check_writable(path)
        self._fingerprint = fingerprint
        self._interval = interval
        self._finished: list[Arrays] = []
        self._partial: Arrays = {}
        self._done = 0
        self._next = 0
        if self._path.exists():
            self._read()
            remove_leftovers(self._path)
        else:
            # Report a disk that cannot hold the file before the work, not a minute into it.
            self._write()
        self._saved = time.monotonic()
        self._warned = False

    def begin(self, accumulated: Resumable) -> int | None:
        """Restore the next pass, and return how many of its tasks are done; None if all are."""
        number = self._next
        self._next += 1
        if number < len(self._finished):
            accumulated.restore(self._finished[number])
            return None
        if self._partial:
            accumulated.restore(self._partial)
        return self._done

    @property
    def is_due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved >= self._interval

    def save_if_due(self, done: int, accumulated: Resumable) -> None:
        """Save the result of the first `done` tasks of the pass if it is time to."""
        if self.is_due:
            self.save(done, accumulated)

    def save(self, done: int, accumulated: Resumable) -> None:
        """Save the result of the first `done` tasks of the pass."""
        self._done, self._partial = done, accumulated.export()
        self._write_or_warn()

    def end(self, accumulated: Resumable) -> None:
        """Keep the result of the whole pass."""
        self._finished.append(accumulated.export())
        self._done, self._partial = 0, {}
        if self.is_due:
            self._write_or_warn()

    def remove(self) -> None:
        """Delete the file: all work is done."""
        self._path.unlink(missing_ok=True)

    def _write_or_warn(self) -> None:
        try:
            self._write()
        except InputError as error:
            if not self._warned:
                warn_caller(
                    f"{error}; the computation continues, and the last checkpoint that could be written is kept"
                )
                self._warned = True
        self._saved = time.monotonic()

    def _write(self) -> None:
        parts = [*self._finished, self._partial]
        header = {"format": _FORMAT, "of": self._fingerprint, "done": self._done, "finished": len(parts) - 1}
        arrays: Arrays = {
            f"{i}/{name}": array for i, part in enumerate(parts) for name, array in part.items()
        }
        arrays[_HEADER] = np.frombuffer(json.dumps(header).encode(), np.uint8)
        write_atomically(self._path, lambda stream: np.savez(stream, allow_pickle=False, **arrays))

    def _read(self) -> None:
        try:
            # NumPy would leave open a file that it cannot read.
            with self._path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                header = json.loads(file[_HEADER].tobytes())
                arrays = {name: file[name] for name in file.files if name != _HEADER}
        except (OSError, ValueError, KeyError, EOFError, TypeError, AttributeError, zipfile.BadZipFile):
            raise InputError(
                Option("checkpoint", self._shown),
                " exists and is not a checkpoint, or is damaged: delete it, or name another file",
            ) from None
        if header.get("format") != _FORMAT:
            raise InputError(
                Option("checkpoint", self._shown),
                " was written by another version: delete it, or name another file",
            )
        self._check(header["of"])
        parts: list[Arrays] = [{} for _ in range(header["finished"] + 1)]
        for name, array in arrays.items():
            number, _, own = name.partition("/")
            parts[int(number)][own] = array
        *self._finished, self._partial = parts
        self._done = header["done"]

    def _check(self, theirs: dict[str, str]) -> None:
        for name, ours in self._fingerprint.items():
            there = theirs.get(name)
            if there != ours:
                difference = (
                    f"{name} differ" if name.endswith("s") else f"{name} is {there} there and {ours} here"
                )
                raise InputError(
                    Option("checkpoint", self._shown),
                    f" belongs to another computation, whose {difference}: name another file, "
                    "or delete it to start again",
                )


def fingerprint_of_array(array: Any) -> str:
    """Return the hash of an array's values, read block by block."""
    digest = blake2b(digest_size=16)
    step = max(1, _BLOCK_BYTES // max(1, array[:1].nbytes))
    for start in range(0, array.shape[0], step):
        digest.update(np.ascontiguousarray(array[start : start + step]).data)
    return digest.hexdigest()


def fingerprint_of_points(X: Any, codes: NDArray[np.int64]) -> dict[str, str]:
    """Return sizes and hashes of points and of their clusters."""
    if hasattr(X, "indptr"):
        values = " ".join(fingerprint_of_array(part) for part in (X.indptr, X.indices, X.data))
    else:
        values = fingerprint_of_array(X)
    return {
        "shape of X": " x ".join(map(str, X.shape)),
        "type of X": str(X.dtype),
        "values of the points": values,
        "labels": fingerprint_of_array(codes),
    }


def fingerprint_of_metric(metric: Metric, X: Any) -> str:
    """Return the name of a metric; functions of the same name are distinguished by their values for some points."""
    if isinstance(metric, str):
        return metric
    from scipy.spatial.distance import cdist

    some = np.asarray(X[np.linspace(0, X.shape[0] - 1, _PROBED).astype(np.int64)])
    distances: Any = cdist
    values = fingerprint_of_array(distances(some, some, metric=metric))
    return f"{metric_option(metric).value} with distances of hash {values}"
