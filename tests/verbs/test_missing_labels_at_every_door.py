"""Missing labels are missing at every door, whatever the type of their column, beside text and beside numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import adjudge
from adjudge.errors import InputError
from adjudge.tables import streaming
from table_engines import in_engine

N = 100
LACKING = 10
NO = [None] * LACKING
TRUTHS = {"text": ["A"] * 50 + ["B"] * 50, "numbers": [7] * 50 + [8] * 50}
# Labels of two values: those of the first 50 rows, and those of the others, of which the last 10 are missing.
LABELS: dict[str, pa.Array] = {
    str(kind): pa.array([0] * 50 + [1] * 40 + NO).cast(kind)
    for kind in (pa.int8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.decimal128(22, 1))
} | {
    "bool": pa.array([False] * 50 + [True] * 40 + NO),
    "string": pa.array(["x"] * 50 + ["y"] * 40 + NO),
    "dictionary": pa.array(["x"] * 50 + ["y"] * 40 + NO).dictionary_encode(),
    "date": pa.array([0] * 50 + [1] * 40 + NO, pa.int32()).cast(pa.date32()),
    "first": pa.array(NO + [0] * 40 + [1] * 50),
}
FILES: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "csv": lambda table, path: table.write_csv(path),
    "jsonl": lambda table, path: table.write_ndjson(path),
    "feather": lambda table, path: feather.write_feather(table.to_arrow(), path),
    "parquet": lambda table, path: parquet.write_table(table.to_arrow(), path),
}
ENGINES = ("polars", "pandas", "pyarrow", "polars-lazy", "duckdb")


def _at(
    door: str, table: pl.DataFrame, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Any:
    if door in ENGINES:
        return in_engine(table, door, request)
    folder = Path(request.getfixturevalue("tmp_path"))
    name, _, how = door.partition(" ")
    if how == "folder":
        parquet.write_table(table.slice(0, 95).to_arrow(), folder / "1.parquet")
        parquet.write_table(table.slice(95).to_arrow(), folder / "2.parquet")
        return folder
    if how == "large":  # which DuckDB counts
        monkeypatch.setattr(streaming, "SMALL_TEXT", 0)
        monkeypatch.setattr(streaming, "SMALL_PARQUET", 0)
    path = folder / f"t.{name}"
    FILES[name](table, path)
    return path


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("door", [*ENGINES, *FILES, "csv large", "parquet large", "parquet folder"])
def test_missing_labels_of_any_type(
    door: str, kind: str, truth: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {"truth": TRUTHS[truth], "other": TRUTHS[truth], "labels": pl.from_arrow(LABELS[kind])}
    table = pl.DataFrame(columns)
    given = _at(door, table, request, monkeypatch)
    asked: dict[str, Any] = {"truth": "truth", "kind": "clustering"}
    with pytest.raises(InputError, match=rf"missing label.*\({LACKING} in all\)|{LACKING} missing labels"):
        adjudge.evaluate(given, pred="labels", **asked)
    found = adjudge.evaluate(given, pred="labels", missing="drop", **asked)
    assert (found.n, found["adjusted_rand"]) == (N - LACKING, 1.0)
    with pytest.raises(InputError, match="missing"):
        adjudge.gate(given, old="other", new="labels", **asked)
    compared = adjudge.compare(given, models=["other", "labels"], missing="drop", indices="ari", **asked)
    assert compared.scores["labels"]["adjusted_rand"] == 1.0
    with pytest.raises(InputError, match="missing"):
        adjudge.evaluate(given, truth="truth", pred="other", groups="labels", kind="classification")
