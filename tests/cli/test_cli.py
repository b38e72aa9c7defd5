"""The command line: what it prints and writes, and one line for every error."""

from __future__ import annotations

import csv
import inspect
import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from enum import Enum
from importlib.metadata import EntryPoint
from itertools import chain
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import typer

import adjudge
from adjudge import atomic
from adjudge.atomic import check_writable, write_atomically, write_together
from adjudge.cli import app
from adjudge.cli.flags import COMMANDS, function_of
from adjudge.cli.messages import one_line, printable
from adjudge.cli.options import split_list, split_names
from adjudge.cli.output import share_done, show_work
from adjudge.errors import Argument, InputError
from adjudge.indices.kinds import KINDS
from conftest import raises_line

TABLE = """\
x,y,label,forest,knn,kmeans,dbscan
0,0,cat,cat,cat,0,0
0,1,cat,cat,dog,0,0
1,0,cat,dog,cat,0,-1
9,9,dog,dog,dog,1,1
9,8,dog,dog,cat,1,-1
8,9,dog,dog,dog,0,1
"""
TRUTH = ["cat"] * 3 + ["dog"] * 3
KMEANS = [0, 0, 0, 1, 1, 0]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    return tmp_path


# evaluate


def test_evaluate_against_the_truth(run):
    out = run("evaluate t.csv --truth label --pred kmeans --indices ari,rand --format json")
    found = json.loads(out)
    assert found["truth"] == "label"
    expected = adjudge.evaluate(TRUTH, KMEANS, indices=["ari", "rand"])
    assert found["evaluations"]["kmeans"] == {**expected.to_dict(), "settings": {**expected.settings}}


def test_evaluate_as_a_table(run):
    assert run("evaluate", "t.csv", "--truth", "label", "--pred", "kmeans", "--indices", "rand") == (
        "6 instances; truth: label\nindex  kmeans  better  range\nrand   0.6667  higher  [0, 1]\n"
    )


def test_evaluate_several_columns_with_notes(run):
    Path("one.csv").write_text("t,a,b\n1,1,1\n1,2,1\n1,3,1\n")
    out = run("evaluate one.csv --truth t --pred a --pred b --indices rand,hubert_gamma")
    lines = out.splitlines()
    assert lines[0] == "3 instances; truth: t"
    assert lines[1].split() == ["index", "a", "b", "better", "range"]
    assert lines[2].split()[:3] == ["rand", "0.0000", "1.0000"]
    assert "undefined" in lines[3]
    assert "Notes" in lines
    assert any(line.startswith("all ") and "0/0" in line for line in lines)


def test_a_note_on_all_columns_is_said_once(run):
    Path("three.csv").write_text("t,a,b\nx,x,y\ny,y,y\nz,y,z\n")
    out = run("evaluate three.csv --truth t --pred a,b --indices f1 --kind classification")
    assert [line.split()[:3] for line in out.splitlines() if "macro" in line] == [["all", "f1", "macro:"]]


