"""Numbers in sentences."""

from __future__ import annotations

import math
from math import inf

import pytest

from adjudge.presentation.numbers import out_of, range_text
from adjudge.presentation.tables import Table


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (3, 5, "3 of the 5 criteria"),
        (5, 5, "all 5 criteria"),
        (0, 5, "none of the 5 criteria"),
        (1, 1, "the only criterion"),
        (1000, 2000, "1,000 of the 2,000 criteria"),
    ],
)
def test_out_of(part: int, whole: int, words: str) -> None:
    assert out_of(part, whole, "criterion", "criteria") == words


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (0, 1, "[0, 1]"),
        (-0.5, 1, "[-0.5, 1]"),
        (-inf, 1, "(-inf, 1]"),
        (0, inf, "[0, inf)"),
        (-inf, inf, "(-inf, inf)"),
    ],
)
def test_an_infinite_end_of_a_range_is_open(low: float, high: float, text: str) -> None:
    assert range_text(low, high) == text


def test_ends_of_intervals_stand_beside_their_values() -> None:
    table = Table(
        ("class", "f1", "f1_low", "f1_high", "recall", "support_low"),
        (
            ("a", 0.8, 0.7086, 0.86805, 0.5, 1),
            ("b", math.nan, math.nan, math.nan, 0.5, 2),
            ("c", 0.9, None, None, 0.5, 3),
        ),
    )
    joined = table.with_joined_ends()
    assert joined.columns == ("class", "f1", "recall", "support_low")
    assert [row[1:] for row in joined.rows] == [
        ("0.800 [0.709, 0.868]", 0.5, 1),
        (pytest.approx(math.nan, nan_ok=True), 0.5, 2),
        (0.9, 0.5, 3),
    ]
