"""What instances do to partial areas, and to the best that a threshold reaches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from adjudge.indices.catalog import find_index
from adjudge.inference.differences.forecast_differences import differences_of_forecasts
from adjudge.inference.forecasts import forecast_intervals, threshold_influence
from adjudge.inference.forecasts.area_influence import spread
from adjudge.inference.forecasts.forecast_intervals import intervals_of_forecasts
from adjudge.inference.forecasts.threshold_influence import (
    THRESHOLD_SCORES,
    PositiveClass,
    limits_of,
    why_no_threshold,
)
from adjudge.statistics.forecasts import Forecasts, read_forecasts


def record(name: str) -> Any:
    return find_index(name, "classification")


def drawn(
    n: int, decimals: int | None, *, seed: int = 2, above: float = 1.3, share: float = 0.35
) -> Forecasts:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    values = rng.normal(size=n) + above * truth
    return read_forecasts(truth, scores=values if decimals is None else np.round(values, decimals))


@pytest.mark.parametrize("decimals", [None, 0, 1])
@pytest.mark.parametrize("name", sorted(THRESHOLD_SCORES))
@pytest.mark.parametrize("turned", [False, True])
def test_influence_is_the_slope_in_the_weight_of_an_instance(
    name: str, decimals: int | None, turned: bool
) -> None:
    own = drawn(200, decimals)
    truth = 1 - own.codes if turned and name != "youden_index" else own.codes
    values, small = own.column(1), 1e-6
    weights = np.ones(200)
    given = read_forecasts(truth, scores=values)

    def value(weight: Any) -> float:
        return record(name).judge(read_forecasts(truth, scores=values, sample_weight=weight))[0]

    slopes = []
    for i in range(200):
        change = small * (np.arange(200) == i)
        slopes.append(200 * (value(weights + change) - value(weights - change)) / (2 * small))
    found = THRESHOLD_SCORES[name].moved(record(name), PositiveClass(given))
    assert found.influence == pytest.approx(np.array(slopes), abs=1e-4)
    assert found.influence.mean() == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("name", ["ks_statistic", "maximum_f1", "youden_index"])
def test_what_the_best_is_too_large_by_is_known_on_average(name: str) -> None:
    truth = record(name).judge(drawn(1_000_000, None, seed=9))[0]
    samples = [drawn(300, None, seed=100 + i) for i in range(300)]
    values = np.array([record(name).judge(own)[0] for own in samples])
    excess = np.mean(
        [THRESHOLD_SCORES[name].moved(record(name), PositiveClass(own)).excess for own in samples]
    )
    assert excess == pytest.approx(values.mean() - truth, rel=0.3)


@pytest.mark.parametrize("name", sorted(THRESHOLD_SCORES))
def test_very_many_instances_have_an_interval(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    own = drawn(1500, None)
    moved = THRESHOLD_SCORES[name].moved(record(name), PositiveClass(own))
    value, error = record(name).judge(own)[0], spread(moved.influence, own.codes).error
    found = intervals_of_forecasts([record(name)], own, 0.95)[name]
    assert (found.method, found.reason) == ("logit-t", None)
    # The curve may have a bend at the threshold: the upper end takes the smaller excess.
    assert moved.spare == pytest.approx(moved.excess * (1 - 1.53 / 3))
    for end, excess, z in ((found.low, moved.excess, -1.96), (found.high, moved.excess - moved.spare, 1.96)):
        least, most = limits_of(record(name))
        middle = (value - excess - least) / (most - least)
        odds = math.log(middle / (1 - middle)) + z * error / (most - least) / (middle * (1 - middle))
        assert end == pytest.approx(least + (most - least) / (1 + math.exp(-odds)), abs=0.05 * error)


def test_models_that_thresholds_cut_have_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    truth = drawn(1500, None).codes
    rng = np.random.default_rng(4)
    both = [read_forecasts(truth, scores=rng.normal(size=1500) + above * truth) for above in (2.0, 1.0)]
    found = differences_of_forecasts([record(name) for name in THRESHOLD_SCORES], *both, 0.95)
    for name, own in found.items():
        one, other = (THRESHOLD_SCORES[name].moved(record(name), PositiveClass(given)) for given in both)
        error = spread(one.influence - other.influence, truth).error
        width = 2 * 1.96 * error + abs(one.excess - other.excess)
        assert own.interval.method == "influence-t"
        assert own.interval.high - own.interval.low == pytest.approx(width, rel=0.01), name
        assert own.test is not None
        assert own.test.p_value < 0.05


def test_scores_that_tell_nothing_have_no_best_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 0)
    nothing, something = drawn(1000, None, above=0.0), drawn(1000, None, above=1.0)
    records = [record(name) for name in THRESHOLD_SCORES]
    found = intervals_of_forecasts(records, nothing, 0.95)
    reason = (
        "the scores hardly tell the positive class from the others, so that any threshold may be the best"
    )
    for name, own in found.items():
        expected = None if name in ("partial_auc", "mcclish_auc") else reason
        assert own.reason == expected
        assert why_no_threshold(record(name), PositiveClass(nothing)) == expected
        assert why_no_threshold(record(name), PositiveClass(something)) is None
    mixed = read_forecasts(nothing.codes, scores=nothing.column(1) + nothing.codes)
    for pair in ((nothing, mixed), (mixed, nothing)):
        differences = differences_of_forecasts(records, *pair, 0.95)
        assert differences["maximum_f1"].interval.reason == reason
        assert differences["partial_auc"].interval.reason is None


#: Of the best threshold by hand: positives and negatives with scores 3, 2 and 1, and the threshold.
BEST = {
    # 0.5, then 1 - 0.4: with as many negatives as score above the lowest, the second would be 0.
    "all negatives count": ("youden_index", (5, 5, 0), (0, 4, 6), 2),
    # 0.5, then 0.8 - 0.35: with as many positives as score above the lowest, the second would be larger.
    "all positives count": ("youden_index", (10, 6, 4), (0, 7, 13), 3),
    # 20 / 30, then 28 / 41.
    "all positives count in F1": ("maximum_f1", (10, 4, 6), (0, 7, 13), 2),
    # Both are 0.5, and the first is taken.
    "the highest of several": ("ks_statistic", (2, 1, 1), (0, 1, 3), 3),
    # Only the other side is better than none: -0.5, -0.5 and 0.
    "not turned over": ("youden_index", (1, 1, 2), (3, 1, 0), 1),
    # Turned over: 0.75 less score 3, 0.25 are right then.
    "turned over": ("ks_statistic", (1, 1, 2), (3, 1, 0), 3),
}


@pytest.mark.parametrize("case", BEST)
def test_what_instances_do_to_the_value_at_the_best_threshold(case: str) -> None:
    name, positives, negatives, threshold = BEST[case]
    scores = np.repeat([3, 2, 1] * 2, [*positives, *negatives])
    inside = np.repeat([True, False], [sum(positives), sum(negatives)])
    said, n = scores >= threshold, inside.size
    if name == "maximum_f1":
        value = 2 * (inside & said).sum() / (inside.sum() + said.sum())
        wanted = (2 * (inside & said) - value * (inside * 1.0 + said)) * n / (inside.sum() + said.sum())
    else:
        recall, wrongly = said[inside].mean(), said[~inside].mean()
        wanted = np.where(inside, (said - recall) * n / inside.sum(), (wrongly - said) * n / (~inside).sum())
        wanted *= 1 if recall > wrongly else -1
    given = read_forecasts(inside.astype(int), scores=scores.astype(float))
    found = THRESHOLD_SCORES[name].moved(record(name), PositiveClass(given))
    assert found.influence == pytest.approx(wanted)


@pytest.mark.parametrize(("most", "cuts"), [(1_000, 4), (57, 3), (56, 2), (18, 1)])
def test_both_sides_are_cut_in_two(most: int, cuts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few instances several times, as often as the number of all that are cut allows."""
    monkeypatch.setattr(threshold_influence, "_CUT_IN_ALL", most)
    truth = np.repeat([0, 1], [12, 7])
    scores = np.random.default_rng(3).permutation(19) * 1.0
    halves = PositiveClass(read_forecasts(truth, scores=scores)).halves
    assert len(halves) == 2 * cuts
    assert len({other.tobytes() for _, other in halves}) == 2 * cuts
    for i, (own, other) in enumerate(halves):
        assert truth[~other].sum() == own.n_positive == (3, 4)[i % 2]
        assert (~other).sum() == own.n_positive + own.n_negative == (9, 10)[i % 2]
        assert sorted(own.scores) == sorted(scores[~other])
        assert (other == ~halves[i ^ 1][1]).all()


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["ks_statistic", "maximum_f1", "youden_index"])
def test_the_excess_is_a_part_of_what_thresholds_of_halves_lose(name: str, turned: bool) -> None:
    own = drawn(70, 1, seed=6)
    truth = own.codes == (0 if turned and name == "ks_statistic" else 1)
    scores = own.column(1)
    positive = PositiveClass(read_forecasts(truth.astype(int), scores=scores))

    def value(at: float, which: Any) -> float:
        said, inside = scores[which] >= at, truth[which]
        if name == "maximum_f1":
            return 2 * (said & inside).sum() / (said.sum() + inside.sum())
        return said[inside].mean() - said[~inside].mean()

    def best(which: Any) -> tuple[float, float]:
        size = abs if name == "ks_statistic" else float
        at = max(sorted(set(scores[which]), reverse=True), key=lambda at: size(value(at, which)))
        return at, -1.0 if value(at, which) < 0 else 1.0

    every = np.ones(70, bool)
    at, sign = best(every)
    lost = sign * value(at, every) - np.mean(
        [
            sign * value(at, other)
            for (at, sign), other in ((best(~other), other) for _, other in positive.halves)
        ]
    )
    assert lost > 0.01
    found = THRESHOLD_SCORES[name].moved(record(name), positive)
    assert found.excess == pytest.approx(lost / 1.53)
    assert found.excess - found.spare == pytest.approx(lost / 3)


