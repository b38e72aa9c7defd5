"""Means of the classes' scores: with a rare class their intervals reach as far as those of the classes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from adjudge.inference.classes.macro_scores import measure_of_mean, reaching

from adjudge.indices.catalog import find_index
from adjudge.inference.classes.class_intervals import intervals_by_class, intervals_of_labels
from adjudge.inference.interval import Interval
from adjudge.statistics.confusion import Confusion


def interval(name: str, table: np.ndarray) -> Interval:
    confusion = Confusion(list(range(len(table))), table)
    record = find_index(name, "classification")
    return intervals_of_labels([record], confusion, confusion.by_class(), 0.95)[name]


def f1_of_each(table: np.ndarray) -> np.ndarray:
    return 2 * np.diag(table) / (table.sum(axis=0) + table.sum(axis=1))


@pytest.mark.parametrize("n_rare", [4, 19, 20])
def test_the_mean_reaches_as_far_as_the_classes(n_rare: int) -> None:
    table = np.array([[n_rare, 0, 0], [0, 90, 10], [0, 20, 180]])
    own, counts = interval("macro_f1", table), Confusion([0, 1, 2], table).by_class()
    values = f1_of_each(table)
    ends = np.array([[one.low, one.high] for one in intervals_by_class(counts, "f1", 0.95)])
    without = []
    for row, col in zip(*np.nonzero(table), strict=True):
        left = table.copy()
        left[row, col] -= 1
        without += [f1_of_each(left)] * int(table[row, col])
    together = np.eye(3)
    together[1, 2] = together[2, 1] = np.corrcoef(np.array(without).T[1:])[0, 1]
    below, above = (math.sqrt(far @ together @ far) / 3 for far in (values - ends[:, 0], ends[:, 1] - values))
    low, high = values.mean() - below, values.mean() + above
    if n_rare < 20:
        assert own.method == "mover"
        assert own.low == pytest.approx(low)
        assert own.high >= high - 1e-12
    else:
        assert own.method == "score"
        assert own.low > low


def test_many_classes_have_the_interval_of_the_mean() -> None:
    assert (
        interval("macro_precision", np.diag([4, *[60] * 9]) + np.eye(10, k=1, dtype=np.int64)).method
        == "mover"
    )
    assert (
        interval("macro_precision", np.diag([4, *[60] * 10]) + np.eye(11, k=1, dtype=np.int64)).method
        == "score"
    )


@pytest.mark.parametrize("measure", ["informedness", "markedness"])
@pytest.mark.parametrize("table", [[[36, 2], [2, 3]], [[33, 0], [2, 5]], [[36, 1], [0, 3]]])
def test_every_mean_of_two_equal_scores_has_the_same_interval(table: list[list[int]], measure: str) -> None:
    """By leaving out instances weighted markedness held in 0.82 (6 % of a class, two thirds of it found, N = 40)."""
    counts = Confusion([0, 1], np.array(table)).by_class()
    macro, weighted = (interval(f"{kind}_{measure}", np.array(table)) for kind in ("macro", "weighted"))
    for own in intervals_by_class(counts, measure, 0.95):
        assert weighted.low <= own.low + 1e-12
        assert weighted.high >= own.high - 1e-12
    assert (weighted.low, weighted.high) == pytest.approx((macro.low, macro.high))


@pytest.mark.parametrize(
    ("measure", "table"),
    [
        ("markedness", np.diag([4, 60, 60]) + np.eye(3, k=1, dtype=np.int64)),
        ("precision", np.array([[4, 1], [0, 60]])),
    ],
)
def test_other_weighted_means_do_not_reach_so_far(measure: str, table: np.ndarray) -> None:
    """A rare class counts little in them: reaching, they are up to 1.9 times as wide, and hold no more often."""
    assert interval(f"macro_{measure}", table).method == "mover"
    assert interval(f"weighted_{measure}", table).method != "mover"


#: Shares of the classes, how often each is told, and instances.
LAWS = {
    "three classes": ((0.02, 0.38, 0.6), (0.9, 0.95, 0.95), 150),
    "four classes": ((0.03, 0.2, 0.2, 0.57), (0.7, 0.9, 0.9, 0.95), 100),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", ["macro_f1", "macro_precision"])
def test_intervals_hold(law: str, name: str) -> None:
    """By leaving out instances they hold in 0.87 to 0.92, with other mistakes in 0.79."""
    shares, right, n = LAWS[law]
    k = len(shares)
    rng = np.random.default_rng(4)
    joint = rng.dirichlet(np.full(k, 0.6), k)
    np.fill_diagonal(joint, 0.0)
    joint *= ((1 - np.array(right)) / joint.sum(axis=1))[:, None]
    np.fill_diagonal(joint, right)
    joint *= np.array(shares)[:, None]
    truth = find_index(name, "classification").of(
        Confusion(list(range(k)), np.rint(joint * 1e12).astype(np.int64)).by_class()
    )
    held = []
    for _ in range(200):
        found = interval(name, rng.multinomial(n, joint.ravel()).reshape(k, k))
        if not math.isnan(found.low):
            held.append(found.low <= truth <= found.high)
    assert len(held) > 150
    assert np.mean(held) >= 0.93


@pytest.mark.parametrize("measure", ["f1", "jaccard", "precision", "informedness", "markedness"])
def test_a_class_with_few_instances_decides_the_mean(measure: str) -> None:
    for sizes, decides in (([19, 90], True), ([20, 90], False), ([19] * 10, True), ([19] * 11, False)):
        assert measure_of_mean(f"macro_{measure}", np.array(sizes)) == (measure if decides else None)
    few = np.array([5, 90])
    assert measure_of_mean(measure, few) is None
    # Of two classes any mean of these is the one that both have.
    same = measure if measure in ("informedness", "markedness") else None
    assert measure_of_mean(f"weighted_{measure}", few) == same
    assert measure_of_mean(f"weighted_{measure}", np.array([5, 90, 90])) is None
    assert measure_of_mean("macro_recall", few) is None


@pytest.mark.parametrize(
    "cells", [[[3, 1, 0], [0, 90, 10], [0, 20, 180]], [[1, 3, 0], [2, 90, 8], [0, 20, 180]]]
)
def test_both_ends_reach_as_far_as_the_classes(cells: list[list[int]]) -> None:
    """An interval of no width is made as long as that; one that reaches farther stays."""
    table = np.array(cells)
    given = Confusion([0, 1, 2], table)
    of_classes = intervals_by_class(given.by_class(), "f1", 0.95)
    values, mean = f1_of_each(table), float(f1_of_each(table).mean())
    without = []
    for row, col in zip(*np.nonzero(table), strict=True):
        left = table.copy()
        left[row, col] -= 1
        without += [f1_of_each(left)] * int(table[row, col])
    together = np.corrcoef(np.array(without).T)
    far = [values - [own.low for own in of_classes], np.array([own.high for own in of_classes]) - values]
    below, above = (math.sqrt(own @ together @ own) / 3 for own in far)
    plain = Interval(mean, mean, 0.95, "score")
    found = reaching(plain, "f1", given, of_classes)
    assert list(found) == pytest.approx([mean - below, mean + above])
    assert (found.method, found.confidence) == ("mover", 0.95)
    wide = Interval(mean - 2 * below, mean + 2 * above, 0.95, "score")
    assert reaching(wide, "f1", given, of_classes) is wide
    for low, high in ((mean - 2 * below, mean), (mean, mean + 2 * above)):
        longer = reaching(Interval(low, high, 0.95, "score"), "f1", given, of_classes)
        assert list(longer) == pytest.approx([min(low, mean - below), max(high, mean + above)])
        assert longer.method == "mover"


def test_what_is_not_known_of_a_class_makes_no_mean_longer() -> None:
    given = Confusion([0, 1], np.array([[4, 1], [0, 60]]))
    of_classes = intervals_by_class(given.by_class(), "f1", 0.95)
    own = Interval(0.9, 0.95, 0.95, "score")
    assert reaching(own, "f1", given, of_classes) is not own
    unknown = Interval.undefined(0.95, "tables", "the score is undefined")
    assert reaching(own, "f1", given, [of_classes[0], unknown]) is own
    assert reaching(unknown, "f1", given, of_classes) is unknown
    never = Confusion([0, 1, 2], np.array([[4, 1, 0], [0, 60, 0], [0, 0, 0]]))
    assert reaching(own, "f1", never, [*of_classes, of_classes[0]]) is own


def test_a_class_that_is_undefined_without_its_last_instance_tells_nothing_there() -> None:
    """The one instance of the first class is right: its score stays the same without any other."""
    table = np.array([[1, 0, 0], [0, 50, 10], [0, 5, 60]])
    given = Confusion([0, 1, 2], table)
    ends = [(0.2, 1.0), (0.6, 0.95), (0.7, 0.9)]
    of_classes = [Interval(*own, 0.95, "tables") for own in ends]
    values = f1_of_each(table)
    without = []
    for row, col in zip(*np.nonzero(table[1:]), strict=True):
        left = table[1:, 1:].copy()
        left[row, col - 1] -= 1
        without += [f1_of_each(left)] * int(table[row + 1, col])
    without.append(values[1:])  # the first class's own instance
    together = np.eye(3)
    together[1, 2] = together[2, 1] = np.corrcoef(np.array(without).T)[0, 1]
    far = values - [low for low, _ in ends]
    found = reaching(Interval(0.9, 1.0, 0.95, "score"), "f1", given, of_classes)
    assert found.low == pytest.approx(values.mean() - math.sqrt(far @ together @ far) / 3)
