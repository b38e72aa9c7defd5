"""Finished work of a long choice in a folder, so that an interrupted call can resume."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.atomic import remove_leftovers, write_atomically
from adjudge.engines.running.checkpoint import Arrays, fingerprint_of_points
from adjudge.errors import InputError, Option
from adjudge.version import __version__

__all__ = ["NOWHERE", "WorkFolder"]

_HEADER = "header"


@dataclass(frozen=True)
class WorkFolder:
    """A folder with one file for each piece of work, or no folder at all.

    Attributes
    ----------
    folder : Path or None
    of : dict of str to str
        What all pieces depend on: points, versions, options.
    """

    folder: Path | None
    of: dict[str, str]

    @classmethod
    def at(cls, folder: str | Path | None, X: Any, **facts: Any) -> WorkFolder:
        """Create the folder, if one is given, and record the points and options."""
        if folder is None:
            return NOWHERE
        import sklearn

        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise InputError(Option("work", str(folder)), " is a file: name a folder")
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                Option("work", str(folder)), f" cannot be made: {error.strerror or error}"
            ) from None
        points = fingerprint_of_points(X, np.empty(0, np.int64))
        versions = {"adjudge": __version__, "scikit-learn": sklearn.__version__}
        return cls(path, {**points, **versions, **{name: repr(value) for name, value in facts.items()}})

    def recall(self, name: str, told: str, compute: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of a piece of work from the folder, if it was done in the same way; else compute them.

        Parameters
        ----------
        name : str
        told : str
            Everything that only this piece depends on.
        compute : callable
            Returns arrays of numbers or text, by name.
        """
        if self.folder is None:
            return compute()
        header = json.dumps({**self.of, "piece": name, "told": told}, sort_keys=True)
        readable = re.sub(r"[^A-Za-z0-9_.=-]+", "-", name)[:80]
        path = self.folder / f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:10]}.npz"
        known = _read(path, header)
        if known is not None:
            return known
        found = compute()
        if all(array.dtype.kind != "O" for array in found.values()):
            marked = {**found, _HEADER: np.frombuffer(header.encode(), np.uint8)}
            write_atomically(path, lambda stream: np.savez(stream, allow_pickle=False, **marked))
            remove_leftovers(path)
        return found


NOWHERE = WorkFolder(None, {})


def _read(path: Path, header: str) -> Arrays | None:
    """Return the arrays of a file written for the same work; None if there is no such file, or it is damaged."""
    try:
        # NumPy would leave open a file that it cannot read.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            if file[_HEADER].tobytes().decode() != header:
                return None
            return {name: file[name] for name in file.files if name != _HEADER}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
