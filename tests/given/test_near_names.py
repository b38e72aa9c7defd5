"""Labels that are nearly the same: what is overlooked, and where it is said."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.cli import main
from adjudge.given.near_names import nearly_the_same, overlooked, shown_apart
from cases import each

COMPOSED = "caf\u00e9"


@each(
    "one, other",
    [
        ("churn", "Churn"),
        ("stay", " stay "),
        ("a b", "a\u00a0b"),
        ("a b", "a  b"),
        (COMPOSED, unicodedata.normalize("NFD", COMPOSED)),
        ("ab", "a\u200bb"),
        ("ab", "\ufeffab"),
        ("a-b", "a\u2013b"),
        ("a-b", "a\u2212b"),
        ("stra\u00dfe", "STRASSE"),
    ],
)
def test_what_is_easily_overlooked(one: str, other: str) -> None:
    assert overlooked(one) == overlooked(other)
    assert nearly_the_same([one, "else", other, 3]) == [[one, other]]
    assert len(set(shown_apart([one, other]))) == 2
    truth, said = [one, "else"] * 4, [one, "else", other, "else"] * 2
    for found in (
        adjudge.evaluate(truth, said, kind="classification"),
        adjudge.compare(truth, {"a": said, "b": truth}, kind="classification"),
        adjudge.gate(truth, truth, said),
    ):
        (notice,) = (own for own in found.warnings if own.code == "labels-nearly-the-same")
        assert all(shown in notice.message for shown in shown_apart([one, other]))
        assert "to unite them" in notice.text
    apart = adjudge.evaluate([one, "else"], [other, "else"])
    assert [own.code for own in apart.warnings] == ["judged-as-clusters"]
    assert "they differ only by" in apart.warnings[0].message


@each("labels", [["a", "b"], ["1", "01"], ["no", "none"], [1, 2], ["e", "\u00e9"], ["a-b", "a_b"]])
def test_what_is_not(labels: Any) -> None:
    assert nearly_the_same(labels) == []
    assert not adjudge.evaluate(labels, labels, kind="classification").warnings


def test_free_text_is_asked_about_and_printed_in_few_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = [f"answer {i}" for i in range(300)]
    found = adjudge.evaluate(text, text[::-1], kind="classification")
    (notice,) = found.warnings
    assert notice.text == (
        "the truth has 300 classes in 300 instances, as free text has: is it a column of labels?"
    )
    assert len(repr(found).splitlines()) < 40
    file = tmp_path / "text.csv"
    file.write_text("t,p\n" + "".join(f"{a},{b}\n" for a, b in zip(text, text[::-1], strict=True)))
    assert main(["evaluate", str(file), "--truth", "t", "--pred", "p", "--kind", "classification"]) == 0
    told = capsys.readouterr()
    assert len(told.out.splitlines()) < 45
    assert "300 classes: --format json has the scores of each" in told.out
    assert "is it a column of labels?" in told.err
    # Numbers, few classes, and classes that repeat are none.
    for labels in (np.arange(300), text[:20], text * 3):
        assert not adjudge.evaluate(labels, labels, kind="classification").warnings