def test_thresholds_of_a_perfect_order_lose_nothing() -> None:
    truth = np.repeat([0, 1], [20, 20])
    perfect = PositiveClass(read_forecasts(truth, scores=truth * 1.0))
    for name in ("ks_statistic", "maximum_f1", "youden_index"):
        found = THRESHOLD_SCORES[name].moved(record(name), perfect)
        assert (found.excess, found.spare) == (0.0, 0.0)
        assert found.influence == pytest.approx(0)


@pytest.mark.parametrize(
    ("hits", "n_positive", "n_negative", "tells"),
    # Twice the scale is 1 of eight and eight, 0.5 of 32 and 32, and of 18 and 144 as well as of 144 and 18.
    [
        *((8, 8, 8, True), (7, 8, 8, False), (16, 32, 32, True), (15, 32, 32, False)),
        *((9, 18, 144, True), (8, 18, 144, False), (72, 144, 18, True), (71, 144, 18, False)),
    ],
)
def test_scores_tell_the_class_from_twice_the_scale_of_the_largest_distance(
    hits: int, n_positive: int, n_negative: int, tells: bool
) -> None:
    scores = np.r_[np.zeros(n_negative), np.arange(n_positive) < hits]
    for turned in (1, -1):
        given = read_forecasts(np.repeat([0, 1], [n_negative, n_positive]), scores=turned * scores)
        for name in ("youden_index", "maximum_f1"):
            assert (why_no_threshold(record(name), PositiveClass(given)) is None) == tells


