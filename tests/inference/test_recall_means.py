"""Means of recalls: their intervals beside the formulas, on small and rare classes, and compared between groups."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge import find_index
from adjudge.inference.classes.recall_means import MEANS_OF_RECALLS, why_not_compared
from adjudge.inference.common.proportions import normal_quantile
from adjudge.statistics.classes import ClassCounts
from adjudge.statistics.confusion import Confusion

Z = normal_quantile(0.8)


def counted(matrix: np.ndarray | list[list[int]]) -> ClassCounts:
    return Confusion(list(range(len(matrix))), np.array(matrix)).by_class()


def test_groups_in_which_other_classes_occur_are_not_compared() -> None:
    """The mean of both classes' recalls was compared with the recall of one."""
    truth = ["a"] * 20 + ["b"] * 10 + ["a"] * 20
    said = ["a"] * 20 + ["a"] * 9 + ["b"] + ["a"] * 20
    judged = adjudge.evaluate(
        truth,
        said,
        kind="classification",
        groups=["x"] * 30 + ["y"] * 20,
        indices=["balanced_accuracy", "adjusted_balanced_accuracy", "weighted_f1"],
        confidence=0.95,
    )
    of_index = {row.score.index.name: row.score for row in judged.differences if row.group == "x"}
    balanced = of_index["balanced_accuracy"]
    assert balanced.value == pytest.approx(0.55 - 1.0)
    assert (balanced.interval, balanced.p_value, balanced.adjusted_p_value) == (None, None, None)
    reason = "class 'b' does not occur in both groups: the scores are means over different classes"
    assert balanced.reason == reason
    assert of_index["weighted_f1"].p_value is not None
    assert of_index["accuracy"].p_value is not None
    pair = next(row.score for row in judged.pair_differences if row.score.index.name == "balanced_accuracy")
    assert (pair.p_value, pair.reason) == (None, reason)


@pytest.mark.parametrize("name", MEANS_OF_RECALLS)
def test_means_are_compared_over_the_same_classes(name: str) -> None:
    """A class that occurs in neither group, or once in both, is no reason against it."""
    record, balanced = find_index(name, "classification"), name in MEANS_OF_RECALLS[:2]
    both, one, none = (counted([[5, 0, 0], [0, 4, 0], [0, 0, own]]) for own in (7, 1, 0))
    for pair in ((both, both), (both, one), (one, both), (none, none)):
        assert why_not_compared(record, *pair) is None
    for pair in ((one, none), (none, both)):
        reason = "class 2 does not occur in both groups: the scores are means over different classes"
        assert why_not_compared(record, *pair) == (reason if balanced else None)
