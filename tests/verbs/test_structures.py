"""The route of inputs that are no label vector, shown on soft clusterings."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, Memberships, evaluate
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
            {"graph": edges, "labels": [0, None, 1], "missing": "drop"},
            "1 instance would be left out, which a graph, a tree, batches or clusters beside the labels still hold: "
            "leave them out of both",
        ),
    ]:
        with raises_line(InputError, message):
            evaluate(**given)
    found = evaluate(labels, labels, graph=edges, linkage=tree)
    assert {"modularity", "dendrogram_purity", "adjusted_rand"} <= found.values.keys()


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
