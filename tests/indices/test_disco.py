"""DISCO against clustpy 0.0.3, by authors of the index, and against the definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjudge
from adjudge import evaluate
from adjudge.engines import density_connections
from adjudge.engines.points import reduce_points
from adjudge.statistics.reachability import DensityConnections
from conftest import read_reference
from naive_density import Given, disco_of_points

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
