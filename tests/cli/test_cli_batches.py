"""Batches within labels, and noise that is judged, on the command line."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge import evaluate

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(60, 2)) + 1, 3)
TYPES, SAMPLES = np.arange(60) % 2, RNG.integers(0, 3, 60)
FOUND = np.where(RNG.random(60) < 0.2, -1, TYPES)
INPUT = ("evaluate", "cells.csv", "--labels")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = zip(TYPES, SAMPLES, FOUND, *X.T, strict=True)
    lines = [f"t{t},s{s},{found},{x},{y}" for t, s, found, x, y in rows]
    Path("cells.csv").write_text("type,sample,found,x,y\n" + "\n".join(lines))


def test_batches_are_a_column(run: Any) -> None:
    found = json.loads(
        run(*INPUT, "type", "--batch", "sample", "--columns", "x,y", "--indices", "all", "--format", "json")
    )
    wanted = evaluate(X=X, labels=TYPES, batch=SAMPLES, indices="all")
    assert found["evaluations"]["type"]["values"] == pytest.approx(wanted.values)
    # A column of numbers that names batches is no coordinate.
    Path("cells.csv").write_text(
        Path("cells.csv").read_text().replace(",s", ",").replace("type,ample", "type,sample")
    )
    found = json.loads(run(*INPUT, "type", "--batch", "sample", "--format", "json"))
    assert found["columns"] == ["x", "y"]


def test_what_does_not_work_with_batches(run: Any) -> None:
    others = "a graph, a tree, batches, overlapping or soft clusters"
    for flags, message in [
        ("--metric cosine", "--metric does not work with --batch: leave it out"),
        ("--columns x,y --weight x", f"--weight does not work with {others}: leave it out"),
        ("--graph cells.csv", "--batch does not work with --graph: leave it out"),
        (
            "--columns x,y --indices silhouette",
            "silhouette judges points: give them and their labels in a call of their own, without --batch",
        ),
        (
            "--columns x,y --indices kbet,ilisi",
            "judges points: give them and their labels in a call of their own, without --batch, and the batches as "
            "--labels",
        ),
    ]:
        assert message in run(*INPUT, "type", "--batch", "sample", *shlex.split(flags), code=2)
    said = run("evaluate", "cells.csv", "--truth", "type", "--pred", "found", "--batch", "sample", code=2)
    assert "--batch is an option for points: name the labels with --labels, not --pred" in said


def test_noise_is_judged(run: Any) -> None:
    for flags, options in (((), {}), (("--noise", "drop"), {"noise": "drop"})):
        text = run(*INPUT, "found", "--columns", "x,y", "--indices", "disco", *flags, "--format", "json")
        wanted = evaluate(X=X, labels=FOUND, indices="disco", **options)
        assert json.loads(text)["evaluations"]["found"]["values"] == pytest.approx(wanted.values)
