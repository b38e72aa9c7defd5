"""Confidence intervals: against definitions on the labels themselves, coverage, and degenerate cases."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from scipy.stats import norm

import adjudge
import naive_chance as naive
from adjudge.errors import InputError
from adjudge.indices.catalog import list_indices
from adjudge.inference.classes.accuracy_tests import mcnemar_test
from adjudge.inference.classes.outcome_intervals import classification_intervals
from adjudge.inference.common.proportions import mid_p, wilson
from adjudge.inference.common.samples import CrossTabulation
from adjudge.inference.confidence import confidence_interval
from adjudge.inference.interval import METHOD, Interval
from adjudge.inference.partitions.intervals import METHODS, clustering_intervals, external_intervals
from adjudge.statistics.agreement import Agreement
from adjudge.statistics.contingency import Contingency

Z = 1.959963984540054
MEASURES = [record.name for record in list_indices("comparative")]


def noisy(generator, n=60, k=3, right=0.8):
    truth = generator.integers(0, k, n)
    return truth, *(
        np.where(generator.random(n) < right, truth, generator.integers(0, k, n)) for _ in range(2)
    )


@pytest.mark.parametrize("index", ["jaccard", "adjusted_rand", "nmi", "purity", "mutual_information"])
def test_jackknife_leaves_out_each_instance(index, rng):
    x, y, _ = noisy(rng)
    values = [adjudge.find_index(index)(naive.without(x, i), naive.without(y, i)) for i in range(x.size)]
    half = Z * naive.jackknife_error(values)
    observed = adjudge.find_index(index)(x, y)
    low, high = confidence_interval(index, x, y, method="jackknife")
    assert (low, high) == pytest.approx((observed - half, observed + half), rel=1e-11)


def test_jackknife_of_the_prayatul_measures_leaves_out_each_instance(rng):
    labels = noisy(rng)
    found = clustering_intervals(*labels, method="jackknife")
    for record in list_indices("comparative"):
        values = [
            record.of(Agreement.from_labels(*(naive.without(x, i) for x in labels), kind="clustering"))
            for i in range(len(labels[0]))
        ]
        half = Z * naive.jackknife_error(values)
        observed = record(*labels, kind="clustering")
        low, high = max(record.range[0], observed - half), min(record.range[1], observed + half)
        assert tuple(found[record.name]) == pytest.approx((low, high), rel=1e-11), record.name


@pytest.mark.full
@pytest.mark.parametrize("index", ["rand", "nmi", "pivoted_accuracy"])
def test_bootstrap_of_cells_is_the_bootstrap_of_instances(index, rng):
    """The two draw differently; their quantiles must agree within their noise."""
    x, y, _ = noisy(rng, n=150)
    record = adjudge.find_index(index)
    picks = rng.integers(0, 150, (1500, 150))
    naively = np.quantile([record(x[p], y[p]) for p in picks], [0.025, 0.975])
    found = confidence_interval(index, x, y, method="percentile", n_resamples=4000, random_state=1)
    width = naively[1] - naively[0]
    assert tuple(found) == pytest.approx(tuple(naively), abs=0.12 * width)


def test_bca_by_its_definition(rng):
    """The levels of Efron (1987), from the same resamples and from leaving out each instance."""
    x, y, _ = noisy(rng, n=25, right=0.9)
    observed = adjudge.jaccard(x, y)
    rows, cols, counts = Contingency.from_labels(x, y).cells()
    resampled = [
        adjudge.jaccard(np.repeat(rows, weights), np.repeat(cols, weights))
        for weights in np.random.default_rng(7).multinomial(25, counts / 25, size=500)
    ]
    without = np.array([adjudge.jaccard(naive.without(x, i), naive.without(y, i)) for i in range(25)])
    deviations = without.mean() - without
    acceleration = (deviations**3).sum() / (6 * (deviations**2).sum() ** 1.5)
    below = np.mean([(value < observed) + (value == observed) / 2 for value in resampled])
    bias = norm.ppf(below)
    shifted = bias + norm.ppf([0.025, 0.975])
    levels = norm.cdf(bias + shifted / (1 - acceleration * shifted))
    assert abs(acceleration) > 0.03
    found = confidence_interval("jaccard", x, y, method="bca", n_resamples=500, random_state=7)
    assert tuple(found) == pytest.approx(tuple(np.quantile(resampled, levels)), rel=4e-3)


def test_resampled_pair_sums_are_those_of_the_resampled_tables(rng):
    x, y, z = noisy(rng, n=80)
    g, p, q = (np.unique(v, return_inverse=True)[1] for v in (x, y, z))
    cells, counts = np.unique(np.stack([g, p, q]), axis=1, return_counts=True)
    sample = CrossTabulation(counts, [*cells])
    (drawn,) = sample.resamples(20, rng)
    for weights, sums in zip(drawn, sample.resampled_sums(drawn), strict=True):
        g, p, q = (np.repeat(c, weights).tolist() for c in cells)
        joint = [g, p, q, *(list(zip(a, b, strict=True)) for a, b in ((g, p), (g, q), (p, q)))]
        assert sums == tuple(naive.joined_pairs(labels, labels) for labels in joint)


@pytest.mark.parametrize("counts", [(70, 12, 8, 10), (90, 3, 0, 7), (5, 1, 1, 0), (60, 30, 2, 5)])
def test_classification_intervals_are_exact_ones(counts):
    agreement = Agreement(*counts)
    br, rw, wr, _ = counts
    found = classification_intervals(agreement)
    assert set(found) == set(MEASURES)
    ends = {}
    for name, hits, n in (("deviation", rw, rw + wr), ("rightness", br + rw, br + rw + wr)):
        ends[name] = tuple(map(float, mid_p(hits / n, n, 0.95)))
    low, high = ends["deviation"]
    assert tuple(found["comparative_deviation"]) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-9)
    low, high = ends["rightness"]
    assert tuple(found["comparative_rightness"]) == pytest.approx((low, high), abs=1e-9)
    assert tuple(found["effective_rightness"]) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-9)


@pytest.mark.parametrize(("b", "c"), [(12, 5), (12, 4), (7, 1), (6, 1), (30, 17), (31, 15)])
def test_the_interval_of_comparative_deviation_and_mcnemar_agree(b, c):
    agreement = Agreement(50, b, c, 5)
    holds_zero = 0.0 in classification_intervals(agreement)["comparative_deviation"]
    assert holds_zero == (mcnemar_test(agreement, method="mid-p").p_value >= 0.05)


def test_score_interval_of_a_proportion_is_wilsons():
    """Where an index is a share of instances, the jackknife gives its variance and the score interval is Wilson's."""

    def marked(table: Contingency) -> float:
        return int(table.to_array()[0, 0]) / table.n

    x, y = np.repeat([0, 1], [30, 20]), np.repeat([0, 1], [30, 20])
    record = adjudge.find_index("purity")
    assert record.range == (0, 1)
    table = Contingency.from_labels(x, y)
    observed = confidence_interval(marked, table, method="jackknife")
    error = math.sqrt(0.6 * 0.4 / 49)
    assert tuple(observed) == pytest.approx((0.6 - Z * error, 0.6 + Z * error), rel=1e-6)
    low, high = confidence_interval("purity", np.array([[40, 10], [0, 50]]))
    # Purity is 0.9, and an instance left out changes it as it changes a proportion.
    assert (low, high) == pytest.approx(wilson(0.9, 100, Z), rel=1e-6)


