"""Public names: those of version 0.1 go on working, and whatever a public function returns is public, too."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.cli import main
from adjudge.deprecation import ENDS, FORMER_NAMES

TRUTH, MODEL = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("name", FORMER_NAMES)
def test_former_names_work_and_warn(name: str) -> None:
    new = FORMER_NAMES[name].new
    message = rf"^adjudge\.{name} is adjudge\.{new} now, and goes in {re.escape(ENDS)}$"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        found = getattr(adjudge, name)
    assert caught[0].filename == __file__
    assert callable(found)
    if not FORMER_NAMES[name].function:
        assert found is getattr(adjudge, new)
    assert name not in dir(adjudge)


def test_former_names_of_indices_find_them() -> None:
    for name, former in FORMER_NAMES.items():
        if former.new in {record.name for record in adjudge.list_indices()}:
            assert adjudge.find_index(name).name == former.new
    result = adjudge.evaluate(TRUTH, MODEL, indices=["hubert", "sos"])
    assert list(result) == ["pair_phi", "sokal_sneath3"]
    assert result["sos"] == result["sokal_sneath3"]


def test_former_functions_give_what_the_new_ones_give() -> None:
    X = [[0.0], [0.1], [0.2], [0.3], [0.4], [5.0], [5.1], [5.2], [5.3], [5.4]]
    labels = [0] * 5 + [1] * 5
    other = [0] * 4 + [1] * 6
    internal, clusterings, of_classifiers = map(
        _quietly, ("internal_intervals", "clustering_intervals", "classification_intervals")
    )
    assert internal(X, labels, ["silhouette"]) == adjudge.confidence_intervals(
        ["silhouette"], X=X, labels=labels
    )
    assert clusterings(labels, other, labels) == adjudge.comparison_intervals(
        labels, other, labels, kind="clustering"
    )
    agreement = adjudge.compare(labels, {"p": other, "q": labels}, kind="classification")["p", "q"].agreement
    assert of_classifiers(agreement) == adjudge.comparison_intervals(
        labels, other, labels, kind="classification"
    )


def _quietly(name: str) -> Any:
    with pytest.warns(DeprecationWarning, match=name):
        return getattr(adjudge, name)


def test_intervals_say_what_is_missing() -> None:
    with pytest.raises(
        adjudge.InputError, match="nothing to judge: give labels_true= and labels_pred=, or X= and"
    ):
        adjudge.confidence_intervals(["rand"])
    with pytest.raises(adjudge.InputError, match="labels= is missing: X= needs the labels to be judged"):
        adjudge.confidence_intervals(["silhouette"], X=[[0.0], [1.0]])
    with pytest.raises(adjudge.InputError, match="rand compares with the truth: leave X= out"):
        adjudge.confidence_intervals(["rand"], X=[[0.0], [1.0]], labels=[0, 1])
    with pytest.raises(adjudge.InputError, match="method='bca' is an option for clusterings: leave it out"):
        adjudge.comparison_intervals(TRUTH, MODEL, TRUTH, kind="classification", method="bca")


def _told(function: Any, *args: Any, match: str, **options: Any) -> Any:
    with pytest.warns(DeprecationWarning, match=rf"^{match} now, and goes in {re.escape(ENDS)}$") as caught:
        found = function(*args, **options)
    assert caught[0].filename == __file__
    return found


def test_former_options_work_and_warn() -> None:
    models = {"one": MODEL, "two": [0, 0, 0, 1, 1, 2]}
    old = _told(
        adjudge.compare,
        TRUTH,
        models,
        kind="clustering",
        scores=["rand"],
        match=r"compare\(scores=\) is indices=",
    )
    assert old.to_dict() == adjudge.compare(TRUTH, models, kind="clustering", indices=["rand"]).to_dict()
    table = pd.DataFrame({"truth": TRUTH, **models})
    frame = _told(
        adjudge.compare_table,
        table,
        "truth",
        kind="clustering",
        scores="rand",
        match=r"compare_table\(scores=\) is indices=",
    )
    assert frame.scores == old.scores
    X = np.random.default_rng(0).normal(size=(60, 2))
    labels = (X[:, 0] > 0).astype(int)
    given = {"X": X, "labels": labels, "indices": "silhouette", "random_state": 0}
    quick = _told(adjudge.evaluate, **given, sample=20, match=r"evaluate\(sample=\) is sample_size=")
    assert quick.values == adjudge.evaluate(**given, sample_size=20).values
    planned = _told(adjudge.plan, 100, 2, 3, workers=4, match=r"plan\(workers=\) is n_jobs=")
    assert planned.workers == 4
    given = {"k": [2, 3], "random_state": 0, "indices": ["silhouette"]}
    choice = _told(
        adjudge.choose_k, X, **given, confidence=4, match=r"choose_k\(confidence=\) is n_resamples="
    )
    assert choice.confidence == adjudge.choose_k(X, **given, n_resamples=4).confidence


def test_an_option_is_not_given_by_both_its_names() -> None:
    with pytest.raises(
        adjudge.AdjudgeError, match="scores= and indices=, which are one option: leave scores= out"
    ):
        adjudge.compare(TRUTH, {"m": MODEL}, kind="clustering", scores="rand", indices="rand")


def test_former_options_of_a_report(tmp_path: Path) -> None:
    models = {"one": MODEL, "two": [0, 0, 0, 1, 1, 2]}
    X = np.random.default_rng(0).normal(size=(6, 2))
    given = {"kind": "clustering", "X": X, "output": tmp_path / "page.html", "adjust": False}

    def shown(made: adjudge.Report) -> tuple[list[str], list[str] | None]:
        (section,) = made.page["sections"]
        scores = [record["name"] for record in section["scores"]["records"]]
        return scores, section["criteria"] and [row["name"] for row in section["criteria"]["rows"]]

    default = shown(adjudge.report(TRUTH, models, **given))
    old = {"scores": ["rand"], "criteria": ["dunn"]}
    one = r"report\(criteria=\) is indices="
    assert shown(_told(adjudge.report, TRUTH, models, **given, criteria=["dunn"], match=one)) == (
        default[0],
        ["dunn"],
    )
    assert shown(_told(adjudge.report, TRUTH, models, **given, criteria=None, match=one)) == (
        default[0],
        None,
    )
    other = r"report\(scores=\) is indices="
    assert shown(_told(adjudge.report, TRUTH, models, **given, scores=["rand"], match=other)) == (
        ["rand"],
        default[1],
    )
    with pytest.warns(DeprecationWarning, match="is indices= now"):
        assert shown(adjudge.report(TRUTH, models, **given, **old)) == (["rand"], ["dunn"])
    assert shown(adjudge.report(TRUTH, models, **given, indices=["dunn", "rand"])) == (["rand"], ["dunn"])
    assert shown(adjudge.report(TRUTH, models, **given, indices="rand")) == (["rand"], default[1])
    assert shown(adjudge.report(TRUTH, models, **given, indices=None)) == (default[0], None)
    with pytest.raises(adjudge.InputError, match="rand compares with the truth: give labels_true"):
        adjudge.report(None, models, X=X, indices="rand", output=given["output"])


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        (
            "--scores",
            "--indices",
            ["compare", "t.csv", "--truth", "t", "--models", "m", "--kind", "clustering"],
        ),
        ("--sample", "--sample-size", ["evaluate", "x.csv", "--labels", "m", "--seed", "1"]),
        ("--confidence", "--n-resamples", ["choose-k", "x.csv", "--k", "2,3", "--indices", "silhouette"]),
        ("--workers", "--n-jobs", ["plan", "x.csv", "--labels", "m"]),
    ],
)
def test_former_flags_work_and_say_what_they_are_now(
    old: str, new: str, arguments: list[str], tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(40, 2)).round(3)
    (tmp_path / "x.csv").write_text("x,y,m\n" + "".join(f"{x},{y},{int(x > 0)}\n" for x, y in X))
    (tmp_path / "t.csv").write_text(
        "t,m\n" + "".join(f"{t},{m}\n" for t, m in zip(TRUTH, MODEL, strict=True))
    )
    value = "rand" if old == "--scores" else "20"
    assert main([*arguments, new, value, "--format", "json"]) == 0
    wanted = capsys.readouterr()
    assert main([*arguments, old, value, "--format", "json"]) == 0
    found = capsys.readouterr()
    # What a plan foretells depends on how fast this machine was just now.
    assert old == "--workers" or found.out == wanted.out
    assert f"adjudge: {old} is {new} now, and goes in {ENDS}\n" in found.err
    assert f"{old} is" not in wanted.err
    assert main([*arguments, old, value, new, value]) == 2
    assert f"adjudge: {old} and {new} are one option: leave {old} out" in capsys.readouterr().err
    assert main([arguments[0], "--help"]) == 0
    assert f" {old} " not in capsys.readouterr().out


def _classes() -> dict[str, type]:
    """All classes of the package by name, but for the programs that use it."""
    found: dict[str, type] = {}
    for module in pkgutil.walk_packages(adjudge.__path__, "adjudge."):
        if not module.name.startswith(("adjudge.cli", "adjudge.papers", "adjudge.__main__")):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, type) and value.__module__.startswith("adjudge"):
                    found[name] = value
    return found


def _functions(name: str) -> Iterator[tuple[str, FunctionType]]:
    """What can be called under a public name: a function, or methods and properties of a class."""
    value: Any = getattr(adjudge, name)
    if inspect.isfunction(value):
        yield name, value
        return
    own = value if isinstance(value, type) else type(value)
    for key, member in vars(own).items():
        if key == "__call__" or not key.startswith("_"):
            for attribute in ("fget", "func", "__func__"):
                member = getattr(member, attribute, None) or member
            if inspect.isfunction(member):
                yield f"{name}.{key}", member


def test_what_public_functions_return_is_public() -> None:
    # Statistics are for those who write indices: only those that an index of one's own may read are public.
    classes = {n: c for n, c in _classes().items() if not c.__module__.startswith("adjudge.statistics")}
    unknown = {
        f"{called} returns {word}"
        for name in adjudge._HOMES
        for called, function in _functions(name)
        for word in re.findall(r"\w+", str(function.__annotations__.get("return", "")))
        if word in classes and word not in adjudge._HOMES
    }
    assert not unknown
    assert {"Report", "TestResult", "RankTest", "Index"} <= set(adjudge._HOMES)
