"""Labels that are paths in a tree of classes, on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

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
    assert run(
        "evaluate", "t.csv", "--labels", "near", "--columns", "weight", "--path-separator", ">", code=2
    ) == ("--labels does not work with --path-separator: leave it out")
    assert run(*asked()[:-1], "", code=2) == "separator='': give the text between the names in a path"