def test_more_confidence_is_wider_and_methods_agree_on_much_data(rng):
    x, y, _ = noisy(rng, n=20_000)
    intervals = {m: confidence_interval("rand", x, y, method=m, random_state=0) for m in METHODS}
    reference = intervals["jackknife"]
    width = reference.high - reference.low
    for method, interval in intervals.items():
        assert interval.method == (METHOD if method == "score" else method)
        assert tuple(interval) == pytest.approx(tuple(reference), abs=0.1 * width)
    wide = confidence_interval("rand", x, y, confidence=0.99)
    assert wide.high - wide.low == pytest.approx(width * 2.5758 / 1.95996, rel=4e-3)


def test_several_indices_share_their_resamples(rng):
    x, y, _ = noisy(rng)
    together = external_intervals(["rand", "hamann"], x, y, method="percentile", random_state=5)
    low, high = together["rand"]
    assert tuple(together["hamann"]) == pytest.approx((2 * low - 1, 2 * high - 1))
    assert together["rand"] == confidence_interval("rand", x, y, method="percentile", random_state=5)


@pytest.mark.parametrize("method", METHODS)
def test_perfect_agreement_has_an_interval_on_one_side(method):
    labels = np.repeat([0, 1, 2], 20)
    interval = confidence_interval("adjusted_rand", labels, labels, method=method, random_state=0)
    assert interval.high == 1.0
    assert 0.5 < interval.low < 1.0
    assert "no instance changes the estimate" in interval.reason


