"""Weighted points: repetition, sampling weights against naive sums, and what takes no weights."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjudge
from adjudge import InputError
from adjudge.engines.pairs import reducers, strips
from adjudge.indices.catalog import list_indices
from adjudge.statistics.making import weighted_form
from conftest import raises_line

N, K, P = 60, 4, 3
NO_WEIGHTS = "take no weights: repeat the points, if weights count them"
# Repeated points are the same point to some of these, which is why they take no weights.
WEIGHED = [
    record.name for record in list_indices("internal") if all(weighted_form(kind) for kind in record.requires)
]


@pytest.fixture
def points(rng: np.random.Generator) -> tuple[Any, Any]:
    labels = np.arange(N) % K
    return rng.normal(size=(N, P)) + 1.5 * labels[:, None], labels


def check_same(found: Any, expected: Any, rel: float = 1e-11) -> None:
    assert list(found) == list(expected)
    for name in found:
        if NO_WEIGHTS in found.reasons.get(name, ""):
            assert name not in WEIGHED
        else:
            assert name in WEIGHED
            assert found[name] == pytest.approx(expected[name], rel=rel, abs=1e-12, nan_ok=True), name


def test_most_indices_take_weights() -> None:
    assert len(WEIGHED) >= 45
    assert {"silhouette", "calinski_harabasz", "davies_bouldin", "dunn", "gdi32", "det_ratio", "ccc"} <= set(
        WEIGHED
    )
    assert {"gamma", "c_index", "dbcv", "lisi"}.isdisjoint(WEIGHED)


def test_a_fresh_process_knows_what_takes_weights() -> None:
    code = "import adjudge; print(adjudge.trace_w([[0.0], [3.0]], [0, 0], sample_weight=[2, 1], weights='frequency'))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(done.stdout) == pytest.approx(6.0)


@pytest.mark.parametrize("block", [1 << 21, 30])
def test_whole_weights_give_what_repetition_gives(
    points: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(strips, "strip_points", lambda n: block)
    X, labels = points
    X[5] = X[1]  # a copy that is a row of its own
    weights = rng.integers(0, 4, N)
    given: Any = {"X": X, "labels": labels, "indices": "all"}
    found = adjudge.evaluate(sample_weight=weights, weights="frequency", **given)
    repeated = adjudge.evaluate(
        X=np.repeat(X, weights, axis=0), labels=np.repeat(labels, weights), indices="all"
    )
    check_same(found, repeated)
    assert found.n == repeated.n == weights.sum()
    assert found.details["sizes"].tolist() == repeated.details["sizes"].tolist()
    for name in (
        "centroids",
        "dispersions",
        "silhouette_of_clusters",
        "mean_distances",
        "diameters",
        "separation",
    ):
        np.testing.assert_allclose(found.details[name], repeated.details[name], rtol=1e-11)
    counted = adjudge.evaluate(counts=weights, **given)
    assert counted.values == pytest.approx(found.values, nan_ok=True, rel=0, abs=0)


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "precomputed", "function"])
def test_whole_weights_of_any_metric(points: Any, rng: np.random.Generator, metric: str) -> None:
    X, labels = points
    weights = rng.integers(0, 4, N)
    given: Any = metric
    repeated = np.repeat(X, weights, axis=0)
    if metric == "precomputed":
        X = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
        repeated = np.repeat(np.repeat(X, weights, axis=0), weights, axis=1)
    if metric == "function":
        given = lambda x, y: float(np.abs(x - y).max())  # noqa: E731
    indices = ["silhouette", "silhouette_macro", "mcclain_rao", "gdi32", "dunn", "point_biserial", "gdi61"]
    found = adjudge.evaluate(
        X=X, labels=labels, sample_weight=weights, weights="frequency", metric=given, indices=indices
    )
    expected = adjudge.evaluate(X=repeated, labels=np.repeat(labels, weights), metric=given, indices=indices)
    assert found.values == pytest.approx(expected.values, rel=1e-11)


def test_weights_of_one_and_their_scale_change_nothing(points: Any, rng: np.random.Generator) -> None:
    X, labels = points
    plain = adjudge.evaluate(X=X, labels=labels, indices="all")
    given: Any = {"X": X, "labels": labels, "weights": "importance", "indices": "all"}
    check_same(adjudge.evaluate(sample_weight=np.ones(N), **given), plain, rel=1e-12)
    weights = rng.exponential(size=N)
    one, other = (adjudge.evaluate(sample_weight=w, **given) for w in (weights, weights * 1e4))
    check_same(one, other)


def naive(X: Any, labels: Any, w: Any) -> dict[str, float]:
    """Compute indices of sampling weights from their definitions, a pair at a time."""
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    within = between = pairs_within = pairs_between = 0.0
    for i, j in combinations(range(N), 2):
        if labels[i] == labels[j]:
            within, pairs_within = within + w[i] * w[j] * d[i, j], pairs_within + w[i] * w[j]
        else:
            between, pairs_between = between + w[i] * w[j] * d[i, j], pairs_between + w[i] * w[j]
    widths = []
    for i in range(N):
        means = {}
        for k in range(K):
            others = [j for j in range(N) if labels[j] == k and j != i]
            means[k] = sum(w[j] * d[i, j] for j in others) / sum(w[j] for j in others)
        a, b = means.pop(labels[i]), min(means.values())
        widths.append((b - a) / max(a, b))
    centroids = [np.average(X[labels == k], axis=0, weights=w[labels == k]) for k in range(K)]
    centre = np.average(X, axis=0, weights=w)
    wgss = sum(w[i] * ((X[i] - centroids[labels[i]]) ** 2).sum() for i in range(N))
    masses = [w[labels == k].sum() for k in range(K)]
    bgss = sum(m * ((c - centre) ** 2).sum() for m, c in zip(masses, centroids, strict=True))
    taken = [(w[labels == k] ** 2).sum() / masses[k] for k in range(K)]
    degrees_within = w.sum() - sum(taken)
    degrees_between = sum(taken) - (w**2).sum() / w.sum()
    radii = [
        np.average(np.sqrt(((X[labels == k] - centroids[k]) ** 2).sum(axis=1)), weights=w[labels == k])
        for k in range(K)
    ]
    overlaps = [
        max((radii[k] + radii[m]) / np.linalg.norm(centroids[k] - centroids[m]) for m in range(K) if m != k)
        for k in range(K)
    ]
    return {
        "mcclain_rao": (within / pairs_within) / (between / pairs_between),
        "silhouette": float(np.average(widths, weights=w)),
        "silhouette_macro": float(
            np.mean([np.average(np.array(widths)[labels == k], weights=w[labels == k]) for k in range(K)])
        ),
        "calinski_harabasz": (bgss / degrees_between) / (wgss / degrees_within),
        "davies_bouldin": float(np.mean(overlaps)),
        "trace_w": wgss * N / w.sum(),
        "xie_beni": wgss / w.sum() / d[labels[:, None] != labels[None]].min() ** 2,
    }


def test_sampling_weights_are_as_the_definitions_say(points: Any, rng: np.random.Generator) -> None:
    X, labels = points
    weights = rng.exponential(size=N)
    expected = naive(X, labels, weights)
    found = adjudge.evaluate(
        X=X, labels=labels, sample_weight=weights, weights="importance", indices=list(expected)
    )
    assert found.values == pytest.approx(expected, rel=1e-11)
    for name, value in expected.items():
        record = adjudge.find_index(name)
        assert record(X, labels, sample_weight=weights, weights="importance") == pytest.approx(
            value, rel=1e-11
        )


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "correlation"])
@pytest.mark.parametrize("meaning", ["importance", "frequency"])
def test_sums_from_weighted_centroids_are_those_of_all_pairs(
    points: Any, rng: np.random.Generator, metric: str, meaning: str
) -> None:
    # Few points a cluster, or given distances, are added up by the pair.
    X, labels = points
    X[labels == 1] += 1e4
    X[5] = X[1]
    weights = rng.exponential(size=N) if meaning == "importance" else rng.integers(1, 5, N)
    given: Any = {"labels": labels, "sample_weight": weights, "weights": meaning}
    given["indices"] = ["silhouette", "silhouette_macro", "mcclain_rao", "gdi32", "point_biserial"]
    D = cdist(X, X, metric)
    np.fill_diagonal(D, 0.0)
    expected = adjudge.evaluate(X=(D + D.T) / 2, metric="precomputed", **given)
    one = adjudge.evaluate(X=X, metric=metric, n_jobs=1, **given)
    two = adjudge.evaluate(X=X, metric=metric, n_jobs=2, **given)
    assert one.values == two.values
    assert one.values == pytest.approx(expected.values, rel=1e-9, nan_ok=True)
    assert sum(map(math.isnan, one.values.values())) <= 1


def test_dispersion_has_the_expectation_that_degrees_of_freedom_say(rng: np.random.Generator) -> None:
    # Without clusters, Caliński-Harabasz is about 1 whatever the weights: N - K would make it 1.7 here.
    weights = np.tile([0.1, 0.1, 0.1, 3.0], 150)
    labels = np.arange(600) % 3
    values = [
        adjudge.calinski_harabasz(
            rng.normal(size=(600, 8)), labels, sample_weight=weights, weights="importance"
        )
        for _ in range(60)
    ]
    assert np.mean(values) == pytest.approx(1.0, abs=0.15)


def test_more_clusters_than_are_kept_in_a_matrix(
    points: Any, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, labels = points
    given: Any = {"X": X, "labels": labels, "weights": "importance", "indices": ["gdi32", "mcclain_rao"]}
    weights = rng.exponential(size=N)
    kept = adjudge.evaluate(sample_weight=weights, **given)
    monkeypatch.setattr(reducers, "MATRIX_CLUSTERS", 2)
    assert adjudge.evaluate(sample_weight=weights, **given).values == kept.values


def test_singletons_and_one_cluster(rng: np.random.Generator) -> None:
    X = np.array([[0.0], [1.0], [5.0]])
    heavy = adjudge.evaluate(
        X=X,
        labels=[0, 0, 1],
        sample_weight=[0.3, 0.2, 7.1],
        weights="importance",
        indices=["silhouette", "ch"],
    )
    # The only point of a cluster has width 0, and the others 0.8 and 0.75.
    assert heavy["silhouette"] == pytest.approx((0.3 * 0.8 + 0.2 * 0.75) / 7.6)
    repeated = adjudge.evaluate(
        X=X, labels=[0, 0, 1], sample_weight=[1, 1, 2], weights="frequency", indices=["silhouette"]
    )
    assert repeated["silhouette"] == pytest.approx((0.8 + 0.75 + 2 * 1.0) / 4)
    whole = adjudge.evaluate(X=X, labels=[0, 0, 0], sample_weight=[1, 2, 3], weights="importance")
    assert whole.reasons["silhouette"] == "there is only one cluster"
    alone = adjudge.evaluate(
        X=X, labels=[0, 1, 2], sample_weight=[1.5, 2.5, 3.1], weights="importance", indices=["ch"]
    )
    assert alone.reasons["calinski_harabasz"] == "0/0: every point is its own cluster"


def test_an_offset_costs_no_digits(points: Any, rng: np.random.Generator) -> None:
    X, labels = points
    X = np.round(X, 3)
    weights = rng.exponential(size=N)
    given: Any = {"labels": labels, "sample_weight": weights, "weights": "importance"}
    near = adjudge.evaluate(X=X, indices=["ch", "det_ratio", "scott_symons"], **given)
    far = adjudge.evaluate(X=X + 2.0**26, indices=["ch", "det_ratio", "scott_symons"], **given)
    assert far.values == pytest.approx(near.values, rel=1e-6)


def test_columns_that_nearly_agree_keep_the_digits_of_weighted_determinants(
    points: Any, rng: np.random.Generator
) -> None:
    X, labels = points
    X = np.column_stack([X, X[:, 0] + 1e-7 * rng.normal(size=N)])
    weights = rng.integers(1, 4, N)
    given: Any = {"indices": ["det_ratio", "log_det_ratio", "scott_symons"]}
    found = adjudge.evaluate(X=X, labels=labels, sample_weight=weights, weights="frequency", **given)
    repeated = adjudge.evaluate(X=np.repeat(X, weights, axis=0), labels=np.repeat(labels, weights), **given)
    assert found.values == pytest.approx(repeated.values, rel=1e-6)


def test_noise_and_labels_go_with_their_weights(points: Any, rng: np.random.Generator) -> None:
    X, labels = points
    weights = rng.exponential(size=N)
    truth = rng.integers(0, 3, N)
    noisy = labels.copy()
    noisy[:7] = -1
    given: Any = {"weights": "importance", "indices": ["silhouette", "rand"]}
    found = adjudge.evaluate(truth, noisy, X=X, sample_weight=weights, noise="drop", **given)
    left = adjudge.evaluate(truth[7:], noisy[7:], X=X[7:], sample_weight=weights[7:], **given)
    assert found.values == pytest.approx(left.values, rel=1e-12)


def test_what_is_refused(points: Any, tmp_path: Path) -> None:
    X, labels = points
    given: Any = {"X": X, "labels": labels, "sample_weight": np.full(N, 2), "weights": "frequency"}
    for options in (
        {"confidence": 0.9},
        {"sample_size": 20},
        {"compat": "clusterCrit"},
        {"checkpoint": tmp_path / "c.npz"},
    ):
        (name,) = options
        with raises_line(
            InputError, f"{name}= takes no weights of points: leave it out, or repeat the points"
        ):
            adjudge.evaluate(**given, **options)
    with pytest.raises(InputError, match="sample_weight= can mean two things"):
        adjudge.evaluate(X=X, labels=labels, sample_weight=np.ones(N))
    gamma = adjudge.evaluate(**given, indices=["gamma", "trace_w"])
    assert math.isnan(gamma["gamma"])
    assert gamma.reasons["gamma"] == f"ranks of distances {NO_WEIGHTS}"
    assert gamma["trace_w"] > 0


@pytest.mark.parametrize("name", [r.name for r in list_indices("internal") if r.name not in WEIGHED])
def test_an_index_without_weights_says_so_wherever_it_is_asked_for_alone(
    points: tuple[Any, Any], name: str, tmp_path: Path, run: Callable[..., str]
) -> None:
    X, labels = points
    weights = np.full(N, 2)
    with pytest.raises(InputError, match=f"^[a-z ]+ {NO_WEIGHTS}$"):
        getattr(adjudge.indices, name)(X, labels, sample_weight=weights, weights="frequency")
    told: list[tuple[int, int]] = []
    found = adjudge.evaluate(
        X=X,
        labels=labels,
        sample_weight=weights,
        weights="frequency",
        indices=name,
        progress=lambda what, done, total: told.append((done, total)),
    )
    assert found.reasons[name].endswith(NO_WEIGHTS)
    assert all(total > 0 for _, total in told)
    table = np.column_stack([X, labels, weights])
    np.savetxt(tmp_path / "t.csv", table, delimiter=",", header="a,b,c,label,w", comments="")
    options = ("--labels=label", "--weight=w", "--weights=frequency", f"--indices={name}", "--format=json")
    assert NO_WEIGHTS in run("evaluate", str(tmp_path / "t.csv"), *options)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_weights_count_in_the_scales_of_a_distance(points: tuple[Any, Any], metric: str) -> None:
    X, labels = points
    X = X @ np.array([[1.0, 0.5, 0.0], [0.0, 20.0, 0.0], [0.0, 3.0, 1.0]])
    weights = np.arange(N) // K % 4
    some = np.repeat(np.arange(N), weights)
    for index in (adjudge.silhouette, adjudge.indices.gdi12):
        repeated = index(X[some], labels[some], metric=metric)
        found = index(X, labels, metric=metric, sample_weight=weights, weights="frequency")
        assert found == pytest.approx(repeated, rel=1e-12)
        assert index(X, labels, metric=metric) != pytest.approx(repeated, rel=1e-3)
        # Equal sampling weights are none.
        sampled = index(X, labels, metric=metric, sample_weight=0.3 * (weights > 0), weights="importance")
        assert sampled == pytest.approx(index(X[weights > 0], labels[weights > 0], metric=metric), rel=1e-12)
    with pytest.raises(InputError, match=f"metric='{metric}' divides by the "):
        adjudge.silhouette(
            np.zeros((4, 1)), [0, 0, 1, 1], metric=metric, sample_weight=[1, 2, 2, 1], weights="frequency"
        )
