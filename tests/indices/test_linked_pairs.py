"""Clusters of linked pairs, their scores at every threshold, and the errors in clusters: against naive twins."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
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
            "scores= and threshold= belong together: give both or neither",
            ([("a", "b")], None, [0.5]),
        ),
    ):
        with raises_line(error, message):
            labels_from_pairs(*call)