def test_evaluate_as_csv_has_full_precision(run):
    out = run("evaluate t.csv --truth label --pred kmeans,dbscan --indices rand -f csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["column"], row["index"]) for row in rows] == [("kmeans", "rand"), ("dbscan", "rand")]
    assert float(rows[0]["value"]) == adjudge.rand(TRUTH, KMEANS)


def test_evaluate_as_markdown(run):
    out = run("evaluate t.csv --truth label --pred kmeans --indices rand -f markdown")
    assert "| rand | 0.6667 | higher | [0, 1] |" in out.splitlines()


def test_evaluate_all_external_indices(run):
    command = ["evaluate", "t.csv", "--truth", "label", "--pred", "kmeans", "-f", "json"]
    found = {
        asked: json.loads(run(*command, *(["--indices", asked] if asked else [])))["evaluations"]["kmeans"]
        for asked in ("", "default", "all", "default,rand")
    }
    records = adjudge.list_indices("external")
    assert set(found["all"]["values"]) == {r.name for r in records}
    assert set(found[""]["values"]) == {r.name for r in records if r.default}
    assert found[""] == found["default"]
    assert set(found["default,rand"]["values"]) == {*found[""]["values"], "rand"}


def test_evaluate_classification(run):
    command = ["evaluate", "t.csv", "--truth", "label", "--pred", "knn", "--kind", "classification"]
    out = json.loads(run(*command, "--indices", "accuracy", "-f", "json"))
    assert out["evaluations"]["knn"]["values"] == {"accuracy": 4 / 6}


@pytest.mark.parametrize("noise", ["cluster", "singletons", "drop"])
def test_evaluate_with_noise(run, noise):
    """The truth is text, so the labels of dbscan are too; -1 is noise all the same."""
    out = json.loads(
        run("evaluate t.csv --truth label --pred dbscan --indices ari --noise", noise, "-f", "json")
    )
    expected = adjudge.adjusted_rand(TRUTH, [0, 0, -1, 1, -1, 1], noise=noise)
    assert out["evaluations"]["dbscan"]["values"]["adjusted_rand"] == expected


def test_evaluate_with_missing_labels(run):
    Path("gaps.csv").write_text("t,p\na,1\na,\nb,2\n")
    command = ["evaluate", "gaps.csv", "--truth", "t", "--pred", "p", "--indices", "rand"]
    assert run(*command, code=2) == (
        "column 'p' has a missing label in row 2 of the data (1 in all): fill it in, or pass --missing drop "
        "to leave such instances out"
    )
    assert run(*command, "--missing", "drop").startswith("2 instances; ")


def test_evaluate_from_points(run, shell):
    command = shlex.split("evaluate t.csv --labels kmeans --indices calinski_harabasz --format json")
    X = np.array([[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]], float)
    given = json.loads(run(*command, "--columns", "x,y"))
    assert given["columns"] == ["x", "y"]
    expected = adjudge.evaluate(X=X, labels=KMEANS, indices=["calinski_harabasz"])
    assert given["evaluations"]["kmeans"]["values"] == expected.values
    captured = shell(*command, "--standardize")
    assert captured.err.splitlines() == [
        "adjudge: 'dbscan' looks like a model's output, so it is left out of the coordinates: --columns can include it",
        "adjudge: 'label', 'forest' and 'knn' hold no numbers, so they are left out of the coordinates: encode them as "
        "numbers to include them",
        "adjudge: points from x, y: --columns chooses others",
    ]
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = adjudge.evaluate(X=Z, labels=KMEANS, indices=["calinski_harabasz"])
    found = json.loads(captured.out)
    assert found["evaluations"]["kmeans"]["values"] == pytest.approx(expected.values, rel=1e-12)
    assert found["standardized"] is True


def test_evaluate_standardizes_constant_columns(run):
    Path("c.csv").write_text("x,c,l\n0,7,1\n1,7,1\n9,7,2\n8,7,2\n")
    command = shlex.split("evaluate c.csv --labels l --columns x,c --standardize --indices ball_hall")
    found = json.loads(run(*command, "-f", "json"))["evaluations"]["l"]["values"]["ball_hall"]
    x = (np.array([0, 1, 9, 8]) - 4.5) / np.std([0, 1, 9, 8])
    assert found == pytest.approx(np.mean([x[:2].var(), x[2:].var()]), rel=1e-12)


def test_evaluate_estimates_from_samples_and_saves_its_work(run):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 900)
    rows = np.column_stack([rng.normal(size=(900, 2)) + 4 * labels[:, None], labels])
    np.savetxt("p.csv", rows, delimiter=",", header="a,b,c", comments="", fmt=["%.4f", "%.4f", "%d"])
    asked = (
        "evaluate",
        "p.csv",
        "--labels",
        "c",
        "--columns",
        "a,b",
        "--indices",
        "silhouette",
        "-f",
        "json",
    )
    quick = json.loads(run(*asked, "--sample-size", "200", "--seed", "1"))["evaluations"]["c"]
    whole = json.loads(run(*asked, "--checkpoint", "work.npz"))["evaluations"]["c"]
    low, high = quick["intervals"]["silhouette"]
    assert low < whole["values"]["silhouette"] < high
    assert "estimate" in quick["interval_reasons"]["silhouette"]
    assert not Path("work.npz").exists()
    message = "--sample-size is an option for points: name the labels with --labels, not --pred"
    assert (
        run("evaluate", "t.csv", "--truth", "label", "--pred", "kmeans", "--sample-size", "9", code=2)
        == message
    )
    assert run(*asked[:3], "c,a", "--columns", "b", "--checkpoint", "work.npz", code=2) == (
        "--checkpoint saves the work for one column of labels: judge the columns one by one"
    )


def test_evaluate_from_points_and_truth(run):
    command = shlex.split("evaluate t.csv --truth label --labels kmeans --columns x --columns y")
    out = json.loads(run(*command, "--indices", "rand,calinski_harabasz", "-f", "json"))
    assert list(out["evaluations"]["kmeans"]["values"]) == ["rand", "calinski_harabasz"]


