"""The best threshold by a measure or a cost, against trying every one."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

from adjudge import evaluate
from adjudge.errors import InputError
from adjudge.results.by_class import ClassifierEvaluation
from adjudge.results.curves import ThresholdCurve
from adjudge.results.thresholds import best_threshold
from conftest import raises_line


def judged(truth: object, p: object) -> ClassifierEvaluation:
    found = evaluate(truth, probabilities=p, kind="classification", indices="accuracy")
    assert isinstance(found, ClassifierEvaluation)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_no_other_threshold_costs_less(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 40)
    truth[:2] = 0, 1
    p = np.round(np.clip(0.3 * truth + 0.7 * rng.random(40), 0, 1), 1)
    result = judged(truth, p)
    for costs in ((1, 1), (5, 1), (1, 9), (0, 1)):
        best = result.best_threshold(costs=costs)
        tried = {
            t: (costs[0] * ((p >= t) & (truth == 0)).sum() + costs[1] * ((p < t) & (truth == 1)).sum()) / 40
            for t in [math.inf, *np.unique(p)[::-1].tolist()]
        }
        least = min(tried.values())
        assert best.value == pytest.approx(least)
        assert best.thresholds.tolist() == [t for t, paid in tried.items() if paid <= least + 1e-12]
        assert best.threshold == best.thresholds[0]
        said = p >= best.threshold
        assert best.counts == {
            "tp": (said & (truth == 1)).sum(),
            "fp": (said & (truth == 0)).sum(),
            "fn": (~said & (truth == 1)).sum(),
            "tn": (~said & (truth == 0)).sum(),
        }
    assert result.best_threshold("matthews_correlation").value >= result.best_threshold("f1").value * -1


def test_one_class_of_several_and_none() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    p = rng.dirichlet([1, 1, 1], 60)
    result = judged(truth, p)
    own = result.best_threshold("youden", positive=2)
    assert own.by == "informedness"
    assert own.value == best_threshold(ThresholdCurve.from_predictions(truth == 2, p[:, 2]), "youden").value
    none = best_threshold(ThresholdCurve.from_predictions([0, 0], [0.2, 0.3], classes=[0, 1]))
    assert math.isnan(none.value)
    assert math.isnan(none.threshold)
    assert none.reason == "the truth has no instance of the class, or no other"
    assert json.loads(json.dumps(none.to_dict()))["threshold"] == "nan"


def test_errors() -> None:
    result = judged([0, 1], [0.2, 0.7])
    with pytest.raises(InputError, match="by='false_positive_rate' is not known"):
        result.best_threshold("false_positive_rate")
    with raises_line(
        InputError, "costs=(0, 0): give two numbers of at least 0, of a false positive and a false negative"
    ):
        result.best_threshold(costs=(0, 0))
    with raises_line(
        InputError, "costs=(-1, 1): give two numbers of at least 0, of a false positive and a false negative"
    ):
        result.best_threshold(costs=(-1, 1))


def test_costs_may_be_a_matrix_as_those_of_expected_cost() -> None:
    """A matrix raised "must be real number, not list"."""
    curve = ThresholdCurve.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    assert (
        best_threshold(curve, costs=[[0, 5], [1, 0]]).threshold
        == best_threshold(curve, costs=(5, 1)).threshold
    )
    for wrong in ([[1, 5], [1, 0]], [[0, 5, 1]], ["a", "b"]):
        with pytest.raises(InputError, match="give two numbers of at least 0"):
            best_threshold(curve, costs=wrong)
    with raises_line(
        InputError, "costs= are two numbers of at least 0, of a false positive and a false negative"
    ):
        best_threshold(curve, costs=pd.Series([1.0, 2.0, 3.0]))
