"""Scores of classes in an order or from a list, and of classes of which some do not occur."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import cohen_kappa_score

import adjudge
from adjudge.errors import InputError
from cases import each

GRADES = ["low", "mid", "high", "top"]


def drawn(seed: int, n: int = 60) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = np.r_[0, 1, 2, 3, rng.integers(0, 4, n)]
    said = np.clip(truth + rng.integers(-2, 3, truth.size), 0, 3)
    return truth, said, rng.dirichlet(np.ones(4), truth.size), rng.uniform(0.2, 3, truth.size)


@each("seed", range(8), keep=3)
def test_values_by_definition(seed: int) -> None:
    truth, said, shares, weights = drawn(seed)
    off = np.abs(truth - said)
    assert adjudge.within_one(truth, said) == pytest.approx(np.mean(off <= 1))
    assert adjudge.macro_mae(truth, said) == pytest.approx(
        np.mean([off[truth == c].mean() for c in range(4)])
    )
    ranked = [
        sum((p[: c + 1].sum() - (t <= c)) ** 2 for c in range(3)) for t, p in zip(truth, shares, strict=True)
    ]
    score = adjudge.ranked_probability_score
    assert score(truth, shares) == pytest.approx(np.mean(ranked))
    assert score(truth, shares, sample_weight=weights) == pytest.approx(np.average(ranked, weights=weights))
    weighed = {"sample_weight": weights}
    assert adjudge.within_one(truth, said, **weighed) == pytest.approx(np.average(off <= 1, weights=weights))


def test_of_two_classes_it_is_the_brier_score() -> None:
    rng = np.random.default_rng(1)
    truth, p = rng.integers(0, 2, 50), rng.random(50)
    assert adjudge.ranked_probability_score(truth, p) == pytest.approx(adjudge.brier_score(truth, p))
    names = np.array(["well", "ill"])
    found = adjudge.ranked_probability_score(names[truth], np.c_[p, 1 - p])
    assert found == pytest.approx(adjudge.brier_score(truth, p))


def test_the_order_is_stated_and_never_the_alphabet() -> None:
    truth, said, shares, _ = drawn(2)
    names = np.array(GRADES)
    wanted = adjudge.ranked_probability_score(truth, shares), adjudge.macro_mae(truth, said)
    ordered = pd.Categorical(names[truth], GRADES, ordered=True)
    by_name = pd.DataFrame(shares, columns=GRADES)
    enum = pl.Series(names[truth], dtype=pl.Enum(GRADES))
    for given in (ordered, enum):
        # Columns in another order are those of their names.
        found = adjudge.ranked_probability_score(given, by_name[["top", "low", "high", "mid"]])
        assert found == pytest.approx(wanted[0])
        assert adjudge.macro_mae(given, names[said]) == pytest.approx(wanted[1])
    assert adjudge.ranked_probability_score(names[truth], shares, classes=GRADES) == pytest.approx(wanted[0])
    result = adjudge.evaluate(
        names[truth], probabilities=by_name, indices=["rps", "macro_mae", "within_one"], kind="classification"
    )
    for name in ("ranked_probability_score", "macro_mae", "within_one"):
        assert np.isnan(result[name])
        assert result.reasons[name] == "the order of the classes is not known"
    stated = adjudge.evaluate(ordered, probabilities=by_name, indices=["rps"], kind="classification")
    assert stated["rps"] == pytest.approx(wanted[0])


def test_intervals_and_differences() -> None:
    truth, said, shares, _ = drawn(3, 400)
    names = ["rps", "macro_mae", "within_one"]
    found = adjudge.evaluate(
        truth, said, probabilities=shares, indices=names, kind="classification", confidence=0.95
    )
    for name in ("ranked_probability_score", "macro_mae", "within_one"):
        low, high = found.intervals[name]
        assert low < found[name] < high
        assert high - low < 0.4
    better = np.eye(4)[truth] * 0.7 + shares * 0.3
    both = adjudge.compare(
        truth,
        probabilities={"one": shares, "two": better},
        indices=["rps", "within_one"],
        confidence=0.95,
    )
    assert both["two", "one"].differences["ranked_probability_score"].value < 0


TRUTH, SAID = [0, 1, 3, 3, 4], [0, 1, 1, 4, 4]


@pytest.mark.parametrize(
    ("name", "weights"), [("linear_weighted_kappa", "linear"), ("quadratic_weighted_kappa", "quadratic")]
)
def test_an_unused_grade_keeps_its_distance(name: str, weights: str) -> None:
    index = adjudge.find_index(name)
    for classes in (range(5), [4, 2, 0, 1, 3]):
        wanted = cohen_kappa_score(TRUTH, SAID, labels=list(classes), weights=weights)
        assert index(TRUTH, SAID, classes=classes) == pytest.approx(wanted, rel=1e-12)
    assert index(TRUTH, SAID) != index(TRUTH, SAID, classes=range(5))


@pytest.mark.parametrize(
    "name",
    ["gwet_ac1", "brennan_prediger", "accuracy", "macro_f1", "cohen_kappa", "linear_weighted_kappa", "f1"],
)
@pytest.mark.parametrize("given", [(TRUTH, SAID), ([0, 1, 1, 0], [0, 1, 0, 0])])
def test_functions_and_evaluate_agree(name: str, given: Any) -> None:
    classes = [0, 1, 2, 3, 4]
    found = adjudge.evaluate(*given, kind="classification", indices=name, classes=classes)
    assert adjudge.find_index(name)(*given, classes=classes) == pytest.approx(found[name], nan_ok=True)


def test_the_positive_class_is_among_those_that_are_listed() -> None:
    assert adjudge.recall([0, 1, 1], [0, 0, 1], classes=[1, 0], positive=1) == 0.5
    assert adjudge.recall([0, 1, 1], [0, 0, 1], classes=[1, 0]) == 1


def test_classes_that_are_not_listed_are_named() -> None:
    with pytest.raises(InputError, match="4"):
        adjudge.linear_weighted_kappa(TRUTH, SAID, classes=[0, 1, 2, 3])
    with pytest.raises(InputError, match="rand compares clusters, not classes: leave classes= out"):
        adjudge.rand(TRUTH, SAID, classes=[0, 1])