def test_lists_of_labels_in_files_of_their_own(run):
    Path("truth.txt").write_text("\n".join(TRUTH))
    Path("kmeans.labels").write_text("\n".join(map(str, KMEANS)))
    Path("a").mkdir()
    Path("a/kmeans.labels").write_text("1\n1\n1\n0\n0\n0\n")
    out = run("evaluate", "truth.txt", "--pred", "kmeans.labels", "--indices", "rand")
    assert out.splitlines() == [
        "6 instances; truth: truth",
        "index  kmeans  better  range",
        "rand   0.6667  higher  [0, 1]",
    ]
    out = json.loads(
        run("compare truth.txt --models kmeans.labels,a/kmeans.labels --kind clustering -f json")
    )
    assert out["models"] == ["kmeans.labels", "a/kmeans.labels"]
    assert "calinski" in run(
        "evaluate t.csv --labels kmeans.labels --columns x,y --indices calinski_harabasz"
    )
    Path("short.txt").write_text("1\n2\n")
    assert run("evaluate", "truth.txt", "--pred", "short.txt", code=2) == (
        "column 'short' has 2 entries, column 'truth' has 6: they must have the same length"
    )
    assert run("evaluate", "truth.txt", "--pred", "t.csv", code=2) == (
        "'t.csv' is a separate table: name columns of 'truth.txt', or files with one label per line"
    )


# compare


def test_compare_classifiers(run):
    command = ["compare", "t.csv", "--truth", "label", "--models", "forest,knn", "--kind", "classification"]
    out = json.loads(run(*command, "--format", "json"))
    first = out["pairs"][0]
    assert first["counts"] == {"both_right": 3, "right_wrong": 2, "wrong_right": 1, "both_wrong": 0}
    assert first["measures"]["comparative_deviation"] == 1 / 3
    assert out["scores"]["knn"]["accuracy"] == 4 / 6
    table = run(*command)
    assert "Each model against the truth" in table
    assert "Head to head, over instances" in table
    assert table.startswith(
        "By values that are not tested, forest is ahead by Accuracy (+0.167: 0.833 against 0.667)"
    )
    assert (
        "Careful: nothing says whether these differences are more than chance: pass --confidence 0.95."
        in table
    )
    assert "both right: number of instances" not in table
    assert "both right: number of instances" in run(*command, "--legend")
    rows = list(csv.DictReader(io.StringIO(run(*command, "-f", "csv"))))
    assert float(rows[0]["accuracy_difference"]) == pytest.approx(1 / 6)
    assert [(row["primary"], row["alternative"]) for row in rows] == [("forest", "knn"), ("knn", "forest")]
    assert "| forest | knn | 3 | 2 | 1 | 0 |" in run(*command, "-f", "markdown")


def test_compare_clusterings_with_scores(run):
    command = shlex.split("compare t.csv --truth label --models kmeans --models dbscan --kind clustering")
    out = json.loads(run(*command, "--noise", "singletons", "--indices", "rand,nmi", "-f", "json"))
    expected = adjudge.compare(
        TRUTH,
        {"kmeans": KMEANS, "dbscan": [0, 0, -1, 1, -1, 1]},
        kind="clustering",
        noise="singletons",
        indices=["rand", "nmi"],
    )
    assert out["scores"] == expected.scores
    assert out["pairs"][0]["counts"] == expected["kmeans", "dbscan"].to_dict()["counts"]


def test_compare_one_model_has_scores_alone(run):
    out = run("compare", "t.csv", "--truth", "label", "--models", "knn", "--kind", "classification")
    assert "accuracy" in out
    assert "Head to head" not in out


def test_compare_tells_the_kind_from_the_labels(run, shell):
    captured = shell("compare t.csv --truth label --models forest,knn -f json")
    assert json.loads(captured.out)["of"] == "classification"
    assert captured.err.splitlines()[-1].startswith("adjudge: judged as classes, because ")
    clusters = ["compare", "t.csv", "--truth", "label", "--models", "kmeans,dbscan"]
    assert "or pass --kind clustering" in run(*clusters, code=2)
    for words in (["--noise", "singletons"], ["--indices", "rand"], ["--adjust"]):
        assert json.loads(run(*clusters, *words, "-f", "json"))["of"] == "clustering"


def test_compare_does_not_guess_from_numbers(run):
    assert run("compare", "t.csv", "--truth", "kmeans", "--models", "dbscan", code=2) == (
        "labels such as 0, 1 may be classes or numbers of clusters: pass --kind classification or --kind clustering"
    )


@pytest.mark.parametrize("columns", ["40", "80", "100", "120", "200"])
def test_a_terminal_of_any_width_shows_whole_numbers(run, monkeypatch, columns):
    command = ["compare", "t.csv", "--truth", "label", "--models", "forest,knn", "--kind", "classification"]
    plain = run(*command, "--confidence", "0.95")
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    shown = re.findall(r"[-+.\w]+", run(*command, "--confidence", "0.95"))
    numbers = [word for word in re.findall(r"[-+.\w]+", plain) if re.fullmatch(r"-?\d[\d.e-]*", word)]
    assert len(numbers) > 20
    for number in set(numbers):
        assert shown.count(number) >= numbers.count(number), number


def test_a_terminal_wraps_the_verdict_of_a_page(run, monkeypatch):
    command = ["report", "t.csv", "--truth", "label", "--models", "forest,knn", "--kind", "classification"]
    plain = run(*command)
    assert max(map(len, plain.splitlines()[:-1])) > 80
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    wrapped = run(*command)
    assert max(map(len, wrapped.splitlines()[:-1])) <= 80
    assert wrapped.split() == plain.split()


