"""Cells that hold lists are labels of multilabel data, and an error elsewhere; one JSON document is no row."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adjudge.errors import InputError
from adjudge.files import columnar
from adjudge.files.kinds import open_table
from conftest import raises_line

TRUTH = [["a", "b"], [], ["a"], ["c"]]
PREDICTED = [["a"], ["a"], ["a"], ["c"]]
COMMAND = ["--truth", "t", "--pred", "p"]
MULTILABEL = [*COMMAND, "--kind", "multilabel", "--indices", "hamming_loss,micro_f1", "-f", "csv"]

WRITERS: dict[str, Callable[[pl.DataFrame, Path], Any]] = {
    "s.parquet": pl.DataFrame.write_parquet,
    "s.arrow": pl.DataFrame.write_ipc,
    "s.feather": lambda frame, path: frame.write_ipc_stream(path),
    "s.jsonl": pl.DataFrame.write_ndjson,
    "s.json": pl.DataFrame.write_ndjson,
}


def values(out: str) -> list[float]:
    return [float(row["value"]) for row in csv.DictReader(io.StringIO(out))]


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("reader", ["polars", "pyarrow"])
def test_lists_are_labels(
    name: str, reader: str, tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 4 x 3 cells two are wrong; tp = 3, fp = 1, fn = 1."""
    if reader == "pyarrow":
        monkeypatch.setattr(columnar, "find_spec", lambda package: None if package == "polars" else True)
    path = tmp_path / name
    WRITERS[name](pl.DataFrame({"t": TRUTH, "p": PREDICTED}), path)
    assert values(run("evaluate", path, *MULTILABEL)) == [pytest.approx(2 / 12), 0.75]


def test_lists_beside_text_and_numbers(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "s.parquet"
    numbers: list[list[int]] = [[1, 2], [], [1], [3]]
    pl.DataFrame({"t": numbers, "p": ["1", "1", "1", "3"]}).write_parquet(path)
    assert values(run("evaluate", path, *MULTILABEL)) == [pytest.approx(2 / 12), 0.75]


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_lists_are_refused_elsewhere(name: str, engine: str, tmp_path: Path, run: Any) -> None:
    path = tmp_path / name
    WRITERS[name](pl.DataFrame({"t": TRUTH, "p": PREDICTED, "g": list("xxyy")}), path)
    if engine == "duckdb" and name != "s.parquet":
        return
    for command in (
        ["evaluate", str(path), *COMMAND, "--kind", "clustering", "--engine", engine],
        ["compare", str(path), *shlex.split("--truth t --models p,g --kind classification --engine"), engine],
        ["evaluate", str(path), *shlex.split("--truth g --pred p --kind classification --engine"), engine],
    ):
        said = run(*command, code=2)
        assert " holds lists such as ['a'" in said
        assert said.endswith("a cell needs one label or number, and lists of labels need --kind multilabel")


@pytest.mark.full(keep=3)
@pytest.mark.parametrize("reader", ["polars", "pyarrow"])
@pytest.mark.parametrize("cells", [[{"x": 1}, {"x": 2}], [[["a"]], [["b"]]], [[{"x": 1}], [{"x": 2}]]])
@pytest.mark.parametrize("kind", ["clustering", "multilabel"])
def test_objects_are_refused(
    cells: Any, kind: str, reader: str, tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if reader == "pyarrow":
        monkeypatch.setattr(columnar, "find_spec", lambda package: None if package == "polars" else True)
    table = pa.table({"t": ["a", "b"], "p": cells})
    pq.write_table(table, tmp_path / "s.parquet")
    (tmp_path / "s.jsonl").write_text("\n".join(map(json.dumps, table.to_pylist())))
    for name in ("s.parquet", "s.jsonl"):
        assert "column 'p' holds objects such as" in run(
            "evaluate", tmp_path / name, *COMMAND, "--kind", kind, code=2
        )


def test_lists_with_gaps_and_single_values(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"t": ["a"]}\n{"t": "a"}\n')
    with raises_line(InputError, "column 't' holds lists, but 'a' in row 2: give a list in each row"):
        open_table(path).label_columns(["t"])[0].label_lists()
    path.write_text('{"t": ["a", null]}\n{"u": 1}\n')
    with raises_line(InputError, "column 't' has a list with a missing label in row 1: leave it out"):
        open_table(path).label_columns(["t"])[0].label_lists()


FRAME = pd.DataFrame({"t": list("abab"), "p": list("abbb")})
DOCUMENTS = {
    **{
        orient: FRAME.to_json(orient=orient)
        for orient in ("columns", "records", "split", "index", "values", "table")
    },
    "lists": json.dumps(FRAME.to_dict("list")),
    "indented": json.dumps(FRAME.to_dict(), indent=2),
}


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("orient", DOCUMENTS)
def test_one_document_is_no_row(orient: str, ending: str, tmp_path: Path, run: Any) -> None:
    path = tmp_path / f"s.{ending}"
    path.write_text(f"\n{DOCUMENTS[orient]}\n")
    said = run("evaluate", path, *COMMAND, "--kind", "clustering", code=2)
    assert "JSON" in said
    if orient != "indented":
        assert "orient='records', lines=True" in said


def test_a_key_that_occurs_twice(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text('{"t": 1, "p": 2}\n{"t": 1, "t": 2}\n')
    with raises_line(InputError, f"{str(path)!r}, line 2: 2 values are named 't': rename all but one"):
        open_table(path)
