"""Pieces of inference beside plain versions of them, and what results hand on: names, columns, types."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import adjudge
from adjudge.array_types import parts
from adjudge.given.score_table import ScoreTable
from adjudge.inference.clusters.cluster_tests import ClustersTest, clusters_test
from adjudge.inference.clusters.clusterers import dense_points
from adjudge.inference.clusters.null_points import DRAWS, _with_one_mode
from adjudge.inference.confidence import comparison_intervals
from adjudge.inference.data_sets.rank_comparison import friedman_test, pairwise_tests
from adjudge.inference.forecasts.roc_band import _at
from adjudge.inference.interval import METHOD
from adjudge.inference.partitions.bootstrap import _interval
from adjudge.inference.points import silhouette_influence
from adjudge.inference.points.silhouette_influence import without_points
from splitters import halves


def test_of_many_points_some_of_each_cluster_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    sizes = np.array([30, 20, 10])
    codes = rng.permutation(np.repeat([0, 1, 2], sizes))
    X = rng.normal(size=(60, 2)) + codes[:, None]
    everyone = without_points(X, codes, sizes, "euclidean", rng)
    assert everyone is not None
    assert everyone.points.tolist() == list(range(60))
    assert everyone.weights.tolist() == [1.0] * 60
    monkeypatch.setattr(silhouette_influence, "_LEFT_OUT", 24)
    monkeypatch.setattr(silhouette_influence, "_OF_EACH", 5)
    monkeypatch.setattr("adjudge.array_types.BLOCK", 300)
    some = without_points(X, codes, sizes, "euclidean", rng)
    assert some is not None
    own = codes[some.points]
    assert np.bincount(own).tolist() == [12, 8, 5]  # 24 * 10 / 60 would be 4
    assert np.unique(some.points).size == 25
    for cluster in range(3):
        assert (np.diff(some.points[own == cluster]) > 0).all()
    np.testing.assert_allclose(some.weights, (sizes / [12, 8, 5])[own])
    np.testing.assert_allclose(some.sums, everyone.sums[some.points], rtol=1e-12)


def test_blocks_of_distances_are_no_larger_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adjudge.array_types.BLOCK", 300)
    found = parts(25, 60)
    assert [list(range(25))[part] for part in found] == [list(range(i, i + 5)) for i in range(0, 25, 5)]
    assert all(part.stop - part.start == 5 for part in found)
    assert len(parts(7, 1000)) == 7  # a row at least


def clusters_found(valley: bool = True) -> ClustersTest:
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(m, 0.3, size=(30, 2)) for m in (0, 4)])
    return clusters_test(X, {"half": halves}, nulls=["gaussian"], valley=valley, n_samples=9, random_state=0)


def test_a_test_of_clusters_as_tables_and_as_json() -> None:
    found = clusters_found()
    assert found.table().columns == ("null", "silhouette", "median_of_null", "p_value")
    assert [row[0] for row in found.table().rows] == ["gaussian", "no valley"]
    assert found.valleys_table().columns == ("cluster", "neighbour", "p_value")
    assert found.valleys_table().rows == tuple(found.valleys or ())
    told = json.loads(json.dumps(found.to_dict()))
    assert {name: told[name] for name in ("kind", "index", "best", "n", "n_clusters", "n_samples")} == {
        "kind": "clusters_test",
        "index": "silhouette",
        "best": "half",
        "n": 60,
        "n_clusters": 2,
        "n_samples": 9,
    }
    assert told["p_values"] == {"gaussian": 0.1}
    assert told["p_value"] == found.p_value == max(0.1, told["valley_p_value"])
    assert told["value"] == found.value
    assert told["verdict"] == found.verdict
    assert told["null_values"] == {"gaussian": found.null_values["gaussian"].tolist()}
    assert told["valleys"] == [list(valley) for valley in found.valleys or ()]
    without = clusters_found(valley=False)
    assert (without.valleys, without.valley_p_value, without.to_dict()["valleys"]) == (None, None, None)
    assert without.valleys_table().rows == ()


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.float64])
def test_points_are_made_double(kind: Any) -> None:
    points = dense_points(np.arange(12).reshape(6, 2).astype(kind)[:, ::-1])
    assert points.dtype == np.float64
    assert points.flags.c_contiguous


def test_values_with_one_mode_are_kept() -> None:
    """The distribution function of normal quantiles is convex, then concave: each value is a corner."""
    values = norm.ppf(np.arange(1, 41) / 41)
    np.testing.assert_allclose(_with_one_mode(values), values, atol=1e-12)


def test_uniform_points_fill_the_box() -> None:
    X = np.random.default_rng(4).normal(size=(500, 2)) * [5.0, 1.0] + [10.0, 0.0]
    mean = X.mean(axis=0)
    axes = np.linalg.svd(X - mean, full_matrices=False)[2]
    along = (X - mean) @ axes.T
    low, high = along.min(axis=0), along.max(axis=0)
    drawn = (DRAWS["uniform"](X)(np.random.default_rng(0)) - mean) @ axes.T
    np.testing.assert_allclose(drawn.min(axis=0), low, atol=0.02 * (high - low).max())
    np.testing.assert_allclose(drawn.max(axis=0), high, atol=0.02 * (high - low).max())
    np.testing.assert_allclose(drawn.mean(axis=0), (low + high) / 2, atol=0.05 * (high - low).max())


def test_a_curve_at_its_ends_and_where_it_is_vertical() -> None:
    x, y = np.array([0.0, 0.0, 0.5, 0.5, 1.0]), np.array([0.0, 0.2, 0.4, 0.6, 0.9])
    at = np.array([-0.1, 0.0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(_at(x, y, at, top=True), [0.0, 0.2, 0.3, 0.6, 0.75, 1.0])
    np.testing.assert_allclose(_at(x, y, at, top=False), [0.0, 0.0, 0.3, 0.4, 0.75, 0.9])


def test_a_data_frame_of_scores_is_a_mapping_of_them() -> None:
    scores = {"a": [0.9, 0.8, 0.7, 0.95], "b": [0.8, 0.85, 0.6, 0.9], "c": [0.7, 0.6, 0.65, 0.7]}
    for posthoc in ("nemenyi", "wilcoxon-holm"):
        assert friedman_test(pd.DataFrame(scores), posthoc=posthoc) == friedman_test(scores, posthoc=posthoc)
    found = friedman_test(scores)
    assert found.table().columns == ("model", "mean rank")
    assert found.table().rows == (("a", 1.25), ("b", 2.0), ("c", 2.75))
    assert found.table().title == "Mean ranks over 4 data sets"
    assert found.pairs_table().columns == ("hypothesis", "p (adjusted)")
    assert [row[0] for row in found.pairs_table().rows] == ["a = b", "a = c", "b = c"]
    assert found.pairs_table().title == "Pairs of models: wilcoxon-holm"


def test_pairs_without_a_common_data_set() -> None:
    nan = math.nan
    table = ScoreTable.of(["u", "v"], ["a", "b", "c"], [[1.0, 2.0, nan], [nan, 1.0, 2.0]], "higher")
    found = pairwise_tests(table)
    assert all(map(math.isnan, found.values()))
    assert set(found.reasons.values()) == {"no data set has a score of every model"}
    columns = ("first", "second", "data sets", "statistic", "p", "p (adjusted)", "note")
    assert found.table().columns == columns
    assert [row[2] for row in found.table().rows] == [0, 0, 0]
    complete = ScoreTable.of(["u", "v"], ["a", "b"], [[1.0, 2.0], [2.0, 1.0]], "higher")
    assert pairwise_tests(complete, test="sign", control="b").table().columns == columns[:-1]
    assert (
        pairwise_tests(complete, control="b").table().title == "Pairs of models: ranks, holm, each against b"
    )


def test_a_model_whose_labels_are_no_classes_is_named() -> None:
    truth = ["a", "b", "a", "b"]
    for given, name in (({"primary": [0, 1, 0, 1], "alternative": truth}, "primary"),
                        ({"primary": truth, "alternative": [0, 1, 0, 1]}, "alternative")):  # fmt: skip
        with pytest.raises(adjudge.InputError, match=rf"\b{name}\b"):
            comparison_intervals(truth, **given, kind="classification")


def test_intervals_of_label_sets_say_how_they_were_made() -> None:
    truth = [["a"], ["b"], ["a", "b"], ["c"], ["a"], [], ["b", "c"], ["a"]]
    found = adjudge.evaluate(truth, [*truth[:5], ["a"], ["b"], ["c"]], kind="multilabel", confidence=0.9)
    methods = {name: score.interval_method for name, score in found.scores.items()}
    assert methods["subset_accuracy"] == "wilson"
    assert {method for name, method in methods.items() if name != "subset_accuracy"} <= {
        METHOD,
        "wilson",
        None,
    }
    ranked = adjudge.evaluate(
        [["a"], ["b"], ["a", "b"]] * 4,
        probabilities=np.random.default_rng(0).random((12, 2)),
        classes=["a", "b"],
        kind="multilabel",
        confidence=0.9,
    )
    averages = [
        own for own in ranked.scores.values() if own.interval_reason and "average" in own.interval_reason
    ]
    assert averages
    assert {own.interval_method for own in averages} <= {METHOD, "wilson", None}


def test_an_interval_of_resamples_that_hardly_differ() -> None:
    for values, known in (
        ([1.0, 1, 2], True),
        ([1.0, 2, 2], True),
        ([1.0, 1, 1], False),
        ([math.nan], False),
    ):
        found = _interval(1.0, np.array(values), None, 0.9, "percentile")
        assert (found is not None) == known, values
