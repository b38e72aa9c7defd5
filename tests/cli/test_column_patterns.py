"""Columns of points by a pattern, as every command that reads points takes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

POINTS = "x1,x2,other,xkind,x*\n0,0,9,1,3\n0,1,4,1,1\n5,5,8,2,4\n5,6,1,2,1\n9,0,0,3,5\n9,1,7,3,9\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "points.csv"
    path.write_text(POINTS)
    return path


def read(run: Any, table: Path, columns: str) -> list[str]:
    """Return the columns that the points are said to come from."""
    asked = ("--labels", "xkind", "--columns", columns, "--indices", "dunn", "--format", "json")
    return list(json.loads(run("evaluate", table, *asked))["columns"])


def test_a_pattern_is_all_columns_that_match_but_the_labels(table: Path, run: Any) -> None:
    assert read(run, table, "x?") == ["x1", "x2", "x*"]
    assert read(run, table, "x[0-9a-z]*") == ["x1", "x2"]
    assert read(run, table, "x2,x[12],other") == ["x2", "x1", "other"]


def test_a_column_of_that_very_name_comes_first(table: Path, run: Any) -> None:
    assert read(run, table, "x*") == ["x*"]


@pytest.mark.parametrize(
    "command",
    [
        ("choose-k", "--k", "2:3", "--indices", "silhouette"),
        ("cluster-tests",),
        ("plan", "--labels", "xkind"),
        ("choose", "--labels", "xk*"),
        ("report", "--truth", "xkind", "--models", "other", "--kind", "clustering"),
    ],
)
def test_every_command_says_that_nothing_matches(table: Path, run: Any, command: tuple[str, ...]) -> None:
    assert f"'y*' matches no column of {str(table)!r}: it has 'x1', 'x2'" in run(
        command[0], table, *command[1:], "--columns", "y*", code=2
    )


def test_labels_alone_are_no_points(table: Path, run: Any) -> None:
    said = run("evaluate", table, "--labels", "xkind", "--columns", "xk*", code=2)
    assert f"'xk*' matches no column of {str(table)!r} but those of labels or weights: it has" in said


@pytest.fixture
def models(tmp_path: Path) -> Path:
    path = tmp_path / "models.csv"
    rows = ["m_truth,m_a,m_b,w,x", *(f"{i % 2},{i % 2},{i % 3 % 2},1,{i}" for i in range(30))]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_labels_are_found_by_a_pattern_that_leaves_the_truth_out(models: Path, run: Any) -> None:
    for command, names in (
        ("evaluate {} --truth m_truth --pred m_* --weight w --weights frequency", "evaluations"),
        ("evaluate {} --labels m_? --columns x", "evaluations"),
        ("compare {} --truth m_truth --models m_* --kind clustering", "models"),
    ):
        assert list(json.loads(run(command.format(models), "--format", "json"))[names]) == ["m_a", "m_b"]
    page = models.with_name("page.html")
    run(f"report {models} --truth m_truth --models m_[ab] --kind clustering --output {page}")
    assert "m_b" in page.read_text()


@pytest.mark.parametrize(("command", "flag"), [("evaluate", "--pred"), ("compare", "--models")])
def test_a_pattern_of_labels_that_matches_nothing_is_named(
    models: Path, run: Any, command: str, flag: str
) -> None:
    assert f"'k_*' matches no column of {str(models)!r}: it has 'm_truth', 'm_a'" in run(
        command, models, "--truth", "m_truth", flag, "k_*", code=2
    )
    assert "matches no column of" in run(command, models, "--truth", "m_truth", flag, "m_t*", code=2)
