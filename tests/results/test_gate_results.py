"""What a gate says: sentences, tables, JSON, Markdown, JUnit's XML, frames."""

from __future__ import annotations

import json
import math
import pickle
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Xml

import numpy as np
import pandas as pd
import polars as pl
import pytest

from adjudge import InputError, compare, find_index, gate
from adjudge.inference.differences.margins import Change
from adjudge.results import gate_words
from adjudge.results.gate_check import Check
from gates import gate_rows

PLAIN, PLANTED = gate_rows(), gate_rows(planted=True)


def judged(frame: pd.DataFrame = PLANTED, **options: Any) -> Any:
    return gate(frame, "v1", "v2", truth="truth", **{"margin": 0.08, "groups": "country", **options})


FAILED = judged(indices=["accuracy", "recall[churn]"], max_broken={"churn": 0.05})
PASSED = judged(PLAIN)
OPEN = judged(PLAIN, margin=0.0, groups=None)


def test_sentences_say_the_verdict_why_and_what_broke() -> None:
    head, why, broke = FAILED.sentences()
    assert head == "FAIL: the new model may not replace the old one."
    assert ", recall[churn] in FR went from 0.9" in why
    assert "(the margin is 0.080, p < 0.0001)" in why
    assert why.startswith("42 % of the rows of churn in FR broke, where 5 % may, ")
    assert " and " in why
    own = FAILED.comparison.by_group["FR"]["old", "new"]
    row = next(row for row in own.recalls if row.label == "churn")
    lost = f"{row.broken} of its {row.n} broke, {row.fixed} were put right."
    assert broke.endswith(f"class churn in FR lost most: {lost}")
    assert broke.startswith(
        f"{FAILED.n_broken} rows that were right are wrong now, {FAILED.n_fixed} rows that were"
    )
    assert PASSED.sentences()[:2] == [
        "PASS: the new model may replace the old one.",
        "All 8 checks pass, each at 95 % confidence.",
    ]
    assert (
        judged(PLAIN, groups=None, indices="accuracy").sentences()[1]
        == "The check passes at 95 % confidence."
    )
    head = "UNDECIDED: the new model may or may not replace the old one: these data do not tell."
    assert judged(PLAIN, margin=0.008, groups=None).sentences()[0] == head


@pytest.mark.parametrize(
    ("unit", "units"), [("query", "queries"), ("match", "matches"), ("pair of rows", "pairs of rows")]
)
def test_what_a_kind_counts_has_the_right_plural(
    unit: str, units: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(gate_words._UNITS, "classification", unit)
    assert f"{FAILED.n_broken} {units} that were right" in FAILED.sentences()[2]


def test_the_worst_failure_is_named_first() -> None:
    failed = [check for check in FAILED.tested if check.status == "fail"]
    assert len(failed) > 3
    first = max(failed, key=lambda check: check.excess)
    assert first.title == "broken[churn] in FR"
    assert FAILED.sentences()[1].startswith("42 % of the rows of churn in FR broke")
    assert f" and {len(failed) - 3} more" in FAILED.sentences()[1]


def broken_of(limit: float, new: float, *, share: bool, **more: Any) -> Check:
    change = Change(-new, -new - 0.01, -new + 0.01, 0.95) if share else None
    return Check("broken", more.pop("name", "broken"), "fail", math.nan, new, limit, change, **more)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        (broken_of(0, 5, share=False), "5 of the rows broke, where 0 may"),
        (broken_of(3, 1200, share=False, group=("FR", "a")), "1,200 of the rows in FR, a broke, where 3 may"),
        (broken_of(0.05, 1.0, share=True), "100 % of the rows broke, where 5 % may"),
        (
            broken_of(0.0, 0.1, share=True, name="broken[churn]"),
            "10 % of the rows of churn broke, where 0 % may",
        ),
    ],
)
def test_numbers_of_rows_are_no_shares(check: Check, words: str) -> None:
    found = replace(PASSED, verdict="fail", tested=(check,))
    assert found.sentences()[1] == f"{words}."


def test_one_row_and_no_row() -> None:
    truth = ["a", "b"] * 200
    one = gate(truth, truth, ["b", *truth[1:]])
    assert one.sentences()[2].startswith(
        "1 row that was right is wrong now, 0 rows that were wrong are right"
    )
    other = gate(truth, ["b", *truth[1:]], truth)
    assert other.sentences()[2] == "0 rows that were right are wrong now, 1 row that was wrong is right."


