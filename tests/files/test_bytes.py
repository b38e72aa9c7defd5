"""Columns of bytes are text if they are UTF-8; many programs write text so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import adjudge
from adjudge.errors import InputError

TRUTH = ["yes", "no", "yes", "café", "no", ""] * 5
SAID = ["yes", "no", "no", "café", "no", ""] * 5
TEXT = pa.table({"t": TRUTH, "p": SAID, "s": SAID})


def _as_bytes(kind: Any) -> pa.Table:
    made = {name: [value.encode() for value in TEXT[name].to_pylist()] for name in ("t", "p")}
    return pa.table({name: pa.array(own, pa.binary()).cast(kind) for name, own in made.items()} | {"s": SAID})


def test_bytes_are_text(tmp_path: Path, run: Any) -> None:
    wanted = adjudge.evaluate(TEXT, truth="t", pred="p", kind="classification")
    tables: list[Any] = [_as_bytes(pa.binary()), _as_bytes(pa.large_binary())]
    coded = tables[0]
    tables.append(
        pa.table({n: coded[n].dictionary_encode() if n != "s" else coded[n] for n in coded.column_names})
    )
    tables += [pl.from_arrow(coded), pl.from_arrow(coded).lazy(), duckdb.sql("from coded")]
    pq.write_table(coded, tmp_path / "b.parquet")
    pyarrow.feather.write_feather(coded, tmp_path / "b.arrow")
    tables += [tmp_path / "b.parquet", tmp_path / "b.arrow"]
    for table in tables:
        for column in ("p", "s"):
            found = adjudge.evaluate(table, truth="t", pred=column, kind="classification")
            assert found.values == wanted.values
            assert list(found.by_class) == list(wanted.by_class)
    for engine in ("memory", "duckdb"):
        asked = ["--truth", "t", "--pred", "p", "--kind", "classification", "--engine", engine]
        assert "\ncafé " in run("evaluate", tmp_path / "b.parquet", *asked)


def test_other_bytes_are_refused_in_one_line(tmp_path: Path) -> None:
    table = pa.table({"t": pa.array([b"a", b"\xff\xfe", None]), "p": ["a", "a", "b"]})
    pq.write_table(table, tmp_path / "b.parquet")
    for given in (table, pl.from_arrow(table), tmp_path / "b.parquet"):
        with pytest.raises(InputError, match=r"column 't' has the bytes .*, which are not UTF-8") as error:
            adjudge.evaluate(given, truth="t", pred="p", kind="classification", missing="drop")
        assert "at position 1" in str(error.value)
