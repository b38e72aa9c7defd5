"""What an estimate from samples would cost, and how wide its intervals would be, by definition."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.engines import cost
from adjudge.engines.passes import Job
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index
from adjudge.inference.points.sampled_estimates import SAMPLES, expected_width, plan_sample

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
