"""Mixing of batches, and DISCO, against scib-metrics and clustpy, and against the definitions."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import chi2

import adjudge
from adjudge import InputError, evaluate
from adjudge.engines import density_connections
from adjudge.engines.points import reduce_points
from adjudge.indices.catalog import find_index, list_indices
from adjudge.indices.neighbours import FIRST_OF_TIES
from adjudge.statistics import batches
from adjudge.statistics.neighbours import NeighbourLabels
from adjudge.statistics.reachability import DensityConnections
from conftest import raises_line, read_reference
from naive_density import Given, disco_of_points


def clouds() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    points = np.round(np.vstack([rng.normal(size=(150, 3)), rng.normal(size=(150, 3)) + 2]), 6)
    return points, rng.integers(0, 3, 300), np.repeat([0, 1], 150)


def test_values_of_scib_metrics() -> None:
    points, batches, types = clouds()
    assert adjudge.kbet(points, batches, n_neighbors=20) == 0.9833333333333333
    assert adjudge.kbet(points, types, n_neighbors=20) == 0.056666666666666664
    assert adjudge.kbet(points, batches, n_neighbors=30) == 0.9966666666666667
    # There, neighbours include the point, and the perplexity is a third of their number, rounded down.
    assert adjudge.scaled_ilisi(points, batches, n_neighbors=30) == pytest.approx(0.65517044, abs=1e-5)
    assert adjudge.scaled_clisi(points, types, n_neighbors=30) == pytest.approx(0.99999976, abs=1e-5)


def test_kbet_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    points, batches, _ = clouds()
    near = np.argsort(cdist(points, points), axis=1)[:, :13]
    accepted = []
    for own in near:
        counts = np.bincount(batches[own], minlength=3)
        expected = 13 * np.bincount(batches) / 300
        accepted.append(chi2.sf(((counts - expected) ** 2 / expected).sum(), 2) >= 0.3)
    assert adjudge.kbet(points, batches, n_neighbors=12, alpha=0.3) == np.mean(accepted)
    monkeypatch.setattr("adjudge.indices.batch_mixing._COUNTS", 100)
    assert adjudge.kbet(points, batches, n_neighbors=12, alpha=0.3) == np.mean(accepted)


def tied_points() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {
        "grid": rng.integers(1, 7, (300, 2)).astype(float),
        "tenths": rng.integers(1, 8, (300, 3)) * 0.1,
        "copies": np.repeat(rng.normal(size=(30, 3)), 10, axis=0),
        "binary": rng.integers(0, 2, (300, 5)) + 1.0,
    }


@pytest.mark.parametrize("name", tied_points())
@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "cosine", "precomputed"])
def test_the_order_of_rows_does_not_matter_where_distances_tie(name: str, metric: str) -> None:
    rng = np.random.default_rng(6)
    points, batches = tied_points()[name], rng.integers(0, 3, 300)
    names = ["kbet", "lisi", "scaled_ilisi", "scaled_clisi"]

    def values(order: np.ndarray) -> list[float]:
        own = points[order]
        X = cdist(own, own) if metric == "precomputed" else own
        found = evaluate(X=X, labels=batches[order], indices=names, metric=metric, n_neighbors=90)
        return [found[name] for name in names]

    wanted = values(np.arange(300))
    for _ in range(2):
        assert values(rng.permutation(300)) == pytest.approx(wanted, rel=1e-12, nan_ok=True)


def test_kbet_shares_the_last_places() -> None:
    rng = np.random.default_rng(7)
    for points in tied_points().values():
        batches, accepted = rng.integers(0, 3, 300), []
        distances = cdist(points, points)
        np.fill_diagonal(distances, np.inf)
        expected = 13 * np.bincount(batches) / 300
        for own, batch in zip(distances, batches, strict=True):
            last = np.sort(own)[11]
            near, tied = own < last * (1 - 1e-12), np.abs(own - last) <= last * 1e-12
            counts = np.bincount(batches[tied], minlength=3) * (12 - near.sum()) / tied.sum()
            counts += np.bincount(batches[near], minlength=3)
            counts[batch] += 1
            accepted.append(chi2.sf(((counts - expected) ** 2 / expected).sum(), 2) >= 0.3)
        assert adjudge.kbet(points, batches, n_neighbors=12, alpha=0.3) == np.mean(accepted)


def test_lisi_shares_the_last_places() -> None:
    """Four points at one distance fill the two places of each cluster alike."""
    points = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.4, 0.0], [9.0, 9.0]])
    for codes in ([0, 0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 0, 0, 1]):
        own = reduce_points(points, np.array(codes), {NeighbourLabels}, n_neighbors=3)[NeighbourLabels]
        ((rows, inside, shares),) = own.ties(3)
        first = rows.tolist().index(0)
        assert (inside[first], shares[first].tolist()) == (1, [1.0, 1.0])


def test_too_many_ties_are_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    points, batches = tied_points()["binary"], np.arange(300) % 3
    monkeypatch.setattr("adjudge.statistics.neighbours._MOST_LOOKED_AT", 1000)
    for name in ("kbet", "lisi", "scaled_ilisi"):
        found = evaluate(X=points, labels=batches, indices=name)
        assert math.isnan(found[name])
        assert found.reasons[name].startswith("too many neighbours are equally near")


def test_clusters_are_not_taken_for_batches() -> None:
    points, batches, types = clouds()
    of_batches = {"kbet", "scaled_ilisi"}
    assert not of_batches & {*evaluate(X=points, labels=types, indices="all")}
    assert of_batches <= {*evaluate(X=points, labels=batches, indices=[*of_batches, "all"])}
    assert {r.name for r in adjudge.list_indices() if r.labels_are == "batches"} == of_batches


def test_scaled_lisi_is_the_median_of_the_points() -> None:
    points, batches, _ = clouds()
    codes = np.unique(batches, return_inverse=True)[1]
    three = evaluate(X=points, labels=codes, indices=["scaled_ilisi", "scaled_clisi"], n_neighbors=90)
    assert three["scaled_ilisi"] == pytest.approx(1 - three["scaled_clisi"])


def test_one_batch_or_few_points_have_no_value() -> None:
    points, _, _ = clouds()
    for name in ("kbet", "scaled_ilisi", "scaled_clisi"):
        assert math.isnan(getattr(adjudge, name)(points, np.zeros(300, int)))
        found = evaluate(X=points[:20], labels=[0, 1] * 10, indices=name)
        assert "neighbours are needed" in found.reasons[name]


BRAS = read_reference("internal_peers/bras.json")


@pytest.mark.parametrize("name", BRAS)
def test_bras_of_scib_metrics(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, labels, batch, wanted = BRAS[name].values()
    for block in (1 << 21, 1):
        monkeypatch.setattr(batches, "_BLOCK", block)
        for metric in ("cosine", "euclidean"):
            for between in ("mean_other", "furthest", "nearest"):
                found = adjudge.bras(X, labels, batch=batch, metric=metric, between=between)
                key = (
                    "silhouette_batch"
                    if f"{metric} {between}" == "euclidean nearest"
                    else f"{metric} {between}"
                )
                assert found == pytest.approx(wanted[key], abs=1e-9), key
    found = evaluate(X=X, labels=labels, batch=batch, indices="all")
    keys = {"bras": "cosine mean_other", "bras_furthest": "cosine furthest", "batch_asw": "silhouette_batch"}
    assert dict(found.values) == pytest.approx({own: wanted[key] for own, key in keys.items()}, abs=1e-9)


def naive_bras(X: np.ndarray, labels: np.ndarray, batch: np.ndarray, metric: str, between: str) -> float:
    D, of_labels = cdist(X, X, metric), []
    for label in set(labels.tolist()):
        members = np.flatnonzero(labels == label)
        own = {b: members[batch[members] == b] for b in set(batch[members].tolist())}
        if not 1 < len(own) < members.size:
            continue
        scores = []
        for i in members:
            others = [D[i, rows] for b, rows in own.items() if b != batch[i]]
            means = [row.mean() for row in others]
            b = {"mean_other": np.concatenate(others).mean(), "furthest": max(means), "nearest": min(means)}[
                between
            ]
            m = own[batch[i]].size
            a = D[i, own[batch[i]]].sum() / (m - 1) if m > 1 else 0.0
            scores.append(1 - abs(b - a) / max(a, b) if m > 1 else 1.0)
        of_labels.append(np.mean(scores))
    return float(np.mean(of_labels))


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
@pytest.mark.parametrize("between", ["mean_other", "furthest", "nearest"])
def test_bras_by_definition(rng: np.random.Generator, metric: str, between: str) -> None:
    X, labels, batch = rng.normal(size=(80, 4)) + 1e3, rng.integers(0, 3, 80), rng.integers(0, 9, 80)
    names = np.array(["x", "y", "z"])[labels]
    found = adjudge.bras(X, names, batch=batch.astype(str), metric=metric, between=between)
    assert found == pytest.approx(naive_bras(X, labels, batch, metric, between), rel=1e-6)
    order = rng.permutation(80)
    again = adjudge.bras(X[order], names[order], batch=batch[order], metric=metric, between=between)
    assert again == pytest.approx(found, rel=1e-10)


def test_batches_may_be_a_column() -> None:
    pl, pd = pytest.importorskip("polars"), pytest.importorskip("pandas")
    points, batch, types = clouds()
    wanted = adjudge.bras(points, types, batch=batch)
    columns = {"x": points[:, 0], "y": points[:, 1], "z": points[:, 2], "type": types, "sample": batch}
    for frame in (pl.DataFrame(columns), pd.DataFrame(columns)):
        found = evaluate(frame, labels="type", features=["x", "y", "z"], batch="sample")
        assert found["bras"] == wanted
        assert evaluate(X=points, labels=frame["type"], batch=frame["sample"])["bras"] == wanted
    several = evaluate(X=points, labels={"a": types, "b": types[::-1]}, batch=batch)
    assert several["a", "bras"] == wanted
    assert evaluate(types, types, X=points, batch=batch)["bras"] == wanted


def test_what_bras_cannot_read() -> None:
    X, labels, batch = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [2.0, 1.0]], [0, 0, 0, 0], [0, 0, 1, 1]
    calls: list[tuple[dict[str, Any], str]] = [
        ({"batch": batch}, "X has only zeros in row 2: its cosine distances are undefined"),
        (
            {"batch": [0, 0, None, 1]},
            "batch has a missing value at position 2: name a batch for each instance",
        ),
        ({"batch": [0, 1]}, "X has 4 instances, batch= has 2: they must be the same instances"),
        (
            {"batch": batch, "between": "all"},
            "between='all' is not known: choose one of 'mean_other', 'furthest', 'nearest'",
        ),
        (
            {"batch": batch, "metric": "cityblock"},
            "metric='cityblock' is not known: choose one of 'cosine', 'euclidean'",
        ),
        ({}, "bras needs points and their labels and batches: give X= and labels= and batch="),
    ]
    for given, message in calls:
        with raises_line(InputError, message):
            adjudge.bras(X, labels, **given)
    with raises_line(
        InputError,
        "adjust= changes nothing: bras has no correction, as the batches are judged, and not the labels",
    ):
        evaluate(X=X[:2], labels=[0, 0], batch=[0, 0], adjust=True)
    for one in ([0, 0, 0, 0], [0, 1, 2, 3]):
        found = evaluate(X=X, labels=labels, batch=one)
        assert "no label has two batches" in found.reasons["bras"]
    pd = pytest.importorskip("pandas")
    named = pd.Series(batch, index=list("abcd"))
    with pytest.raises(InputError, match="have the same index in different orders"):
        evaluate(X=X, labels=pd.Series(labels, index=list("dcba")), batch=named)


def test_what_depends_on_the_order_where_distances_tie_says_so() -> None:
    rng = np.random.default_rng(0)
    X = np.array(list(product(range(6), repeat=2)), float)
    labels, orders = (X[:, 0] > 2) + 2 * (X[:, 1] > 3), [rng.permutation(36) for _ in range(8)]
    depends = set()
    for index in list_indices("internal"):
        if NeighbourLabels not in index.requires:
            continue
        own = {} if "n_neighbors" not in index.parameters else {"n_neighbors": 4}
        of_order = {f"{index(X[o], labels[o], **own):.9f}" for o in orders}
        if len(of_order) > 1:
            depends.add(index.name)
        assert (len(of_order) > 1) <= (FIRST_OF_TIES in index.note), index.name
    assert {"connectivity", "wcnn", "neighbor_consistency"} <= depends
    assert not {"lisi", "kbet"} & depends
    assert FIRST_OF_TIES in find_index("cvnn").note


CASES = read_reference("internal_peers/disco.json.gz")


def of_points(X: Any, labels: Any, **options: Any) -> np.ndarray:
    return reduce_points(np.array(X), labels, {DensityConnections}, **options)[DensityConnections].of_points


@pytest.mark.parametrize("name", CASES)
def test_scores_of_clustpy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, labels, min_points, wanted = CASES[name].values()
    found = of_points(X, labels, min_points=min_points)
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-14)
    assert adjudge.disco(X, labels, min_points=min_points) == pytest.approx(np.mean(wanted), abs=1e-14)
    said = evaluate(X=X, labels=labels, indices="disco", min_points=min_points).details["disco_scores"]
    np.testing.assert_array_equal(said, found)
    # Clusters may be looked at one by one.
    monkeypatch.setattr(density_connections, "_AT_ONCE", 1)
    np.testing.assert_array_equal(of_points(X, labels, min_points=min_points), found)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "cosine", "precomputed"])
@pytest.mark.parametrize("n_noise", [0, 9])
def test_definition(rng: np.random.Generator, metric: str, n_noise: int) -> None:
    X = rng.normal(size=(40, 3)) + 2
    labels = rng.integers(0, 3, 40)
    labels[:n_noise] = -1
    D = cdist(X, X, "euclidean" if metric == "precomputed" else metric)
    found = of_points(D if metric == "precomputed" else X, labels, metric=metric, min_points=4)
    np.testing.assert_allclose(found, disco_of_points(Given(X, labels, D=D), 4), rtol=1e-9, atol=1e-12)


def test_each_point_a_cluster_of_its_own_counts_as_0() -> None:
    assert adjudge.disco(np.arange(8.0)[:, None], range(8)) == 0


def test_noise_is_judged_unless_the_call_says_otherwise() -> None:
    X, labels, *_ = CASES["blobs_and_noise"].values()
    names = np.where(np.array(labels) < 0, "x", np.array(labels).astype(str))
    judged = adjudge.disco(X, labels)
    assert (
        judged
        == adjudge.disco(X, names, noise_label="x")
        == evaluate(X=X, labels=labels, indices="disco")["disco"]
    )
    dropped = adjudge.disco(X, labels, noise="drop")
    kept = np.array(labels) >= 0
    assert dropped == adjudge.disco(np.array(X)[kept], np.array(labels)[kept])
    values = {judged, dropped, *(adjudge.disco(X, labels, noise=own) for own in ("cluster", "singletons"))}
    assert len(values) == 4
    (notice,) = evaluate(X=X, labels=labels, indices=["disco", "dbcv", "silhouette"]).warnings
    assert "but as noise in disco and dbcv, which are defined with noise" in str(notice)


def test_noise_alone_is_the_worst() -> None:
    found = evaluate(X=np.arange(8.0)[:, None], labels=[-1] * 8, indices=["disco", "dbcv"])
    assert found["disco"] == -1
    assert math.isnan(found["dbcv"])


def test_few_points_have_no_value() -> None:
    X = [[0.0], [1.0], [5.0], [6.0]]
    found = evaluate(X=X, labels=[0, 0, 1, 1], indices="disco")
    assert found.reasons["disco"] == "there are fewer points than min_points, 5"
    assert evaluate(X=X, labels=[0, 0, 1, 1], indices="disco", min_points=2)["disco"] == 0.75
    with pytest.raises(adjudge.InputError, match="min_points=0"):
        adjudge.disco(X, [0, 0, 1, 1], min_points=0)


def test_long_chains_are_read_in_any_order() -> None:
    """Along a line whose gaps grow, each point is higher than all before it; backwards, none is."""
    X = np.cumsum(np.arange(60.0))[:, None]
    labels = np.arange(60) % 3
    wanted = disco_of_points(Given(X, labels), 2)
    for order in (np.arange(60), np.arange(60)[::-1], np.random.default_rng(0).permutation(60)):
        found = of_points(X[order], labels[order], min_points=2)
        np.testing.assert_allclose(found, np.array(wanted)[order], rtol=1e-12)
