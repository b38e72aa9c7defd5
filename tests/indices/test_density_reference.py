"""Criteria from density, neighbours and prototypes against values of independent code written from the definitions."""

from __future__ import annotations

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import adjudge
from adjudge.engines.points import reduce_points
from adjudge.indices.neighbours import lisi_of_points
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.prototypes import CentroidProfile, MedoidProfile, widths
from adjudge.statistics.reachability import DensityTrees, LinkageGaps
from naive_density import Given, dbcv, dbcv_of_hdbscan, densest_first

FILES = sorted((Path(__file__).parents[1] / "reference" / "density").glob("*.json"))
CASES = [json.loads(path.read_text()) for path in FILES]
SWEEPS = sorted((Path(__file__).parents[1] / "reference" / "density_sweeps").glob("*.json"))
CASE = pytest.mark.parametrize("case", CASES, ids=[path.stem for path in FILES])


def number(value: Any) -> float:
    return float({"Inf": "inf", "-Inf": "-inf", "NaN": "nan", "NA": "nan"}.get(value, value))


def agree(found: float, wanted: Any) -> None:
    wanted = number(wanted)
    if math.isnan(wanted):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def without_noise(case: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    labels = np.array(case["labels"])
    return np.array(case["X"], dtype=float)[labels >= 0], labels[labels >= 0]


@CASE
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
@pytest.mark.parametrize(
    ("tree", "key"),
    [("densest_first", "densest_first"), ("ordered", "by_distance"), ("prim", "prim_first")],
)
def test_dbcv(case: dict[str, Any], metric: str, tree: str, key: str) -> None:
    reference = case["reference"]["dbcv"]["euclidean" if metric == "euclidean" else "squared_euclidean"]
    options = {"metric": metric, "tree": tree}
    found = adjudge.dbcv(case["X"], case["labels"], noise="drop", **options)
    agree(found, reference[key])
    # Noise as clusters of one point is noise that counts.
    agree(adjudge.dbcv(case["X"], case["labels"], noise="singletons", **options), reference[key])
    agree(adjudge.dbcv(case["X"], case["labels"], **options), reference[key])


@CASE
def test_dbcv_of_hdbscan(case: dict[str, Any]) -> None:
    theirs = case["hdbscan 0.8.44"]
    X, labels = np.array(case["X"], dtype=float), np.array(case["labels"])
    found = adjudge.dbcv(X, labels, tree="index")
    if theirs["validity_index"] is None:
        # hdbscan refuses clusters of one point, which count as noise here.
        assert 1 in np.unique(labels[labels >= 0], return_counts=True)[1]
        return
    agree(found, theirs["validity_index_of_exact_distances"])
    # scikit-learn's distances of points that coincide are 0 only up to rounding, which hdbscan takes to a power.
    if np.unique(X, axis=0).shape == X.shape:
        agree(found, theirs["validity_index"])
    kept, own = without_noise(case)
    D = np.sqrt(((kept[:, None] - kept) ** 2).sum(axis=2))
    of_distances = adjudge.dbcv(D, own, metric="precomputed", dimension=X.shape[1], tree="index")
    agree(of_distances * own.size / labels.size, theirs["validity_index_of_exact_distances"])


@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_dbcv_of_hdbscan_by_its_rules(decimals: int, rng: np.random.Generator) -> None:
    changed = 0
    for p in (1, 2, 3):
        labels = np.repeat([0, 1, 2], [9, 2, 14])
        X = (rng.normal(size=(25, p)) + 2 * labels[:, None]).round(decimals)
        found = adjudge.dbcv(X, labels, tree="index")
        assert found == pytest.approx(dbcv_of_hdbscan(Given(X, labels)), rel=1e-9)
        changed += abs(found - adjudge.dbcv(X, labels, tree="prim")) > 1e-6
    assert changed


def test_in_the_tree_of_hdbscan_about_as_near_is_as_good_as_nearest() -> None:
    """The right group is nearer to the second point of the left one than to the first, by 1e-7."""
    left, right = [[0, 0.5], [0, -0.5], [-0.9, 0]], [[10, -1e-6], [10.9, 0.5], [10.9, -0.5]]
    X, labels = np.array([*left, *right, [0, -4], [0, -5], [0, -6]]), np.repeat([0, 1], [6, 3])
    found = adjudge.dbcv(X, labels, tree="index")
    assert found == pytest.approx(dbcv_of_hdbscan(Given(X, labels)), rel=1e-9)
    assert abs(found - adjudge.dbcv(X, labels, tree="prim")) > 1e-3


def test_noise_is_noise_only_where_it_is_part_of_the_definition(rng: np.random.Generator) -> None:
    X = np.r_[rng.normal(size=(20, 2)), rng.normal(size=(20, 2)) + 8, rng.uniform(-5, 12, (6, 2))]
    labels = np.repeat([0, 1, -1], [20, 20, 6])
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    left_out = adjudge.dbcv(X, labels, noise="drop")
    assert adjudge.dbcv(X, labels) == adjudge.dbcv(X, labels.astype(str)) == left_out
    assert adjudge.dbcv(X, np.where(labels < 0, 7, labels), noise_label=7) == left_out
    assert adjudge.dbcv(D, labels, metric="precomputed", dimension=2) == pytest.approx(left_out, rel=1e-9)
    as_cluster = adjudge.dbcv(X, labels, noise="cluster")
    assert as_cluster == adjudge.dbcv(X, labels, noise_label=None) != left_out
    both = adjudge.evaluate(X=X, labels=labels, indices=["dbcv", "silhouette"])
    assert both["dbcv"] == left_out
    assert both["silhouette"] == adjudge.silhouette(X, labels, noise="cluster")
    assert both.n == 46
    (notice,) = both.warnings
    assert "but as noise in dbcv" in str(notice)
    told = adjudge.evaluate(X=X, labels=labels, indices=["dbcv", "silhouette"], noise="cluster")
    assert told["dbcv"] == as_cluster
    assert "dbcv" not in str(told.warnings[0])
    alone = adjudge.evaluate(X=X, labels=labels, indices="dbcv")
    (notice,) = alone.warnings
    assert str(notice).startswith(
        "note: the label -1 is noise in dbcv, which is defined with noise (6 in labels): "
    )
    assert (both.n_clusters["labels"], alone.n_clusters["labels"]) == (3, 2)
    assert "(labels: 2 clusters)" in str(alone)
    told = adjudge.evaluate(X=X, labels=labels, indices="dbcv", noise="cluster")
    assert told.n_clusters["labels"] == 3
    assert "counts as a cluster (6 in labels)" in str(told.warnings[0])
    none = adjudge.evaluate(X=X[:40], labels=labels[:40], indices="dbcv")
    assert none.n_clusters["labels"] == 2
    assert not none.warnings
    quick = adjudge.evaluate(X=X, labels=labels, indices=["dbcv", "silhouette"], sample_size=20)
    assert quick["dbcv"] == left_out


def test_a_clustering_that_is_all_noise_has_no_noise() -> None:
    assert math.isnan(adjudge.dbcv([[0.0], [1.0], [2.0]], [-1, -1, -1]))


@CASE
def test_dbcv_of_precomputed_distances(case: dict[str, Any]) -> None:
    X, labels = without_noise(case)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    options = {"metric": "precomputed", "dimension": X.shape[1]}
    found = adjudge.dbcv(D, labels, tree="ordered", **options)
    wanted = number(case["reference"]["dbcv"]["euclidean"]["by_distance"])
    agree(found * labels.size / len(case["labels"]), wanted)
    agree(
        adjudge.dbcv(D, labels, **options), dbcv(Given(X, labels, D=D), partial(densest_first, by_rows=True))
    )
    assert math.isnan(adjudge.dbcv(D, labels, metric="precomputed"))


@CASE
@pytest.mark.parametrize(("tree", "key"), [("densest_first", "densest_first"), ("ordered", "by_distance")])
def test_dbcv_of_clusters(case: dict[str, Any], tree: str, key: str) -> None:
    X, labels = without_noise(case)
    detail = case["reference"]["dbcv"]["euclidean"].get(f"detail_{key}")
    if not detail:
        pytest.skip("undefined")
    trees = reduce_points(X, labels, {DensityTrees}, tree=tree)[DensityTrees]
    several = trees.sizes > 1
    for found, key in (
        (trees.sparseness, "sparseness"),
        (trees.separations, "min_separation"),
        (trees.validity, "validity"),
    ):
        np.testing.assert_allclose(found[several], [number(v) for v in detail[key]], rtol=1e-9, atol=1e-12)
    # The least of its inner points' is a cluster's.
    inner = np.array([trees.of_points[(labels == c) & trees.inner].min() for c in np.unique(labels)[several]])
    np.testing.assert_array_equal(inner, trees.validity[several])


@CASE
def test_connectivity_with_noise_as_a_cluster(case: dict[str, Any]) -> None:
    for m, wanted in case["reference"]["connectivity"].items():
        if case["reference"]["knn_tied"].get(m) and wanted is None:
            continue
        agree(adjudge.connectivity(case["X"], case["labels"], n_neighbors=int(m)), wanted)


@CASE
def test_near_neighbours(case: dict[str, Any]) -> None:
    X, labels = without_noise(case)
    reference = case["reference"]
    for m, wanted in reference.get("wcnn", {}).items():
        agree(adjudge.wcnn(X, labels, n_neighbors=int(m)), wanted)
    for m, (share, strict) in reference.get("neighbour_agreement", {}).items():
        agree(adjudge.neighbor_consistency(X, labels, n_neighbors=int(m)), share)
        agree(adjudge.strict_neighbor_consistency(X, labels, n_neighbors=int(m)), strict)
    for name, wanted in reference.get("dunnowa", {}).items():
        m, numerator, denominator = name.split("|")
        found = adjudge.dunn_owa(X, labels, n_neighbors=int(m), numerator=numerator, denominator=denominator)
        agree(found, wanted)


@CASE
def test_lisi(case: dict[str, Any]) -> None:
    wanted = case["reference"].get("lisi_k9_perplexity3")
    if wanted is None:
        pytest.skip("fewer points than neighbours")
    X, labels = without_noise(case)
    reduced = reduce_points(X, labels, {NeighbourLabels}, n_neighbors=9)
    own: NeighbourLabels = reduced[NeighbourLabels]
    found = lisi_of_points(own, n_neighbors=9)
    # Where the last neighbour is as near as others, the reference takes the first; here all of them share its place.
    shared = np.concatenate([np.empty(0, np.int64), *(rows for rows, *_ in own.ties(9))])
    alone = np.setdiff1d(np.arange(found.size), shared)
    np.testing.assert_allclose(found[alone], np.array([number(v) for v in wanted])[alone], rtol=1e-9)


def test_silhouettes_are_undefined_on_two_clusters_at_once() -> None:
    """Of points on two whole clusters, both distances are 0; silhouettes of prototypes count that as 0."""
    X, labels = [[0.1, 0.3]] * 7 + [[2.0, 1.0], [3.0, 1.0]], [0] * 4 + [1] * 3 + [2] * 2
    of_points = adjudge.evaluate(
        X=X, labels=labels, indices=["silhouette", "silhouette_macro", "rms_silhouette"]
    )
    assert all(math.isnan(of_points[name]) for name in of_points)
    assert len(set(of_points.reasons.values())) == 1, of_points.reasons
    assert not math.isnan(adjudge.simplified_silhouette(X, labels))
    assert not math.isnan(adjudge.medoid_silhouette(X, labels))


@CASE
def test_silhouettes_of_prototypes(case: dict[str, Any]) -> None:
    X, labels = without_noise(case)
    reference = case["reference"]["silhouettes"]
    if np.unique(labels).size == 1:
        assert math.isnan(adjudge.simplified_silhouette(X, labels))
        assert math.isnan(adjudge.medoid_silhouette(X, labels))
        return
    agree(adjudge.simplified_silhouette(X, labels), reference["simplified"])
    agree(adjudge.medoid_silhouette(X, labels), reference["medoid"])
    reduced = reduce_points(X, labels, {CentroidProfile, MedoidProfile})
    centroids, medoids = reduced[CentroidProfile], reduced[MedoidProfile]
    kept = np.flatnonzero(np.array(case["labels"]) >= 0)
    assert kept[medoids.medoids].tolist() == reference["medoids"]
    np.testing.assert_allclose(
        widths(centroids.own, centroids.other), reference["simplified_points"], rtol=1e-9, atol=1e-12
    )
    np.testing.assert_allclose(
        widths(medoids.own, medoids.other), reference["medoid_points"], rtol=1e-9, atol=1e-12
    )


@CASE
def test_what_fpc_reports(case: dict[str, Any]) -> None:
    X, labels = without_noise(case)
    reference = case["reference"]
    agree(adjudge.aucc(X, labels), reference["aucc"])
    agree(adjudge.wb_index(X, labels), reference["wb"])
    agree(adjudge.cop(X, labels), reference["cop"])
    stats = reference["cluster_stats_noise_left_out"]
    for name, key in (
        ("wb_ratio", "wb_ratio"),
        ("pearson_gamma", "pearsongamma"),
        ("gdi32", "dunn2"),
        ("separation_index", "sindex_p01_at_least_one"),
        ("size_entropy", "entropy"),
        ("widest_gap", "widestgap"),
    ):
        # Clusters of one point have no mean distance, where fpc takes the largest of the others'.
        if key in stats and not (key == "dunn2" and np.unique(labels, return_counts=True)[1].min() == 1):
            agree(getattr(adjudge, name)(X, labels), stats[key])
    if "cwidegap" in stats:
        gaps = reduce_points(X, labels, {LinkageGaps})[LinkageGaps].values
        np.testing.assert_allclose(gaps, [number(v) for v in stats["cwidegap"]], rtol=1e-9)


@pytest.mark.parametrize("path", SWEEPS, ids=[path.stem for path in SWEEPS])
def test_criteria_over_a_sweep(path: Path) -> None:
    sweep = json.loads(path.read_text())
    reference = sweep["reference"]
    X, labels = np.array(sweep["X"]), {int(k): codes for k, codes in sweep["labels_by_k"].items()}
    for k, codes in labels.items():
        if k > 1:
            agree(adjudge.centroid_correlation(X, codes), reference["NC"][str(k)])
    found = adjudge.nci(X, labels)
    for k, wanted in reference["NCI"].items():
        agree(found[int(k)], wanted)
    between = {k: labels[k] for k in range(2, 7)}
    for compactness, key in (("pooled", "index_pooled"), ("sum", "index_paper")):
        options = {"n_neighbors": sweep["k_neighbours"], "compactness": compactness}
        values = adjudge.cvnn(X, between, limit_to_size=False, **options)
        for k, parts in reference["cvnn"].items():
            agree(values[int(k)], parts[key])


def test_smooth_minimum_of_the_nearest_three_by_hand() -> None:
    X, labels = np.array([[0.0], [1], [3], [7], [12], [20]]), [0, 1, 0, 1, 0, 0]
    weights = np.exp(-0.5 * np.arange(3) ** 2)
    # All but the last point are nearest to a point of the other cluster, at these distances and two larger ones.
    expected = np.array([1.0, 1, 2]) @ weights / weights.sum()
    found = adjudge.dunn_owa(X, labels, n_neighbors=1, numerator="SMin:1", denominator="Const")
    assert found == pytest.approx(expected)
