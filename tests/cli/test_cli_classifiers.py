"""Classifiers on the command line: probabilities by column names, classes, groups."""

from __future__ import annotations

import csv
import io
import json
import pickle
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge

RNG = np.random.default_rng(4)
N = 120
NAMES = np.array(["cat", "dog", "owl"])
CODES = RNG.integers(0, 3, N)
P = {
    name: np.eye(3)[CODES] * share + RNG.dirichlet([1, 1, 1], N) * (1 - share)
    for name, share in (("old", 0.2), ("new", 0.4))
}
COUNTRY = np.where(np.arange(N) % 3 == 0, "IT", "FR")
YEAR = 2020 + np.arange(N) % 2


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    columns: dict[str, Any] = {"label": NAMES[CODES], "country": COUNTRY, "year": YEAR}
    for name, p in P.items():
        columns[name] = NAMES[p.argmax(axis=1)]
        # Not in the order of the classes.
        columns |= {f"{name}_{NAMES[i]}": p[:, i] for i in (2, 0, 1)}
    frame = pd.DataFrame(columns)
    frame.to_csv("t.csv", index=False)
    frame.to_parquet("t.parquet")
    two = pd.DataFrame({"sick": (CODES > 0).astype(int), "p": P["new"][:, 1:].sum(axis=1), "site": COUNTRY})
    two.to_csv("two.csv", index=False)


def told(run: Any, *arguments: str) -> Any:
    every = [] if "compare" in arguments else ["--indices", "all"]
    return json.loads(run(*arguments, *every, "--format", "json"))


def test_a_pattern_takes_the_columns_of_a_model(run: Any) -> None:
    wanted = adjudge.evaluate(
        NAMES[CODES], probabilities=P["new"], classes=list(NAMES), kind="classification", indices="all"
    )
    for option, value in (("--probabilities", "new_*"), ("--proba-prefix", "new_")):
        found = told(run, "evaluate", "t.csv", "--truth", "label", option, value)["evaluations"]["new"]
        assert found["values"]["log_loss"] == pytest.approx(wanted["log_loss"])
        assert found["values"]["accuracy"] == wanted["accuracy"]
    both = told(
        run, "evaluate", "t.csv", "--truth", "label", "--pred", "old,new", "--probabilities", "old_*,new_*"
    )
    assert both["evaluations"]["new"]["values"]["roc_auc_ovo"] == pytest.approx(wanted["roc_auc_ovo"])
    turned = told(
        run, "evaluate", "t.csv", "--truth", "label", "--probabilities", "new_*", "--classes", "owl,dog,cat"
    )
    own = turned["evaluations"]["new"]
    assert own["confusion"]["classes"] == ["owl", "dog", "cat"]
    assert own["values"]["log_loss"] == pytest.approx(wanted["log_loss"])


def test_one_column_is_of_the_second_class(run: Any) -> None:
    found = told(run, "evaluate", "two.csv", "--truth", "sick", "--probabilities", "p")["evaluations"]["p"]
    wanted = adjudge.roc_auc(CODES > 0, P["new"][:, 1:].sum(axis=1))
    assert found["values"]["roc_auc"] == pytest.approx(wanted)
    other = told(run, "evaluate", "two.csv", "--truth", "sick", "--probabilities", "p", "--positive", "0")
    assert other["evaluations"]["p"]["values"]["recall"] != found["values"]["recall"]