# indices, version, help


def test_indices(run):
    out = run("indices", "comparative")
    assert len(out.splitlines()) == 6
    listed = json.loads(run("indices", "-f", "json"))
    assert [r["name"] for r in listed] == [r.name for r in adjudge.list_indices()]
    assert all(r["meaning"] and r["reference"] for r in listed)
    rows = list(csv.DictReader(io.StringIO(run("indices", "external", "--search", "WALLACE", "-f", "csv"))))
    assert rows
    assert {row["kind"] for row in rows} == {"external"}
    assert "range      [-0.5, 1]" in run("indices", "ari")


def test_version_and_help(run):
    assert run("--version") == f"adjudge {adjudge.__version__}\n"
    for command in ("evaluate", "compare", "indices", "demo"):
        assert f"adjudge {command} " in run(command, "--help")
        assert command in run("-h")


@pytest.mark.full(keep=7)
@pytest.mark.parametrize("command", sorted(typer.main.get_command(app).commands))
def test_no_word_of_the_help_is_cut_at_80_columns(run, command):
    assert "…" not in run(command, "--help")


@pytest.mark.full(keep=6)
@pytest.mark.parametrize("command", sorted(typer.main.get_command(app).commands))
def test_the_help_is_short_and_names_every_option(run, command):
    out = run(command, "--help")
    assert len(out.splitlines()) < 155
    for option in typer.main.get_command(app).commands[command].params:
        if option.param_type_name == "option" and not option.hidden:
            assert option.opts[0] in out


def test_the_help_names_what_can_be_chosen():
    tried = 0
    for command in chain(*COMMANDS.values()):
        for option in inspect.signature(function_of(command)).parameters.values():
            of_type, *described = get_args(option.annotation) or [None]
            for one in (of_type, *get_args(of_type)):
                if isinstance(one, type) and issubclass(one, Enum):
                    tried += 1
                    assert all(choice.value in described[0].help for choice in one), (command, option.name)
    assert tried > 15


def test_the_help_lists_options_under_headings_with_their_defaults(run):
    out = run("evaluate", "--help")
    headings = re.findall(r"^╭─ (.+?) ─", out, flags=re.MULTILINE)
    assert headings[:3] == ["Arguments", "What is judged", "Classifiers"]
    assert headings[-1] == "Output"
    assert "Options" not in headings
    words = " ".join(re.sub("[│╭╮╰╯─]", " ", out).split())
    assert "Distance of points as SciPy names it, or gower (default euclidean)." in words
    assert "--help -h Show this message and exit." in words[words.index("--debug") :]


def test_no_arguments_show_the_help(shell):
    captured = shell("", code=2)
    assert "Usage: adjudge" in captured.out
    assert captured.err == ""


# Names of columns


def test_a_column_whose_name_has_a_comma(run):
    Path("commas.csv").write_text('"a,b",a,b,t\n1,2,3,1\n1,2,4,2\n')

    def judged(*options: str) -> list[str]:
        out = run("evaluate", "commas.csv", "--truth", "t", *options, "--indices", "rand", "-f", "json")
        return list(json.loads(out)["evaluations"])

    assert judged("--pred", "a,b") == ["a,b"]
    assert judged("--pred", "b,a") == ["b", "a"]
    assert judged("--pred", '"a,b",a', "--pred", "b") == ["a,b", "a", "b"]
    assert judged("--pred", "a", "--pred", "a,b") == ["a", "a,b"]


def test_split_list():
    assert split_list(["a,b", " c ", "a"]) == ["a", "b", "c"]
    assert split_list(None) == []
    assert split_list(["a", "b,a"]) == ["a", "b"]
    assert split_list(['"a, b", c']) == ["a, b", "c"]
    for bad in (["a,,b"], ["", "a"], ['"a']):
        with pytest.raises(InputError, match="list"):
            split_list(bad)


def test_split_names():
    assert split_names(["a,b"], ["a,b"]) == ["a,b"]
    assert split_names(["a,b", "c"], []) == ["a", "b", "c"]
    with raises_line(InputError, "'a' is named twice in 'a,b,a': name it once"):
        split_names(["a,b", "a"], [])


def test_blanks_around_headings(run):
    Path("blanks.csv").write_text("t, p\n1,2\n2,3\n")
    assert "rand   1.0000" in run("evaluate blanks.csv --truth t --pred p --indices rand")


# Errors

EVALUATE = ["evaluate", "t.csv", "--truth", "label", "--pred", "kmeans"]


