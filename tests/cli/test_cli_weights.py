"""Weights of rows, and noise decided for each column, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge

N = 200
COLUMNS = ("truth", "one", "two")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def frame(rng: np.random.Generator) -> pl.DataFrame:
    truth = rng.integers(-1, 3, N)
    return pl.DataFrame(
        {
            "truth": truth,
            "one": np.where(rng.random(N) < 0.3, rng.integers(-1, 3, N), truth),
            "two": np.where(rng.random(N) < 0.5, rng.integers(-1, 3, N), truth),
            "times": rng.integers(0, 4, N),
            "share": rng.exponential(size=N),
        }
    )


# What reads each file: all rows, or their counts through DuckDB.
READERS = {
    "rows of text": ("t.csv", "memory"),
    "counts of text": ("t.csv", "duckdb"),
    "rows of Parquet": ("t.parquet", "memory"),
    "counts of Parquet": ("t.parquet", "duckdb"),
}
MEANINGS = {"times": "frequency", "share": "importance"}


def write(table: pl.DataFrame, name: str) -> None:
    table.write_parquet(name) if name.endswith("parquet") else table.write_csv(name)


@pytest.mark.full(keep=2)
@pytest.mark.parametrize("weight", MEANINGS)
@pytest.mark.parametrize("reader", READERS)
def test_weights_of_rows(run: Any, frame: pl.DataFrame, reader: str, weight: str) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    file, engine = READERS[reader]
    write(frame, file)
    meaning: Any = MEANINGS[weight]
    given = ("--weight", weight, "--weights", meaning, "--engine", engine, "--format", "json")
    found = json.loads(
        run("evaluate", file, "--truth", "truth", "--pred", "one,two", "--indices", "all", *given)
    )
    labels = {name: frame[name].to_numpy() for name in COLUMNS}
    options = {"sample_weight": frame[weight].to_numpy(), "weights": meaning}
    for name in ("one", "two"):
        wanted = adjudge.evaluate(labels["truth"], labels[name], indices="all", **options)
        shown = found["evaluations"][name]["values"]
        for index, value in wanted.to_dict()["values"].items():
            assert shown[index] == (value if isinstance(value, str) else pytest.approx(value, rel=1e-10))
        assert found["evaluations"][name]["settings"]["weights"] == meaning
    models = {name: labels[name] for name in ("one", "two")}
    for kind in ("clustering", "classification"):
        compared = ("compare", file, "--truth", "truth", "--models", "one,two", "--kind", kind)
        (first, _) = json.loads(run(*compared, *given))["pairs"]
        pair = adjudge.compare(labels["truth"], models, kind=kind, **options)["one", "two"]
        assert first["counts"] == pytest.approx(pair.to_dict()["counts"], rel=1e-10)
        assert first["measures"] == pytest.approx(pair.measures, rel=1e-10)


@pytest.mark.full
@pytest.mark.parametrize("reader", READERS)
def test_weights_that_cannot_be_used(run: Any, frame: pl.DataFrame, reader: str) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    file, engine = READERS[reader]
    values = np.ones(N)
    values[4] = -2.0
    half = np.full(N, 2.0)
    half[frame["truth"].to_numpy() == 0] = 0.5
    write(frame.with_columns(below=pl.Series(values), half=pl.Series(half), text=pl.lit("much")), file)
    command = ("evaluate", file, "--truth", "truth", "--pred", "one", "--engine", engine)
    below = run(*command, "--weight", "below", "--weights", "importance", code=2)
    assert "column 'below' has -2.0" in below
    assert below.endswith("a number of at least 0 is needed")
    half_line = run(*command, "--weight", "half", "--weights", "frequency", code=2)
    assert half_line == (
        "column 'half' has 0.5, which is not a number of instances: give whole numbers, or pass --weights importance"
    )
    assert "column 'text'" in run(*command, "--weight", "text", "--weights", "importance", code=2)
    assert "has no column 'weight'" in run(*command, "--weight", "weight", "--weights", "importance", code=2)


def test_what_weights_mean_has_to_be_said(run: Any, frame: pl.DataFrame) -> None:
    write(frame, "t.csv")
    command = ("evaluate", "t.csv", "--truth", "truth", "--pred", "one")
    assert run(*command, "--weight", "share", code=2) == (
        "--weight can mean two things: pass --weights frequency if each row stands for that number of instances, or "
        "--weights importance for sampling weights"
    )
    assert run(*command, "--weights", "frequency", code=2) == (
        "--weights says what weights mean: give --weight"
    )


def test_the_weight_of_all_instances_is_shown_as_such(run: Any) -> None:
    Path("t.csv").write_text("truth,one,w\na,x,0.5\na,x,1\nb,y,2\n")
    given = ("--weight", "w", "--weights", "importance")
    out = run("evaluate", "t.csv", "--truth", "truth", "--pred", "one", "--indices", "rand", *given)
    assert out.splitlines()[0] == "3 rows that weigh 3.5; truth: truth"
    Path("t.csv").write_text("truth,one,two,w\na,x,x,0.5\na,x,y,1\nb,y,y,2\n")
    command = (
        "compare",
        "t.csv",
        "--truth",
        "truth",
        "--models",
        "one,two",
        "--kind",
        "clustering",
        "--legend",
    )
    out = run(*command, *given)
    assert "both right: weight of pairs of instances" in out
    assert "number of" not in out


NOISE: dict[str, dict[str, str]] = {
    "truth=drop": {"labels_true": "drop"},
    "labels_true=drop,labels_pred=cluster": {"labels_true": "drop"},
    "pred=singletons": {"labels_pred": "singletons"},
    "one=singletons,truth=drop": {"labels_true": "drop", "labels_pred": "singletons"},
    "singletons,truth=cluster": {"labels_pred": "singletons"},
    "drop,one=cluster": {"labels_true": "drop"},
}


@pytest.mark.full(keep=5)
@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("reader", READERS)
def test_noise_is_decided_for_each_column(run: Any, frame: pl.DataFrame, reader: str, noise: str) -> None:
    pytest.importorskip("duckdb", reason="DuckDB is not installed")
    file, engine = READERS[reader]
    if engine == "duckdb" and "singletons" in noise:
        engine = "auto"
    write(frame, file)
    given = ("--noise", noise, "--engine", engine, "--format", "json")
    found = json.loads(run("evaluate", file, "--truth", "truth", "--pred", "one", "--indices", "all", *given))
    labels = {name: frame[name].to_numpy() for name in COLUMNS}
    wanted = adjudge.evaluate(labels["truth"], labels["one"], noise=NOISE[noise], indices="all")
    assert found["evaluations"]["one"]["n"] == wanted.n
    assert found["evaluations"]["one"]["values"] == json.loads(json.dumps(wanted.to_dict()))["values"]
    compared = ("compare", file, "--truth", "truth", "--models", "one,two", "--kind", "clustering")
    if noise == "truth=drop":
        models = {name: labels[name] for name in ("one", "two")}
        pair = adjudge.compare(labels["truth"], models, kind="clustering", noise=NOISE[noise])["one", "two"]
        assert json.loads(run(*compared, *given))["pairs"][0]["counts"] == pair.to_dict()["counts"]


def test_noise_of_one_model(run: Any, frame: pl.DataFrame) -> None:
    write(frame, "t.csv")
    compared = ("compare", "t.csv", "--truth", "truth", "--models", "one,two", "--kind", "clustering")
    found = json.loads(run(*compared, "--noise", "two=drop", "--noise", "one=singletons", "--format", "json"))
    wanted = adjudge.compare(
        frame["truth"].to_numpy(),
        {name: frame[name].to_numpy() for name in ("one", "two")},
        kind="clustering",
        noise={"two": "drop", "one": "singletons"},
    )
    assert found["n"] == wanted.n < N
    assert found["pairs"][0]["counts"] == wanted["one", "two"].to_dict()["counts"]
    assert found["settings"]["noise"] == {"one": "singletons", "two": "drop"}


def test_missing_labels_of_one_column(run: Any) -> None:
    Path("t.csv").write_text("truth,one,two\na,x,\na,x,p\n,y,q\nb,y,q\n")
    command = ("evaluate", "t.csv", "--truth", "truth", "--pred", "one", "--indices", "rand")
    assert "column 'truth' has a missing label" in run(*command, "--missing", "one=drop", code=2)
    assert run(*command, "--missing", "truth=drop").startswith("3 instances")
    several = ("evaluate", "t.csv", "--truth", "truth", "--pred", "one,two", "--indices", "rand")
    assert "column 'two' has a missing label" in run(*several, "--missing", "truth=drop", code=2)
    found = json.loads(run(*several, "--missing", "truth=drop,two=drop", "-f", "json"))["evaluations"]
    assert [own["n"] for own in found.values()] == [3, 2]


@pytest.mark.parametrize(
    ("noise", "message"),
    [
        (
            "dorp",
            "--noise 'dorp' is not known: choose one of cluster, singletons, drop, or say COLUMN=drop for one column",
        ),
        (
            "truth=dorp",
            "--noise 'truth=dorp' is not known: choose one of cluster, singletons, drop, or say COLUMN=drop for one "
            "column",
        ),
        ("thruth=drop", "--noise names 'thruth': the columns of labels are 'truth', 'one'"),
        ("drop,cluster", "--noise says both drop and cluster: name the columns, as truth=cluster"),
    ],
)
def test_what_is_no_choice(run: Any, frame: pl.DataFrame, noise: str, message: str) -> None:
    write(frame, "t.csv")
    assert run("evaluate", "t.csv", "--truth", "truth", "--pred", "one", "--noise", noise, code=2) == message


def test_points_are_judged_with_their_noise_alone(run: Any, rng: np.random.Generator) -> None:
    points = rng.normal(size=(30, 2))
    labels = np.repeat([-1, 0, 1], 10)
    truth = np.tile([-1, 0, 1], 10)
    pl.DataFrame({"x": points[:, 0], "y": points[:, 1], "truth": truth, "one": labels}).write_parquet(
        "t.parquet"
    )
    given = ("--labels", "one", "--columns", "x,y", "--noise", "one=drop", "--indices", "silhouette,rand")
    found = json.loads(run("evaluate", "t.parquet", "--truth", "truth", *given, "--format", "json"))
    wanted = adjudge.evaluate(
        truth, labels, X=points, noise={"labels_pred": "drop"}, indices=["silhouette", "rand"]
    )
    assert found["evaluations"]["one"]["values"] == wanted.values


def test_a_page_weighs_rows(frame: pl.DataFrame, run: Any) -> None:
    frame.write_csv("t.csv")
    typed = "report t.csv --truth truth --models one --kind classification -o t.html"
    said = run(typed, "--weight", "share", "--weights", "importance")
    found = adjudge.evaluate(
        frame, truth="truth", pred="one", kind="classification", sample_weight="share", weights="importance"
    )
    assert said.startswith(f"Accuracy of one: {found['accuracy']:.4f} ")
    assert run(typed) != said