@pytest.mark.full
@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_groups(run: Any, file: str) -> None:
    wanted = adjudge.evaluate(
        NAMES[CODES], NAMES[P["new"].argmax(axis=1)], kind="classification", groups=COUNTRY, confidence=0.9
    )
    engine = [] if file == "t.csv" else ["--engine", "duckdb"]
    arguments = [
        "evaluate",
        file,
        *shlex.split("--truth label --pred new --by country --confidence 0.9"),
        *engine,
    ]
    found = told(run, *arguments)["evaluations"]["new"]
    assert {own["group"]: own["values"]["accuracy"] for own in found["by_group"]} == {
        group: own["accuracy"] for group, own in wanted.by_group.items()
    }
    assert found["group_differences"][0]["p_value"] == pytest.approx(wanted.differences[0].score.p_value)
    shown = run(*arguments)
    for heading in (
        "By class (new)",
        "Confusion matrix (new)",
        "By group (new)",
        "Each group against the rest",
    ):
        assert heading in shown
    named = {"kind": "classification", "groups": COUNTRY, "confidence": 0.9, "positive": "owl"}
    of_owls = adjudge.evaluate(NAMES[CODES], NAMES[P["new"].argmax(axis=1)], **named)
    arguments += ["--positive", "owl"]
    rows = told(run, *arguments)["evaluations"]["new"]["group_disparities"]
    assert [(row["name"], row["highest"], row["value"], row["interval"]) for row in rows] == [
        (own.name, own.highest, pytest.approx(own.value), own.interval and pytest.approx(list(own.interval)))
        for own in of_owls.disparities
    ]
    assert "Between groups, predicted as owl (new)" in run(*arguments)
    crossed = told(
        run, "evaluate", file, "--truth", "label", "--pred", "new", "--by", "country,year", *engine
    )
    assert [own["group"] for own in crossed["evaluations"]["new"]["by_group"]] == [
        ["FR", 2020],
        ["FR", 2021],
        ["IT", 2020],
        ["IT", 2021],
    ]


def test_rows_of_csv_are_of_each_group_too(run: Any) -> None:
    asked = ["evaluate", "two.csv", "--truth", "sick", "--probabilities", "p", "--indices", "roc_auc,recall"]
    whole = run(*asked, "--format", "csv").splitlines()
    rows = list(csv.DictReader(io.StringIO(run(*asked, "--by", "site", "--format", "csv"))))
    assert whole[0].split(",")[:2] == ["column", "index"]
    assert [(row["group"], row["index"]) for row in rows] == [
        (group, index) for group in ("", "FR", "IT") for index in ("roc_auc", "recall")
    ]
    frame = pd.read_csv("two.csv")
    for group in ("FR", "IT"):
        own = frame[frame.site == group]
        found = next(float(row["value"]) for row in rows if row["group"] == group)
        assert found == pytest.approx(adjudge.roc_auc(own.sick, own.p))


@pytest.mark.full
@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_compare(run: Any, file: str) -> None:
    wanted = adjudge.compare(
        NAMES[CODES],
        probabilities={name: pd.DataFrame(p, columns=list(NAMES)) for name, p in P.items()},
        kind="classification",
        groups=COUNTRY,
        confidence=0.95,
    )
    arguments = ["compare", file, "--truth", "label", "--probabilities", "old_*,new_*", "--by", "country"]
    found = told(run, *arguments, "--confidence", "0.95")
    (pair, _) = found["pairs"]
    own = wanted["old", "new"].differences["log_loss"]
    assert pair["differences"]["log_loss"]["p_value"] == pytest.approx(own.p_value)
    assert pair["differences"]["log_loss"]["interval"] == pytest.approx(own.interval)
    assert len(found["group_differences"]) == len(wanted.group_differences)
    shown = run(*arguments)
    assert "Differences of accuracy, by group" in shown
    rows = list(csv.DictReader(io.StringIO(run(*arguments, "--format", "csv"))))
    assert [(row["group"], row["primary"]) for row in rows] == [
        (group, name) for group in ("", "FR", "IT") for name in ("old", "new")
    ]
    counted = told(run, "compare", file, "--truth", "label", "--models", "old,new", "--by", "country")
    assert counted["by_group"][0]["pairs"][0]["counts"] == found["by_group"][0]["pairs"][0]["counts"]


