"""Counts, confusions and sums of losses: of very many classes, and of several batches added up."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import adjudge
from adjudge import InputError, evaluate, metrics
from adjudge.statistics import Contingency, ProbabilityLosses
from adjudge.statistics import confusion as module
from adjudge.statistics.agreement import WeightedAgreement
from adjudge.statistics.classes import rounded_once
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


RNG = np.random.default_rng(4)
CODES = RNG.integers(0, 30, 400)
SAID = np.where(RNG.random(400) < 0.6, CODES, RNG.integers(0, 33, 400))


def test_a_matrix_is_shown_with_its_labels() -> None:
    shown = str(Confusion.from_labels(list("aab"), list("abx"))).splitlines()
    assert [line.split() for line in shown] == [
        ["true", "/", "predicted", "a", "b", "x"],
        ["a", "1", "1", "0"],
        ["b", "0", "0", "1"],
    ]
    assert str(Confusion.from_labels(range(21), range(21))) == "Confusion(21 labels, n=21)"


@pytest.mark.full
@pytest.mark.parametrize("weights", [None, RNG.integers(1, 9, 400) / 8])
def test_cells_say_what_a_dense_matrix_says(monkeypatch: pytest.MonkeyPatch, weights: Any) -> None:
    def judged() -> Any:
        return evaluate(
            CODES,
            SAID,
            kind="classification",
            indices="all",
            sample_weight=weights,
            weights=None if weights is None else "importance",
            confidence=None if weights is not None else 0.9,
        )

    dense = judged()
    monkeypatch.setattr(module, "_MOST_HELD", 5)
    sparse = judged()
    assert sparse.confusion._matrix is None
    assert (sparse.confusion.matrix == dense.confusion.matrix).all()
    for name, score in dense.scores.items():
        other = sparse.scores[name]
        for one, two in ((score.value, other.value), (score.low, other.low), (score.high, other.high)):
            assert one is two is None or two == pytest.approx(one, rel=1e-12, nan_ok=True), name
    for attribute in ("right", "true_counts", "predicted_counts"):
        assert (getattr(sparse.confusion, attribute) == getattr(dense.confusion, attribute)).all()
    assert sparse.confusion.n == dense.confusion.n
    assert sparse.confusion.most_confused(7) == dense.confusion.most_confused(7)
    some = [3, 20, 5, 7, 1, 9, 0]
    assert (sparse.confusion.take(some).matrix == dense.confusion.take(some).matrix).all()
    listed, lists = sparse.to_dict()["confusion"], dense.to_dict()["confusion"]
    rebuilt = np.zeros((33, 33))
    rebuilt[listed["cells"]["true"], listed["cells"]["predicted"]] = listed["cells"]["counts"]
    assert (rebuilt == lists["matrix"]).all()


def test_the_commonest_mistakes_come_first() -> None:
    found = Confusion(["a", "b", "c"], np.array([[9, 2, 1], [2, 9, 0], [5, 0, 9]]))
    assert found.most_confused(3) == [("c", "a", 5), ("a", "b", 2), ("b", "a", 2)]


@pytest.mark.full
def test_very_many_classes_take_no_matrix() -> None:
    k = 20_000
    truth = np.arange(2 * k) % k
    said = np.where(np.arange(2 * k) % 7 == 0, (truth + 1) % k, truth)
    tracemalloc.start()
    judged = evaluate(truth, said, kind="classification", indices="all", confidence=0.95)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6  # a dense matrix has 3.2 GB
    assert judged["accuracy"] == (truth == said).mean()
    with pytest.raises(InputError, match=r"of 20000 classes .* cells\(\), or take\(\)"):
        _ = judged.confusion.matrix
    assert judged.confusion.cells()[2].sum() == 2 * k


def test_scikit_learns_function_makes_the_matrix_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, said = np.arange(20), np.arange(20)[::-1]
    wanted = metrics.confusion_matrix(truth, said)
    monkeypatch.setattr(module, "_MOST_HELD", 5)
    monkeypatch.setattr(module, "_MOST_SHOWN", 10)
    assert (metrics.confusion_matrix(truth, said) == wanted).all()


@pytest.mark.parametrize("seed", range(20))
def test_sums_are_rounded_once(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(200, 3000))
    values = rng.integers(-3 if seed % 2 else 0, 10**9, size).astype(float)
    moved = rng.random(size) < (0.01, 0.2, 0.9)[seed % 3]
    values[moved] += rng.normal(size=int(moved.sum())) * 10.0 ** rng.integers(-12, 3, int(moved.sum()))
    assert rounded_once(values) == math.fsum(values.tolist())
    huge = np.append(values, [2.0**60, -(2.0**60), 0.1])
    assert rounded_once(huge) == math.fsum(huge.tolist())
    assert math.isinf(rounded_once(np.append(values, math.inf)))
