"""Counts of two batches add up to those of both together."""

from __future__ import annotations

import numpy as np
import pytest

import adjudge
from adjudge.statistics.agreement import WeightedAgreement
from adjudge.statistics.confusion import Confusion

TRUTH = np.array(list("aabbccabca"))
ONE = np.array(list("abbbccabaa"))
OTHER = np.array(list("aabacccbca"))


def confusion(rows: slice) -> Confusion:
    return Confusion.make(adjudge.Contingency.from_labels(TRUTH[rows], ONE[rows]))


@pytest.mark.parametrize("cut", [2, 4, 7])
def test_confusions_add_up(cut: int) -> None:
    found, whole = confusion(slice(cut)) + confusion(slice(cut, None)), confusion(slice(None))
    np.testing.assert_array_equal(found.take(whole.labels).matrix, whole.matrix)
    assert found.matrix.dtype == np.int64
    assert found.n == 10


def test_labels_of_the_first_come_first() -> None:
    first, second = confusion(slice(4)), confusion(slice(4, 6))
    assert (first + second).labels == ["a", "b", "c"]
    assert (second + first).labels == ["c", "a", "b"]
    with pytest.raises(TypeError):
        first + 3  # type: ignore[operator]


def test_confusions_of_many_classes_add_up() -> None:
    labels = np.arange(5000)
    part = Confusion.make(adjudge.Contingency.from_labels(labels, np.roll(labels, 1)))
    rows, cols, counts = (part + part).cells()
    assert (counts == 2).all()
    assert rows.size == cols.size == 5000


def test_agreements_add_up() -> None:
    right, other = TRUTH == ONE, TRUTH == OTHER
    parts = [adjudge.Agreement.from_outcomes(right[s], other[s]) for s in (slice(3), slice(3, None))]
    assert parts[0] + parts[1] == adjudge.Agreement.from_outcomes(right, other)
    weighted = WeightedAgreement(0.5, 1.0, 0.0, 2.0)
    assert weighted + weighted == WeightedAgreement(1.0, 2.0, 0.0, 4.0)
    with pytest.raises(TypeError):
        weighted + parts[0]
