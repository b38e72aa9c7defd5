"""Differences of two models' scores of labels: whose labels they are of, and the paired interval of accuracies."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from adjudge import compare
from adjudge.errors import InputError
from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.inference.common.proportions import wilson
from adjudge.inference.common.significance import Difference
from adjudge.inference.differences.label_differences import (
    PairedLabels,
    differences_of_labels,
    newcombe_paired,
)
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion

Codes = np.ndarray[Any, Any]


def record(name: str) -> Any:
    return find_index(name, "classification")


def coded(codes: Codes, names: list[Any]) -> Labels:
    return Labels(np.asarray(codes, np.int64), 0, len(names), names)


def paired(
    *labels: Codes, names: list[Any], classes: list[Any], positive: Any = None, counts: Any = None
) -> Any:
    return PairedLabels(*(coded(own, names) for own in labels), counts, classes, positive)


def difference(name: str, *labels: Codes, names: list[Any], positive: Any = None) -> Difference:
    truth, first, second = labels
    agreement = Agreement.from_outcomes(first == truth, second == truth)
    given = paired(*labels, names=names, classes=names, positive=positive)
    return differences_of_labels([record(name)], given, agreement, 0.9)[name]


def test_combinations_of_labels_are_counted_at_the_places_of_the_classes() -> None:
    """The classes are in another order than the labels are coded, and one does not occur."""
    rng = np.random.default_rng(0)
    labels = [rng.integers(0, 3, 50) for _ in range(3)]
    counts = rng.integers(1, 4, 50)
    given = paired(*labels, names=["x", "y", "z"], classes=["z", "w", "x", "y"], counts=counts)
    place = np.array([2, 3, 0])
    wanted: dict[tuple[int, ...], int] = {}
    for *own, times in zip(*labels, counts.tolist(), strict=True):
        cell = tuple(int(place[code]) for code in own)
        wanted[cell] = wanted.get(cell, 0) + times
    *cells, found = given.cells
    assert {tuple(map(int, cell)): int(n) for *cell, n in zip(*cells, found, strict=True)} == wanted


def test_a_true_label_that_is_no_class_is_named() -> None:
    labels = [np.array([0, 1, 2, 2, 2]), *(np.array([0, 1, 1, 0, 1]) for _ in range(2))]
    with pytest.raises(InputError) as caught:
        _ = paired(*labels, names=["x", "y", "z"], classes=["x", "y"]).cells
    assert str(caught.value).startswith(
        "labels_true has 'z' 3 times, which is not among the classes 'x', 'y'"
    )


def test_answers_that_name_no_class_come_after_the_classes() -> None:
    labels = np.array([0, 1, 1, 0]), np.array([0, 2, 1, 0]), np.array([3, 2, 1, 0])
    given = paired(*labels, names=["x", "y", "z", "w"], classes=["x", "y"])
    *cells, counts = given.cells
    assert given.outside == ["z", "w"]
    assert sorted(zip(*(own.tolist() for own in cells), strict=True)) == [
        (0, 0, 0),
        (0, 0, 3),
        (1, 1, 1),
        (1, 2, 2),
    ]
    matrix = given.confusion(cells[0], cells[2], counts)
    assert (list(matrix.classes), matrix.by_class().outside) == (["x", "y"], {"z": 1, "w": 1})


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_differences_are_those_of_the_positive_class(positive: str) -> None:
    rng = np.random.default_rng(1)
    truth = (rng.random(90) < 0.3).astype(int)
    first, second = (np.where(rng.random(90) < wrong, 1 - truth, truth) for wrong in (0.1, 0.3))
    names = ["no", "yes"]
    found = difference("f1", truth, first, second, names=names, positive=positive)
    if positive == "no":
        turned = difference("f1", 1 - truth, 1 - first, 1 - second, names=["yes", "no"], positive="no")
        assert list(found.interval) == pytest.approx(list(turned.interval))
    scores = [
        record("f1").of(
            Confusion(names, np.bincount(2 * truth + said, minlength=4).reshape(2, 2)).by_class(
                positive=positive
            )
        )
        for said in (first, second)
    ]
    assert scores[0] - scores[1] in found.interval
    assert scores[0] - scores[1] == pytest.approx(sum(found.interval) / 2, abs=0.05)


def test_newcombes_interval_by_definition() -> None:
    """Method 10: a positive correlation is corrected for continuity."""
    z = 1.2815515655446004
    for cells in itertools.product((0, 1, 4, 9), repeat=4):
        a, b, c, d = cells
        if (n := sum(cells)) == 0:
            continue
        margins, cross = (a + b) * (c + d) * (a + c) * (b + d), a * d - b * c
        cross = max(cross - n / 2, 0) if cross > 0 else cross
        phi = cross / math.sqrt(margins) if margins else 0.0
        first, second = (a + b) / n, (a + c) / n
        (low1, high1), (low2, high2) = (wilson(share, n, z) for share in (first, second))
        below = (first - low1) ** 2 - 2 * phi * (first - low1) * (high2 - second) + (high2 - second) ** 2
        above = (high1 - first) ** 2 - 2 * phi * (high1 - first) * (second - low2) + (second - low2) ** 2
        wanted = first - second - math.sqrt(below), first - second + math.sqrt(above)
        assert newcombe_paired(Agreement(*cells), 0.8) == pytest.approx(wanted), cells


def test_scores_from_minus_1_may_differ_by_2() -> None:
    truth = np.arange(60) % 3
    good, bad = truth.copy(), (truth + 1) % 3
    good[:3], bad[3:8] = (truth[:3] + 1) % 3, truth[3:8]
    found = difference("cohen_kappa", truth, good, bad, names=[0, 1, 2]).interval
    assert found.low < 1.3 < found.high < 2


@pytest.mark.parametrize("times", [1, 2, 3, 6])
def test_units_and_weights_do_not_make_few_changes_certain(times: int) -> None:
    """A model that is only ever worse may be better elsewhere: with units of one row, p is near that of McNemar."""
    truth = np.repeat([1, 0], [184, 500])
    first = np.where(np.arange(684) < 40, 0, truth)
    second = first.copy()
    second[184 : 184 + times] = 1
    for options in (
        {"units": np.arange(684)},
        {"units": np.arange(684) // 2},
        {"sample_weight": np.ones(684), "weights": "importance"},
    ):
        pair = compare(
            truth,
            {"a": first, "b": second},
            kind="classification",
            positive=1,
            indices=["specificity", "accuracy"],
            confidence=0.95,
            **options,
        )["a", "b"]
        (of_class,) = (own.score for own in pair.recalls if own.label == 0)
        specificity = pair.differences["specificity"]
        assert of_class.p_value == pytest.approx(specificity.p_value)
        assert pair.differences["accuracy"].p_value == pytest.approx(pair.test["p_value"])
        assert 0.5**times / 4 < of_class.p_value < 4 * 0.5**times + 0.2, options


def test_few_errors_with_unequal_weights_do_not_tell_equal_models_apart() -> None:
    """If about eight rows differ, those of one direction may all weigh little: that told 8 to 11 % apart."""
    names, n_samples = ["accuracy", "specificity", "matthews_correlation"], 120
    told = dict.fromkeys(names, 0)
    for seed in range(n_samples):
        rng = np.random.default_rng(seed)
        truth, weights = rng.integers(0, 2, 300), rng.lognormal(size=300)
        first, second = (np.where(rng.random(300) < 4 / 300, 1 - truth, truth) for _ in range(2))
        pair = compare(
            truth,
            {"a": first, "b": second},
            kind="classification",
            positive=1,
            indices=names,
            confidence=0.95,
            sample_weight=weights,
            weights="importance",
        )["a", "b"]
        for name in names:
            p = pair.differences[name].p_value
            told[name] += p is not None and p < 0.05
    assert max(told.values()) <= 0.05 * n_samples
