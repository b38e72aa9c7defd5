"""What is shown of a classifier with very many classes: nothing is computed that nobody reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.results import by_class


@pytest.mark.parametrize("shown", [repr, lambda found: found._repr_html_()], ids=["text", "notebook"])
def test_classes_are_listed_unless_they_are_many(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, shown: Any
) -> None:
    truth = np.repeat(np.arange(30), 4)
    found = adjudge.evaluate(truth, rng.permutation(truth), kind="classification")
    whole = shown(found)
    assert "By class" in whole
    assert "class_table()" not in whole
    monkeypatch.setattr(by_class, "_MOST_LISTED", 29)
    again = adjudge.evaluate(truth, rng.permutation(truth), kind="classification")
    cut = shown(again)
    assert "By class" not in cut
    assert "30 classes: class_table() has a row for each" in cut
    assert "Most confused" in cut
    # Scores by class were not even made.
    assert "_rows" not in vars(again.by_class)
    assert len(again.class_table().rows) == 30
    assert len(again.tables()) == len(found.tables())
