"""sample_size= gives estimates that are marked as such, with intervals that hold the value of all points."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import adjudge
from adjudge.errors import InputError
from adjudge.statistics.pair_distances import gathered
from adjudge.statistics.reachability import NOT_SAMPLED


def cloud(n: int, seed: int = 0, spread: float = 4.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.repeat([0, 1, 2], [n // 2, n // 3, n - n // 2 - n // 3])
    return rng.normal(size=(3, 2))[labels] * spread + rng.normal(size=(n, 2)), labels


@pytest.mark.full
def test_intervals_hold_the_value_of_all_points() -> None:
    names = [r.name for r in adjudge.list_indices("internal") if not has_extremes(r) and not is_local(r)]
    inside: Counter[str] = Counter()
    repeats = 12
    for seed in range(repeats):
        X, labels = cloud(1500, seed, 3.0)
        exact = adjudge.evaluate(X=X, labels=labels, indices=names).values
        quick = adjudge.evaluate(X=X, labels=labels, indices=names, sample_size=200, random_state=seed)
        for name, (low, high) in quick.intervals.items():
            assert low <= quick[name] <= high
            assert quick[name] == pytest.approx(exact[name], rel=0.2, abs=0.02), name
            inside[name] += low <= exact[name] <= high
        for name in set(names) - set(quick.intervals):
            assert quick[name] == pytest.approx(exact[name], rel=1e-12, nan_ok=True)
    assert {"silhouette", "gamma", "tau", "c_index", "gdi33", "gdi52", "hubert_statistic"} < set(inside)
    # Of 12 intervals of 95% fewer than 8 hold it once in a million times; a small bias is allowed for.
    assert min(inside.values()) >= 8, inside


def is_local(record: Any) -> bool:
    return not NOT_SAMPLED.isdisjoint(record.requires)


def test_what_samples_say_nothing_of() -> None:
    X, labels = cloud(300, 0, 3.0)
    names = [r.name for r in adjudge.list_indices("internal") if is_local(r)]
    quick = adjudge.evaluate(X=X, labels=labels, indices=names, sample_size=70)
    assert {"dbcv", "connectivity", "cop"} <= set(names)
    assert all(math.isnan(quick[name]) for name in names)
    assert all("samples say nothing about it" in quick.reasons[name] for name in names)


@pytest.mark.parametrize("indices", [["silhouette", "dunn"], ["gamma", "dbcv"]])
def test_samples_that_cost_as_much_as_all_points_are_not_drawn(indices: list[str]) -> None:
    X, labels = cloud(400, 0)
    exact = adjudge.evaluate(X=X, labels=labels, indices=indices).values
    # Ten samples and their halves: 15 times 103 squared is just below 400 squared.
    for size in (104, 300, 399):
        found = adjudge.evaluate(X=X, labels=labels, indices=indices, sample_size=size)
        assert found.values == exact
        assert not any("sample" in reason for reason in found.interval_reasons.values())
    fewer = adjudge.evaluate(X=X, labels=labels, indices=indices, sample_size=103, random_state=0)
    assert "sample" in str(fewer)


def has_extremes(record: Any) -> bool:
    return "extremes" in gathered(record.requires)


EXTREMES = [record.name for record in adjudge.list_indices("internal") if has_extremes(record)]
ONE_SIDED = {"dunn", "gdi13", "gdi23", "gdi41", "gdi51", "xie_beni"}


@pytest.mark.full
@pytest.mark.parametrize("spread", [1.0, 4.0, 12.0])
def test_bounds_of_extremes_hold_the_value_of_all_points_for_certain(spread: float) -> None:
    assert {"dunn", "xie_beni", "gdi22", "gdi31", "gdi62"} < set(EXTREMES)
    for seed in range(8):
        X, labels = cloud(1500, seed, spread)
        exact = adjudge.evaluate(X=X, labels=labels, indices=EXTREMES).values
        quick = adjudge.evaluate(X=X, labels=labels, indices=EXTREMES, sample_size=200, random_state=seed)
        assert {"dunn", "xie_beni", "gdi21", "max_diameter"} & set(EXTREMES) <= set(quick.intervals) | {
            "gdi21"
        }
        for name, value in exact.items():
            if name not in ONE_SIDED:
                assert "no bounds are known" in quick.interval_reasons[name]
                continue
            low, high = quick.intervals[name]
            assert low <= value <= high, name
            assert low <= quick[name] <= high, name
            range_ = adjudge.find_index(name).range
            assert (low == range_[0]) + (high == range_[1]) == 1
            side = "at most" if low == range_[0] else "at least"
            assert f"the value of all points is {side}" in quick.interval_reasons[name]


def test_intervals_of_extremes_survive_outliers_and_points_that_are_equal() -> None:
    X, labels = cloud(600, 3)
    X[::7] = np.round(X[::7])
    X[5], X[17] = 1e4, -1e5
    labels[-1], labels[-2] = 3, 4
    X[-1] = X[-2]
    for points in (X, X + 1e8, (X * 1e-20), X.astype(np.float32)):
        exact = adjudge.evaluate(X=points, labels=labels, indices=EXTREMES)
        quick = adjudge.evaluate(X=points, labels=labels, indices=EXTREMES, sample_size=60, random_state=0)
        for name, value in exact.values.items():
            if name in exact.reasons:
                assert name in quick.reasons or name not in quick.intervals or quick[name] == value
                continue
            low, high = quick.intervals.get(name, (0.0, math.inf))
            assert low <= value <= high, name


@pytest.mark.parametrize(
    "metric", ["cityblock", "canberra", "sparse", "sqeuclidean", "precomputed", "function"]
)
def test_extremes_of_any_distance_are_bounded_on_one_side(metric: str) -> None:
    X, labels = cloud(700, 2, 6.0)

    def squared(a: Any, b: Any) -> float:
        return float(((a - b) ** 2).sum())

    options: dict[str, Any] = {"X": X, "labels": labels, "indices": ["dunn", "gdi21", "gdi31"]}
    if metric == "precomputed":
        options["X"] = ((X[:, None] - X) ** 2).sum(axis=2)
    elif metric == "sparse":
        options["X"] = sparse.csr_matrix(np.where(np.abs(X) < 1, 0.0, X))
    if metric != "sparse":
        options["metric"] = squared if metric == "function" else metric
    exact = adjudge.evaluate(**options).values
    quick = adjudge.evaluate(**options, sample_size=60, random_state=0)
    low, high = quick.intervals["dunn"]
    assert low == 0
    assert exact["dunn"] <= high < 5
    assert low <= quick["dunn"] <= high
    assert list(quick.intervals) == ["dunn"]
    for name in ("gdi21", "gdi31"):
        assert quick[name] == pytest.approx(exact[name], rel=0.5)
        assert "no bounds are known" in quick.interval_reasons[name]


def test_extremes_are_nearer_than_what_a_sample_sees() -> None:
    X, labels = cloud(4000, 1)
    exact = adjudge.evaluate(X=X, labels=labels, indices=["dunn"])
    quick = adjudge.evaluate(X=X, labels=labels, indices=["dunn"], sample_size=400, random_state=0)
    few = np.random.default_rng(0).choice(4000, 400, replace=False)
    seen = adjudge.evaluate(X=X[few], labels=labels[few], indices=["dunn"])
    assert "miss closest and farthest points" in quick.interval_reasons["dunn"]
    # A sample of a tenth sees a Dunn index that is several times too large.
    assert exact["dunn"] <= quick.intervals["dunn"][1]
    assert quick["dunn"] < seen["dunn"] / 3


def test_marked_seeded_and_exact_where_it_costs_little() -> None:
    X, labels = cloud(2000)
    names = ["silhouette", "calinski_harabasz", "davies_bouldin"]
    first = adjudge.evaluate(X=X, labels=labels, indices=names, sample_size=300, random_state=5)
    again = adjudge.evaluate(X=X, labels=labels, indices=names, sample_size=300, random_state=5)
    other = adjudge.evaluate(X=X, labels=labels, indices=names, sample_size=300, random_state=6)
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
    assert first.to_dict()["settings"]["sample_size"] == 300
    narrow = adjudge.evaluate(
        X=X, labels=labels, indices=names, sample_size=300, random_state=5, confidence=0.5
    )
    (low, high), (wide_low, wide_high) = narrow.intervals["silhouette"], first.intervals["silhouette"]
    assert wide_low < low < high < wide_high


@pytest.mark.parametrize("metric", ["precomputed", "cityblock"])
def test_other_metrics(metric: str) -> None:
    X, labels = cloud(1200)
    given = np.abs(X[:, None] - X[None]).sum(axis=2) if metric == "precomputed" else X
    exact = adjudge.evaluate(X=given, labels=labels, indices=["silhouette"], metric=metric)
    quick = adjudge.evaluate(
        X=given, labels=labels, indices=["silhouette"], metric=metric, sample_size=300, random_state=0
    )
    assert quick["silhouette"] == pytest.approx(exact["silhouette"], abs=0.03)


def test_undefined_stays_undefined() -> None:
    X, _ = cloud(500)
    quick = adjudge.evaluate(X=X, labels=np.zeros(500, int), indices=["silhouette"], sample_size=100)
    assert math.isnan(quick["silhouette"])
    assert "undefined" in quick.reasons["silhouette"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"sample_size": 3}, "sample_size=3: a number of points"),
        ({"sample_size": 0.5}, "sample_size=0.5: a number of points"),
        ({"sample_size": 100, "compat": "clusterCrit"}, "leave compat= out"),
        ({"sample_size": 100, "exact": True}, "leave exact= out"),
        ({"sample_size": 11}, "sample_size=11 is too small for 3 clusters: give at least 12"),
    ],
)
def test_refuses(options: dict[str, Any], reason: str) -> None:
    X, labels = cloud(500)
    with pytest.raises(InputError, match=reason):
        adjudge.evaluate(X=X, labels=labels, **options)
