"""The route of inputs that are no label vector, shown on soft clusterings."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import Graph, InputError, Memberships, evaluate
from conftest import raises_line

RNG = np.random.default_rng(5)
U = Memberships(RNG.dirichlet([0.5, 0.5, 0.5], 60))


def test_all_means_what_can_be_made_from_what_was_given() -> None:
    found = evaluate(U, indices="all")
    assert {"partition_coefficient", "partition_entropy"} <= found.scores.keys()
    assert found.n == 60
    assert found.n_clusters == {"labels_true": 3}
    for name in found.scores:
        assert found[name] == getattr(adjudge, name)(U)


def test_intervals_come_from_the_influence_of_each_instance() -> None:
    found = evaluate(U, confidence=0.95).score("partition_coefficient")
    squares = (U.values**2).sum(axis=1)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.value < found.high
    width = 2 * 1.96 * squares.std(ddof=1) / math.sqrt(60)
    assert found.high - found.low == pytest.approx(width, rel=0.1)


def test_options_of_label_vectors_are_refused() -> None:
    for option in (
        "sample_weight",
        "counts",
        "units",
        "groups",
        "n_neighbors",
        "memory_limit",
        "classes",
        "noise",
        "missing",
    ):
        with raises_line(
            InputError,
            f"{option}= does not work with a graph, a tree, batches, overlapping or soft clusters: leave it out",
        ):
            evaluate(
                U,
                **{
                    option: "drop"
                    if option in ("noise", "missing")
                    else 2
                    if option in ("n_neighbors", "memory_limit")
                    else [2] * 60
                },
            )
    with raises_line(
        InputError, "rand needs true labels and predicted labels: give labels_true= and labels_pred="
    ):
        evaluate(U, indices="rand")
    with raises_line(InputError, "partition_coefficient needs memberships in clusters: give labels_true="):
        evaluate([0, 1], [0, 1], indices="partition_coefficient")


def test_hostile_memberships() -> None:
    for values, message in [
        ([[0.2, 0.2]], "memberships add up to 0.4 in row 0: they must add up to 1 in each row"),
        ([[1.2, -0.2]], "memberships have 1.2 in row 0, column 0: give numbers between 0 and 1"),
        ([[math.nan, 1]], "memberships have nan in row 0, column 0: give numbers between 0 and 1"),
        ([1.0, 0.0], "memberships have shape (2,): give a matrix of shape (n, K)"),
        ([["a"]], "memberships are no numbers: give a matrix of shape (n, K)"),
    ]:
        with raises_line(InputError, message):
            Memberships(values)


def test_what_no_index_reads_is_refused() -> None:
    edges, tree, labels, points = (
        [[0, 1], [1, 2]],
        [[0, 1, 1.0], [2, 3, 2.0]],
        [0, 0, 1],
        [[0.0], [1.0], [4.0]],
    )
    unread = "none of the indices reads {} beside the other inputs: leave out {}="
    for given, message in [
        ({"graph": edges, "labels": labels, "X": points}, unread.format("points", "X")),
        ({"linkage": tree, "labels": labels, "X": points}, unread.format("their labels", "labels")),
        ({"graph": edges}, "nothing to judge from a graph alone: give linkage= or labels= as well"),
        (
            {"graph": edges, "labels": labels, "X": points, "indices": ["silhouette", "modularity"]},
            "silhouette judges points: give them and their labels in a call of their own, without graph=",
        ),
        ({"labels": U}, "labels is a Memberships: give it as labels_true="),
        (
            {"linkage": tree, "labels_true": [0, None, 1], "missing": "drop"},
            "1 instance would be left out, which a tree or clusters beside the labels still hold: leave them out of "
            "both",
        ),
    ]:
        with raises_line(InputError, message):
            evaluate(**given)
    found = evaluate(labels, labels, graph=edges, linkage=tree)
    assert {"modularity", "dendrogram_purity", "adjusted_rand"} <= found.values.keys()


def test_instances_are_left_out_of_a_graph_and_of_batches() -> None:
    vertices, n_edges = RNG.integers(0, 60, size=(200, 2)), RNG.random(200)
    labels, batches = RNG.integers(0, 3, 60).tolist(), RNG.integers(0, 2, 60).tolist()
    points = RNG.normal(size=(60, 2))
    graph = Graph(vertices, 60, weights=n_edges, directed=True)
    kept = np.arange(5, 58)
    inside = np.isin(vertices, kept).all(axis=1)
    rest = Graph(vertices[inside] - 5, 53, weights=n_edges[inside], directed=True)
    gaps = [None] * 5 + labels[5:58] + [None] * 2
    found = evaluate(graph=graph, labels=gaps, missing="drop", indices="all")
    assert found.values == evaluate(graph=rest, labels=labels[5:58], indices="all").values
    assert "7 of the 60 rows are left out" in str(found.warnings)
    as_noise = [-1] * 5 + labels[5:58] + [-1] * 2
    assert evaluate(graph=graph, labels=as_noise, noise="drop", indices="all").values == found.values

    incomplete = points.copy()
    incomplete[7] = np.nan
    lacking = [None if i == 9 else own for i, own in enumerate(batches)]
    kept = np.array([i for i in range(5, 58) if i not in (7, 9)])
    own, whole = [labels[i] for i in kept], [batches[i] for i in kept]
    wanted = evaluate(X=points[kept], labels=own, batch=whole, indices="all").values
    arrays = evaluate(X=incomplete, labels=gaps, batch=lacking, missing="drop", indices="all")
    frame = pd.DataFrame(incomplete, columns=["x", "y"]).assign(l=pd.array(gaps, "Int64"), b=lacking)
    other = frame.assign(m=frame["l"].replace(2, 1))
    columns = evaluate(frame, labels="l", batch="b", features=["x", "y"], missing="drop", indices="all")
    several = evaluate(
        other, labels=["l", "m"], batch="b", features=["x", "y"], missing="drop", indices="all"
    )
    for found in (arrays, columns, several["l"]):
        assert found.values == wanted
        assert "9 of the 60 rows are left out" in str(found.warnings)
    with raises_line(
        InputError,
        "batch has a missing value at position 9: name a batch for each instance",
    ):
        evaluate(X=points, labels=labels, batch=lacking)


def test_mappings_of_several_clusterings() -> None:
    other = Memberships(RNG.dirichlet([0.5, 0.5], 60))
    several = evaluate({"three": U, "two": other})
    assert several["two", "partition_coefficient"] == evaluate(other)["partition_coefficient"]
    for given, message in [
        (
            ([0, 1] * 30, {"soft": U, "hard": [0, 1] * 30}),
            "labels stand beside overlapping or soft clusters: give all as adjudge.Cover or adjudge.Memberships",
        ),
        (
            ({"a": U}, {"a": U}),
            "labels_true is a mapping: beside a graph, a tree, batches or clusters, give one, not several",
        ),
    ]:
        with raises_line(InputError, message):
            evaluate(*given)


def test_an_index_or_its_options_that_do_not_apply() -> None:
    edges, points, half = [[0, 1], [1, 2]], [[0.0], [1.0]], Memberships([[0.6, 0.4], [0.3, 0.7]])
    for call, message in [
        (
            lambda: evaluate(U, adjust=True),
            "adjust= changes nothing: partition_coefficient has no correction, as it reads one clustering",
        ),
        (
            lambda: adjudge.modularity(graph=edges, labels=[0, 0, 1], resolution="high"),
            "resolution='high': a finite number of at least 0 is needed",
        ),
        (
            lambda: adjudge.fuzzy_silhouette(half, X=points, alpha=-1),
            "alpha=-1: a finite number of at least 0 is needed",
        ),
        (
            lambda: adjudge.kbet([[0.0], [1.0], [2.0]], [0, 1, 1], n_neighbors=1, alpha=0),
            "alpha=0: a finite number above 0 is needed",
        ),
    ]:
        with raises_line(InputError, message):
            call()


def test_structures_beside_columns_of_a_table() -> None:
    frame = pl.DataFrame({"t": [0, 0, 1, 1], "p": [0, 1, 1, 1], "in": [["a"], ["a", "b"], [], ["b"]]})
    edges, tree = [[0, 1], [1, 2], [2, 3]], [[0, 1, 1.0], [2, 3, 1.0], [4, 5, 3.0]]
    assert evaluate(frame, labels="t", graph=edges).values == evaluate(graph=edges, labels=frame["t"]).values
    assert evaluate(frame, truth="t", linkage=tree).values == evaluate(frame["t"], linkage=tree).values
    assert evaluate(frame, truth="in", pred="in", kind="overlapping")["omega"] == 1
    for given, message in [
        ({"labels": "t", "graph": edges}, "graph= needs the instances: collect the table first"),
        (
            {"truth": "in", "pred": "in", "kind": "overlapping"},
            "kind='overlapping' needs the instances: collect the table first",
        ),
    ]:
        with raises_line(InputError, message):
            evaluate(frame.lazy(), **given)


def test_frames_in_another_order_are_refused() -> None:
    one = pd.DataFrame({"a": [1, 0, 1], "b": [1, 1, 0]}, index=[2, 1, 0])
    soft = pd.DataFrame({"a": [0.9, 0.2, 0.5], "b": [0.1, 0.8, 0.5]}, index=one.index)
    other = one.loc[[0, 1, 2]]
    for call in (
        lambda: evaluate(one, other, kind="overlapping"),
        lambda: evaluate(Memberships(soft), other["a"]),
        lambda: evaluate(other["a"], Memberships(soft)),
        lambda: evaluate(Memberships(soft), X=other),
        lambda: evaluate(Memberships(soft), Memberships(soft.loc[other.index])),
    ):
        with pytest.raises(InputError, match="have the same index in different orders"):
            call()
    assert evaluate(Memberships(soft), one["a"], X=one).n == 3