@pytest.mark.parametrize("resampled", [True, False])
@pytest.mark.parametrize("seed", [5, 7])
def test_partial_areas_end_where_they_do(resampled: bool, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to a rate of 0.1 there is no more than 0.1, and intervals ended at 0.113; McClish's is the same, turned."""
    monkeypatch.setattr(forecast_intervals, "MOST_ENTRIES", 10**9 * resampled)
    own = drawn(60, None, seed=seed, above=2.4, share=0.5)
    partial, rescaled = intervals_of_forecasts(
        [record("partial_auc"), record("mcclish_auc")], own, 0.99
    ).values()
    assert 0 < partial.low < 0.06 < 0.09 < partial.high < 0.1
    assert list(rescaled) == pytest.approx([(1 + (end - 0.005) / 0.095) / 2 for end in partial])


def test_limits_of_scores_that_thresholds_make() -> None:
    assert limits_of(record("partial_auc")) == (0.0, 0.1)
    assert limits_of(record("mcclish_auc")) == pytest.approx(((1 - 0.005 / 0.095) / 2, 1.0))
    assert limits_of(record("youden_index")) == (0.0, 1.0)
    assert limits_of(record("gini")) == (-1.0, 1.0)
    assert all(isinstance(end, float) for end in limits_of(record("gini")))


@pytest.mark.parametrize("name", ["partial_auc", "mcclish_auc"])
def test_a_tie_at_the_top_may_reach_beyond_the_rate(name: str) -> None:
    """The curve goes straight from (0, 0) to (0.3, 0.6): up to 0.1 there is half of 0.1 times 0.2."""
    truth, scores = np.repeat([1, 0], 10), np.repeat([1.0, 0.0, 1.0, 0.0], [6, 4, 3, 7])
    own = record(name)
    value = own.judge(read_forecasts(truth, scores=scores))[0]
    assert value == pytest.approx(0.01 if name == "partial_auc" else (1 + (0.01 - 0.005) / 0.095) / 2)
    slopes = []
    for i in range(20):
        moved = [1 + step * (np.arange(20) == i) for step in (1e-6, -1e-6)]
        values = [own.judge(read_forecasts(truth, scores=scores, sample_weight=w))[0] for w in moved]
        slopes.append(20 * (values[0] - values[1]) / 2e-6)
    found = THRESHOLD_SCORES[name].moved(own, PositiveClass(read_forecasts(truth, scores=scores)))
    assert found.influence == pytest.approx(np.array(slopes), abs=1e-5)
