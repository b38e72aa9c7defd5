"""Hartigan's dip: by definition, by another program, and after clustering."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from sklearn.cluster import DBSCAN, KMeans

from adjudge.inference import clusters_dip_test, dip_test
from adjudge.inference.clusters import dip
from adjudge.inference.clusters.dip import _discriminant, _p_value
from adjudge.kernels.dip import dips_of_sorted, unimodal_corners
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
    if len(set(case["values"])) < len(case["values"]):
        # The other program takes equal values for modes.
        assert found.p_value > case["p_value"]
    else:
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


def test_p_values_below_those_of_samples_are_estimated() -> None:
    """Against 300,000 samples: dips that one of 20,000 has get a p-value between theirs and about twice as much."""
    dips = np.sort(dips_of_sorted(np.sort(np.random.default_rng(6).random((300_000, 20)), axis=1)))
    ratio = _p_value(dips[-15], 20) / (15 / dips.size)
    assert 0.7 < ratio < 2.5
    falling = [_p_value(dip, 20) for dip in np.linspace(0.1, 0.25, 60)]
    assert falling == sorted(falling, reverse=True)
    assert falling[-1] == 1e-6


@pytest.mark.parametrize(("step", "n"), [(0.1, 66), (0.1, 10), (0.01, 800)])
def test_rounded_values_of_one_mode_are_not_taken_for_many_modes(step: float, n: int) -> None:
    """Each rounded value was a mode: of uniform values rounded to tenths 84 to 100 % were said to have several."""
    rng = np.random.default_rng(7)
    rounded = [np.round(rng.random(n) / step) * step for _ in range(100)]
    assert np.mean([dip_test(values).p_value < 0.05 for values in rounded]) < 0.1


def test_modes_of_rounded_values_are_found() -> None:
    rng = np.random.default_rng(8)
    values = np.round(np.concatenate([rng.normal(size=60), rng.normal(8, size=60)]))
    assert dip_test(values).p_value < 0.01
    assert dip_test(values).dip == dip_test(3 * values + 1).dip


def test_equal_values_that_differ_in_the_last_digit_are_spread_all_the_same() -> None:
    tenths = np.repeat(np.arange(11) / 10, 8)
    tenths[::2] += 2e-17 * np.arange(tenths.size)[::2]
    assert dip_test(tenths).p_value > 0.5


# --- what p-values are compared with -------------------------------------------------------------------------------


def test_p_values_are_shares_of_uniform_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same ones each time, however many are drawn at a time; the values and one of as large a dip count."""
    fresh = dip._uniform_dips.__wrapped__
    expected = np.sort([dip_test(row).dip for row in np.random.default_rng(30).random((40, 30))])
    monkeypatch.setattr(dip, "_SAMPLES", 40)
    for block in (1, 70, 30 * 40, 1 << 20):
        monkeypatch.setattr("adjudge.array_types.BLOCK", block)
        np.testing.assert_allclose(fresh(30), expected, rtol=1e-12)
    monkeypatch.undo()
    null = np.sort(dip._uniform_dips(30))
    values = np.random.default_rng(0).random((20, 30))
    for found in map(dip_test, values):
        assert found.p_value == pytest.approx((1 + np.sum(null >= found.dip - 1e-12)) / 10_001)


def test_a_tenth_fewer_values_at_most() -> None:
    sizes = np.array([dip._sample_size(n) for n in range(4, 3000)])
    given_ = np.arange(4, 3000)
    assert (sizes[given_ <= 60] == given_[given_ <= 60]).all()
    middle = (given_ > 60) & (given_ < 1000)
    assert (sizes[middle] <= given_[middle]).all()
    assert (sizes[middle] + 1 > given_[middle] / 1.1).all()
    assert dip._sample_size(66) == 66  # 60 and a tenth
    assert np.unique(sizes[middle]).size == 30
    assert sizes.max() == 1000
    assert (np.diff(sizes) >= 0).all()


# --- splits --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_splits", [1, 2, 5])
def test_splits_are_drawn_by_the_random_state(n_splits: int) -> None:
    X = np.random.default_rng(7).normal(size=(24, 2))
    found, again, other = (
        clusters_dip_test(X, halves, n_splits=n_splits, random_state=seed) for seed in (0, 0, 1)
    )
    assert (found.dips == again.dips).all()
    assert not (found.dips == other.dips).all()
    assert found.p_values.shape == (n_splits,)
    median = float(np.median(found.p_values))
    assert found.p_value == (median if n_splits == 1 else min(1.0, 2 * median))


def test_half_of_the_points_see_the_direction_of_the_others() -> None:
    seen: list[np.ndarray] = []

    def of_first(X: np.ndarray) -> np.ndarray:
        seen.append(X)
        return halves(X)

    X = np.random.default_rng(8).normal(size=(11, 2))
    found = clusters_dip_test(X, of_first, n_splits=3, random_state=0)
    for first, own in zip(seen, found.dips, strict=True):
        second = np.array([row for row in X if not (row == first).all(axis=1).any()])
        assert (len(first), len(second)) == (6, 5)
        direction = _discriminant(first, halves(first))
        assert direction is not None
        assert own == pytest.approx(dip_test(second @ direction).dip)


def test_eight_points_are_enough_and_no_clusters_are_one_mode() -> None:
    found = clusters_dip_test(np.random.default_rng(9).normal(size=(8, 3)), lambda X: [-1] * len(X))
    assert found.p_values.tolist() == [1.0] * 5
    assert found.dips.tolist() == [1 / 8] * 5  # 1 / (2 n) of four points


def test_the_discriminant_of_clusters_of_any_size() -> None:
    """The ratio of variances along it is the largest; a column that says nothing new changes no ratio."""
    rng = np.random.default_rng(10)
    labels = np.repeat([0, 1, 2, -1], [50, 9, 20, 6])
    X = rng.normal(size=(85, 4)) @ rng.normal(size=(4, 4)) + rng.normal(size=(4, 4))[labels] * 1.5

    def ratio(direction: np.ndarray, points: np.ndarray) -> float:
        along, own = (points @ direction)[labels >= 0], labels[labels >= 0]
        means = np.array([along[own == i].mean() for i in range(3)])[own]
        return float(np.var(means) / np.mean((along - means) ** 2))

    best = _discriminant(X, labels)
    assert best is not None
    for _ in range(30):
        assert ratio(best + 0.02 * rng.normal(size=4) * np.linalg.norm(best), X) < ratio(best, X)
    twice = np.c_[X, X[:, :1] + X[:, 1:2]] * 1e6
    again = _discriminant(twice, labels)
    assert again is not None
    assert ratio(again, twice) == pytest.approx(ratio(best, X), rel=1e-6)


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_corners_of_a_law_with_one_mode_rise(n: int) -> None:
    """Also where its mode is a single value: this is one corner, not two."""
    values = np.sort(np.random.default_rng(n).normal(size=n))
    corners = unimodal_corners(values)
    assert corners[0] == 0
    assert corners[-1] == n - 1
    assert (np.diff(corners) > 0).all()
