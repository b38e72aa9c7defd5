"""Counts, and sums of losses, of several batches add up to those of all instances together."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge.statistics import Contingency, ProbabilityLosses
from adjudge.statistics.agreement import WeightedAgreement
from adjudge.statistics.confusion import Confusion
from conftest import raises_line

TRUTH = np.array(list("aabbccabca"))
ONE = np.array(list("abbbccabaa"))
OTHER = np.array(list("aabacccbca"))


def confusion(rows: slice) -> Confusion:
    return Confusion.make(adjudge.statistics.Contingency.from_labels(TRUTH[rows], ONE[rows]))


@pytest.mark.parametrize("cut", [2, 4, 7])
def test_confusions_add_up(cut: int) -> None:
    found, whole = confusion(slice(cut)) + confusion(slice(cut, None)), confusion(slice(None))
    np.testing.assert_array_equal(found.take(whole.labels).matrix, whole.matrix)
    assert found.matrix.dtype == np.int64
    assert found.n == 10


def test_sorted_labels_stay_sorted_whatever_batch_comes_first() -> None:
    first, second = confusion(slice(4)), confusion(slice(4, 6))
    assert (first + second).labels == (second + first).labels == ["a", "b", "c"]
    with pytest.raises(TypeError):
        first + 3  # type: ignore[operator]


def test_labels_in_an_order_of_their_own_keep_it() -> None:
    first = Confusion.from_labels(["b", "a"], ["b", "a"], classes=["b", "a"])
    second = Confusion.from_labels(["c"], ["c"])
    assert (first + first).labels == ["b", "a"]
    assert (first + second).labels == ["b", "a", "c"]
    assert (second + first).labels == ["c", "b", "a"]


def test_a_batch_may_be_wrong_throughout_if_all_classes_are_named() -> None:
    batch = Confusion.from_labels(["a"], ["b"], classes=["a", "b"])
    assert batch.matrix.tolist() == [[0, 1], [0, 0]]
    with pytest.raises(adjudge.InputError, match="not among the classes"):
        Confusion.from_labels(["z"], ["a"], classes=["a", "b"])


def test_an_answer_that_names_no_class_stays_none_in_the_sum_of_batches() -> None:
    first = Confusion.from_labels(["a", "b", "b"], ["a", "x", "c"])
    second = Confusion.from_labels(["c", "a"], ["c", "z"])
    assert (first.labels, first.n_outside) == (["a", "b", "c", "x"], 2)
    total = first + second
    assert (total.labels, total.n_outside) == (["a", "b", "c", "x", "z"], 2)
    truth, said = ["a", "b", "b", "c", "a"], ["a", "x", "c", "c", "z"]
    judged, whole = adjudge.evaluate(total), adjudge.evaluate(truth, said, kind="classification")
    assert judged.values == whole.values
    assert [notice.message for notice in judged.warnings] == ["2 answers name no class: 'x' 1, 'z' 1"]
    counts = first.by_class() + Confusion.from_labels(["a", "b"], ["x", "y"], classes=["a", "b"]).by_class()
    assert counts.outside == {"c": 1, "x": 2, "y": 1}


def test_confusions_of_many_classes_add_up() -> None:
    labels = np.arange(5000)
    part = Confusion.make(adjudge.statistics.Contingency.from_labels(labels, np.roll(labels, 1)))
    rows, cols, counts = (part + part).cells()
    assert (counts == 2).all()
    assert rows.size == cols.size == 5000


def test_agreements_add_up() -> None:
    right, other = TRUTH == ONE, TRUTH == OTHER
    parts = [
        adjudge.statistics.Agreement.from_outcomes(right[s], other[s]) for s in (slice(3), slice(3, None))
    ]
    assert parts[0] + parts[1] == adjudge.statistics.Agreement.from_outcomes(right, other)
    weighted = WeightedAgreement(0.5, 1.0, 0.0, 2.0)
    assert weighted + weighted == WeightedAgreement(1.0, 2.0, 0.0, 4.0)
    with pytest.raises(TypeError):
        weighted + parts[0]


CLASSES = ["a", "b", "c"]
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30)


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[np.ndarray[Any, Any]], list[np.ndarray[Any, Any]]]:
    """Draw truth and two models' labels, and positions of their batches, in any order."""
    rows = draw(ROWS)
    order = draw(st.permutations(range(len(rows))))
    cuts = sorted(draw(st.sets(st.integers(1, len(rows) - 1)))) if len(rows) > 1 else []
    return [np.array(CLASSES)[list(codes)] for codes in zip(*rows, strict=True)], np.split(order, cuts)


def summed(count: Callable[..., Any], vectors: list[Any], parts: list[Any]) -> Any:
    """Add up the counts of the batches."""
    return reduce(add, (count(*(vector[part] for vector in vectors)) for part in parts))


