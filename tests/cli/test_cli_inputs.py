"""What the commands read: standard input, compressed files, JSON lines, decimal commas, columns that say nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.cli import main

RNG = np.random.default_rng(0)
POINTS = np.concatenate([RNG.normal(m, 0.3, size=(20, 2)) for m in (0, 4)])
LABELS = np.repeat(["a", "b"], 20)
ROWS = [f"{x:.6f},{y:.6f},{label}" for (x, y), label in zip(POINTS, LABELS, strict=True)]
CSV = "\n".join(["x,y,label", *ROWS]) + "\n"
COMMAND = ["--labels", "label", "--indices", "dunn", "--format", "json"]

Run = Callable[..., tuple[Any, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, code: int = 0) -> tuple[Any, str]:
        assert main(["evaluate", *arguments]) == code
        captured = capsys.readouterr()
        return json.loads(captured.out) if captured.out else None, captured.err

    return call


def dunn(found: Any) -> float:
    value: float = found["evaluations"]["label"]["values"]["dunn"]
    return value


def expected(run: Run) -> float:
    Path("plain.csv").write_text(CSV)
    return dunn(run("plain.csv", *COMMAND)[0])


def test_standard_input_is_a_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (CSV.encode(), gzip.compress(CSV.encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        found, _ = run("-", *COMMAND)
        assert dunn(found) == expected(run)
        assert found["file"] == "standard input"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x,label\n1,2,3\n")))
    assert run("-", *COMMAND, code=2)[1] == (
        "adjudge: 'standard input', line 2: 3 fields where the header has 2\n"
    )


@pytest.mark.full
def test_standard_input_leaves_nothing_behind(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-m", "adjudge", "evaluate", "-", *COMMAND],
        input=CSV,
        text=True,
        capture_output=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        check=True,
    )
    assert "dunn" in made.stdout
    assert list(tmp_path.glob("adjudge-*")) == []


@pytest.mark.parametrize("ending", ["gz", "bz2", "zst"])
def test_compressed_files(run: Run, ending: str) -> None:
    path = f"points.csv.{ending}"
    if ending == "zst":
        pa = pytest.importorskip("pyarrow")
        with pa.output_stream(path, compression="zstd") as stream:
            stream.write(CSV.encode())
    else:
        Path(path).write_bytes({"gz": gzip, "bz2": bz2}[ending].compress(CSV.encode()))
    assert dunn(run(path, *COMMAND)[0]) == expected(run)


def test_a_damaged_compressed_file_is_said(run: Run) -> None:
    Path("points.csv.bz2").write_bytes(bz2.compress(CSV.encode())[:-20])
    assert "'points.csv.bz2' is damaged" in run("points.csv.bz2", *COMMAND, code=2)[1]


def test_json_lines(run: Run) -> None:
    names = ("x", "y", "label")
    lines = [
        json.dumps(dict(zip(names, (float(r[0]), float(r[1]), r[2]), strict=True)))
        for r in (row.split(",") for row in ROWS)
    ]
    for name in ("points.jsonl", "points.ndjson", "points.json"):
        Path(name).write_text("\n".join(lines) + "\n")
        assert dunn(run(name, *COMMAND)[0]) == expected(run)
    Path("bad.jsonl").write_text(lines[0] + "\n{'x': 1}\n")
    assert "'bad.jsonl', line 2: not JSON" in run("bad.jsonl", *COMMAND, code=2)[1]
    Path("gap.jsonl").write_text(lines[0] + '\n{"y": 1, "label": "b"}\n')
    assert "column 'x' is empty in row 2" in run("gap.jsonl", *COMMAND, "--columns", "x,y", code=2)[1]


def test_other_json_is_refused_with_what_is_read(run: Run) -> None:
    Path("a.json").write_text(json.dumps([{"x": 1, "label": "a"}], indent=1))
    told = run("a.json", *COMMAND, code=2)[1]
    assert told.startswith("adjudge: 'a.json' is one JSON document: give JSON lines")


def test_decimal_commas(run: Run) -> None:
    text = CSV.replace(",", ";").replace(".", ",")
    Path("deco.csv").write_text(text)
    told = run("deco.csv", *COMMAND, "--columns", "x,y", code=2)[1]
    assert "which is not a finite number" in told
    assert told.endswith("a decimal comma? --decimal , reads it\n")
    assert dunn(run("deco.csv", *COMMAND, "--decimal", ",")[0]) == expected(run)
    assert "choose . or ," in run("deco.csv", *COMMAND, "--decimal", "x", code=2)[1]


def test_columns_with_the_other_decimal_sign_are_asked_about(run: Run) -> None:
    points = [tuple(row.split(",")[:2]) for row in ROWS]
    labels = [row.split(",")[2] for row in ROWS]
    lines = [
        f"{x};{y.replace('.', ',')};{i % 5};{c}"
        for i, ((x, y), c) in enumerate(zip(points, labels, strict=True))
    ]
    Path("both.csv").write_text("\n".join(["x;y;n;label", *lines]) + "\n")
    told = run("both.csv", *COMMAND, code=2)[1]
    assert "'y' has decimal commas: --decimal , reads it, or name the coordinates with --columns\n" in told
    told = run("both.csv", *COMMAND, "--decimal", ",", code=2)[1]
    assert "'x' has decimal points: --decimal . reads it, or name the coordinates with --columns\n" in told
    assert run("both.csv", *COMMAND, "--decimal", ",", "--columns", "y,n")[0]["columns"] == ["y", "n"]
    told = run("both.csv", *COMMAND, "--decimal", ",", "--columns", "x", code=2)[1]
    assert f"column 'x' has {points[0][0]!r}, which is not a finite number" in told
    assert told.endswith("a decimal point? --decimal . reads it\n")


def test_commas_in_the_numbers_of_a_table_with_commas_are_no_decimal_sign(run: Run) -> None:
    rows = (f'"{1000 + i:,}",{i % 7}.5,{"ab"[i % 2]}' for i in range(30))
    Path("thousands.csv").write_text("\n".join(["x,y,label", *rows]) + "\n")
    told = run("thousands.csv", *COMMAND, code=2)[1]
    assert (
        "'x' has numbers with commas, which also separate the columns: write decimal points, and nothing"
        in told
    )
    assert run("thousands.csv", *COMMAND, "--columns", "y")[0]["columns"] == ["y"]


COUNTED = "ref;map;pixels\nforest;forest;21.000\nforest;crop;667\ncrop;crop;1.333\ncrop;forest;500\n"
WEIGHED = ["--truth", "ref", "--pred", "map", "--weight", "pixels", "--weights", "importance"]
JUDGED = [*WEIGHED, "--kind", "classification", "--indices", "accuracy", "--format", "json"]


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_thousands_are_not_read_as_decimals(run: Run, engine: str) -> None:
    if engine == "duckdb":
        pytest.importorskip("duckdb", reason="DuckDB is not installed")
    given = [*JUDGED, "--engine", engine, "--decimal", ","]
    Path("t.csv").write_text(COUNTED)
    told = run("t.csv", *given, code=2)[1]
    assert "column 'pixels' has " in told
    if engine == "memory":
        assert told.endswith(
            "a thousands sign? take it out of the file; a decimal point? --decimal . reads it\n"
        )
    Path("t.csv").write_text(COUNTED.replace(".", ""))
    assert run("t.csv", *given)[0]["evaluations"]["map"]["values"]["accuracy"] == pytest.approx(22333 / 23500)
    Path("t.csv").write_text(COUNTED.replace(".", ","))
    assert run("t.csv", *given)[0]["evaluations"]["map"]["values"]["accuracy"] == pytest.approx(
        22.333 / 1189.333
    )


def test_thousands_are_named_with_either_decimal_sign(run: Run) -> None:
    Path("t.csv").write_text(COUNTED.replace(".", ","))
    told = run("t.csv", *JUDGED, code=2)[1]
    assert told.endswith("a thousands sign? take it out of the file; a decimal comma? --decimal , reads it\n")
    for text, decimal in (("1.265.333,5", "."), ("1,265,333.5", ","), ("1 265", "."), ("1\u00a0265", ",")):
        Path("t.csv").write_text(COUNTED.replace("21.000", text))
        told = run("t.csv", *JUDGED, "--decimal", decimal, code=2)[1]
        assert told.endswith(": a thousands sign? take it out of the file\n")
    Path("x.csv").write_text("x;y;label\n1.250;0,5;a\n2.500;0,7;a\n3.125;1,5;b\n4.000;2,5;b\n")
    told = run("x.csv", *COMMAND, "--decimal", ",", code=2)[1]
    assert told == (
        "adjudge: 'x' has thousands signs, or decimal points: take thousands signs out of the file; --decimal . reads "
        "decimals; or name the coordinates with --columns\n"
    )


def test_the_decimal_sign_is_asked_for_whatever_column_comes_first(run: Run) -> None:
    Path("words.csv").write_text("word;x;label\none;1,5;a\ntwo;2,5;a\nsix;3,5;b\n")
    told = run("words.csv", *COMMAND, code=2)[1]
    assert told.count("\n") == 1
    assert told.endswith("--decimal , reads it, or name the coordinates with --columns\n")


def test_a_constant_column_is_no_coordinate(run: Run) -> None:
    rows = [f"{row},7,{i}" for i, row in enumerate(ROWS)]
    Path("more.csv").write_text("\n".join(["x,y,label,version,id", *rows]) + "\n")
    found, told = run("more.csv", *COMMAND)
    assert found["columns"] == ["x", "y"]
    assert (
        "'version' has one value only, so it is left out of the coordinates: --columns can include it" in told
    )
    assert dunn(found) == expected(run)
    kept, told = run("more.csv", *COMMAND, "--columns", "x,y,version")
    assert kept["columns"] == ["x", "y", "version"]
    assert "one value" not in told


def test_flags_have_no_value_and_errors_name_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("evaluate", "compare", "choose-k"):
        main([command, "--help"])
        assert "<bool>" not in capsys.readouterr().out
        assert main([command, "points.csv", "--nonsense"]) == 2
        assert f"('adjudge {command} --help' shows how)" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize(
    ("shell", "asked"),
    [
        ("bash", {"COMP_WORDS": "adjudge eval", "COMP_CWORD": "1"}),
        ("zsh", {"_TYPER_COMPLETE_ARGS": "adjudge eval"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "adjudge eval", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_shells_complete_commands(shell: str, asked: dict[str, str]) -> None:
    environment = {**os.environ, "_ADJUDGE_COMPLETE": f"complete_{shell}", **asked}
    made = subprocess.run(
        [sys.executable, "-m", "adjudge"], capture_output=True, text=True, env=environment, check=False
    )
    assert "evaluate" in made.stdout
    assert "compare" not in made.stdout


def test_copies_of_labels_are_no_coordinates(capsys, tmp_path):
    """A copy of the labels among the coordinates would make every clustering look compact."""
    data = tmp_path / "copies.csv"
    data.write_text("x,k,again\n0,1,1\n1,2,2\n2,1,1\n5,2,2\n7,2,2\n")
    command = ["evaluate", str(data), "--labels", "k", "--indices", "silhouette", "--format", "json"]
    assert main(command) == 0
    answer = capsys.readouterr()
    assert (
        "'again' equals the labels 'k', so it is left out of the coordinates: --columns can include it"
        in answer.err
    )
    assert json.loads(answer.out)["columns"] == ["x"]
    assert main([*command, "--columns", "x,again"]) == 0
    assert json.loads(capsys.readouterr().out)["columns"] == ["x", "again"]
    data.write_text("k,again\n1,1\n2,2\n1,1\n2,2\n")
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["columns"] == ["again"]


def test_a_list_of_columns_may_be_longer_than_a_file_name(run: Run, tmp_path: Path) -> None:
    """Of 255 bytes or more: the system refuses to look for a file of that name."""
    names = [f"model {i} with a name that says how it was configured" for i in range(8)]
    rows = [["truth", *names], *([label] * 9 for label in "aab")]
    (tmp_path / "many.csv").write_text("\n".join(",".join(row) for row in rows) + "\n", encoding="utf-8")
    options = ("--truth", "truth", "--pred", ",".join(names), "--indices", "rand", "--format", "json")
    found, _ = run("many.csv", *options)
    assert len(found["evaluations"]) == len(names)


@pytest.mark.parametrize("head", [b"H.JoLi. DUCK\xe7\0\0", b"SQLite format 3\0"])
def test_a_database_is_named(head: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It was "not a text file (it has NUL bytes)"."""
    path = tmp_path / "wh.duckdb"
    path.write_bytes(head + bytes(50))
    assert main(["gate", str(path), "--truth", "y", "--old", "a", "--new", "b"]) == 2
    said = capsys.readouterr().err
    assert "wh.duckdb' is a database, whose tables have no files: write one to a file first" in said
