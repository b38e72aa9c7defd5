"""Numbers in sentences."""

from __future__ import annotations

from math import inf

import pytest

from adjudge.presentation.numbers import out_of, range_text


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
