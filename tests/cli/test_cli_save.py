"""The option --save of commands, and what reads the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.cli import main

RNG = np.random.default_rng(0)
TRUTH = np.where(RNG.random(300) < 0.4, "churn", "stay")
OLD = np.where(RNG.random(300) < 0.8, TRUTH, "stay")
NEW = np.where(RNG.random(300) < 0.8, TRUTH, OLD)
EVALUATE = ["evaluate", "p.csv", "--truth", "label", "--pred", "v1"]


@pytest.fixture(autouse=True)
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the predictions of two models, in two formats."""
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({
        "label": TRUTH, "v1": OLD, "v2": NEW, "p_stay": np.where(OLD == "stay", 0.75, 0.25),
        "x": RNG.normal(size=300), "y": RNG.normal(size=300),
    })  # fmt: skip
    frame.write_csv("p.csv")
    frame.write_parquet("p.parquet")


@pytest.mark.full
@pytest.mark.parametrize("file", ["p.csv", "p.parquet"])
def test_a_saved_evaluation_is_the_old_model_of_a_gate_and_a_report(file: str, run: Any, shell: Any) -> None:
    said = shell("evaluate", file, "--truth", "label", "--pred", "v1", "--save", "run.adjudge")
    assert "result saved to run.adjudge\n" in said.err
    assert "accuracy" in said.out
    stored = adjudge.load("run.adjudge")
    assert stored == adjudge.evaluate(TRUTH, OLD)
    assert stored.known_instances().labels["labels_pred"].given().tolist() == OLD.tolist()
    shell("gate", file, "--truth", "label", "--new", "v2", "--against", "run.adjudge")
    asked = ["report", file, "--truth", "label", "--models", "v2", "--against", "run.adjudge", "-o", "p.html"]
    assert "v2 is better than before" in run(*asked)


def test_probabilities_groups_and_several_labels_are_saved_with_their_rows() -> None:
    assert main([*EVALUATE, "--probabilities", "p_stay", "--by", "v2", "--save", "run.adjudge"]) == 0
    rows = adjudge.load("run.adjudge").known_instances()
    assert rows.forecasts["labels_pred"].n == 300
    assert rows.groups is not None
    pl.DataFrame({"truth": ["a;b", "b"], "said": ["a", "b"]}).write_csv("sets.csv")
    asked = ["evaluate", "sets.csv", "--truth", "truth", "--pred", "said", "--kind", "multilabel"]
    assert main([*asked, "--save", "sets.adjudge"]) == 0
    assert adjudge.load("sets.adjudge").known_instances().positions.size == 2


def test_several_columns_are_saved_by_name(capsys: pytest.CaptureFixture[str], run: Any) -> None:
    assert main([*EVALUATE[:-1], "v1,v2", "--save", "both.adjudge"]) == 0
    both = adjudge.load("both.adjudge")
    assert list(both) == ["v1", "v2"]
    assert both["v2"] == adjudge.evaluate(TRUTH, NEW)
    capsys.readouterr()
    assert "'both.adjudge' is about several models: save an evaluation of the one" in run(
        "gate p.csv --truth label --new v2 --against both.adjudge", code=2
    )


def test_a_result_without_rows_is_saved_and_says_so(run: Any, shell: Any) -> None:
    pl.DataFrame({"data": list("vwxyz"), "a": [1, 2, 3, 2, 1], "b": [2, 3, 4, 1, 4]}).write_csv("scores.csv")
    assert "saved to b.adjudge, without rows" in shell("benchmark scores.csv --save b.adjudge").err
    assert adjudge.load("b.adjudge").models == ("a", "b")
    points = ["evaluate", "p.csv", "--labels", "v1", "--columns", "x,y", "--indices", "silhouette"]
    shell(*points, "--save", "points.adjudge")
    assert "'points.adjudge': the instances are not known" in run(
        "gate p.csv --truth label --new v2 --against points.adjudge", code=2
    )


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        (["compare", "p.parquet", "--truth", "label", "--models", "v1,v2"], adjudge.Comparison),
        (["choose", "p.csv", "--labels", "v1,v2", "--columns", "x,y"], adjudge.Choice),
        (["choose-k", "p.csv", "--columns", "x,y", "--k", "2:3", "--indices", "silhouette"], adjudge.KChoice),
        (["gate", "p.parquet", "--truth", "label", "--old", "v1", "--new", "v2"], adjudge.Gate),
    ],
)
def test_other_commands_save_theirs(
    arguments: list[str], kind: type, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--save", "run.adjudge"]) == 0
    assert isinstance(adjudge.load("run.adjudge"), kind)
    if kind is adjudge.Comparison:
        assert adjudge.load("run.adjudge")["v1", "v2"].instances("wrong_right").size > 0
    if kind is adjudge.Gate:
        assert adjudge.load("run.adjudge").rows_of("wrong_right").rows
    assert "result saved to run.adjudge" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([*EVALUATE, "--save", "run.zip"],
         "--save 'run.zip' must end in .adjudge, by which --against knows it: rename it"),
        ([*EVALUATE, "--save", "p.adjudge", "-o", "p.adjudge", "-f", "json"],
         "--save p.adjudge is the file of --output, too: name another one"),
        (["evaluate", "p.parquet", *EVALUATE[2:], "--save", "p.adjudge", "--engine", "duckdb"],
         "--save keeps the rows, which DuckDB only counts: leave out --engine duckdb"),
        (["compare", "p.csv", "--truth", "label", "--models", "v1,v2", "--rows", "right_wrong", "-o", "r.csv",
          "--save", "p.adjudge"],
         "--rows writes rows, not the result: leave out --save"),
    ],
)  # fmt: skip
def test_what_cannot_be_saved_is_one_line(arguments: list[str], line: str, shell: Any) -> None:
    assert shell(*arguments, code=2).err == f"adjudge: {line}\n"
    assert not list(Path().glob("*.adjudge"))


def test_a_gate_leaves_no_option_unused(shell: Any) -> None:
    shell(*EVALUATE, "--save", "run.adjudge")
    asked = ["gate", "p.csv", "--truth", "label", "--new", "v2", "--against", "run.adjudge"]
    assert shell(*asked, "--key", "x", code=2).err == (
        "adjudge: a saved result has no keys, and is compared row by row in its order: leave out --key, or give the "
        "old model's table\n"
    )
    assert (
        "only labels were given of old, so there is no Log loss"
        in shell(*asked, "--probabilities", "p_stay", code=None).err
    )
