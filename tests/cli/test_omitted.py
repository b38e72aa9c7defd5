"""What the command line says about instances that are not judged, and about noise that the user spoke of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from adjudge.cli import main

LABELS = "y,a,b,n\nu,u,u,0\nu,u,v,0\nv,,v,1\nv,v,v,1\n,v,w,1\nw,w,w,-1\nw,u,u,2\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "labels.csv"
    path.write_text(LABELS)
    return path


@pytest.mark.parametrize("kind", ["clustering", "classification"])
@pytest.mark.parametrize(
    ("command", "left_out"),
    [
        (("evaluate", "--pred", "a"), "2 of the 7 rows are left out"),
        (("evaluate", "--pred", "b"), "1 of the 7 rows is left out"),
        (("evaluate", "--pred", "a,b"), "of 'a', 2 of the 7 rows are left out"),
        (("compare", "--models", "a,b"), "2 of the 7 rows are left out"),
    ],
)
def test_how_many_are_left_out_is_said_once(
    table: Path, shell: Any, command: tuple[str, ...], left_out: str, kind: str
) -> None:
    asked = (command[0], str(table), "--truth", "y", *command[1:], "--missing", "drop", "--kind", kind)
    assert shell(*list(asked)).err.count(f"adjudge: {left_out}, without a label\n") == 1


def test_nothing_is_said_if_all_are_judged(table: Path, shell: Any) -> None:
    table.write_text("y,a\nu,1\nv,2\n")
    assert shell("evaluate", table, "--truth", "y", "--pred", "a", "--missing", "drop").err == ""


@pytest.mark.parametrize("command", [("evaluate", "--pred", "a"), ("compare", "--models", "a")])
def test_noise_that_is_to_be_left_out_and_is_not_there(
    table: Path, shell: Any, command: tuple[str, ...]
) -> None:
    asked = (command[0], str(table), "--truth", "y", *command[1:], "--missing", "drop")
    assert (
        "no instance has the label '-1', so none was left out as noise"
        in shell(*asked, "--kind", "clustering", "--noise", "drop").err
    )


@pytest.mark.parametrize("noise", ["cluster", "drop"])
def test_noise_that_the_user_spoke_of(table: Path, shell: Any, noise: str) -> None:
    asked = ("evaluate", str(table), "--truth", "y", "--pred", "a,n", "--missing", "drop", "--noise", noise)
    said = shell(*list(asked)).err
    assert "counts as a cluster" not in said
    assert "no instance has the label" not in said


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_words_that_may_stand_for_a_missing_label_are_told_with_what_to_do(
    table: Path, capsys: pytest.CaptureFixture[str], shell: Any, engine: str
) -> None:
    table.write_text("y,a,b\nu,NA,NA\nu,u,NA\nu,u,u\nv,v,v\nv,nan,v\nw,,v\n")
    asked = ["evaluate", str(table), "--truth", "y", "--pred", "a,b", "--missing", "drop", "--engine", engine]
    told = shell(*asked).err.splitlines()
    assert [line for line in told if "NA" in line and "name" not in line] == [
        "adjudge: 'NA' and 'nan' are labels of column 'a', in 2 rows: if they mean that the label is missing, "
        "empty the cells and pass --missing drop",
        "adjudge: 'NA' is a label of column 'b', in 2 rows: if it means that the label is missing, empty the cells "
        "and pass --missing drop",
    ]
    # In a column of numbers they are missing.
    table.write_text("y,a\n1,NA\n1,1\n2,2\n2,nan\n2,1\n")
    assert main([*asked[:4], "--pred", "a", *asked[6:]]) == 0
    said = "adjudge: 2 of the 5 rows are left out, without a label\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize(
    ("beside", "lacking"),
    [
        ("", "a label"),
        ("--by g", "a label or a group"),
        ("--units u", "a label or a unit"),
        ("--by g --units u", "a label, a unit or a group"),
    ],
)
@pytest.mark.parametrize("command", ["evaluate --pred a", "evaluate --pred a,b", "compare --models a,b"])
def test_what_rows_lack_is_among_what_was_given(
    command: str, beside: str, lacking: str, engine: str, tmp_path: Path, shell: Any
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "y,a,b,g,u\nx,x,x,p,1\nz,z,x,q,2\nx,,x,p,3\nz,z,z,,4\nz,x,z,q,\nx,z,x,p,5\n", encoding="utf-8"
    )
    name, *rest = command.split()
    engines = ["--engine", engine] if name == "evaluate" else []
    asked = [name, str(path), "--truth", "y", *rest, *beside.split(), "--missing", "drop", *engines]
    said = [line for line in shell(*asked, "--kind", "classification").err.splitlines() if "left out" in line]
    assert said
    assert all(line.endswith(f"left out, without {lacking}") for line in said), said


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_rows_left_out_of_each_column_are_said_of_it(table: Path, shell: Any, engine: str) -> None:
    asked = ["evaluate", str(table), "--truth", "y", "--pred", "a,b", "--missing", "drop", "--engine", engine]
    said = [
        line for line in shell(*asked, "--kind", "classification").err.splitlines() if "left out," in line
    ]
    assert said == [
        "adjudge: of 'a', 2 of the 7 rows are left out, without a label",
        "adjudge: of 'b', 1 of the 7 rows is left out, without a label",
    ]
