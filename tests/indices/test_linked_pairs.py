"""Clusters of linked pairs, their scores at every threshold, and the errors in clusters: against naive twins."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import InputError, InputTypeError
from adjudge.indices import cluster_errors, labels_from_pairs, threshold_curve
from conftest import raises_line


def components(records: list[Any], pairs: list[Any]) -> list[set[Any]]:
    """Join sets until no pair lies in two of them."""
    sets = [{record} for record in records]
    for one, other in pairs:
        joined = [s for s in sets if one in s or other in s]
        sets = [s for s in sets if s not in joined] + [set().union(*joined)]
    return sets


def drawn(seed: int) -> tuple[dict[str, int], list[tuple[str, str]], list[float]]:
    rng = np.random.default_rng(seed)
    truth = {f"r{i}": int(x) for i, x in enumerate(rng.integers(0, 6, 25))}
    names = list(truth)
    pairs = [tuple(rng.choice(names, 2).tolist()) for _ in range(30)]
    scores = [round(0.6 * (truth[a] == truth[b]) + float(rng.random()) * 0.7, 1) for a, b in pairs]
    return truth, pairs, scores


def test_clusters_are_connected_components() -> None:
    for seed in range(20):
        truth, pairs, scores = drawn(seed)
        labels = labels_from_pairs(pairs, truth)
        assert list(labels) == list(truth)
        found = {frozenset(r for r in truth if labels[r] == c) for c in set(labels.values())}
        assert found == set(map(frozenset, components(list(truth), pairs)))
        numbers = list(labels.values())
        assert list(dict.fromkeys(numbers)) == list(range(len(set(numbers))))
        kept = [pair for pair, score in zip(pairs, scores, strict=True) if score >= 0.8]
        assert labels_from_pairs(pairs, truth, scores, 0.8) == labels_from_pairs(kept, truth)
        assert labels_from_pairs(np.array(pairs), truth) == labels
        assert set(labels_from_pairs(pairs)) == {record for pair in pairs for record in pair}
    assert labels_from_pairs([], ["x", "y"]) == {"x": 0, "y": 1}
    assert labels_from_pairs([]) == {}


def test_a_curve_is_that_of_each_threshold_by_itself() -> None:
    for seed in range(20):
        truth, pairs, scores = drawn(seed)
        table = threshold_curve(truth, pairs, scores)
        assert [row[0] for row in table.rows] == sorted(set(scores), reverse=True)
        for threshold, clusters, *values in table.rows:
            labels = labels_from_pairs(pairs, truth, scores, threshold)
            assert clusters == len(set(labels.values()))
            both = list(truth.values()), list(labels.values())
            own = [getattr(adjudge, name)(*both) for name in table.columns[2:]]
            assert values == pytest.approx(own, rel=1e-15, nan_ok=True)
    assert threshold_curve({"a": 1}, [], []).rows == ()
    assert math.isnan(threshold_curve({"a": 1, "b": 2}, [("a", "a")], [0.5]).rows[0][2])


def test_errors_of_clusters_are_counted_pair_by_pair() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, pred = (labels.tolist() for labels in rng.integers(0, 5, (2, 24)))
        pred = [t if rng.random() < 0.6 else 10 + p for t, p in zip(truth, pred, strict=True)]
        table = cluster_errors(truth, pred, records=[f"r{i}" for i in range(24)])
        rows = {row[0]: row for row in table.rows}
        for cluster in set(truth):
            own = [i for i, t in enumerate(truth) if t == cluster]
            others = [i for i, t in enumerate(truth) if t != cluster]
            missed = sum(pred[i] != pred[j] for i, j in itertools.combinations(own, 2))
            wrong = sum(pred[i] == pred[j] for i in own for j in others)
            if not missed and not wrong:
                assert cluster not in rows
                continue
            error = "both" if missed and wrong else "split" if missed else "merged"
            parts = len({pred[i] for i in own})
            assert rows[cluster] == (cluster, len(own), error, parts, missed, wrong, [f"r{i}" for i in own])
        losses = [row[4] + row[5] for row in table.rows]
        assert losses == sorted(losses, reverse=True)
    assert cluster_errors(["a", "b"], [0, 1]).rows == ()
    assert cluster_errors(["a", "a"], [0, 1]).columns == (
        "cluster",
        "size",
        "error",
        "parts",
        "missed",
        "wrong",
    )


def test_inputs_of_other_kinds_are_read_by_position() -> None:
    frame = pd.DataFrame({"left": ["a", "b"], "right": ["b", "c"]}, index=[7, 3])
    expected = {"a": 0, "b": 0, "c": 0, "d": 1}
    for pairs in (frame, pl.from_pandas(frame), frame.to_numpy(), list(frame.to_numpy())):
        assert labels_from_pairs(pairs, list("abcd")) == expected
    assert labels_from_pairs([("a", "b")] * 256, np.array(["a", "b"])) == {"a": 0, "b": 0}
    assert labels_from_pairs(frame, scores=np.array([0.7, 0.1], np.float32), threshold=0.7)["b"] == 0
    # Names go by position, whatever the index of a series, and stay with their records if some are left out.
    names = pd.Series(list("abcd"), index=[3, 2, 1, 0])
    table = cluster_errors([0, 0, 1, None], [0, 1, 1, 1], records=names, missing="drop")
    assert [row[-1] for row in table.rows] == [["a", "b"], ["c"]]
    assert [row[-1] for row in cluster_errors([0, 1, 1], [0, 0, 1], records=np.arange(3)).rows] == [
        [1, 2],
        [0],
    ]


def test_equal_scores_are_one_threshold() -> None:
    truth, pairs = {"a": 1, "b": 1, "c": 2, "d": 2}, [("a", "b"), ("c", "d"), ("c", "d")]
    for score in (0.5, math.inf, -math.inf):
        assert threshold_curve(truth, pairs, [score] * 3).rows == ((score, 2, 1.0, 1.0, 1.0),)


def test_truths_and_records_that_cannot_be_used() -> None:
    pairs = [("a", "b")]
    for lost in (None, math.nan, pd.NA):
        with raises_line(InputError, "truth has no entity for 'b': leave it out, or give it one of its own"):
            threshold_curve({"a": 1, "b": lost}, pairs, [0.5])
    with raises_line(InputTypeError, "truth is a Series: give a mapping of record to entity"):
        threshold_curve(pd.Series({"a": 1, "b": 1}), pairs, [0.5])
    with raises_line(InputError, "scores= are not one number for each of 1 pairs"):
        threshold_curve({"a": 1, "b": 1}, pairs, None)
    for names in ("a", "abc"):
        with raises_line(InputError, f"records= has {len(names)} names for 2 labels"):
            cluster_errors([0, 0], [0, 1], records=names)
    series = pd.Series([0, 0], index=["x", "y"])
    with pytest.raises(InputError, match="have the same index in different orders"):
        cluster_errors(series, [0, 1], records=pd.Series(["b", "a"], index=["y", "x"]))


def test_pairs_that_cannot_be_used() -> None:
    for error, message, call in (
        (InputTypeError, "pairs has 'ab' at position 1: each pair is two records", ([("a", "b"), "ab"],)),
        (
            InputTypeError,
            "pairs has ('a', 'b', 'c') at position 0: each pair is two records",
            ([("a", "b", "c")],),
        ),
        (
            InputError,
            "pairs has 'z' at position 0, which is not among the records",
            ([("a", "z")], ["a", "b"]),
        ),
        (InputError, "scores= are not one number for each of 1 pairs", ([("a", "b")], None, [1.0, 2.0], 0.5)),
        (InputError, "scores= are not one number for each of 1 pairs", ([("a", "b")], None, [math.nan], 0.5)),
        (
            InputError,
            "pairs has a missing record at position 0: leave such pairs out",
            ([("a", None)], ["a", None]),
        ),
        (
            InputError,
            "pairs has a missing record at position 1: leave such pairs out",
            ([("a", "b"), (math.nan, "b")],),
        ),
        (InputTypeError, "scores contains something other than numbers", ([("a", "b")], None, ["x"], 0.5)),
        (InputError, "threshold=nan: a number is needed", ([("a", "b")], None, [0.5], math.nan)),
        (InputError, "threshold='0.5': a number is needed", ([("a", "b")], None, [0.5], "0.5")),
        (
            InputError,
            "scores= and threshold= belong together: give both or neither",
            ([("a", "b")], None, [0.5]),
        ),
    ):
        with raises_line(error, message):
            labels_from_pairs(*call)
