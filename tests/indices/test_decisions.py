"""What decisions are worth, and models that may abstain, by definition."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import adjudge
from adjudge import InputError
from adjudge.inference import coverage_with_risk
from adjudge.inference.forecasts.abstention_influence import OF_ABSTENTION
from adjudge.statistics import read_forecasts
from cases import each

RATES = [
    "sensitivity_at_specificity",
    "specificity_at_sensitivity",
    "recall_at_precision",
    "precision_at_recall",
]


def drawn(seed: int, n: int = 40) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = np.r_[0, 1, rng.integers(0, 2, n)]
    scores = truth + rng.normal(size=truth.size)
    return truth, np.round(scores, seed % 3), rng.uniform(0.2, 3, truth.size)


def naive(name: str, truth: Any, scores: Any, weights: Any, at: float) -> float:
    """Try every threshold."""
    read, held = name.split("_at_")
    best = 0.0 if name == "recall_at_precision" else -math.inf
    for threshold in [*np.unique(scores), math.inf]:
        said = scores >= threshold

        def rate(of: str, said: Any = said) -> float:
            among, right = {
                "sensitivity": (truth == 1, said),
                "recall": (truth == 1, said),
                "specificity": (truth == 0, ~said),
                "precision": (said, truth == 1),
            }[of]
            return float(weights[among & right].sum() / weights[among].sum()) if among.any() else math.nan

        if rate(held) >= at - 1e-12 and rate(read) > best:
            best = rate(read)
    return best


@each("name", RATES)
@each("seed", range(6), keep=3)
def test_rates_by_definition(seed: int, name: str) -> None:
    truth, scores, weights = drawn(seed)
    record = adjudge.find_index(name)
    for at in (0.0, 0.3, 0.5, 0.9, 1.0):
        wanted = naive(name, truth, scores, np.ones(truth.size), at)
        assert record(truth, scores=scores, at=at) == pytest.approx(wanted)
        wanted = naive(name, truth, scores, weights, at)
        assert record(truth, scores=scores, at=at, sample_weight=weights) == pytest.approx(wanted)


def test_without_ties_they_are_on_the_curve_of_proc() -> None:
    # pROC 1.18: coords(roc(truth, scores), 0.9, "specificity", "sensitivity"), and the other way round.
    truth, scores = [0, 0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.35, 0.5, 0.7, 0.3, 0.6, 0.8, 0.9]
    assert adjudge.sensitivity_at_specificity(truth, scores=scores, at=0.8) == 0.75
    assert adjudge.sensitivity_at_specificity(truth, scores=scores, at=0.9) == 0.5
    assert adjudge.specificity_at_sensitivity(truth, scores=scores, at=0.9) == pytest.approx(0.4)


def test_net_benefit_by_definition() -> None:
    rng = np.random.default_rng(0)
    truth, p, weights = rng.integers(0, 2, 80), rng.random(80), rng.uniform(0.1, 2, 80)
    for at in (0.0, 0.1, 0.5, 0.9):
        gains = (p >= at) * np.where(truth == 1, 1, -at / (1 - at))
        assert adjudge.net_benefit(truth, p, at=at) == pytest.approx(gains.mean())
        found = adjudge.net_benefit(truth, p, at=at, sample_weight=weights)
        assert found == pytest.approx(np.average(gains, weights=weights))
    # Acting on everybody.
    assert adjudge.net_benefit(truth, np.ones(80), at=0.2) == pytest.approx(
        truth.mean() - (1 - truth.mean()) * 0.25
    )
    with pytest.raises(InputError, match="at=1: a probability from 0 to below 1 is needed"):
        adjudge.net_benefit(truth, p, at=1)


def test_expected_cost_by_definition() -> None:
    rng = np.random.default_rng(1)
    truth, said, weights = rng.integers(0, 3, 90), rng.integers(0, 3, 90), rng.uniform(0.1, 2, 90)
    costs = rng.normal(size=(3, 3))
    assert adjudge.expected_cost(truth, said, costs=costs) == pytest.approx(costs[truth, said].mean())
    found = adjudge.expected_cost(truth, said, costs=costs, sample_weight=weights)
    assert found == pytest.approx(np.average(costs[truth, said], weights=weights))
    names = np.array(["a", "b", "c"])
    turned = costs[::-1, ::-1]
    by_name = adjudge.expected_cost(names[truth], names[said], costs=turned, classes=["c", "b", "a"])
    assert by_name == pytest.approx(costs[truth, said].mean())
    assert adjudge.expected_cost(truth, said) == pytest.approx(np.mean(truth != said))
    amounts = rng.uniform(0, 100, 90)
    assert adjudge.expected_cost(truth, said, costs=amounts) == pytest.approx(
        np.mean(amounts * (truth != said))
    )
    found = adjudge.expected_cost(truth, said, costs=amounts, sample_weight=weights)
    assert found == pytest.approx(np.average(amounts * (truth != said), weights=weights))
    gaps = pd.Series(names[said]).where(np.arange(90) > 4)
    found = adjudge.expected_cost(names[truth], gaps, costs=amounts, missing="drop")
    assert found == pytest.approx(np.mean((amounts * (truth != said))[5:]))
    holes = np.where(np.arange(90) < 7, np.nan, amounts)
    found = adjudge.expected_cost(names[truth], gaps, costs=holes, missing="drop")
    assert found == pytest.approx(np.mean((amounts * (truth != said))[7:]))
    with pytest.raises(InputError, match=r"costs has no number at position 0 \(7 in all\)"):
        adjudge.expected_cost(truth, said, costs=holes)


def test_costs_that_do_not_fit_are_named() -> None:
    truth, said = ["a", "b", "c"], ["a", "b", "b"]
    with pytest.raises(
        InputError, match=r"costs= has the shape \(2, 2\): give 3 rows and columns, for 'a', 'b', 'c'"
    ):
        adjudge.expected_cost(truth, said, costs=[[0, 1], [1, 0]])
    with pytest.raises(
        InputError, match=r"costs has -1\.0 at position 1: costs by instance are not negative"
    ):
        adjudge.expected_cost(truth, said, costs=[1, -1, 2])
    with pytest.raises(InputError, match="no finite numbers"):
        adjudge.expected_cost(truth, said, costs=[[0, 1, 1], [1, 0, np.nan], [1, 1, 0]])


def test_intervals_where_they_hold() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 600)
    p = 1 / (1 + np.exp(-(1.5 * truth + rng.normal(size=600) - 0.7)))
    asked: dict[str, Any] = {"kind": "classification", "confidence": 0.95, "indices": [*RATES, "net_benefit"]}
    found = adjudge.evaluate(truth, probabilities=p, **asked)
    for name in asked["indices"]:
        if name == "recall_at_precision":
            assert "the best place in a sample is too optimistic" in found.interval_reasons[name]
            continue
        low, high = found.intervals[name]
        assert low < found[name] < high
    few = adjudge.evaluate(truth[:60], probabilities=p[:60], **asked)
    assert "about" in few.interval_reasons["sensitivity_at_specificity"]
    tied = adjudge.evaluate(truth, probabilities=np.round(p, 1), **asked)
    assert "scores are equal at the threshold" in tied.interval_reasons["sensitivity_at_specificity"]


@pytest.mark.full
@each(
    "name", ["sensitivity_at_specificity", "specificity_at_sensitivity", "precision_at_recall", "net_benefit"]
)
def test_the_standard_error_is_that_of_the_bootstrap(name: str) -> None:
    rng = np.random.default_rng(3)
    n = 1500
    truth = (rng.random(n) < 0.3).astype(int)
    p = 1 / (1 + np.exp(-(1.5 * truth + rng.normal(size=n) - 0.7)))
    found = adjudge.evaluate(truth, probabilities=p, kind="classification", confidence=0.95, indices=[name])
    low, high = found.intervals[name]
    record = adjudge.find_index(name)
    draws = []
    for _ in range(400):
        some = rng.integers(0, n, n)
        draws.append(record(truth[some], p[some]))
    assert (high - low) / 3.92 == pytest.approx(np.std(draws), rel=0.2)


@pytest.mark.parametrize("at", ["0.1", [0.1, 0.2], None, True])
def test_what_is_no_rate_is_refused(at: object) -> None:
    names = ["net_benefit", "sensitivity_at_specificity", "risk_at_coverage", "coverage_at_risk"]
    for name in names:
        with pytest.raises(InputError, match="at="):
            getattr(adjudge, name)([0, 1, 1, 0], [0.1, 0.8, 0.6, 0.3], at=at)


def test_costs_by_instance_are_as_many_as_instances() -> None:
    with pytest.raises(InputError, match="costs= has 3 entries, but there are 4 instances"):
        adjudge.expected_cost([0, 1, 1, 0], [0, 1, 0, 0], costs=[1.0, 2.0, 3.0])


def abstaining(seed: int, n: int = 60, digits: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    shares = np.round(0.7 * rng.dirichlet([1, 1, 1], n) + 0.3 * np.eye(3)[truth], digits)
    return truth, shares / shares.sum(axis=1, keepdims=True), rng.integers(1, 4, n)


def by_threshold(truth, shares, weights):
    """Each threshold from the highest down: the share answered, and the share answered wrongly."""
    sure = shares.max(axis=1)
    wrong = shares.argmax(axis=1) != truth
    for t in sorted(set(sure.tolist()), reverse=True):
        yield weights[sure >= t].sum() / weights.sum(), weights[(sure >= t) & wrong].sum() / weights.sum()


@pytest.mark.parametrize(("seed", "digits"), [(0, 6), (1, 1)])
@pytest.mark.parametrize("weighted", [False, True])
def test_areas_and_coverage_by_definition(seed: int, digits: int, weighted: bool) -> None:
    truth, shares, weights = abstaining(seed, digits=digits)
    given = {"sample_weight": weights} if weighted else {}
    weights = weights if weighted else np.ones(truth.size)
    steps = list(by_threshold(truth, shares, weights))
    before = [(0.0, 0.0), *steps[:-1]]
    area = sum((a - b) * e / a for (a, e), (b, _) in zip(steps, before, strict=True))
    general = sum((a - b) * (e + d) / 2 for (a, e), (b, d) in zip(steps, before, strict=True))
    assert adjudge.risk_coverage_area(truth, shares, **given) == pytest.approx(area)
    assert adjudge.generalized_risk_coverage_area(truth, shares, **given) == pytest.approx(general)
    for at in (0.0, 0.1, 0.3, 1.0):
        largest = max([a for a, e in steps if e <= at * a + 1e-12], default=0.0)
        assert adjudge.coverage_at_risk(truth, shares, at=at, **given) == pytest.approx(largest)


def test_generalised_area_is_that_of_two_random_answers() -> None:
    truth, shares, _ = abstaining(2, 30, digits=1)
    sure, wrong = shares.max(axis=1), shares.argmax(axis=1) != truth
    # One instance is wrong, and another that is less sure sets the threshold.
    chance = [
        wrong[i] * ((sure[i] > sure[j]) + (sure[i] == sure[j]) / 2)
        for i, j in itertools.product(range(30), repeat=2)
    ]
    assert adjudge.generalized_risk_coverage_area(truth, shares) == pytest.approx(np.mean(chance))


def test_risk_at_a_coverage_answers_the_surest() -> None:
    truth, shares, _ = abstaining(3)
    order = np.argsort(-shares.max(axis=1), kind="stable")
    wrong = (shares.argmax(axis=1) != truth)[order]
    for k in (6, 30, 60):
        assert adjudge.risk_at_coverage(truth, shares, at=k / 60) == pytest.approx(wrong[:k].mean())
    # Of equal ones, as many as needed are answered, whichever: the mean over all ways.
    ways = itertools.combinations([0, 1, 0], 2)
    tied = adjudge.risk_at_coverage([0, 1, 0], [0.2, 0.2, 0.2], at=2 / 3)
    assert tied == pytest.approx(np.mean([np.mean(way) for way in ways]))
    with pytest.raises(InputError, match="a share above 0"):
        adjudge.risk_at_coverage([0, 1], [0.2, 0.7], at=0)
    with pytest.raises(InputError, match="a share from 0 to 1"):
        adjudge.coverage_at_risk([0, 1], [0.2, 0.7], at=2)


def test_answers_outside_of_the_classes_are_no_answers() -> None:
    truth = ["a", "a", "b", "b", "b"]
    said = ["a", "unsure", "b", "a", "?"]
    assert adjudge.answered_share(truth, said) == 3 / 5
    assert adjudge.accuracy_where_answered(truth, said) == 2 / 3
    assert adjudge.accuracy(truth, said) == 2 / 5
    result = adjudge.evaluate(
        truth, ["?"] * 5, indices=["answered", "selective_accuracy"], kind="classification"
    )
    assert result["answered_share"] == 0
    assert math.isnan(result["accuracy_where_answered"])
    assert result.reasons["accuracy_where_answered"] == "0/0: no class is predicted"


@pytest.mark.parametrize("name", list(OF_ABSTENTION))
@pytest.mark.parametrize("digits", [6, 1])
def test_influence_is_that_of_leaving_out(name: str, digits: int) -> None:
    truth, shares, _ = abstaining(4, 300, digits)
    forecasts, record = read_forecasts(truth, shares), adjudge.find_index(name)
    moved, n = OF_ABSTENTION[name](forecasts, record), truth.size
    value = record.judge(forecasts)[0]
    assert moved.value == pytest.approx(value)
    without = [record.judge(forecasts.take(np.arange(n) != i))[0] for i in range(n)]
    left_out = (n - 1) * (value - np.array(without))
    left_out -= left_out.mean()
    # The risk at one coverage jumps by instance; an area is smooth.
    least, off = (0.8, 0.1) if name == "risk_at_coverage" else (0.999, 0.02)
    assert np.corrcoef(left_out, moved.psi)[0, 1] > least
    assert moved.psi.std() == pytest.approx(left_out.std(), rel=off)
    assert abs(moved.psi.mean()) < 1e-9


def test_intervals_hold_the_value_and_coverage_at_risk_has_none() -> None:
    truth, shares, _ = abstaining(5, 300)
    asked = ["risk_at_coverage", "coverage_at_risk", "aurc", "augrc"]
    found = adjudge.evaluate(
        truth, probabilities=shares, indices=asked, kind="classification", confidence=0.95
    )
    for name in OF_ABSTENTION:
        low, high = found.intervals[name]
        assert low < found[name] < high
    assert "those that look good by chance" in found.interval_reasons["coverage_at_risk"]
    other = adjudge.compare(
        truth, probabilities={"one": shares, "two": shares[::-1]}, indices=["aurc"], confidence=0.95
    )
    assert other["one", "two"].differences["risk_coverage_area"].value < 0


def test_guaranteed_coverage_keeps_the_risk() -> None:
    rng = np.random.default_rng(6)
    broken = answered = 0
    for _ in range(200):
        p = rng.random(800)
        found = coverage_with_risk(rng.random(800) < p, p, risk=0.1)
        if found.n_answered:
            # Of such probabilities, the mean share of mistakes above t is (1 - t) / 2.
            broken += (1 - found.threshold) / 2 > 0.1
            answered += 1
    assert answered > 50
    assert broken <= 0.05 * 200 + 8
    p = rng.random(800)
    found = coverage_with_risk(rng.random(800) < p, p, risk=0.1)
    answers = np.maximum(p, 1 - p) > found.threshold
    assert found.n_answered == answers.sum() == round(found.coverage * 800)


def test_guaranteed_coverage_at_the_ends() -> None:
    perfect = coverage_with_risk([0, 1] * 100, [0.1, 0.9] * 100)
    assert (perfect.coverage, perfect.threshold, perfect.n_wrong) == (1.0, 0.0, 0)
    assert "all instances may be answered" in repr(perfect)
    few = coverage_with_risk([0, 1] * 10, [0.1, 0.9] * 10)
    assert (few.coverage, few.n_answered) == (0.0, 0)
    assert math.isinf(few.threshold)
    assert "at no threshold" in repr(few)
    for risk in (0, 1):
        with pytest.raises(InputError, match="a share between 0 and 1"):
            coverage_with_risk([0, 1], [0.1, 0.9], risk=risk)
    with pytest.raises(InputError, match="units=: rows of one unit vary together"):
        coverage_with_risk([0, 1], [0.1, 0.9], units=[1, 1])
    with pytest.raises(InputError, match="does not say how many instances"):
        coverage_with_risk([0, 1], [0.1, 0.9], sample_weight=[1, 2])
