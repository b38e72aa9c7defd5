"""Estimates from samples: what they cost, how wide intervals are, statistics scaled to all points."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.engines import cost
from adjudge.engines.passes import Job
from adjudge.engines.points import reduce_coded_points
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index
from adjudge.inference.points.sampled_estimates import SAMPLES, expected_width, plan_sample
from adjudge.inference.points.scaled_statistics import scaled_up
from adjudge.statistics.pair_distances import DistanceTies, PairRanks, PairSums, Silhouettes
from adjudge.statistics.prototypes import DistanceSquares

RATES = cost.Rates(
    dict.fromkeys(cost._SAMPLES, (1e-9, 8e-9))
    | dict.fromkeys(("moments", "scatter", "centroids"), (1e-8, 1e-7))
)
JOB = Job(1_000_000, 8, 10, PointOptions())


def planned(names: list[str], job: Job = JOB) -> tuple[int, float, tuple[str, ...]]:
    return plan_sample([find_index(name) for name in names], job, RATES)


def seconds_of(names: list[str], n: int) -> float:
    types = {statistic for name in names for statistic in find_index(name).requires}
    return cost.cost_of(types, replace(JOB, n=n), RATES).core_seconds


def test_intervals_are_about_as_wide_as_planned() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, 3000)
    X = rng.normal(size=(5, 3))[labels] * 2 + rng.normal(size=(3000, 3))
    names = ["silhouette", "mcclain_rao", "gamma", "tau", "c_index", "point_biserial"]
    found = adjudge.evaluate(X=X, labels=labels, indices=names, sample_size=500, random_state=0)
    for name in names:
        score, expected = found.score(name), expected_width(find_index(name).name, 500)
        assert expected is not None
        assert expected / 4 < score.high - score.low < 4 * expected, name


def test_widths_shrink_with_the_root_of_the_size() -> None:
    assert expected_width("silhouette", 100) == pytest.approx(0.025)
    for name in ("silhouette", "mcclain_rao", "gamma", "tau", "c_index", "point_biserial"):
        width = expected_width(name, 500)
        assert width is not None
        assert expected_width(name, 50_000) == pytest.approx(width / 10)
    assert expected_width("dunn", 100) is None


@pytest.mark.parametrize(("k", "size"), [(1, 5000), (10, 5000), (625, 5000), (626, 5008), (9000, 72_000)])
def test_a_sample_has_eight_points_of_a_cluster_and_five_thousand_in_all(k: int, size: int) -> None:
    assert planned(["silhouette"], replace(JOB, k=k))[0] == size


def test_samples_are_run_whole_and_in_halves() -> None:
    names = ["silhouette"]
    expected = SAMPLES * (seconds_of(names, 5000) + 2 * seconds_of(names, 2500))
    assert planned(names) == (5000, pytest.approx(expected, rel=1e-12), ("silhouette",))


@pytest.mark.parametrize(
    ("names", "job"),
    [
        (["calinski_harabasz"], JOB),
        (["dbcv"], JOB),
        (["connectivity"], JOB),
        ([], JOB),
        (["silhouette"], replace(JOB, n=5000)),
    ],
)
def test_what_is_quick_or_cannot_be_sampled_is_not(names: list[str], job: Job) -> None:
    assert planned(names, job)[1:] == (0.0, ())


def test_only_what_can_be_sampled_is_named() -> None:
    found: Any = planned(["silhouette", "calinski_harabasz", "dbcv", "dunn"])
    assert found[2] == ("silhouette", "dunn")
    assert found[1] == planned(["silhouette", "dunn"])[1]


# --- samples themselves ------------------------------------------------------------------------------------------


def near(n: int, k: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    codes = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 4 * codes[:, None], codes


@pytest.mark.parametrize("wrong", [True, 9, 9.5, "ten", 40.0])
def test_a_sample_has_ten_points_at_least(wrong: Any) -> None:
    X, codes = near(200, 2)
    with pytest.raises(
        adjudge.InputError, match=r"^sample_size=.*: a number of points, at least 10, is needed"
    ):
        adjudge.evaluate(X=X, labels=codes, indices=["silhouette"], sample_size=wrong)
    ten = adjudge.evaluate(
        X=X, labels=codes, indices=["silhouette"], sample_size=np.int64(10), random_state=0
    )
    assert ten.score("silhouette").low < ten.score("silhouette").value < ten.score("silhouette").high


def test_a_sample_has_four_points_of_each_cluster() -> None:
    X, codes = near(200, 5)
    with pytest.raises(
        adjudge.InputError, match=r"^sample_size=19 is too small for 5 clusters: give at least 20"
    ):
        adjudge.evaluate(X=X, labels=codes, indices=["silhouette"], sample_size=19)
    adjudge.evaluate(X=X, labels=codes, indices=["silhouette"], sample_size=20, random_state=0)
    # All points are no sample.
    few, own = near(14, 5)
    exact = adjudge.evaluate(X=few, labels=own, indices=["silhouette"])
    for size in (14, 15, 400):
        found = adjudge.evaluate(X=few, labels=own, indices=["silhouette"], sample_size=size)
        assert found.values == exact.values


def test_each_sample_is_told() -> None:
    told: list[tuple[int, int]] = []
    X, codes = near(300)
    adjudge.evaluate(
        X=X, labels=codes, indices=["silhouette"], sample_size=60, random_state=0,
        progress=lambda what, done, total: told.append((done, total)),
    )  # fmt: skip
    assert told == [(done, SAMPLES) for done in range(1, SAMPLES + 1)]


def test_a_seed_repeats_the_samples() -> None:
    X, codes = near(300)
    values = [
        adjudge.evaluate(X=X, labels=codes, indices=["silhouette"], sample_size=60, random_state=seed).values
        for seed in (1, 1, 2)
    ]
    assert values[0] == values[1] != values[2]


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("dunn", "sqeuclidean"),
        *((name, "euclidean") for name in ("dunn", "gdi13", "gdi41")),
    ],
)
def test_what_samples_show_of_extremes_bounds_those_of_all_points(name: str, metric: str) -> None:
    X, codes = near(300)
    options: dict[str, Any] = {"X": X, "labels": codes, "indices": [name], "metric": metric}
    exact = adjudge.evaluate(**options).values[name]
    found = adjudge.evaluate(sample_size=60, random_state=0, **options).score(name)
    assert found.low <= exact <= found.high
    assert found.high - found.low < math.inf


TYPES = {PairRanks, DistanceTies, PairSums, Silhouettes, DistanceSquares}


def near_all_points(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    codes = np.arange(n) % k
    return rng.normal(size=(n, 2)) + 2 * codes[:, None], codes


def test_all_points_are_scaled_to_themselves() -> None:
    X, codes = near_all_points(60, 3)
    found = reduce_coded_points(np.round(X), codes, TYPES)
    sizes = np.bincount(codes)
    scaled = scaled_up(found, sizes, sizes)
    assert vars_of(scaled[PairRanks]) == vars_of(found[PairRanks])
    assert scaled[DistanceTies].tied == found[DistanceTies].tied
    assert scaled[DistanceSquares].total == found[DistanceSquares].total
    np.testing.assert_allclose(scaled[PairSums].matrix, found[PairSums].matrix, rtol=1e-13)
    assert scaled[PairSums].between == pytest.approx(found[PairSums].between, rel=1e-13)
    assert scaled[Silhouettes].mean == pytest.approx(found[Silhouettes].mean, rel=1e-13)


def vars_of(ranks: PairRanks) -> tuple[int, ...]:
    return ranks.n_within, ranks.n_between, ranks.s_plus, ranks.s_minus, ranks.ties


def test_pairs_of_clusters_count_as_often_as_among_all_points() -> None:
    X, codes = near_all_points(30, 3)
    often = np.array([1, 4, 7])[codes]
    drawn, sizes = np.bincount(codes), np.bincount(codes, often)
    scaled = scaled_up(reduce_coded_points(X, codes, {PairSums, Silhouettes}), drawn, sizes.astype(np.int64))
    # Points that stand for several have the sums between clusters of as many equal ones.
    repeated = reduce_coded_points(np.repeat(X, often, axis=0), np.repeat(codes, often), {PairSums})[PairSums]
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(scaled[PairSums].matrix[off], repeated.matrix[off], rtol=1e-12)
    assert scaled[PairSums].between == pytest.approx(repeated.between, rel=1e-12)
    assert scaled[PairSums].n_within == repeated.n_within
    widths = reduce_coded_points(X, codes, {Silhouettes})[Silhouettes]
    assert scaled[Silhouettes].mean == pytest.approx(np.average(widths.of_clusters, weights=sizes), rel=1e-12)


@pytest.mark.parametrize("index", ["tau", "point_biserial"])
def test_intervals_of_many_clusters_hold_the_value_of_all_points(index: str) -> None:
    """In a sample, a smaller share of the pairs is within clusters, and halves take only a part of that away."""
    held = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 50, 3000)
        X = rng.normal(size=(50, 10))[codes] * 1.5 + rng.normal(size=(3000, 10))
        options = {"X": X, "labels": codes, "indices": [index], "progress": False}
        score = adjudge.evaluate(**options, sample_size=250, random_state=seed).score(index)
        held += score.low <= adjudge.evaluate(**options)[index] <= score.high
    assert held >= 7
