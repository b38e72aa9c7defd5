"""Rows that belong to units, on the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge

N = 240
RNG = np.random.default_rng(8)
TRUTH = RNG.integers(0, 3, N)
MODELS = {name: np.where(RNG.random(N) < 0.7, TRUTH, RNG.integers(0, 3, N)) for name in ("one", "two")}
UNITS = RNG.integers(0, 40, N)
FRAME = pd.DataFrame(
    {
        "truth": TRUTH,
        **MODELS,
        "patient_id": UNITS,
        "ward": [f"w{u % 4}" for u in UNITS],
        "x": RNG.normal(size=N),
    }
)
SAID = f"{N} rows of {len(set(UNITS))} units"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("t.csv", index=False)
    FRAME.to_parquet("t.parquet")
    with_gap = FRAME.assign(patient_id=[None, *(f"p{u}" for u in UNITS[1:])])
    with_gap.to_csv("gap.csv", index=False)
    names = np.array(["a", "b", "c"])
    pd.DataFrame({"truth": names[TRUTH], "one": names[MODELS["one"]], "patient_id": UNITS}).to_csv(
        "sets.csv", index=False
    )


@pytest.mark.full
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("kind", ["clustering", "classification"])
def test_the_command_line_says_what_the_library_says(run: Any, engine: str, kind: Any) -> None:
    given: dict[str, Any] = {"kind": kind, "units": FRAME["patient_id"], "confidence": 0.9}
    shared = ["--truth", "truth", "--units", "patient_id", "--kind", kind, "--confidence", "0.9"]
    shared += ["--engine", engine, "--format", "json"]
    found = json.loads(run("evaluate", "t.parquet", "--pred", "one,two", *shared))["evaluations"]
    for name, labels in MODELS.items():
        wanted = adjudge.evaluate(TRUTH, labels, **given)
        assert found[name]["n_units"] == wanted.n_units
        assert found[name]["settings"]["units"] == "patient_id"
        for index, ends in wanted.intervals.items():
            assert found[name]["intervals"][index] == pytest.approx(ends)
    both = json.loads(run("compare", "t.parquet", "--models", "one,two", *shared))
    of_models = adjudge.compare(TRUTH, MODELS, **given)
    assert both["effective_units"] == pytest.approx(of_models.to_dict()["effective_units"])
    assert both["pairs"][0]["test"]["p_value"] == pytest.approx(of_models["one", "two"].test["p_value"])


def test_tables_say_how_many_rows_of_how_many_units(run: Any) -> None:
    shared = ["t.csv", "--truth", "truth", "--units", "patient_id", "--kind", "classification"]
    for more in ([], ["--confidence", "0.95"], ["--format", "markdown"]):
        assert SAID in run("evaluate", *shared, "--pred", "one,two", *more)
    assert SAID in run("evaluate", *shared, "--pred", "one", "--by", "ward", "--confidence", "0.95")
    assert SAID in run("evaluate sets.csv --truth truth --units patient_id --pred one --kind multilabel")


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_a_column_that_is_not_there_is_named(run: Any, command: str) -> None:
    models = "--pred" if command == "evaluate" else "--models"
    names = ", ".join(map(repr, FRAME.columns))
    found = run(command, "t.csv", "--truth", "truth", models, "one", "--units", "pat", code=2)
    assert found == f"'t.csv' has no column 'pat': it has {names}"


def test_a_column_of_labels_is_no_unit(run: Any) -> None:
    found = run("evaluate", "t.csv", "--truth", "truth", "--pred", "one", "--units", "one", code=2)
    assert found == "--units 'one' is a column of labels: name another one"


def test_missing_units_are_an_error_or_left_out(run: Any) -> None:
    given = ["gap.csv", "--truth", "truth", "--units", "patient_id", "--kind", "clustering"]
    found = run("evaluate", *given, "--pred", "one", code=2)
    assert found == (
        "column 'patient_id' has a missing value in row 1 of the data (1 in all): fill it in, or pass --missing drop "
        "to leave such instances out"
    )
    for models in ("one", "one,two"):
        assert f"{N - 1} rows of" in run("evaluate", *given, "--pred", models, "--missing", "drop")


def test_units_are_no_coordinates(run: Any) -> None:
    FRAME.rename(columns={"patient_id": "visit"}).to_csv("u.csv", index=False)
    given = shlex.split("evaluate u.csv --labels one --units visit --indices trace_w --format json")
    assert json.loads(run(*given))["columns"] == ["x"]  # "two" hardly differs from "one"
    told = json.loads(run(*given, "--confidence", "0.9"))["evaluations"]["one"]
    assert told["interval_reasons"]["trace_w"].startswith(
        "no interval: what points of one unit have in common"
    )


@pytest.mark.full
@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_a_repeating_identifier_is_spoken_of(file: str, command: str, shell: Any) -> None:
    models = ["--pred", "one"] if command == "evaluate" else ["--models", "one,two"]
    given = [command, file, "--truth", "truth", *models, "--kind", "classification"]
    given += [] if command == "report" else ["--confidence", "0.9"]
    said = "column 'patient_id' repeats: rows of one patient are alike"

    def told(*more: str) -> str:
        captured = shell(*given, *more)
        return (captured.err + captured.out).replace("Column", "column")

    found = told()
    assert said in found
    assert command == "report" or "pass --units patient_id" in found
    assert said not in told("--units", "patient_id")


@pytest.mark.full
def test_a_report_takes_units(run: Any) -> None:
    for kind in ("clustering", "classification"):
        run("report t.csv --truth truth --models one,two --units patient_id --kind", kind)
        assert SAID in Path("adjudge-report.html").read_text(encoding="utf-8")
    run("report", "t.csv", "--labels", "one,two", "--features", "x", "--units", "patient_id")
    run("report", "gap.csv", "--truth", "truth", "--models", "one", "--kind", "classification", "--missing", "drop",
        "--units", "patient_id")  # fmt: skip
    assert f"{N - 1} rows of" in Path("adjudge-report.html").read_text(encoding="utf-8")


def test_rows_of_a_cell_are_written_with_units(run: Any) -> None:
    asked = "--truth truth --models one,two --units patient_id --kind classification"
    run(f"compare t.parquet {asked} --rows right_wrong --output lost.parquet")
    lost = pd.read_parquet("lost.parquet")
    wanted = (MODELS["one"] == TRUTH) & (MODELS["two"] != TRUTH)
    assert len(lost) == wanted.sum()
