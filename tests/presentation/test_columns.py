"""Text in columns: line ends and wide characters in labels leave a table's rows and columns as they are."""

from __future__ import annotations

import pytest

import adjudge
from adjudge.presentation.columns import padded, shown_line, width_of, wrapped
from adjudge.presentation.tables import Table
from adjudge.presentation.terminal_width import fitted

ENDS = ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029", "\t"]


@pytest.mark.parametrize("end", ENDS)
def test_a_line_end_is_a_visible_blank(end: str) -> None:
    assert shown_line(f"a{end}b") == "a␣b"
    assert shown_line(f"a{end}") == "a␣"
    label = f"c{end}d"
    judged = adjudge.evaluate([label, "e", "e"], [label, "e", label], kind="classification")
    for table in (judged.class_table(), judged.confusion_table()):
        lines = table.text().splitlines()
        assert len(lines) == 2 + len(table.rows)
        assert any(line.startswith("c␣d ") for line in lines)
        assert len(fitted(table, 400)) == 1 + len(table.rows)
        # What programs read keeps its names.
        assert label in [row[0] for row in table.rows]
    table = judged.class_table()
    assert len(table.markdown().splitlines()) == 4 + len(table.rows)
    assert len(table.latex().splitlines()) == 6 + len(table.rows)
    assert "c d" in table.markdown()
    assert "c d" in table.latex()


@pytest.mark.parametrize(
    ("text", "width"),
    [("", 0), ("cat", 3), ("猫", 2), ("ｃａｔ", 6), ("e\u0301", 1), ("👩\u200d🔬", 4), ("ß", 1)],
)
def test_the_columns_of_a_character(text: str, width: int) -> None:
    assert width_of(text) == width
    assert width_of(padded(text, 10)) == width_of(padded(text, 10, right=True)) == 10
    assert padded(text, 10, right=True).endswith(text)


@pytest.mark.parametrize("width", [20, 34, 200])
def test_columns_of_wide_characters_stand_below_each_other(width: int) -> None:
    table = Table(("名前", "n"), (("猫", 1), ("dog", 200), ("cafe\u0301", 30)))
    for lines in (table.text().splitlines(), fitted(table, width)):
        assert {width_of(line) for line in lines} == {width_of(lines[0])}


def test_words_are_broken_by_the_columns_that_they_take() -> None:
    assert wrapped("猫猫 犬犬 鳥", 9) == ["猫猫 犬犬", "鳥"]
    assert wrapped("averylongword and", 5) == ["averylongword", "and"]
    table = Table(("name", "value", "note"), (("a", 1, "猫 " * 30),))
    assert max(map(width_of, fitted(table, 40))) <= 40


def test_a_table_prints_as_text_and_shows_as_html() -> None:
    pair = adjudge.compare([0, 1], {"p": [0, 1], "q": [1, 1]}, kind="classification")["p", "q"]
    table = pair.differences_table()
    assert str(table) == repr(table) == table.text()
    assert "<table>" in table._repr_html_()
    assert "0.5000" in table._repr_html_()
    listed = adjudge.list_indices("raters")
    assert repr(listed) == listed.table().text()
    assert "<table>" in listed._repr_html_()
    assert listed == list(listed)
    assert [record.kind for record in listed] == ["raters"] * len(listed)


def test_a_long_table_prints_its_beginning() -> None:
    rows = tuple((i, i % 7) for i in range(2000))
    table = Table(("i", "seven"), rows, groups=("even", "odd") * 1000)
    assert "... 1,500 more rows" in repr(table)
    assert len(table.text().splitlines()) > 2000
    assert table._repr_html_().count("<tr>") < 600
