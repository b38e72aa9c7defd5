"""Several raters, and clusters after matching, on the command line and on the page."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge

RNG = np.random.default_rng(6)
LATENT = RNG.normal(size=50)
RATED = np.searchsorted([-0.7, 0.7], LATENT[:, None] + 0.5 * RNG.normal(size=(50, 3)))
NAMES = np.array(["low", "middle", "high"])
MADE = RNG.random((50, 3)) < 0.9
RATERS = ("ann", "bob", "eve")
TRUTH = np.repeat(["a", "b", "c"], [20, 20, 10])
FOUND = np.where(RNG.random(50) < 0.8, np.repeat([7, 3, 5], [20, 20, 10]), RNG.integers(3, 9, 50))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    columns: dict[str, Any] = {"truth": TRUTH, "found": FOUND}
    for j, name in enumerate(RATERS):
        columns[f"word_{name}"] = np.where(MADE[:, j], NAMES[RATED[:, j]], "")
        columns[f"n_{name}"] = RATED[:, j]
    pd.DataFrame(columns).to_csv("t.csv", index=False)
    pd.DataFrame({name: RATED[:, j] for j, name in enumerate(RATERS)}).to_csv("only.csv", index=False)


def test_raters_by_a_pattern(run: Any) -> None:
    ratings = [
        [NAMES[c] if m else None for c, m in zip(*row, strict=True)] for row in zip(RATED, MADE, strict=True)
    ]
    for categories in (None, list(NAMES)):
        wanted = adjudge.evaluate(ratings, kind="raters", indices="all", classes=categories, confidence=0.9)
        given = [] if categories is None else ["--categories", ",".join(categories)]
        arguments = [*shlex.split("raters t.csv --raters word_* --indices all --confidence 0.9"), *given]
        found = json.loads(run(*arguments, "--format", "json"))
        assert found["raters"] == [f"word_{name}" for name in RATERS]
        for name, value in wanted.values.items():
            assert found["values"][name] == ("nan" if np.isnan(value) else pytest.approx(value)), name
        assert found["intervals"]["fleiss_kappa"] == pytest.approx(wanted.intervals["fleiss_kappa"])


def test_raters_by_name_and_all_columns(run: Any) -> None:
    wanted = adjudge.evaluate(RATED, kind="raters")
    rows = list(csv.DictReader(io.StringIO(run("raters", "only.csv", "--format", "csv"))))
    assert {row["index"]: float(row["value"]) for row in rows} == pytest.approx(wanted.values)
    shown = run("raters", "t.csv", "--raters", "n_ann,n_bob,n_eve")
    assert "50 units, 3 raters" in shown
    assert f"{wanted['krippendorff_alpha_interval']:.4f}" in shown


def test_python_reads_raters_as_the_command_does(shell: Any) -> None:
    pd.read_csv("t.csv", dtype=str).assign(other=["NA", "low"] * 25).to_csv("words.csv", index=False)
    columns = ["word_*", "other"]
    found = adjudge.evaluate("words.csv", kind="raters", pred=columns, classes=[*NAMES, "NA"], confidence=0.9)
    assert found.settings["raters"] == [*(f"word_{name}" for name in RATERS), "other"]
    said = shell("raters words.csv --raters", ",".join(columns), "--classes", "low,middle,high,NA").err
    word = "'NA' is a label of column 'other', in 25 rows: if it means that the label is missing, empty the cells"
    assert f"adjudge: {word}\n" in said
    assert word in [notice.text for notice in found.warnings]
    every = adjudge.evaluate("only.csv", kind="raters")
    assert every.settings["raters"] == [*RATERS]
    assert any("raters are ann, bob and eve" in notice.text for notice in every.warnings)
    numbers = adjudge.evaluate("t.csv", kind="raters", pred="n_*", classes=["0", "1", "2"])
    assert numbers.n_clusters == {"ratings": 3}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--raters n_ann", "--raters names one column, 'n_ann': at least two raters are needed"),
        (
            "--raters word_* --classes low,high",
            "'t.csv' has 'middle', which is not among the categories: --classes names all of them",
        ),
        ("--raters x_*", "'x_*' matches no column of 't.csv': it has 'truth', 'found', 'word_ann', 'n_ann'"),
        (
            "--raters n_* --indices ari",
            "adjusted_rand is not about several raters: use 'adjudge evaluate' with a truth",
        ),
        ("--raters n_* --classes low", "the ratings are numbers, and --classes names something else"),
    ],
)
def test_what_is_wrong_is_named(run: Any, arguments: list[str], message: str) -> None:
    assert message in run("raters", "t.csv", *shlex.split(arguments), code=2)


def test_clusters_after_matching(run: Any) -> None:
    wanted = adjudge.evaluate(TRUTH, FOUND, confidence=0.9).by_cluster()
    arguments = shlex.split("evaluate t.csv --truth truth --pred found --by-cluster --confidence 0.9")
    (found,) = json.loads(run(*arguments, "--format", "json"))["evaluations"].values()
    for row in found["by_cluster"]:
        own = wanted[row["cluster"]]
        assert row["matched_with"] in (own.partner, str(own.partner))
        assert row["values"]["recall"] == own["recall"]
        assert row["intervals"]["f1"] == pytest.approx([own.score("f1").low, own.score("f1").high])
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv"))))
    assert [row["cluster"] for row in rows] == ["a", "b", "c"]
    assert {row["column"] for row in rows} == {"found"}
    assert "By true cluster (unmatched predicted clusters: " in run(*arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "--truth truth --pred truth2 --kind classification",
            "--by-cluster matches clusters: leave it out for classifiers, which have scores by class",
        ),
        ("--labels found", "--by-cluster scores true clusters: name the column of the truth with --truth"),
    ],
)
def test_clusters_need_two_clusterings(run: Any, arguments: list[str], message: str) -> None:
    assert run("evaluate", "t.csv", *shlex.split(arguments), "--by-cluster", code=2) == message


@pytest.mark.full
def test_the_page_shows_true_clusters(tmp_path: Path) -> None:
    models = {"found": FOUND, "other": TRUTH}
    made = adjudge.report(TRUTH, models, kind="clustering", output=tmp_path / "r.html", confidence=0.9)
    shown = {own["model"]: own for own in made.page["sections"][0]["matched"]}
    wanted = adjudge.evaluate(TRUTH, FOUND, confidence=0.9).by_cluster()
    assert shown["found"]["measures"] == ["Precision", "Recall", "F1", "Jaccard"]
    assert shown["found"]["n_left_over"] == len(wanted.left_over or ())
    for row in shown["found"]["rows"]:
        own = wanted[row["name"]]
        assert row["partner"] == str(own.partner)
        score = own.score("recall")
        assert (row["cells"][1]["value"], row["cells"][1]["interval"]) == (
            score.value,
            [score.low, score.high],
        )
    assert "<h3>True clusters after matching</h3>" in (tmp_path / "r.html").read_text("utf-8")


def test_a_word_among_numbers_is_said(shell: Any) -> None:
    Path("rated.csv").write_text("ann,bob\n1.0,1\n1,1\n0,0\n0.0,0\n1,1\n-,1\n", encoding="utf-8")
    said = shell("raters rated.csv").err
    assert "1 of the 6 rows holds no number in column 'ann': '-', so all its labels are text" in said