@pytest.mark.full(keep=7)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["evaluate"], "Missing argument 'FILE' ('adjudge evaluate --help' shows how)"),
        (["bogus"], "No such command 'bogus' ('adjudge --help' shows how)"),
        (["evaluate", "t.csv", "--bogus"], None),
        (["evaluate", "no.csv", "--pred", "a"], "there is no file 'no.csv'"),
        (["evaluate", "tt.csv"], "there is no file 'tt.csv': did you mean 't.csv'?"),
        (["evaluate", "."], "'.' is a folder: name a file in it"),
        (["evaluate", "t.csv"],
         "nothing to judge: name columns with --pred (against --truth) or --labels (from points)"),
        (["evaluate", "t.csv", "--pred", "kmeans"],
         "--pred is judged against the truth: name its column with --truth, or use --labels"),
        ([*EVALUATE, "--labels", "dbscan"],
         "give --pred (against the truth) or --labels (from the points), not both: --labels beside --truth "
         "is judged in both ways"),
        ([*EVALUATE, "--standardize"],
         "--standardize is an option for points: name the labels with --labels, not --pred"),
        (["evaluate", "t.csv", "--truth", "label", "--pred", "label"],
         "'label' is the truth: name other columns to be judged"),
        (["evaluate", "t.csv", "--truth", "label", "--pred", "KMEANS"],
         "'t.csv' has no column 'KMEANS': did you mean 'kmeans'? It has 'x', 'y', 'label', 'forest', 'knn', "
         "'kmeans', 'dbscan'"),
        (["evaluate", "t.csv", "--truth", "label", "--pred", "kmean"],
         "'t.csv' has no column 'kmean': did you mean 'kmeans'? It has 'x', 'y', 'label', 'forest', 'knn', "
         "'kmeans', 'dbscan'"),
        ([*EVALUATE, "--indices", "xyzzy"], "no index is called 'xyzzy': 'adjudge indices' lists them all"),
        (["plan", "t.csv", "--labels", "kmeans", "--workers", "2"],
         "No such option: --workers: --n-jobs does this ('adjudge plan --help' shows how)"),
        (["indices", "internl"], "'internl' is not a kind of index: did you mean internal?"),
        (["compare", "t.csv", "--scores", "x"],
         "No such option: --scores: decision values are judged in Python, as scores=; --probabilities reads "
         "probabilities ('adjudge compare --help' shows how)"),
        (["choose-k", "t.csv", "--metric", "cosine"],
         "No such option: --metric: the criteria are for Euclidean distances; 'adjudge choose' compares columns of "
         "labels by others ('adjudge choose-k --help' shows how)"),
        ([*EVALUATE, "--strata", "x"],
         "No such option: --strata: strata are not known; let --weight name the inverse of each row's chance to be "
         "drawn, with --weights importance (--by judges groups apart) ('adjudge evaluate --help' shows how)"),
        ([*EVALUATE, "--nodata", "255"],
         "No such option: --nodata: empty the cells of a label that stands for none; --missing drop leaves them out "
         "('adjudge evaluate --help' shows how)"),
        ([*EVALUATE, "--counts", "x"],
         "No such option: --counts: --weight COL --weights frequency does this ('adjudge evaluate --help' shows how)"),
        (["gate", "t.csv", "--truth", "label", "--pred", "kmeans"],
         "No such option: --pred: --old and --new name the columns of the models, --prediction that of both with "
         "--against ('adjudge gate --help' shows how)"),
        ([*EVALUATE, "--indices", "silhouette"],
         "silhouette needs points: give --labels and --columns"),
        ([*EVALUATE, "--indices", "accuracy"], "accuracy scores classifiers: pass --kind classification"),
        ([*EVALUATE, "--indices", "polarization"], "polarization compares two models: use 'adjudge compare'"),
        ([*EVALUATE, "--indices", "rand,,ari"], "an empty name in the list 'rand,,ari'"),
        (["evaluate", "t.csv", "--labels", "kmeans", "--columns", "x", "--indices", "rand"],
         "rand needs true labels and predicted labels: give --truth and --pred"),
        (["evaluate", "t.csv", "--labels", "kmeans", "--columns", "label"],
         "'t.csv', column 'label' has 'cat', which is not a finite number, in row 1 after the header: "
         "fill in or leave out such rows, or choose other columns"),
        (["evaluate", "t.csv", "--labels", "kmeans", "--columns", "x", "--metric", "bogus", "--indices", "dunn"], None),
        ([*EVALUATE, "--kind", "classification"],
         "column 'kmeans' has labels such as '0', but none of the labels of column 'label', such as 'cat': "
         "pass --kind clustering, or use the same labels in both"),
        ([*EVALUATE, "--noise", "drop", "--noise-label", "outlier"],
         "--noise-label 'outlier' is not among the labels: leave it out, or correct it"),
        (["evaluate", "t.csv", "--truth", "kmeans", "--pred", "dbscan", "--noise", "drop", "--noise-label", "o"],
         "--noise-label 'o' is text, but the labels are numbers"),
        ([*EVALUATE, "--format", "xml"],
         "Invalid value for '--format' / '-f': 'xml' is not one of 'table', 'json', 'csv', 'markdown', 'latex' "
         "('adjudge evaluate --help' shows how)"),
        ([*EVALUATE, "-o", "no/such.json"], None),
        ([*EVALUATE, "-o", "."], "cannot write '.': it is a folder; name a file in it"),
        ([*EVALUATE, "-o", "t.csv"], "--output t.csv is a file that is read: name another one"),
        (["compare", "t.csv", "--models", "knn"], "the truth is missing: name its column with --truth"),
        (["compare", "t.csv", "--truth", "label"], "the models are missing: name their columns with --models"),
        (["compare", "t.csv", "--truth", "label", "--models", "knn,label"],
         "'label' is the truth: name other columns to be judged"),
        (["compare", "t.csv", "--truth", "label", "--models", "knn", "--kind", "classification", "--noise", "drop"],
         None),
        (["indices", "xyzzy"],
         f"'xyzzy' is not a kind of index ({', '.join(KINDS)}), and no index is called "
         "'xyzzy': 'adjudge indices' lists them all"),
        (["indices", "--search", "qqq"], "no index mentions 'qqq': 'adjudge indices' lists them all"),
        (["demo", "-o", "no/such.html"], None),
    ],
)  # fmt: skip
def test_error(run, arguments, message):
    found = run(*arguments, code=2)
    assert message is None or found == message


