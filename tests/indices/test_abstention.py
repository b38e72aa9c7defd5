"""Models that may abstain: what is answered, and how well, by definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError
from adjudge.inference import coverage_with_risk
from adjudge.inference.forecasts.abstention_influence import OF_ABSTENTION
from adjudge.statistics import read_forecasts


def drawn(seed: int, n: int = 60, digits: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    truth, shares, weights = drawn(seed, digits=digits)
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
    truth, shares, _ = drawn(2, 30, digits=1)
    sure, wrong = shares.max(axis=1), shares.argmax(axis=1) != truth
    # One instance is wrong, and another that is less sure sets the threshold.
    chance = [
        wrong[i] * ((sure[i] > sure[j]) + (sure[i] == sure[j]) / 2)
        for i, j in itertools.product(range(30), repeat=2)
    ]
    assert adjudge.generalized_risk_coverage_area(truth, shares) == pytest.approx(np.mean(chance))


def test_risk_at_a_coverage_answers_the_surest() -> None:
    truth, shares, _ = drawn(3)
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
    truth, shares, _ = drawn(4, 300, digits)
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
    truth, shares, _ = drawn(5, 300)
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
