"""Tests of equal goodness: against other programs and enumeration, and their level under the hypothesis."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import adjudge
from adjudge.inference.classes.accuracy_tests import cochran_q_test, mcnemar_test
from adjudge.inference.common.adjustments import adjust_p_values
from adjudge.inference.common.significance import interval_test
from adjudge.inference.data_sets.rank_comparison import friedman_test
from adjudge.inference.differences.clustering_differences import equal_goodness_test
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.intervals import clustering_intervals
from adjudge.statistics.agreement import Agreement


@pytest.mark.parametrize(("b", "c"), [(12, 5), (5, 12), (7, 7), (1, 0), (30, 2)])
def test_mcnemar_by_its_definitions(b, c):
    agreement = Agreement(50, b, c, 5)
    exact = stats.binomtest(b, b + c, 0.5).pvalue
    assert mcnemar_test(agreement, method="exact").p_value == pytest.approx(exact, rel=1e-12)
    tie = math.comb(b + c, b) / 2 ** (b + c)
    twice = 2 * sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
    mid = 1 - tie / 2 if b == c else twice - tie
    assert mcnemar_test(agreement).p_value == pytest.approx(mid, rel=1e-12)
    plain = mcnemar_test(agreement, method="asymptotic")
    assert plain.statistic == pytest.approx((b - c) ** 2 / (b + c))
    assert plain.p_value == pytest.approx(stats.chi2.sf(plain.statistic, 1))
    corrected = mcnemar_test(agreement, method="corrected")
    assert corrected.statistic == pytest.approx(max(0, abs(b - c) - 1) ** 2 / (b + c))


def test_cochran_by_its_definition(rng):
    right = rng.random((50, 4)) < [0.5, 0.6, 0.7, 0.9]
    columns, rows = right.sum(axis=0), right.sum(axis=1)
    k = 4
    q = k * (k - 1) * ((columns - columns.mean()) ** 2).sum() / (rows * (k - rows)).sum()
    assert cochran_q_test(right).statistic == pytest.approx(q)


def noisy(generator, n, accuracy):
    truth = generator.integers(0, 3, n)
    return truth, *(np.where(generator.random(n) < a, truth, generator.integers(0, 3, n)) for a in accuracy)


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
@pytest.mark.parametrize("index", ["rand", "adjusted_rand"])
def test_a_better_clustering_is_told_apart(method, index, rng):
    truth, good, poor = noisy(rng, 300, (0.95, 0.6))
    # Names of clusters mean nothing.
    result = equal_goodness_test(
        truth, good, 2 - poor, index=index, method=method, n_resamples=500, random_state=1
    )
    assert result.p_value < 0.01
    record = adjudge.find_index(index)
    assert result.statistic == pytest.approx(record(truth, good) - record(truth, poor))
    swapped = equal_goodness_test(
        truth, poor, good, index=index, method=method, n_resamples=500, random_state=1
    )
    assert swapped.statistic == pytest.approx(-result.statistic)


@pytest.mark.parametrize("noise", [0.05, 0.3])
def test_the_test_and_the_interval_of_comparative_deviation_agree(noise, rng):
    found = []
    for _ in range(60):
        truth = rng.integers(0, 3, 60)
        p, q = (np.where(rng.random(60) < 1 - noise - e, truth, rng.integers(0, 3, 60)) for e in (0, 0.08))
        test = equal_goodness_test(truth, p, q)
        interval = clustering_intervals(truth, p, q)["comparative_deviation"]
        # Four digits of the p-value are computed.
        if abs(test.p_value - 0.05) > 1e-4 and test.reason is None:
            assert (0.0 in interval) == (test.p_value > 0.05)
            found.append(test.p_value < 0.05)
    assert 0 < sum(found) < len(found)


def test_equal_goodness_of_the_same_clustering():
    result = equal_goodness_test([0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 1, 1])
    assert result.p_value == 1.0
    assert result.reason == "the models never disagree (RW + WR = 0)"


SCORES = {
    "a": [0.80, 0.75, 0.90, 0.66, 0.71, 0.88, 0.79, 0.93],
    "b": [0.82, 0.79, 0.91, 0.70, 0.75, 0.90, 0.83, 0.95],
    "c": [0.70, 0.76, 0.85, 0.60, 0.73, 0.80, 0.70, 0.85],
}


def test_friedman_and_signed_ranks():
    result = friedman_test(SCORES)
    assert result.friedman.p_value == pytest.approx(stats.friedmanchisquare(*SCORES.values()).pvalue)
    assert result.models == ("a", "b", "c")
    # b is first everywhere; c is second twice (0.76 and 0.73 beat a).
    assert result.mean_ranks == pytest.approx((2.25, 1.0, 2.75))
    raw = [stats.wilcoxon(SCORES[x], SCORES[y]).pvalue for x, y in (("a", "b"), ("a", "c"), ("b", "c"))]
    assert list(result.p_values.values()) == pytest.approx(adjust_p_values(raw))
    assert friedman_test(SCORES, better="lower").mean_ranks == pytest.approx((1.75, 3.0, 1.25))


def test_friedman_of_models_that_always_tie():
    same = friedman_test({name: [0.5, 0.6] for name in "abc"})
    assert math.isnan(same.friedman.p_value)
    assert "tie on every data set" in same.friedman.reason
    assert set(same.p_values.values()) == {1.0}


def test_nemenyi_by_the_studentised_range():
    result = friedman_test(SCORES, posthoc="nemenyi")
    k, n = 3, 8
    for (x, y), p in result.p_values.items():
        ranks = dict(zip(result.models, result.mean_ranks, strict=True))
        q = abs(ranks[x] - ranks[y]) / math.sqrt(k * (k + 1) / (6 * n)) * math.sqrt(2)
        assert p == pytest.approx(stats.studentized_range.sf(q, k, np.inf), abs=1e-6)


def test_cochrans_test_says_what_it_tests():
    result = cochran_q_test([[1, 1, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    assert (result.method, result.hypothesis) == ("cochran-q", "all models have the same accuracy")
    alike = cochran_q_test([[1, 1], [0, 0]])
    assert (alike.statistic, alike.p_value) == (0.0, 1.0)
    assert alike.reason == "all models are right on the same instances"
    assert alike.hypothesis == result.hypothesis


@pytest.mark.parametrize("method", ["jackknife", "bootstrap"])
def test_undefined_differences_are_not_tested(method):
    truth, joined, apart = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]
    result = equal_goodness_test(
        truth, joined, apart, index="pair_precision", method=method, n_resamples=20, random_state=0
    )
    assert math.isnan(result.statistic)
    assert math.isnan(result.p_value)
    assert result.method == ("score" if method == "jackknife" else "bootstrap")
    assert result.reason == "the difference is undefined"


def test_differences_that_some_resamples_leave_undefined_are_not_tested():
    from adjudge.inference.differences.clustering_differences import _by_draws

    result = _by_draws(0.5, np.array([0.1, math.nan, 0.2]), "bootstrap", "h")
    assert (result.statistic, result.method, result.hypothesis) == (0.5, "bootstrap", "h")
    assert math.isnan(result.p_value)
    assert result.reason == "the difference is undefined for some resamples"


def test_identical_models_are_equally_good_by_any_index():
    truth, model = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
    result = equal_goodness_test(
        truth, model, model, index="jaccard", method="bootstrap", n_resamples=99, random_state=0
    )
    assert (result.p_value, result.reason) == (1.0, None)


def test_least_instances_of_a_test_of_goodness():
    three, two = [0, 0, 1], [0, 0]
    few = "there are fewer than 3 instances"
    for index in ("rand", "jaccard"):
        assert equal_goodness_test(two, [0, 0], [0, 1], index=index).reason == few
        assert equal_goodness_test(three, [0, 0, 0], [0, 0, 1], index=index).reason != few


def test_shares_of_draws_by_hand():
    """Of 99 draws and the observed difference."""
    from adjudge.inference.differences.clustering_differences import _by_draws

    draws = np.r_[np.full(3, 0.5), np.full(2, -0.5 - 1e-15), np.full(94, 0.4)]
    result = _by_draws(0.5, draws, "bootstrap", "h")
    assert (result.p_value, result.p_floor) == (6 / 100, 1 / 100)


def test_columns_of_a_test():
    result = mcnemar_test(Agreement(50, 12, 5, 5))
    assert result.table().columns == ("hypothesis", "method", "statistic", "p", "note")
    assert result.table().rows == ((result.hypothesis, "mid-p", 5.0, result.p_value, ""),)
    undecided = mcnemar_test(Agreement(50, 0, 0, 5))
    assert undecided.statistic == 0.0
    assert undecided.table().rows[0][-1] == "the models never disagree (RW + WR = 0)"


def test_a_confidence_interval_as_a_test():
    for value, low, high, side in ((0.1, 0.02, 0.3, 0.08), (-0.1, -0.4, 0.05, 0.15), (0.0, -0.1, 0.1, 0.1)):
        found = interval_test(value, Interval(low, high, 0.9, "score"), "both are the same")
        z = value / side * stats.norm.isf(0.05)
        assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(z)))
    found = interval_test(0.1, Interval(0.1, 0.3, 0.9, "score"), "both are the same")
    assert math.isnan(found.statistic)
    assert math.isnan(found.p_value)
    assert (found.method, found.hypothesis) == ("from the interval", "both are the same")
    assert found.reason == "the interval has no width"


def test_a_difference_that_no_instance_changes():
    """All instances are alike: each alone in one model, and all together in the other."""
    truth = [0] * 6
    same = equal_goodness_test(truth, truth, truth, index="jaccard")
    assert (same.statistic, same.p_value, same.method) == (0.0, 1.0, "jackknife")
    other = equal_goodness_test(truth, truth, range(6), index="jaccard")
    assert other.statistic == 1.0
    assert math.isnan(other.p_value)
    assert same.reason == other.reason == "no instance changes the difference"