def test_a_model_may_have_labels_alone(run: Any) -> None:
    columns: dict[str, Any] = {"models": ["old", "new"], "truth": "label", "kind": "classification"}
    of_new = {name: f"new_{name}" for name in ("cat", "dog", "owl")}
    wanted = adjudge.compare("t.csv", probabilities={"new": of_new}, **columns)
    named = ["--truth", "label", "--models", "old,new"]
    for given in (["--probabilities", "new=new_*"], ["--proba-prefix", "new=new_"]):
        found = told(run, "compare", "t.csv", *named, *given)["scores"]
        assert found["new"]["log_loss"] == pytest.approx(wanted.scores["new"]["log_loss"])
        assert found["old"]["accuracy"] == wanted.scores["old"]["accuracy"]
        assert found["old"]["log_loss"] == "nan"
    for order in ("old,new", "new,old"):
        shown = ["t.csv", "--truth", "label", "--pred", order, "--probabilities", "new=new_*"]
        own = told(run, "evaluate", *shown)["evaluations"]
        assert own["new"]["values"]["log_loss"] == pytest.approx(wanted.scores["new"]["log_loss"])
        assert "log_loss" not in own["old"]["values"]
        (row,) = (line.split() for line in run("evaluate", *shown).splitlines() if "log_loss" in line)
        assert row[1:3].index("-") == order.split(",").index("old")
        run("evaluate", *shown, "--save", "e.adjudge")
        frame = adjudge.load("e.adjudge").to_frame()
        assert np.isnan(float(frame["log_loss"][order.split(",").index("old")] or np.nan))
    run("report", "t.csv", *named, "--probabilities", "new=new_*", "-o", "page.html")
    assert "only labels were given of old, so there is no Log loss" in Path("page.html").read_text().replace(
        "Only", "only"
    )
    both = told(run, "compare", "t.csv", *named, "--probabilities", "new=new_*,old=old_*")
    assert both == told(run, "compare", "t.csv", *named, "--probabilities", "old_*,new_*")


def test_what_is_left_out_for_one_is_left_out_for_all_if_they_are_compared(run: Any) -> None:
    frame = pd.read_csv("t.csv")
    frame.loc[0, "old"] = None
    frame.to_csv("m.csv", index=False)
    arguments = shlex.split("evaluate m.csv --truth label --pred old,new --probabilities old_*,new_*")
    found = told(run, *arguments, "--missing", "drop", "--by", "year")["evaluations"]
    assert (found["old"]["n"], found["new"]["n"]) == (N - 1, N)
    assert found["new"]["values"]["log_loss"] == pytest.approx(
        adjudge.log_loss(NAMES[CODES], P["new"], classes=list(NAMES))
    )
    frame.loc[1, "new_cat"] = None
    frame.to_csv("m.csv", index=False)
    wanted = adjudge.log_loss(NAMES[CODES[2:]], P["new"][2:], classes=list(NAMES))
    found = told(run, *arguments, "--missing", "drop")["evaluations"]
    kept = np.arange(N) != 1
    assert (found["old"]["n"], found["new"]["n"]) == (N - 1, N - 1)
    assert found["new"]["values"]["log_loss"] == pytest.approx(
        adjudge.log_loss(NAMES[CODES[kept]], P["new"][kept], classes=list(NAMES))
    )
    same = ["m.csv", "--truth", "label", "--models", "old,new", "--probabilities", "old_*,new_*"]
    found = told(run, "compare", *same, "--missing", "drop")
    assert found["n"] == N - 2
    assert found["scores"]["new"]["log_loss"] == pytest.approx(wanted)
    run("report", *same, "--missing", "drop", "-o", "page.html")
    assert "2 of the 120 rows are left out, without a label or a probability" in Path("page.html").read_text()


@pytest.mark.full(keep=3)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "--probabilities z_*",
            "--probabilities 'z_*' matches no column, such as 'label', 'country', 'year'",
        ),
        ("--probabilities *_*", "--probabilities '*_*' has several stars: one stands for the class"),
        ("--pred new --probabilities old_*,new_*", "--probabilities has 2 patterns for 1 model: give one"),
        (
            "--pred old,new --probabilities new=new_*,new=old_*",
            "--probabilities names 'new' twice: give one pattern for each model",
        ),
        (
            "--pred old,new --probabilities new=new_*,old_*",
            "--probabilities has 2 patterns for 2 models: give one for each, in their order, or name the models",
        ),
        ("--pred new --by label", "--by 'label' is a column of labels: name another one"),
        ("--pred new --positive bird", "--positive bird is not a class: choose one of 'cat', 'dog', 'owl'"),
        ("--labels new --by year", "--by is an option for classifiers: name their labels with --pred"),
        (
            "--probabilities new_* --classes cat,dog",
            "--probabilities names the classes cat, dog, owl, which are not those of --classes",
        ),
        (
            "--pred new --by year --kind clustering",
            "--by is an option for classifiers: judge clusterings by group with 'adjudge compare'",
        ),
    ],
)
def test_errors(run: Any, arguments: list[str], message: str) -> None:
    said = run("evaluate", "t.csv", "--truth", "label", *shlex.split(arguments), code=2)
    assert said.startswith(message), said
    assert "\n" not in said