@pytest.mark.full
@given(batches())
def test_any_batches_in_any_order_have_the_counts_of_all_rows(
    drawn: tuple[list[Any], list[Any]],
) -> None:
    (truth, one, other), parts = drawn
    found, whole = (summed(Contingency.from_labels, [truth, one], own) for own in (parts, [slice(None)]))
    assert cells(found) == cells(whole)
    assert adjudge.adjusted_rand(found) == adjudge.adjusted_rand(whole)

    def outcomes(true: Any, p: Any, q: Any) -> adjudge.statistics.Agreement:
        return adjudge.statistics.Agreement.from_outcomes(true == p, true == q)

    assert summed(outcomes, [truth, one, other], parts) == outcomes(truth, one, other)

    def counted(true: Any, said: Any) -> Confusion:
        return Confusion.from_labels(true, said, classes=CLASSES)

    matrix, at_once = summed(counted, [truth, one], parts), counted(truth, one)
    np.testing.assert_array_equal(matrix.matrix, at_once.matrix)
    judged, wanted = (adjudge.evaluate(own, indices="all") for own in (matrix, at_once))
    assert repr(judged) == repr(wanted)


def cells(table: Contingency) -> dict[tuple[Any, Any], int]:
    """Count by true and predicted label, whatever the order of either."""
    rows, cols, counts = (own.tolist() for own in table.cells())
    return {(table.row_labels[i], table.col_labels[j]): n for i, j, n in zip(rows, cols, counts, strict=True)}


@given(batches(), st.integers(0, 2**32 - 1), st.booleans())
def test_any_batches_in_any_order_have_the_losses_of_all_rows(
    drawn: tuple[list[Any], list[Any]], seed: int, is_weighted: bool
) -> None:
    (truth, *_), parts = drawn
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet([1, 1, 1], truth.size)
    weights = rng.uniform(0.1, 3, truth.size)

    def made(true: Any, p: Any, w: Any) -> ProbabilityLosses:
        return ProbabilityLosses.from_labels(
            true, p, classes=CLASSES, sample_weight=w if is_weighted else None
        )

    found, whole = summed(made, [truth, shares, weights], parts), made(truth, shares, weights)
    assert math.isclose(found.log_loss, whole.log_loss, rel_tol=1e-12)
    assert math.isclose(found.brier, whole.brier, rel_tol=1e-12)
    np.testing.assert_allclose(found.sizes, whole.sizes, rtol=1e-12 if is_weighted else 0)
    given = {"sample_weight": weights} if is_weighted else {}
    wanted = adjudge.evaluate(truth, probabilities=shares, classes=CLASSES, **given)
    assert adjudge.evaluate(found)["log_loss"] == pytest.approx(wanted["log_loss"], rel=1e-12)
    assert adjudge.evaluate(found)["brier_score"] == pytest.approx(wanted["brier_score"], rel=1e-12)


def test_a_label_may_come_only_in_a_later_batch() -> None:
    first, second = (Confusion.from_labels(true, ["b", "b"]) for true in (["b", "b"], ["a", "b"]))
    judged = adjudge.evaluate(first + second, indices=["precision", "recall"])
    assert list(judged.by_class) == ["a", "b"]
    # The second of two classes is positive, and not that of the second batch.
    assert (judged["precision"], judged["recall"]) == (0.75, 1)
    one = ProbabilityLosses.from_labels(["no"], [0.2], classes=["no", "yes"])
    two = ProbabilityLosses.from_labels(["yes"], [[0.9, 0.1]], classes=["yes", "no"])
    assert (one + two).sizes.tolist() == [1, 1]
    assert (one + two).brier == pytest.approx(0.2**2 + 0.1**2)


def test_a_sum_does_not_say_in_which_row_of_a_batch_something_was_impossible() -> None:
    one = ProbabilityLosses.from_labels(["no", "yes"], [0.2, 0.0], classes=["no", "yes"])
    assert "row 1" in adjudge.evaluate(one).reasons["log_loss"]
    assert adjudge.evaluate(one + one).reasons["log_loss"] == (
        "the true class of 2 instances had the probability 0"
    )


def test_what_sums_cannot_tell_is_one_line() -> None:
    matrix = confusion(slice(None))
    losses = ProbabilityLosses.from_labels(["no", "yes"], [0.2, 0.9])
    of_sums = "a classifier is judged from"
    for own, options, line in (
        (matrix, {"indices": "rand"}, "rand cannot be computed from a confusion matrix: give the truth and what "),
        (losses, {"indices": "roc_auc"}, "roc_auc cannot be computed from sums of losses: give the truth and what "),
        (losses, {"indices": "accuracy"}, "accuracy cannot be computed from sums of losses: give the truth and what "),
        (matrix, {"kind": "clustering"}, f"{of_sums} a confusion matrix: leave out kind='clustering'"),
        (matrix, {"labels_pred": [1]}, f"{of_sums} a confusion matrix alone: leave out labels_pred"),
        (losses, {"groups": [1]}, f"{of_sums} sums of losses alone: leave out groups="),
        (losses, {"classes": [1, 2]}, "the classes are those of sums of losses: leave out classes="),
    ):  # fmt: skip
        with pytest.raises(adjudge.InputError) as caught:
            adjudge.evaluate(own, **options)
        assert str(caught.value).startswith(line)
    other = ProbabilityLosses.from_labels(["no", "maybe"], [0.2, 0.9])
    with raises_line(
        adjudge.InputError,
        "losses over different classes cannot be added: name all of them in each batch with classes=",
    ):
        losses + other
