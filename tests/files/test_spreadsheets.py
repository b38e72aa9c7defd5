"""What spreadsheets write: a line that declares the separator, headers of files put together, and workbooks."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adjudge.cli import main
from adjudge.errors import InputError, MissingExtraError
from adjudge.files import excel
from adjudge.files.kinds import open_table
from conftest import raises_line

ROWS = [("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")]
ACCURACY = shlex.split("--truth truth --pred pred --kind classification --indices accuracy -f csv")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def written(text: str, name: str = "p.csv") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def table(sign: str, first: str = "", last: str = "\n") -> str:
    return first + "\n".join(sign.join(row) for row in [("truth", "pred"), *ROWS]) + last


@pytest.mark.full(keep=6)
@pytest.mark.parametrize(
    ("line", "sign"),
    [("sep=;", ";"), ("SEP=|", "|"), ('"sep=,",', ","), (r"sep=\t", "\t"), ("sep=\t", "\t"), ("sep=;;", ";")],
)
@pytest.mark.parametrize("name", ["p.csv", "p.txt"])
def test_a_line_that_declares_the_separator(
    write: Callable[..., Path], run: Any, line: str, sign: str, name: str
) -> None:
    for end in ("\n", "\r\n"):
        path = write(table(sign, first=line + end), name)
        opened = open_table(path)
        assert opened.columns == ["truth", "pred"]
        assert [column.labels() for column in opened.label_columns(["pred"])] == [["a", "b", "b", "b"]]
        assert ",0.75," in run("evaluate", path, *ACCURACY)


def test_lines_after_the_declaration_keep_their_numbers(write: Callable[..., Path], run: Any) -> None:
    path = write("sep=;\na;b\n1;2\n3;4;5\n")
    with raises_line(InputError, f"{str(path)!r}, line 4: 3 fields where the header has 2"):
        open_table(path).label_columns(["a"])
    with raises_line(InputError, f"{str(write('sep=;'))!r} has no header after its first line"):
        open_table(path)
    path = write(table(";", first="sep=;\n"))
    assert "its first line declares the separator: leave out --engine duckdb" in run(
        "evaluate", path, *ACCURACY, "--engine", "duckdb", code=2
    )


@pytest.mark.parametrize("last", ["\n", ""])
def test_a_header_that_is_repeated(write: Callable[..., Path], run: Any, last: str) -> None:
    path = write(table(",") + table(",", last="\ntruth,pred" + last))
    said = f"{str(path)!r}, line 6 repeats the header: leave such lines out where files are put together"
    with raises_line(InputError, said):
        open_table(path).label_columns(["pred"])
    with pytest.raises(InputError, match="line 3 repeats the header"):
        open_table(write("x,y\n1,2\nx,y\n")).points(["x"])
    path = write(table(",") + table(",", last="\ntruth,pred" + last))
    assert "a line repeats the header: leave out --engine duckdb" in run(
        "evaluate", path, *ACCURACY, "--engine", "duckdb", code=2
    )
    # One column may hold a label that is called as the column is.
    assert open_table(write("kind\nkind\nother\n")).label_columns(["kind"])[0].labels() == ["kind", "other"]


def test_a_header_that_is_repeated_in_a_large_file(write: Callable[..., Path]) -> None:
    text = "truth,pred\n" + "label,other\n" * 60_000
    path = write(text + text)
    with pytest.raises(InputError, match="line 60002 repeats the header"):
        open_table(path).label_columns(["pred"])


def book(path: Path, *sheets: Sequence[Sequence[Any]]) -> Path:
    openpyxl = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    made.remove(made.active)
    for rows in sheets:
        sheet = made.create_sheet()
        for row in rows:
            sheet.append(row)
    made.save(path)
    return path


@pytest.mark.full
def test_a_workbook(tmp_path: Path, run: Any) -> None:
    day = datetime.date(2024, 2, 29)
    rows = [("truth", "pred", "x", "day"), *((*row, i + 0.1, day) for i, row in enumerate(ROWS))]
    path = book(tmp_path / "b.xlsx", rows, [])
    opened = open_table(path)
    assert opened.columns == ["truth", "pred", "x", "day"]
    assert opened.numeric_columns() == ["x"]
    assert np.array_equal(opened.points(["x"])[:, 0], [0.1, 1.1, 2.1, 3.1])
    assert opened.label_columns(["day"])[0].labels() == ["2024-02-29"] * 4
    assert ",0.75," in run("evaluate", path, *ACCURACY)


def test_numbers_of_a_workbook_are_labels(tmp_path: Path) -> None:
    path = book(tmp_path / "b.xlsx", [("a", "b"), (1, 1.0), (2, None), (3, "#N/A"), (None, "07")])
    a, b = open_table(path).label_columns(["a", "b"])
    assert a.labels() == [1, 2, 3, None]
    assert b.labels() == ["1", None, None, "07"] or b.labels() == ["1.0", None, None, "07"]


@pytest.mark.full(keep=2)
@pytest.mark.parametrize(
    ("sheets", "said"),
    [
        ([[("a", "b"), (1, 2), ("a", "b")]], ", row 3 repeats the header"),
        ([[("a", "b"), (1, 2, 3)]], ", row 2: 3 cells where the header has 2"),
        ([[("a",), (1,)], [("b",), (2,)]], " has 2 sheets, 'Sheet', 'Sheet1': --sheet Sheet reads the first"),
        ([[("a", "b")]], " has a header and no rows"),
        ([[], []], " is empty"),
        ([[("a", "a"), (1, 2)]], " has 2 columns named 'a': rename all but one"),
    ],
)
def test_workbooks_that_cannot_be_read(tmp_path: Path, run: Any, sheets: Any, said: str) -> None:
    path = book(tmp_path / "b.xlsx", *sheets)
    assert said in run("evaluate", path, "--labels", "a", code=2)


def test_a_workbook_needs_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = book(tmp_path / "b.xlsx", [("a",), (1,)])
    monkeypatch.setattr(excel, "find_spec", lambda name: None)
    with raises_line(
        MissingExtraError,
        f"reading the workbook {str(path)!r} needs the package 'openpyxl', which is not installed: "
        "pip install 'adjudge[excel]'",
    ):
        open_table(path)


def test_hidden_sheets_and_the_one_that_is_named(tmp_path: Path, run: Any) -> None:
    import openpyxl

    path = tmp_path / "b.xlsx"
    good, bad = [("truth", "pred"), *ROWS], [("truth", "pred"), *((a, "c") for a, _ in ROWS)]
    book(path, good, bad)
    opened = openpyxl.load_workbook(path)
    opened.worksheets[1].sheet_state = "hidden"
    opened.create_sheet("empty")
    opened.save(path)
    found = {}
    for given in ([], ["--sheet", "Sheet"], ["--sheet", "Sheet1"]):
        found[given[-1] if given else ""] = run("evaluate", path, *ACCURACY, *given)
    assert found[""] == found["Sheet"] != found["Sheet1"]
    assert run("evaluate", path, *ACCURACY, "--sheet", "Shet1", code=2).endswith(
        "has no sheet 'Shet1': did you mean 'Sheet1'?"
    )
    opened.worksheets[1].sheet_state = "visible"
    opened.save(path)
    with raises_line(
        InputError,
        f"{str(path)!r} has 2 sheets, 'Sheet', 'Sheet1': pandas.read_excel(..., sheet_name='Sheet') reads the first",
    ):
        open_table(path)


def test_a_sheet_or_an_encoding_of_what_has_none(tmp_path: Path, shell: Any) -> None:
    import polars as pl

    frame = pl.DataFrame({"truth": ["a", "b"] * 6, "pred": ["a", "a", "b"] * 4, "x": range(12)})
    frame.write_csv(tmp_path / "t.csv")
    frame.write_parquet(tmp_path / "t.parquet")
    book(tmp_path / "b.xlsx", [("truth", "pred"), *ROWS])
    for name in ("t.csv", "t.parquet"):
        path = str(tmp_path / name)
        for command in (
            ["evaluate", path, *ACCURACY],
            ["compare", path, "--truth", "truth", "--models", "pred,truth"],
            ["gate", path, "--truth", "truth", "--old", "pred", "--new", "truth"],
            ["choose-k", path, "--columns", "x"],
            ["benchmark", path],
            ["raters", path, "--raters", "truth,pred"],
        ):
            assert shell(*command, "--sheet", "S", code=2).err == (
                f"adjudge: --sheet S is of a workbook (.xlsx), and {path!r} is none: leave it out\n"
            )
    for name in ("t.parquet", "b.xlsx"):
        path = str(tmp_path / name)
        assert shell("evaluate", path, *ACCURACY, "--encoding", "latin-1", code=2).err == (
            f"adjudge: --encoding latin-1 is of text, and {path!r} is none: leave it out\n"
        )
    (tmp_path / "list.txt").write_text("a\nb\n" * 6)
    beside = ["--truth", str(tmp_path / "list.txt"), "--pred", "pred", "--kind", "classification"]
    assert main(["evaluate", str(tmp_path / "t.parquet"), *beside, "--encoding", "latin-1"]) == 0
    tables = [str(tmp_path / name) for name in ("t.csv", "b.xlsx")]
    asked = ["--truth", "truth", "--prediction", "pred", "--key", "truth"]
    assert (
        "is of a workbook"
        not in shell("gate", tables[0], "--against", tables[1], *asked, "--sheet", "Sheet", code=None).err
    )


@pytest.mark.parametrize(
    ("name", "option"), [("latin-1", "cp1252"), ("cp1252", "cp1252"), ("utf-16", "utf-16")]
)
def test_text_in_other_encodings(tmp_path: Path, run: Any, name: str, option: str) -> None:
    rows = [("é", "é"), ("é", "à"), ("à", "à"), ("à", "à")]
    texts = {
        "p.csv": "truth,pred\n" + "".join(f"{t},{p}\n" for t, p in rows),
        "p.jsonl": "".join(f'{{"truth": "{t}", "pred": "{p}"}}\n' for t, p in rows),
    }
    for file, text in texts.items():
        path = tmp_path / file
        path.write_text(text, "utf-8")
        expected = run("evaluate", path, *ACCURACY)
        path.write_text(text, name)
        if file == "p.csv":
            assert f"save it as UTF-8, or --encoding {option} reads it" in run(
                "evaluate", path, *ACCURACY, code=2
            )
        assert run("evaluate", path, *ACCURACY, "--encoding", name) == expected
    assert "--encoding nope is not known" in run("evaluate", path, *ACCURACY, "--encoding", "nope", code=2)
    # The next command reads UTF-8 again.
    path.write_text(texts["p.jsonl"], "utf-8")
    assert main(["evaluate", str(path), *ACCURACY]) == 0
