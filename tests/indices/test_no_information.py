"""Accuracy beside that of a model that always answers the same class, and shares of classes, as caret prints them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import adjudge
from adjudge import compare, evaluate
from adjudge.errors import InputError
from adjudge.inference import mcnemar_test
from adjudge.inference.common.proportions import normal_quantile, wilson
from cases import each

NIR, OVER = "no_information_rate", "accuracy_over_no_information"


def rows_of(counts: list[list[int]], classes: str) -> tuple[Any, Any]:
    """Labels of a table with a row for each true class."""
    cells = np.argwhere(np.array(counts) >= 0)
    return tuple(np.array(list(classes))[np.repeat(cells, np.ravel(counts), axis=0).T])


@each(
    "counts, accuracy, nir, p, prevalence, detection, predicted",
    [
        ([[231, 27], [32, 54]], 0.8285, 0.75, 0.0003097, 0.75, 0.6715, 0.7645),
        ([[55, 64], [24, 383]], 0.8327, 0.7738, 0.0005217, 0.2262, 0.1046, 0.1502),
    ],
)
def test_values_are_those_of_carets_confusion_matrix(
    counts: Any, accuracy: float, nir: float, p: float, prevalence: float, detection: float, predicted: float
) -> None:
    truth, said = rows_of(counts, "ab")
    names = ["accuracy", "AccuracyNull", "Prevalence", "Detection Rate", "Detection Prevalence", OVER]
    found = evaluate(truth, said, indices=names, positive="a")
    shown = [round(value, 4) for value in found.values.values()]
    assert sorted(shown) == sorted(
        [accuracy, nir, prevalence, detection, predicted, round(found["accuracy"] - found["nir"], 4)]
    )
    right = int(np.sum(truth == said))
    tested = binomtest(right, truth.size, found["nir"], alternative="greater")
    assert tested.pvalue == pytest.approx(p, rel=1e-3)


def test_it_is_the_accuracy_less_that_of_the_constant_answer() -> None:
    """So that a comparison with this answer tests it: by McNemar's test, which knows that both are of the same rows."""
    truth, said = rows_of([[55, 64], [24, 383]], "ab")
    models = {"model": said, "always b": np.full(truth.size, "b")}
    (difference,) = (
        pair.differences["accuracy"]
        for names, pair in compare(truth, models, confidence=0.95).pairs.items()
        if names[0] == "model"
    )
    assert difference.value == pytest.approx(adjudge.accuracy_over_no_information(truth, said))
    test = mcnemar_test(said == truth, truth == "b")
    assert difference.p_value == pytest.approx(test.p_value)
    own = evaluate(truth, said, indices=OVER, confidence=0.95).score(OVER)
    assert (own.low, own.high) == pytest.approx(difference.interval, abs=2e-3)


def test_a_class_can_be_named_as_the_constant_answer() -> None:
    truth, said = rows_of([[5, 1, 0], [1, 6, 1], [0, 0, 3]], "abc")
    assert adjudge.no_information_rate(truth, said, constant="a") == 6 / 17
    assert evaluate(truth, said, indices=f"{OVER}(constant='c')").values == {
        f"{OVER}(constant='c')": pytest.approx((14 - 3) / 17)
    }
    with pytest.raises(InputError, match=r"constant='d' is not a class: choose one of 'a', 'b', 'c'$"):
        adjudge.no_information_rate(truth, said, constant="d")


def test_the_share_of_a_class_that_is_clearly_the_most_frequent_has_wilsons_interval() -> None:
    truth, said = rows_of([[80, 5], [5, 10]], "ab")
    own = evaluate(truth, said, indices=NIR, confidence=0.95).score(NIR)
    assert (own.low, own.high) == pytest.approx(wilson(0.85, 100, normal_quantile(0.95)))


