"""Progress where nothing can be drawn: lines in the log of a job, if the caller asked for progress."""

from __future__ import annotations

import re
import time

import pytest

from adjudge import progress


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.01)
    monkeypatch.setattr(progress, "_INTERVAL", 0.01)
    monkeypatch.setattr(progress, "_SILENCE", 0.1)


def test_lines_say_how_much_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.reporting(True, "distances") as update:
        assert update is not None
        update(1, 4)
        time.sleep(0.35)
    lines = capsys.readouterr().err.splitlines()
    assert 2 <= len(lines) <= 4
    assert all(re.fullmatch(r"adjudge: Distances: 25%, \d s left", line) for line in lines), lines


@pytest.mark.parametrize("asked", [None, False])
def test_nothing_is_written_unasked(asked: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    with progress.reporting(asked, "distances") as update:
        assert update is None
        time.sleep(0.25)
    assert capsys.readouterr().err == ""


def test_short_work_is_silent(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.reporting(True, "distances"):
        time.sleep(0.02)
    assert capsys.readouterr().err == ""
