"""Several labels a row on the command line: in one cell, or a column for each label."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge

RNG = np.random.default_rng(2)
N = 90
LABELS = ["action", "comedy", "drama"]
TRUE = RNG.random((N, 3)) < 0.4
MODELS = {"old": TRUE ^ (RNG.random((N, 3)) < 0.25), "new": TRUE ^ (RNG.random((N, 3)) < 0.1)}
SHARES = np.round(np.clip(0.25 + 0.5 * MODELS["new"] + RNG.normal(0, 0.2, (N, 3)), 0, 1), 3)
WEIGHTS = RNG.integers(0, 4, N)


def cells(matrix: Any, sign: str = ";") -> list[str]:
    return [sign.join(label for label, has in zip(LABELS, row, strict=True) if has) for row in matrix]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    columns: dict[str, Any] = {"genres": cells(TRUE), "weight": WEIGHTS, "none": [""] * N}
    for name, own in {"true": TRUE, **MODELS}.items():
        columns[name] = cells(own, " | ")
        # Not in the order of the truth.
        columns |= {f"{name}_{LABELS[j]}": own[:, j].astype(int) for j in (1, 2, 0)}
    columns |= {f"p_{LABELS[j]}": SHARES[:, j] for j in (2, 0, 1)}
    frame = pd.DataFrame(columns)
    frame.to_csv("t.csv", index=False)
    frame.to_parquet("t.parquet")


def told(run: Any, *arguments: str) -> Any:
    return json.loads(run(*arguments, "--kind", "multilabel", "--format", "json"))


@pytest.mark.full
@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
@pytest.mark.parametrize(
    ("truth", "pred", "delimiter"),
    [("genres", "new_*", []), ("true_*", "new", ["--delimiter", "|"]), ("true_*", "new_*", [])],
)
def test_labels_are_read_from_cells_and_from_columns(
    run: Any, file: str, truth: str, pred: str, delimiter: list[str]
) -> None:
    wanted = adjudge.evaluate(TRUE, MODELS["new"], kind="multilabel", classes=LABELS, confidence=0.9)
    arguments = ["evaluate", file, "--truth", truth, "--pred", pred, *delimiter, "--confidence", "0.9"]
    found = told(run, *arguments)["evaluations"]["new"]
    assert found["values"] == pytest.approx(wanted.values)
    assert [row["class"] for row in found["by_class"]] == LABELS
    assert found["intervals"]["hamming_loss"] == pytest.approx(wanted.intervals["hamming_loss"])
    shown = run(*arguments, "--kind", "multilabel")
    assert "By class (new)" in shown
    assert "comedy" in shown


def test_probabilities_and_weights(run: Any) -> None:
    wanted = adjudge.evaluate(
        TRUE, probabilities=SHARES, kind="multilabel", classes=LABELS, sample_weight=WEIGHTS
    )
    found = told(
        run, "evaluate", "t.csv", "--truth", "genres", "--probabilities", "p_*", "--weight", "weight"
    )
    assert found["evaluations"]["p"]["values"] == pytest.approx(wanted.values)
    both = told(
        run, "evaluate", "t.csv", "--truth", "genres", "--pred", "old_*,new_*", "--proba-prefix", "p_,true_"
    )
    assert both["evaluations"]["new"]["values"]["label_ranking_average_precision"] == 1


def test_models_are_compared(run: Any) -> None:
    wanted = adjudge.compare(TRUE, MODELS, kind="multilabel", classes=LABELS, counts=WEIGHTS)
    found = told(
        run,
        "compare",
        "t.parquet",
        "--truth",
        "genres",
        "--models",
        "old_*,new_*",
        "--weight",
        "weight",
        "--weights",
        "frequency",
    )
    pair = next(row for row in found["pairs"] if row["primary"] == "old")
    for cell in ("both_right", "right_wrong", "wrong_right", "both_wrong"):
        assert pair["counts"][cell] == getattr(wanted["old", "new"], cell)
    assert found["of"] == "multilabel"


@pytest.mark.full
def test_a_page_is_written(run: Any) -> None:
    said = run("report t.csv --truth genres --models old_*,new_* --kind multilabel -o m.html")
    assert "new is better than old by Hamming loss (−0.204: 0.052 against 0.256, p < 0.0001)" in said
    page = Path("m.html").read_text("utf-8")
    for heading in ("By label", "Where the best two disagree", "Scores by label"):
        assert f"<h3>{heading}</h3>" in page
    run("report t.csv --truth genres --probabilities p_* --kind multilabel -o p.html")
    assert "ROC AUC" in Path("p.html").read_text("utf-8")


@pytest.mark.full(keep=2)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "--pred new_* --by weight",
            "--by is an option for classifiers: judge models of other kinds by group with 'adjudge compare'",
        ),
        (
            "--pred new_* --engine duckdb",
            "--kind multilabel needs all rows in memory: leave out --engine duckdb",
        ),
        (
            "--pred new_* --missing drop",
            "--missing is not an option for several labels per instance, which may have none: leave it out",
        ),
        ("--pred x_*", "'x_*' matches no column of 't.csv': it has 'genres', 'weight', 'none', 'true'"),
        ("--pred p_*", "the pattern 'p_*' holds "),
        ("--probabilities p_drama", "--probabilities p_drama is one column: give a pattern such as 'p_*'"),
        (
            "--pred old_*,new_* --probabilities p_*",
            "--probabilities has 1 pattern for 2 models: give one for each, in their order",
        ),
        (
            "--columns weight --labels new",
            "--kind multilabel judges labels against the truth: name them with --pred",
        ),
        ("--pred new_* --classes action,drama", "'new' has 'comedy', which is not among the classes"),
    ],
)
def test_what_is_wrong_is_named(run: Any, arguments: list[str], message: str) -> None:
    said = run(
        "evaluate", "t.csv", "--truth", "genres", *shlex.split(arguments), "--kind", "multilabel", code=2
    )
    assert message.removeprefix("'new' has ") in said


def test_options_of_one_kind_are_refused_elsewhere(run: Any) -> None:
    said = run("evaluate", "t.csv", "--truth", "genres", "--pred", "new", "--delimiter", "|", code=2)
    assert said == "--delimiter separates the labels in a cell: pass --kind multilabel, or leave it out"
    compared = ["compare", "t.csv", "--truth", "genres", "--models", "old_*,new_*", "--kind", "multilabel"]
    said = run(*compared, "--rows", "right_wrong", "-o", "x.csv", code=2)
    assert said == "--rows writes whole rows, not pairs of a row and a label: leave it out"
    paged = ["report", "t.csv", "--truth", "genres", "--models", "new_*", "--kind", "multilabel"]
    for flags in (["--k", "2:4"], ["--features", "weight"], ["--text", "none"]):
        said = run(*paged, *flags, code=2)
        assert said == f"{flags[0]} is not an option for several labels per instance: leave it out"


def test_a_column_without_labels_is_one_of_no_label(run: Any) -> None:
    found = told(run, "evaluate", "t.csv", "--truth", "genres", "--pred", "none")["evaluations"]["none"]
    assert found["values"]["hamming_loss"] == pytest.approx(TRUE.mean())


@pytest.mark.parametrize("kind", ["overlapping", "multilabel"])
def test_another_sign_between_labels_is_said(kind: str, shell: Any, tmp_path: Path) -> None:
    told = (
        "no cell has ';' between labels, but {} cells have '{}': if it separates labels, pass --delimiter {}"
    )
    for text, said in [
        ("a|b,a\na,a|b\nb,b\n", told.format(2, "|", "'|'")),
        ('"a,b","a,b"\na,a\nb,b\n', told.format(2, ",", ",")),
        ("a|b,a;b\na,a|b\nb,b\na|b,a\n", None),
        ("a|b,a\na,a\nb,b\n", None),
    ]:
        path = tmp_path / "sets.csv"
        path.write_text(f"t,f\n{text}")
        asked = ["evaluate", str(path), "--truth", "t", "--pred", "f", "--kind", kind]
        err = shell(*asked).err
        assert (said in err) if said else "--delimiter" not in err
    path.write_text("t,f\na|b,a\na,a|b\nb,b\n")
    assert "--delimiter" not in shell(*asked, "--delimiter", "|").err
