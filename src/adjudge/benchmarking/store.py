"""Finished fits in a folder: predictions as Parquet, times and errors beside them; what is there is not done again."""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from adjudge.atomic import write_atomically
from adjudge.benchmarking.fitting import Fit
from adjudge.errors import InputError, MissingExtraError, Option

__all__ = ["Store"]


class Store:
    """A folder of finished fits, or nowhere.

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
        """Return the fits of a task that was done before, with the same model, data and seed."""
        if self.folder is None:
            return None
        facts = self._path(name, ".json")
        try:
            known = json.loads(facts.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if known.get("fingerprint") != fingerprint:
            return None
        labels: list[Any] = [None] * len(known["fits"])
        if any(fit["error"] is None for fit in known["fits"]):
            path = self._path(name, ".parquet")
            if not path.is_file():
                return None
            labels = _read_labels(path, len(labels))
        return [
            Fit(
                labels=None if fit["error"] is not None else own,
                seconds=fit["seconds"],
                megabytes=math.nan if fit["megabytes"] is None else fit["megabytes"],
                error=fit["error"],
                warnings=tuple(fit["warnings"]),
            )
            for fit, own in zip(known["fits"], labels, strict=True)
        ]

    def write(self, name: str, fingerprint: str, fits: Sequence[Fit], rows: Sequence[Any]) -> None:
        """Keep the fits of a task; what says that they are there is written last."""
        if self.folder is None:
            return
        if any(fit.labels is not None for fit in fits):
            write_atomically(self._path(name, ".parquet"), _written_labels(fits, rows))
        facts = []
        for fit in fits:
            own = asdict(fit)
            own["megabytes"] = None if math.isnan(fit.megabytes) else fit.megabytes
            facts.append({key: value for key, value in own.items() if key != "labels"})
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


def _written_labels(fits: Sequence[Fit], rows: Sequence[Any]) -> bytes:
    """Columns ``fold``, ``row`` (of the data set) and ``label`` of the fits that did not fail."""
    kept = [
        (i, fit.labels, own)
        for i, (fit, own) in enumerate(zip(fits, rows, strict=True))
        if fit.labels is not None
    ]
    columns = {
        "fold": np.concatenate([np.full(len(labels), i, np.int32) for i, labels, _ in kept]),
        "row": np.concatenate([np.asarray(own, np.int64) for _, _, own in kept]),
        "label": np.concatenate([np.asarray(labels) for _, labels, _ in kept]),
    }
    library, out = _parquet(), io.BytesIO()
    if library.__name__ == "polars":
        library.DataFrame(columns).write_parquet(out)
    else:
        from pyarrow import parquet

        parquet.write_table(library.table(columns), out)
    return out.getvalue()


def _read_labels(path: Path, n_fits: int) -> list[Any]:
    library = _parquet()
    if library.__name__ == "polars":
        frame = library.read_parquet(path)
        fold, label = frame["fold"].to_numpy(), np.array(frame["label"].to_list())
    else:
        from pyarrow import parquet

        table = parquet.read_table(path)
        fold, label = table["fold"].to_numpy(), np.array(table["label"].to_pylist())
    return [label[fold == i] for i in range(n_fits)]