def test_the_table_of_checks() -> None:
    table = FAILED.checks
    assert table.columns == ("check", "claim", "old", "new", "change", "at worst", "margin", "result")
    assert len(table.rows) == len(FAILED.tested) == 12
    for row, check in zip(table.rows, FAILED.tested, strict=True):
        assert row[:2] == (check.title, check.claim)
        assert row[-1] == {"fail": "FAIL"}.get(check.status, check.status)
        if check.claim == "broken":
            assert (row[2], row[4]) == (None, None)
            assert row[5] == -check.change.low
        else:
            assert row[4] == pytest.approx(check.new - check.old)
            assert row[5] == check.change.low
    assert table.foot == "at worst: the end of an interval that holds with 95 % confidence"
    assert judged(PLAIN[:9], groups=None).checks.columns[-1] == "note"


def test_a_loss_is_shown_as_it_is() -> None:
    change = Change(-0.02, -0.03, -0.01, 0.95)
    check = Check("not worse", "log_loss", "fail", 0.4, 0.42, 0.01, change, index=find_index("log_loss"))
    assert check.difference == pytest.approx(0.02)
    assert check.worst == 0.03
    assert check.excess == pytest.approx(1.0)
    both = replace(check, claim="equivalent", change=Change(0.05, 0.04, 0.06, 0.95))
    assert both.worst == -0.06
    assert both.excess == pytest.approx(4.0)
    assert math.isnan(replace(check, change=None).worst)
    assert replace(check, change=None).excess == math.inf


def test_where_rows_broke() -> None:
    table = FAILED.broken_table()
    assert table.columns == ("group", "class", "n", "broken", "fixed")
    assert table.rows[0][:2] == ("FR", "churn")
    net = [row[4] - row[3] for row in table.rows]
    assert net == sorted(net)
    assert all(row[3] > 0 for row in table.rows)
    assert sum(row[3] for row in FAILED.broken_table(1000).rows) == FAILED.n_broken
    assert len(FAILED.broken_table(2).rows) == 2
    alone = judged(groups=None).broken_table()
    assert alone.columns == ("class", "n", "broken", "fixed")
    assert sum(row[2] for row in alone.rows) == FAILED.n_broken


def test_the_matrix_and_its_rows() -> None:
    assert (FAILED.matrix.right_wrong, FAILED.matrix.wrong_right) == (FAILED.n_broken, FAILED.n_fixed)
    assert len(FAILED.broken) == FAILED.n_broken
    assert len(FAILED.fixed) == FAILED.n_fixed
    assert len(FAILED.rows_of("both_right").rows) == FAILED.matrix.both_right
    with pytest.raises(InputError, match="cell='x' is not known"):
        FAILED.rows_of("x")
    # Without the table that they come from, the truth and both labels are known.
    rows = replace(FAILED, _rows=None).rows_of("right_wrong")
    assert rows.columns == ("row", "truth", "old", "new")
    assert len(rows.rows) == FAILED.n_broken
    assert all(truth == old != new for _, truth, old, new in rows.rows)


def test_plain_json() -> None:
    stored = json.loads(json.dumps(FAILED.to_dict(), allow_nan=False))
    assert stored["kind"] == "gate"
    assert stored["verdict"] == "fail"
    assert stored["sentences"] == FAILED.sentences()
    assert stored["broken"] == FAILED.n_broken
    assert stored["fixed"] == FAILED.n_fixed
    assert stored["confidence"] == 0.95
    assert stored["settings"]["margin"] == 0.08
    assert stored["settings"]["max_broken"] == {"churn": 0.05}
    assert stored["comparison"]["kind"] == "comparison"
    for own, check in zip(stored["checks"], FAILED.tested, strict=True):
        assert own["status"] == check.status
        assert own["gain"] == check.change.value
        assert own["gain_interval"] == [check.change.low, check.change.high]
        assert own["group"] == check.group
        assert (own["p_value"], own["p_fail"]) == (check.p_value, check.p_fail)
    assert len(stored["where_broken"]) == len(FAILED.broken_table(1000).rows)
    weights = np.random.default_rng(0).exponential(size=len(PLANTED))
    weighted = judged(sample_weight=weights, weights="importance", max_broken=5)
    json.dumps(weighted.to_dict(), allow_nan=False)
    assert weighted.sentences()[2].startswith("By weight, ")
    assert "% of the rows were right and are wrong now, " in weighted.sentences()[2]


