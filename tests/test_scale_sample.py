"""sample= gives estimates that are marked as such, with intervals that hold the value of all points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.errors import InputError

MEANS = ["silhouette", "mcclain_rao", "gamma", "tau", "c_index", "point_biserial", "g_plus", "gdi33"]
EXTREMES = ["dunn", "gdi12"]


def cloud(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], [n // 2, n // 3, n - n // 2 - n // 3])
    return rng.normal(size=(3, 2))[labels] * 4 + rng.normal(size=(n, 2)), labels


def test_intervals_hold_the_value_of_all_points() -> None:
    inside = dict.fromkeys(MEANS, 0)
    repeats = 12
    for seed in range(repeats):
        X, labels = cloud(3000, seed)
        exact = adjudge.evaluate(X=X, labels=labels, indices=MEANS).values
        quick = adjudge.evaluate(X=X, labels=labels, indices=MEANS, sample=400, random_state=seed)
        for name in MEANS:
            low, high = quick.intervals[name]
            assert low <= quick[name] <= high
            assert quick[name] == pytest.approx(exact[name], rel=0.1, abs=0.02)
            inside[name] += low <= exact[name] <= high
    # Of 12 intervals of 95% fewer than 8 hold it once in a million times; a small bias is allowed for.
    assert min(inside.values()) >= 8, inside


def test_extremes_are_nearer_than_what_a_sample_sees() -> None:
    X, labels = cloud(4000, 1)
    exact = adjudge.evaluate(X=X, labels=labels, indices=EXTREMES).values
    quick = adjudge.evaluate(X=X, labels=labels, indices=EXTREMES, sample=400, random_state=0)
    for name in EXTREMES:
        low, high = quick.intervals[name]
        assert low <= quick[name] <= high
        assert "miss closest and farthest points" in quick.interval_reasons[name]
    # Ten samples of a tenth see a Dunn index that is several times too large.
    assert quick["dunn"] < quick.intervals["dunn"][1] / 2
    assert exact["dunn"] < quick.intervals["dunn"][1]


def test_marked_seeded_and_exact_where_it_costs_little() -> None:
    X, labels = cloud(2000)
    names = ["silhouette", "calinski_harabasz", "davies_bouldin"]
    first = adjudge.evaluate(X=X, labels=labels, indices=names, sample=300, random_state=5)
    again = adjudge.evaluate(X=X, labels=labels, indices=names, sample=300, random_state=5)
    other = adjudge.evaluate(X=X, labels=labels, indices=names, sample=300, random_state=6)
    assert first.values == again.values
    assert first.intervals == again.intervals
    assert first["silhouette"] != other["silhouette"]
    exact = adjudge.evaluate(X=X, labels=labels, indices=names)
    for name in names[1:]:
        assert first[name] == exact[name]
        assert name not in first.intervals
    note = "an estimate from 10 samples of 300 of 2,000 points"
    assert first.interval_reasons == {"silhouette": note}
    (row,) = (row for row in first.table().rows if row[0] == "silhouette")
    assert note in row
    assert first.to_dict()["settings"]["sample"] == 300
    narrow = adjudge.evaluate(X=X, labels=labels, indices=names, sample=300, random_state=5, confidence=0.5)
    (low, high), (wide_low, wide_high) = narrow.intervals["silhouette"], first.intervals["silhouette"]
    assert wide_low < low < high < wide_high


def test_few_points_are_not_sampled() -> None:
    X, labels = cloud(300)
    exact = adjudge.evaluate(X=X, labels=labels)
    quick = adjudge.evaluate(X=X, labels=labels, sample=300)
    assert list(quick.values) == list(exact.values)
    np.testing.assert_array_equal(list(quick.values.values()), list(exact.values.values()))
    assert not quick.intervals


@pytest.mark.parametrize("metric", ["precomputed", "cityblock"])
def test_other_metrics(metric: str) -> None:
    X, labels = cloud(1200)
    given = np.abs(X[:, None] - X[None]).sum(axis=2) if metric == "precomputed" else X
    exact = adjudge.evaluate(X=given, labels=labels, indices=["silhouette"], metric=metric)
    quick = adjudge.evaluate(
        X=given, labels=labels, indices=["silhouette"], metric=metric, sample=300, random_state=0
    )
    assert quick["silhouette"] == pytest.approx(exact["silhouette"], abs=0.03)


def test_undefined_stays_undefined() -> None:
    X, _ = cloud(500)
    quick = adjudge.evaluate(X=X, labels=np.zeros(500, int), indices=["silhouette"], sample=100)
    assert math.isnan(quick["silhouette"])
    assert "undefined" in quick.reasons["silhouette"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"sample": 3}, "sample=3: a number of points"),
        ({"sample": 0.5}, "sample=0.5: a number of points"),
        ({"sample": 100, "compat": "clusterCrit"}, "leave compat= out"),
        ({"sample": 100, "exact": True}, "leave exact= out"),
        ({"sample": 11}, "sample=11 is too small for 3 clusters: give at least 12"),
    ],
)
def test_refuses(options: dict[str, Any], reason: str) -> None:
    X, labels = cloud(500)
    with pytest.raises(InputError, match=reason):
        adjudge.evaluate(X=X, labels=labels, **options)
