"""One number for each row, and predicted numbers, in the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adjudge import compare, evaluate, gate

RNG = np.random.default_rng(2)
COST = RNG.gamma(3, 40, 300)
FRAME = pd.DataFrame(
    {
        "ms_old": COST + RNG.gamma(2, 17, 300),
        "ms_new": COST + RNG.gamma(2, 12, 300),
        "cost": COST,
        "user": np.arange(300) // 3,
        "region": RNG.choice(["north", "south"], 300),
    }
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "queries.csv", index=False)
    return tmp_path / "queries.csv"


def test_numbers(file: Path, run: Any) -> None:
    asked = ["--units", "user", "--confidence", "0.95", "--format", "json"]
    found = json.loads(run("evaluate", file, "--values", "ms_*", *asked))
    alone = evaluate(values=FRAME["ms_new"], units=FRAME["user"], confidence=0.95)
    judged = found["evaluations"]["ms_new"]
    assert judged["values"] == pytest.approx(alone.values)
    both = json.loads(run("compare", file, "--values", "ms_old,ms_new", "--better", "lower", *asked))
    expected = compare(
        values=FRAME[["ms_old", "ms_new"]], better="lower", units=FRAME["user"], confidence=0.95
    )
    assert both["verdict"]["sentences"] == expected.to_dict()["verdict"]["sentences"]
    text = run("compare", file, "--values", "ms_old,ms_new", "--better", "lower", "--by", "region")
    assert "Each model\n" in text
    assert "primary  alternative  better  equal  worse" in text


def test_gates(file: Path, shell: Any) -> None:
    named = {"old": FRAME["ms_old"], "new": FRAME["ms_new"]}
    expected = gate(values=named, better="lower", margin="2%")
    asked = ["--values", "ms_old,ms_new", "--better", "lower", "--margin", "2%"]
    slower = file.with_name("slower.csv")
    history = file.with_name("gate.adjudge")
    found = shell("gate", file, *asked, "--broken", slower, code=None)
    assert found.code == 0
    assert expected.verdict == "pass"
    assert len(pd.read_csv(slower)) == expected.n_broken
    for look, some in ((1, FRAME[:150]), (2, FRAME[150:])):
        some.to_csv(file, index=False)
        found = shell("gate", file, *asked, "--history", history, code=None)
        assert f"look {look}, {150 * look} rows in all" in found.err
    FRAME.sample(frac=1, random_state=1).to_csv(file, index=False)
    found = shell("gate", file, *asked, "--history", history, code=None)
    assert "no new rows: all of them were judged before" in found.err
    assert "at all looks together" in found.out


def test_regression(file: Path, run: Any) -> None:
    asked = ["--truth", "cost", "--kind", "regression"]
    found = json.loads(run("compare", file, *asked, "--models", "ms_old,ms_new", "--format", "json"))
    expected = compare(FRAME["cost"], FRAME[["ms_old", "ms_new"]], kind="regression")
    assert found["scores"]["ms_new"] == pytest.approx(expected.scores["ms_new"])
    assert "root_mean_squared_error" in run("evaluate", file, *asked, "--pred", "ms_old")
    run("gate", file, *asked, "--old", "ms_old", "--new", "ms_new", "--margin", "5%")


def test_errors(file: Path, run: Any) -> None:
    for arguments, message in (
        (["compare", file, "--values", "ms_old"], "--better is missing: say which end of --values is better"),
        (["evaluate", file, "--values", "region"], "column 'region' has '"),
        (["gate", file, "--values", "ms_old", "--better", "lower"], "--values names 1 of the 2 columns"),
        (
            ["gate", file, "--values", "ms_*", "--better", "lower"],
            "--margin is missing: say how much worse the mean may be, such as '2%'",
        ),
        (["evaluate", file, "--values", "ms_old", "--truth", "cost"], "--values are judged without --truth"),
    ):
        assert message in run(*arguments, code=2)


def test_a_history_of_labels_needs_a_key(tmp_path: Path, run: Any, shell: Any) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    frame = pd.DataFrame({"id": [f"q{i}" for i in range(600)], "label": truth})
    frame["v1"], frame["v2"] = (np.where(rng.random(600) < 0.9, truth, 1 - truth) for _ in range(2))
    history, file = tmp_path / "gate.adjudge", tmp_path / "rows.csv"
    asked = ["--truth", "label", "--old", "v1", "--new", "v2", "--history", history]
    frame[:300].to_csv(file, index=False)
    assert "such as a number of each row, in --key" in run("gate", file, *asked, code=2)
    for rows, said in (
        (frame[:300], "look 1, 300 rows in all"),
        (frame[300:], "look 2, 600 rows in all"),
        (frame.sample(frac=1, random_state=0), "no new rows: all of them were judged before"),
    ):
        rows.to_csv(file, index=False)
        assert said in shell("gate", file, *asked, "--key", "id", code=None).err
    asked[2:6] = ["--old", "v2", "--new", "v1"]
    assert (
        "was begun with --old v1, and this gate has --old v2: ask for the same, or name another file"
        in shell("gate", file, *asked, "--key", "id", code=2).err
    )
    # Without a history a key is of two tables.
    found = run("gate", file, *asked[:6], "--key", "id", code=2)
    assert "--key is of two tables: name the old model's with --against" in found