def test_no_points_are_left(run):
    Path("labels.csv").write_text("a\n1\n2\n")
    assert run("evaluate", "labels.csv", "--labels", "a", code=2) == (
        "'labels.csv' has no numeric columns except labels: there are no points"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a;b\n1;2,5\n2;3,5\n", "'b' has decimal commas: --decimal , reads it, or name the coordinates"),
        (
            "a,b\n1,x\n2,y\n",
            "there are no points: 'table.csv', column 'b' has 'x', which is not a finite number",
        ),
        ("a,b\n", "'table.csv' has a header and no rows"),
    ],
)
def test_why_there_are_no_points_is_said(run, text, why):
    Path("table.csv").write_text(text)
    assert run("evaluate", "table.csv", "--labels", "a", code=2).startswith(why)


def test_debug_shows_the_traceback(shell):
    for arguments in (
        [*EVALUATE, "--indices", "xyzzy", "--debug"],
        ["--debug", *EVALUATE, "--indices", "xyzzy"],
    ):
        captured = shell(*arguments, code=2)
        assert "Traceback" in captured.err
        assert captured.err.endswith(
            "adjudge: no index is called 'xyzzy': 'adjudge indices' lists them all\n"
        )


def test_unexpected_error_is_one_line_too(run, monkeypatch):
    def fail(*given):
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr("adjudge.verbs.evaluated.evaluated", fail)
    assert run(*EVALUATE, code=1) == "unexpected RuntimeError: first line second line (--debug shows where)"

    def exhaust(*given):
        raise MemoryError

    monkeypatch.setattr("adjudge.verbs.evaluated.evaluated", exhaust)
    assert run(*EVALUATE, code=1) == "out of memory: read fewer columns or fewer rows"

    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr("adjudge.verbs.evaluated.evaluated", interrupt)
    assert run(*EVALUATE, code=130) == "interrupted"


def test_messages_are_one_printable_line(run):
    Path("esc.csv").write_text('"a\x1b[31m",b\n1,2\n')
    message = run("evaluate", "esc.csv", "--truth", "x", "--pred", "b", code=2)
    assert "\x1b" not in message
    assert printable("a\x1bb\nc\u202e") == "a\\x1bb\nc\\u202e"
    assert one_line("a\nb  c") == "a b c"
    names = {"labels": "'k'", "labels_true": r"'t\1'"}
    error = InputError(Argument("labels"), " has 2, ", Argument("labels_true"), " has 3")
    assert one_line(error, names) == r"'k' has 2, 't\1' has 3"


# Output files


def test_output_is_written_in_the_form_that_its_name_says(run):
    for name, start in {
        "o.json": "{",
        "o.csv": "column,index",
        "o.md": "### 6 inst",
        "o.txt": "6 inst",
    }.items():
        assert run(*EVALUATE, "--indices", "rand", "--output", name) == ""
        assert Path(name).read_text().startswith(start)
    run(*EVALUATE, "--indices", "rand", "--output", "o.txt", "--format", "json")
    json.loads(Path("o.txt").read_text())
    run(*EVALUATE, "--output", "o.csv", "--format", "json", code=2)
    assert Path("o.csv").read_text().startswith("column,index")
    assert {p.name for p in Path().iterdir()} == {"t.csv", "o.json", "o.csv", "o.md", "o.txt"}


