"""Labels that are nearly the same: what is overlooked, and where it is said."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import adjudge
from adjudge.given.class_names import nearly_the_same, overlooked, shown_apart
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


def test_groups_are_names_as_well(tmp_path: Path, shell: Any) -> None:
    truth, said = ["yes", "no"] * 4, ["yes", "yes", "no", "no"] * 2
    site, ward = ["north", "North", "south", "south "] * 2, ["a", "b"] * 4
    table = pl.DataFrame({"t": truth, "p": said, "q": truth, "site": site, "ward": ward})
    probable = [0.8, 0.2, 0.7, 0.4] * 2
    asked: dict[str, Any] = {"kind": "classification"}
    for found in (
        adjudge.evaluate(truth, said, groups=site, **asked),
        adjudge.evaluate(truth, said, groups={"site": site, "ward": ward}, **asked),
        adjudge.evaluate(truth, probabilities=probable, positive="yes", groups=site, **asked),
        adjudge.compare(truth, {"a": said, "b": truth}, groups=site, **asked),
        adjudge.evaluate(table, truth="t", pred="p", groups="site", **asked),
        adjudge.evaluate(table.lazy(), truth="t", pred="p", groups="site", **asked),
        adjudge.compare(table.lazy(), truth="t", models=["p", "q"], groups="site", **asked),
        adjudge.gate(truth, truth, said, groups=site),
    ):
        (notice,) = (own for own in found.warnings if own.code == "groups-nearly-the-same")
        assert "groups that differ only by" in notice.message
        assert "'North' and 'north'; 'south' and 'south '" in notice.message
        assert "groups.str.normalize" in notice.remedy
    table.write_csv(tmp_path / "t.csv")
    command = ["evaluate", str(tmp_path / "t.csv"), "--truth", "t", "--pred", "p", "--kind", "classification"]
    assert "groups that differ only by" in shell(*command, "--by", "site").err


def test_categories_of_raters_and_labels_of_sets_are_names_as_well() -> None:
    ratings = [["good", "Good"], ["bad", "bad"], ["good", "bad"]]
    sets = [{"red"}, {"red ", "blue"}, {"blue"}]
    found = [
        adjudge.evaluate(ratings, kind="raters"),
        adjudge.evaluate(sets, sets, kind="multilabel"),
        adjudge.compare(sets, {"a": sets, "b": sets}, kind="multilabel"),
    ]
    for own in found:
        (notice,) = (one for one in own.warnings if one.code == "labels-nearly-the-same")
        assert "to unite them" in notice.text


@each("labels", [["a", "b"], ["1", "01"], ["no", "none"], [1, 2], ["e", "\u00e9"], ["a-b", "a_b"]])
def test_what_is_not(labels: Any) -> None:
    assert nearly_the_same(labels) == []
    assert not adjudge.evaluate(labels, labels, kind="classification").warnings


def test_free_text_is_asked_about_and_printed_in_few_lines(tmp_path: Path, shell: Any) -> None:
    text = [f"answer {i}" for i in range(300)]
    found = adjudge.evaluate(text, text[::-1], kind="classification")
    (notice,) = found.warnings
    assert notice.text == (
        "the truth has 300 classes in 300 instances, as free text has: is it a column of labels?"
    )
    assert len(repr(found).splitlines()) < 40
    file = tmp_path / "text.csv"
    file.write_text("t,p\n" + "".join(f"{a},{b}\n" for a, b in zip(text, text[::-1], strict=True)))
    told = shell("evaluate", file, "--truth", "t", "--pred", "p", "--kind", "classification")
    assert len(told.out.splitlines()) < 45
    assert "300 classes: --format json has the scores of each" in told.out
    assert "is it a column of labels?" in told.err
    # Numbers, few classes, and classes that repeat are none.
    for labels in (np.arange(300), text[:20], text * 3):
        assert not adjudge.evaluate(labels, labels, kind="classification").warnings