def test_a_reason_counts_rows_from_one(tmp_path: Path, run: Any) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,p_x,p_y\nx,1,0\ny,0.2,0.8\nx,0,1\n")
    said = "the true class of the instance in row 3 of the data had the probability 0"
    wanted = ("evaluate", str(path), "--truth", "y", "--probabilities", "p_*", "--indices", "log_loss")
    for form in ("table", "json", "csv", "markdown"):
        assert said in " ".join(run(*wanted, "--format", form).split()), form
    reason = adjudge.log_loss.judge(adjudge.statistics.read_forecasts(["x", "y"], [[1, 0], [1, 0]]))[1]
    assert pickle.loads(pickle.dumps(reason)) == reason == said.replace("3 of the data", "1")
    assert pickle.loads(pickle.dumps(reason)).parts == reason.parts


def test_two_columns_for_three_classes_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("three.csv").write_text("y,m_a,m_b\na,.3,.3\nb,.2,.4\nc,.1,.2\n")
    assert "there are 2 columns, column 'y' has 3 classes: give a column for each" in run(
        "evaluate three.csv --truth y --probabilities m_*", code=2
    )


def test_a_primary_score_and_the_correction_of_groups(run: Any) -> None:
    asked = ["--truth", "label", "--confidence", "0.95", "--by", "country", "--groups-correction", "fdr"]
    found = told(run, "compare", "t.csv", *asked, "--models", "old,new", "--primary", "mcc")
    settings = found["settings"]
    assert (settings["primary"], settings["groups_correction"]) == ("matthews_correlation", "fdr")
    assert found["verdict"]["sentences"][0].startswith("By the primary score, Matthews")
    text = run("compare", "t.csv", *asked, "--models", "old,new", "--primary", "mcc")
    assert "p (FDR)" in text
    assert "the primary score, tested alone" in text
    judged = told(run, "evaluate", "t.csv", *asked, "--pred", "new")["evaluations"]["new"]
    assert judged["settings"]["groups_correction"] == "fdr"
    assert "p (FDR)" in run("evaluate", "t.csv", *asked, "--pred", "new")


def test_a_page_with_a_primary_score(run: Any) -> None:
    asked = ["--truth", "label", "--by", "country", "--groups-correction", "fdr", "--primary", "mcc"]
    said = run("report", "t.csv", *asked, "--models", "old,new", "-o", "page.html")
    assert "By the primary score, Matthews" in said
    assert "Benjamini and Hochberg" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("arguments", "said"), [
    (["compare", "--models", "old,new", "--primary", "brier"], "--primary brier_score is not among the scores"),
    (["compare", "--models", "old,new", "--primary", "acuracy"], "did you mean accuracy"),
    (["compare", "--models", "old,new", "--groups-correction", "fdr"], "--groups-correction fdr corrects the tests of "
     "groups: give --by as well"),
    (["evaluate", "--pred", "new", "--groups-correction", "fdr"], "give --by as well"),
    (["evaluate", "--pred", "new", "--by", "country", "--groups-correction", "bh"], "--groups-correction"),
])  # fmt: skip
def test_refused_primary_scores_and_corrections(run: Any, arguments: list[str], said: str) -> None:
    verb, *rest = arguments
    assert said in " ".join(run(verb, "t.csv", "--truth", "label", *rest, code=2).split())


