"""Every verb says once that labels are derived from probabilities."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge.results.notice import Notice

TRUE = np.tile([0, 1], 20)
P = {"old": np.linspace(0.1, 0.9, 40), "new": np.clip(0.3 + 0.4 * TRUE, 0, 1)}
COLUMNS = {name: f"{name}_p" for name in P}
TABLE = pl.DataFrame({"t": TRUE, "old_p": P["old"], "new_p": P["new"], "label": TRUE})
ABOUT = "the label of each instance is its likeliest class, the first of equal ones"
REMEDY = "to judge others, give labels beside the probabilities"


def said(found: Any) -> list[Notice]:
    return [notice for notice in found.warnings if notice.code == "labels-from-probabilities"]


@pytest.mark.parametrize("verb", [adjudge.compare, adjudge.gate])
@pytest.mark.parametrize("given", ["arrays", "frame", "lazy", "file"])
def test_compare_and_gate_say_it_once(verb: Any, given: str, tmp_path: Path) -> None:
    if given == "arrays":
        found = verb(TRUE, probabilities=P, positive=1)
    else:
        table: Any = TABLE.lazy() if given == "lazy" else TABLE
        if given == "file":
            table = tmp_path / "scores.csv"
            TABLE.write_csv(table)
        found = verb(table, truth="t", probabilities=COLUMNS, positive=1)
    assert [notice.text for notice in said(found)] == [f"{ABOUT}: {REMEDY}"]


def test_the_models_are_named_if_others_have_labels() -> None:
    found = adjudge.compare(TRUE, {"rules": TRUE, "new": None}, probabilities={"new": P["new"]}, positive=1)
    assert [notice.message for notice in said(found)] == [f"of new, {ABOUT}"]
    both = adjudge.compare(TRUE, dict.fromkeys(P, TRUE), probabilities=P, positive=1)
    assert not said(both)


def test_several_labels_are_said_to_be_derived_once() -> None:
    sets = np.eye(3, dtype=int)[np.arange(30) % 3]
    shares = {"a": np.clip(sets * 0.7, 0.1, 1), "b": np.clip(sets * 0.8, 0.2, 1)}
    found = adjudge.compare(sets, probabilities=shares, kind="multilabel")
    assert [n.text for n in said(found)] == [
        f"labels with a probability of at least 0.5 are predicted: {REMEDY}"
    ]


@pytest.mark.parametrize("labels", [None, {"old": TRUE, "new": TRUE}])
def test_the_page_says_it_once(labels: Any, tmp_path: Path) -> None:
    options: dict[str, Any] = {"kind": "classification", "positive": 1}
    adjudge.report(TRUE, labels, probabilities=P, output=tmp_path / "page.html", **options)
    page = (tmp_path / "page.html").read_text("utf-8")
    assert page.count(f"{ABOUT[0].upper()}{ABOUT[1:]}: {REMEDY}.") == (labels is None)
