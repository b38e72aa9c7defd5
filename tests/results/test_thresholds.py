"""The best threshold by a measure or a cost, and thresholds judged by instances without part in the choice."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import adjudge
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


def evaluated(
    seed: int = 0, n: int = 400, share: float = 0.3
) -> tuple[np.ndarray, np.ndarray, adjudge.ClassifierEvaluation]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    p = 1 / (1 + np.exp(-(rng.normal(-1, 1, n) + 1.5 * truth)))
    return truth, p, adjudge.evaluate(truth, probabilities=p, kind="classification")


def test_each_instance_is_judged_by_a_threshold_that_the_others_chose() -> None:
    truth, p, result = evaluated()
    found = result.cross_fitted_threshold("f1", n_folds=5, random_state=3)
    assert found.threshold == result.best_threshold("f1").threshold
    assert found.value_of_choice == pytest.approx(adjudge.f1(truth, (p >= found.threshold).astype(int)))
    assert found.value == pytest.approx(adjudge.f1(truth, found.labels.astype(int)))
    for name in ("precision", "recall", "specificity"):
        own = getattr(adjudge, name)(truth, found.labels.astype(int))
        value, interval = found.scores[name]
        assert value == pytest.approx(own)
        assert interval.low < own < interval.high


def test_no_label_reads_its_own_truth() -> None:
    """Scores that say nothing look good where they are chosen, and not by other folds."""
    rng = np.random.default_rng(1)
    own, crossed = [], []
    for _ in range(30):
        truth, p = rng.integers(0, 2, 60), rng.random(60)
        found = adjudge.evaluate(truth, probabilities=p, kind="classification").cross_fitted_threshold(
            "youden"
        )
        own.append(found.value_of_choice)
        crossed.append(found.value)
    assert np.mean(own) > 0.12
    assert abs(np.mean(crossed)) < 0.09


def test_ends_hold_the_best_threshold_of_the_population() -> None:
    inside = {"f1": 0, "cost": 0, "recall": 0}
    rng = np.random.default_rng(2)
    for _ in range(100):
        p = rng.random(300)
        result = adjudge.evaluate(rng.random(300) < p, probabilities=p, kind="classification")
        for name, options, best in (
            # Of calibrated, even probabilities: half of the best F1, the share of the costs, and where 1 - t^2 is 0.91.
            ("f1", {}, (3 - np.sqrt(5)) / 2),
            ("cost", {"costs": (1, 4)}, 0.2),
            ("recall", {"recall": 0.91}, 0.3),
        ):
            found = result.cross_fitted_threshold(**options)
            inside[name] += found.low <= best <= found.high
    assert all(count >= 90 for count in inside.values()), inside


def test_a_rate_is_held() -> None:
    truth, p, result = evaluated()
    found = result.cross_fitted_threshold(recall=0.9)
    assert adjudge.recall(truth, (p >= found.threshold).astype(int)) >= 0.9
    above = p[p > found.threshold].min()
    assert adjudge.recall(truth, (p >= above).astype(int)) < 0.9
    spared = result.cross_fitted_threshold(specificity=0.9)
    assert adjudge.specificity(truth, (p >= spared.threshold).astype(int)) >= 0.9
    below = p[p < spared.threshold].max()
    assert adjudge.specificity(truth, (p >= below).astype(int)) < 0.9
    assert found.low < found.threshold < found.high


def test_costs_are_those_of_the_decisions() -> None:
    truth, _, result = evaluated()
    found = result.cross_fitted_threshold(costs=(1, 5))
    wrong = np.where(truth == 1, 5, 1) * (found.labels != truth)
    assert found.value == pytest.approx(wrong.mean())
    low, high = found.interval
    assert high - low == pytest.approx(2 * 1.96 * wrong.std() / 20, rel=0.1)
    assert set(found.to_dict()["scores"]) == {"precision", "recall", "specificity", "f1", "cost"}
    assert "by cost" in repr(found)


def test_of_a_named_class_and_saved(tmp_path) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 200)
    shares = rng.dirichlet([1, 1, 1], 200) * 0.6 + 0.4 * np.eye(3)[truth]
    result = adjudge.evaluate(truth, probabilities=shares, kind="classification")
    found = result.cross_fitted_threshold(positive=2)
    assert found.label == 2
    found.save(tmp_path / "t.adjudge")
    again = adjudge.load(tmp_path / "t.adjudge")
    assert again.to_dict() == found.to_dict()
    with pytest.raises(InputError, match="name the class"):
        result.cross_fitted_threshold()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"costs": (1, 2), "recall": 0.9}, "costs.* and recall.* both choose a threshold"),
        ({"recall": 1.5}, "a rate between 0 and 1"),
        ({"n_folds": 1}, "n_folds"),
        ({"by": "nonsense"}, "by"),
    ],
)
def test_what_cannot_be_chosen_is_refused(options, said: str) -> None:
    with pytest.raises(InputError, match=said):
        evaluated()[2].cross_fitted_threshold(**options)


def test_instances_are_needed() -> None:
    truth, p, _ = evaluated(n=100)
    weighted = adjudge.evaluate(
        truth,
        probabilities=p,
        sample_weight=np.arange(100) + 0.5,
        weights="importance",
        kind="classification",
    )
    with pytest.raises(InputError, match="weights do not say"):
        weighted.cross_fitted_threshold()
    in_units = adjudge.evaluate(truth, probabilities=p, units=np.arange(100) // 2, kind="classification")
    with pytest.raises(InputError, match="vary together"):
        in_units.cross_fitted_threshold()
    one = adjudge.evaluate([0] * 9 + [1], probabilities=np.linspace(0, 1, 10), kind="classification")
    with pytest.raises(InputError, match="two instances of the class"):
        one.cross_fitted_threshold()
