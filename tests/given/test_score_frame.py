"""Tables of scores as people bring them: the same in a data frame and in a file, and no row or column in silence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import benchmark
from adjudge.cli import main
from adjudge.errors import InputError
from adjudge.given.score_frame import sums_up
from adjudge.inference import friedman_test
from conftest import raises_line

ROWS = {"iris": (0.953, 0.96, 0.941), "wine": (0.91, 0.93, 0.9), "glass": (0.7, 0.72, 0.69)}
MATRIX = np.array([*ROWS.values()])
RANKS = {"A": 2.0, "B": 1.0, "C": 3.0}

Run = Callable[..., tuple[Any, str]]


@pytest.fixture
def run(tmp_path: Path, shell: Any) -> Run:
    def call(text: str, *options: str, code: int = 0, name: str = "s.csv") -> tuple[Any, str]:
        path = tmp_path / name
        path.write_text(text)
        ran = shell("benchmark", path, *options, "-f", "json", code=code)
        assert code == 0 or ran.err.count("\n") == 1
        return json.loads(ran.out) if ran.out else None, ran.err.replace(str(path), "FILE")

    return call


def lines(header: str = "dataset,A,B,C", before: str = "", after: str = "", *, more: str = "") -> str:
    rows = [f"{before}{name},{','.join(map(str, row))}{after}" for name, row in ROWS.items()]
    return "\n".join([header, *rows, *filter(None, [more])]) + "\n"


def numbered() -> str:
    rows = [f"{i},{name},{','.join(map(str, row))}," for i, (name, row) in enumerate(ROWS.items())]
    return "\n".join([",dataset,A,B,C,", *rows]) + "\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (lines(), []),
        (lines("dataset,A,B,C,", after=","), ["column 5 has neither a name nor values and is left out"]),
        (lines(",A,B,C"), []),
        (
            numbered(),
            [
                "column 1, which has no name, only numbers the rows and is left out",
                "column 6 has neither a name nor values and is left out",
            ],
        ),
        (lines(more="average rank,2,1,3"), ["the row 'average rank' is left out"]),
        (lines(more="Mean,0.854333,0.87,0.843667"), ["the row 'Mean' is left out"]),
        (
            "dataset,A,B,C,Average\n"
            + "".join(f"{n},{a},{b},{c},{(a + b + c) / 3:.4f}\n" for n, (a, b, c) in ROWS.items()),
            [
                "the column 'Average' is left out, because it sums up the models and is none: rename it to keep it"
            ],
        ),
        ("dataset;A;B;C\n" + lines().partition("\n")[2].replace(",", ";"), []),
    ],
)
def test_what_is_no_score_is_left_out_with_a_note(run: Run, text: str, said: list[str]) -> None:
    found, notes = run(text)
    assert found["models"] == ["A", "B", "C"]
    assert found["average_ranks"] == RANKS
    assert list(found["scores"]) == list(ROWS)
    assert [note for note in notes.splitlines() if not any(own in note for own in said)] == []
    assert all(own in notes for own in said)


def test_what_it_writes_is_read(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(lines())
    assert main(["benchmark", str(tmp_path / "s.csv"), "-o", str(tmp_path / "own.csv")]) == 0
    found, notes = run((tmp_path / "own.csv").read_text())
    assert found["average_ranks"] == RANKS
    assert list(found["scores"]) == list(ROWS)
    assert "'average rank' is left out" in notes


def test_a_file_and_a_frame_say_the_same(run: Run, tmp_path: Path) -> None:
    text = numbered().rstrip() + "\n3,mean,0.854,0.87,0.844,\n"
    _, said = run(text)
    result = benchmark(pd.read_csv(tmp_path / "s.csv"))
    assert result.average_ranks == RANKS
    assert [f"adjudge: {note}" for note in result.notes] == said.splitlines()
    assert len(result.notes) == 3


def test_decimal_commas(run: Run) -> None:
    text = "dataset;A;B\niris;0,953;0,960\nwine;0,91;0,93\nglass;0,70;\n"
    found, _ = run(text, "--decimal", ",")
    assert found["scores"]["iris"] == {"A": 0.953, "B": 0.96}
    assert found["scores"]["glass"]["B"] == "nan"
    _, said = run(text, code=2)
    assert said == (
        "adjudge: column 'A' holds '0,953' in row 1: scores are numbers (a decimal comma? --decimal , reads it)\n"
    )
    _, said = run("dataset;A;B\niris;1,5;2.5\n", "--decimal", ",", code=2)
    assert "a decimal point? --decimal . reads it" in said
    _, said = run("d;m;f1\nx;a;0,5\nx;b;0,6\n", "--dataset", "d", "--model", "m", "--score", "f1", code=2)
    assert "--decimal , reads it" in said


LABELS = "d,y,A,{},C\nx,0,0,1,0\nx,1,1,0,0\ny,0,0,1,1\ny,1,1,0,1\n"
OF_LABELS = ("--dataset", "d", "--truth", "y", "--score", "accuracy")


@pytest.mark.full(keep=3)
@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        (lines("dataset,A,A,C"), (), "FILE' has 2 columns named 'A': rename all but one"),
        (LABELS.format("A"), OF_LABELS, "FILE' has 2 columns named 'A': rename all but one"),
        ("d,m,m,f1\nx,a,b,1\n", ("--dataset", "d", "--model", "m", "--score", "f1"), "2 columns named 'm'"),
        (lines("dataset,A,,C"), (), "column 3 of data has values and no name: name it, or leave it out"),
        ("d,A,B\nx,1,2\n,3,4\n", (), "column 'd' has a missing name in row 2: name all data sets"),
        (
            "d,m,f1\nx,a,1\nx,,2\n",
            ("--dataset", "d", "--model", "m", "--score", "f1"),
            "column 'm' has a missing name in row 2: name all models, or leave such rows out",
        ),
        (LABELS.format("B").replace("y,0", ",0"), OF_LABELS, "column 'd' has a missing name in row 3"),
        (
            "d,A,B\nx,1,2\ny,3,best\n",
            (),
            "column 'B' holds 'best' in row 2: scores are numbers; name the models'",
        ),
        ("d,A,B\n1,x,2\n2,3,4\n", (), "column 'A' holds 'x' in row 1: scores are numbers"),
        (
            lines(),
            ("--missing", "drop"),
            "--missing is for labels: name the column of the truth with --truth",
        ),
    ],
)
def test_what_is_refused_in_files(run: Run, text: str, options: tuple[str, ...], said: str) -> None:
    assert said in run(text, *options, code=2)[1]


def test_labels_of_a_file(run: Run) -> None:
    for name, notes in (
        ("", "a column without a name is left out: --models can name what is meant"),
        ("B", ""),
    ):
        found, said = run(LABELS.format(name), *OF_LABELS)
        assert found["models"] == ["A", *filter(None, [name]), "C"]
        assert said == (f"adjudge: {notes}\n" if notes else "")
    found, said = run(LABELS.format("B").replace("y,0,0", "y,0,"), *OF_LABELS, "--missing", "drop")
    assert found["scores"]["y"]["A"] == 1.0
    _, said = run(LABELS.format("B").replace("y,0,0", "y,0,"), *OF_LABELS, code=2)
    assert said.endswith("fill it in, or pass --missing drop to leave such instances out\n")


def test_words_for_missing_labels_are_told(run: Run, tmp_path: Path, capsys: Any) -> None:
    text = "d,y,p,q\nx,a,a,a\nx,b,NA,b\nx,b,b,b\ny,a,a,a\ny,b,b,b\ny,a,a,a\n"
    said = "adjudge: 'NA' is a label of column 'p', in 1 row: if it means that the label is missing, empty the cells"
    assert run(text, *OF_LABELS)[1] == f"{said} and pass --missing drop\n"
    pl.read_csv(tmp_path / "s.csv").write_parquet(tmp_path / "s.parquet")
    assert main(["benchmark", str(tmp_path / "s.parquet"), *OF_LABELS]) == 0
    assert capsys.readouterr().err == f"{said} and pass --missing drop\n"
    assert main(["raters", str(tmp_path / "s.csv"), "--raters", "y,p,q", "--classes", "NA,a,b"]) == 0
    assert capsys.readouterr().err == f"{said}\n"
    text = "d,m,f1\nx,a,1\nx,NA,2\ny,a,3\ny,NA,4\n"
    _, notes = run(text, "--dataset", "d", "--model", "m", "--score", "f1")
    assert "'NA' is among the names of the models: if it means that the name is missing, fill it in" in notes


def test_names_of_columns_may_be_numbers() -> None:
    frame = pd.DataFrame(MATRIX)
    assert list(benchmark(frame).average_ranks.values()) == [2.0, 1.0, 3.0]
    assert benchmark(frame, models=[0, 1]).models == ("0", "1")
    assert friedman_test(frame).mean_ranks == (2.0, 1.0, 3.0)
    named = frame.assign(name=list(ROWS))
    assert benchmark(named, dataset="name").datasets == tuple(ROWS)
    long = pd.DataFrame([(d, m, v) for d, row in ROWS.items() for m, v in zip("ABC", row, strict=True)])
    assert benchmark(long, dataset=0, model=1, score="2", better="higher").average_ranks == RANKS


def test_objects_that_are_numbers_are_numbers() -> None:
    frame = pd.DataFrame(index=[*ROWS], columns=[*"ABC"])
    for name, row in ROWS.items():
        frame.loc[name] = [*row]
    assert frame.dtypes.tolist() == [object] * 3
    assert benchmark(frame).average_ranks == RANKS
    assert benchmark(frame).datasets == tuple(ROWS)
    frame.loc["soybean"] = [0.5, None, 0.4]
    assert benchmark(frame).n_complete == 3


LONG = pd.DataFrame(
    {"d": list("xxyyzz"), "m": ["a", "b", "a", None, "a", "b"], "f1": [0.1, 0.2, 0.3, 0.4, 0.1, 0.3]}
)
WIDE = pd.DataFrame({"a": [0.1, 0.3, 0.1], "b": [0.2, 0.4, 0.3]}, index=["x", float("nan"), "z"])


ROW = [[1, 2]]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (WIDE, "the index has a missing name in row 2: name all data sets, or leave such rows out"),
        (
            {"x": {None: 1.0, "b": 2.0}},
            "the list of models has a missing name in row 1: name all models, or leave such rows out",
        ),
        ({"x": {1: 0.5, "1": 0.6}}, "two models are called '1': rename one"),
        (pd.DataFrame(ROW, columns=["a", "a"]), "data has columns of the same name: rename all but one"),
        (pd.DataFrame(ROW, columns=[1, "1"]), "data has 2 columns named '1': rename all but one"),
    ],
)
def test_what_is_refused_in_frames(data: Any, said: str) -> None:
    with raises_line(InputError, said):
        benchmark(data)


def test_names_that_are_missing_are_refused() -> None:
    said = "column 'm' has a missing name in row 4: name all models, or leave such rows out"
    with raises_line(InputError, said):
        benchmark(LONG, dataset="d", model="m", score="f1")
    with pytest.raises(InputError, match="has a missing name in row 1"):
        benchmark({None: ([0, 1], {"a": [0, 1], "b": [0, 1]})})


def test_names_that_sum_up() -> None:
    for name in (
        "mean",
        "Average",
        "avg.",
        "Avg. rank",
        "average rank",
        "mean score",
        "Std.",
        "median",
        "TOTAL",
    ):
        assert sums_up(name), name
    for name in ("meander", "average-linkage", "rank-svm", "iris", "mean teacher", "sum-product"):
        assert not sums_up(name), name


def summary_rows() -> dict[str, list[float]]:
    ranks = np.array([[2, 1, 3]] * 3)
    return {
        "Mean": MATRIX.mean(axis=0).tolist(),
        "median": MATRIX.mean(axis=0).round(2).tolist(),
        "Median": np.median(MATRIX, axis=0).tolist(),
        "sum": MATRIX.sum(axis=0).round(3).tolist(),
        "std": MATRIX.std(axis=0, ddof=1).tolist(),
        "SD": MATRIX.std(axis=0).tolist(),
        "average rank": ranks.mean(axis=0).tolist(),
        "avg. rank": (4 - ranks).mean(axis=0).tolist(),
    }


@pytest.mark.parametrize("name", summary_rows())
def test_rows_that_sum_up_are_left_out(name: str) -> None:
    frame = pd.DataFrame({**ROWS, name: summary_rows()[name]}, index=[*"ABC"]).T
    for given in (frame, frame[["B", "A", "C"]]):
        assert benchmark(given).datasets == tuple(ROWS)
    some = benchmark(frame, models=["A", "B"])
    assert some.datasets == tuple(ROWS)
    assert some.notes == (
        f"the row {name!r} is left out, because it sums up the data sets and is none: rename it to keep it",
    )
    long = frame.rename_axis("d").reset_index().melt("d", var_name="m", value_name="f1")
    assert benchmark(long, dataset="d", model="m", score="f1").datasets == tuple(ROWS)


@pytest.mark.parametrize("name", ["Mean", "sum", "average rank", "std"])
def test_data_sets_with_such_names_are_kept_and_said(name: str, run: Run) -> None:
    said = f"the row {name!r} counts as a data set, because it does not sum up the others: leave it out if it is none"
    frame = pd.DataFrame({**ROWS, name: [0.5, 0.6, 0.55]}, index=[*"ABC"]).T
    found = benchmark(frame)
    assert (found.datasets, found.notes) == ((*ROWS, name), (said,))
    long = frame.rename_axis("d").reset_index().melt("d", var_name="m", value_name="f1")
    assert benchmark(long, dataset="d", model="m", score="f1").scores == found.scores
    of_file, notes = run(lines(more=f"{name},0.5,0.6,0.55"))
    assert of_file["datasets"] == [*ROWS, name]
    assert notes == f"adjudge: {said}\n"
    # Nothing is there to be summed up.
    alone = pd.DataFrame({"mean": [0.5, 0.6], "sum": [0.4, 0.3]}, index=[*"AB"]).T
    assert benchmark(alone).datasets == ("mean", "sum")


def test_identifiers_are_no_models(tmp_path: Path) -> None:
    frame = pd.DataFrame(MATRIX, columns=[*"ABC"]).assign(dataset=[*ROWS], record_id=[4711, 4700, 17])
    found = benchmark(frame)
    assert found.models == ("A", "B", "C")
    assert found.notes == ("column 'record_id' only numbers the rows and is left out",)
    assert benchmark(frame, models=["A", "record_id"]).models == ("A", "record_id")


def test_a_long_table_is_pointed_to() -> None:
    rows = {"dataset": ["a", "a", "b", "b"], "model": ["p", "q", "p", "q"], "acc": [0.5, 0.6, 0.7, 0.8]}
    with pytest.raises(InputError, match=r"those of a long table with dataset=, model= and score=$"):
        benchmark(pd.DataFrame(rows))
