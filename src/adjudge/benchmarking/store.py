"""Finished fits in a folder: predictions as Parquet, times and errors beside them. No fit found there is repeated."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.atomic import write_atomically
from adjudge.benchmarking.fitting import Fit
from adjudge.errors import InputError, MissingExtraError, Option

__all__ = ["Store"]

# Prefix of the columns of class probabilities; numbers from 0 follow.
_PROBABILITY = "probability_"


class Store:
    """A folder of finished fits, or no folder at all.

    Parameters
    ----------
    folder : path-like, or None
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        _parquet()
        if self.folder.exists() and not self.folder.is_dir():
            raise InputError(Option("work", str(folder)), " is a file: name a folder")
        self.folder.mkdir(parents=True, exist_ok=True)

    def read(self, name: str, fingerprint: str) -> list[Fit] | None:
        """Return the finished fits of a task with the same model, data and seed; None if there are none."""
        if self.folder is None:
            return None
        facts = self._path(name, ".json")
        try:
            known = json.loads(facts.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if known.get("fingerprint") != fingerprint:
            return None
        predicted: list[tuple[Any, Any]] = [(None, None)] * len(known["fits"])
        if any(fit["error"] is None for fit in known["fits"]):
            path = self._path(name, ".parquet")
            if not path.is_file():
                return None
            predicted = _read_predictions(path, len(predicted))
        return [
            Fit(
                labels=None if fit["error"] is not None else labels,
                probabilities=None if fit["error"] is not None else probabilities,
                seconds=fit["seconds"],
                megabytes=math.nan if fit["megabytes"] is None else fit["megabytes"],
                error=fit["error"],
                warnings=tuple(fit["warnings"]),
            )
            for fit, (labels, probabilities) in zip(known["fits"], predicted, strict=True)
        ]

    def write(self, name: str, fingerprint: str, fits: Sequence[Fit], rows: Sequence[Any]) -> None:
        """Store the fits of a task; the record that they exist is written last."""
        if self.folder is None:
            return
        if any(fit.labels is not None for fit in fits):
            write_atomically(self._path(name, ".parquet"), _written_predictions(fits, rows))
        facts = [
            {
                "seconds": fit.seconds,
                "megabytes": None if math.isnan(fit.megabytes) else fit.megabytes,
                "error": fit.error,
                "warnings": fit.warnings,
            }
            for fit in fits
        ]
        content = json.dumps({"task": name, "fingerprint": fingerprint, "fits": facts}, indent=1)
        write_atomically(self._path(name, ".json"), content)

    def _path(self, name: str, suffix: str) -> Path:
        assert self.folder is not None
        readable = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)[:80]
        return self.folder / f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:10]}{suffix}"


def _parquet() -> Any:
    """Return the library that reads and writes Parquet."""
    from importlib import import_module
    from importlib.util import find_spec

    for package in ("polars", "pyarrow"):
        if find_spec(package) is not None:
            return import_module(package)
    raise MissingExtraError("polars", "files", Option("work"))


def _written_predictions(fits: Sequence[Fit], rows: Sequence[Any]) -> bytes:
    """Return Parquet with the columns ``fold``, ``row`` (of the data set), ``label``, and any class probabilities.

    Failed fits have no rows.
    """
    kept = [
        (i, fit, own) for i, (fit, own) in enumerate(zip(fits, rows, strict=True)) if fit.labels is not None
    ]
    columns = {
        "fold": np.concatenate([np.full(len(own), i, np.int32) for i, _, own in kept]),
        "row": np.concatenate([np.asarray(own, np.int64) for _, _, own in kept]),
        "label": np.concatenate([np.asarray(fit.labels) for _, fit, _ in kept]),
    }
    if all(fit.probabilities is not None for _, fit, _ in kept):
        found = np.concatenate([np.asarray(fit.probabilities, np.float64) for _, fit, _ in kept])
        columns |= {f"{_PROBABILITY}{j}": np.ascontiguousarray(found[:, j]) for j in range(found.shape[1])}
    library, out = _parquet(), io.BytesIO()
    if library.__name__ == "polars":
        library.DataFrame(columns).write_parquet(out)
    else:
        from pyarrow import parquet

        parquet.write_table(library.table(columns), out)
    return out.getvalue()


def _read_predictions(path: Path, n_fits: int) -> list[tuple[Any, Any]]:
    """Read the labels and probabilities of each fit."""
    library = _parquet()
    if library.__name__ == "polars":
        frame = library.read_parquet(path)
        table = {name: frame[name].to_list() for name in frame.columns}
    else:
        from pyarrow import parquet

        table = parquet.read_table(path).to_pydict()
    fold, label = np.array(table["fold"]), np.array(table["label"])
    named = [name for name in table if name.startswith(_PROBABILITY)]
    found = np.array([table[name] for name in named]).T if named else None
    return [(label[fold == i], None if found is None else found[fold == i]) for i in range(n_fits)]
