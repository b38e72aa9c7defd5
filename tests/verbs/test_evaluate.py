"""The verb evaluate: which values come back for which inputs, and every error."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import adjudge
from adjudge import InputError, evaluate, list_indices
from adjudge.indices.label_record import LabelIndex
from adjudge.inference.points.internal_intervals import internal_intervals
from adjudge.statistics import Contingency
from conftest import raises_line

TRUTH = ["a", "a", "a", "b", "b", "c"]
PREDICTION = [0, 0, 1, 1, 1, 2]


def test_all_that_the_labels_allow() -> None:
    result = evaluate(TRUTH, PREDICTION, indices="all")
    assert list(result.values) == [record.name for record in list_indices("external")]
    for record in list_indices("external"):
        assert type(result.values[record.name]) is float
        assert result[record.name] == record(TRUTH, PREDICTION)
    assert result.n == 6
    assert result.n_clusters == {"labels_true": 3, "labels_pred": 3}
    assert result.reasons == {}
    assert result.settings["indices"] == "all"
    assert result.settings["of"] == "clustering"


def test_classification() -> None:
    result = evaluate([0, 0, 1, 1], [0, 1, 1, 1], kind="classification", indices="all")
    assert list(result) == [r.name for r in list_indices("classification") if isinstance(r, LabelIndex)]
    assert result["accuracy"] == 0.75
    # Labels count as right only where they are equal, and clusters whatever they are called.
    assert evaluate([0, 0, 1, 1], [1, 1, 0, 0], kind="classification", indices="all")["acc"] == 0
    assert evaluate([0, 0, 1, 1], [1, 1, 0, 0], indices="all")["ari"] == 1


def test_reasons_belong_to_what_is_undefined() -> None:
    result = evaluate([0, 1, 2], [0, 1, 2], indices="all")
    undefined = {name for name, value in result.values.items() if math.isnan(value)}
    assert undefined == set(result.reasons)
    assert "jaccard" in undefined
    assert result.reasons["jaccard"] == "0/0: neither partition joins any pair"
    assert result["adjusted_rand"] == 1


def test_a_table_in_place_of_labels() -> None:
    table = Contingency.from_labels(TRUTH, PREDICTION)
    for given in (table, table.to_array(), table.to_sparse(), table.to_array().tolist()):
        assert evaluate(given, indices="all").values == evaluate(TRUTH, PREDICTION, indices="all").values


def test_missing_and_noise() -> None:
    truth, prediction = ["a", None, "a", "b", "b"], [0, 0, 0, -1, -1]
    assert evaluate(truth, prediction, missing="drop", indices="all").n == 4
    assert evaluate(truth, prediction, missing="drop", indices="all").n_clusters["labels_pred"] == 2
    assert (
        evaluate(truth, prediction, missing="drop", noise="singletons", indices="all").n_clusters[
            "labels_pred"
        ]
        == 3
    )
    assert evaluate(truth, prediction, missing="drop", noise="drop", indices="all").n == 2
    alone = evaluate(truth, prediction, missing="drop", noise="singletons", noise_label=0, indices="all")
    assert alone["rand"] == adjudge.rand(["a", "a", "b", "b"], [7, 8, -1, -1])
    assert evaluate(truth, prediction, missing="drop", indices="all").settings["missing"] == "drop"


@pytest.mark.parametrize(
    ("make", "backend"), [(list, None), (np.array, None), (pd.Series, "pandas"), (pl.Series, "polars")]
)
def test_the_frame_is_of_the_kind_that_came_in(make: Any, backend: str | None) -> None:
    result = evaluate(make(TRUTH), make(PREDICTION), indices=["rand", "jaccard"])
    assert result.backend == backend
    frame = result.to_frame()
    assert type(frame).__module__.startswith(backend or "pandas")
    assert list(frame["index"]) == ["rand", "jaccard"]
    assert list(frame["value"]) == [result["rand"], result["jaccard"]]


POINTS = [[0.0, 1.0], [0.5, 1.0], [4.0, 4.0], [4.0, 5.0], [9.0, 0.0], [9.5, 0.5]]


def test_points() -> None:
    asked = ["calinski_harabasz", "dunn"]
    inner = evaluate(X=POINTS, labels=PREDICTION, indices=asked)
    assert list(inner) == asked
    for name in asked:
        assert inner[name] == adjudge.find_index(name)(POINTS, PREDICTION)
    assert (inner.n, inner.n_clusters) == (6, {"labels": 3})
    # With the truth as well, labels_pred are judged both ways.
    both = evaluate(TRUTH, PREDICTION, X=POINTS, indices=["rand", *asked, "jaccard"])
    assert list(both) == ["rand", *asked, "jaccard"]
    assert both["dunn"] == inner["dunn"]
    assert both["rand"] == adjudge.rand(TRUTH, PREDICTION)
    assert both.n_clusters == {"labels_true": 3, "labels_pred": 3, "labels": 3}
    # Or other labels.
    other = evaluate(TRUTH, PREDICTION, X=POINTS, labels=TRUTH, indices=["rand", "dunn"])
    assert other["dunn"] == adjudge.dunn(POINTS, TRUTH)
    assert other["rand"] == both["rand"]


def test_all_that_labels_and_points_allow() -> None:
    result = evaluate(TRUTH, PREDICTION, X=POINTS, indices="all")
    # Clusters are not taken for batches.
    known = [r for r in list_indices() if r.kind in ("external", "internal") and not r.labels_are]
    assert list(result) == [r.name for r in known]


NOTHING = "nothing to judge: give labels_true and labels_pred, or X and labels, or all of them"


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, NOTHING),
        ((None, PREDICTION), {}, NOTHING),
        ((), {"labels": PREDICTION}, NOTHING),
        ((TRUTH,), {}, "labels_pred is missing: give two label vectors, or one contingency table"),
        ((), {"X": [[0.0], [1.0]]}, "labels are missing: give the labels of the points"),
        (
            (),
            {"X": [[0.0], [1.0]], "labels": [0, 1], "indices": "rand"},
            "rand needs true labels and predicted labels: give labels_true= and labels_pred=",
        ),
        (
            (TRUTH, PREDICTION[:-1]),
            {},
            "labels_pred has 5 entries, labels_true has 6: they must have the same length",
        ),
    ],
)
def test_errors_of_inputs(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        evaluate(*arguments, **options)


KINDS = "'clustering', 'classification', 'multilabel', 'regression', 'overlapping', 'raters', 'values'"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "cosine"}, "metric= is an option for points: X is missing"),
        ({"compat": "clusterCrit"}, "compat= is an option for points: X is missing"),
        ({"kind": "ranking"}, f"kind='ranking' is not known: choose one of {KINDS}"),
        ({"indices": "dunn"}, "dunn needs points: give X="),
        ({"indices": "polarization"}, "polarization compares two models: use compare()"),
        ({"indices": "accuracy"}, "accuracy scores classifiers: pass kind='classification'"),
        ({"indices": "rand", "kind": "classification"}, "rand compares partitions: pass kind='clustering'"),
    ],
)
def test_errors_of_options(options: dict[str, Any], message: str) -> None:
    with raises_line(InputError, message):
        evaluate(TRUTH, PREDICTION, **options)


def test_an_index_that_there_is_not_is_named() -> None:
    with pytest.raises(adjudge.UnknownIndexError, match=r"^no index is called 'nonsense': "):
        evaluate(TRUTH, PREDICTION, indices=["rand", "nonsense"])


def test_options_that_there_are_not_are_named() -> None:
    with raises_line(adjudge.InputTypeError, "evaluate() has no option indicies=: did you mean indices=?"):
        evaluate(TRUTH, PREDICTION, indicies="rand")
    with raises_line(
        adjudge.InputTypeError, "evaluate() has no option kinds=: did you mean kind= or indices=?"
    ):
        evaluate(X=[[0.0], [1.0]], labels=[0, 1], kinds="clustering")
    with pytest.raises(
        adjudge.InputTypeError, match=r"no option nothing=: there are labels_true, .*sample_size$"
    ):
        evaluate(X=[[0.0], [1.0]], labels=[0, 1], nothing=True)


def test_a_sweep_of_numbers_of_clusters_is_not_evaluated() -> None:
    for given in ({}, {"X": np.arange(12.0).reshape(6, 2)}):
        with raises_line(InputError, "gap reads partitions into several numbers of clusters: use choose_k()"):
            evaluate(TRUTH, PREDICTION, indices="gap", **given)


def test_indices_that_need_centroids_are_named() -> None:
    X = np.arange(12.0).reshape(6, 2)
    needed = "centroids of dense points in Euclidean space are needed, and"
    with raises_line(InputError, f"calinski_harabasz: {needed} metric='cosine' gives only distances"):
        adjudge.calinski_harabasz(X, PREDICTION, metric="cosine")
    with raises_line(InputError, f"calinski_harabasz, trace_w: {needed} X is sparse: pass X.toarray()"):
        evaluate(X=scipy.sparse.csr_array(X), labels=PREDICTION, indices=["dunn", "ch", "trace_w"])


@pytest.mark.parametrize("random_state", ["x", -1, 1.5])
def test_a_source_of_randomness_is_checked_where_nothing_is_drawn(random_state: Any) -> None:
    message = f"random_state={random_state!r}: a whole number of at least 0, a Generator or None is needed"
    kinds = (TypeError, ValueError)
    for call in (
        lambda: evaluate(TRUTH, PREDICTION, random_state=random_state, indices="all"),
        lambda: adjudge.compare(TRUTH, {"p": PREDICTION}, kind="clustering", random_state=random_state),
        lambda: adjudge.inference.equal_goodness_test(
            TRUTH, PREDICTION, PREDICTION, random_state=random_state
        ),
        lambda: adjudge.inference.confidence_intervals(
            ["rand"], TRUTH, PREDICTION, random_state=random_state
        ),
        lambda: internal_intervals([[0.0], [1.0], [3.0]], [0, 1, 1], ["trace_w"], random_state=random_state),
    ):
        with pytest.raises(kinds) as caught:
            call()
        assert str(caught.value) == message
