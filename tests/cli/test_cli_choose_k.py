"""The command adjudge choose-k."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(m, 0.3, size=(25, 2)) for m in (0, 4, 8)])
    lines = ["x,y,wide,name", *(f"{a},{b},{1000 * rng.normal()},p" for a, b in X)]
    Path("points.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_table_says_what_the_library_says(run):
    out = run("choose-k points.csv", "--columns", "x,y", "--k", "2:5")
    assert "it has the votes of all 5 criteria of the verdict" in out
    silhouette = next(line for line in out.splitlines() if line.startswith("silhouette "))
    X = np.loadtxt("points.csv", delimiter=",", skiprows=1, usecols=(0, 1))
    choice = adjudge.choose_k(X, k=range(2, 6), random_state=0, indices="all")
    assert silhouette.split()[-4:] == [f"{choice.values['silhouette'][k]:.4f}" for k in range(2, 6)]


def test_json_is_the_result(run):
    read = json.loads(run("choose-k points.csv --columns x,y --k 2,3,4 --format json --n-resamples 3"))
    assert read["k"] == 3
    assert read["ks"] == [2, 3, 4]
    assert read["columns"] == ["x", "y"]
    assert read["confidence"] == {"2": 0.0, "3": 1.0, "4": 0.0}


def test_standardize_lets_every_column_count(run):
    command = ["points.csv", "--k", "2:4", "--indices", "all", "--format", "json"]
    raw = json.loads(run("choose-k", *command))
    scaled = json.loads(run("choose-k", *command, "--standardize"))
    assert raw["columns"] == scaled["columns"] == ["x", "y", "wide"]
    assert scaled["standardized"]
    assert max(scaled["probability"], key=scaled["probability"].get) == "3"
    assert raw["values"]["trace_w"]["2"] > 1000 * scaled["values"]["trace_w"]["2"]


def test_several_estimators_and_more_criteria(run):
    out = run(
        "choose-k",
        *(
            "points.csv",
            "--columns",
            "x,y",
            "--k",
            "2:4",
            "--estimator",
            "kmeans,ward",
            "--indices",
            "ch,duda,gap",
        ),
        *("--format", "csv"),
        code=2,
    )
    assert "duda needs a hierarchy" in out
    out = run(
        "choose-k",
        *("points.csv", "--columns", "x,y", "--k", "2:4", "--estimator", "average", "--estimator", "ward"),
        *("--indices", "ch,duda", "--stability", "2", "--format", "csv"),
    )
    rows = [line.split(",") for line in out.splitlines()]
    assert rows[0] == ["estimator", "criterion", "family", "vote", "2", "3", "4"]
    assert {(row[0], row[1], row[3]) for row in rows[1:]} == {
        (e, c, "3") for e in ("average", "ward") for c in ("calinski_harabasz", "duda")
    }


def test_warnings_are_shown(capsys):
    noise = "\n".join(f"{a},{b}" for a, b in np.random.default_rng(0).normal(size=(150, 2)))
    Path("noise.csv").write_text("x,y\n" + noise + "\n")
    assert main(["choose-k", "noise.csv", "--k", "2:4"]) == 0
    captured = capsys.readouterr()
    assert "adjudge: evidence against clusters" in captured.err
    assert main(["choose-k", "noise.csv", "--k", "3", "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert "give several to --k" in captured.err
    codes = [own["code"] for own in json.loads(captured.out)["warnings"]]
    assert codes[:2] == ["points-from", "one-candidate"]


@pytest.mark.full
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_plot_is_drawn(run, ending):
    pytest.importorskip("matplotlib")
    run("choose-k points.csv --columns x,y --k 2:4 --indices ch,asw --plot", f"votes.{ending}")
    start = Path(f"votes.{ending}").read_bytes()[:8]
    assert start.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending])


@pytest.mark.full(keep=4)
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["points.csv", "--k", "10:2"], "--k '10:2' is empty: write the smaller number first"),
        (["points.csv", "--k", "two"], "--k 'two' is not a list of numbers: write 2:10, or 2,3,5"),
        (["points.csv", "--k", "2:100"], "--k 75 is out of range: 75 points"),
        (["points.csv", "--estimator", "dbscan"], "--estimator dbscan is not known"),
        (["points.csv", "--indices", "jaccard"], "jaccard is of kind 'external'"),
        (["points.csv", "--plot", "votes.txt"], "--plot 'votes.txt' must end in one of .png, .svg, .pdf"),
        (["points.csv", "--columns", "z"], "'z'"),
        (["none.csv"], "none.csv"),
        (["points.csv", "--output", "points.csv"], "--output points.csv is a file that is read"),
    ],
)
def test_errors_are_one_line_and_leave_files_alone(run, arguments, message):
    before = Path("points.csv").read_bytes()
    Path("out.json").write_text("old")
    assert message in run(
        "choose-k", *arguments, *(["--output", "out.json"] if "--output" not in arguments else []), code=2
    )
    assert Path("out.json").read_text() == "old"
    assert Path("points.csv").read_bytes() == before


def test_the_page(run, folder):
    out = run("choose-k points.csv", "--columns", "x,y", "-k", "2:5", "--report", "page.html")
    assert out.startswith("There are clusters: 3, with a probability of ")
    assert "Two halves of the points agree on clusters, by " in out
    assert "typical row" in out
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "There are clusters: 3, with a probability of " in page
    assert "points.csv: how many clusters?" in page
    assert "Typical instance" in page
    rng = np.random.default_rng(0)
    Path("noise.csv").write_text("x,y\n" + "\n".join(f"{a},{b}" for a, b in rng.normal(size=(90, 2))) + "\n")
    out = run("choose-k noise.csv", "-k", "2:5", "--report", "none.html", "--standardize")
    said = "No clusters on which two halves of the points agree; if you must split, "
    assert out.startswith(said)
    assert said in Path("none.html").read_text(encoding="utf-8")
    assert "nowhere" in run("choose-k noise.csv", "--report", "nowhere/page.html", code=2)


def test_python_and_the_shell_say_the_same_of_one_table(run):
    out = run("choose-k points.csv", "--columns", "x,y", "--k", "2:5")
    choice = adjudge.choose_k(pd.read_csv("points.csv")[["x", "y"]], k=range(2, 6), random_state=0)
    assert out.startswith(f"{choice.words.headline} {choice.words.because}")
    told = json.loads(run("choose-k points.csv", "--columns", "x,y", "--k", "2:5", "--format", "json"))
    plain = json.loads(json.dumps(choice.to_dict()))
    assert {name: told[name] for name in plain} == plain