def test_sentences_do_not_depend_on_the_scale_of_weights() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 400)
    labels = {name: np.where(rng.random(400) < 0.97, truth, 1 - truth) for name in ("old", "new")}
    options: dict[str, Any] = {"kind": "classification", "weights": "importance"}
    own = rng.uniform(0.5, 1.5, 400)
    by_scale = [
        [
            gate(truth, *labels.values(), sample_weight=scale * own, margin=0.001, **options).sentences(),
            [str(said) for said in compare(truth, labels, sample_weight=scale * own, **options).warnings],
            compare(truth, labels, sample_weight=scale * own, **options).verdict.to_dict(),
        ]
        for scale in (1, 100, 0.01)
    ]
    assert by_scale[0] == by_scale[1] == by_scale[2]
    effective = own.sum() ** 2 / (own @ own)
    assert f"There are {effective:.0f} effective rows; about " in by_scale[0][0][1]
    assert "effective instances separate" in str(by_scale[0][2])


def test_frames_are_of_the_library_of_the_table() -> None:
    assert list(FAILED.to_frame()["check"]) == [check.title for check in FAILED.tested]
    polars = gate(pl.DataFrame(PLANTED.to_dict("list")), "v1", "v2", truth="truth")
    for frame in (polars.to_frame(), polars.broken, polars.fixed):
        assert isinstance(frame, pl.DataFrame)


def test_markdown() -> None:
    text = FAILED.to_markdown()
    lines = text.splitlines()
    assert lines[0] == "## Gate: FAIL"
    assert lines[2].startswith("FAIL: ")
    heads = next(line for line in lines if line.startswith("| check"))
    assert heads.count("|") == len(FAILED.checks.columns) + 1
    assert (
        sum(line.startswith("| ") for line in lines)
        == len(FAILED.tested) + len(FAILED.broken_table().rows) + 4
    )
    assert text.endswith("\n")
    few = judged(PLAIN[:20], groups=None)
    assert few.to_markdown().rstrip().splitlines()[-1].startswith("> warning: with 10 to 30 units")
    pipes = PLANTED.replace({"churn": "a|b"})
    marked = gate(pipes["truth"], pipes["v1"], pipes["v2"], indices=["recall[a|b]"]).to_markdown()
    row = next(line for line in marked.splitlines() if "recall" in line and line.startswith("|"))
    assert row.replace("\\|", "").count("|") == 9


@pytest.mark.parametrize("found", [FAILED, PASSED, OPEN, judged(PLAIN[:40], groups=None, margin=0.03)])
def test_junit_is_xml_with_a_case_for_each_check(found: Any) -> None:
    suite = Xml.fromstring(found.to_junit().encode())
    assert suite.tag == "testsuite"
    statuses = [check.status for check in found.tested]
    assert {name: int(suite.attrib[name]) for name in ("tests", "failures", "errors", "skipped")} == {
        "tests": len(statuses),
        "failures": statuses.count("fail"),
        "errors": 0,
        "skipped": statuses.count("undecided"),
    }
    cases = suite.findall("testcase")
    for case, check in zip(cases, found.tested, strict=True):
        assert case.attrib == {"classname": f"gate.{check.claim}", "name": check.title}
        assert [own.tag for own in case] == {"pass": [], "fail": ["failure"], "undecided": ["skipped"]}[
            check.status
        ]
        assert all(own.attrib["message"] for own in case)
    assert suite.findtext("system-out") == "\n".join([*found.sentences(), *map(str, found.warnings)])


def test_junit_and_other_texts_hold_any_label() -> None:
    odd = ['<a&b "c">', "tab\tline\nend", "bell\x07null\x00", "\ufffe\ud800", "é"]
    truth = odd * 40
    new = [*odd[:4], odd[0]] * 40
    found = gate(truth, truth, new, groups=[label * 2 for label in truth], kind="classification",
                 indices=[f"recall[{label}]" for label in odd])  # fmt: skip
    suite = Xml.fromstring(found.to_junit().encode("utf-8"))
    assert len(suite.findall("testcase")) == len(found.tested)
    assert all("\n" not in line for line in found.sentences())
    json.dumps(found.to_dict(), allow_nan=False)
    for text in (repr(found), found.to_markdown(), found._repr_html_()):
        assert text


def test_what_a_notebook_and_a_terminal_show() -> None:
    shown = repr(FAILED)
    assert shown.startswith("\n".join(FAILED.sentences()))
    for table in FAILED.tables():
        assert table.text() in shown
    assert len(FAILED.tables()) == 2
    assert FAILED.lines() == FAILED.sentences()
    page = FAILED._repr_html_()
    assert "may not replace the old one" in page
    assert page.count("<table") == 2
    same = gate(["a", "b"] * 400, ["a", "b"] * 400, ["a", "b"] * 400)
    assert len(same.tables()) == 1


