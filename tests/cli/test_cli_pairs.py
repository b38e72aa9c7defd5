"""Clusters that follow from linked pairs, on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import adjudge

ENTITIES = ["Ann", "Ann", "Ann", "Bo", "Cy", "Cy"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},r{i},{own}\n" for i, own in enumerate(ENTITIES, 1))
    Path("records.csv").write_text(f"number,record,entity\n{rows}")
    Path("links.csv").write_text("a,b,score\nr1,r2,0.95\nr3,r4,0.6\nr5,r6,0.9\nr1,r3,0.7\n")
    Path("plain.csv").write_text("a,b\n1,2\n3,4\n")


def judged(run: Any, *flags: str) -> dict[str, Any]:
    out = run("evaluate", "records.csv", "--truth", "entity", *flags, "--indices", "all", "--format", "json")
    return dict(json.loads(out)["evaluations"])


def test_pairs_from_a_threshold_on(run: Any) -> None:
    for threshold, labels in ((0.65, [0, 0, 0, 1, 2, 2]), (0.9, [0, 0, 1, 2, 3, 3]), (1.0, list(range(6)))):
        found = judged(run, "--id", "record", "--pairs", "links.csv", "--threshold", str(threshold))
        wanted = adjudge.evaluate(ENTITIES, labels, indices="all", kind="clustering")
        assert list(found) == ["links.csv"]
        assert {
            name: v for name, v in found["links.csv"]["values"].items() if v is not None
        } == pytest.approx({name: v for name, v in wanted.to_dict()["values"].items() if v is not None})


def test_pairs_without_scores_of_records_with_numbers(run: Any) -> None:
    found = judged(run, "--id", "number", "--pairs", "plain.csv")["plain.csv"]["values"]
    assert found["pair_f"] == adjudge.pair_f(ENTITIES, [0, 0, 1, 1, 2, 3])


def test_options_that_do_not_fit(run: Any) -> None:
    of_pairs = ["--truth", "entity", "--id", "record", "--pairs", "links.csv"]
    for flags, words in [
        (of_pairs, "'links.csv' has scores: say which of them link, with --threshold"),
        (
            [*of_pairs[:5], "plain.csv", "--threshold", "1"],
            "'plain.csv' has no scores: leave out --threshold",
        ),
        ([*of_pairs, "--kind", "classification"], "--kind does not work with --pairs: leave it out"),
        ([*of_pairs, "--columns", "number"], "--columns does not work with --pairs: leave it out"),
        ([*of_pairs, "--pred", "number"], "--pred does not work with --pairs: leave it out"),
        (of_pairs[2:], "--pairs is judged against the truth: name its column with --truth"),
        ([*of_pairs[:2], *of_pairs[4:]], "--pairs names records: name their column with --id"),
        (
            ["--truth", "entity", "--pred", "number", "--threshold", "1"],
            "--threshold is an option for linked pairs",
        ),
        (
            [*of_pairs[:3], "entity", "--pairs", "plain.csv"],
            "--id entity names 'Ann' twice: give each record once",
        ),
        ([*of_pairs[:5], "plain.csv"], "which is not among the records"),
        ([*of_pairs[:5], "records.csv", "--threshold", "1"], "column 'entity'"),
    ]:
        assert words in run("evaluate", "records.csv", *flags, code=2), flags


def test_a_threshold_above_all_scores_is_said(shell: Any) -> None:
    asked = ["records.csv", "--truth", "entity", "--id", "record", "--pairs", "links.csv", "--threshold"]
    said = "no pair is linked: the highest score is 0.95, below 60: --threshold is on the scale of the scores"
    assert f"adjudge: {said}\n" in shell("evaluate", *asked, "60").err
    assert "no pair" not in shell("evaluate", *asked, "0.95").err


def test_pairs_that_are_no_table_are_named() -> None:
    with pytest.raises(
        adjudge.InputTypeError, match="pairs= is a list: give a data frame with two columns of records"
    ):
        adjudge.evaluate("records.csv", truth="entity", key="record", pairs=[("r1", "r2")])
