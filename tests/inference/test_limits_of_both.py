"""Differences of scores of two classes by two models: from the intervals of both, and by simulation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge.given.labels import Labels
from adjudge.indices.catalog import find_index
from adjudge.inference.classes.class_intervals import intervals_of_labels
from adjudge.inference.common.mover import limits_of_difference
from adjudge.inference.common.test_results import Difference, interval_test
from adjudge.inference.differences.label_differences import PairedLabels, differences_of_labels
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.confusion import Confusion

Codes = np.ndarray[Any, Any]


def differences(truth: Codes, first: Codes, second: Codes, names: list[str]) -> dict[str, Difference]:
    coded = (Labels(codes.astype(np.int64), 0, 2, [0, 1]) for codes in (truth, first, second))
    records = [find_index(name, "classification") for name in names]
    agreement = Agreement.from_outcomes(first == truth, second == truth)
    return differences_of_labels(records, PairedLabels(*coded, None, [0, 1], 1), agreement, 0.95)


def confusion(truth: Codes, said: Codes) -> Confusion:
    return Confusion([0, 1], np.bincount(2 * truth + said, minlength=4).reshape(2, 2))


def test_limits_of_a_difference() -> None:
    """With correlation 1 equal distances cancel out, with -1 they add up; without any it is as in a right triangle."""
    one, other = (0.7, (0.4, 0.8)), (0.5, (0.1, 0.8))
    assert limits_of_difference(*one, *other, 1.0) == pytest.approx((0.2, 0.5))
    assert limits_of_difference(*one, *other, -1.0) == pytest.approx((-0.4, 0.7))
    assert limits_of_difference(*one, *other) == pytest.approx(
        (0.2 - math.hypot(0.3, 0.3), 0.2 + math.hypot(0.1, 0.4))
    )


@pytest.mark.parametrize("name", ["f1", "recall", "matthews_correlation", "balanced_accuracy"])
def test_by_definition(name: str) -> None:
    """The correlation is that of the scores without each instance, the less of it, the fewer instances tell it."""
    rng = np.random.default_rng(2)
    truth = (rng.random(60) < 0.2).astype(np.int64)
    first, second = (np.where(rng.random(60) < wrong, 1 - truth, truth) for wrong in (0.15, 0.2))
    record = find_index(name, "classification")

    def score(said: Codes, kept: Codes) -> float:
        return record.of(confusion(truth[kept], said[kept]).by_class(positive=1))

    everything = np.ones(60, bool)
    without = [
        [score(said, everything & (np.arange(60) != left)) for left in range(60)] for said in (first, second)
    ]
    kept = (1 - 1 / truth.sum()) * (1 - 1 / (1 + (first != second).sum()))
    correlation = kept * np.corrcoef(without)[0, 1]
    own = [
        intervals_of_labels([record], table, table.by_class(positive=1), 0.95)[name]
        for table in (confusion(truth, said) for said in (first, second))
    ]
    values = [score(said, everything) for said in (first, second)]
    wanted = limits_of_difference(
        values[0], (own[0].low, own[0].high), values[1], (own[1].low, own[1].high), correlation
    )
    found = differences(truth, first, second, [name])[name]
    assert list(found.interval) == pytest.approx(wanted)
    assert found.interval.method == "mover"
    assert found.test is not None
    same = "the expected scores of both models are the same"
    expected = interval_test(values[0] - values[1], found.interval, same)
    assert (found.test.p_value, found.test.statistic) == (expected.p_value, expected.statistic)
    assert (found.test.p_value < 0.05) == (not wanted[0] <= 0 <= wanted[1])


#: Share of the positives, how far the scores of both models lie apart, what they have in common, and instances.
LAWS = {
    "a rare class": (0.03, 2.0, 1.0, 0.6, 200),
    "models nearly alike": (0.1, 1.5, 1.3, 0.98, 200),
}


@pytest.mark.parametrize("law", LAWS)
def test_differences_hold(law: str) -> None:
    """By the jackknife 0.79 to 0.86 of the intervals hold."""
    share, one, other, common, n = LAWS[law]
    rng = np.random.default_rng(3)
    names = ["f1", "macro_f1", "g_mean", "recall"]

    def drawn(size: int) -> tuple[Codes, Codes, Codes]:
        truth = (rng.random(size) < share).astype(np.int64)
        truth[:2] = 0, 1
        shared = common * rng.normal(size=size)
        said = []
        for far in (one, other):
            values = shared + math.sqrt(1 - common**2) * rng.normal(size=size) + far * (truth - 0.5)
            said.append((values * far + math.log(share / (1 - share)) >= 0).astype(np.int64))
        return truth, said[0], said[1]

    truth, *said = drawn(1_000_000)
    of_all = [confusion(truth, own).by_class(positive=1) for own in said]
    held: dict[str, list[bool]] = {name: [] for name in names}
    differ = {
        name: float(np.subtract(*(find_index(name, "classification").of(own) for own in of_all)))
        for name in names
    }
    for _ in range(150):
        for name, found in differences(*drawn(n), names).items():
            if not math.isnan(found.interval.low):
                held[name].append(found.interval.low <= differ[name] <= found.interval.high)
    for name, those in held.items():
        assert len(those) > 100
        assert np.mean(those) >= 0.91, name


def test_a_score_that_an_instance_decides_has_no_interval() -> None:
    truth = np.array([1] + [0] * 9)
    first, second = np.array([1] + [0] * 9), np.array([0, 1] + [0] * 8)
    found = differences(truth, first, second, ["recall"])["recall"]
    assert math.isnan(found.interval.low)
    assert found.interval.reason == "the index is undefined without one of the instances"
    assert found.test is None


@pytest.mark.parametrize("turned", [False, True])
def test_a_score_without_an_interval_leaves_its_difference_without_one(turned: bool) -> None:
    """One of the models never says the positive class, so that its markedness is undefined."""
    truth = np.arange(40) % 2
    never, some = np.zeros(40, np.int64), np.where(np.arange(40) < 8, 1 - truth, truth)
    found = differences(truth, *((some, never) if turned else (never, some)), ["markedness"])["markedness"]
    assert math.isnan(found.interval.low)
    assert (found.interval.confidence, found.interval.method) == (0.95, "mover")
    assert found.interval.reason == "the score is undefined"
    assert found.test is None


def test_the_correlation_of_one_instance_of_a_class_is_not_believed() -> None:
    truth = (np.arange(30) == 0).astype(np.int64)
    first, second = (np.arange(30) < 5).astype(np.int64), (np.arange(30) % 10 == 1).astype(np.int64)
    record = find_index("specificity", "classification")
    tables = [confusion(truth, said) for said in (first, second)]
    own = [intervals_of_labels([record], t, t.by_class(positive=1), 0.95)["specificity"] for t in tables]
    values = [record.of(t.by_class(positive=1)) for t in tables]
    wanted = limits_of_difference(
        values[0], (own[0].low, own[0].high), values[1], (own[1].low, own[1].high), 0.0
    )
    assert list(differences(truth, first, second, ["specificity"])["specificity"].interval) == pytest.approx(
        wanted
    )
