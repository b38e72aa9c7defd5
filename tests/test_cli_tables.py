"""Files that DuckDB reads in passing give what the in-memory readers give, and say what is wrong with them."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.cli import main

pytest.importorskip("duckdb", reason="DuckDB is not installed")
pytest.importorskip("pyarrow", reason="PyArrow is not installed")

N = 300


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Run a command and return what it prints; of an error, its one line."""

    def call(*arguments: str, code: int = 0) -> str:
        assert main(list(arguments)) == code, capsys.readouterr().err
        captured = capsys.readouterr()
        if not code:
            return captured.out
        assert captured.out == ""
        assert captured.err.count("\n") == 1
        return captured.err.removeprefix("adjudge: ").rstrip("\n")

    return call


def frame(seed: int = 0, n: int = N) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    one = np.where(rng.random(n) < 0.3, rng.integers(0, 4, n), truth)
    two = np.where(rng.random(n) < 0.5, rng.integers(0, 4, n), truth)
    return pl.DataFrame(
        {
            "truth": truth,
            "one": one,
            "two": two.astype(float),
            "text": [str(t) for t in two],
            "codes": [f"0{t}" if i % 2 else str(t) for i, t in enumerate(one.tolist())],
            "yes": one > 1,
            "gaps": pl.Series(two).set(pl.Series(rng.random(n) < 0.1), None),
            "nan": np.where(rng.random(n) < 0.1, np.nan, one),
            "row": np.arange(n),
            "x": rng.normal(size=n) + truth,
            "y": rng.normal(size=n) - one,
        }
    )


def in_both(run, file: str, *arguments: str) -> dict[str, object]:
    """Run with either engine, make sure that the results are the same, and return them."""
    streamed, read = (
        json.loads(run(arguments[0], file, *arguments[1:], "--format", "json", "--engine", engine))
        for engine in ("duckdb", "memory")
    )
    assert streamed == read
    return read


@pytest.mark.parametrize("kind", ["clustering", "classification"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_comparisons_are_the_same(run, ending, kind):
    write(frame(), f"t.{ending}")
    for models in ("one,two", "one,text", "codes,text", "yes,one", "two,gaps", "nan,gaps", "text,nan", "one"):
        if models == "yes,one" and (ending, kind) == ("csv", "classification"):
            continue  # true and false are no numbers in a text
        options = ["--models", models, "--kind", kind, "--missing", "drop"]
        found = in_both(run, f"t.{ending}", "compare", "--truth", "truth", *options)
        assert (found["n"] < N) == ("gaps" in models or "nan" in models)


def write(table: pl.DataFrame, name: str) -> None:
    (table.write_parquet if name.endswith("parquet") else table.write_csv)(name)


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_evaluations_are_the_same(run, ending):
    write(frame(), f"t.{ending}")
    common = ["evaluate", "--truth", "truth"]
    in_both(run, f"t.{ending}", *common, "--pred", "one,two,text,codes")
    in_both(run, f"t.{ending}", *common, "--pred", "one,text", "--kind", "classification")
    in_both(run, f"t.{ending}", *common, "--pred", "gaps,nan,one", "--missing", "drop")
    inference = ["--indices", "rand,jaccard,vi", "--confidence", "0.9", "--adjust", "--seed", "0"]
    found = in_both(run, f"t.{ending}", *common, "--pred", "two", *inference)
    assert found["evaluations"]["two"]["intervals"]["rand"]
    for noise in ("2", "3"):
        in_both(
            run, f"t.{ending}", *common, "--pred", "one,text", "--noise", "drop", "--noise-label", noise
        )


def test_intervals_and_corrections_of_a_comparison(run):
    write(frame(), "t.parquet")
    for kind in ("clustering", "classification"):
        options = ["--truth", "truth", "--models", "one,two", "--kind", kind, "--confidence", "0.95"]
        found = in_both(run, "t.parquet", "compare", *options)
        assert found["pairs"][0]["test"]["p_value"] < 1
    options = ["--truth", "truth", "--models", "one,two", "--kind", "clustering"]
    options += ["--adjust", "--seed", "0", "--scores", "rand,jaccard"]
    in_both(run, "t.parquet", "compare", *options)


def test_the_kind_is_guessed_from_the_distinct_labels(run, capsys):
    words = frame().select(pl.format("class {}", pl.col("truth", "one")), cluster=pl.col("one"))
    words.write_parquet("t.parquet")
    for models, kind in (("one", "classification"), ("cluster", "clustering")):
        found = in_both(run, "t.parquet", "compare", "--truth", "truth", "--models", models)
        assert found["of"] == kind


def test_text_that_looks_like_numbers(run):
    """1 and 1.0 are one label of a column of numbers, 7 and 07 are two of a column of codes."""
    Path("t.csv").write_text(
        "a,b,c,d\n1,7,x,5\n1.0, 07,x ,5\n2,7,y,6\n2.0,07,,NA\n2, 7 ,y,6\n"
        + "".join(f"1,7,x,{5 + i % 2}\n" for i in range(5))
    )
    for pred in ("a", "b", "c", "d"):
        found = in_both(run, "t.csv", "evaluate", "--truth", "a", "--pred", pred, "--missing", "drop") if (
            pred != "a"
        ) else in_both(run, "t.csv", "evaluate", "--truth", "b", "--pred", "a")
        (result,) = found["evaluations"].values()
        assert result["n_clusters"] == {"labels_true": 2, "labels_pred": 2}


@pytest.mark.parametrize("seed", range(8))
def test_any_delimited_text_is_read_alike_or_left_to_the_strict_reader(run, seed):
    draw = random.Random(seed)
    fields = ["1", "1.0", "01", " 1", "x", "x ", "", "NA", "-1", "1e3", "é", "'", "#", "\\", "a b", '"', "\0"]
    fields = draw.sample(fields, 6)
    if seed % 2:
        fields = [field for field in fields if field not in ('"', "\0")]
    lines = ["a,b,A", *(",".join(draw.choices(fields, k=3)) for _ in range(40))]
    end = draw.choice(["\n", "\r\n"])
    Path("t.csv").write_bytes((end.join(lines) + draw.choice(["", end])).encode())
    codes, outputs = [], []
    for engine in ("memory", "duckdb"):
        arguments = ["evaluate", "t.csv", "--truth", "a", "--pred", "A", "--missing", "drop", "--engine", engine]
        codes.append(main([*arguments, "-o", f"{engine}.json"]))
        outputs.append(Path(f"{engine}.json").read_text() if codes[-1] == 0 else None)
    if '"' in "".join(fields):
        assert codes[1] == 2
    else:
        assert codes[0] == codes[1]
        assert outputs[0] == outputs[1]