def test_a_long_comparison_is_one_screen_unless_all_is_asked_for(run: Any) -> None:
    pd.read_csv("t.csv").assign(third=NAMES[(CODES + YEAR) % 3]).to_csv("three.csv", index=False)
    asked = ["compare", "three.csv", "--truth", "label", "--models", "old,new,third", "--confidence", "0.95"]
    whole = run(*asked, "--by", "country", "--all")
    assert "Head to head, by group" in whole
    shown = run(*asked, "--by", "country")
    assert len(shown.splitlines()) < 40 < len(whole.splitlines())
    assert "Head to head, by group" not in shown
    assert set(shown.splitlines()) & set(whole.splitlines())
    assert run(*asked, "--by", "country", "--format", "markdown").count("### ") == whole.count("\n\n")
    run(*asked, "--by", "country", "-o", "all.txt")
    assert Path("all.txt").read_text(encoding="utf-8") == whole


@pytest.fixture
def ranked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pl.DataFrame:
    monkeypatch.chdir(tmp_path)
    ill = np.tile([0, 0, 0, 1], 30)
    said, margins = np.where(np.arange(120) % 7 == 0, 1 - ill, ill), ill + np.sin(np.arange(120))
    frame = pl.DataFrame({"ill": ill, "said": said, "margin": margins, "other": -margins, "also": ill})
    frame.with_columns(pl.col("ill", "said").replace_strict({0: "no", 1: "yes"}).name.suffix("_")).write_csv(
        "ill.csv"
    )
    return frame


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        (["--truth", "ill", "--pred", "said", "--prevalence", "2%"], 0.02),
        (["--truth", "ill", "--pred", "said", "--prevalence", "1=0.3,0=70%"], {0: 0.7, 1: 0.3}),
        (["--truth", "ill_", "--pred", "said_", "--prevalence", "yes=0.3,no=0.7"], {0: 0.7, 1: 0.3}),
    ],
)
def test_prevalence(typed: list[str], given: Any, ranked: pl.DataFrame, run: Any) -> None:
    out = json.loads(run("evaluate", "ill.csv", *typed, "--kind", "classification", "-f", "json"))
    found = adjudge.evaluate(ranked, truth="ill", pred="said", kind="classification", prevalence=given)
    (own,) = out["evaluations"].values()
    assert own["values"] == pytest.approx(found.values)


def test_decision_values(ranked: pl.DataFrame, run: Any) -> None:
    asked = ["evaluate", "ill.csv", "--truth", "ill", "--positive", "1", "-f", "json"]
    alone = json.loads(run(*asked, "--scores", "margin"))["evaluations"]["margin"]
    assert alone["values"] == dict(adjudge.evaluate(ranked, truth="ill", scores="margin", positive=1).values)
    several = json.loads(run(*asked, "--pred", "said,also", "--scores", "said=other"))["evaluations"]
    found = adjudge.evaluate(ranked, truth="ill", pred="said", scores="other", positive=1)
    assert several["said"]["values"] == dict(found.values)
    assert "roc_auc" in found.values


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["--prevalence", "2"], "--prevalence 2 is not a share between 0 and 1"),
        (
            ["--prevalence", "x=0.3,0=0.7"],
            "'x' is not a class: the true labels are whole numbers (--prevalence names others)",
        ),
        (
            ["--scores", "margin", "--probabilities", "other"],
            "--probabilities and --scores were given: give one of them",
        ),
    ],
)
def test_refused_shares_and_scores(typed: list[str], said: str, ranked: Any, run: Any) -> None:
    asked = ["evaluate", "ill.csv", "--truth", "ill", "--pred", "said", "--positive", "1"]
    assert run(*asked, *typed, code=2) == said
    only = "--scores only rank the instances: name the models' labels with --pred, too"
    assert run(*asked[:4], "--scores", "margin,other", code=2) == only


def test_help_says_which_format_has_scores_by_class(run: Any) -> None:
    assert "json (all), csv (scores)" in " ".join(run("evaluate", "--help").replace("│", " ").split())
    given = ("evaluate", "two.csv", "--truth", "sick", "--probabilities", "p", "--format", "json")
    (found,) = json.loads(run(*given))["evaluations"].values()
    assert {"precision", "recall"} <= found["by_class"][0]["values"].keys()