def test_where_any_of_three_classes_may_be_the_most_frequent_ends_hold_together() -> None:
    truth, said = rows_of([[34, 0, 0], [0, 33, 0], [0, 3, 30]], "abc")
    own = evaluate(truth, said, indices=NIR, confidence=0.95).score(NIR)
    low, _ = wilson(0.34, 100, normal_quantile(1 - 0.05 / 3))
    _, high = wilson(0.34, 100, normal_quantile(0.95))
    assert (own.low, own.high) == pytest.approx((low, high))
    assert own.interval_reason == "wide, as 3 classes may be the most frequent one"
    named = [evaluate(truth, said, indices=f"{OVER}(constant={c!r})", confidence=0.95) for c in "abc"]
    strict = [
        evaluate(truth, said, indices=f"{OVER}(constant={c!r})", confidence=1 - 0.05 / 3) for c in "abc"
    ]
    own = evaluate(truth, said, indices=OVER, confidence=0.95).score(OVER)
    (lows, _), (_, highs) = (
        zip(*(next(iter(one.intervals.values())) for one in ends), strict=True) for ends in (named, strict)
    )
    assert (own.low, own.high) == pytest.approx((min(lows), min(highs)))


def test_classes_of_equal_sizes_do_not_hide_that_the_largest_varies() -> None:
    """All classes alike would have one slope, and the largest share no variance."""
    truth = np.repeat(np.arange(8), 20)
    said = np.where(np.arange(160) % 4 > 0, truth, (truth + 1) % 8)
    for units in (None, np.arange(160) // 2):
        found = evaluate(truth, said, kind="classification", indices=[NIR, OVER], confidence=0.9, units=units)
        for name in (NIR, OVER):
            low, high = found.intervals[name]
            assert high - low > 0.05
            assert low < found[name] < high


def test_two_models_differ_by_as_much_as_in_accuracy_in_groups_and_units() -> None:
    rng = np.random.default_rng(4)
    truth = rng.choice(4, 300)
    models = {
        name: np.where(rng.random(300) < right, truth, rng.choice(4, 300))
        for name, right in (("old", 0.6), ("new", 0.8))
    }
    options = {"groups": np.arange(300) % 3, "units": np.arange(300) // 2, "confidence": 0.95}
    found = compare(truth, models, kind="classification", indices=["accuracy", OVER], **options)
    both = found["new", "old"].differences
    assert both[OVER].interval == pytest.approx(both["accuracy"].interval)
    assert both[OVER].p_value == pytest.approx(both["accuracy"].p_value)
    for group in found.by_group.values():
        both = group["new", "old"].differences
        assert both[OVER].value == pytest.approx(both["accuracy"].value)
        assert both[OVER].interval == pytest.approx(both["accuracy"].interval, abs=0.01)


def test_weights_weigh_and_each_class_has_its_prevalence() -> None:
    truth, said = np.array(list("aabbb")), np.array(list("abbbb"))
    weights = [3.0, 3.0, 1.0, 1.0, 1.0]
    found = evaluate(
        truth, said, kind="classification", sample_weight=weights, indices=[NIR, OVER, "prevalence"]
    )
    assert (found[NIR], found[OVER]) == pytest.approx((6 / 9, 6 / 9 - 6 / 9))
    assert {label: own.score("prevalence").value for label, own in found.by_class.items()} == pytest.approx(
        {"a": 6 / 9, "b": 3 / 9}
    )
    assert math.isnan(evaluate(list("abc"), list("abc"), indices="prevalence")["prevalence"])
    several = adjudge.prevalence(list("abcc"), list("abcc"), average="weighted")
    assert several == (1 / 4 + 1 / 4 + 2 * 2 / 4) / 4


def test_very_many_even_classes_have_no_interval() -> None:
    """Which of them is the most frequent one is not known, and each had been tried."""
    truth = np.arange(400) % 80
    found = adjudge.evaluate(truth, truth, kind="classification", indices="all", confidence=0.95)
    for name in ("no_information_rate", "accuracy_over_no_information"):
        assert "more than 50 classes may be the most frequent one" in str(found.interval_reasons[name])