def test_equal_gates_are_equal_and_are_pickled() -> None:
    assert judged() == judged()
    assert judged() != judged(PLAIN)
    other = pickle.loads(pickle.dumps(replace(FAILED, _rows=None, comparison=PASSED.comparison)))
    assert other.sentences()[:2] == FAILED.sentences()[:2]


def test_how_many_units_are_needed_is_known_if_it_is_for_every_open_check() -> None:
    found = judged(PLAIN, margin=0.008, groups=None)
    needed = [check.units_needed for check in found.tested if check.status == "undecided"]
    assert needed
    assert found.units_needed == max(needed)
    assert PASSED.units_needed is None
    unknown = replace(found.tested[0], status="undecided", units_needed=None)
    assert replace(found, tested=(*found.tested, unknown)).units_needed is None
    text = judged(PLAIN, margin=0.008, groups=None, units="ward").sentences()[1]
    assert f"There are {PLAIN['ward'].nunique()} units; about " in text
    # Two digits, rounded up.
    shown = int(text.split("; about ")[1].split(" ")[0].replace(",", ""))
    exact = judged(PLAIN, margin=0.008, groups=None, units="ward").units_needed
    assert exact <= shown < 1.1 * exact


def test_what_would_be_enough_is_said_of_the_checks_that_have_a_number() -> None:
    found = judged(PLAIN, margin=0.008)
    undecided = [check for check in found.tested if check.status == "undecided"]
    sizes = {None: len(PLAIN), **PLAIN["country"].value_counts()}
    most = max(undecided, key=lambda check: check.units_needed / sizes[check.group])
    assert most.group is not None
    text = found.sentences()[1]
    assert f"There are {sizes[most.group]} rows in {most.group}; about " in text
    assert text.endswith(" would be enough there if the models are equally good.")
    # A group that is too small to have a number does not silence the others.
    tiny = PLAIN.assign(country=np.where(np.arange(len(PLAIN)) < 9, "LI", PLAIN["country"]))
    few = judged(tiny, margin=0.008, units="ward")
    assert few.units_needed is None
    assert " would be enough there if" in few.sentences()[1]
    note = next(own for own in few.warnings if own.code == "undecidable-groups")
    n = tiny[tiny.country == "LI"]["ward"].nunique()
    assert str(note) == (
        "warning: LI has fewer than 10 effective units, so that nothing is decided there: "
        f"leave out such groups with smallest_group={n + 1}, or judge more of their units"
    )
    left = judged(tiny, margin=0.008, units="ward", smallest_group=n + 1)
    assert "undecidable-groups" not in [own.code for own in left.warnings]
    rows = judged(tiny, margin=0.008)
    assert "LI has fewer than 10 instances" in str(rows.warnings[-1])


def test_no_number_shows_that_an_equal_model_is_better() -> None:
    few = PLAIN[:100]
    found = judged(few, groups=None, superior="accuracy")
    assert found.verdict == "undecided"
    assert found.sentences()[1].endswith(
        " If the models are equally good, no number of rows shows that the new one is better."
    )
    both = judged(few, groups=None, margin=0.008, indices="accuracy", superior="accuracy").sentences()[1]
    assert "would be enough for Accuracy if the models are equally good. If they are, no number" in both


def test_weights_are_written_in_few_digits() -> None:
    rng = np.random.default_rng(2)
    truth, region = rng.integers(0, 2, 300), np.array(["a", "b"])[np.arange(300) % 2]
    new = np.where((region == "b") & (rng.random(300) < 0.3), 1 - truth, truth)
    weights = rng.lognormal(9, 1, 300)
    asked: dict[str, Any] = {
        "groups": region,
        "sample_weight": weights,
        "weights": "importance",
        "margin": 0.02,
    }
    text = " ".join(gate(truth, old=truth, new=new, kind="classification", **asked).sentences())
    assert re.search(r"class \d in b lost most: \d+ % of it broke", text), text


def test_a_rare_class_that_is_lost_comes_first() -> None:
    truth = np.repeat(["fine", "fraud"], [2000, 40])
    old = truth.copy()
    old[:40] = "fraud"
    new = truth.copy()
    new[40:120], new[2000:2020] = "fraud", "fine"
    found = gate(truth, old=old, new=new, kind="classification", margin=0.5)
    assert [row[0] for row in found.broken_table().rows] == ["fraud", "fine"]
    assert "class fraud lost most: 20 of its 40 broke, 0 were put right" in " ".join(found.sentences())
