"""One number for each row, and predicted numbers, in the shell."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from adjudge import compare, evaluate, gate
from adjudge.cli import main

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


@dataclass(frozen=True)
class Ran:
    """What a command wrote, and its exit code."""

    stdout: str
    stderr: str
    exit_code: int


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    def call(*arguments: Any) -> Ran:
        code = main(list(map(str, arguments)))
        captured = capsys.readouterr()
        return Ran(captured.out, captured.err, code)

    return call


@pytest.fixture
def file(tmp_path: Path) -> Path:
    FRAME.to_csv(tmp_path / "queries.csv", index=False)
    return tmp_path / "queries.csv"


def test_numbers(file: Path, run: Any) -> None:
    asked = ["--units", "user", "--confidence", "0.95", "--format", "json"]
    found = json.loads(run("evaluate", file, "--values", "ms_*", *asked).stdout)
    alone = evaluate(values=FRAME["ms_new"], units=FRAME["user"], confidence=0.95)
    judged = found["evaluations"]["ms_new"]
    assert judged["values"] == pytest.approx(alone.values)
    both = json.loads(run("compare", file, "--values", "ms_old,ms_new", "--better", "lower", *asked).stdout)
    expected = compare(
        values=FRAME[["ms_old", "ms_new"]], better="lower", units=FRAME["user"], confidence=0.95
    )
    assert both["verdict"]["sentences"] == expected.to_dict()["verdict"]["sentences"]
    text = run("compare", file, "--values", "ms_old,ms_new", "--better", "lower", "--by", "region").stdout
    assert "Each model\n" in text
    assert "primary  alternative  better  equal  worse" in text


def test_gates(file: Path, run: Any) -> None:
    named = {"old": FRAME["ms_old"], "new": FRAME["ms_new"]}
    expected = gate(values=named, better="lower", margin="2%")
    asked = ["--values", "ms_old,ms_new", "--better", "lower", "--margin", "2%"]
    slower = file.with_name("slower.csv")
    history = file.with_name("gate.adjudge")
    found = run("gate", file, *asked, "--broken", slower)
    assert found.exit_code == 0
    assert expected.verdict == "pass"
    assert len(pd.read_csv(slower)) == expected.n_broken
    for look in (1, 2):
        FRAME.sample(frac=1, random_state=look).to_csv(file, index=False)
        found = run("gate", file, *asked, "--history", history)
        assert f"look {look}, {300 * look} rows in all" in found.stderr
    assert "at all looks together" in found.stdout


def test_regression(file: Path, run: Any) -> None:
    asked = ["--truth", "cost", "--kind", "regression"]
    found = json.loads(run("compare", file, *asked, "--models", "ms_old,ms_new", "--format", "json").stdout)
    expected = compare(FRAME["cost"], FRAME[["ms_old", "ms_new"]], kind="regression")
    assert found["scores"]["ms_new"] == pytest.approx(expected.scores["ms_new"])
    assert "root_mean_squared_error" in run("evaluate", file, *asked, "--pred", "ms_old").stdout
    assert run("gate", file, *asked, "--old", "ms_old", "--new", "ms_new").exit_code == 0


def test_errors(file: Path, run: Any) -> None:
    for arguments, message in (
        (["compare", file, "--values", "ms_old"], "--better is missing: say which end of --values is better"),
        (["evaluate", file, "--values", "region"], "column 'region' has '"),
        (["gate", file, "--values", "ms_old", "--better", "lower"], "--values names 1 of the 2 columns"),
        (
            ["evaluate", file, "--values", "ms_old", "--truth", "cost"],
            "--values are judged without --truth",
        ),
    ):
        found = run(*arguments)
        assert found.exit_code == 2
        assert message in found.stderr, found.stderr
