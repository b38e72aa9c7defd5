"""Names that experiment trackers take, and text that UTF-8 cannot hold, as JSON lines and users have them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge.cli import main
from cases import each

TRACKED = re.compile(r"^[/\w.\- :]*$")
HALF = "\ud83d"


def named(names: list[str]) -> dict[str, Any]:
    """Results of every kind whose models, classes, groups and data sets have these names."""
    rng = np.random.default_rng(0)
    n = 200
    truth = rng.choice(names, n)
    models = {name: np.where(rng.random(n) < 0.8, truth, rng.choice(names, n)) for name in names}
    groups = rng.choice(names, n)
    first, second = models[names[0]], models[names[1]]
    shares = rng.dirichlet(np.ones(len(names)), n)
    judged = adjudge.evaluate(
        truth,
        first,
        kind="classification",
        groups={"g=": groups},
        probabilities=shares,
        classes=sorted(names),
        confidence=0.95,
    )
    scores = {f"{d} {i}": {m: float(rng.random()) for m in names} for i, d in enumerate(names * 2)}
    return {
        "evaluation": judged,
        "evaluations": adjudge.evaluate(truth, models, kind="classification"),
        "comparison": adjudge.compare(truth, models, kind="classification", confidence=0.95),
        "gate": adjudge.gate(
            truth, old=first, new=second, margin={"accuracy": 0.01, f"recall[{names[0]}]": 0.1}, groups=groups
        ),
        "benchmark": adjudge.benchmark(scores, score="error@5 (%)", better="lower"),
        "candidates": adjudge.choose(rng.normal(size=(n, 2)), models),
    }


@each(
    "names", [["<50K", ">=50K", "a@b[1]", "né, e"], ["..", "/x", "a//b", "%"], ["m@1", "m(1", "m[1", "m_1"]]
)
def test_trackers_take_the_names_of_every_result(names: list[str]) -> None:
    for what, found in named(names).items():
        flat = found.flat()
        assert flat, what
        for name, value in flat.items():
            assert TRACKED.match(name), (what, name)
            assert all(part.strip(" .") for part in name.split("/")), (what, name)
            assert isinstance(value, float), (what, name)
            assert math.isfinite(value), (what, name)
        if what == "comparison":  # names that become equal are kept apart
            assert sum("accuracy" in name for name in flat) >= len(names)


def test_the_numbers_of_a_gate() -> None:
    truth = [0, 1] * 50
    found = adjudge.gate(truth, old=truth, new=[1, 1] * 50, groups=["x", "y"] * 50)
    flat = found.flat()
    assert flat["pass"] == 0
    assert flat["undecided"] == 0
    assert flat["broken"] == 50
    assert adjudge.gate(truth[:20], old=truth[:20], new=truth[:20]).flat()["undecided"] == 1
    assert (flat["accuracy/old"], flat["accuracy/new"]) == (1.0, 0.5)
    assert flat["accuracy/gain"] == pytest.approx(-0.5)


def test_half_of_an_emoji_in_every_door(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("ok", "ok", "ok"), (HALF, HALF, "ok"), ("ok", HALF, "ok"), (HALF, HALF, HALF)] * 10
    path = tmp_path / "f.jsonl"
    path.write_text(
        "".join(
            json.dumps({"t": t, "p": p, "q": q, "k": f"{HALF}{i}"}) + "\n" for i, (t, p, q) in enumerate(rows)
        )
    )
    table = [str(path), "--truth", "t"]
    labels = ["--pred", "p", "--kind", "classification"]
    gate = ["gate", *table, "--old", "q", "--new", "p"]
    rows_in = (".csv", ".parquet")
    for arguments in (
        *(["evaluate", *table, *labels, "-o", str(tmp_path / f"e{end}")] for end in (".json", ".csv", ".md", ".tex")),
        ["evaluate", *table, *labels, "--save", str(tmp_path / "e.adjudge")],
        *([*gate, option, str(tmp_path / f"b{end}")] for option in ("--broken", "--fixed") for end in rows_in),
        [*gate, "-o", str(tmp_path / "g.xml")],
        [*gate, "--report", str(tmp_path / "g.html")],
        ["gate", str(path), "--against", str(path), "--key", "k", "--truth", "t", "--prediction", "p"],
        ["report", *table, "--models", "p,q", "-o", str(tmp_path / "r.html")],
    ):  # fmt: skip
        assert main(arguments) in (0, 1, 3), arguments
        assert "Traceback" not in capsys.readouterr().err
    confusion = json.loads((tmp_path / "e.json").read_text())["evaluations"]["p"]["confusion"]
    assert HALF in confusion["classes"]
    assert "\\ud83d" in (tmp_path / "b.csv").read_text("utf-8")
    Xml.parse(tmp_path / "g.xml")


def test_half_of_an_emoji_in_frames() -> None:
    frame = pd.DataFrame({name: pd.Series([HALF, "ok"] * 20, dtype=object) for name in ("t", "p", "q")})
    frame.loc[0, "p"] = "ok"
    found = adjudge.gate(frame, truth="t", old="q", new="p")
    assert found.rows_of("right_wrong").frame() is not None
    assert adjudge.evaluate(frame.t, frame.p, kind="classification").class_table().frame() is not None
    scores = {f"{HALF}{i}": {HALF: 0.1 * i, "b": 0.2} for i in range(3)}
    assert adjudge.benchmark(scores).to_frame() is not None