def test_output_is_untouched_on_error(run):
    Path("o.json").write_text("old")
    for wrong in (["--indices", "xyzzy"], ["--kind", "classification"], ["--missing", "no"]):
        run(*EVALUATE, *wrong, "-o", "o.json", code=2)
    assert Path("o.json").read_text() == "old"
    assert {p.name for p in Path().iterdir()} == {"t.csv", "o.json"}


def test_write_atomically_keeps_the_old_file_when_writing_fails(monkeypatch):
    path = Path("o.txt")
    path.write_text("old")

    def half(stream):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"cannot write 'o.txt': No space left on device"):
        write_atomically("o.txt", half)

    def refuse(*names):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic.os, "replace", refuse)
    with pytest.raises(InputError, match=r"cannot write 'o.txt': Permission denied"):
        write_atomically(path, "new")
    assert path.read_text() == "old"
    assert {p.name for p in Path().iterdir()} == {"t.csv", "o.txt"}


def test_files_are_written_together_or_not_at_all():
    for name in ("a.txt", "b.txt"):
        Path(name).write_text("old")

    def half(stream):
        stream.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match=r"cannot write 'b.txt': No space left on device"):
        write_together([("a.txt", "new"), ("b.txt", half)])
    assert [Path(name).read_text() for name in ("a.txt", "b.txt")] == ["old", "old"]
    assert {p.name for p in Path().iterdir()} == {"t.csv", "a.txt", "b.txt"}
    assert write_together([("a.txt", "new"), ("b.txt", b"new")]) == [
        Path("a.txt").resolve(),
        Path("b.txt").resolve(),
    ]
    assert [Path(name).read_text() for name in ("a.txt", "b.txt")] == ["new", "new"]


def test_write_atomically_keeps_permissions_and_links():
    path = Path("o.txt")
    path.write_text("old")
    path.chmod(0o640)
    Path("link.txt").symlink_to("o.txt")
    write_atomically("link.txt", "new é")
    assert Path("link.txt").is_symlink()
    assert path.read_text(encoding="utf-8") == "new é"
    assert path.stat().st_mode & 0o777 == 0o640
    mask = os.umask(0o027)
    try:
        write_atomically("fresh.bin", b"\0")
    finally:
        os.umask(mask)
    assert Path("fresh.bin").stat().st_mode & 0o777 == 0o640


def test_write_to_what_is_no_file():
    assert write_atomically("/dev/null", "x") == Path("/dev/null")


def test_check_writable(monkeypatch):
    with pytest.raises(InputError, match="there is no folder"):
        check_writable("no/such/file")
    monkeypatch.setattr(atomic.os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match="is not writable"):
        check_writable("o.txt")


# As a process


def process(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        **options,
    )


@pytest.mark.full
def test_process_exit_codes():
    good = process(*EVALUATE, "--indices", "rand")
    assert (good.returncode, good.stderr) == (0, "")
    bad = process(*EVALUATE, "--indices", "xyzzy")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "adjudge: no index is called 'xyzzy': 'adjudge indices' lists them all\n"


@pytest.mark.full
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_process_in_any_locale(encoding):
    Path("é.csv").write_text("wahr,schätzung\nü,1\nö,2\n", encoding="utf-8")
    command = ["evaluate", "é.csv", "--truth", "wahr", "--pred", "schätzung", "--indices", "rand"]
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": encoding}
    found = process(*command, env=environment)
    assert found.returncode == 0, found.stderr
    assert ("schätzung" if encoding == "utf-8" else "sch\\xe4tzung") in found.stdout
    wrong = process(*command[:-1], "nöpe", env=environment)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)


def test_an_interrupted_run_says_how_it_goes_on(run, monkeypatch):
    def interrupt(*given):
        Path("work.npz").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("adjudge.verbs.evaluated.evaluated", interrupt)
    asked = ["evaluate", "t.csv", "--labels", "kmeans", "--columns", "x,y", "--checkpoint", "work.npz"]
    assert run(*asked, code=130) == "interrupted: the same command goes on from work.npz"


def test_the_line_of_work_says_how_long_the_rest_takes(monkeypatch):
    now, lines = [0.0], []
    monkeypatch.setattr("adjudge.cli.output.time.monotonic", lambda: now[0])
    progress = share_done(lines.append, "Judging a")
    # A run that goes on where another stopped, at a half.
    for seconds, done in ((0, 50), (5, 51), (20, 60), (3600, 62)):
        now[0] = seconds
        progress("distances", done, 100)
    assert lines == [
        "Judging a: distances, 50%",
        "Judging a: distances, 51%",
        "Judging a: distances, 60%, 80 s left",
        "Judging a: distances, 62%, 3.2 h left",
    ]
    share_done(lines.append)("fits", 1, 2)
    assert lines[-1] == "Fits: 50%"


