"""Where permetrics, genieclust and clusim define a criterion in their own way: what it is in our terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import adjudge
from adjudge.indices.compat import as_clustercrit
from conftest import read_reference

CASE = read_reference("internal_peers/three_programs.json")
X, LABELS = np.array(CASE["data"]), np.array(CASE["part"])
CENTROIDS = np.array([X[k == LABELS].mean(axis=0) for k in range(4)])
PERMETRICS, GENIECLUST = CASE["permetrics 2.1.0"], CASE["genieclust 1.3.0"]


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-12)


def test_permetrics_ball_hall_is_the_mean_dispersion() -> None:
    assert PERMETRICS["ball_hall_index"] == close(adjudge.trace_w(X, LABELS) / 4)
    assert PERMETRICS["ball_hall_index"] != close(adjudge.ball_hall(X, LABELS))


def test_permetrics_rescales_the_entries_of_wg() -> None:
    centred = X - CENTROIDS[LABELS]
    within = centred.T @ centred
    rescaled = (within - within.min()) / (within.max() - within.min())
    assert PERMETRICS["ksq_detw_index"] == close(16 * np.linalg.det(rescaled))
    assert PERMETRICS["ksq_detw_index as published"] == close(adjudge.ksq_detw(X, LABELS))


def test_permetrics_dunn_is_from_points_to_centroids() -> None:
    to_centroids = cdist(X, CENTROIDS)
    nearest = min(to_centroids[b == LABELS, a].min() for a in range(4) for b in range(a + 1, 4))
    widest = max(cdist(X[k == LABELS], X[k == LABELS]).max() for k in range(4))
    assert PERMETRICS["dunn_index"] == close(nearest / widest)
    assert PERMETRICS["dunn_index as published"] == close(adjudge.dunn(X, LABELS))


def test_permetrics_xie_beni_takes_the_nearest_centroid() -> None:
    between = cdist(CENTROIDS, CENTROIDS)[np.triu_indices(4, 1)].min() ** 2
    assert PERMETRICS["xie_beni_index"] == close((cdist(X, CENTROIDS).min(axis=1) ** 2).mean() / between)
    assert adjudge.ray_turi(X, LABELS) == close(((X - CENTROIDS[LABELS]) ** 2).sum() / 40 / between)


def test_xie_beni_is_there_by_centroids_and_by_points() -> None:
    by_centroids, by_points = map(adjudge.find_index, ("xie_beni_centroids", "xie_beni"))
    assert by_centroids is adjudge.ray_turi
    assert by_points is adjudge.find_index("xie_beni_points")
    assert "Xie & Beni (1991)" in by_centroids.note
    assert "Desgraupes" in by_points.citation
    closest = min(cdist(X[a == LABELS], X[b == LABELS]).min() for a in range(4) for b in range(a + 1, 4))
    within = ((X - CENTROIDS[LABELS]) ** 2).sum() / 40
    assert by_points(X, LABELS) == close(within / closest**2)


def test_genieclusts_ball_hall_is_a_sum() -> None:
    assert -GENIECLUST["negated_ball_hall_index"] == close(4 * adjudge.ball_hall(X, LABELS))


@pytest.mark.parametrize("distance", [1, 3, 4])
def test_genieclust_halves_the_mean_distance(distance: int) -> None:
    theirs = GENIECLUST[f"generalised_dunn_index {distance} 2"]
    record = adjudge.find_index(f"gdi{distance}2")
    assert np.isnan(record(X, LABELS))
    assert theirs == close(as_clustercrit(record)(X, LABELS))  # type: ignore[operator]
    own = adjudge.find_index(f"gdi{distance}3")
    assert GENIECLUST[f"generalised_dunn_index {distance} 3"] == close(own(X, LABELS))


def test_genieclust_leaves_single_points_out() -> None:
    assert GENIECLUST["silhouette_index"] == close(adjudge.silhouette(X, LABELS))
    # The cluster of one point has width 0.
    assert GENIECLUST["silhouette_w_index"] == close(adjudge.silhouette_macro(X, LABELS) * 4 / 3)


@pytest.mark.parametrize("model", ["num1", "all1"])
def test_clusims_one_sided_models_keep_the_second_partition(model: str) -> None:
    one, other = CASE["one-sided"]["first"], CASE["one-sided"]["second"]
    forwards, backwards = CASE["one-sided"]["clusim 0.4"][model]
    assert adjudge.inference.adjusted_for_chance("rand", other, one, null=model) == close(forwards)
    assert adjudge.inference.adjusted_for_chance("rand", one, other, null=model) == close(backwards)
    assert forwards != close(backwards)
