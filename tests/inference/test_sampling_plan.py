"""What an estimate from samples would cost, and how wide its intervals would be, by definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.engines import cost
from adjudge.engines.passes import Job
from adjudge.given.point_options import PointOptions
from adjudge.indices.catalog import find_index
from adjudge.inference.quick_look import SAMPLES
from adjudge.inference.sampling_plan import expected_width, plan_sample

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


def test_the_distances_of_all_points_to_a_sample_are_added_for_extremes() -> None:
    names = ["dunn"]
    expected = SAMPLES * (seconds_of(names, 5000) + 2 * seconds_of(names, 2500))
    expected += JOB.n * 5000 * RATES.of("extremes", 8)
    assert planned(names)[1] == pytest.approx(expected, rel=1e-12)


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