def test_long_work_away_from_a_terminal_writes_few_lines(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr("adjudge.cli.output.time.monotonic", lambda: now[0])
    with show_work("Judging a") as update:
        told = []
        for seconds in range(1, 3601):
            now[0] = float(seconds)
            update(f"{seconds} s")
            if capsys.readouterr().err == f"adjudge: {seconds} s\n":
                told.append(seconds)
    assert told == [10, 20, 40, 80, 160, 320, 640, 1240, 1840, 2440, 3040]


@pytest.mark.full
def test_process_is_interrupted():
    code = (
        "import sys, time; from adjudge.cli import main; from adjudge.verbs import evaluated\n"
        "def slow(*given): print('ready', flush=True); time.sleep(60)\n"
        f"evaluated.evaluated = slow; sys.exit(main({EVALUATE!r}))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=30)
    assert (running.returncode, errors) == (130, "adjudge: interrupted\n")


@pytest.mark.full
def test_process_whose_reader_leaves():
    command = f"'{sys.executable}' -m adjudge indices -f json | head -1; exit ${{PIPESTATUS[0]}}"
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120)
    assert found.stderr == ""
    assert found.stdout == "[\n"


def test_help_imports_no_heavy_library():
    code = (
        "import sys; from adjudge.cli import main; main(['--help']); "
        "heavy = ('sklearn', 'polars', 'pandas', 'matplotlib'); "
        "print(*(m for m in heavy if m in sys.modules), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.stderr == "\n"


@pytest.mark.full
def test_a_command_imports_no_other_command_and_no_index_of_another_kind():
    code = (
        f"import sys; from adjudge.cli import main; main({[*EVALUATE, '--kind', 'clustering']!r}); "
        "others = ('cli.gate', 'cli.benchmark', 'indices.separation', 'indices.raters'); "
        "print(*(m for m in others if 'adjudge.' + m in sys.modules), file=sys.stderr)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.stdout.startswith("6 instances")
    assert found.stderr.splitlines()[-1] == ""


def test_an_ending_that_is_no_format_is_refused(run):
    command = [*EVALUATE, "--indices", "rand"]
    assert run(*command, "-o", "out.xlsx", code=2) == (
        "--output 'out.xlsx' must end in one of .txt, .json, .csv, .md, .markdown, .tex: "
        "give the --format, or rename it"
    )
    assert not Path("out.xlsx").exists()
    run(*command, "-o", "out.xlsx", "-f", "csv")
    assert Path("out.xlsx").read_text().startswith("column,index,value")
    for name in ("out", "out.txt"):
        run(*command, "-o", name)
        assert Path(name).read_text().startswith("6 instances")


def test_coordinates_are_named_alike_in_all_commands(run):
    points = ["--labels", "kmeans", "--indices", "trace_w"]
    assert run("evaluate", "t.csv", *points, "--features", "x,y") == run(
        "evaluate t.csv", *points, "--columns", "x,y"
    )
    planned = run("plan", "t.csv", "--labels", "kmeans", "--features", "x", "--indices", "trace_w")
    assert planned.startswith("6 points, 1 variables, ")


@pytest.mark.parametrize("name", ["", "id", "Unnamed: 0", "index"])
def test_row_numbers_are_no_coordinates(shell, name):
    rows = [f"{i},{x},{x % 3},{x // 3}" for i, x in enumerate([0, 1, 2, 10, 11, 12])]
    Path("numbered.csv").write_text("\n".join([f"{name},x,y,c", *rows]))
    asked = ["numbered.csv", "--labels", "c", "--indices", "trace_w"]
    said = shell("evaluate", *asked).err
    shown = repr(name) if name else "the column without a name"
    assert f"adjudge: {shown} looks like an identifier, so it is left out" in said
    assert "adjudge: points from x, y: --columns chooses others" in said
    if name:
        assert "identifier" not in shell("evaluate", *asked, "--columns", f"x,{name}").err


def test_packages_add_commands(monkeypatch, run, shell):
    def hello(name: str) -> None:
        """Greet somebody."""
        print(f"hello {name}")

    def found(group):
        lost = EntryPoint("lost", "there_is_no_such_package:command", group)
        own = EntryPoint("evaluate", "os:getcwd", group)
        return [lost, own, EntryPoint("hello", f"{__name__}:greeting", group)]

    monkeypatch.setattr("importlib.metadata.entry_points", found)
    monkeypatch.setitem(globals(), "greeting", hello)
    assert run("hello world") == "hello world\n"
    shown = run("--help")
    assert "Greet somebody" in shown
    assert "lost" not in shown
    # A command of the program stays what it is, and one that is not installed says what to install.
    assert "there is no file 'nowhere.csv'" in run("evaluate nowhere.csv", code=2)
    assert shell("reproduce", code=2).err == (
        "adjudge: published experiments are a package of their own: pip install adjudge-papers\n"
    )
