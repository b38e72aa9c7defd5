"""Labels that are paths in a tree of classes, on the command line."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import adjudge

FRAME = pd.DataFrame(
    {
        "truth": ["food>fruit>apple", "food>fruit>pear", "toys>ball", "toys>kite"],
        "near": ["food>fruit>pear", "food>fruit>pear", "toys>ball", "toys>kite"],
        "far": ["toys>rope", "food>fruit>pear", "toys>ball", "toys"],
        "weight": [1, 2, 3, 4],
    }
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("t.csv", index=False)
    FRAME.to_parquet("t.parquet")
    FRAME.assign(near=["food", None, "toys", "toys"]).to_csv("gap.csv", index=False)


def asked(file: str = "t.csv", pred: str = "near,far") -> list[str]:
    return ["evaluate", file, "--truth", "truth", "--pred", pred, "--path-separator", ">"]


@pytest.mark.parametrize("file", ["t.csv", "t.parquet"])
def test_what_the_library_says(file: str, run: Callable[..., str]) -> None:
    paths = [own for name in ("truth", "near", "far") for own in FRAME[name]]
    kinds = adjudge.Taxonomy.from_paths(paths, separator=">")
    found = json.loads(run(*asked(file), "--format", "json", "--indices", "all"))
    for name in ("near", "far"):
        expected = adjudge.evaluate(FRAME["truth"], FRAME[name], taxonomy=kinds, indices="all")
        assert found["evaluations"][name]["values"] == expected.values
    assert run(*asked(file)).startswith("4 instances; truth: truth\nindex")


def test_a_saved_result_is_the_same(run: Callable[..., str]) -> None:
    run(*asked(pred="far"), "--confidence", "0.9", "--save", "far.adjudge")
    saved = adjudge.load("far.adjudge")
    assert saved["tree_distance"] == 1.5
    assert saved.details["accuracy_by_depth"].tolist() == [0.75, 0.5, 0.5]


def test_missing_labels(run: Callable[..., str]) -> None:
    assert run(*asked("gap.csv", "near"), code=2) == (
        "column 'near' has a missing label in row 2 of the data (1 in all): fill it in, or pass --missing drop to "
        "leave such instances out"
    )
    assert run(*asked("gap.csv", "near"), "--missing", "drop").startswith("3 instances")


def test_options_that_do_not_work_are_refused(run: Callable[..., str]) -> None:
    for options, message in [
        (("--weight", "weight"), "--weight does not work with --path-separator: leave it out"),
        (("--units", "weight"), "--units does not work with --path-separator: leave it out"),
        (("--by-cluster",), "--by-cluster does not work with --path-separator: leave it out"),
        (("--positive", "toys"), "--positive does not work with --path-separator: leave it out"),
        (("--kind", "clustering"), "labels beside a taxonomy are classes: leave out --kind clustering"),
        (("--indices", "rand"), "rand does not read a taxonomy: leave out --path-separator"),
    ]:
        assert run(*asked(), *options, code=2) == message
    assert run("evaluate t.csv --labels near --columns weight --path-separator >", code=2) == (
        "--columns does not work with --path-separator: leave it out"
    )
    assert (
        run(*asked()[:-1], "", code=2)
        == "--path-separator is empty: give the text between the names in a path"
    )


LEVELS = pd.DataFrame(
    [
        ("food", "fruit", "apple", "food", "fruit", "pear", "pear"),
        ("food", "fruit", "pear", "food", "fruit", "pear", "food/fruit"),
        ("food", "bread", None, "food", "bread", None, "bread"),
        ("toys", "ball", None, "toys", "kite", None, "kite"),
        ("toys", "kite", None, "food", "bread", None, "bread"),
    ],
    columns=["group", "kind", "item", "g", "k", "i", "guess"],
)


@pytest.mark.parametrize("file", ["l.csv", "l.parquet"])
def test_a_column_for_each_level(file: str, run: Callable[..., str]) -> None:
    LEVELS.to_csv("l.csv", index=False)
    LEVELS.to_parquet("l.parquet")
    truth, found = (
        ["/".join(row.dropna()) for _, row in LEVELS[names].iterrows()]
        for names in (["group", "kind", "item"], ["g", "k", "i"])
    )
    kinds = adjudge.Taxonomy.from_paths([*truth, *found])
    asked = ("evaluate", file, "--level", "group,kind,item", "--pred", "g/k/i,guess")
    said = json.loads(run(*asked, "--format", "json"))["evaluations"]
    for name, own in (("g/k/i", found), ("guess", LEVELS["guess"])):
        assert said[name]["values"] == adjudge.evaluate(truth, own, taxonomy=kinds).values
    text = run(*asked)
    assert text.startswith("5 instances; truth: group/kind/item")
    by_depth = text.partition("By depth (g/k/i)\n")[2].split("\n\n")[0]
    assert [line.split() for line in by_depth.splitlines()] == [
        ["depth", "accuracy", "precision", "f1"],
        ["1", "0.8000", "0.8000", "0.8000"],
        ["2", "0.6000", "0.6000", "0.6000"],
        ["3", "0.5000", "0.5000", "0.5000"],
    ]


def test_levels_that_cannot_be_read(run: Callable[..., str]) -> None:
    LEVELS.assign(odd=["a/b", *"cdef"]).to_csv("l.csv", index=False)
    pred = ("--pred", "guess")
    for options, message in [
        (("--level", "group", *pred), "--level needs at least two columns, the highest level first"),
        (("--level", "group,kind"), "--level has the true classes: name the predicted ones with --pred"),
        (
            ("--level", "group,kind", "--truth", "kind", *pred),
            "--level names the columns of the truth: leave out --truth",
        ),
        (
            ("--level", "item,kind", *pred),
            "column 'item' is empty in row 3 of the data, where a lower level is not: fill it in",
        ),
        (
            ("--level", "group,odd", *pred),
            "column 'odd' has 'a/b' in row 1 of the data: names of classes must have no '/'",
        ),
        (
            ("--level", "group,kind", *pred),
            "column 'guess' has the label 'pear', which the taxonomy lacks: add it, with the class above it",
        ),
        (
            ("--level", "group,kind", *pred, "--path-separator", ">"),
            "--path-separator does not work with --level: leave it out",
        ),
        (
            ("--level", "group,kind", *pred, "--kind", "multilabel"),
            "--kind does not work with --level: leave it out",
        ),
    ]:
        assert run("evaluate", "l.csv", *options, code=2) == message


def test_several_paths_in_a_cell(run: Callable[..., str]) -> None:
    truth = [{"animal/cat", "animal/dog"}, {"plant/oak"}, {"animal/dog"}]
    guess = [{"animal/cat"}, {"plant/oak", "animal/cat"}, set()]
    cells = [
        (";".join(sorted(own)), ";".join(sorted(found))) for own, found in zip(truth, guess, strict=True)
    ]
    pd.DataFrame(cells, columns=["truth", "guess"]).assign(w=1).to_csv("s.csv", index=False)
    asked = ("evaluate", "s.csv", "--truth", "truth", "--pred", "guess", "--path-separator", "/")
    found = json.loads(run(*asked, "--kind", "multilabel", "--format", "json"))["evaluations"]["guess"]
    kinds = adjudge.Taxonomy.from_paths(["animal/cat", "animal/dog", "plant/oak"])
    assert found["values"] == adjudge.evaluate(truth, guess, taxonomy=kinds, kind="multilabel").values
    assert found["values"]["hierarchical_precision"] == 4 / 6
    for options, message in [
        ("--kind overlapping", "--kind does not work with --path-separator: leave it out"),
        ("--kind multilabel --weight w", "--weight does not work with --path-separator: leave it out"),
    ]:
        assert run(*asked, *shlex.split(options), code=2) == message


GAPS = "kind,item,one,two\na,ax,a,ax\na,ay,b,\nb,bx,b,ax\nb,by,a,by\n"


def test_each_column_leaves_out_its_own_gaps(tmp_path: Path, run: Callable[..., str], shell: Any) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    asked = ["evaluate", str(path), "--level", "kind,item", "--indices", "hierarchical_f1", "-f", "json"]
    asked += ["--missing", "drop"]
    found = shell(*asked, "--pred", "one,two")
    assert "1 of the 4 rows is left out, without a label" in found.err
    for name, own in json.loads(found.out)["evaluations"].items():
        alone = json.loads(run(*asked, "--pred", name))["evaluations"][name]
        assert (own["n"], own["values"]) == (alone["n"], alone["values"])
    assert {own["n"] for own in json.loads(found.out)["evaluations"].values()} == {3, 4}


def test_columns_of_one_level_each_may_be_one_prediction(tmp_path: Path, run: Callable[..., str]) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text(GAPS)
    asked = ("evaluate", str(path), "--level", "kind,item", "--pred")
    message = run(*asked, "one,two", code=2)
    assert (
        "each column has classes of one level: did you mean --pred one/two? If not, pass --missing drop"
        in message
    )
    assert "did you mean" not in run(*asked, "two,one", code=2)
    path.write_text(GAPS.replace("b,\n", "b,ax\n"))
    run(*asked, "one,two")