@pytest.mark.parametrize("method", METHODS)
def test_models_that_never_disagree(method):
    truth, model = np.repeat([0, 1], 20), np.repeat([0, 1, 0, 1], 10)
    found = clustering_intervals(truth, model, model, method=method, random_state=0)
    everything = found["comparative_deviation"]
    assert (everything.low, everything.high) == (-1, 1)
    assert "undefined" in everything.reason
    for interval in found.values():
        assert interval.low < interval.high
    never = classification_intervals(Agreement(40, 0, 0, 0))
    assert tuple(never["comparative_deviation"]) == (-1, 1)
    assert "RW + WR = 0" in never["comparative_deviation"].reason
    for interval in never.values():
        assert interval.low < interval.high <= 1


def test_one_sided_where_a_model_is_never_alone_right():
    found = classification_intervals(Agreement(90, 5, 0, 5))
    deviation = found["comparative_deviation"]
    assert deviation.high == 1.0
    assert deviation.low == pytest.approx(2 * float(mid_p(1.0, 5, 0.95)[0]) - 1)


@pytest.mark.parametrize("agreement", [Agreement(0, 0, 0, 0), Agreement(0, 0, 0, 9)])
def test_nothing_right_allows_every_value(agreement):
    found = classification_intervals(agreement)
    assert tuple(found["comparative_rightness"]) == (0, 1)
    assert "neither model is right" in found["comparative_rightness"].reason


def test_one_cluster_and_one_instance():
    constant = confidence_interval("adjusted_rand", [0] * 30, [0] * 30)
    assert constant.high == 1.0
    assert constant.low < 1.0
    one = confidence_interval("purity", [0], [0])
    assert math.isnan(one.low)
    assert one.reason == "there is one instance"
    undefined = confidence_interval("fowlkes_mallows", [0, 1, 2], [0, 1, 2])
    assert tuple(undefined) == (0, 1)
    assert "every value is possible" in undefined.reason


def test_undefined_resamples_are_counted():
    interval = confidence_interval(
        "jaccard", [0, 0, 1, 2, 3], [0, 0, 1, 2, 3], method="percentile", random_state=0
    )
    assert interval.reason is not None


def test_two_thousand_resamples_do_not_touch_the_instances(rng):
    table = Contingency.from_matrix(
        rng.multinomial(10**7, np.full(100, 0.01)).reshape(10, 10) + 10_000 * np.eye(10)
    )
    confidence_interval("adjusted_rand", table, method="percentile", n_resamples=10)
    start = time.perf_counter()
    confidence_interval("adjusted_rand", table, method="percentile", n_resamples=2000)
    # 0.05 s on two cores; the bound only rules out a pass over ten million instances a resample.
    assert time.perf_counter() - start < 2


def test_sums_beyond_64_bits():
    table = Contingency.from_matrix([[4 * 10**9, 10**9], [10**9, 4 * 10**9]])
    for method in METHODS:
        low, high = confidence_interval("rand", table, method=method, n_resamples=50, random_state=0)
        assert 0.6799 < low < high < 0.6801


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"confidence": 95}, "confidence=95: write 95 % as 0.95"),
        ({"confidence": "95 %"}, "confidence='95 %': write 95 % as 0.95"),
        ({"confidence": 1.5}, "confidence=1.5: a number between 0 and 1 is needed, such as 0.95"),
        ({"confidence": True}, "confidence=True: a number between 0 and 1 is needed, such as 0.95"),
    ],
)
def test_bad_requests(arguments, message):
    with pytest.raises(InputError, match=message):
        confidence_interval("rand", [0, 0, 1], [0, 1, 1], **arguments)


def test_an_interval_unpacks_and_contains():
    low, high = interval = Interval(0.25, 0.75, 0.95, "score")
    assert (low, high) == (0.25, 0.75)
    assert 0.5 in interval
    assert 0.8 not in interval


def test_too_few_instances_for_pairs_are_refused_with_the_number_that_is_enough():
    found = adjudge.inference.confidence_intervals(
        ["rand"], labels_true=np.eye(10, dtype=int) + np.eye(10, k=1, dtype=int)
    )
    assert found["rand"].reason == (
        "no interval: 19 instances in 10 clusters make too few pairs; about 40 instances would be enough"
    )


def test_resamples_of_clusterings_are_as_many_as_asked():
    rng = np.random.default_rng(0)
    g, p, q = rng.integers(0, 3, (3, 60))
    found = [
        clustering_intervals(g, p, q, method="percentile", n_resamples=n, random_state=1)[
            "comparative_deviation"
        ]
        for n in (10, 10, 400)
    ]
    assert list(found[0]) == list(found[1])
    assert list(found[0]) != list(found[2])
