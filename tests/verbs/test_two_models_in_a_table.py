"""Probabilities of two models in one table: one grammar at every verb and at the shell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.cli import main
from adjudge.errors import InputError

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 2, 200)
FRAME = pd.DataFrame(
    {
        "truth": TRUTH,
        **{
            f"p_{name}": np.clip(TRUTH * 0.3 + 0.7 * RNG.random(200) - own, 0, 1).round(3)
            for name, own in (("old", 0.1), ("new", 0.0))
        },
    }
)
GIVEN = ["p_*", ["p_old", "p_new"], {"old": "p_old", "new": "p_new"}]


@pytest.fixture
def path(tmp_path: Path) -> str:
    FRAME.to_csv(tmp_path / "two.csv", index=False)
    return str(tmp_path / "two.csv")


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("of_file", [False, True])
def test_each_verb_takes_each_way_to_name_them(path: str, given: Any, of_file: bool, tmp_path: Path) -> None:
    table = path if of_file else FRAME
    found = adjudge.compare(table, truth="truth", probabilities=given, indices="roc_auc")
    each = {name: adjudge.roc_auc(TRUTH, FRAME[f"p_{name}"]) for name in ("old", "new")}
    assert {name.removeprefix("p_"): own["roc_auc"] for name, own in found.scores.items()} == each
    gate = adjudge.gate(table, truth="truth", probabilities=given, indices="roc_auc")
    assert gate.comparison.models == ("old", "new")
    assert gate.comparison.scores["new"]["roc_auc"] == each["new"]
    adjudge.report(table, truth="truth", probabilities=given, output=tmp_path / "page.html")
    assert (tmp_path / "page.html").exists()


@pytest.mark.parametrize("given", [GIVEN[0], GIVEN[2]])
@pytest.mark.parametrize("of_file", [False, True])
def test_evaluate_says_that_two_models_are_not_one(path: str, given: Any, of_file: bool) -> None:
    with pytest.raises(InputError, match="none of them is a class of the truth: columns of several models"):
        adjudge.evaluate(path if of_file else FRAME, truth="truth", probabilities=given)


@pytest.mark.parametrize(
    "truth", [TRUTH, TRUTH.astype(float), TRUTH.astype(bool), np.array(["no", "yes"])[TRUTH]]
)
def test_columns_of_classes_are_found_whatever_the_type_of_the_truth(truth: np.ndarray) -> None:
    shares = FRAME["p_new"]
    for names in (("0", "1"), ("False", "True"), ("no", "yes")):
        if (names[0] == "no") != (truth.dtype.kind == "U") or (names[0] == "0") == (truth.dtype == bool):
            continue
        frame = pd.DataFrame({"truth": truth, f"p_{names[1]}": shares, f"p_{names[0]}": 1 - shares})
        found = adjudge.evaluate(frame, truth="truth", probabilities="p_*", indices="roc_auc")
        assert found["roc_auc"] == adjudge.roc_auc(TRUTH, shares)


def test_the_shell_takes_a_pattern_of_models(path: str, capsys: pytest.CaptureFixture[str], run: Any) -> None:
    for command in ("compare", "gate"):
        asked = ["--truth", "truth", "--probabilities", "p_*", "--indices", "roc_auc"]
        assert main([command, path, *asked, "-f", "json"]) in (0, 1, 3)
        assert "roc_auc" in capsys.readouterr().out
    assert "columns of several models are for 'adjudge compare'" in run(
        "evaluate", path, "--truth", "truth", "--probabilities", "p_*", code=2
    )


def test_probabilities_in_the_place_of_labels_are_told_what_they_are(path: str) -> None:
    for table in (path, FRAME):
        with pytest.raises(
            InputError, match="pass probabilities as probabilities=, or pass kind='regression'"
        ):
            adjudge.gate(table, "p_old", "p_new", truth="truth")
    with pytest.raises(
        InputError, match="to classes first, or pass kind='regression' if models give numbers"
    ):
        adjudge.gate(FRAME.assign(p_old=7.5), "p_old", "p_new", truth="truth")


def test_points_of_a_scale_are_no_percentages() -> None:
    with pytest.raises(
        InputError, match="divide all of them by 100; points of a scale that only rank are scores"
    ):
        adjudge.evaluate([0, 1, 1, 0], probabilities=[0, 7, 3, 10], positive=1)


@pytest.mark.parametrize("units", [False, True])
def test_the_page_says_what_is_a_sample(units: bool, tmp_path: Path) -> None:
    frame = FRAME.assign(unit=np.arange(200) // 2).astype({"truth": "Int64"})
    frame.loc[3, "truth"] = pd.NA
    named = {"units": "unit"} if units else {}
    page = tmp_path / "page.html"
    adjudge.report(frame, truth="truth", probabilities="p_*", missing="drop", output=page, **named)
    text = page.read_text()
    assert ("treat the units, not their rows or pairs, as a sample" in text) == units
    assert ("treat the instances, not the pairs, as a sample" in text) != units
    assert "1 instance left out, without a label)" in text
