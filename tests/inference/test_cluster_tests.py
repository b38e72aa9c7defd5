"""Tests of clusterings hold their size on data without clusters, and find clusters that are there."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest, spearmanr
from sklearn.cluster import DBSCAN, AgglomerativeClustering
from sklearn.datasets import load_iris

import adjudge
from adjudge import InputError
from adjudge.inference import ClustersTest, clusters_test
from adjudge.inference.clusters.null_points import DRAWS, USUAL_NULLS, _with_one_mode
from cases import each
from conftest import raises_line
from splitters import halves, two_means


@pytest.mark.full
def test_the_size_is_held_by_a_matched_null() -> None:
    rng = np.random.default_rng(0)
    p_values = [
        clusters_test(
            rng.normal(size=(40, 2)) @ [[2.0, 0.3], [0.0, 1.0]],
            halves, index="calinski_harabasz", nulls=["gaussian"], n_samples=19, random_state=rng,
        ).p_value
        for _ in range(120)
    ]  # fmt: skip
    rejected = sum(p <= 0.05 for p in p_values)
    # Of 120, 6 are expected: more than 13 come once in a thousand times.
    assert rejected <= 13


def test_clusters_are_found_whatever_the_null() -> None:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(m, 0.3, size=(30, 2)) for m in (0, 4)])
    found = clusters_test(X, {"two": two_means, "half": halves}, n_samples=19, random_state=0)
    assert found.p_values == dict.fromkeys(USUAL_NULLS, 0.05)
    assert found.best in ("two", "half")
    assert found.value == pytest.approx(adjudge.silhouette(X, two_means(X)))
    assert all(values.shape == (19,) for values in found.null_values.values())


def test_choosing_is_part_of_the_null() -> None:
    X = np.random.default_rng(2).normal(size=(50, 2))
    several = {f"{k}": AgglomerativeClustering(k) for k in (2, 3, 4)}
    both = clusters_test(X, several, nulls=["gaussian"], n_samples=19, random_state=0)
    one = clusters_test(X, {both.best: several[both.best]}, nulls=["gaussian"], n_samples=19, random_state=0)
    assert both.value == one.value
    assert (both.null_values["gaussian"] >= one.null_values["gaussian"] - 1e-12).all()


def test_noise_costs_coverage() -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(m, 0.2, size=(30, 2)) for m in (0, 4)] + [rng.uniform(-1, 5, (20, 2))])
    labels = DBSCAN(eps=0.4).fit_predict(X)
    kept = labels >= 0
    found = clusters_test(X, DBSCAN(eps=0.4), nulls=["uniform"], n_samples=9, random_state=0)
    assert found.value == pytest.approx(adjudge.silhouette(X[kept], labels[kept]) * kept.mean())


def test_nulls_resemble_the_points() -> None:
    rng = np.random.default_rng(4)
    X = np.column_stack([rng.exponential(size=4000), rng.normal(size=4000)])
    X[:, 1] += X[:, 0]
    gaussian, copula, uniform = (DRAWS[null](X)(rng) for null in ("gaussian", "copula", "uniform"))
    np.testing.assert_allclose(np.cov(gaussian.T), np.cov(X.T), rtol=1e-9)
    np.testing.assert_allclose(gaussian.mean(axis=0), X.mean(axis=0), atol=1e-9)
    assert kstest((gaussian[:, 0] - 1) / X[:, 0].std(), "norm").pvalue > 1e-3
    # The margins of the copula have one mode, as those of the points, and their values up to a few steps.
    assert np.abs(np.sort(copula, axis=0) - np.sort(X, axis=0)).mean() < 0.02
    ranks = [spearmanr(Y[:, 0], Y[:, 1])[0] for Y in (copula, X)]
    assert ranks[0] == pytest.approx(ranks[1], abs=0.03)
    axes = np.linalg.eigh(np.cov(X.T))[1]
    inside = (uniform - X.mean(axis=0)) @ axes
    limits = (X - X.mean(axis=0)) @ axes
    assert (inside >= limits.min(axis=0)).all()
    assert (inside <= limits.max(axis=0)).all()


def test_clusters_without_a_value_are_refused() -> None:
    X = np.random.default_rng(7).normal(size=(20, 2))
    with pytest.raises(adjudge.InputError, match="silhouette is undefined for these clusters"):
        clusters_test(X, lambda X: np.zeros(len(X)))


def test_the_elliptical_null_keeps_distances_and_covariance() -> None:
    rng = np.random.default_rng(8)
    shell = rng.normal(size=(3000, 3))
    shell /= np.linalg.norm(shell, axis=1, keepdims=True)
    X = 2 + shell @ [[3.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.5, 0.2]]
    drawn = DRAWS["elliptical"](X)(rng)
    np.testing.assert_allclose(np.cov(drawn.T), np.cov(X.T), atol=1e-9)
    root = np.linalg.inv(np.linalg.cholesky(np.cov(X.T)))
    distances = np.linalg.norm((drawn - X.mean(axis=0)) @ root.T, axis=1)
    assert np.ptp(distances) < 0.5
    flat = np.column_stack([X[:, 0], np.full(3000, 7.0)])
    np.testing.assert_allclose(DRAWS["elliptical"](flat)(rng)[:, 1], 7.0)


@pytest.mark.full
def test_a_shell_has_no_clusters() -> None:
    """The null distributions alone call the two halves of many shells clusters."""
    rng = np.random.default_rng(9)
    found = []
    for _ in range(40):
        X = rng.normal(size=(60, 3))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        found.append(clusters_test(X, two_means, n_samples=19, random_state=rng))
    rejected = np.mean([test.p_value <= 0.05 for test in found])
    without = np.mean([max(test.p_values["gaussian"], test.p_values["copula"]) <= 0.05 for test in found])
    assert without >= 0.4
    assert rejected <= 0.1


@pytest.mark.full
@pytest.mark.parametrize("moved", [[6.0, 0.0], [4.0, 4.0]], ids=["along a variable", "across"])
def test_clusters_along_a_variable_are_found(moved: list[float]) -> None:
    """Margins with two modes had the clusters, so that the copula null hid them."""
    rng = np.random.default_rng(10)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(40, 2)) + moved])
    assert clusters_test(X, two_means, n_samples=19, random_state=0).p_value == 0.05


def test_distances_of_the_elliptical_null_are_those_of_the_points() -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3))
    drawn = DRAWS["elliptical"](X)(rng)
    root = np.linalg.inv(np.linalg.cholesky(np.cov(X.T)))
    ours, theirs = (np.linalg.norm((Y - X.mean(axis=0)) @ root.T, axis=1) for Y in (drawn, X))
    np.testing.assert_allclose(ours, theirs, rtol=1e-2)
    assert abs(np.corrcoef(drawn[:, 0], X[:, 0])[0, 1]) < 0.5


def test_margins_with_one_mode() -> None:
    rng = np.random.default_rng(12)
    two = np.sort(np.concatenate([rng.normal(size=40), rng.normal(6, 1, 40)]))
    smooth = _with_one_mode(two)
    steps = np.diff(smooth)
    at = np.flatnonzero(np.abs(np.diff(steps)) > 1e-12)
    # Densities rise to the mode and fall after it: steps shrink, then grow.
    signs = np.sign(np.diff(steps))[at]
    assert (np.diff(signs) >= 0).all()
    assert (smooth[0], smooth[-1]) == (two[0], two[-1])
    assert adjudge.inference.dip_test(smooth).p_value > 0.9
    assert adjudge.inference.dip_test(two).p_value < 0.01


def arc(rng: np.random.Generator, n: int) -> np.ndarray:
    angle = rng.uniform(0, np.pi, n)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + rng.normal(0, 0.1, (n, 2))


@pytest.mark.full
def test_a_curve_has_structure_but_no_clusters() -> None:
    rng = np.random.default_rng(13)
    found = [clusters_test(arc(rng, 80), two_means, n_samples=19, random_state=rng) for _ in range(30)]
    assert np.mean([test.p_value <= 0.05 for test in found]) <= 0.14
    assert np.mean([max(test.p_values.values()) <= 0.05 for test in found]) > 0.5
    verdicts = [test.verdict for test in found]
    assert sum("structure, but perhaps no clusters" in verdict for verdict in verdicts) > 10


def test_the_verdict_names_what_is_rejected() -> None:
    rng = np.random.default_rng(14)
    pair = np.concatenate([rng.normal(m, 0.3, size=(30, 2)) for m in (0, 4)])
    found = clusters_test(pair, two_means, n_samples=19, random_state=0)
    assert found.verdict.startswith("There are clusters")
    # None of 19 data sets without clusters has as deep a valley.
    assert found.valleys is not None
    assert found.valley_p_value == found.valleys[0][2] < 0.001
    assert found.verdict in repr(found)
    none = clusters_test(
        rng.normal(size=(60, 2)), two_means, nulls=["gaussian"], n_samples=19, random_state=0
    )
    assert none.verdict.startswith("No evidence for clusters: Gaussian data split as well")
    without = clusters_test(pair, two_means, valley=False, n_samples=19, random_state=0)
    assert without.valley_p_value is None
    assert "valleys were not tested" in without.verdict


@each(
    "p, valley, halves, start",
    [
        (0.01, 0.01, 0.6, "There are clusters: the points split better"),
        (0.01, 0.01, None, "There are clusters: the points split better"),
        (0.01, 0.01, 0.1, "There may be clusters: the points split better"),
        (0.01, 0.4, 0.6, "There are clusters, which may touch: the points split better"),
        (0.01, 0.4, 0.1, "There is structure, but perhaps no clusters: the points split better"),
        (0.01, None, 0.6, "There are clusters: the points split better"),
        (0.01, None, 0.1, "The points split better"),
        (0.4, 0.4, 0.6, "There are clusters, but perhaps not these: Gaussian data split as well"),
        (0.4, 0.4, 0.1, "No evidence for clusters: Gaussian data split as well"),
    ],
)
def test_the_verdict_says_whether_there_are_clusters_as_choose_k_does(
    p: float, valley: float | None, halves: float | None, start: str
) -> None:
    found = ClustersTest(
        value=0.5, best="two", p_values={"gaussian": p}, null_values={"gaussian": np.zeros(99)}, valleys=None,
        valley_p_value=valley, index="silhouette", n=60, n_clusters=2, n_samples=99, halves_agree=halves,
    )  # fmt: skip
    assert found.verdict.startswith(start)
    assert ("Two halves of the points agree on" in found.verdict) == (halves is not None)
    assert found.to_dict().get("halves_agree") == halves


def test_the_test_and_choose_k_agree_whether_there_are_clusters() -> None:
    X = load_iris().data
    found = clusters_test(X, two_means, nulls=["gaussian"], n_samples=3, sample_size=60, random_state=5)
    choice = adjudge.choose_k(X, k=range(2, 5), random_state=0)
    assert found.halves_agree == choice.structure["halves_agree"]
    assert (found.there_are, choice.there_are) == (True, True)
    assert found.verdict.startswith("There are clusters") or "Too few data sets" in found.verdict
    assert choice.words.headline.startswith("There are clusters")


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int]] = []
    X = np.random.default_rng(15).normal(size=(30, 2))
    clusters_test(
        X, halves, nulls=["gaussian", "uniform"], n_samples=3,
        progress=lambda what, done, total: told.append((what, done, total)),
    )  # fmt: skip
    assert told[:6] == [("data without clusters", i, 6) for i in range(1, 7)]
    assert told[6:] == [("halves", i, 50) for i in range(1, 51)]


@pytest.mark.parametrize(("n", "limited"), [(50, True), (200_000, False)])
def test_few_points_are_clustered_in_one_thread(n: int, limited: bool) -> None:
    """Threads of a library that wait for each other take the cores from everything else."""
    from threadpoolctl import threadpool_info

    from adjudge.inference.clusters.clusterers import fit_of

    class Looks:
        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {}

        def fit_predict(self, X: Any) -> Any:
            found.append({library["num_threads"] for library in threadpool_info()})
            return np.zeros(len(X), int)

    found: list[set[int]] = []
    before = {library["num_threads"] for library in threadpool_info()}
    fit_of(Looks(), "looks")(np.zeros((n, 2)))
    assert found == [{1} if limited else before]


def test_a_sample_of_the_points() -> None:
    X, seen = np.random.default_rng(3).normal(size=(50, 2)), set()

    def counting(points: Any) -> Any:
        seen.add(len(points))
        return halves(points)

    clusters_test(X, counting, nulls=["gaussian"], valley=False, n_samples=9, sample_size=20, random_state=0)
    assert seen == {20}


def test_a_null_model_whose_values_are_all_undefined_has_no_median() -> None:
    X = np.random.default_rng(4).normal(size=(30, 2))
    found = clusters_test(X, halves, nulls=["gaussian"], valley=False, n_samples=9, random_state=0)
    ((_, value, middle, _),) = replace(found, null_values={"gaussian": np.full(9, np.nan)}).table().rows
    assert value == found.value
    assert math.isnan(middle)


def test_a_clusterer_that_fails_is_named() -> None:
    class Fails(DBSCAN):
        def fit_predict(self, *_: Any) -> Any:
            raise ValueError("no luck")

    with raises_line(InputError, "'one' fails for 5 points: no luck"):
        clusters_test(np.eye(5), {"one": Fails()}, n_samples=9)


def test_clusters_along_a_line_are_found() -> None:
    # Elliptical data have the distances from the mean: along a line, two clusters on either side of it are kept.
    rng = np.random.default_rng(0)
    places = np.concatenate([rng.normal(m, 1.0, 60) for m in (0, 8)])
    for X in (places[:, None], places[:, None] * [1.0, -2.0] + 3.0):
        found = clusters_test(X, two_means, n_samples=19, random_state=0)
        assert found.p_values == {"gaussian": 0.05, "copula": 0.05}
        assert found.verdict.startswith("There are clusters: ")
        with pytest.raises(InputError, match="leave 'elliptical' out of nulls"):
            clusters_test(X, two_means, nulls=("gaussian", "elliptical"))
