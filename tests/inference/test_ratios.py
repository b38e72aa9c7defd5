"""Limits of shares, and of ratios of two rates, beside the tail probabilities that define them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom

import adjudge
from adjudge.inference.common.proportions import (
    clopper_pearson,
    limits_of_ratio,
    mid_p,
    normal_quantile,
    wilson,
)

NAMES = ["positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio"]


def labels(tp: int, fn: int, fp: int, tn: int) -> tuple[np.ndarray, np.ndarray]:
    sizes = [tp, fn, fp, tn]
    return np.repeat([1, 1, 0, 0], sizes), np.repeat([1, 0, 1, 0], sizes)


def intervals(*cells: int) -> dict[str, tuple[float, float]]:
    found = adjudge.evaluate(
        *labels(*cells), kind="classification", indices=NAMES, positive=1, confidence=0.95
    )
    return {name: tuple(found.intervals[name]) for name in NAMES}


@pytest.mark.parametrize(
    ("one", "of_one", "other", "of_other"),
    [
        (0.8, (0.7, 0.9), 0.2, (0.1, 0.3)),
        (0.5, (0.2, 0.6), 0.01, (0.001, 0.05)),
        (3.0, (1.0, 9.0), 0.4, (0.1, 2.0)),
    ],
)
def test_a_limit_is_where_the_difference_ends_at_zero(one, of_one, other, of_other) -> None:
    def lower(ratio: float) -> float:
        return one - ratio * other - math.hypot(one - of_one[0], ratio * (of_other[1] - other))

    def upper(ratio: float) -> float:
        return one - ratio * other + math.hypot(of_one[1] - one, ratio * (other - of_other[0]))

    low, high = limits_of_ratio(one, of_one, other, of_other)
    assert low == pytest.approx(brentq(lower, 0, one / other))
    assert high == pytest.approx(brentq(upper, one / other, 1e6))


def test_textbook_tables() -> None:
    """Near the intervals of the logarithm (Simel 1991) with many in each cell, and of scores with few."""
    found = intervals(400, 100, 90, 410)
    for name, (one, m), (other, n) in (
        ("positive_likelihood_ratio", (400, 500), (90, 500)),
        ("negative_likelihood_ratio", (100, 500), (410, 500)),
    ):
        error = math.sqrt(1 / one - 1 / m + 1 / other - 1 / n)
        ends = [one / m / (other / n) * math.exp(sign * 1.96 * error) for sign in (-1, 1)]
        assert found[name] == pytest.approx(ends, rel=0.02), name
    error = math.sqrt(1 / 400 + 1 / 100 + 1 / 90 + 1 / 410)
    ends = [400 * 410 / (100 * 90) * math.exp(sign * 1.96 * error) for sign in (-1, 1)]
    assert found["diagnostic_odds_ratio"] == pytest.approx(ends, rel=0.02)
    # With three false alarms, Koopman's score interval is 22.0 to 186.2.
    assert intervals(95, 5, 3, 197)["positive_likelihood_ratio"] == pytest.approx((22.0, 186.2), rel=0.01)


def test_ends_of_tables_with_an_empty_cell() -> None:
    low, high = intervals(40, 10, 0, 50)["positive_likelihood_ratio"]
    ends = wilson(0.8, 50, 1.959964)[0], wilson(0, 50, 1.959964)[1]
    assert low == pytest.approx(math.sqrt(ends[0] * (1.6 - ends[0])) / ends[1], rel=1e-5)
    assert high == math.inf
    found = intervals(50, 0, 10, 40)
    assert found["negative_likelihood_ratio"][0] == 0 < found["negative_likelihood_ratio"][1] < 0.2
    assert found["diagnostic_odds_ratio"][0] > 20
    assert found["diagnostic_odds_ratio"][1] == math.inf
    perfect = intervals(50, 0, 0, 50)
    assert perfect["diagnostic_odds_ratio"][0] > found["diagnostic_odds_ratio"][0]
    turned = intervals(10, 40, 50, 0)["diagnostic_odds_ratio"]
    assert turned == pytest.approx((0, 1 / found["diagnostic_odds_ratio"][0]))


def test_a_ratio_turned_round_has_the_ends_turned_round() -> None:
    """What is said of the class and of the rest is the same question."""
    here, there = intervals(30, 10, 5, 60), intervals(60, 5, 10, 30)
    for one, other in (("positive", "negative"), ("negative", "positive")):
        low, high = there[f"{other}_likelihood_ratio"]
        assert here[f"{one}_likelihood_ratio"] == pytest.approx((1 / high, 1 / low))
    assert here["diagnostic_odds_ratio"] == pytest.approx(there["diagnostic_odds_ratio"], rel=0.02)


def test_each_side_misses_about_as_often() -> None:
    rng, below, above = np.random.default_rng(0), 0, 0
    for _ in range(300):
        tp, tn = rng.binomial(100, 0.9), rng.binomial(150, 0.93)
        low, high = intervals(tp, 100 - tp, 150 - tn, tn)["positive_likelihood_ratio"]
        below += low > 0.9 / 0.07
        above += high < 0.9 / 0.07
    assert below <= 16
    assert above <= 18


def test_recall_has_one_interval_in_a_comparison_and_one_verdict_in_a_gate() -> None:
    truth = np.r_[np.ones(40, int), np.zeros(60, int)]
    old, new = truth.copy(), truth.copy()
    old[:10], new[:14] = 0, 0
    new[5:8], old[40:45], new[42:50] = 1, 1, 1
    found = adjudge.compare(
        truth,
        {"old": old, "new": new},
        kind="classification",
        positive=1,
        confidence=0.95,
        indices=["recall"],
    )["old", "new"]
    of_class = next(own for own in found.recalls if own.label == 1).score
    score = found.differences["recall"]
    assert (score.low, score.high, score.p_value) == (of_class.low, of_class.high, of_class.p_value)
    gated = adjudge.gate(
        truth, old, new, kind="classification", positive=1, margin={"recall": 0.145, "recall[1]": 0.145}
    )
    assert len({own.status for own in gated.tested}) == 1


LEVELS = (0.5, 0.95, 0.999)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_exact_limits_are_the_shares_with_such_tails(n: int, confidence: float) -> None:
    hits = np.arange(n + 1.0)
    low, high = clopper_pearson(hits, np.full(n + 1, float(n)), confidence)
    assert (low[0], high[-1]) == (0.0, 1.0)
    tail = (1 - confidence) / 2
    np.testing.assert_allclose(binom.sf(hits[1:] - 1, n, low[1:]), tail, rtol=1e-9)
    np.testing.assert_allclose(binom.cdf(hits[:-1], n, high[:-1]), tail, rtol=1e-9)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_mid_p_limits_are_the_shares_with_such_tails(n: int, confidence: float) -> None:
    tail = (1 - confidence) / 2
    for hits in range(n + 1):
        low, high = mid_p(hits / n, n, confidence)
        if hits:
            above = binom.sf(hits, n, low) + binom.pmf(hits, n, low) / 2
            assert above == pytest.approx(tail, rel=1e-6)
        else:
            assert low == 0.0
        if hits < n:
            below = binom.cdf(hits - 1, n, high) + binom.pmf(hits, n, high) / 2
            assert below == pytest.approx(tail, rel=1e-6)
        else:
            assert high == 1.0


@pytest.mark.parametrize("confidence", LEVELS)
def test_wilsons_limits_are_z_standard_errors_away(confidence: float) -> None:
    z = normal_quantile(confidence)
    for n, hits in itertools.product((1, 2, 3, 7, 29, 1000), range(8)):
        if hits <= n:
            share = hits / n
            low, high = wilson(share, n, z)
            if hits == 0:
                assert low == 0.0
            if hits == n:
                assert high == 1.0
            for end in (low, high):
                assert (share - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n, abs=1e-12)
            assert low <= share <= high
