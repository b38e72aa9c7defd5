"""What a notebook shows of results, and names in every door."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge import choose_k, compare, evaluate, find_index, plan
from adjudge.cli import main
from adjudge.inference import equal_goodness_test, friedman_test, null_distribution
from adjudge.presentation.palette import OUTCOME_COLORS
from cases import each

HOSTILE = "<img src=x onerror=alert(1)>"


class Shown(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.cells, self.words = [], [], []
        self._inside = []
        self.feed(text)
        assert self._inside == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self._inside.append(tag)
        if tag in ("td", "th"):
            self.cells.append([dict(attrs).get("class", ""), ""])

    def handle_endtag(self, tag):
        assert self._inside.pop() == tag

    def handle_data(self, data):
        if "style" in self._inside:
            return
        self.words.append(data)
        if {"td", "th"} & set(self._inside):
            self.cells[-1][1] += data


def results():
    truth = np.repeat([0, 1, 2], 20)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 9 * truth[:, None]
    models = {HOSTILE: np.where(rng.random(60) < 0.8, truth, 1), "other": truth // 2}
    comparison = compare(truth, models, kind="classification", confidence=0.95)
    return {
        "evaluation": evaluate(truth, models["other"], indices=["rand", "jaccard"]),
        "comparison": comparison,
        "pair": comparison[HOSTILE, "other"],
        "null": null_distribution("rand", truth, models["other"], method="simulate", n_tables=99),
        "plan": plan(10**8, 8, 10, indices=["silhouette"], n_jobs=4),
        "test": equal_goodness_test(
            truth, truth, models["other"], method="bootstrap", n_resamples=99, random_state=0
        ),
        "ranks": friedman_test({HOSTILE: [0.9, 0.8, 0.85], "b": [0.8, 0.7, 0.8], "c": [0.1, 0.2, 0.3]}),
        "index": find_index("silhouette"),
        "choice": choose_k(X, k=range(2, 5), random_state=0, indices=["silhouette", "calinski_harabasz"]),
    }


@pytest.fixture(scope="module")
def shown():
    return {name: Shown(result._repr_html_()) for name, result in results().items()}


def test_no_result_lets_a_name_become_markup(shown):
    for page in shown.values():
        assert "img" not in page.tags
        assert "script" not in page.tags
    assert HOSTILE in " ".join(shown["comparison"].words)
    assert HOSTILE in " ".join(shown["pair"].words)
    assert HOSTILE in " ".join(shown["ranks"].words)


def test_the_matrix_has_the_colours_of_the_outcomes():
    found = results()["pair"]
    text = found._repr_html_()
    cells = {name.split()[1]: value for name, value in Shown(text).cells if name.startswith("cell ")}
    assert cells == {cell: str(getattr(found, cell)) for cell in OUTCOME_COLORS}
    for color in OUTCOME_COLORS.values():
        assert color in text
    assert "prefers-color-scheme:dark" in text


def test_intervals_and_tests_are_shown_where_they_were_asked_for(shown):
    assert "p (Holm)" in [text for _, text in shown["comparison"].cells]
    assert any("McNemar" in text for text in shown["pair"].words)
    assert {"low", "high"} <= {text for _, text in shown["pair"].cells}


def test_votes_stand_out(shown):
    assert shown["choice"].tags.count("strong") >= 3
    assert not any("*" in text for _, text in shown["choice"].cells)


def test_distributions_tests_plans_and_indices_are_tables(shown):
    def cells(name):
        return [text for _, text in shown[name].cells]

    assert {"rand", "< 0.01", "99, simulated"} <= set(cells("null"))
    assert {"bootstrap", "< 0.01"} <= set(cells("test"))
    assert ("num", "< 0.01") in [tuple(cell) for cell in shown["test"].cells]
    assert {"on 4 workers", "distances"} <= set(cells("plan"))
    assert "warning: " in " ".join(shown["plan"].words)
    assert cells("ranks")[:4] == ["model", "mean rank", HOSTILE, "1.0000"]
    assert {"silhouette", "range", "[-1, 1]", "higher"} <= set(cells("index"))


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
