"""Numbers in sentences."""

from __future__ import annotations

import pytest

from adjudge.presentation.numbers import out_of


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
