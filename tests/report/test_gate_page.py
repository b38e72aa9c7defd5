"""The report on a gate: what it says is what `gate` found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge import Gate, InputError, gate, report
from adjudge._report.gate_section import gate_section
from gates import gate_rows


@pytest.fixture(scope="module")
def found() -> Gate:
    """Of the new model one class broke in one country."""
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(800) < 0.4, "churn", "stay")
    country = rng.choice(["FR", "DE"], 800)
    new = np.where((country == "FR") & (truth == "churn") & (rng.random(800) < 0.5), "stay", truth)
    return gate(truth, truth, new, groups={"country": country}, margin=0.02, max_broken=0.1)


def test_it_says_what_the_gate_says(found: Gate) -> None:
    section = gate_section(found)
    assert section["answer"] == found.verdict == "fail"
    assert [said["text"] for said in section["verdict"]][:3] == found.sentences()
    assert [check["title"] for check in section["checks"]] == [check.title for check in found.tested]
    assert section["where"][0][:2] == ["FR", "churn"]
    assert section["broken"]["n"] == found.n_broken == section["matrix"]["right_wrong"]
    assert len(section["broken"]["rows"]) == min(200, found.n_broken)


def test_the_page_says_what_was_compared_and_by_which_settings(tmp_path: Path) -> None:
    frame = gate_rows(90).assign(weight=23.8, share=1 / 3)
    path = tmp_path / "rows.csv"
    frame.to_csv(path, index=False)
    margin = {"accuracy": 0.3, "recall[churn]": "2%"}
    judged = gate(
        path, "v1", "v2", truth="truth", groups=["country", "device"], margin=margin, kind="classification"
    )
    section = gate_section(judged)
    shown = section["settings"]
    named = {"table": str(path), "old": "v1", "new": "v2", "truth": "truth", "groups": "country, device"}
    assert named.items() <= shown.items()
    assert shown["margin"] == ["accuracy 0.3", "recall[churn] 2%"]
    assert not {"noise", "noise_label", "adjust", "max_broken", "positive"} & {*shown}
    assert section["broken"]["rows"][0][-2:] == ["23.8", "0.3333"]
    two = frame.replace({"move": "stay"})
    of_two = gate(two, "v1", "v2", truth="truth", positive="churn", indices="f1", smallest_group=5)
    shown = gate_section(of_two)["settings"]
    assert (shown["positive"], shown["smallest_group"], "table" in shown) == ("churn", 5, False)
    clusters = gate(
        frame["truth"], frame["v1"], frame["v2"], kind="clustering", noise="singletons", noise_label="move"
    )
    assert gate_section(clusters)["settings"]["noise"] == "singletons"


def test_intervals_and_margins_lie_on_one_line(found: Gate) -> None:
    for shown, check in zip(gate_section(found)["checks"], found.tested, strict=True):
        places = shown["places"]
        assert check.change is not None
        assert -100 <= places["low"] <= places["at"] <= places["high"] <= 100
        assert (places["high"] < places["margin"]) == (check.change.high < -check.margin)
        assert (places["low"] > places["margin"]) == (check.change.low > -check.margin)


def test_the_page(found: Gate, tmp_path: Path) -> None:
    text = report(gate=found, output=tmp_path / "page.html").path.read_text()
    assert "FAIL: the new model may not replace the old one." in text
    assert "Where rows broke" in text
    assert "Balanced accuracy in FR" in text


def test_without_rows_and_of_clusterings(found: Gate, tmp_path: Path) -> None:
    found.save(tmp_path / "run.adjudge")
    from adjudge import load

    assert gate_section(load(tmp_path / "run.adjudge"))["broken"] is None
    labels = np.arange(300) % 3
    of_pairs = gate(labels, labels, np.where(np.arange(300) < 30, 0, labels), kind="clustering")
    section = gate_section(of_pairs)
    assert section["counted"] == "pairs of instances"
    assert section["where"] == []
    assert section["broken"]["heads"][:2] == ["row", "pairs"]


def test_it_stands_alone(found: Gate, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="gate= makes a separate page: leave out X="):
        report(gate=found, X=[[1.0]], output=tmp_path / "page.html")


def test_a_change_without_an_interval_has_no_picture(found: Gate) -> None:
    without = replace(found, tested=(replace(found.tested[0], change=None, status="undecided"),))
    assert gate_section(without)["checks"][0]["places"] is None


def test_the_page_says_what_repeating_a_gate_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    for level, shares in ((0.95, (5, 19, 46, 74)), (0.99, (1, 3.9, 11, 23))):
        found = gate(truth, old=truth, new=truth, confidence=level)
        page = report(gate=found, output=tmp_path / "gate.html").path.read_text(encoding="utf-8")
        said = " ".join(page.replace("&nbsp;", " ").replace("\N{NO-BREAK SPACE}", " ").split())
        assert f"worse by the margin in about {shares[0]} % of the samples" in said
        within = (
            f"{shares[1]} % of the cases within 4 runs, {shares[2]} % within 12 and {shares[3]} % within 26."
        )
        assert f"Run again on other rows until it passes, a gate lets it through in about {within}" in said
