"""The page about gates: its commands run, with the exit codes that it names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from adjudge import gate
from adjudge.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "gate.md"
TEXT = PAGE.read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that the page names, in a folder of their own."""
    rng = np.random.default_rng(1)
    n = 900
    truth = np.where(rng.random(n) < 0.3, "churn", "stay")
    v1 = np.where(rng.random(n) < 0.9, truth, "stay")
    v2 = np.where(rng.random(n) < 0.5, truth, v1)
    ids, country = np.arange(n), rng.choice(["FR", "DE"], n)
    own = pd.DataFrame({"id": ids, "label": truth, "country": country})
    own.assign(v1=v1, v2=v2).to_csv(tmp_path / "predictions.csv", index=False)
    own.assign(pred=v1).to_csv(tmp_path / "old.csv", index=False)
    own.assign(pred=v2).sample(frac=1, random_state=0)[["id", "pred"]].to_csv(
        tmp_path / "new.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def commands() -> list[str]:
    """All commands of the page, as a shell would run them."""
    found = [line.strip(" -") for text in (*blocks("sh"), *blocks("yaml")) for line in text.splitlines()]
    return [line.removeprefix("run: ") for line in found if "adjudge gate" in line]


@pytest.mark.parametrize("command", commands())
def test_commands_run(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if "--truth" not in command:
        (settings,) = blocks("toml")
        (folder / "gate.toml").write_text(settings, encoding="utf-8")
    words = shlex.split(command.split(">>")[0])
    assert words[0] == "adjudge"
    assert main(words[1:]) in (0, 3)
    said = capsys.readouterr()
    assert "settings from gate.toml" in said.err or "--truth" in command
    if "--broken" in command:
        assert (folder / "broken.csv").is_file()
    if "--output gate.xml" in command:
        assert (folder / "gate.xml").read_text(encoding="utf-8").startswith("<?xml")
    if "-o gate.md -o gate.json" in command:
        assert (folder / "gate.md").read_text(encoding="utf-8").startswith("## Gate: ")
        assert (folder / "gate.json").read_text(encoding="utf-8").startswith("{")


def test_there_are_commands_of_each_kind() -> None:
    assert len(commands()) == 4


def test_a_failed_assertion_shows_the_table() -> None:
    truth = ["a", "b"] * 200
    found = gate(truth, old=truth, new=["a"] * 400)
    with pytest.raises(AssertionError, match="may not replace") as raised:
        assert found.passed, found
    assert "Accuracy went from 1.000 to 0.500" in str(raised.value)
