"""Ways to an interval beside their formulas, and what an interval says about itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from adjudge.inference.common.interval_methods import (
    METHODS,
    Estimate,
    interval_of_score,
    intervals_of,
    score_interval,
)
from adjudge.inference.common.samples import Sample
from adjudge.inference.common.score_intervals import ScoreBasis
from adjudge.inference.interval import Interval
from adjudge.inference.partitions.intervals import classification_intervals
from adjudge.statistics.agreement import Agreement

FREE = (-math.inf, math.inf)
COUNTS = np.array([5, 3, 2, 7])
VALUES = np.array([1.0, 4.0, -2.0, 0.5])


def mean_of(counts: np.ndarray) -> float:
    return float(counts @ VALUES / counts.sum())


def nothing(counts: np.ndarray) -> float:
    return 2.0


def interval(
    of_counts: Callable[[np.ndarray], float] = mean_of,
    limits: tuple[float, float] = FREE,
    method: str = "jackknife",
    counts: Any = COUNTS,
    confidence: float = 0.9,
    score: Any = None,
) -> Interval:
    counts = np.array(counts)
    estimate = Estimate(of_counts(counts), limits, None, of_counts, score)
    (found,) = intervals_of([estimate], Sample(counts, []), confidence, method, 50, 0)
    return found


def jackknife_error(of_counts: Callable[[np.ndarray], float]) -> float:
    n = COUNTS.sum()
    without = np.array([of_counts(COUNTS - np.eye(4, dtype=int)[i]) for i in range(4)])
    return math.sqrt((n - 1) / n * COUNTS @ (without - COUNTS @ without / n) ** 2)


def test_both_ends_are_in_an_interval() -> None:
    found = Interval(0.2, 0.4, 0.95, "score")
    assert 0.2 in found
    assert 0.4 in found
    assert 0.3 in found
    assert 0.19999 not in found
    assert 0.40001 not in found


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_jackknife_goes_z_errors_either_way_within_the_range(confidence: float) -> None:
    half = norm.ppf((1 + confidence) / 2) * jackknife_error(mean_of)
    ends = mean_of(COUNTS) - half, mean_of(COUNTS) + half
    found = interval(confidence=confidence)
    assert [*found] == pytest.approx(ends)
    assert (found.confidence, found.method, found.reason) == (confidence, "jackknife", None)
    cut = interval(confidence=confidence, limits=(ends[0] + 0.01, ends[1] - 0.01))
    assert [*cut] == pytest.approx([ends[0] + 0.01, ends[1] - 0.01])


@pytest.mark.parametrize("limits", [FREE, (-2.0, math.inf), (-math.inf, 4.0)])
def test_a_score_interval_without_a_finite_range_is_the_jackknifes(limits: tuple[float, float]) -> None:
    for score in (None, lambda: None):
        found = interval(limits=limits, method="score", score=score)
        assert [*found] == pytest.approx([*interval(limits=limits)])
        assert (found.method, found.confidence) == ("jackknife", 0.9)
        assert found.reason == "the index has no finite range"


def test_a_score_interval_within_a_range() -> None:
    limits = (-2.0, 4.0)
    error = jackknife_error(mean_of)
    expected = score_interval(mean_of(COUNTS), limits, error, int(COUNTS.sum()), 0.9)
    found = interval(limits=limits, method="score", score=lambda: None)
    assert [*found] == pytest.approx([*expected])
    assert (found.method, found.reason) == ("score", None)


@pytest.mark.parametrize("method", ["score", "jackknife"])
@pytest.mark.parametrize("limits", [FREE, (0.0, math.inf), (-math.inf, 9.0)])
def test_an_index_that_no_instance_changes(method: str, limits: tuple[float, float]) -> None:
    found = interval(nothing, limits, method)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert (found.confidence, found.method) == (0.9, method)
    assert found.reason == "leaving out any instance changes nothing, and the index has no finite range"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("counts", [[1], [1, 0]])
def test_one_instance_is_no_sample(method: str, counts: list[int]) -> None:
    found = interval(lambda c: 1.0, FREE, method, counts)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert (found.confidence, found.method, found.reason) == (0.9, method, "there is one instance")


def test_two_instances_are_enough_for_a_jackknife_and_three_for_a_score() -> None:
    def share(counts: np.ndarray) -> float:
        return float(counts[0] / counts.sum())

    assert [*interval(share, (0.0, 1.0), "jackknife", [1, 1])] == pytest.approx([0.0, 1.0])
    assert interval(share, (0.0, 1.0), "jackknife", [1, 1]).reason is None
    few = interval(share, (0.0, 1.0), "score", [1, 1])
    assert few.reason == "there are fewer than 3 instances"
    assert (few.confidence, few.method) == (0.9, "score")
    assert math.isnan(few.low)
    assert math.isnan(few.high)
    assert interval(share, (0.0, 1.0), "score", [2, 1]).reason is None


def test_an_index_that_is_undefined_without_an_instance() -> None:
    def fragile(counts: np.ndarray) -> float:
        return math.nan if counts[0] < 5 else 0.5

    found = interval(fragile, (0.0, 1.0))
    assert found.reason == "the index is undefined without one of the instances"
    assert math.isnan(found.low)
    every = score_interval(0.5, (-1.0, 2.0), math.nan, 9, 0.9)
    assert [*every] == [-1.0, 2.0]
    assert every.reason == "undefined without one of the instances: every value is possible"
    assert (every.confidence, every.method) == (0.9, "score")


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_resamples_that_are_all_alike(method: str) -> None:
    found = interval(nothing, FREE, method)
    assert found.reason == (
        "all resamples give the same value; leaving out any instance changes nothing, and the index has no finite range"
    )
    plain = interval(nothing, (0.0, 3.0), method)
    expected = interval(nothing, (0.0, 3.0), "score")
    assert [*plain] == [*expected]
    assert plain.reason is not None
    assert plain.reason.startswith("all resamples give the same value")
    undefined = interval(lambda c: math.nan, (0.0, 3.0), method)
    assert [*undefined] == [0.0, 3.0]
    assert undefined.reason == "the estimate is undefined: every value is possible"


def test_percentiles_of_the_resamples() -> None:
    drawn = np.concatenate([*Sample(COUNTS, []).resamples(50, np.random.default_rng(0))])
    values = drawn @ VALUES / COUNTS.sum()
    found = interval(method="percentile")
    assert [*found] == pytest.approx(np.quantile(values, [0.05, 0.95]))
    assert (found.method, found.reason) == ("percentile", None)


def test_an_estimate_for_the_population_is_named_if_it_is_another() -> None:
    basis = ScoreBasis(0.6, (0.0, 1.0), 0.01, math.nan)
    for observed, size in ((0.5, "small"), (0.7, "large")):
        found = interval_of_score(basis, observed, 0.9)
        assert found.estimate == 0.6
        assert found.reason == (
            f"around the estimate for the population: with so few instances the value is too {size} on average"
        )
    near = interval_of_score(basis, 0.62, 0.9)
    assert (near.estimate, near.reason) == (None, None)
    # The value that the interval is of is in it, unless it is around another.
    tight = ScoreBasis(0.6, (0.0, 1.0), 1e-30, math.nan)
    assert interval_of_score(tight, 0.6, 0.9).low <= 0.6


# --- two classifiers ---------------------------------------------------------------------------------------------


def test_measures_of_no_instances() -> None:
    found = classification_intervals(Agreement(0, 0, 0, 0), confidence=0.9)
    for name in ("polarization", "effective_superiority"):
        assert [*found[name]] == [-1.0, 1.0]
        assert found[name].method == "score"
        assert found[name].confidence == 0.9
        assert found[name].reason == "there is no instance: every value is possible"
    for name, low in (("comparative_rightness", 0.0), ("effective_rightness", -1.0)):
        assert [*found[name]] == [low, 1.0]
        assert found[name].reason == "neither model is right anywhere: every value is possible"
    assert found["comparative_deviation"].reason == (
        "the models never disagree (RW + WR = 0): every value is possible"
    )


@pytest.mark.parametrize(
    ("counts", "one_sided"), [((0, 5, 0, 3), True), ((0, 0, 4, 3), True), ((0, 1, 3, 2), False)]
)
def test_shares_that_are_all_or_none_have_one_sided_intervals(
    counts: tuple[int, int, int, int], one_sided: bool
) -> None:
    found = classification_intervals(Agreement(*counts))
    assert found["comparative_deviation"].one_sided is one_sided


@pytest.mark.parametrize(("counts", "mean"), [((8, 0, 0, 0), 1.0), ((0, 0, 0, 8), -1.0)])
def test_what_the_first_instance_of_another_kind_takes(
    counts: tuple[int, int, int, int], mean: float
) -> None:
    found = classification_intervals(Agreement(*counts), confidence=0.9)["polarization"]
    expected = interval_of_score(ScoreBasis(mean, (-1.0, 1.0), 0.0, 2 / 8), mean, 0.9)
    assert found == expected
    assert found.one_sided
