"""Hartigan's dip: by definition, by another program, and after clustering."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.cluster import DBSCAN, KMeans

import adjudge
from adjudge import clusters_dip_test, dip_test
from adjudge.inference.dip import _discriminant, _p_value
from adjudge.kernels.dip import dips_of_uniform
from splitters import halves

REFERENCE = json.loads(
    (Path(__file__).parents[1] / "reference" / "cluster" / "dip.json").read_text(encoding="utf-8")
)


def dip_by_definition(values: np.ndarray) -> float:
    """Least distance from a distribution function with a mode, over all places of the mode: linear programmes."""
    x, counts = np.unique(values, return_counts=True)
    n, k = values.size, x.size
    above = np.cumsum(counts) / n
    below = above - counts / n
    best = np.inf
    for mode in range(k):
        # Unknown: the function left of and at each point, which differ only at the mode, and the distance.
        rows, limits = [], []

        def row(entries: dict[int, float], limit: float, rows: Any = rows, limits: Any = limits) -> None:
            line = np.zeros(2 * k + 1)
            for place, value in entries.items():
                line[place] = value
            rows.append(line)
            limits.append(limit)

        def slope(i: int, mode: int = mode) -> tuple[dict[int, float], float]:
            start = k + i
            return {i + 1: 1.0, start: -1.0}, x[i + 1] - x[i]

        for i in range(k):
            for place, level in ((i, below[i]), (k + i, above[i])):
                row({place: 1.0, 2 * k: -1.0}, level)
                row({place: -1.0, 2 * k: -1.0}, -level)
            row({i: 1.0, k + i: -1.0}, 0.0)
            if i != mode:
                row({k + i: 1.0, i: -1.0}, 0.0)
        for i in range(k - 1):
            row({k + i: 1.0, i + 1: -1.0}, 0.0)
        for i in range(k - 2):
            (first, run), (second, next_run) = slope(i), slope(i + 1)
            sign = 1.0 if i + 1 <= mode else -1.0
            if i + 1 == mode:
                continue  # any two slopes may meet at the mode
            both = {place: sign * value / run for place, value in first.items()}
            for place, value in second.items():
                both[place] = both.get(place, 0.0) - sign * value / next_run
            row(both, 0.0)
        found = linprog(
            np.eye(2 * k + 1)[-1], A_ub=np.array(rows), b_ub=limits, bounds=[(0, 1)] * (2 * k + 1)
        )
        best = min(best, found.fun)
    return best


@pytest.mark.parametrize("case", REFERENCE["cases"], ids=lambda case: case["name"])
def test_as_another_program(case: dict[str, Any]) -> None:
    found = dip_test(case["values"])
    assert found.dip == pytest.approx(case["dip"], rel=1e-12)
    # Ours is a share of 10,000 samples; the other program interpolates a table of few sizes.
    assert found.p_value == pytest.approx(case["p_value"], abs=0.02)


@pytest.mark.parametrize("seed", range(6))
def test_by_definition(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=9) if seed % 2 else np.concatenate([rng.normal(size=5), rng.normal(5, 1, 5)])
    assert dip_test(values).dip == pytest.approx(dip_by_definition(np.sort(values)), abs=1e-9)


def test_it_depends_on_no_unit_and_no_order() -> None:
    values = np.random.default_rng(1).gamma(2, size=40)
    for other in (7 - 3 * values, values[::-1], 1e6 + values):
        assert dip_test(other).dip == pytest.approx(dip_test(values).dip, rel=1e-8)


def test_many_values_scale_with_the_root_of_their_number() -> None:
    rng = np.random.default_rng(2)
    p_values = [dip_test(rng.random(4000)).p_value for _ in range(200)]
    assert np.mean(np.array(p_values) <= 0.1) == pytest.approx(0.1, abs=0.06)


def test_equal_values_have_one_mode() -> None:
    found = dip_test([3.0] * 10)
    assert (found.dip, found.p_value, found.n) == (0.05, 1.0, 10)


def test_the_level_after_clustering_is_held_and_clusters_are_found() -> None:
    rng = np.random.default_rng(3)
    without = [
        clusters_dip_test(rng.normal(size=(60, 2)), halves, random_state=rng).p_value for _ in range(60)
    ]
    assert np.mean(np.array(without) <= 0.05) <= 0.05
    apart = np.concatenate([rng.normal(m, 1, (50, 3)) for m in (0, 6)])
    found = clusters_dip_test(apart, KMeans(2, n_init=1, random_state=0), random_state=0)
    assert found.p_value < 0.01
    assert found.p_values.shape == found.dips.shape == (5,)
    assert found.p_value == min(1.0, 2 * np.median(found.p_values))


def test_the_same_points_would_find_clusters_that_are_not_there() -> None:
    """Why points are split: along the direction found in all of them, few points in many dimensions come apart."""
    rng = np.random.default_rng(4)
    same = split = 0
    for _ in range(20):
        X = rng.normal(size=(60, 40))
        same += dip_test(X @ _discriminant(X, halves(X))).p_value <= 0.05
        split += clusters_dip_test(X, halves, n_splits=1, random_state=rng).p_value <= 0.05
    assert same >= 15
    assert split <= 3


def test_the_discriminant_is_fishers() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(5)
    labels = np.arange(90) % 3
    X = rng.normal(size=(90, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=(3, 4))[labels] * 3
    ours = _discriminant(X, labels)
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, labels).scalings_[:, 0]
    assert abs(ours @ theirs) == pytest.approx(np.linalg.norm(ours) * np.linalg.norm(theirs), rel=1e-9)


def test_nothing_but_noise_is_no_evidence() -> None:
    X = np.random.default_rng(6).normal(size=(30, 2))
    found = clusters_dip_test(X, DBSCAN(eps=1e-9), random_state=0)
    assert found.p_value == 1.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: dip_test([1, 2, 3]), "at least four numbers are needed"),
        (lambda: dip_test([[1, 2], [3, 4]]), r"values has shape \(2, 2\)"),
        (lambda: dip_test(["a"] * 5), "values contains something other than numbers"),
        (lambda: dip_test([1, 2, 3, np.nan]), "missing or infinite"),
        (lambda: clusters_dip_test(np.eye(5), halves), "X has 5 points: at least eight are needed"),
        (lambda: clusters_dip_test(np.eye(9), 3), "clusterer is an int"),
        (lambda: clusters_dip_test(np.eye(9), halves, n_splits=0), "n_splits=0"),
    ],
)
def test_bad_inputs(call: Any, words: str) -> None:
    with pytest.raises(adjudge.AdjudgeError, match=words):
        call()


def test_p_values_below_those_of_samples_are_estimated() -> None:
    """Against 300,000 samples: dips that one of 20,000 has get a p-value between theirs and about twice as much."""
    dips = np.empty(300_000)
    dips_of_uniform(np.random.default_rng(6).random((dips.size, 20)), dips)
    dips.sort()
    ratio = _p_value(dips[-15], 20) / (15 / dips.size)
    assert 0.7 < ratio < 2.5
    falling = [_p_value(dip, 20) for dip in np.linspace(0.1, 0.25, 60)]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] == 1e-6
