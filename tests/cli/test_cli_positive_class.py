"""A column of probabilities on the command line: its class by its name, by --positive, by a pattern."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge

RNG = np.random.default_rng(3)
N = 200
IS_CHURN = RNG.random(N) < 0.3
TRUTH = np.where(IS_CHURN, "churn", "stay")
P = np.clip(0.3 + 0.25 * IS_CHURN + 0.15 * RNG.standard_normal(N), 0.01, 0.99).round(3)
Q = np.clip(P + 0.2 * RNG.standard_normal(N), 0.01, 0.99).round(3)
AREA = adjudge.roc_auc(IS_CHURN, P)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    columns = {"churned": TRUTH, "model_old": np.where(P >= 0.5, "churn", "stay"), "old": P}
    columns |= {"model_new": np.where(Q >= 0.5, "churn", "stay"), "old_p_churn": P, "new_p_churn": Q}
    columns |= {"m_churn": P, "p_stay": (1 - P).round(3), "churn": P, "region": RNG.integers(0, 3, N)}
    pd.DataFrame(columns).to_csv("churn.csv", index=False)
    pd.DataFrame(columns).to_parquet("churn.parquet")


@pytest.mark.full(keep=5)
@pytest.mark.parametrize("file", ["churn.csv", "churn.parquet"])
@pytest.mark.parametrize(
    "given",
    [
        ("old_p_churn", "--positive", "churn"),
        ("old_p_churn", "--positive", "stay"),
        ("old_p_churn",),
        ("churn",),
        ("p_stay", "--positive", "churn"),
        ("old", "--positive", "churn"),
        ("m_*",),
        ("m_*", "--positive", "churn"),
        ("old_p_*", "--classes", "stay,churn"),
    ],
)
def test_what_says_the_class_of_a_column(run: Any, file: str, given: tuple[str, ...]) -> None:
    options = "--indices", "roc_auc,log_loss,average_precision", "--format", "json"
    told = json.loads(run("evaluate", file, "--truth", "churned", "--probabilities", *given, *options))
    (found,) = told["evaluations"].values()
    assert found["values"]["roc_auc"] == pytest.approx(AREA)
    assert found["values"]["log_loss"] == pytest.approx(adjudge.log_loss(IS_CHURN, P))
    of = "churn" if "churn" in given[2:] or given[1:] == ("--classes", "stay,churn") else "stay"
    assert found["of_class"] == {"roc_auc": of, "average_precision": of}


def test_a_name_that_fits_no_class_is_refused(run: Any) -> None:
    said = run("evaluate", "churn.csv", "--truth", "churned", "--probabilities", "old", code=2)
    assert said == (
        "column 'old' does not say which class it is of, 'churn' or 'stay': pass --positive stay or the other, or end "
        "the column's name with its class, as in 'old_stay'"
    )


def test_models_are_ranked_the_right_way_round(run: Any) -> None:
    given = "--truth", "churned", "--probabilities", "old_p_churn,new_p_churn", "--positive", "churn"
    scores = json.loads(run("compare", "churn.csv", *given, "--format", "json"))["scores"]
    assert scores["old_p_churn"]["roc_auc"] == pytest.approx(AREA)
    assert scores["old_p_churn"]["roc_auc"] > scores["new_p_churn"]["roc_auc"] > 0.5
    assert run("report", "churn.csv", *given, "--features", "region").startswith(
        "old_p_churn is better than new_p_churn"
    )


def test_the_class_and_its_notices_are_printed(shell: Any) -> None:
    given = ["evaluate", "churn.csv", "--truth", "churned", "--pred", "model_old,model_new"]
    _, out, err = shell(*given, "--indices", "f1,accuracy")
    assert "\nf1 of stay" in out
    assert err.splitlines() == [
        "adjudge: judged as classes, because truth and prediction have the same names: --kind clustering compares the "
        "groups whatever they are called",
        "adjudge: 'stay' is the positive class by order, as the second of 'churn' and 'stay': --positive churn chooses "
        "the other",
    ]
    _, out, err = shell(*given, "--indices", "f1", "--format", "csv", "--positive", "churn")
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == ["f1", "f1"]
    assert out.splitlines()[1].endswith(",of churn")
    assert not err
    turned = ["evaluate", "churn.csv", "--truth", "churned", "--probabilities", "old", "--positive", "stay"]
    assert (
        f"is {1 - AREA:.3f}, so the column seems to be that of the other class"
        in shell(*turned, "--indices", "log_loss").err
    )


@pytest.mark.full
def test_all_columns_are_judged_alike(run: Any) -> None:
    given = "evaluate", "churn.csv", "--truth", "churned", "--pred"
    for names, kind in (("model_old,model_new", "classification"), ("model_old,region", "clustering")):
        found = json.loads(run(*given, names, "--format", "json"))["evaluations"]
        assert {own["settings"]["of"] for own in found.values()} == {kind}
    for option in ("--by-cluster", "--adjust", "--kind=clustering", "--noise=singletons"):
        found = json.loads(run(*given, "model_old", option, "--format", "json"))["evaluations"]
        assert found["model_old"]["settings"]["of"] == "clustering"


@pytest.mark.parametrize("order", [["y", "p_0", "p_1"], ["p_1", "y", "p_0"]])
def test_the_order_of_columns_of_a_pattern_decides_nothing(
    order: list[str], tmp_path: Path, shell: Any
) -> None:
    """Classes are sorted as labels are: 1 is positive, wherever its column stands."""
    rows = [
        {"y": 0, "p_0": 0.9, "p_1": 0.1},
        {"y": 1, "p_0": 0.6, "p_1": 0.4},
        {"y": 1, "p_0": 0.2, "p_1": 0.8},
    ] * 4
    lines = [",".join(order), *(",".join(str(row[name]) for name in order) for row in rows)]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = ["--truth", "y", "--probabilities", "p_*", "--indices", "recall,specificity", "--format", "json"]
    found = shell("evaluate", file, *asked)
    assert '"recall": 0.5' in found.out
    assert '"specificity": 1.0' in found.out
    assert "by order" not in found.err
