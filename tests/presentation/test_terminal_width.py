"""Tables in terminals of any width: no number is ever cut."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from adjudge.presentation.numbers import UpperBound, show_number
from adjudge.presentation.tables import Table
from adjudge.presentation.terminal_width import fitted

ROWS = (
    ("adjusted_rand", 0.98765, 3.388e-21, UpperBound(5.9e-5), "0.912 [0.874, 0.950]", ""),
    (
        "variation_of_information",
        math.nan,
        -math.inf,
        0.5,
        "0.1 [-0.2, 0.3]",
        "0/0: neither partition joins a pair",
    ),
    ("n", 1234567, 1e-300, 1.5e12, "-", "error at most 0.01; one-sided, since no error was observed"),
)
TABLE = Table(("index", "value", "low", "p", "with interval", "note"), ROWS, "a title")
NUMBERS = [show_number(cell) for row in ROWS for cell in row if isinstance(cell, (int, float))]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_every_number_is_whole(width: int) -> None:
    text = "\n".join(fitted(TABLE, width))
    for number in [*NUMBERS, "0.912 [0.874, 0.950]"]:
        assert re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", text), number
    for row in ROWS:
        assert row[0] in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("width", [80, 200])
def test_a_wide_terminal_shows_one_table(width: int) -> None:
    table = Table(("index", "value"), (("rand", 0.5), ("jaccard", 0.25)))
    assert fitted(table, width) == ["index     value", "rand     0.5000", "jaccard  0.2500"]


def test_a_narrow_terminal_repeats_the_names() -> None:
    table = Table(("model", "first_measure", "second_measure"), (("forest", 0.5, 0.25),))
    assert fitted(table, 26) == [
        "model   first_measure",
        "forest         0.5000",
        "",
        "model   second_measure",
        "forest          0.2500",
    ]


def test_a_very_narrow_terminal_stacks() -> None:
    table = Table(("model", "measure", "note"), (("forest", 0.5, "all is well"),))
    assert fitted(table, 12) == ["forest", "  measure  0.5000", "  note     all is well"]


@pytest.mark.parametrize("rows", [(), ((1, 2.0),)])
def test_tables_without_text(rows: Any) -> None:
    assert fitted(Table(("n", "x"), rows), 80)[0].split() == ["n", "x"]


def test_a_column_without_a_word_takes_no_lines():
    rows = (("first", 1.0, ""), ("second", 2.0, ""))
    shown = fitted(Table(("name", "value", "note"), rows), 14)
    assert shown == ["name     value", "first   1.0000", "second  2.0000"]
    noted = fitted(Table(("name", "value", "note"), (*rows, ("third", 3.0, "odd"))), 40)
    assert noted[0].split() == ["name", "value", "note"]
    assert fitted(Table(("name", "note"), ()), 40) == ["name  note"]


def test_a_block_of_a_few_notes_shows_the_rows_that_have_one() -> None:
    rows = [(f"index {i}", float(i), "a note of some words " * 3 if i in (1, 4) else "") for i in range(6)]
    table = Table(("index", "a long column of numbers", "note"), tuple(rows), groups=tuple("xxyyzz"))
    values, _, notes = "\n".join(fitted(table, 36)).partition("note")
    assert [f"index {i}" in values for i in range(6)] == [True] * 6
    assert [f"index {i}" in notes for i in range(6)] == [False, True, False, False, True, False]
    assert re.findall(r"^[XYZ]$", notes, re.MULTILINE) == ["X", "Z"]


def test_what_is_said_below_a_table() -> None:
    table = Table(("a",), ((1,),), foot="95 % intervals by score")
    assert table.text().splitlines() == ["a", "1", "95 % intervals by score"]
    assert table.markdown().splitlines()[-2:] == ["", "95 % intervals by score"]
    assert table.csv() == "a\n1\n"
