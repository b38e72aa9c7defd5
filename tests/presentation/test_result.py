"""What follows from the sentences and the tables of a result."""

from __future__ import annotations

import pytest

from adjudge.presentation.result import Result
from adjudge.presentation.tables import Table


class Found(Result):
    """A result as short as one can be."""

    def said(self) -> list[str]:
        return ["Two models.\nOne <is> better."]

    def table(self) -> Table:
        return Table(("model", "score"), (("a", 0.5), ("b", 0.25)), "Scores")

    def notes(self) -> list[str]:
        return ["warning: few instances"]


def test_every_view_says_the_same() -> None:
    found = Found()
    assert repr(found).split("\n\n") == [
        "Two models.\nOne <is> better.",
        "Scores\nmodel   score\na      0.5000\nb      0.2500",
        "warning: few instances",
    ]
    html = found._repr_html_()
    places = [
        html.index(text) for text in ("<p>Two models.</p><p>One &lt;is&gt; better.</p>", "<table>", "few")
    ]
    assert places == sorted(places)
    assert found.to_markdown().splitlines() == [
        *("Two models.  ", "One \\<is> better.", ""),
        *("### Scores", "", "| model | score |", "| --- | ---: |", "| a | 0.5000 |", "| b | 0.2500 |", ""),
        "warning: few instances",
    ]
    latex = found.to_latex()
    assert latex.startswith("% Two models.\n% One <is> better.\n% warning: few instances\n\n% Scores\n")
    assert "a & 0.500 \\\\" in latex
    assert found.to_frame("pandas").to_dict("list") == {"model": ["a", "b"], "score": [0.5, 0.25]}


@pytest.mark.parametrize(
    ("high", "kept"), [(None, ("name", "value")), (2.0, ("name", "value", "low", "high"))]
)
def test_columns_that_nothing_fills_vanish_together(high: float | None, kept: tuple[str, ...]) -> None:
    rows = [("a", 1.0, None), ("b", 1.5, high)]
    columns = {
        "name": lambda row: row[0],
        "value": lambda row: row[1],
        "low": lambda row: None,
        "high": lambda row: row[2],
    }
    found = Table.of(rows, columns, optional=[("low", "high")])
    assert found.columns == kept
    assert [row[:2] for row in found.rows] == [("a", 1.0), ("b", 1.5)]
    assert Table.of([], columns).rows == ()
